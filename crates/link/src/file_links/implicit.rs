//! Calls that are not written: operators, constructors, destructors (C++).

use m1nd_lang::facts::{CONSTRUCTOR, DESTRUCTOR, DefKind, Expr, Reference};

use super::{Resolution, WrittenUse, outcome, row};
use crate::eval::{Entity, Eval, Search};
use crate::tables::files::FileId;

/// The resolution of an unwritten call; `None` if the reference is another one. Empty if it calls nothing of the
/// project.
pub(super) fn resolve_implicit<'a>(
    eval: &mut Eval<'a>,
    file: FileId,
    reference: &Reference,
) -> Option<Vec<Resolution<'a>>> {
    let unit = eval.unit(file);
    let Expr::Implicit { name, .. } = unit.facts.expr(reference.expr) else { return None };
    let implied = eval.find_implied(file, reference.expr);
    if implied.search.found.is_empty() && implied.search.unknown.is_none() {
        return Some(Vec::new());
    }
    let name = match (unit.facts.name(name), implied.search.found.first().map(|found| &found.entity)) {
        // A constructor has the name of its class, which is not always written.
        (CONSTRUCTOR | DESTRUCTOR, Some(Entity::Def(of))) => {
            let unit = eval.unit(of.file);
            unit.facts.name(unit.facts.definition(of.def).name)
        }
        (operator, _) => operator,
    };
    let row = row(eval, file, reference, name);
    let inexact = row.inexact || implied.may_be_pointer;
    let resolution = outcome(eval, file, implied.search, WrittenUse { inexact, ..row });
    Some(vec![Resolution { is_implicit: true, ..resolution }])
}

/// Returns whether what looks like a member that is initialised is a base class, whose constructor is called.
pub(super) fn is_base(eval: &mut Eval<'_>, found: &Search) -> bool {
    found.found.iter().any(|found| match found.entity {
        Entity::Def(of) => {
            let kind = eval.unit(of.file).facts.definition(of.def).kind;
            kind == DefKind::Function || kind.is_class_like()
        }
        _ => false,
    })
}
