//! What version control tracks beside what a walk lists: files added although a rule ignores them, files that a sparse
//! checkout leaves out, submodules that are not walked.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use m1nd_base::{Cancelled, Problem, ProblemKind, RepoPath, Tracked, TrackedKind};

use crate::ignores::Ignores;
use crate::walk::{Tree, Walk, Walker};
use crate::{Root, defaults, is_version_control};

/// Most files of a sparse checkout that are listed one by one; of more, the folders at the top are.
const MAX_SPARSE_ROWS: usize = 200;

/// A repository whose files are below a root.
struct Repository<'r> {
    /// Top of its work tree.
    work_tree: std::path::PathBuf,
    /// Prefix that makes a path in the repository one in the root.
    below: String,
    /// Prefix of the paths in the repository that are in the root.
    above: String,
    folders: &'r HashMap<&'r str, &'r Ignores>,
}

/// Why a walk does not list a tracked file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeftOut {
    /// A rule of git ignores it, so somebody added it on purpose.
    ByGit,
    /// Its name, a folder's name, or a rule for search tools.
    ByName,
}

impl Walker<'_> {
    /// Adds what version control tracks to a tree of the whole root.
    pub(crate) fn add_tracked(&self, tree: &mut Tree) -> Result<(), Cancelled> {
        let Some(source) = self.tracked_source() else { return Ok(()) };
        let folders: HashMap<&str, &Ignores> =
            tree.folders.iter().map(|(path, ignores)| (path.as_str(), ignores)).collect();
        let mut found = Found::default();
        for repository in repositories(self.root(), &tree.walk.repositories, &folders) {
            self.check()?;
            if let Some(tracked) = source.list_tracked(&repository.work_tree) {
                self.compare(&repository, &tracked, &tree.walk, &mut found);
            }
        }
        let Found { forced, mut rows, sparse } = found;
        for path in forced {
            if let Ok(meta) = self.root().own_metadata(&path) {
                tree.walk.files.push((path.clone(), meta));
                tree.forced.push(path);
            }
        }
        rows.extend(sparse_rows(sparse));
        let is_known = |path: &str| tree.walk.skipped.binary_search_by(|(known, _)| known.as_str().cmp(path)).is_ok();
        rows.retain(|(path, _)| !is_known(path));
        tree.walk.skipped.extend(rows);
        tree.walk.skipped.sort_by(|a, b| a.0.cmp(&b.0));
        tree.walk.files.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(())
    }

    /// Finds tracked paths that are not among the listed files. Both are sorted by path.
    fn compare(&self, repository: &Repository<'_>, tracked: &[Tracked], walk: &Walk, found: &mut Found) {
        let mut listed = walk.files.iter().map(|(path, _)| path.as_str()).skip_while(|path| *path < &*repository.below);
        let mut next = listed.next();
        for entry in tracked {
            let Some(path) = entry.path.strip_prefix(&repository.above) else { continue };
            let path = format!("{}{path}", repository.below);
            while next.is_some_and(|listed| listed < path.as_str()) {
                next = listed.next();
            }
            if next == Some(path.as_str()) {
                continue;
            }
            match entry.kind {
                TrackedKind::File | TrackedKind::Folder if entry.is_sparse && !self.is_left_out_by_name(&path) => {
                    found.sparse.push(path);
                }
                TrackedKind::File if self.left_out(&path, repository.folders) == LeftOut::ByGit => {
                    found.forced.extend(RepoPath::new(&path));
                }
                TrackedKind::Submodule if walk.repositories.binary_search(&path).is_err() => {
                    let detail = self.submodule_detail(&path);
                    found.rows.push((path, Problem::new(ProblemKind::Submodule, detail)));
                }
                _ => {}
            }
        }
    }

    fn submodule_detail(&self, path: &str) -> String {
        if self.root().dir().symlink_metadata(format!("{path}/.git")).is_ok() {
            let folder = path.split('/').find(|name| defaults::is_default_folder(name)).unwrap_or(path);
            format!(
                "a submodule that a rule or the name of a folder leaves out; the line `!{folder}/` in `.ignore` includes it"
            )
        } else {
            format!("a submodule that is not checked out; `git submodule update --init {path}` does that")
        }
    }

    /// Finds out why a tracked file is not listed.
    fn left_out(&self, path: &str, folders: &HashMap<&str, &Ignores>) -> LeftOut {
        if self.is_left_out_by_name(path) {
            return LeftOut::ByName;
        }
        let mut parent = "";
        for (end, _) in path.match_indices('/') {
            let folder = &path[..end];
            if !folders.contains_key(folder) {
                return decide(folders.get(parent), folder, true);
            }
            parent = folder;
        }
        decide(folders.get(parent), path, false)
    }

    /// Returns whether a file is not listed because of a name on its path, whatever the rules say.
    fn is_left_out_by_name(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        path.split('/').any(|part| is_version_control(part) || defaults::is_skipped_folder(part))
            || !self.shows(path)
            || (defaults::is_secret(name) && !self.names(path))
    }
}

fn decide(ignores: Option<&&Ignores>, path: &str, is_folder: bool) -> LeftOut {
    match ignores.is_some_and(|ignores| ignores.is_by_git(path, is_folder)) {
        true => LeftOut::ByGit,
        false => LeftOut::ByName,
    }
}

#[derive(Default)]
struct Found {
    /// Files that git ignores and tracks.
    forced: Vec<RepoPath>,
    rows: Vec<(String, Problem)>,
    /// Paths that a sparse checkout leaves out.
    sparse: Vec<String>,
}

fn sparse_rows(paths: Vec<String>) -> Vec<(String, Problem)> {
    let problem = |detail: String| Problem::new(ProblemKind::NotCheckedOut, detail);
    if paths.len() <= MAX_SPARSE_ROWS {
        let row = |path: String| {
            let folder = path.rsplit_once('/').map_or("/", |(folder, _)| folder);
            let detail =
                format!("tracked, but left out by a sparse checkout; `git sparse-checkout add {folder}` includes it");
            (path, problem(detail))
        };
        return paths.into_iter().map(row).collect();
    }
    let mut tops: BTreeMap<String, usize> = BTreeMap::new();
    for path in paths {
        let top = path.split_once('/').map_or(&*path, |(top, _)| top).to_owned();
        *tops.entry(top).or_default() += 1;
    }
    let row = |(top, count): (String, usize)| {
        let detail = format!(
            "{count} tracked files or folders are left out by a sparse checkout; `git sparse-checkout add {top}` includes them"
        );
        (top, problem(detail))
    };
    tops.into_iter().map(row).collect()
}

/// The repositories whose files are below the root: the one around it, and those in it.
fn repositories<'r>(root: &Root, inside: &[String], folders: &'r HashMap<&'r str, &'r Ignores>) -> Vec<Repository<'r>> {
    let mut found = Vec::new();
    if !inside.iter().any(String::is_empty)
        && let Some(top) = root.path().ancestors().skip(1).find(|folder| folder.join(".git").exists())
        && let Some(above) = root.path().strip_prefix(top).ok().and_then(Path::to_str)
    {
        let above = format!("{}/", above.replace(std::path::MAIN_SEPARATOR, "/"));
        found.push(Repository { work_tree: top.to_owned(), below: String::new(), above, folders });
    }
    let inside = inside.iter().map(|folder| Repository {
        work_tree: if folder.is_empty() { root.path().to_owned() } else { root.path().join(folder) },
        below: if folder.is_empty() { String::new() } else { format!("{folder}/") },
        above: String::new(),
        folders,
    });
    found.extend(inside);
    found
}
