//! Stubs: files that declare what the file beside them defines (`.pyi`, `.d.ts`).

use m1nd_base::{EdgeTier, Relation};
use m1nd_lang::facts::{DefId, DefKind};
use rustc_hash::FxHashMap;

use super::{Resolution, Target, WrittenUse};
use crate::eval::Eval;
use crate::ids::SymbolId;
use crate::tables::files::FileId;
use crate::unit::Unit;

/// Maximum nesting of the definitions compared.
const MAX_DEPTH: usize = 16;

/// The declarations of a file's functions and classes in its stub, by their names and those of their owners.
pub(super) fn declarations<'a>(eval: &mut Eval<'a>, file: FileId) -> Vec<Resolution<'a>> {
    let unit = eval.unit(file);
    let path = eval.project.path(file).as_str();
    let mut rows = Vec::new();
    for (ending, stub_ending) in eval.rules(file).stubs {
        let Some(stem) = path.strip_suffix(ending).filter(|_| !path.ends_with(stub_ending)) else { continue };
        let Some(stub) = eval.file_at(&format!("{stem}{stub_ending}")) else { continue };
        eval.ask_all(stub);
        let declared = by_name(eval.unit(stub));
        for (key, (from, pos)) in by_name(unit) {
            if let Some((to, _)) = declared.get(&key) {
                let row =
                    WrittenUse { name: "", role: None, pos, from, relation: Relation::Implements, inexact: false };
                rows.push(Resolution::new(row, vec![Target::Symbol(*to)], Some(EdgeTier::Certain)));
            }
        }
    }
    rows.sort_by_key(|row| (row.pos, row.from));
    rows
}

/// Kind and names of a definition, from the file inwards.
type Key<'u> = (DefKind, Vec<&'u str>);

/// The functions and classes of a file that are nodes.
fn by_name(unit: &Unit) -> FxHashMap<Key<'_>, (SymbolId, m1nd_base::Pos)> {
    let facts = &unit.facts;
    let mut found = FxHashMap::default();
    for (index, definition) in facts.definitions.iter().enumerate() {
        let kind = definition.kind;
        let Some(symbol) = unit.symbols[index].filter(|_| kind == DefKind::Function || kind.is_class_like()) else {
            continue;
        };
        let owner = |def: &DefId| facts.definition(*def).owner;
        let around = std::iter::successors(Some(DefId(index as u32)), owner).take(MAX_DEPTH);
        let names: Vec<&str> = around.map(|def| facts.name(facts.definition(def).name)).collect();
        found.entry((kind, names)).or_insert((symbol, definition.pos));
    }
    found
}
