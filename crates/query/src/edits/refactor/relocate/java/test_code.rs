//! Moves of Java code into tests and out of them: tests see the other code of their module, which does not see them.

use std::collections::BTreeSet;

use m1nd_engine::Language;
use m1nd_lang::{ItemKind, file_items};

use super::Java;
use super::imports::{Import, list_imports};
use crate::edits::refactor::{CannotRefactor, read_plain};

/// The folders of a module that have its tests, and the rest.
const SETS: [&str; 2] = ["src/test/", "src/main/"];
/// Packages that all code can use.
const STANDARD: &[&str] = &["java.", "javax."];

impl Java<'_> {
    /// Refuses a move between tests and the rest after which code that is not a test would need one, or would need what
    /// only tests can import.
    pub(super) fn check_tests(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let (from, to) = (self.draft.from().to_owned(), self.draft.request.to.clone());
        if is_test(&from) == is_test(&to) {
            return Ok(());
        }
        if module_of(&from).is_none() || module_of(&from) != module_of(&to) {
            let why = "is compiled with other files (tests and the rest are compiled apart)";
            return Err(self.draft.refuse(&to, 0, why));
        }
        if is_test(&to) {
            for node in self.draft.moved.clone() {
                if let Some(found) = self.draft.uses_of(node)?.into_iter().find(|found| !is_test(&found.path)) {
                    let why = format!("uses `{}`, and is not a test", graph.label(node));
                    return Err(self.draft.refuse(&found.path, found.pos.line, why));
                }
            }
            return Ok(());
        }
        if let Some(found) = self.draft.list_used()?.into_iter().find(|found| is_test(graph.path(found.to))) {
            let why = format!("uses `{}`, which is code of tests", graph.label(found.to));
            return Err(self.draft.refuse(&found.path, found.pos.line, why));
        }
        self.check_libraries(&from)
    }

    /// Refuses imports of packages that no code of the module outside of tests imports.
    fn check_libraries(&mut self, from: &str) -> Result<(), CannotRefactor> {
        let words: BTreeSet<String> = self.first_words(from)?.into_iter().map(|(_, name)| name).collect();
        let own: BTreeSet<String> = self.list_packages();
        let imports = self.imports_of(from)?;
        let is_open = |import: &&Import| {
            let is_known = STANDARD.iter().any(|package| import.path.starts_with(package))
                || own.iter().any(|package| import.path.starts_with(&format!("{package}.")));
            !is_known && (import.is_wildcard || words.contains(import.name()))
        };
        let open: Vec<&Import> = imports.iter().filter(is_open).collect();
        if open.is_empty() {
            return Ok(());
        }
        let known = self.list_imported(from)?;
        for import in open {
            if !known.contains(library_of(&import.path)) {
                let line = self.draft.file(from)?.parsed.line_of(import.bytes.start);
                let why = format!("imports `{}`, which no code outside of tests does", import.path);
                return Err(self.draft.refuse(from, line, why));
            }
        }
        Ok(())
    }

    /// The packages of the project.
    fn list_packages(&self) -> BTreeSet<String> {
        let snapshot = self.draft.snapshot;
        let files = snapshot.files().iter().filter(|entry| entry.language == Language::Java);
        let texts = files.filter_map(|entry| read_plain(snapshot, &entry.path).ok());
        texts.map(|source| super::package_of(&source.text)).filter(|package| !package.is_empty()).collect()
    }

    /// The libraries that the code of a module imports outside of its tests.
    fn list_imported(&self, from: &str) -> Result<BTreeSet<String>, CannotRefactor> {
        let snapshot = self.draft.snapshot;
        let mut found = BTreeSet::new();
        for entry in snapshot.files().iter().filter(|entry| entry.language == Language::Java) {
            self.draft.cancel.check()?;
            let path = entry.path.as_str();
            if is_test(path) || module_of(path) != module_of(from) {
                continue;
            }
            let Ok(source) = read_plain(snapshot, &entry.path) else { continue };
            let items = file_items(Language::Java, &source.text, snapshot.limits(), self.draft.cancel);
            let mut items = items.unwrap_or_default();
            items.retain(|item| item.kind == ItemKind::Import);
            found.extend(list_imports(&source.text, &items).iter().map(|import| library_of(&import.path).to_owned()));
        }
        Ok(found)
    }
}

/// Whether a file is compiled with the tests.
fn is_test(path: &str) -> bool {
    path.contains(SETS[0]) || path.starts_with("test/")
}

/// What stands in front of the folder of tests or of the rest.
fn module_of(path: &str) -> Option<&str> {
    SETS.iter().find_map(|set| path.find(set)).map(|at| &path[..at])
}

/// The path in the other one of tests and the rest.
pub(super) fn in_other_set(path: &str) -> Option<String> {
    let [tests, rest] = SETS;
    match () {
        () if path.contains(tests) => Some(path.replacen(tests, rest, 1)),
        () if path.contains(rest) => Some(path.replacen(rest, tests, 1)),
        () => None,
    }
}

/// The first two names of a package, by which libraries are told apart.
fn library_of(path: &str) -> &str {
    path.match_indices('.').nth(1).map_or(path, |(at, _)| &path[..at])
}
