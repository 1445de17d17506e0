//! Running the allowed commands before and after a change.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use m1nd_base::{Cancel, Cancelled, ContentHash, Progress, ProgressEvent};
use m1nd_store::{SharedFolder, StoreError};
use serde::{Deserialize, Serialize};

use crate::allowed::{AllowError, Allowed, AllowedPath, CheckKind, MAX_COMMANDS, MAX_FILE, Settings};
use crate::judge::{CheckReport, CheckResult, judge};
use crate::process::{Ended, Job, run};
use crate::repositories::Scope;
use crate::results::{self, Results};

/// Folder of the settings and of known results, in the state of a project.
const FOLDER: &str = "verify";
/// The commands that a person allowed.
const SETTINGS: &str = "settings.toml";
/// Results of runs by the content that they ran on.
const KNOWN: &str = "known.json";
/// Most results that are kept.
const MAX_KNOWN: usize = 32;
/// Bytes of the file of results.
const MAX_KNOWN_BYTES: u64 = 8 << 20;
/// Bytes kept of the end of an output.
const MAX_OUTPUT: usize = 4_000;
/// Bytes read of a report of tests.
const MAX_REPORT: u64 = 16 << 20;
/// Most arguments that take the place of one.
const MAX_SELECTED: usize = 200;
/// Time for which another process that changes the settings is awaited.
const WAIT: Duration = Duration::from_secs(5);

/// Number of the next report file of this process.
static REPORTS: AtomicU64 = AtomicU64::new(0);

/// The commands of one project.
#[derive(Debug, Clone)]
pub struct Checks {
    files: SharedFolder,
}

/// The part of the project that a change concerns, for commands that take it as arguments.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Files that change, absolute.
    pub files: Vec<PathBuf>,
    /// Files with tests that reach the change, absolute.
    pub tests: Vec<PathBuf>,
    /// Names of tests that reach it.
    pub names: Vec<String>,
}

/// A run of a command, as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    #[serde(with = "stored_end")]
    pub(crate) ended: Ended,
    pub(crate) results: Results,
    /// The end of its output.
    pub(crate) output: String,
    pub(crate) run_ms: u64,
}

/// Only runs that ended by themselves are stored: by their exit code.
mod stored_end {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::process::Ended;

    pub(super) fn serialize<S: Serializer>(ended: &Ended, serializer: S) -> Result<S::Ok, S::Error> {
        let code = match ended {
            Ended::Exited(code) => *code,
            _ => None,
        };
        code.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Ended, D::Error> {
        Option::deserialize(deserializer).map(Ended::Exited)
    }
}

impl Checks {
    /// The commands of the project whose state is in `state`.
    pub fn new(state: &Path) -> Self {
        Self { files: SharedFolder::new(state.join(FOLDER)) }
    }

    /// Path of the settings.
    pub fn file(&self) -> PathBuf {
        self.files.path().join(SETTINGS)
    }

    /// The allowed commands, those that compile first. Not those that were allowed for another repository that was at
    /// the same path.
    ///
    /// # Errors
    /// [`AllowError`] if the settings are damaged or lie inside of the project.
    pub fn list(&self, scope: &Scope) -> Result<Vec<Allowed>, AllowError> {
        let mut commands = self.all(scope)?.verify.command;
        commands.retain(|command| scope.has_one(&command.dir, &command.repository));
        commands.sort_by_key(|command| command.kind);
        Ok(commands)
    }

    /// Commands that were allowed for another repository at the same path, or before permissions named one.
    ///
    /// # Errors
    /// Those of [`Checks::list`].
    pub fn list_of_others(&self, scope: &Scope) -> Result<Vec<Allowed>, AllowError> {
        let mut commands = self.all(scope)?.verify.command;
        commands.retain(|command| scope.is_of_other(&command.dir, &command.repository));
        Ok(commands)
    }

    fn all(&self, scope: &Scope) -> Result<Settings, AllowError> {
        self.trust(scope)?;
        self.parse(self.files.read(SETTINGS, MAX_FILE)?.as_deref())
    }

    /// Allows a command for the repository that is at its folder now.
    ///
    /// # Errors
    /// [`AllowError`]; nothing is changed then.
    pub fn allow(&self, scope: &Scope, command: Allowed) -> Result<(), AllowError> {
        self.trust(scope)?;
        command.check()?;
        inside(scope, &command.dir)?;
        let command = Allowed { repository: scope.marks(&command.dir), ..command };
        self.change(|settings| {
            if settings.verify.has(&command) {
                return Err(AllowError::Known);
            }
            // What another repository at this path was allowed is not needed any more.
            settings.verify.command.retain(|known| !scope.is_of_other(&known.dir, &known.repository));
            if settings.verify.command.len() >= MAX_COMMANDS {
                return Err(AllowError::TooMany);
            }
            settings.verify.command.push(command);
            Ok(())
        })
    }

    /// Takes back the permission of the command at a place of [`Checks::list`], from 1. Returns it.
    ///
    /// # Errors
    /// [`AllowError`]; nothing is changed then.
    pub fn remove(&self, scope: &Scope, number: usize) -> Result<Allowed, AllowError> {
        self.trust(scope)?;
        self.change(|settings| {
            let commands = &mut settings.verify.command;
            commands.sort_by_key(|command| command.kind);
            let is_own = |command: &Allowed| scope.has_one(&command.dir, &command.repository);
            let own: Vec<usize> = (0..commands.len()).filter(|at| is_own(&commands[*at])).collect();
            let at = number.checked_sub(1).and_then(|at| own.get(at));
            at.map(|at| commands.remove(*at)).ok_or(AllowError::Unknown { given: number, count: own.len() })
        })
    }

    /// The paths that a person allowed to be written although other programs run or trust them.
    ///
    /// # Errors
    /// Those of [`Checks::list`].
    pub fn list_paths(&self, scope: &Scope) -> Result<Vec<AllowedPath>, AllowError> {
        let mut paths = self.all(scope)?.write.path;
        paths.retain(|row| scope.has_one(Path::new(&row.path), &row.repository));
        Ok(paths)
    }

    /// Allows a path to be written: a file, or with a slash at its end all below a folder.
    ///
    /// # Errors
    /// [`AllowError`]; nothing is changed then.
    pub fn allow_path(&self, scope: &Scope, path: String) -> Result<AllowedPath, AllowError> {
        self.trust(scope)?;
        let repository = scope.marks(Path::new(&path));
        if repository.is_empty() {
            return Err(AllowError::Outside { dir: PathBuf::from(path) });
        }
        let row = AllowedPath { path, repository };
        self.change(|settings| {
            let paths = &mut settings.write.path;
            if paths.contains(&row) {
                return Err(AllowError::Known);
            }
            paths.retain(|known| !scope.is_of_other(Path::new(&known.path), &known.repository));
            if paths.len() >= MAX_COMMANDS {
                return Err(AllowError::TooMany);
            }
            paths.push(row.clone());
            Ok(row)
        })
    }

    /// Takes back the permission at a place of [`Checks::list_paths`], from 1. Returns it.
    ///
    /// # Errors
    /// [`AllowError`]; nothing is changed then.
    pub fn remove_path(&self, scope: &Scope, number: usize) -> Result<AllowedPath, AllowError> {
        self.trust(scope)?;
        self.change(|settings| {
            let paths = &mut settings.write.path;
            let is_own = |row: &AllowedPath| scope.has_one(Path::new(&row.path), &row.repository);
            let own: Vec<usize> = (0..paths.len()).filter(|at| is_own(&paths[*at])).collect();
            let at = number.checked_sub(1).and_then(|at| own.get(at));
            at.map(|at| paths.remove(*at)).ok_or(AllowError::Unknown { given: number, count: own.len() })
        })
    }

    /// Returns whether a person allowed this path, absolute, to be written.
    pub fn allows_path(&self, scope: &Scope, path: &Path) -> bool {
        let Some(text) = path.to_str() else { return false };
        self.list_paths(scope).is_ok_and(|rows| rows.iter().any(|row| row.covers(text)))
    }

    /// Prepares the allowed commands for a change; `None` if none is allowed.
    ///
    /// # Errors
    /// Those of [`Checks::list`].
    pub fn prepare(&self, scope: &Scope, selection: Selection) -> Result<Option<Prepared>, AllowError> {
        let commands = self.list(scope)?;
        if commands.is_empty() {
            return Ok(None);
        }
        let dirs = commands.iter().map(|command| inside(scope, &command.dir).map_err(|error| error.to_string()));
        let dirs = dirs.collect();
        Ok(Some(Prepared { files: self.files.clone(), commands, dirs, selection }))
    }

    fn parse(&self, bytes: Option<&[u8]>) -> Result<Settings, AllowError> {
        let Some(bytes) = bytes else { return Ok(Settings::default()) };
        let damaged = |detail: String| AllowError::Damaged { file: self.file(), detail };
        let text = std::str::from_utf8(bytes).map_err(|error| damaged(error.to_string()))?;
        let settings: Settings = toml::from_str(text).map_err(|error| damaged(error.to_string()))?;
        for command in &settings.verify.command {
            command.check().map_err(|error| damaged(error.to_string()))?;
        }
        Ok(settings)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Settings) -> Result<T, AllowError>) -> Result<T, AllowError> {
        self.files.change(SETTINGS, MAX_FILE, WAIT, |bytes| {
            let mut settings = self.parse(bytes.as_deref())?;
            let answer = change(&mut settings)?;
            let text = toml::to_string(&settings)
                .map_err(|error| AllowError::Damaged { file: self.file(), detail: error.to_string() })?;
            Ok((answer, Some(text.into_bytes())))
        })
    }

    /// Settings that come with the files of a repository are those of its author.
    fn trust(&self, scope: &Scope) -> Result<(), AllowError> {
        let own = m1nd_vfs::canonical(self.files.path().parent().unwrap_or(self.files.path()));
        let own = own.unwrap_or_else(|_| self.files.path().to_path_buf());
        let is_inside =
            scope.roots.iter().any(|root| own.starts_with(m1nd_vfs::canonical(root).as_ref().unwrap_or(root)));
        if is_inside { Err(AllowError::InRepository { file: self.file() }) } else { Ok(()) }
    }
}

/// The folder with its links followed, if that is inside of a root.
fn inside(scope: &Scope, dir: &Path) -> Result<PathBuf, AllowError> {
    let outside = || AllowError::Outside { dir: dir.to_path_buf() };
    let full = m1nd_vfs::canonical(dir).map_err(|_| outside())?;
    let is_inside = scope.roots.iter().any(|root| m1nd_vfs::canonical(root).is_ok_and(|root| full.starts_with(root)));
    if is_inside { Ok(full) } else { Err(outside()) }
}

/// The allowed commands, for one change.
#[derive(Debug)]
pub struct Prepared {
    files: SharedFolder,
    commands: Vec<Allowed>,
    /// The folder of each, or why it cannot run.
    dirs: Vec<Result<PathBuf, String>>,
    selection: Selection,
}

/// The results before a change.
#[derive(Debug)]
pub struct Before(Vec<Option<Outcome>>);

impl Prepared {
    /// Runs the commands on the files before the change. What is known of the same content is not run again.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn before(&self, content: ContentHash, cancel: &Cancel, progress: &dyn Progress) -> Result<Before, Cancelled> {
        let known = self.read_known();
        let mut outcomes = Vec::new();
        for index in 0..self.commands.len() {
            cancel.check()?;
            self.tell(progress, "checking before", index);
            outcomes.push(self.run_once(index, content, &known, cancel));
            cancel.check()?;
        }
        Ok(Before(outcomes))
    }

    /// Runs the commands on the changed files and compares. `content` identifies these files, if they can be.
    pub fn after(
        &self,
        before: &Before,
        content: Option<ContentHash>,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Vec<CheckReport> {
        let mut reports: Vec<CheckReport> = Vec::new();
        for (index, command) in self.commands.iter().enumerate() {
            self.tell(progress, "checking after", index);
            let does_not_compile =
                reports.iter().any(|report| report.kind == CheckKind::Compile && report.result == CheckResult::Fail);
            if command.kind == CheckKind::Test && does_not_compile {
                reports.push(CheckReport::not_run(command, "the project does not compile"));
                continue;
            }
            let report = match self.arguments(index) {
                Err(why) => CheckReport::not_run(command, why),
                Ok((dir, argv)) => {
                    let after = self.run(command, &dir, &argv, cancel);
                    if let Some(content) = content {
                        self.learn(key(content, &dir, &argv), &after);
                    }
                    judge(command, before.0.get(index).and_then(Option::as_ref), &after)
                }
            };
            reports.push(report);
        }
        reports
    }

    fn tell(&self, progress: &dyn Progress, stage: &'static str, done: usize) {
        progress.report(ProgressEvent { stage, done: done as u64, total: Some(self.commands.len() as u64) });
    }

    /// The result of a command before the change; `None` if it cannot be run there.
    fn run_once(
        &self,
        index: usize,
        content: ContentHash,
        known: &[(String, Outcome)],
        cancel: &Cancel,
    ) -> Option<Outcome> {
        let (dir, argv) = match self.arguments(index) {
            Ok(arguments) => arguments,
            // The selected files are new: nothing of them failed.
            Err(_) if self.dirs[index].is_ok() => return Some(Outcome::nothing()),
            Err(_) => return None,
        };
        let key = key(content, &dir, &argv);
        if let Some((_, outcome)) = known.iter().find(|(other, _)| *other == key) {
            return Some(outcome.clone());
        }
        let outcome = self.run(&self.commands[index], &dir, &argv, cancel);
        self.learn(key, &outcome);
        Some(outcome)
    }

    /// The folder and the arguments of a command, or why it is not run.
    fn arguments(&self, index: usize) -> Result<(PathBuf, Vec<String>), String> {
        let dir = self.dirs[index].clone()?;
        let mut argv = Vec::new();
        for word in &self.commands[index].argv {
            let Selection { files, tests, names } = &self.selection;
            let selected = match word.as_str() {
                "{files}" => paths(&dir, files.iter()),
                "{tests}" => paths(&dir, tests.iter()),
                "{dirs}" => folders(&dir, files.iter().chain(tests)),
                "{test_names}" => {
                    names.iter().filter(|name| !name.starts_with('-')).take(MAX_SELECTED).cloned().collect()
                }
                _ => {
                    argv.push(word.clone());
                    continue;
                }
            };
            if selected.is_empty() {
                return Err(format!("nothing in the index takes the place of `{word}` for this change"));
            }
            argv.extend(selected);
        }
        Ok((dir, argv))
    }

    fn run(&self, command: &Allowed, dir: &Path, argv: &[String], cancel: &Cancel) -> Outcome {
        let report = argv.iter().any(|word| word.contains(REPORT)).then(|| self.report_name());
        let path = report.as_ref().map(|name| self.files.path().join(name).to_string_lossy().into_owned());
        let argv: Vec<String> = match &path {
            Some(path) => argv.iter().map(|word| word.replace(REPORT, path)).collect(),
            None => argv.to_vec(),
        };
        let timeout = Duration::from_secs(command.timeout_s);
        let ran = run(&Job { argv: &argv, dir, env: &command.env, timeout }, cancel);
        let (out, err) = (ran.out.text(), ran.err.text());
        let written = report.as_ref().and_then(|name| self.files.read(name, MAX_REPORT).ok().flatten());
        let mut results = results::read(&argv, &out, &err, written.as_deref());
        results.is_cut |= ran.out.is_cut() || ran.err.is_cut();
        if let Some(path) = path {
            // It may not have been written.
            _ = std::fs::remove_file(path);
        }
        let joined = [end(&err), end(&out)].join("\n");
        let run_ms = u64::try_from(ran.elapsed.as_millis()).unwrap_or(u64::MAX);
        Outcome { ended: ran.ended, results, output: joined.trim().to_owned(), run_ms }
    }

    /// A name for a report; the folder exists afterwards.
    fn report_name(&self) -> String {
        _ = self.files.system().create_folder(self.files.path());
        format!("report-{}-{}.xml", std::process::id(), REPORTS.fetch_add(1, Ordering::Relaxed))
    }

    fn read_known(&self) -> Vec<(String, Outcome)> {
        let bytes = self.files.read(KNOWN, MAX_KNOWN_BYTES).ok().flatten();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Stores a result. If it cannot be stored, the command runs again the next time.
    fn learn(&self, key: String, outcome: &Outcome) {
        if !matches!(outcome.ended, Ended::Exited(_)) {
            return;
        }
        _ = self.files.change::<_, StoreError>(KNOWN, MAX_KNOWN_BYTES, WAIT, |_| {
            let mut known = self.read_known();
            known.retain(|(other, _)| *other != key);
            let first = (known.len() + 1).saturating_sub(MAX_KNOWN);
            known.drain(..first);
            known.push((key, outcome.clone()));
            Ok(((), serde_json::to_vec(&known).ok().filter(|bytes| bytes.len() as u64 <= MAX_KNOWN_BYTES)))
        });
    }
}

/// Stands for the path of a report in JUnit's form.
const REPORT: &str = "{report}";

impl Outcome {
    /// A run without anything to do.
    fn nothing() -> Self {
        Self { ended: Ended::Exited(Some(0)), results: Results::default(), output: String::new(), run_ms: 0 }
    }
}

/// Identifies a run by what it depends on, as far as that is known.
fn key(content: ContentHash, dir: &Path, argv: &[String]) -> String {
    let words = [&[content.to_string(), dir.to_string_lossy().into_owned()], argv].concat();
    ContentHash::of(words.join("\0").as_bytes()).to_string()
}

/// Paths relative to a folder, of the files that are there. None begins like an option.
fn paths<'p>(dir: &Path, files: impl Iterator<Item = &'p PathBuf>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for file in files {
        let Some(path) = file.strip_prefix(dir).ok().filter(|_| m1nd_vfs::stamp(file).is_some()) else { continue };
        let path = path.to_string_lossy();
        let path = if path.starts_with('-') { format!("./{path}") } else { path.into_owned() };
        if !found.contains(&path) && found.len() < MAX_SELECTED {
            found.push(path);
        }
    }
    found
}

/// The folders of such files, as Go names them: `./a/b`.
fn folders<'p>(dir: &Path, files: impl Iterator<Item = &'p PathBuf>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for file in files {
        let inner = file.strip_prefix(dir).ok().filter(|_| m1nd_vfs::stamp(file).is_some()).and_then(Path::parent);
        let Some(folder) = inner.map(|inner| format!("./{}", inner.to_string_lossy())) else { continue };
        if !found.contains(&folder) && found.len() < MAX_SELECTED {
            found.push(folder);
        }
    }
    found
}

fn end(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(MAX_OUTPUT))..]
}
