//! Names with namespaces: declarations of namespaces, `use`, `require`, qualified names.

use tree_sitter::Node;

use super::super::outline::common::descend;
use super::super::outline::{Mark, Outline, Pick};
use super::NAMESPACE;
use crate::facts::{BindingTarget, Expr, ExprId, FactsBuilder, ImportKind, Namespace, PathRoot, ScopeId, ScopeKind};
use crate::walk::Enter;

/// Names of a qualified name that are kept.
const MAX_PARTS: usize = 64;

/// The first namespace of a file is that of the whole file, with or without a body; each further one holds what stands
/// in it.
pub(super) fn enter_namespace(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let name = node.child_by_field_name("name");
    let is_first = cx.builder.facts().package.is_none()
        && cx.builder.facts().definitions.is_empty()
        && cx.scope() == FactsBuilder::FILE;
    if let Some(name) = name {
        cx.mark(name, Mark::Skip);
    }
    match name {
        Some(name) if is_first => {
            let name = cx.builder.name(cx.text(name));
            cx.builder.facts_mut().package = Some(name);
        }
        Some(_) if node.child_by_field_name("body").is_some() => cx.open_define(&NAMESPACE, node, parent),
        Some(name) => open_rest(cx, node, name),
        None => {}
    }
    Enter::Descend
}

/// `namespace A;` behind another one: it holds all statements that follow.
fn open_rest(cx: &mut Outline<'_>, node: Node<'_>, name: Node<'_>) {
    let text = cx.builder.name(crate::text::clip(cx.text(name), 200));
    let pos = cx.source.pos(name);
    let mut definition = cx.builder.blank_definition(NAMESPACE.kind, text, FactsBuilder::FILE, pos);
    cx.place(&mut definition, node, node.end_byte());
    definition.owner = None;
    let id = cx.builder.definition(definition);
    let Some(scope) = cx.open_scope_after(ScopeKind::Module) else { return };
    let row = &mut cx.builder.facts_mut().scopes[scope.index()];
    (row.parent, row.owner) = (Some(FactsBuilder::FILE), Some(id));
    cx.builder.definition_mut(id).body = Some(scope);
}

/// The name space that a clause imports into, if a word says so.
fn import_namespace(node: Node<'_>) -> Option<Namespace> {
    match node.child_by_field_name("type")?.kind() {
        "function" => Some(Namespace::Callee),
        "const" => Some(Namespace::Value),
        _ => None,
    }
}

/// `use A\B;`, `use A\{B, C as D};`, `use function A\f;`: one import each, the module being what stands before the
/// name.
pub(super) fn enter_uses(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let prefix = Pick::Kind(&["namespace_name"]).get(node, None).map_or("", |prefix| cx.text(prefix));
    let prefix = prefix.trim_start_matches('\\');
    let all = import_namespace(node);
    let body = node.child_by_field_name("body").unwrap_or(node);
    for clause in Pick::Kind(&["namespace_use_clause", "namespace_use_group_clause"]).all(body, None) {
        let Some(path) = Pick::Kind(&["qualified_name", "name", "namespace_name"]).get(clause, None) else { continue };
        let text = cx.text(path).trim_start_matches('\\');
        let (before, name) = text.rsplit_once('\\').unwrap_or(("", text));
        let module = match (prefix, before) {
            ("", before) => before.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, before) => format!("{prefix}\\{before}"),
        };
        let symbol = cx.builder.name(name);
        let alias = clause.child_by_field_name("alias").map(|alias| cx.builder.name(cx.text(alias)));
        let last = Pick::Last.get(path, None).filter(|last| last.kind() == "name").unwrap_or(path);
        let import = cx.add_import(ImportKind::Symbol(symbol), &module, Some(alias.unwrap_or(symbol)), last);
        // Classes, functions and constants have name spaces of their own.
        let namespace = import_namespace(clause).or(all).unwrap_or(Namespace::Type);
        let target = BindingTarget::Import(import);
        if let Some(bound) = cx.builder.facts_mut().bindings.last_mut().filter(|row| row.target == target) {
            bound.namespace = namespace;
        }
    }
    Enter::Skip
}

/// `require 'x.php'` and `require __DIR__ . '/x.php'`, which is relative to this file.
pub(super) fn enter_include(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(mut value) = node.named_child(0) else { return Enter::Skip };
    if value.kind() == "parenthesized_expression" {
        value = value.named_child(0).unwrap_or(value);
    }
    let mut here = "";
    if value.kind() == "binary_expression" {
        let left = value.child_by_field_name("left").map_or("", |left| cx.text(left));
        match value.child_by_field_name("right") {
            Some(right) if left == "__DIR__" || left == "dirname(__FILE__)" => {
                here = ".";
                value = right;
            }
            Some(right) if left == "dirname(__DIR__)" => {
                here = "./..";
                value = right;
            }
            _ => return Enter::Descend,
        }
    }
    if matches!(value.kind(), "string" | "encapsed_string") && value.named_child_count() <= 1 {
        let module = format!("{here}{}", cx.text(value).trim_matches(['\'', '"']));
        cx.add_import(ImportKind::Include, &module, None, value);
        return Enter::Skip;
    }
    Enter::Descend
}

pub(super) fn enter_qualified(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor).collect::<Vec<_>>() {
        cx.mark(child, Mark::Skip);
    }
    descend(cx, node, parent)
}

/// `A\B\c`, `\A\b`, which starts at the global namespace, and `namespace\b`, which starts at the own one.
pub(super) fn leave_qualified(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let scope = cx.scope();
    let text = cx.text(node);
    let expr = resolve_qualified(cx, text, scope);
    let last = Pick::Last.get(node, None).unwrap_or(node);
    cx.finish_expr(node, last, expr);
}

/// The expression of a name as it is written.
pub(super) fn resolve_qualified(cx: &mut Outline<'_>, text: &str, scope: ScopeId) -> ExprId {
    let own = text.strip_prefix("namespace\\").map(|rest| {
        let package = cx.builder.facts().package.map_or("", |package| cx.builder.facts().name(package));
        format!("\\{package}\\{rest}")
    });
    let text = own.as_deref().unwrap_or(text);
    let mut parts = text.split('\\').map(str::trim).take(MAX_PARTS);
    let first = parts.next().unwrap_or("");
    let mut expr: ExprId = if first.is_empty() {
        cx.builder.expr(Expr::Root { root: PathRoot::Global, scope })
    } else {
        cx.builder.name_expr(first, scope)
    };
    for part in parts.filter(|part| !part.is_empty()) {
        expr = cx.builder.path(expr, part);
    }
    expr
}
