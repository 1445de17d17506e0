//! Places that write the old name, may mean the renamed symbol, and stay as they are.

use std::collections::BTreeSet;

use m1nd_lang::NameForm;

use super::spelled::Spelled;
use super::{CannotRename, Comment, Renaming, read};
use crate::closure::{self, Hiding, Rows, reasons};
use m1nd_graph::NodeIx;

/// A place that writes the old name and is left.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Left {
    /// Its file.
    pub file: String,
    /// Its line, 0 for the whole file.
    pub line: u32,
    /// The reason of the guard (`unexplained_text`, …).
    pub reason: String,
    /// The line.
    pub text: String,
}

impl Renaming<'_> {
    /// The places that are neither changed nor explained.
    pub(super) fn list_left(&mut self) -> Result<Vec<Left>, CannotRename> {
        let graph = self.snapshot.graph();
        let mut rows: Vec<Hiding> = Vec::new();
        for &definition in &self.definitions {
            rows.extend(closure::hiding(self.snapshot, definition, Rows::Names));
        }
        rows.retain(|row| row.reason != reasons::CALLED_FROM_OUTSIDE);
        let own: BTreeSet<&str> = self.definitions.iter().map(|node| graph.id(*node)).collect();
        let mut left: BTreeSet<Left> = BTreeSet::new();
        let mut searched: BTreeSet<String> = BTreeSet::new();
        for row in rows {
            self.cancel.check()?;
            let is_indexed = row.line > 0 && graph.find_file(&row.file).is_some();
            let file = match is_indexed {
                true => read(self.snapshot, &row.file, self.names.old, &mut self.files, self.cancel).ok(),
                false => None,
            };
            let add = |line: u32, text: &str| Left {
                file: row.file.clone(),
                line,
                reason: row.reason.clone(),
                text: text.to_owned(),
            };
            let Some(file) = file else {
                left.insert(add(row.line, ""));
                continue;
            };
            if !is_settled(file, row.line, self.names.old, (&self.aliases, &own)) {
                left.insert(add(row.line, file.line(row.line)));
            }
            // The guard knows the first places of a file alone.
            if row.reason == reasons::UNEXPLAINED_TEXT && searched.insert(row.file.clone()) {
                let names = self.names;
                let others = file.places.iter().filter(|place| file.is_whole(place, names) && !file.is_edited(place.start));
                let lines: Vec<u32> = others.map(|place| file.position(place.start).line).collect();
                left.extend(lines.into_iter().map(|line| add(line, file.line(line))));
            }
        }
        for (path, line) in &self.keys {
            let text = self.files.get(path).map_or("", |file| file.line(*line)).to_owned();
            left.insert(Left { file: path.clone(), line: *line, reason: reasons::UNEXPLAINED_TEXT.to_owned(), text });
        }
        Ok(left.into_iter().collect())
    }

    /// The refusal for what would be left.
    pub(super) fn refuse(&self, node: NodeIx, left: &[Left]) -> CannotRename {
        let graph = self.snapshot.graph();
        let possible = self.possible.iter().map(|row| (graph.path(row.from).to_owned(), row.pos.line));
        let hiding: Vec<(String, u32)> =
            left.iter().map(|row| (row.file.clone(), row.line)).chain(possible).collect();
        let row = |row: &Left| Hiding {
            node,
            name: self.names.old.to_owned(),
            role: String::new(),
            reason: row.reason.clone(),
            file: row.file.clone(),
            line: row.line,
            far: false,
        };
        let rows: Vec<Hiding> = left.iter().map(row).collect();
        let mut why = closure::explain(&rows);
        if let Some(first) = self.possible.first() {
            let separator = if why.is_empty() { "" } else { "; " };
            let (count, path, line) = (self.possible.len(), graph.path(first.from), first.pos.line);
            why = format!("{why}{separator}{count} reference(s) may mean it or something else ({path}:{line})");
        }
        CannotRename::Open { id: graph.id(node).to_owned(), why, hiding }
    }
}

/// Returns whether every place of the name on a line is changed or explained.
fn is_settled(
    file: &Spelled,
    line: u32,
    old: &str,
    (aliases, own): (&BTreeSet<(String, usize)>, &BTreeSet<&str>),
) -> bool {
    let mut on_line = file.places.iter().filter(|place| file.position(place.start).line == line).peekable();
    let path = file.path.as_str();
    on_line.peek().is_some()
        && on_line.all(|place| {
            file.is_edited(place.start)
                || matches!(place.form, NameForm::Comment)
                || aliases.contains(&(path.to_owned(), place.start))
                || file.is_explained(*place, old, own)
        })
}

/// Lines of comments that have the old name.
pub(super) fn list_comments(file: &Spelled) -> Vec<Comment> {
    let comments = file.places.iter().filter(|place| place.form == NameForm::Comment && !file.is_edited(place.start));
    let lines: BTreeSet<u32> = comments.map(|place| file.position(place.start).line).collect();
    let row = |line: u32| Comment { path: file.path.clone(), line, text: file.line(line).to_owned() };
    lines.into_iter().map(row).collect()
}
