//! Calls that have a function run later: `send.delay(x)` of a task of Celery runs `send`.

use m1nd_base::EdgeTier;
use m1nd_lang::facts::{DefKind, Expr, Namespace, Reference, Role};

use super::{Resolution, Target};
use crate::eval::{Entity, Eval};
use crate::tables::files::FileId;

/// The tasks that a call of a method of a package has run, besides that method.
pub(super) fn call_task<'a>(
    eval: &mut Eval<'a>,
    file: FileId,
    reference: &Reference,
    rows: &[Resolution<'a>],
) -> Option<Resolution<'a>> {
    let deferred = eval.rules(file).deferred_calls;
    if deferred.is_empty() || reference.role != Role::Call {
        return None;
    }
    let unit = eval.unit(file);
    let Expr::Member { base, name } = unit.facts.expr(reference.expr) else { return None };
    let name = unit.facts.name(name);
    let (package, _) = deferred.iter().find(|(_, methods)| methods.contains(&name))?;
    let is_of_package = |target: &Target| matches!(target, Target::External(of) if of == package);
    let row = rows.iter().find(|row| row.targets.iter().any(is_of_package))?;
    let mut targets = Vec::new();
    for found in eval.resolve(file, base, Namespace::Value).found {
        let Entity::Def(of) = found.entity else { continue };
        eval.ask_definition(of);
        let unit = eval.unit(of.file);
        if unit.facts.definition(of.def).kind == DefKind::Function {
            targets.extend(unit.symbols[of.def.index()].map(Target::Symbol));
        }
    }
    targets.sort();
    targets.dedup();
    let tier = Some(EdgeTier::Possible);
    let members = super::Members::default();
    let besides = Resolution { reason: None, dispatches: false, members, targets, tier, ..row.clone() };
    (!besides.targets.is_empty()).then_some(besides)
}
