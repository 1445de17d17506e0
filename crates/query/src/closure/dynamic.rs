//! Names that code makes when it runs: what a pattern of them fits is not known to be unused.

use m1nd_base::{NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx, UnresolvedRef};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Hiding, reasons};

/// Beginning of a pattern that only members of the class around can be meant by.
const OWN: &str = "*.";
/// Maximum classes above and below one that its members may be looked up through.
const MAX_RELATED: usize = 256;
/// Maximum number of places listed for one node.
const MAX_PLACES: usize = 20;

/// A place where a name is made.
#[derive(Debug, Clone, Copy)]
struct NameSite {
    from: NodeIx,
    line: u32,
}

/// The patterns of all names that code makes, by what they begin or end with.
#[derive(Default)]
struct Patterns {
    /// By the text in front of the hole; with the text behind it.
    begins: FxHashMap<Box<str>, Vec<(Box<str>, NameSite)>>,
    /// By the text behind the hole, where none is in front.
    ends: FxHashMap<Box<str>, Vec<NameSite>>,
    /// Look-ups of any member, by the class around.
    of_class: FxHashMap<NodeIx, Vec<NameSite>>,
}

impl Patterns {
    fn of(snapshot: &Snapshot) -> std::sync::Arc<Self> {
        let graph = snapshot.graph();
        snapshot.derived_values().get_or_init(|| {
            let mut all = Self::default();
            for row in graph.name_patterns() {
                all.add(graph, &row);
            }
            all
        })
    }

    fn add(&mut self, graph: &Graph, row: &UnresolvedRef<'_>) {
        let place = NameSite { from: row.from, line: row.pos.line };
        if row.name.starts_with(OWN) {
            self.of_class.entry(class_around(graph, row.from)).or_default().push(place);
            return;
        }
        let Some((front, back)) = row.name[UnresolvedRef::PATTERN.len()..].split_once('*') else { return };
        match (front.is_empty(), back.is_empty()) {
            (false, _) => self.begins.entry(front.into()).or_default().push((back.into(), place)),
            (true, false) => self.ends.entry(back.into()).or_default().push(place),
            (true, true) => {}
        }
    }

    /// The places whose pattern a name fits.
    fn fitting(&self, name: &str) -> Vec<NameSite> {
        let mut found = Vec::new();
        if self.begins.is_empty() && self.ends.is_empty() {
            return found;
        }
        for (at, _) in name.char_indices().chain([(name.len(), ' ')]).skip(1) {
            let rest = &name[at..];
            let rows = self.begins.get(&name[..at]).into_iter().flatten();
            found.extend(rows.filter(|(back, _)| rest.ends_with(&**back)).map(|(_, place)| *place));
            found.extend(self.ends.get(rest).into_iter().flatten());
        }
        found
    }
}

/// The places where code makes names that may be this node's.
pub(super) fn made_names(snapshot: &Snapshot, starts: &[NodeIx], node: NodeIx, far: bool) -> Vec<Hiding> {
    let graph = snapshot.graph();
    let patterns = Patterns::of(snapshot);
    let mut places = patterns.fitting(graph.label(node));
    if !patterns.of_class.is_empty() && graph.kind(node) == NodeKind::Function {
        let class = graph.parent(node).filter(|&parent| is_class(graph, parent));
        let classes = class.map(|class| if far { vec![class] } else { list_related(graph, class) }).unwrap_or_default();
        places.extend(classes.iter().filter_map(|class| patterns.of_class.get(class)).flatten());
    }
    places.retain(|place| place.from != node && !starts.contains(&place.from));
    places.sort_by_key(|place| (place.from, place.line));
    places.truncate(MAX_PLACES);
    let row = |place: NameSite| Hiding {
        place: None,
        node: place.from,
        name: graph.label(node).to_owned(),
        role: UnresolvedRef::TEXT.to_owned(),
        reason: reasons::DYNAMIC_NAME.to_owned(),
        file: graph.path(place.from).to_owned(),
        line: place.line,
        far,
    };
    places.into_iter().map(row).collect()
}

/// The class that code belongs to, or the outermost node around it.
fn class_around(graph: &Graph, node: NodeIx) -> NodeIx {
    let mut at = node;
    while !is_class(graph, at)
        && let Some(parent) = graph.parent(at)
    {
        at = parent;
    }
    at
}

fn is_class(graph: &Graph, node: NodeIx) -> bool {
    use NodeKind as K;
    matches!(
        graph.kind(node),
        K::Class | K::Struct | K::Enum | K::Trait | K::Interface | K::Impl | K::Object | K::Module
    )
}

/// A class with those above and below it.
fn list_related(graph: &Graph, class: NodeIx) -> Vec<NodeIx> {
    let is_base = |relation| matches!(relation, Relation::Inherits | Relation::Implements);
    let mut seen: FxHashSet<NodeIx> = FxHashSet::default();
    let mut found = vec![class];
    for up in [true, false] {
        let mut open = vec![class];
        while let Some(next) = open.pop().filter(|_| found.len() < MAX_RELATED) {
            let above = graph.out_edges(next).filter(|edge| up && is_base(edge.relation)).map(|edge| edge.to);
            let below = graph.in_edges(next).filter(|edge| !up && is_base(edge.relation)).map(|edge| edge.from);
            for other in above.chain(below) {
                if seen.insert(other) {
                    found.push(other);
                    open.push(other);
                }
            }
        }
    }
    found
}
