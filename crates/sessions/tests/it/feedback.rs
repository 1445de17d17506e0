//! The ledger of feedback.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use m1nd_base::Clock;
use m1nd_sessions::{
    Expiry, HandleLimits, HandleQuery, HandleWrite, Lesson, MAX_LESSON_NODES, MAX_NAME, MAX_QUESTION, MemoryStore,
    NewFeedback, SessionStore, Sessions, StoreError, StoredFeedback, StoredHandle, Undone,
};

use super::{START, clock, over_every_store, project, tree};

const LESSON: Lesson<'_> =
    Lesson { agent: "ann", kind: "correct", query: "where?", strength: 0.5, key: None, nodes: &["file::a"] };

#[test]
fn rows_are_read_again_only_when_there_are_others() {
    over_every_store(|store| {
        let (clock, _) = clock();
        let (one, other) = (Sessions::new(store.clone(), clock.clone()), Sessions::new(store, clock));
        let empty = one.feedback().0;
        assert_eq!((empty.rows().len(), empty.newest()), (0, 0));
        let (id, known) = other.learn(&LESSON).expect("writable");
        assert!(!known);
        let rows = one.feedback().0;
        assert_eq!(rows.newest(), id);
        assert_eq!((rows.rows()[0].id, rows.rows()[0].told.at_ms), (id, START));
        // Readers keep what they make of the rows beside them.
        assert_eq!(*rows.derived_values().get_or_init(|| 7_u32), 7);
        assert!(Arc::ptr_eq(&rows, &one.feedback().0));
        assert!(matches!(one.unlearn("bob", id).expect("writable"), Undone::Now(_)));
        let later = one.feedback().0;
        assert_eq!((later.rows().len(), later.derived_values().get::<u32>()), (0, None));
        assert_eq!(rows.rows().len(), 1, "who holds rows keeps them");
    });
}

#[test]
fn what_is_told_is_cut_and_has_no_secrets() {
    over_every_store(|store| {
        let sessions = Sessions::new(store, clock().0);
        let secret = format!("token {}{} fails", "ghp_", "x9QmT2vLw8ZrK4nPd7YbH1sCj6FgA3uEoi5X");
        let (name, question) = ("n".repeat(MAX_NAME + 1), "é ".repeat(MAX_QUESTION));
        let nodes = vec!["file::a"; MAX_LESSON_NODES + 1];
        sessions.learn(&Lesson { query: &secret, strength: 7.0, ..LESSON }).expect("writable");
        let long = Lesson { agent: &name, query: &question, key: Some(&name), nodes: &nodes, ..LESSON };
        sessions.learn(&long).expect("writable");
        let rows = sessions.feedback().0;
        let [first, second] = rows.rows() else { panic!("two rows") };
        assert_eq!(first.told.query, "token [REDACTED] fails");
        assert_eq!(first.told.strength, 1.0);
        assert_eq!(second.told.agent.len(), MAX_NAME);
        assert_eq!(second.told.key.as_ref().map(String::len), Some(MAX_NAME));
        assert_eq!(second.told.query.chars().count(), MAX_QUESTION);
        assert_eq!(second.told.nodes.len(), MAX_LESSON_NODES);
    });
}

/// A store that fails to read when told to.
#[derive(Debug, Default)]
struct Failing {
    under: MemoryStore,
    fails: AtomicBool,
}

impl SessionStore for Failing {
    fn add_feedback(&self, told: &NewFeedback) -> Result<(i64, bool), StoreError> {
        self.under.add_feedback(told)
    }
    fn undo_feedback(&self, row: i64, agent: &str, at_ms: u64) -> Result<Undone, StoreError> {
        self.under.undo_feedback(row, agent, at_ms)
    }
    fn feedback(&self, limit: usize) -> Result<Vec<StoredFeedback>, StoreError> {
        if self.fails.load(Ordering::Relaxed) {
            return Err(StoreError::Closed { path: "project.db".into() });
        }
        self.under.feedback(limit)
    }
    fn newest_feedback(&self) -> Result<i64, StoreError> {
        self.under.newest_feedback()
    }
    fn add_handle(&self, row: &StoredHandle, limits: &HandleLimits, at: &Expiry) -> Result<HandleWrite, StoreError> {
        self.under.add_handle(row, limits, at)
    }
    fn handle(&self, id: &str) -> Result<Option<StoredHandle>, StoreError> {
        self.under.handle(id)
    }
    fn handles(&self, query: &HandleQuery<'_>) -> Result<Vec<StoredHandle>, StoreError> {
        self.under.handles(query)
    }
    fn set_handle(&self, next: &StoredHandle, limits: &HandleLimits, now: u64) -> Result<HandleWrite, StoreError> {
        self.under.set_handle(next, limits, now)
    }
    fn remove_handle(&self, id: &str) -> Result<bool, StoreError> {
        self.under.remove_handle(id)
    }
}

#[test]
fn if_rows_cannot_be_read_the_last_ones_are_given_with_the_reason() {
    let store = Arc::new(Failing::default());
    let sessions = Sessions::new(store.clone(), Clock::new(|| START));
    sessions.learn(&LESSON).expect("writable");
    assert_eq!(sessions.feedback().0.rows().len(), 1);
    sessions.learn(&LESSON).expect("writable");
    store.fails.store(true, Ordering::Relaxed);
    let (rows, unavailable) = sessions.feedback();
    assert_eq!(rows.rows().len(), 1, "as they were");
    assert!(unavailable.is_some_and(|why| why.contains("project.db")));
    store.fails.store(false, Ordering::Relaxed);
    let (rows, unavailable) = sessions.feedback();
    assert_eq!((rows.rows().len(), unavailable), (2, None));
}

#[test]
fn what_is_told_survives_the_process() {
    let tree = tree();
    let open = || Sessions::new(Arc::new(project(&tree)), clock().0);
    open().learn(&LESSON).expect("writable");
    assert_eq!(open().feedback().0.rows()[0].told.query, "where?");
}
