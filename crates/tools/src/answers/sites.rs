//! Rows of places that use a node, in answers of several tools.

use std::collections::{HashMap, HashSet};

use m1nd_base::{EdgeTier, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::{EdgeRef, NodeIx};
use m1nd_query::references::{Occurrence, Role};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::framework::{is_zero, qualify_name};
use crate::rows::NodeRow;
use crate::source::clip;
use crate::word::{Provenance, Word};

/// Other targets of a possible row that are named.
const MAX_ALTERNATIVES: usize = 2;

/// A place that uses a node, with the symbol around it.
#[derive(Debug, Serialize)]
pub(crate) struct SiteRow {
    /// Innermost symbol around the place, or the file if there is none.
    #[serde(flatten)]
    node: NodeRow,
    /// 1-based; left out if only the symbol is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    line_number: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u16>,
    #[serde(skip_serializing_if = "String::is_empty")]
    line_content: String,
    role: Word<Role>,
    tier: Word<EdgeTier>,
    /// Number of targets that the reference may have, if not one.
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<u16>,
    /// The code names a method that the node overrides.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    by_dispatch: bool,
    /// The method that the code names, if it is not the one asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    names: Option<String>,
    /// The override that a call names, in a list of calls of overrides.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// Some other targets of a possible row.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    or: Vec<String>,
    /// The file is test code.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    in_test: bool,
    /// Source of the edge, unless it is our linker.
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<Word<Provenance>>,
    /// The file changed since it was indexed, so the place may be off.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

/// Figures of all places of an answer, all pages.
#[derive(Debug, Serialize)]
pub(crate) struct Totals {
    total_files: usize,
    #[serde(skip_serializing_if = "is_zero")]
    total_in_tests: usize,
    #[serde(skip_serializing_if = "is_zero")]
    total_possible: usize,
}

impl Totals {
    pub(crate) fn count(snapshot: &Snapshot, places: &[Occurrence]) -> Self {
        let files: HashSet<&str> = places.iter().map(|place| snapshot.graph().path(place.from)).collect();
        let number = |is: fn(&Occurrence) -> bool| places.iter().filter(|place| is(place)).count();
        Self {
            total_files: files.len(),
            total_in_tests: number(|place| place.in_test),
            total_possible: number(|place| place.tier == EdgeTier::Possible),
        }
    }
}

/// The rows of some places, with their lines as they are on disk now.
pub(crate) fn site_rows(snapshot: &Snapshot, places: &[Occurrence]) -> Vec<SiteRow> {
    let mut lines = LineReader::new(snapshot);
    let graph = snapshot.graph();
    let row = |place: &Occurrence| {
        let (line_content, stale) = lines.read(graph.path(place.from), place.pos.line);
        SiteRow {
            node: NodeRow::new(snapshot, place.from),
            line_number: Some(place.pos.line).filter(|line| *line > 0),
            column: Some(place.pos.col).filter(|column| *column > 0),
            line_content,
            role: Word(place.role),
            tier: Word(place.tier),
            candidates: Some(place.of).filter(|of| *of > 1),
            by_dispatch: place.dispatch,
            names: place.dispatch.then(|| name_of(snapshot, place.named)),
            target: None,
            or: list_alternatives(snapshot, place),
            in_test: place.in_test,
            provenance: Provenance::of(place.compiler),
            stale,
        }
    };
    places.iter().map(row).collect()
}

/// The rows of calls that name overrides, each with the override.
pub(crate) fn override_rows(snapshot: &Snapshot, places: &[Occurrence]) -> Vec<SiteRow> {
    let rows = site_rows(snapshot, places).into_iter().zip(places);
    rows.map(|(row, place)| SiteRow { target: Some(name_of(snapshot, place.named)), or: Vec::new(), ..row }).collect()
}

/// The name of a node with its owners: `Pool.acquire`.
pub(crate) fn name_of(snapshot: &Snapshot, node: NodeIx) -> String {
    let graph = snapshot.graph();
    // A definition outside of its class has its name where it is declared.
    let declared = graph.declarations(node).first().copied().filter(|&place| graph.parent(place) != graph.file(place));
    qualify_name(graph.id(declared.unwrap_or(node))).unwrap_or_else(|| graph.label(node).to_owned())
}

/// Some of the other targets that a reference with several may have.
fn list_alternatives(snapshot: &Snapshot, place: &Occurrence) -> Vec<String> {
    if place.of <= 1 || place.dispatch || place.pos.line == 0 {
        return Vec::new();
    }
    let graph = snapshot.graph();
    let is_other = |edge: &EdgeRef<'_>| {
        edge.to != place.to && edge.of == place.of && edge.sites.iter().any(|pos| pos == place.pos)
    };
    let mut names: Vec<String> =
        graph.out_edges(place.from).filter(is_other).map(|edge| name_of(snapshot, edge.to)).collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(MAX_ALTERNATIVES);
    names
}

/// The lines of places by file, each read once.
pub(crate) struct LineReader<'s> {
    snapshot: &'s Snapshot,
    files: HashMap<String, (Vec<String>, bool)>,
}

impl<'s> LineReader<'s> {
    pub(crate) fn new(snapshot: &'s Snapshot) -> Self {
        Self { snapshot, files: HashMap::new() }
    }

    /// A line as a row shows it, and whether its file changed since it was indexed.
    pub(crate) fn read(&mut self, path: &str, line: u32) -> (String, bool) {
        let snapshot = self.snapshot;
        let (lines, stale) = self.files.entry(path.to_owned()).or_insert_with(|| lines_of(snapshot, path));
        let text = (line as usize).checked_sub(1).and_then(|at| lines.get(at));
        (text.map(|line| clip(line)).unwrap_or_default(), *stale)
    }
}

/// The lines of a file that may be shown, and whether it changed since it was indexed.
fn lines_of(snapshot: &Snapshot, path: &str) -> (Vec<String>, bool) {
    let path = RepoPath::new(path).ok().filter(|path| snapshot.check_withheld(path).is_none());
    let source = path.and_then(|path| snapshot.read_file(&path).ok()).filter(|source| !source.binary);
    source.map_or((Vec::new(), false), |source| (source.text.lines().map(str::to_owned).collect(), source.stale))
}

/// `src/a.py:21:8: the line  (call in Pool.acquire)`, as programs that search print it.
pub(crate) fn row_text(row: &Map<String, Value>, _: &Map<String, Value>) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str| row.get(name).and_then(Value::as_u64);
    let part = |name: &str| number(name).map(|number| format!(":{number}")).unwrap_or_default();
    let place = format!("{}{}{}", text("file_path"), part("line_number"), part("column"));
    let around = if text("type") == "file" { String::new() } else { format!(" in {}", text("label")) };
    let tier = match (text("tier"), number("candidates")) {
        (tier, _) if tier == EdgeTier::Certain.word() => String::new(),
        (tier, Some(all)) => format!(", {tier}: 1 of {all}"),
        (tier, None) => format!(", {tier}"),
    };
    let stale = if row.contains_key("stale") { "  stale" } else { "" };
    format!("{place}: {}  ({}{around}{tier}){stale}", text("line_content").trim(), text("role"))
}
