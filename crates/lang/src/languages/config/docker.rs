//! Dockerfiles: the images that they begin with, the variables that they set, and the programs that they start.

use m1nd_base::Problem;

use super::super::schema::Sheet;
use super::variables::is_name;
use crate::facts::{DefKind, FileFacts, SharedKind};
use crate::languages::Input;

/// Instructions of one file that are looked at.
const MAX_INSTRUCTIONS: usize = 4_096;

pub(crate) fn extract(input: &Input<'_>) -> Result<FileFacts, Problem> {
    let mut sheet = Sheet::new(input);
    let mut stages: Vec<String> = Vec::new();
    for (start, text) in instructions(input.text).into_iter().take(MAX_INSTRUCTIONS) {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest_at = start + (text.len() - rest.trim_start().len());
        match word.to_ascii_uppercase().as_str() {
            "FROM" => {
                let mut words = rest.split_whitespace().filter(|word| !word.starts_with("--"));
                let image = words.next().unwrap_or("");
                let is_known = image == "scratch" || stages.iter().any(|stage| stage.eq_ignore_ascii_case(image));
                if !is_known && !image.contains('$') {
                    sheet.share(SharedKind::Image, false, image, "", None, start);
                }
                if words.next().is_some_and(|word| word.eq_ignore_ascii_case("as")) {
                    stages.extend(words.next().map(str::to_owned));
                }
            }
            "ENV" => environment(&mut sheet, rest.trim_start(), rest_at),
            "ENTRYPOINT" | "CMD" => program(&mut sheet, rest, rest_at),
            _ => {}
        }
    }
    Ok(sheet.finish())
}

/// Instructions with their first bytes; lines that go on are one.
fn instructions(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let (mut at, mut begin) = (0, None);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let is_comment = trimmed.starts_with('#');
        if begin.is_none() && !trimmed.is_empty() && !is_comment {
            begin = Some(at + (line.len() - line.trim_start().len()));
        }
        let end = at + line.trim_end().len();
        at += line.len();
        let goes_on = trimmed.ends_with('\\') || trimmed.ends_with('`') || is_comment;
        if let Some(start) = begin.filter(|_| !goes_on) {
            found.push((start, &text[start..end.max(start)]));
            begin = None;
        }
    }
    found.extend(begin.map(|start| (start, text[start..].trim_end())));
    found
}

/// `ENV A=1 B="x y"` and `ENV A 1`.
fn environment(sheet: &mut Sheet<'_>, rest: &str, at: usize) {
    let first = rest.split_whitespace().next().unwrap_or("");
    if !first.contains('=') {
        set(sheet, first, at);
        return;
    }
    let mut quote = None;
    let mut begin = Some(0);
    for (place, byte) in rest.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'=') => {
                if let Some(start) = begin.take() {
                    set(sheet, rest[start..place].trim_matches(['\\', '\n', '\r', ' ', '\t']), at + start);
                }
            }
            (None, byte) if byte.is_ascii_whitespace() => begin = None,
            (None, _) if place > 0 && rest.as_bytes()[place - 1].is_ascii_whitespace() => begin = Some(place),
            _ => {}
        }
    }
}

fn set(sheet: &mut Sheet<'_>, name: &str, at: usize) {
    if is_name(name) {
        let def = sheet.define_at(DefKind::Field, name, None, (at, at), at + name.len());
        sheet.share(SharedKind::Variable, true, name, "", Some(def), at);
    }
}

/// Files of code that a command names.
fn program(sheet: &mut Sheet<'_>, rest: &str, at: usize) {
    for word in rest.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '[' | ']' | ',')) {
        let ends =
            [".py", ".js", ".mjs", ".cjs", ".ts", ".sh", ".rb", ".php"].iter().any(|ending| word.ends_with(ending));
        if ends && !word.contains(['$', '*']) {
            let place = at + (word.as_ptr() as usize).saturating_sub(rest.as_ptr() as usize);
            sheet.share(SharedKind::Program, false, word, "", None, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_over_several_lines() {
        let text = "# c\nFROM a AS b\n\nENV A=1 \\\n    # c\n    B=\"x y\"\nCMD [\"python\", \"x.py\"]";
        let found: Vec<&str> = instructions(text).into_iter().map(|(_, text)| text).collect();
        assert_eq!(found, ["FROM a AS b", "ENV A=1 \\\n    # c\n    B=\"x y\"", "CMD [\"python\", \"x.py\"]"]);
    }
}
