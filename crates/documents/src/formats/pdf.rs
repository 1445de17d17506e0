//! PDF files with text. Their places are pages: a section or block says the page it is on as its line.

use std::collections::HashMap;

use crate::Unreadable;
use crate::draft::Draft;
use crate::model::BlockKind;
use crate::pdf::{self, PageLine, Pdf};
use crate::text::fold_text;

/// A larger size than that of the text makes a heading, by this factor.
const HEADING: f64 = 1.12;
/// Longest heading, in bytes.
const MAX_HEADING: usize = 160;
/// A larger distance between lines than usual begins a paragraph, by this factor.
const PARAGRAPH: f64 = 1.35;
/// Levels of headings that sizes tell apart.
const MAX_LEVELS: usize = 4;

/// A paragraph: its text, its pages, and how it is set.
struct Paragraph {
    text: String,
    pages: (u32, u32),
    size: f64,
    is_bold: bool,
    lines: usize,
}

/// Reads a file.
pub(super) fn read(bytes: &[u8], draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let pdf = pdf::read(bytes, draft.limits)?;
    describe(&pdf, draft);
    for problem in &pdf.problems {
        draft.problem(problem.clone());
    }
    let usual = usual_size(&pdf.lines);
    let paragraphs = paragraphs(&pdf.lines);
    let outline = Outline::new(&pdf);
    let levels = levels(&paragraphs, usual);
    for paragraph in paragraphs {
        let level = match outline.level(&paragraph) {
            Some(level) => Some(level),
            None if outline.is_used => None,
            None => level_of(&paragraph, usual, &levels),
        };
        match level {
            Some(level) => draft.heading(level, &paragraph.text, paragraph.pages.0),
            None => draft.block(BlockKind::Paragraph, &paragraph.text, None, paragraph.pages),
        }
    }
    Ok(())
}

fn describe(pdf: &Pdf, draft: &mut Draft<'_>) {
    let metadata = draft.metadata();
    metadata.extra.push(("pages".to_owned(), pdf.pages.to_string()));
    for (key, value) in &pdf.info {
        let value = fold_text(value);
        match key.as_str() {
            _ if value.is_empty() => {}
            "Title" => metadata.title = Some(value),
            "Author" => metadata.authors.push(value),
            "CreationDate" => metadata.published = Some(value),
            "Subject" | "Keywords" => metadata.extra.push((key.to_lowercase(), value)),
            _ => {}
        }
    }
}

/// The size of most of the text.
fn usual_size(lines: &[PageLine]) -> f64 {
    let mut weights: HashMap<u32, usize> = HashMap::new();
    for line in lines {
        *weights.entry((line.size * 10.0).round() as u32).or_default() += line.text.len();
    }
    let most = weights.into_iter().max_by_key(|(size, weight)| (*weight, *size));
    most.map_or(1.0, |(size, _)| f64::from(size) / 10.0)
}

/// Joins lines into paragraphs: as long as they follow each other at the usual distance in one size.
fn paragraphs(lines: &[PageLine]) -> Vec<Paragraph> {
    let leading = usual_leading(lines);
    let mut out: Vec<Paragraph> = Vec::new();
    let mut last: Option<&PageLine> = None;
    for line in lines {
        let follows = last.is_some_and(|last| {
            let down = (last.base - line.base) / last.size.max(0.1);
            let alike = (line.size - last.size).abs() < 0.06 * last.size.max(line.size);
            let is_next = line.page == last.page && down > 0.0 && down < leading * PARAGRAPH;
            // In the next column or on the next page a sentence goes on.
            let goes_on = (line.page != last.page || down <= 0.0)
                && line.text.starts_with(|c: char| c.is_lowercase() || c == '(')
                && !last.text.ends_with(['.', ':', '?', '!']);
            let is_indented = line.left - last.left > 0.8 * line.size && last.text.ends_with(['.', ':', '?', '!']);
            alike && (is_next && !is_indented || goes_on)
        });
        match out.last_mut().filter(|_| follows) {
            Some(paragraph) => {
                append(&mut paragraph.text, &line.text);
                paragraph.pages.1 = line.page;
                paragraph.is_bold &= line.is_bold;
                paragraph.lines += 1;
            }
            None => out.push(Paragraph {
                text: line.text.clone(),
                pages: (line.page, line.page),
                size: line.size,
                is_bold: line.is_bold,
                lines: 1,
            }),
        }
        last = Some(line);
    }
    out
}

/// Distance of most lines from the next one, in sizes.
fn usual_leading(lines: &[PageLine]) -> f64 {
    let mut weights: HashMap<u32, usize> = HashMap::new();
    for pair in lines.windows(2) {
        let down = (pair[0].base - pair[1].base) / pair[0].size.max(0.1);
        if pair[0].page == pair[1].page && (0.8..3.0).contains(&down) {
            *weights.entry((down * 20.0).round() as u32).or_default() += 1;
        }
    }
    weights.into_iter().max_by_key(|(down, weight)| (*weight, *down)).map_or(1.2, |(down, _)| f64::from(down) / 20.0)
}

/// Adds a line; a word that is divided at its end becomes whole.
fn append(text: &mut String, line: &str) {
    let divided = text.strip_suffix('-').is_some_and(|rest| rest.ends_with(char::is_alphabetic));
    if divided && line.starts_with(char::is_lowercase) {
        text.pop();
    } else if !divided || !line.starts_with(char::is_alphabetic) {
        text.push(' ');
    }
    text.push_str(line);
}

/// Sizes of headings, the largest first.
fn levels(paragraphs: &[Paragraph], usual: f64) -> Vec<u32> {
    let mut sizes: Vec<u32> =
        paragraphs.iter().filter(|p| may_be_heading(p) && p.size > usual * HEADING).map(|p| tenths(p.size)).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes.dedup();
    sizes.truncate(MAX_LEVELS);
    sizes
}

fn tenths(size: f64) -> u32 {
    (size * 10.0).round() as u32
}

fn may_be_heading(paragraph: &Paragraph) -> bool {
    let letters = paragraph.text.chars().filter(|c| c.is_alphabetic()).count();
    paragraph.text.len() <= MAX_HEADING
        && paragraph.lines <= 3
        && letters >= 3
        && letters * 2 > paragraph.text.chars().count()
}

fn level_of(paragraph: &Paragraph, usual: f64, levels: &[u32]) -> Option<u8> {
    if !may_be_heading(paragraph) {
        return None;
    }
    if paragraph.size > usual * HEADING {
        let at = levels.iter().position(|size| *size <= tenths(paragraph.size)).unwrap_or(levels.len());
        return u8::try_from(at + 1).ok();
    }
    // `2.1 Methods` in bold, in the size of the text.
    let number = paragraph.text.split(' ').next().unwrap_or_default();
    let is_number =
        number.starts_with(|c: char| c.is_ascii_digit()) && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let dots = number.trim_end_matches('.').matches('.').count();
    (paragraph.is_bold && is_number && paragraph.lines == 1 && dots < MAX_LEVELS).then_some(dots as u8 + 1)
}

/// Titles of the outline, which are headings wherever the text has them.
struct Outline {
    /// By the letters of the title: levels and pages.
    titles: HashMap<String, Vec<(u8, u32)>>,
    /// Enough of it is in the text to trust it instead of sizes.
    is_used: bool,
}

impl Outline {
    fn new(pdf: &Pdf) -> Self {
        let mut titles: HashMap<String, Vec<(u8, u32)>> = HashMap::new();
        for (level, title, page) in &pdf.outline {
            let key = letters(title);
            if !key.is_empty() {
                titles.entry(key).or_default().push((*level, *page));
            }
        }
        let known = pdf.lines.iter().filter(|line| titles.contains_key(&letters(&line.text))).count();
        Self { is_used: known >= 3 && known * 2 >= titles.len(), titles }
    }

    fn level(&self, paragraph: &Paragraph) -> Option<u8> {
        if paragraph.text.len() > MAX_HEADING * 2 {
            return None;
        }
        let found = self.titles.get(&letters(&paragraph.text))?;
        let here = found.iter().find(|(_, page)| *page == 0 || *page == paragraph.pages.0);
        here.map(|(level, _)| *level)
    }
}

/// The letters of a title, without its number.
fn letters(title: &str) -> String {
    title.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect()
}
