//! Calls that C++ code makes without naming a function: operators, constructors, destructors, iteration.
//!
//! Each is a call of [`Expr::Implicit`]: a value, or the type that is constructed, and the name of the function.

use tree_sitter::Node;

use crate::facts::{CONSTRUCTOR, DESTRUCTOR, Expr, ExprId, Literal, Reference, Role, ScopeKind};
use crate::languages::c::declarator::{declarators, find_declared};
use crate::languages::c::{given, rules};
use crate::languages::outline::{Mark, Outline};
use crate::walk::Enter;

/// Functions that construct a value of their first type argument.
const MAKERS: &[&str] = &[
    "make_unique", "make_shared", "make_unique_for_overwrite", "make_shared_for_overwrite", "allocate_shared",
    "make_optional", "make_any", "construct_at",
];
/// Makers whose first argument does not go to the constructor.
const MAKERS_AT: &[&str] = &["allocate_shared", "construct_at"];
/// Methods of containers that construct an element.
const EMPLACERS: &[&str] =
    &["emplace", "emplace_back", "emplace_front", "emplace_hint", "emplace_after", "try_emplace"];
/// The methods of an iterator that a loop over a range calls, with their number of arguments.
const OF_ITERATORS: &[(&str, usize)] = &[("operator!=", 1), ("operator++", 0), ("operator*", 0)];
/// Conversion of a condition.
const TO_BOOL: &str = "operator bool";

/// Adds a call that is not written; returns its value.
fn call(cx: &mut Outline<'_>, of: ExprId, function: &str, args: &[ExprId], at: Node<'_>) -> ExprId {
    let (callee, value) = value_of_call(cx, of, function, args);
    refer(cx, callee, args.len(), at, false);
    value
}

/// Like [`call`], where the language may do without the call.
fn possible_call(cx: &mut Outline<'_>, of: ExprId, function: &str, args: &[ExprId], at: Node<'_>) {
    let (callee, _) = value_of_call(cx, of, function, args);
    refer(cx, callee, args.len(), at, true);
}

fn value_of_call(cx: &mut Outline<'_>, base: ExprId, function: &str, args: &[ExprId]) -> (ExprId, ExprId) {
    let name = cx.builder.name(function);
    let callee = cx.builder.expr(Expr::Implicit { base, name });
    let args = cx.builder.list(args);
    (callee, cx.builder.expr(Expr::Call { callee, args }))
}

fn refer(cx: &mut Outline<'_>, expr: ExprId, args: usize, at: Node<'_>, inexact: bool) {
    if !matches!(cx.builder.facts().expr(expr), Expr::Implicit { .. }) {
        return;
    }
    let arity = u8::try_from(args).unwrap_or(u8::MAX);
    let (pos, enclosing) = (cx.source.pos(at), cx.enclosing());
    cx.builder.reference_at(Reference { expr, role: Role::Call, inexact, arity, pos, enclosing }, at.start_byte());
}

/// The expression of an operand, unless it is known not to be of a class.
fn operand(cx: &Outline<'_>, node: Node<'_>) -> Option<ExprId> {
    let expr = cx.find_known(Some(node))?;
    let is_plain = matches!(cx.builder.facts().expr(expr), Expr::Literal(_) | Expr::Unknown);
    (!is_plain && node.kind() != "this").then_some(expr)
}

/// After an expression: the operators in it.
pub(super) fn leave_expression(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    match node.kind() {
        "binary_expression" => leave_binary(cx, node),
        "unary_expression" | "update_expression" => leave_unary(cx, node),
        "pointer_expression" => leave_pointer(cx, node),
        "field_expression" => leave_field(cx, node),
        "delete_expression" => leave_delete(cx, node),
        // The condition of `if` and of loops.
        "condition_clause" => {
            if let Some(value) = node.child_by_field_name("value") {
                to_bool(cx, value);
            }
        }
        _ => {}
    }
}

/// `a + b`, `a == b`, `a << b`: an operator of the left operand, or a function of both.
fn leave_binary(cx: &mut Outline<'_>, node: Node<'_>) {
    let fields = ["left", "operator", "right"].map(|field| node.child_by_field_name(field));
    let [Some(left), Some(operator), Some(right)] = fields else { return };
    let text = cx.text(operator);
    if text.starts_with(char::is_alphabetic) {
        return;
    }
    if matches!(text, "&&" | "||") {
        [left, right].into_iter().for_each(|side| to_bool(cx, side));
    }
    if operand(cx, left).is_none() && operand(cx, right).is_none() {
        return;
    }
    let (left, right) = (cx.expr_of(left), cx.expr_of(right));
    let value = call(cx, left, &format!("operator{text}"), &[right], operator);
    let compares = matches!(text, "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||");
    let value = if compares { cx.builder.expr(Expr::Literal(Literal::Bool)) } else { value };
    cx.set_expr(node, value);
}

/// `!a`, `-a`, `++a`, `a--`.
fn leave_unary(cx: &mut Outline<'_>, node: Node<'_>) {
    let (Some(argument), Some(operator)) = (node.child_by_field_name("argument"), node.child_by_field_name("operator"))
    else {
        return;
    };
    let Some(of) = operand(cx, argument) else { return };
    let text = cx.text(operator);
    if text.starts_with(char::is_alphabetic) {
        return;
    }
    if text == "!" {
        to_bool(cx, argument);
    }
    // `a++` passes a number that nobody sees.
    let is_postfix = operator.start_byte() > argument.start_byte();
    let number = is_postfix.then(|| cx.builder.expr(Expr::Literal(Literal::Int)));
    let value = call(cx, of, &format!("operator{text}"), number.as_slice(), operator);
    if text != "!" {
        cx.set_expr(node, value);
    }
}

/// `*a`: pointers are transparent here, so the value stays that of `a`.
fn leave_pointer(cx: &mut Outline<'_>, node: Node<'_>) {
    let (Some(argument), Some(operator)) = (node.child_by_field_name("argument"), node.child_by_field_name("operator"))
    else {
        return;
    };
    if let Some(of) = operand(cx, argument).filter(|_| cx.text(operator) == "*") {
        call(cx, of, "operator*", &[], operator);
    }
}

/// `a[i]`.
pub(super) fn leave_subscript(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    rules::leave_subscript(cx, node, parent);
    let (Some(argument), Some(indices)) = (node.child_by_field_name("argument"), node.child_by_field_name("indices"))
    else {
        return;
    };
    let Some(of) = operand(cx, argument) else { return };
    let mut cursor = indices.walk();
    let items: Vec<Node<'_>> = indices.named_children(&mut cursor).filter(|item| !item.is_extra()).collect();
    let args: Vec<ExprId> = items.into_iter().map(|item| cx.expr_of(item)).collect();
    call(cx, of, "operator[]", &args, indices);
}

/// `a->b`.
fn leave_field(cx: &mut Outline<'_>, node: Node<'_>) {
    let (Some(argument), Some(operator)) = (node.child_by_field_name("argument"), node.child_by_field_name("operator"))
    else {
        return;
    };
    if let Some(of) = operand(cx, argument).filter(|_| cx.text(operator) == "->") {
        call(cx, of, "operator->", &[], operator);
    }
}

/// `a = b`, `a += b`.
pub(super) fn record_assigned(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    given::record_assigned(cx, node, parent);
    let fields = ["left", "operator", "right"].map(|field| node.child_by_field_name(field));
    let [Some(left), Some(operator), Some(right)] = fields else { return };
    let Some(of) = operand(cx, left) else { return };
    let text = cx.text(operator);
    if !text.starts_with(char::is_alphabetic) {
        let right = cx.expr_of(right);
        call(cx, of, &format!("operator{text}"), &[right], operator);
    }
}

/// A value that must be true or false.
fn to_bool(cx: &mut Outline<'_>, node: Node<'_>) {
    let is_value =
        matches!(node.kind(), "identifier" | "field_expression" | "call_expression" | "qualified_identifier");
    if let Some(of) = operand(cx, node).filter(|_| is_value) {
        call(cx, of, TO_BOOL, &[], node);
    }
}

/// `for (x : range)` calls `begin` and `end` of the range, and operators of what they return.
pub(super) fn iterates(cx: &mut Outline<'_>, range: Option<Node<'_>>) {
    let Some((range, of)) = range.and_then(|range| Some((range, operand(cx, range)?))) else { return };
    let begin = call(cx, of, "begin", &[], range);
    let end = call(cx, of, "end", &[], range);
    for (operator, args) in OF_ITERATORS {
        call(cx, begin, operator, if *args == 0 { &[] } else { std::slice::from_ref(&end) }, range);
    }
}

/// `delete p`.
fn leave_delete(cx: &mut Outline<'_>, node: Node<'_>) {
    if let Some((at, of)) = node.named_child(0).and_then(|child| Some((child, operand(cx, child)?))) {
        call(cx, of, DESTRUCTOR, &[], at);
    }
}

/// `make_unique<T>(…)`, `list.emplace_back(…)`.
pub(super) fn makes(cx: &mut Outline<'_>, call: Node<'_>) {
    let Some(function) = call.child_by_field_name("function") else { return };
    let args = call.child_by_field_name("arguments");
    // The element of a container is only possible: it may hold another class.
    if function.kind() == "field_expression" {
        let (Some(name), Some(base)) =
            (function.child_by_field_name("field"), function.child_by_field_name("argument"))
        else {
            return;
        };
        if EMPLACERS.contains(&cx.text(name)) {
            let base = cx.expr_of(base);
            let element = cx.builder.expr(Expr::Element { base });
            let args = argument_exprs(cx, args);
            possible_call(cx, element, CONSTRUCTOR, &args, name);
        }
        return;
    }
    // The type is written, so its constructor is certain.
    let last = super::parts(function).pop().filter(|last| last.kind() == "template_function");
    let Some((name, types)) = last.and_then(|last| Some((super::plain(last), last.child_by_field_name("arguments")?)))
    else {
        return;
    };
    let text = cx.text(name);
    if !MAKERS.contains(&text) {
        return;
    }
    if let Some((ty, of)) = types.named_child(0).and_then(|ty| Some((ty, cx.find_known(Some(ty))?))) {
        let mut args = argument_exprs(cx, args);
        if MAKERS_AT.contains(&text) && !args.is_empty() {
            args.remove(0);
        }
        self::call(cx, of, CONSTRUCTOR, &args, ty);
    }
}

fn argument_exprs(cx: &mut Outline<'_>, args: Option<Node<'_>>) -> Vec<ExprId> {
    let Some(args) = args else { return Vec::new() };
    let mut cursor = args.walk();
    let nodes: Vec<Node<'_>> = args.named_children(&mut cursor).filter(|arg| !arg.is_extra()).collect();
    nodes.into_iter().map(|arg| cx.expr_of(arg)).collect()
}

/// `member(value)` of a constructor names a field or a base class: both are found from inside of the class.
pub(super) fn enter_initializer(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(name) = node.named_child(0) else { return Enter::Descend };
    let arity = cx.arity(node.named_child(1));
    match name.kind() {
        "field_identifier" => {
            let text = cx.name_text(name);
            let expr = cx.bare_name(text);
            cx.refer_with(expr, Role::Write, u8::MAX, name);
            cx.set_expr(name, expr);
        }
        "template_method" => {
            if let Some(base) = name.child_by_field_name("name") {
                let text = cx.name_text(base);
                let expr = cx.bare_name(text);
                cx.refer_with(expr, Role::Call, arity, base);
            }
        }
        "qualified_identifier" => cx.mark(name, Mark::Call(arity)),
        _ => {}
    }
    Enter::Descend
}

/// The constructor that an initialiser of a member or base class calls.
pub(super) fn leave_initializer(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(name) = node.named_child(0).filter(|name| name.kind() == "field_identifier") else { return };
    if let Some(of) = cx.find_known(Some(name)) {
        let args = argument_exprs(cx, node.named_child(1));
        if let [value] = *args.as_slice() {
            cx.builder.store(of, value);
        }
        call(cx, of, CONSTRUCTOR, &args, name);
    }
}

/// A declaration of variables constructs them: `Type a;`, `Type a(x);`, `Type a{x};`.
pub(super) fn enter_declaration(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let inside = matches!(cx.scope_kind(), ScopeKind::Function | ScopeKind::Block);
    let ty = node.child_by_field_name("type");
    let is_named = |ty: &Node<'_>| matches!(ty.kind(), "type_identifier" | "qualified_identifier" | "template_type");
    if let Some(ty) = ty.filter(is_named)
        && parent.is_none_or(|parent| parent.kind() != "function_definition")
        && !is_extern(cx, node)
    {
        let arities = declarators(node).into_iter().find_map(|one| constructs(cx, one, inside));
        if let Some(arity) = arities {
            cx.mark(ty, Mark::Call(arity));
        }
    }
    rules::enter_declaration(cx, node, parent)
}

fn is_extern(cx: &Outline<'_>, node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| {
        child.kind() == "storage_class_specifier" && cx.text(child) == "extern"
            || child.kind() == "type_qualifier" && cx.text(child) == "typedef"
    })
}

/// The number of arguments that a declarator constructs its variable with, if it does.
fn constructs(cx: &Outline<'_>, one: Node<'_>, inside: bool) -> Option<u8> {
    let found = find_declared(one)?;
    let value = one.child_by_field_name("value");
    match one.kind() {
        "identifier" => Some(0),
        "array_declarator" if !found.pointer && !found.function_pointer && found.parameters.is_none() => Some(0),
        "init_declarator" if !found.pointer => {
            let list = value.filter(|value| matches!(value.kind(), "argument_list" | "initializer_list"))?;
            // `Type name = {…}` may be an array or an aggregate.
            let assigned = cx.text(one).trim_end_matches(cx.text(list)).trim_end().ends_with('=');
            let is_plain = one.child_by_field_name("declarator").is_some_and(|name| name.kind() == "identifier");
            (is_plain && !assigned).then(|| cx.arity(Some(list)))
        }
        "function_declarator" if inside => {
            let is_plain = one.child_by_field_name("declarator").is_some_and(|name| name.kind() == "identifier");
            is_plain.then(|| cx.arity(one.child_by_field_name("parameters")))
        }
        _ => None,
    }
}

/// `Type a = b;` and `Type a = {b};` may call a constructor.
pub(super) fn leave_declaration(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    rules::leave_declaration(cx, node, parent);
    let Some(of) = node.child_by_field_name("type").and_then(|ty| operand(cx, ty)) else { return };
    pass_to_constructor(cx, node, of);
    for one in declarators(node).into_iter().filter(|one| one.kind() == "init_declarator") {
        let Some(value) = one.child_by_field_name("value") else { continue };
        let is_plain =
            find_declared(one).is_some_and(|found| !found.pointer && !found.array && found.parameters.is_none());
        // What a call returns is not copied.
        let is_assigned = cx.text(one).trim_end_matches(cx.text(value)).trim_end().ends_with('=');
        let args = match value.kind() {
            // What an expression makes is not copied.
            "call_expression" | "new_expression" | "compound_literal_expression" => continue,
            "initializer_list" if is_assigned => argument_exprs(cx, Some(value)),
            "argument_list" | "initializer_list" => continue,
            _ => vec![cx.expr_of(value)],
        };
        if is_plain {
            possible_call(cx, of, CONSTRUCTOR, &args, one);
        }
    }
}

/// `Type a(f);`, `Type a{f};`: a call with the arguments, which functions may be among.
fn pass_to_constructor(cx: &mut Outline<'_>, node: Node<'_>, of: ExprId) {
    for one in declarators(node).into_iter().filter(|one| one.kind() == "init_declarator") {
        let list = one.child_by_field_name("value");
        let list = list.filter(|list| matches!(list.kind(), "argument_list" | "initializer_list"));
        let Some(list) = list else { continue };
        let mut cursor = list.walk();
        let args: Vec<Node<'_>> = list.named_children(&mut cursor).filter(|arg| !arg.is_extra()).collect();
        let unknown = cx.builder.unknown();
        let args: Vec<ExprId> = args.into_iter().map(|arg| cx.find_known(Some(arg)).unwrap_or(unknown)).collect();
        if args.iter().any(|&arg| cx.builder.facts().may_be_function(arg)) {
            let args = cx.builder.list(&args);
            cx.builder.expr(Expr::Call { callee: of, args });
        }
    }
}

/// A member is constructed by the constructors of its class, with its own initialiser or without.
pub(super) fn leave_member(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    rules::leave_declaration(cx, node, parent);
    let Some(of) = node.child_by_field_name("type").and_then(|ty| operand(cx, ty)) else { return };
    let is_value = |found: &crate::languages::c::declarator::Declared<'_>| {
        !found.pointer && !found.function_pointer && found.parameters.is_none()
    };
    let mut names = declarators(node).into_iter().filter_map(find_declared).filter(is_value).map(|found| found.name);
    let Some(name) = names.next() else { return };
    let value = node.child_by_field_name("default_value").filter(|value| value.kind() == "initializer_list");
    if node.child_by_field_name("default_value").is_none() || value.is_some() {
        let args = argument_exprs(cx, value);
        possible_call(cx, of, CONSTRUCTOR, &args, name);
    }
}

/// The name of an operator without the spaces that may be in it: `operator==`, `operator bool`, `operator new[]`.
pub(super) fn operator_name(text: &str) -> Option<String> {
    let rest = text.strip_prefix("operator")?;
    if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let rest = rest.trim();
    let is_word = rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let words: Vec<&str> = rest.split_whitespace().collect();
    Some(if is_word { format!("operator {}", words.join(" ")) } else { format!("operator{}", words.concat()) })
}
