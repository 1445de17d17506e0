//! Code that git tracks and the index does not hold whole: it is listed with its reason, and keeps answers open.

use std::process::Command;

use serde_json::Value;

use crate::Place;

/// A program whose function `core` has one caller in sight.
const PROGRAM: &str = "\
//- pkg/__init__.py
//- pkg/core.py
def core():
    return 1


def lonely():
    return 2
//- web/w.py
from pkg.core import core


def w():
    return core()
";

struct Repository {
    place: Place,
}

impl Repository {
    /// `None` if git is not installed.
    fn new(more: &str) -> Option<Self> {
        Place::open_committed(&format!("{PROGRAM}{more}")).map(|place| Self { place })
    }

    fn git(&self, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "protocol.file.allow=always"]);
        command.args(arguments).current_dir(self.place.project.path()).env("HOME", self.place.user.path());
        let output = command.output().expect("git runs");
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let run = self.place.run(&[arguments, &["--json"]].concat());
        serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"))
    }

    /// Paths and reasons of what may hide callers of a function.
    fn hiding(&self, name: &str) -> Vec<(String, String)> {
        let answer = self.json(&["callers", name]);
        let rows = answer["closure"]["hiding"].as_array().cloned().unwrap_or_default();
        let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
        rows.iter().map(|row| (text(row, "file_path"), text(row, "reason"))).collect()
    }

    fn is_closed(&self, name: &str) -> bool {
        self.json(&["callers", name])["closure"]["state"] == "closed"
    }

    /// Every list that a user sees has the path with this reason, once.
    #[track_caller]
    fn assert_listed(&self, path: &str, reason: &str) {
        let ingest = self.place.run(&["ingest"]).out;
        let row = ingest.lines().find(|line| line.trim_start().starts_with(reason));
        assert!(row.is_some_and(|row| row.contains(path)), "{path}: {ingest}");
        let health = self.json(&["call", "health"]);
        let rows = health["problems"].as_array().cloned().unwrap_or_default();
        let row = rows.iter().find(|row| row["kind"] == reason).unwrap_or_else(|| panic!("{path}: {health}"));
        assert_eq!(row["examples"].to_string().matches(&format!("\"{path}\"")).count(), 1, "{health}");
        let search = self.json(&["search", "nothing_has_this_name"]);
        let rows = search["not_in_index"].as_array().cloned().unwrap_or_default();
        let rows: Vec<&Value> = rows.iter().filter(|row| row["file_path"] == path).collect();
        assert!(rows.len() == 1 && rows[0]["reason"] == reason, "{search}");
    }

    fn list_uncommitted(&self) -> String {
        self.json(&["call", "health"])["git"]["uncommitted_files"].to_string()
    }
}

fn expect_unseen(path: &str) -> (String, String) {
    (path.to_owned(), "unseen_file".to_owned())
}

#[test]
fn a_file_that_git_tracks_and_ignores_is_indexed() {
    let Some(repository) =
        Repository::new("//- .gitignore\nbuild\n//- build/tool.py\nfrom pkg.core import core\ncore()\n")
    else {
        return;
    };
    repository.place.run(&["ingest"]);
    assert_eq!(repository.json(&["callers", "core"])["total_callers"], 1, "what is only ignored is not indexed");
    repository.git(&["add", "-f", "build/tool.py"]);
    repository.place.run(&["ingest"]);
    let answer = repository.json(&["callers", "core"]);
    assert!(answer["total_callers"] == 2 && answer.to_string().contains("build/tool.py"), "{answer}");
    assert!(repository.is_closed("core") && repository.is_closed("lonely"));
}

#[test]
fn what_a_sparse_checkout_leaves_out_keeps_answers_open() {
    let more = "//- api/b.py\nfrom pkg.core import core\n\n\ndef b():\n    return core()\n";
    let Some(repository) = Repository::new(more) else { return };
    for form in ["--no-sparse-index", "--sparse-index"] {
        repository.git(&["sparse-checkout", "set", "--cone", form, "pkg", "web"]);
        assert!(!repository.place.project.join("api").exists());
        repository.place.run(&["ingest"]);
        assert_eq!(repository.hiding("core"), [expect_unseen("api/b.py")], "{form}");
        assert!(repository.is_closed("lonely"), "{form}: only names that stand there");
        assert!(!repository.list_uncommitted().contains("api"), "{form}: {}", repository.list_uncommitted());
        repository.assert_listed(if form == "--sparse-index" { "api" } else { "api/b.py" }, "not_checked_out");
    }
    repository.git(&["sparse-checkout", "disable"]);
    assert!(repository.is_closed("core") && repository.json(&["callers", "core"])["total_callers"] == 2);
}

#[test]
fn submodules_and_second_checkouts_are_listed() {
    let (Some(repository), Some(other)) =
        (Repository::new(""), Repository::new("//- x.py\ndef lib(core):\n    return core()\n"))
    else {
        return;
    };
    let source = other.place.project.path().to_string_lossy().into_owned();
    for folder in ["vendor/lib", "ext/lib", "ext/gone"] {
        repository.git(&["submodule", "add", "-q", &source, folder]);
    }
    repository.git(&["commit", "-q", "-m", "libraries"]);
    repository.git(&["submodule", "deinit", "-q", "-f", "ext/gone"]);
    repository.git(&["worktree", "add", "-q", "wt/f3"]);
    repository.place.run(&["ingest"]);
    repository.assert_listed("vendor/lib", "submodule");
    repository.assert_listed("ext/gone", "submodule");
    repository.assert_listed("wt/f3", "linked_worktree");
    let hiding = repository.hiding("file::pkg/core.py::fn::lonely");
    assert!(hiding.contains(&expect_unseen("vendor/lib/pkg/core.py")), "{hiding:?}");
    assert!(!hiding.iter().any(|(path, _)| path.starts_with("wt/") || path.starts_with("ext/gone")), "{hiding:?}");
    assert!(!repository.list_uncommitted().contains("ext/lib"), "{}", repository.list_uncommitted());
}

#[test]
fn a_hidden_file_that_is_tracked_is_searched() {
    let more = "//- .github/workflows/ci.yml\n# lonely is called here\nrun: python -c \"import pkg; pkg.x.lonely()\"\n\
                //- .github/README.md\nSee core().\n";
    let Some(repository) = Repository::new(more) else { return };
    repository.place.run(&["ingest"]);
    assert_eq!(repository.hiding("lonely"), [expect_unseen(".github/workflows/ci.yml")]);
    assert!(repository.is_closed("core"), "documents are not code");
    repository.place.project.write(".github/workflows/ci.yml", "run: make\n");
    assert!(repository.is_closed("lonely"), "files are looked at again");
}

#[test]
fn files_that_are_not_parsed_whole_hide_only_the_names_in_them() {
    let mut wide: Vec<u8> = vec![0xff, 0xfe];
    wide.extend("from pkg.core import lonely\nlonely()\n".encode_utf16().flat_map(u16::to_le_bytes));
    let place = Place::new(PROGRAM);
    place.project.write("wide.py", &wide);
    place.project.write("big.py", format!("# core\nx = [\n{}]\n", "    1,\n".repeat(200_000)));
    place.project.write("bad.py", "from pkg.core import core\ncore()\ndef (:\n    x = 1\n");
    let repository = Repository { place };
    repository.place.run(&["ingest"]);
    assert!(repository.is_closed("lonely"), "a text in UTF-16 is read");
    // Elsewhere the name stands in comments and known calls.
    assert!(repository.is_closed("core"));
    let found = repository.json(&["search", "lonely()"]);
    assert!(found["matches"].to_string().contains("wide.py"), "{found}");
}

#[test]
fn a_pointer_of_git_lfs_may_hide_anything_of_its_language() {
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 9\n", "a".repeat(64));
    let place = Place::new(PROGRAM);
    place.project.write("large.py", &pointer);
    place.project.write("large.js", &pointer);
    let repository = Repository { place };
    repository.place.run(&["ingest"]);
    assert_eq!(repository.hiding("lonely"), [expect_unseen("large.py")]);
    repository.assert_listed("large.py", "lfs_pointer");
}
