//! `m1nd share`: the part that needs the index. `m1nd-fleet` does what needs a network.

use std::path::{Path, PathBuf};
use std::time::Duration;

use m1nd_base::Cancel;
use m1nd_engine::{
    Engine, EngineConfig, EngineError, IngestReport, IngestRequest, LocalIndex, SharedFiles, adopt_index,
    find_local_index, find_share_place, shared_versions,
};
use m1nd_query::changes::work_tree_changes;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::args::Common;
use crate::args::share::{ShareArgs, ShareCommand, SharePlaceArgs};
use crate::companion;
use crate::error::CliError;
use crate::json::with_member;
use crate::output::{Out, bytes, note};
use crate::progress::Terminal;
use crate::project;

/// Folder of what is on its way, in that of all state.
const FOLDER: &str = "share";
/// What the names of these folders begin with.
const TRANSFER: &str = "transfer-";
/// Age of a folder that a crash left.
const LEFT_AFTER: Duration = Duration::from_secs(24 * 60 * 60);
/// Changed files that are named.
const EXAMPLES: usize = 5;
/// Digits of a commit that are shown.
const SHORT: usize = 12;

/// Runs the command.
pub(crate) fn run(args: &ShareArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    match &args.command {
        ShareCommand::Push { place, rewrite } => push(&Place::find(place)?, *rewrite, common, out),
        ShareCommand::Pull { place, trust, force } => pull(&Place::find(place)?, trust, *force, common, out),
        ShareCommand::Status { place, trust } => status(&Place::find(place)?, trust, common, out),
        ShareCommand::Keygen { print } => {
            let words = print.then_some("--print");
            companion::pass_on(common, "share", ["keygen"].into_iter().chain(words))
        }
        ShareCommand::Trust { key, name, remove } => {
            let words = remove.then_some("--remove").into_iter().chain([key.as_str()]).chain(name.as_deref());
            companion::pass_on(common, "share", ["trust"].into_iter().chain(words))
        }
        ShareCommand::Keys => companion::pass_on(common, "share", ["keys"]),
    }
}

/// What `m1nd-fleet` answers about an index in a store; what a question is not about is 0 or empty.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Answer {
    store: String,
    commit: String,
    /// Commits between the index and the checked-out one.
    distance: u64,
    /// Size of its files.
    bytes: u64,
    parts: u64,
    new_parts: u64,
    sent_bytes: u64,
    fetched_parts: u64,
    fetched_bytes: u64,
    /// Who signed it, or signs it now.
    key: String,
    key_name: String,
}

impl Answer {
    fn read(answer: &Value) -> Result<Self, CliError> {
        Self::deserialize(answer).map_err(|error| {
            CliError::fail(
                format!("the answer of `m1nd-fleet` is not understood: {error}"),
                "install the same version of both",
            )
        })
    }
}

/// What is shared, and where.
struct Place {
    root: PathBuf,
    store: String,
    repository: String,
    commits: Vec<String>,
}

impl Place {
    fn find(args: &SharePlaceArgs) -> Result<Self, CliError> {
        let root = project::root(args.root.as_deref())?;
        let found = find_share_place(&root).map_err(|why| {
            CliError::usage(
                format!("the commits of {} cannot be read: {why}", root.display()),
                "run it at the top of a git repository",
            )
        })?;
        let repository = args.repository.clone().or(found.repository).ok_or_else(|| {
            CliError::usage(
                "the repository has no address (`origin`) that is the same for everybody",
                "name it: --repository NAME, with the same name to push and to pull",
            )
        })?;
        Ok(Self { root, store: args.store.clone(), repository, commits: found.commits })
    }

    /// The checked-out commit.
    fn head(&self) -> &str {
        self.commits.first().map_or("", String::as_str)
    }

    /// A request for the nearest index.
    fn search(&self, trust: &[String], folder: Option<&Path>) -> Value {
        json!({
            "store": self.store, "repository": self.repository, "versions": shared_versions(),
            "commits": self.commits, "trust": trust, "folder": folder,
        })
    }
}

fn push(place: &Place, rewrite: bool, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let (engine, _) = open_indexed(place, common, out)?;
    check_clean(&engine, place)?;
    let cancel = Cancel::new();
    engine.save(&cancel)?;
    let folder = TransferFolder::create(&project::home(common)?)?;
    let files = folder.files();
    let exported = engine.export_shared(&files, place.head(), &cancel)?;
    drop(engine);
    let request = json!({
        "store": place.store, "repository": place.repository, "versions": shared_versions(), "commit": place.head(),
        "snapshot": files.snapshot, "facts": files.facts, "rewrite": rewrite,
    });
    let answer = companion::ask(common, &["share", "push"], &request)?;
    if out.json {
        return out.value(&with_member(answer, "files", exported.files));
    }
    let pushed = Answer::read(&answer)?;
    out.line(format!(
        "pushed the index of commit {} to {}: {} files, {} of {} parts new, {} sent",
        shorten(place.head()),
        pushed.store,
        exported.files,
        pushed.new_parts,
        pushed.parts,
        bytes(pushed.sent_bytes),
    ))?;
    out.line(format!("others trust it with: m1nd share trust {}", pushed.key))
}

fn pull(place: &Place, trust: &[String], force: bool, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let (config, _) = project::load_config(common, vec![place.root.clone()], true)?;
    check_single(config.federation.is_some())?;
    // What is here may be as good.
    let home = project::home(common)?;
    let local = find_local_index(&home, &place.root).filter(|_| !force);
    if let Some(local) = local {
        if let Some(more) = local.holds_more {
            return Err(CliError::fail(
                format!("the index here holds {more}, which a shared one does not"),
                "keep it, or replace it: m1nd share pull --force",
            ));
        }
        let found = companion::ask(common, &["share", "find"], &place.search(trust, None))?;
        let stored = Answer::read(&found)?.distance;
        if find_distance(place, &local).is_some_and(|own| own <= stored) {
            if out.json {
                return out.value(&with_member(found, "pulled", false));
            }
            return out.line("the index here is as near; `m1nd ingest --incremental` brings it up to date");
        }
    }
    let folder = TransferFolder::create(&home)?;
    let found = companion::ask(common, &["share", "pull"], &place.search(trust, Some(&folder.path)))?;
    adopt_index(&home, &place.root, &folder.files(), &Cancel::new()).map_err(|error| match error {
        EngineError::WriterElsewhere => CliError::fail(
            "another m1nd process, such as a server, has the index of this repository open",
            "let it index the repository, or end it first",
        ),
        error => error.into(),
    })?;
    drop(folder);
    let (_, report) = open_indexed(place, common, out)?;
    if out.json {
        let answer = with_member(found, "pulled", true);
        return out.value(&with_member(answer, "files_linked", report.files_linked));
    }
    let pulled = Answer::read(&found)?;
    out.line(format!(
        "started from the index of commit {} ({}): {} parts fetched, {} received",
        shorten(&pulled.commit),
        describe_distance(pulled.distance),
        pulled.fetched_parts,
        bytes(pulled.fetched_bytes),
    ))?;
    out.line(format!(
        "{} files differ from it; {} were linked again",
        report.files_scanned - report.files_unchanged + report.files_removed,
        report.files_linked
    ))
}

fn status(place: &Place, trust: &[String], common: &Common, out: &mut Out) -> Result<(), CliError> {
    let local = find_local_index(&project::home(common)?, &place.root);
    let found = companion::ask(common, &["share", "find"], &place.search(trust, None));
    if out.json {
        let here = local.as_ref().map(|local| {
            json!({"commit": local.commit, "distance": find_distance(place, local), "outdated": local.is_outdated})
        });
        let stored = found?;
        return out.value(&json!({
            "repository": place.repository, "versions": shared_versions(), "head": place.head(), "here": here,
            "stored": stored,
        }));
    }
    out.line(format!("repository  {}", place.repository))?;
    out.line(format!("versions    {}", shared_versions()))?;
    out.line(match &local {
        None => "here        no index".to_owned(),
        Some(local) if local.is_outdated => "here        an index of another version of m1nd".to_owned(),
        Some(local) => match find_distance(place, local) {
            Some(distance) => format!("here        {}", describe_distance(distance)),
            None => "here        an index of a commit that is not an ancestor".to_owned(),
        },
    })?;
    let found = Answer::read(&found?)?;
    out.line(format!(
        "store       commit {}, {}, {} in {} parts, signed by {} {}",
        shorten(&found.commit),
        describe_distance(found.distance),
        bytes(found.bytes),
        found.parts,
        found.key,
        found.key_name,
    ))
}

/// Opens the index of the repository and brings it up to date.
fn open_indexed(place: &Place, common: &Common, out: &Out) -> Result<(Engine, IngestReport), CliError> {
    let (mut config, _) = project::load_config(common, vec![place.root.clone()], true)?;
    config.verify_at_open = EngineConfig::VERIFIED_AT_OPEN;
    let engine = Engine::open(config)?;
    project::tell_damage(&engine);
    check_single(engine.federation().is_some())?;
    let terminal = Terminal::new(out.json || out.quiet);
    let done = engine.ingest(IngestRequest::code(&place.root), &Cancel::new(), &terminal);
    terminal.finish();
    Ok((engine, done?))
}

/// Refuses the index of a workspace.
fn check_single(is_workspace: bool) -> Result<(), CliError> {
    match is_workspace {
        false => Ok(()),
        true => Err(CliError::usage(
            "the index of a workspace cannot be shared",
            "share each of its repositories on its own: --root REPOSITORY",
        )),
    }
}

/// Refuses an index of anything but the checked-out commit: what nobody committed must not leave this machine.
fn check_clean(engine: &Engine, place: &Place) -> Result<(), CliError> {
    let snapshot = engine.snapshot();
    let cancel = Cancel::new();
    let next = "commit or remove them, or push from a fresh clone, as CI does";
    let found = work_tree_changes(&snapshot, &snapshot.history_briefly(&cancel), &cancel)
        .map_err(|why| CliError::fail(format!("the work tree cannot be compared with its commit: {why}"), next))?;
    if let Some(gap) = found.gaps.first() {
        return Err(CliError::fail(format!("the work tree cannot be compared with its commit: {gap}"), next));
    }
    if found.changed.is_empty() {
        return Ok(());
    }
    let named = found.changed.iter().take(EXAMPLES).map(String::as_str).collect::<Vec<_>>().join(", ");
    let commit = shorten(place.head());
    Err(CliError::fail(format!("{} files are not as in commit {commit}: {named}", found.changed.len()), next))
}

/// Place of the index here among the ancestors; `None` if it is of no use.
fn find_distance(place: &Place, local: &LocalIndex) -> Option<u64> {
    let commit = local.commit.as_ref().filter(|_| !local.is_outdated)?;
    place.commits.iter().position(|known| known == commit).map(|at| at as u64)
}

fn describe_distance(distance: u64) -> String {
    match distance {
        0 => "the checked-out one".to_owned(),
        1 => "1 commit before the checked-out one".to_owned(),
        _ => format!("{distance} commits before the checked-out one"),
    }
}

fn shorten(commit: &str) -> &str {
    commit.get(..SHORT).unwrap_or(commit)
}

/// A folder for files on their way, removed at the end.
struct TransferFolder {
    path: PathBuf,
}

impl TransferFolder {
    fn create(home: &Path) -> Result<Self, CliError> {
        let above = home.join(FOLDER);
        let path = above.join(format!("{TRANSFER}{}", std::process::id()));
        remove_left(&above);
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path).map_err(|error| {
            CliError::fail(format!("cannot create the folder {}: {error}", path.display()), "check the disk")
        })?;
        Ok(Self { path })
    }

    fn files(&self) -> SharedFiles {
        SharedFiles { snapshot: self.path.join("snapshot"), facts: self.path.join("facts") }
    }
}

impl Drop for TransferFolder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.path) {
            note(format!("cannot remove {}: {error}", self.path.display()));
        }
    }
}

/// Removes folders that a crash left.
fn remove_left(above: &Path) {
    for entry in std::fs::read_dir(above).into_iter().flatten().flatten() {
        let is_one = entry.file_name().to_string_lossy().starts_with(TRANSFER);
        let modified = entry.metadata().and_then(|meta| meta.modified());
        let is_old = modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > LEFT_AFTER));
        if is_one && is_old {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
