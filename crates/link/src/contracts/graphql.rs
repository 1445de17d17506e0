//! Fields of GraphQL's root types: their declarations, the functions that answer them, and documents that ask for them.

use m1nd_base::{EdgeTier, Relation};
use m1nd_lang::facts::SharedKind;

use super::Contracts;
use super::common::{self, node_of};
use crate::edges::derived::Derived;
use crate::eval::Eval;
use crate::file_links::Target;
use crate::ids::SymbolId;
use crate::spots::graphql;
use crate::spots::shared;
use crate::tables::files::FileId;

/// Fields that one file asks for.
const MAX_ASKED: usize = 4_096;
/// Functions that may answer one field; if there are more, its name says nothing.
const MAX_RESOLVERS: usize = 8;

/// Adds edges from the fields that a file declares to the functions that answer them.
pub(super) fn serve(eval: &mut Eval<'_>, file: FileId, found: &mut Contracts) {
    let unit = eval.unit(file);
    for row in unit.facts.shared.iter().filter(|row| row.kind == SharedKind::Field && row.declares) {
        let from = node_of(unit, row.owner);
        let resolvers = resolvers(eval, file, &row.name);
        let of = resolvers.len() as u16;
        for (symbol, sure) in resolvers {
            let is_sure = sure && of == 1;
            let (tier, of) = if is_sure { (EdgeTier::Certain, 1) } else { (EdgeTier::Possible, of) };
            let (to, relation) = (Target::Symbol(symbol), Relation::Serves);
            if symbol != from {
                found.edges.push(Derived { from, to, relation, tier, of, pos: row.pos });
            }
        }
    }
}

/// Adds edges from what a file asks for to the fields, or to what answers them if no schema declares them.
pub(super) fn ask(eval: &mut Eval<'_>, file: FileId, found: &mut Contracts) {
    let unit = eval.unit(file);
    let asked = unit.facts.shared.iter().filter(|row| row.kind == SharedKind::Field && !row.declares);
    for row in asked.take(MAX_ASKED) {
        let from = node_of(unit, row.owner);
        let mut declared = Vec::new();
        for other in common::files(eval, file, &shared::field(&row.name)) {
            let unit = eval.project.unit(other);
            let mut rows = unit.facts.shared.iter().filter(|own| own.kind == SharedKind::Field && own.declares);
            declared.extend(rows.find(|own| own.name == row.name).map(|own| (other, node_of(unit, own.owner))));
        }
        let targets: Vec<(SymbolId, bool)> = match common::own_copy(eval, file, declared) {
            Some((_, symbol)) => vec![(symbol, true)],
            None => resolvers(eval, file, &row.name),
        };
        let of = targets.len() as u16;
        for (symbol, sure) in targets {
            let is_sure = sure && of == 1;
            let (tier, of) = if is_sure { (EdgeTier::Certain, 1) } else { (EdgeTier::Possible, of) };
            let (to, relation) = (Target::Symbol(symbol), Relation::Requests);
            if symbol != from {
                found.edges.push(Derived { from, to, relation, tier, of, pos: row.pos });
            }
        }
    }
}

/// The functions that may answer a field, and whether that is sure of each.
fn resolvers(eval: &mut Eval<'_>, home: FileId, field: &str) -> Vec<(SymbolId, bool)> {
    let mut found: Vec<(FileId, (SymbolId, bool))> = Vec::new();
    for file in common::files(eval, home, &shared::resolver(field)) {
        let unit = eval.project.unit(file);
        for row in graphql::resolvers(&unit.facts).into_iter().filter(|row| row.field == field) {
            found.push((file, (node_of(unit, Some(row.def)), row.sure)));
        }
    }
    if found.iter().any(|(_, (_, sure))| *sure) {
        found.retain(|(_, (_, sure))| *sure);
    }
    found.dedup_by_key(|(_, (symbol, _))| *symbol);
    if found.len() > MAX_RESOLVERS {
        return Vec::new();
    }
    found.into_iter().map(|(_, row)| row).collect()
}
