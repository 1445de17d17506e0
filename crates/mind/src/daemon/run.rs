//! The loop of the daemon: one thread that does everything, woken by the watch, the socket and the time.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use jiff::Timestamp;
use m1nd_base::count;
use m1nd_history::GitFolder;
use m1nd_store::{HeldLock, SharedFolder, StoreError};
use m1nd_vfs::{FolderWatch, PathKind, network_file_system};

use super::log::{Level, Logs, Part};
use super::poll;
use super::projects::{Projects, Watched};
use super::protocol::{DaemonReport, LOCK, PID, Reply, Request, SOCKET, STATE};
use super::time::{now, sleep};
use crate::files::project::{FOLDER, SESSION_FILE};
use crate::files::registry::{FILE as REGISTRY, Registry, WAIT};
use crate::keep::keeper::Keeper;
use crate::keep::kept::{Code, Kept};
use crate::read::load::user_settings;
use crate::read::settings::Settings;
use crate::{MemoryError, keep::gather};

/// How long the lock is waited for: whoever asks whether a daemon runs holds it for a moment.
const LOCK_WAIT: Duration = Duration::from_millis(300);
/// Time between two looks at projects that cannot be watched.
const POLL: Duration = Duration::from_secs(5);
/// How long a change of the list of projects is waited for.
const LIST_PAUSE: Duration = Duration::from_millis(100);

/// Time after a caller could not be let in until the next one is.
#[cfg(unix)]
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Time after a change of code until the index is expected to know it.
const INDEX_PAUSE: Duration = Duration::from_secs(10);

/// What wakes the loop.
enum Event {
    /// Something may have changed at this path; anywhere without one.
    Changed(Option<PathBuf>),
    /// Somebody asks.
    Asked(Request, Sender<Reply>),
    /// The system or a person says that it is time to end.
    Told,
}

struct Daemon {
    /// Alive while this is held, and only while its file is where others look for it.
    lock: HeldLock,
    home: SharedFolder,
    registry: Registry,
    keeper: Keeper,
    settings: Settings,
    projects: Projects,
    watch: Option<FolderWatch>,
    degraded: Option<String>,
    /// When all projects were last to be looked at because changes are not noticed.
    polled: Instant,
    started_at: Timestamp,
    last_index: Option<Timestamp>,
    logs: Logs,
    /// The list of projects is to be read again.
    list_due: Option<Instant>,
}

/// Makes the folder that all projects share, if there is none, lets nobody else write into it, and refuses one of
/// another user.
///
/// # Errors
/// [`MemoryError::Store`] or [`StoreError::NotPrivate`](m1nd_store::StoreError::NotPrivate).
pub fn prepare(home: &Path) -> Result<(), MemoryError> {
    let folder = SharedFolder::new(home.to_owned());
    folder.system().create_folder(home).map_err(|source| StoreError::Io {
        action: "create the folder",
        path: home.to_owned(),
        source,
    })?;
    #[cfg(unix)]
    {
        m1nd_store::close_to_others(home);
        m1nd_store::check_private_folder(home)?;
    }
    // Whether it can be locked at all; whoever holds it is another matter.
    drop(folder.try_hold(LOCK)?);
    Ok(())
}

/// Runs until it is asked to end. `level` takes the place of the one in the user's settings.
///
/// # Errors
/// [`MemoryError::Daemon`] if one runs already or the socket cannot be made;
/// [`StoreError::NotPrivate`](m1nd_store::StoreError::NotPrivate) if others may write where it keeps that;
/// [`MemoryError::Store`].
pub fn run(home: &Path, store: Option<&Path>, level: Option<&str>) -> Result<(), MemoryError> {
    prepare(home)?;
    let folder = SharedFolder::new(home.to_owned());
    let lock = match folder.hold(LOCK, LOCK_WAIT) {
        Err(StoreError::Taken { .. }) => {
            return Err(MemoryError::Daemon("a daemon is running already; `mind daemon status` shows it".into()));
        }
        held => held?,
    };
    let (settings, problems) = user_settings(&folder);
    let logs = Logs::new(home, Level::parse(level.unwrap_or(&settings.log_level)));
    logs.begin();
    let (events, inbox) = unbounded();
    let heard = heed_signals(events.clone()).and_then(|()| listen(home, events.clone()));
    if let Err(error) = heard {
        // Whoever started it in the background sees nothing else.
        logs.write(Part::Daemon, Level::Error, format_args!("not started: {error}"));
        return Err(error);
    }
    for problem in problems {
        logs.write(Part::Daemon, Level::Warn, format_args!("configuration: {problem}"));
    }
    let watch = FolderWatch::start(move |path| {
        let _ = events.send(Event::Changed(path.map(Path::to_owned)));
    });
    let degraded = watch.as_ref().err().map(ToString::to_string);
    let mut daemon = Daemon {
        lock,
        registry: Registry::new(folder.clone()),
        keeper: Keeper::new(home, store),
        home: folder,
        settings,
        projects: Projects::default(),
        watch: watch.ok(),
        degraded,
        polled: now(),
        started_at: Timestamp::now(),
        last_index: None,
        logs,
        list_due: None,
    };
    daemon.log(Level::Info, format_args!("started, process {}", std::process::id()));
    daemon.watch_folder(home);
    daemon.read_list();
    daemon.work(&inbox);
    daemon.end();
    Ok(())
}

impl Daemon {
    fn log(&self, level: Level, text: impl std::fmt::Display) {
        self.logs.write(Part::Daemon, level, text);
    }

    fn work(&mut self, inbox: &Receiver<Event>) {
        loop {
            let first = match self.wait() {
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(time) => inbox.recv_timeout(time),
            };
            let mut next = match first {
                Ok(event) => Some(event),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            // All that waits, before work that may take a while: who asks waits for one look at most.
            while let Some(event) = next {
                if self.heed(event) {
                    return;
                }
                next = inbox.try_recv().ok();
            }
            self.pass();
        }
    }

    /// Takes in what happened; `true` if it is time to end.
    fn heed(&mut self, event: Event) -> bool {
        match event {
            Event::Changed(path) => {
                self.follow_change(path.as_deref());
                let is_at_home = path.as_deref().is_none_or(|path| self.home.path().starts_with(path))
                    || path.is_some_and(|path| path == self.home.path().join(LOCK));
                is_at_home && !self.lock.is_in_place()
            }
            Event::Told => true,
            Event::Asked(request, reply) => {
                let (answer, ends) = self.answer(&request);
                let _ = reply.send(answer);
                ends
            }
        }
    }

    /// How long nothing has to be done; `None` until something happens.
    fn wait(&self) -> Option<Duration> {
        let now = now();
        let due = [self.projects.next(), self.list_due].into_iter().flatten().min();
        let due = due.map(|due| due.saturating_duration_since(now));
        let check = self.projects.any_open().then(|| Duration::from_secs(self.settings.check_interval_seconds.into()));
        let poll = self.polls().then(|| POLL.saturating_sub(now.duration_since(self.polled)));
        [due, check, poll].into_iter().flatten().min()
    }

    /// Whether something is not told by the system and has to be looked for.
    fn polls(&self) -> bool {
        self.degraded.is_some() || self.projects.any_unwatched()
    }

    fn pause(&self) -> Duration {
        Duration::from_millis(self.settings.debounce_ms.into())
    }

    fn silence(&self) -> Duration {
        Duration::from_secs(u64::from(self.settings.inactivity_minutes) * 60)
    }

    fn follow_change(&mut self, path: Option<&Path>) {
        let now = now();
        match path {
            None => {
                self.list_due = Some(now + LIST_PAUSE);
                self.projects.wake_all(now, self.pause());
            }
            Some(path) if path.parent() == Some(self.home.path()) => {
                if path.file_name().is_some_and(|name| name == REGISTRY) {
                    self.list_due = Some(now + LIST_PAUSE);
                }
            }
            Some(path) => {
                for project in self.projects.of(path) {
                    if path.ends_with(SESSION_FILE) {
                        self.projects.session_goes_on(&project, Timestamp::now());
                    }
                    self.projects.wake(&project, now, self.pause());
                }
                self.projects.code_changed(path, now, Timestamp::now());
                for project in self.projects.with_code_at(path) {
                    self.code_saved(&project, path, now);
                }
            }
        }
    }

    /// A file in a watched folder of code was changed: what is no code is no news.
    fn code_saved(&mut self, project: &Path, file: &Path, now: Instant) {
        let inner = file.strip_prefix(project).ok().and_then(Path::to_str).unwrap_or_default();
        if gather::is_telling(inner) {
            let matters = self.projects.had_comments(project, file) || gather::tells(project, file);
            self.projects.code_saved(project, matters, now, Timestamp::now());
        }
    }

    fn answer(&mut self, request: &Request) -> (Reply, bool) {
        let done = Reply { ok: true, report: None, error: None };
        match request {
            Request::Ping => (done, false),
            Request::Status => (Reply { report: Some(self.report()), ..done }, false),
            Request::Reindex { project } => {
                let now = now();
                match project {
                    Some(project) if !self.projects.by_path.contains_key(project) => {
                        let error = Some(format!("`{}` is not registered; run `mind add` there", project.display()));
                        return (Reply { ok: false, report: None, error }, false);
                    }
                    Some(project) => self.projects.wake(project, now, Duration::ZERO),
                    None => self.projects.wake_all(now, Duration::ZERO),
                }
                (done, false)
            }
            Request::Stop => (done, true),
        }
    }

    fn report(&self) -> DaemonReport {
        DaemonReport {
            pid: std::process::id(),
            started_at: self.started_at,
            version: env!("CARGO_PKG_VERSION").into(),
            last_index: self.last_index,
            degraded: self.degraded.clone(),
            projects: self.projects.report(Timestamp::now(), self.silence()),
        }
    }

    /// Does what is due.
    fn pass(&mut self) {
        let now = now();
        if self.list_due.is_some_and(|due| due <= now) {
            self.list_due = None;
            self.read_list();
        }
        if self.polls() && now.duration_since(self.polled) >= POLL {
            self.polled = now;
            self.projects.poll(now, self.degraded.is_some(), poll::stamp);
        }
        // One at a time: whoever asks meanwhile does not wait for all of them.
        if let Some(project) = self.projects.take_due(now) {
            self.look_at(&project);
        }
        for project in self.projects.end_silent(Timestamp::now(), self.silence()) {
            self.log(Level::Info, format_args!("{}: the session has ended", project.display()));
            if let Err(error) = self.keeper.end_session(&project) {
                self.log(Level::Warn, format_args!("{}: its notes stay: {error}", project.display()));
            }
            self.look_at(&project);
        }
    }

    /// Brings what is noted of a project and its block up to date, if its memory has changed.
    fn look_at(&mut self, path: &Path) {
        let begun = now();
        let touched = self.projects.take_touched(path);
        let noted = match touched.is_empty() {
            true => Ok(()),
            false => self.keeper.note_touched(path, &touched),
        };
        let outcome = noted.and_then(|()| self.keeper.keep(path));
        let Some(project) = self.projects.by_path.get_mut(path) else { return };
        project.problem = None;
        project.looks += 1;
        let code = match outcome {
            Ok(kept) => Some(self.take_over(path, kept, begun.elapsed())),
            Err(error) => {
                project.problem = Some(error.to_string());
                // A folder that went is not watched any more, also when it comes back.
                project.is_watched = false;
                self.logs.write(Part::Index, Level::Warn, format_args!("{}: {error}", path.display()));
                None
            }
        };
        let is_watched = self.projects.by_path.get(path).is_some_and(|project| project.is_watched);
        if !is_watched {
            // It may have come back.
            self.watch_project(path);
        }
        if !touched.is_empty() {
            // Whoever keeps the index needs a while; what it says then is looked at once more.
            self.projects.look_again(path, now() + INDEX_PAUSE);
        }
        if let Some(code) = code {
            self.watch_code(path, &code);
        }
    }

    /// What a look found, into the state and the logs.
    fn take_over(&mut self, path: &Path, kept: Kept, took: Duration) -> Code {
        let now = Timestamp::now();
        let shown = path.display();
        let Some(project) = self.projects.by_path.get_mut(path) else { return kept.code };
        project.memories = kept.stats.total();
        if kept.memory_changed {
            (project.activity, project.is_open) = (Some(now), true);
            self.last_index = Some(now);
        }
        project.problem = kept.problems.last().or(kept.unread.last()).cloned();
        if kept.memory_changed
            && let Err(error) = self.registry.touch(path, now, WAIT)
        {
            self.log(Level::Warn, format_args!("the time of the change is not kept: {error}"));
        }
        // A look that found nothing new is not logged, unless details are wanted.
        let is_news = kept.memory_changed || !kept.written.is_empty();
        let level = if is_news { Level::Info } else { Level::Debug };
        let (stats, [file, archive, comments, commits]) = (&kept.stats, kept.sources);
        let (decisions, open, solved) = (stats.decisions, stats.issues_open, stats.issues_resolved);
        let read = format_args!(
            "{shown}: {}, {}, {solved} solved, {}, {}",
            count(decisions, "decision"),
            count(open, "open issue"),
            count(stats.learnings, "learning"),
            count(stats.edges, "gotcha")
        );
        self.logs.write(Part::Parser, level, read);
        for problem in &kept.unread {
            self.logs.write(Part::Parser, Level::Warn, format_args!("{shown}: {problem}"));
        }
        let took = took.as_millis();
        let found = format_args!(
            "{shown}: {} in the file, {archive} archived, {comments} in comments, {commits} in commits; {took} ms",
            count(file, "memory")
        );
        self.logs.write(Part::Index, level, found);
        for file in &kept.written {
            self.log(Level::Info, format_args!("wrote the block of {}", file.display()));
        }
        for problem in &kept.problems {
            self.log(Level::Warn, problem);
        }
        kept.code
    }

    /// Watches folders of code, so that it is noticed when files change that memories name or that carry memories.
    fn watch_code(&mut self, path: &Path, code: &Code) {
        let (new, gone) = self.projects.set_code(path, &self.keeper.named_files(path), code);
        let Some(watch) = &self.watch else { return };
        for folder in gone.iter().filter(|folder| !self.projects.watches(folder)) {
            watch.remove(folder);
        }
        for folder in new {
            // One that is not there, or too many: looking with the next change of the memory is all that is lost.
            if let Err(error) = watch.add(&folder) {
                self.logs.write(Part::Index, Level::Debug, &error);
            }
        }
    }

    /// Takes over the list of projects as it is now.
    fn read_list(&mut self) {
        let listed = match self.registry.list() {
            Ok(projects) => projects,
            Err(error) => {
                self.log(Level::Error, format_args!("the list of projects stays as it was: {error}"));
                return;
            }
        };
        let registered: Vec<PathBuf> = listed.iter().map(|project| project.path.clone()).collect();
        let (new, gone) = self.projects.set(&registered);
        for (path, folders) in gone {
            let all = folders.into_iter().chain([path.join(FOLDER)]);
            for folder in all.filter(|folder| !self.projects.watches(folder)) {
                self.watch.iter().for_each(|watch| watch.remove(&folder));
            }
        }
        for project in &listed {
            self.projects.record_activity(&project.path, project.last_activity);
        }
        let now = now();
        for path in &new {
            self.watch_project(path);
            self.projects.wake(path, now, Duration::ZERO);
        }
        self.write_state();
    }

    fn watch_project(&mut self, path: &Path) {
        let is_watched = self.watch_folder(&path.join(FOLDER));
        // Without git, or with an unusual one, commits are looked at with the next change.
        let commits = GitFolder::find(path).map(|git| git.moved_in()).unwrap_or_default();
        if let Some(watch) = &self.watch {
            commits.iter().for_each(|folder| drop(watch.add(folder)));
        }
        if let Some(project) = self.projects.by_path.get_mut(path) {
            (project.is_watched, project.commits) = (is_watched, commits);
        }
    }

    fn watch_folder(&mut self, folder: &Path) -> bool {
        if let Some(kind) = network_file_system(folder)
            && self.degraded.is_none()
        {
            let why = format!("`{}` lies on a network file system ({kind})", folder.display());
            self.log(Level::Warn, format_args!("{why}; it is looked at every {} s", POLL.as_secs()));
            self.degraded = Some(why);
        }
        let Some(watch) = &self.watch else { return false };
        match watch.add(folder) {
            Ok(()) => true,
            Err(_) if PathKind::at(folder) != PathKind::Folder => false,
            Err(error) => {
                self.log(Level::Warn, format_args!("{error}; it is looked at every {} s", POLL.as_secs()));
                self.degraded = Some(error.to_string());
                false
            }
        }
    }

    /// For people and scripts, who need not ask for it.
    fn write_state(&self) {
        let paths: Vec<&PathBuf> = self.projects.by_path.keys().collect();
        let state = serde_json::json!({
            "version": 1, "pid": std::process::id(), "started_at": self.started_at, "projects_watching": paths,
        });
        let text = format!("{state:#}\n").into_bytes();
        for (name, text) in [(STATE, text), (PID, format!("{}\n", std::process::id()).into_bytes())] {
            let written = self.home.change(name, 1 << 24, LIST_PAUSE * 10, |_| Ok::<_, MemoryError>(((), Some(text))));
            if let Err(error) = written {
                self.log(Level::Warn, format_args!("{name} is not written: {error}"));
            }
        }
    }

    /// The last block of each project, and nothing left behind.
    fn end(&mut self) {
        if !self.lock.is_in_place() {
            // What lies there is another's, who holds the new lock; or nothing lies there, and nothing is to be made
            // anew.
            if PathKind::at(self.home.path()) == PathKind::Folder {
                self.log(Level::Warn, "ended: its lock was removed");
            }
            return;
        }
        // A change that still waited for its pause counts, too.
        let is_open = |project: &Watched| project.is_open || project.due.is_some();
        let open: Vec<PathBuf> = self
            .projects
            .by_path
            .iter()
            .filter(|(_, project)| is_open(project))
            .map(|(path, _)| path.clone())
            .collect();
        for path in open {
            self.look_at(&path);
        }
        for name in [SOCKET, STATE, PID] {
            let _ = self.home.system().remove(&self.home.path().join(name));
        }
        self.log(Level::Info, "ended");
    }
}

/// Turns the signals that ask a process to end into an event: what is open is finished then.
#[cfg(unix)]
fn heed_signals(events: Sender<Event>) -> Result<(), MemoryError> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let failed = |error: std::io::Error| MemoryError::Daemon(format!("cannot take signals: {error}"));
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP]).map_err(failed)?;
    let work = move || {
        for _ in signals.forever() {
            if events.send(Event::Told).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().name("mind-signals".into()).spawn(work).map_err(failed)?;
    Ok(())
}

#[cfg(not(unix))]
fn heed_signals(_events: Sender<Event>) -> Result<(), MemoryError> {
    Ok(())
}

/// Listens on the socket in a thread of its own. Only for the holder of the lock: a socket that is there was left
/// behind.
#[cfg(unix)]
fn listen(home: &Path, events: Sender<Event>) -> Result<(), MemoryError> {
    let path = home.join(SOCKET);
    let failed = |error: std::io::Error| {
        MemoryError::Daemon(format!("cannot listen at `{}`: {error}; a shorter MIND_HOME may help", path.display()))
    };
    let listener = m1nd_store::listen_private(&path).map_err(failed)?;
    let work = move || {
        for stream in listener.incoming() {
            match stream {
                Ok(stream) => {
                    if serve(stream, &events).is_none() {
                        tracing::debug!("a caller went away");
                    }
                }
                // Such as too many open files, which does not pass at once: no reason to be busy with it.
                Err(_) => sleep(ACCEPT_PAUSE),
            }
        }
    };
    std::thread::Builder::new().name("mind-socket".into()).spawn(work).map_err(failed)?;
    Ok(())
}

#[cfg(not(unix))]
fn listen(_home: &Path, _events: Sender<Event>) -> Result<(), MemoryError> {
    Err(MemoryError::Daemon("the daemon runs on Unix systems only; everything else works without it".into()))
}

/// Answers one caller. Bounded in size and time, so that nobody can hold up the others for long.
#[cfg(unix)]
fn serve(stream: std::os::unix::net::UnixStream, events: &Sender<Event>) -> Option<()> {
    use std::io::{BufRead, BufReader, Read, Write};

    /// How long a caller may take to ask.
    const PATIENCE: Duration = Duration::from_secs(10);
    /// How long the loop may take to answer: it looks at one project at a time, which a busy machine makes long.
    const ANSWER: Duration = Duration::from_secs(30);

    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let mut line = String::new();
    BufReader::new((&stream).take(super::protocol::MAX_LINE)).read_line(&mut line).ok()?;
    let reply = match serde_json::from_str(&line) {
        Ok(request) => {
            let (reply, replies) = bounded(1);
            events.send(Event::Asked(request, reply)).ok()?;
            replies.recv_timeout(ANSWER).ok()?
        }
        Err(error) => Reply { ok: false, report: None, error: Some(format!("not a request: {error}")) },
    };
    (&stream).write_all(format!("{}\n", serde_json::to_string(&reply).ok()?).as_bytes()).ok()
}
