use m1nd_share::ShareError;

use crate::place::{Place, build_noise, commit, list_files, origin};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_pushed_is_pulled() {
    let sizes = [(0, 0), (1, 0), (10, 3_000_000), (5 << 20, 1 << 20)];
    for (number, (snapshot, facts)) in sizes.into_iter().enumerate() {
        let place = Place::new();
        let files = [build_noise(snapshot, "a"), build_noise(facts, "b")];
        let pushed = place.push(&origin(number), &files[0], &files[1]).await.expect("is pushed");
        assert_eq!((pushed.parts, pushed.bytes), (pushed.new_parts, (snapshot + facts) as u64));
        let (pulled, contents) = place.pull(&[number]).await.expect("is pulled");
        assert!(contents == files, "{number}");
        assert_eq!((pulled.parts, pulled.fetched_parts), (pushed.parts, pushed.parts), "{number}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_parts_that_are_missing_are_moved() {
    let place = Place::new();
    let before = build_noise(8 << 20, "a");
    let after = [&before[..3_000_000], b"an insertion", &before[3_000_000..]].concat();
    place.push(&origin(1), &before, b"facts").await.expect("is pushed");
    let pushed = place.push(&origin(2), &after, b"facts").await.expect("is pushed");
    assert!(pushed.parts > 20 && (1..=3).contains(&pushed.new_parts), "{pushed:?}");
    place.pull(&[1]).await.expect("is pulled");
    let (pulled, contents) = place.pull(&[2, 1]).await.expect("is pulled");
    assert!(contents[0] == after);
    assert_eq!(pulled.fetched_parts, pushed.new_parts);
    // Nothing is kept that the last index does not need.
    let kept = list_files(&place.cache()).len();
    assert_eq!(kept, pulled.parts);
    let again = place.push(&origin(2), &after, b"facts").await.expect("is pushed");
    assert_eq!((again.new_parts, again.sent_bytes), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_nearest_ancestor_is_found() {
    let place = Place::new();
    for number in [40, 3] {
        place.push(&origin(number), &[number as u8], b"").await.expect("is pushed");
    }
    let all: Vec<usize> = (0..100).collect();
    // The commits asked for, and the one that is found.
    let rows = [(&all[..], Some(3)), (&all[4..], Some(40)), (&all[41..], None), (&all[..0], None)];
    for (commits, expected) in rows {
        let found = place.find(commits).await.map(|(_, found)| (found.origin.commit, found.distance));
        match expected {
            Some(number) => {
                let distance = commits.iter().position(|known| *known == number).expect("is among them");
                assert_eq!(found.expect("is found"), (commit(number), distance));
            }
            None => assert!(matches!(found, Err(ShareError::NotFound { .. })), "{found:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn repositories_and_versions_do_not_mix() {
    let place = Place::new();
    let mut others = origin(1);
    others.versions = "f2".into();
    place.push(&others, b"x", b"y").await.expect("is pushed");
    let mut others = origin(1);
    others.repository = "example.org/a/c".into();
    place.push(&others, b"x", b"y").await.expect("is pushed");
    assert!(matches!(place.find(&[1]).await, Err(ShareError::NotFound { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_not_there_says_so() {
    let place = Place::new();
    let refused = place.find(&[1]).await.expect_err("nothing was pushed");
    assert_eq!(refused.code(), "unreachable");
    assert!(refused.next().contains("go on without it"), "{}", refused.next());
}
