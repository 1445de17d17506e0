//! Rows of places that use a node, in answers of several tools.

use std::collections::HashMap;

use m1nd_base::{EdgeTier, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_query::references::Occurrence;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::rows::NodeRow;
use crate::source::clip;

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
    role: &'static str,
    tier: &'static str,
    /// Number of targets that the reference may have, if not one.
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<u16>,
    /// The code names a method that the node overrides.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    by_dispatch: bool,
    /// Source of the edge, unless it is our linker.
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<&'static str>,
    /// The file changed since it was indexed, so the place may be off.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stale: bool,
}

/// The rows of some places, with their lines as they are on disk now.
pub(crate) fn site_rows(snapshot: &Snapshot, places: &[Occurrence]) -> Vec<SiteRow> {
    let mut texts: HashMap<&str, (Vec<String>, bool)> = HashMap::new();
    let graph = snapshot.graph();
    let row = |place: &Occurrence| {
        let path = graph.path(place.from);
        let (lines, stale) = texts.entry(path).or_insert_with(|| lines_of(snapshot, path));
        let at = (place.pos.line as usize).checked_sub(1);
        SiteRow {
            node: NodeRow::new(snapshot, place.from),
            line_number: Some(place.pos.line).filter(|line| *line > 0),
            column: Some(place.pos.col).filter(|column| *column > 0),
            line_content: at.and_then(|at| lines.get(at)).map(|line| clip(line)).unwrap_or_default(),
            role: place.role.word(),
            tier: place.tier.word(),
            candidates: Some(place.of).filter(|of| *of > 1),
            by_dispatch: place.dispatch,
            provenance: place.compiler.then_some(m1nd_query::export::COMPILER),
            stale: *stale,
        }
    };
    places.iter().map(row).collect()
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
