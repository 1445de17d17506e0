//! Search entries of a file: one for the file and one for each definition that is a node.

use m1nd_base::RepoPath;
use m1nd_lang::FileFacts;
use m1nd_lang::facts::{DefId, DefKind, Definition};
use m1nd_search::{Entry, FileTerms, FileTermsBuilder, innermost_ranges};

use crate::ingest::part::node_kind;

/// Key of a file's own entry; definitions have their number in the facts.
pub(crate) const FILE_KEY: u32 = u32::MAX;
/// Owners of a definition whose names are searched, from the innermost.
const MAX_OWNERS: usize = 8;

/// A file in which nothing can be found.
pub(crate) fn none() -> FileTerms {
    FileTermsBuilder::new().finish()
}

/// The terms of a file.
pub(crate) fn of_file(path: &RepoPath, facts: &FileFacts, bytes: &[u8]) -> FileTerms {
    let mut terms = FileTermsBuilder::new();
    let file = terms.entry(&Entry {
        key: FILE_KEY,
        kind: m1nd_base::NodeKind::File as u8,
        name: path.file_name(),
        owner: "",
        signature: "",
        doc: facts.doc.as_deref().unwrap_or_default(),
        path: path.as_str(),
    });
    let mut numbers = Vec::new();
    let mut ranges = Vec::new();
    for (index, definition) in facts.definitions.iter().enumerate() {
        if !is_searchable(definition) {
            continue;
        }
        let owner = owners(facts, definition);
        numbers.push(terms.entry(&Entry {
            key: index as u32,
            kind: node_kind(definition.kind) as u8,
            name: facts.name(definition.name),
            owner: &owner,
            signature: definition.signature.as_deref().unwrap_or_default(),
            doc: definition.doc.as_deref().unwrap_or_default(),
            path: path.as_str(),
        }));
        ranges.push((definition.bytes.0 as usize, definition.bytes.1 as usize));
    }
    if !m1nd_lang::is_binary(bytes) {
        // Positions are those of the decoded text; where bytes had to be replaced the cut is off by a little.
        let text = String::from_utf8_lossy(bytes);
        terms.uses(file, &text);
        let literals = m1nd_lang::string_literals(facts.language, &text);
        let mut literals = literals.into_iter().peekable();
        for (range, start, end) in innermost_ranges(text.len(), &ranges) {
            let number = range.and_then(|index| numbers.get(index).copied()).unwrap_or(file);
            let (mut at, end) = (text.floor_char_boundary(start), text.floor_char_boundary(end));
            // A literal belongs to the piece that it starts in.
            while let Some(literal) = literals.next_if(|literal| literal.start < end) {
                let start = literal.start.max(at);
                terms.body(number, &text[at..start]);
                at = literal.end.clamp(start, end);
                terms.literal(number, &text[start..at]);
            }
            terms.body(number, &text[at..end]);
        }
    }
    terms.finish()
}

/// Returns whether a definition is a node of the graph.
fn is_searchable(definition: &Definition) -> bool {
    let value = matches!(definition.kind, DefKind::Variable | DefKind::Constant | DefKind::Object);
    !(definition.flags.is_anonymous || definition.flags.is_local && value)
}

fn owners(facts: &FileFacts, definition: &Definition) -> String {
    let mut names = Vec::new();
    let mut owner: Option<DefId> = definition.owner;
    while let Some(around) = owner.and_then(|id| facts.definitions.get(id.index())) {
        names.push(facts.name(around.name));
        owner = around.owner;
        if names.len() >= MAX_OWNERS {
            break;
        }
    }
    names.reverse();
    names.join(" ")
}
