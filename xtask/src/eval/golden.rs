//! Results as they are kept: counts, and the ratios that follow from them. No times, no dates, no text of the truth.

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub(crate) use super::arguments::Keep;
use crate::Outcome;

/// Counts of one kind of edge.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Score {
    /// Things that the truth knows.
    pub(super) truth: u64,
    /// Of these, found by a certain edge.
    pub(super) certain: u64,
    /// Of the others, found by a possible edge.
    pub(super) possible: u64,
    /// Found by a certain edge with a site where truth has one, whoever the source is: truth names sources that we do not
    /// have (functions made by macros) and does not know others.
    pub(super) certain_at_site: u64,
    /// Candidates of the references that those possible edges come from, summed up.
    pub(super) candidates: u64,
    /// Certain edges, counted at each site where truth speaks too, that it agrees with.
    pub(super) right: u64,
    /// Such that truth contradicts: it names another definition with the same name.
    pub(super) invented: u64,
    /// Such that truth contradicts: it names something with another name.
    pub(super) other_name: u64,
    /// Certain edges, counted at each site where truth is silent although it knows the types of all that is around.
    pub(super) silent: u64,
    /// What follows.
    pub(super) ratios: Ratios,
}

/// What follows from the counts of a [`Score`]; `None` of nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Ratios {
    /// `right` of all certain edges at sites where truth speaks.
    pub(super) precision: Option<f64>,
    /// `certain` of `truth`.
    pub(super) recall_certain: Option<f64>,
    /// `certain_at_site` of `truth`.
    pub(super) recall_at_site: Option<f64>,
    /// `certain` and `possible` of `truth`.
    pub(super) recall_possible: Option<f64>,
    /// Candidates a found thing has in the mean; 1 for what is certain.
    pub(super) mean_candidates: Option<f64>,
    /// `invented` of all certain edges at sites where truth speaks.
    pub(super) invented_share: Option<f64>,
    /// `other_name` and `silent` of all certain edges at sites where truth speaks or is silent.
    pub(super) phantom_share: Option<f64>,
}

impl Score {
    /// Works the ratios out.
    pub(super) fn finish(&mut self) {
        let spoken = self.right + self.invented + self.other_name;
        let found = self.certain + self.possible;
        self.ratios = Ratios {
            precision: ratio(self.right, spoken),
            recall_certain: ratio(self.certain, self.truth),
            recall_at_site: ratio(self.certain_at_site, self.truth),
            recall_possible: ratio(found, self.truth),
            mean_candidates: ratio(self.certain + self.candidates, found),
            invented_share: ratio(self.invented, spoken),
            phantom_share: ratio(self.other_name + self.silent, spoken + self.silent),
        };
    }

    /// Counts a thing of the truth that an edge of this tier and number of candidates finds.
    pub(super) fn find(&mut self, best: Option<Found>) {
        self.truth += 1;
        match best {
            Some(Found::Certain) => self.certain += 1,
            Some(Found::Possible(of)) => {
                self.possible += 1;
                self.candidates += u64::from(of);
            }
            None => {}
        }
    }

    /// Counts a certain edge at a site.
    pub(super) fn judge(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Right => self.right += 1,
            Verdict::Invented => self.invented += 1,
            Verdict::OtherName => self.other_name += 1,
            Verdict::Silent => self.silent += 1,
            Verdict::Unjudged => {}
        }
    }
}

/// The best edge that finds a thing of the truth; the least is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Found {
    Certain,
    /// One of so many.
    Possible(u16),
}

/// What truth says to a certain edge at a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Right,
    Invented,
    OtherName,
    Silent,
    Unjudged,
}

/// One kind of edge, and parts of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Split {
    pub(super) all: Score,
    /// Source and target in different files.
    pub(super) cross_file: Score,
    /// The target's name is defined more than once in the repository.
    pub(super) ambiguous: Score,
}

impl Split {
    /// Counts in all parts that it belongs to.
    pub(super) fn count(&mut self, is_cross: bool, is_ambiguous: bool, count: impl Fn(&mut Score)) {
        count(&mut self.all);
        if is_cross {
            count(&mut self.cross_file);
        }
        if is_ambiguous {
            count(&mut self.ambiguous);
        }
    }

    pub(super) fn finish(&mut self) {
        [&mut self.all, &mut self.cross_file, &mut self.ambiguous].into_iter().for_each(Score::finish);
    }
}

/// A share with four decimals.
pub(crate) fn ratio(part: u64, whole: u64) -> Option<f64> {
    const DECIMALS: f64 = 1e4;
    (whole > 0).then(|| (part as f64 / whole as f64 * DECIMALS).round() / DECIMALS)
}

/// Compares a result with the kept one or keeps it.
pub(crate) fn keep<T: Serialize + DeserializeOwned + PartialEq>(path: &Path, new: &T, keep: Keep) -> Outcome<()> {
    let text = format!("{}\n", serde_json::to_string_pretty(new)?);
    match keep {
        Keep::Print => {
            println!("{text}");
            Ok(())
        }
        Keep::Write => {
            fs::create_dir_all(path.parent().expect("a result lies in a folder"))?;
            fs::write(path, text)?;
            println!("wrote {}", path.display());
            Ok(())
        }
        Keep::Check => {
            let old = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
            if old == text {
                println!("{}: as kept", path.display());
                return Ok(());
            }
            for (old, new) in old.lines().zip(text.lines()).filter(|(old, new)| old != new) {
                println!("kept  {}\nfound {}", old.trim(), new.trim());
            }
            Err(format!("{}: the result differs from the kept one; --write keeps the new one", path.display()).into())
        }
    }
}
