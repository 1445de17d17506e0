//! `use` declarations of Rust as the names that they bring, with the bytes of each.

use std::ops::Range;

use m1nd_lang::{FileItem, ItemKind};

/// Deepest braces that are read.
const MAX_DEPTH: usize = 64;

/// One name of a `use` declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leaf {
    /// The names of the path, the last one included; without `*`.
    pub(super) path: Vec<String>,
    /// The name in this file; empty for `*`.
    pub(super) name: String,
    /// It is written `… as name`.
    pub(super) is_renamed: bool,
    pub(super) is_glob: bool,
    /// The bytes of the row in its braces, or of the whole path.
    pub(super) bytes: Range<usize>,
    /// First byte of the last name of the path.
    pub(super) at: usize,
    /// The bytes of the declaration, without attributes.
    pub(super) declaration: Range<usize>,
    /// The lines that belong to the declaration.
    pub(super) lines: Range<usize>,
    /// What is written before `use`: `pub`, `pub(crate)`, or nothing.
    pub(super) visibility: String,
}

/// The names of all declarations among statements.
pub(super) fn list_leaves(text: &str, items: &[FileItem]) -> Vec<Leaf> {
    let uses = items.iter().filter(|item| item.kind == ItemKind::Import);
    uses.flat_map(|item| leaves_of(text, &item.bytes, &item.lines)).collect()
}

/// The names of the declarations inside of a part of the text: in functions and modules.
pub(super) fn list_inner(text: &str, declarations: &[Range<usize>]) -> Vec<Leaf> {
    let lines = |bytes: &Range<usize>| {
        let start = text[..bytes.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[bytes.end..].find('\n').map_or(text.len(), |at| bytes.end + at + 1);
        start..end
    };
    declarations.iter().flat_map(|bytes| leaves_of(text, bytes, &lines(bytes))).collect()
}

fn leaves_of(text: &str, bytes: &Range<usize>, lines: &Range<usize>) -> Vec<Leaf> {
    let written = &text[bytes.clone()];
    let Some(word) = written.find("use ").filter(|at| *at == 0 || written[..*at].ends_with([' ', '\n', ')', ']']))
    else {
        return Vec::new();
    };
    let visibility = written[..word].rsplit(']').next().unwrap_or_default().trim().to_owned();
    let start = bytes.start + word + "use ".len();
    let end = bytes.start + written.trim_end().trim_end_matches(';').len();
    let mut leaves = Vec::new();
    let mut open: Vec<(Range<usize>, Vec<String>, usize)> = vec![(start..end, Vec::new(), 0)];
    while let Some((range, before, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            continue;
        }
        for row in split_rows(text, &range) {
            let row_text = &text[row.clone()];
            if row_text.trim_start_matches("::").is_empty() {
                continue;
            }
            match row_text.find('{') {
                Some(brace) => {
                    let mut path = before.clone();
                    path.extend(names_of(&row_text[..brace]));
                    let inner = row.start + brace + 1..row.start + row_text.rfind('}').unwrap_or(row_text.len());
                    open.push((inner, path, depth + 1));
                }
                None => leaves.push(leaf(text, row, &before, (bytes, lines, &visibility))),
            }
        }
    }
    leaves.sort_by_key(|leaf| leaf.bytes.start);
    leaves
}

fn leaf(
    text: &str,
    row: Range<usize>,
    before: &[String],
    (bytes, lines, visibility): (&Range<usize>, &Range<usize>, &str),
) -> Leaf {
    let written = &text[row.clone()];
    let (path_text, alias) = match written.split_once(" as ") {
        Some((path, alias)) => (path.trim_end(), Some(alias.trim())),
        None => (written, None),
    };
    let mut path: Vec<String> = before.to_vec();
    path.extend(names_of(path_text));
    let is_glob = path.last().is_some_and(|last| last == "*");
    let at = row.start + path_text.rfind("::").map_or(0, |at| at + 2);
    // `a::{self}` is the module itself.
    if is_glob || path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let last = path.last().cloned().unwrap_or_default();
    let name = if is_glob { String::new() } else { alias.map_or(last, str::to_owned) };
    Leaf {
        path,
        name,
        is_renamed: alias.is_some(),
        is_glob,
        bytes: row,
        at,
        declaration: bytes.clone(),
        lines: lines.clone(),
        visibility: visibility.to_owned(),
    }
}

fn names_of(path: &str) -> Vec<String> {
    path.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The rows between the commas of a range, without the space around them.
fn split_rows(text: &str, range: &Range<usize>) -> Vec<Range<usize>> {
    let (mut rows, mut depth, mut start) = (Vec::new(), 0_usize, range.start);
    for (at, c) in text[range.clone()].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                rows.push(start..range.start + at);
                start = range.start + at + 1;
            }
            _ => {}
        }
    }
    rows.push(start..range.end);
    let trimmed = rows.into_iter().map(|row| {
        let text = &text[row.clone()];
        let first = row.start + (text.len() - text.trim_start().len());
        first..first + text.trim().len()
    });
    trimmed.filter(|row| !row.is_empty()).collect()
}

/// The largest rows of a tree in which every name goes.
fn rows_without(text: &str, tree: &Range<usize>, gone: &[&Leaf], own: &[&Leaf]) -> Vec<Range<usize>> {
    let (mut open, mut found) = (vec![(tree.clone(), 0)], Vec::new());
    while let Some((range, depth)) = open.pop() {
        for row in split_rows(text, &range) {
            let mut inner = own.iter().filter(|leaf| row.start <= leaf.bytes.start && leaf.bytes.end <= row.end);
            if inner.all(|leaf| gone.contains(leaf)) {
                found.push(row);
            } else if let Some(brace) = text[row.clone()].find('{').filter(|_| depth < MAX_DEPTH) {
                let close = text[row.clone()].rfind('}').map_or(row.end, |at| row.start + at);
                open.push((row.start + brace + 1..close, depth + 1));
            }
        }
    }
    found.sort_by_key(|row| row.start);
    found
}

/// The patches that take names out of their declarations. `all` are the leaves of the file; others take their place if
/// `is_replaced`.
pub(super) fn remove_leaves(
    text: &str,
    all: &[Leaf],
    gone: &[&Leaf],
    is_replaced: bool,
) -> Vec<(Range<usize>, String)> {
    let mut patches = Vec::new();
    let mut declarations: Vec<&Range<usize>> = gone.iter().map(|leaf| &leaf.declaration).collect();
    declarations.dedup();
    for declaration in declarations {
        let own: Vec<&Leaf> = all.iter().filter(|leaf| &leaf.declaration == declaration).collect();
        let left: Vec<&&Leaf> = own.iter().filter(|leaf| !gone.contains(*leaf)).collect();
        let Some(first) = own.first() else { continue };
        if left.is_empty() {
            let lines = match is_replaced {
                true => first.lines.clone(),
                false => super::super::cut::import_deletion(text, &first.lines),
            };
            patches.push((lines, String::new()));
            continue;
        }
        // The whole of it is written anew where it has one pair of braces; else only the rows go.
        let written = &text[declaration.clone()];
        let is_flat = written.matches('{').count() == 1 && !written.contains("//") && !written.contains("/*");
        if is_flat {
            let brace = declaration.start + written.find('{').unwrap_or(0);
            let head = &text[declaration.start..brace];
            let rows: Vec<&str> = left.iter().map(|leaf| &text[leaf.bytes.clone()]).collect();
            let is_long = written.contains('\n') && head.len() + rows.join(", ").len() > 96;
            let tail = match rows.as_slice() {
                ["self"] => String::new(),
                [row] => (*row).to_owned(),
                rows if is_long => format!("{{\n    {},\n}}", rows.join(",\n    ")),
                rows => format!("{{{}}}", rows.join(", ")),
            };
            let head = if tail.is_empty() { head.trim_end_matches("::") } else { head };
            patches.push((declaration.clone(), format!("{head}{tail};")));
            continue;
        }
        let start = text[declaration.clone()].find("use ").map_or(declaration.start, |at| declaration.start + at + 4);
        let end = declaration.start + text[declaration.clone()].trim_end().trim_end_matches(';').len();
        for row in rows_without(text, &(start..end), gone, &own) {
            let behind = &text[row.end..declaration.end];
            let end = match behind.trim_start().starts_with(',') {
                true => {
                    let comma = row.end + behind.find(',').unwrap_or(0) + 1;
                    comma + (text[comma..].len() - text[comma..].trim_start_matches(' ').len())
                }
                false => row.end,
            };
            patches.push((row.start..end, String::new()));
        }
    }
    patches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_tree() {
        let text = "pub(crate) use a::{self, b::{c as d, e}, f::*};";
        let found = leaves_of(text, &(0..text.len()), &(0..text.len()));
        let rows: Vec<String> = found
            .iter()
            .map(|leaf| {
                format!("{} {} {} {}", leaf.visibility, leaf.path.join("::"), leaf.name, &text[leaf.bytes.clone()])
            })
            .collect();
        assert_eq!(
            rows,
            ["pub(crate) a a self", "pub(crate) a::b::c d c as d", "pub(crate) a::b::e e e", "pub(crate) a::f  f::*"]
        );
    }

    #[test]
    fn a_group_goes_with_its_last_name() {
        let text = "use a::{b::{c, d}, e::{f, g}};";
        let all = leaves_of(text, &(0..text.len()), &(0..text.len()));
        let rest = |gone: &[&Leaf]| super::super::super::cut::apply(text, remove_leaves(text, &all, gone, false));
        assert_eq!(rest(&[&all[0], &all[1]]), "use a::{e::{f, g}};");
        assert_eq!(rest(&[&all[1], &all[2]]), "use a::{b::{c, }, e::{g}};");
    }

    #[test]
    fn a_name_is_taken_out_of_its_braces() {
        let text = "use a::{b, c, d};";
        let all = leaves_of(text, &(0..text.len()), &(0..text.len()));
        let rest = |gone: &[&Leaf]| super::super::super::cut::apply(text, remove_leaves(text, &all, gone, false));
        assert_eq!(rest(&[&all[1]]), "use a::{b, d};");
        assert_eq!(rest(&[&all[1], &all[0]]), "use a::d;");
        assert_eq!(rest(&[&all[0], &all[1], &all[2]]), "");
    }
}
