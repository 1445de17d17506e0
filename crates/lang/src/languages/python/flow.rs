//! Values of names in straight-line code: the last assignment.
//!
//! The top-level statements of a function or file run in sequence. If one of them assigns a name, and no condition,
//! loop or inner function intervenes, a later read among them sees exactly that value. Whether this is more precise
//! than the name itself is only known when the whole scope has been read: a name that is assigned once stays a name.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::state::{Extractor, FrameKind};
use crate::facts::{BindingTarget, Expr, ExprId, NameId, Reference, Role, ScopeId, ScopeKind};

/// A read of a name whose last assignment is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeldRead {
    /// The name, as an expression of its own.
    expr: ExprId,
    scope: ScopeId,
    name: NameId,
    value: ExprId,
}

/// Values of the names in straight-line code.
#[derive(Debug, Default)]
pub(super) struct Held {
    values: FxHashMap<(ScopeId, NameId), ExprId>,
    /// Names as expressions since they were assigned.
    exprs: FxHashMap<(ScopeId, NameId), ExprId>,
    reads: Vec<HeldRead>,
    /// Names whose values are changed from other places.
    pub(super) changed: FxHashSet<NameId>,
    /// Calls of variables that are definitions, with the read.
    calls: Vec<(usize, Reference)>,
}

impl Held {
    /// The value of a name was modified in place.
    pub(super) fn forget_value(&mut self, scope: ScopeId, name: NameId, value: Option<ExprId>) {
        let key = (scope, name);
        self.exprs.remove(&key);
        match value.filter(|_| self.values.contains_key(&key)) {
            Some(value) => self.values.insert(key, value),
            None => self.values.remove(&key),
        };
    }
}

impl Extractor<'_> {
    /// Returns whether the present statement runs whenever the code of its function or file does, and in order.
    fn is_straight(&self) -> bool {
        match self.frames.last() {
            None => self.conditional == 0,
            Some(frame) => frame.kind == FrameKind::Function && frame.level == self.conditional,
        }
    }

    /// Records the value of a name from here on; `None` if it is unknown.
    pub(super) fn hold(&mut self, own: ScopeId, name: NameId, value: Option<ExprId>) {
        let scope = self.target_scope(own, name);
        let key = (scope, name);
        self.held.exprs.remove(&key);
        let is_kept = matches!(self.scope_kind(scope), ScopeKind::File | ScopeKind::Function);
        let unknown = self.b.unknown();
        match value.filter(|value| *value != unknown && is_kept && scope == own && self.is_straight()) {
            Some(value) => self.held.values.insert(key, value),
            None => self.held.values.remove(&key),
        };
    }

    /// The name as read here, if its last assignment is known. A call has an expression of its own.
    pub(super) fn held_expr(&mut self, name: NameId, role: Role) -> Option<ExprId> {
        let scope = self.scope();
        let key = (scope, name);
        let value = *self.held.values.get(&key)?;
        if !matches!(role, Role::Read | Role::Call | Role::Decorate) || self.in_type() || !self.is_straight() {
            return None;
        }
        let known = self.held.exprs.get(&key).copied().filter(|_| role != Role::Call);
        if let Some(known) = known {
            return Some(known);
        }
        let expr = self.b.expr(Expr::Name { name, scope });
        if expr == self.b.unknown() {
            return None;
        }
        self.held.reads.push(HeldRead { expr, scope, name, value });
        if role != Role::Call {
            self.held.exprs.insert(key, expr);
        }
        Some(expr)
    }

    /// A variable of the file is called, or used as a decorator: the variable is one target, its value another.
    /// `held` is the read of it, `expr` the expression of both that has no reference yet.
    pub(super) fn held_call(&mut self, held: ExprId, expr: ExprId, at: Node<'_>, arity: u8) {
        let Some(read) = self.held.reads.iter().rposition(|read| read.expr == held) else { return };
        let pos = self.pos(at);
        let enclosing = self.context().enclosing;
        let reference = Reference { expr, role: Role::Call, inexact: false, arity, pos, enclosing };
        self.held.calls.push((read, reference));
    }

    /// Resolves reads of names with several assignments to the last one.
    pub(super) fn apply_held(&mut self) {
        let held = std::mem::take(&mut self.held);
        if held.reads.is_empty() {
            return;
        }
        // How often each name is bound, if only to values.
        let mut bindings: FxHashMap<(ScopeId, NameId), Option<usize>> = FxHashMap::default();
        for binding in &self.b.facts().bindings {
            let entry = bindings.entry((binding.scope, binding.name)).or_insert(Some(0));
            let is_variable = match binding.target {
                BindingTarget::Value(_) | BindingTarget::Opaque | BindingTarget::Parameter(..) => true,
                BindingTarget::Definition(_) => self.variables.contains_key(&(binding.scope, binding.name)),
                _ => false,
            };
            *entry = entry.filter(|_| is_variable).map(|count| count + 1);
        }
        // Names that other functions change may hold any of their values.
        let mut elsewhere = held.changed;
        elsewhere.extend(self.outer.keys().map(|(_, name)| *name));
        let mut applied = vec![false; held.reads.len()];
        for (place, read) in held.reads.iter().enumerate() {
            let key = (read.scope, read.name);
            let several = match (self.variables.get(&key), bindings.get(&key)) {
                (Some(variable), Some(Some(1))) => {
                    variable.values.len() > 1 && self.b.facts().definition(variable.definition).declared.is_none()
                }
                (None, Some(Some(count))) => *count > 1,
                _ => false,
            };
            if !several || elsewhere.contains(&read.name) {
                continue;
            }
            let values = self.b.list(&[read.value]);
            self.b.facts_mut().exprs[read.expr.index()] = Expr::Union(values);
            applied[place] = true;
        }
        // A call of one known value is worth a reference of its own.
        for (read, reference) in held.calls {
            if applied[read] {
                self.b.reference(reference);
            }
        }
    }
}
