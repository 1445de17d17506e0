use m1nd_history::{History, Partner};

use crate::repository::{Put, Remove, Repository};

fn repository() -> Repository {
    let mut repository = Repository::new();
    for round in 0..4 {
        let text = round.to_string();
        repository.commit("ann", "both", &[Put("a.py", &text), Put("test_a.py", &text)]);
        repository.commit("ann", "alone", &[Put("b.py", &text)]);
        repository.commit("ann", "log", &[Put("c.py", &text), Put("log.txt", &text)]);
    }
    repository.commit("ann", "once", &[Put("a.py", "x"), Put("log.txt", "x"), Put("gone.py", "x")]);
    repository.commit("ann", "clean", &[Remove("gone.py")]);
    repository
}

fn partners<'h>(history: &'h History, path: &str) -> Vec<Partner<'h>> {
    history.file(path).expect("known").partners(10)
}

#[test]
fn partners_of_a_file() {
    let history = repository().history();
    let found = partners(&history, "a.py");
    let shown: Vec<_> = found.iter().map(|row| (row.file.path(), row.support, row.of)).collect();
    assert_eq!(shown, [("test_a.py", 4, 5), ("log.txt", 1, 5)], "what is gone is no partner");
    let first = &found[0];
    // 14 commits; 5 touch a.py, 4 test_a.py: the expected overlap is 10/7.
    assert!((first.confidence - 0.8).abs() < 1e-12 && (first.lift - 4.0 / (5.0 * 4.0 / 14.0)).abs() < 1e-12);
    // All four of 4 among 5 of 14: (5 choose 4) / (14 choose 4).
    assert!((first.p_value - 5.0 / 1001.0).abs() < 1e-12, "{}", first.p_value);
    assert!(found[1].p_value > 0.5 && found[1].lift < 1.0, "once is chance: {:?}", found[1].p_value);
    assert!(first.score > 0.7 && found[1].score < 0.2);
    assert_eq!(history.commits()[first.newest].subject.as_ref(), "both");
    assert!(partners(&history, "b.py").is_empty());
    assert_eq!(history.file("a.py").expect("known").partners(1).len(), 1);
}

#[test]
fn bulk_commits_say_nothing_of_what_belongs_together() {
    let mut repository = Repository::new();
    let names: Vec<String> = (0..51).map(|number| format!("f{number}.py")).collect();
    let all: Vec<_> = names.iter().map(|name| Put(name, "1")).collect();
    repository.commit("ann", "import", &all);
    repository.commit("ann", "two", &[Put("f0.py", "2"), Put("f1.py", "2")]);
    let history = repository.history();
    assert_eq!(history.file("f0.py").expect("known").commit_count(), 2, "it counts for times and numbers");
    let found = partners(&history, "f0.py");
    assert_eq!(found.iter().map(|row| (row.file.path(), row.support)).collect::<Vec<_>>(), [("f1.py", 1)]);
    assert_eq!(history.file("f0.py").expect("known").subjects().collect::<Vec<_>>(), ["two"]);
}

#[test]
fn commits_of_many_files_are_told_from_those_of_few() {
    let names: Vec<String> = (0..11).map(|number| format!("f{number}.py")).collect();
    let cases = [(2, 3), (10, 3), (11, 0)];
    for (files, focused) in cases {
        let mut repository = Repository::new();
        for round in 0..3 {
            let text = round.to_string();
            let puts: Vec<_> = names.iter().take(files).map(|name| Put(name, &text)).collect();
            repository.commit("ann", "sweep", &puts);
        }
        let history = repository.history();
        let found = partners(&history, "f0.py");
        assert_eq!((found[0].support, found[0].focused), (3, focused), "{files} files");
    }
}

#[test]
fn pairs_of_the_whole_project() {
    let history = repository().history();
    let shown: Vec<_> =
        history.together_pairs(2, 9).iter().map(|row| (row.a.path(), row.b.path(), row.support)).collect();
    assert_eq!(shown, [("a.py", "test_a.py", 4), ("c.py", "log.txt", 4)]);
    assert_eq!(history.together_pairs(1, 99).len(), 3);
}

#[test]
fn commits_of_formatters_do_not_count_and_those_of_programs_count_less() {
    let mut repository = Repository::new();
    repository.commit("ann", "start", &[Put("a.py", "f(1, 2)\n"), Put("b.py", "x = 'y'\n"), Put("c.py", "1\n")]);
    repository.commit("ann", "run black", &[Put("a.py", "f(\n    1,\n    2,\n)\n"), Put("b.py", "x = \"y\"\n")]);
    let ignored = repository.commit("ann", "tidy up", &[Put("a.py", "g\n"), Put("b.py", "h\n")]);
    repository.commit("ann", "style of b", &[Put("a.py", "i\n"), Put("b.py", "j\n")]);
    repository.commit("dependabot[bot]", "bump", &[Put("a.py", "2\n"), Put("c.py", "2\n")]);
    let flags = |history: &History| -> Vec<(bool, bool)> {
        history.commits().iter().map(|commit| (commit.is_format, commit.is_bot)).collect()
    };
    let expected = [(false, true), (false, false), (false, false), (true, false), (false, false)];
    assert_eq!(flags(&repository.history()), expected);
    let list = format!("# black\n{ignored}\n");
    repository.commit("ann", "list", &[Put(".git-blame-ignore-revs", &list)]);
    let history = repository.history();
    assert!(history.commits()[3].is_format, "it is listed");
    let found = partners(&history, "a.py");
    let support: Vec<_> = found.iter().map(|row| (row.file.path(), row.support)).collect();
    assert_eq!(support, [("b.py", 2), ("c.py", 2)]);
    let weights: Vec<f64> = history.commits().iter().map(m1nd_history::Commit::weight).collect();
    assert_eq!(weights, [1.0, 0.25, 1.0, 0.0, 0.0, 0.5]);
    // What is known already is judged by the newest list.
    let again = repository.read_after(Some(&history), &m1nd_history::ReadLimits::default()).expect("a history");
    assert_eq!(flags(&again), flags(&history));
    repository.commit("ann", "unlist", &[Put(".git-blame-ignore-revs", "\n")]);
    let after = repository.read_after(Some(&history), &m1nd_history::ReadLimits::default()).expect("a history");
    assert!(!after.commits()[4].is_format);
}
