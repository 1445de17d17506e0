//! Written types, built bottom-up like expressions.

use tree_sitter::Node;

use super::Extractor;
use super::KindName;
use super::environment::Space;
use crate::facts::{Collection, Expr, ExprId, ListId, Literal, PathRoot, Role};
use crate::walk::Step;

/// Traits that say nothing of a type's members: skipped where one trait has to be picked from several.
const MARKERS: &[&str] = &["Send", "Sync", "Sized", "Unpin", "Copy", "UnwindSafe", "RefUnwindSafe"];

impl<'a> Extractor<'a> {
    /// Sets the expression of a type node.
    pub(super) fn leave_type(&mut self, step: Step<'_>, path: &[Step<'_>]) {
        let node = step.node;
        let expr = match node.kind_name() {
            "type_identifier" => self.type_identifier(step, path),
            "scoped_type_identifier" | "scoped_identifier" => self.record_scoped(step, path),
            "primitive_type" => Some(self.builder.name_expr(self.source.text(node), self.at.scope)),
            "generic_type" | "generic_type_with_turbofish" => Some(self.generic_type(node)),
            // References and pointers are transparent: members are those of the type behind.
            "reference_type" | "pointer_type" | "type_binding" | "higher_ranked_trait_bound" | "qualified_type" => {
                node.child_by_field_name("type").and_then(|inner| self.exprs.get(inner))
            }
            "bracketed_type" => node.named_child(0).and_then(|inner| self.exprs.get(inner)),
            "abstract_type" | "dynamic_type" => {
                node.child_by_field_name("trait").and_then(|inner| self.exprs.get(inner))
            }
            "bounded_type" => self.first_trait(node),
            "array_type" => {
                let element = self.field_expr(node, "element");
                let items = self.builder.list(&[element]);
                Some(self.builder.expr(Expr::Collection { kind: Collection::List, items }))
            }
            "tuple_type" => {
                let parts: Vec<ExprId> =
                    super::children(node).into_iter().map(|part| self.expr_of(Some(part))).collect();
                let items = self.builder.list(&parts);
                Some(self.builder.expr(Expr::Collection { kind: Collection::Tuple, items }))
            }
            "unit_type" => Some(self.builder.expr(Expr::Literal(Literal::Null))),
            "function_type" => {
                let result = match node.child_by_field_name("return_type") {
                    Some(result) => self.expr_of(Some(result)),
                    None => self.builder.expr(Expr::Literal(Literal::Null)),
                };
                let parameters = self.function_parameters(node);
                Some(self.builder.expr(Expr::Signature { parameters, result }))
            }
            _ => None,
        };
        if let Some(expr) = expr {
            self.exprs.set(node, expr);
        }
    }

    /// The types of the parameters of `fn(A, name: B)` or `Fn(A, B)`.
    fn function_parameters(&mut self, function: Node<'_>) -> ListId {
        let written = function.child_by_field_name("parameters").map(super::children).unwrap_or_default();
        let types = written.into_iter().filter(|parameter| parameter.kind_name() != "attribute_item");
        let types: Vec<ExprId> =
            types.map(|parameter| self.expr_of(parameter.child_by_field_name("type").or(Some(parameter)))).collect();
        self.builder.list(&types)
    }

    fn type_identifier(&mut self, step: Step<'_>, path: &[Step<'_>]) -> Option<ExprId> {
        if step.field == Some("name")
            && path.last().is_some_and(|parent| parent.node.kind_name() != "struct_expression")
        {
            return None;
        }
        match self.ident(step.node) {
            "_" => return None,
            "Self" => return Some(self.builder.expr(Expr::SelfType { scope: self.at.scope })),
            _ => {}
        }
        let text = self.ident(step.node);
        let expr = self.builder.name_expr(text, self.at.scope);
        let name = self.builder.name(text);
        if !self.environment.is_local(Space::Type, name) {
            let (role, _) = role_of(step, path, Role::Type);
            self.refer(expr, role, u8::MAX, step.node);
        }
        Some(expr)
    }

    /// `base::name`, of a type or a value.
    fn record_scoped(&mut self, step: Step<'_>, path: &[Step<'_>]) -> Option<ExprId> {
        let name = step.node.child_by_field_name("name")?;
        let base = match step.node.child_by_field_name("path") {
            Some(base) => self.expr_of(Some(base)),
            None => self.root(PathRoot::Global),
        };
        if name.kind_name() == "super" {
            return Some(self.super_of(Some(base)));
        }
        let expr = self.builder.path(base, self.ident(name));
        let default = if step.node.kind_name() == "scoped_identifier" { Role::Read } else { Role::Type };
        let (role, arity) = role_of(step, path, default);
        self.refer(expr, role, arity, name);
        Some(expr)
    }

    fn generic_type(&mut self, node: Node<'_>) -> ExprId {
        let base = self.field_expr(node, "type");
        let arguments = self.type_arguments(node.child_by_field_name("type_arguments"));
        if base == self.builder.unknown() {
            return base;
        }
        let args = self.builder.list(&arguments);
        self.builder.expr(Expr::Generic { base, args })
    }

    /// Type arguments in order, without lifetimes. Of `Iterator<Item = T>` the argument is `T`.
    pub(super) fn type_arguments(&self, list: Option<Node<'_>>) -> Vec<ExprId> {
        let Some(list) = list else { return Vec::new() };
        let arguments = super::children(list).into_iter();
        let arguments = arguments.filter(|argument| !matches!(argument.kind_name(), "lifetime" | "trait_bounds"));
        arguments.map(|argument| self.expr_of(Some(argument))).collect()
    }

    /// The first trait of `A + Send + 'static` that has members of its own.
    fn first_trait(&self, node: Node<'_>) -> Option<ExprId> {
        let parts: Vec<ExprId> = super::children(node).into_iter().filter_map(|part| self.exprs.get(part)).collect();
        let facts = self.builder.facts();
        let is_marker = |part: &ExprId| match facts.expr(*part) {
            Expr::Name { name, .. } | Expr::Path { name, .. } => MARKERS.contains(&facts.name(name)),
            _ => false,
        };
        parts.iter().find(|part| !is_marker(part)).or(parts.first()).copied()
    }
}

/// Role of the name in a node, from its context; for a call also the number of arguments.
pub(super) fn role_of(step: Step<'_>, path: &[Step<'_>], default: Role) -> (Role, u8) {
    let mut field = step.field;
    // What is around decides only whether it is written: in `x[i] = y` and `(x, z) = y`.
    let mut is_part = false;
    for (depth, parent) in path.iter().enumerate().rev() {
        match (parent.node.kind_name(), field) {
            ("index_expression", _) if is_first(parent.node, step, path, depth) => {
                (is_part, field) = (true, parent.field)
            }
            ("tuple_expression" | "array_expression" | "parenthesized_expression", _) if default == Role::Read => {
                (is_part, field) = (true, parent.field);
            }
            ("assignment_expression" | "compound_assignment_expr", Some("left")) => return (Role::Write, u8::MAX),
            ("reference_expression", _) if !is_part && has_mutable(parent.node) => return (Role::Write, u8::MAX),
            _ if is_part => return (default, u8::MAX),
            ("generic_type" | "generic_type_with_turbofish" | "higher_ranked_trait_bound", Some("type"))
            | ("generic_function", Some("function"))
            | ("function_type", Some("trait")) => field = parent.field,
            ("call_expression", Some("function")) => return (Role::Call, arity(parent.node)),
            ("scoped_identifier" | "scoped_type_identifier", Some("path")) => return (Role::Type, u8::MAX),
            ("impl_item", Some("trait")) => return (Role::Implement, u8::MAX),
            ("trait_bounds", _) => {
                let of_trait = depth > 0 && path[depth - 1].node.kind_name() == "trait_item";
                return (if of_trait { Role::Inherit } else { Role::Type }, u8::MAX);
            }
            _ => return (default, u8::MAX),
        }
    }
    (default, u8::MAX)
}

/// Returns whether the step below `path[depth]` is the indexed value, not the index.
fn is_first(index: Node<'_>, step: Step<'_>, path: &[Step<'_>], depth: usize) -> bool {
    let inner = path.get(depth + 1).map_or(step.node, |below| below.node);
    index.named_child(0).is_some_and(|first| first.id() == inner.id())
}

/// Returns whether a reference expression is `&mut x`.
fn has_mutable(reference: Node<'_>) -> bool {
    let mut cursor = reference.walk();
    reference.children(&mut cursor).any(|child| child.kind_name() == "mutable_specifier")
}

fn arity(call: Node<'_>) -> u8 {
    let Some(arguments) = call.child_by_field_name("arguments") else { return u8::MAX };
    let count = super::children(arguments).iter().filter(|child| child.kind_name() != "attribute_item").count();
    u8::try_from(count).unwrap_or(u8::MAX)
}
