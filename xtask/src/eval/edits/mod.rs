//! `cargo xtask eval edits …`: whether an agent that edits through the server breaks less, judged by compilers and by
//! what commits really changed. The server is driven as a client drives it, over its standard input and output.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::golden::Keep;
use crate::Outcome;

mod commits;
mod compilers;
pub(super) mod delta;
mod extract;
mod inline;
mod moved_commits;
mod moves;
mod mutations;
mod project;
mod refactorings;
mod rename;
mod signature;
mod speed;

const USAGE: &str =
    "expected: cargo xtask eval edits rename|move|moved-commits|signature|extract|inline|mutations|commits|speed --mirror DIR --work DIR
  --binary PATH [--tools DIR] [--repository owner/name]... [--samples N] [--seed S] [--explain N] [--check | --write]
  The commands that judge must be in PATH or in DIR of --tools: cargo, gcc, g++, go, javac, tsc 7 (npm install typescript@7),
  mypy, pyflakes and python with pytest (pip install mypy pyflakes pytest). eval/README.md says more.";
/// Samples of each repository.
const SAMPLES: usize = 25;

/// What to evaluate, on what, with what.
#[derive(Debug, Default)]
struct Request {
    /// Fetched git folders, `<owner>+<name>/repo`.
    mirror: PathBuf,
    /// Folder of checkouts and of what compilers write.
    work: PathBuf,
    /// The server.
    binary: PathBuf,
    /// Folder of compilers, before those of `PATH`.
    tools: Option<PathBuf>,
    /// `owner/name`; all that have a compiler if there is none.
    repositories: Vec<String>,
    samples: usize,
    seed: u64,
    explain: usize,
    keep: Keep,
}

impl Request {
    fn parse(args: &[String]) -> Outcome<Self> {
        let mut values: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        let mut request = Self { samples: SAMPLES, seed: 1, ..Self::default() };
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            match flag.as_str() {
                "--check" => request.keep = Keep::Check,
                "--write" => request.keep = Keep::Write,
                flag => {
                    let value = rest.next().ok_or_else(|| format!("{flag} needs a value; {USAGE}"))?;
                    values.entry(flag).or_default().push(value);
                }
            }
        }
        let number = |values: &[&String]| values[0].parse::<usize>().map_err(|_| USAGE);
        for (flag, values) in values {
            match flag {
                "--mirror" => request.mirror = values[0].into(),
                "--work" => request.work = values[0].into(),
                "--binary" => request.binary = values[0].into(),
                "--tools" => request.tools = Some(values[0].into()),
                "--repository" => request.repositories = values.into_iter().cloned().collect(),
                "--samples" => request.samples = number(&values)?,
                "--explain" => request.explain = number(&values)?,
                "--seed" => request.seed = number(&values)? as u64,
                _ => return Err(format!("unknown argument `{flag}`; {USAGE}").into()),
            }
        }
        for path in [&mut request.mirror, &mut request.work, &mut request.binary] {
            *path = std::fs::canonicalize(&*path).map_err(|error| format!("{}: {error}; {USAGE}", path.display()))?;
        }
        Ok(request)
    }
}

/// With `--write`, the stored results of repositories that the request does not name stay.
fn keep_others<C: DeserializeOwned>(path: &Path, request: &Request, found: &mut BTreeMap<String, C>) -> Outcome<()> {
    if !matches!(request.keep, Keep::Write) || request.repositories.is_empty() || !path.is_file() {
        return Ok(());
    }
    let mut stored: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let rows = stored["repositories"].as_object_mut().map(std::mem::take).unwrap_or_default();
    for (name, counts) in rows.into_iter().filter(|(name, _)| !request.repositories.contains(name)) {
        found.insert(name, serde_json::from_value(counts)?);
    }
    Ok(())
}

pub(super) fn run(args: &[String]) -> Outcome<()> {
    let Some((part, rest)) = args.split_first() else { return Err(USAGE.into()) };
    let request = Request::parse(rest)?;
    match part.as_str() {
        "rename" => rename::run(&request),
        "move" => moves::run(&request),
        "moved-commits" => moved_commits::run(&request),
        "signature" => signature::run(&request),
        "extract" => extract::run(&request),
        "inline" => inline::run(&request),
        "mutations" => mutations::run(&request),
        "commits" => commits::run(&request),
        "speed" => speed::run(&request),
        _ => Err(USAGE.into()),
    }
}
