//! Jupyter notebooks: documents whose cells are one program of Python.
//!
//! The code is a part of the strings of a JSON file. Its extractor reads it as one text, and what it says of places is
//! put back to where the code stands in the file.

use std::ops::Range;

use m1nd_base::Problem;
use rustc_hash::FxHashMap;

use super::{Input, extract as extract_text, prose};
use crate::Language;
use crate::facts::{BindingTarget, DefId, Expr, FileFacts, NameId, NameReceiver, Pos};
use crate::lines::Lines;

/// Magics of a cell whose lines are Python nevertheless.
const PYTHON_MAGICS: &[&str] = &["capture", "prun", "time", "timeit"];

pub(super) fn extract(input: &Input<'_>) -> Result<FileFacts, Problem> {
    let document = prose::notebook(input);
    let Some(cells) = m1nd_documents::notebook_code(input.text) else { return Ok(document) };
    let code = Code::of(input.text, &cells);
    if code.text.trim().is_empty() {
        return Ok(document);
    }
    let mut facts = extract_text(Language::Python, code.text.as_bytes(), input.limits, input.cancel);
    code.put_back(&mut facts, input.text);
    facts.language = input.language;
    facts.lines = document.lines;
    add_document(&mut facts, document);
    Ok(facts)
}

/// The code of all cells as one text.
struct Code {
    text: String,
    /// Where each byte of it stands in the file.
    places: Vec<u32>,
}

impl Code {
    fn of(file: &str, cells: &[Vec<Range<usize>>]) -> Self {
        let mut code = Self { text: String::new(), places: Vec::new() };
        for cell in cells {
            let start = code.text.len();
            for part in cell {
                code.decode(file, part.start + 1..part.end.saturating_sub(1));
            }
            code.blank_magics(start);
            if !code.text.is_empty() && !code.text.ends_with('\n') {
                let last = cell.last().map_or(0, |part| part.end);
                code.push('\n', last);
            }
        }
        code
    }

    fn push(&mut self, char: char, place: usize) {
        self.text.push(char);
        self.places.resize(self.text.len(), place as u32);
    }

    /// Adds what stands between the quotes of a string of JSON.
    fn decode(&mut self, file: &str, inside: Range<usize>) {
        let Some(written) = file.get(inside.clone()) else { return };
        let mut chars = written.char_indices().peekable();
        while let Some((at, char)) = chars.next() {
            let place = inside.start + at;
            if char != '\\' {
                self.push(char, place);
                continue;
            }
            let char = match chars.next().map(|(_, escaped)| escaped) {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r' | 'b' | 'f') => ' ',
                Some('u') => {
                    let digits: String = chars.by_ref().take(4).map(|(_, digit)| digit).collect();
                    // Halves of a pair stand in literals and comments, where any character does.
                    u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).unwrap_or('?')
                }
                Some(other) => other,
                None => return,
            };
            self.push(char, place);
        }
    }

    /// Blanks lines for the notebook itself: `%matplotlib inline`, `!pip`, `name?`, and all lines of a cell in another
    /// language (`%%bash`).
    fn blank_magics(&mut self, cell: usize) {
        let text = self.text.split_off(cell);
        let magic = text.trim_start().strip_prefix("%%").map(|rest| rest.split_whitespace().next().unwrap_or(""));
        let is_foreign = magic.is_some_and(|magic| !PYTHON_MAGICS.contains(&magic));
        for line in text.split_inclusive('\n') {
            if is_foreign || is_magic(line.trim()) {
                // As many bytes as before, so that places stay what they are.
                self.text.extend(line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
            } else {
                self.text.push_str(line);
            }
        }
    }

    /// Puts what the facts say of places to where the code stands in the file.
    fn put_back(&self, facts: &mut FileFacts, file: &str) {
        let mut places = Places { code: self, starts: line_starts(&self.text), file: Lines::new(file) };
        for row in &mut facts.definitions {
            row.pos = places.pos(row.pos);
            row.bytes = (places.byte(row.bytes.0), places.byte(row.bytes.1));
            (row.line_start, row.line_end) = (places.line(row.line_start), places.line(row.line_end));
        }
        facts.imports.iter_mut().for_each(|row| row.pos = places.pos(row.pos));
        facts.exports.iter_mut().for_each(|row| row.pos = places.pos(row.pos));
        facts.references.iter_mut().for_each(|row| row.pos = places.pos(row.pos));
        facts.texts.iter_mut().for_each(|row| row.pos = places.pos(row.pos));
        facts.declared.iter_mut().for_each(|row| row.pos = places.pos(row.pos));
        facts.shared.iter_mut().for_each(|row| row.pos = places.pos(row.pos));
        for row in &mut facts.macro_arguments {
            (row.start, row.end) = (places.pos(row.start), places.pos(row.end));
        }
        facts.words.rows.iter_mut().for_each(|row| row.pos = places.pos(row.pos));
        for row in &mut facts.words.dynamic {
            row.pos = places.pos(row.pos);
            if let NameReceiver::Named(pos) = row.receiver {
                row.receiver = NameReceiver::Named(places.pos(pos));
            }
        }
        for problem in facts.problems.iter_mut().filter(|problem| problem.line > 0) {
            problem.line = places.line(problem.line);
        }
    }
}

/// Returns whether a line without its spaces is none of Python.
fn is_magic(line: &str) -> bool {
    let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    let rest = line.strip_prefix('%').map(|rest| rest.trim_start_matches('%'));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
        || line.starts_with(['!', '?'])
        || line.strip_suffix('?').is_some_and(|name| is_name(name.trim_end_matches('?')))
}

/// Where the lines of a text begin.
fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0)
        .chain(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1))
        .collect()
}

/// From places in the code to places in the file.
struct Places<'t> {
    code: &'t Code,
    starts: Vec<usize>,
    file: Lines<'t>,
}

impl Places<'_> {
    /// The byte of the file that a byte of the code stands at.
    fn byte(&self, byte: u32) -> u32 {
        let places = &self.code.places;
        // The end of the code stands behind its last byte.
        places.get(byte as usize).copied().unwrap_or_else(|| places.last().map_or(0, |last| last + 1))
    }

    fn pos(&mut self, pos: Pos) -> Pos {
        let start = self.start(pos.line);
        let skipped = usize::from(pos.col).saturating_sub(1);
        let rest = self.code.text.get(start..).unwrap_or_default();
        let offset = rest.char_indices().nth(skipped).map_or(rest.len(), |(at, _)| at);
        let byte = self.byte((start + offset) as u32);
        self.file.pos(byte as usize)
    }

    fn line(&mut self, line: u32) -> u32 {
        let byte = self.byte(self.start(line) as u32);
        self.file.pos(byte as usize).line
    }

    fn start(&self, line: u32) -> usize {
        let last = self.starts.last().copied().unwrap_or(0);
        self.starts.get(line.saturating_sub(1) as usize).copied().unwrap_or(last)
    }
}

/// Adds the sections and mentions of the document to the facts of the code.
fn add_document(facts: &mut FileFacts, document: FileFacts) {
    let count = facts.definitions.len() as u32;
    let mut known: FxHashMap<String, NameId> =
        facts.names.iter().enumerate().map(|(at, name)| (name.to_owned(), NameId(at as u32))).collect();
    let mut name = |id: NameId, facts: &mut FileFacts| {
        let text = document.names.get(id);
        *known.entry(text.to_owned()).or_insert_with(|| facts.names.push(text))
    };
    let shifted = |id: DefId| DefId(id.0 + count);
    for section in &document.definitions {
        let mut section = section.clone();
        section.name = name(section.name, facts);
        section.owner = section.owner.map(shifted);
        facts.definitions.push(section);
    }
    for mention in &document.mentions {
        let mut mention = mention.clone();
        mention.name = name(mention.name, facts);
        mention.context = mention.context.map(|context| name(context, facts));
        mention.noun = mention.noun.map(|noun| name(noun, facts));
        mention.enclosing = mention.enclosing.map(shifted);
        facts.mentions.push(mention);
    }
    facts.doc = document.doc.or(facts.doc.take());
    facts.problems.extend(document.problems);
    order_definitions(facts);
}

/// Puts definitions in the order of their starts.
fn order_definitions(facts: &mut FileFacts) {
    let mut order: Vec<usize> = (0..facts.definitions.len()).collect();
    order.sort_by_key(|&at| facts.definitions[at].bytes.0);
    let mut moved = vec![DefId(0); order.len()];
    for (to, &from) in order.iter().enumerate() {
        moved[from] = DefId(to as u32);
    }
    // Ids are places in the list, so all that hold one are moved with it.
    let move_one = |id: &mut DefId| *id = moved[id.index()];
    let mut rows: Vec<_> = std::mem::take(&mut facts.definitions).into_iter().map(Some).collect();
    facts.definitions = order.iter().filter_map(|&from| rows[from].take()).collect();
    facts.definitions.iter_mut().filter_map(|row| row.owner.as_mut()).for_each(move_one);
    facts.scopes.iter_mut().filter_map(|row| row.owner.as_mut()).for_each(move_one);
    for row in &mut facts.bindings {
        match &mut row.target {
            BindingTarget::Definition(id) | BindingTarget::Parameter(id, _) | BindingTarget::TypeParameter(id, _) => {
                move_one(id);
            }
            _ => {}
        }
    }
    for expr in &mut facts.exprs {
        if let Expr::Definition(id) = expr {
            move_one(id);
        }
    }
    facts.references.iter_mut().filter_map(|row| row.enclosing.as_mut()).for_each(move_one);
    facts.mentions.iter_mut().filter_map(|row| row.enclosing.as_mut()).for_each(move_one);
    facts.declared.iter_mut().filter_map(|row| row.def.as_mut()).for_each(move_one);
    facts.shared.iter_mut().filter_map(|row| row.owner.as_mut()).for_each(move_one);
    facts.words.rows.iter_mut().filter_map(|row| row.enclosing.as_mut()).for_each(move_one);
    facts.words.dynamic.iter_mut().filter_map(|row| row.enclosing.as_mut()).for_each(move_one);
}
