//! Dependencies between files: a file depends on another one if an edge leads to something defined in it, with any
//! relation except `contains` and `overrides`.
//!
//! Pairs are judged if the truth covers their source. In Rust every target of a package (library, binary, tests,
//! benches) has the same root module in the compiler index, which names any one of them. Pairs that rest on the root
//! module alone are left out, and so are our pairs that lead from the same sources to a root.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use m1nd_base::{EdgeTier, NodeKind, Relation};

use super::edges::{Context, Findings};
use super::ours::Edge;
use crate::eval::golden::{Found, Score, Verdict};

/// Name of the root module of a package in the index.
const RUST_ROOT: &str = " crate/";

pub(in crate::eval) fn score(context: &Context<'_>, findings: &mut Findings) -> Score {
    let mut score = Score::default();
    let (known, vague) = list_known(context);
    let ours = ours(context);
    for pair in &known {
        let best = ours.get(pair).copied();
        score.find(best);
        if best != Some(Found::Certain) {
            let class = if best.is_some() { "file dependency only possible" } else { "file dependency missed" };
            findings.add(class.into(), || format!("{} → {}", pair.0, pair.1));
        }
    }
    let sources: HashSet<&str> = context.truth.files.iter().map(|row| row.src.as_str()).collect();
    for (pair, _) in ours.iter().filter(|(pair, found)| **found == Found::Certain && sources.contains(pair.0)) {
        if known.contains(pair) {
            score.judge(Verdict::Right);
        } else if !(vague.contains(pair.0) && is_rust_root(pair.1)) {
            score.judge(Verdict::OtherName);
            findings.add("file dependency certain, not in truth".into(), || {
                format!("{} → {}{}", pair.0, pair.1, evidence(context, *pair))
            });
        }
    }
    score.finish();
    score
}

type Pair<'c> = (&'c str, &'c str);

/// The pairs of the truth, and the sources of those that are left out.
fn list_known<'c>(context: &'c Context<'_>) -> (BTreeSet<Pair<'c>>, HashSet<&'c str>) {
    let mut rests_on_more: HashSet<Pair<'_>> = HashSet::new();
    let mut rests_on_root: HashSet<Pair<'_>> = HashSet::new();
    for reference in &context.truth.references {
        let pair = (reference.file.as_str(), reference.target_file.as_str());
        let is_root = reference.file.ends_with(".rs") && reference.symbol.ends_with(RUST_ROOT);
        if is_root {
            rests_on_root.insert(pair)
        } else {
            rests_on_more.insert(pair)
        };
    }
    let mut known = BTreeSet::new();
    let mut vague = HashSet::new();
    for row in context.truth.files.iter().filter(|row| row.src != row.dst) {
        let pair = (row.src.as_str(), row.dst.as_str());
        if rests_on_root.contains(&pair) {
            vague.insert(pair.0);
        }
        if !rests_on_root.contains(&pair) || rests_on_more.contains(&pair) {
            known.insert(pair);
        }
    }
    (known, vague)
}

fn is_rust_root(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    matches!(name, "lib.rs" | "main.rs" | "build.rs")
        || ["tests/", "benches/", "examples/"].iter().any(|folder| file.contains(folder))
}

fn is_written(edge: &Edge) -> bool {
    !matches!(edge.relation, Relation::Contains | Relation::Overrides)
}

/// Our pairs with the best edge of each.
fn ours<'c>(context: &'c Context<'_>) -> BTreeMap<Pair<'c>, Found> {
    let mut pairs: BTreeMap<Pair<'c>, Found> = BTreeMap::new();
    let edges = context.ours.edges.iter().filter(|edge| is_written(edge));
    for edge in edges {
        let found = match edge.tier {
            EdgeTier::Certain => Found::Certain,
            EdgeTier::Possible => Found::Possible(edge.of),
            EdgeTier::External => continue,
        };
        let (from, to) = (&context.ours.nodes[edge.from], &context.ours.nodes[edge.to]);
        let (Some(source), Some(target)) = (from.file.as_deref(), to.file.as_deref()) else { continue };
        if source != target {
            let best = pairs.entry((source, target)).or_insert(found);
            *best = found.min(*best);
        }
    }
    pairs
}

/// The first edge that supports a pair.
fn evidence(context: &Context<'_>, pair: Pair<'_>) -> String {
    let nodes = &context.ours.nodes;
    let leads = |edge: &&Edge| {
        is_written(edge)
            && edge.tier == EdgeTier::Certain
            && nodes[edge.from].file.as_deref() == Some(pair.0)
            && nodes[edge.to].file.as_deref() == Some(pair.1)
    };
    let Some(edge) = context.ours.edges.iter().find(leads) else { return String::new() };
    let (line, _) = edge.sites.first().copied().unwrap_or_default();
    let to = &nodes[edge.to];
    let name = if to.kind == NodeKind::File { "the file" } else { &to.name };
    format!("\n      {} of {name} in line {line}: {}", edge.relation, context.source_line(pair.0, line))
}
