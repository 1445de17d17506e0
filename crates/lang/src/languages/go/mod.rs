//! Facts of Go source files.
//!
//! One walk over the syntax tree. Definitions and scopes open on the way down, expressions are built on the way up:
//! children leave theirs in [`NodeExprs`], parents read them. A declaration inside a function is visible from its end
//! on, so a name that was used before in the same block gets a scope of its own (see [`state`]).

mod declare;
mod express;
mod functions;
mod literals;
mod standard;
mod state;
mod statements;
#[cfg(test)]
mod tests;
mod types;

use m1nd_base::Problem;
use tree_sitter::Node;

use self::state::Extractor;
use super::Input;
use crate::facts::FileFacts;
use crate::parse::{self, Layout};
use crate::walk::{Enter, Step, Visitor};

/// The facts of one Go file.
pub(super) fn extract(input: &Input<'_>) -> Result<FileFacts, Problem> {
    let grammar = tree_sitter_go::LANGUAGE.into();
    let tree = parse::parse_code(&grammar, Layout::Brackets, input.text.as_bytes(), input.limits, input.cancel)?;
    let mut extractor = Extractor::new(input);
    let problem = tree.visit(input.limits, &mut extractor);
    extractor.b.facts_mut().problems.extend(problem);
    extractor.end_file();
    Ok(extractor.b.finish())
}

impl<'tree> Visitor<'tree> for Extractor<'_> {
    fn enter(&mut self, step: Step<'tree>, path: &[Step<'tree>]) -> Enter {
        let node = step.node;
        match node.kind() {
            "comment" => self.comment(node),
            "package_clause" => self.package(node),
            "import_spec" => self.import(node),
            "identifier" => self.identifier(step, path),
            "type_identifier" => self.type_identifier(step, path),
            "package_identifier" | "field_identifier" | "blank_identifier" | "label_name" | "dot" => {}
            "interpreted_string_literal" | "raw_string_literal" => self.text_literal(node),
            _ => {
                self.enter_declaration(step, path);
                self.enter_statement(step, path);
                if node.kind() == "literal_value" {
                    self.enter_literal_value(step, path);
                }
                return Enter::Descend;
            }
        }
        Enter::Skip
    }

    fn leave(&mut self, step: Step<'tree>, path: &[Step<'tree>]) {
        if !self.leave_declaration(step, path) && !self.leave_statement(step, path) && !self.leave_type(step, path) {
            self.leave_expression(step, path);
        }
        self.close_frame(step.node);
    }

    fn is_done(&self) -> bool {
        self.b.full()
    }
}

/// Maximum children of a node that are searched for names or types.
const MAX_CHILDREN: usize = 4_096;

/// Named children that are not comments.
fn children<'tree>(node: Node<'tree>) -> Vec<Node<'tree>> {
    let mut cursor = node.walk();
    let named = node.named_children(&mut cursor).filter(|child| !child.is_extra());
    named.take(MAX_CHILDREN).collect()
}

/// Named children that fill a field.
fn fields<'tree>(node: Node<'tree>, field: &str) -> Vec<Node<'tree>> {
    let mut cursor = node.walk();
    let named = node.children_by_field_name(field, &mut cursor).filter(|child| child.is_named() && !child.is_extra());
    named.take(MAX_CHILDREN).collect()
}

/// Kind of the node above.
fn parent_kind<'tree>(path: &[Step<'tree>]) -> &'tree str {
    path.last().map_or("", |step| step.node.kind())
}
