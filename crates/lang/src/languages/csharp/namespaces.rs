//! Namespaces and `using`.

use tree_sitter::Node;

use super::super::outline::{Define, Mark, Outline, Pick};
use crate::facts::{DefKind, Import, ImportFlags, ImportKind};
use crate::walk::Enter;

static NAMESPACE: Define = Define::like_class(DefKind::Module);

/// The name of a namespace or type as one word: without white space, type arguments as their number.
fn write_plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let (mut depth, mut count) = (0usize, 0usize);
    for c in text.strip_prefix("global::").unwrap_or(text).chars() {
        match c {
            '<' => {
                depth += 1;
                count += usize::from(depth == 1);
            }
            '>' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    plain.push_str(&format!("`{count}"));
                    count = 0;
                }
            }
            ',' if depth == 1 => count += 1,
            c if depth > 0 || c.is_whitespace() => {}
            c => plain.push(c),
        }
    }
    plain
}

/// `using` brings the types of a namespace, `using static` the members of a type, an alias the thing itself. A global
/// one does so for all files of the program.
pub(super) fn using(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    let Some(path) = Pick::Last.get(node, None) else { return Enter::Skip };
    let alias = node.child_by_field_name("name");
    let module = cx.builder.name(&write_plain(cx.text(path)));
    let bound = alias.map(|alias| cx.builder.name(cx.text(alias)));
    let kind = if alias.is_some() { ImportKind::Module } else { ImportKind::Wildcard };
    let mut cursor = node.walk();
    let (mut is_static, mut is_global) = (false, false);
    for word in node.children(&mut cursor).filter(|child| !child.is_named()) {
        is_static |= word.kind() == "static";
        is_global |= word.kind() == "global";
    }
    let flags = ImportFlags { reexport: is_global, type_only: !is_static, ..ImportFlags::default() };
    let import = Import { kind, module, level: 0, path: None, scope: cx.scope(), pos: cx.source.pos(path), flags };
    cx.builder.import(import, bound);
    Enter::Skip
}

fn set_package(cx: &mut Outline<'_>, name: Node<'_>) {
    cx.mark(name, Mark::Skip);
    let name = cx.builder.name(&write_plain(cx.text(name)));
    cx.builder.facts_mut().package = Some(name);
}

/// `namespace A;`
pub(super) fn enter_file_namespace(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.child_by_field_name("name") {
        set_package(cx, name);
    }
    Enter::Descend
}

/// `namespace A { … }`: the namespace of the whole file if the file has no other, else a module in it.
pub(super) fn enter_namespace(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    match node.child_by_field_name("name") {
        Some(name) if is_only_one(node, parent) => set_package(cx, name),
        _ => {
            cx.open_define(&NAMESPACE, node, parent);
        }
    }
    Enter::Descend
}

/// Returns whether a namespace is the only one of its file, and nothing is declared outside of it.
fn is_only_one(node: Node<'_>, parent: Option<Node<'_>>) -> bool {
    let declares = |node: &Node<'_>| node.kind().ends_with("_declaration") || node.kind() == "global_statement";
    let Some(parent) = parent.filter(|parent| parent.kind() == "compilation_unit") else { return false };
    let mut cursor = parent.walk();
    if parent.named_children(&mut cursor).any(|child| child != node && declares(&child)) {
        return false;
    }
    let Some(body) = node.child_by_field_name("body") else { return true };
    let mut cursor = body.walk();
    !body.named_children(&mut cursor).any(|child| child.kind() == "namespace_declaration")
}

#[cfg(test)]
mod tests {
    use super::write_plain;

    #[test]
    fn plain_names() {
        assert_eq!(write_plain("A . B"), "A.B");
        assert_eq!(write_plain("global::A.B<int, C<D, E>>"), "A.B`2");
        assert_eq!(write_plain("A<>"), "A`1");
    }
}
