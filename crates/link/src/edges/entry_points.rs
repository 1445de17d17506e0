//! Entry points: functions and classes of a file that frameworks run, without any call in the project.
//!
//! This module knows no framework: [`crate::frameworks`] lists the decorators and callees that register something.
//! The evaluator determines the package of a decorator or callee; a name alone is not enough.

use m1nd_base::{EdgeTier, Relation};
use m1nd_lang::facts::{DefId, DefKind, Expr, ExprId, ListId, Namespace, Reference, Role};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::edges::derived::Derived;
use crate::eval::{Entity, Eval, Search, Value};
use crate::file_links::{self, Resolution, Target};
use crate::frameworks::{self, Form, HandlerRule, MAKES_HANDLER, What, is_of};
use crate::ids::{self, SymbolId};
use crate::languages::linked_family;
use crate::reason::Reason;
use crate::tables::files::{DefRef, FileId};
use crate::unit::Unit;

/// Handlers taken of one call.
const HANDLERS: usize = 64;

/// Something handed to a framework.
#[derive(Debug, Clone)]
pub(crate) struct Registration {
    pub(crate) what: What,
    pub(crate) edge: Derived,
}

/// The registrations of a file. `resolutions` are those of its references, which show the packages it uses.
pub(crate) fn registrations(eval: &mut Eval<'_>, file: FileId, resolutions: &[Resolution<'_>]) -> Vec<Registration> {
    let unit = eval.unit(file);
    let all = frameworks::rows(linked_family(unit.facts.language));
    // Most files use no framework, so the packages are compared before any call is looked at.
    let packages = packages(resolutions);
    let rows: Vec<&HandlerRule> =
        all.iter().filter(|row| packages.iter().any(|package| is_of(package, row.package))).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let calls = calls(unit, &rows);
    let mut found = Vec::new();
    for reference in unit.facts.references.iter().filter(|row| matches!(row.role, Role::Call | Role::Decorate)) {
        let Some(name) = unit.written_last(reference.expr) else { continue };
        let named: Vec<&HandlerRule> = rows.iter().copied().filter(|row| row.names.contains(&name)).collect();
        if named.is_empty() {
            continue;
        }
        let site = Site {
            decorated: find_decorated(unit, reference),
            args: calls.get(&reference.expr).copied(),
            named: !unit.facts.arguments_of(reference.expr).is_empty(),
        };
        // Neither a decorator nor a call with arguments: it hands nothing over.
        if site == Site::default() {
            continue;
        }
        eval.begin_reference();
        let search = file_links::search(eval, file, reference.expr, reference.role);
        // Rows of several frameworks may have the same name; each target counts once.
        let mut done: FxHashSet<Target> = FxHashSet::default();
        for row in named {
            let Some(tier) = tier(unit, reference.expr, &search, row) else { continue };
            for edge in handed_over(eval, file, reference, site, row, tier) {
                if done.insert(edge.to.clone()) {
                    found.push(Registration { what: row.what, edge });
                }
            }
        }
    }
    found
}

/// Every package outside that a file's imports and references lead to.
fn packages<'a>(resolutions: &'a [Resolution<'a>]) -> FxHashSet<&'a str> {
    let outside = resolutions.iter().filter(|row| row.tier == Some(EdgeTier::External));
    let names = outside.flat_map(|row| &row.targets).filter_map(|target| match target {
        Target::External(package) => Some(package.as_str()),
        Target::Symbol(_) | Target::Member(_) | Target::Config(..) => None,
    });
    names.collect()
}

/// The decorated definition or the call arguments of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Site {
    decorated: Option<DefId>,
    args: Option<ListId>,
    /// Arguments by name are kept of it.
    named: bool,
}

/// The arguments of each call named by a row, by the access path of the callee.
fn calls(unit: &Unit, rows: &[&HandlerRule]) -> FxHashMap<ExprId, ListId> {
    let facts = &unit.facts;
    let calls = facts.exprs.iter().filter_map(|expr| match *expr {
        Expr::Call { callee, args } if !facts.list(args).is_empty() => Some((bare(unit, callee), args)),
        _ => None,
    });
    let is_named =
        |callee: ExprId| unit.written_last(callee).is_some_and(|name| rows.iter().any(|row| row.names.contains(&name)));
    calls.filter(|(callee, _)| is_named(*callee)).collect()
}

/// The definition that a reference decorates, not just a parameter of it: it is in the list of its decorators.
fn find_decorated(unit: &Unit, reference: &Reference) -> Option<DefId> {
    let def = reference.enclosing.filter(|_| reference.role == Role::Decorate)?;
    let mut decorators = unit.list(unit.facts.definition(def).decorators).iter();
    decorators.any(|&decorator| find_called(unit, decorator) == reference.expr).then_some(def)
}

/// The access path of a decorator, with or without arguments.
pub(crate) fn find_called(unit: &Unit, expr: ExprId) -> ExprId {
    match unit.facts.expr(expr) {
        Expr::Call { callee, .. } => bare(unit, callee),
        _ => bare(unit, expr),
    }
}

fn bare(unit: &Unit, expr: ExprId) -> ExprId {
    match unit.facts.expr(expr) {
        Expr::Generic { base, .. } => base,
        _ => expr,
    }
}

/// How sure it is that a decorator or callee of a row's name is the row's: `certain` if the evaluator knows its
/// package, `possible` for a method of a value of which nothing is known, in a file that uses the package.
fn tier(unit: &Unit, expr: ExprId, search: &Search, row: &HandlerRule) -> Option<EdgeTier> {
    if search.found.is_empty() {
        return is_open_method(unit, expr, search).then_some(EdgeTier::Possible);
    }
    tier_of(search, row.package)
}

/// Returns whether a callee is a method of a value of which nothing is known.
pub(crate) fn is_open_method(unit: &Unit, expr: ExprId, search: &Search) -> bool {
    let is_method = matches!(unit.facts.expr(expr), Expr::Member { .. });
    is_method && matches!(search.unknown, Some(Reason::UnknownReceiver | Reason::UnknownBase))
}

/// How sure it is that what was found belongs to a package.
pub(crate) fn tier_of(search: &Search, package: &str) -> Option<EdgeTier> {
    let of_row = |entity: &Entity| matches!(entity, Entity::External(found, _) if is_of(found, package));
    let fitting = search.found.iter().filter(|found| of_row(&found.entity)).count();
    match fitting {
        0 => None,
        _ if fitting == search.found.len() && search.unknown.is_none() => Some(EdgeTier::Certain),
        _ => Some(EdgeTier::Possible),
    }
}

/// The edges of one decorator or call.
fn handed_over(
    eval: &mut Eval<'_>,
    file: FileId,
    reference: &Reference,
    site: Site,
    row: &HandlerRule,
    tier: EdgeTier,
) -> Vec<Derived> {
    let unit = eval.unit(file);
    let edge = |from, to, tier, of| Derived {
        from,
        to: Target::Symbol(to),
        relation: Relation::Registers,
        tier,
        of,
        pos: reference.pos,
    };
    // A decorator registers the definition below it, in the name of what is around.
    if row.form == Form::Decorated {
        let Some(def) = site.decorated else { return Vec::new() };
        let Some(to) = unit.symbols[def.index()] else { return Vec::new() };
        let owner = ids::node_owner(&unit.facts, unit.facts.definition(def));
        let from = owner.and_then(|owner| unit.symbols[owner.index()]).unwrap_or(unit.file_symbol);
        return vec![edge(from, to, tier, 1)];
    }
    if reference.role != Role::Call {
        return Vec::new();
    }
    // A call registers the functions among its arguments.
    let from = match with_default(eval, file, reference) {
        Some(symbol) => symbol,
        None => file_links::source(eval, file, reference),
    };
    let mut edges = Vec::new();
    for arg in list_given(unit, reference.expr, site, row.form) {
        let handlers = handlers(eval, file, arg);
        let of = handlers.symbols.len() as u16;
        let tier = if of == 1 && handlers.exact { tier } else { EdgeTier::Possible };
        edges.extend(handlers.symbols.into_iter().map(|to| edge(from, to, tier, of)));
    }
    edges
}

/// The function in whose parameters a reference occurs. Defaults are evaluated in the enclosing scope, but their
/// dependencies belong to the function.
fn with_default(eval: &mut Eval<'_>, file: FileId, reference: &Reference) -> Option<SymbolId> {
    if !eval.rules(file).defaults_run_outside {
        return None;
    }
    let unit = eval.unit(file);
    let around = unit.facts.definitions.iter().enumerate().rfind(|(_, definition)| {
        definition.kind == DefKind::Function
            && !definition.flags.is_anonymous
            && definition.owner == reference.enclosing
            && definition.pos < reference.pos
            && reference.pos.line <= definition.line_end
    });
    let (index, _) = around?;
    unit.symbols[index]
}

/// The arguments of a call at the positions of a row's handlers.
fn list_given(unit: &Unit, callee: ExprId, site: Site, form: Form) -> Vec<ExprId> {
    let args = site.args.map_or(&[][..], |args| unit.list(args));
    match form {
        Form::Decorated => Vec::new(),
        Form::Argument(place) => flat(unit, args.get(place..=place).unwrap_or_default()),
        Form::From(place) => flat(unit, args.get(place..).unwrap_or_default()),
        Form::Named(name) => {
            let named = unit.facts.arguments_of(callee).iter().filter(|argument| {
                argument.name.is_some_and(|given| name.is_empty() || unit.facts.name(given) == name)
            });
            named.map(|argument| argument.value).collect()
        }
    }
}

/// Arguments, with lists replaced by their items.
fn flat(unit: &Unit, args: &[ExprId]) -> Vec<ExprId> {
    let mut flat = Vec::new();
    for &arg in args {
        let arg = unit.facts.without_label(arg);
        match unit.facts.expr(arg) {
            Expr::Collection { items, .. } => flat.extend_from_slice(unit.list(items)),
            _ => flat.push(arg),
        }
    }
    flat.truncate(HANDLERS);
    flat
}

/// Possible handlers of an argument.
#[derive(Default)]
struct Handlers {
    symbols: Vec<SymbolId>,
    /// It is the argument itself, and it is nothing else.
    exact: bool,
}

/// The functions and classes that an argument may be: named, made of a class (`C.as_view()`), or wrapped in a call.
fn handlers(eval: &mut Eval<'_>, file: FileId, arg: ExprId) -> Handlers {
    let unit = eval.unit(file);
    match unit.facts.expr(arg) {
        Expr::Call { callee, args } => match unit.facts.expr(callee) {
            Expr::Member { base, name } if MAKES_HANDLER.contains(&unit.facts.name(name)) => values(eval, file, base),
            _ => {
                // If a function of the project creates the value, that function is registered, not its parts.
                let made = values(eval, file, arg);
                if made.symbols.is_empty() { list_wrapped(eval, file, unit.list(args)) } else { made }
            }
        },
        Expr::Name { .. } | Expr::Member { .. } | Expr::Path { .. } => {
            let found = values(eval, file, arg);
            if found.symbols.is_empty() { variable(eval, file, arg) } else { found }
        }
        Expr::Definition(_) => values(eval, file, arg),
        _ => Handlers::default(),
    }
}

/// The functions among the arguments of a call that wraps them.
fn list_wrapped(eval: &mut Eval<'_>, file: FileId, args: &[ExprId]) -> Handlers {
    let unit = eval.unit(file);
    let mut symbols = Vec::new();
    for &arg in args {
        if !matches!(unit.facts.expr(arg), Expr::Name { .. } | Expr::Member { .. } | Expr::Path { .. }) {
            continue;
        }
        for value in eval.eval(file, arg, Namespace::Value).items {
            if let Value::Def(of, _) | Value::Bound(of, _) = value
                && eval.unit(of.file).facts.definition(of.def).kind == DefKind::Function
            {
                symbols.extend(handler_symbol(eval, of));
            }
        }
    }
    in_order(eval, &mut symbols);
    Handlers { symbols, exact: false }
}

/// The functions and classes that an expression may be.
fn values(eval: &mut Eval<'_>, file: FileId, expr: ExprId) -> Handlers {
    let values = eval.eval(file, expr, Namespace::Value);
    let mut exact = values.unknown.is_none();
    let mut symbols = Vec::new();
    for value in &values.items {
        let symbol = match value {
            Value::Def(of, _) | Value::Bound(of, _) => handler_symbol(eval, *of),
            _ => None,
        };
        exact &= symbol.is_some();
        symbols.extend(symbol);
    }
    in_order(eval, &mut symbols);
    Handlers { symbols, exact }
}

/// By id text: numbers depend on the order in which files came.
fn in_order(eval: &Eval<'_>, symbols: &mut Vec<SymbolId>) {
    symbols.sort_by(|a, b| eval.project.symbols.text(*a).cmp(eval.project.symbols.text(*b)));
    symbols.dedup();
}

fn handler_symbol(eval: &mut Eval<'_>, of: DefRef) -> Option<SymbolId> {
    let unit = eval.unit(of.file);
    let runs = matches!(unit.facts.definition(of.def).kind, DefKind::Function | DefKind::Class | DefKind::Struct);
    unit.symbols[of.def.index()].filter(|_| runs)
}

/// A variable that holds a function wrapped in a call (`const list = catches(async () => …)`).
fn variable(eval: &mut Eval<'_>, file: FileId, arg: ExprId) -> Handlers {
    let search = eval.resolve(file, arg, Namespace::Value);
    let [found] = search.found.as_slice() else { return Handlers::default() };
    let Entity::Def(of) = found.entity else { return Handlers::default() };
    let unit = eval.unit(of.file);
    let definition = unit.facts.definition(of.def);
    let wraps = unit.list(definition.values).iter().any(|&value| match unit.facts.expr(value) {
        Expr::Call { args, .. } => unit.list(args).iter().any(|&arg| match unit.facts.expr(arg) {
            Expr::Definition(def) => unit.facts.definition(def).kind == DefKind::Function,
            _ => false,
        }),
        _ => false,
    });
    let is_variable = matches!(definition.kind, DefKind::Variable | DefKind::Constant | DefKind::Field);
    let symbol = unit.symbols[of.def.index()].filter(|_| wraps && is_variable);
    Handlers { symbols: symbol.into_iter().collect(), exact: search.unknown.is_none() }
}
