//! Code that a document named when it was indexed, and that is gone, has another name or is not what it was.

use m1nd_base::{Cancel, Cancelled, NodeKind, node_id};
use m1nd_documents::Mention;
use m1nd_engine::{KeptMention, Shape, Snapshot};
use m1nd_graph::{NodeFlags, NodeIx};
use rustc_hash::FxHashSet;

use super::{DriftClass, Finding, Read};

/// Nodes that are compared with one that is gone.
const MAX_COMPARED: usize = 400;
/// Likeness from which code of the same file counts as the same under another name, and its lead over the next best.
const LEAST_LIKENESS: f64 = 0.7;
const LEAST_LEAD: f64 = 0.1;

/// Findings about the names that a document had when it was indexed: those that are gone, renamed or changed since.
pub(super) fn changed_since(snapshot: &Snapshot, read: &Read, cancel: &Cancel) -> Result<Vec<Finding>, Cancelled> {
    let rows = snapshot.kept_mentions(read.path.as_str());
    let graph = snapshot.graph();
    let mut found = Vec::new();
    for row in rows {
        cancel.check()?;
        let Some(mention) = mention_of(read, row) else { continue };
        let finding = match graph.find(&row.target) {
            Some(node) => find_change(snapshot, node, mention, row),
            None => find_gone(snapshot, read, mention, row),
        };
        found.extend(finding.map(|finding| Finding { old_hash: Some(row.shape.body.to_string()), ..finding }));
    }
    Ok(found)
}

/// The name in the document that a kept mention is about.
fn mention_of<'r>(read: &'r Read, row: &KeptMention) -> Option<&'r Mention> {
    let label = row.label();
    let names = |mention: &&Mention| {
        let last = mention.name.trim_end_matches('/').rsplit(['.', ':', '#', '/']).next().unwrap_or(&mention.name);
        last == label || mention.name.ends_with(label)
    };
    let here: Vec<&Mention> = read.document.mentions.iter().filter(|mention| mention.line == row.line).collect();
    let owner = owner_of(&row.target);
    let with_owner =
        here.iter().copied().find(|mention| owner.is_some_and(|owner| mention.name.contains(owner)) && names(mention));
    with_owner.or_else(|| here.into_iter().find(names))
}

/// The name of the class or module part in front of the last name of an id.
fn owner_of(id: &str) -> Option<&str> {
    let names: Vec<&str> = node_id::names(id.split_once("::").map_or(id, |(_, rest)| rest)).collect();
    names.len().checked_sub(2).and_then(|at| names.get(at)).copied()
}

/// A finding if the code is there with a changed interface or text.
fn find_change(snapshot: &Snapshot, node: NodeIx, mention: &Mention, row: &KeptMention) -> Option<Finding> {
    if snapshot.graph().kind(node) == NodeKind::File {
        // That a file changes says nothing about a text that names it.
        return None;
    }
    let now = Shape::of(snapshot, node)?;
    let (what, confidence) = match (now.signature == row.shape.signature, now.body == row.shape.body) {
        (_, true) => return None,
        (false, false) => ("its signature has changed since this line was indexed", 0.7),
        (true, false) => ("its code has changed since this line was indexed", 0.3),
    };
    let mut finding = Finding::new(DriftClass::CodeChanged, mention.line, &mention.name, what.to_owned(), confidence);
    finding.target = Some(row.target.clone());
    Some(finding)
}

/// A finding if the code is gone from its place, unless the name still means the same code elsewhere.
fn find_gone(snapshot: &Snapshot, read: &Read, mention: &Mention, row: &KeptMention) -> Option<Finding> {
    let graph = snapshot.graph();
    let is_same_owner = |node: NodeIx| owner_of(graph.id(node)) == owner_of(&row.target);
    let bound = read.bindings.iter().filter(|own| own.line == mention.line && own.mention == mention.name);
    let still = bound.filter(|own| own.is_certain || own.of == 1).any(|own| {
        let shape = Shape::of(snapshot, own.target);
        is_same_owner(own.target) || shape.is_some_and(|shape| shape.is_renamed(&row.shape))
    });
    if still {
        return None;
    }
    if let Some(node) = find_renamed(snapshot, row) {
        let name = graph.label(node);
        let message = match graph.kind(node) {
            NodeKind::File => format!("is `{}` now", graph.path(node)),
            _ if name == row.label() => format!("is in `{}` now", graph.path(node)),
            _ => format!("is `{name}` now"),
        };
        let mut finding = Finding::new(DriftClass::BindingMoved, mention.line, &mention.name, message, 0.85);
        finding.target = Some(graph.id(node).to_owned());
        return Some(finding);
    }
    let message = "the code that this name meant when the line was indexed is gone".to_owned();
    Some(Finding::new(DriftClass::BindingMissing, mention.line, &mention.name, message, 0.85))
}

/// The node that code is under another name or in another place: of the same text but for the name, in its file or
/// elsewhere, or by far the most alike of its file.
fn find_renamed(snapshot: &Snapshot, row: &KeptMention) -> Option<NodeIx> {
    let graph = snapshot.graph();
    let is_file = node_id::is_file(&row.target);
    // A file under another name has the same content, if only one has it.
    if is_file {
        let same = |file: &&m1nd_engine::FileEntry| file.size > 0 && file.hash == row.shape.body;
        let mut files = snapshot.files().iter().filter(same);
        let only = files.next().filter(|_| files.next().is_none())?;
        return graph.find_file(only.path.as_str());
    }
    // A symbol may have a new name in its file, with the same shape.
    let path = node_id::path_of(&row.target)?;
    let named: FxHashSet<NodeIx> =
        snapshot.kept_mentions(path).iter().filter_map(|other| graph.find(&other.target)).collect();
    let inside = graph.find_file(path).map(|file| graph.of_file(file)).unwrap_or_default();
    let shaped = |node: NodeIx| Some((node, Shape::of(snapshot, node)?));
    let of_file: Vec<(NodeIx, Shape)> =
        inside.into_iter().filter(|node| !named.contains(node)).take(MAX_COMPARED).filter_map(shaped).collect();
    let owner = owner_of(&row.target);
    let mut same: Vec<NodeIx> =
        of_file.iter().filter(|(_, shape)| shape.is_renamed(&row.shape)).map(|(node, _)| *node).collect();
    if same.len() > 1 {
        same.retain(|node| owner_of(graph.id(*node)) == owner);
    }
    if let [only] = same.as_slice() {
        return Some(*only);
    }
    // Or the same name in another file.
    let elsewhere =
        graph.find_labelled(row.label()).into_iter().filter(|node| !graph.flags(*node).has(NodeFlags::TEST));
    let moved = elsewhere.take(MAX_COMPARED).filter_map(shaped).find(|(_, shape)| shape.is_renamed(&row.shape));
    if let Some((node, _)) = moved {
        return Some(node);
    }
    // Or both changed a little: then one must be clearly the most alike.
    let mut alike: Vec<(f64, NodeIx)> = of_file
        .iter()
        .filter(|(node, _)| owner_of(graph.id(*node)) == owner && graph.label(*node) != row.label())
        .map(|(node, shape)| (shape.likeness(&row.shape), *node))
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    match alike.as_slice() {
        [(best, node), rest @ ..] if *best >= LEAST_LIKENESS => {
            rest.first().is_none_or(|(next, _)| best - next >= LEAST_LEAD).then_some(*node)
        }
        _ => None,
    }
}
