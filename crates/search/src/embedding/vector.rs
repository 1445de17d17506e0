use super::dot::{Wide, dot};

/// Number of dimensions of a vector.
pub const DIMENSIONS: usize = 256;
/// Largest value; the smallest is its negative, so that sums of products do not overflow.
const LARGEST: f32 = 127.0;
/// Largest value of a stored vector, which has half a byte per value.
const LARGEST_STORED: f32 = 7.0;

/// A direction, quantised to one byte per dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    values: [i8; DIMENSIONS],
    /// Reciprocal of the length of `values`; 0 for the zero vector.
    inverse_length: f32,
}

/// Values that are compared side by side.
const LANES: usize = 16;

/// The largest of the sizes of values; numbers that are none do not count. In lanes, which the compiler makes one
/// instruction of.
fn largest_of<T: Copy>(values: &[T; DIMENSIONS], size: impl Fn(T) -> f32) -> f32 {
    let mut lanes = [0.0f32; LANES];
    for chunk in values.as_chunks::<LANES>().0 {
        for (most, value) in lanes.iter_mut().zip(chunk) {
            let size = size(*value);
            *most = if size > *most { size } else { *most };
        }
    }
    lanes.into_iter().fold(0.0, f32::max)
}

/// The nearest whole number, halves away from zero, of a value of at most 127: what [`f32::round`] returns, which is a
/// call for each value where the processor's instruction for it cannot be relied on.
fn round(value: f32) -> i8 {
    let whole = value as i32;
    // Exact, since both have the same exponent or less.
    let rest = value - whole as f32;
    (whole + i32::from(rest >= 0.5) - i32::from(rest <= -0.5)) as i8
}

impl Default for Vector {
    fn default() -> Self {
        Self { values: [0; DIMENSIONS], inverse_length: 0.0 }
    }
}

impl Vector {
    /// The direction of `sum`, which may have any length. Zero or NaN values give the zero vector.
    pub fn from_sum(sum: &[f32; DIMENSIONS]) -> Self {
        let largest = largest_of(sum, |value| value.abs());
        if largest <= f32::MIN_POSITIVE || !largest.is_finite() || sum.iter().any(|value| value.is_nan()) {
            return Self::default();
        }
        let scale = LARGEST / largest;
        Self::from_values(sum.map(|value| round((value * scale).clamp(-LARGEST, LARGEST))))
    }

    /// A vector from its stored values.
    pub fn from_values(values: [i8; DIMENSIONS]) -> Self {
        let values = values.map(|value| value.max(-(LARGEST as i8)));
        let square = dot(&values, &Wide::new(&values));
        let inverse_length = if square > 0 { 1.0 / (square as f32).sqrt() } else { 0.0 };
        Self { values, inverse_length }
    }

    /// Quantises the vector to its stored form, idempotently. The error is a few degrees, while related words are
    /// some forty degrees apart.
    #[must_use]
    pub fn quantise(&self) -> Self {
        let largest = largest_of(&self.values, |value| f32::from(value).abs());
        if largest == 0.0 {
            return Self::default();
        }
        Self::from_values(self.values.map(|value| round(f32::from(value) * LARGEST_STORED / largest)))
    }

    /// Its values.
    pub fn values(&self) -> &[i8; DIMENSIONS] {
        &self.values
    }

    /// Returns whether this is the zero vector, which is similar to nothing.
    pub fn is_nothing(&self) -> bool {
        self.inverse_length == 0.0
    }

    /// Reciprocal of the length of the values; 0 for the zero vector.
    pub fn inverse_length(&self) -> f32 {
        self.inverse_length
    }

    /// Cosine similarity, -1 to 1; 0 if either is the zero vector.
    pub fn cosine(&self, other: &Self) -> f32 {
        dot(&self.values, &Wide::new(&other.values)) as f32 * self.inverse_length * other.inverse_length
    }

    /// Prepares the vector for many comparisons.
    pub(crate) fn prepare_asked(&self) -> Asked {
        Asked { wide: Wide::new(&self.values), inverse_length: self.inverse_length }
    }
}

/// A vector prepared for many comparisons.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(super) wide: Wide,
    /// Reciprocal of the length of its values.
    pub(super) inverse_length: f32,
}
