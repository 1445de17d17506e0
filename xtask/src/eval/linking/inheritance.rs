//! Inheritance: `inherits`, `implements` and, between members, `overrides` edges.
//!
//! If the truth has rows of types and their bases, a row is found if an edge leads from the type, or from an attached
//! block of it, to that base; a certain edge is judged if the truth has a row of its type, and counts as invented if
//! none of them names its target. Otherwise the truth has references with the role `inherit`: one is found if an edge
//! has a site on its line and the right target, and edges are judged by the truth at their sites.

use std::collections::{HashMap, HashSet};

use m1nd_base::{EdgeTier, NodeKind, Relation};

use super::calls::classify_edge;
use super::edges::{Context, Findings};
use super::ours::{Edge, Ours};
use super::truth::Inherit;
use crate::eval::golden::{Score, Verdict};

pub(in crate::eval) fn score(context: &Context<'_>, findings: &mut Findings) -> Score {
    let mut score = Score::default();
    if context.truth.inherits.is_empty() {
        by_sites(context, &mut score, findings);
    } else {
        by_rows(context, &mut score, findings);
    }
    score.finish();
    score
}

fn is_inheritance(edge: &&Edge) -> bool {
    matches!(edge.relation, Relation::Inherits | Relation::Implements | Relation::Overrides)
}

fn by_rows(context: &Context<'_>, score: &mut Score, findings: &mut Findings) {
    let ours = context.ours;
    let mut bases: HashMap<usize, HashSet<usize>> = HashMap::new();
    for row in &context.truth.inherits {
        let targets = ours.list_accepted(&row.target_file, row.target_line, &row.target_name);
        let subjects = subjects(ours, row);
        let edges = targets.iter().flat_map(|&target| ours.edges_to(target)).filter(is_inheritance);
        let best = edges.filter(|edge| subjects.contains(&edge.from)).filter_map(classify_edge).min();
        score.find(best);
        if best.is_none() {
            findings.add("inheritance missed".into(), || {
                format!(
                    "{}:{} {} → {}:{} {}",
                    row.file, row.line, row.name, row.target_file, row.target_line, row.target_name
                )
            });
        }
        for subject in subjects {
            bases.entry(subject).or_default().extend(targets.iter());
        }
    }
    for edge in ours.edges.iter().filter(is_inheritance).filter(|edge| edge.tier == EdgeTier::Certain) {
        let Some(known) = bases.get(&edge.from) else { continue };
        let verdict = if known.contains(&edge.to) { Verdict::Right } else { Verdict::Invented };
        score.judge(verdict);
        if verdict == Verdict::Invented {
            let site = edge.sites.first().copied().unwrap_or_default();
            findings.add("inheritance certain, not in truth".into(), || context.describe_site(edge, site));
        }
    }
}

/// The type, and its attached blocks in the file named by the row.
fn subjects(ours: &Ours, row: &Inherit) -> HashSet<usize> {
    let mut subjects: HashSet<usize> = ours.list_accepted(&row.file, row.line, &row.name).iter().copied().collect();
    let is_block = |edge: &&Edge| edge.relation == Relation::References && ours.nodes[edge.from].kind == NodeKind::Impl;
    let blocks: Vec<usize> =
        subjects.iter().flat_map(|&subject| ours.edges_to(subject)).filter(is_block).map(|edge| edge.from).collect();
    subjects.extend(blocks);
    subjects
}

fn by_sites(context: &Context<'_>, score: &mut Score, findings: &mut Findings) {
    for reference in context.truth.references.iter().filter(|reference| reference.role == "inherit") {
        let accepted = context.ours.list_accepted(&reference.target_file, reference.target_line, &reference.name);
        let edges = context.edges_at(&reference.file, reference.line).filter(is_inheritance);
        let best = edges.filter(|edge| accepted.contains(&edge.to)).filter_map(classify_edge).min();
        score.find(best);
        if best.is_none() {
            findings.add("inheritance missed".into(), || {
                let line = context.source_line(&reference.file, reference.line);
                format!("{}:{} {}: {line}", reference.file, reference.line, reference.name)
            });
        }
    }
    if score.truth == 0 {
        return;
    }
    for edge in context.ours.edges.iter().filter(is_inheritance).filter(|edge| edge.tier == EdgeTier::Certain) {
        for &site in &edge.sites {
            let verdict = match context.sites.judge(context.ours, edge, site) {
                Verdict::Silent => Verdict::Unjudged,
                verdict => verdict,
            };
            score.judge(verdict);
        }
    }
}
