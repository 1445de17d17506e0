//! How far predictions can be trusted in this repository, measured on its own commits.
//!
//! The newest commits are replayed: one of their files is the question, the others are the right answers, and only
//! older commits are evidence. The older half of the questions maps values of the model to probabilities (isotonic
//! regression), the newer half decides from which probability on rows are right often enough: per stratum (source and
//! kind of file), by an exact one-sided binomial bound. A kind of file with too few rows for its own probability has
//! that of all files of the source, unless its own rows contradict it; without enough rows there is none.

use m1nd_base::{Cancel, Cancelled};
use m1nd_history::{FileHistory, History, Moment};
use rustc_hash::FxHashMap;

use super::beside::{Beside, extension_of};
use super::signals::{Around, Candidate, Changed, FileLinks, PredictModel, candidates};
use crate::chance::lower_bound;

/// Maximum commits that are replayed.
const MAX_COMMITS: usize = 1_000;
/// Files of a commit that are questions.
const QUESTIONS: usize = 2;
/// Rows of a question that count, the best.
const ROWS: usize = 10;
/// Commits that must be older than a replayed one.
const LEAST_BEFORE: usize = 50;
/// Fewest rows of the older half, without which nothing is calibrated.
const LEAST_ROWS: usize = 100;
/// Sizes of the accepted sets that are tested, the smallest first, until one fails: a fixed order needs no correction
/// for the number of tests (Angelopoulos et al., "Learn then test", 2021).
const SIZES: [usize; 12] = [20, 30, 45, 68, 100, 150, 225, 340, 500, 750, 1_100, 1_700];
/// Places in [`SIZES`] where a sequence of tests starts. Small sets pass only if nearly all of their rows are right,
/// and a sequence ends with its first failure; so there is more than one, and the doubt is divided among them
/// (Bonferroni).
const STARTS: [usize; 3] = [0, 3, 6];
/// Chance that any set is accepted although fewer of such rows are right.
const DOUBT: f64 = 0.1;
/// Least probabilities of a row with verdict `act`, and `reverify`: many sure rows do not make up for one that is
/// rather wrong, or hardly ever right.
const LEAST_ACT: f64 = 0.5;
const LEAST_REVERIFY: f64 = 0.15;
/// Share of the rows with verdict `act` that are right, at least.
pub const ACT_SHARE: f64 = 0.8;
/// Share of the rows with verdict `reverify` or `act` that are right, at least.
pub const REVERIFY_SHARE: f64 = 0.3;
/// Bins of the calibration error.
const BINS: usize = 10;

/// What a prediction rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// Common commits.
    CoChange,
    /// The code, names and folders alone.
    Structure,
}

impl Source {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::CoChange => "co_change",
            Self::Structure => "structural_fallback",
        }
    }

    pub(super) fn of(candidate: &Candidate<'_>) -> Self {
        if candidate.support > 0 { Self::CoChange } else { Self::Structure }
    }
}

/// What to do about a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Measured to be right in at least 80 % of such rows, and more probable than not itself.
    Act,
    /// Measured to be right in at least 30 %, and no less probable than half of that itself.
    Reverify,
    /// Less often, or not measured.
    Abstain,
}

impl Verdict {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Act => "act",
            Self::Reverify => "reverify",
            Self::Abstain => "abstain",
        }
    }
}

/// Rows that are judged together.
#[derive(Debug, Clone, PartialEq)]
pub struct Stratum {
    /// What they rest on.
    pub source: Source,
    /// Extension of the file; `None` for all files of the source.
    pub extension: Option<String>,
    /// Rows of the newer half.
    pub rows: usize,
    /// Probability from which rows are `act`, if any.
    pub act: Option<Threshold>,
    /// Probability from which rows are at least `reverify`, if any.
    pub reverify: Option<Threshold>,
}

/// A probability from which rows are right often enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// The probability.
    pub tau: f64,
    /// Rows of the newer half from it on.
    pub accepted: usize,
    /// Share of these that were right.
    pub precision: f64,
    /// Lower bound of that share.
    pub bound: f64,
}

/// A calibration on one repository.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Calibration {
    /// Values with the probability from each on, by source.
    steps: Vec<(Source, Vec<(f64, f64)>)>,
    /// The strata.
    pub strata: Vec<Stratum>,
    /// Commits replayed.
    pub commits: usize,
    /// Questions of the newer half.
    pub questions: usize,
    /// Rows of the newer half.
    pub rows: usize,
    /// Share of the questions of the newer half with a row of verdict `act`.
    pub coverage: f64,
    /// Share of the rows of the newer half with verdict `act` that were right; `None` without such rows.
    pub precision: Option<f64>,
    /// Mean difference between stated probability and share of right rows over the newer half, in ten bins.
    pub error: f64,
}

/// Source and extension of a file.
type Kind = (Source, Option<String>);
/// Probabilities, and whether the row was right.
type Judged = Vec<(f64, bool)>;

/// A row of a replayed question.
#[derive(Debug, Clone)]
struct ReplayedRow {
    question: usize,
    value: f64,
    source: Source,
    extension: String,
    is_right: bool,
}

impl Calibration {
    /// Measures on the newest commits of a history.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn of(history: &History, beside: &Beside, model: &PredictModel, cancel: &Cancel) -> Result<Self, Cancelled> {
        let links = FileLinks::default();
        let around = Around { links: &links, beside, prefix: "" };
        let (rows, questions, commits) = replay(history, around, model, cancel)?;
        // Questions are numbered from the newest on.
        let newer = questions / 2;
        let (held_out, fitted): (Vec<ReplayedRow>, Vec<ReplayedRow>) =
            rows.into_iter().partition(|row| row.question < newer);
        let mut calibration = Self { commits, questions: newer, rows: held_out.len(), ..Self::default() };
        if fitted.len() < LEAST_ROWS || held_out.len() < SIZES[0] {
            return Ok(calibration);
        }
        for source in [Source::CoChange, Source::Structure] {
            let own = fitted.iter().filter(|row| row.source == source);
            calibration.steps.push((source, isotonic(own.map(|row| (row.value, row.is_right)).collect())));
        }
        calibration.strata = calibration.strata_of(&held_out);
        calibration.measure(&held_out, newer);
        Ok(calibration)
    }

    /// Whether there were enough commits.
    pub fn is_known(&self) -> bool {
        !self.steps.is_empty()
    }

    /// The probability that stands for a value of the model.
    pub fn probability(&self, value: f64, source: Source) -> f64 {
        let steps = self.steps.iter().find(|(of, _)| *of == source).map_or(&[][..], |(_, steps)| steps);
        if steps.is_empty() {
            return 1.0 / (1.0 + (-value).exp());
        }
        let next = steps.partition_point(|(from, _)| *from <= value);
        match (next.checked_sub(1).map(|at| steps[at]), steps.get(next)) {
            (None, Some((_, first))) => *first,
            (Some((_, last)), None) => last,
            (Some((from, low)), Some((to, high))) => low + (high - low) * (value - from) / (to - from),
            (None, None) => 0.0,
        }
    }

    /// The stratum that rows like this one were judged in.
    pub fn stratum(&self, source: Source, path: &str) -> Option<&Stratum> {
        let extension = extension_of(path);
        let of_source = || self.strata.iter().filter(|stratum| stratum.source == source);
        let own = of_source().find(|stratum| stratum.extension.as_deref() == Some(extension));
        own.or_else(|| of_source().find(|stratum| stratum.extension.is_none()))
    }

    /// The verdict on a row.
    pub fn verdict(&self, probability: f64, source: Source, path: &str) -> Verdict {
        let Some(stratum) = self.stratum(source, path) else { return Verdict::Abstain };
        let reaches = |threshold: &Option<Threshold>| threshold.is_some_and(|from| probability >= from.tau);
        match (reaches(&stratum.act), reaches(&stratum.reverify)) {
            (true, _) => Verdict::Act,
            (false, true) => Verdict::Reverify,
            (false, false) => Verdict::Abstain,
        }
    }

    fn strata_of(&self, rows: &[ReplayedRow]) -> Vec<Stratum> {
        let mut by_kind: FxHashMap<Kind, Judged> = FxHashMap::default();
        // Questions are numbered from the newest on.
        let newest = rows.iter().map(|row| row.question + 1).max().unwrap_or(0).div_ceil(2);
        let mut lately: FxHashMap<Kind, Judged> = FxHashMap::default();
        for row in rows {
            let own = (row.source, Some(row.extension.clone()));
            let judged = (self.probability(row.value, row.source), row.is_right);
            if row.question < newest {
                lately.entry(own.clone()).or_default().push(judged);
                lately.entry((row.source, None)).or_default().push(judged);
            }
            by_kind.entry(own).or_default().push(judged);
        }
        // All files of a source together have the rows that one kind of file may lack.
        let mut pools: FxHashMap<Source, Judged> = FxHashMap::default();
        for ((source, _), rows) in &by_kind {
            pools.entry(*source).or_default().extend(rows);
        }
        let pooled = |source: Source, share: f64| {
            let rows = sort_judged(pools.get(&source).cloned().unwrap_or_default());
            threshold(&rows, share)
        };
        by_kind.retain(|_, rows| rows.len() >= SIZES[0]);
        let stratum = |((source, extension), rows): (Kind, Judged)| {
            let rows = sort_judged(rows);
            let newest = sort_judged(lately.get(&(source, extension.clone())).cloned().unwrap_or_default());
            // What was right before need not be now: the newest half of the commits has to agree.
            let of = |share: f64| {
                let own = threshold(&rows, share);
                let found = own.or_else(|| pooled(source, share).filter(|pool| allows(&rows, pool, share)));
                found.filter(|threshold| allows(&newest, threshold, share))
            };
            Stratum { source, extension, rows: rows.len(), act: of(ACT_SHARE), reverify: of(REVERIFY_SHARE) }
        };
        by_kind.extend(pools.iter().map(|(source, rows)| ((*source, None), rows.clone())));
        let mut strata: Vec<Stratum> = by_kind.into_iter().map(stratum).collect();
        strata
            .sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| (a.source, &a.extension).cmp(&(b.source, &b.extension))));
        strata
    }

    fn measure(&mut self, rows: &[ReplayedRow], questions: usize) {
        let (mut accepted, mut right) = (0usize, 0usize);
        let mut answered: Vec<bool> = vec![false; questions];
        let mut bins = [(0usize, 0.0f64, 0usize); BINS];
        for row in rows {
            let probability = self.probability(row.value, row.source);
            let path = format!(".{}", row.extension);
            if self.verdict(probability, row.source, &path) == Verdict::Act {
                (accepted, right) = (accepted + 1, right + usize::from(row.is_right));
                answered[row.question] = true;
            }
            let bin = &mut bins[((probability * BINS as f64) as usize).min(BINS - 1)];
            *bin = (bin.0 + 1, bin.1 + probability, bin.2 + usize::from(row.is_right));
        }
        self.coverage = answered.iter().filter(|is| **is).count() as f64 / questions.max(1) as f64;
        self.precision = (accepted > 0).then(|| right as f64 / accepted as f64);
        let gap = bins.iter().map(|(_, stated, right)| (stated - *right as f64).abs()).sum::<f64>();
        self.error = gap / rows.len().max(1) as f64;
    }
}

/// Whether rows, such as those of one kind of file, do not contradict a threshold of more: as many of those that it
/// accepts are right.
fn allows(rows: &[(f64, bool)], pool: &Threshold, share: f64) -> bool {
    let accepted = &rows[..rows.partition_point(|(probability, _)| *probability >= pool.tau)];
    let right = accepted.iter().filter(|(_, is_right)| *is_right).count();
    right as f64 >= share * accepted.len() as f64
}

/// Most probable first; of equally probable rows, wrong ones first.
fn sort_judged(mut rows: Judged) -> Judged {
    rows.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    rows
}

/// Asks about files of the newest commits: the rows, the number of questions, and of commits.
fn replay(
    history: &History,
    around: Around<'_>,
    model: &PredictModel,
    cancel: &Cancel,
) -> Result<(Vec<ReplayedRow>, usize, usize), Cancelled> {
    let (mut rows, mut questions, mut commits) = (Vec::new(), 0, 0);
    let last = history.commits().len().saturating_sub(LEAST_BEFORE);
    for (number, commit) in history.commits().iter().enumerate().take(last) {
        cancel.check()?;
        if commits == MAX_COMMITS {
            break;
        }
        if commit.count_touched() < 2 || !commit.is_focused() || !commit.counts_together() || commit.is_bot {
            continue;
        }
        commits += 1;
        for (file, right) in questions_of(history, number) {
            let best = best(history, file, around, model, Moment::before(number));
            rows.extend(best.iter().map(|(value, candidate)| ReplayedRow {
                question: questions,
                value: *value,
                source: Source::of(candidate),
                extension: extension_of(candidate.file.path()).to_owned(),
                is_right: right.contains(&candidate.file.key()),
            }));
            questions += 1;
        }
    }
    Ok((rows, questions, commits))
}

/// Files of a commit as questions, each with the keys of the others.
pub fn questions_of(history: &History, commit: usize) -> Vec<(FileHistory<'_>, Vec<u32>)> {
    let mut files: Vec<FileHistory<'_>> = history.all_touched_by(commit).collect();
    files.sort_by(|a, b| a.path().cmp(b.path()));
    let step = files.len().div_ceil(QUESTIONS).max(1);
    let others = |file: &FileHistory<'_>| {
        files.iter().map(FileHistory::key).filter(|key| *key != file.key()).collect::<Vec<u32>>()
    };
    // Not always the first paths of a commit: those are of few folders.
    files.iter().skip(commit % step).step_by(step).map(|file| (*file, others(file))).collect()
}

/// The best candidates for a file at a moment, with their values.
fn best<'h>(
    history: &'h History,
    file: FileHistory<'h>,
    around: Around<'_>,
    model: &PredictModel,
    moment: Moment,
) -> Vec<(f64, Candidate<'h>)> {
    let own = history.counting_commits(file, moment);
    let found = candidates(history, Changed { path: file.path(), commits: &own }, around, moment);
    let mut rows: Vec<(f64, Candidate<'h>)> = found.into_iter().map(|row| (model.value(&row.signals), row)).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    rows.truncate(ROWS);
    rows
}

/// The lowest probability from which rows are accepted with a bound of at least `share`, as is every higher one that is
/// tested; rows are sorted, most probable first.
fn threshold(rows: &[(f64, bool)], share: f64) -> Option<Threshold> {
    let least = if share >= ACT_SHARE { LEAST_ACT } else { LEAST_REVERIFY };
    let sizes = |start: usize| SIZES[start..].iter().copied().filter(|size| *size <= rows.len());
    let test = |size: usize| {
        let tau = rows[size - 1].0;
        if tau < least {
            return None;
        }
        // Equally probable rows are accepted together.
        let accepted = rows.partition_point(|(probability, _)| *probability >= tau);
        let right = rows[..accepted].iter().filter(|(_, is_right)| *is_right).count();
        let bound = lower_bound(right, accepted, DOUBT / STARTS.len() as f64);
        (bound >= share).then(|| Threshold { tau, accepted, precision: right as f64 / accepted as f64, bound })
    };
    STARTS.iter().filter_map(|start| sizes(*start).map_while(test).last()).max_by_key(|found| found.accepted)
}

/// Isotonic regression (pool adjacent violators): values with the share of right rows there, both rising. One right and
/// one wrong row are added at each end, so that no probability is 0 or 1.
fn isotonic(mut rows: Vec<(f64, bool)>) -> Vec<(f64, f64)> {
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Sum of values, of right rows, and number of rows of each block.
    let mut blocks: Vec<(f64, f64, f64)> = Vec::new();
    let last = rows.last().map_or(0.0, |row| row.0);
    let first = rows.first().map_or(0.0, |row| row.0);
    let padded = [(first, true), (first, false)].into_iter().chain(rows).chain([(last, true), (last, false)]);
    for (value, is_right) in padded {
        blocks.push((value, f64::from(u8::from(is_right)), 1.0));
        while let [.., before, after] = blocks.as_slice()
            && before.1 / before.2 >= after.1 / after.2
        {
            let joined = (before.0 + after.0, before.1 + after.1, before.2 + after.2);
            blocks.truncate(blocks.len() - 2);
            blocks.push(joined);
        }
    }
    let mut steps: Vec<(f64, f64)> =
        blocks.into_iter().map(|(values, right, count)| (values / count, right / count)).collect();
    steps.dedup_by(|next, before| next.0 <= before.0);
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_rise_with_values() {
        let rows = (0..200).map(|n| (f64::from(n) / 20.0, n % 10 < n / 20)).collect();
        let steps = isotonic(rows);
        assert!(steps.len() > 3 && steps.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1), "{steps:?}");
        assert!(steps.iter().all(|(_, share)| (0.0..1.0).contains(share)));
        let calibration = Calibration { steps: vec![(Source::CoChange, steps)], ..Calibration::default() };
        let at = |value: f64| calibration.probability(value, Source::CoChange);
        assert!(at(-9.0) < 0.2 && at(99.0) > 0.7 && at(5.0) > at(2.0));
    }

    #[test]
    fn kinds_of_files_with_few_rows_have_the_threshold_of_all() {
        let row = |extension: &str, is_right: bool| ReplayedRow {
            question: 0,
            value: 1.0,
            source: Source::CoChange,
            extension: extension.to_owned(),
            is_right,
        };
        let of = |extension: &'static str, right: usize, wrong: usize| {
            (0..right).map(move |_| row(extension, true)).chain((0..wrong).map(move |_| row(extension, false)))
        };
        let steps = vec![(Source::CoChange, vec![(0.0, 0.1), (1.0, 0.9)])];
        let known = Calibration { steps, ..Calibration::default() };
        // Fifteen right rows of one kind are too few to be tested.
        let rows: Vec<ReplayedRow> = of("py", 15, 0).chain(of("md", 15, 0)).chain(of("rs", 3, 0)).collect();
        let known = Calibration { strata: known.strata_of(&rows), ..known };
        let verdict = |path: &str| known.verdict(0.9, Source::CoChange, path);
        assert_eq!([verdict("a.py"), verdict("a.md"), verdict("a.rs"), verdict("a.c")], [Verdict::Act; 4]);
        assert_eq!(known.verdict(0.9, Source::Structure, "a.py"), Verdict::Abstain);
        let rows: Vec<ReplayedRow> = of("py", 400, 0).chain(of("md", 12, 12)).collect();
        let known = Calibration { strata: known.strata_of(&rows), ..known };
        let verdict = |path: &str| known.verdict(0.9, Source::CoChange, path);
        assert_eq!([verdict("a.py"), verdict("a.md")], [Verdict::Act, Verdict::Reverify], "its own rows contradict");
    }

    #[test]
    fn the_newest_commits_have_to_agree() {
        let steps = vec![(Source::CoChange, vec![(0.0, 0.1), (1.0, 0.9)])];
        let known = Calibration { steps, ..Calibration::default() };
        let row = |question: usize, is_right: bool| ReplayedRow {
            question,
            value: 1.0,
            source: Source::CoChange,
            extension: "py".to_owned(),
            is_right,
        };
        let verdict = |lately: usize| {
            let rows: Vec<ReplayedRow> = (0..400).map(|question| row(question, question >= lately)).collect();
            let known = Calibration {
                strata: known.strata_of(&rows),
                ..Calibration { steps: known.steps.clone(), ..Calibration::default() }
            };
            known.verdict(0.9, Source::CoChange, "a.py")
        };
        assert_eq!([verdict(20), verdict(60)], [Verdict::Act, Verdict::Reverify], "60 of the newest 200 are wrong");
    }

    #[test]
    fn a_threshold_needs_enough_right_rows() {
        let rows = |right: usize, wrong: usize| -> Vec<(f64, bool)> {
            let all = (0..right).map(|_| true).chain((0..wrong).map(|_| false)).enumerate();
            all.map(|(n, is_right)| (1.0 - n as f64 / 1e4, is_right)).collect()
        };
        let found = threshold(&rows(100, 100), ACT_SHARE).expect("the first hundred are right");
        assert_eq!((found.accepted, found.precision), (100, 1.0));
        assert!(found.bound >= ACT_SHARE && found.bound < 1.0);
        assert_eq!(threshold(&rows(12, 100), ACT_SHARE), None, "twelve are too few");
        let mut unlucky = rows(100, 100);
        unlucky[..20].iter_mut().step_by(5).for_each(|row| row.1 = false);
        let later = threshold(&unlucky, ACT_SHARE).expect("the smallest set fails, larger ones do not");
        assert_eq!((later.accepted, later.precision), (100, 0.96));
        assert_eq!(threshold(&unlucky[..60], ACT_SHARE), None, "there is no larger set");
        let unsure: Vec<(f64, bool)> =
            rows(100, 0).into_iter().map(|(value, is_right)| (value / 2.1, is_right)).collect();
        assert_eq!(threshold(&unsure, ACT_SHARE), None, "each is rather wrong");
        assert!(threshold(&unsure, REVERIFY_SHARE).is_some());
        let rare: Vec<(f64, bool)> =
            rows(100, 0).into_iter().map(|(value, is_right)| (value / 8.0, is_right)).collect();
        assert_eq!(threshold(&rare, REVERIFY_SHARE), None);
        assert_eq!(threshold(&rows(0, 100), REVERIFY_SHARE), None);
        assert_eq!(threshold(&[], ACT_SHARE), None);
    }
}
