//! Contextual typing: the parameters of a function from its context.

use tree_sitter::Node;

use super::state::{Extractor, children, has_token};
use crate::facts::{Expr, ExprId, ScopeId};
use crate::walk::Step;

/// Maximum parameters of a function typed by its context.
const MAX_GIVEN: usize = 8;
/// Object literals and arrays around a function that are followed.
const MAX_LITERALS: usize = 16;
/// Maximum levels of the tree to ascend from a function or its literal.
const MAX_LEVELS: usize = 128;

impl Extractor<'_> {
    /// Parameter values of a function, from its context.
    pub(super) fn context(&mut self, node: Node<'_>, path: &[Step<'_>]) -> Vec<ExprId> {
        let [.., call, arguments] = path else { return Vec::new() };
        let special = match (arguments.node.kind(), call.node.kind()) {
            ("variable_declarator", _) => self.component_props(arguments.node),
            ("arguments", "call_expression") => {
                if let Some(props) = self.forwarded_props(call.node) {
                    return props;
                }
                call.node
                    .child_by_field_name("function")
                    .map_or_else(Vec::new, |callee| self.given_by_container(callee))
            }
            _ => Vec::new(),
        };
        if !special.is_empty() || !has_parameters(node) {
            return special;
        }
        match self.find_expected(node, path, true) {
            Some(by) => self.given_parameters(node, by),
            None => Vec::new(),
        }
    }

    /// Arguments that container methods pass to a callback.
    fn given_by_container(&mut self, callee: Node<'_>) -> Vec<ExprId> {
        let (Some(object), Some(property)) =
            (callee.child_by_field_name("object"), callee.child_by_field_name("property"))
        else {
            return Vec::new();
        };
        let Some(base) = self.find_known(object) else { return Vec::new() };
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

    /// `this` in the methods of an object literal with a declared type (of a variable, a field or the result of the
    /// function that returns it). `path` leads to the method or to the property whose value it is.
    pub(super) fn object_type(&mut self, path: &[Step<'_>]) -> Option<ExprId> {
        let place = path.len() - path.iter().rev().take(2).position(|step| step.node.kind() == "object")? - 1;
        let (object, path) = (path[place].node, &path[..place]);
        self.find_expected(object, path, false)
    }

    /// The expected type of a function, as used by [`Expr::Given`]: through the enclosing object literals and arrays,
    /// from a declared type, a call (if `in_calls`) or the result type of the function that returns it.
    fn find_expected(&mut self, node: Node<'_>, path: &[Step<'_>], in_calls: bool) -> Option<ExprId> {
        let (mut inner, mut depth) = (node, path.len());
        // From the inside out; `None` means an array item.
        let mut keys: Vec<Option<Node<'_>>> = Vec::new();
        let outer = loop {
            let outer = path[..depth].last()?.node;
            match (outer.kind(), inner.kind()) {
                ("object", "method_definition") => keys.push(Some(inner.child_by_field_name("name")?)),
                ("pair", _) => keys.push(Some(outer.child_by_field_name("key")?)),
                ("array", _) => keys.push(None),
                ("object" | "parenthesized_expression", _) => {}
                _ => break outer,
            }
            if keys.len() > MAX_LITERALS || path.len() - depth > MAX_LEVELS {
                return None;
            }
            (inner, depth) = (outer, depth - 1);
        };
        let mut base = match outer.kind() {
            "variable_declarator" | "public_field_definition" => {
                let of = outer.child_by_field_name("type").and_then(|typed| self.find_known(typed))?;
                self.b.expr(Expr::Instance { of })
            }
            "arguments" if in_calls => {
                let call = self.call_before(inner, outer, path[..depth - 1].last()?.node)?;
                match keys.is_empty() {
                    true => call,
                    false => self.b.expr(Expr::Given { by: call, parameter: Expr::WHOLE }),
                }
            }
            "return_statement" => {
                let around = path[..depth - 1].iter().rev().take(MAX_LEVELS).find(|step| is_function(step.node))?;
                self.expected_result(around.node)?
            }
            "arrow_function" if outer.child_by_field_name("body") == Some(inner) => self.expected_result(outer)?,
            _ => return None,
        };
        for key in keys.into_iter().rev() {
            base = match key {
                Some(key) => {
                    let name = self.property(key);
                    self.b.member(base, name)
                }
                None => self.b.expr(Expr::Index { base }),
            };
        }
        Some(base)
    }

    /// A call with the arguments before one of them.
    fn call_before(&mut self, argument: Node<'_>, arguments: Node<'_>, call: Node<'_>) -> Option<ExprId> {
        let field = match call.kind() {
            "call_expression" => "function",
            "new_expression" => "constructor",
            _ => return None,
        };
        let callee = call.child_by_field_name(field).and_then(|callee| self.find_known(callee))?;
        let before = children(arguments).into_iter().take_while(|other| other.id() != argument.id());
        let before: Vec<ExprId> =
            before.filter(|other| other.kind() != "comment").map(|other| self.expr_of(other)).collect();
        let args = self.b.list(&before);
        Some(self.b.expr(Expr::Call { callee, args }))
    }

    /// A value of the result type that a function is written with.
    fn expected_result(&mut self, function: Node<'_>) -> Option<ExprId> {
        let of = function.child_by_field_name("return_type").and_then(|typed| self.find_known(typed))?;
        let base = self.b.expr(Expr::Instance { of });
        Some(if has_token(function, "async") { self.b.expr(Expr::Unwrap { base }) } else { base })
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

    /// Returns whether a name is a parameter or variable of a function around the current scope.
    pub(super) fn is_local(&mut self, name: &str) -> bool {
        let name = self.b.name(name);
        let mut scope: Option<ScopeId> = Some(self.scope());
        for _ in 0..super::state::MAX_SCOPES {
            let Some(id) = scope else { return false };
            if self.locals.contains(&(id, name)) {
                return true;
            }
            scope = self.b.facts().scopes[id.index()].parent;
        }
        false
    }
}

fn has_parameters(function: Node<'_>) -> bool {
    match function.child_by_field_name("parameters") {
        Some(parameters) => parameters.named_child_count() > 0,
        None => function.child_by_field_name("parameter").is_some(),
    }
}

fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "function_declaration"
            | "generator_function_declaration"
            | "function_expression"
            | "generator_function"
            | "arrow_function"
            | "method_definition"
    )
}
