//! Locks of other agents on what an edit changes.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{NodeKind, node_id};
use m1nd_edit::{Plan, PlannedEdit};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_sessions::TouchedLock;
use serde_json::json;

use crate::framework::{ErrorCode, ToolError, WriteContext};
use crate::rows;

/// Nodes of a lock that a warning names.
const NAMED_NODES: usize = 3;

/// The warnings of locks of other agents on what a plan changes, for an edit that is not written yet.
pub(crate) fn lock_warnings(cx: &WriteContext<'_>, snapshot: &Snapshot, plan: &Plan) -> Result<Vec<String>, ToolError> {
    Ok(locks(cx, snapshot, plan)?.iter().map(warning).collect())
}

/// Like [`lock_warnings`], for an edit that is about to be written: a strict lock refuses it.
pub(crate) fn check_locks(cx: &WriteContext<'_>, snapshot: &Snapshot, plan: &Plan) -> Result<Vec<String>, ToolError> {
    let locks = locks(cx, snapshot, plan)?;
    if let Some(lock) = locks.iter().find(|lock| lock.strict) {
        let message = format!("nothing is written: {}", warning(lock));
        return Err(ToolError::new(ErrorCode::WriteRefused, message)
            .detail("lock_id", json!(lock.lock_id))
            .detail("owner", json!(lock.owner))
            .next_step("ask its owner to release it, or wait until it ends; change other code meanwhile"));
    }
    Ok(locks.iter().map(warning).collect())
}

fn warning(lock: &TouchedLock) -> String {
    let more = lock.nodes.len().saturating_sub(NAMED_NODES);
    let mut named = lock.nodes.iter().take(NAMED_NODES).map(|node| format!("`{node}`")).collect::<Vec<_>>().join(", ");
    if more > 0 {
        named.push_str(&format!(" and {more} more"));
    }
    let strict = if lock.strict { "strict " } else { "" };
    format!("{strict}lock `{}` of agent `{}` covers {named}", lock.lock_id, lock.owner)
}

/// Locks of other agents on the definitions that a plan changes. A change outside all definitions touches only locks on
/// the file itself, so that a new import does not collide with a lock on a function.
fn locks(cx: &WriteContext<'_>, snapshot: &Snapshot, plan: &Plan) -> Result<Vec<TouchedLock>, ToolError> {
    let mut paths = Vec::new();
    let mut files = BTreeSet::new();
    let mut nodes = BTreeSet::new();
    for edit in plan.changes() {
        if edit.after_text().is_none() {
            paths.push(edit.path().as_str());
        } else {
            add_changed(snapshot, edit, &mut nodes, &mut files);
        }
    }
    let touched = |paths: &[&str], nodes: &BTreeSet<String>| {
        let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
        cx.sessions().locks_touched(cx.agent(), paths, &nodes).map_err(rows::session_error)
    };
    let mut found: BTreeMap<String, TouchedLock> = BTreeMap::new();
    for mut lock in touched(&[], &files)? {
        lock.nodes.retain(|node| files.contains(node));
        if !lock.nodes.is_empty() {
            found.insert(lock.lock_id.clone(), lock);
        }
    }
    for lock in touched(&paths, &nodes)? {
        found.insert(lock.lock_id.clone(), lock);
    }
    Ok(found.into_values().collect())
}

/// Adds the innermost definition around each changed place of an edit. Where there is none, adds the file and the
/// definitions that the place reaches into.
fn add_changed(snapshot: &Snapshot, edit: &PlannedEdit, nodes: &mut BTreeSet<String>, files: &mut BTreeSet<String>) {
    let graph = snapshot.graph();
    let path = edit.path().as_str();
    let own: Vec<_> = graph.find_file(path).map(|file| graph.of_file(file)).unwrap_or_default();
    for (first, last) in edit.changed_lines() {
        let around = |node: &&NodeIx| {
            let (start, end) = graph.lines(**node);
            graph.kind(**node) != NodeKind::File && start <= first && last <= end
        };
        let size = |node: &&NodeIx| {
            let (start, end) = graph.lines(**node);
            end - start
        };
        match own.iter().filter(around).min_by_key(size) {
            Some(node) => nodes.insert(graph.id(*node).to_owned()),
            None => {
                let reached = own.iter().filter(|node| graph.kind(**node) != NodeKind::File).filter(|node| {
                    let (start, end) = graph.lines(**node);
                    // An insertion between two definitions names the lines on both sides, and changes neither.
                    let is_between = last == first + 1 && (end == first || start == last);
                    start <= last && first <= end && !is_between
                });
                nodes.extend(reached.map(|node| graph.id(*node).to_owned()));
                files.insert(node_id::file(path))
            }
        };
    }
}
