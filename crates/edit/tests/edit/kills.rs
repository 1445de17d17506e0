//! A process is killed at every step of a commit, and at random moments: the next one finds all files old or all new.
//! `M1ND_CRASH_CYCLES` sets the number of random moments.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use m1nd_edit::{Gate, Origin, Step, Workspace};
use m1nd_store::SharedFolder;
use m1nd_testkit::{Random, TempTree};

use crate::world::{edit_in, text, tree_of};

const PROJECT: &str = "M1ND_KILL_PROJECT";
const HOME: &str = "M1ND_KILL_HOME";
const STEP: &str = "M1ND_KILL_STEP";
const FILES: usize = 20;

/// Kills this process at one step.
#[derive(Debug)]
struct Killer {
    step: usize,
    count: AtomicUsize,
}

impl Gate for Killer {
    fn pass(&self, _: Step) -> io::Result<()> {
        if self.count.fetch_add(1, Ordering::Relaxed) == self.step {
            let own = rustix::process::getpid();
            rustix::process::kill_process(own, rustix::process::Signal::KILL)?;
        }
        Ok(())
    }
}

fn name(number: usize) -> String {
    format!("d{}/f{number}.py", number % 3)
}

fn content(generation: usize, number: usize) -> String {
    format!("generation = {generation}\n").repeat(50 + number)
}

fn batch(project: &Path, generation: usize) -> Vec<m1nd_edit::Edit> {
    let mut edits: Vec<_> =
        (0..FILES).map(|number| edit_in(project, &name(number), text(&content(generation, number)))).collect();
    // One that comes and goes.
    let change = if generation % 2 == 1 { text("x = 1\n") } else { m1nd_edit::Change::Remove };
    edits.push(edit_in(project, "new/sometimes.py", change));
    edits
}

/// The generation of all files; panics if they differ or anything else is there.
fn generation(project: &Path, what: &str) -> usize {
    let tree = tree_of(project);
    let first = String::from_utf8_lossy(&tree[&name(0)].0).into_owned();
    let line = first.lines().next().unwrap_or_default();
    let generation = line.trim_start_matches("generation = ").parse().expect("a number");
    for number in 0..FILES {
        assert!(tree[&name(number)].0 == content(generation, number).as_bytes(), "{what}: {} is torn", name(number));
    }
    assert_eq!(tree.contains_key("new/sometimes.py"), generation % 2 == 1, "{what}");
    let files = tree.iter().filter(|(path, _)| path.ends_with(".py")).count();
    assert_eq!(files, FILES + generation % 2, "{what}");
    assert!(!tree.keys().any(|path| path.contains(".m1nd")), "{what}: {:?}", tree.keys());
    generation
}

fn workspace(home: &Path, gate: Arc<dyn Gate>) -> Workspace {
    Workspace::with(SharedFolder::new(home.join("edits")), home, gate)
}

/// Runs in its own process: commits one generation after the other.
#[test]
#[ignore = "run by the other tests of this file"]
fn child() {
    let (Some(project), Some(home)) = (std::env::var_os(PROJECT), std::env::var_os(HOME)) else { return };
    let (project, home) = (PathBuf::from(project), PathBuf::from(home));
    let step = std::env::var(STEP).ok().and_then(|text| text.parse().ok()).unwrap_or(usize::MAX);
    workspace(&home, Arc::new(m1nd_edit::OpenGate)).recover().expect("recovers");
    let first = generation(&project, "at the start");
    let workspace = workspace(&home, Arc::new(Killer { step, count: AtomicUsize::new(0) }));
    for next in first + 1.. {
        let plan = workspace.plan(batch(&project, next)).expect("plans");
        let origin = Origin { agent: String::new(), tool: String::new(), time_ms: next as u64, undoes: None };
        workspace.commit_as(&plan, &origin, &m1nd_base::Cancel::new(), &mut |_| {}).expect("commits");
        if std::env::var_os(STEP).is_some() {
            return;
        }
    }
}

fn spawn(project: &TempTree, home: &TempTree, step: Option<usize>) -> std::process::Child {
    let mut command = Command::new(std::env::current_exe().expect("it runs"));
    command.args(["--ignored", "--exact", "kills::child"]).env(PROJECT, project.path()).env(HOME, home.path());
    if let Some(step) = step {
        command.env(STEP, step.to_string());
    }
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts")
}

fn start() -> (TempTree, TempTree) {
    let (project, home) = (TempTree::new(""), TempTree::new(""));
    (0..FILES).for_each(|number| project.write(name(number), content(0, number)));
    (project, home)
}

#[test]
fn killed_at_every_step() {
    use std::os::unix::process::ExitStatusExt;
    let (project, home) = start();
    let mut seen = [0, 0];
    for step in 0.. {
        let before = generation(project.path(), "before");
        let status = spawn(&project, &home, Some(step)).wait().expect("ends");
        workspace(home.path(), Arc::new(m1nd_edit::OpenGate)).recover().expect("recovers");
        let after = generation(project.path(), &format!("step {step}"));
        if status.signal().is_none() {
            assert!(status.success() && after == before + 1 && step > 2 * FILES, "step {step}: {status}");
            break;
        }
        seen[after - before] += 1;
    }
    assert!(seen[0] > 40, "{seen:?}");
}

/// The process that commits one generation, under strace.
fn trace_commit(project: &TempTree, home: &TempTree, options: &[&str]) -> std::process::ExitStatus {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq"]).args(options).arg(std::env::current_exe().expect("it runs"));
    command.args(["--ignored", "--exact", "kills::child"]);
    command.env(PROJECT, project.path()).env(HOME, home.path()).env(STEP, usize::MAX.to_string());
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("strace is installed")
}

/// How often the thread that commits enters each system call.
fn calls(trace: &str) -> BTreeMap<String, usize> {
    let mut threads: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    for (thread, call) in trace.lines().filter_map(|line| line.split_once(' ')) {
        // Not the second half of a call, and not a signal.
        if let Some((name, _)) = call.trim().split_once('(').filter(|(name, _)| !name.contains([' ', '<'])) {
            *threads.entry(thread).or_default().entry(name.to_owned()).or_default() += 1;
        }
    }
    threads.into_values().max_by_key(|calls| calls.values().sum::<usize>()).expect("there is one")
}

/// The process is killed as it enters each of its system calls.
#[test]
#[ignore = "run by `cargo xtask crash`, where strace is installed"]
fn killed_at_every_system_call() {
    let (project, home) = start();
    let trace = TempTree::new("");
    let file = trace.join("trace").to_string_lossy().into_owned();
    assert!(trace_commit(&project, &home, &["-o", &file]).success());
    let calls = calls(&std::fs::read_to_string(&file).expect("is written"));
    assert!(["renameat2", "unlinkat", "fsync", "write"].iter().all(|name| calls.contains_key(*name)), "{calls:?}");
    let mut seen = [0, 0];
    for (name, count) in &calls {
        for number in 1..=*count {
            let before = generation(project.path(), "before");
            let inject = format!("inject={name}:signal=KILL:when={number}");
            let run = trace_commit(&project, &home, &["-o", "/dev/null", "-e", "trace=all", "-e", &inject]);
            workspace(home.path(), Arc::new(m1nd_edit::OpenGate)).recover().expect("recovers");
            let after = generation(project.path(), &format!("{name} {number}"));
            if !run.success() {
                seen[after - before] += 1;
            }
        }
    }
    let all: usize = calls.values().sum();
    println!(
        "killed at {} of {all} system calls: {} before the batch was done, {} after",
        seen[0] + seen[1],
        seen[0],
        seen[1]
    );
    assert!(seen[0] > 10 * FILES && seen[1] > 0 && seen[0] + seen[1] > all * 9 / 10, "{seen:?} of {calls:?}");
}

#[test]
fn killed_at_random_moments() {
    let cycles = std::env::var("M1ND_CRASH_CYCLES").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let (project, home) = start();
    let mut random = Random::new(7);
    for cycle in 0..cycles {
        let mut child = spawn(&project, &home, None);
        std::thread::sleep(Duration::from_micros(20_000 + random.below(150_000) as u64));
        child.kill().expect("is killed");
        child.wait().expect("ends");
        #[allow(clippy::disallowed_methods, reason = "recovery has a time limit")]
        let begin = std::time::Instant::now();
        workspace(home.path(), Arc::new(m1nd_edit::OpenGate)).recover().expect("recovers");
        assert!(begin.elapsed() < Duration::from_millis(2_000), "{:?}", begin.elapsed());
        generation(project.path(), &format!("cycle {cycle}"));
    }
    assert!(generation(project.path(), "in the end") > 0, "some commits were finished");
}
