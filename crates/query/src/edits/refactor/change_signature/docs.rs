//! Lines about parameters in the text that documents a function.

use m1nd_lang::signatures::ByteRange;

use super::rewrite::Edit;

/// Words before the name of a parameter: Sphinx, JSDoc, Javadoc, Doxygen.
const TAGS: &[&str] = &[":param", ":parameter", ":arg", ":argument", ":type", ":keyword", "@param", "\\param", "@arg"];

/// A line that is about one parameter.
struct Line {
    range: ByteRange,
    name: ByteRange,
}

/// The edits of a document for a parameter with another name, or for one that is gone. `false` if the name is written
/// there in another form, which stays.
pub(super) fn follow(text: &str, doc: ByteRange, old: &str, new: Option<&str>) -> (Vec<Edit>, bool) {
    let lines = list_lines(text, doc, old);
    let mut edits = Vec::new();
    for line in &lines {
        edits.push(match new {
            Some(new) => Edit::text(line.name, new),
            None => Edit::text(line.range, ""),
        });
    }
    let is_known = |at: usize| {
        lines.iter().any(|line| match new {
            Some(_) => line.name.0 == at,
            None => line.range.0 <= at && at < line.range.1,
        })
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let body = text.get(doc.0..doc.1).unwrap_or_default();
    let others = body.match_indices(old).map(|(at, _)| at + doc.0).filter(|at| {
        let (before, after) = (&text[..*at], &text[at + old.len()..]);
        let is_code = before.ends_with(['`', '\'', '*']) || old.contains('_');
        is_code && !before.ends_with(is_part) && !after.starts_with(is_part) && !is_known(*at)
    });
    (edits, others.count() == 0)
}

/// Lines with a tag and the name, each with the lines that continue it.
fn list_lines(text: &str, (start, end): ByteRange, name: &str) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    let mut open = false;
    let mut at = start;
    for line in text.get(start..end).unwrap_or_default().split_inclusive('\n') {
        let content = line.trim_start().trim_start_matches(['/', '*', '!']).trim_start();
        let ends_comment = line.contains("*/") || line.contains("\"\"\"") || line.contains("'''");
        let is_tag = content.starts_with([':', '@', '\\']);
        if let Some(range) = find_name(content, name).filter(|_| !ends_comment && line.ends_with('\n')) {
            let offset = at + (line.len() - content.len());
            found.push(Line { range: (at, at + line.len()), name: (offset + range.0, offset + range.1) });
            open = true;
        } else if open && !is_tag && !ends_comment && !content.trim().is_empty() {
            if let Some(last) = found.last_mut() {
                last.range.1 = at + line.len();
            }
        } else {
            open = false;
        }
        at += line.len();
    }
    found
}

/// The bytes of a name behind a tag: `@param {T} [name=1] …`, `:param T name: …`.
fn find_name(content: &str, name: &str) -> Option<ByteRange> {
    let tag =
        TAGS.iter().find(|tag| content.strip_prefix(**tag).is_some_and(|rest| rest.starts_with([' ', '\t', '['])))?;
    let mut at = tag.len();
    let rest = &content[at..];
    at += rest.len() - rest.trim_start().len();
    // The type of a parameter of JSDoc, or the direction of one of Doxygen.
    for (first, last) in [('{', '}'), ('[', ']')] {
        let rest = &content[at..];
        let is_optional_name = rest.starts_with('[') && rest[1..].starts_with(name);
        if rest.starts_with(first) && !is_optional_name {
            at += rest.find(last)? + 1;
            at += content[at..].len() - content[at..].trim_start().len();
        }
    }
    at += usize::from(content[at..].starts_with('['));
    if tag.starts_with(':') {
        // `:param type name:` has the name before the colon.
        let head = content[at..].find(':')? + at;
        at = head - content[at..head].rsplit(' ').next()?.len();
    }
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    content[at..].strip_prefix(name).filter(|rest| is_end(rest)).map(|_| (at, at + name.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::refactor::change_signature::rewrite::render;

    #[test]
    fn lines_of_a_parameter() {
        let rows = [
            ("/** @param {T} x the x\n * @param y\n */", Some("z"), "/** @param {T} z the x\n * @param y\n */"),
            (
                "\"\"\"A.\n\n:param int x: one\n   two\n:type x: int\n:returns: x\n\"\"\"",
                None,
                "\"\"\"A.\n\n:returns: x\n\"\"\"",
            ),
            ("/**\n * A.\n * @param x one\n *   two\n * @return b\n */", None, "/**\n * A.\n * @return b\n */"),
            ("/// \\param[in] x one\n/// x is big\n", Some("z"), "/// \\param[in] z one\n/// x is big\n"),
            ("/** @param [x=1] one\n */", Some("z"), "/** @param [z=1] one\n */"),
        ];
        for (text, new, expected) in rows {
            let (edits, _) = follow(text, (0, text.len()), "x", new);
            assert_eq!(render(text, edits).as_deref(), Some(expected), "{text}");
        }
        for (text, is_whole) in [("\"\"\"Uses `x`.\"\"\"", false), ("\"\"\"Uses a x.\"\"\"", true)] {
            assert_eq!(follow(text, (0, text.len()), "x", Some("z")).1, is_whole, "{text}");
        }
    }
}
