//! Composite literals: the types of their elements, and the fields named by their keys.

use tree_sitter::Node;

use super::children;
use super::state::{Extractor, MAX_NAME};
use crate::facts::{Expr, ExprId, Role};
use crate::text;
use crate::walk::Step;

/// Maximum number of elements of a literal that are read as values of fields.
const MAX_ELEMENTS: usize = 256;

impl Extractor<'_> {
    /// The container of the elements: a value of the written type, or an element of the enclosing literal.
    pub(super) fn enter_literal_value<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) {
        let expr = match path.last().map(|step| step.node) {
            Some(holder) if holder.kind() == "composite_literal" => {
                let of = self.field_expr(holder, "type");
                if of == self.b.unknown() { of } else { self.b.expr(Expr::Instance { of }) }
            }
            _ => match around(path) {
                Some((outer, is_key)) => {
                    let base = self.expr_of(Some(outer));
                    if base == self.b.unknown() {
                        base
                    } else if is_key {
                        self.b.expr(Expr::Enter { base })
                    } else {
                        self.b.expr(Expr::Index { base })
                    }
                }
                None => self.b.unknown(),
            },
        };
        self.exprs.set(step.node, expr);
    }

    /// The field that the key of an element names; `None` if the identifier is no such key.
    pub(super) fn field_key<'t>(&mut self, node: Node<'t>, path: &[Step<'t>]) -> Option<ExprId> {
        let [.., literal, keyed, element] = path else { return None };
        let is_key = element.node.kind() == "literal_element"
            && element.field == Some("key")
            && keyed.node.kind() == "keyed_element"
            && literal.node.kind() == "literal_value";
        if !is_key || !has_fields(&path[..path.len() - 2]) {
            return None;
        }
        let base = self.expr_of(Some(literal.node));
        let member = self.b.member(base, text::clip(self.text(node), MAX_NAME));
        self.refer(member, Role::Write, u8::MAX, node);
        self.exprs.set(node, member);
        Some(member)
    }

    /// The name of the struct that a literal is of, or that the elements of the literal around it are of.
    fn struct_name(&self, literal: ExprId) -> Option<&str> {
        let facts = self.b.facts();
        let is_element = matches!(facts.expr(literal), Expr::Index { .. });
        let Expr::Instance { mut of } = facts.expr(facts.container(literal)) else { return None };
        if let (Expr::Collection { items, .. }, true) = (facts.expr(of), is_element) {
            of = *facts.list(items).last()?;
        }
        if let Expr::Generic { base, .. } = facts.expr(of) {
            of = base;
        }
        match facts.expr(of) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => Some(facts.name(name)),
            _ => None,
        }
    }

    /// What the elements of a literal of a struct store in its fields, by key or by `#` with the struct and position;
    /// those of other literals are elements of a container.
    pub(super) fn store_elements<'t>(&mut self, literal: Node<'t>, path: &[Step<'t>]) {
        let base = self.expr_of(Some(literal));
        if base == self.b.unknown() {
            return;
        }
        // Maps, slices and arrays: what they hold, whatever the key is.
        if !has_fields(path) {
            for element in children(literal).into_iter().take(MAX_ELEMENTS) {
                let is_keyed = element.kind() == "keyed_element";
                let value = if is_keyed { children(element).pop() } else { Some(element) };
                let value = self.expr_of(value);
                self.b.store_element(base, value);
            }
            return;
        }
        // Structs: the order of their fields is known only where they are declared, so places are stored as `#`.
        for (index, element) in children(literal).into_iter().take(MAX_ELEMENTS).enumerate() {
            let parts = children(element);
            match (element.kind(), parts.as_slice()) {
                ("keyed_element", [key, value]) => {
                    let key = children(*key).first().map_or(self.b.unknown(), |name| self.expr_of(Some(*name)));
                    let value = self.expr_of(Some(*value));
                    if matches!(self.b.facts().expr(key), Expr::Member { base: of, .. } if of == base) {
                        self.b.store(key, value);
                    }
                }
                ("literal_element", _) => {
                    let value = self.expr_of(Some(element));
                    if let Some(of) = self.struct_name(base).map(str::to_owned) {
                        let name = self.b.name(&format!("#{of}.{index}"));
                        self.b.store_member(base, name, value);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The literal around one that has no type of its own, and whether it is a key there.
fn around<'t>(path: &[Step<'t>]) -> Option<(Node<'t>, bool)> {
    let (element, above) = path.split_last().filter(|(last, _)| last.node.kind() == "literal_element")?;
    let (parent, further) = above.split_last()?;
    match parent.node.kind() {
        "literal_value" => Some((parent.node, false)),
        "keyed_element" => {
            let outer = further.last().filter(|step| step.node.kind() == "literal_value")?;
            Some((outer.node, element.field == Some("key")))
        }
        _ => None,
    }
}

/// Returns whether the keys of the literal that `path` ends at are fields. Types that are only named count as
/// structs: maps and arrays with a name of their own rarely have keys that are bare names.
fn has_fields(path: &[Step<'_>]) -> bool {
    // From the outermost literal inwards: element of, element of, …
    let mut steps = Vec::new();
    let mut rest = path;
    let ty = loop {
        let Some((last, above)) = rest.split_last() else { return true };
        match last.node.kind() {
            "composite_literal" => break last.node.child_by_field_name("type"),
            "literal_element" => {
                let in_key = last.field == Some("key");
                steps.push(in_key);
            }
            "literal_value" | "keyed_element" => {}
            _ => return true,
        }
        rest = above;
    };
    let mut ty = ty;
    for in_key in steps.into_iter().rev() {
        ty = ty.map(bare).and_then(|ty| match ty.kind() {
            "map_type" => ty.child_by_field_name(if in_key { "key" } else { "value" }),
            "slice_type" | "array_type" | "implicit_length_array_type" => ty.child_by_field_name("element"),
            _ => None,
        });
    }
    !ty.map(bare)
        .is_some_and(|ty| matches!(ty.kind(), "map_type" | "slice_type" | "array_type" | "implicit_length_array_type"))
}

/// A type without pointers and parentheses around it.
fn bare(mut ty: Node<'_>) -> Node<'_> {
    while let Some(inner) = ty.named_child(0).filter(|_| matches!(ty.kind(), "pointer_type" | "parenthesized_type")) {
        ty = inner;
    }
    ty
}
