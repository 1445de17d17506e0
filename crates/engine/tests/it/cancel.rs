//! A cancelled ingest stops where it is and publishes nothing. Work is counted in polls of the flag, not in time.

use std::sync::Mutex;
use std::sync::mpsc;

use m1nd_base::{Cancel, NoProgress, Progress, ProgressEvent};
use m1nd_engine::{Engine, EngineError, IngestRequest};

use crate::project::{PYTHON, Project, incremental};

/// Threads of the engine: each may be between two polls when the flag is set. One more is that of the caller.
const THREADS: u64 = 2 + 1;

/// Cancels an ingest at each of its polls in turn. Returns the number of polls of one that is not cancelled.
fn cancel_at_each_poll(engine: &Engine, request: &IngestRequest, change: &dyn Fn(u64)) -> u64 {
    for at in 1.. {
        change(at);
        let before = engine.snapshot();
        let cancel = Cancel::at_poll(at);
        let result = engine.ingest(request.clone(), &cancel, &NoProgress);
        if let Ok(report) = result {
            // Only the caller, who looks again while the result is written, may be too late.
            assert!(cancel.polls() <= at, "cancelled at poll {at}, and yet done: {report:?}");
            return cancel.polls();
        }
        assert!(matches!(result, Err(EngineError::Cancelled)), "poll {at}: {result:?}");
        // The writer is through with it when it takes the next request, and has left no trace.
        let failed = engine.ingest(IngestRequest::code("nowhere"), &Cancel::new(), &NoProgress);
        assert!(failed.is_err());
        let after = engine.snapshot();
        assert_eq!(after.generation(), before.generation(), "poll {at}: published");
        assert_eq!(after.graph().dump(), before.graph().dump(), "poll {at}");
        assert!(engine.status().activity.is_none(), "poll {at}: still at work");
        let more = cancel.polls() - at;
        assert!(more <= THREADS * 2, "poll {at}: {more} polls after it was cancelled");
    }
    0
}

#[test]
fn a_first_ingest_stops_at_every_poll() {
    let project = Project::new(PYTHON);
    let engine = project.open();
    let polls = cancel_at_each_poll(&engine, &IngestRequest::code(project.tree.path()), &|_| ());
    // Files are listed, read, parsed, linked, packed and made searchable: each of these steps polls for each file.
    assert!(polls > 5 * 6, "only {polls} polls");
    assert!(engine.snapshot().graph().find("file::app/pool.py::class::Pool").is_some());
}

#[test]
fn a_later_ingest_stops_at_every_poll() {
    let project = Project::new(PYTHON);
    let engine = project.open_indexed();
    let request = IngestRequest { incremental: true, ..IngestRequest::code(project.tree.path()) };
    let change = |at: u64| project.tree.write("app/pool.py", format!("def f{at}():\n    pass\n"));
    let polls = cancel_at_each_poll(&engine, &request, &change);
    assert!(polls > 6, "only {polls} polls");
    let text = std::fs::read_to_string(project.tree.join("app/pool.py")).expect("reads");
    let name = text.trim_start_matches("def ").split('(').next().expect("a name");
    assert!(engine.snapshot().graph().find(&format!("file::app/pool.py::fn::{name}")).is_some());
    assert!(!incremental(&engine, project.tree.path()).changed);
}

/// Stops the caller of an ingest at its first report until the test lets it go on.
struct Held {
    reached: mpsc::SyncSender<()>,
    go_on: Mutex<Option<mpsc::Receiver<()>>>,
}

impl Progress for Held {
    fn report(&self, _: ProgressEvent) {
        if let Some(go_on) = self.go_on.lock().expect("not poisoned").take() {
            self.reached.send(()).expect("the test waits");
            go_on.recv().expect("the test lets go");
        }
    }
}

#[test]
fn what_a_server_does_on_its_own_gives_way_to_the_same_request_of_a_caller() {
    let project = Project::new("//- a/x.py\ndef f(): pass\n//- y.py\ndef g(): pass\n");
    for (asked, gives_way) in [("", true), ("a", false)] {
        let engine = project.open();
        let (reached, is_reached) = mpsc::sync_channel(0);
        let (let_go, go_on) = mpsc::channel();
        let held = Held { reached, go_on: Mutex::new(Some(go_on)) };
        let own = Cancel::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let request = IngestRequest { gives_way: true, ..IngestRequest::code(project.tree.path()) };
                let _ = engine.ingest(request, &own, &held);
            });
            is_reached.recv().expect("it runs");
            let request = IngestRequest::code(project.tree.path().join(asked));
            let refused = engine.ingest(request, &Cancel::at_poll(1), &NoProgress);
            assert!(matches!(refused, Err(EngineError::Cancelled)), "{refused:?}");
            assert_eq!(own.is_cancelled(), gives_way, "{asked:?}");
            let_go.send(()).expect("it waits");
        });
    }
}
