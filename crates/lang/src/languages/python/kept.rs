//! Which functions may keep their first argument: a decorator that does not keep what it decorates only wraps it.

use tree_sitter::Node;

use super::state::{Extractor, FIELDS, FrameKind, KindName, last_word};
use crate::facts::NameId;
use crate::walk::Step;

/// Functions of the standard library that do not keep their arguments.
const RELEASING: &[&str] = &[
    "callable", "cast", "getattr", "getdoc", "getfullargspec", "getmodule", "getsource", "hasattr", "id",
    "isasyncgenfunction", "isclass", "iscoroutinefunction", "isfunction", "isgeneratorfunction", "isinstance",
    "ismethod", "issubclass", "repr", "signature", "str", "type", "unwrap", "update_wrapper", "vars", "wraps",
];
/// Parentheses and alternatives around a name that are looked through.
const MAX_AROUND: usize = 4;

impl Extractor<'_> {
    /// Notes that a name which is the first parameter of a function around may be kept, unless its place only calls,
    /// compares, reads or returns it.
    pub(super) fn note_kept(&mut self, name: NameId, step: Step<'_>, path: &[Step<'_>]) {
        let around = self.frames.iter().rposition(|frame| frame.parameters.contains(&name));
        let Some(around) = around.filter(|&around| {
            let frame = &self.frames[around];
            frame.first == Some(name) && !frame.keeps_first && frame.kind == FrameKind::Function
        }) else {
            return;
        };
        if !self.is_released(around, step, path) {
            self.frames[around].keeps_first = true;
        }
    }

    fn is_released(&mut self, frame: usize, step: Step<'_>, path: &[Step<'_>]) -> bool {
        let mut child = step;
        for parent in path.iter().rev().take(MAX_AROUND) {
            match (parent.node.kind_name(), child.field.unwrap_or("")) {
                ("parenthesized_expression" | "conditional_expression" | "boolean_operator", _) => child = *parent,
                ("call", "function") | ("attribute", "object") | (_, "condition") => return true,
                ("return_statement" | "comparison_operator" | "not_operator" | "decorator", _) => return true,
                // Another value takes its place.
                ("assignment", "left") => return true,
                ("argument_list", _) => return self.releases_argument(frame, child.node, path),
                _ => return false,
            }
        }
        false
    }

    /// Returns whether the function that an argument is given to does not keep it.
    fn releases_argument(&mut self, frame: usize, argument: Node<'_>, path: &[Step<'_>]) -> bool {
        let call = path.iter().rev().map(|step| step.node).find(|node| node.kind_name() == "call");
        let Some(function) = call.and_then(|call| call.child_by_field_id(FIELDS.function)) else { return false };
        let text = self.source.text(function);
        if RELEASING.contains(&last_word(text)) {
            return true;
        }
        let is_first = argument.prev_named_sibling().is_none();
        let name = self.b.name(text);
        is_first && self.frames[frame..].iter().any(|frame| frame.releasing.contains(&name))
    }
}
