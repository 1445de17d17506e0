//! Moves where files import names from modules: Python, JavaScript, TypeScript.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use m1nd_base::{Cancel, EdgeTier, NodeKind, Pos, Relation, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx};
use m1nd_lang::facts::{BindingTarget, ScopeId};
use m1nd_lang::{ItemKind, TokenKind, tokens};

use super::cut::{Parsed, append, deletion};
use super::imports::{Importer, NewName};
use super::needs::imported_module;
use super::spec::{Dialect, Speller, word_places};
use super::{Move, helpers};
use crate::closure::{self, Rows, reasons};
use crate::edits::refactor::trial::Trial;
use crate::edits::refactor::{CannotRefactor, NewFile, Note, Obstacle, Refactoring, Source, read_plain};
use crate::edits::verify::sites;
use crate::references::{Occurrence, Role, places_of_name};

/// Names that say where a file of Python is, or change what is in it.
const OF_THE_FILE: &[&str] = &["__file__", "globals"];

/// Plans a move of definitions.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(
    snapshot: &Snapshot,
    (request, dialect): (&Move, Dialect),
    cancel: &Cancel,
) -> Result<Refactoring, CannotRefactor> {
    let mut moving = Moving::new(snapshot, request, dialect, cancel)?;
    moving.check_definitions()?;
    moving.check_kind_of_module()?;
    moving.follow_users()?;
    moving.leave_origin()?;
    moving.fill_target()?;
    moving.finish()
}

/// A move while it is planned.
pub(super) struct Moving<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) cancel: &'a Cancel,
    pub(super) dialect: Dialect,
    pub(super) speller: Speller<'a>,
    /// Path that it goes to.
    pub(super) to: RepoPath,
    pub(super) origin: Importer,
    pub(super) target: Option<Importer>,
    /// What moves, and the statements that define it, in the order of the file.
    pub(super) nodes: Vec<NodeIx>,
    pub(super) cuts: Vec<usize>,
    /// The bytes that go, where they are not whole statements of the file.
    pub(super) parts: Option<Vec<Range<usize>>>,
    pub(super) users: BTreeMap<String, Importer>,
    /// Names of the target that the definitions use as such.
    files: Vec<NewFile>,
    pub(super) notes: Vec<Note>,
    places: usize,
    /// The origin still uses what moved.
    pub(super) stays_in_use: bool,
    /// Where the target uses what comes to it while it is imported.
    used_at_import: Option<u32>,
    obstacles: Vec<Obstacle>,
    /// Files that import the definition at hand under its own name.
    bound: BTreeSet<String>,
}

impl<'a> Moving<'a> {
    pub(super) fn new(
        snapshot: &'a Snapshot,
        request: &Move,
        dialect: Dialect,
        cancel: &'a Cancel,
    ) -> Result<Self, CannotRefactor> {
        let graph = snapshot.graph();
        let from = graph.path(request.node).to_owned();
        let to = helpers::target_path(snapshot, &from, &request.to)?;
        let origin = Parsed::read(snapshot, &from, cancel)?;
        let target = match snapshot.files().get(&to) {
            Some(_) => Some(Importer::of(snapshot, Parsed::read(snapshot, to.as_str(), cancel)?, dialect, cancel)),
            None => None,
        };
        let origin = Importer::of(snapshot, origin, dialect, cancel);
        let nodes = match request.with_helpers {
            true => helpers::with_helpers(snapshot, request.node, cancel)?,
            false => vec![request.node],
        };
        Ok(Self {
            snapshot,
            cancel,
            dialect,
            speller: Speller::new(dialect, snapshot),
            to,
            origin,
            target,
            nodes,
            cuts: Vec::new(),
            parts: None,
            users: BTreeMap::new(),
            files: Vec::new(),
            notes: Vec::new(),
            places: 0,
            stays_in_use: false,
            used_at_import: None,
            obstacles: Vec::new(),
            bound: BTreeSet::new(),
        })
    }

    pub(super) fn graph(&self) -> &'a Graph {
        self.snapshot.graph()
    }

    /// Finds the statements of the definitions, and what cannot be taken elsewhere.
    fn check_definitions(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.graph();
        for node in self.nodes.clone() {
            let label = graph.label(node);
            let item = self.origin.parsed.item_of(self.snapshot, node)?;
            // Overloads and later definitions of the name go along.
            let facts = &self.origin.parsed.facts;
            let same =
                facts.definitions.iter().filter(|other| other.owner.is_none() && facts.name(other.name) == label);
            let ranges: Vec<Range<usize>> = same.map(|other| other.bytes.0 as usize..other.bytes.1 as usize).collect();
            let is_of = |item: &m1nd_lang::FileItem| {
                ranges.iter().any(|range| item.bytes.start < range.end && range.start < item.bytes.end)
            };
            let found = (0..self.origin.parsed.items.len()).filter(|at| is_of(&self.origin.parsed.items[*at]));
            let found: Vec<usize> = found.filter(|found| !self.cuts.contains(found)).collect();
            self.cuts.extend(found);
            self.check_name(label)?;
            self.check_text(node, item)?;
        }
        self.cuts.sort_unstable();
        Ok(())
    }

    /// Refuses a name that the target has already.
    fn check_name(&self, label: &str) -> Result<(), CannotRefactor> {
        let Some(target) = &self.target else { return Ok(()) };
        let facts = &target.parsed.facts;
        let is_taken = |binding: &&m1nd_lang::facts::Binding| {
            let is_of_origin = match binding.target {
                BindingTarget::Import(import) => {
                    let at = target.parsed.offset(facts.imports[import.index()].pos);
                    let row = at.and_then(|at| target.name_at(at));
                    row.is_some_and(|row| target.names_from(self.origin.path(), label).contains(&row))
                }
                _ => false,
            };
            binding.scope == ScopeId(0) && facts.name(binding.name) == label && !is_of_origin
        };
        match facts.bindings.iter().find(is_taken) {
            None => Ok(()),
            Some(binding) => {
                let line = match binding.target {
                    BindingTarget::Definition(definition) => facts.definition(definition).pos.line,
                    BindingTarget::Import(import) => facts.imports[import.index()].pos.line,
                    _ => 0,
                };
                let what = format!("the name `{label}` is taken in the file it would go to");
                Err(CannotRefactor::at(what, self.to.as_str(), line, format!("has `{label}`")))
            }
        }
    }

    /// Refuses a definition whose text depends on the file that it is in.
    fn check_text(&self, node: NodeIx, item: usize) -> Result<(), CannotRefactor> {
        let graph = self.graph();
        let (path, id) = (self.origin.path(), graph.id(node));
        let bytes = &self.origin.parsed.items[item].bytes;
        let text = self.origin.slice(bytes);
        let refuse = |at: usize, why: &str| {
            let line = self.origin.parsed.line_of(bytes.start + at);
            Err(CannotRefactor::at(format!("`{id}` cannot be moved"), path, line, why))
        };
        if self.dialect == Dialect::Python {
            for token in tokens(self.origin.parsed.source.language, text) {
                let word = &text[token.range.clone()];
                if OF_THE_FILE.contains(&word) && token.kind == TokenKind::Name {
                    return refuse(token.range.start, &format!("uses `{word}`, which means this file"));
                }
                if word == "global" {
                    return refuse(token.range.start, "assigns to a variable of this file");
                }
            }
        }
        let label = graph.label(node);
        if self.dialect == Dialect::Python && label.starts_with("__") && label.ends_with("__") {
            return refuse(0, "has a meaning for the file it is in");
        }
        let declared = text.strip_prefix("export ").unwrap_or(text);
        let declared = ["const ", "let ", "var "].iter().find_map(|word| declared.strip_prefix(word));
        if self.dialect == Dialect::Script && declared.is_some_and(|rest| rest.trim_start().starts_with(['{', '['])) {
            return refuse(0, "is taken out of another value by a pattern");
        }
        if text.starts_with("export default") {
            return refuse(0, "is the default export of this file: importers name it as they like");
        }
        // A decorator that registers it stands in its own statement.
        let is_inside = |pos: Pos| self.origin.parsed.offset(pos).is_some_and(|at| bytes.contains(&at));
        let registers = |edge: &m1nd_graph::EdgeRef<'_>| {
            matches!(edge.relation, Relation::Registers | Relation::Serves) && sites(edge).into_iter().any(is_inside)
        };
        let registered = graph.in_edges(node).find(registers);
        match registered {
            Some(_) => {
                refuse(0, "registers itself when its file is imported: who would import the new file is not known")
            }
            None => Ok(()),
        }
    }

    /// The file of a user, read once.
    fn user(&mut self, path: &str) -> Result<&mut Importer, CannotRefactor> {
        if path == self.origin.path() {
            return Ok(&mut self.origin);
        }
        if path == self.to.as_str()
            && let Some(target) = &mut self.target
        {
            return Ok(target);
        }
        if !self.users.contains_key(path) {
            let parsed = Parsed::read(self.snapshot, path, self.cancel)?;
            let importer = Importer::of(self.snapshot, parsed, self.dialect, self.cancel);
            self.users.insert(path.to_owned(), importer);
        }
        self.users.get_mut(path).ok_or(CannotRefactor::File { path: path.to_owned(), why: "cannot be read" })
    }

    /// Rewrites the imports of everything that uses the definitions.
    fn follow_users(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.graph();
        for node in self.nodes.clone() {
            let label = graph.label(node).to_owned();
            let rows = places_of_name(self.snapshot, node, self.cancel)?.rows;
            self.note_bound(&rows, &label)?;
            for row in rows {
                let path = graph.path(row.from).to_owned();
                if path.is_empty() || matches!(row.role, Role::Document | Role::Override) || row.pos.col == 0 {
                    continue;
                }
                // A receiver that may be anything is not the module.
                if row.tier != EdgeTier::Certain && row.tier != EdgeTier::Possible {
                    continue;
                }
                let known = snapshot_language(self.snapshot, &path).and_then(Dialect::of);
                if known != Some(self.dialect) {
                    self.obstacle(&path, row.pos.line, "uses it in a file whose imports are not rewritten");
                    continue;
                }
                self.follow_use(&path, &label, (row.pos, row.role, row.tier))?;
            }
            self.follow_wildcards(&label)?;
            self.find_texts(node, &label)?;
        }
        match self.obstacles.is_empty() {
            true => Ok(()),
            false => {
                self.obstacles.sort();
                self.obstacles.dedup();
                let places = std::mem::take(&mut self.obstacles);
                let what = format!("not every use of `{}` can follow", graph.label(self.nodes[0]));
                Err(CannotRefactor::Obstacles { what, places })
            }
        }
    }

    /// Notes the files that have the name already, imported from anywhere.
    fn note_bound(&mut self, rows: &[Occurrence], label: &str) -> Result<(), CannotRefactor> {
        let graph = self.graph();
        self.bound.clear();
        for row in rows.iter().filter(|row| row.role == Role::Import && row.tier == EdgeTier::Certain) {
            let path = graph.path(row.from).to_owned();
            if path.is_empty() || snapshot_language(self.snapshot, &path).and_then(Dialect::of) != Some(self.dialect) {
                continue;
            }
            let user = self.user(&path)?;
            let import = user.parsed.offset(row.pos).and_then(|at| user.name_at(at)).map(|at| user.import(at));
            if import.is_some_and(|import| import.name == label && import.alias.is_none()) {
                self.bound.insert(path);
            }
        }
        Ok(())
    }

    fn obstacle(&mut self, file: &str, line: u32, why: &str) {
        self.obstacles.push(Obstacle { file: file.to_owned(), line, why: why.to_owned() });
    }

    /// One use of a definition.
    fn follow_use(
        &mut self,
        path: &str,
        label: &str,
        (pos, role, tier): (Pos, Role, EdgeTier),
    ) -> Result<(), CannotRefactor> {
        let (origin_path, to) = (self.origin.path().to_owned(), self.to.as_str().to_owned());
        let cuts = self.cut_ranges();
        let Some(at) = self.user(path)?.parsed.offset(pos) else { return Ok(()) };
        let is_inside = path == origin_path && cuts.iter().any(|cut| cut.contains(&at));
        if is_inside || path == origin_path && self.is_in_exports(at) {
            return Ok(());
        }
        let user = self.user(path)?;
        // An import of the name: from the file itself, or from one that passes it on.
        if let Some(row) = user.name_at(at) {
            if user.is_dropped(row) || !user.names_from(&origin_path, label).contains(&row) {
                return Ok(());
            }
            self.places += 1;
            if path == to {
                self.user(path)?.drop_name(row);
                return self.check_alias(path, row, label);
            }
            let like = self.user(path)?.module(row.0).to_owned();
            let module = self.speller.spell(path, &to, Some(&like));
            self.user(path)?.replace(row, &module);
            return Ok(());
        }
        let text = user.parsed.text();
        let before = text[..at].trim_end_matches([' ', '\t']);
        let is_member = before.ends_with('.') && !before.ends_with("..");
        if tier == EdgeTier::Possible && is_member {
            return Ok(());
        }
        if role == Role::Write && path != origin_path {
            self.obstacle(path, pos.line, "assigns to it from another file");
            return Ok(());
        }
        if is_member {
            return self.follow_qualified(path, label, (at, pos));
        }
        if path == origin_path {
            if role == Role::Write {
                self.obstacle(path, pos.line, "assigns to it");
            }
            self.stays_in_use = true;
        } else if path == to {
            let line = self.runs_at_import(at, pos);
            self.used_at_import = self.used_at_import.or(line);
        }
        Ok(())
    }

    /// The target imports it under another name.
    fn check_alias(&mut self, path: &str, row: (usize, usize), label: &str) -> Result<(), CannotRefactor> {
        let user = self.user(path)?;
        let import = user.import(row);
        let line = user.parsed.line_of(user.statements[row.0].bytes.start);
        if import.alias.is_some_and(|alias| alias != label) {
            self.obstacle(path, line, "imports it under another name, and would have it under its own");
        }
        Ok(())
    }

    /// The line of a use that runs while the target is imported.
    fn runs_at_import(&self, at: usize, pos: Pos) -> Option<u32> {
        let target = self.target.as_ref()?;
        let facts = &target.parsed.facts;
        let functions =
            facts.definitions.iter().filter(|definition| definition.kind == m1nd_lang::facts::DefKind::Function);
        let is_in_body = functions.into_iter().any(|definition| {
            let (start, end) = (definition.bytes.0 as usize, definition.bytes.1 as usize);
            // Decorators and defaults run with the file; what is on later lines is the body.
            (start..end).contains(&at) && pos.line > definition.line_start
        });
        (!is_in_body).then_some(pos.line)
    }

    /// `module.load`: the name alone, imported from the new file.
    fn follow_qualified(&mut self, path: &str, label: &str, (at, pos): (usize, Pos)) -> Result<(), CannotRefactor> {
        let (origin_path, to) = (self.origin.path().to_owned(), self.to.as_str().to_owned());
        let user = self.user(path)?;
        let text = user.parsed.text();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
        let start = text[..at]
            .rfind(|c: char| !is_part(c))
            .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
        let base = text[start..at].trim_end_matches('.').to_owned();
        // Through a module that passes the name on, the use stays.
        let Some(module) = imported_module(user, &base) else { return Ok(()) };
        if !user.means(&module, &origin_path) {
            return Ok(());
        }
        let facts = &user.parsed.facts;
        let has_name = facts.bindings.iter().any(|binding| facts.name(binding.name) == label);
        let is_own = self.bound.contains(path);
        if has_name && !is_own {
            self.obstacle(
                path,
                pos.line,
                &format!("names it through the module, and `{label}` means something else here"),
            );
            return Ok(());
        }
        let (end, like) = (at + label.len(), module);
        self.user(path)?.patches.push((start..end, label.to_owned()));
        self.places += 1;
        if path != to && !is_own {
            let module = self.speller.spell(path, &to, Some(&like));
            self.user(path)?.add(&module, NewName::plain(label));
        }
        Ok(())
    }

    /// Files that take all names of the old file.
    fn follow_wildcards(&mut self, label: &str) -> Result<(), CannotRefactor> {
        let (graph, origin_path, to) = (self.graph(), self.origin.path().to_owned(), self.to.as_str().to_owned());
        let importers = helpers::list_importers(graph, &origin_path);
        let is_public = !label.starts_with('_') || self.dialect == Dialect::Script;
        for path in importers.into_iter().filter(|_| is_public) {
            if snapshot_language(self.snapshot, &path).and_then(Dialect::of) != Some(self.dialect) {
                continue;
            }
            let user = self.user(&path)?;
            let wildcards = user.wildcards_from(&origin_path);
            let Some(&first) = wildcards.first() else { continue };
            let (like, kind) = (user.module(first).to_owned(), user.statements[first].kind);
            let module = self.speller.spell(&path, &to, Some(&like));
            if path == to {
                continue;
            }
            let is_type = self.is_type(label);
            let user = self.user(&path)?;
            let is_there = !user.wildcards_from(&to).is_empty();
            match kind {
                _ if is_there => {}
                ItemKind::Reexport => {
                    let end = user.statements[first].bytes.end;
                    let mark = if is_type { " type" } else { "" };
                    let quote = if user.slice(&user.statements[first].bytes).contains('"') { '"' } else { '\'' };
                    let stop = if user.slice(&user.statements[first].bytes).ends_with(';') { ";" } else { "" };
                    let statement = format!("\nexport{mark} {{ {label} }} from {quote}{module}{quote}{stop}");
                    user.patches.push((end..end, statement));
                }
                _ => user.add(&module, NewName::plain(label)),
            }
        }
        Ok(())
    }

    /// Whether a moved definition of a script is only a type.
    fn is_type(&self, label: &str) -> bool {
        let graph = self.graph();
        let is_it = |node: &&NodeIx| graph.label(**node) == label;
        let kind = self.nodes.iter().find(is_it).map(|node| graph.kind(*node));
        self.dialect == Dialect::Script && matches!(kind, Some(NodeKind::Interface | NodeKind::Type))
    }

    /// Texts that name a definition by its module: `"app.users.load"`.
    fn find_texts(&mut self, node: NodeIx, label: &str) -> Result<(), CannotRefactor> {
        let module = self.dialect.module_path(self.origin.path());
        let stem = module.rsplit('/').next().unwrap_or_default().to_owned();
        for row in closure::hiding(self.snapshot, node, Rows::Names) {
            if row.reason != reasons::UNEXPLAINED_TEXT || row.line == 0 {
                continue;
            }
            let Ok(path) = RepoPath::new(&row.file) else { continue };
            let Ok(source) = read_plain(self.snapshot, &path) else { continue };
            let line = source.text.lines().nth(row.line as usize - 1).unwrap_or_default();
            let names = [
                format!("{stem}.{label}"),
                format!("{stem}:{label}"),
                format!("{stem}, \"{label}\""),
                format!("{stem}, '{label}'"),
            ];
            if names.iter().any(|name| line.contains(name.as_str())) {
                self.obstacle(&row.file, row.line, "names it in a text by the file it is in");
            }
        }
        Ok(())
    }

    pub(super) fn cut_ranges(&self) -> Vec<Range<usize>> {
        match &self.parts {
            Some(parts) => parts.clone(),
            None => self.cuts.iter().map(|cut| self.origin.parsed.items[*cut].lines.clone()).collect(),
        }
    }

    /// Takes the definitions out of the old file, which imports them if it still uses them.
    fn leave_origin(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.graph();
        let (path, to) = (self.origin.path().to_owned(), self.to.as_str().to_owned());
        let cuts = self.cut_ranges();
        let labels: Vec<String> = self.nodes.iter().map(|node| graph.label(*node).to_owned()).collect();
        // A list of what the file exports holds only what it has.
        let exports = self.origin.parsed.facts.export_list.clone().unwrap_or_default();
        let facts = &self.origin.parsed.facts;
        let listed: Vec<&str> = exports.iter().map(|name| facts.name(*name)).collect();
        let is_listed = labels.iter().any(|label| listed.contains(&label.as_str()));
        if self.stays_in_use || is_listed {
            let like = self.origin.typical(|module| self.is_of_project(&path, module));
            let module = self.speller.spell(&path, &to, like.as_deref());
            let is_kept = |label: &&String| self.is_used_outside(label, &cuts) || listed.contains(&label.as_str());
            let kept: Vec<String> = labels.iter().filter(is_kept).cloned().collect();
            for label in &kept {
                let name = NewName { is_type: self.is_type(label), ..NewName::plain(label) };
                self.origin.add(&module, name);
            }
            if is_listed && !self.stays_in_use {
                let what = "`__all__` still lists it: the file imports it from its new place".to_owned();
                self.notes.push(Note { file: path.clone(), line: 1, what });
            }
        }
        self.drop_unused_imports(&cuts);
        match self.origin.is_commonjs() {
            true => self.drop_from_exports(&labels),
            false => self.drop_from_export_clauses(&labels),
        }
        let text = self.origin.parsed.text();
        let merged = merge(&cuts);
        let deletions: Vec<_> = merged.iter().map(|cut| (deletion(text, cut), String::new())).collect();
        self.origin.patches.extend(deletions);
        Ok(())
    }

    /// Whether the old file names it outside of what is cut.
    fn is_used_outside(&self, label: &str, cuts: &[Range<usize>]) -> bool {
        let text = self.origin.parsed.text();
        word_places(text, label).any(|at| !cuts.iter().any(|cut| cut.contains(&at)))
    }

    pub(super) fn is_of_project(&self, from: &str, module: &str) -> bool {
        self.snapshot.files().iter().any(|file| self.dialect.may_mean(from, module, file.path.as_str()))
    }

    /// Takes names out of the imports of the old file that only the definitions used.
    fn drop_unused_imports(&mut self, cuts: &[Range<usize>]) {
        // The imports of a package file are what it offers; other files may take theirs from here, too.
        if self.dialect == Dialect::Python && self.origin.path().ends_with("__init__.py") {
            return;
        }
        let offered = self.names_taken_from_origin();
        let mut dropped = Vec::new();
        let text = self.origin.parsed.text();
        for (index, item) in self.origin.statements.iter().enumerate() {
            let Some(parts) = item.import.as_ref().filter(|_| item.kind == ItemKind::Import) else { continue };
            let is_top = self.origin.parsed.items.iter().any(|top| top.bytes == item.bytes);
            let is_kept =
                !is_top || self.origin.slice(&item.lines).contains("noqa") || self.origin.module(index) == "__future__";
            for (place, name) in parts.names.iter().enumerate().filter(|_| !is_kept) {
                let bound = name.alias.as_ref().unwrap_or(&name.name);
                let bound = self.origin.slice(bound).split('.').next().unwrap_or_default();
                let is_in = |range: &Range<usize>, at: usize| range.contains(&at);
                let mut places = word_places(text, bound).filter(|at| !is_in(&item.bytes, *at));
                let (mut was_used, mut is_used) = (false, false);
                places.by_ref().for_each(|at| match cuts.iter().any(|cut| is_in(cut, at)) {
                    true => was_used = true,
                    false => is_used = true,
                });
                if was_used && !is_used && !offered.contains(bound) {
                    dropped.push((index, place));
                }
            }
        }
        dropped.into_iter().for_each(|row| self.origin.drop_name(row));
    }

    /// Names that other files import from the old file.
    fn names_taken_from_origin(&self) -> BTreeSet<String> {
        let graph = self.graph();
        let paths = helpers::list_importers(graph, self.origin.path());
        let mut names = BTreeSet::new();
        for path in paths {
            let Ok(parsed) = Parsed::read(self.snapshot, &path, self.cancel) else { continue };
            let importer = Importer::of(self.snapshot, parsed, self.dialect, self.cancel);
            for (index, item) in importer.statements.iter().enumerate() {
                let is_from = importer.means(importer.module(index), self.origin.path());
                let found = item.import.iter().flat_map(|parts| &parts.names).filter(|_| is_from);
                names.extend(found.map(|name| importer.slice(&name.name).to_owned()));
            }
        }
        names
    }

    /// Takes the definitions out of `export { load }` of a script.
    fn drop_from_export_clauses(&mut self, labels: &[String]) {
        let text = self.origin.parsed.text();
        let clauses = self.origin.parsed.items.iter().filter(|item| {
            &*item.node_kind == "export_statement"
                && item.kind == ItemKind::Other
                && text[item.bytes.clone()].starts_with("export {")
        });
        let mut patches = Vec::new();
        for item in clauses {
            let statement = &text[item.bytes.clone()];
            let (Some(open), Some(close)) = (statement.find('{'), statement.rfind('}')) else { continue };
            let names: Vec<&str> =
                statement[open + 1..close].split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
            let kept: Vec<&str> =
                names.iter().copied().filter(|name| !labels.iter().any(|label| label == name)).collect();
            if kept.len() == names.len() {
                continue;
            }
            match kept.is_empty() {
                true => patches.push((item.lines.clone(), String::new())),
                false => {
                    let inner = item.bytes.start + open + 1..item.bytes.start + close;
                    patches.push((inner, format!(" {} ", kept.join(", "))));
                }
            }
        }
        self.origin.patches.extend(patches);
    }

    /// Puts the definitions into the new file, with the imports that they need.
    fn fill_target(&mut self) -> Result<(), CannotRefactor> {
        let needs = self.find_needs()?;
        let (to, dialect) = (self.to.clone(), self.dialect);
        let mut target = match self.target.take() {
            Some(target) => target,
            None => {
                let language = self.origin.parsed.source.language;
                let source =
                    Source { path: to.clone(), text: String::new(), hash: m1nd_base::ContentHash::of(b""), language };
                Importer::of(self.snapshot, Parsed::of(self.snapshot, source, self.cancel)?, dialect, self.cancel)
            }
        };
        target.fall_back_to_style(&self.origin);
        if let Some(statement) = needs.of_future {
            let what = format!("`{statement}` is added: the old file has it");
            self.notes.push(Note { file: to.as_str().to_owned(), line: 1, what });
            target.add_first(&statement);
        }
        needs.statements.into_iter().for_each(|statement| target.add_statement(statement));
        needs.names.into_iter().for_each(|(module, name)| target.add(&module, name));
        for name in &needs.raised {
            self.raise(name)?;
        }
        let definition = self.definition_text()?;
        let at_import = self.used_at_import.take();
        if target.is_commonjs() && at_import.is_none() {
            let text = self.fill_commonjs(target, &definition, self.blank_lines());
            self.push(to, text);
        } else if let Some(line) = at_import {
            // The file runs from the top: what its own code uses must stand above it.
            let end = super::cut::end_of_head(&target.parsed.items);
            let needs_target = needs.of_target.first();
            if let Some(name) = needs_target {
                let what = "the order of definitions cannot be kept";
                let why = format!("uses it while the file is imported, and it uses `{name}` of the same file");
                return Err(CannotRefactor::at(what, to.as_str(), line, why));
            }
            let gap = "\n".repeat(self.blank_lines());
            let below = if target.parsed.text()[end..].starts_with(gap.as_str()) { "" } else { gap.as_str() };
            let text = target.finish_with((end, format!("{gap}{}\n{below}", definition.trim_end())));
            self.push(to, text);
        } else {
            let text = append(&target.finish(), &definition, self.blank_lines());
            self.push(to, text);
        }
        Ok(())
    }

    const fn blank_lines(&self) -> usize {
        match self.dialect {
            Dialect::Python => 2,
            Dialect::Script => 1,
        }
    }

    /// The text of the definitions as the new file has it.
    fn definition_text(&self) -> Result<String, CannotRefactor> {
        let text = self.origin.parsed.text();
        let rows: Vec<String> =
            merge(&self.cut_ranges()).into_iter().map(|cut| text[cut].trim_end().to_owned()).collect();
        let gap = "\n".repeat(self.blank_lines() + 1);
        let joined = rows.join(&gap);
        match self.dialect {
            Dialect::Python => Ok(joined),
            Dialect::Script => self.mark_exported(joined),
        }
    }

    /// Whether nothing is left of what moves when a script runs.
    pub(super) fn moves_only_types(&self) -> bool {
        let graph = self.graph();
        let is_type = |node: &NodeIx| matches!(graph.kind(*node), NodeKind::Interface | NodeKind::Type);
        self.dialect == Dialect::Script && self.nodes.iter().all(is_type)
    }

    fn push(&mut self, path: RepoPath, text: String) {
        let before = self.snapshot.files().get(&path).map(|file| file.hash);
        self.files.push(NewFile { path, before, text: Some(text) });
    }

    /// Checks the project with the new files.
    fn finish(mut self) -> Result<Refactoring, CannotRefactor> {
        let graph = self.graph();
        let origin = self.origin.path().to_owned();
        let (old_file, new_file) = (format!("file::{origin}"), format!("file::{}", self.to));
        let moved: Vec<String> = self.nodes.iter().map(|node| graph.id(*node).to_owned()).collect();
        let users = std::mem::take(&mut self.users);
        for (path, user) in users {
            let text = user.finish_if_changed();
            if let (Some(text), Ok(path)) = (text, RepoPath::new(&path)) {
                self.push(path, text);
            }
        }
        let blank_lines = self.blank_lines();
        let path = self.origin.parsed.source.path.clone();
        let Self { origin: importer, files, notes, places, snapshot, cancel, .. } = self;
        let mut files = files;
        let old = importer.parsed.text().to_owned();
        let before = Some(importer.parsed.source.hash);
        files.push(NewFile { path, before, text: Some(tidy(importer.finish(), &old, blank_lines)) });
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let trial = Trial::link(snapshot, &files, cancel)?;
        let then = |id: &str| {
            if id == old_file || id == new_file {
                return None;
            }
            let own = moved
                .iter()
                .find(|of| id.strip_prefix(of.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with("::")));
            Some(match own {
                Some(_) => format!("{new_file}{}", &id[old_file.len()..]),
                None => id.to_owned(),
            })
        };
        let now = |id: &str| (id != old_file && id != new_file).then(|| id.to_owned());
        trial.check(&then, &now, cancel)?;
        Ok(Refactoring { files, places, notes })
    }
}

/// A text without blank lines at its start, and without more of them together than it had or its language has.
fn tidy(text: String, before: &str, blank_lines: usize) -> String {
    let mut text = text.trim_start_matches(['\r', '\n']).to_owned();
    let gap = "\n".repeat(blank_lines + 1);
    let wider = format!("{gap}\n");
    while !before.contains(&wider) && text.contains(&wider) {
        text = text.replace(&wider, &gap);
    }
    text
}

/// Ranges that touch as one.
fn merge(ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => merged.push(range.clone()),
        }
    }
    merged
}

fn snapshot_language(snapshot: &Snapshot, path: &str) -> Option<m1nd_engine::Language> {
    let path = RepoPath::new(path).ok()?;
    snapshot.files().get(&path).map(|file| file.language)
}
