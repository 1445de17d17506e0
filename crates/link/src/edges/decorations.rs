//! What decorating does: a call of the decorator, which may keep what it decorates and run it later.

use m1nd_base::{EdgeTier, Pos, Relation};
use m1nd_lang::facts::{DefId, DefKind, Expr, ExprId, Namespace, Role};
use rustc_hash::FxHashMap;

use crate::edges::derived::Derived;
use crate::edges::entry_points::find_called;
use crate::eval::{Entity, Eval, Found, Value};
use crate::file_links::{self, Target};
use crate::frameworks::is_of;
use crate::ids;
use crate::tables::files::{DefRef, FileId};
use crate::unit::Unit;

/// The definitions of a file that a decorator, annotation or attribute may keep, as edges from what is around them:
/// whoever keeps one runs it without naming it.
pub(crate) fn list_kept(eval: &mut Eval<'_>, file: FileId) -> Vec<Derived> {
    let unit = eval.unit(file);
    let is_decorated = |definition: &&m1nd_lang::facts::Definition| !unit.list(definition.decorators).is_empty();
    if !unit.facts.definitions.iter().any(|definition| is_decorated(&definition)) {
        return Vec::new();
    }
    let places = places(unit);
    let derives = eval.rules(file).derived_methods;
    let mut rows = Vec::new();
    for (index, definition) in unit.facts.definitions.iter().enumerate() {
        // Where types are only derived for, an attribute of one does not keep it.
        let is_type = definition.kind.is_class_like() && derives.is_empty();
        let runs = definition.kind == DefKind::Function || is_type;
        let Some(to) = unit.symbols[index].filter(|_| runs && !definition.flags.is_test) else { continue };
        let owner = ids::node_owner(&unit.facts, definition).and_then(|owner| unit.symbols[owner.index()]);
        let def = DefId(index as u32);
        for &decorator in unit.list(definition.decorators) {
            eval.begin_reference();
            if !keeps(eval, file, decorator) {
                continue;
            }
            let path = find_called(unit, decorator);
            let pos = places.get(&(def, path)).copied().unwrap_or(definition.pos);
            let (from, to) = (owner.unwrap_or(unit.file_symbol), Target::Symbol(to));
            rows.push(Derived { from, to, relation: Relation::Registers, tier: EdgeTier::Possible, of: 1, pos });
        }
    }
    rows
}

/// Where each decorator of each definition is written.
fn places(unit: &Unit) -> FxHashMap<(DefId, ExprId), Pos> {
    let decorators = unit.facts.references.iter().filter(|reference| reference.role == Role::Decorate);
    decorators.filter_map(|reference| Some(((reference.enclosing?, reference.expr), reference.pos))).collect()
}

/// Returns whether a decorator may keep what it decorates.
fn keeps(eval: &mut Eval<'_>, file: FileId, decorator: ExprId) -> bool {
    let unit = eval.unit(file);
    let path = find_called(unit, decorator);
    let rules = eval.rules(file);
    let written = unit.written_last(path).unwrap_or("");
    if rules.plain_decorators.iter().any(|(package, names)| package.is_empty() && names.contains(&written)) {
        return false;
    }
    let search = file_links::search(eval, file, path, Role::Decorate);
    if search.found.is_empty() || search.unknown.is_some() {
        return true;
    }
    let is_called = matches!(unit.facts.expr(decorator), Expr::Call { .. });
    search.found.iter().any(|found| match &found.entity {
        Entity::External(outside, name) => {
            let last = outside.last_name().or_else(|| name.map(|name| eval.text(name).to_owned()));
            let last = last.as_deref().unwrap_or(written);
            let is_row = |(package, names): &(&str, &[&str])| is_of(outside, package) && names.contains(&last);
            !rules.plain_decorators.iter().any(is_row)
        }
        _ if !rules.decorations_call || rules.fields_apart => true,
        _ => !releases(eval, found, is_called),
    })
}

/// Returns whether a decorator of the project only wraps what it decorates. `is_called`: it is what the function found
/// returns.
fn releases(eval: &mut Eval<'_>, found: &Found, is_called: bool) -> bool {
    let mut decorators = eval.value_of(found, Namespace::Value);
    if is_called {
        let mut results = crate::eval::Values { unknown: decorators.unknown, ..Default::default() };
        for value in &decorators.items {
            let (Value::Def(of, _) | Value::Bound(of, _)) = value else { return false };
            eval.ask_definition(*of);
            let unit = eval.unit(of.file);
            if unit.facts.definition(of.def).kind != DefKind::Function {
                return false;
            }
            for &result in unit.list(unit.facts.definition(of.def).values) {
                results.add(eval.eval(of.file, result, Namespace::Value));
            }
        }
        decorators = results;
    }
    decorators.unknown.is_none()
        && !decorators.items.is_empty()
        && decorators.items.iter().all(|value| match value {
            Value::Def(of, _) | Value::Bound(of, _) => releases_first(eval, *of),
            _ => false,
        })
}

fn releases_first(eval: &mut Eval<'_>, of: DefRef) -> bool {
    eval.ask_definition(of);
    eval.unit(of.file).facts.definition(of.def).flags.releases_first
}
