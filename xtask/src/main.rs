//! Repository tasks: `cargo xtask <task>`. Everything that continuous integration runs can be run locally.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line for people")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

mod base64;
mod bench;
mod ci;
mod codegen;
mod crash;
mod dist;
mod embed;
mod eval;
mod new;
mod picture;
mod product;
mod tidy;

/// Result of a task.
type Outcome<T> = Result<T, Box<dyn Error>>;

/// Name, description and function of a task.
type Task = (&'static str, &'static str, fn(&[String]) -> Outcome<()>);

const TASKS: &[Task] = &[
    ("ci", "format, lints, tidy and licences; what has to pass before a change is taken", ci::run),
    (
        "tidy",
        "the rules of this repository that no other tool knows; --figures prints how it reads, --shrink takes what was mended off the list of what is allowed",
        tidy::run,
    ),
    ("codegen", "write docs/tools.md from the registry of tools; --check only compares", codegen::run),
    (
        "new",
        "the files and rows of something that does nothing yet: tool TOOLSET NAME | language NAME EXTENSION GRAMMAR@VERSION",
        new::run,
    ),
    (
        "dist",
        "the packages of a release build: [--binary PATH] [--target TRIPLE] [--out DIR] [--fast]; with --manifests VERSION, the files of Homebrew, Scoop, winget and the MCP registry",
        dist::run,
    ),
    ("picture", "draw docs/session.svg from a real session: --program PATH --repo PATH", picture::run),
    ("crash", "kill a writing process again and again: --cycles N (default 1000)", crash::run),
    ("bench", "measure: ingest|find [--write] PATH... | memory [--write] | torture [--write] [NAME...]", bench::run),
    (
        "eval",
        "the graph against truth made by others, and after edits; words and vectors: edges, callgraph, localize, trace, memory, seek, equality, relink, cochange, risk, layers, antibody, embed",
        evaluate,
    ),
    ("train-embed", "train the table of word vectors: --cache DIR [--fetch] [--write]", embed::run),
    ("fit-seek", "fit the ranking of seek: --rows FILE... --checkouts DIR [--write]", eval::fit_seek),
    (
        "fit-predict",
        "fit the ranking of predict: --mirror DIR --checkouts DIR [--without owner/name,…] [--write]",
        eval::fit_predict,
    ),
    ("fit-trace", "fit the ranking of trace: --rows FILE... --checkouts DIR [--write]", eval::fit_trace),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = args.split_first().map_or(("help", &[][..]), |(name, rest)| (name.as_str(), rest));
    let Some((_, _, task)) = TASKS.iter().find(|(task, ..)| *task == name) else {
        println!("cargo xtask <task>");
        TASKS.iter().for_each(|(name, what, _)| println!("  {name:<13}{what}"));
        return if matches!(name, "help" | "--help" | "-h") { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    };
    match task(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask {name}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// `eval …`: that of vectors lies beside their training.
fn evaluate(args: &[String]) -> Outcome<()> {
    match args.split_first() {
        Some((what, rest)) if what == "embed" => embed::evaluate(rest),
        _ => eval::run(args),
    }
}

/// The top of the repository, wherever the task was started.
fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate lies in a folder of the repository")
}

/// `cargo` with arguments, run in the repository root.
fn cargo(args: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from);
    let mut command = Command::new(cargo);
    command.args(args).current_dir(repository());
    command
}

/// The given percentile (as a share) of sorted values.
fn percentile<T: Copy + Default>(sorted: &[T], share: f64) -> T {
    let at = ((sorted.len() as f64 - 1.0) * share).round() as usize;
    sorted.get(at).copied().unwrap_or_default()
}

/// Runs a command and propagates its failure.
fn must_succeed(command: &mut Command) -> Outcome<()> {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed with {status}").into()) }
}
