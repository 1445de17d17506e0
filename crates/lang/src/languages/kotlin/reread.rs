//! Code that the grammar reads as something else, and the bytes that it is read with instead.

use tree_sitter::Tree;

/// Bytes of a line that are looked at.
const MAX_LINE: usize = 1_000;

/// Words before a declaration that the grammar also takes for names.
const MODIFIERS: &[&str] = &[
    "abstract", "actual", "annotation", "const", "data", "enum", "expect", "external", "final", "infix", "inline",
    "inner", "internal", "lateinit", "open", "operator", "override", "private", "protected", "public", "sealed",
    "suspend", "tailrec", "value",
];

/// Words that a declaration begins with.
const KEYWORDS: &[&str] = &["class", "fun", "interface", "object", "val", "var"];

/// Places of a text and the bytes that are read there.
pub(super) fn find_changes(tree: &Tree, text: &str) -> Vec<(usize, u8)> {
    let has_error = tree.root_node().has_error();
    let mut changes = Vec::new();
    let mut start = 0;
    let mut is_annotated = false;
    for line in text.split_inclusive('\n') {
        let code = line.trim();
        if line.len() <= MAX_LINE {
            if is_annotated || code.starts_with('@') {
                blank_modifiers(tree, line, start, &mut changes);
            }
            if let Some(place) = find_closed_body(line).filter(|_| has_error) {
                changes.push((start + place, b';'));
            }
        }
        let is_comment = code.is_empty() || code.starts_with("//") || code.starts_with('*') || code.starts_with("/*");
        if !is_comment {
            is_annotated = code.starts_with('@') || code.ends_with(')');
        }
        start += line.len();
    }
    read_type_arguments(tree, text, &mut changes);
    if has_error {
        blank_before_constructors(text, &mut changes);
    }
    changes
}

/// The grammar does not know `actual constructor`: the word is left out.
fn blank_before_constructors(text: &str, changes: &mut Vec<(usize, u8)>) {
    for word in ["actual", "expect"] {
        let whole = format!("{word} constructor");
        for (place, _) in text.match_indices(&whole) {
            changes.extend((place..place + word.len()).map(|byte| (byte, b' ')));
        }
    }
}

/// Longest list of type arguments that is looked at, in bytes.
const MAX_TYPES: usize = 200;

/// The grammar takes `f<T> { … }` for two comparisons: its type arguments are read as arguments.
fn read_type_arguments(tree: &Tree, text: &str, changes: &mut Vec<(usize, u8)>) {
    for (end, _) in text.match_indices("> {") {
        let Some(start) = find_opening(text, end) else { continue };
        let node = tree.root_node().descendant_for_byte_range(start, start + 1);
        let around = node.and_then(|node| node.parent());
        if around.is_none_or(|around| around.kind() != "binary_expression") {
            continue;
        }
        changes.extend([(start, b'('), (end, b')')]);
        let mut depth = 0usize;
        for (at, byte) in text.bytes().enumerate().take(end).skip(start + 1) {
            let is_inner = depth > 0 || byte == b'<';
            depth = match byte {
                b'<' => depth + 1,
                b'>' => depth.saturating_sub(1),
                _ => depth,
            };
            if is_inner || byte == b'?' {
                changes.push((at, b' '));
            }
        }
    }
}

/// The bracket that opens the type arguments which end at a place, behind a name.
fn find_opening(text: &str, end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 1usize;
    for at in (end.saturating_sub(MAX_TYPES)..end).rev() {
        match bytes[at] {
            b'>' => depth += 1,
            b'<' if depth > 1 => depth -= 1,
            b'<' => {
                let before = bytes[..at].last()?;
                return (before.is_ascii_alphanumeric() || *before == b'_').then_some(at);
            }
            b' ' | b',' | b'.' | b'?' | b'*' | b'_' => {}
            byte if byte.is_ascii_alphanumeric() => {}
            _ => return None,
        }
    }
    None
}

/// Behind annotations with arguments, the grammar takes `open class C` for an infix call. Without its modifiers a
/// declaration is read as one; the modifiers are still in the text.
fn blank_modifiers(tree: &Tree, line: &str, start: usize, changes: &mut Vec<(usize, u8)>) {
    let from = if line.trim_start().starts_with('@') { line.rfind(") ").map(|place| place + 2) } else { Some(0) };
    let Some(from) = from else { return };
    let mut place = from;
    let mut found = Vec::new();
    for word in line[from..].split(' ') {
        let plain = word.trim();
        if KEYWORDS.contains(&plain) && !found.is_empty() {
            for (at, len) in found {
                changes.extend((at..at + len).map(|byte| (byte, b' ')));
            }
            return;
        }
        if !plain.is_empty() {
            if !MODIFIERS.contains(&plain) {
                return;
            }
            let at = start + place + word.find(plain).unwrap_or(0);
            let node = tree.root_node().descendant_for_byte_range(at, at + plain.len());
            if node.is_none_or(|node| node.kind() != "identifier") {
                return;
            }
            found.push((at, plain.len()));
        }
        place += word.len() + 1;
    }
}

/// The grammar wants something between the last member of a class and the bracket that closes it: the white space
/// there, on the line that the class begins on, is read as a semicolon.
fn find_closed_body(line: &str) -> Option<usize> {
    let code = line.trim_end();
    let open = code.find('{').filter(|_| code.ends_with(" }"))?;
    let mut words = code[..open].split(|c: char| !c.is_alphanumeric());
    let is_class = words.any(|word| matches!(word, "class" | "interface" | "object"));
    let body = code.get(open + 1..code.len() - 1)?;
    let mut members = body.split_whitespace();
    let has_member = members.any(|word| matches!(word, "fun" | "val" | "var"));
    let is_balanced = body.matches('{').count() == body.matches('}').count();
    (is_class && has_member && is_balanced && !body.contains('"')).then(|| code.len() - 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, bool) {
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&tree_sitter_kotlin_ng::LANGUAGE.into()).expect("the grammar fits");
        let tree = parser.parse(text, None).expect("no limits");
        let mut bytes = text.as_bytes().to_vec();
        for (place, byte) in find_changes(&tree, text) {
            bytes[place] = byte;
        }
        let changed = String::from_utf8(bytes).expect("only ASCII is changed");
        let tree = parser.parse(&changed, None).expect("no limits");
        (changed, tree.root_node().to_sexp().contains("class_declaration") && !tree.root_node().has_error())
    }

    #[test]
    fn classes_are_read_as_classes() {
        for (text, changed) in [
            (
                "@A(B::c)\n@D\nopen class C protected constructor() {\n}\n",
                "@A(B::c)\n@D\n     class C protected constructor() {\n}\n",
            ),
            ("@A(1)\nopen class C\n", "@A(1)\nopen class C\n"),
            ("class C { fun f() = 1 }\n", "class C { fun f() = 1;}\n"),
            ("@A\nopen class C\n", "@A\nopen class C\n"),
            ("class C {\n    val x = f<A> { 1 }\n}\n", "class C {\n    val x = f(A) { 1 }\n}\n"),
            ("class C {\n    val x = a < b\n}\n", "class C {\n    val x = a < b\n}\n"),
        ] {
            assert_eq!(read(text), (changed.to_owned(), true), "{text}");
        }
    }
}
