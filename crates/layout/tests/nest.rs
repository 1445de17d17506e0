//! Properties of the nested layout.

use m1nd_layout::{Circle, Link, Tree, nest, pack};
use proptest::prelude::*;

/// Errors of the arithmetic, as a share of the container.
const EPSILON: f64 = 1e-7;
const WHOLE: Circle = Circle { x: 500.0, y: 500.0, r: 500.0 };

fn distance(a: &Circle, b: &Circle) -> f64 {
    (a.x - b.x).hypot(a.y - b.y)
}

fn is_inside(inner: &Circle, outer: &Circle) -> bool {
    distance(inner, outer) + inner.r <= outer.r * (1.0 + EPSILON) + f64::EPSILON
}

/// The first two circles that overlap, by a sweep over their left ends.
fn find_overlap(circles: &[Circle], size: f64) -> Option<(Circle, Circle)> {
    let mut sorted: Vec<&Circle> = circles.iter().collect();
    sorted.sort_by(|a, b| (a.x - a.r).total_cmp(&(b.x - b.r)));
    for (at, a) in sorted.iter().enumerate() {
        for b in sorted[at + 1..].iter().take_while(|b| b.x - b.r < a.x + a.r) {
            if distance(a, b) < a.r + b.r - size * EPSILON {
                return Some((**a, **b));
            }
        }
    }
    None
}

fn weight() -> impl Strategy<Value = f64> {
    prop_oneof![8 => 0.0..5_000.0f64, 1 => Just(0.0), 1 => Just(f64::NAN), 1 => Just(f64::MAX), 1 => Just(-1.0)]
}

fn check_siblings(circles: &[Circle], container: &Circle) {
    for circle in circles {
        assert!(circle.x.is_finite() && circle.y.is_finite() && circle.r.is_finite(), "{circle:?}");
        assert!(is_inside(circle, container), "{circle:?} leaves {container:?}");
    }
    assert_eq!(find_overlap(circles, container.r), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn siblings_fit_without_overlap(
        weights in prop::collection::vec(weight(), 0..120),
        links in prop::collection::vec((0usize..130, 0usize..130, -1.0..50.0f64), 0..300),
    ) {
        let circles = pack(&weights, &links);
        prop_assert_eq!(circles.len(), weights.len());
        check_siblings(&circles, &Circle { x: 0.0, y: 0.0, r: 1.0 });
        prop_assert_eq!(pack(&weights, &links), circles);
    }

    #[test]
    fn children_lie_in_their_parents(
        rows in prop::collection::vec((0usize..200, weight()), 1..200),
        links in prop::collection::vec((0usize..210, 0usize..210), 0..300),
    ) {
        // Some parents stand behind their children, which makes them nodes at the top.
        let parents: Vec<Option<usize>> = rows.iter().map(|(parent, _)| Some(*parent).filter(|at| at % 7 != 0)).collect();
        let tree = Tree { parents, weights: rows.iter().map(|(_, weight)| *weight).collect() };
        let links: Vec<Link> = links.iter().map(|&(from, to)| Link { from, to, weight: 1.0 }).collect();
        let circles = nest(&tree, &links, WHOLE);
        let (children, top) = tree.children();
        let pick = |nodes: &[usize]| -> Vec<Circle> { nodes.iter().map(|node| circles[*node]).collect() };
        check_siblings(&pick(&top), &WHOLE);
        for (container, inner) in children.iter().enumerate() {
            check_siblings(&pick(inner), &circles[container]);
        }
        prop_assert_eq!(nest(&tree, &links, WHOLE), circles);
    }

    #[test]
    fn what_is_in_a_container_moves_nothing_outside(
        weights in prop::collection::vec(1.0..100.0f64, 2..40), inner in 1usize..40,
    ) {
        let top = weights.len();
        let closed = Tree { parents: vec![None; top], weights: weights.clone() };
        let mut open = closed.clone();
        open.parents.extend(vec![Some(0); inner]);
        open.weights.extend(vec![1.0; inner]);
        let (before, after) = (nest(&closed, &[], WHOLE), nest(&open, &[], WHOLE));
        prop_assert_eq!(&before[..], &after[..top]);
    }
}

#[test]
fn a_chain_of_any_depth_is_laid_out() {
    let parents = (0..200_000usize).map(|node| node.checked_sub(1)).collect();
    let tree = Tree { parents, weights: vec![1.0; 200_000] };
    let links = [Link { from: 0, to: 199_999, weight: 1.0 }];
    let circles = nest(&tree, &links, WHOLE);
    assert!(circles.iter().all(|circle| circle.x.is_finite() && circle.r >= 0.0));
    assert!(circles.windows(2).all(|pair| is_inside(&pair[1], &pair[0])));
}

#[test]
fn linked_siblings_are_near_each_other() {
    // Six groups of ten; the members of a group are linked, those of different ones are not.
    let links: Vec<(usize, usize, f64)> =
        (0..60).flat_map(|a| (0..a).filter(move |b| a % 6 == b % 6).map(move |b| (a, b, 1.0))).collect();
    let mean = |circles: &[Circle]| -> f64 {
        links.iter().map(|(a, b, _)| distance(&circles[*a], &circles[*b])).sum::<f64>() / links.len() as f64
    };
    let (with, without) = (mean(&pack(&[1.0; 60], &links)), mean(&pack(&[1.0; 60], &[])));
    assert!(with < 0.6 * without, "{with} {without}");
}

#[test]
fn a_packing_fills_its_container() {
    for count in [1usize, 2, 5, 50, 2_000] {
        let area: f64 = pack(&vec![1.0; count], &[]).iter().map(|circle| circle.r * circle.r).sum();
        assert!(area > 0.35, "{count} circles fill {area}");
    }
}

/// `cargo test --release -p m1nd-layout --test nest -- --ignored --nocapture` prints how long 100,000 nodes take.
#[test]
#[ignore = "measures time"]
fn measure_100_000_nodes() {
    for (name, fan) in [("packages, folders, files, symbols", 18), ("one flat folder", 100_000)] {
        let parents: Vec<Option<usize>> =
            (0..100_000usize).map(|node| node.checked_sub(1).map(|at| at / fan)).collect();
        let weights = (0..100_000u64).map(|node| (node * 7_919 % 1_000) as f64).collect();
        let tree = Tree { parents, weights };
        let links: Vec<Link> =
            (0..400_000usize).map(|at| Link { from: at * 31 % 100_000, to: at * 17 % 99_991, weight: 1.0 }).collect();
        let start = std::time::Instant::now();
        let circles = nest(&tree, &links, WHOLE);
        println!("{name}: {} circles in {:?}", circles.len(), start.elapsed());
    }
}
