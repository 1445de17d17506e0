//! Patents in XML: the layouts of the USPTO (`us-patent-grant`) and of the EPO and WIPO (`exchange-document`).

use super::jats::join;
use crate::draft::Draft;
use crate::model::{BlockKind, Person, Record, RecordKind, RecordLink, RecordRelation};
use crate::xml::{Element, Tree};
use crate::{Format, Unreadable, formats::report_malformed};

/// Outermost elements of patents.
const ROOTS: &[&str] = &[
    "us-patent-grant", "us-patent-application", "exchange-document", "exchange-documents", "ep-patent-document",
    "patent-document",
];

/// Whether a text is a patent.
pub(super) fn is(_name: &str, text: &str) -> bool {
    ROOTS.iter().any(|root| text.contains(&format!("<{root}")) || text.contains(&format!(":{root}")))
}

/// Reads patents.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let tree = Tree::parse(text, Format::Patent, draft.limits)?;
    let root = tree.root().ok_or_else(|| report_malformed(Format::Patent, "it has no element"))?;
    if !ROOTS.contains(&root.name()) {
        return Err(report_malformed(Format::Patent, format_args!("the outermost element is `{}`", root.name())));
    }
    let patents: Vec<Element<'_>> =
        if root.name() == "exchange-documents" { root.list_named("exchange-document").collect() } else { vec![root] };
    for patent in patents {
        draft.main_record(record(patent));
        if let Some(summary) = patent.all("abstract").next() {
            draft.heading(1, "Abstract", 0);
            paragraphs(summary, draft);
        }
        if let Some(description) = patent.all("description").next() {
            draft.heading(1, "Description", 0);
            paragraphs(description, draft);
        }
        let mut claims = patent.all("claim").peekable();
        if claims.peek().is_some() {
            draft.heading(1, "Claims", 0);
        }
        for claim in claims {
            draft.block(BlockKind::Item, &claim.text(), None, (0, 0));
        }
    }
    Ok(())
}

/// `<country><number><kind>` of a document id.
fn number(id: Element<'_>) -> String {
    let part = |name: &str| id.text_at(&[name]).replace([' ', '/'], "");
    format!("{}{}{}", part("country"), part("doc-number").trim_start_matches('0'), part("kind"))
}

fn record(patent: Element<'_>) -> Record {
    let mut record = Record::new(RecordKind::Patent);
    // The number of the publication; older files have it as attributes of the root.
    let own = patent.all("publication-reference").flat_map(|reference| reference.list_named("document-id")).next();
    let id = own
        .map(number)
        .filter(|id| !id.is_empty())
        .unwrap_or_else(|| ["country", "doc-number", "kind"].iter().map(|name| patent.attribute(name)).collect());
    record.id("patent", &id);
    let country = own.map(|own| own.text_at(&["country"])).unwrap_or_else(|| patent.attribute("country").to_owned());
    record.field("country", &country);
    record.field("kind", &own.map(|own| own.text_at(&["kind"])).unwrap_or_else(|| patent.attribute("kind").to_owned()));
    record.field("state", if patent.name() == "us-patent-grant" { "granted" } else { patent.attribute("status") });
    record.year = own.map(|own| own.text_at(&["date"])).and_then(|date| date.get(..4).map(str::to_owned));
    record.title = patent.all("invention-title").next().map(Element::text).unwrap_or_default();
    // People stand in an address book, or have elements of their own.
    let names = |kind: &str| -> Vec<String> {
        let people = patent.all(kind).flat_map(|person| {
            person.all("addressbook").chain(person.all(if kind == "inventor" {
                "inventor-name"
            } else {
                "applicant-name"
            }))
        });
        let mut names: Vec<String> = people
            .filter_map(|book| {
                let name = join(&book.text_at(&["last-name"]), &book.text_at(&["first-name"]));
                let name = if name.is_empty() { book.text_at(&["orgname"]) } else { name };
                let name = if name.is_empty() { book.text_at(&["name"]) } else { name };
                (!name.is_empty()).then_some(name)
            })
            .collect();
        names.dedup();
        names
    };
    record.authors = names("inventor").into_iter().map(|name| Person { name, orcid: None }).collect();
    // Applications have applicants; only grants name assignees.
    record.assignees = names("assignee");
    if record.assignees.is_empty() {
        record.assignees = names("applicant");
    }
    record.classes = classes(patent);
    record.summary = patent.all("abstract").next().map(Element::text).unwrap_or_default();
    // Cited patents, then other works, which are known by a DOI in their text at best.
    let cited =
        patent.all("patcit").flat_map(|cited| cited.list_named("document-id")).map(number).filter(|id| !id.is_empty());
    record.links = cited
        .map(|id| RecordLink { relation: RecordRelation::Cites, target: format!("patent:{id}"), title: String::new() })
        .collect();
    for other in patent.all("nplcit") {
        let text = other.text_at(&["othercit"]);
        let target = crate::doi_in(&text).map(|doi| format!("doi:{doi}")).unwrap_or_default();
        if !text.is_empty() {
            record.links.push(RecordLink {
                relation: RecordRelation::Cites,
                target,
                title: crate::text::cut(&text, 300).to_owned(),
            });
        }
    }
    record
}

/// Classes, as in `G06F 17/30`.
fn classes(patent: Element<'_>) -> Vec<String> {
    let mut classes = Vec::new();
    let kinds = ["classification-ipcr", "classification-cpc", "patent-classification"];
    for class in patent.descendants().filter(|element| kinds.contains(&element.name())) {
        let part = |name: &str| class.text_at(&[name]);
        let text = format!(
            "{}{}{} {}/{}",
            part("section"),
            part("class"),
            part("subclass"),
            part("main-group"),
            part("subgroup")
        );
        let text = if text.trim() == "/" { class.text_at(&["text"]) } else { text };
        if !text.is_empty() && !classes.contains(&text) {
            classes.push(text);
        }
    }
    classes
}

fn paragraphs(element: Element<'_>, draft: &mut Draft<'_>) {
    for part in element.descendants() {
        match part.name() {
            "heading" => draft.heading(2, &part.text(), 0),
            "p" => draft.block(BlockKind::Paragraph, &part.text(), None, (0, 0)),
            _ => {}
        }
    }
}
