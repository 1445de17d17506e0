//! L1GHT: Markdown whose claims are typed by markers in brackets.
//!
//! ```text
//! document := header? line*
//! header   := "---" field* "---"            at the start; without the rules only if it names the protocol
//! field    := key ":" value | key ":" newline ("- " item newline)*
//! marker   := "[" glyph blank* key ":" value "]"
//! ```
//! A marker is none inside code, in a link (`[…](…)`, `[…]: …`) or behind a backslash; nor is a checkbox, which has no
//! glyph. `\` in front of a sign takes its meaning. [`parse`] of what [`write`] wrote yields the same document.

mod write;

use serde::Serialize;

use crate::text::{Line, fold_text, lines};

pub use write::write;

/// Lines of a header.
const MAX_HEADER_LINES: usize = 400;
/// Markers kept of one document.
const MAX_MARKERS: usize = 50_000;
/// Longest marker, in bytes.
const MAX_MARKER: usize = 2_000;
/// Hexadecimal digits of the hash in the id of a claim and of evidence.
const HASH_DIGITS: usize = 16;

/// A L1GHT document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LightDocument {
    /// Fields of the header, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub header: Vec<LightField>,
    /// Claims in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<LightClaim>,
    /// Relations of the whole document: those before the first claim.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<LightRelation>,
}

/// A field of the header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LightField {
    /// Its key as written.
    pub key: String,
    /// One value, or the items of a list.
    pub values: Vec<String>,
    /// Written as a list.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_list: bool,
}

/// Kind of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LightKind {
    /// A thing.
    Entity,
    /// A state or decision.
    State,
    /// Something that happened.
    Event,
    /// What stands in the way.
    Blocker,
    /// A danger.
    Warning,
}

/// What a marker says about a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LightQualifier {
    /// Relies on it.
    DependsOn,
    /// Is about this code.
    BindsTo,
    /// A test that checks it.
    Tests,
    /// How sure it is.
    Confidence,
    /// What is open about it.
    Ambiguity,
    /// Where it is shown.
    Evidence,
}

/// Glyph and key of the markers that open a claim.
const KINDS: &[(&str, &str, LightKind)] = &[
    ("⍂", "entity", LightKind::Entity),
    ("⍐", "state", LightKind::State),
    ("⍌", "event", LightKind::Event),
    ("RED", "blocker", LightKind::Blocker),
    ("AMBER", "warning", LightKind::Warning),
];
/// Glyph and key of the markers that say something about the claim before.
const QUALIFIERS: &[(&str, &str, LightQualifier)] = &[
    ("⟁", "depends_on", LightQualifier::DependsOn),
    ("⟁", "binds_to", LightQualifier::BindsTo),
    ("⟁", "tests", LightQualifier::Tests),
    ("𝔻", "confidence", LightQualifier::Confidence),
    ("𝔻", "ambiguity", LightQualifier::Ambiguity),
    ("𝔻", "evidence", LightQualifier::Evidence),
];

impl LightKind {
    /// Relation of the document to the claim, on the wire.
    pub const fn relation(self) -> &'static str {
        match self {
            Self::Entity => "declares_entity",
            Self::State => "declares_state",
            Self::Event => "declares_event",
            Self::Blocker => "declares_blocker",
            Self::Warning => "declares_warning",
        }
    }
}

impl LightQualifier {
    /// Relation of the claim to the target, on the wire.
    pub const fn relation(self) -> &'static str {
        match self {
            Self::DependsOn => "depends_on",
            Self::BindsTo => "binds_to",
            Self::Tests => "declares_test",
            Self::Evidence => "evidenced_by",
            Self::Confidence | Self::Ambiguity => "declares_metadata",
        }
    }
}

/// A statement with a marker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LightClaim {
    /// Heading (`## …`) above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Its kind.
    pub kind: LightKind,
    /// Text of its marker.
    pub value: String,
    /// The prose in front of the marker, on one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What is said about it, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<LightRelation>,
    /// Line of its marker. Not part of what the claim is.
    #[serde(skip)]
    pub line: u32,
}

/// Something that is said about a claim or a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LightRelation {
    /// What it says.
    pub qualifier: LightQualifier,
    /// Its text; the path of evidence.
    pub target: String,
    /// Line of evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Hash of the content of evidence when it was written: the first digits of its BLAKE3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

impl LightDocument {
    /// The value of a field of the header.
    pub fn field(&self, key: &str) -> Option<&str> {
        self.header.iter().find(|field| field.key == key)?.values.first().map(String::as_str)
    }
}

impl LightClaim {
    /// Identifies the claim within its document: depends on what it says, not on where it stands.
    pub fn key(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for part in [self.kind.relation(), self.section.as_deref().unwrap_or(""), &self.value, &self.text] {
            hasher.update(part.as_bytes());
            hasher.update(b"\0");
        }
        hasher.finalize().to_hex()[..HASH_DIGITS].to_owned()
    }
}

/// Whether a text is a L1GHT document: its header names the protocol, or it has two different markers.
pub fn is_light(text: &str) -> bool {
    let mut kinds: Vec<usize> = Vec::new();
    let (header, from) = header(text);
    if header.iter().any(|field| field.key == "Protocol" && field.values.iter().any(|value| value.starts_with("L1GHT")))
    {
        return true;
    }
    if !may_be_light(text.as_bytes()) {
        return false;
    }
    scan(text, from, &mut |_, piece| {
        if let Piece::Marker(marker) = piece
            && !kinds.contains(&marker.row)
        {
            kinds.push(marker.row);
        }
    });
    kinds.len() >= 2
}

/// Whether a text has two brackets in front of different glyphs or keys, in prose or not: most have none.
fn may_be_light(bytes: &[u8]) -> bool {
    let mut first = None;
    memchr::memchr_iter(b'[', bytes).any(|at| {
        let inner = &bytes[at + 1..];
        let row = rows().find(|(glyph, key)| {
            let rest = inner.strip_prefix(glyph.as_bytes());
            rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(key.as_bytes()))
        });
        row.is_some_and(|row| *first.get_or_insert(row) != row)
    })
}

/// Glyph and key of all markers.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let kinds = KINDS.iter().map(|(glyph, key, _)| (*glyph, *key));
    kinds.chain(QUALIFIERS.iter().map(|(glyph, key, _)| (*glyph, *key)))
}

/// Reads a document. Total: what is no marker is prose.
pub fn parse(text: &str) -> LightDocument {
    let (header, from) = header(text);
    let mut document = LightDocument { header, ..LightDocument::default() };
    let mut section: Option<String> = None;
    let mut prose = String::new();
    let mut count = 0;
    scan(text, from, &mut |line, piece| match piece {
        // The text before a marker is what it is about, up to a heading or an empty line.
        Piece::Section(title) => {
            section = Some(title);
            prose.clear();
        }
        Piece::Break => prose.clear(),
        Piece::Text(text) => {
            if !prose.is_empty() {
                prose.push(' ');
            }
            prose.push_str(&text);
        }
        Piece::Marker(_) if count >= MAX_MARKERS => {}
        Piece::Marker(marker) => {
            count += 1;
            // A marker opens a claim,
            if let Some((.., kind)) = KINDS.get(marker.row) {
                let text = fold_text(&std::mem::take(&mut prose));
                let claim = LightClaim {
                    section: section.clone(),
                    kind: *kind,
                    value: marker.value,
                    text,
                    relations: Vec::new(),
                    line,
                };
                document.claims.push(claim);
                return;
            }
            // or says something of the claim before; without one, of the document.
            let (.., qualifier) = QUALIFIERS[marker.row - KINDS.len()];
            let relation = relation(qualifier, marker.value);
            match document.claims.last_mut() {
                Some(claim) => claim.relations.push(relation),
                None => document.relations.push(relation),
            }
        }
    });
    document
}

fn relation(qualifier: LightQualifier, value: String) -> LightRelation {
    let none = |target| LightRelation { qualifier, target, line: None, hash: None };
    if qualifier != LightQualifier::Evidence {
        return none(value);
    }
    let (place, hash) = match value.rsplit_once(" blake3:") {
        Some((place, hash)) if hash.len() == HASH_DIGITS && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
            (place, Some(hash.to_owned()))
        }
        _ => (value.as_str(), None),
    };
    let number = place.rsplit_once(':').and_then(|(path, line)| {
        let plain = !path.is_empty() && line.bytes().all(|b| b.is_ascii_digit()) && !line.starts_with('0');
        Some((path, line.parse::<u32>().ok().filter(|_| plain)?))
    });
    let (path, line) = number.map_or((place, None), |(path, line)| (path, Some(line)));
    LightRelation { qualifier, target: path.to_owned(), line, hash }
}

/// The fields of the header and the byte at which the body starts.
fn header(text: &str) -> (Vec<LightField>, usize) {
    let mut rows = lines(text).take(MAX_HEADER_LINES).skip_while(|line| line.text.trim().is_empty()).peekable();
    let fenced = rows.peek().is_some_and(|line| line.text.trim_end() == "---");
    if fenced {
        rows.next();
    }
    let mut fields: Vec<LightField> = Vec::new();
    let mut end = 0;
    let mut closed = !fenced;
    for line in rows {
        let bare = line.text.trim_end();
        if fenced && bare == "---" {
            (end, closed) = (line.end, true);
            break;
        }
        if let Some(item) = bare.strip_prefix("- ")
            && let Some(field) = fields.last_mut().filter(|field| field.is_list)
        {
            field.values.push(item.trim().to_owned());
        } else if let Some((key, value)) = bare.split_once(':').filter(|(key, _)| is_key(key)) {
            let value = value.trim();
            let values = if value.is_empty() { Vec::new() } else { vec![value.to_owned()] };
            fields.push(LightField { key: key.to_owned(), values, is_list: value.is_empty() });
        } else if !fenced {
            break;
        }
        if !fenced {
            end = line.end;
        }
    }
    let is_light = fields.iter().any(|field| field.key == "Protocol");
    if closed && (fenced || is_light) { (fields, end) } else { (Vec::new(), 0) }
}

fn is_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.len() <= 60
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b' ' | b'-' | b'_'))
}

/// What a line is made of.
enum Piece {
    /// A heading (`## …`).
    Section(String),
    /// The end of a paragraph.
    Break,
    /// Prose.
    Text(String),
    Marker(Marker),
}

struct Marker {
    /// Number in [`KINDS`], or behind them in [`QUALIFIERS`].
    row: usize,
    value: String,
}

/// Reports the pieces of the body with their lines.
fn scan(text: &str, from: usize, report: &mut dyn FnMut(u32, Piece)) {
    let mut fence: Option<(char, usize)> = None;
    for line in lines(text).skip_while(|line| line.start < from) {
        let bare = line.text.trim();
        let sign = bare.chars().next().filter(|c| matches!(c, '`' | '~'));
        let run = sign.map_or(0, |sign| bare.chars().take_while(|c| *c == sign).count());
        if let Some((open, count)) = fence {
            if sign == Some(open) && run >= count && bare[run..].trim().is_empty() {
                fence = None;
            }
            continue;
        }
        if run >= 3 {
            fence = sign.map(|sign| (sign, run));
            report(line.number, Piece::Break);
            continue;
        }
        if bare.is_empty() {
            report(line.number, Piece::Break);
        } else if let Some(title) = bare.strip_prefix("## ") {
            report(line.number, Piece::Section(unescape(title.trim())));
        } else if bare.starts_with('#') && bare.trim_start_matches('#').starts_with(' ') {
            report(line.number, Piece::Break);
        } else {
            pieces(&line, bare, report);
        }
    }
}

/// Reports prose and markers of one line.
fn pieces(line: &Line<'_>, bare: &str, report: &mut dyn FnMut(u32, Piece)) {
    let mut prose = String::new();
    let mut rest = bare;
    for mark in ["- ", "* ", "+ ", "> "] {
        rest = rest.strip_prefix(mark).map_or(rest, str::trim_start);
    }
    let text = |prose: &mut String, report: &mut dyn FnMut(u32, Piece)| {
        let shown = fold_text(prose);
        prose.clear();
        if !shown.is_empty() {
            report(line.number, Piece::Text(shown));
        }
    };
    while let Some(c) = rest.chars().next() {
        // An escaped sign is text.
        if c == '\\' {
            let mut chars = rest.chars().skip(1);
            match chars.next().filter(char::is_ascii_punctuation) {
                Some(sign) => {
                    prose.push(sign);
                    rest = &rest[2..];
                }
                None => {
                    prose.push('\\');
                    rest = &rest[1..];
                }
            }
            continue;
        }
        // So is what stands in backticks, markers as well.
        if c == '`' {
            let run = rest.bytes().take_while(|b| *b == b'`').count();
            let close = rest[run..].find(&rest[..run]).map_or(run, |at| run + at + run);
            prose.push_str(&rest[..close]);
            rest = &rest[close..];
            continue;
        }
        // A marker ends the text before it.
        if c == '['
            && let Some((marker, after)) = marker(rest)
        {
            text(&mut prose, report);
            report(line.number, Piece::Marker(marker));
            rest = after;
            continue;
        }
        prose.push(c);
        rest = &rest[c.len_utf8()..];
    }
    text(&mut prose, report);
}

/// The marker at the start of a text, and what follows it.
fn marker(text: &str) -> Option<(Marker, &str)> {
    let inner = text.strip_prefix('[')?;
    let (row, rest) = rows().enumerate().find_map(|(row, (glyph, key))| {
        let rest = inner.strip_prefix(glyph)?.trim_start_matches(' ').strip_prefix(key)?;
        Some((row, rest.trim_start_matches(' ').strip_prefix(':')?))
    })?;
    let mut end = None;
    let mut escaped = false;
    for (at, c) in rest.char_indices().take(MAX_MARKER) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => return None,
            ']' => {
                end = Some(at);
                break;
            }
            _ => {}
        }
    }
    let end = end?;
    let after = &rest[end + 1..];
    let value = unescape(rest[..end].trim());
    let is_link = after.starts_with('(') || after.starts_with(':');
    (!value.is_empty() && !is_link).then_some((Marker { row, value }, after))
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = (c == '\\').then(|| chars.next_if(char::is_ascii_punctuation)).flatten();
        out.push(next.unwrap_or(c));
    }
    out
}
