//! Value expressions and their uses of names.

use tree_sitter::Node;

use super::naming::Target;
use super::state::{Extractor, This, children, parent, unquote};
use super::test_cases::{is_title, word_of};
use crate::Language;
use crate::facts::{Collection, Expr, ExprId, Literal, Reference, Role};
use crate::walk::Step;

/// Names that stand for the language itself behind a `$` (Svelte).
const RUNES: &[&str] = &["bindable", "derived", "effect", "host", "inspect", "props", "state"];

/// Their functions.
const RUNE_MEMBERS: &[&str] =
    &[".by(", ".id(", ".pending(", ".pre(", ".raw(", ".root(", ".snapshot(", ".trace(", ".tracking("];

/// Maximum wrappers to look through for the role of an expression.
const MAX_WRAPPERS: usize = 16;

impl<'a> Extractor<'a> {
    pub(super) fn literal(&mut self, node: Node<'_>) {
        let literal = match node.kind() {
            "string" | "template_string" => Literal::Str,
            "regex" => Literal::Regex,
            "number" => Literal::Float,
            "true" | "false" => Literal::Bool,
            "null" | "undefined" => Literal::Null,
            _ => return,
        };
        let expr = self.b.expr(Expr::Literal(literal));
        self.exprs.set(node, expr);
    }

    pub(super) fn leave_expression<'tree>(&mut self, kind: &str, step: Step<'tree>, path: &[Step<'tree>]) {
        let node = step.node;
        // Wrappers pass on what is in them; other nodes combine the expressions of their children.
        match kind {
            "identifier" => self.identifier(step, path),
            "member_expression" => self.member_expression(step, path),
            "subscript_expression" => self.subscript(step, path),
            "call_expression" => self.call(node),
            "new_expression" => self.construct(node),
            "await_expression" => {
                if let Some(base) = node.named_child(0).and_then(|child| self.find_known(child)) {
                    let expr = self.b.expr(Expr::Unwrap { base });
                    self.exprs.set(node, expr);
                }
            }
            "parenthesized_expression"
            | "non_null_expression"
            | "satisfies_expression"
            | "instantiation_expression" => {
                self.same_as(node, node.named_child(0));
            }
            "as_expression" => {
                let of = (node.named_child_count() > 1).then(|| node.named_child(1)).flatten();
                self.record_typed(node, node.named_child(0), of);
            }
            "type_assertion" => {
                let of = node.named_child(0).and_then(|arguments| arguments.named_child(0));
                self.record_typed(node, node.named_child(1), of);
            }
            "sequence_expression" => self.same_as(node, children(node).last().copied()),
            "ternary_expression" => {
                let both = ["consequence", "alternative"].map(|field| self.field_expr(node, field));
                self.one_of(node, &both);
            }
            "binary_expression" => self.binary(node),
            "unary_expression" => self.unary(node),
            "array" => {
                let items: Vec<ExprId> = children(node).iter().map(|&child| self.expr_of(child)).collect();
                let items = self.b.list(&items);
                let expr = self.b.expr(Expr::Collection { kind: Collection::List, items });
                self.exprs.set(node, expr);
            }
            "template_string" | "true" | "false" | "null" | "undefined" => self.literal(node),
            "this" => self.this(node),
            "super" => {
                if let This::Scope(scope) = self.frame().this {
                    let expr = self.b.expr(Expr::Super { scope });
                    self.exprs.set(node, expr);
                    let (role, arity) = self.role_of(step, path);
                    if role == Role::Call {
                        self.refer(expr, role, node, arity);
                    }
                }
            }
            _ => self.leave_type_node(kind, step, path),
        }
    }

    fn this(&mut self, node: Node<'_>) {
        let expr = match self.frame().this {
            This::Scope(scope) => self.b.expr(Expr::This { scope }),
            This::Expr(expr) => expr,
            This::Unknown => return,
        };
        self.exprs.set(node, expr);
    }

    fn same_as(&mut self, node: Node<'_>, child: Option<Node<'_>>) {
        if let Some(expr) = child.and_then(|child| self.exprs.get(child)) {
            self.exprs.set(node, expr);
        }
    }

    /// `x as T`: a value of type `T`; `as const` and `as any` say nothing.
    pub(super) fn record_typed(&mut self, node: Node<'_>, value: Option<Node<'_>>, of: Option<Node<'_>>) {
        let value_type = of.and_then(|of| self.typeofs.get(of));
        let of = of.and_then(|of| self.find_known(of));
        match (value_type, of) {
            (Some(value), _) => self.exprs.set(node, value),
            (None, Some(of)) => {
                let expr = self.b.expr(Expr::Instance { of });
                self.exprs.set(node, expr);
            }
            (None, None) if node.named_child_count() == 1 => self.same_as(node, value),
            (None, None) => {}
        }
    }

    fn one_of(&mut self, node: Node<'_>, items: &[Option<ExprId>]) {
        let items: Vec<ExprId> = items.iter().flatten().copied().filter(|&item| item != self.b.unknown()).collect();
        if !items.is_empty() {
            let expr = self.b.union(&items);
            self.exprs.set(node, expr);
        }
    }

    fn binary(&mut self, node: Node<'_>) {
        let operator = node.child_by_field_name("operator").map_or("", |operator| self.source.text(operator));
        let sides = ["left", "right"].map(|field| self.field_expr(node, field));
        let literal = match operator {
            "||" | "??" => return self.one_of(node, &sides),
            "&&" => return self.one_of(node, &sides[1..]),
            "==" | "===" | "!=" | "!==" | "<" | ">" | "<=" | ">=" | "instanceof" | "in" => Literal::Bool,
            "-" | "*" | "/" | "%" | "**" | "|" | "&" | "^" | "<<" | ">>" | ">>>" => Literal::Float,
            "+" => {
                let of = |side: Option<ExprId>| side.map(|side| self.b.facts().expr(side));
                match (of(sides[0]), of(sides[1])) {
                    (Some(Expr::Literal(Literal::Str)), _) | (_, Some(Expr::Literal(Literal::Str))) => Literal::Str,
                    (Some(Expr::Literal(left)), Some(Expr::Literal(right))) if left == right => left,
                    _ => return,
                }
            }
            _ => return,
        };
        let expr = self.b.expr(Expr::Literal(literal));
        self.exprs.set(node, expr);
    }

    fn unary(&mut self, node: Node<'_>) {
        let operator = node.child_by_field_name("operator").map_or("", |operator| self.source.text(operator));
        let literal = match operator {
            "!" | "delete" => Literal::Bool,
            "typeof" => Literal::Str,
            "void" => Literal::Null,
            _ => Literal::Float,
        };
        let expr = self.b.expr(Expr::Literal(literal));
        self.exprs.set(node, expr);
    }

    fn identifier<'tree>(&mut self, step: Step<'tree>, path: &[Step<'tree>]) {
        let node = step.node;
        let text = self.source.text(node);
        if is_binding(step, path) || text.is_empty() || text == "arguments" {
            return;
        }
        if text == "undefined" {
            let expr = self.b.expr(Expr::Literal(Literal::Null));
            self.exprs.set(node, expr);
            return;
        }
        let tag = parent(path).is_some_and(|step| is_tag(step.node));
        if tag && !text.starts_with(|first: char| first.is_uppercase() || first == '_' || first == '$') {
            return;
        }
        // In a Svelte component `$store` is the value of the variable `store`.
        let of_store = self.b.facts().language == Language::Svelte
            && text.len() > 1
            && text.starts_with('$')
            && !text.starts_with("$$");
        let text = text.strip_prefix('$').filter(|_| of_store).unwrap_or(text);
        if of_store && self.is_rune(node, text) {
            return;
        }
        let scope = self.scope();
        let expr = match self.template_name(text) {
            Some(member) => member,
            None => self.b.name_expr(text, scope),
        };
        self.exprs.set(node, expr);
        let (role, arity) = if tag { (Role::Call, u8::MAX) } else { self.role_of(step, path) };
        self.refer(expr, role, node, arity);
        self.narrow_read(node, role);
    }

    /// Role of an expression, and the number of arguments if it is called.
    fn role_of(&self, step: Step<'_>, path: &[Step<'_>]) -> (Role, u8) {
        let (mut field, mut inner) = (step.field, step.node);
        let mut is_element = false;
        for (offset, outer) in path.iter().enumerate().rev().take(MAX_WRAPPERS) {
            let node = outer.node;
            match (node.kind(), field) {
                ("parenthesized_expression" | "non_null_expression" | "instantiation_expression", _) => {}
                // `(0, f)()`: the last one is the value.
                ("sequence_expression", _) if children(node).last().map(Node::id) == Some(inner.id()) => {}
                // `x[i] = y` writes what holds the element.
                ("subscript_expression", Some("object")) => is_element = true,
                ("await_expression", _) if outer.field == Some("function") => {}
                ("member_expression", Some("object"))
                    if offset > 0 && !is_element && self.calls_object(outer, path[offset - 1]) =>
                {
                    return (Role::Call, u8::MAX);
                }
                ("call_expression", Some("function")) if !is_element => {
                    let decorates = offset > 0 && path[offset - 1].node.kind() == "decorator";
                    return (if decorates { Role::Decorate } else { Role::Call }, arity(node));
                }
                ("new_expression", Some("constructor")) if !is_element => return (Role::Call, arity(node)),
                ("assignment_expression" | "augmented_assignment_expression", Some("left"))
                | ("update_expression", Some("argument"))
                | ("for_in_statement", Some("left")) => return (Role::Write, u8::MAX),
                // Of a member: a name there is bound, see `assign_pattern`.
                ("array_pattern" | "rest_pattern", _)
                | ("pair_pattern", Some("value"))
                | ("assignment_pattern" | "object_assignment_pattern", Some("left")) => {
                    return (Role::Write, u8::MAX);
                }
                ("unary_expression", Some("argument")) if is_delete(node) => return (Role::Write, u8::MAX),
                _ if is_element => break,
                ("decorator", _) => return (Role::Decorate, u8::MAX),
                ("class_heritage", _) | ("extends_clause", Some("value")) => return (Role::Inherit, u8::MAX),
                _ => break,
            }
            (field, inner) = (outer.field, node);
        }
        (Role::Read, u8::MAX)
    }

    /// Returns whether a member is called that calls the function it is taken of: `f.call(…)`.
    fn calls_object(&self, member: &Step<'_>, around: Step<'_>) -> bool {
        let property = member.node.child_by_field_name("property").map_or("", |property| self.source.text(property));
        let is_called = around.node.kind() == "call_expression" && member.field == Some("function");
        is_called && matches!(property, "call" | "apply")
    }

    /// Returns whether a name behind a `$` is called like those of the language, and not the variable of this name.
    fn is_rune(&self, node: Node<'_>, name: &str) -> bool {
        let rest = self.source.text.get(node.end_byte()..).unwrap_or("");
        RUNES.contains(&name) && (rest.starts_with('(') || RUNE_MEMBERS.iter().any(|member| rest.starts_with(member)))
    }

    fn member_expression<'tree>(&mut self, step: Step<'tree>, path: &[Step<'tree>]) {
        let node = step.node;
        let (Some(object), Some(property)) = (node.child_by_field_name("object"), node.child_by_field_name("property"))
        else {
            return;
        };
        let name = self.source.text(property);
        if object.kind() == "identifier" && self.source.text(object) == "module" && name == "exports" {
            let scope = self.scope();
            let expr = self.b.name_expr("exports", scope);
            self.exprs.set(node, expr);
            return;
        }
        let base = self.expr_of(object);
        let expr = self.b.member(base, name);
        self.exprs.set(node, expr);
        let tag = parent(path).is_some_and(|step| is_tag(step.node));
        let (role, arity) = if tag { (Role::Call, u8::MAX) } else { self.role_of(step, path) };
        // Every function has a `prototype`: nothing of the project is meant by it.
        if name == "prototype" || role == Role::Write && matches!(self.target(node), Target::Export(_)) {
            return;
        }
        self.refer(expr, role, property, arity);
        self.narrow_read(node, role);
    }

    fn subscript<'tree>(&mut self, step: Step<'tree>, path: &[Step<'tree>]) {
        let node = step.node;
        let (Some(object), Some(index)) = (node.child_by_field_name("object"), node.child_by_field_name("index"))
        else {
            return;
        };
        let base = self.expr_of(object);
        if index.kind() == "string" {
            let expr = self.b.member(base, unquote(self.source.text(index)));
            self.exprs.set(node, expr);
            let (role, arity) = self.role_of(step, path);
            self.refer(expr, role, index, arity);
            return;
        }
        if base == self.b.unknown() {
            return;
        }
        if let Some(name) = self.member_pattern(index) {
            let member = self.b.member(base, &name);
            let (role, arity) = self.role_of(step, path);
            let (pos, enclosing) = (self.pos(index), self.frame().enclosing);
            let reference = Reference { expr: member, role, inexact: true, arity, pos, enclosing };
            self.b.reference_at(reference, index.start_byte());
            let element = self.b.expr(Expr::Index { base });
            let expr = self.b.union(&[member, element]);
            self.exprs.set(node, expr);
            return;
        }
        let number = if index.kind() == "number" { self.source.text(index).parse::<u32>().ok() } else { None };
        let expr = match number {
            Some(index) => Expr::Item { base, index },
            None => Expr::Index { base },
        };
        let expr = self.b.expr(expr);
        self.exprs.set(node, expr);
    }

    /// The name of a member that a template puts together, with `*` for its parts: `` x[`on${name}`] ``.
    fn member_pattern(&self, index: Node<'_>) -> Option<String> {
        /// Letters that must be known of the name, so that not every member fits.
        const MIN_KNOWN: usize = 2;
        if index.kind() != "template_string" {
            return None;
        }
        let mut cursor = index.walk();
        let parts = index.named_children(&mut cursor).map(|part| match part.kind() {
            "template_substitution" => "*",
            _ => self.source.text(part),
        });
        let pattern: String = parts.collect();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '*');
        let known = pattern.chars().filter(|c| *c != '*').count();
        (known >= MIN_KNOWN && pattern.contains('*') && pattern.chars().all(is_name)).then_some(pattern)
    }

    fn call(&mut self, node: Node<'_>) {
        let (Some(function), Some(arguments)) =
            (node.child_by_field_name("function"), node.child_by_field_name("arguments"))
        else {
            return;
        };
        if let Some(module) = self.required_module(node) {
            let expr = self.import_call(module, true);
            self.exprs.set(node, expr);
            return;
        }
        if function.kind() == "import" {
            if let Some(module) = arguments.named_child(0).filter(|module| module.kind() == "string") {
                let expr = self.import_call(module, false);
                self.exprs.set(node, expr);
            }
            return;
        }
        self.inherits_call(function, arguments);
        self.test_call(function, arguments);
        let args: Vec<ExprId> = match arguments.kind() {
            "arguments" => children(arguments).iter().map(|&argument| self.expr_of(argument)).collect(),
            _ => Vec::new(),
        };
        let callee = self.source.text(function);
        if let Some(expr) = self.properties_call(callee, node, &args).or_else(|| self.standard_call(callee, &args)) {
            self.exprs.set(node, expr);
            return;
        }
        // The grammar takes `await f<T>()` for `(await f)<T>()`, which would be written with its parentheses.
        let awaited = (function.kind() == "await_expression").then(|| function.named_child(0)).flatten();
        let callee = self.expr_of(awaited.unwrap_or(function));
        self.call_by_value(callee, arguments, arity(node));
        let callee = self.with_type_arguments(node, callee);
        self.set_call(node, callee, &args);
        if let Some(base) = awaited.and_then(|_| self.find_known(node)) {
            let expr = self.b.expr(Expr::Unwrap { base });
            self.exprs.set(node, expr);
        }
    }

    /// `callee<A, B>` of a call.
    fn with_type_arguments(&mut self, call: Node<'_>, base: ExprId) -> ExprId {
        match call.child_by_field_name("type_arguments") {
            Some(arguments) if base != self.b.unknown() => {
                let arguments = self.arguments_of(arguments);
                let args = self.b.list(&arguments);
                self.b.expr(Expr::Generic { base, args })
            }
            _ => base,
        }
    }

    /// A call of a value that has no name: `f()()`, `table[key]()`, `(a || b)()`, `new this()`.
    fn call_by_value(&mut self, callee: ExprId, at: Node<'_>, arity: u8) {
        let has_no_name = matches!(
            self.b.facts().expr(callee),
            Expr::Call { .. } | Expr::Index { .. } | Expr::Item { .. } | Expr::Union(_) | Expr::This { .. }
        );
        if has_no_name {
            self.refer(callee, Role::Call, at, arity);
        }
    }

    fn set_call(&mut self, node: Node<'_>, callee: ExprId, args: &[ExprId]) {
        if callee == self.b.unknown() {
            return;
        }
        let args = self.b.list(args);
        let expr = self.b.expr(Expr::Call { callee, args });
        self.exprs.set(node, expr);
    }

    /// Calls of the standard library whose value is one of their arguments.
    fn standard_call(&mut self, callee: &str, args: &[ExprId]) -> Option<ExprId> {
        let first = *args.first().filter(|&&first| first != self.b.unknown())?;
        match callee {
            "Object.freeze" | "Object.seal" | "Object.assign" | "Promise.resolve" => Some(first),
            "Promise.all" => {
                let Expr::Collection { kind: Collection::List, items } = self.b.facts().expr(first) else {
                    return None;
                };
                let items: Vec<ExprId> = self.b.facts().list(items).to_vec();
                let items: Vec<ExprId> = items.into_iter().map(|base| self.b.expr(Expr::Unwrap { base })).collect();
                let items = self.b.list(&items);
                Some(self.b.expr(Expr::Collection { kind: Collection::Tuple, items }))
            }
            _ => None,
        }
    }

    fn construct(&mut self, node: Node<'_>) {
        let Some(callee) = self.field_expr(node, "constructor") else { return };
        let args: Vec<ExprId> = node
            .child_by_field_name("arguments")
            .map(|arguments| children(arguments).iter().map(|&argument| self.expr_of(argument)).collect())
            .unwrap_or_default();
        self.call_by_value(callee, node.child_by_field_name("arguments").unwrap_or(node), arity(node));
        let callee = self.with_type_arguments(node, callee);
        self.set_call(node, callee, &args);
    }

    /// `it("…", () => …)` and its like mark the file as a test.
    fn test_call(&mut self, function: Node<'_>, arguments: Node<'_>) {
        if self.b.facts().is_test {
            return;
        }
        if arguments.kind() != "arguments" {
            return;
        }
        let given = children(arguments);
        let [title, .., body] = given[..] else { return };
        let is_body = matches!(body.kind(), "arrow_function" | "function_expression");
        if is_body && is_title(title) && word_of(self.source.text(function)).is_some() {
            self.b.facts_mut().is_test = true;
        }
    }
}

fn is_tag(node: Node<'_>) -> bool {
    matches!(node.kind(), "jsx_opening_element" | "jsx_self_closing_element")
}

/// Returns whether an identifier declares a name rather than uses one.
fn is_binding(step: Step<'_>, path: &[Step<'_>]) -> bool {
    let Some(outer) = path.last() else { return false };
    // What is around the identifier and its field there decide.
    match outer.node.kind() {
        "array_pattern"
        | "rest_pattern"
        | "formal_parameters"
        | "namespace_import"
        | "import_clause"
        | "type_predicate"
        | "asserts"
        | "object_pattern"
        | "module"
        | "internal_module"
        | "nested_identifier"
        | "import_require_clause"
        | "index_signature"
        | "jsx_namespace_name" => true,
        "pair_pattern" => step.field == Some("value"),
        "assignment_pattern" | "object_assignment_pattern" => step.field == Some("left"),
        "variable_declarator"
        | "function_declaration"
        | "generator_function_declaration"
        | "function_expression"
        | "generator_function"
        | "function_signature"
        | "class_declaration"
        | "class"
        | "enum_declaration"
        | "optional_tuple_parameter" => step.field == Some("name"),
        "required_parameter" | "optional_parameter" => matches!(step.field, Some("pattern" | "name")),
        "catch_clause" | "arrow_function" => step.field == Some("parameter"),
        "for_in_statement" => step.field == Some("left") && outer.node.child_by_field_name("kind").is_some(),
        "export_statement" => step.field.is_none() && outer.node.child(1).is_some_and(|word| word.kind() == "as"),
        _ => false,
    }
}

/// Returns whether a unary expression is `delete x`.
fn is_delete(node: Node<'_>) -> bool {
    node.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "delete")
}

fn arity(call: Node<'_>) -> u8 {
    let Some(arguments) = call.child_by_field_name("arguments") else { return 0 };
    if arguments.kind() != "arguments" {
        return u8::MAX;
    }
    let given = children(arguments);
    if given.iter().any(|argument| argument.kind() == "spread_element") {
        return u8::MAX;
    }
    u8::try_from(given.len()).unwrap_or(u8::MAX - 1).min(u8::MAX - 1)
}
