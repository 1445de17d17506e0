//! Expressions, built bottom-up.

use tree_sitter::Node;

use super::KindName;
use super::environment::Space;
use super::types::role_of;
use super::{Exactness, Extractor};
use crate::facts::{Collection, Expr, ExprId, Literal, PathRoot, Role};
use crate::walk::Step;

impl Extractor<'_> {
    /// Sets the expression of a node that is one.
    pub(super) fn leave_expression(&mut self, step: Step<'_>, path: &[Step<'_>]) {
        let node = step.node;
        let expr = match node.kind_name() {
            "identifier" => self.identifier(step, path),
            "self" => self.self_value(step, path),
            "crate" => Some(self.root(PathRoot::Crate)),
            "super" => Some(self.root(PathRoot::Super(1))),
            "field_expression" => self.field_expression(step, path),
            "call_expression" => Some(self.call(node)),
            "generic_function" => Some(self.generic_function(node)),
            "parenthesized_expression"
            | "unary_expression"
            | "unsafe_block"
            | "async_block"
            | "gen_block"
            | "else_clause" => self.last_child(node),
            "reference_expression" => node.child_by_field_name("value").and_then(|value| self.exprs.get(value)),
            "const_block" => node.child_by_field_name("body").and_then(|body| self.exprs.get(body)),
            "try_expression" | "await_expression" => {
                let base = self.expr_of(node.named_child(0));
                self.of(base, |base| Expr::Unwrap { base })
            }
            "index_expression" => {
                let base = self.expr_of(node.named_child(0));
                self.of(base, |base| Expr::Index { base })
            }
            "type_cast_expression" => {
                let of = self.field_expr(node, "type");
                self.of(of, |of| Expr::Instance { of })
            }
            "struct_expression" => {
                let of = self.field_expr_name(node);
                self.of(of, |of| Expr::Instance { of })
            }
            "field_initializer" | "shorthand_field_initializer" => self.initialized_field(node, path),
            "assignment_expression" => {
                let (target, value) = (self.field_expr(node, "left"), self.field_expr(node, "right"));
                self.builder.store(target, value);
                None
            }
            "if_expression" => {
                let branches = [self.field_expr(node, "consequence"), self.field_expr(node, "alternative")];
                self.one_of(&branches)
            }
            "match_expression" => self.match_value(node),
            "match_arm" => node.child_by_field_name("value").and_then(|value| self.exprs.get(value)),
            "block" => self.block_value(node),
            "return_expression" => self.return_value(node),
            _ => self.literal(node),
        };
        // Nodes without an expression are statements, or of no known value.
        if let Some(expr) = expr {
            self.exprs.set(node, expr);
        }
    }

    fn literal(&mut self, node: Node<'_>) -> Option<ExprId> {
        let (kind, items) = match node.kind_name() {
            "integer_literal" => return Some(self.literal_expr(Literal::Int)),
            "float_literal" => return Some(self.literal_expr(Literal::Float)),
            "boolean_literal" => return Some(self.literal_expr(Literal::Bool)),
            "unit_expression" => return Some(self.literal_expr(Literal::Null)),
            "char_literal" => {
                let of = self.builder.name_expr("char", self.at.scope);
                return Some(self.builder.expr(Expr::Instance { of }));
            }
            "binary_expression" => return self.binary(node),
            "tuple_expression" => (Collection::Tuple, super::children(node)),
            "array_expression" => (Collection::List, super::children(node)),
            "range_expression" => (Collection::Iterator, super::children(node)),
            _ => return None,
        };
        let items = items.into_iter().filter(|item| item.kind_name() != "attribute_item");
        let items: Vec<ExprId> = items.map(|item| self.expr_of(Some(item))).collect();
        // All items of an array or range have one type: the first known one determines it.
        let items = match kind {
            Collection::Tuple => items,
            _ => items.into_iter().find(|&item| item != self.builder.unknown()).into_iter().collect(),
        };
        let items = self.builder.list(&items);
        Some(self.builder.expr(Expr::Collection { kind, items }))
    }

    pub(super) fn literal_expr(&mut self, literal: Literal) -> ExprId {
        self.builder.expr(Expr::Literal(literal))
    }

    /// Comparisons are boolean; the result of arithmetic depends on the operand's traits.
    fn binary(&mut self, node: Node<'_>) -> Option<ExprId> {
        let operator = node.child_by_field_name("operator")?.kind_name();
        let compares = matches!(operator, "&&" | "||" | "==" | "!=" | "<" | "<=" | ">" | ">=");
        compares.then(|| self.literal_expr(Literal::Bool))
    }

    fn of(&mut self, base: ExprId, make: impl FnOnce(ExprId) -> Expr) -> Option<ExprId> {
        (base != self.builder.unknown()).then(|| self.builder.expr(make(base)))
    }

    /// One of several branches. All have one type, so those that tell nothing (they return, or panic) are left out.
    fn one_of(&mut self, branches: &[ExprId]) -> Option<ExprId> {
        let unknown = self.builder.unknown();
        let mut known: Vec<ExprId> = branches.iter().copied().filter(|&branch| branch != unknown).collect();
        known.dedup();
        (!known.is_empty()).then(|| self.builder.union(&known))
    }

    fn last_child(&self, node: Node<'_>) -> Option<ExprId> {
        super::children(node).last().and_then(|child| self.exprs.get(*child))
    }

    fn field_expr_name(&self, struct_expression: Node<'_>) -> ExprId {
        self.field_expr(struct_expression, "name")
    }

    fn match_value(&mut self, node: Node<'_>) -> Option<ExprId> {
        let arms = node.child_by_field_name("body").map(super::children).unwrap_or_default();
        let values: Vec<ExprId> = arms.into_iter().map(|arm| self.expr_of(Some(arm))).collect();
        self.one_of(&values)
    }

    /// The tail expression of a block; unit if it has none.
    fn block_value(&mut self, node: Node<'_>) -> Option<ExprId> {
        let last = super::children(node).into_iter().rfind(|child| child.kind_name() != "label");
        let Some(last) = last else { return Some(self.literal_expr(Literal::Null)) };
        match last.kind_name() {
            "expression_statement" => {
                let inner = last.named_child(0)?;
                let ends = last.child(last.child_count().checked_sub(1)?)?;
                match (ends.kind_name(), inner.kind_name()) {
                    // Nothing is known of a block that never ends normally.
                    (";", "return_expression" | "break_expression" | "continue_expression" | "macro_invocation") => {
                        None
                    }
                    (";", _) => Some(self.literal_expr(Literal::Null)),
                    _ => self.exprs.get(inner),
                }
            }
            "let_declaration" | "empty_statement" => Some(self.literal_expr(Literal::Null)),
            _ => self.exprs.get(last),
        }
    }

    fn return_value(&mut self, node: Node<'_>) -> Option<ExprId> {
        let value = self.last_child(node)?;
        let function = self.frames.iter_mut().rev().find(|frame| frame.is_function)?;
        function.returns.push(value);
        None
    }

    /// A bare name, unless it is the name of something that is being defined.
    fn identifier(&mut self, step: Step<'_>, path: &[Step<'_>]) -> Option<ExprId> {
        let parent = path.last()?.node.kind_name();
        match (parent, step.field) {
            ("scoped_identifier" | "scoped_type_identifier", Some("name")) => return None,
            ("scoped_identifier" | "scoped_type_identifier", Some("path")) => {
                return Some(self.segment(None, step.node, Some(Role::Type)));
            }
            (_, Some("name" | "alias" | "macro")) => return None,
            _ => {}
        }
        let text = self.ident(step.node);
        if text == "Self" {
            return Some(self.builder.expr(Expr::SelfType { scope: self.at.scope }));
        }
        let expr = self.builder.name_expr(text, self.at.scope);
        let name = self.builder.name(text);
        let is_local = self.environment.is_local(Space::Value, name);
        let is_named_argument = self.is_named_argument(step, path);
        let (role, arity) = role_of(step, path, Role::Read);
        // A variable that is called may hold a function.
        if (!is_local || role == Role::Call)
            && !is_named_argument
            && (self.exactness == Exactness::Exact || role == Role::Call || self.is_name_among_tokens(step.node, path))
        {
            self.refer(expr, role, arity, step.node);
        }
        Some(expr)
    }

    /// `name` of `name = value` directly among the arguments of a macro, as formatting macros have them.
    fn is_named_argument(&self, step: Step<'_>, path: &[Step<'_>]) -> bool {
        let [.., list, assignment] = path else { return false };
        self.macros.in_arguments()
            && step.field == Some("left")
            && assignment.node.kind_name() == "assignment_expression"
            && matches!(list.node.kind_name(), "tuple_expression" | "parenthesized_expression")
            && path.len() == 4
    }

    /// `self`: the receiver, or the start of a path.
    fn self_value(&mut self, step: Step<'_>, path: &[Step<'_>]) -> Option<ExprId> {
        let parent = path.last()?.node.kind_name();
        match (parent, step.field) {
            ("scoped_identifier" | "scoped_type_identifier", Some("path")) => Some(self.root(PathRoot::SelfModule)),
            ("self_parameter", _) => None,
            _ => Some(self.builder.expr(Expr::This { scope: self.at.scope })),
        }
    }

    fn field_expression(&mut self, step: Step<'_>, path: &[Step<'_>]) -> Option<ExprId> {
        let base = self.field_expr(step.node, "value");
        let field = step.node.child_by_field_name("field")?;
        let expr = self.builder.member(base, self.ident(field));
        let (role, arity) = role_of(step, path, Role::Read);
        self.refer(expr, role, arity, field);
        match self.source.text(field).parse() {
            // Field `0` of a tuple or of a tuple struct.
            Ok(index) if base != self.builder.unknown() => Some(self.builder.expr(Expr::Item { base, index })),
            _ => Some(expr),
        }
    }

    fn call(&mut self, node: Node<'_>) -> ExprId {
        let callee = self.field_expr(node, "function");
        if callee == self.builder.unknown() {
            return callee;
        }
        let arguments = node.child_by_field_name("arguments").map(super::children).unwrap_or_default();
        let arguments = arguments.into_iter().filter(|argument| argument.kind_name() != "attribute_item");
        let arguments: Vec<Node<'_>> = arguments.collect();
        self.keep_text(callee, arguments.first().copied());
        let arguments: Vec<ExprId> = arguments.into_iter().map(|argument| self.expr_of(Some(argument))).collect();
        let args = self.builder.list(&arguments);
        self.call_by_value(node, callee, arguments.len());
        self.store_items(callee, &arguments);
        self.builder.expr(Expr::Call { callee, args })
    }

    /// `Hook(f)`: the fields of a tuple struct.
    fn store_items(&mut self, callee: ExprId, arguments: &[ExprId]) {
        let facts = self.builder.facts();
        let is_type = match facts.expr(callee) {
            Expr::Name { name, .. } | Expr::Path { name, .. } => {
                let name = facts.name(name);
                name.starts_with(char::is_uppercase) && !matches!(name, "Some" | "Ok" | "Err")
            }
            Expr::SelfType { .. } => true,
            _ => false,
        };
        if !is_type || !arguments.iter().any(|&argument| facts.may_be_function(argument)) {
            return;
        }
        let base = self.builder.expr(Expr::Instance { of: callee });
        for (index, &argument) in arguments.iter().enumerate() {
            let name = self.builder.name(&index.to_string());
            self.builder.store_member(base, name, argument);
        }
    }

    /// `(self.hook)()`, `hooks[0]()`: what is called is a value, not a function of that name.
    fn call_by_value(&mut self, node: Node<'_>, callee: ExprId, arguments: usize) {
        let function = node.child_by_field_name("function").map_or("", |function| function.kind_name());
        if matches!(function, "identifier" | "scoped_identifier" | "field_expression" | "generic_function" | "self") {
            return;
        }
        let Some(at) = node.child_by_field_name("arguments") else { return };
        let is_path = matches!(
            self.builder.facts().expr(callee),
            Expr::Name { .. } | Expr::Member { .. } | Expr::Path { .. } | Expr::Generic { .. }
        );
        let called = if is_path {
            let value = self.builder.list(&[callee]);
            self.builder.expr(Expr::Union(value))
        } else {
            callee
        };
        let by_value = matches!(
            self.builder.facts().expr(called),
            Expr::Call { .. } | Expr::Index { .. } | Expr::Item { .. } | Expr::Union(_)
        );
        if by_value {
            self.refer(called, Role::Call, u8::try_from(arguments).unwrap_or(u8::MAX), at);
        }
    }

    /// Keeps the text that is given first, where it is a string and the callee in the list of those kept.
    pub(super) fn keep_text(&mut self, callee: ExprId, first: Option<Node<'_>>) {
        let first = first.filter(|first| first.kind_name().ends_with("string_literal"));
        if let Some(first) = first.filter(|_| self.builder.keeps_arguments(callee)) {
            let value = self.literal_expr(Literal::Str);
            self.builder.argument(callee, None, Some(self.source.text(first)), value);
        }
    }

    fn generic_function(&mut self, node: Node<'_>) -> ExprId {
        let base = self.field_expr(node, "function");
        let arguments = self.type_arguments(node.child_by_field_name("type_arguments"));
        if base == self.builder.unknown() {
            return base;
        }
        let args = self.builder.list(&arguments);
        self.builder.expr(Expr::Generic { base, args })
    }

    /// A field in a struct literal is a use of the field.
    fn initialized_field(&mut self, node: Node<'_>, path: &[Step<'_>]) -> Option<ExprId> {
        let literal = path.iter().rev().nth(1)?.node;
        let of = self.field_expr_name(literal);
        let shorthand = super::children(node).into_iter().rfind(|child| child.kind_name() == "identifier");
        let field = node.child_by_field_name("field").or(shorthand)?;
        if literal.kind_name() != "struct_expression" || of == self.builder.unknown() {
            return None;
        }
        let list = path.last()?.node;
        let base = match self.exprs.get(list) {
            Some(base) => base,
            None => {
                let base = self.builder.expr(Expr::Instance { of });
                self.exprs.set(list, base);
                base
            }
        };
        let member = self.builder.member(base, self.ident(field));
        self.refer(member, Role::Write, u8::MAX, field);
        let value = match node.child_by_field_name("value") {
            Some(value) => self.expr_of(Some(value)),
            None => self.expr_of(shorthand),
        };
        self.builder.store(member, value);
        None
    }
}
