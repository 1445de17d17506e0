//! `inline_function`: every call of a function is replaced by its body.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{Cancel, EdgeTier, NodeKind, Pos, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{EdgeRef, Graph, NodeFlags, NodeIx};
use m1nd_lang::local_code::{InlinedCall, Obstacle, Replacement, inline_calls};

use super::extract_function::apply;
use super::trial::Trial;
use super::{CannotRefactor, NewFile, Note, Refactoring, Source, read_source};
use crate::closure::outside::called_from_outside;
use crate::edits::verify::{is_use, sites};

/// Most calls that are replaced at once.
const MAX_CALLS: usize = 200;

/// Plans the operation.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(snapshot: &Snapshot, node: NodeIx, cancel: &Cancel) -> Result<Refactoring, CannotRefactor> {
    let graph = snapshot.graph();
    check_symbol(snapshot, node)?;
    let calls = list_calls(graph, node)?;
    let own = graph.path(node).to_owned();
    let mut sources: BTreeMap<String, Source> = BTreeMap::new();
    for path in calls.iter().map(|(path, _)| path).chain([&own]) {
        if !sources.contains_key(path) {
            sources.insert(path.clone(), read_source(snapshot, path)?);
        }
    }
    // The new texts.
    let definition = &sources[&own];
    let placed = calls.iter().filter_map(|(path, pos)| {
        let text = sources[path].text.as_str();
        Some((path, *pos, InlinedCall { text, at: offset(text, *pos)?, is_same_file: *path == own }))
    });
    let placed: Vec<(&String, Pos, InlinedCall<'_>)> = placed.collect();
    let sites: Vec<InlinedCall<'_>> = placed.iter().map(|row| row.2).collect();
    let place = (graph.name_line(node), graph.label(node));
    let limits = (snapshot.limits(), cancel);
    let planned = inline_calls(definition.language, &definition.text, place, &sites, limits);
    let not_known =
        || CannotRefactor::NotForLanguage { operation: "inline_function", language: definition.language.name() };
    let inlined = planned.ok_or_else(not_known)?.map_err(|obstacle| refuse(&own, obstacle))?;
    let mut replaced: BTreeMap<&String, Vec<Replacement>> = BTreeMap::new();
    for ((path, _, _), call) in placed.iter().zip(inlined.calls) {
        replaced.entry(path).or_default().push(call.map_err(|obstacle| refuse(path, obstacle))?);
    }
    let removed = Replacement { range: inlined.removed, text: String::new() };
    replaced.entry(&own).or_default().push(removed);
    let mut files = Vec::new();
    for (path, mut rows) in replaced {
        rows.sort_by_key(|row| row.range.start);
        let source = &sources[path];
        if let Some(pair) = rows.windows(2).find(|pair| pair[0].range.end > pair[1].range.start) {
            let line = source.text[..pair[1].range.start].matches('\n').count() as u32 + 1;
            return Err(CannotRefactor::at(
                "the function cannot be inlined",
                path,
                line,
                "calls it in an argument of itself",
            ));
        }
        let text = Some(apply(&source.text, &rows));
        files.push(NewFile { path: source.path.clone(), before: Some(source.hash), text });
    }
    // The project without the function.
    let trial = Trial::link(snapshot, &files, cancel)?;
    check(&trial, graph, node, cancel)?;
    let mut notes = Vec::new();
    if graph.flags(node).has(NodeFlags::EXPORTED) {
        let what = "is visible outside of its file; code that is not in this project can no longer call it".to_owned();
        notes.push(Note { file: own.clone(), line: graph.name_line(node), what });
    }
    Ok(Refactoring { files, places: calls.len(), notes })
}

fn refuse(path: &str, obstacle: Obstacle) -> CannotRefactor {
    CannotRefactor::at("the function cannot be inlined", path, obstacle.line, obstacle.why)
}

/// The byte of a position.
fn offset(text: &str, pos: Pos) -> Option<usize> {
    let line = text.split_inclusive('\n').take(pos.line.checked_sub(1)? as usize).map(str::len).sum::<usize>();
    let column = text.get(line..)?.char_indices().nth(usize::from(pos.col).checked_sub(1)?)?.0;
    Some(line + column)
}

/// Refuses what is not a function of the project that nothing else decides about.
fn check_symbol(snapshot: &Snapshot, node: NodeIx) -> Result<(), CannotRefactor> {
    let graph = snapshot.graph();
    let (id, label) = (graph.id(node), graph.label(node));
    let bad = |why: &str| Err(CannotRefactor::BadRequest(format!("`{id}` {why}")));
    if graph.kind(node) != NodeKind::Function || graph.path(node).is_empty() {
        return bad("is not a function of this project");
    }
    if graph.flags(node).has(NodeFlags::CONSTRUCTOR) {
        return bad("is a constructor");
    }
    if label == "main" || label.starts_with("__") && label.ends_with("__") {
        return bad("is called by the language under this name");
    }
    if let Some(from) = called_from_outside(snapshot, node) {
        return bad(&from.clause());
    }
    let at = |why: &str, other: NodeIx| {
        let (file, line) = (graph.path(other), graph.name_line(other));
        Err(CannotRefactor::at("the function cannot be inlined", file, line, why))
    };
    let overriding = graph.in_edges(node).find(|edge| edge.relation == Relation::Overrides);
    if let Some(edge) = overriding {
        return at("overrides it, so a call may run this one", edge.from);
    }
    if let Some(edge) = graph.out_edges(node).find(|edge| edge.relation == Relation::Overrides) {
        return at("is overridden by it, so a call of this one may run it", edge.to);
    }
    // Another definition of the name in its place.
    let twin = graph.find_labelled(label).into_iter().find(|other| {
        *other != node && graph.parent(*other) == graph.parent(node) && graph.kind(*other) == NodeKind::Function
    });
    match twin {
        Some(other) => at("defines the name as well", other),
        None => Ok(()),
    }
}

/// The places of all calls; refuses a function with another use.
fn list_calls(graph: &Graph, node: NodeIx) -> Result<Vec<(String, Pos)>, CannotRefactor> {
    let mut calls: BTreeSet<(String, Pos)> = BTreeSet::new();
    let at =
        |file: &str, line: u32, why: &str| Err(CannotRefactor::at("the function cannot be inlined", file, line, why));
    for edge in graph.in_edges(node).filter(|edge| is_use(edge.relation)) {
        let file = graph.path(edge.from);
        let places = sites(&edge);
        let line = places.first().map_or(graph.name_line(edge.from), |pos| pos.line);
        let is_self = edge.from == node || graph.ancestors(edge.from).any(|above| above == node);
        match why_not_call(&edge) {
            _ if is_self => return at(file, line, "calls itself"),
            Some(why) => return at(file, line, why),
            None if places.is_empty() || places.iter().any(|pos| pos.col == 0) => {
                return at(file, line, "uses it at a place that is not known");
            }
            None => calls.extend(places.into_iter().map(|pos| (file.to_owned(), pos))),
        }
    }
    // References that may mean it.
    if let Some(open) = graph.unresolved_named(graph.label(node)).next() {
        let file = graph.path(open.from).to_owned();
        return at(&file, open.pos.line, "may use it: what the name means there is not known");
    }
    if calls.is_empty() {
        return Err(CannotRefactor::BadRequest(format!("nothing calls `{}`; remove it instead", graph.id(node))));
    }
    if calls.len() > MAX_CALLS {
        return Err(CannotRefactor::BadRequest(format!("more than {MAX_CALLS} calls of `{}`", graph.id(node))));
    }
    Ok(calls.into_iter().collect())
}

/// Returns why an edge is not a certain call.
fn why_not_call(edge: &EdgeRef<'_>) -> Option<&'static str> {
    match edge.relation {
        Relation::Calls if edge.tier != EdgeTier::Certain => Some("may call it, which is not certain"),
        Relation::Calls if edge.reads => Some("uses it as a value"),
        Relation::Calls => None,
        Relation::Imports => Some("imports it; calls in other files are not inlined"),
        _ => Some("uses it without a call"),
    }
}

/// Compares the project without the function with the one before: who called it uses what both used.
fn check(trial: &Trial<'_>, before: &Graph, node: NodeIx, cancel: &Cancel) -> Result<(), CannotRefactor> {
    let id = before.id(node).to_owned();
    let is_own =
        |other: &str| other.strip_prefix(id.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
    let calls = before.in_edges(node).filter(|edge| edge.relation == Relation::Calls);
    let callers: BTreeSet<NodeIx> = calls.map(|edge| edge.from).collect();
    let caller_ids: BTreeSet<&str> = callers.iter().map(|caller| before.id(*caller)).collect();
    let other = |other: &str| (!is_own(other) && !caller_ids.contains(other)).then(|| other.to_owned());
    trial.check(&other, &other, cancel)?;
    // The callers, which the comparison leaves out.
    let after = trial.after.graph();
    for caller in callers {
        let from = before.id(caller);
        let refuse = |line: u32, why: String| {
            Err(CannotRefactor::at("the function cannot be inlined", before.path(caller), line, why))
        };
        let Some(now) = after.find(from) else { return refuse(before.name_line(caller), "would be lost".to_owned()) };
        let used = [caller, node].into_iter().flat_map(|node| before.out_edges(node));
        let used = used.filter(|edge| is_use(edge.relation) && edge.tier == EdgeTier::Certain);
        for edge in used.filter(|edge| !is_own(before.id(edge.to))) {
            let target = before.id(edge.to);
            let is_same = |found: EdgeRef<'_>| found.relation == edge.relation && after.id(found.to) == target;
            if !after.out_edges(now).any(is_same) {
                let line = sites(&edge).first().map_or(before.name_line(caller), |pos| pos.line);
                return refuse(line, format!("`{from}` would not lead to `{target}`"));
            }
        }
        let open = |node: NodeIx| before.unresolved_of(node).map(|found| found.name.to_owned());
        let known: BTreeSet<String> = open(caller).chain(open(node)).collect();
        if let Some(found) = after.unresolved_of(now).find(|found| !known.contains(found.name)) {
            return refuse(found.pos.line, format!("`{}` would have no target", found.name));
        }
    }
    Ok(())
}
