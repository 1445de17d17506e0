//! Reads the repositories of these tests.

use m1nd_base::Cancel;
use m1nd_history::{GitFolder, History, NoHistory, ReadLimits, read};

use crate::repository::Repository;

impl Repository {
    pub(crate) fn read(&self) -> Result<History, NoHistory> {
        self.read_after(None, &ReadLimits::default())
    }

    pub(crate) fn history(&self) -> History {
        self.read().expect("a history")
    }

    pub(crate) fn read_after(&self, known: Option<&History>, limits: &ReadLimits) -> Result<History, NoHistory> {
        let git = GitFolder::find(self.tree.path())?;
        read(&git, &git.head()?, known, limits, &Cancel::new())
    }
}

/// Subjects of the commits of a file, newest first.
pub(crate) fn subjects(history: &History, path: &str) -> Vec<String> {
    history.file(path).map_or_else(Vec::new, |file| file.commits().map(|commit| commit.subject.to_string()).collect())
}
