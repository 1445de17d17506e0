//! Places of a file that may offer something to other programs under a name: topics, tools, and operations that a
//! description of an interface lists. By its facts alone.

use m1nd_base::{Pos, node_id};
use m1nd_lang::FileFacts;
use m1nd_lang::facts::{DefId, DefKind, Expr, Role, SharedKind, TextUse};

use super::methods::{self, Methods};
use super::template::Template;
use crate::frameworks::is_of;
use crate::frameworks::messages::{self, MessageRow, Place};
use crate::ids::{SymbolId, Symbols};

/// Maximum places of one file.
const MAX_POINTS: usize = 2_048;

/// What a place offers.
#[derive(Debug)]
pub(crate) enum Offer {
    /// A topic or tool, by the row that says so and the call or decorator among the references.
    Message(&'static MessageRow, u32),
    /// An operation of an HTTP interface.
    Operation(Template, Methods),
}

/// A place that may offer something.
#[derive(Debug)]
pub(crate) struct Point {
    pub(crate) offer: Offer,
    /// The name; in braces if it is that of a constant.
    pub(crate) name: Box<str>,
    pub(crate) pos: Pos,
    /// Its node, if it is one.
    pub(crate) symbol: SymbolId,
}

/// Texts that calls of rows give as names: the row, the reference and the text.
pub(crate) fn list_named(facts: &FileFacts) -> Vec<(&'static MessageRow, u32, &TextUse)> {
    let mut found = Vec::new();
    let rows = rows_of(facts);
    if rows.is_empty() {
        return found;
    }
    for text in &facts.texts {
        let Some(at) = text.reference else { continue };
        let Some(reference) = facts.references.get(at as usize) else { continue };
        let Some(name) = facts.last_name(reference.expr) else { continue };
        for row in &rows {
            if row.names.contains(&name) && row.takes(text) && fits(row, reference.role) {
                found.push((*row, at, text));
            }
        }
    }
    found
}

/// Returns whether a reference of this role may be one of a row.
fn fits(row: &MessageRow, role: Role) -> bool {
    match row.place {
        Place::Decorated(_) => role == Role::Decorate,
        Place::Key(_) | Place::Argument(..) => matches!(role, Role::Call | Role::Type | Role::Decorate),
    }
}

/// The rows whose packages a file imports.
fn rows_of(facts: &FileFacts) -> Vec<&'static MessageRow> {
    if facts.imports.is_empty()
        || facts.texts.is_empty() && !facts.references.iter().any(|row| row.role == Role::Decorate)
    {
        return Vec::new();
    }
    let imported = Imported::of(facts);
    messages::ROWS.iter().filter(|row| imported.has(row.package)).collect()
}

/// What a file imports, as it writes that: sorted, each once.
pub(crate) struct Imported<'f> {
    modules: Vec<&'f str>,
}

impl<'f> Imported<'f> {
    pub(crate) fn of(facts: &'f FileFacts) -> Self {
        let module = |import: &m1nd_lang::facts::Import| match import.path {
            Some(path) => root_of(facts, path).unwrap_or(""),
            None => facts.name(import.module),
        };
        let mut modules: Vec<&str> = facts.imports.iter().map(module).collect();
        modules.sort_unstable();
        modules.dedup();
        Self { modules }
    }

    /// Returns whether something of a package is imported.
    pub(crate) fn has(&self, package: &str) -> bool {
        let start = self.modules.partition_point(|module| *module < package);
        let mut same = self.modules[start..].iter().take_while(|module| module.starts_with(package));
        same.any(|module| is_of(module, package))
    }
}

/// Returns whether a file imports something of a package.
pub(crate) fn imports(facts: &FileFacts, package: &str) -> bool {
    Imported::of(facts).has(package)
}

/// The first name of a path.
fn root_of(facts: &FileFacts, mut expr: m1nd_lang::facts::ExprId) -> Option<&str> {
    // Sub-expressions precede their users, so this ends.
    loop {
        match facts.expr(expr) {
            Expr::Path { base, name } | Expr::Member { base, name } => match facts.expr(base) {
                Expr::Root { .. } => return Some(facts.name(name)),
                _ => expr = base,
            },
            Expr::Name { name, .. } => return Some(facts.name(name)),
            _ => return None,
        }
    }
}

/// All places of a file, and the words under which other files look for them.
pub(super) fn points(facts: &FileFacts, file: &str, symbols: &Symbols) -> (Vec<Point>, Vec<String>) {
    let (mut points, mut words) = (Vec::new(), Vec::new());
    for row in facts.shared.iter().filter(|row| row.kind == SharedKind::Operation) {
        let Some((method, path)) = row.name.split_once(' ') else { continue };
        let (path, methods) = (Template::parse(path), methods::of_word(method).unwrap_or(Methods::ANY));
        words.push(operation_word(path.words().next_back().unwrap_or("")));
        let symbol = symbols.intern(&node_id::child(file, "route", &row.name));
        let offer = Offer::Operation(path, methods);
        points.push(Point { offer, name: row.name.clone(), pos: row.pos, symbol });
    }
    let rows: Vec<&'static MessageRow> = if facts.language.is_prose() { Vec::new() } else { rows_of(facts) };
    if rows.is_empty() {
        return (points, words);
    }
    let mut add = |row: &'static MessageRow, at: u32, name: &str, pos: Pos| {
        if name.is_empty() || name.contains('$') || points.len() >= MAX_POINTS {
            return;
        }
        let name = row.point.name_in(name);
        words.push(row.point.index_word(if name.starts_with('{') { "?" } else { name }));
        let symbol = symbols.intern(&node_id::child(file, row.point.word(), name));
        points.push(Point { offer: Offer::Message(row, at), name: name.into(), pos, symbol });
    };
    let named = list_named(facts);
    for (row, at, text) in named.iter().filter(|(row, ..)| row.serves) {
        add(row, *at, &text.text, text.pos);
    }
    // Decorators without a name offer the function under its own.
    let rows = || rows.iter().filter(|row| row.serves && matches!(row.place, Place::Decorated(_)));
    if rows().next().is_some() {
        for (at, reference) in facts.references.iter().enumerate().filter(|(_, row)| row.role == Role::Decorate) {
            let Some(name) = facts.last_name(reference.expr) else { continue };
            let Some(row) = rows().find(|row| row.names.contains(&name)) else { continue };
            let is_named = named.iter().any(|(_, other, _)| *other == at as u32);
            if let Some(def) = reference.enclosing.filter(|def| !is_named && is_function(facts, *def)) {
                add(row, at as u32, facts.name(facts.definition(def).name), reference.pos);
            }
        }
    }
    (points, words)
}

fn is_function(facts: &FileFacts, def: DefId) -> bool {
    facts.definition(def).kind == DefKind::Function
}

/// The word under which operations whose path ends with a segment are found.
pub(crate) fn operation_word(segment: &str) -> String {
    format!("operation {segment}")
}
