//! The definitions of a changed signature: the list of parameters, their uses in the body, what documents them.

use m1nd_engine::Language;
use m1nd_lang::signatures::{ParameterForm, Signatures};

use super::Plan;
use super::change::{Rank, Source};
use super::docs::follow;
use super::members::Member;
use super::rewrite::{Edit, Item, Piece, rewrite_list};

impl<'a> Plan<'a> {
    /// Edits all definitions.
    pub(super) fn edit_members(&mut self) {
        let members = self.members;
        for member in members {
            let Some(parsed) = self.parsed.get(member.path.as_str()) else { continue };
            let removed: Vec<usize> = self.change.removed.iter().copied().collect();
            for index in removed {
                self.remove_from(member, parsed, index);
            }
            let renamed: Vec<(usize, String)> =
                self.change.renamed.iter().map(|(index, new)| (*index, new.clone())).collect();
            for (index, new) in renamed {
                self.rename_in(member, parsed, index, &new);
            }
            self.check_added(member, parsed);
            self.edit_list(member);
        }
    }

    fn remove_from(&mut self, member: &'a Member, parsed: &Signatures<'_>, index: usize) {
        let text = self.text(&member.path);
        let slot = member.slot(index);
        self.drop_range(&member.path, slot.range);
        if slot.is_field {
            self.refuse(&member.path, slot.range.0, "the parameter declares a field, too");
        }
        let Some(name) = member.name(text, index) else {
            if slot.form != ParameterForm::Plain
                || member.list.body.is_some() && !is_unnamed(&text[slot.range.0..slot.range.1])
            {
                self.refuse(&member.path, slot.range.0, "the parameter is a pattern");
            }
            return;
        };
        let uses = parsed.uses_of_parameter(member.list.function, name, slot.name.map(|range| range.0));
        if let Some(first) = uses.first() {
            self.refuse(&member.path, first.start, format!("uses `{name}`"));
        }
        self.edit_doc(member, name, None);
    }

    fn rename_in(&mut self, member: &'a Member, parsed: &Signatures<'_>, index: usize, new: &str) {
        let text = self.text(&member.path);
        let (slot, name) = (member.slot(index), member.name(text, index));
        let (Some(range), Some(name)) = (slot.name, name) else { return };
        if self.change.old[index].name.as_deref() != Some(name) {
            let what = format!("the parameter has the name `{name}` here and keeps it");
            self.note(&member.path, range.0, what);
            return;
        }
        if slot.is_field {
            self.refuse(&member.path, range.0, "the parameter declares a field, too");
        }
        let is_taken = |own: &Option<String>| own.as_deref() == Some(new);
        let swaps = self.change.old.iter().any(|row| is_taken(&row.name));
        if let Some(taken) = parsed.uses_of(member.list.function, new).first().filter(|_| !swaps) {
            self.refuse(&member.path, taken.start, format!("uses `{new}` already, which the parameter would hide"));
        }
        // The uses of the parameter, and not of another variable of the name.
        for found in parsed.uses_of_parameter(member.list.function, name, Some(range.0)) {
            let with = if found.is_shorthand { format!("{name}: {new}") } else { new.to_owned() };
            self.edit(&member.path, Edit::text((found.start, found.start + name.len()), with));
        }
        self.edit(&member.path, Edit::text(range, new));
        self.edit_doc(member, name, Some(new));
    }

    /// A new name that the function uses already would capture what it means there. A name without a target waits for
    /// the parameter.
    fn check_added(&mut self, member: &'a Member, parsed: &Signatures<'_>) {
        let graph = self.snapshot.graph();
        for added in &self.change.added {
            let names_old = self.change.old.iter().any(|row| row.name.as_ref() == Some(&added.name));
            let taken = parsed.uses_of(member.list.function, &added.name);
            let Some(taken) = taken.first().filter(|_| !names_old) else { continue };
            let of = self.uses.definitions.iter().filter(|node| graph.path(**node) == member.path);
            let is_awaited = of.flat_map(|node| graph.unresolved_of(*node)).any(|open| open.name == added.name);
            if !is_awaited {
                let why = format!("uses `{}` already, which the parameter would hide", added.name);
                self.refuse(&member.path, taken.start, why);
            }
        }
    }

    fn edit_doc(&mut self, member: &'a Member, name: &str, new: Option<&str>) {
        let Some(doc) = member.list.doc else { return };
        let (edits, is_whole) = follow(self.text(&member.path), doc, name, new);
        for edit in edits {
            self.edit(&member.path, edit);
        }
        if !is_whole {
            self.note(&member.path, doc.0, format!("the documentation still has `{name}`"));
        }
    }

    /// Writes the list of parameters.
    fn edit_list(&mut self, member: &'a Member) {
        let change = self.change;
        let is_same = change.entries.len() == change.old.len()
            && change.entries.iter().enumerate().all(|(index, source)| *source == Source::Old(index));
        if is_same {
            return;
        }
        let text = self.text(&member.path);
        let order = list_places(member, change);
        let mut items: Vec<Item> = Vec::new();
        for (index, place) in order.iter().enumerate() {
            let next = order.get(index + 1).copied();
            items.push(match place {
                Place::Written(at) => {
                    let item = &member.list.items[*at];
                    let mut pieces = vec![Piece::Keep(item.range)];
                    let shares = |next: Option<Place>| match (item.shared_type, next) {
                        (Some(of), Some(Place::Written(next))) => member.list.items[next].shared_type == Some(of),
                        _ => false,
                    };
                    if let Some(of) = item.shared_type.filter(|_| !shares(next)) {
                        pieces.extend([Piece::Text(" ".to_owned()), Piece::Keep(of)]);
                    }
                    Item { from: Some(*at), pieces }
                }
                Place::Added(at) => Item { from: None, pieces: vec![Piece::Text(self.write_added(member, *at))] },
            });
        }
        let edit = match items.is_empty() && self.language == Language::C {
            true => Edit::text(member.list.range, "(void)"),
            false => rewrite_list(text, member.list.range, &member.ranges(), items),
        };
        self.edit(&member.path, edit);
    }

    /// A new parameter as a definition writes it: not each of them may have the default.
    fn write_added(&self, member: &Member, index: usize) -> String {
        let added = &self.change.added[index];
        // Go wants a name for each parameter of a list, or for none.
        let is_nameless = !member.list.items.is_empty() && member.list.items.iter().all(|item| item.name.is_none());
        if self.language == Language::Go && is_nameless {
            return added.text.strip_prefix(&added.name).unwrap_or(&added.text).trim_start().to_owned();
        }
        let Some(default) = added.default_at else { return added.text.clone() };
        let before = added.text[..default].trim_end().trim_end_matches('=').trim_end();
        let has_body = member.list.body.is_some();
        let is_declared = self.members.iter().any(|other| other.list.body.is_none());
        match self.language {
            Language::Cpp if has_body && is_declared => before.to_owned(),
            Language::TypeScript | Language::Tsx if !has_body => {
                before.replacen(&added.name, &format!("{}?", added.name), 1)
            }
            _ => added.text.clone(),
        }
    }
}

/// An item of a new list.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// The item of the old list at an index.
    Written(usize),
    Added(usize),
}

/// The items of a new list: the receiver, the parameters in their order, the marks between them.
fn list_places(member: &Member, change: &super::Change) -> Vec<Place> {
    let items = &member.list.items;
    let mark = |form| items.iter().position(|item| item.form == form);
    let is_mark = |form| matches!(form, ParameterForm::PositionalEnd | ParameterForm::KeywordStart);
    let lead = (0..items.len()).filter(|index| !member.slots.contains(index) && !is_mark(items[*index].form));
    let mut order: Vec<Place> = lead.map(Place::Written).collect();
    let leads = order.len();
    let (mut end, mut start) = (mark(ParameterForm::PositionalEnd), mark(ParameterForm::KeywordStart));
    for &source in &change.entries {
        let rank = change.rank(source);
        if rank > Rank::PositionalOnly && order.len() > leads {
            order.extend(end.take().map(Place::Written));
        }
        if rank == Rank::Keyword {
            order.extend(start.take().map(Place::Written));
        }
        if rank > Rank::PositionalOnly {
            end = None;
        }
        order.push(match source {
            Source::Old(index) => Place::Written(member.slots[index]),
            Source::New(index) => Place::Added(index),
        });
    }
    if order.len() > leads {
        order.extend(end.map(Place::Written));
    }
    order
}

/// Returns whether a parameter has a type alone, or the name that stands for none.
fn is_unnamed(text: &str) -> bool {
    let name = text.split([':', ' ']).next().unwrap_or_default();
    name == "_" || !text.contains(['{', '[', '('])
}

/// The text without imports of Go packages that it no longer names, which would be errors.
pub(super) fn drop_imports(language: Language, before: &str, text: String) -> String {
    if language != Language::Go {
        return text;
    }
    let names = |text: &str, package: &str| {
        let word = format!("{package}.");
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == '"' || c == '/';
        text.match_indices(&word).any(|(at, _)| !text[..at].ends_with(is_part))
    };
    let is_dropped = |line: &&str| {
        let path = line.trim().trim_start_matches("import ").trim();
        let Some(path) = path.strip_prefix('"').and_then(|path| path.strip_suffix('"')) else { return false };
        let is_version = |part: &&str| part.starts_with('v') && part[1..].chars().all(|c| c.is_ascii_digit());
        let package = path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path);
        !path.is_empty() && names(before, package) && !names(&text, package)
    };
    text.split_inclusive('\n').filter(|line| !is_dropped(line)).collect()
}
