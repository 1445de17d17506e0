//! The projects of the daemon and when each is looked at next. Times are parameters; there is no clock here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use m1nd_vfs::PathKind;

use super::poll::Stamp;
use super::protocol::ProjectReport;
use crate::files::project::{FOLDER, MEMORY_FILE};
use crate::keep::kept::Code;

/// Minimum time between two looks at one project, so that many changes cost little.
const LEAST: Duration = Duration::from_millis(500);

/// Files of a git folder that are no news of a commit: its index and what is locked for a moment.
fn is_news(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_branch = path.ancestors().skip(1).any(|folder| folder.ends_with("refs/heads"));
    !name.ends_with(".lock") && (is_branch || matches!(name, "HEAD" | "packed-refs"))
}

/// Pauses after which changes that go on put a look off no longer.
const MOST_PAUSES: u32 = 3;
/// Pause after a change of code: editors write in several steps.
const CODE_PAUSE: Duration = Duration::from_secs(1);
/// Folders of code of one project that are watched.
const MAX_FOLDERS: usize = 500;
/// Folders of code of all projects that are watched: the system has few, and editors want some.
const MAX_ALL_FOLDERS: usize = 4_000;

/// Projects that are gone, each with the folders of code that were watched for it.
pub(crate) type Gone = Vec<(PathBuf, BTreeSet<PathBuf>)>;

/// A look that is planned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Due {
    at: Instant,
    /// Further changes put it off until then.
    latest: Instant,
}

/// One project.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    /// When it is to be looked at, if it is.
    pub(crate) due: Option<Due>,
    /// When it is to be looked at once more, whatever happens until then.
    again: Option<Instant>,
    /// When it was looked at last.
    looked: Option<Instant>,
    /// Number of looks at it.
    pub(crate) looks: u64,
    /// When its memory last changed.
    pub(crate) activity: Option<Timestamp>,
    /// A session is open: the block is written once more when it ends.
    pub(crate) is_open: bool,
    /// Its folder is watched.
    pub(crate) is_watched: bool,
    /// Folders in which something changes with a commit.
    pub(crate) commits: Vec<PathBuf>,
    /// Memories in it.
    pub(crate) memories: usize,
    /// Files that its memories name.
    code: BTreeSet<PathBuf>,
    /// Files with comments that carry memories.
    commented: BTreeSet<PathBuf>,
    /// Folders of code that are watched.
    folders: BTreeSet<PathBuf>,
    /// Stamp at the last poll.
    stamp: Stamp,
    /// Those that were changed since it was looked at, by their path in the project; when, in seconds since 1970.
    touched: BTreeMap<String, i64>,
    pub(crate) problem: Option<String>,
}

impl Watched {
    fn next(&self) -> Option<Instant> {
        [self.due.map(|due| due.at), self.again].into_iter().flatten().min()
    }
}

/// The folder that `inner` lies in at `folder`.
fn without_end(folder: &Path, inner: &str) -> Option<PathBuf> {
    let around = folder.ancestors().nth(Path::new(inner).components().count())?;
    folder.ends_with(inner).then(|| around.to_owned())
}

/// A folder of a project; itself for an empty path.
fn inside(project: &Path, folder: &str) -> PathBuf {
    if folder.is_empty() { project.to_owned() } else { project.join(folder) }
}

/// All of them, by path.
#[derive(Debug, Default)]
pub(crate) struct Projects {
    pub(crate) by_path: BTreeMap<PathBuf, Watched>,
}

impl Projects {
    /// Takes over the registered ones. Returns the new and those that are gone, with their watched folders.
    pub(crate) fn set(&mut self, registered: &[PathBuf]) -> (Vec<PathBuf>, Gone) {
        let gone: Vec<PathBuf> = self.by_path.keys().filter(|path| !registered.contains(path)).cloned().collect();
        let gone: Gone = gone
            .into_iter()
            .map(|path| {
                let project = self.by_path.remove(&path).unwrap_or_default();
                let folders = project.folders.into_iter().chain(project.commits).collect();
                (path, folders)
            })
            .collect();
        let new: Vec<PathBuf> = registered.iter().filter(|path| !self.by_path.contains_key(*path)).cloned().collect();
        for path in &new {
            self.by_path.insert(path.clone(), Watched::default());
        }
        (new, gone)
    }

    /// The projects whose folder of memories this path lies in, or that have a commit by it: work trees can share a
    /// branch's folder.
    pub(crate) fn of(&self, path: &Path) -> Vec<PathBuf> {
        let around = |folder: &Path| without_end(folder, FOLDER);
        if let Some(project) = path.ancestors().filter_map(around).find(|project| self.by_path.contains_key(project)) {
            return vec![project];
        }
        let folder = path.parent().filter(|_| is_news(path));
        let told = |project: &Watched| folder.is_some_and(|folder| project.commits.iter().any(|told| told == folder));
        self.by_path.iter().filter(|(_, project)| told(project)).map(|(path, _)| path.clone()).collect()
    }

    /// Notes of a session were written: it goes on.
    pub(crate) fn session_goes_on(&mut self, path: &Path, time: Timestamp) {
        if let Some(project) = self.by_path.get_mut(path) {
            (project.activity, project.is_open) = (Some(time), true);
        }
    }

    /// A file was changed: if memories of a project name it, that is looked at after a pause, and its session goes on.
    pub(crate) fn code_changed(&mut self, path: &Path, now: Instant, time: Timestamp) {
        let named = self.by_path.iter_mut().filter(|(_, project)| project.code.contains(path));
        let mut due = Vec::new();
        for (root, project) in named {
            let Some(inner) = path.strip_prefix(root).ok().and_then(Path::to_str) else { continue };
            project.touched.insert(inner.replace('\\', "/"), time.as_second());
            (project.activity, project.is_open) = (Some(time), true);
            due.push(root.clone());
        }
        for root in due {
            self.wake(&root, now, CODE_PAUSE);
        }
    }

    /// The named files of a project that were changed since this was asked last.
    pub(crate) fn take_touched(&mut self, path: &Path) -> BTreeMap<String, i64> {
        self.by_path.get_mut(path).map(|project| std::mem::take(&mut project.touched)).unwrap_or_default()
    }

    /// The projects that watch the folder of this path, because of the code in it.
    pub(crate) fn with_code_at(&self, path: &Path) -> Vec<PathBuf> {
        let Some(folder) = path.parent() else { return Vec::new() };
        let watching = self.by_path.iter().filter(|(_, project)| project.folders.contains(folder));
        watching.map(|(path, _)| path.clone()).collect()
    }

    /// Whether a folder is watched for one of them.
    pub(crate) fn watches(&self, folder: &Path) -> bool {
        self.by_path.iter().any(|(path, project)| {
            project.folders.contains(folder)
                || project.commits.iter().any(|other| other == folder)
                || path.join(FOLDER) == folder
        })
    }

    /// Whether a file had comments that carry memories when its project was last looked at.
    pub(crate) fn had_comments(&self, project: &Path, file: &Path) -> bool {
        self.by_path.get(project).is_some_and(|project| project.commented.contains(file))
    }

    /// Code of a project was changed: its session goes on. If it says something for the memory, that is looked at after
    /// a pause.
    pub(crate) fn code_saved(&mut self, path: &Path, matters: bool, now: Instant, time: Timestamp) {
        self.session_goes_on(path, time);
        if matters {
            self.wake(path, now, CODE_PAUSE);
        }
    }

    /// Takes over which files the memories of a project name, which carry memories themselves, and the folders of its
    /// code, all by their paths in it. Returns the folders that are to be watched from now on, and those that no longer
    /// are: at most [`MAX_FOLDERS`] are watched, of named files first.
    pub(crate) fn set_code(&mut self, path: &Path, named: &[String], code: &Code) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let others: usize =
            self.by_path.iter().filter(|(other, _)| *other != path).map(|(_, project)| project.folders.len()).sum();
        let most = MAX_ALL_FOLDERS.saturating_sub(others).min(MAX_FOLDERS);
        let Some(project) = self.by_path.get_mut(path) else { return (Vec::new(), Vec::new()) };
        project.code = named.iter().map(|file| path.join(file)).collect();
        project.commented = code.commented.iter().map(|file| path.join(file)).collect();
        let with_files = project.code.iter().filter_map(|file| file.parent()).map(Path::to_owned);
        let mut folders = BTreeSet::new();
        for folder in with_files.chain(code.folders.iter().map(|folder| inside(path, folder))) {
            if folders.len() >= most {
                break;
            }
            folders.insert(folder);
        }
        let new = folders.difference(&project.folders).cloned().collect();
        let gone = project.folders.difference(&folders).cloned().collect();
        project.folders = folders;
        (new, gone)
    }

    /// Something may have changed: look after a pause without further changes, or after [`MOST_PAUSES`] of the shortest
    /// one that was asked for.
    pub(crate) fn wake(&mut self, path: &Path, now: Instant, pause: Duration) {
        if let Some(project) = self.by_path.get_mut(path) {
            let earliest = project.looked.map_or(now, |looked| looked + LEAST);
            let latest = now + pause * MOST_PAUSES;
            let latest = project.due.map_or(latest, |due| due.latest.min(latest)).max(earliest);
            project.due = Some(Due { at: (now + pause).clamp(earliest, latest), latest });
        }
    }

    /// Look once more then.
    pub(crate) fn look_again(&mut self, path: &Path, at: Instant) {
        if let Some(project) = self.by_path.get_mut(path) {
            project.again = Some(at);
        }
    }

    /// As [`Projects::wake`], for all.
    pub(crate) fn wake_all(&mut self, now: Instant, pause: Duration) {
        let paths: Vec<PathBuf> = self.by_path.keys().cloned().collect();
        for path in paths {
            self.wake(&path, now, pause);
        }
    }

    /// Whether the folder of one is not watched: it is not there, or cannot be.
    pub(crate) fn any_unwatched(&self) -> bool {
        self.by_path.values().any(|project| !project.is_watched)
    }

    /// Those whose stamp is another than before are to be looked at, of `all` or only of those that are not watched;
    /// those that are due already stay so.
    pub(crate) fn poll(&mut self, now: Instant, all: bool, stamp: impl Fn(&Path, &[PathBuf]) -> Stamp) {
        for (path, project) in self.by_path.iter_mut().filter(|(_, project)| all || !project.is_watched) {
            let stamp = stamp(path, &project.commits);
            if stamp != project.stamp {
                project.stamp = stamp;
                project.due.get_or_insert(Due { at: now, latest: now });
            }
        }
    }

    /// Takes over when something last happened in a project, if nothing is known.
    pub(crate) fn record_activity(&mut self, path: &Path, last: Option<Timestamp>) {
        if let Some(project) = self.by_path.get_mut(path) {
            project.activity = project.activity.or(last);
        }
    }

    /// When something is to be done next.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.by_path.values().filter_map(Watched::next).min()
    }

    /// Whether a session is open somewhere.
    pub(crate) fn any_open(&self) -> bool {
        self.by_path.values().any(|project| project.is_open)
    }

    /// The project that is to be looked at now: the one that has waited longest.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<PathBuf> {
        let due = self.by_path.iter_mut().filter(|(_, project)| project.next().is_some_and(|at| at <= now));
        let (path, project) = due.min_by_key(|(_, project)| (project.next(), project.looked))?;
        project.again = project.again.filter(|at| *at > now);
        (project.due, project.looked) = (None, Some(now));
        Some(path.clone())
    }

    /// Ends the sessions in which nothing has happened for `silence`. Returns their projects.
    pub(crate) fn end_silent(&mut self, now: Timestamp, silence: Duration) -> Vec<PathBuf> {
        let mut ended = Vec::new();
        for (path, project) in &mut self.by_path {
            let last = project.activity.unwrap_or(Timestamp::MIN);
            if project.is_open && now.duration_since(last).unsigned_abs() >= silence {
                project.is_open = false;
                ended.push(path.clone());
            }
        }
        ended
    }

    /// What is said of them.
    pub(crate) fn report(&self, now: Timestamp, silence: Duration) -> Vec<ProjectReport> {
        let row = |(path, project): (&PathBuf, &Watched)| {
            let recent = project.activity.is_some_and(|last| now.duration_since(last).unsigned_abs() < silence);
            let state = match (PathKind::at(&path.join(MEMORY_FILE)) == PathKind::File, recent) {
                (false, _) => "missing",
                (true, true) => "active",
                (true, false) => "idle",
            };
            let (last_activity, problem) = (project.activity, project.problem.clone());
            let named_files = project.code.len();
            let (path, looks, memories) = (path.clone(), project.looks, project.memories);
            ProjectReport { path, state: state.into(), last_activity, named_files, memories, looks, problem }
        };
        self.by_path.iter().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_looked_at_after_a_pause_and_not_too_often() {
        let (start, pause) = (Instant::now(), Duration::from_millis(100));
        let mut projects = Projects::default();
        assert_eq!(projects.set(&["/a".into(), "/b".into()]).0.len(), 2);
        for (project, folder) in
            [("/a", "/a/.git/logs"), ("/b", "/g/.git"), ("/b", "/g/.git/refs/heads"), ("/b", "/g/.git/refs/heads/fix")]
        {
            projects.by_path.get_mut(Path::new(project)).expect("is there").commits.push(folder.into());
        }
        let cases = [
            ("/a/.mind/MEMORY.md", Some("/a")),
            ("/a/.mind/archive/2024.md", Some("/a")),
            ("/c/.mind/MEMORY.md", None),
            ("/a/.git/logs/HEAD", Some("/a")),
            ("/a/.git/index", None),
            ("/g/.git/HEAD", Some("/b")),
            ("/g/.git/HEAD.lock", None),
            ("/g/.git/index", None),
            ("/g/.git/refs/heads/main", Some("/b")),
            ("/g/.git/refs/heads/fix/jar", Some("/b")),
        ];
        for (path, expected) in cases {
            let found = projects.of(path.as_ref());
            assert_eq!(found, expected.map(PathBuf::from).into_iter().collect::<Vec<_>>(), "{path}");
        }
        projects.wake("/a".as_ref(), start, pause);
        projects.wake("/a".as_ref(), start + pause / 2, pause);
        assert_eq!(projects.take_due(start + pause), None, "there was a change in the pause");
        assert_eq!(projects.take_due(start + pause * 2), Some("/a".into()));
        assert_eq!((projects.take_due(start + pause * 2), projects.next()), (None, None));
        projects.wake("/a".as_ref(), start + pause * 3, pause);
        assert_eq!(projects.next(), Some(start + pause * 2 + LEAST));
        let (new, gone) = projects.set(&["/b".into(), "/c".into()]);
        assert_eq!((new, gone), (vec!["/c".into()], vec![("/a".into(), BTreeSet::from(["/a/.git/logs".into()]))]));
    }

    #[test]
    fn changes_that_go_on_do_not_put_a_look_off_for_ever() {
        let (start, pause, path) = (Instant::now(), Duration::from_millis(100), Path::new("/a"));
        let at = |millis| start + Duration::from_millis(millis);
        // Changes: when, and with which pause; then when the project is looked at.
        let rows: [(&[(u64, Duration)], u64); 4] = [
            (&[(0, pause), (90, pause), (180, pause), (270, pause), (290, pause)], 300),
            (&[(0, pause), (50, CODE_PAUSE)], 300),
            (&[(0, CODE_PAUSE), (500, pause)], 600),
            (&[(0, CODE_PAUSE), (900, CODE_PAUSE)], 1_900),
        ];
        for (changes, expected) in rows {
            let mut projects = Projects::default();
            projects.set(&[path.into()]);
            changes.iter().for_each(|(time, pause)| projects.wake(path, at(*time), *pause));
            assert_eq!(projects.next(), Some(at(expected)), "{changes:?}");
        }
    }

    #[test]
    fn a_later_look_stays_when_something_happens_before() {
        let (start, pause, path) = (Instant::now(), Duration::from_millis(100), Path::new("/a"));
        let mut projects = Projects::default();
        projects.set(&[path.into()]);
        projects.look_again(path, start + pause * 50);
        projects.wake(path, start, pause);
        assert_eq!(projects.take_due(start + pause), Some(path.into()));
        assert_eq!(projects.next(), Some(start + pause * 50));
        assert_eq!(projects.take_due(start + pause * 50), Some(path.into()));
        assert_eq!(projects.next(), None);
    }

    #[test]
    fn where_changes_are_not_noticed_each_project_has_its_turn() {
        let stamp =
            |size, time: u32| vec![Some(m1nd_vfs::FileMeta { size, mtime_ns: time.into(), ..Default::default() })];
        let start = Instant::now();
        let mut projects = Projects::default();
        projects.set(&["/a".into(), "/b".into()]);
        let mut looked = Vec::new();
        for turn in 0..4 {
            // Each look takes longer than the time to the next poll.
            let now = start + LEAST * 3 * turn;
            projects.poll(now, true, |_, _| stamp(1, turn));
            looked.extend(projects.take_due(now));
        }
        assert_eq!(looked, ["/a", "/b", "/a", "/b"].map(PathBuf::from));
        while projects.take_due(start + LEAST * 20).is_some() {}
        projects.poll(start + LEAST * 20, true, |_, _| stamp(1, 3));
        assert_eq!(projects.next(), None, "nothing has changed");
        if let Some(project) = projects.by_path.get_mut(Path::new("/a")) {
            project.is_watched = true;
        }
        assert!(projects.any_unwatched());
        projects.poll(start + LEAST * 20, false, |_, _| stamp(2, 3));
        assert_eq!(projects.take_due(start + LEAST * 20), Some("/b".into()));
        assert_eq!(projects.next(), None, "of a watched one the system tells");
    }

    #[test]
    fn named_files_wake_their_project_and_others_do_not() {
        let start = Instant::now();
        let time = Timestamp::from_second(100).expect("a time");
        let mut projects = Projects::default();
        projects.set(&["/a".into()]);
        let files = ["src/x.rs".to_owned(), "src/y.rs".to_owned(), "z.rs".to_owned()];
        let (new, gone) = projects.set_code("/a".as_ref(), &files, &Code::default());
        assert_eq!((new, gone), (vec!["/a".into(), "/a/src".into()], vec![]));
        projects.code_changed("/a/src/other.rs".as_ref(), start, time);
        assert_eq!(projects.next(), None);
        projects.code_changed("/a/src/x.rs".as_ref(), start, time);
        assert_eq!(projects.next(), Some(start + CODE_PAUSE));
        assert!(projects.any_open(), "who changes such code works");
        assert_eq!(projects.take_touched("/a".as_ref()), BTreeMap::from([("src/x.rs".to_owned(), 100)]));
        assert_eq!(projects.take_touched("/a".as_ref()), BTreeMap::new());
        let code = Code { folders: vec!["".into(), "lib".into()], commented: vec!["lib/c.rs".into()] };
        let (new, gone) = projects.set_code("/a".as_ref(), &files[2..], &code);
        assert_eq!((new, gone), (vec!["/a/lib".into()], vec!["/a/src".into()]));
        assert_eq!(projects.with_code_at("/a/lib/d.rs".as_ref()), [PathBuf::from("/a")]);
        assert_eq!(projects.with_code_at("/a/lib/deep/d.rs".as_ref()), Vec::<PathBuf>::new());
        let had = |file: &str| projects.had_comments("/a".as_ref(), file.as_ref());
        assert!(had("/a/lib/c.rs") && !had("/a/lib/d.rs"));
        projects.set_code("/a".as_ref(), &files[2..], &Code::default());
        assert_eq!(projects.set(&[]).1, [("/a".into(), BTreeSet::from(["/a".into()]))]);
    }

    #[test]
    fn no_more_folders_are_watched_than_the_system_can_spare() {
        let folders = |count: usize| Code { folders: (0..count).map(|n| format!("f{n}")).collect(), ..Code::default() };
        let mut projects = Projects::default();
        let paths: Vec<PathBuf> = (0..10).map(|n| format!("/p{n}").into()).collect();
        projects.set(&paths);
        let taken: Vec<usize> =
            paths.iter().map(|path| projects.set_code(path, &["x/a.rs".into()], &folders(2_000)).0.len()).collect();
        assert!(taken[..8].iter().all(|&count| count == MAX_FOLDERS), "{taken:?}");
        assert_eq!(taken.iter().sum::<usize>(), MAX_ALL_FOLDERS);
        assert!(projects.with_code_at("/p0/x/a.rs".as_ref()).len() == 1, "those of named files come first");
        assert_eq!(projects.set_code(&paths[0], &[], &Code::default()).1.len(), MAX_FOLDERS);
    }

    #[test]
    fn code_that_says_nothing_only_keeps_the_session_going() {
        let (start, time) = (Instant::now(), Timestamp::from_second(100).expect("a time"));
        let mut projects = Projects::default();
        projects.set(&["/a".into()]);
        projects.code_saved("/a".as_ref(), false, start, time);
        assert!(projects.any_open() && projects.next().is_none());
        projects.code_saved("/a".as_ref(), true, start, time);
        assert_eq!(projects.next(), Some(start + CODE_PAUSE));
    }

    #[test]
    fn a_session_ends_after_silence_and_once() {
        let silence = Duration::from_secs(60);
        let at = |second| Timestamp::from_second(second).expect("a time");
        let mut projects = Projects::default();
        projects.set(&["/a".into()]);
        if let Some(project) = projects.by_path.get_mut(Path::new("/a")) {
            (project.activity, project.is_open) = (Some(at(100)), true);
        }
        assert_eq!(projects.end_silent(at(159), silence), Vec::<PathBuf>::new());
        assert_eq!(projects.end_silent(at(160), silence), [PathBuf::from("/a")]);
        assert_eq!(projects.end_silent(at(500), silence), Vec::<PathBuf>::new());
        assert_eq!(projects.report(at(120), silence)[0].state, "missing");
    }
}
