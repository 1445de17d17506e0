//! Reads PDF files with text: their pages, the text of each in reading order, the outline and the title. Written here
//! and not taken from a library, because those for Rust recurse over the input, panic on damaged files, and bound
//! neither what is unpacked nor how much is drawn. All work is bounded by counts; encrypted files are refused.

mod annotations;
mod built_in;
mod cmap;
mod content;
mod encoding;
mod file;
mod filters;
mod font;
mod layout;
mod object;
mod order;

use std::collections::HashSet;

use self::annotations::Annotations;
use self::content::{Matrix, Runner};
use self::file::File;
use self::object::{Dict, Object};
use crate::{DocumentLimits, Format, Unreadable};

/// Pages of one file.
const MAX_PAGES: usize = 20_000;
/// Nodes of the tree of pages.
const MAX_PAGE_NODES: usize = 100_000;
/// Entries of the outline.
const MAX_OUTLINE: usize = 20_000;

/// A line of text on a page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PageLine {
    /// Its text.
    pub(crate) text: String,
    /// Number of its page, from 1.
    pub(crate) page: u32,
    /// Distance from the left edge, in points.
    pub(crate) left: f64,
    /// Height of its base above the bottom of the page.
    pub(crate) base: f64,
    /// Size of its largest font.
    pub(crate) size: f64,
    /// All of it is bold.
    pub(crate) is_bold: bool,
}

/// What a PDF file says.
#[derive(Debug, Default)]
pub(crate) struct Pdf {
    /// Number of pages.
    pub(crate) pages: usize,
    pub(crate) lines: Vec<PageLine>,
    /// Titles of the outline with their depth, from 1, and page, 0 if unknown.
    pub(crate) outline: Vec<(u8, String, u32)>,
    /// Entries of its description: title, author, and so on.
    pub(crate) info: Vec<(String, String)>,
    /// What was left out, and why.
    pub(crate) problems: Vec<String>,
}

fn report_malformed(why: impl std::fmt::Display) -> Unreadable {
    crate::formats::report_malformed(Format::Pdf, why)
}

/// A page: its dictionary, with what it inherits.
struct Page {
    dict: Dict,
    resources: Dict,
    turn: f64,
    number: Option<u32>,
}

/// Reads a file.
///
/// # Errors
/// [`Unreadable`]: damaged, encrypted, unpacks to too much, or has no text.
pub(crate) fn read(bytes: &[u8], limits: &DocumentLimits) -> Result<Pdf, Unreadable> {
    let file = File::open(bytes, limits)?;
    let mut pdf = Pdf::default();
    let pages = pages(&file, &mut pdf.problems);
    if pages.is_empty() {
        return Err(report_malformed("it has no pages"));
    }
    pdf.pages = pages.len();
    // The budgets of drawing and ordering are of the whole file, not of a page.
    let mut runner = Runner::new(&file, limits);
    let mut empty = 0usize;
    let mut annotations = Annotations::default();
    let mut comparisons = order::MAX_COMPARISONS;
    for (page, number) in pages.iter().zip(1u32..) {
        limits.check()?;
        let data = contents(&file, &page.dict)?;
        // A turned page is turned back, so that its lines are lines.
        let (sine, cosine) = page.turn.to_radians().sin_cos();
        let (sine, cosine) = (sine.round(), cosine.round());
        let matrix = Matrix([cosine, -sine, sine, cosine, 0.0, 0.0]);
        let mut glyphs = runner.page(data, page.resources.clone(), matrix)?;
        annotations.add(&file, (&page.dict, &page.resources), (&mut runner, matrix), &mut glyphs)?;
        let lines = layout::lines(glyphs, &mut comparisons);
        empty += usize::from(lines.is_empty());
        pdf.lines.extend(lines.into_iter().map(|line| PageLine {
            text: line.text,
            page: number,
            left: line.left,
            base: line.base,
            size: line.size,
            is_bold: line.is_bold,
        }));
    }
    // Scans have no text; a file that is one is refused, pages of it are counted.
    if pdf.lines.is_empty() {
        return Err(Unreadable::NoText { pages: pdf.pages });
    }
    if empty > 0 {
        pdf.problems.push(format!("{empty} of {} pages have no text layer", pdf.pages));
    }
    if runner.unknown > 0 {
        pdf.problems.push(format!("{} glyphs are of fonts that do not say which characters they are", runner.unknown));
    }
    if runner.is_cut() || file.is_cut() || annotations.is_cut() {
        pdf.problems.push("the file has more than can be read; the rest is left out".to_owned());
    }
    // What the file says about itself.
    pdf.outline = outline(&file, &pages);
    if let Some(info) = file.dict(&file.trailer, "Info") {
        for (key, value) in info.iter() {
            if let Object::Text(text) = file.resolve(value) {
                pdf.info.push((key.to_owned(), encoding::text(&text)));
            }
        }
    }
    Ok(pdf)
}

/// The pages in order. The tree may be damaged or go in circles: each node counts once.
fn pages(file: &File<'_>, problems: &mut Vec<String>) -> Vec<Page> {
    struct Inherited {
        resources: Dict,
        turn: f64,
    }
    let mut pages = Vec::new();
    let mut seen: HashSet<u32> = HashSet::new();
    let root = file.catalog().and_then(|catalog| catalog.get("Pages").cloned());
    let nothing = || std::rc::Rc::new(Inherited { resources: Dict::default(), turn: 0.0 });
    let mut work: Vec<(Object, std::rc::Rc<Inherited>)> = root.into_iter().map(|root| (root, nothing())).collect();
    while let Some((node, inherited)) = work.pop() {
        let number = match node {
            Object::Ref(number) => Some(number),
            _ => None,
        };
        if number.is_some_and(|number| !seen.insert(number)) {
            continue;
        }
        if pages.len() >= MAX_PAGES || seen.len() > MAX_PAGE_NODES {
            problems.push(format!("more than {MAX_PAGES} pages; the rest is left out"));
            break;
        }
        let Object::Dict(dict) = file.resolve(&node) else { continue };
        let resources = file.dict(&dict, "Resources").unwrap_or_else(|| inherited.resources.clone());
        let turn = file.member(&dict, "Rotate").number().unwrap_or(inherited.turn);
        match file.member(&dict, "Kids") {
            Object::Array(kids) => {
                let inherited = std::rc::Rc::new(Inherited { resources, turn });
                work.extend(kids.into_iter().rev().map(|kid| (kid, inherited.clone())));
            }
            _ => pages.push(Page { dict, resources, turn, number }),
        }
    }
    pages
}

/// The instructions of a page.
fn contents(file: &File<'_>, page: &Dict) -> Result<Vec<u8>, Unreadable> {
    let mut parts: Vec<u32> = Vec::new();
    match page.get("Contents") {
        Some(Object::Ref(number)) => match file.get(*number) {
            Object::Array(items) => parts.extend(items.iter().filter_map(reference)),
            _ => parts.push(*number),
        },
        Some(Object::Array(items)) => parts.extend(items.iter().filter_map(reference)),
        _ => {}
    }
    let mut data = Vec::new();
    for part in parts {
        if let Some(stream) = file.stream(part)
            && let Some(unpacked) = file.unpack(&stream)?
        {
            data.extend_from_slice(&unpacked);
            data.push(b'\n');
        }
    }
    Ok(data)
}

fn reference(object: &Object) -> Option<u32> {
    match object {
        Object::Ref(number) => Some(*number),
        _ => None,
    }
}

/// The outline, from its first entry on, each entry once.
fn outline(file: &File<'_>, pages: &[Page]) -> Vec<(u8, String, u32)> {
    let mut out = Vec::new();
    let mut seen: HashSet<u32> = HashSet::new();
    let root = file.catalog().and_then(|catalog| file.dict(&catalog, "Outlines"));
    let mut work: Vec<(Object, u8)> =
        root.and_then(|root| root.get("First").cloned()).into_iter().map(|first| (first, 1)).collect();
    while let Some((node, depth)) = work.pop() {
        let Object::Ref(number) = node else { continue };
        if !seen.insert(number) || out.len() >= MAX_OUTLINE {
            continue;
        }
        let Object::Dict(entry) = file.get(number) else { continue };
        if let Object::Text(title) = file.member(&entry, "Title") {
            out.push((depth, encoding::text(&title), page_of(file, &entry, pages)));
        }
        work.extend(entry.get("Next").map(|next| (next.clone(), depth)));
        work.extend(entry.get("First").map(|first| (first.clone(), depth.saturating_add(1))));
    }
    out
}

/// The page that an entry of the outline leads to, 0 if that is not said directly.
fn page_of(file: &File<'_>, entry: &Dict, pages: &[Page]) -> u32 {
    let target = match file.member(entry, "Dest") {
        Object::Null => file.dict(entry, "A").map_or(Object::Null, |action| file.member(&action, "D")),
        target => target,
    };
    let page = target.array().and_then(<[Object]>::first).and_then(reference);
    let found = page.and_then(|page| pages.iter().position(|other| other.number == Some(page)));
    found.map_or(0, |at| at as u32 + 1)
}
