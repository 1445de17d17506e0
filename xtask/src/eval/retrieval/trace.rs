//! `cargo xtask eval trace`: stack traces from issues, and the files changed by the fixes.
//!
//! Rows, checkouts and measures are those of `localize`; files are ranked by the first suspect in them that `trace`
//! returns. The baseline is the files of the frames alone, innermost first, with test code last. For rows whose text
//! is the message of the fix, only the traces are used: the rest describes the fault.

use std::path::Path;

use m1nd_base::{Cancel, NodeKind};
use m1nd_engine::Snapshot;
use m1nd_query::analysis::trace::trace;
use m1nd_query::analysis::trace::{TraceAnswer, TraceQuery};

use super::localize::score::{self, Outcomes, RowResult};
use super::localize::{self, Request, Row};
use crate::Outcome;

/// Number of ranked suspects.
const SUSPECTS: usize = 300;
/// Maximum length of a fix message that is searched for traces, in bytes.
const MAX_MESSAGE: usize = 20_000;

pub(in crate::eval) fn run(args: &[String]) -> Outcome<()> {
    let request = Request::parse(args)?;
    for file in &request.rows {
        let name = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let rows = rows_of(&request, file)?;
        let results = localize::for_each_row(&request, &rows, ask)?;
        for (row, result) in rows.iter().zip(&results) {
            let missed = result.as_ref().filter(|(suspects, _)| suspects.best_rank() != Some(1));
            if let Some((suspects, _)) = missed.filter(|_| request.explain > 0) {
                localize::explain(row, suspects, request.explain);
            }
        }
        let (suspects, frames): (Vec<_>, Vec<_>) = results.into_iter().map(Option::unzip).unzip();
        let frames = Outcomes::of(&rows, &frames);
        println!("{name}: files of frames, innermost first\n{}", frames.table());
        let outcomes = Outcomes::of(&rows, &suspects);
        println!("{name}: suspects\n{}", outcomes.table());
        score::keep(&outcomes, "trace", &name, request.keep)?;
    }
    Ok(())
}

/// The rows of a file that contain a trace.
pub(in crate::eval) fn rows_of(request: &Request, file: &Path) -> Outcome<Vec<Row>> {
    let mut rows = request.rows_of_texts(file, MAX_MESSAGE)?;
    for row in rows.iter_mut().filter(|row| row.is_of_repair) {
        row.query = traces_of(&row.query);
    }
    rows.retain(|row| !row.query.is_empty());
    Ok(rows)
}

/// The lines of a text from which its traces were parsed.
fn traces_of(text: &str) -> String {
    let found = m1nd_trace::parse(text, None).traces;
    let is_inside = |line: u32| found.iter().any(|trace| trace.text_lines.0 <= line && line <= trace.text_lines.1);
    let numbered = text.lines().zip(1u32..);
    let kept: Vec<&str> = numbered.filter(|(_, number)| is_inside(*number)).map(|(line, _)| line).collect();
    kept.join("\n")
}

pub(in crate::eval) fn query_of(row: &Row, max_suspects: usize) -> TraceQuery {
    TraceQuery { text: row.query.clone(), format: None, window_hours: 24.0, max_suspects }
}

fn ask(row: &Row, snapshot: &Snapshot) -> Outcome<(RowResult, RowResult)> {
    let found = trace(snapshot, &query_of(row, SUSPECTS), &Cancel::new())?;
    let graph = snapshot.graph();
    let mut suspects = RowResult::new(row);
    for suspect in &found.suspects {
        suspects.add_file(graph.path(suspect.node));
        if graph.kind(suspect.node) != NodeKind::File {
            suspects.add_symbol(graph.path(suspect.node), graph.label(suspect.node), graph.lines(suspect.node));
        }
    }
    Ok((suspects, frames(row, snapshot, &found)))
}

fn frames(row: &Row, snapshot: &Snapshot, found: &TraceAnswer) -> RowResult {
    let mut result = RowResult::new(row);
    let is_test = |path: &str| snapshot.files().by_text(path).is_some_and(|file| file.is_test);
    let paths = || found.iter_mapped().map(|(_, place)| place.path.as_str());
    for path in paths().filter(|path| !is_test(path)).chain(paths()) {
        result.add_file(path);
    }
    result
}
