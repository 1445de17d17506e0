//! Metadata of works as Crossref returns it: one work, a message with one, or a message with a list.

use serde_json::Value;

use super::jats::join;
use crate::draft::Draft;
use crate::model::{Person, Record, RecordKind, RecordLink, RecordRelation, Venue};
use crate::{Format, Unreadable, formats::report_malformed};

/// Whether a text is metadata from Crossref.
pub(super) fn is(_name: &str, text: &str) -> bool {
    text.contains("\"message-type\"")
        || text.contains("\"DOI\"") && (text.contains("\"publisher\"") || text.contains("\"type\""))
}

/// Reads works.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let value = super::json_tree(text, Format::Crossref, draft.limits)?;
    let message = value.get("message").unwrap_or(&value);
    let works: Vec<&Value> = match (message.get("items"), message) {
        (Some(Value::Array(items)), _) | (None, Value::Array(items)) => items.iter().collect(),
        _ => vec![message],
    };
    let before = works.len();
    let works: Vec<Record> = works.into_iter().filter_map(work).collect();
    if works.is_empty() {
        return Err(report_malformed(Format::Crossref, "no work with a `DOI`"));
    }
    if works.len() < before {
        draft.problem(format!("{} works without a DOI are left out", before - works.len()));
    }
    let single = works.len() == 1;
    for work in works {
        if single {
            draft.main_record(work);
        } else {
            draft.record(work);
        }
    }
    Ok(())
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    let member = value.get(name);
    let first = member.and_then(|member| member.as_array()).and_then(|list| list.first());
    first.or(member).and_then(Value::as_str).unwrap_or("")
}

/// The number of a person, without the address.
pub(super) fn orcid(text: &str) -> String {
    text.trim().rsplit('/').next().unwrap_or(text).to_owned()
}

fn work(value: &Value) -> Option<Record> {
    let doi = crate::doi(text(value, "DOI"))?;
    let mut record = Record::new(RecordKind::Crossref);
    record.id("doi", &doi);
    record.title = crate::text::fold_text(text(value, "title"));
    let list = |name: &str| value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    // Persons, or groups with a name only.
    for author in list("author") {
        let name = join(text(author, "family"), text(author, "given"));
        let name = if name.is_empty() { text(author, "name").to_owned() } else { name };
        let orcid = Some(orcid(text(author, "ORCID"))).filter(|id| !id.is_empty());
        if !name.is_empty() {
            record.authors.push(Person { name, orcid });
        }
    }
    let venue = text(value, "container-title");
    let issn = Some(text(value, "ISSN").to_owned()).filter(|issn| !issn.is_empty());
    if !venue.is_empty() || issn.is_some() {
        record.venue = Some(Venue { name: venue.to_owned(), issn });
    }
    // The earliest form that is there; parts that are missing are left out.
    let date = ["published", "issued", "published-print", "published-online", "created"].iter().find_map(|name| {
        let parts = value.get(*name)?.get("date-parts")?.get(0)?.as_array()?;
        let parts: Vec<String> = parts.iter().filter_map(Value::as_u64).map(|part| format!("{part:02}")).collect();
        (!parts.is_empty()).then(|| parts.join("-"))
    });
    record.year = date.as_deref().map(|date| date.split('-').next().unwrap_or(date).to_owned());
    record.field("date", &date.unwrap_or_default());
    for name in ["type", "publisher", "volume", "issue", "page", "language"] {
        record.field(name, text(value, name));
    }
    if let Some(count) = value.get("is-referenced-by-count").and_then(Value::as_u64) {
        record.field("citations", &count.to_string());
    }
    record.keywords = list("subject").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    record.summary = crate::text::fold_text(&without_tags(text(value, "abstract")));
    // Works that it cites, by whatever names them best.
    for reference in list("reference") {
        let target = crate::doi(text(reference, "DOI")).map(|doi| format!("doi:{doi}")).unwrap_or_default();
        let titles = ["article-title", "volume-title", "unstructured", "journal-title", "key"];
        let title = titles.iter().map(|name| text(reference, name)).find(|title| !title.is_empty()).unwrap_or("");
        let title = crate::text::cut(title, 300).to_owned();
        record.links.push(RecordLink { relation: RecordRelation::Cites, target, title });
    }
    Some(record)
}

/// An abstract without its marks.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        match c {
            '<' => inside = true,
            '>' if inside => {
                inside = false;
                out.push(' ');
            }
            c if !inside => out.push(c),
            _ => {}
        }
    }
    out
}
