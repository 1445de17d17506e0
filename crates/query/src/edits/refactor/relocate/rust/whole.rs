//! A whole file of Rust goes to another place: its declaration, the paths to it, and the paths in it.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{EdgeTier, NodeKind};
use m1nd_engine::Language;
use m1nd_graph::Graph;
use m1nd_lang::CodeWord;

use super::super::draft::folder_of;
use super::Rust;
use super::modules::{Module, declaration_of, module_name, visibility_at};
use super::uses::Leaf;
use crate::edits::refactor::{CannotRefactor, Refactoring, read_plain};

/// Macros that read a file by its path from the file that they are in.
const READ_BESIDE: &[&str] = &["include_str", "include_bytes", "include"];

/// Folders whose files are programs or tests of their own.
const PROGRAM_FOLDERS: &[&str] = &["tests", "examples", "benches", "bin"];

/// The names of a path, and where each ends in the text.
type NamesAndEnds = (Vec<String>, Vec<usize>);

impl Rust<'_> {
    /// Moves the file: what stands in the way, what is in it, who uses it, where it is declared.
    pub(super) fn move_file(mut self) -> Result<Refactoring, CannotRefactor> {
        self.check_file()?;
        if self.is_program() {
            return self.rename_program();
        }
        self.check_macros()?;
        let from = self.draft.from().to_owned();
        let end = self.draft.file(&from)?.text().len();
        self.draft.take(&from, 0..end)?;
        let below: Vec<String> = self.draft.along.keys().cloned().collect();
        for path in &below {
            let end = self.draft.file(path)?.text().len();
            self.draft.take(path, 0..end)?;
        }
        // The paths in it, and what they lead to.
        self.raise_used()?;
        for path in below.iter().chain([&from]) {
            self.respell_parents(path)?;
        }
        // The paths to it.
        for path in self.list_files_that_name()? {
            self.respell_paths(&path)?;
        }
        self.raise_moved()?;
        self.move_declaration(&from)?;
        self.write_file()
    }

    /// Refuses a file that is not a module of its own, and a place where it cannot be one.
    fn check_file(&mut self) -> Result<(), CannotRefactor> {
        let (from, to) = (self.draft.from().to_owned(), self.draft.request.to.clone());
        if !self.is_new {
            return Err(self.draft.refuse(&to, 0, "exists already"));
        }
        if self.is_program() {
            return Ok(());
        }
        if !self.modules.is_declared(&from) {
            return Err(self.draft.refuse(&from, 0, "begins a crate, or no module declares it"));
        }
        if self.from.root != self.to.root {
            return Err(self.draft.refuse(&to, 0, format!("would be of another crate (`{}`)", self.to.root)));
        }
        self.take_modules_below()?;
        let Some(parent) = self.modules.parent_of(self.draft.snapshot, &from) else { return Ok(()) };
        let file = &self.draft.file(&parent)?.parsed;
        let Some((bytes, attributes)) = declaration_of(file, module_name(&from)) else {
            return Err(self.draft.refuse(&parent, 0, "does not declare it with a plain `mod`"));
        };
        let line = file.line_of(bytes.start);
        if attributes.contains("#[path") || attributes.contains("#[macro_use") {
            return Err(self.draft.refuse(&parent, line, "declares it with an attribute that depends on its place"));
        }
        let new_parent = self.modules.parent_of(self.draft.snapshot, &to).unwrap_or_default();
        if new_parent != parent {
            let (own, other) = (self.list_conditions(&parent)?, self.list_conditions(&new_parent)?);
            if let Some(condition) = own.symmetric_difference(&other).next() {
                let why = format!("is compiled under other conditions: {condition}");
                return Err(self.draft.refuse(&new_parent, 0, why));
            }
        }
        let above = self.to.parent().unwrap_or_else(|| self.to.clone());
        let name = module_name(&to).to_owned();
        match self.to != self.from && self.is_beside(&above, &name) {
            true => Err(self.draft.refuse(&new_parent, 0, format!("has the name `{name}` already"))),
            false => Ok(()),
        }
    }

    /// Notes the files of the modules below the file, which go along with it.
    fn take_modules_below(&mut self) -> Result<(), CannotRefactor> {
        let (old, new) = (folder_of_children(self.draft.from()), folder_of_children(&self.draft.request.to));
        for path in self.list_below() {
            let rest = path.strip_prefix(&format!("{old}/")).map(str::to_owned);
            let Some(rest) = rest else {
                return Err(self.draft.refuse(&path, 0, "is a module below it, and stands in another folder"));
            };
            let to = format!("{new}/{rest}");
            let is_taken = |to: &str| self.draft.graph().find_file(to).is_some();
            if is_taken(&to) {
                return Err(self.draft.refuse(&to, 0, "exists already"));
            }
            self.draft.along.insert(path, to);
        }
        Ok(())
    }

    /// Whether a file goes: the moved one, or one of a module below it.
    fn is_moved(&self, path: &str) -> bool {
        path == self.draft.from() || self.draft.along.contains_key(path)
    }

    /// Whether cargo finds the file by its folder, as a program or test of its own, before and after.
    fn is_program(&self) -> bool {
        let (from, to) = (self.draft.from(), self.draft.request.to.as_str());
        let folder = folder_of(from);
        let is_found = |name: &str| PROGRAM_FOLDERS.contains(&name);
        folder == folder_of(to) && is_found(super::super::draft::name_of(folder)) && !self.modules.is_declared(from)
    }

    /// Refuses macros that are seen by the order of the text, and those that read a file beside.
    fn check_macros(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let (from, to) = (self.draft.from().to_owned(), self.draft.request.to.clone());
        let below = self.draft.along.clone();
        let pairs = below.into_iter().chain([(from, to)]);
        for (from, to) in pairs {
            self.check_macros_of(graph, &from, &to)?;
        }
        Ok(())
    }

    fn check_macros_of(&mut self, graph: &Graph, from: &str, to: &str) -> Result<(), CannotRefactor> {
        let Some(node) = graph.find_file(from) else { return Ok(()) };
        let is_macro = |node| graph.kind(node) == NodeKind::Macro && graph.path(node).ends_with(".rs");
        for inner in graph.of_file(node).into_iter().chain([node]) {
            let used = graph.out_edges(inner).find(|edge| is_macro(edge.to) && graph.path(edge.to) != from);
            let users = graph.in_edges(inner).find(|edge| is_macro(inner) && graph.path(edge.from) != from);
            let found = used.map(|edge| (edge, edge.to)).or(users.map(|edge| (edge, inner)));
            if let Some((edge, name)) = found.filter(|(edge, _)| edge.tier == EdgeTier::Certain) {
                let line = edge.sites.get(0).map_or(0, |pos| pos.line);
                let why = format!("uses the macro `{}`, which is seen by the order of the text", graph.label(name));
                return Err(self.draft.refuse(graph.path(edge.from), line, why));
            }
        }
        let file = self.draft.file(from)?;
        let reads = |word: &&CodeWord| {
            READ_BESIDE.contains(&file.spelling(word)) && file.text()[word.bytes.end..].starts_with('!')
        };
        let line = file.words.iter().find(reads).map(|word| file.parsed.line_of(word.bytes.start));
        match line.filter(|_| folder_of(from) != folder_of(to)) {
            Some(line) => Err(self.draft.refuse(from, line, "reads a file by its path from here")),
            None => Ok(()),
        }
    }

    /// A program gets another name; nothing names it but what runs it.
    fn rename_program(mut self) -> Result<Refactoring, CannotRefactor> {
        let from = self.draft.from().to_owned();
        let stem = module_name(&from).to_owned();
        let snapshot = self.draft.snapshot;
        let manifests = snapshot.files().iter().filter(|entry| entry.path.file_name() == "Cargo.toml");
        for entry in manifests {
            let Ok(source) = read_plain(snapshot, &entry.path) else { continue };
            let names = [format!("\"{stem}\""), format!("/{stem}.rs\"")];
            let line = source.text.lines().position(|line| names.iter().any(|name| line.contains(name.as_str())));
            if let Some(line) = line {
                let line = u32::try_from(line + 1).unwrap_or(0);
                return Err(self.draft.refuse(entry.path.as_str(), line, "names it"));
            }
        }
        let end = self.draft.file(&from)?.text().len();
        self.draft.take(&from, 0..end)?;
        self.write_file()
    }

    /// Gives `super` in the file the path that it means, and what is seen by the old parent a wider visibility.
    fn respell_parents(&mut self, from: &str) -> Result<(), CannotRefactor> {
        if self.from.parent() == self.to.parent() {
            return Ok(());
        }
        let supers: Vec<CodeWord> = {
            let file = self.draft.file(from)?;
            let is_first = |word: &&CodeWord| file.spelling(word) == "super" && word.qualifier.is_none();
            file.words.iter().filter(is_first).cloned().collect()
        };
        for word in supers {
            let here = self.module_at(from, word.bytes.start)?;
            let file = self.draft.file(from)?;
            let rest = &file.text()[word.bytes.start..];
            let count = rest.split("::").take_while(|part| part.trim() == "super").count().max(1);
            let base = (0..count).try_fold(here, |module, _| module.parent());
            let Some(base) = base.filter(|base| !base.is_within(&self.from)) else { continue };
            let before = file.text()[..word.bytes.start].trim_end();
            if before.ends_with('(') && before[..before.len() - 1].trim_end().ends_with("pub") {
                let close = rest.find(')').map_or(0, |at| word.bytes.start + at);
                let start = before.len() - 1;
                file.patch(start..close + 1, "(crate)");
                continue;
            }
            if before.ends_with("(in") {
                let line = file.parsed.line_of(word.bytes.start);
                return Err(self.draft.refuse(from, line, "is seen in a module above it by its path"));
            }
            let end = word.bytes.start + "super".len() + (count - 1) * "::super".len();
            file.patch(word.bytes.start..end, base.path());
        }
        Ok(())
    }

    /// The Rust files that write the name of the old module.
    fn list_files_that_name(&mut self) -> Result<Vec<String>, CannotRefactor> {
        let name = self.from.names.last().cloned().unwrap_or_default();
        let files = self.draft.snapshot.files().iter().filter(|entry| entry.language == Language::Rust);
        let mut found = Vec::new();
        for path in files.map(|entry| entry.path.as_str().to_owned()).collect::<Vec<_>>() {
            let Ok(source) = crate::edits::refactor::read_source(self.draft.snapshot, &path) else { continue };
            if super::super::spec::word_places(&source.text, &name).next().is_some() {
                found.push(path);
            }
        }
        Ok(found)
    }

    /// Rewrites the paths of a file that lead to the old module or into it.
    fn respell_paths(&mut self, path: &str) -> Result<(), CannotRefactor> {
        let leaves = self.leaves_of(path)?;
        let words: Vec<CodeWord> = self.draft.file(path)?.words.clone();
        let mut renamed: BTreeSet<usize> = BTreeSet::new();
        for word in words.iter().filter(|word| word.qualifier.is_none() && !word.is_member) {
            let here = self.module_at(path, word.bytes.start)?;
            let Some((names, ends)) = self.path_from(path, word)? else { continue };
            let leaf = leaves.iter().find(|leaf| leaf.declaration.contains(&word.bytes.start));
            let before = self.draft.file(path)?.text()[..word.bytes.start].trim_end_matches([' ', ':']);
            let is_row = leaf.is_some() && !before.ends_with("use");
            let is_own = matches!(names[0].as_str(), "self" | "super") && self.is_moved(path);
            if is_row || is_own || leaf.is_none() && self.is_brought((path, &here), &leaves, &names[0])? {
                continue;
            }
            for len in 1..=names.len() {
                if self.resolve(&names[..len], &here, path)?.is_some_and(|module| module == self.from) {
                    let is_leaf = leaf.is_some() && len == names.len();
                    self.respell((path, &here), (word, ends[len - 1]), (&names[0], is_leaf))?;
                    renamed.insert(word.bytes.start);
                    break;
                }
            }
        }
        self.respell_inner_leaves(path, &leaves, &renamed)
    }

    /// Whether a `use` of the file brings a name from the old module: the name stays, the `use` is rewritten.
    fn is_brought(
        &mut self,
        (path, here): (&str, &Module),
        leaves: &[Leaf],
        name: &str,
    ) -> Result<bool, CannotRefactor> {
        for leaf in leaves.iter().filter(|leaf| !leaf.is_glob && leaf.name == name) {
            if self.resolve(&leaf.path, here, path)?.is_some_and(|module| module.is_within(&self.from)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The names of the path that begins with a word, and the end of each; `None` if that is not a path.
    fn path_from(&mut self, path: &str, word: &CodeWord) -> Result<Option<NamesAndEnds>, CannotRefactor> {
        let file = self.draft.file(path)?;
        let text = file.text();
        let (mut names, mut ends, mut at) =
            (vec![file.spelling(word).to_owned()], vec![word.bytes.end], word.bytes.end);
        while let Some(rest) = text[at..].strip_prefix("::") {
            let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            if len == 0 {
                break;
            }
            names.push(rest[..len].to_owned());
            at += 2 + len;
            ends.push(at);
        }
        let is_use = file
            .parsed
            .items
            .iter()
            .any(|item| item.kind == m1nd_lang::ItemKind::Import && item.bytes.contains(&word.bytes.start));
        Ok((names.len() > 1 || is_use).then_some((names, ends)))
    }

    /// Writes the new path in the place of the old one.
    fn respell(
        &mut self,
        (path, here): (&str, &Module),
        (word, end): (&CodeWord, usize),
        (first, is_leaf): (&str, bool),
    ) -> Result<(), CannotRefactor> {
        if let Some(above) = self.to.parent() {
            self.raise_module(&above, here)?;
        }
        let names = self.to.names.join("::");
        let root = match (here.root == self.to.root, first) {
            (true, _) => "crate",
            (false, first) => first,
        };
        let old = self.from.names.last().cloned().unwrap_or_default();
        let is_other_name = self.to.names.last() != Some(&old);
        self.draft.places += 1;
        let file = self.draft.file(path)?;
        let is_plain = !file.text()[end..].trim_start().starts_with("as ") && !file.text()[end..].starts_with("::");
        let alias = if is_leaf && is_other_name && is_plain { format!(" as {old}") } else { String::new() };
        // `$crate` keeps its sign.
        file.patch(word.bytes.start..end, format!("{root}::{names}{alias}"));
        Ok(())
    }

    /// Rows in the braces of a `use` whose head does not lead to the old module: each gets a declaration of its own.
    fn respell_inner_leaves(
        &mut self,
        path: &str,
        leaves: &[Leaf],
        done: &BTreeSet<usize>,
    ) -> Result<(), CannotRefactor> {
        let mut rows: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for leaf in leaves {
            let is_done = done.iter().any(|at| leaf.declaration.contains(at));
            let here = self.module_at(path, leaf.declaration.start)?;
            let Some(module) = self.resolve(&leaf.path, &here, path)?.filter(|_| !is_done) else { continue };
            let is_own = self.is_moved(path)
                && leaf.path.first().is_some_and(|first| matches!(first.as_str(), "self" | "super"));
            if !module.is_within(&self.from) || is_own {
                continue;
            }
            if let Some(above) = self.to.parent() {
                self.raise_module(&above, &here)?;
            }
            let rest = &module.names[self.from.names.len()..];
            let root =
                if here.root == self.to.root { "crate" } else { leaf.path.first().map_or("crate", String::as_str) };
            let names = std::iter::once(root).chain(self.to.names.iter().map(String::as_str));
            let mut row = names.chain(rest.iter().map(String::as_str)).collect::<Vec<_>>().join("::");
            let is_named = row.rsplit("::").next() == Some(leaf.name.as_str());
            match (leaf.is_glob, is_named) {
                (true, _) => row.push_str("::*"),
                (false, false) => row = format!("{row} as {}", leaf.name),
                (false, true) => {}
            }
            self.draft.places += 1;
            self.gone.entry(path.to_owned()).or_default().insert(leaf.bytes.start);
            let head = if leaf.visibility.is_empty() { String::new() } else { format!("{} ", leaf.visibility) };
            rows.entry(leaf.lines.end).or_default().insert(format!("{head}use {row};\n"));
        }
        for (at, rows) in rows {
            self.add_rows(path, at, rows)?;
        }
        Ok(())
    }

    /// Takes the declaration out of the old parent, and declares the file in the new one as it was.
    fn move_declaration(&mut self, from: &str) -> Result<(), CannotRefactor> {
        let to = self.draft.request.to.clone();
        let (Some(old), Some(new)) =
            (self.modules.parent_of(self.draft.snapshot, from), self.modules.parent_of(self.draft.snapshot, &to))
        else {
            return Ok(());
        };
        let needed = self.visibility_for_users(&to)?;
        let file = self.draft.file(&old)?;
        let Some((bytes, attributes)) = declaration_of(&file.parsed, module_name(from)) else { return Ok(()) };
        let (_, written) = visibility_at(file.text(), bytes.start);
        let word = match (written, needed) {
            ("pub", _) | (_, "pub ") => "pub ".to_owned(),
            ("pub(super)" | "", needed) => needed.to_owned(),
            (written, _) => format!("{written} "),
        };
        let lines = file.parsed.items.iter().find(|item| item.bytes == bytes).map(|item| item.lines.clone());
        let line = file.parsed.line_of(bytes.start);
        let declaration = format!("{attributes}{word}mod {};\n", module_name(&to));
        if old == new {
            let (name, new_name) = (module_name(from), module_name(&to));
            let at = bytes.start + file.text()[bytes.clone()].rfind(name).unwrap_or(0);
            file.patch(at..at + name.len(), new_name);
            return Ok(());
        }
        if let Some(lines) = lines {
            file.patch(lines, "");
        }
        self.draft.note(&old, line, format!("no longer declares `{}`", module_name(from)));
        self.declare_with(&new, &declaration)
    }

    /// The files: the old ones go, the new ones have their texts.
    fn write_file(mut self) -> Result<Refactoring, CannotRefactor> {
        let to = self.draft.request.to.clone();
        self.take_out_leaves()?;
        let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
        for path in self.draft.files.keys().cloned().collect::<Vec<_>>() {
            if self.is_moved(&path) {
                let new_path = self.draft.along.get(&path).unwrap_or(&to).clone();
                let file = self.draft.file(&path)?;
                let whole = 0..file.text().len();
                let mut patches = file.patches.clone();
                patches.append(&mut file.inserts);
                file.patches = patches;
                texts.insert(new_path, Some(file.part(&whole)));
                texts.insert(path, None);
                continue;
            }
            let file = self.draft.file(&path)?;
            if !file.patches.is_empty() || !file.inserts.is_empty() {
                texts.insert(path, Some(file.rest(&[])));
            }
        }
        self.draft.finish(texts)
    }
}

/// The folder of the modules below a file.
fn folder_of_children(path: &str) -> &str {
    match path.strip_suffix("/mod.rs") {
        Some(folder) => folder,
        None => path.trim_end_matches(".rs"),
    }
}
