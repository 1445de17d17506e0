//! A model of three words, for tests of what uses one.

use std::path::Path;

use serde_json::json;

/// A static model that knows three words; the first two mean the same.
pub(crate) fn model(folder: &Path) {
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
