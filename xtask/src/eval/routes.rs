//! `cargo xtask eval routes`: requests of clients and the routes that serve them, against pairs labelled by hand.
//!
//! A file `eval/routes/<name>.txt` has a line for each pair, `client:line server:line`, of the folder `<name>` below
//! the checkouts. A client that may reach several routes has a line for each. The file must be complete: an edge of
//! ours that it lacks counts as wrong.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::golden_folder;
use super::ours::Ours;
use super::pairs::{Counts, conclude, parse_labelled};
use crate::Outcome;
use m1nd_base::{EdgeTier, Relation};

const USAGE: &str = "expected: cargo xtask eval routes --checkouts DIR [--check | --write] [--list]";

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
        let counts = count_pairs(&Path::new(checkouts).join(&name), &truth, has("--list"))?;
        println!("{name}: {}", counts.show_counts());
        if counts.labelled > 0 {
            all.insert(name, counts);
        }
    }
    conclude(&golden, &all, args)
}

fn count_pairs(folder: &Path, truth: &str, list: bool) -> Outcome<Counts> {
    let truth = parse_labelled(truth);
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
    let mut counts = Counts { labelled: truth.len() as u64, ..Counts::default() };
    for (pair, tier) in &found {
        counts.add(is_right(pair), *tier == EdgeTier::Certain);
        if list {
            println!("{} {pair} {tier}", if is_right(pair) { "=" } else { "+" });
        }
    }
    if list {
        truth.iter().filter(|pair| !found.contains_key(*pair)).for_each(|pair| println!("- {pair}"));
    }
    Ok(counts)
}
