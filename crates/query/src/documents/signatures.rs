//! Code whose interface changed since the section that names it was last touched.

use m1nd_base::{Cancel, Cancelled, Limits, NodeKind, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;
use m1nd_graph::{NodeFlags, NodeIx};
use m1nd_history::BlobId;
use m1nd_lang::facts::{DefId, FileFacts};
use m1nd_lang::{Language, extract};
use rustc_hash::{FxHashMap, FxHashSet};

use super::past::{self, LineAges};
use super::{DriftClass, Finding, Read};

/// Past contents that are extracted for one check.
const MAX_EXTRACTED: usize = 600;
/// Maximum size of one, in bytes.
const MAX_BLOB: usize = 512 << 10;

/// Facts of past contents, each extracted once.
#[derive(Default)]
pub(super) struct PastFacts(FxHashMap<BlobId, Option<std::rc::Rc<FileFacts>>>);

/// What a function takes: name of each parameter, in order.
fn parameters<'f>(facts: &'f FileFacts, owners: &[&str], name: &str) -> Option<Vec<&'f str>> {
    let mut found = facts.definitions.iter().enumerate().filter(|(_, row)| {
        let own = facts.name(row.name) == name && row.kind == m1nd_lang::facts::DefKind::Function;
        own && owners_of(facts, row.owner) == owners
    });
    let (index, _) = found.next()?;
    // Of overloads it is not clear which one a text means.
    if found.next().is_some() {
        return None;
    }
    let rows = facts.parameters(DefId(index as u32)).iter().map(|parameter| facts.name(parameter.name));
    Some(rows.filter(|name| !name.is_empty() && !matches!(*name, "self" | "cls" | "this")).collect())
}

fn owners_of(facts: &FileFacts, mut owner: Option<DefId>) -> Vec<&str> {
    let mut found = Vec::new();
    while let Some(id) = owner {
        let definition = facts.definition(id);
        found.push(facts.name(definition.name));
        owner = definition.owner;
    }
    found
}

/// Findings about functions whose parameters changed since the sections that name them.
pub(super) fn changed(
    (snapshot, history): (&Snapshot, &ProjectHistory),
    read: &Read,
    text: &str,
    kept: &mut PastFacts,
    cancel: &Cancel,
) -> Result<Vec<Finding>, Cancelled> {
    let graph = snapshot.graph();
    let sections = sections(read, text);
    let bound: Vec<(usize, &super::BoundCode)> = read
        .bindings
        .iter()
        .filter(|row| row.is_certain && is_function(snapshot, row.target))
        .filter_map(|row| Some((sections.iter().position(|lines| lines.contains(&row.line.saturating_sub(1)))?, row)))
        .collect();
    if bound.is_empty() {
        return Ok(Vec::new());
    }
    let Ok(place) = history.place(read.path.as_str()) else { return Ok(Vec::new()) };
    let Some(LineAges { newest, .. }) = past::ages(&place, text.as_bytes(), &sections, cancel)? else {
        return Ok(Vec::new());
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut seen: FxHashSet<(usize, NodeIx)> = FxHashSet::default();
    let mut found = Vec::new();
    for (section, row) in bound {
        cancel.check()?;
        let Some(written) = newest[section].filter(|_| seen.insert((section, row.target))) else { continue };
        let path = graph.path(row.target);
        let Ok(code) = history.place(path) else { continue };
        if code.outer("") != place.outer("") {
            continue;
        }
        let Some(file) = code.file() else { continue };
        let mut later = None;
        let mut then = None;
        for change in file.changes() {
            if change.commit < written {
                later = Some(change.commit);
            } else {
                then = change.after.map(|blob| (change.path, blob));
                break;
            }
        }
        let (Some(later), Some((old_path, blob))) = (later, then) else { continue };
        let Some(old) = facts_of(&code, old_path, blob, kept, cancel) else { continue };
        let Some(now) = facts_now(snapshot, path, cancel) else { continue };
        let owners: Vec<&str> = graph
            .ancestors(row.target)
            .filter(|one| graph.kind(*one) != NodeKind::File)
            .map(|one| graph.label(one))
            .collect();
        let label = graph.label(row.target);
        let (Some(before), Some(after)) = (parameters(&old, &owners, label), parameters(&now, &owners, label)) else {
            continue;
        };
        let part: String = lines[section_range(&sections[section], lines.len())].join("\n");
        found.extend(finding(row, (&before, &after), &part).map(|mut finding| {
            finding.target = Some(graph.id(row.target).to_owned());
            finding.evidence = past::evidence(&place, later);
            finding
        }));
    }
    Ok(found)
}

fn section_range(lines: &std::ops::Range<u32>, total: usize) -> std::ops::Range<usize> {
    let end = (lines.end as usize).min(total);
    (lines.start as usize).min(end)..end
}

/// What changed, if the section says something about it.
fn finding(row: &super::BoundCode, (before, after): (&[&str], &[&str]), part: &str) -> Option<Finding> {
    let words: FxHashSet<&str> = part.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let gone: Vec<&str> = before.iter().filter(|name| !after.contains(name)).copied().collect();
    let said: Vec<&str> = gone.iter().filter(|name| words.contains(*name)).copied().collect();
    let new: Vec<&str> = after.iter().filter(|name| !before.contains(name)).copied().collect();
    let (message, confidence) = match (said.is_empty(), gone.is_empty(), new.is_empty()) {
        (false, ..) => (format!("no longer takes `{}`, which the section names", said.join("`, `")), 0.8),
        (true, false, _) => (format!("no longer takes `{}` since the section was written", gone.join("`, `")), 0.5),
        (true, true, false) => (format!("takes `{}` since the section was written", new.join("`, `")), 0.3),
        _ => return None,
    };
    Some(Finding::new(DriftClass::CodeChanged, row.line, &row.mention, message, confidence))
}

fn is_function(snapshot: &Snapshot, node: NodeIx) -> bool {
    let graph = snapshot.graph();
    graph.kind(node) == NodeKind::Function && !graph.flags(node).has(NodeFlags::TEST)
}

fn facts_of(
    code: &m1nd_engine::history::PlacedHistory<'_>,
    path: &str,
    blob: BlobId,
    kept: &mut PastFacts,
    cancel: &Cancel,
) -> Option<std::rc::Rc<FileFacts>> {
    if let Some(known) = kept.0.get(&blob) {
        return known.clone();
    }
    if kept.0.len() >= MAX_EXTRACTED {
        return None;
    }
    let text = code.contents().ok()?.blob(blob).filter(|text| text.len() <= MAX_BLOB);
    let facts = text.and_then(|text| {
        let language = Language::detect(&RepoPath::new(path).ok()?, &text);
        Some(std::rc::Rc::new(extract(language, &text, &Limits::default(), cancel)))
    });
    kept.0.insert(blob, facts.clone());
    facts
}

fn facts_now(snapshot: &Snapshot, path: &str, cancel: &Cancel) -> Option<FileFacts> {
    let file = snapshot.files().by_text(path)?;
    let text = snapshot.read_bytes(&file.path).ok().filter(|text| text.len() <= MAX_BLOB)?;
    Some(extract(file.language, &text, &Limits::default(), cancel))
}

/// Lines of each section without those below it, from 0; what stands before the first heading is one as well.
fn sections(read: &Read, text: &str) -> Vec<std::ops::Range<u32>> {
    let total = text.lines().count() as u32;
    let mut starts: Vec<u32> = read.document.sections.iter().map(|section| section.line.saturating_sub(1)).collect();
    if starts.first() != Some(&0) {
        starts.insert(0, 0);
    }
    starts.dedup();
    let ends = starts.iter().skip(1).copied().chain([total]);
    starts.iter().copied().zip(ends).filter(|(start, end)| start < end).map(|(start, end)| start..end).collect()
}
