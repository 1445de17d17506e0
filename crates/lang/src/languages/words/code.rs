//! Names in code whose place no fact has, but for those whose form says that they name no definition: keys of
//! literals, named arguments, words of the language, names that are being defined.

use std::ops::Range;

use super::{Finder, WordPlace, before, behind, is_word, literals, word_end};
use crate::Language;
use crate::strings::spans;
use crate::tokens::is_keyword;

/// Words behind which a name is defined, not used.
const DEFINING: &[&str] = &[
    "class", "def", "enum", "fn", "fun", "func", "function", "interface", "macro_rules!", "mod", "module", "namespace",
    "package", "protocol", "record", "struct", "sub", "trait", "typedef", "union",
];
/// Names of types that are part of the language, where a definition may have the same name as a value.
const RUST_TYPES: &[&str] = &[
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16", "u32", "u64", "u8",
    "usize",
];
/// Attributes of the language, whose words name no code.
const RUST_ATTRIBUTES: &[&str] = &[
    "allow", "cfg", "cfg_attr", "cold", "deny", "deprecated", "doc", "expect", "feature", "forbid", "ignore", "inline",
    "link", "must_use", "non_exhaustive", "repr", "should_panic", "test", "track_caller", "warn",
];
/// Directives whose line is a sentence or names a file.
const DIRECTIVES: &[&str] = &["error", "import", "include", "line", "pragma", "region", "endregion", "warning"];
/// Callees whose first text is the name of an event or the key of a translation.
const KEYED: &[&str] = &[
    "$emit", "$t", "$tc", "$te", "_", "__", "addEventListener", "addListener", "emit", "gettext", "ngettext", "off",
    "on", "once", "removeEventListener", "removeListener", "t", "tc", "te", "trans", "translate",
];
/// Callees whose first text says what a test is about.
const TITLED: &[&str] = &[
    "Context", "Describe", "It", "Run", "SCENARIO", "SECTION", "SUBCASE", "TEST_CASE", "context", "describe",
    "feature", "it", "scenario", "specify", "suite", "test",
];

/// Longest attribute that is looked through for its beginning, in bytes.
const MAX_ATTRIBUTE: usize = 512;

/// Adds the names in the code and the literals of a part of a file.
pub(super) fn scan(language: Language, part: Range<usize>, place: WordPlace, finder: &mut Finder<'_>) {
    let text = finder.text;
    let Some(spans) = text.get(part.clone()).and_then(|text| spans(language, text)) else { return };
    let mut at = part.start;
    for span in spans {
        let (start, end) = (part.start + span.range.start, part.start + span.range.end);
        scan_plain(language, at..start, place, finder);
        at = end;
        if !span.is_comment && !is_title(language, text.as_bytes(), start) {
            finder.dynamic.literal(language, text.as_bytes(), &span, part.start);
            let content = part.start + span.content.start..part.start + span.content.end;
            let single = meaning(language, text.as_bytes(), &(start..end), text.get(content.clone()).unwrap_or(""));
            let single = single.filter(|_| !is_module(finder, &content));
            literals::scan(content, WordPlace::Text, single, finder);
        }
    }
    scan_plain(language, at..part.end, place, finder);
}

/// Returns whether a literal says what a test is about.
fn is_title(language: Language, bytes: &[u8], literal: usize) -> bool {
    let prior = before(bytes, literal).filter(|(_, byte)| *byte == b'(');
    language.family() == Language::JavaScript && prior.is_some_and(|(at, _)| is_callee(bytes, at, TITLED.iter()))
}

fn is_module(finder: &Finder<'_>, content: &Range<usize>) -> bool {
    finder.text.get(content.clone()).is_some_and(|text| finder.paths.contains(text))
}

/// What a literal that is one name may mean, by what stands around it. Keys, subscripts and texts that something is
/// compared with name no code; in languages that look nothing up by such a text, it can only mean code of others.
fn meaning(language: Language, bytes: &[u8], literal: &Range<usize>, content: &str) -> Option<WordPlace> {
    use Language as L;
    let next = behind(bytes, literal.end);
    let prefix = bytes[..literal.start].iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).take(2).count();
    let (at, prior) = before(bytes, literal.start - prefix).unwrap_or((0, b' '));
    let is_key =
        next.starts_with(b":") && !next.starts_with(b"::") && matches!(prior, b'{' | b',') || next.starts_with(b"=>");
    let is_compared = next.starts_with(b"==")
        || next.starts_with(b"!=")
        || prior == b'=' && at > 0 && matches!(bytes[at - 1], b'=' | b'!');
    let word = word_before(bytes, at + 1);
    let is_case = matches!(word, b"case" | b"when") || language == L::Rust && next.starts_with(b"|");
    let is_member = language.family() == L::JavaScript;
    let is_subscript = prior == b'[' && next.starts_with(b"]") && !is_member && is_value(bytes, at);
    let is_told = prior == b'(' && is_callee(bytes, at, KEYED.iter().chain(TITLED));
    // Of types that are texts there are several.
    let is_type = is_member && (is_alone(bytes, at, b'|') || next.starts_with(b"|") && !next.starts_with(b"||"));
    if is_key || is_compared || is_case || is_subscript || is_told || is_type {
        return None;
    }
    Some(match language {
        // Names in attributes are paths of functions.
        L::Rust if !is_attribute(bytes, at, prior) => WordPlace::Foreign,
        // Reflection and templates only reach what is exported.
        L::Go if !content.starts_with(|c: char| c.is_uppercase()) => WordPlace::Foreign,
        _ => WordPlace::Text,
    })
}

/// Returns whether the name in front of a bracket is one of these.
fn is_callee<'n>(bytes: &[u8], bracket: usize, mut names: impl Iterator<Item = &'n &'static str>) -> bool {
    let word = word_before(bytes, bracket);
    let has_dollar = bytes[..bracket - word.len()].ends_with(b"$");
    names.any(|name| match name.strip_prefix('$') {
        Some(name) => has_dollar && name.as_bytes() == word,
        None => !has_dollar && name.as_bytes() == word,
    })
}

/// Returns whether a sign stands at a place, and not twice.
fn is_alone(bytes: &[u8], at: usize, sign: u8) -> bool {
    bytes[at] == sign && !bytes[..at].ends_with(&[sign])
}

/// Returns whether the bracket at a place takes an element of a value other than a table of names such as `globals()`.
fn is_value(bytes: &[u8], bracket: usize) -> bool {
    match before(bytes, bracket) {
        Some((_, b']' | b'}')) => true,
        Some((_, byte)) if is_word(byte) => !matches!(word_before(bytes, bracket), b"__dict__" | b"modules"),
        _ => false,
    }
}

/// `name = "…"` and `name("…")` in the brackets of an attribute that is not of the language itself.
fn is_attribute(bytes: &[u8], at: usize, prior: u8) -> bool {
    let from = at.saturating_sub(MAX_ATTRIBUTE);
    let open = bytes[from..at].iter().rposition(|byte| *byte == b'[').map(|open| from + open + 1);
    let Some(open) = open.filter(|open| matches!(bytes[..*open], [.., b'#', b'['] | [.., b'!', b'['])) else {
        return false;
    };
    let name = std::str::from_utf8(&bytes[open..word_end(bytes, open)]).unwrap_or_default();
    matches!(prior, b'=' | b'(') && !bytes[open..at].contains(&b']') && !RUST_ATTRIBUTES.contains(&name)
}

/// The word that ends before a place, spaces between left out.
fn word_before(bytes: &[u8], at: usize) -> &[u8] {
    let end = bytes[..at].iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |last| last + 1);
    let length = bytes[..end].iter().rev().take_while(|byte| is_word(**byte)).count();
    &bytes[end - length..end]
}

/// Adds the names in a part without comments and literals.
fn scan_plain(language: Language, part: Range<usize>, place: WordPlace, finder: &mut Finder<'_>) {
    let bytes = finder.text.as_bytes();
    let mut at = part.start;
    while at < part.end {
        if bytes[at] == b'#'
            && let Some(end) = end_of_mark(language, bytes, at)
        {
            at = end;
            continue;
        }
        // Signs that make a name at run time: an index, a pasted token, a variable variable.
        match bytes[at] {
            b'[' => finder.dynamic.bracket(language, bytes, at),
            b'#' if bytes[at..].starts_with(b"##") && language.family() == Language::C => {
                finder.dynamic.read_paste(bytes, at);
            }
            b'$' if language == Language::Php => finder.dynamic.variable(bytes, at),
            _ => {}
        }
        let is_dollar = bytes[at] == b'$' && language.family() == Language::JavaScript;
        if !is_word(bytes[at]) && !is_dollar {
            at += 1;
            continue;
        }
        let end = end_of(language, bytes, at).min(part.end).max(at + 1);
        // Whole words are jumped over, so a name never begins inside of one.
        if !bytes[at].is_ascii_digit() {
            finder.dynamic.call(language, bytes, at..end);
            if language == Language::Bash {
                finder.dynamic.shell_word(bytes, at..end);
            }
            add(language, (at, end), place, finder);
        }
        at = end;
    }
}

/// Where a directive or attribute ends whose words name no code; `None` if they may.
fn end_of_mark(language: Language, bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at + 1..];
    let start = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'!' | b'[')).count();
    let word = std::str::from_utf8(&rest[start..word_end(rest, start)]).ok()?;
    match language {
        Language::Rust if RUST_ATTRIBUTES.contains(&word) => {
            Some(at + 1 + rest.iter().position(|byte| matches!(byte, b']' | b'"')).unwrap_or(rest.len()))
        }
        Language::C | Language::Cpp if word == "pragma" && names_code(&rest[start + word.len()..]) => None,
        Language::C | Language::Cpp | Language::CSharp if DIRECTIVES.contains(&word) => {
            Some(at + 1 + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()))
        }
        _ => None,
    }
}

/// Pragmas that say what a symbol is for.
const PRAGMAS: &[&str] = &["exit", "export", "fini", "init", "redefine_extname", "startup", "weak"];

/// Returns whether the words of a pragma name code.
fn names_code(behind: &[u8]) -> bool {
    let behind = behind.trim_ascii_start();
    std::str::from_utf8(&behind[..word_end(behind, 0)]).is_ok_and(|word| PRAGMAS.contains(&word))
}

/// Where a name ends. Names of Ruby may end in a mark, those of JavaScript have `$`.
fn end_of(language: Language, bytes: &[u8], start: usize) -> usize {
    let end = word_end(bytes, start);
    match language {
        Language::Ruby if matches!(bytes.get(end), Some(b'?' | b'!')) && bytes.get(end + 1) != Some(&b'=') => end + 1,
        _ if language.family() == Language::JavaScript && bytes.get(end) == Some(&b'$') => {
            // A name may begin with it, too.
            end + bytes[end..].iter().take_while(|byte| is_word(**byte) || **byte == b'$').count()
        }
        _ => end,
    }
}

fn add(language: Language, (start, end): (usize, usize), place: WordPlace, finder: &mut Finder<'_>) {
    // Most words have a fact, so this comes before all that is asked of a word.
    if finder.is_explained(start) {
        return;
    }
    let bytes = finder.text.as_bytes();
    let previous = before(bytes, start);
    let next = behind(bytes, end);
    let is_member = previous.is_some_and(|(at, byte)| {
        let arrow = matches!((byte, bytes[..at].last()), (b'>', Some(b'-')) | (b':', Some(b':')));
        arrow || byte == b'.' && !bytes[..at].ends_with(b".")
    });
    let word = &finder.text[start..end];
    if language == Language::Ruby && is_symbol(bytes, start) {
        // Symbols name methods like strings do.
        return finder.add(start, end, WordPlace::Text);
    }
    let is_word_of_language = is_keyword(word) && !is_member && (!next.starts_with(b"(") || is_strong(word));
    let is_local = !is_member && finder.local.contains(word);
    let is_module = finder.modules.contains(word) && !next.starts_with(b"(");
    let is_explained = is_word_of_language
        || is_closing_tag(language, bytes, start)
        || is_local
        || is_module
        || is_definition(language, bytes, start, word)
        || is_test_name(language, bytes, previous)
        || is_form(language, bytes, (start, end), previous, next);
    if !is_explained {
        finder.add(start, end, place);
    }
}

/// `</Name>`, `</name.Member>`: the opening tag is the reference.
fn is_closing_tag(language: Language, bytes: &[u8], start: usize) -> bool {
    let is_part = |byte: &&u8| is_word(**byte) || **byte == b'.';
    let length = bytes[..start].iter().rev().take_while(is_part).count();
    language.family() == Language::JavaScript && bytes[..start - length].ends_with(b"</")
}

/// Returns whether a word is the name of what is being defined, which the facts may have under another definition: of
/// an overload, or of a destructor.
fn is_definition(language: Language, bytes: &[u8], start: usize, word: &str) -> bool {
    let before = word_before(bytes, start);
    let touching = start.checked_sub(1).map_or(b' ', |at| bytes[at]);
    let is_type = language == Language::Rust && RUST_TYPES.contains(&word);
    let spaced = touching.is_ascii_whitespace();
    is_type || touching == b'~' || spaced && DEFINING.iter().any(|known| known.as_bytes() == before)
}

/// The second name between the brackets of `TEST(Suite, Name)`.
fn is_test_name(language: Language, bytes: &[u8], previous: Option<(usize, u8)>) -> bool {
    let Some((comma, b',')) = previous.filter(|_| language.family() == Language::C) else { return false };
    let suite = word_before(bytes, comma).len();
    let open = comma.saturating_sub(suite + 1);
    bytes[open] == b'(' && word_before(bytes, open).split(|byte| *byte == b'_').any(|part| part == b"TEST")
}

/// `:name`, but not the second half of `a::name` or of a conditional.
fn is_symbol(bytes: &[u8], start: usize) -> bool {
    let Some(before) = bytes[..start].strip_suffix(b":") else { return false };
    !before.ends_with(b":") && !before.last().is_some_and(|byte| is_word(*byte))
}

/// Words that are never a name, in no language.
fn is_strong(word: &str) -> bool {
    matches!(
        word,
        "if" | "while" | "for" | "switch" | "return" | "catch" | "function" | "func" | "fn" | "and" | "or" | "not"
    )
}

/// Returns whether the form around a word says that it names no definition.
fn is_form(
    language: Language,
    bytes: &[u8],
    (start, end): (usize, usize),
    previous: Option<(usize, u8)>,
    next: &[u8],
) -> bool {
    let first = next.first().copied().unwrap_or(b' ');
    let second = next.get(1).copied().unwrap_or(b' ');
    let prior = previous.map_or(b'\n', |(_, byte)| byte);
    let touching = start.checked_sub(1).map_or(b' ', |at| bytes[at]);
    // Variables, lifetimes, options of commands.
    let is_marked = match language {
        Language::Php => touching == b'$',
        Language::Bash => matches!(touching, b'$' | b'-') || bytes[..start].ends_with(b"${"),
        Language::Rust => touching == b'\'',
        Language::Swift => matches!(touching, b'#' | b'@'),
        _ => false,
    };
    let is_key = first == b':' && second != b':' && second != b'=' && matches!(prior, b'{' | b',' | b'(' | b'[' | b';');
    let is_optional_key = first == b'?' && second == b':' && matches!(prior, b'{' | b',' | b'(' | b';');
    let is_argument = first == b'=' && !matches!(second, b'=' | b'>' | b'~') && matches!(prior, b'(' | b',');
    // Arguments of annotations name what the annotation declares.
    let is_argument = is_argument && language != Language::Java;
    let is_markup = language.family() == Language::JavaScript && is_markup(bytes, (start, end), prior, next);
    is_marked || is_key || is_optional_key || is_argument || is_markup
}

/// Returns whether a word is an attribute or prose between tags.
fn is_markup(bytes: &[u8], (start, end): (usize, usize), prior: u8, next: &[u8]) -> bool {
    let spaced = start.checked_sub(1).is_some_and(|at| bytes[at].is_ascii_whitespace());
    let is_attribute = spaced && bytes[end..].starts_with(b"=") && matches!(next.get(1), Some(b'{' | b'"' | b'\''));
    // Two names in a row are not code, unless one of them is a word of the language.
    let is_behind_tag = prior == b'>' && bytes[..start].ends_with(b">") && !bytes[..start].ends_with(b"=>");
    let is_prose = is_behind_tag && next.first().is_some_and(|byte| is_word(*byte) || *byte == b'<');
    is_attribute || is_prose
}
