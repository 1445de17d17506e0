//! Calls of expression results, implicit calls of the language, and elements under constant keys.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::state::{Extractor, FIELDS, KindName, MAX_ITEMS};
use crate::facts::{
    BindingTarget, Collection, Expr, ExprId, FactsBuilder, NameId, Namespace, Reference, Role, ScopeId, ScopeKind,
};
use crate::walk::Step;

/// Bytes of a key that is kept; a longer one counts as not constant.
const MAX_KEY: usize = 64;
/// Keys of one assignment (`name[a][b] = …`) that are followed.
const MAX_KEYS: usize = 4;

/// Returns whether a loop or `with` statement is one that waits.
pub(super) fn waits(statement: Node<'_>) -> bool {
    statement.child(0).is_some_and(|first| first.kind_name() == "async")
}

impl Extractor<'_> {
    /// Text of a constant key: digits, or a plain string in double quotes.
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

    /// A map literal. A later spread may replace earlier elements.
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

    /// `@f()` calls the result of `f()`.
    pub(super) fn call_of_decorator(&mut self, call: Node<'_>, expr: ExprId) {
        if let Some(arguments) = call.child_by_field_id(FIELDS.arguments)
            && matches!(self.b.facts().expr(expr), Expr::Call { .. })
        {
            self.by_value(expr, 1, arguments);
        }
    }

    /// `raise E` constructs a value of the class `E`.
    pub(super) fn record_raised(&mut self, node: Node<'_>) {
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

    /// A loop calls the value's `__iter__`, and `__next__` of its result; an asynchronous one calls `__aiter__` and
    /// `__anext__`.
    pub(super) fn iterates(&mut self, base: ExprId, at: Node<'_>) {
        if !self.is_object(base) {
            return;
        }
        let (iterate, next) = if waits(at) { ("__aiter__", "__anext__") } else { ("__iter__", "__next__") };
        let callee = self.implicit_call(base, iterate, at);
        let args = self.b.list(&[]);
        let iterator = self.b.expr(Expr::Call { callee, args });
        self.implicit_call(iterator, next, at);
    }

    /// `with a`, `with a as b`.
    pub(super) fn leave_with(&mut self, item: Node<'_>, path: &[Step<'_>]) {
        // The calls are located at the keyword, because the value itself is named at its own position.
        let statement = path.iter().rev().map(|step| step.node).find(|node| node.kind_name() == "with_statement");
        let Some(at) = statement else { return };
        let Some(mut value) = item.child_by_field_id(FIELDS.value) else { return };
        if value.kind_name() == "as_pattern" {
            let Some(inner) = value.named_child(0) else { return };
            value = inner;
        }
        let base = self.expr_of(Some(value));
        if self.is_object(base) {
            let (enter, exit) = if waits(at) { ("__aenter__", "__aexit__") } else { ("__enter__", "__exit__") };
            self.implicit_call(base, enter, at);
            self.implicit_call(base, exit, at);
        }
    }

    /// The items of a map, or of a list whose positions are tracked.
    fn items_of(&self, expr: ExprId) -> Option<(Collection, Vec<ExprId>)> {
        match self.b.facts().expr(expr) {
            Expr::Collection { kind: kind @ (Collection::Map | Collection::List), items } => {
                Some((kind, self.b.facts().list(items).to_vec()))
            }
            _ => None,
        }
    }

    /// Remembers that a variable holds a map or list written in place.
    pub(super) fn note_map(&mut self, own: ScopeId, name: NameId, value: Option<ExprId>) {
        let key = (self.target_scope(own, name), name);
        if value.is_some_and(|value| self.items_of(value).is_some()) {
            self.maps.insert(key, self.conditional);
        } else {
            self.maps.remove(&key);
        }
    }

    /// A variable is read: later writes under a key no longer cover everything it ever held there.
    pub(super) fn note_map_read(&mut self, name: NameId, path: &[Step<'_>]) {
        if self.maps.is_empty() {
            return;
        }
        let at = |back: usize| path.len().checked_sub(back).map(|index| path[index]);
        // `name[a][b] = …`
        let mut back = 1;
        while at(back).is_some_and(|step| step.node.kind_name() == "subscript" && step.field == Some("value")) {
            back += 1;
        }
        let is_target = at(back).is_some_and(|step| step.node.kind_name() == "subscript" && step.field == Some("left"));
        let is_update = at(1).is_some_and(|step| {
            let method = step.node.child_by_field_id(FIELDS.attribute).map_or("", |method| self.source.text(method));
            step.node.kind_name() == "attribute" && step.field == Some("function") && method == "update"
        });
        if is_target || is_update {
            return;
        }
        let mut scope = Some(self.scope());
        while let Some(current) = scope {
            self.maps.remove(&(current, name));
            scope = self.parent_scope(current);
        }
    }

    /// `name[key] = value`, if the variable holds a map or list literal. Nested writes (`name[a][b] = value`) are
    /// only followed through literals with constant keys.
    pub(super) fn assign_entry(&mut self, own: ScopeId, target: Node<'_>, value: Option<ExprId>) {
        let (Some(mut object), Some(value)) = (target.child_by_field_id(FIELDS.value), value) else { return };
        let mut keys = vec![self.constant_key(target.child_by_field_id(FIELDS.subscript))];
        while object.kind_name() == "subscript" {
            keys.push(self.constant_key(object.child_by_field_id(FIELDS.subscript)));
            let Some(inner) = object.child_by_field_id(FIELDS.value) else { return };
            object = inner;
        }
        if object.kind_name() != "identifier" || keys.len() > MAX_KEYS {
            return;
        }
        keys.reverse();
        let name = self.b.name(self.source.text(object));
        let constant: Option<Vec<NameId>> = keys.iter().copied().collect();
        if !self.put(own, name, constant.as_deref().unwrap_or_default(), value, keys.len() == 1) {
            self.entry_writes.extend((keys.len() == 1).then_some((own, name, value)));
        }
    }

    /// `name.update(…)` and the like change a map that the variable holds.
    pub(super) fn changes_map(&mut self, call: Node<'_>) {
        let Some(function) = call.child_by_field_id(FIELDS.function) else { return };
        let object = function.child_by_field_id(FIELDS.object).filter(|object| object.kind_name() == "identifier");
        let method = function.child_by_field_id(FIELDS.attribute).map_or("", |method| self.source.text(method));
        let Some(object) = object.filter(|_| matches!(method, "update" | "setdefault")) else {
            return;
        };
        let name = self.b.name(self.source.text(object));
        let own = self.holding_scope(self.scope());
        let arguments = call.child_by_field_id(FIELDS.arguments);
        let only =
            arguments.filter(|arguments| arguments.named_child_count() == 1).and_then(|node| node.named_child(0));
        let given = self.expr_of(only.filter(|_| method == "update"));
        if let Some((Collection::Map, items)) = self.items_of(given) {
            for item in items {
                match self.b.facts().expr(item) {
                    Expr::Entry { name: key, value } => self.put(own, name, &[key], value, true),
                    _ => self.put(own, name, &[], item, true),
                };
            }
            return;
        }
        let unknown = self.b.unknown();
        self.put(own, name, &[], unknown, true);
    }

    /// Adds an element to the map or list held by a variable: replaces the one with these keys if the variable was
    /// not read since and no condition intervenes; otherwise adds an alternative. `false` if it is not known to hold
    /// one.
    fn put(&mut self, own: ScopeId, name: NameId, keys: &[NameId], value: ExprId, is_own: bool) -> bool {
        let scope = self.target_scope(own, name);
        let is_held = matches!(self.scope_kind(scope), ScopeKind::File | ScopeKind::Class);
        // Values of files and classes are variables of ours, those of functions are bindings.
        let known = match is_held {
            true => self.variables.get(&(scope, name)).and_then(|variable| variable.values.last().copied()),
            false => self.b.facts().bindings.iter().rev().find_map(|binding| match binding.target {
                BindingTarget::Value(expr) if (binding.scope, binding.name) == (scope, name) => Some(expr),
                _ => None,
            }),
        };
        let Some(known) = known else { return false };
        let Some((kind, items)) = self.items_of(known) else { return false };
        // Under a condition the old element may still be there.
        let may_replace = self.maps.get(&(scope, name)) == Some(&self.conditional) && !keys.is_empty();
        let replaced = if may_replace { self.with_element(known, keys, value) } else { None };
        let container = match replaced {
            Some(replaced) => replaced,
            None if items.len() >= MAX_ITEMS => return true,
            None => {
                let item = match (keys, is_own) {
                    (&[name], true) if kind == Collection::Map => self.b.expr(Expr::Entry { name, value }),
                    (_, true) => value,
                    (_, false) => self.b.unknown(),
                };
                let items = self.b.list(&[item]);
                self.b.expr(Expr::Collection { kind, items })
            }
        };
        let replaces = replaced.is_some();
        self.held.forget_value(scope, name, replaces.then_some(container));
        if is_held {
            let Some(variable) = self.variables.get_mut(&(scope, name)) else { return true };
            match variable.values.last_mut().filter(|_| replaces) {
                Some(last) => *last = container,
                None => variable.values.push(container),
            }
            return true;
        }
        if replaces {
            let bindings = &mut self.b.facts_mut().bindings;
            let known = bindings.iter_mut().rev().find(|binding| binding.target == BindingTarget::Value(known));
            if let Some(binding) = known {
                binding.target = BindingTarget::Value(container);
            }
            return true;
        }
        self.b.bind(scope, name, Namespace::Any, BindingTarget::Value(container));
        true
    }

    /// A container literal with another value under the keys, outermost first; `None` if that is unknown.
    fn with_element(&mut self, container: ExprId, keys: &[NameId], value: ExprId) -> Option<ExprId> {
        let mut levels = Vec::with_capacity(keys.len());
        let mut next = container;
        for (depth, &key) in keys.iter().enumerate() {
            let (kind, items) = self.items_of(next)?;
            let place = match kind {
                Collection::Map => items
                    .iter()
                    .position(|item| matches!(self.b.facts().expr(*item), Expr::Entry { name, .. } if name == key)),
                _ => Some(self.b.facts().name(key).parse().ok().filter(|place| *place < items.len())?),
            };
            let is_last = depth + 1 == keys.len();
            if !is_last {
                next = match self.b.facts().expr(*items.get(place?)?) {
                    Expr::Entry { value, .. } => value,
                    _ if kind == Collection::List => items[place?],
                    _ => return None,
                };
            }
            if items.len() >= MAX_ITEMS {
                return None;
            }
            levels.push((kind, items, place, key));
        }
        let mut made = value;
        for (kind, mut items, place, name) in levels.into_iter().rev() {
            if kind == Collection::Map {
                made = self.b.expr(Expr::Entry { name, value: made });
            }
            match (kind, place) {
                // A map keeps the element that was put in last.
                (Collection::Map, Some(place)) => {
                    items.remove(place);
                    items.push(made);
                }
                (_, Some(place)) => items[place] = made,
                (_, None) => items.push(made),
            }
            let items = self.b.list(&items);
            made = self.b.expr(Expr::Collection { kind, items });
        }
        Some(made)
    }

    /// Adds the elements that functions write into containers held by variables of the file.
    pub(super) fn apply_entry_writes(&mut self) {
        let mut writes = std::mem::take(&mut self.entry_writes);
        writes.retain(|(_, name, _)| self.variables.contains_key(&(FactsBuilder::FILE, *name)));
        if writes.is_empty() {
            return;
        }
        let bound: FxHashSet<_> = self.b.facts().bindings.iter().map(|binding| (binding.scope, binding.name)).collect();
        for (scope, name, value) in writes {
            // The write counts if no scope in between binds the name.
            let mut around = Some(scope);
            for _ in 0..super::finish::MAX_LOOKUP {
                let Some(scope) =
                    around.filter(|scope| *scope != FactsBuilder::FILE && !bound.contains(&(*scope, name)))
                else {
                    break;
                };
                around = self.parent_scope(scope);
            }
            if around != Some(FactsBuilder::FILE) {
                continue;
            }
            // Functions run at any time, so the variable can no longer be followed line by line.
            self.held.changed.insert(name);
            let Some(variable) = self.variables.get(&(FactsBuilder::FILE, name)) else { continue };
            let kind = variable.values.iter().find_map(|&value| Some(self.items_of(value)?.0));
            let Some(kind) = kind.filter(|_| variable.values.len() < MAX_ITEMS) else { continue };
            let items = self.b.list(&[value]);
            let container = self.b.expr(Expr::Collection { kind, items });
            if let Some(variable) = self.variables.get_mut(&(FactsBuilder::FILE, name)) {
                variable.values.push(container);
            }
        }
    }
}
