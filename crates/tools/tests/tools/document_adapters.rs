//! What the adapters of `ingest` make of documents: ids, edges to code, works that several files name, and claims whose
//! evidence changes.

use m1nd_base::ContentHash;
use serde_json::{Value, json};

use crate::harness::Project;

fn has(project: &Project, id: &str) -> bool {
    project.services.engine.snapshot().graph().find(id).is_some()
}

#[test]
fn evidence_is_current_until_its_file_changes() {
    let code = "def total_price(items):\n    return 1\n";
    let hash = ContentHash::of(code.as_bytes()).to_string()[..16].to_owned();
    let claims = format!(
        "---\nProtocol: L1GHT/1.0\nNode: Prices\nState: verified\n---\n\n## Sums\n\nA sum is made.\n[⍂ entity: Sum]\n\
         [𝔻 confidence: high]\n[𝔻 evidence: shop.py:1 blake3:{hash}]\n[⟁ binds_to: total_price]\n[⟁ tests: no_such_test]\n\
         `[⍂ entity: InCode]` [⍂ entity: link](a.md)\n- [ ] open\n"
    );
    let project = Project::new(&format!("//- shop.py\n{code}"));
    project.tree.write("notes/prices.light.md", &claims);
    let read = |project: &Project| project.ok("ingest", json!({"path": "notes", "adapter": "light", "mode": "merge"}));
    let report = read(&project)["documents"].clone();
    assert_eq!(report["formats"], json!({"light": 1}), "{report}");
    assert_eq!((&report["light_evidence_resolved"], &report["light_evidence_stale"]), (&json!(1), &json!(0)), "{report}");
    let shown = |project: &Project| {
        let answer = project.ok("document_resolve", json!({"path": "notes/prices.light.md"}));
        let claims = answer["typed_claims"].as_array().expect("claims").clone();
        assert_eq!(claims.len(), 1, "links, code and checkboxes are no claims: {answer}");
        claims[0]["targets"].as_array().expect("targets").clone()
    };
    let state = |targets: &[Value], target: &str| {
        let row = targets.iter().find(|row| row["target"] == target).unwrap_or_else(|| panic!("{target}: {targets:?}"));
        (row["state"].clone(), row["node_id"].clone())
    };
    let targets = shown(&project);
    assert_eq!(state(&targets, "shop.py"), (json!("current"), json!("file::shop.py")));
    assert_eq!(state(&targets, "total_price").0, "unverified");
    assert!(state(&targets, "total_price").1.as_str().is_some_and(|id| id.contains("total_price")));
    assert_eq!(state(&targets, "no_such_test"), (json!("missing"), Value::Null));

    project.tree.write("shop.py", "def total_price(items):\n    return 2\n");
    project.ok("ingest", json!({"path": ".", "incremental": true}));
    assert_eq!(state(&shown(&project), "shop.py").0, "stale");
    let report = read(&project)["documents"].clone();
    assert_eq!((&report["light_evidence_resolved"], &report["light_evidence_stale"]), (&json!(0), &json!(1)), "{report}");
}

#[test]
fn a_work_is_one_node_whatever_names_it() {
    let project = Project::new("//- a.py\nx = 1\n");
    project.tree.write("lit/refs.bib", "@article{k, title = {Lists}, author = {Doe, Jane}, doi = {https://doi.org/10.1000/ABC}}\n");
    let work = json!({"status": "ok", "message-type": "work", "message": {"DOI": "10.1000/abc", "type": "journal-article",
        "publisher": "P", "title": ["Lists"], "author": [{"family": "Doe", "given": "Jane"}], "reference": [{"DOI": "10.1000/other"}]}});
    project.tree.write("lit/work.json", work.to_string());
    project.tree.write("lit/page.md", "# Page\n\nSee doi:10.1000/abc for more.\n");
    let answer = project.ok("ingest", json!({"path": "lit", "adapter": "auto", "mode": "merge"}));
    assert_eq!(answer["documents"]["formats"], json!({"bibtex": 1, "crossref": 1, "markdown": 1}), "{answer}");
    let snapshot = project.services.engine.snapshot();
    let graph = snapshot.graph();
    let ids: Vec<&str> = (0..graph.node_count() as u32).map(|at| graph.id(m1nd_engine::graph::NodeIx(at))).collect();
    let works: Vec<&&str> = ids.iter().filter(|id| id.contains("10.1000")).collect();
    assert_eq!(works.len(), 2, "one for each DOI: {works:?}");
    assert!(has(&project, "doi::10.1000/abc") && has(&project, "doi::10.1000/other") && has(&project, "author::doe, jane"));
}

#[test]
fn a_graph_in_json_says_what_it_drops() {
    let project = Project::new("//- a.py\nx = 1\n");
    let graph = json!({"nodes": [{"id": "a"}, {"id": "b", "type": "Concept"}, {"id": "a"}],
        "edges": [{"source": "a", "target": "b"}, {"source": "a", "target": "gone"}, {"source": "x", "target": "b"}]});
    project.tree.write("graph.json", graph.to_string());
    let answer = project.ok("ingest", json!({"path": "graph.json", "adapter": "json", "mode": "merge"}));
    assert_eq!((&answer["bad_edges"], &answer["duplicate_nodes"]), (&json!(2), &json!(1)), "{answer}");
    assert_eq!(answer["bad_edge_examples"][0], "a → gone", "{answer}");
}

#[test]
fn notes_have_entries_by_class_and_files_that_are_not_there() {
    let project = Project::new("//- shop.py\ndef total_price():\n    pass\n");
    project.tree.write("notes/2026-01-02.md", "# Day\n\n- [ ] todo: look at shop.py again\n- decided to keep lib/gone.py out\n");
    let answer = project.ok("ingest", json!({"path": "notes", "adapter": "memory", "mode": "merge", "namespace": "Mine"}));
    assert_eq!(answer["documents"]["formats"], json!({"markdown": 1}), "{answer}");
    assert!(has(&project, "memory::mine::file::notes-2026-01-02-md"));
    assert!(has(&project, "memory::mine::reference::lib-gone-py"));
    assert!(!has(&project, "memory::mine::reference::shop-py"), "it is a node of the code");
}

#[test]
fn words_that_are_not_known_are_refused() {
    let project = Project::new("//- a.md\n# A\n");
    for arguments in [
        json!({"path": ".", "mode": "append"}),
        json!({"path": ".", "adapter": "yaml"}),
        json!({"path": ".", "adapter": "auto", "namespace": "a::b"}),
        json!({"path": ".", "adapter": "auto", "incremental": true}),
    ] {
        assert_eq!(project.err("ingest", arguments.clone())["code"], "invalid_params", "{arguments}");
    }
    for alias in ["jats", "bib", "doi", "document"] {
        project.ok("ingest", json!({"path": ".", "adapter": alias, "mode": "merge"}));
    }
}
