//! `use` trees, `extern crate` and `mod m;`: each imported name is one import.

use tree_sitter::Node;

use super::Extractor;
use super::KindName;
use super::attributes::Pending;
use crate::facts::{
    BindingTarget, Expr, ExprId, Import, ImportFlags, ImportKind, NameId, Namespace, PathRoot, Pos, Role, Visibility,
};

impl Extractor<'_> {
    /// Every leaf of a use tree, with an explicit stack.
    pub(super) fn use_declaration(&mut self, node: Node<'_>) {
        let pending = self.take_pending();
        let flags = self.import_flags(node, &pending);
        // Imports belong to the items around, even if they are written in a block.
        let before = self.at.scope;
        self.at.scope = self.at.items;
        let mut stack: Vec<(Node<'_>, Option<ExprId>)> = Vec::new();
        stack.extend(node.child_by_field_name("argument").map(|argument| (argument, None)));
        // Each branch of the tree is looked up below its prefix.
        while let Some((tree, prefix)) = stack.pop() {
            match tree.kind_name() {
                "use_list" => {
                    let items = super::children(tree);
                    stack.extend(items.into_iter().rev().map(|item| (item, prefix)));
                }
                "scoped_use_list" => {
                    let prefix = match tree.child_by_field_name("path") {
                        Some(path) => Some(self.path(path, prefix, Some(Role::Type))),
                        None => Some(prefix.unwrap_or_else(|| self.root(PathRoot::Global))),
                    };
                    stack.extend(tree.child_by_field_name("list").map(|list| (list, prefix)));
                }
                "use_wildcard" => self.use_wildcard(tree, prefix, flags),
                "use_as_clause" => {
                    let path = tree.child_by_field_name("path");
                    let alias = tree.child_by_field_name("alias").map(|alias| self.ident(alias));
                    if let Some(path) = path {
                        self.use_leaf(path, prefix, alias, flags);
                    }
                }
                _ => self.use_leaf(tree, prefix, None, flags),
            }
            if self.builder.full() {
                break;
            }
        }
        self.at.scope = before;
    }

    fn use_wildcard(&mut self, tree: Node<'_>, prefix: Option<ExprId>, flags: ImportFlags) {
        let (path, at) = match tree.named_child(0) {
            Some(path) => (Some(self.path(path, prefix, Some(Role::Type))), path),
            None if tree.child(0).is_some_and(|first| first.kind_name() == "::") && prefix.is_none() => {
                (Some(self.root(PathRoot::Global)), tree)
            }
            None => (prefix, tree),
        };
        let pos = self.last_segment_pos(at);
        self.add_import(ImportKind::Wildcard, path, pos, flags, None);
    }

    /// One name of a use tree: a path, `self` in a list, or a bare name.
    fn use_leaf(&mut self, leaf: Node<'_>, prefix: Option<ExprId>, alias: Option<&str>, flags: ImportFlags) {
        let pos = self.last_segment_pos(leaf);
        let name = leaf.child_by_field_name("name").unwrap_or(leaf);
        let parent = match leaf.kind_name() {
            "scoped_identifier" => match leaf.child_by_field_name("path") {
                Some(path) => Some(self.path(path, prefix, Some(Role::Type))),
                None => Some(prefix.unwrap_or_else(|| self.root(PathRoot::Global))),
            },
            "identifier" | "self" | "super" | "crate" => prefix,
            _ => return,
        };
        if name.kind_name() != "identifier" {
            let whole = self.segment(parent, name, None);
            return self.use_module(whole, alias, pos, flags);
        }
        let text = self.ident(name);
        let bound = self.alias(alias.unwrap_or(text));
        match parent {
            Some(parent) => {
                let name = self.builder.name(text);
                self.add_import(ImportKind::Symbol(name), Some(parent), pos, flags, bound);
            }
            None => {
                let whole = self.builder.name_expr(text, self.at.scope);
                self.add_import(ImportKind::Module, Some(whole), pos, flags, bound);
            }
        }
    }

    /// `a::b::{self}` and paths that end in a keyword.
    fn use_module(&mut self, whole: ExprId, alias: Option<&str>, pos: Pos, flags: ImportFlags) {
        match self.builder.facts().expr(whole) {
            Expr::Path { base, name } => {
                let written = self.builder.facts().name(name).to_owned();
                let bound = self.alias(alias.unwrap_or(&written));
                self.add_import(ImportKind::Symbol(name), Some(base), pos, flags, bound);
            }
            Expr::Name { name, .. } => {
                let written = self.builder.facts().name(name).to_owned();
                let bound = self.alias(alias.unwrap_or(&written));
                self.add_import(ImportKind::Module, Some(whole), pos, flags, bound);
            }
            _ => {
                let bound = alias.and_then(|alias| self.alias(alias));
                self.add_import(ImportKind::Module, Some(whole), pos, flags, bound);
            }
        }
    }

    /// `extern crate name as alias;`
    pub(super) fn extern_crate(&mut self, node: Node<'_>) {
        let pending = self.take_pending();
        let Some(name) = node.child_by_field_name("name") else { return };
        let pos = self.pos(name);
        let text = self.ident(name);
        let flags = self.import_flags(node, &pending);
        let root = self.root(PathRoot::Global);
        let path = if text == "self" { self.root(PathRoot::Crate) } else { self.builder.path(root, text) };
        let alias = node.child_by_field_name("alias").map_or(text, |alias| self.ident(alias));
        let bound = self.alias(alias);
        self.add_import(ImportKind::Module, Some(path), pos, flags, bound);
    }

    /// `mod m;`, with its attributes: explicit paths, each of which is an alternative, and whether it is test-only.
    pub(super) fn file_module(&mut self, node: Node<'_>, pending: &Pending) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let pos = self.pos(name);
        let text = self.ident(name);
        let bound = self.builder.name(text);
        let test_only = self.at.is_test || pending.is_test;
        let flags = ImportFlags { test_only, ..self.import_flags(node, pending) };
        for path in pending.module_paths() {
            if self.builder.full() {
                return;
            }
            let conditional = flags.conditional || path.is_conditional;
            let import = Import {
                kind: ImportKind::FileModule(bound),
                module: self.builder.name(path.text),
                level: 0,
                path: None,
                scope: self.at.items,
                pos,
                flags: ImportFlags { conditional, ..flags },
            };
            let scope = import.scope;
            let id = self.builder.import(import, None);
            self.builder.bind(scope, bound, Namespace::Type, BindingTarget::Import(id));
        }
    }

    fn import_flags(&self, node: Node<'_>, pending: &Pending) -> ImportFlags {
        ImportFlags {
            reexport: self.visibility(node) != Visibility::Private,
            conditional: self.at.is_conditional || pending.is_conditional,
            ..ImportFlags::default()
        }
    }

    fn alias(&mut self, text: &str) -> Option<NameId> {
        (text != "_").then(|| self.builder.name(text))
    }

    fn last_segment_pos(&mut self, path: Node<'_>) -> Pos {
        self.pos(path.child_by_field_name("name").unwrap_or(path))
    }

    fn add_import(
        &mut self,
        kind: ImportKind,
        path: Option<ExprId>,
        pos: Pos,
        flags: ImportFlags,
        alias: Option<NameId>,
    ) {
        if self.builder.full() {
            return;
        }
        let module = self.builder.name("");
        let scope = self.at.items;
        let id = self.builder.import(Import { kind, module, level: 0, path, scope, pos, flags }, alias);
        if let (Some(alias), ImportKind::Symbol(_)) = (alias, kind) {
            // A macro may come along under the same name.
            self.builder.bind(scope, alias, Namespace::Macro, BindingTarget::Import(id));
        }
    }
}
