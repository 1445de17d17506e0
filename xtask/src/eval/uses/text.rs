//! The words of all tracked files of a checkout, with what surrounds them. Own lexing, so that a mistake of the product
//! is not repeated here.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

/// Maximum size of a file that is read, in bytes.
const MAX_FILE: usize = 2 << 20;
/// Maximum length of a literal that is looked into, in bytes.
const MAX_LITERAL: usize = 2_000;

/// File extensions of documentation: names there are prose.
const DOCUMENTS: &[&str] =
    &["md", "mdx", "rst", "adoc", "txt", "po", "pot", "svg", "csv", "lock", "log", "patch", "sum"];
/// File extensions and names of what names no code.
const UNREAD: &[&str] = &["LICENSE", "AUTHORS", "CHANGELOG", "README", "NEWS", "css", "scss", "less", "cursorrules"];
/// File extensions of pages and templates.
const MARKUP: &[&str] =
    &["html", "htm", "xml", "xhtml", "jinja", "jinja2", "j2", "erb", "hbs", "tmpl", "cshtml", "jsp", "ejs", "mustache"];
/// File extensions of components: script and markup in one file.
const COMPONENTS: &[&str] = &["vue", "svelte", "astro"];
/// File extensions of languages with `//` comments.
const C_LIKE: &[&str] = &[
    "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "inl", "ipp", "java", "kt", "kts", "scala", "swift", "cs", "go",
    "rs", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "proto", "gradle", "groovy", "dart", "php", "vue",
    "svelte", "astro", "bazel",
];
/// File extensions of languages with `#` comments, and names of such files.
const HASH_LIKE: &[&str] = &[
    "py", "pyi", "rb", "sh", "bash", "yaml", "yml", "toml", "cfg", "ini", "cmake", "mk", "Makefile", "Dockerfile",
    "Procfile", "pl", "r", "ps1", "properties", "CMakeLists", "BUILD",
];

/// What a part of a file is to its language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Code,
    Comment,
    Literal,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// A program.
    Code,
    /// Pages and templates.
    Markup,
    /// Settings and data.
    Data,
    /// Documentation.
    Document,
}

/// A tracked file.
pub(super) struct File {
    pub(super) path: String,
    /// The end of its path, or that of programs of its interpreter.
    pub(super) extension: &'static str,
    pub(super) text: String,
    pub(super) kind: FileKind,
    /// Parts that are not code, in order.
    parts: Vec<(Range<usize>, Part)>,
    /// Start of each line.
    lines: Vec<usize>,
    /// Statements that only pass names on: imports, re-exports and lists of exports.
    imports: Vec<Range<usize>>,
}

impl File {
    pub(super) fn new(path: &str, text: String) -> Self {
        let extension = language(path, &text);
        let kind = kind(extension);
        let parts = if kind == FileKind::Document { Vec::new() } else { split(&text, extension) };
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut file = Self { path: path.to_owned(), extension, text, kind, parts, lines, imports: Vec::new() };
        file.imports = find_imports(&file);
        file
    }

    /// Whether names are in pages, not in scripts.
    pub(super) fn is_component(&self) -> bool {
        COMPONENTS.contains(&self.extension)
    }

    /// Whether an offset of a component is in its script.
    pub(super) fn is_in_script(&self, at: usize) -> bool {
        let before = &self.text[..at];
        match self.extension {
            "astro" => before.matches("\n---").count() < 1 && before.starts_with("---"),
            _ => before.rfind("<script").is_some_and(|start| !before[start..].contains("</script")),
        }
    }

    /// Line of an offset, counted from 1.
    pub(super) fn line(&self, at: usize) -> u32 {
        self.lines.partition_point(|&start| start <= at) as u32
    }

    /// The text of a line, counted from 1.
    pub(super) fn line_text(&self, line: u32) -> &str {
        let start = self.lines.get(line.saturating_sub(1) as usize).copied().unwrap_or(self.text.len());
        self.text[start..].lines().next().unwrap_or_default()
    }

    /// The part at an offset, with its range if it is not code.
    pub(super) fn part(&self, at: usize) -> (Part, Range<usize>) {
        let next = self.parts.partition_point(|(range, _)| range.end <= at);
        match self.parts.get(next) {
            Some((range, part)) if range.start <= at => (*part, range.clone()),
            _ => (Part::Code, at..at),
        }
    }

    /// The import statement that names a word.
    pub(super) fn import_of(&self, name: &str) -> Option<&str> {
        let statements = self.imports.iter().map(|range| &self.text[range.clone()]);
        let has_word =
            |statement: &str| statement.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        statements.into_iter().find(|statement| has_word(statement))
    }

    pub(super) fn is_import(&self, at: usize) -> bool {
        let next = self.imports.partition_point(|range| range.end <= at);
        self.imports.get(next).is_some_and(|range| range.start <= at)
    }
}

/// The end of a path that says what a file is.
fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    match name.rsplit_once('.') {
        Some((before, extension)) if !before.is_empty() && !["CMakeLists"].contains(&stem) => extension,
        _ => stem,
    }
}

/// The known extension that says what a file is, that of its interpreter if it has none, or nothing.
fn language(path: &str, text: &str) -> &'static str {
    let own = if path.contains("-lock.") { "lock" } else { extension(path) };
    let known = [DOCUMENTS, MARKUP, C_LIKE, HASH_LIKE, UNREAD, &["json", "jsonc", "json5"]];
    let found = known.iter().flat_map(|list| list.iter()).find(|known| **known == own);
    let first = text.lines().next().filter(|line| line.starts_with("#!")).unwrap_or_default();
    let interpreter = [("python", "py"), ("node", "js"), ("ruby", "rb"), ("sh", "sh")];
    let by_program = interpreter.iter().find(|(program, _)| first.contains(program)).map(|(_, extension)| *extension);
    found.copied().or(by_program).unwrap_or_default()
}

fn kind(extension: &str) -> FileKind {
    let programs = ["py", "pyi", "rb", "sh", "bash", "pl", "ps1"];
    match extension {
        _ if DOCUMENTS.contains(&extension) => FileKind::Document,
        _ if UNREAD.contains(&extension) => FileKind::Document,
        _ if MARKUP.contains(&extension) => FileKind::Markup,
        _ if C_LIKE.contains(&extension) || programs.contains(&extension) => FileKind::Code,
        _ => FileKind::Data,
    }
}

/// Where literals and comments begin and end.
struct Marks {
    line: &'static [&'static str],
    block: &'static [(&'static str, &'static str)],
    /// Opening, closing, and whether it may span lines.
    quotes: &'static [(&'static str, &'static str, bool)],
}

fn marks(extension: &str) -> Marks {
    const BLOCK: &[(&str, &str)] = &[("/*", "*/")];
    const TRIPLE: &[(&str, &str, bool)] =
        &[("\"\"\"", "\"\"\"", true), ("'''", "'''", true), ("\"", "\"", false), ("'", "'", false)];
    match extension {
        "rs" => Marks {
            line: &["//"],
            block: BLOCK,
            quotes: &[("r##\"", "\"##", true), ("r#\"", "\"#", true), ("r\"", "\"", true), ("\"", "\"", true)],
        },
        "go" | "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => {
            Marks { line: &["//"], block: BLOCK, quotes: &[("\"", "\"", false), ("'", "'", false), ("`", "`", true)] }
        }
        "vue" | "svelte" | "astro" => Marks {
            line: &["// "],
            block: &[("/*", "*/"), ("<!--", "-->")],
            quotes: &[("\"", "\"", true), ("'", "'", false), ("`", "`", true)],
        },
        "kt" | "kts" | "java" | "scala" | "swift" => {
            Marks { line: &["//"], block: BLOCK, quotes: &[("\"\"\"", "\"\"\"", true), ("\"", "\"", false)] }
        }
        _ if C_LIKE.contains(&extension) => {
            Marks { line: &["//"], block: BLOCK, quotes: &[("\"", "\"", false), ("'", "'", false)] }
        }
        _ if HASH_LIKE.contains(&extension) => Marks { line: &["#"], block: &[], quotes: TRIPLE },
        "json" | "jsonc" | "json5" => Marks { line: &[], block: &[], quotes: &[("\"", "\"", false)] },
        _ => Marks { line: &[], block: &[("<!--", "-->"), ("{#", "#}")], quotes: &[] },
    }
}

/// The literals and comments of a text.
fn split(text: &str, extension: &str) -> Vec<(Range<usize>, Part)> {
    let marks = marks(extension);
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let starts = |mark: &&str| rest.starts_with(mark.as_bytes());
        // `'"'` and `'\"'` are characters.
        if let Some(length) = ["'\"'", "'\\\"'"].iter().find(|mark| starts(mark)).map(|mark| mark.len()) {
            at += length;
            continue;
        }
        let is_script = ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"].contains(&extension);
        if bytes[at] == b'/' && is_script && is_regex_start(bytes, at) {
            let end = literal_end(bytes, at + 1, "/", false, true);
            // Names in a regular expression are prose.
            parts.extend(end.map(|end| (at..end, Part::Comment)));
            at = end.unwrap_or(at) + 1;
            continue;
        }
        if marks.line.iter().any(&starts) && is_comment_start(bytes, at) {
            let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
            parts.push((at..end, Part::Comment));
            at = end;
        } else if let Some((open, close)) = marks.block.iter().find(|(open, _)| starts(open)) {
            let from = at + open.len();
            let end = find(bytes, from, close.as_bytes()).map_or(text.len(), |found| found + close.len());
            parts.push((at..end, Part::Comment));
            at = end;
        } else if let Some(&(open, close, spans)) = marks.quotes.iter().find(|(open, _, _)| starts(open)) {
            let from = at + open.len();
            match literal_end(bytes, from, close, spans, !open.starts_with('r')) {
                Some(end) => {
                    parts.push((from..end, Part::Literal));
                    at = end + close.len();
                }
                None => at = from,
            }
        } else {
            at += 1;
        }
    }
    parts
}

/// `#` within a word is no comment (`$#`, `a#b`), and `//` after `:` is an address.
fn is_comment_start(bytes: &[u8], at: usize) -> bool {
    match (bytes[at], at.checked_sub(1).map(|before| bytes[before])) {
        (_, None) => true,
        (b'#', Some(before)) => before.is_ascii_whitespace(),
        (_, Some(before)) => before != b':',
    }
}

/// Whether a `/` begins a regular expression of JavaScript.
fn is_regex_start(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].iter().rev().find(|byte| **byte != b' ' && **byte != b'\n');
    let is_returned = bytes[..at].trim_ascii_end().ends_with(b"return");
    let is_open = is_returned || before.is_none_or(|before| b"(,=:[!&|?{};".contains(before));
    is_open && bytes.get(at + 1).is_some_and(|next| !b"/*".contains(next))
}

fn literal_end(bytes: &[u8], from: usize, close: &str, spans: bool, escapes: bool) -> Option<usize> {
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if escapes => at += 1,
            b'\n' if !spans => return None,
            _ if bytes[at..].starts_with(close.as_bytes()) => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

fn find(bytes: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    bytes[from..].windows(wanted.len()).position(|window| window == wanted).map(|at| from + at)
}

/// Statements that start with a word of imports, up to the end of their brackets or line.
fn find_imports(file: &File) -> Vec<Range<usize>> {
    const STARTS: &[&str] = &[
        "import ", "from ", "use ", "pub use ", "pub(crate) use ", "pub(super) use ", "export {", "export *",
        "export type {", "__all__", "using ", "#include", "package ", "} from ",
    ];
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for &start in &file.lines {
        let line = file.text[start..].lines().next().unwrap_or_default();
        let is_required =
            line.contains("require(") && ["const ", "var ", "let "].iter().any(|word| line.starts_with(word));
        let is_start = is_required || STARTS.iter().any(|word| line.trim_start().starts_with(word));
        if !is_start || file.part(start).0 == Part::Comment || ranges.last().is_some_and(|last| last.end > start) {
            continue;
        }
        let mut depth = 0_i32;
        let mut end = start;
        for byte in file.text[start..].bytes() {
            match byte {
                b'{' | b'(' | b'[' => depth += 1,
                b'}' | b')' | b']' => depth -= 1,
                b'\n' | b';' if depth <= 0 => break,
                _ => {}
            }
            end += 1;
        }
        ranges.push(start..end);
    }
    ranges
}

/// A place where a word stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Occurrence {
    /// Number of the file.
    pub(super) file: usize,
    /// Offset of its first byte.
    pub(super) at: usize,
}

/// All tracked files of a checkout that are text.
pub(super) fn tracked_files(folder: &Path) -> std::io::Result<Vec<File>> {
    let output = Command::new("git").arg("-C").arg(folder).args(["ls-files", "-z"]).output()?;
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut files = Vec::new();
    for path in listed.split('\0').filter(|path| !path.is_empty()) {
        let Ok(bytes) = fs::read(folder.join(path)) else { continue };
        if bytes.len() > MAX_FILE || bytes.contains(&0) {
            continue;
        }
        files.push(File::new(path, String::from_utf8_lossy(&bytes).into_owned()));
    }
    Ok(files)
}

/// Where each of the wanted words stands, comments and documents left out.
pub(super) fn find_words<'a>(files: &[File], wanted: &HashSet<&'a str>) -> HashMap<&'a str, Vec<Occurrence>> {
    let mut found: HashMap<&str, Vec<Occurrence>> = HashMap::new();
    for (number, file) in files.iter().enumerate().filter(|(_, file)| file.kind != FileKind::Document) {
        let mut start = None;
        let ends = file.text.char_indices().chain([(file.text.len(), ' ')]);
        for (at, character) in ends {
            let is_word = character.is_alphanumeric() || character == '_' || character == '$';
            match (is_word, start) {
                (true, None) => start = Some(at),
                (false, Some(from)) => {
                    if let Some(&word) = wanted.get(&file.text[from..at])
                        && file.part(from).0 != Part::Comment
                    {
                        found.entry(word).or_default().push(Occurrence { file: number, at: from });
                    }
                    start = None;
                }
                _ => {}
            }
        }
    }
    found
}

/// What a name in a literal stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InLiteral {
    /// Code: the whole literal is a path of names, or the name is put in by its braces.
    Path,
    /// A single word, or a part of the path of a file, as prose has them.
    Word,
    /// Code within a longer text, or a message that shows a call.
    Called,
    Prose,
}

pub(super) fn in_literal(file: &File, range: &Range<usize>, at: usize, name: &str) -> InLiteral {
    let literal = &file.text[range.clone()];
    let is_documentation = literal.contains('\n') && file.text[..range.start].ends_with("\"\"\"");
    if literal.len() > MAX_LITERAL || is_documentation {
        return InLiteral::Prose;
    }
    let is_path = |c: char| c.is_alphanumeric() || "_.:#/$-".contains(c);
    let before = file.text[range.start..at].chars().next_back();
    let after = file.text[at + name.len()..range.end].chars().next();
    if literal.trim().chars().all(is_path) && !literal.contains([':', '#']) {
        let is_word = literal.trim() == name && name.chars().all(|c| c.is_lowercase());
        return if is_word || literal.contains(['/', '-', '$']) { InLiteral::Word } else { InLiteral::Path };
    }
    let is_put_in = before == Some('{') && after == Some('}') && !file.text[..at - 1].ends_with(char::is_alphanumeric);
    if literal.trim().chars().all(is_path) || is_put_in {
        return InLiteral::Path;
    }
    if after == Some('(') { InLiteral::Called } else { InLiteral::Prose }
}
