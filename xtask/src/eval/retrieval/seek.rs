//! `cargo xtask eval seek`: retrieves functions by the descriptions that people wrote of them.
//!
//! Samples functions with a doc comment evenly over each repository, removes the comments in a copy, indexes the
//! copy, and passes the first sentence of each to `seek`. Measures the rank of the function among the symbols of the
//! answer, and of its file; with vectors and without. `seek` was not fitted to these rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use m1nd_base::{Cancel, NoProgress, NodeKind};
use m1nd_engine::{Engine, EngineConfig, IngestRequest, Snapshot};
use m1nd_query::retrieval::SeekQuery;
use tempfile::TempDir;

use super::localize::Row;
use super::localize::score::{self, Outcomes, RowResult};
use crate::Outcome;
use crate::eval::arguments::Arguments;

/// Functions sampled per repository.
const PICKED: usize = 150;
/// Minimum and maximum number of words of a description.
const WORDS: std::ops::RangeInclusive<usize> = 5..=30;
/// Lines above a function that are searched for its comment.
const ABOVE: usize = 60;

pub(in crate::eval) fn run(args: &[String]) -> Outcome<()> {
    let arguments = Arguments::parse(args, &["--repo"])?;
    let repo = arguments.folder("--repo")?.canonicalize()?;
    let name = repo.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (home, copy) = (TempDir::new()?, TempDir::new()?);
    let engine = open_indexed(home.path(), &repo)?;
    let root = copy.path().canonicalize()?;
    let rows = pick(&engine.snapshot(), &name, &repo, &root)?;
    drop(engine);
    let home = TempDir::new()?;
    let engine = open_indexed(home.path(), &root)?;
    for without_vectors in [true, false] {
        let results = rows.iter().map(|row| ask(row, &engine.snapshot(), without_vectors).map(Some));
        let results = results.collect::<Outcome<Vec<_>>>()?;
        let outcomes = Outcomes::of(&rows, &results);
        println!("{name}{}\n{}", if without_vectors { " without vectors" } else { "" }, outcomes.table());
        for (row, result) in rows.iter().zip(results.iter().flatten()).filter(|_| arguments.explain > 0) {
            if result.best_rank() != Some(1) {
                super::localize::explain(row, result, arguments.explain);
            }
        }
        if !without_vectors {
            score::keep(&outcomes, "seek", &name, arguments.keep)?;
        }
    }
    Ok(())
}

fn open_indexed(home: &Path, root: &Path) -> Outcome<Engine> {
    let engine = Engine::open(EngineConfig::new(home.to_owned(), vec![root.to_owned()]))?;
    engine.ingest(IngestRequest::code(root), &Cancel::new(), &NoProgress)?;
    Ok(engine)
}

/// Samples the rows of a repository; `copy` receives its files without their comments.
fn pick(snapshot: &Snapshot, name: &str, repo: &Path, copy: &Path) -> Outcome<Vec<Row>> {
    let graph = snapshot.graph();
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for node in graph.nodes().filter(|node| graph.kind(*node) == NodeKind::Function) {
        let sentence = sentence(graph.doc(node));
        let fits = WORDS.contains(&sentence.split_whitespace().count());
        let is_test = snapshot.files().by_text(graph.path(node)).is_none_or(|file| file.is_test);
        if fits && !is_test && seen.insert(sentence.clone()) {
            all.push((graph.id(node).to_owned(), node, sentence));
        }
    }
    all.sort();
    let step = (all.len() / PICKED).max(1);
    let mut comments: BTreeMap<&str, Vec<(usize, usize, &str)>> = BTreeMap::new();
    let mut rows = Vec::new();
    for (id, node, sentence) in all.into_iter().step_by(step).take(PICKED) {
        let (first, last) = graph.lines(node);
        let around = ((first as usize).saturating_sub(ABOVE), last as usize);
        comments.entry(graph.path(node)).or_default().push((around.0, around.1, graph.doc(node)));
        rows.push(Row::new_row(id, name, sentence, graph.path(node), (graph.label(node), first, last)));
    }
    for file in snapshot.files().iter() {
        let (from, to) = (repo.join(file.path.as_str()), copy.join(file.path.as_str()));
        fs::create_dir_all(to.parent().unwrap_or(copy))?;
        let bytes = fs::read(&from)?;
        match (comments.get(file.path.as_str()), std::str::from_utf8(&bytes)) {
            (Some(comments), Ok(text)) => fs::write(&to, without(text, comments))?,
            _ => fs::write(&to, &bytes)?,
        }
    }
    Ok(rows)
}

/// The first sentence of a comment, on one line.
fn sentence(doc: &str) -> String {
    let paragraph = doc.split("\n\n").next().unwrap_or(doc);
    let folded = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    folded.split(". ").next().unwrap_or(&folded).to_owned()
}

/// A text with the lines of comments blanked, so that line numbers stay. Each comment has its line range.
fn without(text: &str, comments: &[(usize, usize, &str)]) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    for (first, last, doc) in comments {
        for said in doc.lines().map(str::trim).filter(|said| said.len() > 2) {
            let range = *first..(*last).min(lines.len());
            for line in lines.get_mut(range).unwrap_or_default() {
                *line = line.replace(said, "");
            }
        }
    }
    lines.join("\n")
}

fn ask(row: &Row, snapshot: &Snapshot, without_vectors: bool) -> Outcome<RowResult> {
    let query = SeekQuery { text: row.query.clone(), graph_rerank: true, without_vectors, ..SeekQuery::default() };
    super::localize::rank(row, snapshot, &query)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_taken_out_and_lines_stay() {
        let text = "# other\n# Keeps users.\n# For long.\ndef keep(x):\n    return x\n";
        assert_eq!(
            without(text, &[(0, 5, "Keeps users.\nFor long.")]),
            "# other\n# \n# \ndef keep(x):\n    return x\n"
        );
        assert_eq!(sentence("Keeps the users of\na shop. For long.\n\nMore."), "Keeps the users of a shop");
    }
}
