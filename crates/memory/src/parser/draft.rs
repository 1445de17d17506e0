//! One sentence → one memory that has no identity yet: title, reason, alternatives.

use jiff::civil::Date;

use super::MIN_CONFIDENCE;
use super::cues::{self, Extras, Hit, Role, Strength, Title};
use super::sentence::{Sentence, is_clause_break};
use super::words::{reason, state};
use crate::markers::{Marker, markers};
use crate::{Kind, Status};

/// Longest title, in characters; cut at the end of a word.
pub(crate) const MAX_TITLE_CHARS: usize = 120;
/// Shorter titles, in characters, name nothing.
pub(crate) const MIN_TITLE_CHARS: usize = 3;
/// Longest content kept, in characters.
pub(crate) const MAX_CONTENT_CHARS: usize = 2_000;
/// Longest reason kept, in characters.
pub(crate) const MAX_REASON_CHARS: usize = 400;
/// Most rejected alternatives kept of one decision.
pub(crate) const MAX_ALTERNATIVES: usize = 8;

/// A memory before it is compared with the others of its text.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) kind: Kind,
    pub(crate) title: String,
    pub(crate) content: String,
    pub(crate) reasoning: Option<String>,
    pub(crate) alternatives: Vec<String>,
    /// What it takes the place of, where its words say so.
    pub(crate) replaces: Vec<String>,
    /// What took its place, where its words say so.
    pub(crate) replaced_by: Option<String>,
    pub(crate) status: Option<Status>,
    pub(crate) line: u32,
    pub(crate) date: Option<Date>,
    pub(crate) confidence: f32,
    pub(crate) rule: &'static str,
    pub(crate) is_key: bool,
    pub(crate) markers: Vec<Marker>,
    pub(crate) role: Role,
}

/// The memory that a sentence is, if it is one. A reason may also stand in the sentence after it.
pub(crate) fn draft(
    sentence: &Sentence<'_>,
    next: Option<&Sentence<'_>>,
    is_first: bool,
    strength: Strength,
) -> Option<Draft> {
    let own_reason = reason(sentence);
    let next_reason = next.and_then(|next| leading_reason(next));
    let rejected = alternatives(sentence);
    let extras = Extras { reason: own_reason.is_some() || next_reason.is_some(), alternative: !rejected.is_empty() };
    let hit = cues::find(sentence, is_first, strength, extras)?;
    from_hit(sentence, &hit, own_reason, next_reason, rejected)
}

/// The memories of the sentences of a line that are sure enough, each with the number of its sentence. One that stands
/// alone has the whole line as its content, each of several its own part of it.
pub(crate) fn drafts(sentences: &[Sentence<'_>], strength: Strength) -> Vec<(usize, Draft)> {
    let all = sentences.iter().enumerate().filter_map(|(index, sentence)| {
        Some((index, draft(sentence, sentences.get(index + 1), index == 0, strength)?))
    });
    let mut found: Vec<(usize, Draft)> = all.filter(|(_, draft)| draft.confidence >= MIN_CONFIDENCE).collect();
    share_line(sentences, &mut found);
    found
}

/// Gives each memory of a line its part: from its sentence up to the next memory, the first from the start of the line.
/// So every word of the line is in one of them. What only says that a known issue is back may stand for nothing: its
/// words are its own and of the memory before it.
fn share_line(sentences: &[Sentence<'_>], found: &mut [(usize, Draft)]) {
    if found.len() < 2 {
        return;
    }
    let own = found.iter().filter(|(_, draft)| !draft.role.needs_another());
    let starts: Vec<usize> = own.map(|(index, _)| *index).collect();
    for (index, draft) in found.iter_mut() {
        let Some(sentence) = sentences.get(*index) else { continue };
        let is_first = !draft.role.needs_another() && starts.first() == Some(index);
        let start = if is_first { 0 } else { sentence.start };
        let next = starts.iter().find(|start| *start > index).and_then(|start| sentences.get(*start));
        let end = next.map_or(sentence.line.shown.len(), |next| next.start);
        let part = sentence.line.shown[start..end].trim_end_matches([' ', '\t', ';', '|']);
        draft.content = cut(part.trim_start(), MAX_CONTENT_CHARS);
    }
}

/// The memory that a whole sentence is because of the heading or label above it.
pub(crate) fn draft_of(sentence: &Sentence<'_>, hit: &Hit) -> Option<Draft> {
    let rejected = if hit.kind == Kind::Decision { alternatives(sentence) } else { Vec::new() };
    from_hit(sentence, hit, reason(sentence), None, rejected)
}

fn from_hit(
    sentence: &Sentence<'_>,
    hit: &Hit,
    own: Option<Reason>,
    next: Option<String>,
    rejected: Vec<Rejected>,
) -> Option<Draft> {
    // The title. Too little text, or text that decides nothing, is not a memory.
    let (from, to) = title_range(sentence, hit, own.as_ref());
    let text = trim_title(&sentence.line.shown[from..to.max(from)]);
    if text.chars().count() < MIN_TITLE_CHARS || is_placeholder(text) || hit.kind == Kind::Issue && is_reference(text) {
        return None;
    }
    if hit.kind == Kind::Decision && (is_undecided(text) || is_no_more(text)) {
        return None;
    }
    let title = match hit.prefix {
        "" => cut(text, MAX_TITLE_CHARS),
        prefix => cut(&[prefix, text].concat(), MAX_TITLE_CHARS),
    };
    // Only a decision replaces or rejects something.
    let mut replaces: Vec<String> = rejected.iter().filter(|it| it.is_replaced).map(|it| it.text.clone()).collect();
    let mut alternatives: Vec<String> = Vec::new();
    if hit.kind == Kind::Decision {
        alternatives = rejected.into_iter().map(|it| it.text).collect();
        if hit.gives_up {
            let given_up = given_up(text);
            replaces.push(given_up.clone());
            alternatives.insert(0, given_up);
        }
        replaces.extend(name_behind(&sentence.line.mask, &sentence.line.shown, "supersedes "));
        alternatives.dedup();
        alternatives.truncate(MAX_ALTERNATIVES);
    } else {
        replaces.clear();
    }
    let markers = if hit.kind == Kind::Decision { markers(sentence.text()) } else { Vec::new() };
    Some(Draft {
        kind: hit.kind,
        title,
        content: cut(sentence.line.shown.trim(), MAX_CONTENT_CHARS),
        reasoning: own.map(|reason| reason.text).or(next),
        alternatives,
        replaces,
        replaced_by: name_behind(&sentence.line.mask, &sentence.line.shown, "superseded by "),
        status: status(sentence, hit),
        line: sentence.line.number_at(sentence.start),
        date: None,
        confidence: hit.score,
        rule: hit.rule,
        is_key: hit.is_key,
        markers,
        role: hit.role,
    })
}

/// The name behind `supersedes` or `superseded by`, as records of decisions write it: `ADR-007`, `#12`.
fn name_behind(mask: &str, shown: &str, words: &str) -> Option<String> {
    let from = mask.find(words)? + words.len();
    let rest = shown.get(from..)?;
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '#' | '_'))).unwrap_or(rest.len());
    let name = &rest[..end];
    name.bytes().any(|byte| byte.is_ascii_digit()).then(|| name.to_owned())
}

/// Whether a record of a decision says of itself that it does not hold: `(proposed)`, `[rejected]`.
fn is_no_more(text: &str) -> bool {
    let text = text.trim_end();
    let Some(text) = text.strip_suffix([')', ']']) else { return false };
    let state = text.rsplit(['(', '[']).next().unwrap_or_default().trim();
    state::NO_MORE.iter().any(|known| known.eq_ignore_ascii_case(state))
}

/// `postponed until March`: what stands where a decision would, and says that there is none.
fn is_undecided(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let first = text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    state::OPEN.contains(&first)
        || state::OPEN_ALONE.contains(&text.as_str())
        || state::TO_BE.iter().any(|what| text.strip_prefix("to ").unwrap_or(&text).starts_with(what))
        || text.starts_with("not decided")
}

/// `#12`: the number of an issue that is told elsewhere.
fn is_reference(text: &str) -> bool {
    let digits = text.trim_start_matches('#');
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn status(sentence: &Sentence<'_>, hit: &Hit) -> Option<Status> {
    let status = hit.status?;
    let ticked = sentence.line.ticked == Some(true) || sentence.line.mask.contains(['✓', '✔', '✅']);
    if ticked {
        return Some(Status::Resolved);
    }
    let own = |index: usize| sentence.word(index) == "blocked" && matches!(sentence.word(index + 1), "by" | "on");
    let blocked = (0..sentence.words.len()).any(|index| {
        own(index) || sentence.word(index) == "waiting" && matches!(sentence.word(index + 1), "for" | "on")
    });
    Some(if status == Status::Open && blocked { Status::Blocked } else { status })
}

/// The bytes of the line that make the title.
fn title_range(s: &Sentence<'_>, hit: &Hit, reason: Option<&Reason>) -> (usize, usize) {
    let (from, first) = match hit.title {
        Title::After(index) => (s.words.get(index).map_or(s.end, |word| word.end), index + 1),
        Title::From(index) => {
            let start = s.words.get(index).map_or(s.end, |word| word.start);
            (if index == 0 { s.start } else { start }, index)
        }
        Title::Before(index) => {
            let start = s.words.iter().position(|word| !reason::BEFORE_TITLE.contains(&&*word.text));
            let from = start.and_then(|at| s.words.get(at)).map_or(s.start, |word| word.start);
            return (from, s.words.get(index).map_or(s.end, |word| word.start));
        }
    };
    let mut to = s.end;
    if let Some(reason) = reason.filter(|reason| reason.cuts_title && reason.at > first) {
        to = to.min(s.words[reason.at - 1].end.max(from));
    }
    if hit.role == Role::Fix
        && let Some(end) = fix_end(s, hit, first)
    {
        to = to.min(end);
    }
    (from, to)
}

/// Where the name of what was fixed ends: before a dash, or before how it was done.
fn fix_end(s: &Sentence<'_>, hit: &Hit, first: usize) -> Option<usize> {
    (first..s.words.len().saturating_sub(1)).find_map(|index| {
        let after = s.after(index);
        let dash = after.starts_with(char::is_whitespace) && is_clause_break(after) || after.contains(['—', '→']);
        let is_apart = after.starts_with(',') && reason::HOW.contains(&s.word(index + 1));
        // `fixed the slow tests: one schema a session`; behind a label the name itself may have a colon.
        let is_told = hit.rule == "issue.fixed" && after.starts_with(": ");
        let how =
            s.word(index + 1) == "via" || s.word(index + 1) == "by" && s.word(index + 2).ends_with("ing") || is_apart;
        (dash || how || is_told).then(|| s.words[index].end)
    })
}

/// A reason in a sentence.
struct Reason {
    text: String,
    /// The word that starts it.
    at: usize,
    /// Whether the title ends before it.
    cuts_title: bool,
}

fn reason(s: &Sentence<'_>) -> Option<Reason> {
    for at in 0..s.words.len() {
        let (last, cuts_title) = match s.word(at) {
            "because" => (if s.word(at + 1) == "of" { at + 1 } else { at }, true),
            "since" if is_reason_since(s, at) => (at, true),
            "so" if at > 0 && s.word(at + 1) == "that" => (at + 1, true),
            "so" if at > 0 && s.after(at - 1).contains([',', ';']) && at + 2 < s.words.len() => (at, true),
            "due" if s.word(at + 1) == "to" => (at + 1, false),
            "reason" | "why" if s.after(at).starts_with(':') => (at, true),
            _ => continue,
        };
        let Some(text) = tail(s, last) else { continue };
        return Some(Reason { text, at, cuts_title });
    }
    None
}

/// Whether `since` gives a reason rather than a time.
fn is_reason_since(s: &Sentence<'_>, at: usize) -> bool {
    let next = s.word(at + 1);
    let is_time = next.starts_with(|c: char| c.is_ascii_digit())
        || reason::SINCE_TIME.contains(&next)
        || next.starts_with('v') && next[1..].starts_with(|c: char| c.is_ascii_digit())
        || reason::SINCE_ARTICLES.contains(&next) && reason::SINCE_EVENTS.contains(&s.word(at + 2));
    at > 0 && !is_time && at + 1 < s.words.len()
}

fn tail(s: &Sentence<'_>, last: usize) -> Option<String> {
    let from = s.words.get(last)?.end;
    let text = trim_title(&s.line.shown[from..s.end]);
    (text.chars().count() >= MIN_TITLE_CHARS).then(|| cut(text, MAX_REASON_CHARS))
}

/// The reason that a whole sentence is, as it starts with a word that says so.
pub(crate) fn leading_reason(s: &Sentence<'_>) -> Option<String> {
    match s.word(0) {
        "because" => tail(s, usize::from(s.word(1) == "of")),
        "since" if s.words.len() > 3 && !s.mask_has_comma() => tail(s, 0),
        "reason" | "why" | "reasoning" | "rationale" if s.after(0).starts_with(':') => tail(s, 0),
        _ => None,
    }
}

impl Sentence<'_> {
    fn mask_has_comma(&self) -> bool {
        self.words.iter().any(|word| word.after.starts_with(','))
    }
}

/// Something that was not chosen.
struct Rejected {
    text: String,
    /// Whether the words say that it was in use.
    is_replaced: bool,
}

fn alternatives(s: &Sentence<'_>) -> Vec<Rejected> {
    let mut found = Vec::new();
    let mut at = 1;
    while at < s.words.len() && found.len() < MAX_ALTERNATIVES {
        let (first, is_replaced) = match s.word(at) {
            "over" if cues::is_alternative(s, at + 1) && !is_verb_with_over(s.before(at)) => (at + 1, false),
            "instead" | "rather" if matches!(s.word(at + 1), "of" | "than") => (at + 2, s.word(at) == "instead"),
            "not" if s.after(at - 1).contains([',', '—', '–']) && is_thing(s, at + 1) => (at + 1, false),
            "rejected" if s.after(at).starts_with(':') => (at + 1, false),
            "longer" if s.before(at) == "no" && matches!(s.word(at + 1), "use" | "using") => (at + 2, true),
            "from" if is_switch_verb(s, at) => (at + 1, true),
            "dropped" | "replaced" | "ditched" if s.find(at + 1, &["favor", "favour"]).is_some() => (at + 1, true),
            _ => {
                at += 1;
                continue;
            }
        };
        let end = alternative_end(s, first);
        if end > first {
            split_names(s, first, end).into_iter().for_each(|text| found.push(Rejected { text, is_replaced }));
        }
        at = end.max(at + 1);
    }
    found
}

fn is_switch_verb(s: &Sentence<'_>, at: usize) -> bool {
    reason::SWITCHING.contains(&s.before(at))
}

/// `take over`, `hand over`: no comparison.
fn is_verb_with_over(word: &str) -> bool {
    reason::VERBS_WITH_OVER.contains(&word)
}

/// Whether `, not …` goes on with a thing rather than with a statement.
fn is_thing(s: &Sentence<'_>, at: usize) -> bool {
    !reason::NO_THING.contains(&s.word(at))
}

/// The word after the last one of a name of an alternative.
fn alternative_end(s: &Sentence<'_>, first: usize) -> usize {
    const MAX_NAME_WORDS: usize = 8;
    let mut index = first;
    while index < s.words.len() && index < first + MAX_NAME_WORDS {
        let stops = reason::ENDS_ALTERNATIVE.contains(&s.word(index));
        if index > first && stops || index == first && s.word(index) == "because" {
            break;
        }
        let after = s.after(index);
        index += 1;
        if is_clause_break(after) && !(after.trim() == "," && matches!(s.word(index), "and" | "or")) {
            break;
        }
    }
    index
}

/// `Kafka and RabbitMQ` → two; `the drag and drop editor` stays one.
fn split_names(s: &Sentence<'_>, first: usize, end: usize) -> Vec<String> {
    const MAX_WORDS_OF_A_NAME: usize = 2;
    let text = |from: usize, to: usize| trim_title(&s.line.shown[s.words[from].start..s.words[to - 1].end]).to_owned();
    let cuts: Vec<usize> = (first + 1..end).filter(|index| matches!(s.word(*index), "or" | "and")).collect();
    let mut parts = Vec::new();
    let mut from = first;
    for cut in cuts.iter().copied().chain([end]) {
        if cut > from {
            parts.push((from, cut));
        }
        from = cut + 1;
    }
    if parts.iter().any(|(from, to)| to - from > MAX_WORDS_OF_A_NAME) {
        parts = vec![(first, end)];
    }
    parts.into_iter().map(|(from, to)| text(from, to)).filter(|text| !text.is_empty()).collect()
}

/// The name in `moment for dates`: what was given up, without its purpose.
fn given_up(title: &str) -> String {
    let end = reason::ENDS_GIVEN_UP.iter().filter_map(|stop| title.find(stop)).min();
    let text = title[..end.unwrap_or(title.len())].trim();
    let text = reason::GIVEN_UP_VERBS.iter().find_map(|verb| text.strip_prefix(verb)).unwrap_or(text);
    text.to_owned()
}

/// Without the marks around a title.
pub(crate) fn trim_title(text: &str) -> &str {
    let leads = |c: char| {
        matches!(
            c,
            ' ' | '\t'
                | '-'
                | '–'
                | '—'
                | ':'
                | '*'
                | ','
                | ';'
                | '>'
                | '→'
                | '='
                | '.'
                | ']'
                | ')'
                | '|'
                | '：'
                | '✓'
                | '✔'
                | '✅'
        )
    };
    let trails = |c: char| {
        matches!(
            c,
            ' ' | '\t' | '.' | '!' | ',' | ';' | ':' | '-' | '–' | '—' | '*' | '|' | '✓' | '✔' | '✅' | '\u{fe0f}'
        )
    };
    text.trim_start_matches(leads).trim_end_matches(trails)
}

/// At most this many characters, cut at the end of a word.
pub(crate) fn cut(text: &str, chars: usize) -> String {
    if text.len() <= chars {
        return text.to_owned();
    }
    let Some((end, _)) = text.char_indices().nth(chars) else { return text.to_owned() };
    let head = &text[..end];
    let at_word = text[end..].starts_with(char::is_whitespace);
    let end = if at_word { end } else { head.rfind(char::is_whitespace).filter(|at| *at > 0).unwrap_or(end) };
    head[..end].trim_end().to_owned()
}

/// What templates put where people are to write.
pub(crate) fn is_placeholder(text: &str) -> bool {
    let text = text.trim().trim_end_matches('.');
    let wrapped = |open: char, close: char| {
        text.strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close))
            .is_some_and(|inside| !inside.contains([open, close]))
    };
    let is_word = || state::PLACEHOLDERS.iter().any(|word| word.eq_ignore_ascii_case(text));
    wrapped('(', ')') || wrapped('<', '>') || wrapped('[', ']') || wrapped('{', '}') || is_word()
}
