//! Reads of configuration keys and environment variables by literal name.

use m1nd_base::{EdgeTier, Relation};
use m1nd_lang::facts::{Expr, ExprId, Namespace, Reference, Role};

use crate::derived::Derived;
use crate::eval::{Entity, Eval, Value};
use crate::file_links::{self, Target};
use crate::files::FileId;
use crate::frameworks::is_of;
use crate::frameworks::settings::{Key, Setting, settings};
use crate::languages::linked_family;
use crate::unit::Unit;

/// The keys that a file reads, as edges. The read is certain if the package of the reading function is known.
pub(crate) fn config_reads(eval: &mut Eval<'_>, file: FileId) -> Vec<Derived> {
    let unit = eval.unit(file);
    let rows = settings(linked_family(unit.facts.language));
    let members = rows.iter().any(|row| matches!(row.key, Key::Member(_)));
    let mut found = Vec::new();
    if unit.facts.arguments.is_empty() && !members {
        return found;
    }
    for reference in &unit.facts.references {
        let Some(row) = rows.iter().find(|row| key(unit, reference, row).is_some() && fits(eval, file, reference, row))
        else {
            continue;
        };
        let Some(key) = key(unit, reference, row) else { continue };
        found.push(Derived {
            from: file_links::source(eval, file, reference),
            to: Target::Config(row.store, key.to_owned()),
            relation: Relation::ReadsConfig,
            tier: EdgeTier::Certain,
            of: 1,
            pos: reference.pos,
        });
    }
    found
}

/// The key that a reference reads, by its shape.
fn key<'a>(unit: &'a Unit, reference: &Reference, row: &Setting) -> Option<&'a str> {
    let expr = reference.expr;
    let name = unit.written_last(expr)?;
    let first = || {
        let arguments = unit.facts.arguments_of(expr);
        let first = arguments.iter().find(|argument| argument.name.is_none())?;
        first.text.map(|text| unit.facts.name(text))
    };
    match row.key {
        Key::Argument(names) => names.contains(&name).then(first).flatten(),
        Key::Index(owner, _) if name == owner && reference.role == Role::Read => first(),
        Key::Index(owner, methods) if methods.contains(&name) && reference.role == Role::Call => {
            (base_name(unit, expr)? == owner).then(first).flatten()
        }
        Key::Member(owner) if reference.role == Role::Read => (base_name(unit, expr)? == owner).then_some(name),
        Key::Index(..) | Key::Member(_) => None,
    }
}

fn base_name(unit: &Unit, expr: ExprId) -> Option<&str> {
    match unit.facts.expr(expr) {
        Expr::Member { base, .. } => unit.written_last(base),
        _ => None,
    }
}

/// Returns whether the reading function belongs to the row's package.
fn fits(eval: &mut Eval<'_>, file: FileId, reference: &Reference, row: &Setting) -> bool {
    eval.begin_reference();
    let unit = eval.unit(file);
    if let (Key::Member(_), Expr::Member { base, .. }) = (row.key, unit.facts.expr(reference.expr)) {
        let values = eval.eval(file, base, Namespace::Value);
        return !values.items.is_empty()
            && values
                .items
                .iter()
                .all(|value| matches!(value, Value::External(package, _) if is_of(package, row.package)));
    }
    let search = file_links::search(eval, file, reference.expr, reference.role);
    let of_row = |entity: &Entity| matches!(entity, Entity::External(package, _) if is_of(package, row.package));
    !search.found.is_empty() && search.found.iter().all(|found| of_row(&found.entity))
}
