//! What was read of each document, so that after a restart only changed documents are read again.

use std::collections::BTreeMap;

use m1nd_documents::DOCUMENTS_VERSION;
use serde::{Deserialize, Serialize};

/// Name of the file.
pub(crate) const FILE: &str = "auto-ingest.json";
/// A larger file is not read, in bytes: all documents are read again then.
const MAX_BYTES: u64 = 256 << 20;
/// Goes up with the form of the file.
const VERSION: u32 = 1;

/// A document that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Hash of its bytes.
    pub(crate) hash: String,
    /// Word of its format.
    pub(crate) format: String,
    /// What read it: `universal:internal`, or the name of a provider.
    pub(crate) producer: String,
    /// A configured provider could not read it.
    pub(crate) fell_back: bool,
    pub(crate) sections: u32,
    pub(crate) claims: u32,
    pub(crate) entities: u32,
    pub(crate) citations: u32,
    /// Names of code that should be in the project and were not.
    pub(crate) missing: u32,
}

/// All documents that were read, by their path in the index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    version: (u32, u32),
    /// Generation of the index that has them. What is loaded from disk may be older after a crash.
    pub(crate) generation: u64,
    /// Namespace of their ids.
    pub(crate) namespace: Option<String>,
    pub(crate) entries: BTreeMap<String, Entry>,
}

impl Manifest {
    pub(crate) fn new(namespace: Option<String>) -> Self {
        Self { version: (VERSION, DOCUMENTS_VERSION), namespace, ..Self::default() }
    }

    /// Reads the stored one; an empty one if there is none, or it is of another version, or damaged: it is derived.
    pub(crate) fn load(files: &m1nd_store::DerivedFiles) -> Self {
        let bytes = files.read(FILE, MAX_BYTES).ok().flatten();
        let read: Option<Self> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        read.filter(|read| read.version == (VERSION, DOCUMENTS_VERSION)).unwrap_or_else(|| Self::new(None))
    }

    /// Stores it.
    pub(crate) fn store(&self, files: &m1nd_store::DerivedFiles) -> Result<(), String> {
        let bytes = serde_json::to_vec(self).map_err(|error| error.to_string())?;
        files.write(FILE, &bytes).map_err(|error| error.to_string())
    }
}
