//! Reads of configuration keys and environment variables by literal name.

use m1nd_base::{EdgeTier, Relation};
use m1nd_lang::facts::{Expr, ExprId, Namespace, Reference, Role};

use crate::edges::derived::Derived;
use crate::eval::{Entity, Eval, Value};
use crate::file_links::{self, Target};
use crate::frameworks::is_of;
use crate::frameworks::settings::{Key, Setting, settings};
use crate::languages::linked_family;
use crate::spots::shared;
use crate::tables::files::FileId;
use crate::unit::Unit;

/// The keys that a file reads, as edges. The read is certain if the package of the reading function is known.
pub(crate) fn config_reads(eval: &mut Eval<'_>, file: FileId) -> Vec<Derived> {
    let unit = eval.unit(file);
    let rows = settings(linked_family(unit.facts.language));
    let mut found = given_reads(eval, file, rows);
    let members = rows.iter().any(|row| matches!(row.key, Key::Member(_)));
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

/// The keys that a file gives to functions of the project that read them.
fn given_reads(eval: &mut Eval<'_>, file: FileId, rows: &'static [Setting]) -> Vec<Derived> {
    let unit = eval.unit(file);
    let mut found = Vec::new();
    for text in &unit.facts.texts {
        // A text that could be the name of a variable, given to a call.
        let Some(at) = text.reference.filter(|_| text.key.is_none() && is_variable(&text.text)) else { continue };
        let reference = &unit.facts.references[at as usize];
        let Some(name) = unit.facts.last_name(reference.expr).filter(|_| reference.role == Role::Call) else {
            continue;
        };
        // Cheap first: only names that some file declares as readers are evaluated.
        let files = eval.contract(&shared::reader(name));
        if files.is_empty() {
            continue;
        }
        eval.begin_reference();
        let search = file_links::search(eval, file, reference.expr, reference.role);
        let [crate::eval::Found { entity: Entity::Def(of), .. }] = search.found.as_slice() else { continue };
        let of = *of;
        if !files.contains(&of.file) {
            continue;
        }
        // The function called has to pass this parameter on to something that reads a setting.
        let reads = shared::readers(&eval.project.unit(of.file).facts);
        let read = reads.iter().find(|row| row.function == of.def && row.parameter == text.place);
        let Some(read) = read else { continue };
        let inner = eval.project.unit(of.file);
        let reference_inside = &inner.facts.references[read.reference as usize];
        let name = inner.written_last(reference_inside.expr);
        let row = rows
            .iter()
            .find(|row| matches!(row.key, Key::Argument(names) if name.is_some_and(|name| names.contains(&name))));
        let Some(row) = row.filter(|row| fits(eval, of.file, reference_inside, row)) else { continue };
        found.push(Derived {
            from: file_links::source(eval, file, reference),
            to: Target::Config(row.store, text.text.to_string()),
            relation: Relation::ReadsConfig,
            tier: EdgeTier::Certain,
            of: 1,
            pos: text.pos,
        });
    }
    found
}

/// Returns whether a text is written like the name of an environment variable.
fn is_variable(text: &str) -> bool {
    text.contains('_')
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
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
