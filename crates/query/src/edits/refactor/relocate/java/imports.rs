//! The imports of a Java file, and a text that has more of them.

use std::collections::BTreeSet;
use std::ops::Range;

use m1nd_base::Cancel;
use m1nd_engine::{Language, Snapshot};
use m1nd_lang::{FileItem, ItemKind, file_items};

/// An import of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Import {
    /// What is written behind `import`, without `.*`.
    pub(in super::super) path: String,
    pub(in super::super) is_static: bool,
    pub(in super::super) is_wildcard: bool,
    /// The bytes of the path.
    pub(in super::super) bytes: Range<usize>,
    pub(in super::super) lines: Range<usize>,
}

impl Import {
    /// The name that it brings.
    pub(in super::super) fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or(&self.path)
    }

    /// As it would be written.
    pub(in super::super) fn row(&self) -> Row {
        let end = if self.is_wildcard { ".*" } else { "" };
        Row { is_static: self.is_static, path: format!("{}{end}", self.path) }
    }
}

/// An import to add.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Row {
    pub(in super::super) is_static: bool,
    pub(in super::super) path: String,
}

impl Row {
    pub(in super::super) fn of(path: String) -> Self {
        Self { is_static: false, path }
    }

    fn text(&self) -> String {
        let word = if self.is_static { "static " } else { "" };
        format!("import {word}{};\n", self.path)
    }
}

pub(in super::super) fn list_imports(text: &str, items: &[FileItem]) -> Vec<Import> {
    let imports = items.iter().filter(|item| item.kind == ItemKind::Import);
    imports.filter_map(|item| read_import(text, item)).collect()
}

fn read_import(text: &str, item: &FileItem) -> Option<Import> {
    let written = &text[item.bytes.clone()];
    let rest = written.strip_prefix("import")?.trim_start();
    let (is_static, rest) = match rest.strip_prefix("static ") {
        Some(rest) => (true, rest.trim_start()),
        None => (false, rest),
    };
    let start = item.bytes.start + (written.len() - rest.len());
    let path = rest.split(';').next()?.trim();
    let (path, is_wildcard) = match path.strip_suffix(".*") {
        Some(path) => (path, true),
        None => (path, false),
    };
    let bytes = start..start + path.len();
    Some(Import { path: path.to_owned(), is_static, is_wildcard, bytes, lines: item.lines.clone() })
}

/// A text with imports added where the order of those that are there puts them.
pub(in super::super) fn add_imports(
    snapshot: &Snapshot,
    text: &str,
    rows: &BTreeSet<Row>,
    cancel: &Cancel,
) -> Option<String> {
    let mut text = text.to_owned();
    for row in rows {
        let items = file_items(Language::Java, &text, snapshot.limits(), cancel)?;
        let imports = list_imports(&text, &items);
        if imports.iter().any(|import| import.row() == *row) {
            continue;
        }
        let same: Vec<&Import> = imports.iter().filter(|import| import.is_static == row.is_static).collect();
        // Beside those that begin the same way.
        let first = |path: &str| path.split('.').next().unwrap_or(path).to_owned();
        let near: Vec<&&Import> = same.iter().filter(|import| first(&import.path) == first(&row.path)).collect();
        let group: Vec<&&Import> = if near.is_empty() { same.iter().collect() } else { near };
        let behind = group.iter().find(|import| import.row().path > row.path);
        let (at, with) = match (behind, group.last(), imports.last()) {
            (Some(import), ..) => (import.lines.start, row.text()),
            (None, Some(import), _) => (import.lines.end, row.text()),
            (None, None, Some(import)) if row.is_static => (import.lines.end, format!("\n{}", row.text())),
            (None, None, Some(_)) => (imports[0].lines.start, format!("{}\n", row.text())),
            (None, None, None) => {
                let package = items.iter().find(|item| item.kind == ItemKind::Package);
                match package {
                    Some(item) => (item.lines.end, format!("\n{}", row.text())),
                    None => (0, format!("{}\n", row.text())),
                }
            }
        };
        text.insert_str(at, &with);
    }
    Some(text)
}
