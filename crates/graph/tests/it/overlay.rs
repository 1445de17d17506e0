use m1nd_base::Cancel;
use m1nd_graph::{Graph, write_container};
use m1nd_testkit::Random;

use crate::model::{File, Model};

fn bytes(graph: &Graph) -> Vec<u8> {
    let mut out = Vec::new();
    write_container(&mut out, &graph.sections().expect("packed")).expect("memory");
    out
}

#[test]
fn order_and_threads_leave_no_trace() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let model = Model::random(&mut random, 30);
        let with_threads = |threads: usize, random: &mut Random| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("starts");
            let graph = pool.install(|| {
                let mut random = Random::new(random.below(1 << 40) as u64);
                model.build(&mut random)
            });
            bytes(&graph)
        };
        let first = with_threads(1, &mut random);
        assert!(first == with_threads(2, &mut random), "seed {seed}");
        assert!(first == with_threads(2, &mut random), "seed {seed}");
    }
}

#[test]
fn changed_files_over_a_base_equal_a_graph_built_anew() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut model = Model::random(&mut random, 8);
        let mut graph = model.build(&mut random);
        for _ in 0..6 {
            let mut paths = Vec::new();
            for _ in 0..1 + random.below(2) {
                let path = format!("f{}.py", random.below(10));
                match random.below(4) {
                    0 => {
                        model.files.remove(&path);
                    }
                    _ => {
                        let definitions = (0..random.below(5)).map(|index| format!("d{index}")).collect();
                        model.files.insert(path.clone(), File { definitions, ..File::default() });
                    }
                }
                paths.push(path);
            }
            for path in paths.clone() {
                if model.files.contains_key(&path) {
                    model.redraw(&path, &mut random);
                }
            }
            paths.extend(model.relink());
            graph = model.change(&graph, &paths);
            let built = model.build(&mut random);
            assert_eq!(graph.dump(), built.dump(), "seed {seed}");
            assert_eq!(graph.node_count(), built.node_count(), "seed {seed}");
            assert_eq!(graph.edge_count(), built.edge_count(), "seed {seed}");
            assert_eq!(graph.unresolved_count(), built.unresolved_count(), "seed {seed}");
            for name in ["n0", "n1", "n2", "n3"] {
                let rows = |graph: &Graph| {
                    let mut rows: Vec<_> =
                        graph.unresolved_named(name).map(|row| (graph.id(row.from).to_owned(), row.pos)).collect();
                    rows.sort();
                    rows
                };
                assert_eq!(rows(&graph), rows(&built), "seed {seed}");
            }
            for label in ["d0", "d1", "f3.py", "p1"] {
                let ids = |graph: &Graph| {
                    let mut ids: Vec<_> =
                        graph.find_labelled(label).iter().map(|&node| graph.id(node).to_owned()).collect();
                    ids.sort();
                    ids
                };
                assert_eq!(ids(&graph), ids(&built), "seed {seed}");
            }
            let packed = graph.compact(&Cancel::new()).expect("not cancelled");
            assert!(bytes(&packed) == bytes(&built), "seed {seed}: packing differs from building");
            if random.below(3) == 0 {
                graph = packed;
            }
        }
    }
}

#[test]
fn packing_ends_when_it_is_cancelled() {
    let mut random = Random::new(3);
    let mut model = Model::random(&mut random, 6);
    let before = model.build(&mut random);
    model.redraw("f1.py", &mut random);
    let graph = model.change(&before, &["f1.py".to_owned()]);
    let cancel = Cancel::new();
    cancel.cancel();
    assert!(graph.compact(&cancel).is_err());
    assert!(graph.compact(&Cancel::new()).is_ok());
}
