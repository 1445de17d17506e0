//! Assignments to names and members: variables, fields, `global`, `__all__`.

use tree_sitter::Node;

use super::state::{Extractor, FIELDS, FrameKind, KindName, Variable};
use crate::facts::{
    BindingTarget, Collection, DefId, DefKind, Definition, Expr, ExprId, FactsBuilder, NameId, Namespace, ScopeId,
    ScopeKind,
};
use crate::text;

/// Maximum number of subscripts in a row that are followed to what holds the elements.
const MAX_SUBSCRIPTS: usize = 8;
/// Typing constructs whose subscript is a type: `X = Union[A, B]` is an alias.
const ALIAS_HEADS: [&str; 22] = [
    "Union", "Optional", "List", "Dict", "Set", "FrozenSet", "Tuple", "Callable", "Type", "Annotated", "Literal",
    "Iterable", "Iterator", "Sequence", "Mapping", "MutableMapping", "list", "dict", "set", "tuple", "type",
    "Awaitable",
];

/// One name or member of a target pattern and the value it gets.
struct Target<'t> {
    node: Node<'t>,
    value: ExprId,
}

/// Returns whether a node is a pattern that holds other targets.
fn is_pattern(kind: &str) -> bool {
    matches!(
        kind,
        "pattern_list"
            | "tuple_pattern"
            | "list_pattern"
            | "list_splat_pattern"
            | "list_splat"
            | "tuple"
            | "list"
            | "expression_list"
            | "parenthesized_expression"
            | "as_pattern_target"
    )
}

/// The names and members that a pattern assigns to.
fn leaves(pattern: Node<'_>) -> Vec<Node<'_>> {
    let mut leaves = Vec::new();
    let mut open = vec![pattern];
    while let Some(node) = open.pop() {
        if is_pattern(node.kind_name()) {
            let mut cursor = node.walk();
            let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            open.extend(children.into_iter().rev());
        } else if matches!(node.kind_name(), "identifier" | "attribute" | "subscript") {
            leaves.push(node);
        }
    }
    leaves
}

impl Extractor<'_> {
    /// `global a` and `nonlocal a`.
    pub(super) fn outer_names(&mut self, node: Node<'_>) {
        let scope = self.scope();
        let is_global = node.kind_name() == "global_statement";
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor).filter(|child| child.kind_name() == "identifier") {
            let name = self.b.name(self.source.text(child));
            self.b.bind(scope, name, Namespace::Any, BindingTarget::Outer(is_global));
            self.outer.insert((scope, name), is_global);
        }
    }

    pub(super) fn declare_field(&mut self, node: Node<'_>, field: u16) {
        if let Some(target) = node.child_by_field_id(field) {
            self.declare(target, target, self.binding_scope(node));
        }
    }

    pub(super) fn enter_assignment(&mut self, node: Node<'_>) {
        let Some(left) = node.child_by_field_id(FIELDS.left) else { return };
        if node.kind_name() == "augmented_assignment" {
            let written = leaves(left).into_iter().map(|leaf| leaf.id());
            self.written.extend(written);
        } else {
            self.declare(left, node, self.binding_scope(node));
        }
    }

    /// Notes the targets of a pattern and defines those that are variables of a file or class, or fields.
    fn declare(&mut self, pattern: Node<'_>, statement: Node<'_>, own: ScopeId) {
        for leaf in leaves(pattern) {
            self.written.insert(leaf.id());
            match leaf.kind_name() {
                "identifier" => {
                    let name = self.source.text(leaf);
                    let name_id = self.b.name(name);
                    let scope = self.target_scope(own, name_id);
                    if matches!(self.scope_kind(scope), ScopeKind::File | ScopeKind::Class) {
                        let span = if leaf == pattern { statement } else { leaf };
                        self.define_variable(scope, name, leaf, span, scope != own);
                    }
                }
                "attribute" => {
                    if let Some((class, name_node)) = self.receiver_field(leaf)
                        && let Some(body) = self.b.facts().definition(class).body
                    {
                        let span = if leaf == pattern { statement } else { leaf };
                        let name = self.source.text(name_node);
                        self.define_field(body, name, leaf, name_node, span);
                    }
                }
                _ => {}
            }
        }
    }

    /// The scope that the targets of a statement or clause bind in: a comprehension's own for its loop variables, else
    /// the holding one.
    pub(super) fn binding_scope(&self, statement: Node<'_>) -> ScopeId {
        let scope = self.scope();
        if statement.kind_name() == "for_in_clause" { scope } else { self.holding_scope(scope) }
    }

    /// The scope that an assigned name belongs to, `global` and `nonlocal` considered.
    pub(super) fn target_scope(&self, scope: ScopeId, name: NameId) -> ScopeId {
        match self.outer.get(&(scope, name)) {
            None => scope,
            Some(true) => FactsBuilder::FILE,
            Some(false) => {
                let mut around = self.parent_scope(scope);
                while let Some(candidate) = around {
                    if self.scope_kind(candidate) == ScopeKind::Function {
                        return candidate;
                    }
                    around = self.parent_scope(candidate);
                }
                scope
            }
        }
    }

    fn variable_kind(&self, scope: ScopeId, name: &str, span: Node<'_>) -> DefKind {
        if self.scope_kind(scope) == ScopeKind::Class {
            let is_enum = self.frames.last().is_some_and(|frame| frame.body == scope && frame.is_enum);
            let is_member = is_enum && !name.starts_with('_') && span.child_by_field_id(FIELDS.type_).is_none();
            return if is_member { DefKind::Variant } else { DefKind::Field };
        }
        if span.kind_name() == "assignment" && self.is_alias(span) {
            return DefKind::TypeAlias;
        }
        let is_constant =
            name.bytes().any(|byte| byte.is_ascii_uppercase()) && !name.bytes().any(|byte| byte.is_ascii_lowercase());
        if is_constant { DefKind::Constant } else { DefKind::Variable }
    }

    /// Returns whether an assignment gives a type another name: `X = Union[A, B]`, `X: TypeAlias = A`.
    pub(super) fn is_alias(&self, assignment: Node<'_>) -> bool {
        let word = |node: Node<'_>| super::state::last_word(self.source.text(node));
        if assignment.child_by_field_id(FIELDS.type_).is_some_and(|node| word(node) == "TypeAlias") {
            return true;
        }
        let Some(right) = assignment.child_by_field_id(FIELDS.right) else { return false };
        let head = right.child_by_field_id(FIELDS.value).filter(|_| right.kind_name() == "subscript");
        head.is_some_and(|head| head.byte_range().len() < 64 && ALIAS_HEADS.contains(&word(head)))
    }

    fn span_of(&mut self, definition: &mut Definition, span: Node<'_>) {
        definition.line_start = span.start_position().row as u32 + 1;
        definition.line_end = self.source.end_line(span);
        definition.bytes = (span.start_byte() as u32, span.end_byte() as u32);
        let text = self.source.text(span);
        definition.signature = text::signature(text::clip(text, Definition::MAX_SIGNATURE * 2));
    }

    /// Defines a variable of a file or class at its first assignment. One that was first assigned from elsewhere
    /// moves to the first assignment in its own scope.
    fn define_variable(&mut self, scope: ScopeId, name: &str, leaf: Node<'_>, span: Node<'_>, is_outside: bool) {
        if name.is_empty() {
            // The parser invented a target for broken text.
            return;
        }
        let name_id = self.b.name(name);
        let known = self.variables.get(&(scope, name_id)).map(|variable| (variable.definition, variable.provisional));
        if known.is_some_and(|(_, provisional)| is_outside || !provisional) {
            return;
        }
        let kind = self.variable_kind(scope, name, span);
        let pos = self.pos(leaf);
        let mut definition = self.b.blank_definition(kind, name_id, scope, pos);
        definition.visibility = Self::visibility(name);
        definition.flags.is_local = !is_outside && self.is_local();
        self.span_of(&mut definition, span);
        self.defining.insert(leaf.id());
        if let Some((id, _)) = known {
            *self.b.definition_mut(id) = definition;
            if let Some(variable) = self.variables.get_mut(&(scope, name_id)) {
                variable.provisional = false;
            }
            return;
        }
        let id = self.b.definition(definition);
        self.b.bind_definition(id, Namespace::Any);
        let variable = Variable { definition: id, values: Vec::new(), provisional: is_outside };
        self.variables.insert((scope, name_id), variable);
    }

    /// Defines a field at its first assignment through the receiver.
    fn define_field(&mut self, body: ScopeId, name: &str, leaf: Node<'_>, name_node: Node<'_>, span: Node<'_>) {
        let name_id = self.b.name(name);
        let key = (body, name_id);
        if self.variables.contains_key(&key) || self.properties.contains(&key) {
            return;
        }
        let pos = self.pos(name_node);
        let mut definition = self.b.blank_definition(DefKind::Field, name_id, body, pos);
        definition.visibility = Self::visibility(name);
        definition.flags.is_local =
            definition.owner.is_some_and(|owner| self.b.facts().definition(owner).flags.is_local);
        self.span_of(&mut definition, span);
        self.defining.insert(leaf.id());
        let id = self.b.definition(definition);
        self.b.bind_definition(id, Namespace::Any);
        self.variables.insert((body, name_id), Variable { definition: id, values: Vec::new(), provisional: true });
    }

    /// The class and the member's name node, if the node is a member of a method's receiver.
    pub(super) fn receiver_field<'t>(&mut self, attribute: Node<'t>) -> Option<(DefId, Node<'t>)> {
        let object = attribute.child_by_field_id(FIELDS.object).filter(|object| object.kind_name() == "identifier")?;
        let member = attribute.child_by_field_id(FIELDS.attribute)?;
        let name = self.b.name(self.source.text(object));
        let functions = self.frames.iter().rev().filter(|frame| frame.kind != FrameKind::Class);
        let frame = functions.into_iter().find(|frame| frame.parameters.contains(&name))?;
        frame.receiver.filter(|receiver| receiver.0 == name).map(|receiver| (receiver.1, member))
    }

    /// Pairs the targets of a pattern with their parts of `value`.
    fn targets<'t>(&mut self, pattern: Node<'t>, value: ExprId) -> Vec<Target<'t>> {
        let mut targets = Vec::new();
        let mut open = vec![Target { node: pattern, value }];
        // Iterative: patterns may be nested.
        while let Some(Target { node, value }) = open.pop() {
            match node.kind_name() {
                "parenthesized_expression" | "as_pattern_target" => {
                    open.extend(node.named_child(0).map(|node| Target { node, value }));
                }
                "list_splat_pattern" | "list_splat" => {
                    let element = self.b.expr(Expr::Element { base: value });
                    let items = self.b.list(&[element]);
                    let value = self.b.expr(Expr::Collection { kind: Collection::List, items });
                    open.extend(node.named_child(0).map(|node| Target { node, value }));
                }
                kind if is_pattern(kind) => {
                    let mut cursor = node.walk();
                    let mut is_exact = true;
                    let children: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
                    for (index, child) in
                        children.into_iter().filter(|child| child.kind_name() != "comment").enumerate()
                    {
                        let is_splat = matches!(child.kind_name(), "list_splat_pattern" | "list_splat");
                        // Behind `*rest`, places are no longer known.
                        let value = match (is_splat, is_exact) {
                            (true, _) => value,
                            (false, true) => self.item(value, index),
                            (false, false) => self.b.expr(Expr::Element { base: value }),
                        };
                        is_exact &= !is_splat;
                        open.push(Target { node: child, value });
                    }
                }
                "identifier" | "attribute" | "subscript" => targets.push(Target { node, value }),
                _ => {}
            }
        }
        targets
    }

    /// Item `index` of a value: the item itself if the value is written as a tuple or list.
    pub(super) fn item(&mut self, value: ExprId, index: usize) -> ExprId {
        if let Expr::Collection { kind: Collection::Tuple | Collection::List, items } = self.b.facts().expr(value)
            && let Some(&item) = self.b.facts().list(items).get(index)
        {
            return item;
        }
        self.b.expr(Expr::Item { base: value, index: index as u32 })
    }

    /// Gives the targets of a pattern of `statement` their values. `declared` is the written type.
    pub(super) fn assign(
        &mut self,
        statement: Node<'_>,
        pattern: Node<'_>,
        value: Option<ExprId>,
        declared: Option<ExprId>,
    ) {
        let own = self.binding_scope(statement);
        let unknown = self.b.unknown();
        for target in self.targets(pattern, value.unwrap_or(unknown)) {
            let given = value.map(|_| target.value);
            self.store_assigned(target.node, given);
            if target.node.kind_name() == "identifier" {
                let name = self.b.name(self.source.text(target.node));
                self.assign_name(own, name, given, declared);
                let right = statement.child_by_field_id(FIELDS.right).map_or("", |right| right.kind_name());
                let is_literal = matches!(right, "dictionary" | "list" | "dictionary_comprehension");
                self.note_map(own, name, given.filter(|_| is_literal));
                let runs_on = statement.kind_name() == "assignment" && declared.is_none();
                self.hold(own, name, given.filter(|_| runs_on));
            } else if target.node.kind_name() == "subscript" {
                self.assign_entry(own, target.node, given);
            } else if let Some((class, member)) = self.receiver_field(target.node) {
                let name = self.b.name(self.source.text(member));
                if let Some(body) = self.b.facts().definition(class).body {
                    self.assign_variable(body, name, given, declared);
                }
            } else if let (Some(value), Some(member)) = (given, target.node.child_by_field_id(FIELDS.attribute)) {
                let mut base = self.expr_of(target.node.child_by_field_id(FIELDS.object));
                if let Expr::Name { name, scope } = self.b.facts().expr(base) {
                    // A write refers to the variable, whatever its current value.
                    base = self.name_expr(name, scope);
                }
                let name = self.b.name(self.source.text(member));
                if base != unknown {
                    self.b.member_write(base, name, value);
                }
            }
        }
    }

    /// What is assigned to an attribute, or to an element, may be a function that is called through it. The values of
    /// attributes of the receiver and of names are kept with their definitions.
    fn store_assigned(&mut self, target: Node<'_>, value: Option<ExprId>) {
        let Some(value) = value else { return };
        let mut holder = target;
        for _ in 0..MAX_SUBSCRIPTS {
            match holder.child_by_field_id(FIELDS.value).filter(|_| holder.kind_name() == "subscript") {
                Some(container) => holder = container,
                None => break,
            }
        }
        let is_element = holder.id() != target.id();
        let expr = self.expr_of(Some(holder));
        match self.b.facts().expr(expr) {
            Expr::Name { name, scope } if is_element => {
                let variable = self.name_expr(name, scope);
                self.b.store_member(variable, name, value);
            }
            _ if holder.kind_name() == "attribute" && (is_element || self.receiver_field(holder).is_none()) => {
                let (object, member) =
                    (holder.child_by_field_id(FIELDS.object), holder.child_by_field_id(FIELDS.attribute));
                let Some(member) = member else { return };
                let mut base = self.expr_of(object);
                if let Expr::Name { name, scope } = self.b.facts().expr(base) {
                    base = self.name_expr(name, scope);
                }
                let name = self.b.name(self.source.text(member));
                self.b.store_member(base, name, value);
            }
            _ => {}
        }
    }

    /// Gives a name its value in the scope it belongs to.
    pub(super) fn assign_name(&mut self, own: ScopeId, name: NameId, value: Option<ExprId>, declared: Option<ExprId>) {
        let scope = self.target_scope(own, name);
        if matches!(self.scope_kind(scope), ScopeKind::File | ScopeKind::Class) {
            self.assign_variable(scope, name, value, declared);
            return;
        }
        let target = match (declared, value) {
            (Some(declared), _) => BindingTarget::Typed(declared),
            (None, Some(value)) if value == self.b.unknown() => BindingTarget::Opaque,
            (None, Some(value)) => BindingTarget::Value(value),
            (None, None) => BindingTarget::Opaque,
        };
        self.b.bind(scope, name, Namespace::Any, target);
    }

    fn assign_variable(&mut self, scope: ScopeId, name: NameId, value: Option<ExprId>, declared: Option<ExprId>) {
        let Some(variable) = self.variables.get_mut(&(scope, name)) else { return };
        variable.values.extend(value);
        let id = variable.definition;
        if let Some(declared) = declared {
            let definition = self.b.definition_mut(id);
            definition.declared = definition.declared.or(Some(declared));
        }
    }

    pub(super) fn leave_assignment(&mut self, node: Node<'_>) {
        let right = node.child_by_field_id(FIELDS.right);
        let value = right.map(|right| self.expr_of(Some(right)));
        self.exprs.set(node, value.unwrap_or_else(|| self.b.unknown()));
        let Some(left) = node.child_by_field_id(FIELDS.left) else { return };
        let is_export_list = self.source.text(left) == "__all__" && self.scope() == FactsBuilder::FILE;
        // `x += y` changes a value and binds no new one.
        if node.kind_name() == "augmented_assignment" {
            if is_export_list {
                self.extend_exports(right, false);
            }
            for leaf in leaves(left).into_iter().filter(|leaf| leaf.kind_name() == "identifier") {
                let name = self.b.name(self.source.text(leaf));
                self.hold(self.binding_scope(node), name, None);
            }
            return;
        }
        if is_export_list {
            self.extend_exports(right, true);
        }
        if let Some(right) = right.filter(|right| self.is_type_variable_call(*right))
            && self.scope() == FactsBuilder::FILE
            && left.kind_name() == "identifier"
        {
            let name = self.b.name(self.source.text(left));
            let bound = self.note_type_variable(name, right);
            self.assign(node, left, None, bound);
            return;
        }
        let is_alias = self.is_alias(node);
        // The value of a type alias is a type.
        let declared =
            if is_alias { value } else { node.child_by_field_id(FIELDS.type_).and_then(|node| self.exprs.get(node)) };
        let value = if is_alias { None } else { value };
        self.assign(node, left, value, declared);
    }

    /// Adds the literals of a list to `__all__`.
    pub(super) fn extend_exports(&mut self, list: Option<Node<'_>>, is_new: bool) {
        let mut names = if is_new { Vec::new() } else { self.exports.names.take().unwrap_or_default() };
        let mut is_dynamic = !is_new && self.exports.is_dynamic;
        let mut open: Vec<Node<'_>> = list.into_iter().collect();
        while let Some(node) = open.pop() {
            match node.kind_name() {
                "list" | "tuple" | "set" | "parenthesized_expression" | "expression_list" | "argument_list" => {
                    let mut cursor = node.walk();
                    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
                    open.extend(children.into_iter().rev());
                }
                "binary_operator" => {
                    open.extend(node.child_by_field_id(FIELDS.right));
                    open.extend(node.child_by_field_id(FIELDS.left));
                }
                "string" => {
                    let mut cursor = node.walk();
                    let content = node.named_children(&mut cursor).find(|child| child.kind_name() == "string_content");
                    if let Some(content) = content {
                        names.push(self.b.name(self.source.text(content)));
                    }
                }
                "comment" => {}
                _ => is_dynamic = true,
            }
        }
        self.exports.names = Some(names);
        self.exports.is_dynamic = is_dynamic;
    }
}
