//! A published model gives the same vectors as its reference implementation. `.ci/steps/30-models.sh` downloads it
//! and runs this.

use std::path::PathBuf;

use m1nd_base::Cancel;
use m1nd_model::{TextModel, cosine};

/// Computed with the reference tokenizer and the model's formulas in double precision: the first values of each
/// vector.
const EXPECTED: &str = include_str!("minilm.json");

#[derive(serde::Deserialize)]
struct Row {
    text: String,
    vector: Vec<f32>,
}

fn model() -> TextModel {
    let folder = std::env::var_os("M1ND_TEST_MODEL").map(PathBuf::from).expect("M1ND_TEST_MODEL is set by the script");
    TextModel::open(&folder).expect("a model")
}

#[test]
#[ignore = "needs the 90 MB of a published model: .ci/steps/30-models.sh"]
fn vectors_are_those_of_the_reference() {
    let model = model();
    let rows: Vec<Row> = serde_json::from_str(EXPECTED).expect("rows");
    for row in rows {
        let vector = model.vector(&row.text);
        assert_eq!(vector.len(), 384);
        let apart = vector.iter().zip(&row.vector).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart < 2e-5, "{apart} for {:?}: {:?} {:?}", row.text, &vector[..8], row.vector);
    }
}

#[test]
#[ignore = "needs the 90 MB of a published model: .ci/steps/30-models.sh"]
fn what_means_the_same_is_near() {
    let model = model();
    let texts = [
        "retry the request after a timeout",
        "sends it again when the server did not answer in time",
        "draws a red circle",
    ];
    let vectors = model.vectors(&texts.map(str::to_owned), &Cancel::new()).expect("not cancelled");
    assert!(cosine(&vectors[0], &vectors[1]) > cosine(&vectors[0], &vectors[2]) + 0.2);
}
