//! Methods that operators, loops and `?` call without their names being written.

use tree_sitter::Node;

use super::Extractor;
use super::KindName;
use crate::facts::{Expr, ExprId, Reference, Role};
use crate::walk::Step;

/// Operators and the methods of their traits.
const BINARY: &[(&str, &str)] = &[
    ("!=", "ne"),
    ("%", "rem"),
    ("%=", "rem_assign"),
    ("&", "bitand"),
    ("&=", "bitand_assign"),
    ("*", "mul"),
    ("*=", "mul_assign"),
    ("+", "add"),
    ("+=", "add_assign"),
    ("-", "sub"),
    ("-=", "sub_assign"),
    ("/", "div"),
    ("/=", "div_assign"),
    ("<", "lt"),
    ("<<", "shl"),
    ("<<=", "shl_assign"),
    ("<=", "le"),
    ("==", "eq"),
    (">", "gt"),
    (">=", "ge"),
    (">>", "shr"),
    (">>=", "shr_assign"),
    ("^", "bitxor"),
    ("^=", "bitxor_assign"),
    ("|", "bitor"),
    ("|=", "bitor_assign"),
];
const UNARY: &[(&str, &str)] = &[("!", "not"), ("*", "deref"), ("-", "neg")];

impl Extractor<'_> {
    /// Records what a node calls by being an operator or a loop.
    pub(super) fn operate(&mut self, node: Node<'_>, path: &[Step<'_>]) {
        let parent = path.last().map(|parent| parent.node);
        match node.kind_name() {
            "binary_expression" | "compound_assignment_expr" => {
                let Some(operator) = node.child_by_field_name("operator") else { return };
                if let Some(method) = method(BINARY, operator.kind_name()) {
                    let base = self.field_expr(node, "left");
                    self.record_implied(base, method, 1, operator);
                }
            }
            "unary_expression" => {
                let (Some(operator), Some(operand)) = (node.child(0), node.named_child(0)) else { return };
                if let Some(method) = method(UNARY, operator.kind_name()) {
                    let base = self.expr_of(Some(operand));
                    // A place that is assigned to needs the mutable method.
                    let method = if method == "deref" && is_assigned(node, parent) { "deref_mut" } else { method };
                    self.record_implied(base, method, 0, operator);
                }
            }
            "index_expression" => {
                let Some(indexed) = node.named_child(0) else { return };
                let base = self.expr_of(Some(indexed));
                let method = if is_assigned(node, parent) { "index_mut" } else { "index" };
                let bracket = node.child(1).unwrap_or(node);
                self.record_implied(base, method, 1, bracket);
            }
            "for_expression" => {
                let Some(value) = node.child_by_field_name("value") else { return };
                let base = self.expr_of(Some(value));
                // A loop makes an iterator and asks that for its values.
                if let Some(callee) = self.record_implied(base, "into_iter", 0, value) {
                    let args = self.builder.list(&[]);
                    let iterator = self.builder.expr(Expr::Call { callee, args });
                    self.record_implied(iterator, "next", 0, value);
                }
            }
            "try_expression" => self.convert_error(node, path),
            _ => {}
        }
    }

    /// `?` converts the error into that of the function around: by one of its `from`, if the types differ.
    fn convert_error(&mut self, node: Node<'_>, path: &[Step<'_>]) {
        let around = path.iter().rev().map(|step| step.node);
        let mut around = around.skip_while(|node| !matches!(node.kind_name(), "function_item" | "closure_expression"));
        let Some(of) = around.next().and_then(|function| function.child_by_field_name("return_type")) else { return };
        let of = self.expr_of(Some(of));
        if !matches!(self.builder.facts().expr(of), Expr::Generic { .. }) {
            return;
        }
        let base = self.builder.expr(Expr::Instance { of });
        let name = self.builder.name("unwrap_err");
        let callee = self.builder.expr(Expr::Member { base, name });
        let args = self.builder.list(&[]);
        let base = self.builder.expr(Expr::Call { callee, args });
        let name = self.builder.name("from");
        let expr = self.builder.expr(Expr::Implicit { base, name });
        let question = node.child(node.child_count().saturating_sub(1)).unwrap_or(node);
        let (pos, enclosing) = (self.pos(question), self.at.enclosing);
        self.builder.reference(Reference { expr, role: Role::Call, inexact: true, arity: 1, pos, enclosing });
    }

    /// A call of a method of a value of which something is known.
    fn record_implied(&mut self, base: ExprId, method: &str, arity: u8, at: Node<'_>) -> Option<ExprId> {
        if matches!(self.builder.facts().expr(base), Expr::Unknown | Expr::Literal(_) | Expr::Collection { .. }) {
            return None;
        }
        let name = self.builder.name(method);
        let callee = self.builder.expr(Expr::Implicit { base, name });
        self.refer(callee, Role::Call, arity, at);
        Some(callee)
    }
}

fn method(table: &[(&str, &'static str)], operator: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == operator).map(|(_, method)| *method)
}

/// Returns whether something is what an assignment writes to.
fn is_assigned(node: Node<'_>, parent: Option<Node<'_>>) -> bool {
    parent.is_some_and(|parent| {
        matches!(parent.kind_name(), "assignment_expression" | "compound_assignment_expr")
            && parent.child_by_field_name("left") == Some(node)
    })
}
