//! Documents that follow their files: what is read, removed and skipped, who may stop it, and what a restart keeps.

use std::time::{Duration, Instant};

use m1nd_tools::find;
use serde_json::{Value, json};

use crate::harness::Project;

const SHOP: &str = "//- shop.py\ndef total_price(items):\n    return 1\n//- docs/guide.md\n# Guide\n\nCall `total_price()`.\n\
                    //- docs/refs.bib\n@article{a, title = {A}, doi = {10.1000/1}}\n";

fn open_watched() -> Project {
    let project = Project::with(SHOP, |config| config.watch = true);
    project.ok("ingest", json!({"path": "."}));
    project
}

/// Waits for a state of `auto_ingest_status`.
fn wait_for(project: &Project, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
    let started = Instant::now();
    loop {
        let status = project.ok("auto_ingest_status", json!({}));
        if fits(&status) {
            return status;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{what}: {status}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The answer to another agent.
fn by(project: &Project, agent: &str, tool: &str, mut arguments: Value) -> Result<Value, Value> {
    arguments["agent_id"] = json!(agent);
    project.call_as_is(tool, arguments).map_err(|error| error.to_json())
}

fn nodes(project: &Project, id: &str) -> bool {
    project.services.engine.snapshot().graph().find(id).is_some()
}

const GUIDE: &str = "universal::document::doc::docs-guide-md";

#[test]
fn documents_follow_their_files() {
    let project = open_watched();
    let started = project.ok("auto_ingest_start", json!({"roots": ["docs"], "debounce_ms": 50}));
    assert_eq!((&started["running"], &started["backend"]), (&json!(true), &json!("notify")), "{started}");
    assert_eq!(started["bootstrap"]["ingested_paths"], 2, "{started}");
    assert!(nodes(&project, GUIDE) && nodes(&project, "doi::10.1000/1"));
    let status = wait_for(&project, "the first comparison", |status| status["queue_depth"] == 0 && status.get("rescan_pending").is_none());
    assert_eq!((&status["manifest_entries"], &status["owner_agent_id"]), (&json!(2), &json!("tester")), "{status}");
    assert_eq!(status["provider_route_counts"], json!({"internal": 2}));

    // Several files within one pause are one generation.
    let before = project.services.engine.snapshot().generation();
    project.tree.write("docs/a.txt", "first\n");
    project.tree.write("docs/b.txt", "second\n");
    project.tree.write("docs/.a.txt.swp", "noise");
    let status = wait_for(&project, "two new files", |status| status["manifest_entries"] == 4);
    assert!(status["last_error"].is_null(), "{status}");
    let after = project.services.engine.snapshot().generation();
    assert!(after > before && after <= before + 3, "{before} → {after}: one for the code, one or two for the documents");

    // A rename is a removal and an addition.
    std::fs::rename(project.tree.path().join("docs/guide.md"), project.tree.path().join("docs/manual.md")).expect("renamed");
    let tick = project.ok("auto_ingest_tick", json!({}));
    assert!(tick["errored_paths"] == 0 && tick["queue_depth"] == 0, "{tick}");
    wait_for(&project, "the rename", |_| !nodes(&project, GUIDE) && nodes(&project, "universal::document::doc::docs-manual-md"));

    // What does not change is not read again; a folder that goes takes its documents with it.
    let read = project.ok("auto_ingest_status", json!({}))["ingests_applied"].clone();
    assert_eq!(project.ok("auto_ingest_tick", json!({}))["ingested_paths"], 0);
    assert_eq!(project.ok("auto_ingest_status", json!({}))["ingests_applied"], read);
    std::fs::remove_dir_all(project.tree.path().join("docs")).expect("removed");
    let status = wait_for(&project, "the folder is gone", |status| status["manifest_entries"] == 0);
    assert!(status["removals_applied"].as_u64() >= Some(4), "{status}");
    assert!(!nodes(&project, "doi::10.1000/1"));
}

#[test]
fn only_the_owner_stops_it_and_a_failed_start_changes_nothing() {
    let project = open_watched();
    for name in ["auto_ingest_stop", "auto_ingest_tick"] {
        let tool = find(name).expect("a tool");
        let error = project.call_unprepared(tool, json!({"agent_id": "ann"})).expect_err("nothing runs").to_json();
        assert_eq!(error["code"], "handle_unknown", "{error}");
        assert!(error["suggested_next_step"].to_string().contains("auto_ingest_start"), "{error}");
    }
    by(&project, "ann", "auto_ingest_start", json!({"roots": ["docs"], "formats": ["bibtex"]})).expect("starts");
    assert!(!nodes(&project, GUIDE), "Markdown was not asked for");
    for (agent, arguments, code) in [
        ("bob", json!({}), "handle_not_yours"),
        ("ann", json!({"roots": ["no/such"]}), "file_not_found"),
        ("ann", json!({"roots": ["/"]}), "outside_workspace"),
        ("ann", json!({"formats": ["yaml"]}), "invalid_params"),
        ("ann", json!({"formats": ["memory"]}), "invalid_params"),
        ("ann", json!({"namespace": "a/b"}), "invalid_params"),
    ] {
        let mut whole = json!({"roots": ["docs"]});
        whole.as_object_mut().expect("an object").extend(arguments.as_object().expect("an object").clone());
        let error = by(&project, agent, "auto_ingest_start", whole).expect_err("is refused");
        assert_eq!(error["code"], code, "{arguments}: {error}");
    }
    let error = by(&project, "bob", "auto_ingest_stop", json!({})).expect_err("is refused");
    assert_eq!(error["code"], "handle_not_yours");
    let status = project.ok("auto_ingest_status", json!({}));
    assert_eq!((&status["running"], &status["formats"]), (&json!(true), &json!(["bibtex"])), "{status}");
    let stopped = by(&project, "ann", "auto_ingest_stop", json!({})).expect("stops");
    assert_eq!((&stopped["stopped"], &stopped["manifest_entries"]), (&json!(true), &json!(1)));
    assert!(nodes(&project, "doi::10.1000/1"), "what was read stays");
    assert_eq!(project.ok("auto_ingest_status", json!({}))["running"], false);
}

#[test]
fn a_restart_keeps_what_was_read() {
    let project = open_watched();
    by(&project, "ann", "auto_ingest_start", json!({"roots": ["docs"]})).expect("starts");
    project.ok("persist", json!({}));
    let project = project.reopen(|config| config.watch = false);
    let status = project.ok("auto_ingest_status", json!({}));
    assert_eq!((&status["running"], &status["resumes"], &status["manifest_entries"]), (&json!(false), &json!(true), &json!(2)), "{status}");

    std::fs::remove_file(project.tree.path().join("docs/refs.bib")).expect("removed");
    project.tree.write("docs/new.md", "# New\n");
    let project = project.reopen(|config| config.watch = true);
    let status = wait_for(&project, "what changed meanwhile", |status| status["ingests_applied"] == 1);
    assert_eq!((&status["running"], &status["removals_applied"]), (&json!(true), &json!(1)), "{status}");
    assert!(nodes(&project, GUIDE) && nodes(&project, "universal::document::doc::docs-new-md"));
    assert!(!nodes(&project, "doi::10.1000/1"));
    // Its owner may be gone.
    by(&project, "bob", "auto_ingest_stop", json!({})).expect("stops");
}

#[test]
fn what_cannot_be_read_is_said_and_what_was_read_before_stays() {
    let project = open_watched();
    project.ok("auto_ingest_start", json!({"roots": ["."], "debounce_ms": 0}));
    project.tree.write("docs/scan.pdf", "%PDF-1.4 nothing");
    project.ok("auto_ingest_tick", json!({}));
    let status = wait_for(&project, "the error", |status| status["error_count"].as_u64() >= Some(1));
    assert!(status["last_error"].as_str().is_some_and(|why| why.contains("scan.pdf") && why.contains("catalog")), "{status}");
    let event = status["recent_events"].as_array().and_then(|events| events.iter().find(|event| event["status"] == "error"));
    assert_eq!(event.map(|event| &event["path"]), Some(&json!("docs/scan.pdf")), "{status}");
    assert!(nodes(&project, GUIDE));
}
