//! A model of meaning that the user named orders the best matches anew.

use std::path::Path;
use std::sync::Arc;

use m1nd_base::Cancel;
use m1nd_engine::memory::{Memories, MemoryQuery};
use m1nd_engine::retrieval::{SeekAnswer, SeekQuery};
use m1nd_engine::{Engine, EngineConfig, IngestRequest, LocalModel, ModelUse, Snapshot};
use serde_json::json;
use tempfile::TempDir;

use crate::project::{Project, ingest};

/// A static model that knows three words; the first two mean the same.
fn model(folder: &Path) {
    let vocab = json!({"[UNK]": 0, "feline": 1, "kitty": 2, "dog": 3});
    let tokenizer = json!({
        "normalizer": {"type": "BertNormalizer", "lowercase": true},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": vocab}
    });
    let values: [f32; 8] = [0.0, 0.0, 1.0, 0.1, 1.0, 0.0, 0.0, 1.0];
    let header = json!({"embeddings": {"dtype": "F32", "shape": [4, 2], "data_offsets": [0, 32]}}).to_string();
    let mut weights = (header.len() as u64).to_le_bytes().to_vec();
    weights.extend(header.as_bytes());
    values.iter().for_each(|value| weights.extend(value.to_le_bytes()));
    std::fs::write(folder.join("config.json"), r#"{"model_type": "model2vec"}"#).expect("written");
    std::fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).expect("written");
    std::fs::write(folder.join("model.safetensors"), weights).expect("written");
}

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
    let answer = snapshot.seek(&query, &Cancel::new()).expect("not cancelled");
    let labels = answer.rows.iter().map(|row| snapshot.graph().label(row.node).to_owned()).collect();
    (labels, answer)
}

#[test]
fn what_the_model_finds_near_comes_first() {
    let project = Project::new(
        "//- care.py\ndef brush_a(dog):\n    return dog\n\n\ndef brush_b(kitty):\n    return kitty\n\n\ndef other():\n    return 1\n",
    );
    let plain = project.indexed();
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

#[test]
fn memories_are_ordered_by_the_model_that_the_settings_name() {
    let folder = TempDir::new().expect("a folder");
    model(folder.path());
    let project = Project::new(
        "//- .mind/MEMORY.md\n# p\n\n## 2026-01-01\n**Learned:** dog brushes wear out\n**Learned:** kitty brushes wear out\n\
         **Decided:** invoices are numbered by month\n**Problem:** slow start\n",
    );
    let home = project.tree.join("mind");
    let ask = |settings: &str| {
        std::fs::create_dir_all(&home).expect("is made");
        std::fs::write(home.join("config.toml"), settings).expect("is written");
        let memories = Memories::new(home.clone(), vec![project.tree.path().to_owned()], 1);
        let query = MemoryQuery { text: "feline brushes", all_projects: false, kinds: &[], limit: 1, near: &[] };
        let found = memories.search(&query, &Snapshot::empty()).expect("is searched");
        let status = memories.status().expect("is told");
        (found.rows[0].record.title.to_string(), found.rows[0].relevance, found.notice, status.embedder)
    };
    let named = |path: &Path| format!("[search]\nembedder = 'model'\nmodel_path = '{}'\n", path.display());
    let (title, relevance, _, embedder) = ask("");
    assert_eq!(embedder, "built-in word vectors");
    let (first, first_relevance, notice, embedder) = ask(&named(folder.path()));
    assert_eq!(first, "kitty brushes wear out");
    assert!(embedder.contains(&*folder.path().to_string_lossy()) && !notice.unwrap_or_default().contains("model"));
    assert!((relevance - first_relevance).abs() < 1e-6, "it still says how well the question is answered");
    for settings in [named(&folder.path().join("none")), "[search]\nembedder = 'model'\n".to_owned()] {
        let (again, _, notice, _) = ask(&settings);
        assert_eq!(again, title);
        assert!(notice.as_deref().is_some_and(|notice| notice.contains("the model was not asked")), "{notice:?}");
    }
}

#[test]
fn vectors_are_kept_and_do_not_depend_on_the_order_of_texts() {
    let folder = TempDir::new().expect("a folder");
    model(folder.path());
    let local = Arc::new(LocalModel::new(folder.path().into()));
    let ask = |texts: &[&str]| {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        local.vectors(&texts, &Cancel::new()).expect("not cancelled").expect("a model")
    };
    let (first, second) = (ask(&["dog", "kitty", "dog"]), ask(&["kitty", "dog"]));
    assert_eq!(first[0], second[1]);
    assert!(Arc::ptr_eq(&first[1], &second[0]), "kept");
}
