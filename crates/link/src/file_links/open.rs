//! Calls whose receiver comes from outside, although the method may be the project's: the receiver is a value of the
//! project that something outside held (a guard, a container, an inferred result), or the project adds methods to the
//! outside type.

use m1nd_lang::facts::{DefKind, Expr, ExprId, Reference};

use crate::eval::{Entity, Eval, Found};
use crate::names::Name;
use crate::project::{DefRef, FileId};
use crate::rules::Overloads;

/// Returns whether a call that leads outside may reach a method of the project. `is_unknown`: something else may be
/// called besides what was found.
pub(super) fn may_come_back(
    eval: &mut Eval<'_>,
    file: FileId,
    reference: &Reference,
    found: &[Found],
    is_unknown: bool,
) -> bool {
    let unit = eval.unit(file);
    let extends_outside = eval.rules(file).fields_apart;
    let is_yielded = |found: &Found| matches!(&found.entity, Entity::External(outside, _) if outside.is_yielded());
    match unit.facts.expr(reference.expr) {
        Expr::Member { name, .. } if is_unknown || found.iter().any(is_yielded) => {
            !methods(eval, file, unit.name(name), reference).is_empty()
        }
        Expr::Member { name, .. } if extends_outside => {
            let methods = methods(eval, file, unit.name(name), reference);
            methods.into_iter().any(|method| eval.extends_outside(method))
        }
        Expr::Path { base, name } if extends_outside => {
            let Some(of) = unit.last_name(base) else { return false };
            let methods = methods(eval, file, unit.name(name), reference);
            methods.into_iter().any(|method| eval.implements_named(method, of))
        }
        _ => false,
    }
}

/// Methods of the project of this name that take the arguments of the call.
fn methods(eval: &mut Eval<'_>, file: FileId, name: Name, call: &Reference) -> Vec<DefRef> {
    let rules = eval.rules(file);
    let is_path = matches!(eval.unit(file).facts.expr(call.expr), Expr::Path { .. });
    let counts = rules.overloads == Overloads::Chosen || rules.fields_apart && !is_path;
    let count = (counts && call.arity != u8::MAX).then_some(usize::from(call.arity));
    let mut methods = eval.methods_named(file, name, usize::MAX).unwrap_or_default();
    methods.retain(|&method| count.is_none_or(|count| eval.takes_arguments(method, count)));
    methods
}

impl Eval<'_> {
    /// Returns whether values of an outside type may have a method: it is written in a block for such a type, or a
    /// trait provides it.
    fn extends_outside(&mut self, method: DefRef) -> bool {
        let Some(owner) = self.owner_of(method) else { return false };
        let unit = self.unit(owner.file);
        let row = unit.facts.definition(owner.def);
        match row.extends_type {
            Some(_) => self.extends(owner).is_none(),
            None => {
                let is_provided = !unit.facts.definition(method.def).flags.is_abstract;
                row.kind == DefKind::Trait && is_provided
            }
        }
    }

    /// Returns whether a method is written in a block that implements something of this name.
    fn implements_named(&mut self, method: DefRef, of: Name) -> bool {
        let Some(owner) = self.owner_of(method) else { return false };
        let unit = self.unit(owner.file);
        let list: &[ExprId] = unit.list(unit.facts.definition(owner.def).implements);
        list.iter().any(|&expr| unit.last_name(expr) == Some(of))
    }

    fn owner_of(&mut self, method: DefRef) -> Option<DefRef> {
        let owner = self.unit(method.file).facts.definition(method.def).owner?;
        Some(DefRef { file: method.file, def: owner })
    }
}
