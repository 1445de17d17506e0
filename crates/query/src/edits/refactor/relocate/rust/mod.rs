//! Moves in Rust: modules, `use` trees, visibility.

mod modules;
mod needs;
mod sight;
mod users;
mod uses;
mod whole;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use m1nd_base::{Cancel, NodeKind, RepoPath};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::NodeIx;
use m1nd_lang::ItemKind;

use super::Move;
use super::draft::{Draft, folder_of};
use crate::edits::refactor::{CannotRefactor, Refactoring, read_plain};
use modules::{Module, Modules, declaration_of, module_name, visibility_at};
use uses::{Leaf, list_inner, list_leaves};

/// Most rounds in which helpers of helpers are found.
const MAX_ROUNDS: usize = 20;
/// Most imports that are followed to find what a path begins with.
const MAX_HOPS: usize = 8;

/// Plans a move.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(snapshot: &Snapshot, request: &Move, cancel: &Cancel) -> Result<Refactoring, CannotRefactor> {
    let mut rust = Rust::new(snapshot, request, cancel)?;
    if rust.draft.is_whole_file() {
        return rust.move_file();
    }
    // What goes where.
    rust.collect()?;
    rust.check_target()?;
    rust.take_helpers()?;
    // What the moved code needs, and what needs it.
    rust.need_names()?;
    rust.raise_used()?;
    rust.rewrite_users()?;
    rust.raise_moved()?;
    rust.drop_unused()?;
    rust.write()
}

struct Rust<'a> {
    draft: Draft<'a>,
    modules: Modules,
    from: Module,
    to: Module,
    /// Name of the crate for others.
    crate_name: Option<String>,
    is_new: bool,
    /// `use` rows by file, without `use`.
    needed: BTreeMap<String, BTreeSet<String>>,
    leaves: BTreeMap<String, Vec<Leaf>>,
    /// Leaves that go, by file and first byte.
    gone: BTreeMap<String, BTreeSet<usize>>,
    /// Names that `*` brought from the old module: the file, where a row for them goes, and the row.
    through_globs: BTreeSet<(String, usize, String)>,
    code: Vec<Range<usize>>,
}

impl<'a> Rust<'a> {
    fn new(snapshot: &'a Snapshot, request: &'a Move, cancel: &'a Cancel) -> Result<Self, CannotRefactor> {
        let draft = Draft::new(snapshot, request, cancel);
        let to = request.to.as_str();
        if !to.ends_with(".rs") {
            return Err(draft.refuse(to, 0, "is not a Rust file"));
        }
        let mut modules = Modules::read(snapshot);
        let is_new = snapshot.graph().find_file(to).is_none();
        let is_beside =
            draft.is_whole_file() && !modules.is_declared(draft.from()) && folder_of(to) == folder_of(draft.from());
        if is_new && !is_beside {
            let Some(parent) = modules.parent_of(snapshot, to) else {
                return Err(draft.refuse(
                    to,
                    0,
                    "would be declared by no module: neither its folder nor the one above has a module file",
                ));
            };
            modules.add(to, &parent);
        } else if !is_new
            && !modules.is_declared(to)
            && modules.of(to).root == to
            && modules.of(draft.from()).root != to
        {
            return Err(draft.refuse(to, 0, "belongs to a different crate, or no module declares it"));
        }
        let (from, to) = (modules.of(draft.from()), modules.of(to));
        let mut rust = Self {
            draft,
            modules,
            from,
            to,
            crate_name: None,
            is_new,
            needed: BTreeMap::new(),
            leaves: BTreeMap::new(),
            gone: BTreeMap::new(),
            through_globs: BTreeSet::new(),
            code: Vec::new(),
        };
        rust.crate_name = rust.read_crate_name();
        Ok(rust)
    }

    fn read_crate_name(&self) -> Option<String> {
        let mut folder = folder_of(&self.from.root);
        loop {
            let path = if folder.is_empty() { "Cargo.toml".to_owned() } else { format!("{folder}/Cargo.toml") };
            if let Ok(source) =
                RepoPath::new(&path).map_err(drop).and_then(|path| read_plain(self.draft.snapshot, &path).map_err(drop))
            {
                let mut section = "";
                let mut found: [Option<String>; 2] = [None, None];
                for line in source.text.lines().map(str::trim) {
                    if line.starts_with('[') {
                        section = line;
                    }
                    let Some(name) = line.strip_prefix("name").and_then(|rest| rest.trim_start().strip_prefix('='))
                    else {
                        continue;
                    };
                    let name = name.trim().trim_matches('"').replace('-', "_");
                    match section {
                        "[lib]" => found[0] = Some(name),
                        "[package]" => found[1] = Some(name),
                        _ => {}
                    }
                }
                let [lib, package] = found;
                return lib.or(package);
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder_of(folder);
        }
    }

    fn collect(&mut self) -> Result<(), CannotRefactor> {
        let node = self.draft.request.node;
        let graph = self.draft.graph();
        if matches!(graph.kind(node), NodeKind::Module | NodeKind::Macro | NodeKind::Impl) {
            return Err(self.draft.refuse(
                self.draft.from(),
                graph.name_line(node),
                "is not a function, type, trait or constant",
            ));
        }
        if graph.label(node) == "main" {
            return Err(self.draft.refuse(self.draft.from(), graph.name_line(node), "is where the program starts"));
        }
        self.take_definition(node)
    }

    /// Adds a definition, and the `impl` blocks of a type.
    fn take_definition(&mut self, node: NodeIx) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let path = self.draft.from().to_owned();
        let snapshot = self.draft.snapshot;
        let file = self.draft.file(&path)?;
        let index = file.parsed.item_of(snapshot, node)?;
        let mut lines = vec![file.parsed.items[index].lines.clone()];
        let label = graph.label(node);
        let is_type = matches!(graph.kind(node), NodeKind::Struct | NodeKind::Enum | NodeKind::Type);
        if is_type && !file.text()[file.parsed.items[index].bytes.clone()].starts_with("type ") {
            for (row, definition) in file.parsed.facts.definitions.iter().enumerate() {
                let is_block = definition.kind == m1nd_lang::facts::DefKind::Impl && definition.owner.is_none();
                if is_block && type_of_block(file.parsed.facts.name(definition.name)) == label {
                    let at = file.parsed.facts.definitions[row].bytes.0 as usize;
                    let item = file.parsed.items.iter().find(|item| item.bytes.contains(&at));
                    lines.extend(item.map(|item| item.lines.clone()));
                }
            }
        }
        let is_private_macro = |text: &str| text.contains("macro_rules!");
        for range in lines {
            let text = &self.draft.file(&path)?.text()[range.clone()];
            if is_private_macro(text) {
                return Err(self.draft.refuse(
                    &path,
                    graph.name_line(node),
                    "defines a macro, which is seen by the order of the text",
                ));
            }
            if !self.code.contains(&range) {
                self.code.push(range.clone());
                self.draft.take(&path, range)?;
            }
        }
        self.code.sort_by_key(|range| range.start);
        Ok(())
    }

    fn check_target(&mut self) -> Result<(), CannotRefactor> {
        let (from, to) = (self.draft.from().to_owned(), self.draft.request.to.clone());
        if from == to {
            return Err(self.draft.refuse(&to, 0, "has it already"));
        }
        if self.from.root != self.to.root {
            return Err(self.draft.refuse(
                &to,
                0,
                format!("is of another crate (`{}`, not `{}`)", self.to.root, self.from.root),
            ));
        }
        let (own, other) = (self.list_conditions(&from)?, self.list_conditions(&to)?);
        if let Some(condition) = other.difference(&own).next() {
            return Err(self.draft.refuse(&to, 0, format!("is compiled under other conditions: {condition}")));
        }
        if self.is_new { Ok(()) } else { self.check_names(&to) }
    }

    /// Refuses names that the target has for something else.
    fn check_names(&mut self, to: &str) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        for &top in &self.draft.tops.clone() {
            let label = graph.label(top);
            let is_taken = |other: &NodeIx| {
                graph.path(*other) == to
                    && graph.parent(*other).is_some_and(|parent| graph.kind(parent) == NodeKind::File)
                    && graph.kind(*other) != NodeKind::Macro
                    && is_value(graph.kind(*other)) == is_value(graph.kind(top))
            };
            if let Some(taken) = graph.find_labelled(label).into_iter().find(is_taken) {
                return Err(self.draft.refuse(to, graph.name_line(taken), format!("has the name `{label}` already")));
            }
            let own: Vec<String> = self.from.names.iter().cloned().chain([label.to_owned()]).collect();
            let leaves = self.leaves_of(to)?;
            let here = self.to.clone();
            for leaf in leaves.iter().filter(|leaf| leaf.name == label) {
                let is_it = self.resolve(&leaf.path, &here, to)?.is_some_and(|module| module.names == own);
                let line = self.draft.file(to)?.parsed.line_of(leaf.at);
                let leads_here = graph
                    .in_edges(top)
                    .any(|edge| graph.path(edge.from) == to && edge.sites.iter().any(|pos| pos.line == line));
                if !is_it && !leads_here {
                    return Err(self.draft.refuse(to, line, format!("imports something else as `{label}`")));
                }
            }
        }
        Ok(())
    }

    /// The conditions under which a file is compiled: those of the modules on the way to it, and its own.
    fn list_conditions(&mut self, path: &str) -> Result<BTreeSet<String>, CannotRefactor> {
        let graph = self.draft.graph();
        let mut found = BTreeSet::new();
        let chain = self.modules.chain(path);
        for (parent, child) in chain.iter().zip(chain.iter().skip(1)) {
            let file = &self.draft.file(parent)?.parsed;
            let attributes = declaration_of(file, module_name(child)).map(|(_, attributes)| attributes);
            let cfg = attributes.iter().flat_map(|text| text.lines()).filter(|line| line.trim().starts_with("#[cfg"));
            found.extend(cfg.map(|line| line.trim().to_owned()));
            if graph.find_file(child).is_some() {
                let text = self.draft.file(child)?.text();
                found.extend(text.lines().filter(|line| line.starts_with("#![cfg")).map(str::to_owned));
            }
        }
        Ok(found)
    }

    fn take_helpers(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        for _ in 0..MAX_ROUNDS {
            if !self.draft.request.with_helpers {
                return Ok(());
            }
            let mut found = None;
            for used in self.draft.list_used()? {
                let is_here = graph.path(used.to) == self.draft.from()
                    && graph.parent(used.to).is_some_and(|parent| graph.kind(parent) == NodeKind::File)
                    && !matches!(graph.kind(used.to), NodeKind::Module | NodeKind::Macro | NodeKind::Impl);
                let is_private = !graph.signature(used.to).starts_with("pub");
                if is_here
                    && is_private
                    && self.draft.uses_of(used.to)?.iter().all(|user| self.draft.moved.contains(&user.from))
                {
                    found = Some(used.to);
                    break;
                }
            }
            let Some(helper) = found else { return Ok(()) };
            self.draft.note(
                graph.path(helper),
                graph.name_line(helper),
                format!("`{}` goes along", graph.label(helper)),
            );
            self.take_definition(helper)?;
        }
        Ok(())
    }

    /// All names of `use` declarations in a file.
    fn leaves_of(&mut self, path: &str) -> Result<Vec<Leaf>, CannotRefactor> {
        if let Some(known) = self.leaves.get(path) {
            return Ok(known.clone());
        }
        if self.draft.graph().find_file(path).is_none() {
            return Ok(Vec::new());
        }
        let file = self.draft.file(path)?;
        let mut leaves = list_leaves(file.text(), &file.parsed.items);
        let is_top =
            |at: usize| file.parsed.items.iter().any(|item| item.kind == ItemKind::Import && item.lines.contains(&at));
        let mut inner = Vec::new();
        let mut at = 0;
        for line in file.text().split_inclusive('\n') {
            let trimmed = line.trim_start();
            let start = at + (line.len() - trimmed.len());
            at += line.len();
            let (end, _) = visibility_at(file.text(), start);
            let is_use = file.text()[end..].trim_start_matches(' ').starts_with("use ");
            if is_use
                && !is_top(start)
                && let Some(len) = file.text()[start..].find(';')
            {
                inner.push(start..start + len + 1);
            }
        }
        leaves.extend(list_inner(file.text(), &inner));
        self.leaves.insert(path.to_owned(), leaves.clone());
        Ok(leaves)
    }

    /// The module that a place of a file is in, through modules in the file.
    fn module_at(&mut self, path: &str, at: usize) -> Result<Module, CannotRefactor> {
        let mut module = self.modules.of(path);
        let file = self.draft.file(path)?;
        for definition in &file.parsed.facts.definitions {
            let holds = (definition.bytes.0 as usize..definition.bytes.1 as usize).contains(&at);
            if definition.kind == m1nd_lang::facts::DefKind::Module && holds {
                module = module.child(file.parsed.facts.name(definition.name));
            }
        }
        Ok(module)
    }

    /// The module, or the path below one, that the names of a path mean in a module of a file.
    fn resolve(&mut self, path: &[String], here: &Module, file: &str) -> Result<Option<Module>, CannotRefactor> {
        let mut names: Vec<String> = path.to_vec();
        for _ in 0..MAX_HOPS {
            let Some(first) = names.first().cloned() else { return Ok(Some(here.clone())) };
            let rest = names[1..].to_vec();
            let root = Module { root: here.root.clone(), names: Vec::new() };
            let below = |base: Module, rest: Vec<String>| rest.iter().fold(base, |module, name| module.child(name));
            match first.as_str() {
                "crate" => return Ok(Some(below(root, rest))),
                "self" => return Ok(Some(below(here.clone(), rest))),
                "super" => {
                    let mut base = here.parent();
                    let mut rest = rest.as_slice();
                    while let [next, others @ ..] = rest
                        && next == "super"
                    {
                        base = base.and_then(|base| base.parent());
                        rest = others;
                    }
                    return Ok(base.map(|base| below(base, rest.to_vec())));
                }
                _ => {}
            }
            // A module or item beside, an import, or another crate.
            let leaves = self.leaves_of(file)?;
            let leaf = leaves
                .iter()
                .find(|leaf| leaf.name == first && leaf.path != names && leaf.path.first() != Some(&first));
            if let Some(leaf) = leaf {
                names = leaf.path.iter().cloned().chain(rest).collect();
                continue;
            }
            if self.crate_name.as_deref() == Some(&first) && here.root != self.from.root {
                return Ok(Some(below(Module { root: self.from.root.clone(), names: Vec::new() }, rest)));
            }
            let imported = leaves.iter().find(|leaf| leaf.name == first && leaf.path.len() > 1);
            if let Some(leaf) = imported.filter(|leaf| leaf.path != names) {
                names = leaf.path.iter().cloned().chain(rest).collect();
                continue;
            }
            return Ok(self.is_beside(here, &first).then(|| below(here.child(&first), rest)));
        }
        Ok(None)
    }

    /// Returns whether a module declares or defines a name.
    fn is_beside(&mut self, here: &Module, name: &str) -> bool {
        let graph = self.draft.graph();
        let child = here.child(name);
        graph.find_labelled(name).into_iter().chain(self.file_of_module(&child)).any(|node| {
            let path = graph.path(node);
            let is_top = graph.parent(node).is_none_or(|parent| graph.kind(parent) == NodeKind::File);
            is_top
                && match graph.kind(node) {
                    NodeKind::File => true,
                    _ => path.ends_with(".rs") && self.modules.of(path) == *here,
                }
        })
    }

    fn file_of_module(&self, module: &Module) -> Option<NodeIx> {
        let graph = self.draft.graph();
        let files = self.draft.snapshot.files();
        let is_it =
            |path: &&str| path.ends_with(".rs") && self.modules.is_declared(path) && self.modules.of(path) == *module;
        let name = module.names.last()?;
        let candidates = files.iter().filter(|entry| entry.language == Language::Rust).map(|entry| entry.path.as_str());
        let found = candidates.filter(|path| module_name(path) == name).find(is_it)?;
        graph.find_file(found)
    }

    fn add_import(&mut self, path: &str, row: String) {
        self.needed.entry(path.to_owned()).or_default().insert(row);
    }
}

/// The type of an `impl` block, by its header: `Display for &Pool<T>`.
fn type_of_block(header: &str) -> &str {
    let of = header.rsplit_once(" for ").map_or(header, |(_, of)| of).trim();
    let of = of.trim_start_matches('&').trim_start_matches("mut ").trim();
    let of = match of.strip_prefix('\'') {
        Some(rest) => rest.split_once(' ').map_or(rest, |(_, rest)| rest),
        None => of,
    };
    let end = of.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(of.len());
    &of[..end]
}

fn is_value(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Function | NodeKind::Constant | NodeKind::Variable)
}
