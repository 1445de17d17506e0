//! Type variables of `typing`: `T = TypeVar("T")`, `class Box(Generic[T])`, `def first(items: list[T]) -> T`. They
//! become type parameters of the classes and functions that use them, as the newer `class Box[T]` writes it.

use tree_sitter::Node;

use super::types::MAX_TYPE_FUNCTION;
use crate::facts::{BindingTarget, DefId, ExprId, NameId, Namespace, ScopeId, TypeParameter};
use crate::languages::python::state::{Extractor, FIELDS, FrameKind, KindName, last_word};

/// Maximum nodes of a signature searched for type variables.
const MAX_SCAN: usize = 512;
/// Bases whose arguments are type variables and which bring no members.
const GENERIC_BASES: [&str; 2] = ["Generic", "Protocol"];
/// Bases that bring no members worth following.
const EMPTY_BASES: [&str; 4] = ["Generic", "Protocol", "object", "ABC"];

/// Returns whether a base class contributes no members.
pub(in crate::languages::python) fn is_empty_base(text: &str) -> bool {
    let head = text.split('[').next().unwrap_or(text);
    head.len() < 64 && EMPTY_BASES.contains(&last_word(head))
}

impl Extractor<'_> {
    /// Returns whether a node is a call of `TypeVar`.
    pub(in crate::languages::python) fn is_type_variable_call(&self, node: Node<'_>) -> bool {
        let function = node.child_by_field_id(FIELDS.function).filter(|_| node.kind_name() == "call");
        function.is_some_and(|function| {
            function.byte_range().len() < MAX_TYPE_FUNCTION && last_word(self.source.text(function)) == "TypeVar"
        })
    }

    /// Remembers `T = TypeVar("T", bound=B)`; its bound, or one of its constraints, if it has some.
    pub(in crate::languages::python) fn note_type_variable(&mut self, name: NameId, call: Node<'_>) -> Option<ExprId> {
        let mut limits = Vec::new();
        if let Some(arguments) = call.child_by_field_id(FIELDS.arguments) {
            let mut cursor = arguments.walk();
            for (index, argument) in arguments.named_children(&mut cursor).enumerate() {
                let is_bound = argument.kind_name() == "keyword_argument"
                    && argument.child_by_field_id(FIELDS.name).is_some_and(|name| self.source.text(name) == "bound");
                let limit = match argument.kind_name() {
                    "keyword_argument" if is_bound => argument.child_by_field_id(FIELDS.value),
                    "keyword_argument" | "comment" => None,
                    _ => Some(argument).filter(|_| index > 0),
                };
                limits.extend(limit.and_then(|limit| self.exprs.get(limit)));
            }
        }
        let bound = (!limits.is_empty()).then(|| self.b.union(&limits));
        self.type_variables.insert(name, bound);
        bound
    }

    /// Returns whether a keyword argument is the bound of a `TypeVar`, which is a type.
    pub(in crate::languages::python) fn is_type_variable_bound(
        &self,
        argument: Node<'_>,
        call: Option<Node<'_>>,
    ) -> bool {
        let name = argument.child_by_field_id(FIELDS.name);
        name.is_some_and(|name| self.source.text(name) == "bound")
            && call.is_some_and(|call| self.is_type_variable_call(call))
    }

    /// Type variables that a class has by its bases, in the order of its type parameters.
    pub(in crate::languages::python) fn class_type_variables(&mut self, class: Node<'_>) -> Vec<NameId> {
        let mut names = Vec::new();
        let Some(bases) = class.child_by_field_id(FIELDS.superclasses) else { return names };
        let mut cursor = bases.walk();
        for base in bases.named_children(&mut cursor).filter(|base| base.kind_name() == "subscript") {
            let head = base.child_by_field_id(FIELDS.value).map_or("", |head| last_word(self.source.text(head)));
            let is_declaring = GENERIC_BASES.contains(&head);
            let mut found = Vec::new();
            let mut cursor = base.walk();
            for argument in base.children_by_field_name("subscript", &mut cursor) {
                if is_declaring && argument.kind_name() == "identifier" {
                    found.push(self.b.name(self.source.text(argument)));
                } else {
                    self.used_type_variables(argument, &mut found);
                }
            }
            if is_declaring {
                return found;
            }
            names.extend(found);
        }
        let mut unique: Vec<NameId> = Vec::new();
        names.retain(|name| {
            let is_new = !unique.contains(name);
            unique.push(*name);
            is_new
        });
        names
    }

    /// Type variables in the parameters of a function that no class around it has.
    pub(in crate::languages::python) fn function_type_variables(&mut self, function: Node<'_>) -> Vec<NameId> {
        let mut names = Vec::new();
        if self.type_variables.is_empty() {
            return names;
        }
        if let Some(parameters) = function.child_by_field_id(FIELDS.parameters) {
            let mut cursor = parameters.walk();
            for parameter in parameters.named_children(&mut cursor) {
                if let Some(declared) = parameter.child_by_field_id(FIELDS.type_) {
                    self.used_type_variables(declared, &mut names);
                }
            }
        }
        let mut seen: Vec<NameId> = Vec::new();
        names.retain(|name| {
            let is_new = !seen.contains(name) && !self.frames.iter().any(|frame| frame.type_variables.contains(name));
            seen.push(*name);
            is_new
        });
        names
    }

    /// Known type variables below a node, in order.
    fn used_type_variables(&mut self, node: Node<'_>, names: &mut Vec<NameId>) {
        let mut open = vec![node];
        for _ in 0..MAX_SCAN {
            let Some(node) = open.pop() else { return };
            if node.kind_name() == "identifier" {
                let name = self.b.name(self.source.text(node));
                if self.type_variables.contains_key(&name) {
                    names.push(name);
                }
                continue;
            }
            let mut cursor = node.walk();
            let start = open.len();
            open.extend(node.named_children(&mut cursor).take(MAX_SCAN));
            open[start..].reverse();
        }
    }

    /// Makes type variables the type parameters of a definition.
    pub(in crate::languages::python) fn bind_type_variables(&mut self, id: DefId, scope: ScopeId, names: &[NameId]) {
        let mut parameters = Vec::new();
        for (index, &name) in names.iter().enumerate() {
            let bound = self.type_variables.get(&name).copied().flatten();
            parameters.push(TypeParameter { name, bound });
            self.b.bind(scope, name, Namespace::Any, BindingTarget::TypeParameter(id, index as u32));
        }
        self.b.type_parameters(id, &parameters);
    }

    /// The type variable that a method writes for its own class: `def copy(self: T) -> T`, `def make(cls: type[T]) ->
    /// T`.
    pub(in crate::languages::python) fn receiver_type_variable(&mut self, function: Node<'_>) -> Option<NameId> {
        let parameters = function.child_by_field_id(FIELDS.parameters)?;
        let first = parameters.named_child(0).filter(|first| first.kind_name() == "typed_parameter")?;
        let text = self.source.text(first.child_by_field_id(FIELDS.type_)?);
        let inner = text.strip_prefix("type[").or_else(|| text.strip_prefix("Type["));
        let inner = inner.and_then(|inner| inner.strip_suffix(']')).unwrap_or(text);
        let name = self.b.name(inner.trim());
        self.type_variables.contains_key(&name).then_some(name)
    }

    /// Returns whether a name in a type is the variable for the class of the current method.
    pub(in crate::languages::python) fn is_receiver_variable(&self, name: NameId) -> bool {
        let frame = self.frames.iter().rev().find(|frame| frame.kind == FrameKind::Function);
        frame.is_some_and(|frame| frame.receiver_variable == Some(name))
    }
}
