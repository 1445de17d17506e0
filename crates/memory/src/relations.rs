//! Relations between memories.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::overlap::{Lexicon, Tokens};
use crate::{Kind, Record, RecordId, opposites};

/// Kind of a relation, from the first memory to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelationKind {
    /// The second is the reason of the first.
    CausedBy,
    /// The first solves the second.
    Resolves,
    /// The second stops the first.
    BlockedBy,
    /// The first takes the place of the second.
    Supersedes,
    /// The first names the second.
    Mentions,
    /// The second follows from the first.
    LeadsTo,
    /// The first stops the second.
    Blocks,
    /// Both are about the same thing.
    RelatesTo,
    /// The first, which is newer, says the opposite of the second, or takes something else for the same purpose.
    Contradicts,
}

impl RelationKind {
    /// Whether the first takes the place of the second or excludes it; the first is the newer one.
    #[must_use]
    pub const fn is_opposite(self) -> bool {
        matches!(self, Self::Supersedes | Self::Contradicts)
    }
}

/// One relation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Relation {
    /// The memory that contains the reference.
    pub from: RecordId,
    /// The memory it refers to.
    pub to: RecordId,
    /// Kind.
    pub kind: RelationKind,
    /// Confidence, 0 to 1.
    pub confidence: f32,
    /// The words that say so.
    pub evidence: Box<str>,
}

/// A cue and its target together have to be at least so sure.
const MIN_CONFIDENCE: f32 = 0.5;
/// A word of cause, fix or blocking.
const BY_CUE: f32 = 0.8;
/// Naming a title and nothing more.
const BY_MENTION: f32 = 0.6;
/// The target's whole title is in the text.
const WHOLE_TITLE: f32 = 0.9;
/// Base and step of a target that shares words only.
const SHARED_BASE: f32 = 0.5;
const SHARED_STEP: f32 = 0.1;
/// One statement excludes another.
const BY_OPPOSITE: f32 = 0.8;
/// Shorter titles match nothing, in characters.
const MIN_TITLE_CHARS: usize = 4;
/// Memories with a common word that are compared with one.
const MAX_CANDIDATES: usize = 64;
/// Relations kept.
const MAX_RELATIONS: usize = 20_000;

/// Lower-case cues; the text after one names the target.
const CUES: &[(RelationKind, &str)] = &[
    (RelationKind::CausedBy, "because of "),
    (RelationKind::CausedBy, "caused by "),
    (RelationKind::CausedBy, "due to "),
    (RelationKind::Resolves, "workaround for "),
    (RelationKind::Resolves, "fix for "),
    (RelationKind::Resolves, "solves "),
    (RelationKind::Resolves, "resolves "),
    (RelationKind::BlockedBy, "blocked by "),
    (RelationKind::BlockedBy, "blocked on "),
    (RelationKind::BlockedBy, "waiting for "),
    (RelationKind::BlockedBy, "waiting on "),
    (RelationKind::LeadsTo, "leads to "),
    (RelationKind::LeadsTo, "led to "),
    (RelationKind::LeadsTo, "results in "),
    (RelationKind::LeadsTo, "resulted in "),
    (RelationKind::LeadsTo, "causes "),
    (RelationKind::Blocks, "blocks "),
    (RelationKind::Blocks, "is blocking "),
    (RelationKind::RelatesTo, "related to "),
    (RelationKind::RelatesTo, "relates to "),
    (RelationKind::RelatesTo, "see also "),
    (RelationKind::RelatesTo, "same cause as "),
];

/// Finders of the cues, in their order.
static FINDERS: LazyLock<Vec<Finder<'static>>> =
    LazyLock::new(|| CUES.iter().map(|(_, cue)| Finder::new(cue.as_bytes())).collect());

/// The relations between the memories of one text: the surest of each pair, in order of the memories.
#[must_use]
pub fn relations(records: &[Record]) -> Vec<Relation> {
    relations_of(records, Vec::new(), &mut Lexicon::default())
}

/// The same, where the words of the first titles are known.
pub(crate) fn relations_of(records: &[Record], mut tokens: Vec<Tokens>, lexicon: &mut Lexicon) -> Vec<Relation> {
    tokens.extend(records[tokens.len()..].iter().map(|record| lexicon.tokens(&record.title)));
    let places = Places::of(&tokens);
    let titles = Titles { tokens: &tokens, places: &places };
    let (mut found, mut room) = (Vec::new(), Vec::new());
    for (index, record) in records.iter().enumerate() {
        if found.len() >= MAX_RELATIONS {
            break;
        }
        if let Some(later) = record.superseded_by {
            let kind = RelationKind::Supersedes;
            found.push(Relation {
                from: later,
                to: record.id,
                kind,
                confidence: WHOLE_TITLE,
                evidence: record.title.clone(),
            });
        }
        if record.kind == Kind::Gotcha {
            continue;
        }
        of_record(index, records, &titles, lexicon, &mut room, &mut found);
    }
    find_contradictions(records, &mut found);
    found
}

/// Statements that exclude an older one that still holds.
fn find_contradictions(records: &[Record], found: &mut Vec<Relation>) {
    let mut by_time: Vec<&Record> = records.iter().filter(|record| holds(record)).collect();
    // Memories of one day are in the order of their text.
    by_time.sort_by_key(|record| record.date);
    let mut newest: FxHashMap<String, (&Record, Vec<String>)> = FxHashMap::default();
    for record in by_time {
        for position in opposites::find_positions(&record.title) {
            if found.len() >= MAX_RELATIONS {
                return;
            }
            if let Some((before, values)) = newest.get(&position.subject)
                && before.id != record.id
                && opposites::exclude(values, &position.values)
            {
                let (from, to, kind) = (record.id, before.id, RelationKind::Contradicts);
                found.push(Relation { from, to, kind, confidence: BY_OPPOSITE, evidence: before.title.clone() });
            }
            newest.insert(position.subject, (record, position.values));
        }
    }
}

/// Returns whether a memory is a statement that still holds. A problem and its fix say opposite things by nature.
fn holds(record: &Record) -> bool {
    record.kind != Kind::Issue && record.superseded_by.is_none()
}

/// Memories by a word, oldest first.
type ByToken = FxHashMap<u64, Vec<usize>>;

/// Positions of words in titles.
struct Places {
    /// Every word of every title.
    by_token: ByToken,
    /// Each title by its rarest word only: a text that names the whole title has that word, too.
    by_rarest: ByToken,
    /// The bits of each title's words.
    bits: Vec<u64>,
}

/// The titles of the memories, as words.
struct Titles<'t> {
    tokens: &'t [Tokens],
    places: &'t Places,
}

impl Places {
    fn of(tokens: &[Tokens]) -> Self {
        let mut by_token = ByToken::default();
        for (index, tokens) in tokens.iter().enumerate() {
            tokens.iter().for_each(|token| by_token.entry(token).or_default().push(index));
        }
        let mut by_rarest = ByToken::default();
        for (index, tokens) in tokens.iter().enumerate() {
            let rarest = tokens.iter().min_by_key(|token| (by_token.get(token).map_or(0, Vec::len), *token));
            by_rarest.entry(rarest.unwrap_or_default()).or_default().push(index);
        }
        Self { by_token, by_rarest, bits: tokens.iter().map(Tokens::bits).collect() }
    }
}

/// A related memory, how, how sure, and by which words.
type Related<'r> = (usize, RelationKind, f32, &'r str);

fn of_record<'r>(
    own: usize,
    records: &'r [Record],
    titles: &Titles<'_>,
    lexicon: &mut Lexicon,
    best: &mut Vec<Related<'r>>,
    found: &mut Vec<Relation>,
) {
    best.clear();
    let (record, Titles { tokens, places }) = (&records[own], titles);
    let lower = record.content.to_ascii_lowercase();
    for ((kind, cue), finder) in CUES.iter().zip(FINDERS.iter()) {
        let Some(at) = finder.find(lower.as_bytes()).map(|at| at + cue.len()) else { continue };
        let said = first_clause(&record.content[at..]);
        let target = lexicon.tokens(said);
        for other in candidates(&target, own, &places.by_token) {
            if !is_long_enough(&records[other].title) {
                continue;
            }
            let shared = tokens[other].count_shared(&target);
            let sure = if tokens[other].is_within(&target) && shared > 1 {
                WHOLE_TITLE
            } else if shared >= 2 {
                (SHARED_BASE + SHARED_STEP * shared as f32).min(WHOLE_TITLE)
            } else {
                continue;
            };
            best.push((other, *kind, (sure * BY_CUE * 100.0).round() / 100.0, said));
        }
    }
    // Many memories are their title.
    let read = (record.content != record.title).then(|| lexicon.tokens(&record.content));
    let all = read.as_ref().unwrap_or(&tokens[own]);
    let bits = all.bits();
    // Each title is stored under one word only, so none is met twice.
    for other in newest(all, own, &places.by_rarest) {
        let names = places.bits[other] & !bits == 0
            && tokens[other].len() > 1
            && tokens[other].is_within(all)
            && records[other].source.line != record.source.line;
        if names && is_long_enough(&records[other].title) {
            best.push((other, RelationKind::Mentions, BY_MENTION, &records[other].title));
        }
    }
    best.sort_by(|one, other| one.0.cmp(&other.0).then(other.2.total_cmp(&one.2)).then(one.1.cmp(&other.1)));
    best.dedup_by_key(|relation| relation.0);
    for (other, kind, confidence, evidence) in best.drain(..).filter(|relation| relation.2 >= MIN_CONFIDENCE) {
        found.push(Relation { from: record.id, to: records[other].id, kind, confidence, evidence: evidence.into() });
    }
}

fn is_long_enough(title: &str) -> bool {
    title.chars().nth(MIN_TITLE_CHARS - 1).is_some()
}

fn first_clause(text: &str) -> &str {
    text[..text.find(['.', ',', ';', '\n', '(']).unwrap_or(text.len())].trim()
}

/// The newest memories with one of the words, but for one.
fn candidates(tokens: &Tokens, own: usize, by_token: &ByToken) -> Vec<usize> {
    let mut found: Vec<usize> = newest(tokens, own, by_token).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// For each of the words the newest memories that have it, but for one.
fn newest<'t>(tokens: &'t Tokens, own: usize, by_token: &'t ByToken) -> impl Iterator<Item = usize> + 't {
    let known = tokens.iter().filter_map(|token| by_token.get(&token));
    known.flat_map(|places| places.iter().rev().take(MAX_CANDIDATES).copied()).filter(move |index| *index != own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, SourceKind};

    fn kinds(texts: &[&str]) -> Vec<(usize, RelationKind, usize)> {
        let records: Vec<Record> = texts
            .iter()
            .zip(1..)
            .map(|(text, line)| {
                let source = Source { kind: SourceKind::MemoryFile, file: "MEMORY.md".into(), line };
                Record::new(RecordId(u64::from(line)), Kind::Issue, text, source)
            })
            .collect();
        let found = relations(&records);
        let place = |id: RecordId| usize::try_from(id.0).expect("small") - 1;
        found.iter().map(|relation| (place(relation.from), relation.kind, place(relation.to))).collect()
    }

    #[test]
    fn words_of_relation_and_their_targets() {
        use RelationKind::{BlockedBy, Blocks, CausedBy, LeadsTo, RelatesTo, Resolves};
        let cases: &[(&str, RelationKind)] = &[
            ("carts vanish because of session store eviction", CausedBy),
            ("small memory limit leads to session store eviction", LeadsTo),
            ("a busy noon led to session store eviction", LeadsTo),
            ("the old driver causes session store eviction", LeadsTo),
            ("the missing quota is blocking session store eviction", Blocks),
            ("the missing quota blocks session store eviction", Blocks),
            ("slow carts are related to session store eviction", RelatesTo),
            ("slow carts, see also session store eviction", RelatesTo),
            ("a larger cache is a fix for session store eviction", Resolves),
            ("the release is blocked by session store eviction", BlockedBy),
        ];
        for (text, kind) in cases {
            assert_eq!(kinds(&["session store eviction", text]), [(1, *kind, 0)], "{text}");
        }
        assert_eq!(kinds(&["session store eviction", "a busy noon leads to long queues"]), []);
    }
}
