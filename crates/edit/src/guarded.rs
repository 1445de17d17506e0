//! Files that other programs run or trust: written only where a person allowed it, since a client that guards them
//! against its agent does not see a write by this program.

use std::fmt::Debug;
use std::path::Path;
use std::sync::LazyLock;

use m1nd_base::RepoPath;

use crate::EditError;

/// The list, see the file.
const LIST: &str = include_str!("guarded.txt");

/// What is said of a file outside of the list that the configuration of a repository names.
pub const RUN_BY_GIT: &str = "git runs it or takes settings from it, as the configuration of the repository says";

/// What a person allowed.
pub trait Allowances: Debug + Send + Sync {
    /// Returns whether this file of a root may be written although other programs run or trust it.
    fn is_allowed(&self, root: &Path, path: &RepoPath) -> bool;

    /// Returns whether git runs this file of a root, because the configuration of the repository names it or a folder
    /// around it. Such a file is guarded as those of the list are.
    fn is_run_by_git(&self, root: &Path, path: &RepoPath) -> bool;
}

/// Nothing is allowed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NoAllowances;

impl Allowances for NoAllowances {
    fn is_allowed(&self, _: &Path, _: &RepoPath) -> bool {
        false
    }

    fn is_run_by_git(&self, _: &Path, _: &RepoPath) -> bool {
        false
    }
}

/// A row of the list.
struct Guarded {
    /// Names of the path, in small letters.
    names: Vec<String>,
    /// All below the folder counts.
    is_folder: bool,
    who: &'static str,
}

static ROWS: LazyLock<Vec<Guarded>> = LazyLock::new(|| {
    let rows = LIST.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
    let row = |(path, who): (&'static str, &'static str)| Guarded {
        names: path.trim_end_matches('/').split('/').map(fold_name).collect(),
        is_folder: path.ends_with('/'),
        who: who.trim(),
    };
    rows.map(row).collect()
});

/// Who runs or trusts the file at a path in a root; `None` if it is an ordinary file.
pub fn guarded_by(path: &RepoPath) -> Option<&'static str> {
    let names: Vec<String> = path.as_str().split('/').map(fold_name).collect();
    ROWS.iter().find(|row| row.matches(&names)).map(|row| row.who)
}

/// Refuses a guarded file that no person allowed.
pub(crate) fn check(allowances: &dyn Allowances, root: &Path, inner: &RepoPath, shown: &str) -> Result<(), EditError> {
    let run_by_git = || allowances.is_run_by_git(root, inner).then_some(RUN_BY_GIT);
    match guarded_by(inner).or_else(run_by_git) {
        Some(who) if !allowances.is_allowed(root, inner) => {
            Err(EditError::Guarded { path: shown.to_owned(), who, inner: inner.as_str().to_owned() })
        }
        _ => Ok(()),
    }
}

impl Guarded {
    /// Whether the row's names stand in a path: at its end, or for a folder before it.
    fn matches(&self, names: &[String]) -> bool {
        let is_at = |at: usize| {
            let there = names[at..at + self.names.len()].iter();
            there.zip(&self.names).all(|(name, pattern)| matches_name(name, pattern))
        };
        let Some(last) = names.len().checked_sub(self.names.len()) else { return false };
        // A file in the place of the folder would be one as well.
        if self.is_folder { (0..=last).any(is_at) } else { is_at(last) }
    }
}

/// A name as file systems compare it that ignore case, characters without a width, and endings.
fn fold_name(name: &str) -> String {
    let seen = name.chars().filter(|c| !m1nd_vfs::is_ignored_in_names(*c)).flat_map(char::to_lowercase);
    let seen: String = seen.collect();
    seen.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']).to_owned()
}

/// Compares with a pattern that may have one `*`.
fn matches_name(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((start, end)) => name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guarded_and_ordinary_files() {
        let is_guarded = |path: &str| guarded_by(&RepoPath::new(path).expect("a path")).is_some();
        for path in [
            ".claude/settings.json", ".claude/hooks/a.sh", "web/.claude/settings.local.json", ".CLAUDE/settings.json",
            ".cursor/mcp.json", ".vscode/tasks.json", "a/b/.vscode/settings.json", "x.code-workspace",
            ".github/workflows/ci.yml", ".github/workflows/deep/x.yml", ".GitHub/Workflows/ci.yml", ".gitlab-ci.yml",
            ".git/hooks/pre-commit", ".husky/pre-commit", ".ssh/authorized_keys", ".bashrc", ".zshrc", ".profile",
            ".mind/config.toml", ".envrc", "sub/.envrc", ".mcp.json", ".idea/workspace.xml",
            ".devcontainer/devcontainer.json", ".devcontainer.json", ".gitattributes", "sub/.gitattributes",
            ".gitmodules", ".gitconfig", ".pre-commit-config.yaml", "Jenkinsfile", "azure-pipelines-release.yml",
            ".vs\u{200c}code/tasks.json", ".npmrc", ".cargo/config.toml", ".config/fish/config.fish", ".vscode",
        ] {
            assert!(is_guarded(path), "{path}");
        }
        for path in [
            "src/main.rs", "CLAUDE.md", "AGENTS.md", ".gitignore", ".github/README.md",
            ".github/ISSUE_TEMPLATE/bug.md", "claude/settings.json", "docs/vscode/tasks.json",
            "github/workflows/ci.yml", ".mind/MEMORY.md", "config.toml", "m1nd.toml", "package.json", "Makefile",
            "hooks/useCart.ts", "src/hooks/index.ts", ".env.example", "workflows/ci.yml", "profile", "Cargo.toml",
            ".cargo/README.md", "code-workspace.md",
        ] {
            assert!(!is_guarded(path), "{path}");
        }
    }

    #[test]
    fn every_row_is_read() {
        let lines = LIST.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).count();
        assert_eq!(ROWS.len(), lines);
        assert!(
            ROWS.iter().all(|row| !row.who.is_empty() && row.names.iter().all(|name| name.matches('*').count() < 2))
        );
    }
}
