//! `cargo xtask tidy`: the rules of this repository that no other tool checks.
//!
//! One file per rule; each takes the parts of the repository it needs and returns its complaints.

use std::path::Path;
use std::process::Command;

use crate::{Outcome, repository};

mod allowed;
mod arrows;
mod circles;
mod documents;
mod figures;
mod folders;
mod length;
mod names;
mod page;
mod paths;
mod text;
mod wording;

/// A tracked file, or an untracked one that is not ignored.
#[cfg_attr(test, derive(Clone))]
struct Source {
    /// Relative to the repository root, `/`-separated.
    path: String,
    text: String,
}

impl Source {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Returns whether the whole file is only built for tests.
    fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("/tests.rs") || self.path.starts_with("crates/testkit/")
    }

    /// Returns whether the file holds what tests are run on, or expect: any text may stand there.
    fn is_data(&self) -> bool {
        let is_below = |folder: &&str| self.path.contains(*folder);
        ["/fixtures/", "/testdata/", "/snapshots/"].iter().any(is_below) || self.path.starts_with("eval/")
    }

    /// Returns whether it is a page for people.
    fn is_document(&self) -> bool {
        let is_page = !self.path.contains('/') || ["docs/", ".ci/"].iter().any(|top| self.path.starts_with(top));
        self.path.ends_with(".md") && (is_page || self.path == "eval/README.md")
    }
}

/// Without arguments checks all rules. `--figures` prints how the repository reads; `--shrink` takes what was mended
/// off the list of allowed findings.
pub(crate) fn run(args: &[String]) -> Outcome<()> {
    let sources = sources(repository())?;
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        [] => check(&sources),
        ["--figures"] => figures::print(&sources),
        ["--figures", "--write"] => figures::write(&sources),
        ["--shrink"] => allowed::shrink(&findings(&sources)),
        _ => Err(format!("takes `--figures [--write]`, `--shrink` or nothing, found {args:?}").into()),
    }
}

fn check(sources: &[Source]) -> Outcome<()> {
    let packages = arrows::packages()?;
    let mut complaints = Vec::new();
    complaints.extend(arrows::check(&packages));
    complaints.extend(page::check(&packages, sources));
    complaints.extend(circles::check(sources));
    complaints.extend(documents::check(sources));
    complaints.extend(folders::check(sources));
    complaints.extend(allowed::check(&findings(sources))?);
    for source in sources {
        complaints.extend(length::check(source));
        complaints.extend(text::check(source));
    }
    for complaint in &complaints {
        println!("{complaint}");
    }
    if complaints.is_empty() { Ok(()) } else { Err(format!("{} complaints", complaints.len()).into()) }
}

/// What breaks a rule that the list of allowed findings is for.
fn findings(sources: &[Source]) -> Vec<allowed::Finding> {
    sources.iter().flat_map(|source| names::find(source).into_iter().chain(wording::find(source))).collect()
}

/// The part of the repository that a path is in: a crate, the folder at the top, or the file itself.
fn area(path: &str) -> String {
    let depth = if path.starts_with("crates/") { 2 } else { 1 };
    path.split('/').take(depth).collect::<Vec<_>>().join("/")
}

/// All text files that git tracks or would add.
fn sources(top: &Path) -> Outcome<Vec<Source>> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(top)
        .output()
        .map_err(|error| format!("git ls-files: {error}"))?;
    if !listed.status.success() {
        return Err(format!("git ls-files: {}", String::from_utf8_lossy(&listed.stderr)).into());
    }
    let names = String::from_utf8_lossy(&listed.stdout).into_owned();
    let mut sources = Vec::new();
    for path in names.split('\0').filter(|path| !path.is_empty()) {
        // Missing: removed and not yet committed. Not text: not checked.
        if let Ok(text) = std::fs::read_to_string(top.join(path)) {
            sources.push(Source { path: path.to_owned(), text });
        }
    }
    Ok(sources)
}
