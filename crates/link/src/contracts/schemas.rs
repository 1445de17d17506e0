//! Names inside of schemas: imports of one by another, and types of fields and procedures.

use m1nd_base::{EdgeTier, Relation};
use m1nd_lang::Language;
use m1nd_lang::facts::SharedKind;

use super::Contracts;
use super::common::node_of;
use crate::edges::derived::Derived;
use crate::eval::Eval;
use crate::file_links::Target;
use crate::ids::SymbolId;
use crate::spots::shared;
use crate::tables::files::FileId;
use crate::unit::Unit;

/// Folders above a file in which the path of an import may begin.
const MAX_ROOTS: usize = 24;
/// Files that a file imports.
const MAX_IMPORTS: usize = 256;

/// Adds the edges of a schema.
pub(super) fn link(eval: &mut Eval<'_>, file: FileId, found: &mut Contracts) {
    let unit = eval.unit(file);
    let language = unit.facts.language;
    if !matches!(language, Language::Proto | Language::GraphQl) {
        return;
    }
    let mut near: Vec<FileId> = Vec::new();
    for row in unit.facts.shared.iter().filter(|row| row.kind == SharedKind::Schema).take(MAX_IMPORTS) {
        let Some(other) = find_imported(eval, unit, &row.name) else { continue };
        near.push(other);
        let to = Target::Symbol(eval.project.unit(other).file_symbol);
        let (from, relation, tier) = (unit.file_symbol, Relation::Imports, EdgeTier::Certain);
        found.edges.push(Derived { from, to, relation, tier, of: 1, pos: row.pos });
    }
    for row in unit.facts.shared.iter().filter(|row| row.kind == SharedKind::Type) {
        let last = row.name.rsplit('.').next().unwrap_or(&row.name);
        let from = node_of(unit, row.owner);
        let mut targets: Vec<SymbolId> = types(unit, last);
        if targets.is_empty() {
            for other in eval.contract(&shared::type_name(last)) {
                let other_unit = eval.project.unit(other);
                let is_seen = match language {
                    Language::Proto => near.contains(&other) || same_package(unit, other_unit),
                    _ => true,
                };
                if is_seen && other_unit.facts.language == language {
                    targets.extend(types(other_unit, last));
                }
            }
        }
        targets.dedup();
        if let [target] = targets.as_slice() {
            let (to, relation, tier) = (Target::Symbol(*target), Relation::References, EdgeTier::Certain);
            found.edges.push(Derived { from, to, relation, tier, of: 1, pos: row.pos });
        }
    }
}

fn same_package(one: &Unit, other: &Unit) -> bool {
    let package = |unit: &Unit| unit.facts.package.map(|name| unit.facts.name(name).to_owned());
    package(one).is_some() && package(one) == package(other)
}

/// The types of this name in a file.
fn types(unit: &Unit, name: &str) -> Vec<SymbolId> {
    let rows = unit.facts.definitions.iter().enumerate();
    let mut found: Vec<SymbolId> = rows
        .filter(|(_, row)| row.kind.is_type() && unit.facts.name(row.name) == name)
        .filter_map(|(index, _)| unit.symbols[index])
        .collect();
    found.dedup();
    found
}

/// The file that an import names: its path counts from a folder above.
fn find_imported(eval: &Eval<'_>, unit: &Unit, path: &str) -> Option<FileId> {
    let mut folder = unit.path.as_str();
    for _ in 0..MAX_ROOTS {
        let above = folder.rsplit_once('/').map_or("", |(above, _)| above);
        let full = if above.is_empty() { path.to_owned() } else { format!("{above}/{path}") };
        if let Some(file) = eval.file_at(&full) {
            return Some(file);
        }
        if above.is_empty() {
            return None;
        }
        folder = above;
    }
    None
}
