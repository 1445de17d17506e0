//! Calls through variables and members, and the declarations of definitions elsewhere (C, C++).

use m1nd_base::{EdgeTier, Limits, Relation};
use m1nd_lang::facts::{DefId, DefKind, Reference, Role};

use super::{Members, Resolution, Target, WrittenUse, outcome, row};
use crate::eval::{Entity, Eval, Search};
use crate::tables::files::{DefRef, FileId};

/// A call through a variable or field that holds functions: the functions it may hold, and a reference to the holder.
/// `None` if it is another reference, or nothing is known to be held.
pub(super) fn resolve_indirect<'a>(
    eval: &mut Eval<'a>,
    file: FileId,
    reference: &Reference,
    found: &Search,
    limits: &Limits,
) -> Option<Vec<Resolution<'a>>> {
    let (call, holders) = call_held(eval, file, reference, found, limits)?;
    if matches!(holders.as_slice(), []) && !found.found.iter().all(|found| matches!(found.entity, Entity::Local(..))) {
        return None;
    }
    let mut rows = vec![call.clone()];
    if let [holder] = holders.as_slice() {
        let targets = symbols(eval, &[*holder]);
        let relation = Relation::References;
        let tier = Some(EdgeTier::Certain);
        rows.push(Resolution { name: "", relation, targets, tier, ..call });
    }
    Some(rows)
}

/// The functions that a call through something may reach, besides what the call names: `possible`, if there are any.
pub(super) fn call_held<'a>(
    eval: &mut Eval<'a>,
    file: FileId,
    reference: &Reference,
    found: &Search,
    limits: &Limits,
) -> Option<(Resolution<'a>, Vec<DefRef>)> {
    if reference.role != Role::Call {
        return None;
    }
    let unit = eval.unit(file);
    let held = eval.find_held(file, reference.expr, found)?;
    if held.functions.is_empty() || held.functions.len() > limits.link_candidates {
        return None;
    }
    let name = unit.last_name(reference.expr).map_or("", |name| eval.project.names.text(name));
    let call = row(eval, file, reference, name);
    let mut targets = symbols(eval, &held.functions);
    targets.sort();
    targets.dedup();
    (!targets.is_empty()).then(|| (Resolution::new(call, targets, Some(EdgeTier::Possible)), held.holders))
}

/// A call that constructs a value of a class: its constructors, and a reference to the class. `None` if it is another
/// call, or the class writes no constructor.
pub(super) fn construct<'a>(
    eval: &mut Eval<'a>,
    file: FileId,
    reference: &Reference,
    found: &Search,
) -> Option<Vec<Resolution<'a>>> {
    if reference.role != Role::Call {
        return None;
    }
    let (constructors, class) = eval.constructed_by(found, reference.arity)?;
    let unit = eval.unit(file);
    let name = unit.last_name(reference.expr).map_or("", |name| eval.project.names.text(name));
    let call = row(eval, file, reference, name);
    let call = outcome(eval, file, constructors, call);
    let class = Resolution {
        name: "",
        relation: Relation::References,
        targets: symbols(eval, &[class]),
        also: Vec::new(),
        members: Members::default(),
        tier: Some(EdgeTier::Certain),
        reason: None,
        ..call.clone()
    };
    Some(vec![call, class])
}

fn symbols(eval: &mut Eval<'_>, of: &[DefRef]) -> Vec<Target> {
    of.iter().filter_map(|of| eval.unit(of.file).symbols[of.def.index()]).map(Target::Symbol).collect()
}

/// Declarations elsewhere of the file's definitions: a definition implements its prototype, a member its declaration
/// in the class. Not counted as references, because nothing is written for them.
pub(super) fn declarations<'a>(eval: &mut Eval<'a>, file: FileId) -> Vec<Resolution<'a>> {
    let unit = eval.unit(file);
    let mut rows = Vec::new();
    for (index, definition) in unit.facts.definitions.iter().enumerate() {
        let (Some(from), DefKind::Function) = (unit.symbols[index], definition.kind) else { continue };
        eval.begin_reference();
        let declared = eval.declarations_of(DefRef { file, def: DefId(index as u32) });
        for target in symbols(eval, &declared) {
            if target != Target::Symbol(from) {
                let relation = Relation::Implements;
                let row = WrittenUse { name: "", role: None, pos: definition.pos, from, relation, inexact: false };
                rows.push(Resolution::new(row, vec![target], Some(EdgeTier::Certain)));
            }
        }
    }
    rows
}
