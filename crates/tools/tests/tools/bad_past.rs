//! Questions about a past that is not there, or only in part: each gets an error or a "cannot tell" that says what to
//! do, never an answer as if nothing had happened.

use serde_json::{Value, json};

use crate::harness::Project;
use crate::repository::{Put, Repository};

const CODE: &str = "import b\n\n\ndef one():\n    return b.two()\n";
const OTHER: &str = "def two():\n    return 1\n";

/// A state of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// No git folder.
    NoGit,
    /// A git folder without a commit.
    NoCommits,
    /// `c.py` is on disk and in no commit.
    Whole,
    /// The oldest of three commits is cut off.
    Shallow,
    /// The content of the first commit's `a.py` is gone.
    NoContent,
    /// The tree of the first commit is gone.
    NoTree,
    /// The checked-out commit itself is gone.
    NoHead,
}

fn project(state: State) -> Project {
    let mut repository = Repository::new();
    if state == State::NoGit {
        std::fs::remove_dir_all(repository.tree.join(".git")).expect("a folder");
    } else if state != State::NoCommits {
        let text = |round: usize| format!("{CODE}# {round}\n");
        let first = repository.commit("ann", "first", &[Put("a.py", &text(1)), Put("b.py", OTHER)]);
        let second = repository.commit("ann", "second", &[Put("a.py", &text(2))]);
        let third = repository.commit("ann", "third", &[Put("a.py", &text(3))]);
        let gone = match state {
            State::Shallow => {
                repository.tree.write(".git/shallow", format!("{second}\n"));
                Some(first)
            }
            State::NoContent => Some(repository.write(gix_object::Kind::Blob, text(1).as_bytes())),
            State::NoTree => Some(repository.write_tree(&[("a.py", text(1).as_bytes()), ("b.py", OTHER.as_bytes())])),
            State::NoHead => Some(third),
            _ => None,
        };
        if let Some(gone) = gone {
            std::fs::remove_file(repository.object_path(&gone)).expect("an object");
        }
    }
    for (path, text) in [("a.py", &*format!("{CODE}# 3\n")), ("b.py", OTHER), ("c.py", "three = 3\n")] {
        repository.tree.write(path, text);
    }
    Project::over_repository(repository)
}

/// One row a case: the state, the tool, its arguments, words of the answer, and words of what to do.
fn cases() -> Vec<(State, &'static str, Value, &'static str, &'static str)> {
    use State::{NoCommits, NoContent, NoGit, NoHead, NoTree, Shallow, Whole};
    let top = "top folder of a git repository";
    vec![
        (NoGit, "timeline", json!({"node": "a.py"}), "cannot tell", top),
        (NoGit, "predict", json!({"changed_node": "a.py"}), "cannot tell", "impact"),
        (NoGit, "predict", json!({}), "cannot tell", top),
        (NoGit, "diverge", json!({"baseline": "HEAD"}), "cannot tell", top),
        (NoGit, "diverge", json!({"baseline": "2020-01-01"}), "cannot tell", top),
        (NoGit, "diverge", json!({"baseline": "last_session"}), "cannot tell", "pass a commit or a date"),
        (NoGit, "differential", json!({"snapshot_a": "HEAD"}), "cannot tell", top),
        (NoGit, "drift", json!({"since": "HEAD"}), "cannot tell", top),
        (NoGit, "drift", json!({}), "cannot tell", "pass a commit or a date"),
        (NoGit, "ghost_edges", json!({}), "cannot tell", top),
        (NoGit, "ghost_edges", json!({"node": "a.py"}), "cannot tell", top),
        (NoGit, "layers", json!({"since": "HEAD"}), "not the top of a git repository", top),
        (NoCommits, "timeline", json!({"node": "a.py"}), "no commits yet", "commit something"),
        (NoCommits, "predict", json!({"changed_node": "a.py"}), "no commits yet", "impact"),
        (NoCommits, "predict", json!({}), "no commits yet", "commit something"),
        (NoCommits, "diverge", json!({"baseline": "HEAD"}), "no commits yet", "commit something"),
        (NoCommits, "differential", json!({"snapshot_a": "HEAD"}), "no commits yet", "commit something"),
        (NoCommits, "drift", json!({"since": "HEAD"}), "no commits yet", "commit something"),
        (NoCommits, "ghost_edges", json!({}), "no commits yet", "commit something"),
        (Whole, "timeline", json!({"node": "c.py"}), "not committed yet", "no history before its first commit"),
        (Whole, "timeline", json!({"node": "c.py::three"}), "not committed yet", "no history before its first commit"),
        (Whole, "predict", json!({"changed_node": "c.py"}), "not committed yet", "impact"),
        (Whole, "timeline", json!({"node": "a.py", "depth": "tomorrow"}), "`tomorrow`", "expected `<N>d`"),
        (Whole, "timeline", json!({"node": "a.py", "depth": "0d"}), "`0d`", "N from 1"),
        (Whole, "ghost_edges", json!({"depth": "-3d"}), "`-3d`", "N from 1"),
        (Whole, "diverge", json!({"baseline": "no-such-branch"}), "no-such-branch", "fetch the branch or tag"),
        (Whole, "diverge", json!({"baseline": "HEAD~40"}), "HEAD~40", "pass one of these"),
        (Whole, "diverge", json!({"baseline": ""}), "baseline", "pass one of these"),
        (Whole, "diverge", json!({"baseline": "2999-12-31"}), "after the checked-out commit", "expected an earlier date"),
        (Whole, "diverge", json!({"baseline": "1970-01-02"}), "before the oldest known commit", "expected a later date"),
        (Whole, "drift", json!({"since": "2999-12-31T10:00:00Z"}), "after the checked-out commit", "earlier date"),
        (Whole, "drift", json!({"since": "no-such-tag"}), "no-such-tag", "fetch the branch or tag"),
        (Whole, "differential", json!({"snapshot_a": "HEAD..no-such-branch"}), "no-such-branch", "fetch the branch"),
        (Whole, "differential", json!({"snapshot_a": "deadbeef"}), "deadbeef", "fetch the branch or tag"),
        (Whole, "layers", json!({"since": "no-such-tag"}), "no-such-tag", "fetch the branch or tag"),
        (Whole, "counterfactual", json!({"node_ids": ["nowhere.py"]}), "nowhere.py", "seek"),
        (Shallow, "timeline", json!({"node": "b.py"}), "shallow", "--unshallow"),
        (Shallow, "timeline", json!({"node": "a.py", "depth": "all"}), "shallow", "older changes are unknown"),
        (Shallow, "predict", json!({"changed_node": "b.py"}), "shallow", "impact"),
        (Shallow, "ghost_edges", json!({}), "shallow", "older commits are not there"),
        (Shallow, "diverge", json!({"baseline": "HEAD~2"}), "is missing", "--unshallow"),
        (Shallow, "diverge", json!({"baseline": "2000-01-01"}), "shallow", "expected a later date"),
        (Shallow, "differential", json!({"snapshot_a": "HEAD~2"}), "is missing", "--unshallow"),
        (NoContent, "differential", json!({"snapshot_a": "HEAD~2"}), "the content of `a.py`", "--refetch"),
        (NoContent, "diverge", json!({"baseline": "HEAD~2"}), "the content of `a.py`", "--refetch"),
        (NoContent, "timeline", json!({"node": "a.py::one", "depth": "all"}), "is missing", "changes before it are unknown"),
        (NoTree, "differential", json!({"snapshot_a": "HEAD~2"}), "a folder of commit", "--refetch"),
        (NoTree, "diverge", json!({"baseline": "HEAD~2"}), "a folder of commit", "--refetch"),
        (NoTree, "timeline", json!({"node": "a.py", "depth": "all"}), "are missing", "older changes are unknown"),
        (NoTree, "timeline", json!({"node": "b.py"}), "cannot tell", "--refetch"),
        (NoTree, "ghost_edges", json!({}), "is not known", "folders are missing"),
        (NoHead, "timeline", json!({"node": "a.py"}), "cannot", "git fsck"),
        (NoHead, "predict", json!({}), "cannot", "git fsck"),
        (NoHead, "predict", json!({"changed_node": "a.py"}), "cannot", "impact"),
        (NoHead, "diverge", json!({"baseline": "HEAD"}), "cannot", "git fsck"),
        (NoHead, "differential", json!({"snapshot_a": "HEAD~1"}), "cannot", "git fsck"),
        (NoHead, "drift", json!({"since": "HEAD"}), "cannot", "git fsck"),
        (NoHead, "ghost_edges", json!({}), "cannot", "git fsck"),
    ]
}

#[test]
fn what_is_not_there_is_said_with_what_to_do() {
    let mut wrong = Vec::new();
    let mut open: Option<(State, Project)> = None;
    for (state, tool, arguments, told, next) in cases() {
        let project = match open.take() {
            Some((known, project)) if known == state => project,
            _ => project(state),
        };
        let answer = project.call(tool, arguments.clone()).unwrap_or_else(|error| error.to_json());
        let text = answer.to_string();
        if !text.contains(told) || !text.contains(next) {
            wrong.push(format!("{state:?} {tool} {arguments}: no `{told}` or `{next}` in\n    {text}"));
        }
        open = Some((state, project));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What does not need the history answers as ever.
#[test]
fn the_code_is_answered_without_its_past() {
    for state in [State::NoGit, State::NoCommits, State::NoHead, State::NoTree] {
        let project = project(state);
        let answer = project.ok("counterfactual", json!({"node_ids": ["b.py::two"]}));
        assert_eq!(answer["total_dangling"], 1, "{state:?}: {answer}");
        let claim = project.ok("hypothesize", json!({"claim": "one depends on b.py::two"}));
        assert_eq!(claim["verdict"], "likely_true", "{state:?}: {claim}");
        let coupled = project.ok("hypothesize", json!({"claim": "a.py and c.py are coupled"}));
        assert_ne!(coupled["verdict"], "likely_true", "{state:?}: {coupled}");
        let impact = project.ok("impact", json!({"node_id": "b.py::two"}));
        assert!(impact["no_probability"].is_string() && impact["total_blast_nodes"] != json!(0), "{state:?}: {impact}");
    }
}
