//! Finds indexed files by path pattern.

use m1nd_base::node_id;
use m1nd_query::retrieval::glob;
use m1nd_query::retrieval::{GlobOrder, GlobQuery};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Command, ErrorCode, Guidance, Mention, ProofState, Purpose, ReadContext, ReadTool, Route, Stage, Tool,
    ToolError, ToolRef, Toolset, number, rows_schema,
};
use crate::rows::{self, count};

/// Default number of files.
const DEFAULT_ROWS: usize = 200;
/// Maximum files of one page.
const MAX_ROWS: usize = 10_000;

#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sort {
    #[default]
    Path,
    Activation,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// `src/**/*.py`; without `/`: file names
    pattern: String,
    /// Folder
    scope: Option<String>,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
    /// activation: most important first
    #[serde(default)]
    sort: Sort,
}

#[derive(Debug, Serialize)]
pub(crate) struct FileRow {
    node_id: String,
    label: String,
    file_path: String,
    extension: String,
    language: m1nd_engine::Language,
    line_count: u32,
    line_start: u32,
    line_end: u32,
    size_bytes: u64,
    has_connections: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_test: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    pattern: String,
    files: Vec<FileRow>,
    total_matches: usize,
    files_scanned: usize,
    scope_applied: Option<String>,
}

pub(crate) struct Glob;

impl Tool for Glob {
    const NAME: &'static str = "glob";
    const TOOLSET: Toolset = Toolset::Core;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "Find indexed files by path pattern";
    const ANSWERS: &'static str = "which files match a pattern, by path or by importance";
    const HELP: &'static str = "\
Lists indexed files whose path matches a glob. `*` matches within one folder, `**` across folders; `{a,b}` and `[a-z]`
are supported. A pattern without a slash matches file names in any folder.

`sort` is `path` (default) or `activation`: files that most code depends on first. The whole list is sorted before it
is cut into pages; `total_matches` counts all of it. Ignored files, and by default hidden ones, are not indexed and so
not listed.";
    const NEEDS_FRESH: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "pattern": "*.py"}"#;
    const STAGES: &'static [Route] = &[
        (Stage::Orient, 20, "the most depended-on files: `sort` \"activation\""),
        (Stage::Find, 30, "by path pattern"),
    ];
    const MENTIONS: &'static [Mention] = &[(Purpose::Find, 30, "(paths)")];
    const PAGED: bool = true;
    const COMMAND: Option<Command> = Some(Command::new("glob", &["pattern"]));
    const TEXT_OMITS: &'static [&'static str] = &["extension", "has_connections", "files_scanned", "total_matches"];
    const DETAILS: &'static [&'static str] =
        &["files.extension", "files.language", "files.size_bytes", "files.has_connections", "files_scanned"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("files": "node_id", "file_path", "line_count");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Glob {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let scope = rows::scope(snapshot, input.scope.as_deref())?;
        let order = match input.sort {
            Sort::Path => GlobOrder::Path,
            Sort::Activation => GlobOrder::Importance,
        };
        let query = GlobQuery { pattern: input.pattern.clone(), scope: scope.clone(), order };
        let found = glob(snapshot, &query).map_err(|why| {
            ToolError::new(ErrorCode::InvalidPattern, format!("argument `pattern`: invalid glob: {why}"))
                .next_step("pass a glob such as `src/**/*.py`")
        })?;
        let page = cx.page(input.top_k);
        let total = found.rows.len();
        let graph = snapshot.graph();
        let files = page.cut(found.rows).into_iter().map(|row| FileRow {
            node_id: row.node.map_or_else(|| node_id::file(&row.file.path), |node| graph.id(node).to_owned()),
            label: row.file.path.file_name().to_owned(),
            file_path: row.file.path.to_string(),
            extension: row.file.path.extension().unwrap_or_default().to_owned(),
            language: row.file.language,
            line_count: row.file.lines,
            line_start: 1,
            line_end: row.file.lines.max(1),
            size_bytes: row.file.size,
            has_connections: row
                .node
                .is_some_and(|node| graph.out_edges(node).next().is_some() || graph.in_edges(node).next().is_some()),
            is_test: row.file.is_test,
        });
        let files: Vec<FileRow> = files.collect();
        let guidance = guidance(&files, total, &input.pattern, &scope);
        let scope_applied = Some(scope).filter(|scope| !scope.is_empty());
        let output =
            Output { pattern: input.pattern, files, total_matches: total, files_scanned: found.scanned, scope_applied };
        Ok(Answer::new(output).rows("files", total).guidance(guidance))
    }
}

fn guidance(files: &[FileRow], total: usize, pattern: &str, scope: &str) -> Guidance {
    match files.first() {
        Some(first) => Guidance::next(
            ProofState::Triaging,
            ToolRef("view"),
            Some(first.file_path.clone()),
            format!("{} match; open the one that fits", count(total, "file")),
        ),
        None if !scope.is_empty() => Guidance::next(
            ProofState::Blocked,
            ToolRef("glob"),
            Some(pattern.to_owned()),
            format!("no file below `{scope}` matches; repeat without `scope`"),
        ),
        None => Guidance::next(
            ProofState::Blocked,
            ToolRef("search"),
            Some(pattern.trim_matches(['*', '/', '.']).to_owned()),
            "no indexed file matches; search the contents, or check in `health` whether the file was skipped",
        ),
    }
}
