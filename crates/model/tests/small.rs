//! Tiny handmade models.

use std::collections::BTreeMap;

use m1nd_model::{ModelError, ModelFiles, TextModel, cosine};
use safetensors::tensor::{Dtype, TensorView, serialize};
use serde_json::{Value, json};

const WORDS: [&str; 6] = ["[UNK]", "[CLS]", "[SEP]", "cat", "dog", "##s"];

fn tokenizer() -> Vec<u8> {
    let vocab: serde_json::Map<String, Value> =
        WORDS.iter().enumerate().map(|(id, word)| ((*word).to_owned(), json!(id))).collect();
    let normalizer = json!({"type": "BertNormalizer", "lowercase": true});
    json!({"normalizer": normalizer, "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": vocab}})
        .to_string()
        .into_bytes()
}

/// Weights by name and shape; `value` computes each number.
fn weights(shapes: &[(&str, &[usize])], value: impl Fn(&str, usize) -> f32) -> Vec<u8> {
    let bytes: BTreeMap<&str, (Vec<usize>, Vec<u8>)> = shapes
        .iter()
        .map(|(name, shape)| {
            let count = shape.iter().product();
            let numbers = (0..count).flat_map(|at| value(name, at).to_le_bytes()).collect();
            (*name, (shape.to_vec(), numbers))
        })
        .collect();
    let views = bytes.iter().map(|(name, (shape, data))| {
        (*name, TensorView::new(Dtype::F32, shape.clone(), data).expect("as many numbers as the shape says"))
    });
    serialize(views, None).expect("a file")
}

fn open(config: &Value, weights: &[u8]) -> Result<TextModel, ModelError> {
    let config = config.to_string();
    let files = ModelFiles { config: config.as_bytes(), tokenizer: &tokenizer(), weights, pooling: None };
    TextModel::from_files("small", files)
}

#[test]
fn a_static_model_sums_up_its_pieces() {
    let config = json!({"model_type": "model2vec", "normalize": true});
    let rows = [[9.0, 9.0], [9.0, 9.0], [9.0, 9.0], [1.0, 0.0], [0.0, 1.0], [0.0, 3.0]];
    let file = weights(&[("embeddings", &[6, 2])], |_, at| rows[at / 2][at % 2]);
    let model = open(&config, &file).expect("a model");
    assert_eq!((model.name(), model.dimensions(), model.is_slow()), ("small", 2, false));
    for (text, vector) in [("cat", [1.0, 0.0]), ("Dog", [0.0, 1.0]), ("bird", [0.0, 0.0]), ("", [0.0, 0.0])] {
        assert_eq!(model.vector(text), vector, "{text}");
    }
    let cats = model.vector("cats");
    assert!((cats[1] / cats[0] - 3.0).abs() < 1e-6 && (cosine(&cats, &cats) - 1.0).abs() < 1e-6, "{cats:?}");
}

#[test]
fn a_static_model_with_shared_rows() {
    let config = json!({"model_type": "model2vec"});
    let shapes: [(&str, &[usize]); 2] = [("embeddings", &[2, 2]), ("weights", &[6])];
    let file = weights(&shapes, |_, at| at as f32);
    let error = open(&config, &file).expect_err("two rows for six pieces");
    assert!(error.to_string().contains("a row for each of 6 pieces"), "{error}");
}

const BERT: [(&str, &[usize]); 21] = [
    ("embeddings.word_embeddings.weight", &[6, 4]),
    ("embeddings.position_embeddings.weight", &[5, 4]),
    ("embeddings.token_type_embeddings.weight", &[2, 4]),
    ("embeddings.LayerNorm.weight", &[4]),
    ("embeddings.LayerNorm.bias", &[4]),
    ("encoder.layer.0.attention.self.query.weight", &[4, 4]),
    ("encoder.layer.0.attention.self.query.bias", &[4]),
    ("encoder.layer.0.attention.self.key.weight", &[4, 4]),
    ("encoder.layer.0.attention.self.key.bias", &[4]),
    ("encoder.layer.0.attention.self.value.weight", &[4, 4]),
    ("encoder.layer.0.attention.self.value.bias", &[4]),
    ("encoder.layer.0.attention.output.dense.weight", &[4, 4]),
    ("encoder.layer.0.attention.output.dense.bias", &[4]),
    ("encoder.layer.0.attention.output.LayerNorm.weight", &[4]),
    ("encoder.layer.0.attention.output.LayerNorm.bias", &[4]),
    ("encoder.layer.0.intermediate.dense.weight", &[8, 4]),
    ("encoder.layer.0.intermediate.dense.bias", &[8]),
    ("encoder.layer.0.output.dense.weight", &[4, 8]),
    ("encoder.layer.0.output.dense.bias", &[4]),
    ("encoder.layer.0.output.LayerNorm.weight", &[4]),
    ("encoder.layer.0.output.LayerNorm.bias", &[4]),
];

fn config() -> Value {
    json!({
        "model_type": "bert", "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8,
        "max_position_embeddings": 5, "vocab_size": 6, "layer_norm_eps": 1e-12, "hidden_act": "gelu"
    })
}

fn number(name: &str, at: usize) -> f32 {
    let mut seed = name.bytes().fold(at as u32 + 1, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
    // Well mixed: layer normalisation would map values that merely ascend to the same result.
    for factor in [0x85eb_ca6b_u32, 0xc2b2_ae35] {
        seed = (seed ^ seed >> 15).wrapping_mul(factor);
    }
    let value = f32::from((seed >> 16) as u16) / 65_536.0 - 0.5;
    if name.ends_with("LayerNorm.weight") { 1.0 + value } else { value }
}

#[test]
fn a_transformer_reads_pieces_in_their_order() {
    let file = weights(&BERT, number);
    let model = open(&config(), &file).expect("a model");
    assert!(model.is_slow() && model.dimensions() == 4);
    let [one, other, again] = ["cat dog", "dog cat", "CAT dog"].map(|text| model.vector(text));
    assert_eq!(one, again);
    assert!(cosine(&one, &other) < 0.999_999, "{one:?} {other:?}");
    assert!(model.vector(&"cat ".repeat(1_000)).iter().all(|value| value.is_finite()), "cut to what it can read");
    let named: Vec<(String, &[usize])> = BERT.iter().map(|(name, shape)| (format!("bert.{name}"), *shape)).collect();
    let named: Vec<(&str, &[usize])> = named.iter().map(|(name, shape)| (name.as_str(), *shape)).collect();
    let same = weights(&named, |name, at| number(name.trim_start_matches("bert."), at));
    assert_eq!(open(&config(), &same).expect("a model").vector("cat dog"), one);
}

#[test]
fn what_does_not_fit_is_refused_with_what_was_expected() {
    let file = weights(&BERT, number);
    let with = |key: &str, value: Value| {
        let mut config = config();
        config[key] = value;
        open(&config, &file).expect_err("refused").to_string()
    };
    let rows = [
        ("model_type", json!("t5"), "`t5`, expected `bert` or `model2vec`"),
        ("hidden_act", json!("relu"), "`relu`, expected `gelu`"),
        ("num_attention_heads", json!(3), "a divisor of hidden_size"),
        ("hidden_size", json!(0), "numbers between"),
        ("num_hidden_layers", json!(2), "encoder.layer.1.attention.self.query.weight has no weights"),
        ("intermediate_size", json!(9), "[8, 4], expected [9, 4]"),
        ("vocab_size", json!(3), "a row for each of 6 pieces"),
        ("position_embedding_type", json!("relative_key"), "expected `absolute`"),
    ];
    for (key, value, expected) in rows {
        let error = with(key, value);
        assert!(error.contains(expected), "{key}: {error}");
    }
    let cut = open(&config(), &file[..file.len() - 9]).expect_err("refused");
    assert!(matches!(cut, ModelError::Weights(_)), "{cut}");
    let holes = weights(&BERT, |name, at| if at == 3 { f32::NAN } else { number(name, at) });
    assert!(open(&config(), &holes).expect_err("refused").to_string().contains("no number"));
    let folder = tempfile::tempdir().expect("a folder");
    let error = TextModel::open(folder.path()).expect_err("refused").to_string();
    assert!(error.contains("config.json") && error.contains("expected a folder with"), "{error}");
}
