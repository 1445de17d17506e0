//! Taking a definition out of the text of a file, and putting it into another.

use std::ops::Range;

use m1nd_base::Cancel;
use m1nd_engine::Snapshot;
use m1nd_graph::NodeIx;
use m1nd_lang::{FileFacts, FileItem, ItemKind, file_items};

use super::super::{CannotRefactor, Source, read_source};

/// Statements whose body may not run.
const CONDITIONS: &[&str] =
    &["if_statement", "try_statement", "for_statement", "while_statement", "with_statement", "match_statement"];

/// Statements that may stand among imports.
const AMONG_IMPORTS: &[&str] = &["if_statement", "try_statement", "expression_statement"];

/// A file that a move reads, with its statements and facts.
pub(super) struct Parsed {
    pub(super) source: Source,
    pub(super) items: Vec<FileItem>,
    pub(super) facts: FileFacts,
    /// Node id of each definition of the facts.
    pub(super) ids: Vec<Option<String>>,
}

impl Parsed {
    /// Reads and parses a file of the project.
    pub(super) fn read(snapshot: &Snapshot, path: &str, cancel: &Cancel) -> Result<Self, CannotRefactor> {
        cancel.check()?;
        let source = read_source(snapshot, path)?;
        Self::of(snapshot, source, cancel)
    }

    /// Parses a text.
    pub(super) fn of(snapshot: &Snapshot, source: Source, cancel: &Cancel) -> Result<Self, CannotRefactor> {
        let limits = snapshot.limits();
        let items = file_items(source.language, &source.text, limits, cancel)
            .ok_or(CannotRefactor::NotForLanguage { operation: "move", language: source.language.name() })?;
        let facts = m1nd_lang::extract(source.language, source.text.as_bytes(), limits, cancel);
        let ids = m1nd_engine::node_ids(&source.path, &facts);
        Ok(Self { source, items, facts, ids })
    }

    pub(super) fn text(&self) -> &str {
        &self.source.text
    }

    /// The place of a definition among the facts.
    pub(super) fn definition(&self, id: &str) -> Option<usize> {
        self.ids.iter().position(|known| known.as_deref() == Some(id))
    }

    /// The statement at the top of the file that defines a node, and only it.
    pub(super) fn item_of(&self, snapshot: &Snapshot, node: NodeIx) -> Result<usize, CannotRefactor> {
        let graph = snapshot.graph();
        let (id, path) = (graph.id(node), self.source.path.as_str());
        let moved =
            || CannotRefactor::File { path: path.to_owned(), why: "does not have the definition where the index says" };
        let own = self.definition(id).ok_or_else(moved)?;
        let definition = &self.facts.definitions[own];
        let refuse = |why: &str| CannotRefactor::at(format!("`{id}` cannot be moved"), path, definition.pos.line, why);
        if definition.owner.is_some() {
            return Err(refuse("is not at the top level of its file"));
        }
        let (start, end) = (definition.bytes.0 as usize, definition.bytes.1 as usize);
        // Overloads of one name are one definition, over several statements.
        let holds = |item: &FileItem| item.bytes.contains(&start);
        let index = self.items.iter().position(holds).ok_or_else(|| refuse("is inside of another statement"))?;
        let ends = |item: &FileItem| end <= item.bytes.end;
        let last = self.items[index..].iter().position(ends).map(|at| &self.items[index + at]);
        if last.is_none_or(|last| last.bytes.start > end) || self.items[index].bytes.start > start {
            return Err(refuse("is inside of another statement"));
        }
        let item = &self.items[index];
        if CONDITIONS.contains(&&*item.node_kind) {
            return Err(refuse("is defined under a condition"));
        }
        let others = self.facts.definitions.iter().filter(|other| {
            other.owner.is_none()
                && !other.flags.is_anonymous
                && item.bytes.contains(&(other.bytes.0 as usize))
                && other.pos != definition.pos
                && other.name != definition.name
        });
        if others.count() > 0 {
            return Err(refuse("is defined by a statement that defines other names as well"));
        }
        Ok(index)
    }

    /// The line of a byte.
    pub(super) fn line_of(&self, at: usize) -> u32 {
        let lines = self.source.text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1;
        u32::try_from(lines).unwrap_or(u32::MAX)
    }

    /// The byte of a place.
    pub(super) fn offset(&self, pos: m1nd_base::Pos) -> Option<usize> {
        let text = self.text();
        let start = match pos.line {
            0 => return None,
            1 => 0,
            line => text.match_indices('\n').nth(line as usize - 2)?.0 + 1,
        };
        text[start..].char_indices().nth(usize::from(pos.col).checked_sub(1)?).map(|(at, _)| start + at)
    }
}

/// A change of a text: what takes the place of some bytes.
pub(super) type Patch = (Range<usize>, String);

/// Applies patches. Only deletions may overlap.
pub(super) fn apply(text: &str, mut patches: Vec<Patch>) -> String {
    patches.sort_by_key(|(range, _)| (range.start, range.end));
    let (mut new, mut at) = (String::with_capacity(text.len()), 0);
    for (range, with) in patches {
        if range.start < at {
            // What is put into a deleted part stands at its end; deleted parts may share blank lines.
            if range.is_empty() {
                new.push_str(&with);
            } else if with.is_empty() {
                at = at.max(range.end);
            }
            continue;
        }
        new.push_str(&text[at..range.start]);
        new.push_str(&with);
        at = range.end;
    }
    new.push_str(&text[at..]);
    if new.ends_with("\n\n") && !text.ends_with("\n\n") {
        new.truncate(new.trim_end().len());
        new.push('\n');
    }
    new
}

/// The bytes to delete with a statement: its lines, and blank lines so that as many stay as were above it.
pub(super) fn deletion(text: &str, lines: &Range<usize>) -> Range<usize> {
    let above = text[..lines.start].trim_end_matches([' ', '\t', '\r', '\n']).len();
    let blank_above = text[above..lines.start].matches('\n').count().saturating_sub(1);
    let rest = &text[lines.end..];
    let blank = rest.len() - rest.trim_start_matches(['\r', '\n']).len();
    // At the end of the file the lines above go; else those below.
    if rest.trim().is_empty() {
        let keep = if above == 0 { 0 } else { text[above..].find('\n').map_or(above, |at| above + at + 1) };
        return keep.min(lines.start)..text.len();
    }
    let below = rest[..blank].matches('\n').count();
    // The larger of both gaps stays.
    if above == 0 || below <= blank_above {
        lines.start..lines.end + blank
    } else {
        lines.start - blank_above.min(lines.start)..lines.end
    }
}

/// The bytes to delete with an import: its lines, and one of the blank lines around it if there are some on both sides.
pub(super) fn import_deletion(text: &str, lines: &Range<usize>) -> Range<usize> {
    let is_alone = text[..lines.start].ends_with("\n\n") && text[lines.end..].starts_with('\n');
    let is_first = lines.start == 0 && text[lines.end..].starts_with('\n');
    lines.start..lines.end + usize::from(is_alone || is_first)
}

/// Behind the imports that a file begins with, or behind the comments and texts about it.
pub(super) fn end_of_head(items: &[FileItem]) -> usize {
    // Imports under a condition, and statements such as `"use strict"`, stand among imports.
    let is_code = |item: &FileItem| item.kind == ItemKind::Other && !AMONG_IMPORTS.contains(&&*item.node_kind);
    let head: Vec<&FileItem> = items.iter().take_while(|item| !is_code(item)).collect();
    let is_import = |item: &&&FileItem| matches!(item.kind, ItemKind::Import | ItemKind::Package);
    let about = || head.iter().take_while(|item| item.kind == ItemKind::Comment).last();
    head.iter().rev().find(is_import).or_else(about).map_or(0, |item| item.lines.end)
}

/// A text with a definition at its end, with a number of blank lines before it.
pub(super) fn append(text: &str, definition: &str, blank_lines: usize) -> String {
    let head = text.trim_end();
    let definition = definition.trim_matches(['\r', '\n']);
    let breaks = "\n".repeat(blank_lines + 1);
    match head.is_empty() {
        true => format!("{definition}\n"),
        false => format!("{head}{breaks}{definition}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deleted_statement_leaves_no_gap() {
        let cases = [
            ("a\n\n\nX\n\n\nb\n", "a\n\n\nb\n"),
            ("X\n\n\nb\n", "b\n"),
            ("a\n\n\nX\n", "a\n"),
            ("a\nX\nb\n", "a\nb\n"),
            ("a\n\nX\nb\n", "a\n\nb\n"),
            ("a\n\nX\n\n\nb\n", "a\n\n\nb\n"),
        ];
        for (before, after) in cases {
            let at = before.find('X').expect("a mark");
            let cut = deletion(before, &(at..at + 2));
            assert_eq!(apply(before, vec![(cut, String::new())]), after, "{before:?}");
        }
    }

    #[test]
    fn statements_one_behind_the_other_are_deleted_at_the_end() {
        let text = "a\n\nX\n\nY\n";
        let cuts = [3..5, 6..8].map(|lines| (deletion(text, &lines), String::new()));
        assert_eq!(apply(text, cuts.to_vec()), "a\n");
    }

    #[test]
    fn a_definition_is_put_at_the_end() {
        assert_eq!(append("a\n\n", "\nX\n", 2), "a\n\n\nX\n");
        assert_eq!(append("\n", "X\n", 2), "X\n");
    }
}
