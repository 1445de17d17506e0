//! Words of files that the index does not hold whole, kept over snapshots: contents rarely change.

use std::sync::{Arc, Mutex};

use m1nd_lang::Language;
use m1nd_vfs::FileMeta;
use rustc_hash::FxHashMap;

/// What the words of a file depend on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    File(String, FileMeta),
    Blob([u8; 20]),
}

/// The words of one file.
#[derive(Debug)]
pub(crate) struct FileWords {
    pub(crate) language: Language,
    /// Size of the text, in bytes.
    pub(crate) bytes: u64,
    /// Hash and line of each word; line 0 stands for all lines beyond those that are kept.
    pub(crate) rows: Vec<(u64, u32)>,
}

/// The words of files by what they depend on.
#[derive(Debug, Default)]
pub(crate) struct WordCache(pub(crate) Mutex<FxHashMap<Key, Arc<FileWords>>>);
