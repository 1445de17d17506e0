//! Concurrent readers and writer. No clocks: only the order is checked.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use m1nd_base::{Cancel, Progress, ProgressEvent};
use m1nd_engine::IngestRequest;

use crate::project::{Project, incremental};

/// Holds an ingest at its first report of a stage until the test lets it go on.
struct Held {
    stage: &'static str,
    reached: mpsc::SyncSender<()>,
    go_on: std::sync::Mutex<mpsc::Receiver<()>>,
    once: AtomicBool,
}

impl Progress for Held {
    fn report(&self, event: ProgressEvent) {
        if event.stage == self.stage && !self.once.swap(true, Ordering::SeqCst) {
            self.reached.send(()).expect("the test waits");
            self.go_on.lock().expect("not poisoned").recv().expect("the test lets go");
        }
    }
}

#[test]
fn readers_answer_while_an_ingest_runs() {
    let project = Project::new("//- a.py\ndef f(): pass\n");
    let engine = project.open_indexed();
    let before = engine.snapshot().generation();
    for number in 0..50 {
        project.tree.write(format!("m{number}.py"), format!("def f{number}(): pass\n"));
    }
    let (reached, is_reached) = mpsc::sync_channel(0);
    let (let_go, go_on) = mpsc::channel();
    let held = Held { stage: "parsing", reached, go_on: go_on.into(), once: AtomicBool::new(false) };
    std::thread::scope(|scope| {
        let ingest = scope
            .spawn(|| engine.ingest(IngestRequest::code(project.tree.path()), &Cancel::new(), &held).expect("ingests"));
        is_reached.recv().expect("the ingest runs");
        // The caller of the ingest is held here; eight readers do all their work before it is let go.
        let readers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let mut last = before;
                    for _ in 0..200 {
                        let snapshot = engine.snapshot();
                        assert!(snapshot.generation() >= last, "a generation went back");
                        last = snapshot.generation();
                        assert!(snapshot.nodes_named("a.py::f").len() == 1);
                        assert!(engine.status().generation >= last);
                    }
                })
            })
            .collect();
        readers.into_iter().for_each(|reader| reader.join().expect("reads"));
        let_go.send(()).expect("the ingest waits");
        let report = ingest.join().expect("ends");
        assert!(report.generation > before);
    });
    assert!(engine.snapshot().graph().find("file::m49.py::fn::f49").is_some());
}

#[test]
fn a_snapshot_never_mixes_generations() {
    let project = Project::new("//- a.py\ndef f0(): pass\n//- b.py\ndef g0(): pass\n");
    let engine = project.open_indexed();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut last = 0;
                    while !stop.load(Ordering::Relaxed) {
                        let snapshot = engine.snapshot();
                        assert!(snapshot.generation() >= last);
                        last = snapshot.generation();
                        let graph = snapshot.graph();
                        let has = |file: &str, number: usize, name: char| {
                            graph.find(&format!("file::{file}::fn::{name}{number}")).is_some()
                        };
                        let round = (0..30).find(|&round| has("a.py", round, 'f'));
                        let round = round.expect("one of the states");
                        assert!(has("b.py", round, 'g'), "a.py and b.py are of different states");
                    }
                })
            })
            .collect();
        for round in 1..30 {
            project.tree.write("a.py", format!("def f{round}(): pass\n"));
            project.tree.write("b.py", format!("def g{round}(): pass\n"));
            let report = incremental(&engine, project.tree.path());
            assert_eq!(engine.snapshot().generation(), report.generation, "a writer reads what it wrote");
        }
        stop.store(true, Ordering::Relaxed);
        readers.into_iter().for_each(|reader| reader.join().expect("reads"));
    });
}

#[test]
fn a_cancelled_ingest_changes_nothing_and_any_other_ends() {
    let project = Project::new("//- a.py\ndef f(): pass\n");
    let engine = project.open_indexed();
    let mut random = m1nd_testkit::Random::new(1);
    for round in 0..60 {
        project.tree.write("a.py", format!("def f{round}(): pass\n"));
        let before = engine.snapshot();
        let cancel = Cancel::new();
        let spins = random.below(200_000);
        let result = std::thread::scope(|scope| {
            scope.spawn(|| {
                (0..spins).for_each(|_| std::hint::spin_loop());
                cancel.cancel();
            });
            engine.ingest(IngestRequest::code(project.tree.path()), &cancel, &m1nd_base::NoProgress)
        });
        let after = engine.snapshot();
        match result {
            Ok(report) => assert_eq!((report.generation, report.changed), (after.generation(), true)),
            Err(m1nd_engine::EngineError::Cancelled) => {
                // Also later: what the writer still does for it is not published.
                incremental_after_cancel(&project, &engine, before.generation());
            }
            Err(error) => panic!("{error}"),
        }
    }
    incremental(&engine, project.tree.path());
    assert!(engine.snapshot().graph().find("file::a.py::fn::f59").is_some());
}

fn incremental_after_cancel(project: &Project, engine: &m1nd_engine::Engine, before: u64) {
    // The next ingest waits for the writer, so by then the cancelled one has ended.
    let text = std::fs::read(project.tree.join("a.py")).expect("reads");
    project.tree.write("a.py", format!("def after{before}(): pass\n"));
    let report = incremental(engine, project.tree.path());
    assert_eq!(report.generation, before + 1, "the cancelled ingest published a generation");
    project.tree.write("a.py", text);
}

#[test]
fn an_edit_costs_the_edited_file_only() {
    let mut fixture = String::from("//- base.py\ndef base(): pass\n");
    for number in 0..300 {
        fixture.push_str(&format!("//- m{number}.py\nfrom base import base\ndef f{number}():\n    base()\n"));
    }
    let project = Project::new(&fixture);
    let engine = project.open_indexed();
    project.tree.write("m7.py", "from base import base\ndef f7():\n    base()\n    base()\n");
    let report = incremental(&engine, project.tree.path());
    assert_eq!((report.files_parsed, report.files_linked), (1, 1), "{report:?}");
    assert_eq!(engine.snapshot().graph().overlay_files(), 1);
}

#[test]
fn a_watched_root_stays_fresh() {
    let project = Project::new("//- a.py\ndef f(): pass\n");
    drop(project.open_indexed());
    let engine =
        m1nd_engine::Engine::open(m1nd_engine::EngineConfig { watch: true, ..project.config() }).expect("opens");
    let sees = |id: &str| {
        while engine.snapshot().graph().find(id).is_none() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    };
    project.tree.write("b.py", "def g(): pass\n");
    sees("file::b.py::fn::g");
    project.tree.write("b.py", "def h(): pass\n");
    sees("file::b.py::fn::h");
    project.tree.remove("b.py");
    while engine.snapshot().graph().find("file::b.py").is_some() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
