//! C: declarators, tags, typedefs, prototypes, macros. C++ builds on these rules.

mod attributes;
pub(super) mod declarator;
mod directives;
pub(super) mod given;
mod heads;
pub(super) mod macros;
pub(super) mod prepare;
pub(super) mod rules;
mod statements;

use m1nd_base::Problem;
use rustc_hash::FxHashSet;

use self::rules::{C_RULES, adjust};
use super::Input;
use super::outline::{Extractor, Grammar};
use crate::facts::{DefKind, Definition, FactsBuilder, FileFacts, Import, ImportFlags, ImportKind, Pos};

static EXTRACTOR: Extractor = Extractor::new(&GRAMMAR);

pub(super) fn extract(input: &Input<'_>) -> Result<FileFacts, Problem> {
    let original = input.text;
    let text = prepare::prepare(original, false);
    let input = Input { text: &text, ..*input };
    let mut facts = EXTRACTOR.extract(&input)?;
    finish(&mut facts, original, &text);
    Ok(facts)
}

/// Adds facts that the walk cannot see: includes hidden from the parser, functions assigned to variables.
pub(super) fn finish(facts: &mut FileFacts, original: &str, prepared: &str) {
    given::settle(facts);
    share_attributes(facts);
    for (line, path, system) in directives::includes(original, prepared) {
        let module = facts.names.intern(&path);
        let flags = ImportFlags { system, ..ImportFlags::default() };
        facts.imports.push(Import {
            kind: ImportKind::Include,
            module,
            level: 0,
            path: None,
            scope: FactsBuilder::FILE,
            pos: Pos { line, col: 1 },
            flags,
        });
    }
}

/// Functions have the attributes of their prototypes.
fn share_attributes(facts: &mut FileFacts) {
    let is_marked = |definition: &&Definition| definition.flags.is_declaration && definition.flags.is_entry;
    let marked: FxHashSet<_> = facts.definitions.iter().filter(is_marked).map(|row| (row.owner, row.name)).collect();
    if marked.is_empty() {
        return;
    }
    for definition in facts.definitions.iter_mut().filter(|row| row.kind == DefKind::Function) {
        definition.flags.is_entry |= marked.contains(&(definition.owner, definition.name));
    }
}

/// Words of statements and types.
const RESERVED: &[&str] = &[
    "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float", "for",
    "goto", "if", "int", "long", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
    "union", "unsigned", "void", "volatile", "while",
];

static GRAMMAR: Grammar = Grammar {
    reserved: RESERVED,
    type_fields: &["type"],
    separate_types: true,
    inline_types: true,
    adjust,
    assigned: given::record_assigned,
    ..Grammar::new(|| tree_sitter_c::LANGUAGE.into(), C_RULES)
};
