//! Paths that changed and wait until their files are quiet.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use m1nd_base::RepoPath;

/// Paths that can wait; with more, everything is looked at again.
const MAX_PATHS: usize = 4_096;
/// Changes are read after this many times the debounce even if events go on.
const MAX_PAUSES: u32 = 10;

/// What has to be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// These files: the path of a root, and the path inside of it.
    Paths(Vec<(PathBuf, RepoPath)>),
    /// Everything.
    All,
}

/// Paths that wait, bounded.
#[derive(Debug)]
pub(crate) struct Queue {
    paths: BTreeSet<(PathBuf, RepoPath)>,
    needs_rescan: bool,
    debounce: Duration,
    first: Option<Instant>,
    last: Option<Instant>,
}

impl Queue {
    pub(crate) fn new(debounce: Duration) -> Self {
        Self { paths: BTreeSet::new(), needs_rescan: false, debounce, first: None, last: None }
    }

    /// Adds a path.
    pub(crate) fn add(&mut self, root: PathBuf, path: RepoPath, now: Instant) {
        self.touch(now);
        if !self.needs_rescan {
            self.paths.insert((root, path));
        }
        if self.paths.len() > MAX_PATHS {
            self.rescan(now);
        }
    }

    /// Has everything looked at again.
    pub(crate) fn rescan(&mut self, now: Instant) {
        self.touch(now);
        self.needs_rescan = true;
        self.paths.clear();
    }

    fn touch(&mut self, now: Instant) {
        self.first.get_or_insert(now);
        self.last = Some(now);
    }

    /// When what waits is to be read; `None` if nothing waits.
    pub(crate) fn due(&self) -> Option<Instant> {
        let (first, last) = (self.first?, self.last?);
        Some((last + self.debounce).min(first + self.debounce * MAX_PAUSES))
    }

    /// Takes out what waits.
    pub(crate) fn take(&mut self) -> Waiting {
        (self.first, self.last) = (None, None);
        let paths = std::mem::take(&mut self.paths);
        match std::mem::take(&mut self.needs_rescan) {
            true => Waiting::All,
            false => Waiting::Paths(paths.into_iter().collect()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.paths.len()
    }

    pub(crate) fn needs_rescan(&self) -> bool {
        self.needs_rescan
    }
}

/// Whether a file is one that an editor makes and removes while it saves.
pub(crate) fn is_editor_noise(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_ending = |ending: &str| name.ends_with(ending);
    name.starts_with(".#")
        || name.starts_with("~$")
        || name == ".DS_Store"
        || name.starts_with("4913") && name[4..].bytes().all(|b| b.is_ascii_digit())
        || [".swp", ".swx", ".tmp", "~"].into_iter().any(is_ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(number: usize) -> RepoPath {
        RepoPath::new(&format!("d/{number}.md")).expect("a path")
    }

    #[test]
    fn an_overflow_becomes_a_rescan() {
        let mut queue = Queue::new(Duration::from_millis(100));
        let now = Instant::now();
        assert_eq!(queue.due(), None);
        for number in 0..MAX_PATHS {
            queue.add(PathBuf::from("/r"), path(number), now);
        }
        assert_eq!((queue.len(), queue.needs_rescan()), (MAX_PATHS, false));
        queue.add(PathBuf::from("/r"), path(MAX_PATHS), now);
        assert_eq!((queue.len(), queue.needs_rescan()), (0, true));
        queue.add(PathBuf::from("/r"), path(1), now);
        assert_eq!(queue.take(), Waiting::All);
        assert_eq!(queue.take(), Waiting::Paths(Vec::new()));
    }

    #[test]
    fn events_that_go_on_do_not_put_it_off_for_ever() {
        let debounce = Duration::from_millis(100);
        let mut queue = Queue::new(debounce);
        let start = Instant::now();
        for step in 0..50 {
            queue.add(PathBuf::from("/r"), path(1), start + debounce / 2 * step);
        }
        assert_eq!(queue.due(), Some(start + debounce * MAX_PAUSES));
        assert_eq!(queue.take(), Waiting::Paths(vec![(PathBuf::from("/r"), path(1))]));
        assert_eq!(queue.due(), None);
    }

    #[test]
    fn files_of_editors_are_noise() {
        for name in ["a.md~", "d/.a.md.swp", "a.tmp", "d/.#a.md", "d/4913", "49131", ".DS_Store", "~$text.docx"] {
            assert!(is_editor_noise(name), "{name}");
        }
        for name in ["a.md", "d/4913.md", "swp", "d.tmp/a.md"] {
            assert!(!is_editor_noise(name), "{name}");
        }
    }
}
