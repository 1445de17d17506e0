//! What the parameters of a function are given, told by where the function is written.

use tree_sitter::Node;

use super::state::{Extractor, children};
use crate::facts::{Expr, ExprId};
use crate::walk::Step;

/// Parameters of a function that are told by where it is written.
const MAX_GIVEN: usize = 8;

impl Extractor<'_> {
    /// What a function is given where it is written: by the call it is an argument of, or by its declared type.
    pub(super) fn context(&mut self, node: Node<'_>, path: &[Step<'_>]) -> Vec<ExprId> {
        let [.., call, arguments] = path else { return Vec::new() };
        match (arguments.node.kind(), call.node.kind()) {
            ("variable_declarator", _) => {
                let props = self.component_props(arguments.node);
                if props.is_empty() { self.given_by_type(node, arguments.node) } else { props }
            }
            ("public_field_definition", _) => self.given_by_type(node, arguments.node),
            ("arguments", "call_expression") => {
                if let Some(props) = self.forwarded_props(call.node) {
                    return props;
                }
                let Some(callee) = call.node.child_by_field_name("function") else { return Vec::new() };
                let elements = self.given_by_container(callee);
                if elements.is_empty() { self.given_by_call(node, callee, arguments.node) } else { elements }
            }
            ("arguments", "new_expression") => match call.node.child_by_field_name("constructor") {
                Some(callee) => self.given_by_call(node, callee, arguments.node),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// What the methods of containers hand to a callback.
    fn given_by_container(&mut self, callee: Node<'_>) -> Vec<ExprId> {
        let (Some(object), Some(property)) =
            (callee.child_by_field_name("object"), callee.child_by_field_name("property"))
        else {
            return Vec::new();
        };
        let Some(base) = self.known(object) else { return Vec::new() };
        match self.source.text(property) {
            "forEach" | "map" | "filter" | "find" | "findIndex" | "findLast" | "some" | "every" | "flatMap" => {
                vec![self.b.expr(Expr::Index { base })]
            }
            "sort" | "toSorted" => vec![self.b.expr(Expr::Index { base }); 2],
            "reduce" | "reduceRight" => vec![self.b.unknown(), self.b.expr(Expr::Index { base })],
            "then" => vec![self.b.expr(Expr::Unwrap { base })],
            _ => Vec::new(),
        }
    }

    /// What the declared type of a variable or field gives to the function it holds.
    fn given_by_type(&mut self, function: Node<'_>, declarator: Node<'_>) -> Vec<ExprId> {
        match declarator.child_by_field_name("type").and_then(|typed| self.known(typed)) {
            Some(by) => self.given_parameters(function, by),
            None => Vec::new(),
        }
    }

    /// What a callee gives to the function that is one of its arguments.
    fn given_by_call(&mut self, function: Node<'_>, callee: Node<'_>, arguments: Node<'_>) -> Vec<ExprId> {
        if !has_parameters(function) {
            return Vec::new();
        }
        let Some(callee) = self.known(callee) else { return Vec::new() };
        let before = children(arguments).into_iter().take_while(|argument| argument.id() != function.id());
        let before: Vec<ExprId> =
            before.filter(|argument| argument.kind() != "comment").map(|argument| self.expr_of(argument)).collect();
        let args = self.b.list(&before);
        let by = self.b.expr(Expr::Call { callee, args });
        self.given_parameters(function, by)
    }

    fn given_parameters(&mut self, function: Node<'_>, by: ExprId) -> Vec<ExprId> {
        let count = match function.child_by_field_name("parameters") {
            Some(parameters) => children(parameters).len().min(MAX_GIVEN),
            None => 1,
        };
        (0..count as u32).map(|parameter| self.b.expr(Expr::Given { by, parameter })).collect()
    }

    /// `const View: React.FC<Props> = (props) => …`.
    fn component_props(&mut self, declarator: Node<'_>) -> Vec<ExprId> {
        let Some(typed) = self.field_expr(declarator, "type") else { return Vec::new() };
        let Expr::Generic { base, args } = self.b.facts().expr(typed) else { return Vec::new() };
        let name = match self.b.facts().expr(base) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => self.b.facts().name(name),
            _ => return Vec::new(),
        };
        let is_component = matches!(name, "FC" | "FunctionComponent" | "VFC" | "VoidFunctionComponent");
        let props = self.b.facts().list(args).first().copied().filter(|_| is_component);
        props.map(|of| self.b.expr(Expr::Instance { of })).into_iter().collect()
    }

    /// `forwardRef<Ref, Props>((props, ref) => …)` and `memo<Props>((props) => …)`.
    fn forwarded_props(&mut self, call: Node<'_>) -> Option<Vec<ExprId>> {
        let arguments = call.child_by_field_name("type_arguments")?;
        let callee = self.source.text(call.child_by_field_name("function")?);
        let place = match callee.rsplit('.').next() {
            Some("forwardRef") => 1,
            Some("memo") => 0,
            _ => return None,
        };
        let of = self.arguments_of(arguments).get(place).copied().filter(|&of| of != self.b.unknown())?;
        Some(vec![self.b.expr(Expr::Instance { of })])
    }
}

fn has_parameters(function: Node<'_>) -> bool {
    match function.child_by_field_name("parameters") {
        Some(parameters) => parameters.named_child_count() > 0,
        None => function.child_by_field_name("parameter").is_some(),
    }
}
