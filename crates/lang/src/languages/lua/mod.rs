//! Lua: `require`, what a file returns, functions named by paths, methods with an implicit receiver.
//!
//! A table is what is written to its name: `function M.f() end`, `M.f = function() end` and `local M = { f = … }` all
//! define the member `f` of `M`. A value with a metatable has the members of its `__index`.

use tree_sitter::Node;

use super::outline::common::{block, descend, mentions, nothing};
use super::outline::{Define, Draft, Extractor, Grammar, Mark, NoBody, Outline, Pick, Rule, field};
use crate::facts::{DefId, DefKind, Expr, ExprId, FileFacts, ImportKind, NameId, ParameterKind, ScopeKind, Visibility};
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
    ("function_definition", Rule::Custom(lambda, nothing)),
    ("variable_declaration", Rule::Custom(enter_local, leave_local)),
    ("assignment_statement", Rule::Custom(enter_assignment, leave_assignment)),
    ("variable_list", Rule::List),
    ("expression_list", Rule::List),
    ("attribute", Rule::Skip),
    ("for_statement", Rule::Custom(enter_for, leave_for)),
    ("block", Rule::Block),
    ("return_statement", Rule::Custom(descend, leave_return)),
    ("goto_statement", Rule::Skip),
    ("label_statement", Rule::Skip),
    ("vararg_expression", Rule::Custom(vararg, nothing)),
    ("function_call", Rule::Custom(enter_call, leave_call)),
    ("arguments", Rule::Values),
    ("dot_index_expression", Rule::Member(field("table"), field("field"))),
    ("method_index_expression", Rule::Member(field("table"), field("method"))),
    ("bracket_index_expression", Rule::Index(field("table"))),
    ("parenthesized_expression", Rule::Forward),
    // Members are added to tables later: what one has at first says little.
    ("table_constructor", Rule::Plain),
    ("field", Rule::Custom(enter_field, leave_field)),
    ("identifier", Rule::Name),
];

/// A function of a table extends it: `function Pool.new()`, and with a receiver `function Pool:get()`.
fn adjust<'t>(_: &mut Outline<'_>, node: Node<'t>, _: Option<Node<'t>>, draft: &mut Draft<'_, 't>) {
    if let Some(value) = assigned_function(node) {
        draft.params = value.child_by_field_name("parameters");
        draft.body = value.child_by_field_name("body");
        draft.bound &= node.kind() != "field";
    }
    let Some(name) = draft.name_node else { return };
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
    let place = read_place(cx, name);
    let id = cx.open_named(&FUNCTION, node, parent, name, text);
    if id.is_some() && name.kind() == "method_index_expression" {
        cx.add_parameter("self", ParameterKind::Receiver, None, None);
    }
    write_member(cx, place, id);
    if member.is_some() {
        // The name as a whole does not use a member that exists already.
        cx.mark(name, Mark::Part);
    }
    Enter::Descend
}

/// A table, and the name of a member of it.
type Place = (ExprId, NameId);

/// The member that a name such as `M.a.f` means, seen from here.
fn read_place(cx: &mut Outline<'_>, name: Node<'_>) -> Option<Place> {
    /// Names of a path that are followed.
    const MAX_NAMES: usize = 16;
    let mut names = Vec::new();
    let mut at = name;
    while at.kind() != "identifier" {
        if names.len() == MAX_NAMES {
            return None;
        }
        names.push(at.child_by_field_name("field").or(at.child_by_field_name("method"))?);
        at = at.child_by_field_name("table")?;
    }
    let mut base = cx.bare_name(cx.text(at));
    let member = cx.builder.name(cx.text(*names.first()?));
    for name in names[1..].iter().rev() {
        let name = cx.builder.name(cx.text(*name));
        base = cx.builder.expr(Expr::Member { base, name });
    }
    Some((base, member))
}

/// A function of a table is a member of it.
fn write_member(cx: &mut Outline<'_>, place: Option<Place>, id: Option<DefId>) {
    if let (Some((base, member)), Some(id)) = (place, id) {
        let value = cx.builder.expr(Expr::Definition(id));
        cx.builder.member_write(base, member, value);
    }
}

/// A function without a name, unless what is around it named it.
fn lambda(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if cx.current_mark() != Mark::Part {
        cx.open_define(&Define::LAMBDA, node, parent);
    }
    Enter::Descend
}

/// The function that a statement or a field gives a name: `local f = function`, `M.f = function`, `f = function`.
fn assigned_function(node: Node<'_>) -> Option<Node<'_>> {
    let value = match node.kind() {
        "field" => node.child_by_field_name("value"),
        "variable_declaration" | "assignment_statement" => match values(inner(node)).as_slice() {
            [value] if targets(inner(node)).len() == 1 => Some(*value),
            _ => None,
        },
        _ => None,
    };
    value.filter(|value| value.kind() == "function_definition")
}

/// Opens the function that a node gives a name; `false` if it does not.
fn open_assigned<'t>(cx: &mut Outline<'_>, node: Node<'t>, parent: Option<Node<'t>>) -> bool {
    let Some((value, name, member)) = find_named(node) else { return false };
    // A variable of a function may get several functions.
    let is_variable = node.kind() == "assignment_statement" && name.id() == member.id();
    if is_variable && cx.scope_kind() != ScopeKind::File {
        return false;
    }
    let (text, place) = (cx.text(member).to_owned(), read_place(cx, name));
    let id = cx.open_named(&FUNCTION, node, parent, name, text);
    if id.is_none() {
        return false;
    }
    cx.mark(value, Mark::Part);
    write_member(cx, place, id);
    if member.id() != name.id() {
        // The name as a whole does not use a member that exists already.
        cx.mark(name, Mark::Part);
    }
    if let (Some(id), "field") = (id, node.kind()) {
        let function = cx.builder.expr(Expr::Definition(id));
        cx.set_expr(node, function);
    }
    true
}

/// The function that a node gives a name, the name as written, and its last part.
fn find_named(node: Node<'_>) -> Option<(Node<'_>, Node<'_>, Node<'_>)> {
    let value = assigned_function(node)?;
    let name = match node.kind() {
        "field" => node.child_by_field_name("name").filter(|name| name.kind() == "identifier")?,
        _ => targets(inner(node)).into_iter().next()?,
    };
    let member = match name.kind() {
        "identifier" => name,
        "dot_index_expression" => name.child_by_field_name("field")?,
        _ => return None,
    };
    Some((value, name, member))
}

/// What a file returns is what others get by `require`: a value, or a table of members.
fn leave_return(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let Some(list) = Pick::Last.get(node, None) else { return };
    let value = Pick::Nth(0).get(list, None).filter(|_| list.kind() == "expression_list").unwrap_or(list);
    if cx.scope_kind() != ScopeKind::File {
        let value = cx.expr_of(list);
        cx.record_returned(value);
        return;
    }
    let pos = cx.source.pos(value);
    for (member, value) in list_members(cx, value) {
        cx.builder.export(member, value, pos);
    }
    let value = cx.expr_of(value);
    cx.builder.export(FileFacts::EXPORT_ASSIGN, value, pos);
}

/// Names and values of the members that are written in a table.
fn list_members<'a>(cx: &Outline<'a>, table: Node<'_>) -> Vec<(&'a str, ExprId)> {
    if table.kind() != "table_constructor" {
        return Vec::new();
    }
    let fields = Pick::Kind(&["field"]).all(table, None).into_iter();
    let member = |field: Node<'_>| {
        let name = field.child_by_field_name("name").filter(|name| name.kind() == "identifier")?;
        Some((cx.text(name), cx.find_known(Some(field))?))
    };
    fields.filter_map(member).collect()
}

/// The table with the members of a value that has this metatable: what its `__index` is, else the metatable itself.
fn find_index(cx: &Outline<'_>, metatable: Node<'_>) -> Option<ExprId> {
    match metatable.kind() {
        "table_constructor" => {
            list_members(cx, metatable).into_iter().find(|(name, _)| *name == "__index").map(|(_, value)| value)
        }
        _ => cx.find_known(Some(metatable)),
    }
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

/// Returns whether a value is what has a name already: another file, a member of something. A local name of it is not a
/// variable of this file.
fn is_alias(cx: &Outline<'_>, value: Option<&Node<'_>>) -> bool {
    let Some(value) = value else { return false };
    match value.kind() {
        "function_call" => value.child_by_field_name("name").is_some_and(|name| cx.text(name) == "require"),
        kind => matches!(kind, "dot_index_expression" | "identifier"),
    }
}

/// `local type = type` and `local type = compat and compat.type or type`: the name means what it means outside.
fn is_outer_name(cx: &Outline<'_>, value: Node<'_>, name: Node<'_>) -> bool {
    let last = value.child_by_field_name("right").filter(|_| value.kind() == "binary_expression").unwrap_or(value);
    last.kind() == "identifier" && cx.text(last) == cx.text(name)
}

fn enter_local(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if open_assigned(cx, node, parent) {
        cx.mark(inner(node), Mark::Part);
        return Enter::Descend;
    }
    let global = cx.scope_kind() == ScopeKind::File;
    let mut ids = Vec::new();
    let values = values(inner(node));
    for (index, name) in targets(inner(node)).into_iter().enumerate() {
        cx.mark(name, Mark::Skip);
        let is_outer = values.get(index).is_some_and(|value| is_outer_name(cx, *value, name));
        if global && !is_outer && !is_alias(cx, values.get(index)) {
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
    // `local f = bind(f)`: the value means what had the name before.
    let hides = |name: &Node<'_>| values.iter().any(|value| mentions(cx.text(*value), cx.text(*name)));
    if !global && targets(inner).iter().any(hides) {
        cx.open_scope_after_and_here(ScopeKind::Block);
    }
    for (index, name) in targets(inner).into_iter().enumerate() {
        let value = cx.find_known(values.get(index).copied());
        if global && values.get(index).is_some_and(|value| is_outer_name(cx, *value, name)) {
            continue;
        }
        if global && !is_alias(cx, values.get(index)) {
            if let Some(id) = ids.next() {
                // A table is known by the variable that has it first.
                let is_table = values.get(index).is_some_and(|value| value.kind() == "table_constructor");
                let value = if is_table { Some(cx.builder.expr(Expr::Definition(id))) } else { value };
                cx.add_value(id, value);
            }
        } else {
            cx.bind_local(name, None, value);
        }
        let members = values.get(index).map_or_else(Vec::new, |value| list_members(cx, *value));
        if !members.is_empty() {
            let base = cx.bare_name(cx.text(name));
            for (member, value) in members {
                let member = cx.builder.name(member);
                cx.builder.member_write(base, member, value);
            }
        }
    }
}

fn enter_assignment(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if cx.current_mark() == Mark::Part {
        return Enter::Descend;
    }
    if open_assigned(cx, node, parent) {
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
        } else if let ("identifier", Some(value)) = (target.kind(), value) {
            let variable = cx.bare_name(cx.text(target));
            cx.builder.store(variable, value);
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
            let id = cx.add_import(ImportKind::Module, cx.text(content), None, text);
            let expr = cx.builder.expr(Expr::Import(id));
            cx.set_expr(node, expr);
        }
        return;
    }
    cx.leave_expr(Rule::Call(field("name"), field("arguments")), node, parent);
    let is_object = node.child_by_field_name("name").is_some_and(|name| cx.text(name) == "setmetatable");
    let metatable = arguments.filter(|_| is_object).and_then(|arguments| Pick::Nth(1).get(arguments, None));
    if let Some(index) = metatable.and_then(|metatable| find_index(cx, metatable)) {
        cx.set_expr(node, index);
    }
}

fn enter_field(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    if open_assigned(cx, node, parent) {
        return Enter::Descend;
    }
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
