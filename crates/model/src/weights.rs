//! Weights as 32-bit floats, whatever their stored type.

use ndarray::{Array1, Array2};
use safetensors::{Dtype, SafeTensors};

use crate::ModelError;

/// The named weights of a model.
pub(crate) struct Weights<'f> {
    tensors: SafeTensors<'f>,
    /// Prefix of each name: models saved with a task head have `bert.`.
    prefix: &'static str,
}

impl<'f> Weights<'f> {
    pub(crate) fn from_bytes(bytes: &'f [u8]) -> Result<Self, ModelError> {
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| ModelError::Weights(error.to_string()))?;
        let prefix = if tensors.names().iter().any(|name| name.starts_with("bert.")) { "bert." } else { "" };
        Ok(Self { tensors, prefix })
    }

    /// Returns whether weights of this name exist.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.tensors.tensor(&format!("{}{name}", self.prefix)).is_ok()
    }

    /// Shape of the weights with this name.
    pub(crate) fn shape(&self, name: &str) -> Option<Vec<usize>> {
        self.tensors.tensor(&format!("{}{name}", self.prefix)).ok().map(|tensor| tensor.shape().to_vec())
    }

    pub(crate) fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<Array2<f32>, ModelError> {
        let values = self.values(name, &[rows, columns])?;
        Array2::from_shape_vec((rows, columns), values).map_err(|error| ModelError::Weights(error.to_string()))
    }

    pub(crate) fn row(&self, name: &str, columns: usize) -> Result<Array1<f32>, ModelError> {
        self.values(name, &[columns]).map(Array1::from_vec)
    }

    /// Integers, such as row indexes.
    pub(crate) fn places(&self, name: &str, len: usize) -> Result<Vec<usize>, ModelError> {
        let tensor = self.tensor(name, &[len])?;
        let (bytes, kind) = (tensor.data(), tensor.dtype());
        let place = |value: Option<usize>| value.ok_or_else(|| self.of_kind(name, kind));
        match kind {
            Dtype::I64 => {
                bytes.as_chunks().0.iter().map(|raw| place(usize::try_from(i64::from_le_bytes(*raw)).ok())).collect()
            }
            Dtype::I32 => {
                bytes.as_chunks().0.iter().map(|raw| place(usize::try_from(i32::from_le_bytes(*raw)).ok())).collect()
            }
            _ => Err(self.of_kind(name, kind)),
        }
    }

    /// Values of the weights with this name, row by row.
    pub(crate) fn values(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        let tensor = self.tensor(name, shape)?;
        let bytes = tensor.data();
        let values: Vec<f32> = match tensor.dtype() {
            Dtype::F32 => bytes.as_chunks().0.iter().map(|raw| f32::from_le_bytes(*raw)).collect(),
            Dtype::F64 => bytes.as_chunks().0.iter().map(|raw| f64::from_le_bytes(*raw) as f32).collect(),
            Dtype::F16 => bytes.as_chunks().0.iter().map(|raw| half(u16::from_le_bytes(*raw))).collect(),
            Dtype::BF16 => {
                let widened = |raw: &[u8; 2]| f32::from_bits(u32::from(u16::from_le_bytes(*raw)) << 16);
                bytes.as_chunks().0.iter().map(widened).collect()
            }
            Dtype::I8 => bytes.iter().map(|byte| f32::from(byte.cast_signed())).collect(),
            other => return Err(self.of_kind(name, other)),
        };
        match values.iter().all(|value| value.is_finite()) {
            true => Ok(values),
            false => Err(ModelError::Weights(format!("{name} holds what is no number"))),
        }
    }

    fn tensor(&self, name: &str, shape: &[usize]) -> Result<safetensors::tensor::TensorView<'f>, ModelError> {
        let full = format!("{}{name}", self.prefix);
        let wrong = |found: String| ModelError::Shape { what: full.clone(), found, expected: format!("{shape:?}") };
        let tensor = self.tensors.tensor(&full).map_err(|_| wrong("no weights".to_owned()))?;
        match tensor.shape() == shape {
            true => Ok(tensor),
            false => Err(wrong(format!("{:?}", tensor.shape()))),
        }
    }

    fn of_kind(&self, name: &str, kind: Dtype) -> ModelError {
        let what = format!("{}{name}", self.prefix);
        ModelError::Shape { what, found: format!("numbers of kind {kind:?}"), expected: "F32, F16 or BF16".to_owned() }
    }
}

/// A 16-bit float (IEEE 754 binary16).
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        0x1f if fraction == 0.0 => f32::INFINITY,
        0x1f => f32::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn short_floats() {
        let rows = [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7bff, 65504.0),
            (1, 5.960_464_5e-8),
        ];
        for (bits, value) in rows {
            assert_eq!(half(bits), value, "{bits:#x}");
        }
        assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan());
    }
}
