//! Programs that read documents in place of our own readers: only those that a person named in the settings beside the
//! store, outside of every repository. None is looked for, and nothing is downloaded.

mod grobid;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use m1nd_base::Cancel;
use m1nd_store::SharedFolder;
use serde::{Deserialize, Serialize};

use crate::process::{Ended, Job, run};

/// Folder of the settings and of files that programs work on, in the store.
const FOLDER: &str = "documents";
/// The programs that a person named.
const SETTINGS: &str = "settings.toml";
/// Bytes read of the settings.
const MAX_SETTINGS: u64 = 64 << 10;
/// Bytes read of what a program wrote.
const MAX_TEXT: u64 = 64 << 20;
/// Time that a program has for one document.
const DEFAULT_TIMEOUT_S: u64 = 120;
/// Most time that it can be given.
const MAX_TIMEOUT_S: u64 = 3_600;
/// Time that a program has to tell its version.
const PROBE: Duration = Duration::from_secs(20);
/// Time for which the result of a probe holds.
const PROBE_HOLDS: Duration = Duration::from_secs(600);

/// Number of the next folder of work of this process.
static WORK: AtomicU64 = AtomicU64::new(0);

/// A program that can be named.
struct Known {
    name: &'static str,
    /// Words of formats that it takes if the settings do not say.
    formats: &'static [&'static str],
    /// Its arguments: `{in}` is the document, `{out}` the file to write, `{dir}` its folder.
    arguments: &'static [&'static str],
    version: &'static [&'static str],
    purpose: &'static str,
    install: &'static str,
}

const KNOWN: &[Known] = &[
    Known {
        name: "pdftotext",
        formats: &["pdf"],
        arguments: &["-enc", "UTF-8", "{in}", "{out}"],
        version: &["-v"],
        purpose: "text of PDF files",
        install: "install poppler-utils, then name the program in the settings",
    },
    Known {
        name: "docling",
        formats: &["pdf", "docx", "pptx", "xlsx"],
        arguments: &["--to", "md", "--output", "{dir}", "{in}"],
        version: &["--version"],
        purpose: "layout, tables and text recognition of PDF and office files",
        install: "install docling with its models, then name the program in the settings",
    },
    Known {
        name: "markitdown",
        formats: &["pdf", "docx", "pptx", "xlsx"],
        arguments: &["{in}", "-o", "{out}"],
        version: &["--version"],
        purpose: "office and PDF files as Markdown",
        install: "install markitdown, then name the program in the settings",
    },
    Known {
        name: GROBID,
        formats: &["pdf"],
        arguments: &[],
        version: &[],
        purpose: "scholarly PDF files: sections and references",
        install: "start a GROBID server on this machine, then name its address in the settings",
    },
];

const GROBID: &str = "grobid";

/// A program in the settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configured {
    /// Path of the program, or its name if it is on the search path.
    program: Option<String>,
    /// Address of a server on this machine, for `grobid`.
    url: Option<String>,
    /// Words of the formats that it reads.
    formats: Option<Vec<String>>,
    /// Seconds for one document.
    #[serde(default = "default_timeout")]
    timeout_s: u64,
}

const fn default_timeout() -> u64 {
    DEFAULT_TIMEOUT_S
}

/// The settings: a table for each program, in no order.
type Settings = std::collections::BTreeMap<String, Configured>;

/// How a provider is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderMode {
    /// It is part of this program.
    BuiltIn,
    /// A program.
    Program,
    /// A server at an address.
    Url,
    /// The settings do not name it.
    NotConfigured,
}

/// State of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProviderHealth {
    /// Its name.
    pub name: &'static str,
    /// Whether it can be used now.
    pub available: bool,
    /// How it is used.
    pub mode: ProviderMode,
    /// Formats that it reads.
    pub formats: Vec<String>,
    /// What it is for, or its program or address.
    pub detail: String,
    /// Its version, as it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Time of the probe, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe_ms: Option<u64>,
    /// Why it cannot be used, or its last failure on a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// The result is of an earlier probe.
    pub cached: bool,
    /// How to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install_hint: Option<&'static str>,
}

/// What a probe found.
#[derive(Debug, Clone)]
struct Probe {
    at: Instant,
    took_ms: u64,
    version: Result<String, String>,
    of: Configured,
}

/// The programs of a user.
#[derive(Debug)]
pub struct Providers {
    files: SharedFolder,
    /// Folders of the project: settings inside of them are not trusted, because a repository could bring them.
    roots: Vec<PathBuf>,
    probes: Mutex<std::collections::BTreeMap<&'static str, Probe>>,
    /// The last failure on a document.
    failures: Mutex<std::collections::BTreeMap<&'static str, String>>,
}

impl Providers {
    /// Those of the store in this folder, for a project in these roots.
    pub fn new(home: &Path, roots: &[PathBuf]) -> Self {
        Self {
            files: SharedFolder::new(home.join(FOLDER)),
            roots: roots.to_vec(),
            probes: Mutex::default(),
            failures: Mutex::default(),
        }
    }

    /// Path of the settings.
    pub fn file(&self) -> PathBuf {
        self.files.path().join(SETTINGS)
    }

    fn settings(&self) -> Result<Settings, String> {
        let text = self.files.read(SETTINGS, MAX_SETTINGS).map_err(|error| error.to_string())?;
        let Some(text) = text else { return Ok(Settings::new()) };
        let shown = self.file().display().to_string();
        let own = m1nd_vfs::canonical(self.files.path()).unwrap_or_else(|_| self.files.path().to_path_buf());
        let is_inside = |root: &PathBuf| own.starts_with(m1nd_vfs::canonical(root).as_ref().unwrap_or(root));
        if self.roots.iter().any(is_inside) {
            return Err(format!("`{shown}` is inside of the repository, so it is not trusted"));
        }
        let settings: Settings = toml::from_str(&String::from_utf8_lossy(&text))
            .map_err(|error| format!("`{shown}` is damaged: {}", error.message()))?;
        for (name, configured) in &settings {
            if !KNOWN.iter().any(|known| known.name == name) {
                let known: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
                return Err(format!("`{shown}` names `{name}`; known are {}", known.join(", ")));
            }
            check(name, configured).map_err(|why| format!("`{shown}`: `{name}` {why}"))?;
        }
        Ok(settings)
    }

    /// The program for a format, if a person named one.
    fn of_format(&self, format: &str) -> Option<(&'static Known, Configured)> {
        let settings = self.settings().ok()?;
        let takes = |known: &&Known| settings.get(known.name).is_some_and(|own| takes(known, own, format));
        let known = KNOWN.iter().find(takes)?;
        Some((known, settings[known.name].clone()))
    }

    /// The text of a document as Markdown, from the program that a person named for its format; `None` if none is
    /// named. Runs it in a folder of its own, bounded in time and output.
    pub fn convert(
        &self,
        format: &str,
        name: &str,
        bytes: &[u8],
        cancel: &Cancel,
    ) -> Option<(&'static str, Result<String, String>)> {
        let (known, configured) = self.of_format(format)?;
        let outcome = match known.name {
            GROBID => grobid::convert(&configured.url.clone().unwrap_or_default(), bytes, timeout(&configured), cancel),
            _ => self.run(known, &configured, name, bytes, cancel),
        };
        if let Err(why) = &outcome {
            self.failures.lock().unwrap_or_else(PoisonError::into_inner).insert(known.name, why.clone());
        }
        Some((known.name, outcome))
    }

    fn run(
        &self,
        known: &Known,
        configured: &Configured,
        name: &str,
        bytes: &[u8],
        cancel: &Cancel,
    ) -> Result<String, String> {
        let work = Work::new(self.files.path()).map_err(|error| format!("no folder to work in: {error}"))?;
        // The name of the document says nothing but its ending: it comes from the repository.
        let ending: String =
            name.rsplit('.').next().unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).collect();
        let input = work.0.join(format!("document.{}", ending.to_ascii_lowercase()));
        let output = work.0.join("document.md");
        std::fs::write(&input, bytes).map_err(|error| format!("the document cannot be passed on: {error}"))?;
        let mut argv = vec![configured.program.clone().unwrap_or_default()];
        argv.extend(known.arguments.iter().map(|argument| {
            let path = match *argument {
                "{in}" => &input,
                "{out}" => &output,
                "{dir}" => &work.0,
                word => return word.to_owned(),
            };
            path.to_string_lossy().into_owned()
        }));
        let ran = run(&Job { argv: &argv, dir: &work.0, env: &[], timeout: timeout(configured) }, cancel);
        match ran.ended {
            Ended::Exited(Some(0)) => {}
            Ended::Exited(Some(code)) => {
                return Err(format!("it ended with code {code}: {}", first_line(&ran.err.text())));
            }
            Ended::Exited(None) => return Err("a signal ended it".to_owned()),
            Ended::TimedOut => return Err(format!("it took more than {} s", timeout(configured).as_secs())),
            Ended::Cancelled => return Err("it was cancelled".to_owned()),
            Ended::NotStarted(why) => return Err(why),
        }
        let written = std::fs::symlink_metadata(&output).map_err(|_| "it wrote no text".to_owned())?;
        if !written.is_file() || written.len() > MAX_TEXT {
            return Err(format!("it wrote {} bytes, limit {MAX_TEXT}", written.len()));
        }
        let text = std::fs::read(&output).map_err(|error| format!("its text cannot be read: {error}"))?;
        // Pages are separated by form feeds.
        Ok(String::from_utf8_lossy(&text).replace('\u{c}', "\n\n"))
    }

    /// The state of each program that can be named, our own readers first. Asks a named program for its version, unless
    /// that was done within the last ten minutes.
    pub fn health(&self, cancel: &Cancel) -> (Vec<ProviderHealth>, Option<String>) {
        let (settings, damage) = match self.settings() {
            Ok(settings) => (settings, None),
            Err(why) => (Settings::new(), Some(why)),
        };
        let own = ProviderHealth {
            name: "internal",
            available: true,
            mode: ProviderMode::BuiltIn,
            formats: Vec::new(),
            detail: "every format that has no other provider".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            probe_ms: None,
            last_error: None,
            cached: false,
            install_hint: None,
        };
        let rows = KNOWN.iter().map(|known| self.health_of(known, settings.get(known.name), cancel));
        (std::iter::once(own).chain(rows).collect(), damage)
    }

    fn health_of(&self, known: &'static Known, configured: Option<&Configured>, cancel: &Cancel) -> ProviderHealth {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let Some(configured) = configured else {
            return ProviderHealth {
                name: known.name,
                available: false,
                mode: ProviderMode::NotConfigured,
                formats: words(known.formats),
                detail: known.purpose.to_owned(),
                version: None,
                probe_ms: None,
                last_error: None,
                cached: false,
                install_hint: Some(known.install),
            };
        };
        let (probe, cached) = self.probe(known, configured, cancel);
        let failed = self.failures.lock().unwrap_or_else(PoisonError::into_inner).get(known.name).cloned();
        ProviderHealth {
            name: known.name,
            available: probe.version.is_ok(),
            mode: if known.name == GROBID { ProviderMode::Url } else { ProviderMode::Program },
            formats: configured.formats.clone().unwrap_or_else(|| words(known.formats)),
            detail: configured.program.clone().or_else(|| configured.url.clone()).unwrap_or_default(),
            last_error: probe.version.as_ref().err().cloned().or(failed),
            version: probe.version.ok(),
            probe_ms: Some(probe.took_ms),
            cached,
            install_hint: None,
        }
    }

    fn probe(&self, known: &'static Known, configured: &Configured, cancel: &Cancel) -> (Probe, bool) {
        let before = self.probes.lock().unwrap_or_else(PoisonError::into_inner).get(known.name).cloned();
        if let Some(probe) = before.filter(|probe| probe.of == *configured && probe.at.elapsed() < PROBE_HOLDS) {
            return (probe, true);
        }
        let started = Instant::now();
        let version = match known.name {
            GROBID => grobid::version(&configured.url.clone().unwrap_or_default(), PROBE, cancel),
            _ => self.version(known, configured, cancel),
        };
        let took_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let probe = Probe { at: Instant::now(), took_ms, version, of: configured.clone() };
        self.probes.lock().unwrap_or_else(PoisonError::into_inner).insert(known.name, probe.clone());
        (probe, false)
    }

    fn version(&self, known: &Known, configured: &Configured, cancel: &Cancel) -> Result<String, String> {
        let work = Work::new(self.files.path()).map_err(|error| format!("no folder to work in: {error}"))?;
        let mut argv = vec![configured.program.clone().unwrap_or_default()];
        argv.extend(known.version.iter().map(|word| (*word).to_owned()));
        let ran = run(&Job { argv: &argv, dir: &work.0, env: &[], timeout: PROBE }, cancel);
        match ran.ended {
            Ended::Exited(Some(0)) => {
                let (out, err) = (ran.out.text(), ran.err.text());
                Ok(first_line(if out.trim().is_empty() { &err } else { &out }))
            }
            Ended::Exited(code) => Err(format!("it ended with code {code:?}: {}", first_line(&ran.err.text()))),
            Ended::NotStarted(why) => Err(why),
            Ended::TimedOut => Err(format!("it did not tell its version within {} s", PROBE.as_secs())),
            Ended::Cancelled => Err("the probe was cancelled".to_owned()),
        }
    }

    /// The state of each named program by its name, as far as it was probed or used: `configured`, `available`, or why
    /// not. Runs nothing.
    pub fn states(&self) -> std::collections::BTreeMap<String, String> {
        let settings = match self.settings() {
            Ok(settings) => settings,
            Err(why) => return [("settings".to_owned(), why)].into(),
        };
        let probes = self.probes.lock().unwrap_or_else(PoisonError::into_inner);
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let state = |name: &str| match (probes.get(name).map(|probe| &probe.version), failures.get(name)) {
            (Some(Err(why)), _) | (_, Some(why)) => why.clone(),
            (Some(Ok(_)), None) => "available".to_owned(),
            (None, None) => "configured".to_owned(),
        };
        settings.keys().map(|name| (name.clone(), state(name))).collect()
    }
}

fn timeout(configured: &Configured) -> Duration {
    Duration::from_secs(configured.timeout_s)
}

fn takes(known: &Known, configured: &Configured, format: &str) -> bool {
    match &configured.formats {
        Some(formats) => formats.iter().any(|own| own == format),
        None => known.formats.contains(&format),
    }
}

/// Refuses settings that cannot be meant.
fn check(name: &str, configured: &Configured) -> Result<(), String> {
    if !(1..=MAX_TIMEOUT_S).contains(&configured.timeout_s) {
        return Err(format!("has `timeout_s` {}; expected 1 to {MAX_TIMEOUT_S}", configured.timeout_s));
    }
    match (name == GROBID, &configured.program, &configured.url) {
        (true, None, Some(url)) => grobid::address(url).map(|_| ()),
        (true, _, _) => Err("needs `url`, the address of a server on this machine, and nothing else".to_owned()),
        (false, Some(program), None) => {
            let path = Path::new(program);
            let is_name = !program.is_empty() && path.components().count() == 1 && !program.starts_with('.');
            if is_name || path.is_absolute() {
                Ok(())
            } else {
                Err(format!("has `program` `{program}`; expected an absolute path or a name on the search path"))
            }
        }
        (false, _, _) => Err("needs `program` and no `url`".to_owned()),
    }
}

fn first_line(text: &str) -> String {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().chars().take(200).collect()
}

/// A folder for one run, removed with it.
struct Work(PathBuf);

impl Work {
    fn new(folder: &Path) -> std::io::Result<Self> {
        let number = WORK.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("work-{}-{number}", std::process::id()));
        // A process of the same number may have left one.
        _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}
