//! Generic functions of the standard library, with the relation of their result to their arguments.

use tree_sitter::Node;

use super::state::{Extractor, MAX_NAME};
use crate::facts::{Collection, Expr, ExprId};
use crate::text;

/// Result of a function, in terms of its first argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Yields {
    /// The argument, or something of its type.
    Same,
    /// An element.
    Element,
    /// A slice of the iterated elements.
    Collected,
    /// An iterator over the keys.
    Keys,
    /// An iterator over its elements.
    Values,
}

/// Package, functions, result.
const FUNCTIONS: &[(&str, &[&str], Yields)] = &[
    (
        "slices",
        &[
            "All", "Backward", "Clip", "Clone", "Compact", "CompactFunc", "Concat", "Delete", "DeleteFunc", "Grow",
            "Insert", "Repeat", "Replace",
        ],
        Yields::Same,
    ),
    ("slices", &["Max", "MaxFunc", "Min", "MinFunc"], Yields::Element),
    ("slices", &["Collect", "Sorted", "SortedFunc", "SortedStableFunc"], Yields::Collected),
    ("slices", &["Values"], Yields::Values),
    ("maps", &["All", "Clone", "Collect"], Yields::Same),
    ("maps", &["Keys"], Yields::Keys),
    ("maps", &["Values"], Yields::Values),
    ("sync", &["OnceFunc", "OnceValue", "OnceValues"], Yields::Same),
    ("cmp", &["Or"], Yields::Same),
];

impl Extractor<'_> {
    /// The value of a call of a generic function of the standard library; `None` if it is a call of something else.
    pub(super) fn standard_call(&mut self, function: Node<'_>, first: Option<Node<'_>>) -> Option<ExprId> {
        let operand = function.child_by_field_name("operand").filter(|operand| operand.kind() == "identifier")?;
        let name = self.text(function.child_by_field_name("field")?);
        let package = self.b.name(text::clip(self.text(operand), MAX_NAME));
        let module = *self.packages.get(&package)?;
        if self.local(package).is_some() {
            return None;
        }
        let module = self.b.facts().name(module);
        let row = FUNCTIONS.iter().find(|(of, names, _)| *of == module && names.contains(&name))?;
        let base = self.expr_of(Some(first?));
        if base == self.b.unknown() {
            return Some(base);
        }
        Some(match row.2 {
            Yields::Same => base,
            Yields::Element => self.b.expr(Expr::Index { base }),
            Yields::Collected => self.of_items(Collection::List, Expr::Element { base }),
            Yields::Keys => self.of_items(Collection::Iterator, Expr::Enter { base }),
            Yields::Values => self.of_items(Collection::Iterator, Expr::Index { base }),
        })
    }

    fn of_items(&mut self, kind: Collection, item: Expr) -> ExprId {
        let item = self.b.expr(item);
        let items = self.b.list(&[item]);
        self.b.expr(Expr::Collection { kind, items })
    }
}
