//! What a definition uses of its file, and how the file that it goes to gets it.

use std::collections::BTreeSet;
use std::ops::Range;

use m1nd_base::EdgeTier;
use m1nd_lang::facts::{BindingTarget, Expr, ExprId, ImportKind, NameId, ScopeId};
use m1nd_lang::{TokenKind, tokens};

use super::cut::Parsed;
use super::imports::{Importer, NewName};
use super::modules::Moving;
use super::spec::{Dialect, word_places};
use crate::edits::refactor::CannotRefactor;

/// Maximum number of expressions between a name and what is read of it.
const MAX_EXPRESSIONS: usize = 1_000;

/// What moved definitions need where they go.
#[derive(Default)]
pub(super) struct Needs {
    pub(super) names: Vec<(String, NewName)>,
    /// Imports that are not names of a module: `import json`, `import * as ns from "./x"`.
    pub(super) statements: Vec<String>,
    /// How annotations are read, where the target does not say it.
    pub(super) of_future: Option<String>,
    /// Names that stay in the old file, and that it has to export now.
    pub(super) raised: Vec<String>,
    /// Names of the target that they use.
    pub(super) of_target: Vec<String>,
}

impl Moving<'_> {
    pub(super) fn find_needs(&self) -> Result<Needs, CannotRefactor> {
        let mut needs = Needs::default();
        let (origin, to) = (self.origin.path(), self.to.as_str());
        let cuts = self.cut_ranges();
        let facts = &self.origin.parsed.facts;
        let labels: Vec<&str> = self.nodes.iter().map(|node| self.graph().label(*node)).collect();
        for name in used_names(&self.origin.parsed, &cuts, self.dialect) {
            if labels.contains(&name.as_str()) {
                continue;
            }
            let bindings: Vec<BindingTarget> = facts
                .bindings
                .iter()
                .filter(|binding| binding.scope == ScopeId(0) && facts.name(binding.name) == name)
                .map(|binding| binding.target)
                .collect();
            let import = bindings.iter().find_map(|target| match target {
                BindingTarget::Import(import) => Some(*import),
                _ => None,
            });
            match import {
                // `import a.b` and `import a.c` both bring `a`.
                Some(import) if facts.imports[import.index()].kind == ImportKind::ModuleRoot => {
                    for target in &bindings {
                        if let BindingTarget::Import(import) = target {
                            self.need_import(&mut needs, import.index(), &name)?;
                        }
                    }
                }
                Some(import) => self.need_import(&mut needs, import.index(), &name)?,
                None if bindings.is_empty() => self.need_wildcard(&mut needs, &name)?,
                // Something of the old file.
                None => {
                    let like =
                        self.target.as_ref().and_then(|target| target.typical(|module| self.is_of_project(to, module)));
                    let like = like.or_else(|| self.origin.typical(|module| self.is_of_project(origin, module)));
                    let module = self.speller.spell(to, origin, like.as_deref());
                    // Types are gone when a script runs.
                    let is_type = self.is_type_of_origin(&name);
                    if self.stays_in_use && !is_type && !self.moves_only_types() {
                        let what = "an import cycle would arise";
                        let why = format!("`{name}` stays here, and this file still uses what moves");
                        return Err(CannotRefactor::at(what, origin, self.line_of_name(&name), why));
                    }
                    if self.dialect == Dialect::Script && !self.is_exported(&name) {
                        needs.raised.push(name.clone());
                    }
                    needs.names.push((module, NewName { is_type, ..NewName::plain(&name) }));
                }
            }
        }
        // `import a.b` brings `a` as well.
        let all = needs.statements.clone();
        needs.statements.retain(|one| !all.iter().any(|other| other.starts_with(&format!("{one}."))));
        // How annotations are read is a property of the file.
        let of_future = |importer: &Importer| {
            let mut texts = importer.statements.iter().map(|item| importer.slice(&item.bytes).to_owned());
            texts.find(|text| text.starts_with(OF_FUTURE))
        };
        match (of_future(&self.origin), &self.target) {
            (Some(statement), None) => needs.statements.push(statement),
            (Some(statement), Some(target))
                if of_future(target).is_none() && has_annotations(&self.origin.parsed, &cuts) =>
            {
                needs.of_future = Some(statement);
            }
            _ => {}
        }
        Ok(needs)
    }

    fn line_of_name(&self, name: &str) -> u32 {
        let facts = &self.origin.parsed.facts;
        facts
            .definitions
            .iter()
            .find(|definition| facts.name(definition.name) == name)
            .map_or(0, |definition| definition.pos.line)
    }

    fn is_type_of_origin(&self, name: &str) -> bool {
        let facts = &self.origin.parsed.facts;
        let found = facts
            .definitions
            .iter()
            .find(|definition| definition.owner.is_none() && facts.name(definition.name) == name);
        self.dialect == Dialect::Script
            && found.is_some_and(|definition| {
                matches!(definition.kind, m1nd_lang::facts::DefKind::Interface | m1nd_lang::facts::DefKind::TypeAlias)
            })
    }

    /// Whether a script exports a name.
    fn is_exported(&self, name: &str) -> bool {
        let facts = &self.origin.parsed.facts;
        facts.exports.iter().any(|export| facts.name(export.name) == name)
    }

    /// An import of the old file.
    fn need_import(&self, needs: &mut Needs, import: usize, bound: &str) -> Result<(), CannotRefactor> {
        let (origin, to) = (self.origin.path(), self.to.as_str());
        let facts = &self.origin.parsed.facts;
        let import = &facts.imports[import];
        let at = self.origin.parsed.offset(import.pos);
        let line = import.pos.line;
        let refuse = |why: &str| {
            CannotRefactor::at(format!("an import that it needs cannot be copied: `{bound}`"), origin, line, why)
        };
        let around = |at: usize| self.origin.statements.iter().position(|item| item.bytes.contains(&at));
        let Some(statement) = at.and_then(around) else { return Err(refuse("is written in a form that is not known")) };
        let item = &self.origin.statements[statement];
        let is_top = self.origin.parsed.items.iter().any(|top| top.bytes == item.bytes);
        let parts = item.import.as_ref().ok_or_else(|| refuse("is written in a form that is not known"))?;
        let written = self.origin.module(statement);
        let is_target = !written.is_empty() && self.origin.means(written, to);
        let module = match self.dialect.resolve_relative(origin, written) {
            Some(_) => {
                self.speller.respell(origin, to, written).ok_or_else(|| refuse("leads to no file of the project"))?
            }
            None => written.to_owned(),
        };
        // A name of a module.
        if let Some(row) = at.and_then(|at| self.origin.name_at(at)).filter(|_| !written.is_empty()) {
            let name = self.origin.import(row);
            if is_target && self.target.is_some() {
                if name.alias.as_ref().is_some_and(|alias| *alias != name.name) {
                    return Err(refuse("has another name in the file it goes to"));
                }
                needs.of_target.push(name.name);
                return Ok(());
            }
            // `from . import b` names the file itself.
            let full = format!("{}.{}", written.trim_end_matches('.'), name.name);
            if self.dialect == Dialect::Python && self.target.is_some() && self.dialect.may_mean(origin, &full, to) {
                return Err(refuse("is the file it goes to"));
            }
            if !is_top && self.dialect == Dialect::Python {
                return self
                    .need_conditional(needs, item, (&module, &name))
                    .ok_or_else(|| refuse("is under a condition"));
            }
            needs.names.push((module, name));
            return Ok(());
        }
        if is_target || (!is_top && self.dialect == Dialect::Python) {
            return Err(refuse(if is_target { "is the file it goes to" } else { "is under a condition" }));
        }
        // The module itself, a default import, or everything of it.
        match self.dialect {
            Dialect::Python => {
                let name = at.and_then(|at| parts.names.iter().find(|name| name.bytes.contains(&at)));
                let name = name.ok_or_else(|| refuse("takes all names of a module"))?;
                let written = self.origin.slice(&name.bytes);
                let is_dotted = name.alias.is_none() && written.contains('.');
                let is_written = |cut: &Range<usize>| word_places(self.origin.slice(cut), written).next().is_some();
                let module = match is_dotted && !self.cut_ranges().iter().any(is_written) {
                    true => bound,
                    false => written,
                };
                needs.statements.push(format!("import {module}"));
            }
            Dialect::Script => {
                let statement = self.origin.slice(&item.bytes);
                let is_alone = parts.names.is_empty();
                let text = match (&parts.default, is_alone) {
                    (Some(default), false) => {
                        let default = self.origin.slice(default);
                        let quoted = &statement[statement.rfind(" from ").unwrap_or(0)..];
                        format!("import {default}{quoted}")
                    }
                    _ => statement.to_owned(),
                };
                needs.statements.push(text.replacen(written, &module, 1));
            }
        }
        Ok(())
    }

    /// An import for types only: `if TYPE_CHECKING:`.
    fn need_conditional(
        &self,
        needs: &mut Needs,
        item: &m1nd_lang::FileItem,
        (module, name): (&str, &NewName),
    ) -> Option<()> {
        let around = self.origin.parsed.items.iter().find(|top| top.bytes.contains(&item.bytes.start))?;
        let head = self.origin.slice(&around.bytes).lines().next()?;
        if !head.starts_with("if ") || !head.contains("TYPE_CHECKING") {
            return None;
        }
        let alias = name.alias.as_ref().map(|alias| format!(" as {alias}")).unwrap_or_default();
        if !head.contains("typing.") {
            needs.names.push(("typing".to_owned(), NewName::plain("TYPE_CHECKING")));
        } else {
            needs.statements.push("import typing".to_owned());
        }
        needs.statements.push(format!("{head}\n    from {module} import {}{alias}", name.name));
        Some(())
    }

    /// A name that an import of everything brings, or that is part of the language.
    fn need_wildcard(&self, needs: &mut Needs, name: &str) -> Result<(), CannotRefactor> {
        let graph = self.graph();
        let mut edges = self.nodes.iter().flat_map(|node| graph.out_edges(*node));
        let Some(edge) = edges.find(|edge| graph.label(edge.to) == name && edge.tier == EdgeTier::Certain) else {
            return Ok(());
        };
        let path = graph.path(edge.to);
        if path.is_empty() || path == self.origin.path() || graph.parent(edge.to) != graph.file(edge.to) {
            return Ok(());
        }
        if path == self.to.as_str() {
            needs.of_target.push(name.to_owned());
            return Ok(());
        }
        let like = self.origin.typical(|module| self.is_of_project(self.origin.path(), module));
        needs.names.push((self.speller.spell(self.to.as_str(), path, like.as_deref()), NewName::plain(name)));
        Ok(())
    }
}

/// Whether a definition in some bytes has written types.
fn has_annotations(parsed: &Parsed, ranges: &[Range<usize>]) -> bool {
    let facts = &parsed.facts;
    let is_in = |at: usize| ranges.iter().any(|range| range.contains(&at));
    facts.definitions.iter().enumerate().any(|(index, definition)| {
        let id = m1nd_lang::facts::DefId(u32::try_from(index).unwrap_or(u32::MAX));
        is_in(definition.bytes.0 as usize)
            && (definition.declared.is_some()
                || facts.parameters(id).iter().any(|parameter| parameter.declared.is_some()))
    })
}

/// What changes how a file of Python is read.
const OF_FUTURE: &str = "from __future__ import";

/// Names of the file scope that some bytes of a file use.
fn used_names(parsed: &Parsed, ranges: &[Range<usize>], dialect: Dialect) -> BTreeSet<String> {
    let facts = &parsed.facts;
    let is_in = |at: usize| ranges.iter().any(|range| range.contains(&at));
    let mut found = BTreeSet::new();
    for reference in &facts.references {
        if !parsed.offset(reference.pos).is_some_and(is_in) {
            continue;
        }
        if let Some((name, scope)) = root_name(parsed, reference.expr)
            && scope_of(parsed, scope, name).is_none_or(|scope| scope == ScopeId(0))
        {
            found.insert(facts.name(name).to_owned());
        }
    }
    // Names that stand alone and that only the file scope binds.
    let is_bound = |name: &str, is_file: bool| {
        facts
            .bindings
            .iter()
            .any(|binding| (binding.scope == ScopeId(0)) == is_file && facts.name(binding.name) == name)
    };
    for range in ranges {
        let text = &parsed.text()[range.clone()];
        for token in tokens(parsed.source.language, text).iter().filter(|token| token.kind == TokenKind::Name) {
            let word = &text[token.range.clone()];
            let before = text[..token.range.start].trim_end();
            let after = text[token.range.end..].trim_start();
            let is_member = before.ends_with('.') && !before.ends_with("..");
            let is_key = after.starts_with(':') && before.ends_with(['{', ',']) && dialect == Dialect::Script
                || dialect == Dialect::Python
                    && after.starts_with('=')
                    && !after.starts_with("==")
                    && before.ends_with(['(', ',']);
            if !is_member && !is_key && is_bound(word, true) && !is_bound(word, false) {
                found.insert(word.to_owned());
            }
        }
    }
    found
}

/// The name that an expression begins with.
fn root_name(parsed: &Parsed, mut expr: ExprId) -> Option<(NameId, ScopeId)> {
    for _ in 0..MAX_EXPRESSIONS {
        expr = match parsed.facts.expr(expr) {
            Expr::Name { name, scope } => return Some((name, scope)),
            Expr::Member { base, .. }
            | Expr::Path { base, .. }
            | Expr::Index { base }
            | Expr::Key { base, .. }
            | Expr::Generic { base, .. } => base,
            Expr::Call { callee, .. } => callee,
            _ => return None,
        };
    }
    None
}

/// The scope that binds a name as seen from another one.
fn scope_of(parsed: &Parsed, mut scope: ScopeId, name: NameId) -> Option<ScopeId> {
    let facts = &parsed.facts;
    loop {
        if facts.bindings.iter().any(|binding| binding.scope == scope && binding.name == name) {
            return Some(scope);
        }
        scope = facts.scopes.get(scope.index())?.parent?;
    }
}

/// The module that a chain of names in front of a member stands for, as an import would write it.
pub(super) fn imported_module(user: &Importer, base: &str) -> Option<String> {
    let facts = &user.parsed.facts;
    let (root, rest) = base.split_once('.').unwrap_or((base, ""));
    let binding = facts.bindings.iter().find_map(|binding| match binding.target {
        BindingTarget::Import(import) if facts.name(binding.name) == root => Some(import),
        _ => None,
    })?;
    let import = &facts.imports[binding.index()];
    let module = facts.name(import.module);
    let dots = ".".repeat(usize::from(import.level));
    Some(match import.kind {
        // `import a.b`: the chain itself.
        ImportKind::ModuleRoot => base.to_owned(),
        ImportKind::Module if rest.is_empty() => format!("{dots}{module}"),
        ImportKind::Symbol(name) if rest.is_empty() && user.dialect == Dialect::Python => match module.is_empty() {
            true => format!("{dots}{}", facts.name(name)),
            false => format!("{dots}{module}.{}", facts.name(name)),
        },
        _ => return None,
    })
}
