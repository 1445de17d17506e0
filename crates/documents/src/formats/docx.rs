//! Word documents: paragraphs, headings by style, lists, tables and links of the main text.

use std::collections::HashMap;

use super::Archive;
use super::office::{Notes, inside, words};
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
    let numbering = archive.tree("word/numbering.xml")?;
    let mut numbers = Numbers::new(numbering.as_ref());
    let tree = archive.require_part("word/document.xml")?;
    let body = tree.root().and_then(|root| root.at(&["body"]));
    let notes = body.map(Notes::new).unwrap_or_default();
    if let Some(body) = body {
        let tables = Tables { styles: &styles, targets: &targets, notes: &notes };
        blocks(body, &tables, &mut numbers, draft);
    }
    for (name, is_at_end) in [("word/footnotes.xml", false), ("word/endnotes.xml", true)] {
        if let Some(tree) = archive.tree(name)?
            && let Some(root) = tree.root()
        {
            for note in root.children() {
                let text = words(note, &notes);
                let number = notes.number(is_at_end, note.attribute("id")).filter(|_| !text.is_empty());
                let text = number.map_or(text.clone(), |number| format!("[{number}] {text}"));
                draft.block(BlockKind::Note, &text, None, (0, 0));
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
    for style in tree.and_then(Tree::root).into_iter().flat_map(|root| root.list_named("style")) {
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
    let all = tree.and_then(Tree::root).into_iter().flat_map(|root| root.list_named("Relationship"));
    all.map(|one| (one.attribute("Id").to_owned(), one.attribute("Target").to_owned())).collect()
}

/// What the text refers to.
struct Tables<'t> {
    /// Levels of the styles that are headings.
    styles: &'t HashMap<String, u8>,
    /// Targets of relationships.
    targets: &'t HashMap<String, String>,
    notes: &'t Notes,
}

fn blocks(body: Element<'_>, tables: &Tables<'_>, numbers: &mut Numbers, draft: &mut Draft<'_>) {
    let mut stack: Vec<Element<'_>> = body.children().collect();
    stack.reverse();
    while let Some(element) = stack.pop() {
        match element.name() {
            "p" => paragraph(element, tables, numbers, draft),
            "tbl" => {
                let cells = |row| inside(row, "tc").into_iter().map(|cell| words(cell, tables.notes)).collect();
                draft.table(None, inside(element, "tr").into_iter().map(cells).collect(), 0);
            }
            "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" => {
                let from = stack.len();
                stack.extend(element.children());
                stack[from..].reverse();
            }
            _ => {}
        }
    }
}

fn paragraph(element: Element<'_>, tables: &Tables<'_>, numbers: &mut Numbers, draft: &mut Draft<'_>) {
    let Tables { styles, targets, notes } = *tables;
    let mut text = words(element, notes);
    let style = element.at(&["pPr", "pStyle"]).map_or("", |style| style.attribute("val"));
    let own = element.at(&["pPr", "outlineLvl"]).and_then(|level| level.attribute("val").parse::<u8>().ok());
    let level = styles.get(style).copied().or(own.filter(|level| *level < 9).map(|level| level + 1));
    if let Some(level) = level {
        draft.heading(level, &text, 0);
    }
    for link in element.all("hyperlink") {
        if let Some(target) = targets.get(link.attribute("id")) {
            draft.link(&words(link, notes), target, 0);
        }
    }
    for run in element.all("r") {
        let font = run.at(&["rPr", "rFonts"]).map_or("", |font| font.attribute("ascii"));
        let style = run.at(&["rPr", "rStyle"]).map_or("", |style| style.attribute("val"));
        if ["Courier", "Consolas", "Mono", "Menlo"].iter().any(|name| font.contains(name))
            || style.contains("Code")
            || style.contains("Verbatim")
        {
            draft.code(&words(run, notes), 0);
        }
    }
    if level.is_none() {
        let kind = match element.at(&["pPr", "numPr"]) {
            Some(place) => {
                if let Some(number) = numbers.next(place).filter(|_| !text.is_empty()) {
                    text = format!("{number} {text}");
                }
                BlockKind::Item
            }
            None if style.contains("Code") => BlockKind::Code,
            None => BlockKind::Paragraph,
        };
        draft.block(kind, &text, None, (0, 0));
    }
}

/// Levels of lists.
const LEVELS: usize = 9;
/// Longest text of a number, in bytes. Each item has it, so that a long one would be written as often.
const MAX_NUMBER: usize = 64;

/// How one level of a list is numbered.
#[derive(Debug, Clone, Default)]
struct Level {
    start: u32,
    format: String,
    /// The text of a number, with `%1` for that of the first level.
    text: String,
}

/// The numbers of the items of lists, as they are counted.
#[derive(Default)]
struct Numbers {
    /// Levels of each definition.
    levels: HashMap<String, Vec<Level>>,
    /// Definitions of the lists, and where their levels begin instead.
    lists: HashMap<String, (String, HashMap<usize, u32>)>,
    /// Items so far, by definition.
    counts: HashMap<String, [Option<u32>; LEVELS]>,
    /// Lists whose own beginnings were applied.
    begun: std::collections::HashSet<(String, usize)>,
}

impl Numbers {
    fn new(tree: Option<&Tree>) -> Self {
        let mut numbers = Self::default();
        let Some(root) = tree.and_then(Tree::root) else { return numbers };
        let value =
            |element: Element<'_>, name: &str| element.at(&[name]).map_or("", |at| at.attribute("val")).to_owned();
        for definition in root.list_named("abstractNum") {
            let mut levels = vec![Level::default(); LEVELS];
            for level in definition.list_named("lvl") {
                if let Some(own) = level.attribute("ilvl").parse().ok().and_then(|at: usize| levels.get_mut(at)) {
                    let start = value(level, "start").parse().unwrap_or(1);
                    *own = Level { start, format: value(level, "numFmt"), text: value(level, "lvlText") };
                }
            }
            numbers.levels.insert(definition.attribute("abstractNumId").to_owned(), levels);
        }
        for list in root.list_named("num") {
            let starts = list.list_named("lvlOverride").filter_map(|level| {
                let start = value(level, "startOverride").parse().ok()?;
                Some((level.attribute("ilvl").parse().ok()?, start))
            });
            let row = (value(list, "abstractNumId"), starts.collect());
            numbers.lists.insert(list.attribute("numId").to_owned(), row);
        }
        numbers
    }

    /// The number of the next item at a place; `None` for a point, or where it is not known.
    fn next(&mut self, place: Element<'_>) -> Option<String> {
        let value = |name: &str| place.at(&[name]).map_or("", |at| at.attribute("val"));
        let at: usize = value("ilvl").parse().unwrap_or(0);
        let (definition, starts) = self.lists.get(value("numId"))?;
        let levels = self.levels.get(definition)?;
        let own = levels.get(at)?;
        let counts = self.counts.entry(definition.clone()).or_default();
        if let Some(start) = starts.get(&at)
            && self.begun.insert((value("numId").to_owned(), at))
        {
            counts[at] = start.checked_sub(1);
        }
        counts[at] = Some(counts[at].map_or(own.start, |count| count.saturating_add(1)));
        counts[at + 1..].fill(None);
        if own.format == "bullet" || own.format == "none" || own.text.is_empty() || own.text.len() > MAX_NUMBER {
            return None;
        }
        let mut text = own.text.clone();
        for (level, own) in levels.iter().enumerate().take(at + 1) {
            let count = counts[level].unwrap_or(own.start);
            text = text.replace(&format!("%{}", level + 1), &numeral(count, &own.format));
        }
        Some(text)
    }
}

/// A number in the form that a list asks for.
fn numeral(count: u32, format: &str) -> String {
    const ROMAN: &[(u32, &str)] = &[
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let small = match format {
        "lowerLetter" | "upperLetter" if count > 0 => {
            // After `z` follow `aa`, `bb`, and so on.
            let letter = char::from(b'a' + ((count - 1) % 26) as u8);
            std::iter::repeat_n(letter, (((count - 1) / 26 + 1) as usize).min(8)).collect()
        }
        "lowerRoman" | "upperRoman" if (1..4_000).contains(&count) => {
            let mut left = count;
            let mut out = String::new();
            for (value, sign) in ROMAN {
                while left >= *value {
                    out.push_str(sign);
                    left -= value;
                }
            }
            out
        }
        _ => count.to_string(),
    };
    if format.starts_with("upper") { small.to_uppercase() } else { small }
}
