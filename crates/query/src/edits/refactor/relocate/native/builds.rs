//! Build files that list a source: a path that stands literally is rewritten, and any other mention is said.

use std::ops::Range;

use m1nd_base::{Cancel, RepoPath};
use m1nd_engine::Snapshot;

use super::super::cut::{Patch, apply};
use super::super::draft::{folder_of, name_of};
use super::sight::{join_path, relative_path};
use crate::edits::refactor::{CannotRefactor, NewFile, Note, read_plain};

/// Maximum number of places that are said of each build file.
const MAX_NOTES: usize = 5;

/// Variables for the folder of the build file.
const HERE: &[&str] = &["${CMAKE_CURRENT_SOURCE_DIR}/", "${CMAKE_CURRENT_LIST_DIR}/", "$(srcdir)/", "./"];
/// Variables for the folder of the project.
const TOP: &[&str] = &["${CMAKE_SOURCE_DIR}/", "${PROJECT_SOURCE_DIR}/", "$(top_srcdir)/", "$(srctree)/"];
/// Endings of what a compiler makes of a source, which Makefiles list in its place.
const OBJECTS: &[&str] = &["o", "lo", "obj"];
/// Words by which build files collect sources.
const PATTERNS: &[&str] = &["GLOB", "wildcard", "glob(", "aux_source_directory"];
/// Endings of build files of CMake and make, and their names.
const CMAKE: (&[&str], &[&str]) = (&[".cmake"], &["CMakeLists.txt"]);
const MAKE: (&[&str], &[&str]) = (&[".mk", ".mak", ".am"], &["Makefile", "makefile", "GNUmakefile", "Kbuild"]);
const BAZEL: (&[&str], &[&str]) = (&[], &["BUILD", "BUILD.bazel"]);
/// Build files in which a path is found, but not rewritten.
const OTHERS: (&[&str], &[&str]) = (
    &[".bzl", ".gn", ".gni", ".gyp", ".gypi", ".pro", ".pri", ".vcxproj", ".filters", ".podspec", ".in"],
    &["SConstruct", "SConscript", "configure.ac", "Package.swift", "setup.py", "build.rs", "wscript", "Android.bp"],
);

/// How a build file writes paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Build {
    CMake,
    Make,
    Meson,
    Bazel,
    Other,
}

impl Build {
    /// The kind of a build file; `None` for any other file.
    fn of(path: &str) -> Option<Self> {
        let name = name_of(path);
        let is_one = |(endings, names): (&[&str], &[&str])| {
            names.contains(&name) || endings.iter().any(|ending| name.ends_with(ending))
        };
        match () {
            () if is_one(CMAKE) => Some(Self::CMake),
            () if is_one(MAKE) => Some(Self::Make),
            () if name == "meson.build" => Some(Self::Meson),
            () if is_one(BAZEL) => Some(Self::Bazel),
            () if is_one(OTHERS) => Some(Self::Other),
            () => None,
        }
    }
}

/// What a move changes in build files.
#[derive(Default)]
pub(super) struct Followed {
    pub(super) files: Vec<NewFile>,
    pub(super) notes: Vec<Note>,
    pub(super) places: usize,
}

/// Rewrites the paths of a file in the build files of the project, and lists what has to be changed by hand.
pub(super) fn follow_builds(
    snapshot: &Snapshot,
    from: &str,
    to: &str,
    cancel: &Cancel,
) -> Result<Followed, CannotRefactor> {
    let mut found = Followed::default();
    for entry in snapshot.files().iter() {
        let path = entry.path.as_str();
        let Some(build) = Build::of(path) else { continue };
        cancel.check()?;
        let Ok(source) = read_plain(snapshot, &entry.path) else { continue };
        let rewriting = Rewriting { build, snapshot, path, from, to, names_output: source.text.contains("-o $@") };
        let (patches, notes) = rewriting.read(&source.text);
        if !patches.is_empty() && !source.stale && !source.lossy {
            found.places += patches.len();
            let text = apply(&source.text, patches);
            found.files.push(NewFile { path: entry.path.clone(), before: Some(source.hash), text: Some(text) });
        }
        found.notes.extend(notes.into_iter().take(MAX_NOTES));
    }
    Ok(found)
}

/// The build files that list a file, with the first line of each.
pub(super) fn list_builds(snapshot: &Snapshot, path: &str, cancel: &Cancel) -> Result<Vec<Note>, CannotRefactor> {
    let mut found = Vec::new();
    for entry in snapshot.files().iter() {
        let Some(build) = Build::of(entry.path.as_str()) else { continue };
        cancel.check()?;
        let Ok(source) = read_plain(snapshot, &entry.path) else { continue };
        let (path_of_build, names_output) = (entry.path.as_str(), false);
        let rewriting = Rewriting { build, snapshot, path: path_of_build, from: path, to: path, names_output };
        let mut words = words_of(&source.text).into_iter();
        if let Some(word) = words.find(|word| rewriting.base_of(&source.text[word.clone()]).is_some()) {
            let line = line_of(&source.text, word.start);
            found.push(Note { file: entry.path.as_str().to_owned(), line, what: String::new() });
        }
    }
    Ok(found)
}

/// A build file that is read for one path.
struct Rewriting<'a> {
    build: Build,
    snapshot: &'a Snapshot,
    path: &'a str,
    from: &'a str,
    to: &'a str,
    /// Its rules say where a compiler puts an object; otherwise that is the folder in which it runs.
    names_output: bool,
}

impl Rewriting<'_> {
    /// The patches for paths that stand literally, and notes on all other mentions.
    fn read(&self, text: &str) -> (Vec<Patch>, Vec<Note>) {
        let (mut patches, mut notes) = (Vec::new(), Vec::new());
        let name = name_of(self.from);
        let note = |at: usize, what: String| Note { file: self.path.to_owned(), line: line_of(text, at), what };
        for word in words_of(text) {
            let written = &text[word.clone()];
            match (self.respell(written), self.base_of(written)) {
                (Some(new), _) => patches.push((word, new)),
                (None, Some(_)) => {
                    notes.push(note(word.start, format!("lists `{written}`: change it by hand to `{}`", self.to)));
                }
                (None, None) if written == name || written.ends_with(&format!("/{name}")) => {
                    notes.push(note(word.start, format!("names `{written}`: check by hand whether that is the file")));
                }
                _ => {}
            }
        }
        let is_around = folder_of(self.path).is_empty() || self.from.starts_with(&format!("{}/", folder_of(self.path)));
        let pattern = PATTERNS.iter().find_map(|word| text.find(word)).filter(|_| is_around && patches.is_empty());
        if let Some(at) = pattern {
            notes.push(note(at, format!("collects files by a pattern: check that it finds `{}`", self.to)));
        }
        (patches, notes)
    }

    /// The folder that a word is written from, with the variable in front of it, if the word is the path of the file.
    fn base_of<'w>(&self, written: &'w str) -> Option<(&'w str, String, bool)> {
        let here = folder_of(self.path);
        let starts = |all: &[&str]| all.iter().find(|start| written.starts_with(**start)).map(|start| start.len());
        let (len, bases) = match (starts(HERE), starts(TOP)) {
            (Some(len), _) => (len, vec![here]),
            (None, Some(len)) => (len, vec![""]),
            (None, None) if self.build == Build::Bazel && written.starts_with(':') => (1, vec![here]),
            (None, None) => (0, if written.contains('/') { vec![here, ""] } else { vec![here] }),
        };
        let (prefix, rest) = written.split_at(len);
        let stem = |path: &str| path.rsplit_once('.').map(|(stem, _)| stem.to_owned());
        bases.into_iter().find_map(|base| {
            let full = join_path(base, rest)?;
            if full == self.from {
                return Some((prefix, base.to_owned(), false));
            }
            let (_, ending) = full.rsplit_once('.')?;
            let is_object = self.build == Build::Make && OBJECTS.contains(&ending) && !self.from.ends_with(".h");
            (is_object && stem(&full) == stem(self.from)).then(|| (prefix, base.to_owned(), true))
        })
    }

    /// The word for the new path; `None` if it is not the path of the file, or cannot be written here.
    fn respell(&self, written: &str) -> Option<String> {
        let (prefix, base, is_object) = self.base_of(written)?;
        match self.build {
            Build::Other => return None,
            Build::Make if is_object && !self.names_output && folder_of(self.from) != folder_of(self.to) => {
                return None;
            }
            // A target names files of its own package only.
            Build::Bazel if self.package_of(self.to) != folder_of(self.path) => return None,
            _ => {}
        }
        let new = relative_path(&base, self.to);
        let new = match written.rsplit_once('.').filter(|_| is_object) {
            Some((_, ending)) => format!("{}.{ending}", new.rsplit_once('.').map_or(new.as_str(), |(stem, _)| stem)),
            None => new,
        };
        Some(format!("{prefix}{new}"))
    }

    /// The folder of the nearest build file of Bazel above a path.
    fn package_of(&self, path: &str) -> String {
        let mut folder = folder_of(path);
        loop {
            let has_build = BAZEL.1.iter().any(|name| {
                let path = if folder.is_empty() { (*name).to_owned() } else { format!("{folder}/{name}") };
                RepoPath::new(&path).is_ok_and(|path| self.snapshot.files().get(&path).is_some())
            });
            if has_build || folder.is_empty() {
                return folder.to_owned();
            }
            folder = folder_of(folder);
        }
    }
}

/// The words of a build file that may be paths, without those of comments.
fn words_of(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.find('#').map_or(line, |at| &line[..at]);
        let mut start = None;
        for (at, c) in code.char_indices().chain([(code.len(), ' ')]) {
            let is_part =
                c.is_alphanumeric() || "_./+-${}:@".contains(c) || matches!(c, '(' | ')') && in_variable(code, at);
            match (is_part, start) {
                (true, None) => start = Some(at),
                (false, Some(first)) => {
                    // A colon behind a word ends a rule of a Makefile.
                    let end = first + code[first..at].trim_end_matches(':').len();
                    words.push(line_start + first..line_start + end);
                    start = None;
                }
                _ => {}
            }
        }
        line_start += line.len();
    }
    words
}

/// Returns whether a bracket belongs to a variable: `$(srcdir)`.
fn in_variable(code: &str, at: usize) -> bool {
    let before = &code[..at];
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    before.ends_with('$') || before.trim_end_matches(is_name).ends_with("$(")
}

fn line_of(text: &str, at: usize) -> u32 {
    u32::try_from(text[..at].matches('\n').count() + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_may_be_paths() {
        let text = "a.o: $(srcdir)/a.c x/b.h # c.c\nset(S \"${D}/a.c\" b.c)\n";
        let words: Vec<&str> = words_of(text).into_iter().map(|word| &text[word]).collect();
        assert_eq!(words, ["a.o", "$(srcdir)/a.c", "x/b.h", "set", "S", "${D}/a.c", "b.c"]);
    }
}
