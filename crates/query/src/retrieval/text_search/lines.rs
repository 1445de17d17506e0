//! The lines of a node that meet the words of a question: what a reader looks at to judge the row of a search.

use m1nd_base::{Cancel, Cancelled, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::NodeIx;
use m1nd_search::{Query, used_name, words};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Lines of a long node that are read.
const MAX_LINES: u32 = 4_000;
/// Lines of comments and attributes above a node that belong to it.
const MAX_ABOVE: u32 = 40;
/// Longest line whose words are read, in bytes: longer ones are data.
const MAX_LINE_BYTES: usize = 1_000;
/// A further line is shown if what it adds weighs at least this share of what the best line weighs.
const LEAST_SHARE: f64 = 0.25;
/// How much a word counts on a further line that has it as well.
const AGAIN: f64 = 0.15;
/// The heaviest words of a question, all of which no line of a long text can have.
const HEAVIEST: usize = 8;

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchingLine {
    /// Its number, from 1.
    pub line: u32,
    /// Its text, without indentation.
    pub text: String,
}

/// The words of a question, each with the weight that the question gives it, times its rarity in the index; names of
/// several words that it writes out, by their terms, with their rarity.
struct Weights(FxHashMap<String, f64>);

impl Weights {
    fn new(snapshot: &Snapshot, question: &Query) -> Self {
        let mut weights: FxHashMap<String, f64> = FxHashMap::default();
        for term in question.terms.iter().filter(|term| term.counts) {
            for (form, weight) in &term.forms {
                let most = weights.entry(form.clone()).or_default();
                *most = most.max(weight * snapshot.index().rarity(form));
            }
        }
        for (name, _) in &question.used {
            weights.insert(name.clone(), snapshot.index().rarity(name));
        }
        Self(weights)
    }

    /// The words in a text, each once.
    fn find_words(&self, text: &str) -> FxHashSet<&str> {
        let mut met = FxHashSet::default();
        words::terms(text, |term| {
            if let Some((word, _)) = self.0.get_key_value(term) {
                met.insert(word.as_str());
            }
        });
        words::identifiers(text, |identifier| {
            let name = words::is_compound(identifier).then(|| used_name(identifier)).flatten();
            if let Some((word, _)) = name.and_then(|name| self.0.get_key_value(&name)) {
                met.insert(word.as_str());
            }
        });
        met
    }

    /// Weight of the [`HEAVIEST`] words of a question.
    fn heaviest(&self, question: &Query) -> f64 {
        let terms = question.terms.iter().filter(|term| term.counts);
        let mut weights: Vec<f64> = terms.map(|term| self.0[&term.forms[0].0]).collect();
        weights.sort_by(|a, b| b.total_cmp(a));
        weights.iter().take(HEAVIEST).sum()
    }
}

/// Finds lines that meet a question, and keeps the files that were read for it.
pub struct LineFinder<'s> {
    snapshot: &'s Snapshot,
    weights: Weights,
    files: FxHashMap<String, Vec<String>>,
}

/// Share of the weight of a question's heaviest words that one line of each node has, 0 to 1; 0 where it cannot be
/// read.
///
/// # Errors
/// [`Cancelled`].
pub(in crate::retrieval) fn line_shares(
    snapshot: &Snapshot,
    question: &Query,
    nodes: &[NodeIx],
    cancel: &Cancel,
) -> Result<FxHashMap<NodeIx, f64>, Cancelled> {
    let weights = Weights::new(snapshot, question);
    let all = weights.heaviest(question);
    let graph = snapshot.graph();
    let mut by_file: FxHashMap<&str, Vec<NodeIx>> = FxHashMap::default();
    for node in nodes {
        by_file.entry(graph.path(*node)).or_default().push(*node);
    }
    let of_file = |(path, nodes): (&str, Vec<NodeIx>)| {
        cancel.check()?;
        let lines = read_lines(snapshot, path);
        let share = |node: NodeIx| {
            let of_lines = lines_met(snapshot, &weights, &lines, node)
                .map(|(_, met)| -> f64 { met.iter().map(|word| weights.0[*word]).sum() });
            (node, (of_lines.fold(0.0, f64::max) / all.max(f64::MIN_POSITIVE)).min(1.0))
        };
        Ok(nodes.into_iter().map(share).collect())
    };
    let found: Result<Vec<Vec<(NodeIx, f64)>>, Cancelled> = by_file.into_par_iter().map(of_file).collect();
    Ok(found?.into_iter().flatten().collect())
}

/// The lines of a node and of the comments above it that meet a word, by index.
fn lines_met<'w>(
    snapshot: &Snapshot,
    weights: &'w Weights,
    lines: &[String],
    node: NodeIx,
) -> impl Iterator<Item = (usize, FxHashSet<&'w str>)> {
    let (first, last) = snapshot.graph().lines(node);
    let first = first_of(lines, first.max(1));
    let range = (first as usize - 1)..(last.min(first.saturating_add(MAX_LINES)) as usize).min(lines.len());
    let met = range.filter(|at| lines[*at].len() <= MAX_LINE_BYTES).map(|at| (at, weights.find_words(&lines[at])));
    met.filter(|(_, met)| !met.is_empty())
}

impl<'s> LineFinder<'s> {
    /// Takes the words of a question.
    pub fn new(snapshot: &'s Snapshot, question: &str) -> Self {
        Self { snapshot, weights: Weights::new(snapshot, &Query::parse(question)), files: FxHashMap::default() }
    }

    /// Lines of a node and of the comments above it that meet words which neither `told` nor another of them has, by
    /// number: those that together weigh most, `most` at most. None where the file cannot be read.
    pub fn lines_of(&mut self, node: NodeIx, told: &str, most: usize) -> Vec<MatchingLine> {
        let path = self.snapshot.graph().path(node);
        let lines = self.files.entry(path.to_owned()).or_insert_with(|| read_lines(self.snapshot, path));
        let met: Vec<_> = lines_met(self.snapshot, &self.weights, lines, node).collect();
        let mut known = self.weights.find_words(told);
        let mut chosen: Vec<usize> = Vec::new();
        let mut best = 0.0;
        while chosen.len() < most {
            let weigh = |words: &FxHashSet<&str>| -> f64 {
                let weight = |word: &&str| self.weights.0[*word] * if known.contains(word) { AGAIN } else { 1.0 };
                words.iter().map(weight).sum()
            };
            // A line that only repeats words says nothing new.
            let rest = met.iter().filter(|(_, words)| words.iter().any(|word| !known.contains(word)));
            let valued = rest.map(|(at, words)| (weigh(words), *at, words));
            let Some((value, at, words)) = valued.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))) else {
                break;
            };
            if value < best * LEAST_SHARE || value <= 0.0 {
                break;
            }
            best = value.max(best);
            known.extend(words.iter().copied());
            chosen.push(at);
        }
        chosen.sort_unstable();
        let line = |at: usize| MatchingLine { line: at as u32 + 1, text: lines[at].trim().to_owned() };
        chosen.into_iter().map(line).collect()
    }
}

impl LineFinder<'_> {
    /// The line where a node begins, the lines of it and of the comments above with their numbers, and the weight of
    /// the words of the question in each.
    pub(in crate::retrieval) fn weigh_lines(&mut self, node: NodeIx) -> (u32, Vec<(u32, String)>, Vec<f64>) {
        let graph = self.snapshot.graph();
        let path = graph.path(node);
        let lines = self.files.entry(path.to_owned()).or_insert_with(|| read_lines(self.snapshot, path));
        let (defined, last) = graph.lines(node);
        let first = first_of(lines, defined.max(1));
        let range = (first as usize - 1)..(last.min(first.saturating_add(MAX_LINES)) as usize).min(lines.len());
        let code: Vec<(u32, String)> = range.map(|at| (at as u32 + 1, lines[at].clone())).collect();
        let weigh = |text: &String| match text.len() <= MAX_LINE_BYTES {
            true => self.weights.find_words(text).iter().map(|word| self.weights.0[*word]).sum(),
            false => 0.0,
        };
        let weights = code.iter().map(|(_, text)| weigh(text)).collect();
        (defined, code, weights)
    }
}

/// The lines of a file as it is on the disk; none if it cannot be read or its content is withheld.
fn read_lines(snapshot: &Snapshot, path: &str) -> Vec<String> {
    let path = RepoPath::new(path).ok().filter(|path| snapshot.check_withheld(path).is_none());
    let source = path.and_then(|path| snapshot.read_file(&path).ok()).filter(|source| !source.binary);
    source.map_or_else(Vec::new, |source| source.text.lines().map(str::to_owned).collect())
}

/// The first line of the comments, attributes and decorators that stand directly above a definition.
fn first_of(lines: &[String], definition: u32) -> u32 {
    const STARTS: &[&str] = &["//", "/*", "*", "#", "@", "--", "\"\"\""];
    let mut first = definition.min(lines.len().max(1) as u32);
    while first > 1 && definition - first < MAX_ABOVE {
        let above = lines[first as usize - 2].trim_start();
        if !STARTS.iter().any(|start| above.starts_with(start)) {
            break;
        }
        first -= 1;
    }
    first
}
