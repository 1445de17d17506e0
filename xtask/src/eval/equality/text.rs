//! Source text as seen by an editor: lines, words, and what looks like a definition or an import.

/// Languages of edited files; dialects count as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    /// JavaScript and TypeScript.
    Script,
    Rust,
    Go,
    Java,
    /// C and C++.
    C,
    /// Read by a build tool.
    Manifest,
}

const EXTENSIONS: &[(Language, &[&str])] = &[
    (Language::Python, &["py", "pyi"]),
    (Language::Script, &["js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "cts"]),
    (Language::Rust, &["rs"]),
    (Language::Go, &["go"]),
    (Language::Java, &["java"]),
    (Language::C, &["c", "h", "cc", "cpp", "cxx", "hpp", "hh"]),
];
const MANIFESTS: &[&str] =
    &["Cargo.toml", "package.json", "tsconfig.json", "go.mod", "go.work", "pyproject.toml", "compile_commands.json"];
/// Keywords before the name of a definition.
const DEFINING: &[&str] = &[
    "def", "class", "fn", "func", "function", "struct", "trait", "interface", "enum", "type", "const", "let", "var",
    "mod", "namespace", "static", "union", "typedef", "macro_rules", "record",
];
/// Words that are not names.
const RESERVED: &[&str] = &[
    "self", "this", "return", "import", "from", "use", "pub", "public", "private", "protected", "impl", "for", "while",
    "else", "match", "switch", "case", "new", "async", "await", "not", "and", "None", "true", "false", "null", "void",
    "package", "export", "default", "require", "include", "final", "extends", "implements", "mut", "crate", "super",
    "where", "yield", "with", "try", "except", "catch", "throw", "raise", "break", "continue",
];
/// Minimum length of a name worth renaming, in bytes.
const MIN_WORD: usize = 3;

/// The language of an edited file.
pub(super) fn language(path: &str) -> Option<Language> {
    let name = path.rsplit('/').next()?;
    if MANIFESTS.contains(&name) {
        return Some(Language::Manifest);
    }
    let (_, extension) = name.rsplit_once('.')?;
    EXTENSIONS.iter().find(|(_, all)| all.contains(&extension)).map(|(language, _)| *language)
}

/// The folder of a path, `""` for the root.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a path lies below a folder.
pub(super) fn is_in(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Words of a text with their places.
fn all_words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(is_word)?;
        let end = text[start..].find(|c| !is_word(c)).map_or(text.len(), |length| start + length);
        rest = end;
        Some((start, &text[start..end]))
    })
}

fn is_name(word: &str) -> bool {
    let starts_well = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts_well && word.len() >= MIN_WORD && !DEFINING.contains(&word) && !RESERVED.contains(&word)
}

/// Words that may be names.
pub(super) fn words(text: &str) -> Vec<&str> {
    all_words(text).map(|(_, word)| word).filter(|word| is_name(word)).collect()
}

/// Names that look defined.
pub(super) fn list_defined(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut before = "";
        for (start, word) in all_words(line) {
            let is_called = line[start + word.len()..].starts_with('(');
            if is_name(word) && (DEFINING.contains(&before) || is_called && opens(line)) {
                found.push(word);
            }
            before = word;
        }
    }
    found
}

/// Returns whether a line opens a body.
fn opens(line: &str) -> bool {
    line.trim_end().ends_with(['{', ':'])
}

/// 0-based numbers of lines that look like the start of a definition.
pub(super) fn definition_lines(text: &str) -> Vec<usize> {
    let is_one =
        |line: &str| all_words(line).any(|(_, word)| DEFINING.contains(&word)) || line.contains('(') && opens(line);
    text.lines().enumerate().filter(|(_, line)| is_one(line)).map(|(number, _)| number).collect()
}

/// 0-based numbers of lines that look like the header of a function.
pub(super) fn headers(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    definition_lines(text).into_iter().filter(|&number| lines[number].contains('(')).collect()
}

/// Replaces one word by another.
pub(super) fn rename_word(text: &str, old: &str, new: &str) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut done = 0;
    for (start, _) in all_words(text).filter(|(_, word)| *word == old) {
        changed.push_str(&text[done..start]);
        changed.push_str(new);
        done = start + old.len();
    }
    changed.push_str(&text[done..]);
    changed
}

/// Replaces or removes a line.
pub(super) fn with_line(text: &str, number: usize, line: Option<&str>) -> String {
    let lines = text.lines().enumerate();
    join_lines(lines.filter_map(|(place, old)| if place == number { line } else { Some(old) }))
}

/// Removes lines.
pub(super) fn without(text: &str, start: usize, count: usize) -> String {
    let lines = text.lines().enumerate();
    join_lines(lines.filter(|(place, _)| *place < start || *place >= start + count).map(|(_, line)| line))
}

/// Inserts lines before another.
pub(super) fn with_inserted(text: &str, place: usize, lines: &[&str]) -> String {
    let before = text.lines().take(place);
    join_lines(before.chain(lines.iter().copied()).chain(text.lines().skip(place)))
}

/// Returns whether a line of Rust declares a module in another file.
pub(super) fn declares_file(line: &str) -> bool {
    let line = line.trim();
    let item = line.strip_prefix("pub").map_or(line, |rest| rest.trim_start_matches(|c| c != ' ').trim_start());
    item.starts_with("mod ") && item.ends_with(';')
}

fn join_lines<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    lines.flat_map(|line| [line, "\n"]).collect()
}

impl Language {
    /// Returns whether a line looks like an import.
    pub(super) fn is_import(self, line: &str) -> bool {
        let line = line.trim_start();
        let starts: &[&str] = match self {
            Self::Python => &["import ", "from "],
            Self::Script => &["import ", "export * from", "export {"],
            Self::Rust => &["use ", "pub use ", "mod ", "pub mod ", "pub(crate) use "],
            Self::Go => &["import ", "\""],
            Self::Java => &["import ", "package "],
            Self::C => &["#include"],
            Self::Manifest => &[],
        };
        starts.iter().any(|start| line.starts_with(start)) || self == Self::Script && line.contains("require(")
    }

    /// An import in the file `path` of a name defined in `other`, in one of the `shape`s of the language.
    pub(super) fn import_of(self, path: &str, other: &str, name: &str, shape: usize) -> Option<String> {
        let stem = other.rsplit_once('.').map_or(other, |(stem, _)| stem);
        let base = stem.rsplit('/').next()?;
        Some(match (self, shape) {
            (Self::Python, 0) => format!("import {}", stem.replace('/', ".")),
            (Self::Python, 1) => format!("from {} import *", stem.replace('/', ".")),
            (Self::Python, _) => format!("from {} import {name}", stem.replace('/', ".")),
            (Self::Script, 0) => format!("import * as {name} from './{}';", relative(path, stem)),
            (Self::Script, 1) => format!("export * from './{}';", relative(path, stem)),
            (Self::Script, _) => format!("const {{ {name} }} = require('./{}');", relative(path, stem)),
            (Self::Rust, 0) => format!("use crate::{base}::*;"),
            (Self::Rust, 1) => format!("mod {base};"),
            (Self::Rust, _) => format!("pub use crate::{base}::{name};"),
            (Self::Go, _) => return None,
            (Self::Java, shape) => {
                let start = stem.find("/org/").or_else(|| stem.find("/com/")).map_or(0, |start| start + 1);
                let class = stem[start..].replace('/', ".");
                match shape {
                    0 => format!("import {class};"),
                    1 => format!("import static {class}.*;"),
                    _ => format!("import {}.*;", class.rsplit_once('.').map_or(&*class, |(package, _)| package)),
                }
            }
            (Self::C, 0) => format!("#include \"{other}\""),
            (Self::C, _) => format!("#include \"{}\"", relative(path, other)),
            (Self::Manifest, _) => return None,
        })
    }
}

/// A path relative to the folder of another file.
fn relative(from: &str, to: &str) -> String {
    let depth = from.matches('/').count();
    format!("{}{to}", "../".repeat(depth))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_replaced_as_whole_words() {
        let text = "def load(self, store):\n    return reload(store)\n";
        assert_eq!(list_defined(text), ["load"]);
        assert_eq!(rename_word(text, "load", "open"), "def open(self, store):\n    return reload(store)\n");
        assert_eq!(headers(text), [0]);
        assert_eq!(list_defined("  public int size(int of) {\n"), ["size"]);
    }

    #[test]
    fn lines_come_and_go() {
        assert_eq!(with_inserted("a\nb\n", 1, &["x", "y"]), "a\nx\ny\nb\n");
        assert_eq!(without("a\nb\nc\n", 0, 2), "c\n");
        assert_eq!(with_line("a\nb\n", 1, Some("x")), "a\nx\n");
        assert_eq!(with_line("a\nb\n", 0, None), "b\n");
    }

    #[test]
    fn imports_are_written_as_the_language_has_them() {
        let python = Language::Python.import_of("a.py", "pkg/b.py", "load", 2);
        assert_eq!(python.as_deref(), Some("from pkg.b import load"));
        let script = Language::Script.import_of("src/a.ts", "lib/b.ts", "load", 1);
        assert_eq!(script.as_deref(), Some("export * from './../lib/b';"));
        assert!(Language::Rust.is_import("    pub mod load;"));
        assert!(!Language::Rust.is_import("fn load() {"));
        for (line, expected) in [
            ("mod load;", true),
            ("    pub(crate) mod load;", true),
            ("pub mod load;", true),
            ("mod load {", false),
            ("pub use load;", false),
        ] {
            assert_eq!(declares_file(line), expected, "{line}");
        }
    }
}
