//! C and C++: types stand around names, values are shared by their addresses, and a method is declared in its class.

mod callee;
mod compose;
mod declared;
mod extract;
mod inline;
mod macros;
mod member;

use m1nd_base::Limits;
use tree_sitter::Tree;

pub use member::NewMember;

use super::rules::C_FAMILY;
use super::{Inlined, InlinedCall, KnownCalls, Lines, Replacement, Result};
use crate::Language;

/// A new function with the call in the place of its lines.
#[derive(Debug)]
pub struct Extracted {
    /// The new texts of the file.
    pub replaced: Vec<Replacement>,
    /// The declaration that the class of a method needs elsewhere.
    pub member: Option<NewMember>,
}

/// Parses a text again, changed or of another file.
type Parse<'a> = dyn Fn(&str) -> Result<Tree> + 'a;

/// Parses a file again without macros that stand for nothing, if its tree has errors.
fn parse_again(tree: Tree, text: &str, calls: &dyn KnownCalls, parse: &Parse<'_>) -> Result<Tree> {
    if !tree.root_node().has_error() {
        return Ok(tree);
    }
    let blanked = macros::blank_empty(text, calls);
    if blanked == text { Ok(tree) } else { parse(&blanked) }
}

/// Plans to make lines a function.
pub(super) fn extract(
    language: Language,
    (tree, text): (Tree, &str),
    lines: Lines<'_>,
    (calls, limits): (&dyn KnownCalls, &Limits),
    parse: &Parse<'_>,
) -> Result<Extracted> {
    let tree = parse_again(tree, text, calls, parse)?;
    let plan = extract::Plan::new((language, &C_FAMILY), &tree, text, lines, (calls, limits))?;
    compose::compose(&plan)
}

/// Plans to replace calls of a function by its body.
pub(super) fn inline(
    language: Language,
    (tree, text): (Tree, &str),
    place: (u32, &str),
    calls: &[InlinedCall<'_>],
    (limits, parse): (&Limits, &Parse<'_>),
) -> Result<Inlined> {
    // What is known of calls in the file of the function, or in the first one.
    let known = calls.iter().find(|call| std::ptr::eq(call.text, text)).or(calls.first());
    let Some(known) = known.map(|call| call.calls) else {
        return Err(super::refuse(place.0, "nothing calls it"));
    };
    let tree = parse_again(tree, text, known, parse)?;
    let callee = callee::Callee::read(language, (&tree, text), place, (known, limits))?;
    let mut brought: Vec<(&str, Vec<String>)> = Vec::new();
    let replaced = calls.iter().map(|call| {
        if !brought.iter().any(|row| std::ptr::eq(row.0, call.text)) {
            brought.push((call.text, Vec::new()));
        }
        let mut none = Vec::new();
        let names = brought.iter_mut().find(|row| std::ptr::eq(row.0, call.text)).map_or(&mut none, |row| &mut row.1);
        let tree = parse_again(parse(call.text)?, call.text, call.calls, parse)?;
        inline::replace(&callee, &tree, call, names, (language, limits))
    });
    let calls = replaced.collect();
    let names = callee.list_free().into_iter().map(|(name, _)| name.to_owned()).collect();
    let body = callee.function.child_by_field_name("body").unwrap_or(callee.function).byte_range();
    let removed = super::inlined_text::find_removed(text, callee.function);
    Ok(Inlined { removed, body, names, calls })
}

/// The prototypes of a name in a file that declare nothing else: what is removed with each.
///
/// # Errors
/// A declaration that has other names too.
pub(super) fn find_prototypes((tree, text): (&Tree, &str), name: &str) -> Result<Vec<std::ops::Range<usize>>> {
    let found = callee::list_prototypes(tree, text, name);
    found
        .into_iter()
        .map(|(node, line, is_alone)| match is_alone {
            true => Ok(super::inlined_text::find_removed(text, node)),
            false => Err(super::refuse(line, "its declaration has other names too")),
        })
        .collect()
}
