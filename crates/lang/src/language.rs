//! The table of languages: how they are called, how far they are understood, and which files are of them.

use m1nd_base::RepoPath;
use m1nd_documents::Format;
use serde::{Deserialize, Serialize};

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
    /// Vue components: scripts and template.
    Vue,
    /// Svelte components: scripts and markup.
    Svelte,
    /// Astro components: code, scripts and markup.
    Astro,
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
    /// Protocol buffers.
    Proto,
    /// Schemas and documents of GraphQL.
    #[serde(rename = "graphql")]
    GraphQl,
    /// SQL.
    Sql,
    /// YAML, and descriptions of HTTP interfaces in JSON.
    Yaml,
    /// Dockerfiles.
    Docker,
    /// Web pages.
    Html,
    /// Jupyter notebooks.
    #[serde(rename = "jupyter")]
    Notebook,
    /// Word documents.
    Docx,
    /// PowerPoint presentations.
    Pptx,
    /// Excel workbooks.
    Xlsx,
    /// PDF files.
    Pdf,
}

/// How far a language is understood.
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

/// One row of the table.
struct LanguageRow {
    language: Language,
    /// Name on the wire and in `help`.
    name: &'static str,
    tier: Tier,
    /// File name endings without the dot, lower case.
    extensions: &'static [&'static str],
    /// Whole file names, or first words after `#!` and its interpreter's folder.
    names: &'static [&'static str],
}

static ROWS: &[LanguageRow] = &[
    LanguageRow { language: Language::Text, name: "text", tier: Tier::Named, extensions: &[], names: &[] },
    LanguageRow {
        language: Language::Python,
        name: "python",
        tier: Tier::Linked,
        extensions: &["py", "pyi", "pyw"],
        names: &["python", "python3"],
    },
    LanguageRow {
        language: Language::JavaScript,
        name: "javascript",
        tier: Tier::Linked,
        extensions: &["js", "jsx", "mjs", "cjs"],
        names: &["node"],
    },
    LanguageRow {
        language: Language::TypeScript,
        name: "typescript",
        tier: Tier::Linked,
        extensions: &["ts", "mts", "cts"],
        names: &[],
    },
    LanguageRow { language: Language::Tsx, name: "tsx", tier: Tier::Linked, extensions: &["tsx"], names: &[] },
    LanguageRow { language: Language::Vue, name: "vue", tier: Tier::Linked, extensions: &["vue"], names: &[] },
    LanguageRow { language: Language::Svelte, name: "svelte", tier: Tier::Linked, extensions: &["svelte"], names: &[] },
    LanguageRow { language: Language::Astro, name: "astro", tier: Tier::Linked, extensions: &["astro"], names: &[] },
    LanguageRow { language: Language::Rust, name: "rust", tier: Tier::Linked, extensions: &["rs"], names: &[] },
    LanguageRow { language: Language::Go, name: "go", tier: Tier::Linked, extensions: &["go"], names: &[] },
    LanguageRow { language: Language::Java, name: "java", tier: Tier::Linked, extensions: &["java"], names: &[] },
    LanguageRow { language: Language::C, name: "c", tier: Tier::Linked, extensions: &["c", "h"], names: &[] },
    LanguageRow {
        language: Language::Cpp,
        name: "cpp",
        tier: Tier::Linked,
        extensions: &["cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "tpp", "cu", "cuh"],
        names: &[],
    },
    LanguageRow {
        language: Language::CSharp,
        name: "csharp",
        tier: Tier::Linked,
        extensions: &["cs", "csx"],
        names: &[],
    },
    LanguageRow {
        language: Language::Kotlin,
        name: "kotlin",
        tier: Tier::Linked,
        extensions: &["kt", "kts"],
        names: &["kotlin"],
    },
    LanguageRow {
        language: Language::Php,
        name: "php",
        tier: Tier::Linked,
        extensions: &["php", "phtml", "php5", "phps"],
        names: &["php"],
    },
    LanguageRow {
        language: Language::Swift,
        name: "swift",
        tier: Tier::Linked,
        extensions: &["swift"],
        names: &["swift"],
    },
    LanguageRow {
        language: Language::Ruby,
        name: "ruby",
        tier: Tier::Linked,
        extensions: &["rb", "rake", "gemspec", "ru"],
        names: &["ruby", "rake", "Rakefile", "Gemfile", "Guardfile", "Vagrantfile", "Podfile", "Fastfile"],
    },
    LanguageRow {
        language: Language::Bash,
        name: "bash",
        tier: Tier::Linked,
        extensions: &["sh", "bash", "zsh", "ksh", "bats"],
        names: &["sh", "bash", "zsh", "dash", "ksh", ".bashrc", ".bash_profile", ".profile", ".zshrc"],
    },
    LanguageRow {
        language: Language::Lua,
        name: "lua",
        tier: Tier::Linked,
        extensions: &["lua"],
        names: &["lua", "luajit"],
    },
    LanguageRow {
        language: Language::Scala,
        name: "scala",
        tier: Tier::Linked,
        extensions: &["scala", "sc", "sbt"],
        names: &["scala"],
    },
    LanguageRow {
        language: Language::Markdown,
        name: "markdown",
        tier: Tier::Outlined,
        extensions: &["md", "markdown", "mdx", "mdown"],
        names: &[],
    },
    LanguageRow {
        language: Language::RestructuredText,
        name: "rst",
        tier: Tier::Outlined,
        extensions: &["rst"],
        names: &[],
    },
    LanguageRow {
        language: Language::AsciiDoc,
        name: "asciidoc",
        tier: Tier::Outlined,
        extensions: &["adoc", "asciidoc"],
        names: &[],
    },
    LanguageRow {
        language: Language::Html,
        name: "html",
        tier: Tier::Outlined,
        extensions: &["html", "htm", "xhtml"],
        names: &[],
    },
    LanguageRow {
        language: Language::Notebook,
        name: "jupyter",
        tier: Tier::Linked,
        extensions: &["ipynb"],
        names: &[],
    },
    LanguageRow { language: Language::Docx, name: "docx", tier: Tier::Outlined, extensions: &["docx"], names: &[] },
    LanguageRow { language: Language::Pptx, name: "pptx", tier: Tier::Outlined, extensions: &["pptx"], names: &[] },
    LanguageRow { language: Language::Xlsx, name: "xlsx", tier: Tier::Outlined, extensions: &["xlsx"], names: &[] },
    LanguageRow { language: Language::Pdf, name: "pdf", tier: Tier::Outlined, extensions: &["pdf"], names: &[] },
    LanguageRow { language: Language::Proto, name: "proto", tier: Tier::Outlined, extensions: &["proto"], names: &[] },
    LanguageRow {
        language: Language::GraphQl,
        name: "graphql",
        tier: Tier::Outlined,
        extensions: &["graphql", "graphqls", "gql"],
        names: &[],
    },
    LanguageRow { language: Language::Sql, name: "sql", tier: Tier::Outlined, extensions: &["sql"], names: &[] },
    LanguageRow {
        language: Language::Yaml,
        name: "yaml",
        tier: Tier::Outlined,
        extensions: &["yaml", "yml"],
        names: &[],
    },
    LanguageRow {
        language: Language::Docker,
        name: "dockerfile",
        tier: Tier::Outlined,
        extensions: &["dockerfile", "containerfile"],
        names: &["Dockerfile", "Containerfile"],
    },
];

impl Language {
    fn row(self) -> &'static LanguageRow {
        ROWS.iter().find(|row| row.language == self).unwrap_or(&ROWS[0])
    }

    /// Every language of the table, in its order.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.language)
    }

    /// Whether its files are no code: text, documents and settings.
    pub const fn is_prose(self) -> bool {
        matches!(self, Self::Text) || self.is_document() || self.is_settings()
    }

    /// Whether its files define and use code. Notebooks do, though they are documents.
    pub const fn has_code(self) -> bool {
        !self.is_prose() || matches!(self, Self::Notebook)
    }

    /// Whether its files are documents: sections that name code.
    pub const fn is_document(self) -> bool {
        matches!(self, Self::Markdown | Self::RestructuredText | Self::AsciiDoc | Self::Html | Self::Notebook)
            || self.is_packed()
    }

    /// Whether its files are archives or programs that stand for a text, see
    /// [`read_as_text`](crate::text::read_as_text).
    pub const fn is_packed(self) -> bool {
        self.packed_format().is_some()
    }

    /// The format that the text of a packed file is read in.
    pub(crate) const fn packed_format(self) -> Option<Format> {
        match self {
            Self::Docx => Some(Format::Docx),
            Self::Pptx => Some(Format::Pptx),
            Self::Xlsx => Some(Format::Xlsx),
            Self::Pdf => Some(Format::Pdf),
            _ => None,
        }
    }

    /// Whether its files declare what programs of other languages share. They are read without a tree, so errors in
    /// them are not found.
    pub const fn is_schema(self) -> bool {
        matches!(self, Self::Proto | Self::GraphQl | Self::Sql)
    }

    /// Whether its files say how programs are deployed and called.
    pub const fn is_settings(self) -> bool {
        matches!(self, Self::Yaml | Self::Docker)
    }

    /// Whether its files are components: markup with the scripts that it uses.
    pub const fn is_component(self) -> bool {
        matches!(self, Self::Vue | Self::Svelte | Self::Astro)
    }

    /// The languages whose code can import each other's, named by one of them; itself where it stands alone. Whether
    /// such imports are followed depends on the [`tier`](Self::tier) of each.
    pub const fn family(self) -> Self {
        match self {
            // Compiled to one language; components hold scripts of it.
            Self::TypeScript | Self::Tsx | Self::Vue | Self::Svelte | Self::Astro => Self::JavaScript,
            // Compiled to classes of one machine.
            Self::Kotlin | Self::Scala => Self::Java,
            // Its cells are code.
            Self::Notebook => Self::Python,
            // Each includes headers of the other.
            Self::Cpp => Self::C,
            other => other,
        }
    }

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// How far it is understood.
    pub fn tier(self) -> Tier {
        self.row().tier
    }

    /// File name endings, without the dot.
    pub fn extensions(self) -> &'static [&'static str] {
        self.row().extensions
    }

    /// Whether it is [`Language::Text`]: nothing says what its files are.
    pub const fn is_unknown(self) -> bool {
        matches!(self, Self::Text)
    }

    /// Whether its files are notebooks: cells of code and text.
    pub const fn is_notebook(self) -> bool {
        matches!(self, Self::Notebook)
    }

    /// Whether people read its files in another form than they are written in, so that a passage may stand on several
    /// lines.
    pub const fn is_rendered(self) -> bool {
        matches!(self, Self::Html | Self::Notebook)
    }

    /// The language of a file by its path alone; [`Language::Text`] if that says nothing.
    pub fn of_path(path: &str) -> Self {
        RepoPath::new(path).map_or(Self::Text, |path| Self::detect(&path, b""))
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
            Self::Text if is_dockerfile(path.file_name()) => Self::Docker,
            Self::Text if path.extension() == Some("json") && is_openapi(head) => Self::Yaml,
            Self::C if path.extension() == Some("h") && looks_like_cpp(head) => Self::Cpp,
            language => language,
        }
    }
}

/// Returns whether a file of this name says how an image is built.
fn is_dockerfile(name: &str) -> bool {
    ["Dockerfile", "Containerfile"].iter().any(|known| {
        name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
            || name.strip_suffix(known).is_some_and(|rest| rest.ends_with('.'))
    })
}

/// Returns whether the beginning of a JSON file says that it describes an HTTP interface.
fn is_openapi(head: &[u8]) -> bool {
    let head = &head[..head.len().min(512)];
    [&b"\"openapi\""[..], b"\"swagger\""].iter().any(|word| head.windows(word.len()).any(|part| part == *word))
}

/// Words that start a line of a header only in C++.
const CPP_LINES: &[&str] = &[
    "class ", "namespace ", "template <", "template<", "using ", "public:", "private:", "protected:", "constexpr ",
    "virtual ", "explicit ", "friend ",
];

/// Whether the head of a `.h` file is C++ rather than C: a line starts with what C does not know. Comments say nothing,
/// nor does what a C header keeps for readers of C++ (`#ifdef __cplusplus`).
fn looks_like_cpp(head: &[u8]) -> bool {
    let mut in_comment = false;
    // The conditions around that are open; of each whether what follows is only for C++.
    let mut guards: Vec<bool> = Vec::new();
    head.split(|&byte| byte == b'\n').any(|line| {
        let (code, goes_on) = without_comments(line.trim_ascii(), in_comment);
        in_comment = goes_on;
        let code = code.trim_ascii();
        if let Some(directive) = code.strip_prefix(b"#") {
            follow_condition(directive.trim_ascii(), &mut guards);
            return !guards.contains(&true) && includes_cpp(directive.trim_ascii());
        }
        !guards.contains(&true) && is_cpp(code)
    })
}

/// Returns whether a line of code is C++: it starts with a word of C++, or has a destructor, an operator or a name of
/// the standard library.
fn is_cpp(code: &[u8]) -> bool {
    let has = |part: &[u8]| code.windows(part.len()).position(|window| window == part);
    let is_operator = |at: usize| {
        let next = code.get(at + b"operator".len());
        next.is_some_and(|next| b"+-*/%<>![(&|^~=".contains(next))
    };
    CPP_LINES.iter().any(|start| code.starts_with(start.as_bytes()))
        || code.starts_with(b"~") && code.get(1).is_some_and(u8::is_ascii_alphabetic) && code.contains(&b'(')
        || has(b"std::").is_some()
        || has(b"operator").is_some_and(is_operator)
}

/// Returns whether a directive includes a header of the standard library of C++: they have no extension.
fn includes_cpp(directive: &[u8]) -> bool {
    let name = directive.strip_prefix(b"include").map(|rest| rest.trim_ascii());
    let name = name.and_then(|name| name.strip_prefix(b"<")?.strip_suffix(b">"));
    name.is_some_and(|name| !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'))
}

/// Follows the conditions of a preprocessor through one of its lines, without the `#`.
fn follow_condition(directive: &[u8], guards: &mut Vec<bool>) {
    let names = directive.windows(b"__cplusplus".len()).any(|part| part == b"__cplusplus");
    let negated = directive.starts_with(b"ifndef") || directive.contains(&b'!');
    match directive {
        _ if directive.starts_with(b"if") => guards.push(names && !negated),
        _ if directive.starts_with(b"elif") => guards.iter_mut().last().into_iter().for_each(|top| *top = names),
        // Of a condition that is not for C++ the rest may be for it.
        _ if directive.starts_with(b"else") => guards.iter_mut().last().into_iter().for_each(|top| *top = false),
        _ if directive.starts_with(b"endif") => drop(guards.pop()),
        _ => {}
    }
}

/// What stands before, between and behind the comments of a line, and whether one goes on after it. Strings are not
/// told apart: in a header they hold no comments worth the while.
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
        assert_eq!(detect("x.h", "#include <vector>\nstruct A {\n"), Language::Cpp);
        assert_eq!(detect("x.h", "struct A {\n  ~A();\n"), Language::Cpp);
        assert_eq!(detect("x.h", "struct A {\n  bool operator==(A other);\n"), Language::Cpp);
        assert_eq!(detect("x.h", "#include <stdio.h>\nint operator;\nint f(int a) { return\n~a; }\n"), Language::C);
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

    #[test]
    fn files_of_images_are_told_by_name() {
        assert!(is_dockerfile("Dockerfile.dev") && is_dockerfile("web.Dockerfile") && !is_dockerfile("Dockerfiles"));
    }
}
