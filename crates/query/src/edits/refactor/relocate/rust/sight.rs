//! Visibility: what is used across the border of a move is raised where it has to be.

use std::collections::BTreeSet;

use m1nd_base::{EdgeTier, NodeKind};
use m1nd_graph::NodeIx;

use super::Rust;
use super::modules::{
    Module, Reach, declaration_of, has_own_visibility, module_name, read_reach, start_of_definition, visibility_at,
};
use crate::edits::refactor::CannotRefactor;

impl Rust<'_> {
    /// Raises what the moved code uses and cannot see from the new module.
    pub(super) fn raise_used(&mut self) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        for used in self.draft.list_used()? {
            let is_near = used.tier == EdgeTier::Certain || graph.path(used.to) == self.draft.from();
            if is_near && graph.path(used.to).ends_with(".rs") {
                let here = self.new_module(&used.path);
                self.raise(used.to, &here, (&used.path, used.pos.line))?;
            }
        }
        Ok(())
    }

    /// The module that a file of the moved code will be.
    fn new_module(&self, path: &str) -> Module {
        let old = self.modules.of(path);
        let below = old.names.get(self.from.names.len()..).unwrap_or_default();
        below.iter().fold(self.to.clone(), |module, name| module.child(name))
    }

    /// Raises what is used of the moved code by those who cannot see it in the new module.
    pub(super) fn raise_moved(&mut self) -> Result<(), CannotRefactor> {
        for node in self.draft.moved.clone() {
            for user in self.draft.uses_of(node)? {
                if !user.path.ends_with(".rs") {
                    continue;
                }
                let Some(at) = self.draft.file(&user.path)?.parsed.offset(user.pos) else { continue };
                let module = self.module_at(&user.path, at)?;
                self.raise(node, &module, (&user.path, user.pos.line))?;
            }
        }
        Ok(())
    }

    /// Gives a definition the visibility that a user needs, and with it the types that it is declared with: who
    /// may call a function must see what it takes.
    pub(super) fn raise(
        &mut self,
        node: NodeIx,
        user: &Module,
        (file, line): (&str, u32),
    ) -> Result<(), CannotRefactor> {
        let graph = self.draft.graph();
        let (mut open, mut known) = (vec![node], BTreeSet::new());
        while let Some(next) = open.pop() {
            if !known.insert(next) || !self.raise_one(next, user, (file, line))? {
                continue;
            }
            let signature = graph.signature(next);
            let is_named =
                |label: &str| signature.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == label);
            let around = graph.out_edges(next).chain(graph.parent(next).into_iter().flat_map(|of| graph.out_edges(of)));
            let types = around.map(|edge| edge.to).filter(|to| {
                matches!(graph.kind(*to), NodeKind::Struct | NodeKind::Enum | NodeKind::Trait | NodeKind::Type)
                    && graph.path(*to).ends_with(".rs")
                    && is_named(graph.label(*to))
            });
            open.extend(types);
        }
        Ok(())
    }

    /// Gives one definition the visibility that a user needs; whether it had not.
    fn raise_one(&mut self, node: NodeIx, user: &Module, (file, line): (&str, u32)) -> Result<bool, CannotRefactor> {
        let graph = self.draft.graph();
        if !has_own_visibility(self.draft.snapshot, node) {
            return Ok(false);
        }
        let path = graph.path(node).to_owned();
        let id = graph.id(node).to_owned();
        let parsed = &self.draft.file(&path)?.parsed;
        let Some(index) = parsed.definition(&id) else { return Ok(false) };
        let start = start_of_definition(parsed, index);
        let inner = parsed.facts.definitions[index].bytes.0 as usize;
        let text = parsed.text().to_owned();
        let (start, written) = match text[..start].trim_end().ends_with(" pub") {
            true => (start, "pub".to_owned()),
            false => (start, visibility_at(&text, start).1.to_owned()),
        };
        let module = match self.draft.moved.contains(&node) {
            true => self.new_module(&path),
            false => self.module_at(&path, inner.saturating_sub(1))?,
        };
        let Reach::Within(of) = read_reach(&written, &module) else { return Ok(false) };
        if user.is_within(&of) {
            return Ok(false);
        }
        let label = graph.label(node);
        if user.root != module.root {
            return Err(self.draft.refuse(
                file,
                line,
                format!("uses `{label}` from another crate, which would not be public"),
            ));
        }
        let (end, _) = visibility_at(&text, start);
        let with = if written.is_empty() { "pub(crate) " } else { "pub(crate)" };
        self.draft.file(&path)?.patch(start..end, with);
        self.draft.note(
            &path,
            graph.name_line(node),
            format!("`{label}` is `pub(crate)` now, since {file}:{line} uses it"),
        );
        Ok(true)
    }

    /// Makes sure that a module can be named from another one.
    pub(super) fn raise_module(&mut self, module: &Module, user: &Module) -> Result<(), CannotRefactor> {
        let Some(file) = self.file_of_module(module).map(|node| self.draft.graph().path(node).to_owned()) else {
            // The new file.
            return Ok(());
        };
        let chain = self.modules.chain(&file);
        for (parent, child) in chain.iter().zip(chain.iter().skip(1)) {
            let owner = self.modules.of(parent);
            let parsed = &self.draft.file(parent)?.parsed;
            let Some((bytes, _)) = declaration_of(parsed, module_name(child)) else { continue };
            let (end, written) = visibility_at(parsed.text(), bytes.start);
            let written = written.to_owned();
            let line = parsed.line_of(bytes.start);
            let is_seen = match read_reach(&written, &owner) {
                Reach::Everywhere => true,
                Reach::Within(of) => user.is_within(&of),
            };
            if is_seen {
                continue;
            }
            if user.root != owner.root {
                return Err(self.draft.refuse(
                    parent,
                    line,
                    "is not public, and another crate uses the moved definition",
                ));
            }
            let with = if written.is_empty() { "pub(crate) " } else { "pub(crate)" };
            self.draft.file(parent)?.patch(bytes.start..end, with);
            self.draft.note(parent, line, format!("the module `{}` is `pub(crate)` now", module_name(child)));
        }
        Ok(())
    }
}
