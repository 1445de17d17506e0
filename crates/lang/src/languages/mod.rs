//! The table of languages: their files and their extractors.

use m1nd_base::{Cancel, Limits, Problem, ProblemKind, RepoPath};
use serde::{Deserialize, Serialize};

use crate::facts::{FactsBuilder, FileFacts};
use crate::text;

mod bash;
mod c;
mod cpp;
mod csharp;
mod go;
mod java;
mod kotlin;
mod lua;
mod outline;
mod php;
mod prose;
mod python;
mod ruby;
mod rust;
mod scala;
mod swift;
mod typescript;

/// A language, or [`Language::Text`] for every other file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Text that is not parsed.
    Text,
    /// Python and its stubs.
    Python,
    /// JavaScript, with or without JSX.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Script blocks of Vue components.
    Vue,
    /// Script blocks of Svelte components.
    Svelte,
    /// Rust.
    Rust,
    /// Go.
    Go,
    /// Java.
    Java,
    /// C.
    C,
    /// C++.
    Cpp,
    /// C#.
    CSharp,
    /// Kotlin.
    Kotlin,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Swift.
    Swift,
    /// Scala.
    Scala,
    /// Bash and POSIX shell.
    Bash,
    /// Lua.
    Lua,
    /// Markdown.
    Markdown,
    /// reStructuredText.
    #[serde(rename = "rst")]
    RestructuredText,
    /// AsciiDoc.
    AsciiDoc,
}

/// Level of support for a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Module resolution and member lookup as the language does it: edges can be `certain` across files.
    Linked,
    /// Definitions, imports and calls; names are resolved inside the file, the rest stays unresolved or possible.
    Outlined,
    /// A file node only.
    Named,
}

/// Input of an extractor.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// Language to extract as.
    pub language: Language,
    /// The file's text.
    pub text: &'a str,
    /// Bounds.
    pub limits: &'a Limits,
    /// Ends parsing early when set.
    pub cancel: &'a Cancel,
}

impl Input<'_> {
    /// Number of lines of the text.
    pub fn lines(&self) -> u32 {
        self.text.lines().count() as u32
    }
}

type Extractor = fn(&Input<'_>) -> Result<FileFacts, Problem>;

/// One row of the table.
struct Row {
    language: Language,
    /// Name on the wire and in `help`.
    name: &'static str,
    tier: Tier,
    /// File name endings without the dot, lower case.
    extensions: &'static [&'static str],
    /// Whole file names, or first words of a `#!` line without the interpreter's folder.
    names: &'static [&'static str],
    extract: Option<Extractor>,
    /// The grammar that queries of it run with: none for text and documents, and none for components, whose scripts
    /// are only part of their file.
    grammar: Option<fn() -> tree_sitter::Language>,
}

static ROWS: &[Row] = &[
    Row {
        language: Language::Text,
        name: "text",
        tier: Tier::Named,
        extensions: &[],
        names: &[],
        extract: None,
        grammar: None,
    },
    Row {
        language: Language::Python,
        name: "python",
        tier: Tier::Linked,
        extensions: &["py", "pyi", "pyw"],
        names: &["python", "python3"],
        extract: Some(python::extract),
        grammar: Some(|| tree_sitter_python::LANGUAGE.into()),
    },
    Row {
        language: Language::JavaScript,
        name: "javascript",
        tier: Tier::Linked,
        extensions: &["js", "jsx", "mjs", "cjs"],
        names: &["node"],
        extract: Some(typescript::extract),
        grammar: Some(|| tree_sitter_javascript::LANGUAGE.into()),
    },
    Row {
        language: Language::TypeScript,
        name: "typescript",
        tier: Tier::Linked,
        extensions: &["ts", "mts", "cts"],
        names: &[],
        extract: Some(typescript::extract),
        grammar: Some(|| tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
    },
    Row {
        language: Language::Tsx,
        name: "tsx",
        tier: Tier::Linked,
        extensions: &["tsx"],
        names: &[],
        extract: Some(typescript::extract),
        grammar: Some(|| tree_sitter_typescript::LANGUAGE_TSX.into()),
    },
    Row {
        language: Language::Vue,
        name: "vue",
        tier: Tier::Linked,
        extensions: &["vue"],
        names: &[],
        extract: Some(typescript::extract),
        grammar: None,
    },
    Row {
        language: Language::Svelte,
        name: "svelte",
        tier: Tier::Linked,
        extensions: &["svelte"],
        names: &[],
        extract: Some(typescript::extract),
        grammar: None,
    },
    Row {
        language: Language::Rust,
        name: "rust",
        tier: Tier::Linked,
        extensions: &["rs"],
        names: &[],
        extract: Some(rust::extract),
        grammar: Some(|| tree_sitter_rust::LANGUAGE.into()),
    },
    Row {
        language: Language::Go,
        name: "go",
        tier: Tier::Linked,
        extensions: &["go"],
        names: &[],
        extract: Some(go::extract),
        grammar: Some(|| tree_sitter_go::LANGUAGE.into()),
    },
    Row {
        language: Language::Java,
        name: "java",
        tier: Tier::Linked,
        extensions: &["java"],
        names: &[],
        extract: Some(java::extract),
        grammar: Some(|| tree_sitter_java::LANGUAGE.into()),
    },
    Row {
        language: Language::C,
        name: "c",
        tier: Tier::Linked,
        extensions: &["c", "h"],
        names: &[],
        extract: Some(c::extract),
        grammar: Some(|| tree_sitter_c::LANGUAGE.into()),
    },
    Row {
        language: Language::Cpp,
        name: "cpp",
        tier: Tier::Linked,
        extensions: &["cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "tpp", "cu", "cuh"],
        names: &[],
        extract: Some(cpp::extract),
        grammar: Some(|| tree_sitter_cpp::LANGUAGE.into()),
    },
    Row {
        language: Language::CSharp,
        name: "csharp",
        tier: Tier::Outlined,
        extensions: &["cs", "csx"],
        names: &[],
        extract: Some(csharp::extract),
        grammar: Some(|| tree_sitter_c_sharp::LANGUAGE.into()),
    },
    Row {
        language: Language::Kotlin,
        name: "kotlin",
        tier: Tier::Outlined,
        extensions: &["kt", "kts"],
        names: &["kotlin"],
        extract: Some(kotlin::extract),
        grammar: Some(|| tree_sitter_kotlin_ng::LANGUAGE.into()),
    },
    Row {
        language: Language::Php,
        name: "php",
        tier: Tier::Outlined,
        extensions: &["php", "phtml", "php5", "phps"],
        names: &["php"],
        extract: Some(php::extract),
        grammar: Some(|| tree_sitter_php::LANGUAGE_PHP.into()),
    },
    Row {
        language: Language::Swift,
        name: "swift",
        tier: Tier::Outlined,
        extensions: &["swift"],
        names: &["swift"],
        extract: Some(swift::extract),
        grammar: Some(|| tree_sitter_swift::LANGUAGE.into()),
    },
    Row {
        language: Language::Ruby,
        name: "ruby",
        tier: Tier::Outlined,
        extensions: &["rb", "rake", "gemspec", "ru"],
        names: &["ruby", "rake", "Rakefile", "Gemfile", "Guardfile", "Vagrantfile", "Podfile", "Fastfile"],
        extract: Some(ruby::extract),
        grammar: Some(|| tree_sitter_ruby::LANGUAGE.into()),
    },
    Row {
        language: Language::Bash,
        name: "bash",
        tier: Tier::Outlined,
        extensions: &["sh", "bash", "zsh", "ksh", "bats"],
        names: &["sh", "bash", "zsh", "dash", "ksh", ".bashrc", ".bash_profile", ".profile", ".zshrc"],
        extract: Some(bash::extract),
        grammar: Some(|| tree_sitter_bash::LANGUAGE.into()),
    },
    Row {
        language: Language::Lua,
        name: "lua",
        tier: Tier::Outlined,
        extensions: &["lua"],
        names: &["lua", "luajit"],
        extract: Some(lua::extract),
        grammar: Some(|| tree_sitter_lua::LANGUAGE.into()),
    },
    Row {
        language: Language::Scala,
        name: "scala",
        tier: Tier::Outlined,
        extensions: &["scala", "sc", "sbt"],
        names: &["scala"],
        extract: Some(scala::extract),
        grammar: Some(|| tree_sitter_scala::LANGUAGE.into()),
    },
    Row {
        language: Language::Markdown,
        name: "markdown",
        tier: Tier::Outlined,
        extensions: &["md", "markdown", "mdx", "mdown"],
        names: &[],
        extract: Some(prose::markdown),
        grammar: None,
    },
    Row {
        language: Language::RestructuredText,
        name: "rst",
        tier: Tier::Outlined,
        extensions: &["rst"],
        names: &[],
        extract: Some(prose::restructured),
        grammar: None,
    },
    Row {
        language: Language::AsciiDoc,
        name: "asciidoc",
        tier: Tier::Outlined,
        extensions: &["adoc", "asciidoc"],
        names: &[],
        extract: Some(prose::asciidoc),
        grammar: None,
    },
];

impl Language {
    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.language == self).unwrap_or(&ROWS[0])
    }

    /// Every language of the table, in its order.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.language)
    }

    /// Returns whether its files are read by people only: text and documents, no code.
    pub const fn is_prose(self) -> bool {
        matches!(self, Self::Text | Self::Markdown | Self::RestructuredText | Self::AsciiDoc)
    }

    /// The languages whose code can import each other's, named by one of them; itself where it stands alone. Whether
    /// such imports are followed depends on the [`tier`](Self::tier) of each.
    pub const fn family(self) -> Self {
        match self {
            // Compiled to one language; components hold scripts of it.
            Self::TypeScript | Self::Tsx | Self::Vue | Self::Svelte => Self::JavaScript,
            // Compiled to classes of one machine.
            Self::Kotlin | Self::Scala => Self::Java,
            // Each includes headers of the other.
            Self::Cpp => Self::C,
            other => other,
        }
    }

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Its level of support.
    pub fn tier(self) -> Tier {
        self.row().tier
    }

    /// File name endings, without the dot.
    pub fn extensions(self) -> &'static [&'static str] {
        self.row().extensions
    }

    /// The grammar that queries of it run with, if any.
    pub(crate) fn grammar(self) -> Option<tree_sitter::Language> {
        self.row().grammar.map(|grammar| grammar())
    }

    /// The language of a file by its name, else by its `#!` line, else [`Language::Text`].
    pub fn detect(path: &RepoPath, head: &[u8]) -> Self {
        let by_name = path.extension().and_then(|extension| {
            let extension = extension.to_ascii_lowercase();
            ROWS.iter().find(|row| row.extensions.contains(&extension.as_str()))
        });
        let by_name = by_name.or_else(|| ROWS.iter().find(|row| row.names.contains(&path.file_name())));
        let row = by_name.or_else(|| {
            let first = head.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
            let first = std::str::from_utf8(first).ok()?;
            let words = first.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
            let program = words.into_iter().find(|word| *word != "env" && !word.starts_with('-'))?;
            ROWS.iter().find(|row| row.names.contains(&program))
        });
        match row.map_or(Self::Text, |row| row.language) {
            Self::C if path.extension() == Some("h") && looks_like_cpp(head) => Self::Cpp,
            language => language,
        }
    }
}

/// Words that start a line of a header only in C++.
const CPP_LINES: &[&str] =
    &["class ", "namespace ", "template <", "template<", "using ", "public:", "private:", "protected:", "constexpr "];

/// Returns whether the head of a `.h` file is C++ rather than C: a line starts with something that C does not have.
/// Comments are ignored, and so are parts that a C header reserves for C++ (`#ifdef __cplusplus`).
fn looks_like_cpp(head: &[u8]) -> bool {
    let mut in_comment = false;
    // Open conditionals, and for each whether the following text is for C++ only.
    let mut guards: Vec<bool> = Vec::new();
    head.split(|&byte| byte == b'\n').any(|line| {
        let (code, goes_on) = without_comments(line.trim_ascii(), in_comment);
        in_comment = goes_on;
        let code = code.trim_ascii();
        if let Some(directive) = code.strip_prefix(b"#") {
            follow_condition(directive.trim_ascii(), &mut guards);
            return false;
        }
        !guards.contains(&true) && CPP_LINES.iter().any(|start| code.starts_with(start.as_bytes()))
    })
}

/// Follows the conditions of a preprocessor through one of its lines, without the `#`.
fn follow_condition(directive: &[u8], guards: &mut Vec<bool>) {
    let names = directive.windows(b"__cplusplus".len()).any(|part| part == b"__cplusplus");
    let negated = directive.starts_with(b"ifndef") || directive.contains(&b'!');
    match directive {
        _ if directive.starts_with(b"if") => guards.push(names && !negated),
        _ if directive.starts_with(b"elif") => guards.iter_mut().last().into_iter().for_each(|top| *top = names),
        // The other branch of a condition that is not for C++ may be for it.
        _ if directive.starts_with(b"else") => guards.iter_mut().last().into_iter().for_each(|top| *top = false),
        _ if directive.starts_with(b"endif") => drop(guards.pop()),
        _ => {}
    }
}

/// The parts of a line outside of comments, and whether a comment continues after it. Strings are not recognised: in
/// a header they rarely contain comments.
fn without_comments(line: &[u8], mut in_comment: bool) -> (Vec<u8>, bool) {
    let mut code = Vec::with_capacity(line.len());
    let mut at = 0;
    while at < line.len() {
        match (in_comment, &line[at..]) {
            (true, [b'*', b'/', ..]) => (in_comment, at) = (false, at + 2),
            (true, _) => at += 1,
            (false, [b'/', b'*', ..]) => (in_comment, at) = (true, at + 2),
            (false, [b'/', b'/', ..]) => break,
            (false, rest) => {
                code.push(rest[0]);
                at += 1;
            }
        }
    }
    (code, in_comment)
}

/// Extracts the facts of a file. Never fails: errors become a [`Problem`] of the facts, and the file is at least a
/// file without content.
pub fn extract(language: Language, bytes: &[u8], limits: &Limits, cancel: &Cancel) -> FileFacts {
    let lines = memchr_lines(bytes);
    let blank = |problem: Option<Problem>| {
        let mut facts = FactsBuilder::new(language, lines, limits).finish();
        facts.problems.extend(problem);
        facts
    };
    let Some(extractor) = language.row().extract else { return blank(None) };
    if let Some(problem) = unfit(bytes, limits) {
        // Nothing that refers to code is lost with a document.
        return blank(Some(problem).filter(|problem| problem.kind == ProblemKind::Binary || !language.is_prose()));
    }
    let (text, replaced) = text::decode(bytes);
    let input = Input { language, text: &text, limits, cancel };
    let mut facts = extractor(&input).unwrap_or_else(|problem| blank(Some(problem)));
    // Components are parsed block by block: one problem is enough for the file.
    let mut seen = false;
    facts.problems.retain(|problem| problem.kind != ProblemKind::SyntaxErrors || !std::mem::replace(&mut seen, true));
    if replaced {
        facts.problems.push(Problem::new(ProblemKind::InvalidUtf8, "replaced before parsing"));
    }
    facts
}

fn memchr_lines(bytes: &[u8]) -> u32 {
    let breaks = bytes.iter().filter(|&&byte| byte == b'\n').count() as u32;
    breaks + u32::from(bytes.last().is_some_and(|&byte| byte != b'\n'))
}

/// Number of leading bytes in which a NUL makes a file binary.
const BINARY_PROBE: usize = 8 << 10;

/// Returns whether the content of a file is no text.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(BINARY_PROBE)].contains(&0)
}

/// The reason why a file should not be parsed.
fn unfit(bytes: &[u8], limits: &Limits) -> Option<Problem> {
    if is_binary(bytes) {
        return Some(Problem::new(ProblemKind::Binary, ""));
    }
    if bytes.len() > limits.parse_bytes {
        let detail = format!("{} bytes, limit {}", bytes.len(), limits.parse_bytes);
        return Some(Problem::new(ProblemKind::TooLarge, detail));
    }
    let longest = bytes.split(|&byte| byte == b'\n').map(<[u8]>::len).max().unwrap_or(0);
    (longest > limits.line_bytes)
        .then(|| Problem::new(ProblemKind::LongLine, format!("{longest} bytes, limit {}", limits.line_bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(path: &str, head: &str) -> Language {
        Language::detect(&RepoPath::new(path).expect("valid"), head.as_bytes())
    }

    #[test]
    fn languages_by_name_and_head() {
        let by_name = [
            ("a/Rakefile", Language::Ruby),
            ("Gemfile", Language::Ruby),
            ("x.GEMSPEC", Language::Ruby),
            ("x.kts", Language::Kotlin),
            ("x.sc", Language::Scala),
            ("x.ipp", Language::Cpp),
            ("x.h", Language::C),
            ("x.unknown", Language::Text),
        ];
        for (path, language) in by_name {
            assert_eq!(detect(path, ""), language, "{path}");
        }
        assert_eq!(detect("run", "#!/usr/bin/env bash\n"), Language::Bash);
        assert_eq!(detect("run", "#!/bin/sh -e\n"), Language::Bash);
        assert_eq!(detect("run", "#!/usr/bin/lua\n"), Language::Lua);
    }

    #[test]
    fn headers_by_what_stands_in_them() {
        assert_eq!(detect("x.h", "#pragma once\nnamespace a {\n"), Language::Cpp);
        assert_eq!(detect("x.h", "template<class T> struct A;\n"), Language::Cpp);
        assert_eq!(detect("x.h", "  class A {\n"), Language::Cpp);
        assert_eq!(detect("x.h", "/*\nclass of things\n*/\nint f(void);\n"), Language::C);
        assert_eq!(detect("x.h", "struct a { int class_of; };\n"), Language::C);
        assert_eq!(detect("x.c", "namespace a {\n"), Language::C);
        for (head, language) in [
            ("int a; /* of\n using x\n*/\n", Language::C),
            ("/* a */ int b; /* c */ int d; /*\nclass of things */\n", Language::C),
            ("/* a */ class B;\n", Language::Cpp),
            ("// class of things\n", Language::C),
            ("#ifdef __cplusplus\nextern \"C\" {\nnamespace a {}\n#endif\nint f(void);\n", Language::C),
            ("#if defined(__cplusplus) && __cplusplus > 1\nusing a = int;\n#else\nint f(void);\n#endif\n", Language::C),
            ("#ifdef __cplusplus\nextern \"C\" {\n#endif\nnamespace a {}\n", Language::Cpp),
            ("#ifndef __cplusplus\n#error \"needs C++\"\n#endif\nclass A;\n", Language::Cpp),
            ("#ifndef A_H\n#define A_H\nclass A;\n#endif\n", Language::Cpp),
        ] {
            assert_eq!(detect("x.h", head), language, "{head}");
        }
    }
}
