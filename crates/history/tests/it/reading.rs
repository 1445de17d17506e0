use std::time::Duration;

use m1nd_history::{Cut, GitFolder, History, NoHistory, ReadLimits, StoredError, decode, encode, read};
use m1nd_testkit::Random;

use crate::histories::subjects;
use crate::repository::{Move, Put, Remove, Repository, lines};

fn same(one: &History, other: &History) -> bool {
    encode(one).expect("encodes") == encode(other).expect("encodes")
}

#[test]
fn reading_after_an_older_history_gives_the_same() {
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let mut repository = Repository::new();
        let mut known: Option<History> = None;
        let mut names: Vec<String> = Vec::new();
        let mut tips = Vec::new();
        for step in 0..40 {
            let name = format!("f{}.py", random.below(12));
            let text = format!("{}{}", lines(&name, 12), lines("x", random.below(8)));
            let is_known = names.contains(&name);
            let tip = match random.below(6) {
                0 if is_known => {
                    names.retain(|known| *known != name);
                    repository.commit("ann", &format!("remove {step}"), &[Remove(&name)])
                }
                1 if is_known => {
                    let to = format!("g{step}.py");
                    names.retain(|known| *known != name);
                    repository.commit("bob", &format!("move {step}"), &[Move(&name, &to)])
                }
                2 if !tips.is_empty() => {
                    // A rewritten history: the branch is reset and continues from there.
                    let back = tips[random.below(tips.len())];
                    repository.point(back);
                    names.push(name.clone());
                    repository.commit("eve", &format!("anew {step}"), &[Put(&name, &text)])
                }
                _ => {
                    names.push(name.clone());
                    repository.commit("ann", &format!("edit {step}"), &[Put(&name, &text)])
                }
            };
            tips.push(tip);
            if random.below(4) == 0 {
                let limits = ReadLimits { commits: 15, ..ReadLimits::default() };
                let next = repository.read_after(known.as_ref(), &limits).expect("a history");
                let clean = repository.read_after(None, &limits).expect("a history");
                assert!(same(&next, &clean), "seed {seed}, step {step}");
                known = Some(decode(&encode(&next).expect("encodes")).expect("decodes"));
            }
        }
    }
}

#[test]
fn the_limit_of_commits_is_said() {
    let mut repository = Repository::new();
    for number in 0..5 {
        repository.commit("ann", &format!("commit {number}"), &[Put("a.py", &number.to_string())]);
    }
    let limits = ReadLimits { commits: 3, ..ReadLimits::default() };
    let history = repository.read_after(None, &limits).expect("a history");
    assert_eq!((history.commits().len(), history.cut()), (3, Some(Cut::Commits)));
    assert_eq!(subjects(&history, "a.py"), ["commit 4", "commit 3", "commit 2"]);
    let head = GitFolder::find(repository.tree.path()).and_then(|git| git.head()).expect("a head");
    assert!(history.is_of(&head, 3) && !history.is_of(&head, 4));
    assert_eq!(repository.history().cut(), None);
}

#[test]
fn reading_that_ran_out_of_time_goes_on() {
    let mut repository = Repository::new();
    for number in 0..300 {
        repository.commit("ann", &format!("commit {number}"), &[Put("a.py", &number.to_string())]);
    }
    let none = ReadLimits { time: Duration::ZERO, ..ReadLimits::default() };
    let mut known: Option<History> = None;
    let mut lengths = Vec::new();
    for _ in 0..9 {
        let next = repository.read_after(known.as_ref(), &none).expect("a history");
        lengths.push(next.commits().len());
        known = Some(next);
    }
    assert!(lengths[0] > 0 && lengths[0] < 300, "{lengths:?}");
    let first = repository.read_after(None, &none).expect("a history");
    assert_eq!(first.cut(), Some(Cut::Time));
    let head = GitFolder::find(repository.tree.path()).and_then(|git| git.head()).expect("a head");
    assert!(!first.is_of(&head, none.commits), "it is to be read on");
    let done = repository.read_after(Some(&first), &ReadLimits::default()).expect("a history");
    assert!(same(&done, &repository.history()));
}

#[test]
fn cancelled_reading_gives_nothing() {
    let mut repository = Repository::new();
    repository.commit("ann", "start", &[Put("a.py", "1\n")]);
    let git = GitFolder::find(repository.tree.path()).expect("a folder");
    let cancel = m1nd_base::Cancel::new();
    cancel.cancel();
    let head = git.head().expect("a head");
    let result = read(&git, &head, None, &ReadLimits::default(), &cancel);
    assert_eq!(result.err(), Some(NoHistory::Cancelled));
}

#[test]
fn damaged_bytes_are_refused() {
    let mut repository = Repository::new();
    repository.commit("ann", "start", &[Put("a.py", "1\n"), Put("b.py", "1\n")]);
    let bytes = encode(&repository.history()).expect("encodes");
    for index in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[index] ^= 1;
        let error = decode(&damaged).err();
        let expected = matches!(error, Some(StoredError::Damaged(_)));
        assert!(expected || (8..12).contains(&index) && error == Some(StoredError::OtherFormat), "{index}: {error:?}");
        assert!(decode(&bytes[..index]).is_err());
    }
}
