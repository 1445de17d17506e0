//! Several repositories in one index: their names, their places, and what is refused.

use std::path::{Path, PathBuf};

use m1nd_history::GitFolder;

use crate::error::EngineError;

/// Maximum number of repositories of a federation.
pub const MAX_MEMBERS: usize = 256;
/// Maximum length of a name, in bytes.
const MAX_NAME: usize = 100;
/// Names that ids of nodes begin with.
const RESERVED: &[&str] = &["file", "external", "config"];

/// A repository of a federation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name, which ids and paths of its files begin with.
    pub name: String,
    /// Its folder: absolute, without links if it exists.
    pub path: PathBuf,
}

impl Member {
    /// The repository at a path, which counts from `workspace` if it is relative.
    pub fn at(name: String, path: &Path, workspace: &Path) -> Self {
        let path = workspace.join(path);
        Self { name, path: std::fs::canonicalize(&path).unwrap_or(path) }
    }

    /// Returns whether a repository can have this name.
    pub fn can_be_named(name: &str) -> bool {
        check_name(name).is_ok()
    }

    /// Returns whether its folder is there now.
    pub fn is_there(&self) -> bool {
        self.path.is_dir()
    }
}

/// Repositories that are one index. The files of `backend` have paths below `backend/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Federation {
    workspace: PathBuf,
    members: Vec<Member>,
    /// Names of repositories that belong to it and may not be read.
    left_out: Vec<String>,
}

impl Federation {
    /// A federation of these repositories, sorted by name, whose state belongs to the folder `workspace`. A repository
    /// may be missing on disk: its files come back with it.
    ///
    /// # Errors
    /// [`EngineError::BadRequest`] for none or too many repositories, a name that cannot begin an id or is given twice,
    /// and for a repository inside another one.
    pub fn new(workspace: PathBuf, members: Vec<Member>) -> Result<Self, EngineError> {
        let mut members: Vec<Member> = members
            .into_iter()
            .map(|member| Member { path: std::fs::canonicalize(&member.path).unwrap_or(member.path), ..member })
            .collect();
        members.sort_by(|a, b| a.name.cmp(&b.name));
        check(&members).map_err(EngineError::BadRequest)?;
        for member in &members {
            m1nd_vfs::check_not_version_control(&member.path)?;
        }
        Ok(Self { workspace, members, left_out: Vec::new() })
    }

    /// The federation, of which these repositories may not be read.
    #[must_use]
    pub fn without(self, left_out: Vec<String>) -> Self {
        Self { left_out, ..self }
    }

    /// Repositories whose code is not known: they may not be read, or are gone. What they use of the others is unknown.
    pub fn unread(&self) -> Vec<&str> {
        let gone = self.members.iter().filter(|member| !member.is_there()).map(|member| &*member.name);
        self.left_out.iter().map(String::as_str).chain(gone).collect()
    }

    /// The folder that its state belongs to.
    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Its repositories, by name.
    pub fn members(&self) -> &[Member] {
        &self.members
    }
}

/// Says why these cannot be one index. They are sorted by name.
fn check(members: &[Member]) -> Result<(), String> {
    if members.is_empty() || members.len() > MAX_MEMBERS {
        return Err(format!("a federation has 1 to {MAX_MEMBERS} repositories, received {}", members.len()));
    }
    for member in members {
        check_name(&member.name)?;
        if !member.path.is_absolute() {
            return Err(format!(
                "repository `{}` has the path `{}`, expected an absolute one",
                member.name,
                member.path.display()
            ));
        }
    }
    if let Some(pair) = members.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(format!("two repositories are named `{}`; give one of them another name", pair[0].name));
    }
    let mut by_path: Vec<&Member> = members.iter().collect();
    by_path.sort_by(|a, b| a.path.cmp(&b.path));
    if let Some((one, other)) = same_repository(members) {
        return Err(format!(
            "repositories `{}` and `{}` are work trees of the same repository, whose code would be there twice; leave one out",
            one.name, other.name
        ));
    }
    // Paths compare by components, so a folder is followed by all that is inside it.
    match by_path.windows(2).find(|pair| pair[1].path.starts_with(&pair[0].path)) {
        Some(pair) if pair[0].path == pair[1].path => Err(format!(
            "repositories `{}` and `{}` are the same folder `{}`; leave one out",
            pair[0].name,
            pair[1].name,
            pair[0].path.display()
        )),
        Some(pair) => Err(format!(
            "repository `{}` is inside repository `{}`, which has its files already; leave one of them out",
            pair[1].name, pair[0].name
        )),
        None => Ok(()),
    }
}

/// Two members that are work trees of one repository. A submodule is a repository of its own.
fn same_repository(members: &[Member]) -> Option<(&Member, &Member)> {
    let folders: Vec<_> =
        members.iter().filter_map(|member| Some((member, GitFolder::find(&member.path).ok()?))).collect();
    folders.iter().enumerate().filter(|(_, (_, git))| git.is_linked()).find_map(|(at, (member, git))| {
        let mut others = folders.iter().enumerate().filter(|(other, _)| *other != at);
        others.find(|(_, (_, other))| git.is_of_same(other)).map(|(_, (other, _))| (*member, *other))
    })
}

fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_taken = RESERVED.contains(&name);
    if name.is_empty() || name.len() > MAX_NAME || name.starts_with('.') || !name.chars().all(is_plain) || is_taken {
        let shown: String = name.chars().take(80).collect();
        return Err(format!(
            "`{shown}` cannot be the name of a repository; expected letters, digits, `-`, `_` and `.`, not beginning with `.`, and none of {}",
            RESERVED.join(", ")
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refuse_members(members: &[(&str, &str)]) -> String {
        let members = members.iter().map(|(name, path)| Member { name: (*name).into(), path: path.into() }).collect();
        Federation::new("/w".into(), members).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn only_repositories_beside_each_other_are_one() {
        let rows: &[(&[(&str, &str)], &str)] = &[
            (&[("b", "/none/b"), ("a", "/none/a")], ""),
            (&[("a", "/none/a"), ("ab", "/none/ab")], ""),
            (&[], "a federation has 1 to 256"),
            (&[("a", "/none/a"), ("a", "/none/b")], "two repositories are named `a`"),
            (&[("a", "/none/a"), ("b", "/none/a")], "are the same folder"),
            (&[("a", "/none/a/b"), ("b", "/none/a"), ("c", "/none/a-b")], "`a` is inside repository `b`"),
            (&[("a", "none")], "expected an absolute one"),
            (&[("file", "/none")], "cannot be the name"),
            (&[("../x", "/none")], "cannot be the name"),
            (&[("a::b", "/none")], "cannot be the name"),
            (&[("", "/none")], "cannot be the name"),
            (&[(".git", "/none")], "cannot be the name"),
        ];
        for (members, expected) in rows {
            let found = refuse_members(members);
            assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{members:?}: {found}");
        }
    }
}
