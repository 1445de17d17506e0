//! Directives where the grammar does not expect them: inside expressions, initialisers and statements, and branches
//! that open or close only a part of the surrounding code.

use super::prepare::skip_token;

/// Branches of one conditional that are kept apart.
const MAX_BRANCHES: usize = 64;
/// Deepest nesting of brackets that is followed.
const MAX_DEPTH: usize = 4_000;

/// An open conditional.
struct Group {
    /// Brackets open where it starts.
    before: Vec<u8>,
    /// Brackets open behind its first branch, once there is a second.
    first: Option<Vec<u8>>,
    /// Text of the branches after the first.
    others: Vec<(usize, usize)>,
    /// Start of the current branch.
    start: usize,
    /// A branch leaves different brackets open than the text before it, or a directive is inside of a statement.
    uneven: bool,
    /// Its directives.
    lines: Vec<(usize, usize)>,
}

/// Words whose statement goes on behind the bracket.
const HEADS: &[&[u8]] = &[b"if", b"while", b"for", b"switch"];

/// Finds directives to hide from the parser: those inside brackets that hold no statements, and those of conditionals
/// that start or end inside of a statement or whose branches open or close different brackets; of these the first
/// branch is kept.
pub(super) fn find_misplaced(text: &str, blanks: &mut Vec<(usize, usize)>) {
    let bytes = text.as_bytes();
    let mut open: Vec<u8> = Vec::new();
    let mut groups: Vec<Group> = Vec::new();
    let mut last = b';';
    // Whether the current statement starts with one of the words whose body follows a bracket.
    let mut head = false;
    // Whether it is a label of a `switch`.
    let mut label = false;
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'#' && at_line_start(bytes, at) {
            let end = skip_token(bytes, at).unwrap_or(bytes.len());
            let inside = matches!(open.last(), Some(b'(' | b'[' | b'='));
            let whole = matches!(last, b';' | b'{' | b'}' | b':' | b',') || last == b')' && !head;
            directive(text, (at, end), !inside && !whole, &mut open, &mut groups, blanks);
            if inside {
                blanks.push((at, end));
            }
            at = end;
            continue;
        }
        if let Some(next) = skip_token(bytes, at).filter(|_| bytes[at] != b'#') {
            if matches!(bytes[at], b'"' | b'\'') {
                last = bytes[at];
            }
            at = next;
            continue;
        }
        let byte = bytes[at];
        match byte {
            b'(' | b'[' => open.push(byte),
            b'{' => {
                // A list of values rather than statements.
                let values = matches!(last, b'=' | b',') || matches!(open.last(), Some(b'=')) && last == b'{';
                open.push(if values { b'=' } else { b'{' });
            }
            b')' | b']' | b'}' => {
                open.pop();
            }
            _ => {}
        }
        if open.len() > MAX_DEPTH {
            return;
        }
        if byte.is_ascii_alphabetic() || byte == b'_' {
            let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            let word = &bytes[at..at + bytes[at..].iter().take_while(|byte| is_word(byte)).count()];
            if matches!(last, b';' | b'{' | b'}' | b':' | b')') {
                head = HEADS.contains(&word);
                label = word == b"case";
            }
            last = byte;
            at += word.len();
            continue;
        }
        if !byte.is_ascii_whitespace() {
            // `)` and `:` start a constructor's initialisers, which continue to its body.
            last = if byte == b':' && last == b')' && !label { b'(' } else { byte };
            head &= !matches!(byte, b';' | b'{' | b'}');
        }
        at += 1;
    }
}

fn at_line_start(bytes: &[u8], at: usize) -> bool {
    let line = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
    bytes[line..at].iter().all(u8::is_ascii_whitespace)
}

fn directive(
    text: &str,
    (start, end): (usize, usize),
    within: bool,
    open: &mut Vec<u8>,
    groups: &mut Vec<Group>,
    blanks: &mut Vec<(usize, usize)>,
) {
    let word = text[start..end].trim_start_matches('#').trim_start();
    // Each branch starts with the brackets that were open before the first one.
    if word.starts_with("if") {
        let before = open.clone();
        let lines = vec![(start, end)];
        groups.push(Group { before, first: None, others: Vec::new(), start: end, uneven: within, lines });
    } else if word.starts_with("else") || word.starts_with("elif") {
        let Some(group) = groups.last_mut() else { return };
        group.uneven |= within;
        group.lines.push((start, end));
        next_branch(group, start, end, open);
        open.clone_from(&group.before);
    } else if word.starts_with("endif") {
        let Some(mut group) = groups.pop() else { return };
        group.uneven |= within;
        group.lines.push((start, end));
        next_branch(&mut group, start, end, open);
        // Branches that open or close different brackets cannot all be parsed: the first one stays.
        if group.uneven && group.others.len() <= MAX_BRANCHES {
            blanks.extend(group.others);
            blanks.extend(group.lines);
            *open = group.first.unwrap_or_default();
        }
    }
}

fn next_branch(group: &mut Group, start: usize, end: usize, open: &[u8]) {
    group.uneven |= group.before != open;
    if group.first.is_none() {
        group.first = Some(open.to_vec());
    } else {
        group.others.push((group.start, start));
    }
    group.start = end;
}

/// The `#include`s among blanked text: line (1-based), path as written, whether in angle brackets.
pub(super) fn includes(text: &str, prepared: &str) -> Vec<(u32, String, bool)> {
    let mut found = Vec::new();
    for (index, (line, left)) in text.lines().zip(prepared.lines()).enumerate() {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let Some(path) = directive.and_then(|rest| rest.strip_prefix("include")) else { continue };
        if !left.trim().is_empty() {
            continue;
        }
        let path = path.trim();
        let closing = match path.chars().next() {
            Some('"') => '"',
            Some('<') => '>',
            _ => continue,
        };
        if let Some(end) = path[1..].find(closing) {
            found.push((index as u32 + 1, path[1..=end].to_owned(), closing == '>'));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blank_misplaced(text: &str) -> String {
        let mut blanks = Vec::new();
        find_misplaced(text, &mut blanks);
        let mut bytes = text.as_bytes().to_vec();
        for (start, end) in blanks {
            bytes[start..end].fill(b' ');
        }
        String::from_utf8(bytes).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn uneven_branches_leave_the_first() {
        let text = "void f(void) {\n#ifdef A\nif (a) {\n#else\nif (b) {\n#endif\n}\n}\n";
        assert_eq!(blank_misplaced(text), "void f(void) { if (a) { } }");
    }

    #[test]
    fn statements_in_parts() {
        assert_eq!(blank_misplaced("#ifdef A\nif (a) b(); else\n#endif\nc();\n"), "if (a) b(); else c();");
        assert_eq!(blank_misplaced("x =\n#ifdef A\na |\n#endif\nb;\n"), "x = a | b;");
        assert_eq!(blank_misplaced("#ifdef A\nif (a) {\n#endif\nb();\n#ifdef A\n}\n#endif\n"), "if (a) { b(); }");
        let text = "M(x)\n#ifdef A\nint a;\n#endif\n";
        assert_eq!(blank_misplaced(text), text.split_whitespace().collect::<Vec<_>>().join(" "));
    }

    #[test]
    fn even_branches_stay() {
        let text = "void f(void) {\n#ifdef A\n{ a(); }\n#else\nb();\n#endif\n}\n";
        assert_eq!(blank_misplaced(text), text.split_whitespace().collect::<Vec<_>>().join(" "));
    }

    #[test]
    fn directives_inside_of_values() {
        assert_eq!(blank_misplaced("int a[] = {\n#if X\n1,\n#endif\n2 };\n"), "int a[] = { 1, 2 };");
        assert_eq!(blank_misplaced("if (a\n#if X\n&& b\n#endif\n) c();\n"), "if (a && b ) c();");
        assert_eq!(includes("x\n#include \"a.h\"\n", "x\n            \n"), [(2, "a.h".to_owned(), false)]);
    }
}
