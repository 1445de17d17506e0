//! What a change adds: dependencies that contradict the declared layers, and circles of modules.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{Cancel, Cancelled};
use m1nd_engine::Snapshot;
use m1nd_graph::Graph;

use super::files::{Files, Grain, Modules, files};
use super::{Against, Declared, Layering, LayersQuery, place_of};

/// Dependencies that are cited for one circle.
const MAX_CITED: usize = 5;

/// A circle of modules that a change closes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCycle {
    /// Paths of the modules, each using the next and the last the first.
    pub modules: Vec<String>,
    /// Places (`path:line`) of the dependencies that close it, at most five.
    pub closed_by: Vec<String>,
}

/// What a change adds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewViolations {
    /// Of the state after: dependencies that contradict the declared layers; each with whether the change added it.
    pub against: Vec<(Against, bool)>,
    /// Circles of modules that were none before, each shown once.
    pub cycles: Vec<NewCycle>,
}

/// Compares two states of a project: what `after` has against its layers (those of the declaration, if there is one),
/// and the circles between folders that `before` did not have.
///
/// # Errors
/// [`Cancelled`].
pub fn new_layer_violations(
    before: &Snapshot,
    after: &Snapshot,
    declared: Option<&Declared>,
    cancel: &Cancel,
) -> Result<NewViolations, Cancelled> {
    let (old, new) = (files(before, cancel)?, files(after, cancel)?);
    let mut found = NewViolations::default();
    if let Some(declared) = declared {
        let query = LayersQuery { grain: Some(Grain::Folders), ..LayersQuery::default() };
        let known: BTreeSet<(&str, &str)> = old.arcs.iter().map(|arc| ends(before.graph(), &old, arc)).collect();
        let layering = Layering::of(after, &new, Some(declared), &query, cancel)?;
        let is_new = |row: &Against| !known.contains(&ends(after.graph(), &new, &new.arcs[row.arc]));
        found.against = layering.against.iter().map(|row| (*row, is_new(row))).collect();
    }
    found.cycles = cycles((before.graph(), &old), (after.graph(), &new));
    Ok(found)
}

fn ends<'g>(graph: &'g Graph, files: &Files, arc: &super::FileArc) -> (&'g str, &'g str) {
    (graph.path(files.nodes[arc.from]), graph.path(files.nodes[arc.to]))
}

/// The circles of folders of one state that another does not have: a new dependency between two modules leads back.
fn cycles(before: (&Graph, &Files), after: (&Graph, &Files)) -> Vec<NewCycle> {
    let grain = Some(Grain::Folders);
    let (old, _) = Modules::of(before.0, before.1, grain, |_| true);
    let (new, _) = Modules::of(after.0, after.1, grain, |_| true);
    let circle = |modules: &Modules| -> BTreeMap<String, usize> {
        let rows = modules.circles().iter().enumerate();
        rows.flat_map(|(at, row)| row.iter().map(move |module| (*module, at)))
            .map(|(module, at)| (modules.names[module].clone(), at))
            .collect()
    };
    let (was, is) = (circle(&old), circle(&new));
    let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
    let mut found = Vec::new();
    for (&(a, b), joint) in &new.joints {
        let (from, to) = (&new.names[a], &new.names[b]);
        let is_circular = is.get(from).is_some_and(|at| is.get(to) == Some(at));
        let was_circular = was.get(from).is_some_and(|at| was.get(to) == Some(at));
        let was_there = || {
            let place = |name: &String| old.names.iter().position(|known| known == name);
            place(from).zip(place(to)).is_some_and(|pair| old.joints.contains_key(&pair))
        };
        // A circle that grew is none that is new, and what was there before closes none.
        if !is_circular || was_circular || was_there() {
            continue;
        }
        let Some(modules) = way(&new, b, a) else { continue };
        let mut key: Vec<String> = modules.iter().map(|module| new.names[*module].clone()).collect();
        let names = key.clone();
        key.sort();
        if seen.insert(key) {
            let cited = joint.arcs.iter().take(MAX_CITED).map(|at| place_of(after.0, after.1, &after.1.arcs[*at]));
            // It starts with the module whose dependency closes it.
            let mut modules = names;
            modules.rotate_right(1);
            found.push(NewCycle { modules, closed_by: cited.collect() });
        }
    }
    found
}

/// A shortest way between two modules: its modules from the first to the last.
fn way(modules: &Modules, from: usize, to: usize) -> Option<Vec<usize>> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); modules.names.len()];
    modules.joints.keys().for_each(|(a, b)| next[*a].push(*b));
    let mut before: Vec<Option<usize>> = vec![None; next.len()];
    let mut open = std::collections::VecDeque::from([from]);
    while let Some(module) = open.pop_front() {
        if module == to {
            let mut way = vec![to];
            let mut at = to;
            while let Some(previous) = before[at].filter(|_| at != from) {
                way.push(previous);
                at = previous;
            }
            way.reverse();
            return Some(way);
        }
        for &other in &next[module] {
            if other != from && before[other].is_none() {
                before[other] = Some(module);
                open.push_back(other);
            }
        }
    }
    None
}
