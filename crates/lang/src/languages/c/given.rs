//! Functions assigned to variables and members, by assignments and initialisers. Calls through these reach the
//! assigned functions.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::declarator::{Declared, declarators, find_declared};
use crate::facts::{
    Binding, BindingTarget, Expr, ExprId, FileFacts, MemberWrite, NameId, Namespace, Role, ScopeId, ScopeKind,
};
use crate::languages::outline::Outline;

/// Initialisers read of one declaration.
const MAX_LISTS: usize = 20_000;
/// Scopes searched for one name.
const MAX_SCOPES: usize = 512;
/// Layers of casts, brackets and `&` around a name.
const MAX_LAYERS: usize = 8;

/// After an assignment: `x->open = f`, `hook = f`.
pub(in crate::languages) fn record_assigned(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return;
    };
    let Some(left) = cx.find_known(Some(left)) else { return };
    let facts = cx.builder.facts();
    let (base, name) = match facts.expr(left) {
        Expr::Member { base, name } => (base, name),
        Expr::Name { name, .. } => (left, name),
        // An element of an array of functions represents all of them.
        Expr::Index { base } => match facts.expr(base) {
            Expr::Member { base: inner, name } => (inner, name),
            Expr::Name { name, .. } => (base, name),
            _ => return,
        },
        _ => return,
    };
    for value in names_of(cx, right) {
        cx.builder.store_member(base, name, value);
    }
}

/// After a declaration: values that its initialisers assign to the members of its type, or to the variable itself.
pub(in crate::languages) fn declared_values(cx: &mut Outline<'_>, node: Node<'_>, ty: Option<ExprId>) {
    let inside = matches!(cx.scope_kind(), ScopeKind::Function | ScopeKind::Block);
    for declarator in declarators(node) {
        let Some(found) = find_declared(declarator) else { continue };
        let Some(value) = declarator.child_by_field_name("value") else { continue };
        // In brackets stand the arguments of a constructor.
        if value.kind() == "initializer_list"
            && cx.text(value).starts_with('{')
            && let Some(of) = ty
        {
            let base = cx.builder.expr(Expr::Instance { of });
            initialiser(cx, value, base, found.array);
        }
        if inside {
            own_value(cx, &found, value);
        }
    }
}

/// Initial value of a local variable.
fn own_value(cx: &mut Outline<'_>, found: &Declared<'_>, value: Node<'_>) {
    let values = if value.kind() == "initializer_list" && found.array {
        let mut cursor = value.walk();
        let items: Vec<Node<'_>> = value.named_children(&mut cursor).take(MAX_LISTS).collect();
        items.into_iter().flat_map(|item| names_of(cx, item)).collect()
    } else {
        names_of(cx, value)
    };
    if values.is_empty() {
        return;
    }
    let text = cx.text(found.name).to_owned();
    let base = cx.bare_name(&text);
    let name = cx.builder.name(&text);
    for value in values {
        cx.builder.store_member(base, name, value);
    }
}

/// `{ .open = f, g }` for a value of a type: members by their name, or by `#` and their number.
pub(in crate::languages) fn initialiser(cx: &mut Outline<'_>, list: Node<'_>, base: ExprId, is_array: bool) {
    let mut work = vec![(list, base, is_array)];
    let mut done = 0;
    // Iterative, since lists may be nested as deeply as the file is long.
    while let Some((list, base, is_array)) = work.pop() {
        done += 1;
        if done > MAX_LISTS {
            return;
        }
        let mut cursor = list.walk();
        let items: Vec<Node<'_>> = list.named_children(&mut cursor).filter(|item| !item.is_extra()).collect();
        for (index, item) in items.into_iter().take(MAX_LISTS).enumerate() {
            let designator = item.child_by_field_name("designator");
            let field = designator.filter(|node| node.kind() == "field_designator");
            let value = if item.kind() == "initializer_pair" { item.child_by_field_name("value") } else { Some(item) };
            if let Some(name) = field.and_then(|field| field.named_child(0)).filter(|_| !is_array) {
                let member = cx.builder.member(base, cx.source.text(name));
                cx.refer_with(member, Role::Write, u8::MAX, name);
            }
            let Some(value) = value else { continue };
            if is_array {
                // A nested list is of a struct or of an array, which only its type tells: both are recorded.
                if value.kind() == "initializer_list" {
                    work.push((value, base, false));
                }
                continue;
            }
            let name = match field {
                Some(field) => cx.text(field).trim_start_matches('.').trim().to_owned(),
                None => format!("#{index}"),
            };
            if value.kind() == "initializer_list" {
                if field.is_some() {
                    let inner = cx.builder.member(base, &name);
                    work.push((value, inner, false));
                    let elements = cx.builder.expr(Expr::Index { base: inner });
                    work.push((value, elements, true));
                    let mut cursor = value.walk();
                    let nested: Vec<Node<'_>> = value.named_children(&mut cursor).take(MAX_LISTS).collect();
                    nested.into_iter().for_each(|item| give(cx, base, &name, item));
                }
                continue;
            }
            give(cx, base, &name, value);
        }
    }
}

fn give(cx: &mut Outline<'_>, base: ExprId, name: &str, value: Node<'_>) {
    for value in names_of(cx, value) {
        let name = cx.builder.name(name);
        cx.builder.store_member(base, name, value);
    }
}

/// The plain names that a value is, seen through casts, brackets, `&` and `? :`.
fn names_of(cx: &Outline<'_>, value: Node<'_>) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut work = vec![(value, 0)];
    while let Some((node, layers)) = work.pop() {
        if layers > MAX_LAYERS {
            continue;
        }
        let mut inner = |field: &str| work.extend(node.child_by_field_name(field).map(|child| (child, layers + 1)));
        match node.kind() {
            "identifier" => found.extend(cx.find_known(Some(node))),
            "cast_expression" => inner("value"),
            "pointer_expression" => inner("argument"),
            "parenthesized_expression" => work.extend(node.named_child(0).map(|child| (child, layers + 1))),
            "conditional_expression" => {
                inner("consequence");
                inner("alternative");
            }
            _ => {}
        }
    }
    found
}

/// Keeps values that may be functions: local variables are not, parameters may be. Values assigned to a local variable
/// are bound at its declaration.
pub(in crate::languages) fn settle(facts: &mut FileFacts) {
    let mut local: FxHashMap<(ScopeId, NameId), Place> = FxHashMap::default();
    for binding in facts.bindings.iter().filter(|binding| binding.namespace != Namespace::Type) {
        let place = match binding.target {
            BindingTarget::Definition(_) | BindingTarget::Import(_) => Place::Outside,
            BindingTarget::Parameter(..) => Place::Parameter,
            _ => Place::Local,
        };
        let known = local.entry((binding.scope, binding.name)).or_insert(place);
        *known = place.max(*known);
    }
    let place = |facts: &FileFacts, expr: ExprId| -> Option<(ScopeId, NameId, Place)> {
        let Expr::Name { name, scope } = facts.expr(expr) else { return None };
        let mut next = Some(scope);
        for _ in 0..MAX_SCOPES {
            let scope = next?;
            if let Some(&place) = local.get(&(scope, name)) {
                return (place != Place::Outside).then_some((scope, name, place));
            }
            next = facts.scopes[scope.index()].parent;
        }
        None
    };
    let writes = std::mem::take(&mut facts.stored);
    let mut kept: Vec<MemberWrite> = Vec::new();
    let mut bound: Vec<Binding> = Vec::new();
    // Tables of a generated file may hold very many.
    let (mut known, mut known_bound) = (FxHashSet::default(), FxHashSet::default());
    for write in writes {
        if place(facts, write.value).is_some_and(|(.., place)| place == Place::Local) {
            continue;
        }
        let own = matches!(facts.expr(write.base), Expr::Name { name, .. } if name == write.name);
        match place(facts, write.base).filter(|_| own) {
            Some((scope, name, _)) => {
                let target = BindingTarget::Value(write.value);
                let binding = Binding { scope, name, namespace: Namespace::Value, target };
                if known_bound.insert((scope, name, write.value)) {
                    bound.push(binding);
                }
            }
            None if known.insert((write.base, write.name, write.value)) => kept.push(write),
            None => {}
        }
    }
    facts.stored = kept;
    facts.bindings.extend(bound);
}

/// Where the name of a value is bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Outside,
    Parameter,
    Local,
}
