//! What a write did to the structure of the code, as a short part of its answer.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, count, node_id};
use m1nd_edit::Plan;
use m1nd_engine::Snapshot;
use m1nd_query::edits::{
    Break, BreakKind, CopyOf, Delta, EditedFile, LayerBreak, Likeness, MoveKind, MovedSymbol, ReachingTests, SymbolAt,
    delta,
};
use serde::Serialize;

/// Maximum bytes of the part.
const MAX_BYTES: usize = 1_500;
/// Bytes of it that are kept for the counts of rows that are left out.
const MORE_BYTES: usize = 220;
/// Maximum bytes of a row.
const MAX_ROW: usize = 200;
/// Rows that each list gets before any gets more.
const FIRST_ROWS: usize = 3;

/// What is known of a write that the index has.
pub(crate) enum WriteDelta {
    /// It was compared with the state before.
    Known(Box<Delta>),
    /// It was not, for this reason.
    Unknown(&'static str),
}

/// Compares the snapshots around some written plans. The files are written: a call that is cancelled only leaves it
/// unsaid what they did.
pub(crate) fn compare_written(
    (before, after): (&Snapshot, &Snapshot),
    plans: &[Plan],
    not_indexed: Option<&'static str>,
    cancel: &Cancel,
) -> WriteDelta {
    if let Some(why) = not_indexed {
        return WriteDelta::Unknown(why);
    }
    let edit = |edit| -> EditedFile<'_> {
        let edit: &m1nd_edit::PlannedEdit = edit;
        EditedFile { path: edit.path(), before: edit.before_text(), after: edit.after_text() }
    };
    let edited: Vec<EditedFile<'_>> = plans.iter().flat_map(Plan::changes).map(edit).collect();
    match delta(before, after, &edited, cancel) {
        Ok(found) => WriteDelta::Known(Box::new(found)),
        Err(_) => WriteDelta::Unknown("the call was cancelled after the write"),
    }
}

impl WriteDelta {
    /// The comparison, if there is one.
    pub(crate) fn comparison(&self) -> Option<&Delta> {
        match self {
            Self::Known(delta) => Some(delta),
            Self::Unknown(_) => None,
        }
    }

    /// Ids of the touched symbols, before and after.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.comparison().into_iter().flat_map(|delta| delta.symbols.ids()).map(str::to_owned).collect()
    }

    /// Ids of the touched symbols that are there afterwards.
    pub(crate) fn list_updated(&self) -> Vec<String> {
        self.comparison().into_iter().flat_map(|delta| delta.symbols.ids_after()).map(str::to_owned).collect()
    }

    /// Whether something is certainly broken.
    pub(crate) fn is_broken(&self) -> bool {
        self.comparison().is_some_and(|delta| delta.check.total_broken > 0)
    }

    /// The part of the answer. What a report of verification lists beside it is only counted.
    pub(crate) fn row(&self, is_verified: bool) -> DeltaRow {
        match self {
            Self::Known(delta) => DeltaRow::of(delta, is_verified),
            Self::Unknown(why) => DeltaRow { summary: format!("not compared: {why}"), ..DeltaRow::default() },
        }
    }
}

/// What a write did, in at most [`MAX_BYTES`] bytes.
#[derive(Debug, Default, Serialize)]
pub(crate) struct DeltaRow {
    /// Counts, in a sentence.
    summary: String,
    #[serde(flatten)]
    lists: BTreeMap<&'static str, Vec<String>>,
    /// Rows that are left out of each list.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    more: BTreeMap<&'static str, usize>,
}

impl DeltaRow {
    fn of(delta: &Delta, is_verified: bool) -> Self {
        let lists = list_rows(delta, is_verified);
        let mut row = Self { summary: summarise(delta), ..Self::default() };
        let mut left = MAX_BYTES.saturating_sub(row.summary.len() + MORE_BYTES);
        // Each list its first rows, then the rest, in this order, as long as there is room.
        for (from, to) in [(0, FIRST_ROWS), (FIRST_ROWS, usize::MAX)] {
            for (name, rows, _) in &lists {
                for text in rows.iter().take(to).skip(from) {
                    let known = row.lists.get(name).map_or(0, Vec::len);
                    let cost = text.len() + 4 + if known == 0 { name.len() + 7 } else { 0 };
                    if known >= from && cost <= left {
                        left -= cost;
                        row.lists.entry(name).or_default().push(text.clone());
                    }
                }
            }
        }
        for (name, _, total) in lists {
            let hidden = total - row.lists.get(name).map_or(0, Vec::len);
            if hidden > 0 {
                row.more.insert(name, hidden);
            }
        }
        row
    }
}

/// The lists in the order of their weight, each with its rows and their number, which may be greater.
fn list_rows(delta: &Delta, is_verified: bool) -> Vec<(&'static str, Vec<String>, usize)> {
    let Delta { symbols, check, copies, tests } = delta;
    let mut lists: Vec<(&'static str, Vec<String>, usize)> = Vec::new();
    let mut add = |name, rows: Vec<String>, total: usize| {
        let total = total.max(rows.len());
        lists.push((name, rows.into_iter().map(cut).collect(), total));
    };
    if !is_verified {
        let of = |kinds: &[BreakKind]| -> Vec<String> {
            check.broken.iter().filter(|found| kinds.contains(&found.kind)).map(break_row).collect()
        };
        add("dangling", of(&[BreakKind::LostReference, BreakKind::DanglingImport]), 0);
        add("arguments", of(&[BreakKind::ArgumentCount, BreakKind::ArgumentName]), 0);
        add("types", of(&[BreakKind::LostOverride, BreakKind::MisplacedType]), 0);
        add("cycles", check.cycles.iter().map(|cycle| cycle.join(" → ")).collect(), 0);
        add("layers", check.layers.iter().map(layer_row).collect(), check.total_layers);
        add("may_break", check.doubtful.iter().map(break_row).collect(), check.total_doubtful);
    }
    add("copies", copies.iter().map(copy_row).collect(), 0);
    let moved = |kind: MoveKind| symbols.moved.iter().filter(|moved| moved.kind == kind).map(move_row).collect();
    add("renamed", moved(MoveKind::Renamed), 0);
    add("moved", moved(MoveKind::Moved), 0);
    let plain = |symbols: &[SymbolAt]| symbols.iter().map(|symbol| place_row(&symbol.id, symbol.line)).collect();
    add("removed", plain(&symbols.removed), 0);
    add("added", plain(&symbols.added), 0);
    add("changed", plain(&symbols.changed), 0);
    add("tests", tests.iter().map(test_row).collect(), 0);
    lists
}

/// The counts that are not 0.
fn summarise(delta: &Delta) -> String {
    let Delta { symbols, check, copies, tests } = delta;
    let of = |kind: MoveKind| symbols.moved.iter().filter(|moved| moved.kind == kind).count();
    let counts = [
        (symbols.added.len(), "added"),
        (symbols.removed.len(), "removed"),
        (of(MoveKind::Renamed), "renamed"),
        (of(MoveKind::Moved), "moved"),
        (symbols.changed.len(), "changed"),
    ];
    let join = |rows: &[(usize, &str)]| {
        let some: Vec<String> = rows.iter().filter(|row| row.0 > 0).map(|row| format!("{} {}", row.0, row.1)).collect();
        some.join(", ")
    };
    let mut parts = vec![match join(&counts) {
        none if none.is_empty() => "no symbol touched".to_owned(),
        some => format!("symbols: {some}"),
    }];
    parts.push(match check.total_broken {
        0 => "nothing certainly broken".to_owned(),
        broken => format!("{} certainly broken", count(broken, "place")),
    });
    let sites = check.sites;
    let calls = join(&[(sites.fit, "fit"), (sites.misfit, "do not fit"), (sites.unknown, "may or may not fit")]);
    if !calls.is_empty() {
        parts.push(format!("calls of changed signatures: {calls}"));
    }
    let rest = join(&[
        (check.total_doubtful, "may be broken"),
        (check.cycles.len(), "new import cycle(s)"),
        (check.total_layers, "against the layers"),
        (copies.len(), "copies of other functions"),
    ]);
    if !rest.is_empty() {
        parts.push(rest);
    }
    if symbols.total() > 0 {
        parts.push(match tests.len() {
            0 => "no test is known to reach it".to_owned(),
            1 => "1 test file reaches it".to_owned(),
            files => format!("{files} test files reach it"),
        });
    }
    parts.join("; ")
}

/// The names in the id of a symbol, without its file: `Pool.get`.
fn name_of(id: &str) -> String {
    let path = node_id::path_of(id).unwrap_or_default();
    let parts: Vec<&str> = node_id::behind_path(id, path).unwrap_or(id).split("::").collect();
    let names: Vec<&str> = parts.chunks(2).skip(1).map(|pair| pair[0]).collect();
    if names.is_empty() {
        node_id::last_name(id).to_owned()
    } else {
        node_id::without_hash(&names.join(".")).to_owned()
    }
}

fn place_row(id: &str, line: u32) -> String {
    format!("{}:{line} {}", node_id::path_of(id).unwrap_or_default(), name_of(id))
}

fn break_row(found: &Break) -> String {
    format!("{}:{} {}", found.file, found.line, found.detail)
}

fn layer_row(found: &LayerBreak) -> String {
    format!("{}:{} ({}) uses {} ({})", found.file, found.line, found.layer, found.to, found.to_layer)
}

fn copy_row(found: &CopyOf) -> String {
    let how = if found.likeness == Likeness::Copy { "copies" } else { "copies, but for names and literals," };
    format!("{} {how} {}", place_row(&found.id, found.line), place_row(&found.of, found.of_line))
}

fn move_row(moved: &MovedSymbol) -> String {
    let (from, to) = (node_id::path_of(&moved.from), node_id::path_of(&moved.to));
    let was = match from == to {
        true => name_of(&moved.from),
        false => format!("{} {}", from.unwrap_or_default(), name_of(&moved.from)),
    };
    format!("{was} → {}", place_row(&moved.to, moved.line))
}

fn test_row(row: &ReachingTests) -> String {
    if row.tests == 0 { row.file.clone() } else { format!("{} ({})", row.file, row.tests) }
}

fn cut(mut row: String) -> String {
    if row.len() > MAX_ROW {
        row.truncate(row.floor_char_boundary(MAX_ROW - '…'.len_utf8()));
        row.push('…');
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_ids() {
        let rows = [
            ("file::a.py::class::Pool::fn::get", "Pool.get"),
            ("file::a/b.rs::fn::load", "load"),
            ("file::a.py", "a.py"),
        ];
        for (id, name) in rows {
            assert_eq!(name_of(id), name, "{id}");
        }
    }

    #[test]
    fn the_part_has_a_limit_and_every_list_a_row() {
        let mut delta = Delta::default();
        let symbol = |n: u32| SymbolAt { id: format!("file::src/deep/folder/name.py::fn::function_{n}"), line: n };
        delta.symbols.added = (0..400).map(symbol).collect();
        delta.tests = (0..90).map(|n| ReachingTests { file: format!("tests/test_{n}.py"), tests: 3 }).collect();
        let lost = |n: u32| Break {
            file: "src/a.py".to_owned(),
            line: n,
            kind: BreakKind::LostReference,
            from: String::new(),
            to: String::new(),
            detail: "x".repeat(400),
        };
        delta.check.broken = (0..200).map(lost).collect();
        delta.check.total_broken = 200;
        let row = DeltaRow::of(&delta, false);
        let text = serde_json::to_string(&row).expect("JSON");
        assert!(text.len() <= MAX_BYTES && text.len() > MAX_BYTES / 2, "{} {text}", text.len());
        let shown = |name: &str| row.lists.get(name).map_or(0, Vec::len);
        assert!(shown("dangling") >= 3 && shown("added") >= 3 && shown("tests") >= 3, "{text}");
        assert_eq!(row.more["added"] + shown("added"), 400);
        assert!(!DeltaRow::of(&delta, true).lists.contains_key("dangling"));
    }
}
