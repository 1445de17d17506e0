//! Texts in code that are of another language: statements of SQL, schemas and documents of GraphQL.

use crate::facts::{DefId, FileFacts, Shared, SharedKind};
use crate::languages::schema::graphql::{self, Root, What};
use crate::languages::schema::sql;
use crate::lines::Lines;

/// Longest text that is read, in bytes.
const MAX_BYTES: usize = 64 << 10;
/// Bytes of code that a text in several literals goes over.
const MAX_JOINED: usize = 8 << 10;
/// Names that the texts of one file share with other programs.
const MAX_SHARED: usize = 4_096;
/// Words that documents and schemas of GraphQL begin with.
const GRAPHQL: &[&str] = &[
    "query", "mutation", "subscription", "type", "extend", "schema", "input", "interface", "enum", "scalar", "fragment",
];
/// Tags of GraphQL literals.
const TAGS: &[&str] = &["gql", "graphql"];

/// A text of another language.
#[derive(Debug)]
pub(super) struct Found<'t> {
    language: Inner,
    /// As it is written.
    text: std::borrow::Cow<'t, str>,
    /// First byte of its content; positions in texts put together are unknown, they all count as their start.
    start: usize,
    is_joined: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inner {
    Sql,
    GraphQl,
}

impl Found<'_> {
    /// Byte behind its literal, or its start if it is put together from several.
    pub(super) fn end(&self) -> usize {
        self.start + if self.is_joined { 0 } else { self.text.len() + 1 }
    }
}

/// The text between two quotes, if it is of another language. `tag` is a name directly in front of it.
pub(super) fn of_literal<'t>(text: &'t str, at: usize, end: usize, tag: &str) -> Option<Found<'t>> {
    let quote = *text.as_bytes().get(at)?;
    let literal = &text[at..end];
    let width = literal.bytes().take_while(|byte| *byte == quote).count().min(3);
    let width = if width == 3 && literal.len() >= 6 { 3 } else { 1 };
    let content = literal.get(width..literal.len().checked_sub(width)?)?;
    let language = language(content, tag)?;
    Some(Found { language, text: content.into(), start: at + width, is_joined: false })
}

/// A text that is put together from several, if it is SQL.
pub(super) fn of_parts<'t>(text: &str, start: usize) -> Option<Found<'t>> {
    (language(text, "")? == Inner::Sql).then(|| Found {
        language: Inner::Sql,
        text: text.to_owned().into(),
        start,
        is_joined: true,
    })
}

fn language(content: &str, tag: &str) -> Option<Inner> {
    let is_tagged = TAGS.contains(&tag);
    let start = content.trim_start();
    let first = *start.as_bytes().first()?;
    if content.len() > MAX_BYTES || !(first.is_ascii_alphabetic() || is_tagged) {
        return None;
    }
    let word = &start[..start.bytes().take_while(u8::is_ascii_alphabetic).count()];
    let is_graphql = is_tagged || GRAPHQL.contains(&word) && is_schema(start, word);
    if is_graphql {
        return Some(Inner::GraphQl);
    }
    sql::is_statement(content).then_some(Inner::Sql)
}

/// Returns whether what begins with a word of GraphQL goes on like it: a name, or a bracket.
fn is_schema(text: &str, word: &str) -> bool {
    let rest = text[word.len()..].trim_start();
    let rest = if word == "extend" { rest.split_once(' ').map_or("", |(_, rest)| rest.trim_start()) } else { rest };
    let name = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let behind = rest[name..].trim_start();
    text.contains('}') && behind.starts_with(['{', '(', '@', '='])
        || behind.starts_with("implements ")
        || behind.starts_with("on ")
}

/// Adds what the texts share with other programs.
pub(super) fn add(found: &[Found<'_>], text: &str, lines: &mut Lines<'_>, facts: &mut FileFacts) {
    for document in found {
        let rows = match document.language {
            Inner::Sql => statements(document),
            Inner::GraphQl => schema(document),
        };
        let mut from = document.start;
        for row in rows {
            if facts.shared.len() >= MAX_SHARED || row.name.len() > Shared::MAX_NAME {
                break;
            }
            let byte = match document.is_joined {
                false => document.start + row.at,
                // Of several literals, the next one that has the name.
                true => near(text, from, &row.name).unwrap_or(document.start),
            };
            from = if document.is_joined { byte.max(from) + row.name.len() } else { from };
            let byte = byte.min(text.len());
            let owner = around(facts, byte);
            let (name, of) = (row.name.into(), row.of.into());
            facts.shared.push(Shared { kind: row.kind, declares: row.declares, name, of, owner, pos: lines.pos(byte) });
        }
    }
    facts.shared.shrink_to_fit();
}

struct SharedName {
    kind: SharedKind,
    declares: bool,
    name: String,
    of: &'static str,
    at: usize,
}

fn statements(document: &Found<'_>) -> Vec<SharedName> {
    // Escapes stand for breaks and quotes; the length stays.
    let plain = document.text.replace("\\n", "  ").replace("\\t", "  ").replace("\\\"", " \"");
    let tables = sql::tables(&plain);
    let row = |table: &sql::TableUse<'_>| SharedName {
        kind: SharedKind::Table,
        declares: table.declares,
        name: table.name.to_owned(),
        of: if table.writes { "w" } else { "r" },
        at: table.at,
    };
    tables.iter().map(row).collect()
}

fn schema(document: &Found<'_>) -> Vec<SharedName> {
    let items = graphql::items(&document.text);
    let mut rows = Vec::new();
    for item in &items {
        let (root, declares) = match item.what {
            What::Asks(root) => (Some(root), false),
            What::Member(_) => (item.owner.and_then(|owner| Root::of_type(items[owner].name)), true),
            _ => (None, false),
        };
        if let Some(root) = root {
            let name = format!("{}.{}", root.word(), item.name);
            rows.push(SharedName { kind: SharedKind::Field, declares, name, of: "", at: item.named });
        }
    }
    rows
}

/// Where a word begins behind a place; `None` if it is not near.
fn near(text: &str, from: usize, word: &str) -> Option<usize> {
    let rest = text.get(from..)?;
    let end = rest.floor_char_boundary(MAX_JOINED.min(rest.len()));
    rest[..end].find(word).map(|at| from + at)
}

/// The innermost named definition around a byte.
fn around(facts: &FileFacts, byte: usize) -> Option<DefId> {
    let byte = u32::try_from(byte).ok()?;
    let contains = |range: (u32, u32)| range.0 <= byte && byte < range.1;
    let rows = facts.definitions.iter().enumerate();
    let mut rows = rows.filter(|(_, row)| contains(row.bytes) && !row.flags.is_anonymous);
    let first = rows.next()?;
    let innermost = rows.fold(first, |best, row| if row.1.bytes.0 >= best.1.bytes.0 { row } else { best });
    Some(DefId(innermost.0 as u32))
}
