//! Converts search results to nodes.

use m1nd_lang::facts::{DefKind, Namespace, Role};
use smallvec::SmallVec;

use super::Target;
use crate::eval::{Entity, Eval, Found, Module, Outside, Value};
use crate::ids::SymbolId;
use crate::reason::Reason;
use crate::tables::files::DefRef;

/// Members of external packages that a reference targets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Members {
    /// Paths of the targets including their package, in order.
    pub(crate) paths: SmallVec<[String; 1]>,
    /// It may reach something else.
    pub(crate) open: bool,
}

impl Members {
    pub(super) fn add(&mut self, outside: &Outside) {
        self.paths.extend(outside.path());
    }
}

/// Nodes of a target, during collection.
#[derive(Debug, Default)]
pub(super) struct Reached {
    pub(super) targets: Vec<Target>,
    /// Constructors and values of variables.
    pub(super) also: Vec<SymbolId>,
    pub(super) members: Members,
}

impl Reached {
    /// Each once, in order.
    pub(super) fn in_order(mut self) -> Self {
        self.targets.sort();
        self.targets.dedup();
        self.also.sort();
        self.also.dedup();
        self.members.paths.sort();
        self.members.paths.dedup();
        self
    }
}

/// Adds the nodes of an entity; returns a reason if part of it is unknown.
pub(super) fn entity_targets(
    eval: &mut Eval<'_>,
    entity: &Entity,
    found: &Found,
    role: Option<Role>,
    reached: &mut Reached,
) -> Option<Reason> {
    let calls = matches!(role, Some(Role::Call));
    match entity {
        Entity::Def(of) => definition_targets(eval, *of, found, calls, reached),
        Entity::Module(Module::File(file)) => {
            let file = *file;
            if role.is_some() {
                let whole = eval.whole_module_value(file);
                for value in whole {
                    push_value(eval, &value, reached, calls);
                }
            }
            if reached.targets.is_empty() {
                reached.targets.push(Target::Symbol(eval.unit(file).file_symbol));
            }
            None
        }
        // The import is the reference to the module.
        Entity::Module(Module::Files(_)) if role.is_some() => None,
        Entity::Module(Module::Files(files)) => {
            for file in files.iter() {
                reached.targets.push(Target::Symbol(eval.unit(*file).file_symbol));
            }
            None
        }
        Entity::Module(Module::Folder(_)) => None,
        Entity::Local(..) | Entity::Expr(..) if calls || matches!(entity, Entity::Expr(..)) => {
            value_targets(eval, found, reached)
        }
        _ => None,
    }
}

/// Adds the nodes of a definition, and the further targets of calling it.
fn definition_targets(
    eval: &mut Eval<'_>,
    of: DefRef,
    found: &Found,
    calls: bool,
    reached: &mut Reached,
) -> Option<Reason> {
    let unit = eval.unit(of.file);
    let kind = unit.facts.definition(of.def).kind;
    match unit.symbols[of.def.index()] {
        Some(symbol) => reached.targets.push(Target::Symbol(symbol)),
        None if calls => return value_targets(eval, found, reached),
        None => {}
    }
    // What names a type names all its parts.
    for part in eval.other_parts(of) {
        reached.also.extend(eval.unit(part.file).symbols[part.def.index()]);
    }
    let is_value = matches!(kind, DefKind::Variable | DefKind::Constant | DefKind::Field);
    let is_open = kind != DefKind::Constant && unit.rules.variables_are_open;
    if calls && is_value && !is_open {
        // The name belongs to the variable; its value is called as well, if it is unique.
        let mut held = Reached::default();
        let values = eval.value_of(found, Namespace::Value);
        if let (None, [value]) = (values.unknown, values.items.as_slice()) {
            push_value(eval, value, &mut held, true);
        }
        reached.also.extend(held.targets.into_iter().filter_map(|target| match target {
            Target::Symbol(symbol) => Some(symbol),
            Target::External(_) | Target::Member(_) | Target::Config(..) => None,
        }));
        reached.also.extend(held.also);
        reached.members.paths.extend(held.members.paths);
        return None;
    }
    if calls && matches!(kind, DefKind::Class | DefKind::Struct) && !unit.rules.packages_have_functions {
        constructors(eval, of, reached);
    }
    if kind == DefKind::Macro && unit.rules.includes {
        let functions = eval.expand_macro(of);
        reached.also.extend(functions.iter().filter_map(|of| eval.unit(of.file).symbols[of.def.index()]));
    }
    None
}

/// The functions and classes that the value of a local or exported expression is.
fn value_targets(eval: &mut Eval<'_>, found: &Found, reached: &mut Reached) -> Option<Reason> {
    let values = eval.value_of(found, Namespace::Value);
    for value in &values.items {
        push_value(eval, value, reached, true);
    }
    reached.members.open |= values.unknown.is_some() || values.items.len() > 1;
    if reached.targets.is_empty() { None } else { values.unknown }
}

pub(super) fn push_value(eval: &mut Eval<'_>, value: &Value, reached: &mut Reached, calls: bool) {
    if let Value::External(package, _) = value {
        reached.members.add(package);
    }
    if let (Value::Instance(of, _), true) = (value, calls) {
        let called = eval.rules(of.file).call_method.map(|method| eval.method_of(value, method));
        let mut called = called.unwrap_or_default();
        if eval.rules(of.file).includes {
            called = called.into_iter().flat_map(|of| eval.with_definitions(of)).collect();
        }
        for of in called {
            reached.targets.extend(eval.unit(of.file).symbols[of.def.index()].map(Target::Symbol));
        }
    }
    if let Value::Def(of, _) | Value::Bound(of, _) = value
        && let Some(symbol) = eval.unit(of.file).symbols[of.def.index()]
    {
        reached.targets.push(Target::Symbol(symbol));
        if calls && eval.unit(of.file).facts.definition(of.def).kind == DefKind::Class {
            constructors(eval, *of, reached);
        }
    }
}

fn constructors(eval: &mut Eval<'_>, of: DefRef, reached: &mut Reached) {
    let search = eval.constructor(&Value::Def(of, crate::eval::no_args()));
    for found in search.found {
        if let Entity::Def(of) = found.entity
            && let Some(symbol) = eval.unit(of.file).symbols[of.def.index()]
        {
            reached.also.push(symbol);
        }
    }
    for method in eval.rules(of.file).also_constructing {
        for of in eval.method_of_project(of, method) {
            reached.also.extend(eval.unit(of.file).symbols[of.def.index()]);
        }
    }
    if let Some(outside) = eval.outside_constructor(of) {
        reached.members.add(&outside);
    }
}
