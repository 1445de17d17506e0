//! A name that nothing has, where a use of a very similar one was.

use std::collections::BTreeMap;

use m1nd_base::{EdgeTier, Pos};
use m1nd_graph::{Graph, NodeIx};

use super::arguments::Arguments;
use super::verify::{counterpart, is_use, sites};
use crate::resolve::distance;

/// Most letters in which a misspelled name differs.
const MOST: usize = 2;
/// Letters of the shortest name that is compared. Of shorter ones, too many are similar.
const SHORTEST: usize = 4;

/// What a node certainly used under a similar name more often before than now; `None` if the new name is one of the
/// project, or there is nothing like it.
pub(super) fn find_misspelled<'g>(old: &'g Graph, new: &Graph, node: NodeIx, name: &str) -> Option<&'g str> {
    let letters: Vec<char> = name.chars().collect();
    let is_ours = |found: NodeIx| !new.path(found).is_empty();
    let is_free = letters.len() >= SHORTEST && !new.find_labelled(name).into_iter().any(is_ours);
    let known = counterpart(old, new, node).filter(|_| is_free)?;
    let now = uses(new, node);
    let is_it = |(id, target, count): &(&str, NodeIx, usize)| {
        let label: Vec<char> = old.label(*target).chars().collect();
        now.get(id).is_none_or(|(_, now)| now < count)
            && new.find(id).is_some()
            && label.len() >= SHORTEST
            && distance(&letters, &label, MOST).is_some()
    };
    let before = uses(old, known).into_iter().map(|(id, (target, count))| (id, target, count));
    before.filter(is_it).map(|(_, target, _)| old.label(target)).next()
}

/// Names of a node that lead outside of the project now and did not before, like the last one a base class from outside
/// may have: each with its place, and what was certainly used under a similar name.
pub(super) fn misspelled_outside<'g>(
    old: &'g Graph,
    (new, facts): (&'g Graph, &mut Arguments<'_>),
    node: NodeIx,
) -> Vec<(String, Pos, &'g str)> {
    let Some(known) = counterpart(old, new, node) else { return Vec::new() };
    let outside = |graph: &'g Graph, node| {
        graph.out_edges(node).filter(|edge| is_use(edge.relation) && Graph::is_external(edge)).collect::<Vec<_>>()
    };
    let before: Vec<&str> = outside(old, known).iter().map(|edge| old.label(edge.to)).collect();
    let mut found: Vec<(String, Pos, &str)> = Vec::new();
    for edge in outside(new, node) {
        for pos in sites(&edge) {
            // The package that a base comes from stands for every member that it may have.
            let name = facts.name_at(new.path(node), pos).unwrap_or_else(|| new.label(edge.to).to_owned());
            if before.contains(&name.as_str()) || found.iter().any(|(known, ..)| *known == name) {
                continue;
            }
            if let Some(meant) = find_misspelled(old, new, node, &name) {
                found.push((name, pos, meant));
            }
        }
    }
    found
}

/// Places of a node with a certain target in the project, counted by the id of the target.
fn uses(graph: &Graph, node: NodeIx) -> BTreeMap<&str, (NodeIx, usize)> {
    let mut counts: BTreeMap<&str, (NodeIx, usize)> = BTreeMap::new();
    let certain = |edge: &m1nd_graph::EdgeRef<'_>| {
        edge.tier == EdgeTier::Certain && is_use(edge.relation) && !Graph::is_external(edge)
    };
    for edge in graph.out_edges(node).filter(certain) {
        counts.entry(graph.id(edge.to)).or_insert((edge.to, 0)).1 += edge.sites.len();
    }
    counts
}
