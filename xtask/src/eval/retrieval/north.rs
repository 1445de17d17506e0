//! `cargo xtask eval north`: whether `north` and `focus` lead to the place that a fix changed, on the rows of
//! `eval localize`.
//!
//! A row counts as *led to* if a changed file is among the focus nodes of `north`, compared with the files of the first
//! ten rows of `seek`. The set of `focus`, of 2,000 tokens, *holds* the place if a changed function is one of its
//! nodes. How likely that is follows from `Focus::likelihood`; the least likelihood from which the set counts
//! as sufficient is chosen on the other repositories for each one on which its precision is counted. `--derive` draws
//! the calibration again from the stored judgements.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::{Engine, Snapshot};
use m1nd_mind::MindConfig;
use m1nd_query::retrieval::{Focus, SeekQuery, focus, seek_given, spread_over_files};
use m1nd_tools::{Context, Format, Reply, Services, TOOLS, text_of};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::localize::calibration::wilson;
use super::localize::{Request, Row, for_each_engine};
use crate::eval::arguments::Keep;
use crate::eval::golden_folder;
use crate::{Outcome, repository};

/// Where the calibration is that `focus` uses.
const CALIBRATION: &str = "crates/query/src/retrieval/focus_calibration.txt";
/// Matches that are considered, size of the set in bytes, least score: the defaults of `focus`.
const CONSIDERED: (usize, usize, f64) = (60, 8_000, 0.1);
/// Focus nodes of `north`, those of one file before those of the next, and rows of `seek` that they are compared with.
const SHOWN: (usize, usize, usize) = (8, 2, 10);
/// Least share of sets that hold the place where a likelihood is chosen. The lowest one that keeps a promise on a few
/// rows keeps less on others, so it is chosen with a margin over the .85 that it has to keep there.
const LEAST_PRECISION: f64 = 0.9;
/// Least number of rows from which a threshold is drawn.
const LEAST_ROWS: usize = 12;
/// Normal quantile of a two-sided 95 % interval.
const Z: f64 = 1.96;

/// What a row gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Judgement {
    id: String,
    repo: String,
    /// A changed file is among the focus nodes of `north`; among the first rows of `seek`.
    north: bool,
    seek: bool,
    /// [`Focus::likelihood`]; `None` without a confidence.
    likelihood: Option<f64>,
    /// A changed function is in the set; `None` if the index has none of the row's functions.
    holds: Option<bool>,
    /// Nodes of the set.
    nodes: usize,
    /// Tokens of `north` as text and as JSON.
    tokens: [usize; 2],
}

pub(in crate::eval) fn run(args: &[String]) -> Outcome<()> {
    if args == ["--derive"] {
        let judged = read()?;
        println!("{}", Summary(&judged));
        return Ok(fs::write(Path::new(repository()).join(CALIBRATION), calibration(&judged))?);
    }
    let request = Request::parse(args)?;
    let mut judged: Vec<Judgement> = Vec::new();
    for file in &request.rows {
        let rows = request.rows_of(file)?;
        judged.extend(for_each_engine(&request, &rows, judge)?.into_iter().flatten());
    }
    judged.sort_by(|a, b| a.id.cmp(&b.id));
    println!("{}", Summary(&judged));
    let lines: Result<Vec<String>, _> = judged.iter().map(serde_json::to_string).collect();
    let text = lines?.join("\n") + "\n";
    match request.keep {
        Keep::Print => Ok(()),
        Keep::Write => {
            fs::create_dir_all(golden_folder("north"))?;
            fs::write(judged_path(), text)?;
            Ok(fs::write(Path::new(repository()).join(CALIBRATION), calibration(&judged))?)
        }
        Keep::Check if fs::read_to_string(judged_path())? == text => Ok(()),
        Keep::Check => Err(format!("{} differs from this result", judged_path().display()).into()),
    }
}

/// The judgements of the last `--write`.
fn read() -> Outcome<Vec<Judgement>> {
    let text = fs::read_to_string(judged_path())?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn judged_path() -> PathBuf {
    golden_folder("north").join("judged.jsonl")
}

fn judge(row: &Row, engine: &Engine) -> Outcome<Judgement> {
    let snapshot = engine.snapshot();
    let row = row.with_functions(&snapshot);
    let history = snapshot.loaded_history();
    let query =
        SeekQuery { text: row.query.clone(), graph_rerank: true, min_score: CONSIDERED.2, ..SeekQuery::default() };
    let found = seek_given(&snapshot, &query, history.as_ref(), &Cancel::new())?;
    let graph = snapshot.graph();
    let is_gold = |path: &str| row.gold_files.iter().any(|file| file == path);
    let set = focus(&snapshot, &found, CONSIDERED.0, CONSIDERED.1, true);
    let shown = spread_over_files(&snapshot, &set.nodes, SHOWN.1);
    Ok(Judgement {
        id: row.id.clone(),
        repo: row.repo.clone(),
        north: shown.iter().take(SHOWN.0).any(|node| is_gold(graph.path(node.row.node))),
        seek: found.rows.iter().take(SHOWN.2).any(|found| is_gold(graph.path(found.node))),
        likelihood: set.likelihood.map(|likelihood| (likelihood * 1e4).round() / 1e4),
        holds: holds(&row, &snapshot, &set),
        nodes: set.nodes.len(),
        tokens: [tokens(engine, &row.query, Format::Text)?, tokens(engine, &row.query, Format::Json)?],
    })
}

/// Whether the set has one of the changed functions that the index has; `None` if it has none.
fn holds(row: &Row, snapshot: &Snapshot, set: &Focus) -> Option<bool> {
    let graph = snapshot.graph();
    let is_indexed = row.gold_funcs.keys().any(|path| graph.find_file(path).is_some());
    let is_held = set.nodes.iter().any(|node| {
        let node = node.row.node;
        row.is_changed(graph.path(node), graph.label(node), graph.lines(node))
    });
    is_indexed.then_some(is_held)
}

/// Tokens of the answer of `north`.
fn tokens(engine: &Engine, task: &str, format: Format) -> Outcome<usize> {
    /// Bytes that count as one token.
    const TOKEN: usize = 4;
    let mind = MindConfig { home: std::env::temp_dir().join("none"), places: Vec::new(), named: 0 };
    let services = Services::over(engine.clone(), mind);
    let cancel = Cancel::new();
    let context = Context { reads_history: true, ..Context::new(&services, TOOLS, &cancel, &NoProgress) };
    let tool = m1nd_tools::find("north").ok_or("no tool `north`")?;
    let reply = tool.reply(&context, json!({"agent_id": "eval", "task": task}), format);
    let bytes = match reply.map_err(|error| error.to_string())? {
        Reply::Text(text) => text.len(),
        Reply::Json(body) => text_of(&body).len(),
    };
    Ok(bytes.div_ceil(TOKEN))
}

/// Lowest likelihood from which on the place is in the set often enough, of judgements with the likeliest first.
fn sufficient_at(sorted: &[&Judgement]) -> Option<f64> {
    let (mut right, mut least) = (0, None);
    for (number, one) in sorted.iter().enumerate() {
        right += usize::from(one.holds == Some(true));
        let all = number + 1;
        let is_last = sorted.get(all).is_none_or(|next| next.likelihood < one.likelihood);
        if is_last && all >= LEAST_ROWS && right as f64 >= LEAST_PRECISION * all as f64 {
            least = one.likelihood;
        }
    }
    least
}

/// The calibration that follows from judgements, as it is stored.
fn calibration(judged: &[Judgement]) -> String {
    let mut sorted: Vec<&Judgement> =
        judged.iter().filter(|one| one.holds.is_some() && one.likelihood.is_some()).collect();
    sorted.sort_by(|a, b| b.likelihood.total_cmp_or_less(a.likelihood).then_with(|| a.id.cmp(&b.id)));
    let repositories: BTreeSet<&str> = sorted.iter().map(|one| one.repo.as_str()).collect();
    let mut said: Vec<&Judgement> = Vec::new();
    for repo in &repositories {
        let (own, others): (Vec<&Judgement>, Vec<&Judgement>) = sorted.iter().partition(|one| one.repo == **repo);
        let at = sufficient_at(&others);
        said.extend(own.into_iter().filter(|one| at.is_some() && one.likelihood >= at));
    }
    let right = said.iter().filter(|one| one.holds == Some(true)).count();
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let (low, high) = wilson(share(right, said.len()), said.len(), Z);
    format!(
        "# How often a changed function was in the set of `focus`, by its likelihood: `cargo xtask eval north --write`\n\
         # on {} texts from {} repositories. `precision` and `coverage` are counted on each repository with the likelihood that\n\
         # the others give. The ends of precision are those of the 95 % interval (Wilson). Derived from\n\
         # `eval/north/judged.jsonl`.\n\
         sufficient_at {:.4}\nprecision {:.3}\nprecision_low {low:.3}\nprecision_high {high:.3}\nsaid {}\n\
         coverage {:.4}\nrows {}\n",
        sorted.len(),
        repositories.len(),
        sufficient_at(&sorted).unwrap_or(2.0),
        share(right, said.len()),
        said.len(),
        share(said.len(), sorted.len()),
        sorted.len()
    )
}

/// An order of likelihoods, none last.
trait Order {
    fn total_cmp_or_less(self, other: Self) -> std::cmp::Ordering;
}

impl Order for Option<f64> {
    fn total_cmp_or_less(self, other: Self) -> std::cmp::Ordering {
        self.unwrap_or(-1.0).total_cmp(&other.unwrap_or(-1.0))
    }
}

/// The figures of all rows.
struct Summary<'j>(&'j [Judgement]);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.0;
        let share = |part: usize, of: usize| format!("{:.3} ({part} of {of})", part as f64 / of.max(1) as f64);
        let count = |is: fn(&Judgement) -> bool| all.iter().filter(|one| is(one)).count();
        writeln!(f, "changed file among the focus nodes of north  {}", share(count(|one| one.north), all.len()))?;
        writeln!(f, "changed file among the first rows of seek    {}", share(count(|one| one.seek), all.len()))?;
        let known = count(|one| one.holds.is_some());
        writeln!(
            f,
            "changed function in the set of focus         {}",
            share(count(|one| one.holds == Some(true)), known)
        )?;
        for (format, name) in [(0, "text"), (1, "JSON")] {
            let mut tokens: Vec<usize> = all.iter().map(|one| one.tokens[format]).collect();
            tokens.sort_unstable();
            let median = tokens.get(tokens.len() / 2).copied().unwrap_or(0);
            writeln!(f, "tokens of north as {name}: median {median}, most {}", tokens.last().copied().unwrap_or(0))?;
        }
        write!(f, "{}", calibration(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calibration_in_use_follows_from_the_judgements() {
        let judged = read().expect("is stored");
        let in_use = fs::read_to_string(Path::new(repository()).join(CALIBRATION)).expect("is stored");
        assert_eq!(calibration(&judged), in_use);
    }

    #[test]
    fn the_threshold_is_the_lowest_that_is_right_often_enough() {
        let one = |number: usize| Judgement {
            id: format!("{number:03}"),
            repo: "r".to_owned(),
            north: true,
            seek: true,
            likelihood: Some(1.0 - number as f64 / 100.0),
            holds: Some(number < 40),
            nodes: 1,
            tokens: [1, 1],
        };
        let judged: Vec<Judgement> = (0..100).map(one).collect();
        let sorted: Vec<&Judgement> = judged.iter().collect();
        // 40 of the first 44 are right, which is the last share of at least 90 %.
        assert_eq!(sufficient_at(&sorted), Some(1.0 - 43.0 / 100.0));
        assert_eq!(sufficient_at(&sorted[..LEAST_ROWS - 1]), None, "too few to tell");
    }
}
