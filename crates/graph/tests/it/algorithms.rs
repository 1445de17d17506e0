//! Paths and reach, checked against exhaustive enumeration on small graphs.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{Cancel, EdgeTier, NodeKind, Relation};
use m1nd_graph::loss::{Loss, LossLimits, synergy};
use m1nd_graph::paths::{PathQuery, Way, cheapest_paths};
use m1nd_graph::reach::{ReachQuery, Side, dependents, reach};
use m1nd_graph::spread::{self, SpreadQuery, SpreadWeights, spread};
use m1nd_graph::support::{Roots, find_broken, orphans, supporters};
use m1nd_graph::{Articulation, EdgeRef, Graph, NodeIx, weights};
use m1nd_testkit::Random;
use rustc_hash::FxHashSet;

use crate::model::Model;

/// All edges, including those from dispatch, by enumerating overrides.
fn all_edges(graph: &Graph) -> Vec<EdgeRef<'_>> {
    let mut all: Vec<EdgeRef<'_>> = graph.nodes().flat_map(|node| graph.out_edges(node)).collect();
    let mut overrides: BTreeSet<(NodeIx, NodeIx)> =
        all.iter().filter(|edge| edge.relation == Relation::Overrides).map(|edge| (edge.from, edge.to)).collect();
    loop {
        let further: Vec<(NodeIx, NodeIx)> = overrides
            .iter()
            .flat_map(|&(a, b)| overrides.iter().filter(move |(c, _)| *c == b).map(move |&(_, d)| (a, d)))
            .filter(|pair| !overrides.contains(pair))
            .collect();
        if further.is_empty() {
            break;
        }
        overrides.extend(further);
    }
    for call in all.clone().into_iter().filter(|edge| edge.dispatches) {
        let by = overrides.iter().filter(|(by, of)| *of == call.to && by != of).map(|(by, _)| *by);
        let by: Vec<NodeIx> = by.collect();
        let of = by.len() as u16 + 1;
        all.extend(by.into_iter().map(|to| EdgeRef { to, of, tier: EdgeTier::Possible, ..call }));
    }
    all
}

/// Cheapest step to each neighbour.
fn neighbours(edges: &[EdgeRef<'_>], node: NodeIx, way: Way) -> BTreeMap<NodeIx, u32> {
    let mut found: BTreeMap<NodeIx, u32> = BTreeMap::new();
    let mut add = |to: NodeIx, cost: u32| {
        let best = found.entry(to).or_insert(u32::MAX);
        *best = cost.min(*best);
    };
    if way != Way::Backward {
        let from = edges.iter().filter(|edge| edge.from == node);
        from.for_each(|edge| add(edge.to, weights::path_cost(edge, true)));
    }
    if way != Way::Forward {
        let less = if way == Way::Backward { weights::BACKWARD_COST } else { 0 };
        let to = edges.iter().filter(|edge| edge.to == node);
        to.for_each(|edge| add(edge.from, weights::path_cost(edge, false) - less));
    }
    found
}

/// Costs of all simple paths.
fn all_paths(graph: &Graph, query: &PathQuery) -> Vec<u32> {
    let edges = all_edges(graph);
    let mut costs = Vec::new();
    let mut stack = vec![(vec![query.from], 0u32)];
    while let Some((path, cost)) = stack.pop() {
        let last = *path.last().expect("never empty");
        if last == query.to {
            costs.push(cost);
            continue;
        }
        if path.len() as u32 > query.max_hops || (path.len() > 1 && graph.kind(last).is_outside()) {
            continue;
        }
        for (next, step) in neighbours(&edges, last, query.way) {
            if !path.contains(&next) {
                let mut longer = path.clone();
                longer.push(next);
                stack.push((longer, cost + step));
            }
        }
    }
    costs.sort_unstable();
    costs
}

#[test]
fn paths_are_the_cheapest_simple_ones() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let graph = Model::random(&mut random, 5).build(&mut random);
        let nodes: Vec<NodeIx> = graph.nodes().collect();
        for way in [Way::Forward, Way::Backward, Way::Mixed] {
            let (from, to) = (nodes[random.below(nodes.len())], nodes[random.below(nodes.len())]);
            let query = PathQuery { from, to, way, max_hops: 4, k: 4, budget: 1_000_000 };
            let found = cheapest_paths(&graph, &query, &Cancel::new()).expect("not cancelled");
            assert!(!found.budget_exhausted);
            let costs: Vec<u32> = found.paths.iter().map(|path| path.cost).collect();
            let expected: Vec<u32> = all_paths(&graph, &query).into_iter().take(4).collect();
            assert_eq!(costs, expected, "seed {seed} {way:?}");
            for path in &found.paths {
                let mut at = from;
                let mut seen = vec![at];
                for step in &path.steps {
                    assert_eq!(step.from(), at, "seed {seed}: steps follow each other");
                    at = step.to();
                    assert!(!seen.contains(&at), "seed {seed}: a node comes twice");
                    seen.push(at);
                }
                assert_eq!(at, to);
            }
        }
    }
}

#[test]
fn a_small_budget_is_said_to_have_ended() {
    let mut random = Random::new(5);
    let graph = Model::random(&mut random, 60).build(&mut random);
    let nodes: Vec<NodeIx> = graph.nodes().collect();
    let mut ended = 0;
    for _ in 0..50 {
        let (from, to) = (nodes[random.below(nodes.len())], nodes[random.below(nodes.len())]);
        let bounds = |budget| PathQuery { from, to, way: Way::Mixed, max_hops: 6, k: 3, budget };
        let small = cheapest_paths(&graph, &bounds(5), &Cancel::new()).expect("not cancelled");
        let large = cheapest_paths(&graph, &bounds(5_000_000), &Cancel::new()).expect("not cancelled");
        // A small budget finds correct paths, and does not claim that others are absent.
        let cost = |paths: &[m1nd_graph::paths::FoundPath<'_>]| paths.first().map(|path| path.cost);
        match cost(&small.paths) {
            Some(found) => assert_eq!(Some(found), cost(&large.paths)),
            None => assert!(small.budget_exhausted || large.paths.is_empty()),
        }
        ended += usize::from(small.budget_exhausted);
    }
    assert!(ended > 0);
}

/// Distance and strength by definition: level by level over full tables.
fn compute_expected(graph: &Graph, start: NodeIx, side: Side, max_hops: u32) -> BTreeMap<NodeIx, (u32, f64)> {
    let mut strongest: BTreeMap<(NodeIx, NodeIx), f64> = BTreeMap::new();
    for edge in all_edges(graph).into_iter().filter(|edge| edge.relation.carries_change()) {
        let ends = if side == Side::Dependents { (edge.to, edge.from) } else { (edge.from, edge.to) };
        let best = strongest.entry(ends).or_insert(0.0);
        *best = best.max(weights::change(&edge));
    }
    let mut found = BTreeMap::from([(start, (0, 1.0))]);
    for hops in 1..=max_hops {
        let mut level = BTreeMap::new();
        for (&(nearer, farther), &chance) in &strongest {
            if let Some(&(at, strength)) = found.get(&nearer)
                && at == hops - 1
                && !found.contains_key(&farther)
            {
                *level.entry(farther).or_insert(1.0) *= 1.0 - strength * chance;
            }
        }
        found.extend(level.into_iter().map(|(node, miss)| (node, (hops, 1.0 - miss))));
    }
    found.remove(&start);
    found
}

#[test]
fn reach_is_what_its_definition_says() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let graph = Model::random(&mut random, 8).build(&mut random);
        let nodes: Vec<NodeIx> = graph.nodes().collect();
        let start = nodes[random.below(nodes.len())];
        for side in [Side::Dependents, Side::Dependencies] {
            let query = ReachQuery { side, max_hops: 3, min_strength: 0.0, max_nodes: 10_000 };
            let found = reach(&graph, &[start], &query, &Cancel::new()).expect("not cancelled");
            let expected = compute_expected(&graph, start, side, 3);
            let rows: BTreeMap<NodeIx, u32> = found.rows.iter().map(|row| (row.node, row.hops)).collect();
            assert_eq!(rows, expected.iter().map(|(node, row)| (*node, row.0)).collect(), "seed {seed} {side:?}");
            for row in &found.rows {
                assert!((row.strength - expected[&row.node].1).abs() < 1e-9, "seed {seed} {side:?}");
                let witness = found.witness(row);
                assert_eq!(witness.len() as u32, row.hops, "seed {seed}: a witness is as long as its distance");
                assert_eq!(witness.last().expect("not empty").nearer, start);
            }
        }
    }
}

#[test]
fn a_bound_on_nodes_is_said_to_have_cut() {
    let mut random = Random::new(11);
    let graph = Model::random(&mut random, 60).build(&mut random);
    let query = |max_nodes| ReachQuery { side: Side::Dependents, max_hops: 6, min_strength: 0.0, max_nodes };
    let cut = graph.nodes().filter(|&node| {
        let all = reach(&graph, &[node], &query(10_000), &Cancel::new()).expect("not cancelled");
        let some = reach(&graph, &[node], &query(3), &Cancel::new()).expect("not cancelled");
        assert!(some.rows.len() <= 3);
        assert!(some.incomplete || all.rows.len() <= 3);
        some.incomplete
    });
    assert!(cut.count() > 0);
}

/// Personalised PageRank by definition: iteration over full tables until it converges.
fn shares(graph: &Graph, start: NodeIx, restart: f64) -> BTreeMap<NodeIx, f64> {
    let passage = |node: NodeIx| graph.kind(node) != NodeKind::Directory && !graph.kind(node).is_outside();
    let mut weights: BTreeMap<NodeIx, BTreeMap<NodeIx, f64>> = BTreeMap::new();
    for edge in graph.nodes().flat_map(|node| graph.out_edges(node)).filter(|edge| edge.from != edge.to) {
        let weight = spread::weight(&edge);
        for (from, to) in [(edge.from, edge.to), (edge.to, edge.from)] {
            if weight > 0.0 && passage(to) {
                *weights.entry(from).or_default().entry(to).or_default() += weight;
            }
        }
    }
    let mut share = BTreeMap::from([(start, 1.0)]);
    for _ in 0..400 {
        let mut next = BTreeMap::from([(start, restart)]);
        for (node, mass) in &share {
            match weights.get(node) {
                Some(targets) => {
                    let degree: f64 = targets.values().sum();
                    for (to, weight) in targets {
                        *next.entry(*to).or_insert(0.0) += (1.0 - restart) * mass * weight / degree;
                    }
                }
                None => *next.entry(*node).or_insert(0.0) += (1.0 - restart) * mass,
            }
        }
        share = next;
    }
    share
}

#[test]
fn nearness_is_personalised_pagerank() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let graph = Model::random(&mut random, 8).build(&mut random);
        let nodes: Vec<NodeIx> = graph.nodes().collect();
        let start = nodes[random.below(nodes.len())];
        let weights = SpreadWeights::of(&graph, &Cancel::new()).expect("not cancelled");
        let query = SpreadQuery { restart: 0.2, tolerance: 1e-12, max_edges: usize::MAX };
        let found = spread(&graph, &[(start, 2.0)], &query, &weights, &Cancel::new()).expect("not cancelled");
        assert!(!found.incomplete);
        let expected = shares(&graph, start, 0.2);
        for near in &found.nodes {
            let share = expected.get(&near.node).copied().unwrap_or(0.0);
            assert!((near.share - share).abs() < 1e-6, "seed {seed}: {} {} {share}", graph.id(near.node), near.share);
        }
        let sum: f64 = found.nodes.iter().map(|near| near.share).sum();
        assert!((sum - 1.0).abs() < 1e-6, "seed {seed}: {sum}");
        // Rough answers are lower, never higher.
        let rough = SpreadQuery { tolerance: 1e-2, ..query };
        let rough = spread(&graph, &[(start, 1.0)], &rough, &weights, &Cancel::new()).expect("not cancelled");
        for near in &rough.nodes {
            assert!(near.share <= expected.get(&near.node).copied().unwrap_or(0.0) + 1e-6, "seed {seed}");
        }
    }
}

/// The nodes that only removed ones keep in use, as the greatest set that no node outside of it supports.
fn orphans_by_definition(graph: &Graph, removed: &FxHashSet<NodeIx>) -> BTreeSet<NodeIx> {
    let supporters: BTreeMap<NodeIx, Vec<NodeIx>> = graph.nodes().map(|node| (node, supporters(graph, node))).collect();
    let mut reached: BTreeSet<NodeIx> = removed.iter().copied().collect();
    loop {
        let next =
            supporters.iter().find(|(node, by)| !reached.contains(node) && by.iter().any(|by| reached.contains(by)));
        let Some((node, _)) = next else { break };
        reached.insert(*node);
    }
    loop {
        let kept = reached.iter().find(|node| {
            !removed.contains(node) && supporters[node].iter().any(|by| !reached.contains(by) && !removed.contains(by))
        });
        let Some(node) = kept.copied() else { break };
        reached.remove(&node);
    }
    reached.into_iter().filter(|node| !removed.contains(node)).collect()
}

#[test]
fn orphans_are_the_greatest_set_that_only_removed_nodes_support() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let model = Model::random(&mut random, 5);
        let graph = model.build(&mut random);
        let all: Vec<NodeIx> = graph.nodes().collect();
        let removed: FxHashSet<NodeIx> = (0..1 + random.below(3)).map(|_| all[random.below(all.len())]).collect();
        let roots = Roots::of(&graph, &Cancel::new()).expect("not cancelled");
        let found = orphans(&graph, &roots, &removed, usize::MAX, &Cancel::new()).expect("not cancelled");
        assert!(!found.incomplete);
        let found: BTreeSet<NodeIx> = found.nodes.into_iter().collect();
        assert_eq!(found, orphans_by_definition(&graph, &removed), "seed {seed}");
    }
}

#[test]
fn dependents_are_the_rows_of_a_reach_that_leaves_none_out() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let graph = Model::random(&mut random, 6).build(&mut random);
        let nodes: Vec<NodeIx> = graph.nodes().collect();
        let start = nodes[random.below(nodes.len())];
        let query = ReachQuery { side: Side::Dependents, max_hops: 3, min_strength: 0.0, max_nodes: usize::MAX };
        let reached = reach(&graph, &[start], &query, &Cancel::new()).expect("not cancelled");
        let expected: BTreeSet<(NodeIx, u32)> = reached.rows.iter().map(|row| (row.node, row.hops)).collect();
        let found = dependents(&graph, &[start], 3, usize::MAX, &Cancel::new()).expect("not cancelled");
        assert!(found.is_sorted_by_key(|(_, hops)| *hops), "seed {seed}");
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "seed {seed}");
    }
}

/// The nodes that break: one step more as long as there is one.
fn broken_by_definition(graph: &Graph, removed: &FxHashSet<NodeIx>) -> BTreeMap<NodeIx, u32> {
    let edges = all_edges(graph);
    let is_certain = |edge: &&EdgeRef<'_>| edge.tier == EdgeTier::Certain && !removed.contains(&edge.from);
    // What the removed nodes and those exposing them hand on, by distance.
    let mut exposed: BTreeMap<NodeIx, u32> = removed.iter().map(|&node| (node, 0)).collect();
    let mut broken: BTreeMap<NodeIx, u32> = BTreeMap::new();
    for hops in 1..=graph.node_count() as u32 + 1 {
        let last: BTreeSet<NodeIx> = exposed.iter().filter(|(_, at)| **at == hops - 1).map(|(node, _)| *node).collect();
        for edge in edges.iter().filter(is_certain).filter(|edge| last.contains(&edge.to)) {
            let weights = weights::of(edge.relation);
            if weights.names_signature {
                broken.entry(edge.from).or_insert(hops);
            }
            if weights.names_signature && weights.passes_signature {
                exposed.entry(edge.from).or_insert(hops);
            }
        }
    }
    broken
}

#[test]
fn the_break_set_is_what_its_definition_says() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let graph = Model::random(&mut random, 6).build(&mut random);
        let nodes: Vec<NodeIx> = graph.nodes().collect();
        let removed: FxHashSet<NodeIx> = (0..1 + random.below(3)).map(|_| nodes[random.below(nodes.len())]).collect();
        let found = find_broken(&graph, &removed, &Cancel::new()).expect("not cancelled");
        let found: BTreeMap<NodeIx, u32> = found.into_iter().map(|(node, row)| (node, row.hops)).collect();
        assert_eq!(found, broken_by_definition(&graph, &removed), "seed {seed}");
    }
}

/// All that goes with some nodes, by the definitions of its parts.
fn lost_by_definition(graph: &Graph, nodes: &[NodeIx]) -> BTreeSet<NodeIx> {
    let mut removed: FxHashSet<NodeIx> = nodes.iter().copied().collect();
    loop {
        let inner = graph.nodes().find(|node| {
            !removed.contains(node)
                && graph.in_edges(*node).any(|edge| edge.relation == Relation::Contains && removed.contains(&edge.from))
        });
        let Some(inner) = inner else { break };
        removed.insert(inner);
    }
    let broken = broken_by_definition(graph, &removed).into_keys();
    broken.chain(orphans_by_definition(graph, &removed)).collect()
}

#[test]
fn joint_and_single_losses_are_what_their_definitions_say() {
    let limits = LossLimits { removed: usize::MAX, region: usize::MAX };
    let mut kinds = BTreeSet::new();
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let graph = Model::random(&mut random, 6).build(&mut random);
        let all: Vec<NodeIx> = graph.nodes().collect();
        let nodes: BTreeSet<NodeIx> = (0..3).map(|_| all[random.below(all.len())]).collect();
        let nodes: Vec<NodeIx> = nodes.into_iter().collect();
        let roots = Roots::of(&graph, &Cancel::new()).expect("not cancelled");
        let count = |nodes: &[NodeIx]| {
            let loss = Loss::of(&graph, &roots, nodes, &limits, &Cancel::new()).expect("not cancelled");
            assert!(!loss.incomplete);
            assert_eq!(loss.count(), lost_by_definition(&graph, nodes).len(), "seed {seed}");
            loss.count()
        };
        let single: Vec<usize> = nodes.iter().map(|&node| count(&[node])).collect();
        let (joint, sum) = (count(&nodes), single.iter().sum::<usize>());
        let factor = synergy(joint, single);
        assert_eq!(factor.is_some(), sum > 0, "seed {seed}");
        kinds.insert(factor.map(|factor| factor.total_cmp(&1.0)));
    }
    // Nodes that replace each other, that take the same with them, and those that have nothing to do with each other.
    assert!(kinds.len() >= 3, "{kinds:?}");
}

/// Sizes of the connected parts of the graph without a node, as far as they were connected to it.
fn parts_without(graph: &Graph, without: NodeIx) -> Vec<usize> {
    let counts = |edge: &EdgeRef<'_>| edge.relation.carries_change() && edge.tier != EdgeTier::External;
    let neighbours = |node: NodeIx| {
        let out = graph.out_edges(node).filter(counts).map(|edge| edge.to);
        out.chain(graph.in_edges(node).filter(counts).map(|edge| edge.from)).collect::<BTreeSet<_>>()
    };
    let mut seen = BTreeSet::from([without]);
    let mut sizes = Vec::new();
    for start in neighbours(without) {
        let (mut open, before) = (vec![start], seen.len());
        while let Some(node) = open.pop() {
            if seen.insert(node) {
                open.extend(neighbours(node));
            }
        }
        sizes.extend(Some(seen.len() - before).filter(|size| *size > 0));
    }
    sizes
}

#[test]
fn articulation_points_cut_off_all_but_the_largest_part() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let graph = Model::random(&mut random, 6).build(&mut random);
        let found = Articulation::of(&graph, &Cancel::new()).expect("not cancelled");
        for node in graph.nodes() {
            let parts = parts_without(&graph, node);
            let cut = parts.iter().sum::<usize>() - parts.iter().max().copied().unwrap_or(0);
            assert_eq!(found.count_detached(node), cut, "seed {seed}, {}", graph.id(node));
        }
    }
}
