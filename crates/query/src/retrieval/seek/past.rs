//! Evidence from history: files of commits with similar subjects, files touched by commits with the same prefix,
//! recency of files, and co-change with the best matches.

use super::subjects::{Subjects, prefix};
use m1nd_search::{Query, words};
use rustc_hash::FxHashMap;

use m1nd_engine::history::ProjectHistory;

/// Commits whose subject is like the text, at most.
const LIKE: usize = 60;
/// Days after which such a commit counts half.
const LIKE_HALF_LIFE: f64 = 1_000.0;
/// Days after which a commit with the prefix of the text counts half.
const PREFIX_HALF_LIFE: f64 = 500.0;
/// Maximum commits with the prefix, newest first.
const PREFIXED: usize = 500;
/// Commits that touch more files say nothing about one of them.
const MAX_TOUCHED: usize = 50;
/// Days after which the last change of a file counts half.
const RECENT_HALF_LIFE: f64 = 60.0;
/// Files that change together with one file, at most.
const PARTNERS: usize = 20;

/// Evidence of commits for a file: sums for comparison with other files.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct FromCommits {
    /// From commits whose subject is like the text.
    pub(super) like: f64,
    /// From commits with the prefix of the text.
    pub(super) prefix: f64,
}

/// Evidence of commits similar to a text, by path.
pub(super) fn from_commits(
    history: &ProjectHistory,
    query: &Query,
    prefix: Option<&str>,
) -> FxHashMap<String, FromCommits> {
    let mut found: FxHashMap<String, FromCommits> = FxHashMap::default();
    for (root, loaded) in history.list_loaded() {
        let history = loaded.history();
        let subjects = loaded.derived_values().get_or_init(|| Subjects::of(history));
        // Old commits and commits of many files say less about each file.
        let share = |commit: usize, half_life: f64| {
            let commit = history.commits().get(commit).filter(|commit| commit.count_touched() <= MAX_TOUCHED)?;
            Some((-history.age_days(commit.time) / half_life).exp2() / (commit.count_touched().max(1) as f64).sqrt())
        };
        let terms = query.terms.iter().filter(|term| term.counts);
        let like = subjects.like(terms.map(|term| (term.forms[0].0.as_str(), term.forms[0].1)), LIKE);
        for (commit, likeness) in like {
            let Some(share) = share(commit, LIKE_HALF_LIFE) else { continue };
            for file in history.touched_by(commit) {
                found.entry(format!("{root}{}", file.path())).or_default().like += likeness * likeness * share;
            }
        }
        // Commits marked with the same area, as in `http: …`, count whatever else their subject says.
        let prefixed = prefix.map_or(&[][..], |prefix| subjects.with_prefix(prefix));
        for &commit in prefixed.iter().take(PREFIXED) {
            let Some(share) = share(commit as usize, PREFIX_HALF_LIFE) else { continue };
            for file in history.touched_by(commit as usize) {
                found.entry(format!("{root}{}", file.path())).or_default().prefix += share;
            }
        }
    }
    found
}

/// The place that the title of a text names before its colon.
pub(super) fn prefix_of(text: &str) -> Option<String> {
    prefix(text.trim_start().lines().next()?)
}

/// Share of a prefix' words that occur in a path.
pub(super) fn prefix_in_path(prefix: &str, path: &str) -> f64 {
    let mut there: Vec<String> = Vec::new();
    words::terms(path, |term| there.push(term.to_owned()));
    let (mut all, mut met) = (0, 0);
    words::terms(prefix, |term| {
        all += 1;
        met += u32::from(there.iter().any(|other| other == term));
    });
    if all > 0 { f64::from(met) / f64::from(all) } else { 0.0 }
}

/// Recency of a file's last change, 0 to 1.
pub(super) fn recency(history: &ProjectHistory, path: &str) -> Option<f64> {
    Some((-history.file(path)?.age_days() / RECENT_HALF_LIFE).exp2())
}

/// Co-change scores of files with these, by path.
pub(super) fn together(history: &ProjectHistory, files: &[(&str, f64)]) -> FxHashMap<String, f64> {
    let mut received: FxHashMap<String, f64> = FxHashMap::default();
    for (path, strength) in files {
        for partner in history.partners(path, PARTNERS) {
            *received.entry(partner.path).or_default() += strength * partner.partner.score;
        }
    }
    received
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_meets_paths_by_words() {
        assert_eq!(prefix_in_path("net/http", "src/net/http/server.go"), 1.0);
        assert_eq!(prefix_in_path("compiler-sfc", "packages/compiler-sfc/src/parse.ts"), 1.0);
        assert_eq!(prefix_in_path("net/http", "src/net/url.go"), 0.5);
        assert_eq!(prefix_in_path("net", "src/io.go"), 0.0);
        assert_eq!(prefix_in_path("getResponse", "src/core/getResponse.ts"), 1.0);
    }
}
