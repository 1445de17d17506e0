//! `cargo xtask tidy`: the rules of this repository that no other tool checks.
//!
//! One file per rule; each takes the parts of the repository it needs and returns its complaints.

use std::path::Path;
use std::process::Command;

use crate::{Outcome, repository};

mod arrows;
mod circles;
mod length;
mod page;
mod paths;
mod text;

/// A tracked file, or an untracked one that is not ignored.
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
}

pub(crate) fn run(args: &[String]) -> Outcome<()> {
    if !args.is_empty() {
        return Err(format!("takes no arguments, found {args:?}").into());
    }
    let sources = sources(repository())?;
    let packages = arrows::packages()?;
    let mut complaints = Vec::new();
    complaints.extend(arrows::check(&packages));
    complaints.extend(page::check(&packages, &sources));
    complaints.extend(circles::check(&sources));
    for source in &sources {
        complaints.extend(length::check(source));
        complaints.extend(text::check(source));
    }
    for complaint in &complaints {
        println!("{complaint}");
    }
    if complaints.is_empty() { Ok(()) } else { Err(format!("{} complaints", complaints.len()).into()) }
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
