//! Conditions that tell what a value is: `x instanceof C`, `"name" in x`, `x.kind === "a"`, and `switch (x.kind)`, in
//! branches, behind branches that leave, and within expressions.

use tree_sitter::Node;

use super::state::{Extractor, unquote};
use crate::facts::{Expr, ExprId, Literal, NarrowTest, Role};
use crate::languages::narrowing::{MAX_CONDITIONS, Test};

use crate::walk::Step;

/// Statements behind which the code of their block does not run.
const LEAVING: &[&str] = &["return_statement", "throw_statement", "continue_statement", "break_statement"];
/// Longest path, in bytes.
const MAX_PATH: usize = 100;
/// The code in a function runs where its own tests hold, and those around it: variables seldom change meanwhile.
const ANY_FUNCTION: usize = 0;

impl Extractor<'_> {
    /// The node that is entered may run only where a condition holds.
    pub(super) fn open_narrowing<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) {
        let Some(parent) = path.last().map(|outer| outer.node) else { return };
        let Some(field) = step.field else { return };
        let tests = match (parent.kind(), field) {
            ("if_statement" | "ternary_expression", "consequence" | "alternative") | ("while_statement", "body") => {
                let condition = parent.child_by_field_name("condition");
                condition.map(|condition| self.tests(condition, field != "alternative")).unwrap_or_default()
            }
            ("binary_expression", "right") => {
                let operator = parent.child_by_field_name("operator").map_or("", |operator| operator.kind());
                match parent.child_by_field_name("left").filter(|_| matches!(operator, "&&" | "||")) {
                    Some(left) => self.tests(left, operator == "&&"),
                    None => return,
                }
            }
            ("switch_case", "body") => self.case_test(parent, path).into_iter().collect(),
            _ => return,
        };
        self.narrowings.open(path.len(), ANY_FUNCTION, tests, &mut self.b);
    }

    /// What follows an `if` without `else` whose branch leaves its block runs only where its condition is false.
    pub(super) fn narrow_after(&mut self, node: Node<'_>, path: &[Step<'_>]) {
        if node.kind() != "if_statement" || node.child_by_field_name("alternative").is_some() || path.is_empty() {
            return;
        }
        let is_left = node.child_by_field_name("consequence").is_some_and(leaves);
        let condition = node.child_by_field_name("condition").filter(|_| is_left);
        let tests = condition.map(|condition| self.tests(condition, false)).unwrap_or_default();
        self.narrowings.open(path.len() - 1, ANY_FUNCTION, tests, &mut self.b);
    }

    /// The value of a name or member where conditions tell more of it.
    pub(super) fn narrow_read(&mut self, node: Node<'_>, role: Role) {
        if self.narrowings.is_empty() {
            return;
        }
        let Some(path) = self.path_text(node).map(str::to_owned) else { return };
        if role == Role::Write {
            self.narrowings.forget(&path);
        } else if role == Role::Read
            && let Some(base) = self.find_known(node)
        {
            let expr = self.narrowings.read(&path, ANY_FUNCTION, base, &mut self.b);
            if expr != base {
                self.exprs.set(node, expr);
            }
        }
    }

    /// The tests that hold where a condition is true, or where it is false.
    fn tests(&mut self, condition: Node<'_>, holds: bool) -> Vec<Test> {
        let mut found = Vec::new();
        let mut work = vec![(condition, holds)];
        for _ in 0..MAX_CONDITIONS {
            let Some((node, holds)) = work.pop() else { break };
            match node.kind() {
                "parenthesized_expression" => work.extend(node.named_child(0).map(|inner| (inner, holds))),
                "unary_expression" if node.child(0).is_some_and(|operator| operator.kind() == "!") => {
                    work.extend(node.child_by_field_name("argument").map(|inner| (inner, !holds)));
                }
                "binary_expression" => {
                    let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
                    let (Some(left), Some(right)) =
                        (node.child_by_field_name("left"), node.child_by_field_name("right"))
                    else {
                        continue;
                    };
                    match operator {
                        // Both sides of `&&` are true, both of `||` false.
                        "&&" if holds => work.extend([(left, true), (right, true)]),
                        "||" if !holds => work.extend([(left, false), (right, false)]),
                        "instanceof" => found.extend(self.class_test(left, right, holds)),
                        "in" => found.extend(self.member_test(left, right, holds)),
                        "===" | "==" => found.extend(self.constant_test(left, right, holds)),
                        "!==" | "!=" => found.extend(self.constant_test(left, right, !holds)),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// `x instanceof C`
    fn class_test(&mut self, value: Node<'_>, class: Node<'_>, holds: bool) -> Option<Test> {
        let path = self.path_text(value)?.to_owned();
        let by = vec![self.path_expr(class)?];
        Some(Test { path, by, test: NarrowTest::Class, holds })
    }

    /// `"name" in x`
    fn member_test(&mut self, name: Node<'_>, value: Node<'_>, holds: bool) -> Option<Test> {
        let path = self.path_text(value)?.to_owned();
        let name = (name.kind() == "string").then(|| unquote(self.source.text(name)))?;
        let (name, value) = (self.b.name(name), self.b.unknown());
        let by = vec![self.b.expr(Expr::Entry { name, value })];
        Some(Test { path, by, test: NarrowTest::Member, holds })
    }

    /// `x.kind === "a"`, `x.kind === Kind.A`
    fn constant_test(&mut self, member: Node<'_>, constant: Node<'_>, holds: bool) -> Option<Test> {
        let name = (member.kind() == "member_expression").then(|| member.child_by_field_name("property"))??;
        let path = self.path_text(member.child_by_field_name("object")?)?.to_owned();
        let value = match self.constant(constant) {
            Some(literal) => literal,
            None => self.path_expr(constant).filter(|_| constant.kind() == "member_expression")?,
        };
        let name = self.b.name(self.source.text(name));
        let by = vec![self.b.expr(Expr::Entry { name, value })];
        Some(Test { path, by, test: NarrowTest::Constant, holds })
    }

    /// `switch (x.kind) { case "a": … }`; a case that others run into is not told apart.
    fn case_test(&mut self, case: Node<'_>, path: &[Step<'_>]) -> Option<Test> {
        let statement = path.iter().rev().map(|step| step.node).find(|node| node.kind() == "switch_statement")?;
        let before = case.prev_named_sibling().filter(|before| before.kind() == "switch_case");
        let is_entered = before.is_none_or(|before| {
            let mut cursor = before.walk();
            before.children_by_field_name("body", &mut cursor).last().is_some_and(leaves)
        });
        let subject = statement.child_by_field_name("value").and_then(|value| value.named_child(0))?;
        let constant = case.child_by_field_name("value").filter(|_| is_entered)?;
        self.constant_test(subject, constant, true)
    }

    /// A constant with its text, as literal types have it.
    pub(super) fn constant(&mut self, node: Node<'_>) -> Option<ExprId> {
        let text = self.source.text(node);
        let (text, literal) = match node.kind() {
            "string" => (format!("\"{}\"", unquote(text)), Literal::Str),
            "number" => (text.to_owned(), Literal::Float),
            "true" | "false" => (text.to_owned(), Literal::Bool),
            _ => return None,
        };
        let (name, value) = (self.b.name(&text), self.b.expr(Expr::Literal(literal)));
        Some(self.b.expr(Expr::Entry { name, value }))
    }

    /// A name or members behind one, as an expression of its own.
    fn path_expr(&mut self, node: Node<'_>) -> Option<ExprId> {
        let path = self.path_text(node)?.to_owned();
        let mut parts = path.split('.');
        let (first, scope) = (parts.next()?, self.scope());
        if first == "this" {
            return None;
        }
        let mut expr = self.b.name_expr(first, scope);
        for part in parts {
            expr = self.b.member(expr, part);
        }
        Some(expr)
    }

    /// The text of a variable or of members behind one.
    fn path_text(&self, node: Node<'_>) -> Option<&str> {
        let is_path = matches!(node.kind(), "identifier" | "member_expression" | "property_identifier");
        let text = self.source.text(node);
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
        (is_path && text.len() <= MAX_PATH && text.chars().all(is_word)).then_some(text)
    }
}

/// Returns whether a statement, or the last of a block, leaves the block around it.
fn leaves(statement: Node<'_>) -> bool {
    let last = match statement.kind() {
        "statement_block" => {
            let mut cursor = statement.walk();
            statement.named_children(&mut cursor).filter(|child| child.kind() != "comment").last()
        }
        _ => Some(statement),
    };
    last.is_some_and(|last| LEAVING.contains(&last.kind()))
}
