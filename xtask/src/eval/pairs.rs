//! What evaluations against labelled pairs of places share: reading the pairs, counting, and keeping the counts.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::arguments::Keep;
use super::golden::{keep, ratio};
use crate::Outcome;

/// Counts over pairs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Counts {
    pub(super) labelled: u64,
    pub(super) found: u64,
    pub(super) right: u64,
    pub(super) certain: u64,
    pub(super) certain_right: u64,
}

impl Counts {
    /// Counts a pair that was found.
    pub(super) fn add(&mut self, is_right: bool, is_certain: bool) {
        let (right, certain) = (u64::from(is_right), u64::from(is_certain));
        self.found += 1;
        self.right += right;
        self.certain += certain;
        self.certain_right += right * certain;
    }

    /// The counts as people read them.
    pub(super) fn show_counts(&self) -> String {
        let share = |part, whole| ratio(part, whole).map_or("-".to_owned(), |ratio| format!("{ratio:.3}"));
        format!(
            "{} labelled, P {} ({} of {}), certain P {} ({} of {}), R {}",
            self.labelled,
            share(self.right, self.found),
            self.right,
            self.found,
            share(self.certain_right, self.certain),
            self.certain_right,
            self.certain,
            share(self.right, self.labelled),
        )
    }
}

/// The labelled pairs of a file, sorted, each once. Lines that begin with `#` are remarks.
pub(super) fn parse_labelled(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut pairs: Vec<String> = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    pairs.sort();
    pairs.dedup();
    pairs
}

/// Prints the sum, and keeps or checks the counts if the arguments say so.
pub(super) fn conclude(golden: &Path, all: &BTreeMap<String, Counts>, args: &[String]) -> Outcome<()> {
    let sum = all.values().fold(Counts::default(), |sum, row| Counts {
        labelled: sum.labelled + row.labelled,
        found: sum.found + row.found,
        right: sum.right + row.right,
        certain: sum.certain + row.certain,
        certain_right: sum.certain_right + row.certain_right,
    });
    println!("all: {}", sum.show_counts());
    let has = |name: &str| args.iter().any(|arg| arg == name);
    let how = match (has("--write"), has("--check")) {
        (true, _) => Keep::Write,
        (_, true) => Keep::Check,
        _ => return Ok(()),
    };
    keep(&golden.join("counts.json"), all, how)
}
