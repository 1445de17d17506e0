//! BERT-type transformers (Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers", 2019), used as
//! sentence encoders (Reimers and Gurevych, "Sentence-BERT", 2019).

use ndarray::{Array1, Array2, ArrayViewMut1, Axis, s};
use serde::Deserialize;

use crate::weights::Weights;
use crate::wordpiece::WordPiece;
use crate::{MAX_PIECES, ModelError};

/// Upper bound for dimensions, layers and other sizes in a configuration.
const MAX_SIZE: usize = 1 << 14;

#[derive(Debug, Deserialize)]
struct Config {
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    max_position_embeddings: usize,
    vocab_size: usize,
    #[serde(default = "two")]
    type_vocab_size: usize,
    layer_norm_eps: f32,
    hidden_act: String,
    #[serde(default)]
    position_embedding_type: Option<String>,
}

fn two() -> usize {
    2
}

#[derive(Debug, Default, Deserialize)]
struct Pooling {
    #[serde(default)]
    pooling_mode_cls_token: bool,
}

/// The layers of a model.
#[derive(Debug)]
pub(crate) struct Bert {
    pieces: Array2<f32>,
    /// Sum of position and segment embeddings: all texts are of the first segment.
    positions: Array2<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
    /// Pooling: use the vector of the first token instead of the mean of all.
    first_piece: bool,
    begin: u32,
    end: u32,
}

#[derive(Debug)]
struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    out: Linear,
    norm: Norm,
    up: Linear,
    down: Linear,
    last_norm: Norm,
}

#[derive(Debug)]
struct Linear {
    weight: Array2<f32>,
    bias: Array1<f32>,
}

#[derive(Debug)]
struct Norm {
    weight: Array1<f32>,
    bias: Array1<f32>,
    least: f32,
}

impl Bert {
    /// # Errors
    /// Unsupported settings; weights that are missing or have another shape.
    pub(crate) fn new(
        weights: &Weights<'_>,
        config: &[u8],
        pooling: Option<&[u8]>,
        words: &WordPiece,
    ) -> Result<Self, ModelError> {
        let config: Config = crate::json("config.json", config)?;
        config.check()?;
        let pooling: Pooling =
            pooling.map_or(Ok(Pooling::default()), |bytes| crate::json("1_Pooling/config.json", bytes))?;
        let special = |name: &'static str| {
            let missing = || ModelError::Unsupported {
                what: "tokenizer.json",
                found: format!("without {name}"),
                expected: "the pieces [CLS] and [SEP]",
            };
            words.id(name).ok_or_else(missing)
        };
        let size = config.hidden_size;
        if words.len() > config.vocab_size {
            let expected = format!("a row for each of {} pieces", words.len());
            let found = format!("{} rows", config.vocab_size);
            return Err(ModelError::Shape { what: "embeddings.word_embeddings.weight".to_owned(), found, expected });
        }
        let kinds = weights.matrix("embeddings.token_type_embeddings.weight", config.type_vocab_size, size)?;
        let positions =
            weights.matrix("embeddings.position_embeddings.weight", config.max_position_embeddings, size)?;
        let read = Reader { weights, config: &config };
        Ok(Self {
            pieces: weights.matrix("embeddings.word_embeddings.weight", config.vocab_size, size)?,
            positions: positions + kinds.row(0),
            norm: read.norm("embeddings.LayerNorm")?,
            layers: (0..config.num_hidden_layers).map(|number| read.layer(number)).collect::<Result<_, _>>()?,
            heads: config.num_attention_heads,
            first_piece: pooling.pooling_mode_cls_token,
            begin: special("[CLS]")?,
            end: special("[SEP]")?,
        })
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.pieces.ncols()
    }

    /// Encodes a text of any length.
    pub(crate) fn vector(&self, words: &WordPiece, text: &str) -> Vec<f32> {
        let most = MAX_PIECES.min(self.positions.nrows());
        let mut pieces = vec![self.begin];
        pieces.extend(words.all_pieces(text, most.saturating_sub(2)));
        pieces.push(self.end);
        let read = self.read(&pieces);
        match self.first_piece {
            true => read.row(0).to_vec(),
            false => read.sum_axis(Axis(0)).to_vec(),
        }
    }

    /// Encodes tokens in context.
    fn read(&self, pieces: &[u32]) -> Array2<f32> {
        let mut x = Array2::zeros((pieces.len(), self.dimensions()));
        for (at, (mut row, piece)) in x.rows_mut().into_iter().zip(pieces).enumerate() {
            row += &self.pieces.row(*piece as usize);
            row += &self.positions.row(at);
        }
        self.norm.apply(&mut x);
        for layer in &self.layers {
            let context = self.attend(layer, &x);
            x += &layer.out.of(&context);
            layer.norm.apply(&mut x);
            let mut wide = layer.up.of(&x);
            wide.mapv_inplace(gelu);
            x += &layer.down.of(&wide);
            layer.last_norm.apply(&mut x);
        }
        x
    }

    fn attend(&self, layer: &Layer, x: &Array2<f32>) -> Array2<f32> {
        let (queries, keys, values) = (layer.query.of(x), layer.key.of(x), layer.value.of(x));
        let width = self.dimensions() / self.heads;
        let scale = 1.0 / (width as f32).sqrt();
        let mut context = Array2::zeros(x.raw_dim());
        for head in 0..self.heads {
            let part = s![.., head * width..(head + 1) * width];
            let mut weights = queries.slice(part).dot(&keys.slice(part).t()) * scale;
            weights.rows_mut().into_iter().for_each(soften);
            context.slice_mut(part).assign(&weights.dot(&values.slice(part)));
        }
        context
    }
}

impl Config {
    fn check(&self) -> Result<(), ModelError> {
        let sizes = [
            self.hidden_size, self.num_hidden_layers, self.num_attention_heads, self.intermediate_size,
            self.max_position_embeddings,
        ];
        let unsupported = |what, found: String, expected| Err(ModelError::Unsupported { what, found, expected });
        if sizes.iter().any(|size| !(1..=MAX_SIZE).contains(size)) || self.type_vocab_size == 0 {
            return unsupported("the size of config.json", format!("{sizes:?}"), "numbers between 1 and 16384");
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            let found = format!("{} for {}", self.num_attention_heads, self.hidden_size);
            return unsupported("num_attention_heads", found, "a divisor of hidden_size");
        }
        if self.hidden_act != "gelu" {
            return unsupported("hidden_act", self.hidden_act.clone(), "`gelu`");
        }
        match self.position_embedding_type.as_deref() {
            None | Some("absolute") => Ok(()),
            Some(other) => unsupported("position_embedding_type", other.to_owned(), "`absolute`"),
        }
    }
}

struct Reader<'r, 'f> {
    weights: &'r Weights<'f>,
    config: &'r Config,
}

impl Reader<'_, '_> {
    fn layer(&self, number: usize) -> Result<Layer, ModelError> {
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let (size, wide) = (self.config.hidden_size, self.config.intermediate_size);
        Ok(Layer {
            query: self.linear(&name("attention.self.query"), size, size)?,
            key: self.linear(&name("attention.self.key"), size, size)?,
            value: self.linear(&name("attention.self.value"), size, size)?,
            out: self.linear(&name("attention.output.dense"), size, size)?,
            norm: self.norm(&name("attention.output.LayerNorm"))?,
            up: self.linear(&name("intermediate.dense"), wide, size)?,
            down: self.linear(&name("output.dense"), size, wide)?,
            last_norm: self.norm(&name("output.LayerNorm"))?,
        })
    }

    fn linear(&self, name: &str, out: usize, from: usize) -> Result<Linear, ModelError> {
        let weight = self.weights.matrix(&format!("{name}.weight"), out, from)?;
        Ok(Linear { weight, bias: self.weights.row(&format!("{name}.bias"), out)? })
    }

    fn norm(&self, name: &str) -> Result<Norm, ModelError> {
        let row = |part: &str| self.weights.row(&format!("{name}.{part}"), self.config.hidden_size);
        Ok(Norm { weight: row("weight")?, bias: row("bias")?, least: self.config.layer_norm_eps })
    }
}

impl Linear {
    fn of(&self, x: &Array2<f32>) -> Array2<f32> {
        x.dot(&self.weight.t()) + &self.bias
    }
}

impl Norm {
    /// Normalises each row to mean 0 and variance 1, then applies the learnt scale and offset (Ba et al., "Layer
    /// Normalization", 2016).
    fn apply(&self, x: &mut Array2<f32>) {
        for mut row in x.rows_mut() {
            let count = row.len() as f32;
            let mean = row.sum() / count;
            let variance = row.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count;
            let by = 1.0 / (variance + self.least).sqrt();
            row.iter_mut()
                .zip(&self.weight)
                .zip(&self.bias)
                .for_each(|((value, weight), bias)| *value = (*value - mean) * by * weight + bias);
        }
    }
}

/// Softmax.
fn soften(mut row: ArrayViewMut1<'_, f32>) {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    row.mapv_inplace(|value| (value - most).exp());
    let sum = row.sum();
    row.mapv_inplace(|value| value / sum);
}

/// Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function within 1.5e-7 (Abramowitz and Stegun, "Handbook of Mathematical Functions", 7.1.26).
fn erf(x: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let poly = t * (0.254_829_6 + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152 + t * 1.061_405_4))));
    (1.0 - poly * (-x * x).exp()).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::erf;

    #[test]
    fn known_values_of_the_error_function() {
        for (x, value) in [(0.0, 0.0), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (-2.0, -0.995_322_3)] {
            assert!((erf(x) - value).abs() < 1e-6, "{x}: {}", erf(x));
        }
    }
}
