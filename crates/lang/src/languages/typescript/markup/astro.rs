//! Markup of Astro components. Expressions may have markup inside, which the grammar of JSX reads.

use std::ops::Range;

use super::code::Code;
use super::tags::{Braces, Tag, Token, Tokens};
use super::{is_component, list_properties};

/// The lines that the code of a component is between.
const FENCE: &str = "---";

/// The code between lines of `---` at the beginning.
pub(super) fn frontmatter(text: &str) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start().len();
    text[start..].strip_prefix(FENCE)?;
    let body = start + FENCE.len();
    let is_line = |at: &usize| text[..*at].trim_end_matches([' ', '\t']).ends_with('\n');
    let end = text[body..].match_indices(FENCE).map(|(at, _)| body + at).find(is_line)?;
    Some(body..end)
}

/// Adds what the markup of a component uses.
pub(super) fn add(text: &str, code: &mut Code<'_>) {
    let from = frontmatter(text).map_or(0, |range| range.end + FENCE.len());
    for token in Tokens::new(text, from, Braces::Single) {
        match token {
            Token::Open(tag) => element(text, &tag, code),
            Token::Code(range) => code.evaluate(&range),
            Token::Close(_) => {}
        }
    }
}

fn element(text: &str, tag: &Tag, code: &mut Code<'_>) {
    if is_component(&text[tag.name.clone()]) {
        let properties = list_properties(text, tag);
        code.call_component(|code| code.copy(tag.name.clone()), &properties);
    }
    for attribute in tag.attributes.iter().filter(|attribute| attribute.in_braces) {
        let Some(value) = &attribute.value else { continue };
        let value = code.trim_range(value);
        let spread = if code.at(&value).starts_with("...") { "...".len() } else { 0 };
        code.evaluate(&(value.start + spread..value.end));
    }
}

#[cfg(test)]
mod tests {
    use super::super::code::print_code;
    use super::*;

    #[test]
    fn markup_becomes_code() {
        let rows: &[(&str, &str)] = &[
            ("---\nconst a = 1;\n---\n<p class={f(a)}>{g(a)}</p>", "(f(a));(g(a));"),
            ("<X {...rest} {name} b=`c ${d}` />", "{const {name: _, b: _, } = X(...[]);}(rest);(name);(`c ${d}`);"),
            ("{xs.map((x) => <li>{x} isn't</li>)}", "(xs.map((x) => <li>{x} isn't</li>));"),
            ("<!doctype html><br><Fragment>{/* none */}</Fragment>", ""),
        ];
        for (markup, expected) in rows {
            assert_eq!(print_code(markup, |code| add(markup, code)), *expected, "{markup}");
        }
    }

    #[test]
    fn code_is_between_fences() {
        assert_eq!(frontmatter("---\na\n---\nb"), Some(3..6));
        assert_eq!(frontmatter("\n---\na --- b\n  ---\n"), Some(4..15));
        assert_eq!(frontmatter("a\n---\n"), None);
    }
}
