//! The values by which the nodes of a map are coloured.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, Cancelled, EdgeTier};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx};
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::tree::{Content, MapTree};
use crate::layers::{Layering, LayersQuery, declaration, files};
use crate::risk::{self, PanoramaQuery, panorama};

/// Days after which a commit counts half.
const CHURN_HALF_LIFE: f64 = 90.0;

/// What the colour of a node shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// Its layer, declared or inferred.
    Layer,
    /// Recent commits of the file in it that changes most, as a share of the most of any file.
    Churn,
    /// Combined risk of the riskiest file.
    Risk,
    /// Share of its references whose target is certain.
    Tier,
    /// The language of most of its lines.
    Language,
}

impl Color {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Layer, Self::Churn, Self::Risk, Self::Tier, Self::Language];

    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Layer => "layer",
            Self::Churn => "churn",
            Self::Risk => "risk",
            Self::Tier => "tier",
            Self::Language => "language",
        }
    }

    /// The value with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|color| color.word() == word)
    }
}

/// The value of a node.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ColorValue {
    /// On a scale.
    Number(f64),
    /// One of some words.
    Word(String),
}

/// What the values mean.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Legend {
    /// The word of the [`Color`].
    pub by: &'static str,
    /// The words that occur: layers from the top, languages by lines. Empty for numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The least and the largest number that occur.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<(f64, f64)>,
    /// What could not be told, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
}

/// The values of files.
enum Values {
    /// The largest of the content decides.
    Heat(FxHashMap<NodeIx, f64>),
    /// The word of most lines decides. The words are in the order of the legend, if they have one.
    Words(FxHashMap<NodeIx, String>, Option<Vec<String>>),
    /// Shares of references that are certain, of symbols too: certain ones and all.
    Shares,
}

/// For each place of `shown`, its value.
pub(super) fn find_values(
    snapshot: &Snapshot,
    tree: &MapTree,
    (color, representative, shown): (Color, &[Option<usize>], &[usize]),
    cancel: &Cancel,
) -> Result<(FxHashMap<usize, ColorValue>, Legend), Cancelled> {
    let mut legend = Legend { by: color.word(), words: Vec::new(), range: None, gaps: Vec::new() };
    let values = read_values(snapshot, color, &mut legend.gaps, cancel)?;
    let graph = snapshot.graph();
    // What stands for each file or symbol: what contains it, or, where its file is open, the file for its symbols.
    let mut found: FxHashMap<usize, ColorValue> = FxHashMap::default();
    let nodes = tree.content.iter().enumerate().filter_map(|(at, content)| match content {
        Content::Node(node) => Some((at, *node)),
        Content::Folder { .. } => None,
    });
    match values {
        Values::Heat(by_file) => {
            for (at, node) in nodes {
                let value = graph.file(node).and_then(|file| by_file.get(&file));
                if let (Some(place), Some(value)) = (representative[at], value) {
                    let row = found.entry(place).or_insert(ColorValue::Number(*value));
                    if let ColorValue::Number(most) = row {
                        *most = most.max(*value)
                    }
                }
            }
        }
        Values::Words(by_file, order) => {
            let words = nodes.filter_map(|(at, node)| {
                let word = graph.file(node).and_then(|file| by_file.get(&file))?;
                Some((representative[at]?, word.as_str(), tree.tree.weights[at]))
            });
            let (values, known) = choose_words(words);
            (found, legend.words) = (values, order.unwrap_or(known));
        }
        Values::Shares => {
            let mut counts: FxHashMap<usize, (u64, u64)> = FxHashMap::default();
            for (at, node) in nodes {
                if let Some(place) = representative[at] {
                    let (certain, all) = count_references(graph, node);
                    let row = counts.entry(place).or_default();
                    (row.0, row.1) = (row.0 + certain, row.1 + all);
                }
            }
            let known = counts.into_iter().filter(|(_, (_, all))| *all > 0);
            found =
                known.map(|(place, (certain, all))| (place, ColorValue::Number(certain as f64 / all as f64))).collect();
        }
    }
    for place in shown {
        if let Some(ColorValue::Number(value)) = found.get(place) {
            let (least, most) = legend.range.unwrap_or((*value, *value));
            legend.range = Some((least.min(*value), most.max(*value)));
        }
    }
    Ok((found, legend))
}

/// For each place the word with the largest weight, and all words, the largest first.
fn choose_words<'w>(rows: impl Iterator<Item = (usize, &'w str, f64)>) -> (FxHashMap<usize, ColorValue>, Vec<String>) {
    let mut weights: FxHashMap<usize, BTreeMap<&str, f64>> = FxHashMap::default();
    let mut all: BTreeMap<&str, f64> = BTreeMap::new();
    for (place, word, weight) in rows {
        *weights.entry(place).or_default().entry(word).or_default() += weight;
        *all.entry(word).or_default() += weight;
    }
    let choose = |(place, words): (usize, BTreeMap<&str, f64>)| {
        let most = words.iter().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0)))?;
        Some((place, ColorValue::Word((*most.0).to_owned())))
    };
    let chosen = weights.into_iter().filter_map(choose).collect();
    let mut words: Vec<(&str, f64)> = all.into_iter().collect();
    words.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    (chosen, words.into_iter().map(|(word, _)| word.to_owned()).collect())
}

/// References of one node whose target is certain, and all inside the roots.
fn count_references(graph: &Graph, node: NodeIx) -> (u64, u64) {
    let (mut certain, mut all) = (0, graph.unresolved_of(node).count() as u64);
    for edge in graph.out_edges(node).filter(|edge| edge.relation.is_structure() && edge.tier != EdgeTier::External) {
        certain += u64::from(edge.tier == EdgeTier::Certain);
        all += 1;
    }
    (certain, all)
}

fn read_values(
    snapshot: &Snapshot,
    color: Color,
    gaps: &mut Vec<String>,
    cancel: &Cancel,
) -> Result<Values, Cancelled> {
    let graph = snapshot.graph();
    let entries = || snapshot.files().iter().filter_map(|file| Some((graph.find_file(file.path.as_str())?, file)));
    // Tier is of symbols; all others are of files.
    Ok(match color {
        Color::Language => {
            Values::Words(entries().map(|(node, file)| (node, file.language.name().to_owned())).collect(), None)
        }
        Color::Tier => Values::Shares,
        Color::Layer => {
            let declared = declaration(snapshot).unwrap_or_else(|error| {
                gaps.push(error.to_string());
                None
            });
            let files = files(snapshot, cancel)?;
            let layering = Layering::of(snapshot, &files, declared.as_ref(), &LayersQuery::default(), cancel)?;
            let name =
                |(node, level): (&NodeIx, &Option<usize>)| Some((*node, layering.layers[(*level)?].name.clone()));
            let by_file = files.nodes.iter().zip(&layering.levels).filter_map(name).collect();
            Values::Words(by_file, Some(layering.layers.iter().map(|layer| layer.name.clone()).collect()))
        }
        Color::Churn => {
            let history = snapshot.history_at_hand(cancel);
            gaps.extend(history.gaps().iter().cloned());
            let churn = |path: &str| history.file(path).map(|file| file.decayed_commits(CHURN_HALF_LIFE));
            let mut by_file: FxHashMap<NodeIx, f64> =
                entries().filter_map(|(node, file)| Some((node, churn(file.path.as_str())?))).collect();
            let most = by_file.values().copied().fold(0.0, f64::max);
            by_file.values_mut().for_each(|value| *value /= most.max(f64::MIN_POSITIVE));
            Values::Heat(by_file)
        }
        Color::Risk => {
            let history = snapshot.history_at_hand(cancel);
            let query = PanoramaQuery { half_life: risk::HALF_LIFE, least: risk::LEAST, ..PanoramaQuery::default() };
            let found = panorama(snapshot, &history, &query, cancel)?;
            gaps.extend(found.gaps);
            Values::Heat(found.files.iter().filter_map(|row| Some((row.node, row.combined?))).collect())
        }
    })
}
