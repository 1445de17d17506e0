use m1nd_graph::NodeIx;

use m1nd_engine::FileEntry;
use m1nd_engine::Snapshot;

/// Order of found files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GlobOrder {
    /// By path.
    #[default]
    Path,
    /// By importance in the graph, most important first.
    Importance,
}

/// A question for files.
#[derive(Debug, Clone, Default)]
pub struct GlobQuery {
    /// Glob over whole paths; without a slash over file names.
    pub pattern: String,
    /// Folder or file it is limited to, as [`Snapshot::scope`] gives it.
    pub scope: String,
    /// Order of the rows.
    pub order: GlobOrder,
}

/// A file that was found.
#[derive(Debug, Clone, Copy)]
pub struct GlobRow<'s> {
    /// Its index entry.
    pub file: &'s FileEntry,
    /// Its node.
    pub node: Option<NodeIx>,
}

/// The complete result, in order.
#[derive(Debug, Clone)]
pub struct GlobAnswer<'s> {
    /// Files in order.
    pub rows: Vec<GlobRow<'s>>,
    /// Number of files examined.
    pub scanned: usize,
}

/// Compiles a glob over paths: `*` matches within one component, `**` across several; a pattern without a slash
/// matches file names.
///
/// # Errors
/// A description of the invalid pattern.
pub(crate) fn compile(pattern: &str) -> Result<globset::GlobMatcher, String> {
    let pattern = pattern.trim().trim_start_matches("./");
    if pattern.is_empty() {
        return Err("the pattern is empty; expected a glob such as `src/**/*.py`".to_owned());
    }
    let anywhere = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
    let glob = globset::GlobBuilder::new(&anywhere).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
}

/// Returns indexed files whose path matches a glob.
///
/// # Errors
/// A description of the invalid pattern.
pub fn glob<'s>(snapshot: &'s Snapshot, query: &GlobQuery) -> Result<GlobAnswer<'s>, String> {
    let matcher = compile(&query.pattern)?;
    let mut scanned = 0;
    let inside = snapshot.files().within(&query.scope).inspect(|_| scanned += 1);
    let matching = inside.filter(|file| matcher.is_match(file.path.as_str()));
    let mut rows: Vec<GlobRow<'_>> =
        matching.map(|file| GlobRow { file, node: snapshot.graph().find_file(file.path.as_str()) }).collect();
    if query.order == GlobOrder::Importance {
        let rank = |row: &GlobRow<'_>| row.node.map_or(0.0, |node| snapshot.graph().pagerank(node));
        rows.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
    }
    Ok(GlobAnswer { rows, scanned })
}
