//! A new name for a symbol: the places to change, or the reason why not all of them are known.

use std::collections::{BTreeMap, BTreeSet};

mod family;
mod keys;
mod left;
mod relink;
mod spelled;
mod strings;

use m1nd_base::{Cancel, Cancelled, ContentHash, EdgeTier, NodeKind, Pos, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::{NodeFlags, NodeIx};

use crate::references::{Occurrence, Role, places_of_name};
use family::{check_free, check_names, file_follows, find_family, list_users, named_like_class, read, read_if_named};
use relink::Relinked;
use spelled::{Names, Outcome, base_name};

pub(in crate::edits) use family::{Files, read as read_file};
pub use left::Left;
pub(in crate::edits) use spelled::Spelled;

/// Most comments that are listed.
const MAX_COMMENTS: usize = 200;
/// A file with its new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamedFile {
    /// Its path in the index.
    pub path: RepoPath,
    /// Its new path, where the name of the file must follow.
    pub new_path: Option<RepoPath>,
    /// Hash of the text that the places were found in.
    pub before: ContentHash,
    /// Its new text.
    pub text: String,
    /// Places that change, in order.
    pub places: Vec<Pos>,
}

/// A new name for a symbol.
#[derive(Debug, Clone, PartialEq)]
pub struct Rename {
    /// The definitions that get it.
    pub definitions: Vec<NodeIx>,
    /// Files that change, by path.
    pub files: Vec<RenamedFile>,
    /// References that may mean the symbol, and are left.
    pub possible: Vec<Occurrence>,
    /// Other places that write the old name, may mean the symbol, and are left.
    pub left: Vec<Left>,
    /// Text that describes the symbol, and is left.
    pub documents: Vec<Occurrence>,
    /// Lines of comments in the changed files that have the old name, and are left.
    pub comments: Vec<Comment>,
    /// Code outside of the roots may use the old name.
    pub is_exported: bool,
}

/// A line of a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Its file.
    pub path: RepoPath,
    /// Its line.
    pub line: u32,
    /// The line, without the space around it.
    pub text: String,
}

/// Something that the new name would break.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Broken {
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// In words.
    pub what: String,
}

/// The reason why a symbol is not renamed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotRename {
    /// The node is not a definition with a name.
    #[error(
        "`{id}` is a {kind}, which has no name in the code that could be changed; pass a function, type or constant"
    )]
    NoName {
        /// Its id.
        id: String,
        /// Its kind.
        kind: &'static str,
    },
    /// The new name is none.
    #[error("`{name}` cannot be the new name: {why}")]
    BadName {
        /// The text, cut.
        name: String,
        /// The reason.
        why: &'static str,
    },
    /// Something else has the new name already.
    #[error("`{name}` is already the name of `{taken}`; choose another one")]
    Taken {
        /// The new name.
        name: String,
        /// Id of what has it.
        taken: String,
    },
    /// Other code decides about the name.
    #[error("`{id}` {why}; its name cannot be changed here")]
    NotOurs {
        /// The symbol.
        id: String,
        /// The reason.
        why: String,
    },
    /// Not all references are known.
    #[error("not every reference to `{id}` is known: {why}")]
    Open {
        /// The symbol.
        id: String,
        /// What may hide more.
        why: String,
        /// Some of the references that may mean it: file, line.
        hiding: Vec<(String, u32)>,
    },
    /// The renamed project would not be what it was.
    #[error("the project with `{name}` in place of `{id}` was linked in memory, and {} place(s) would break: {}", .broken.len(), list_broken(.broken))]
    Breaks {
        /// The symbol.
        id: String,
        /// The new name.
        name: String,
        /// What would break.
        broken: Vec<Broken>,
    },
    /// The renamed project cannot be linked.
    #[error("the renamed project cannot be checked: {why}")]
    NotLinked {
        /// The reason.
        why: String,
    },
    /// A file changed since it was indexed, or cannot be read as text.
    #[error("`{path}` {why}; run `ingest` and repeat the call")]
    File {
        /// Its path.
        path: String,
        /// The reason.
        why: &'static str,
    },
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl From<Cancelled> for CannotRename {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// Maximum number of broken places that a message lists.
const MAX_BROKEN: usize = 5;
/// Maximum number of times the project is linked for one rename.
const MAX_TRIALS: usize = 4;

pub(super) fn list_broken(broken: &[Broken]) -> String {
    let row = |found: &Broken| format!("{}:{} {}", found.file, found.line, found.what);
    broken.iter().take(MAX_BROKEN).map(row).collect::<Vec<_>>().join("; ")
}

/// Finds the places that change if a symbol gets another name, and checks the project with them. `leaves` accepts
/// places that write the old name, may mean the symbol, and stay as they are.
///
/// # Errors
/// [`CannotRename`].
pub fn rename(
    snapshot: &Snapshot,
    node: NodeIx,
    name: &str,
    leaves: bool,
    cancel: &Cancel,
) -> Result<Rename, CannotRename> {
    let graph = snapshot.graph();
    check_names(snapshot, node, name)?;
    let old = base_name(graph.label(node));
    let names = Names { old, new: name, is_key: keys::is_member(graph, node) };
    let mut files = Files::new();
    // What has the name, and who writes it.
    let definitions = find_family(snapshot, node, &mut files, cancel)?;
    for &definition in &definitions {
        check_free(graph, definition, name)?;
    }
    let mut renaming = Renaming { definitions, files, ..Renaming::of(snapshot, names, cancel) };
    renaming.rename_definitions()?;
    renaming.rename_references()?;
    renaming.rename_other_places()?;
    // Places that keep the name.
    let left = renaming.list_left()?;
    if !leaves && (!left.is_empty() || !renaming.possible.is_empty()) {
        return Err(renaming.refuse(node, &left));
    }
    // The project with the new name.
    renaming.settle(node)?;
    renaming.finish(left)
}

/// What has the name of a function, and every place that uses it or may do so.
pub(in crate::edits) struct Uses {
    /// The function with all that declares, replaces or completes it; a constructor with its declarations.
    pub(in crate::edits) definitions: Vec<NodeIx>,
    /// All references to them.
    pub(in crate::edits) rows: Vec<Occurrence>,
    /// References that may mean something else, and are not among `rows` as certain ones.
    pub(in crate::edits) possible: Vec<Occurrence>,
    /// Other places that may use it.
    pub(in crate::edits) left: Vec<Left>,
    /// The files that were read.
    pub(in crate::edits) files: Files,
}

/// Finds the uses of a function as for a new name.
///
/// # Errors
/// [`CannotRename`].
pub(in crate::edits) fn find_uses(snapshot: &Snapshot, node: NodeIx, cancel: &Cancel) -> Result<Uses, CannotRename> {
    let graph = snapshot.graph();
    let old = base_name(graph.label(node));
    let names = Names { old, new: old, is_key: keys::is_member(graph, node) };
    let mut files = Files::new();
    let is_constructor = graph.flags(node).has(NodeFlags::CONSTRUCTOR);
    let definitions = match is_constructor {
        true => graph.with_same_symbols(vec![node]),
        false => find_family(snapshot, node, &mut files, cancel)?,
    };
    let mut renaming = Renaming { definitions, files, ..Renaming::of(snapshot, names, cancel) };
    renaming.rename_definitions()?;
    let rows = renaming.list_references()?;
    renaming.rename_rows(rows.clone())?;
    let mut left = Vec::new();
    if !is_constructor {
        renaming.rename_other_places()?;
        left = renaming.list_left()?;
    }
    let Renaming { definitions, files, possible, .. } = renaming;
    Ok(Uses { definitions, rows, possible, left, files })
}

/// A rename while it is planned.
struct Renaming<'a> {
    snapshot: &'a Snapshot,
    names: Names<'a>,
    cancel: &'a Cancel,
    definitions: Vec<NodeIx>,
    files: Files,
    /// Edited references.
    references: BTreeSet<(String, usize)>,
    /// Places of references that keep the name: it is one of their own.
    aliases: BTreeSet<(String, usize)>,
    possible: Vec<Occurrence>,
    documents: Vec<Occurrence>,
    /// Places that may give the symbol by a key, and are left.
    keys: Vec<(String, u32)>,
}

impl<'a> Renaming<'a> {
    fn of(snapshot: &'a Snapshot, names: Names<'a>, cancel: &'a Cancel) -> Self {
        Self {
            snapshot,
            names,
            cancel,
            definitions: Vec::new(),
            files: Files::new(),
            references: BTreeSet::new(),
            aliases: BTreeSet::new(),
            possible: Vec::new(),
            documents: Vec::new(),
            keys: Vec::new(),
        }
    }

    fn rename_definitions(&mut self) -> Result<(), CannotRename> {
        let graph = self.snapshot.graph();
        let mut all = self.definitions.clone();
        for &definition in &self.definitions {
            if graph.kind(definition) != NodeKind::Function {
                all.extend(named_like_class(graph, definition));
            }
        }
        for definition in all {
            let path = graph.path(definition);
            let file = read(self.snapshot, path, self.names.old, &mut self.files, self.cancel)?;
            if !file.rename_definition(graph, definition, self.names) {
                let why = "does not have the definition where the index says";
                return Err(CannotRename::File { path: path.to_owned(), why });
            }
            if self.definitions.contains(&definition) && file.new_path.is_none() {
                file.new_path = file_follows(self.snapshot, definition, self.names.new);
            }
        }
        Ok(())
    }

    /// Renames the places of all references to the definitions.
    fn rename_references(&mut self) -> Result<(), CannotRename> {
        let rows = self.list_references()?;
        self.rename_rows(rows)
    }

    fn list_references(&self) -> Result<Vec<Occurrence>, CannotRename> {
        let mut rows: Vec<Occurrence> = Vec::new();
        for &definition in &self.definitions {
            rows.extend(places_of_name(self.snapshot, definition, self.cancel)?.rows);
        }
        Ok(rows)
    }

    fn rename_rows(&mut self, rows: Vec<Occurrence>) -> Result<(), CannotRename> {
        // A call of any of several methods of the family is one reference to it.
        let mut reached: BTreeMap<(NodeIx, Pos), BTreeSet<NodeIx>> = BTreeMap::new();
        for row in &rows {
            reached.entry((row.from, row.pos)).or_default().insert(row.to);
        }
        let is_whole = |row: &Occurrence| {
            row.of > 0 && reached.get(&(row.from, row.pos)).is_some_and(|to| to.len() >= usize::from(row.of))
        };
        for row in rows {
            let is_sure = row.tier == EdgeTier::Certain || row.tier == EdgeTier::Possible && is_whole(&row);
            match row.role {
                Role::Document => self.documents.push(row),
                Role::Override => {}
                _ if is_sure && row.pos.col > 0 => self.rename_reference(row)?,
                // The method that the code names is one of those that are renamed.
                _ if row.dispatch => {}
                _ if row.tier == EdgeTier::Possible && row.pos.col > 0 => self.possible.push(row),
                _ => {}
            }
        }
        self.keep_possible()
    }

    fn rename_reference(&mut self, row: Occurrence) -> Result<(), CannotRename> {
        let graph = self.snapshot.graph();
        let path = graph.path(row.from);
        if path.is_empty() {
            return Ok(());
        }
        let own: BTreeSet<&str> = self.definitions.iter().map(|node| graph.id(*node)).collect();
        let names = self.names;
        let file = read(self.snapshot, path, names.old, &mut self.files, self.cancel)?;
        let is_import = matches!(row.role, Role::Import | Role::Reexport);
        // A test framework fills the parameters of a function by name: the edge starts where the function is written.
        if row.role == Role::Call && file.facts.definitions.iter().any(|definition| definition.pos == row.pos) {
            file.rename_parameter(row.pos, names);
            return Ok(());
        }
        // The name of what registers it may be the same: `@app.before_request` above `def before_request`.
        if row.role == Role::Register && file.is_decorator(row.pos) {
            return Ok(());
        }
        let at = file.offset(row.pos);
        match file.rename_use(row.pos, (is_import, names), &own) {
            Outcome::Renamed => self.references.extend(at.map(|at| (path.to_owned(), at))),
            Outcome::Alias => self.aliases.extend(at.map(|at| (path.to_owned(), at))),
            Outcome::Elsewhere => {
                // The name may be the end of a text.
                file.rename_in_literal(row.pos, names);
            }
        }
        Ok(())
    }

    /// Of the possible references, only those that write the name, at places that no certain one has.
    fn keep_possible(&mut self) -> Result<(), CannotRename> {
        let graph = self.snapshot.graph();
        for row in std::mem::take(&mut self.possible) {
            let path = graph.path(row.from);
            if path.is_empty() {
                continue;
            }
            let file = read(self.snapshot, path, self.names.old, &mut self.files, self.cancel)?;
            let Some(at) = file.offset(row.pos) else { continue };
            if row.role == Role::Register && file.is_decorator(row.pos) {
                continue;
            }
            let known = (path.to_owned(), at);
            let writes_it = file.form_at(at).is_some() || matches!(row.role, Role::Register);
            if writes_it && !file.is_edited(at) && !self.aliases.contains(&known) {
                self.possible.push(row);
            }
        }
        Ok(())
    }

    /// Renames what means the symbol without a reference: texts that certainly do, arguments, keys of literals.
    fn rename_other_places(&mut self) -> Result<(), CannotRename> {
        let (snapshot, names) = (self.snapshot, self.names);
        let is_field = names.is_key;
        for file in self.files.values_mut() {
            self.cancel.check()?;
            file.rename_looked_up(snapshot, &self.definitions, names);
            if file.edits.is_empty() {
                continue;
            }
            file.rename_in_texts(names);
        }
        self.rename_import_paths();
        for file in self.files.values() {
            let lines = file.list_named_in_texts(names);
            self.keys.extend(lines.into_iter().map(|line| (file.path.as_str().to_owned(), line)));
        }
        if is_field {
            self.rename_arguments();
            self.keys.extend(keys::rename_keys(snapshot, &self.definitions, &mut self.files, names, self.cancel)?);
        }
        Ok(())
    }

    /// Renames a class of Java in the paths of imports of what is inside of it.
    fn rename_import_paths(&mut self) {
        let (graph, old) = (self.snapshot.graph(), self.names.old);
        let is_type = |node: &&NodeIx| !matches!(graph.kind(**node), NodeKind::Function | NodeKind::Field);
        let types: Vec<NodeIx> = self.definitions.iter().filter(is_type).copied().collect();
        let paths: Vec<String> = types
            .iter()
            .filter_map(|node| strings::written_path(graph, *node, self.files.get(graph.path(*node))?))
            .collect();
        for user in if paths.is_empty() { BTreeSet::new() } else { list_users(graph, &types) } {
            let file = read_if_named(self.snapshot, &user, old, &mut self.files, self.cancel);
            file.into_iter().for_each(|file| file.rename_in_imports(&paths, self.names));
        }
    }

    fn rename_arguments(&mut self) {
        let (old, graph) = (self.names.old, self.snapshot.graph());
        let mut paths = list_users(graph, &self.definitions);
        paths.extend(self.files.keys().cloned());
        for path in paths {
            let file = read_if_named(self.snapshot, &path, old, &mut self.files, self.cancel);
            let Some(file) = file else { continue };
            let (given, unclear) = strings::list_given_fields(self.snapshot, &self.definitions, file);
            for at in given {
                file.edits.entry(at).or_insert_with(|| self.names.new.to_owned());
            }
            let unclear = unclear.into_iter().filter(|at| !file.is_edited(*at));
            self.keys.extend(unclear.map(|at| (path.clone(), file.position(at).line)));
        }
    }

    /// Links the project with the edits; takes back those of places that mean the symbol through a name of their own,
    /// and refuses what would break.
    fn settle(&mut self, node: NodeIx) -> Result<(), CannotRename> {
        let mut broken = Vec::new();
        for _ in 0..MAX_TRIALS {
            let trial = Relinked::of(self.snapshot, &self.files, self.names, self.cancel)?;
            let places: Vec<(String, usize)> = self.references.iter().cloned().collect();
            let lost = trial.find_lost(&places, &self.definitions);
            if lost.is_empty() {
                broken = trial.find_broken(&self.definitions, self.cancel)?;
                if broken.is_empty() {
                    return Ok(());
                }
                break;
            }
            for (path, at) in lost {
                if let Some(file) = self.files.get_mut(&path) {
                    file.take_back(at);
                    broken.push(Broken {
                        line: file.position(at).line,
                        what: format!("`{}` would not mean the symbol here", self.names.new),
                        file: path.clone(),
                    });
                }
                self.references.remove(&(path, at));
            }
        }
        let (id, name) = (self.snapshot.graph().id(node).to_owned(), self.names.new.to_owned());
        Err(CannotRename::Breaks { id, name, broken })
    }

    fn finish(self, left: Vec<Left>) -> Result<Rename, CannotRename> {
        let graph = self.snapshot.graph();
        let is_exported = self.definitions.iter().any(|node| graph.flags(*node).has(NodeFlags::EXPORTED));
        let (mut files, mut comments) = (Vec::new(), Vec::new());
        for (_, file) in self.files.into_iter().filter(|(_, file)| !file.edits.is_empty()) {
            comments
                .extend(left::list_comments(&file).into_iter().take(MAX_COMMENTS - comments.len().min(MAX_COMMENTS)));
            files.push(RenamedFile {
                before: file.hash,
                text: file.new_text(self.names.old),
                places: file.edits.keys().map(|at| file.position(*at)).collect(),
                path: file.path,
                new_path: file.new_path,
            });
        }
        let (definitions, possible, documents) = (self.definitions, self.possible, self.documents);
        Ok(Rename { definitions, files, possible, left, documents, comments, is_exported })
    }
}
