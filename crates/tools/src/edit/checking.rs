//! The commands of the project around a write.

use std::path::PathBuf;

use m1nd_base::{ContentHash, NodeKind, RepoPath};
use m1nd_edit::Plan;
use m1nd_engine::Snapshot;
use m1nd_query::covering::test_nodes_reaching;
use m1nd_run::{AllowError, Before, CheckReport, Prepared, Scope, Selection};

use crate::framework::{ToolError, WriteContext};

/// Why no command is run where none is allowed.
const NONE_ALLOWED: &str = "no command of this project is allowed; a person allows one: `m1nd verify allow -- COMMAND`";

/// The commands of the project, before a write.
pub(crate) enum Commands {
    /// None is run, for this reason.
    None(String),
    /// They are known, with their results before the write.
    Ready(Prepared, Before),
}

/// Runs the allowed commands before a write, so that old failures are known.
///
/// # Errors
/// Cancellation. Settings that cannot be used are a reason not to run.
pub(crate) fn before(cx: &WriteContext<'_>, snapshot: &Snapshot, plans: &[Plan]) -> Result<Commands, ToolError> {
    let scope = scope(snapshot);
    let prepared = match cx.checks().prepare(&scope, selection(snapshot, plans)) {
        Ok(Some(prepared)) => prepared,
        Ok(None) => return Ok(Commands::None(NONE_ALLOWED.to_owned())),
        Err(error) => return Ok(Commands::None(unusable(&error))),
    };
    let before = prepared.before(content(snapshot), cx.cancel(), cx.progress())?;
    Ok(Commands::Ready(prepared, before))
}

/// Runs them on the written files. The error is the reason why none is run.
pub(crate) fn after(cx: &WriteContext<'_>, commands: &Commands, after: &Snapshot) -> Result<Vec<CheckReport>, String> {
    match commands {
        Commands::None(why) => Err(why.clone()),
        Commands::Ready(prepared, before) => {
            Ok(prepared.after(before, Some(content(after)), cx.cancel(), cx.progress()))
        }
    }
}

fn unusable(error: &AllowError) -> String {
    format!("the settings of verification cannot be used: {error}")
}

fn scope(snapshot: &Snapshot) -> Scope {
    crate::services::permission_scope(snapshot.roots().iter().map(|root| root.path.clone()).collect())
}

/// Identifies the indexed files and the commit below them.
fn content(snapshot: &Snapshot) -> ContentHash {
    let mut all = String::new();
    for head in snapshot.heads_now() {
        all += &head.unwrap_or_default();
        all.push('\n');
    }
    for file in snapshot.files().iter() {
        all += &format!("{}\0{}\n", file.path, file.hash);
    }
    ContentHash::of(all.as_bytes())
}

/// The changed files, and the tests that reach them in the graph before the write. A new test file counts as well.
fn selection(snapshot: &Snapshot, plans: &[Plan]) -> Selection {
    let graph = snapshot.graph();
    let mut selection = Selection::default();
    let absolute = |path: &RepoPath| -> Option<PathBuf> {
        let (root, inner) = snapshot.locate(path)?;
        Some(root.path().join(inner.as_str()))
    };
    let mut starts = Vec::new();
    for edit in plans.iter().flat_map(Plan::changes) {
        selection.files.extend(absolute(edit.path()));
        match graph.find_file(edit.path().as_str()) {
            Some(file) => starts.extend(graph.of_file(file)),
            None if m1nd_query::edits::is_test_path(edit.path()) => selection.tests.extend(absolute(edit.path())),
            None => {}
        }
    }
    for test in test_nodes_reaching(graph, &starts) {
        let path = RepoPath::new(graph.path(test)).ok().and_then(|path| absolute(&path));
        if let Some(path) = path.filter(|path| !selection.tests.contains(path)) {
            selection.tests.push(path);
        }
        if graph.kind(test) != NodeKind::File {
            selection.names.push(graph.label(test).to_owned());
        }
    }
    selection
}
