//! Places that write the old name, may mean the renamed symbol, and stay as they are.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use m1nd_base::{NodeKind, RepoPath};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::{NodeFlags, NodeIx};
use m1nd_lang::edit_rules::EditRules;
use m1nd_lang::facts::{BindingTarget, DefKind, Definition, Expr, ExprId, NameId, ScopeId};
use m1nd_lang::{FileFacts, NameForm};

use super::spelled::{Names, Spelled};
use super::{CannotRename, Comment, Renaming, read};
use crate::closure::{self, Hiding, Rows, reasons};

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
        let (mut is_only_code, mut areas) = (true, Vec::new());
        for &definition in &self.definitions {
            let facts = self.files.get(graph.path(definition)).map(|file| &file.facts);
            let area = Area::of(self.snapshot, definition, facts);
            let found = closure::hiding(self.snapshot, definition, Rows::Names);
            is_only_code &= matches!(area, Area::Code(_));
            rows.extend(found.into_iter().filter(|row| area.has(&row.file)));
            areas.push(area);
        }
        let has_line = |path: &str, line: u32| areas.iter().any(|area| area.has_line(path, line));
        rows.retain(|row| row.reason != reasons::CALLED_FROM_OUTSIDE);
        let own: BTreeSet<&str> = self.definitions.iter().map(|node| graph.id(*node)).collect();
        let mut left: BTreeSet<Left> = BTreeSet::new();
        let mut searched: BTreeSet<String> = BTreeSet::new();
        for row in rows {
            self.cancel.check()?;
            let is_indexed = row.line > 0 && graph.find_file(&row.file).is_some() && row.reason != reasons::UNSEEN_FILE;
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
                if !self.is_word_of_settings(&row) {
                    left.insert(add(row.line, ""));
                }
                continue;
            };
            if is_only_code && file.has_only_texts(row.line) {
                continue;
            }
            if has_line(&row.file, row.line) && !is_settled(file, row.line, self.names, (&self.aliases, &own)) {
                left.insert(add(row.line, file.line(row.line)));
            }
            // The guard knows the first places of a file alone.
            if row.reason == reasons::UNEXPLAINED_TEXT && !is_only_code && searched.insert(row.file.clone()) {
                let names = self.names;
                let others =
                    file.places.iter().filter(|place| file.is_whole(place, names) && !file.is_edited(place.start));
                let lines: Vec<u32> = others.map(|place| file.position(place.start).line).collect();
                let lines = lines.into_iter().filter(|line| has_line(&row.file, *line));
                left.extend(lines.map(|line| add(line, file.line(line))));
            }
        }
        left.extend(self.list_friends()?);
        for (path, line) in &self.keys {
            let text = self.files.get(path).map_or("", |file| file.line(*line)).to_owned();
            left.insert(Left { file: path.clone(), line: *line, reason: reasons::UNEXPLAINED_TEXT.to_owned(), text });
        }
        Ok(left.into_iter().collect())
    }

    /// Declarations as a friend with a path, of which it is not known what they declare: `friend int space::f(int);`.
    fn list_friends(&mut self) -> Result<Vec<Left>, CannotRename> {
        let graph = self.snapshot.graph();
        let is_open = |node: &NodeIx| {
            graph.kind(*node) == NodeKind::Function
                && graph.flags(*node).has(NodeFlags::DECLARATION)
                && !self.definitions.contains(node)
                && graph.definitions(*node).is_empty()
                && self.snapshot.file_of(*node).is_some_and(|file| file.language == Language::Cpp)
        };
        let nodes: Vec<NodeIx> = graph.find_labelled(self.names.old).into_iter().filter(is_open).collect();
        let mut found = Vec::new();
        for node in nodes {
            let path = graph.path(node);
            let file = read(self.snapshot, path, self.names.old, &mut self.files, self.cancel)?;
            for pos in file.definition_positions(graph, node) {
                let Some(at) = file.offset(pos) else { continue };
                let before = &file.text[..at];
                let start = before.rfind([';', '{', '}']).map_or(0, |at| at + 1);
                let is_friend = before[start..].split_whitespace().any(|word| word == "friend");
                if is_friend && before.trim_end().ends_with("::") {
                    let text = file.line(pos.line).to_owned();
                    let reason = reasons::UNEXPLAINED_TEXT.to_owned();
                    found.push(Left { file: path.to_owned(), line: pos.line, reason, text });
                }
            }
        }
        Ok(found)
    }

    /// Returns whether a place in settings or scripts is one word among others: `permissions: write`. Names of code
    /// stand there with the path of their module or class.
    fn is_word_of_settings(&self, row: &Hiding) -> bool {
        let old = self.names.old;
        let source = RepoPath::new(&row.file).ok().and_then(|path| self.snapshot.read_file(&path).ok());
        let Some(source) = source.filter(|source| !source.stale && row.reason == reasons::UNSEEN_FILE) else {
            return false;
        };
        let language = crate::edits::syntax::language_of(self.snapshot, &source.path, &source.text);
        let Some(line) = source.text.lines().nth(row.line.saturating_sub(1) as usize) else { return false };
        let is_address = |at: usize| {
            let is_joint = |c: char| matches!(c, '.' | ':' | '#' | '/' | '(');
            line[..at].ends_with(is_joint) || line[at + old.len()..].starts_with(['(', '.', '#'])
        };
        !m1nd_engine::is_code(language) && !line.match_indices(old).any(|(at, _)| is_address(at))
    }

    /// The refusal for what would be left.
    pub(super) fn refuse(&self, node: NodeIx, left: &[Left]) -> CannotRename {
        let graph = self.snapshot.graph();
        let possible = self.possible.iter().map(|row| (graph.path(row.from).to_owned(), row.pos.line));
        let hiding: Vec<(String, u32)> = left.iter().map(|row| (row.file.clone(), row.line)).chain(possible).collect();
        let row = |row: &Left| Hiding {
            place: None,
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

impl Spelled {
    /// Returns whether the name stands on a line in texts alone, but for places that change.
    fn has_only_texts(&self, line: u32) -> bool {
        let mut on_line = self.places.iter().filter(|place| self.position(place.start).line == line).peekable();
        let is_text = |form: NameForm| matches!(form, NameForm::Literal(..) | NameForm::Comment);
        on_line.peek().is_some() && on_line.all(|place| is_text(place.form) || self.is_edited(place.start))
    }
}

/// Where code can name a definition.
enum Area {
    Anywhere,
    /// In its own file.
    File(String),
    /// In the code of its own file: no text leads to it.
    Code(String),
    /// In its own file, but for these lines: tests that run without the one that defines it.
    OfTest(String, Vec<RangeInclusive<u32>>),
    /// In its own folder.
    Folder(String),
}

impl Area {
    fn of(snapshot: &Snapshot, node: NodeIx, facts: Option<&FileFacts>) -> Self {
        let graph = snapshot.graph();
        let path = graph.path(node);
        let Some(language) = snapshot.file_of(node).map(|file| file.language) else { return Self::Anywhere };
        let scopes = &EditRules::of(language).scopes;
        let parent = graph.parent(node).map(|parent| graph.kind(parent));
        let is_value = !matches!(graph.kind(node), NodeKind::Field | NodeKind::Variant);
        let is_own = |row: &&Definition| (row.line_start, row.line_end) == graph.lines(node);
        let own = facts.and_then(|facts| facts.definitions.iter().find(is_own));
        let is_in_function = parent == Some(NodeKind::Function) || own.is_some_and(|own| own.flags.is_local);
        let is_local = is_in_function && is_value;
        // What registers it may know it by its name.
        let is_decorated = facts.zip(own).is_some_and(|(facts, own)| !facts.list(own.decorators).is_empty());
        let is_private =
            scopes.has_private_word && graph.signature(node).split_whitespace().any(|word| word == "private");
        let is_of_module = scopes.hides_top_level
            && parent == Some(NodeKind::File)
            && is_value
            && facts.is_some_and(|facts| is_hidden_in_module(facts, graph.label(node)));
        if (is_local || is_of_module) && !is_decorated {
            return Self::Code(path.to_owned());
        }
        if scopes.has_local_test_functions
            && is_local
            && let Some(others) = facts.zip(own).and_then(|(facts, own)| list_other_tests(facts, own))
        {
            return Self::OfTest(path.to_owned(), others);
        }
        if is_private || is_local {
            return Self::File(path.to_owned());
        }
        if scopes.hides_lower_case && !graph.label(node).starts_with(char::is_uppercase) {
            return Self::Folder(path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned());
        }
        Self::Anywhere
    }

    fn has(&self, path: &str) -> bool {
        match self {
            Self::Anywhere => true,
            Self::File(own) | Self::Code(own) | Self::OfTest(own, _) => own == path,
            Self::Folder(own) => path.rsplit_once('/').map_or("", |(folder, _)| folder) == own,
        }
    }

    fn has_line(&self, path: &str, line: u32) -> bool {
        let is_of_other = matches!(self, Self::OfTest(_, others) if others.iter().any(|lines| lines.contains(&line)));
        self.has(path) && !is_of_other
    }
}

/// The lines of the other tests of a file, for a function inside of a test that something of this test registers:
/// `@app.route("/")` with an `app` that is a parameter or a local. Each test runs alone, so no text in another one
/// leads to it. `None` for anything else.
fn list_other_tests(facts: &FileFacts, own: &Definition) -> Option<Vec<RangeInclusive<u32>>> {
    let is_test = |row: &&Definition| row.kind == DefKind::Function && facts.name(row.name).starts_with("test");
    // The outermost test around it.
    let around = std::iter::successors(own.owner, |owner| facts.definition(*owner).owner);
    let test = around.map(|owner| facts.definition(owner)).filter(|row| is_test(row)).last()?;
    let is_of_test =
        |decorator: &ExprId| root_name(facts, *decorator).is_some_and(|root| is_bound_below(facts, root, test));
    if !facts.list(own.decorators).iter().all(is_of_test) {
        return None;
    }
    let others = facts.definitions.iter().filter(|row| is_test(row) && !holds(row, test) && !holds(test, row));
    Some(others.map(|row| row.line_start..=row.line_end).collect())
}

fn holds(outer: &Definition, inner: &Definition) -> bool {
    outer.line_start <= inner.line_start && inner.line_end <= outer.line_end
}

/// The name that a decorator starts with, and the scope in which it is looked up: `app` of `@app.route("/")`.
fn root_name(facts: &FileFacts, decorator: ExprId) -> Option<(NameId, ScopeId)> {
    let mut expr = decorator;
    loop {
        match facts.expr(expr) {
            Expr::Call { callee, .. } => expr = callee,
            Expr::Member { base, .. } => expr = base,
            Expr::Name { name, scope } => return Some((name, scope)),
            _ => return None,
        }
    }
}

/// Returns whether a name is bound inside of a function, and not around it.
fn is_bound_below(facts: &FileFacts, (name, from): (NameId, ScopeId), function: &Definition) -> bool {
    let outwards = std::iter::successors(Some(from), |scope| facts.scopes[scope.index()].parent);
    let inside: BTreeSet<usize> =
        outwards.take_while(|scope| *scope != function.scope).map(|scope| scope.index()).collect();
    let is_local = |target: BindingTarget| !matches!(target, BindingTarget::Outer(_) | BindingTarget::Import(_));
    let mut bindings = facts.bindings.iter().filter(|row| row.name == name && inside.contains(&row.scope.index()));
    bindings.any(|row| is_local(row.target))
}

/// Returns whether a module of JavaScript keeps a name to itself. What a script without imports and exports defines is
/// there for others.
fn is_hidden_in_module(facts: &FileFacts, name: &str) -> bool {
    let is_module = !facts.imports.is_empty() || !facts.exports.is_empty();
    let exports = |value: ExprId| match facts.expr(value) {
        Expr::Name { name: of, .. } => facts.name(of) == name,
        Expr::Definition(def) => facts.name(facts.definition(def).name) == name,
        _ => false,
    };
    let is_exported = facts.exports.iter().any(|export| facts.name(export.name) == name || exports(export.value));
    let is_marked = facts.definitions.iter().any(|row| row.flags.is_exported && facts.name(row.name) == name);
    is_module && !is_exported && !is_marked
}

/// Returns whether every place of the name on a line is changed or explained.
fn is_settled(
    file: &Spelled,
    line: u32,
    names: Names<'_>,
    (aliases, own): (&BTreeSet<(String, usize)>, &BTreeSet<&str>),
) -> bool {
    let mut on_line = file.places.iter().filter(|place| file.position(place.start).line == line).peekable();
    let path = file.path.as_str();
    on_line.peek().is_some()
        && on_line.all(|place| {
            file.is_edited(place.start)
                || matches!(place.form, NameForm::Comment)
                || aliases.contains(&(path.to_owned(), place.start))
                || file.is_explained(*place, names, own)
        })
}

/// Lines of comments that have the old name.
pub(super) fn list_comments(file: &Spelled) -> Vec<Comment> {
    let comments = file.places.iter().filter(|place| place.form == NameForm::Comment && !file.is_edited(place.start));
    let lines: BTreeSet<u32> = comments.map(|place| file.position(place.start).line).collect();
    let row = |line: u32| Comment { path: file.path.clone(), line, text: file.line(line).to_owned() };
    lines.into_iter().map(row).collect()
}
