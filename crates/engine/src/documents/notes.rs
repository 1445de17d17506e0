//! Notes of people: daily notes, long-term memory, lists of decisions and tasks.

use m1nd_base::{NodeKind, Relation};
use m1nd_documents::{BlockKind, Document, Form};

use rustc_hash::FxHashMap;

use super::{Binding, Ordinals, Sheet, slug, title};

/// Lengths of the lines that are entries, in bytes.
const ENTRY_BYTES: std::ops::RangeInclusive<usize> = 8..=240;

pub(super) fn add(sheet: &mut Sheet<'_>, document: &Document, bindings: &[Binding], path: &str, namespace: &str) {
    let file = slug(path);
    let id = |kind: &str, rest: &str| format!("memory::{namespace}::{kind}::{rest}");
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let (kind, canonical) = kind_of(&name);
    let mut tags = vec![format!("memory:{kind}"), format!("source:{path}")];
    tags.extend(canonical.then(|| "canonical".to_owned()));
    let root = sheet.node(id("file", &file), title(document, path), NodeKind::Concept, &tags);
    let mut ordinals = Ordinals::default();
    let mut sections: Vec<String> = Vec::new();
    for section in &document.sections {
        let rest = format!("{file}::{}", ordinals.of(&section.heading));
        let node =
            sheet.node(id("section", &rest), &section.heading, NodeKind::Section, &["memory:section".to_owned()]);
        let parent = section.parent.and_then(|parent| sections.get(parent as usize)).unwrap_or(&root).clone();
        sheet.edge(&parent, &node, Relation::Contains);
        sections.push(node);
    }
    let place = |section: Option<u32>| section.and_then(|index| sections.get(index as usize)).unwrap_or(&root).clone();
    let blocks = document.blocks.iter().filter(|block| !matches!(block.kind, BlockKind::Code | BlockKind::Output));
    let rows = document.tables.iter().flat_map(|table| {
        table.rows.iter().zip(table.line + 2..).map(|(row, line)| (table.section, line, row.join(" | ")))
    });
    let entries = blocks.map(|block| (block.section, block.line, block.text.clone())).chain(rows);
    let mut by_line: FxHashMap<(u32, Option<u32>), Vec<&Binding>> = FxHashMap::default();
    for binding in bindings {
        let mention = &document.mentions[binding.mention];
        by_line.entry((mention.line, mention.section)).or_default().push(binding);
    }
    // Files that notes name and the index does not have.
    let is_bound = |at: usize| bindings.binary_search_by_key(&at, |binding| binding.mention).is_ok();
    let mut unbound: FxHashMap<(u32, Option<u32>), Vec<&str>> = FxHashMap::default();
    for (at, mention) in document.mentions.iter().enumerate() {
        if mention.form == Form::Path && !is_bound(at) {
            unbound.entry((mention.line, mention.section)).or_default().push(&mention.name);
        }
    }
    for (section, line, text) in entries.filter(|(_, _, text)| ENTRY_BYTES.contains(&text.len())) {
        let class = class_of(&text);
        let rest = format!("{file}::{line}::{}", slug(&text));
        let node = sheet.node(
            id("entry", &rest),
            &text,
            NodeKind::Concept,
            &[format!("memory:{class}"), format!("line:{line}")],
        );
        sheet.edge(&place(section), &node, if class == "note" { Relation::Contains } else { Relation::Declares });
        for binding in by_line.get(&(line, section)).into_iter().flatten() {
            sheet.bind(&node, binding, Relation::Documents);
        }
        for name in unbound.get(&(line, section)).into_iter().flatten() {
            let tags = ["memory:reference".to_owned(), "unresolved".to_owned()];
            let reference = sheet.node(id("reference", &slug(name)), name, NodeKind::Concept, &tags);
            sheet.edge(&node, &reference, Relation::References);
        }
    }
}

/// Kind of a file of notes, and whether it is one that others are derived from.
fn kind_of(name: &str) -> (&'static str, bool) {
    let stem = name.split('.').next().unwrap_or(name);
    let is_date = stem.len() == 10
        && stem.bytes().enumerate().all(|(at, b)| if at == 4 || at == 7 { b == b'-' } else { b.is_ascii_digit() });
    let canonical = stem.ends_with("-active") || stem.ends_with("-history") || stem.contains("briefing");
    match stem {
        _ if is_date => ("daily-note", true),
        "memory" => ("long-term-memory", true),
        _ => ("memory-note", canonical),
    }
}

/// Class of an entry by its words.
fn class_of(text: &str) -> &'static str {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&["todo", "[ ]", "task:", "next step", "need to"]) {
        "task"
    } else if has(&["decided", "decision", "we chose", "agreed"]) {
        "decision"
    } else if has(&["status:", "currently", "is now", "state:"]) {
        "state"
    } else if has(&["shipped", "released", "merged", "deployed", "happened", "fixed"]) {
        "event"
    } else {
        "note"
    }
}
