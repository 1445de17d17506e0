//! Edges that no single reference stands for.

use m1nd_base::{EdgeTier, Pos, Relation};
use m1nd_lang::facts::{DefId, DefKind};

use crate::eval::Eval;
use crate::ids::SymbolId;
use crate::project::{DefRef, FileId};

/// The methods of a file that replace methods of bases, and the interfaces that its types satisfy unsaid, as edges.
pub(crate) fn overrides(eval: &mut Eval<'_>, file: FileId) -> Vec<Derived> {
    let unit = eval.unit(file);
    let mut rows = Vec::new();
    for (index, definition) in unit.facts.definitions.iter().enumerate() {
        let Some(from) = unit.symbols[index] else { continue };
        let of = DefRef { file, def: DefId(index as u32) };
        if definition.kind != DefKind::Function {
            eval.begin_reference();
            for interface in eval.interfaces_of(of) {
                if let Some(to) = eval.unit(interface.file).symbols[interface.def.index()] {
                    // Names and numbers of parameters are compared, not their types.
                    let tier = EdgeTier::Possible;
                    rows.push(Derived { from, to, relation: Relation::Implements, tier, of: 1, pos: definition.pos });
                }
            }
            continue;
        }
        let tier = if eval.is_structural(of) { EdgeTier::Possible } else { EdgeTier::Certain };
        eval.begin_reference();
        for of in eval.overridden(of) {
            if let Some(to) = eval.unit(of.file).symbols[of.def.index()] {
                rows.push(Derived { from, to, relation: Relation::Overrides, tier, of: 1, pos: definition.pos });
            }
        }
    }
    rows
}

/// An edge that no single reference stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Derived {
    pub(crate) from: SymbolId,
    pub(crate) to: SymbolId,
    pub(crate) relation: Relation,
    pub(crate) tier: EdgeTier,
    /// Number of candidates; 1 unless `possible`.
    pub(crate) of: u16,
    /// What it rests on.
    pub(crate) pos: Pos,
}
