//! Names of functions, classes and object expressions, derived from their context.

use tree_sitter::Node;

use super::state::{Extractor, has_token};
use crate::walk::Step;

/// The place that names an expression.
#[derive(Debug, Clone, Copy)]
pub(super) enum Naming<'tree> {
    /// `const name = …`: the declarator and its whole declaration.
    Variable { declarator: Node<'tree>, declaration: Node<'tree> },
    /// `left = …`: the target and the whole assignment.
    Assign { left: Node<'tree>, whole: Node<'tree> },
    /// `key: …` in an object literal.
    Pair(Node<'tree>),
    /// A class field.
    Field(Node<'tree>),
    /// `export default …`.
    Default(Node<'tree>),
    /// `export = …`.
    ExportAssign,
    /// Called where it is written.
    Invoked,
    /// Nothing names it.
    None,
}

/// Wrappers looked through on the way to the naming place.
const MAX_WRAPPERS: usize = 8;

/// Finds the naming place of the expression at the end of `path`.
pub(super) fn naming<'tree>(step: Step<'tree>, path: &[Step<'tree>]) -> Naming<'tree> {
    let mut field = step.field;
    let mut nearest = None;
    // Outwards, through wrappers that do not change the value.
    for (offset, outer) in path.iter().enumerate().rev().take(MAX_WRAPPERS) {
        let node = outer.node;
        match node.kind() {
            "parenthesized_expression" | "satisfies_expression" | "unary_expression" => {}
            "as_expression" if node.named_child_count() == 1 => {}
            "call_expression" if field == Some("function") && nearest.is_none() => return Naming::Invoked,
            "member_expression" if field == Some("object") && nearest.is_none() => {
                let called = offset > 0 && path[offset - 1].node.kind() == "call_expression";
                return if called && offset + 1 < path.len() { Naming::Invoked } else { Naming::None };
            }
            "variable_declarator" if field == Some("value") => {
                let named = node.child_by_field_name("name").is_some_and(|name| name.kind() == "identifier");
                let declaration = offset.checked_sub(1).map(|index| path[index].node);
                return match declaration {
                    Some(declaration) if named => Naming::Variable { declarator: node, declaration },
                    _ => nearest.unwrap_or(Naming::None),
                };
            }
            "assignment_expression" if field == Some("right") => {
                let Some(left) = node.child_by_field_name("left") else { break };
                // `const a = b.c = f`: the variable wins if there is one.
                nearest = nearest.or(Some(Naming::Assign { left, whole: node }));
            }
            _ if nearest.is_some() => break,
            "pair" if field == Some("value") => return Naming::Pair(node),
            "public_field_definition" | "field_definition" if field == Some("value") => return Naming::Field(node),
            "export_statement" if field == Some("value") => return Naming::Default(node),
            "export_statement" if has_token(node, "=") => return Naming::ExportAssign,
            _ => break,
        }
        field = outer.field;
    }
    nearest.unwrap_or(Naming::None)
}

/// The member a name is assigned to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target<'tree, 'a> {
    /// `module.exports` or `exports`.
    Exports,
    /// `exports.name`.
    Export(Node<'tree>),
    /// `this.name`.
    This(Node<'tree>),
    /// `Name.prototype`.
    Prototype(&'a str),
    /// `Name.prototype.name`.
    PrototypeMember(&'a str, Node<'tree>),
    /// `name.member`.
    Member(&'a str, Node<'tree>),
    /// `….member`.
    Other(Node<'tree>),
    /// A bare name.
    Name(&'a str),
    /// Anything else.
    None,
}

impl<'a> Extractor<'a> {
    /// Kind of an assignment target.
    pub(super) fn target<'tree>(&self, left: Node<'tree>) -> Target<'tree, 'a> {
        match left.kind() {
            "identifier" if self.source.text(left) == "exports" => return Target::Exports,
            "identifier" => return Target::Name(self.source.text(left)),
            "member_expression" => {}
            _ => return Target::None,
        }
        let (Some(object), Some(property)) = (left.child_by_field_name("object"), left.child_by_field_name("property"))
        else {
            return Target::None;
        };
        // Only two levels have a meaning of their own: `module.exports.x` and `A.prototype.x`.
        match object.kind() {
            "this" => Target::This(property),
            "identifier" => match (self.source.text(object), self.source.text(property)) {
                ("module", "exports") => Target::Exports,
                ("exports", _) => Target::Export(property),
                (name, "prototype") => Target::Prototype(name),
                (name, _) => Target::Member(name, property),
            },
            "member_expression"
                if object.child_by_field_name("object").is_some_and(|base| base.kind() == "identifier") =>
            {
                match self.target(object) {
                    Target::Exports => Target::Export(property),
                    Target::Prototype(name) => Target::PrototypeMember(name, property),
                    _ => Target::Other(property),
                }
            }
            _ => Target::Other(property),
        }
    }
}
