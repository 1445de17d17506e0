//! References of every role: recall over the references in the truth, precision at the sites that it covers.
//!
//! A reference is found if an edge of any relation except `contains` has a site on its line and the right target.
//! References to modules and namespaces are left out, because tools disagree on the file that represents a module
//! (file dependencies count them).

use m1nd_base::{EdgeTier, NodeKind, Relation};

use super::calls::classify_edge;
use super::edges::{Context, Findings};
use super::ours::Node;
use super::truth::Reference;
use crate::eval::golden::{Found, Split, Verdict};

pub(in crate::eval) fn score(context: &Context<'_>, findings: &mut Findings) -> Split {
    let mut split = Split::default();
    for reference in context.truth.references.iter().filter(|reference| is_scored(reference)) {
        let best = best(context, reference);
        let is_cross = reference.file != reference.target_file;
        split.count(is_cross, context.is_ambiguous(&reference.name), |score| {
            score.find(best);
            score.certain_at_site += u64::from(best == Some(Found::Certain));
        });
        if best.is_none() {
            let class = format!("reference missed: {} {}, {}", reference.role, reference.kind, why(context, reference));
            findings.add(class, || describe(context, reference));
        }
    }
    let edges = context.ours.edges.iter().filter(|edge| edge.tier == EdgeTier::Certain);
    for edge in edges.filter(|edge| edge.relation != Relation::Contains) {
        let (from, to) = (&context.ours.nodes[edge.from], &context.ours.nodes[edge.to]);
        if to.file.is_none() || matches!(to.kind, NodeKind::File | NodeKind::Module) {
            continue;
        }
        let (is_cross, is_ambiguous) = (from.file != to.file, context.is_ambiguous(&to.name));
        for &site in &edge.sites {
            let verdict = match context.sites.judge(context.ours, edge, site) {
                // The truth omits many references that are not calls, so its silence means little.
                Verdict::Silent => Verdict::Unjudged,
                verdict => verdict,
            };
            split.count(is_cross, is_ambiguous, |score| score.judge(verdict));
            let is_wrong = matches!(verdict, Verdict::Invented | Verdict::OtherName);
            if is_wrong && edge.relation != Relation::Calls {
                let class = format!("reference certain ({}), truth {verdict:?}", edge.relation);
                findings.add(class, || context.describe_site(edge, site));
            }
        }
    }
    split.finish();
    split
}

fn is_scored(reference: &Reference) -> bool {
    !matches!(reference.kind.as_str(), "ns" | "module" | "meta")
}

fn best(context: &Context<'_>, reference: &Reference) -> Option<Found> {
    let accepted = context.ours.list_accepted(&reference.target_file, reference.target_line, &reference.name);
    let edges = context.edges_at(&reference.file, reference.line);
    edges
        .filter(|edge| edge.relation != Relation::Contains && accepted.contains(&edge.to))
        .filter_map(classify_edge)
        .min()
}

fn why(context: &Context<'_>, reference: &Reference) -> String {
    let ours = context.ours;
    if ours.list_accepted(&reference.target_file, reference.target_line, &reference.name).is_empty() {
        return "we have no definition there".into();
    }
    let is_named = |node: &Node| node.name == reference.name;
    let mut edges = context.edges_at(&reference.file, reference.line);
    if let Some(edge) = edges.find(|edge| is_named(&ours.nodes[edge.to])) {
        return format!("{} to another of the name", edge.tier);
    }
    let unresolved = ours.unresolved.get(&(reference.file.clone(), reference.line)).into_iter().flatten();
    match unresolved.into_iter().find(|unresolved| unresolved.name == reference.name) {
        Some(unresolved) => format!("unresolved ({})", unresolved.reason),
        None => "nothing at the site".into(),
    }
}

fn describe(context: &Context<'_>, reference: &Reference) -> String {
    format!(
        "{}:{}:{} {}: {}\n      truth: {}:{}",
        reference.file,
        reference.line,
        reference.col + 1,
        reference.name,
        context.source_line(&reference.file, reference.line),
        reference.target_file,
        reference.target_line,
    )
}
