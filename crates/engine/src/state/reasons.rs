//! Reasons of unresolved references, counted over a snapshot.

use std::collections::BTreeMap;

use m1nd_graph::Graph;
use rustc_hash::FxHashMap;

use crate::Language;
use crate::files::FileTable;

/// Reasons of unresolved references with their number, most frequent first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reasons {
    pub(crate) all: Vec<(String, u64)>,
    pub(crate) by_language: ReasonsByLanguage,
}

pub(crate) type ReasonsByLanguage = Vec<(Language, Vec<(String, u64)>)>;

impl Reasons {
    /// Walks the whole graph.
    pub(crate) fn count(graph: &Graph, files: &FileTable) -> Self {
        let mut all: FxHashMap<&str, u64> = FxHashMap::default();
        let mut by_language: BTreeMap<Language, FxHashMap<&str, u64>> = BTreeMap::new();
        // Nodes of a file are adjacent.
        let mut last: (&str, Option<Language>) = ("", None);
        for node in graph.nodes() {
            for reference in graph.unresolved_of(node) {
                let path = graph.path(node);
                if last.0 != path {
                    last = (path, files.by_text(path).map(|file| file.language));
                }
                *all.entry(reference.reason).or_default() += 1;
                if let Some(language) = last.1 {
                    *by_language.entry(language).or_default().entry(reference.reason).or_default() += 1;
                }
            }
        }
        let by_language = by_language.into_iter().map(|(language, counts)| (language, sort_counts(counts))).collect();
        Self { all: sort_counts(all), by_language }
    }
}

fn sort_counts(counts: FxHashMap<&str, u64>) -> Vec<(String, u64)> {
    let mut rows: Vec<(String, u64)> = counts.into_iter().map(|(reason, count)| (reason.to_owned(), count)).collect();
    rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    rows
}
