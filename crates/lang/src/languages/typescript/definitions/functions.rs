//! Functions and methods of every form, their parameters and results.

use tree_sitter::Node;

use super::{jsdoc, objects};
use crate::facts::{
    BindingTarget, DefId, DefKind, Definition, Expr, ExprId, Literal, Namespace, Parameter, ParameterKind, ScopeId,
    ScopeKind, TypeParameter, Visibility,
};
use crate::languages::typescript::naming::{Naming, Target, naming};
use crate::languages::typescript::state::{Extractor, FrameKind, MAX_SCOPES, This, children, has_token};
use crate::text;
use crate::walk::Step;

/// Binding and name of a function.
pub(in crate::languages::typescript) struct FunctionBinding<'tree> {
    pub(in crate::languages::typescript) name: String,
    /// Position of the name.
    pub(in crate::languages::typescript) at: Node<'tree>,
    /// The statement or member it is.
    pub(in crate::languages::typescript) whole: Node<'tree>,
    scope: ScopeId,
    owner: Option<DefId>,
    anonymous: bool,
    pub(in crate::languages::typescript) bound: bool,
    /// The body of a test, named by its title.
    pub(in crate::languages::typescript) is_test: bool,
    /// Receives `this` from the class-like owner of `scope`, or from the given expression.
    method: bool,
    receiver: Option<ExprId>,
    is_static: bool,
    is_iife: bool,
}

impl<'a> Extractor<'a> {
    pub(in crate::languages::typescript) fn enter_function<'tree>(&mut self, step: Step<'tree>, path: &[Step<'tree>]) {
        let node = step.node;
        let place = self.place(step, path);
        let id = match self.find_merged(node, &place) {
            Some(id) => id,
            None => self.define_function(node, &place, path),
        };
        self.made.insert(node.id(), id);
        // Type parameters are visible in the header and the body, parameters only in the body.
        if node.child_by_field_name("type_parameters").is_some() {
            self.open(node, FrameKind::Block, ScopeKind::Generics, Some(id));
        }
        self.open(node, FrameKind::Function, ScopeKind::Function, Some(id));
        let scope = self.scope();
        if self.b.facts().definition(id).kind == DefKind::Function {
            self.b.definition_mut(id).body = Some(scope);
        }
        let arrow = node.kind() == "arrow_function";
        let context = self.context(node, path);
        let receiver = if place.method { self.options_receiver().or_else(|| self.object_type(path)) } else { None };
        let frame = self.top();
        frame.context = context;
        frame.local |= !place.is_iife;
        // `this` is the receiver of a method; an arrow function keeps that of the function around.
        if let Some(receiver) = place.receiver.or(receiver) {
            frame.this = This::Expr(receiver);
        } else if place.method {
            frame.this = This::Scope(scope);
        } else if !arrow {
            frame.this = This::Unknown;
        }
        self.bind_own_name(node, id, scope);
        // `x => …` has no list of parameters that is left later.
        if let Some(parameter) = node.child_by_field_name("parameter") {
            let name = self.b.name(self.source.text(parameter));
            self.b.parameters(id, &[Parameter { name, kind: ParameterKind::Plain, declared: None, default: None }]);
            self.locals.insert((scope, name));
            let target = match self.frame().context.first() {
                Some(&value) => BindingTarget::Value(value),
                None => BindingTarget::Parameter(id, 0),
            };
            self.b.bind(scope, name, Namespace::Value, target);
        }
        self.constructor_function(node, id, &place);
    }

    /// Returns whether an expression is `null`, `undefined` or unknown.
    pub(in crate::languages::typescript) fn is_null(&self, expr: ExprId) -> bool {
        matches!(self.b.facts().expr(expr), Expr::Literal(Literal::Null) | Expr::Unknown)
    }

    /// The name that a function expression knows itself by.
    fn bind_own_name(&mut self, node: Node<'_>, id: DefId, scope: ScopeId) {
        let own = node
            .child_by_field_name("name")
            .filter(|_| matches!(node.kind(), "function_expression" | "generator_function"));
        if let Some(own) = own {
            self.bind_local(scope, self.source.text(own), BindingTarget::Definition(id));
        }
    }

    fn place<'tree>(&mut self, step: Step<'tree>, path: &[Step<'tree>]) -> FunctionBinding<'tree> {
        let node = step.node;
        let own = node.child_by_field_name("name");
        let mut place = FunctionBinding {
            name: own.map_or_else(String::new, |name| self.property(name).to_owned()),
            at: own.unwrap_or(node),
            whole: node,
            scope: self.scope(),
            owner: self.b.facts().scopes[self.scope().index()].owner,
            anonymous: false,
            bound: true,
            is_test: false,
            method: false,
            receiver: None,
            is_static: false,
            is_iife: false,
        };
        match node.kind() {
            "function_declaration" | "generator_function_declaration" | "function_signature" => {
                // Outside of strict mode, functions in blocks are visible in the whole function.
                if self.is_javascript() && self.frame().kind == FrameKind::Block {
                    place.scope = self.hoist_scope();
                }
                place.whole = outer_statement(node, path);
                if own.is_none() {
                    place.name = "default".to_owned();
                }
            }
            "method_definition" | "method_signature" | "abstract_method_signature" => {
                place.method = true;
                place.is_static = has_token(node, "static");
            }
            "call_signature" | "construct_signature" => {
                place.name = if node.kind() == "call_signature" { "()" } else { "new()" }.to_owned();
                place.anonymous = true;
                place.method = true;
            }
            _ => self.expression_place(step, path, &mut place),
        }
        place
    }

    fn expression_place<'tree>(&mut self, step: Step<'tree>, path: &[Step<'tree>], place: &mut FunctionBinding<'tree>) {
        let node = step.node;
        let arrow = node.kind() == "arrow_function";
        // A function expression is named by where it is written: a variable, a property, an export.
        match naming(step, path) {
            Naming::Variable { declarator, declaration } => {
                let name = declarator.child_by_field_name("name").unwrap_or(declarator);
                place.name = self.source.text(name).to_owned();
                place.at = name;
                place.whole = objects::span_of(declarator, declaration);
                if declaration.kind() == "variable_declaration" {
                    place.scope = self.hoist_scope();
                    place.owner = self.b.facts().scopes[place.scope.index()].owner;
                }
            }
            Naming::Pair(pair) => {
                let Some(key) = pair.child_by_field_name("key") else { return self.no_name(place) };
                place.name = self.property(key).to_owned();
                place.at = key;
                place.whole = pair;
                place.method = !arrow;
            }
            Naming::Field(field) => {
                let name = field.child_by_field_name("name").or_else(|| field.child_by_field_name("property"));
                let Some(name) = name else { return self.no_name(place) };
                place.name = self.property(name).to_owned();
                place.at = name;
                place.whole = field;
                place.method = true;
                place.is_static = has_token(field, "static");
            }
            Naming::Default(export) | Naming::Assign { whole: export, .. } if self.names_module(naming(step, path)) => {
                place.whole = export;
                place.bound = false;
                if place.at.id() == node.id() {
                    let assigned = export.kind() == "assignment_expression";
                    place.name = if assigned { "exports" } else { "default" }.to_owned();
                }
            }
            Naming::Assign { left, whole } => self.assigned_place(left, whole, arrow, place),
            Naming::Invoked => {
                self.no_name(place);
                place.is_iife = !self.frame().local && self.frame().kind != FrameKind::Members;
            }
            Naming::None if self.name_test(path, place) => {}
            Naming::Default(_) | Naming::ExportAssign | Naming::None => self.no_name(place),
        }
    }

    /// `export default` and `module.exports =`: the function keeps its own name, if it has one.
    fn names_module(&self, naming: Naming<'_>) -> bool {
        match naming {
            Naming::Default(_) => true,
            Naming::Assign { left, .. } => matches!(self.target(left), Target::Exports),
            _ => false,
        }
    }

    fn no_name(&mut self, place: &mut FunctionBinding<'_>) {
        place.anonymous = true;
        place.bound = false;
        if place.name.is_empty() {
            "function".clone_into(&mut place.name);
        }
        if let Some(&(_, id, depth)) = self.initialising.last()
            && depth == self.frames.len()
        {
            place.owner = Some(id);
        }
    }

    /// `a.b = function () {}` in all its forms.
    fn assigned_place<'tree>(
        &mut self,
        left: Node<'tree>,
        whole: Node<'tree>,
        arrow: bool,
        place: &mut FunctionBinding<'tree>,
    ) {
        let target = self.target(left);
        let property = match target {
            Target::Export(property)
            | Target::This(property)
            | Target::PrototypeMember(_, property)
            | Target::Member(_, property)
            | Target::Other(property) => property,
            Target::Exports | Target::Prototype(_) | Target::Name(_) | Target::None => return self.no_name(place),
        };
        place.name = self.source.text(property).to_owned();
        place.at = property;
        place.whole = whole;
        place.bound = false;
        place.owner = self.frame().enclosing;
        // The target says whose member it is, and whether it belongs to the class or to its values.
        match target {
            Target::Export(_) => place.owner = None,
            Target::This(_) => {
                if let This::Scope(scope) = self.frame().this
                    && let Some((class, members)) = self.class_around(scope)
                {
                    place.owner = Some(class);
                    place.scope = members;
                    place.method = true;
                    place.bound = true;
                }
            }
            Target::PrototypeMember(name, _) | Target::Member(name, _) => {
                let is_static = matches!(target, Target::Member(..));
                if let Some((class, members)) = self.members_of(name) {
                    place.is_static = is_static && self.b.facts().definition(class).kind == DefKind::Class;
                    place.owner = Some(class);
                    place.scope = members;
                    place.method = !arrow;
                    place.bound = true;
                } else if !arrow && is_static {
                    let scope = self.scope();
                    place.receiver = Some(self.b.name_expr(name, scope));
                }
            }
            _ => {}
        }
    }

    /// The class-like definition with a bare name, and the scope of its members.
    pub(in crate::languages::typescript) fn members_of(&mut self, name: &str) -> Option<(DefId, ScopeId)> {
        let id = self.visible(name)?;
        let definition = self.b.facts().definition(id);
        let body = definition.body?;
        definition.kind.is_class_like().then_some((id, body))
    }

    /// The class-like owner around a scope, and the scope of its members.
    pub(in crate::languages::typescript) fn class_around(&self, scope: ScopeId) -> Option<(DefId, ScopeId)> {
        let mut owner = self.b.facts().scopes[scope.index()].owner;
        for _ in 0..MAX_SCOPES {
            let definition = self.b.facts().definition(owner?);
            if definition.kind.is_class_like() {
                return owner.zip(definition.body);
            }
            owner = definition.owner;
        }
        None
    }

    /// The definition that an overload, an implementation or a second accessor belongs to.
    fn find_merged(&mut self, node: Node<'_>, place: &FunctionBinding<'_>) -> Option<DefId> {
        if !place.bound || place.anonymous {
            return None;
        }
        let earlier = self.own(place.scope, &place.name, false)?;
        let definition = self.b.facts().definition(earlier);
        let declared_only = definition.flags.is_declaration || definition.flags.is_abstract;
        if definition.kind != DefKind::Function || !declared_only || definition.flags.is_static != place.is_static {
            return None;
        }
        if node.child_by_field_name("body").is_some() {
            let whole = place.whole;
            let pos = self.pos(place.at);
            let end = self.source.end_line(whole);
            let definition = self.b.definition_mut(earlier);
            definition.flags.is_declaration = false;
            definition.flags.is_abstract = false;
            definition.pos = pos;
            definition.line_start = whole.start_position().row as u32 + 1;
            definition.line_end = end;
            definition.bytes = (whole.start_byte() as u32, whole.end_byte() as u32);
        }
        Some(earlier)
    }

    fn define_function<'tree>(
        &mut self,
        node: Node<'tree>,
        place: &FunctionBinding<'tree>,
        path: &[Step<'tree>],
    ) -> DefId {
        let body = node.child_by_field_name("body");
        let kind = if self.is_constructor_function(node, place) { DefKind::Class } else { DefKind::Function };
        let mut definition = self.blank(kind, &place.name, place.scope, place.at, (place.whole, body));
        definition.owner = place.owner;
        self.function_flags(node, place, &mut definition);
        let owner_is_class =
            definition.owner.is_some_and(|owner| self.b.facts().definition(owner).kind == DefKind::Class);
        definition.flags.is_constructor = owner_is_class && &*place.name == "constructor" && place.method;
        let doc_start = place.whole.start_byte();
        let comment = self
            .doc_before(doc_start)
            .or_else(|| path.iter().rev().take(3).find_map(|step| self.doc_before(step.node.start_byte())));
        let comment = comment.filter(|_| !place.anonymous);
        definition.doc = comment.and_then(text::doc);
        let accessor = definition.flags.is_property;
        let earlier = self.own(place.scope, &place.name, false).filter(|_| accessor && place.bound);
        if let Some(first) = earlier {
            // The second accessor of a property is no definition of its own.
            definition.flags.is_anonymous = true;
            definition.owner = Some(first);
        }
        let id = self.add(node, definition);
        self.set_decorated(id, place.whole);
        if let Some(comment) = comment.filter(|_| self.is_javascript()) {
            self.jsdoc_function(id, comment);
        }
        if place.bound && earlier.is_none() {
            self.bind(id, if kind == DefKind::Class { Namespace::Any } else { Namespace::Value });
        }
        if matches!(node.kind(), "function_declaration" | "generator_function_declaration" | "function_signature") {
            self.export_if_declared(id, path);
        }
        id
    }

    fn function_flags(&self, node: Node<'_>, place: &FunctionBinding<'_>, definition: &mut Definition) {
        let flags = &mut definition.flags;
        flags.is_static = place.is_static;
        flags.is_anonymous = place.anonymous;
        flags.is_test = place.is_test;
        flags.is_async = has_token(node, "async");
        flags.is_generator = matches!(node.kind(), "generator_function" | "generator_function_declaration")
            || (place.method && has_token(node, "*"));
        let getter = has_token(node, "get") || has_token(node, "set");
        flags.is_property = getter && matches!(node.kind(), "method_definition" | "method_signature");
        let in_interface =
            definition.owner.is_some_and(|owner| self.b.facts().definition(owner).kind == DefKind::Interface);
        flags.is_abstract = node.kind() == "abstract_method_signature" || in_interface;
        flags.is_optional = node.kind() == "method_signature" && has_token(node, "?");
        flags.is_declaration = !in_interface && matches!(node.kind(), "function_signature" | "method_signature");
        definition.visibility = self.visibility(node, &place.name);
    }

    pub(in crate::languages::typescript) fn visibility(&self, node: Node<'_>, name: &str) -> Visibility {
        if name.starts_with('#') {
            return Visibility::Private;
        }
        let mut cursor = node.walk();
        let word = node
            .children(&mut cursor)
            .take(4)
            .find(|child| child.kind() == "accessibility_modifier")
            .map_or("", |child| self.source.text(child));
        match word {
            "private" => Visibility::Private,
            "protected" => Visibility::Protected,
            _ => Visibility::Public,
        }
    }

    /// A function that is used with `new`: old-style JavaScript classes.
    fn is_constructor_function(&self, node: Node<'_>, place: &FunctionBinding<'_>) -> bool {
        let plain = matches!(node.kind(), "function_declaration" | "function_expression");
        if !plain || place.anonymous || place.method || !self.is_javascript() || has_token(node, "async") {
            return false;
        }
        if self.prototypes.contains(&*place.name) {
            return true;
        }
        place.name.starts_with(|first: char| first.is_ascii_uppercase())
            && node.child_by_field_name("body").is_some_and(|body| self.source.text(body).contains("this."))
    }

    /// Opens the scopes of an old-style class: its members, and its code as a nameless constructor.
    fn constructor_function<'tree>(&mut self, node: Node<'tree>, id: DefId, place: &FunctionBinding<'tree>) {
        if self.b.facts().definition(id).kind != DefKind::Class {
            return;
        }
        // The frame pushed for the function becomes the frame of the class.
        let outer = self.frames.pop().map_or(self.scope(), |frame| frame.scope);
        let members = self.b.scope(outer, ScopeKind::Class, Some(id));
        self.b.definition_mut(id).body = Some(members);
        let mut constructor = self.blank(DefKind::Function, "constructor", members, place.at, (node, None));
        constructor.owner = Some(id);
        constructor.flags.is_anonymous = true;
        constructor.flags.is_constructor = true;
        let constructor = self.b.definition(constructor);
        self.made.insert(node.id(), constructor);
        let name = self.b.name("constructor");
        self.b.bind(members, name, Namespace::Value, BindingTarget::Definition(constructor));
        let scope = self.b.scope(members, ScopeKind::Function, Some(constructor));
        self.b.definition_mut(constructor).body = Some(scope);
        self.push(node, FrameKind::Function, scope, Some(constructor));
        self.bind_own_name(node, id, scope);
        let frame = self.top();
        frame.this = This::Scope(scope);
        frame.enclosing = Some(id);
        frame.local = true;
    }

    pub(in crate::languages::typescript) fn leave_parameters<'tree>(
        &mut self,
        node: Node<'tree>,
        path: &[Step<'tree>],
    ) {
        let frame = self.frame();
        if path.last().is_none_or(|step| step.node.id() != frame.node) || frame.kind != FrameKind::Function {
            return;
        }
        let (Some(id), scope) = (frame.def, frame.scope) else { return };
        let mut parameters = Vec::new();
        let mut first = self.b.facts().definition(id).parameters == (0, 0);
        for child in children(node) {
            let pattern = child.child_by_field_name("pattern").unwrap_or(child);
            let typed = child.child_by_field_name("type");
            // `this: T` is a type for the body and no parameter of calls.
            if pattern.kind() == "this" {
                if let Some(of) = typed.and_then(|typed| self.exprs.get(typed)) {
                    let this = self.b.expr(Expr::Instance { of });
                    self.top().this = This::Expr(this);
                }
                continue;
            }
            if matches!(child.kind(), "decorator" | "ERROR") {
                continue;
            }
            let number = parameters.len() as u32;
            let parameter = self.parameter(child, pattern, id, scope, number);
            parameters.push(parameter);
        }
        let facts = self.b.facts();
        // In JavaScript, comments declare the types; they were read when the function was entered.
        let jsdoc = facts.parameters(id).to_vec();
        if jsdoc.iter().any(|parameter| parameter.declared.is_some()) && self.is_javascript() {
            for parameter in &mut parameters {
                let known = jsdoc.iter().find(|known| known.name == parameter.name);
                parameter.declared = parameter.declared.or(known.and_then(|known| known.declared));
            }
            first = true;
        }
        let has_body = path.last().is_some_and(|step| step.node.child_by_field_name("body").is_some());
        if first || has_body {
            self.b.parameters(id, &parameters);
        }
    }

    fn parameter<'tree>(
        &mut self,
        child: Node<'tree>,
        pattern: Node<'tree>,
        id: DefId,
        scope: ScopeId,
        number: u32,
    ) -> Parameter {
        let (mut pattern, mut default) = (pattern, self.field_expr(child, "value"));
        if pattern.kind() == "assignment_pattern" {
            default = self.field_expr(pattern, "right");
            pattern = pattern.child_by_field_name("left").unwrap_or(pattern);
        }
        let mut kind = ParameterKind::Plain;
        if pattern.kind() == "rest_pattern" {
            kind = ParameterKind::Rest;
            pattern = pattern.named_child(0).unwrap_or(pattern);
        }
        // `name?: T` may be left out, as if it had a default value.
        let is_optional = child.kind() == "optional_parameter";
        let typed = child.child_by_field_name("type");
        let value = typed.and_then(|typed| self.typeofs.get(typed));
        let declared = typed.and_then(|typed| self.exprs.get(typed)).filter(|_| value.is_none());
        let context = self.frame().context.get(number as usize).copied().filter(|_| typed.is_none());
        let default = value.or(default).or(context);
        if pattern.kind() != "identifier" {
            let source = match (declared, default) {
                (Some(of), _) => self.b.expr(Expr::Instance { of }),
                (None, Some(default)) => default,
                (None, None) => self.b.unknown(),
            };
            self.bind_pattern(pattern, source, scope);
            let default = default.or_else(|| is_optional.then(|| self.b.unknown()));
            return Parameter { name: self.b.name(""), kind, declared, default };
        }
        let text = self.source.text(pattern);
        let name = self.b.name(text);
        self.locals.insert((scope, name));
        let documented = self.b.facts().parameters(id).iter().any(|row| row.name == name && row.declared.is_some());
        let untyped = declared.is_none() && !documented && kind == ParameterKind::Plain;
        // A parameter without a written type has that of its default value.
        let target = match default.filter(|&default| untyped && !self.is_null(default)) {
            Some(value) => BindingTarget::Value(value),
            None => BindingTarget::Parameter(id, number),
        };
        self.b.bind(scope, name, Namespace::Value, target);
        let property = has_token(child, "accessibility_modifier") || has_token(child, "readonly");
        if property && let Some((class, members)) = self.class_around(scope) {
            let mut field = self.blank(DefKind::Field, text, members, pattern, (child, None));
            field.owner = Some(class);
            field.declared = declared;
            field.visibility = self.visibility(child, text);
            field.flags.is_local = false;
            let field = self.add(child, field);
            self.bind(field, Namespace::Value);
            let given = self.b.name_expr(text, scope);
            self.value(field, given);
        }
        let default = default.or_else(|| is_optional.then(|| self.b.unknown()));
        Parameter { name, kind, declared, default }
    }

    pub(in crate::languages::typescript) fn leave_type_parameter(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let bound = node.child_by_field_name("constraint").and_then(|constraint| self.exprs.get(constraint));
        let name = self.b.name(self.source.text(name));
        // The generics scope is directly below the frame of a function, is that of a class itself, or has no owner.
        let depth = self.frames.len() - 1;
        let generics = (0..=depth).rev().take(2).find(|&index| {
            let scope = self.frames[index].scope;
            self.b.facts().scopes[scope.index()].kind == ScopeKind::Generics
        });
        let Some(index) = generics else { return };
        let (scope, owner) = (self.frames[index].scope, self.frames[index].def);
        match owner {
            None => self.b.bind(scope, name, Namespace::Type, BindingTarget::Opaque),
            Some(owner) => {
                let parameters = &mut self.frames[index].type_parameters;
                parameters.push(TypeParameter { name, bound });
                let number = parameters.len() as u32 - 1;
                self.b.bind(scope, name, Namespace::Type, BindingTarget::TypeParameter(owner, number));
            }
        }
    }

    pub(in crate::languages::typescript) fn leave_type_parameters(&mut self) {
        let found = self.frames.iter().rev().take(2).find(|frame| !frame.type_parameters.is_empty());
        let Some((owner, all)) = found.and_then(|frame| frame.def.map(|def| (def, frame.type_parameters.clone())))
        else {
            return;
        };
        self.b.type_parameters(owner, &all);
    }

    pub(in crate::languages::typescript) fn leave_function(&mut self, node: Node<'_>) {
        let Some(&id) = self.made.get(&node.id()) else { return };
        let mut returned = std::mem::take(&mut self.top().values);
        if node.kind() == "arrow_function"
            && let Some(body) = node.child_by_field_name("body")
            && body.kind() != "statement_block"
            && let Some(value) = self.exprs.get(body)
        {
            returned.push(value);
        }
        returned.retain(|&value| value != self.b.unknown());
        self.values.entry(id).or_default().append(&mut returned);
        let result = node.child_by_field_name("return_type").or_else(|| node.child_by_field_name("type"));
        if let Some(result) = result {
            if let Some(value) = self.typeofs.get(result) {
                self.values.insert(id, vec![value]);
            } else if let Some(declared) = self.exprs.get(result) {
                self.declare_result(node, id, declared);
            }
        }
        let expr = match self.b.facts().definition(id).owner {
            Some(class) if self.b.facts().definition(class).body.is_some() && self.is_old_class(id) => {
                Expr::Definition(class)
            }
            _ => Expr::Definition(id),
        };
        let expr = self.b.expr(expr);
        self.exprs.set(node, expr);
    }

    /// Returns whether a definition is the nameless constructor of an old-style class.
    fn is_old_class(&self, id: DefId) -> bool {
        let flags = self.b.facts().definition(id).flags;
        flags.is_anonymous && flags.is_constructor
    }

    /// The written result type; of several overloads any may be meant.
    fn declare_result(&mut self, node: Node<'_>, id: DefId, declared: ExprId) {
        let known = self.b.facts().definition(id).declared;
        let from_code = known.filter(|_| !self.is_javascript());
        let has_body = node.child_by_field_name("body").is_some();
        let declared = match from_code {
            None => declared,
            // The implementation's own signature is hidden behind its overloads.
            Some(known) if has_body => known,
            Some(known) if self.b.facts().expr(known) == self.b.facts().expr(declared) => known,
            Some(known) => self.b.union(&[known, declared]),
        };
        self.b.definition_mut(id).declared = Some(declared);
    }

    pub(in crate::languages::typescript) fn leave_yield(&mut self, node: Node<'_>) {
        let Some(value) = node.named_child(0).and_then(|child| self.exprs.get(child)) else { return };
        let value = if has_token(node, "*") { self.b.expr(Expr::Element { base: value }) } else { value };
        let generator = self.frame().function;
        let is_generator =
            self.frames[generator].def.is_some_and(|id| self.b.facts().definition(id).flags.is_generator);
        if is_generator {
            self.frames[generator].values.push(value);
        }
    }

    fn jsdoc_function(&mut self, id: DefId, comment: &str) {
        let scope = self.scope();
        let tags = jsdoc::tags(comment);
        let mut parameters = Vec::new();
        for (name, written) in &tags.parameters {
            let declared = jsdoc::expr(&mut self.b, written, scope);
            let name = self.b.name(name);
            parameters.push(Parameter { name, kind: ParameterKind::Plain, declared, default: None });
        }
        if parameters.iter().any(|parameter| parameter.declared.is_some()) {
            self.b.parameters(id, &parameters);
        }
        if let Some(result) = tags.returns.and_then(|written| jsdoc::expr(&mut self.b, written, scope)) {
            self.b.definition_mut(id).declared = Some(result);
        }
    }
}

/// The statement a declaration is: itself, or the export or `declare` around it.
pub(in crate::languages::typescript) fn outer_statement<'tree>(node: Node<'tree>, path: &[Step<'tree>]) -> Node<'tree> {
    let mut whole = node;
    for step in path.iter().rev().take(2) {
        if !matches!(step.node.kind(), "export_statement" | "ambient_declaration") || has_token(step.node, "@") {
            break;
        }
        whole = step.node;
    }
    whole
}
