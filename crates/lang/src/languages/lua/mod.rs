//! Lua: `require`, functions named by paths, methods with an implicit receiver.

use tree_sitter::Node;

use super::outline::common::{block, descend, nothing};
use super::outline::{Define, Draft, Extractor, Grammar, Mark, NoBody, Outline, Pick, Rule, field};
use crate::facts::{Collection, DefKind, Expr, ImportKind, ParameterKind, ScopeKind, Visibility};
use crate::parse::Layout;
use crate::walk::Enter;

pub(super) static EXTRACTOR: Extractor = Extractor::new(&GRAMMAR);

static GRAMMAR: Grammar = Grammar {
    layout: Layout::Words,
    access: &[("local", Visibility::Private)],
    spreads: &["vararg_expression"],
    adjust,
    ..Grammar::new(|| tree_sitter_lua::LANGUAGE.into(), RULES)
};

static FUNCTION: Define = Define { no_body: NoBody::Nothing, ..Define::FUNCTION };

static RULES: &[(&str, Rule)] = &[
    ("function_declaration", Rule::Custom(function, nothing)),
    ("function_definition", Rule::Define(&Define::LAMBDA)),
    ("variable_declaration", Rule::Custom(enter_local, leave_local)),
    ("assignment_statement", Rule::Custom(enter_assignment, leave_assignment)),
    ("variable_list", Rule::List),
    ("expression_list", Rule::List),
    ("attribute", Rule::Skip),
    ("for_statement", Rule::Custom(enter_for, leave_for)),
    ("block", Rule::Block),
    ("return_statement", Rule::Return),
    ("goto_statement", Rule::Skip),
    ("label_statement", Rule::Skip),
    ("vararg_expression", Rule::Custom(vararg, nothing)),
    ("function_call", Rule::Custom(enter_call, leave_call)),
    ("arguments", Rule::Values),
    ("dot_index_expression", Rule::Member(field("table"), field("field"))),
    ("method_index_expression", Rule::Member(field("table"), field("method"))),
    ("bracket_index_expression", Rule::Index(field("table"))),
    ("parenthesized_expression", Rule::Forward),
    ("table_constructor", Rule::Collection(Collection::Map)),
    ("field", Rule::Custom(enter_field, leave_field)),
    ("identifier", Rule::Name),
];

/// A function of a table extends it: `function Pool.new()`, and with a receiver `function Pool:get()`.
fn adjust<'t>(_: &mut Outline<'_>, node: Node<'t>, _: Option<Node<'t>>, draft: &mut Draft<'_, 't>) {
    let Some(name) = draft.name_node.filter(|_| node.kind() == "function_declaration") else { return };
    let member = name.child_by_field_name("field").or(name.child_by_field_name("method"));
    if let Some(member) = member {
        draft.extends = name.child_by_field_name("table");
        draft.flags.is_static = name.kind() == "dot_index_expression";
        draft.bound = false;
        draft.visit_name = true;
        draft.name_node = Some(member);
    }
}

fn function(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let Some(name) = node.child_by_field_name("name") else { return Enter::Descend };
    let member = name.child_by_field_name("field").or(name.child_by_field_name("method"));
    let text = cx.text(member.unwrap_or(name)).to_owned();
    let before = cx.depth();
    cx.open_named(&FUNCTION, node, parent, name, text);
    if cx.depth() > before && name.kind() == "method_index_expression" {
        cx.add_parameter("self", ParameterKind::Receiver, None, None);
    }
    if member.is_some() {
        // The name as a whole is no use of a member that exists already.
        cx.mark(name, Mark::Part);
    }
    Enter::Descend
}

fn vararg(cx: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if cx.parent_mark() == Mark::Params {
        cx.add_parameter("", ParameterKind::Rest, None, None);
    }
    Enter::Skip
}

/// The assignment inside of a declaration, or the declaration itself if it has no values.
fn inner(node: Node<'_>) -> Node<'_> {
    Pick::Kind(&["assignment_statement"]).get(node, None).unwrap_or(node)
}

fn targets(node: Node<'_>) -> Vec<Node<'_>> {
    let Some(list) = Pick::Kind(&["variable_list"]).get(node, None) else { return Vec::new() };
    let mut cursor = list.walk();
    list.named_children(&mut cursor).filter(|child| !child.is_extra() && child.kind() != "attribute").collect()
}

fn values(node: Node<'_>) -> Vec<Node<'_>> {
    let Some(list) = Pick::Kind(&["expression_list"]).get(node, None) else { return Vec::new() };
    let mut cursor = list.walk();
    list.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

fn enter_local(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let global = cx.scope_kind() == ScopeKind::File;
    let mut ids = Vec::new();
    for name in targets(inner(node)) {
        cx.mark(name, Mark::Skip);
        if global {
            let constant = cx.text(node).contains("<const>");
            let kind = if constant { DefKind::Constant } else { DefKind::Variable };
            if let Some(id) = cx.define_variable(kind, node, name, node, parent) {
                ids.push(id);
                cx.assigned_before(name, id);
            }
        }
    }
    cx.mark(inner(node), Mark::Part);
    if global {
        cx.remember(node, ids);
    }
    Enter::Descend
}

fn leave_local(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let global = cx.has_remembered(node);
    let mut ids = cx.take_remembered(node).into_iter();
    let inner = inner(node);
    let values = values(inner);
    for (index, name) in targets(inner).into_iter().enumerate() {
        let value = cx.find_known(values.get(index).copied());
        if global {
            if let Some(id) = ids.next() {
                cx.add_value(id, value);
            }
        } else {
            cx.bind_local(name, None, value);
        }
    }
}

fn enter_assignment(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if cx.current_mark() == Mark::Part {
        return Enter::Descend;
    }
    for target in targets(node) {
        if target.kind() == "identifier" && cx.scope_kind() == ScopeKind::File {
            cx.mark(target, Mark::Skip);
            cx.assign_global(DefKind::Variable, target, node, None);
        } else {
            cx.mark(target, Mark::Write);
        }
    }
    Enter::Descend
}

/// `table.member = value` adds a member; in the file itself `name = value` defines a variable.
fn leave_assignment(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if cx.current_mark() == Mark::Part {
        return;
    }
    let values = values(node);
    for (index, target) in targets(node).into_iter().enumerate() {
        let value = cx.find_known(values.get(index).copied());
        if target.kind() == "identifier" && cx.scope_kind() == ScopeKind::File {
            cx.assign_global(DefKind::Variable, target, node, value);
        } else if target.kind() == "dot_index_expression"
            && let (Some(table), Some(member)) =
                (target.child_by_field_name("table"), target.child_by_field_name("field"))
        {
            let base = cx.expr_of(table);
            let name = cx.builder.name(cx.text(member));
            let value = value.unwrap_or(cx.builder.unknown());
            cx.builder.member_write(base, name, value);
        }
    }
}

fn for_names(node: Node<'_>) -> Vec<Node<'_>> {
    let Some(clause) = node.child_by_field_name("clause") else { return Vec::new() };
    let names = targets(clause);
    if names.is_empty() { clause.child_by_field_name("name").into_iter().collect() } else { names }
}

fn enter_for(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    for name in for_names(node) {
        cx.mark(name, Mark::Skip);
    }
    block(cx, node, parent)
}

fn leave_for(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    for name in for_names(node) {
        cx.bind_local(name, None, None);
    }
}

fn enter_call(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.child_by_field_name("name") {
        let arity = cx.arity(node.child_by_field_name("arguments"));
        cx.mark(name, if cx.text(name) == "require" { Mark::Skip } else { Mark::Call(arity) });
    }
    descend(cx, node, parent)
}

/// `require("a.b")` is the value of that module.
fn leave_call(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    let arguments = node.child_by_field_name("arguments");
    if node.child_by_field_name("name").is_some_and(|name| cx.text(name) == "require") {
        let text = arguments.and_then(|arguments| Pick::Kind(&["string"]).get(arguments, None));
        let content = text.and_then(|text| text.child_by_field_name("content"));
        if let (Some(text), Some(content)) = (text, content) {
            let id = cx.add_import(ImportKind::Include, cx.text(content), None, text);
            let expr = cx.builder.expr(Expr::Import(id));
            cx.set_expr(node, expr);
        }
        return;
    }
    cx.leave_expr(Rule::Call(field("name"), field("arguments")), node, parent);
}

fn enter_field(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.child_by_field_name("name").filter(|name| name.kind() == "identifier") {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

fn leave_field(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    if let Some(value) = cx.find_known(node.child_by_field_name("value")) {
        cx.set_expr(node, value);
    }
}
