//! Code of a topic by history and connections.

use m1nd_base::Cancel;
use m1nd_engine::{Engine, EngineConfig, IngestRequest, Snapshot};
use m1nd_query::retrieval::{ActivateAnswer, ActivateQuery, Dimension};
use tempfile::TempDir;

use crate::history::repository::{Put, Repository};
use crate::project::{Project, ingest};

fn activate(snapshot: &Snapshot, text: &str) -> ActivateAnswer {
    let query = ActivateQuery {
        text: text.to_owned(),
        dimensions: Vec::new(),
        above_chance: true,
        ghost_edges: true,
        structural_holes: true,
        max_rows: 100,
    };
    m1nd_query::retrieval::activate(snapshot, &query, &Cancel::new()).expect("not cancelled")
}

#[test]
fn files_that_change_together_without_a_connection_are_ghost_edges() {
    let mut repository = Repository::new();
    let home = TempDir::new().expect("a folder");
    for number in 0..8 {
        let billing = format!("from money import Money\ndef charge_invoice():\n    return Money({number})\n");
        let money = format!("class Money:\n    rate = {number}\n");
        let mail = format!("def remind():\n    return {number}\n");
        repository.commit(
            "ann",
            &format!("dunning {number}"),
            &[Put("billing.py", &billing), Put("money.py", &money), Put("mail.py", &mail)],
        );
    }
    repository.tree.write("billing.py", "from money import Money\ndef charge_invoice():\n    return Money(7)\n");
    repository.tree.write("money.py", "class Money:\n    rate = 7\n");
    repository.tree.write("mail.py", "def remind():\n    return 7\n");
    // More connections than the limit.
    for number in 0..450 {
        repository.tree.write(format!("a/u{number}.py"), "from money import Money\n");
    }
    for number in 0..30 {
        let text = number.to_string();
        repository.commit("bob", &format!("other {number}"), &[Put("other.py", &text)]);
    }
    let config = EngineConfig {
        threads: Some(1),
        ..EngineConfig::new(home.path().into(), vec![repository.tree.path().to_owned()])
    };
    let engine = Engine::open(config).expect("opens");
    ingest(&engine, IngestRequest::code(repository.tree.path())).expect("ingests");
    let snapshot = engine.snapshot();
    let answer = activate(&snapshot, "charge invoice");
    let graph = snapshot.graph();
    let ghosts: Vec<String> = answer
        .ghost_edges
        .rows
        .iter()
        .map(|ghost| format!("{} {} {}", graph.path(ghost.source), graph.path(ghost.target), ghost.commits))
        .collect();
    assert!(ghosts.contains(&"billing.py mail.py 8".to_owned()), "{ghosts:?}");
    for pair in ["billing.py money.py", "money.py billing.py"] {
        assert!(!ghosts.iter().any(|ghost| ghost.starts_with(pair)), "connected in the code: {ghosts:?}");
    }
    let ghost = &answer.ghost_edges.rows[0];
    assert!(ghost.p_value < 0.01 && ghost.evidence[0].1.starts_with("dunning"), "{ghost:?}");
    let temporal = Dimension::ALL.iter().position(|one| *one == Dimension::Temporal).expect("one of all");
    let mail = answer.rows.iter().find(|row| graph.id(row.node) == "file::mail.py").expect("it changes with the seed");
    assert!(mail.dimensions[temporal] > Some(0.3), "{mail:?}");
}

#[test]
fn what_only_large_commits_bring_together_is_no_ghost_edge() {
    // Commits that touch both files: how many of them touch ten more, and how many touch nothing else.
    let cases = [(8, 0, 0), (8, 1, 0), (6, 2, 1), (0, 8, 1)];
    for (large, small, expected) in cases {
        let mut repository = Repository::new();
        let home = TempDir::new().expect("a folder");
        let code = |number: usize| {
            (
                format!("def charge_invoice():\n    return {number}\n"),
                format!("def remind():\n    return {number}\n"),
                number.to_string(),
            )
        };
        let others: Vec<String> = (0..10).map(|number| format!("notes{number}.txt")).collect();
        for number in 0..large + small {
            let (billing, mail, text) = code(number);
            let mut puts = vec![Put("billing.py", &billing), Put("mail.py", &mail)];
            if number < large {
                puts.extend(others.iter().map(|name| Put(name, &text)));
            }
            repository.commit("ann", if number < large { "sweep" } else { "dunning" }, &puts);
        }
        let (billing, mail, _) = code(large + small - 1);
        repository.tree.write("billing.py", &billing);
        repository.tree.write("mail.py", &mail);
        for number in 0..30 {
            let text = number.to_string();
            repository.commit("bob", "other", &[Put("other.py", &text)]);
        }
        let config = EngineConfig {
            threads: Some(1),
            ..EngineConfig::new(home.path().into(), vec![repository.tree.path().to_owned()])
        };
        let engine = Engine::open(config).expect("opens");
        ingest(&engine, IngestRequest::code(repository.tree.path())).expect("ingests");
        let answer = activate(&engine.snapshot(), "charge invoice");
        let ghosts = &answer.ghost_edges.rows;
        assert_eq!(ghosts.len(), expected, "{large} {small}: {ghosts:?}");
        for ghost in ghosts {
            assert_eq!(ghost.commits as usize, large + small);
            assert!(ghost.evidence.iter().all(|(_, subject)| subject == "dunning"), "{ghost:?}");
        }
    }
}

#[test]
fn hubs_are_near_only_for_what_they_owe_to_the_seeds() {
    let mut text = "//- log.py\ndef write(line):\n    pass\n//- tax.py\nfrom log import write\ndef vat_rate():\n    write('')\n    \
                    return table()\ndef table():\n    return 1\n"
        .to_owned();
    for number in 0..60 {
        text += &format!("//- m{number}.py\nfrom log import write\ndef run{number}():\n    write('')\n");
    }
    let project = Project::new(&text);
    let engine = project.open_indexed();
    let snapshot = engine.snapshot();
    let answer = activate(&snapshot, "vat rate");
    let place = |id: &str| answer.rows.iter().position(|row| snapshot.graph().id(row.node) == id);
    let (own, hub) = (place("file::tax.py::fn::table"), place("file::log.py::fn::write"));
    assert!(own.is_some() && (hub.is_none() || own < hub), "{own:?} {hub:?}");
    let table = answer.rows[own.expect("found")];
    assert!(table.lift > Some(5.0), "{table:?}");
}
