//! Words of a file that may name a definition of the project although no reference explains them.
//!
//! The extractor finds the words ([`m1nd_lang::facts::LooseWords`]); here only those are kept that are the name of
//! something. They are rows beside the unresolved references, and no edges: a word proves nothing, but an answer that
//! nothing uses a definition does not hold as long as there is one.

use m1nd_lang::Language;
use m1nd_lang::facts::{LooseWord, WordPlace};

use crate::eval::Eval;
use crate::files::{FileId, Word};
use crate::ids::SymbolId;
use crate::links::Unresolved;
use crate::reason::Reason;

/// The loose words of a file that are names of the project, in order of position.
pub(crate) fn texts(eval: &mut Eval<'_>, file: FileId) -> Vec<Unresolved> {
    let unit = eval.project.unit(file);
    let words = &unit.facts.words;
    let mut rows = Vec::new();
    for row in &words.rows {
        let text = words.name(row);
        if !names_something(eval, file, row, text) {
            continue;
        }
        let (from, name) = (source(eval, file, row), eval.project.names.intern(text));
        rows.push(Unresolved { from, name, role: None, reason: Reason::UnexplainedText, pos: row.pos });
    }
    rows
}

/// Returns whether the project defines something of the name that the place could mean. Code refers to its own
/// language; texts are read by any.
fn names_something(eval: &mut Eval<'_>, file: FileId, row: &LooseWord, text: &str) -> bool {
    let files = eval.defining(Word::of(text));
    let family = |file: FileId| eval.project.tree.brief(file).language.family();
    let own = family(file);
    match row.place {
        WordPlace::Code => files.iter().any(|other| family(*other) == own),
        WordPlace::Script => files.iter().any(|other| family(*other) == Language::JavaScript),
        WordPlace::Text => !files.is_empty(),
        WordPlace::Foreign => files.iter().any(|other| family(*other) != own),
    }
}

/// The node around a word.
fn source(eval: &Eval<'_>, file: FileId, row: &LooseWord) -> SymbolId {
    let unit = eval.project.unit(file);
    let mut around = row.enclosing;
    while let Some(def) = around {
        let generated = eval.generated.get(&def).map(|of| of.symbol);
        if let Some(symbol) = unit.symbols[def.index()].or(generated) {
            return symbol;
        }
        around = unit.facts.definition(def).owner;
    }
    unit.file_symbol
}
