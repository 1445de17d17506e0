//! PowerPoint presentations: a section for each slide, with its text, tables and notes.

use super::Archive;
use super::docx::{properties, targets};
use crate::draft::Draft;
use crate::model::BlockKind;
use crate::xml::{Element, Tree};
use crate::{Format, Unreadable};

/// Reads a presentation.
pub(super) fn read(bytes: &[u8], draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let mut archive = Archive::open(bytes, Format::Pptx, draft.limits)?;
    properties(archive.tree("docProps/core.xml")?.as_ref(), draft);
    let names = order(&mut archive)?;
    if names.is_empty() {
        return Err(super::report_malformed(Format::Pptx, "it has no slides"));
    }
    for (name, number) in names.iter().zip(1u32..) {
        let Some(tree) = archive.tree(name)? else { continue };
        let file = name.rsplit('/').next().unwrap_or(name);
        let links = archive.tree(&format!("ppt/slides/_rels/{file}.rels"))?;
        let targets = targets(links.as_ref());
        if let Some(root) = tree.root() {
            slide(root, number, draft);
        }
        for target in targets.values() {
            let notes = target.strip_prefix("../").filter(|target| target.starts_with("notesSlides/"));
            if let Some(notes) = notes
                && let Some(tree) = archive.tree(&format!("ppt/{notes}"))?
                && let Some(root) = tree.root()
            {
                let text: Vec<String> = root.all("sp").filter(|shape| kind(*shape) == "body").map(words).collect();
                draft.block(BlockKind::Note, &text.join("\n"), None, (number, number));
            }
        }
    }
    Ok(())
}

/// Names of the slides in the order of the presentation.
fn order(archive: &mut Archive<'_>) -> Result<Vec<String>, Unreadable> {
    let links = archive.tree("ppt/_rels/presentation.xml.rels")?;
    let targets = targets(links.as_ref());
    let tree = archive.tree("ppt/presentation.xml")?;
    let list = tree.as_ref().and_then(Tree::root).and_then(|root| root.at(&["sldIdLst"]));
    // Of the two attributes named `id`, the one that is a relationship comes second.
    let mut names: Vec<String> = list
        .into_iter()
        .flat_map(|list| list.list_named("sldId"))
        .filter_map(|slide| targets.get(slide.last("id")))
        .map(|target| format!("ppt/{target}"))
        .collect();
    if names.is_empty() {
        names = archive.names("ppt/slides/slide", ".xml");
    }
    Ok(names)
}

/// Kind of a shape that holds text: `title`, `ctrTitle`, `body`, ….
fn kind(shape: Element<'_>) -> &str {
    shape.at(&["nvSpPr", "nvPr", "ph"]).map_or("", |place| place.attribute("type"))
}

fn slide(root: Element<'_>, number: u32, draft: &mut Draft<'_>) {
    let title = root.all("sp").find(|shape| matches!(kind(*shape), "title" | "ctrTitle")).map(words);
    let title = title.filter(|title| !title.is_empty()).unwrap_or_else(|| format!("Slide {number}"));
    draft.heading(1, &title, number);
    for shape in root.descendants() {
        match shape.name() {
            "sp" if !matches!(kind(shape), "title" | "ctrTitle" | "sldNum" | "dt" | "ftr") => {
                for paragraph in shape.all("p") {
                    draft.block(BlockKind::Item, &words(paragraph), None, (number, number));
                }
            }
            "tbl" => {
                let rows = shape.list_named("tr").map(|row| row.list_named("tc").map(words).collect()).collect();
                draft.table(None, rows, number);
            }
            _ => {}
        }
    }
}

fn words(element: Element<'_>) -> String {
    let mut out = String::new();
    for part in element.descendants() {
        match part.name() {
            "t" => out.push_str(&part.raw_text()),
            "br" => out.push(' '),
            "p" if !out.is_empty() => out.push('\n'),
            _ => {}
        }
    }
    out.trim().to_owned()
}
