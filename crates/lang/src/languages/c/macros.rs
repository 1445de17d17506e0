//! Names in the text of a macro. It has no syntax tree, so it is read word by word.

use tree_sitter::Node;

use crate::facts::{DefKind, ExprId, Pos, Reference, Role};
use crate::languages::outline::Outline;
use crate::walk::Enter;

/// Words kept of one macro.
const MAX_WORDS: usize = 200;

/// Words of the language that name nothing.
const KEYWORDS: &[&str] = &[
    "if", "else", "for", "while", "do", "switch", "case", "default", "break", "continue", "return", "goto", "sizeof",
    "static", "extern", "inline", "const", "volatile", "register", "restrict", "typedef", "void", "char", "short",
    "int", "long", "float", "double", "signed", "unsigned", "auto", "struct", "union", "enum", "_Bool", "bool",
    "class", "public", "private", "protected", "template", "typename", "this", "new", "delete", "operator", "using",
    "namespace", "constexpr", "const_cast", "static_cast", "dynamic_cast", "reinterpret_cast", "true", "false",
    "nullptr", "NULL", "defined", "typeof", "__typeof__", "__attribute__", "__extension__", "__asm__", "asm",
    "noexcept", "throw", "try", "catch", "virtual", "explicit", "friend", "mutable", "decltype", "alignas", "alignof",
    "final", "override", "__VA_ARGS__", "__VA_OPT__", "__inline__", "__inline", "__volatile__", "__builtin_expect",
    "__func__", "__FILE__", "__LINE__", "static_assert", "_Pragma",
];

/// A word of a macro's text.
struct Word<'a> {
    text: &'a str,
    pos: Pos,
    /// Neighbouring text, without blanks.
    before: &'a str,
    after: &'a str,
}

/// Reads the text of a macro; other directives' texts are left out.
pub(in crate::languages) fn enter_text(cx: &mut Outline<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Enter {
    let is_macro = parent.is_some_and(|parent| matches!(parent.kind(), "preproc_def" | "preproc_function_def"));
    if !is_macro || cx.frame_kind() != Some(DefKind::Macro) {
        return Enter::Skip;
    }
    let text = cx.text(node);
    let start = cx.source.pos(node);
    let parameters: Vec<String> = match cx.frame() {
        Some(frame) => frame.params.iter().map(|parameter| parameter.name).collect::<Vec<_>>(),
        None => return Enter::Skip,
    }
    .into_iter()
    .map(|name| cx.builder.facts().name(name).to_owned())
    .collect();
    let own = cx.owner_name().unwrap_or("").to_owned();
    let all = words(text, start);
    // A text of one name is an alias of that.
    let alone = all.len() == 1 && all[0].before.is_empty() && all[0].after.is_empty();
    let mut tag = "";
    for word in &all {
        let is_tag = matches!(word.text, "struct" | "union" | "enum");
        let before = std::mem::replace(&mut tag, if is_tag { word.text } else { "" });
        let pasted = word.before.ends_with('#') || word.after.starts_with("##");
        let member = word.before.ends_with('.') || word.before.ends_with("->") || word.before.ends_with("::");
        let is_text = word.before.ends_with('"') && word.after.starts_with('"');
        let known = parameters.iter().any(|name| name == word.text) || word.text == own;
        // Parts of names, members of unknown values, parameters and text are not uses of a name.
        if pasted || member || known || is_text || KEYWORDS.contains(&word.text) || word.after.starts_with("::") {
            continue;
        }
        if !before.is_empty() {
            let expr = cx.bare_name(&format!("{before} {}", word.text));
            add(cx, expr, Role::Type, word.pos);
            continue;
        }
        let expr = cx.bare_name(word.text);
        let calls = word.after.starts_with('(');
        // A macro stands for what it calls, so that its callers lead there.
        if calls || alone {
            value(cx, expr);
        }
        add(cx, expr, if calls { Role::Call } else { Role::Read }, word.pos);
    }
    Enter::Skip
}

/// Names that a macro expands to or calls are its values.
fn value(cx: &mut Outline<'_>, expr: ExprId) {
    if let Some(frame) = cx.frame() {
        frame.values.push(expr);
    }
}

fn add(cx: &mut Outline<'_>, expr: ExprId, role: Role, pos: Pos) {
    let enclosing = cx.enclosing();
    cx.builder.reference(Reference { expr, role, inexact: false, arity: u8::MAX, pos, enclosing });
}

fn words(text: &str, start: Pos) -> Vec<Word<'_>> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut found = Vec::new();
    let (mut at, mut line, mut line_start) = (0, start.line, 0);
    while at < bytes.len() && found.len() < MAX_WORDS {
        match bytes[at] {
            b'\n' => {
                (line, line_start) = (line + 1, at + 1);
                at += 1;
            }
            // Texts are passed over, comments too; a line comment ends the macro.
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let end = text[at..].find("*/").map_or(bytes.len(), |end| at + end + 2);
                let breaks = text[at..end].matches('\n').count();
                line += breaks as u32;
                line_start = text[..end].rfind('\n').map_or(line_start, |place| place + 1);
                at = end;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => break,
            byte if is_word(byte) => {
                let length = bytes[at..].iter().take_while(|&&byte| is_word(byte)).count();
                // The first line begins within a line of the file, the others at its left edge.
                if !byte.is_ascii_digit() {
                    let chars = text[line_start..at].chars().count();
                    let first = if line == start.line { usize::from(start.col) } else { 1 };
                    let pos = Pos { line, col: u16::try_from(first + chars).unwrap_or(u16::MAX) };
                    let blank = |c: char| c.is_whitespace() || c == '\\';
                    let (before, after) = (text[..at].trim_end_matches(blank), &text[at + length..]);
                    found.push(Word {
                        text: &text[at..at + length],
                        pos,
                        before,
                        after: after.trim_start_matches(blank),
                    });
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    found
}
