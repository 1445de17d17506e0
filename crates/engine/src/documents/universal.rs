//! Any document: its sections, listings, tables, citations and claims, with edges to the code that it names.

use m1nd_base::{NodeKind, Relation};
use m1nd_documents::{BlockKind, Document, EntityKind};

use rustc_hash::FxHashMap;

use super::{Binding, Ordinals, Sheet, slug, title};

/// Terms, commands and options of one document that are nodes.
const MAX_ENTITIES: usize = 500;
/// Longest label of a claim, in bytes.
const MAX_LABEL: usize = 120;

pub(super) fn add(sheet: &mut Sheet<'_>, document: &Document, bindings: &[Binding], path: &str, namespace: &str) {
    let id = |kind: &str, rest: &str| format!("universal::{namespace}::{kind}::{}::{rest}", slug(path));
    let mut tags =
        vec!["universal:doc".to_owned(), format!("format:{}", document.format.word()), format!("source:{path}")];
    tags.extend(document.metadata.doi.iter().map(|doi| format!("doi:{doi}")));
    tags.extend(document.metadata.authors.iter().take(20).map(|author| format!("author:{author}")));
    let own = format!("universal::{namespace}::doc::{}", slug(path));
    let root = sheet.node(own, title(document, path), NodeKind::Concept, &tags);
    if sheet.snapshot.graph().find_file(path).is_some() {
        sheet.edge(&root, &format!("file::{path}"), Relation::Documents);
    }
    let mut ordinals = Ordinals::default();
    let mut sections: Vec<String> = Vec::new();
    for section in &document.sections {
        let tags = [format!("universal:section:{}", section.kind.word()), format!("line:{}", section.line)];
        let node =
            sheet.node(id("section", &ordinals.of(&section.heading)), &section.heading, NodeKind::Section, &tags);
        let parent = section.parent.and_then(|parent| sections.get(parent as usize)).unwrap_or(&root).clone();
        sheet.edge(&parent, &node, Relation::Contains);
        sections.push(node);
    }
    let place = |section: Option<u32>| section.and_then(|index| sections.get(index as usize)).unwrap_or(&root).clone();
    let mut listings = Ordinals::default();
    for block in document.blocks.iter().filter(|block| block.kind == BlockKind::Code) {
        let first = block.text.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim();
        let tags =
            [format!("universal:code:{}", block.language.as_deref().unwrap_or("")), format!("line:{}", block.line)];
        let node = sheet.node(id("block", &listings.of(first)), first, NodeKind::Custom, &tags);
        sheet.edge(&place(block.section), &node, Relation::Contains);
    }
    let mut tables = Ordinals::default();
    for table in &document.tables {
        let label = table.name.clone().unwrap_or_else(|| table.header.join(" | "));
        let tags = [format!("universal:table:{} rows", table.rows.len()), format!("line:{}", table.line)];
        let node = sheet.node(id("table", &tables.of(&label)), &label, NodeKind::Custom, &tags);
        sheet.edge(&place(table.section), &node, Relation::Contains);
    }
    for citation in &document.citations {
        let node = super::records::work(sheet, &citation.key, "");
        sheet.edge(&root, &node, Relation::Cites);
    }
    for entity in document.entities.iter().filter(|entity| is_own(entity.kind)).take(MAX_ENTITIES) {
        let tags = [format!("universal:entity:{}", entity.kind.word()), format!("line:{}", entity.line)];
        let node = sheet.node(id("entity", &slug(&entity.name)), &entity.name, NodeKind::Concept, &tags);
        sheet.edge(&root, &node, Relation::Declares);
    }
    let mut cited: FxHashMap<u32, Vec<&str>> = FxHashMap::default();
    for citation in document.citations.iter().filter(|citation| citation.line > 0) {
        cited.entry(citation.line).or_default().push(&citation.key);
    }
    let mut claims = Ordinals::default();
    for claim in &document.claims {
        let text = format!("{} {} {}", claim.subject, claim.predicate, claim.object);
        let label = &text[..text.floor_char_boundary(MAX_LABEL)];
        let tags = [
            format!("universal:claim:{}", claim.kind.word()),
            format!("modality:{}", claim.modality.word()),
            format!("line:{}", claim.line),
        ];
        let node = sheet.node(id("claim", &claims.of(label)), label, NodeKind::Concept, &tags);
        sheet.edge(&place(claim.section), &node, Relation::Declares);
        // What is cited in the same paragraph supports it.
        for key in cited.get(&claim.line).into_iter().flatten() {
            let work = super::records::work(sheet, key, "");
            sheet.edge(&node, &work, Relation::Cites);
        }
    }
    for binding in bindings {
        let from = place(document.mentions[binding.mention].section);
        sheet.bind(&from, binding, Relation::Documents);
    }
}

/// Whether a thing is the document's own: names of code and works have nodes of their own.
fn is_own(kind: EntityKind) -> bool {
    matches!(kind, EntityKind::NamedTerm | EntityKind::ToolId)
}
