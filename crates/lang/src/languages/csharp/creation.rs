//! Construction of values: `new`, initializers, assignments to members in them.

use tree_sitter::Node;

use super::super::outline::{Mark, Outline, Pick, field};
use super::expressions::take_arguments;
use crate::facts::{Collection, Expr, ExprId, FactsBuilder, Reference, Role};
use crate::walk::Enter;

pub(super) fn enter_creation(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let arity = cx.arity(node.child_by_field_name("arguments"));
    if let Some(class) = node.child_by_field_name("type") {
        cx.mark(class, Mark::Call(arity));
    }
    Enter::Descend
}

/// `new C(…)`: the class is represented as a generic without arguments, which distinguishes it from a method.
pub(super) fn leave_creation(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(class) = node.child_by_field_name("type") else { return };
    let class = cx.expr_of(class);
    let expr = construct(cx, class, node.child_by_field_name("arguments"));
    cx.set_expr(node, expr);
}

fn construct(cx: &mut Outline<'_>, class: ExprId, args: Option<Node<'_>>) -> ExprId {
    let path = match cx.builder.facts().expr(class) {
        Expr::Generic { base, .. } => base,
        _ => class,
    };
    let callee = cx.builder.expr(Expr::Generic { base: class, args: FactsBuilder::EMPTY });
    let args = take_arguments(cx, path, args);
    cx.builder.expr(Expr::Call { callee, args })
}

/// The written type of what `new(…)` is assigned to where it is declared.
fn find_target_type(cx: &Outline<'_>, creation: Node<'_>) -> Option<ExprId> {
    let around = creation.parent()?;
    let declared = match around.kind() {
        "variable_declarator" => around.parent()?.child_by_field_name("type")?,
        "property_declaration" => around.child_by_field_name("type")?,
        _ => return None,
    };
    // `T? x = new()`: the type is what may be absent.
    cx.find_known(Some(declared))
}

/// The type that an initializer belongs to, as written.
fn find_created(cx: &Outline<'_>, creation: Node<'_>) -> Option<ExprId> {
    match creation.kind() {
        "object_creation_expression" => cx.find_known(creation.child_by_field_name("type")),
        "implicit_object_creation_expression" => find_target_type(cx, creation),
        _ => None,
    }
}

/// `new(…)`: the class is the declared type, whose name is not written here.
pub(super) fn enter_implicit(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(class) = find_target_type(cx, node) else { return Enter::Descend };
    // A path of its own, so that the arguments are those of this call.
    let (class, args) = match cx.builder.facts().expr(class) {
        Expr::Generic { base, args } => (base, Some(args)),
        _ => (class, None),
    };
    let path = cx.builder.facts().expr(class);
    if !matches!(path, Expr::Name { .. } | Expr::Member { .. }) {
        return Enter::Descend;
    }
    let class = cx.builder.expr(path);
    let arity = cx.arity(Pick::Kind(&["argument_list"]).get(node, None));
    let (pos, enclosing) = (cx.source.pos(node), cx.enclosing());
    cx.builder.reference(Reference { expr: class, role: Role::Call, inexact: false, arity, pos, enclosing });
    let whole = args.map_or(class, |args| cx.builder.expr(Expr::Generic { base: class, args }));
    cx.set_expr(node, whole);
    Enter::Descend
}

pub(super) fn leave_implicit(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(class) = cx.find_known(Some(node)) else { return };
    let expr = construct(cx, class, Pick::Kind(&["argument_list"]).get(node, None));
    cx.set_expr(node, expr);
}

/// Whether an assignment stands in the initializer of an object, so that its left side is a member of that.
fn find_initialized<'t>(parent: Option<Node<'t>>) -> Option<Node<'t>> {
    let initializer = parent.filter(|parent| parent.kind() == "initializer_expression")?;
    initializer.parent()
}

pub(super) fn enter_assignment(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if let Some(left) = node.child_by_field_name("left") {
        let is_member = left.kind() == "identifier" && find_initialized(parent).is_some();
        cx.mark(left, if is_member { Mark::Skip } else { Mark::Write });
    }
    Enter::Descend
}

/// An assignment has the value that is assigned.
pub(super) fn leave_assignment(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let value = cx.find_known(node.child_by_field_name("right"));
    match (find_initialized(parent), node.child_by_field_name("left")) {
        (Some(creation), Some(left)) if left.kind() == "identifier" => {
            let created = find_created(cx, creation);
            set_member(cx, created, left, value);
        }
        _ => cx.store_assigned(field("left"), node, parent),
    }
    if let Some(value) = value {
        cx.set_expr(node, value);
    }
}

/// `{ Name = value }` after `new C`.
fn set_member(cx: &mut Outline<'_>, class: Option<ExprId>, name: Node<'_>, value: Option<ExprId>) {
    let base = match class {
        Some(of) => cx.builder.expr(Expr::Instance { of }),
        None => cx.builder.unknown(),
    };
    let text = cx.name_text(name);
    let expr = cx.builder.member(base, text);
    cx.refer_with(expr, Role::Write, u8::MAX, name);
    if let Some(value) = value {
        cx.builder.store(expr, value);
    }
}

/// Elements of an initializer that may be functions.
const MAX_ELEMENTS: usize = 256;

/// `new C { a, b }` calls `Add` for each element.
pub(super) fn leave_initializer(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let mut cursor = node.walk();
    let is_element = |child: &Node<'_>| !child.is_extra() && child.kind() != "assignment_expression";
    let elements: Vec<Node<'_>> = node.named_children(&mut cursor).filter(is_element).take(MAX_ELEMENTS).collect();
    let created = parent.and_then(|parent| find_created(cx, parent));
    let (Some(of), Some(&first)) = (created, elements.first()) else {
        // That of an array.
        let items: Vec<ExprId> = elements.iter().filter_map(|&child| cx.find_known(Some(child))).collect();
        let items = cx.builder.list(&items);
        let expr = cx.builder.expr(Expr::Collection { kind: Collection::List, items });
        cx.set_expr(node, expr);
        return;
    };
    let base = cx.builder.expr(Expr::Instance { of });
    let add = cx.builder.name("Add");
    let (pos, enclosing) = (cx.source.pos(first), cx.enclosing());
    let arity = if first.kind() == "initializer_expression" { first.named_child_count() as u8 } else { 1 };
    let expr = cx.builder.expr(Expr::Implicit { base, name: add });
    cx.builder.reference(Reference { expr, role: Role::Call, inexact: false, arity, pos, enclosing });
    // What is expected of a function depends on the parameter of `Add`.
    for element in elements {
        let Some(item) = cx.find_known(Some(element)) else { continue };
        if matches!(cx.builder.facts().expr(item), Expr::Definition(_)) {
            let callee = cx.builder.member(base, "Add");
            let args = cx.builder.list(&[item]);
            cx.builder.expr(Expr::Call { callee, args });
        }
    }
}

/// Names before `=` in an object without a class are new ones.
pub(super) fn enter_anonymous(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    skip_assigned_names(cx, node);
    Enter::Descend
}

fn skip_assigned_names(cx: &mut Outline<'_>, node: Node<'_>) {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
    for pair in children.windows(2) {
        if pair[0].kind() == "identifier" && pair[1].kind() == "=" {
            cx.mark(pair[0], Mark::Skip);
        }
    }
}

pub(super) fn enter_with(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    skip_assigned_names(cx, node);
    Enter::Descend
}

/// `x with { A = 1 }` writes members of a copy of `x`.
pub(super) fn leave_with(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let Some(base) = parent.and_then(|parent| cx.find_known(parent.named_child(0))) else { return };
    let Some(name) = node.named_child(0).filter(|name| name.kind() == "identifier") else { return };
    let text = cx.name_text(name);
    let expr = cx.builder.member(base, text);
    cx.refer_with(expr, Role::Write, u8::MAX, name);
}

/// `new T[…] { … }`
pub(super) fn leave_array(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(of) = cx.find_known(node.child_by_field_name("type")) else { return };
    // The type is that of the list.
    let expr = cx.builder.expr(Expr::Instance { of });
    cx.set_expr(node, expr);
}
