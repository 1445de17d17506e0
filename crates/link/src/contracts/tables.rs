//! Tables of databases: who declares them, and which code reads and writes them.

use m1nd_base::{EdgeTier, Pos, Relation};
use m1nd_lang::facts::{DefId, Role, SharedKind};

use super::Contracts;
use super::common::{self, node_of};
use crate::edges::derived::Derived;
use crate::eval::Eval;
use crate::file_links::Target;
use crate::ids::SymbolId;
use crate::spots::shared::{self, DeclaredTable};
use crate::tables::files::FileId;
use crate::unit::Unit;

/// Tables that one file names.
const MAX_USES: usize = 4_096;
/// Declarations of one name; if there are more, it says nothing.
const MAX_DECLARED: usize = 8;

/// A declaration of a table.
#[derive(Debug, Clone, Copy)]
struct Declared {
    symbol: SymbolId,
    /// How good it is: statements that create it come before classes that are mapped to it.
    creates: bool,
}

/// Adds edges to the tables that a file names.
pub(super) fn ask(eval: &mut Eval<'_>, file: FileId, found: &mut Contracts) {
    let unit = eval.unit(file);
    let uses = unit.facts.shared.iter().filter(|row| row.kind == SharedKind::Table && !row.declares);
    for row in uses.take(MAX_USES) {
        let from = node_of(unit, row.owner);
        add(eval, file, (from, &row.name, row.pos), false, found);
    }
    // A class that is mapped to a table needs the statement that creates it.
    let mapped: Vec<(SymbolId, String, Pos)> = shared::declared_tables(&unit.facts)
        .filter(|row| row.row.is_none_or(|row| !row.creates))
        .map(|row| (place(unit, &row), row.name.to_owned(), row.pos))
        .collect();
    for (from, name, pos) in &mapped {
        add(eval, file, (*from, name, *pos), true, found);
    }
}

fn add(
    eval: &mut Eval<'_>,
    file: FileId,
    (from, name, pos): (SymbolId, &str, Pos),
    is_mapped: bool,
    found: &mut Contracts,
) {
    let mut rows: Vec<(FileId, Declared)> = Vec::new();
    for other in common::files(eval, file, &shared::table(name)) {
        rows.extend(list_declared(eval.project.unit(other), name).into_iter().map(|row| (other, row)));
    }
    // The statement that creates a table hides those that only change it.
    if is_mapped || rows.iter().any(|(_, row)| row.creates) {
        rows.retain(|(_, row)| row.creates);
    }
    rows.retain(|(_, row)| row.symbol != from);
    // Tables of the same name in several databases: those nearest to this file.
    if rows.len() > 1 {
        common::nearest(eval, file, &mut rows);
    }
    rows.dedup_by_key(|(_, row)| row.symbol);
    if rows.is_empty() || rows.len() > MAX_DECLARED {
        return;
    }
    let (tier, of) = match rows.len() {
        1 => (EdgeTier::Certain, 1),
        count => (EdgeTier::Possible, count as u16),
    };
    for (_, row) in rows {
        let to = Target::Symbol(row.symbol);
        found.edges.push(Derived { from, to, relation: Relation::References, tier, of, pos });
    }
}

/// The declarations of a table in a file.
fn list_declared(unit: &Unit, name: &str) -> Vec<Declared> {
    let mut found = Vec::new();
    for row in &unit.facts.shared {
        if row.kind == SharedKind::Table && row.declares && row.name.eq_ignore_ascii_case(name) {
            found.push(Declared { symbol: node_of(unit, row.owner), creates: true });
        }
    }
    for row in shared::declared_tables(&unit.facts).filter(|row| row.name.eq_ignore_ascii_case(name)) {
        found.push(Declared { symbol: place(unit, &row), creates: row.row.is_some_and(|row| row.creates) });
    }
    found
}

/// The class or function that declares a table.
fn place(unit: &Unit, row: &DeclaredTable<'_>) -> SymbolId {
    let facts = &unit.facts;
    let Some(at) = row.reference else {
        let mut around = facts.definitions.iter().enumerate().filter(|(_, definition)| {
            definition.kind.is_class_like()
                && definition.line_start <= row.pos.line
                && row.pos.line <= definition.line_end
        });
        return node_of(unit, around.next_back().map(|(index, _)| DefId(index as u32)));
    };
    let reference = &facts.references[at as usize];
    if reference.role == Role::Decorate {
        return node_of(unit, reference.enclosing);
    }
    // `users = Table("users", …)`: the variable, if the call is its value.
    let held = facts.definitions.iter().enumerate().rfind(|(_, definition)| {
        definition.owner == reference.enclosing
            && definition.pos.line <= row.pos.line
            && row.pos.line <= definition.line_end
            && facts.list(definition.values).iter().any(|value| match facts.expr(*value) {
                m1nd_lang::facts::Expr::Call { callee, .. } => callee == reference.expr,
                _ => false,
            })
    });
    node_of(unit, held.map(|(index, _)| DefId(index as u32)).or(reference.enclosing))
}
