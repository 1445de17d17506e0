//! Effect of agents' feedback on a query: nodes marked right or wrong for similar queries.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{Graph, NodeIx};
use m1nd_search::{Index, Query};
use rustc_hash::FxHashMap;

use super::{FeedbackEntry, Told};
use m1nd_engine::Snapshot;

/// Entries that one question is compared with: those that share most words with it, the newest of them.
const MAX_COMPARED: usize = 200;
/// Longest question that is compared, in characters.
const MAX_QUERY: usize = 2_000;
/// Words of a question that are compared, the weightiest.
const MAX_WORDS: usize = 64;
/// Questions less alike than this have nothing to say of each other.
const LEAST_SIMILAR: f64 = 0.5;
/// Days after which an entry counts half; it fades in whole days, so that answers of one day are the same.
const HALF_LIFE_DAYS: f64 = 30.0;
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
/// Share of feedback passed on to the members of a node.
const CONTAINED: f64 = 0.5;
/// Maximum members that feedback is passed on to.
const MAX_CONTAINED: usize = 200;
/// Weight of `partial` relative to `correct`.
const PARTIAL: f64 = 0.5;

/// Feedback on the nodes of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feedback {
    /// The nodes answer the query.
    Correct,
    /// They do not.
    Wrong,
    /// They are a part of the answer.
    Partial,
}

impl Feedback {
    /// All words.
    pub const ALL: [Self; 3] = [Self::Correct, Self::Wrong, Self::Partial];

    /// The word on the wire and in the ledger.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Correct => "correct",
            Self::Wrong => "wrong",
            Self::Partial => "partial",
        }
    }

    const fn sign(self) -> f64 {
        match self {
            Self::Correct => 1.0,
            Self::Wrong => -1.0,
            Self::Partial => PARTIAL,
        }
    }

    /// The feedback with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|feedback| feedback.word() == word)
    }
}

/// A row of the ledger: feedback on an answer.
#[derive(Debug, Clone)]
pub struct LedgerRow<'a> {
    /// Its number.
    pub id: i64,
    /// The query.
    pub query: &'a str,
    /// The feedback.
    pub feedback: Feedback,
    /// Weight, 0 to 1.
    pub strength: f64,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// Ids of the nodes it is about.
    pub nodes: &'a [String],
}

/// An entry of the ledger, ready to be compared.
#[derive(Debug)]
struct Entry {
    id: i64,
    query: String,
    feedback: Feedback,
    strength: f64,
    at_ms: u64,
    words: BTreeSet<String>,
    nodes: Vec<String>,
}

/// The rows of the feedback ledger, ready to be compared with questions.
#[derive(Debug, Default)]
pub struct Ledger {
    entries: Vec<Entry>,
    /// Entries by the words of their question.
    by_word: FxHashMap<String, Vec<u32>>,
}

/// Effect of the ledger on a query.
#[derive(Debug, Default)]
pub(crate) struct Says {
    pub(crate) told: FxHashMap<NodeIx, Told>,
    pub(crate) entries: Vec<FeedbackEntry>,
    pub(crate) gone: Vec<String>,
}

fn words(text: &str) -> BTreeSet<String> {
    let terms = Query::parse(text).terms;
    let plain = terms.into_iter().filter(|term| term.counts).take(MAX_WORDS);
    plain.filter_map(|term| term.forms.into_iter().next()).map(|(word, _)| word).collect()
}

impl Ledger {
    /// Maximum members, including the node itself, that feedback is passed on to.
    pub const MAX_CONTAINED: usize = MAX_CONTAINED;

    /// The ledger of these rows, oldest first.
    pub fn new<'a>(lessons: impl Iterator<Item = LedgerRow<'a>>) -> Self {
        let entries: Vec<Entry> = lessons.map(Entry::new).collect();
        let mut by_word: FxHashMap<String, Vec<u32>> = FxHashMap::default();
        for (number, entry) in entries.iter().enumerate() {
            for word in &entry.words {
                by_word.entry(word.clone()).or_default().push(number as u32);
            }
        }
        Self { entries, by_word }
    }

    /// Entries whose question is like `text`, with how much, oldest first.
    fn similar(&self, text: &str, index: &Index) -> Vec<(&Entry, f64)> {
        if self.entries.is_empty() {
            return Vec::new();
        }
        // Truncated like stored queries, so that a long query equals itself.
        let asked = words(&text.chars().take(MAX_QUERY).collect::<String>());
        let mut shared: BTreeMap<u32, u32> = BTreeMap::new();
        for number in asked.iter().filter_map(|word| self.by_word.get(word)).flatten() {
            *shared.entry(*number).or_default() += 1;
        }
        let mut candidates: Vec<(u32, u32)> = shared.into_iter().collect();
        candidates.sort_by_key(|(number, shared)| (std::cmp::Reverse(*shared), std::cmp::Reverse(*number)));
        candidates.truncate(MAX_COMPARED);
        candidates.sort_unstable();
        let mut rarities: FxHashMap<String, f64> = FxHashMap::default();
        let mut rarity = |word: &String| *rarities.entry(word.clone()).or_insert_with(|| index.rarity(word));
        let mut found = Vec::new();
        for (number, _) in candidates {
            let entry = &self.entries[number as usize];
            let similarity = cosine(&asked, &entry.words, &mut rarity);
            if similarity >= LEAST_SIMILAR {
                found.push((entry, similarity));
            }
        }
        found
    }

    /// Feedback on nodes for a query.
    pub(crate) fn says(&self, text: &str, snapshot: &Snapshot, now_ms: u64) -> Says {
        let mut says = Says::default();
        let graph = snapshot.graph();
        for (entry, similarity) in self.similar(text, snapshot.index()) {
            let age_days = now_ms.saturating_sub(entry.at_ms) / DAY_MS;
            let left = (-(age_days as f64) / HALF_LIFE_DAYS).exp2();
            let weight = entry.feedback.sign() * entry.strength * similarity * left;
            for (node, share) in entry.shares(graph, &mut says.gone) {
                let told = says.told.entry(node).or_default();
                told.weight += weight * share;
                told.entries.push(entry.id);
                told.is_itself |= share == 1.0;
            }
            says.entries.push(FeedbackEntry {
                id: entry.id,
                feedback: entry.feedback,
                query: entry.query.clone(),
                similarity,
                age_days,
            });
        }
        says.gone.sort();
        says.gone.dedup();
        says.told.values_mut().for_each(|told| told.weight = told.weight.clamp(-1.0, 1.0));
        says
    }
}

/// Similarity of two sets of words by the rarity of common ones, 0 to 1.
fn cosine(a: &BTreeSet<String>, b: &BTreeSet<String>, rarity: &mut impl FnMut(&String) -> f64) -> f64 {
    let mut sum = |words: &mut dyn Iterator<Item = &String>| words.map(|word| rarity(word).powi(2)).sum::<f64>();
    let both = sum(&mut a.intersection(b));
    let lengths = (sum(&mut a.iter()) * sum(&mut b.iter())).sqrt();
    if lengths > 0.0 { (both / lengths).min(1.0) } else { 0.0 }
}

impl Entry {
    fn new(lesson: LedgerRow<'_>) -> Self {
        Self {
            id: lesson.id,
            words: words(lesson.query),
            query: lesson.query.to_owned(),
            feedback: lesson.feedback,
            strength: lesson.strength.clamp(0.0, 1.0),
            at_ms: lesson.at_ms,
            nodes: lesson.nodes.to_vec(),
        }
    }

    /// The remaining nodes of the feedback and their members, each with its share.
    fn shares(&self, graph: &Graph, gone: &mut Vec<String>) -> BTreeMap<NodeIx, f64> {
        let mut shares: BTreeMap<NodeIx, f64> = BTreeMap::new();
        for id in &self.nodes {
            let Some(node) = graph.find(id) else {
                gone.push(id.clone());
                continue;
            };
            for member in graph.with_members(node, MAX_CONTAINED) {
                let share = if member == node { 1.0 } else { CONTAINED };
                let known = shares.entry(member).or_default();
                *known = known.max(share);
            }
        }
        shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_alike_by_their_rare_words() {
        let rare = ["retry", "backoff"];
        let mut rarity = |word: &String| if rare.contains(&word.as_str()) { 5.0 } else { 0.5 };
        let mut alike = |a: &str, b: &str| cosine(&words(a), &words(b), &mut rarity);
        assert!((alike("retry with backoff", "the backoff of retry") - 1.0).abs() < 1e-9);
        assert!(alike("retry of requests", "retry of files") > 0.9);
        assert!(alike("parse requests retry", "parse requests files") < 0.2);
        assert_eq!(alike("retry", "cookies"), 0.0);
        assert_eq!(alike("", "retry"), 0.0);
    }
}
