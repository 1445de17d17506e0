//! Items: functions, types, traits, impl blocks, modules, constants and macros, with their scopes.

use tree_sitter::Node;

use super::Extractor;
use super::KindName;
use super::attributes::Pending;
use super::environment::{GenericParameter, Space};
use super::expansions::WrittenMacro;
use super::macro_rules;
use crate::facts::{
    BindingTarget, DefId, DefKind, Definition, Expr, ExprId, Literal, NameId, Namespace, Parameter, ParameterKind,
    ScopeId, ScopeKind, TypeParameter, Visibility,
};
use crate::text;
use crate::walk::Step;

/// Meaning of an item's node kind.
struct ItemKind {
    kind: DefKind,
    namespace: Namespace,
    /// Scope of its body, if it has one.
    body: Option<ScopeKind>,
}

fn item_kind(node: &str) -> Option<ItemKind> {
    let (kind, namespace, body) = match node {
        "function_item" | "function_signature_item" => (DefKind::Function, Namespace::Value, Some(ScopeKind::Function)),
        "struct_item" => (DefKind::Struct, Namespace::Type, Some(ScopeKind::Class)),
        "union_item" => (DefKind::Union, Namespace::Type, Some(ScopeKind::Class)),
        "enum_item" => (DefKind::Enum, Namespace::Type, Some(ScopeKind::Class)),
        "enum_variant" => (DefKind::Variant, Namespace::Any, Some(ScopeKind::Class)),
        "trait_item" => (DefKind::Trait, Namespace::Type, Some(ScopeKind::Class)),
        "impl_item" => (DefKind::Impl, Namespace::Type, Some(ScopeKind::Class)),
        "mod_item" => (DefKind::Module, Namespace::Type, Some(ScopeKind::Module)),
        "type_item" | "associated_type" => (DefKind::TypeAlias, Namespace::Type, None),
        "const_item" | "static_item" => (DefKind::Constant, Namespace::Value, None),
        "field_declaration" => (DefKind::Field, Namespace::Value, None),
        _ => return None,
    };
    Some(ItemKind { kind, namespace, body })
}

impl Extractor<'_> {
    /// Adds the node's definition and opens its scopes.
    pub(super) fn enter_item(&mut self, step: Step<'_>, path: &[Step<'_>]) {
        let node = step.node;
        match node.kind_name() {
            "closure_expression" => return self.closure(node, path),
            "type_parameters" => return self.enter_type_parameters(node, path),
            "ordered_field_declaration_list" => return self.tuple_fields(node),
            "mod_item" if node.child_by_field_name("body").is_none() => {
                // Comments and attributes in front of an item belong to it.
                let pending = self.take_pending();
                return self.file_module(node, &pending);
            }
            _ => {}
        }
        let Some(item) = item_kind(node.kind_name()) else { return };
        let pending = self.take_pending();
        let Some(def) = self.define(node, &item, &pending) else { return };
        self.decorate(def, &pending);
        self.open(node).def = Some(def);
        if self.at.in_function {
            self.hide_locals();
        }
        self.at.enclosing = Some(def);
        self.at.in_block = false;
        self.at.is_test |= pending.is_test;
        self.at.is_conditional |= pending.is_conditional;
        // Type parameters, then the body: each is a scope within the one before.
        let mut scope = self.at.items;
        if node.child_by_field_name("type_parameters").is_some() {
            scope = self.builder.scope(scope, ScopeKind::Generics, Some(def));
            if let Some(frame) = self.frames.last_mut() {
                frame.generics_scope = Some(scope);
            }
        }
        if let Some(kind) = item.body {
            scope = self.builder.scope(scope, kind, Some(def));
            self.builder.definition_mut(def).body = Some(scope);
        }
        self.at.in_function = item.kind == DefKind::Function;
        self.at.is_local |= self.at.in_function;
        if let Some(frame) = self.frames.last_mut() {
            frame.is_function = item.kind == DefKind::Function;
            frame.of_trait = item.kind == DefKind::Impl && node.child_by_field_name("trait").is_some();
        }
        self.at.scope = scope;
        if item.body.is_some() {
            self.at.items = scope;
        }
    }

    /// The definition of an item, bound to its name.
    fn define(&mut self, node: Node<'_>, item: &ItemKind, pending: &Pending) -> Option<DefId> {
        if self.builder.full() {
            return None;
        }
        let name_node = match item.kind {
            DefKind::Impl => node.child_by_field_name("type"),
            _ => node.child_by_field_name("name"),
        }?;
        let name = match item.kind {
            DefKind::Impl => self.impl_name(node),
            _ => self.builder.name(self.ident(name_node)),
        };
        let pos = self.pos(name_node);
        let mut definition = self.builder.blank_definition(item.kind, name, self.at.items, pos);
        definition.line_start = node.start_position().row as u32 + 1;
        definition.line_end = self.source.end_line(node);
        definition.bytes = (node.start_byte() as u32, node.end_byte() as u32);
        definition.visibility = self.member_visibility(node, &definition);
        definition.doc = pending.doc();
        definition.signature = self.header(node);
        self.set_flags(node, &mut definition, pending);
        let def = self.builder.definition(definition);
        if item.kind != DefKind::Impl {
            let unit_or_tuple = node.kind_name() == "struct_item"
                && node
                    .child_by_field_name("body")
                    .is_none_or(|body| body.kind_name() == "ordered_field_declaration_list");
            let namespace = if unit_or_tuple { Namespace::Any } else { item.namespace };
            self.builder.bind_definition(def, namespace);
        }
        Some(def)
    }

    fn set_flags(&self, node: Node<'_>, definition: &mut Definition, pending: &Pending) {
        let flags = &mut definition.flags;
        flags.is_local = self.at.is_local;
        flags.is_test = self.at.is_test || pending.is_test;
        flags.is_entry = pending.is_entry;
        flags.is_conditional = self.at.is_conditional || pending.is_conditional;
        flags.is_exported = definition.visibility == Visibility::Public;
        let owner = definition.owner.map(|owner| self.builder.facts().definition(owner).kind);
        let in_type = matches!(owner, Some(DefKind::Trait | DefKind::Impl));
        match node.kind_name() {
            "function_item" | "function_signature_item" => {
                let modifiers = node.child(0).into_iter().chain(node.child(1));
                let mut modifiers = modifiers.filter(|child| child.kind_name() == "function_modifiers");
                flags.is_async = modifiers.any(|text| self.source.text(text).split_whitespace().any(|w| w == "async"));
                // A macro may give a body to what has none among its arguments.
                let has_body = node.kind_name() == "function_item" || self.macros.in_arguments();
                flags.is_abstract = in_type && !has_body;
                flags.is_declaration = node.kind_name() == "function_signature_item" && !in_type;
                flags.is_static = in_type && !self.has_receiver(node);
            }
            "const_item" => {
                flags.is_static = in_type;
                flags.is_abstract = in_type && node.child_by_field_name("value").is_none();
            }
            "associated_type" => flags.is_abstract = true,
            _ => {}
        }
    }

    fn has_receiver(&self, function: Node<'_>) -> bool {
        let first =
            function.child_by_field_name("parameters").and_then(|list| super::children(list).into_iter().next());
        first.is_some_and(|first| {
            first.kind_name() == "self_parameter"
                || first.child_by_field_name("pattern").is_some_and(|pattern| pattern.kind_name() == "self")
        })
    }

    /// `pub` and its restricted forms.
    pub(super) fn visibility(&self, node: Node<'_>) -> Visibility {
        let modifier = node.child(0).filter(|first| first.kind_name() == "visibility_modifier");
        match modifier.map(|modifier| self.source.text(modifier)) {
            None => Visibility::Private,
            Some("pub") => Visibility::Public,
            Some(text) if text.replace(' ', "") == "pub(self)" => Visibility::Private,
            Some(_) => Visibility::Package,
        }
    }

    /// Visibility, with that of the trait or enum for members that cannot have their own.
    fn member_visibility(&self, node: Node<'_>, definition: &Definition) -> Visibility {
        let own = self.visibility(node);
        if own != Visibility::Private {
            return own;
        }
        let Some(owner) = definition.owner.map(|owner| self.builder.facts().definition(owner)) else { return own };
        match (owner.kind, definition.kind) {
            (DefKind::Trait, _) | (_, DefKind::Variant) | (DefKind::Variant, _) => Visibility::Public,
            (DefKind::Impl, _) if self.frames.last().is_some_and(|frame| frame.of_trait) => Visibility::Public,
            _ => own,
        }
    }

    /// `Display for Pool`, `Iter<'_, T>`: the header without `impl`, its own parameters and its `where` clause.
    fn impl_name(&mut self, node: Node<'_>) -> NameId {
        let mut name = String::new();
        if let Some(written) = node.child_by_field_name("trait") {
            name.push_str(self.source.text(written));
            name.push_str(" for ");
        }
        name.push_str(node.child_by_field_name("type").map_or("", |of| self.source.text(of)));
        let name = text::signature(&name).unwrap_or_default();
        self.builder.name(&name)
    }

    /// The item up to its body, on one line.
    fn header(&self, node: Node<'_>) -> Option<Box<str>> {
        let body = node.child_by_field_name("body").filter(|body| body.kind_name() != "ordered_field_declaration_list");
        let end = match node.kind_name() {
            "const_item" | "static_item" => node.child_by_field_name("value").map(|value| value.start_byte()),
            _ => body.map(|body| body.start_byte()),
        };
        let written = self.source.text.get(node.start_byte()..end.unwrap_or_else(|| node.end_byte()))?;
        text::signature(written.trim_end().trim_end_matches([';', '=', ',']))
    }

    /// Adds what only the children of an item determine, and closes its scopes.
    pub(super) fn leave_item(&mut self, step: Step<'_>, path: &[Step<'_>]) {
        let node = step.node;
        match node.kind_name() {
            "type_parameters" => return self.leave_type_parameters(node, path),
            "where_predicate" => return self.where_predicate(node),
            "parameters" => return self.parameters(node, path),
            "ordered_field_declaration_list" => return self.tuple_field_types(node),
            "closure_expression" => return self.end_closure(node),
            "declaration_list" | "field_declaration_list" | "enum_variant_list" | "source_file" => {
                self.pending = Pending::default();
                return;
            }
            kind if item_kind(kind).is_none() => return,
            _ => {}
        }
        let declared = self.find_declared(node);
        let bounds = self.supertraits(node);
        let target = self.exprs_of(&[node.child_by_field_name("trait")]);
        let values = self.exprs_of(&[node.child_by_field_name("value")]);
        let extends = (node.kind_name() == "impl_item").then(|| self.field_expr(node, "type"));
        // Read before the frame is closed: the types are written within its scopes.
        let Some(frame) = self.close(node) else { return };
        let Some(def) = frame.def else { return };
        let parameters: Vec<TypeParameter> = frame
            .generics
            .iter()
            .map(|parameter| {
                let bound = (!parameter.bounds.is_empty()).then(|| self.builder.union(&parameter.bounds));
                TypeParameter { name: parameter.name, bound }
            })
            .collect();
        if !parameters.is_empty() {
            self.builder.type_parameters(def, &parameters);
        }
        let bases = self.builder.list(&bounds);
        let implements = self.builder.list(&target);
        let values = self.builder.list(&values);
        let definition = self.builder.definition_mut(def);
        definition.declared = declared;
        definition.bases = bases;
        definition.implements = implements;
        definition.values = values;
        definition.extends_type = extends;
        if definition.doc.is_none() {
            definition.doc = text::doc(&frame.doc);
        }
    }

    /// The written type: of a function its result, which is the unit type if none is written.
    fn find_declared(&mut self, node: Node<'_>) -> Option<ExprId> {
        let written = |field| node.child_by_field_name(field).and_then(|of| self.exprs.get(of));
        match node.kind_name() {
            "function_item" | "function_signature_item" => {
                let result = match node.child_by_field_name("return_type") {
                    Some(_) => written("return_type"),
                    None => Some(self.builder.expr(Expr::Literal(Literal::Null))),
                };
                Some(result.unwrap_or_else(|| self.builder.unknown()))
            }
            "type_item" | "const_item" | "static_item" | "field_declaration" => written("type"),
            "associated_type" => {
                let bounds = self.bounds(node.child_by_field_name("bounds"));
                (!bounds.is_empty()).then(|| self.builder.union(&bounds))
            }
            _ => None,
        }
    }

    fn supertraits(&self, node: Node<'_>) -> Vec<ExprId> {
        if node.kind_name() != "trait_item" {
            return Vec::new();
        }
        self.bounds(node.child_by_field_name("bounds"))
    }

    fn exprs_of(&self, nodes: &[Option<Node<'_>>]) -> Vec<ExprId> {
        nodes.iter().filter_map(|node| node.and_then(|node| self.exprs.get(node))).collect()
    }

    /// The traits of a list of bounds; lifetimes and `?Sized` are none.
    pub(super) fn bounds(&self, list: Option<Node<'_>>) -> Vec<ExprId> {
        let Some(list) = list else { return Vec::new() };
        super::children(list).into_iter().filter_map(|bound| self.exprs.get(bound)).collect()
    }

    /// Binds the type parameters of the item around before anything names them.
    fn enter_type_parameters(&mut self, node: Node<'_>, path: &[Step<'_>]) {
        let Some(frame) = self.frames.last() else { return };
        let of_item = path.last().is_some_and(|parent| item_kind(parent.node.kind_name()).is_some());
        let (Some(def), Some(scope), true) = (frame.def, frame.generics_scope, of_item) else { return };
        for parameter in super::children(node) {
            let Some(name) = parameter.child_by_field_name("name") else { continue };
            let name = self.builder.name(self.ident(name));
            match parameter.kind_name() {
                "type_parameter" => {
                    let Some(frame) = self.frames.last_mut() else { return };
                    let index = frame.generics.len() as u32;
                    frame.generics.push(GenericParameter { name, bounds: Vec::new() });
                    self.builder.bind(scope, name, Namespace::Type, BindingTarget::TypeParameter(def, index));
                    self.environment.set(Space::Type, name, true);
                }
                "const_parameter" => {
                    self.builder.bind(scope, name, Namespace::Value, BindingTarget::Opaque);
                    self.environment.set(Space::Value, name, true);
                    self.environment.set(Space::Type, name, true);
                }
                _ => {}
            }
        }
    }

    fn leave_type_parameters(&mut self, node: Node<'_>, path: &[Step<'_>]) {
        self.pending = Pending::default();
        if path.last().is_none_or(|parent| item_kind(parent.node.kind_name()).is_none()) {
            return;
        }
        let parameters =
            super::children(node).into_iter().filter(|parameter| parameter.kind_name() == "type_parameter");
        let bounds: Vec<Vec<ExprId>> =
            parameters.map(|parameter| self.bounds(parameter.child_by_field_name("bounds"))).collect();
        let Some(frame) = self.frames.last_mut() else { return };
        for (parameter, bounds) in frame.generics.iter_mut().zip(bounds) {
            parameter.bounds.extend(bounds);
        }
    }

    /// `T: Bound` where `T` is a parameter of the item around.
    fn where_predicate(&mut self, node: Node<'_>) {
        let Some(left) = node.child_by_field_name("left").filter(|left| left.kind_name() == "type_identifier") else {
            return;
        };
        let name = self.builder.name(self.ident(left));
        let bounds = self.bounds(node.child_by_field_name("bounds"));
        let Some(frame) = self.frames.last_mut() else { return };
        if let Some(parameter) = frame.generics.iter_mut().find(|parameter| parameter.name == name) {
            parameter.bounds.extend(bounds);
        }
    }

    /// Parameters of a function: bound before its body is entered.
    fn parameters(&mut self, node: Node<'_>, path: &[Step<'_>]) {
        let parent = path.last().map_or("", |parent| parent.node.kind_name());
        if !matches!(parent, "function_item" | "function_signature_item") {
            return;
        }
        self.pending = Pending::default();
        let Some(def) = self.frames.last().and_then(|frame| frame.def) else { return };
        let scope = self.at.scope;
        let mut parameters = Vec::new();
        for child in super::children(node) {
            let (pattern, kind) = match child.kind_name() {
                "self_parameter" => (None, ParameterKind::Receiver),
                "parameter" => match child.child_by_field_name("pattern") {
                    Some(pattern) if pattern.kind_name() == "self" => (None, ParameterKind::Receiver),
                    pattern => (pattern, ParameterKind::Plain),
                },
                "variadic_parameter" => (child.child_by_field_name("pattern"), ParameterKind::Rest),
                "attribute_item" => continue,
                _ => (None, ParameterKind::Plain),
            };
            let declared = child.child_by_field_name("type").and_then(|of| self.exprs.get(of));
            self.parameter(def, scope, &mut parameters, pattern, kind, declared);
        }
        self.builder.parameters(def, &parameters);
    }

    /// One parameter. A pattern is bound by way of a name that no source can hold.
    pub(super) fn parameter(
        &mut self,
        def: DefId,
        scope: ScopeId,
        parameters: &mut Vec<Parameter>,
        pattern: Option<Node<'_>>,
        kind: ParameterKind,
        declared: Option<ExprId>,
    ) {
        let index = parameters.len() as u32;
        let simple = pattern.and_then(plain_name);
        let name = match (kind, simple) {
            (ParameterKind::Receiver, _) => self.builder.name("self"),
            (_, Some(name)) => self.builder.name(self.ident(name)),
            (_, None) if pattern.is_some() => self.builder.name(&format!("#{index}")),
            (_, None) => self.builder.name(""),
        };
        parameters.push(Parameter { name, kind, declared, default: None });
        if pattern.is_none() && kind != ParameterKind::Receiver {
            return;
        }
        self.builder.bind(scope, name, Namespace::Value, BindingTarget::Parameter(def, index));
        self.environment.set(Space::Value, name, true);
        if let (Some(pattern), None) = (pattern, simple) {
            let subject = self.builder.expr(Expr::Name { name, scope });
            self.bind_pattern(pattern, subject, scope);
        }
    }

    /// Fields of a tuple struct or tuple variant: named `0`, `1`, ….
    fn tuple_fields(&mut self, node: Node<'_>) {
        let mut index = 0;
        let mut visibility = Visibility::Private;
        let of_variant =
            self.at.enclosing.is_some_and(|def| self.builder.facts().definition(def).kind == DefKind::Variant);
        for child in super::children(node) {
            match child.kind_name() {
                "visibility_modifier" => {
                    let public = self.source.text(child) == "pub";
                    visibility = if public { Visibility::Public } else { Visibility::Package };
                    continue;
                }
                "attribute_item" => continue,
                _ if self.builder.full() => return,
                _ => {}
            }
            let name = self.builder.name(&index.to_string());
            let pos = self.pos(child);
            let mut field = self.builder.blank_definition(DefKind::Field, name, self.at.items, pos);
            field.line_end = self.source.end_line(child);
            field.bytes = (child.start_byte() as u32, child.end_byte() as u32);
            field.visibility = if of_variant { Visibility::Public } else { visibility };
            field.flags.is_test = self.at.is_test;
            field.signature = text::signature(self.source.text(child));
            let field = self.builder.definition(field);
            self.builder.bind_definition(field, Namespace::Value);
            index += 1;
            visibility = Visibility::Private;
        }
    }

    /// Types of the fields that [`Extractor::tuple_fields`] defined.
    fn tuple_field_types(&mut self, node: Node<'_>) {
        self.pending = Pending::default();
        let Some(owner) = self.at.enclosing else { return };
        let types = super::children(node)
            .into_iter()
            .filter(|child| !matches!(child.kind_name(), "visibility_modifier" | "attribute_item"))
            .map(|child| self.exprs.get(child));
        let types: Vec<Option<ExprId>> = types.collect();
        let first = owner.index() + 1;
        let definitions = &mut self.builder.facts_mut().definitions;
        for (definition, declared) in definitions.iter_mut().skip(first).zip(types) {
            if definition.kind == DefKind::Field && definition.owner == Some(owner) {
                definition.declared = declared;
            }
        }
    }

    /// `macro_rules! name { … }`. Its rules are not code yet: they are only searched for names.
    pub(super) fn macro_definition(&mut self, node: Node<'_>) {
        let pending = self.take_pending();
        let Some(name_node) = node.child_by_field_name("name") else { return };
        if self.builder.full() {
            return;
        }
        let name = self.builder.name(self.ident(name_node));
        let pos = self.pos(name_node);
        let mut definition = self.builder.blank_definition(DefKind::Macro, name, self.at.items, pos);
        definition.line_start = node.start_position().row as u32 + 1;
        definition.line_end = self.source.end_line(node);
        definition.bytes = (node.start_byte() as u32, node.end_byte() as u32);
        definition.visibility = if pending.is_exported { Visibility::Public } else { Visibility::Package };
        definition.flags.is_exported = pending.is_exported;
        definition.flags.is_local = self.at.is_local;
        definition.flags.is_test = self.at.is_test;
        definition.doc = pending.doc();
        definition.signature = self.source.text.get(node.start_byte()..name_node.end_byte()).and_then(text::signature);
        let rules = macro_rules::rules(self.source, node);
        let known = macro_rules::summarize(&rules, self.ident(name_node));
        definition.flags.names_function = known.names_function;
        definition.flags.names_test = known.names_test;
        definition.flags.takes_code = known.takes_code;
        let def = self.builder.definition(definition);
        let words: Vec<Parameter> = known.words.iter().map(|word| self.leading_word(word)).collect();
        self.builder.parameters(def, &words);
        self.builder.bind_definition(def, Namespace::Macro);
        self.decorate(def, &pending);
        self.transcribers(node, def);
        let is_conditional = self.at.is_conditional || pending.is_conditional;
        self.macros.rules.push(WrittenMacro { name, scope: self.at.items, is_conditional, rules });
    }

    fn leading_word(&mut self, word: &str) -> Parameter {
        let name = self.builder.name(word);
        Parameter { name, kind: ParameterKind::Keyword, declared: None, default: None }
    }

    /// The definition that a macro invoked among items creates if it defines a function named by its first argument.
    pub(super) fn define_generated(&mut self, node: Node<'_>, arguments: Node<'_>, pending: &Pending) -> Option<DefId> {
        let name_node = macro_rules::first_word(arguments)?;
        if self.builder.full() {
            return None;
        }
        let name = self.builder.name(self.ident(name_node));
        let pos = self.pos(name_node);
        let mut definition = self.builder.blank_definition(DefKind::Function, name, self.at.items, pos);
        definition.line_start = node.start_position().row as u32 + 1;
        definition.line_end = self.source.end_line(node);
        definition.bytes = (node.start_byte() as u32, node.end_byte() as u32);
        definition.visibility = Visibility::Private;
        definition.flags.is_generated = true;
        definition.flags.is_local = self.at.is_local;
        definition.flags.is_test = self.at.is_test || pending.is_test;
        definition.flags.is_entry = pending.is_entry;
        definition.doc = pending.doc();
        definition.signature = self.source.text.get(node.start_byte()..name_node.end_byte()).and_then(text::signature);
        Some(self.builder.definition(definition))
    }
}

/// The name of a pattern that only binds one, `mut` and `ref` included.
pub(super) fn plain_name(mut pattern: Node<'_>) -> Option<Node<'_>> {
    // Nesting of `mut` and `ref` is two deep at most in valid code.
    for _ in 0..3 {
        match pattern.kind_name() {
            "identifier" => return Some(pattern),
            "mut_pattern" | "ref_pattern" => {
                let last = pattern.named_child_count().checked_sub(1)?;
                pattern = pattern.named_child(last as u32)?;
            }
            _ => return None,
        }
    }
    None
}
