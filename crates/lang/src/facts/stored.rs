//! Values that may be functions, and the members, variables and containers that they are stored in.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{BindingTarget, Expr, ExprId, FactsBuilder, FileFacts, MemberWrite, NameId, Namespace, ScopeId};

/// Maximum number of parts of a value that are examined.
const MAX_PARTS: usize = 64;
/// Maximum number of accesses to elements followed from an element to what it is stored in.
const MAX_LAYERS: usize = 8;
/// In [`FileFacts::stored`]: the name under which the elements of a literal are stored in it.
pub const ELEMENT: &str = "[]";
/// Scopes looked through for a name.
const MAX_SCOPES: usize = 64;
/// Standard types whose values are not functions.
const DATA_TYPES: &[&str] = &[
    "Bool", "Boolean", "Double", "Int", "Integer", "Long", "String", "bool", "boolean", "byte", "char", "double",
    "error", "f32", "f64", "float", "float32", "float64", "i32", "i64", "int", "int32", "int64", "isize", "long",
    "number", "rune", "short", "size_t", "str", "string", "u16", "u32", "u64", "u8", "uint", "uint32", "uint64",
    "uint8", "usize",
];
/// Methods of standard containers and cells that keep an argument.
const STORING: &[&str] = &[
    "Add", "AddOrUpdate", "Enqueue", "Push", "Store", "TryAdd", "add", "addFirst", "addLast", "append", "compute",
    "computeIfAbsent", "emplace", "emplace_back", "extend", "getAndSet", "get_or_init", "insert", "offer", "or_insert",
    "push", "push_back", "push_front", "put", "putIfAbsent", "replace", "set", "setdefault", "store", "swap",
    "try_emplace", "unshift", "update",
];

impl FileFacts {
    /// Returns whether an expression may be a function that is not written in place, or may contain or wrap one.
    pub fn may_be_function(&self, value: ExprId) -> bool {
        let mut work = vec![value];
        let mut seen = 0;
        while let Some(next) = work.pop() {
            seen += 1;
            if seen > MAX_PARTS {
                return false;
            }
            match self.expr(next) {
                Expr::Name { .. } | Expr::Member { .. } | Expr::Path { .. } => return true,
                // What a literal of a container has been given is stored in it.
                Expr::Instance { .. } if self.holds_elements(next) => return true,
                Expr::Definition(def) if !self.definition(def).flags.is_anonymous => return true,
                Expr::Call { args: items, .. } | Expr::Collection { items, .. } | Expr::Union(items) => {
                    work.extend(self.list(items).iter().take(MAX_PARTS));
                }
                Expr::Entry { value: base, .. }
                | Expr::Unwrap { base }
                | Expr::Generic { base, .. }
                | Expr::Index { base }
                | Expr::Key { base, .. }
                | Expr::Element { base } => work.push(base),
                _ => {}
            }
        }
        false
    }

    /// Returns whether a written type is a standard one for data, or a container of such: its values are not functions.
    pub fn is_data_type(&self, of: ExprId) -> bool {
        let is_data = |of: ExprId| match self.expr(of) {
            Expr::Name { name, .. } => DATA_TYPES.contains(&self.name(name)),
            Expr::Literal(_) => true,
            _ => false,
        };
        match self.expr(of) {
            Expr::Collection { items, .. } => self.list(items).iter().all(|&item| is_data(item)),
            _ => is_data(of),
        }
    }

    /// Returns whether a literal of a container holds elements that may be functions; only the last literals count.
    fn holds_elements(&self, literal: ExprId) -> bool {
        self.stored.iter().rev().take(MAX_PARTS).any(|row| row.base == literal && self.name(row.name) == ELEMENT)
    }

    /// What an expression is an element of; the expression itself if it is not an element.
    pub fn container(&self, expr: ExprId) -> ExprId {
        let mut at = expr;
        for _ in 0..MAX_LAYERS {
            match self.expr(at) {
                Expr::Index { base } | Expr::Key { base, .. } | Expr::Item { base, .. } | Expr::Unwrap { base } => {
                    at = base;
                }
                _ => break,
            }
        }
        at
    }
}

impl FactsBuilder {
    /// Notes that a value is stored in a member or variable, or in an element of one, if the value may be a function.
    pub fn store(&mut self, target: ExprId, value: ExprId) {
        let facts = self.facts();
        let target = facts.container(target);
        let (base, name) = match facts.expr(target) {
            Expr::Member { base, name } => (base, name),
            Expr::Name { name, .. } => (target, name),
            _ => return,
        };
        self.store_member(base, name, value);
    }

    /// Notes that a value is an element of a literal of a container, or of a literal inside of it.
    pub fn store_element(&mut self, literal: ExprId, value: ExprId) {
        let whole = self.facts().container(literal);
        let name = self.name(ELEMENT);
        self.store_member(whole, name, value);
    }

    /// Notes that a value is stored in the member `name` of `base`, if the value may be a function.
    pub fn store_member(&mut self, base: ExprId, name: NameId, value: ExprId) {
        if self.facts().may_be_function(value) {
            self.facts_mut().stored.push(MemberWrite { base, name, value });
        }
    }

    /// Adds what calls of the methods of containers store, and leaves out repetitions.
    pub(super) fn settle_stored(&mut self) {
        for index in 0..self.facts().exprs.len() {
            let facts = self.facts();
            let Expr::Call { callee, args } = facts.exprs[index] else { continue };
            let Expr::Member { base, name } = facts.expr(callee) else { continue };
            if STORING.contains(&facts.name(name)) {
                let args: Vec<ExprId> = facts.list(args).to_vec();
                args.into_iter().for_each(|arg| self.store(base, arg));
            }
        }
        let places = bound_names(self.facts());
        let mut known: FxHashSet<(ExprId, NameId, ExprId)> = FxHashSet::default();
        let mut stored = std::mem::take(&mut self.facts_mut().stored);
        let facts = self.facts();
        stored.retain(|row| may_hold(facts, &places, row.value) && known.insert((row.base, row.name, row.value)));
        self.facts_mut().stored = stored;
    }
}

type Places = FxHashMap<(ScopeId, NameId), BindingTarget>;

fn bound_names(facts: &FileFacts) -> Places {
    let values = facts.bindings.iter().filter(|binding| binding.namespace != Namespace::Type);
    values.map(|binding| ((binding.scope, binding.name), binding.target)).collect()
}

/// Returns whether a value may be a function; a parameter with a standard type for data is not, nor a variable with a
/// plain value.
fn may_hold(facts: &FileFacts, places: &Places, value: ExprId) -> bool {
    let Expr::Name { name, scope } = facts.expr(value) else { return true };
    let mut next = Some(scope);
    for _ in 0..MAX_SCOPES {
        let Some(scope) = next else { return true };
        match places.get(&(scope, name)) {
            None => next = facts.scopes[scope.index()].parent,
            Some(BindingTarget::Parameter(def, index)) => {
                let declared = facts.parameters(*def).get(*index as usize).and_then(|parameter| parameter.declared);
                return declared.is_none_or(|declared| !facts.is_data_type(declared));
            }
            Some(BindingTarget::Value(value)) => return facts.may_be_function(*value),
            Some(BindingTarget::Typed(declared)) => return !facts.is_data_type(*declared),
            Some(_) => return true,
        }
    }
    true
}
