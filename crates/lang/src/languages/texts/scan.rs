//! The pass over the bytes: brackets, names, commas, and the texts between them.

use super::embedded::{self, Found as Document};
use super::literal::{self, Syntax, is_word};
use super::{LITERALS, NAMED};
use crate::facts::TextUse;

/// Brackets that may be open; deeper ones are read as if they were not there.
const MAX_OPEN: usize = 256;
/// Longest list of type arguments between a callee and its arguments, in bytes.
const MAX_GENERICS: usize = 120;

/// Callees that only put texts together: the text counts as that of the call around.
const MAKERS: &[&str] =
    &["format", "Sprintf", "URL", "create", "parse", "url", "reverse_lazy", "quote", "encodeURI", "valueOf", "String"];
/// Callees whose first text is a prefix of the routes inside.
const AROUND: &[&str] = &[
    "Group", "MapGroup", "Mount", "Route", "group", "mount", "namespace", "nest", "prefix", "resources", "route",
    "scope",
];
/// Arguments whose value counts even if it is only a name.
const PREFIXES: &[&str] = &["baseURL", "baseUrl", "base_url", "prefix", "prefixUrl", "url_prefix"];
/// Words before brackets that are no callees.
const KEYWORDS: &[&str] = &[
    "if", "for", "while", "switch", "return", "catch", "function", "func", "in", "and", "or", "not", "match", "await",
];

/// A text that was found.
#[derive(Debug)]
pub(super) struct Found<'t> {
    /// First byte and text of the last name of the callee.
    pub(super) callee: Option<(usize, &'t str)>,
    pub(super) place: u8,
    pub(super) key: Option<&'t str>,
    pub(super) text: String,
    pub(super) around: String,
    /// First byte.
    pub(super) start: usize,
}

/// What stands before the next part of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Last {
    #[default]
    Start,
    Join,
    Operand,
}

/// An expression that may be a text.
#[derive(Debug, Default)]
struct Draft {
    text: String,
    /// First byte of its first literal.
    start: Option<usize>,
    /// Its last part is a name, which may go on.
    open_name: bool,
    last: Last,
}

impl Draft {
    /// Forgets everything but the memory of the text: most expressions are no texts, and there are as many as brackets
    /// and commas.
    fn reset(&mut self) {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        *self = Self { text, ..Self::default() };
    }
}

#[derive(Debug, Default)]
struct Frame<'t> {
    callee: Option<(usize, &'t str)>,
    /// A closing bracket ends it; `\0` for the file.
    close: u8,
    is_call: bool,
    place: u8,
    key: Option<&'t str>,
    draft: Draft,
    first: Option<String>,
    /// Its text is one of the call around.
    makes: bool,
}

struct Scan<'t> {
    syntax: Syntax,
    text: &'t str,
    bytes: &'t [u8],
    frames: Vec<Frame<'t>>,
    /// Texts of frames that were taken off, for their memory.
    spare: Vec<String>,
    /// Brackets beyond the limit.
    deeper: usize,
    /// The last name and the byte behind it.
    name: Option<(usize, usize)>,
    /// The last byte that is no space or comment.
    before: u8,
    found: Vec<Found<'t>>,
    documents: Vec<Document<'t>>,
}

/// All texts of a file that a call, decorator or name is given, in order of where they end, and the texts that are of
/// another language.
pub(super) fn scan(syntax: Syntax, text: &str) -> (Vec<Found<'_>>, Vec<Document<'_>>) {
    let frames = vec![Frame::default()];
    let bytes = text.as_bytes();
    let (found, documents) = (Vec::new(), Vec::new());
    let spare = Vec::new();
    let mut scan = Scan { syntax, text, bytes, frames, spare, deeper: 0, name: None, before: b';', found, documents };
    let mut at = 0;
    while at < bytes.len() {
        at = scan.step(at);
    }
    scan.end_value();
    (scan.found, scan.documents)
}

impl<'t> Scan<'t> {
    fn top(&mut self) -> &mut Frame<'t> {
        self.frames.last_mut().expect("the frame of the file is never taken off")
    }

    /// Reads what begins at a byte and returns where the next thing begins.
    fn step(&mut self, at: usize) -> usize {
        let byte = self.bytes[at];
        if byte == b'\n' {
            // In these languages a line ends the expression, unless brackets or an operator hold it open.
            if self.syntax.lines_end && self.top().close != b')' && self.top().close != b']' {
                let goes_on =
                    self.top().draft.last == Last::Join || matches!(self.before, b'=' | b':' | b',' | b'|' | b'?');
                if !goes_on {
                    self.end_value();
                }
            }
            return at + 1;
        }
        if byte.is_ascii_whitespace() {
            return at + 1;
        }
        if let Some(end) = self.comment(at) {
            return end;
        }
        // Words know themselves what they were; for signs the last byte decides what may follow.
        if is_word(byte) {
            return self.word(at);
        }
        let end = match byte {
            b'"' | b'\'' | b'`' => self.quote(at),
            b'(' | b'[' | b'{' => self.open(at),
            b')' | b']' | b'}' => self.close(byte, at),
            b'/' if self.syntax.regex && self.begins_regex() => self.regex(at),
            _ => self.sign(at),
        };
        self.before = self.bytes[end - 1];
        end
    }

    fn comment(&self, at: usize) -> Option<usize> {
        let rest = &self.bytes[at..];
        if self.syntax.blocks && rest.starts_with(b"/*") {
            return Some(self.text[at..].find("*/").map_or(self.bytes.len(), |end| at + end + 2));
        }
        let is_line = self.syntax.line.iter().any(|mark| rest.starts_with(mark.as_bytes()));
        is_line.then(|| at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()))
    }

    fn word(&mut self, at: usize) -> usize {
        let end = at + self.bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
        let word = &self.text[at..end];
        let quoted = self.bytes.get(end).is_some_and(|byte| matches!(byte, b'"' | b'\''));
        if quoted && word.len() <= 2 {
            // The prefix of a literal.
            self.before = word.as_bytes()[word.len() - 1];
            return end;
        }
        self.name = Some((at, end));
        let after_dot = self.before == b'.' || self.before == b'>';
        let draft = &mut self.top().draft;
        if draft.open_name
            && after_dot
            && draft.text.ends_with('}')
            && draft.text.len() + word.len() < TextUse::MAX_TEXT
        {
            draft.text.truncate(draft.text.len() - 1);
            draft.text.push('.');
            draft.text.push_str(word);
            draft.text.push('}');
        } else if !matches!(draft.last, Last::Operand) && !KEYWORDS.contains(&word) && word != "new" && word != "const"
        {
            if draft.text.len() + word.len() < TextUse::MAX_TEXT {
                literal::push_hole(&mut draft.text, word);
            }
            (draft.open_name, draft.last) = (true, Last::Operand);
        } else if !after_dot {
            // Two words in a row: the earlier one was a keyword or a type.
            if draft.open_name && draft.start.is_none() {
                draft.text.clear();
                literal::push_hole(&mut draft.text, word);
            }
        }
        self.before = self.bytes[end - 1];
        end
    }

    fn quote(&mut self, at: usize) -> usize {
        let byte = self.bytes[at];
        let is_text = match byte {
            b'\'' => self.syntax.single,
            b'`' => self.syntax.back,
            _ => true,
        };
        if !is_text {
            return self.character(at);
        }
        let prefix = if at > 0 { self.bytes[at - 1] } else { 0 };
        let prefix = if is_word(prefix) || prefix == b'@' || prefix == b'$' { prefix } else { 0 };
        let literal = literal::read(&self.syntax, self.text, at, prefix);
        self.keep_document(at, literal.end);
        let draft = &mut self.top().draft;
        let joins =
            draft.last == Last::Join || (draft.last == Last::Operand && draft.start.is_some() && !draft.open_name);
        if !joins {
            draft.text.clear();
        }
        match literal.text {
            Some(text) if draft.text.len() + text.len() <= TextUse::MAX_TEXT => draft.text.push_str(&text),
            _ => draft.text.clear(),
        }
        draft.start = draft.start.or(Some(at));
        (draft.open_name, draft.last) = (false, Last::Operand);
        // A text that is not closed is an apostrophe.
        literal.end.max(at + 1)
    }

    /// Keeps a literal that is a text of another language.
    fn keep_document(&mut self, at: usize, end: usize) {
        // A text that nothing is done with describes what it stands in.
        let is_alone = self.syntax.triple && matches!(self.before, b':' | b';') && self.top().close != b'}';
        let tag = self.name.map_or("", |(start, end)| if end == at { &self.text[start..end] } else { "" });
        if !is_alone && let Some(document) = embedded::of_literal(self.text, at, end, tag) {
            self.documents.push(document);
        }
    }

    /// A character, or the mark of a lifetime.
    fn character(&self, at: usize) -> usize {
        let rest = &self.bytes[at + 1..];
        let skip = if rest.first() == Some(&b'\\') { 2 } else { 1 };
        let close = rest.iter().skip(skip).take(10).position(|byte| *byte == b'\'');
        match close {
            Some(close) if close < 4 || skip == 2 => at + 1 + skip + close + 1,
            _ => at + 1,
        }
    }

    fn begins_regex(&self) -> bool {
        !(is_word(self.before) || matches!(self.before, b')' | b']' | b'}' | b'"' | b'\'' | b'`' | b'<'))
    }

    fn regex(&self, at: usize) -> usize {
        let mut in_class = false;
        let mut next = at + 1;
        while let Some(&byte) = self.bytes.get(next) {
            match byte {
                b'\n' => return at + 1,
                b'\\' => next += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => return next + 1,
                _ => {}
            }
            next += 1;
        }
        at + 1
    }

    /// The name in front of a bracket that calls it.
    fn callee(&self, at: usize) -> Option<(usize, &'t str)> {
        let (start, end) = match self.before {
            b'>' => self.before_generics(at)?,
            _ => self.name?,
        };
        let between = self.text.get(end..at)?.trim();
        let name = &self.text[start..end];
        let calls = self.before == b'>' || between.is_empty() || between == "!" || between == "?.";
        (calls && !KEYWORDS.contains(&name)).then_some((start, name))
    }

    /// The name in front of the type arguments that end before a bracket.
    fn before_generics(&self, at: usize) -> Option<(usize, usize)> {
        let start = at.saturating_sub(MAX_GENERICS);
        let mut depth = 0u32;
        let open = (start..at).rev().find(|&at| {
            match self.bytes[at] {
                b'>' => depth += 1,
                b'<' => depth = depth.saturating_sub(1),
                _ => return false,
            }
            depth == 0
        })?;
        let end = if self.bytes[..open].ends_with(b"::") { open - 2 } else { open };
        let length = self.bytes[..end].iter().rev().take_while(|byte| is_word(**byte)).count();
        (length > 0).then_some((end - length, end))
    }

    /// Returns whether a brace behind the name of a type begins a value of it, not a body.
    fn is_literal(&self, name: usize, brace: usize) -> bool {
        if self.syntax.back && self.syntax.holes == literal::Holes::None {
            // Go writes no space there.
            return !self.bytes[brace - 1].is_ascii_whitespace();
        }
        let path = self.bytes[..name].iter().rev().take_while(|byte| is_word(**byte) || **byte == b':').count();
        let before = self.bytes[..name - path].iter().rev().find(|byte| !byte.is_ascii_whitespace());
        !self.syntax.single && before.is_some_and(|byte| matches!(byte, b'(' | b',' | b'=' | b'[' | b'&'))
    }

    fn open(&mut self, at: usize) -> usize {
        let byte = self.bytes[at];
        if self.frames.len() >= MAX_OPEN {
            self.deeper += 1;
            return at + 1;
        }
        let callee = match byte {
            b'(' => self.callee(at),
            b'{' => self.callee(at).filter(|(start, name)| LITERALS.contains(name) && self.is_literal(*start, at)),
            _ => None,
        };
        let draft = Draft { text: self.spare.pop().unwrap_or_default(), ..Draft::default() };
        let mut frame = Frame { close: if byte == b'(' { b')' } else { byte + 2 }, draft, ..Frame::default() };
        let before = self.before;
        let above = self.top();
        if let Some(callee) = callee {
            (frame.callee, frame.is_call) = (Some(callee), true);
            frame.makes = MAKERS.contains(&callee.1) && above.draft.open_name || callee.1 == "format";
        } else {
            let is_body = byte == b'{' && (matches!(before, b')' | b'>' | b';' | b'{' | b'}') || is_word(before));
            if !is_body {
                (frame.callee, frame.place, frame.key) = (above.callee, above.place, above.key);
            }
            frame.makes = byte == b'(' && !above.is_call;
        }
        self.frames.push(frame);
        self.name = None;
        at + 1
    }

    fn close(&mut self, byte: u8, at: usize) -> usize {
        if self.deeper > 0 {
            self.deeper -= 1;
            return at + 1;
        }
        let Some(place) = self.frames.iter().rposition(|frame| frame.close == byte).filter(|place| *place > 0) else {
            return at + 1;
        };
        while self.frames.len() > place {
            let makes = self.top().makes;
            if !makes {
                self.end_value();
            }
            let Some(mut frame) = self.frames.pop() else { break };
            if makes {
                self.take_over(frame);
            } else {
                frame.draft.reset();
                self.spare.push(frame.draft.text);
            }
            self.top().draft.last = Last::Operand;
            if !makes {
                // A call of a text or name makes something else of it.
                self.top().draft.open_name = false;
            }
        }
        self.name = None;
        at + 1
    }

    /// Makes the text of a call that puts texts together one of the call around.
    fn take_over(&mut self, frame: Frame<'t>) {
        let text = frame.first.unwrap_or(frame.draft.text);
        let draft = &mut self.top().draft;
        let Some(start) = frame.draft.start.filter(|_| !text.is_empty()) else { return };
        if draft.open_name {
            // The name is that of the maker, the last part of the text so far.
            draft.text.truncate(draft.text.rfind('{').unwrap_or(0));
        }
        if draft.text.len() + text.len() <= TextUse::MAX_TEXT {
            draft.text.push_str(&text);
        }
        draft.start = draft.start.or(Some(start));
        (draft.open_name, draft.last) = (false, Last::Operand);
    }

    fn sign(&mut self, at: usize) -> usize {
        let byte = self.bytes[at];
        let next = self.bytes.get(at + 1).copied().unwrap_or(0);
        match byte {
            b',' => {
                let frame = self.top();
                if frame.makes && frame.is_call {
                    // Of a text that is filled in, only the pattern counts.
                    let text = std::mem::take(&mut frame.draft.text);
                    frame.first.get_or_insert(text);
                    frame.draft.last = Last::Start;
                } else {
                    let key = self.top().key;
                    self.end_value();
                    let frame = self.top();
                    if frame.is_call {
                        frame.place = frame.place.saturating_add(1);
                    } else if frame.close == b']' {
                        frame.key = key;
                    }
                }
            }
            b';' => self.end_value(),
            b'=' if !matches!(next, b'=' | b'>' | b'~') && !matches!(self.before, b'=' | b'!' | b'<' | b'>') => {
                self.take_key(true);
            }
            b':' if next == b':' => return at + 2,
            b':' if next == b'=' => {}
            b':' => self.take_key(false),
            b'.' if next == b'.' && self.syntax.joins != "." => return at + 2,
            b'?' if next == b'.' => return at + 1,
            _ if self.syntax.joins.as_bytes() == [byte] && next != b'=' => {
                let draft = &mut self.top().draft;
                if draft.last == Last::Operand {
                    (draft.last, draft.open_name) = (Last::Join, false);
                }
            }
            b'.' | b'!' | b'@' | b'#' | b'&' | b'$' => {}
            _ => {
                let key = self.top().key;
                self.end_value();
                self.top().key = key;
            }
        }
        at + 1
    }

    /// What was read so far is the name of what follows.
    fn take_key(&mut self, assigns: bool) {
        let name = self.name.map(|(start, end)| &self.text[start..end]);
        let frame = self.top();
        let quoted = frame.draft.start.take().filter(|_| !frame.draft.text.contains(['{', '/']));
        // `name: type = text` keeps the name.
        let key = match (assigns, frame.key) {
            (true, Some(key)) if frame.close != b')' => Some(key),
            _ => name,
        };
        frame.draft.reset();
        frame.key = key;
        if let Some(start) = quoted {
            let rest = &self.text[start + 1..];
            let length = rest.bytes().take_while(|byte| is_word(*byte) || *byte == b'-').count();
            self.top().key = Some(&rest[..length]);
        }
    }

    /// Ends the expression: if it is a text, it is found.
    fn end_value(&mut self) {
        let top = self.frames.last().expect("the frame of the file is never taken off");
        // Prefixes that the calls around give to a route inside of them.
        let around = || -> String {
            let outer = self.frames.iter().filter(|frame| frame.is_call && frame.callee != top.callee);
            let prefixes = outer.filter(|frame| frame.callee.is_some_and(|(_, name)| AROUND.contains(&name)));
            prefixes.filter_map(|frame| frame.first.as_deref()).collect()
        };
        let is_text = top.draft.start.is_some() && (!top.draft.text.is_empty() || top.callee.is_some());
        let around = if is_text && (top.callee.is_some() || top.key.is_some()) { around() } else { String::new() };
        let frame = self.top();
        let mut draft = std::mem::take(&mut frame.draft);
        let key = frame.key.take();
        let names_prefix = draft.open_name && key.is_some_and(|key| PREFIXES.contains(&key)) && frame.callee.is_some();
        let names_it = draft.open_name && frame.callee.is_some_and(|(_, name)| NAMED.contains(&name));
        let place = self.name.map(|(start, _)| start).filter(|_| names_prefix || names_it);
        let frame = self.top();
        let Some(start) = draft.start.filter(|_| is_text).or(place) else {
            draft.reset();
            frame.draft = draft;
            return;
        };
        // The first text of a call is the prefix for what is nested in it.
        if frame.is_call && frame.place == 0 && key.is_none() && frame.first.is_none() {
            frame.first = Some(draft.text.clone());
        }
        let (callee, place) = (frame.callee, frame.place);
        let known = self.documents.last().is_some_and(|last| last.end() > start);
        if is_text
            && !known
            && let Some(document) = embedded::of_parts(&draft.text, start)
        {
            self.documents.push(document);
        }
        // A text that is neither an argument nor the value of a name means nothing here.
        if callee.is_none() && key.is_none() {
            return;
        }
        self.found.push(Found { callee, place, key, text: draft.text, around, start });
    }
}
