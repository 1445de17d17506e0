//! Web pages: the main content. Navigation, scripts and footers are left out; if the page marks its main part, only
//! that is read.

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{HtmlString, StartTag, Token, Tokenizer};

use crate::Unreadable;
use crate::draft::Draft;
use crate::model::BlockKind;
use crate::text::LineIndex;

/// Elements whose content is not part of the text.
const SKIPPED: &[&str] = &[
    "script", "style", "noscript", "nav", "footer", "aside", "form", "svg", "template", "iframe", "button", "select",
    "head", "math",
];
/// Elements that end the open block.
const BLOCKS: &[&str] = &[
    "p", "div", "section", "article", "main", "header", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "figure",
    "figcaption", "hr", "table", "tr", "td", "th", "thead", "tbody", "pre", "details", "summary", "address", "br",
    "body", "h1", "h2", "h3", "h4", "h5", "h6",
];

fn tokens(text: &str) -> impl Iterator<Item = Token<usize>> + '_ {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(text, emitter).flatten()
}

fn name(name: &HtmlString) -> &str {
    std::str::from_utf8(name).unwrap_or("")
}

fn value(tag: &StartTag<usize>, attribute: &str) -> String {
    let found = tag.attributes.iter().find(|(key, _)| key.as_slice() == attribute.as_bytes());
    found.map(|(_, value)| String::from_utf8_lossy(&value.value).into_owned()).unwrap_or_default()
}

/// Reads a page.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let has = |wanted: &str| {
        tokens(text).any(|token| match token {
            Token::StartTag(tag) => name(&tag.name) == wanted || wanted == "main" && value(&tag, "role") == "main",
            _ => false,
        })
    };
    let main = ["main", "article"].into_iter().find(|wanted| has(wanted));
    let mut reader = Reader {
        lines: LineIndex::new(text),
        main,
        main_name: String::new(),
        inside: 0,
        skip: None,
        words: String::new(),
        from: 0,
        kinds: Vec::new(),
        pre: 0,
        language: String::new(),
        code: None,
        link: None,
        heading: None,
        rows: Vec::new(),
        tables: 0,
        title: None,
        spans: Vec::new(),
        draft,
    };
    for token in tokens(text) {
        match token {
            Token::StartTag(tag) => reader.start(&tag),
            Token::EndTag(tag) => reader.end(name(&tag.name), tag.span.start),
            Token::String(text) => reader.text(&String::from_utf8_lossy(&text.value), text.span.start),
            _ => {}
        }
    }
    reader.flush(text.len());
    Ok(())
}

struct Reader<'d, 'l> {
    lines: LineIndex,
    /// The element that holds the main content, if the page has one.
    main: Option<&'static str>,
    /// Name of the element that was found to be it, and how many of the name are open.
    main_name: String,
    inside: usize,
    /// An element that is left out, and how many of its name are open.
    skip: Option<(String, usize)>,
    words: String,
    from: usize,
    kinds: Vec<BlockKind>,
    pre: usize,
    language: String,
    /// Where the open span of code starts in `words`.
    code: Option<(usize, u32)>,
    link: Option<(String, usize, u32)>,
    heading: Option<u8>,
    rows: Vec<Vec<String>>,
    tables: usize,
    /// The open title of the page.
    title: Option<String>,
    spans: Vec<(bool, String, String, u32)>,
    draft: &'d mut Draft<'l>,
}

impl Reader<'_, '_> {
    fn start(&mut self, tag: &StartTag<usize>) {
        let name = name(&tag.name);
        let in_page = self.skip.as_ref().is_none_or(|(open, _)| open == "head");
        if name == "title" && in_page && self.draft.metadata().title.is_none() {
            self.title = Some(String::new());
            return;
        }
        if let Some((open, count)) = &mut self.skip {
            *count += usize::from(open == name && !tag.self_closing);
            return;
        }
        if let Some(wanted) = self.main {
            if self.inside == 0 && (name == wanted || wanted == "main" && value(tag, "role") == "main") {
                name.clone_into(&mut self.main_name);
            }
            self.inside += usize::from(name == self.main_name && !tag.self_closing);
        }
        if SKIPPED.contains(&name) {
            if !tag.self_closing {
                self.flush(tag.span.start);
                self.skip = Some((name.to_owned(), 1));
            }
            return;
        }
        if self.main.is_none() || self.inside > 0 {
            self.open(name, tag);
        }
    }

    fn open(&mut self, name: &str, tag: &StartTag<usize>) {
        let line = self.lines.line(tag.span.start);
        if BLOCKS.contains(&name) && self.pre == 0 {
            if name == "br" {
                self.words.push(' ');
                return;
            }
            self.flush(tag.span.start);
        }
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.heading = name[1..].parse().ok(),
            "li" | "dd" | "dt" => self.kinds.push(BlockKind::Item),
            "blockquote" => self.kinds.push(BlockKind::Quote),
            "pre" => {
                self.pre += 1;
                self.language = language(&value(tag, "class"));
            }
            "code" | "tt" | "kbd" | "samp" if self.pre > 0 => {
                let language = language(&value(tag, "class"));
                if !language.is_empty() {
                    self.language = language;
                }
            }
            "code" | "tt" | "kbd" | "samp" => self.code = Some((self.words.len(), line)),
            "a" => {
                let target = value(tag, "href");
                if !target.is_empty() {
                    self.link = Some((target, self.words.len(), line));
                }
            }
            "table" => self.tables += 1,
            "tr" if self.tables == 1 => self.rows.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, name: &str, at: usize) {
        // Text outside of what is shown: the title, skipped elements, pages around the main part.
        if let Some(title) = self.title.take_if(|_| name == "title") {
            let title = crate::text::fold_text(&title);
            self.draft.metadata().title = Some(title).filter(|title| !title.is_empty());
            return;
        }
        if let Some((open, count)) = &mut self.skip {
            *count -= usize::from(open == name);
            if *count == 0 {
                self.skip = None;
            }
            return;
        }
        if self.main.is_some() && self.inside == 0 {
            return;
        }
        match name {
            // Spans inside of a block.
            "code" | "tt" | "kbd" | "samp" => {
                if let Some((from, line)) = self.code.take() {
                    let code = self.words.get(from..).unwrap_or_default().to_owned();
                    self.spans.push((true, code, String::new(), line));
                }
            }
            "a" => {
                if let Some((target, from, line)) = self.link.take() {
                    let text = self.words.get(from..).unwrap_or_default().to_owned();
                    self.spans.push((false, text, target, line));
                }
            }
            // Tables are read as rows; those inside of a cell are part of its text.
            "td" | "th" if self.tables == 1 => {
                let cell = crate::text::fold_text(&std::mem::take(&mut self.words));
                if let Some(row) = self.rows.last_mut() {
                    row.push(cell);
                }
                self.push_spans();
            }
            "table" => {
                self.flush(at);
                self.tables = self.tables.saturating_sub(1);
                if self.tables == 0 {
                    let line = self.lines.line(self.from);
                    self.draft.table(None, std::mem::take(&mut self.rows), line);
                }
            }
            // Blocks end a paragraph.
            "pre" => {
                self.flush(at);
                self.pre = self.pre.saturating_sub(1);
            }
            name if BLOCKS.contains(&name) && self.pre == 0 => {
                self.flush(at);
                if matches!(name, "li" | "dd" | "dt" | "blockquote") {
                    self.kinds.pop();
                }
            }
            _ => {}
        }
        if self.main.is_some() && name == self.main_name {
            self.inside -= 1;
            self.flush(at);
        }
    }

    fn text(&mut self, text: &str, at: usize) {
        if let Some(title) = &mut self.title {
            title.push_str(text);
            return;
        }
        if self.skip.is_some() || self.main.is_some() && self.inside == 0 {
            return;
        }
        if self.words.trim().is_empty() {
            self.from = at;
        }
        self.words.push_str(text);
    }

    /// Ends the open block.
    fn flush(&mut self, at: usize) {
        let words = std::mem::take(&mut self.words);
        let lines = (self.lines.line(self.from), self.lines.line(at.saturating_sub(1).max(self.from)));
        if words.trim().is_empty() {
            return;
        }
        if let Some(level) = self.heading.take() {
            // The sign of a link to the heading itself is no word.
            self.draft.heading(level, words.trim_end_matches(['¶', '#', '\u{f0c1}']), lines.0);
            self.push_spans();
            return;
        }
        self.push_spans();
        let kind = self.kinds.last().copied().unwrap_or(BlockKind::Paragraph);
        if self.pre > 0 {
            let language = std::mem::take(&mut self.language);
            self.draft.block(BlockKind::Code, &words, Some(&language), lines);
        } else {
            self.draft.block(kind, &words, None, lines);
        }
    }

    fn push_spans(&mut self) {
        for (is_code, text, target, line) in self.spans.drain(..) {
            if is_code {
                self.draft.code(&text, line);
            } else {
                self.draft.link(&text, &target, line);
            }
        }
    }
}

/// The language that a class names: `language-rust`, `highlight-python`.
fn language(class: &str) -> String {
    let word = class.split_whitespace().find_map(|word| {
        ["language-", "lang-", "highlight-", "brush:"].iter().find_map(|prefix| word.strip_prefix(prefix))
    });
    word.unwrap_or("").to_owned()
}
