//! Procedures of gRPC: their declarations, what implements them, and calls through the stubs of clients.

use m1nd_base::{EdgeTier, Relation};
use m1nd_lang::Language;
use m1nd_lang::facts::{BindingTarget, DefId, DefKind, Expr, ExprId, Namespace, Role, SharedKind};
use rustc_hash::FxHashMap;

use super::Contracts;
use super::common::{self, members, node_of};
use crate::edges::derived::Derived;
use crate::eval::{Entity, Eval, Value, no_args};
use crate::file_links::{self, Target};
use crate::frameworks::rpc::{self, Names};
use crate::ids::SymbolId;
use crate::spots::arguments_of;
use crate::spots::shared::{self, By, SERVICES, base_of};
use crate::tables::files::{DefRef, FileId};
use crate::unit::Unit;

/// Implementations of one service.
const MAX_IMPLEMENTATIONS: usize = 64;
/// Calls of stubs in one file.
const MAX_CALLS: usize = 4_096;
/// Expressions looked at for the type of one stub.
const MAX_LOOKED: usize = 48;
/// Packages of JavaScript whose clients have the name of the service itself.
const DYNAMIC: &[&str] = &["@grpc/grpc-js", "@grpc/proto-loader", "@nestjs/microservices", "grpc"];

/// Adds edges from the procedures that a file declares to what implements them.
pub(super) fn serve(eval: &mut Eval<'_>, file: FileId, found: &mut Contracts) {
    let unit = eval.unit(file);
    if unit.facts.language != Language::Proto {
        return;
    }
    let mut known: FxHashMap<&str, Vec<Implementation>> = FxHashMap::default();
    for row in unit.facts.shared.iter().filter(|row| row.kind == SharedKind::Procedure) {
        let Some((service, method)) = row.name.split_once('/') else { continue };
        if !known.contains_key(service) {
            let all = implementations(eval, file, service);
            known.insert(service, all);
        }
        let mut handlers: Vec<SymbolId> = Vec::new();
        for implementation in &known[service] {
            handlers.extend(implementation.handlers(eval, method));
        }
        handlers.sort_by(|a, b| eval.project.symbols.text(*a).cmp(eval.project.symbols.text(*b)));
        handlers.dedup();
        let from = node_of(unit, row.owner);
        for symbol in handlers {
            let (to, relation, tier) = (Target::Symbol(symbol), Relation::Serves, EdgeTier::Certain);
            found.edges.push(Derived { from, to, relation, tier, of: 1, pos: row.pos });
        }
    }
}

/// Something that implements a service.
struct Implementation {
    names: &'static Names,
    what: What,
    /// Node around the place that hands it over.
    around: SymbolId,
}

enum What {
    /// Values that have the procedures as methods.
    Values(Vec<Value>),
    /// A block with the methods in it.
    Block(DefRef),
    /// One procedure.
    Procedure(String, SymbolId),
}

impl Implementation {
    /// What answers a procedure.
    fn handlers(&self, eval: &mut Eval<'_>, method: &str) -> Vec<SymbolId> {
        let names = (self.names.method)(method);
        match &self.what {
            What::Procedure(name, symbol) => {
                if name == method {
                    vec![*symbol]
                } else {
                    Vec::new()
                }
            }
            What::Block(of) => {
                let unit = eval.project.unit(of.file);
                let rows = unit.facts.definitions.iter().enumerate();
                let own = rows.filter(|(_, row)| row.owner == Some(of.def) && row.kind == DefKind::Function);
                let named = own.filter(|(_, row)| names.iter().any(|name| name == unit.facts.name(row.name)));
                named.filter_map(|(index, _)| unit.symbols[index]).collect()
            }
            What::Values(values) => {
                let mut found = Vec::new();
                for value in values {
                    eval.begin_reference();
                    for of in members(eval, value, &names) {
                        let path = eval.project.path(of.file).as_str();
                        // Generated code only declares the procedures; it does not answer them.
                        if rpc::is_generated(path) {
                            continue;
                        }
                        let unit = eval.project.unit(of.file);
                        // A function without a name is not a node, so the call around it stands for it.
                        let is_own = !unit.facts.definition(of.def).flags.is_anonymous;
                        found.push(unit.symbols[of.def.index()].filter(|_| is_own).unwrap_or(self.around));
                    }
                }
                found
            }
        }
    }
}

/// All that implements a service.
fn implementations(eval: &mut Eval<'_>, home: FileId, service: &str) -> Vec<Implementation> {
    let mut found = Vec::new();
    for file in common::files(eval, home, &shared::implementation(service)) {
        let unit = eval.project.unit(file);
        let Some(names) = rpc::names(unit.facts.language) else { continue };
        if rpc::is_generated(unit.path.as_str()) {
            continue;
        }
        for row in shared::implementations(&unit.facts).into_iter().filter(|row| row.service == service) {
            if found.len() >= MAX_IMPLEMENTATIONS {
                return found;
            }
            found.extend(implementation(eval, file, unit, names, row.by));
        }
    }
    found
}

fn implementation(
    eval: &mut Eval<'_>,
    file: FileId,
    unit: &Unit,
    names: &'static Names,
    by: By,
) -> Option<Implementation> {
    match by {
        By::Definition(index) => {
            let def = DefId(index);
            let of = DefRef { file, def };
            let kind = unit.facts.definition(def).kind;
            let what = if kind == DefKind::Impl {
                What::Block(of)
            } else {
                What::Values(vec![Value::Instance(of, no_args())])
            };
            Some(Implementation { names, what, around: node_of(unit, Some(def)) })
        }
        // A call that registers an object: the values of its arguments answer the procedures.
        By::Call(at) => {
            let reference = &unit.facts.references[at as usize];
            let mut values = Vec::new();
            for &arg in arguments_of(&unit.facts, reference.expr) {
                eval.begin_reference();
                let all = eval.eval(file, arg, Namespace::Value).items;
                values.extend(all.into_iter().filter(|value| matches!(value, Value::Instance(..) | Value::Def(..))));
            }
            let around = node_of(unit, reference.enclosing);
            (!values.is_empty()).then_some(Implementation { names, what: What::Values(values), around })
        }
        // A decorated function answers the procedure that the decorator names, or that has its own name in capitals.
        By::Function(at) => {
            let reference = &unit.facts.references[at as usize];
            let def = reference.enclosing?;
            let symbol = unit.symbols[def.index()]?;
            let texts = shared::decorator_texts(&unit.facts, at);
            let title = || {
                let name = unit.facts.name(unit.facts.definition(def).name);
                name[..1.min(name.len())].to_ascii_uppercase() + name.get(1..).unwrap_or("")
            };
            let name = texts.get(1).map_or_else(title, |name| (*name).to_owned());
            Some(Implementation { names, what: What::Procedure(name, symbol), around: symbol })
        }
    }
}

/// Adds edges from the calls of stubs to the procedures that they call.
pub(super) fn ask(eval: &mut Eval<'_>, file: FileId, found: &mut Contracts) {
    let unit = eval.unit(file);
    let Some(names) = rpc::names(unit.facts.language) else { return };
    if rpc::is_generated(unit.path.as_str()) || !may_call(unit, names) || eval.contract(SERVICES).is_empty() {
        return;
    }
    let services = services(eval, unit, names);
    if services.is_empty() {
        return;
    }
    // Procedures by the names that calls of them may have.
    let mut methods: FxHashMap<String, Vec<(&str, &str)>> = FxHashMap::default();
    for (service, procedures) in &services {
        for procedure in procedures {
            for name in (names.method)(procedure) {
                methods.entry(name).or_default().push((service, procedure));
            }
        }
    }
    let mut calls = 0;
    for reference in unit.facts.references.iter().filter(|row| row.role == Role::Call) {
        let Some((base, name)) = member(unit, reference.expr) else { continue };
        let Some(rows) = methods.get(name) else { continue };
        calls += 1;
        if calls > MAX_CALLS {
            break;
        }
        eval.begin_reference();
        let stubs = stubs(eval, file, base, names);
        let Some((service, method)) = rows.iter().find(|(service, _)| stubs.iter().any(|stub| stub == service)) else {
            continue;
        };
        let Some(to) = procedure(eval, file, service, method) else { continue };
        let from = file_links::source(eval, file, reference);
        let (to, relation, tier) = (Target::Symbol(to), Relation::Requests, EdgeTier::Certain);
        found.edges.push(Derived { from, to, relation, tier, of: 1, pos: reference.pos });
    }
}

fn member(unit: &Unit, expr: ExprId) -> Option<(ExprId, &str)> {
    match unit.facts.expr(expr) {
        Expr::Member { base, name } => Some((base, unit.facts.name(name))),
        _ => None,
    }
}

/// Returns whether a file has a name as generators give to clients.
fn may_call(unit: &Unit, names: &'static Names) -> bool {
    let is_stub = |name: &str| {
        names.inner_stubs.contains(&name)
            || names.stubs.iter().any(|(before, behind)| {
                !behind.is_empty() && name.len() > behind.len() && name.starts_with(before) && name.ends_with(behind)
            })
    };
    unit.facts.names.iter().any(is_stub) || is_dynamic(unit)
}

/// Returns whether clients of a file may have the name of the service itself.
fn is_dynamic(unit: &Unit) -> bool {
    unit.facts.language.family() == Language::JavaScript
        && DYNAMIC.iter().any(|package| crate::spots::points::imports(&unit.facts, package))
}

/// The services that names of a file may be clients of, with their procedures.
fn services(eval: &mut Eval<'_>, unit: &Unit, names: &'static Names) -> Vec<(String, Vec<String>)> {
    let dynamic = is_dynamic(unit);
    let mut candidates: Vec<&str> = Vec::new();
    // A cheap first pass over all names of the file; the contracts decide which of the candidates exist.
    for name in unit.facts.names.iter() {
        let patterns = rpc::services(names.stubs, name).filter(|service| dynamic || service.len() < name.len());
        candidates.extend(patterns);
        if !names.inner_stubs.is_empty() && name.starts_with(|c: char| c.is_ascii_uppercase()) {
            candidates.push(name);
        }
    }
    candidates.sort_unstable();
    candidates.dedup();
    let mut found = Vec::new();
    for service in candidates {
        let mut procedures: Vec<String> = Vec::new();
        // A service counts if some contract lists procedures of it.
        for file in eval.contract(&shared::service(service)) {
            for row in eval.project.unit(file).facts.shared.iter().filter(|row| row.kind == SharedKind::Procedure) {
                if let Some((own, method)) = row.name.split_once('/')
                    && own == service
                {
                    procedures.push(method.to_owned());
                }
            }
        }
        procedures.sort_unstable();
        procedures.dedup();
        if !procedures.is_empty() {
            found.push((service.to_owned(), procedures));
        }
    }
    found
}

/// The declaration of a procedure.
fn procedure(eval: &mut Eval<'_>, home: FileId, service: &str, method: &str) -> Option<SymbolId> {
    let full = format!("{service}/{method}");
    let mut copies = Vec::new();
    for file in eval.contract(&shared::service(service)) {
        let unit = eval.project.unit(file);
        let mut rows = unit.facts.shared.iter().filter(|row| row.kind == SharedKind::Procedure);
        copies
            .extend(rows.find(|row| *row.name == *full).map(|row| (file, (row.of.clone(), node_of(unit, row.owner)))));
    }
    // Two services of one name in different packages are not told apart by the names of their stubs.
    let first = copies.first().map(|(_, (package, _))| package.clone())?;
    if copies.iter().any(|(_, (package, _))| *package != first) {
        common::nearest(eval, home, &mut copies);
        let first = copies.first().map(|(_, (package, _))| package.clone())?;
        if copies.iter().any(|(_, (package, _))| *package != first) {
            return None;
        }
    }
    common::own_copy(eval, home, copies).map(|(_, (_, symbol))| symbol)
}

/// The services of which an expression may be a client.
fn stubs(eval: &mut Eval<'_>, file: FileId, expr: ExprId, names: &'static Names) -> Vec<String> {
    let mut found = Vec::new();
    let mut work = vec![(file, expr)];
    let mut seen: Vec<(FileId, ExprId)> = Vec::new();
    while let Some((file, expr)) = work.pop() {
        if seen.len() >= MAX_LOOKED || seen.contains(&(file, expr)) {
            continue;
        }
        seen.push((file, expr));
        let unit = eval.unit(file);
        match unit.facts.expr(expr) {
            Expr::Call { callee, .. } => {
                collect_named(unit, callee, names, &mut found);
                // Methods of stubs that yield stubs, and what a wrapper is given.
                if let Expr::Member { base, .. } | Expr::Path { base, .. } = unit.facts.expr(callee) {
                    work.push((file, base));
                } else if let Expr::Name { .. } = unit.facts.expr(callee) {
                    work.push((file, callee));
                }
            }
            Expr::Unwrap { base } | Expr::Instance { of: base } | Expr::Enter { base } => work.push((file, base)),
            Expr::Generic { base, args } => {
                collect_named(unit, base, names, &mut found);
                work.extend(unit.list(args).iter().map(|arg| (file, *arg)));
            }
            Expr::Union(items) => work.extend(unit.list(items).iter().map(|item| (file, *item))),
            Expr::Name { .. } | Expr::Member { .. } | Expr::Path { .. } => {
                collect_named(unit, expr, names, &mut found);
                if found.is_empty() {
                    lead(eval, file, expr, &mut work, names, &mut found);
                }
            }
            _ => {}
        }
        if !found.is_empty() {
            break;
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What a name leads to: the values and types of what it names.
fn lead(
    eval: &mut Eval<'_>,
    file: FileId,
    expr: ExprId,
    work: &mut Vec<(FileId, ExprId)>,
    names: &'static Names,
    found: &mut Vec<String>,
) {
    // First what is written: names of classes, declared types and assigned values.
    let search = eval.resolve(file, expr, Namespace::Value);
    for row in &search.found {
        match &row.entity {
            Entity::Def(of) => {
                let unit = eval.unit(of.file);
                let definition = unit.facts.definition(of.def);
                if definition.kind.is_class_like() {
                    found.extend(rpc::services(names.stubs, unit.facts.name(definition.name)).map(str::to_owned));
                }
                work.extend(definition.declared.map(|declared| (of.file, declared)));
                work.extend(unit.list(definition.values).iter().map(|value| (of.file, *value)));
            }
            Entity::Local(of, binding) => {
                let unit = eval.unit(*of);
                match unit.facts.bindings[*binding as usize].target {
                    BindingTarget::Value(value) | BindingTarget::Typed(value) => work.push((*of, value)),
                    BindingTarget::Parameter(def, place) => {
                        let parameter = unit.facts.parameters(def).get(place as usize);
                        work.extend(parameter.and_then(|row| row.declared).map(|declared| (*of, declared)));
                    }
                    _ => {}
                }
            }
            Entity::Expr(of, value) => work.push((*of, *value)),
            _ => {}
        }
    }
    if !work.is_empty() || !found.is_empty() {
        return;
    }
    // Nothing is written: the type of the value may name the service.
    for value in eval.eval(file, expr, Namespace::Value).items {
        match value {
            Value::Instance(of, _) => {
                let unit = eval.unit(of.file);
                let name = unit.facts.name(unit.facts.definition(of.def).name);
                found.extend(rpc::services(names.stubs, name).map(str::to_owned));
            }
            Value::External(outside, name) => {
                let name = name.map(|name| eval.text(name).to_owned()).or_else(|| outside.last_name());
                found.extend(name.iter().flat_map(|name| rpc::services(names.stubs, name)).map(str::to_owned));
            }
            _ => {}
        }
    }
}

/// The services that the names of an access path say.
fn collect_named(unit: &Unit, expr: ExprId, names: &'static Names, found: &mut Vec<String>) {
    let facts = &unit.facts;
    let Some(name) = facts.last_name(expr) else { return };
    let before = base_of(facts, expr).and_then(|base| facts.last_name(base));
    if names.inner_stubs.contains(&name) {
        found.extend(before.map(str::to_owned));
        return;
    }
    let dynamic = is_dynamic(unit);
    let of = |name: &str| -> Vec<String> {
        let rows = rpc::services(names.stubs, name).filter(|service| dynamic || service.len() < name.len());
        rows.map(str::to_owned).collect()
    };
    found.extend(of(name));
    // `CartGrpc.newBlockingStub(…)`, `CartClient::connect(…)`.
    if found.is_empty() && matches!(facts.language.family(), Language::Java | Language::Rust) {
        found.extend(before.map(of).unwrap_or_default());
    }
}
