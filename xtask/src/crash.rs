//! `cargo xtask crash --cycles N`: kills a process that writes to the store N times, and one that edits a project, and
//! checks each time that what was acknowledged is there, whole, and that no batch of edits is half done. The ordinary
//! tests do the same with fewer cycles.

use crate::{Outcome, cargo, must_succeed};

const DEFAULT_CYCLES: &str = "1000";

pub(crate) fn run(args: &[String]) -> Outcome<()> {
    let cycles = match args {
        [] => DEFAULT_CYCLES,
        [flag, cycles] if flag == "--cycles" && cycles.parse::<usize>().is_ok() => cycles,
        _ => return Err(format!("expected: cargo xtask crash --cycles N, found {args:?}").into()),
    };
    let store = ["test", "--package", "m1nd-store", "--test", "crash", "--", "--nocapture"];
    let edit = ["test", "--package", "m1nd-edit", "--test", "edit", "--", "kills::"];
    for test in [&store[..], &edit] {
        must_succeed(cargo(test).env("M1ND_CRASH_CYCLES", cycles))?;
    }
    println!("{cycles} cycles: nothing lost, nothing torn");
    Ok(())
}
