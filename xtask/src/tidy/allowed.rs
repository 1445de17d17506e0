//! Findings of rules that are newer than the code: a list of how many each part of the repository may have. The list
//! only shrinks.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use crate::{Outcome, repository};

/// The list, from the top of the repository. A row: rule, part of the repository, word or phrase, number.
const LIST: &str = "xtask/src/tidy/allowed.txt";
const HEAD: &str = "# Findings that `cargo xtask tidy` allows: rule, part of the repository, word or phrase, number.\n\
                    # Written by `cargo xtask tidy --shrink`, which removes what is mended and adds nothing.\n";

/// Rule, part of the repository, and word or phrase of a finding.
pub(super) type Key = (&'static str, String, String);

pub(super) struct Finding {
    /// File and line.
    pub(super) place: String,
    pub(super) what: String,
    pub(super) key: Key,
}

/// Number of findings by rule, part and word.
type Counts = BTreeMap<(String, String, String), usize>;

/// What goes beyond the list, and what of the list is mended.
pub(super) fn check(findings: &[Finding]) -> Outcome<Vec<String>> {
    Ok(compare(&read_list(&repository().join(LIST))?, findings))
}

/// Lowers the numbers of the list to what is found. With a rule that has no row yet, its findings become the list.
pub(super) fn shrink(findings: &[Finding]) -> Outcome<()> {
    let path = repository().join(LIST);
    let list = read_list(&path)?;
    let text = write_list(&shrink_list(&list, findings));
    Ok(std::fs::write(&path, text).map_err(|error| format!("{LIST}: {error}"))?)
}

fn compare(list: &Counts, findings: &[Finding]) -> Vec<String> {
    let mut complaints = Vec::new();
    let found = count(findings);
    for (key, number) in &found {
        let allowed = list.get(key).copied().unwrap_or_default();
        if *number > allowed {
            let places = findings.iter().filter(|finding| to_owned_key(&finding.key) == *key);
            let more =
                if allowed == 0 { String::new() } else { format!(" ({number} in {}, {allowed} allowed)", key.1) };
            complaints.extend(places.map(|finding| format!("{}: {}{more}", finding.place, finding.what)));
        }
    }
    let is_mended = |key: &_, allowed: &usize| found.get(key).copied().unwrap_or_default() < *allowed;
    let mended = list.iter().filter(|(key, allowed)| is_mended(key, allowed)).count();
    if mended > 0 {
        complaints.push(format!("{LIST}: {mended} rows allow more than is found; run `cargo xtask tidy --shrink`"));
    }
    complaints
}

fn shrink_list(list: &Counts, findings: &[Finding]) -> Counts {
    let is_known = |rule: &str| list.keys().any(|(known, ..)| known == rule);
    let kept = count(findings).into_iter().filter_map(|(key, number)| {
        let allowed = if is_known(&key.0) { list.get(&key).copied().unwrap_or_default() } else { number };
        let number = number.min(allowed);
        (number > 0).then_some((key, number))
    });
    kept.collect()
}

fn to_owned_key((rule, area, word): &Key) -> (String, String, String) {
    ((*rule).to_owned(), area.clone(), word.clone())
}

fn count(findings: &[Finding]) -> Counts {
    let mut counts = Counts::new();
    for finding in findings {
        *counts.entry(to_owned_key(&finding.key)).or_default() += 1;
    }
    counts
}

fn read_list(path: &Path) -> Outcome<Counts> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut counts = Counts::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let row: Vec<&str> = line.split('\t').collect();
        let [rule, area, word, number] = row[..] else {
            return Err(format!("{LIST}: expected four columns between tabs, found `{line}`").into());
        };
        let number = number.parse().map_err(|_| format!("{LIST}: `{number}` in `{line}` is not a number"))?;
        counts.insert((rule.to_owned(), area.to_owned(), word.to_owned()), number);
    }
    Ok(counts)
}

fn write_list(counts: &Counts) -> String {
    let mut text = HEAD.to_owned();
    for ((rule, area, word), number) in counts {
        let _ = writeln!(text, "{rule}\t{area}\t{word}\t{number}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(area: &str, word: &str) -> Finding {
        let key = ("name", area.to_owned(), word.to_owned());
        Finding { place: format!("{area}/src/a.rs:1"), what: word.to_owned(), key }
    }

    #[test]
    fn the_list_only_shrinks() {
        let old = [finding("crates/x", "told"), finding("crates/x", "told"), finding("crates/x", "made")];
        let list = shrink_list(&Counts::new(), &old);
        assert!(compare(&list, &old).is_empty());
        // One mended, one new: both are complained about, and the new one is not added.
        let now = [finding("crates/x", "told"), finding("crates/x", "made"), finding("crates/y", "told")];
        let complaints = compare(&list, &now);
        assert!(complaints.len() == 2 && complaints[0].starts_with("crates/y/src/a.rs:1"), "{complaints:?}");
        let shrunk = shrink_list(&list, &now);
        assert_eq!(shrunk.len(), 2);
        assert_eq!(compare(&shrunk, &now), ["crates/y/src/a.rs:1: told"]);
        assert_eq!(compare(&shrunk, &now[..2]), Vec::<String>::new());
    }

    #[test]
    fn a_list_is_read_as_it_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("list.txt");
        let list = count(&[finding("docs", "is no"), finding("docs", "is no")]);
        std::fs::write(&path, write_list(&list)).expect("written");
        assert_eq!(read_list(&path).expect("read"), list);
        std::fs::write(&path, "name\tdocs\n").expect("written");
        assert!(read_list(&path).is_err());
    }
}
