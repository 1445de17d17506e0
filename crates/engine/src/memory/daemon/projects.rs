//! What the daemon knows of each project, and when it looks at one again. No clock: times are handed in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::protocol::ProjectReport;
use crate::memory::project::{FOLDER, MEMORY_FILE};

/// Least time between two looks at one project, so that a storm of changes costs little.
const LEAST: Duration = Duration::from_millis(500);

/// One project.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    /// When it is to be looked at, if it is.
    pub(crate) due: Option<Instant>,
    /// When it was looked at last.
    looked: Option<Instant>,
    /// When its memory last changed.
    pub(crate) activity: Option<Timestamp>,
    /// A session is open: the block is written once more when it ends.
    pub(crate) is_open: bool,
    /// Its folder is watched.
    pub(crate) is_watched: bool,
    pub(crate) problem: Option<String>,
}

/// All of them, by path.
#[derive(Debug, Default)]
pub(crate) struct Projects {
    pub(crate) by_path: BTreeMap<PathBuf, Watched>,
}

impl Projects {
    /// Takes over the registered ones. Returns the new and those that are gone.
    pub(crate) fn set(&mut self, registered: &[PathBuf]) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let gone: Vec<PathBuf> = self.by_path.keys().filter(|path| !registered.contains(path)).cloned().collect();
        for path in &gone {
            self.by_path.remove(path);
        }
        let new: Vec<PathBuf> = registered.iter().filter(|path| !self.by_path.contains_key(*path)).cloned().collect();
        for path in &new {
            self.by_path.insert(path.clone(), Watched::default());
        }
        (new, gone)
    }

    /// The project whose folder of memories this path lies in.
    pub(crate) fn of(&self, path: &Path) -> Option<PathBuf> {
        let mut folders = path.ancestors();
        let mind = folders.find(|folder| folder.file_name().is_some_and(|name| name == FOLDER))?;
        let project = mind.parent()?;
        self.by_path.contains_key(project).then(|| project.to_owned())
    }

    /// Something may have changed: look after a pause.
    pub(crate) fn wake(&mut self, path: &Path, now: Instant, pause: Duration) {
        if let Some(project) = self.by_path.get_mut(path) {
            let earliest = project.looked.map_or(now, |looked| looked + LEAST);
            project.due = Some((now + pause).max(earliest));
        }
    }

    /// As [`Projects::wake`], for all.
    pub(crate) fn wake_all(&mut self, now: Instant, pause: Duration) {
        let paths: Vec<PathBuf> = self.by_path.keys().cloned().collect();
        for path in paths {
            self.wake(&path, now, pause);
        }
    }

    /// When something is to be done next.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.by_path.values().filter_map(|project| project.due).min()
    }

    /// Whether a session is open somewhere.
    pub(crate) fn any_open(&self) -> bool {
        self.by_path.values().any(|project| project.is_open)
    }

    /// The project that is to be looked at now: the one that has waited longest.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<PathBuf> {
        let due = self.by_path.iter_mut().filter(|(_, project)| project.due.is_some_and(|at| at <= now));
        let (path, project) = due.min_by_key(|(_, project)| project.due)?;
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
            let state = match (path.join(MEMORY_FILE).is_file(), recent) {
                (false, _) => "missing",
                (true, true) => "active",
                (true, false) => "idle",
            };
            let (last_activity, problem) = (project.activity, project.problem.clone());
            ProjectReport { path: path.clone(), state: state.into(), last_activity, problem }
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
        assert_eq!(projects.of("/a/.mind/MEMORY.md".as_ref()), Some("/a".into()));
        assert_eq!(projects.of("/a/.mind/archive/2024.md".as_ref()), Some("/a".into()));
        assert_eq!(projects.of("/c/.mind/MEMORY.md".as_ref()), None);
        projects.wake("/a".as_ref(), start, pause);
        projects.wake("/a".as_ref(), start + pause / 2, pause);
        assert_eq!(projects.take_due(start + pause), None, "there was a change in the pause");
        assert_eq!(projects.take_due(start + pause * 2), Some("/a".into()));
        assert_eq!((projects.take_due(start + pause * 2), projects.next()), (None, None));
        projects.wake("/a".as_ref(), start + pause * 3, pause);
        assert_eq!(projects.next(), Some(start + pause * 2 + LEAST));
        let (new, gone) = projects.set(&["/b".into(), "/c".into()]);
        assert_eq!((new, gone), (vec!["/c".into()], vec!["/a".into()]));
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
