//! Moves in Java: a public type has a file of its own; packages and imports.

mod imports;
mod test_code;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use m1nd_base::{Cancel, EdgeTier, NodeKind, Relation, RepoPath};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::{Graph, NodeIx};
use m1nd_lang::facts::Visibility;
use m1nd_lang::{CodeWord, ItemKind};

use super::Move;
use super::cut::{append, import_deletion};
use super::draft::{Draft, folder_of, name_of};
use crate::edits::refactor::{CannotRefactor, Refactoring, read_plain};
use imports::Import;
pub(super) use imports::{Row, add_imports, list_imports};
use test_code::in_other_set;

/// Blank lines before a definition.
const BLANK: usize = 1;
/// Files of other languages that are searched for the full name of a type are at most this long.
const MAX_SEARCHED: u64 = 1 << 20;

/// Plans a move.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(snapshot: &Snapshot, request: &Move, cancel: &Cancel) -> Result<Refactoring, CannotRefactor> {
    let mut java = Java::new(snapshot, request, cancel)?;
    java.collect()?;
    java.check_target()?;
    java.need_names()?;
    if java.from != java.to {
        java.check_packages()?;
        java.raise_used()?;
        java.raise_moved()?;
        java.rewrite_users()?;
        java.check_texts()?;
    }
    java.drop_unused()?;
    java.write()
}

struct Java<'a> {
    draft: Draft<'a>,
    from: String,
    to: String,
    is_new: bool,
    /// Nothing of the old file is left.
    is_whole: bool,
    code: Vec<Range<usize>>,
    needed: BTreeMap<String, BTreeSet<Row>>,
}

impl<'a> Java<'a> {
    fn new(snapshot: &'a Snapshot, request: &'a Move, cancel: &'a Cancel) -> Result<Self, CannotRefactor> {
        let mut draft = Draft::new(snapshot, request, cancel);
        let to = request.to.clone();
        if !to.ends_with(".java") {
            return Err(draft.refuse(&to, 0, "is not a Java file"));
        }
        let path = draft.from().to_owned();
        let from = package_of(draft.file(&path)?.text());
        let is_new = snapshot.graph().find_file(&to).is_none();
        let to_package = match is_new {
            false => Some(package_of(draft.file(&to)?.text())),
            true => package_of_neighbours(snapshot, &path, &to).or_else(|| package_of_path(&path, &from, &to)),
        };
        let Some(to) = to_package else {
            return Err(draft.refuse(&to, 0, format!("is not below the folder that package `{from}` begins in")));
        };
        Ok(Self { draft, from, to, is_new, is_whole: false, code: Vec::new(), needed: BTreeMap::new() })
    }

    /// What goes: the type, or all of the file.
    fn collect(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let path = self.draft.from().to_owned();
        let node = self.draft.request.node;
        let file = self.draft.file(&path)?;
        let end = file.text().len();
        let types = file.parsed.items.iter().filter(|item| item.kind == ItemKind::Other);
        let types: Vec<Range<usize>> = types
            .filter(|item| !file.text()[item.bytes.clone()].trim_matches(';').trim().is_empty())
            .map(|item| item.lines.clone())
            .collect();
        if self.draft.is_whole_file() {
            self.is_whole = true;
            self.code.push(0..end);
            return self.draft.take(&path, 0..end);
        }
        let parent = graph.parent(node).map(|parent| graph.kind(parent));
        if parent != Some(NodeKind::File) {
            let line = graph.name_line(node);
            return Err(self.draft.refuse(
                &path,
                line,
                "is not a type at the top of its file; a member cannot leave its class here",
            ));
        }
        let snapshot = self.draft.snapshot;
        let file = self.draft.file(&path)?;
        let index = file.parsed.item_of(snapshot, node)?;
        let lines = file.parsed.items[index].lines.clone();
        self.is_whole = types.len() == 1 && self.is_new;
        let lines = if self.is_whole { 0..end } else { lines };
        self.code.push(lines.clone());
        self.draft.take(&path, lines)
    }

    fn check_target(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let (from, to) = (self.draft.from().to_owned(), self.draft.request.to.clone());
        if from == to {
            return Err(self.draft.refuse(&to, 0, "has it already"));
        }
        if self.to.is_empty() && !self.from.is_empty() {
            return Err(self.draft.refuse(&to, 0, "is in the package without a name, which nothing can import"));
        }
        if !self.is_new && self.is_whole {
            return Err(self.draft.refuse(&to, 0, "exists already"));
        }
        let stem = name_of(&to).trim_end_matches(".java").to_owned();
        for top in self.draft.tops.clone() {
            let line = graph.name_line(top);
            let label = graph.label(top);
            if self.visibility(top)?.is_some_and(|(seen, _)| seen == Visibility::Public) && label != stem {
                return Err(self.draft.refuse(&from, line, format!("is public, so its file must be `{label}.java`")));
            }
            let is_taken = |other: &NodeIx| {
                *other != top
                    && graph.path(*other).ends_with(".java")
                    && folder_of(graph.path(*other)) == folder_of(&to)
                    && folder_of(&to) != folder_of(&from)
                    && graph.parent(*other).is_some_and(|parent| graph.kind(parent) == NodeKind::File)
            };
            if let Some(other) = graph.find_labelled(label).into_iter().find(is_taken) {
                return Err(self.draft.refuse(
                    graph.path(other),
                    graph.name_line(other),
                    format!("has the name `{label}` already"),
                ));
            }
        }
        let sources = [from.as_str(), to.as_str()];
        for path in sources.into_iter().filter(|path| graph.find_file(path).is_some()) {
            let text = self.draft.file(path)?.text();
            if text.lines().take(20).any(|line| line.contains("DO NOT EDIT") || line.contains("@Generated")) {
                return Err(self.draft.refuse(path, 1, "is generated"));
            }
        }
        self.check_tests()
    }

    /// The visibility of a definition, and whether its owner gives it one.
    fn visibility(&mut self, node: NodeIx) -> Result<Option<(Visibility, usize)>, CannotRefactor> {
        let graph = self.draft.graph();
        let (path, id) = (graph.path(node).to_owned(), graph.id(node).to_owned());
        if !path.ends_with(".java") {
            return Ok(None);
        }
        let parsed = &self.draft.file(&path)?.parsed;
        let Some(index) = parsed.definition(&id) else { return Ok(None) };
        let row = &parsed.facts.definitions[index];
        let start = row.bytes.0 as usize;
        let Some(name) = parsed.offset(row.pos).filter(|name| *name >= start) else { return Ok(None) };
        // The words between the annotations and the name.
        let head = &parsed.text()[start..name];
        let (at, words) = modifiers(head);
        let seen = match () {
            () if words.contains(&"public") => Visibility::Public,
            () if words.contains(&"protected") => Visibility::Protected,
            () if words.contains(&"private") => Visibility::Private,
            () if is_public_by_owner(graph, node) => Visibility::Public,
            () => Visibility::Package,
        };
        Ok(Some((seen, start + at)))
    }

    /// Refuses what a package holds together.
    fn check_packages(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        for node in self.draft.moved.clone() {
            let line = graph.name_line(node);
            let path = graph.path(node).to_owned();
            let signature = graph.signature(node);
            if signature.split_whitespace().any(|word| matches!(word, "sealed" | "permits")) {
                return Err(self.draft.refuse(&path, line, "is sealed: what it permits must be in its package"));
            }
            let above = graph.out_edges(node).filter(|edge| edge.relation == Relation::Overrides).map(|edge| edge.to);
            let below = graph.in_edges(node).filter(|edge| edge.relation == Relation::Overrides).map(|edge| edge.from);
            for other in above.chain(below).filter(|other| !self.draft.moved.contains(other)).collect::<Vec<_>>() {
                for of in [node, other] {
                    if self.visibility(of)?.is_some_and(|(seen, _)| seen == Visibility::Package) {
                        let why = format!(
                            "overrides `{}` inside of the package, which another package cannot",
                            graph.id(other)
                        );
                        return Err(self.draft.refuse(&path, line, why));
                    }
                }
            }
        }
        for used in self.draft.list_used()? {
            if graph.signature(used.to).split_whitespace().any(|word| word == "sealed")
                && matches!(used.relation, Relation::Inherits | Relation::Implements)
            {
                return Err(self.draft.refuse(
                    &used.path,
                    used.pos.line,
                    "is permitted by a sealed type of its package",
                ));
            }
        }
        Ok(())
    }

    fn package_of_file(&mut self, path: &str) -> Result<String, CannotRefactor> {
        Ok(package_of(self.draft.file(path)?.text()))
    }

    /// Raises what the moved code uses of the package that it leaves.
    fn raise_used(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        for used in self.draft.list_used()? {
            let path = graph.path(used.to).to_owned();
            if !path.ends_with(".java") || used.tier != EdgeTier::Certain || self.package_of_file(&path)? != self.from {
                continue;
            }
            self.raise(used.to, (&used.path, used.pos.line))?;
        }
        Ok(())
    }

    /// Raises what the package uses of the moved code.
    fn raise_moved(&mut self) -> Result<(), CannotRefactor> {
        for node in self.draft.moved.clone() {
            for user in self.draft.uses_of(node)? {
                if !user.path.ends_with(".java") || user.tier != EdgeTier::Certain {
                    continue;
                }
                if self.package_of_file(&user.path)? == self.from {
                    self.raise(node, (&user.path, user.pos.line))?;
                }
            }
        }
        Ok(())
    }

    /// Makes a definition public.
    fn raise(&mut self, node: NodeIx, (file, line): (&str, u32)) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let Some((seen, at)) = self.visibility(node)? else { return Ok(()) };
        if matches!(seen, Visibility::Public | Visibility::Private) || graph.kind(node) == NodeKind::File {
            return Ok(());
        }
        let (path, label) = (graph.path(node).to_owned(), graph.label(node));
        let is_moved = self.draft.moved.contains(&node);
        let is_top = graph.parent(node).is_some_and(|parent| graph.kind(parent) == NodeKind::File);
        let own_file = if is_moved { self.draft.request.to.clone() } else { path.clone() };
        if is_top && name_of(&own_file) != format!("{label}.java") {
            let why = format!("uses `{label}`, which would have to be public in a file `{label}.java`");
            return Err(self.draft.refuse(file, line, why));
        }
        for edge in graph.in_edges(node).filter(|edge| edge.relation == Relation::Overrides).collect::<Vec<_>>() {
            if self.visibility(edge.from)?.is_none_or(|(seen, _)| seen != Visibility::Public) {
                let why = format!("uses `{label}`, which is overridden by what is not public");
                return Err(self.draft.refuse(file, line, why));
            }
        }
        let text = &self.draft.file(&path)?.text()[at..];
        let end = if text.starts_with("protected ") { at + "protected ".len() } else { at };
        self.draft.file(&path)?.patch(at..end, "public ");
        self.draft.note(&path, graph.name_line(node), format!("`{label}` is public now, since {file}:{line} uses it"));
        Ok(())
    }

    fn imports_of(&mut self, path: &str) -> Result<Vec<Import>, CannotRefactor> {
        let file = self.draft.file(path)?;
        Ok(list_imports(file.text(), &file.parsed.items))
    }

    fn add_import(&mut self, path: &str, row: Row) {
        self.needed.entry(path.to_owned()).or_default().insert(row);
    }

    /// Words of the moved code that are looked up in scope.
    fn first_words(&mut self, path: &str) -> Result<Vec<(CodeWord, String)>, CannotRefactor> {
        let file = self.draft.file(path)?;
        let is_first = |word: &&CodeWord| {
            !word.is_member && word.qualifier.is_none() && !matches!(word.kind, "string_fragment" | "string_literal")
        };
        let is_head = |at: usize| {
            file.parsed
                .items
                .iter()
                .any(|item| matches!(item.kind, ItemKind::Import | ItemKind::Package) && item.bytes.contains(&at))
        };
        let rows = file.words.iter().filter(is_first).filter(|word| !is_head(word.bytes.start));
        Ok(rows.map(|word| (word.clone(), file.spelling(word).to_owned())).collect())
    }

    /// Finds the imports that the moved code needs.
    fn need_names(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let (from, to) = (self.draft.from().to_owned(), self.draft.request.to.clone());
        let imports = self.imports_of(&from)?;
        let own: BTreeSet<String> = self.draft.tops.iter().map(|node| graph.label(*node).to_owned()).collect();
        let used: BTreeSet<NodeIx> = self
            .draft
            .list_used()?
            .into_iter()
            .flat_map(|used| [Some(used.to), graph.parent(used.to)])
            .flatten()
            .collect();
        let words = self.first_words(&from)?;
        let moved_words: Vec<(CodeWord, String)> =
            words.into_iter().filter(|(word, _)| self.draft.goes(&from, word.bytes.start)).collect();
        let target_imports = if self.is_new { Vec::new() } else { self.imports_of(&to)? };
        let text = self.draft.file(&from)?.text().to_owned();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for (word, name) in &moved_words {
            if own.contains(name) || !seen.insert(name.clone()) {
                continue;
            }
            if let Some(import) = imports.iter().find(|import| !import.is_wildcard && import.name() == name) {
                if !self.is_whole {
                    let other = target_imports.iter().find(|other| {
                        !other.is_wildcard
                            && !other.is_static
                            && !import.is_static
                            && other.name() == name
                            && other.path != import.path
                    });
                    if let Some(other) = other {
                        let line = self.draft.file(&to)?.parsed.line_of(other.bytes.start);
                        return Err(self.draft.refuse(&to, line, format!("imports something else as `{name}`")));
                    }
                    if import.is_static || import.path != format!("{}.{name}", self.to) {
                        self.add_import(&to, import.row());
                    }
                }
                continue;
            }
            if self.from == self.to {
                continue;
            }
            // A type of the package that is left.
            let beside = self.find_beside(name, &used);
            if let Some(node) = beside {
                let line = text[..word.bytes.start].matches('\n').count() + 1;
                self.raise(node, (&from, u32::try_from(line).unwrap_or(0)))?;
                let row = Row::of(format!("{}.{name}", self.from));
                self.add_import(&to, row);
            }
        }
        if !self.is_whole {
            for import in imports.iter().filter(|import| import.is_wildcard) {
                let row = import.row();
                self.add_import(&to, row);
            }
        }
        Ok(())
    }

    /// The type at the top of a file of the old package that has a name, if nothing in the moved code has it.
    fn find_beside(&self, name: &str, used: &BTreeSet<NodeIx>) -> Option<NodeIx> {
        let graph = self.draft.graph();
        let is_member = |node: &NodeIx| {
            graph.label(*node) == name && !matches!(graph.kind(*node), NodeKind::Function | NodeKind::Field)
        };
        if self.draft.moved.iter().any(is_member) {
            return None;
        }
        let folder = format!("/{}", self.from.replace('.', "/"));
        let is_top = |node: &NodeIx| {
            let path = graph.path(*node);
            let is_here = folder_of(path) == folder_of(self.draft.from());
            // The package may have another folder, for tests or for generated code.
            let is_of_package = format!("/{}", folder_of(path)).ends_with(&folder) && used.contains(node);
            (is_here || is_of_package)
                && path.ends_with(".java")
                && graph.parent(*node).is_some_and(|parent| graph.kind(parent) == NodeKind::File)
                && !self.draft.moved.contains(node)
        };
        graph.find_labelled(name).into_iter().find(is_top)
    }

    /// Gives the users the new package.
    fn rewrite_users(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let labels: Vec<String> = self.draft.tops.iter().map(|node| graph.label(*node).to_owned()).collect();
        let from_path = self.draft.from().to_owned();
        let to_path = self.draft.request.to.clone();
        let entries: Vec<RepoPath> = self
            .draft
            .snapshot
            .files()
            .iter()
            .filter(|entry| entry.language == Language::Java)
            .map(|entry| entry.path.clone())
            .collect();
        for path in entries {
            self.draft.cancel.check()?;
            let Ok(source) = read_plain(self.draft.snapshot, &path) else { continue };
            let path = path.as_str();
            for label in labels.iter().filter(|label| source.text.contains(label.as_str())) {
                let own = package_of(&source.text);
                let is_near = own == self.from || source.text.contains(&self.from);
                if is_near && !(self.is_whole && path == from_path) {
                    self.rewrite_user(path, label, &own, &to_path)?;
                }
            }
        }
        Ok(())
    }

    fn rewrite_user(&mut self, path: &str, label: &str, own: &str, to_path: &str) -> Result<(), CannotRefactor> {
        let imports = self.imports_of(path)?;
        let full = format!("{}.{label}", self.from);
        let (from_len, to) = (self.from.len(), self.to.clone());
        let text = self.draft.file(path)?.text().to_owned();
        let head = self
            .draft
            .file(path)?
            .parsed
            .items
            .iter()
            .filter(|item| item.kind == ItemKind::Package)
            .map(|item| item.bytes.clone())
            .collect::<Vec<_>>();
        let mut has_import = false;
        // Every place with the full name: imports, code, comments.
        let strings: Vec<Range<usize>> = self
            .draft
            .file(path)?
            .words
            .iter()
            .filter(|word| word.kind.contains("string"))
            .map(|word| word.bytes.clone())
            .collect();
        for (at, _) in text.match_indices(&full) {
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            if text[..at].ends_with(|c: char| is_part(c) || c == '.')
                || text[at + full.len()..].starts_with(is_part)
                || head.iter().any(|head| head.contains(&at))
            {
                continue;
            }
            if strings.iter().any(|range| range.contains(&at)) {
                let line = self.draft.file(path)?.parsed.line_of(at);
                return Err(self.draft.refuse(
                    path,
                    line,
                    format!("has `{full}` in a text, which may look it up by name"),
                ));
            }
            self.draft.places += 1;
            let import = imports.iter().find(|import| import.bytes.start == at);
            has_import |= import.is_some_and(|import| !import.is_static && !import.is_wildcard && import.path == full);
            match import {
                Some(import) if !import.is_static && !import.is_wildcard && import.path == full && own == to => {
                    self.draft.file(path)?.patch(import_deletion(&text, &import.lines), "");
                }
                _ => self.draft.file(path)?.patch(at..at + from_len, to.clone()),
            }
        }
        if has_import || own == to || path == to_path {
            return Ok(());
        }
        self.import_bare(path, label, own, &imports)
    }

    /// Imports a type for its bare names in a file that sees it as one of its own package, or through `*`.
    fn import_bare(&mut self, path: &str, label: &str, own: &str, imports: &[Import]) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let (from, to) = (self.from.clone(), self.to.clone());
        let through_wildcard =
            imports.iter().any(|import| import.is_wildcard && !import.is_static && import.path == from);
        let is_other = imports.iter().any(|import| !import.is_wildcard && !import.is_static && import.name() == label);
        if is_other || own != from && !through_wildcard {
            return Ok(());
        }
        let defines = graph.find_labelled(label).into_iter().any(|node| {
            graph.path(node) == path
                && !self.draft.moved.contains(&node)
                && !matches!(graph.kind(node), NodeKind::Function | NodeKind::Field | NodeKind::Variable)
        });
        let words = self.first_words(path)?;
        let names =
            words.iter().filter(|(word, name)| name == label && !self.draft.goes(path, word.bytes.start)).count();
        if names > 0 && !defines {
            self.draft.places += names;
            self.add_import(path, Row::of(format!("{to}.{label}")));
        }
        Ok(())
    }

    /// Refuses full names in files that are not Java: configuration looks types up by them.
    fn check_texts(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let names: Vec<String> =
            self.draft.tops.iter().map(|node| format!("{}.{}", self.from, graph.label(*node))).collect();
        let snapshot = self.draft.snapshot;
        for entry in
            snapshot.files().iter().filter(|entry| entry.language != Language::Java && entry.size <= MAX_SEARCHED)
        {
            self.draft.cancel.check()?;
            let Ok(source) = read_plain(snapshot, &entry.path) else { continue };
            for name in &names {
                let Some(at) = source.text.find(name.as_str()) else { continue };
                if source.text[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_') {
                    continue;
                }
                let line = u32::try_from(source.text[..at].matches('\n').count() + 1).unwrap_or(0);
                let path = entry.path.as_str();
                if path.ends_with(".md") || path.ends_with(".txt") || path.ends_with(".adoc") || path.ends_with(".html")
                {
                    self.draft.note(path, line, format!("still names `{name}`"));
                } else {
                    return Err(self.draft.refuse(path, line, format!("names `{name}`")));
                }
            }
        }
        Ok(())
    }

    /// Takes out the imports that only the moved code used.
    fn drop_unused(&mut self) -> Result<(), CannotRefactor> {
        if self.is_whole {
            return Ok(());
        }
        let from = self.draft.from().to_owned();
        let words = self.first_words(&from)?;
        let moved: BTreeSet<String> = words
            .iter()
            .filter(|(word, _)| self.draft.goes(&from, word.bytes.start))
            .map(|(_, name)| name.clone())
            .collect();
        let imports = self.imports_of(&from)?;
        let code = self.code.clone();
        let text = self.draft.file(&from)?.text().to_owned();
        for import in imports.iter().filter(|import| !import.is_wildcard && moved.contains(import.name())) {
            let name = import.name();
            let is_left = text.match_indices(name).any(|(at, _)| {
                !code.iter().any(|range| range.contains(&at))
                    && !imports.iter().any(|import| import.lines.contains(&at))
            });
            if !is_left {
                self.draft.file(&from)?.patch(import_deletion(&text, &import.lines), "");
            }
        }
        Ok(())
    }

    /// Takes out the imports of types that are in the same package as the whole file now.
    fn drop_own_package(&mut self, from: &str) -> Result<(), CannotRefactor> {
        let to = self.to.clone();
        let is_own = |import: &&Import| {
            let package = if import.is_wildcard {
                Some(import.path.as_str())
            } else {
                import.path.rsplit_once('.').map(|row| row.0)
            };
            !import.is_static && package == Some(to.as_str())
        };
        let text = self.draft.file(from)?.text().to_owned();
        for import in self.imports_of(from)?.iter().filter(is_own) {
            self.draft.file(from)?.patch(import_deletion(&text, &import.lines), "");
        }
        Ok(())
    }

    fn write(mut self) -> Result<Refactoring, CannotRefactor> {
        let (from, to) = (self.draft.from().to_owned(), self.draft.request.to.clone());
        let clause = format!("package {};", self.to);
        if self.is_whole && self.from != self.to {
            let file = self.draft.file(&from)?;
            let package =
                file.parsed.items.iter().find(|item| item.kind == ItemKind::Package).map(|item| item.bytes.clone());
            match package {
                Some(bytes) => file.patch(bytes, clause.clone()),
                None => file.patch(0..0, format!("{clause}\n\n")),
            }
            self.drop_own_package(&from)?;
        }
        let range = self.code.first().cloned().unwrap_or_default();
        let moved = self.draft.file(&from)?.part(&range);
        let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
        for (path, file) in &self.draft.files {
            if self.is_whole && *path == from {
                texts.insert(path.clone(), None);
                continue;
            }
            let gone = self.draft.gone.get(path).cloned().unwrap_or_default();
            let is_needing = self.needed.get(path).is_some_and(|rows| !rows.is_empty());
            if gone.is_empty() && file.patches.is_empty() && !is_needing && *path != to {
                continue;
            }
            let rest = file.rest(&gone);
            let text = if *path == to { append(&rest, &moved, BLANK) } else { rest };
            texts.insert(path.clone(), Some(text));
        }
        if self.is_new {
            let text = match (self.is_whole, self.to.is_empty()) {
                (true, _) => moved,
                (false, true) => format!("{}\n", moved.trim_matches('\n')),
                (false, false) => append(&format!("{clause}\n"), &moved, BLANK),
            };
            texts.insert(to, Some(text));
        }
        for (path, rows) in &self.needed {
            let Some(Some(text)) = texts.get_mut(path) else { continue };
            let bad = CannotRefactor::File { path: path.clone(), why: "cannot be parsed after the change" };
            *text = add_imports(self.draft.snapshot, text, rows, self.draft.cancel).ok_or(bad)?;
        }
        self.draft.finish(texts)
    }
}

/// The package that a text declares.
fn package_of(text: &str) -> String {
    let mut in_comment = false;
    for line in text.lines().map(str::trim) {
        if in_comment || line.starts_with("/*") {
            in_comment = !line.contains("*/");
        } else if let Some(name) = line.strip_prefix("package ") {
            return name.split(';').next().unwrap_or(name).trim().to_owned();
        } else if line.starts_with("import ") {
            break;
        }
    }
    String::new()
}

/// The package of a new file, by the folder that the package of another begins in.
fn package_of_path(path: &str, package: &str, to: &str) -> Option<String> {
    let root = folder_of(path).strip_suffix(&package.replace('.', "/"))?.trim_end_matches('/');
    let other = in_other_set(to).unwrap_or_default();
    let inner = folder_of(to).strip_prefix(root).or_else(|| folder_of(&other).strip_prefix(root))?;
    Some(inner.trim_matches('/').replace('/', "."))
}

/// The package that the files beside a new one declare, if they are below the same folder of sources as another file.
fn package_of_neighbours(snapshot: &Snapshot, path: &str, to: &str) -> Option<String> {
    let is_beside = |near: &&str| near.ends_with(".java") && folder_of(near) == folder_of(to);
    let mut near = snapshot.files().within(folder_of(to)).map(|entry| entry.path.as_str()).filter(is_beside);
    let text = read_plain(snapshot, &RepoPath::new(near.next()?).ok()?).ok()?.text;
    let package = package_of(&text);
    let root = folder_of(to).strip_suffix(&package.replace('.', "/"))?;
    (!package.is_empty() && path.starts_with(root)).then_some(package)
}

/// Where the words before a name begin behind its annotations, and the words.
fn modifiers(head: &str) -> (usize, Vec<&str>) {
    let mut at = 0;
    loop {
        let rest = &head[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.starts_with("//") {
            at += trimmed.find('\n').map_or(trimmed.len(), |end| end + 1);
        } else if trimmed.starts_with("/*") {
            at += trimmed.find("*/").map_or(trimmed.len(), |end| end + 2);
        } else if trimmed.starts_with('@') && !trimmed.starts_with("@interface") {
            let end = trimmed.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(trimmed.len());
            at += end;
            if trimmed[end..].trim_start().starts_with('(') {
                let mut depth = 0_usize;
                let close = trimmed[end..].char_indices().find(|(_, c)| {
                    match c {
                        '(' => depth += 1,
                        ')' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    *c == ')' && depth == 0
                });
                at += close.map_or(0, |(close, _)| close + 1);
            }
        } else {
            return (at, trimmed.split_whitespace().collect());
        }
    }
}

/// Whether what a node is in makes it public: an interface, or an enum for its constants.
fn is_public_by_owner(graph: &Graph, node: NodeIx) -> bool {
    let Some(parent) = graph.parent(node) else { return false };
    matches!(graph.kind(parent), NodeKind::Interface | NodeKind::Trait) || graph.kind(node) == NodeKind::Variant
}
