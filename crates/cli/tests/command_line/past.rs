//! Questions of `m1nd diff` and `m1nd risk` about a past that is not there: each says what is wrong and what to do.

use crate::Place;

const CODE: &str = "\
//- a.py
import b


def one():
    return b.two()
//- b.py
def two():
    return 1
";

/// One row a case: whether there is a repository with a commit, the command, its exit code, and words of its answer.
const CASES: [(bool, &[&str], i32, &str); 14] = [
    (false, &["diff", "HEAD"], 0, "cannot tell"),
    (false, &["diff", "HEAD~1..HEAD"], 0, "ask in the top folder of a git repository"),
    (false, &["risk"], 0, "Next: ask in the top folder of a git repository"),
    (false, &["risk", "a.py"], 0, "cannot tell"),
    (true, &["diff", "nowhere"], 4, "no branch, tag or commit is named `nowhere`"),
    (true, &["diff", "HEAD~9"], 4, "`HEAD~9` goes back further"),
    (true, &["diff", "HEAD..nowhere"], 4, "`snapshot_b`: no branch"),
    (true, &["diff", "HEAD..HEAD", "HEAD"], 2, "names two states"),
    (true, &["diff"], 2, "missing argument `snapshot_a`"),
    (true, &["diff", "2999-01-01"], 4, "`2999-01-01`"),
    (true, &["risk", "nowhere.py"], 4, "argument `changed`: no node is named `nowhere.py`"),
    (true, &["risk", "../outside.py"], 4, "no node is named `../outside.py`"),
    (true, &["risk", "--fail-on", "always"], 2, "possible values: act, reverify, never"),
    (true, &["risk"], 0, "nothing changed"),
];

#[test]
fn what_is_not_there_is_said() {
    let Some(repository) = Place::open_committed(CODE) else { return };
    let plain = Place::new(CODE);
    [&repository, &plain].iter().for_each(|place| assert_eq!(place.run(&["ingest"]).code, 0));
    for (is_repository, arguments, code, words) in CASES {
        let run = if is_repository { &repository } else { &plain }.run(arguments);
        assert_eq!(run.code, code, "{arguments:?}: {run:?}");
        assert!(run.out.contains(words) || run.err.contains(words), "{arguments:?}: {run:?}");
        assert!(!run.err.contains("panicked"), "{arguments:?}: {run:?}");
    }
}

#[test]
fn what_changed_since_the_index_was_made_is_in_the_difference() {
    let Some(place) = Place::open_committed(CODE) else { return };
    assert_eq!(place.run(&["ingest"]).code, 0);
    place.project.write("b.py", "def other():\n    return 2\n\n\ndef two():\n    return other()\n");
    let diff = place.run(&["diff", "HEAD"]);
    assert!(diff.code == 0 && diff.out.contains("1 changed file") && diff.out.contains("b.py::other"), "{diff:?}");
    let long = "def long(items):\n    total = 0\n    for item in items:\n        if item > 3:\n            total += item * 2\n        else:\n            total -= item\n    return total\n";
    place.project.write("b.py", long);
    place.project.write("c.py", long);
    let copies = place.run(&["fingerprint", "b.py::long"]);
    assert!(copies.out.contains("c.py"), "{copies:?}");
    place.project.write("d.py", "import c\n");
    let diverge = place.run(&["call", "diverge", "--baseline", "HEAD"]);
    assert!(diverge.code == 0 && diverge.out.contains("d.py"), "{diverge:?}");
}
