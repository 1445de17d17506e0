//! What every store keeps to.

use m1nd_sessions::{
    Expiry, HandleLimits, HandleQuery, HandleWrite, NewFeedback, ReadOnlyStore, SessionStore, StoreError, StoredHandle,
    Undone,
};

use super::{over_every_store, project, tree};

const LIMITS: HandleLimits = HandleLimits { per_owner: 3, owner_bytes: 30, all_bytes: 40 };

fn at(now_ms: u64) -> Expiry {
    Expiry { now_ms, remembered_ms: 100, remembered: 2 }
}

fn handle(id: &str, owner: &str, value: &str) -> StoredHandle {
    StoredHandle {
        id: id.into(),
        kind: "lock".into(),
        owner: owner.into(),
        created_ms: 1,
        changed_ms: 1,
        lifetime_ms: None,
        version: 1,
        value: value.into(),
    }
}

fn new_feedback(query: &str, key: Option<&str>) -> NewFeedback {
    NewFeedback {
        at_ms: 7,
        agent: "ann".into(),
        kind: "correct".into(),
        query: query.into(),
        strength: 0.2,
        key: key.map(str::to_owned),
        nodes: vec!["file::b".into(), "file::a".into()],
    }
}

fn add(store: &dyn SessionStore, handle: &StoredHandle, now_ms: u64) -> HandleWrite {
    store.add_handle(handle, &LIMITS, &at(now_ms)).expect("writable")
}

fn set(store: &dyn SessionStore, next: &StoredHandle) -> HandleWrite {
    store.set_handle(next, &LIMITS, 1).expect("writable")
}

fn ids(store: &dyn SessionStore, owner: Option<&str>, now_ms: u64, limit: usize) -> Vec<String> {
    let rows = store.handles(&HandleQuery { kind: "lock", owner, now_ms, limit }).expect("readable");
    rows.into_iter().map(|row| row.id).collect()
}

/// Everything below, over one empty store.
fn keeps_the_contract(store: &dyn SessionStore) {
    feedback(store);
    handles_are_kept_and_listed(store);
    changes_are_compare_and_set(store);
    limits_hold(store);
    expired_handles_are_remembered_for_a_while(store);
}

fn feedback(store: &dyn SessionStore) {
    assert_eq!(store.newest_feedback().expect("readable"), 0);
    let (first, known) = store.add_feedback(&new_feedback("first", Some("k"))).expect("writable");
    assert!(!known);
    assert_eq!(store.add_feedback(&new_feedback("other", Some("k"))).expect("writable"), (first, true));
    assert_eq!(store.newest_feedback().expect("readable"), first);
    let (second, _) = store.add_feedback(&new_feedback("second", None)).expect("writable");
    let (third, _) = store.add_feedback(&new_feedback("third", None)).expect("writable");
    assert!(first < second && second < third);
    let standing = |limit| store.feedback(limit).expect("readable").iter().map(|row| row.id).collect::<Vec<_>>();
    assert_eq!((standing(9), standing(1)), (vec![first, second, third], vec![third]));
    assert_eq!(store.feedback(9).expect("readable")[0].told, new_feedback("first", Some("k")));
    let Undone::Now(undo) = store.undo_feedback(first, "bob", 8).expect("writable") else { panic!("it stands") };
    assert!(undo > third && store.newest_feedback().expect("readable") == undo);
    assert_eq!(store.undo_feedback(first, "bob", 9).expect("writable"), Undone::Before(undo));
    assert_eq!(store.undo_feedback(undo, "bob", 9).expect("writable"), Undone::NotThere);
    assert_eq!(store.undo_feedback(99, "bob", 9).expect("writable"), Undone::NotThere);
    assert_eq!(standing(9), [second, third]);
    assert_eq!(
        store.add_feedback(&new_feedback("again", Some("k"))).expect("writable"),
        (first, true),
        "also if taken back"
    );
}

fn handles_are_kept_and_listed(store: &dyn SessionStore) {
    let rows = [("l1", "ann", 1), ("l3", "ann", 2), ("l2", "bob", 2)];
    for (id, owner, changed_ms) in rows {
        let row = StoredHandle { changed_ms, ..handle(id, owner, "{\"é\":1}") };
        assert_eq!(add(store, &row, 1), HandleWrite::Done);
        assert_eq!(store.handle(id).expect("readable"), Some(row));
    }
    assert_eq!(add(store, &handle("l1", "bob", ""), 1), HandleWrite::IdTaken);
    assert_eq!(store.handle("l4").expect("readable"), None);
    assert_eq!(ids(store, None, 1, 9), ["l2", "l3", "l1"], "the last changed first, then by id");
    assert_eq!(ids(store, None, 1, 2), ["l2", "l3"]);
    assert_eq!(ids(store, Some("ann"), 1, 9), ["l3", "l1"]);
    assert_eq!(ids(store, Some("eve"), 1, 9), [""; 0]);
    assert!(
        store.handles(&HandleQuery { kind: "trail", owner: None, now_ms: 1, limit: 9 }).expect("readable").is_empty()
    );
    for (id, was_there) in [("l1", true), ("l1", false), ("l2", true), ("l3", true)] {
        assert_eq!(store.remove_handle(id).expect("writable"), was_there, "{id}");
    }
    assert_eq!(ids(store, None, 1, 9), [""; 0]);
}

fn changes_are_compare_and_set(store: &dyn SessionStore) {
    let first = handle("l1", "ann", "one");
    assert_eq!(set(store, &StoredHandle { version: 2, ..first.clone() }), HandleWrite::NotThere);
    add(store, &first, 1);
    for version in [0, 1, 3] {
        assert_eq!(set(store, &StoredHandle { version, ..first.clone() }), HandleWrite::Changed(1), "{version}");
    }
    let next = StoredHandle { version: 2, changed_ms: 5, lifetime_ms: Some(9), value: "two".into(), ..first.clone() };
    // What a handle is and whose stays, whatever the row says.
    let other = StoredHandle { owner: "eve".into(), kind: "trail".into(), created_ms: 4, ..next.clone() };
    assert_eq!(set(store, &other), HandleWrite::Done);
    assert_eq!(store.handle("l1").expect("readable"), Some(next.clone()));
    assert_eq!(set(store, &next), HandleWrite::Changed(2), "the second of two that read the same");
    store.remove_handle("l1").expect("writable");
}

fn limits_hold(store: &dyn SessionStore) {
    for id in ["l1", "l2", "l3"] {
        assert_eq!(add(store, &handle(id, "ann", "12345"), 1), HandleWrite::Done);
    }
    assert_eq!(add(store, &handle("l4", "ann", ""), 1), HandleWrite::TooMany);
    let trail = |value: &str| StoredHandle { kind: "trail".into(), ..handle("t1", "ann", value) };
    assert_eq!(add(store, &trail(&"x".repeat(16)), 1), HandleWrite::OwnerFull(31), "kinds share the room");
    assert_eq!(add(store, &trail(&"x".repeat(15)), 1), HandleWrite::Done);
    assert_eq!(add(store, &handle("b1", "bob", &"x".repeat(11)), 1), HandleWrite::Full(41));
    assert_eq!(add(store, &handle("b1", "bob", &"é".repeat(5)), 1), HandleWrite::Done, "bytes, not characters");
    let next = |version, value: &str| StoredHandle { version, ..handle("l1", "ann", value) };
    assert_eq!(set(store, &next(2, "123456")), HandleWrite::OwnerFull(31));
    assert_eq!(set(store, &next(2, "54321")), HandleWrite::Done, "what it replaces does not count");
    let tight = HandleLimits { owner_bytes: 1, ..LIMITS };
    let shrunk = store.set_handle(&next(3, "1"), &tight, 1).expect("writable");
    assert_eq!(shrunk, HandleWrite::Done, "less is never refused");
    for id in ["l1", "l2", "l3", "t1", "b1"] {
        assert!(store.remove_handle(id).expect("writable"), "{id}");
    }
}

fn expired_handles_are_remembered_for_a_while(store: &dyn SessionStore) {
    let mortal = |id: &str, lifetime| StoredHandle { lifetime_ms: Some(lifetime), ..handle(id, "ann", "12345") };
    for (id, lifetime) in [("l1", 9), ("l2", 10), ("l3", 11)] {
        assert_eq!(add(store, &mortal(id, lifetime), 1), HandleWrite::Done);
    }
    assert_eq!(ids(store, None, 9, 9), ["l1", "l2", "l3"]);
    assert_eq!(ids(store, None, 10, 9), ["l2", "l3"], "it ends with the millisecond of its end");
    assert_eq!(add(store, &handle("l4", "ann", &"x".repeat(20)), 11), HandleWrite::Done, "the expired do not count");
    let value = |id: &str| store.handle(id).expect("readable").map(|row| row.value);
    assert_eq!((value("l1"), value("l2"), value("l3")), (Some("".into()), Some("".into()), Some("12345".into())));
    add(store, &handle("l5", "ann", ""), 12);
    assert_eq!((value("l1"), value("l2"), value("l3")), (None, Some("".into()), Some("".into())), "the last two");
    let again = StoredHandle { version: 2, changed_ms: 50, ..mortal("l3", 100) };
    assert_eq!(store.set_handle(&again, &LIMITS, 50).expect("writable"), HandleWrite::Done);
    assert_eq!(ids(store, None, 50, 9), ["l3", "l4", "l5"]);
    assert_eq!(add(store, &handle("b1", "bob", ""), 111), HandleWrite::Done);
    assert_eq!((value("l2"), value("l3")), (None, Some("12345".into())), "a hundred after its end it is forgotten");
}

#[test]
fn every_store_keeps_the_contract() {
    over_every_store(|store| keeps_the_contract(&*store));
}

#[test]
fn what_is_stored_survives_and_others_see_it() {
    let tree = tree();
    let (one, other) = (project(&tree), project(&tree));
    add(&one, &handle("l1", "ann", "one"), 1);
    let next = StoredHandle { version: 2, ..handle("l1", "ann", "two") };
    assert_eq!(set(&other, &next), HandleWrite::Done);
    assert_eq!(set(&one, &next), HandleWrite::Changed(2));
    drop((one, other));
    assert_eq!(SessionStore::handle(&project(&tree), "l1").expect("readable"), Some(next));
}

#[test]
fn a_store_that_is_only_read_stays_as_it_is() {
    over_every_store(|stored| {
        stored.add_feedback(&new_feedback("q", None)).expect("writable");
        add(&*stored, &handle("l1", "ann", "one"), 1);
        let store = ReadOnlyStore::new(stored.clone());
        let refused = |error: Option<StoreError>| assert!(matches!(error, Some(StoreError::ReadOnly)), "{error:?}");
        refused(store.add_feedback(&new_feedback("q", None)).err());
        refused(store.undo_feedback(1, "ann", 1).err());
        assert_eq!((store.feedback(9).expect("readable").len(), store.newest_feedback().expect("readable")), (1, 1));
        let next = StoredHandle { version: 2, ..handle("l1", "ann", "two") };
        refused(store.set_handle(&next, &LIMITS, 1).err());
        refused(store.remove_handle("l1").err());
        // What is made while reading lives beside it.
        assert_eq!(add(&store, &handle("l2", "ann", "own"), 1), HandleWrite::Done);
        assert_eq!(set(&store, &StoredHandle { version: 2, ..handle("l2", "ann", "new") }), HandleWrite::Done);
        assert_eq!(ids(&store, None, 1, 9), ["l1", "l2"]);
        assert_eq!(ids(&*stored, None, 1, 9), ["l1"]);
        assert!(store.remove_handle("l2").expect("it is its own"));
        assert_eq!(stored.handle("l1").expect("readable"), Some(handle("l1", "ann", "one")));
    });
}
