use super::dot::{Wide, dot};

/// Numbers of a vector.
pub const DIMENSIONS: usize = 256;
/// Largest value; the smallest is its negative, so that products fit where they are summed.
const LARGEST: f32 = 127.0;
/// Largest value of a vector as it is stored, in half a byte.
const LARGEST_STORED: f32 = 7.0;

/// A direction, kept in one byte a dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    values: [i8; DIMENSIONS],
    /// One over the length of `values`; 0 for the vector of nothing.
    inverse_length: f32,
}

impl Default for Vector {
    fn default() -> Self {
        Self { values: [0; DIMENSIONS], inverse_length: 0.0 }
    }
}

impl Vector {
    /// The direction of `sum`, of any length. Zero, or values that are no numbers, give the vector of nothing.
    pub fn from_sum(sum: &[f32; DIMENSIONS]) -> Self {
        let largest = sum.iter().fold(0.0f32, |most, value| most.max(value.abs()));
        if largest <= f32::MIN_POSITIVE || !largest.is_finite() || sum.iter().any(|value| value.is_nan()) {
            return Self::default();
        }
        let scale = LARGEST / largest;
        Self::from_values(sum.map(|value| (value * scale).round().clamp(-LARGEST, LARGEST) as i8))
    }

    /// A vector from its stored values.
    pub fn from_values(values: [i8; DIMENSIONS]) -> Self {
        let values = values.map(|value| value.max(-(LARGEST as i8)));
        let square = dot(&values, &Wide::new(&values));
        let inverse_length = if square > 0 { 1.0 / (square as f32).sqrt() } else { 0.0 };
        Self { values, inverse_length }
    }

    /// The vector as it is stored, with fewer steps between the same directions; one that was stored stays as it is. What is
    /// lost turns it by a few degrees, where words of like meaning are some forty apart.
    #[must_use]
    pub fn stored(&self) -> Self {
        let largest = self.values.iter().fold(0.0f32, |most, value| most.max(f32::from(*value).abs()));
        if largest == 0.0 {
            return Self::default();
        }
        Self::from_values(self.values.map(|value| (f32::from(value) * LARGEST_STORED / largest).round() as i8))
    }

    /// Its values.
    pub fn values(&self) -> &[i8; DIMENSIONS] {
        &self.values
    }

    /// Whether nothing is known: it is like nothing.
    pub fn is_nothing(&self) -> bool {
        self.inverse_length == 0.0
    }

    /// One over the length of the values; 0 for nothing.
    pub fn inverse_length(&self) -> f32 {
        self.inverse_length
    }

    /// How alike two are, -1 to 1: the cosine of the angle. 0 if one of them is nothing.
    pub fn cosine(&self, other: &Self) -> f32 {
        dot(&self.values, &Wide::new(&other.values)) as f32 * self.inverse_length * other.inverse_length
    }

    /// The vector as many others are compared with it.
    pub(crate) fn asked(&self) -> Asked {
        Asked { wide: Wide::new(&self.values), inverse_length: self.inverse_length }
    }
}

/// A vector that many others are compared with.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(super) wide: Wide,
    /// One over the length of its values.
    pub(super) inverse_length: f32,
}
