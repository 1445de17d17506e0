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
/// Files whose first suspect comes before the further suspects of any: those of a page.
const FIRST_FILES: usize = 10;

/// Orders suspects, which are in the order of the trace's evidence. The first of each file comes by both ranks of the
/// file; behind those of the first files follow all further suspects as they were, then the first ones of the other
/// files. `sought` are files in the order of `seek`.
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
    let far = first.split_off(first.len().min(FIRST_FILES));
    // Those between the files have values between theirs, by their evidence.
    let (last, next) = (value(first.last()), value(far.first()));
    let most = others.first().map_or(1.0, |suspect| suspect.evidence).max(f64::MIN_POSITIVE);
    for suspect in &mut others {
        suspect.suspiciousness = next + (last - next) * suspect.evidence / most;
    }
    first.into_iter().chain(others).chain(far).collect()
}

fn value(suspect: Option<&Suspect>) -> f64 {
    suspect.map_or(0.0, |suspect| suspect.suspiciousness)
}
