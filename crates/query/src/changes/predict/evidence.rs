//! What the commits before a moment say about the files that may change with a file: its own commits, those around
//! them, those of files like it, and the newest ones of all.

use m1nd_history::{FileHistory, History, Moment};
use rustc_hash::{FxHashMap, FxHashSet};

use super::beside::{Beside, PathTraits};

/// Files of the largest commit that shows that its files belong together.
const SMALL: usize = 10;
/// Factors by which a commit of the file counts less than the next newer one, and half-lives of commits in days.
const FADING: [f64; 3] = [0.7, 0.85, 0.95];
const HALF_LIVES: [f64; 3] = [30.0, 90.0, 365.0];
/// Number of the weights of a commit.
pub(super) const WEIGHTS: usize = 10;
/// What is added to the sum of each weight before dividing by it, so that few commits prove little.
const PRIORS: [f64; WEIGHTS] = [1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5];
/// Partners that lead two steps on, commits of each that are looked at, and those of them that count.
const PARTNERS: usize = 12;
const PARTNER_COMMITS: (usize, usize) = (60, 20);
/// Newest commits of the file whose neighbours by the same author count, their distance, and their seconds.
const SESSIONS: usize = 30;
const SESSION: (usize, u64) = (3, 86_400);
/// Commits of files like this one.
const GROUP: usize = 60;
const ADDITIONS: usize = 20;
const KIND: usize = 100;
const FOLDERS: usize = 100;
/// Newest commits of all files: for rates, and for what is being worked at.
const NEWEST: usize = 1_000;
const LAST: usize = 8;
/// Numbers of commits over which changes are counted.
const WINDOWS: [usize; 3] = [30, 100, 300];
/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Common commits of a file with the changed one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Common {
    /// Sums of the weights of the common commits: number, number of small ones, fading fast to slowly, by age, by the
    /// number of files, by its logarithm.
    pub(super) sums: [f64; WEIGHTS],
    /// Place of the newest common commit among those of the changed file.
    pub(super) newest: usize,
}

/// Changes of a file among the newest commits of the repository.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rate {
    /// Commits of the last 30, 100 and 300.
    pub(super) counts: [u32; 3],
    /// Sum of weights that fade from the newest commit on.
    pub(super) fading: f64,
}

/// Evidence by key of a file.
type ByFile = FxHashMap<u32, f64>;

/// What the commits before a moment say.
pub(super) struct Evidence {
    pub(super) own: usize,
    common: FxHashMap<u32, Common>,
    totals: [f64; WEIGHTS],
    /// Files that changed with files that changed with it.
    pub(super) two_steps: ByFile,
    /// Files of commits next to its own by the same author.
    pub(super) session: ByFile,
    /// Files of the commits of files of its folder, of those that added one, and kinds of files of those of its kind.
    pub(super) group: ByFile,
    pub(super) additions: ByFile,
    kinds: ByFile,
    /// Folders of the files of its own commits.
    folders: ByFile,
    /// Files of the commits just before.
    pub(super) last: ByFile,
    rates: FxHashMap<u32, Rate>,
    all_rates: f64,
    /// Files added by the commit that added it.
    born: FxHashSet<u32>,
    authors: FxHashSet<u64>,
}

/// What is asked about.
pub(super) struct Asked<'a> {
    pub(super) history: &'a History,
    pub(super) beside: &'a Beside,
    pub(super) place: &'a PathTraits,
    /// Key of the file, if the history knows it.
    pub(super) key: Option<u32>,
    /// Its commits that count, newest first.
    pub(super) own: &'a [usize],
    pub(super) moment: Moment,
}

impl Evidence {
    pub(super) fn of(asked: &Asked<'_>) -> Self {
        let (common, totals) = asked.common();
        let (rates, all_rates) = asked.rates();
        let authors = asked.own.iter().take(GROUP / 3).map(|&commit| asked.history.commits()[commit].author).collect();
        Self {
            own: asked.own.len(),
            two_steps: asked.two_steps(&common, &totals),
            session: asked.session(),
            group: asked.group(),
            additions: asked.additions(),
            kinds: asked.kinds(),
            folders: asked.folders(),
            last: asked.last(),
            born: asked.find_born_together(),
            common,
            totals,
            rates,
            all_rates,
            authors,
        }
    }

    pub(super) fn common(&self, file: u32) -> Option<&Common> {
        self.common.get(&file)
    }

    /// Keys of the files with common commits.
    pub(super) fn partners(&self) -> impl Iterator<Item = u32> + '_ {
        self.common.keys().copied()
    }

    /// Shares of the weights of its commits that are common ones, 0 to 1.
    pub(super) fn shares(&self, common: Option<&Common>) -> [f64; WEIGHTS] {
        let mut shares = common.map_or([0.0; WEIGHTS], |common| common.sums);
        let bounds = self.totals.iter().zip(PRIORS).map(|(total, prior)| total + prior);
        shares.iter_mut().zip(bounds).for_each(|(share, all)| *share /= all);
        shares
    }

    pub(super) fn rate(&self, file: u32) -> Rate {
        self.rates.get(&file).copied().unwrap_or_default()
    }

    /// Share of the newest commits that changed a file, newer ones counting more.
    pub(super) fn popularity(&self, file: u32) -> f64 {
        self.rate(file).fading / (self.all_rates + 1.0)
    }

    pub(super) fn kind(&self, place: &PathTraits) -> f64 {
        self.kinds.get(&place.kind).copied().unwrap_or(0.0)
    }

    pub(super) fn folder(&self, place: &PathTraits) -> f64 {
        self.folders.get(&place.folder).copied().unwrap_or(0.0)
    }

    pub(super) fn born_with(&self, file: u32) -> bool {
        self.born.contains(&file)
    }

    /// Share of the newest commits of a file whose author is one of the newest of the changed file.
    pub(super) fn authors(&self, history: &History, file: FileHistory<'_>, moment: Moment) -> f64 {
        let newest = file.commit_numbers(moment).take(GROUP / 3);
        let (mut all, mut shared) = (0usize, 0usize);
        for commit in newest {
            all += 1;
            shared += usize::from(self.authors.contains(&history.commits()[commit].author));
        }
        shared as f64 / all.max(1) as f64
    }
}

/// Weight of a commit by the logarithm of its number of files.
fn by_size(history: &History, commit: usize) -> f64 {
    1.0 / (history.commits()[commit].count_touched() as f64 + 1.0).log2().max(1.0)
}

impl Asked<'_> {
    fn counts(&self, commit: usize) -> bool {
        self.history.commits()[commit].counts_together()
    }

    fn keys(&self, commit: usize) -> impl Iterator<Item = u32> + '_ {
        self.history.all_touched_by(commit).map(|file| file.key())
    }

    /// The newest commits before the moment that count.
    fn newest(&self) -> impl Iterator<Item = usize> + '_ {
        (self.moment.newest()..self.history.commits().len()).filter(|&commit| self.counts(commit))
    }

    fn now(&self) -> i64 {
        self.history.commits().get(self.moment.newest()).map_or(0, |commit| commit.time)
    }

    /// Weights of the commit at a place among the own ones.
    fn weights(&self, place: usize, commit: usize) -> [f64; WEIGHTS] {
        let row = &self.history.commits()[commit];
        let age = self.now().saturating_sub(row.time).max(0) as f64 / DAY;
        let fading = FADING.map(|factor| factor.powi(place as i32));
        let by_age = HALF_LIVES.map(|days| (-age / days).exp2());
        let is_small = f64::from(u8::from(row.count_touched() <= SMALL));
        let [fast, middle, slow] = fading;
        let [month, quarter, year] = by_age;
        [1.0, is_small, fast, middle, slow, month, quarter, year, row.weight(), by_size(self.history, commit)]
    }

    fn common(&self) -> (FxHashMap<u32, Common>, [f64; WEIGHTS]) {
        let mut found: FxHashMap<u32, Common> = FxHashMap::default();
        let mut totals = [0.0; WEIGHTS];
        for (place, &commit) in self.own.iter().enumerate() {
            let weights = self.weights(place, commit);
            let add = |sums: &mut [f64; WEIGHTS]| sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
            add(&mut totals);
            for key in self.keys(commit).filter(|key| Some(*key) != self.key) {
                add(&mut found.entry(key).or_insert(Common { sums: [0.0; WEIGHTS], newest: place }).sums);
            }
        }
        (found, totals)
    }

    fn two_steps(&self, common: &FxHashMap<u32, Common>, totals: &[f64; WEIGHTS]) -> ByFile {
        let mut partners: Vec<(f64, u32)> = common.iter().map(|(&key, row)| (row.sums[4], key)).collect();
        partners.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut missed: ByFile = FxHashMap::default();
        let mut files =
            partners.iter().take(PARTNERS).filter_map(|(sum, key)| Some((sum, self.history.file_of(*key)?)));
        for (sum, partner) in &mut files {
            let share = sum / (totals[4] + PRIORS[4]);
            let (looked, counted) = PARTNER_COMMITS;
            let commits = partner.commit_numbers(self.moment).take(looked).filter(|&commit| self.counts(commit));
            let (mut all, mut fading, mut found) = (0.5, 1.0, ByFile::default());
            for commit in commits.take(counted) {
                let weight = fading * by_size(self.history, commit);
                all += weight;
                fading *= 0.9;
                self.keys(commit).for_each(|key| *found.entry(key).or_default() += weight);
            }
            for (key, weight) in found {
                *missed.entry(key).or_insert(1.0) *= 1.0 - share * weight / all;
            }
        }
        missed.values_mut().for_each(|missed| *missed = 1.0 - *missed);
        missed
    }

    fn session(&self) -> ByFile {
        let commits = self.history.commits();
        let own: FxHashSet<usize> = self.own.iter().copied().collect();
        let (mut found, mut all, mut fading) = (ByFile::default(), 0.5, 1.0);
        let (distance, seconds) = SESSION;
        for &commit in self.own.iter().take(SESSIONS) {
            let around = commit.saturating_sub(distance).max(self.moment.newest())..=commit + distance;
            for other in around.filter(|other| *other < commits.len() && !own.contains(other) && self.counts(*other)) {
                let is_same = commits[other].author == commits[commit].author
                    && commits[other].time.abs_diff(commits[commit].time) <= seconds;
                if is_same {
                    let weight = fading * 0.7f64.powi(other.abs_diff(commit) as i32) * by_size(self.history, other);
                    self.keys(other).for_each(|key| *found.entry(key).or_default() += weight);
                }
            }
            all += fading;
            fading *= 0.9;
        }
        found.values_mut().for_each(|sum| *sum /= all);
        found
    }

    /// Files of some commits: each counts `factor` times the one before, and `prior` is added to the sum.
    fn files_of(&self, commits: impl Iterator<Item = usize>, factor: f64, prior: f64) -> ByFile {
        let (mut found, mut all, mut fading) = (ByFile::default(), prior, 1.0);
        for commit in commits {
            let weight = fading * by_size(self.history, commit);
            self.keys(commit).for_each(|key| *found.entry(key).or_default() += weight);
            all += fading;
            fading *= factor;
        }
        found.values_mut().for_each(|sum| *sum /= all);
        found
    }

    fn group(&self) -> ByFile {
        let own: FxHashSet<usize> = self.own.iter().copied().collect();
        let commits = self.beside.group_commits(self.place, self.moment).take(GROUP + GROUP / 3);
        self.files_of(commits.filter(|commit| !own.contains(commit)).take(GROUP), 0.96, 1.0)
    }

    fn additions(&self) -> ByFile {
        self.files_of(self.beside.group_additions(self.place, self.moment).take(ADDITIONS), 0.9, 0.5)
    }

    /// Kinds of the other files of commits of files of the same kind.
    fn kinds(&self) -> ByFile {
        let commits = self.beside.kind_commits(self.place, self.moment).take(KIND);
        self.shares_of(commits, 0.98, 1.0, |place| place.kind)
    }

    /// Folders of the other files of the own commits.
    fn folders(&self) -> ByFile {
        self.shares_of(self.own.iter().copied().take(FOLDERS), 0.9, 0.5, |place| place.folder)
    }

    fn shares_of(
        &self,
        commits: impl Iterator<Item = usize>,
        factor: f64,
        prior: f64,
        of: impl Fn(&PathTraits) -> u32,
    ) -> ByFile {
        let (mut found, mut all, mut fading) = (ByFile::default(), prior, 1.0);
        for commit in commits {
            let others = self.history.all_touched_by(commit).filter(|file| Some(file.key()) != self.key);
            let different: FxHashSet<u32> = others.map(|file| of(self.beside.place_of(file))).collect();
            different.into_iter().for_each(|at| *found.entry(at).or_default() += fading);
            all += fading;
            fading *= factor;
        }
        found.values_mut().for_each(|sum| *sum /= all);
        found
    }

    /// Files of the commits just before the moment.
    fn last(&self) -> ByFile {
        let mut found = ByFile::default();
        for (distance, commit) in (self.moment.newest()..self.history.commits().len()).take(LAST).enumerate() {
            if self.counts(commit) {
                let weight = 0.7f64.powi(distance as i32) * by_size(self.history, commit);
                self.keys(commit).for_each(|key| *found.entry(key).or_default() += weight);
            }
        }
        found
    }

    fn rates(&self) -> (FxHashMap<u32, Rate>, f64) {
        let mut rates: FxHashMap<u32, Rate> = FxHashMap::default();
        let (mut all, mut fading) = (0.0, 1.0);
        for (number, commit) in self.newest().take(NEWEST).enumerate() {
            for key in self.keys(commit) {
                let rate = rates.entry(key).or_default();
                rate.fading += fading;
                rate.counts.iter_mut().zip(WINDOWS).for_each(|(count, window)| *count += u32::from(number < window));
            }
            all += fading;
            fading *= 0.99;
        }
        (rates, all)
    }

    fn find_born_together(&self) -> FxHashSet<u32> {
        let file = self.key.and_then(|key| self.history.file_of(key));
        let first = file.and_then(|file| file.commit_indices().last());
        match (first, self.own.last()) {
            (Some(first), Some(oldest)) if first == *oldest => {
                self.history.added_by(first).map(|file| file.key()).collect()
            }
            _ => FxHashSet::default(),
        }
    }
}
