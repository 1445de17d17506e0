//! `cargo xtask eval routes`: requests of clients and the routes that serve them, against pairs labelled by hand.
//!
//! A file `eval/routes/<name>.txt` has a line for each pair, `client:line server:line`, of the folder `<name>` below
//! the checkouts. A client that may reach several routes has a line for each. The file must be complete: an edge of
//! ours that it lacks counts as wrong.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use m1nd_base::{EdgeTier, Relation};
use serde::{Deserialize, Serialize};

use super::arguments::Keep;
use super::golden::{keep, ratio};
use super::golden_folder;
use super::ours::Ours;
use crate::Outcome;

const USAGE: &str = "expected: cargo xtask eval routes --checkouts DIR [--check | --write] [--list]";

/// Counts of one folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Counts {
    labelled: u64,
    found: u64,
    right: u64,
    certain: u64,
    certain_right: u64,
}

/// Runs the command.
pub(super) fn run(args: &[String]) -> Outcome<()> {
    let after = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let has = |name: &str| args.iter().any(|arg| arg == name);
    let Some(checkouts) = after("--checkouts") else { return Err(USAGE.into()) };
    let golden = golden_folder("routes");
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(checkouts)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let mut all: BTreeMap<String, Counts> = BTreeMap::new();
    for name in names {
        let truth = golden.join(format!("{name}.txt"));
        let truth = if truth.is_file() { fs::read_to_string(&truth)? } else { String::new() };
        let counts = counted(&Path::new(checkouts).join(&name), &truth, has("--list"))?;
        println!("{name}: {}", shown(&counts));
        if counts.labelled > 0 {
            all.insert(name, counts);
        }
    }
    let sum = all.values().fold(Counts::default(), |sum, row| Counts {
        labelled: sum.labelled + row.labelled,
        found: sum.found + row.found,
        right: sum.right + row.right,
        certain: sum.certain + row.certain,
        certain_right: sum.certain_right + row.certain_right,
    });
    println!("all: {}", shown(&sum));
    let how = match (has("--write"), has("--check")) {
        (true, _) => Keep::Write,
        (_, true) => Keep::Check,
        _ => return Ok(()),
    };
    keep(&golden.join("counts.json"), &all, how)
}

fn shown(row: &Counts) -> String {
    let share = |part, whole| ratio(part, whole).map_or("-".to_owned(), |ratio| format!("{ratio:.3}"));
    format!(
        "{} labelled, P {} ({} of {}), certain P {} ({} of {}), R {}",
        row.labelled,
        share(row.right, row.found),
        row.right,
        row.found,
        share(row.certain_right, row.certain),
        row.certain_right,
        row.certain,
        share(row.right, row.labelled),
    )
}

fn counted(folder: &Path, truth: &str, list: bool) -> Outcome<Counts> {
    let lines = truth.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut truth: Vec<String> = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    truth.sort();
    truth.dedup();
    let ours = Ours::of_folder(folder)?;
    let mut found: BTreeMap<String, EdgeTier> = BTreeMap::new();
    for edge in ours.edges.iter().filter(|edge| edge.relation == Relation::Requests) {
        let (from, to) = (&ours.nodes[edge.from], &ours.nodes[edge.to]);
        for (line, _) in &edge.sites {
            let file = |node: &super::ours::Node| node.file.clone().unwrap_or_default();
            found.insert(format!("{}:{line} {}:{}", file(from), file(to), to.line), edge.tier);
        }
    }
    let is_right = |pair: &String| truth.binary_search(pair).is_ok();
    let mut counts = Counts { labelled: truth.len() as u64, found: found.len() as u64, ..Counts::default() };
    for (pair, tier) in &found {
        let (right, certain) = (u64::from(is_right(pair)), u64::from(*tier == EdgeTier::Certain));
        counts.right += right;
        counts.certain += certain;
        counts.certain_right += right * certain;
        if list {
            println!("{} {pair} {tier}", if right == 1 { "=" } else { "+" });
        }
    }
    if list {
        truth.iter().filter(|pair| !found.contains_key(*pair)).for_each(|pair| println!("- {pair}"));
    }
    Ok(counts)
}
