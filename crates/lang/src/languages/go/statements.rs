//! Statements: blocks, declarations inside functions, loops, switches, assignments.

use tree_sitter::Node;

use super::state::Extractor;
use super::{children, fields, parent_kind};
use crate::facts::{BindingTarget, Expr, ExprId, NameId, ScopeKind};
use crate::walk::Step;

impl Extractor<'_> {
    pub(super) fn enter_statement<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) {
        let node = step.node;
        match node.kind() {
            // Parameters and body of a function are one block.
            "block" if matches!(parent_kind(path), "function_declaration" | "method_declaration" | "func_literal") => {
                if let Some(frame) = self.frames.last_mut()
                    && let Some(body) = frame.body.take()
                {
                    frame.scope = body;
                }
            }
            "block"
            | "if_statement"
            | "for_statement"
            | "expression_switch_statement"
            | "select_statement"
            | "expression_case"
            | "default_case"
            | "type_case"
            | "communication_case" => {
                self.open_frame(node, ScopeKind::Block, None);
            }
            "type_switch_statement" => {
                let alias = node.child_by_field_name("alias").map(children).unwrap_or_default();
                let alias = alias.first().and_then(|name| self.local_name(*name));
                self.open_frame(node, ScopeKind::Block, None);
                if let Some(frame) = self.frames.last_mut() {
                    frame.alias = alias;
                }
            }
            "statement_list" => self.enter_case(path),
            _ => {}
        }
    }

    /// The name of a type switch in one of its cases: a value of the case's type, if that is one.
    fn enter_case(&mut self, path: &[Step<'_>]) {
        let [.., switch, case] = path else { return };
        if !matches!(case.node.kind(), "type_case" | "default_case") || switch.node.kind() != "type_switch_statement" {
            return;
        }
        let [.., around, _] = self.frames.as_slice() else { return };
        let Some(name) = around.alias else { return };
        let value = self.field_expr(switch.node, "value");
        let types = fields(case.node, "type");
        let target = match types.as_slice() {
            [one] if case.node.kind() == "type_case" => BindingTarget::Typed(self.expr_of(Some(*one))),
            _ => BindingTarget::Value(value),
        };
        self.declare(&[(name, target)], false);
    }

    /// Returns whether the node was a statement that declares or assigns.
    pub(super) fn leave_statement<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) -> bool {
        let node = step.node;
        let _ = path;
        match node.kind() {
            "short_var_declaration" => self.short_declaration(node),
            "receive_statement" if defines(node) => self.short_declaration(node),
            "range_clause" if defines(node) => self.range(node),
            "assignment_statement" => self.assignment(node),
            _ => return false,
        }
        true
    }

    fn short_declaration(&mut self, node: Node<'_>) {
        let left = node.child_by_field_name("left").map(children).unwrap_or_default();
        let values = self.value_exprs(node.child_by_field_name("right"), left.len());
        let mut names: Vec<(NameId, BindingTarget)> = Vec::new();
        for (index, name) in left.into_iter().enumerate() {
            let Some(name) = self.local_name(name) else { continue };
            let value = values.get(index).copied();
            names.push((name, value.map_or(BindingTarget::Opaque, BindingTarget::Value)));
        }
        self.declare(&names, true);
    }

    /// `for k, v := range x`: the key and the element of a range.
    fn range(&mut self, node: Node<'_>) {
        let left = node.child_by_field_name("left").map(children).unwrap_or_default();
        let base = self.field_expr(node, "right");
        let mut names: Vec<(NameId, BindingTarget)> = Vec::new();
        for (index, name) in left.into_iter().enumerate() {
            let Some(name) = self.local_name(name) else { continue };
            if base == self.b.unknown() {
                names.push((name, BindingTarget::Opaque));
                continue;
            }
            let value = if index == 0 { Expr::Enter { base } } else { Expr::Index { base } };
            let value = self.b.expr(value);
            names.push((name, BindingTarget::Value(value)));
        }
        self.declare(&names, false);
    }

    /// A local variable that is assigned a function may hold it when it is called, as may fields and other variables.
    fn assignment(&mut self, node: Node<'_>) {
        let left = node.child_by_field_name("left").map(children).unwrap_or_default();
        let right = node.child_by_field_name("right").map(children).unwrap_or_default();
        if left.len() != right.len() {
            return;
        }
        for (target, value) in left.into_iter().zip(right) {
            let (holder, stored) = (self.expr_of(Some(target)), self.expr_of(Some(value)));
            self.b.store(holder, stored);
            let is_function = matches!(value.kind(), "identifier" | "selector_expression" | "func_literal");
            let expr: ExprId = self.expr_of(Some(value));
            if !is_function || expr == self.b.unknown() {
                continue;
            }
            if let Some(name) = self.local_name(target)
                && let Some(local) = self.local(name)
            {
                local.assigned.push(expr);
            }
        }
    }
}

/// Returns whether a statement declares the names on its left.
pub(super) fn defines(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).take(8).any(|child| child.kind() == ":=")
}
