//! Evaluates `.gitignore`, `.ignore` and `.git/info/exclude`.
//!
//! As in git, the innermost file with a matching line decides, and an ignored folder is not entered. `.ignore` takes
//! precedence over `.gitignore`. Rules of an outer repository end where a nested repository starts. The user's own
//! `core.excludesFile` is not read, so that the same tree gives everyone the same index.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use m1nd_base::{Problem, ProblemKind, RepoPath};

use crate::{Root, VfsError};

/// Maximum size of an ignore file that is applied, in bytes. Real ones have a few kilobytes.
const MAX_RULES_BYTES: u64 = 256 << 10;
/// Maximum number of lines of an ignore file, because compiling them takes time and memory.
const MAX_RULES: usize = 10_000;

/// Git's ignore file.
pub(crate) const GIT_RULES: &str = ".gitignore";
/// Ignore file for search tools only.
pub(crate) const OWN_RULES: &str = ".ignore";
/// Per-clone exclude file of git.
const EXCLUDE: &str = ".git/info/exclude";

/// The rules in effect in one folder: those of its own files and of all enclosing folders, outermost first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ignores {
    own: Arc<[Layer]>,
    git: Arc<[Layer]>,
}

/// The rules of one file.
#[derive(Debug, Clone)]
struct Layer {
    /// Prefix that makes a path relative to the folder of the file, if that is above the root.
    above: Arc<str>,
    /// Number of bytes of the path to skip to make it relative to the folder of the file, if that is below the root.
    below: usize,
    rules: Arc<Gitignore>,
}

impl Ignores {
    /// Collects the rules of the folders above the root, up to the top of the repository. Returns none if they
    /// exclude the root itself: naming a folder as a root means its content is wanted.
    pub(crate) fn above(root: &Root) -> Self {
        let mut folders = Vec::new();
        if !root.path().join(".git").exists() {
            let top = root.path().ancestors().skip(1).position(|folder| folder.join(".git").exists());
            folders.extend(root.path().ancestors().skip(1).take(top.map_or(0, |steps| steps + 1)));
        }
        let mut ignores = Self::default();
        let mut leaves_out_root = false;
        for folder in folders.into_iter().rev() {
            let Some(above) = root.path().strip_prefix(folder).ok().and_then(Path::to_str) else { continue };
            let outside = above;
            let above: Arc<str> = format!("{}/", above.replace(std::path::MAIN_SEPARATOR, "/")).into();
            let mut layer = |name| {
                let rules = compile(&read_outside(&folder.join(name))?).0;
                leaves_out_root |= rules.matched_path_or_any_parents(outside, true).is_ignore();
                Some(Layer { above: above.clone(), below: 0, rules: Arc::new(rules) })
            };
            // Lowest precedence first: the clone's excludes, then the folder's own rules.
            for layer in [EXCLUDE, GIT_RULES].into_iter().filter_map(&mut layer) {
                push(&mut ignores.git, layer);
            }
            if let Some(layer) = layer(OWN_RULES) {
                push(&mut ignores.own, layer);
            }
        }
        if leaves_out_root { Self::default() } else { ignores }
    }

    /// Returns the rules in effect in the folder at `path` (`""` for the root), given its relevant entries and the
    /// enclosing rules, together with the problems found.
    pub(crate) fn enter(&self, root: &Root, path: &str, holds: Holds) -> (Self, Vec<(String, Problem)>) {
        let mut inner = self.clone();
        let mut problems = Vec::new();
        let mut add = |name: &str, layers: &mut Arc<[Layer]>| {
            let file = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
            let layer = |rules| {
                let below = if path.is_empty() { 0 } else { path.len() + 1 };
                Layer { above: "".into(), below, rules: Arc::new(rules) }
            };
            match read_inside(root, &file) {
                Ok(Some(text)) => {
                    let (rules, complaint) = compile(&text);
                    push(layers, layer(rules));
                    problems.extend(complaint.map(|detail| (file, Problem::new(ProblemKind::Unreadable, detail))));
                }
                Ok(None) => {}
                Err(error) => problems.push((file, Problem::new(ProblemKind::Unreadable, error.to_string()))),
            }
        };
        if holds.repository {
            if !path.is_empty() {
                inner.git = Arc::default();
            }
            add(EXCLUDE, &mut inner.git);
        }
        if holds.git_rules {
            add(GIT_RULES, &mut inner.git);
        }
        if holds.own_rules {
            add(OWN_RULES, &mut inner.own);
        }
        (inner, problems)
    }

    /// Returns `Some(true)` if a rule excludes `path`, `Some(false)` if a rule re-includes it with `!`.
    pub(crate) fn decide(&self, path: &str, is_folder: bool) -> Option<bool> {
        let innermost_first = self.own.iter().rev().chain(self.git.iter().rev());
        for layer in innermost_first {
            let matched = if layer.above.is_empty() {
                layer.rules.matched(Path::new(&path[layer.below..]), is_folder)
            } else {
                layer.rules.matched(Path::new(&format!("{}{path}", layer.above)), is_folder)
            };
            match matched {
                Match::Ignore(_) => return Some(true),
                Match::Whitelist(_) => return Some(false),
                Match::None => {}
            }
        }
        None
    }
}

impl Ignores {
    /// Returns whether a rule of git excludes `path`, and no rule for search tools decides otherwise.
    pub(crate) fn is_by_git(&self, path: &str, is_folder: bool) -> bool {
        let own = Self { own: self.own.clone(), git: Arc::default() };
        own.decide(path, is_folder).is_none() && self.decide(path, is_folder) == Some(true)
    }
}

/// Entries of a folder that affect the rules.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Holds {
    /// `.git`: a repository starts here.
    pub(crate) repository: bool,
    /// A regular file `.gitignore`.
    pub(crate) git_rules: bool,
    /// A regular file `.ignore`.
    pub(crate) own_rules: bool,
}

fn push(layers: &mut Arc<[Layer]>, layer: Layer) {
    *layers = layers.iter().cloned().chain([layer]).collect();
}

/// Reads an ignore file inside the root; `None` if it does not exist. Like git, does not follow links.
fn read_inside(root: &Root, path: &str) -> Result<Option<String>, VfsError> {
    let Ok(path) = RepoPath::new(path) else { return Ok(None) };
    let is_file = root.dir().symlink_metadata(path.as_str()).is_ok_and(|meta| meta.is_file());
    if !is_file {
        return Ok(None);
    }
    root.read_any(&path, MAX_RULES_BYTES).map(|bytes| Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Reads an ignore file above the root; `None` if there is no usable one.
fn read_outside(path: &Path) -> Option<String> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MAX_RULES_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(MAX_RULES_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Compiles the lines, skipping invalid patterns like git. The second value reports rules that were not applied.
fn compile(text: &str) -> (Gitignore, Option<String>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = GitignoreBuilder::new("");
    let mut lines = text.lines();
    for line in lines.by_ref().take(MAX_RULES) {
        // As in git, an invalid pattern matches nothing.
        let _ = builder.add_line(None, line);
    }
    let complaint = lines.next().map(|_| format!("only the first {MAX_RULES} lines of ignore rules are applied"));
    match builder.build() {
        Ok(rules) => (rules, complaint),
        Err(error) => (Gitignore::empty(), Some(format!("these ignore rules are not applied: {error}"))),
    }
}
