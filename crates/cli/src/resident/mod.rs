//! A process that keeps the index of a project open between questions of the command line. The first question of a
//! large project starts it, later ones are passed to it, and it ends by itself when nobody asks. It only reads.
//! Whatever it cannot answer exactly as a program of its own would is left to the caller, which then answers as if
//! there were none.

#[cfg(unix)]
mod ask;
#[cfg(unix)]
mod indexing;
#[cfg(unix)]
mod run;

use std::path::PathBuf;

use m1nd_base::ContentHash;
use m1nd_engine::EngineConfig;
use m1nd_mind::MindConfig;
use m1nd_tools::{Effect, ToolDef};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[cfg(unix)]
pub(crate) use ask::{ask, start};
#[cfg(unix)]
pub(crate) use indexing::answer_while_indexing;
#[cfg(unix)]
pub(crate) use run::run;

/// First argument of this program where it is such a process.
pub(crate) const ARGUMENT: &str = "__resident";
/// Set to anything but `0`, no such process is asked or started.
const FORBIDDEN: &str = "M1ND_NO_DAEMON";
/// Beginnings of the names of environment variables that may change an answer, and those that do not.
const VARIABLES: [&str; 2] = ["M1ND_", "MIND_"];
const OTHER_VARIABLES: [&str; 3] = [LOG, "M1ND_PAGER", FORBIDDEN];
/// Whoever sets it wants to see what this program does.
const LOG: &str = "M1ND_LOG";
/// Nodes of an index from which opening it takes so long that keeping it open pays.
const LEAST_NODES: usize = 20_000;
/// How long a caller may take to send its question and to take the answer.
#[cfg(unix)]
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);
/// Largest message, in bytes.
const MAX_MESSAGE: u64 = 64 << 20;

/// A question, as one line of JSON.
#[derive(Debug, Serialize, Deserialize)]
struct Question {
    /// Identity of the program that asks.
    build: String,
    /// Hash of everything beside the question that an answer depends on.
    setup: String,
    tool: String,
    arguments: Value,
    json: bool,
    /// Where memories are searched.
    memories: MemoryPlaces,
}

#[derive(Debug, Serialize, Deserialize)]
struct MemoryPlaces {
    home: PathBuf,
    places: Vec<PathBuf>,
    named: usize,
}

impl MemoryPlaces {
    fn new(mind: &MindConfig) -> Self {
        Self { home: mind.home.clone(), places: mind.places.clone(), named: mind.named }
    }

    fn into_config(self) -> MindConfig {
        MindConfig { home: self.home, places: self.places, named: self.named }
    }
}

/// An answer, as one line of JSON.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// Text for people, and the number of rows found if the tool counts them.
    Text(String, Option<usize>),
    /// The same as JSON.
    Json(Value, Option<usize>),
    /// The index is being built, and does not answer this yet, for this reason.
    BeingBuilt(String),
    /// The caller has to answer by itself.
    Declined,
}

/// Returns whether the process may answer for a tool: it only reads, and its answer is not about the process itself.
pub(crate) fn can_answer(tool: &ToolDef) -> bool {
    tool.effect == Effect::Read && tool.waits
}

/// Returns whether the user allows such a process. `flag` is `--no-daemon`, `setting` the line of the settings.
pub(crate) fn is_allowed(flag: bool, setting: Option<bool>) -> bool {
    let is_forbidden = std::env::var_os(FORBIDDEN).is_some_and(|value| !value.is_empty() && value != "0");
    !flag && !is_forbidden && std::env::var_os(LOG).is_none() && setting != Some(false)
}

/// Returns whether a process pays for an index of this size. One that the user asked for always does.
pub(crate) fn pays(nodes: usize, setting: Option<bool>) -> bool {
    setting == Some(true) || nodes >= LEAST_NODES
}

/// Reads the question of a caller and sends it the answer.
#[cfg(unix)]
fn exchange(
    mut stream: &std::os::unix::net::UnixStream,
    answer: impl FnOnce(Question) -> Answer,
) -> std::io::Result<()> {
    use std::io::{BufRead, BufReader, Read, Write};
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut line = String::new();
    BufReader::new(stream.take(MAX_MESSAGE)).read_line(&mut line)?;
    let question: Question = serde_json::from_str(&line)?;
    let tool = question.tool.clone();
    let answer = answer(question);
    tracing::info!(tool, declined = answer == Answer::Declined, "asked");
    stream.write_all(format!("{}\n", serde_json::to_string(&answer)?).as_bytes())
}

/// The program: its version, and size and time of its file, which tell builds of one version apart.
fn build() -> String {
    let file = std::env::current_exe().and_then(std::fs::metadata);
    let file = file.map(|data| format!("{} {:?}", data.len(), data.modified().ok()));
    format!("{} {}", env!("CARGO_PKG_VERSION"), file.unwrap_or_default())
}

/// Everything beside a question that answers depend on, as a hash: settings, roots, environment.
fn setup(config: &EngineConfig) -> String {
    let mut variables: Vec<(String, String)> = std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .filter(|(name, _)| VARIABLES.iter().any(|start| name.starts_with(start)))
        .filter(|(name, _)| !OTHER_VARIABLES.contains(&name.as_str()))
        .collect();
    variables.sort();
    let EngineConfig { home, roots, roots_named, model, settings, .. } = config;
    let all = format!("{home:?} {roots:?} {roots_named} {model:?} {settings:?} {variables:?}");
    ContentHash::of(all.as_bytes()).to_string()
}

#[cfg(not(unix))]
pub(crate) fn ask(_: &EngineConfig, _: &MindConfig, _: &ToolDef, _: &Value, _: bool) -> Option<Answer> {
    None
}

#[cfg(not(unix))]
pub(crate) fn answer_while_indexing(_: &m1nd_engine::Engine, _: &EngineConfig) -> Option<std::convert::Infallible> {
    None
}

#[cfg(not(unix))]
pub(crate) fn start(_: &EngineConfig, _: &crate::args::Common) {}

#[cfg(not(unix))]
pub(crate) fn run(_: &[std::ffi::OsString]) -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}
