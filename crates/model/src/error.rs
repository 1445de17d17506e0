use std::path::PathBuf;

/// Why a folder is no model that can be asked.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file that cannot be read.
    #[error(
        "cannot read {}: {source}; expected a folder with config.json, tokenizer.json and model.safetensors",
        path.display()
    )]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file beyond the limit.
    #[error("{} has {bytes} bytes, expected at most {most}; take a smaller model", path.display())]
    TooLarge {
        /// Which.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The limit.
        most: u64,
    },
    /// A file that is not JSON of the form it should have.
    #[error("{file} is not what is expected: {source}; get the model anew")]
    Json {
        /// Its name.
        file: &'static str,
        /// Why.
        source: serde_json::Error,
    },
    /// Weights that cannot be taken apart.
    #[error("model.safetensors is damaged: {0}; get the model anew")]
    Weights(String),
    /// Weights that are missing or have another shape than the configuration says.
    #[error("model.safetensors: {what} has {found}, expected {expected}; take a model of a known kind")]
    Shape {
        /// Which weights.
        what: String,
        /// Their shape, or that there are none.
        found: String,
        /// The shape that belongs to the configuration.
        expected: String,
    },
    /// A setting that is not known.
    #[error("{what} is `{found}`, expected {expected}; take a model of a known kind")]
    Unsupported {
        /// Which.
        what: &'static str,
        /// As it stands in the file.
        found: String,
        /// What is known.
        expected: &'static str,
    },
}
