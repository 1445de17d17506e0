//! `cargo xtask eval relink --repo PATH [--commits N] [--every N] [--check | --write] [--explain N]`: follows the
//! newest commits of a repository one by one, and counts the files that each links again beside those that it changed.
//! After every `N` commits, and at the end, the index is compared with one built from scratch.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::super::{golden, golden_folder};
use super::commits::Commits;
use super::project::Project;
use crate::Outcome;
use crate::eval::arguments::Keep;

const USAGE: &str =
    "expected: cargo xtask eval relink --repo PATH [--commits N] [--every N] [--check | --write] [--explain N]";
/// Default number of commits.
const COMMITS: usize = 200;
/// Default number of commits from one comparison with a clean index to the next.
const COMPARED: usize = 1;

/// The stored result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Kept {
    format_version: u32,
    name: String,
    /// The newest commit, abbreviated.
    newest: String,
    /// Commits that changed an indexed file.
    commits: usize,
    files_changed: usize,
    /// Files linked again, changed ones included.
    files_linked: usize,
    /// Files linked again per commit.
    linked_median: usize,
    linked_p95: usize,
    linked_max: usize,
    /// Files linked again per file changed, of the commits in the middle and of the 95th in a hundred.
    ratio_median: f64,
    ratio_p95: f64,
    /// Comparisons with a clean index.
    compared: usize,
    /// Those that found a difference.
    differing: usize,
}

struct Request {
    repo: PathBuf,
    commits: usize,
    every: usize,
    keep: Keep,
    explain: usize,
}

/// A commit.
struct Row {
    name: String,
    changed: usize,
    linked: usize,
}

impl Row {
    fn ratio(&self) -> f64 {
        self.linked as f64 / self.changed as f64
    }
}

pub(crate) fn run(args: &[String]) -> Outcome<()> {
    let request = parse(args)?;
    let name = request.repo.canonicalize()?.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let commits = Commits::read(&request.repo, request.commits)?;
    println!("{name}: {} files, {} commits", commits.before.len(), commits.edits.len());
    let mut project = Project::new(&commits.before)?;
    let (mut compared, mut differing) = (0, 0);
    let mut rows = Vec::new();
    let last = commits.edits.len();
    for (place, (name, edit)) in commits.edits.iter().enumerate() {
        let report = project.follow(std::slice::from_ref(edit))?;
        let changed = report.files_parsed + report.files_from_cache + report.files_removed;
        if changed > 0 {
            rows.push(Row { name: name.clone(), changed, linked: report.files_linked });
        }
        if (place + 1) % request.every == 0 || place + 1 == last {
            compared += 1;
            if let Some(difference) = project.compare("get load name")? {
                differing += 1;
                println!("after {name}, first difference:\n{difference}");
            }
        }
    }
    let newest = commits.edits.last().map(|(name, _)| name.clone()).unwrap_or_default();
    rows.sort_by_key(|row| std::cmp::Reverse((row.linked, row.name.clone())));
    for row in rows.iter().take(request.explain) {
        println!("  {}: {} changed, {} linked", row.name, row.changed, row.linked);
    }
    let kept = Kept { compared, differing, ..summary(name, newest, &rows) };
    golden::keep(&golden_folder("relink").join(format!("{}.json", kept.name)), &kept, request.keep)?;
    if differing > 0 {
        return Err(format!("{differing} of {compared} comparisons found a difference").into());
    }
    Ok(())
}

fn summary(name: String, newest: String, rows: &[Row]) -> Kept {
    let mut linked: Vec<usize> = rows.iter().map(|row| row.linked).collect();
    linked.sort_unstable();
    let mut ratios: Vec<f64> = rows.iter().map(Row::ratio).collect();
    ratios.sort_by(f64::total_cmp);
    Kept {
        format_version: 1,
        name,
        newest,
        commits: rows.len(),
        files_changed: rows.iter().map(|row| row.changed).sum(),
        files_linked: linked.iter().sum(),
        linked_median: at(&linked, 50),
        linked_p95: at(&linked, 95),
        linked_max: at(&linked, 100),
        ratio_median: round_value(at(&ratios, 50)),
        ratio_p95: round_value(at(&ratios, 95)),
        compared: 0,
        differing: 0,
    }
}

/// The value below which this many of a hundred are.
fn at<T: Copy + Default>(sorted: &[T], percent: usize) -> T {
    let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(place).copied().unwrap_or_default()
}

fn round_value(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn parse(args: &[String]) -> Outcome<Request> {
    let (mut repo, mut commits, mut every, mut keep, mut explain) = (None, COMMITS, COMPARED, Keep::Print, 0);
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{flag} needs a value; {USAGE}"));
        match flag.as_str() {
            "--repo" => repo = Some(PathBuf::from(value()?)),
            "--commits" => commits = value()?.parse().map_err(|_| "--commits needs a number")?,
            "--every" => {
                every = value()?.parse().ok().filter(|every| *every > 0).ok_or("--every needs a number above 0")?
            }
            "--explain" => explain = value()?.parse().map_err(|_| "--explain needs a number")?,
            "--check" => keep = Keep::Check,
            "--write" => keep = Keep::Write,
            other => return Err(format!("unknown argument `{other}`; {USAGE}").into()),
        }
    }
    let repo = repo.ok_or_else(|| format!("--repo is missing; {USAGE}"))?;
    Ok(Request { repo, commits, every, keep, explain })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_at_a_share() {
        assert_eq!(at(&[1, 2, 3, 4, 5], 50), 3);
        assert_eq!(at(&[1, 2, 3, 4, 5], 95), 5);
        assert_eq!(at::<usize>(&[], 50), 0);
    }
}
