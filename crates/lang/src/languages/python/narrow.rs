//! Conditions that tell of which class a value is: `isinstance`, `type(x) is C`, `hasattr`, and class patterns of
//! `match`, in branches, behind branches that leave, and within expressions.

use tree_sitter::Node;

use super::state::{Extractor, FIELDS, KindName};
use crate::facts::{Expr, ExprId, NarrowTest};
use crate::languages::narrowing::{MAX_CONDITIONS, Test};
use crate::walk::Step;

/// Statements behind which the code of their block does not run.
const LEAVING: &[&str] = &["return_statement", "raise_statement", "continue_statement", "break_statement"];
/// Branches of one statement.
const MAX_BRANCHES: usize = 16;
/// Longest path, in bytes.
const MAX_PATH: usize = 100;

impl Extractor<'_> {
    /// The node that is entered may run only where a condition holds.
    pub(super) fn open_narrowing<'t>(&mut self, step: Step<'t>, parent: Node<'t>, depth: usize) {
        let condition = || parent.child_by_field_id(FIELDS.condition);
        let mut tests = Vec::new();
        match (parent.kind_name(), step.field.unwrap_or("")) {
            ("if_statement" | "elif_clause", "consequence") | ("while_statement", "body") => {
                tests.extend(condition().map(|condition| self.tests(condition, true)).unwrap_or_default());
            }
            ("if_statement", "alternative") => {
                for condition in conditions_before(parent, step.node) {
                    tests.extend(self.tests(condition, false));
                }
            }
            ("boolean_operator", "right") => {
                let is_and = parent.child_by_field_id(FIELDS.operator).is_some_and(|node| node.kind() == "and");
                let left = parent.child_by_field_id(FIELDS.left);
                tests.extend(left.map(|left| self.tests(left, is_and)).unwrap_or_default());
            }
            ("conditional_expression", _) => {
                let mut cursor = parent.walk();
                let parts: Vec<Node<'t>> =
                    parent.named_children(&mut cursor).filter(|part| part.kind_name() != "comment").collect();
                if let [first, condition, last] = *parts.as_slice()
                    && condition != step.node
                {
                    debug_assert!(step.node == first || step.node == last);
                    tests.extend(self.tests(condition, step.node == first));
                }
            }
            (
                "list_comprehension" | "set_comprehension" | "generator_expression" | "dictionary_comprehension",
                "body",
            ) => {
                let mut cursor = parent.walk();
                let clauses = parent.named_children(&mut cursor).filter(|child| child.kind_name() == "if_clause");
                for condition in clauses.filter_map(|clause| clause.named_child(0)).take(MAX_BRANCHES) {
                    tests.extend(self.tests(condition, true));
                }
            }
            ("case_clause", "consequence") => tests.extend(self.pattern_test(parent)),
            _ => return,
        }
        let function = self.frames.len();
        self.narrowings.open(depth, function, tests, &mut self.b);
    }

    /// What follows a statement that has been left may run only where a condition holds. `depth` is that of the block
    /// around.
    pub(super) fn narrow_after(&mut self, node: Node<'_>, depth: usize) {
        let tests = match node.kind_name() {
            "assert_statement" => node.named_child(0).map(|condition| self.tests(condition, true)).unwrap_or_default(),
            "if_statement" => self.tests_after(node),
            _ => return,
        };
        let function = self.frames.len();
        self.narrowings.open(depth, function, tests, &mut self.b);
    }

    /// What holds behind an `if` without `else` whose branches all leave the block.
    fn tests_after(&mut self, statement: Node<'_>) -> Vec<Test> {
        let mut cursor = statement.walk();
        let alternatives: Vec<Node<'_>> =
            statement.children_by_field_name("alternative", &mut cursor).take(MAX_BRANCHES).collect();
        let is_plain = alternatives.iter().all(|node| node.kind_name() == "elif_clause");
        let mut branches = std::iter::once(statement).chain(alternatives);
        if !is_plain || !branches.clone().all(|branch| branch.child_by_field_name("consequence").is_some_and(leaves)) {
            return Vec::new();
        }
        let conditions = branches.by_ref().filter_map(|branch| branch.child_by_field_id(FIELDS.condition));
        conditions.flat_map(|condition| self.tests(condition, false)).collect()
    }

    /// The tests that hold where a condition is true, or where it is false.
    fn tests(&mut self, condition: Node<'_>, holds: bool) -> Vec<Test> {
        let mut found = Vec::new();
        let mut work = vec![(condition, holds)];
        for _ in 0..MAX_CONDITIONS {
            let Some((node, holds)) = work.pop() else { break };
            match node.kind_name() {
                "parenthesized_expression" => work.extend(node.named_child(0).map(|inner| (inner, holds))),
                "not_operator" => {
                    work.extend(node.child_by_field_id(FIELDS.argument).map(|inner| (inner, !holds)));
                }
                "boolean_operator" => {
                    // Both sides of `and` are true, both of `or` false.
                    let is_and = node.child_by_field_id(FIELDS.operator).is_some_and(|node| node.kind() == "and");
                    if is_and == holds {
                        let sides = [FIELDS.left, FIELDS.right].map(|field| node.child_by_field_id(field));
                        work.extend(sides.into_iter().flatten().map(|side| (side, holds)));
                    }
                }
                "call" => found.extend(self.call_test(node, holds)),
                "comparison_operator" => found.extend(self.type_test(node, holds)),
                _ => {}
            }
        }
        found
    }

    /// `isinstance(x, C)`, `hasattr(x, "name")`
    fn call_test(&mut self, call: Node<'_>, holds: bool) -> Option<Test> {
        let function = self.source.text(call.child_by_field_id(FIELDS.function)?);
        let arguments = call.child_by_field_id(FIELDS.arguments)?;
        let (value, of) = (arguments.named_child(0)?, arguments.named_child(1)?);
        let path = self.path_text(value)?.to_owned();
        match function {
            "isinstance" => {
                let by = self.class_names(of)?;
                Some(Test { path, by, test: NarrowTest::Class, holds })
            }
            "hasattr" if self.is_plain_string(of) && holds => {
                let text = self.source.text(of).trim_matches(['"', '\'']);
                let (name, value) = (self.b.name(text), self.b.unknown());
                let by = vec![self.b.expr(Expr::Entry { name, value })];
                Some(Test { path, by, test: NarrowTest::Member, holds })
            }
            _ => None,
        }
    }

    /// `type(x) is C`: where it is not, the value may still be of a class derived from it.
    fn type_test(&mut self, comparison: Node<'_>, holds: bool) -> Option<Test> {
        let (left, right) = (comparison.named_child(0)?, comparison.named_child(1)?);
        let operator = comparison.child(1).map_or("", |operator| operator.kind());
        let is_equal = match operator {
            "is" | "==" => true,
            "is not" | "!=" => false,
            _ => return None,
        };
        let is_type = left.kind_name() == "call"
            && left.child_by_field_id(FIELDS.function).is_some_and(|function| self.source.text(function) == "type");
        if !is_type || comparison.named_child_count() != 2 || is_equal != holds {
            return None;
        }
        let value = left.child_by_field_id(FIELDS.arguments)?.named_child(0)?;
        let path = self.path_text(value)?.to_owned();
        let by = self.class_names(right)?;
        Some(Test { path, by, test: NarrowTest::Class, holds: true })
    }

    /// `match x: case C(): …`
    fn pattern_test(&mut self, clause: Node<'_>) -> Option<Test> {
        let statement = clause.parent()?.parent()?;
        let subject = statement.child_by_field_id(FIELDS.subject)?;
        let pattern = clause.named_child(0).filter(|pattern| pattern.kind_name() == "case_pattern")?;
        let class = pattern.named_child(0).filter(|pattern| pattern.kind_name() == "class_pattern")?.named_child(0)?;
        let path = self.path_text(subject)?.to_owned();
        let by = self.class_names(class)?;
        Some(Test { path, by, test: NarrowTest::Class, holds: true })
    }

    /// The text of a variable or of attributes behind one.
    pub(super) fn path_text(&self, node: Node<'_>) -> Option<&str> {
        let text = self.source.text(node);
        let is_path = matches!(node.kind_name(), "identifier" | "attribute");
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        (is_path && text.len() <= MAX_PATH && text.chars().all(is_word)).then_some(text)
    }

    /// The classes that the second argument of `isinstance` names, as expressions of their own.
    fn class_names(&mut self, node: Node<'_>) -> Option<Vec<ExprId>> {
        let mut found = Vec::new();
        let mut work = vec![node];
        for _ in 0..MAX_CONDITIONS {
            let Some(node) = work.pop() else { return Some(found) };
            match node.kind_name() {
                "identifier" | "attribute" | "dotted_name" => {
                    let path = self.source.text(node);
                    let mut parts = path.split('.').map(str::trim);
                    let first = self.b.name(parts.next()?);
                    let scope = self.scope();
                    let mut expr = self.name_expr(first, scope);
                    for part in parts {
                        expr = self.b.member(expr, part);
                    }
                    found.push(expr);
                }
                "tuple" | "parenthesized_expression" | "binary_operator" => {
                    let mut cursor = node.walk();
                    work.extend(node.named_children(&mut cursor));
                }
                _ => return None,
            }
        }
        None
    }
}

/// The conditions of an `if` that are false where its branch is reached.
fn conditions_before<'t>(statement: Node<'t>, branch: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = statement.walk();
    let earlier = statement
        .children_by_field_name("alternative", &mut cursor)
        .take(MAX_BRANCHES)
        .take_while(|node| *node != branch && node.kind_name() == "elif_clause");
    std::iter::once(statement).chain(earlier).filter_map(|node| node.child_by_field_id(FIELDS.condition)).collect()
}

/// Returns whether the last statement of a block leaves it.
fn leaves(block: Node<'_>) -> bool {
    let mut cursor = block.walk();
    let last = block.named_children(&mut cursor).filter(|child| child.kind_name() != "comment").last();
    last.is_some_and(|last| LEAVING.contains(&last.kind_name()))
}
