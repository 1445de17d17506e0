//! `cargo xtask ci`: the checks that run no tests, fastest first.

use std::process::{Command, Stdio};
use std::time::Instant;

use crate::{Outcome, cargo, codegen, must_succeed, tidy};

/// Title and function of a step.
type Step = (&'static str, fn() -> Outcome<()>);

const STEPS: &[Step] = &[
    ("format", format),
    ("tidy", || tidy::run(&[])),
    ("generated files", || codegen::run(&["--check".to_owned()])),
    ("lints", lints),
    ("licences", licences),
];

pub(crate) fn run(args: &[String]) -> Outcome<()> {
    if !args.is_empty() {
        return Err(format!("takes no arguments, found {args:?}").into());
    }
    for (title, step) in STEPS {
        let started = Instant::now();
        println!("== {title}");
        step().map_err(|error| format!("{title}: {error}"))?;
        println!("== {title}: passed in {:.1} s", started.elapsed().as_secs_f64());
    }
    Ok(())
}

fn format() -> Outcome<()> {
    must_succeed(&mut cargo(&["fmt", "--all", "--check"]))
}

fn lints() -> Outcome<()> {
    must_succeed(&mut cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "--deny", "warnings"]))
}

/// Licences, banned crates and sources of all dependencies. The advisories need the network and are only checked if
/// there is one.
fn licences() -> Outcome<()> {
    let installed = cargo(&["deny", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status()?.success();
    if !installed {
        if std::env::var_os("CI").is_none() {
            println!("skipped: cargo-deny is not installed (cargo install --locked cargo-deny)");
            return Ok(());
        }
        must_succeed(&mut cargo(&["install", "--quiet", "--locked", "cargo-deny"]))?;
    }
    must_succeed(&mut cargo(&["deny", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"]))?;
    let reachable = Command::new("git")
        .args(["ls-remote", "--exit-code", "https://github.com/RustSec/advisory-db", "HEAD"])
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !reachable {
        println!("skipped: the advisory database cannot be reached");
        return Ok(());
    }
    must_succeed(&mut cargo(&["deny", "check", "--hide-inclusion-graph", "advisories"]))
}
