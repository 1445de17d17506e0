//! All that a project loses with some nodes: what breaks, and what falls out of use.

use m1nd_base::{Cancel, Cancelled};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::support::{self, Break, Orphans, Roots};
use crate::{Graph, NodeIx};

/// Bounds of a search for losses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LossLimits {
    /// Maximum nodes that go with their containers.
    pub removed: usize,
    /// Nodes that are looked at for falling out of use.
    pub region: usize,
}

/// What goes with some nodes and all that they contain.
#[derive(Debug)]
pub struct Loss<'g> {
    /// The nodes themselves, and all that they contain.
    pub removed: FxHashSet<NodeIx>,
    /// What breaks without them, see [`support::find_broken`].
    pub broken: FxHashMap<NodeIx, Break<'g>>,
    /// What nothing keeps in use any more, see [`support::orphans`].
    pub orphans: Orphans,
    /// A search ended at its limit of nodes: there may be more of everything.
    pub incomplete: bool,
}

impl<'g> Loss<'g> {
    /// What goes with `nodes`.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn of(
        graph: &'g Graph,
        roots: &Roots,
        nodes: &[NodeIx],
        limits: &LossLimits,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let members = nodes.iter().flat_map(|&node| graph.with_parts(node, limits.removed));
        let removed: FxHashSet<NodeIx> = members.take(limits.removed).collect();
        let orphans = support::orphans(graph, roots, &removed, limits.region, cancel)?;
        let broken = support::find_broken(graph, &removed, cancel)?;
        let incomplete = orphans.incomplete || removed.len() >= limits.removed;
        Ok(Self { removed, broken, orphans, incomplete })
    }

    /// Number of nodes that are left but break or fall out of use.
    pub fn count(&self) -> usize {
        self.broken.len() + self.orphans.nodes.iter().filter(|node| !self.broken.contains_key(node)).count()
    }
}

/// Joint loss over the sum of the single ones: above 1, nodes replace each other; below 1, they lose the same. `None`
/// without a single loss.
pub fn synergy(joint: usize, single: impl IntoIterator<Item = usize>) -> Option<f64> {
    let sum: usize = single.into_iter().sum();
    (sum > 0).then(|| joint as f64 / sum as f64)
}
