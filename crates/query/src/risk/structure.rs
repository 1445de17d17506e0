//! How much of a project depends on each file, and on how much each depends.

use m1nd_base::{Cancel, Cancelled, EdgeTier, NodeKind};
use m1nd_graph::{Graph, NodeIx};
use rustc_hash::FxHashMap;

use crate::components::{components, depends};

/// Files up to which reach is computed; the sets of reached files grow with the square of it.
const MAX_FILES: usize = 20_000;

/// Reach and centrality of the files of a graph.
#[derive(Debug, Default)]
pub struct Structure {
    places: FxHashMap<NodeIx, usize>,
    /// Files that each file depends on, directly or not; empty above the limit.
    forward: Vec<u32>,
    /// Files that depend on each.
    back: Vec<u32>,
    /// Share of the files with a lower or equal rank.
    centrality: Vec<f64>,
}

/// Where a file stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FileReach {
    /// Files that depend on it, directly or not; `None` above 20,000 files.
    pub back: Option<u32>,
    /// Files that it depends on, directly or not.
    pub forward: Option<u32>,
    /// Share of the files whose PageRank is at most its own, 0 to 1.
    pub centrality: f64,
}

impl Structure {
    /// Reach and centrality by certain edges, without containment, documents and tests.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn of(graph: &Graph, cancel: &Cancel) -> Result<Self, Cancelled> {
        let files: Vec<NodeIx> = graph.nodes().filter(|&node| graph.kind(node) == NodeKind::File).collect();
        let places: FxHashMap<NodeIx, usize> = files.iter().enumerate().map(|(at, node)| (*node, at)).collect();
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); files.len()];
        for node in graph.nodes() {
            let Some(from) = graph.file(node).and_then(|file| places.get(&file).copied()) else { continue };
            for edge in graph.out_edges(node).filter(|edge| edge.tier == EdgeTier::Certain && depends(edge.relation)) {
                let to = graph.file(edge.to).and_then(|file| places.get(&file).copied());
                next[from].extend(to.filter(|to| *to != from));
            }
        }
        for row in &mut next {
            row.sort_unstable();
            row.dedup();
        }
        cancel.check()?;
        let (mut forward, mut back) = (Vec::new(), Vec::new());
        if files.len() <= MAX_FILES {
            forward = reach(&next, cancel)?;
            let mut before: Vec<Vec<usize>> = vec![Vec::new(); files.len()];
            next.iter().enumerate().for_each(|(from, row)| row.iter().for_each(|to| before[*to].push(from)));
            back = reach(&before, cancel)?;
        }
        let ranks: Vec<f32> = files.iter().map(|node| graph.pagerank(*node)).collect();
        let mut sorted = ranks.clone();
        sorted.sort_by(f32::total_cmp);
        let share = |rank: &f32| sorted.partition_point(|other| other <= rank) as f64 / sorted.len().max(1) as f64;
        Ok(Self { centrality: ranks.iter().map(share).collect(), places, forward, back })
    }

    /// Number of files.
    pub fn files(&self) -> usize {
        self.places.len()
    }

    /// Where a file stands; `None` for other nodes.
    pub fn file(&self, node: NodeIx) -> Option<FileReach> {
        let at = *self.places.get(&node)?;
        let (back, forward) = (self.back.get(at).copied(), self.forward.get(at).copied());
        Some(FileReach { back, forward, centrality: self.centrality[at] })
    }
}

/// Other files with a certain edge to a file, or to one of those, within some steps: the best ranked first.
pub fn dependents(graph: &Graph, file: NodeIx, steps: usize) -> Vec<NodeIx> {
    let mut found: Vec<NodeIx> = Vec::new();
    let mut level = vec![file];
    for _ in 0..steps {
        let mut next: Vec<NodeIx> = Vec::new();
        for node in level.iter().flat_map(|file| graph.of_file(*file)) {
            let edges = graph.in_edges(node).filter(|edge| edge.tier == EdgeTier::Certain && depends(edge.relation));
            next.extend(edges.filter_map(|edge| graph.file(edge.from)));
        }
        next.sort_unstable();
        next.dedup();
        next.retain(|node| *node != file && !found.contains(node));
        found.extend(&next);
        level = next;
    }
    found.sort_by(|a, b| graph.pagerank(*b).total_cmp(&graph.pagerank(*a)).then_with(|| a.cmp(b)));
    found
}

/// For each vertex, the number of others that can be reached: sets of bits over the components, in the order in which
/// Tarjan's algorithm closes them, so that what a component reaches is known before it.
fn reach(next: &[Vec<usize>], cancel: &Cancel) -> Result<Vec<u32>, Cancelled> {
    let components = components(next);
    let count = components.iter().copied().max().map_or(0, |most| most + 1);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
    components.iter().enumerate().for_each(|(vertex, component)| members[*component].push(vertex));
    let words = count.div_ceil(64);
    let mut sets: Vec<Vec<u64>> = Vec::with_capacity(count);
    let mut sizes: Vec<u32> = vec![0; next.len()];
    for (component, vertices) in members.iter().enumerate() {
        cancel.check()?;
        let mut set = vec![0u64; words];
        set[component / 64] |= 1 << (component % 64);
        for to in vertices.iter().flat_map(|vertex| &next[*vertex]) {
            if let Some(other) = sets.get(components[*to]) {
                set.iter_mut().zip(other).for_each(|(word, more)| *word |= more);
            }
        }
        let reached: usize =
            (0..count).filter(|at| set[at / 64] >> (at % 64) & 1 == 1).map(|at| members[at].len()).sum();
        vertices.iter().for_each(|vertex| sizes[*vertex] = (reached - 1) as u32);
        sets.push(set);
    }
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reach_counts_other_vertices() {
        // 0 -> 1 <-> 2 -> 3, 4 alone.
        let next = vec![vec![1], vec![2], vec![1, 3], vec![], vec![]];
        assert_eq!(reach(&next, &Cancel::new()).expect("is not cancelled"), [3, 2, 2, 0, 0]);
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let next: Vec<Vec<usize>> = (0..3_000).map(|at| if at < 2_999 { vec![at + 1] } else { vec![] }).collect();
        let found = reach(&next, &Cancel::new()).expect("is not cancelled");
        assert_eq!((found[0], found[2_999]), (2_999, 0));
    }
}
