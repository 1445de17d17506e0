use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;

use m1nd_search::embedding::{Embedding, Vector};
use m1nd_search::words;
use rustc_hash::FxHashSet;
use serde::Serialize;

use super::keywords::{Keyword, Text};
use super::patterns::{Match, Patterns};
use super::{BUILT_IN_PREFIX, BuiltIn, Edge, built_in, canonical_tag, project};
use crate::{GotchaBullet, Severity};

/// Weight of a pattern that matches the code.
const CODE: f32 = 0.7;
/// Weight of a first intent keyword, of each further one, and their maximum in total.
const INTENT: f32 = 0.5;
const EACH_INTENT: f32 = 0.1;
const MOST_INTENT: f32 = 0.7;
/// Weight of context or stack.
const CONTEXT: f32 = 0.3;
/// Weight of similar meaning without a keyword, and the minimum cosine for it.
const MEANING: f32 = 0.35;
const MEANING_FROM: f32 = 0.55;
/// Cosine from which a gotcha of a detected stack is shown for its stack alone: every task in a project has its stack.
const STACK_ONLY_FROM: f32 = 0.4;
/// Factor for a gotcha whose context does not match the project.
const OUT_OF_CONTEXT: f32 = 0.5;
/// Confidence up to which nothing is shown: one keyword, in a project where the rest does not fit.
const MIN_CONFIDENCE: f32 = 0.25;
/// Most gotchas shown.
const MAX_SHOWN: usize = 10;
/// Most of them for a detected stack alone.
const MAX_STACK_ONLY: usize = 3;
/// Maximum bytes of code and of an intent that are examined.
const MAX_CODE: usize = 1 << 18;
const MAX_INTENT: usize = 1 << 12;
/// Tags that say no more than in which language a project is written.
const LANGUAGES: &[&str] = &[
    "c", "cpp", "dotnet", "elixir", "go", "java", "javascript", "kotlin", "nodejs", "php", "python", "ruby", "rust",
    "swift", "typescript",
];

/// Stack of a project.
#[derive(Clone, Copy, Debug, Default)]
pub enum Stack<'a> {
    /// Nobody knows.
    #[default]
    Unknown,
    /// Found in the project's files.
    Detected(&'a [Box<str>]),
    /// Requested explicitly.
    Given(&'a [Box<str>]),
}

impl<'a> Stack<'a> {
    fn tags(self) -> &'a [Box<str>] {
        match self {
            Self::Unknown => &[],
            Self::Detected(tags) | Self::Given(tags) => tags,
        }
    }
}

/// Description of the planned work.
#[derive(Clone, Copy, Debug, Default)]
pub struct EdgeQuery<'a> {
    /// In words.
    pub intent: &'a str,
    /// The code in question.
    pub code: Option<&'a str>,
    /// Stack of the project.
    pub stack: Stack<'a>,
    /// Goal of the project, from its Project State.
    pub goal: &'a str,
}

/// Origin of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EdgeSource {
    /// A gotcha of all projects, by intent or code.
    Global,
    /// The project's own.
    Project,
    /// A gotcha of all projects, by context or stack alone.
    Stack,
}

/// A gotcha that is due.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EdgeWarning {
    /// Id of the gotcha: `edge_…`, `builtin_…`, `proj_…`.
    pub id: Box<str>,
    /// The problem, in one line.
    pub title: Box<str>,
    /// Cause and circumstances.
    pub description: Box<str>,
    /// The way around; empty if none is known.
    pub workaround: Box<str>,
    /// Severity.
    pub severity: Severity,
    /// Origin.
    pub source: EdgeSource,
    /// The evidence: `intent: crypto, token; stack: vercel`.
    pub matched_on: Box<str>,
    /// Confidence that it applies, 0 to 1.
    pub confidence: f32,
}

struct Compiled {
    edge: Edge,
    requires_context: bool,
    code_is_enough: bool,
    context: Vec<Keyword>,
    intent: Vec<Keyword>,
    tags: Vec<(Box<str>, String)>,
    meaning: Vector,
}

/// All gotchas of a project, made ready to be looked for. Cheap to ask, made once.
pub struct EdgeMatcher {
    edges: Vec<Compiled>,
    gotchas: Vec<project::Compiled>,
    patterns: Patterns,
    problems: OnceLock<Vec<String>>,
}

impl fmt::Debug for EdgeMatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EdgeMatcher").field("edges", &self.edges.len()).field("gotchas", &self.gotchas.len()).finish()
    }
}

impl EdgeMatcher {
    /// For the gotchas of all projects, those that come with the program if they are wanted, and those of the project.
    #[must_use]
    pub fn new<'a>(global: &[Edge], with_built_in: bool, gotchas: impl IntoIterator<Item = &'a GotchaBullet>) -> Self {
        let mut matcher = Self {
            edges: Vec::new(),
            gotchas: gotchas.into_iter().map(project::Compiled::of).collect(),
            patterns: Patterns::default(),
            problems: OnceLock::new(),
        };
        let built_in = if with_built_in { built_in() } else { &[] };
        global.iter().for_each(|edge| matcher.add(edge, None));
        built_in.iter().for_each(|built_in| matcher.add(&built_in.edge, Some(built_in)));
        matcher
    }

    fn add(&mut self, edge: &Edge, built_in: Option<&BuiltIn>) {
        let number = self.edges.len();
        self.patterns.add(number, &edge.detection.code, built_in.is_some());
        let keywords = |list: &[Box<str>]| list.iter().map(|keyword| Keyword::of(keyword)).collect();
        self.edges.push(Compiled {
            requires_context: built_in.is_some_and(|built_in| built_in.requires_context),
            code_is_enough: built_in.is_some_and(|built_in| built_in.code_is_enough),
            context: keywords(&edge.detection.context),
            intent: keywords(&edge.detection.intent),
            tags: edge.stack_tags.iter().map(|tag| (tag.clone(), canonical_tag(tag))).collect(),
            meaning: Embedding::built_in().of_text(&format!("{}\n{}", edge.title, edge.description), |_| 1.0),
            edge: edge.clone(),
        });
    }

    /// Patterns that are left out, each with its reason.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        let of = |(edge, pattern, reason): (usize, &str, Box<str>)| {
            format!("{}: pattern {pattern:?}: {reason}", self.edges[edge].edge.id)
        };
        self.problems.get_or_init(|| self.patterns.problems().map(of).collect())
    }

    /// The gotchas of other projects that fit a stack by their tags, the worst first, of equally bad ones those with
    /// more tags in common.
    #[must_use]
    pub fn for_stack(&self, tags: &[Box<str>]) -> Vec<&Edge> {
        let tags: Vec<String> = tags.iter().map(|tag| canonical_tag(tag)).collect();
        let shared = |compiled: &Compiled| compiled.tags.iter().filter(|(_, tag)| tags.contains(tag)).count();
        let mut fitting: Vec<(&Compiled, usize)> = self.edges.iter().map(|edge| (edge, shared(edge))).collect();
        fitting.retain(|(_, shared)| *shared > 0);
        let severity = |compiled: &Compiled| compiled.edge.severity;
        fitting.sort_by(|(a, of_a), (b, of_b)| {
            severity(b).cmp(&severity(a)).then(of_b.cmp(of_a)).then(a.edge.id.cmp(&b.edge.id))
        });
        fitting.into_iter().map(|(compiled, _)| &compiled.edge).collect()
    }

    /// The gotchas of [`EdgeMatcher::for_stack`] that apply to a project, judged by its own text: user-defined global
    /// ones always do. A built-in one needs evidence, because otherwise every project of a stack would show the same
    /// ones: two keywords of its intent in `said` (the goal and the memories), or one if people named its technology
    /// themselves (`stated`) or if it is critical and about more than a language.
    #[must_use]
    pub fn for_block<'t>(
        &self,
        tags: &[Box<str>],
        stated: &[Box<str>],
        said: impl IntoIterator<Item = &'t str>,
    ) -> Vec<&Edge> {
        let mut fitting = self.for_stack(tags);
        if fitting.is_empty() {
            return fitting;
        }
        let said = Text::of_all(said);
        let stated: Vec<String> = stated.iter().map(|tag| canonical_tag(tag)).collect();
        fitting.retain(|edge| {
            let Some(compiled) = self.edges.iter().find(|compiled| compiled.edge.id == edge.id) else { return false };
            if !edge.id.starts_with(BUILT_IN_PREFIX) {
                return true;
            }
            let is_specific = |tag: &str| !LANGUAGES.contains(&tag) && tags.iter().any(|own| canonical_tag(own) == tag);
            let is_stated = compiled.tags.iter().any(|(_, tag)| stated.contains(tag));
            let is_grave = edge.severity == Severity::Critical && compiled.tags.iter().any(|(_, tag)| is_specific(tag));
            let needed = if is_stated || is_grave { 1 } else { 2 };
            find_keywords(&compiled.intent, |keyword| keyword.is_in(&said)).len() >= needed
        });
        fitting
    }

    /// The gotchas that apply, most urgent first. `shown` holds the ids that need not be repeated; the caller adds
    /// the returned ones.
    #[must_use]
    pub fn check(&self, query: &EdgeQuery<'_>, shown: &BTreeSet<Box<str>>) -> Vec<EdgeWarning> {
        let asked = Asked::of(query);
        let code = query.code.map(|code| &code[..code.floor_char_boundary(MAX_CODE)]);
        let matched = code.map_or_else(Vec::new, |code| self.patterns.find_matches(code));
        let mut due: Vec<EdgeWarning> = Vec::new();
        for (number, compiled) in self.edges.iter().enumerate() {
            let matched = matched.iter().find(|matched| matched.edge == number);
            due.extend(compiled.warning(&asked, matched.zip(code)));
        }
        let mut names = FxHashSet::default();
        words::identifiers(code.unwrap_or_default(), |word| names.extend([words::fold_identifier(word)]));
        for gotcha in &self.gotchas {
            if let Some((confidence, reasons)) = gotcha.evidence(&asked.intent, &asked.meaning, &names) {
                due.push(EdgeWarning {
                    id: gotcha.id.clone(),
                    title: gotcha.title.clone(),
                    description: gotcha.description.clone(),
                    workaround: gotcha.workaround.clone(),
                    severity: gotcha.severity,
                    source: EdgeSource::Project,
                    matched_on: reasons.join("; ").into(),
                    confidence: round_confidence(confidence),
                });
            }
        }
        due.retain(|warning| warning.confidence > MIN_CONFIDENCE && !shown.contains(&warning.id));
        order(&mut due, matches!(query.stack, Stack::Given(_)));
        due
    }
}

/// A question, made ready once for all gotchas.
struct Asked<'a> {
    intent: Text,
    meaning: Vector,
    /// Goal and intent.
    around: Text,
    tags: Vec<String>,
    stack: Stack<'a>,
}

impl<'a> Asked<'a> {
    fn of(query: &EdgeQuery<'a>) -> Self {
        let intent = &query.intent[..query.intent.floor_char_boundary(MAX_INTENT)];
        let tags: Vec<String> = query.stack.tags().iter().map(|tag| canonical_tag(tag)).collect();
        Self {
            intent: Text::of(intent),
            meaning: Embedding::built_in().of_text(intent, |_| 1.0),
            around: Text::of_all([query.goal, intent]),
            tags,
            stack: query.stack,
        }
    }
}

impl Compiled {
    fn warning(&self, asked: &Asked<'_>, code: Option<(&Match<'_>, &str)>) -> Option<EdgeWarning> {
        let intent: Vec<&str> = find_keywords(&self.intent, |keyword| keyword.is_in(&asked.intent));
        let context: Vec<&str> =
            find_keywords(&self.context, |keyword| keyword.is_in(&asked.around) || keyword.is_tag(&asked.tags));
        let tags: Vec<&str> =
            self.tags.iter().filter(|(_, tag)| asked.tags.contains(tag)).map(|(shown, _)| &**shown).collect();
        let is_touched = !context.is_empty() || !tags.is_empty();
        if self.requires_context && !is_touched && !(self.code_is_enough && code.is_some()) {
            return None;
        }
        let is_direct = !intent.is_empty() || code.is_some();
        let cosine = self.meaning.cosine(&asked.meaning);
        let is_alike = !is_direct && cosine >= MEANING_FROM;
        let is_stack_only = is_touched && !is_direct && !is_alike;
        let is_given = matches!(asked.stack, Stack::Given(_));
        if is_stack_only && !is_given && cosine < STACK_ONLY_FROM {
            return None;
        }
        let weights = [
            (!intent.is_empty()).then(|| (INTENT + EACH_INTENT * (intent.len() as f32 - 1.0)).min(MOST_INTENT)),
            code.map(|_| CODE),
            is_touched.then_some(CONTEXT),
            is_alike.then_some(MEANING),
        ];
        let unsure: f32 = weights.into_iter().flatten().map(|weight| 1.0 - weight).product();
        let has_context = !self.context.is_empty() || !self.tags.is_empty();
        let is_elsewhere = has_context && !is_touched && !asked.stack.tags().is_empty();
        let confidence = (1.0 - unsure) * if is_elsewhere { OUT_OF_CONTEXT } else { 1.0 };
        if confidence <= 0.0 {
            return None;
        }
        let mut reasons = Vec::new();
        let mut reason = |name: &str, words: &[&str]| {
            if !words.is_empty() {
                reasons.push(format!("{name}: {}", words.join(", ")));
            }
        };
        reason("intent", &intent);
        let snippet = code.map(|(matched, code)| matched.snippet(code));
        reason("code", snippet.as_slice().iter().map(String::as_str).collect::<Vec<_>>().as_slice());
        reason("stack", &tags);
        // A synonym of a tag is no evidence of its own.
        let is_tag = |word: &str| tags.iter().any(|tag| canonical_tag(tag) == canonical_tag(word));
        reason("context", &context.iter().copied().filter(|word| !is_tag(word)).collect::<Vec<_>>());
        if is_alike {
            reasons.push("similar meaning".to_owned());
        }
        let Edge { id, title, description, workaround, severity, .. } = &self.edge;
        Some(EdgeWarning {
            id: id.clone(),
            title: title.clone(),
            description: description.clone(),
            workaround: workaround.clone(),
            severity: *severity,
            source: if is_direct || is_alike { EdgeSource::Global } else { EdgeSource::Stack },
            matched_on: reasons.join("; ").into(),
            confidence: round_confidence(confidence),
        })
    }
}

/// The distinct keywords that are met, as written; of overlapping ones only the longer.
fn find_keywords(keywords: &[Keyword], is_met: impl Fn(&Keyword) -> bool) -> Vec<&str> {
    let all: Vec<&Keyword> = keywords.iter().filter(|keyword| is_met(keyword)).collect();
    let mut found: Vec<&str> = Vec::new();
    for keyword in all.iter().filter(|keyword| !all.iter().any(|other| keyword.is_part_of(other))) {
        if !found.iter().any(|known| known.eq_ignore_ascii_case(&keyword.shown)) {
            found.push(&keyword.shown);
        }
    }
    found
}

/// Two decimals: enough to compare, and the same on every machine.
fn round_confidence(confidence: f32) -> f32 {
    (confidence * 100.0).round() / 100.0
}

/// Sorts by tenths of confidence, then severity, then confidence, then id, and truncates to the maximum shown.
fn order(due: &mut Vec<EdgeWarning>, is_given: bool) {
    let tenth = |warning: &EdgeWarning| (warning.confidence * 10.0 + 1e-3) as u32;
    due.sort_by(|a, b| {
        let by_tenth = tenth(b).cmp(&tenth(a)).then(b.severity.cmp(&a.severity));
        by_tenth.then(b.confidence.total_cmp(&a.confidence)).then(a.id.cmp(&b.id))
    });
    let mut stack_only = 0;
    due.retain(|warning| {
        stack_only += usize::from(warning.source == EdgeSource::Stack);
        warning.source != EdgeSource::Stack || is_given || stack_only <= MAX_STACK_ONLY
    });
    due.truncate(MAX_SHOWN);
}
