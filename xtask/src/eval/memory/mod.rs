//! `cargo xtask eval memory`: retrieval of memories by other people's descriptions of the same; and whether gotchas
//! are shown when they are due.
//!
//! A row is a question with the memories that answer it. A memory is found at the rank of itself or of the one it was
//! folded into. Overlap is the share of the question's words that the memory contains; rows below [`LOW_OVERLAP`] can
//! hardly be answered by words. Memories have no dates here: the date of a memory is that of its commit, which would
//! give the answer away.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Instant;

use m1nd_memory::{Kind, Recall, RecallHit, RecallQuery, Record, RecordId, Source, SourceKind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use super::golden::{Keep, keep};
use super::golden_folder;
use super::localize::score::{Measure, measure};
use crate::{Outcome, percentile};

mod gotchas;
mod words_alone;

/// Word overlap below which rows are reported separately.
const LOW_OVERLAP: f64 = 0.3;
/// Number of answers considered.
const DEPTH: usize = 100;
/// Maximum characters of a title.
const TITLE: usize = 120;

#[derive(Deserialize)]
struct MemoryRow {
    id: String,
    path: String,
    text: String,
}

#[derive(Deserialize)]
struct QueryRow {
    query: String,
    gold: Vec<String>,
    overlap: f64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct RecallResult {
    memories: usize,
    queries: usize,
    recall: BTreeMap<String, Measure>,
    /// Plain BM25.
    words_alone: BTreeMap<String, Measure>,
}

pub(super) fn run(args: &[String]) -> Outcome<()> {
    let arguments = Arguments::parse(args, &["--memories", "--queries"])?;
    recall(&arguments)?;
    let result = gotchas::measure_cases(arguments.explain);
    println!("gotchas\n{}", gotchas::table(&result));
    keep_as("gotchas", &result, arguments.keep)
}

fn recall(arguments: &Arguments) -> Outcome<()> {
    let path = arguments.folder("--memories")?;
    let memories: Vec<MemoryRow> = rows(path)?;
    let queries: Vec<QueryRow> = rows(arguments.folder("--queries")?)?;
    let records: Vec<Record> = memories.iter().enumerate().map(|(number, row)| record(number, row)).collect();
    let started = Instant::now();
    let recall = Recall::new(records.into());
    let built = started.elapsed();
    let baseline = words_alone::Bm25::of(recall.records());
    let (mut ours, mut words, mut times) = (Ranks::default(), Ranks::default(), Vec::new());
    for row in &queries {
        let gold: BTreeSet<usize> =
            (0..memories.len()).filter(|number| row.gold.contains(&memories[*number].id)).collect();
        let started = Instant::now();
        let found = recall.search(&RecallQuery { limit: DEPTH, ..RecallQuery::new(&row.query) });
        times.push(started.elapsed());
        let rank = found.hits.iter().position(|hit| names(hit, &gold)).map(|at| at + 1);
        ours.add(rank, row.overlap);
        let ranked = baseline.rank_records(&row.query);
        words.add(ranked.iter().take(DEPTH).position(|number| gold.contains(number)).map(|at| at + 1), row.overlap);
        if arguments.explain > 0 && rank != Some(1) {
            println!("{:?} overlap {}: {}", rank, row.overlap, row.query);
            for hit in found.hits.iter().take(arguments.explain) {
                println!("    {:.2} {}", hit.relevance, recall.records()[hit.record].title);
            }
        }
    }
    times.sort();
    let (middle, most) = (percentile(&times, 0.5), percentile(&times, 0.95));
    println!("{} memories in {built:.0?}; a search {middle:.1?}, 95 of 100 below {most:.1?}", memories.len());
    let result = RecallResult {
        memories: memories.len(),
        queries: queries.len(),
        recall: ours.measures(),
        words_alone: words.measures(),
    };
    print(&result);
    let stem = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let name = stem.split('.').next().unwrap_or_default();
    keep_as(name, &result, arguments.keep)
}

/// Returns whether a hit names a right memory: itself, or one listed with it as saying the same.
fn names(hit: &RecallHit, gold: &BTreeSet<usize>) -> bool {
    gold.contains(&hit.record) || hit.also.iter().any(|record| gold.contains(record))
}

/// Stores a printed result, or compares it with the stored one.
fn keep_as<T: Serialize + DeserializeOwned + PartialEq>(name: &str, result: &T, kept: Keep) -> Outcome<()> {
    match kept {
        Keep::Print => Ok(()),
        kept => keep(&golden_folder("memory").join(format!("{name}.json")), result, kept),
    }
}

fn rows<T: DeserializeOwned>(path: &Path) -> Outcome<Vec<T>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let rows = text.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str);
    Ok(rows.collect::<Result<_, _>>().map_err(|error| format!("{}: {error}", path.display()))?)
}

/// Builds a record as the parser would: its first sentence is the title.
fn record(number: usize, row: &MemoryRow) -> Record {
    let first = row.text.split_once(". ").map_or(row.text.as_str(), |(first, _)| first);
    let title: String = first.chars().take(TITLE).collect();
    let source = Source { kind: SourceKind::MemoryFile, file: row.path.as_str().into(), line: 1 };
    let plain = Record::new(RecordId(number as u64), Kind::Learning, &title, source);
    Record { content: row.text.as_str().into(), ..plain }
}

/// Ranks of the first right answer, with the overlap of their rows.
#[derive(Default)]
struct Ranks(Vec<(Option<usize>, f64)>);

impl Ranks {
    fn add(&mut self, rank: Option<usize>, overlap: f64) {
        self.0.push((rank, overlap));
    }

    fn measures(&self) -> BTreeMap<String, Measure> {
        let mut measures = BTreeMap::new();
        let low: Vec<_> = self.0.iter().filter(|(_, overlap)| *overlap < LOW_OVERLAP).copied().collect();
        for (name, rows) in [("all", &self.0), ("low overlap", &low)] {
            let mut add = |what: &str, value: &dyn Fn(usize) -> f64| {
                let values: Vec<f64> = rows.iter().map(|(rank, _)| rank.map_or(0.0, value)).collect();
                measures.insert(format!("{name}: {what}"), measure(&values));
            };
            add("any@1", &|rank| f64::from(u8::from(rank <= 1)));
            add("any@5", &|rank| f64::from(u8::from(rank <= 5)));
            add("MRR", &|rank| 1.0 / rank as f64);
        }
        measures
    }
}

fn print(result: &RecallResult) {
    println!("{:<22} {:<32} words alone", "", "recall");
    for (name, measure) in &result.recall {
        let words = result.words_alone.get(name).map_or_else(String::new, ToString::to_string);
        println!("  {name:<20} {:<32} {words}", measure.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_of_ranks() {
        let mut ranks = Ranks::default();
        for (rank, overlap) in [(Some(1), 0.9), (Some(4), 0.1), (None, 0.2), (Some(2), 0.3)] {
            ranks.add(rank, overlap);
        }
        let mean = |name: &str| ranks.measures()[name].mean;
        assert_eq!((mean("all: any@1"), mean("all: any@5"), mean("all: MRR")), (0.25, 0.75, 0.4375));
        assert_eq!((mean("low overlap: any@1"), mean("low overlap: any@5")), (0.0, 0.5));
    }
}
