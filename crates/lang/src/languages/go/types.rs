//! Written types, built bottom-up.

use tree_sitter::Node;

use super::state::{Extractor, MAX_NAME};
use super::{children, parent_kind};
use crate::facts::{Collection, Expr, ExprId, Literal};
use crate::text;
use crate::walk::Step;

/// Types that every package knows. Naming one is no reference worth keeping.
const BASIC: &[&str] = &[
    "any", "bool", "byte", "comparable", "complex128", "complex64", "error", "float32", "float64", "int", "int16",
    "int32", "int64", "int8", "rune", "string", "uint", "uint16", "uint32", "uint64", "uint8", "uintptr",
];

impl Extractor<'_> {
    pub(super) fn type_identifier<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) {
        let node = step.node;
        let declares = matches!(parent_kind(path), "type_spec" | "type_alias") && step.field == Some("name");
        if declares || parent_kind(path) == "qualified_type" {
            return;
        }
        let written = text::clip(self.text(node), MAX_NAME);
        let name = self.b.name(written);
        let expr = self.name_expr(name);
        self.exprs.set(node, expr);
        let is_reference = match self.local(name) {
            Some(local) => local.is_type,
            None => !BASIC.contains(&written),
        };
        if is_reference {
            let role = self.type_role(path);
            self.refer(expr, role, u8::MAX, node);
        }
    }

    /// Returns whether the node was a type.
    pub(super) fn leave_type<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) -> bool {
        let node = step.node;
        let expr = match node.kind() {
            "qualified_type" => self.record_qualified(node, path),
            "pointer_type" | "parenthesized_type" | "negated_type" => self.expr_of(children(node).first().copied()),
            "slice_type" | "array_type" | "implicit_length_array_type" => {
                let element = self.field_expr(node, "element");
                let items = self.b.list(&[element]);
                self.b.expr(Expr::Collection { kind: Collection::List, items })
            }
            "map_type" => {
                let (key, value) = (self.field_expr(node, "key"), self.field_expr(node, "value"));
                self.standard("map", &[key, value])
            }
            "channel_type" => {
                let value = self.field_expr(node, "value");
                self.standard("chan", &[value])
            }
            "function_type" => {
                let result = match node.child_by_field_name("result") {
                    Some(result) => self.expr_of(Some(result)),
                    None => self.literal(Literal::Null),
                };
                self.b.expr(Expr::Function { result })
            }
            "generic_type" => {
                let base = self.field_expr(node, "type");
                let arguments = node.child_by_field_name("type_arguments");
                self.generic(base, arguments)
            }
            "type_constraint" => {
                let parts: Vec<ExprId> = children(node).into_iter().map(|part| self.expr_of(Some(part))).collect();
                self.b.union(&parts)
            }
            "type_arguments" => return true,
            _ => return false,
        };
        self.exprs.set(node, expr);
        true
    }

    fn record_qualified<'t>(&mut self, node: Node<'t>, path: &[Step<'t>]) -> ExprId {
        let (Some(package), Some(name)) = (node.child_by_field_name("package"), node.child_by_field_name("name"))
        else {
            return self.b.unknown();
        };
        let package = self.b.name(text::clip(self.text(package), MAX_NAME));
        let base = self.name_expr(package);
        let expr = self.b.member(base, text::clip(self.text(name), MAX_NAME));
        let role = self.type_role(path);
        self.refer(expr, role, u8::MAX, name);
        expr
    }

    /// A type that is part of the language, by its keyword: no name of the program can be the same.
    fn standard(&mut self, keyword: &str, args: &[ExprId]) -> ExprId {
        let base = self.b.name_expr(keyword, crate::facts::FactsBuilder::FILE);
        let args = self.b.list(args);
        self.b.expr(Expr::Generic { base, args })
    }

    /// A generic with the arguments as written.
    pub(super) fn generic(&mut self, base: ExprId, arguments: Option<Node<'_>>) -> ExprId {
        let args: Vec<ExprId> = arguments
            .map(children)
            .unwrap_or_default()
            .into_iter()
            .map(|argument| self.expr_of(Some(argument)))
            .collect();
        if args.is_empty() || base == self.b.unknown() {
            return base;
        }
        let args = self.b.list(&args);
        self.b.expr(Expr::Generic { base, args })
    }
}
