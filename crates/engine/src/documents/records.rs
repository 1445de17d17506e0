//! Works: articles, entries of bibliographies, standards, patents. A work is one node whatever file and format it comes
//! from: its id follows from its DOI, if it has one.

use m1nd_base::{NodeKind, Relation};
use m1nd_documents::{Document, Record, RecordKind, RecordRelation};

use super::{Sheet, slug};

/// Registrant of the DOIs of RFCs, which have a number of their own.
const RFC_DOI: &str = "doi:10.17487/rfc";

pub(super) fn add(sheet: &mut Sheet<'_>, document: &Document) {
    for record in &document.records {
        add_record(sheet, record);
    }
}

/// The id of the node of a work, from one of its identifiers (`scheme:value`).
fn id_of(identifier: &str) -> String {
    if let Some(number) = identifier.to_ascii_lowercase().strip_prefix(RFC_DOI) {
        return format!("rfc::{}", number.trim_start_matches('0'));
    }
    match identifier.split_once(':') {
        Some(("key", key)) => format!("bibtex::{key}"),
        Some((scheme @ ("doi" | "pmid" | "pmc" | "rfc" | "patent" | "arxiv" | "draft"), value)) => {
            format!("{scheme}::{value}")
        }
        _ => format!("article::{}", slug(identifier)),
    }
}

/// The node of a work that is only named: a stub until a file describes it.
pub(super) fn work(sheet: &mut Sheet<'_>, identifier: &str, title: &str) -> String {
    let id = id_of(if identifier.is_empty() { title } else { identifier });
    let label = if title.is_empty() { identifier.to_owned() } else { title.to_owned() };
    sheet.node(id, &label, NodeKind::Concept, &["stub:true".to_owned()])
}

fn add_record(sheet: &mut Sheet<'_>, record: &Record) {
    let identifier = record.ids.first().cloned().unwrap_or_else(|| record.title.clone());
    let id = id_of(&identifier);
    let label = match id.strip_prefix("rfc::") {
        Some(number) => format!("RFC {number} — {}", record.title),
        None => record.title.clone(),
    };
    // A stub from this very file gives way to the description.
    if let Some(&at) = sheet.known.get(&id) {
        sheet.nodes[at].label.clone_from(&label);
        sheet.nodes[at].tags = tags(record).join(", ");
    }
    let node = sheet.node(id, &label, NodeKind::Concept, &tags(record));
    for author in &record.authors {
        let scope = if record.kind == RecordKind::Rfc { "rfc::author" } else { "author" };
        let id = match &author.orcid {
            Some(orcid) => format!("orcid::{orcid}"),
            None => format!("{scope}::{}", author.name.to_lowercase()),
        };
        let author = sheet.node(id, &author.name, NodeKind::Concept, &["author".to_owned()]);
        sheet.edge(&node, &author, Relation::AuthoredBy);
    }
    if let Some(venue) = &record.venue {
        let (scope, key) = match (&venue.issn, record.kind) {
            (Some(issn), _) => ("journal", issn.clone()),
            (None, RecordKind::Crossref) => ("journal", slug(&venue.name)),
            (None, _) => ("article::venue", slug(&venue.name)),
        };
        let venue = sheet.node(format!("{scope}::{key}"), &venue.name, NodeKind::Concept, &["venue".to_owned()]);
        sheet.edge(&node, &venue, Relation::PublishedIn);
    }
    for assignee in &record.assignees {
        let assignee = sheet.node(
            format!("patent::assignee::{}", slug(assignee)),
            assignee,
            NodeKind::Concept,
            &["assignee".to_owned()],
        );
        sheet.edge(&node, &assignee, Relation::AssignedTo);
    }
    for class in &record.classes {
        let class =
            sheet.node(format!("patent::class::{}", slug(class)), class, NodeKind::Concept, &["class".to_owned()]);
        sheet.edge(&node, &class, Relation::ClassifiedAs);
    }
    for link in &record.links {
        let other = work(sheet, &link.target, &link.title);
        let relation = match link.relation {
            RecordRelation::Cites => Relation::Cites,
            RecordRelation::Obsoletes => Relation::Obsoletes,
            RecordRelation::Updates => Relation::Updates,
        };
        sheet.edge(&node, &other, relation);
    }
}

fn tags(record: &Record) -> Vec<String> {
    let prefix = match record.kind {
        RecordKind::Article | RecordKind::Bibliography => "article:",
        RecordKind::Patent => "patent:",
        RecordKind::Rfc => "rfc:",
        RecordKind::Crossref => "",
    };
    let mut tags: Vec<String> =
        record.ids.iter().filter(|id| id.starts_with("doi:") || id.starts_with("pm")).cloned().collect();
    let wanted = [
        "type", "publisher", "date", "volume", "issue", "language", "citations", "country", "kind", "state",
        "category", "stream", "note",
    ];
    let fields = record.fields.iter().filter(|(name, _)| wanted.contains(&&**name));
    tags.extend(fields.map(|(name, value)| format!("{prefix}{name}:{value}")));
    tags.extend(record.year.iter().map(|year| format!("{prefix}year:{year}")));
    let word = if record.kind == RecordKind::Crossref { "subject" } else { "keyword" };
    tags.extend(record.keywords.iter().take(50).map(|keyword| format!("{prefix}{word}:{keyword}")));
    tags.extend(record.classes.iter().take(50).map(|class| format!("{prefix}class:{class}")));
    tags
}
