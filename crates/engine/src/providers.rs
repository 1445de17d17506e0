//! What the engine knows of programs that read documents in place of its own readers.

use std::collections::BTreeMap;
use std::fmt::Debug;

use m1nd_base::Cancel;

/// The programs that the user configured, if any. Asked for each document before our own reader.
pub trait DocumentProviders: Debug + Send + Sync {
    /// The text of a document as Markdown; `None` if no program is configured for the format. `format` is its word,
    /// `name` the path of the file inside its root.
    fn convert(&self, format: &str, name: &str, bytes: &[u8], cancel: &Cancel) -> Option<Provided>;

    /// The state of each configured program, by its name: `available`, or why it is not.
    fn states(&self) -> BTreeMap<String, String>;
}

/// What a program made of a document.
#[derive(Debug)]
pub struct Provided {
    /// Its name.
    pub provider: &'static str,
    /// The text, or why there is none.
    pub outcome: Result<String, String>,
}
