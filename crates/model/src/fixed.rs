//! Static models: the vector of a text is the mean of the vectors of its tokens (model2vec).

use ndarray::Array2;
use serde::Deserialize;

use crate::ModelError;
use crate::weights::Weights;

const VECTORS: &str = "embeddings";
/// Weight of each token; older models have it applied to the vectors.
const SHARES: &str = "weights";
/// Row of each token; older models have one row per token.
const ROWS: &str = "mapping";

#[derive(Debug, Deserialize)]
struct Config {
    /// Whether vectors are normalised to length 1; ours always are.
    #[expect(dead_code, reason = "parsed to reject values of another type")]
    normalize: Option<bool>,
}

/// A vector for each token.
#[derive(Debug)]
pub(crate) struct Fixed {
    vectors: Array2<f32>,
    shares: Option<Vec<f32>>,
    rows: Option<Vec<usize>>,
}

impl Fixed {
    /// # Errors
    /// Weights that are missing or do not belong to `pieces` tokens.
    pub(crate) fn new(weights: &Weights<'_>, config: &[u8], pieces: usize) -> Result<Self, ModelError> {
        let _: Config = crate::json("config.json", config)?;
        let missing = |found: String| ModelError::Shape {
            what: VECTORS.to_owned(),
            found,
            expected: format!("a row for each of {pieces} pieces"),
        };
        let shape = weights.shape(VECTORS).unwrap_or_default();
        let &[count, dimensions] = shape.as_slice() else { return Err(missing(format!("shape {shape:?}"))) };
        let rows = if weights.has(ROWS) { Some(weights.places(ROWS, pieces)?) } else { None };
        if rows.as_ref().map_or(count < pieces, |rows| rows.iter().any(|row| *row >= count)) {
            return Err(missing(format!("{count} rows")));
        }
        let shares = if weights.has(SHARES) { Some(weights.values(SHARES, &[pieces])?) } else { None };
        Ok(Self { vectors: weights.matrix(VECTORS, count, dimensions)?, shares, rows })
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.vectors.ncols()
    }

    /// Sum of the tokens' vectors, which has the same direction as their mean.
    pub(crate) fn vector(&self, pieces: &[u32]) -> Vec<f32> {
        let mut sum = vec![0.0; self.dimensions()];
        for &piece in pieces {
            let piece = piece as usize;
            let row = self.rows.as_ref().map_or(piece, |rows| rows[piece]);
            let share = self.shares.as_ref().map_or(1.0, |shares| shares[piece]);
            sum.iter_mut().zip(self.vectors.row(row)).for_each(|(sum, value)| *sum += share * value);
        }
        sum
    }
}
