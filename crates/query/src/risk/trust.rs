//! How likely it is that some code needs no fix, from the fixes it needed so far.
//!
//! The history is divided into periods of [`PERIOD`] commits. A period is a hit for a node if a fix commit of it
//! touched the node, else a miss; both count less the older they are. Together with a prior they give a beta
//! distribution over the chance of a hit. The prior is the mean of the project, scaled by the square root of the
//! lines: without evidence a file is as risky as others of its size. Commits and not days are the unit, so that quiet
//! years count for nothing.

use m1nd_history::{FileHistory, History, Moment};

use super::beta::Beta;

/// Commits of a period.
pub(super) const PERIOD: usize = 20;
/// Seconds of a day.
const DAY: f64 = 86_400.0;
/// Bounds of the number of periods that the prior stands for. Between them it stands for one expected fix.
const PRIOR: (f64, f64) = (4.0, 200.0);
/// Bounds of the mean of a prior.
const PRIOR_MEAN: (f64, f64) = (1e-4, 0.9);
/// Scores below which the risk is high, and medium.
const HIGH_BELOW: f64 = 0.4;
/// See [`HIGH_BELOW`].
const MEDIUM_BELOW: f64 = 0.7;
/// Fix commits of a project below which its files have no tier: their scores say nothing but how large they are.
const LEAST_FIXES: usize = 3;
/// Chance outside of the interval, on each side.
const TAIL: f64 = 0.05;

/// Kinds of recorded outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutcomeKind {
    /// It had a defect.
    Defect,
    /// It was suspected and had none.
    FalseAlarm,
    /// It was part of a defect elsewhere: counts half.
    Partial,
}

impl OutcomeKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Defect, Self::FalseAlarm, Self::Partial];

    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Defect => "defect",
            Self::FalseAlarm => "false_alarm",
            Self::Partial => "partial_defect",
        }
    }

    /// The kind of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// An outcome that somebody recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Its kind.
    pub kind: OutcomeKind,
    /// Time in seconds since 1970.
    pub time: i64,
}

/// What the commits say of a node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Exposure {
    /// Periods with a fix, weighted by age.
    pub hits: f64,
    /// All periods since its first known commit, weighted by age.
    pub trials: f64,
    /// Number of commits that changed it.
    pub commits: usize,
    /// Indexes of the fix commits among them, newest first.
    pub fixes: Vec<usize>,
}

/// Where a node stands among those of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// The score is below [`HIGH_BELOW`].
    High,
    /// The score is below [`MEDIUM_BELOW`].
    Medium,
    /// The score is above.
    Low,
    /// There is too little evidence.
    Unknown,
}

impl Tier {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::High => "HighRisk",
            Self::Medium => "MediumRisk",
            Self::Low => "LowRisk",
            Self::Unknown => "Unknown",
        }
    }

    /// The band on the wire: how high the risk is.
    pub const fn band(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
            Self::Unknown => "insufficient_evidence",
        }
    }
}

/// A judgement about a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Chance that the next period passes without a fix of it: mean of the posterior, 0 to 1.
    pub trust: f64,
    /// Ends of the central 90 % of the posterior.
    pub interval: (f64, f64),
    /// Its chance of a fix over the mean of the project.
    pub ratio: f64,
    /// Where it stands.
    pub tier: Tier,
}

/// Periods of a history up to a moment, and the prior of its files.
#[derive(Debug, Clone)]
pub struct TrustModel {
    /// For each commit, the number of its period, the newest being 0; `None` after the moment.
    period_of: Vec<Option<u32>>,
    /// For each period, the weights of it and all newer ones.
    weights: Vec<f64>,
    /// Time of the newest commit before the moment.
    now: i64,
    half_life: f64,
    /// Mean chance of a fix in a period, over files.
    rate: f64,
    /// Fix commits up to the moment.
    fixes: usize,
    /// Mean of the square roots of the lines of files.
    root_lines: f64,
}

impl TrustModel {
    /// The model of a history up to a moment, with the prior of some files and their lines. Evidence counts half after
    /// `half_life` days.
    pub fn of(history: &History, moment: Moment, half_life: f64, files: &[(FileHistory<'_>, u32)]) -> Self {
        let commits = history.commits();
        let now = commits.get(moment.newest()).map_or(0, |commit| commit.time);
        let mut model = Self {
            period_of: vec![None; commits.len()],
            weights: Vec::new(),
            now,
            half_life: half_life.max(f64::MIN_POSITIVE),
            rate: 0.0,
            fixes: 0,
            root_lines: 1.0,
        };
        let (mut counted, mut sum) = (0, 0.0);
        for (number, commit) in commits.iter().enumerate().skip(moment.newest()) {
            if counted % PERIOD == 0 && counted / PERIOD == model.weights.len() {
                sum += model.weight(commit.time);
                model.weights.push(sum);
            }
            model.period_of[number] = Some(model.weights.len().saturating_sub(1) as u32);
            counted += usize::from(commit.counts_together());
            model.fixes += usize::from(commit.is_fix());
        }
        let (mut hits, mut trials, mut roots) = (0.0, 0.0, 0.0);
        for (file, lines) in files {
            let found = model.exposure(history, file.commit_numbers(moment));
            (hits, trials) = (hits + found.hits, trials + found.trials);
            roots += f64::from((*lines).max(1)).sqrt();
        }
        model.rate = if trials > 0.0 { hits / trials } else { 0.0 };
        model.root_lines = (roots / files.len().max(1) as f64).max(1.0);
        model
    }

    fn weight(&self, time: i64) -> f64 {
        let days = self.now.saturating_sub(time).max(0) as f64 / DAY;
        (-days / self.half_life).exp2()
    }

    /// Mean chance of a fix in a period, over files, 0 to 1.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Weight of evidence of a time, 0 to 1.
    pub fn recency(&self, time: i64) -> f64 {
        self.weight(time)
    }

    /// What some commits, newest first, say of what they changed.
    pub fn exposure(&self, history: &History, commits: impl Iterator<Item = usize>) -> Exposure {
        let mut found = Exposure::default();
        let mut last_hit = None;
        for number in commits {
            let Some(Some(period)) = self.period_of.get(number).copied() else { continue };
            let commit = &history.commits()[number];
            found.trials = self.weights[period as usize];
            found.commits += usize::from(commit.counts_together());
            if !commit.is_fix() {
                continue;
            }
            found.fixes.push(number);
            if last_hit != Some(period) {
                let before = (period as usize).checked_sub(1).map_or(0.0, |newer| self.weights[newer]);
                found.hits += self.weights[period as usize] - before;
                last_hit = Some(period);
            }
        }
        found
    }

    /// The judgement about a node of so many lines. `least` is the number of commits and outcomes below which nothing
    /// is told, nor with fewer than [`LEAST_FIXES`] fixes in all: the tier is then [`Tier::Unknown`], and the other
    /// figures are those of the prior.
    pub fn judge(&self, exposure: &Exposure, outcomes: &[Outcome], lines: u32, least: usize) -> Verdict {
        let scale = f64::from(lines.max(1)).sqrt() / self.root_lines;
        let mean = (self.rate * scale).clamp(PRIOR_MEAN.0, PRIOR_MEAN.1);
        let strength = (1.0 / self.rate.max(f64::MIN_POSITIVE)).clamp(PRIOR.0, PRIOR.1);
        let (mut hits, mut trials) = (exposure.hits, exposure.trials.max(exposure.hits));
        for outcome in outcomes {
            let weight = self.weight(outcome.time);
            trials += weight;
            hits += weight
                * match outcome.kind {
                    OutcomeKind::Defect => 1.0,
                    OutcomeKind::Partial => 0.5,
                    OutcomeKind::FalseAlarm => 0.0,
                };
        }
        let posterior = Beta { hits: hits + strength * mean, misses: trials - hits + strength * (1.0 - mean) };
        let (low, high) = (posterior.quantile(TAIL), posterior.quantile(1.0 - TAIL));
        let trust = 1.0 - posterior.mean();
        let is_known = self.fixes + outcomes.len() >= LEAST_FIXES;
        let tier = match trust {
            _ if !is_known || exposure.commits + outcomes.len() < least.max(1) => Tier::Unknown,
            trust if trust < HIGH_BELOW => Tier::High,
            trust if trust < MEDIUM_BELOW => Tier::Medium,
            _ => Tier::Low,
        };
        Verdict {
            trust,
            interval: (1.0 - high, 1.0 - low),
            ratio: posterior.mean() / self.rate.max(PRIOR_MEAN.0),
            tier,
        }
    }
}
