//! `cargo xtask eval equality --repo PATH [--sequences N] [--seed S] [--check | --write]`: compares an index that
//! followed random edits with one built from scratch. Compares everything visible to a reader of the index: files,
//! nodes, edges with their sites, unresolved references, and search results.
//!
//! The edits are made on a copy of the repository. Sequences build on one another; each ends with a comparison. On a
//! difference the edits of its sequence are reduced to a minimal failing set.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use self::edits::{Edit, Generator, Kind, Tree};
use self::project::Project;
use super::arguments::Keep;
use super::{golden, golden_folder, repositories};
use crate::{Outcome, cargo, must_succeed};

mod commits;
mod edits;
mod project;
pub(super) mod relink;
#[cfg(test)]
mod tests;
mod text;

const USAGE: &str = "expected: cargo xtask eval equality --repo PATH [--sequences N] [--seed S] [--check | --write]";
/// Default number of sequences.
const SEQUENCES: usize = 100;
/// Sequences between two restarts of the engine that follows the edits.
const RESTART: usize = 16;
/// Sequences between two progress messages.
const PROGRESS: usize = 50;
/// Number of differences to reduce and print before giving up.
const MAX_DIFFERENCES: usize = 4;
/// Words of each compared search.
const WORDS: usize = 12;
/// Maximum size in bytes of files in the copy: larger ones are not parsed anyway.
const MAX_FILE: u64 = 1 << 20;

/// The stored result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Kept {
    format_version: u32,
    name: String,
    /// Origin and commit of the repository; `None` if it has no truth here.
    source: Option<String>,
    commit: Option<String>,
    seed: u64,
    /// Each ended with a comparison.
    sequences: usize,
    /// Number of edits, by kind.
    edits: BTreeMap<String, usize>,
    /// Number of files written or removed, over all edits.
    files_changed: usize,
    /// Number of comparisons that found a difference.
    differing: usize,
}

/// Parsed command line.
struct Request {
    repo: PathBuf,
    sequences: usize,
    seed: u64,
    keep: Keep,
}

pub(super) fn run(args: &[String]) -> Outcome<()> {
    let request = parse(args)?;
    if cfg!(debug_assertions) {
        let mut optimised = cargo(&["run", "--quiet", "--release", "--package", "xtask", "--", "eval", "equality"]);
        let repo = request.repo.canonicalize().map_err(|error| format!("{}: {error}", request.repo.display()))?;
        let named = |arg: &String| if Path::new(arg) == request.repo { repo.as_os_str().into() } else { arg.into() };
        optimised.args(args.iter().map(named).collect::<Vec<std::ffi::OsString>>());
        return must_succeed(&mut optimised);
    }
    let tree = read(&request.repo)?;
    let name = request.repo.canonicalize()?.file_name().unwrap_or_default().to_string_lossy().into_owned();
    println!("{name}: {} files, seed {}, {} sequences", tree.len(), request.seed, request.sequences);
    let mut differences = Vec::new();
    let kept = Kept { name: name.clone(), ..sequences(&tree, request.seed, request.sequences, &mut differences)? };
    differences.iter().for_each(|difference| println!("{difference}"));
    if kept.differing > 0 {
        return Err(format!("{} of {} comparisons found a difference", kept.differing, kept.sequences).into());
    }
    let known = repositories::find(&name);
    let kept = Kept {
        source: known.map(|known| known.source.to_owned()),
        commit: known.map(|known| known.commit.to_owned()),
        ..kept
    };
    golden::keep(&golden_folder("equality").join(format!("{name}.json")), &kept, request.keep)
}

fn parse(args: &[String]) -> Outcome<Request> {
    let (mut repo, mut sequences, mut seed, mut keep) = (None, SEQUENCES, 1, Keep::Print);
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{flag} needs a value; {USAGE}"));
        match flag.as_str() {
            "--repo" => repo = Some(PathBuf::from(value()?)),
            "--sequences" => sequences = value()?.parse().map_err(|_| "--sequences needs a number")?,
            "--seed" => seed = value()?.parse().map_err(|_| "--seed needs a number")?,
            "--check" => keep = Keep::Check,
            "--write" => keep = Keep::Write,
            other => return Err(format!("unknown argument `{other}`; {USAGE}").into()),
        }
    }
    let repo = repo.ok_or_else(|| format!("--repo is missing; {USAGE}"))?;
    Ok(Request { repo, sequences, seed, keep })
}

/// Reads the text files of a repository, without version control folders.
fn read(repo: &Path) -> Outcome<Tree> {
    let mut tree = Tree::new();
    let mut work = vec![repo.to_owned()];
    while let Some(folder) = work.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() && entry.file_name() != ".git" {
                work.push(entry.path());
            }
            if !kind.is_file() || entry.metadata()?.len() > MAX_FILE {
                continue;
            }
            let path = entry.path();
            let inner = path.strip_prefix(repo)?.to_str().map(str::to_owned);
            if let (Some(inner), Ok(text)) = (inner, std::fs::read_to_string(&path)) {
                tree.insert(inner, text.into());
            }
        }
    }
    Ok(tree)
}

/// Runs sequences of edits, with a comparison after each; collects the differences.
fn sequences(original: &Tree, seed: u64, count: usize, differences: &mut Vec<String>) -> Outcome<Kept> {
    let mut generator = Generator::new(original, seed);
    let mut tree = original.clone();
    let mut project = Project::new(&tree)?;
    let mut kinds: BTreeMap<Kind, usize> = BTreeMap::new();
    let (mut done, mut differing, mut files_changed) = (0, 0, 0);
    while done < count && differences.len() < MAX_DIFFERENCES {
        let before = tree.clone();
        let edits = generator.sequence(&mut tree);
        let query: Vec<String> = (0..WORDS).map(|_| generator.word(&tree)).collect();
        let query = query.join(" ");
        for edit in &edits {
            *kinds.entry(edit.kind).or_default() += 1;
            files_changed += edit.writes.len();
        }
        project.follow(&edits)?;
        done += 1;
        if let Some(difference) = project.compare(&query)? {
            differing += 1;
            let shrunk = shrink(&before, &edits, &query)?;
            differences.push(report(seed, done, &edits, shrunk, &difference));
            project = Project::new(&tree)?;
        }
        if done % RESTART == 0 {
            project.restart()?;
        }
        if done % PROGRESS == 0 {
            println!("{done} of {count} sequences, {differing} with a difference");
        }
    }
    let edits = kinds.into_iter().map(|(kind, count)| (kind.word().to_owned(), count)).collect();
    Ok(Kept {
        format_version: 1,
        name: String::new(),
        source: None,
        commit: None,
        seed,
        sequences: done,
        edits,
        files_changed,
        differing,
    })
}

/// Reduces the edits to a minimal set that reproduces the difference on top of `before`; `None` if they do not
/// reproduce it.
fn shrink(before: &Tree, edits: &[Edit], query: &str) -> Outcome<Option<(Vec<Edit>, String)>> {
    let differs = |edits: &[Edit]| -> Outcome<Option<String>> {
        let mut project = Project::new(before)?;
        project.follow(edits)?;
        project.compare(query)
    };
    let mut edits = edits.to_vec();
    let Some(mut difference) = differs(&edits)? else { return Ok(None) };
    let mut place = 0;
    while place < edits.len() {
        let mut fewer = edits.clone();
        fewer.remove(place);
        match differs(&fewer)? {
            Some(found) => (edits, difference) = (fewer, found),
            None => place += 1,
        }
    }
    // Edits of many files: reduces the files as well.
    for place in 0..edits.len() {
        let paths: Vec<String> = edits[place].writes.keys().cloned().collect();
        for path in paths {
            let mut fewer = edits.clone();
            fewer[place].writes.remove(&path);
            if let Some(found) = differs(&fewer)? {
                (edits, difference) = (fewer, found);
            }
        }
    }
    Ok(Some((edits, difference)))
}

fn report(seed: u64, sequence: usize, edits: &[Edit], shrunk: Option<(Vec<Edit>, String)>, difference: &str) -> String {
    let list = |edits: &[Edit]| -> String {
        let row = |edit: &Edit| {
            let paths: Vec<&str> = edit.writes.keys().map(String::as_str).collect();
            let seen = if edit.is_seen { "" } else { " (seen with the next)" };
            format!("  {} {}{seen}\n    in {}\n", edit.kind.word(), edit.what, paths.join(", "))
        };
        edits.iter().map(row).collect()
    };
    let (title, edits, difference) = match &shrunk {
        Some((edits, difference)) => ("reduced to", list(edits), difference.as_str()),
        None => ("not reduced: only with what came before", list(edits), difference),
    };
    format!("seed {seed}, sequence {sequence}, {title}\n{edits}first difference:\n{difference}")
}

/// A text as stored in a [`Tree`].
#[cfg(test)]
fn tree_of(fixture: &str) -> Tree {
    m1nd_testkit::parse_fixture(fixture).into_iter().map(|(path, text)| (path, std::sync::Arc::from(text))).collect()
}
