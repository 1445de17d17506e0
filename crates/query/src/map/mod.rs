//! The map of a repository: packages → folders → files → symbols as circles inside circles, with bundled edges, at the
//! level of detail that a reader has opened.
//!
//! The layout is that of the whole tree, so opening a node moves no other, and equal snapshots give equal maps.

mod color;
mod tree;

use m1nd_base::{Cancel, Cancelled, Relation};
use m1nd_engine::Snapshot;
use rustc_hash::FxHashMap;
use serde::Serialize;

pub use color::{Color, ColorValue, Legend};
use tree::{Arc, MapTree};

/// Width and height of the square that the map fills.
pub const BOUNDS: f64 = 1_000.0;
/// Default number of nodes.
pub const DEFAULT_NODES: usize = 2_000;
/// Maximum number of nodes of one answer.
pub const MAX_NODES: usize = 20_000;
/// Default number of bundled edges.
pub const DEFAULT_EDGES: usize = 4_000;
/// Maximum number of bundled edges of one answer.
pub const MAX_EDGES: usize = 40_000;
/// Maximum number of ids to open and to reveal; more are listed in [`MapAnswer::unknown`].
pub const MAX_OPEN: usize = 1_000;

/// A question for the map.
#[derive(Debug, Clone)]
pub struct MapQuery {
    /// Ids of nodes that are replaced by their content, and with them all that contain them.
    pub open: Vec<String>,
    /// Ids of nodes to show, also beyond the limit: what contains them is opened.
    pub reveal: Vec<String>,
    /// Nodes, at most [`MAX_NODES`]; the largest are kept.
    pub limit: usize,
    /// Bundled edges, at most [`MAX_EDGES`]; the strongest are kept.
    pub edges: usize,
    /// What the colour shows.
    pub color: Option<Color>,
}

impl Default for MapQuery {
    fn default() -> Self {
        Self { open: Vec::new(), reveal: Vec::new(), limit: DEFAULT_NODES, edges: DEFAULT_EDGES, color: None }
    }
}

/// What a node of a map is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MapKind {
    /// A folder with a manifest.
    Package,
    /// Any other folder.
    Folder,
    /// A file.
    File,
    /// A definition.
    Symbol,
}

/// A node of a map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MapNode {
    /// Its id: that of the graph, or `folder::` and the path.
    pub id: String,
    /// Short name; of a folder, its path below the one that contains it.
    pub label: String,
    /// What it is.
    pub kind: MapKind,
    /// Id of the node that contains it, `None` at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Centre, in a square of [`BOUNDS`].
    pub x: f64,
    /// Centre.
    pub y: f64,
    /// Radius.
    pub size: f64,
    /// Number of nodes that opening it shows.
    pub children: usize,
    /// Its lines, those of all its content for a folder.
    pub lines: u64,
    /// The value of its colour, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color_value: Option<ColorValue>,
}

/// The edges from one node to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MapEdge {
    /// Id of the source.
    pub source: String,
    /// Id of the target.
    pub target: String,
    /// Number of edges of the graph.
    pub count: u32,
    /// Their relations, in a fixed order.
    pub kinds: Vec<Relation>,
    /// Number of certain ones among them.
    pub certain: u32,
    /// A place of one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<FileLine>,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileLine {
    /// Path of the file.
    pub file_path: String,
    /// Its line, 1-based.
    pub line: u32,
}

/// What a map leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Hidden {
    /// Nodes of opened containers beyond the limit.
    pub nodes: usize,
    /// Bundled edges beyond the limit.
    pub edges: usize,
}

/// A part of the map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MapAnswer {
    /// Generation of the snapshot.
    pub generation: u64,
    /// The nodes, containers before their content.
    pub nodes: Vec<MapNode>,
    /// The opened nodes, which are circles around their content.
    pub opened: Vec<MapNode>,
    /// The strongest edges first.
    pub edges: Vec<MapEdge>,
    /// What is left out.
    pub hidden: Hidden,
    /// Left, top, right, bottom.
    pub bounds: [f64; 4],
    /// What the colours mean, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legend: Option<Legend>,
    /// Ids to open or reveal that no node has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

/// Which nodes of the tree are shown.
struct Shown {
    /// The nodes, in the order of the tree.
    nodes: Vec<usize>,
    /// The opened ones.
    containers: Vec<usize>,
    /// What stands for each node of the tree: itself, or the shown one that contains it.
    representative: Vec<Option<usize>>,
    hidden: usize,
}

/// The map of a snapshot as far as it is opened.
///
/// # Errors
/// [`Cancelled`].
pub fn map(snapshot: &Snapshot, query: &MapQuery, cancel: &Cancel) -> Result<MapAnswer, Cancelled> {
    let tree = MapTree::of(snapshot, cancel)?;
    // 1. What is open, with all that contains it.
    let mut unknown = Vec::new();
    let open = find_places(snapshot, &tree, &query.open, &mut unknown);
    let revealed = find_places(snapshot, &tree, &query.reveal, &mut unknown);
    let above = revealed.iter().filter_map(|at| tree.tree.parent(*at));
    let is_open = open_with_containers(&tree, open.iter().copied().chain(above));
    // 2. What is shown, and what stands for the rest.
    let shown = show(&tree, &is_open, &revealed, query.limit.min(MAX_NODES));
    // 3. Edges between what is shown.
    let (edges, hidden_edges) = bundle(snapshot, &tree, &shown, query.edges.min(MAX_EDGES), cancel)?;
    // 4. Colours.
    let (mut values, legend) = match query.color {
        None => (FxHashMap::default(), None),
        Some(color) => {
            let asked = (color, &shown.representative[..], &shown.nodes[..]);
            let (values, legend) = color::find_values(snapshot, &tree, asked, cancel)?;
            (values, Some(legend))
        }
    };
    let mut describe = |at: &usize| {
        let circle = tree.circles[*at];
        MapNode {
            id: tree.id(snapshot, *at),
            label: tree.label(snapshot.graph(), *at),
            kind: tree.kind(snapshot.graph(), *at),
            parent: tree.tree.parent(*at).map(|above| tree.id(snapshot, above)),
            x: round(circle.x),
            y: round(circle.y),
            size: round(circle.r),
            children: tree.children[*at].len(),
            lines: tree.tree.weights[*at] as u64,
            color_value: values.remove(at),
        }
    };
    Ok(MapAnswer {
        generation: snapshot.generation(),
        nodes: shown.nodes.iter().map(&mut describe).collect(),
        opened: shown.containers.iter().map(&mut describe).collect(),
        edges,
        hidden: Hidden { nodes: shown.hidden, edges: hidden_edges },
        bounds: [0.0, 0.0, BOUNDS, BOUNDS],
        legend,
        unknown,
    })
}

/// The places of the nodes with these ids; other ids are added to `unknown`.
fn find_places(snapshot: &Snapshot, tree: &MapTree, ids: &[String], unknown: &mut Vec<String>) -> Vec<usize> {
    let mut found = Vec::new();
    for id in ids.iter().take(MAX_OPEN) {
        match tree.find(snapshot, id) {
            Some(at) => found.push(at),
            None => unknown.push(id.clone()),
        }
    }
    unknown.extend(ids.iter().skip(MAX_OPEN).cloned());
    found
}

/// For each node, whether it is one of these or contains one.
fn open_with_containers(tree: &MapTree, places: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut is_open = vec![false; tree.content.len()];
    for at in places {
        let mut next = Some(at);
        while let Some(at) = next.filter(|at| !is_open[*at]) {
            is_open[at] = true;
            next = tree.tree.parent(at);
        }
    }
    is_open
}

/// Enough digits for symbols deep inside, few enough for short answers.
fn round(value: f64) -> f64 {
    const DIGITS: f64 = 1e6;
    (value * DIGITS).round() / DIGITS
}

fn show(tree: &MapTree, is_open: &[bool], revealed: &[usize], limit: usize) -> Shown {
    let is_expanded = |at: usize| is_open[at] && !tree.children[at].is_empty();
    let is_visible = |at: usize| tree.tree.parent(at).is_none_or(is_expanded);
    let mut nodes: Vec<usize> = (0..is_open.len()).filter(|at| is_visible(*at) && !is_expanded(*at)).collect();
    let all = nodes.len();
    if all > limit {
        let weight = |at: &usize| if revealed.contains(at) { f64::INFINITY } else { tree.tree.weights[*at] };
        nodes.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.cmp(b)));
        nodes.truncate(limit);
        nodes.sort_unstable();
    }
    let containers = (0..is_open.len()).filter(|at| is_expanded(*at)).collect();
    let mut representative = vec![None; is_open.len()];
    nodes.iter().for_each(|at| representative[*at] = Some(*at));
    for at in 0..representative.len() {
        if representative[at].is_none() {
            representative[at] = tree.tree.parent(at).and_then(|above| representative[above]);
        }
    }
    Shown { hidden: all - nodes.len(), nodes, containers, representative }
}

/// Edges between two shown nodes, collected.
#[derive(Default)]
struct Bundle {
    count: u32,
    certain: u32,
    /// A bit for each relation.
    kinds: u64,
    /// The first in the order of the tree.
    first: usize,
}

/// The strongest edges between what is shown, and the number of those beyond the limit.
fn bundle(
    snapshot: &Snapshot,
    tree: &MapTree,
    shown: &Shown,
    limit: usize,
    cancel: &Cancel,
) -> Result<(Vec<MapEdge>, usize), Cancelled> {
    // 1. All edges between what is shown.
    let mut bundles: FxHashMap<(usize, usize), Bundle> = FxHashMap::default();
    for (number, Arc { from, to, relation, is_certain }) in tree.arcs.iter().enumerate() {
        let ends = (shown.representative[*from as usize], shown.representative[*to as usize]);
        let (Some(from), Some(to)) = ends else { continue };
        if from != to {
            let bundle = bundles.entry((from, to)).or_insert_with(|| Bundle { first: number, ..Bundle::default() });
            bundle.count = bundle.count.saturating_add(1);
            bundle.certain = bundle.certain.saturating_add(u32::from(*is_certain));
            bundle.kinds |= 1 << (*relation as u8);
        }
    }
    cancel.check()?;
    // 2. The strongest.
    let mut bundles: Vec<((usize, usize), Bundle)> = bundles.into_iter().collect();
    bundles.sort_unstable_by(|(a, left), (b, right)| right.count.cmp(&left.count).then(a.cmp(b)));
    let hidden = bundles.len().saturating_sub(limit);
    bundles.truncate(limit);
    let describe = |((from, to), bundle): ((usize, usize), Bundle)| MapEdge {
        source: tree.id(snapshot, from),
        target: tree.id(snapshot, to),
        count: bundle.count,
        kinds: Relation::ALL.iter().copied().filter(|kind| bundle.kinds >> (*kind as u8) & 1 == 1).collect(),
        certain: bundle.certain,
        at: tree.find_place(snapshot.graph(), &tree.arcs[bundle.first]),
    };
    Ok((bundles.into_iter().map(describe).collect(), hidden))
}
