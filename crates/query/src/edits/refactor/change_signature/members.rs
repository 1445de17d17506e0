//! The definitions that have the changed signature, with their parameters.

use std::collections::BTreeMap;

use m1nd_base::Cancel;
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::NodeIx;
use m1nd_lang::edit_rules::{EditRules, Wrapping};
use m1nd_lang::facts::{DefId, Expr, ParameterKind};
use m1nd_lang::signatures::{ByteRange, ParameterForm, ParameterList, ParameterPlace, Signatures};

use super::change::{OldParameter, Rank};
use crate::edits::refactor::CannotRefactor;
use crate::edits::rename::{Files, Spelled, Uses};

/// Decorators of Python that keep what a function takes, beside those of its declaration.
const KEEPING: &[&str] = &["asynccontextmanager", "cache", "contextmanager", "lru_cache", "overload"];

/// A definition that has the signature.
pub(super) struct Member {
    pub(super) path: String,
    pub(super) name_at: usize,
    pub(super) line: u32,
    pub(super) list: ParameterList,
    /// Places in the list of the parameters without the receiver and the marks.
    pub(super) slots: Vec<usize>,
    /// A call through the type passes the receiver as an argument.
    pub(super) has_receiver: bool,
    /// Its decorators may change what it takes.
    pub(super) wrapped_by: Option<String>,
}

impl Member {
    pub(super) fn slot(&self, index: usize) -> &ParameterPlace {
        &self.list.items[self.slots[index]]
    }

    pub(super) fn name<'t>(&self, text: &'t str, index: usize) -> Option<&'t str> {
        self.slot(index).name.map(|(start, end)| &text[start..end])
    }

    /// Bytes of each item for the separators between them: the last of several names before one type ends behind it.
    pub(super) fn ranges(&self) -> Vec<ByteRange> {
        let items = &self.list.items;
        let range = |(index, item): (usize, &ParameterPlace)| match item.shared_type {
            Some(of) if items.get(index + 1).is_none_or(|next| next.shared_type != Some(of)) => (item.range.0, of.1),
            _ => item.range,
        };
        items.iter().enumerate().map(range).collect()
    }
}

/// The parsed files of a change, by path.
pub(super) type Parsed<'f> = BTreeMap<&'f str, Signatures<'f>>;

/// Parses files; those of languages without rules are not among them.
pub(super) fn parse_files<'f>(snapshot: &Snapshot, files: &'f Files, cancel: &Cancel) -> Parsed<'f> {
    let parse = |(path, file): (&'f String, &'f Spelled)| {
        Some((path.as_str(), Signatures::parse(file.language, &file.text, snapshot.limits(), cancel)?))
    };
    files.iter().filter_map(parse).collect()
}

/// The members of a family: definitions, declarations, signatures of overloads.
pub(super) fn list_members(
    snapshot: &Snapshot,
    uses: &Uses,
    parsed: &Parsed<'_>,
) -> Result<Vec<Member>, CannotRefactor> {
    let graph = snapshot.graph();
    let mut members: Vec<Member> = Vec::new();
    for &node in &uses.definitions {
        let path = graph.path(node);
        let line = graph.name_line(node);
        let refuse = |why: &str| CannotRefactor::at("the parameters cannot be read", path, line, why);
        let (Some(file), Some(parsed)) = (uses.files.get(path), parsed.get(path)) else {
            let language = snapshot.file_of(node).map_or("this file", |file| file.language.name());
            return Err(CannotRefactor::NotForLanguage { operation: "change_signature", language });
        };
        for pos in file.definition_positions(graph, node) {
            let at = file.offset(pos).ok_or_else(|| refuse("is not where the index says"))?;
            let mut all = file.list_other_declarations(at);
            all.push(at);
            for at in all {
                if members.iter().any(|known| known.path == path && known.name_at == at) {
                    continue;
                }
                members.push(
                    read_member(file, parsed, (node, at))
                        .ok_or_else(|| refuse("has parameters of a form without rules"))?,
                );
            }
        }
    }
    Ok(members)
}

fn read_member(file: &Spelled, parsed: &Signatures<'_>, (_, at): (NodeIx, usize)) -> Option<Member> {
    let list = parsed.parameters_at(at)?;
    let pos = file.position(at);
    let facts = &file.facts;
    let def = facts.definitions.iter().position(|definition| definition.pos == pos);
    let kinds = def.map(|def| facts.parameters(DefId(def as u32))).unwrap_or_default();
    let receiver = kinds.first().map(|parameter| parameter.kind);
    let is_written = |item: &ParameterPlace| item.form == ParameterForm::Receiver;
    // The first parameter of a method of Python.
    let skips_first = file.language == Language::Python
        && matches!(receiver, Some(ParameterKind::Receiver | ParameterKind::ClassReceiver));
    let is_mark = |form| matches!(form, ParameterForm::PositionalEnd | ParameterForm::KeywordStart);
    let slots = list
        .items
        .iter()
        .enumerate()
        .filter(|(index, _)| !skips_first || *index > 0)
        .filter(|(_, item)| !is_mark(item.form) && !is_written(item));
    let slots: Vec<usize> = slots.map(|(index, _)| index).collect();
    let is_static = def.is_some_and(|def| facts.definitions[def].flags.is_static);
    let has_receiver = receiver == Some(ParameterKind::Receiver) && !is_static;
    let wrapped_by = def.and_then(|def| find_wrapper(file, def));
    Some(Member {
        path: file.path.as_str().to_owned(),
        name_at: at,
        line: pos.line,
        list,
        slots,
        has_receiver,
        wrapped_by,
    })
}

/// The decorator after which a function may take something else.
fn find_wrapper(file: &Spelled, def: usize) -> Option<String> {
    let facts = &file.facts;
    let wrapping = EditRules::of(file.language).arguments.wrapping;
    let Wrapping::Unless(known) = wrapping else { return None };
    facts.list(facts.definitions[def].decorators).iter().find_map(|&decorator| {
        let mut expr = decorator;
        while let Expr::Call { callee, .. } = facts.expr(expr) {
            expr = callee;
        }
        match facts.expr(expr) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => {
                let name = facts.name(name);
                (!known.contains(&name) && !KEEPING.contains(&name)).then(|| name.to_owned())
            }
            _ => Some("a decorator".to_owned()),
        }
    })
}

/// The parameters that all members have, by their places: those of the first one, with what the others add.
pub(super) fn join_parameters(
    uses: &Uses,
    members: &[Member],
    primary: &Member,
) -> Result<Vec<OldParameter>, CannotRefactor> {
    let text_of = |member: &Member| uses.files.get(&member.path).map_or("", |file| file.text.as_str());
    let language = uses.files.get(&primary.path).map(|file| file.language);
    let marks = |form| primary.list.items.iter().position(|item| item.form == form);
    let positional_end = marks(ParameterForm::PositionalEnd);
    let mut all = Vec::new();
    for (index, &slot) in primary.slots.iter().enumerate() {
        let item = primary.slot(index);
        let text = text_of(primary);
        all.push(OldParameter {
            name: primary.name(text, index).map(str::to_owned),
            rank: match item.form {
                ParameterForm::Rest => Rank::Rest,
                ParameterForm::KeywordRest => Rank::KeywordRest,
                ParameterForm::Keyword => Rank::Keyword,
                _ if positional_end.is_some_and(|end| slot < end) => Rank::PositionalOnly,
                _ => Rank::Plain,
            },
            is_optional: item.is_optional || language == Some(Language::JavaScript),
            default: item.default.map(|(start, end)| text[start..end].to_owned()),
        });
    }
    for member in members {
        if member.slots.len() != all.len() {
            let why = format!("has {} parameter(s), not {}", member.slots.len(), all.len());
            return Err(CannotRefactor::at("definitions that change together differ", &member.path, member.line, why));
        }
        for (index, row) in all.iter_mut().enumerate() {
            let item = member.slot(index);
            row.is_optional |= item.is_optional;
            let text = text_of(member);
            row.default = row.default.take().or_else(|| item.default.map(|(start, end)| text[start..end].to_owned()));
            row.name = row.name.take().or_else(|| member.name(text, index).map(str::to_owned));
        }
    }
    Ok(all)
}
