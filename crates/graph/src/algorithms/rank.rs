//! Weighted PageRank; the rank of nodes without out-edges is spread over all nodes.

use m1nd_base::{Cancel, Cancelled};
use rayon::prelude::*;

/// Probability of following an edge.
const DAMPING: f64 = 0.85;
/// Maximum number of iterations.
const ROUNDS: usize = 40;
/// Total change below which the iteration stops.
const TOLERANCE: f64 = 1e-6;

/// A weighted arc.
#[derive(Debug, Clone, Copy)]
pub struct Arc {
    /// Source.
    pub from: u32,
    /// Target.
    pub to: u32,
    /// Positive weight.
    pub weight: f32,
}

/// PageRank of nodes `0..nodes`; the ranks sum to 1. Independent of the number of threads, because every sum has a
/// fixed order.
///
/// # Errors
/// [`Cancelled`].
pub fn pagerank(nodes: usize, arcs: impl Iterator<Item = Arc>, cancel: &Cancel) -> Result<Vec<f32>, Cancelled> {
    if nodes == 0 {
        return Ok(Vec::new());
    }
    let mut arcs: Vec<Arc> = arcs.collect();
    arcs.par_sort_by_key(|arc| (arc.to, arc.from));
    // Arcs by target as ranges, so that each node sums up its own in parallel.
    let mut out_weight = vec![0f64; nodes];
    let mut starts = vec![0usize; nodes + 1];
    for arc in &arcs {
        out_weight[arc.from as usize] += f64::from(arc.weight);
        starts[arc.to as usize + 1] += 1;
    }
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    let even = 1.0 / nodes as f64;
    let mut rank = vec![even; nodes];
    let mut share = vec![0f64; nodes];
    // Each round a node passes on its rank; that of nodes without arcs is spread over all.
    for _ in 0..ROUNDS {
        cancel.check()?;
        let mut dangling = 0.0;
        for node in 0..nodes {
            share[node] = if out_weight[node] > 0.0 { rank[node] / out_weight[node] } else { 0.0 };
            dangling += if out_weight[node] > 0.0 { 0.0 } else { rank[node] };
        }
        let floor = (1.0 - DAMPING) * even + DAMPING * dangling * even;
        let next: Vec<f64> = (0..nodes)
            .into_par_iter()
            .map(|node| {
                let incoming = arcs[starts[node]..starts[node + 1]].iter();
                let sum: f64 = incoming.map(|arc| share[arc.from as usize] * f64::from(arc.weight)).sum();
                floor + DAMPING * sum
            })
            .collect();
        let change: f64 = rank.iter().zip(&next).map(|(old, new)| (old - new).abs()).sum();
        rank = next;
        if change < TOLERANCE {
            break;
        }
    }
    Ok(rank.into_iter().map(|rank| rank as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(from: u32, to: u32, weight: f32) -> Arc {
        Arc { from, to, weight }
    }

    #[test]
    fn sums_to_one_with_nodes_that_lead_nowhere() {
        let rank = pagerank(4, [arc(0, 1, 1.0), arc(2, 1, 1.0), arc(1, 3, 1.0)].into_iter(), &Cancel::new());
        let rank = rank.expect("not cancelled");
        assert!((rank.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{rank:?}");
        assert!(rank[1] > rank[0] && rank[3] > rank[0], "{rank:?}");
    }

    #[test]
    fn weight_decides_between_targets() {
        let rank = pagerank(3, [arc(0, 1, 3.0), arc(0, 2, 1.0)].into_iter(), &Cancel::new()).expect("not cancelled");
        assert!(rank[1] > rank[2], "{rank:?}");
    }
}
