//! The new texts of a move in Rust.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{NodeKind, Relation};
use m1nd_graph::NodeIx;
use m1nd_lang::ItemKind;

use super::super::cut::append;
use super::super::draft::Drafted;
use super::Rust;
use super::modules::{module_name, visibility_at};
use super::uses::{Leaf, remove_leaves};
use crate::edits::refactor::{CannotRefactor, Refactoring};

/// Blank lines before a definition.
const BLANK: usize = 1;

impl Rust<'_> {
    /// The new texts.
    pub(super) fn write(mut self) -> Result<Refactoring, CannotRefactor> {
        let (from, to) = (self.draft.from().to_owned(), self.draft.request.to.clone());
        self.take_out_leaves()?;
        let moved = {
            let ranges = self.code.clone();
            let file = self.draft.file(&from)?;
            ranges.iter().map(|range| file.part(range).trim_matches('\n').to_owned()).collect::<Vec<_>>().join("\n\n")
        };
        self.declare_new(&to)?;
        let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
        for path in self.draft.files.keys().cloned().collect::<Vec<_>>() {
            let gone = self.draft.gone.get(&path).cloned().unwrap_or_default();
            let needed = self.needed.get(&path).cloned().unwrap_or_default();
            let leaves = if path.ends_with(".rs") { self.leaves_of(&path)? } else { Vec::new() };
            let dropped = self.gone.get(&path).cloned().unwrap_or_default();
            self.check_names_free(&path, &needed, &leaves, &dropped)?;
            let rows = missing_rows(&needed, &leaves, &dropped, (path == to).then(|| self.to.path()));
            let file = self.draft.file(&path)?;
            if gone.is_empty() && file.patches.is_empty() && file.inserts.is_empty() && rows.is_empty() && path != to {
                continue;
            }
            if !rows.is_empty() {
                let (at, text) = place_uses(file, &rows);
                file.inserts.push((at..at, text));
            }
            let rest = file.rest(&gone);
            let text = if path == to { append(&rest, &moved, BLANK) } else { rest };
            texts.insert(path, Some(format!("{}\n", text.trim_end())));
        }
        if self.is_new {
            let needed = self.needed.get(&to).cloned().unwrap_or_default();
            let rows = missing_rows(&needed, &[], &BTreeSet::new(), Some(self.to.path()));
            let head: String = rows.iter().map(|row| format!("use {row};\n")).collect();
            let text = if head.is_empty() { format!("{moved}\n") } else { append(&head, &moved, BLANK) };
            texts.insert(to, Some(text));
        }
        self.draft.finish(texts)
    }

    /// Takes the names that go out of their declarations.
    pub(super) fn take_out_leaves(&mut self) -> Result<(), CannotRefactor> {
        for (path, starts) in self.gone.clone() {
            let all = self.leaves_of(&path)?;
            let gone: Vec<&Leaf> = all.iter().filter(|leaf| starts.contains(&leaf.bytes.start)).collect();
            let text = self.draft.file(&path)?.text().to_owned();
            let is_needing = self.needed.get(&path).is_some_and(|rows| !rows.is_empty());
            let is_replaced = is_needing || !self.draft.file(&path)?.inserts.is_empty();
            for (range, with) in remove_leaves(&text, &all, &gone, is_replaced) {
                self.draft.file(&path)?.patch(range, with);
            }
        }
        Ok(())
    }

    /// Declares a new file as a module.
    pub(super) fn declare_new(&mut self, to: &str) -> Result<(), CannotRefactor> {
        if !self.is_new {
            return Ok(());
        }
        let Some(parent) = self.modules.parent_of(self.draft.snapshot, to) else { return Ok(()) };
        let word = self.visibility_for_users(to)?;
        self.declare_with(&parent, &format!("{word}mod {};\n", module_name(to)))
    }

    /// What is written before the declaration of a module, so that all users of the moved code can name it.
    pub(super) fn visibility_for_users(&mut self, to: &str) -> Result<&'static str, CannotRefactor> {
        let above = self.modules.of(to).parent().unwrap_or_else(|| self.to.clone());
        let mut word = "";
        for top in self.draft.tops.clone() {
            for user in self.draft.uses_of(top)? {
                let Some(at) = self.draft.file(&user.path)?.parsed.offset(user.pos) else { continue };
                let module = self.module_at(&user.path, at)?;
                if module.root != self.to.root {
                    word = "pub ";
                } else if !module.is_within(&above) && word.is_empty() {
                    word = "pub(crate) ";
                }
            }
        }
        Ok(word)
    }

    /// Puts the declaration of a module into a file.
    pub(super) fn declare_with(&mut self, parent: &str, declaration: &str) -> Result<(), CannotRefactor> {
        let file = self.draft.file(parent)?;
        let is_module = |item: &&m1nd_lang::FileItem| {
            let text = &file.text()[item.bytes.clone()];
            let (end, _) = visibility_at(text, 0);
            text[end..].trim_start().starts_with("mod ") && text.trim_end().ends_with(';')
        };
        let is_plain = |item: &&m1nd_lang::FileItem| !file.text()[item.lines.clone()].contains("#[");
        let modules = || file.parsed.items.iter().filter(is_module);
        let last = modules().rfind(is_plain).or_else(|| modules().next_back());
        let (at, after) = match last {
            Some(item) => (item.lines.end, ""),
            None => (place_of_uses(file), "\n"),
        };
        let line = file.parsed.line_of(at);
        file.inserts.push((at..at, format!("{declaration}{after}")));
        self.draft.note(parent, line, format!("declares the new module: `{}`", declaration.trim_end()));
        Ok(())
    }

    /// Refuses names that a file has for something else.
    pub(super) fn check_names_free(
        &mut self,
        path: &str,
        needed: &BTreeSet<String>,
        leaves: &[Leaf],
        dropped: &BTreeSet<usize>,
    ) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let here = self.modules.of(path);
        for row in needed {
            let name = name_of_row(row).to_owned();
            if name == "*" || name == "_" {
                continue;
            }
            let full: Vec<String> = row.split(" as ").next().unwrap_or(row).split("::").map(str::to_owned).collect();
            let is_file_level = |leaf: &&Leaf| leaf.name == name && !dropped.contains(&leaf.bytes.start);
            for leaf in leaves.iter().filter(is_file_level).cloned().collect::<Vec<_>>() {
                let is_top = self.draft.file(path)?.parsed.items.iter().any(|item| item.bytes == leaf.declaration);
                let same = leaf.path == full
                    || self.resolve(&leaf.path, &here, path)?.is_some_and(|module| module.path() == full.join("::"));
                let reaches = self.is_same_by_graph(path, &leaf, &name)?;
                if is_top && !same && !reaches {
                    let line = self.draft.file(path)?.parsed.line_of(leaf.at);
                    return Err(self.draft.refuse(
                        path,
                        line,
                        format!("imports something else as `{name}` than `{}`", full.join("::")),
                    ));
                }
            }
            let is_taken = |node: &NodeIx| {
                graph.path(*node) == path
                    && !self.draft.moved.contains(node)
                    && graph.kind(*node) != NodeKind::Impl
                    && graph.parent(*node).is_some_and(|parent| graph.kind(parent) == NodeKind::File)
            };
            if let Some(taken) = graph.find_labelled(&name).into_iter().find(is_taken) {
                return Err(self.draft.refuse(
                    path,
                    graph.name_line(taken),
                    format!("has the name `{name}`, which the moved code needs for `{}`", full.join("::")),
                ));
            }
        }
        Ok(())
    }

    /// Returns whether an import of the target leads to what the old file means by a name.
    pub(super) fn is_same_by_graph(&mut self, path: &str, leaf: &Leaf, name: &str) -> Result<bool, CannotRefactor> {
        let graph = self.draft.graph();
        let from = self.draft.from().to_owned();
        let line = self.draft.file(path)?.parsed.line_of(leaf.at);
        let targets = |path: &str, line: Option<u32>| -> BTreeSet<NodeIx> {
            let Some(file) = graph.find_file(path) else { return BTreeSet::new() };
            let all =
                graph.out_edges(file).filter(|edge| matches!(edge.relation, Relation::Imports | Relation::Reexports));
            let here = all.filter(|edge| line.is_none_or(|line| edge.sites.iter().any(|pos| pos.line == line)));
            here.map(|edge| edge.to).filter(|to| graph.label(*to) == name).collect()
        };
        let (own, other) = (targets(path, Some(line)), targets(&from, None));
        Ok(!own.is_disjoint(&other))
    }
}

/// The name that a row brings: `b` of `a::b`, `c` of `a::b as c`.
fn name_of_row(row: &str) -> &str {
    match row.split_once(" as ") {
        Some((_, name)) => name,
        None => row.rsplit("::").next().unwrap_or(row),
    }
}

/// The rows that a file does not have yet. `own` is the path of its module: what it defines needs no row.
fn missing_rows(
    needed: &BTreeSet<String>,
    leaves: &[Leaf],
    dropped: &BTreeSet<usize>,
    own: Option<String>,
) -> Vec<String> {
    let is_there = |row: &String| {
        let name = name_of_row(row);
        let is_glob = row.ends_with("::*");
        leaves.iter().any(|leaf| {
            !dropped.contains(&leaf.bytes.start)
                && indentless(leaf)
                && match (is_glob, name) {
                    (true, _) => leaf.is_glob && row.trim_end_matches("::*") == leaf.path.join("::"),
                    (_, "_") => leaf.path.join("::") == row.split(" as ").next().unwrap_or(row),
                    _ => leaf.name == name,
                }
        })
    };
    let is_own =
        |row: &String| own.as_ref().is_some_and(|own| row.rsplit_once("::").is_some_and(|(path, _)| path == own));
    needed.iter().filter(|row| !is_there(row) && !is_own(row)).cloned().collect()
}

/// Returns whether a declaration is at the top of its file.
fn indentless(leaf: &Leaf) -> bool {
    leaf.lines.start == leaf.declaration.start
        || leaf.lines.start < leaf.declaration.start && leaf.bytes.start >= leaf.declaration.start
}

/// Where new `use` declarations go, and their text.
fn place_uses(file: &Drafted, rows: &[String]) -> (usize, String) {
    let rows: String = rows.iter().map(|row| format!("use {row};\n")).collect();
    let is_use =
        |item: &&m1nd_lang::FileItem| item.kind == ItemKind::Import && file.text()[item.bytes.clone()].contains("use ");
    match file.parsed.items.iter().rfind(is_use) {
        Some(item) => {
            let before = if file.text()[..item.lines.end].ends_with('\n') { "" } else { "\n" };
            (item.lines.end, format!("{before}{rows}"))
        }
        None => (place_of_uses(file), format!("{rows}\n")),
    }
}

/// Behind the attributes and texts of the module itself.
fn place_of_uses(file: &Drafted) -> usize {
    let mut at = 0;
    for line in file.text().split_inclusive('\n') {
        let trimmed = line.trim();
        if !(trimmed.is_empty() || trimmed.starts_with("//!") || trimmed.starts_with("#![")) {
            break;
        }
        at += line.len();
    }
    at
}
