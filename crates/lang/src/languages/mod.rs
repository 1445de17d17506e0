//! The table of languages: their files and their extractors.

use std::borrow::Cow;

use m1nd_base::{Cancel, Limits, Problem, ProblemKind};
pub use options::list_declared;
pub use prose::listing_language;

use crate::facts::{FactsBuilder, FileFacts};
use crate::language::Language;
use crate::text::{self, Readable, is_binary};

mod bash;
mod c;
pub(crate) mod code_names;
pub(crate) mod config;
mod cpp;
mod csharp;
mod go;
mod java;
mod kotlin;
mod lua;
mod narrowing;
mod notebook;
pub(crate) mod options;
mod outline;
mod php;
mod prose;
mod python;
mod ruby;
mod rust;
mod scala;
pub(crate) mod schema;
mod swift;
pub(crate) mod texts;
mod typescript;
mod words;

/// What an extractor is given.
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

/// Who reads the files of a language.
struct Reader {
    language: Language,
    extract: Extractor,
    /// The grammar that queries of it run with: none for documents, and none for components, whose scripts are only
    /// part of their file.
    grammar: Option<fn() -> tree_sitter::Language>,
}

static READERS: &[Reader] = &[
    Reader {
        language: Language::Python,
        extract: python::extract,
        grammar: Some(|| tree_sitter_python::LANGUAGE.into()),
    },
    Reader {
        language: Language::JavaScript,
        extract: typescript::extract,
        grammar: Some(|| tree_sitter_javascript::LANGUAGE.into()),
    },
    Reader {
        language: Language::TypeScript,
        extract: typescript::extract,
        grammar: Some(|| tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
    },
    Reader {
        language: Language::Tsx,
        extract: typescript::extract,
        grammar: Some(|| tree_sitter_typescript::LANGUAGE_TSX.into()),
    },
    Reader { language: Language::Vue, extract: typescript::extract, grammar: None },
    Reader { language: Language::Svelte, extract: typescript::extract, grammar: None },
    Reader { language: Language::Astro, extract: typescript::extract, grammar: None },
    Reader { language: Language::Rust, extract: rust::extract, grammar: Some(|| tree_sitter_rust::LANGUAGE.into()) },
    Reader { language: Language::Go, extract: go::extract, grammar: Some(|| tree_sitter_go::LANGUAGE.into()) },
    Reader {
        language: Language::Java,
        extract: |input| java::EXTRACTOR.extract(input),
        grammar: Some(|| tree_sitter_java::LANGUAGE.into()),
    },
    Reader { language: Language::C, extract: c::extract, grammar: Some(|| tree_sitter_c::LANGUAGE.into()) },
    Reader { language: Language::Cpp, extract: cpp::extract, grammar: Some(|| tree_sitter_cpp::LANGUAGE.into()) },
    Reader {
        language: Language::CSharp,
        extract: |input| csharp::EXTRACTOR.extract(input),
        grammar: Some(|| tree_sitter_c_sharp::LANGUAGE.into()),
    },
    Reader {
        language: Language::Kotlin,
        extract: |input| kotlin::EXTRACTOR.extract(input),
        grammar: Some(|| tree_sitter_kotlin_ng::LANGUAGE.into()),
    },
    Reader {
        language: Language::Php,
        extract: |input| php::EXTRACTOR.extract(input),
        grammar: Some(|| tree_sitter_php::LANGUAGE_PHP.into()),
    },
    Reader {
        language: Language::Swift,
        extract: |input| swift::EXTRACTOR.extract(input),
        grammar: Some(|| tree_sitter_swift::LANGUAGE.into()),
    },
    Reader {
        language: Language::Ruby,
        extract: |input| ruby::EXTRACTOR.extract(input),
        grammar: Some(|| tree_sitter_ruby::LANGUAGE.into()),
    },
    Reader {
        language: Language::Bash,
        extract: |input| bash::EXTRACTOR.extract(input),
        grammar: Some(|| tree_sitter_bash::LANGUAGE.into()),
    },
    Reader {
        language: Language::Lua,
        extract: |input| lua::EXTRACTOR.extract(input),
        grammar: Some(|| tree_sitter_lua::LANGUAGE.into()),
    },
    Reader {
        language: Language::Scala,
        extract: |input| scala::EXTRACTOR.extract(input),
        grammar: Some(|| tree_sitter_scala::LANGUAGE.into()),
    },
    Reader { language: Language::Markdown, extract: prose::markdown, grammar: None },
    Reader { language: Language::RestructuredText, extract: prose::read_restructured, grammar: None },
    Reader { language: Language::AsciiDoc, extract: prose::asciidoc, grammar: None },
    Reader { language: Language::Html, extract: prose::html, grammar: None },
    Reader { language: Language::Notebook, extract: notebook::extract, grammar: None },
    Reader { language: Language::Docx, extract: prose::markdown, grammar: None },
    Reader { language: Language::Pptx, extract: prose::markdown, grammar: None },
    Reader { language: Language::Xlsx, extract: prose::markdown, grammar: None },
    Reader { language: Language::Pdf, extract: prose::markdown, grammar: None },
    Reader { language: Language::Proto, extract: schema::proto::extract, grammar: None },
    Reader { language: Language::GraphQl, extract: schema::graphql::extract, grammar: None },
    Reader { language: Language::Sql, extract: schema::sql::extract, grammar: None },
    Reader { language: Language::Yaml, extract: config::extract, grammar: None },
    Reader { language: Language::Docker, extract: config::docker::extract, grammar: None },
];

fn reader(language: Language) -> Option<&'static Reader> {
    READERS.iter().find(|reader| reader.language == language)
}

/// The text of a file as its parser gets it; every position stays.
pub(crate) fn prepare(language: Language, text: &str) -> Cow<'_, str> {
    match language {
        Language::C | Language::Cpp => c::prepare::prepare(text, language == Language::Cpp),
        _ => Cow::Borrowed(text),
    }
}

impl Language {
    /// The grammar that queries of it run with, if any.
    pub(crate) fn grammar(self) -> Option<tree_sitter::Language> {
        reader(self)?.grammar.map(|grammar| grammar())
    }
}

/// Maximum size of a file without a grammar whose words are looked at, in bytes.
const MAX_WORDS_BYTES: usize = 4 << 20;

/// Extracts the facts of a file. Never fails: errors become a [`Problem`] of the facts, and the file is at least a
/// file without content. A file without a grammar is read by its path, see [`extract_file`].
pub fn extract(language: Language, bytes: &[u8], limits: &Limits, cancel: &Cancel) -> FileFacts {
    extract_file("", language, bytes, limits, cancel)
}

/// Like [`extract`]. The path says how a file without a grammar of its own is read: as settings, as markup or not at
/// all.
pub fn extract_file(path: &str, language: Language, bytes: &[u8], limits: &Limits, cancel: &Cancel) -> FileFacts {
    extract_readable(path, language, &text::read_as_text(language, bytes, cancel), limits, cancel)
}

/// Like [`extract_file`], of a file whose text is already there.
pub fn extract_readable(
    path: &str,
    language: Language,
    readable: &Readable<'_>,
    limits: &Limits,
    cancel: &Cancel,
) -> FileFacts {
    let mut facts = extract_text(path, language, &readable.text, limits, cancel);
    facts.problems.extend(readable.problem.clone());
    facts
}

fn extract_text(path: &str, language: Language, bytes: &[u8], limits: &Limits, cancel: &Cancel) -> FileFacts {
    let lines = memchr_lines(bytes);
    let blank = |problem: Option<Problem>| {
        let mut facts = FactsBuilder::new(language, lines, limits).finish();
        facts.problems.extend(problem);
        facts
    };
    let reader = reader(language);
    let is_read = || !path.is_empty() && (words::reads(language, path) || code_names::reads(path));
    if reader.is_none() && (is_binary(bytes) || !is_read()) {
        return blank(None);
    }
    if reader.is_none() && bytes.len() > MAX_WORDS_BYTES {
        let detail = format!("{} bytes, limit {MAX_WORDS_BYTES}", bytes.len());
        return blank(Some(Problem::new(ProblemKind::TooLarge, detail)));
    }
    if let Some(problem) = unfit(bytes, limits).filter(|_| reader.is_some()) {
        // Nothing that refers to code is lost with a document.
        let is_said = matches!(problem.kind, ProblemKind::Binary | ProblemKind::LfsPointer);
        return blank(Some(problem).filter(|_| is_said || !language.is_prose()));
    }
    let (text, replaced) = text::decode(bytes);
    let input = Input { language, text: &text, limits, cancel };
    let Some(reader) = reader else {
        let mut facts = blank(None);
        code_names::add(language, path, &text, &mut facts);
        words::add(language, path, &text, &mut facts);
        return facts;
    };
    let extracted = (reader.extract)(&input);
    // Of a file that could not be parsed every word would be unexplained.
    let is_parsed = extracted.is_ok();
    let mut facts = extracted.unwrap_or_else(|problem| blank(Some(problem)));
    code_names::add(language, path, &text, &mut facts);
    texts::add(language, &text, &mut facts);
    options::add(language, &text, &mut facts);
    if is_parsed {
        words::add(language, path, &text, &mut facts);
    }
    // Components are parsed block by block: one problem says it for the file.
    let mut seen = false;
    facts.problems.retain(|problem| problem.kind != ProblemKind::SyntaxErrors || !std::mem::replace(&mut seen, true));
    if replaced {
        facts.problems.push(Problem::new(ProblemKind::InvalidUtf8, "replaced before parsing"));
    }
    facts
}

/// Parses a text with the grammar of its language and drops the tree: the least that reading it can cost, to compare
/// with. Returns whether there was anything to parse.
pub fn parse_alone(language: Language, bytes: &[u8]) -> bool {
    let Some(grammar) = language.grammar().filter(|_| unfit(bytes, &Limits::default()).is_none()) else { return false };
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&grammar).is_ok() && parser.parse(bytes, None).is_some()
}

fn memchr_lines(bytes: &[u8]) -> u32 {
    let breaks = bytes.iter().filter(|&&byte| byte == b'\n').count() as u32;
    breaks + u32::from(bytes.last().is_some_and(|&byte| byte != b'\n'))
}

/// First line of the file that git-lfs leaves in place of a content.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";
/// A pointer of git-lfs is shorter than this, in bytes.
const MAX_POINTER: usize = 1 << 10;

/// The reason why a file should not be parsed.
fn unfit(bytes: &[u8], limits: &Limits) -> Option<Problem> {
    if bytes.len() < MAX_POINTER && bytes.starts_with(LFS_POINTER) {
        return Some(Problem::new(ProblemKind::LfsPointer, "`git lfs pull` gets the content"));
    }
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
