//! Syntax of new texts, and where a definition stands in one.

use m1nd_base::{Cancel, RepoPath};
use m1nd_engine::{LANGUAGE_HEAD, Language, Snapshot};
use m1nd_graph::NodeIx;
use m1nd_lang::SyntaxError;

/// Most errors listed of a file.
const MAX_LISTED: usize = 10;
/// Characters shown of a skipped line.
const MAX_TEXT: usize = 80;

/// A syntax error that an edit brings in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxProblem {
    /// Line of the new text.
    pub line: u32,
    /// Column in characters.
    pub column: u16,
    /// What is wrong.
    pub detail: String,
}

/// The syntax of a new text compared with the old one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SyntaxCheck {
    /// The reason why it was not checked.
    pub not_checked: Option<String>,
    /// New errors: the first ones.
    pub errors: Vec<SyntaxProblem>,
    /// Number of all new errors.
    pub total: usize,
}

/// Parses the new text of a file. Errors that the old text has as well do not count.
pub fn new_syntax_errors(
    snapshot: &Snapshot,
    path: &RepoPath,
    before: Option<&str>,
    after: &str,
    cancel: &Cancel,
) -> SyntaxCheck {
    let language = language_of(snapshot, path, after);
    let errors = |text: &str| m1nd_lang::syntax_errors(language, text, snapshot.limits(), cancel);
    let new = match errors(after) {
        None => {
            return SyntaxCheck {
                not_checked: Some(format!("{} has no grammar here", language.name())),
                ..Default::default()
            };
        }
        Some(Err(problem)) => {
            return SyntaxCheck { not_checked: Some(format!("not parsed: {}", problem.detail)), ..Default::default() };
        }
        Some(Ok(errors)) => errors,
    };
    let key = |error: &SyntaxError| (error.missing.clone(), error.text.trim().to_owned());
    let mut old: Vec<_> = match before.map(errors) {
        Some(Some(Ok(errors))) => errors.iter().map(key).collect(),
        _ => Vec::new(),
    };
    let is_new = |error: &SyntaxError| match old.iter().position(|known| *known == key(error)) {
        Some(at) => {
            old.swap_remove(at);
            false
        }
        None => true,
    };
    let new: Vec<SyntaxError> = new.into_iter().filter(is_new).collect();
    SyntaxCheck {
        not_checked: None,
        total: new.len(),
        errors: new.iter().take(MAX_LISTED).map(describe_error).collect(),
    }
}

fn describe_error(error: &SyntaxError) -> SyntaxProblem {
    let detail = match &error.missing {
        Some(missing) => format!("`{missing}` is missing"),
        None => format!("not understood: `{}`", error.text.trim().chars().take(MAX_TEXT).collect::<String>()),
    };
    SyntaxProblem { line: error.pos.line, column: error.pos.col, detail }
}

/// The language of a file: that of the index, else by its name.
pub(super) fn language_of(snapshot: &Snapshot, path: &RepoPath, text: &str) -> Language {
    let head = &text.as_bytes()[..text.len().min(LANGUAGE_HEAD)];
    snapshot.files().get(path).map_or_else(|| Language::detect(path, head), |file| file.language)
}

/// The bytes of a definition in the current text of its file, without decorators and doc comment; `None` if it is not
/// where the index says.
pub fn definition_range(snapshot: &Snapshot, node: NodeIx, text: &str, cancel: &Cancel) -> Option<(usize, usize)> {
    let graph = snapshot.graph();
    let file = snapshot.file_of(node)?;
    let facts = m1nd_lang::extract(file.language, text.as_bytes(), snapshot.limits(), cancel);
    let (first, last) = graph.lines(node);
    let is_it = |definition: &&m1nd_lang::facts::Definition| {
        facts.name(definition.name) == graph.label(node)
            && (definition.line_start, definition.line_end) == (first, last)
    };
    let found = facts.definitions.iter().find(is_it)?;
    let (start, end) = (found.bytes.0 as usize, found.bytes.1 as usize);
    text.get(start..end).map(|_| (start, end))
}
