use m1nd_base::{Cancel, Cancelled, EdgeTier, NodeKind, Relation};
use m1nd_graph::{NodeFlags, NodeIx};
use m1nd_search::{FIELDS, Filter, Hit, Index, Query};

use crate::Language;
use crate::snapshot::Snapshot;

/// Lexical candidates that are ranked with the graph; more than any page holds.
const CANDIDATES: usize = 1_000;
/// Share of a score that importance in the graph can add.
const PRIOR_SHARE: f64 = 0.25;
/// What test code keeps of its score when the question is not about tests.
const TEST_SHARE: f64 = 0.6;
/// What files keep that are no code (prose, data, licences).
const TEXT_SHARE: f64 = 0.6;
/// What an entry gains in a file that the question names.
const PATH_GAIN: f64 = 1.4;
/// What parts (fields, variables, variants) keep: their owner is the better place to start.
const PART_SHARE: f64 = 0.85;
/// Neighbours looked at for each row.
const NEIGHBOURS: usize = 400;
/// Connections of each row.
const CONNECTIONS: usize = 4;
/// Longest summary, in bytes.
const SUMMARY_BYTES: usize = 240;

/// A question for code by what it is about.
#[derive(Debug, Clone, Default)]
pub struct SeekQuery {
    /// Words, names, paths.
    pub text: String,
    /// Folder or file it is limited to, as [`Snapshot::scope`] gives it.
    pub scope: String,
    /// Kinds to find; all if empty.
    pub kinds: Vec<NodeKind>,
    /// Rows with a lower score are left out, 0 to 1.
    pub min_score: f64,
    /// Whether importance in the graph counts.
    pub graph_rerank: bool,
}

/// A node that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct SeekRow {
    /// Which.
    pub node: NodeIx,
    /// Its rank value, 0 to 1.
    pub score: f64,
    /// Words alone, 0 to 1.
    pub lexical: f64,
    /// Importance in the graph, 0 to 1.
    pub prior: f64,
    /// Field that brought most of the lexical score: `name`, `owner`, `signature`, `doc`, `path`, `body`.
    pub best_field: &'static str,
    /// Words of the question that it meets.
    pub matched: Vec<String>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SeekAnswer {
    /// Rows, best first; at most [`SeekAnswer::MAX_ROWS`].
    pub rows: Vec<SeekRow>,
    /// Nodes that meet any word.
    pub candidates: usize,
    /// More nodes meet a word than were ranked: the number of rows is a lower bound.
    pub is_cut: bool,
    /// Rows left out for their score.
    pub below_min_score: usize,
    /// Nodes that were looked at.
    pub scanned: usize,
    /// Words that were looked for.
    pub words: Vec<String>,
    /// Words of the question that no found row meets.
    pub unmatched: Vec<String>,
}

impl SeekAnswer {
    /// Most rows that one question gives.
    pub const MAX_ROWS: usize = CANDIDATES;
}

/// An edge of a found node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connection {
    /// The other end.
    pub node: NodeIx,
    /// What the edge says.
    pub relation: Relation,
    /// The edge starts at the found node.
    pub outgoing: bool,
    /// How sure it is.
    pub tier: EdgeTier,
}

impl Snapshot {
    /// Nodes by what they are about: words in names, headers, comments, paths and bodies, then importance in the graph.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn seek(&self, query: &SeekQuery, cancel: &Cancel) -> Result<SeekAnswer, Cancelled> {
        seek(self, &self.search.index, query, cancel)
    }

    /// The most telling edges of a node: no containment, sure ones first, then by the importance of the other end.
    pub fn connections(&self, node: NodeIx) -> Vec<Connection> {
        let graph = self.graph();
        let out = graph.out_edges(node).take(NEIGHBOURS).map(|edge| (edge.to, edge.relation, true, edge.tier));
        let into = graph.in_edges(node).take(NEIGHBOURS).map(|edge| (edge.from, edge.relation, false, edge.tier));
        let mut found: Vec<Connection> = out
            .chain(into)
            .filter(|(other, relation, ..)| *relation != Relation::Contains && *other != node)
            .map(|(node, relation, outgoing, tier)| Connection { node, relation, outgoing, tier })
            .collect();
        found.sort_by(|a, b| {
            let rank = |row: &Connection| graph.pagerank(row.node);
            let key = |row: &Connection| (row.tier, !row.outgoing);
            key(a).cmp(&key(b)).then(rank(b).total_cmp(&rank(a))).then_with(|| graph.id(a.node).cmp(graph.id(b.node)))
        });
        let mut seen = Vec::new();
        found.retain(|row| {
            !seen.contains(&row.node) && {
                seen.push(row.node);
                seen.len() <= CONNECTIONS
            }
        });
        found
    }

    /// What a node is for, in a sentence: the start of its doc comment, else its header; empty if it has neither.
    pub fn summary(&self, node: NodeIx) -> String {
        let doc = self.graph().doc(node);
        let text = if doc.is_empty() { self.graph().signature(node) } else { first_sentence(doc) };
        let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
        folded[..folded.floor_char_boundary(SUMMARY_BYTES)].to_owned()
    }
}

fn first_sentence(text: &str) -> &str {
    let paragraph = text.split("\n\n").next().unwrap_or(text);
    paragraph.find(". ").or_else(|| paragraph.find(".\n")).map_or(paragraph, |end| &paragraph[..=end])
}

pub(super) fn seek(
    snapshot: &Snapshot,
    index: &Index,
    query: &SeekQuery,
    cancel: &Cancel,
) -> Result<SeekAnswer, Cancelled> {
    let parsed = Query::parse(&query.text);
    let kinds = query.kinds.iter().fold(0u64, |mask, kind| mask | 1 << (*kind as u8));
    let filter = Filter {
        scope: Some(query.scope.as_str()).filter(|scope| !scope.is_empty()),
        kinds: Some(kinds).filter(|kinds| *kinds != 0),
    };
    let found = index.search(&parsed, CANDIDATES, &filter, cancel)?;
    let about_tests = parsed.terms.iter().any(|term| term.counts && term.text.starts_with("test"));
    let mut rows: Vec<SeekRow> =
        found.hits.iter().filter_map(|hit| row(snapshot, hit, &parsed, query, about_tests)).collect();
    rows.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| snapshot.graph().id(a.node).cmp(snapshot.graph().id(b.node)))
    });
    let before = rows.len();
    rows.retain(|row| row.score >= query.min_score);
    let words: Vec<String> = parsed.terms.iter().filter(|term| term.counts).map(|term| term.text.clone()).collect();
    let unmatched = words.iter().filter(|word| !rows.iter().any(|row| row.matched.contains(word))).cloned().collect();
    Ok(SeekAnswer {
        below_min_score: before - rows.len(),
        rows,
        candidates: found.candidates,
        is_cut: found.candidates > CANDIDATES,
        scanned: found.scanned,
        words,
        unmatched,
    })
}

/// From the open scale of the index to 0 to 1, without ties at the top: half of what all words could bring gives 0.55.
fn bounded(relative: f64) -> f64 {
    1.0 - (-1.6 * relative.max(0.0)).exp()
}

fn row(snapshot: &Snapshot, hit: &Hit, parsed: &Query, query: &SeekQuery, about_tests: bool) -> Option<SeekRow> {
    let node = snapshot.graph().find(&hit.id)?;
    let prior = snapshot.prior(node);
    let mut score = hit.relative;
    if query.graph_rerank {
        score *= 1.0 - PRIOR_SHARE + PRIOR_SHARE * prior;
        let is_test = snapshot.graph().flags(node).has(NodeFlags::TEST);
        score *= if is_test && !about_tests { TEST_SHARE } else { 1.0 };
        let file = snapshot.file_of(node).filter(|_| snapshot.graph().kind(node) == NodeKind::File);
        let is_text = file.is_some_and(|file| file.language == Language::Text);
        score *= if is_text && query.kinds.is_empty() { TEXT_SHARE } else { 1.0 };
        let is_part = matches!(
            snapshot.graph().kind(node),
            NodeKind::Field | NodeKind::Variable | NodeKind::Variant | NodeKind::Constant
        );
        score *= if is_part && query.kinds.is_empty() { PART_SHARE } else { 1.0 };
    }
    let named = |path: &String| hit.path == *path || hit.path.ends_with(&format!("/{path}"));
    score *= if parsed.paths.iter().any(named) { PATH_GAIN } else { 1.0 };
    let best = hit.fields.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(field, _)| field);
    let terms = parsed.terms.iter().enumerate().filter(|(number, term)| term.counts && hit.matched >> number & 1 == 1);
    Some(SeekRow {
        node,
        score: bounded(score),
        lexical: bounded(hit.relative),
        prior,
        best_field: FIELDS.get(best).map_or("name", |settings| settings.field.word()),
        matched: terms.map(|(_, term)| term.text.clone()).collect(),
    })
}
