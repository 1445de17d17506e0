//! Functions, classes, lambdas, their parameters and decorators, and doc strings.

use tree_sitter::Node;

use super::state::{Extractor, FIELDS, Frame, FrameKind, KindName, is_conditional};
use crate::facts::{
    BindingTarget, DefId, DefKind, Definition, Expr, ExprId, NameId, Namespace, Parameter, ParameterKind, ScopeId,
    ScopeKind, TypeParameter, Visibility,
};
use crate::text;
use crate::walk::Step;

/// Decorators that make a method read like a field.
const PROPERTY_DECORATORS: [&str; 4] = ["property", "cached_property", "abstractproperty", "hybrid_property"];
/// Decorators that leave the body to heirs.
const ABSTRACT_DECORATORS: [&str; 4] =
    ["abstractmethod", "abstractproperty", "abstractclassmethod", "abstractstaticmethod"];
/// Methods that receive the class without being decorated.
const IMPLICIT_CLASS_METHODS: [&str; 3] = ["__new__", "__init_subclass__", "__class_getitem__"];
/// Base classes that make assigned names of the body members of an enumeration.
const ENUM_BASES: [&str; 6] = ["Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"];
/// Base class that makes a class an interface.
const PROTOCOL: &str = "Protocol";
/// Maximum children of a body searched for a doc string; comments may precede it.
const DOC_PROBE: usize = 16;

/// Effects of decorators on a function.
#[derive(Debug, Default)]
struct Decorators {
    exprs: Vec<ExprId>,
    is_property: bool,
    is_static: bool,
    is_classmethod: bool,
    is_abstract: bool,
    is_overload: bool,
    /// `setter`, `deleter`, `getter` of `@x.setter`.
    accessor: Option<&'static str>,
}

impl Extractor<'_> {
    /// Doc string of the file.
    pub(super) fn module_doc(&mut self, root: Node<'_>) {
        self.b.facts_mut().doc = self.doc_string(root);
    }

    /// Text of a body's first statement if that is a plain string.
    fn doc_string(&self, body: Node<'_>) -> Option<Box<str>> {
        let mut cursor = body.walk();
        let first = body.named_children(&mut cursor).take(DOC_PROBE).find(|node| node.kind_name() != "comment")?;
        let string = first.named_child(0).filter(|_| first.kind_name() == "expression_statement")?;
        if string.kind_name() != "string" {
            return None;
        }
        let mut cursor = string.walk();
        let content = string.named_children(&mut cursor).find(|node| node.kind_name() == "string_content")?;
        let text = text::clip(self.source.text(content), Definition::MAX_DOC * 2);
        let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
        let joined = lines.join("\n");
        let clipped = text::clip(&joined, Definition::MAX_DOC).trim_end();
        (!clipped.is_empty()).then(|| clipped.into())
    }

    /// The header of a function or class: up to the colon before its body.
    fn header(&self, node: Node<'_>) -> Option<Box<str>> {
        let mut cursor = node.walk();
        let colon = node.children(&mut cursor).filter(|child| child.kind_name() == ":").last();
        let end = colon.map_or(node.end_byte(), |colon| colon.start_byte());
        let text = self.source.text.get(node.start_byte()..end)?;
        text::signature(text::clip(text, Definition::MAX_SIGNATURE * 8))
    }

    pub(super) fn visibility(name: &str) -> Visibility {
        let is_special = name.starts_with("__") && name.ends_with("__") && name.len() > 4;
        if name.starts_with('_') && !is_special { Visibility::Private } else { Visibility::Public }
    }

    pub(super) fn is_local(&self) -> bool {
        self.frames.iter().any(|frame| frame.kind != FrameKind::Class)
    }

    /// A definition at `node` named by `name_node`, bound in the present scope.
    fn new_definition(&mut self, kind: DefKind, name: &str, name_node: Node<'_>, node: Node<'_>) -> Definition {
        let name_id = self.b.name(name);
        let pos = self.pos(name_node);
        let scope = self.scope();
        let mut definition = self.b.blank_definition(kind, name_id, scope, pos);
        definition.line_start = node.start_position().row as u32 + 1;
        definition.line_end = self.source.end_line(node);
        definition.bytes = (node.start_byte() as u32, node.end_byte() as u32);
        definition.visibility = Self::visibility(name);
        definition.flags.is_local = self.is_local();
        definition
    }

    fn decorators<'t>(&mut self, path: &[Step<'t>]) -> Decorators {
        let mut decorators = Decorators::default();
        let Some(decorated) = path.last().map(|step| step.node) else { return decorators };
        if decorated.kind_name() != "decorated_definition" {
            return decorators;
        }
        let mut cursor = decorated.walk();
        for decorator in decorated.named_children(&mut cursor).filter(|node| node.kind_name() == "decorator") {
            let Some(node) = decorator.named_child(0) else { continue };
            let expr = self.expr_of(Some(node));
            decorators.exprs.push(expr);
            if node.kind_name() == "call" {
                self.call_of_decorator(node, expr);
            }
            let callee = if node.kind_name() == "call" { node.child_by_field_id(FIELDS.function) } else { Some(node) };
            let word = callee.map_or("", |callee| super::state::last_word(self.source.text(callee)));
            decorators.is_property |= PROPERTY_DECORATORS.contains(&word);
            decorators.is_static |= matches!(word, "staticmethod" | "abstractstaticmethod");
            decorators.is_classmethod |= matches!(word, "classmethod" | "abstractclassmethod");
            decorators.is_abstract |= ABSTRACT_DECORATORS.contains(&word);
            decorators.is_overload |= word == "overload";
            if node.kind_name() == "attribute" {
                let accessors = ["setter", "deleter", "getter"];
                decorators.accessor = decorators.accessor.or(accessors.into_iter().find(|name| *name == word));
            }
        }
        decorators
    }

    /// A scope for type parameters around a definition's signature, if it has some.
    fn signature_scope(&mut self, node: Node<'_>) -> ScopeId {
        let scope = self.scope();
        if node.child_by_field_id(FIELDS.type_parameters).is_none() {
            return scope;
        }
        self.generics_scope(scope)
    }

    fn generics_scope(&mut self, around: ScopeId) -> ScopeId {
        let owner = self.b.facts().scopes[around.index()].owner;
        self.b.scope(around, ScopeKind::Generics, owner)
    }

    /// Type variables of `typing` that a definition without type parameters of its own has.
    fn type_variables(&mut self, kind: FrameKind, node: Node<'_>, receiver: Option<NameId>) -> Vec<NameId> {
        if node.child_by_field_id(FIELDS.type_parameters).is_some() {
            return Vec::new();
        }
        let mut names = match kind {
            FrameKind::Class => self.class_type_variables(node),
            FrameKind::Function => self.function_type_variables(node),
            FrameKind::Lambda => Vec::new(),
        };
        names.retain(|name| Some(*name) != receiver);
        names
    }

    pub(super) fn open_function<'t>(&mut self, node: Node<'t>, path: &[Step<'t>]) {
        let name_node = node.child_by_field_id(FIELDS.name).filter(|name| !self.source.text(*name).is_empty());
        let Some(name_node) = name_node else { return self.open_lambda(node) };
        let decorators = self.decorators(path);
        let plain = self.source.text(name_node);
        let accessor = decorators.accessor.filter(|accessor| *accessor != "getter");
        let name = accessor.map_or_else(|| plain.to_owned(), |accessor| format!("{plain}.{accessor}"));
        let mut definition = self.new_definition(DefKind::Function, &name, name_node, node);
        if let Some(decorated) = path.last().filter(|step| step.node.kind_name() == "decorated_definition") {
            definition.bytes.0 = decorated.node.start_byte() as u32;
        }
        let method_of = self.enclosing_class();
        let in_protocol = self.frames.last().is_some_and(|frame| frame.is_protocol);
        let is_declared = method_of.is_some() && in_protocol && is_stub(node);
        let is_class_method = decorators.is_classmethod || IMPLICIT_CLASS_METHODS.contains(&plain);
        let flags = &mut definition.flags;
        flags.is_static = decorators.is_static;
        flags.is_classmethod = method_of.is_some() && is_class_method;
        flags.is_abstract = decorators.is_abstract || is_declared;
        flags.is_property = decorators.is_property || decorators.accessor.is_some();
        flags.is_async = node.child(0).is_some_and(|child| child.kind_name() == "async");
        flags.is_constructor = method_of.is_some() && plain == "__init__";
        flags.is_test = plain.starts_with("test") && self.holds_tests(plain);
        flags.is_entry = flags.is_test;
        definition.doc = node.child_by_field_id(FIELDS.body).and_then(|body| self.doc_string(body));
        definition.signature = self.header(node);
        definition.decorators = self.b.list(&decorators.exprs);
        let (scope, name_id) = (definition.scope, definition.name);
        let id = self.b.definition(definition);
        if decorators.is_overload {
            self.overloads.entry((scope, name_id)).or_default().push(id);
        } else if accessor.is_none() {
            // The function itself is counted among the conditions already.
            self.note_firm(self.conditional <= 1);
            self.b.bind_definition(id, Namespace::Any);
        }
        let method_of = method_of.filter(|_| !decorators.is_static);
        self.open_frame(FrameKind::Function, id, node, method_of);
    }

    /// Returns whether a function of this name is a test in its context.
    fn holds_tests(&self, name: &str) -> bool {
        match self.frames.last() {
            None => name.starts_with("test_"),
            Some(frame) => frame.kind == FrameKind::Class && frame.is_test_class,
        }
    }

    /// The class whose body is the present scope.
    fn enclosing_class(&self) -> Option<DefId> {
        let scope = &self.b.facts().scopes[self.scope().index()];
        scope.owner.filter(|_| scope.kind == ScopeKind::Class)
    }

    /// Remembers that the binding about to be added happens whenever the code of its scope runs.
    pub(super) fn note_firm(&mut self, is_firm: bool) {
        if is_firm {
            self.firm.push(self.b.facts().bindings.len());
        }
    }

    fn open_frame(&mut self, kind: FrameKind, id: DefId, node: Node<'_>, method_of: Option<DefId>) {
        let receiver_variable = method_of.and_then(|_| self.receiver_type_variable(node));
        let type_variables = self.type_variables(kind, node, receiver_variable);
        // Annotations and defaults are read in the scope around, with the type parameters if there are any.
        let mut signature = self.signature_scope(node);
        if !type_variables.is_empty() {
            signature = self.generics_scope(signature);
            self.bind_type_variables(id, signature, &type_variables);
        }
        let scope_kind = if kind == FrameKind::Class { ScopeKind::Class } else { ScopeKind::Function };
        let body = self.b.scope(signature, scope_kind, Some(id));
        self.b.definition_mut(id).body = Some(body);
        self.frames.push(Frame {
            kind,
            definition: id,
            body,
            signature,
            parameters: Vec::new(),
            first: None,
            keeps_first: false,
            releasing: Vec::new(),
            receiver: None,
            returns: Vec::new(),
            yields: Vec::new(),
            is_enum: false,
            is_protocol: false,
            is_test_class: false,
            type_variables,
            receiver_variable,
            method_of,
            level: self.conditional,
        });
    }

    pub(super) fn open_lambda(&mut self, node: Node<'_>) {
        let mut definition = self.new_definition(DefKind::Function, "lambda", node, node);
        definition.flags.is_anonymous = true;
        definition.flags.is_local = true;
        let id = self.b.definition(definition);
        self.open_frame(FrameKind::Lambda, id, node, None);
    }

    pub(super) fn open_class<'t>(&mut self, node: Node<'t>, path: &[Step<'t>]) {
        let name_node =
            node.child_by_field_id(FIELDS.name).filter(|name| !self.source.text(*name).is_empty()).unwrap_or(node);
        let decorators = self.decorators(path);
        let name = if name_node == node { "class" } else { self.source.text(name_node) };
        let mut definition = self.new_definition(DefKind::Class, name, name_node, node);
        if let Some(decorated) = path.last().filter(|step| step.node.kind_name() == "decorated_definition") {
            definition.bytes.0 = decorated.node.start_byte() as u32;
        }
        definition.doc = node.child_by_field_id(FIELDS.body).and_then(|body| self.doc_string(body));
        definition.signature = self.header(node);
        definition.decorators = self.b.list(&decorators.exprs);
        let is_test_class = name.starts_with("Test");
        definition.flags.is_test = is_test_class;
        let id = self.b.definition(definition);
        self.note_firm(self.conditional == 0);
        self.b.bind_definition(id, Namespace::Any);
        self.open_frame(FrameKind::Class, id, node, None);
        let Some(frame) = self.frames.last_mut() else { return };
        frame.is_test_class = is_test_class;
        let body = frame.body;
        self.note_properties(node, body);
        self.note_no_types(node, body);
    }

    /// Remembers the properties of a class before its methods assign to them.
    fn note_properties(&mut self, class: Node<'_>, scope: ScopeId) {
        let Some(body) = class.child_by_field_id(FIELDS.body) else { return };
        let mut cursor = body.walk();
        for decorated in body.named_children(&mut cursor).filter(|node| node.kind_name() == "decorated_definition") {
            let name =
                decorated.child_by_field_id(FIELDS.definition).and_then(|inner| inner.child_by_field_id(FIELDS.name));
            let mut decorators = decorated.walk();
            let is_property = decorated.named_children(&mut decorators).any(|node| {
                let text = node.named_child(0).map_or("", |inner| self.source.text(inner));
                node.kind_name() == "decorator" && PROPERTY_DECORATORS.contains(&super::state::last_word(text))
            });
            if let Some(name) = name.filter(|_| is_property) {
                let name = self.b.name(self.source.text(name));
                self.properties.insert((scope, name));
            }
        }
    }

    /// Remembers the methods and bare fields of a class before its annotations are read, unless the class binds the
    /// name otherwise, too.
    fn note_no_types(&mut self, class: Node<'_>, scope: ScopeId) {
        let Some(body) = class.child_by_field_id(FIELDS.body) else { return };
        let mut bound: Vec<NameId> = Vec::new();
        let mut cursor = body.walk();
        for child in body.named_children(&mut cursor) {
            let inner =
                child.child_by_field_id(FIELDS.definition).filter(|_| child.kind_name() == "decorated_definition");
            let statement =
                inner.or_else(|| child.named_child(0).filter(|_| child.kind_name() == "expression_statement"));
            let statement = statement.unwrap_or(child);
            // A method hides a type of its name only below its definition; a bare field never hides one.
            let (name, from) = match statement.kind_name() {
                "function_definition" => (statement.child_by_field_id(FIELDS.name), Some(statement.end_byte())),
                "class_definition" => (statement.child_by_field_id(FIELDS.name), None),
                "assignment" if statement.child_by_field_id(FIELDS.right).is_none() => {
                    (statement.child_by_field_id(FIELDS.left), Some(usize::MAX))
                }
                "assignment" => (statement.child_by_field_id(FIELDS.left), None),
                _ => continue,
            };
            let Some(name) = name.filter(|name| name.kind_name() == "identifier") else { continue };
            let name = self.b.name(self.source.text(name));
            match from {
                Some(from) => {
                    let first = self.no_types.entry((scope, name)).or_insert(from);
                    *first = from.min(*first);
                }
                None => bound.push(name),
            }
        }
        // A class or value of that name may be the type that is meant.
        for name in bound {
            self.no_types.remove(&(scope, name));
        }
    }

    /// Bases of a class, once they have been read. Keyword arguments are no bases.
    pub(super) fn leave_superclasses(&mut self, arguments: Node<'_>) {
        let mut bases = Vec::new();
        let (mut is_enum, mut is_protocol, mut is_test) = (false, false, false);
        let mut cursor = arguments.walk();
        for argument in arguments.named_children(&mut cursor) {
            if matches!(argument.kind_name(), "keyword_argument" | "comment" | "dictionary_splat") {
                continue;
            }
            let word = super::state::last_word(self.source.text(argument));
            is_enum |= ENUM_BASES.contains(&word);
            is_protocol |= word.split('[').next() == Some(PROTOCOL);
            is_test |= word.ends_with("TestCase");
            if !super::generics::is_empty_base(self.source.text(argument)) {
                bases.push(self.expr_of(Some(argument)));
            }
        }
        let bases = self.b.list(&bases);
        let Some(frame) = self.frames.last_mut() else { return };
        (frame.is_enum, frame.is_protocol) = (is_enum, is_protocol);
        frame.is_test_class |= is_test;
        if is_test {
            self.test_cases.insert(frame.definition);
        }
        let (id, is_test) = (frame.definition, frame.is_test_class);
        let definition = self.b.definition_mut(id);
        definition.bases = bases;
        definition.flags.is_test = is_test;
        definition.flags.is_structural = is_protocol;
    }

    /// Notes the names of type parameters (`[T: Bound, *U]`) so that they are no references, and binds them.
    pub(super) fn type_parameter_names(&mut self, node: Node<'_>) {
        let mut names = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if let Some(name) = type_parameter_name(child) {
                self.defining.insert(name.id());
                names.push(self.b.name(self.source.text(name)));
            }
        }
        let Some(frame) = self.frames.last() else { return };
        let (id, scope) = (frame.definition, frame.signature);
        for (index, name) in names.into_iter().enumerate() {
            self.b.bind(scope, name, Namespace::Any, BindingTarget::TypeParameter(id, index as u32));
        }
    }

    /// Gives the definition its type parameters, once their bounds have been read.
    pub(super) fn leave_type_parameters(&mut self, node: Node<'_>) {
        let mut parameters = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let Some(name) = type_parameter_name(child) else { continue };
            let inner = child.named_child(0).filter(|inner| inner.kind_name() == "constrained_type");
            let bound = inner.and_then(|inner| self.exprs.get(inner.named_child(1)?));
            parameters.push(TypeParameter { name: self.b.name(self.source.text(name)), bound });
        }
        if let Some(frame) = self.frames.last() {
            self.b.type_parameters(frame.definition, &parameters);
        }
    }

    /// Parameters of a function or lambda, once their types and defaults have been read.
    pub(super) fn leave_parameters(&mut self, node: Node<'_>) {
        let Some(frame) = self.frames.last() else { return };
        let (id, body, method_of) = (frame.definition, frame.body, frame.method_of);
        let stands_for_class = frame.receiver_variable.is_some();
        let is_class_method = self.b.facts().definition(id).flags.is_classmethod;
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut only_named = false;
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let pattern = match child.kind_name() {
                "comment" | "positional_separator" => continue,
                "keyword_separator" => {
                    only_named = true;
                    continue;
                }
                "default_parameter" | "typed_default_parameter" => child.child_by_field_id(FIELDS.name),
                "typed_parameter" => child.named_child(0),
                _ => Some(child),
            };
            let mut kind = if only_named { ParameterKind::Keyword } else { ParameterKind::Plain };
            let name_node = match pattern {
                Some(pattern) if pattern.kind_name() == "list_splat_pattern" => {
                    only_named = true;
                    kind = ParameterKind::Rest;
                    pattern.named_child(0)
                }
                Some(pattern) if pattern.kind_name() == "dictionary_splat_pattern" => {
                    kind = ParameterKind::KeywordRest;
                    pattern.named_child(0)
                }
                pattern => pattern,
            };
            if parameters.is_empty() && kind == ParameterKind::Plain && method_of.is_some() {
                kind = if is_class_method { ParameterKind::ClassReceiver } else { ParameterKind::Receiver };
            }
            let text =
                name_node.filter(|node| node.kind_name() == "identifier").map_or("", |node| self.source.text(node));
            let declared = child.child_by_field_id(FIELDS.type_).and_then(|node| self.exprs.get(node));
            let declared = declared.filter(|_| !(parameters.is_empty() && stands_for_class));
            let default = child.child_by_field_id(FIELDS.value).and_then(|node| self.exprs.get(node));
            parameters.push(Parameter { name: self.b.name(text), kind, declared, default });
        }
        if self.b.facts().definition(id).parameters.1 > 0 {
            // A second list is that of a lambda too broken to be one.
            return;
        }
        self.b.parameters(id, &parameters);
        self.bind_parameters(id, body, &parameters);
        let names: Vec<NameId> = parameters.iter().map(|parameter| parameter.name).collect();
        let first = parameters
            .iter()
            .find(|parameter| !matches!(parameter.kind, ParameterKind::Receiver | ParameterKind::ClassReceiver));
        let first = first.filter(|first| first.kind == ParameterKind::Plain).map(|first| first.name);
        let is_receiver =
            |parameter: &&Parameter| matches!(parameter.kind, ParameterKind::Receiver | ParameterKind::ClassReceiver);
        let receiver = parameters.first().filter(is_receiver).map(|parameter| parameter.name);
        if let Some(frame) = self.frames.last_mut() {
            frame.parameters = names;
            frame.first = first;
            frame.receiver = receiver.zip(method_of);
        }
    }

    fn bind_parameters(&mut self, id: DefId, body: ScopeId, parameters: &[Parameter]) {
        for (index, parameter) in parameters.iter().enumerate() {
            self.b.bind(body, parameter.name, Namespace::Any, BindingTarget::Parameter(id, index as u32));
        }
    }

    /// Completes a function: returned or yielded values, and the declared result.
    pub(super) fn leave_function(&mut self, node: Node<'_>) {
        let Some(frame) = self.frames.pop() else { return };
        if frame.kind == FrameKind::Lambda {
            let value = self.expr_of(node.child_by_field_id(FIELDS.body));
            let values = self.b.list(&[value]);
            self.b.definition_mut(frame.definition).values = values;
            let expr = self.b.expr(Expr::Definition(frame.definition));
            self.exprs.set(node, expr);
            return;
        }
        let declared = node.child_by_field_id(FIELDS.return_type).and_then(|node| self.exprs.get(node));
        let is_generator = !frame.yields.is_empty();
        let values = self.b.list(if is_generator { &frame.yields } else { &frame.returns });
        let releases = frame.first.is_some() && !frame.keeps_first;
        let definition = self.b.definition_mut(frame.definition);
        definition.values = values;
        definition.declared = declared;
        definition.flags.is_generator = is_generator;
        definition.flags.releases_first = releases;
        let name = definition.name;
        if let Some(around) = self.frames.last_mut().filter(|_| releases) {
            around.releasing.push(name);
        }
    }

    /// `type X[T] = …`
    pub(super) fn open_type_alias(&mut self, node: Node<'_>) {
        let left = node.child_by_field_id(FIELDS.left).and_then(|left| left.named_child(0));
        let name_node =
            left.and_then(|left| if left.kind_name() == "generic_type" { left.named_child(0) } else { Some(left) });
        let Some(name_node) = name_node.filter(|node| node.kind_name() == "identifier") else { return };
        let mut definition = self.new_definition(DefKind::TypeAlias, self.source.text(name_node), name_node, node);
        let text = text::clip(self.source.text(node), Definition::MAX_SIGNATURE * 8);
        definition.signature = text::signature(text);
        let id = self.b.definition(definition);
        self.b.bind_definition(id, Namespace::Any);
        let scope = self.alias_scope(id, left);
        self.aliases.insert(node.id(), (id, scope));
    }

    /// The scope in which the target of an alias is resolved: with its type parameters, if it has any.
    fn alias_scope(&mut self, id: DefId, left: Option<Node<'_>>) -> ScopeId {
        let around = self.scope();
        let generic = left.filter(|left| left.kind_name() == "generic_type").and_then(|left| left.named_child(1));
        let Some(list) = generic else { return around };
        let mut cursor = list.walk();
        let names: Vec<Node<'_>> = list.named_children(&mut cursor).filter_map(type_parameter_name).collect();
        let names: Vec<NameId> = names.into_iter().map(|name| self.b.name(self.source.text(name))).collect();
        let scope = self.generics_scope(around);
        self.bind_type_variables(id, scope, &names);
        scope
    }

    pub(super) fn leave_type_alias(&mut self, node: Node<'_>) {
        let declared = node.child_by_field_id(FIELDS.right).and_then(|right| self.exprs.get(right));
        if let Some((id, _)) = self.aliases.remove(&node.id()) {
            self.b.definition_mut(id).declared = declared;
        }
    }

    /// Closes the condition opened by [`is_conditional`].
    pub(super) fn leave_condition(&mut self, node: Node<'_>) {
        if is_conditional(node.kind_name()) {
            self.conditional = self.conditional.saturating_sub(1);
        }
    }
}

/// Returns whether a function only says that others have it: its body is a doc string, `...`, `pass` or an exception.
fn is_stub(function: Node<'_>) -> bool {
    let Some(body) = function.child_by_field_id(FIELDS.body) else { return true };
    let mut cursor = body.walk();
    let mut statements = body.named_children(&mut cursor).filter(|node| node.kind_name() != "comment");
    statements.all(|statement| match statement.kind_name() {
        "pass_statement" | "raise_statement" => true,
        "expression_statement" => {
            statement.named_child(0).is_some_and(|inner| matches!(inner.kind_name(), "ellipsis" | "string"))
        }
        _ => false,
    })
}

/// The name node of one type parameter: `T`, `T: Bound`, `*T`, `**T`.
fn type_parameter_name(child: Node<'_>) -> Option<Node<'_>> {
    let inner = if child.kind_name() == "type" { child.named_child(0)? } else { child };
    let inner = match inner.kind_name() {
        "constrained_type" => inner.named_child(0)?,
        _ => inner,
    };
    let inner = if inner.kind_name() == "type" { inner.named_child(0)? } else { inner };
    let inner = if inner.kind_name() == "splat_type" { inner.named_child(0)? } else { inner };
    (inner.kind_name() == "identifier").then_some(inner)
}
