//! What a perspective keeps between calls: ids and words, nothing of a snapshot.

use serde::{Deserialize, Serialize};

use super::family::Family;
use super::lens::Lens;

/// Maximum stops of a way.
pub const MAX_STEPS: usize = 200;
/// Hops from the anchor up to which a perspective stays anchored.
pub const ANCHORED_HOPS: u32 = 8;
/// Default routes of a page.
pub const PAGE_SIZE: usize = 6;
/// Bits of a route set version that depend on the graph and the history.
const BASIS_BITS: u32 = 24;

/// A way through the graph: where it started, and where it has been. Routes are a function of it and of a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Perspective {
    /// The query that it was started with.
    pub query: String,
    /// Id of the node that routes stay related to.
    pub anchor: Option<String>,
    /// What its routes may be, and what counts.
    pub lens: Lens,
    /// The stops behind the start, oldest first.
    pub steps: Vec<Step>,
    /// Number of moves, forth and back: it never decreases.
    pub moves: u64,
    /// The page shown last, 1-based.
    pub page: usize,
    /// Its rows.
    pub page_size: usize,
    /// Generation of the graph at the last call that changed it.
    pub generation: u64,
    /// Number of its routes at that call.
    #[serde(default)]
    pub route_count: usize,
    /// Where it was branched from.
    pub branch: Option<Branch>,
}

/// A stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Id of its node.
    pub node: String,
    /// The route that led there.
    pub route_id: String,
    /// Family of that route.
    pub family: Family,
    /// Hops from the anchor; 0 without one.
    pub hops: u32,
}

/// Origin of a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branch {
    /// Its name.
    pub name: String,
    /// Id of the perspective that it was branched from.
    pub from: String,
}

/// How routes are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// They stay related to the anchor.
    Anchored,
    /// They come from the focus and the query alone.
    Local,
}

impl Mode {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Anchored => "anchored",
            Self::Local => "local",
        }
    }
}

impl Perspective {
    /// A perspective at its start.
    pub fn new(query: String, anchor: Option<String>, lens: Lens, generation: u64) -> Self {
        let (page, page_size) = (1, PAGE_SIZE);
        Self {
            query,
            anchor,
            lens,
            steps: Vec::new(),
            moves: 0,
            page,
            page_size,
            generation,
            route_count: 0,
            branch: None,
        }
    }

    /// Id of the node at its centre: the last stop, at the start the anchor; `None` at the start of a query alone.
    pub fn focus(&self) -> Option<&str> {
        self.steps.last().map(|step| &*step.node).or(self.anchor.as_deref())
    }

    /// Hops of the focus from the anchor along the way; 0 without an anchor.
    pub fn hops(&self) -> u32 {
        self.steps.last().map_or(0, |step| step.hops)
    }

    /// The mode that it was started in.
    pub fn mode(&self) -> Mode {
        if self.anchor.is_some() { Mode::Anchored } else { Mode::Local }
    }

    /// The mode in effect: too far from its anchor, a perspective is local.
    pub fn mode_effective(&self) -> Mode {
        if self.hops() > ANCHORED_HOPS { Mode::Local } else { self.mode() }
    }

    /// Ids of the anchor and of all stops, without repetitions, oldest first.
    pub fn stops(&self) -> Vec<&str> {
        let mut stops: Vec<&str> = Vec::new();
        for id in self.anchor.as_deref().into_iter().chain(self.steps.iter().map(|step| &*step.node)) {
            if !stops.contains(&id) {
                stops.push(id);
            }
        }
        stops
    }

    /// Goes to a stop and shows the first page there.
    pub fn follow(&mut self, step: Step, generation: u64) {
        self.steps.push(step);
        self.record_move(generation);
    }

    /// Goes back to the stop before. Returns the one that was left; `None`, and nothing changes, at the start.
    pub fn back(&mut self, generation: u64) -> Option<Step> {
        let left = self.steps.pop()?;
        self.record_move(generation);
        Some(left)
    }

    fn record_move(&mut self, generation: u64) {
        self.moves += 1;
        (self.page, self.generation) = (1, generation);
    }

    /// A perspective of its own with the same way, lens and page.
    pub fn branch_off(&self, name: String, from: String) -> Self {
        Self { branch: Some(Branch { name, from }), ..self.clone() }
    }

    /// Number of the set of routes: equal as long as the way, the graph and the history are, and larger after each move
    /// on the same graph. `basis` is a hash of the graph's generation and the history's state.
    pub fn route_set_version(&self, basis: u64) -> u64 {
        (self.moves + 1) << BASIS_BITS | (basis & ((1 << BASIS_BITS) - 1))
    }
}

/// Whether two versions of one perspective differ in its moves, and not only in the graph or the history.
pub fn has_moved(one: u64, other: u64) -> bool {
    one >> BASIS_BITS != other >> BASIS_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(node: &str, hops: u32) -> Step {
        Step { node: node.to_owned(), route_id: "R_1".to_owned(), family: Family::Semantic, hops }
    }

    #[test]
    fn back_undoes_follow_but_for_the_number_of_moves() {
        let start = Perspective::new("query".to_owned(), Some("file::a.py".to_owned()), Lens::default(), 3);
        let mut way = start.clone();
        assert_eq!(way.back(3), None);
        way.follow(step("file::b.py", 1), 3);
        assert_eq!((way.focus(), way.stops()), (Some("file::b.py"), vec!["file::a.py", "file::b.py"]));
        assert_eq!(way.back(3), Some(step("file::b.py", 1)));
        assert_eq!(Perspective { moves: 0, ..way.clone() }, start);
        assert!(way.route_set_version(7) > start.route_set_version(7));
        assert_ne!(way.route_set_version(7), way.route_set_version(8));
    }

    #[test]
    fn too_far_from_the_anchor_is_local_until_it_comes_back() {
        let mut way = Perspective::new("query".to_owned(), Some("file::a.py".to_owned()), Lens::default(), 1);
        way.follow(step("file::b.py", ANCHORED_HOPS), 1);
        assert_eq!(way.mode_effective(), Mode::Anchored);
        way.follow(step("file::c.py", ANCHORED_HOPS + 1), 1);
        assert_eq!((way.mode(), way.mode_effective()), (Mode::Anchored, Mode::Local));
        way.back(1);
        assert_eq!(way.mode_effective(), Mode::Anchored);
    }
}
