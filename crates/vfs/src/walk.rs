//! Lists the files of a root in parallel, level by level, so that the result does not depend on timing.

use std::ffi::{OsStr, OsString};
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{DirEntry, FileType};
use m1nd_base::{Cancel, Cancelled, Limits, Problem, ProblemKind, Progress, ProgressEvent, RepoPath, Tracked};
use rayon::prelude::*;

use crate::git::is_second_checkout;
use crate::hidden::Hidden;
use crate::ignores::{GIT_RULES, Holds, Ignores, OWN_RULES};
use crate::root::irregular;
use crate::{FileMeta, Root, VfsError, defaults, is_version_control};

/// Folders listed in parallel; limits are checked between batches.
const BATCH: usize = 512;
/// Files between two progress reports.
const REPORT_EVERY: u64 = 1_000;
/// Stage name in progress reports.
const STAGE: &str = "listing";

/// Selects entries to list in addition to the defaults.
#[derive(Debug, Clone, Default)]
pub struct WalkOptions {
    /// Lists hidden files and enters hidden folders, except those of version control.
    pub include_hidden: bool,
    /// Hidden paths to list although `include_hidden` is off: `x/**` is x and everything below it, `x/*` the direct
    /// children of x, `x/y` that path, and `x` every file or folder of that name. A pattern that names a file exactly
    /// also lists it if it looks like a secret.
    pub hidden_patterns: Vec<String>,
    /// Tells what version control tracks: files that git ignores and tracks are listed, too, and what is tracked but
    /// not on disk is reported.
    pub tracked: Option<Arc<dyn TrackedSource>>,
}

/// The files of a root.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    /// Regular files, sorted by path.
    pub files: Vec<(RepoPath, FileMeta)>,
    /// Entries that are missing although no rule excludes them, and the reason; sorted by path. Paths are for
    /// display: bytes that are not UTF-8 are replaced.
    pub skipped: Vec<(String, Problem)>,
    /// Number of files and folders excluded by a rule: ignore files, hidden names, the default tables. A folder
    /// counts once.
    pub ignored: u64,
    /// Folders that were entered and hold a repository (`""` for the root), sorted.
    pub repositories: Vec<String>,
}

/// Tells what version control tracks.
pub trait TrackedSource: Debug + Send + Sync {
    /// Everything that the repository with this work tree tracks, by path; `None` if that is not known.
    fn list_tracked(&self, work_tree: &Path) -> Option<Arc<[Tracked]>>;
}

/// A walk, with the folders it entered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tree {
    pub(crate) walk: Walk,
    /// Path of each folder (`""` for the root) and the rules in effect there, outermost first.
    pub(crate) folders: Vec<(String, Ignores)>,
    /// Listed files that a rule ignores, because version control tracks them.
    pub(crate) forced: Vec<RepoPath>,
}

impl Root {
    /// Lists the files to index. Follows no link and opens no file except ignore files.
    ///
    /// # Errors
    /// [`Cancelled`]. Every other error is reported in [`Walk::skipped`].
    pub fn walk(
        &self,
        options: &WalkOptions,
        limits: &Limits,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<Walk, Cancelled> {
        Ok(Walker::new(self, options, limits, cancel, progress).tree()?.walk)
    }
}

pub(crate) struct Walker<'a> {
    root: &'a Root,
    hidden: Hidden,
    tracked: Option<&'a Arc<dyn TrackedSource>>,
    limits: &'a Limits,
    cancel: &'a Cancel,
    progress: &'a dyn Progress,
    seen: AtomicU64,
}

/// A folder that is still to be listed.
struct Folder {
    path: String,
    /// The enclosing rules, without its own.
    ignores: Ignores,
}

/// Content of one folder.
#[derive(Default)]
struct Listing {
    /// The rules in effect there.
    ignores: Ignores,
    files: Vec<(RepoPath, FileMeta)>,
    folders: Vec<Folder>,
    skipped: Vec<(String, Problem)>,
    ignored: u64,
    is_repository: bool,
    /// Nothing of it is listed: the same repository is checked out at, around or elsewhere in the root.
    is_second_checkout: bool,
}

impl<'a> Walker<'a> {
    pub(crate) fn new(
        root: &'a Root,
        options: &'a WalkOptions,
        limits: &'a Limits,
        cancel: &'a Cancel,
        progress: &'a dyn Progress,
    ) -> Self {
        let hidden = Hidden::new(options.include_hidden, &options.hidden_patterns);
        let tracked = options.tracked.as_ref();
        Self { root, hidden, tracked, limits, cancel, progress, seen: AtomicU64::new(0) }
    }

    /// Walks the whole root.
    pub(crate) fn tree(&self) -> Result<Tree, Cancelled> {
        let mut tree = self.descend(Folder { path: String::new(), ignores: Ignores::above(self.root) }, 0)?;
        self.add_tracked(&mut tree)?;
        Ok(tree)
    }

    pub(crate) fn root(&self) -> &Root {
        self.root
    }

    pub(crate) fn tracked_source(&self) -> Option<&Arc<dyn TrackedSource>> {
        self.tracked
    }

    pub(crate) fn check(&self) -> Result<(), Cancelled> {
        self.cancel.check()
    }

    /// Returns whether the file passes the filter for hidden files.
    pub(crate) fn shows(&self, path: &str) -> bool {
        self.hidden.shows_file(path)
    }

    /// Returns whether a pattern for hidden files names exactly this one.
    pub(crate) fn names(&self, path: &str) -> bool {
        self.hidden.names(path)
    }

    /// Walks only the folder at `path`; `None` if a walk of the root would not enter it.
    pub(crate) fn below(&self, path: &str) -> Option<Tree> {
        let mut ignores = Ignores::above(self.root);
        let mut parent = "";
        for (depth, (end, name)) in components(path).enumerate() {
            if depth >= self.limits.folder_depth {
                return None;
            }
            (ignores, _) = ignores.enter(self.root, parent, self.holds(parent));
            if !self.enters(&path[..end], name, &ignores).ok()? {
                return None;
            }
            parent = &path[..end];
        }
        let depth = components(path).count();
        self.descend(Folder { path: path.to_owned(), ignores }, depth).ok()
    }

    /// Walks level by level from `start`, which is `depth` folders below the root.
    fn descend(&self, start: Folder, mut depth: usize) -> Result<Tree, Cancelled> {
        self.report(0);
        let mut walk = Walk::default();
        let mut folders = Vec::new();
        let mut level = vec![start];
        // Level by level, so that the depth is known and the order does not depend on threads.
        'levels: while !level.is_empty() {
            if depth > self.limits.folder_depth {
                let detail = format!("more than {} folders deep", self.limits.folder_depth);
                let problem = Problem::new(ProblemKind::FolderDepth, detail);
                walk.skipped.extend(level.into_iter().map(|folder| (folder.path, problem.clone())));
                break;
            }
            let mut next = Vec::new();
            for batch in level.chunks(BATCH) {
                let listings =
                    batch.par_iter().map(|folder| self.list(folder)).collect::<Result<Vec<Listing>, Cancelled>>()?;
                for (folder, listing) in batch.iter().zip(listings) {
                    // The same files again would double every name.
                    if listing.is_second_checkout {
                        walk.skipped.extend(listing.skipped);
                        continue;
                    }
                    folders.push((folder.path.clone(), listing.ignores));
                    walk.files.extend(listing.files);
                    walk.skipped.extend(listing.skipped);
                    walk.ignored += listing.ignored;
                    if listing.is_repository {
                        walk.repositories.push(folder.path.clone());
                    }
                    next.extend(listing.folders);
                }
                // A home folder as root must not fill the memory.
                if walk.files.len() > self.limits.files || folders.len() > self.limits.files {
                    self.cut(&mut walk);
                    break 'levels;
                }
            }
            next.sort_unstable_by(|a, b| a.path.cmp(&b.path));
            level = next;
            depth += 1;
        }
        walk.files.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        walk.skipped.sort_by(|a, b| a.0.cmp(&b.0));
        walk.repositories.sort_unstable();
        self.report(walk.files.len() as u64);
        Ok(Tree { walk, folders, forced: Vec::new() })
    }

    /// Finds the entries of the folder that affect the rules, without listing it.
    fn holds(&self, folder: &str) -> Holds {
        let kind = |name: &str| {
            let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            self.root.dir().symlink_metadata(path).ok().map(|meta| meta.file_type())
        };
        let is_file = |name: &str| kind(name).is_some_and(|kind| kind.is_file());
        Holds { repository: kind(".git").is_some(), git_rules: is_file(GIT_RULES), own_rules: is_file(OWN_RULES) }
    }

    fn cut(&self, walk: &mut Walk) {
        let limit = self.limits.files;
        let detail =
            format!("the root has more than {limit} files or folders; the rest, from the deepest on, is left out");
        walk.files.truncate(limit);
        walk.skipped.push((".".to_owned(), Problem::new(ProblemKind::FilesLimit, detail)));
    }

    fn list(&self, folder: &Folder) -> Result<Listing, Cancelled> {
        self.cancel.check()?;
        let mut listing = Listing::default();
        let unreadable = |listing: &mut Listing, error: std::io::Error| {
            let shown = if folder.path.is_empty() { "." } else { &folder.path };
            let problem = Problem::new(ProblemKind::Unreadable, VfsError::from_io(shown, error).to_string());
            listing.skipped.push((shown.to_owned(), problem));
        };
        let entries = match self.entries(&folder.path) {
            Ok(entries) => entries,
            Err(error) => {
                unreadable(&mut listing, error);
                return Ok(listing);
            }
        };
        let mut kept = Vec::new();
        let mut untold = Vec::new();
        let mut holds = Holds::default();
        let mut has_link = false;
        for entry in entries {
            self.cancel.check()?;
            match entry {
                Ok(entry) => {
                    let (name, kind) = match name_and_kind(&entry) {
                        Ok(known) => known,
                        Err(error) => {
                            untold.push((entry.file_name(), error));
                            continue;
                        }
                    };
                    match name.to_str() {
                        Some(".git") => {
                            holds.repository = true;
                            has_link = kind.is_file();
                        }
                        Some(GIT_RULES) => holds.git_rules |= kind.is_file(),
                        Some(OWN_RULES) => holds.own_rules |= kind.is_file(),
                        _ => {}
                    }
                    kept.push((entry, name, kind));
                }
                // The listing ends here; entries read so far are kept.
                Err(error) => {
                    unreadable(&mut listing, error);
                    break;
                }
            }
            if kept.len() + untold.len() > self.limits.files {
                let shown = if folder.path.is_empty() { "." } else { &folder.path };
                let detail = format!("the folder has more than {} entries; the rest is left out", self.limits.files);
                listing.skipped.push((shown.to_owned(), Problem::new(ProblemKind::FilesLimit, detail)));
                break;
            }
        }
        if has_link && !folder.path.is_empty() && is_second_checkout(self.root, &folder.path) {
            let detail = "a second checkout of this repository; index it as a project of its own";
            listing.skipped.push((folder.path.clone(), Problem::new(ProblemKind::LinkedWorktree, detail)));
            listing.is_second_checkout = true;
            return Ok(listing);
        }
        let (ignores, problems) = folder.ignores.enter(self.root, &folder.path, holds);
        listing.is_repository = holds.repository;
        listing.skipped.extend(problems);
        listing.ignores = ignores.clone();
        for (entry, name, kind) in kept {
            self.cancel.check()?;
            self.take(&folder.path, &ignores, (&entry, name, kind), &mut listing)?;
        }
        for (name, error) in untold {
            self.note_untold(&folder.path, &ignores, &name, &error, &mut listing);
        }
        Ok(listing)
    }

    /// Reports an entry whose kind the system does not reveal, unless it is gone or would be excluded as a file.
    fn note_untold(
        &self,
        parent: &str,
        ignores: &Ignores,
        name: &OsStr,
        error: &std::io::Error,
        listing: &mut Listing,
    ) {
        if error.kind() == std::io::ErrorKind::NotFound {
            return;
        }
        let shown = name.to_string_lossy();
        let path = if parent.is_empty() { shown.to_string() } else { format!("{parent}/{shown}") };
        if name.to_str().is_some_and(|name| !self.lists(&path, name, ignores)) {
            listing.ignored += 1;
            return;
        }
        listing.skipped.push((path, Problem::new(ProblemKind::Unreadable, format!("its kind is not known: {error}"))));
    }

    fn entries(&self, folder: &str) -> std::io::Result<cap_std::fs::ReadDir> {
        if folder.is_empty() { self.root.dir().entries() } else { self.root.dir().read_dir(folder) }
    }

    /// Classifies one entry of the folder at `parent` and adds it to the listing.
    fn take(
        &self,
        parent: &str,
        ignores: &Ignores,
        (entry, name, kind): (&DirEntry, OsString, FileType),
        listing: &mut Listing,
    ) -> Result<(), Cancelled> {
        let join = |name: &str| if parent.is_empty() { name.to_owned() } else { format!("{parent}/{name}") };
        let Some(name) = name.to_str() else {
            let problem = Problem::new(ProblemKind::UnsupportedPath, "the name is not UTF-8");
            listing.skipped.push((join(&name.to_string_lossy()), problem));
            return Ok(());
        };
        let path = join(name);
        if kind.is_dir() {
            if self.enters(&path, name, ignores)? {
                listing.folders.push(Folder { path, ignores: ignores.clone() });
            } else {
                listing.ignored += 1;
            }
            return Ok(());
        }
        if !self.lists(&path, name, ignores) {
            listing.ignored += 1;
            return Ok(());
        }
        if let Some(what) = irregular(kind) {
            let kind = if kind.is_symlink() { ProblemKind::SymbolicLink } else { ProblemKind::NotRegular };
            listing.skipped.push((path, Problem::new(kind, format!("this is {what}"))));
            return Ok(());
        }
        match (RepoPath::new(&path), entry.metadata()) {
            (Ok(path), Ok(meta)) => {
                listing.files.push((path, FileMeta::of(&meta)));
                let seen = self.seen.fetch_add(1, Ordering::Relaxed) + 1;
                if seen.is_multiple_of(REPORT_EVERY) {
                    self.report(seen);
                }
            }
            (Err(error), _) => {
                listing.skipped.push((path, Problem::new(ProblemKind::UnsupportedPath, error.to_string())));
            }
            // Removed since it was listed: treated as if it had never existed.
            (_, Err(error)) if error.kind() == std::io::ErrorKind::NotFound => {}
            (_, Err(error)) => {
                listing.skipped.push((path, Problem::new(ProblemKind::Unreadable, error.to_string())));
            }
        }
        Ok(())
    }

    /// Returns whether the folder is walked.
    fn enters(&self, path: &str, name: &str, ignores: &Ignores) -> Result<bool, Cancelled> {
        if is_version_control(name) || !self.hidden.enters_folder(path) {
            return Ok(false);
        }
        match ignores.decide(path, true) {
            Some(true) => return Ok(false),
            Some(false) => return Ok(true),
            None => {}
        }
        if defaults::is_skipped_folder(name) {
            return Ok(false);
        }
        if defaults::is_output_folder(name) {
            return self.holds_own_source(path);
        }
        Ok(true)
    }

    /// Returns whether the entry, which is no folder, is to be listed or reported.
    pub(crate) fn lists(&self, path: &str, name: &str, ignores: &Ignores) -> bool {
        if is_version_control(name) || !self.hidden.shows_file(path) {
            return false;
        }
        if defaults::is_secret(name) && !self.hidden.names(path) {
            return false;
        }
        match ignores.decide(path, false) {
            Some(ignored) => !ignored || defaults::is_manifest(name),
            None => !defaults::is_lock_file(name),
        }
    }

    fn holds_own_source(&self, folder: &str) -> Result<bool, Cancelled> {
        let Ok(entries) = self.entries(folder) else { return Ok(false) };
        for entry in entries.flatten() {
            self.cancel.check()?;
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            if is_file && entry.file_name().to_str().is_some_and(defaults::is_own_source) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn report(&self, done: u64) {
        self.progress.report(ProgressEvent { stage: STAGE, done, total: None });
    }
}

/// The components of a path, each with its end offset.
fn components(path: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut end = 0;
    path.split('/').map(move |name| {
        let start = if end == 0 { 0 } else { end + 1 };
        end = start + name.len();
        (end, name)
    })
}

/// Returns name and kind of an entry; stats it if the listing does not reveal the kind.
fn name_and_kind(entry: &DirEntry) -> std::io::Result<(OsString, FileType)> {
    let kind = entry.file_type()?;
    let known = kind.is_dir() || kind.is_symlink() || irregular(kind) != Some("of an unknown kind");
    let kind = if known { kind } else { entry.metadata()?.file_type() };
    Ok((entry.file_name(), kind))
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use m1nd_base::NoProgress;

    use super::*;

    #[test]
    fn an_entry_of_untold_kind_is_reported_unless_a_rule_leaves_it_out() {
        let tree = m1nd_testkit::TempTree::new("//- a.py\n");
        let root = Root::open(tree.path()).expect("opens");
        let (options, limits, cancel) = (WalkOptions::default(), Limits::default(), Cancel::new());
        let walker = Walker::new(&root, &options, &limits, &cancel, &NoProgress);
        let mut listing = Listing::default();
        let denied = Error::from(ErrorKind::PermissionDenied);
        for name in ["odd", ".hidden", "server.pem"] {
            walker.note_untold("sub", &Ignores::default(), OsStr::new(name), &denied, &mut listing);
        }
        let gone = Error::from(ErrorKind::NotFound);
        walker.note_untold("sub", &Ignores::default(), OsStr::new("gone"), &gone, &mut listing);
        let rows: Vec<_> = listing.skipped.iter().map(|(path, why)| (path.as_str(), why.kind)).collect();
        assert_eq!((rows, listing.ignored), (vec![("sub/odd", ProblemKind::Unreadable)], 2));
    }
}
