//! Destructuring: the part of a value bound by each name of a pattern.

use tree_sitter::Node;

use super::state::Extractor;
use crate::facts::{BindingTarget, DefKind, Expr, ExprId, NameId, Namespace, Role, ScopeId};

/// One name of a pattern and the value it takes; for a member, where it is named.
struct Taken<'tree> {
    name: Node<'tree>,
    value: ExprId,
}

impl Extractor<'_> {
    /// Declares every name of a pattern.
    pub(super) fn bind_pattern(&mut self, pattern: Node<'_>, source: ExprId, scope: ScopeId) {
        for Taken { name, value } in self.take_apart(pattern, source) {
            let text = self.source.text(name);
            if self.is_top(scope) && self.own(scope, text, false).is_none() {
                let mut definition = self.blank(DefKind::Constant, text, scope, name, (name, None));
                definition.flags.is_local = false;
                let id = self.add(name, definition);
                self.bind(id, Namespace::Value);
                self.value(id, value);
            } else {
                let target =
                    if value == self.b.unknown() { BindingTarget::Opaque } else { BindingTarget::Value(value) };
                self.bind_local(scope, text, target);
            }
        }
    }

    /// Assigns to every name of a pattern, or to a single target.
    pub(super) fn assign_pattern(&mut self, pattern: Node<'_>, source: ExprId) {
        let is_pattern = matches!(pattern.kind(), "object_pattern" | "array_pattern");
        for Taken { name, value } in self.take_apart(pattern, source) {
            let scope = self.scope();
            let text = self.source.text(name);
            let name_id = self.b.name(text);
            self.assignments.push(super::state::Assignment { scope, name: name_id, value });
            if is_pattern {
                let expr = self.b.name_expr(text, scope);
                self.refer(expr, Role::Write, name, u8::MAX);
            }
        }
    }

    /// Names that a pattern binds.
    pub(super) fn list_names(&mut self, pattern: Node<'_>) -> Vec<NameId> {
        let taken = self.take_apart(pattern, self.b.unknown());
        taken.into_iter().map(|part| self.b.name(self.source.text(part.name))).collect()
    }

    fn take_apart<'tree>(&mut self, pattern: Node<'tree>, source: ExprId) -> Vec<Taken<'tree>> {
        let mut taken = Vec::new();
        let mut open = vec![(pattern, source)];
        while let Some((node, source)) = open.pop() {
            match node.kind() {
                "identifier" | "shorthand_property_identifier_pattern" => {
                    taken.push(Taken { name: node, value: source })
                }
                "rest_pattern" | "parenthesized_expression" | "non_null_expression" => {
                    open.extend(node.named_child(0).map(|child| (child, source)));
                }
                "assignment_pattern" | "object_assignment_pattern" => {
                    let default = self.field_expr(node, "right").unwrap_or(self.b.unknown());
                    let value = match (source == self.b.unknown(), default == self.b.unknown()) {
                        (false, false) => self.b.union(&[source, default]),
                        (true, _) => default,
                        (false, true) => source,
                    };
                    open.extend(node.child_by_field_name("left").map(|left| (left, value)));
                }
                "object_pattern" => self.object_parts(node, source, &mut open),
                "array_pattern" => self.array_parts(node, source, &mut open),
                _ => {}
            }
        }
        taken.reverse();
        taken
    }

    fn object_parts<'tree>(&mut self, node: Node<'tree>, source: ExprId, open: &mut Vec<(Node<'tree>, ExprId)>) {
        // Each part gets the member of that name, or an unknown one where the key is computed.
        for child in super::state::children(node) {
            match child.kind() {
                "shorthand_property_identifier_pattern" => {
                    let value = self.record_picked(source, child);
                    open.push((child, value));
                }
                "object_assignment_pattern" => {
                    let Some(left) = child.child_by_field_name("left") else { continue };
                    let is_known = source != self.b.unknown();
                    let value = if is_known && left.kind() == "shorthand_property_identifier_pattern" {
                        self.record_picked(source, left)
                    } else {
                        self.b.unknown()
                    };
                    open.push((child, value));
                }
                "pair_pattern" => {
                    let (Some(key), Some(value)) =
                        (child.child_by_field_name("key"), child.child_by_field_name("value"))
                    else {
                        continue;
                    };
                    let part = match key.kind() {
                        "property_identifier" | "string" | "private_property_identifier" => {
                            self.record_picked(source, key)
                        }
                        _ if source == self.b.unknown() => source,
                        _ => self.b.expr(Expr::Index { base: source }),
                    };
                    open.push((value, part));
                }
                "rest_pattern" => open.push((child, source)),
                _ => {}
            }
        }
    }

    /// A member taken by name, which is a use of that member. Of a value that nothing is known of, only calls matter.
    fn record_picked(&mut self, source: ExprId, key: Node<'_>) -> ExprId {
        let name = self.property(key);
        let member = self.b.member(source, name);
        if source == self.b.unknown() {
            return member;
        }
        self.refer(member, Role::Read, key, u8::MAX);
        member
    }

    fn array_parts<'tree>(&mut self, node: Node<'tree>, source: ExprId, open: &mut Vec<(Node<'tree>, ExprId)>) {
        let mut cursor = node.walk();
        let mut index = 0;
        for child in node.children(&mut cursor) {
            match child.kind() {
                "," => index += 1,
                "rest_pattern" => open.push((child, source)),
                _ if child.is_named() && child.kind() != "comment" => {
                    let value = if source == self.b.unknown() {
                        source
                    } else {
                        self.b.expr(Expr::Item { base: source, index })
                    };
                    open.push((child, value));
                }
                _ => {}
            }
        }
    }
}
