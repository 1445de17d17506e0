//! What statements need from the function around them, and what it needs of them.

use tree_sitter::Node;

use super::flow::{MAX_BRANCH_DEPTH, ends_always, list_statements, may_skip};
use super::locals::{Locals, Use};
use super::rules::{Act, LocalRules};
use super::select::Selected;
use crate::Language;

/// Reads and writes of a variable around selected statements.
pub(super) struct Lives<'a, 't> {
    pub(super) language: Language,
    pub(super) rules: &'static LocalRules,
    pub(super) selected: &'a Selected<'t>,
    pub(super) locals: &'a Locals<'t>,
}

impl<'t> Lives<'_, 't> {
    fn uses(&self, variable: usize) -> Vec<Use<'t>> {
        self.locals.of(variable).copied().collect()
    }

    /// Returns whether a variable is declared before the statements, or around them.
    pub(super) fn is_outside(&self, variable: usize) -> bool {
        let first = self.locals.of(variable).find(|found| found.is_write());
        match self.language {
            Language::Python => {
                // Nothing but parameters and what is bound elsewhere is there before.
                let elsewhere =
                    self.locals.of(variable).any(|found| found.is_write() && !found.is_in(&self.selected.core));
                let is_before = first.is_some_and(|found| found.at.start_byte() < self.selected.core.start);
                is_before || elsewhere && self.is_around_loop(variable)
            }
            _ => !self.selected.core.contains(&self.locals.variables[variable].at.start_byte()),
        }
    }

    /// Returns whether a loop around the statements may bring back a value of the variable.
    fn is_around_loop(&self, variable: usize) -> bool {
        let Some(around) = self.outer_loop(variable) else { return false };
        self.locals.of(variable).any(|found| {
            found.is_write()
                && around.byte_range().contains(&found.at.start_byte())
                && !found.is_in(&self.selected.core)
        })
    }

    /// The outermost loop around the statements that the variable lives longer than.
    fn outer_loop(&self, variable: usize) -> Option<Node<'t>> {
        let known = &self.locals.variables[variable];
        let (mut node, mut found) = (self.selected.block.parent(), None);
        while let Some(above) = node {
            if above.start_byte() == known.function && self.rules.functions.contains(&above.kind()) {
                break;
            }
            let is_inside = above.byte_range().contains(&known.at.start_byte()) && self.language != Language::Python;
            if self.rules.loops.contains(&above.kind()) && !is_inside {
                found = Some(above);
            }
            node = above.parent();
        }
        found
    }

    /// Returns whether the value that the statements leave in a variable may be read later.
    pub(super) fn is_read_later(&self, variable: usize) -> bool {
        let function = self.selected.nearest.start_byte();
        if self.locals.variables[variable].function != function {
            return true;
        }
        let core = &self.selected.core;
        let uses = self.uses(variable);
        // A function inside of the function may run at any time.
        if uses.iter().any(|found| found.function != function && !found.is_in(core)) {
            return true;
        }
        if let Some(around) = self.outer_loop(variable)
            && uses.iter().any(|found| found.is_read() && around.byte_range().contains(&found.at.start_byte()))
        {
            let mut inside: Vec<&Use<'t>> = uses.iter().filter(|found| found.is_in(&around.byte_range())).collect();
            inside.sort_by_key(|found| found.order);
            // A new value at the beginning of each turn hides the old one.
            let is_new_each_turn =
                inside.first().is_some_and(|found| !found.is_read() && self.is_certain(found, around));
            if !is_new_each_turn {
                return true;
            }
        }
        let mut later: Vec<&Use<'t>> = uses.iter().filter(|found| found.at.start_byte() >= core.end).collect();
        later.sort_by_key(|found| found.order);
        let Some(first) = later.first() else { return false };
        if first.is_read() {
            return true;
        }
        // A new value comes first, for all that is read behind it.
        let by = self.statement_of(first.at);
        let reads = later.iter().filter(|found| found.is_read());
        !(self.is_on_the_way(by) && self.is_certain_statement(first, by))
            && reads.clone().any(|found| !by.byte_range().contains(&found.at.start_byte()))
    }

    /// The statement that a node belongs to: the child of the nearest list of statements.
    fn statement_of(&self, node: Node<'t>) -> Node<'t> {
        let mut at = node;
        while let Some(parent) = at.parent() {
            if self.rules.blocks.contains(&parent.kind()) {
                break;
            }
            at = parent;
        }
        at
    }

    /// Returns whether a statement stands in a list around the selected statements, or in theirs.
    fn is_on_the_way(&self, statement: Node<'t>) -> bool {
        statement.parent().is_some_and(|list| {
            list.start_byte() <= self.selected.block.start_byte() && list.end_byte() >= self.selected.block.end_byte()
        })
    }

    fn is_certain_statement(&self, found: &Use<'t>, statement: Node<'t>) -> bool {
        self.is_certain(found, statement) && !self.rules.branches.contains(&statement.kind())
    }

    /// Returns whether a write always happens when the node around it runs.
    fn is_certain(&self, found: &Use<'t>, around: Node<'t>) -> bool {
        let mut part = found.at;
        while let Some(above) = part.parent().filter(|above| *above != around) {
            if may_skip(self.rules, above, part) {
                return false;
            }
            part = above;
        }
        true
    }

    /// Returns whether the statements always give a variable a value.
    pub(super) fn is_always_bound(&self, variable: usize, statements: &[Node<'t>]) -> bool {
        self.binds(variable, statements, 0)
    }

    fn binds(&self, variable: usize, statements: &[Node<'t>], depth: usize) -> bool {
        depth <= MAX_BRANCH_DEPTH
            && statements.iter().any(|statement| self.statement_binds(variable, *statement, depth))
    }

    fn statement_binds(&self, variable: usize, statement: Node<'t>, depth: usize) -> bool {
        let range = statement.byte_range();
        let mut writes = self.locals.of(variable).filter(|found| found.is_in(&range) && self.has_value(found));
        let is_definition = self.rules.functions.contains(&statement.kind());
        if is_definition || !self.rules.branches.contains(&statement.kind()) {
            return writes.any(|found| self.is_certain(found, statement));
        }
        let branch = |node: Node<'t>| {
            let list = list_statements(self.rules, node);
            self.binds(variable, &list, depth + 1) || ends_always(self.rules, &list, depth)
        };
        let is_head = |field: &str| statement.child_by_field_name(field).filter(|_| statement.kind() != "do_statement");
        let heads: Vec<Node<'t>> = ["condition", "initializer"].into_iter().filter_map(is_head).collect();
        if heads.into_iter().any(|head| self.is_written_in(variable, head)) {
            return true;
        }
        let mut cursor = statement.walk();
        match statement.kind() {
            "if_statement" => {
                let elses: Vec<Node<'t>> = statement.children_by_field_name("alternative", &mut cursor).collect();
                let has_else = elses.last().is_some_and(|node| node.kind() != "elif_clause");
                has_else
                    && statement.child_by_field_name("consequence").is_some_and(branch)
                    && elses.into_iter().all(branch)
            }
            "try_statement" => {
                let body = statement.child_by_field_name("body").is_some_and(branch);
                let handlers: Vec<Node<'t>> = statement.named_children(&mut cursor).collect();
                body && handlers
                    .into_iter()
                    .filter(|node| matches!(node.kind(), "except_clause" | "catch_clause"))
                    .all(branch)
            }
            _ => false,
        }
    }

    /// Returns whether a part of a statement that always runs gives a variable a value.
    fn is_written_in(&self, variable: usize, part: Node<'t>) -> bool {
        let mut inside = self.locals.of(variable).filter(|found| found.is_in(&part.byte_range()));
        inside.any(|found| self.has_value(found) && self.is_certain(found, part))
    }

    /// Returns whether a write leaves a value: a declaration may not.
    fn has_value(&self, found: &Use<'t>) -> bool {
        let Act::Declare(_) = found.act else { return found.is_write() };
        // `x: int` of Python.
        let is_annotation = found
            .at
            .parent()
            .is_some_and(|parent| parent.kind() == "assignment" && parent.child_by_field_name("right").is_none());
        if is_annotation {
            return false;
        }
        let by = self.locals.variables[found.variable].by;
        let is_bare = matches!(by.kind(), "variable_declarator" | "let_declaration")
            && by.child_by_field_name("value").is_none()
            && found.at == self.locals.variables[found.variable].at
            && by.parent().is_none_or(|list| list.kind() != "spread_parameter");
        // `int x;` of C.
        let is_bare_of_c = by.kind() == "declaration" && found.at == self.locals.variables[found.variable].at && {
            let mut node = found.at.parent();
            while let Some(above) = node.filter(|above| *above != by && above.kind() != "init_declarator") {
                node = above.parent();
            }
            node == Some(by)
        };
        !is_bare && !is_bare_of_c
    }

    /// Returns whether a variable from outside has a value when the statements begin.
    pub(super) fn is_bound_before(&self, variable: usize) -> bool {
        self.locals.variables[variable].function != self.selected.nearest.start_byte()
            || self.is_bound_at(variable, self.selected.statements[0], 0)
    }

    /// Returns whether writes from a byte on have always given a variable a value when a node runs.
    fn is_bound_at(&self, variable: usize, node: Node<'t>, from: usize) -> bool {
        let start = node.start_byte();
        let known = &self.locals.variables[variable];
        let mut at = node;
        loop {
            if self.rules.blocks.contains(&at.kind()) {
                // Statements before, in each list around.
                let mut cursor = at.walk();
                let before = at
                    .named_children(&mut cursor)
                    .filter(|child| from <= child.start_byte() && child.end_byte() <= start);
                if self.is_always_bound(variable, &before.collect::<Vec<_>>()) {
                    return true;
                }
            } else {
                // What the node around gives a value before its body runs: a loop, `with`, a parameter.
                let range = at.start_byte().max(from)..at.end_byte();
                let inside =
                    self.locals.of(variable).filter(|found| found.is_in(&range) && found.at.end_byte() <= start);
                let has_body = at.child_by_field_name("body").is_some_and(|body| body.start_byte() <= start)
                    || at.kind() == "with_statement"
                    || at.kind() == "except_clause";
                let mut own = inside.filter(|found| self.has_value(found) && self.is_before_body(found, at));
                if has_body && own.next().is_some() {
                    return true;
                }
                // What runs before the rest of a statement: `for (i = 0; …)`, `if ((x = f()))`.
                let heads = ["initializer", "condition"].into_iter().filter_map(|field| at.child_by_field_name(field));
                let mut heads = heads.filter(|head| from <= head.start_byte() && head.end_byte() <= start);
                if heads.any(|head| self.is_written_in(variable, head)) {
                    return true;
                }
            }
            match at.parent() {
                Some(parent) if at.start_byte() != known.function || !self.rules.functions.contains(&at.kind()) => {
                    at = parent
                }
                _ => return false,
            }
        }
    }

    /// Returns whether nothing but this node is between it and a name: no list of statements, no branch.
    fn is_before_body(&self, found: &Use<'t>, around: Node<'t>) -> bool {
        let mut node = found.at.parent();
        while let Some(above) = node.filter(|above| *above != around) {
            let kind = above.kind();
            if self.rules.blocks.contains(&kind)
                || kind == "block"
                || self.rules.branches.contains(&kind)
                || self.rules.functions.contains(&kind)
            {
                return false;
            }
            node = above.parent();
        }
        node.is_some()
    }

    /// Returns whether the statements read the value that a variable had before, or may leave it as it is.
    pub(super) fn needs_old_value(&self, variable: usize) -> bool {
        let core = &self.selected.core;
        let inside: Vec<Use<'t>> = self.uses(variable).into_iter().filter(|found| found.is_in(core)).collect();
        let is_old = |found: &Use<'t>| found.is_read() && !self.is_bound_at(variable, found.at, core.start);
        inside.iter().any(is_old)
            || inside.iter().any(Use::is_write)
                && !self.is_always_bound(variable, &self.selected.statements)
                && self.is_read_later(variable)
    }
}
