//! Co-change: files that change together.

use rustc_hash::FxHashMap;

use crate::history::{FileHistory, History};

/// Half-life, in days, of a common commit in [`Partner::score`].
const HALF_LIFE: f64 = 365.0;
/// Prior weight of [`Partner::score`]: a single common commit is no pattern.
const PRIOR: f64 = 0.5;
/// Maximum number of file pairs counted at a time.
const MAX_PAIRS: usize = 2_000_000;

/// A file that changed together with another.
#[derive(Debug, Clone, Copy)]
pub struct Partner<'h> {
    /// The other file.
    pub file: FileHistory<'h>,
    /// Commits that touched both.
    pub support: u32,
    /// Number of these that touched few files, see [`crate::Commit::is_focused`].
    pub focused: u32,
    /// Commits that touched the other file.
    pub of: u32,
    /// Share of the other file's commits that also touched this one, 0 to 1.
    pub confidence: f64,
    /// Ratio of observed to expected common commits if the files were independent.
    pub lift: f64,
    /// Probability of at least as many common commits if the files were independent (hypergeometric).
    pub p_value: f64,
    /// Ranking score, 0 to 1: the confidence, with lower weight for older and larger commits and those of programs,
    /// shrunk towards 0 if there are few commits.
    pub score: f64,
    /// Index of the newest common commit in [`History::commits`].
    pub newest: usize,
}

/// Two files that change together.
#[derive(Debug, Clone, Copy)]
pub struct TogetherPair<'h> {
    /// The file with the lesser path.
    pub a: FileHistory<'h>,
    /// The other file.
    pub b: FileHistory<'h>,
    /// Commits that touched both.
    pub support: u32,
    /// See [`Partner::lift`].
    pub lift: f64,
    /// See [`Partner::p_value`].
    pub p_value: f64,
}

/// Counts of one partner.
#[derive(Default)]
struct Common {
    support: u32,
    focused: u32,
    weight: f64,
    newest: u32,
}

impl<'h> FileHistory<'h> {
    /// The existing files that changed together with this one, best [`Partner::score`] first, at most `limit`.
    pub fn partners(&self, limit: usize) -> Vec<Partner<'h>> {
        let history = self.history;
        let mut common: FxHashMap<u32, Common> = FxHashMap::default();
        let mut all = PRIOR;
        for &number in &self.row().commits {
            let commit = &history.record.commits[number as usize];
            if !commit.counts_together() {
                continue;
            }
            let age = (-history.age_days(commit.time) / HALF_LIFE).exp2();
            let weight = age * commit.weight();
            all += weight;
            for &other in history.files_of[number as usize].iter().filter(|&&other| other != self.number) {
                let at = common.entry(other).or_insert(Common { newest: number, ..Common::default() });
                at.support += 1;
                at.focused += u32::from(commit.is_focused());
                at.weight += weight;
            }
        }
        let there = common.into_iter().filter(|(other, _)| !history.files[*other as usize].is_removed);
        let rows = there.map(|(other, common)| self.partner(other, &common, all));
        let mut rows: Vec<Partner<'h>> = rows.collect();
        rows.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.file.path().cmp(b.file.path())));
        rows.truncate(limit);
        rows
    }

    fn partner(&self, other: u32, common: &Common, all: f64) -> Partner<'h> {
        let history = self.history;
        let (of, theirs) = (self.row().together, history.files[other as usize].together);
        Partner {
            file: FileHistory { history, number: other },
            support: common.support,
            focused: common.focused,
            of,
            confidence: f64::from(common.support) / f64::from(of.max(1)),
            lift: history.lift(common.support, of, theirs),
            p_value: history.p_value(common.support, of, theirs),
            score: common.weight / all,
            newest: common.newest as usize,
        }
    }
}

impl History {
    /// Pairs of existing files with at least `min_support` common commits, least [`TogetherPair::p_value`] first, at
    /// most `limit`.
    pub fn together_pairs(&self, min_support: u32, limit: usize) -> Vec<TogetherPair<'_>> {
        let mut counts: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let commits = self.record.commits.iter().zip(&self.files_of);
        for (_, files) in commits.filter(|(commit, _)| commit.counts_together()) {
            for (index, &one) in files.iter().enumerate() {
                for &other in &files[index + 1..] {
                    let pair = (one.min(other), one.max(other));
                    if counts.len() < MAX_PAIRS || counts.contains_key(&pair) {
                        *counts.entry(pair).or_default() += 1;
                    }
                }
            }
        }
        let is_there = |file: u32| !self.files[file as usize].is_removed;
        let often = counts
            .into_iter()
            .filter(|((a, b), support)| *support >= min_support && a != b && is_there(*a) && is_there(*b));
        let mut pairs: Vec<TogetherPair<'_>> = often.map(|((a, b), support)| self.pair(a, b, support)).collect();
        pairs.sort_by(|x, y| {
            x.p_value.total_cmp(&y.p_value).then_with(|| (x.a.path(), x.b.path()).cmp(&(y.a.path(), y.b.path())))
        });
        pairs.truncate(limit);
        pairs
    }

    fn pair(&self, one: u32, other: u32, support: u32) -> TogetherPair<'_> {
        let (one, other) = if self.path_of(one) <= self.path_of(other) { (one, other) } else { (other, one) };
        let (n_one, n_other) = (self.files[one as usize].together, self.files[other as usize].together);
        TogetherPair {
            a: FileHistory { history: self, number: one },
            b: FileHistory { history: self, number: other },
            support,
            lift: self.lift(support, n_one, n_other),
            p_value: self.p_value(support, n_one, n_other),
        }
    }

    fn lift(&self, both: u32, one: u32, other: u32) -> f64 {
        let by_chance = f64::from(one) * f64::from(other) / f64::from(self.together.max(1));
        if by_chance > 0.0 { f64::from(both) / by_chance } else { 0.0 }
    }

    /// Probability that `one` commits drawn from all hit at least `both` of the `other` ones.
    fn p_value(&self, both: u32, one: u32, other: u32) -> f64 {
        let all = self.together;
        let most = one.min(other);
        if both == 0 || most < both || one.max(other) > all {
            return 1.0;
        }
        let ln = |n: u32| self.ln_factorial[n as usize];
        let choose = |n: u32, k: u32| ln(n) - ln(k) - ln(n - k);
        let possible = (both..=most).filter(|&hits| one - hits <= all - other);
        let chance = |hits| (choose(other, hits) + choose(all - other, one - hits) - choose(all, one)).exp();
        possible.map(chance).sum::<f64>().clamp(0.0, 1.0)
    }
}
