//! Tells the program which commit it is built from, without running git: a checkout is read as files, and archives of
//! the repository carry the commit in `commit.txt`. Builds for development say none, so that a commit compiles nothing
//! anew.

use std::path::{Path, PathBuf};

/// Letters of a commit that are shown.
const LETTERS: usize = 12;
/// Files of the folder that all work trees of a repository share.
const PACKED: &str = "packed-refs";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=commit.txt");
    println!("cargo::rerun-if-env-changed=M1ND_COMMIT");
    let target = std::env::var("TARGET").unwrap_or_default();
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = match is_release {
        true => {
            find_commit().map_or_else(|| "unknown commit".to_owned(), |commit| commit.chars().take(LETTERS).collect())
        }
        false => "development build".to_owned(),
    };
    println!("cargo::rustc-env=M1ND_BUILD={commit}, {target}");
}

/// The commit: named by the environment, that of an archive, or that of the checkout.
fn find_commit() -> Option<String> {
    let named = std::env::var("M1ND_COMMIT").ok();
    let packed = std::fs::read_to_string("commit.txt").ok();
    let found = [named, packed].into_iter().flatten().map(|text| text.trim().to_owned()).find(|text| is_commit(text));
    found.or_else(|| read_checkout(&Path::new(&std::env::var_os("CARGO_MANIFEST_DIR")?).join("../../.git")))
}

/// The commit that a checkout has checked out.
fn read_checkout(git: &Path) -> Option<String> {
    // In a further work tree, `.git` is a file that names the folder.
    let folder: PathBuf = match std::fs::read_to_string(git) {
        Ok(text) => git.parent()?.join(text.trim().strip_prefix("gitdir: ")?),
        Err(_) => git.to_owned(),
    };
    let head = read_watched(&folder.join("HEAD"))?;
    let Some(name) = head.strip_prefix("ref: ") else { return is_commit(&head).then_some(head) };
    let shared = read_watched(&folder.join("commondir")).map_or_else(|| folder.clone(), |path| folder.join(path));
    let loose = read_watched(&shared.join(name)).filter(|text| is_commit(text));
    let packed = || {
        let packed = read_watched(&shared.join(PACKED))?;
        let commit = packed.lines().find_map(|line| line.strip_suffix(name)?.strip_suffix(' '));
        commit.filter(|commit| is_commit(commit)).map(str::to_owned)
    };
    loose.or_else(packed)
}

/// The text of a file, which is watched for changes if it exists.
fn read_watched(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    println!("cargo::rerun-if-changed={}", path.display());
    Some(text.trim().to_owned())
}

fn is_commit(text: &str) -> bool {
    text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
