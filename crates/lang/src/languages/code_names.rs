//! Names of code in settings and in strings of code: entry points, handlers, classes that a framework loads by name.
//!
//! A name is kept by its shape alone (`pkg.mod:attr`, `com.acme.Foo`, `src/handler.main`, `./cli.js`). It counts only
//! if it is the whole address of a definition or file of the project, which linking finds out.

use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::Language;
use crate::facts::{DefId, FileFacts, Shared, SharedKind};
use crate::lines::Lines;
use crate::strings::comment_ranges;

/// Maximum number of names of a file; further ones are left out.
const MAX_NAMES: usize = 1_024;
/// Longest name, in bytes.
const MAX_NAME: usize = 200;
/// Maximum number of parts of a name.
const MAX_PARTS: usize = 16;
/// Largest settings that are read, in bytes: larger ones are data.
const MAX_SETTINGS: usize = 512 << 10;

/// Endings of files that configure programs.
const SETTINGS: &[&str] = &[
    "toml", "cfg", "ini", "json", "jsonc", "json5", "xml", "yaml", "yml", "conf", "properties", "tf", "hcl", "gradle",
    "service", "sh", "bash", "env", "mk", "plist", "csproj", "props", "targets", "routes", "config",
];
/// Names of files without an ending that configure programs.
const NAMES: &[&str] =
    &["Procfile", "Dockerfile", "Containerfile", "Makefile", "Jenkinsfile", "crontab", "Justfile", "routes"];
/// Folders whose files have names of classes in every line.
const FOLDERS: &[&str] = &["META-INF/services/", "META-INF/spring/"];
/// Endings of files of code that settings name by their path.
const CODE: &[&str] = &[
    "py", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "rs", "go", "rb", "php", "java", "kt", "swift", "lua",
    "sh", "vue", "svelte", "cs", "scala", "c", "cc", "cpp",
];

/// Returns whether a file without a grammar is read for names of code.
pub(crate) fn reads(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    SETTINGS.contains(&ending)
        || NAMES
            .iter()
            .any(|known| name == *known || name.strip_prefix(known).is_some_and(|rest| rest.starts_with('.')))
        || FOLDERS.iter().any(|folder| path.contains(folder))
}

/// Adds the names of code in a file whose other facts are complete.
pub(crate) fn add(language: Language, path: &str, text: &str, facts: &mut FileFacts) {
    let mut found = match language {
        Language::Text | Language::Yaml | Language::Docker | Language::Bash => match reads(path) {
            true if text.len() <= MAX_SETTINGS => in_settings(path, text),
            _ => return,
        },
        Language::Python | Language::Java | Language::Kotlin | Language::Scala | Language::Php | Language::CSharp => {
            in_strings(language, text)
        }
        Language::Go => link_names(text),
        _ => return,
    };
    if found.is_empty() {
        return;
    }
    found.truncate(MAX_NAMES);
    let places: Vec<(u32, u32)> = facts.definitions.iter().map(|row| row.bytes).collect();
    let mut seen: FxHashSet<(Box<str>, Option<DefId>)> = FxHashSet::default();
    let mut lines = Lines::new(text);
    for row in found {
        let owner = owner_at(&places, row.at);
        if seen.insert((row.name.clone(), owner)) {
            let of = row.form.word().into();
            let shared =
                Shared { kind: SharedKind::Code, declares: false, name: row.name, of, owner, pos: lines.pos(row.at) };
            facts.shared.push(shared);
        }
    }
}

/// How a name is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `pkg.mod:attr`: a definition.
    Object,
    /// `pkg.mod.attr`: a definition or a module.
    Dotted,
    /// After `-m`: a module.
    Module,
    /// A path of a file.
    File,
    /// A class of the package that the file is about.
    Class,
    /// A definition of the same file.
    Own,
}

impl Form {
    const fn word(self) -> &'static str {
        match self {
            Self::Object => Shared::OBJECT,
            Self::Dotted => Shared::DOTTED,
            Self::Module => Shared::MODULE,
            Self::File => Shared::FILE,
            Self::Class => Shared::CLASS,
            Self::Own => Shared::OWN,
        }
    }
}

struct CodeName {
    name: Box<str>,
    form: Form,
    at: usize,
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'/' | b'#' | b'\\' | b'-' | b'$' | b'@')
}

/// Every run of characters of a settings file that has the shape of a name of code.
fn in_settings(path: &str, text: &str) -> Vec<CodeName> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut before) = (0, "");
    while at < bytes.len() && found.len() < MAX_NAMES {
        if !is_part(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        at += bytes[start..].iter().take_while(|byte| is_part(**byte)).count();
        let run = &text[start..at];
        // An attribute or key.
        if bytes.get(at) == Some(&b'=') {
            continue;
        }
        found.extend(settings_name(run, start, before == "-m"));
        before = run;
    }
    if path.ends_with(".xml") {
        found.extend(in_tags(text));
    }
    found
}

fn settings_name(run: &str, start: usize, is_module: bool) -> Option<CodeName> {
    let is_relative = run.starts_with('.') && !run.starts_with("./") && !run.starts_with("../");
    let name = run.trim_end_matches(['.', ':', '/', '#', '-', '\\']);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    if CODE.contains(&ending) && (name.contains('/') || !name.contains(':')) && !name.contains("//") {
        return row(name, start, Form::File);
    }
    if is_module {
        return names(name).then(|| row(name, start, Form::Module)).flatten();
    }
    if is_relative {
        // Nothing is left of `...`.
        let name = name.strip_prefix('.')?;
        let is_class = names(name) && !name.contains('.') && name.starts_with(|c: char| c.is_ascii_uppercase());
        return is_class.then(|| row(name, start + 1, Form::Class)).flatten();
    }
    let name = name.trim_start_matches("./");
    read_dotted(name, start)
}

/// A name of at least two parts.
fn read_dotted(name: &str, start: usize) -> Option<CodeName> {
    let is_object = name.matches(':').count() == 1 && !name.contains("::");
    let parts = name.split(['.', ':', '/', '#', '\\']).filter(|part| !part.is_empty());
    let last = name.rsplit(['.', ':', '#', '\\', '/']).next().unwrap_or(name);
    let has_member = name.contains(['.', ':', '#', '\\']);
    let is_one = has_member && names(last) && parts.clone().count() >= 2 && parts.clone().count() <= MAX_PARTS;
    let is_plain =
        || parts.clone().all(|part| if part.contains('-') { names(&part.replace('-', "_")) } else { names(part) });
    (is_one && is_plain()).then(|| row(name, start, if is_object { Form::Object } else { Form::Dotted })).flatten()
}

/// Returns whether a text is a name, or names with dots between.
fn names(text: &str) -> bool {
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$')
    };
    !text.is_empty() && text.split('.').all(is_name)
}

fn row(name: &str, at: usize, form: Form) -> Option<CodeName> {
    (name.len() <= MAX_NAME).then(|| CodeName { name: name.into(), form, at })
}

/// Methods that elements of XML name beside their class: `<bean class="a.B" init-method="start"/>`.
fn in_tags(text: &str) -> Vec<CodeName> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|offset| at + offset) {
        let end = text[start..].find('>').map_or(text.len(), |offset| start + offset);
        at = end;
        let tag = &text[start..end];
        let Some(class) = attributes(tag).find(|(name, _)| *name == "class").map(|(_, value)| value) else { continue };
        for (name, value) in attributes(tag).filter(|(name, _)| name.ends_with("-method")) {
            let place = start + tag.find(name).unwrap_or(0);
            if names(&tag[value.clone()]) && names(&tag[class.clone()]) {
                found.extend(row(&format!("{}.{}", &tag[class.clone()], &tag[value]), place, Form::Dotted));
            }
        }
    }
    found
}

/// Attributes of a tag: names and places of values.
fn attributes(tag: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    tag.match_indices("=\"").filter_map(|(at, _)| {
        let name = tag[..at].rsplit(|c: char| c.is_whitespace()).next()?;
        let end = tag[at + 2..].find('"')?;
        Some((name, at + 2..at + 2 + end))
    })
}

/// String literals of code that are as a whole a name of at least two parts, or an entry point (`x = pkg.mod:attr`).
fn in_strings(language: Language, text: &str) -> Vec<CodeName> {
    let bytes = text.as_bytes();
    let is_inner =
        |byte: u8| is_part(byte) && byte != b'/' || language == Language::Python && matches!(byte, b' ' | b'=');
    let mut found: Vec<CodeName> = Vec::new();
    let mut at = 0;
    while at < bytes.len() && found.len() < MAX_NAMES {
        let quote = bytes[at];
        at += 1;
        if quote != b'"' && quote != b'\'' {
            continue;
        }
        // Cheap test first: quotes around nothing but a name.
        let length = bytes[at..].iter().take(MAX_NAME).take_while(|byte| is_inner(**byte)).count();
        if length == 0 || bytes.get(at + length) != Some(&quote) {
            continue;
        }
        let literal = &text[at..at + length];
        let (skipped, name) = match literal.split_once('=') {
            Some((front, name)) if name.contains(':') => {
                (front.len() + 1 + (name.len() - name.trim_start().len()), name.trim())
            }
            Some(_) => continue,
            None => (0, literal),
        };
        let doubled = name.replace("\\\\", "\\");
        found.extend(read_dotted(&doubled, at + skipped));
        at += length + 1;
    }
    // Comments are looked for only in files that have such literals; quotes in comments do not count.
    if !found.is_empty() {
        let comments = comment_ranges(language, text);
        let is_comment = |at: usize| {
            let next = comments.partition_point(|range| range.end <= at);
            comments.get(next).is_some_and(|range| range.start <= at)
        };
        found.retain(|row| !is_comment(row.at));
    }
    found
}

/// `//go:linkname local pkg.name`: the linker joins the two.
fn link_names(text: &str) -> Vec<CodeName> {
    const DIRECTIVE: &str = "//go:linkname ";
    let mut found = Vec::new();
    for (at, _) in text.match_indices(DIRECTIVE) {
        let rest = at + DIRECTIVE.len();
        let mut words = text[rest..].lines().next().unwrap_or("").split_whitespace();
        if let Some(local) = words.next().filter(|name| names(name)) {
            found.extend(row(local, rest, Form::Own));
        }
        if let Some(other) = words.next().filter(|name| name.contains('.')) {
            found.extend(row(other, rest, Form::Dotted));
        }
    }
    found
}

/// The innermost definition around a byte, by the places of all.
fn owner_at(places: &[(u32, u32)], at: usize) -> Option<DefId> {
    let at = u32::try_from(at).ok()?;
    let around = places.iter().enumerate().filter(|(_, (start, end))| *start <= at && at < *end);
    around.min_by_key(|(_, (start, end))| end - start).map(|(index, _)| DefId(index as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show_rows(rows: Vec<CodeName>) -> Vec<String> {
        rows.into_iter().map(|row| format!("{} {}", row.form.word(), row.name)).collect()
    }

    #[test]
    fn names_in_settings() {
        let rows: &[(&str, &str, &[&str])] = &[
            ("pyproject.toml", "x = \"pkg.cli:main\"", &["object pkg.cli:main"]),
            ("pyproject.toml", "x = \"cli:main\"\nversion = \"1.2.3\"", &["object cli:main"]),
            ("setup.cfg", "    x = pkg.cli:main [extra]", &["object pkg.cli:main"]),
            ("serverless.yml", "handler: src/users.create", &["dotted src/users.create"]),
            ("Dockerfile", "CMD [\"uvicorn\", \"pkg.app:create_app\"]", &["object pkg.app:create_app"]),
            ("ci.yml", "run: python -m pkg.task --fast", &["module pkg.task"]),
            ("ci.yml", "run: python -m task", &["module task"]),
            ("package.json", "\"bin\": \"./cli.js\"", &["file ./cli.js"]),
            ("Cargo.toml", "path = \"src/bin/tool.rs\"", &["file src/bin/tool.rs"]),
            ("AndroidManifest.xml", "<activity android:name=\".Main\"/>", &["class Main"]),
            (
                "beans.xml",
                "<bean id=\"x\" class=\"com.acme.Foo\" init-method=\"start\"/>",
                &["dotted com.acme.Foo", "dotted com.acme.Foo.start"],
            ),
            ("META-INF/services/com.acme.Spi", "com.acme.Impl\n", &["dotted com.acme.Impl"]),
            ("a.toml", "name = \"word\" # 1.5 a-b ... ./ : ../..", &[]),
        ];
        for (path, text, expected) in rows {
            assert!(reads(path), "{path}");
            assert_eq!(show_rows(in_settings(path, text)), *expected, "{path}: {text}");
        }
        assert!(!reads("README.md") && !reads("a.txt") && !reads("LICENSE"));
    }

    #[test]
    fn names_in_strings() {
        let rows: &[(Language, &str, &[&str])] = &[
            (Language::Python, "M = ['pkg.mw.AuthMw', 'word']", &["dotted pkg.mw.AuthMw"]),
            (Language::Python, "s = [\"x = pkg.cli:main\"]", &["object pkg.cli:main"]),
            (Language::Python, "# 'pkg.mw.AuthMw'\nx = 'a b.c'", &[]),
            (Language::Java, "Class.forName(\"com.acme.Foo\")", &["dotted com.acme.Foo"]),
            (Language::Php, "$x = 'App\\\\Jobs\\\\Run';", &["dotted App\\Jobs\\Run"]),
        ];
        for (language, text, expected) in rows {
            assert_eq!(show_rows(in_strings(*language, text)), *expected, "{text}");
        }
        assert_eq!(show_rows(link_names("//go:linkname now time.now\nfunc now()")), ["own now", "dotted time.now"]);
    }
}
