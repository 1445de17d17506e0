//! Dependencies between parts of the code, and the circles in them.

use m1nd_base::Relation;

/// Returns whether an edge of this relation makes the code of its source depend on that of its target.
pub(crate) const fn depends(relation: Relation) -> bool {
    matches!(
        relation,
        Relation::Imports
            | Relation::Reexports
            | Relation::Calls
            | Relation::References
            | Relation::Inherits
            | Relation::Implements
            | Relation::Decorates
    )
}

/// The strongly connected component of each vertex, numbered so that edges lead to equal or lower numbers (Tarjan, with
/// a stack of its own).
pub(crate) fn components(next: &[Vec<usize>]) -> Vec<usize> {
    // Tarjan's algorithm, with the calls on a list of their own.
    const NEW: usize = usize::MAX;
    let (mut index, mut low) = (vec![NEW; next.len()], vec![0usize; next.len()]);
    let (mut component, mut open) = (vec![NEW; next.len()], Vec::new());
    let (mut counter, mut closed) = (0, 0);
    for start in 0..next.len() {
        if index[start] != NEW {
            continue;
        }
        let mut calls: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((vertex, at)) = calls.pop() {
            // First visit, or back from an edge: `low` is the earliest open vertex that is reached.
            if at == 0 {
                (index[vertex], low[vertex]) = (counter, counter);
                counter += 1;
                open.push(vertex);
            } else {
                let done = next[vertex][at - 1];
                low[vertex] = low[vertex].min(if component[done] == NEW { low[done] } else { NEW });
            }
            let mut at = at;
            let mut deeper = None;
            while let Some(&to) = next[vertex].get(at) {
                at += 1;
                if index[to] == NEW {
                    deeper = Some(to);
                    break;
                }
                if component[to] == NEW {
                    low[vertex] = low[vertex].min(index[to]);
                }
            }
            // Comes back here after the vertex below.
            if let Some(to) = deeper {
                calls.push((vertex, at));
                calls.push((to, 0));
                continue;
            }
            // The first vertex of a component closes it.
            if low[vertex] == index[vertex] {
                while let Some(member) = open.pop() {
                    component[member] = closed;
                    if member == vertex {
                        break;
                    }
                }
                closed += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_lead_to_equal_or_lower_numbers() {
        // 0 -> 1 <-> 2 -> 3, 4 alone.
        let next = vec![vec![1], vec![2], vec![1, 3], vec![], vec![]];
        assert_eq!(components(&next), [2, 1, 1, 0, 3]);
    }
}
