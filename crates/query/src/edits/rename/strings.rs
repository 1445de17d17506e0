//! Names in texts, comments and arguments that certainly mean the renamed symbol, although no reference is there.

use std::collections::BTreeSet;

use m1nd_base::{NodeKind, Pos, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx};
use m1nd_lang::NameForm;
use m1nd_lang::edit_rules::EditRules;
use m1nd_lang::facts::{BindingTarget, Role};

use super::spelled::{Names, Spelled};

/// Words that a literal with a list of names to export follows.
const EXPORT_LIST: &str = "__all__";
/// Attributes of a class that list members of it.
const MEMBER_LISTS: &[&str] = &["__slots__", "__match_args__"];
/// Statement that makes a name that of the module.
const GLOBAL: &str = "global ";
/// Functions that look up the member of a value by a text behind it.
const LOOK_UPS: &[&str] = &["delattr", "getattr", "hasattr", "patch.object", "setattr"];
/// Beginning of a comment that is a type.
const TYPE_COMMENT: &str = "type:";
/// What such a comment begins with that is not a type.
const NOT_A_TYPE: &str = "ignore";
/// Keys of attributes whose text is the path of a function.
const PATH_KEYS: &[&str] = &[
    "default", "deserialize_with", "from", "getter", "into", "remote", "serialize_with", "skip_serializing_if",
    "try_from", "with",
];

impl Spelled {
    /// Renames the name at the end of the literal around a place; returns whether there is one.
    pub(super) fn rename_in_literal(&mut self, pos: Pos, names: Names<'_>) -> bool {
        let Some(at) = self.offset(pos) else { return false };
        let ends_with_it = |place: &&m1nd_lang::NamePlace| match place.form {
            NameForm::Literal(start, end) => {
                let tail = self.text[place.start + names.old.len()..end].trim_matches(['"', '\'', '`', ')', '(']);
                start <= at && at < end && tail.is_empty()
            }
            _ => false,
        };
        let Some(found) = self.places.iter().rfind(ends_with_it).map(|place| place.start) else { return false };
        self.edits.entry(found).or_insert_with(|| names.new.to_owned());
        true
    }

    /// Renames the parameter of a function that a test framework fills by name, with its uses in the function. Returns
    /// whether the function has it and nothing in it makes the meaning of the name unclear.
    pub(super) fn rename_parameter(&mut self, pos: Pos, names: Names<'_>) -> bool {
        let Some(index) = self.facts.definitions.iter().position(|definition| definition.pos == pos) else {
            return false;
        };
        // Does it have the parameter, or a decorator that asks for it?
        let definition = &self.facts.definitions[index];
        let def = m1nd_lang::facts::DefId(u32::try_from(index).unwrap_or(u32::MAX));
        let has_it = self.facts.parameters(def).iter().any(|parameter| self.facts.name(parameter.name) == names.old);
        let (start, end) = (definition.bytes.0 as usize, definition.bytes.1 as usize);
        let decorators = self.rename_in_decorators(self.offset(pos).unwrap_or(start), names);
        if !has_it {
            return decorators;
        }
        let Some(body) = self.text.get(start..end) else { return false };
        let own_name = self.offset(pos);
        // Does the name mean something else in it?
        let is_taken = body.match_indices(names.new).any(|(at, _)| super::spelled::has_word(body, at, names.new));
        let inner = |other: &m1nd_lang::facts::Definition| {
            let is_inside = start < other.bytes.0 as usize && (other.bytes.1 as usize) <= end;
            is_inside && self.facts.name(other.name) == names.old
        };
        if is_taken || self.facts.definitions.iter().any(inner) {
            return false;
        }
        // The parameter and its uses.
        let bytes = self.text.as_bytes();
        let is_use = |place: &&m1nd_lang::NamePlace| {
            let is_member = place.start > 0 && bytes[place.start - 1] == b'.';
            (start..end).contains(&place.start)
                && place.form == NameForm::Plain
                && !is_member
                && Some(place.start) != own_name
        };
        let uses: Vec<usize> = self.places.iter().filter(is_use).map(|place| place.start).collect();
        for at in uses {
            self.edits.entry(at).or_insert_with(|| names.new.to_owned());
        }
        true
    }

    /// Renames a literal that is the name, in the decorators above a definition.
    fn rename_in_decorators(&mut self, start: usize, names: Names<'_>) -> bool {
        let above = self.text[..start].trim_end_matches(|c: char| c != '\n').trim_end();
        let first = above.lines().rev().take_while(|line| {
            let line = line.trim_start();
            line.starts_with('@') || line.starts_with([')', '"', '\'', ']'])
        });
        let from = above.len() - first.map(|line| line.len() + 1).sum::<usize>().min(above.len());
        let is_it = |place: &&m1nd_lang::NamePlace| (from..start).contains(&place.start) && self.is_whole(place, names);
        let found: Vec<usize> = self.places.iter().filter(is_it).map(|place| place.start).collect();
        for at in &found {
            self.edits.entry(*at).or_insert_with(|| names.new.to_owned());
        }
        !found.is_empty()
    }

    /// Returns whether a literal is the name and nothing else.
    pub(super) fn is_whole(&self, place: &m1nd_lang::NamePlace, names: Names<'_>) -> bool {
        let NameForm::Literal(start, end) = place.form else { return false };
        self.text[start..end].trim_start_matches(char::is_alphabetic).trim_matches(['"', '\'', '`']) == names.old
    }

    /// Renames what certainly means the symbol in a file where its name does: entries of `__all__`, annotations in
    /// texts, comments that are types, paths in attributes.
    pub(super) fn rename_in_texts(&mut self, names: Names<'_>) {
        let is_it = |place: &&m1nd_lang::NamePlace| match names.is_key {
            true => self.is_slot(place, names),
            false => self.is_certain(place, names),
        };
        let found: Vec<usize> = self.places.iter().filter(is_it).map(|place| place.start).collect();
        for at in found {
            self.edits.entry(at).or_insert_with(|| names.new.to_owned());
        }
    }

    fn is_certain(&self, place: &m1nd_lang::NamePlace, names: Names<'_>) -> bool {
        let rules = &EditRules::of(self.language).texts;
        let line = &self.text[..place.start];
        let line = &line[line.rfind('\n').map_or(0, |at| at + 1)..];
        match place.form {
            NameForm::Literal(start, _) => {
                let is_named = rules.names_definitions
                    && (self.is_whole(place, names)
                        && (self.is_in_list(EXPORT_LIST, start) || self.names_itself(start, names))
                        || self.is_in_annotation(place.start, start));
                is_named
                    || rules.has_attribute_paths && self.is_whole(place, names) && self.is_path_of_attribute(start)
                    || self.is_captured(place, names) && self.binds_renamed(names)
            }
            NameForm::Plain => {
                rules.has_global_statement && line.trim_start().starts_with(GLOBAL) && self.binds_renamed(names)
            }
            NameForm::Comment => {
                let comment = line.rfind('#').map(|at| line[at + 1..].trim_start());
                let kind = comment.and_then(|comment| comment.strip_prefix(TYPE_COMMENT));
                rules.has_type_comments && kind.is_some_and(|kind| !kind.trim_start().starts_with(NOT_A_TYPE))
            }
            _ => false,
        }
    }

    /// Returns whether the file defines or imports the renamed symbol, and binds its name to nothing else.
    pub(super) fn binds_renamed(&self, names: Names<'_>) -> bool {
        let is_edited = |pos: Pos| self.offset(pos).is_some_and(|at| self.is_edited(at));
        let mut bindings = self.facts.bindings.iter().filter(|row| self.facts.name(row.name) == names.old).peekable();
        bindings.peek().is_some()
            && bindings.all(|row| match row.target {
                BindingTarget::Definition(def) => is_edited(self.facts.definition(def).pos),
                BindingTarget::Import(import) => is_edited(self.facts.imports[import.index()].pos),
                BindingTarget::Outer(_) => true,
                _ => false,
            })
    }

    /// Renames a text that a function of the language looks up in the module or class that defines the symbol:
    /// `setattr(app, "load", …)`, `patch.object(app, "load")`.
    pub(super) fn rename_looked_up(&mut self, snapshot: &Snapshot, definitions: &[NodeIx], names: Names<'_>) {
        let graph = snapshot.graph();
        let looks_up = EditRules::of(self.language).texts.names_definitions;
        let Some(own) = graph.find_file(self.path.as_str()).filter(|_| looks_up) else {
            return;
        };
        let owners: BTreeSet<NodeIx> = definitions.iter().filter_map(|node| graph.parent(*node)).collect();
        let is_it = |place: &&m1nd_lang::NamePlace| {
            let NameForm::Literal(start, _) = place.form else { return false };
            let Some(object) = self.is_whole(place, names).then(|| self.looked_up_in(start)).flatten() else {
                return false;
            };
            let pos = self.position(object);
            let edges = graph.of_file(own).into_iter().flat_map(|node| graph.out_edges(node).collect::<Vec<_>>());
            let mut here = edges.filter(|edge| crate::edits::verify::sites(edge).contains(&pos)).peekable();
            here.peek().is_some()
                && here.all(|edge| edge.tier == m1nd_base::EdgeTier::Certain && owners.contains(&edge.to))
        };
        let found: Vec<usize> = self.places.iter().filter(is_it).map(|place| place.start).collect();
        for at in found {
            self.edits.entry(at).or_insert_with(|| names.new.to_owned());
        }
    }

    /// First byte of the name in whose value a function looks up the literal at a place.
    fn looked_up_in(&self, literal: usize) -> Option<usize> {
        let object = self.text[..literal].trim_end().strip_suffix(',')?.trim_end();
        let start = object.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let before = object[..start].trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'));
        let callee = before.trim_end().strip_suffix('(')?;
        LOOK_UPS.iter().any(|name| callee.ends_with(name)).then_some(start)
    }

    /// Returns whether a literal is an entry of a list that is assigned to a name: `__all__ = ["load"]`.
    fn is_in_list(&self, name: &str, literal: usize) -> bool {
        let before = &self.text[..literal];
        before.rfind(name).is_some_and(|at| {
            let between = &before[at + name.len()..];
            let depth = between.chars().fold(0i32, |depth, c| match c {
                '[' | '(' => depth + 1,
                ']' | ')' => depth - 1,
                _ => depth,
            });
            depth > 0
        })
    }

    /// Returns whether a literal gives a member of the class around it a place: `__slots__ = ("size",)`.
    fn is_slot(&self, place: &m1nd_lang::NamePlace, names: Names<'_>) -> bool {
        let NameForm::Literal(start, _) = place.form else { return false };
        let is_listed = || MEMBER_LISTS.iter().any(|list| self.is_in_list(list, start));
        let is_renamed = || {
            let around = self.facts.definitions.iter().filter(|class| {
                class.kind.is_class_like() && (class.bytes.0 as usize) < start && start < class.bytes.1 as usize
            });
            let inner = around.map(|class| class.bytes).next_back();
            inner.is_some_and(|(from, to)| self.edits.range(from as usize..to as usize).next().is_some())
        };
        let names_definitions = EditRules::of(self.language).texts.names_definitions;
        names_definitions && self.is_whole(place, names) && is_listed() && is_renamed()
    }

    /// Returns whether a literal gives a definition its own name again: `Point = namedtuple("Point", …)`.
    pub(super) fn names_itself(&self, literal: usize, names: Names<'_>) -> bool {
        let line = &self.text[..literal];
        let line = &line[line.rfind('\n').map_or(0, |at| at + 1)..];
        let Some((target, call)) = line.split_once('=') else { return false };
        let callee = call.trim().strip_suffix('(');
        target.split(':').next().map(str::trim) == Some(names.old)
            && callee.is_some_and(|callee| callee.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.')))
    }

    /// Returns whether a format string of Rust captures the name: `{load}`, `{load:?}`.
    fn is_captured(&self, place: &m1nd_lang::NamePlace, names: Names<'_>) -> bool {
        let (before, after) = (&self.text[..place.start], &self.text[place.start + names.old.len()..]);
        let is_open = before.ends_with('{') && !before.ends_with("{{");
        EditRules::of(self.language).texts.captures_variables && is_open && after.starts_with(['}', ':'])
    }

    /// Lines on which templates and format strings may name the symbol.
    pub(super) fn list_named_in_texts(&self, names: Names<'_>) -> Vec<u32> {
        let may_mean_it = |place: &&m1nd_lang::NamePlace| {
            let NameForm::Literal(start, end) = place.form else { return false };
            let is_template =
                self.text[start..place.start].contains("{{") && self.text[place.start..end].contains("}}");
            let is_field = self.text[..place.start].ends_with('.');
            let is_attribute =
                || self.text[..start].rfind("#[").is_some_and(|open| !self.text[open..start].contains(']'));
            let is_local = || self.facts.bindings.iter().any(|row| self.facts.name(row.name) == names.old);
            is_template && is_field
                || self.is_captured(place, names) && if names.is_key { is_attribute() } else { !is_local() }
        };
        let open = self.places.iter().filter(|place| !self.is_edited(place.start)).filter(may_mean_it);
        open.map(|place| self.position(place.start).line).collect()
    }

    /// Returns whether a name in a literal is part of an annotation: the facts have another name of the literal as a
    /// type, or a type stands in a literal inside of it.
    fn is_in_annotation(&self, at: usize, literal: usize) -> bool {
        let (from, to) = (self.position(literal), self.position(at));
        let types = self.facts.references.iter().filter(|reference| reference.role == Role::Type);
        types.into_iter().any(|reference| from < reference.pos && reference.pos <= to)
    }

    /// Returns whether a literal is given to a key of an attribute that takes a path.
    fn is_path_of_attribute(&self, literal: usize) -> bool {
        let line = &self.text[..literal];
        let Some(open) = line.rfind("#[") else { return false };
        let between = &line[open..];
        let Some(key) = between.trim_end().strip_suffix('=').map(str::trim_end) else { return false };
        let start = key.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        !between.contains(']') && PATH_KEYS.contains(&&key[start..])
    }
}

/// The path by which imports name a type; `None` in languages whose imports do not.
pub(super) fn written_path(graph: &Graph, node: NodeIx, file: &Spelled) -> Option<String> {
    if !EditRules::of(file.language).scopes.imports_by_path {
        return None;
    }
    let around: Vec<&str> =
        graph.ancestors(node).filter(|of| graph.kind(*of) != NodeKind::File).map(|of| graph.label(of)).collect();
    let package = file.facts.package.map(|package| file.facts.name(package)).into_iter();
    let parts = package.chain(around.into_iter().rev()).chain([graph.label(node)]);
    Some(parts.collect::<Vec<_>>().join("."))
}

impl Spelled {
    /// Renames the last name of these paths where imports go on behind it.
    pub(super) fn rename_in_imports(&mut self, paths: &[String], names: Names<'_>) {
        let is_it = |place: &&m1nd_lang::NamePlace| {
            let end = place.start + names.old.len();
            let line = self.text[..end].rfind('\n').map_or(0, |at| at + 1);
            let Some(path) = self.text[line..end].trim_start().strip_prefix("import ") else { return false };
            let path = path.trim_start().strip_prefix("static ").unwrap_or(path).trim_start();
            self.text[end..].starts_with('.') && paths.iter().any(|known| known == path)
        };
        let found: Vec<usize> = self.places.iter().filter(is_it).map(|place| place.start).collect();
        for at in found {
            self.edits.entry(at).or_insert_with(|| names.new.to_owned());
        }
    }
}

/// Places of a file where constructions of a class give one of its fields by name.
pub(super) fn list_given_fields(snapshot: &Snapshot, fields: &[NodeIx], file: &Spelled) -> (Vec<usize>, Vec<usize>) {
    let graph = snapshot.graph();
    let is_given = |node: &&NodeIx| match graph.kind(**node) {
        NodeKind::Field | NodeKind::Variable | NodeKind::Type => true,
        // Elements of annotations.
        NodeKind::Function => EditRules::of(file.language).scopes.has_annotation_elements,
        _ => false,
    };
    let classes: BTreeSet<NodeIx> = fields.iter().filter(is_given).filter_map(|node| graph.parent(*node)).collect();
    let Some(own) = graph.find_file(file.path.as_str()).filter(|_| !classes.is_empty()) else {
        return Default::default();
    };
    let mut constructing: BTreeSet<(u32, u16)> = BTreeSet::new();
    let mut others: BTreeSet<(u32, u16)> = BTreeSet::new();
    for node in graph.of_file(own) {
        for edge in graph.out_edges(node).filter(|edge| edge.relation != Relation::Contains) {
            // Components of JSX take what the type of their parameter has.
            let takes = |to: NodeIx| {
                classes.contains(&to)
                    || graph.parent(to).is_some_and(|class| classes.contains(&class))
                    || graph.out_edges(to).any(|edge| {
                        edge.relation == Relation::References
                            && classes.contains(&edge.to)
                            && crate::edits::verify::sites(&edge).iter().any(|pos| pos.line == graph.name_line(to))
                    })
            };
            let list = if takes(edge.to) { &mut constructing } else { &mut others };
            list.extend(crate::edits::verify::sites(&edge).iter().map(|pos| (pos.line, pos.col)));
        }
    }
    let (mut given, mut unclear) = (Vec::new(), Vec::new());
    for place in file.places.iter().filter(|place| place.form == NameForm::Argument) {
        let Some(callee) = file.callee_before(place.start) else { continue };
        let pos = file.position(callee);
        match (constructing.contains(&(pos.line, pos.col)), others.contains(&(pos.line, pos.col))) {
            (true, _) => given.push(place.start),
            (false, true) => {}
            (false, false) => unclear.push(place.start),
        }
    }
    (given, unclear)
}

impl Spelled {
    /// First byte of the name of what an argument at a place is given to: `f` of `f(…, x=1)`, `Row` of `<Row x={1}`.
    fn callee_before(&self, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut depth = 0usize;
        let mut end = None;
        for index in (0..at).rev() {
            match bytes[index] {
                b')' | b']' | b'}' => depth += 1,
                b'(' | b'[' | b'{' if depth > 0 => depth -= 1,
                b'(' if depth == 0 => {
                    end = Some(index);
                    break;
                }
                // `Shape<Unit = u8>`
                b'<' if depth == 0 && EditRules::of(self.language).scopes.binds_in_type_arguments => {
                    end = Some(index);
                    break;
                }
                b'<' if depth == 0 && bytes.get(index + 1).is_some_and(|byte| byte.is_ascii_alphabetic()) => {
                    let name = &self.text[index + 1..];
                    let length = name.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | '$'));
                    end = Some(index + 1 + length.unwrap_or(name.len()));
                    break;
                }
                b'[' | b'{' | b';' if depth == 0 => return None,
                _ => {}
            }
        }
        let before = self.text[..end?].trim_end();
        let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').map_or(0, |at| at + 1);
        (start < before.len()).then_some(start)
    }
}
