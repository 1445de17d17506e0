//! Places from which statements cannot be taken out.

use tree_sitter::Node;

use super::Result;
use super::extract::Planner;
use crate::Language;

impl<'t> Planner<'_, '_, 't> {
    /// Refuses a name that the code around already has.
    pub(super) fn check_name(&self, name: &str) -> Result<()> {
        if self.lives.locals.words.contains(name) {
            let why = format!("`{name}` is already a name in the function; choose another one");
            return Err(self.refuse_at(self.lives.selected.top, why));
        }
        Ok(())
    }

    /// Refuses places in which a new function would not mean what the statements mean.
    pub(super) fn check_surroundings(&self) -> Result<()> {
        // What is around the lines.
        let selected = self.lives.selected;
        let mut node = selected.block.parent();
        while let Some(above) = node.filter(|above| above.start_byte() >= selected.home.start_byte()) {
            match (self.lives.language, above.kind()) {
                (Language::Rust, "unsafe_block") => {
                    return Err(self
                        .refuse_at(above, "the lines are in an `unsafe` block, which a new function would not be in"));
                }
                (Language::Java, "lambda_expression") => {
                    return Err(self.refuse_at(above, "the lines are in a lambda, whose exceptions are not known"));
                }
                (Language::JavaScript | Language::TypeScript | Language::Tsx, "with_statement") => {
                    return Err(self.refuse_at(above, "the lines are in a `with` statement"));
                }
                _ => {}
            }
            node = above.parent();
        }
        let home = selected.home;
        match self.lives.language {
            Language::Rust => self.check_rust(home),
            Language::Java => self.check_java(home),
            Language::JavaScript | Language::TypeScript | Language::Tsx => self.check_script(home),
            _ => Ok(()),
        }
    }

    pub(super) fn check_rust(&self, home: Node<'t>) -> Result<()> {
        let mut cursor = home.walk();
        let modifiers = home.named_children(&mut cursor).find(|child| child.kind() == "function_modifiers");
        let words = modifiers.map_or("", |node| self.text(node));
        if let Some(word) = ["unsafe", "const", "extern"].iter().find(|word| words.contains(**word)) {
            return Err(self.refuse_at(home, format!("the function is `{word}`, and the lines may need it to be")));
        }
        if home.kind() != "function_item" {
            return Err(self.refuse_at(home, "the lines are not inside of a function"));
        }
        if let Some(last) = self.lives.selected.statements.last()
            && self.is_value(*last)
            && !self.lives.selected.is_at_end()
        {
            return Err(self.refuse_at(*last, "the last line is the value of the block around it"));
        }
        Ok(())
    }

    /// Returns whether a statement of Rust may be the value of its block.
    pub(super) fn is_value(&self, statement: Node<'t>) -> bool {
        let mut cursor = statement.parent().map_or_else(|| statement.walk(), |parent| parent.walk());
        let is_last = statement.parent().is_some_and(|block| {
            block.named_children(&mut cursor).filter(|child| !child.is_extra()).last() == Some(statement)
        });
        let kind = statement.kind();
        let is_done = kind.ends_with("_item")
            || kind.ends_with("_declaration")
            || kind == "empty_statement"
            || self.text(statement).ends_with(';');
        let inner =
            if kind == "expression_statement" { statement.named_child(0).unwrap_or(statement) } else { statement };
        let is_unit = matches!(
            inner.kind(),
            "for_expression" | "while_expression" | "assignment_expression" | "compound_assignment_expr"
        ) || inner.kind() == "if_expression" && inner.child_by_field_name("alternative").is_none();
        let in_loop = statement
            .parent()
            .and_then(|block| block.parent())
            .is_some_and(|above| matches!(above.kind(), "for_expression" | "while_expression" | "loop_expression"));
        is_last && !is_done && !is_unit && !in_loop
    }

    pub(super) fn check_java(&self, home: Node<'t>) -> Result<()> {
        if home.kind() == "lambda_expression" {
            return Err(self.refuse_at(home, "the lines are not in a method"));
        }
        let container = self.lives.selected.top.parent().map_or("", |parent| parent.kind());
        if !matches!(container, "class_body" | "enum_body_declarations") {
            return Err(self.refuse_at(home, "only methods of classes and enums can be split"));
        }
        self.check_constructor(home.kind().ends_with("constructor_declaration"))
    }

    pub(super) fn check_script(&self, home: Node<'t>) -> Result<()> {
        let is_constructor = home.child_by_field_name("name").is_some_and(|name| self.text(name) == "constructor");
        self.check_constructor(is_constructor && self.lives.language != Language::JavaScript)?;
        let is_super = |node: &&Node<'t>| {
            node.kind() == "super" && node.parent().is_some_and(|parent| parent.kind() == "call_expression")
        };
        if let Some(node) = self.flow.receivers.iter().find(is_super) {
            return Err(self.refuse_at(*node, "a constructor must call `super` itself"));
        }
        Ok(())
    }

    /// Refuses lines of a constructor that give fields their first values.
    pub(super) fn check_constructor(&self, is_constructor: bool) -> Result<()> {
        if !is_constructor {
            return Ok(());
        }
        let mut rest: Vec<Node<'t>> = self.lives.selected.statements.clone();
        while let Some(node) = rest.pop() {
            let is_write = matches!(
                node.kind(),
                "assignment_expression" | "update_expression" | "augmented_assignment_expression"
            );
            let left = node.child_by_field_name("left").or_else(|| node.named_child(0));
            if is_write && left.is_some_and(|left| !self.is_local(left)) {
                return Err(self.refuse_at(node, "a constructor must give its fields their values itself"));
            }
            let mut cursor = node.walk();
            rest.extend(node.named_children(&mut cursor));
        }
        Ok(())
    }

    pub(super) fn is_local(&self, node: Node<'_>) -> bool {
        self.lives.locals.uses.iter().any(|found| found.at.start_byte() == node.start_byte())
            && !node.kind().contains("field")
            && !node.kind().contains("member")
    }
}
