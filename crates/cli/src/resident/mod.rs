//! A process that keeps the index of a project open for others. It listens on a socket in the state of the project.
//!
//! - A server (`m1nd serve`) is such a process as long as it runs: it answers questions of the command line, and serves
//!   further clients (`m1nd serve --attach`), which then cost no index of their own.
//! - Without one, the first question of a large project starts a process that only answers questions. It ends by itself
//!   when nobody asks, or when a server starts.
//!
//! Whatever the process cannot answer exactly as a program of its own would is left to the caller, which then answers
//! as if there were none.

#[cfg(unix)]
mod answer;
#[cfg(unix)]
mod ask;
#[cfg(unix)]
mod attach;
#[cfg(unix)]
mod indexing;
#[cfg(unix)]
mod listen;
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
pub(crate) use attach::{attach, relay};
#[cfg(unix)]
pub(crate) use indexing::answer_while_indexing;
#[cfg(unix)]
pub(crate) use listen::Listening;
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

/// What is sent to such a process, as one line of JSON.
#[derive(Debug, Serialize, Deserialize)]
enum Request {
    /// Answer a call of a tool.
    Ask(Question),
    /// Serve the client whose messages follow.
    Attach(Guest),
    /// End, if it only answers questions: a server starts.
    GiveWay,
}

/// A client of another process.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Guest {
    /// Identity of the program that asks.
    build: String,
    /// Hash of everything beside the options that answers depend on.
    setup: String,
    /// Where memories are searched.
    memories: MemoryPlaces,
    options: GuestOptions,
}

/// The options of a client, as words of the command line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct GuestOptions {
    pub(crate) is_text: bool,
    pub(crate) toolset: Vec<String>,
    pub(crate) envelope: bool,
    pub(crate) output_schemas: bool,
    pub(crate) read_only: bool,
}

/// A question.
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
    /// The client is served; its messages follow.
    Attached,
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

/// Reads the request of a caller and sends it the answer.
#[cfg(unix)]
fn exchange(
    mut stream: &std::os::unix::net::UnixStream,
    answer: impl FnOnce(Request) -> Answer,
) -> std::io::Result<()> {
    use std::io::{BufRead, BufReader, Read, Write};
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut line = String::new();
    BufReader::new(stream.take(MAX_MESSAGE)).read_line(&mut line)?;
    let request: Request = serde_json::from_str(&line)?;
    let tool = match &request {
        Request::Ask(question) => Some(question.tool.clone()),
        _ => None,
    };
    let answer = answer(request);
    if let Some(tool) = tool {
        tracing::info!(tool, declined = answer == Answer::Declined, "asked");
    }
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
pub(crate) fn attach(_: &EngineConfig, _: &MindConfig, _: GuestOptions) -> Option<()> {
    None
}

#[cfg(not(unix))]
pub(crate) fn relay(_: &()) -> std::io::Result<()> {
    Ok(())
}

/// Where a server listens for others; nowhere on this platform.
#[cfg(not(unix))]
pub(crate) struct Listening;

#[cfg(not(unix))]
impl Listening {
    pub(crate) fn start(_: &m1nd_server::Host, _: EngineConfig) -> Self {
        Self
    }
}

#[cfg(not(unix))]
pub(crate) fn run(_: &[std::ffi::OsString]) -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}
