//! Compares some files with the index by content.

use m1nd_base::{Cancel, Cancelled, ContentHash, ProblemKind};
use m1nd_engine::{FileEntry, Snapshot};

/// Files whose content was compared with the index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sample {
    /// Paths of the files that were compared, sorted.
    pub compared: Vec<String>,
    /// Bytes read.
    pub bytes: u64,
    /// Those that are missing or have other content than when they were indexed.
    pub differing: Vec<String>,
    /// Those that could not be read, so that nothing is known about them.
    pub unreadable: Vec<String>,
    /// Number of files that could have been chosen.
    pub of: usize,
}

/// Compares at most `most` files of the index with the disk by the hash of their content.
///
/// Which files is decided by their path and the generation: the same question gives the same answer, while every change
/// of the index leads to other files. Files whose content is not in the index (too large) are never chosen.
///
/// # Errors
/// [`Cancelled`].
pub fn sample_files(snapshot: &Snapshot, most: usize, cancel: &Cancel) -> Result<Sample, Cancelled> {
    let generation = snapshot.generation().to_le_bytes();
    let place = |file: &FileEntry| ContentHash::of(&[&generation, file.path.as_str().as_bytes()].concat()).short();
    let mut files: Vec<(u64, &FileEntry)> =
        snapshot.files().iter().filter(|file| has_hash(file)).map(|file| (place(file), file)).collect();
    let mut sample = Sample { of: files.len(), ..Sample::default() };
    if files.len() > most {
        files.select_nth_unstable_by_key(most, |(place, file)| (*place, file.path.clone()));
        files.truncate(most);
    }
    files.sort_by(|a, b| a.1.path.cmp(&b.1.path));
    for (_, file) in files {
        cancel.check()?;
        let path = file.path.to_string();
        match snapshot.read_bytes(&file.path) {
            Ok(bytes) => {
                sample.bytes += bytes.len() as u64;
                if ContentHash::of(&bytes) != file.hash {
                    sample.differing.push(path.clone());
                }
            }
            Err(error) if error.is_not_found() => sample.differing.push(path.clone()),
            Err(_) => sample.unreadable.push(path.clone()),
        }
        sample.compared.push(path);
    }
    Ok(sample)
}

/// Returns whether the hash in the index is that of the content.
fn has_hash(file: &FileEntry) -> bool {
    !file.problems.iter().any(|problem| matches!(problem.kind, ProblemKind::TooLarge | ProblemKind::Unreadable))
}
