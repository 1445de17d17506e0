//! Keys of literals that give a member its value.

use std::collections::BTreeSet;

use m1nd_base::{Cancel, EdgeTier, NodeKind, Pos, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use m1nd_lang::facts::{DefId, Expr, ExprId, ParameterKind};
use m1nd_lang::{KeyContext, NameForm};

use super::CannotRename;
use super::family::{Files, list_users, read, read_if_named};
use super::spelled::{Names, Spelled, base_name};
use crate::edits::verify::sites;

/// Maximum number of types around a member, and of names in an annotation, that are considered.
const MAX_TYPES: usize = 64;

/// Returns whether literals and patterns name a node by a key: a field, or a member of a type.
pub(super) fn is_member(graph: &Graph, node: NodeIx) -> bool {
    graph.kind(node) == NodeKind::Field
        || graph.parent(node).is_some_and(|parent| {
            matches!(
                graph.kind(parent),
                NodeKind::Class
                    | NodeKind::Struct
                    | NodeKind::Trait
                    | NodeKind::Interface
                    | NodeKind::Type
                    | NodeKind::Object
            )
        })
}

/// Renames the keys of literals that certainly give a member its value, and returns the lines of those that may: `{
/// name: 1 }` takes its type from where it stands, and a macro from where it is used. Only files that use the file of
/// the member count.
pub(super) fn rename_keys(
    snapshot: &Snapshot,
    definitions: &[NodeIx],
    files: &mut Files,
    names: Names<'_>,
    cancel: &Cancel,
) -> Result<Vec<(String, u32)>, CannotRename> {
    let mut paths = list_users(snapshot.graph(), definitions);
    paths.extend(files.keys().cloned());
    let mut left = Vec::new();
    for path in paths {
        cancel.check()?;
        let Some(file) = read_if_named(snapshot, &path, names.old, files, cancel) else { continue };
        if file.language.is_component() {
            left.extend(list_attributes(file, names.old).into_iter().map(|line| (path.clone(), line)));
            continue;
        }
        // Keys that nothing resolves, by the type that their literal is expected to have.
        let keys = list_keys(file, names.old);
        let contexts = m1nd_lang::literal_keys(file.language, &file.text, &keys, snapshot.limits(), cancel);
        let contexts = contexts.unwrap_or_else(|| vec![None; keys.len()]);
        for (key, context) in keys.into_iter().zip(contexts) {
            match belongs(snapshot, (&path, context), definitions, files, cancel) {
                Belongs::Member => {
                    let Some(file) = files.get_mut(&path) else { continue };
                    let text = match file.form_at(key) {
                        Some(NameForm::FieldAndValue) => format!("{}: {}", names.new, names.old),
                        _ => names.new.to_owned(),
                    };
                    file.edits.insert(key, text);
                }
                Belongs::Other => {}
                Belongs::Unknown => left.extend(files.get(&path).map(|file| (path.clone(), file.position(key).line))),
            }
        }
    }
    Ok(left)
}

/// Lines of a component whose attributes or keys have the old name.
fn list_attributes(file: &Spelled, old: &str) -> Vec<u32> {
    let is_given = |place: &&m1nd_lang::NamePlace| {
        let (before, after) = (&file.text[..place.start], file.text[place.start + old.len()..].trim_start());
        !file.is_edited(place.start) && !before.ends_with('.') && after.starts_with(['=', ':'])
    };
    file.places.iter().filter(is_given).map(|place| file.position(place.start).line).collect()
}

/// Keys of a file with the old name that nothing resolves.
fn list_keys(file: &Spelled, old: &str) -> Vec<usize> {
    let exact = file.facts.references.iter().filter(|reference| !reference.inexact).map(|reference| reference.pos);
    let known: BTreeSet<Pos> = exact.chain(file.facts.definitions.iter().map(|definition| definition.pos)).collect();
    let is_open = |place: &&m1nd_lang::NamePlace| {
        !file.is_edited(place.start)
            && is_key(file, place, old)
            && (place.form == NameForm::FieldAndValue || !known.contains(&file.position(place.start)))
    };
    file.places.iter().filter(is_open).map(|place| place.start).collect()
}

/// Whose key it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Belongs {
    /// The renamed member's.
    Member,
    /// That of something else.
    Other,
    /// It cannot be told.
    Unknown,
}

/// Finds out by the type that a literal is expected to have.
fn belongs(
    snapshot: &Snapshot,
    (path, context): (&str, Option<KeyContext>),
    definitions: &[NodeIx],
    files: &mut Files,
    cancel: &Cancel,
) -> Belongs {
    let graph = snapshot.graph();
    let label = definitions.first().map_or("", |node| base_name(graph.label(*node)));
    // The types that decide.
    let types = match context {
        None | Some(KeyContext::Unknown) => return Belongs::Unknown,
        Some(KeyContext::Types(types)) => {
            let Some(file) = files.get(path) else { return Belongs::Unknown };
            types.iter().map(|at| target(graph, path, file.position(*at))).collect::<Vec<_>>()
        }
        Some(KeyContext::Argument { callee, index }) => {
            let pos = files.get(path).map(|file| file.position(callee));
            let Some(of) = pos.and_then(|pos| target(graph, path, pos)) else { return Belongs::Unknown };
            list_parameter_types(snapshot, (of, index, label), files, cancel)
        }
    };
    // Is one of them the type of the member, or below it?
    let owners: BTreeSet<NodeIx> = definitions.iter().filter_map(|node| graph.parent(*node)).collect();
    let of_type = |of: &Option<NodeIx>| match of {
        None => Belongs::Unknown,
        Some(of) if is_below(graph, *of, &owners) => Belongs::Member,
        Some(of) if has_member(graph, *of, label) => Belongs::Other,
        Some(_) => Belongs::Unknown,
    };
    let found: Vec<Belongs> = types.iter().map(of_type).collect();
    match () {
        () if found.contains(&Belongs::Member) => Belongs::Member,
        () if found.contains(&Belongs::Other) => Belongs::Other,
        () => Belongs::Unknown,
    }
}

/// What the reference at a place certainly leads to.
fn target(graph: &Graph, path: &str, pos: Pos) -> Option<NodeIx> {
    let file = graph.find_file(path)?;
    let edges = graph.of_file(file).into_iter().flat_map(|node| graph.out_edges(node).collect::<Vec<_>>());
    let mut here = edges.filter(|edge| edge.tier == EdgeTier::Certain && sites(edge).contains(&pos));
    here.next().map(|edge| edge.to)
}

/// What the names of types in the annotation of a parameter lead to.
fn list_parameter_types(
    snapshot: &Snapshot,
    (function, index, old): (NodeIx, usize, &str),
    files: &mut Files,
    cancel: &Cancel,
) -> Vec<Option<NodeIx>> {
    let graph = snapshot.graph();
    let is_constructor = |node: &NodeIx| graph.flags(*node).has(NodeFlags::CONSTRUCTOR);
    let members = graph.out_edges(function).filter(|edge| edge.relation == Relation::Contains).map(|edge| edge.to);
    let function = { members }.find(is_constructor).unwrap_or(function);
    let path = graph.path(function);
    let Ok(file) = read(snapshot, path, old, files, cancel) else { return Vec::new() };
    let facts = &file.facts;
    let Some(def) = file.ids.iter().position(|id| id.as_deref() == Some(graph.id(function))) else { return Vec::new() };
    let parameters = facts.parameters(DefId(u32::try_from(def).unwrap_or(u32::MAX)));
    let parameters = parameters.iter().filter(|parameter| parameter.kind != ParameterKind::Receiver);
    let mut open: Vec<ExprId> = parameters.skip(index).take(1).filter_map(|parameter| parameter.declared).collect();
    let mut places = Vec::new();
    while let Some(expr) = open.pop().filter(|_| places.len() < MAX_TYPES) {
        match facts.expr(expr) {
            Expr::Union(list) => open.extend(facts.list(list)),
            Expr::Generic { base, args } => {
                open.push(base);
                open.extend(facts.list(args));
            }
            _ => places.extend(facts.references.iter().filter(|row| row.expr == expr).map(|row| row.pos).take(1)),
        }
    }
    places.into_iter().map(|pos| target(graph, path, pos)).collect()
}

/// Returns whether a type is one of these, or inherits from one.
fn is_below(graph: &Graph, of: NodeIx, owners: &BTreeSet<NodeIx>) -> bool {
    let mut open = vec![of];
    let mut seen: BTreeSet<NodeIx> = BTreeSet::new();
    while let Some(next) = open.pop().filter(|_| seen.len() < MAX_TYPES) {
        if owners.contains(&next) {
            return true;
        }
        if seen.insert(next) {
            let above = graph.out_edges(next);
            let above = above.filter(|edge| matches!(edge.relation, Relation::Inherits | Relation::Implements));
            open.extend(above.map(|edge| edge.to));
        }
    }
    false
}

fn has_member(graph: &Graph, of: NodeIx, label: &str) -> bool {
    let members = graph.out_edges(of).filter(|edge| edge.relation == Relation::Contains);
    members.map(|edge| edge.to).any(|member| graph.label(member) == label)
}

/// Returns whether a place is the key of a literal in braces.
fn is_key(file: &Spelled, place: &m1nd_lang::NamePlace, word: &str) -> bool {
    match place.form {
        NameForm::FieldAndValue => return true,
        NameForm::Comment | NameForm::Literal(..) => return false,
        _ => {}
    }
    let (text, at) = (&file.text, place.start);
    let after = text[at + word.len()..].trim_start_matches([' ', '\t']);
    after.starts_with(':')
        && !after.starts_with("::")
        && text[..at].trim_end().ends_with(['{', ','])
        && is_in_braces(&text[..at])
}

/// Returns whether the nearest bracket that is open at the end of a text is a brace, not that of arguments.
fn is_in_braces(before: &str) -> bool {
    let mut depth = 0usize;
    for c in before.chars().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '{' if depth == 0 => return true,
            '(' | '[' if depth == 0 => return false,
            '(' | '[' | '{' => depth -= 1,
            _ => {}
        }
    }
    false
}
