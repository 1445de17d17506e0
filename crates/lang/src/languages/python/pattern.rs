//! `case` patterns: their names and the bindings of their captures.

use tree_sitter::Node;

use super::state::{Extractor, FIELDS, KindName};
use crate::facts::{BindingTarget, Expr, ExprId, Namespace, Role};
use crate::walk::Step;

/// A pattern and the value it is matched with.
struct Case<'t> {
    node: Node<'t>,
    value: ExprId,
}

impl Extractor<'_> {
    /// Reads one whole `case` pattern.
    pub(super) fn case_pattern<'t>(&mut self, node: Node<'t>, path: &[Step<'t>]) {
        let matching = path.iter().rev().map(|step| step.node).find(|node| node.kind_name() == "match_statement");
        let value = self.expr_of(matching.and_then(|matching| matching.child_by_field_id(FIELDS.subject)));
        let mut open = vec![Case { node, value }];
        while let Some(case) = open.pop() {
            if self.b.full() {
                return;
            }
            self.case(case, &mut open);
        }
    }

    fn case<'t>(&mut self, Case { node, value }: Case<'t>, open: &mut Vec<Case<'t>>) {
        let unknown = self.b.unknown();
        let mut cursor = node.walk();
        let children: Vec<Node<'t>> =
            node.named_children(&mut cursor).filter(|node| node.kind_name() != "comment").collect();
        match node.kind_name() {
            "case_pattern" | "union_pattern" => {
                open.extend(children.into_iter().rev().map(|node| Case { node, value }));
            }
            // `case C() as x`: the class of the pattern says more than the subject.
            "as_pattern" => {
                let pattern = children.first().copied();
                let class = pattern.and_then(|pattern| self.matched_class(pattern));
                let value = class.unwrap_or(value);
                let alias = children.last().copied().filter(|alias| alias.kind_name() == "identifier");
                if let Some(alias) = alias {
                    self.capture(alias, value);
                }
                open.extend(pattern.map(|node| Case { node, value }));
            }
            // A plain name captures; a dotted one is compared with.
            "dotted_name" => match children.as_slice() {
                [name] => self.capture(*name, value),
                _ => {
                    self.dotted_reference(node);
                }
            },
            "class_pattern" => {
                let class = children.first().copied().and_then(|name| self.dotted_reference(name));
                let value = class.map_or(unknown, |of| self.b.expr(Expr::Instance { of }));
                for child in children.into_iter().skip(1).rev() {
                    let inner = child.named_child(0).filter(|inner| inner.kind_name() == "keyword_pattern");
                    let case = inner.map_or(Case { node: child, value: unknown }, |node| Case { node, value });
                    open.push(case);
                }
            }
            "keyword_pattern" => {
                if let [name, pattern] = children.as_slice() {
                    let value = self.b.member(value, self.source.text(*name));
                    open.push(Case { node: *pattern, value });
                }
            }
            "list_pattern" | "tuple_pattern" => {
                // Behind `*rest`, places are no longer known.
                let mut is_exact = true;
                for (index, child) in children.into_iter().enumerate() {
                    is_exact &= child.named_child(0).is_none_or(|inner| inner.kind_name() != "splat_pattern");
                    let value = if is_exact { self.item(value, index) } else { unknown };
                    open.push(Case { node: child, value });
                }
            }
            "splat_pattern" => open_capture(self, &children, unknown),
            "dict_pattern" => {
                let values =
                    children.into_iter().filter(|child| matches!(child.kind_name(), "case_pattern" | "splat_pattern"));
                for child in values {
                    let value = self.b.expr(Expr::Index { base: value });
                    open.push(Case { node: child, value });
                }
            }
            _ => {}
        }
    }

    /// The class that a pattern wrapped in others names, as an instance, without recording references.
    fn matched_class(&mut self, mut pattern: Node<'_>) -> Option<ExprId> {
        while pattern.kind_name() == "case_pattern" {
            pattern = pattern.named_child(0)?;
        }
        let name = pattern.named_child(0).filter(|_| pattern.kind_name() == "class_pattern")?;
        let of = self.dotted_expr(name)?;
        Some(self.b.expr(Expr::Instance { of }))
    }

    fn dotted_expr(&mut self, node: Node<'_>) -> Option<ExprId> {
        let scope = self.scope();
        let mut expr = None;
        let mut cursor = node.walk();
        for part in node.named_children(&mut cursor).filter(|part| part.kind_name() == "identifier") {
            let text = self.source.text(part);
            expr = Some(match expr {
                None => {
                    let name = self.b.name(text);
                    self.name_expr(name, scope)
                }
                Some(base) => self.b.member(base, text),
            });
        }
        expr
    }

    /// A class or constant that a pattern compares with.
    fn dotted_reference(&mut self, node: Node<'_>) -> Option<ExprId> {
        let (scope, enclosing) = (self.scope(), self.context().enclosing);
        let mut expr = None;
        let mut cursor = node.walk();
        for part in node.named_children(&mut cursor).filter(|part| part.kind_name() == "identifier") {
            let text = self.source.text(part);
            let next = match expr {
                None => {
                    let name = self.b.name(text);
                    self.name_expr(name, scope)
                }
                Some(base) => self.b.member(base, text),
            };
            let pos = self.pos(part);
            self.b.refer(next, Role::Read, pos, enclosing);
            expr = Some(next);
        }
        expr
    }

    /// Binds a captured name. Captures of a file or class are bindings only.
    fn capture(&mut self, name: Node<'_>, value: ExprId) {
        let text = self.source.text(name);
        if text == "_" {
            return;
        }
        let name = self.b.name(text);
        let scope = self.holding_scope(self.scope());
        let target = if value == self.b.unknown() { BindingTarget::Opaque } else { BindingTarget::Value(value) };
        self.b.bind(scope, name, Namespace::Any, target);
    }
}

fn open_capture(extractor: &mut Extractor<'_>, children: &[Node<'_>], value: ExprId) {
    if let Some(name) = children.first().filter(|name| name.kind_name() == "identifier") {
        extractor.capture(*name, value);
    }
}
