//! Markdown: CommonMark with tables, footnotes, task lists and alerts, and the settings (`---`) at the start of a page.

use std::ops::Range;

use pulldown_cmark::{BlockQuoteKind, CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};

use super::components;
use crate::Unreadable;
use crate::draft::Draft;
use crate::headings::{Heading, clean};
use crate::model::BlockKind;
use crate::text::{LineIndex, cut, lines};

/// Settings of a page kept.
const MAX_SETTINGS: usize = 100;
/// Bytes of settings at the start of a page.
const MAX_FRONT: usize = 64 << 10;

fn events(text: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    Parser::new_ext(text, options).into_offset_iter()
}

/// Bytes of the settings at the start, with their marks; 0 if there are none.
fn front(text: &str) -> usize {
    let mut rows = lines(text);
    if rows.next().is_none_or(|first| first.text.trim_start_matches('\u{feff}').trim_end() != "---") {
        return 0;
    }
    let mut rows = rows.take_while(|line| line.end <= MAX_FRONT);
    rows.find(|line| matches!(line.text.trim_end(), "---" | "...")).map_or(0, |line| line.end)
}

/// The headings of a text, in order: those outside of quotes and lists.
pub(crate) fn headings(text: &str) -> Vec<Heading> {
    let skipped = front(text);
    let body = &*components::without_tags(&text[skipped..]);
    let index = LineIndex::new(text);
    let mut found = Vec::new();
    let mut walk = Walk::default();
    for (event, range) in events(body) {
        if let Some((level, words)) = walk.heading(&event)
            && let Some(heading) = clean(&words)
        {
            found.push(place(text, &index, level, heading, skipped + range.start..skipped + range.end));
        }
    }
    found
}

fn place(text: &str, lines: &LineIndex, level: u8, heading: String, range: Range<usize>) -> Heading {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = match text[..range.end].ends_with('\n') {
        true => range.end,
        false => text[range.end..].find('\n').map_or(text.len(), |at| range.end + at + 1),
    };
    Heading { level, text: heading, start, end, line: lines.line(range.start) }
}

/// Which events belong to a heading of the page itself.
#[derive(Default)]
struct Walk {
    /// Open quotes, lists and footnotes.
    depth: usize,
    /// Level and words of the open heading.
    open: Option<(u8, String)>,
    images: usize,
}

impl Walk {
    /// Takes an event; returns the heading that it ends.
    fn heading(&mut self, event: &Event<'_>) -> Option<(u8, String)> {
        match event {
            Event::Start(tag) => match tag {
                Tag::BlockQuote(_) | Tag::List(_) | Tag::FootnoteDefinition(_) => self.depth += 1,
                Tag::Heading { level, .. } if self.depth == 0 => self.open = Some((*level as u8, String::new())),
                Tag::Image { .. } => self.images += 1,
                _ => {}
            },
            Event::End(tag) => match tag {
                TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::FootnoteDefinition => {
                    self.depth = self.depth.saturating_sub(1);
                }
                TagEnd::Image => self.images = self.images.saturating_sub(1),
                TagEnd::Heading(_) => return self.open.take(),
                _ => {}
            },
            Event::Text(words) | Event::Code(words) if self.images == 0 => self.push(words),
            Event::SoftBreak | Event::HardBreak => self.push(" "),
            _ => {}
        }
        None
    }

    fn push(&mut self, words: &str) {
        if let Some((_, text)) = &mut self.open {
            text.push_str(words);
        }
    }
}

/// Reads a page.
pub(crate) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let skipped = front(text);
    settings(&text[..skipped], draft);
    let before = text[..skipped].matches('\n').count() as u32;
    read_body(&text[skipped..], before, draft);
    Ok(())
}

/// Reads text of a page or a part of one. `before` is the number of lines above it.
pub(crate) fn read_body(text: &str, before: u32, draft: &mut Draft<'_>) {
    let body = components::without_tags(text);
    draft.expect(text.len());
    let mut reader = Reader {
        lines: LineIndex::new(text),
        before,
        walk: Walk::default(),
        kinds: Vec::new(),
        words: String::new(),
        from: 0,
        spans: Vec::new(),
        links: Vec::new(),
        code: None,
        rows: Vec::new(),
        in_table: false,
        draft,
    };
    for (event, range) in events(&body) {
        reader.take(event, range);
    }
    reader.flush(text.len());
}

fn settings(front: &str, draft: &mut Draft<'_>) {
    for line in front.lines() {
        let Some((key, value)) = line.split_once(':').filter(|(key, _)| !key.starts_with([' ', '-', '#'])) else {
            continue;
        };
        let value = value.trim().trim_matches(['"', '\'']);
        if value.is_empty() {
            continue;
        }
        let value = cut(value, 500).to_owned();
        let metadata = draft.metadata();
        match key.trim() {
            "title" => metadata.title = Some(value),
            "author" => metadata.authors.push(value),
            "date" => metadata.published = Some(value),
            "lang" | "language" => metadata.language = Some(value),
            "doi" => metadata.doi = crate::doi(&value),
            key if metadata.extra.len() < MAX_SETTINGS => metadata.extra.push((key.to_owned(), value)),
            _ => {}
        }
    }
}

/// A span of code or a link, held until its block ends: a heading opens the section that they belong to.
enum Span<'t> {
    Code(CowStr<'t>, u32),
    /// `{role}` and its text, in the dialect MyST.
    Role(String, CowStr<'t>, u32),
    Link(String, CowStr<'t>, u32),
    Term(String, u32),
}

struct Reader<'t, 'd, 'l> {
    lines: LineIndex,
    before: u32,
    walk: Walk,
    /// Kinds of the open quotes and lists.
    kinds: Vec<BlockKind>,
    words: String,
    /// Byte at which the open block starts.
    from: usize,
    spans: Vec<Span<'t>>,
    /// Target of the open links, and where their text starts in `words`.
    links: Vec<(CowStr<'t>, usize, u32)>,
    /// Language of the open listing.
    code: Option<String>,
    rows: Vec<Vec<String>>,
    in_table: bool,
    draft: &'d mut Draft<'l>,
}

impl<'t> Reader<'t, '_, '_> {
    fn line(&self, byte: usize) -> u32 {
        self.before + self.lines.line(byte)
    }

    fn take(&mut self, event: Event<'t>, range: Range<usize>) {
        let is_heading = self.walk.open.is_some();
        if let Some((level, words)) = self.walk.heading(&event) {
            self.words.clear();
            if let Some(heading) = clean(&words) {
                let line = self.line(range.start);
                self.draft.heading(level, &heading, line);
            }
            self.spans();
            return;
        }
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) if self.walk.images == 0 => self.words.push_str(&text),
            Event::Code(code) => {
                let line = self.line(range.start);
                let span = match role_before(&mut self.words) {
                    Some(role) => Span::Role(role, code.clone(), line),
                    None => Span::Code(code.clone(), line),
                };
                self.words.push_str(&code);
                self.spans.push(span);
            }
            Event::SoftBreak | Event::HardBreak if !is_heading => self.words.push('\n'),
            Event::FootnoteReference(_) | Event::InlineHtml(_) | Event::Html(_) => {}
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'t>, range: Range<usize>) {
        match tag {
            Tag::Link { dest_url, .. } => self.links.push((dest_url, self.words.len(), self.line(range.start))),
            Tag::Image { dest_url, .. } => {
                let line = self.line(range.start);
                self.spans.push(Span::Link(String::new(), dest_url, line));
            }
            Tag::Strong => self.links.push((CowStr::Borrowed(""), self.words.len(), self.line(range.start))),
            Tag::Emphasis | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => {}
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            Tag::TableCell => self.words.clear(),
            _ => {
                self.flush(range.start);
                self.from = range.start;
                self.open(tag);
            }
        }
    }

    fn open(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::BlockQuote(kind) => self.kinds.push(quote(kind)),
            Tag::List(_) => self.kinds.push(BlockKind::Item),
            Tag::FootnoteDefinition(_) => self.kinds.push(BlockKind::Note),
            Tag::Table(_) => self.in_table = true,
            Tag::CodeBlock(kind) => {
                self.code = Some(match kind {
                    CodeBlockKind::Fenced(info) => language(info),
                    CodeBlockKind::Indented => String::new(),
                });
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            // Spans inside of a block.
            TagEnd::Link => {
                if let Some((target, from, line)) = self.links.pop() {
                    let text = self.words.get(from..).unwrap_or_default().to_owned();
                    self.spans.push(Span::Link(text, target, line));
                }
            }
            TagEnd::Strong => {
                if let Some((_, from, line)) = self.links.pop() {
                    let text = self.words.get(from..).unwrap_or_default().to_owned();
                    self.spans.push(Span::Term(text, line));
                }
            }
            // Tables are read as rows.
            TagEnd::TableCell => {
                let cell = crate::text::fold_text(&self.words);
                self.words.clear();
                if let Some(row) = self.rows.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => {
                self.in_table = false;
                let rows = std::mem::take(&mut self.rows);
                let line = self.line(range.start);
                self.draft.table(None, rows, line);
                self.spans();
            }
            // Blocks: code as it stands, others as sentences.
            TagEnd::CodeBlock => {
                let language = self.code.take();
                let lines = (self.line(range.start), self.line(range.end.saturating_sub(1)));
                self.draft.block(BlockKind::Code, &self.words, language.as_deref(), lines);
                self.words.clear();
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::FootnoteDefinition => {
                self.flush(range.end);
                self.kinds.pop();
            }
            TagEnd::Paragraph | TagEnd::Item | TagEnd::Heading(_) => self.flush(range.end),
            TagEnd::HtmlBlock => self.words.clear(),
            _ => {}
        }
    }

    /// Ends the open block.
    fn flush(&mut self, end: usize) {
        if self.in_table {
            return;
        }
        self.spans();
        if !self.words.trim().is_empty() {
            let kind = self.kinds.last().copied().unwrap_or(BlockKind::Paragraph);
            let lines = (self.line(self.from), self.line(end.saturating_sub(1).max(self.from)));
            self.draft.block(kind, &self.words, None, lines);
        }
        self.words.clear();
        self.from = end;
    }

    fn spans(&mut self) {
        for span in self.spans.drain(..) {
            match span {
                Span::Code(code, line) => self.draft.code(&code, line),
                Span::Role(role, text, line) => super::restructured::role(&role, &text, line, self.draft),
                Span::Link(text, target, line) => self.draft.link(&text, &target, line),
                Span::Term(text, line) => self.draft.term(&text, line),
            }
        }
    }
}

/// Takes the role off the end of a text: `see {func}`.
fn role_before(words: &mut String) -> Option<String> {
    /// Longest name of a role, in bytes.
    const MAX_ROLE: usize = 60;
    let inner = words.strip_suffix('}')?;
    let from = inner.ceil_char_boundary(inner.len().saturating_sub(MAX_ROLE));
    let start = from + inner[from..].rfind('{')?;
    let role = &inner[start + 1..];
    let fits = !role.is_empty() && role.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'-'));
    let role = fits.then(|| role.to_owned())?;
    words.truncate(start);
    Some(role)
}

const fn quote(kind: Option<BlockQuoteKind>) -> BlockKind {
    match kind {
        Some(_) => BlockKind::Note,
        None => BlockKind::Quote,
    }
}

/// The language of a listing: the first word of the text behind its fence.
fn language(info: CowStr<'_>) -> String {
    let word = info.split([' ', ',', '{', '\t']).find(|word| !word.is_empty()).unwrap_or("");
    word.trim_start_matches('.').trim_end_matches('}').to_owned()
}
