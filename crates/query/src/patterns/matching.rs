//! Matches patterns in files, using only the file itself.

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled, Limits, Pos, RepoPath};
use m1nd_lang::patterns::{
    Check, Near, Pattern, QueryError, Rule, SyntaxFile, SyntaxMatch, SyntaxQuery, Within, rules,
};
use m1nd_search::grep::{Grep, GrepOptions};
use rustc_hash::FxHashMap;

use super::{ScanFault, ScanQuery, Wanted};
use crate::kept::Kept;
use m1nd_engine::FileEntry;
use m1nd_engine::Language;
use m1nd_engine::{Snapshot, SourceText};

/// Severity of matches of a caller's own pattern.
const CUSTOM_SEVERITY: f64 = 0.5;
/// Longest first line of a match that is shown, in bytes.
const MAX_TEXT_BYTES: usize = 160;

/// A match that no condition of its rule took back.
#[derive(Debug, Clone)]
pub(super) struct Raw {
    pub(super) path: RepoPath,
    pub(super) language: Language,
    pub(super) rule: &'static str,
    pub(super) severity: f64,
    pub(super) message: &'static str,
    pub(super) check: Check,
    pub(super) at: MatchSite,
    /// First line, shortened.
    pub(super) text: String,
    /// The file is test code.
    pub(super) in_test_file: bool,
    pub(super) stale: bool,
    /// A caller's own pattern: its meaning in test code is unknown.
    pub(super) custom: bool,
}

/// Location of a match.
#[derive(Debug, Clone)]
pub(super) enum MatchSite {
    Syntax(SyntaxMatch),
    Line { line: u32, column: u32, end_line: u32 },
}

impl Raw {
    pub(super) fn start(&self) -> Pos {
        match &self.at {
            MatchSite::Syntax(found) => found.found.start,
            MatchSite::Line { line, column, .. } => {
                Pos { line: *line, col: u16::try_from(*column).unwrap_or(u16::MAX) }
            }
        }
    }

    pub(super) fn end_line(&self) -> u32 {
        match &self.at {
            MatchSite::Syntax(found) if found.found.end.col <= 1 => found.found.end.line.saturating_sub(1),
            MatchSite::Syntax(found) => found.found.end.line,
            MatchSite::Line { end_line, .. } => *end_line,
        }
    }
}

/// Matches in a file.
#[derive(Debug, Default)]
pub(super) struct Looked {
    pub(super) rows: Vec<Raw>,
    pub(super) is_cut: bool,
}

/// Compiled conditions of a rule.
pub(super) struct CompiledNear {
    within: Within,
    query: SyntaxQuery,
}

/// A rule with its queries compiled.
pub(super) struct Compiled {
    name: &'static str,
    severity: f64,
    message: &'static str,
    check: Check,
    query: Arc<SyntaxQuery>,
    needs: Vec<CompiledNear>,
    unless: Vec<CompiledNear>,
    custom: bool,
}

impl Compiled {
    /// For a caller's own pattern.
    fn custom(query: Arc<SyntaxQuery>) -> Self {
        Self {
            name: "custom",
            severity: CUSTOM_SEVERITY,
            message: "matches the pattern",
            check: Check::Plain,
            query,
            needs: Vec::new(),
            unless: Vec::new(),
            custom: true,
        }
    }
}

impl Compiled {
    /// Returns whether a file with this text may hold a match that no condition takes back.
    fn may_match(&self, text: &str) -> bool {
        self.query.may_match(text) && self.needs.iter().all(|near| near.query.may_match(text))
    }
}

/// Maximum number of compiled patterns of code that an engine keeps: stored bug patterns are looked for after every
/// write. Each takes up to some 10 kB.
const MAX_COMPILED: usize = 1_000;

/// Compiled patterns of code, by language and text.
type CompiledCode = Kept<SyntaxQuery, MAX_COMPILED>;

/// Compiles a pattern of code, or returns the one that was compiled before.
fn compile_code(snapshot: &Snapshot, language: Language, text: &str) -> Result<Arc<SyntaxQuery>, QueryError> {
    let compiled = snapshot.lasting().get_or_init(CompiledCode::default);
    compiled.get_or(format!("{language:?} {text}"), || SyntaxQuery::of_code(language, text))
}

/// A pattern of code, for every language of the files in which it is code; if it is in none, why.
fn code(
    snapshot: &Snapshot,
    text: &str,
    files: &[&FileEntry],
) -> Result<FxHashMap<Language, Vec<Compiled>>, ScanFault> {
    let mut found = FxHashMap::default();
    let mut why = None;
    let languages: BTreeSet<Language> = files.iter().map(|file| file.language).collect();
    for language in languages {
        match compile_code(snapshot, language, text) {
            Ok(query) => {
                found.insert(language, vec![Compiled::custom(query)]);
            }
            Err(QueryError::NoGrammar(_)) => {}
            Err(error) => why = why.or(Some(error)),
        }
    }
    match why {
        Some(error) if found.is_empty() => Err(error.into()),
        _ => Ok(found),
    }
}

/// Patterns compiled for the languages of the files.
pub(super) enum Matcher {
    Syntax(FxHashMap<Language, Vec<Compiled>>),
    Lines(Box<Grep>),
}

impl Matcher {
    pub(super) fn new(snapshot: &Snapshot, query: &ScanQuery, files: &[&FileEntry]) -> Result<Self, ScanFault> {
        let mut by_language = FxHashMap::default();
        match &query.wanted {
            Wanted::Regex(pattern) => {
                let options = GrepOptions {
                    pattern: pattern.clone(),
                    regex: true,
                    case_sensitive: true,
                    ..GrepOptions::default()
                };
                return Ok(Self::Lines(Box::new(Grep::new(options)?)));
            }
            Wanted::Query { language, text } => {
                by_language.insert(*language, vec![Compiled::custom(Arc::new(SyntaxQuery::new(*language, text)?))]);
            }
            Wanted::Code { language: Some(language), text } => {
                by_language.insert(*language, vec![Compiled::custom(compile_code(snapshot, *language, text)?)]);
            }
            Wanted::Code { language: None, text } => by_language = code(snapshot, text, files)?,
            Wanted::BuiltIn(pattern) => {
                for language in files.iter().map(|file| file.language) {
                    if let Entry::Vacant(vacant) = by_language.entry(language) {
                        vacant.insert(compile(*pattern, language, query.severity_min)?);
                    }
                }
                by_language.retain(|language, _| rules(*pattern, *language).next().is_some());
            }
        }
        Ok(Self::Syntax(by_language))
    }

    /// Returns whether files of a language are looked through.
    pub(super) fn fits(&self, language: Language) -> bool {
        match self {
            Self::Syntax(by_language) => by_language.contains_key(&language),
            Self::Lines(_) => true,
        }
    }

    /// Searches a file, or returns the reason why it cannot be searched.
    pub(super) fn look(
        &self,
        snapshot: &Snapshot,
        file: &FileEntry,
        cancel: &Cancel,
    ) -> Result<Result<Looked, String>, Cancelled> {
        cancel.check()?;
        let source = match snapshot.read_file(&file.path) {
            Ok(source) if source.binary => return Ok(Err("binary".to_owned())),
            Ok(source) => source,
            Err(error) => return Ok(Err(error.to_string())),
        };
        match self {
            Self::Lines(grep) => lines(grep, file, &source, cancel).map(Ok),
            Self::Syntax(by_language) => {
                let compiled = by_language.get(&file.language).map_or(&[][..], Vec::as_slice);
                syntax(compiled, file, &source, snapshot.limits(), cancel)
            }
        }
    }
}

fn compile(pattern: Pattern, language: Language, severity_min: f64) -> Result<Vec<Compiled>, ScanFault> {
    let near = |near: &Near| -> Result<CompiledNear, ScanFault> {
        Ok(CompiledNear { within: near.within, query: SyntaxQuery::new(language, near.query)? })
    };
    let one = |rule: &'static Rule| -> Result<Compiled, ScanFault> {
        Ok(Compiled {
            name: rule.name,
            severity: rule.severity,
            message: rule.message,
            check: rule.check,
            query: Arc::new(SyntaxQuery::new(language, rule.query)?),
            needs: rule.needs.iter().map(near).collect::<Result<_, _>>()?,
            unless: rule.unless.iter().map(near).collect::<Result<_, _>>()?,
            custom: false,
        })
    };
    rules(pattern, language).filter(|rule| rule.severity >= severity_min).map(one).collect()
}

fn lines(grep: &Grep, file: &FileEntry, source: &SourceText, cancel: &Cancel) -> Result<Looked, Cancelled> {
    let found = grep.search(source.text.as_bytes(), 0..SyntaxFile::MAX_MATCHES, cancel)?;
    let is_cut = found.total > found.matches.len();
    let row = |line: m1nd_search::grep::LineMatch| Raw {
        path: file.path.clone(),
        language: file.language,
        rule: "custom",
        severity: CUSTOM_SEVERITY,
        message: "matches the expression",
        check: Check::Plain,
        text: first_line(&line.text),
        at: MatchSite::Line {
            line: line.line,
            column: line.column,
            end_line: line.line + line.lines.saturating_sub(1),
        },
        in_test_file: file.is_test,
        stale: source.stale,
        custom: true,
    };
    Ok(Looked { rows: found.matches.into_iter().map(row).collect(), is_cut })
}

fn syntax(
    compiled: &[Compiled],
    file: &FileEntry,
    source: &SourceText,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Result<Looked, String>, Cancelled> {
    // Positions of the graph leave a byte order mark out.
    let text = source.text.strip_prefix('\u{feff}').unwrap_or(&source.text);
    let compiled: Vec<&Compiled> = compiled.iter().filter(|rule| rule.may_match(text)).collect();
    if compiled.is_empty() {
        return Ok(Ok(Looked::default()));
    }
    let parsed = match SyntaxFile::parse(file.language, text, limits, cancel) {
        Ok(parsed) => parsed,
        Err(problem) => {
            cancel.check()?;
            return Ok(Err(format!("{:?}: {}", problem.kind, problem.detail)));
        }
    };
    let mut looked = Looked::default();
    for rule in compiled {
        let found = parsed.matches(&rule.query, &parsed.whole(), cancel);
        looked.is_cut |= found.is_cut;
        for one in found.rows {
            cancel.check()?;
            let mut is_cut = false;
            let mut holds = |near: &CompiledNear| is_near(&parsed, near, &one, &mut is_cut, cancel);
            let holds = rule.needs.iter().all(&mut holds) && !rule.unless.iter().any(&mut holds);
            looked.is_cut |= is_cut;
            if holds {
                looked.rows.push(Raw {
                    path: file.path.clone(),
                    language: file.language,
                    rule: rule.name,
                    severity: rule.severity,
                    message: rule.message,
                    check: rule.check,
                    text: first_line(parsed.line_at(one.found.bytes.start)),
                    at: MatchSite::Syntax(one),
                    in_test_file: file.is_test,
                    stale: source.stale,
                    custom: rule.custom,
                });
            }
        }
    }
    Ok(Ok(once_a_place(looked)))
}

/// Keeps the most severe of several rules that match at one place, and the first of several matches of a rule.
fn once_a_place(mut looked: Looked) -> Looked {
    looked.rows.sort_by(|a, b| a.start().cmp(&b.start()).then_with(|| b.severity.total_cmp(&a.severity)));
    looked.rows.dedup_by_key(|row| row.start());
    looked
}

/// Returns whether a rule's condition matches near a match. `is_cut` is set if the search for it was incomplete.
fn is_near(
    parsed: &SyntaxFile<'_>,
    near: &CompiledNear,
    one: &SyntaxMatch,
    is_cut: &mut bool,
    cancel: &Cancel,
) -> bool {
    let area = match near.within {
        Within::Scope => Some(one.scope.bytes.clone()),
        Within::Function => Some(parsed.function_around(&one.found.bytes)),
        Within::FunctionItself => parsed.function_itself(&one.found.bytes, true),
        Within::NamedFunctionItself => parsed.function_itself(&one.found.bytes, false),
        Within::Type => Some(parsed.type_around(&one.found.bytes)),
        Within::File => Some(parsed.whole()),
    };
    let Some(area) = area else { return false };
    let is_itself = matches!(near.within, Within::FunctionItself | Within::NamedFunctionItself);
    let found = parsed.matches(&near.query, &area, cancel);
    let is_there = found.rows.iter().filter(|other| !is_itself || other.found.bytes == area).any(|other| {
        match (&one.name, &other.name) {
            (Some(name), Some(other)) => name == other,
            _ => true,
        }
    });
    *is_cut |= found.is_cut && !is_there;
    is_there
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or("").trim();
    let shown = m1nd_lang::text::clip(line, MAX_TEXT_BYTES);
    if shown.len() < line.len() { format!("{shown}…") } else { shown.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiled_patterns_belong_to_an_engine() {
        let (first, second) = (Snapshot::empty(), Snapshot::empty());
        let compile = |of: &Snapshot, text: &str| compile_code(of, Language::Python, text).expect("a pattern");
        let once = compile(&first, "run($X)");
        assert!(Arc::ptr_eq(&once, &compile(&first, "run($X)")), "compiled once");
        assert!(!Arc::ptr_eq(&once, &compile(&second, "run($X)")), "another engine has its own");
        let kept = Arc::downgrade(&once);
        drop((once, first));
        assert!(kept.upgrade().is_none(), "dropped with its engine");
    }
}
