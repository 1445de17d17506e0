//! RFCs and drafts in XML, versions 2 and 3.

use std::collections::HashSet;

use super::jats::join;
use crate::draft::Draft;
use crate::model::{BlockKind, Person, Record, RecordKind, RecordLink, RecordRelation};
use crate::xml::{Element, Tree};
use crate::{Format, Unreadable, formats::report_malformed};

/// Whether a text is an RFC.
pub(super) fn is(_name: &str, text: &str) -> bool {
    text.contains("<rfc ") || text.contains("<rfc>") || text.contains("<rfc\n")
}

/// Reads an RFC.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let tree = Tree::parse(text, Format::Rfc, draft.limits)?;
    let root = tree.root().filter(|root| root.name() == "rfc");
    let root = root.ok_or_else(|| report_malformed(Format::Rfc, "the outermost element is not `rfc`"))?;
    let mut record = record(root);
    record.links.extend(list_included(text));
    draft.main_record(record);
    if let Some(summary) = root.at(&["front", "abstract"]) {
        draft.heading(1, "Abstract", 0);
        for element in summary.list_named("t") {
            paragraph(element, draft);
        }
    }
    for part in ["middle", "back"] {
        if let Some(part) = root.at(&[part]) {
            sections(part, draft);
        }
    }
    Ok(())
}

fn record(root: Element<'_>) -> Record {
    let mut record = Record::new(RecordKind::Rfc);
    let series = |name: &str| {
        root.descendants().take(200).find(|info| info.name() == "seriesInfo" && info.attribute("name") == name)
    };
    // The number stands at the root, or in a series; a draft has only its name.
    let number = [
        root.attribute("number").to_owned(),
        series("RFC").map(|info| info.attribute("value").to_owned()).unwrap_or_default(),
    ];
    let number = number.into_iter().find(|number| !number.is_empty()).unwrap_or_default();
    record.id("rfc", &number);
    if let Some(doi) = series("DOI").and_then(|info| crate::doi(info.attribute("value"))) {
        record.ids.insert(0, format!("doi:{doi}"));
    }
    if number.is_empty() {
        record.id("draft", root.attribute("docName"));
    }
    // Title, authors and date of the front page.
    let Some(front) = root.at(&["front"]) else { return record };
    record.title = front.text_at(&["title"]);
    for author in front.list_named("author") {
        let name = join(author.attribute("surname"), author.attribute("initials"));
        let name = match (author.attribute("fullname"), name.is_empty()) {
            ("", true) => author.text_at(&["organization"]),
            ("", false) => name,
            (full, _) => full.to_owned(),
        };
        if !name.is_empty() {
            record.authors.push(Person { name, orcid: None });
        }
    }
    record.year = front.at(&["date"]).map(|date| date.attribute("year").to_owned()).filter(|year| !year.is_empty());
    record.field("month", front.at(&["date"]).map_or("", |date| date.attribute("month")));
    // What the editor of RFCs classifies them by.
    for (field, name) in [("category", "category"), ("stream", "submissionType"), ("ipr", "ipr"), ("language", "lang")]
    {
        record.field(field, root.attribute(name));
    }
    for name in ["area", "workgroup"] {
        record.field(name, &front.text_at(&[name]));
    }
    record.keywords = front.list_named("keyword").map(Element::text).collect();
    record.summary = front.text_at(&["abstract"]);
    // Other RFCs that this one is about, then those that it cites.
    for (relation, name) in [(RecordRelation::Obsoletes, "obsoletes"), (RecordRelation::Updates, "updates")] {
        let numbers = root.attribute(name).split([',', ' ']).filter(|number| !number.is_empty());
        record.links.extend(numbers.map(|number| RecordLink {
            relation,
            target: format!("rfc:{}", number.trim_start_matches("RFC")),
            title: String::new(),
        }));
    }
    record.links.extend(root.at(&["back"]).map(references).unwrap_or_default());
    record
}

fn references(back: Element<'_>) -> Vec<RecordLink> {
    let mut links = Vec::new();
    for reference in back.all("reference") {
        let info = |name: &str| {
            let found = reference.all("seriesInfo").find(|info| info.attribute("name") == name);
            found.map(|info| info.attribute("value").to_owned())
        };
        let target = info("RFC").map(|number| format!("rfc:{number}"));
        let target = target.or_else(|| info("DOI").and_then(|doi| crate::doi(&doi)).map(|doi| format!("doi:{doi}")));
        let anchor = reference.attribute("anchor");
        let by_anchor = || anchor.strip_prefix("RFC").map(|number| format!("rfc:{}", number.trim_start_matches('0')));
        let target = target.or_else(by_anchor).unwrap_or_default();
        links.push(RecordLink {
            relation: RecordRelation::Cites,
            target,
            title: reference.text_at(&["front", "title"]),
        });
    }
    links
}

/// References that a source names by the address of their file only: as `xi:include`, an instruction
/// (`<?rfc include=…?>`) or an entity. Each once.
fn list_included(text: &str) -> Vec<RecordLink> {
    /// References of one source.
    const MAX_INCLUDED: usize = 10_000;
    let mut seen: HashSet<String> = HashSet::new();
    let mut links = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("reference.").filter(|_| links.len() < MAX_INCLUDED) {
        let (before, behind) = rest.split_at(at);
        if let Some(open) = before.rfind("<!--").filter(|open| !before[*open..].contains("-->")) {
            let Some(close) = rest[open..].find("-->") else { break };
            rest = &rest[(open + close).max(at + 1)..];
            continue;
        }
        let tag = before.rfind('<').map_or("", |open| &before[open + 1..]);
        // The text of an address elsewhere may be of a reference that is written out.
        let is_include =
            ["?rfc include", "!ENTITY", "xi:include", "include"].iter().any(|start| tag.starts_with(start));
        let end = behind.find(['"', '\'', '>', '<', ' ', '\n', '?']).unwrap_or(behind.len());
        let name = behind["reference.".len()..end].trim_end_matches(".xml");
        let target = match name.split_once('.') {
            Some(("RFC", number)) => number.parse::<u32>().ok().map(|number| format!("rfc:{number}")),
            Some(("I-D", draft)) => Some(format!("draft:draft-{}", draft.trim_start_matches("draft-"))),
            Some(("DOI", doi)) => crate::doi(doi).map(|doi| format!("doi:{doi}")),
            _ => None,
        };
        let target = target.filter(|_| is_include);
        if let Some(target) = target.filter(|target| seen.insert(target.clone())) {
            links.push(RecordLink { relation: RecordRelation::Cites, target, title: String::new() });
        }
        rest = &behind[end..];
    }
    links
}

fn sections(part: Element<'_>, draft: &mut Draft<'_>) {
    let mut stack: Vec<(Element<'_>, u8)> = part.children().map(|child| (child, 1)).collect();
    stack.reverse();
    while let Some((element, level)) = stack.pop() {
        let inner = match element.name() {
            "section" => {
                let name = [element.attribute("title").to_owned(), element.text_at(&["name"])];
                let name = name.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
                draft.heading(level, &name, 0);
                level.saturating_add(1)
            }
            "ul" | "ol" | "dl" | "list" | "blockquote" | "aside" | "figure" => level,
            "li" | "dt" | "dd" => {
                draft.block(BlockKind::Item, &element.text(), None, (0, 0));
                continue;
            }
            "t" => {
                paragraph(element, draft);
                continue;
            }
            "sourcecode" | "artwork" => {
                draft.block(BlockKind::Code, &element.raw_text(), Some(element.attribute("type")), (0, 0));
                continue;
            }
            "table" | "texttable" => {
                let rows = element.all("tr").map(|row| row.children().map(Element::text).collect()).collect();
                draft.table(None, rows, 0);
                continue;
            }
            _ => continue,
        };
        let from = stack.len();
        stack.extend(element.children().filter(|child| child.name() != "name").map(|child| (child, inner)));
        stack[from..].reverse();
    }
}

fn paragraph(element: Element<'_>, draft: &mut Draft<'_>) {
    for link in element.all("eref") {
        draft.link(&link.text(), link.attribute("target"), 0);
    }
    for link in element.all("xref") {
        let target = link.attribute("target");
        if let Some(number) = target.strip_prefix("RFC") {
            draft.cite(format!("rfc:{}", number.trim_start_matches('0')), 0);
        }
    }
    for code in element.all("tt") {
        draft.code(&code.text(), 0);
    }
    draft.block(BlockKind::Paragraph, &element.text(), None, (0, 0));
}

#[cfg(test)]
mod tests {
    use super::list_included;

    #[test]
    fn references_are_included_in_three_ways_and_each_once() {
        let text = "<!DOCTYPE rfc [\n<!ENTITY RFC2119 SYSTEM \"https://x.org/reference.RFC.2119.xml\">]>\n\
                    <!-- <xi:include href=\"reference.RFC.1.xml\"/> -->\n<xi:include href='a/reference.RFC.8174.xml'/>\n\
                    <xi:include href='a/reference.I-D.draft-ietf-quic-http.xml'/><?rfc include='reference.RFC.2119'?>\n\
                    <?rfc include=\"reference.I-D.ietf-tls\"?> <reference xml:base=\"reference.RFC.3.xml\"> <!-- reference.RFC.2.xml";
        let targets: Vec<String> = list_included(text).into_iter().map(|link| link.target).collect();
        assert_eq!(targets, ["rfc:2119", "rfc:8174", "draft:draft-ietf-quic-http", "draft:draft-ietf-tls"]);
    }
}
