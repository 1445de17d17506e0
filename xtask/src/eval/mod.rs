//! `cargo xtask eval …`: compares the graph with truth made by compilers, test suites and people. The data is outside
//! of the repository; results are stored in `eval/` and compared.

use std::path::{Path, PathBuf};

use crate::{Outcome, repository};

mod antibody;
mod arguments;
mod closure;
mod cochange;
mod contracts;
mod documents;
mod edits;
mod equality;
mod federation;
mod formats;
pub(crate) mod golden;
mod layers;
mod linear;
mod linking;
mod memory;
mod pairs;
mod repositories;
mod retrieval;
mod risk;
mod routes;
mod secrets;
mod uses;

use retrieval::{economy, localize, navigate, north, seek, trace, trace_fit};

use linking::{callgraph, calls, callsites, edges, files, inheritance, ours, references, table, truth, why};

const USAGE: &str = "expected:
  cargo xtask eval edges --repo PATH --truth DIR [--check | --write] [--explain N]
  cargo xtask eval edges --table
  cargo xtask eval closure --repo PATH --truth DIR [--check | --write] [--explain N]
  cargo xtask eval closure --repo PATH --program FILE [--check | --write] [--explain N]
  cargo xtask eval why --repo PATH --truth DIR [--check | --write] [--explain N]
  cargo xtask eval callgraph --suite DIR --sources DIR [--check | --write] [--explain N]
  cargo xtask eval callsites --repo PATH --labels FILE [--check | --write] [--explain N]
  cargo xtask eval localize --rows FILE... --checkouts DIR [--mirror DIR --mkrepo SCRIPT] [--check | --write]
  cargo xtask eval economy --rows FILE... --checkouts DIR [--mirror DIR --mkrepo SCRIPT] [--check | --write]
  cargo xtask eval navigate --rows FILE... --checkouts DIR [--mirror DIR --mkrepo SCRIPT] [--check | --write]
  cargo xtask eval north --rows FILE... --checkouts DIR [--mirror DIR --mkrepo SCRIPT] [--check | --write]
  cargo xtask eval seek --repo PATH [--check | --write] [--explain N]
  cargo xtask eval trace --rows FILE... --checkouts DIR [--mirror DIR --mkrepo SCRIPT] [--check | --write]
  cargo xtask eval equality --repo PATH [--sequences N] [--seed S] [--check | --write]
  cargo xtask eval relink --repo PATH [--commits N] [--check | --write] [--explain N]
  cargo xtask eval contracts --checkouts DIR [--check | --write] [--list]
  cargo xtask eval routes --checkouts DIR [--check | --write] [--list]
  cargo xtask eval federation --repo NAME=PATH... --truth FILE [--check | --write] [--explain N]
  cargo xtask eval secrets --checkouts DIR [--check | --write] [--explain N]
  cargo xtask eval memory --memories FILE --queries FILE [--check | --write] [--explain N]
  cargo xtask eval cochange --rows FILE... --mirror DIR --checkouts DIR [--check | --write]
  cargo xtask eval plans --mirror DIR --checkouts DIR [--repository owner/name]... [--fit] [--check | --write]
  cargo xtask eval tests --mirror DIR --checkouts DIR --repository owner/name... [--fit] [--check | --write]
  cargo xtask eval antibody --mirror DIR [--commits N] [--explain] [--check | --write]
  cargo xtask eval layers --repo NAME=PATH... [--check | --write] [--explain]
  cargo xtask eval risk --mirror DIR [--repository owner/name]... [--check | --write]
  cargo xtask eval documents mentions|drift --mirror DIR --mkrepo SCRIPT --checkouts DIR [--check | --write] [--list]
  cargo xtask eval edits rename|mutations|commits|speed --mirror DIR --work DIR --binary PATH [--tools DIR] [--check | --write]
  cargo xtask eval delta --mirror DIR --work DIR --binary PATH [--repository owner/name]... [--samples N] [--check | --write]
  cargo xtask eval formats --mirror DIR [--check | --write] [--explain N]
  cargo xtask eval formats --markdown DIR
  cargo xtask eval embed [--pairs FILE] [--table FILE] [--check | --write]";

pub(crate) fn run(args: &[String]) -> Outcome<()> {
    match args.split_first().map(|(what, rest)| (what.as_str(), rest)) {
        Some(("edges", rest)) => edges::run(rest),
        Some(("closure", rest)) => closure::run(rest),
        Some(("why", rest)) => why::run(rest),
        Some(("callgraph", rest)) => callgraph::run(rest),
        Some(("callsites", rest)) => callsites::run(rest),
        Some(("localize", rest)) => localize::run(rest),
        Some(("economy", rest)) => economy::run(rest),
        Some(("navigate", rest)) => navigate::run(rest),
        Some(("north", rest)) => north::run(rest),
        Some(("formats", rest)) => formats::run(rest),
        Some(("trace", rest)) => trace::run(rest),
        Some(("memory", rest)) => memory::run(rest),
        Some(("documents", rest)) => documents::run(rest),
        Some(("seek", rest)) => seek::run(rest),
        Some(("contracts", rest)) => contracts::run(rest),
        Some(("routes", rest)) => routes::run(rest),
        Some(("secrets", rest)) => secrets::run(rest),
        Some(("equality", rest)) => equality::run(rest),
        Some(("relink", rest)) => equality::relink::run(rest),
        Some(("federation", rest)) => federation::run(rest),
        Some(("cochange", rest)) => cochange::run(rest),
        Some(("plans", rest)) => cochange::plans(rest),
        Some(("tests", rest)) => cochange::covering(rest),
        Some(("antibody", rest)) => antibody::run(rest),
        Some(("layers", rest)) => layers::run(rest),
        Some(("risk", rest)) => risk::run(rest),
        Some(("edits", rest)) => edits::run(rest),
        Some(("delta", rest)) => edits::delta::run(rest),
        _ => Err(USAGE.into()),
    }
}

/// `cargo xtask fit-seek …`.
pub(crate) fn fit_seek(args: &[String]) -> Outcome<()> {
    localize::fit::run(args)
}

/// `cargo xtask fit-predict …`.
pub(crate) fn fit_predict(args: &[String]) -> Outcome<()> {
    cochange::fit(args)
}

/// `cargo xtask fit-trace …`.
pub(crate) fn fit_trace(args: &[String]) -> Outcome<()> {
    trace_fit::run(args)
}

/// Folder of stored results of this kind.
pub(crate) fn golden_folder(kind: &str) -> PathBuf {
    Path::new(repository()).join("eval").join(kind)
}
