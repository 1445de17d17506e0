//! What moved Rust code needs in scope: imports, names of its old module, traits whose methods it calls.

use std::collections::BTreeSet;

use m1nd_base::{EdgeTier, NodeKind};
use m1nd_graph::NodeIx;
use m1nd_lang::{CodeWord, ItemKind};

use super::Rust;
use super::uses::{Leaf, list_leaves};
use crate::edits::refactor::CannotRefactor;

/// Traits of the standard library with the methods that need them in scope.
pub(super) const STD_TRAITS: &[(&str, &[&str])] = &[
    ("Write", &["write", "write_all", "flush", "write_fmt", "write_str", "write_char", "writeln", "by_ref"]),
    ("Read", &["read", "read_to_end", "read_to_string", "read_exact", "bytes", "take", "chain", "by_ref"]),
    ("BufRead", &["lines", "read_line", "read_until", "fill_buf", "consume", "split"]),
    ("Seek", &["seek", "rewind", "stream_position"]),
    ("FromStr", &["from_str"]),
    ("Hash", &["hash"]),
    ("Hasher", &["finish"]),
    ("BuildHasher", &["build_hasher", "hash_one"]),
    ("Borrow", &["borrow"]),
    ("BorrowMut", &["borrow_mut"]),
    ("Any", &["type_id"]),
    ("Error", &["source", "description"]),
    ("Deref", &["deref"]),
    ("DerefMut", &["deref_mut"]),
    ("FromIterator", &["from_iter"]),
    ("IsTerminal", &["is_terminal"]),
];

impl Rust<'_> {
    /// Words of the moved code that begin a path.
    pub(super) fn first_words(&mut self) -> Result<Vec<(CodeWord, String)>, CannotRefactor> {
        let from = self.draft.from().to_owned();
        let ranges = self.code.clone();
        let file = self.draft.file(&from)?;
        let within = |word: &&CodeWord| ranges.iter().any(|range| range.contains(&word.bytes.start));
        let is_first = |word: &&CodeWord| {
            word.qualifier.is_none()
                && !word.is_member
                && !file.text()[..word.bytes.start].ends_with('\'')
                && !matches!(word.kind, "field_identifier" | "string_content" | "string_literal" | "raw_string_literal")
        };
        Ok(file
            .words
            .iter()
            .filter(within)
            .filter(is_first)
            .map(|word| (word.clone(), file.spelling(word).to_owned()))
            .collect())
    }

    /// Finds what the moved code needs in scope.
    pub(super) fn need_names(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let (from, to) = (self.draft.from().to_owned(), self.draft.request.to.clone());
        let top: Vec<Leaf> = self.top_leaves(&from)?;
        let words = self.first_words()?;
        let edges: BTreeSet<usize> = self.edge_starts(&from)?;
        let own: BTreeSet<String> = self.draft.tops.iter().map(|node| graph.label(*node).to_owned()).collect();
        for (word, name) in &words {
            // Paths from here.
            if matches!(name.as_str(), "self" | "super") {
                self.make_absolute(&from, word)?;
                continue;
            }
            if own.contains(name) {
                continue;
            }
            let is_upper = name.starts_with(char::is_uppercase);
            let is_path = self.draft.file(&from)?.text()[word.bytes.end..].starts_with("::");
            let is_macro = self.draft.file(&from)?.text()[word.bytes.end..].starts_with('!');
            let is_certain =
                is_upper || is_path || is_macro || edges.contains(&word.bytes.start) || word.parent == "token_tree";
            if !is_certain {
                continue;
            }
            if let Some(leaf) = top.iter().find(|leaf| leaf.name == *name) {
                self.need_leaf(&leaf.clone(), &to)?;
                continue;
            }
            let beside = graph.find_labelled(name).into_iter().find(|node| {
                graph.path(*node) == from
                    && graph.parent(*node).is_some_and(|parent| graph.kind(parent) == NodeKind::File)
                    && !matches!(graph.kind(*node), NodeKind::Impl)
            });
            let is_child = self.file_of_module(&self.from.child(name)).is_some();
            match beside {
                Some(node) if graph.kind(node) == NodeKind::Macro && is_macro => {
                    let line = self.draft.file(&from)?.parsed.line_of(word.bytes.start);
                    return Err(self.draft.refuse(
                        &from,
                        line,
                        format!("uses the macro `{name}`, which is seen by the order of the text"),
                    ));
                }
                Some(node) if edges.contains(&word.bytes.start) || is_upper || is_path => {
                    let row = format!("{}::{name}", self.from.path());
                    self.add_import(&to, row);
                    let (here, line) = (self.to.clone(), self.draft.file(&from)?.parsed.line_of(word.bytes.start));
                    self.raise(node, &here, (&from, line))?;
                    self.raise_module(&self.from.clone(), &here)?;
                }
                None if is_path && is_child => {
                    let row = format!("{}::{name}", self.from.path());
                    self.add_import(&to, row);
                    self.raise_module(&self.from.child(name), &self.to.clone())?;
                }
                _ => {}
            }
        }
        self.need_through_globs(&words, &top)?;
        self.need_traits(&top)?;
        Ok(())
    }

    pub(super) fn top_leaves(&mut self, path: &str) -> Result<Vec<Leaf>, CannotRefactor> {
        let file = self.draft.file(path)?;
        Ok(list_leaves(file.text(), &file.parsed.items))
    }

    /// First bytes of words in a file that an edge begins at.
    pub(super) fn edge_starts(&mut self, path: &str) -> Result<BTreeSet<usize>, CannotRefactor> {
        let graph = self.draft.graph();
        let Some(file) = graph.find_file(path) else { return Ok(BTreeSet::new()) };
        let nodes = graph.of_file(file).into_iter().chain([file]);
        let positions: Vec<m1nd_base::Pos> = nodes
            .flat_map(|node| graph.out_edges(node))
            .flat_map(|edge| edge.sites.iter().collect::<Vec<_>>())
            .collect();
        let file = self.draft.file(path)?;
        Ok(positions.into_iter().filter_map(|pos| file.parsed.offset(pos)).collect())
    }

    /// A path of `self::` or `super::` in the moved code, from the crate.
    pub(super) fn make_absolute(&mut self, from: &str, word: &CodeWord) -> Result<(), CannotRefactor> {
        let file = self.draft.file(from)?;
        let mut rest = &file.text()[word.bytes.start..];
        let (start, mut supers) = (word.bytes.start, 0);
        let is_self = rest.starts_with("self::");
        if !is_self && !rest.starts_with("super::") {
            return Ok(());
        }
        let mut end = start;
        if is_self {
            end += "self".len();
            rest = &rest["self::".len()..];
        }
        while let Some(after) = rest.strip_prefix("super::") {
            end = file.text().len() - after.len() - 2;
            supers += 1;
            rest = after;
        }
        let base = (0..supers).try_fold(self.from.clone(), |module, _| module.parent());
        let Some(base) = base else { return Ok(()) };
        let with = base.path();
        self.draft.file(from)?.patch(start..end, with);
        Ok(())
    }

    /// Notes a name that the old file imports as needed in the new one.
    pub(super) fn need_leaf(&mut self, leaf: &Leaf, to: &str) -> Result<(), CannotRefactor> {
        let from = self.draft.from().to_owned();
        let here = self.from.clone();
        let is_of_crate = matches!(leaf.path.first().map(String::as_str), Some("crate" | "self" | "super"))
            || leaf.path.first().is_some_and(|first| self.is_beside(&here, first));
        let mut path = match is_of_crate.then(|| self.resolve(&leaf.path, &here, &from)).transpose()?.flatten() {
            Some(module) => module.path(),
            None => leaf.path.join("::"),
        };
        // What the target defines itself has its name there.
        let target = self.to.path();
        let last = leaf.path.last().cloned().unwrap_or_default();
        if path == target && !leaf.is_glob {
            path = "self".to_owned();
            if !leaf.is_renamed {
                // `b::helper` in the module `b` itself.
                let row = target.to_string();
                self.add_import(to, row);
                return Ok(());
            }
        }
        if path == format!("{target}::{last}") {
            if leaf.is_renamed {
                self.add_import(to, format!("self::{last} as {}", leaf.name));
            }
            return Ok(());
        }
        let row = match (leaf.is_renamed, leaf.is_glob) {
            (true, _) => format!("{path} as {}", leaf.name),
            (_, true) => format!("{path}::*"),
            _ => path,
        };
        self.add_import(to, row);
        Ok(())
    }

    /// What the moved code names through `*`.
    pub(super) fn need_through_globs(
        &mut self,
        words: &[(CodeWord, String)],
        top: &[Leaf],
    ) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let (from, to) = (self.draft.from().to_owned(), self.draft.request.to.clone());
        let globs: Vec<&Leaf> = top.iter().filter(|leaf| leaf.is_glob).collect();
        if globs.is_empty() {
            return Ok(());
        }
        let known: BTreeSet<&str> = top.iter().map(|leaf| leaf.name.as_str()).collect();
        let starts: BTreeSet<usize> =
            words.iter().filter(|(_, name)| !known.contains(name.as_str())).map(|(word, _)| word.bytes.start).collect();
        for used in self.draft.list_used()? {
            let at = self.draft.file(&from)?.parsed.offset(used.pos);
            let is_glob_name =
                at.is_some_and(|at| starts.contains(&at)) && graph.path(used.to) != from && graph.path(used.to) != to;
            let Some(parent) = graph.parent(used.to).filter(|_| is_glob_name && used.tier == EdgeTier::Certain) else {
                continue;
            };
            if graph.kind(used.to) == NodeKind::Macro {
                continue;
            }
            let path = match graph.kind(parent) {
                NodeKind::File => self.modules.of(graph.path(used.to)).path(),
                NodeKind::Enum => format!("{}::{}", self.modules.of(graph.path(used.to)).path(), graph.label(parent)),
                _ => continue,
            };
            if self.modules.of(graph.path(used.to)).root == self.from.root {
                self.add_import(&to, format!("{path}::{}", graph.label(used.to)));
            }
        }
        for glob in globs {
            let is_of_crate = matches!(glob.path.first().map(String::as_str), Some("crate" | "self" | "super"))
                || glob.path.first().is_some_and(|first| self.is_beside(&self.from.clone(), first));
            if !is_of_crate {
                self.need_leaf(&glob.clone(), &to)?;
            }
        }
        Ok(())
    }

    /// Traits whose methods the moved code calls.
    pub(super) fn need_traits(&mut self, top: &[Leaf]) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let (from, to) = (self.draft.from().to_owned(), self.draft.request.to.clone());
        // Those of the project.
        let own: BTreeSet<String> = self.draft.tops.iter().map(|node| graph.label(*node).to_owned()).collect();
        for used in self.draft.list_used()? {
            let Some(parent) = graph.parent(used.to) else { continue };
            let name = match graph.kind(parent) {
                NodeKind::Trait => graph.label(parent).to_owned(),
                NodeKind::Impl => match graph.label(parent).split_once(" for ") {
                    Some((name, _)) => {
                        name.split('<').next().unwrap_or(name).rsplit("::").next().unwrap_or(name).to_owned()
                    }
                    None => continue,
                },
                _ => continue,
            };
            if own.contains(&name) {
                continue;
            }
            if let Some(leaf) = top.iter().find(|leaf| leaf.name == name || leaf.path.last() == Some(&name)) {
                self.need_leaf(&leaf.clone(), &to)?;
                continue;
            }
            let is_trait = |node: &NodeIx| graph.kind(*node) == NodeKind::Trait && graph.path(*node).ends_with(".rs");
            let found = graph.find_labelled(&name).into_iter().filter(is_trait).collect::<Vec<_>>();
            let here = found.iter().copied().find(|node| graph.path(*node) == from);
            let of = match graph.kind(parent) {
                NodeKind::Trait => Some(parent),
                _ => here.or_else(|| found.first().copied().filter(|_| found.len() == 1)),
            };
            let Some(of) = of.filter(|of| graph.path(*of) != to) else { continue };
            if self.modules.of(graph.path(of)).root == self.from.root {
                self.add_import(&to, format!("{}::{name}", self.modules.of(graph.path(of)).path()));
                let here = self.to.clone();
                self.raise(of, &here, (&used.path, used.pos.line))?;
            }
        }
        self.need_outside_traits(top)
    }

    /// Traits of other crates: by the methods of the standard library, or since nothing writes their name.
    fn need_outside_traits(&mut self, top: &[Leaf]) -> Result<(), CannotRefactor> {
        let (from, to) = (self.draft.from().to_owned(), self.draft.request.to.clone());
        let ranges = self.code.clone();
        let file = self.draft.file(&from)?;
        let mut members: BTreeSet<&str> = BTreeSet::new();
        let mut written: BTreeSet<&str> = BTreeSet::new();
        let is_import =
            |at: usize| file.parsed.items.iter().any(|item| item.kind == ItemKind::Import && item.bytes.contains(&at));
        for word in &file.words {
            let at = word.bytes.start;
            if ranges.iter().any(|range| range.contains(&at)) {
                members.insert(file.spelling(word));
            }
            if !is_import(at) {
                written.insert(file.spelling(word));
            }
        }
        let mut needed = Vec::new();
        for leaf in top.iter().filter(|leaf| !leaf.is_glob) {
            let of = leaf.path.last().map_or("", String::as_str);
            let methods = STD_TRAITS.iter().find(|(name, _)| *name == of).map(|(_, methods)| methods);
            let is_hidden =
                leaf.name == "_" || of.starts_with(char::is_uppercase) && !written.contains(leaf.name.as_str());
            let is_needed = match methods {
                Some(methods) => methods.iter().any(|method| members.contains(method)),
                None => is_hidden && leaf.visibility.is_empty(),
            };
            if is_needed {
                needed.push(leaf.clone());
            }
        }
        for leaf in needed {
            self.need_leaf(&leaf, &to)?;
        }
        Ok(())
    }
}
