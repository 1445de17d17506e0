//! What was found, in the order that a model of the user's own gives it (`search.embedder = "model"`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use m1nd_base::Cancel;
use m1nd_memory::Record;
use m1nd_model::{MAX_TEXT_BYTES, cosine};

use crate::read::settings::{MODEL, Settings};
use m1nd_engine::LocalModel;

/// Answers that the model reads.
pub(crate) const READ: usize = 50;
/// What one standard deviation of the cosine counts, as a power of e of the relevance.
const SHARE: f64 = 0.25;

/// The models that were named, read when they are first asked.
#[derive(Debug, Default)]
pub(crate) struct Models {
    known: Mutex<BTreeMap<PathBuf, Arc<LocalModel>>>,
}

impl Models {
    /// The model that the settings name; `None` if they name none, else what is missing.
    pub(crate) fn find_named(&self, settings: &Settings) -> Option<Result<Arc<LocalModel>, String>> {
        if settings.embedder != MODEL {
            return None;
        }
        if settings.model_path.is_empty() {
            let why = "`search.embedder` is \"model\", and `search.model_path` names no folder";
            return Some(Err(why.to_owned()));
        }
        let folder = Path::new(&settings.model_path);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let model = known.entry(folder.to_owned()).or_insert_with(|| Arc::new(LocalModel::new(folder.to_owned())));
        Some(Ok(model.clone()))
    }
}

/// What the settings let find by meaning, in words.
pub(crate) fn embedder_in_words(settings: &Settings) -> String {
    match settings.embedder.as_str() {
        MODEL => format!("built-in word vectors, then the model in `{}`", settings.model_path),
        crate::read::settings::WORDS => "words only".to_owned(),
        _ => "built-in word vectors".to_owned(),
    }
}

/// The relevance of answers after the model has read them; `answers` are sorted by theirs. The best keeps what the best
/// had, so that the number still says how well the question is answered.
///
/// # Errors
/// Why the model could not be asked.
pub(crate) fn reread(model: &LocalModel, question: &str, answers: &[(&Record, f32)]) -> Result<Vec<f32>, String> {
    let Some((_, first)) = answers.first() else { return Ok(Vec::new()) };
    let mut texts = vec![question[..question.floor_char_boundary(MAX_TEXT_BYTES)].to_owned()];
    texts.extend(answers.iter().map(|(record, _)| text_of(record)));
    let vectors = model.vectors(&texts, &Cancel::new()).map_err(|_| "it was stopped".to_owned())??;
    let plain = || answers.iter().map(|(_, relevance)| *relevance).collect();
    let Some((asked, others)) = vectors.split_first() else { return Ok(plain()) };
    let near: Vec<f64> = others.iter().map(|vector| cosine(asked, vector)).collect();
    let mean = near.iter().sum::<f64>() / near.len() as f64;
    let apart = (near.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / near.len() as f64).sqrt();
    if apart <= f64::EPSILON || near.len() != answers.len() {
        return Ok(plain());
    }
    let value = |(at, (_, relevance)): (usize, &(&Record, f32))| {
        f64::from(relevance.max(f32::MIN_POSITIVE)).ln() + SHARE * (near[at] - mean) / apart
    };
    let values: Vec<f64> = answers.iter().enumerate().map(value).collect();
    let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Ok(values.iter().map(|value| (f64::from(*first) * (value - top).exp()) as f32).collect())
}

/// What the model is told of a memory.
fn text_of(record: &Record) -> String {
    let reason = record.reasoning.as_deref().unwrap_or_default();
    let mut text = if record.content.contains(&*record.title) {
        record.content.to_string()
    } else {
        format!("{}\n{}", record.title, record.content)
    };
    if !text.contains(reason) {
        text = format!("{text}\n{reason}");
    }
    text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
    text
}
