//! Git history of the indexed files.
//!
//! It follows `HEAD` and not the index, so it is kept beside the snapshots and shared by all of them. No ingest waits
//! for it: it is read on first use, or in the background by a watching server.

mod indexes;
mod revisions;
mod source;

use std::path::Path;
use std::sync::Arc;

use m1nd_base::{Cancel, ContentHash, RepoPath};
pub use m1nd_history::{
    Commit, CommitId, Contents, Cut, FileHistory, GitFolder, History, LineCache, NoHistory, Partner, Touch, TouchKind,
};

pub(crate) use indexes::GitIndexes;
pub use revisions::NoSnapshot;
pub(crate) use revisions::Revisions;
use source::Held;
pub(crate) use source::Histories;
pub use source::LoadedHistory;

use crate::report::RootInfo;

/// Characters of a commit's name that are shown.
const SHORT_NAME: usize = 12;

/// The histories of the roots of an index, as they were when it was asked for.
#[derive(Debug, Clone, Default)]
pub struct ProjectHistory {
    roots: Vec<RootHistory>,
}

/// The history of one root.
#[derive(Debug, Clone)]
struct RootHistory {
    info: RootInfo,
    history: Result<Held, NoHistory>,
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

/// The history of the root that a path belongs to.
#[derive(Debug, Clone)]
pub struct PlacedHistory<'h> {
    /// The history.
    pub history: &'h History,
    /// What its readers keep with it.
    pub loaded: &'h Arc<LoadedHistory>,
    /// The path inside the root.
    pub inner: String,
    root: &'h RootInfo,
}

impl<'h> PlacedHistory<'h> {
    /// The history of the file; `None` if no commit that was read touched it.
    pub fn file(&self) -> Option<FileHistory<'h>> {
        self.history.file(&self.inner)
    }

    /// The path in the index of a path inside the root.
    pub fn outer(&self, inner: &str) -> String {
        format!("{}{inner}", self.root.prefix)
    }

    /// The contents of its commits.
    ///
    /// # Errors
    /// [`NoHistory`] if the repository went away.
    pub fn contents(&self) -> Result<Contents, NoHistory> {
        Contents::open(&self.git()?)
    }

    /// The git folder.
    ///
    /// # Errors
    /// [`NoHistory`] if it went away.
    pub fn git(&self) -> Result<GitFolder, NoHistory> {
        GitFolder::find(&self.root.path)
    }

    /// Known comparisons of contents.
    pub fn lines(&self) -> &'h LineCache {
        &self.loaded.lines
    }
}

impl ProjectHistory {
    /// The history of the root that a path of the index belongs to.
    ///
    /// # Errors
    /// The reason why the root has none.
    pub fn place(&self, path: &str) -> Result<PlacedHistory<'_>, NoHistory> {
        let (root, inner) = self.root_of(path).ok_or(NoHistory::NotARepository)?;
        let held = root.history.as_ref().map_err(Clone::clone)?;
        Ok(PlacedHistory { history: &held.loaded.history, loaded: &held.loaded, inner, root: &root.info })
    }

    /// The same histories without commits that are older than so many days before the newest one of each.
    pub fn within_days(&self, days: u32) -> Self {
        let seconds = i64::from(days) * 86_400;
        let root = |root: &RootHistory| {
            let since = |held: &Held| held.since(held.loaded.history.now().saturating_sub(seconds));
            RootHistory { info: root.info.clone(), history: root.history.as_ref().map(since).map_err(Clone::clone) }
        };
        Self { roots: self.roots.iter().map(root).collect() }
    }

    /// The git folder of the root that a path of the index belongs to, whether or not its commits were read.
    ///
    /// # Errors
    /// The reason why the root has none.
    pub fn git(&self, path: &str) -> Result<GitFolder, NoHistory> {
        let (root, _) = self.root_of(path).ok_or(NoHistory::NotARepository)?;
        GitFolder::find(&root.info.path)
    }

    /// The path prefix of the root that a path of the index belongs to.
    pub fn prefix(&self, path: &str) -> Option<&str> {
        Some(&*self.root_of(path)?.0.info.prefix)
    }

    /// Returns whether there is a history of any root.
    pub fn is_known(&self) -> bool {
        self.roots.iter().any(|root| root.history.is_ok())
    }

    /// The history of the first root that has one.
    pub fn first(&self) -> Option<&History> {
        self.list_loaded().next().map(|(_, loaded)| &loaded.history)
    }

    /// The available histories, each with the path prefix of its root.
    pub fn list_loaded(&self) -> impl Iterator<Item = (&str, &LoadedHistory)> {
        let known = |root: &'_ RootHistory| root.history.is_ok();
        self.roots
            .iter()
            .filter(move |root| known(root))
            .filter_map(|root| Some((&*root.info.prefix, &*root.history.as_ref().ok()?.loaded)))
    }

    /// Returns whether commits of a root are still to be read: it has no history yet, or that of another commit.
    pub fn is_being_read(&self) -> bool {
        self.roots.iter().any(|root| match &root.history {
            Err(reason) => *reason == NoHistory::BeingRead,
            Ok(held) => held.loaded.history.cut() == Some(Cut::Time),
        })
    }

    /// Gaps in words: why a root has no history, which other commit it is of, or why it ends early.
    pub fn gaps(&self) -> Vec<String> {
        self.gaps_but(None)
    }

    /// Like [`ProjectHistory::gaps`], without the commit limit, which every large project reaches.
    pub fn gaps_within_limits(&self) -> Vec<String> {
        self.gaps_but(Some(Cut::Commits))
    }

    fn gaps_but(&self, ignored: Option<Cut>) -> Vec<String> {
        let mut gaps = Vec::new();
        for root in &self.roots {
            let place = if root.info.prefix.is_empty() { String::new() } else { format!("{}: ", root.info.prefix) };
            match &root.history {
                Err(reason) => gaps.push(format!("{place}no history: {reason}")),
                Ok(held) => {
                    let history = &held.loaded.history;
                    gaps.extend(held.checked_out.as_ref().map(|commit| {
                        let (of, commit) = (short(&history.head()).to_owned(), short(commit));
                        format!("{place}the history is of commit {of}, while {commit} is checked out")
                    }));
                    let cut = history.cut().filter(|cut| Some(*cut) != ignored);
                    gaps.extend(cut.map(|cut| format!("{place}{}", cut.words())));
                }
            }
        }
        gaps
    }

    /// A hash of everything that answers can depend on: equal for equal histories, in every process.
    pub fn state(&self) -> u64 {
        let root = |root: &RootHistory| match &root.history {
            Ok(held) => {
                let history = &held.loaded.history;
                format!("{} {} {} {:?}\n", root.info.prefix, history.head(), history.commits().len(), history.cut())
            }
            Err(_) => format!("{}\n", root.info.prefix),
        };
        ContentHash::of(self.roots.iter().map(root).collect::<String>().as_bytes()).short()
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
        root.history.as_ref().ok()?.loaded.history.file(&inner)
    }

    /// The files that changed together with a file, best score first, at most `limit`.
    pub fn partners(&self, path: &str, limit: usize) -> Vec<PartnerFile<'_>> {
        let Some((root, inner)) = self.root_of(path) else { return Vec::new() };
        let Ok(held) = &root.history else { return Vec::new() };
        let history = &held.loaded.history;
        let partners = history.file(&inner).map(|file| file.partners(limit)).unwrap_or_default();
        let path = |partner: &Partner<'_>| format!("{}{}", root.info.prefix, partner.file.path());
        partners.into_iter().map(|partner| PartnerFile { path: path(&partner), partner, history }).collect()
    }
}

/// The start of a commit's name, as people write it.
fn short(commit: &str) -> &str {
    &commit[..commit.floor_char_boundary(SHORT_NAME)]
}

impl Histories {
    /// The histories of these roots, updated to `HEAD`.
    pub(crate) fn project(&self, roots: &[RootInfo], cancel: &Cancel) -> ProjectHistory {
        project(roots, |path| self.of(path, cancel))
    }

    /// The histories of these roots as far as they can be had in a moment; what is missing is read in the background.
    pub(crate) fn project_at_hand(self: &Arc<Self>, roots: &[RootInfo], cancel: &Cancel) -> ProjectHistory {
        project(roots, |path| self.at_hand(path, cancel))
    }

    /// The histories of these roots, with the commits that can be read in a moment.
    pub(crate) fn project_briefly(&self, roots: &[RootInfo], cancel: &Cancel) -> ProjectHistory {
        project(roots, |path| self.briefly(path, cancel))
    }

    /// The histories of these roots as they were last read; `None` while any of them never was.
    pub(crate) fn loaded_project(&self, roots: &[RootInfo]) -> Option<ProjectHistory> {
        let mut is_loaded = true;
        let history = project(roots, |path| {
            let loaded = self.find_loaded(path);
            is_loaded &= loaded.is_some();
            loaded.unwrap_or(Err(NoHistory::Cancelled))
        });
        is_loaded.then_some(history)
    }
}

fn project(roots: &[RootInfo], mut of: impl FnMut(&Path) -> Result<Held, NoHistory>) -> ProjectHistory {
    let roots = roots.iter().map(|info| RootHistory { info: info.clone(), history: of(&info.path) });
    ProjectHistory { roots: roots.collect() }
}
