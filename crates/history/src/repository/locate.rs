//! Locates the git folder of a root and its checked-out commit, from a few small files.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use gix_hash::ObjectId;

use crate::NoHistory;
use crate::settings::find_setting;

/// Maximum size of small files (`HEAD`, a reference, `gitdir`), in bytes.
const MAX_SMALL: u64 = 16 << 10;
/// Maximum size of a file with settings, which has a few lines per branch, in bytes.
pub(crate) const MAX_CONFIG: u64 = 4 << 20;
/// Maximum size of a list of packed references or shallow commits, in bytes.
const MAX_LIST: u64 = 64 << 20;
/// Maximum length of a chain of symbolic references.
const MAX_SYMBOLIC: usize = 5;
/// Name of the git folder, or of the file that points to it.
const DOT_GIT: &str = ".git";
/// The branch that repositories with reftables write into `HEAD`.
const TABLE_BRANCH: &str = "refs/heads/.invalid";

/// The git folder of a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitFolder {
    /// Contains `HEAD`.
    own: PathBuf,
    /// Contains objects and references; differs from `own` in linked worktrees.
    common: PathBuf,
}

/// The checked-out commit. Equal heads have equal histories, unless the repository is damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub(crate) id: ObjectId,
    /// Commits whose parents are known to be missing, sorted.
    pub(crate) shallow: Vec<ObjectId>,
    /// When packs of objects were last added or removed, in nanoseconds since 1970; 0 if that is not known.
    pub(crate) packed: i64,
}

impl Head {
    /// Object id in hexadecimal.
    pub fn commit(&self) -> String {
        self.id.to_hex().to_string()
    }
}

impl GitFolder {
    /// Finds the git folder of the root at `root`, a canonical path. A folder outside of the root is only accepted if
    /// it names the root as its own (a linked worktree, a submodule), so that a file in a project cannot make us read
    /// another project.
    ///
    /// # Errors
    /// [`NoHistory::NotARepository`], [`NoHistory::Elsewhere`] or [`NoHistory::Unreadable`].
    pub fn find(root: &Path) -> Result<Self, NoHistory> {
        let link = root.join(DOT_GIT);
        let meta = std::fs::symlink_metadata(&link).map_err(|_| NoHistory::NotARepository)?;
        if meta.is_dir() {
            let is_one = link.join("HEAD").is_file();
            return if is_one { Ok(Self { own: link.clone(), common: link }) } else { Err(NoHistory::NotARepository) };
        }
        if !meta.is_file() {
            return Err(NoHistory::Elsewhere(link));
        }
        let text = small(&link).ok_or(NoHistory::NotARepository)?;
        let named = text.strip_prefix("gitdir:").map(str::trim).ok_or(NoHistory::NotARepository)?;
        let elsewhere = || NoHistory::Elsewhere(PathBuf::from(named));
        let own = std::fs::canonicalize(root.join(named)).map_err(|_| elsewhere())?;
        if let Some(back) = small(&own.join("gitdir")) {
            // A linked worktree: its folder is at `<common>/worktrees/<name>`.
            let back = std::fs::canonicalize(own.join(back.trim())).map_err(|_| elsewhere())?;
            let common = small(&own.join("commondir")).and_then(|text| own.join(text.trim()).canonicalize().ok());
            let above = own.parent().and_then(Path::parent).map(Path::to_path_buf);
            return match common {
                Some(common) if back == link && Some(&common) == above.as_ref() => Ok(Self { own, common }),
                _ => Err(elsewhere()),
            };
        }
        let claims = work_tree(&own).and_then(|tree| own.join(tree).canonicalize().ok());
        if own.starts_with(root) || claims.as_deref() == Some(root) {
            Ok(Self { common: own.clone(), own })
        } else {
            Err(elsewhere())
        }
    }

    /// Returns whether it belongs to a linked worktree (`git worktree add`).
    pub fn is_linked(&self) -> bool {
        self.own != self.common
    }

    /// The main work tree of the repository that this linked one belongs to; `None` for others, and if the repository
    /// has none.
    pub fn main_work_tree(&self) -> Option<PathBuf> {
        let is_in_tree = self.is_linked() && self.common.file_name().is_some_and(|name| name == DOT_GIT);
        is_in_tree.then(|| self.common.parent().map(Path::to_path_buf))?
    }

    /// Returns whether both belong to worktrees of one repository on this machine.
    pub fn is_of_same(&self, other: &Self) -> bool {
        let real = |folder: &Path| std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        real(&self.common) == real(&other.common)
    }

    /// The address that it was cloned from (`origin`), without credentials.
    pub fn address(&self) -> Option<String> {
        let text = text_of(&self.common.join("config"), MAX_CONFIG)?;
        let address = find_setting(&text, "remote origin", "url")?;
        let Some((scheme, rest)) = address.split_once("://") else { return Some(address.to_owned()) };
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let host = host.rsplit('@').next().unwrap_or(host);
        Some(format!("{scheme}://{host}/{path}"))
    }

    /// The name of the repository, the same in every clone: host and path that it was cloned from, without what differs
    /// between clones (scheme, user, port, `.git`). `None` if it was cloned from nowhere, or from a folder, whose path
    /// is of this machine.
    pub fn repository_name(&self) -> Option<String> {
        name_of_address(&self.address()?)
    }

    /// The last two parts of the address that it was cloned from (`origin`): owner and name, without `.git`. The owner
    /// is empty if the address has none.
    pub fn origin(&self) -> Option<(String, String)> {
        let address = self.address()?;
        let address = address.trim_end_matches('/');
        let mut parts = address.strip_suffix(".git").unwrap_or(address).rsplit(['/', ':']);
        let name = parts.next().filter(|name| !name.is_empty())?;
        let is_host = |part: &str| part.is_empty() || part.contains(['.', '@']);
        let owner = parts.next().filter(|owner| !is_host(owner)).unwrap_or_default();
        Some((owner.to_owned(), name.to_owned()))
    }

    /// Reads the checked-out commit.
    ///
    /// # Errors
    /// [`NoHistory::NoCommits`], [`NoHistory::Unsupported`] or [`NoHistory::Unreadable`].
    pub fn head(&self) -> Result<Head, NoHistory> {
        let unreadable = || NoHistory::Unreadable("`HEAD` is missing or too large".into());
        let mut text = small(&self.own.join("HEAD")).ok_or_else(unreadable)?;
        for _ in 0..MAX_SYMBOLIC {
            let Some(name) = text.trim().strip_prefix("ref:").map(str::trim) else {
                return Ok(Head {
                    id: commit_name(text.trim())?,
                    shallow: self.shallow(),
                    packed: self.read_pack_time(),
                });
            };
            if name == TABLE_BRANCH {
                return Err(NoHistory::Unsupported("references in tables"));
            }
            text = self.reference(name).ok_or(NoHistory::NoCommits)?;
        }
        Err(NoHistory::Unreadable("`HEAD` leads through too many references".into()))
    }

    /// The folders in which something changes when another commit is checked out or created: that of the reflog of
    /// `HEAD` if there is one, else those of `HEAD`, of the branches and of the current branch (`heads/fix/x` is
    /// deeper).
    pub fn moved_in(&self) -> Vec<PathBuf> {
        let log = self.own.join("logs");
        match log.join("HEAD").is_file() {
            true => vec![log],
            false => {
                let heads = self.common.join("refs/heads");
                let head = small(&self.own.join("HEAD")).unwrap_or_default();
                let branch = head.trim().strip_prefix("ref:").map(str::trim).filter(|name| is_sound(name));
                let deeper = branch.and_then(|name| Some(self.common.join(name).parent()?.to_path_buf()));
                let deeper = deeper.filter(|folder| *folder != heads && folder.starts_with(&heads));
                [self.own.clone(), heads].into_iter().chain(deeper).collect()
            }
        }
    }

    /// The folder that contains `HEAD`.
    pub(crate) fn own(&self) -> &Path {
        &self.own
    }

    /// The folder that all work trees of the repository share.
    pub(crate) fn common(&self) -> &Path {
        &self.common
    }

    /// The objects folder.
    pub(crate) fn objects(&self) -> PathBuf {
        self.common.join("objects")
    }

    /// The object that a reference names, by its full name or `HEAD`'s kind of name (`ORIG_HEAD`).
    pub(crate) fn find_named(&self, name: &str) -> Option<ObjectId> {
        let mut text = match name.starts_with("refs/") {
            true => self.reference(name)?,
            false if name.ends_with("HEAD") && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') => {
                small(&self.own.join(name))?
            }
            false => return None,
        };
        for _ in 0..MAX_SYMBOLIC {
            match text.trim().strip_prefix("ref:").map(str::trim) {
                Some(name) => text = self.reference(name)?,
                None => return commit_name(text.split_whitespace().next()?).ok(),
            }
        }
        None
    }

    fn reference(&self, name: &str) -> Option<String> {
        if !is_sound(name) {
            return None;
        }
        let loose = small(&self.own.join(name)).or_else(|| small(&self.common.join(name)));
        loose.or_else(|| {
            let list = text_of(&self.common.join("packed-refs"), MAX_LIST)?;
            let rows = list.lines().filter_map(|line| line.split_once(' '));
            rows.into_iter().find(|(_, found)| found.trim() == name).map(|(id, _)| id.to_owned())
        })
    }

    fn read_pack_time(&self) -> i64 {
        let changed = std::fs::metadata(self.common.join("objects/pack")).and_then(|folder| folder.modified()).ok();
        let since = changed.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0)
    }

    fn shallow(&self) -> Vec<ObjectId> {
        let list = text_of(&self.common.join("shallow"), MAX_LIST).unwrap_or_default();
        let mut ids: Vec<ObjectId> = list.lines().filter_map(|line| commit_name(line.trim()).ok()).collect();
        ids.sort_unstable();
        ids
    }
}

fn commit_name(text: &str) -> Result<ObjectId, NoHistory> {
    if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(NoHistory::Unsupported("objects under SHA-256 names"));
    }
    ObjectId::from_hex(text.as_bytes()).map_err(|_| NoHistory::Unreadable("a reference holds no commit's name".into()))
}

/// Reads `core.worktree` of a git folder, to compare it with the root.
fn work_tree(own: &Path) -> Option<String> {
    find_setting(&text_of(&own.join("config"), MAX_CONFIG)?, "core", "worktree")
}

/// Host and path of an address, without scheme, user, port and `.git`.
fn name_of_address(address: &str) -> Option<String> {
    let (host, path) = match address.split_once("://") {
        Some((scheme, rest)) if scheme != "file" => rest.split_once('/')?,
        Some(_) => return None,
        // As ssh writes it. A slash or a single letter before the colon is a path.
        None => address.split_once(':').filter(|(host, _)| host.len() > 1 && !host.contains(['/', '\\']))?,
    };
    let host = host.rsplit('@').next()?.split(':').next()?.to_lowercase();
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    (!host.is_empty() && !path.is_empty()).then(|| format!("{host}/{path}"))
}

/// Returns whether a reference name stays within the references.
fn is_sound(name: &str) -> bool {
    name.starts_with("refs/") && name.split('/').all(|part| !part.is_empty() && part != "..")
}

fn small(path: &Path) -> Option<String> {
    text_of(path, MAX_SMALL)
}

/// Reads a regular file of at most `limit` bytes as text.
pub(crate) fn text_of(path: &Path, limit: u64) -> Option<String> {
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(limit + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > limit {
        return None;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_of_a_repository_have_one_name() {
        let rows = [
            ("https://github.com/owner/name.git", Some("github.com/owner/name")),
            ("https://GitHub.com/owner/name/", Some("github.com/owner/name")),
            ("git@github.com:owner/name.git", Some("github.com/owner/name")),
            ("ssh://git@github.com:22/owner/name.git/", Some("github.com/owner/name")),
            ("https://user:secret@gitlab.example.org:8443/a/b/c.git", Some("gitlab.example.org/a/b/c")),
            ("file:///users/ann/name", None),
            ("/users/ann/name", None),
            ("../name", None),
            ("C:\\users\\ann", None),
            ("https://example.org", None),
            ("https://example.org/", None),
            ("", None),
        ];
        for (address, expected) in rows {
            assert_eq!(name_of_address(address).as_deref(), expected, "{address}");
        }
    }

    #[test]
    fn a_clone_with_many_branches_has_its_address() {
        let folder = m1nd_testkit::TempTree::new("");
        folder.write(".git/HEAD", "ref: refs/heads/main\n");
        let branches: String = (0..2_000).map(|n| format!("[branch \"b{n}\"]\n\tremote = origin\n")).collect();
        let config = format!("{branches}[remote \"origin\"]\n\turl = https://example.org/a/b.git\n");
        folder.write(".git/config", &config);
        let found = GitFolder::find(folder.path()).expect("is found");
        assert_eq!(found.repository_name().as_deref(), Some("example.org/a/b"));
    }
}
