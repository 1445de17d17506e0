//! Blanks text that needs a preprocessor: C++-only parts in C, and words that can only be macros (`ZEXTERN int
//! ZEXPORT f(void)`) in declarations. All positions stay the same.

use std::borrow::Cow;

use super::directives;
use super::heads;
use super::statements::{self, Braces};

/// Maximum words examined in one declaration.
const MAX_WORDS: usize = 24;

/// Types that need no declaration.
pub(super) const BUILT_IN: &[&str] = &[
    "void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool", "bool", "auto",
    "wchar_t", "char8_t", "char16_t", "char32_t", "__int128", "_Complex",
];
/// Words in a declaration that are no part of its type or name.
pub(super) const QUALIFIERS: &[&str] = &[
    "static", "extern", "inline", "const", "volatile", "register", "restrict", "typedef", "constexpr", "consteval",
    "constinit", "virtual", "explicit", "friend", "mutable", "thread_local", "_Thread_local", "_Atomic", "__inline",
    "__inline__", "__restrict", "__restrict__", "__const", "__extension__", "_Noreturn", "typename",
];
/// Words that start something other than a plain declaration, or a part of it that is not read here.
pub(super) const OTHERS: &[&str] = &[
    "return", "else", "goto", "case", "sizeof", "do", "if", "while", "for", "switch", "break", "continue", "default",
    "template", "namespace", "using", "public", "private", "protected", "operator", "new", "delete", "throw", "catch",
    "try", "co_return", "co_await", "co_yield", "decltype", "typeof", "__typeof__", "__attribute__", "__declspec",
    "alignas", "_Alignas", "asm", "__asm__", "concept", "requires", "static_assert", "_Static_assert", "not", "and",
    "or", "this", "enum", "export", "import", "module", "defined", "__asm", "final", "override", "noexcept",
];
/// Words that start a declaration or a section: a single word before one of them is no type.
const STARTS: &[&str] = &[
    "class", "constexpr", "enum", "explicit", "extern", "friend", "inline", "namespace", "private", "protected",
    "public", "static", "struct", "template", "typedef", "union", "using", "virtual",
];
/// Words before the tag of a type.
pub(super) const TAGS: &[&str] = &["struct", "union", "class"];

/// The text as the parser gets it.
pub(in crate::languages) fn prepare(text: &str, is_cpp: bool) -> Cow<'_, str> {
    let mut foreign = Vec::new();
    if !is_cpp {
        foreign_parts(text, &mut foreign);
    }
    let text = blank_ranges(Cow::Borrowed(text), &foreign);
    let (mut blanks, mut ends) = (Vec::new(), Vec::new());
    directives::find_misplaced(&text, &mut blanks);
    macro_words(&text, is_cpp, &mut blanks, &mut ends);
    end_statements(blank_ranges(text, &blanks), &ends)
}

/// The text with semicolons in place of these blanks.
fn end_statements<'a>(text: Cow<'a, str>, ends: &[usize]) -> Cow<'a, str> {
    if ends.is_empty() {
        return text;
    }
    let mut bytes = text.as_bytes().to_vec();
    for &at in ends {
        bytes[at] = b';';
    }
    String::from_utf8(bytes).map_or(text, Cow::Owned)
}

/// The text with parts of it replaced by blanks. Bytes of longer characters become blanks each; line ends stay.
fn blank_ranges<'a>(text: Cow<'a, str>, blanks: &[(usize, usize)]) -> Cow<'a, str> {
    if blanks.is_empty() {
        return text;
    }
    let mut bytes = text.as_bytes().to_vec();
    for &(start, end) in blanks {
        for byte in &mut bytes[start..end] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    String::from_utf8(bytes).map_or(text, Cow::Owned)
}

/// Lines between `#ifdef __cplusplus` and its `#else` or `#endif`.
fn foreign_parts(text: &str, blanks: &mut Vec<(usize, usize)>) {
    let mut offset = 0;
    let mut open: Option<(usize, usize)> = None;
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        match (directive, open) {
            (Some(directive), None) => {
                let condition = directive.strip_prefix("ifdef").or_else(|| directive.strip_prefix("if"));
                let condition = condition.map_or("", |rest| rest.split("/*").next().unwrap_or(rest).trim());
                if matches!(condition, "__cplusplus" | "defined(__cplusplus)" | "defined (__cplusplus)") {
                    open = Some((offset, 0));
                }
            }
            (Some(directive), Some((from, depth))) => {
                let ends = directive.starts_with("endif");
                if depth == 0 && (ends || directive.starts_with("else") || directive.starts_with("elif")) {
                    blanks.push((from, start));
                    open = None;
                } else if ends {
                    open = Some((from, depth - 1));
                } else if directive.starts_with("if") {
                    open = Some((from, depth + 1));
                }
            }
            (None, _) => {}
        }
    }
}

/// A word or mark of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part<'a> {
    Word(&'a str, usize),
    /// `*` or `&`.
    Pointer,
}

/// Reads declarations from where statements start. `ends` are blanks in which statements end.
fn macro_words(text: &str, is_cpp: bool, blanks: &mut Vec<(usize, usize)>, ends: &mut Vec<usize>) {
    let bytes = text.as_bytes();
    let mut braces = Braces::default();
    let mut at = 0;
    let mut fresh = true;
    while at < bytes.len() {
        if let Some(next) = skip_token(bytes, at) {
            // The content of a directive is not part of the surrounding text.
            fresh |= bytes[at] == b'#';
            at = next;
            continue;
        }
        match bytes[at] {
            byte if byte.is_ascii_whitespace() => at += 1,
            b';' | b'{' | b'}' => {
                braces.pass(text, at);
                fresh = true;
                at += 1;
            }
            b':' if is_cpp && bytes.get(at + 1) != Some(&b':') && label_before(bytes, at) => {
                fresh = true;
                at += 1;
            }
            byte if fresh && is_word(byte) && !byte.is_ascii_digit() => {
                // Macros that stand as statements, heads of classes, other macros, and declarations.
                if braces.inside()
                    && !stands_left(bytes, at)
                    && let Some((end, next)) = statements::find_end(text, at, is_cpp)
                {
                    ends.push(end);
                    at = next;
                    continue;
                }
                if let Some(next) = heads::read(text, at, is_cpp, blanks) {
                    (at, fresh) = (next, text[at..].starts_with("template"));
                    continue;
                }
                let macro_end = alone(text, at, is_cpp).or_else(|| given_operator(text, at));
                match macro_end.or_else(|| find_unended(text, at, is_cpp)) {
                    Some(end) => {
                        blanks.push((at, end));
                        at = end;
                    }
                    None => {
                        at = declaration(text, at, is_cpp, blanks);
                        fresh = false;
                    }
                }
            }
            byte if is_cpp && byte.is_ascii_uppercase() && attribute_of_template(text, at).is_some() => {
                let end = attribute_of_template(text, at).unwrap_or(at + 1);
                blanks.push((at, end));
                at = end;
            }
            byte => {
                // Inside a word: go on to its end, so that no word is read from its middle.
                at += if is_word(byte) { bytes[at..].iter().take_while(|&&byte| is_word(byte)).count() } else { 1 };
                fresh = false;
            }
        }
    }
}

/// Returns whether this is the first byte of a line.
fn stands_left(bytes: &[u8], at: usize) -> bool {
    at == 0 || bytes[at - 1] == b'\n'
}

/// `list<item> name GUARDED_BY(lock)`, `type name[4] GUARDED_BY(lock)`: end of a loud word with brackets behind a name
/// that has a type with arguments, or a size.
fn attribute_of_template(text: &str, start: usize) -> Option<usize> {
    let before = text[..start].trim_end();
    if before.len() == start {
        return None;
    }
    let name = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let is_sized = before.ends_with(']');
    let is_named = name.len() < before.len() && name.trim_end().ends_with('>') && !name.trim_end().ends_with("->");
    let word = word_at(text, start);
    let open = start + word.len();
    if !is_loud(word) || !(is_sized || is_named) || !text[open..].starts_with('(') {
        return None;
    }
    let end = find_closing(text.as_bytes(), open)?;
    text[end..].trim_start().starts_with([';', '=', '{']).then_some(end)
}

/// Loud words in a row that may each be a line of its own.
const MAX_ALONE: usize = 8;

/// `LIB_NAMESPACE_BEGIN`, `LIB_SECTION:`: end of an upper-case word that must be a macro, because it is alone on its
/// line and followed by a new start; includes the colon of a section.
fn alone(text: &str, start: usize, is_cpp: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_macro = |word: &str| is_loud(word) && word.contains('_') && !word.starts_with("__");
    let (mut at, mut first) = (start, None);
    for _ in 0..MAX_ALONE {
        let word = word_at(text, at);
        if !is_macro(word) {
            return first.filter(|_| STARTS.contains(&word) || at == bytes.len());
        }
        at += word.len();
        if is_cpp && bytes.get(at) == Some(&b':') && bytes.get(at + 1) != Some(&b':') {
            return Some(first.unwrap_or(at + 1));
        }
        first = first.or(Some(at));
        let mut is_line = false;
        while at < bytes.len() {
            match bytes[at] {
                b'\n' => (is_line, at) = (true, at + 1),
                byte if byte.is_ascii_whitespace() => at += 1,
                b'#' if is_line => at = skip_token(bytes, at)?,
                b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => at = skip_token(bytes, at)?,
                _ => break,
            }
        }
        if !is_line {
            return None;
        }
    }
    None
}

/// `LIB_BINARY(type, ==)`: end of a macro use that cannot be a function, because an argument is a bare operator.
fn given_operator(text: &str, start: usize) -> Option<usize> {
    let word = word_at(text, start);
    let open = start + word.len();
    if !is_loud(word) || text.as_bytes().get(open) != Some(&b'(') {
        return None;
    }
    let end = find_closing(text.as_bytes(), open)?;
    let is_operator = |argument: &str| argument.bytes().all(|byte| b"+-*/%&|^<>=!~".contains(&byte));
    let mut arguments = text[open + 1..end - 1].split(',').map(str::trim);
    arguments.any(|argument| !argument.is_empty() && is_operator(argument)).then_some(end)
}

/// Words that cannot begin the declaration of a parameter, as it stands between the brackets and the body of a function
/// of old C.
const NOT_OF_PARAMETERS: &[&str] = &["extern", "inline", "static", "typedef"];

/// `module_exit(leave)` on a line of its own, with the start of a declaration behind: end of a macro use that would be
/// read as the beginning of that declaration.
fn find_unended(text: &str, start: usize, is_cpp: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let word = word_at(text, start);
    let open = start + word.len();
    if bytes.get(open) != Some(&b'(') || OTHERS.contains(&word) || word.starts_with("__attribute") {
        return None;
    }
    let end = find_closing(bytes, open)?;
    let behind = text[end..].trim_start_matches([' ', '\t', '\r']);
    if !behind.starts_with('\n') {
        return None;
    }
    let next = word_at(text, text.len() - behind.trim_start().len());
    let starts = if is_cpp { STARTS } else { NOT_OF_PARAMETERS };
    (starts.contains(&next) || behind.trim_start().starts_with('#') || behind.trim().is_empty()).then_some(end)
}

pub(super) fn word_at(text: &str, at: usize) -> &str {
    &text[at..at + text.as_bytes()[at..].iter().take_while(|&&byte| is_word(byte)).count()]
}

/// Returns whether the colon ends an access specifier.
fn label_before(bytes: &[u8], colon: usize) -> bool {
    let before = bytes[..colon].trim_ascii_end();
    [b"public".as_slice(), b"private", b"protected"].iter().any(|word| before.ends_with(word))
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// End of the comment, literal or directive that starts here.
pub(super) fn skip_token(bytes: &[u8], at: usize) -> Option<usize> {
    let find = |from: usize, needle: &[u8]| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.windows(needle.len()).position(|window| window == needle).map_or(bytes.len(), |place| from + place)
    };
    match (bytes[at], bytes.get(at + 1)) {
        (b'/', Some(b'/')) => Some(find(at, b"\n")),
        (b'/', Some(b'*')) => Some((find(at + 2, b"*/") + 2).min(bytes.len())),
        (quote @ (b'"' | b'\''), _) => {
            let mut end = at + 1;
            while end < bytes.len() && bytes[end] != quote && bytes[end] != b'\n' {
                end += if bytes[end] == b'\\' { 2 } else { 1 };
            }
            Some((end + 1).min(bytes.len()))
        }
        (b'#', _) => {
            let mut end = at;
            loop {
                end = find(end, b"\n");
                let carried = bytes[..end].trim_ascii_end().ends_with(b"\\") && end < bytes.len();
                if !carried {
                    return Some(end);
                }
                end += 1;
            }
        }
        _ => None,
    }
}

/// Reads the words of one declaration up to the first mark that is none of them; blanks those that must be macros.
/// Returns where reading goes on.
fn declaration(text: &str, start: usize, is_cpp: bool, blanks: &mut Vec<(usize, usize)>) -> usize {
    let bytes = text.as_bytes();
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut at = start;
    // The words up to the mark that says what kind of declaration this is.
    let end = loop {
        if at >= bytes.len() || parts.len() > MAX_WORDS {
            return at;
        }
        if matches!((bytes[at], bytes.get(at + 1)), (b'/', Some(b'/' | b'*'))) {
            at = skip_token(bytes, at).unwrap_or(bytes.len());
            continue;
        }
        match bytes[at] {
            byte if byte.is_ascii_whitespace() => at += 1,
            b'*' => {
                parts.push(Part::Pointer);
                at += 1;
            }
            b'&' if is_cpp => {
                parts.push(Part::Pointer);
                at += 1;
            }
            byte if is_word(byte) && !byte.is_ascii_digit() => {
                let length = measure_qualified(&bytes[at..]);
                parts.push(Part::Word(&text[at..at + length], at));
                at += length;
            }
            b'(' if let Some((from, end)) = attribute_before(text, at, &parts) => {
                blanks.push((from, end));
                parts.pop();
                at = end;
            }
            byte => break byte,
        }
    };
    let words = || {
        parts.iter().filter_map(|part| match part {
            Part::Word(word, _) => Some(*word),
            Part::Pointer => None,
        })
    };
    // These words begin something else than a declaration.
    if words().any(|word| OTHERS.contains(&word.rsplit("::").next().unwrap_or(word))) {
        return at;
    }
    let is_tag = words().any(|word| TAGS.contains(&word));
    // More words than the grammar has a place for must be macros.
    if is_tag && matches!(end, b'{' | b':') {
        tag_words(&parts, blanks);
    } else if matches!(end, b'(' | b'[' | b'=' | b';' | b',') {
        if end == b'(' && attribute_behind(text, at, &mut parts, blanks) {
            plain_words(&parts, blanks);
            return at;
        }
        plain_words(&parts, blanks);
        if end == b'(' {
            call_convention(text, at, blanks);
            after_parameters(text, at, blanks);
        }
    }
    at
}

/// `void *ALLOC_SIZE(2) name(`: a loud word with brackets between a type and the name of a function; where it stands.
fn attribute_before(text: &str, open: usize, parts: &[Part<'_>]) -> Option<(usize, usize)> {
    let [before @ .., Part::Word(word, at)] = parts else { return None };
    let is_type = |part: &Part<'_>| match part {
        Part::Pointer => true,
        Part::Word(word, _) => !is_loud(word) && !QUALIFIERS.contains(word),
    };
    if !is_loud(word) || !before.iter().any(is_type) {
        return None;
    }
    let end = find_closing(text.as_bytes(), open)?;
    let behind = text[end..].trim_start();
    let name = word_at(behind, 0);
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && [BUILT_IN, QUALIFIERS, TAGS].iter().all(|words| !words.contains(&name));
    (is_name && behind[name.len()..].trim_start().starts_with('(')).then_some((*at, end))
}

/// `BOOL (WINAPI *name)(int)`: a loud word before the pointer to a function.
fn call_convention(text: &str, open: usize, blanks: &mut Vec<(usize, usize)>) {
    let inside = text[open + 1..].trim_start();
    let at = text.len() - inside.len();
    let word = word_at(text, at);
    let is_pointer = || text[at + word.len()..].trim_start().starts_with('*');
    let is_function = |end: usize| text[end..].trim_start().starts_with('(');
    if !word.is_empty() && is_loud(word) && is_pointer() && find_closing(text.as_bytes(), open).is_some_and(is_function)
    {
        blank(word, at, blanks);
    }
}

/// `type name GUARDED_BY(lock)`: takes out a loud word with brackets behind a name that is none.
fn attribute_behind(text: &str, open: usize, parts: &mut Vec<Part<'_>>, blanks: &mut Vec<(usize, usize)>) -> bool {
    let [before @ .., Part::Word(name, _), Part::Word(word, at)] = parts.as_slice() else { return false };
    let is_name = |word: &str| !BUILT_IN.contains(&word) && !QUALIFIERS.contains(&word) && !TAGS.contains(&word);
    // Without a type before it, the name is the type, and the loud word the name.
    let is_type = |part: &Part<'_>| matches!(part, Part::Word(word, _) if !QUALIFIERS.contains(word));
    let tagged = matches!(before.last(), Some(Part::Word(word, _)) if TAGS.contains(word));
    let typed = !tagged && before.iter().any(is_type);
    if !typed || !is_loud(word) || is_loud(name) || !is_name(name) {
        return false;
    }
    let Some(end) = find_closing(text.as_bytes(), open) else { return false };
    // A body behind the brackets makes it a function of that name.
    if text.as_bytes()[end..].trim_ascii_start().first() == Some(&b'{') {
        return false;
    }
    blanks.push((*at, end));
    parts.pop();
    true
}

/// Words of C++ behind the parameters of a function.
const AFTER_PARAMETERS: &[&str] = &["const", "override", "final", "noexcept", "volatile"];

/// Longest parameter list followed to its end, in bytes.
const MAX_PARAMETERS: usize = 4_000;

/// `f(void) PRINTF_LIKE(1, 2);`: loud words behind the parameters are macros.
fn after_parameters(text: &str, open: usize, blanks: &mut Vec<(usize, usize)>) {
    let bytes = text.as_bytes();
    let Some(mut at) = find_closing(bytes, open) else { return };
    let mut found = Vec::new();
    loop {
        at += bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let word = word_at(text, at);
        let length = word.len();
        if AFTER_PARAMETERS.contains(&word) {
            at += length;
            continue;
        }
        if length < 2 || !is_loud(word) {
            break;
        }
        let start = at;
        at += length;
        if bytes.get(at) == Some(&b'(') || bytes[at..].trim_ascii_start().first() == Some(&b'(') {
            at += bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            match find_closing(bytes, at) {
                Some(end) => at = end,
                None => return,
            }
        }
        found.push((start, at));
    }
    if matches!(bytes.get(at), Some(b';' | b'{' | b':' | b'=')) {
        blanks.extend(found);
    }
}

/// Offset after the bracket that closes the one opened here.
pub(super) fn find_closing(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0;
    let mut at = open;
    while at < bytes.len() && at - open < MAX_PARAMETERS {
        if let Some(next) = skip_token(bytes, at) {
            at = next;
            continue;
        }
        match bytes[at] {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b';' | b'{' | b'}' => return None,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Length of a name with its `::`.
pub(super) fn measure_qualified(bytes: &[u8]) -> usize {
    let mut length = 0;
    loop {
        length += bytes[length..].iter().take_while(|&&byte| is_word(byte)).count();
        let goes_on = bytes[length..].starts_with(b"::") && bytes.get(length + 2).is_some_and(|&byte| is_word(byte));
        if !goes_on {
            return length;
        }
        length += 2;
    }
}

/// `class API name {`: of several words only the last is the name.
fn tag_words(parts: &[Part<'_>], blanks: &mut Vec<(usize, usize)>) {
    let after = parts.iter().position(|part| matches!(part, Part::Word(word, _) if TAGS.contains(word)));
    let Some(after) = after else { return };
    let names: Vec<(&str, usize)> = list_named(&parts[after + 1..]);
    for &(word, at) in names.iter().take(names.len().saturating_sub(1)) {
        blank(word, at, blanks);
    }
}

/// `API type CALL name(`: one type and one name; further words must be macros.
fn plain_words(parts: &[Part<'_>], blanks: &mut Vec<(usize, usize)>) {
    let pointer = parts.iter().position(|part| *part == Part::Pointer).unwrap_or(parts.len());
    let (before, after) = parts.split_at(pointer);
    let mut type_names = list_named(before);
    let has_built_in =
        before.iter().any(|part| matches!(part, Part::Word(word, _) if BUILT_IN.contains(word) || TAGS.contains(word)));
    let mut wanted = usize::from(!has_built_in);
    // `API int (name)(`: the name is in brackets.
    let is_named = !matches!(before.last(), Some(Part::Word(word, _)) if BUILT_IN.contains(word));
    if after.is_empty() {
        wanted += usize::from(is_named);
    } else {
        let names = list_named(after);
        for &(word, at) in names.iter().take(names.len().saturating_sub(1)) {
            blank(word, at, blanks);
        }
    }
    // The tag itself is a name besides.
    wanted += before.iter().filter(|part| matches!(part, Part::Word(word, _) if TAGS.contains(word))).count();
    let last = if after.is_empty() && is_named { type_names.pop() } else { None };
    wanted -= usize::from(last.is_some());
    for loud in [true, false] {
        let mut index = 0;
        while index < type_names.len() && type_names.len() > wanted {
            let (word, at) = type_names[index];
            if !loud || is_loud(word) {
                blank(word, at, blanks);
                type_names.remove(index);
            } else {
                index += 1;
            }
        }
    }
}

/// The words that are neither types nor qualifiers nor tags' words.
fn list_named<'a>(parts: &[Part<'a>]) -> Vec<(&'a str, usize)> {
    let plain = |word: &str| !BUILT_IN.contains(&word) && !QUALIFIERS.contains(&word) && !TAGS.contains(&word);
    parts
        .iter()
        .filter_map(|part| match part {
            Part::Word(word, at) if plain(word) => Some((*word, *at)),
            _ => None,
        })
        .collect()
}

/// Written as macros are.
pub(super) fn is_loud(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

pub(super) fn blank(word: &str, at: usize, blanks: &mut Vec<(usize, usize)>) {
    blanks.push((at, at + word.len()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show_prepared(text: &str) -> String {
        let prepared = prepare(text, false);
        assert_eq!(prepared.len(), text.len());
        prepared.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn macros_in_declarations() {
        assert_eq!(show_prepared("void *ATTR(malloc) ALLOC_SIZE(2)\nname(int x) {}"), "void * name(int x) {}");
        assert_eq!(show_prepared("int ALLOC_SIZE(2) name(int x);"), "int name(int x);");
        assert_eq!(show_prepared("int FOO(a) int (*a)(void); {}"), "int FOO(a) int (*a)(void); {}");
        assert_eq!(show_prepared("static const char *FORMAT(3) gen(char *s);"), "static const char * gen(char *s);");
        assert_eq!(show_prepared("BOOL (WINAPI *const hook)(int a);"), "BOOL ( *const hook)(int a);");
        assert_eq!(show_prepared("ZEXTERN int ZEXPORT f(z_streamp s);"), "int f(z_streamp s);");
        assert_eq!(show_prepared("local block_state g(int x) {"), "block_state g(int x) {");
        assert_eq!(show_prepared("API const char *CALL name(void);"), "const char * name(void);");
        assert_eq!(show_prepared("local const char word[] = 1;"), "const char word[] = 1;");
        assert_eq!(show_prepared("typedef unsigned char FAR Bytef;"), "typedef unsigned char Bytef;");
        assert_eq!(show_prepared("API struct foo *make(void);"), "struct foo *make(void);");
        assert_eq!(show_prepared("LIB_API int (f) (void);"), "int (f) (void);");
        assert_eq!(show_prepared("LIB_API const char *(f) (void);"), "const char *(f) (void);");
        assert_eq!(show_prepared("VALUE (f) (void);"), "VALUE (f) (void);");
        assert_eq!(show_prepared("struct set *const all GUARDED_BY(lock);"), "struct set *const all ;");
        assert_eq!(show_prepared("static foo_t BAR(int x);"), "static foo_t BAR(int x);");
        assert_eq!(show_prepared("static const foo_t BAR(int x);"), "static const foo_t BAR(int x);");
        assert_eq!(show_prepared("struct set BAR(int x);"), "struct set BAR(int x);");
        assert_eq!(show_prepared("static int count GUARDED_BY(lock);"), "static int count ;");
        assert_eq!(show_prepared("int f(const char *, ...) PRINTF_LIKE(1, 2);"), "int f(const char *, ...) ;");
        assert_eq!(show_prepared("static void die(void) NORETURN UNUSED;"), "static void die(void) ;");
    }

    #[test]
    fn other_text_stays() {
        for text in [
            "static int f(int x) { return g(x); }",
            "struct foo *bar(struct foo *x);",
            "/* A B c(d) */ int x;",
            "else foo(x);",
            "#define A B c d(e)\nint x;",
            "unsigned long int x;",
            "const struct foo x = {0};",
            "foo_t *x, y; x = a; f(a);",
            "char *s = \"A B c(\"; A(b);",
            "int f(void) { if (X) Y(z); return A(b); }",
            "x = f(SIZE * n); f(SIZE * n);",
            "TEST(name) { } int MAX(int a);",
        ] {
            assert_eq!(show_prepared(text), text.split_whitespace().collect::<Vec<_>>().join(" "), "{text}");
        }
    }

    #[test]
    fn cpp_parts_of_c() {
        let text =
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#else\nint g;\n#endif\n";
        let wanted = "#ifdef __cplusplus\n#endif\nint f(void);\n#ifdef __cplusplus\n#else\nint g;\n#endif";
        assert_eq!(show_prepared(text), wanted.split_whitespace().collect::<Vec<_>>().join(" "));
    }

    #[test]
    fn macros_that_stand_alone() {
        let cases = [
            (
                "LIB_BEGIN\nnamespace a {\nLIB_TYPES // x\n\ntemplate<class T> struct B;\n}",
                "namespace a { // x template<class T> struct B; }",
            ),
            (
                "class A {\n  Q_OBJECT\n public:\n  int f();\n LIB_SECTION:\n  int x;\n};",
                "class A { public: int f(); int x; };",
            ),
            ("DWORD_PTR\nf(void);", "DWORD_PTR f(void);"),
            ("struct A {\n  BINARY(A, ==)\n  BINARY(A, &)\n  BINARY(A, b)\n};", "struct A { BINARY(A, b) };"),
            ("int f() {\n  if (x) goto ALL_DONE;\n  g(A_B\n  );\n}", "int f() { if (x) goto ALL_DONE; g(A_B ); }"),
            ("enum E {\n  A_B,\n  C_D\n};\nint x[] = {\n  A_B\n};", "enum E { A_B, C_D }; int x[] = { A_B };"),
        ];
        for (text, expected) in cases {
            let prepared = prepare(text, true);
            assert_eq!(prepared.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{text}");
        }
    }

    #[test]
    fn macros_without_semicolon() {
        assert_eq!(show_prepared("module_exit(leave)\nstatic void f(void) {}"), "static void f(void) {}");
        for text in ["main(argc, argv) char **argv; { f(); }", "enter(x);\nstatic int y;", "f(x)\nstruct a *x; {}"] {
            assert_eq!(show_prepared(text), text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        let text = prepare("class A {\n  REGISTER(x)\n public:\n  A(int x)\n : y(x) {}\n};", true);
        assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" "), "class A { public: A(int x) : y(x) {} };");
    }

    #[test]
    fn macros_as_statements() {
        let cases = [
            ("void f(void) {\n  EACH(a, b) {\n  }\n}", "void f(void) { EACH(a, b);{ } }"),
            ("void f(void) {\n  LOCK()\n  g();\n}", "void f(void) { LOCK() ; g(); }"),
            ("void f(void) {\n  FOREVER {\n  }\n}", "void f(void) { FOREVER;{ } }"),
            ("int f(int x) {\n  if (x) {\n  }\n  g(x)\n    + 1;\n}", "int f(int x) { if (x) { } g(x) + 1; }"),
            ("struct a {\n  FIELD(x)\n  int y;\n};", "struct a { FIELD(x) int y; };"),
            ("main(argc, argv) {\n  f();\n}\nTEST(a) {\n}", "main(argc, argv) { f(); } TEST(a) { }"),
        ];
        for (text, expected) in cases {
            let prepared = prepare(text, false);
            assert_eq!(prepared.len(), text.len());
            assert_eq!(prepared.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{text}");
        }
        let text = "struct A {\n  A() {\n    SECTION(x) {\n    }\n  }\n  B(int x) {\n  }\n};";
        let expected = "struct A { A() { SECTION(x);{ } } B(int x) { } };";
        assert_eq!(prepare(text, true).split_whitespace().collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn heads_of_classes() {
        let cases = [
            ("class API Worker : Base {", "class Worker : Base {"),
            ("class LIB_EXPORT(x) Worker : public Base {", "class Worker : public Base {"),
            ("struct API Worker final : Base<Worker> {", "struct Worker final : Base<Worker> {"),
            ("template <class T>\nclass API Worker<T*> : Base {", "template <class T> class Worker<T*> : Base {"),
            ("enum class API Color : int { RED };", "enum class Color : int { RED };"),
            ("class API Worker;", "class Worker;"),
            ("enum color x : 3;", "enum color x : 3;"),
            ("struct item *find(int x) {", "struct item *find(int x) {"),
            ("struct item BAR(int x) {", "struct item BAR(int x) {"),
            ("enum color x = RED;", "enum color x = RED;"),
        ];
        for (text, expected) in cases {
            let prepared = prepare(text, true);
            assert_eq!(prepared.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{text}");
        }
    }

    #[test]
    fn classes() {
        let text = prepare("class LEVELDB_EXPORT DB {\n public:\n  API int f();\n};", true);
        assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" "), "class DB { public: int f(); };");
    }
}
