//! Words of a file that may name a definition of the project although no reference explains them.
//!
//! The extractor finds the words ([`m1nd_lang::facts::LooseWords`]); here only those are kept that are the name of
//! something. They are rows beside the unresolved references, and no edges: a word proves nothing, but an answer that
//! nothing uses a definition does not hold as long as there is one.
//!
//! A name that code makes when it runs is a row whose name is a pattern: `*` in front, then what is known of the name
//! with `*` for the rest; `*.` in front if only members of the class around can be meant. The patterns of a project are
//! few, so what they fit is found when it is asked for.

use m1nd_lang::Language;
use m1nd_lang::facts::{DefKind, LooseWord, NameReceiver, Pos, WordPlace};

use crate::eval::{Entity, Eval, Module};
use crate::file_links;
use crate::links::Unresolved;
use crate::named;
use crate::reason::Reason;
use crate::tables::files::{FileId, Word};

/// Maximum members of one object that a computed name may mean.
const MAX_MEMBERS: usize = 1_000;

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
        let (from, name) = (file_links::node_around(eval, file, row.enclosing), eval.project.names.intern(text));
        rows.push(Unresolved { from, name, role: None, reason: Reason::UnexplainedText, pos: row.pos });
    }
    for row in &words.dynamic {
        let from = file_links::node_around(eval, file, row.enclosing);
        let pattern = words.names.get(row.pattern);
        let names = match row.receiver {
            NameReceiver::Own => vec![format!("*.{pattern}")],
            NameReceiver::Unknown => vec![format!("*{pattern}")],
            NameReceiver::Named(pos) => members_of_named(eval, file, pos),
        };
        for name in names {
            let name = eval.project.names.intern(&name);
            rows.push(Unresolved { from, name, role: None, reason: Reason::DynamicName, pos: row.pos });
        }
    }
    rows
}

/// Names of the members of what a reference means: of an object, class or module.
fn members_of_named(eval: &mut Eval<'_>, file: FileId, pos: Pos) -> Vec<String> {
    let unit = eval.project.unit(file);
    let references = &unit.facts.references;
    let start = references.partition_point(|row| row.pos < pos);
    let Some(reference) = references.get(start).filter(|row| row.pos == pos) else { return Vec::new() };
    eval.begin_reference();
    let search = file_links::search(eval, file, reference.expr, reference.role);
    let mut names = Vec::new();
    for found in &search.found {
        let (of, owner) = match &found.entity {
            Entity::Def(of) => (of.file, Some(of.def)),
            Entity::Module(Module::File(of)) => (*of, None),
            _ => continue,
        };
        eval.ask_all(of);
        let facts = &eval.unit(of).facts;
        let members = facts.definitions.iter().filter(|row| row.owner == owner && row.kind == DefKind::Function);
        names.extend(members.take(MAX_MEMBERS).map(|row| facts.name(row.name).to_owned()));
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns whether the project defines something of the name that the place could mean. Code refers to its own
/// language; texts are read by any.
fn names_something(eval: &mut Eval<'_>, file: FileId, row: &LooseWord, text: &str) -> bool {
    let mut files = eval.defining(Word::of(text));
    files.extend(eval.defining(named::local_word(text)));
    let family = |file: FileId| eval.project.tree.brief(file).language.family();
    let own = family(file);
    match row.place {
        WordPlace::Code => files.iter().any(|other| family(*other) == own),
        WordPlace::Script => files.iter().any(|other| family(*other) == Language::JavaScript),
        WordPlace::Text => !files.is_empty(),
        WordPlace::Foreign => files.iter().any(|other| family(*other) != own),
    }
}
