//! Many writers, and a server that is stopped and crashes in between.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use m1nd_team::{Level, Mode, Patience};

use crate::server::{Clone, OWNER, REPOSITORY, Server, TEAM};

/// Size of a run.
struct Run {
    writers: usize,
    /// Memories of each writer, in this many rounds.
    memories: usize,
    rounds: usize,
    /// Time between two stops of the server.
    uptime: Duration,
}

/// Stops that every run has, whatever the speed of the machine: an orderly one and a crash.
const MIN_STOPS: usize = 2;

/// What a run showed.
#[derive(Debug)]
struct Outcome {
    lost: usize,
    doubled: usize,
    fast_stops: usize,
    crashes: usize,
    /// Pushes that found no database and left everything in the queue.
    queued: usize,
    seconds: f64,
}

/// The words of a memory, which no other memory has.
fn write_memory(writer: usize, number: usize) -> String {
    format!("**Decided:** writer{writer} stores the value number{number} of its own")
}

fn run(run: &Run) -> Outcome {
    // 1. A server, a team, and a clone for each writer.
    let server = Server::start();
    let logins: Vec<String> = (0..run.writers).map(|writer| format!("writer{writer}")).collect();
    let members: Vec<(&str, Level)> = logins.iter().map(|login| (login.as_str(), Level::Write)).collect();
    server.set_up(TEAM, &members, false);
    let (is_done, working, queued) = (AtomicBool::new(false), AtomicUsize::new(run.writers), AtomicUsize::new(0));
    let begun_stops = AtomicUsize::new(0);
    let begin = Instant::now();
    // 2. Writers write, while the server goes and comes back.
    let (fast_stops, crashes) = std::thread::scope(|scope| {
        for (writer, login) in logins.iter().enumerate() {
            let (server, working, queued, is_done, stops) = (&server, &working, &queued, &is_done, &begun_stops);
            scope.spawn(move || {
                let patience = Patience { max_attempts: 3, max_time: Duration::from_secs(2) };
                let mut clone = Clone::of(server.settings(login), TEAM, REPOSITORY, "# shop\n", patience);
                write_and_push(&mut clone, writer, run, (queued, stops));
                if working.fetch_sub(1, Ordering::SeqCst) == 1 {
                    is_done.store(true, Ordering::SeqCst);
                }
            });
        }
        let mut stops = [0, 0];
        while !is_done.load(Ordering::SeqCst) {
            std::thread::sleep(run.uptime);
            let number = stops[0] + stops[1];
            stops[number % 2] += 1;
            begun_stops.fetch_add(1, Ordering::SeqCst);
            server.stop(if number % 2 == 0 { "fast" } else { "immediate" });
            std::thread::sleep(run.uptime / 4);
            server.boot();
        }
        (stops[0], stops[1])
    });
    let seconds = begin.elapsed().as_secs_f64();
    // 3. Count.
    let rows = server.sql(OWNER, "SELECT line FROM m1nd.memory").expect("is read");
    let stored: BTreeSet<&String> = rows.iter().collect();
    let expected =
        (0..run.writers).flat_map(|writer| (0..run.memories).map(move |number| write_memory(writer, number)));
    let lost = expected.filter(|line| !stored.contains(line)).count();
    let doubled = rows.len() - stored.len();
    Outcome { lost, doubled, fast_stops, crashes, queued: queued.load(Ordering::SeqCst), seconds }
}

/// Writes memories round by round, and pushes each; at last until nothing is queued.
fn write_and_push(clone: &mut Clone, writer: usize, run: &Run, (queued, stops): (&AtomicUsize, &AtomicUsize)) {
    let mut text = clone.text();
    for round in 0..run.rounds {
        // Some rounds begin as a stop does, so that pushes meet it.
        while stops.load(Ordering::SeqCst) < (round + 1) * MIN_STOPS / run.rounds {
            std::thread::sleep(Duration::from_millis(1));
        }
        let share = run.memories / run.rounds;
        for number in round * share..(round + 1) * share {
            text.push_str(&format!("\n{}\n", write_memory(writer, number)));
        }
        clone.write(&text);
        let pushed = clone.session.exchange(&clone.project, Mode::Push).expect("is sent or queued");
        assert!(pushed.withheld.is_empty() && pushed.refused.is_empty(), "{pushed:?}");
        queued.fetch_add(usize::from(pushed.queued > 0), Ordering::SeqCst);
    }
    let begin = Instant::now();
    while clone.session.exchange(&clone.project, Mode::Push).expect("is sent or queued").queued > 0 {
        assert!(begin.elapsed() < Duration::from_secs(120), "the queue is not sent");
    }
}

#[test]
#[cfg_attr(not(postgres), ignore = "PostgreSQL is not installed: set M1ND_TEST_POSTGRES to the folder of initdb")]
fn writers_lose_and_double_nothing_while_the_server_restarts() {
    let outcome = run(&Run { writers: 6, memories: 60, rounds: 12, uptime: Duration::from_millis(400) });
    assert_eq!((outcome.lost, outcome.doubled), (0, 0), "{outcome:?}");
    assert!(outcome.fast_stops > 0 && outcome.crashes > 0, "the server was stopped both ways: {outcome:?}");
}

/// Prints the figures of `benches/team.md`:
/// `cargo test -p m1nd-team --test it -- --ignored --nocapture twenty_writers`.
#[test]
#[ignore = "takes minutes; benches/team.md says how to run it"]
fn twenty_writers_with_a_thousand_memories_each() {
    let outcome = run(&Run { writers: 20, memories: 1_000, rounds: 50, uptime: Duration::from_secs(3) });
    let Outcome { lost, doubled, fast_stops, crashes, queued, seconds } = outcome;
    println!(
        "{lost} lost, {doubled} doubled; {fast_stops} stops, {crashes} crashes; {queued} pushes queued; {seconds:.0} s"
    );
    assert_eq!((lost, doubled), (0, 0));
}
