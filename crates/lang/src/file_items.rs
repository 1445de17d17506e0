//! The statements at the top of a file with their exact bytes, for edits that take one out or change an import.

use std::ops::Range;

use m1nd_base::{Cancel, Limits};
use tree_sitter::Node;

use crate::{Language, languages, parse};

/// What a statement at the top of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// It imports something.
    Import,
    /// It exports what another file has (`export { a } from "./b"`).
    Reexport,
    /// It names the package of the file.
    Package,
    /// A comment or attribute that belongs to no other statement, or a text that documents the file.
    Comment,
    /// Anything else: a definition, or code that runs.
    Other,
}

/// A statement at the top of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileItem {
    /// Its bytes, with decorators and attributes, without comments in front.
    pub bytes: Range<usize>,
    /// The bytes of the lines that go with it: comments and attributes directly above, the rest of its last line.
    pub lines: Range<usize>,
    /// What it is.
    pub kind: ItemKind,
    /// The word of the grammar for it (`if_statement`).
    pub node_kind: Box<str>,
    /// The module that it imports from, and the names.
    pub import: Option<ImportParts>,
}

/// The parts of an import that names a module (Python, JavaScript, TypeScript), or of one that lists packages (Go).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportParts {
    /// The module as it is written, without quotes, with the dots of a relative one. Empty for `import a, b`.
    pub module: Range<usize>,
    /// The names that are imported from it, or the modules of `import a, b`.
    pub names: Vec<ImportedName>,
    /// A default import of a script (`import a from "./b"`).
    pub default: Option<Range<usize>>,
    /// It takes all names, or the module as a value (`*`, `* as ns`).
    pub is_wildcard: bool,
    /// `import type`.
    pub is_type_only: bool,
    /// CommonJS: `const a = require("./b")`, `const { a } = require("./b")`.
    pub is_require: bool,
}

/// A name in an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedName {
    /// The whole of it: `type load as read`.
    pub bytes: Range<usize>,
    /// The imported name.
    pub name: Range<usize>,
    /// The name in this file, where it is not the same.
    pub alias: Option<Range<usize>>,
}

/// Kinds of nodes at the top of a file, by language.
struct Kinds {
    imports: &'static [&'static str],
    packages: &'static [&'static str],
    /// What belongs to the statement behind it.
    attached: &'static [&'static str],
}

const fn kinds(language: Language) -> Option<Kinds> {
    Some(match language {
        Language::Python => Kinds {
            imports: &["import_statement", "import_from_statement", "future_import_statement"],
            packages: &[],
            attached: &["comment"],
        },
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            Kinds { imports: &["import_statement"], packages: &[], attached: &["comment", "decorator"] }
        }
        Language::Rust => Kinds {
            imports: &["use_declaration", "extern_crate_declaration"],
            packages: &[],
            attached: &["line_comment", "block_comment", "attribute_item"],
        },
        Language::Go => {
            Kinds { imports: &["import_declaration"], packages: &["package_clause"], attached: &["comment"] }
        }
        Language::Java => Kinds {
            imports: &["import_declaration"],
            packages: &["package_declaration"],
            attached: &["line_comment", "block_comment"],
        },
        Language::C | Language::Cpp => Kinds { imports: &["preproc_include"], packages: &[], attached: &["comment"] },
        _ => return None,
    })
}

/// The statements at the top of a file, in order; `None` for a language without rules, or a text that cannot be parsed.
pub fn file_items(language: Language, text: &str, limits: &Limits, cancel: &Cancel) -> Option<Vec<FileItem>> {
    let kinds = kinds(language)?;
    let grammar = language.grammar()?;
    let prepared = languages::prepare(language, text);
    let tree = parse::parse(&grammar, prepared.as_bytes(), limits, cancel).ok()?;
    let root = tree.root_node();
    let mut cursor = root.walk();
    let mut items: Vec<FileItem> = Vec::new();
    // Comments and attributes that wait for the statement behind them.
    let mut waiting: Vec<Range<usize>> = Vec::new();
    for node in root.named_children(&mut cursor) {
        let bytes = node.byte_range();
        if kinds.attached.contains(&node.kind()) {
            let is_behind = items.last().is_some_and(|last| !text[last.bytes.end..bytes.start].contains('\n'));
            match items.last_mut().filter(|_| is_behind && waiting.is_empty()) {
                Some(last) => last.lines.end = end_of_line(text, bytes.end),
                None => waiting.push(bytes),
            }
            continue;
        }
        let first = attached_start(text, &mut waiting, bytes.start, &mut items);
        let lines = start_of_line(text, first)..end_of_line(text, bytes.end);
        let (kind, import) = describe(node, &kinds, text);
        items.push(FileItem { bytes, lines, kind, node_kind: node.kind().into(), import });
    }
    items.extend(waiting.into_iter().map(|bytes| comment_item(text, bytes)));
    Some(items)
}

/// The imports and re-exports of a file wherever they stand, in order; `None` as [`file_items`].
pub fn import_statements(language: Language, text: &str, limits: &Limits, cancel: &Cancel) -> Option<Vec<FileItem>> {
    let kinds = kinds(language)?;
    let grammar = language.grammar()?;
    let prepared = languages::prepare(language, text);
    let tree = parse::parse(&grammar, prepared.as_bytes(), limits, cancel).ok()?;
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let (kind, import) = describe(node, &kinds, text);
        let is_import = matches!(kind, ItemKind::Import | ItemKind::Reexport);
        if is_import {
            let bytes = node.byte_range();
            let lines = start_of_line(text, bytes.start)..end_of_line(text, bytes.end);
            found.push(FileItem { bytes, lines, kind, node_kind: node.kind().into(), import });
        }
        if !is_import && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(found);
            }
        }
    }
}

/// Where the comments begin that belong to a statement; those that do not become items of their own.
pub(crate) fn attached_start(
    text: &str,
    waiting: &mut Vec<Range<usize>>,
    start: usize,
    items: &mut Vec<FileItem>,
) -> usize {
    let mut first = start;
    let mut kept = waiting.len();
    for (index, bytes) in waiting.iter().enumerate().rev() {
        let between = text[bytes.end.min(first)..first].bytes().filter(|byte| *byte == b'\n').count();
        // The end of a line comment may include its line break. A comment on the first line is about the file.
        let breaks = between + usize::from(text[..bytes.end].ends_with('\n'));
        let is_header = start_of_line(text, bytes.start) == 0
            && text[bytes.clone()].starts_with(['#', '/'])
            && !text[bytes.clone()].starts_with("#[");
        if breaks > 1 || is_header {
            break;
        }
        (first, kept) = (bytes.start, index);
    }
    items.extend(waiting.drain(..).take(kept).map(|bytes| comment_item(text, bytes)));
    first
}

pub(crate) fn comment_item(text: &str, bytes: Range<usize>) -> FileItem {
    let lines = start_of_line(text, bytes.start)..end_of_line(text, bytes.end);
    FileItem { bytes, lines, kind: ItemKind::Comment, node_kind: "comment".into(), import: None }
}

pub(crate) fn start_of_line(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |at| at + 1)
}

/// Behind the line break of a line, if nothing but space is left of it.
pub(crate) fn end_of_line(text: &str, at: usize) -> usize {
    if text[..at].ends_with('\n') {
        return at;
    }
    let rest = &text[at..];
    match rest.find('\n') {
        Some(end) if rest[..end].trim().trim_start_matches(';').is_empty() => at + end + 1,
        None if rest.trim().is_empty() => text.len(),
        _ => at,
    }
}

fn describe(node: Node<'_>, kinds: &Kinds, text: &str) -> (ItemKind, Option<ImportParts>) {
    let kind = node.kind();
    if kinds.imports.contains(&kind) {
        return (ItemKind::Import, parts(node));
    }
    if kinds.packages.contains(&kind) {
        return (ItemKind::Package, None);
    }
    if kind == "export_statement" && node.child_by_field_name("source").is_some() {
        return (ItemKind::Reexport, parts(node));
    }
    if let Some(parts) = require_parts(node, text) {
        return (ItemKind::Import, Some(parts));
    }
    // The text that documents a module of Python.
    let is_text = kind == "expression_statement" && node.named_child(0).is_some_and(|inner| inner.kind() == "string");
    if is_text && node.named_child_count() == 1 {
        return (ItemKind::Comment, None);
    }
    (ItemKind::Other, None)
}

/// The parts of an import of Python, a script or Go; `None` for other languages.
fn parts(node: Node<'_>) -> Option<ImportParts> {
    if node.kind() == "import_declaration" {
        return list_specs(node);
    }
    if !matches!(node.kind(), "import_statement" | "import_from_statement" | "export_statement") {
        return None;
    }
    let mut parts = ImportParts::default();
    if let Some(source) = node.child_by_field_name("source") {
        let quoted = source.byte_range();
        parts.module = quoted.start + 1..quoted.end.saturating_sub(1).max(quoted.start + 1);
    } else if let Some(module) = node.child_by_field_name("module_name") {
        parts.module = module.byte_range();
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "type" => parts.is_type_only = true,
            "wildcard_import" | "*" | "namespace_export" => parts.is_wildcard = true,
            "import_clause" | "export_clause" => list_clause(child, &mut parts),
            "dotted_name" | "aliased_import" if child.byte_range() != parts.module => {
                parts.names.push(imported_name(child));
            }
            _ => {}
        }
    }
    Some(parts)
}

/// The parts of `const a = require("./b")` and `const { a, b: c } = require("./d")`; `None` for anything else.
fn require_parts(node: Node<'_>, text: &str) -> Option<ImportParts> {
    if !matches!(node.kind(), "lexical_declaration" | "variable_declaration") || node.named_child_count() != 1 {
        return None;
    }
    let declarator = node.named_child(0)?;
    let call = declarator.child_by_field_name("value").filter(|value| value.kind() == "call_expression")?;
    let module = call.child_by_field_name("arguments")?.named_child(0).filter(|module| module.kind() == "string")?;
    if &text[call.child_by_field_name("function")?.byte_range()] != "require" {
        return None;
    }
    let quoted = module.byte_range();
    let module = quoted.start + 1..quoted.end.saturating_sub(1).max(quoted.start + 1);
    let mut parts = ImportParts { module, is_require: true, ..ImportParts::default() };
    let pattern = declarator.child_by_field_name("name")?;
    match pattern.kind() {
        "identifier" => parts.default = Some(pattern.byte_range()),
        "object_pattern" => {
            let mut cursor = pattern.walk();
            for child in pattern.named_children(&mut cursor) {
                let bytes = child.byte_range();
                parts.names.push(match child.kind() {
                    "shorthand_property_identifier_pattern" => ImportedName { name: bytes.clone(), bytes, alias: None },
                    "pair_pattern" => {
                        let alias = child.child_by_field_name("value").filter(|value| value.kind() == "identifier")?;
                        let name = child.child_by_field_name("key")?.byte_range();
                        ImportedName { bytes, name, alias: Some(alias.byte_range()) }
                    }
                    _ => return None,
                });
            }
        }
        _ => return None,
    }
    Some(parts)
}

/// The imports of a declaration of Go: `name` is the path in its quotes.
fn list_specs(node: Node<'_>) -> Option<ImportParts> {
    let mut cursor = node.walk();
    let mut names = Vec::new();
    for child in node.named_children(&mut cursor) {
        let mut inner = child.walk();
        match child.kind() {
            "import_spec" => names.push(import_spec(child)?),
            "import_spec_list" => {
                let specs = child.named_children(&mut inner).filter(|spec| spec.kind() == "import_spec");
                names.extend(specs.filter_map(import_spec));
            }
            _ => {}
        }
    }
    (!names.is_empty()).then(|| ImportParts { names, ..ImportParts::default() })
}

fn import_spec(node: Node<'_>) -> Option<ImportedName> {
    let name = node.child_by_field_name("path")?.byte_range();
    let alias = node.child_by_field_name("name").map(|alias| alias.byte_range());
    Some(ImportedName { bytes: node.byte_range(), name, alias })
}

fn list_clause(clause: Node<'_>, parts: &mut ImportParts) {
    let mut cursor = clause.walk();
    for child in clause.named_children(&mut cursor) {
        match child.kind() {
            "identifier" => parts.default = Some(child.byte_range()),
            "namespace_import" => parts.is_wildcard = true,
            "named_imports" => {
                let mut inner = child.walk();
                let names = child.named_children(&mut inner).filter(|name| name.kind() == "import_specifier");
                parts.names.extend(names.map(imported_name));
            }
            "export_specifier" => parts.names.push(imported_name(child)),
            _ => {}
        }
    }
}

fn imported_name(node: Node<'_>) -> ImportedName {
    let name = node.child_by_field_name("name").unwrap_or(node).byte_range();
    let alias = node.child_by_field_name("alias").map(|alias| alias.byte_range());
    ImportedName { bytes: node.byte_range(), name, alias }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(language: Language, text: &str) -> Vec<String> {
        let found = file_items(language, text, &Limits::default(), &Cancel::new()).expect("parses");
        let name = |name: &ImportedName| text[name.bytes.clone()].to_owned();
        let row = |item: &FileItem| {
            let parts = item.import.as_ref().map(|parts| {
                let names: Vec<String> = parts.names.iter().map(name).collect();
                format!(" {}:{}", &text[parts.module.clone()], names.join(","))
            });
            format!("{:?} {:?}{}", item.kind, &text[item.lines.clone()], parts.unwrap_or_default())
        };
        found.iter().map(row).collect()
    }

    #[test]
    fn statements_with_what_belongs_to_them() {
        let python = "\"\"\"Doc.\"\"\"\n# About.\n\nfrom .a import b as c, d  # noqa\nimport e.f\n\n# Of g.\n@h\ndef g():\n    pass\n";
        assert_eq!(
            items(Language::Python, python),
            [
                "Comment \"\\\"\\\"\\\"Doc.\\\"\\\"\\\"\\n\"",
                "Comment \"# About.\\n\"",
                "Import \"from .a import b as c, d  # noqa\\n\" .a:b as c,d",
                "Import \"import e.f\\n\" :e.f",
                "Other \"# Of g.\\n@h\\ndef g():\\n    pass\\n\"",
            ]
        );
        let commonjs = "const a = require('./a');\nconst { b, c: d } = require('./b');\nconst e = require('./e').f;\nvar g = read('./h');\n";
        assert_eq!(
            items(Language::JavaScript, commonjs),
            [
                "Import \"const a = require('./a');\\n\" ./a:",
                "Import \"const { b, c: d } = require('./b');\\n\" ./b:b,c: d",
                "Other \"const e = require('./e').f;\\n\"",
                "Other \"var g = read('./h');\\n\"",
            ]
        );
        let script = "// Licence.\nimport a, { type b as c, d } from './x';\nexport * from \"./y\"\n/** Of f. */\nexport function f() {}\n";
        assert_eq!(
            items(Language::TypeScript, script),
            [
                "Comment \"// Licence.\\n\"",
                "Import \"import a, { type b as c, d } from './x';\\n\" ./x:type b as c,d",
                "Reexport \"export * from \\\"./y\\\"\\n\" ./y:",
                "Other \"/** Of f. */\\nexport function f() {}\\n\"",
            ]
        );
        let rust = "use a::b;\n\n/// Of c.\n#[inline]\npub fn c() {}\n\n// Alone.\n\nstruct D;\n";
        assert_eq!(
            items(Language::Rust, rust),
            [
                "Import \"use a::b;\\n\"",
                "Other \"/// Of c.\\n#[inline]\\npub fn c() {}\\n\"",
                "Comment \"// Alone.\\n\"",
                "Other \"struct D;\\n\"",
            ]
        );
    }
}
