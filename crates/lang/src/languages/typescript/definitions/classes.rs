//! Classes, interfaces, type aliases, enums and namespaces, and their fields.

use tree_sitter::Node;

use super::functions::outer_statement;
use super::jsdoc;
use super::objects::span_of;
use crate::facts::{DefId, DefKind, Expr, ExprId, FactsBuilder, Namespace, ScopeId, ScopeKind, Visibility};
use crate::languages::typescript::naming::{Naming, Target, naming};
use crate::languages::typescript::state::{
    Extractor, FrameKind, This, children, has_token, header_start, parent, unquote,
};
use crate::text;
use crate::walk::Step;

/// Binding and name of a class.
struct ClassBinding<'tree> {
    name: String,
    at: Node<'tree>,
    whole: Node<'tree>,
    scope: ScopeId,
    anonymous: bool,
    bound: bool,
}

impl Extractor<'_> {
    pub(in crate::languages::typescript) fn enter_class<'tree>(&mut self, step: Step<'tree>, path: &[Step<'tree>]) {
        let node = step.node;
        let own = node.child_by_field_name("name");
        let ClassBinding { name, at, whole, scope, anonymous, bound } = self.class_place(step, path);
        let body = node.child_by_field_name("body");
        let mut definition = self.blank(DefKind::Class, &name, scope, at, (node, body));
        definition.flags.is_anonymous = anonymous;
        definition.flags.is_abstract = node.kind() == "abstract_class_declaration";
        definition.flags.is_declaration = is_ambient(path);
        definition.doc = self.doc_of(whole);
        let id = match self.own(scope, &name, true).filter(|_| bound) {
            // A class and an interface of one name are one type.
            Some(earlier) if self.b.facts().definition(earlier).kind == DefKind::Interface => earlier,
            _ => {
                let id = self.add(node, definition);
                if bound {
                    self.bind(id, Namespace::Any);
                }
                id
            }
        };
        self.made.insert(node.id(), id);
        self.set_decorated(id, node);
        if node.kind() != "class" {
            self.export_if_declared(id, path);
        }
        self.open_members(node, id, true);
        if let Some(own) = own.filter(|_| node.kind() == "class" && !anonymous) {
            // A class expression knows itself by its own name; members are not found by bare name.
            let inner = self.scope();
            let outer = self.b.facts().scopes[inner.index()].parent.unwrap_or(FactsBuilder::FILE);
            let own_name = !bound || self.source.text(own) != name;
            if own_name && self.b.facts().scopes[outer.index()].kind == ScopeKind::Generics {
                self.bind_local(outer, self.source.text(own), crate::facts::BindingTarget::Definition(id));
            }
        }
    }

    /// The name a class gets, and where it is bound.
    fn class_place<'tree>(&mut self, step: Step<'tree>, path: &[Step<'tree>]) -> ClassBinding<'tree> {
        let node = step.node;
        let own = node.child_by_field_name("name");
        let mut name = own.map_or_else(String::new, |own| self.source.text(own).to_owned());
        let (mut at, mut whole, mut scope) = (own.unwrap_or(node), node, self.scope());
        let (mut anonymous, mut bound) = (false, true);
        if node.kind() == "class" {
            bound = false;
            // A class expression is named by where it is written.
            match naming(step, path) {
                Naming::Variable { declarator, declaration } => {
                    at = declarator.child_by_field_name("name").unwrap_or(declarator);
                    name = self.source.text(at).to_owned();
                    whole = span_of(declarator, declaration);
                    bound = true;
                    if declaration.kind() == "variable_declaration" {
                        scope = self.hoist_scope();
                    }
                }
                Naming::Assign { left, whole: assignment } => match self.target(left) {
                    Target::Export(property) | Target::Member(_, property) | Target::Other(property) => {
                        at = property;
                        name = self.source.text(property).to_owned();
                        whole = assignment;
                    }
                    _ => anonymous = own.is_none(),
                },
                Naming::Pair(pair) => {
                    at = pair.child_by_field_name("key").unwrap_or(pair);
                    name = self.property(at).to_owned();
                    bound = true;
                }
                _ => anonymous = own.is_none() && !matches!(naming(step, path), Naming::Default(_)),
            }
        } else {
            whole = outer_statement(node, path);
        }
        if name.is_empty() {
            "default".clone_into(&mut name);
        }
        ClassBinding { name, at, whole, scope, anonymous, bound }
    }

    /// Opens the members of a definition: once more, if it has some already.
    pub(in crate::languages::typescript) fn open_body(&mut self, node: Node<'_>, id: DefId) {
        match self.b.facts().definition(id).body {
            Some(scope) => self.push(node, FrameKind::Members, scope, Some(id)),
            None => {
                self.open(node, FrameKind::Members, ScopeKind::Class, Some(id));
                let scope = self.scope();
                self.b.definition_mut(id).body = Some(scope);
            }
        }
    }

    /// Opens the generics and the members of a class-like definition.
    fn open_members(&mut self, node: Node<'_>, id: DefId, this: bool) {
        let generic = node.child_by_field_name("type_parameters").is_some() || node.kind() == "class";
        if generic {
            self.open(node, FrameKind::Block, ScopeKind::Generics, Some(id));
        }
        self.open_body(node, id);
        let scope = self.scope();
        if this {
            self.top().this = This::Scope(scope);
        }
        self.top().makes_fields = true;
        let body = node.child_by_field_name("body").filter(|body| body.kind() == "class_body");
        for member in body.map(children).unwrap_or_default() {
            let name = member.child_by_field_name("name").or_else(|| member.child_by_field_name("property"));
            if let Some(name) = name {
                let name = self.b.name(self.property(name));
                self.announced.insert((scope, name));
            }
        }
    }

    pub(in crate::languages::typescript) fn leave_class(&mut self, node: Node<'_>) {
        let Some(&id) = self.made.get(&node.id()) else { return };
        let expr = self.b.expr(Expr::Definition(id));
        self.exprs.set(node, expr);
    }

    /// JavaScript: `extends` and an expression.
    pub(in crate::languages::typescript) fn class_heritage(&mut self, node: Node<'_>) {
        let base = node.named_child(0).filter(|child| !child.kind().ends_with("_clause"));
        if let (Some(id), Some(base)) = (self.frame().def, base.and_then(|base| self.exprs.get(base))) {
            self.bases.entry(id).or_default().push(base);
        }
    }

    pub(in crate::languages::typescript) fn extends(&mut self, node: Node<'_>) {
        let Some(id) = self.frame().def else { return };
        let mut last: Option<ExprId> = None;
        for child in children(node) {
            let Some(expr) = self.exprs.get(child) else { continue };
            if child.kind() == "type_arguments" {
                if let Some(base) = last.take() {
                    let args = self.arguments_of(child);
                    let args = self.b.list(&args);
                    last = Some(self.b.expr(Expr::Generic { base, args }));
                }
                continue;
            }
            if let Some(base) = last.replace(expr) {
                self.bases.entry(id).or_default().push(base);
            }
        }
        // Type arguments have no expression of their own.
        let arguments = children(node).into_iter().find(|child| child.kind() == "type_arguments");
        if let (Some(base), Some(arguments)) = (last, arguments) {
            let args = self.arguments_of(arguments);
            let args = self.b.list(&args);
            last = Some(self.b.expr(Expr::Generic { base, args }));
        }
        self.bases.entry(id).or_default().extend(last);
    }

    pub(in crate::languages::typescript) fn implements(&mut self, node: Node<'_>) {
        let Some(id) = self.frame().def else { return };
        let items: Vec<ExprId> = children(node).into_iter().filter_map(|child| self.exprs.get(child)).collect();
        let items = self.b.list(&items);
        self.b.definition_mut(id).implements = items;
    }

    pub(in crate::languages::typescript) fn enter_type<'tree>(&mut self, node: Node<'tree>, path: &[Step<'tree>]) {
        let Some(own) = node.child_by_field_name("name") else { return };
        let name = self.source.text(own);
        let (kind, namespace) = match node.kind() {
            "interface_declaration" => (DefKind::Interface, Namespace::Type),
            "enum_declaration" => (DefKind::Enum, Namespace::Any),
            _ => (DefKind::TypeAlias, Namespace::Type),
        };
        let scope = self.scope();
        let whole = outer_statement(node, path);
        // Interfaces and enums of one name in one scope are one.
        let earlier = self.own(scope, name, true).filter(|&earlier| {
            let earlier = self.b.facts().definition(earlier).kind;
            matches!((earlier, kind), (DefKind::Interface | DefKind::Class, DefKind::Interface))
                || (earlier, kind) == (DefKind::Enum, DefKind::Enum)
        });
        let id = earlier.unwrap_or_else(|| {
            let body = node.child_by_field_name("body");
            let mut definition = self.blank(kind, name, scope, own, (node, body));
            definition.doc = self.doc_of(whole);
            let id = self.add(node, definition);
            self.bind(id, namespace);
            id
        });
        self.made.insert(node.id(), id);
        self.export_if_declared(id, path);
        if kind == DefKind::TypeAlias {
            if node.child_by_field_name("type_parameters").is_some() {
                self.open(node, FrameKind::Block, ScopeKind::Generics, Some(id));
            }
        } else {
            self.open_members(node, id, kind == DefKind::Interface);
        }
    }

    pub(in crate::languages::typescript) fn leave_type_alias(&mut self, node: Node<'_>) {
        let (Some(&id), Some(value)) = (self.made.get(&node.id()), node.child_by_field_name("value")) else { return };
        let declared = self.exprs.get(value);
        self.b.definition_mut(id).declared = declared;
        if let Some(value) = self.typeofs.get(value) {
            self.value(id, value);
        }
    }

    /// A literal type, which is an interface without a name; the body of an interface declaration is that interface.
    pub(in crate::languages::typescript) fn enter_object_type<'tree>(
        &mut self,
        node: Node<'tree>,
        path: &[Step<'tree>],
    ) {
        let owner = match parent(path) {
            Some(step) if step.node.kind() == "interface_declaration" => return,
            _ => {
                let parts = ["intersection_type", "union_type", "parenthesized_type"];
                let outer = path.iter().rev().take(MAX_PARTS).find(|step| !parts.contains(&step.node.kind()));
                outer
                    .filter(|step| step.node.kind() == "type_alias_declaration")
                    .and_then(|step| self.made.get(&step.node.id()).copied())
            }
        };
        let scope = self.scope();
        let mut definition = self.blank(DefKind::Interface, "type", scope, node, (node, Some(node)));
        definition.flags.is_anonymous = true;
        definition.owner = owner.or(definition.owner);
        let id = self.add(node, definition);
        self.open_members(node, id, false);
    }

    pub(in crate::languages::typescript) fn enum_member<'tree>(&mut self, node: Node<'tree>, path: &[Step<'tree>]) {
        let name = node.child_by_field_name("name").unwrap_or(node);
        if parent(path).is_none_or(|step| step.node.kind() != "enum_body") {
            return;
        }
        let scope = self.scope();
        let text = self.property(name);
        let mut definition = self.blank(DefKind::Variant, text, scope, name, (node, None));
        definition.doc = self.doc_of(node);
        definition.flags.is_static = true;
        let id = self.add(node, definition);
        self.bind(id, Namespace::Value);
    }

    pub(in crate::languages::typescript) fn enter_field(&mut self, node: Node<'_>) {
        let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("property"));
        let Some(name) = name else { return };
        if self.frame().kind != FrameKind::Members {
            return;
        }
        let is_function = node.child_by_field_name("value").is_some_and(|value| {
            matches!(value.kind(), "arrow_function" | "function_expression" | "generator_function")
        });
        if is_function {
            return;
        }
        let scope = self.scope();
        let text = self.property(name);
        let value = node.child_by_field_name("value").filter(|value| node.end_byte() - value.start_byte() > 120);
        let mut definition = self.blank(DefKind::Field, text, scope, name, (node, value));
        definition.flags.is_static = has_token(node, "static");
        definition.flags.is_abstract = has_token(node, "abstract");
        definition.flags.is_optional = has_token(node, "?");
        definition.flags.is_local = false;
        definition.visibility = self.visibility(node, text);
        definition.doc = self.doc_of(node);
        let comment = self.doc_before(node.start_byte()).filter(|_| self.is_javascript());
        definition.declared = comment.and_then(|comment| self.jsdoc_type(comment));
        let id = self.add(node, definition);
        self.set_decorated(id, node);
        self.bind(id, Namespace::Value);
        self.initialising.push((node.id(), id, self.frames.len()));
    }

    pub(in crate::languages::typescript) fn leave_field(&mut self, node: Node<'_>) {
        let Some(&id) = self.made.get(&node.id()) else {
            // The type of a field that holds a function adds nothing to the function itself.
            return;
        };
        if let Some(typed) = node.child_by_field_name("type") {
            match self.typeofs.get(typed) {
                Some(value) => self.value(id, value),
                None => self.b.definition_mut(id).declared = self.exprs.get(typed),
            }
        }
        if let Some(value) = self.field_expr(node, "value") {
            if !self.is_null(value) {
                self.initialised.insert(id);
            }
            self.value(id, value);
        }
    }

    pub(in crate::languages::typescript) fn enter_namespace<'tree>(&mut self, node: Node<'tree>, path: &[Step<'tree>]) {
        let Some(own) = node.child_by_field_name("name") else { return };
        let text = unquote(self.source.text(own));
        let mut scope = self.scope();
        let mut id = None;
        let whole = outer_statement(node, path);
        let is_string = own.kind() == "string";
        let parts: Vec<&str> = if is_string { vec![text] } else { text.split('.').map(str::trim).collect() };
        // `namespace a.b` opens a module in a module; parts that exist are opened again.
        for (number, part) in parts.iter().enumerate() {
            let existing =
                self.own(scope, part, true).filter(|&known| self.b.facts().definition(known).kind == DefKind::Module);
            let current = existing.unwrap_or_else(|| {
                let body = node.child_by_field_name("body");
                let mut definition = self.blank(DefKind::Module, part, scope, own, (node, body));
                definition.doc = self.doc_of(whole);
                definition.flags.is_declaration = is_ambient(path);
                let id = self.add(node, definition);
                // A function of the same name keeps the value; the namespace only adds members.
                let function = self.own(scope, part, false);
                self.bind(id, if function.is_some() { Namespace::Type } else { Namespace::Any });
                id
            });
            if number == 0 {
                self.export_if_declared(current, path);
            }
            match self.b.facts().definition(current).body {
                Some(body) => self.push(node, FrameKind::Function, body, Some(current)),
                None => {
                    self.open(node, FrameKind::Function, ScopeKind::Module, Some(current));
                    let body = self.scope();
                    self.b.definition_mut(current).body = Some(body);
                }
            }
            scope = self.scope();
            let frame = self.top();
            frame.nested = true;
            frame.this = This::Unknown;
            id = Some(current);
        }
        if let Some(id) = id {
            self.made.insert(node.id(), id);
        }
    }

    pub(in crate::languages::typescript) fn doc_of(&self, node: Node<'_>) -> Option<Box<str>> {
        self.doc_before(node.start_byte()).and_then(text::doc)
    }

    pub(in crate::languages::typescript) fn jsdoc_type(&mut self, comment: &str) -> Option<ExprId> {
        let scope = self.scope();
        jsdoc::tags(comment).of.and_then(|written| jsdoc::expr(&mut self.b, written, scope))
    }

    /// A decorator; for one before its method or export, the start of the first is kept until then.
    pub(in crate::languages::typescript) fn leave_decorator<'tree>(&mut self, node: Node<'tree>, path: &[Step<'tree>]) {
        let Some(expr) = node.named_child(0).and_then(|child| self.exprs.get(child)) else { return };
        self.exprs.set(node, expr);
        let pos = self.pos(node);
        self.b.decorator(expr, pos, node.start_byte());
        if parent(path).is_some_and(|step| matches!(step.node.kind(), "class_body" | "export_statement")) {
            self.decorated_from.get_or_insert(node.start_byte());
        }
    }

    /// Records the extent of a definition including its decorators, if it has any.
    pub(in crate::languages::typescript) fn set_decorated(&mut self, id: DefId, node: Node<'_>) {
        let takes =
            matches!(node.kind(), "method_definition" | "class" | "class_declaration" | "abstract_class_declaration");
        let before = if takes { self.decorated_from.take() } else { None };
        let start = before.unwrap_or(node.start_byte());
        let header = header_start(node).start_byte();
        if start < header {
            self.b.set_decorated(id, start, header, node.end_byte());
        }
    }

    /// Members of a namespace that it does not export are its own.
    pub(in crate::languages::typescript) fn hide_unexported(&mut self, id: DefId, scope: ScopeId) {
        if self.b.facts().scopes[scope.index()].kind == ScopeKind::Module {
            self.b.definition_mut(id).visibility = Visibility::Private;
        }
    }
}

/// Parts of a type alias looked through to find the alias.
const MAX_PARTS: usize = 64;

/// Returns whether a declaration follows `declare`.
pub(in crate::languages::typescript) fn is_ambient(path: &[Step<'_>]) -> bool {
    path.iter().rev().take(3).any(|step| step.node.kind() == "ambient_declaration")
}
