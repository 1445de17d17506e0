//! Embedding models that a user provides as a folder, run on the CPU. Nothing is downloaded, nothing is trained.
//!
//! Two kinds are supported. A *static* model (model2vec) has a vector for each token, and the vector of a text is
//! their mean. A *transformer* (BERT: the small sizes of MiniLM, BGE, E5, GTE) reads the tokens together; it costs
//! about a thousand times as much, so it is meant for a few dozen texts per question. Both have their weights in
//! `model.safetensors`, their vocabulary in `tokenizer.json` and their configuration in `config.json`.

mod bert;
mod error;
mod fixed;
mod weights;
mod wordpiece;

use std::path::Path;

use m1nd_base::{Cancel, Cancelled};
use rayon::prelude::*;
use serde::Deserialize;

use bert::Bert;
pub use error::ModelError;
use fixed::Fixed;
use weights::Weights;
use wordpiece::WordPiece;

/// Maximum size of one file of a model, in bytes.
pub const MAX_FILE_BYTES: u64 = 1 << 30;
/// Maximum bytes of a text that are read; more than a model accepts.
pub const MAX_TEXT_BYTES: usize = 4 << 10;
/// Maximum tokens of a text for a transformer, even if it supports more, because its time grows faster than their
/// number.
pub const MAX_PIECES: usize = 128;
/// Maximum tokens of a text for a static model.
const MAX_PIECES_FIXED: usize = 512;

/// A loaded model.
#[derive(Debug)]
pub struct TextModel {
    name: String,
    words: WordPiece,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Fixed(Fixed),
    Bert(Box<Bert>),
}

/// The files of a model.
#[derive(Debug, Clone, Copy)]
pub struct ModelFiles<'f> {
    /// `config.json`.
    pub config: &'f [u8],
    /// `tokenizer.json`.
    pub tokenizer: &'f [u8],
    /// `model.safetensors`.
    pub weights: &'f [u8],
    /// `1_Pooling/config.json`, if present: how token vectors are combined.
    pub pooling: Option<&'f [u8]>,
}

/// `config.json` of either kind.
#[derive(Debug, Deserialize)]
struct Config {
    #[serde(default)]
    model_type: String,
}

impl TextModel {
    /// Loads the model in a folder.
    ///
    /// # Errors
    /// A file that is missing, too large or malformed; an unsupported kind of model or tokenizer.
    pub fn open(folder: &Path) -> Result<Self, ModelError> {
        let read = |name: &str| read_file(&folder.join(name));
        let [config, tokenizer, weights] = ["config.json", "tokenizer.json", "model.safetensors"].map(read);
        let pooling = folder.join("1_Pooling/config.json");
        let pooling = if pooling.exists() { Some(read_file(&pooling)?) } else { None };
        let name = folder.file_name().map_or_else(|| folder.to_string_lossy(), |name| name.to_string_lossy());
        let (config, tokenizer, weights) = (config?, tokenizer?, weights?);
        let files =
            ModelFiles { config: &config, tokenizer: &tokenizer, weights: &weights, pooling: pooling.as_deref() };
        Self::from_files(&name, files)
    }

    /// Builds a model from its files.
    ///
    /// # Errors
    /// As [`TextModel::open`].
    pub fn from_files(name: &str, files: ModelFiles<'_>) -> Result<Self, ModelError> {
        let config: Config = json("config.json", files.config)?;
        let words = WordPiece::from_json(files.tokenizer)?;
        let weights = Weights::from_bytes(files.weights)?;
        let kind = match config.model_type.as_str() {
            "model2vec" => Kind::Fixed(Fixed::new(&weights, files.config, words.len())?),
            "bert" => Kind::Bert(Box::new(Bert::new(&weights, files.config, files.pooling, &words)?)),
            other => {
                let expected = "`bert` or `model2vec`";
                return Err(ModelError::Unsupported { what: "model_type", found: other.to_owned(), expected });
            }
        };
        Ok(Self { name: name.to_owned(), words, kind })
    }

    /// Name of its folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of dimensions of a vector.
    pub fn dimensions(&self) -> usize {
        match &self.kind {
            Kind::Fixed(fixed) => fixed.dimensions(),
            Kind::Bert(bert) => bert.dimensions(),
        }
    }

    /// Returns whether encoding a text takes milliseconds rather than microseconds.
    pub fn is_slow(&self) -> bool {
        matches!(self.kind, Kind::Bert(_))
    }

    /// Encodes a text as a vector of length 1; all zeros if the model knows none of its tokens.
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let text = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
        let mut vector = match &self.kind {
            Kind::Fixed(fixed) => fixed.vector(&self.words.pieces(text, MAX_PIECES_FIXED)),
            Kind::Bert(bert) => bert.vector(&self.words, text),
        };
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length > 0.0 && length.is_finite() {
            vector.iter_mut().for_each(|value| *value /= length);
        } else {
            vector.fill(0.0);
        }
        vector
    }

    /// Encodes texts in parallel.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn vectors(&self, texts: &[String], cancel: &Cancel) -> Result<Vec<Vec<f32>>, Cancelled> {
        texts
            .par_iter()
            .map(|text| {
                cancel.check()?;
                Ok(self.vector(text))
            })
            .collect()
    }
}

/// Cosine similarity of two vectors of length 1.
pub fn cosine(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from(a * b)).sum()
}

fn read_file(path: &Path) -> Result<Vec<u8>, ModelError> {
    let failed = |source| ModelError::Read { path: path.to_owned(), source };
    let bytes = std::fs::metadata(path).map_err(failed)?.len();
    if bytes > MAX_FILE_BYTES {
        return Err(ModelError::TooLarge { path: path.to_owned(), bytes, most: MAX_FILE_BYTES });
    }
    std::fs::read(path).map_err(failed)
}

fn json<T: for<'d> Deserialize<'d>>(file: &'static str, bytes: &[u8]) -> Result<T, ModelError> {
    serde_json::from_slice(bytes).map_err(|source| ModelError::Json { file, source })
}
