//! Variables: declarations, loops, `catch`.

use tree_sitter::Node;

use super::assignments::rightmost;
use super::functions::outer_statement;
use super::objects::span_of;
use crate::facts::{BindingTarget, DefKind, Expr, ExprId, ImportKind, Literal, Namespace, ScopeId, ScopeKind};
use crate::languages::typescript::state::{Extractor, children, has_token, parent, unquote};
use crate::walk::{Enter, Step};

impl<'a> Extractor<'a> {
    /// A variable at the top of a file or namespace is a definition. `const x = require("m")` is an import.
    pub(in crate::languages::typescript) fn enter_declarator<'tree>(
        &mut self,
        node: Node<'tree>,
        path: &[Step<'tree>],
    ) -> Enter {
        let (Some(declaration), Some(name)) = (parent(path), node.child_by_field_name("name")) else {
            return Enter::Descend;
        };
        let declaration = declaration.node;
        let is_var = declaration.kind() == "variable_declaration";
        let scope = if is_var { self.hoist_scope() } else { self.scope() };
        let value = node.child_by_field_name("value");
        if let Some(value) = value
            && self.record_required(name, value, scope, path)
        {
            return Enter::Skip;
        }
        if name.kind() != "identifier" || !self.is_top(scope) || self.defines_itself(node, value) {
            return Enter::Descend;
        }
        self.define_variable(node, name, declaration, scope, path);
        Enter::Descend
    }

    /// Returns whether the value of a declarator becomes a definition with the variable's name.
    fn defines_itself(&self, declarator: Node<'_>, value: Option<Node<'_>>) -> bool {
        let Some(mut value) = value else { return false };
        for _ in 0..8 {
            let inner = match value.kind() {
                "parenthesized_expression" | "satisfies_expression" => value.named_child(0),
                "as_expression" if value.named_child_count() == 1 => value.named_child(0),
                "assignment_expression" => value.child_by_field_name("right"),
                _ => None,
            };
            let Some(inner) = inner else { break };
            value = inner;
        }
        match value.kind() {
            "arrow_function" | "function_expression" | "generator_function" | "class" => true,
            "object" => declarator.child_by_field_name("type").is_none(),
            _ => false,
        }
    }

    fn define_variable<'tree>(
        &mut self,
        node: Node<'tree>,
        name: Node<'tree>,
        declaration: Node<'tree>,
        scope: ScopeId,
        path: &[Step<'tree>],
    ) {
        let constant = declaration.kind() == "lexical_declaration" && has_token(declaration, "const");
        let value = node.child_by_field_name("value");
        let created = value.is_some_and(|value| self.creates_object(value));
        let kind = match (created, constant) {
            (true, _) => DefKind::Object,
            (false, true) => DefKind::Constant,
            (false, false) => DefKind::Variable,
        };
        let whole = span_of(node, declaration);
        let text = self.source.text(name);
        if let Some(earlier) = self.own(scope, text, false) {
            // `var` twice, or a function and a `var` of one name: one variable.
            if self.b.facts().definition(earlier).kind != DefKind::Interface {
                self.made.insert(node.id(), earlier);
                return;
            }
        }
        let mut definition = self.blank(kind, text, scope, name, (whole, None));
        let statement = outer_statement(declaration, &path[..path.len() - 1]);
        definition.doc = self.doc_of(statement);
        definition.flags.is_declaration = statement.kind() == "ambient_declaration";
        definition.owner = self.b.facts().scopes[scope.index()].owner;
        definition.flags.is_local = false;
        let comment = self.doc_before(statement.start_byte()).filter(|_| self.is_javascript());
        definition.declared = comment.and_then(|comment| self.jsdoc_type(comment));
        let id = self.add(node, definition);
        self.bind(id, Namespace::Value);
        if created {
            let members = self.b.scope(scope, ScopeKind::Class, Some(id));
            self.b.definition_mut(id).body = Some(members);
        }
        self.initialising.push((node.id(), id, self.frames.len()));
        self.export_if_declared(id, &path[..path.len() - 1]);
    }

    /// `Object.create(prototype)`: an object whose members are added later.
    fn creates_object(&self, value: Node<'_>) -> bool {
        let value = rightmost(value);
        let function = value.child_by_field_name("function");
        value.kind() == "call_expression"
            && function.is_some_and(|function| self.source.text(function) == "Object.create")
            && value.child_by_field_name("arguments").is_some_and(|arguments| arguments.named_child_count() == 1)
    }

    pub(in crate::languages::typescript) fn leave_declarator<'tree>(
        &mut self,
        node: Node<'tree>,
        path: &[Step<'tree>],
    ) {
        let (Some(declaration), Some(name)) = (parent(path), node.child_by_field_name("name")) else { return };
        let is_var = declaration.node.kind() == "variable_declaration";
        let scope = if is_var { self.hoist_scope() } else { self.scope() };
        let value = node.child_by_field_name("value").and_then(|value| self.exprs.get(value));
        let typed = node.child_by_field_name("type");
        let type_value = typed.and_then(|typed| self.typeofs.get(typed));
        let declared = typed.and_then(|typed| self.exprs.get(typed)).filter(|_| type_value.is_none());
        let written = value;
        let value = type_value.or(value);
        if let Some(&id) = self.made.get(&node.id()) {
            if let Some(declared) = declared {
                self.b.definition_mut(id).declared = Some(declared);
            }
            let call = node.child_by_field_name("value").map(rightmost);
            if self.b.facts().definition(id).kind == DefKind::Object
                && let Some(base) = call.and_then(|call| self.created_from(call))
            {
                self.bases.entry(id).or_default().push(base);
            } else if let Some(value) = value {
                self.value(id, value);
            }
            return;
        }
        if name.kind() != "identifier" {
            let source = match (declared, value) {
                (Some(of), _) => self.b.expr(Expr::Instance { of }),
                (None, value) => value.unwrap_or(self.b.unknown()),
            };
            self.bind_pattern(name, source, scope);
            self.export_pattern(name, path);
            return;
        }
        let text = self.source.text(name);
        // A function, class or object that took the variable's name is bound already.
        if let Some(expr) = written
            && let Expr::Definition(id) = self.b.facts().expr(expr)
            && self.b.facts().definition(id).scope == scope
            && self.b.facts().name(self.b.facts().definition(id).name) == text
            && !self.b.facts().definition(id).flags.is_anonymous
        {
            self.export_if_declared(id, &path[..path.len() - 1]);
            return;
        }
        match (declared, value) {
            (Some(of), _) => self.bind_local(scope, text, BindingTarget::Typed(of)),
            (None, Some(value)) => self.bind_local(scope, text, BindingTarget::Value(value)),
            (None, None) => {
                let name = self.b.name(text);
                self.locals.insert((scope, name));
                self.unset.push((scope, name));
            }
        }
    }

    /// `const x = require("m")`, `const { a, b: c } = require("m")`, `const x = require("m").a`.
    fn record_required<'tree>(
        &mut self,
        name: Node<'tree>,
        value: Node<'tree>,
        scope: ScopeId,
        path: &[Step<'tree>],
    ) -> bool {
        let (call, property) = match value.kind() {
            "member_expression" => (value.child_by_field_name("object"), value.child_by_field_name("property")),
            _ => (Some(value), None),
        };
        let Some(module) = call.and_then(|call| self.required_module(call)) else { return false };
        let text = unquote(self.source.text(module));
        // One name for the module, or for one of its exports.
        if name.kind() == "identifier" {
            let kind = match property {
                Some(property) => ImportKind::Symbol(self.b.name(self.source.text(property))),
                None => ImportKind::Module,
            };
            let alias = self.b.name(self.source.text(name));
            let id = self.import_row(kind, text, property.unwrap_or(module), scope, true);
            let imported = self.b.expr(Expr::Import(id));
            self.b.bind(scope, alias, Namespace::Any, BindingTarget::Import(id));
            self.export_if_name(self.source.text(name), imported, path);
            return true;
        }
        // A plain pattern imports several names; anything else is a value of the module.
        if property.is_some() || name.kind() != "object_pattern" || !is_plain_pattern(name) {
            return false;
        }
        for child in children(name) {
            let (key, alias) = match child.kind() {
                "pair_pattern" => (child.child_by_field_name("key"), child.child_by_field_name("value")),
                _ => (Some(child), Some(child)),
            };
            let (Some(key), Some(alias)) = (key, alias) else { continue };
            let symbol = self.b.name(self.property(key));
            let alias = self.b.name(self.source.text(alias));
            let id = self.import_row(ImportKind::Symbol(symbol), text, key, scope, true);
            self.b.bind(scope, alias, Namespace::Any, BindingTarget::Import(id));
        }
        true
    }

    pub(in crate::languages::typescript) fn leave_for_in(&mut self, node: Node<'_>) {
        let Some(left) = node.child_by_field_name("left") else { return };
        let right = self.field_expr(node, "right").unwrap_or(self.b.unknown());
        let of = node.child_by_field_name("operator").is_some_and(|operator| self.source.text(operator) == "of");
        let value = match (of, right == self.b.unknown()) {
            (true, true) => self.b.unknown(),
            (true, false) => self.b.expr(Expr::Element { base: right }),
            (false, _) => self.b.expr(Expr::Literal(Literal::Str)),
        };
        match node.child_by_field_name("kind") {
            Some(kind) => {
                let is_var = self.source.text(kind) == "var";
                let scope = if is_var { self.hoist_scope() } else { self.scope() };
                self.bind_pattern(left, value, scope);
            }
            None => self.assign_pattern(left, value),
        }
    }

    pub(in crate::languages::typescript) fn leave_catch(&mut self, node: Node<'_>) {
        let Some(parameter) = node.child_by_field_name("parameter") else { return };
        let declared = self.field_expr(node, "type");
        let value: ExprId = match declared {
            Some(of) => self.b.expr(Expr::Instance { of }),
            None => self.b.unknown(),
        };
        let scope = self.scope();
        self.bind_pattern(parameter, value, scope);
    }

    pub(in crate::languages::typescript) fn required_module<'tree>(&self, call: Node<'tree>) -> Option<Node<'tree>> {
        if call.kind() != "call_expression" {
            return None;
        }
        let function = call.child_by_field_name("function")?;
        if function.kind() != "identifier" || self.source.text(function) != "require" {
            return None;
        }
        let arguments = call.child_by_field_name("arguments")?;
        let first = arguments.named_child(0)?;
        (first.kind() == "string" && arguments.named_child_count() == 1).then_some(first)
    }
}

/// Returns whether a pattern only picks members, without defaults, rest or nesting.
fn is_plain_pattern(pattern: Node<'_>) -> bool {
    children(pattern).iter().all(|child| match child.kind() {
        "shorthand_property_identifier_pattern" => true,
        "pair_pattern" => {
            let plain = |field: &str, kinds: &[&str]| {
                child.child_by_field_name(field).is_some_and(|node| kinds.contains(&node.kind()))
            };
            plain("key", &["property_identifier", "string"]) && plain("value", &["identifier"])
        }
        _ => false,
    })
}
