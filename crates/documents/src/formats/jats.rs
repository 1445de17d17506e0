//! Scholarly articles in JATS (`.nxml`, `.xml`).

use crate::draft::Draft;
use crate::model::{BlockKind, Person, Record, RecordKind, RecordLink, RecordRelation, Venue};
use crate::xml::{Element, Tree};
use crate::{Format, Unreadable, formats::report_malformed};

/// Whether a text is an article.
pub(super) fn is(name: &str, text: &str) -> bool {
    name.ends_with(".nxml")
        || text.contains("<article") && (text.contains("<front") || text.contains("JATS") || text.contains("NLM//DTD"))
}

/// Reads an article.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let tree = Tree::parse(text, Format::Jats, draft.limits)?;
    let root = tree
        .root()
        .filter(|root| root.name() == "article" || root.name() == "pmc-articleset" || root.name() == "sub-article");
    let root = root.ok_or_else(|| report_malformed(Format::Jats, "the outermost element is not `article`"))?;
    let articles: Vec<Element<'_>> =
        if root.name() == "article" { vec![root] } else { root.list_named("article").collect() };
    for article in articles {
        let record = record(article);
        draft.main_record(record);
        if let Some(summary) = article.at(&["front", "article-meta", "abstract"]) {
            draft.heading(1, "Abstract", 0);
            paragraphs(summary, draft);
        }
        if let Some(body) = article.at(&["body"]) {
            sections(body, draft);
        }
    }
    Ok(())
}

fn record(article: Element<'_>) -> Record {
    let mut record = Record::new(RecordKind::Article);
    let Some(meta) = article.at(&["front", "article-meta"]) else { return record };
    // Identifiers, the most widely used scheme first: the first is the id of the work.
    for id in meta.list_named("article-id") {
        let value = id.text();
        match id.attribute("pub-id-type") {
            "doi" => record.id("doi", &crate::doi(&value).unwrap_or_default()),
            "pmid" => record.id("pmid", &value),
            "pmc" | "pmcid" => record.id("pmc", value.trim_start_matches("PMC")),
            _ => {}
        }
    }
    record.ids.sort_by_key(|id| ["doi:", "pmid:", "pmc:"].iter().position(|scheme| id.starts_with(scheme)));
    record.title =
        meta.at(&["title-group", "article-title"]).map(|title| title.text_without(&["xref", "fn"])).unwrap_or_default();
    // Editors and translators are contributors as well, but not authors.
    let people = meta.list_named("contrib-group").flat_map(|group| group.list_named("contrib"));
    record.authors = people
        .filter(|contrib| matches!(contrib.attribute("contrib-type"), "author" | ""))
        .filter_map(person)
        .collect();
    let journal = article.at(&["front", "journal-meta"]);
    record.venue = journal.and_then(|journal| {
        let name = journal.all("journal-title").next().map(Element::text)?;
        let issn = journal.list_named("issn").next().map(Element::text);
        Some(Venue { name, issn })
    });
    // Printed and electronic editions have a date each; the first with a year counts.
    record.year = meta
        .list_named("pub-date")
        .filter_map(|date| date.at(&["year"]))
        .map(Element::text)
        .find(|year| !year.is_empty());
    for name in ["volume", "issue", "fpage", "lpage"] {
        record.field(name, &meta.text_at(&[name]));
    }
    record.field("type", article.attribute("article-type"));
    record.field("language", article.attribute("lang"));
    let words = meta.list_named("kwd-group").flat_map(|group| group.all("kwd"));
    record.keywords = words.map(Element::text).filter(|word| !word.is_empty()).collect();
    record.summary = meta.text_at(&["abstract"]);
    record.links = article.at(&["back"]).map(references).unwrap_or_default();
    record
}

fn person(contrib: Element<'_>) -> Option<Person> {
    let name = contrib.all("name").next();
    let name = match name {
        Some(name) => join(&name.text_at(&["surname"]), &name.text_at(&["given-names"])),
        None => contrib.all("collab").next().map(|collab| collab.text_without(&["contrib-group"]))?,
    };
    let orcid = contrib.list_named("contrib-id").find(|id| id.attribute("contrib-id-type") == "orcid");
    let orcid = orcid.map(|id| super::crossref::orcid(&id.text()));
    (!name.is_empty()).then_some(Person { name, orcid })
}

/// `Family, Given`.
pub(super) fn join(family: &str, given: &str) -> String {
    match (family.is_empty(), given.is_empty()) {
        (false, false) => format!("{family}, {given}"),
        (true, _) => given.to_owned(),
        _ => family.to_owned(),
    }
}

fn references(back: Element<'_>) -> Vec<RecordLink> {
    let mut links = Vec::new();
    for reference in back.all("ref") {
        let id = |kind: &str| reference.all("pub-id").find(|id| id.attribute("pub-id-type") == kind).map(Element::text);
        let title = reference.all("article-title").next().or_else(|| reference.all("source").next()).map(Element::text);
        let target = id("doi").and_then(|doi| crate::doi(&doi)).map(|doi| format!("doi:{doi}"));
        let target = target.or_else(|| id("pmid").map(|pmid| format!("pmid:{pmid}")));
        let target = target.or_else(|| crate::doi_in(&reference.text()).map(|doi| format!("doi:{doi}")));
        let title = title.unwrap_or_else(|| crate::text::cut(&reference.text(), 300).to_owned());
        if target.is_some() || !title.is_empty() {
            links.push(RecordLink { relation: RecordRelation::Cites, target: target.unwrap_or_default(), title });
        }
    }
    links
}

/// Reads the sections of a body; without recursion, as articles nest as deep as their limits allow.
fn sections(body: Element<'_>, draft: &mut Draft<'_>) {
    let mut stack: Vec<(Element<'_>, u8)> = body.children().map(|child| (child, 1)).collect();
    stack.reverse();
    while let Some((element, level)) = stack.pop() {
        match element.name() {
            "sec" => {
                draft.heading(level, &element.text_at(&["title"]), 0);
                let from = stack.len();
                let inner = element.children().filter(|child| child.name() != "title");
                stack.extend(inner.map(|child| (child, level.saturating_add(1))));
                stack[from..].reverse();
            }
            "table-wrap" => table(element, draft),
            "list" | "boxed-text" | "disp-quote" | "statement" => {
                let from = stack.len();
                stack.extend(element.children().map(|child| (child, level)));
                stack[from..].reverse();
            }
            "list-item" => draft.block(BlockKind::Item, &element.text(), None, (0, 0)),
            "code" | "preformat" => {
                draft.block(BlockKind::Code, &element.raw_text(), Some(element.attribute("language")), (0, 0))
            }
            "p" => paragraph(element, draft),
            _ => {}
        }
    }
}

fn paragraphs(element: Element<'_>, draft: &mut Draft<'_>) {
    for paragraph_ in element.all("p") {
        paragraph(paragraph_, draft);
    }
}

fn paragraph(element: Element<'_>, draft: &mut Draft<'_>) {
    for link in element.all("ext-link") {
        draft.link(&link.text(), link.attribute("href"), 0);
    }
    for code in element.all("monospace").chain(element.all("code")) {
        draft.code(&code.text(), 0);
    }
    draft.block(BlockKind::Paragraph, &element.text(), None, (0, 0));
}

fn table(element: Element<'_>, draft: &mut Draft<'_>) {
    let rows = element.all("tr").map(|row| row.children().map(Element::text).collect()).collect();
    draft.table(Some(&element.text_at(&["label"])).filter(|label| !label.is_empty()).map(|label| &**label), rows, 0);
}
