//! Which words make a sentence a memory, and how sure they are.

mod decision;
mod issue;
mod label;
mod learning;
mod rule;

pub(crate) use decision::is_alternative;
pub(crate) use rule::RULE;

use super::sentence::Sentence;
use super::words::Words;
use crate::{Kind, Status};

/// Base of a decision; what adds to it is below.
const DECISION: f32 = 0.5;
const DECISION_LABEL: f32 = 0.3;
const DECISION_REASON: f32 = 0.2;
const DECISION_ALTERNATIVE: f32 = 0.1;
const DECISION_QUICK: f32 = 0.1;
/// A bold label of an issue or a learning.
const LABEL: f32 = 0.9;
/// The quick form, but for decisions.
const QUICK: f32 = 0.7;
/// `Problem:` and what blocks.
const ISSUE_WORD: f32 = 0.6;
/// Hit, struggling, stuck.
const ISSUE_MET: f32 = 0.5;
/// Negation and failing.
const ISSUE_NEGATION: f32 = 0.4;
/// TIL, gotcha.
const LEARNING_WORD: f32 = 0.7;
/// Turns out.
const LEARNING_TURNS_OUT: f32 = 0.6;
/// Every other cue of a learning, and text that is a memory without a cue.
const LEARNING: f32 = 0.5;
/// A reason adds this to an issue or a learning.
const REASON: f32 = 0.1;
/// What a pin is at least.
const PIN: f32 = 0.9;
/// An item below a heading such as `Decisions`.
const IN_SECTION: f32 = 0.6;

/// What else a sentence does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Nothing.
    Plain,
    /// It says that an issue is solved.
    Fix,
    /// It says that an issue is there once more.
    Again,
    /// It says only that, and is no memory of its own.
    OnlyAgain,
    /// It says only that something works now, which solves the issue about it.
    OnlyWorks,
    /// It says only that something blocks no longer.
    OnlyUnblocked,
    /// It says only that something is done away with: a memory where a decision had taken it.
    OnlyGivenUp,
}

impl Role {
    /// Whether it may say something of a memory that is not there, and then is nothing.
    pub(crate) const fn needs_another(self) -> bool {
        matches!(self, Self::OnlyAgain | Self::OnlyWorks | Self::OnlyUnblocked | Self::OnlyGivenUp)
    }
}

/// Where the title of a memory is in its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Title {
    /// Everything after this word.
    After(usize),
    /// Everything from this word on.
    From(usize),
    /// Everything before this word.
    Before(usize),
}

/// A cue that was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub(crate) kind: Kind,
    pub(crate) rule: &'static str,
    pub(crate) score: f32,
    pub(crate) title: Title,
    /// Put before the title.
    pub(crate) prefix: &'static str,
    pub(crate) status: Option<Status>,
    pub(crate) role: Role,
    /// Whether what the title names is what a decision gave up.
    pub(crate) gives_up: bool,
    pub(crate) is_key: bool,
}

impl Hit {
    const fn new(kind: Kind, rule: &'static str, score: f32, title: Title) -> Self {
        let status = if matches!(kind, Kind::Issue) { Some(Status::Open) } else { None };
        Self { kind, rule, score, title, prefix: "", status, role: Role::Plain, gives_up: false, is_key: false }
    }

    const fn decision(rule: &'static str, title: Title) -> Self {
        Self::new(Kind::Decision, rule, DECISION, title)
    }

    const fn issue(rule: &'static str, score: f32, title: Title) -> Self {
        Self::new(Kind::Issue, rule, score, title)
    }

    const fn learning(rule: &'static str, score: f32, title: Title) -> Self {
        Self::new(Kind::Learning, rule, score, title)
    }

    const fn with_blocked(mut self) -> Self {
        self.status = Some(Status::Blocked);
        self
    }

    const fn fix(mut self) -> Self {
        self.status = Some(Status::Resolved);
        self.role = Role::Fix;
        self
    }
}

/// A row of a table of cues: which words make one, and who reads on from there.
struct Cue {
    /// The word itself is one of these.
    words: Words,
    /// The word before it is one of these; any if there are none.
    before: Words,
    /// The word behind it is one of these; any if there are none.
    next: Words,
    /// Says whether it is a cue where it stands.
    read: fn(&Sentence<'_>, usize) -> Option<Hit>,
}

impl Cue {
    const fn new(words: Words, read: fn(&Sentence<'_>, usize) -> Option<Hit>) -> Self {
        Self { words, before: &[], next: &[], read }
    }

    const fn after(self, before: Words) -> Self {
        Self { before, ..self }
    }

    const fn then(self, next: Words) -> Self {
        Self { next, ..self }
    }

    /// The cue at a word by the first row that fits there.
    fn at(rows: &[Self], s: &Sentence<'_>, at: usize) -> Option<Hit> {
        let fits = |words: Words, word: &str| words.is_empty() || words.contains(&word);
        let here = rows.iter().find(|row| {
            row.words.contains(&s.word(at)) && fits(row.before, s.before(at)) && fits(row.next, s.word(at + 1))
        })?;
        (here.read)(s, at)
    }
}

/// What a sentence says besides its cue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extras {
    /// It gives a reason.
    pub(crate) reason: bool,
    /// It names what was rejected.
    pub(crate) alternative: bool,
}

/// How strict to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strength {
    /// All cues.
    All,
    /// Labels, `word:` forms and the quick form: for headings.
    Labels,
    /// As in [`Strength::Labels`], and a plain label is as good as a bold one: for the body of a commit message.
    PlainLabels,
}

/// What the items below a heading or a label of their own are, and how sure that is.
pub(crate) fn of_items(kind: Kind, status: Option<Status>) -> Hit {
    let rule = match (kind, status) {
        (Kind::Decision, _) => "decision.section",
        (_, Some(Status::Blocked)) => "issue.blocked_section",
        (Kind::Issue, _) => "issue.section",
        _ => "learning.section",
    };
    Hit { status, ..Hit::new(kind, rule, IN_SECTION, Title::From(0)) }
}

/// The label that a sentence consists of, for the lines below it.
pub(crate) fn bare_label(sentence: &Sentence<'_>) -> Option<Hit> {
    let hit = label::label(sentence, 0, false)?;
    let is_bare = hit.title == Title::After(sentence.words.len().checked_sub(1)?);
    is_bare.then_some(Hit { title: Title::From(0), ..hit })
}

/// The best cue of a sentence. `is_first` says that it starts its line.
pub(crate) fn find(sentence: &Sentence<'_>, is_first: bool, strength: Strength, extras: Extras) -> Option<Hit> {
    let (at, pinned) = label::pin(sentence, is_first);
    let quick = label::quick(sentence);
    let at = quick.map_or(at, |quick| quick.max(at));
    let bold = strength == Strength::PlainLabels;
    let mut best: Option<(Hit, f32)> = None;
    let mut offer = |hit: Hit| {
        let score = score(&hit, quick.is_some(), extras);
        let better = best.as_ref().is_none_or(|(known, known_score)| {
            // What may turn out to be nothing stands behind what is something.
            if hit.role.needs_another() != known.role.needs_another() {
                return known.role.needs_another();
            }
            score > *known_score + f32::EPSILON
                || ((score - known_score).abs() <= f32::EPSILON && hit.kind < known.kind)
        });
        if better {
            best = Some((hit, score));
        }
    };
    if let Some(hit) = label::label(sentence, at, bold) {
        offer(hit);
    } else if strength == Strength::All && !sentence.is_question() {
        for index in at..sentence.words.len() {
            [decision::cue(sentence, index), issue::cue(sentence, index), learning::cue(sentence, index)]
                .into_iter()
                .flatten()
                .for_each(&mut offer);
        }
        if is_first
            && !pinned
            && let Some(hit) = rule::rule(sentence, at)
        {
            offer(hit);
        }
    }
    let says_so = pinned || quick.is_some();
    if best.is_none() && says_so && at < sentence.words.len() && !label::is_bare_cue(sentence, at) {
        let hit = label::without_cue(sentence, at, pinned);
        best = Some((hit, score(&hit, quick.is_some(), extras)));
    }
    best.map(|(hit, score)| Hit { score: if pinned { score.max(PIN) } else { score }, is_key: pinned, ..hit })
}

fn score(hit: &Hit, quick: bool, extras: Extras) -> f32 {
    let given = |amount: f32, holds: bool| if holds { amount } else { 0.0 };
    let score = match hit.kind {
        Kind::Decision => {
            let reason = given(DECISION_REASON, extras.reason);
            let alternative = given(DECISION_ALTERNATIVE, extras.alternative || hit.gives_up);
            hit.score + reason + alternative + given(DECISION_QUICK, quick)
        }
        _ => {
            let base = if quick && hit.rule != label::NO_CUE { hit.score.max(QUICK) } else { hit.score };
            base + given(REASON, extras.reason)
        }
    };
    // Tenths, so that sums of them compare and print as one expects.
    (score.min(1.0) * 100.0).round() / 100.0
}
