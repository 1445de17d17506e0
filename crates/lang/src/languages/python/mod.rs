//! Facts of Python source files and stubs.
//!
//! One walk over the syntax tree: scopes and definitions open on the way down, expressions are built on the way up.
//! Only the content of the file is recorded; imports are resolved to files elsewhere.

mod assign;
mod define;
mod express;
mod finish;
mod flow;
mod implicit;
mod imports;
mod kept;
mod narrow;
mod operators;
mod pattern;
mod standard;
mod state;
#[cfg(test)]
mod tests;
mod typing;

use typing::generics;

use m1nd_base::Problem;

use self::state::{Extractor, FIELDS, GRAMMAR, KindName};
use super::Input;
use crate::facts::FileFacts;
use crate::parse::{self, Layout};
use crate::walk::{Enter, Step, Visitor};

pub(super) fn extract(input: &Input<'_>) -> Result<FileFacts, Problem> {
    let tree = parse::parse_code(&GRAMMAR, Layout::Indented, input.text.as_bytes(), input.limits, input.cancel)?;
    let root = tree.root_node();
    let mut extractor = Extractor::new(input);
    extractor.module_doc(root);
    if let Some(problem) = tree.visit(input.limits, &mut extractor) {
        extractor.b.problem(problem);
    }
    Ok(extractor.finish())
}

impl<'tree> Visitor<'tree> for Extractor<'_> {
    fn enter(&mut self, step: Step<'tree>, path: &[Step<'tree>]) -> Enter {
        self.open_contexts(step, path);
        let enter = self.enter_node(step, path);
        if enter == Enter::Skip {
            self.close_contexts(path.len());
        }
        enter
    }

    fn leave(&mut self, step: Step<'tree>, path: &[Step<'tree>]) {
        self.leave_node(step, path);
        self.close_contexts(path.len());
        self.narrow_after(step.node, self.depth_base + path.len());
    }

    fn is_done(&self) -> bool {
        self.b.full()
    }
}

impl Extractor<'_> {
    fn enter_node<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) -> Enter {
        let node = step.node;
        let parent = path.last().map_or("", |step| step.node.kind_name());
        match node.kind_name() {
            "comment" | "dotted_name" => return Enter::Skip,
            "import_statement" | "import_from_statement" | "future_import_statement" => {
                self.import_statement(node);
                return Enter::Skip;
            }
            "global_statement" | "nonlocal_statement" => {
                self.outer_names(node);
                return Enter::Skip;
            }
            "function_definition" => self.open_function(node, path),
            "lambda" => self.open_lambda(node),
            "class_definition" => self.open_class(node, path),
            "type_alias_statement" => self.open_type_alias(node),
            "type" if parent == "type_alias_statement" && step.field == Some("left") => return Enter::Skip,
            "type_parameter" if matches!(parent, "function_definition" | "class_definition") => {
                self.type_parameter_names(node);
            }
            "assignment" | "augmented_assignment" => self.enter_assignment(node),
            "for_statement" | "for_in_clause" => self.declare_field(node, FIELDS.left),
            "named_expression" => self.declare_field(node, FIELDS.name),
            "as_pattern" if parent != "case_pattern" => self.declare_field(node, FIELDS.alias),
            "case_pattern" if parent == "case_clause" => {
                self.case_pattern(node, path);
                return Enter::Skip;
            }
            "identifier" => {
                self.identifier(step, path);
                return Enter::Skip;
            }
            "string" if self.in_type() => {
                self.forward_reference(node, path);
                return Enter::Skip;
            }
            "string" if self.is_plain_string(node) => {
                // It contains only its quotes and text.
                let literal = self.string(node);
                self.exprs.set(node, literal);
                return Enter::Skip;
            }
            _ => {}
        }
        Enter::Descend
    }
}
