//! Notes which files are being extracted, so that one whose extraction ends the process is not tried for ever.
//!
//! Parsers are bounded in time and memory, and panics are caught; an abort or the kill of a process that takes too
//! much memory is not. A large file is noted before it is extracted and the note is removed afterwards. A note that is
//! there before is from a process that ended meanwhile. That is mostly chance: any process can be killed at any time.
//! So the file is first extracted by a process of its own ([`ExtractionProbe`]), and counts as one that ends processes
//! only if that one crashes. Where no such process can be started, the second note counts. A file with new content is
//! tried again.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use m1nd_base::{Cancel, ContentHash, Limits};
use m1nd_lang::Language;

/// Bytes at the start of a file used for language detection: the C++ parts of a header may follow a long licence.
pub const HEAD: usize = 64 << 10;
/// Smaller files are not noted: they are many, and cannot cost much.
const LEAST_BYTES: usize = 16 << 10;
/// Ended attempts after which a file is left out where nothing can try it.
const MAX_ENDED: usize = 2;
/// Mark of an attempt that was begun.
const BEGUN: u8 = b'.';
/// Mark of a content whose extraction crashes.
const CRASHES: u8 = b'x';

/// What happened to a process that extracted a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probed {
    /// It came to its end.
    Survived,
    /// The extraction crashed it.
    Crashed,
    /// It was not started, or was ended from outside.
    Unknown,
}

/// Extracts files in processes of their own, to find out whether that crashes.
pub trait ExtractionProbe: std::fmt::Debug + Send + Sync {
    /// Extracts a file of these bytes in another process, by [`extract_as_probe`], and waits for it.
    fn probe(&self, path: &str, bytes: &[u8], cancel: &Cancel) -> Probed;
}

/// Extracts a file as an ingest does, and drops what was found: for the process of an [`ExtractionProbe`].
pub fn extract_as_probe(path: &str, bytes: &[u8]) {
    let Ok(path) = m1nd_base::RepoPath::new(path) else { return };
    let language = Language::detect(&path, &bytes[..bytes.len().min(HEAD)]);
    // A panic is caught in an ingest as well.
    let run = || m1nd_lang::extract_file(path.as_str(), language, bytes, &Limits::default(), &Cancel::new());
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
}

/// The folder of notes.
#[derive(Debug, Clone)]
pub(crate) struct Attempts {
    folder: PathBuf,
    probe: Option<Arc<dyn ExtractionProbe>>,
}

/// A file that may be extracted. Its note is removed when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Attempt {
    note: Option<PathBuf>,
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if let Some(note) = &self.note {
            let _ = std::fs::remove_file(note);
        }
    }
}

impl Attempts {
    /// Keeps notes in a folder below `home`. Without the permission to write there, nothing is noted.
    pub(crate) fn below(home: &Path, probe: Option<Arc<dyn ExtractionProbe>>) -> Self {
        Self { folder: home.join("extracting"), probe }
    }

    /// Notes an attempt.
    ///
    /// # Errors
    /// Why the file is not extracted: its content ended processes before.
    pub(crate) fn begin(&self, path: &str, bytes: &[u8], cancel: &Cancel) -> Result<Attempt, &'static str> {
        if bytes.len() < LEAST_BYTES {
            return Ok(Attempt::default());
        }
        let note = self.folder.join(ContentHash::of(bytes).to_string());
        let marks = std::fs::read(&note).unwrap_or_default();
        let attempt = Attempt { note: Some(note) };
        let probed = match (&self.probe, marks.is_empty()) {
            (_, true) => Probed::Survived,
            _ if marks.contains(&CRASHES) => Probed::Crashed,
            (Some(probe), false) => probe.probe(path, bytes, cancel),
            (None, false) if marks.len() >= MAX_ENDED => Probed::Crashed,
            (None, false) => Probed::Survived,
        };
        match probed {
            Probed::Survived => {
                // With a probe, what ended before was chance.
                let is_known = self.probe.is_some() && !marks.is_empty();
                let kept = if is_known { Vec::new() } else { marks };
                let is_written = self.write(&attempt, &[&kept[..], &[BEGUN]].concat()).is_ok();
                Ok(if is_written { attempt } else { attempt.keep() })
            }
            Probed::Crashed => {
                let _ = self.write(&attempt, &[CRASHES]);
                attempt.keep();
                Err("extraction ended a process; not tried again until the file changes")
            }
            Probed::Unknown => {
                attempt.keep();
                Err(
                    "extraction was ended in two processes, perhaps by chance; ingest with `mode: replace` to try again",
                )
            }
        }
    }

    fn write(&self, attempt: &Attempt, marks: &[u8]) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let Some(note) = &attempt.note else { return Ok(()) };
        std::fs::OpenOptions::new().create(true).write(true).truncate(true).open(note)?.write_all(marks)
    }
}

impl Attempt {
    /// Leaves the note as it is.
    fn keep(mut self) -> Self {
        self.note = None;
        self
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Answers from a list, the last one first, and counts what it was asked.
    #[derive(Debug)]
    struct Answers(Mutex<Vec<Probed>>);

    impl ExtractionProbe for Answers {
        fn probe(&self, _: &str, _: &[u8], _: &Cancel) -> Probed {
            self.0.lock().expect("no panic").pop().expect("an answer")
        }
    }

    fn begin(attempts: &Attempts, content: &[u8]) -> Result<Attempt, &'static str> {
        attempts.begin("a.py", content, &Cancel::new())
    }

    /// An attempt whose process ends: its note stays.
    fn end(attempts: &Attempts, content: &[u8]) {
        std::mem::forget(begin(attempts, content).expect("may be tried"));
    }

    #[test]
    fn without_a_probe_the_second_ended_process_counts_against_a_file() {
        let home = m1nd_testkit::TempTree::new("");
        let attempts = Attempts::below(home.path(), None);
        let (file, other) = (vec![b'a'; LEAST_BYTES], vec![b'b'; LEAST_BYTES]);
        end(&attempts, &file);
        drop(begin(&attempts, &other).expect("may be tried"));
        drop(begin(&attempts, &file).expect("one may be chance"));
        end(&attempts, &file);
        end(&attempts, &file);
        assert!(begin(&attempts, &file).is_err());
        assert!(begin(&attempts, &other).is_ok(), "an attempt that came to its end is forgotten");
        assert!(begin(&attempts, &file[1..]).is_ok(), "small files are not noted");
    }

    #[test]
    fn with_a_probe_only_a_crash_counts_however_often_processes_end() {
        let home = m1nd_testkit::TempTree::new("");
        let file = vec![b'a'; LEAST_BYTES];
        let answers = |answers: &[Probed]| {
            let answers: Vec<Probed> = answers.iter().rev().copied().collect();
            let answers: Arc<dyn ExtractionProbe> = Arc::new(Answers(Mutex::new(answers)));
            Attempts::below(home.path(), Some(answers))
        };
        let attempts = answers(&[Probed::Survived; 5]);
        (0..6).for_each(|_| end(&attempts, &file));
        let attempts = answers(&[Probed::Unknown, Probed::Survived]);
        assert!(begin(&attempts, &file).is_err_and(|why| why.contains("to try again")));
        drop(begin(&attempts, &file).expect("tried again"));
        end(&attempts, &file);
        let attempts = answers(&[Probed::Crashed]);
        assert!(begin(&attempts, &file).is_err_and(|why| why.contains("until the file changes")));
        assert!(begin(&attempts, &file).is_err(), "not asked again");
        let attempts = Attempts::below(home.path(), None);
        assert!(begin(&attempts, &file).is_err(), "remembered");
    }
}
