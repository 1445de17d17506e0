//! Call edges: recall over the pairs of caller and callee in the truth, precision at the sites that the truth covers.
//!
//! A pair is found if there is a `calls` edge from that caller to that callee (see [`super::ours`] for identity),
//! anywhere in the caller. The truth also counts matching a tuple variant in a pattern as a call. If only possible
//! edges find a pair, the one with the fewest candidates counts.
//!
//! **Callers that truth does not have.** A compiler index has no definition of an unnamed function: a function
//! written as an argument, as the value of a constant or of a property, or inside of another function. It attributes
//! calls there to the innermost enclosing function that it does have, or to top-level code. Our graph has the
//! function itself. To make both comparable, a function of ours without a definition in the truth is no caller here:
//! its calls belong to the enclosing code. This needs the truth's list of definitions; without it every function of
//! ours is a caller, subtests of Go apart.

use m1nd_base::{EdgeTier, Relation};

use super::edges::{Context, Findings};
use super::ours::Edge;
use super::truth::Call;
use crate::eval::golden::{Found, Split, Verdict};

pub(in crate::eval) fn score(context: &Context<'_>, findings: &mut Findings) -> Split {
    let mut split = Split::default();
    for call in &context.truth.calls {
        let best = best(context, call);
        let is_cross = call.caller_file != call.file;
        let at_site = best == Some(Found::Certain) || is_certain_at_site(context, call);
        split.count(is_cross, context.is_ambiguous(&call.name), |score| {
            score.find(best);
            score.certain_at_site += u64::from(at_site);
        });
        if best != Some(Found::Certain) {
            let class = why_missed(context, call, best);
            findings.add(format!("call {class}"), || describe(context, call));
        }
    }
    for edge in context.ours.edges.iter().filter(|edge| is_certain_call(edge)) {
        let (from, to) = (&context.ours.nodes[edge.from], &context.ours.nodes[edge.to]);
        if to.file.is_none() {
            continue;
        }
        let (is_cross, is_ambiguous) = (from.file != to.file, context.is_ambiguous(&to.name));
        for &site in &edge.sites {
            let verdict = context.sites.judge(context.ours, edge, site);
            split.count(is_cross, is_ambiguous, |score| score.judge(verdict));
            if !matches!(verdict, Verdict::Right | Verdict::Unjudged) {
                findings.add(format!("call certain, truth {verdict:?}"), || context.describe_site(edge, site));
            }
        }
    }
    split.finish();
    split
}

fn is_certain_call(edge: &Edge) -> bool {
    edge.relation == Relation::Calls && edge.tier == EdgeTier::Certain
}

fn edges_of_pair<'c>(context: &'c Context<'_>, call: &'c Call) -> Vec<&'c Edge> {
    let accepted = context.ours.list_accepted(&call.file, call.line, &call.name);
    let edges = accepted.iter().flat_map(|&node| context.ours.edges_to(node));
    let caller = (call.caller_file.as_str(), call.caller_line, call.caller_name.as_str());
    edges.filter(|edge| context.ours.starts_in(edge, caller, |function| context.is_caller(function))).collect()
}

/// Returns whether a certain call edge to the callee has one of the sites, whatever its source.
fn is_certain_at_site(context: &Context<'_>, call: &Call) -> bool {
    let accepted = context.ours.list_accepted(&call.file, call.line, &call.name);
    let mut edges = call.sites.iter().flat_map(|&line| context.edges_at(&call.caller_file, line));
    edges.any(|edge| is_certain_call(edge) && accepted.contains(&edge.to))
}

fn best(context: &Context<'_>, call: &Call) -> Option<Found> {
    let edges = edges_of_pair(context, call);
    edges.into_iter().filter(|edge| edge.relation == Relation::Calls).filter_map(classify_edge).min()
}

/// How an edge finds a pair.
pub(in crate::eval) fn classify_edge(edge: &Edge) -> Option<Found> {
    match edge.tier {
        EdgeTier::Certain => Some(Found::Certain),
        EdgeTier::Possible => Some(Found::Possible(edge.of)),
        EdgeTier::External => None,
    }
}

/// The class of a pair that no certain edge finds.
fn why_missed(context: &Context<'_>, call: &Call, best: Option<Found>) -> String {
    let ours = context.ours;
    if best.is_some() {
        return "only possible".into();
    }
    if ours.list_accepted(&call.file, call.line, &call.name).is_empty() {
        return "missed: we have no definition there".into();
    }
    if call.caller_line > 0 && ours.definition(&call.caller_file, call.caller_line, &call.caller_name).is_empty() {
        return "missed: we have no caller there".into();
    }
    if let Some(edge) = edges_of_pair(context, call).iter().find(|edge| edge.relation != Relation::Contains) {
        return format!("missed: the edge is `{}`", edge.relation);
    }
    for &line in &call.sites {
        let accepted = ours.list_accepted(&call.file, call.line, &call.name);
        let at_site = || context.edges_at(&call.caller_file, line);
        if at_site().any(|edge| accepted.contains(&edge.to)) {
            return "missed: the edge starts in another caller".into();
        }
        let named = at_site().find(|edge| ours.nodes[edge.to].name == call.name);
        if let Some(edge) = named {
            return format!("missed: {} to another of the name", edge.tier);
        }
        let unresolved = ours.unresolved.get(&(call.caller_file.clone(), line)).into_iter().flatten();
        if let Some(reference) = unresolved.into_iter().find(|reference| reference.name == call.name) {
            return format!("missed: unresolved ({})", reference.reason);
        }
        if at_site().any(|edge| edge.tier == EdgeTier::External) {
            return "missed: something external is on the line".into();
        }
    }
    "missed: nothing at the site".into()
}

fn describe(context: &Context<'_>, call: &Call) -> String {
    let line = call.sites.first().copied().unwrap_or(0);
    format!(
        "{}:{line} in {}: {}\n      truth: {}:{} {}",
        call.caller_file,
        call.caller_name,
        context.source_line(&call.caller_file, line),
        call.file,
        call.line,
        call.name,
    )
}
