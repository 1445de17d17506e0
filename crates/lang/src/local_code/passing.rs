//! How the values of variables are given to a new function.

use tree_sitter::Node;

use super::Result;
use super::extract::{Passing, Planner, has_mut};
use super::locals::{Use, Variable};
use super::rules::Act;
use super::types::COPIED_BY_RUST;
use crate::Language;

/// Types of Go whose values are copied.
const BASIC: &[&str] = &[
    "string", "bool", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64",
    "uintptr", "float32", "float64", "byte", "rune", "error", "any", "interface", "basic", "reference",
];
/// Beginnings of types of Go whose values must not be copied after their first use.
const NOT_COPIED: &[&str] = &["sync.", "atomic.", "strings.Builder"];

impl<'t> Planner<'_, '_, 't> {
    /// Refuses variables that another function of the code may read or write at the same time.
    pub(super) fn check_sharing(&self, index: usize, is_written: bool) -> Result<()> {
        let lives = &self.lives;
        let variable = &lives.locals.variables[index];
        let core = &lives.selected.core;
        let nearest = lives.selected.nearest.start_byte();
        let uses: Vec<_> = lives.locals.of(index).collect();
        // Functions that see the variable, in the lines and outside.
        let inside_closure = uses.iter().find(|found| found.is_in(core) && found.function != nearest);
        let other_closure = uses
            .iter()
            .any(|found| !found.is_in(core) && found.function != variable.function && found.function != nearest);
        let written_again = uses
            .iter()
            .filter(|found| found.is_write() && self.is_new_value(found.act, found.at, variable))
            .any(|found| found.at.start_byte() >= core.start || self.is_in_loop_with(variable));
        if let Some(found) = inside_closure.filter(|found| written_again || found.is_write()) {
            return Err(self.refuse_at(
                found.at,
                format!("`{}` is shared with a function inside of the lines and gets a new value", variable.name),
            ));
        }
        if is_written && other_closure {
            return Err(self.refuse_at(
                variable.at,
                format!(
                    "`{}` is shared with a function outside of the lines and gets a new value in them",
                    variable.name
                ),
            ));
        }
        let borrowed = (lives.language == Language::Go)
            .then(|| uses.iter().find(|found| found.is_in(core) && self.is_address(found.at)))
            .flatten();
        if let Some(found) = borrowed {
            return Err(self.refuse_at(found.at, format!("the address of `{}` is taken", variable.name)));
        }
        Ok(())
    }

    pub(super) fn is_new_value(&self, act: Act, at: Node<'t>, variable: &Variable<'t>) -> bool {
        !matches!(act, Act::Declare(_)) || at != variable.at
    }

    pub(super) fn is_in_loop_with(&self, variable: &Variable<'t>) -> bool {
        let mut node = self.lives.selected.block.parent();
        while let Some(above) = node {
            if above.byte_range().contains(&variable.at.start_byte()) {
                return false;
            }
            if self.lives.rules.loops.contains(&above.kind()) {
                return true;
            }
            node = above.parent();
        }
        false
    }

    pub(super) fn is_address(&self, at: Node<'t>) -> bool {
        let mut node = at;
        while let Some(parent) = node.parent().filter(|parent| {
            matches!(parent.kind(), "selector_expression" | "index_expression" | "parenthesized_expression")
        }) {
            if parent.child_by_field_name("operand").is_some_and(|operand| operand != node) {
                return false;
            }
            node = parent;
        }
        node.parent().is_some_and(|parent| parent.kind() == "unary_expression" && self.text(parent).starts_with('&'))
    }

    /// Refuses values of Go that a copy would not stand for.
    pub(super) fn check_copy_of_go(&self, index: usize, kind: &str) -> Result<()> {
        const SHARED: &[&str] = &["*", "[]", "map[", "chan ", "<-chan ", "func(", "interface{", "interface {"];
        let lives = &self.lives;
        let variable = &lives.locals.variables[index];
        if NOT_COPIED.iter().any(|start| kind.starts_with(start)) {
            let why = format!("`{}` is a `{kind}`, which must not be copied", variable.name);
            return Err(self.refuse_at(variable.at, why));
        }
        let underlying = self.types.find_underlying(kind);
        if SHARED.iter().any(|mark| underlying.starts_with(mark)) || BASIC.contains(&underlying.as_str()) {
            return Ok(());
        }
        // A copy is enough where nothing sees the variable afterwards.
        let is_elsewhere =
            lives.locals.of(index).any(|found| !found.is_in(&lives.selected.core) && self.is_address(found.at));
        if !lives.is_read_later(index) && !is_elsewhere {
            return Ok(());
        }
        // A member that is written, or a method that may write one.
        let touched = lives.locals.of(index).filter(|found| found.is_in(&lives.selected.core)).find(|found| {
            found.at.parent().is_some_and(|parent| {
                let is_base = parent.child_by_field_name("operand") == Some(found.at);
                let above = parent.parent();
                let is_called = above.is_some_and(|call| {
                    call.kind() == "call_expression" && call.child_by_field_name("function") == Some(parent)
                });
                let is_left = above
                    .and_then(|list| list.parent())
                    .is_some_and(|by| by.kind() == "assignment_statement" && by.child_by_field_name("left") == above);
                is_base
                    && (is_called
                        || is_left
                        || above.is_some_and(|by| {
                            matches!(
                                by.kind(),
                                "selector_expression" | "inc_statement" | "dec_statement" | "index_expression"
                            )
                        }))
            })
        });
        match touched {
            Some(found) => Err(self.refuse_at(
                found.at,
                format!(
                    "`{}` may be a value that the lines change; a new function would change a copy",
                    self.text(found.at)
                ),
            )),
            None => Ok(()),
        }
    }

    /// Refuses variables of TypeScript whose type conditions before the lines have narrowed.
    pub(super) fn check_narrowing(&self, index: usize, kind: &str) -> Result<()> {
        let is_simple = |part: &str| {
            let part = part.trim().trim_end_matches("[]");
            matches!(part, "string" | "number" | "boolean" | "bigint" | "any" | "Date" | "RegExp" | "Error")
                || part.starts_with(['"', '\''])
        };
        if is_simple(kind) {
            return Ok(());
        }
        let lives = &self.lives;
        let start = lives.selected.core.start;
        let variable = &lives.locals.variables[index];
        let may_narrow = |found: &&Use<'t>| {
            found.at.start_byte() < start
                && (self.is_in_condition(found.at) || found.is_write() && found.at != variable.at && kind.contains('|'))
        };
        match lives.locals.of(index).find(may_narrow) {
            Some(found) => {
                Err(self.refuse_at(found.at, format!("the type of `{}` may be narrowed here", variable.name)))
            }
            None if kind.contains('|') && variable.by.kind() == "variable_declarator" => {
                Err(self.refuse_at(variable.at, format!("the type of `{}` may be narrowed here", variable.name)))
            }
            None => Ok(()),
        }
    }

    /// Returns whether conditions or new values before the lines may have changed what a type checker of Python knows
    /// of a variable: then its annotation would say something else in the new function.
    pub(super) fn may_narrow_python(&self, index: usize) -> bool {
        const TESTS: &[&str] = &[
            "comparison_operator", "boolean_operator", "not_operator", "assert_statement", "conditional_expression",
            "call", "match_statement",
        ];
        let lives = &self.lives;
        let variable = &lives.locals.variables[index];
        let is_test = |at: Node<'t>| {
            let mut node = at;
            while let Some(parent) = node.parent().filter(|parent| !lives.rules.blocks.contains(&parent.kind())) {
                let is_condition = parent.child_by_field_name("condition") == Some(node);
                if is_condition || TESTS.contains(&parent.kind()) {
                    return true;
                }
                node = parent;
            }
            false
        };
        lives.locals.of(index).any(|found| {
            found.at.start_byte() < lives.selected.core.start
                && found.at != variable.at
                && (found.is_write() || is_test(found.at))
        })
    }

    pub(super) fn is_in_condition(&self, at: Node<'t>) -> bool {
        let mut node = at;
        while let Some(parent) = node.parent() {
            let kind = parent.kind();
            let is_condition =
                ["condition", "value", "left"].iter().any(|field| parent.child_by_field_name(field) == Some(node));
            if matches!(
                kind,
                "if_statement" | "while_statement" | "ternary_expression" | "switch_statement" | "do_statement"
            ) && is_condition
            {
                return true;
            }
            if kind == "binary_expression"
                || kind == "call_expression"
                    && parent.parent().is_some_and(|above| above.kind() == "expression_statement")
            {
                return true;
            }
            if kind.ends_with("statement") || kind == "statement_block" {
                return false;
            }
            node = parent;
        }
        false
    }

    /// How a value of Rust is given to the new function, where that is certain.
    pub(super) fn pass_rust(&self, index: usize, kind: &str, is_written: bool) -> Result<Passing> {
        let lives = &self.lives;
        let variable = &lives.locals.variables[index];
        let refuse = |why: &str| Err(self.refuse_at(variable.at, format!("`{}` {why}", variable.name)));
        let inner = kind.trim_start_matches("&mut ").trim_start_matches('&');
        if inner.contains('&') || inner.contains("'_") {
            return refuse("has a type with a lifetime that is not written");
        }
        if variable.function != lives.selected.nearest.start_byte() && !COPIED_BY_RUST.contains(&kind) {
            return refuse("is captured by a closure around the lines");
        }
        if COPIED_BY_RUST.contains(&kind) || (kind.starts_with('&') && !kind.starts_with("&mut")) {
            let borrowed = lives.locals.of(index).find(|found| {
                found.is_in(&lives.selected.core)
                    && found.at.parent().is_some_and(|parent| {
                        parent.kind() == "reference_expression" && self.text(parent).starts_with("&mut")
                    })
            });
            return match borrowed {
                Some(_) => refuse("is borrowed mutably in the lines"),
                None => Ok(if is_written { Passing::Mutable } else { Passing::Plain }),
            };
        }
        if is_written && lives.is_read_later(index) {
            return refuse("gets a new value, and its type cannot be copied");
        }
        if kind.starts_with("&mut ") {
            return Ok(Passing::Plain);
        }
        // A value that is moved: nothing may need it later, or have borrowed from it.
        let end = lives.selected.core.end;
        let later = lives.locals.of(index).any(|found| found.at.start_byte() >= end && found.is_read());
        let looped = self.is_in_loop_with(variable);
        if later || looped {
            return refuse("is used behind the lines too, and may be moved in them");
        }
        let start = lives.selected.core.start;
        let bound = lives
            .locals
            .of(index)
            .any(|found| found.at.start_byte() < start && found.at != variable.at && self.is_in_binding(found.at));
        if bound {
            return refuse("may be borrowed by another variable");
        }
        Ok(if is_written || has_mut(variable) { Passing::Mutable } else { Passing::Plain })
    }

    pub(super) fn is_in_binding(&self, at: Node<'t>) -> bool {
        let mut node = at.parent();
        while let Some(above) = node.filter(|above| above.kind() != "block") {
            if matches!(
                above.kind(),
                "let_declaration"
                    | "assignment_expression"
                    | "let_condition"
                    | "match_expression"
                    | "for_expression"
                    | "closure_expression"
            ) {
                return true;
            }
            node = above.parent();
        }
        false
    }
}
