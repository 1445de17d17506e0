//! Tests that are calls: `it("adds", () => …)`. The function is named after its title, behind the word of the call.

use tree_sitter::Node;

use super::functions::FunctionBinding;
use super::state::{Extractor, children};
use crate::walk::Step;

/// Longest title in a name, in characters.
const MAX_TITLE: usize = 80;
/// Words of test runners that take a title and a function, each with the word in the name; those that skip a test or
/// run it alone are the same.
const WORDS: &[(&str, &str)] = &[
    ("describe", "describe"),
    ("fdescribe", "describe"),
    ("xdescribe", "describe"),
    ("suite", "suite"),
    ("it", "it"),
    ("fit", "it"),
    ("xit", "it"),
    ("test", "test"),
    ("xtest", "test"),
    ("Deno", "test"),
    ("QUnit", "test"),
];
/// Words that hold other tests.
const HOLDERS: &[&str] = &["describe", "suite"];
/// Runners whose tests are a member of theirs.
const OBJECTS: &[&str] = &["Deno", "QUnit"];

/// The word of the test that a callee makes: `it` for `it.only` and `it.each(…)`.
pub(super) fn word_of(callee: &str) -> Option<&'static str> {
    let mut parts = callee.split(['.', '(', '`', '<']);
    let first = parts.next().unwrap_or(callee).trim();
    let (_, word) = WORDS.iter().find(|(known, _)| *known == first)?;
    let is_test = !OBJECTS.contains(&first) || parts.next().is_some_and(|member| member.trim() == "test");
    is_test.then_some(*word)
}

/// Returns whether an argument may be the title of a test.
pub(super) fn is_title(node: Node<'_>) -> bool {
    matches!(node.kind(), "string" | "template_string" | "identifier" | "binary_expression")
}

impl<'a> Extractor<'a> {
    /// Names a function that is an argument of a test. Returns whether it is one.
    pub(super) fn name_test<'tree>(&self, path: &[Step<'tree>], place: &mut FunctionBinding<'tree>) -> bool {
        let [.., call, arguments] = path else { return false };
        if call.node.kind() != "call_expression" || arguments.node.kind() != "arguments" {
            return false;
        }
        let callee = call.node.child_by_field_name("function").map_or("", |callee| self.source.text(callee));
        let Some(word) = word_of(callee) else { return false };
        let Some(title) = children(arguments.node).into_iter().next().filter(|title| is_title(*title)) else {
            return false;
        };
        let text = self.source.text(title);
        let is_literal = matches!(title.kind(), "string" | "template_string");
        let text = if is_literal { text.get(1..text.len().saturating_sub(1)).unwrap_or(text) } else { text };
        // A title may hold what separates the names of an id.
        let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("::", ":");
        place.name = format!("{word} {}", text.chars().take(MAX_TITLE).collect::<String>());
        (place.at, place.whole, place.bound) = (title, call.node, false);
        place.is_test = !HOLDERS.contains(&word);
        true
    }
}
