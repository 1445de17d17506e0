//! Names in files without a grammar: settings, build files, scripts, templates. What a file is follows from its name.

use super::{Finder, WordPlace, is_word, literals, markup, word_end};
use crate::Language;

/// How the words of a file are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It has a grammar: names without a fact.
    Code,
    /// It is a page whose scripts have a grammar.
    Component,
    /// Words in it name no code, or do so only for readers: documents, data, styles.
    Nothing,
    /// It has no grammar.
    Text(TextKind),
}

/// A file without a grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    /// Keys and values.
    Settings,
    /// Elements of which any attribute may name code.
    Elements,
    /// A page or a template of one.
    Page,
    /// Statements of a language that is not known: every word counts but those in comments.
    Statements(Comments),
    /// Sentences: only what is written like a call or a path.
    Prose,
    /// Documents, unless they are lists: only lines that are a path and nothing else.
    Lines,
}

/// What begins a comment that ends with its line, and what is around longer ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Comments {
    line: &'static [&'static str],
    block: Option<(&'static str, &'static str)>,
}

const HASH: Comments = Comments { line: &["#"], block: None };
const SLASHES: Comments = Comments { line: &["//"], block: Some(("/*", "*/")) };
const DASHES: Comments = Comments { line: &["--"], block: Some(("{-", "-}")) };
const SEMICOLON: Comments = Comments { line: &[";"], block: None };
const PERCENT: Comments = Comments { line: &["%"], block: None };
const NONE: Comments = Comments { line: &[], block: None };

/// Files that name no code: documents, data, styles, locks of dependencies.
const NOTHING: &[&str] = &[
    "adoc", "asciidoc", "bib", "cer", "cls", "crt", "css", "csv", "diff", "eps", "geojson", "ics", "key", "less",
    "lock", "log", "map", "markdown", "md", "mdx", "mo", "patch", "pem", "po", "pot", "ps", "pub", "rst", "sass",
    "scss", "snap", "srt", "sty", "styl", "sum", "svg", "tex", "tsv", "vtt",
];
const SETTINGS: &[&str] = &[
    "cfg", "conf", "editorconfig", "env", "hcl", "ini", "json", "json5", "jsonc", "properties", "service", "tf",
    "tfvars", "toml", "webmanifest", "yaml", "yml",
];
const ELEMENTS: &[&str] = &[
    "axaml", "config", "csproj", "fsproj", "fxml", "jspx", "nuspec", "plist", "props", "qml", "resx", "rng",
    "storyboard", "targets", "tld", "ui", "vbproj", "wsdl", "xaml", "xib", "xml", "xsd", "xsl", "xslt",
];
const PAGES: &[&str] = &[
    "astro", "cshtml", "eex", "ejs", "erb", "ftl", "ftlh", "gohtml", "gotmpl", "handlebars", "hbs", "heex", "html",
    "j2", "jinja", "jinja2", "jsp", "leex", "liquid", "marko", "mustache", "njk", "phtml", "razor", "rhtml", "tmpl",
    "tpl", "twig", "vbhtml", "vm",
];
const WITH_HASH: &[&str] = &[
    "awk", "bzl", "cmake", "cr", "dockerignore", "ex", "exs", "fish", "hcl", "jl", "just", "mk", "nim", "nix", "nu",
    "pl", "pm", "ps1", "psm1", "psd1", "r", "raku", "star", "tcl", "t", "yang", "zsh-theme",
];
const WITH_SLASHES: &[&str] = &[
    "as", "cl", "d", "dart", "fs", "fsx", "fx", "glsl", "gradle", "groovy", "hlsl", "hx", "idl", "jenkinsfile", "m",
    "metal", "mm", "pas", "re", "res", "sol", "sv", "thrift", "v", "vala", "wgsl", "zig",
];
const WITH_DASHES: &[&str] = &["adb", "ads", "elm", "hs", "lhs", "purs", "vhd", "vhdl"];
const WITH_SEMICOLON: &[&str] = &["asm", "clj", "cljc", "cljs", "edn", "el", "lisp", "rkt", "s", "scm"];
const WITH_PERCENT: &[&str] = &["erl", "hrl", "pro"];
/// Files of statements by their whole names.
const STATEMENTS: &[&str] = &[
    "build", "caddyfile", "cmakelists.txt", "earthfile", "gnumakefile", "jenkinsfile", "justfile", "makefile",
    "procfile", "snakefile", "tiltfile", "workspace",
];
/// Languages of templates whose lines are elements: what is prose in them cannot be told.
const WITHOUT_COMMENTS: &[&str] = &["haml", "jade", "pug", "slim"];

/// Longest part of a line that is looked through for its beginning or end, in bytes.
const MAX_LINE: usize = 512;

/// Keys whose value is for people, or names what stands here.
const TELLING: &[&str] = &[
    "author", "authors", "change", "categories", "classifiers", "description", "edition", "keywords", "label",
    "license", "name", "repository", "summary", "tags", "title", "type", "version",
];

/// Beginnings of names of files that are read by people.
const PROSE_NAMES: &[&str] = &[
    "authors", "change", "changelog", "changes", "code_of_conduct", "codeowners", "contributing", "contributors",
    "copying", "history", "install", "license", "licence", "maintainers", "news", "notice", "readme", "security",
    "thanks", "todo", "version",
];

/// How the words of a file are read.
pub(super) fn kind(language: Language, path: &str) -> Kind {
    use Language as L;
    match language {
        L::Markdown | L::RestructuredText | L::AsciiDoc | L::Notebook => Kind::Nothing,
        L::Html => Kind::Text(TextKind::Page),
        L::Yaml | L::Docker => Kind::Text(TextKind::Settings),
        L::GraphQl => Kind::Text(TextKind::Statements(HASH)),
        L::Proto => Kind::Text(TextKind::Statements(SLASHES)),
        L::Sql => Kind::Text(TextKind::Prose),
        L::Vue | L::Svelte | L::Astro => Kind::Component,
        L::Text => of_path(path).map_or(Kind::Nothing, Kind::Text),
        // The extractor of pages with code in them only reads the code.
        L::Php if path.ends_with(".blade.php") => Kind::Text(TextKind::Page),
        _ => Kind::Code,
    }
}

/// Returns whether words of a file without a grammar are looked for.
pub(crate) fn reads(language: Language, path: &str) -> bool {
    kind(language, path) != Kind::Nothing
}

fn of_path(path: &str) -> Option<TextKind> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let name = name.strip_suffix(".in").unwrap_or(&name);
    if STATEMENTS.contains(&name) || name.starts_with("makefile.") {
        return Some(TextKind::Statements(HASH));
    }
    let begins = |known: &&str| name.strip_prefix(*known).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    if PROSE_NAMES.iter().any(begins) || matches!(name, "package-lock.json" | "npm-shrinkwrap.json") {
        return None;
    }
    let Some((_, ending)) = name.rsplit_once('.') else { return Some(TextKind::Prose) };
    let is_in = |list: &[&str]| list.contains(&ending);
    let statements = |comments| Some(TextKind::Statements(comments));
    match () {
        () if is_in(NOTHING) => None,
        () if ending == "txt" => Some(TextKind::Lines),
        () if is_in(SETTINGS) => Some(TextKind::Settings),
        () if is_in(ELEMENTS) => Some(TextKind::Elements),
        () if is_in(PAGES) => Some(TextKind::Page),
        () if is_in(WITH_HASH) => statements(HASH),
        () if is_in(WITH_SLASHES) => statements(SLASHES),
        () if is_in(WITH_DASHES) => statements(DASHES),
        () if is_in(WITH_SEMICOLON) => statements(SEMICOLON),
        () if is_in(WITH_PERCENT) => statements(PERCENT),
        () if is_in(WITHOUT_COMMENTS) => statements(NONE),
        // Code that is made from a file (`x.h.in`).
        () if Language::all().any(|language| !language.is_prose() && language.extensions().contains(&ending)) => {
            statements(SLASHES)
        }
        () => Some(TextKind::Prose),
    }
}

/// Adds the names in a file without a grammar.
pub(super) fn scan(kind: TextKind, text: &str, finder: &mut Finder<'_>) {
    match kind {
        TextKind::Settings => scan_settings(text, finder),
        TextKind::Elements => markup::scan(text, true, finder),
        TextKind::Page => markup::scan(text, false, finder),
        TextKind::Statements(comments) => scan_statements(0..text.len(), comments, finder),
        TextKind::Lines => scan_lines(text, finder),
        TextKind::Prose => literals::scan(0..text.len(), WordPlace::Text, Some(WordPlace::Text), finder),
    }
}

/// Adds the names of lines that are a path: `package.module.name`.
fn scan_lines(text: &str, finder: &mut Finder<'_>) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        let from = start + (line.len() - line.trim_start().len());
        if literals::is_path(bare) && !bare.bytes().all(is_word) {
            literals::add_path(from..from + bare.len(), WordPlace::Text, finder);
        }
        start += line.len();
    }
}

/// Adds every word of a part that is in no comment.
pub(super) fn scan_statements(part: std::ops::Range<usize>, comments: Comments, finder: &mut Finder<'_>) {
    let text = finder.text;
    let bytes = text.as_bytes();
    let mut at = part.start;
    while at < part.end {
        if is_word(bytes[at]) {
            let end = word_end(bytes, at).min(part.end);
            if !bytes[at].is_ascii_digit() && !crate::tokens::is_keyword(&text[at..end]) {
                finder.add(at, end, WordPlace::Text);
            }
            at = end;
            continue;
        }
        let rest = &bytes[at..part.end];
        let block = comments.block.filter(|(open, _)| rest.starts_with(open.as_bytes()));
        let is_line = comments.line.iter().any(|mark| rest.starts_with(mark.as_bytes())) && begins_comment(bytes, at);
        at = match block {
            Some((_, close)) => find(bytes, at..part.end, close).map_or(part.end, |end| end + close.len()),
            None if is_line => find(bytes, at..part.end, "\n").unwrap_or(part.end),
            None => at + 1,
        };
    }
}

/// A mark inside of a word or an address begins no comment.
fn begins_comment(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1).is_none_or(|before| {
        bytes[before].is_ascii_whitespace() || matches!(bytes[before], b';' | b'}' | b'{' | b')' | b',')
    })
}

pub(super) fn find(bytes: &[u8], part: std::ops::Range<usize>, wanted: &str) -> Option<usize> {
    let wanted = wanted.as_bytes();
    bytes.get(part.clone())?.windows(wanted.len()).position(|window| window == wanted).map(|at| part.start + at)
}

/// Adds the names among keys and values: paths anywhere, and single names that are a value or an item.
fn scan_settings(text: &str, finder: &mut Finder<'_>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let is_comment = matches!(byte, b'#' | b';') || bytes[at..].starts_with(b"//");
        if is_comment && begins_comment(bytes, at) {
            at = find(bytes, at..bytes.len(), "\n").unwrap_or(bytes.len());
            continue;
        }
        if matches!(byte, b'"' | b'\'')
            && let Some(end) = sentence(bytes, at)
        {
            literals::scan(at + 1..end, WordPlace::Text, None, finder);
            at = end + 1;
            continue;
        }
        if !is_part(byte) {
            at += 1;
            continue;
        }
        let start = at;
        at += bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
        add_setting(start, at, finder);
    }
}

/// Where a text of several words that begins with a quote ends, if it does in its line.
fn sentence(bytes: &[u8], open: usize) -> Option<usize> {
    let quote = bytes[open];
    let mut is_escaped = false;
    let mut has_space = false;
    for (at, byte) in bytes.iter().enumerate().skip(open + 1).take(MAX_LINE) {
        match *byte {
            b'\n' => return None,
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            byte if byte == quote => return has_space.then_some(at),
            b' ' | b'\t' => has_space = true,
            _ => {}
        }
    }
    None
}

/// Bytes of names and of what joins them.
const fn is_part(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'.' | b':' | b'/' | b'#' | b'@' | b'$' | b'\\')
}

fn add_setting(start: usize, end: usize, finder: &mut Finder<'_>) {
    let text = finder.text;
    let bytes = text.as_bytes();
    let Some(run) = text.get(start..end) else { return };
    // A colon at the end belongs to a key.
    let bare = run.trim_end_matches([':', '.', '/', '\\']).trim_start_matches([':']);
    let start = start + (run.len() - run.trim_start_matches([':']).len());
    let end = start + bare.len();
    let is_quoted = matches!(bytes.get(end), Some(b'"' | b'\''));
    let is_single = bare.bytes().all(is_word);
    if bare.is_empty() || !literals::is_path(bare) || bytes.get(end) == Some(&b'-') {
        return;
    }
    let is_key = run.ends_with(':') || matches!(behind_quote(bytes, end).first(), Some(b':' | b'='));
    let is_called = bytes.get(end) == Some(&b'(');
    let counts = match is_single {
        _ if is_called => true,
        true => !is_key && is_value(bytes, start, end) && !is_telling(bytes, start),
        // A path in quotes may be the key of a table of paths.
        false => is_quoted || !is_key && !is_heading(bytes, start),
    };
    if counts {
        literals::add_path(start..end, WordPlace::Text, finder);
    }
}

/// What stands in front of a place in its line; of a long one only the end.
fn line_before(bytes: &[u8], at: usize) -> &[u8] {
    let from = at.saturating_sub(MAX_LINE);
    let start = bytes[from..at].iter().rposition(|byte| *byte == b'\n').map_or(from, |end| from + end + 1);
    &bytes[start..at]
}

/// Returns whether the line of a place begins with a key of [`TELLING`].
fn is_telling(bytes: &[u8], at: usize) -> bool {
    let line = line_before(bytes, at);
    let start = line.iter().take_while(|byte| !is_word(**byte)).count();
    let word = &line[start..word_end(line, start)];
    TELLING.iter().any(|key| key.as_bytes() == word)
}

/// Returns whether a name stands in the heading of a section: `[tool.name]`.
fn is_heading(bytes: &[u8], start: usize) -> bool {
    let line = line_before(bytes, start);
    line.starts_with(b"[") && line.iter().all(|byte| matches!(byte, b'[') || is_part(*byte))
}

/// Returns whether a name is all of a value or of an item of a list.
fn is_value(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = bytes[..start].iter().rposition(|byte| !matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'`'));
    let opens = match before.map(|at| bytes[at]) {
        Some(b'=' | b':' | b'[' | b',' | b'(' | b'{' | b'>' | b'|') => true,
        // An item of a list, or a line of its own.
        Some(b'-') => before.is_none_or(|at| line_before(bytes, at).iter().all(u8::is_ascii_whitespace)),
        Some(b'\n') | None => true,
        _ => false,
    };
    let opens = opens && !is_heading(bytes, start);
    let rest = bytes[end..].iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'"' | b'\'' | b'`'));
    opens
        && rest
            .is_none_or(|at| matches!(bytes[end + at], b'\n' | b',' | b']' | b')' | b'}' | b'#' | b'<' | b';' | b'|'))
}

fn behind_quote(bytes: &[u8], end: usize) -> &[u8] {
    let rest = bytes.get(end..).unwrap_or_default();
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
    // Nothing behind the end of the line belongs to it.
    let spaces = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &rest[spaces..]
}
