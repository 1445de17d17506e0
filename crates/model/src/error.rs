use std::path::PathBuf;

/// The reason why a folder is not a usable model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file cannot be read.
    #[error(
        "cannot read {}: {source}; expected a folder with config.json, tokenizer.json and model.safetensors",
        path.display()
    )]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A file exceeds the size limit.
    #[error("{} has {bytes} bytes, expected at most {most}; use a smaller model", path.display())]
    TooLarge {
        /// Path of the file.
        path: PathBuf,
        /// Its size, in bytes.
        bytes: u64,
        /// The limit, in bytes.
        most: u64,
    },
    /// A file is not JSON of the expected structure.
    #[error("{file} is malformed: {source}; download the model again")]
    Json {
        /// Name of the file.
        file: &'static str,
        /// The parser's error.
        source: serde_json::Error,
    },
    /// The weights file cannot be parsed.
    #[error("model.safetensors is damaged: {0}; download the model again")]
    Weights(String),
    /// Weights are missing or have a shape that contradicts the configuration.
    #[error("model.safetensors: {what} has {found}, expected {expected}; use a model of a supported kind")]
    Shape {
        /// Name of the weights.
        what: String,
        /// Their shape, or a note that they are missing.
        found: String,
        /// The shape expected from the configuration.
        expected: String,
    },
    /// A setting is not supported.
    #[error("{what} is `{found}`, expected {expected}; use a model of a supported kind")]
    Unsupported {
        /// Name of the setting.
        what: &'static str,
        /// Its value in the file.
        found: String,
        /// Supported values.
        expected: &'static str,
    },
}
