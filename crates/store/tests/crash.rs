//! Processes are killed at any moment: everything they acknowledged is there, complete, and the next process takes
//! over.
//!
//! `M1ND_CRASH_CYCLES` sets the number of cycles.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use m1nd_store::{Home, ProjectDir};
use m1nd_testkit::{Random, TempTree};

const HOME: &str = "M1ND_CRASH_HOME";
const CYCLES: &str = "M1ND_CRASH_CYCLES";
const DEFAULT_CYCLES: usize = 100;
/// Number of roots that change together.
const TOGETHER: u64 = 20;

fn open(home: &Path) -> ProjectDir {
    Home::open(home).and_then(|home| home.project(Path::new("/"))).expect("the project opens")
}

fn snapshot(generation: u64) -> Vec<u8> {
    format!("{generation};").repeat(3_000).into_bytes()
}

/// One round of all kinds of commits for `generation`; reports each as soon as it is done.
fn commit_all(project: &ProjectDir, generation: u64, mut tell: impl FnMut(&str)) {
    project.set_setting("generation", Some(&generation.to_string())).expect("writable");
    tell("setting");
    let roots: Vec<PathBuf> = (0..TOGETHER).map(|number| PathBuf::from(format!("/{number}/{generation}"))).collect();
    project.set_roots(&roots).expect("writable");
    tell("roots");
    let bytes = snapshot(generation);
    project.publish_snapshot(&mut |out| out.write_all(&bytes)).expect("writable");
    tell("snapshot");
}

/// The stored value of each kind; panics if any of them is torn.
fn read_stored(project: &ProjectDir) -> [(&'static str, u64); 3] {
    let number = |text: &str| text.parse().expect("a number was stored");
    let setting = project.setting("generation").expect("readable").map_or(0, |text| number(&text));
    let roots = project.roots().expect("readable");
    let generations: Vec<u64> =
        roots.iter().map(|path| number(&path.file_name().expect("named").to_string_lossy())).collect();
    assert!(generations.iter().all(|generation| generation == &generations[0]), "torn roots: {roots:?}");
    assert!(roots.is_empty() || roots.len() as u64 == TOGETHER, "lost roots: {roots:?}");
    let path = project.snapshot_path();
    let published = if path.exists() {
        let bytes = std::fs::read(path).expect("readable");
        let text = String::from_utf8_lossy(&bytes);
        let generation = number(text.split(';').next().unwrap_or_default());
        assert!(bytes == snapshot(generation), "torn snapshot: {} bytes", bytes.len());
        generation
    } else {
        0
    };
    [("setting", setting), ("roots", generations.first().copied().unwrap_or(0)), ("snapshot", published)]
}

/// Runs in its own process, until it is killed or its input ends.
#[test]
#[ignore = "run by the other tests of this file"]
fn child() {
    let Some(home) = std::env::var_os(HOME) else { return };
    let project = open(Path::new(&home));
    let lock = project.try_lock().expect("lockable");
    let mut out = std::io::stdout();
    writeln!(out, "\n{}", if lock.is_some() { "locked" } else { "busy" }).expect("the parent listens");
    if std::env::var_os(CYCLES).is_none() || lock.is_none() {
        // Keeps its handles until the parent lets go.
        let _ = std::io::stdin().read(&mut [0]);
        return;
    }
    let [(_, last), ..] = read_stored(&project);
    for generation in last + 1.. {
        commit_all(&project, generation, |what| writeln!(out, "{what} {generation}").expect("the parent listens"));
    }
}

struct Process {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Process {
    fn start(home: &Path, commits: bool) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this test is a program"));
        command.args(["--exact", "child", "--ignored", "--nocapture"]).env(HOME, home);
        command.env_remove(CYCLES).stdin(Stdio::piped()).stdout(Stdio::piped());
        if commits {
            command.env(CYCLES, "");
        }
        let mut child = command.spawn().expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        Self { child, lines }
    }

    fn has_lock(&mut self) -> bool {
        let verdict = |line: &String| ["locked", "busy"].contains(&line.as_str());
        self.lines.by_ref().map_while(Result::ok).find(verdict).expect("the child says") == "locked"
    }

    /// Kills the process without warning, and returns its output so far.
    fn kill(mut self) -> Vec<String> {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
        self.lines.map_while(Result::ok).collect()
    }
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let cycles = std::env::var(CYCLES).ok().and_then(|text| text.parse().ok()).unwrap_or(DEFAULT_CYCLES);
    let tree = TempTree::new("");
    let mut random = Random::new(cycles as u64);
    let mut acknowledged = 0;
    for cycle in 0..cycles {
        let mut process = Process::start(tree.path(), true);
        assert!(process.has_lock(), "cycle {cycle}: the lock of a dead process is still held");
        // Triggered by progress instead of time, so that a busy machine makes no difference; afterwards at any
        // moment.
        let mut told: Vec<String> = process.lines.by_ref().map_while(Result::ok).take(random.below(9)).collect();
        std::thread::sleep(Duration::from_micros(random.below(10_000) as u64));
        told.extend(process.kill());
        let stored = read_stored(&open(tree.path()));
        for line in told {
            // The last line may be cut off.
            let Some((what, number)) = line.split_once(' ') else { continue };
            let Some((_, stored)) = stored.iter().find(|(kind, _)| *kind == what) else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            assert!(*stored >= number, "cycle {cycle}: {what} {number} was acknowledged, {stored} is stored");
            acknowledged += 1;
        }
    }
    assert!(acknowledged > cycles, "only {acknowledged} commits in {cycles} cycles");
}

#[test]
fn of_many_at_once_one_writes_and_another_takes_over() {
    let tree = TempTree::new("");
    let mut all: Vec<Process> = (0..20).map(|_| Process::start(tree.path(), false)).collect();
    let locked: Vec<bool> = all.iter_mut().map(Process::has_lock).collect();
    assert_eq!(locked.iter().filter(|&&locked| locked).count(), 1, "{locked:?}");
    let owner = locked.iter().position(|&locked| locked).expect("there is one");
    let mut owner = all.swap_remove(owner);
    for round in 0..20 {
        owner.kill();
        owner = Process::start(tree.path(), false);
        assert!(owner.has_lock(), "round {round}: nobody took over");
    }
    owner.kill();
    for process in all {
        process.kill();
    }
}
