//! Expressions, built bottom-up, and their references.

use tree_sitter::Node;

use super::state::{Extractor, MAX_NAME};
use super::statements::defines;
use super::{children, parent_kind};
use crate::facts::{Expr, ExprId, Literal, Role};
use crate::text;
use crate::walk::Step;

/// Maximum arguments recorded per call: more do not help to determine its result.
const MAX_ARGS: usize = 16;

impl Extractor<'_> {
    pub(super) fn identifier<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) {
        let node = step.node;
        let written = text::clip(self.text(node), MAX_NAME);
        if written == "_" || written.is_empty() || declares(step, path) {
            return;
        }
        if let Some(key) = self.field_key(node, path) {
            let _ = key;
            return;
        }
        let name = self.b.name(written);
        let expr = self.name_expr(name);
        self.exprs.set(node, expr);
        let (role, arity) = role(step, path);
        let place = self.b.facts().references.len();
        let qualifies = self.packages.contains_key(&name) && parent_kind(path) == "selector_expression";
        match self.local(name) {
            Some(local) if local.is_type => self.refer(expr, role, arity, node),
            Some(local) if role == Role::Call => {
                local.calls.push(place);
                self.refer(expr, role, arity, node);
            }
            Some(_) => {}
            // The import is the reference to the package.
            None if qualifies => {}
            None => self.refer(expr, role, arity, node),
        }
    }

    pub(super) fn text_literal(&mut self, node: Node<'_>) {
        let expr = self.literal(Literal::Str);
        self.exprs.set(node, expr);
    }

    pub(super) fn leave_expression<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) {
        let node = step.node;
        let expr = match node.kind() {
            "int_literal" | "rune_literal" | "iota" => self.literal(Literal::Int),
            "float_literal" | "imaginary_literal" => self.literal(Literal::Float),
            "true" | "false" => self.literal(Literal::Bool),
            "nil" => self.literal(Literal::Null),
            "selector_expression" => self.selector(step, path),
            "call_expression" => self.call(node),
            "index_expression" => self.index(node),
            "slice_expression" => self.field_expr(node, "operand"),
            "type_conversion_expression" if is_generic(node) => {
                let (callee, operand) = (self.field_expr(node, "type"), self.field_expr(node, "operand"));
                let args = self.b.list(&[operand]);
                self.on(callee, |callee| Expr::Call { callee, args })
            }
            "type_assertion_expression" | "type_conversion_expression" => {
                let of = self.field_expr(node, "type");
                self.on(of, |of| Expr::Instance { of })
            }
            "type_instantiation_expression" => {
                let parts = children(node);
                let base = self.expr_of(parts.first().copied());
                let args: Vec<ExprId> = parts.iter().skip(1).map(|part| self.expr_of(Some(*part))).collect();
                if args.is_empty() || base == self.b.unknown() {
                    base
                } else {
                    let args = self.b.list(&args);
                    self.b.expr(Expr::Generic { base, args })
                }
            }
            "composite_literal" => self.field_expr(node, "body"),
            // The elements have been set when it was entered.
            "literal_value" => return self.store_elements(node, path),
            "parenthesized_expression" | "literal_element" | "expression_statement" => {
                self.expr_of(children(node).first().copied())
            }
            "unary_expression" => self.unary(node),
            "binary_expression" => self.binary(node),
            _ => return,
        };
        self.exprs.set(node, expr);
    }

    fn on(&mut self, base: ExprId, expr: impl FnOnce(ExprId) -> Expr) -> ExprId {
        if base == self.b.unknown() { base } else { self.b.expr(expr(base)) }
    }

    /// `x[i]`, or `f[T]`, which reads the same where the argument is a name.
    fn index(&mut self, node: Node<'_>) -> ExprId {
        let base = self.field_expr(node, "operand");
        let index = self.field_expr(node, "index");
        let is_path = |expr: Expr| matches!(expr, Expr::Name { .. } | Expr::Member { .. });
        let facts = self.b.facts();
        let is_type = match facts.expr(index) {
            Expr::Name { name, .. } => {
                self.locals.get(&name).is_none_or(|stack| stack.last().is_none_or(|it| it.is_type))
            }
            Expr::Member { .. } | Expr::Collection { .. } | Expr::Generic { .. } | Expr::Function { .. } => true,
            _ => false,
        };
        if is_type && is_path(facts.expr(base)) {
            let args = self.b.list(&[index]);
            return self.b.expr(Expr::Generic { base, args });
        }
        self.on(base, |base| Expr::Index { base })
    }

    fn selector<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) -> ExprId {
        let Some(field) = step.node.child_by_field_name("field") else { return self.b.unknown() };
        let base = self.field_expr(step.node, "operand");
        let expr = self.b.member(base, text::clip(self.text(field), MAX_NAME));
        let (role, arity) = role(step, path);
        self.refer(expr, role, arity, field);
        expr
    }

    fn call(&mut self, node: Node<'_>) -> ExprId {
        let Some(function) = node.child_by_field_name("function") else { return self.b.unknown() };
        let arguments = node.child_by_field_name("arguments").map(children).unwrap_or_default();
        let first = arguments.first().copied();
        // Built-in functions may be hidden by local names.
        let is_builtin = function.kind() == "identifier" && {
            let name = self.b.name(text::clip(self.text(function), MAX_NAME));
            self.local(name).is_none()
        };
        match self.text(function) {
            "new" | "make" if is_builtin => {
                let of = self.expr_of(first);
                return self.on(of, |of| Expr::Instance { of });
            }
            "append" if is_builtin => return self.append(&arguments),
            "min" | "max" if is_builtin => return self.expr_of(first),
            "len" | "cap" | "copy" if is_builtin => return self.literal(Literal::Int),
            _ => {}
        }
        // Standard functions whose result is known need no look at outside code.
        if let Some(value) = self.standard_call(function, first) {
            return value;
        }
        let callee = self.expr_of(Some(function));
        let callee = self.generic(callee, node.child_by_field_name("type_arguments"));
        let args: Vec<ExprId> =
            arguments.into_iter().take(MAX_ARGS).map(|argument| self.expr_of(Some(argument))).collect();
        if callee == self.b.unknown() {
            return callee;
        }
        // First arguments are kept where frameworks take a name and a handler.
        if let (Some(literal), Some(&value)) = (first, args.first())
            && self.b.keeps_arguments(callee)
        {
            let literal = literal.kind().ends_with("string_literal").then(|| self.text(literal));
            self.b.argument(callee, None, literal, value);
        }
        let args = self.b.list(&args);
        self.b.expr(Expr::Call { callee, args })
    }

    /// `append(list, a, b...)`: the list, which holds the further arguments.
    fn append(&mut self, arguments: &[Node<'_>]) -> ExprId {
        let list = self.expr_of(arguments.first().copied());
        for &argument in arguments.iter().skip(1).take(MAX_ARGS) {
            let is_spread = argument.kind() == "variadic_argument";
            let value = if is_spread { children(argument).first().copied() } else { Some(argument) };
            let value = self.expr_of(value);
            self.b.store(list, value);
        }
        list
    }

    fn unary(&mut self, node: Node<'_>) -> ExprId {
        let operand = self.field_expr(node, "operand");
        match node.child_by_field_name("operator").map_or("", |operator| operator.kind()) {
            "!" => self.literal(Literal::Bool),
            "<-" => self.on(operand, |base| Expr::Element { base }),
            // A pointer has the members of its target.
            _ => operand,
        }
    }

    /// Both operands have one type; a literal takes that of the other.
    fn binary(&mut self, node: Node<'_>) -> ExprId {
        match node.child_by_field_name("operator").map_or("", |operator| operator.kind()) {
            "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" => self.literal(Literal::Bool),
            _ => {
                let (left, right) = (self.field_expr(node, "left"), self.field_expr(node, "right"));
                let is_literal = matches!(self.b.facts().expr(left), Expr::Literal(_) | Expr::Unknown);
                if is_literal { right } else { left }
            }
        }
    }
}

/// Returns whether an identifier is written to introduce a name.
fn declares(step: Step<'_>, path: &[Step<'_>]) -> bool {
    let Some((parent, above)) = path.split_last() else { return false };
    let field = step.field.unwrap_or("");
    match parent.node.kind() {
        "function_declaration"
        | "const_spec"
        | "var_spec"
        | "parameter_declaration"
        | "variadic_parameter_declaration"
        | "type_parameter_declaration" => field == "name",
        "expression_list" => {
            let Some(statement) = above.last() else { return false };
            match (statement.node.kind(), parent.field.unwrap_or("")) {
                ("short_var_declaration", "left") | ("type_switch_statement", "alias") => true,
                ("range_clause" | "receive_statement", "left") => defines(statement.node),
                _ => false,
            }
        }
        _ => false,
    }
}

/// Role of an expression's name, and the number of arguments if it is called.
fn role(step: Step<'_>, path: &[Step<'_>]) -> (Role, u8) {
    let mut field = step.field;
    let mut is_element = false;
    for (index, above) in path.iter().enumerate().rev() {
        let kind = above.node.kind();
        match kind {
            // `x[i] = y` writes what holds the element.
            "index_expression" if field == Some("operand") && above.field != Some("function") => is_element = true,
            // `(f)(x)`, `(*T)(x)`, `f[T](x)`
            "parenthesized_expression" => {}
            "index_expression" | "type_instantiation_expression"
                if field == Some("operand") || field == Some("type") =>
            {
                let calls = path[..index].last().is_some_and(|outer| outer.node.kind() == "call_expression");
                if !calls || above.field != Some("function") {
                    return (Role::Read, u8::MAX);
                }
            }
            "unary_expression" if above.node.child_by_field_name("operator").is_some_and(|it| it.kind() == "*") => {}
            "call_expression" if field == Some("function") && !is_element => return (Role::Call, arity(above.node)),
            "inc_statement" | "dec_statement" => return (Role::Write, u8::MAX),
            "expression_list" => {
                let statement = path[..index].last().map_or("", |outer| outer.node.kind());
                let writes = matches!(statement, "assignment_statement" | "range_clause" | "receive_statement");
                let role = if writes && above.field == Some("left") { Role::Write } else { Role::Read };
                return (role, u8::MAX);
            }
            _ => return (Role::Read, u8::MAX),
        }
        field = above.field;
    }
    (Role::Read, u8::MAX)
}

/// Returns whether a conversion is to a generic with its arguments: it may be a call of a generic function as well.
fn is_generic(conversion: Node<'_>) -> bool {
    conversion.child_by_field_name("type").is_some_and(|ty| ty.kind() == "generic_type")
}

/// Number of arguments; 255 if a list is spread or one call gives them all.
fn arity(call: Node<'_>) -> u8 {
    let arguments = call.child_by_field_name("arguments").map(children).unwrap_or_default();
    let spread = arguments.last().is_some_and(|last| last.kind() == "variadic_argument");
    let passed_on = matches!(arguments.as_slice(), [one] if one.kind() == "call_expression");
    if spread || passed_on { u8::MAX } else { u8::try_from(arguments.len()).unwrap_or(u8::MAX) }
}
