//! Finds the texts that a file gives to calls, decorators and names, for contracts between programs: routes, addresses,
//! topics.
//!
//! One pass over the bytes serves all languages, because texts, brackets and commas look alike in them, and a second
//! walk over the tree would cost more than all that is found. What is misread that way has no effect by itself: a text
//! counts only where a call or decorator of the syntax tree stands at the same place.

use crate::Language;
use crate::facts::{FileFacts, Pos, Role, TextUse};

mod literal;
mod scan;

/// Maximum texts of a file; further ones are left out.
const MAX_TEXTS: usize = 4_096;

/// Callees of which texts without a `/` are kept: names of tools, topics, tables and modules of routes.
const CALLEES: &[&str] = &[
    "add_url_rule",
    "all",
    "any",
    "api_route",
    "call_tool",
    "callTool",
    "Controller",
    "controller",
    "delete",
    "Delete",
    "DELETE",
    "DeleteMapping",
    "get",
    "Get",
    "GET",
    "GetMapping",
    "Handle",
    "HandleFunc",
    "HttpDelete",
    "HttpGet",
    "HttpPatch",
    "HttpPost",
    "HttpPut",
    "include",
    "KafkaListener",
    "Method",
    "MethodFunc",
    "NewRequest",
    "NewRequestWithContext",
    "patch",
    "Patch",
    "PATCH",
    "PatchMapping",
    "path",
    "Path",
    "post",
    "Post",
    "POST",
    "PostMapping",
    "produce",
    "publish",
    "put",
    "Put",
    "PUT",
    "PutMapping",
    "register",
    "registerTool",
    "re_path",
    "request",
    "RequestMapping",
    "route",
    "Route",
    "send",
    "sendToQueue",
    "subscribe",
    "tool",
    "url",
];

/// Names of arguments, keys and variables of which texts without a `/` are kept.
const KEYS: &[&str] = &[
    "baseURL",
    "baseUrl",
    "base_url",
    "method",
    "methods",
    "name",
    "prefix",
    "prefixUrl",
    "queue",
    "topic",
    "topics",
    "url_prefix",
];

/// Fills [`FileFacts::texts`] of a file whose other facts are complete.
pub(crate) fn add(language: Language, text: &str, facts: &mut FileFacts) {
    let Some(syntax) = literal::syntax(language) else { return };
    let mut rows = scan::scan(syntax, text);
    rows.retain(is_kept);
    rows.truncate(MAX_TEXTS);
    let mut lines = Lines::new(text);
    for row in rows {
        let reference = match row.callee {
            Some((start, _)) => {
                let pos = lines.pos(start);
                match place(facts, pos) {
                    Some(place) => Some(place),
                    None => continue,
                }
            }
            None => None,
        };
        facts.texts.push(TextUse {
            reference,
            place: row.place,
            key: row.key.map(Into::into),
            text: row.text.into(),
            around: row.around.into(),
            pos: lines.pos(row.start),
        });
    }
    facts.texts.shrink_to_fit();
}

fn is_kept(row: &scan::Found<'_>) -> bool {
    let says = row.text.contains('/');
    let named = row.key.is_some_and(|key| KEYS.contains(&key));
    match row.callee {
        Some((_, callee)) => says || named || CALLEES.contains(&callee),
        None => row.key.is_some() && says,
    }
}

/// The call or decorator whose last name is at a position.
fn place(facts: &FileFacts, pos: Pos) -> Option<u32> {
    let start = facts.references.partition_point(|row| row.pos < pos);
    let rows = facts.references[start..].iter().take_while(|row| row.pos == pos);
    let calls = |role| matches!(role, Role::Call | Role::Decorate | Role::Macro);
    let (at, _) = rows.enumerate().find(|(_, row)| calls(row.role))?;
    u32::try_from(start + at).ok()
}

/// Positions of bytes; asked in rising order this takes linear time.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(breaks).collect() }
    }

    fn pos(&mut self, byte: usize) -> Pos {
        let line = self.starts.partition_point(|start| *start <= byte) - 1;
        let before = self.text.get(self.starts[line]..byte).unwrap_or("");
        let col = if before.len() > 4 * u16::MAX as usize { usize::MAX } else { before.chars().count() + 1 };
        Pos { line: line as u32 + 1, col: u16::try_from(col).unwrap_or(u16::MAX) }
    }
}

#[cfg(test)]
mod tests;
