//! Visits as their users see them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use m1nd_sessions::{MAX_VISIT_FILES, PAUSE_MS, Seen, SeenFile, SessionStore, Sessions, Visits, WRITE_MS};

use super::{clock, over_every_store};

/// A process of a test.
struct Process {
    visits: Visits,
    time: Arc<AtomicU64>,
}

fn process(store: &Arc<dyn SessionStore>, time: &Arc<AtomicU64>, answers_once: bool) -> Process {
    let given = time.clone();
    let clock = m1nd_base::Clock::new(move || given.load(Ordering::Relaxed));
    Process { visits: Visits::new(Arc::new(Sessions::new(store.clone(), clock)), answers_once), time: time.clone() }
}

fn new_seen(generation: u64, files: usize) -> Seen {
    let row = move |number: usize| SeenFile(format!("f{number}"), "Python".into(), format!("{generation:064}"));
    let files = Box::new(move || (0..files).map(row).collect());
    Seen { generation, head: Some("c0ffee".into()), nodes: 1, edges: 0, files }
}

impl Process {
    /// A call after some time; returns the generation of the baseline, 0 for none.
    fn call(&self, later_ms: u64, generation: u64) -> u64 {
        self.time.fetch_add(later_ms, Ordering::Relaxed);
        let baseline = self.visits.begin("ann").expect("readable");
        self.visits.note("ann", new_seen(generation, 2)).expect("writable");
        baseline.map_or(0, |mark| mark.generation)
    }
}

#[test]
fn a_visit_ends_with_its_process_or_a_pause() {
    over_every_store(|store| {
        let time = Arc::new(AtomicU64::new(clock().0.now_ms()));
        let first = process(&store, &time, false);
        assert_eq!([first.call(0, 1), first.call(5, 2), first.call(WRITE_MS, 3), first.call(5, 4)], [0; 4]);
        drop(first);
        // The last state is written at the end, although it was written shortly before.
        let second = process(&store, &time, false);
        assert_eq!([second.call(5, 4), second.call(PAUSE_MS, 5), second.call(PAUSE_MS + 1, 6)], [4, 4, 5]);
        let mark = second.visits.baseline("ann").expect("known");
        let files = second.visits.files("ann", &mark).expect("readable").expect("listed");
        assert_eq!((files.len(), files[0].2.ends_with('5')), (2, true));
        assert_eq!(second.visits.baseline("bob"), None);
    });
}

#[test]
fn processes_that_answer_once_share_a_visit() {
    over_every_store(|store| {
        let time = Arc::new(AtomicU64::new(clock().0.now_ms()));
        let baselines: Vec<u64> = [(0, 1), (5, 2), (PAUSE_MS + 1, 3), (5, 4), (PAUSE_MS + 1, 4)]
            .into_iter()
            .map(|(later, generation)| process(&store, &time, true).call(later, generation))
            .collect();
        assert_eq!(baselines, [0, 0, 2, 2, 4]);
    });
}

#[test]
fn two_processes_of_one_agent_do_not_lose_the_state() {
    over_every_store(|store| {
        let time = Arc::new(AtomicU64::new(clock().0.now_ms()));
        let (one, other) = (process(&store, &time, false), process(&store, &time, false));
        one.call(0, 1);
        one.visits.begin("ann").expect("readable");
        assert_eq!(other.call(1, 2), 1);
        time.fetch_add(WRITE_MS, Ordering::Relaxed);
        let conflict = one.visits.note("ann", new_seen(3, 2));
        assert!(conflict.is_err_and(|error| error.code() == "handle_changed"));
        assert_eq!(one.call(WRITE_MS, 4), 0);
        drop((one, other));
        assert_eq!(process(&store, &time, false).call(0, 4), 4);
    });
}

#[test]
fn too_many_files_are_not_listed() {
    over_every_store(|store| {
        let time = Arc::new(AtomicU64::new(clock().0.now_ms()));
        let first = process(&store, &time, false);
        first.visits.begin("ann").expect("readable");
        first.visits.note("ann", new_seen(1, MAX_VISIT_FILES + 1)).expect("writable");
        drop(first);
        let second = process(&store, &time, false);
        let mark = second.visits.begin("ann").expect("readable").expect("known");
        assert_eq!((mark.generation, second.visits.files("ann", &mark).expect("readable")), (1, None));
    });
}
