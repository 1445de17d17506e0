//! What decides which type an object literal of TypeScript has: an annotation, or the parameter that it is given to.

use m1nd_base::{Cancel, Limits};
use tree_sitter::Node;

use crate::{Language, parse};

/// Maximum number of nodes between a literal and what decides its type.
const MAX_ABOVE: usize = 32;
/// Maximum number of names of types in one annotation.
const MAX_TYPES: usize = 32;

/// What decides the type of a literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyContext {
    /// An annotation: first bytes of the names of types in it.
    Types(Vec<usize>),
    /// It is an argument: first byte of the name of what is called, and its place among the arguments.
    Argument {
        /// First byte of the name.
        callee: usize,
        /// Counted from 0.
        index: usize,
    },
    /// Nothing that is written beside it.
    Unknown,
}

/// The contexts of the literals whose keys start at these bytes; `None` for other languages, and for bytes that are not
/// a key.
pub fn literal_keys(
    language: Language,
    text: &str,
    keys: &[usize],
    limits: &Limits,
    cancel: &Cancel,
) -> Option<Vec<Option<KeyContext>>> {
    if !matches!(language, Language::TypeScript | Language::Tsx) || text.len() > limits.parse_bytes {
        return None;
    }
    let tree = parse::parse(&language.grammar()?, text.as_bytes(), limits, cancel).ok()?;
    let root = tree.root_node();
    let context = |&key: &usize| {
        let leaf = root.named_descendant_for_byte_range(key, key + 1)?;
        let literal = match leaf.kind() {
            "shorthand_property_identifier" => leaf.parent()?,
            _ => leaf.parent()?.parent()?,
        };
        (literal.kind() == "object").then(|| context_of(literal))
    };
    Some(keys.iter().map(context).collect())
}

/// What decides the type of an expression.
fn context_of(mut inner: Node<'_>) -> KeyContext {
    for _ in 0..MAX_ABOVE {
        let Some(outer) = inner.parent() else { return KeyContext::Unknown };
        let fills = |field: &str| outer.child_by_field_name(field) == Some(inner);
        let of_field = |node: Node<'_>, field: &str| match node.child_by_field_name(field) {
            Some(annotation) => KeyContext::Types(list_types(annotation)),
            None => KeyContext::Unknown,
        };
        match outer.kind() {
            // The same value, or one of several.
            "parenthesized_expression" | "array" | "binary_expression" => {}
            "ternary_expression" if !fills("condition") => {}
            "as_expression" | "satisfies_expression" => {
                let types = outer.named_child(1).map(list_types).unwrap_or_default();
                if !types.is_empty() {
                    return KeyContext::Types(types);
                }
            }
            "variable_declarator" | "public_field_definition" | "required_parameter" | "optional_parameter"
                if fills("value") =>
            {
                return of_field(outer, "type");
            }
            "arrow_function" if fills("body") => return of_field(outer, "return_type"),
            "return_statement" => {
                let mut around = outer.parent();
                while let Some(node) = around.filter(|node| node.child_by_field_name("parameters").is_none()) {
                    around = node.parent();
                }
                return around.map_or(KeyContext::Unknown, |function| of_field(function, "return_type"));
            }
            "arguments" => {
                let callee = outer.parent().and_then(|call| {
                    call.child_by_field_name("function").or_else(|| call.child_by_field_name("constructor"))
                });
                let index =
                    (0..outer.named_child_count()).position(|place| outer.named_child(place as u32) == Some(inner));
                let name = callee.map(|callee| callee.child_by_field_name("property").unwrap_or(callee));
                return match name.zip(index) {
                    Some((name, index)) => KeyContext::Argument { callee: name.start_byte(), index },
                    None => KeyContext::Unknown,
                };
            }
            _ => return KeyContext::Unknown,
        }
        inner = outer;
    }
    KeyContext::Unknown
}

/// First bytes of the names of types in an annotation, but for those of members that are written in it.
fn list_types(annotation: Node<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut open = vec![annotation];
    while let Some(node) = open.pop().filter(|_| found.len() < MAX_TYPES) {
        match node.kind() {
            "type_identifier" => found.push(node.start_byte()),
            "object_type" => {}
            _ => open.extend((0..node.named_child_count()).filter_map(|index| node.named_child(index as u32))),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_of_literals() {
        // The key is `k`.
        let rows = [
            ("const a: T = { k: 1 };", "types T"),
            ("const a: T[] = [{ k: 1 }];", "types T"),
            ("const a = { k: 1 };", "unknown"),
            ("const a = { k: 1 } satisfies T;", "types T"),
            ("const a = { k() {} } as const;", "unknown"),
            ("f(1, { k });", "argument 1 of f"),
            ("a.b.f({ k: 1 });", "argument 0 of f"),
            ("new C({ k: 1 });", "argument 0 of C"),
            ("function f(): Promise<T> { return { k: 1 }; }", "types Promise T"),
            ("const f = (): T => ({ k: 1 });", "types T"),
            ("function f(o: T = { k: 1 }) {}", "types T"),
            ("const a: T = { o: { k: 1 } };", "unknown"),
        ];
        for (text, expected) in rows {
            let key = text.find('k').expect("has the key");
            let found = literal_keys(Language::TypeScript, text, &[key], &Limits::default(), &Cancel::new());
            let word = |at: usize| text[at..].split(|c: char| !c.is_alphanumeric()).next().expect("a word");
            let shown = match found.expect("parses")[0].clone() {
                Some(KeyContext::Types(mut types)) => {
                    types.sort_unstable();
                    types.iter().fold("types".to_owned(), |all, at| format!("{all} {}", word(*at)))
                }
                Some(KeyContext::Argument { callee, index }) => format!("argument {index} of {}", word(callee)),
                Some(KeyContext::Unknown) => "unknown".to_owned(),
                None => "no key".to_owned(),
            };
            assert_eq!(shown, expected, "{text}");
        }
    }
}
