//! Edges that do not correspond to a single reference.

use m1nd_base::{EdgeTier, Pos, Relation};
use m1nd_lang::facts::{DefId, DefKind, Expr};

use crate::eval::Eval;
use crate::file_links::Target;
use crate::ids::SymbolId;
use crate::names::Name;
use crate::rules::Fixtures;
use crate::tables::files::{DefRef, FileId};
use crate::unit::Unit;

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
                    let to = Target::Symbol(to);
                    rows.push(Derived { from, to, relation: Relation::Implements, tier, of: 1, pos: definition.pos });
                }
            }
            for (interface, answers) in eval.unsaid_interfaces(of) {
                let own = answers.into_iter().filter(|(answer, _)| answer.file == file);
                for (own, asked) in own.chain([(of, interface)]) {
                    rows.extend(answering(eval, own, asked));
                }
            }
            continue;
        }
        let tier = if eval.is_structural(of) { EdgeTier::Possible } else { EdgeTier::Certain };
        eval.begin_reference();
        let mut found: Vec<(DefRef, EdgeTier)> = eval.overridden(of).into_iter().map(|base| (base, tier)).collect();
        eval.begin_reference();
        // Types of parameters are not compared.
        found.extend(eval.answered_by_members(of).into_iter().map(|member| (member, EdgeTier::Possible)));
        for (of, tier) in found {
            if let Some(to) = eval.unit(of.file).symbols[of.def.index()] {
                let to = Target::Symbol(to);
                rows.push(Derived { from, to, relation: Relation::Overrides, tier, of: 1, pos: definition.pos });
            }
        }
    }
    rows
}

/// A class or method that satisfies one that does not name it.
fn answering(eval: &mut Eval<'_>, own: DefRef, asked: DefRef) -> Option<Derived> {
    let unit = eval.unit(own.file);
    let (definition, from) = (unit.facts.definition(own.def), unit.symbols[own.def.index()]?);
    let to = Target::Symbol(eval.unit(asked.file).symbols[asked.def.index()]?);
    let is_method = definition.kind == DefKind::Function;
    let relation = if is_method { Relation::Overrides } else { Relation::Implements };
    Some(Derived { from, to, relation, tier: EdgeTier::Possible, of: 1, pos: definition.pos })
}

/// The fixtures that the tests and fixtures of a file are given, as edges.
pub(crate) fn fixtures(eval: &mut Eval<'_>, file: FileId) -> Vec<Derived> {
    let Some(rules) = eval.rules(file).fixtures else { return Vec::new() };
    let unit = eval.unit(file);
    let mut rows = Vec::new();
    for (index, definition) in unit.facts.definitions.iter().enumerate() {
        let (def, Some(from)) = (DefId(index as u32), unit.symbols[index]) else { continue };
        let of = DefRef { file, def };
        let is_given = definition.flags.is_test || unit.is_fixture(def);
        let count = unit.facts.parameters(def).len();
        if !is_given || !matches!(definition.kind, DefKind::Function | DefKind::Class) {
            continue;
        }
        eval.begin_reference();
        let mut names: Vec<Name> = (0..count).filter_map(|place| eval.injected_name(of, place)).collect();
        names.extend(used_fixtures(unit, def, rules));
        for name in names {
            eval.begin_reference();
            let Some(found) = eval.fixture(of, name) else { continue };
            if let Some(to) = eval.unit(found.file).symbols[found.def.index()] {
                let (to, tier) = (Target::Symbol(to), EdgeTier::Certain);
                rows.push(Derived { from, to, relation: Relation::Calls, tier, of: 1, pos: definition.pos });
            }
        }
    }
    rows
}

/// Fixtures that decorators name (`usefixtures("db")`).
fn used_fixtures(unit: &Unit, def: DefId, rules: &'static Fixtures) -> impl Iterator<Item = Name> {
    let decorators = unit.list(unit.facts.definition(def).decorators).iter();
    let callees = decorators.filter_map(|&decorator| match unit.facts.expr(decorator) {
        Expr::Call { callee, .. } => Some(callee),
        _ => None,
    });
    let callees = callees.filter(|&callee| unit.written_last(callee) == Some(rules.uses));
    let arguments = callees.flat_map(|callee| unit.facts.arguments_of(callee));
    arguments.filter_map(|argument| argument.text).map(|text| unit.name(text))
}

/// An edge that does not correspond to a single reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Derived {
    pub(crate) from: SymbolId,
    pub(crate) to: Target,
    pub(crate) relation: Relation,
    pub(crate) tier: EdgeTier,
    /// Number of candidates; 1 unless `possible`.
    pub(crate) of: u16,
    /// Position of its evidence.
    pub(crate) pos: Pos,
}
