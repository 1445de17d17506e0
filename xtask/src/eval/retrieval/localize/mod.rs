//! `cargo xtask eval localize`: texts about faults, and the files changed by their fixes.
//!
//! A row names a repository, the commit before the fix, a text (an issue or a commit message) and the files and
//! functions changed by the fix. Its text is the query to an index of a checkout whose history ends at that commit.
//! Files are ranked by their first node that `seek` returns. Checkouts and indexes are kept between runs, so that a
//! run after a ranking change only queries.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use m1nd_base::{Cancel, NoProgress, NodeKind};
use m1nd_engine::history::Cut;
use m1nd_engine::{Engine, EngineConfig, IngestRequest, LocalModel, Snapshot};
use m1nd_query::retrieval::SeekQuery;
use m1nd_query::retrieval::seek;

use crate::Outcome;

pub(in crate::eval) mod calibration;
pub(in crate::eval) mod fit;
mod rows;
pub(in crate::eval) mod score;

pub(in crate::eval) use rows::Row;
use score::{Outcomes, RowResult};

use crate::eval::arguments::Keep;

const USAGE: &str = "expected: cargo xtask eval localize --rows FILE... --checkouts DIR
  [--mirror DIR --mkrepo SCRIPT]   make missing checkouts from git folders DIR/<owner>+<name>
  [--only TEXT]                    rows whose id holds TEXT
  [--fresh]                        index again
  [--predictions FILE]             write the ranked files of each row
  [--model FOLDER]                 re-rank the best with an embedding model
  [--explain N]                    print the first N files of rows that are missed
  [--check | --write]              compare with, or keep as, eval/localize/<rows>.json";

/// Number of rows evaluated concurrently.
const WORKERS: usize = 2;

/// Parsed command line.
#[derive(Debug, Default)]
pub(in crate::eval) struct Request {
    pub(in crate::eval) rows: Vec<PathBuf>,
    pub(in crate::eval) checkouts: PathBuf,
    mirror: Option<PathBuf>,
    mkrepo: Option<PathBuf>,
    only: Option<String>,
    fresh: bool,
    predictions: Option<PathBuf>,
    pub(in crate::eval) explain: usize,
    model: Option<Arc<LocalModel>>,
    pub(in crate::eval) keep: Keep,
}

impl Request {
    pub(in crate::eval) fn parse(args: &[String]) -> Outcome<Self> {
        let mut request = Self::default();
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("{flag} needs a value; {USAGE}"));
            match flag.as_str() {
                "--rows" => request.rows.push(value()?.into()),
                "--checkouts" => request.checkouts = value()?.into(),
                "--mirror" => request.mirror = Some(value()?.into()),
                "--mkrepo" => request.mkrepo = Some(value()?.into()),
                "--only" => request.only = Some(value()?.clone()),
                "--fresh" => request.fresh = true,
                "--predictions" => request.predictions = Some(value()?.into()),
                "--model" => request.model = Some(Arc::new(LocalModel::new(value()?.into()))),
                "--explain" => request.explain = value()?.parse()?,
                "--check" => request.keep = Keep::Check,
                "--write" => request.keep = Keep::Write,
                other => return Err(format!("unknown argument `{other}`; {USAGE}").into()),
            }
        }
        if request.rows.is_empty() || request.checkouts.as_os_str().is_empty() {
            return Err(USAGE.into());
        }
        Ok(request)
    }

    /// The selected rows of a file.
    pub(in crate::eval) fn rows_of(&self, file: &Path) -> Outcome<Vec<Row>> {
        self.rows_of_texts(file, rows::MAX_MESSAGE)
    }

    /// The same, with texts from the history truncated to `longest` bytes.
    pub(in crate::eval) fn rows_of_texts(&self, file: &Path, longest: usize) -> Outcome<Vec<Row>> {
        let mut rows = rows::read(file, self.mirror.as_deref(), longest)?;
        rows.retain(|row| self.only.as_ref().is_none_or(|only| row.id.contains(only)));
        Ok(rows)
    }
}

pub(in crate::eval) fn run(args: &[String]) -> Outcome<()> {
    let request = Request::parse(args)?;
    let mut predictions = String::new();
    for file in &request.rows {
        let name = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let rows = request.rows_of(file)?;
        let results = for_each_row(&request, &rows, |row, snapshot| ask(row, snapshot, request.model.clone()))?;
        for (row, result) in rows.iter().zip(&results) {
            let Some(result) = result else { continue };
            let line = serde_json::json!({"id": row.id, "ranked": result.files});
            predictions += &format!("{line}\n");
            if request.explain > 0 && result.best_rank() != Some(1) {
                explain(row, result, request.explain);
            }
        }
        let outcomes = Outcomes::of(&rows, &results);
        println!("{name}\n{}", outcomes.table());
        score::keep(&outcomes, "localize", &name, request.keep)?;
    }
    if let Some(path) = &request.predictions {
        std::fs::write(path, predictions)?;
    }
    Ok(())
}

/// Calls `ask` with each row and the index of its checkout, concurrently; `None` for rows without a checkout.
pub(in crate::eval) fn for_each_row<T: Send>(
    request: &Request,
    rows: &[Row],
    ask: impl Fn(&Row, &Snapshot) -> Outcome<T> + Sync,
) -> Outcome<Vec<Option<T>>> {
    for_each_engine(request, rows, |row, engine| {
        let snapshot = engine.snapshot();
        ask(&row.with_functions(&snapshot), &snapshot)
    })
}

/// Like [`for_each_row`], with the engine of the checkout, whose history is loaded.
pub(in crate::eval) fn for_each_engine<T: Send>(
    request: &Request,
    rows: &[Row],
    ask: impl Fn(&Row, &Engine) -> Outcome<T> + Sync,
) -> Outcome<Vec<Option<T>>> {
    let next = AtomicUsize::new(0);
    let results: Mutex<BTreeMap<usize, Option<T>>> = Mutex::default();
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(row) = rows.get(at) else { return };
            let result = snapshot_of(request, row).and_then(|engine| {
                whole_history(&engine.snapshot());
                ask(row, &engine)
            });
            let result = result.map_err(|error| eprintln!("{}: {error}", row.id)).ok();
            results.lock().expect("no holder panics").insert(at, result);
        }
    };
    std::thread::scope(|scope| (0..WORKERS).for_each(|_| drop(scope.spawn(work))));
    Ok(results.into_inner().map_err(|_| "a worker stopped early")?.into_values().collect())
}

/// Opens the index of a row's checkout, building it if needed.
fn snapshot_of(request: &Request, row: &Row) -> Outcome<Engine> {
    let checkout = request.checkouts.join(&row.id);
    if !checkout.is_dir() {
        make_checkout(request, row, &checkout)?;
    }
    let checkout = checkout.canonicalize()?;
    // A shared store: checkouts of one repository share the facts of identical files.
    let home = request.checkouts.join(".index");
    let mut config = EngineConfig::new(home, vec![checkout.clone()]);
    config.read_only = true;
    if !request.fresh {
        let engine = Engine::open(config.clone())?;
        if !engine.snapshot().is_empty() {
            return Ok(engine);
        }
    }
    config.read_only = false;
    config.threads = Some(1);
    let engine = Engine::open(config)?;
    engine.ingest(IngestRequest::code(&checkout), &Cancel::new(), &NoProgress)?;
    Ok(engine)
}

/// Reads the complete history: a call stops after a few seconds and the next one continues.
fn whole_history(snapshot: &Snapshot) {
    const CALLS: usize = 50;
    for _ in 0..CALLS {
        let history = snapshot.history(&Cancel::new());
        if history.first().is_none_or(|history| history.cut() != Some(Cut::Time)) {
            return;
        }
    }
}

fn make_checkout(request: &Request, row: &Row, checkout: &Path) -> Outcome<()> {
    let (Some(mirror), Some(script)) = (&request.mirror, &request.mkrepo) else {
        return Err(format!("no checkout `{}`; give --mirror and --mkrepo to make it", checkout.display()).into());
    };
    let git = rows::git_folder(mirror, &row.repo)?;
    let mut command = Command::new("python3");
    command.arg(script).arg(git).arg(&row.base_commit).arg(checkout).stdout(std::process::Stdio::null());
    crate::must_succeed(&mut command)
}

fn ask(row: &Row, snapshot: &Snapshot, model: Option<Arc<LocalModel>>) -> Outcome<RowResult> {
    let query = SeekQuery { text: row.query.clone(), graph_rerank: true, model, ..SeekQuery::default() };
    rank(row, snapshot, &query)
}

/// Runs a query and ranks the files and symbols of the answer.
pub(in crate::eval) fn rank(row: &Row, snapshot: &Snapshot, query: &SeekQuery) -> Outcome<RowResult> {
    let found = seek(snapshot, query, &Cancel::new())?;
    let graph = snapshot.graph();
    let mut result = RowResult::new(row);
    for found in &found.rows {
        result.add_file(graph.path(found.node));
        if graph.kind(found.node) != NodeKind::File {
            result.add_symbol(graph.path(found.node), graph.label(found.node), graph.lines(found.node));
        }
    }
    Ok(result)
}

pub(in crate::eval) fn explain(row: &Row, result: &RowResult, count: usize) {
    let rank = result.best_rank().map_or_else(|| "none".into(), |rank| rank.to_string());
    println!("{} rank {rank}: {}", row.id, row.query.lines().next().unwrap_or_default());
    println!("  gold {}", row.gold_files.join(" "));
    println!("  rows {}", result.files.iter().take(count).map(String::as_str).collect::<Vec<_>>().join(" "));
}
