//! Lines of code as blocks: a line, the deeper lines behind it, and the lines that close it. Where brackets cannot be
//! trusted, indentation says what belongs together.

use std::ops::Range;

/// How a language writes blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Between brackets.
    Brackets,
    /// Between brackets, in a page (PHP).
    BracketsInPage,
    /// By indentation, behind a colon.
    Indented,
    /// Between a line and a word such as `end`.
    Words,
}

/// Words that go on with a block whose lines are between brackets.
const BRACKET_WORDS: &[&str] = &[
    "case", "catch", "default", "else", "extends", "finally", "implements", "private", "protected", "public", "throws",
    "where",
];
/// Words that go on with an indented block.
const INDENTED_WORDS: &[&str] = &["case", "elif", "else", "except", "finally"];
/// Words that go on with a block between words, or end it.
const END_WORDS: &[&str] = &[
    "do", "done", "elif", "else", "elseif", "elsif", "end", "ensure", "esac", "fi", "in", "rescue", "then", "until",
    "when",
];
/// Columns of a tab.
const TAB: usize = 4;

impl Layout {
    /// Returns whether a line that stands as deep as the first one of a block belongs to the block.
    fn goes_on(self, code: &[u8]) -> bool {
        let length = code.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let word = std::str::from_utf8(&code[..length]).unwrap_or_default();
        let is_sign = matches!(code.first(), Some(b'}' | b')' | b']' | b'.' | b'?' | b','))
            || [&b"</"[..], b"/>", b"&&", b"||", b";;"].iter().any(|sign| code.starts_with(sign))
            || matches!(code, b">" | b">>" | b"{");
        let words = match self {
            Self::Brackets | Self::BracketsInPage => BRACKET_WORDS,
            Self::Indented => INDENTED_WORDS,
            Self::Words => END_WORDS,
        };
        // Sections of a class and cases end in a colon; other names may begin with such a word.
        let is_label = matches!(word, "case" | "default" | "private" | "protected" | "public");
        is_sign || words.contains(&word) && (!is_label || code.trim_ascii_end().ends_with(b":"))
    }

    /// Returns whether blocks are between brackets.
    fn has_brackets(self) -> bool {
        matches!(self, Self::Brackets | Self::BracketsInPage)
    }

    /// What must stand in front of a part of a text.
    pub(super) fn prelude(self) -> &'static [u8] {
        match self {
            Self::BracketsInPage => b"<?php\n",
            Self::Brackets | Self::Indented | Self::Words => b"",
        }
    }

    /// What stands for statements that are left out, where a block must not be empty.
    pub(super) fn filler(self) -> &'static str {
        match self {
            Self::Indented => "pass",
            Self::Brackets | Self::BracketsInPage | Self::Words => "",
        }
    }
}

/// A line of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) start: usize,
    /// Where its characters end, the line break aside.
    pub(super) end: usize,
    /// Columns before its first character.
    indent: usize,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Code that may begin a block.
    Code,
    /// Code that goes on with the block before it.
    Closing,
    /// A comment, a directive or nothing: its depth says nothing.
    Aside,
    /// Opens or closes something whose content stands no deeper, such as a namespace.
    Flat,
}

/// A block: its lines, the first and last of which are code.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) lines: Range<usize>,
    /// Depth of its first line.
    indent: usize,
    /// Between it and the block before stands a line of something flat.
    pub(super) is_apart: bool,
}

/// The lines of a text.
pub(super) struct Lines {
    layout: Layout,
    all: Vec<Line>,
}

impl Lines {
    pub(super) fn new(text: &[u8], layout: Layout) -> Self {
        let mut all = Vec::new();
        let mut start = 0;
        let mut is_comment = false;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let length = line.strip_suffix(b"\n").map_or(line.len(), <[u8]>::len);
            let length = line[..length].strip_suffix(b"\r").map_or(length, <[u8]>::len);
            let blanks = line[..length].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let indent = line[..blanks].iter().map(|byte| if *byte == b'\t' { TAB } else { 1 }).sum();
            let code = &line[blanks..length];
            let begins = layout.has_brackets() && code.starts_with(b"/*");
            let is_inside = is_comment || begins;
            is_comment = is_inside && !code[usize::from(begins) * 2..].windows(2).any(|two| two == b"*/");
            let kind = match code {
                _ if is_inside && (is_comment || code.ends_with(b"*/")) => Kind::Aside,
                _ if code.is_empty() || is_aside(code, layout) => Kind::Aside,
                _ if layout.goes_on(code) => Kind::Closing,
                _ => Kind::Code,
            };
            all.push(Line { start, end: start + length, indent, kind });
            start += line.len();
        }
        let mut lines = Self { layout, all };
        if layout.has_brackets() {
            lines.mark_flat(text);
        }
        lines
    }

    /// Marks lines that open something whose content stands no deeper than they do, and lines that close it: behind
    /// blocks that are closed already, or with a comment that says so.
    fn mark_flat(&mut self, text: &[u8]) {
        let mut next_indent: Option<(usize, Kind)> = None;
        let mut openers = Vec::new();
        for at in (0..self.all.len()).rev().filter(|at| self.all[*at].kind != Kind::Aside).collect::<Vec<_>>() {
            let line = self.all[at];
            let is_opener = line.kind == Kind::Code && text[line.start..line.end].trim_ascii_end().ends_with(b"{");
            if is_opener && next_indent == Some((line.indent, Kind::Code)) {
                openers.push(at);
            }
            next_indent = Some((line.indent, line.kind));
        }
        let mut open: Vec<usize> = Vec::new();
        // The line of code before, as long as it may be the last one of something flat.
        let mut before: Option<usize> = None;
        for at in 0..self.all.len() {
            let line = self.all[at];
            if line.kind == Kind::Aside {
                continue;
            }
            let code = text[line.start..line.end].trim_ascii();
            if openers.last() == Some(&at) {
                openers.pop();
                open.push(line.indent);
                self.all[at].kind = Kind::Flat;
            } else if open.last() == Some(&line.indent) && line.kind == Kind::Closing && code.starts_with(b"}") {
                let is_named = code.windows(9).any(|nine| nine == b"namespace");
                if is_named || before == Some(line.indent) {
                    open.pop();
                    self.all[at].kind = Kind::Flat;
                }
            }
            before = (!code.ends_with(b"{")).then_some(line.indent);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn line(&self, at: usize) -> Line {
        self.all[at]
    }

    /// The bytes of a range of lines, without the last line break.
    pub(super) fn bytes(&self, lines: &Range<usize>) -> Range<usize> {
        match self.all.get(lines.clone()) {
            Some([first, .., last]) => first.start..last.end,
            Some([only]) => only.start..only.end,
            _ => 0..0,
        }
    }

    /// The blocks of a range of lines.
    pub(super) fn blocks(&self, lines: Range<usize>) -> Vec<Block> {
        let code = |at: &usize| self.all[*at].kind == Kind::Code;
        let Some(least) = lines.clone().filter(code).map(|at| self.all[at].indent).min() else { return Vec::new() };
        let mut found: Vec<Block> = Vec::new();
        let mut is_behind_flat = false;
        for at in lines.filter(|at| self.all[*at].kind != Kind::Aside) {
            let line = self.all[at];
            if line.kind == Kind::Flat {
                is_behind_flat = true;
                continue;
            }
            let is_apart = std::mem::take(&mut is_behind_flat);
            let goes_on = !is_apart && (line.kind == Kind::Closing || line.indent > least);
            match found.last_mut().filter(|_| goes_on) {
                Some(block) => block.lines.end = at + 1,
                None => found.push(Block { lines: at..at + 1, indent: line.indent, is_apart }),
            }
        }
        found
    }

    /// A block and the one behind it as one: a head of several lines.
    pub(super) fn join(block: &Block, next: &Block) -> Block {
        Block {
            lines: block.lines.start..next.lines.end,
            indent: block.indent.max(next.indent),
            is_apart: block.is_apart,
        }
    }

    /// The lines of a block's frame, in runs: its head, and what stands as deep as its first line. Between the runs is
    /// its content. If `is_short`, the head is the first line, else it ends with the first line that opens something.
    pub(super) fn frame(&self, block: &Block, text: &[u8], is_short: bool) -> Vec<Range<usize>> {
        let first = block.lines.start;
        let opens = |at: &usize| self.all[*at].kind != Kind::Aside && self.opens(*at, text);
        let head = if is_short || self.layout == Layout::Words { None } else { block.lines.clone().find(opens) };
        let behind = head.unwrap_or(first) + 1;
        let mut runs: Vec<Range<usize>> = Vec::new();
        runs.push(first..behind);
        for at in behind..block.lines.end {
            let line = self.all[at];
            if line.kind == Kind::Aside || line.indent > block.indent {
                continue;
            }
            match runs.last_mut().filter(|run| run.end == at) {
                Some(run) => run.end = at + 1,
                None => runs.push(at..at + 1),
            }
        }
        runs
    }

    /// Returns whether a line ends with something that opens a block.
    fn opens(&self, at: usize, text: &[u8]) -> bool {
        let line = self.all[at];
        let code = &text[line.start..line.end];
        let code = match self.layout {
            Layout::Brackets | Layout::BracketsInPage => {
                code.windows(3).position(|three| three == b" //").map_or(code, |at| &code[..at])
            }
            Layout::Indented | Layout::Words => code,
        };
        let code = code.trim_ascii_end();
        match self.layout {
            Layout::Indented => code.ends_with(b":"),
            Layout::Brackets | Layout::BracketsInPage | Layout::Words => {
                matches!(code.last(), Some(b'{' | b'(' | b'[' | b':'))
            }
        }
    }

    /// Returns whether a range of lines has code.
    pub(super) fn has_code(&self, lines: &Range<usize>) -> bool {
        lines.clone().any(|at| self.all[at].kind != Kind::Aside)
    }

    /// Where the next line of code behind a line begins, its depth included.
    pub(super) fn next_code(&self, at: usize) -> usize {
        let next = self.all[at..].iter().find(|line| line.kind != Kind::Aside);
        next.or(self.all.last()).map_or(0, |line| line.end)
    }
}

/// Brackets that a block lacks.
#[derive(Debug, Default)]
pub(super) struct Missing {
    /// Behind its head.
    pub(super) open: Vec<u8>,
    /// Behind its content.
    pub(super) inner: Vec<u8>,
    /// Behind its last line.
    pub(super) close: Vec<u8>,
}

impl Missing {
    pub(super) fn is_nothing(&self) -> bool {
        self.open.is_empty() && self.inner.is_empty() && self.close.is_empty()
    }
}

/// The brackets that the frame of a block lacks; `None` if they do not pair up.
pub(super) fn missing(text: &[u8]) -> Option<Missing> {
    let mut open: Vec<u8> = Vec::new();
    let mut lacks = Missing::default();
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'/' if text[at..].starts_with(b"//") => {
                at += text[at..].iter().position(|byte| *byte == b'\n').unwrap_or(text.len() - at);
            }
            quote @ (b'"' | b'\'' | b'`') => at = end_of_literal(text, at, quote),
            b'{' => open.push(b'}'),
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            bracket @ (b'}' | b')' | b']') => match open.iter().rposition(|one| *one == bracket) {
                Some(place) => {
                    let unclosed = open.split_off(place + 1);
                    open.pop();
                    if !unclosed.is_empty() && !lacks.inner.is_empty() {
                        return None;
                    }
                    lacks.inner.extend(unclosed.into_iter().rev());
                }
                None if open.is_empty() => lacks.open.push(match bracket {
                    b'}' => b'{',
                    b')' => b'(',
                    _ => b'[',
                }),
                None => return None,
            },
            _ => {}
        }
        at += 1;
    }
    open.reverse();
    lacks.close = open;
    Some(lacks)
}

/// The last byte of a literal on one line; its quote itself if it does not end there.
fn end_of_literal(text: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < text.len() && text[at] != b'\n' {
        match text[at] {
            b'\\' => at += 1,
            byte if byte == quote => return at,
            _ => {}
        }
        at += 1;
    }
    start
}

fn is_aside(code: &[u8], layout: Layout) -> bool {
    let starts = |signs: &[&[u8]]| signs.iter().any(|sign| code.starts_with(sign));
    let is_page = || code.windows(2).any(|two| matches!(two, b"<?" | b"?>"));
    match layout {
        Layout::BracketsInPage if is_page() => true,
        // `#` begins a directive of C or a comment of PHP; attributes of Rust are code.
        Layout::Brackets | Layout::BracketsInPage => {
            starts(&[b"//", b"/*", b"* ", b"*/", b"#"]) && !starts(&[b"#[", b"#!["]) || code == b"*"
        }
        Layout::Indented => starts(&[b"#"]),
        Layout::Words => starts(&[b"#", b"--"]),
    }
}
