//! A definition of C or C++ goes to another file: what goes, what it leaves behind, and whether it may.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use m1nd_base::{Cancel, NodeKind, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx};
use m1nd_lang::RegionKind;

use super::super::Move;
use super::sight::{Sight, is_native};
use super::unit::{Form, Unit};
use crate::edits::refactor::{CannotRefactor, Note, Refactoring};

/// Maximum number of helpers that go along.
const MAX_HELPERS: usize = 50;

/// Plans the move of a definition.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(snapshot: &Snapshot, request: &Move, cancel: &Cancel) -> Result<Refactoring, CannotRefactor> {
    let mut moving = Moving::new(snapshot, request, cancel)?;
    moving.take(request.node)?;
    moving.take_members()?;
    moving.take_helpers()?;
    moving.check_hidden_static()?;
    moving.check_target()?;
    moving.leave_declarations()?;
    moving.find_needs()?;
    moving.follow_users()?;
    moving.check_cycles()?;
    moving.write()
}

/// A statement that goes.
pub(super) struct Piece {
    /// Its place among the statements of the file.
    pub(super) item: usize,
    pub(super) lines: Range<usize>,
    pub(super) names: BTreeSet<String>,
    pub(super) nodes: Vec<NodeIx>,
    pub(super) form: Form,
}

/// A move while it is planned.
pub(super) struct Moving<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) request: &'a Move,
    pub(super) cancel: &'a Cancel,
    pub(super) sight: Sight<'a>,
    pub(super) origin: Unit,
    /// The file that it goes to, if that is there.
    pub(super) target: Option<Unit>,
    pub(super) pieces: Vec<Piece>,
    /// Users by path, without both files.
    pub(super) users: BTreeMap<String, Unit>,
    /// Includes that files will have.
    pub(super) more: BTreeMap<String, BTreeSet<String>>,
    /// Declarations that the target needs in front of what goes, with their namespaces.
    pub(super) declarations: Vec<(Vec<String>, String)>,
    /// Includes of headers of the system that the target gets.
    pub(super) system_lines: BTreeSet<String>,
    /// `using` statements that the target gets.
    pub(super) usings: Vec<String>,
    /// What takes the place of a statement that goes.
    pub(super) left: BTreeMap<usize, String>,
    /// Statements of the target that what goes uses.
    pub(super) used_in_target: BTreeSet<usize>,
    pub(super) notes: Vec<Note>,
    pub(super) places: usize,
    pub(super) to_header: bool,
    pub(super) from_header: bool,
}

impl<'a> Moving<'a> {
    fn new(snapshot: &'a Snapshot, request: &'a Move, cancel: &'a Cancel) -> Result<Self, CannotRefactor> {
        let sight = Sight::new(snapshot);
        let from = snapshot.graph().path(request.node);
        let origin = Unit::read(snapshot, &sight, from, cancel)?;
        let to = RepoPath::new(&request.to).map_err(|_| refuse_path(&request.to))?;
        let entry = snapshot.files().get(&to);
        let target = match entry {
            Some(entry) if is_native(entry.language) => Some(Unit::read(snapshot, &sight, &request.to, cancel)?),
            Some(_) => return Err(CannotRefactor::BadRequest(format!("`{to}` is not a file of C or C++"))),
            None => None,
        };
        let (to_header, from_header) = (sight.is_header(&request.to), sight.is_header(from));
        Ok(Self {
            snapshot,
            request,
            cancel,
            sight,
            origin,
            target,
            pieces: Vec::new(),
            users: BTreeMap::new(),
            more: BTreeMap::new(),
            declarations: Vec::new(),
            system_lines: BTreeSet::new(),
            usings: Vec::new(),
            left: BTreeMap::new(),
            used_in_target: BTreeSet::new(),
            notes: Vec::new(),
            places: 0,
            to_header,
            from_header,
        })
    }

    pub(super) fn graph(&self) -> &'a Graph {
        self.snapshot.graph()
    }

    pub(super) fn from(&self) -> &'a str {
        self.graph().path(self.request.node)
    }

    pub(super) fn refuse(&self, file: &str, line: u32, why: impl Into<String>) -> CannotRefactor {
        let id = self.graph().id(self.request.node);
        CannotRefactor::at(format!("`{id}` cannot be moved to `{}`", self.request.to), file, line, why)
    }

    /// Refuses what a macro says is `static` (`#define local static`), if it goes or is used by what goes: the word is
    /// not where it could be taken away.
    fn check_hidden_static(&self) -> Result<(), CannotRefactor> {
        // Between headers, the word goes along.
        if self.to_header && self.from_header {
            return Ok(());
        }
        let mut known: BTreeMap<&str, bool> = BTreeMap::new();
        for item in 0..self.origin.native.items.len() {
            let is_shown = match self.origin.form_of(item) {
                Form::Function { is_static, .. } | Form::Variable { is_static, .. } | Form::Prototype { is_static } => {
                    is_static
                }
                _ => true,
            };
            let head = self.origin.head_of(item).split(|c: char| !(c.is_alphanumeric() || c == '_'));
            let words: Vec<&str> = head.filter(|word| !is_shown && !word.is_empty()).collect();
            for word in &words {
                known.entry(word).or_insert_with(|| says_static(self.graph(), word));
            }
            let Some(word) = words.into_iter().find(|word| known[word]) else { continue };
            let names = self.origin.names_of(item);
            let is_used = |piece: &Piece| {
                let text = &self.origin.text()[piece.lines.clone()];
                text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| names.contains(word))
            };
            if self.pieces.iter().any(|piece| piece.item == item || is_used(piece)) {
                let why = format!("is `static` by the macro `{word}`, which cannot be taken away there");
                return Err(self.refuse_at(self.origin.code_of(item).start, why));
            }
        }
        Ok(())
    }

    /// Refuses a place of the file that is left.
    pub(super) fn refuse_at(&self, at: usize, why: impl Into<String>) -> CannotRefactor {
        self.refuse(self.from(), self.origin.line_of(at), why)
    }

    pub(super) fn note(&mut self, file: &str, line: u32, what: String) {
        let note = Note { file: file.to_owned(), line, what };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// All names that go.
    pub(super) fn names(&self) -> BTreeSet<String> {
        self.pieces.iter().flat_map(|piece| piece.names.iter().cloned()).collect()
    }

    /// Whether a byte of the file that is left goes.
    pub(super) fn goes(&self, at: usize) -> bool {
        self.pieces.iter().any(|piece| piece.lines.contains(&at))
    }

    /// The statement that defines a node of the file that is left.
    pub(super) fn item_of(&self, node: NodeIx) -> Option<usize> {
        let own = self.origin.parsed.definition(self.graph().id(node))?;
        let at = self.origin.parsed.offset(self.origin.parsed.facts.definitions[own].pos)?;
        self.origin.item_at(at)
    }

    /// Adds the statement that defines a node.
    fn take(&mut self, node: NodeIx) -> Result<(), CannotRefactor> {
        let graph = self.graph();
        let line = graph.name_line(node);
        let refuse = |why: &str| self.refuse(self.from(), line, why);
        let is_member = graph.ancestors(node).any(|around| {
            !matches!(graph.kind(around), NodeKind::File | NodeKind::Module | NodeKind::Directory | NodeKind::Package)
        });
        if is_member {
            return Err(refuse("is a member: it moves with the type that it is in"));
        }
        if graph.kind(node) == NodeKind::Module {
            return Err(refuse("is a namespace, which may go on in other files: move what is in it"));
        }
        let item = self.item_of(node).ok_or_else(|| refuse("is inside of another statement"))?;
        // A declaration of a function of this file means the function.
        let names = self.origin.names_of(item);
        let region = self.origin.native.items[item].region;
        let is_body = |other: &usize| {
            let row = &self.origin.native.items[*other];
            row.body.is_some()
                && self.origin.scope_of(row.region) == self.origin.scope_of(region)
                && self.origin.names_of(*other) == names
        };
        let is_declaration = matches!(self.origin.form_of(item), Form::Prototype { .. });
        let body =
            (0..self.origin.native.items.len()).find(is_body).filter(|_| is_declaration && !self.origin.is_cpp());
        self.take_item(body.unwrap_or(item))
    }

    fn take_item(&mut self, item: usize) -> Result<(), CannotRefactor> {
        if self.pieces.iter().any(|piece| piece.item == item) {
            return Ok(());
        }
        let row = &self.origin.native.items[item].item;
        let (start, lines) = (row.bytes.start, row.lines.clone());
        if let Some(region) = self.origin.obstacle_around(item) {
            let at = region.bytes.start;
            let why = match region.kind {
                RegionKind::Anonymous => "is a namespace without a name: what is in it belongs to this file alone",
                RegionKind::Condition => "is a condition of the preprocessor around it",
                _ => "is code that cannot be read, around it or before it",
            };
            return Err(self.refuse_at(at, why));
        }
        if !self.origin.has_own_lines(item) {
            return Err(self.refuse_at(start, "shares a line or a statement with other code"));
        }
        let form = self.origin.form_of(item);
        if form == Form::Other {
            return Err(self.refuse_at(start, "is defined by a statement that defines something else as well"));
        }
        let (names, defined) = (self.origin.names_of(item), self.origin.defined_by(item));
        if form == Form::Macro && self.is_guard(&names) {
            return Err(self.refuse_at(start, "is the guard of the header"));
        }
        if names.contains("main") {
            return Err(self.refuse_at(start, "is where a program begins"));
        }
        let ids = defined.iter().filter_map(|(row, _)| self.origin.parsed.ids[*row].as_deref());
        let nodes: Vec<NodeIx> = ids.filter_map(|id| self.graph().find(id)).collect();
        self.pieces.push(Piece { item, lines, names, nodes, form });
        self.pieces.sort_by_key(|piece| piece.lines.start);
        Ok(())
    }

    fn is_guard(&self, names: &BTreeSet<String>) -> bool {
        let guards = self.origin.native.regions.iter().filter(|region| region.kind == RegionKind::Guard);
        guards.into_iter().any(|region| {
            let head = self.origin.text()[region.bytes.clone()].lines().next().unwrap_or_default();
            names.iter().any(|name| head.contains(name.as_str()))
        })
    }

    /// Adds what the file defines of the members of a type that goes, outside of the type.
    fn take_members(&mut self) -> Result<(), CannotRefactor> {
        let types: BTreeSet<String> = self
            .pieces
            .iter()
            .filter(|piece| piece.form == Form::Type)
            .flat_map(|piece| piece.names.iter().cloned())
            .collect();
        if types.is_empty() {
            return Ok(());
        }
        for item in 0..self.origin.native.items.len() {
            let is_member = matches!(
                self.origin.form_of(item),
                Form::Function { is_member: true, .. } | Form::Variable { is_member: true, .. }
            );
            if is_member && self.class_of(item).is_some_and(|class| types.contains(&class)) {
                self.take_item(item)?;
            }
        }
        Ok(())
    }

    /// The class whose member a statement defines outside of it.
    fn class_of(&self, item: usize) -> Option<String> {
        let (_, row) = self.origin.defined_by(item).into_iter().next()?;
        let at = self.origin.parsed.offset(row.pos)?;
        let before = self.origin.text()[..at].trim_end_matches('~').trim_end().strip_suffix("::")?.trim_end();
        // Arguments of a template stand between the class and the colons.
        let mut depth = 0_usize;
        let mut end = before.len();
        for (place, c) in before.char_indices().rev() {
            match c {
                '>' => depth += 1,
                '<' => depth = depth.saturating_sub(1),
                _ if depth == 0 => break,
                _ => {}
            }
            end = place;
            if depth == 0 {
                break;
            }
        }
        let head = if before.ends_with('>') { before[..end].trim_end() } else { before };
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let start = head.rfind(|c: char| !is_part(c)).map_or(0, |at| at + 1);
        Some(head[start..].to_owned())
    }

    /// Adds what only what goes uses of the file, if that is asked for.
    fn take_helpers(&mut self) -> Result<(), CannotRefactor> {
        if !self.request.with_helpers {
            return Ok(());
        }
        let mut next = 0;
        while next < self.pieces.len().min(MAX_HELPERS) {
            let used: BTreeSet<String> = self
                .pieces
                .iter()
                .flat_map(|piece| self.origin.words_in(&piece.lines))
                .filter(|word| !word.is_member)
                .map(|word| self.origin.spelling(word).to_owned())
                .collect();
            let found = (0..self.origin.native.items.len()).find(|item| self.is_helper(*item, &used));
            let Some(item) = found else { break };
            self.take_item(item)?;
            let names = self.origin.names_of(item).into_iter().collect::<Vec<_>>().join("`, `");
            let line = self.origin.line_of(self.origin.native.items[item].item.bytes.start);
            self.note(self.from(), line, format!("`{names}` goes along"));
            next += 1;
        }
        Ok(())
    }

    /// Whether only what goes uses what a statement defines.
    fn is_helper(&self, item: usize, used: &BTreeSet<String>) -> bool {
        let names = self.origin.names_of(item);
        if names.is_empty() || names.is_disjoint(used) || self.pieces.iter().any(|piece| piece.item == item) {
            return false;
        }
        let is_own = match self.origin.form_of(item) {
            Form::Function { is_static, is_member, .. } => is_static && !is_member,
            Form::Variable { is_static, .. } => is_static,
            Form::Type | Form::Macro => !self.from_header,
            Form::Prototype { .. } | Form::Other => false,
        };
        let lines = &self.origin.native.items[item].item.lines;
        let is_alone = self.origin.words.iter().all(|word| {
            let at = word.range.start;
            lines.contains(&at) || self.goes(at) || !names.contains(self.origin.spelling(word))
        });
        is_own && is_alone && (!self.from_header || self.sight.seeing(self.from()).is_empty())
    }

    /// Refuses a target that cannot have what goes.
    fn check_target(&mut self) -> Result<(), CannotRefactor> {
        self.check_names()?;
        if !self.to_header || self.from_header {
            return Ok(());
        }
        // From a source to a header: each file that includes it would have its own.
        self.refuse_shared("would be defined in every file that includes the header")
    }

    /// Refuses what may be defined in one file only.
    fn refuse_shared(&self, why: &str) -> Result<(), CannotRefactor> {
        let is_shared = |piece: &&Piece| match piece.form {
            Form::Function { is_inline, is_static, .. } => !is_inline && !is_static,
            // In C, a constant is shared like any other variable.
            Form::Variable { is_const, is_static, is_extern, .. } => {
                !(is_const && self.origin.is_cpp() || is_static || is_extern)
            }
            _ => false,
        };
        match self.pieces.iter().find(is_shared) {
            Some(piece) => Err(self.refuse_at(self.origin.native.items[piece.item].item.bytes.start, why)),
            None => Ok(()),
        }
    }

    /// Refuses what one source includes and, in another header, several would.
    pub(super) fn check_included_once(&self) -> Result<(), CannotRefactor> {
        if !(self.to_header && self.from_header) {
            return Ok(());
        }
        let seeing = |path: &str| self.sight.seeing(path);
        let mut after: BTreeSet<String> = seeing(&self.request.to);
        let to = self.request.to.as_str();
        for path in self.more.keys().filter(|path| self.sight.seen_from(path, &self.more).contains(to)) {
            after.extend(seeing(path));
            after.insert(path.clone());
        }
        let count = |paths: &BTreeSet<String>| paths.iter().filter(|path| !self.sight.is_header(path)).count();
        if count(&seeing(self.from())) > 1 || count(&after) <= 1 {
            return Ok(());
        }
        self.refuse_shared("would be defined in several files that include the header")
    }

    /// Refuses names that the target has, or sees.
    fn check_names(&self) -> Result<(), CannotRefactor> {
        let graph = self.graph();
        let mut files: BTreeSet<String> = self.sight.seen_from(&self.request.to, &self.more);
        files.insert(self.request.to.clone());
        files.remove(self.from());
        // What the old file sees as well did not stand in the way there.
        let beside = self.sight.seen_from(self.from(), &self.more);
        files.retain(|path| *path == self.request.to || !beside.contains(path));
        let own: BTreeSet<NodeIx> = self
            .pieces
            .iter()
            .flat_map(|piece| piece.nodes.iter())
            .flat_map(|node| graph.with_parts(*node, MAX_HELPERS))
            .collect();
        for piece in &self.pieces {
            if let Form::Function { is_member: true, .. } | Form::Variable { is_member: true, .. } = piece.form {
                continue;
            }
            for node in &piece.nodes {
                let (label, kind) = (graph.label(*node), graph.kind(*node));
                let is_other = |other: &NodeIx| {
                    let is_outer = graph.parent(*other).is_some_and(|parent| {
                        matches!(graph.kind(parent), NodeKind::File | NodeKind::Module)
                            || graph.kind(*other) == NodeKind::Variant
                    });
                    let is_overload = kind == NodeKind::Function
                        && graph.kind(*other) == kind
                        && self.origin.is_cpp()
                        && graph.signature(*other) != graph.signature(*node);
                    let is_forward =
                        graph.flags(*other).has(m1nd_graph::NodeFlags::DECLARATION) && kind != NodeKind::Function;
                    is_outer
                        && files.contains(graph.path(*other))
                        && !own.contains(other)
                        && !is_overload
                        && !is_forward
                };
                let clash = graph.find_labelled(label).into_iter().filter(is_other).find(|other| {
                    graph.kind(*other) == NodeKind::Macro
                        || kind == NodeKind::Macro
                        || self.is_same_scope(*node, *other)
                });
                if let Some(other) = clash {
                    let why = format!("has the name `{label}` already");
                    return Err(self.refuse(graph.path(other), graph.name_line(other), why));
                }
            }
        }
        Ok(())
    }

    /// Whether two definitions are in the same namespace.
    fn is_same_scope(&self, one: NodeIx, other: NodeIx) -> bool {
        let graph = self.graph();
        let modules = |node: NodeIx| -> Vec<&str> {
            let around = graph.ancestors(node).filter(|around| graph.kind(*around) == NodeKind::Module);
            around.map(|around| graph.label(around)).collect()
        };
        modules(one) == modules(other)
    }
}

/// Returns whether a macro of this name stands for `static`.
fn says_static(graph: &Graph, word: &str) -> bool {
    let is_word = |part: &str| part == "static";
    let says = |node: &NodeIx| {
        let text = graph.signature(*node).split("/*").next().unwrap_or_default();
        graph.kind(*node) == NodeKind::Macro && text.split_whitespace().any(is_word)
    };
    graph.find_labelled(word).iter().any(says)
}

fn refuse_path(path: &str) -> CannotRefactor {
    CannotRefactor::BadRequest(format!("`{path}` is not a path"))
}
