//! Selects the folder and the store for the command line, and opens the engine.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::{Engine, EngineConfig, IngestRequest, Mode, Setting, WORKSPACE_FILE, Workspace};
use m1nd_mind::MindConfig;
use m1nd_tools::Services;

use crate::args::Common;
use crate::error::CliError;
use crate::output::note;
use crate::probe::ChildProbe;
use crate::settings::Settings;

/// Default folder of the store, below the user's home.
const DEFAULT_HOME: &str = ".m1nd";
/// Default folder that all projects with a memory share, below the user's home.
const DEFAULT_MIND_HOME: &str = ".mind";

/// The folder of the store.
pub(crate) fn home(common: &Common) -> Result<PathBuf, CliError> {
    if let Some(home) = &common.home {
        return Ok(home.clone());
    }
    let user = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    user.map(|user| user.join(DEFAULT_HOME)).ok_or_else(|| {
        CliError::usage("this user has no home folder", "set the folder of the index: --home FOLDER or M1ND_HOME")
    })
}

/// The folder to work on: `path`, else the repository around the current folder, else the current folder.
pub(crate) fn root(path: Option<&Path>) -> Result<PathBuf, CliError> {
    let given = path.unwrap_or(Path::new("."));
    let full = std::fs::canonicalize(given).map_err(|error| {
        CliError::usage(format!("cannot open `{}`: {error}", given.display()), "pass an existing folder")
    })?;
    if !full.is_dir() {
        return Err(CliError::usage(
            format!("`{}` is not a folder", given.display()),
            "pass the folder of the repository",
        ));
    }
    if path.is_some() {
        return Ok(full);
    }
    if full.join(WORKSPACE_FILE).is_file() {
        return Ok(full);
    }
    let repository = full.ancestors().find(|folder| folder.join(".git").exists());
    Ok(repository.map(Path::to_path_buf).unwrap_or(full))
}

/// Longest comparison of the index with the disk: a person waits longer for a true answer than a server's client.
pub(crate) const CHECK_BUDGET: Duration = Duration::from_secs(30);
/// Nodes of the largest index that is brought up to date before a question: preparing a larger one takes longer than
/// people expect of a question.
const REFRESH_NODES: usize = 1_000_000;

/// The index of one root for reading. Damaged files of the store are put aside, with a message, and a lost index is
/// rebuilt. If the answer has to be `fresh`, the index is brought up to date with the disk before. It stays as it was,
/// and answers say so, where another process keeps it, the store cannot be written or the index is very large.
pub(crate) fn open_to_ask(common: &Common, root: &Path, fresh: bool) -> Result<Services, CliError> {
    let services = open(common, root, true)?;
    let is_damaged = !services.engine.damage().is_empty();
    let due = match services.engine.has_lost_index() {
        true => vec![IngestRequest::code(services.engine.config().roots.first().map_or(root, PathBuf::as_path))],
        false if fresh => updates(&services.engine, root),
        false => Vec::new(),
    };
    if due.is_empty() && !is_damaged {
        return Ok(services);
    }
    let Ok(writing) = open(common, root, false) else {
        tell_damage(&services.engine);
        return Ok(services);
    };
    tell_damage(&writing.engine);
    let recovered = writing.engine.files().clone();
    for request in due {
        let path = request.path.display().to_string();
        if let Err(error) = writing.engine.ingest(request, &Cancel::new(), &NoProgress) {
            tracing::warn!(root = path, %error, "not brought up to date");
        }
    }
    drop(writing);
    let services = open(common, root, true)?;
    services.engine.files().add_recovered(recovered.take_recovered());
    Ok(services)
}

/// The ingests that bring the index up to date.
fn updates(engine: &Engine, root: &Path) -> Vec<IngestRequest> {
    let (snapshot, found) = engine.freshness(&Cancel::new());
    // Without the other roots of the index an ingest would drop their files.
    let is_whole = engine.federation().is_some() || snapshot.roots().iter().all(|info| info.path.starts_with(root));
    if snapshot.is_empty() || found.is_fresh() || !is_whole || snapshot.graph().node_count() > REFRESH_NODES {
        return Vec::new();
    }
    let update = |info: &m1nd_engine::RootInfo| IngestRequest {
        mode: Mode::Merge,
        incremental: true,
        include_hidden: info.include_hidden,
        hidden_patterns: info.hidden_patterns.clone(),
        ..IngestRequest::code(&info.path)
    };
    snapshot.roots().iter().map(update).collect()
}

/// Says what of the store was damaged, and what became of it.
pub(crate) fn tell_damage(engine: &Engine) {
    engine.damage().iter().for_each(note);
}

/// Says how many files changed since they were indexed; `None` if the index is what is on disk.
pub(crate) fn describe_unseen(engine: &Engine) -> Option<String> {
    let (_, found) = engine.freshness(&Cancel::new());
    let first = found.changed.first().map(ToString::to_string).unwrap_or_default();
    let least = if found.complete { "" } else { "at least " };
    match found.total {
        _ if found.is_fresh() => None,
        0 => Some("the index could not be compared with the files on disk in time".to_owned()),
        1 => Some(format!("{least}1 file changed since it was indexed: {first}")),
        total => Some(format!("{least}{total} files changed since they were indexed, the first is {first}")),
    }
}

/// Opens the index of one root, without watching it, and its memories.
pub(crate) fn open(common: &Common, root: &Path, read_only: bool) -> Result<Services, CliError> {
    let (mut config, _) = load_config(common, vec![root.to_path_buf()], false)?;
    config.read_only = read_only;
    config.check_budget = CHECK_BUDGET;
    config.verify_at_open = EngineConfig::VERIFIED_AT_OPEN;
    let mind = memory_places(&places(&config, root), true)?;
    Ok(Services::open(config, mind)?)
}

/// The places that a command over one root names for memories.
pub(crate) fn places(config: &EngineConfig, root: &Path) -> Vec<PathBuf> {
    [root.to_path_buf()].into_iter().chain(config.roots.iter().cloned()).collect()
}

/// These settings for the repositories that the only root lists, if it does.
pub(crate) fn with_workspace(mut config: EngineConfig) -> Result<EngineConfig, CliError> {
    config.probe = Some(Arc::new(ChildProbe));
    let [root] = config.roots.as_slice() else { return Ok(config) };
    let Some(workspace) = Workspace::at(root)? else { return Ok(config) };
    let (federation, left_out) = workspace.federation(&config.home)?;
    left_out.iter().for_each(note);
    Ok(match federation {
        Some(federation) => config.with_federation(federation),
        None => config,
    })
}

/// The configuration of an engine over some roots, and the user's settings for the first of them.
pub(crate) fn load_config(
    common: &Common,
    roots: Vec<PathBuf>,
    roots_named: bool,
) -> Result<(EngineConfig, Settings), CliError> {
    let home = home(common)?;
    let (settings, problems) = Settings::load(&home, roots.first().map_or(Path::new(""), PathBuf::as_path));
    // Once, although a command may open the index several times.
    static SAID: std::sync::Once = std::sync::Once::new();
    SAID.call_once(|| problems.iter().for_each(|problem| note(format!("{problem}; see `m1nd doctor`"))));
    let mut config = with_workspace(EngineConfig::new(home, roots))?;
    config.roots_named = roots_named;
    config.model = common.model.clone().or_else(|| settings.model.clone());
    config.settings = sources(common, &config, &settings, roots_named);
    Ok((config, settings))
}

/// The settings, each with the source that won. A flag wins over the environment, that over the file, that over the
/// default.
fn sources(common: &Common, config: &EngineConfig, file: &Settings, roots_named: bool) -> Vec<Setting> {
    let source = |given: Option<&PathBuf>, variable: &str, in_file: bool| match given {
        Some(given) if std::env::var_os(variable).is_some_and(|value| value == *given) => "environment",
        Some(_) => "flag",
        None if in_file => "file",
        None => "default",
    };
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let roots: Vec<String> = config.roots.iter().map(|root| text(root)).collect();
    let model = config.model.as_deref().map_or_else(|| "none".to_owned(), text);
    vec![
        Setting { name: "home", value: text(&config.home), source: source(common.home.as_ref(), "M1ND_HOME", false) },
        Setting { name: "root", value: roots.join(", "), source: if roots_named { "flag" } else { "default" } },
        Setting {
            name: "model",
            value: model,
            source: source(common.model.as_ref(), "M1ND_MODEL", file.model.is_some()),
        },
    ]
}

/// The folder that all projects with a memory share.
pub(crate) fn mind_home() -> Result<PathBuf, CliError> {
    if let Some(home) = std::env::var_os("MIND_HOME").filter(|home| !home.is_empty()) {
        return Ok(home.into());
    }
    let user = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    user.map(|user| user.join(DEFAULT_MIND_HOME)).ok_or_else(|| {
        CliError::usage("this user has no home folder", "set the folder that all projects share: MIND_HOME")
    })
}

/// The places in which to search for memories, in order: the roots if they were `named`, the project reported by the
/// client, `CLAUDE_PROJECT_DIR`, the current folder.
pub(crate) fn memory_places(roots: &[PathBuf], named: bool) -> Result<MindConfig, CliError> {
    let home = mind_home()?;
    let open = std::env::var_os("CLAUDE_PROJECT_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let current = std::env::current_dir().ok();
    let roots = if named { roots } else { &[] };
    let places = roots.iter().cloned().chain(open).chain(current).collect();
    Ok(MindConfig { home, places, named: roots.len() })
}
