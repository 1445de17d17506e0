//! Handles as their users see them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use m1nd_sessions::{
    Access, CONNECTION_BYTES, EXPIRED_KEPT_MS, Handle, Held, Kind, OWNER_BYTES, SessionError, Sessions, StoredHandle, UPDATE_TRIES,
};
use serde::{Deserialize, Serialize};

use super::{START, clock, over_every_store, project, tree};

const HOUR_MS: u64 = 60 * 60 * 1_000;

/// Belongs to one agent and ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Walk {
    focus: String,
    steps: u32,
    score: f64,
}

impl Held for Walk {
    const KIND: Kind = Kind {
        name: "perspective",
        prefix: "persp",
        access: Access::Owner,
        lifetime: Some(Duration::from_secs(3_600)),
        max_per_owner: 3,
        max_bytes: 200,
    };
}

/// Is shared and stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Trail {
    label: String,
}

impl Held for Trail {
    const KIND: Kind = Kind {
        name: "trail",
        prefix: "trail",
        access: Access::Everyone,
        lifetime: None,
        max_per_owner: 100,
        max_bytes: 1 << 20,
    };
}

fn walk(focus: &str) -> Walk {
    Walk { focus: focus.into(), steps: 0, score: 0.8 * 0.55 }
}

fn trail(label: &str) -> Trail {
    Trail { label: label.into() }
}

fn code<T>(result: Result<T, SessionError>) -> &'static str {
    result.err().map_or("fine", |error| error.code())
}

#[test]
fn a_value_is_kept_as_it_was_and_found_by_its_id_only() {
    over_every_store(|store| {
        let sessions = Sessions::new(store, clock().0);
        let made = sessions.mint("Ann 1", walk("file::a")).expect("there is room");
        assert!(made.id.starts_with("persp_ann-1_"), "{}", made.id);
        assert_eq!((made.version, made.created_ms, made.expires_ms), (1, START, Some(START + HOUR_MS)));
        assert_eq!(sessions.get::<Walk>("Ann 1", &made.id).expect("it is there"), made, "to the last bit");
        assert_eq!(code(sessions.get::<Walk>("Ann 1", &made.id[..made.id.len() - 1])), "handle_unknown");
        assert_eq!(code(sessions.get::<Trail>("Ann 1", &made.id)), "handle_unknown", "of another kind");
        sessions.remove::<Walk>("Ann 1", &made.id).expect("it is there");
        assert_eq!(code(sessions.remove::<Walk>("Ann 1", &made.id)), "handle_unknown");
    });
}

#[test]
fn owners_do_not_get_at_each_others_handles_unless_they_are_shared() {
    over_every_store(|store| {
        let sessions = Sessions::new(store, clock().0);
        let mut own = sessions.mint("ann", walk("file::a")).expect("there is room");
        let error = sessions.get::<Walk>("bob", &own.id).expect_err("it is of ann");
        assert_eq!(
            error.to_string(),
            format!("the perspective `{}` belongs to agent `ann`, not to `bob`; create your own", own.id)
        );
        assert_eq!(code(sessions.put("bob", &mut own)), "handle_not_yours");
        assert_eq!(code(sessions.remove::<Walk>("bob", &own.id)), "handle_not_yours");
        let mut shared = sessions.mint("ann", trail("login")).expect("there is room");
        shared.value.label = "merged".into();
        sessions.put("bob", &mut shared).expect("everyone may");
        let read = sessions.get::<Trail>("eve", &shared.id).expect("everyone may");
        assert_eq!((read.owner.as_str(), read.value.label.as_str()), ("ann", "merged"));
        sessions.remove::<Trail>("bob", &shared.id).expect("everyone may");
    });
}

#[test]
fn handles_end_and_are_known_to_have_been_there() {
    over_every_store(|store| {
        let (clock, now) = clock();
        let sessions = Sessions::new(store, clock);
        let mut made = sessions.mint("ann", walk("file::a")).expect("there is room");
        let forever = sessions.mint_for("ann", walk("file::b"), None).expect("there is room");
        now.store(START + HOUR_MS - 1, Ordering::Relaxed);
        sessions.put("ann", &mut made).expect("not yet");
        now.store(START + HOUR_MS + 60_000, Ordering::Relaxed);
        assert_eq!(code(sessions.get::<Walk>("ann", &made.id)), "fine", "a change makes it live longer");
        let end = START + 2 * HOUR_MS - 1;
        now.store(end + 5 * 60_000, Ordering::Relaxed);
        let expired = |id: &str| match sessions.get::<Walk>("ann", id) {
            Err(SessionError::Expired { at_ms, ago_ms, .. }) => Some((at_ms, ago_ms)),
            _ => None,
        };
        assert_eq!(expired(&made.id), Some((end, 5 * 60_000)));
        assert_eq!(code(sessions.put("ann", &mut made)), "handle_expired");
        assert_eq!(code(sessions.get::<Walk>("bob", &made.id)), "handle_not_yours");
        assert_eq!(sessions.list::<Walk>(None, 9).expect("readable").handles, std::slice::from_ref(&forever));
        // Others are made meanwhile, which clears what has expired.
        now.store(end + EXPIRED_KEPT_MS - 1, Ordering::Relaxed);
        sessions.mint("ann", trail("a")).expect("there is room");
        assert!(expired(&made.id).is_some());
        now.store(end + EXPIRED_KEPT_MS, Ordering::Relaxed);
        sessions.mint("ann", trail("b")).expect("there is room");
        assert_eq!(code(sessions.get::<Walk>("ann", &made.id)), "handle_unknown");
        assert_eq!(code(sessions.get::<Walk>("ann", &forever.id)), "fine");
    });
}

#[test]
fn limits_are_of_kinds_owners_and_bytes() {
    over_every_store(|store| {
        let sessions = Sessions::new(store, clock().0);
        for _ in 0..Walk::KIND.max_per_owner {
            sessions.mint("ann", walk("file::a")).expect("there is room");
        }
        assert_eq!(code(sessions.mint("ann", walk("file::a"))), "too_many_handles");
        assert_eq!(code(sessions.mint("bob", walk("file::a"))), "fine");
        assert_eq!(code(sessions.mint("eve", walk(&"x".repeat(200)))), "handle_too_large");
        let large = trail(&"x".repeat(1_000_000));
        let held: Vec<_> = (0..OWNER_BYTES / 1_000_000).map(|_| sessions.mint("ann", large.clone())).collect();
        assert!(held.iter().all(Result::is_ok));
        assert_eq!(code(sessions.mint("ann", large.clone())), "handles_full");
        assert_eq!(code(sessions.mint("bob", large)), "fine");
    });
}

/// Invented names give no more room: the connection is bounded, and others still have theirs.
#[test]
fn one_connection_cannot_take_the_room_of_all_by_inventing_names() {
    over_every_store(|store| {
        let sessions = Sessions::new(store.clone(), clock().0);
        let large = trail(&"x".repeat(1_000_000));
        let mut held = Vec::new();
        let refused = loop {
            let name = format!("agent {}", held.len());
            match sessions.mint(&name, large.clone()) {
                Ok(handle) => held.push((name, handle)),
                Err(error) => break error,
            }
            assert!(held.len() < 200, "it is never refused");
        };
        assert_eq!(code::<()>(Err(refused)), "connection_full");
        assert_eq!(held.len() as u64, CONNECTION_BYTES / 1_000_012);
        let (name, one) = held.pop().expect("some");
        assert_eq!(code(Sessions::new(store, clock().0).mint("another", large.clone())), "fine");
        sessions.remove::<Trail>(&name, &one.id).expect("it is there");
        assert_eq!(code(sessions.mint("later", large)), "fine");
    });
}

#[test]
fn of_two_changes_of_the_same_version_one_is_refused() {
    over_every_store(|store| {
        let sessions = Sessions::new(store, clock().0);
        let mut one: Handle<Walk> = sessions.mint("ann", walk("file::a")).expect("there is room");
        let mut other = one.clone();
        one.value.steps = 1;
        sessions.put("ann", &mut one).expect("the first");
        assert_eq!(one, sessions.get("ann", &one.id).expect("it is there"));
        let before = other.clone();
        let error = sessions.put("ann", &mut other).expect_err("the second");
        assert!(matches!(error, SessionError::Changed { expected: 1, found: 2, .. }), "{error}");
        assert_eq!(other, before);
    });
}

#[test]
fn updates_of_many_threads_are_all_kept() {
    const THREADS: u32 = 4;
    const UPDATES: u32 = 5;
    over_every_store(|store| {
        let sessions = Sessions::new(store, clock().0);
        let id = sessions.mint("ann", walk("file::a")).expect("there is room").id;
        let step = || {
            let add = |walk: &mut Walk| {
                walk.steps += 1;
                Ok::<_, SessionError>(walk.steps)
            };
            // With so many at once, even several tries can be in vain.
            let tries = (0..100).map(|_| sessions.update("ann", &id, add));
            let done = tries.into_iter().find(|result| !matches!(result, Err(SessionError::Changed { .. })));
            done.expect("one of many tries").expect("it is there")
        };
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| (0..UPDATES).for_each(|_| drop(step())));
            }
        });
        let end = sessions.get::<Walk>("ann", &id).expect("it is there");
        assert_eq!((end.value.steps, end.version), (THREADS * UPDATES, u64::from(THREADS * UPDATES) + 1));
    });
}

#[test]
fn an_update_is_tried_again_and_an_error_in_it_stores_nothing() {
    over_every_store(|store| {
        let sessions = Sessions::new(store, clock().0);
        let id = sessions.mint("ann", walk("file::a")).expect("there is room").id;
        let mut calls = 0;
        let disturbed = sessions.update("ann", &id, |walk: &mut Walk| {
            calls += 1;
            walk.steps += 10;
            sessions.update("ann", &id, |walk: &mut Walk| {
                walk.steps += 1;
                Ok::<_, SessionError>(())
            })
        });
        assert_eq!((code(disturbed), calls), ("handle_changed", UPDATE_TRIES));
        let failed = sessions.update("ann", &id, |walk: &mut Walk| {
            walk.steps = 99;
            Err::<(), _>(SessionError::NoRandomness { detail: "as an example".into() })
        });
        assert_eq!(code(failed), "no_randomness");
        assert_eq!(sessions.get::<Walk>("ann", &id).expect("it is there").value.steps, UPDATE_TRIES as u32);
    });
}

#[test]
fn values_of_another_version_are_named_and_can_be_removed() {
    over_every_store(|store| {
        let (clock, now) = clock();
        let sessions = Sessions::new(store.clone(), clock);
        let made = sessions.mint("ann", walk("file::a")).expect("there is room");
        now.store(START + 1, Ordering::Relaxed);
        let later = sessions.mint("bob", walk("file::b")).expect("there is room");
        let row = store.handle(&made.id).expect("readable").expect("it is there");
        let limits = m1nd_sessions::HandleLimits { per_owner: 9, owner_bytes: 999, all_bytes: 999 };
        let other = StoredHandle { version: 2, value: "{\"focus\":7}".into(), ..row };
        store.set_handle(&other, &limits, START).expect("writable");
        assert_eq!(code(sessions.get::<Walk>("ann", &made.id)), "handle_unreadable");
        let listed = sessions.list::<Walk>(None, 9).expect("readable");
        assert_eq!(listed.handles, [later]);
        assert_eq!(listed.unreadable.iter().map(|row| &row.id).collect::<Vec<_>>(), [&made.id]);
        assert_eq!(sessions.list::<Walk>(Some("bob"), 9).expect("readable").unreadable, []);
        sessions.remove::<Walk>("ann", &made.id).expect("it is there");
    });
}

#[test]
fn handles_survive_the_process() {
    let tree = tree();
    let open = || Sessions::new(Arc::new(project(&tree)), clock().0);
    let made = open().mint("ann", trail("login")).expect("there is room");
    assert_eq!(open().get::<Trail>("ann", &made.id).expect("it is there"), made);
}

#[test]
fn primings_and_agents_follow_the_clock() {
    let (clock, now) = clock();
    let sessions = Sessions::new(Arc::new(m1nd_sessions::MemoryStore::default()), clock);
    sessions.prime("ann", "fix login", 2.0, vec![("file::a".into(), 0.5)]);
    sessions.touch("ann");
    now.store(START + HOUR_MS, Ordering::Relaxed);
    sessions.touch("ann");
    let primed = sessions.priming("ann").expect("it has not faded");
    assert_eq!(
        (primed.task.as_str(), primed.strength, primed.nodes),
        ("fix login", 0.25, vec![("file::a".into(), 0.5)])
    );
    let agents = sessions.agents();
    assert_eq!((agents[0].first_seen_ms, agents[0].last_seen_ms, agents[0].queries), (START, START + HOUR_MS, 2));
    sessions.prime("ann", "", 0.0, vec![("file::a".into(), 0.5)]);
    assert_eq!(sessions.priming("ann"), None);
}
