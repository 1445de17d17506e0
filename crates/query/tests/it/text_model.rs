//! A model of meaning that the user named orders the best matches again.

use m1nd_base::Cancel;
use m1nd_engine::{Engine, EngineConfig, IngestRequest, ModelUse};
use m1nd_query::retrieval::{self, SeekAnswer, SeekQuery};
use tempfile::TempDir;

use crate::project::{Project, ingest};
use crate::tiny_model::model;

fn seek(engine: &Engine, min_score: f64) -> (Vec<String>, SeekAnswer) {
    let query = SeekQuery {
        text: "brush the feline".into(),
        graph_rerank: true,
        without_vectors: true,
        min_score,
        model: engine.model().cloned(),
        ..SeekQuery::default()
    };
    let snapshot = engine.snapshot();
    let answer = retrieval::seek(&snapshot, &query, &Cancel::new()).expect("not cancelled");
    let labels = answer.rows.iter().map(|row| snapshot.graph().label(row.node).to_owned()).collect();
    (labels, answer)
}

#[test]
fn what_the_model_finds_near_comes_first() {
    let project = Project::new(
        "//- care.py\ndef brush_a(dog):\n    return dog\n\n\ndef brush_b(kitty):\n    return kitty\n\n\ndef other():\n    return 1\n",
    );
    let plain = project.open_indexed();
    let (labels, answer) = seek(&plain, 0.0);
    assert_eq!((labels[0].as_str(), answer.model.clone()), ("brush_a", None), "words alone: {labels:?}");
    drop(plain);

    let folder = TempDir::new().expect("a folder");
    model(folder.path());
    let config = EngineConfig { model: Some(folder.path().into()), ..project.config() };
    let engine = Engine::open(config).expect("opens");
    let (labels, answer) = seek(&engine, 0.0);
    assert_eq!(labels[0], "brush_b", "{labels:?}");
    let name = folder.path().file_name().expect("a name").to_string_lossy().into_owned();
    assert!(matches!(&answer.model, Some(ModelUse::Ordered { name: used, rows }) if *used == name && *rows >= 2));
    assert!(answer.rows.windows(2).all(|pair| pair[0].score >= pair[1].score), "sorted by score");
    assert_eq!(seek(&engine, 0.0).1, answer, "the same from what is kept");
}

#[test]
fn without_its_files_the_ranking_is_as_before_and_says_why() {
    let project = Project::new("//- care.py\ndef brush_a(dog):\n    return dog\n");
    let folder = TempDir::new().expect("a folder");
    let config = EngineConfig { model: Some(folder.path().join("none")), ..project.config() };
    let engine = Engine::open(config).expect("opens");
    ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
    let (labels, answer) = seek(&engine, 0.0);
    assert_eq!(labels[0], "brush_a");
    let Some(ModelUse::Failed(why)) = answer.model else { panic!("no reason") };
    assert!(why.contains("config.json") && why.contains("expected a folder"), "{why}");
}
