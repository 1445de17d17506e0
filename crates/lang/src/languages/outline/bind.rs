//! Variables and parameters.

use tree_sitter::Node;

use super::rules::{Bind, Pick, Rule, Wrap};
use super::{Mark, Outline};
use crate::Language;
use crate::facts::{
    BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, Namespace, ParameterKind, ScopeKind, Visibility,
};

/// Names of one declaration.
pub(crate) type Names<'t> = Vec<Node<'t>>;

/// Names taken from one pattern.
const MAX_NAMES: usize = 256;
/// Nodes searched for names in one pattern.
const MAX_PATTERN: usize = 4_096;

impl Outline<'_> {
    /// The names that patterns bind, in order.
    pub(crate) fn pattern_names<'t>(&self, patterns: &[Node<'t>]) -> Names<'t> {
        let mut names = Vec::new();
        let mut stack: Vec<Node<'t>> = patterns.iter().rev().copied().collect();
        let mut seen = 0;
        while let Some(node) = stack.pop() {
            seen += 1;
            if names.len() >= MAX_NAMES || seen > MAX_PATTERN {
                break;
            }
            if self.is_name(node) {
                names.push(node);
                continue;
            }
            if matches!(self.rule(node), Rule::Type | Rule::TypeName | Rule::Member(..) | Rule::Index(_) | Rule::Skip) {
                continue;
            }
            if node.kind().ends_with("type") || node.kind() == "type_annotation" {
                continue;
            }
            let mut cursor = node.walk();
            let children: Vec<Node<'t>> = node.named_children(&mut cursor).take(MAX_NAMES).collect();
            stack.extend(children.into_iter().rev());
        }
        names
    }

    /// The names of a declaration.
    pub(crate) fn names_of<'t>(&self, bind: &Bind, node: Node<'t>, parent: Option<Node<'t>>) -> Names<'t> {
        self.pattern_names(&bind.names.all(node, parent))
    }

    /// Names of parameters are not uses of them.
    pub(crate) fn skip_names<'t>(&mut self, bind: &Bind, node: Node<'t>, parent: Option<Node<'t>>) {
        for name in self.names_of(bind, node, parent) {
            self.mark(name, Mark::Skip);
        }
        if let Some(ty) = bind.ty.get(node, parent) {
            self.marks.entry(ty.id()).or_insert(Mark::Type);
        }
    }

    /// Enters a variable declaration.
    pub(crate) fn enter_bind<'t>(&mut self, bind: &Bind, node: Node<'t>, parent: Option<Node<'t>>) {
        self.skip_names(bind, node, parent);
        let names = self.names_of(bind, node, parent);
        if self.defines(bind) {
            let whole = matches!(bind.ty, Pick::Up(_)).then_some(parent).flatten().unwrap_or(node);
            let ids = names
                .into_iter()
                .filter_map(|name| self.define_variable(bind.kind, node, name, whole, parent))
                .collect();
            self.variables.insert(node.id(), ids);
        }
    }

    fn defines(&self, bind: &Bind) -> bool {
        !bind.local && !matches!(self.scope_kind(), ScopeKind::Function | ScopeKind::Block)
    }

    /// Makes a definition of a variable outside of functions.
    pub(crate) fn define_variable<'t>(
        &mut self,
        kind: DefKind,
        node: Node<'t>,
        name: Node<'t>,
        whole: Node<'t>,
        parent: Option<Node<'t>>,
    ) -> Option<DefId> {
        let text = self.name_text(name);
        if text.is_empty() || text == "_" {
            return None;
        }
        let in_class = self.scope_kind() == ScopeKind::Class;
        let kind = if kind == DefKind::Variable && in_class { DefKind::Field } else { kind };
        let extent = self.extent(whole, parent);
        let words = self.words_before(self.header_start(extent).start_byte(), name.start_byte());
        let flags = self.word_flags(&words);
        let visibility = self.visibility(&words, text);
        // The grammar adjusts a draft, as it does for definitions with a body.
        let mut draft = super::Draft {
            kind,
            name: Some(text.to_owned()),
            name_node: Some(name),
            extent,
            params: None,
            body: None,
            result: None,
            extends: None,
            bound: true,
            is_outside: false,
            visit_name: false,
            visibility,
            flags,
            words,
            no_body: super::NoBody::Nothing,
        };
        (self.grammar.adjust)(self, node, parent, &mut draft);
        let (kind, flags, visibility) = (draft.kind, draft.flags, draft.visibility);
        Some(self.variable(kind, text, name, extent, flags, visibility))
    }

    /// Adds a definition without a body and binds its name where it stands.
    pub(crate) fn variable(
        &mut self,
        kind: DefKind,
        text: &str,
        name: Node<'_>,
        extent: Node<'_>,
        flags: DefFlags,
        visibility: Visibility,
    ) -> DefId {
        let name_id = self.builder.name(crate::text::clip(text, 200));
        let scope = self.scope();
        let mut definition = self.builder.blank_definition(kind, name_id, scope, self.source.pos(name));
        self.place(&mut definition, extent, extent.end_byte());
        definition.flags = flags;
        definition.visibility = visibility;
        let id = self.builder.definition(definition);
        let namespace = self.namespace(kind);
        self.builder.bind_definition(id, namespace);
        id
    }

    /// Leaves a variable declaration: its type and value are known.
    pub(crate) fn leave_bind<'t>(&mut self, bind: &Bind, node: Node<'t>, parent: Option<Node<'t>>) {
        let names = self.names_of(bind, node, parent);
        let declared = self.find_known(bind.ty.get(node, parent));
        let values = self.values_of(bind, node, parent, names.len());
        let defined = self.variables.remove(&node.id());
        if defined.is_none() {
            for (name, value) in names.into_iter().zip(values) {
                self.bind_local(name, declared, value);
            }
            return;
        }
        let values: Vec<Option<ExprId>> = if values.is_empty() { Vec::new() } else { values };
        for (index, id) in defined.unwrap_or_default().into_iter().enumerate() {
            let list = match values.get(index).copied().flatten() {
                Some(value) => self.builder.list(&[value]),
                None => crate::facts::FactsBuilder::EMPTY,
            };
            let definition = self.builder.definition_mut(id);
            definition.declared = declared;
            definition.values = list;
        }
    }

    /// The value of each name: paired if there are as many values as names, else an item of the one value.
    fn values_of<'t>(
        &mut self,
        bind: &Bind,
        node: Node<'t>,
        parent: Option<Node<'t>>,
        names: usize,
    ) -> Vec<Option<ExprId>> {
        let Some(value) = bind.value.get(node, parent) else { return vec![None; names] };
        let listed = value.kind() == "expression_list";
        if listed && value.named_child_count() == names {
            let mut cursor = value.walk();
            return value.named_children(&mut cursor).map(|value| self.find_known(Some(value))).collect();
        }
        let value = if listed { self.first_expr(value) } else { self.find_known(Some(value)) };
        let Some(value) = value else { return vec![None; names] };
        let value = match bind.wrap {
            Wrap::Plain => value,
            Wrap::Element => self.builder.expr(Expr::Element { base: value }),
        };
        if names == 1 {
            return vec![Some(value)];
        }
        (0..names).map(|index| Some(self.builder.expr(Expr::Item { base: value, index: index as u32 }))).collect()
    }

    /// Binds a local variable.
    pub(crate) fn bind_local(&mut self, name: Node<'_>, declared: Option<ExprId>, value: Option<ExprId>) {
        let text = self.name_text(name);
        if text.is_empty() || text == "_" {
            return;
        }
        let target = match (declared, value) {
            (Some(declared), _) => BindingTarget::Typed(declared),
            (None, Some(value)) => BindingTarget::Value(value),
            (None, None) => BindingTarget::Opaque,
        };
        let name = self.builder.name(text);
        let scope = self.scope();
        self.builder.bind(scope, name, Namespace::Value, target);
        // In C, initial values are read with the declaration: some are arguments of a constructor.
        let reads_values = matches!(self.builder.facts().language, Language::C | Language::Cpp);
        if let (Some(_), Some(value), false) = (declared, value, reads_values) {
            let variable = self.builder.expr(Expr::Name { name, scope });
            self.builder.store(variable, value);
        }
    }

    /// Binds a name that is not written where it is bound.
    pub(crate) fn bind_typed(&mut self, text: &str, declared: ExprId) {
        let name = self.builder.name(text);
        let scope = self.scope();
        self.builder.bind(scope, name, Namespace::Value, BindingTarget::Typed(declared));
    }

    /// An assignment: the last expression of the node is stored in the one that it names.
    pub(crate) fn store_assigned<'t>(&mut self, left: Pick, node: Node<'t>, parent: Option<Node<'t>>) {
        let target = self.find_known(left.get(node, parent));
        let value = self.find_known(node.named_child(node.named_child_count().saturating_sub(1) as u32));
        if let (Some(target), Some(value)) = (target, value) {
            self.builder.store(target, value);
        }
    }

    /// Leaves a parameter: of the definition around it if it stands in its list, else of a function type.
    pub(crate) fn leave_param<'t>(
        &mut self,
        bind: &Bind,
        kind: ParameterKind,
        node: Node<'t>,
        parent: Option<Node<'t>>,
    ) {
        let names = self.names_of(bind, node, parent);
        let declared = self.find_known(bind.ty.get(node, parent));
        let default = self.find_known(bind.value.get(node, parent));
        let Some(around) = self.stack.iter().rev().nth(1) else { return };
        let mark = around.mark;
        let direct = around.frame || matches!(mark, Mark::Params | Mark::Receiver);
        let kind = if mark == Mark::Receiver { ParameterKind::Receiver } else { kind };
        if mark == Mark::Results {
            for name in names {
                self.bind_local(name, declared, None);
            }
        } else if direct {
            if names.is_empty() {
                self.add_parameter("", kind, declared, default);
            }
            for name in names {
                let text = self.name_text(name);
                self.add_parameter(text, kind, declared, default);
            }
        }
    }
}
