//! The tier of a reference: what of the found targets is certain, and what is only possible.

use m1nd_base::{EdgeTier, Limits};
use m1nd_lang::facts::{Expr, Reference, Role};

use super::reached::{Reached, entity_targets, push_value};
use super::{MOST_TARGETS, Resolution, Target, WrittenUse};
use crate::eval::{Entity, Eval, Found, Module, Search};
use crate::reason::Reason;
use crate::rules::{Overloads, Yields};
use crate::tables::files::FileId;

/// Package of methods that the project does not define, where nothing says which package does.
const OUTSIDE: &str = "global";

/// Converts the result of a search into targets and a tier.
pub(super) fn outcome<'a>(eval: &mut Eval<'a>, file: FileId, search: Search, row: WrittenUse<'a>) -> Resolution<'a> {
    let rules = eval.rules(file);
    let mut externals = Vec::new();
    let mut reached = Reached::default();
    let mut local = false;
    let Search { found, mut unknown } = search;
    let several = found.iter().any(|found| matches!(found.entity, Entity::Module(Module::Files(_))));
    // Several files that an include may mean do not make a module.
    let is_module = several && !rules.includes;
    for found in &found {
        match &found.entity {
            Entity::External(package, _) => {
                externals.push(package.to_string());
                reached.members.add(package);
            }
            Entity::BuiltinMethod(..) => externals.push(rules.builtin_package.to_owned()),
            entity => {
                let before = reached.targets.len();
                let part = entity_targets(eval, entity, found, row.role, &mut reached);
                local |= reached.targets.len() == before;
                unknown = unknown.or(part);
            }
        }
    }
    let Reached { targets, mut also, mut members } = reached.in_order();
    let several_kinds = found.len() > 1 && !targets.is_empty();
    members.open |= unknown.is_some() || members.paths.len() > 1 || several_kinds;
    externals.sort();
    externals.dedup();
    let (targets, tier, reason) = match (targets.len(), externals.len()) {
        (0, 0) if local && unknown.is_none() => (Vec::new(), None, None),
        (0, 0) => {
            let reason = unknown.unwrap_or(Reason::NameNotFound);
            let among_tokens = row.inexact && reason == Reason::NameNotFound;
            (Vec::new(), None, Some(if among_tokens { Reason::AmongTokens } else { reason }))
        }
        (0, _) => (externals.into_iter().map(Target::External).collect(), Some(EdgeTier::External), None),
        (MOST_TARGETS.., _) => (Vec::new(), None, Some(Reason::TooManyCandidates)),
        (1, 0) if unknown.is_none() && !row.inexact => (targets, Some(EdgeTier::Certain), None),
        (_, 0) if unknown.is_none() && !row.inexact && are_alternatives(eval, file, &found) => {
            (targets, Some(EdgeTier::Certain), None)
        }
        _ => (targets, Some(EdgeTier::Possible), None),
    };
    if tier != Some(EdgeTier::Certain) {
        also.clear();
    }
    Resolution { also, members, reason, is_module, ..Resolution::new(row, targets, tier) }
}

/// Returns whether definitions of one name are those of different builds: in each, the name means one of them.
fn are_alternatives(eval: &mut Eval<'_>, file: FileId, found: &[Found]) -> bool {
    if !eval.rules(file).has_conditional_items {
        return false;
    }
    let mut named = None;
    let mut always = 0;
    for found in found {
        let Entity::Def(of) = found.entity else { return false };
        let definition = eval.unit(of.file).facts.definition(of.def);
        let name = (definition.kind, eval.unit(of.file).name(definition.name));
        if *named.get_or_insert(name) != name {
            return false;
        }
        always += usize::from(!eval.is_conditional(of));
    }
    // What is there in all builds stands beside the others where an attribute of an import tells them apart.
    always <= 1
}

/// Methods of the name anywhere in the project, for a call on a receiver of which nothing is known.
pub(super) fn duck_type(
    eval: &mut Eval<'_>,
    file: FileId,
    reference: &Reference,
    limits: &Limits,
    resolution: &mut Resolution<'_>,
) {
    let unit = eval.unit(file);
    let (Expr::Member { name, .. } | Expr::Path { name, .. }) = unit.facts.expr(reference.expr) else { return };
    let rules = eval.rules(file);
    // Where every method is written by its name, one that nothing of the project has is outside.
    if rules.open_types && reference.role == Role::Call && !eval.is_method_name(unit.name(name)) {
        let is_standard = rules.common_methods.contains(&unit.facts.name(name));
        let package = if is_standard { rules.builtin_package } else { OUTSIDE };
        resolution.targets = vec![Target::External(package.to_owned())];
        (resolution.tier, resolution.reason) = (Some(EdgeTier::External), None);
        return;
    }
    // What a template does with its parameters is done with what is given for them.
    let is_parameter = rules.includes && eval.type_parameter_of(file, reference.expr).is_some();
    let is_named = is_parameter || rules.duck_typing && matches!(unit.facts.expr(reference.expr), Expr::Member { .. });
    if reference.role != Role::Call || !is_named || rules.common_methods.contains(&unit.facts.name(name)) {
        return;
    }
    let methods = match is_parameter {
        true => eval.methods_of_type_parameter(file, reference.expr, limits.link_candidates),
        false => eval.methods_named(file, unit.name(name), limits.link_candidates),
    };
    match methods {
        None => resolution.reason = Some(Reason::TooManyCandidates),
        Some(methods) => {
            let given = (rules.overloads == Overloads::Chosen && reference.arity != u8::MAX)
                .then_some(usize::from(reference.arity));
            for &of in methods.iter() {
                if given.is_some_and(|given| !eval.takes_arguments(of, given)) {
                    continue;
                }
                if let Some(symbol) = eval.unit(of.file).symbols[of.def.index()] {
                    resolution.targets.push(Target::Symbol(symbol));
                }
            }
            resolution.targets.sort();
            resolution.targets.dedup();
            if !resolution.targets.is_empty() {
                resolution.tier = Some(EdgeTier::Possible);
                // Where nothing declares types, a package may be handed values of packages that it does not know.
                let is_open = rules.yields == Yields::Anything && eval.is_method_elsewhere(file, unit.name(name));
                resolution.reason = resolution.reason.filter(|_| is_open);
            }
        }
    }
}

/// Methods of derived classes, for a call on a method's own receiver of a method that only they have.
pub(super) fn of_heirs(
    eval: &mut Eval<'_>,
    file: FileId,
    reference: &Reference,
    limits: &Limits,
    resolution: &mut Resolution<'_>,
) {
    let unit = eval.unit(file);
    let Expr::Member { base, name } = unit.facts.expr(reference.expr) else { return };
    let mut reached = Reached::default();
    for value in eval.of_heirs(file, base, unit.name(name)) {
        push_value(eval, &value, &mut reached, true);
    }
    let mut targets = reached.targets;
    targets.sort();
    targets.dedup();
    if !targets.is_empty() && targets.len() <= limits.link_candidates {
        resolution.targets = targets;
        resolution.tier = Some(EdgeTier::Possible);
        resolution.reason = None;
    }
}
