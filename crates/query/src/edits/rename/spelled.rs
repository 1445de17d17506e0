//! A file whose names change: where it spells the old one, in which form, and what is written there instead.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{Cancel, ContentHash, NodeKind, Pos, RepoPath};
use m1nd_engine::{Language, Snapshot, node_ids};
use m1nd_graph::{Graph, NodeIx};
use m1nd_lang::edit_rules::{Completion, EditRules};
use m1nd_lang::facts::{BindingTarget, Expr, ImportKind, Namespace, Reference, Role, ScopeKind};
use m1nd_lang::{FileFacts, NameForm, NamePlace};

use super::CannotRename;
use crate::edits::source::{CannotRead, Source, read_source};

/// Maximum number of scopes around a place that are searched for a name.
const MAX_SCOPES: usize = 1_000;
/// What accessors of a property have behind its name in their labels.
const ACCESSORS: &[&str] = &[".setter", ".deleter", ".getter"];

/// The old and the new name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    /// It is a member that literals and patterns name by a key.
    pub(super) is_key: bool,
}

/// What became of a place that refers to the symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It has the new name.
    Renamed,
    /// A name of its own stands there: of a local value, or of an import under another name.
    Alias,
    /// The old name does not begin there.
    Elsewhere,
}

/// A file, and its edits.
pub(in crate::edits) struct Spelled {
    pub(in crate::edits) path: RepoPath,
    pub(super) new_path: Option<RepoPath>,
    pub(in crate::edits) text: String,
    pub(in crate::edits) hash: ContentHash,
    pub(in crate::edits) language: Language,
    pub(in crate::edits) facts: FileFacts,
    /// Node id of each definition.
    pub(in crate::edits) ids: Vec<Option<String>>,
    /// Where the old name is spelled.
    pub(super) places: Vec<NamePlace>,
    starts: Vec<usize>,
    /// What takes the place of the old name, by byte.
    pub(super) edits: BTreeMap<usize, String>,
}

impl Spelled {
    pub(super) fn read(snapshot: &Snapshot, path: &str, old: &str, cancel: &Cancel) -> Result<Self, CannotRename> {
        let source =
            read_source(snapshot, path).map_err(|CannotRead { path, why }| CannotRename::File { path, why })?;
        let Source { path, text, hash, language } = source;
        let facts = m1nd_lang::extract(language, text.as_bytes(), snapshot.limits(), cancel);
        let ids = node_ids(&path, &facts);
        let places = m1nd_lang::name_places(language, &text, old, snapshot.limits(), cancel);
        let plain = |(start, _): (usize, &str)| NamePlace { start, form: NameForm::Plain };
        let places = places.unwrap_or_else(|| {
            text.match_indices(old).filter(|(at, _)| has_word(&text, *at, old)).map(plain).collect()
        });
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Ok(Self { path, new_path: None, text, hash, language, facts, ids, places, starts, edits: BTreeMap::new() })
    }

    /// The byte of a place.
    pub(in crate::edits) fn offset(&self, pos: Pos) -> Option<usize> {
        let start = *self.starts.get((pos.line as usize).checked_sub(1)?)?;
        let column = usize::from(pos.col).checked_sub(1)?;
        self.text[start..].char_indices().nth(column).map(|(at, _)| start + at)
    }

    /// The place of a byte.
    pub(in crate::edits) fn position(&self, at: usize) -> Pos {
        let line = self.starts.partition_point(|start| *start <= at);
        let column = self.text[self.starts[line - 1]..at].chars().count() + 1;
        Pos { line: u32::try_from(line).unwrap_or(u32::MAX), col: u16::try_from(column).unwrap_or(u16::MAX) }
    }

    /// The text of a line.
    pub(super) fn line(&self, line: u32) -> &str {
        let Some(&start) = (line as usize).checked_sub(1).and_then(|index| self.starts.get(index)) else { return "" };
        self.text[start..].lines().next().unwrap_or_default().trim()
    }

    /// The form of the old name at a byte, if it stands there.
    pub(in crate::edits) fn form_at(&self, at: usize) -> Option<NameForm> {
        let index = self.places.binary_search_by_key(&at, |place| place.start).ok()?;
        Some(self.places[index].form)
    }

    /// Whether an edit changes the name at a byte.
    pub(super) fn is_edited(&self, at: usize) -> bool {
        self.edits.contains_key(&at)
    }

    /// Writes the new name where a definition is written; returns whether it was found.
    pub(super) fn rename_definition(&mut self, graph: &Graph, node: NodeIx, names: Names<'_>) -> bool {
        let mut found = false;
        for pos in self.definition_positions(graph, node) {
            let Some(at) = self.offset(pos).filter(|at| self.form_at(*at).is_some()) else { continue };
            found = true;
            self.edits.entry(at).or_insert_with(|| names.new.to_owned());
            self.rename_other_declarations(at, names);
        }
        found
    }

    /// Declarations in the block of another one that are the same symbol and have no node of their own: signatures of
    /// overloads.
    fn rename_other_declarations(&mut self, at: usize, names: Names<'_>) {
        for other in self.list_other_declarations(at) {
            self.edits.entry(other).or_insert_with(|| names.new.to_owned());
        }
    }

    /// The first bytes of these names, that at `at` among them.
    pub(in crate::edits) fn list_other_declarations(&self, at: usize) -> Vec<usize> {
        let Some(NameForm::Declaration { block }) = self.form_at(at) else { return Vec::new() };
        if !has_merged_declarations(self.language) {
            return Vec::new();
        }
        // Another node has users of its own, and is renamed as such.
        let of_node = |pos: Pos| {
            let index = self.facts.definitions.iter().position(|definition| definition.pos == pos)?;
            self.ids[index].as_deref()
        };
        let own = of_node(self.position(at));
        let rows = self.facts.definitions.iter().zip(&self.ids);
        let others = rows.filter(|(_, id)| id.is_some() && id.as_deref() != own).map(|(definition, _)| definition.pos);
        let known: BTreeSet<usize> = others.filter_map(|pos| self.offset(pos)).collect();
        let is_other = |place: &&NamePlace| {
            place.form == NameForm::Declaration { block } && (place.start == at || !known.contains(&place.start))
        };
        self.places.iter().filter(is_other).map(|place| place.start).collect()
    }

    /// Places of the name of a node, of constructors that have it, too, and of definitions that are the same node:
    /// those of the same signature in one place, like the branches of a condition.
    pub(in crate::edits) fn definition_positions(&self, graph: &Graph, node: NodeIx) -> Vec<Pos> {
        let (label, lines) = (graph.label(node), graph.lines(node));
        let is_type = graph.kind(node) != NodeKind::Function;
        let own = self.facts.definitions.iter().zip(&self.ids);
        let own = own.filter(|(definition, _)| self.facts.name(definition.name) == label);
        own.filter(|(definition, id)| {
            let (first, last) = (definition.line_start, definition.line_end);
            let is_constructor = is_type && definition.flags.is_constructor && lines.0 <= first && last <= lines.1;
            id.as_deref() == Some(graph.id(node)) || (first, last) == lines || is_constructor
        })
        .map(|(definition, _)| {
            let mut pos = definition.pos;
            // The name of a destructor begins with a sign.
            pos.col += u16::from(label.starts_with('~'));
            pos
        })
        .collect()
    }

    /// Writes the new name at a reference. `own` are the ids of the renamed definitions.
    pub(super) fn rename_use(
        &mut self,
        pos: Pos,
        (is_import, names): (bool, Names<'_>),
        own: &BTreeSet<&str>,
    ) -> Outcome {
        let Some(at) = self.offset(pos) else { return Outcome::Elsewhere };
        let Some(form) = self.form_at(at) else { return Outcome::Elsewhere };
        if matches!(form, NameForm::Literal(..) | NameForm::Comment) && !is_code_in_text(&self.facts, pos) {
            return Outcome::Elsewhere;
        }
        let is_key = names.is_key && matches!(form, NameForm::FieldAndValue | NameForm::FieldAndVariable);
        if !is_key && self.is_alias(pos, names.old, own) {
            return Outcome::Alias;
        }
        let text = match form {
            NameForm::FieldAndValue if names.is_key => format!("{}: {}", names.new, names.old),
            NameForm::FieldAndValue => format!("{}: {}", names.old, names.new),
            NameForm::FieldAndVariable if !is_import => format!("{}: {}", names.new, names.old),
            NameForm::OpeningTag(closing) => {
                self.edits.entry(closing).or_insert_with(|| names.new.to_owned());
                names.new.to_owned()
            }
            _ => names.new.to_owned(),
        };
        self.edits.entry(at).or_insert(text);
        // Who uses the name that an import gives it anew uses this name as well: `import load as load`.
        if let Some(at) = is_import.then(|| given_again(&self.text, at, names.old)).flatten() {
            self.edits.entry(at).or_insert_with(|| names.new.to_owned());
        }
        Outcome::Renamed
    }

    /// Returns whether a place names a decorator, bare or as a member of what it belongs to.
    pub(super) fn is_decorator(&self, pos: Pos) -> bool {
        let line = self.line(pos.line).trim_start();
        let start = self.facts.references.partition_point(|reference| reference.pos < pos);
        let mut at_pos = self.facts.references[start..].iter().take_while(|reference| reference.pos == pos);
        at_pos.any(|reference| {
            let is_member = matches!(self.facts.expr(reference.expr), Expr::Member { .. });
            reference.role == Role::Decorate || is_member && line.starts_with('@')
        })
    }

    /// Takes back the edit at a byte.
    pub(super) fn take_back(&mut self, at: usize) {
        self.edits.remove(&at);
        if let Some(NameForm::OpeningTag(closing)) = self.form_at(at) {
            self.edits.remove(&closing);
        }
    }

    /// Returns whether a bare name at a place is bound here to something of its own: a local value, a parameter, an
    /// import under another name, another definition.
    fn is_alias(&self, pos: Pos, old: &str, own: &BTreeSet<&str>) -> bool {
        let facts = &self.facts;
        if let Some(import) = facts.imports.iter().find(|import| import.pos == pos) {
            return matches!(import.kind, ImportKind::Default | ImportKind::Module | ImportKind::ModuleRoot)
                && import.path.is_none();
        }
        // The bare name at the place.
        let start = facts.references.partition_point(|reference| reference.pos < pos);
        let at_pos = facts.references[start..].iter().take_while(|reference| reference.pos == pos);
        let mut names = at_pos.filter_map(|reference| match facts.expr(reference.expr) {
            Expr::Name { name, scope } if facts.name(name) == old => Some((reference, name, scope)),
            _ => None,
        });
        let Some((reference, name, mut scope)) = names.next() else { return false };
        let sees_members = self.has_bare_members();
        let mut is_first = true;
        // From its scope outwards, the first one that binds it.
        for _ in 0..MAX_SCOPES {
            let here = facts.scopes[scope.index()];
            let is_seen = is_first || sees_members || here.kind != ScopeKind::Class;
            let bindings = facts.bindings.iter().filter(|binding| {
                is_seen && binding.scope == scope && binding.name == name && fits(binding.namespace, reference)
            });
            let targets: Vec<BindingTarget> = bindings.map(|binding| binding.target).collect();
            is_first = false;
            let is_outer = |target: &&BindingTarget| matches!(target, BindingTarget::Outer(_));
            if let Some(BindingTarget::Outer(is_file)) = targets.iter().find(is_outer) {
                if *is_file {
                    scope = m1nd_lang::facts::ScopeId(0);
                    continue;
                }
            } else if !targets.is_empty() {
                return !targets.iter().any(|target| self.is_renamed(*target, old, own));
            }
            let Some(parent) = here.parent else { return false };
            scope = parent;
        }
        false
    }

    /// Returns whether a place is explained by something of its own in this file: a closing tag by the opening one, a
    /// bare name by what it is bound to, wherever it is bound, or because members have no bare names.
    pub(super) fn is_explained(&self, place: NamePlace, names: Names<'_>, own: &BTreeSet<&str>) -> bool {
        match place.form {
            NameForm::ClosingTag => {
                let opening = self.places.iter().find(|other| other.form == NameForm::OpeningTag(place.start));
                return opening.is_some_and(|opening| !self.is_edited(opening.start));
            }
            NameForm::Literal(start, end) => {
                let is_other = self.names_itself(start, names) && !self.binds_renamed(names);
                return is_prose(&self.text[start..end])
                    || is_other
                    || self.is_given_as_key(start)
                    || EditRules::of(self.language).texts.only_by_reflection && !self.is_reflective(start);
            }
            NameForm::Plain | NameForm::FieldAndVariable | NameForm::OpeningTag(_) => {}
            _ => return false,
        }
        // A bare name: not a member of something, also where the line was broken.
        let before = &self.text[..place.start];
        let code_before = before.trim_end();
        if before.ends_with(':') || code_before.ends_with('.') || code_before.ends_with("->") {
            return false;
        }
        let after = self.text[place.start + names.old.len()..].trim_start();
        let is_key = after.starts_with(':') && !after.starts_with("::") && !after.starts_with(":=");
        if names.is_key && !self.has_bare_members() && place.form == NameForm::Plain && !is_key {
            return true;
        }
        // What it is bound to, anywhere in the file.
        let is_seen = |row: &&m1nd_lang::facts::Binding| {
            self.has_bare_members() || self.facts.scopes[row.scope.index()].kind != ScopeKind::Class
        };
        let bindings = self.facts.bindings.iter().filter(|row| self.facts.name(row.name) == names.old);
        let mut bindings = bindings.filter(is_seen).peekable();
        bindings.peek().is_some()
            && bindings.all(|row| {
                !matches!(row.target, BindingTarget::Outer(_)) && !self.is_renamed(row.target, names.old, own)
            })
    }

    /// Returns whether code of Java may look up a member by a literal: by reflection, or by an annotation.
    fn is_reflective(&self, literal: usize) -> bool {
        let line = self.text[..literal].rfind('\n').map_or(0, |at| at + 1);
        let before = self.text[line..literal].trim_start();
        // Arguments of an annotation may stand on lines of their own.
        let is_annotated = before.starts_with('@')
            || !before.contains('(') && {
                let open = self.text[..literal].rfind('(').unwrap_or(0);
                let callee = self.text[..open].rfind(|c: char| !c.is_alphanumeric() && c != '_' && c != '.');
                callee.is_some_and(|at| self.text[at..].starts_with('@'))
            };
        is_annotated || REFLECTIVE.iter().any(|word| before.contains(word))
    }

    /// Returns whether a literal is the key of a look-up in a value.
    fn is_given_as_key(&self, literal: usize) -> bool {
        let before = self.text[..literal].trim_end();
        KEYED.iter().any(|callee| before.ends_with(callee))
    }

    /// Returns whether code inside of a class names its members without a receiver.
    fn has_bare_members(&self) -> bool {
        EditRules::of(self.language).scopes.has_bare_members
    }

    /// Returns whether what a name is bound to gets the new name.
    fn is_renamed(&self, target: BindingTarget, old: &str, own: &BTreeSet<&str>) -> bool {
        match target {
            BindingTarget::Definition(def) => self.ids[def.index()].as_deref().is_some_and(|id| own.contains(id)),
            BindingTarget::Import(import) => {
                let import = self.facts.imports[import.index()];
                match import.kind {
                    ImportKind::Symbol(name) | ImportKind::FileModule(name) => self.facts.name(name) == old,
                    ImportKind::Wildcard | ImportKind::Include => true,
                    _ => import.path.is_some(),
                }
            }
            _ => false,
        }
    }

    /// The text with its edits.
    pub(super) fn new_text(&self, old: &str) -> String {
        let mut text = self.text.clone();
        for (at, with) in self.edits.iter().rev() {
            text.replace_range(*at..at + old.len(), with);
        }
        text
    }

    /// Where a place is after the edits.
    pub(super) fn shift(&self, pos: Pos, old: &str) -> Pos {
        let Some(at) = self.offset(pos) else { return pos };
        let line = self.starts[(pos.line as usize).saturating_sub(1)];
        let shift = |(start, with): (&usize, &String)| {
            let growth = with.chars().count() as i64 - old.chars().count() as i64;
            // Of `old: new`, the value is behind the key.
            let is_key = |with: &str| with.strip_prefix(old).is_some_and(|rest| rest.starts_with(':'));
            let inner = with.rfind(": ").filter(|_| *start == at && is_key(with)).map(|inner| inner + 2);
            if *start == at { inner.map_or(0, |inner| inner as i64) } else { growth }
        };
        let by: i64 = self.edits.range(line..=at).map(shift).sum();
        Pos { line: pos.line, col: u16::try_from(i64::from(pos.col) + by).unwrap_or(u16::MAX) }
    }
}

/// Returns whether the facts know a name in a text or comment as code.
fn is_code_in_text(facts: &FileFacts, pos: Pos) -> bool {
    facts.references.binary_search_by_key(&pos, |reference| reference.pos).is_ok()
}

/// Returns whether a binding can be what a reference means.
fn fits(namespace: Namespace, reference: &Reference) -> bool {
    let is_type = matches!(reference.role, Role::Type | Role::Inherit | Role::Implement | Role::Decorate);
    match namespace {
        Namespace::Any => true,
        Namespace::Value => reference.role != Role::Macro && reference.role != Role::Type,
        Namespace::Type => is_type || reference.role != Role::Macro,
        Namespace::Macro => reference.role == Role::Macro,
        Namespace::Callee => reference.role == Role::Call,
    }
}

/// Returns whether declarations of one name in one scope are one symbol: a later one replaces or completes an earlier
/// one.
pub(super) fn has_merged_declarations(language: Language) -> bool {
    EditRules::of(language).scopes.completion == Completion::InScope
}

/// The name of a definition, without what tells accessors of a property apart.
pub(super) fn base_name(label: &str) -> &str {
    ACCESSORS.iter().find_map(|end| label.strip_suffix(end)).unwrap_or(label)
}

/// Returns whether the whole word at an offset is this one.
pub(super) fn has_word(text: &str, at: usize, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text[at..].strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_part)) && !text[..at].ends_with(is_part)
}

/// Methods that look up a value by a key, and functions whose first text names parameters of tests.
const KEYED: &[&str] = &[".get(", ".pop(", ".setdefault(", "parametrize(", ".has("];

/// Parts of the names of methods that look up a member by its name.
const REFLECTIVE: &[&str] = &["Method", "Field", "invoke", "find", "Property", "Reflect", "reflect"];

/// Returns whether a text literal is a sentence: words after each other, and none of the signs of code.
fn is_prose(literal: &str) -> bool {
    let has_signs = literal.contains(['{', '}', '<', '>', '=', ';', '|', '$', '@']);
    let is_word = |word: &str| {
        let word = word.trim_end_matches(['.', ',', ':', '!', '?']);
        !word.is_empty() && word.chars().all(char::is_alphabetic)
    };
    let words: Vec<&str> = literal.trim_matches(['"', '\'', '`']).split(' ').collect();
    !has_signs && words.windows(2).any(|pair| pair.iter().all(|word| is_word(word)))
}

/// Where an import at a place gives a name again: behind `as`.
fn given_again(text: &str, at: usize, word: &str) -> Option<usize> {
    let rest = text[at + word.len()..].trim_start();
    let alias = rest.strip_prefix("as").filter(|alias| alias.starts_with([' ', '\t']))?.trim_start();
    let at = text.len() - alias.len();
    has_word(text, at, word).then_some(at)
}
