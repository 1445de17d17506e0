//! What the text of a Go file says beside its code: its package, the conditions under which it is compiled, the rows of
//! its groups.

use std::ops::Range;

use m1nd_base::RepoPath;
use m1nd_engine::Snapshot;

use super::super::cut::Parsed;
use super::super::draft::name_of;
use crate::edits::refactor::read_plain;

/// The name in the package clause of a file.
pub(super) fn read_package_clause(snapshot: &Snapshot, path: &str) -> Option<String> {
    let source = read_plain(snapshot, &RepoPath::new(path).ok()?).ok()?;
    let mut in_comment = false;
    for line in source.text.lines().map(str::trim) {
        if in_comment || line.starts_with("/*") {
            in_comment = !line.contains("*/");
        } else if let Some(name) = line.strip_prefix("package ") {
            return Some(name.split(['/', ' ', ';']).next().unwrap_or(name).trim().to_owned());
        }
    }
    None
}

/// The conditions of a file: those of its name, and the lines with build tags.
pub(super) fn constraints(file: &Parsed, path: &str) -> (Vec<String>, Vec<String>) {
    let tags = file.text().lines().take_while(|line| !line.starts_with("package "));
    let tags = tags.filter(|line| line.starts_with("//go:build") || line.starts_with("// +build"));
    (constraints_of_name(path), tags.map(str::to_owned).collect())
}

/// The ends of a file's name that say when it is compiled.
pub(super) fn constraints_of_name(path: &str) -> Vec<String> {
    const SYSTEMS: &[&str] = &[
        "aix", "android", "darwin", "dragonfly", "freebsd", "illumos", "ios", "js", "linux", "netbsd", "openbsd",
        "plan9", "solaris", "wasip1", "windows", "unix", "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64",
        "mips64le", "mipsle", "ppc64", "ppc64le", "riscv64", "s390x", "wasm", "test",
    ];
    let name = name_of(path).trim_end_matches(".go");
    let parts = name.split('_').skip(1).filter(|part| SYSTEMS.contains(part));
    parts.map(str::to_owned).collect()
}

/// The lines that define a node, the word of the group that they are a row of, and the line of its name; or the line
/// and the reason why it has no lines of its own.
pub(super) fn lines_of(file: &Parsed, id: &str) -> Result<(Range<usize>, &'static str, u32), (u32, &'static str)> {
    const MOVED: (u32, &str) = (0, "does not have the definition where the index says");
    const SHARED: &str = "is defined by a statement that defines other names as well";
    let own = &file.facts.definitions[file.definition(id).ok_or(MOVED)?];
    let line = own.pos.line;
    let at = file.offset(own.pos).ok_or(MOVED)?;
    let item = file.items.iter().find(|item| item.bytes.contains(&at)).ok_or(MOVED)?;
    let text = &file.text()[item.bytes.clone()];
    let is_group = |word: &&str| text.strip_prefix(word).is_some_and(|rest| rest.trim_start().starts_with('('));
    let group = ["const", "var", "type"].into_iter().find(|word| is_group(word));
    let is_here = |row: &&m1nd_lang::facts::Definition| {
        row.owner.is_none()
            && !row.flags.is_anonymous
            && row.kind != m1nd_lang::facts::DefKind::Impl
            && file.offset(row.pos).is_some_and(|at| item.bytes.contains(&at))
    };
    let names: Vec<u32> = file.facts.definitions.iter().filter(is_here).map(|row| row.pos.line).collect();
    match group {
        Some(word) if names.len() > 1 => {
            let row = row_of_group(file, &item.bytes, (own.bytes.0 as usize, own.bytes.1 as usize), at);
            if word == "const" && (text.contains("iota") || !file.text()[row.clone()].contains('=')) {
                return Err((line, "is one of a group of constants that count"));
            }
            match names.iter().filter(|other| **other == line).count() {
                0 | 1 => Ok((row, word, line)),
                _ => Err((line, SHARED)),
            }
        }
        None if names.len() > 1 => Err((line, SHARED)),
        _ => Ok((item.lines.clone(), "", line)),
    }
}

/// The lines of one row of a group, with the comments above it.
pub(super) fn row_of_group(file: &Parsed, group: &Range<usize>, own: (usize, usize), name: usize) -> Range<usize> {
    let text = file.text();
    let start_of = |at: usize| text[..at].rfind('\n').map_or(0, |at| at + 1);
    let mut start = start_of(name.min(own.0.max(group.start + 1)));
    while start > group.start {
        let above = start_of(start - 1);
        if above <= group.start || !text[above..start].trim_start().starts_with("//") {
            break;
        }
        start = above;
    }
    let own_end = own.1.max(name).min(group.end);
    let end = text[own_end..].find('\n').map_or(text.len(), |at| own_end + at + 1);
    start..end
}

/// A row of a group as a statement of its own.
pub(super) fn out_of_group(word: &str, text: &str) -> String {
    let mut lines: Vec<String> =
        text.trim_matches('\n').lines().map(|line| line.strip_prefix('\t').unwrap_or(line).to_owned()).collect();
    if let Some(first) = lines.iter_mut().find(|line| !line.trim_start().starts_with("//") && !line.trim().is_empty()) {
        *first = format!("{word} {}", first.trim_start());
    }
    lines.join("\n")
}

/// A text without groups that have no rows.
pub(super) fn without_empty_groups(text: &str) -> String {
    let mut text = text.to_owned();
    for word in ["const", "var", "type", "import"] {
        for empty in [format!("\n{word} (\n)\n"), format!("\n{word} ()\n")] {
            text = text.replace(&empty, "");
        }
    }
    text
}

/// Returns whether a literal of a type begins at a place, and writes values without the names of fields.
pub(super) fn is_literal_without_keys(text: &str, at: usize) -> bool {
    let Some(rest) = text[at..].strip_prefix('{') else { return false };
    let rest = rest.trim_start();
    if rest.starts_with('}') || rest.is_empty() {
        return false;
    }
    let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    !rest[word..].trim_start().starts_with(':') && !rest.starts_with("//")
}
