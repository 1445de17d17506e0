//! The next move, by the routes and the way so far.

use m1nd_base::count;
use m1nd_graph::{Graph, NodeIx};

use super::lens::Lens;
use super::links::{Scale, links};
use super::routes::{Route, RouteSet};
use super::state::Perspective;

/// Lead of a route whose family the way has not followed yet.
const NEW_FAMILY: f64 = 0.03;
/// By so much a route of the stop before has to be better to go back for it.
const WORTH_GOING_BACK: f64 = 0.1;
/// Lead of the best over the second with which the confidence is full.
const CLEAR_LEAD: f64 = 0.1;
/// Edges of a target that are counted.
const EDGES: usize = 2_000;

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Move {
    /// Follow the route at this place of the set.
    Follow(usize),
    /// Go back: nothing here, or a better route of the stop before, at this place of its set.
    Back(Option<usize>),
    /// Nothing leads on, and there is no way back.
    Nothing,
}

/// A suggested move.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The move.
    pub action: Move,
    /// Why, in words.
    pub reason: String,
    /// How clear the choice is, 0 to 1: the score of the route, less where a second one is nearly as good.
    pub confidence: f64,
}

/// Suggests the next move. `before` are the routes of the stop before, if there is one.
pub fn suggest(graph: &Graph, perspective: &Perspective, set: &RouteSet, before: Option<&RouteSet>) -> Suggestion {
    let seen: Vec<NodeIx> = perspective.stops().into_iter().filter_map(|id| graph.find(id)).collect();
    let is_new = |route: &Route| !perspective.steps.iter().any(|step| step.family == route.family);
    let value = |route: &Route| route.score + if is_new(route) { NEW_FAMILY } else { 0.0 };
    let open = |set: &RouteSet| {
        let open = set.routes.iter().enumerate().filter(|(_, route)| !seen.contains(&route.target));
        let mut open: Vec<(usize, f64)> = open.map(|(place, route)| (place, value(route))).collect();
        // Stable: of equals the first.
        open.sort_by(|a, b| b.1.total_cmp(&a.1));
        open
    };
    let here = open(set);
    // What can be reached from here as well is no reason to go back.
    let is_here = |route: &Route| set.routes.iter().any(|one| one.target == route.target);
    let earlier = before.and_then(|before| {
        let best = open(before).into_iter().find(|(place, _)| !is_here(&before.routes[*place]))?;
        Some((before, best))
    });
    match (here.first(), earlier) {
        (Some((_, best)), Some((before, (place, worth)))) if worth > best + WORTH_GOING_BACK => {
            let route = &before.routes[place];
            let label = graph.label(route.target);
            let reason = format!(
                "the best route from here scores {best:.2}; from the stop before, `{label}` scores {worth:.2} and was not visited: {}",
                route.reason
            );
            Suggestion { action: Move::Back(Some(place)), reason, confidence: clamp_to_one(worth - best + 0.5) }
        }
        (Some(&(place, best)), _) => {
            let route = &set.routes[place];
            let second = here.get(1).map_or(0.0, |(_, second)| *second);
            let lead = ((best - second) / CLEAR_LEAD).clamp(0.0, 1.0);
            let reason = reason(graph, perspective, route, here.len(), is_new(route));
            Suggestion {
                action: Move::Follow(place),
                reason,
                confidence: clamp_to_one(route.score * (1.0 + lead) / 2.0),
            }
        }
        (None, _) if !perspective.steps.is_empty() => {
            let reason = "everything that leads on from here was visited".to_owned();
            Suggestion { action: Move::Back(None), reason, confidence: 0.5 }
        }
        (None, _) => {
            let reason = "no route leads on from here: start again with other words or without a lens".to_owned();
            Suggestion { action: Move::Nothing, reason, confidence: 0.0 }
        }
    }
}

fn reason(graph: &Graph, perspective: &Perspective, route: &Route, open: usize, is_new: bool) -> String {
    let label = graph.label(route.target);
    let around = links(graph, route.target, Scale::of(graph, route.target), &Lens::default(), EDGES).links.len();
    let strongest = route.breakdown.parts().into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or("", |(name, _)| name);
    let new_family = match (is_new, perspective.steps.is_empty()) {
        (true, false) => format!("; no {} route was followed yet", route.family.word()),
        _ => String::new(),
    };
    format!(
        "best of {} not visited, above all by its {}{new_family}. {}. `{label}` is connected with {}",
        count(open, "route"),
        strongest.replace('_', " "),
        route.reason,
        count(around, "node")
    )
}

fn clamp_to_one(value: f64) -> f64 {
    value.clamp(0.0, 1.0)
}
