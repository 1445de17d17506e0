//! Earlier states that the code is compared with.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use m1nd_base::Cancel;
use m1nd_engine::history::{CommitId, Contents, NoHistory, NoSnapshot, PlacedHistory};
use m1nd_engine::{FileMark, Snapshot};
use m1nd_history::BlobId;

/// Paths named of files whose content is not known.
const NAMED: usize = 3;

/// An earlier state.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// Its index; `None` if it is the present one.
    pub snapshot: Option<Arc<Snapshot>>,
    /// The commit that was checked out, if it is known and still there.
    pub commit: Option<CommitId>,
    /// The state is exactly that of the commit.
    pub is_commit: bool,
    /// Its time in seconds since 1970; of a commit, the time of the commit.
    pub time: i64,
    /// What is not known of it, in words.
    pub gaps: Vec<String>,
}

impl Baseline {
    /// The state of a commit.
    ///
    /// # Errors
    /// [`NoSnapshot`].
    pub fn of_commit(
        snapshot: &Snapshot,
        place: &PlacedHistory<'_>,
        commit: CommitId,
        cancel: &Cancel,
    ) -> Result<Self, NoSnapshot> {
        let time = place.contents()?.time(commit).unwrap_or_default();
        let before = Some(snapshot.at_commit(place, commit, cancel)?);
        Ok(Self { snapshot: before, commit: Some(commit), is_commit: true, time, gaps: Vec::new() })
    }

    /// The state in which these were the files and `commit` was checked out. Contents come from the cache of facts,
    /// the disk and the commit.
    ///
    /// # Errors
    /// [`NoSnapshot`].
    pub fn of_files(
        snapshot: &Snapshot,
        place: Option<&PlacedHistory<'_>>,
        (files, commit, time): (&[FileMark], Option<CommitId>, i64),
        cancel: &Cancel,
    ) -> Result<Self, NoSnapshot> {
        let committed = Committed::of(place, commit, cancel)?;
        let content = |path: &str| committed.as_ref()?.text(path);
        let (before, missing) = snapshot.at_files(files, &content, cancel)?;
        let mut gaps = Vec::new();
        if let Some(first) = missing.first() {
            let named: Vec<&str> = missing.iter().take(NAMED).map(|path| path.as_str()).collect();
            let more = if missing.len() > NAMED { ", …" } else { "" };
            gaps.push(match missing.len() {
                1 => format!("the symbols of {first} at that time are not known"),
                many => format!("the symbols of {many} files at that time are not known: {}{more}", named.join(", ")),
            });
        }
        Ok(Self { snapshot: Some(before), commit, is_commit: false, time, gaps })
    }

    /// Its index, given the present one.
    pub fn state<'s>(&'s self, present: &'s Snapshot) -> &'s Snapshot {
        self.snapshot.as_deref().unwrap_or(present)
    }
}

/// The files of a commit by their paths in the index.
pub struct Committed {
    contents: Mutex<Contents>,
    blobs: HashMap<String, BlobId>,
}

impl Committed {
    /// `None` without a commit.
    ///
    /// # Errors
    /// [`NoHistory`].
    pub fn of(
        place: Option<&PlacedHistory<'_>>,
        commit: Option<CommitId>,
        cancel: &Cancel,
    ) -> Result<Option<Self>, NoHistory> {
        let Some((place, commit)) = place.zip(commit) else { return Ok(None) };
        let contents = place.contents()?;
        let blobs = contents.files(commit, cancel)?.into_iter().map(|file| (place.outer(&file.path), file.blob));
        Ok(Some(Self { blobs: blobs.collect(), contents: Mutex::new(contents) }))
    }

    /// The text of a file at the commit.
    pub fn text(&self, path: &str) -> Option<Vec<u8>> {
        let blob = self.blobs.get(path)?;
        let contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        contents.blob(*blob).map(|bytes| bytes.to_vec())
    }
}
