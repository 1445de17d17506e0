//! Calls that may reach a method of the project besides their targets: the receiver is not known whole; it comes from
//! outside, but is a value of the project that something outside held (a guard, a container, an inferred result); or
//! the project adds methods to the outside type.

use m1nd_lang::facts::{DefKind, Expr, ExprId, Namespace, Reference};

use crate::eval::{Entity, Eval, Found, Value};
use crate::names::Name;
use crate::reason::Reason;
use crate::rules::{Builtin, Overloads, Yields};
use crate::tables::files::{DefRef, FileId, Word};
use crate::unit::Unit;

/// Maximum number of files that define a name which are looked at for what they have under it.
const MAX_FILES: usize = 32;

/// The reason why a call with targets may reach another method of the project, if it may. `unknown`: why something
/// besides what was found may be called.
pub(super) fn may_reach_more(
    eval: &mut Eval<'_>,
    file: FileId,
    call: &Reference,
    found: &[Found],
    unknown: Option<Reason>,
) -> Option<Reason> {
    let unit = eval.unit(file);
    let all_outside =
        found.iter().all(|found| matches!(found.entity, Entity::External(..) | Entity::BuiltinMethod(..)));
    let rules = eval.rules(file);
    let extends_outside = (rules.fields_apart || rules.extension_blocks || !rules.linked) && all_outside;
    let is_open = match unit.facts.expr(call.expr) {
        Expr::Member { name, .. } if unknown.is_some() || found.iter().any(|found| eval.is_indirect(found)) => {
            let name = unit.name(name);
            let is_other = |method| !found.iter().any(|found| found.entity == Entity::Def(method));
            // Where nothing declares types, a package may be handed values of packages that it does not know.
            any_method(eval, file, name, call, |_, method| is_other(method))
                || rules.yields == Yields::Anything && rules.linked && eval.is_method_elsewhere(file, name)
                || all_outside && eval.may_be_of_module(file, name)
        }
        Expr::Member { name, .. } if extends_outside => {
            let name = unit.name(name);
            // Where conversions and extensions of other files are not known, any type may have it.
            let language = unit.facts.language;
            any_method(eval, file, name, call, |eval, method| {
                let is_any = !rules.linked && eval.unit(method.file).facts.language == language;
                is_any || eval.extends_outside(method)
            }) || found.iter().any(|found| eval.is_of_inside(found, name))
        }
        // A member of an outside base, to which a block may have added another of its name.
        Expr::Name { name, .. } if rules.extension_blocks && extends_outside && !found.is_empty() => {
            any_method(eval, file, unit.name(name), call, |eval, method| eval.extends_outside(method))
        }
        Expr::Path { base, name } if extends_outside => {
            let of = unit.last_name(base)?;
            any_method(eval, file, unit.name(name), call, |eval, method| eval.implements_named(method, of))
        }
        _ => false,
    };
    is_open.then_some(if all_outside { Reason::OutsideReceiver } else { unknown? })
}

/// The reason why a member that is read or written and outside of the project may be a field of the project, if it may:
/// outside code yielded what has it.
pub(super) fn may_be_field(
    eval: &mut Eval<'_>,
    file: FileId,
    reference: &Reference,
    found: &[Found],
) -> Option<Reason> {
    let unit = eval.unit(file);
    let Expr::Member { name, .. } = unit.facts.expr(reference.expr) else { return None };
    let is_open =
        found.iter().any(|found| eval.is_indirect(found)) && eval.is_defined(file, unit.name(name), Unit::has_member);
    is_open.then_some(Reason::OutsideReceiver)
}

/// Returns whether `holds` for a method of the project of this name that takes the arguments of the call.
fn any_method<'a>(
    eval: &mut Eval<'a>,
    file: FileId,
    name: Name,
    call: &Reference,
    holds: impl Fn(&mut Eval<'a>, DefRef) -> bool,
) -> bool {
    let rules = eval.rules(file);
    let is_path = matches!(eval.unit(file).facts.expr(call.expr), Expr::Path { .. });
    let counts = rules.overloads == Overloads::Chosen || rules.fields_apart && !is_path;
    let count = (counts && call.arity != u8::MAX).then_some(usize::from(call.arity));
    let methods = eval.methods_named(file, name, usize::MAX);
    methods.is_some_and(|methods| {
        methods
            .iter()
            .any(|&method| count.is_none_or(|count| eval.takes_arguments(method, count)) && holds(eval, method))
    })
}

impl Eval<'_> {
    /// Returns whether a module of the project has a function or class of this name, where modules are values that
    /// outside code may yield.
    fn may_be_of_module(&mut self, file: FileId, name: Name) -> bool {
        self.rules(file).reassigns_functions && self.is_defined(file, name, Unit::has_top_callable)
    }

    /// Returns whether a file of the family of a file has something under a name; `true` if there are too many to look
    /// at.
    fn is_defined(&mut self, file: FileId, name: Name, has: impl Fn(&Unit, Name) -> bool) -> bool {
        self.ask(name);
        let family = self.project.family(file);
        let files = self.defining(Word::of(self.text(name)));
        let mut looked = 0;
        files.into_iter().filter(|&other| self.project.family(other) == family).any(|other| {
            looked += 1;
            looked > MAX_FILES || has(self.unit(other), name)
        })
    }

    /// Returns whether values of an outside type may have a method: it is written in a block for such a type, or a
    /// trait provides it.
    fn extends_outside(&mut self, method: DefRef) -> bool {
        self.ask_definition(method);
        if self.unit(method.file).facts.definition(method.def).extends_type.is_some() {
            return self.extends(method).is_none();
        }
        let Some(owner) = self.owner_of(method) else { return false };
        self.ask_definition(owner);
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

    /// Returns whether what a member outside was taken of leads on to other values: a value that outside code yielded,
    /// or a value of a class that hands on what it does not have.
    fn is_indirect(&mut self, found: &Found) -> bool {
        let Entity::External(outside, _) = &found.entity else { return false };
        if outside.is_yielded() {
            return true;
        }
        let Some(Value::Instance(of, _)) = found.receiver.as_deref() else { return false };
        let deref = self.rules(of.file).deref_method.map(|text| self.project.names.intern(text));
        deref.is_some_and(|name| !self.own_members(*of, name, Namespace::Callee).found.is_empty())
    }

    /// Returns whether what a standard wrapper holds has a method of the name, too: some wrappers hand it out.
    fn is_of_inside(&mut self, found: &Found, name: Name) -> bool {
        let Entity::BuiltinMethod(_, receiver) = &found.entity else { return false };
        let Value::Builtin(Builtin::Wrapper, args) = receiver.as_ref() else { return false };
        let inside = args.first().map(|values| values.items.as_slice()).unwrap_or_default();
        inside.iter().any(|value| {
            let search = self.member(value, name, Namespace::Callee);
            search.found.iter().any(|found| matches!(found.entity, Entity::Def(_)))
        })
    }

    /// Returns whether a method is written in a block that implements something of this name.
    fn implements_named(&mut self, method: DefRef, of: Name) -> bool {
        let Some(owner) = self.owner_of(method) else { return false };
        self.ask_definition(owner);
        let unit = self.unit(owner.file);
        let list: &[ExprId] = unit.list(unit.facts.definition(owner.def).implements);
        list.iter().any(|&expr| unit.last_name(expr) == Some(of))
    }

    fn owner_of(&mut self, method: DefRef) -> Option<DefRef> {
        let owner = self.unit(method.file).facts.definition(method.def).owner?;
        Some(DefRef { file: method.file, def: owner })
    }
}
