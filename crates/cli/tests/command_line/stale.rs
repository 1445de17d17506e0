//! Questions after files changed while no server ran.

use serde_json::Value;

use crate::{Place, SHOP};

const NET: &str = "file::shop/price.py::fn::net";

fn impact(place: &Place) -> Value {
    let run = place.run(&["call", "impact", "--node-id", NET, "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    serde_json::from_str(&run.out).unwrap()
}

fn open_indexed() -> Place {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    assert!(!impact(&place).to_string().contains("late"));
    place.project.write("shop/late.py", "from shop.price import net\n\ndef late():\n    return net(1)\n");
    place
}

#[test]
fn a_question_is_answered_from_what_is_on_disk() {
    let place = open_indexed();
    let answer = impact(&place);
    assert!(answer.to_string().contains("shop/late.py::fn::late"), "{answer}");
    assert_eq!((&answer["closure"]["state"], answer.get("stale")), (&"closed".into(), None), "{answer}");
    let status = place.run(&["status"]).out;
    assert!(status.contains("generation 2") && !status.contains("changed since"), "the index was kept: {status}");
}

#[test]
fn status_and_doctor_say_how_many_files_changed() {
    let place = open_indexed();
    place.project.write("shop/price.py", "def net(value): return 1\n");
    for arguments in [["status"].as_slice(), &["doctor"]] {
        let run = place.run(arguments);
        assert!(run.out.contains("2 files changed since they were indexed"), "{arguments:?}: {}", run.out);
        assert!(run.out.contains("m1nd ingest"), "{arguments:?}: {}", run.out);
    }
    let health: Value = serde_json::from_str(&place.run(&["status", "--json"]).out).unwrap();
    assert_eq!(health["status"], "degraded", "{health}");
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    for command in ["status", "doctor"] {
        let run = place.run(&[command]);
        assert!(!run.out.contains("changed since"), "{command}: {}", run.out);
    }
}

#[test]
fn beside_a_writer_an_answer_says_what_it_has_not_seen() {
    let place = open_indexed();
    let mut server = place.command(&["serve", "--no-watch"]);
    let mut wire = m1nd_testkit::wire::Wire::spawn(&mut server).unwrap();
    wire.initialize("2025-06-18");
    let beside = impact(&place);
    assert_eq!(beside["stale"]["files"][0], "shop/late.py", "{beside}");
    assert_ne!(beside["closure"]["state"], "closed", "{beside}");
    let (answer, failed) = wire.call("impact", serde_json::json!({"agent_id": "a", "node_id": NET}));
    assert!(!failed && answer.to_string().contains("shop/late.py::fn::late"), "{answer}");
    assert!(wire.finish().success());
}
