use std::path::Path;

use m1nd_base::RepoPath;

use crate::Root;

/// Name of the git folder in a root.
const FOLDER: &str = ".git";
/// Maximum size of a `HEAD` or reference file, in bytes.
const MAX_REFERENCE: u64 = 4 << 10;
/// Maximum length of a branch name, in bytes.
const MAX_BRANCH: usize = 255;
/// Maximum size of the packed references, in bytes.
const MAX_PACKED: u64 = 32 << 20;

/// The checked-out branch and commit of a root, read from git's files without running git.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitHead {
    /// Branch; `None` when a commit is checked out directly.
    pub branch: Option<String>,
    /// Commit, in hexadecimal; `None` before the first one, or if it is stored in an unsupported format.
    pub head: Option<String>,
    /// The root has a git folder, but it is elsewhere (a linked worktree or a submodule) and is not read.
    pub is_elsewhere: bool,
}

impl Root {
    /// Returns the checked-out state; `None` if the root is not the top of a git repository. Reads inside the root
    /// only.
    pub fn git_head(&self) -> Option<GitHead> {
        let file = |inner: &str| RepoPath::new(&format!("{FOLDER}/{inner}")).ok();
        let read = |inner: &str, limit| String::from_utf8(self.read_any(&file(inner)?, limit).ok()?).ok();
        let Some(head) = read("HEAD", MAX_REFERENCE) else {
            let link = RepoPath::new(FOLDER).ok().and_then(|path| self.read_any(&path, MAX_REFERENCE).ok())?;
            return link.starts_with(b"gitdir:").then(|| GitHead { is_elsewhere: true, ..GitHead::default() });
        };
        let head = head.trim();
        let Some(reference) = head.strip_prefix("ref:").map(str::trim) else {
            return Some(GitHead { head: commit(head), ..GitHead::default() });
        };
        // With reftables, git writes a name here that no branch can have.
        let branch = reference
            .strip_prefix("refs/heads/")
            .filter(|name| *name != ".invalid" && name.len() <= MAX_BRANCH)
            .map(str::to_owned);
        let found = read(reference, MAX_REFERENCE).as_deref().and_then(commit);
        let found = found.or_else(|| find_packed(&read("packed-refs", MAX_PACKED)?, reference));
        Some(GitHead { branch, head: found, is_elsewhere: false })
    }
}

fn find_packed(list: &str, reference: &str) -> Option<String> {
    let line = list.lines().find(|line| line.split_once(' ').is_some_and(|(_, name)| name.trim() == reference))?;
    commit(line.split(' ').next()?)
}

/// Returns the text if it is a commit id.
fn commit(text: &str) -> Option<String> {
    let text = text.trim();
    (matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| text.to_owned())
}

/// Returns whether the folder at `path`, which holds a file `.git`, is a linked worktree of a repository whose other
/// checkout is at, around or in the root, so that it would be indexed twice.
pub(crate) fn is_second_checkout(root: &Root, path: &str) -> bool {
    let common = |text: &str, folder: &Path| {
        let own = std::fs::canonicalize(folder.join(text.trim().strip_prefix("gitdir:")?.trim())).ok()?;
        let is_linked = own.parent()?.file_name()? == "worktrees";
        Some(if is_linked { own.parent()?.parent()?.to_owned() } else { own })
    };
    let read = |path: &str| {
        let bytes = root.read_any(&RepoPath::new(path).ok()?, MAX_REFERENCE).ok()?;
        String::from_utf8(bytes).ok()
    };
    let Some(text) = read(&format!("{path}/.git")) else { return false };
    if !text.contains("/worktrees/") {
        return false;
    }
    let Some(shared) = common(&text, &root.path().join(path)) else { return false };
    if read(".git").and_then(|text| common(&text, root.path())) == Some(shared.clone()) {
        return true;
    }
    // A bare repository has no checkout of its own.
    let has_checkout = shared.file_name().is_some_and(|name| name == ".git") && shared.join("index").is_file();
    let main = shared.parent().filter(|_| has_checkout);
    main.is_some_and(|main| root.path().starts_with(main) || main.starts_with(root.path()))
}

#[cfg(test)]
mod tests {
    use m1nd_testkit::TempTree;

    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    fn show_head(files: &[(&str, &str)]) -> String {
        let tree = TempTree::new("//- a.py\nx = 1\n");
        for (path, text) in files {
            tree.write(path, text);
        }
        let Some(git) = Root::open(tree.path()).expect("a root").git_head() else { return "none".to_owned() };
        let head = git.head.map_or("-".to_owned(), |head| head.len().to_string());
        format!(
            "{} {head} {}",
            git.branch.as_deref().unwrap_or("-"),
            if git.is_elsewhere { "elsewhere" } else { "here" }
        )
    }

    #[test]
    fn what_is_checked_out_is_read() {
        let packed =
            format!("# pack-refs with: peeled\n{COMMIT} refs/heads/other\n{COMMIT} refs/heads/feature/x\n^{COMMIT}\n");
        let cases: &[(&[(&str, &str)], &str)] = &[
            (&[], "none"),
            (&[(".git/HEAD", "ref: refs/heads/main\n"), (".git/refs/heads/main", COMMIT)], "main 40 here"),
            (&[(".git/HEAD", "ref: refs/heads/feature/x\n"), (".git/packed-refs", &packed)], "feature/x 40 here"),
            (&[(".git/HEAD", "ref: refs/heads/new\n")], "new - here"),
            (&[(".git/HEAD", COMMIT)], "- 40 here"),
            (&[(".git/HEAD", "ref: ../../../etc/passwd\n")], "- - here"),
            (&[(".git/HEAD", "ref: refs/heads/.invalid\n")], "- - here"),
            (&[(".git/HEAD", "secret text")], "- - here"),
            (&[(".git", "gitdir: /elsewhere/.git/worktrees/x\n")], "- - elsewhere"),
        ];
        for (files, expected) in cases {
            assert_eq!(show_head(files), *expected, "{files:?}");
        }
    }
}
