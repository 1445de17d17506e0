//! `cargo xtask eval navigate`: whether guided navigation leads to the files that a fix changed.
//!
//! For each text of `eval localize` a perspective is started without an anchor, and its top route followed three times.
//! The walk reaches a file as soon as a stop is in it. It is compared with the top route of the start alone, and with
//! reading the start's list instead: the first three files in it.

use m1nd_base::Cancel;
use m1nd_engine::Snapshot;
use m1nd_query::navigation::{Lens, Perspective, RouteSet, Step, hops_of, routes};
use serde::{Deserialize, Serialize};

use super::economy::keep_json;
use super::localize::{Request, Row, for_each_row};
use crate::Outcome;

/// Routes that are followed.
const FOLLOWED: usize = 3;
/// Longest text, in bytes: that of the tool.
const MAX_QUERY: usize = 10_000;

/// What a walk reached.
#[derive(Debug, Clone, Default, PartialEq)]
struct Walk {
    id: String,
    /// Number of the first stop in a file that the fix changed, from 1.
    walked: Option<usize>,
    /// Place of the first such file in the start's list, by file, from 1.
    listed: Option<usize>,
    /// Files of the stops.
    stops: Vec<String>,
    gold: Vec<String>,
}

/// What is kept of a set of rows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Navigation {
    format_version: u32,
    rows: usize,
    /// Share of texts whose top route of the start leads to a changed file.
    top_route: f64,
    /// Share of texts for which one of the first one, two, three stops is in a changed file.
    walk: Vec<f64>,
    /// Share of texts with a changed file among the first one, two, three files of the start's list.
    list: Vec<f64>,
    /// Of the whole walk over the top route, in points.
    gain: f64,
    /// By text: the number of the stop that reached a changed file, 0 if none did.
    reached: std::collections::BTreeMap<String, usize>,
}

pub(in crate::eval) fn run(args: &[String]) -> Outcome<()> {
    let request = Request::parse(args)?;
    for file in &request.rows {
        let name = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let rows = request.rows_of(file)?;
        let walks: Vec<Walk> = for_each_row(&request, &rows, walk)?.into_iter().flatten().collect();
        for walk in walks.iter().filter(|walk| walk.walked.is_none()).take(request.explain) {
            println!("{}: {} — gold {}", walk.id, walk.stops.join(" → "), walk.gold.join(" "));
        }
        let found = Navigation::of(&walks);
        println!("{name}\n{}", found.table());
        keep_json(&found, "navigate", &name, request.keep)?;
    }
    Ok(())
}

fn walk(row: &Row, snapshot: &Snapshot) -> Outcome<Walk> {
    let (graph, cancel) = (snapshot.graph(), Cancel::new());
    let history = snapshot.loaded_history();
    let query = row.query[..row.query.floor_char_boundary(MAX_QUERY)].to_owned();
    let mut perspective = Perspective::new(query, None, Lens::default(), snapshot.generation());
    let start = routes(snapshot, &perspective, history.as_ref(), &cancel)?;
    let mut walk = Walk { id: row.id.clone(), gold: row.gold_files.clone(), ..Walk::default() };
    let is_gold = |path: &str| row.gold_files.iter().any(|gold| gold == path);
    walk.listed = files(snapshot, &start).iter().position(|path| is_gold(path)).map(|at| at + 1);
    for number in 1..=FOLLOWED {
        let set = routes(snapshot, &perspective, history.as_ref(), &cancel)?;
        let Some(route) = set.routes.first() else { break };
        let path = graph.path(route.target).to_owned();
        if is_gold(&path) && walk.walked.is_none() {
            walk.walked = Some(number);
        }
        walk.stops.push(path);
        let hops = hops_of(graph, &perspective, route);
        let node = graph.id(route.target).to_owned();
        perspective
            .follow(Step { node, route_id: route.id.clone(), family: route.family, hops }, snapshot.generation());
    }
    Ok(walk)
}

/// The files that routes lead to, by the best of each.
fn files<'s>(snapshot: &'s Snapshot, set: &RouteSet) -> Vec<&'s str> {
    let mut files: Vec<&str> = Vec::new();
    for route in &set.routes {
        let path = snapshot.graph().path(route.target);
        if !files.contains(&path) {
            files.push(path);
        }
    }
    files
}

impl Navigation {
    fn of(walks: &[Walk]) -> Self {
        let share = |of: &dyn Fn(&Walk) -> bool| {
            let hits = walks.iter().filter(|walk| of(walk)).count();
            (hits as f64 / walks.len().max(1) as f64 * 1e4).round() / 1e4
        };
        let within = |at: fn(&Walk) -> Option<usize>| {
            let shares = (1..=FOLLOWED).map(|most| share(&|walk| at(walk).is_some_and(|at| at <= most)));
            shares.collect::<Vec<f64>>()
        };
        let (walk, list) = (within(|walk| walk.walked), within(|walk| walk.listed));
        Self {
            format_version: 1,
            rows: walks.len(),
            top_route: list[0],
            gain: ((walk[FOLLOWED - 1] - list[0]) * 1e4).round() / 1e2,
            walk,
            list,
            reached: walks.iter().map(|walk| (walk.id.clone(), walk.walked.unwrap_or(0))).collect(),
        }
    }

    fn table(&self) -> String {
        let row = |name: &str, shares: &[f64]| {
            let cells: Vec<String> = shares.iter().map(|share| format!("{:.1}", share * 100.0)).collect();
            format!("| {name} | {} |", cells.join(" | "))
        };
        format!(
            "{} texts, a changed file reached, in percent\n| | 1 | 2 | 3 |\n|---|---|---|---|\n{}\n{}\n\
             the walk reaches one {:.1} points more often than the top route alone",
            self.rows,
            row("stops of the walk", &self.walk),
            row("files of the start's list", &self.list),
            self.gain
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walk_is_compared_with_the_top_route_and_the_list() {
        let walk = |id: &str, walked, listed| Walk { id: id.to_owned(), walked, listed, ..Walk::default() };
        let walks = [
            walk("a", Some(1), Some(1)),
            walk("b", Some(3), Some(9)),
            walk("c", Some(2), Some(2)),
            walk("d", None, Some(3)),
        ];
        let found = Navigation::of(&walks);
        assert_eq!((found.rows, found.top_route, found.gain), (4, 0.25, 50.0));
        assert_eq!((found.walk, found.list), (vec![0.25, 0.5, 0.75], vec![0.25, 0.5, 0.75]));
        assert_eq!(found.reached["d"], 0);
    }
}
