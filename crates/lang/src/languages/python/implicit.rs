//! Calls of what an expression yields, calls that the language makes unwritten, and elements under constant keys.

use tree_sitter::Node;

use super::state::{Extractor, FIELDS, KindName, MAX_ITEMS};
use crate::facts::{BindingTarget, Collection, Expr, ExprId, NameId, Namespace, Reference, Role, ScopeId, ScopeKind};
use crate::walk::Step;

/// Bytes of a key that is kept; a longer one counts as not constant.
const MAX_KEY: usize = 64;

impl Extractor<'_> {
    /// The text that stands for a constant key: digits, or a plain string in double quotes.
    pub(super) fn constant_key(&mut self, node: Option<Node<'_>>) -> Option<NameId> {
        let node = node?;
        let text = self.source.text(node);
        if text.len() > MAX_KEY {
            return None;
        }
        match node.kind_name() {
            "integer" if text.bytes().all(|byte| byte.is_ascii_digit()) => Some(self.b.name(text)),
            "string" if text.starts_with(['"', '\'']) && !text.contains('\\') && !text.starts_with("\"\"\"") => {
                let inside = text.get(1..text.len().checked_sub(1)?)?;
                Some(self.b.name(&format!("\"{inside}\"")))
            }
            _ => None,
        }
    }

    /// A map written in place. What is spread into it may replace the elements before.
    pub(super) fn dictionary(&mut self, node: Node<'_>) -> ExprId {
        let mut cursor = node.walk();
        let children = node.named_children(&mut cursor).filter(|child| child.kind_name() != "comment").take(MAX_ITEMS);
        let children: Vec<Node<'_>> = children.collect();
        let last_spread = children.iter().rposition(|child| child.kind_name() != "pair");
        let mut items = Vec::with_capacity(children.len());
        for (index, pair) in children.into_iter().enumerate() {
            let value = self.expr_of(pair.child_by_field_id(FIELDS.value));
            let key = pair.child_by_field_id(FIELDS.key).filter(|_| last_spread.is_none_or(|last| index > last));
            let is_plain = matches!(self.b.facts().expr(value), Expr::Literal(_) | Expr::Unknown);
            let key = if is_plain { None } else { self.constant_key(key) };
            items.push(match key {
                Some(name) => self.b.expr(Expr::Entry { name, value }),
                None => value,
            });
        }
        let items = self.b.list(&items);
        self.b.expr(Expr::Collection { kind: Collection::Map, items })
    }

    fn by_value(&mut self, expr: ExprId, arity: u8, at: Node<'_>) {
        let pos = self.pos(at);
        let enclosing = self.context().enclosing;
        self.b.reference(Reference { expr, role: Role::Call, inexact: false, arity, pos, enclosing });
    }

    /// `f()()`, `handlers["k"]()`: a call without a name of its own.
    pub(super) fn call_of_value(&mut self, call: Node<'_>) {
        let Some(mut function) = call.child_by_field_id(FIELDS.function) else { return };
        while function.kind_name() == "parenthesized_expression" {
            let Some(inner) = function.named_child(0) else { return };
            function = inner;
        }
        let Some(arguments) = call.child_by_field_id(FIELDS.arguments) else { return };
        if self.in_type() || !matches!(function.kind_name(), "call" | "subscript") {
            return;
        }
        let expr = self.expr_of(Some(function));
        if matches!(self.b.facts().expr(expr), Expr::Call { .. } | Expr::Index { .. } | Expr::Key { .. }) {
            self.by_value(expr, u8::MAX, arguments);
        }
    }

    /// `raise E` constructs a value of the class `E`.
    pub(super) fn raised(&mut self, node: Node<'_>) {
        let Some(raised) = node.named_child(0).filter(|child| matches!(child.kind_name(), "identifier" | "attribute"))
        else {
            return;
        };
        let expr = self.expr_of(Some(raised));
        let values = self.b.list(&[expr]);
        let expr = self.b.expr(Expr::Union(values));
        self.by_value(expr, 0, raised);
    }

    fn implicit_call(&mut self, base: ExprId, method: &str, at: Node<'_>) -> ExprId {
        let name = self.b.name(method);
        let callee = self.b.expr(Expr::Implicit { base, name });
        self.by_value(callee, 0, at);
        callee
    }

    fn is_object(&self, expr: ExprId) -> bool {
        matches!(self.b.facts().expr(expr), Expr::Name { .. } | Expr::Member { .. } | Expr::Call { .. })
    }

    /// A loop over a value calls its `__iter__`, and `__next__` of what that yields.
    pub(super) fn iterates(&mut self, base: ExprId, at: Node<'_>) {
        if !self.is_object(base) {
            return;
        }
        let callee = self.implicit_call(base, "__iter__", at);
        let args = self.b.list(&[]);
        let iterator = self.b.expr(Expr::Call { callee, args });
        self.implicit_call(iterator, "__next__", at);
    }

    /// `with a`, `with a as b`.
    pub(super) fn leave_with(&mut self, item: Node<'_>, path: &[Step<'_>]) {
        // The calls stand where the keyword does: at the value the value itself is named.
        let statement = path.iter().rev().map(|step| step.node).find(|node| node.kind_name() == "with_statement");
        let Some(at) = statement else { return };
        let Some(mut value) = item.child_by_field_id(FIELDS.value) else { return };
        if value.kind_name() == "as_pattern" {
            let Some(inner) = value.named_child(0) else { return };
            value = inner;
        }
        let base = self.expr_of(Some(value));
        if self.is_object(base) {
            self.implicit_call(base, "__enter__", at);
            self.implicit_call(base, "__exit__", at);
        }
    }

    fn map_items(&self, expr: ExprId) -> Option<Vec<ExprId>> {
        match self.b.facts().expr(expr) {
            Expr::Collection { kind: Collection::Map, items } => Some(self.b.facts().list(items).to_vec()),
            _ => None,
        }
    }

    /// Remembers that a variable holds a map written in place.
    pub(super) fn note_map(&mut self, own: ScopeId, name: NameId, value: Option<ExprId>) {
        let key = (self.target_scope(own, name), name);
        if value.is_some_and(|value| self.map_items(value).is_some()) {
            self.maps.insert(key, self.conditional);
        } else {
            self.maps.remove(&key);
        }
    }

    /// A variable is read: what is written under a key from here on is not all that it ever held there.
    pub(super) fn note_map_read(&mut self, name: NameId, path: &[Step<'_>]) {
        if self.maps.is_empty() {
            return;
        }
        let at = |back: usize| path.len().checked_sub(back).map(|index| path[index]);
        let is_target = at(1).is_some_and(|step| step.node.kind_name() == "subscript" && step.field == Some("left"));
        if is_target {
            return;
        }
        let mut scope = Some(self.scope());
        while let Some(current) = scope {
            self.maps.remove(&(current, name));
            scope = self.parent_scope(current);
        }
    }

    /// `name[key] = value`, where the variable holds a map written in place. Of a map inside it (`name[a][b] = value`)
    /// all that is known is that it changes.
    pub(super) fn assign_entry(&mut self, own: ScopeId, target: Node<'_>, value: Option<ExprId>) {
        let (Some(mut object), Some(value)) = (target.child_by_field_id(FIELDS.value), value) else { return };
        let is_own = object.kind_name() == "identifier";
        while object.kind_name() == "subscript" {
            let Some(inner) = object.child_by_field_id(FIELDS.value) else { return };
            object = inner;
        }
        if object.kind_name() != "identifier" {
            return;
        }
        let name = self.b.name(self.source.text(object));
        let key = self.constant_key(target.child_by_field_id(FIELDS.subscript)).filter(|_| is_own);
        let item = match key {
            Some(name) => self.b.expr(Expr::Entry { name, value }),
            None if is_own => value,
            None => self.b.unknown(),
        };
        self.put(own, name, key, item);
    }

    /// `name.update(…)` and the like change a map that the variable holds.
    pub(super) fn changes_map(&mut self, call: Node<'_>) {
        let Some(function) = call.child_by_field_id(FIELDS.function) else { return };
        let object = function.child_by_field_id(FIELDS.object).filter(|object| object.kind_name() == "identifier");
        let method = function.child_by_field_id(FIELDS.attribute).map_or("", |method| self.source.text(method));
        if let Some(object) = object.filter(|_| matches!(method, "update" | "setdefault" | "clear" | "pop")) {
            let name = self.b.name(self.source.text(object));
            let own = self.holding_scope(self.scope());
            let unknown = self.b.unknown();
            self.put(own, name, None, unknown);
        }
    }

    /// Adds an element to the map that a variable holds: in place of the one with that key, if the variable was not
    /// read since the map was written and no condition stands between; else as what it may hold besides.
    fn put(&mut self, own: ScopeId, name: NameId, key: Option<NameId>, item: ExprId) {
        let scope = self.target_scope(own, name);
        let is_held = matches!(self.scope_kind(scope), ScopeKind::File | ScopeKind::Class);
        let known = match is_held {
            true => self.variables.get(&(scope, name)).and_then(|variable| variable.values.last().copied()),
            false => self.b.facts().bindings.iter().rev().find_map(|binding| match binding.target {
                BindingTarget::Value(expr) if (binding.scope, binding.name) == (scope, name) => Some(expr),
                _ => None,
            }),
        };
        let Some(known) = known else { return };
        let Some(mut items) = self.map_items(known).filter(|items| items.len() < MAX_ITEMS) else { return };
        let replaces = self.maps.get(&(scope, name)) == Some(&self.conditional) && key.is_some();
        if replaces {
            items.retain(|item| !matches!(self.b.facts().expr(*item), Expr::Entry { name, .. } if Some(name) == key));
        } else {
            items.clear();
        }
        items.push(item);
        let items = self.b.list(&items);
        let map = self.b.expr(Expr::Collection { kind: Collection::Map, items });
        if is_held {
            let Some(variable) = self.variables.get_mut(&(scope, name)) else { return };
            match variable.values.last_mut().filter(|_| replaces) {
                Some(last) => *last = map,
                None => variable.values.push(map),
            }
            return;
        }
        if replaces {
            let bindings = &mut self.b.facts_mut().bindings;
            let known = bindings.iter_mut().rev().find(|binding| binding.target == BindingTarget::Value(known));
            if let Some(binding) = known {
                binding.target = BindingTarget::Value(map);
            }
            return;
        }
        self.b.bind(scope, name, Namespace::Any, BindingTarget::Value(map));
    }
}
