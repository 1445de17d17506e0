//! The order of modules that the fewest dependencies contradict.
//!
//! A minimum feedback arc set is hard to find, so this is an approximation: the greedy order of Eades, Lin and Smyth,
//! then moves of single modules while they help. Both work component by component, since no arc between strongly
//! connected components has to be contradicted. The result depends on the input alone.

use crate::components::components;

/// Rounds of moves over one component.
const MAX_ROUNDS: usize = 20;

/// A dependency between two modules.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Arc {
    /// The module that depends.
    pub(super) from: usize,
    /// The module it depends on.
    pub(super) to: usize,
    /// How much evidence there is, above 0.
    pub(super) weight: f64,
}

/// An order of modules.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Order {
    /// For each module its place, users before what they use.
    pub(super) place: Vec<usize>,
    /// For each module the length of the longest path to it over the arcs that agree with the order.
    pub(super) depth: Vec<usize>,
    /// Modules that depend on each other, directly or not; groups of two and more, in the order of their first module.
    pub(super) circles: Vec<Vec<usize>>,
}

impl Order {
    /// Orders `count` modules.
    pub(super) fn of(count: usize, arcs: &[Arc]) -> Self {
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
        arcs.iter().for_each(|arc| next[arc.from].push(arc.to));
        let component = components(&next);
        let groups = component.iter().copied().max().map_or(0, |most| most + 1);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); groups];
        component.iter().enumerate().for_each(|(module, group)| members[*group].push(module));
        let mut inner: Vec<Vec<Arc>> = vec![Vec::new(); groups];
        for arc in arcs.iter().filter(|arc| component[arc.from] == component[arc.to]) {
            inner[component[arc.from]].push(*arc);
        }
        let mut place = vec![0; count];
        let mut at = 0;
        // Tarjan closes what is used before its users.
        for group in (0..groups).rev() {
            for module in order_members(&members[group], &inner[group]) {
                place[module] = at;
                at += 1;
            }
        }
        let mut circles: Vec<Vec<usize>> = members.into_iter().filter(|group| group.len() > 1).collect();
        circles.sort();
        Self { depth: depths(&place, arcs), place, circles }
    }
}

/// The longest path to each module over the arcs that agree with the order.
fn depths(place: &[usize], arcs: &[Arc]) -> Vec<usize> {
    let mut sorted: Vec<&Arc> = arcs.iter().filter(|arc| place[arc.from] < place[arc.to]).collect();
    sorted.sort_by_key(|arc| place[arc.from]);
    let mut depth = vec![0; place.len()];
    for arc in sorted {
        depth[arc.to] = depth[arc.to].max(depth[arc.from] + 1);
    }
    depth
}

/// Orders the members of one component.
fn order_members(members: &[usize], arcs: &[Arc]) -> Vec<usize> {
    if members.len() < 2 {
        return members.to_vec();
    }
    let at = |module: usize| members.binary_search(&module).expect("arcs of a component join its members");
    let mut matrix = Matrix { size: members.len(), weights: vec![0.0; members.len() * members.len()] };
    for arc in arcs {
        matrix.weights[at(arc.from) * members.len() + at(arc.to)] += arc.weight;
    }
    let mut order = greedy(&matrix);
    improve(&matrix, &mut order);
    order.into_iter().map(|index| members[index]).collect()
}

/// Weights of the arcs of a component.
struct Matrix {
    size: usize,
    weights: Vec<f64>,
}

impl Matrix {
    fn get(&self, from: usize, to: usize) -> f64 {
        self.weights[from * self.size + to]
    }
}

/// The order of Eades, Lin and Smyth: what only uses goes to the front, what is only used to the end, and of the rest
/// the one that uses most beyond what uses it to the front.
fn greedy(matrix: &Matrix) -> Vec<usize> {
    let all = 0..matrix.size;
    let mut out: Vec<f64> = all.clone().map(|a| all.clone().map(|b| matrix.get(a, b)).sum()).collect();
    let mut into: Vec<f64> = all.clone().map(|a| all.clone().map(|b| matrix.get(b, a)).sum()).collect();
    let mut left: Vec<usize> = all.collect();
    let (mut front, mut back) = (Vec::new(), Vec::new());
    while !left.is_empty() {
        let none = |sum: f64| sum < 1e-9;
        let sink = left.iter().position(|&module| none(out[module]));
        let source = || left.iter().position(|&module| none(into[module]));
        let best = || {
            let rows = left.iter().enumerate();
            rows.max_by(|a, b| (out[*a.1] - into[*a.1]).total_cmp(&(out[*b.1] - into[*b.1])).then(b.0.cmp(&a.0)))
                .map_or(0, |(at, _)| at)
        };
        let taken = left.remove(sink.or_else(source).unwrap_or_else(best));
        match sink {
            Some(_) => back.push(taken),
            None => front.push(taken),
        }
        for &module in &left {
            out[module] -= matrix.get(module, taken);
            into[module] -= matrix.get(taken, module);
        }
    }
    back.reverse();
    front.extend(back);
    front
}

/// Moves single modules to where the fewest arcs contradict the order, until no move helps.
fn improve(matrix: &Matrix, order: &mut Vec<usize>) {
    for _ in 0..MAX_ROUNDS {
        let mut moved = false;
        for module in 0..matrix.size {
            let Some(from) = order.iter().position(|other| *other == module) else { continue };
            // What is gained by moving it past those before it, then past those behind it.
            let (mut best, mut to) = (1e-9, from);
            let mut gain = 0.0;
            for at in (0..from).rev() {
                gain += matrix.get(module, order[at]) - matrix.get(order[at], module);
                if gain > best {
                    (best, to) = (gain, at);
                }
            }
            gain = 0.0;
            for (at, &other) in order.iter().enumerate().skip(from + 1) {
                gain += matrix.get(other, module) - matrix.get(module, other);
                if gain > best {
                    (best, to) = (gain, at);
                }
            }
            if to != from {
                order.remove(from);
                order.insert(to, module);
                moved = true;
            }
        }
        if !moved {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arcs(rows: &[(usize, usize, f64)]) -> Vec<Arc> {
        rows.iter().map(|&(from, to, weight)| Arc { from, to, weight }).collect()
    }

    #[test]
    fn users_come_before_what_they_use() {
        let found = Order::of(4, &arcs(&[(2, 1, 1.0), (1, 0, 1.0), (2, 0, 1.0)]));
        assert!(found.place[2] < found.place[1] && found.place[1] < found.place[0]);
        assert_eq!(found.depth, [2, 1, 0, 0]);
        assert!(found.circles.is_empty());
    }

    #[test]
    fn the_weakest_arc_of_a_circle_is_contradicted() {
        let rows = arcs(&[(0, 1, 9.0), (1, 2, 9.0), (2, 0, 1.0), (2, 3, 5.0), (3, 4, 5.0), (4, 3, 1.0)]);
        let found = Order::of(5, &rows);
        let against: Vec<(usize, usize)> = rows
            .iter()
            .filter(|arc| found.place[arc.from] > found.place[arc.to])
            .map(|arc| (arc.from, arc.to))
            .collect();
        assert_eq!(against, [(2, 0), (4, 3)]);
        assert_eq!(found.circles, [vec![0, 1, 2], vec![3, 4]]);
    }

    #[test]
    fn moves_mend_what_the_greedy_order_misses() {
        // The best order contradicts at most what one of all orders of these five does.
        let rows = arcs(&[(0, 1, 3.0), (1, 2, 2.0), (2, 0, 2.0), (2, 3, 4.0), (3, 1, 1.0), (3, 4, 2.0), (4, 0, 1.0)]);
        let cost = |place: &[usize]| -> f64 {
            rows.iter().filter(|arc| place[arc.from] > place[arc.to]).map(|arc| arc.weight).sum()
        };
        let found = Order::of(5, &rows);
        let mut least = f64::MAX;
        for code in 0..5usize.pow(5) {
            let place: Vec<usize> = (0..5u32).map(|at| code / 5usize.pow(at) % 5).collect();
            let distinct: std::collections::BTreeSet<_> = place.iter().collect();
            if distinct.len() == 5 {
                least = least.min(cost(&place));
            }
        }
        assert_eq!(cost(&found.place), least);
    }
}
