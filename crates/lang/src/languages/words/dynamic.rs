//! Names that code makes when it runs: members that are looked up by a computed name, and the texts that such names
//! are put together from.
//!
//! A text with a hole (`"handle_" + name`) is a pattern of names. It counts in files that look something up by a
//! computed name, because the text is often made in another statement than the one that looks it up.

mod paste;

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::{Around, Finder, before, behind, is_word, word_end};
use crate::Language;
use crate::facts::{DynamicName, NameId, NameReceiver};
use crate::lines::Lines;
use crate::strings::Span;

/// Maximum patterns of a file.
const MAX_PATTERNS: usize = 256;
/// Longest key between brackets that is looked through, in bytes.
const MAX_KEY: usize = 200;
/// Shortest text of a pattern of unknown members, in bytes: a shorter one fits too much.
const MIN_TEXT: usize = 2;

/// A function that finds something by its name.
struct LookUp {
    name: &'static str,
    /// The family of its language; `None` if several have it.
    family: Option<Language>,
    /// Its first argument has what it finds; else the name is the first.
    has_receiver: bool,
}

const fn of(family: Language, name: &'static str) -> LookUp {
    LookUp { name, family: Some(family), has_receiver: false }
}

static LOOK_UPS: &[LookUp] = &[
    LookUp { name: "getattr", family: Some(Language::Python), has_receiver: true },
    of(Language::Python, "__import__"),
    of(Language::Python, "attrgetter"),
    of(Language::Python, "import_module"),
    of(Language::Python, "import_string"),
    of(Language::Python, "methodcaller"),
    of(Language::Ruby, "__send__"),
    of(Language::Ruby, "const_get"),
    of(Language::Ruby, "instance_method"),
    of(Language::Ruby, "method"),
    of(Language::Ruby, "public_send"),
    of(Language::Ruby, "send"),
    of(Language::Java, "forName"),
    of(Language::Java, "getDeclaredField"),
    of(Language::Java, "getDeclaredMethod"),
    of(Language::Java, "getField"),
    of(Language::Java, "getMethod"),
    of(Language::Java, "loadClass"),
    of(Language::Go, "Lookup"),
    of(Language::Go, "MethodByName"),
    of(Language::C, "GetProcAddress"),
    of(Language::C, "dlsym"),
    of(Language::C, "invokeMethod"),
    of(Language::CSharp, "CreateInstance"),
    of(Language::CSharp, "GetMethod"),
    of(Language::CSharp, "GetRuntimeMethod"),
    of(Language::CSharp, "GetType"),
    of(Language::CSharp, "InvokeMember"),
    of(Language::Php, "call_user_func"),
    of(Language::Php, "call_user_func_array"),
    of(Language::Php, "is_callable"),
    of(Language::Php, "method_exists"),
    of(Language::Swift, "NSClassFromString"),
    of(Language::Swift, "NSSelectorFromString"),
    LookUp { name: "eval", family: None, has_receiver: false },
];

/// What has a member that is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Receiver {
    Own,
    /// What the name at this byte means.
    Named(usize),
    Unknown,
}

/// What a file has of names that are made when it runs.
#[derive(Default)]
pub(super) struct Dynamic {
    /// Texts with a hole, by where they begin.
    texts: Vec<(usize, String)>,
    /// Where members are looked up by a computed name, with what has them.
    look_ups: Vec<(usize, Receiver)>,
    /// Patterns of the names that macros make, by where they are made.
    pastes: paste::Pastes,
}

impl Dynamic {
    /// Notes a call at a name that may find a member by a computed name.
    pub(super) fn call(&mut self, language: Language, bytes: &[u8], word: Range<usize>) {
        let name = &bytes[word.clone()];
        let family = language.family();
        if family == Language::C {
            self.pastes.add_use(bytes, word.clone());
        }
        let open = word.end + bytes[word.end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let start = match bytes.get(open) {
            Some(b'(') => open + 1,
            // Calls of Ruby need no brackets.
            Some(_) if language == Language::Ruby => open,
            _ => return,
        };
        let fits = |row: &&LookUp| row.name.as_bytes() == name && row.family.is_none_or(|known| known == family);
        let Some(LookUp { has_receiver, .. }) = LOOK_UPS.iter().find(fits) else { return };
        let first = argument(bytes, start);
        let (receiver, name) = match has_receiver {
            true => (receiver_of(&bytes[first.clone()]), argument(bytes, first.end + 1)),
            false => (own_call(language, bytes, word.start), first.clone()),
        };
        let key = &bytes[name];
        if is_computed(key) {
            let receiver = receiver.unwrap_or(Receiver::Named(first.start));
            self.look_ups.push((word.start, if has_text(key) { Receiver::Unknown } else { receiver }));
        }
    }

    /// Notes an element that is taken by a computed name, where elements are members.
    pub(super) fn bracket(&mut self, language: Language, bytes: &[u8], open: usize) {
        let Some((last, byte)) = before(bytes, open).filter(|(_, byte)| is_word(*byte) || *byte == b')') else {
            return;
        };
        let word_start = bytes[..=last].iter().rposition(|byte| !is_word(*byte)).map_or(0, |end| end + 1);
        let word = &bytes[word_start..=last];
        let is_table = byte == b')' && ends_with_call(bytes, last) || matches!(word, b"__dict__" | b"modules" | b"_G");
        let has_members = language.family() == Language::JavaScript || language == Language::Lua || is_table;
        let close = close_of(bytes, open);
        let next = behind(bytes, close + 1);
        let is_set = next.starts_with(b"=") && !next.starts_with(b"==") && !next.starts_with(b"=>");
        let key = &bytes[open + 1..close];
        if !has_members || is_set || !is_computed(key) {
            return;
        }
        let is_called = next.starts_with(b"(") || next.starts_with(b"?.(") || next.starts_with(b".call(");
        let receiver = match word {
            b"this" | b"self" => Receiver::Own,
            _ if is_table => Receiver::Unknown,
            _ if !is_called && !has_text(key) => return,
            _ => Receiver::Named(word_start),
        };
        let receiver = if has_text(key) { Receiver::Unknown } else { receiver };
        self.look_ups.push((open, receiver));
    }

    /// Notes `->$name(`, `::$name(` and `new $name` of PHP.
    pub(super) fn variable(&mut self, bytes: &[u8], dollar: usize) {
        let end = word_end(bytes, dollar + 1);
        let Some((at, _)) = before(bytes, dollar) else { return };
        let is_member =
            bytes[..=at].ends_with(b"->") || bytes[..=at].ends_with(b"::") || bytes[..=at].ends_with(b"->{");
        let is_made = bytes[..=at].ends_with(b"new");
        let is_called = behind(bytes, end).first().is_some_and(|byte| matches!(byte, b'(' | b'}'));
        if !is_made && !is_called {
            return;
        }
        let is_own = is_member
            && [&b"$this->"[..], b"$this->{", b"self::", b"static::"].iter().any(|own| bytes[..=at].ends_with(own));
        self.look_ups.push((dollar, if is_own { Receiver::Own } else { Receiver::Unknown }));
    }

    /// Notes a literal that is part of a name that is put together.
    pub(super) fn literal(&mut self, language: Language, bytes: &[u8], span: &Span, from: usize) {
        if self.texts.len() >= MAX_PATTERNS {
            return;
        }
        let (start, end) = (from + span.range.start, from + span.range.end);
        let content = &bytes[from + span.content.start..from + span.content.end];
        let pattern = match holes(content) {
            Some(pattern) => Some(pattern),
            None if !content.is_empty() && content.iter().all(|byte| is_word(*byte) || *byte == b'.') => {
                find_joined(language, bytes, start, end, content)
            }
            None => None,
        };
        self.texts.extend(pattern.map(|pattern| (start, pattern)));
    }

    /// Notes `name_$part` of a shell, which runs what it is put together to.
    pub(super) fn shell_word(&mut self, bytes: &[u8], word: Range<usize>) {
        if bytes.get(word.end) == Some(&b'$') && self.texts.len() < MAX_PATTERNS {
            self.texts.push((word.start, format!("{}*", String::from_utf8_lossy(&bytes[word.clone()]))));
            self.look_ups.push((word.start, Receiver::Unknown));
        }
    }

    /// Notes `##` in the text of a macro, which joins names.
    pub(super) fn read_paste(&mut self, bytes: &[u8], at: usize) {
        self.pastes.add_text(bytes, at);
    }

    /// Passes on what was found, if names are looked up or made.
    pub(super) fn finish(mut self, finder: &mut Finder<'_>) {
        let pastes = std::mem::take(&mut self.pastes).into_patterns();
        if self.look_ups.is_empty() {
            self.texts.clear();
        }
        if self.look_ups.is_empty() && pastes.is_empty() {
            return;
        }
        self.look_ups.retain(|(_, receiver)| *receiver != Receiver::Unknown);
        self.look_ups.truncate(MAX_PATTERNS);
        let rows = self.look_ups.into_iter().map(|(at, receiver)| (at, "*".to_owned(), receiver));
        let texts = self.texts.into_iter().chain(pastes).map(|(at, pattern)| (at, pattern, Receiver::Unknown));
        let mut rows: Vec<(usize, String, Receiver)> = rows.chain(texts).collect();
        rows.sort_by_key(|(at, _, _)| *at);
        let mut lines = Lines::new(finder.text);
        let mut around = Around::default();
        let mut names: FxHashMap<String, NameId> = FxHashMap::default();
        for (at, pattern, receiver) in rows {
            let enclosing = around.at(finder.facts, at);
            let receiver = match receiver {
                Receiver::Own => NameReceiver::Own,
                Receiver::Named(byte) => NameReceiver::Named(lines.pos(byte)),
                Receiver::Unknown => NameReceiver::Unknown,
            };
            let name = *names.entry(pattern).or_insert_with_key(|text| finder.words.names.push(text));
            finder.words.dynamic.push(DynamicName { pattern: name, receiver, enclosing, pos: lines.pos(at) });
        }
    }
}

/// What the first argument of a look-up says of what has the member.
fn receiver_of(argument: &[u8]) -> Option<Receiver> {
    match argument.trim_ascii() {
        b"self" | b"cls" | b"this" | b"type(self)" | b"self.__class__" => Some(Receiver::Own),
        word if word.iter().all(|byte| is_word(*byte)) => None,
        _ => Some(Receiver::Unknown),
    }
}

/// A call without a receiver, or of `self`, where that finds members of the own class.
fn own_call(language: Language, bytes: &[u8], start: usize) -> Option<Receiver> {
    let is_own = bytes[..start].ends_with(b"self.") || !bytes[..start].ends_with(b".");
    let is_member = language == Language::Ruby && is_own;
    Some(if is_member { Receiver::Own } else { Receiver::Unknown })
}

/// The argument that begins at a place, up to the comma or bracket that ends it.
fn argument(bytes: &[u8], start: usize) -> Range<usize> {
    let start = start.min(bytes.len());
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().skip(start).take(MAX_KEY) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return start..at,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => return start..at,
            _ => {}
        }
    }
    start..bytes.len().min(start + MAX_KEY)
}

/// The end of the bracket that opens at a place, or the place where the search for it stops.
fn close_of(bytes: &[u8], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().skip(open).take(MAX_KEY) {
        match byte {
            b'[' => depth += 1,
            b']' if depth == 1 => return at,
            b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    open + 1
}

/// Returns whether an expression is not only a literal or a number: the name is not there to be read.
fn is_computed(key: &[u8]) -> bool {
    let key = key.trim_ascii();
    let is_literal = |quote: u8| {
        key.len() > 1 && key[0] == quote && key[1..].iter().position(|byte| *byte == quote) == Some(key.len() - 2)
    };
    let has_hole = key.windows(2).any(|pair| matches!(pair, b"${" | b"#{"));
    let is_literal = (is_literal(b'"') || is_literal(b'\'') || is_literal(b'`')) && !has_hole;
    let is_symbol = key.starts_with(b":") && !key.starts_with(b":\"");
    let is_number = key.iter().all(|byte| byte.is_ascii_digit());
    !is_literal && !is_symbol && !is_number && !key.is_empty()
}

/// Returns whether a name is put together from a text, which then says what it fits.
fn has_text(key: &[u8]) -> bool {
    key.iter().any(|byte| matches!(byte, b'"' | b'\'' | b'`'))
}

/// Returns whether the call that ends at a bracket yields the names of a scope or an object.
fn ends_with_call(bytes: &[u8], close: usize) -> bool {
    let from = close.saturating_sub(MAX_KEY);
    let open = bytes[from..close].iter().rposition(|byte| *byte == b'(').map_or(0, |open| from + open);
    [&b"globals"[..], b"locals", b"vars"].iter().any(|name| bytes[..open].ends_with(name))
}

/// The pattern of a text that has holes and is a name otherwise.
fn holes(content: &[u8]) -> Option<String> {
    let begins = |at: usize| {
        let rest = &content[at..];
        rest.starts_with(b"${")
            || rest.starts_with(b"#{")
            || rest.starts_with(b"{")
            || rest.starts_with(b"\\(")
            || rest.starts_with(b"%s")
            || rest.starts_with(b"%d")
            || rest.starts_with(b"$") && rest.get(1).is_some_and(|byte| is_word(*byte))
    };
    let first = (0..content.len()).find(|at| begins(*at))?;
    let end = content.iter().rposition(|byte| matches!(byte, b'}' | b')'));
    let formatted = content.windows(2).rposition(|pair| matches!(pair, b"%s" | b"%d")).map(|at| at + 1);
    let last = match end.or(formatted).filter(|last| *last > first) {
        Some(last) => last + 1,
        // `$name` goes on as long as it is a name.
        None => word_end(content, first + 1),
    };
    pattern(&content[..first], &content[last..])
}

/// The pattern of a literal that is joined with something else.
fn find_joined(language: Language, bytes: &[u8], start: usize, end: usize, content: &[u8]) -> Option<String> {
    let joins = |byte: u8| match language {
        Language::Php => byte == b'.',
        Language::Lua => byte == b'.',
        _ => matches!(byte, b'+' | b'%'),
    };
    let is_behind = before(bytes, start).is_some_and(|(at, byte)| joins(byte) && bytes[..at].last() != Some(&b'+'));
    let is_before = behind(bytes, end).first().is_some_and(|byte| joins(*byte));
    match (is_behind, is_before) {
        (false, true) => pattern(content, b""),
        (true, _) => pattern(b"", content),
        (false, false) => None,
    }
}

/// Joins what stands in front of a hole and behind it; of a path only the last name counts.
fn pattern(front: &[u8], back: &[u8]) -> Option<String> {
    let front = front.iter().rposition(|byte| matches!(byte, b'.' | b':' | b'/')).map_or(front, |at| &front[at + 1..]);
    let is_name = front.iter().chain(back).all(|byte| is_word(*byte));
    (is_name && front.len() + back.len() >= MIN_TEXT)
        .then(|| format!("{}*{}", String::from_utf8_lossy(front), String::from_utf8_lossy(back)))
}
