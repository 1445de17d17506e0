//! Files that are test code because of where they are declared: `#[cfg(test)] mod helpers;`.

use m1nd_base::{EdgeTier, Relation, RepoPath};
use m1nd_graph::NodeIx;
use m1nd_lang::patterns::{MODULE_FILES, TEST_MODULE_FILES};

use super::Judge;
use crate::Language;
use crate::calls::is_test;

/// Files up from a file to the one that declares a module above it.
const MAX_ABOVE: usize = 32;

impl Judge<'_> {
    /// Whether a file is only built for tests: every declaration of its module, or of one above it, asks for a test build.
    pub(super) fn declared_for_tests(&mut self, path: &RepoPath) -> bool {
        let Some(start) = self.graph.find_file(path.as_str()) else { return false };
        let is_rust = self.snapshot.file_of(start).is_some_and(|entry| entry.language == Language::Rust);
        if !is_rust {
            return false;
        }
        if let Some(&known) = self.for_tests.get(&start) {
            return known;
        }
        let (mut passed, mut file) = (vec![start], start);
        let found = loop {
            match self.declaration(file) {
                Declared::ForTests => break true,
                Declared::In(above) if passed.len() < MAX_ABOVE && !passed.contains(&above) => {
                    passed.push(above);
                    file = above;
                }
                _ => break false,
            }
        };
        self.for_tests.insert(start, found);
        found
    }

    /// How the module of a file is declared.
    fn declaration(&mut self, file: NodeIx) -> Declared {
        let graph = self.graph;
        let imports = graph
            .in_edges(file)
            .filter(|edge| {
                matches!(edge.relation, Relation::Imports | Relation::Reexports) && edge.tier == EdgeTier::Certain
            })
            .filter(|edge| edge.from != file);
        let imports: Vec<_> = imports.map(|edge| (edge.from, edge.sites.iter().collect::<Vec<_>>())).collect();
        let mut above = None;
        for (from, sites) in imports {
            let Some(declaring) = graph.file(from) else { continue };
            let (Some(all), Some(for_tests)) =
                (self.matches_in(declaring, MODULE_FILES), self.matches_in(declaring, TEST_MODULE_FILES))
            else {
                return Declared::Unknown;
            };
            for site in sites {
                if !all.iter().any(|one| one.found.holds(site)) {
                    continue;
                }
                let here = is_test(graph, from) || for_tests.iter().any(|one| one.found.holds(site));
                match (here, above) {
                    (true, _) => above = above.or(Some(None)),
                    (false, Some(Some(other))) if other != declaring => return Declared::Unknown,
                    (false, _) => above = Some(Some(declaring)),
                }
            }
        }
        match above {
            Some(None) => Declared::ForTests,
            Some(Some(file)) => Declared::In(file),
            None => Declared::Unknown,
        }
    }
}

/// Where the module of a file comes from.
enum Declared {
    /// Every declaration asks for a test build.
    ForTests,
    /// Declared without a condition in this file.
    In(NodeIx),
    /// Not at all, in several files, or they could not be looked through.
    Unknown,
}
