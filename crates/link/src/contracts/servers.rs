//! Routes that a file serves.

use m1nd_base::{EdgeTier, Relation};
use m1nd_lang::facts::{DefKind, Expr, ExprId, Namespace, Role};
use rustc_hash::FxHashSet;

use super::{Contracts, Spot};
use crate::edges::derived::Derived;
use crate::edges::entry_points::{self, Registration};
use crate::eval::{Eval, Value};
use crate::file_links::{self, Target};
use crate::frameworks::{self, Form, What};
use crate::languages::linked_family;
use crate::tables::files::FileId;

/// Callees that name the path of a route whose handlers are given otherwise.
const PATHS: &[(&str, &str)] =
    &[("axum", "route"), ("express", "route"), ("actix_web", "route"), ("github.com/gorilla/mux", "HandleFunc")];

/// Adds the routes that a file serves, and the places among its references that are none of a client.
pub(super) fn serve(
    eval: &mut Eval<'_>,
    file: FileId,
    registrations: &[Registration],
    found: &mut Contracts,
    served: &mut FxHashSet<u32>,
) {
    let unit = eval.unit(file);
    for spot in &unit.spots.routes {
        let Some(tier) = confirm(eval, file, spot) else { continue };
        let reference = &unit.facts.references[spot.reference as usize];
        served.insert(spot.reference);
        found.routes.insert(spot.symbol);
        let places = handler_places(unit, reference.expr, reference.pos);
        let handlers = registrations.iter().filter(|row| row.what == What::Route && places.contains(&row.edge.pos));
        let mut handlers: Vec<(Target, EdgeTier)> = handlers.map(|row| (row.edge.to.clone(), row.edge.tier)).collect();
        handlers.dedup();
        if handlers.is_empty() {
            // The handler has no name: its code belongs to what is around it.
            let around = match reference.role {
                Role::Decorate => reference.enclosing.and_then(|def| unit.symbols[def.index()]),
                _ => None,
            };
            handlers.push((Target::Symbol(around.unwrap_or_else(|| file_links::source(eval, file, reference))), tier));
        }
        for (to, tier) in handlers {
            found.edges.push(Derived { from: spot.symbol, to, relation: Relation::Serves, tier, of: 1, pos: spot.pos });
        }
    }
}

/// Positions at which handlers of a route may be registered: of the call, and of the calls among its arguments.
fn handler_places(unit: &crate::unit::Unit, callee: ExprId, pos: m1nd_base::Pos) -> Vec<m1nd_base::Pos> {
    let mut places = vec![pos];
    let args = arguments(unit, callee);
    for &arg in args {
        let mut next = arg;
        while let Expr::Call { callee, .. } = unit.facts.expr(next) {
            places.extend(unit.facts.references.iter().filter(|row| row.expr == callee).map(|row| row.pos));
            match unit.facts.expr(callee) {
                Expr::Member { base, .. } => next = base,
                _ => break,
            }
        }
    }
    places
}

/// The arguments of the call of a callee.
pub(super) fn arguments(unit: &crate::unit::Unit, of: ExprId) -> &[ExprId] {
    // A call follows its callee closely.
    let rest = unit.facts.exprs[of.index()..].iter();
    let args = rest.filter_map(|expr| match *expr {
        Expr::Call { callee, args } => (callee == of).then_some(args),
        _ => None,
    });
    args.take(1).next().map_or(&[], |args| unit.list(args))
}

/// Returns whether a place serves a route, and how sure that is.
pub(super) fn confirm(eval: &mut Eval<'_>, file: FileId, spot: &Spot) -> Option<EdgeTier> {
    let unit = eval.unit(file);
    let reference = &unit.facts.references[spot.reference as usize];
    let name = unit.facts.last_name(reference.expr)?;
    let is_decorator = reference.role == Role::Decorate;
    let rows = frameworks::rows(linked_family(unit.facts.language));
    let rows = rows.iter().filter(|row| {
        row.what == What::Route && row.names.contains(&name) && (row.form == Form::Decorated) == is_decorator
    });
    let mut packages: Vec<&str> = rows.map(|row| row.package).collect();
    packages.extend(PATHS.iter().filter(|row| row.1 == name && !is_decorator).map(|row| row.0));
    packages.dedup();
    if packages.is_empty() {
        return None;
    }
    eval.begin_reference();
    let search = file_links::search(eval, file, reference.expr, reference.role);
    if search.found.is_empty() {
        let open = entry_points::is_open_method(unit, reference.expr, &search);
        return (open && (is_decorator || has_handler(eval, file, reference.expr))).then_some(EdgeTier::Possible);
    }
    packages.iter().filter_map(|package| entry_points::tier_of(&search, package)).min()
}

/// Returns whether a function is among the arguments of a call.
fn has_handler(eval: &mut Eval<'_>, file: FileId, callee: ExprId) -> bool {
    let unit = eval.unit(file);
    arguments(unit, callee).iter().skip(1).any(|&arg| match unit.facts.expr(arg) {
        Expr::Definition(def) => unit.facts.definition(def).kind == DefKind::Function,
        Expr::Name { .. } | Expr::Member { .. } => {
            let values = eval.eval(file, arg, Namespace::Value);
            values.items.iter().any(|value| match value {
                Value::Def(of, _) | Value::Bound(of, _) => {
                    eval.unit(of.file).facts.definition(of.def).kind == DefKind::Function
                }
                _ => false,
            })
        }
        _ => false,
    })
}
