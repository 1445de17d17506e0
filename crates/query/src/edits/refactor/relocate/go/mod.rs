//! Moves in Go: a package is a folder; users name it by its last part.

mod imports;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use m1nd_base::{Cancel, EdgeTier, NodeKind, Relation, RepoPath};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::{Graph, NodeIx};
use m1nd_lang::ItemKind;

use super::Move;
use super::cut::append;
use super::draft::{Draft, Use, folder_of, name_of};
use crate::edits::refactor::{CannotRefactor, Refactoring, read_plain};
pub(super) use imports::Imports;
use text::{
    constraints, constraints_of_name, is_literal_without_keys, lines_of, out_of_group, read_package_clause,
    without_empty_groups,
};

/// Blank lines before a definition.
const BLANK: usize = 1;
/// Most rounds in which helpers of helpers are found.
const MAX_ROUNDS: usize = 20;

/// A package: its folder, and its name.
type Package = (String, String);

/// Plans a move.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(snapshot: &Snapshot, request: &Move, cancel: &Cancel) -> Result<Refactoring, CannotRefactor> {
    let mut go = Go::new(snapshot, request, cancel)?;
    go.collect()?;
    go.check_target()?;
    if go.from != go.to {
        go.take_helpers()?;
        go.check_used()?;
        go.check_users()?;
        go.check_cycles()?;
        go.rewrite_moved()?;
        go.rewrite_users()?;
    }
    go.write()
}

struct Go<'a> {
    draft: Draft<'a>,
    from: Package,
    to: Package,
    /// Names of the packages of the project, by import path.
    known: BTreeMap<String, String>,
    /// Import path of each folder.
    paths: BTreeMap<String, String>,
    /// Name of the module of each folder.
    modules: BTreeMap<String, String>,
    /// Package of each file of the project.
    packages: BTreeMap<String, Package>,
    /// Imports that files need, by path of the import: with the alias.
    needed: BTreeMap<String, BTreeMap<String, Option<String>>>,
    /// What goes, as it is written in the target, in order.
    code: Vec<(String, Range<usize>, &'static str)>,
}

impl<'a> Go<'a> {
    fn new(snapshot: &'a Snapshot, request: &'a Move, cancel: &'a Cancel) -> Result<Self, CannotRefactor> {
        let draft = Draft::new(snapshot, request, cancel);
        let mut go = Self {
            draft,
            from: Package::default(),
            to: Package::default(),
            known: BTreeMap::new(),
            paths: BTreeMap::new(),
            modules: BTreeMap::new(),
            packages: BTreeMap::new(),
            needed: BTreeMap::new(),
            code: Vec::new(),
        };
        if !request.to.ends_with(".go") {
            return Err(go.draft.refuse(&request.to, 0, "is not a Go file"));
        }
        go.read_packages()?;
        go.from = go.package_of(go.draft.from());
        go.to = go.package_of(&request.to);
        Ok(go)
    }

    /// Reads the names of all packages.
    fn read_packages(&mut self) -> Result<(), CannotRefactor> {
        let snapshot = self.draft.snapshot;
        let mut modules: BTreeMap<String, String> = BTreeMap::new();
        for entry in snapshot.files().iter().filter(|entry| entry.path.as_str().ends_with("go.mod")) {
            let Ok(source) = read_plain(snapshot, &entry.path) else { continue };
            let name = source.text.lines().find_map(|line| line.trim().strip_prefix("module "));
            let folder = folder_of(entry.path.as_str()).to_owned();
            modules.extend(name.map(|name| (folder, name.trim().trim_matches('"').to_owned())));
        }
        let folders = |path: &str| {
            let mut folder = folder_of(path).to_owned();
            let mut all = vec![folder.clone()];
            while !folder.is_empty() {
                folder = folder_of(&folder).to_owned();
                all.push(folder.clone());
            }
            all
        };
        let of_target = RepoPath::new(&self.draft.request.to).ok();
        let entries = snapshot.files().iter().filter(|entry| entry.language == Language::Go).map(|entry| &entry.path);
        for path in entries.chain(of_target.as_ref()) {
            self.draft.cancel.check()?;
            let path = path.as_str();
            let folder = folder_of(path);
            if let Some((root, module)) = folders(path).iter().find_map(|root| Some((root, modules.get(root)?))) {
                let inner = folder[root.len()..].trim_start_matches('/');
                let joined = if inner.is_empty() { module.clone() } else { format!("{module}/{inner}") };
                self.paths.insert(folder.to_owned(), joined);
                self.modules.insert(folder.to_owned(), module.clone());
            }
            let Some(name) = read_package_clause(snapshot, path) else { continue };
            if !path.ends_with("_test.go")
                && let Some(import) = self.paths.get(folder)
            {
                self.known.insert(import.clone(), name.clone());
            }
            self.packages.insert(path.to_owned(), (folder.to_owned(), name));
        }
        Ok(())
    }

    /// The package of a file, which may be new.
    fn package_of(&self, path: &str) -> Package {
        if let Some(package) = self.packages.get(path) {
            return package.clone();
        }
        let folder = folder_of(path);
        // In its own folder a definition stays in its package.
        if folder == self.from.0 && !self.from.1.is_empty() {
            return self.from.clone();
        }
        let beside = |(other, _): &(&String, &Package)| !other.ends_with("_test.go") && folder_of(other) == folder;
        if let Some((_, package)) = self.packages.iter().find(beside) {
            return package.clone();
        }
        let name: String = name_of(folder)
            .to_lowercase()
            .trim_start_matches("go-")
            .chars()
            .filter(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        (folder.to_owned(), if name.is_empty() { "main".to_owned() } else { name })
    }

    /// What goes: the definition, and for a type its methods.
    fn collect(&mut self) -> Result<(), CannotRefactor> {
        let path = self.draft.from().to_owned();
        if self.draft.is_whole_file() {
            let end = self.draft.file(&path)?.text().len();
            self.code.push((path.clone(), 0..end, ""));
            self.draft.take(&path, 0..end)?;
        } else {
            self.take_definition(self.draft.request.node)?;
        }
        for node in self.draft.tops.clone() {
            let line = self.draft.graph().name_line(node);
            if matches!(self.draft.graph().label(node), "init" | "main" | "_" | "TestMain") && self.from != self.to {
                return Err(self.draft.refuse(&path, line, "runs by itself at the start of its package"));
            }
        }
        Ok(())
    }

    fn take_definition(&mut self, node: NodeIx) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        if self.draft.moved.contains(&node) {
            return Ok(());
        }
        self.take_item(node)?;
        let label = graph.label(node).to_owned();
        // Methods are in the file, and for another package wherever they are.
        let is_near = |path: &str| {
            path == graph.path(node) || self.from != self.to && self.packages.get(path) == Some(&self.from)
        };
        let paths: Vec<String> = self.packages.keys().filter(|path| is_near(path)).cloned().collect();
        for path in paths {
            let Some(file) = graph.find_file(&path) else { continue };
            let prefix = format!("{}::impl::{label}::", graph.id(file));
            for method in graph.of_file(file) {
                let id = graph.id(method);
                if graph.kind(method) == NodeKind::Function && id.starts_with(&prefix) {
                    self.take_item(method)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the statement, or the row of a group, that defines a node.
    fn take_item(&mut self, node: NodeIx) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let (path, id) = (graph.path(node).to_owned(), graph.id(node).to_owned());
        if self.draft.moved.contains(&node) {
            return Ok(());
        }
        let found = lines_of(&self.draft.file(&path)?.parsed, &id);
        let (lines, head, line) = found.map_err(|(line, why)| self.draft.refuse(&path, line, why))?;
        if self.draft.file(&path)?.text()[lines.clone()].contains("//go:embed") && folder_of(&path) != self.to.0 {
            return Err(self.draft.refuse(&path, line, "embeds files of its folder"));
        }
        self.code.push((path.clone(), lines.clone(), head));
        self.draft.take(&path, lines)
    }

    /// Refuses a target that cannot have the code.
    fn check_target(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let to = self.draft.request.to.clone();
        let from = self.draft.from().to_owned();
        if to == from {
            return Err(self.draft.refuse(&to, 0, "has it already"));
        }
        let exists = self.packages.contains_key(&to);
        if exists && self.draft.is_whole_file() {
            return Err(self.draft.refuse(&to, 0, "exists already"));
        }
        if !exists && graph.find_file(&to).is_some() {
            return Err(self.draft.refuse(&to, 0, "exists, and has no package clause"));
        }
        self.check_conditions(exists)?;
        if self.from == self.to {
            return Ok(());
        }
        if self.from.0 == self.to.0 {
            return Err(self.draft.refuse(&to, 1, format!("is of package `{}`, beside `{}`", self.to.1, self.from.1)));
        }
        self.check_names()
    }

    /// Refuses a file that is compiled under other conditions, or generated.
    fn check_conditions(&mut self, exists: bool) -> Result<(), CannotRefactor> {
        let (from, to) = (self.draft.from().to_owned(), self.draft.request.to.clone());
        let own = constraints(&self.draft.file(&from)?.parsed, &from);
        if exists {
            let other = constraints(&self.draft.file(&to)?.parsed, &to);
            let is_generated = self.draft.file(&to)?.text().lines().take(20).any(|line| line.contains("DO NOT EDIT"));
            if is_generated {
                return Err(self.draft.refuse(&to, 1, "is generated"));
            }
            if own != other {
                return Err(self.draft.refuse(
                    &to,
                    1,
                    "is compiled under other conditions (build tags or the end of its name)",
                ));
            }
        } else if own.0 != constraints_of_name(&to) {
            return Err(self.draft.refuse(&to, 0, "is compiled under other conditions (the end of its name)"));
        }
        if self.draft.file(&from)?.text().lines().take(20).any(|line| line.contains("DO NOT EDIT")) {
            return Err(self.draft.refuse(&from, 1, "is generated"));
        }
        Ok(())
    }

    /// Refuses names that the other package has, and names whose package is not certain.
    fn check_names(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        for &top in &self.draft.tops.clone() {
            let is_taken = |other: &NodeIx| {
                graph.parent(*other).is_some_and(|parent| graph.kind(parent) == NodeKind::File)
                    && self.packages.get(graph.path(*other)) == Some(&self.to)
                    && !graph.id(*other).contains("::impl::")
            };
            if graph.id(top).contains("::impl::") {
                continue;
            }
            if let Some(other) = graph.find_labelled(graph.label(top)).into_iter().find(is_taken) {
                let why = format!("has the name `{}` already", graph.label(top));
                return Err(self.draft.refuse(graph.path(other), graph.name_line(other), why));
            }
        }
        for path in self.draft.gone.keys().cloned().collect::<Vec<_>>() {
            let known = self.known.clone();
            let file = self.draft.file(&path)?;
            let text = file.text().to_owned();
            let imports = Imports::read(self.draft.snapshot, &text, &known, self.draft.cancel);
            if imports.is_some_and(|imports| imports.specs.iter().any(|spec| spec.name == "." || spec.path == "C")) {
                return Err(self.draft.refuse(
                    &path,
                    1,
                    "has a dot import or `import \"C\"`, so that what its names mean is not certain",
                ));
            }
        }
        Ok(())
    }

    /// Adds what is private and used by what goes alone.
    fn take_helpers(&mut self) -> Result<(), CannotRefactor> {
        for _ in 0..MAX_ROUNDS {
            if !self.draft.request.with_helpers {
                return Ok(());
            }
            let mut found = None;
            for used in self.draft.list_used()? {
                if !self.is_of_package(used.to) || is_exported(self.draft.graph().label(used.to)) {
                    continue;
                }
                let is_alone = self.draft.uses_of(used.to)?.iter().all(|other| self.draft.moved.contains(&other.from));
                if is_alone {
                    found = Some(used.to);
                    break;
                }
            }
            let Some(helper) = found else { return Ok(()) };
            let graph = self.draft.graph();
            let what = format!("`{}` goes along", graph.label(helper));
            self.draft.note(graph.path(helper), graph.name_line(helper), what);
            self.take_definition(helper)?;
        }
        Ok(())
    }

    /// Returns whether a node is at the top of the package that is left.
    fn is_of_package(&self, node: NodeIx) -> bool {
        let graph = self.draft.graph();
        self.packages.get(graph.path(node)) == Some(&self.from) && is_top(graph, node)
    }

    /// Refuses what the moved code cannot reach from the other package.
    fn check_used(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        for used in self.draft.list_used()? {
            let label = graph.label(used.to);
            if self.packages.get(graph.path(used.to)) != Some(&self.from) || graph.kind(used.to) == NodeKind::File {
                continue;
            }
            if !is_exported(label) {
                let hint =
                    if self.draft.request.with_helpers { "" } else { "; with_helpers takes along what only it uses" };
                let why = format!("uses `{label}`, which its package does not export{hint}");
                return Err(self.draft.refuse(&used.path, used.pos.line, why));
            }
            if self.from.1 == "main" {
                let why = format!("uses `{label}` of package main, which cannot be imported");
                return Err(self.draft.refuse(&used.path, used.pos.line, why));
            }
            if graph.path(used.to).ends_with("_test.go") {
                let why = format!("uses `{label}` of a test");
                return Err(self.draft.refuse(&used.path, used.pos.line, why));
            }
        }
        Ok(())
    }

    /// Refuses users that cannot reach the moved code in the other package.
    fn check_users(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        for node in self.draft.moved.clone() {
            let label = graph.label(node);
            for user in self.draft.uses_of(node)? {
                let package = self.packages.get(&user.path);
                if package == Some(&self.to) || user.relation == Relation::Imports {
                    continue;
                }
                let Some(word) = self.draft.file(&user.path)?.word_at(user.pos).cloned() else { continue };
                // What may mean something else counts where it writes the name.
                if self.draft.file(&user.path)?.spelling(&word) != label {
                    continue;
                }
                if user.tier == EdgeTier::Possible && is_top(graph, node) {
                    return Err(self.draft.refuse(
                        &user.path,
                        user.pos.line,
                        format!("may mean `{label}` or something else"),
                    ));
                }
                if !is_exported(label) {
                    let why = format!(
                        "uses `{label}`, which another package cannot: it would need a name with a capital letter"
                    );
                    return Err(self.draft.refuse(&user.path, user.pos.line, why));
                }
                if self.to.1 == "main" {
                    return Err(self.draft.refuse(&user.path, user.pos.line, "cannot import package main"));
                }
                if let Some((parent, _)) =
                    self.to.0.split_once("internal").filter(|(_, rest)| rest.is_empty() || rest.starts_with('/'))
                {
                    let parent = parent.trim_end_matches('/');
                    if !folder_of(&user.path).starts_with(parent) {
                        return Err(self.draft.refuse(&user.path, user.pos.line, "cannot import an internal package"));
                    }
                }
                if is_literal_without_keys(self.draft.file(&user.path)?.text(), word.bytes.end) {
                    let why = format!("writes a `{label}` without the names of its fields");
                    return Err(self.draft.refuse(&user.path, user.pos.line, why));
                }
            }
        }
        Ok(())
    }

    /// Refuses a cycle of packages.
    fn check_cycles(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let mut needs: BTreeMap<Package, BTreeSet<Package>> = BTreeMap::new();
        for (path, package) in self.packages.iter().filter(|(path, _)| !path.ends_with("_test.go")) {
            let Some(file) = graph.find_file(path) else { continue };
            for edge in graph.out_edges(file).filter(|edge| edge.relation == Relation::Imports) {
                if let Some(to) = self.packages.get(graph.path(edge.to)).filter(|to| *to != package) {
                    needs.entry(package.clone()).or_default().insert(to.clone());
                }
            }
        }
        let mut first: BTreeSet<Package> = BTreeSet::new();
        for used in self.draft.list_used()? {
            first.extend(self.packages.get(graph.path(used.to)).filter(|to| **to != self.to).cloned());
        }
        let mut users: BTreeMap<Package, Use> = BTreeMap::new();
        for top in self.draft.tops.clone() {
            for user in self.draft.uses_of(top)? {
                if user.relation == Relation::Imports || user.path.ends_with("_test.go") {
                    continue;
                }
                let package = self.packages.get(&user.path).filter(|package| **package != self.to);
                if let Some(package) = package {
                    users.entry(package.clone()).or_insert(user);
                }
            }
        }
        // All that the target would need, through others.
        first.extend(needs.get(&self.to).into_iter().flatten().cloned());
        let mut reached = first.clone();
        let mut open: Vec<Package> = first.into_iter().collect();
        while let Some(next) = open.pop() {
            for to in needs.get(&next).into_iter().flatten() {
                if reached.insert(to.clone()) {
                    open.push(to.clone());
                }
            }
        }
        if reached.contains(&self.to) {
            let why = format!("package `{}` would import itself through others", self.to.0);
            return Err(self.draft.refuse(self.draft.from(), graph.name_line(self.draft.request.node), why));
        }
        match users.iter().find(|(package, _)| reached.contains(package)) {
            Some((package, user)) => {
                let why = format!("uses it, and package `{}` would need `{}`: an import cycle", self.to.0, package.0);
                Err(self.draft.refuse(&user.path, user.pos.line, why))
            }
            None => Ok(()),
        }
    }

    /// The name that a file uses a package by, with its import noted as needed.
    fn name_in(&mut self, path: &str, package: &Package) -> Result<String, CannotRefactor> {
        let Some(import) = self.paths.get(&package.0).cloned() else {
            return Err(self.draft.refuse(path, 0, format!("would import `{}`, which is in no module", package.0)));
        };
        let text = match self.packages.contains_key(path) {
            true => self.draft.file(path)?.text().to_owned(),
            false => String::new(),
        };
        let imports = Imports::read(self.draft.snapshot, &text, &self.known, self.draft.cancel);
        let imports = imports.ok_or(CannotRefactor::File { path: path.to_owned(), why: "cannot be parsed" })?;
        if let Some(spec) = imports.by_path(&import) {
            self.needed.entry(path.to_owned()).or_default().insert(import, spec.alias.clone());
            return Ok(spec.name.clone());
        }
        let is_free = |name: &str| {
            imports.by_name(name).is_none() && !imports.plain.contains(name) && !imports.qualifiers.contains(name)
        };
        let ending = import.rsplit('/').next() == Some(package.1.as_str());
        let (name, alias) = match is_free(&package.1) {
            true if ending => (package.1.clone(), None),
            true => (package.1.clone(), Some(package.1.clone())),
            false => (format!("{}pkg", package.1), Some(format!("{}pkg", package.1))),
        };
        self.needed.entry(path.to_owned()).or_default().insert(import, alias);
        Ok(name)
    }

    /// Gives the names in the moved code the paths that they need in the other package.
    fn rewrite_moved(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let to = self.draft.request.to.clone();
        for used in self.draft.list_used()? {
            let target = self.packages.get(graph.path(used.to)).cloned();
            if used.tier != EdgeTier::Certain || !is_top(graph, used.to) {
                continue;
            }
            let Some(word) = self.draft.file(&used.path)?.word_at(used.pos).cloned() else { continue };
            if target.as_ref() == Some(&self.from) && word.qualifier.is_none() && !word.is_member {
                let name = self.name_in(&to, &self.from.clone())?;
                self.draft.file(&used.path)?.patch(word.bytes.start..word.bytes.start, format!("{name}."));
            } else if target.as_ref() == Some(&self.to)
                && let Some(qualifier) = word.qualifier.filter(|_| word.is_member)
            {
                self.draft.file(&used.path)?.patch(qualifier.start..word.bytes.start, "");
            }
        }
        Ok(())
    }

    /// Gives the users the path of the other package.
    fn rewrite_users(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        for top in self.draft.tops.clone() {
            if !is_top(graph, top) {
                continue;
            }
            for user in self.draft.uses_of(top)? {
                if user.tier != EdgeTier::Certain {
                    continue;
                }
                let file = self.draft.file(&user.path)?;
                let Some(word) = file.word_at(user.pos).cloned() else { continue };
                if file.spelling(&word) != graph.label(top) || word.field == "key" {
                    continue;
                }
                let package = self.packages.get(&user.path).cloned();
                self.draft.places += 1;
                if package.as_ref() == Some(&self.to) {
                    if let Some(qualifier) = &word.qualifier {
                        self.draft.file(&user.path)?.patch(qualifier.start..word.bytes.start, "");
                    }
                    continue;
                }
                let name = self.name_in(&user.path, &self.to.clone())?;
                let start = word.qualifier.map_or(word.bytes.start, |qualifier| qualifier.start);
                self.draft.file(&user.path)?.patch(start..word.bytes.start, format!("{name}."));
            }
        }
        Ok(())
    }

    /// The new texts.
    fn write(mut self) -> Result<Refactoring, CannotRefactor> {
        let to = self.draft.request.to.clone();
        let moved = self.moved_code();
        let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
        // Files that stay.
        for (path, file) in &self.draft.files {
            if *path == to || self.draft.is_whole_file() && path == self.draft.from() {
                continue;
            }
            let gone = self.draft.gone.get(path).cloned().unwrap_or_default();
            if gone.is_empty() && file.patches.is_empty() {
                continue;
            }
            let text = without_empty_groups(&file.rest(&gone));
            texts.insert(path.clone(), Some(self.fit(path, file.text(), &text)?));
        }
        // The target.
        let (before, text) = self.target_text(&moved)?;
        self.need_imports_of_moved(&text)?;
        texts.insert(to.clone(), Some(self.fit(&to, &before, &text)?));
        if self.draft.is_whole_file() {
            texts.insert(self.draft.from().to_owned(), None);
        }
        for (path, text) in &mut texts {
            // A file without code goes.
            let _ = path;
            if let Some(text) = text {
                *text = format!("{}\n", text.trim_end());
            }
        }
        self.draft.finish(texts)
    }

    fn moved_code(&self) -> String {
        let mut parts = Vec::new();
        for (path, range, head) in &self.code {
            let Some(file) = self.draft.files.get(path) else { continue };
            let text = file.part(range);
            parts.push(match *head {
                "" => text.trim_matches('\n').to_owned(),
                word => out_of_group(word, &text),
            });
        }
        parts.join("\n\n")
    }

    /// The text of the target with the code, before its imports are made to fit; and the text that it had.
    fn target_text(&mut self, moved: &str) -> Result<(String, String), CannotRefactor> {
        let to = self.draft.request.to.clone();
        if self.draft.is_whole_file() {
            let path = self.draft.from().to_owned();
            let file = self.draft.file(&path)?;
            let clause =
                file.parsed.items.iter().find(|item| item.kind == ItemKind::Package).map(|item| item.bytes.clone());
            if let Some(clause) = clause {
                let with = format!("package {}", self.to.1);
                self.draft.file(&path)?.patch(clause, with);
            }
            let file = self.draft.file(&path)?;
            let end = file.text().len();
            return Ok((file.text().to_owned(), file.part(&(0..end))));
        }
        if self.packages.contains_key(&to) {
            let file = self.draft.file(&to)?;
            let text = file.rest(&[]);
            return Ok((file.text().to_owned(), append(&text, moved, BLANK)));
        }
        let path = self.draft.from().to_owned();
        let tags = constraints(&self.draft.file(&path)?.parsed, &path).1;
        let head = tags.iter().map(|tag| format!("{tag}\n")).collect::<String>();
        let head = if head.is_empty() { head } else { format!("{head}\n") };
        let head = format!("{head}package {}\n", self.to.1);
        Ok((head.clone(), append(&head, moved, BLANK)))
    }

    /// Notes the imports that the moved code brings along.
    fn need_imports_of_moved(&mut self, text: &str) -> Result<(), CannotRefactor> {
        let to = self.draft.request.to.clone();
        if self.draft.is_whole_file() {
            return Ok(());
        }
        let (snapshot, cancel) = (self.draft.snapshot, self.draft.cancel);
        let target = match self.packages.contains_key(&to) {
            true => self.draft.file(&to)?.text().to_owned(),
            false => String::new(),
        };
        let target = Imports::read(snapshot, &target, &self.known, cancel);
        let all = Imports::read(snapshot, text, &self.known, cancel);
        let bad = CannotRefactor::File { path: to.clone(), why: "cannot be parsed" };
        let (Some(target), Some(all)) = (target, all) else { return Err(bad) };
        let own_path = self.paths.get(&self.to.0).cloned();
        for (path, ranges) in self.draft.gone.clone() {
            let file = self.draft.file(&path)?;
            let source = file.text().to_owned();
            let used: BTreeSet<String> = file
                .words
                .iter()
                .filter(|word| imports::is_qualifier(word))
                .filter(|word| ranges.iter().any(|range| range.contains(&word.bytes.start)))
                .map(|word| source[word.bytes.clone()].to_owned())
                .collect();
            let Some(imports) = Imports::read(snapshot, &source, &self.known, cancel) else { continue };
            for name in used.iter().filter(|name| all.qualifiers.contains(*name)) {
                let Some(spec) = imports.by_name(name) else { continue };
                if Some(&spec.path) == own_path.as_ref() {
                    continue;
                }
                let other = target.by_name(name).filter(|other| other.path != spec.path);
                if let Some(other) = other {
                    let line = 1 + target_line(self.draft.files.get(&to), other.bytes.start);
                    let why = format!("imports another package as `{name}`");
                    return Err(self.draft.refuse(&to, line, why));
                }
                if let Some(other) = target.by_path(&spec.path).filter(|other| other.name != *name) {
                    let line = 1 + target_line(self.draft.files.get(&to), other.bytes.start);
                    let why = format!("imports `{}` under another name than `{name}`", spec.path);
                    return Err(self.draft.refuse(&to, line, why));
                }
                self.needed.entry(to.clone()).or_default().insert(spec.path.clone(), spec.alias.clone());
            }
        }
        Ok(())
    }

    /// A text with the imports that it needs.
    fn fit(&self, path: &str, before: &str, text: &str) -> Result<String, CannotRefactor> {
        let read = |text: &str| {
            let imports = Imports::read(self.draft.snapshot, text, &self.known, self.draft.cancel);
            imports.ok_or(CannotRefactor::File { path: path.to_owned(), why: "cannot be parsed after the change" })
        };
        let (before, after) = (read(before)?, read(text)?);
        let none = BTreeMap::new();
        let needed = self.needed.get(path).unwrap_or(&none);
        let own = self.modules.get(folder_of(path)).map_or("", String::as_str);
        Ok(after.fit(&before.qualifiers, needed, own))
    }
}

fn target_line(file: Option<&super::draft::Drafted>, at: usize) -> u32 {
    let lines = file.map_or(0, |file| file.text()[..at].matches('\n').count());
    u32::try_from(lines).unwrap_or(0)
}

fn is_exported(label: &str) -> bool {
    label.starts_with(char::is_uppercase)
}

/// Returns whether a node is a name of its package: neither a member nor a method.
fn is_top(graph: &Graph, node: NodeIx) -> bool {
    let is_member = graph.id(node).contains("::impl::");
    !is_member && graph.parent(node).is_some_and(|parent| graph.kind(parent) == NodeKind::File)
}
