//! Expressions, built bottom-up, and their references.

use tree_sitter::Node;

use super::implicit::waits;
use super::state::{Extractor, FIELDS, FrameKind, KindName, MAX_ITEMS};
use crate::facts::{Collection, Expr, ExprId, FactsBuilder, Literal, Reference, Role, ScopeKind};
use crate::walk::Step;

/// Maximum distance of a `with` statement above its pattern.
const MAX_ABOVE: usize = 4;

impl Extractor<'_> {
    pub(super) fn leave_node<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) {
        let node = step.node;
        let parent = path.last().map(|step| step.node);
        let parent_kind = parent.map_or("", |parent| parent.kind_name());
        match node.kind_name() {
            "attribute" => self.attribute(step, path),
            "call" => {
                self.call(node);
                self.call_of_value(node);
                self.changes_map(node);
            }
            "raise_statement" => self.record_raised(node),
            "with_item" => self.leave_with(node, path),
            "argument_list" if parent_kind == "class_definition" => self.leave_superclasses(node),
            "function_definition" | "lambda" => self.leave_function(node),
            "class_definition" => {
                self.frames.pop();
            }
            "parameters" | "lambda_parameters" => self.leave_parameters(node),
            "type_parameter" if matches!(parent_kind, "function_definition" | "class_definition") => {
                self.leave_type_parameters(node);
            }
            "type_alias_statement" => self.leave_type_alias(node),
            "assignment" | "augmented_assignment" => self.leave_assignment(node),
            "named_expression" => {
                let value = self.expr_of(node.child_by_field_id(FIELDS.value));
                self.exprs.set(node, value);
                if let Some(name) = node.child_by_field_id(FIELDS.name) {
                    self.assign(node, name, Some(value), None);
                }
            }
            "return_statement" | "yield" => self.leave_result(node),
            "expression_statement" => {
                self.last_expression = node.named_child(0).and_then(|child| self.exprs.get(child))
            }
            "as_pattern" => self.leave_as(node, parent_kind, path),
            "for_in_clause" | "for_statement" => self.leave_loop(node),
            "generic_type" => self.leave_generic_type(node),
            "subscript" if self.in_type() => self.leave_type_subscript(node),
            _ => self.leave_value(node),
        }
        // Operators come last: they need the values of their operands.
        self.operators(step, path);
        self.leave_condition(node);
    }

    /// Expressions that need nothing but their own parts.
    fn leave_value(&mut self, node: Node<'_>) {
        let expr = match node.kind_name() {
            "integer" => self.literal(Literal::Int),
            "float" => self.literal(Literal::Float),
            "true" | "false" | "comparison_operator" | "not_operator" => self.literal(Literal::Bool),
            "none" => self.literal(Literal::Null),
            "string" | "concatenated_string" => self.string(node),
            "list" => self.collection(node, Collection::List),
            "tuple" | "expression_list" => self.collection(node, Collection::Tuple),
            "set" => self.collection(node, Collection::Set),
            "dictionary" => self.dictionary(node),
            "list_comprehension" => self.comprehension(node, Collection::List),
            "set_comprehension" => self.comprehension(node, Collection::Set),
            "generator_expression" => self.comprehension(node, Collection::Iterator),
            "dictionary_comprehension" => {
                let pair = node.child_by_field_id(FIELDS.body);
                let value = self.expr_of(pair.and_then(|pair| pair.child_by_field_id(FIELDS.value)));
                let items = self.b.list(&[value]);
                self.b.expr(Expr::Collection { kind: Collection::Map, items })
            }
            "parenthesized_expression" | "type" => self.expr_of(first_child(node)),
            "await" => {
                let base = self.expr_of(first_child(node));
                self.b.expr(Expr::Unwrap { base })
            }
            "subscript" => {
                let base = self.expr_of(node.child_by_field_id(FIELDS.value));
                self.keep_key(node, base);
                match self.constant_key(node.child_by_field_id(FIELDS.subscript)) {
                    Some(name) => self.b.expr(Expr::Key { base, name }),
                    None => self.b.expr(Expr::Index { base }),
                }
            }
            "conditional_expression" => {
                let mut cursor = node.walk();
                let parts: Vec<Node<'_>> =
                    node.named_children(&mut cursor).filter(|n| n.kind_name() != "comment").collect();
                let (first, last) = (self.expr_of(parts.first().copied()), self.expr_of(parts.get(2).copied()));
                self.b.union(&[first, last])
            }
            "boolean_operator" => self.both(node),
            "binary_operator" if self.in_type() => self.both(node),
            "union_type" => {
                let mut cursor = node.walk();
                let parts: Vec<Node<'_>> = node.named_children(&mut cursor).take(MAX_ITEMS).collect();
                let parts: Vec<ExprId> = parts.into_iter().map(|part| self.expr_of(Some(part))).collect();
                self.b.union(&parts)
            }
            // `"a" + x` and `"%s" % x` are texts; of other operators the result depends on the class.
            "binary_operator" => {
                let left = self.expr_of(node.child_by_field_id(FIELDS.left));
                let is_text = matches!(self.b.facts().expr(left), Expr::Literal(Literal::Str | Literal::Bytes));
                if is_text { left } else { self.b.unknown() }
            }
            "unary_operator" => {
                let operand = self.expr_of(node.child_by_field_id(FIELDS.argument));
                let is_literal = matches!(self.b.facts().expr(operand), Expr::Literal(_));
                if is_literal { operand } else { self.b.unknown() }
            }
            _ => return,
        };
        self.exprs.set(node, expr);
    }

    fn both(&mut self, node: Node<'_>) -> ExprId {
        let left = self.expr_of(node.child_by_field_id(FIELDS.left));
        let right = self.expr_of(node.child_by_field_id(FIELDS.right));
        self.b.union(&[left, right])
    }

    /// Returns whether a string can hold no expressions: its prefix has no `f` and no `t`.
    pub(super) fn is_plain_string(&self, node: Node<'_>) -> bool {
        let prefix = self.source.text(node).split(['"', '\'']).next().unwrap_or("");
        !node.has_error() && prefix.bytes().all(|byte| matches!(byte, b'r' | b'R' | b'b' | b'B' | b'u' | b'U'))
    }

    pub(super) fn string(&mut self, node: Node<'_>) -> ExprId {
        let prefix = self.source.text(node);
        let prefix = prefix.split(['"', '\'']).next().unwrap_or("");
        let is_bytes = prefix.bytes().any(|byte| byte.eq_ignore_ascii_case(&b'b'));
        self.literal(if is_bytes { Literal::Bytes } else { Literal::Str })
    }

    /// The first elements of a literal list; a spread one counts as unknown.
    fn collection(&mut self, node: Node<'_>, kind: Collection) -> ExprId {
        let mut cursor = node.walk();
        let children = node.named_children(&mut cursor).filter(|child| child.kind_name() != "comment").take(MAX_ITEMS);
        let items: Vec<ExprId> = children.map(|child| self.expr_of(Some(child))).collect();
        let items = self.b.list(&items);
        self.b.expr(Expr::Collection { kind, items })
    }

    fn comprehension(&mut self, node: Node<'_>, kind: Collection) -> ExprId {
        let value = self.expr_of(node.child_by_field_id(FIELDS.body));
        let items = self.b.list(&[value]);
        self.b.expr(Expr::Collection { kind, items })
    }

    /// `left` of a loop gets the elements of `right`.
    fn leave_loop(&mut self, node: Node<'_>) {
        let (Some(left), Some(right)) = (node.child_by_field_id(FIELDS.left), node.child_by_field_id(FIELDS.right))
        else {
            return;
        };
        let base = self.expr_of(Some(right));
        self.iterates(base, node);
        let element = if waits(node) { Expr::AwaitedElement { base } } else { Expr::Element { base } };
        let element = self.b.expr(element);
        self.assign(node, left, Some(element), None);
    }

    /// `with a as b`, `except E as e`.
    fn leave_as(&mut self, node: Node<'_>, parent_kind: &str, path: &[Step<'_>]) {
        let base = self.expr_of(first_child(node));
        let expr = match parent_kind {
            "except_clause" => {
                let of = match self.b.facts().expr(base) {
                    Expr::Collection { items, .. } => {
                        let items = self.b.facts().list(items).to_vec();
                        self.b.union(&items)
                    }
                    _ => base,
                };
                self.b.expr(Expr::Instance { of })
            }
            _ => {
                let above = if parent_kind == "with_item" { MAX_ABOVE } else { 0 };
                let statement = path.iter().rev().map(|step| step.node).take(above);
                let mut statement = statement.filter(|node| node.kind_name() == "with_statement");
                let enter = match statement.next().is_some_and(waits) {
                    true => Expr::AwaitedEnter { base },
                    false => Expr::Enter { base },
                };
                self.b.expr(enter)
            }
        };
        if let Some(alias) = node.child_by_field_id(FIELDS.alias) {
            self.assign(node, alias, Some(expr), None);
        }
    }

    /// `return x`, `yield x`, `yield from x`.
    fn leave_result(&mut self, node: Node<'_>) {
        let value = first_child(node).map(|child| self.expr_of(Some(child)));
        let is_yield = node.kind_name() == "yield";
        let is_from = is_yield && node.child(1).is_some_and(|child| child.kind_name() == "from");
        let value = match value {
            Some(base) if is_from => self.b.expr(Expr::Element { base }),
            Some(value) => value,
            None => self.literal(Literal::Null),
        };
        let Some(frame) = self.frames.last_mut().filter(|frame| frame.kind == FrameKind::Function) else { return };
        let values = if is_yield { &mut frame.yields } else { &mut frame.returns };
        if values.last() != Some(&value) {
            values.push(value);
        }
    }

    /// Role of the name at the end of a path, from its context.
    fn role(&self, step: Step<'_>, path: &[Step<'_>]) -> Role {
        if self.written.contains(&step.node.id()) {
            return Role::Write;
        }
        let at = |back: usize| path.len().checked_sub(back).map_or("", |index| path[index].node.kind_name());
        match (at(1), step.field.unwrap_or("")) {
            ("call", "function") if at(2) == "decorator" => Role::Decorate,
            ("call", "function") => Role::Call,
            ("decorator", _) => Role::Decorate,
            ("argument_list", _) if at(2) == "class_definition" => Role::Inherit,
            ("subscript", "value") if at(2) == "argument_list" && at(3) == "class_definition" => Role::Inherit,
            ("attribute", _) => Role::Read,
            // `x[i] = y` writes what holds the element.
            ("subscript", "value") if path.last().is_some_and(|outer| self.written.contains(&outer.node.id())) => {
                Role::Write
            }
            ("delete_statement", _) => Role::Write,
            ("expression_list", _) if at(2) == "delete_statement" => Role::Write,
            ("subscript", "value") if at(2) == "delete_statement" => Role::Write,
            _ if self.in_type() => Role::Type,
            _ => Role::Read,
        }
    }

    /// Number of arguments of the call whose function this node is; 255 if not known.
    fn arity(&self, path: &[Step<'_>], role: Role) -> u8 {
        let call = path.last().map(|step| step.node).filter(|node| node.kind_name() == "call");
        let Some(call) = call.filter(|_| matches!(role, Role::Call | Role::Decorate)) else { return u8::MAX };
        let Some(arguments) = call.child_by_field_id(FIELDS.arguments) else { return u8::MAX };
        if arguments.kind_name() != "argument_list" {
            return 1;
        }
        let mut count = 0_u8;
        let mut cursor = arguments.walk();
        for argument in arguments.named_children(&mut cursor) {
            match argument.kind_name() {
                "list_splat" | "dictionary_splat" => return u8::MAX,
                "comment" => {}
                _ => count = count.saturating_add(1),
            }
            if count == u8::MAX {
                break;
            }
        }
        count
    }

    fn refer(&mut self, expr: ExprId, role: Role, name: Node<'_>, path: &[Step<'_>]) {
        let arity = self.arity(path, role);
        let pos = self.pos(name);
        let enclosing = self.context().enclosing;
        let reference = Reference { expr, role, inexact: false, arity, pos, enclosing };
        self.b.reference_at(reference, name.start_byte());
    }

    /// A bare name that is an expression, a target or a part of a declaration.
    pub(super) fn identifier<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) {
        let node = step.node;
        let parent = path.last().map_or("", |step| step.node.kind_name());
        let field = step.field.unwrap_or("");
        let declares = match (parent, field) {
            ("attribute", "attribute") | ("keyword_argument", "name") => true,
            ("function_definition" | "class_definition", "name") => true,
            ("parameters" | "lambda_parameters" | "typed_parameter", _) => true,
            ("default_parameter" | "typed_default_parameter", "name") => true,
            ("list_splat_pattern" | "dictionary_splat_pattern" | "tuple_pattern", _) => self.is_parameter(path),
            _ => false,
        };
        if declares {
            return;
        }
        let text = self.source.text(node);
        let scope = if self.in_type() { self.annotation_scope(node) } else { self.scope() };
        let role = self.role(step, path);
        if self.in_type() && text == "Self" {
            let expr = self.b.expr(Expr::SelfType { scope });
            self.exprs.set(node, expr);
        }
        if (role == Role::Call && text == "super") || text.is_empty() {
            return;
        }
        let name = self.b.name(text);
        self.note_map_read(name, path);
        if !self.in_type() {
            self.note_kept(name, step, path);
        }
        let is_callee =
            parent == "call" && field == "function" || parent == "subscript" && field == "value" && text == "environ";
        let held = if is_callee && role != Role::Call { None } else { self.held_expr(name, role) };
        let is_variable = held.is_some() && self.scope_kind(scope) == ScopeKind::File;
        let mut expr = match held {
            Some(held) if role == Role::Call => held,
            _ if is_callee && held.is_none() => self.callee_expr(name, scope),
            _ => self.name_expr(name, scope),
        };
        if let Some(held) = held {
            self.exprs.set(node, held);
            if is_variable && matches!(role, Role::Call | Role::Decorate) {
                let arity = self.arity(path, role);
                let other = if role == Role::Call { self.name_expr(name, scope) } else { held };
                self.held_call(held, other, node, arity);
            }
        }
        if self.in_type() && self.is_receiver_variable(name) {
            let expr = self.b.expr(Expr::SelfType { scope });
            self.exprs.set(node, expr);
        }
        if self.exprs.get(node).is_none() {
            self.exprs.set(node, expr);
        }
        if self.in_type() && self.type_variables.contains_key(&name) {
            // The written name is the variable; here it means a type parameter.
            expr = self.name_expr(name, FactsBuilder::FILE);
        }
        if !self.defining.contains(&node.id()) {
            self.refer(expr, role, node, path);
        }
        self.narrow_read(node, role);
    }

    /// The value of a name or attribute where conditions tell more of it.
    fn narrow_read(&mut self, node: Node<'_>, role: Role) {
        if self.narrowings.is_empty() || self.in_type() {
            return;
        }
        let Some(path) = self.path_text(node).map(str::to_owned) else { return };
        if role == Role::Write {
            self.narrowings.forget(&path);
        } else if role == Role::Read {
            let base = self.expr_of(Some(node));
            let expr = self.narrowings.read(&path, self.frames.len(), base, &mut self.b);
            if expr != base {
                self.exprs.set(node, expr);
            }
        }
    }

    /// Returns whether a pattern is in a parameter list.
    fn is_parameter(&self, path: &[Step<'_>]) -> bool {
        let kinds = path.iter().rev().map(|step| step.node.kind_name());
        let outside = kinds.into_iter().find(|kind| {
            !matches!(*kind, "list_splat_pattern" | "dictionary_splat_pattern" | "tuple_pattern" | "typed_parameter")
        });
        outside.is_some_and(|kind| matches!(kind, "parameters" | "lambda_parameters" | "default_parameter"))
    }

    /// `object.attribute`
    fn attribute<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) {
        let node = step.node;
        let (Some(object), Some(member)) =
            (node.child_by_field_id(FIELDS.object), node.child_by_field_id(FIELDS.attribute))
        else {
            return;
        };
        let base = self.expr_of(Some(object));
        let text = self.source.text(member);
        if text.is_empty() {
            return;
        }
        let expr = self.b.member(base, text);
        let is_self_type = self.in_type() && text == "Self";
        let is_own_class = text == "__class__" && self.receiver_field(node).is_some();
        let meaning = if is_self_type || is_own_class {
            let scope = self.scope();
            self.b.expr(Expr::SelfType { scope })
        } else {
            expr
        };
        self.exprs.set(node, meaning);
        let role = self.role(step, path);
        let is_accessor = role == Role::Decorate && matches!(text, "setter" | "deleter" | "getter");
        if !self.defining.contains(&node.id()) && !is_accessor && !is_own_class {
            self.refer(expr, role, member, path);
        }
        self.narrow_read(node, role);
    }

    fn call(&mut self, node: Node<'_>) {
        let function = node.child_by_field_id(FIELDS.function);
        let arguments = node.child_by_field_id(FIELDS.arguments);
        let callee_text = function.filter(|function| function.kind_name() == "identifier");
        let callee_text = callee_text.map_or("", |function| self.source.text(function));
        let scope = self.scope();
        let mut args = Vec::new();
        if let Some(arguments) = arguments {
            let mut cursor = arguments.walk();
            if arguments.kind_name() == "generator_expression" {
                args.push(self.expr_of(Some(arguments)));
            } else {
                let positional = |child: &Node<'_>| {
                    !matches!(child.kind_name(), "keyword_argument" | "comment" | "dictionary_splat")
                };
                let children = arguments.named_children(&mut cursor).take(MAX_ITEMS);
                args.extend(children.filter(positional).map(|child| self.expr_of(Some(child))));
            }
        }
        let is_type_of_receiver = callee_text == "type" && args.len() == 1 && self.is_receiver_argument(arguments);
        let expr = if callee_text == "super" {
            match args.first().filter(|_| args.len() == 2) {
                Some(&class) => self.b.expr(Expr::SuperOf { class, scope }),
                None => self.b.expr(Expr::Super { scope }),
            }
        } else if is_type_of_receiver {
            self.b.expr(Expr::SelfType { scope })
        } else if self.is_cast(node) {
            let of = args.first().copied().unwrap_or_else(|| self.b.unknown());
            self.b.expr(Expr::Instance { of })
        } else {
            let callee = self.expr_of(function);
            let list = self.b.list(&args);
            self.keep_arguments(callee, arguments);
            // The meaning precedes the call that it may replace.
            self.standard_call(function, arguments, Expr::Call { callee, args: list }, &args)
        };
        self.exprs.set(node, expr);
        self.extend_call(function, arguments);
    }

    /// The key by which something is read that is in the list of those kept.
    fn keep_key(&mut self, subscript: Node<'_>, base: ExprId) {
        let key = subscript.child_by_field_id(FIELDS.subscript).filter(|key| key.kind_name() == "string");
        let Some(key) = key.filter(|_| self.b.keeps_key(base)) else { return };
        let writes = subscript.parent().is_some_and(|parent| match parent.kind_name() {
            "assignment" => parent.child_by_field_id(FIELDS.left) == Some(subscript),
            kind => kind == "delete_statement",
        });
        if !writes {
            let value = self.expr_of(Some(key));
            self.b.argument(base, None, Some(self.source.text(key)), value);
        }
    }

    /// Keyword arguments other than plain values; for callees in the list, all keyword arguments and the first
    /// positional one.
    fn keep_arguments(&mut self, callee: ExprId, arguments: Option<Node<'_>>) {
        let Some(arguments) = arguments.filter(|arguments| arguments.kind_name() == "argument_list") else { return };
        let keeps_all = self.b.keeps_arguments(callee);
        let mut cursor = arguments.walk();
        let children = arguments.named_children(&mut cursor).filter(|child| child.kind_name() != "comment");
        for (place, child) in children.take(MAX_ITEMS).enumerate() {
            let is_named = child.kind_name() == "keyword_argument";
            let name = child.child_by_field_id(FIELDS.name).filter(|_| is_named).map(|name| self.source.text(name));
            let value = if is_named { child.child_by_field_id(FIELDS.value) } else { Some(child) };
            let Some(value) = value.filter(|_| is_named || place == 0 && keeps_all) else { continue };
            let expr = self.expr_of(Some(value));
            let is_plain = matches!(self.b.facts().expr(expr), Expr::Literal(_) | Expr::Unknown);
            if is_plain && !keeps_all {
                continue;
            }
            let literal = (value.kind_name() == "string").then(|| self.source.text(value));
            self.b.argument(callee, name, literal, expr);
        }
    }

    fn is_receiver_argument(&mut self, arguments: Option<Node<'_>>) -> bool {
        let argument = arguments.and_then(|arguments| arguments.named_child(0));
        let Some(argument) = argument.filter(|argument| argument.kind_name() == "identifier") else { return false };
        let name = self.b.name(self.source.text(argument));
        let frame = self.frames.iter().rev().find(|frame| frame.parameters.contains(&name));
        frame.is_some_and(|frame| frame.receiver.is_some_and(|receiver| receiver.0 == name))
    }

    /// `__all__.extend([…])` and `__all__.append("…")`.
    fn extend_call(&mut self, function: Option<Node<'_>>, arguments: Option<Node<'_>>) {
        let Some(function) = function.filter(|function| function.kind_name() == "attribute") else { return };
        let object = function.child_by_field_id(FIELDS.object).filter(|object| object.kind_name() == "identifier");
        let method = function.child_by_field_id(FIELDS.attribute).map_or("", |method| self.source.text(method));
        let is_list = object.is_some_and(|object| self.source.text(object) == "__all__");
        if is_list && matches!(method, "extend" | "append") && self.frames.is_empty() {
            self.extend_exports(arguments, false);
        }
    }
}

/// The first child that is not a comment.
fn first_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind_name() != "comment")
}
