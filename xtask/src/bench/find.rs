//! `cargo xtask bench find [--write] PATH...`: indexes each PATH from nothing, then asks `seek`, `activate` and `search` many
//! questions and prints how long they took, how much of the ingest the search index was, and how large it is.
//!
//! Questions are first sentences of doc comments and names of symbols, picked evenly over the index: the same for the same
//! tree. Build with `--release`; the first questions of each kind, which load what is mapped, are not counted.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

use m1nd_base::{Cancel, NoProgress, NodeKind};
use m1nd_engine::retrieval::{ActivateQuery, GrepOptions, GrepQuery, SeekQuery};
use m1nd_engine::{Engine, EngineConfig, IngestRequest, Snapshot};

use crate::{Outcome, percentile};

/// Where `--write` puts the table.
const RESULTS: &str = "benches/find.md";
/// What the page says before and after the name of the processor.
const ABOUT: [&str; 2] = [
    "# Finding\n\nMade by `cargo xtask bench find --write PATH...` (built with `--release`) on ",
    ". Milliseconds of one question after the\nfirst few, middle / 95 of 100; on a machine that others use, too, they are upper \
     bounds. Entries are what can be found; \"index\"\nis the search index: its share of the wall time of a cold ingest, and its \
     words and vectors against the indexed source. Meant are\n15 / 40 ms for `seek` and 10 ms for `activate` on 100 000 entries, at \
     most 30 % of the ingest and 60 % of the source.\n\n",
];
/// The head of the table.
const HEAD: &str = "| Tree | Entries | `seek` sentence | `seek` name | `seek` without vectors | `activate` | `search` text | \
                    index: share of ingest | words, % of source | vectors, % of source |\n\
                    |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
/// Questions of each kind.
const QUESTIONS: usize = 60;
/// Questions before the clock counts.
const FIRST: usize = 5;
/// Words of a question, at most.
const WORDS: usize = 12;

pub(super) fn run(paths: &[String], writes: bool) -> Outcome<()> {
    let mut rows = String::new();
    for path in paths {
        let path = fs::canonicalize(path).map_err(|error| format!("{path}: {error}"))?;
        let home = tempfile::tempdir()?;
        let row = measure(&path, home.path())?;
        println!("{row}");
        rows += &row;
    }
    if writes {
        let page = format!("{}{}{HEAD}{rows}", ABOUT[0], super::processor() + ABOUT[1]);
        fs::create_dir_all("benches")?;
        fs::write(RESULTS, page)?;
    }
    Ok(())
}

fn measure(path: &Path, home: &Path) -> Outcome<String> {
    let engine = Engine::open(EngineConfig::new(home.to_owned(), vec![path.to_owned()]))?;
    let report = engine.ingest(IngestRequest::code(path), &Cancel::new(), &NoProgress)?;
    let all: f64 = report.stages.iter().map(|(_, ms)| ms).sum();
    let indexing: f64 = report.stages.iter().filter(|(name, _)| *name == "indexing").map(|(_, ms)| ms).sum();
    let snapshot = engine.snapshot();
    let (words, vectors) = snapshot.index_bytes();
    let source: u64 = snapshot.files().iter().map(|file| file.size).sum();
    let percent = |bytes: usize| 100.0 * bytes as f64 / source.max(1) as f64;
    let (sentences, names) = questions(&snapshot);
    let seek = |without: bool| {
        let snapshot = &snapshot;
        move |text: &str| {
            let query = SeekQuery {
                text: text.to_owned(),
                graph_rerank: true,
                without_vectors: without,
                ..SeekQuery::default()
            };
            snapshot.seek(&query, &Cancel::new()).map(drop).map_err(Into::into)
        }
    };
    let activate = |text: &str| {
        let query = ActivateQuery {
            text: text.to_owned(),
            dimensions: Vec::new(),
            above_chance: true,
            ghost_edges: false,
            structural_holes: false,
            max_rows: 100,
        };
        snapshot.activate(&query, &Cancel::new()).map(drop).map_err(Into::into)
    };
    let search = |text: &str| {
        let query = GrepQuery {
            options: GrepOptions { pattern: text.to_owned(), ..GrepOptions::default() },
            ..GrepQuery::default()
        };
        snapshot.grep(&query, &Cancel::new()).map(drop).map_err(|error| format!("{error:?}").into())
    };
    let mut row =
        format!("| {} | {} |", path.file_name().unwrap_or_default().to_string_lossy(), snapshot.index().len());
    for cell in [
        times(&sentences, seek(false))?,
        times(&names, seek(false))?,
        times(&sentences, seek(true))?,
        times(&sentences, activate)?,
        times(&names, search)?,
    ] {
        write!(row, " {cell} |")?;
    }
    let (words, vectors) = (percent(words), percent(vectors));
    writeln!(row, " {:.0} % | {words:.0} | {vectors:.0} |", 100.0 * indexing / all)?;
    Ok(row)
}

/// Middle and 95th of 100 times of one question, in milliseconds.
fn times(questions: &[String], ask: impl Fn(&str) -> Outcome<()>) -> Outcome<String> {
    let mut taken = Vec::new();
    for (number, text) in questions.iter().enumerate() {
        let start = Instant::now();
        ask(text)?;
        if number >= FIRST {
            taken.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    taken.sort_by(f64::total_cmp);
    Ok(format!("{:.1} / {:.1}", percentile(&taken, 0.5), percentile(&taken, 0.95)))
}

/// Sentences of doc comments and names, picked evenly.
fn questions(snapshot: &Snapshot) -> (Vec<String>, Vec<String>) {
    let graph = snapshot.graph();
    let (mut sentences, mut names) = (Vec::new(), Vec::new());
    for node in graph
        .nodes()
        .filter(|node| matches!(graph.kind(*node), NodeKind::Function | NodeKind::Class | NodeKind::Struct))
    {
        let words: Vec<&str> = graph.doc(node).split_whitespace().take(WORDS).collect();
        if words.len() >= 4 {
            sentences.push(words.join(" "));
        }
        names.push(graph.label(node).to_owned());
    }
    let pick = |all: Vec<String>| {
        let step = (all.len() / (QUESTIONS + FIRST)).max(1);
        all.into_iter().step_by(step).take(QUESTIONS + FIRST).collect()
    };
    (pick(sentences), pick(names))
}
