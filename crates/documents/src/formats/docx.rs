//! Word documents: paragraphs, headings by style, lists, tables and links of the main text.

use std::collections::HashMap;

use super::Archive;
use crate::draft::Draft;
use crate::model::BlockKind;
use crate::xml::{Element, Tree};
use crate::{Format, Unreadable};

/// Reads a document.
pub(super) fn read(bytes: &[u8], draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let mut archive = Archive::open(bytes, Format::Docx, draft.limits)?;
    properties(archive.tree("docProps/core.xml")?.as_ref(), draft);
    let styles = styles(archive.tree("word/styles.xml")?.as_ref());
    let targets = targets(archive.tree("word/_rels/document.xml.rels")?.as_ref());
    let tree = archive.required("word/document.xml")?;
    if let Some(body) = tree.root().and_then(|root| root.at(&["body"])) {
        blocks(body, &styles, &targets, draft);
    }
    for name in ["word/footnotes.xml", "word/endnotes.xml"] {
        if let Some(notes) = archive.tree(name)?
            && let Some(root) = notes.root()
        {
            for note in root.children() {
                draft.block(BlockKind::Note, &words(note), None, (0, 0));
            }
        }
    }
    Ok(())
}

/// Title, author and date of an office file.
pub(super) fn properties(tree: Option<&Tree>, draft: &mut Draft<'_>) {
    let Some(root) = tree.and_then(Tree::root) else { return };
    let get = |name: &str| Some(root.text_at(&[name])).filter(|text| !text.is_empty());
    let metadata = draft.metadata();
    metadata.title = get("title");
    metadata.authors.extend(get("creator"));
    metadata.published = get("created");
    metadata.language = get("language");
}

/// Levels of the styles that are headings.
fn styles(tree: Option<&Tree>) -> HashMap<String, u8> {
    let mut levels = HashMap::new();
    for style in tree.and_then(Tree::root).into_iter().flat_map(|root| root.named("style")) {
        let name = style.at(&["name"]).map_or("", |name| name.attribute("val")).to_ascii_lowercase();
        let outline = style.at(&["pPr", "outlineLvl"]).and_then(|level| level.attribute("val").parse::<u8>().ok());
        let level = match name.strip_prefix("heading ") {
            Some(number) => number.parse().ok(),
            None if name == "title" => Some(1),
            None => outline.filter(|level| *level < 9).map(|level| level + 1),
        };
        if let Some(level) = level {
            levels.insert(style.attribute("styleId").to_owned(), level);
        }
    }
    levels
}

/// Targets of relationships by their ids.
pub(super) fn targets(tree: Option<&Tree>) -> HashMap<String, String> {
    let all = tree.and_then(Tree::root).into_iter().flat_map(|root| root.named("Relationship"));
    all.map(|one| (one.attribute("Id").to_owned(), one.attribute("Target").to_owned())).collect()
}

fn blocks(body: Element<'_>, styles: &HashMap<String, u8>, targets: &HashMap<String, String>, draft: &mut Draft<'_>) {
    let mut stack: Vec<Element<'_>> = body.children().collect();
    stack.reverse();
    while let Some(element) = stack.pop() {
        match element.name() {
            "p" => paragraph(element, styles, targets, draft),
            "tbl" => {
                let rows = element.named("tr").map(|row| row.named("tc").map(words).collect()).collect();
                draft.table(None, rows, 0);
            }
            "sdt" | "sdtContent" | "customXml" | "ins" => {
                let from = stack.len();
                stack.extend(element.children());
                stack[from..].reverse();
            }
            _ => {}
        }
    }
}

fn paragraph(
    element: Element<'_>,
    styles: &HashMap<String, u8>,
    targets: &HashMap<String, String>,
    draft: &mut Draft<'_>,
) {
    let text = words(element);
    let style = element.at(&["pPr", "pStyle"]).map_or("", |style| style.attribute("val"));
    let own = element.at(&["pPr", "outlineLvl"]).and_then(|level| level.attribute("val").parse::<u8>().ok());
    let level = styles.get(style).copied().or(own.filter(|level| *level < 9).map(|level| level + 1));
    if let Some(level) = level {
        draft.heading(level, &text, 0);
    }
    for link in element.all("hyperlink") {
        if let Some(target) = targets.get(link.attribute("id")) {
            draft.link(&words(link), target, 0);
        }
    }
    for run in element.all("r") {
        let font = run.at(&["rPr", "rFonts"]).map_or("", |font| font.attribute("ascii"));
        let style = run.at(&["rPr", "rStyle"]).map_or("", |style| style.attribute("val"));
        if ["Courier", "Consolas", "Mono", "Menlo"].iter().any(|name| font.contains(name))
            || style.contains("Code")
            || style.contains("Verbatim")
        {
            draft.code(&words(run), 0);
        }
    }
    if level.is_none() {
        let kind = match element.at(&["pPr", "numPr"]) {
            Some(_) => BlockKind::Item,
            None if style.contains("Code") => BlockKind::Code,
            None => BlockKind::Paragraph,
        };
        draft.block(kind, &text, None, (0, 0));
    }
}

/// The words inside; deleted text and instructions of fields are none.
fn words(element: Element<'_>) -> String {
    let mut out = String::new();
    for part in element.descendants() {
        match part.name() {
            "t" => out.push_str(&part.raw_text()),
            "tab" | "br" | "cr" => out.push(' '),
            "noBreakHyphen" => out.push('-'),
            "p" if !out.is_empty() => out.push('\n'),
            _ => {}
        }
    }
    out.trim().to_owned()
}
