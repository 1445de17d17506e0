//! Packages and imports.

use tree_sitter::Node;

use super::super::outline::common::nothing;
use super::super::outline::rules::Label;
use super::super::outline::{Define, Outline, Rule};
use crate::facts::{
    BindingTarget, DefKind, Expr, ExprId, FactsBuilder, FileFacts, Import, ImportFlags, ImportId, ImportKind, NameId,
    Namespace, PathRoot, ScopeId,
};
use crate::walk::Enter;

static PACKAGE: Define = Define::like_class(DefKind::Module);

pub(super) const PACKAGE_CLAUSE: Rule = Rule::Custom(package, nothing);
pub(super) const IMPORT: Rule = Rule::Custom(import, nothing);

/// A name with dots, without white space.
fn write_plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != '`').collect()
}

/// `package a.b` at the top of a file; with a body a namespace inside of it. A file sees what every one of its clauses
/// names, which is remembered under a name of its own.
fn package(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let Some(name) = node.child_by_field_name("name") else { return Enter::Skip };
    if node.child_by_field_name("body").is_some() {
        let text = write_plain(cx.text(name));
        cx.open_named(&PACKAGE, node, parent, name, text);
        return Enter::Descend;
    }
    let text = write_plain(cx.text(name));
    let before = cx.builder.facts().package.map(|before| format!("{}.{text}", cx.builder.facts().name(before)));
    let whole = before.unwrap_or(text);
    let clause = cx.builder.name(&format!("{}{whole}", FileFacts::PACKAGE_CLAUSE));
    cx.builder.bind(FactsBuilder::FILE, clause, Namespace::Macro, BindingTarget::Opaque);
    let name = cx.builder.name(&whole);
    cx.builder.facts_mut().package = Some(name);
    Enter::Skip
}

/// `import a.b.C`, `import a.b.{C, D => E, _}`, `import a.b._, c.*`.
fn import(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let mut cursor = node.walk();
    let mut path: Vec<Node<'_>> = Vec::new();
    let mut last: Option<Node<'_>> = None;
    for child in node.children(&mut cursor) {
        match child.kind() {
            "," => {
                bring(cx, &path, last.take());
                path.clear();
            }
            "identifier" | "operator_identifier" => path.push(child),
            "namespace_selectors" | "namespace_wildcard" | "as_renamed_identifier" | "arrow_renamed_identifier" => {
                last = Some(child);
            }
            _ => {}
        }
    }
    bring(cx, &path, last);
    Enter::Skip
}

/// The import of one path, with what is selected at its end.
fn bring(cx: &mut Outline<'_>, path: &[Node<'_>], last: Option<Node<'_>>) {
    match last {
        None => {
            let Some((&name, path)) = path.split_last() else { return };
            let path = write_path(cx, path);
            add(cx, path, Some((name, name)), name);
        }
        Some(last) => {
            let path = write_path(cx, path);
            select(cx, path, last);
        }
    }
}

/// The path as an expression: its first name is looked up in packages, unless the file itself has it.
fn write_path(cx: &mut Outline<'_>, path: &[Node<'_>]) -> ExprId {
    let scope = cx.scope();
    let mut expr = cx.builder.expr(Expr::Root { root: PathRoot::Global, scope });
    for &name in path {
        let text = cx.name_text(name);
        if text != "_root_" {
            expr = cx.builder.member(expr, text);
        }
    }
    expr
}

/// Maximum number of names that one import selects.
const MAX_SELECTED: usize = 1_024;

fn select(cx: &mut Outline<'_>, path: ExprId, last: Node<'_>) {
    match last.kind() {
        "namespace_wildcard" => add(cx, path, None, last),
        "as_renamed_identifier" | "arrow_renamed_identifier" => {
            let (Some(name), Some(alias)) = (last.child_by_field_name("name"), last.child_by_field_name("alias"))
            else {
                return;
            };
            // `{A => _}` hides the name.
            if cx.text(alias) != "_" {
                add(cx, path, Some((name, alias)), name);
            }
        }
        "identifier" | "operator_identifier" => add(cx, path, Some((last, last)), last),
        "namespace_selectors" => {
            let mut cursor = last.walk();
            let selected: Vec<Node<'_>> = last.named_children(&mut cursor).take(MAX_SELECTED).collect();
            for one in selected.into_iter().filter(|one| one.kind() != "namespace_selectors") {
                select(cx, path, one);
            }
        }
        _ => {}
    }
}

/// One imported name, or all of them.
fn add(cx: &mut Outline<'_>, path: ExprId, names: Option<(Node<'_>, Node<'_>)>, at: Node<'_>) {
    // Givens are found by their types, not by names.
    if names.is_none() && cx.text(at) == "given" {
        return;
    }
    let text = names.map(|(name, alias)| (cx.name_text(name), cx.name_text(alias)));
    let kind = match text {
        Some((name, _)) => ImportKind::Symbol(cx.builder.name(name)),
        None => ImportKind::Wildcard,
    };
    let alias = text.map(|(_, alias)| cx.builder.name(alias));
    let module = cx.builder.name("");
    let (scope, pos) = (cx.scope(), cx.source.pos(at));
    let flags = ImportFlags::default();
    cx.builder.import(Import { kind, module, level: 0, path: Some(path), scope, pos, flags }, alias);
}

/// Scopes searched for the first name of an import. Deeper nesting is only found in hostile files.
const MAX_SCOPES: usize = 512;

/// Imports whose first name the file itself binds start there, not at a package.
pub(super) fn settle_imports(facts: &mut FileFacts, _: &[Label]) {
    for index in 0..facts.imports.len() {
        let import = facts.imports[index];
        let Some(root) = import.path.and_then(|path| find_root(facts, path)) else { continue };
        let Expr::Member { name, .. } = facts.expr(root) else { continue };
        let Some(scope) = find_binding(facts, import.scope, name, ImportId(index as u32)) else { continue };
        facts.exprs[root.index()] = Expr::Name { name, scope };
    }
}

/// The first member of a path that starts at the root.
fn find_root(facts: &FileFacts, mut path: ExprId) -> Option<ExprId> {
    // Sub-expressions precede their users, so this ends.
    while let Expr::Member { base, .. } = facts.expr(path) {
        if matches!(facts.expr(base), Expr::Root { .. }) {
            return Some(path);
        }
        path = base;
    }
    None
}

/// The scope from which the first name of an import is looked up, if the file binds it: imports further down, and the
/// import itself, do not count.
fn find_binding(facts: &FileFacts, scope: ScopeId, name: NameId, import: ImportId) -> Option<ScopeId> {
    let mut next = Some(scope);
    for _ in 0..MAX_SCOPES {
        let here = next?;
        let is_bound = facts.bindings.iter().any(|binding| {
            binding.scope == here
                && binding.name == name
                && match binding.target {
                    BindingTarget::Import(other) => other < import,
                    _ => true,
                }
        });
        if is_bound {
            return Some(here);
        }
        next = facts.scopes[here.index()].parent;
    }
    None
}

/// Name under which the members of a package object are known: it has none itself.
pub(super) fn name_package_object(cx: &mut Outline<'_>, name: &str) -> NameId {
    cx.builder.name(&format!("{}{name}", FileFacts::PACKAGE_CLAUSE))
}
