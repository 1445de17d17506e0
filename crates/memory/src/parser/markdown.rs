//! Markdown → the lines people wrote in it, with what is code, quote or comment kept out of reach of the rules.

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

/// Stands for every byte of a line that can be shown but says nothing: code and quoted words.
pub(crate) const MASKED: char = '\u{1}';
/// Many of them.
const MASKS: &str = "\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}";
/// A pair of quotation marks further apart than this is none.
const MAX_QUOTED_BYTES: usize = 160;
/// What a line is in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A heading that starts with `#`, and its level.
    Heading(u8),
    /// The first line of a list item, and how many lists it is in.
    Item(u8),
    /// Any other line of text.
    Text,
    /// A thematic break.
    Break,
}

/// A line of prose; or several, where one is the continuation of the other.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// 1-based.
    pub(crate) number: u32,
    pub(crate) shape: Shape,
    /// How many lists it is in, as an item or below one.
    pub(crate) depth: u8,
    /// The number of the block of text it belongs to: consecutive lines of one paragraph share it.
    pub(crate) block: u32,
    /// The text without marks of emphasis and targets of links; code keeps its backticks.
    pub(crate) shown: String,
    /// As long as `shown`: ASCII in lower case, code and quotations masked.
    pub(crate) mask: String,
    /// Ranges of bytes of `shown` that are bold.
    pub(crate) bold: Vec<(usize, usize)>,
    /// Whether its box is ticked, where it has one.
    pub(crate) ticked: Option<bool>,
    /// Whether the writer asked for a break after it.
    pub(crate) hard_break: bool,
    /// Where in `shown` a continuation starts, and the number of its line.
    pub(crate) joins: Vec<(usize, u32)>,
}

impl Line {
    /// A line of a comment or a commit message: no Markdown but code between backticks.
    pub(crate) fn plain(number: u32, text: &str) -> Self {
        let mut line = Self::new(number, Shape::Text, 0);
        let mut rest = text;
        while let Some(open) = rest.find('`') {
            let Some(length) = rest[open + 1..].find('`') else { break };
            let end = open + length + 2;
            line.push(&rest[..open], false);
            line.push(&rest[open..end], true);
            rest = &rest[end..];
        }
        line.push(rest, false);
        line.finish();
        line
    }

    fn new(number: u32, shape: Shape, block: u32) -> Self {
        Self {
            number,
            shape,
            depth: 0,
            block,
            shown: String::new(),
            mask: String::new(),
            bold: Vec::new(),
            ticked: None,
            hard_break: false,
            joins: Vec::new(),
        }
    }

    fn reserve(&mut self, bytes: usize) {
        self.shown.reserve(bytes);
        self.mask.reserve(bytes);
    }

    fn push(&mut self, text: &str, masked: bool) {
        self.shown.push_str(text);
        if masked {
            let masked = self.mask.len() + text.len();
            while self.mask.len() < masked {
                let missing = masked - self.mask.len();
                self.mask.push_str(&MASKS[..missing.min(MASKS.len())]);
            }
        } else {
            let from = self.mask.len();
            self.mask.push_str(text);
            self.mask[from..].make_ascii_lowercase();
        }
    }

    /// Masks what stands between quotation marks: the words of a message or of somebody else.
    fn finish(&mut self) {
        for (open, close) in [('"', '"'), ('“', '”')] {
            if !self.mask.contains(open) {
                continue;
            }
            let mut from = 0;
            while let Some(start) = self.mask[from..].find(open).map(|at| from + at + open.len_utf8()) {
                let Some(length) = self.mask[start..].find(close) else { break };
                if length > MAX_QUOTED_BYTES {
                    from = start;
                    continue;
                }
                let masked: String = std::iter::repeat_n(MASKED, length).collect();
                self.mask.replace_range(start..start + length, &masked);
                from = start + length + close.len_utf8();
            }
        }
    }

    /// The line of the byte at this place of `shown`.
    pub(crate) fn number_at(&self, at: usize) -> u32 {
        self.joins.iter().rev().find(|(from, _)| *from <= at).map_or(self.number, |(_, number)| *number)
    }

    /// The last line it reaches to.
    pub(crate) fn last_number(&self) -> u32 {
        self.joins.last().map_or(self.number, |(_, number)| *number)
    }

    /// Whether this byte of `shown` is bold.
    pub(crate) fn is_bold(&self, at: usize) -> bool {
        self.bold.iter().any(|(from, to)| (*from..*to).contains(&at))
    }

    /// Makes `next` a part of this line.
    fn join(&mut self, next: &Self) {
        self.push(" ", false);
        let base = self.shown.len();
        self.joins.push((base, next.number));
        self.shown.push_str(&next.shown);
        self.mask.push_str(&next.mask);
        self.bold.extend(next.bold.iter().map(|(from, to)| (base + from, base + to)));
        self.hard_break = next.hard_break;
    }
}

/// All lines with text outside of code blocks, block quotes, tables and HTML, in order; continuations joined.
pub(crate) fn lines(text: &str) -> Vec<Line> {
    let mut reader = Reader::new(text);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let body = front_matter(text);
    for (event, range) in Parser::new_ext(&text[body..], options).into_offset_iter() {
        reader.event(&event, body + range.start, body + range.end);
    }
    let mut lines = reader.lines;
    lines.iter_mut().for_each(Line::finish);
    join_continuations(lines)
}

/// Where the text starts after settings between two `---` at the very top.
fn front_matter(text: &str) -> usize {
    const MAX_LINES: usize = 40;
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else { return 0 };
    let mut at = text.len() - rest.len();
    for line in rest.split_inclusive('\n').take(MAX_LINES) {
        at += line.len();
        let line = line.trim_end();
        if line == "---" {
            return at;
        }
        let is_setting = line.starts_with([' ', '\t', '#'])
            || line.split_once(':').is_some_and(|(key, _)| !key.is_empty() && !key.contains(char::is_whitespace));
        if !is_setting {
            return 0;
        }
    }
    0
}

struct Reader<'t> {
    text: &'t str,
    /// Where each line starts.
    starts: Vec<usize>,
    lines: Vec<Line>,
    /// How many elements that are not read are open.
    hidden: u32,
    /// Block quotes that are open.
    quotes: u32,
    /// Whether inside of an address.
    masked: u32,
    heading: Option<u8>,
    /// Lists that are open.
    depth: u8,
    /// The list item whose first line is to come.
    item: Option<u8>,
    block: u32,
    bold_from: Option<(usize, usize)>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1)).collect();
        Self {
            text,
            starts,
            lines: Vec::new(),
            hidden: 0,
            quotes: 0,
            masked: 0,
            heading: None,
            depth: 0,
            item: None,
            block: 0,
            bold_from: None,
        }
    }

    fn event(&mut self, event: &Event<'_>, start: usize, end: usize) {
        match event {
            Event::Start(tag) => self.open(tag, start),
            Event::End(tag) => self.close(*tag),
            _ if self.hidden > 0 || self.quotes > 0 && self.is_quoted(start) => {}
            Event::Text(text) => self.line(start).push_text(text),
            Event::Code(code) => {
                let line = self.line(start);
                ["`", code, "`"].into_iter().for_each(|part| line.push(part, true));
            }
            Event::TaskListMarker(ticked) => self.line(start).ticked = Some(*ticked),
            Event::HardBreak => {
                if let Some(line) = self.lines.last_mut() {
                    line.hard_break = true;
                }
            }
            Event::Rule => {
                self.block += 1;
                let number = self.number(start.min(end));
                self.lines.push(Line::new(number, Shape::Break, self.block));
            }
            _ => {}
        }
        if self.masked > 0
            && let Event::Text(text) = event
            && let Some(line) = self.lines.last_mut()
        {
            let from = line.mask.len().saturating_sub(text.len());
            let masked: String = std::iter::repeat_n(MASKED, line.mask.len() - from).collect();
            line.mask.replace_range(from.., &masked);
        }
    }

    fn open(&mut self, tag: &Tag<'_>, start: usize) {
        match tag {
            Tag::BlockQuote(_) => self.quotes += 1,
            // Lines that only follow a quote start no item of it.
            Tag::List(_) | Tag::Item if self.quotes > 0 => self.block += 1,
            Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Table(_) | Tag::Strikethrough | Tag::Image { .. } => {
                self.hidden += 1
            }
            Tag::Heading { level, .. } => {
                self.block += 1;
                // Text above a line of `---` is a heading to Markdown, but a note above a divider to people.
                let is_marked = self.text[start..].trim_start().starts_with('#');
                self.heading = is_marked.then_some(*level as u8);
            }
            Tag::List(_) => self.depth = self.depth.saturating_add(1),
            Tag::Item => {
                self.block += 1;
                self.item = Some(self.depth);
            }
            Tag::Paragraph => self.block += 1,
            Tag::Strong => {
                let line = self.lines.len();
                self.bold_from = Some(match self.lines.last() {
                    Some(last) if last.number == self.number(start) => (line - 1, last.shown.len()),
                    _ => (line, 0),
                });
            }
            Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. } => self.masked += 1,
            Tag::Link { .. } if self.masked > 0 => self.masked += 1,
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::BlockQuote(_) => {
                self.quotes = self.quotes.saturating_sub(1);
                self.block += 1;
            }
            TagEnd::List(_) | TagEnd::Item if self.quotes > 0 => self.block += 1,
            TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::Table | TagEnd::Strikethrough | TagEnd::Image => {
                self.hidden = self.hidden.saturating_sub(1)
            }
            TagEnd::Heading(_) => {
                self.heading = None;
                self.block += 1;
            }
            TagEnd::List(_) => {
                self.depth = self.depth.saturating_sub(1);
                self.block += 1;
            }
            TagEnd::Item => {
                self.item = None;
                self.block += 1;
            }
            TagEnd::Strong => {
                if let Some((line, from)) = self.bold_from.take()
                    && let Some(line) = self.lines.get_mut(line)
                {
                    line.bold.push((from, line.shown.len()));
                }
            }
            TagEnd::Link => self.masked = self.masked.saturating_sub(1),
            _ => {}
        }
    }

    /// Whether the text at this byte of a block quote stands behind its mark. To Markdown, lines right below a
    /// quotation belong to it even without one; to people who write a thought a line they do not.
    fn is_quoted(&self, at: usize) -> bool {
        let line = self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        let marks = self.starts.get(line).map_or("", |start| &self.text[*start..at]);
        let is_mark = |byte: &u8| byte.is_ascii_whitespace() || byte.is_ascii_digit() || b">-*+.)".contains(byte);
        marks.bytes().take_while(is_mark).any(|byte| byte == b'>')
    }

    fn number(&self, at: usize) -> u32 {
        // Text is met in its order, so mostly it is the line of the last text or the one after it.
        let last = self.lines.last().map_or(0, |line| line.number as usize);
        let is_it = |number: usize| {
            let starts =
                number.checked_sub(1).and_then(|index| self.starts.get(index)).is_some_and(|start| *start <= at);
            starts && self.starts.get(number).is_none_or(|next| at < *next)
        };
        let number = [last, last + 1].into_iter().find(|number| is_it(*number));
        number.unwrap_or_else(|| self.starts.partition_point(|start| *start <= at)) as u32
    }

    /// The line of text at this byte; made if it is not the last one.
    fn line(&mut self, at: usize) -> &mut Line {
        let number = self.number(at);
        let is_new = self.lines.last().is_none_or(|last| last.number != number || last.shape == Shape::Break);
        if is_new {
            let shape = match (self.heading, self.item.take()) {
                (Some(level), _) => Shape::Heading(level),
                (None, Some(depth)) => Shape::Item(depth),
                (None, None) => Shape::Text,
            };
            let mut line = Line::new(number, shape, self.block);
            let end = self.starts.get(number as usize).copied().unwrap_or(self.text.len());
            line.depth = self.depth;
            line.reserve(end.saturating_sub(at));
            self.lines.push(line);
        }
        let last = self.lines.len() - 1;
        &mut self.lines[last]
    }
}

impl Line {
    fn push_text(&mut self, text: &str) {
        self.push(text, false);
    }
}

/// Joins a line to the one before where that one was only broken for width.
fn join_continuations(lines: Vec<Line>) -> Vec<Line> {
    let mut joined: Vec<Line> = Vec::with_capacity(lines.len());
    for line in lines {
        match joined.last_mut() {
            Some(before) if continues(before, &line) => before.join(&line),
            _ => joined.push(line),
        }
    }
    joined
}

/// Shorter lines are notes of their own; longer ones may have been broken for width.
const MIN_BROKEN_CHARS: usize = 50;
/// Lines joined to one at most.
const MAX_JOINED: usize = 40;
/// No sentence ends with these.
const NEVER_LAST: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "because", "but", "by", "for", "from", "if", "in", "into", "is", "of", "on",
    "or", "our", "over", "so", "than", "that", "the", "their", "to", "was", "when", "which", "with",
];

fn continues(before: &Line, next: &Line) -> bool {
    let is_text = matches!(before.shape, Shape::Text | Shape::Item(_)) && next.shape == Shape::Text;
    let is_near = before.block == next.block && next.number == before.last_number() + 1;
    if !is_text || !is_near || before.hard_break || before.joins.len() >= MAX_JOINED {
        return false;
    }
    let text = before.mask.trim_end();
    if text.ends_with(['.', '!', '?', ':', ';']) || starts_a_note(next) {
        return false;
    }
    let last_word = text.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    if NEVER_LAST.contains(&last_word) {
        return true;
    }
    if starts_with_a_cue(next) && !SUBJECTS.contains(&last_word) {
        return false;
    }
    let starts_small = next.shown.trim_start().starts_with(|c: char| c.is_lowercase() || c == '`' || c == '(');
    let width = before.joins.last().map_or(&*before.shown, |(from, _)| &before.shown[*from..]).chars().count();
    starts_small && width >= MIN_BROKEN_CHARS
}

/// What somebody does is told behind these, so a line that ends with one goes on.
const SUBJECTS: &[&str] =
    &["also", "been", "had", "has", "have", "he", "i", "it", "just", "not", "she", "then", "they", "we", "who", "you"];

/// Whether a line starts with words by which people begin to tell of a trouble or of something found out.
fn starts_with_a_cue(line: &Line) -> bool {
    const CUES: &[&str] = &[
        "hit a problem", "hit a bug", "hit an issue", "ran into ", "struggling with ", "stuck on ", "waiting for ",
        "waiting on ", "found out ", "realized ", "settled on ", "went with ", "chose ", "gotcha",
    ];
    let text = line.mask.trim_start();
    CUES.iter().any(|cue| text.starts_with(cue))
}

/// Whether a line starts with a word that is followed by a colon, or that starts an entry.
fn starts_a_note(line: &Line) -> bool {
    let text = line.mask.trim_start();
    let word_end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    let (word, rest) = text.split_at(word_end);
    let starts_entry = matches!(word, "decided" | "learned" | "fixed" | "blocked" | "til" | "going" | "discovered");
    rest.starts_with(':') || starts_entry || text.starts_with("turns out") || text.starts_with("---")
}
