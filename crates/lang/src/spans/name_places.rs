//! The places of a text that spell a name, with the form that each has in the syntax tree: what a new name must write
//! there depends on it.

use m1nd_base::{Cancel, Limits};
use tree_sitter::Node;

use crate::{Language, parse};

/// Tree nodes visited between two checks of the cancel flag.
const STRIDE: usize = 4_096;

/// How a name is written at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameForm {
    /// The name of something that is declared there.
    Declaration {
        /// First byte of the block around the declaration: declarations of one symbol share it.
        block: usize,
    },
    /// One name for a field and the value that it gets: `Point { x }`, `{ load }`.
    FieldAndValue,
    /// One name for a field and the variable that takes its value, in a pattern.
    FieldAndVariable,
    /// The name of an opening tag; where the closing tag repeats it.
    OpeningTag(usize),
    /// The name of a closing tag.
    ClosingTag,
    /// The name of an argument or attribute that is given: `f(name=1)`, `<Row name="x">`.
    Argument,
    /// Inside of a comment.
    Comment,
    /// Inside of a text literal, which is between these bytes.
    Literal(usize, usize),
    /// Any other.
    Plain,
}

/// A place that spells a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamePlace {
    /// First byte.
    pub start: usize,
    /// How it is written.
    pub form: NameForm,
}

/// The places of a text with the whole word `name`, in order; `None` where the language has no grammar of its own or
/// the text cannot be parsed.
pub fn name_places(
    language: Language,
    text: &str,
    name: &str,
    limits: &Limits,
    cancel: &Cancel,
) -> Option<Vec<NamePlace>> {
    let grammar = language.grammar()?;
    let words = list_words(text, name);
    if words.is_empty() {
        return Some(Vec::new());
    }
    if text.len() > limits.parse_bytes {
        return None;
    }
    let tree = parse::parse(&grammar, text.as_bytes(), limits, cancel).ok()?;
    let mut words = words.into_iter().peekable();
    let mut found = Vec::new();
    let mut above: Vec<Node<'_>> = Vec::new();
    let mut cursor = tree.walk();
    let mut steps = 0;
    // Once through the tree, down only where the name is.
    while let Some(&at) = words.peek() {
        let node = cursor.node();
        steps += 1;
        if steps % STRIDE == 0 && cancel.is_cancelled() {
            return None;
        }
        let holds = node.start_byte() <= at && at < node.end_byte();
        if holds && node.child_count() > 0 && (above.len() as u32) < limits.tree_depth {
            above.push(node);
            cursor.goto_first_child();
            continue;
        }
        if holds {
            while let Some(start) = words.next_if(|&at| at < node.end_byte()) {
                found.push(NamePlace { start, form: form_of(node, &above, (text, start, name)) });
            }
            continue;
        }
        // Text between the children of a node, like that of literals in some grammars.
        if at < node.start_byte() {
            let form = above.last().map_or(NameForm::Plain, |parent| form_of(*parent, &above, (text, at, name)));
            found.push(NamePlace { start: at, form });
            words.next();
            continue;
        }
        while !cursor.goto_next_sibling() {
            let Some(parent) = above.pop() else {
                found.extend(words.by_ref().map(|start| NamePlace { start, form: NameForm::Plain }));
                break;
            };
            while let Some(start) = words.next_if(|&at| at < parent.end_byte()) {
                found.push(NamePlace { start, form: form_of(parent, &above, (text, start, name)) });
            }
            cursor.goto_parent();
        }
    }
    Some(found)
}

fn list_words(text: &str, name: &str) -> Vec<usize> {
    text.match_indices(name).map(|(at, _)| at).filter(|&at| is_whole_word(text, at, name)).collect()
}

/// Returns whether the word at an offset is not part of a longer one.
fn is_whole_word(text: &str, at: usize, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !text[at + word.len()..].starts_with(is_part) && !text[..at].ends_with(is_part)
}

/// The form of the name in a leaf, by the nodes above it, the root first.
fn form_of(leaf: Node<'_>, above: &[Node<'_>], (text, at, name): (&str, usize, &str)) -> NameForm {
    let nearest = std::iter::once(&leaf).chain(above.iter().rev());
    let code = |kind: &str| kind.contains("interpolation") || kind.contains("substitution") || kind == "jsx_expression";
    for node in nearest.take_while(|node| !code(node.kind())) {
        let kind = node.kind();
        if kind.contains("comment") {
            return NameForm::Comment;
        }
        let is_literal = kind.contains("string") && kind != "stringify" || kind.contains("regex") || kind == "jsx_text";
        if is_literal && node.parent().is_none_or(|parent| !parent.kind().contains("string") || code(parent.kind())) {
            return NameForm::Literal(node.start_byte(), node.end_byte());
        }
    }
    if text.get(leaf.byte_range()) != Some(name) {
        return NameForm::Plain;
    }
    let Some(parent) = above.last() else { return NameForm::Plain };
    match (leaf.kind(), parent.kind()) {
        ("shorthand_property_identifier", _) | (_, "shorthand_field_initializer") => NameForm::FieldAndValue,
        ("shorthand_property_identifier_pattern" | "shorthand_field_identifier", _) => NameForm::FieldAndVariable,
        (_, "jsx_attribute") => NameForm::Argument,
        (_, "keyword_argument" | "type_binding") if parent.child_by_field_name("name") == Some(leaf) => {
            NameForm::Argument
        }
        (_, "element_value_pair") if parent.child_by_field_name("key") == Some(leaf) => NameForm::Argument,
        _ => tag(above, at).unwrap_or_else(|| declaration(leaf, above).unwrap_or(NameForm::Plain)),
    }
}

/// The form of a name in a tag of JSX.
fn tag(above: &[Node<'_>], at: usize) -> Option<NameForm> {
    let is_name =
        |node: &&Node<'_>| matches!(node.kind(), "member_expression" | "nested_identifier" | "jsx_namespace_name");
    let around = above.iter().rev().find(|node| !is_name(node))?;
    match around.kind() {
        "jsx_closing_element" => Some(NameForm::ClosingTag),
        "jsx_opening_element" => {
            let own = around.child_by_field_name("name")?;
            let closing = around.parent()?.child_by_field_name("close_tag")?.child_by_field_name("name")?;
            (own.start_byte() <= at && at < own.end_byte())
                .then(|| NameForm::OpeningTag(closing.start_byte() + at - own.start_byte()))
        }
        _ => None,
    }
}

/// Kinds of nodes between a declaration and the block that it belongs to.
const WRAPPERS: &[&str] =
    &["decorated_definition", "export_statement", "ambient_declaration", "expression_statement", "declaration_list"];

/// The form of the name of a function, method or type that is declared.
fn declaration(leaf: Node<'_>, above: &[Node<'_>]) -> Option<NameForm> {
    let (own, above) = above.split_last()?;
    let kind = own.kind();
    let declares = ["function", "method", "class", "interface", "enum", "signature", "module", "alias"];
    let ends = ["definition", "declaration", "signature", "item", "module", "enum"];
    let is_declaration = declares.iter().any(|word| kind.contains(word)) && ends.iter().any(|end| kind.ends_with(end));
    if !is_declaration || own.child_by_field_name("name") != Some(leaf) {
        return None;
    }
    let block = above.iter().rev().find(|node| !WRAPPERS.contains(&node.kind()))?;
    Some(NameForm::Declaration { block: block.start_byte() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_name() {
        use Language as L;
        // The name is `x`.
        let rows = [
            (L::Tsx, "<x a={x}>x</x>", "tag 1 closing 12, plain 6, literal 9, closing 12"),
            (L::Tsx, "<M.x y={1}></M.x>", "tag 3 closing 15, closing 15"),
            (L::Tsx, "<x /> ; <R x='1' />", "plain 1, argument 11"),
            (L::TypeScript, "const o = { x }; const { x, y: { x } } = o", "both 12, pattern 25, pattern 33"),
            (L::TypeScript, "f({ x: 1 }); // x\n`${x} x`", "plain 4, comment 16, plain 21, literal 24"),
            (L::TypeScript, "function x(): 1;\nexport function x() {}", "declaration 9 in 0, declaration 33 in 0"),
            (L::Rust, "fn f() { P { x }; if a { x } else { x } }", "both 13, plain 25, plain 36"),
            (L::Rust, "fn f() { let P { x } = p; }", "pattern 17"),
            (
                L::Python,
                "f(x=x)  # x\n'x'\nf'{x} x'",
                "argument 2, plain 4, comment 10, literal 13, plain 19, literal 22",
            ),
            (L::Python, "@x.setter\ndef x(): pass", "plain 1, declaration 14 in 0"),
        ];
        for (language, text, expected) in rows {
            let places = name_places(language, text, "x", &Limits::default(), &Cancel::new()).expect("has a grammar");
            let shown = |place: &NamePlace| {
                let word = match place.form {
                    NameForm::Declaration { block } => return format!("declaration {} in {block}", place.start),
                    NameForm::OpeningTag(closing) => return format!("tag {} closing {closing}", place.start),
                    NameForm::FieldAndValue => "both",
                    NameForm::FieldAndVariable => "pattern",
                    NameForm::ClosingTag => "closing",
                    NameForm::Argument => "argument",
                    NameForm::Comment => "comment",
                    NameForm::Literal(..) => "literal",
                    NameForm::Plain => "plain",
                };
                format!("{word} {}", place.start)
            };
            assert_eq!(places.iter().map(shown).collect::<Vec<_>>().join(", "), expected, "{text}");
        }
    }
}
