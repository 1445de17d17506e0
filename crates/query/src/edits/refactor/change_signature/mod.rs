//! `change_signature`: a function takes other parameters, and every call site follows.
//!
//! The function changes with all that replaces, implements or declares it. Each certain call is mapped: what it passes
//! to which parameter, and how that is written for the new list. A use that is not a call, or a call that cannot be
//! mapped, refuses the change with its place.

mod body;
mod change;
mod docs;
mod mapping;
mod members;
mod rewrite;
mod sites;

use std::collections::BTreeMap;

use m1nd_base::{Cancel, NodeKind, Relation};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use m1nd_lang::signatures::Signatures;

use super::trial::{Dropped, Trial};
use super::{CannotRefactor, NewFile, Note, Obstacle, Refactoring, read_plain};
use crate::edits::rename::{CannotRename, Uses, find_uses, read_file};
use change::{Added, Change, Rank};
use members::{Member, Parsed, join_parameters, list_members, parse_files};
use rewrite::{Edit, render};

/// Other parameters for a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeSignature {
    /// The function.
    pub node: NodeIx,
    /// Parameters that it gets.
    pub add: Vec<NewParameter>,
    /// Names of parameters that it loses.
    pub remove: Vec<String>,
    /// New names of parameters: old, new.
    pub rename: Vec<(String, String)>,
    /// Names of all parameters in their new order, new names where they change, without the receiver; empty to keep the
    /// order.
    pub order: Vec<String>,
    /// Whether call sites that cannot be mapped stay as they are instead of refusing the change.
    pub leave_unmapped: bool,
}

/// A parameter that a function gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewParameter {
    /// The parameter as the language writes it: `timeout: float = 30`, `int limit`, `limit int`.
    pub text: String,
    /// Its place among the parameters without the receiver, from 0; `None` for the last one that is allowed.
    pub at: Option<usize>,
    /// What each call site passes; `None` where the parameter has a default and the call sites stay as they are.
    pub value: Option<String>,
}

/// Plans the operation.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(
    snapshot: &Snapshot,
    request: &ChangeSignature,
    cancel: &Cancel,
) -> Result<Refactoring, CannotRefactor> {
    let graph = snapshot.graph();
    let node = find_function(graph, request.node)?;
    // Who has the signature, and who uses it.
    let mut uses = find_uses(snapshot, node, cancel).map_err(|error| convert(snapshot, node, error))?;
    sites::add_constructions(snapshot, node, &mut uses, cancel)?;
    let paths: Vec<String> = { uses.rows.iter().chain(&uses.possible) }
        .map(|row| graph.path(row.from).to_owned())
        .filter(|path| !path.is_empty())
        .collect();
    for path in paths {
        // A file without the name has an alias of it.
        let read = read_file(snapshot, &path, graph.label(node), &mut uses.files, cancel);
        read.map_err(|error| convert(snapshot, node, error))?;
    }
    let parsed = parse_files(snapshot, &uses.files, cancel);
    let members = list_members(snapshot, &uses, &parsed)?;
    let own = uses.files.get(graph.path(node)).map(|file| file.definition_positions(graph, node));
    let is_own =
        |member: &&Member| member.path == graph.path(node) && own.iter().flatten().any(|pos| pos.line == member.line);
    let primary = members.iter().find(is_own).or(members.first());
    let primary = primary.ok_or_else(|| CannotRefactor::BadRequest("the function has no definition".to_owned()))?;
    // What becomes of the parameters.
    let language = uses.files.get(&primary.path).map_or(Language::Python, |file| file.language);
    let added = read_added(snapshot, request, language, cancel)?;
    let change = Change::of(request, join_parameters(&uses, &members, primary)?, added, language)?;
    let mut plan = Plan {
        snapshot,
        node,
        uses: &uses,
        parsed: &parsed,
        members: &members,
        change: &change,
        language,
        edits: BTreeMap::new(),
        dropped: Vec::new(),
        notes: Vec::new(),
        obstacles: Vec::new(),
        unmapped: Vec::new(),
        places: 0,
    };
    plan.check_family()?;
    plan.edit_members();
    plan.edit_sites()?;
    plan.finish(request.leave_unmapped, cancel)
}

/// The function that a node stands for: of a class, its only constructor.
fn find_function(graph: &Graph, node: NodeIx) -> Result<NodeIx, CannotRefactor> {
    let refuse = |why: &str| Err(CannotRefactor::BadRequest(format!("`{}` {why}", graph.id(node))));
    if graph.path(node).is_empty() {
        return refuse("is not in the project");
    }
    match graph.kind(node) {
        NodeKind::Function if graph.flags(node).has(NodeFlags::PROPERTY) => {
            refuse("is a property, which takes nothing")
        }
        NodeKind::Function => Ok(graph.definition_of(node)),
        NodeKind::Class | NodeKind::Struct | NodeKind::Enum => {
            let members = graph.out_edges(node).filter(|edge| edge.relation == Relation::Contains);
            let members = members.map(|edge| edge.to);
            let mut found = members.filter(|member| graph.flags(*member).has(NodeFlags::CONSTRUCTOR));
            match (found.next(), found.next()) {
                (Some(one), None) => Ok(one),
                (None, _) => refuse("has no constructor of its own; pass a function"),
                _ => refuse("has several constructors; pass the id of one"),
            }
        }
        _ => refuse("is not a function"),
    }
}

/// A refusal to rename as one of this operation.
fn convert(snapshot: &Snapshot, node: NodeIx, error: CannotRename) -> CannotRefactor {
    let graph = snapshot.graph();
    match error {
        CannotRename::Cancelled => CannotRefactor::Cancelled,
        CannotRename::File { path, why } => CannotRefactor::File { path, why },
        CannotRename::NotLinked { why } => CannotRefactor::NotLinked { why },
        CannotRename::NotOurs { id, why } => {
            let of = graph.find(&id).unwrap_or(node);
            let what = "code outside of the project decides about the parameters";
            CannotRefactor::at(what, graph.path(of), graph.name_line(of), format!("`{id}` {why}"))
        }
        error => CannotRefactor::BadRequest(error.to_string()),
    }
}

/// Reads the parameters to add.
fn read_added(
    snapshot: &Snapshot,
    request: &ChangeSignature,
    language: Language,
    cancel: &Cancel,
) -> Result<Vec<Added>, CannotRefactor> {
    let mut all = Vec::new();
    for new in &request.add {
        let text = new.text.trim();
        let parsed = Signatures::parse_parameter(language, text, snapshot.limits(), cancel);
        let usable = parsed.and_then(|(item, offset)| {
            let is_plain = item.form == m1nd_lang::signatures::ParameterForm::Plain;
            item.name.filter(|_| is_plain).map(|name| (item, (name.0 - offset, name.1 - offset), offset))
        });
        let Some((item, name, offset)) = usable else {
            let why = format!("`{text}` is not one named parameter as {} writes it", language.name());
            return Err(CannotRefactor::BadRequest(why));
        };
        let name = text[name.0..name.1].to_owned();
        let value = new.value.as_ref().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        all.push(Added {
            default_at: item.default.map(|(start, _)| start - offset),
            is_optional: item.is_optional || language == Language::JavaScript && value.is_none(),
            text: text.to_owned(),
            value,
            at: new.at,
            rank: Rank::Plain,
            name,
        });
    }
    Ok(all)
}

/// A change while it is planned.
struct Plan<'a> {
    snapshot: &'a Snapshot,
    node: NodeIx,
    uses: &'a Uses,
    parsed: &'a Parsed<'a>,
    members: &'a [Member],
    change: &'a Change,
    language: Language,
    /// By path.
    edits: BTreeMap<&'a str, Vec<Edit>>,
    dropped: Vec<Dropped>,
    notes: Vec<Note>,
    /// Places that refuse the change.
    obstacles: Vec<Obstacle>,
    /// Uses that cannot be mapped.
    unmapped: Vec<Obstacle>,
    places: usize,
}

impl<'a> Plan<'a> {
    fn text(&self, path: &str) -> &'a str {
        self.uses.files.get(path).map_or("", |file| file.text.as_str())
    }

    fn line(&self, path: &str, at: usize) -> u32 {
        self.uses.files.get(path).map_or(0, |file| file.position(at).line)
    }

    fn note(&mut self, path: &str, at: usize, what: impl Into<String>) {
        let line = self.line(path, at);
        self.notes.push(Note { file: path.to_owned(), line, what: what.into() });
    }

    fn refuse(&mut self, path: &str, at: usize, why: impl Into<String>) {
        let line = self.line(path, at);
        self.obstacles.push(Obstacle { file: path.to_owned(), line, why: why.into() });
    }

    fn leave(&mut self, path: &str, line: u32, why: impl Into<String>) {
        self.unmapped.push(Obstacle { file: path.to_owned(), line, why: why.into() });
    }

    fn edit(&mut self, path: &'a str, edit: Edit) {
        self.edits.entry(path).or_default().push(edit);
    }

    /// Takes bytes out of the comparison of uses.
    fn drop_range(&mut self, path: &str, (start, end): (usize, usize)) {
        if let Some(file) = self.uses.files.get(path) {
            self.dropped.push((path.to_owned(), file.position(start), file.position(end)));
        }
    }

    /// Refuses what code outside calls, and what a decorator calls in another way.
    fn check_family(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.snapshot.graph();
        for &node in &self.uses.definitions {
            let by_runner = graph.flags(node).has(NodeFlags::TEST) && graph.flags(node).has(NodeFlags::ENTRY);
            if by_runner && !self.change.added.is_empty() {
                let why = "is run by a test runner, which gives it its arguments";
                return Err(CannotRefactor::at("the caller is outside", graph.path(node), graph.name_line(node), why));
            }
            self.check_overloads(node);
        }
        // `P::P(int x) {}`, whose class is not known.
        let (members, label) = (self.members, graph.label(self.node));
        let is_declared = members.iter().any(|member| member.list.body.is_none());
        let is_outside_only = self.language == Language::Cpp && !is_declared;
        for member in members.iter().filter(|_| is_outside_only) {
            let (before, after) = self.text(&member.path).split_at(member.name_at);
            let is_outside = before.ends_with("::") || after[label.len().min(after.len())..].starts_with("::");
            if is_outside {
                self.refuse(&member.path, member.name_at, "has no declaration that is known, as in a C++ header");
            }
        }
        self.check_friends();
        let only_adds = !self.change.changes_positions() && self.change.renamed.is_empty();
        for member in self.members {
            if let Some(by) = member.wrapped_by.as_ref().filter(|_| !only_adds) {
                self.leave(&member.path, member.line, format!("is decorated with `{by}`, which may call it"));
            }
        }
        Ok(())
    }

    /// Refuses declarations as a friend that are not known to be of the function: they have its parameters.
    fn check_friends(&mut self) {
        if self.language != Language::Cpp {
            return;
        }
        let label = self.snapshot.graph().label(self.node);
        let files = self.snapshot.files().iter();
        for entry in files.filter(|entry| matches!(entry.language, Language::C | Language::Cpp)) {
            let Ok(source) = read_plain(self.snapshot, &entry.path) else { continue };
            for (at, word) in source.text.match_indices("friend ") {
                let rest = &source.text[at + word.len()..];
                let declared = &rest[..rest.find([';', '{']).unwrap_or(rest.len())];
                let is_it = declared.split_once('(').is_some_and(|(head, _)| {
                    let head = head.trim_end();
                    head.strip_suffix(label)
                        .is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
                });
                let line = u32::try_from(source.text[..at].matches('\n').count() + 1).unwrap_or(u32::MAX);
                let end = line + u32::try_from(declared.matches('\n').count()).unwrap_or(0);
                let is_known = self
                    .members
                    .iter()
                    .any(|member| member.path == entry.path.as_str() && (line..=end).contains(&member.line));
                if is_it && !is_known {
                    let why = "declares a function of this name as a friend, with its parameters".to_owned();
                    self.obstacles.push(Obstacle { file: entry.path.as_str().to_owned(), line, why });
                }
            }
        }
    }

    /// Refuses a number of parameters that an overload beside the function has.
    fn check_overloads(&mut self, node: NodeIx) {
        let graph = self.snapshot.graph();
        if !matches!(self.language, Language::Java | Language::Cpp)
            || self.change.entries.len() == self.change.old.len()
        {
            return;
        }
        let own = graph.parent(node);
        let others = graph.find_labelled(graph.label(node)).into_iter().filter(|other| {
            graph.parent(*other) == own
                && graph.path(*other) == graph.path(node)
                && !self.uses.definitions.contains(other)
        });
        for other in others {
            let Some(file) = self.uses.files.get(graph.path(other)) else { continue };
            let parsed = self.parsed.get(graph.path(other));
            for pos in file.definition_positions(graph, other) {
                let list = file.offset(pos).and_then(|at| parsed?.parameters_at(at));
                if list.is_some_and(|list| list.items.len() == self.change.entries.len()) {
                    let why = "is an overload with as many parameters as the function would have".to_owned();
                    self.obstacles.push(Obstacle { file: graph.path(other).to_owned(), line: pos.line, why });
                }
            }
        }
    }

    /// The new files, if nothing stands in the way and the project with them is what it was.
    fn finish(mut self, leave_unmapped: bool, cancel: &Cancel) -> Result<Refactoring, CannotRefactor> {
        self.obstacles.sort();
        self.obstacles.dedup();
        self.unmapped.sort();
        self.unmapped.dedup();
        if !self.obstacles.is_empty() {
            let what = "the parameters cannot be changed".to_owned();
            return Err(CannotRefactor::Obstacles { what, places: self.obstacles });
        }
        if !self.unmapped.is_empty() && !leave_unmapped {
            let what =
                format!("{} use(s) cannot be mapped; pass `leave_unmapped: true` to leave them", self.unmapped.len());
            return Err(CannotRefactor::Obstacles { what, places: self.unmapped });
        }
        let left = self.unmapped.drain(..);
        self.notes.extend(left.map(|place| Note {
            file: place.file,
            line: place.line,
            what: format!("left as it is: {}", place.why),
        }));
        let mut files = Vec::new();
        for (path, edits) in std::mem::take(&mut self.edits) {
            let Some(file) = self.uses.files.get(path) else { continue };
            let text = render(&file.text, edits);
            let text =
                text.ok_or_else(|| CannotRefactor::at("calls overlap", path, 0, "has calls inside of each other"))?;
            let text = body::drop_imports(self.language, &file.text, text);
            if text != file.text {
                files.push(NewFile { path: file.path.clone(), before: Some(file.hash), text: Some(text) });
            }
        }
        let trial = Trial::link(self.snapshot, &files, cancel)?.without(std::mem::take(&mut self.dropped));
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let ids = map_ids(self.snapshot.graph(), trial.after.graph(), &paths);
        let then = |id: &str| Some(ids.get(id).cloned().unwrap_or_else(|| id.to_owned()));
        trial.check(&then, &|id| Some(id.to_owned()), cancel)?;
        self.notes.sort();
        self.notes.dedup();
        Ok(Refactoring { files, places: self.places, notes: self.notes })
    }
}

/// Ids that change because they hold the parameters: a definition keeps its place among those of its name.
fn map_ids(old: &Graph, new: &Graph, paths: &[&str]) -> BTreeMap<String, String> {
    let by_name = |graph: &Graph, path: &str| {
        let mut rows: BTreeMap<(String, String), Vec<(u32, String)>> = BTreeMap::new();
        for node in graph.find_file(path).map(|file| graph.of_file(file)).unwrap_or_default() {
            let key = (graph.label(node).to_owned(), graph.kind(node).word().to_owned());
            rows.entry(key).or_default().push((graph.name_line(node), graph.id(node).to_owned()));
        }
        rows.values_mut().for_each(|rows| rows.sort());
        rows
    };
    let mut ids = BTreeMap::new();
    for path in paths {
        let now = by_name(new, path);
        for (key, rows) in by_name(old, path) {
            let Some(others) = now.get(&key).filter(|others| others.len() == rows.len()) else { continue };
            let pairs = rows.into_iter().zip(others).filter(|((_, a), (_, b))| a != b);
            ids.extend(pairs.map(|((_, a), (_, b))| (a, b.clone())));
        }
    }
    ids
}
