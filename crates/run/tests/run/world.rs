use std::path::{Path, PathBuf};

use m1nd_base::{Cancel, ContentHash, NoProgress};
use m1nd_run::{Allowed, CheckKind, CheckReport, Checks, Scope, Selection};

/// A project folder and a folder of state.
pub(crate) struct World {
    tree: tempfile::TempDir,
    state: tempfile::TempDir,
    pub(crate) checks: Checks,
}

impl World {
    pub(crate) fn new() -> Self {
        let (tree, state) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let checks = Checks::new(state.path());
        Self { tree, state, checks }
    }

    pub(crate) fn path(&self) -> &Path {
        self.tree.path()
    }

    pub(crate) fn state(&self) -> &Path {
        self.state.path()
    }

    pub(crate) fn scope(&self) -> Scope {
        Scope::of(vec![self.path().to_path_buf()])
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let full = self.path().join(path);
        std::fs::create_dir_all(full.parent().expect("inside")).expect("is made");
        std::fs::write(&full, text).expect("is written");
        full
    }

    pub(crate) fn command(&self, kind: CheckKind, argv: &[&str]) -> Allowed {
        Allowed::new(kind, argv.iter().map(|word| (*word).to_owned()).collect(), self.path().to_path_buf())
    }

    pub(crate) fn allow(&self, kind: CheckKind, argv: &[&str], timeout_s: u64) {
        let command = Allowed { timeout_s, ..self.command(kind, argv) };
        self.checks.allow(&self.scope(), command).expect("is allowed");
    }

    /// Allows a shell script, as a person could.
    pub(crate) fn script(&self, kind: CheckKind, script: &str, timeout_s: u64) {
        self.allow(kind, &["/bin/sh", "-c", script], timeout_s);
    }

    /// Runs the commands before and after a change.
    pub(crate) fn around(&self, selection: Selection, change: impl FnOnce()) -> Vec<CheckReport> {
        let prepared = self.checks.prepare(&self.scope(), selection).expect("can be read").expect("some are allowed");
        let cancel = Cancel::new();
        let before = prepared.before(ContentHash::of(b"before"), &cancel, &NoProgress).expect("is not cancelled");
        change();
        prepared.after(&before, Some(ContentHash::of(b"after")), &cancel, &NoProgress)
    }

    /// The report of a script that is given the state, `old` or `new`, as the content of the file `state`.
    pub(crate) fn judge_script(&self, kind: CheckKind, script: &str, timeout_s: u64) -> CheckReport {
        self.write("state", "old");
        self.script(kind, script, timeout_s);
        let mut reports = self.around(Selection::default(), || drop(self.write("state", "new")));
        reports.pop().expect("one")
    }
}
