//! A damaged file gives a typed error or an answer, never a panic.

use std::fs;

use m1nd_base::Cancel;
use m1nd_graph::paths::{PathQuery, Way, cheapest_paths};
use m1nd_graph::reach::{ReachQuery, Side, reach};
use m1nd_graph::{Container, FORMAT_VERSION, Graph, NodeIx, SnapshotError, write_container};
use m1nd_testkit::Random;

use crate::model::Model;

fn file() -> Vec<u8> {
    let graph = Model::random(&mut Random::new(1), 40).build(&mut Random::new(2));
    let mut out = Vec::new();
    write_container(&mut out, &graph.sections().expect("packed")).expect("memory");
    out
}

/// Reads everything that can be read.
fn use_up(graph: &Graph) {
    let _ = graph.dump();
    let nodes = graph.node_count() as u32;
    let cancel = Cancel::new();
    for node in [0, nodes / 2, nodes.saturating_sub(1), u32::MAX].map(NodeIx) {
        let _ = (graph.id(node), graph.pagerank(node), graph.of_file(node), graph.with_members(node, 50));
        let query = PathQuery { from: NodeIx(0), to: node, way: Way::Mixed, max_hops: 4, k: 2, budget: 2_000 };
        let _ = cheapest_paths(graph, &query, &cancel);
        let bounds = ReachQuery { side: Side::Dependents, max_hops: 4, min_strength: 0.01, max_nodes: 100 };
        let _ = reach(graph, &[node], &bounds, &cancel);
    }
    let _ = (graph.find("file::f3.py"), graph.find_labelled("d1"), graph.unresolved_named("n1").count());
    let _ = graph.compact(&Cancel::new());
}

#[test]
fn a_flipped_byte_is_an_error_or_an_answer() {
    let folder = tempfile::tempdir().expect("folder");
    let intact = file();
    let mut random = Random::new(3);
    let (mut refused, mut found) = (0, 0);
    for round in 0..1_000 {
        let mut bytes = intact.clone();
        let at = if round < 300 { round } else { random.below(bytes.len()) };
        bytes[at] ^= 1 << random.below(8);
        // A new name each time: a mapped file must not be rewritten.
        let path = folder.path().join(format!("{round}"));
        fs::write(&path, &bytes).expect("writes");
        match Container::open(&path) {
            Err(_) => refused += 1,
            Ok(container) => {
                let damaged = container.verify(&Cancel::new());
                // Only the padding between sections has no checksum.
                if damaged.is_err() {
                    assert!(matches!(damaged, Err(SnapshotError::Damaged(_))));
                    found += 1;
                }
                if let Ok(graph) = Graph::from_container(container) {
                    use_up(&graph);
                }
            }
        }
        fs::remove_file(&path).expect("removes");
    }
    assert!(refused >= 300 && refused + found > 950, "{refused} refused, {found} found by their checksum");
}

#[test]
fn a_cut_file_is_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let intact = file();
    let cuts = (0..intact.len()).step_by(4096).chain([1, 7, 8, 63, 64, 65, intact.len() - 1]);
    for cut in cuts {
        let path = folder.path().join(format!("{cut}"));
        fs::write(&path, &intact[..cut]).expect("writes");
        let error = Graph::open(&path).map(|_| ()).expect_err("refused");
        assert!(matches!(error, SnapshotError::Truncated { .. } | SnapshotError::Foreign), "{cut}: {error}");
    }
}

#[test]
fn other_files_are_named_for_what_they_are() {
    let folder = tempfile::tempdir().expect("folder");
    let open = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("writes");
        Graph::open(&path).map(|_| ()).expect_err("refused")
    };
    let missing = Graph::open(&folder.path().join("none")).map(|_| ()).expect_err("refused");
    assert!(matches!(missing, SnapshotError::NotThere(_)));
    assert!(matches!(open("foreign", &[b'x'; 4096]), SnapshotError::Foreign));
    assert!(matches!(open("empty", b""), SnapshotError::Truncated { .. } | SnapshotError::Foreign));
    let mut newer = file();
    newer[8..12].copy_from_slice(&(FORMAT_VERSION + 1).to_le_bytes());
    match open("newer", &newer) {
        SnapshotError::Newer { found, supported } => {
            assert_eq!((found, supported), (FORMAT_VERSION + 1, FORMAT_VERSION))
        }
        other => panic!("{other}"),
    }
}

#[test]
fn an_intact_file_reads_as_it_was_written() {
    let folder = tempfile::tempdir().expect("folder");
    let graph = Model::random(&mut Random::new(1), 40).build(&mut Random::new(2));
    let path = folder.path().join("graph");
    fs::write(&path, file()).expect("writes");
    let container = Container::open(&path).expect("opens");
    assert!(container.verify(&Cancel::new()).expect("intact"));
    let mapped = Graph::from_container(container).expect("opens");
    assert_eq!(mapped.dump(), graph.dump());
    let ranks: f32 = mapped.nodes().map(|node| mapped.pagerank(node)).sum();
    assert!((ranks - 1.0).abs() < 1e-3, "{ranks}");
}
