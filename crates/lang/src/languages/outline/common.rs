//! Functions that the tables of several languages share.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::{Mark, Outline, Rule};
use crate::facts::{
    BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, FactsBuilder, FileFacts, Import, ImportFlags, ImportId,
    ImportKind, MemberWrite, NameId, Namespace, ParameterKind, Reference, Role, ScopeId, ScopeKind,
};
use crate::walk::Enter;

/// Variables that assignments have defined, in languages without declarations.
pub(crate) type Assigned = FxHashMap<(ScopeId, NameId), DefId>;

/// Nothing to do on leaving.
pub(crate) fn nothing(_: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) {}

/// Nothing to do on entering.
pub(crate) fn descend(_: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) -> Enter {
    Enter::Descend
}

/// `a++`, `--a`: the operand is written.
pub(crate) fn enter_update(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(operand) = node.child_by_field_name("argument").or_else(|| node.named_child(0)) {
        cx.mark(operand, Mark::Write);
    }
    Enter::Descend
}

/// An update has the value of its operand.
pub(crate) fn leave_update(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Forward, node, parent);
}

/// A method that an operator calls on its operand without its name being written.
pub(crate) fn record_implied(cx: &mut Outline<'_>, operand: Option<Node<'_>>, method: &str, at: Node<'_>) {
    let Some(base) = cx.find_known(operand) else { return };
    if matches!(cx.builder.facts().expr(base), Expr::Literal(_) | Expr::Unknown | Expr::Collection { .. }) {
        return;
    }
    let name = cx.builder.name(method);
    let expr = cx.builder.expr(Expr::Implicit { base, name });
    let (pos, enclosing) = (cx.source.pos(at), cx.enclosing());
    let reference = Reference { expr, role: Role::Call, inexact: false, arity: 1, pos, enclosing };
    cx.builder.reference_at(reference, at.start_byte());
}

/// `a + b` in languages where an operator is a method of its name.
pub(crate) fn leave_operator(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let field = |names: [&str; 2]| names.iter().find_map(|name| node.child_by_field_name(name));
    let (Some(operator), left) = (field(["operator", "op"]), field(["left", "lhs"])) else { return };
    let method = cx.text(operator);
    record_implied(cx, left, method, operator);
}

/// Opens a block.
pub(crate) fn block(cx: &mut Outline<'_>, _: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.open_scope(ScopeKind::Block);
    Enter::Descend
}

/// The name of a named argument is not looked up where it is written.
pub(crate) fn named_argument(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    if let Some(name) = node.child_by_field_name("name") {
        cx.mark(name, Mark::Skip);
    }
    Enter::Descend
}

/// The node is what its first expression is.
pub(crate) fn forward(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) {
    cx.leave_expr(Rule::Forward, node, parent);
}

/// Longest run of scopes searched for the function around a block.
const MAX_BLOCKS: usize = 512;

impl Outline<'_> {
    /// Adds an import without flags.
    pub(crate) fn add_import(
        &mut self,
        kind: ImportKind,
        module: &str,
        bound: Option<NameId>,
        at: Node<'_>,
    ) -> ImportId {
        let module = self.builder.name(module);
        let (scope, pos) = (self.scope(), self.source.pos(at));
        let import = Import { kind, module, level: 0, path: None, scope, pos, flags: ImportFlags::default() };
        self.builder.import(import, bound)
    }

    /// A parameter behind the name of a class: a field of it if `val` or `var` stands before the name, or if
    /// `is_field`.
    pub(crate) fn class_parameter(
        &mut self,
        node: Node<'_>,
        name: Node<'_>,
        declared: Option<ExprId>,
        default: Option<ExprId>,
        is_field: bool,
    ) {
        let text = self.name_text(name);
        self.add_parameter(text, ParameterKind::Plain, declared, default);
        let words = self.words_before(node.start_byte(), name.start_byte());
        if is_field || words.iter().any(|word| matches!(*word, "val" | "var")) {
            let visibility = self.visibility(&words, text);
            self.field_of_parameter(node, name, declared, DefFlags::default(), visibility);
        } else {
            self.bind_in_body(name, declared);
        }
    }

    /// The scope that an undeclared variable belongs to: the function, class, module or file around the current node.
    pub(crate) fn variable_scope(&self) -> ScopeId {
        let mut scope = self.scope();
        for _ in 0..MAX_BLOCKS {
            let here = self.builder.facts().scopes[scope.index()];
            match (here.kind, here.parent) {
                (ScopeKind::Block | ScopeKind::Generics, Some(parent)) => scope = parent,
                _ => break,
            }
        }
        scope
    }

    /// Binds a variable that an assignment makes, in the function around it.
    pub(crate) fn assign_local(&mut self, name: Node<'_>, value: Option<ExprId>) {
        let scope = self.variable_scope();
        let text = self.name_text(name);
        if text.is_empty() || text == "_" {
            return;
        }
        let name = self.builder.name(text);
        let target = value.map_or(BindingTarget::Opaque, BindingTarget::Value);
        self.builder.bind(scope, name, Namespace::Value, target);
    }

    /// Defines a variable at its first assignment outside of functions; later ones add their value.
    pub(crate) fn assign_global(
        &mut self,
        kind: DefKind,
        name: Node<'_>,
        whole: Node<'_>,
        value: Option<ExprId>,
    ) -> Option<DefId> {
        let text = self.name_text(name);
        if text.is_empty() || text == "_" {
            return None;
        }
        let key = (self.variable_scope(), self.builder.name(text));
        let id = match self.assigned.get(&key) {
            Some(&id) => id,
            None => {
                let visibility = self.visibility(&[], text);
                let id = self.variable(kind, text, name, whole, DefFlags::default(), visibility);
                self.assigned.insert(key, id);
                id
            }
        };
        self.add_value(id, value);
        Some(id)
    }

    /// Adds a value to a variable's definition.
    pub(crate) fn add_value(&mut self, id: DefId, value: Option<ExprId>) {
        let Some(value) = value else { return };
        let list = self.builder.facts().definition(id).values;
        let mut values = self.builder.facts().list(list).to_vec();
        if values.len() < MAX_ASSIGNED && !values.contains(&value) {
            values.push(value);
            let values = self.builder.list(&values);
            self.builder.definition_mut(id).values = values;
        }
    }

    /// Item `index` of a value that several names share, the value itself if it is for one.
    pub(crate) fn item(&mut self, value: Option<ExprId>, index: usize, names: usize) -> Option<ExprId> {
        let base = value?;
        Some(if names == 1 { base } else { self.builder.expr(Expr::Item { base, index: index as u32 }) })
    }
}

/// Values kept of a variable that is assigned often.
const MAX_ASSIGNED: usize = 8;

impl Outline<'_> {
    /// Remembers that a variable is defined already.
    pub(crate) fn assigned_before(&mut self, name: Node<'_>, id: DefId) {
        let key = (self.variable_scope(), self.builder.name(self.name_text(name)));
        self.assigned.insert(key, id);
    }

    /// The base of the innermost class that was named last.
    pub(crate) fn last_base_around(&self) -> Option<ExprId> {
        let class = self.frames.iter().rev().find(|frame| !frame.is_function)?;
        class.bases.last().copied()
    }

    /// The field of the innermost class that a name was declared as before.
    pub(crate) fn known_field(&mut self, name: Node<'_>) -> Option<DefId> {
        let class = self.frames.iter().rev().find(|frame| !frame.is_function);
        let body = class.map(|frame| frame.body)?;
        let key = (body, self.builder.name(self.name_text(name)));
        self.assigned.get(&key).copied()
    }

    /// Defines a field of the innermost class at its first assignment; later ones add their value.
    pub(crate) fn assign_field(
        &mut self,
        name: Node<'_>,
        whole: Node<'_>,
        flags: DefFlags,
        visibility: crate::facts::Visibility,
        value: Option<ExprId>,
    ) {
        let class = self.frames.iter().rev().find(|frame| !frame.is_function);
        let Some(body) = class.map(|frame| frame.body) else { return };
        let key = (body, self.builder.name(self.name_text(name)));
        let id = match self.assigned.get(&key) {
            Some(&id) => id,
            None => {
                let Some(id) = self.field_of_parameter(whole, name, None, flags, visibility) else { return };
                self.assigned.insert(key, id);
                id
            }
        };
        self.add_value(id, value);
    }
}

/// Where types are written, they are sufficient: values would only make other files depend on bodies. Only functions
/// among the initial values of fields are kept.
pub(crate) fn settle_values(facts: &mut FileFacts) {
    store_initial_values(facts);
    for definition in &mut facts.definitions {
        let is_typed = matches!(definition.kind, DefKind::Function | DefKind::Field | DefKind::Constant);
        if is_typed && definition.declared.is_some() {
            definition.values = FactsBuilder::EMPTY;
        }
    }
}

/// The initial values of fields with a written type, which may hold functions.
fn store_initial_values(facts: &mut FileFacts) {
    for index in 0..facts.definitions.len() {
        let definition = &facts.definitions[index];
        let is_field = matches!(definition.kind, DefKind::Field | DefKind::Constant);
        let (name, scope) = (definition.name, definition.scope);
        let &[value] = facts.list(definition.values) else { continue };
        if is_field && facts.may_be_function(value) {
            let base = ExprId(facts.exprs.len() as u32);
            facts.exprs.push(Expr::Name { name, scope });
            facts.stored.push(MemberWrite { base, name, value });
        }
    }
}

/// Returns whether a text has a name as a word.
pub(crate) fn mentions(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name)
        .any(|(place, _)| !text[..place].ends_with(is_word) && !text[place + name.len()..].starts_with(is_word))
}

/// Parentheses around an expression that are looked into.
const MAX_PARENTHESES: usize = 16;

/// An expression without the parentheses around it.
pub(crate) fn unwrap_parentheses(mut node: Node<'_>) -> Node<'_> {
    for _ in 0..MAX_PARENTHESES {
        match node.named_child(0) {
            Some(inner) if node.kind() == "parenthesized_expression" => node = inner,
            _ => break,
        }
    }
    node
}
