//! Resolves what people write for a commit: branches, tags, abbreviated names, `HEAD~3`.

use gix_hash::ObjectId;

use crate::contents::{CommitId, Contents};
use crate::{GitFolder, NoHistory};

/// Longest text of a revision, in bytes.
const MAX_TEXT: usize = 500;
/// Farthest ancestor that is looked for.
const MAX_STEPS: usize = 100_000;
/// Fewest digits of an abbreviated name.
const LEAST_DIGITS: usize = 4;
/// Folders of references in which a name is looked up, in git's order.
const FOLDERS: [&str; 4] = ["", "refs/tags/", "refs/heads/", "refs/remotes/"];

/// The reason why a text names no commit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoRevision {
    /// Nothing has this name.
    #[error("no branch, tag or commit is named `{0}`")]
    NotFound(String),
    /// Several objects begin with these digits.
    #[error("several commits begin with `{0}`")]
    Ambiguous(String),
    /// The commit is known, but its ancestor is not there: before the first one, or behind the end of a shallow clone.
    #[error("`{0}` goes back further than the commits that are there")]
    TooFar(String),
    /// The repository cannot be read.
    #[error(transparent)]
    NoHistory(#[from] NoHistory),
}

impl Contents {
    /// The commit that a text names: `HEAD` or `@`, a branch, a tag, a commit by at least four digits of its name; each
    /// with `~N`, `^` or `^N` behind it.
    ///
    /// # Errors
    /// [`NoRevision`].
    pub fn resolve(&self, git: &GitFolder, text: &str) -> Result<CommitId, NoRevision> {
        let text = text.trim();
        let shown = || text.chars().take(80).collect::<String>();
        if text.is_empty() || text.len() > MAX_TEXT {
            return Err(NoRevision::NotFound(shown()));
        }
        let (name, steps) = text.split_at(text.find(['~', '^']).unwrap_or(text.len()));
        let mut id = self.find_named(git, name)?;
        for step in steps_of(steps).ok_or_else(|| NoRevision::NotFound(shown()))? {
            id = self.step(id, step).ok_or_else(|| NoRevision::TooFar(shown()))?;
        }
        Ok(CommitId(id))
    }

    fn find_named(&self, git: &GitFolder, name: &str) -> Result<ObjectId, NoRevision> {
        let not_found = || NoRevision::NotFound(name.chars().take(80).collect());
        if matches!(name, "HEAD" | "@") {
            return Ok(git.head()?.id);
        }
        let references = FOLDERS.iter().filter_map(|folder| git.find_named(&format!("{folder}{name}")));
        if let Some(id) = references.into_iter().find_map(|id| self.objects.peel_tags(id)) {
            return Ok(id);
        }
        let is_name = (LEAST_DIGITS..=40).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_name {
            return Err(not_found());
        }
        match self.objects.with_prefix(&name.to_ascii_lowercase()) {
            Some(Ok(id)) => self.objects.peel_tags(id).ok_or_else(not_found),
            Some(Err(())) => Err(NoRevision::Ambiguous(name.to_owned())),
            None => Err(not_found()),
        }
    }

    fn step(&self, from: ObjectId, step: Step) -> Option<ObjectId> {
        match step {
            Step::Parent(0) => Some(from),
            Step::Parent(number) => self.objects.commit(&from)?.parents.get(number - 1).copied(),
            Step::Back(count) => {
                let mut id = from;
                for _ in 0..count {
                    id = *self.objects.commit(&id)?.parents.first()?;
                }
                Some(id)
            }
        }
    }
}

/// A step from a commit to an ancestor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// So many times to the first parent.
    Back(usize),
    /// To the parent of this number.
    Parent(usize),
}

/// Parses `~2^2~`; `None` if it is something else.
fn steps_of(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = text;
    while let Some(mark) = rest.chars().next() {
        let behind = rest.strip_prefix(['~', '^'])?;
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        let number = match &behind[..digits] {
            "" => 1,
            digits => digits.parse::<usize>().ok().filter(|number| *number <= MAX_STEPS)?,
        };
        steps.push(if mark == '~' { Step::Back(number) } else { Step::Parent(number) });
        rest = &behind[digits..];
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_behind_a_name() {
        assert_eq!(steps_of(""), Some(vec![]));
        assert_eq!(steps_of("~3^2~"), Some(vec![Step::Back(3), Step::Parent(2), Step::Back(1)]));
        for bad in ["~x", "^{tree}", "~999999999999", "^ä"] {
            assert_eq!(steps_of(bad), None, "{bad}");
        }
    }
}
