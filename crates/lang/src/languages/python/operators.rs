//! Operators, conversions and tests of truth: calls of methods that the language makes without writing them.

use tree_sitter::Node;

use super::standard::StandardName;
use super::state::{Extractor, FIELDS, KindName, MAX_ITEMS};
use crate::facts::{Expr, ExprId, NameId, Reference, Role, ScopeId};
use crate::walk::Step;

/// Binary operators: the operator, its method, the method of the right operand, the method of the assignment.
const BINARY: &[(&str, &str, &str, &str)] = &[
    ("+", "__add__", "__radd__", "__iadd__"),
    ("-", "__sub__", "__rsub__", "__isub__"),
    ("*", "__mul__", "__rmul__", "__imul__"),
    ("/", "__truediv__", "__rtruediv__", "__itruediv__"),
    ("//", "__floordiv__", "__rfloordiv__", "__ifloordiv__"),
    ("%", "__mod__", "__rmod__", "__imod__"),
    ("**", "__pow__", "__rpow__", "__ipow__"),
    ("@", "__matmul__", "__rmatmul__", "__imatmul__"),
    ("&", "__and__", "__rand__", "__iand__"),
    ("|", "__or__", "__ror__", "__ior__"),
    ("^", "__xor__", "__rxor__", "__ixor__"),
    ("<<", "__lshift__", "__rlshift__", "__ilshift__"),
    (">>", "__rshift__", "__rrshift__", "__irshift__"),
];
/// Comparisons: the operator, its method, the method of the right operand.
const COMPARISONS: &[(&str, &str, &str)] = &[
    ("<", "__lt__", "__gt__"),
    ("<=", "__le__", "__ge__"),
    (">", "__gt__", "__lt__"),
    (">=", "__ge__", "__le__"),
    ("==", "__eq__", "__eq__"),
    ("!=", "__ne__", "__ne__"),
];
const UNARY: &[(&str, &str)] = &[("-", "__neg__"), ("+", "__pos__"), ("~", "__invert__")];
/// Built-in functions that call a method of their first argument.
const FUNCTIONS: &[(&str, &str)] = &[
    ("abs", "__abs__"),
    ("all", "__iter__"),
    ("any", "__iter__"),
    ("bool", "__bool__"),
    ("bytes", "__bytes__"),
    ("complex", "__complex__"),
    ("dict", "__iter__"),
    ("dir", "__dir__"),
    ("divmod", "__divmod__"),
    ("enumerate", "__iter__"),
    ("float", "__float__"),
    ("format", "__format__"),
    ("frozenset", "__iter__"),
    ("hash", "__hash__"),
    ("int", "__int__"),
    ("iter", "__iter__"),
    ("aiter", "__aiter__"),
    ("anext", "__anext__"),
    ("len", "__len__"),
    ("list", "__iter__"),
    ("max", "__iter__"),
    ("min", "__iter__"),
    ("next", "__next__"),
    ("pow", "__pow__"),
    ("print", "__str__"),
    ("repr", "__repr__"),
    ("reversed", "__reversed__"),
    ("round", "__round__"),
    ("set", "__iter__"),
    ("sorted", "__iter__"),
    ("str", "__str__"),
    ("sum", "__iter__"),
    ("tuple", "__iter__"),
];
/// Functions whose result is a truth value already, by names that are hardly ever another's.
const YIELDING_TRUTH: &[&str] = &["all", "any", "callable", "hasattr", "isinstance", "issubclass"];
/// The method that a test of truth calls.
const TRUTH: &str = "__bool__";

/// A call of a method by a function, if its name means the built-in one.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByFunction {
    pub(super) function: StandardName,
    pub(super) call: Reference,
}

/// One method that is called on a value.
struct Called<'m> {
    base: ExprId,
    method: &'m str,
    arity: u8,
    /// Whether another operand may answer instead.
    inexact: bool,
}

impl Extractor<'_> {
    /// Records the methods that a node calls by its form.
    pub(super) fn operators(&mut self, step: Step<'_>, path: &[Step<'_>]) {
        let node = step.node;
        if self.in_type() {
            return;
        }
        match node.kind_name() {
            "binary_operator" => self.binary(node),
            "augmented_assignment" => self.record_augmented(node),
            "comparison_operator" => self.comparison(node),
            "unary_operator" => {
                let operator = node.child_by_field_id(FIELDS.operator);
                let Some((_, method)) = operator.and_then(|one| UNARY.iter().find(|row| row.0 == one.kind_name()))
                else {
                    return;
                };
                self.calls_method(node.child_by_field_id(FIELDS.argument), method, 0, node);
            }
            "not_operator" => self.tests_truth(node.child_by_field_id(FIELDS.argument), node),
            // The last operand is the result and is not tested.
            "boolean_operator" => self.tests_truth(node.child_by_field_id(FIELDS.left), node),
            "if_statement" | "elif_clause" | "while_statement" => {
                self.tests_truth(node.child_by_field_id(FIELDS.condition), node);
            }
            "conditional_expression" => self.tests_truth(node.named_child(1), node),
            "assert_statement" | "if_clause" => self.tests_truth(node.named_child(0), node),
            "subscript" => self.record_subscripted(node, path),
            "await" => self.calls_method(node.named_child(0), "__await__", 0, node),
            "list_splat" => self.calls_method(node.named_child(0), "__iter__", 0, node),
            "interpolation" => self.record_interpolated(node),
            "call" => self.by_function(node),
            _ => {}
        }
    }

    fn call_on(&mut self, called: &Called<'_>, at: Node<'_>) -> Option<Reference> {
        let is_object = matches!(
            self.b.facts().expr(called.base),
            Expr::Name { .. } | Expr::Member { .. } | Expr::Call { .. } | Expr::Index { .. } | Expr::Key { .. }
        );
        if !is_object {
            return None;
        }
        let name = self.b.name(called.method);
        let expr = self.b.expr(Expr::Implicit { base: called.base, name });
        let (pos, enclosing) = (self.pos(at), self.context().enclosing);
        let (arity, inexact) = (called.arity, called.inexact);
        Some(Reference { expr, role: Role::Call, inexact, arity, pos, enclosing })
    }

    fn calls(&mut self, called: &Called<'_>, at: Node<'_>) {
        if let Some(reference) = self.call_on(called, at) {
            self.b.reference(reference);
        }
    }

    fn calls_method(&mut self, operand: Option<Node<'_>>, method: &str, arity: u8, at: Node<'_>) {
        let base = self.expr_of(operand);
        self.calls(&Called { base, method, arity, inexact: false }, at);
    }

    /// A value is tested for truth, unless a built-in function yields it.
    fn tests_truth(&mut self, operand: Option<Node<'_>>, at: Node<'_>) {
        let function = operand.and_then(|node| node.child_by_field_id(FIELDS.function));
        if !function.is_some_and(|function| YIELDING_TRUTH.contains(&self.source.text(function))) {
            self.calls_method(operand, TRUTH, 0, at);
        }
    }

    /// Either operand may answer, if both are values of classes.
    fn either(&mut self, (left, right): (ExprId, ExprId), (method, reflected): (&str, &str), at: Node<'_>) {
        let is_literal =
            |this: &Self, expr| matches!(this.b.facts().expr(expr), Expr::Literal(_) | Expr::Collection { .. });
        let inexact = !is_literal(self, left);
        self.calls(&Called { base: left, method, arity: 1, inexact: false }, at);
        self.calls(&Called { base: right, method: reflected, arity: 1, inexact }, at);
    }

    fn operands(&self, node: Node<'_>) -> (ExprId, ExprId) {
        let of = |field| self.expr_of(node.child_by_field_id(field));
        (of(FIELDS.left), of(FIELDS.right))
    }

    fn binary(&mut self, node: Node<'_>) {
        let Some(operator) = node.child_by_field_id(FIELDS.operator) else { return };
        let Some(row) = BINARY.iter().find(|row| row.0 == operator.kind_name()) else { return };
        let operands = self.operands(node);
        self.either(operands, (row.1, row.2), operator);
    }

    /// `a += b` calls `__iadd__`, or `__add__` of values without one.
    fn record_augmented(&mut self, node: Node<'_>) {
        let Some(operator) = node.child_by_field_id(FIELDS.operator) else { return };
        let text = operator.kind_name().trim_end_matches('=');
        let Some(row) = BINARY.iter().find(|row| row.0 == text) else { return };
        let operands = self.operands(node);
        self.either(operands, (row.3, row.2), operator);
    }

    fn comparison(&mut self, node: Node<'_>) {
        let mut left = None;
        let mut operator: Option<Node<'_>> = None;
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).take(MAX_ITEMS).collect();
        for child in children {
            if !child.is_named() {
                operator = Some(child);
                continue;
            }
            let right = self.expr_of(Some(child));
            if let (Some(left), Some(operator)) = (left, operator.take()) {
                match operator.kind_name() {
                    "in" | "not in" => {
                        self.calls(&Called { base: right, method: "__contains__", arity: 1, inexact: false }, operator);
                    }
                    kind => {
                        if let Some(row) = COMPARISONS.iter().find(|row| row.0 == kind) {
                            self.either((left, right), (row.1, row.2), operator);
                        }
                    }
                }
            }
            left = Some(right);
        }
    }

    /// `a[i]`, `a[i] = x`, `del a[i]`.
    fn record_subscripted(&mut self, node: Node<'_>, path: &[Step<'_>]) {
        let at = node.child(1).filter(|child| !child.is_named()).unwrap_or(node);
        let value = node.child_by_field_id(FIELDS.value);
        let parent = path.last().map_or("", |step| step.node.kind_name());
        let above = path.len().checked_sub(2).map_or("", |index| path[index].node.kind_name());
        let is_deleted = parent == "delete_statement" || parent == "expression_list" && above == "delete_statement";
        match (self.written.contains(&node.id()), is_deleted) {
            (true, _) => {
                self.calls_method(value, "__setitem__", 2, at);
                if parent == "augmented_assignment" {
                    self.calls_method(value, "__getitem__", 1, at);
                }
            }
            (_, true) => self.calls_method(value, "__delitem__", 1, at),
            _ => self.calls_method(value, "__getitem__", 1, at),
        }
    }

    /// `{a}`, `{a!r}` in a string.
    fn record_interpolated(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let conversion = node.named_children(&mut cursor).find(|child| child.kind_name() == "type_conversion");
        let method = match conversion.map(|conversion| self.source.text(conversion)) {
            Some("!r" | "!a") => "__repr__",
            Some(_) => "__str__",
            None => "__format__",
        };
        let value = node.named_child(0);
        self.calls_method(value, method, u8::from(method == "__format__"), value.unwrap_or(node));
    }

    /// `len(a)`, if `len` turns out to be the built-in function.
    fn by_function(&mut self, node: Node<'_>) {
        let function = node.child_by_field_id(FIELDS.function).filter(|one| one.kind_name() == "identifier");
        let Some(function) = function else { return };
        let text = self.source.text(function);
        let Some((_, method)) = FUNCTIONS.iter().find(|row| row.0 == text) else { return };
        let Some(arguments) = node.child_by_field_id(FIELDS.arguments) else { return };
        let mut cursor = arguments.walk();
        let is_plain = |child: &Node<'_>| !matches!(child.kind_name(), "keyword_argument" | "comment");
        let given: Vec<Node<'_>> = arguments.named_children(&mut cursor).filter(is_plain).take(MAX_ITEMS).collect();
        // `max(a, b)` compares its arguments.
        let takes_one = matches!(text, "max" | "min");
        let all = text == "print";
        let count = if all { given.len() } else { usize::from(!takes_one || given.len() == 1) };
        let (name, scope): (NameId, ScopeId) = (self.b.name(text), self.scope());
        for argument in given.into_iter().take(count) {
            let base = self.expr_of(Some(argument));
            if let Some(call) = self.call_on(&Called { base, method, arity: 0, inexact: false }, argument) {
                self.by_function.push(ByFunction { function: StandardName { name, scope }, call });
            }
        }
    }
}
