//! The comment at the head of a symbol, which is shortened where it is shown with the code.

use m1nd_engine::{Language, ReadingRules};

use crate::rows::count;
use crate::source::{count_escaped, number_lines};

/// Fewest lines of a comment that is shortened.
const MIN_LINES: usize = 24;
/// Lines that stay at its beginning and end.
const FIRST_LINES: usize = 10;
const LAST_LINES: usize = 3;
/// Lines of a header, at most, before a docstring.
const MAX_HEADER: usize = 60;

/// The lines in the middle of a long comment at the head of a symbol, by their index: first, and the one behind the
/// last. `None` if it has no comment, or a short one.
pub(crate) fn find_middle(lines: &[&str], language: Option<Language>) -> Option<(usize, usize)> {
    let (start, end) = match language.is_some_and(|language| ReadingRules::of(language).has_docstrings) {
        true => find_docstring(lines)?,
        false => (0, lines.iter().take_while(|line| is_comment(line)).count()),
    };
    (end - start >= MIN_LINES).then(|| (start + FIRST_LINES, end - LAST_LINES))
}

/// Like [`number_lines`], with a note in place of the lines in the middle of a long comment.
pub(crate) fn number_around(
    lines: &[&str],
    middle: Option<(usize, usize)>,
    (offset, total): (usize, usize),
    size: usize,
) -> (String, usize) {
    let Some((start, end)) = middle else { return number_lines(lines, offset, total, size) };
    let (mut content, returned) = number_lines(&lines[..start], offset, total, size);
    if returned < start {
        return (content, returned);
    }
    let (first, last) = (offset + start + 1, offset + end);
    content.push_str(&format!("… {} of the comment: lines {first}-{last}\n", count(end - start, "line")));
    let (rest, returned) =
        number_lines(&lines[end..], offset + end, total, size.saturating_sub(count_escaped(&content)));
    content.push_str(&rest);
    (content, end + returned)
}

/// The lines of the first string of a body, in triple quotes.
fn find_docstring(lines: &[&str]) -> Option<(usize, usize)> {
    let header = lines.iter().take(MAX_HEADER).position(|line| without_comment(line).ends_with(':'))?;
    let start = header + 1 + lines[header + 1..].iter().position(|line| !line.trim().is_empty())?;
    let text = lines[start].trim_start().trim_start_matches(['r', 'R', 'u', 'U']);
    let quotes = [r#"""""#, "'''"].into_iter().find(|quotes| text.starts_with(quotes))?;
    if text[quotes.len()..].contains(quotes) {
        return None;
    }
    let end = start + 1 + lines[start + 1..].iter().position(|line| line.contains(quotes))?;
    Some((start, end + 1))
}

fn without_comment(line: &str) -> &str {
    line.split("  #").next().unwrap_or(line).trim_end()
}

/// Returns whether a line is part of a comment in the languages that write them before the code.
fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("//") || line.starts_with("/*") || line.starts_with("* ") || matches!(line.trim_end(), "*" | "*/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_long_comment_is_found() {
        let text = |rows: usize| vec!["    text"; rows];
        let python = |rows| {
            [vec!["def f(", "    a,", "):  # note", "    r\"\"\"First."], text(rows), vec!["    \"\"\"", "    go()"]]
                .concat()
        };
        let java = |rows: usize| [vec!["/**"], vec![" * text"; rows], vec![" */", "void f() {", "}"]].concat();
        let cases = [
            (python(40), Some(Language::Python), Some((13, 42))),
            (python(5), Some(Language::Python), None),
            (vec!["def f():", "    \"\"\"One.\"\"\"", "    go()"], Some(Language::Python), None),
            (vec!["x = 1"], Some(Language::Python), None),
            (java(40), Some(Language::Java), Some((10, 39))),
            (java(4), Some(Language::Java), None),
            (java(40), None, Some((10, 39))),
            (Vec::new(), None, None),
        ];
        for (lines, language, expected) in cases {
            assert_eq!(find_middle(&lines, language), expected, "{lines:?}");
        }
    }
}
