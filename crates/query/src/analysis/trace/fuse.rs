//! The order of suspects: files by two rankings, that of the trace and that of `seek` for the whole text.
//!
//! Each finds culprits that the other misses: a fault outside of all frames is named by the text around them, and a
//! text that names nothing has frames. Their values have no common scale, so their ranks are fused.

use m1nd_graph::{Graph, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

use super::suspects::Suspect;

/// Reciprocal rank fusion: the larger it is, the less the first ranks count against later ones. That of Cormack,
/// Clarke and Büttcher, "Reciprocal rank fusion", 2009.
const FLATTENING: f64 = 60.0;

/// Orders suspects, which are in the order of the trace's evidence: the first of each file, by both ranks of the file;
/// then all others as they were. `sought` are files in the order of `seek`.
pub(super) fn fuse(graph: &Graph, suspects: Vec<Suspect>, sought: &[NodeIx]) -> Vec<Suspect> {
    let share = |rank: usize| (FLATTENING + 1.0) / (FLATTENING + 1.0 + rank as f64) / 2.0;
    let fused: FxHashMap<NodeIx, f64> = sought.iter().enumerate().map(|(rank, file)| (*file, share(rank))).collect();
    let (mut first, mut others): (Vec<Suspect>, Vec<Suspect>) = (Vec::new(), Vec::new());
    let mut seen: FxHashSet<NodeIx> = FxHashSet::default();
    for mut suspect in suspects {
        let file = graph.file(suspect.node).unwrap_or(suspect.node);
        let rank = seen.len();
        if !seen.insert(file) {
            others.push(suspect);
            continue;
        }
        suspect.suspiciousness = fused.get(&file).copied().unwrap_or(0.0) + share(rank);
        first.push(suspect);
    }
    // A stable sort: of equal ones, the trace's first.
    first.sort_by(|a, b| b.suspiciousness.total_cmp(&a.suspiciousness));
    // The others are behind, by their evidence.
    let last = first.last().map_or(0.0, |suspect| suspect.suspiciousness);
    let most = others.first().map_or(1.0, |suspect| suspect.evidence).max(f64::MIN_POSITIVE);
    others.iter_mut().for_each(|suspect| suspect.suspiciousness = last * suspect.evidence / most);
    first.extend(others);
    first
}
