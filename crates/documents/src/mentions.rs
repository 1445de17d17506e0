//! Names of code: which spans of code and words of a text can be the name of something in a project.

use std::borrow::Cow;

use serde::Serialize;

use crate::text::Words;

/// Names kept of one block without marks.
const MAX_BARE: usize = 64;
/// A longer word of running text is not a name, in bytes.
const MAX_WORD: usize = 200;

/// Form of a name of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Names joined by `.`, `::` or `#`.
    Symbol,
    /// The same with an argument list.
    Call,
    /// A path of a file or folder.
    Path,
    /// An option of a command: `--verbose`.
    Flag,
    /// A line for a shell.
    Command,
    /// An environment variable: `$HOME`.
    Variable,
}

/// A name of code, without arguments and marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its form.
    pub form: Form,
}

/// Literals and words of languages: they are code, but name nothing of a project.
static LITERALS: Words<96> = Words::new([
    "true", "false", "null", "none", "nil", "undefined", "nan", "self", "this", "super", "void", "int", "str",
    "string", "bool", "boolean", "float", "double", "char", "byte", "bytes", "dict", "list", "tuple", "set", "object",
    "any", "get", "post", "put", "delete", "patch", "head", "options", "if", "else", "for", "while", "return", "async",
    "await", "let", "var", "const", "import", "from", "class", "def", "fn", "func", "function", "struct", "enum",
    "trait", "interface", "type", "static", "public", "private", "unsafe", "impl", "mut", "ref", "new", "try", "catch",
    "except", "finally", "raise", "throw", "yield", "with", "in", "is", "not", "and", "or", "lambda", "pass", "break",
    "continue", "case", "switch", "default", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize",
    "f32", "f64",
]);
/// Words in front of a name in a declaration or an expression.
static LEADING: Words<37> = Words::new([
    "pub", "pub(crate)", "fn", "def", "class", "struct", "enum", "trait", "interface", "func", "function", "async",
    "await", "new", "const", "static", "type", "impl", "mod", "import", "from", "use", "let", "var", "return",
    "extends", "implements", "export", "default", "public", "private", "protected", "void", "unsafe", "raise", "throw",
    "macro",
]);
/// Endings of files that projects hold.
static ENDINGS: Words<55> = Words::new([
    "rs", "py", "pyi", "ts", "tsx", "js", "jsx", "mjs", "cjs", "go", "java", "kt", "kts", "scala", "c", "h", "cc",
    "cpp", "hpp", "cs", "rb", "php", "swift", "lua", "sh", "bash", "zsh", "fish", "ps1", "sql", "proto", "json",
    "toml", "yaml", "yml", "ini", "cfg", "conf", "lock", "xml", "html", "css", "scss", "md", "markdown", "rst", "adoc",
    "txt", "csv", "ipynb", "gradle", "mod", "sum", "vue", "svelte",
]);
/// First parts of media types, which look like paths.
static MEDIA: Words<8> = Words::new(["application", "text", "image", "audio", "video", "multipart", "font", "message"]);

/// The name that a span of code is, or `None` if it can name nothing: a literal, an expression, a sentence.
pub fn name_of_code(span: &str) -> Option<Name> {
    // One word: nothing has to be taken off or told apart.
    if span.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return symbol(span).filter(|_| span.len() <= MAX_WORD).map(|text| Name { text, form: Form::Symbol });
    }
    let text = span.trim().trim_start_matches(['~', '!', '@', '&', '*']).trim_end_matches([';', ',', ':']);
    let first = text.chars().next().filter(|_| !span.trim_start().starts_with("*."))?;
    if text.len() > MAX_WORD
        || matches!(first, '"' | '\'' | '<' | '{' | '[' | '(' | '=' | '|' | '/' | '\\' | '%') && !is_absolute(text)
    {
        return None;
    }
    if first == '-' {
        let end = text.find(|c: char| c.is_whitespace() || c == '=' || c == '[').unwrap_or(text.len());
        let flag = text[..end].trim_end_matches(',');
        let fits = flag.len() > 1 && flag.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic());
        return fits.then(|| Name { text: flag.to_owned(), form: Form::Flag });
    }
    if first == '$' {
        let name = text.trim_start_matches(['$', '{']).trim_end_matches('}');
        return is_identifier(name).then(|| Name { text: name.to_owned(), form: Form::Variable });
    }
    let text = without_leading(text);
    if let Some(open) = text.find('(') {
        let name = &text[..open];
        return symbol(name.trim_end()).map(|text| Name { text, form: Form::Call });
    }
    if text.contains(char::is_whitespace) {
        return command(text);
    }
    if let Some(path) = path(text) {
        return Some(Name { text: path, form: Form::Path });
    }
    symbol(text).map(|text| Name { text, form: Form::Symbol })
}

fn is_absolute(text: &str) -> bool {
    text.starts_with('/') && text.len() > 1
}

/// The text without words of a declaration in front: `async def run()` → `run()`.
fn without_leading(text: &str) -> &str {
    let mut rest = text;
    while let Some((word, after)) = rest.split_once(char::is_whitespace)
        && LEADING.has(word)
    {
        rest = after.trim_start();
    }
    rest
}

/// A line for a shell: a program and its arguments.
fn command(text: &str) -> Option<Name> {
    let text = text.trim_start_matches("$ ");
    let word = text.split_whitespace().next()?;
    let is_program =
        word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.' | b'/'));
    let is_line =
        is_program && word.len() > 1 && !text.contains(['=', '{', ';', '<', '"', '(']) || text.contains(" --");
    is_line.then(|| Name { text: crate::text::fold_text(text), form: Form::Command })
}

/// A path, without `./` in front and a line behind.
fn path(text: &str) -> Option<String> {
    let is_odd = |byte| matches!(byte, b'*' | b'{' | b'}' | b'<' | b'>' | b'$' | b'|' | b'=' | b'?' | b',');
    if text.bytes().any(is_odd) || text.contains(':') && text.contains("://") {
        return None;
    }
    let text = without_line(text);
    let text = text.trim_start_matches("./");
    let last = text.trim_end_matches('/').rsplit('/').next()?;
    let (stem, ending) = last.rsplit_once('.').unwrap_or((last, ""));
    let known = ENDINGS.has(ending) && (!stem.is_empty() || text.contains('/'));
    // `std.go` may be a file; `pkg.c`, a name: short endings count only in lower-case words with a folder or a stem.
    if !text.contains('/') {
        return (known && !is_attribute(stem, ending)).then(|| text.to_owned());
    }
    let first = text.split('/').find(|part| !part.is_empty())?;
    let words = text.split('/').filter(|part| !part.is_empty()).count();
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/' | b'@' | b'+'));
    let fits = plain && first != "N" && !MEDIA.has(first) && (known || text.ends_with('/') || words > 1);
    fits.then(|| text.to_owned())
}

/// Returns whether `stem.ending` is rather an attribute (`request.json`, `self.text`) than a file.
fn is_attribute(stem: &str, ending: &str) -> bool {
    matches!(ending, "json" | "c" | "h" | "lock" | "mod" | "sum" | "html" | "css" | "conf" | "xml" | "sql")
        && matches!(
            stem,
            "self"
                | "this"
                | "request"
                | "response"
                | "res"
                | "req"
                | "r"
                | "resp"
                | "mutex"
                | "app"
                | "client"
                | "z"
                | "flask"
        )
}

fn without_line(text: &str) -> &str {
    let mut rest = text;
    while let Some((path, digits)) = rest.rsplit_once(':')
        && !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit() || b == b'-')
    {
        rest = path;
    }
    let at = memchr::memchr_iter(b'#', rest.as_bytes()).find(|at| rest[at + 1..].starts_with('L'));
    at.map_or(rest, |at| &rest[..at])
}

/// Names joined by `.`, `::`, `#` or `->`, without type arguments; `None` if it is something else or a literal.
fn symbol(text: &str) -> Option<String> {
    let plain = without_types(text)?;
    let plain = plain.trim_end_matches("::").trim_end_matches(['!', '?']).trim_start_matches('.');
    if plain.is_empty() {
        return None;
    }
    let count = names(plain)?;
    let literal = count == 1 && LITERALS.has_in_any_case(plain) && !is_type(plain);
    (!literal && plain.len() > 1).then(|| plain.to_owned())
}

/// How many names are joined in a text; `None` if it is something else.
fn names(text: &str) -> Option<usize> {
    if !text.is_ascii() {
        let mut parts = text.split("::").flat_map(|part| part.split(['.', '#']));
        return parts.try_fold(0, |count, part| is_identifier(part).then_some(count + 1));
    }
    let mut count = 1;
    let mut is_start = true;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let is_joint = matches!(byte, b'.' | b'#') || byte == b':' && bytes.next() == Some(b':');
        let fits = is_joint || byte == b'_' || byte.is_ascii_alphabetic() || byte.is_ascii_digit();
        if !fits || is_start && (is_joint || byte.is_ascii_digit()) {
            return None;
        }
        count += usize::from(is_joint);
        is_start = is_joint;
    }
    (!is_start).then_some(count)
}

/// A text without type arguments: `Vec::<T>::new` → `Vec::new`. `None` if a bracket is not closed.
fn without_types(text: &str) -> Option<Cow<'_, str>> {
    if memchr::memchr2(b'<', b'[', text.as_bytes()).is_none() && !(text.contains(':') && text.contains("::::")) {
        return Some(Cow::Borrowed(text));
    }
    let mut plain = String::with_capacity(text.len());
    let mut depth = 0usize;
    for c in text.chars() {
        match c {
            '<' | '[' => depth += 1,
            '>' | ']' if depth > 0 => depth -= 1,
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    (depth == 0).then(|| Cow::Owned(plain.replace("::::", "::")))
}

/// Returns whether a word is written like a type, which as a literal is that of a request: `Options`, not `OPTIONS`.
fn is_type(word: &str) -> bool {
    const REQUESTS: &[&str] = &["Get", "Post", "Put", "Delete", "Patch", "Head", "Options"];
    REQUESTS.contains(&word)
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Names of code in running text that nothing marks: calls, qualified names, paths of files. Each with the number of
/// line breaks before it.
pub(crate) fn bare(text: &str) -> Vec<(Name, u32)> {
    let mut found: Vec<(Name, u32)> = Vec::new();
    let bytes = text.as_bytes();
    let (mut from, mut number) = (0, 0);
    // Most text has none of the signs: only the words with one are read.
    while let Some(at) = next_sign(&bytes[from..]).map(|at| from + at).filter(|_| found.len() < MAX_BARE) {
        let start =
            at - text[from..at].chars().rev().take_while(|c| !is_between(*c)).map(char::len_utf8).sum::<usize>();
        let end = text[at..].find(is_between).map_or(text.len(), |end| at + end);
        number += memchr::memchr_iter(b'\n', &bytes[from..start]).count() as u32;
        from = end;
        found.extend(bare_name(&text[start..end]).map(|name| (name, number)));
    }
    found
}

/// Whether a character separates words that may be names.
fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';' | '"' | '|')
}

/// The name that a word of running text is, by its spelling.
fn bare_name(word: &str) -> Option<Name> {
    if word.len() < 4 || word.len() > MAX_WORD {
        return None;
    }
    let word =
        word.trim_start_matches(['(', '[', '`', '*', '\'']).trim_end_matches(['.', ':', '!', '?', ']', '`', '*', '\'']);
    let word = if word.contains('(') { word } else { word.trim_end_matches(')') };
    let call = word.ends_with("()");
    let qualified = word.contains("::") && !word.contains(['(', '<', '{']);
    let ending = word.rsplit_once('.').map_or("", |(_, ending)| ending);
    let file = ENDINGS.has(ending) && word.contains('/') && !word.contains("://");
    if !(call || qualified || file) {
        return None;
    }
    name_of_code(word).filter(|name| matches!(name.form, Form::Symbol | Form::Call | Form::Path))
}

/// Where the next sign of a name is: `()`, `::` or `/`.
fn next_sign(bytes: &[u8]) -> Option<usize> {
    memchr::memchr3_iter(b'(', b':', b'/', bytes).find(|&at| match bytes[at] {
        b'(' => bytes.get(at + 1) == Some(&b')'),
        b':' => bytes.get(at + 1) == Some(&b':'),
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::{bare, name_of_code};

    #[test]
    fn spans_of_code_are_names_or_not() {
        for (span, wanted) in [
            ("Session.get", "Session.get symbol"),
            ("std::mem::swap", "std::mem::swap symbol"),
            ("acquire()", "acquire call"),
            ("Client(timeout=5, x=[1])", "Client call"),
            ("async def run(self)", "run call"),
            ("Vec<T>", "Vec symbol"),
            ("vec!", "vec symbol"),
            ("Pool#close", "Pool#close symbol"),
            ("src/a.py:12", "src/a.py path"),
            ("./src/a.rs", "src/a.rs path"),
            ("Cargo.toml", "Cargo.toml path"),
            ("docs/", "docs/ path"),
            ("request.json", "request.json symbol"),
            ("application/json", "-"),
            ("--verbose=2", "--verbose flag"),
            ("$HOME", "HOME variable"),
            ("cargo build --release", "cargo build --release command"),
            ("@app.route", "app.route symbol"),
            ("true", "-"),
            ("None", "-"),
            ("GET", "-"),
            ("Options", "Options symbol"),
            ("42", "-"),
            ("\"text\"", "-"),
            ("x = y + 1", "-"),
            ("a && b", "-"),
            ("*.py", "-"),
            ("https://example.com/a", "-"),
            ("", "-"),
            ("{}", "-"),
        ] {
            let shown = name_of_code(span)
                .map_or("-".to_owned(), |name| format!("{} {}", name.text, format!("{:?}", name.form).to_lowercase()));
            assert_eq!(shown, wanted, "{span}");
        }
    }

    #[test]
    fn running_text_has_names_in_the_spelling_of_code() {
        let text =
            "Call connect() or (Pool::get) in src/pool.rs,\nnot and/or, e.g. foo.bar, http://a.b/c.html (see x).";
        let names: Vec<String> = bare(text).into_iter().map(|(name, line)| format!("{}@{line}", name.text)).collect();
        assert_eq!(names, ["connect@0", "Pool::get@0", "src/pool.rs@0"]);
    }
}
