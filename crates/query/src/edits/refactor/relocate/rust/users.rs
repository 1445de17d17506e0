//! The users of moved Rust code: paths, `use` declarations, and names through `*`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use m1nd_base::{EdgeTier, NodeKind, Relation};
use m1nd_graph::NodeIx;
use m1nd_lang::{CodeWord, ItemKind};

use super::super::draft::Use;
use super::Rust;
use super::modules::Module;
use super::needs::STD_TRAITS;
use super::uses::Leaf;
use crate::edits::refactor::CannotRefactor;

/// Rows of `use` by the file and the place that they go to.
type Rows = BTreeMap<(String, usize), BTreeSet<String>>;

/// A place that uses the moved definition.
struct Site<'s> {
    word: &'s CodeWord,
    /// Name of the definition.
    label: &'s str,
    /// It calls a method of the moved trait, and does not write its name.
    is_method: bool,
}

impl Rust<'_> {
    /// Gives the users the new path.
    pub(super) fn rewrite_users(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let mut plain = Rows::new();
        for top in self.draft.tops.clone() {
            let label = graph.label(top).to_owned();
            let mut users = self.draft.uses_of(top)?;
            if graph.kind(top) == NodeKind::Trait {
                users.extend(self.users_of_methods(top)?);
            }
            for user in users {
                if !user.path.ends_with(".rs") {
                    continue;
                }
                let Some(word) = self.draft.file(&user.path)?.word_at(user.pos).cloned() else { continue };
                let is_method = self.draft.file(&user.path)?.spelling(&word) != label;
                if is_method && graph.kind(top) != NodeKind::Trait {
                    continue;
                }
                self.rewrite_use(&user, &Site { word: &word, label: &label, is_method }, &mut plain)?;
            }
        }
        let own = self.needed.get(self.draft.from()).cloned().unwrap_or_default();
        for (path, at, row) in std::mem::take(&mut self.through_globs) {
            let name = row.trim().trim_start_matches("use ").trim_end_matches(';');
            if !own.contains(name) {
                plain.entry((path, at)).or_default().insert(row);
            }
        }
        for ((path, at), rows) in plain {
            self.add_rows(&path, at, rows)?;
        }
        Ok(())
    }

    /// Calls of the methods of a trait: it must be in scope there.
    pub(super) fn users_of_methods(&mut self, of: NodeIx) -> Result<Vec<Use>, CannotRefactor> {
        let graph = self.draft.graph();
        let mut users = Vec::new();
        let members: Vec<NodeIx> =
            graph.out_edges(of).filter(|edge| edge.relation == Relation::Contains).map(|edge| edge.to).collect();
        let overriding = members.iter().flat_map(|member| graph.in_edges(*member));
        let overriding = overriding.filter(|edge| edge.relation == Relation::Overrides).map(|edge| edge.from);
        for member in members.iter().copied().chain(overriding.collect::<Vec<_>>()) {
            for user in self.draft.uses_of(member)? {
                if user.tier == EdgeTier::Certain && user.path.ends_with(".rs") {
                    users.push(user);
                }
            }
        }
        Ok(users)
    }

    /// The path of the moved definition from a module; `first` is the name of the crate where the user is of another.
    fn new_path(&self, here: &Module, first: Option<&str>, label: &str) -> String {
        if here.root == self.to.root {
            return format!("{}::{label}", self.to.path());
        }
        let names = std::iter::once(first.unwrap_or("crate")).chain(self.to.names.iter().map(String::as_str));
        names.chain([label]).collect::<Vec<_>>().join("::")
    }

    fn rewrite_use(&mut self, user: &Use, site: &Site<'_>, plain: &mut Rows) -> Result<(), CannotRefactor> {
        let path = user.path.clone();
        let here = self.module_at(&path, site.word.bytes.start)?;
        let leaves = self.leaves_of(&path)?;
        // A row of a `use` declaration.
        if let Some(leaf) = leaves.iter().find(|leaf| leaf.at == site.word.bytes.start && !site.is_method) {
            return self.rewrite_leaf((&path, &here), leaf, site.label, plain);
        }
        // A path in the code.
        if let Some(qualifier) = site.word.qualifier.clone().filter(|_| !site.word.is_member && !site.is_method) {
            return self.rewrite_path((&path, &here), qualifier, site);
        }
        // A bare name: by an import, by its own module, or by `*`.
        let is_imported = |leaf: &Leaf| {
            leaf.name == site.label || leaf.is_renamed && leaf.path.last().is_some_and(|last| last == site.label)
        };
        let is_sure = user.tier == EdgeTier::Certain || path == self.draft.from();
        if here == self.to || !is_sure || leaves.iter().any(is_imported) {
            return Ok(());
        }
        self.import_bare((&path, &here), &leaves, site.label, plain)
    }

    fn rewrite_leaf(
        &mut self,
        (path, here): (&str, &Module),
        leaf: &Leaf,
        label: &str,
        plain: &mut Rows,
    ) -> Result<(), CannotRefactor> {
        let Some((_, prefix)) = leaf.path.split_last().filter(|(_, prefix)| !prefix.is_empty()) else { return Ok(()) };
        if self.resolve(prefix, here, path)?.is_none_or(|module| module != self.from) {
            return Ok(());
        }
        self.draft.places += 1;
        self.gone.entry(path.to_owned()).or_default().insert(leaf.bytes.start);
        let is_own = *here == self.to && path == self.draft.request.to;
        if is_own && leaf.visibility.is_empty() && !leaf.is_renamed {
            return Ok(());
        }
        self.raise_module(&self.to.clone(), here)?;
        let mut row = self.new_path(here, leaf.path.first().map(String::as_str), label);
        if leaf.is_renamed {
            row = format!("{row} as {}", leaf.name);
        }
        let indent = indent_of(self.draft.file(path)?.text(), leaf.declaration.start);
        let head = if leaf.visibility.is_empty() { String::new() } else { format!("{} ", leaf.visibility) };
        plain.entry((path.to_owned(), leaf.lines.end)).or_default().insert(format!("{indent}{head}use {row};\n"));
        Ok(())
    }

    fn rewrite_path(
        &mut self,
        (path, here): (&str, &Module),
        qualifier: Range<usize>,
        site: &Site<'_>,
    ) -> Result<(), CannotRefactor> {
        let written = self.draft.file(path)?.text()[qualifier.clone()].to_owned();
        let names: Vec<String> = written.split("::").map(|name| name.trim().to_owned()).collect();
        let names: Vec<String> = names.into_iter().filter(|name| !name.is_empty()).collect();
        if written.contains('<') || self.resolve(&names, here, path)?.is_none_or(|module| module != self.from) {
            return Ok(());
        }
        self.draft.places += 1;
        if *here == self.to {
            self.draft.file(path)?.patch(qualifier.start..site.word.bytes.start, "");
            return Ok(());
        }
        self.raise_module(&self.to.clone(), here)?;
        let with = self.new_path(here, names.first().map(String::as_str), site.label);
        self.draft.file(path)?.patch(qualifier.start..site.word.bytes.end, with);
        Ok(())
    }

    fn import_bare(
        &mut self,
        (path, here): (&str, &Module),
        leaves: &[Leaf],
        label: &str,
        plain: &mut Rows,
    ) -> Result<(), CannotRefactor> {
        let mut glob = None;
        for leaf in leaves.iter().filter(|leaf| leaf.is_glob) {
            let at = self.module_at(path, leaf.declaration.start)?;
            let is_of_old = self.resolve(&leaf.path, &at, path)?.is_some_and(|module| module == self.from);
            if is_of_old && here.is_within(&at) {
                glob = Some(leaf);
            }
        }
        let is_of_old_file = path == self.draft.from();
        match glob.filter(|_| !is_of_old_file || *here != self.from) {
            Some(glob) => {
                self.raise_module(&self.to.clone(), here)?;
                let row = self.new_path(here, glob.path.first().map(String::as_str), label);
                let indent = indent_of(self.draft.file(path)?.text(), glob.declaration.start);
                let (at, row) = (glob.lines.end, format!("{indent}use {row};\n"));
                self.draft.places += 1;
                // What the old module imports is seen through its `*` by the modules in it.
                match here.is_within(&self.from) {
                    true => drop(self.through_globs.insert((path.to_owned(), at, row))),
                    false => drop(plain.entry((path.to_owned(), at)).or_default().insert(row)),
                }
            }
            None if is_of_old_file => {
                self.raise_module(&self.to.clone(), here)?;
                let row = self.new_path(here, None, label);
                self.add_import(path, row);
                self.draft.places += 1;
            }
            None => {}
        }
        Ok(())
    }

    /// Puts rows at a place of a file.
    pub(super) fn add_rows(&mut self, path: &str, at: usize, rows: BTreeSet<String>) -> Result<(), CannotRefactor> {
        let text = self.draft.file(path)?.text().to_owned();
        let break_before = if text[..at].ends_with('\n') || at == 0 { "" } else { "\n" };
        let rows: String = rows.into_iter().collect();
        self.draft.file(path)?.inserts.push((at..at, format!("{break_before}{rows}")));
        Ok(())
    }

    /// Files of the modules below the old one.
    pub(super) fn list_below(&self) -> Vec<String> {
        let paths = self.draft.snapshot.files().iter().map(|entry| entry.path.as_str()).filter(|path| {
            path.ends_with(".rs")
                && *path != self.draft.from()
                && self.modules.is_declared(path)
                && self.modules.of(path).is_within(&self.from)
        });
        paths.map(str::to_owned).collect()
    }

    /// Takes out the imports that only the moved code used.
    pub(super) fn drop_unused(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let from = self.draft.from().to_owned();
        let top = self.top_leaves(&from)?;
        let words = self.first_words()?;
        let ranges = self.code.clone();
        // Names of the moved code that the rest does not write. A trait may be there for its methods.
        let from_is_root = self.from.names.is_empty();
        let file = self.draft.file(&from)?;
        let mut gone = Vec::new();
        for leaf in top.iter().filter(|leaf| !leaf.is_glob && leaf.visibility.is_empty()) {
            let mut used = words.iter().filter(|(_, name)| *name == leaf.name).peekable();
            if used.peek().is_none() {
                continue;
            }
            let is_upper = leaf.name.starts_with(char::is_uppercase);
            let is_kind_of_trait = is_upper && used.all(|(word, _)| is_bound(word))
                || STD_TRAITS.iter().any(|(name, _)| leaf.path.last().is_some_and(|last| last == name));
            let is_left = file.words.iter().any(|word| {
                let at = word.bytes.start;
                file.spelling(word).contains(leaf.name.as_str())
                    && !ranges.iter().any(|range| range.contains(&at))
                    && !file.parsed.items.iter().any(|item| item.kind == ItemKind::Import && item.bytes.contains(&at))
                    && (file.spelling(word) == leaf.name || word.kind.contains("string"))
            });
            let is_trait = graph
                .find_labelled(leaf.path.last().map_or("", String::as_str))
                .into_iter()
                .any(|node| graph.kind(node) == NodeKind::Trait);
            if !is_kind_of_trait && !is_left && !is_trait && !from_is_root {
                gone.push(leaf.clone());
            }
        }
        // The modules below may see it through `*`.
        let below = self.list_below();
        for leaf in gone {
            let mut is_seen_below = false;
            for path in &below {
                let file = self.draft.file(path)?;
                is_seen_below |= file.words.iter().any(|word| file.spelling(word) == leaf.name);
            }
            if !is_seen_below {
                self.gone.entry(from.clone()).or_default().insert(leaf.bytes.start);
            }
        }
        Ok(())
    }
}

/// Returns whether a word is the bound of a type, or the trait of an `impl`.
fn is_bound(word: &CodeWord) -> bool {
    const BOUNDS: &[&str] = &["trait_bounds", "dynamic_type", "abstract_type"];
    BOUNDS.contains(&word.parent) || BOUNDS.contains(&word.above) || word.field == "trait"
}

fn indent_of(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    text[start..at].chars().take_while(|c| c.is_whitespace()).collect()
}
