//! Evaluates the built-in gotchas on hand-labelled tasks (`crates/memory/testdata/gotchas.tsv`).

use std::collections::{BTreeMap, BTreeSet};

use m1nd_memory::edges::{BUILT_IN_PREFIX, EdgeMatcher, EdgeQuery, Stack};
use serde::{Deserialize, Serialize};

use crate::eval::golden::ratio;

static CASES: &str = include_str!("../../../../crates/memory/testdata/gotchas.tsv");

/// Counts for a part of the cases.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Counts {
    due: u64,
    /// Due gotchas that are shown.
    shown: u64,
    harmless: u64,
    /// Cases without a due gotcha for which one is shown.
    alarms: u64,
    /// Cases with a due gotcha for which another one is shown.
    beside: u64,
    shown_share: Option<f64>,
    alarm_share: Option<f64>,
}

struct Case<'a> {
    is_held_out: bool,
    due: Option<String>,
    stack: Vec<Box<str>>,
    intent: &'a str,
    code: Option<String>,
}

fn cases() -> impl Iterator<Item = Case<'static>> {
    let rows = CASES.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [set, due, stack, intent, code] = columns[..] else { panic!("expected five columns: {line}") };
        Case {
            is_held_out: set == "h",
            due: (due != "-").then(|| format!("{BUILT_IN_PREFIX}{due}")),
            stack: stack.split(',').filter(|tag| *tag != "-").map(Into::into).collect(),
            intent,
            code: (!code.is_empty()).then(|| unescape_text(code)),
        }
    })
}

fn unescape_text(text: &str) -> String {
    let (mut out, mut chars) = (String::new(), text.chars());
    while let Some(char) = chars.next() {
        out.push(match char {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(other) => other,
                None => '\\',
            },
            char => char,
        });
    }
    out
}

/// Measures all cases, and those held out while rules were written. Prints misses and false alarms if requested.
pub(super) fn measure_cases(explain: usize) -> BTreeMap<String, Counts> {
    let matcher = EdgeMatcher::new(&[], true, []);
    let mut results: BTreeMap<String, Counts> = BTreeMap::new();
    for case in cases() {
        let stack = if case.stack.is_empty() { Stack::Unknown } else { Stack::Detected(&case.stack) };
        let query = EdgeQuery { intent: case.intent, code: case.code.as_deref(), stack, goal: "" };
        let warnings = matcher.check(&query, &BTreeSet::new());
        let is_shown = case.due.as_ref().is_some_and(|due| warnings.iter().any(|warning| *warning.id == **due));
        let is_wrong = if case.due.is_some() { !is_shown } else { !warnings.is_empty() };
        if is_wrong && explain > 0 {
            println!("{:?} due for {:?} {:?}; shown:", case.due, case.intent, case.code);
            warnings.iter().take(explain).for_each(|warning| println!("    {} ({})", warning.id, warning.matched_on));
        }
        let parts = [Some("all"), case.is_held_out.then_some("held out")];
        for part in parts.into_iter().flatten() {
            let counts = results.entry(part.to_owned()).or_default();
            match case.due {
                Some(_) => {
                    counts.due += 1;
                    counts.shown += u64::from(is_shown);
                    counts.beside += warnings.len() as u64 - u64::from(is_shown);
                }
                None => {
                    counts.harmless += 1;
                    counts.alarms += u64::from(!warnings.is_empty());
                }
            }
        }
    }
    for counts in results.values_mut() {
        counts.shown_share = ratio(counts.shown, counts.due);
        counts.alarm_share = ratio(counts.alarms, counts.harmless);
    }
    results
}

pub(super) fn table(results: &BTreeMap<String, Counts>) -> String {
    let row = |(name, counts): (&String, &Counts)| {
        let share = |share: Option<f64>| share.unwrap_or_default();
        format!(
            "  {name:<10} shown when due {:.3} ({} of {}), false alarms {:.3} ({} of {}), shown beside {}\n",
            share(counts.shown_share),
            counts.shown,
            counts.due,
            share(counts.alarm_share),
            counts.alarms,
            counts.harmless,
            counts.beside,
        )
    };
    results.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn due_ones_are_shown_and_harmless_tasks_are_left_alone() {
        let results = measure_cases(3);
        println!("{}", table(&results));
        assert!(results["all"].due >= 60 && results["all"].harmless >= 60);
        for (name, counts) in results {
            assert!(counts.shown_share.is_some_and(|share| share >= 0.90), "{name}: {counts:?}");
            assert!(counts.alarm_share.is_some_and(|share| share <= 0.05), "{name}: {counts:?}");
        }
    }

    #[test]
    fn each_gotcha_is_due_at_least_twice() {
        let mut due: BTreeMap<String, usize> = BTreeMap::new();
        cases().filter_map(|case| case.due).for_each(|id| *due.entry(id).or_default() += 1);
        for built_in in m1nd_memory::edges::built_in() {
            let id = &*built_in.edge.id;
            assert!(due.remove(id).is_some_and(|count| count >= 2), "{id} has too few cases");
        }
        assert!(due.is_empty(), "no such gotchas: {due:?}");
    }

    #[test]
    fn escapes() {
        assert_eq!(unescape_text(r"a\nb\\n\tc"), "a\nb\\n\tc");
    }
}
