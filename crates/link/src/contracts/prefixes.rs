//! What stands in front of the path of a route: classes, groups, and the routers that it is mounted in.

use m1nd_lang::facts::{BindingTarget, DefId, Expr, ExprId, Namespace, Role};

use super::Spot;
use super::servers::arguments;
use crate::eval::{Entity, Eval, Module};
use crate::file_links;
use crate::spots::template::Template;
use crate::spots::{CLASS_PREFIXES, GROUPS, MOUNT_WORD, texts_of, value_word, values};
use crate::tables::files::{DefRef, FileId};

/// Routers around a router that are followed.
const MAX_NESTED: usize = 6;
/// Prefixes kept of one route.
const MAX_PREFIXES: usize = 8;
/// Files with mounts that are looked through.
const MAX_MOUNTING: usize = 256;
/// Callees that make something that is mounted elsewhere.
const PARTS: &[&str] = &["APIRouter", "Blueprint", "Router", "Scope", "scope"];
/// Arguments that are prefixes.
const KEYS: &[&str] = &["prefix", "url_prefix"];

/// A router: the variable that holds it, or a local one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Router {
    Def(DefRef),
    Local(FileId, u32),
    /// The one that a module consists of.
    File(FileId),
    /// What calls of a function pass.
    Parameter(DefRef, u32),
}

/// A possible prefix.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Prefix {
    pub(super) path: Template,
    /// There may be more in front.
    pub(super) open: bool,
}

/// What may stand in front of a route.
pub(super) fn prefixes(eval: &mut Eval<'_>, file: FileId, spot: &Spot) -> Vec<Prefix> {
    let unit = eval.unit(file);
    let reference = &unit.facts.references[spot.reference as usize];
    if reference.role == Role::Decorate
        && let Some(owner) = reference.enclosing.and_then(|def| unit.facts.definition(def).owner)
    {
        return vec![Prefix { path: of_class(unit, owner), open: false }];
    }
    let Expr::Member { base, .. } = unit.facts.expr(reference.expr) else {
        // Functions of a package (`path("x", f)`) make lists that other files include.
        return vec![Prefix { path: Template::default(), open: true }];
    };
    of_value(eval, file, base, MAX_NESTED)
}

/// The prefix that decorators of a class have.
fn of_class(unit: &crate::unit::Unit, class: DefId) -> Template {
    let facts = &unit.facts;
    let row = facts.texts.iter().find(|row| {
        let reference = row.reference.and_then(|at| facts.references.get(at as usize));
        reference.is_some_and(|reference| {
            reference.role == Role::Decorate
                && reference.enclosing == Some(class)
                && facts.last_name(reference.expr).is_some_and(|name| CLASS_PREFIXES.contains(&name))
        })
    });
    row.map_or_else(Template::default, |row| Template::parse(&row.text))
}

/// What stands in front of the routes of a router that an expression yields.
fn of_value(eval: &mut Eval<'_>, file: FileId, expr: ExprId, depth: usize) -> Vec<Prefix> {
    let unit = eval.unit(file);
    if depth == 0 {
        return vec![Prefix { path: Template::default(), open: true }];
    }
    if let Expr::Call { callee, .. } = unit.facts.expr(expr) {
        let name = unit.facts.last_name(callee).unwrap_or("");
        let own = given_prefix(eval, file, callee, GROUPS.contains(&name));
        return match unit.facts.expr(callee) {
            // A method of a router: a group of it, or the router itself.
            Expr::Member { base, .. } if !PARTS.contains(&name) => {
                let around = of_value(eval, file, base, depth - 1);
                around.into_iter().map(|prefix| join(&prefix, &own)).collect()
            }
            _ => vec![Prefix { open: own.open || PARTS.contains(&name), ..own }],
        };
    }
    let search = eval.resolve(file, expr, Namespace::Value);
    if matches!(search.found.first().map(|found| &found.entity), Some(Entity::External(..))) {
        // The framework's own table of routes.
        return vec![Prefix::default()];
    }
    let Some(router) = router(eval, file, expr) else {
        return vec![Prefix { path: Template::default(), open: true }];
    };
    of_router(eval, router, depth)
}

fn join(around: &Prefix, own: &Prefix) -> Prefix {
    Prefix { path: around.path.join(&own.path), open: around.open || own.open }
}

/// The prefix among the arguments of a call.
fn given_prefix(eval: &mut Eval<'_>, file: FileId, callee: ExprId, first: bool) -> Prefix {
    let unit = eval.unit(file);
    let Some(at) = unit.facts.references.iter().position(|row| row.expr == callee) else { return Prefix::default() };
    let mut rows = texts_of(&unit.facts, at as u32);
    let row = rows.find(|row| match row.key.as_deref() {
        Some(key) => KEYS.contains(&key),
        None => first && row.place == 0 && row.text.starts_with(['/', '{']),
    });
    row.map_or_else(Prefix::default, |row| resolve_prefix(eval, file, &row.text))
}

/// A prefix as written, with the value of the name that it begins with.
pub(super) fn resolve_prefix(eval: &mut Eval<'_>, file: FileId, text: &str) -> Prefix {
    if let Some((name, rest)) = text.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        return match value_of(eval, file, name) {
            Some(value) => Prefix { path: path_of(&value).join(&Template::parse(rest)), open: false },
            None => Prefix { path: Template::parse(rest), open: true },
        };
    }
    Prefix { path: Template::parse(text), open: false }
}

/// The path of an address, without its host.
pub(super) fn path_of(text: &str) -> Template {
    let path = match text.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]),
        None => text,
    };
    Template::parse(path)
}

/// The text that a name has as its value: in the same file, or the only one that the project has under it.
pub(super) fn value_of(eval: &mut Eval<'_>, file: FileId, name: &str) -> Option<String> {
    let last = name.rsplit('.').next().filter(|last| !last.is_empty())?;
    let own = |unit: &crate::unit::Unit| -> Vec<String> {
        let rows = values(&unit.facts).filter(|(key, _)| *key == last);
        rows.map(|(_, row)| row.text.to_string()).collect()
    };
    let mut found = own(eval.unit(file));
    if found.is_empty() {
        for other in eval.contract(&value_word(last)) {
            found.extend(own(eval.project.unit(other)));
        }
    }
    let mut paths: Vec<(Template, &String)> = found.iter().map(|text| (path_of(text), text)).collect();
    paths.dedup_by(|a, b| a.0 == b.0);
    match paths.as_slice() {
        [(_, text)] if !text.starts_with('{') => Some((*text).clone()),
        _ => None,
    }
}

/// The router that an expression names.
fn router(eval: &mut Eval<'_>, file: FileId, expr: ExprId) -> Option<Router> {
    let (mut file, mut expr) = (file, expr);
    for _ in 0..MAX_NESTED {
        eval.begin_reference();
        let search = eval.resolve(file, expr, Namespace::Value);
        match &search.found.first()?.entity {
            Entity::Def(of) => return Some(Router::Def(*of)),
            Entity::Local(of, binding) => {
                return Some(match eval.unit(*of).facts.bindings[*binding as usize].target {
                    BindingTarget::Parameter(def, place) => Router::Parameter(DefRef { file: *of, def }, place),
                    _ => Router::Local(*of, *binding),
                });
            }
            Entity::Module(Module::File(of)) => return Some(Router::File(*of)),
            Entity::Expr(of, value) if (*of, *value) != (file, expr) => (file, expr) = (*of, *value),
            _ => return None,
        }
    }
    None
}

/// What stands in front of the routes of a router: where it is mounted, and its own prefix.
fn of_router(eval: &mut Eval<'_>, router: Router, depth: usize) -> Vec<Prefix> {
    let (own, is_part) = own_prefix(eval, router, depth);
    let mut found = Vec::new();
    for mounting in eval.contract(MOUNT_WORD).into_iter().take(MAX_MOUNTING) {
        let unit = eval.project.unit(mounting);
        for &at in &unit.spots.mounts {
            let callee = unit.facts.references[at as usize].expr;
            // The router is a parameter: its value comes from the calls of the function that mounts it.
            if let Router::Parameter(function, place) = router {
                if depth > 1
                    && calls(eval, mounting, callee, function)
                    && let Some(&arg) = arguments(unit, callee).get(place as usize)
                {
                    found.extend(of_value(eval, mounting, arg, depth - 1));
                }
                continue;
            }
            let mounts = arguments(unit, callee).iter().any(|&arg| is_router(eval, mounting, arg, router));
            if !mounts {
                continue;
            }
            let given = given_prefix(eval, mounting, callee, true);
            // The router it is mounted on may itself have a prefix.
            let outer = match unit.facts.expr(callee) {
                Expr::Member { base, .. } if depth > 1 => of_value(eval, mounting, base, depth - 1),
                _ => vec![Prefix { path: Template::default(), open: true }],
            };
            found.extend(outer.iter().map(|outer| join(outer, &given)));
        }
    }
    found.truncate(MAX_PREFIXES);
    // A router that nothing mounts serves its routes directly, unless it must be part of another one.
    if found.is_empty() {
        found.push(Prefix { path: Template::default(), open: is_part });
    }
    found.iter().flat_map(|outer| own.iter().map(|own| join(outer, own))).take(MAX_PREFIXES).collect()
}

/// Returns whether a callee is a function.
fn calls(eval: &mut Eval<'_>, file: FileId, callee: ExprId, function: DefRef) -> bool {
    eval.begin_reference();
    let search = file_links::search(eval, file, callee, Role::Call);
    search.found.iter().any(|found| found.entity == Entity::Def(function))
}

/// The prefixes that a router is made with, and whether it is of a kind that is mounted elsewhere.
fn own_prefix(eval: &mut Eval<'_>, router: Router, depth: usize) -> (Vec<Prefix>, bool) {
    let nothing = |open| (vec![Prefix::default()], open);
    let (file, value) = match router {
        Router::Def(of) => {
            let unit = eval.unit(of.file);
            let [value, ..] = unit.list(unit.facts.definition(of.def).values) else { return nothing(true) };
            (of.file, *value)
        }
        Router::Local(file, binding) => match eval.unit(file).facts.bindings[binding as usize].target {
            BindingTarget::Value(value) => (file, value),
            _ => return nothing(true),
        },
        Router::File(_) | Router::Parameter(..) => return nothing(true),
    };
    let unit = eval.unit(file);
    let Expr::Call { callee, .. } = unit.facts.expr(value) else { return nothing(true) };
    let name = unit.facts.last_name(callee).unwrap_or("");
    let is_part = PARTS.contains(&name);
    let own = given_prefix(eval, file, callee, GROUPS.contains(&name));
    match unit.facts.expr(callee) {
        Expr::Member { base, .. } if GROUPS.contains(&name) && depth > 1 => {
            let around = of_value(eval, file, base, depth - 1);
            (around.iter().map(|around| join(around, &own)).collect(), false)
        }
        _ => (vec![own], is_part),
    }
}

/// Returns whether an argument is a router, or the module that holds it.
fn is_router(eval: &mut Eval<'_>, file: FileId, arg: ExprId, wanted: Router) -> bool {
    let unit = eval.unit(file);
    let named = match unit.facts.expr(arg) {
        Expr::Name { .. } | Expr::Member { .. } | Expr::Path { .. } => router(eval, file, arg),
        Expr::Call { .. } => {
            let values = eval.eval(file, arg, Namespace::Value);
            match values.items.first() {
                Some(crate::eval::Value::Module(Module::File(of))) => Some(Router::File(*of)),
                _ => None,
            }
        }
        _ => None,
    };
    match (named, wanted) {
        (Some(Router::File(file)), Router::Def(of)) => of.file == file,
        (Some(named), wanted) => named == wanted,
        (None, _) => false,
    }
}
