//! Words of commit subjects: similarity of commits to a text.

use m1nd_history::History;
use m1nd_search::words;
use rustc_hash::{FxHashMap, FxHashSet};

/// Longest prefix of a subject, in bytes.
const MAX_PREFIX: usize = 48;
/// Most words of a prefix.
const MAX_PREFIX_WORDS: usize = 4;
/// Prefixes that name the kind of change, not its place.
const KINDS: &[&str] = &[
    "bug", "bugfix", "build", "chore", "ci", "cleanup", "deps", "doc", "docs", "feat", "feature", "fix", "fixes",
    "fixup", "hotfix", "minor", "perf", "refactor", "release", "revert", "style", "test", "tests", "types", "wip",
];

/// The words and prefixes of all subjects of a history.
#[derive(Debug, Default)]
pub(crate) struct Subjects {
    /// Commits whose subject has a word, as numbers in [`History::commits`].
    words: FxHashMap<Box<str>, Vec<u32>>,
    /// Commits whose subject has a prefix, see [`prefix`].
    prefixes: FxHashMap<String, Vec<u32>>,
    /// Words of each subject.
    lengths: Vec<u16>,
    mean_length: f64,
}

impl Subjects {
    pub(crate) fn of(history: &History) -> Self {
        let mut subjects = Self::default();
        let mut total = 0u64;
        for (number, commit) in history.commits().iter().enumerate() {
            let number = number as u32;
            let mut seen: FxHashSet<String> = FxHashSet::default();
            words::terms(&commit.subject, |term| {
                if term.len() > 1 && !words::is_stop_word(term) && !term.bytes().all(|byte| byte.is_ascii_digit()) {
                    seen.insert(term.to_owned());
                }
            });
            subjects.lengths.push(seen.len().min(usize::from(u16::MAX)) as u16);
            total += seen.len() as u64;
            for term in seen {
                subjects.words.entry(term.into_boxed_str()).or_default().push(number);
            }
            if let Some(prefix) = prefix(&commit.subject) {
                subjects.prefixes.entry(prefix.to_lowercase()).or_default().push(number);
            }
        }
        subjects.mean_length = (total as f64 / history.commits().len().max(1) as f64).max(1.0);
        subjects
    }

    /// Commits whose subject is like a text of weighed words, with a likeness of 0 to 1, most alike first.
    pub(crate) fn like<'w>(&self, text: impl Iterator<Item = (&'w str, f64)>, limit: usize) -> Vec<(usize, f64)> {
        let all = self.lengths.len() as f64;
        let mut sums: FxHashMap<u32, f64> = FxHashMap::default();
        let mut most = 0.0;
        for (word, weight) in text {
            let Some(commits) = self.words.get(word) else { continue };
            let count = commits.len() as f64;
            let gain = weight * ((all - count + 0.5) / (count + 0.5)).ln_1p();
            most += gain;
            commits.iter().for_each(|commit| *sums.entry(*commit).or_default() += gain);
        }
        let length = |commit: u32| f64::from(self.lengths[commit as usize]) / self.mean_length;
        let mut found: Vec<(usize, f64)> = sums
            .into_iter()
            .map(|(commit, sum)| (commit as usize, sum / most / (0.5 + 0.5 * length(commit))))
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(limit);
        found.iter_mut().for_each(|(_, likeness)| *likeness = likeness.min(1.0));
        found
    }

    /// Commits whose subject has this prefix, newest first.
    pub(crate) fn with_prefix(&self, prefix: &str) -> &[u32] {
        self.prefixes.get(&prefix.to_lowercase()).map_or(&[], Vec::as_slice)
    }
}

/// The place that a subject names before its colon: `net/http: …`, `fix(parser): …`, `[parser] …`.
pub(crate) fn prefix(subject: &str) -> Option<String> {
    let subject = subject.lines().next()?.trim();
    let place = match subject.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?.0,
        None => {
            let (head, rest) = subject.split_once(':')?;
            if !rest.starts_with(' ') {
                return None;
            }
            let head = head.strip_suffix('!').unwrap_or(head);
            match head.split_once('(') {
                Some((_, scope)) => scope.strip_suffix(')')?,
                None => head,
            }
        }
    };
    let place = place.trim().trim_matches('`');
    let fits = !place.is_empty()
        && place.len() <= MAX_PREFIX
        && place.split_whitespace().count() <= MAX_PREFIX_WORDS
        && KINDS.binary_search(&place.to_lowercase().as_str()).is_err();
    fits.then(|| place.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_names_a_place() {
        let cases = [
            ("net/http: fix a leak", Some("net/http")),
            ("fix(parser): no panic", Some("parser")),
            ("feat(ui/Table)!: rows", Some("ui/Table")),
            ("[router] match again", Some("router")),
            ("fix: no panic", None),
            ("Panic in a::b", None),
            ("a sentence that is far too long for one: yes", None),
            ("plain", None),
        ];
        for (subject, expected) in cases {
            assert_eq!(prefix(subject).as_deref(), expected, "{subject}");
        }
    }

    #[test]
    fn kinds_are_sorted() {
        assert!(KINDS.is_sorted());
    }
}
