//! Whether changes of a file come faster than before: the second difference of its weekly commits.
//!
//! Weeks end at the newest commit. The second difference of a week is how much its number of commits exceeds what the
//! two weeks before let expect: `w[t] - 2 w[t-1] + w[t-2]`. The magnitude of a file is its mean over the window, the
//! newer half counting double, over the standard deviation of that mean among all files that changed in the window: a
//! z-score, so that busy and quiet projects have the same scale.

use m1nd_history::{FileHistory, History, Moment};

/// Seconds of a week.
const WEEK: i64 = 7 * 86_400;
/// Weeks before a window that the first differences of it need.
const BEFORE: usize = 2;
/// Maximum weeks of a window: two years.
const MAX_WEEKS: usize = 104;
/// Fewest files of which a deviation is computed.
const LEAST_FILES: usize = 3;
/// Magnitude up to which the direction is called stable.
const STILL: f64 = 0.5;
/// Magnitudes from which the level is medium, high and critical.
const LEVELS: [f64; 3] = [1.0, 2.0, 3.0];

/// Direction of a change of pace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Faster.
    Accelerating,
    /// Slower.
    Decelerating,
    /// Neither.
    Stable,
}

impl Direction {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Accelerating => "accelerating",
            Self::Decelerating => "decelerating",
            Self::Stable => "stable",
        }
    }
}

/// How much a file stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TremorLevel {
    /// Below one standard deviation, or slowing down.
    Low,
    /// From one.
    Medium,
    /// From two.
    High,
    /// From three.
    Critical,
}

impl TremorLevel {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Low => "Low",
            Self::Medium => "Medium",
            Self::High => "High",
            Self::Critical => "Critical",
        }
    }
}

/// The weekly commits of a file, oldest first, with two weeks before the window.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Series(Vec<u32>);

impl Series {
    /// Commits of the window.
    pub fn observations(&self) -> usize {
        self.window().iter().sum::<u32>() as usize
    }

    /// Commits per week of the window, oldest first.
    pub fn window(&self) -> &[u32] {
        self.0.get(BEFORE..).unwrap_or_default()
    }

    /// First difference of the week so many weeks before the last.
    fn velocity(&self, back: usize) -> f64 {
        let at = |back: usize| self.0.len().checked_sub(back + 1).map_or(0.0, |at| f64::from(self.0[at]));
        at(back) - at(back + 1)
    }

    /// Mean of the second differences of the window; those of the newer half count double.
    fn acceleration(&self) -> f64 {
        let seconds = self.0.windows(3).map(|week| f64::from(week[2]) - 2.0 * f64::from(week[1]) + f64::from(week[0]));
        let half = self.window().len() / 2;
        let (mut sum, mut weights) = (0.0, 0.0);
        for (number, second) in seconds.enumerate() {
            let weight = if number >= half { 2.0 } else { 1.0 };
            (sum, weights) = (sum + weight * second, weights + weight);
        }
        if weights > 0.0 { sum / weights } else { 0.0 }
    }

    /// Slope of the line through the weeks of the window, in commits per week and week.
    fn slope(&self) -> f64 {
        let weeks = self.window();
        let count = weeks.len() as f64;
        let mean_x = (count - 1.0) / 2.0;
        let mean_y = weeks.iter().copied().map(f64::from).sum::<f64>() / count.max(1.0);
        let (mut both, mut square) = (0.0, 0.0);
        for (x, y) in weeks.iter().enumerate() {
            let x = x as f64 - mean_x;
            both += x * (f64::from(*y) - mean_y);
            square += x * x;
        }
        if square > 0.0 { both / square } else { 0.0 }
    }
}

/// The change of pace of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Tremor {
    /// Size of the mean acceleration, in standard deviations among the files that changed.
    pub magnitude: f64,
    /// Its direction.
    pub direction: Direction,
    /// Mean second difference of the weekly commits.
    pub acceleration: f64,
    /// Slope of the weekly commits.
    pub slope: f64,
    /// Difference of the last week to the one before, and of that to the one before it.
    pub velocities: (f64, f64),
    /// How much it stands out.
    pub level: TremorLevel,
}

/// The window of a history up to a moment, and how much the pace of its files varies.
#[derive(Debug, Clone)]
pub struct Tremors {
    /// Time of the newest commit.
    end: i64,
    weeks: usize,
    /// Standard deviation of the accelerations; `None` if too few files changed.
    deviation: Option<f64>,
}

impl Tremors {
    /// A window of so many days (`None` for two years) before a moment, measured on some files.
    pub fn of<'h>(
        history: &'h History,
        moment: Moment,
        days: Option<u32>,
        files: impl Iterator<Item = FileHistory<'h>>,
    ) -> Self {
        let end = history.commits().get(moment.newest()).map_or(0, |commit| commit.time);
        let weeks = days.map_or(MAX_WEEKS, |days| (days as usize).div_ceil(7)).clamp(1, MAX_WEEKS);
        let mut found = Self { end, weeks, deviation: None };
        let all = files.map(|file| found.series(history, file.commit_numbers(moment)));
        let changed = all.filter(|series| series.observations() > 0).map(|series| series.acceleration());
        let values: Vec<f64> = changed.collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count.max(1.0);
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count.max(1.0);
        found.deviation = (values.len() >= LEAST_FILES && variance > 0.0).then(|| variance.sqrt());
        found
    }

    /// Times of the start and the end of the window, in seconds since 1970.
    pub fn window(&self) -> (i64, i64) {
        (self.end - self.weeks as i64 * WEEK, self.end)
    }

    /// Whether enough files changed to compare them.
    pub fn is_known(&self) -> bool {
        self.deviation.is_some()
    }

    /// The weekly commits among some, those of formatters and large ones left out.
    pub fn series(&self, history: &History, commits: impl Iterator<Item = usize>) -> Series {
        let mut weeks = vec![0u32; self.weeks + BEFORE];
        for number in commits {
            let commit = &history.commits()[number];
            let back = self.end.saturating_sub(commit.time).max(0) / WEEK;
            let at = weeks.len().checked_sub(usize::try_from(back).unwrap_or(usize::MAX).saturating_add(1));
            // Author times need not fall along the history, so older ones do not end the search.
            if let Some(at) = at.filter(|_| commit.counts_together()) {
                weeks[at] += 1;
            }
        }
        Series(weeks)
    }

    /// The change of pace of a series; `None` if too few files changed to compare with.
    pub fn judge(&self, series: &Series) -> Option<Tremor> {
        let acceleration = series.acceleration();
        let z = acceleration / self.deviation?;
        let direction = match () {
            () if z > STILL => Direction::Accelerating,
            () if z < -STILL => Direction::Decelerating,
            () => Direction::Stable,
        };
        let level = match () {
            () if z >= LEVELS[2] => TremorLevel::Critical,
            () if z >= LEVELS[1] => TremorLevel::High,
            () if z >= LEVELS[0] => TremorLevel::Medium,
            () => TremorLevel::Low,
        };
        Some(Tremor {
            magnitude: z.abs(),
            direction,
            acceleration,
            slope: series.slope(),
            velocities: (series.velocity(0), series.velocity(1)),
            level,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_weekly_commits() {
        // Two weeks before the window, then its weeks.
        let series = |weeks: &[u32]| Series(weeks.to_vec());
        let burst = series(&[0, 0, 0, 0, 1, 4]);
        assert_eq!((burst.observations(), burst.velocity(0), burst.velocity(1)), (5, 3.0, 1.0));
        assert_eq!(burst.acceleration(), (1.0 * 0.0 + 1.0 * 0.0 + 2.0 * 1.0 + 2.0 * 2.0) / 6.0);
        assert!(burst.slope() > 1.0);
        assert_eq!(series(&[2, 2, 2, 2, 2, 2]).acceleration(), 0.0);
        assert!(series(&[4, 4, 4, 4, 1, 0]).acceleration() < 0.0 && series(&[4, 4, 4, 4, 1, 0]).slope() < 0.0);
        assert_eq!(Series::default().acceleration(), 0.0);
    }
}
