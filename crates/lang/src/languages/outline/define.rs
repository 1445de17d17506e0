//! Definitions and their scopes.

use tree_sitter::Node;

use super::draft::Draft;
use super::rules::{Define, NoBody};
use super::{Mark, Outline};
use crate::facts::{
    BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, Namespace, Parameter, ParameterKind, ScopeId, ScopeKind,
    TypeParameter, Visibility,
};

/// A definition whose nodes are being visited.
#[derive(Debug)]
pub(crate) struct Frame {
    /// The definition.
    pub(crate) id: DefId,
    /// Scope around its header, where type parameters are known.
    pub(crate) header: ScopeId,
    /// Scope of its body.
    pub(crate) body: ScopeId,
    pub(crate) params: Vec<Parameter>,
    pub(crate) type_params: Vec<TypeParameter>,
    pub(crate) bases: Vec<ExprId>,
    pub(crate) implements: Vec<ExprId>,
    pub(crate) values: Vec<ExprId>,
    /// Its members are only known through its name (scoped enums).
    pub(crate) scoped_members: bool,
    /// Its functions belong to the class itself (Ruby `class << self`).
    pub(crate) static_members: bool,
    /// Visibility of what follows (C++ and Ruby sections).
    pub(crate) section: Option<Visibility>,
    /// Where the comment before it stands, in languages that write types in comments.
    pub(crate) comment: Option<(usize, usize)>,
    result: Option<usize>,
    extends: Option<usize>,
    body_node: Option<usize>,
    /// It is a function.
    pub(crate) is_function: bool,
}

/// Values kept of one definition.
const MAX_VALUES: usize = 32;

impl Outline<'_> {
    /// Enters a definition by its shape.
    pub(crate) fn open_define<'t>(&mut self, define: &Define, node: Node<'t>, parent: Option<Node<'t>>) {
        let name_node = define.name.get(node, parent);
        let name = name_node.map(|name| self.name_text(name).to_owned());
        self.open_with(define, node, parent, name_node, name);
    }

    /// Enters a definition whose name stands elsewhere.
    pub(crate) fn open_named<'t>(
        &mut self,
        define: &Define,
        node: Node<'t>,
        parent: Option<Node<'t>>,
        name_node: Node<'t>,
        name: String,
    ) -> Option<DefId> {
        self.open_with(define, node, parent, Some(name_node), Some(name))
    }

    fn open_with<'t>(
        &mut self,
        define: &Define,
        node: Node<'t>,
        parent: Option<Node<'t>>,
        name_node: Option<Node<'t>>,
        name: Option<String>,
    ) -> Option<DefId> {
        // A name behind the node (`typedef struct { } T`) widens the definition to what holds both.
        let elsewhere = name_node.is_some_and(|name| name.start_byte() > node.end_byte());
        let extent = parent.filter(|_| elsewhere).unwrap_or_else(|| self.extent(node, parent));
        let mut draft = Draft {
            kind: define.kind,
            name,
            name_node,
            extent,
            params: define.params.get(node, parent),
            body: define.body.get(node, parent),
            result: define.result.get(node, parent),
            extends: None,
            bound: !define.anonymous,
            is_outside: false,
            visit_name: false,
            visibility: Visibility::Public,
            flags: Default::default(),
            words: Vec::new(),
            no_body: define.no_body,
        };
        let name_at = name_node.map_or(node.start_byte(), |name| name.start_byte());
        draft.words = self.words_before(self.header_start(extent).start_byte(), name_at);
        draft.flags = self.word_flags(&draft.words);
        draft.flags.is_constructor = define.constructor;
        draft.flags.is_anonymous = define.anonymous;
        draft.visibility = self.visibility(&draft.words, draft.name.as_deref().unwrap_or(""));
        // Last, what only the language knows.
        (self.grammar.adjust)(self, node, parent, &mut draft);
        self.open(node, draft)
    }

    /// Enters a definition.
    pub(crate) fn open(&mut self, node: Node<'_>, draft: Draft<'_, '_>) -> Option<DefId> {
        let is_macro = draft.kind == DefKind::Macro;
        let is_name = |name: &&str| !name.trim().is_empty() && (is_macro || !self.grammar.reserved.contains(name));
        let name = draft.name.as_deref().filter(is_name);
        // A keyword as a name is an error of the parser.
        if name.is_none() && !draft.flags.is_anonymous {
            return None;
        }
        let name_id = self.builder.name(name.map_or("", |name| crate::text::clip(name, 200)));
        let at = draft.name_node.unwrap_or_else(|| self.header_start(node));
        let outer = if draft.is_outside { self.scope_outside_of_classes() } else { self.scope() };
        let mut definition = self.builder.blank_definition(draft.kind, name_id, outer, self.source.pos(at));
        let header_end = draft.body.map_or(draft.extent.end_byte(), |body| body.start_byte());
        self.place(&mut definition, draft.extent, header_end);
        definition.visibility = draft.visibility;
        definition.flags = draft.flags;
        if draft.body.is_none() && draft.kind == DefKind::Function {
            definition.flags.is_abstract |= draft.no_body == NoBody::Abstract;
            definition.flags.is_declaration |= draft.no_body == NoBody::Declaration;
        }
        let id = self.builder.definition(definition);
        // Bound before its scopes are opened: the name belongs to the scope around it.
        if draft.bound && !draft.flags.is_anonymous {
            let namespace = self.namespace(draft.kind);
            self.builder.bind_definition(id, namespace);
        }
        let frame = self.scopes_of(id, node, &draft);
        let function = frame.is_function;
        if let Some(state) = self.stack.last_mut() {
            state.frame = true;
            state.scope = if function { frame.body } else { frame.header };
            if !draft.flags.is_anonymous {
                state.enclosing = Some(id);
            }
        }
        self.frames.push(frame);
        // The parts are visited later, each with the meaning that it has here.
        if let Some(name) = draft.name_node
            && !draft.visit_name
        {
            self.mark(name, Mark::Skip);
        }
        if let Some(params) = draft.params {
            self.mark(params, Mark::Params);
        }
        if let Some(result) = draft.result {
            self.marks.entry(result.id()).or_insert(Mark::Type);
        }
        if let Some(body) = draft.body {
            self.mark(body, Mark::Body);
        }
        Some(id)
    }

    fn scopes_of(&mut self, id: DefId, node: Node<'_>, draft: &Draft<'_, '_>) -> Frame {
        let outer = self.scope();
        let owner = self.builder.facts().definition(id).owner;
        let has_generics = {
            let mut cursor = node.walk();
            let kinds = self.grammar.type_parameters;
            !kinds.is_empty() && node.named_children(&mut cursor).take(12).any(|child| kinds.contains(&child.kind()))
        };
        let loose = draft.extent.id() != node.id() && !self.loose_type_parameters.is_empty();
        let generic = has_generics || loose;
        // Type parameters are visible in header and body, parameters only in the body.
        let header = if generic { self.builder.scope(outer, ScopeKind::Generics, owner) } else { outer };
        let is_function = draft.kind == DefKind::Function;
        let kind = match draft.kind {
            DefKind::Function | DefKind::Macro => ScopeKind::Function,
            DefKind::Module => ScopeKind::Module,
            _ => ScopeKind::Class,
        };
        let body = self.builder.scope(header, kind, Some(id));
        self.builder.definition_mut(id).body = Some(body);
        let type_params = if loose { std::mem::take(&mut self.loose_type_parameters) } else { Vec::new() };
        for (index, parameter) in type_params.iter().enumerate() {
            let target = BindingTarget::TypeParameter(id, index as u32);
            self.builder.bind(header, parameter.name, Namespace::Any, target);
        }
        Frame {
            id,
            header,
            body,
            params: Vec::new(),
            type_params,
            bases: Vec::new(),
            implements: Vec::new(),
            values: Vec::new(),
            scoped_members: false,
            static_members: false,
            section: None,
            comment: None,
            result: draft.result.map(|node| node.id()),
            extends: draft.extends.map(|node| node.id()),
            body_node: draft.body.map(|node| node.id()),
            is_function,
        }
    }

    /// The name space of definitions of a kind.
    pub(crate) fn namespace(&self, kind: DefKind) -> Namespace {
        match kind {
            // None of these languages keeps macros apart where they are used.
            DefKind::Macro => Namespace::Value,
            kind if kind.is_type() && self.grammar.separate_types => Namespace::Type,
            kind if kind.is_type() || matches!(kind, DefKind::Module | DefKind::Object) => Namespace::Any,
            _ => Namespace::Value,
        }
    }

    /// Leaves the innermost definition.
    pub(crate) fn close_frame(&mut self, node: Option<Node<'_>>, _parent: Option<Node<'_>>) {
        let Some(mut frame) = self.frames.pop() else { return };
        let value = frame.body_node.and_then(|body| self.exprs.get(&body).copied());
        if let Some(value) = value
            && frame.is_function
        {
            frame.values.push(value);
        }
        if self.grammar.returns_last && value.is_none() && frame.body_node.is_some() && frame.is_function {
            frame.values.push(self.builder.unknown());
        }
        let declared = frame.result.and_then(|result| self.exprs.get(&result).copied());
        let extends = frame.extends.and_then(|extends| self.exprs.get(&extends).copied());
        self.builder.parameters(frame.id, &frame.params);
        self.builder.type_parameters(frame.id, &frame.type_params);
        let [values, bases, implements] =
            [&frame.values, &frame.bases, &frame.implements].map(|items| self.builder.list(items));
        let definition = self.builder.definition_mut(frame.id);
        definition.values = values;
        definition.bases = bases;
        definition.implements = implements;
        definition.declared = definition.declared.or(declared);
        definition.extends_type = definition.extends_type.or(extends);
        let in_place = self.grammar.inline_types && definition.kind.is_type();
        if (definition.flags.is_anonymous || in_place)
            && let Some(node) = node
        {
            let expr = self.builder.expr(Expr::Definition(frame.id));
            self.set_expr(node, expr);
        }
    }

    /// A value that the innermost function returns.
    pub(crate) fn record_returned(&mut self, value: ExprId) {
        if value == self.builder.unknown() {
            return;
        }
        if let Some(frame) = self.frames.iter_mut().rev().find(|frame| frame.is_function)
            && frame.values.len() < MAX_VALUES
        {
            frame.values.push(value);
        }
    }

    /// The written result of the innermost function, if it has a name.
    pub(crate) fn declared_result(&self) -> Option<ExprId> {
        let frame = self.frames.iter().rev().find(|frame| frame.is_function)?;
        let is_anonymous = self.builder.facts().definition(frame.id).flags.is_anonymous;
        frame.result.filter(|_| !is_anonymous).and_then(|result| self.exprs.get(&result).copied())
    }

    /// Adds parameters without a type to the innermost function until it has one of this number; `name` gives the name
    /// of each.
    pub(crate) fn fill_parameters(&mut self, index: usize, name: impl Fn(usize) -> String) {
        loop {
            let Some(frame) = self.frames.last() else { return };
            let next = frame.params.len();
            if !frame.is_function || next > index {
                return;
            }
            self.add_labelled_parameter(("_", &name(next)), ParameterKind::Plain, None, None);
        }
    }

    /// The innermost definition being visited.
    pub(crate) fn frame(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    /// The node that is the declared type of the innermost definition.
    pub(crate) fn set_frame_result(&mut self, node: Option<Node<'_>>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.result = node.map(|node| node.id());
        }
    }

    /// Adds a parameter to the innermost definition and binds its name.
    pub(crate) fn add_parameter(
        &mut self,
        name: &str,
        kind: ParameterKind,
        declared: Option<ExprId>,
        default: Option<ExprId>,
    ) {
        self.add_labelled_parameter((name, name), kind, declared, default);
    }

    /// Like [`Outline::add_parameter`], with the label that callers write and the name that the body knows.
    pub(crate) fn add_labelled_parameter(
        &mut self,
        (label, name): (&str, &str),
        kind: ParameterKind,
        declared: Option<ExprId>,
        default: Option<ExprId>,
    ) {
        let [label, name] = [label, name].map(|text| self.builder.name(text));
        let Some(frame) = self.frames.last_mut() else { return };
        let index = frame.params.len() as u32;
        frame.params.push(Parameter { name: label, kind, declared, default });
        let (id, body) = (frame.id, frame.body);
        // Parameters in the header of a class become its fields or plain names, as the language has it.
        if frame.is_function && !self.builder.facts().name(name).is_empty() {
            self.builder.bind(body, name, Namespace::Value, BindingTarget::Parameter(id, index));
        }
    }

    /// Gives a parameter of the innermost definition a type that is written apart from it.
    pub(crate) fn declare_parameter(&mut self, name: Node<'_>, declared: Option<ExprId>) {
        let name = self.builder.name(self.name_text(name));
        let Some(frame) = self.frames.last_mut() else { return };
        if let Some(parameter) = frame.params.iter_mut().find(|parameter| parameter.name == name) {
            parameter.declared = declared;
        }
    }

    /// The children of the current node, which is a definition, stand in its body.
    pub(crate) fn enter_body(&mut self) {
        let Some(body) = self.frames.last().map(|frame| frame.body) else { return };
        if let Some(state) = self.stack.last_mut() {
            state.scope = body;
        }
    }

    /// A field that a parameter of a class's own header makes (records, primary constructors).
    pub(crate) fn field_of_parameter(
        &mut self,
        node: Node<'_>,
        name: Node<'_>,
        declared: Option<ExprId>,
        flags: DefFlags,
        visibility: Visibility,
    ) -> Option<DefId> {
        let class = self.frames.iter().rev().find(|frame| !frame.is_function);
        let (scope, owner) = class.map(|frame| (frame.body, frame.id))?;
        let text = self.builder.name(crate::text::clip(self.name_text(name), 200));
        let mut definition = self.builder.blank_definition(DefKind::Field, text, scope, self.source.pos(name));
        self.place(&mut definition, node, node.end_byte());
        if self.doc_start() < self.builder.facts().definition(owner).bytes.0 as usize {
            // The comment before is that of the class.
            definition.doc = None;
        }
        definition.owner = Some(owner);
        definition.flags = flags;
        definition.visibility = visibility;
        definition.declared = declared;
        let id = self.builder.definition(definition);
        self.builder.bind_definition(id, Namespace::Value);
        Some(id)
    }

    /// A parameter of a class's own header that is no field: its name is known in the body.
    pub(crate) fn bind_in_body(&mut self, name: Node<'_>, declared: Option<ExprId>) {
        let Some(body) = self.frames.last().map(|frame| frame.body) else { return };
        let target = declared.map_or(BindingTarget::Opaque, BindingTarget::Typed);
        let name = self.builder.name(self.name_text(name));
        self.builder.bind(body, name, Namespace::Value, target);
    }

    /// A parameter that is a bare name.
    pub(crate) fn plain_parameter(&mut self, text: &str) {
        self.add_parameter(text, ParameterKind::Plain, None, None);
    }

    /// A type parameter of the innermost definition, or of the one that follows if its header has not been reached.
    pub(crate) fn leave_type_param(&mut self, names: &[Node<'_>], bound: Option<Node<'_>>) {
        let bound = self.find_known(bound);
        for &name in names {
            self.add_type_param(name, bound);
        }
    }

    /// A type parameter by the node that is its name.
    pub(crate) fn add_type_param(&mut self, name: Node<'_>, bound: Option<ExprId>) {
        let name = self.builder.name(self.name_text(name));
        let parameter = TypeParameter { name, bound };
        let loose = self.grammar.type_parameters.is_empty();
        match self.frames.last_mut() {
            Some(frame) if !loose => {
                let index = frame.type_params.len() as u32;
                frame.type_params.push(parameter);
                let (id, header) = (frame.id, frame.header);
                let namespace = if self.grammar.parameters_are_values { Namespace::Any } else { Namespace::Type };
                self.builder.bind(header, name, namespace, BindingTarget::TypeParameter(id, index));
            }
            _ if loose => self.loose_type_parameters.push(parameter),
            _ => {}
        }
    }
}
