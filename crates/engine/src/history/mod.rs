//! What git tells of the files of an index.
//!
//! It follows what is checked out and not the index, so it is kept beside the snapshots and shared by all of them. Nobody
//! who indexes waits for it: it is read when first asked for, or in the background by a server that watches.

mod source;
mod subjects;

use std::sync::Arc;

use m1nd_base::{Cancel, RepoPath};
pub use m1nd_history::{Commit, Cut, FileHistory, History, NoHistory, Partner, Touch, TouchKind};

pub(crate) use source::{Histories, Loaded};
pub(crate) use subjects::prefix;

use crate::report::RootInfo;
use crate::snapshot::Snapshot;

/// The histories of the roots of an index, as they were when it was asked for.
#[derive(Debug, Clone, Default)]
pub struct ProjectHistory {
    roots: Vec<RootHistory>,
}

/// The history of one root.
#[derive(Debug, Clone)]
struct RootHistory {
    info: RootInfo,
    history: Result<Arc<Loaded>, NoHistory>,
}

/// A file that changed together with another, by its path in the index.
#[derive(Debug, Clone)]
pub struct PartnerFile<'h> {
    /// Its path in the index. Of the time of the commits: it may not be indexed.
    pub path: String,
    /// Figures and the history of the file.
    pub partner: Partner<'h>,
    /// The history that it is from, with the commits that [`Partner::newest`] counts.
    pub history: &'h History,
}

impl ProjectHistory {
    /// Whether there is a history of any root.
    pub fn is_known(&self) -> bool {
        self.roots.iter().any(|root| root.history.is_ok())
    }

    /// The history of the first root that has one.
    pub fn first(&self) -> Option<&History> {
        self.loaded().next().map(|(_, loaded)| &loaded.history)
    }

    /// The histories that are there, each with the prefix of its root's paths.
    pub(crate) fn loaded(&self) -> impl Iterator<Item = (&str, &Loaded)> {
        let known = |root: &'_ RootHistory| root.history.is_ok();
        self.roots
            .iter()
            .filter(move |root| known(root))
            .filter_map(|root| Some((&*root.info.prefix, root.history.as_deref().ok()?)))
    }

    /// What is missing, in words: why a root has no history, or why it ends early.
    pub fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        for root in &self.roots {
            let place = if root.info.prefix.is_empty() { String::new() } else { format!("{}: ", root.info.prefix) };
            match &root.history {
                Err(reason) => gaps.push(format!("{place}no history: {reason}")),
                Ok(loaded) => gaps.extend(loaded.history.cut().map(|cut| format!("{place}{}", cut.words()))),
            }
        }
        gaps
    }

    fn root_of(&self, path: &str) -> Option<(&RootHistory, String)> {
        let path = RepoPath::new(path).ok()?;
        let found = |root: &&RootHistory| !root.info.prefix.is_empty() && root.info.inner(&path).is_some();
        let root =
            self.roots.iter().find(found).or_else(|| self.roots.iter().find(|root| root.info.prefix.is_empty()))?;
        Some((root, root.info.inner(&path)?.as_str().to_owned()))
    }

    /// The history of a file by its path in the index; `None` if no commit that was read touched it.
    pub fn file(&self, path: &str) -> Option<FileHistory<'_>> {
        let (root, inner) = self.root_of(path)?;
        root.history.as_ref().ok()?.history.file(&inner)
    }

    /// The files that changed together with a file, best score first, at most `limit`.
    pub fn partners(&self, path: &str, limit: usize) -> Vec<PartnerFile<'_>> {
        let Some((root, inner)) = self.root_of(path) else { return Vec::new() };
        let Some(Loaded { history, .. }) = root.history.as_deref().ok() else { return Vec::new() };
        let partners = history.file(&inner).map(|file| file.partners(limit)).unwrap_or_default();
        let path = |partner: &Partner<'_>| format!("{}{}", root.info.prefix, partner.file.path());
        partners.into_iter().map(|partner| PartnerFile { path: path(&partner), partner, history }).collect()
    }
}

impl Snapshot {
    /// What git tells of the roots. Reads what was committed since it was last asked for: milliseconds, or seconds for the
    /// first time in a large repository. What cannot be read is among [`ProjectHistory::gaps`].
    pub fn history(&self, cancel: &Cancel) -> ProjectHistory {
        self.histories_by(|path| self.histories.of(path, cancel))
    }

    /// As [`Snapshot::history`], but without reading what is new: what was read last, in this process or an earlier one.
    /// `None` while any root's history was never read.
    pub fn loaded_history(&self) -> Option<ProjectHistory> {
        let mut is_loaded = true;
        let history = self.histories_by(|path| {
            let loaded = self.histories.loaded(path);
            is_loaded &= loaded.is_some();
            loaded.unwrap_or(Err(NoHistory::Cancelled))
        });
        is_loaded.then_some(history)
    }

    fn histories_by(&self, mut of: impl FnMut(&std::path::Path) -> Result<Arc<Loaded>, NoHistory>) -> ProjectHistory {
        let roots = self.roots().iter().map(|info| RootHistory { info: info.clone(), history: of(&info.path) });
        ProjectHistory { roots: roots.collect() }
    }
}
