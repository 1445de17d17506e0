//! The user's embedding model: loaded on first use, its vectors cached for the lifetime of the process.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use m1nd_base::{Cancel, Cancelled};
use m1nd_model::TextModel;
use rustc_hash::FxHashMap;

/// Vectors that are kept; twice as many at the most.
const MAX_KEPT: usize = 8_192;

type Vector = Arc<[f32]>;

/// A folder with a model.
#[derive(Debug)]
pub struct LocalModel {
    folder: PathBuf,
    model: OnceLock<Result<TextModel, String>>,
    kept: Mutex<Kept>,
}

/// Vectors by the hash of their text. Vectors that were not used since the last rotation are dropped at the next.
#[derive(Debug, Default)]
struct Kept {
    new: FxHashMap<[u8; 32], Vector>,
    old: FxHashMap<[u8; 32], Vector>,
}

impl Kept {
    fn get(&mut self, key: &[u8; 32]) -> Option<Vector> {
        if let Some(known) = self.new.get(key) {
            return Some(known.clone());
        }
        let known = self.old.get(key)?.clone();
        self.put(*key, known.clone());
        Some(known)
    }

    fn put(&mut self, key: [u8; 32], vector: Vector) {
        if self.new.len() >= MAX_KEPT {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert(key, vector);
    }
}

/// Role of a model in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelUse {
    /// It ordered the first rows.
    Ordered {
        /// The name of its folder.
        name: String,
        /// Number of rows.
        rows: usize,
    },
    /// It could not be asked, and why.
    Failed(String),
}

impl LocalModel {
    /// The model in a folder; it is read when it is first asked.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, model: OnceLock::new(), kept: Mutex::default() }
    }

    /// Folder of the model.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The model, or why there is none. Reads it if that has not been done: a transformer takes tenths of a second.
    pub fn model(&self) -> Result<&TextModel, &str> {
        let read = || TextModel::open(&self.folder).map_err(|error| error.to_string());
        self.model.get_or_init(read).as_ref().map_err(String::as_str)
    }

    /// The vectors of texts, or why there are none.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn vectors(&self, texts: &[String], cancel: &Cancel) -> Result<Result<Vec<Vector>, String>, Cancelled> {
        let model = match self.model() {
            Ok(model) => model,
            Err(why) => return Ok(Err(why.to_owned())),
        };
        let keys: Vec<[u8; 32]> = texts.iter().map(|text| *blake3::hash(text.as_bytes()).as_bytes()).collect();
        let mut found: Vec<Option<Vector>> = {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            keys.iter().map(|key| kept.get(key)).collect()
        };
        let missing: Vec<usize> = (0..texts.len()).filter(|at| found[*at].is_none()).collect();
        let asked: Vec<String> = missing.iter().map(|at| texts[*at].clone()).collect();
        let made = model.vectors(&asked, cancel)?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        for (at, vector) in missing.into_iter().zip(made) {
            let vector: Vector = vector.into();
            kept.put(keys[at], vector.clone());
            found[at] = Some(vector);
        }
        Ok(Ok(found.into_iter().flatten().collect()))
    }
}
