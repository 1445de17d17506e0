//! The definitions that have one name: what declares, completes, replaces or overrides a definition.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{Cancel, EdgeTier, NodeKind, Relation, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use m1nd_lang::Language;
use m1nd_lang::edit_rules::{Completion, EditRules};

use super::CannotRename;
use super::spelled::{Spelled, base_name};
use crate::closure::outside::{FromOutside, called_from_outside};
use crate::edits::names::{MAX_NAME, has_own_name, is_no_name};

/// Most definitions that are renamed together: a method with those that override it.
const MAX_FAMILY: usize = 200;

/// Package of annotations that make accessors.
const ACCESSOR_PACKAGE: &str = "lombok";
/// Annotations after which a field has accessors whose names are made of its own.
const ACCESSOR_MAKERS: &[&str] =
    &["Builder", "Data", "FieldNameConstants", "Getter", "Setter", "SuperBuilder", "Value", "With"];

/// The files that were read, by path.
pub(in crate::edits) type Files = BTreeMap<String, Spelled>;

/// Refuses symbols without a name that can change, and names that cannot be given.
pub(super) fn check_names(snapshot: &Snapshot, node: NodeIx, name: &str) -> Result<(), CannotRename> {
    let graph = snapshot.graph();
    let (kind, label) = (graph.kind(node), base_name(graph.label(node)));
    // Computed names and patterns are not single words.
    let is_word = label.trim_start_matches('#').chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    if !has_own_name(kind) || graph.path(node).is_empty() || !is_word || label.is_empty() {
        return Err(CannotRename::NoName { id: graph.id(node).to_owned(), kind: kind.word() });
    }
    let language = snapshot.file_of(node).map(|file| file.language);
    let why = match name == label {
        true => Some("it is the name already"),
        false => is_no_name(language, name, label),
    };
    if let Some(why) = why {
        return Err(CannotRename::BadName { name: name.chars().take(MAX_NAME).collect(), why });
    }
    let not_ours = |why: &str| CannotRename::NotOurs { id: graph.id(node).to_owned(), why: why.to_owned() };
    if label.starts_with("__") && label.ends_with("__") {
        return Err(not_ours("is called by the language under this name"));
    }
    if graph.flags(node).has(NodeFlags::CONSTRUCTOR) {
        return Err(not_ours("is a constructor: rename its class"));
    }
    let mut header = graph.signature(node).split_whitespace().take_while(|word| *word != label);
    if language == Some(Language::CSharp) && kind != NodeKind::Function && header.any(|word| word == "partial") {
        return Err(not_ours("is written in several parts, which are not renamed together"));
    }
    if label == "main" && kind == NodeKind::Function {
        return Err(not_ours("is where the program starts"));
    }
    Ok(())
}

/// Refuses a name that something beside the definition has.
pub(super) fn check_free(graph: &Graph, node: NodeIx, name: &str) -> Result<(), CannotRename> {
    let same_place = |other: &NodeIx| {
        graph.parent(*other) == graph.parent(node)
            || (graph.kind(*other) == NodeKind::Function
                && owner_type(graph, *other) == owner_type(graph, node)
                && owner_type(graph, node).is_some())
    };
    match graph.find_labelled(name).into_iter().find(same_place) {
        Some(taken) => Err(CannotRename::Taken { name: name.to_owned(), taken: graph.id(taken).to_owned() }),
        None => Ok(()),
    }
}

/// The type that a method belongs to, through the block it is written in.
fn owner_type(graph: &Graph, node: NodeIx) -> Option<NodeIx> {
    let parent = graph.parent(node)?;
    if graph.kind(parent) != NodeKind::Impl {
        return None;
    }
    graph
        .in_edges(parent)
        .find(|edge| edge.relation == Relation::Contains && edge.tier == EdgeTier::Certain)
        .map(|edge| edge.from)
}

/// A definition with all that must have the same name.
pub(super) fn find_family(
    snapshot: &Snapshot,
    node: NodeIx,
    files: &mut Files,
    cancel: &Cancel,
) -> Result<Vec<NodeIx>, CannotRename> {
    let graph = snapshot.graph();
    let old = base_name(graph.label(node));
    let mut all = vec![node];
    let mut next = 0;
    while next < all.len() && all.len() <= MAX_FAMILY {
        let member = all[next];
        next += 1;
        let ends = graph.in_edges(member).map(|edge| (edge.relation, edge.from, edge.tier));
        let starts = graph.out_edges(member).map(|edge| (edge.relation, edge.to, edge.tier));
        let overrides = ends.chain(starts).filter(|(relation, ..)| *relation == Relation::Overrides);
        let mut related: Vec<NodeIx> = Vec::new();
        for (_, other, tier) in overrides {
            if tier == EdgeTier::External || graph.path(other).is_empty() {
                let why = format!("overrides `{}`, which is outside of the project", graph.id(other));
                return Err(CannotRename::NotOurs { id: graph.id(member).to_owned(), why });
            }
            related.push(other);
        }
        // A declaration and its definition have one name.
        related.extend(graph.same_symbol(member));
        related.extend(find_completing(snapshot, member, old, files, cancel)?);
        related.extend(find_replaced_attributes(snapshot, member));
        for other in related {
            if !all.contains(&other) && base_name(graph.label(other)) == old {
                all.push(other);
            }
        }
        check_owner(snapshot, member)?;
    }
    if all.len() > MAX_FAMILY {
        let why = format!("overrides or is overridden by more than {MAX_FAMILY} methods");
        return Err(CannotRename::NotOurs { id: graph.id(node).to_owned(), why });
    }
    Ok(all)
}

/// Definitions of the same name that are the same symbol for who uses it: accessors of a property, overloads, merged
/// declarations, alternatives of a condition, files for several systems.
fn find_completing(
    snapshot: &Snapshot,
    node: NodeIx,
    old: &str,
    files: &mut Files,
    cancel: &Cancel,
) -> Result<Vec<NodeIx>, CannotRename> {
    let graph = snapshot.graph();
    let path = graph.path(node);
    let completion =
        snapshot.file_of(node).map_or(Completion::Nothing, |file| EditRules::of(file.language).scopes.completion);
    let is_by_kind = match completion {
        Completion::Nothing => return Ok(Vec::new()),
        Completion::InOtherFiles => {
            let mut found = find_in_other_files(graph, node);
            found.extend(find_embedded(graph, node)?);
            return Ok(found);
        }
        Completion::OfRecord => return Ok(find_component(graph, node)),
        Completion::InScope => false,
        Completion::InScopeByKind => true,
    };
    // Definitions of the name in the same scope.
    let file = read(snapshot, path, old, files, cancel)?;
    let facts = &file.facts;
    let Some(own) = file.ids.iter().position(|id| id.as_deref() == Some(graph.id(node))) else { return Ok(Vec::new()) };
    let own = &facts.definitions[own];
    let is_same = |other: &m1nd_lang::facts::Definition| {
        other.owner == own.owner
            && base_name(facts.name(other.name)) == old
            && other.flags.is_static == own.flags.is_static
            && (!is_by_kind || other.kind == own.kind)
    };
    let same = facts.definitions.iter().zip(&file.ids).filter(|(other, _)| is_same(other));
    let mut found: Vec<NodeIx> = same.filter_map(|(_, id)| graph.find(id.as_deref()?)).collect();
    if is_by_kind {
        found.extend(find_associated(graph, node));
    }
    Ok(found)
}

/// The component of a Java record and the accessor that is written for it.
fn find_component(graph: &Graph, node: NodeIx) -> Vec<NodeIx> {
    let Some(record) = graph.parent(node).filter(|parent| graph.kind(*parent) == NodeKind::Struct) else {
        return Vec::new();
    };
    let is_it = |other: NodeIx| match graph.kind(other) {
        NodeKind::Field => true,
        NodeKind::Function => graph.signature(other).ends_with("()"),
        _ => false,
    };
    let members = graph.out_edges(record).filter(|edge| edge.relation == Relation::Contains).map(|edge| edge.to);
    let same = members.filter(|other| graph.label(*other) == graph.label(node));
    same.filter(|&other| other != node && is_it(other) && is_it(node)).collect()
}

/// An embedded field of Go and the type that it embeds: one name.
fn find_embedded(graph: &Graph, node: NodeIx) -> Result<Vec<NodeIx>, CannotRename> {
    let label = graph.label(node);
    let is_embedded = |field: NodeIx| {
        let written = graph.signature(field).trim_start_matches('*');
        let written = written.split('[').next().unwrap_or_default();
        graph.kind(field) == NodeKind::Field && written.rsplit('.').next() == Some(label)
    };
    let is_type = |other: NodeIx| {
        let kind = graph.kind(other);
        matches!(kind, NodeKind::Struct | NodeKind::Interface | NodeKind::Type) && graph.label(other) == label
    };
    let embeds = |field: NodeIx| {
        let around = graph.parent(field).into_iter().chain([field]).flat_map(|from| graph.out_edges(from));
        let on_line = |edge: &m1nd_graph::EdgeRef<'_>| {
            edge.sites.is_empty() || edge.sites.iter().any(|pos| pos.line == graph.name_line(field))
        };
        around.filter(on_line).map(|edge| edge.to).find(|&to| is_type(to) && to != field)
    };
    // From the field to its type, or from the type to its fields.
    if is_embedded(node) {
        let Some(of) = embeds(node).filter(|of| !graph.path(*of).is_empty()) else {
            let why = "is an embedded field, which has the name of its type".to_owned();
            return Err(CannotRename::NotOurs { id: graph.id(node).to_owned(), why });
        };
        return Ok(vec![of]);
    }
    if !is_type(node) {
        return Ok(Vec::new());
    }
    let fields = graph.find_labelled(label).into_iter().filter(|field| is_embedded(*field));
    Ok(fields.filter(|field| embeds(*field) == Some(node)).collect())
}

/// Types and constants of a trait, and those that implement them.
fn find_associated(graph: &Graph, node: NodeIx) -> Vec<NodeIx> {
    let is_item = |node: NodeIx| matches!(graph.kind(node), NodeKind::Type | NodeKind::Constant);
    let trait_of = |node: NodeIx| {
        let owner = graph.parent(node)?;
        match graph.kind(owner) {
            NodeKind::Trait => Some(owner),
            NodeKind::Impl => {
                let name = graph.label(owner).rsplit_once(" for ")?.0;
                let name = name.split('<').next()?.rsplit("::").next()?;
                let named = graph.find_labelled(name).into_iter();
                let mut traits = named.filter(|to| graph.kind(*to) == NodeKind::Trait && !graph.path(*to).is_empty());
                traits.next().filter(|_| traits.next().is_none())
            }
            _ => None,
        }
    };
    let Some(of) = trait_of(node).filter(|_| is_item(node)) else { return Vec::new() };
    let same = graph.find_labelled(graph.label(node)).into_iter();
    same.filter(|&other| other != node && is_item(other) && trait_of(other) == Some(of)).collect()
}

/// Definitions of Go in other files of the package, for other systems: they have the same place in them.
fn find_in_other_files(graph: &Graph, node: NodeIx) -> Vec<NodeIx> {
    let folder = |path: &'_ str| path.rsplit_once('/').map_or(0, |(folder, _)| folder.len());
    let place = |node: NodeIx| {
        let id = graph.id(node);
        id.find(graph.path(node)).map(|at| &id[at + graph.path(node).len()..])
    };
    let path = graph.path(node);
    let own = &path[..folder(path)];
    // A function beside a method has another place.
    let is_other = |other: &NodeIx| {
        let of = graph.path(*other);
        *other != node && of != path && &of[..folder(of)] == own && place(*other) == place(node)
    };
    let is_unique = |node: NodeIx| graph.kind(node) != NodeKind::Field && graph.label(node) != "init";
    graph.find_labelled(graph.label(node)).into_iter().filter(|_| is_unique(node)).filter(is_other).collect()
}

/// Attributes of classes above and below that an attribute of a class stands for, where values of the classes are
/// asked for it by name.
fn find_replaced_attributes(snapshot: &Snapshot, node: NodeIx) -> Vec<NodeIx> {
    let graph = snapshot.graph();
    let language = snapshot.file_of(node).map(|file| file.language);
    let is_dynamic = language.is_some_and(|language| EditRules::of(language).scopes.has_replaced_attributes);
    let Some(class) = graph.parent(node).filter(|class| is_dynamic && graph.kind(*class) == NodeKind::Class) else {
        return Vec::new();
    };
    let above = graph.out_edges(class).filter(|edge| edge.relation == Relation::Inherits).map(|edge| edge.to);
    let below = graph.in_edges(class).filter(|edge| edge.relation == Relation::Inherits).map(|edge| edge.from);
    let classes: Vec<NodeIx> = above.chain(below).filter(|class| !graph.path(*class).is_empty()).collect();
    let has_it = |class: NodeIx| {
        let members = graph.out_edges(class).filter(|edge| edge.relation == Relation::Contains);
        members.map(|edge| edge.to).find(|member| graph.label(*member) == graph.label(node))
    };
    classes.into_iter().filter_map(has_it).collect()
}

/// Reads a file once, if it has the name.
pub(super) fn read_if_named<'f>(
    snapshot: &Snapshot,
    path: &str,
    old: &str,
    files: &'f mut Files,
    cancel: &Cancel,
) -> Option<&'f mut Spelled> {
    let has_it = || {
        let path = RepoPath::new(path).ok()?;
        snapshot.read_file(&path).ok().filter(|source| source.text.contains(old))
    };
    if !files.contains_key(path) {
        has_it()?;
    }
    read(snapshot, path, old, files, cancel).ok()
}

/// Files with an edge to something in the files of some nodes: they may use their members without naming them.
pub(super) fn list_users(graph: &Graph, nodes: &[NodeIx]) -> BTreeSet<String> {
    let own: BTreeSet<NodeIx> = nodes.iter().filter_map(|node| graph.file(*node)).collect();
    let members = own.iter().flat_map(|file| graph.of_file(*file));
    let paths = members.flat_map(|node| graph.in_edges(node).map(|edge| graph.path(edge.from)).collect::<Vec<_>>());
    paths.filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

/// Reads a file once.
pub(in crate::edits) fn read<'f>(
    snapshot: &Snapshot,
    path: &str,
    old: &str,
    files: &'f mut Files,
    cancel: &Cancel,
) -> Result<&'f mut Spelled, CannotRename> {
    cancel.check()?;
    if !files.contains_key(path) {
        files.insert(path.to_owned(), Spelled::read(snapshot, path, old, cancel)?);
    }
    let refuse = CannotRename::File { path: path.to_owned(), why: "cannot be read" };
    files.get_mut(path).ok_or(refuse)
}

/// The annotation that makes accessors of a field, with names made of its own.
fn find_accessor_maker(graph: &Graph, node: NodeIx) -> Option<&str> {
    let holders = [Some(node), graph.parent(node)].into_iter().flatten();
    let annotations = holders.filter(|_| graph.kind(node) == NodeKind::Field).flat_map(|of| graph.out_edges(of));
    let makes = |to: &NodeIx| graph.id(*to).contains(ACCESSOR_PACKAGE) && ACCESSOR_MAKERS.contains(&graph.label(*to));
    annotations.map(|edge| edge.to).find(makes).map(|to| graph.label(to))
}

/// Refuses a function whose name code outside of the project decides about.
fn check_owner(snapshot: &Snapshot, node: NodeIx) -> Result<(), CannotRename> {
    let graph = snapshot.graph();
    if let Some(by) = find_accessor_maker(graph, node) {
        let why = format!("gives names to accessors that `{by}` makes");
        return Err(CannotRename::NotOurs { id: graph.id(node).to_owned(), why });
    }
    match called_from_outside(snapshot, node).filter(FromOutside::names_it) {
        Some(from) => Err(CannotRename::NotOurs { id: snapshot.graph().id(node).to_owned(), why: from.clause() }),
        None => Ok(()),
    }
}

/// Constructors and destructors of a class, wherever they are written: they have its name.
pub(super) fn named_like_class(graph: &Graph, class: NodeIx) -> Vec<NodeIx> {
    let label = graph.label(class);
    let has_name = |node: &NodeIx| graph.label(*node).trim_start_matches('~') == label;
    let members = graph.out_edges(class).filter(|edge| edge.relation == Relation::Contains).map(|edge| edge.to);
    let members = members.filter(|node| graph.kind(*node) == NodeKind::Function).filter(has_name).collect();
    graph.with_same_symbols(members)
}

/// The new path of a file that must have the name of its class.
pub(super) fn file_follows(snapshot: &Snapshot, node: NodeIx, new: &str) -> Option<RepoPath> {
    let graph = snapshot.graph();
    let file = snapshot.file_of(node)?;
    let name = file.path.file_name();
    let is_top = graph.parent(node) == graph.file(node);
    let ending = EditRules::of(file.language).types.public_type_file?;
    let follows = is_top && name == format!("{}.{ending}", graph.label(node));
    follows.then(|| RepoPath::new(&format!("{}/{new}.{ending}", file.path.parent()).replace("//", "/")).ok()).flatten()
}
