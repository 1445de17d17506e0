//! The uses of a function whose parameters change: calls are rewritten, everything else stands in the way.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{Cancel, EdgeTier, NodeKind, Pos, RepoPath};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::{NodeFlags, NodeIx};
use m1nd_lang::NameForm;
use m1nd_lang::facts::BindingTarget;
use m1nd_lang::signatures::{ArgumentForm, CallPlace, Site};

use super::mapping::map_call;
use super::rewrite::{Edit, rewrite_list};
use super::{CannotRefactor, Plan};
use crate::closure::{self, Rows, reasons};
use crate::edits::rename::{Left, Uses};
use crate::edits::verify::sites;
use crate::references::{Occurrence, Role, places_of_name};

/// Names of values that may be the class or a value of it.
const CLASS_VALUES: &[&str] = &["cls", "__class__", "type"];

/// Adds the uses of a class as a value, and what may hide more, to those of its constructor.
pub(super) fn add_constructions(
    snapshot: &Snapshot,
    node: NodeIx,
    uses: &mut Uses,
    cancel: &Cancel,
) -> Result<(), CannotRefactor> {
    let graph = snapshot.graph();
    let Some(class) = graph.parent(node).filter(|_| graph.flags(node).has(NodeFlags::CONSTRUCTOR)) else {
        return Ok(());
    };
    let known: BTreeSet<(NodeIx, Pos)> = uses.rows.iter().map(|row| (row.from, row.pos)).collect();
    let rows = places_of_name(snapshot, class, cancel)?.rows;
    let is_value = |row: &Occurrence| {
        row.to == class && matches!(row.role, Role::Read | Role::Use) && !known.contains(&(row.from, row.pos))
    };
    uses.rows.extend(rows.into_iter().filter(is_value));
    let is_listed = |reason: &str| matches!(reason, reasons::PASSED_AS_VALUE | reasons::CALLED_FROM_OUTSIDE);
    for of in [node, class] {
        let hiding = closure::hiding(snapshot, of, Rows::Callers);
        let hiding = hiding.into_iter().filter(|row| !row.far && !is_listed(&row.reason));
        uses.left.extend(hiding.map(|row| Left { file: row.file, line: row.line, reason: row.reason, text: row.name }));
    }
    Ok(())
}

impl<'a> Plan<'a> {
    /// Rewrites the certain calls, and lists all other uses that may need it.
    pub(super) fn edit_sites(&mut self) -> Result<(), CannotRefactor> {
        let uses = self.uses;
        let mut reached: BTreeMap<(NodeIx, Pos), BTreeSet<NodeIx>> = BTreeMap::new();
        for row in &uses.rows {
            reached.entry((row.from, row.pos)).or_default().insert(row.to);
        }
        let is_whole = |row: &Occurrence| {
            row.of > 0 && reached.get(&(row.from, row.pos)).is_some_and(|to| to.len() >= usize::from(row.of))
        };
        let mut seen: BTreeSet<(&str, Pos)> = BTreeSet::new();
        for row in &uses.rows {
            let is_sure = row.tier == EdgeTier::Certain || row.tier == EdgeTier::Possible && is_whole(row);
            let path = self.snapshot.graph().path(row.from);
            let is_skipped = matches!(row.role, Role::Document | Role::Override | Role::Import | Role::Reexport);
            if is_sure && !is_skipped && !path.is_empty() && seen.insert((path, row.pos)) {
                self.edit_site(path, row);
            }
        }
        for row in &uses.possible {
            let path = self.snapshot.graph().path(row.from);
            let at = uses.files.get(path).and_then(|file| file.offset(row.pos));
            if !seen.contains(&(path, row.pos)) && self.may_matter(path, at.as_slice()) {
                self.leave(path, row.pos.line, "may call it or something else");
            }
        }
        for row in &uses.left {
            self.check_left(row);
        }
        Ok(())
    }

    /// Whether uses without a list of arguments need a change.
    fn affects_values(&self) -> bool {
        let is_script = matches!(self.language, Language::JavaScript | Language::TypeScript | Language::Tsx);
        self.change.changes_positions() || self.affects_names() || is_script && !self.change.added.is_empty()
    }

    /// Whether calls that pass arguments by name need a change.
    fn affects_names(&self) -> bool {
        self.language == Language::Python && !self.change.renamed.is_empty()
    }

    fn edit_site(&mut self, path: &'a str, row: &Occurrence) {
        let affects = self.affects_values();
        let (file, parsed) = (self.uses.files.get(path), self.parsed.get(path));
        let at = file.and_then(|file| file.offset(row.pos));
        let (Some(file), Some(parsed), Some(at)) = (file, parsed, at) else {
            if affects && row.role == Role::Call {
                self.leave(path, row.pos.line, "calls it in a file or place without rules");
            }
            return;
        };
        if row.role == Role::Call && file.facts.definitions.iter().any(|definition| definition.pos == row.pos) {
            if affects {
                self.leave(path, row.pos.line, "is called for it by the language or a test framework");
            }
            return;
        }
        let is_class = !self.uses.definitions.contains(&row.to);
        match parsed.site_at(at) {
            Some(Site::Call(call)) if !is_class && row.role != Role::Register => {
                if let Err(why) = self.rewrite_call(path, at, &call)
                    && affects
                {
                    self.leave(path, row.pos.line, why);
                }
            }
            Some(Site::Base | Site::TypeTest | Site::Call(_)) if is_class => {}
            Some(Site::Export) => {}
            _ if !affects || matches!(row.role, Role::Type | Role::Inherit) => {}
            Some(Site::Unmapped) => self.leave(path, row.pos.line, "calls it without a plain list of arguments"),
            _ => {
                let why = match row.role {
                    Role::Call => "calls it without a list of arguments",
                    Role::Register => "registers it: what calls it is not known",
                    Role::Decorate => "decorates with it, which calls it",
                    _ => "uses it as a value: what calls it is not known",
                };
                self.leave(path, row.pos.line, why);
            }
        }
    }

    fn rewrite_call(&mut self, path: &'a str, at: usize, call: &CallPlace) -> Result<(), String> {
        let text = self.text(path);
        let receivers = self.count_receivers(path, at, call)?;
        let mapped = map_call(self.change, call, text, receivers)?;
        let changes = mapped.changes_list(call.arguments.len());
        for &index in &mapped.dropped {
            let argument = &call.arguments[index];
            let value = &text[argument.range.0..argument.range.1];
            if self.language == Language::Go && self.is_only_use(path, argument.range.0, value) {
                return Err(format!("passes `{value}`, which nothing else would use"));
            }
        }
        for &index in &mapped.dropped {
            let argument = &call.arguments[index];
            self.drop_range(path, argument.range);
            if argument.has_effects {
                let value: String = text[argument.range.0..argument.range.1].chars().take(80).collect();
                self.note(path, argument.range.0, format!("`{value}` is no longer evaluated"));
            }
        }
        if mapped.reorders_effects {
            self.note(path, at, "arguments that call something are evaluated in another order");
        }
        self.places += usize::from(changes || !mapped.names.is_empty());
        for (range, new) in mapped.names {
            self.edit(path, Edit::text(range, new));
        }
        if changes {
            let ranges: Vec<_> = call.arguments.iter().map(|argument| argument.range).collect();
            self.edit(path, rewrite_list(text, call.range, &ranges, mapped.items));
        }
        Ok(())
    }

    /// Number of leading arguments that are the value which a method is called on: those of a call through the type.
    fn count_receivers(&self, path: &str, at: usize, call: &CallPlace) -> Result<usize, String> {
        let graph = self.snapshot.graph();
        let has_receiver = self.members.iter().any(|member| member.has_receiver);
        let Some(base) = call.base.filter(|_| has_receiver) else { return Ok(0) };
        let text = self.text(path);
        let word: &str = text[base..].split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        let is_constructor = graph.flags(self.node).has(NodeFlags::CONSTRUCTOR);
        match self.language {
            Language::Rust => Ok(usize::from(call.is_path)),
            // `Outer.Inner(1)` constructs, `Base.__init__(self, 1)` passes the value.
            Language::Python if is_constructor && !text[at..].starts_with(graph.label(self.node)) => Ok(0),
            Language::Python if CLASS_VALUES.contains(&word) => Err("may call it through the class".to_owned()),
            Language::Python | Language::Go => {
                let is_of_type = self.names_type(path, base, word);
                Ok(usize::from(is_of_type))
            }
            _ => Ok(0),
        }
    }

    /// Returns whether a name is that of a type: by its reference, its definition in the file, or its import.
    fn names_type(&self, path: &str, at: usize, word: &str) -> bool {
        let graph = self.snapshot.graph();
        let Some(file) = self.uses.files.get(path) else { return false };
        let facts = &file.facts;
        let mut places = vec![file.position(at)];
        for binding in facts.bindings.iter().filter(|binding| facts.name(binding.name) == word) {
            match binding.target {
                BindingTarget::Definition(def) if facts.definition(def).kind.is_type() => return true,
                BindingTarget::Import(import) => places.push(facts.imports[import.index()].pos),
                _ => {}
            }
        }
        let nodes = graph.find_file(path).map(|file| graph.of_file(file)).unwrap_or_default();
        let edges = nodes.iter().flat_map(|node| graph.out_edges(*node));
        { edges }.any(|edge| is_type(graph.kind(edge.to)) && sites(&edge).iter().any(|site| places.contains(site)))
    }

    /// Returns whether an argument is the only use of a variable: Go refuses variables without one.
    fn is_only_use(&self, path: &str, at: usize, value: &str) -> bool {
        let is_name = value.chars().all(|c| c.is_alphanumeric() || c == '_');
        let (Some(file), Some(parsed)) = (self.uses.files.get(path), self.parsed.get(path)) else { return false };
        let around = file.facts.definitions.iter().map(|row| (row.bytes.0 as usize, row.bytes.1 as usize));
        let around = around.filter(|(start, end)| *start <= at && at < *end).min_by_key(|(start, end)| end - start);
        let Some(around) = around.filter(|_| is_name) else { return false };
        // Where it is declared, and here; a parameter may be unused.
        let uses = parsed.uses_of(around, value);
        let header = &file.text[around.0..uses.first().map_or(around.0, |first| first.start)];
        uses.len() == 2 && header.contains('{')
    }

    /// Returns whether a use that may be a call needs a change, as far as it can be told.
    fn may_matter(&self, path: &str, places: &[usize]) -> bool {
        if self.change.changes_positions() {
            return true;
        }
        if !self.affects_names() {
            return false;
        }
        let (Some(parsed), false) = (self.parsed.get(path), places.is_empty()) else { return true };
        let text = self.text(path);
        let names: Vec<&str> =
            self.change.renamed.keys().filter_map(|index| self.change.old[*index].name.as_deref()).collect();
        places.iter().any(|at| match parsed.site_at(*at) {
            Some(Site::Call(call)) => call.arguments.iter().any(|argument| match argument.form {
                ArgumentForm::Keyword((start, end)) => names.contains(&&text[start..end]),
                ArgumentForm::KeywordSpread => true,
                _ => false,
            }),
            Some(Site::Base | Site::Export) => false,
            _ => true,
        })
    }

    /// A place that may use the function without a reference.
    fn check_left(&mut self, row: &Left) {
        let is_code = RepoPath::new(&row.file).is_ok_and(|path| {
            let language = crate::edits::syntax::language_of(self.snapshot, &path, "");
            m1nd_engine::is_code(language)
        });
        if !is_code {
            return;
        }
        let label = self.snapshot.graph().label(self.node);
        let file = self.uses.files.get(&row.file);
        let places: Vec<usize> = file.map_or_else(Vec::new, |file| {
            let at = |(at, _): (usize, &str)| (file.position(at).line == row.line).then_some(at);
            file.text.match_indices(label).filter_map(at).collect()
        });
        // Only some languages call a function by a text with its name.
        let looks_up = matches!(self.language, Language::Python | Language::JavaScript | Language::Java);
        let is_text = |at: &usize| {
            let form = file.and_then(|file| file.form_at(*at));
            matches!(form, Some(NameForm::Literal(..) | NameForm::Comment))
        };
        if !looks_up && !places.is_empty() && places.iter().all(is_text) {
            return;
        }
        if self.may_matter(&row.file, &places) {
            self.leave(&row.file, row.line, format!("may use it ({})", row.reason));
        }
    }
}

const fn is_type(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Class | NodeKind::Struct | NodeKind::Interface | NodeKind::Enum | NodeKind::Type)
}
