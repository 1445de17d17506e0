//! Code whose interface changed since the section that names it was last touched, so that the section is wrong.

use m1nd_base::{Cancel, Cancelled, Limits, NodeKind, RepoPath};
use m1nd_documents::BlockKind;
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;
use m1nd_graph::{NodeFlags, NodeIx};
use m1nd_history::BlobId;
use m1nd_lang::facts::{DefId, FileFacts, ParameterKind};
use m1nd_lang::reading_rules::ReadingRules;
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

/// A parameter of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Taken<'f> {
    name: &'f str,
    /// A call has to give it.
    is_required: bool,
    kind: ParameterKind,
}

/// What a function takes, in order.
fn parameters<'f>(facts: &'f FileFacts, owners: &[&str], name: &str) -> Option<Vec<Taken<'f>>> {
    let mut found = facts.definitions.iter().enumerate().filter(|(_, row)| {
        let own = facts.name(row.name) == name && row.kind == m1nd_lang::facts::DefKind::Function;
        own && owners_of(facts, row.owner) == owners
    });
    let (index, _) = found.next()?;
    // Of overloads it is not clear which one a text means.
    if found.next().is_some() {
        return None;
    }
    let rows = facts.parameters(DefId(index as u32)).iter().map(|parameter| {
        let is_named = matches!(parameter.kind, ParameterKind::Plain | ParameterKind::Keyword);
        let is_required = is_named && parameter.default.is_none();
        Taken { name: facts.name(parameter.name), is_required, kind: parameter.kind }
    });
    Some(rows.filter(|row| !row.name.is_empty() && !matches!(row.name, "self" | "cls" | "this")).collect())
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
pub(super) fn find_changed(
    (snapshot, history): (&Snapshot, &ProjectHistory),
    read: &Read,
    text: &str,
    kept: &mut PastFacts,
    cancel: &Cancel,
) -> Result<Vec<Finding>, Cancelled> {
    let graph = snapshot.graph();
    let sections = sections(read, text);
    // Functions that a section names for certain.
    let bound: Vec<(usize, &super::BoundCode)> = read
        .bindings
        .iter()
        .filter(|row| row.is_certain && is_function(snapshot, row.target))
        .filter_map(|row| Some((sections.iter().position(|lines| lines.contains(&row.line.saturating_sub(1)))?, row)))
        .collect();
    if bound.is_empty() {
        return Ok(Vec::new());
    }
    // The age of a section is that of its newest line.
    let Ok(place) = history.place(read.path.as_str()) else { return Ok(Vec::new()) };
    let Some(LineAges { newest, .. }) = past::ages(&place, text.as_bytes(), &sections, cancel)? else {
        return Ok(Vec::new());
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut seen: FxHashSet<(usize, NodeIx)> = FxHashSet::default();
    let mut found = Vec::new();
    for (section, row) in bound {
        cancel.check()?;
        // A directive takes its text from the code, so that it cannot be behind it.
        if lines.get(row.line.saturating_sub(1) as usize).is_some_and(|line| is_made(line)) {
            continue;
        }
        let Some(written) = newest[section].filter(|_| seen.insert((section, row.target))) else { continue };
        let path = graph.path(row.target);
        let Ok(code) = history.place(path) else { continue };
        // Commits of different repositories have no common order.
        if code.outer("") != place.outer("") {
            continue;
        }
        let Some(file) = code.file() else { continue };
        // The code when the section was written, and the first change after that.
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
        // Parameters are compared by the name of the function inside its owners, which outlives lines.
        let owners: Vec<&str> = graph
            .ancestors(row.target)
            .filter(|one| graph.kind(*one) != NodeKind::File)
            .map(|one| graph.label(one))
            .collect();
        let label = graph.label(row.target);
        let (Some(before), Some(after)) = (parameters(&old, &owners, label), parameters(&now, &owners, label)) else {
            continue;
        };
        let part = Shown::of(read, &lines, &sections[section]);
        let has_names = ReadingRules::of(old.language).names_arguments;
        found.extend(finding(row, (&before, &after), &part, has_names).map(|mut finding| {
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

/// What changed, if it makes the section wrong: it names what is no longer taken, shows a call without what is needed
/// now, or lists what is taken, and not all of it.
fn finding(
    row: &super::BoundCode,
    (before, after): (&[Taken<'_>], &[Taken<'_>]),
    part: &Shown<'_>,
    has_names: bool,
) -> Option<Finding> {
    /// Parameters that a section names if it is about what a function takes.
    const LISTED: usize = 2;
    let is_in = |list: &[Taken<'_>], name: &str| list.iter().any(|other| other.name == name);
    let takes_all = after.iter().any(|row| row.kind == ParameterKind::KeywordRest);
    // Another name at the same place is another parameter only where arguments are passed by name.
    let is_renamed = |at: usize, one: &[Taken<'_>], other: &[Taken<'_>]| {
        other.get(at).is_some_and(|there| !is_in(one, there.name) && there.kind == one[at].kind)
    };
    let said = before.iter().enumerate().filter(|(at, row)| {
        let is_gone = !is_in(after, row.name) && !takes_all && part.names(row.name);
        is_gone && (has_names || !is_renamed(*at, before, after))
    });
    let said: Vec<&str> = said.map(|(_, row)| row.name).collect();
    let is_named = |row: &&Taken<'_>| matches!(row.kind, ParameterKind::Plain | ParameterKind::Keyword);
    let is_new = |row: &&Taken<'_>| is_named(row) && !is_in(before, row.name) && !row.name.starts_with('_');
    let new: Vec<&Taken<'_>> = after.iter().filter(is_new).filter(|row| !part.names(row.name)).collect();
    let required = |list: &[Taken<'_>]| list.iter().filter(|row| row.is_required).count();
    let took_all = before.iter().any(|row| matches!(row.kind, ParameterKind::Rest | ParameterKind::KeywordRest));
    let needs_more = !took_all && required(after) > required(before);
    let needed: Vec<&str> = new.iter().filter(|row| row.is_required && needs_more).map(|row| row.name).collect();
    let listed = before.iter().filter(is_named).filter(|row| part.names(row.name)).count();
    // Most of them, or it is about some only.
    let is_list = listed >= LISTED && 4 * listed >= 3 * before.iter().filter(is_named).count();
    let is_longer = after.len() > before.len();
    let label = row.mention.rsplit(['.', ':', '#']).next().unwrap_or(&row.mention);
    let (message, confidence) = if !said.is_empty() {
        (format!("no longer takes `{}`, which the section names", said.join("`, `")), 0.8)
    } else if !needed.is_empty() && part.calls(label) {
        (format!("needs `{}` since the section was written", needed.join("`, `")), 0.7)
    } else if !new.is_empty() && is_list && is_longer {
        let new: Vec<&str> = new.iter().map(|row| row.name).collect();
        (format!("takes `{}` as well since the section was written", new.join("`, `")), 0.5)
    } else {
        return None;
    };
    Some(Finding::new(DriftClass::CodeChanged, row.line, &row.mention, message, confidence))
}

/// What a section says in the type of code.
struct Shown<'t> {
    words: FxHashSet<&'t str>,
    code: Vec<&'t str>,
}

impl<'t> Shown<'t> {
    /// The spans of code, listings and lists of fields (`:param name:`) of a section.
    fn of(read: &'t Read, lines: &[&'t str], section: &std::ops::Range<u32>) -> Self {
        let mut code: Vec<&str> = Vec::new();
        for line in &lines[section_range(section, lines.len())] {
            // What stands between marks is every other part; two marks in a row are one.
            let parts = line.split('`').collect::<Vec<&str>>();
            let is_double = line.contains("``");
            let spans = parts.iter().enumerate().filter(|(at, _)| if is_double { at % 4 == 2 } else { at % 2 == 1 });
            code.extend(spans.map(|(_, span)| *span));
            let field = line.trim_start().strip_prefix(':').and_then(|rest| rest.split_once(':'));
            code.extend(field.filter(|(field, _)| field.starts_with("param")).map(|(field, _)| field));
        }
        let blocks = read.document.blocks.iter().filter(|block| block.kind == BlockKind::Code);
        let own = blocks.filter(|block| section.contains(&block.line.saturating_sub(1)));
        code.extend(own.map(|block| block.text.as_str()));
        let words = code.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_'));
        Self { words: words.collect(), code }
    }

    fn names(&self, name: &str) -> bool {
        self.words.contains(name)
    }

    /// Returns whether a listing or span calls a function with arguments.
    fn calls(&self, name: &str) -> bool {
        self.code.iter().any(|text| {
            text.match_indices(name).any(|(at, _)| {
                let before = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_');
                let behind = text[at + name.len()..].strip_prefix('(');
                before && behind.is_some_and(|rest| !rest.trim_start().starts_with(')'))
            })
        })
    }
}

/// Returns whether a line has its text made from the code: a directive that shows what the code says.
fn is_made(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(".. auto") || line.starts_with("::: ") || line.starts_with("```{auto")
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
