//! Patterns: the names they bind, and the part of the matched value of each.

use tree_sitter::Node;

use super::Extractor;
use super::KindName;
use super::environment::Space;
use super::items::plain_name;
use crate::facts::{BindingTarget, Expr, ExprId, Namespace, Role, ScopeId};
use crate::walk::Step;

impl Extractor<'_> {
    /// Returns whether a node is a pattern: read by its parent as a whole, never descended into.
    pub(super) fn is_pattern(&self, step: Step<'_>, path: &[Step<'_>]) -> bool {
        let Some(parent) = path.last() else { return false };
        match parent.node.kind_name() {
            "let_declaration" | "let_condition" | "for_expression" | "parameter" | "variadic_parameter" => {
                step.field == Some("pattern")
            }
            "match_pattern" => step.field != Some("condition"),
            "closure_parameters" => step.node.kind_name() != "parameter",
            _ => false,
        }
    }

    /// `let pattern: type = value else { … };` The variables are visible afterwards only.
    pub(super) fn let_declaration(&mut self, node: Node<'_>) {
        let Some(pattern) = node.child_by_field_name("pattern") else { return };
        let value = self.field_expr(node, "value");
        let written = node.child_by_field_name("type").and_then(|of| self.exprs.get(of));
        let written = written.filter(|&of| of != self.builder.unknown());
        let scope = if self.at.in_block { self.advance_scope() } else { self.at.scope };
        let subject = match (written, plain_name(pattern)) {
            (Some(of), Some(name)) => {
                self.bind_variable(name, BindingTarget::Typed(of), scope);
                let variable = self.builder.name_expr(self.ident(name), scope);
                return self.builder.store(variable, value);
            }
            (Some(of), None) => self.builder.expr(Expr::Instance { of }),
            (None, _) => value,
        };
        self.bind_pattern(pattern, subject, scope);
    }

    /// `let pattern = value` in a condition.
    pub(super) fn let_condition(&mut self, node: Node<'_>) {
        let Some(pattern) = node.child_by_field_name("pattern") else { return };
        let value = self.field_expr(node, "value");
        let scope = self.advance_scope();
        self.bind_pattern(pattern, value, scope);
    }

    /// The pattern of a match arm, before its guard.
    pub(super) fn match_pattern(&mut self, node: Node<'_>, path: &[Step<'_>]) {
        let matched = path.iter().rev().find(|step| step.node.kind_name() == "match_expression");
        let subject = matched.map_or_else(|| self.builder.unknown(), |step| self.field_expr(step.node, "value"));
        if let Some(pattern) = super::children(node).first() {
            self.bind_pattern(*pattern, subject, self.at.scope);
        }
    }

    /// `for pattern in value`, when its body is entered.
    pub(super) fn for_pattern(&mut self, node: Node<'_>) {
        let Some(pattern) = node.child_by_field_name("pattern") else { return };
        let value = self.field_expr(node, "value");
        let element = match value == self.builder.unknown() {
            true => value,
            false => self.builder.expr(Expr::Element { base: value }),
        };
        let scope = self.advance_scope();
        self.bind_pattern(pattern, element, scope);
    }

    fn bind_variable(&mut self, node: Node<'_>, target: BindingTarget, scope: ScopeId) {
        let text = self.ident(node);
        if text == "_" {
            return;
        }
        let name = self.builder.name(text);
        self.builder.bind(scope, name, Namespace::Value, target);
        self.environment.set(Space::Value, name, true);
    }

    /// Binds every name of a pattern that is matched against `subject`, and refers to the paths in it.
    pub(super) fn bind_pattern(&mut self, pattern: Node<'_>, subject: ExprId, scope: ScopeId) {
        let mut stack = vec![(pattern, subject)];
        // Iterative: patterns may be nested as deeply as the file is long.
        while let Some((node, subject)) = stack.pop() {
            if self.builder.full() {
                return;
            }
            match node.kind_name() {
                "identifier" => self.identifier_pattern(node, subject, scope),
                "scoped_identifier" | "generic_pattern" => {
                    self.path(node, None, Some(Role::Read));
                }
                "tuple_pattern" => self.tuple_pattern(node, subject, &mut stack),
                "tuple_struct_pattern" => self.tuple_struct_pattern(node, subject, &mut stack),
                "struct_pattern" => self.struct_pattern(node, scope, &mut stack),
                "slice_pattern" => {
                    let element = self.of_known(subject, |base| Expr::Element { base });
                    for child in super::children(node).into_iter().rev() {
                        let rest = is_rest(child);
                        stack.push((child, if rest { subject } else { element }));
                    }
                }
                "captured_pattern" => {
                    let parts = super::children(node);
                    if let Some(name) = parts.first() {
                        self.bind_value(*name, subject, scope);
                    }
                    stack.extend(parts.get(1).map(|inner| (*inner, subject)));
                }
                "or_pattern" | "ref_pattern" | "mut_pattern" | "reference_pattern" => {
                    let inner = super::children(node).into_iter().rev();
                    stack.extend(
                        inner.filter(|child| child.kind_name() != "mutable_specifier").map(|child| (child, subject)),
                    );
                }
                "range_pattern" => {
                    for end in super::children(node) {
                        if matches!(end.kind_name(), "identifier" | "scoped_identifier") {
                            self.path(end, None, Some(Role::Read));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// A bare name: a new variable, unless it is written like a constant, unit struct or variant.
    fn identifier_pattern(&mut self, node: Node<'_>, subject: ExprId, scope: ScopeId) {
        let text = self.ident(node);
        if text.starts_with(char::is_uppercase) {
            self.path(node, None, Some(Role::Read));
        } else {
            self.bind_value(node, subject, scope);
        }
    }

    fn bind_value(&mut self, node: Node<'_>, subject: ExprId, scope: ScopeId) {
        let target =
            if subject == self.builder.unknown() { BindingTarget::Opaque } else { BindingTarget::Value(subject) };
        self.bind_variable(node, target, scope);
    }

    fn of_known(&mut self, subject: ExprId, make: impl FnOnce(ExprId) -> Expr) -> ExprId {
        if subject == self.builder.unknown() { subject } else { self.builder.expr(make(subject)) }
    }

    fn tuple_pattern<'t>(&mut self, node: Node<'t>, subject: ExprId, stack: &mut Vec<(Node<'t>, ExprId)>) {
        // `_` is an anonymous node, yet counts as a position.
        let mut parts = Vec::new();
        let mut after_rest = false;
        let mut index = 0;
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            more = cursor.goto_next_sibling();
            if child.is_extra() || matches!(child.kind_name(), "(" | ")" | ",") {
                continue;
            }
            after_rest |= child.kind_name() == "remaining_field_pattern";
            let item = match after_rest {
                true => self.builder.unknown(),
                false => self.of_known(subject, |base| Expr::Item { base, index }),
            };
            parts.push((child, item));
            index += 1;
        }
        stack.extend(parts.into_iter().rev());
    }

    /// `Some(p)`, `Ok(p)`, `Variant(p, q)`, `Tuple(p)`.
    fn tuple_struct_pattern<'t>(&mut self, node: Node<'t>, subject: ExprId, stack: &mut Vec<(Node<'t>, ExprId)>) {
        let Some(of) = node.child_by_field_name("type") else { return };
        let of_expr = self.path(of, None, Some(Role::Read));
        let of_name = self.last_name(of);
        let of_name = if self.is_standard_variant(of) { of_name } else { "" };
        let wrapper = !of_name.is_empty();
        let base = match wrapper {
            true => subject,
            false => self.of_known(of_expr, |of| Expr::Instance { of }),
        };
        let mut parts = Vec::new();
        let mut after_rest = false;
        let mut index = 0u32;
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            let is_type = cursor.field_name() == Some("type");
            more = cursor.goto_next_sibling();
            if is_type || child.is_extra() || matches!(child.kind_name(), "(" | ")" | ",") {
                continue;
            }
            after_rest |= child.kind_name() == "remaining_field_pattern";
            let item = match of_name {
                _ if after_rest => self.builder.unknown(),
                "Some" | "Ok" => self.of_known(base, |base| Expr::Unwrap { base }),
                // The error of a result is its second type argument.
                "Err" => self.of_known(base, |base| Expr::Item { base, index: 1 }),
                _ => {
                    let name = self.builder.name(&index.to_string());
                    self.of_known(base, |base| Expr::Member { base, name })
                }
            };
            parts.push((child, item));
            index += 1;
        }
        stack.extend(parts.into_iter().rev());
    }

    /// `Some`, `Ok`, `Err`, bare or as variants of `Option` or `Result`.
    fn is_standard_variant(&self, of: Node<'_>) -> bool {
        let of_enum = of.child_by_field_name("path").map(|path| self.last_name(path));
        matches!(self.last_name(of), "Some" | "Ok" | "Err") && matches!(of_enum, None | Some("Option" | "Result"))
    }

    /// `Point { x, y: inner, .. }`
    fn struct_pattern<'t>(&mut self, node: Node<'t>, scope: ScopeId, stack: &mut Vec<(Node<'t>, ExprId)>) {
        let Some(of) = node.child_by_field_name("type") else { return };
        let of = self.path(of, None, Some(Role::Type));
        let base = self.of_known(of, |of| Expr::Instance { of });
        let mut parts = Vec::new();
        for child in super::children(node) {
            let Some(field) = child.child_by_field_name("name") else { continue };
            let name = self.builder.name(self.ident(field));
            let member = self.of_known(base, |base| Expr::Member { base, name });
            self.refer(member, Role::Read, u8::MAX, field);
            match child.child_by_field_name("pattern") {
                Some(inner) => parts.push((inner, member)),
                None => self.bind_value(field, member, scope),
            }
        }
        stack.extend(parts.into_iter().rev());
    }
}

/// `..` or `name @ ..` in a slice: the rest of the slice.
fn is_rest(node: Node<'_>) -> bool {
    node.kind_name() == "captured_pattern"
        && super::children(node).get(1).is_some_and(|inner| inner.kind_name() == "remaining_field_pattern")
}
