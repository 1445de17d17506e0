//! Questions while the files of the first index are parsed and their references are not linked.

use std::sync::{Mutex, mpsc};
use std::thread::JoinHandle;

use m1nd_base::{Cancel, Clock, NoProgress};
use m1nd_engine::IngestRequest;
use m1nd_tools::ALL;
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};

/// Thread that publishes an index, which asks the clock right before.
const WRITER: &str = "m1nd-writer";

const CODE: &str = "\
//- shop/price.py
def net(value):
    \"\"\"The price without tax.\"\"\"
    return value * 2

def gross(value):
    return net(value) + 1
//- shop/order.py
from shop.price import gross

class Order:
    def total(self):
        return gross(3)
//- shop/make.rs
#[macro_export]
macro_rules! make { ($name:ident) => { fn $name() {} } }
//- shop/late.rs
crate::make!(made_by_macro);
";

/// A project whose first index is linked and not published until it is released.
struct Held {
    project: Project,
    release: mpsc::Sender<()>,
    ingest: JoinHandle<()>,
}

impl Held {
    fn start(fixture: &str) -> Self {
        let (reached, is_reached) = mpsc::channel();
        let (release, is_released) = mpsc::channel();
        let gate = Mutex::new(Some((reached, is_released)));
        let clock = Clock::new(move || {
            let is_writer = std::thread::current().name() == Some(WRITER);
            let gate = if is_writer { gate.lock().expect("not poisoned").take() } else { None };
            if let Some((reached, is_released)) = gate {
                reached.send(()).expect("the test waits");
                let () = is_released.recv().expect("the test releases it");
            }
            0
        });
        let project = Project::with(fixture, |config| (config.answers_unlinked, config.clock) = (true, clock));
        let (engine, root) = (project.services.engine.clone(), project.tree.path().to_owned());
        let ingest = std::thread::spawn(move || {
            engine.ingest(IngestRequest::code(root), &Cancel::new(), &NoProgress).expect("ingests");
        });
        is_reached.recv().expect("the writer is about to publish");
        Self { project, release, ingest }
    }

    fn finish(self) -> Project {
        self.release.send(()).expect("the writer waits");
        self.ingest.join().expect("ends");
        self.project
    }
}

fn is_cannot_tell(error: &Value) -> bool {
    error["error"].as_str().is_some_and(|text| text.starts_with("cannot tell yet")) && error["linking"] == true
}

#[test]
fn names_texts_and_outlines_are_known_before_links() {
    let held = Held::start(CODE);
    let project = &held.project;
    let found = project.ok("definition", json!({"target": "gross"}));
    assert_eq!(column(&found, "definitions", "node_id"), "file::shop/price.py::fn::gross");
    assert_eq!(column(&found, "definitions", "tier"), "possible", "linking may find another");
    let listed = project.ok("outline", json!({"file_path": "shop/order.py"}));
    assert_eq!(column(&listed, "symbols", "label"), "Order total");
    let lines = project.ok("search", json!({"query": "gross(3)"}));
    assert_eq!(column(&lines, "matches", "label"), "total");
    for answer in [&found, &listed, &lines] {
        assert!(answer["linking"].as_str().is_some_and(|text| text.contains("still being linked")), "{answer}");
        assert_eq!(answer["next_suggested_tool"], Value::Null, "{answer}");
    }
    let text = project.text("outline", json!({"file_path": "shop/order.py"}));
    assert!(text.contains("still being linked"), "{text}");
    let project = held.finish();
    for (tool, arguments) in [("definition", json!({"target": "gross"})), ("search", json!({"query": "gross(3)"}))] {
        let answer = project.ok(tool, arguments);
        assert!(answer.get("linking").is_none(), "{answer}");
    }
    let others = Project::new(CODE);
    let graph = |project: &Project| project.services.engine.snapshot().graph().dump();
    assert_eq!(graph(&project), graph(&others), "what was offered before changes nothing");
}

#[test]
fn what_needs_links_cannot_be_told_before_them() {
    let held = Held::start(CODE);
    let open = [
        ("callers", json!({"node": "gross"})),
        ("impact", json!({"node_id": "gross"})),
        ("seek", json!({"query": "gross"})),
        ("references", json!({"node": "gross"})),
        ("definition", json!({"target": "shop/order.py:5"})),
        ("definition", json!({"target": "made_by_macro"})),
        ("definition", json!({"target": "nothing_has_this_name"})),
        ("outline", json!({"file_path": "nothing_has_this_name"})),
    ];
    for (tool, arguments) in open {
        let error = held.project.err(tool, arguments.clone());
        assert!(is_cannot_tell(&error), "{tool} {arguments}: {error}");
    }
    held.finish();
}

#[test]
fn every_other_tool_answers_as_over_an_empty_index() {
    let (held, empty) = (Held::start(PROGRAM), Project::open_unindexed(PROGRAM));
    for tool in ALL.iter().filter(|tool| tool.effect == m1nd_tools::Effect::Read) {
        let answers = [&held.project, &empty].map(|project| project.call_unprepared(tool, tool.example_arguments()));
        match (tool.answers_unlinked, answers) {
            (true, [Ok(answer), _]) => assert!(answer.get("linking").is_some(), "{}: {answer}", tool.name),
            (true, [Err(error), _]) => assert!(is_cannot_tell(&error.to_json()), "{}: {error:?}", tool.name),
            (false, [before, without]) => {
                let codes = [&before, &without].map(|answer| answer.as_ref().err().map(|error| error.code));
                assert_eq!(codes[0], codes[1], "{}: {before:?}", tool.name);
            }
        }
    }
    let snapshot = held.project.services.engine.snapshot();
    assert!(snapshot.is_empty() && !snapshot.is_unlinked());
    held.finish();
}
