//! Paths that are read on the spot: in patterns, use trees, attributes and macro names.

use tree_sitter::Node;

use super::Extractor;
use super::KindName;
use super::environment::Space;
use crate::facts::{Expr, ExprId, PathRoot, Role};

impl<'a> Extractor<'a> {
    /// The expression of a path, below `prefix` if given. Adds one reference for each segment: [`Role::Type`] for all
    /// but the last, `role` for that (none if `None`).
    pub(super) fn path(&mut self, node: Node<'_>, prefix: Option<ExprId>, role: Option<Role>) -> ExprId {
        let mut segments = Vec::new();
        let mut current = node;
        let mut base = prefix;
        // From the last segment back to the first.
        loop {
            match current.kind_name() {
                "scoped_identifier" | "scoped_type_identifier" => {
                    segments.extend(current.child_by_field_name("name"));
                    match current.child_by_field_name("path") {
                        Some(path) => current = path,
                        None => {
                            base = Some(prefix.unwrap_or_else(|| self.root(PathRoot::Global)));
                            break;
                        }
                    }
                }
                "generic_type" | "generic_type_with_turbofish" | "generic_pattern" => {
                    match current.child_by_field_name("type").or_else(|| current.named_child(0)) {
                        Some(inner) => current = inner,
                        None => return self.builder.unknown(),
                    }
                }
                "identifier" | "type_identifier" | "self" | "super" | "crate" => {
                    segments.push(current);
                    break;
                }
                _ => return self.builder.unknown(),
            }
        }
        let count = segments.len();
        // Then forward again: each segment is looked up in the one before.
        for (index, segment) in segments.into_iter().rev().enumerate() {
            let role = if index + 1 == count { role } else { Some(Role::Type) };
            base = Some(self.segment(base, segment, role));
        }
        base.unwrap_or_else(|| self.builder.unknown())
    }

    /// One more segment of a path.
    pub(super) fn segment(&mut self, base: Option<ExprId>, node: Node<'_>, role: Option<Role>) -> ExprId {
        match (node.kind_name(), base) {
            ("self", Some(base)) => return base,
            ("self", None) => return self.root(PathRoot::SelfModule),
            ("crate", _) => return self.root(PathRoot::Crate),
            ("super", base) => return self.super_of(base),
            _ => {}
        }
        let text = self.ident(node);
        if text == "Self" && base.is_none() {
            return self.builder.expr(Expr::SelfType { scope: self.at.scope });
        }
        let expr = match base {
            Some(base) => self.builder.path(base, text),
            None => self.builder.name_expr(text, self.at.scope),
        };
        if let Some(role) = role {
            let name = self.builder.name(text);
            if base.is_some() || !self.environment.is_local(Space::Type, name) {
                self.refer(expr, role, u8::MAX, node);
            }
        }
        expr
    }

    /// `super`, applied to the preceding part.
    pub(super) fn super_of(&mut self, base: Option<ExprId>) -> ExprId {
        let depth = match base.map(|base| self.builder.facts().expr(base)) {
            Some(Expr::Root { root: PathRoot::Super(depth), .. }) => depth.saturating_add(1),
            _ => 1,
        };
        self.root(PathRoot::Super(depth))
    }

    /// A keyword that a path starts at.
    pub(super) fn root(&mut self, root: PathRoot) -> ExprId {
        self.builder.expr(Expr::Root { root, scope: self.at.scope })
    }

    /// Last name of a path as written: `Some` of `Option::Some`.
    pub(super) fn last_name(&self, path: Node<'_>) -> &'a str {
        match path.kind_name() {
            "scoped_identifier" | "scoped_type_identifier" => {
                path.child_by_field_name("name").map_or("", |name| self.ident(name))
            }
            "identifier" | "type_identifier" => self.ident(path),
            _ => "",
        }
    }
}
