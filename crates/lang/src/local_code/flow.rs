//! Where control leaves a piece of code.

use tree_sitter::Node;

use super::rules::LocalRules;
use super::select::Selected;
use super::{Obstacle, line_of};
use crate::Language;

/// How deep branches are followed to see whether all of them end or bind.
pub(super) const MAX_BRANCH_DEPTH: usize = 8;

/// What the statements do besides running to their end.
#[derive(Debug, Default)]
pub(super) struct Flow<'t> {
    /// `return` statements of the function around them.
    pub(super) returns: Vec<Node<'t>>,
    /// `?` of Rust.
    pub(super) tries: Vec<Node<'t>>,
    pub(super) has_await: bool,
    /// `this` or `self` of the method around them.
    pub(super) receivers: Vec<Node<'t>>,
    pub(super) obstacles: Vec<Obstacle>,
}

/// A node to look at, with what is between it and the statements.
#[derive(Clone, Copy)]
struct Place<'t> {
    node: Node<'t>,
    /// Inside of a function of its own.
    in_function: bool,
    /// Inside of a function that has its own `this`.
    has_own_receiver: bool,
    loops: bool,
    switches: bool,
}

impl<'t> Flow<'t> {
    /// Looks through the statements.
    pub(super) fn find((language, rules): (Language, &LocalRules), selected: &Selected<'t>, text: &str) -> Self {
        let mut flow = Self::default();
        let place = |node| Place { node, in_function: false, has_own_receiver: false, loops: false, switches: false };
        let mut rest: Vec<Place<'t>> = selected.statements.iter().rev().map(|node| place(*node)).collect();
        let mut labels: Vec<&str> = Vec::new();
        // Through all nodes, with what is around each.
        while let Some(at) = rest.pop() {
            let kind = at.node.kind();
            if kind == "label"
                && at
                    .node
                    .parent()
                    .is_some_and(|parent| !parent.kind().starts_with("break") && !parent.kind().starts_with("continue"))
            {
                labels.push(text.get(at.node.byte_range()).unwrap_or_default().trim_end_matches(':'));
            }
            if kind == "labeled_statement"
                && let Some(label) = at.node.child(0)
            {
                labels.push(text.get(label.byte_range()).unwrap_or_default());
            }
            flow.add(at, (language, rules), text, &labels);
            let mut next = at;
            if rules.functions.contains(&kind) {
                next.in_function = true;
                next.has_own_receiver |=
                    kind != "arrow_function" && !matches!(language, Language::Rust | Language::Java);
            }
            next.has_own_receiver |= matches!(kind, "class_body" | "impl_item");
            next.in_function |= kind == "class_body";
            next.loops |= rules.loops.contains(&kind);
            next.switches |= kind.contains("switch") || kind == "select_statement";
            let mut cursor = at.node.walk();
            let children: Vec<Node<'t>> = at.node.children(&mut cursor).collect();
            rest.extend(children.into_iter().rev().map(|node| Place { node, ..next }));
        }
        flow
    }

    fn add(&mut self, at: Place<'t>, (language, rules): (Language, &LocalRules), text: &str, labels: &[&str]) {
        let (kind, line) = (at.node.kind(), line_of(text, at.node.start_byte()));
        let own = text.get(at.node.byte_range()).unwrap_or_default();
        if rules.receivers.contains(&kind) && !at.has_own_receiver && at.node.is_named() {
            self.receivers.push(at.node);
        }
        if rules.names.contains(&kind) && rules.frames.contains(&own) && !at.has_own_receiver {
            self.obstacles.push(Obstacle { line, why: format!("`{own}` looks at the function it is called in") });
        }
        if at.in_function {
            return;
        }
        if let Some((_, why)) = rules.bound.iter().find(|(bound, _)| *bound == kind).filter(|_| at.node.is_named()) {
            let is_own_switch =
                at.switches && matches!(kind, "fallthrough_statement" | "yield_statement" | "case_statement");
            if !is_own_switch {
                self.obstacles.push(Obstacle { line, why: (*why).to_owned() });
            }
        }
        if rules.returns.contains(&kind) {
            self.returns.push(at.node);
        }
        let is_async_part = kind == "async" && !at.in_function && language == Language::Python;
        self.has_await |= rules.awaits.contains(&kind) && at.node.is_named() || is_async_part;
        self.has_await |= kind == "for_in_statement" && own.starts_with("for await");
        if rules.breaks.contains(&kind) && at.node.is_named() {
            let mut cursor = at.node.walk();
            let label = at.node.named_children(&mut cursor).find(|node| {
                matches!(node.kind(), "label" | "statement_identifier" | "label_name")
                    || language == Language::Java && node.kind() == "identifier"
            });
            let stays = match label {
                Some(label) => labels.contains(&text.get(label.byte_range()).unwrap_or_default()),
                None => at.loops || (at.switches && kind.starts_with("break")),
            };
            if !stays {
                let word = own.split([' ', ';']).next().unwrap_or_default();
                self.obstacles.push(Obstacle { line, why: format!("`{word}` belongs to a loop around the lines") });
            }
        }
        if kind == "try_expression" {
            self.tries.push(at.node);
        }
        // Code that the parser has only as words.
        if kind == "token_tree" {
            let mut cursor = at.node.walk();
            for child in at.node.children(&mut cursor) {
                match text.get(child.byte_range()).unwrap_or_default() {
                    "?" => self.tries.push(child),
                    "self" => self.receivers.push(child),
                    word @ ("return" | "break" | "continue" | "await") => {
                        let why = format!("`{word}` in a macro may leave the lines");
                        self.obstacles.push(Obstacle { line, why });
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Returns whether a node may leave one of its parts out when it runs.
pub(super) fn may_skip(rules: &LocalRules, node: Node<'_>, part: Node<'_>) -> bool {
    if !rules.branches.contains(&node.kind()) {
        return false;
    }
    let is_first = node.named_child(0) == Some(part);
    match node.kind() {
        // A definition always binds its name.
        "function_definition" | "function_declaration" => node.child_by_field_name("name") != Some(part),
        "binary_expression" | "boolean_operator" => {
            let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
            matches!(operator, "&&" | "||" | "??" | "and" | "or") && !is_first
        }
        // `a < b < c`
        "comparison_operator" => node.named_child_count() > 2 && !is_first && node.named_child(1) != Some(part),
        "do_statement" => true,
        // What decides about the others always runs.
        _ => !["condition", "initializer"].iter().any(|field| node.child_by_field_name(field) == Some(part)),
    }
}

/// Returns whether the last of some statements never runs to its end.
pub(super) fn ends_always(rules: &LocalRules, statements: &[Node<'_>], depth: usize) -> bool {
    let Some(last) = statements.iter().rev().find(|node| !node.is_extra()) else { return false };
    if depth > MAX_BRANCH_DEPTH {
        return false;
    }
    let kind = last.kind();
    let is_return = |node: Node<'_>| {
        rules.returns.contains(&node.kind()) || matches!(node.kind(), "raise_statement" | "throw_statement")
    };
    if is_return(*last) || kind == "expression_statement" && last.named_child(0).is_some_and(is_return) {
        return true;
    }
    let inner = |node: Node<'_>| ends_always(rules, &list_statements(rules, node), depth + 1);
    if kind == "if_statement" {
        let mut cursor = last.walk();
        let elses: Vec<Node<'_>> = last.children_by_field_name("alternative", &mut cursor).collect();
        let then = last.child_by_field_name("consequence").is_some_and(inner);
        let has_else = elses.last().is_some_and(|node| node.kind() != "elif_clause");
        return then && has_else && elses.into_iter().all(inner);
    }
    rules.blocks.contains(&kind) && inner(*last)
}

/// The statements of a branch: of its block, or itself.
pub(super) fn list_statements<'t>(rules: &LocalRules, branch: Node<'t>) -> Vec<Node<'t>> {
    let mut at = branch;
    for _ in 0..MAX_BRANCH_DEPTH {
        let mut cursor = at.walk();
        let children: Vec<Node<'t>> = at.named_children(&mut cursor).filter(|child| !child.is_extra()).collect();
        if rules.blocks.contains(&at.kind()) {
            return children;
        }
        let body = at.child_by_field_name("consequence").filter(|_| at.kind() == "elif_clause");
        let body = body.or_else(|| at.child_by_field_name("body").filter(|_| at.kind() == "else_clause"));
        match body.or_else(|| children.iter().copied().find(|child| rules.blocks.contains(&child.kind()))) {
            Some(next)
                if matches!(
                    at.kind(),
                    "else_clause" | "elif_clause" | "block" | "except_clause" | "finally_clause"
                ) =>
            {
                at = next
            }
            _ if at.kind() == "else_clause" && children.len() == 1 => at = children[0],
            _ => return vec![at],
        }
    }
    vec![at]
}
