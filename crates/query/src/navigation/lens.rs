//! The lens of a perspective: what its routes may be, and which evidence counts how much.

use m1nd_base::{EdgeTier, NodeKind, Relation};
use serde::{Deserialize, Serialize};

use super::family::Family;
use crate::retrieval::{Dimension, PathGlob};

/// Filters and weights. The default shows everything, and all evidence counts in full.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lens {
    /// Weights of dimensions, 0 to 1, by [`Dimension::ALL`]; `None` for 1.
    pub weights: [Option<f64>; 4],
    /// Kinds that a target may have; all if empty.
    pub node_types: Vec<NodeKind>,
    /// Relations that a route may rest on; with any, routes without an edge are left out.
    pub relations: Vec<Relation>,
    /// Globs, folders or files that the path of a target is in; all if empty.
    pub paths: Vec<String>,
    /// Tiers that the edges of a route may have; all if empty.
    pub tiers: Vec<EdgeTier>,
    /// Families that a route may have; all if empty.
    pub families: Vec<Family>,
}

impl Lens {
    /// Weight of a dimension, 0 to 1.
    pub fn weight(&self, dimension: Dimension) -> f64 {
        self.weights[dimension as usize].unwrap_or(1.0).clamp(0.0, 1.0)
    }

    /// Checks the patterns.
    ///
    /// # Errors
    /// The first invalid one, and why.
    pub fn check(&self) -> Result<(), String> {
        self.matchers().map(|_| ())
    }

    /// Tests of paths; `None` for a lens that shows all.
    pub(super) fn paths(&self) -> Option<Paths> {
        // Checked before it was stored.
        self.matchers().ok().filter(|paths| !paths.is_empty()).map(Paths)
    }

    fn matchers(&self) -> Result<Vec<Matcher>, String> {
        let matcher = |text: &String| {
            let has_glob = text.contains(['*', '?', '[', '{']);
            let folder = text.trim().trim_start_matches("./").trim_end_matches('/');
            match has_glob || folder.is_empty() {
                true => PathGlob::compile(text).map(Matcher::Glob).map_err(|why| format!("`{text}`: {why}")),
                false => Ok(Matcher::Folder(folder.to_owned())),
            }
        };
        self.paths.iter().map(matcher).collect()
    }

    /// It in words, for people.
    pub fn summary(&self) -> String {
        let mut parts = Vec::new();
        let weighed = Dimension::ALL.iter().zip(self.weights);
        let weights: Vec<String> =
            weighed.filter_map(|(dimension, weight)| Some(format!("{} {}", dimension.word(), weight?))).collect();
        parts.push(if weights.is_empty() { "all dimensions".to_owned() } else { weights.join(", ") });
        let mut list = |what: &str, words: Vec<&str>| {
            if !words.is_empty() {
                parts.push(format!("{what} {}", words.join(", ")));
            }
        };
        list("relations", self.relations.iter().map(|relation| relation.word()).collect());
        list("tiers", self.tiers.iter().map(|tier| tier.word()).collect());
        list("families", self.families.iter().map(|family| family.word()).collect());
        list("paths", self.paths.iter().map(String::as_str).collect());
        let kinds: Vec<&str> = self.node_types.iter().map(|kind| kind.word()).collect();
        parts.push(if kinds.is_empty() { "no type filter".to_owned() } else { format!("types {}", kinds.join(", ")) });
        parts.join("; ")
    }
}

enum Matcher {
    Glob(PathGlob),
    Folder(String),
}

/// The paths that a lens shows.
pub(super) struct Paths(Vec<Matcher>);

impl Paths {
    pub(super) fn show(&self, path: &str) -> bool {
        self.0.iter().any(|matcher| match matcher {
            Matcher::Glob(glob) => glob.is_match(path),
            Matcher::Folder(folder) => m1nd_search::is_within(path, Some(folder)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_and_paths() {
        assert_eq!(Lens::default().summary(), "all dimensions; no type filter");
        let paths = ["src", "./lib/", "*.md", "tests/**/unit_*.py"].map(str::to_owned).to_vec();
        let lens = Lens { weights: [Some(0.5), None, None, Some(0.0)], paths, ..Lens::default() };
        assert_eq!(
            lens.summary(),
            "structural 0.5, causal 0; paths src, ./lib/, *.md, tests/**/unit_*.py; no type filter"
        );
        assert_eq!((lens.weight(Dimension::Structural), lens.weight(Dimension::Semantic)), (0.5, 1.0));
        let shown = lens.paths().expect("a filter");
        for (path, is_shown) in [
            ("src/a.py", true),
            ("srcs/a.py", false),
            ("lib/x/y.rs", true),
            ("docs/a.md", true),
            ("tests/a/unit_b.py", true),
            ("tests/a/b.py", false),
        ] {
            assert_eq!(shown.show(path), is_shown, "{path}");
        }
        assert!(Lens { paths: vec!["[".to_owned()], ..Lens::default() }.check().is_err());
    }
}
