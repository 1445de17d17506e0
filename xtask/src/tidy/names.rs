//! Functions are named by verbs or questions. A lone past participle (`fn told`) does not say what happens.

use super::allowed::Finding;
use super::paths::without_texts;
use super::{Source, area, length};

/// Key of this rule in the list of allowed findings.
pub(super) const RULE: &str = "name";

/// Past participles of irregular verbs, except those that are equal to the verb (`put`, `read`, `set`).
const IRREGULAR: &[&str] = &[
    "been", "begun", "bent", "born", "borne", "bought", "bound", "broken", "brought", "built", "burnt", "caught",
    "chosen", "clung", "crept", "dealt", "done", "drawn", "driven", "dug", "eaten", "fallen", "fed", "felt", "fled",
    "flown", "forgotten", "fought", "found", "frozen", "given", "gone", "got", "gotten", "grown", "had", "heard",
    "held", "hidden", "hung", "kept", "known", "laid", "learnt", "led", "left", "lent", "lost", "made", "meant", "met",
    "mistaken", "overtaken", "overwritten", "paid", "proven", "rebuilt", "redone", "rewritten", "ridden", "risen",
    "said", "seen", "sent", "shaken", "shot", "shown", "slept", "sold", "sought", "spelt", "spent", "spoken", "spun",
    "stolen", "stood", "struck", "stuck", "sunk", "swept", "sworn", "swung", "taken", "taught", "thought", "thrown",
    "told", "torn", "undone", "understood", "unknown", "unseen", "withdrawn", "withheld", "woken", "won", "worn",
    "wound", "woven", "written", "wrung",
];
/// Words that end like a participle and are none.
const VERBS_AND_NOUNS: &[&str] = &[
    "bed", "bleed", "breed", "embed", "exceed", "feed", "heed", "hundred", "need", "proceed", "red", "seed", "shed",
    "shred", "speed", "succeed", "weed",
];

pub(super) fn find(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, line) in list_functions(source) {
        if is_participle(&name) {
            findings.push(Finding {
                place: format!("{}:{line}", source.path),
                what: format!("`{name}` is a lone participle; name the function by a verb or a question"),
                key: (RULE, area(&source.path), name),
            });
        }
    }
    findings
}

/// Name and line of the functions of a file, those of tests included.
pub(super) fn list_functions(source: &Source) -> Vec<(String, usize)> {
    if !source.is_rust() || source.is_data() {
        return Vec::new();
    }
    let code = without_texts(&source.text);
    length::functions(&code).into_iter().map(|(name, line, _)| (name.to_owned(), line)).collect()
}

/// Whether a name is one word, and that word a past participle.
pub(super) fn is_participle(name: &str) -> bool {
    let is_regular = name.ends_with("ed") && !VERBS_AND_NOUNS.contains(&name);
    !name.contains('_') && (is_regular || IRREGULAR.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_participles_are_found() {
        let text = "fn told() {}\nfn is_told() {}\nfn need() {}\n    fn indexed(\n    ) {}\n/// fn made() {}\nconst A: &str = \"\nfn kept() {}\n\";\n";
        let source = |path: &str| Source { path: path.to_owned(), text: text.to_owned() };
        let found: Vec<_> = find(&source("crates/x/src/a.rs")).into_iter().map(|found| found.place).collect();
        assert_eq!(found, ["crates/x/src/a.rs:1", "crates/x/src/a.rs:4"]);
        assert!(find(&source("crates/x/tests/fixtures/a.rs")).is_empty() && find(&source("a.md")).is_empty());
    }
}
