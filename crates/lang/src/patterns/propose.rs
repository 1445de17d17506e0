//! Patterns of code that a text has at some lines, proposed from its syntax tree: what a fix removed, or around which
//! it added something.

use std::ops::Range;

use m1nd_base::{Cancel, Limits};
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::code::first_metavariable;
use super::syntax::{SyntaxFile, SyntaxQuery};
use crate::Language;

/// Longest proposed piece of code, in bytes.
const MAX_PIECE: usize = 700;
/// Shortest proposed piece of code, in bytes.
const MIN_PIECE: usize = 6;
/// Pieces of one text that are proposed, at most.
const MAX_PIECES: usize = 40;
/// Lines of one range that are looked at one by one.
const MAX_LINES: u32 = 20;
/// Nodes around a line that are proposed with it.
const AROUND: usize = 3;
/// Leaves of a piece that are looked at, at most.
const MAX_LEAVES: usize = 400;
/// Names that stand for the object itself, and so for nothing that differs between places.
const OWN: [&str; 5] = ["self", "this", "cls", "super", "err"];

/// A proposed pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The pattern, with metavariables.
    pub pattern: String,
    /// Number of distinct metavariables: more make it more general.
    pub metavariables: usize,
}

/// Patterns for the code at some lines of a text, numbered from 0. An empty range stands for the place before its
/// start, where something was added. Shorter ones come first, of one piece the general before the literal one. All
/// compile.
pub fn proposals(language: Language, text: &str, ranges: &[Range<u32>], cancel: &Cancel) -> Vec<Proposal> {
    let Ok(file) = SyntaxFile::parse(language, text, &Limits::default(), cancel) else { return Vec::new() };
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1)).collect();
    let lines = |range: Range<u32>| -> Option<Range<usize>> {
        let start = *starts.get(range.start as usize)?;
        let end = starts.get(range.end as usize).copied().unwrap_or(text.len());
        let piece = text.get(start..end)?;
        let lead = piece.len() - piece.trim_start().len();
        let kept = piece.trim().len();
        (kept > 0).then_some(start + lead..start + lead + kept)
    };
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let mut seen: FxHashSet<Range<usize>> = FxHashSet::default();
    let mut add = |bytes: Option<Range<usize>>| {
        let Some(bytes) = bytes else { return };
        let mut node = file.root().descendant_for_byte_range(bytes.start, bytes.end);
        for _ in 0..AROUND {
            let Some(at) = node else { return };
            let own = at.byte_range();
            if at.is_named() && (MIN_PIECE..=MAX_PIECE).contains(&own.len()) && seen.insert(own.clone()) {
                pieces.push(own);
            }
            node = at.parent();
        }
    };
    for range in ranges {
        if range.is_empty() {
            add(lines(range.start.saturating_sub(1)..range.start + 1));
            continue;
        }
        for line in range.start..range.end.min(range.start + MAX_LINES) {
            add(lines(line..line + 1));
        }
        add(lines(range.clone()));
    }
    pieces.sort_by_key(|piece| (piece.len(), piece.start));
    pieces.truncate(MAX_PIECES);
    let mut known: FxHashSet<String> = FxHashSet::default();
    let mut found = Vec::new();
    for piece in pieces {
        for proposal in [general(&file, text, &piece), literal(&text[piece.clone()])] {
            let compiles = || SyntaxQuery::of_code(language, &proposal.pattern).is_ok();
            // A sign of the code itself would be read as a metavariable.
            let is_clear = first_metavariable(&text[piece.clone()]).is_none();
            if is_clear && known.insert(proposal.pattern.clone()) && compiles() {
                found.push(proposal);
            }
        }
    }
    found
}

fn literal(piece: &str) -> Proposal {
    Proposal { pattern: piece.to_owned(), metavariables: 0 }
}

/// A piece with its variables replaced by metavariables, the same for each occurrence of one.
fn general(file: &SyntaxFile<'_>, text: &str, piece: &Range<usize>) -> Proposal {
    let Some(root) = file.root().descendant_for_byte_range(piece.start, piece.end) else {
        return literal(&text[piece.clone()]);
    };
    let mut leaves: Vec<Range<usize>> = Vec::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if leaves.len() >= MAX_LEAVES {
            break;
        }
        if node.child_count() == 0 {
            if is_variable(node, &text[node.byte_range()]) {
                leaves.push(node.byte_range());
            }
            continue;
        }
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor));
    }
    leaves.sort_by_key(|leaf| leaf.start);
    let mut names: FxHashMap<&str, usize> = FxHashMap::default();
    let (mut pattern, mut from) = (String::new(), piece.start);
    for leaf in leaves.into_iter().filter(|leaf| piece.start <= leaf.start && leaf.end <= piece.end) {
        let next = names.len();
        let number = *names.entry(&text[leaf.clone()]).or_insert(next);
        pattern.push_str(&text[from..leaf.start]);
        pattern.push_str(&format!("$V{number}"));
        from = leaf.end;
    }
    pattern.push_str(&text[from..piece.end]);
    Proposal { pattern, metavariables: names.len() }
}

/// Returns whether a leaf is a variable: a name that is not called, accessed, constructed or imported, and no
/// constant.
fn is_variable(leaf: Node<'_>, name: &str) -> bool {
    let is_plain = name.starts_with(|first: char| first.is_lowercase() || first == '_');
    if leaf.kind() != "identifier" || !is_plain || OWN.contains(&name) {
        return false;
    }
    let Some(parent) = leaf.parent() else { return true };
    let is_first = parent.child(0).is_some_and(|first| first.id() == leaf.id());
    let names_it =
        ["call", "macro", "import", "scoped", "type", "use_"].iter().any(|kind| parent.kind().contains(kind));
    let is_member = parent.child_by_field_name("attribute").is_some_and(|member| member.id() == leaf.id())
        || parent.child_by_field_name("name").is_some_and(|member| member.id() == leaf.id());
    !(is_member || names_it && is_first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proposals_are_code_of_the_lines() {
        let text = "def f(items, size):\n    total = 0\n    return sum(items) / size\n";
        let found = proposals(Language::Python, text, std::slice::from_ref(&(2..3)), &Cancel::new());
        let patterns: Vec<&str> = found.iter().map(|found| &*found.pattern).collect();
        assert!(patterns.contains(&"return sum($V0) / $V1"), "{patterns:?}");
        assert!(patterns.contains(&"return sum(items) / size"), "{patterns:?}");
        let rust = "fn f(x: Option<u8>) -> u8 {\n    x.unwrap()\n}\n";
        let found = proposals(Language::Rust, rust, std::slice::from_ref(&(1..2)), &Cancel::new());
        assert_eq!(found[0].pattern, "$V0.unwrap()");
        assert!(proposals(Language::Python, "", std::slice::from_ref(&(0..1)), &Cancel::new()).is_empty());
        assert!(proposals(Language::Python, text, std::slice::from_ref(&(90..91)), &Cancel::new()).is_empty());
    }
}
