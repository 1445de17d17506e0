//! `cargo xtask crash --cycles N`: kills a process that writes to the store N times, and one that edits a project, and
//! checks each time that what was acknowledged is there, whole, and that no batch of edits is half done; where `strace`
//! is installed, also at every system call of a batch. As many races of writers of one file are run. The ordinary tests
//! do the same with fewer cycles.

use std::process::Command;

use crate::{Outcome, cargo, must_succeed};

const EVERY_CALL: &[&str] = &[
    "test",
    "--package",
    "m1nd-edit",
    "--test",
    "edit",
    "--",
    "--ignored",
    "--exact",
    "kills::killed_at_every_system_call",
    "--nocapture",
];
const DEFAULT_CYCLES: &str = "1000";

pub(crate) fn run(args: &[String]) -> Outcome<()> {
    let cycles = match args {
        [] => DEFAULT_CYCLES,
        [flag, cycles] if flag == "--cycles" && cycles.parse::<usize>().is_ok() => cycles,
        _ => return Err(format!("expected: cargo xtask crash --cycles N, found {args:?}").into()),
    };
    let store = ["test", "--package", "m1nd-store", "--test", "crash", "--", "--nocapture"];
    let edit = ["test", "--package", "m1nd-edit", "--test", "edit", "--", "kills::", "races::"];
    for test in [&store[..], &edit] {
        must_succeed(cargo(test).env("M1ND_CRASH_CYCLES", cycles).env("M1ND_RACES", cycles))?;
    }
    match Command::new("strace").arg("--version").output() {
        Ok(_) => must_succeed(&mut cargo(EVERY_CALL))?,
        Err(_) => println!("strace is not installed: no process was killed at every system call"),
    }
    println!("{cycles} cycles: nothing lost, nothing torn");
    Ok(())
}
