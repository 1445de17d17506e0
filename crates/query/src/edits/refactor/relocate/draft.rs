//! A move while it is planned: the files that change, what goes, and who uses it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use m1nd_base::{Cancel, EdgeTier, Pos, Relation, RepoPath};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::{EdgeRef, Graph, NodeIx};
use m1nd_lang::{CodeWord, code_words};

use super::Move;
use super::cut::{Parsed, Patch, apply, deletion};
use crate::edits::refactor::trial::Trial;
use crate::edits::refactor::{CannotRefactor, NewFile, Note, Refactoring};
use crate::edits::verify::{is_use, sites};

/// A file of the move with the words of its code and what changes in it.
pub(super) struct Drafted {
    pub(super) parsed: Parsed,
    pub(super) words: Vec<CodeWord>,
    pub(super) patches: Vec<Patch>,
    /// New lines of what stays, which may stand where what goes begins.
    pub(super) inserts: Vec<Patch>,
}

impl Drafted {
    pub(super) fn text(&self) -> &str {
        self.parsed.text()
    }

    /// The word that begins at a place.
    pub(super) fn word_at(&self, pos: Pos) -> Option<&CodeWord> {
        let at = self.parsed.offset(pos)?;
        self.words.iter().find(|word| word.bytes.start == at)
    }

    pub(super) fn spelling(&self, word: &CodeWord) -> &str {
        &self.text()[word.bytes.clone()]
    }

    pub(super) fn patch(&mut self, range: Range<usize>, with: impl Into<String>) {
        let patch = (range, with.into());
        if !self.patches.contains(&patch) {
            self.patches.push(patch);
        }
    }

    /// The text of a part of the file with the patches in it.
    pub(super) fn part(&self, range: &Range<usize>) -> String {
        let within = |patch: &&Patch| range.start <= patch.0.start && patch.0.end <= range.end;
        let shifted = |(at, with): &Patch| (at.start - range.start..at.end - range.start, with.clone());
        apply(&self.text()[range.clone()], self.patches.iter().filter(within).map(shifted).collect())
    }

    /// The text without some parts, with the patches in what is left.
    pub(super) fn rest(&self, gone: &[Range<usize>]) -> String {
        let is_gone = |patch: &Patch| gone.iter().any(|range| range.start <= patch.0.start && patch.0.end <= range.end);
        let mut patches: Vec<Patch> = self.patches.iter().filter(|patch| !is_gone(patch)).cloned().collect();
        patches.extend(self.inserts.iter().cloned());
        patches.extend(gone.iter().map(|range| (deletion(self.text(), range), String::new())));
        apply(self.text(), patches)
    }
}

/// A use of something, by the place of its last name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) path: String,
    pub(super) pos: Pos,
    pub(super) from: NodeIx,
    pub(super) to: NodeIx,
    pub(super) tier: EdgeTier,
    pub(super) relation: Relation,
}

/// A move while it is planned.
pub(super) struct Draft<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) request: &'a Move,
    pub(super) cancel: &'a Cancel,
    pub(super) files: BTreeMap<String, Drafted>,
    /// What goes: definitions at the top of a file, without their members.
    pub(super) tops: Vec<NodeIx>,
    /// All that goes, members and all.
    pub(super) moved: BTreeSet<NodeIx>,
    /// The lines that go, by file.
    pub(super) gone: BTreeMap<String, Vec<Range<usize>>>,
    pub(super) notes: BTreeSet<Note>,
    pub(super) places: usize,
    /// Files that go along with the moved one, each with its new path.
    pub(super) along: BTreeMap<String, String>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, request: &'a Move, cancel: &'a Cancel) -> Self {
        Self {
            snapshot,
            request,
            cancel,
            files: BTreeMap::new(),
            tops: Vec::new(),
            moved: BTreeSet::new(),
            gone: BTreeMap::new(),
            notes: BTreeSet::new(),
            places: 0,
            along: BTreeMap::new(),
        }
    }

    pub(super) fn graph(&self) -> &'a Graph {
        self.snapshot.graph()
    }

    /// The file that the moved definition is in.
    pub(super) fn from(&self) -> &'a str {
        self.graph().path(self.request.node)
    }

    pub(super) fn is_whole_file(&self) -> bool {
        self.graph().file(self.request.node) == Some(self.request.node)
    }

    /// Reads a file once.
    pub(super) fn file(&mut self, path: &str) -> Result<&mut Drafted, CannotRefactor> {
        if !self.files.contains_key(path) {
            let parsed = Parsed::read(self.snapshot, path, self.cancel)?;
            let words = read_words(self.snapshot, parsed.source.language, parsed.text(), self.cancel);
            let words = words.ok_or(CannotRefactor::File { path: path.to_owned(), why: "cannot be parsed" })?;
            self.files.insert(path.to_owned(), Drafted { parsed, words, patches: Vec::new(), inserts: Vec::new() });
        }
        let refuse = CannotRefactor::File { path: path.to_owned(), why: "cannot be read" };
        self.files.get_mut(path).ok_or(refuse)
    }

    /// Whether a place is in what goes.
    pub(super) fn goes(&self, path: &str, at: usize) -> bool {
        self.gone.get(path).is_some_and(|ranges| ranges.iter().any(|range| range.contains(&at)))
    }

    /// Adds lines of a file to what goes, with all that is defined there.
    pub(super) fn take(&mut self, path: &str, lines: Range<usize>) -> Result<(), CannotRefactor> {
        let graph = self.graph();
        let file = &self.file(path)?.parsed;
        let defined = file.facts.definitions.iter().zip(&file.ids).filter(|(row, _)| {
            let at = file.offset(row.pos);
            at.is_some_and(|at| lines.contains(&at)) || lines.contains(&(row.bytes.0 as usize))
        });
        let found: Vec<(NodeIx, bool)> = defined
            .filter_map(|(row, id)| {
                Some((graph.find(id.as_deref()?)?, row.owner.is_none() && row.kind != m1nd_lang::facts::DefKind::Impl))
            })
            .collect();
        for (node, is_top) in found {
            if self.moved.insert(node) && is_top {
                self.tops.push(node);
            }
        }
        self.gone.entry(path.to_owned()).or_default().push(lines);
        Ok(())
    }

    /// The uses of a node from outside of what goes.
    pub(super) fn uses_of(&mut self, node: NodeIx) -> Result<Vec<Use>, CannotRefactor> {
        let graph = self.graph();
        let edges: Vec<EdgeRef<'a>> = graph.in_edges(node).filter(counts).collect();
        let mut found = Vec::new();
        for edge in edges {
            let path = graph.path(edge.from);
            // Documents and settings have no names to rewrite.
            let is_code = self.snapshot.file_of(edge.from).is_some_and(|file| file_items_known(file.language));
            if path.is_empty() || !is_code {
                continue;
            }
            for pos in sites(&edge) {
                let at = self.file(path)?.parsed.offset(pos);
                if at.is_some_and(|at| !self.goes(path, at)) {
                    found.push(use_of(&edge, path, pos));
                }
            }
        }
        found.sort_by(|a, b| (&a.path, a.pos, a.relation).cmp(&(&b.path, b.pos, b.relation)));
        Ok(found)
    }

    /// What the moved code uses outside of itself, in the project.
    pub(super) fn list_used(&mut self) -> Result<Vec<Use>, CannotRefactor> {
        let graph = self.graph();
        let mut found = Vec::new();
        for path in self.gone.keys().cloned().collect::<Vec<_>>() {
            let Some(file) = graph.find_file(&path) else { continue };
            let nodes = graph.of_file(file);
            let edges = nodes.into_iter().chain([file]).flat_map(|node| graph.out_edges(node)).filter(counts);
            for edge in edges.collect::<Vec<_>>() {
                if self.moved.contains(&edge.to) || graph.path(edge.to).is_empty() {
                    continue;
                }
                for pos in sites(&edge) {
                    let at = self.file(&path)?.parsed.offset(pos);
                    if at.is_some_and(|at| self.goes(&path, at)) {
                        found.push(use_of(&edge, &path, pos));
                    }
                }
            }
        }
        found.sort_by(|a, b| (&a.path, a.pos, a.to).cmp(&(&b.path, b.pos, b.to)));
        found.dedup_by(|a, b| a.path == b.path && a.pos == b.pos && a.to == b.to);
        Ok(found)
    }

    pub(super) fn refuse(&self, file: &str, line: u32, why: impl Into<String>) -> CannotRefactor {
        let id = self.graph().id(self.request.node);
        CannotRefactor::at(format!("`{id}` cannot be moved to `{}`", self.request.to), file, line, why)
    }

    pub(super) fn note(&mut self, file: &str, line: u32, what: impl Into<String>) {
        self.notes.insert(Note { file: file.to_owned(), line, what: what.into() });
    }

    /// The files of the move, checked by a trial.
    pub(super) fn finish(self, texts: BTreeMap<String, Option<String>>) -> Result<Refactoring, CannotRefactor> {
        let mut files = Vec::new();
        for (path, text) in texts {
            let known = self.files.get(&path).map(|file| &file.parsed.source);
            if known.is_some_and(|source| Some(&source.text) == text.as_ref()) {
                continue;
            }
            let bad = |_| CannotRefactor::BadRequest(format!("`{path}` is not a path"));
            files.push(NewFile {
                path: RepoPath::new(&path).map_err(bad)?,
                before: known.map(|source| source.hash),
                text,
            });
        }
        let graph = self.snapshot.graph();
        let ids: BTreeMap<&str, String> = self
            .moved
            .iter()
            .map(|node| {
                let (id, path) = (graph.id(*node), graph.path(*node));
                (id, id.replacen(path, self.along.get(path).unwrap_or(&self.request.to), 1))
            })
            .collect();
        let is_inner = |id: &str| !id.starts_with("file::") || id.matches("::").count() > 1;
        let then = |id: &str| is_inner(id).then(|| ids.get(id).cloned().unwrap_or_else(|| id.to_owned()));
        let now = |id: &str| is_inner(id).then(|| id.to_owned());
        Trial::link(self.snapshot, &files, self.cancel)?.check(&then, &now, self.cancel)?;
        Ok(Refactoring { files, places: self.places, notes: self.notes.into_iter().collect() })
    }
}

/// The words of a text of the project.
pub(super) fn read_words(
    snapshot: &Snapshot,
    language: Language,
    text: &str,
    cancel: &Cancel,
) -> Option<Vec<CodeWord>> {
    code_words(language, text, snapshot.limits(), cancel)
}

fn counts(edge: &EdgeRef<'_>) -> bool {
    matches!(edge.tier, EdgeTier::Certain | EdgeTier::Possible) && is_use(edge.relation)
}

fn use_of(edge: &EdgeRef<'_>, path: &str, pos: Pos) -> Use {
    Use { path: path.to_owned(), pos, from: edge.from, to: edge.to, tier: edge.tier, relation: edge.relation }
}

/// Returns whether the statements of a language are known.
fn file_items_known(language: Language) -> bool {
    matches!(language, Language::Go | Language::Rust | Language::Java)
}

/// The folder of a path.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The name of a file.
pub(super) fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}
