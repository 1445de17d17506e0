//! Cache of recent slow scans. A repeated scan may be cut short by the clock, or get further, so that the pages of an
//! answer would not fit together: all pages are taken from the rows of the first.

use std::sync::{Arc, Mutex, PoisonError};

use super::{ScanAnswer, ScanQuery};

/// Answers that are kept, of at most [`super::MAX_MATCHES`] rows each and those of one chunk of files.
const MAX_KEPT: usize = 4;

/// Answers of a snapshot, the newest last.
#[derive(Default)]
pub(super) struct KeptScans(Mutex<Vec<(String, Arc<ScanAnswer>)>>);

impl KeptScans {
    pub(super) fn get(&self, query: &ScanQuery) -> Option<Arc<ScanAnswer>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = key(query);
        kept.iter().find(|(known, _)| *known == key).map(|(_, answer)| Arc::clone(answer))
    }

    pub(super) fn keep(&self, query: &ScanQuery, answer: &Arc<ScanAnswer>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = key(query);
        kept.retain(|(known, _)| *known != key);
        if kept.len() >= MAX_KEPT {
            kept.remove(0);
        }
        kept.push((key, Arc::clone(answer)));
    }
}

fn key(query: &ScanQuery) -> String {
    format!("{query:?}")
}

#[cfg(test)]
mod tests {
    use super::super::Wanted;
    use super::*;

    #[test]
    fn the_newest_answers_are_kept() {
        let kept = KeptScans::default();
        let query = |scope: &str| ScanQuery {
            wanted: Wanted::Regex("x".to_owned()),
            scope: scope.to_owned(),
            severity_min: 0.0,
            validate: true,
            false_positives: false,
        };
        let answer = |raw| Arc::new(ScanAnswer { raw, ..ScanAnswer::default() });
        let scopes = ["a", "b", "c", "d", "e"];
        for (number, scope) in scopes.iter().enumerate() {
            kept.keep(&query(scope), &answer(number));
        }
        kept.keep(&query("b"), &answer(9));
        let found: Vec<Option<usize>> = scopes.iter().map(|scope| kept.get(&query(scope)).map(|one| one.raw)).collect();
        assert_eq!(found, [None, Some(9), Some(2), Some(3), Some(4)]);
    }
}
