//! Finds the files that the index does not hold whole.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use m1nd_base::{Cancel, Problem, ProblemKind, RepoPath, Tracked, TrackedKind};
use m1nd_history::{Contents, GitFolder};
use m1nd_lang::Language;
use m1nd_vfs::{FileMeta, TrackedSource, is_generated_list, is_package_folder, is_secret};

use super::{NotCheckedOut, UnseenReason};
use crate::files::FileEntry;
use crate::history::GitIndexes;
use crate::report::RootInfo;
use crate::state::snapshot::Snapshot;

/// Maximum number of repositories in one root: submodules, and those of a folder of repositories.
const MAX_REPOSITORIES: usize = 64;
/// Maximum number of files that are left out; of more, those by path first are taken.
const MAX_FILES: usize = 20_000;

/// Hidden folders with files that run code of the project.
const HIDDEN_FOLDERS: &[&str] = &[".github/workflows", ".circleci", ".buildkite", ".husky", ".devcontainer"];
/// Hidden files that run code of the project.
const HIDDEN_FILES: &[&str] = &[".gitlab-ci.yml", ".travis.yml", ".pre-commit-config.yaml", ".pre-commit-hooks.yaml"];

/// A file that the index does not hold whole.
#[derive(Debug)]
pub(super) struct Source {
    /// Its path in the index.
    pub(super) path: String,
    pub(super) language: Language,
    pub(super) reason: UnseenReason,
    pub(super) from: From,
    /// It lies in a folder of packages.
    pub(super) is_package: bool,
}

/// Where the text of a file is.
#[derive(Debug)]
pub(super) enum From {
    Disk(RepoPath),
    /// In the objects of the repository with this work tree.
    Blob(PathBuf, [u8; 20]),
    Nowhere,
}

impl Source {
    pub(super) fn is_code(&self) -> bool {
        is_code(self.language)
    }
}

/// Returns whether files of a language are code: every name in them may be one of the project.
pub fn is_code(language: Language) -> bool {
    use Language as L;
    !language.is_prose() && !matches!(language, L::Bash | L::Sql | L::GraphQl | L::Proto)
}

/// A repository whose files are in a root.
struct Repository {
    work_tree: PathBuf,
    /// Prefix that makes a path in the repository one in the index.
    below: String,
    /// Prefix of the paths in the repository that are in the root.
    above: String,
    is_submodule: bool,
}

/// The files that the index does not hold whole: those of the index first, those of packages last. Adds the state of
/// the indexes of git that were read.
pub(super) fn find(snapshot: &Snapshot, indexes: &mut Vec<(PathBuf, Option<FileMeta>)>) -> Vec<Source> {
    let mut found: Vec<Source> = snapshot.files().iter().filter_map(of_index).collect();
    found.extend(snapshot.list_skipped().iter().filter_map(|(path, problem)| of_skipped(path, problem)));
    let mut left_out = Vec::new();
    list_tracked(snapshot, &mut |repository, entry, path| {
        if left_out.len() < MAX_FILES && snapshot.files.by_text(path).is_none() {
            left_out.extend(of_tracked(repository, entry, path));
        }
    })
    .into_iter()
    .for_each(|row| indexes.push(row));
    left_out.extend(list_hidden(snapshot));
    left_out.sort_by(|a: &Source, b| (a.is_package, &a.path).cmp(&(b.is_package, &b.path)));
    left_out.dedup_by(|a, b| a.path == b.path);
    found.extend(left_out);
    found
}

fn of_index(file: &FileEntry) -> Option<Source> {
    let is_odd = |kind: ProblemKind| match kind {
        ProblemKind::Binary => is_code(file.language),
        // A document names code, but does not use it.
        _ if file.language.is_document() && !file.language.has_code() => false,
        ProblemKind::InvalidUtf8 => true,
        // What no fact explains in a broken part is among the loose words of the file.
        ProblemKind::SyntaxErrors => false,
        kind => kind.hides_references(),
    };
    // One that hides all names before one that hides only some.
    let kinds = file.problems.iter().map(|problem| problem.kind).filter(|kind| is_odd(*kind));
    let kind = kinds.min_by_key(|kind| *kind == ProblemKind::InvalidUtf8)?;
    let from = if kind == ProblemKind::LfsPointer { From::Nowhere } else { From::Disk(file.path.clone()) };
    let reason = UnseenReason::Problem(kind);
    Some(Source { path: file.path.to_string(), language: file.language, reason, from, is_package: false })
}

fn of_skipped(path: &str, problem: &Problem) -> Option<Source> {
    if !problem.kind.hides_references() {
        return None;
    }
    let (inside, language) = (RepoPath::new(path).ok(), Language::of_path(path));
    let is_folder = inside.as_ref().is_none_or(|path| path.extension().is_none());
    if !is_code(language) && !is_folder {
        return None;
    }
    let from = match problem.kind {
        ProblemKind::GraphLimit => inside.map_or(From::Nowhere, From::Disk),
        _ => From::Nowhere,
    };
    let reason = UnseenReason::Problem(problem.kind);
    Some(Source { path: path.to_owned(), language, reason, from, is_package: false })
}

fn of_tracked(repository: &Repository, entry: &Tracked, path: &str) -> Option<Source> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if entry.kind != TrackedKind::File || is_secret(name) || is_generated_list(name) {
        return None;
    }
    let inside = RepoPath::new(path).ok()?;
    let language = Language::detect(&inside, b"");
    if language.is_document() {
        return None;
    }
    let (reason, from) = match entry.is_sparse {
        true => {
            let from = From::Blob(repository.work_tree.clone(), entry.id);
            (UnseenReason::Problem(ProblemKind::NotCheckedOut), from)
        }
        false => (UnseenReason::LeftOut, From::Disk(inside)),
    };
    // A text that a sparse checkout leaves out is looked at only if its name says that it may be settings.
    if entry.is_sparse && language.is_unknown() && !may_be_settings(name) {
        return None;
    }
    let is_package = path.split('/').any(is_package_folder);
    Some(Source { path: path.to_owned(), language, reason, from, is_package })
}

/// Hidden files that run code of the project, whether or not git tracks them.
fn list_hidden(snapshot: &Snapshot) -> Vec<Source> {
    let mut found = Vec::new();
    for (info, handle) in snapshot.roots.iter().zip(snapshot.handles.iter()) {
        let Some(root) = handle else { continue };
        let folders = HIDDEN_FOLDERS.iter().filter_map(|folder| RepoPath::new(folder).ok());
        let files = HIDDEN_FILES.iter().filter_map(|file| RepoPath::new(file).ok());
        let inside = folders.flat_map(|folder| root.files_in(&folder));
        for inner in inside.chain(files.filter(|file| root.own_metadata(file).is_ok())) {
            let path = info.outer(&inner);
            let language = Language::detect(&path, b"");
            if snapshot.files.get(&path).is_some() || language.is_document() || is_secret(inner.file_name()) {
                continue;
            }
            let (reason, text) = (UnseenReason::LeftOut, path.to_string());
            found.push(Source { path: text, language, reason, from: From::Disk(path), is_package: false });
        }
    }
    found
}

fn may_be_settings(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "" | "toml" | "cfg" | "ini" | "json" | "xml" | "conf" | "properties")
}

/// The paths that sparse checkouts leave out.
pub(super) fn not_checked_out(snapshot: &Snapshot) -> NotCheckedOut {
    let mut paths = Vec::new();
    for (info, repository) in repositories(snapshot) {
        for entry in entries(snapshot, &repository).iter().filter(|entry| entry.is_sparse) {
            paths.extend(path_of(info, &repository, &entry.path).map(Cow::into_owned));
        }
    }
    paths.sort_unstable();
    NotCheckedOut { paths }
}

/// The folders of submodules that are checked out, by their paths in the index.
pub(super) fn submodules(snapshot: &Snapshot) -> Vec<String> {
    let rows = repositories(snapshot).into_iter().filter(|(_, repository)| repository.is_submodule);
    rows.map(|(info, repository)| format!("{}{}", info.prefix, repository.below.trim_end_matches('/'))).collect()
}

/// Passes on everything that the repositories of the roots track. Returns the state of their indexes.
fn list_tracked(
    snapshot: &Snapshot,
    take: &mut dyn FnMut(&Repository, &Tracked, &str),
) -> Vec<(PathBuf, Option<FileMeta>)> {
    let mut indexes = Vec::new();
    for (info, repository) in repositories(snapshot) {
        indexes.push((repository.work_tree.clone(), GitIndexes::stamp(&repository.work_tree)));
        let all = entries(snapshot, &repository);
        for entry in all.iter() {
            let Some(path) = path_of(info, &repository, &entry.path) else { continue };
            if entry.kind == TrackedKind::Folder {
                in_folder(&repository, entry, &path, take);
            } else {
                take(&repository, entry, &path);
            }
        }
    }
    indexes
}

/// Passes on the files of a folder of a sparse index.
fn in_folder(repository: &Repository, entry: &Tracked, path: &str, take: &mut dyn FnMut(&Repository, &Tracked, &str)) {
    let files = GitFolder::find(&repository.work_tree)
        .and_then(|git| Contents::open(&git))
        .and_then(|contents| contents.files_of_tree(entry.id, &Cancel::new()));
    for file in files.unwrap_or_default() {
        let inner = Tracked {
            path: format!("{}/{}", entry.path, file.path),
            kind: TrackedKind::File,
            is_sparse: true,
            id: *file.blob.as_bytes(),
        };
        take(repository, &inner, &format!("{path}/{}", file.path));
    }
}

fn entries(snapshot: &Snapshot, repository: &Repository) -> Arc<[Tracked]> {
    snapshot.histories.indexes.list_tracked(&repository.work_tree).unwrap_or_default()
}

/// Path in the index of a path in a repository; `None` if it is not in the root.
fn path_of<'p>(info: &RootInfo, repository: &Repository, path: &'p str) -> Option<Cow<'p, str>> {
    let inner = path.strip_prefix(&repository.above)?;
    let prefix = (&info.prefix, &repository.below);
    Some(match prefix.0.is_empty() && prefix.1.is_empty() {
        true => Cow::Borrowed(inner),
        false => Cow::Owned(format!("{}{}{inner}", prefix.0, prefix.1)),
    })
}

/// The repositories whose files are in the roots: around or at a root, their submodules, and those directly in a root
/// that is in none.
fn repositories(snapshot: &Snapshot) -> Vec<(&RootInfo, Repository)> {
    let mut found: Vec<(&RootInfo, Repository)> = Vec::new();
    for (info, handle) in snapshot.roots.iter().zip(snapshot.handles.iter()) {
        if handle.is_none() {
            continue;
        }
        let mut open: Vec<Repository> = match info.path.ancestors().find(|folder| folder.join(".git").exists()) {
            Some(top) => around(top, &info.path).into_iter().collect(),
            None => inside(snapshot, info),
        };
        while let Some(repository) = open.pop() {
            if found.len() >= MAX_REPOSITORIES {
                break;
            }
            let all = entries(snapshot, &repository);
            for entry in all.iter().filter(|entry| entry.kind == TrackedKind::Submodule) {
                let Some(inner) = entry.path.strip_prefix(&repository.above) else { continue };
                let work_tree = repository.work_tree.join(&entry.path);
                if work_tree.join(".git").exists() {
                    let below = format!("{}{inner}/", repository.below);
                    open.push(Repository { work_tree, below, above: String::new(), is_submodule: true });
                }
            }
            found.push((info, repository));
        }
    }
    found
}

fn around(top: &Path, root: &Path) -> Option<Repository> {
    let above = root.strip_prefix(top).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
    let above = if above.is_empty() { above } else { format!("{above}/") };
    Some(Repository { work_tree: top.to_owned(), below: String::new(), above, is_submodule: false })
}

fn inside(snapshot: &Snapshot, info: &RootInfo) -> Vec<Repository> {
    let mut tops: Vec<&str> = snapshot
        .files
        .iter()
        .filter_map(|file| file.path.as_str().strip_prefix(&*info.prefix)?.split_once('/'))
        .map(|(top, _)| top)
        .collect();
    tops.dedup();
    let of = |top: &str| Repository {
        work_tree: info.path.join(top),
        below: format!("{top}/"),
        above: String::new(),
        is_submodule: false,
    };
    tops.into_iter().map(of).filter(|repository| repository.work_tree.join(".git").exists()).collect()
}
