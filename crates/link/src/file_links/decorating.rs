//! Decorations that are calls.

use m1nd_lang::facts::{DefKind, Reference, Role};

use crate::eval::{Entity, Eval, Found};
use crate::tables::files::FileId;

/// Returns whether a definition can be run by decorating with it.
pub(crate) fn is_run(eval: &mut Eval<'_>, found: &Found) -> bool {
    match found.entity {
        Entity::Def(of) => {
            eval.ask_definition(of);
            let kind = eval.unit(of.file).facts.definition(of.def).kind;
            match kind {
                DefKind::Function => true,
                DefKind::Class | DefKind::Variable | DefKind::Constant | DefKind::Field => {
                    !eval.rules(of.file).fields_apart
                }
                _ => false,
            }
        }
        Entity::Local(..) | Entity::Expr(..) => true,
        _ => false,
    }
}

/// Returns whether decorating with a reference is a call.
pub(crate) fn is_call(eval: &Eval<'_>, file: FileId, reference: &Reference) -> bool {
    reference.role == Role::Decorate && eval.rules(file).decorations_call
}
