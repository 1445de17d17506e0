//! The statements of a C or C++ file with the regions that they stand in: namespaces, `extern "C"`, conditionals. For
//! edits that take a statement out of a file or put one in.

use std::ops::Range;

use m1nd_base::{Cancel, Limits};
use tree_sitter::Node;

use crate::file_items::{attached_start, comment_item, end_of_line, start_of_line};
use crate::strings::comment_ranges;
use crate::{FileItem, ItemKind, Language, languages, parse};

/// Maximum depth of regions that are entered; deeper ones count as one statement.
const MAX_REGIONS: usize = 64;

/// What a region is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegionKind {
    /// `namespace a`, or `namespace a::b`, with its name as it is written.
    Namespace(String),
    /// A namespace without a name: what is in it belongs to the file alone.
    Anonymous,
    /// `extern "C" { … }`.
    Linkage,
    /// The conditional around a whole header that keeps it from being read twice.
    Guard,
    /// Any other conditional of the preprocessor.
    Condition,
    /// Code that the parser cannot read.
    Unread,
}

/// A region of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// What it is.
    pub kind: RegionKind,
    /// Its bytes.
    pub bytes: Range<usize>,
    /// The bytes between its braces or directives.
    pub inner: Range<usize>,
    /// The region around it.
    pub parent: Option<usize>,
}

/// A statement of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeItem {
    /// Its bytes, the lines that go with it, and its kind.
    pub item: FileItem,
    /// Index of the innermost region around it.
    pub region: Option<usize>,
    /// Where the body of a function begins.
    pub body: Option<usize>,
}

/// The statements of a file in order, and its regions; outer regions precede inner ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NativeItems {
    /// The statements; a region is not one itself.
    pub items: Vec<NativeItem>,
    /// The regions.
    pub regions: Vec<Region>,
}

impl NativeItems {
    /// The regions around a place in the table of regions, innermost first.
    pub fn regions_from(&self, region: Option<usize>) -> impl Iterator<Item = &Region> {
        std::iter::successors(region.and_then(|index| self.regions.get(index)), |region| {
            region.parent.and_then(|index| self.regions.get(index))
        })
    }

    /// The names of the namespaces around a place in the table of regions, outermost first.
    pub fn namespaces(&self, region: Option<usize>) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .regions_from(region)
            .filter_map(|region| match &region.kind {
                RegionKind::Namespace(name) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        names.reverse();
        names
    }
}

/// The statements of a file of C or C++; `None` for another language, or a text that cannot be parsed.
pub fn native_items(language: Language, text: &str, limits: &Limits, cancel: &Cancel) -> Option<NativeItems> {
    let grammar = matches!(language, Language::C | Language::Cpp).then(|| language.grammar()).flatten()?;
    let prepared = languages::prepare(language, text);
    let tree = parse::parse(&grammar, prepared.as_bytes(), limits, cancel).ok()?;
    let mut found = NativeItems::default();
    // Regions are read one after the other; their statements are put in order at the end.
    let mut open: Vec<(Node<'_>, Option<usize>, usize)> = vec![(tree.root_node(), None, 0)];
    while let Some((node, region, depth)) = open.pop() {
        cancel.check().ok()?;
        read_region((node, region, depth), text, &mut found, &mut open);
    }
    found.items.sort_by_key(|item| item.item.bytes.start);
    let comments = comment_ranges(language, text);
    attach_hidden_words(text, &comments, &mut found);
    add_hidden_conditions(text, &comments, &mut found);
    Some(found)
}

/// Reads the statements of a region, and notes the regions in it.
fn read_region<'t>(
    (node, region, depth): (Node<'t>, Option<usize>, usize),
    text: &str,
    found: &mut NativeItems,
    open: &mut Vec<(Node<'t>, Option<usize>, usize)>,
) {
    let mut cursor = node.walk();
    // Comments that wait for the statement behind them.
    let mut waiting: Vec<Range<usize>> = Vec::new();
    let mut items: Vec<FileItem> = Vec::new();
    let mut bodies: Vec<Option<usize>> = Vec::new();
    for child in node.named_children(&mut cursor) {
        let bytes = child.byte_range();
        let is_head = ["name", "condition", "value"].iter().any(|field| {
            let head = node.child_by_field_name(field);
            head.is_some_and(|head| head == child)
        });
        if is_head && node.kind() != "translation_unit" {
            continue;
        }
        if child.kind() == "comment" {
            let is_behind = items.last().is_some_and(|last| !text[last.bytes.end..bytes.start].contains('\n'));
            match items.last_mut().filter(|_| is_behind && waiting.is_empty()) {
                Some(last) => last.lines.end = end_of_line(text, bytes.end),
                None => waiting.push(bytes),
            }
            continue;
        }
        if let Some((kind, body)) = region_of(child, text, depth) {
            items.extend(waiting.drain(..).map(|bytes| comment_item(text, bytes)));
            let inner = inner_of(child, body, text);
            found.regions.push(Region { kind, bytes, inner, parent: region });
            open.push((body, Some(found.regions.len() - 1), depth + 1));
            continue;
        }
        let before = items.len();
        let first = attached_start(text, &mut waiting, bytes.start, &mut items);
        bodies.resize(items.len().max(before), None);
        let lines = start_of_line(text, first)..end_of_line(text, bytes.end);
        let kind = if child.kind() == "preproc_include" { ItemKind::Import } else { ItemKind::Other };
        items.push(FileItem { bytes, lines, kind, node_kind: child.kind().into(), import: None });
        bodies.push(body_of(child));
    }
    items.extend(waiting.into_iter().map(|bytes| comment_item(text, bytes)));
    bodies.resize(items.len(), None);
    let rows = items.into_iter().zip(bodies).map(|(item, body)| NativeItem { item, region, body });
    found.items.extend(rows);
}

/// The kind of a region and the node that holds its statements; `None` for a statement.
fn region_of<'t>(node: Node<'t>, text: &str, depth: usize) -> Option<(RegionKind, Node<'t>)> {
    if depth >= MAX_REGIONS {
        return None;
    }
    match node.kind() {
        "namespace_definition" => {
            let body = node.child_by_field_name("body")?;
            let name = node.child_by_field_name("name").map(|name| text[name.byte_range()].to_owned());
            Some((name.map_or(RegionKind::Anonymous, RegionKind::Namespace), body))
        }
        "linkage_specification" => {
            let body = node.child_by_field_name("body").filter(|body| body.kind() == "declaration_list")?;
            Some((RegionKind::Linkage, body))
        }
        "preproc_if" | "preproc_ifdef" | "preproc_elif" | "preproc_elifdef" | "preproc_else" => {
            let kind = if is_guard(node, text) { RegionKind::Guard } else { RegionKind::Condition };
            Some((kind, node))
        }
        "ERROR" => Some((RegionKind::Unread, node)),
        _ => None,
    }
}

/// Returns whether a conditional is around a whole header, and defines the word that it asks for.
fn is_guard(node: Node<'_>, text: &str) -> bool {
    let Some(parent) = node.parent().filter(|parent| parent.kind() == "translation_unit") else { return false };
    let mut cursor = parent.walk();
    let is_alone = parent
        .named_children(&mut cursor)
        .filter(|other| *other != node)
        .all(|other| matches!(other.kind(), "comment" | "preproc_call"));
    let head = text[node.byte_range()].lines().next().unwrap_or_default();
    let mut inner = node.walk();
    let defined = node.named_children(&mut inner).find(|child| child.kind() == "preproc_def");
    let word = defined.and_then(|defined| defined.child_by_field_name("name")).map(|name| &text[name.byte_range()]);
    let is_negative = head.contains("ifndef") || head.contains('!');
    is_alone && is_negative && word.is_some_and(|word| head.contains(word))
}

/// The bytes between the braces or directives of a region.
fn inner_of(node: Node<'_>, body: Node<'_>, text: &str) -> Range<usize> {
    let bytes = body.byte_range();
    let part = &text[bytes.clone()];
    match node.kind() {
        "namespace_definition" | "linkage_specification" => {
            let end = if part.ends_with('}') { bytes.end - 1 } else { bytes.end };
            bytes.start + 1..end
        }
        _ => {
            let start = part.find('\n').map_or(bytes.end, |at| bytes.start + at + 1);
            let last = part.trim_end().rfind('\n').map_or(bytes.end, |at| bytes.start + at + 1);
            start..last.max(start)
        }
    }
}

/// Where the body of a function begins.
fn body_of(node: Node<'_>) -> Option<usize> {
    let mut cursor = node.walk();
    let inner = match node.kind() {
        "template_declaration" => {
            node.named_children(&mut cursor).find(|child| child.kind() == "function_definition")?
        }
        "function_definition" => node,
        _ => return None,
    };
    let initializers = {
        let mut cursor = inner.walk();
        inner.named_children(&mut cursor).find(|child| child.kind() == "field_initializer_list")
    };
    let body = inner.child_by_field_name("body");
    initializers.or(body).map(|body| body.start_byte())
}

/// Adds words above a statement that are hidden from the parser, such as macros on a line of their own.
fn attach_hidden_words(text: &str, comments: &[Range<usize>], found: &mut NativeItems) {
    let is_comment = |at: usize| comments.iter().any(|range| range.contains(&at));
    let mut edges: Vec<usize> = found.items.iter().map(|item| item.item.lines.end).collect();
    edges.extend(found.regions.iter().flat_map(|region| [region.inner.start, region.bytes.end]));
    edges.sort_unstable();
    for item in &mut found.items {
        if item.item.kind != ItemKind::Other {
            continue;
        }
        let start = item.item.lines.start;
        let from = edges[..edges.partition_point(|edge| *edge <= start)].last().copied().unwrap_or(0);
        let gap = text.get(from..start).unwrap_or_default();
        // Directives that are hidden do not belong to the statement.
        let directive = gap.rfind("\n#").map(|at| at + 1).or_else(|| gap.starts_with('#').then_some(0));
        let first = directive.map_or(0, |at| gap[at..].find('\n').map_or(gap.len(), |end| at + end + 1));
        let word = gap[first..].char_indices().map(|(at, c)| (first + at, c));
        let word = word.into_iter().find(|(at, c)| (c.is_alphabetic() || *c == '_') && !is_comment(from + at));
        if let Some((at, _)) = word {
            item.item.lines.start = start_of_line(text, from + at).max(from);
        }
    }
}

/// Adds conditionals that are hidden from the parser, because they split a statement or a pair of brackets.
fn add_hidden_conditions(text: &str, comments: &[Range<usize>], found: &mut NativeItems) {
    for range in list_conditionals(text, comments) {
        let is_known = found.regions.iter().any(|region| {
            let start = start_of_line(text, region.bytes.start);
            matches!(region.kind, RegionKind::Guard | RegionKind::Condition) && start == range.start
        });
        let inside: Vec<usize> =
            (0..found.items.len()).filter(|item| range.contains(&found.items[*item].item.bytes.start)).collect();
        if is_known || inside.is_empty() {
            continue;
        }
        for item in inside {
            let parent = found.items[item].region;
            found.items[item].region = Some(found.regions.len());
            let kind = RegionKind::Condition;
            found.regions.push(Region { kind, bytes: range.clone(), inner: range.clone(), parent });
        }
    }
}

/// The lines from each `#if` to its `#endif`.
fn list_conditionals(text: &str, comments: &[Range<usize>]) -> Vec<Range<usize>> {
    let (mut open, mut found, mut at) = (Vec::new(), Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim_start) else { continue };
        if comments.iter().any(|range| range.contains(&start)) {
            continue;
        }
        if directive.starts_with("if") {
            open.push(start);
        } else if directive.starts_with("endif") {
            found.extend(open.pop().map(|first| first..at));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list_items(language: Language, text: &str) -> Vec<String> {
        let found = native_items(language, text, &Limits::default(), &Cancel::new()).expect("parses");
        let row = |item: &NativeItem| {
            let regions: Vec<String> =
                found.regions_from(item.region).map(|region| format!("{:?}", region.kind)).collect();
            format!("{:?} in [{}]", &text[item.item.lines.clone()], regions.join(", "))
        };
        found.items.iter().filter(|item| item.item.kind != ItemKind::Comment).map(row).collect()
    }

    #[test]
    fn statements_with_the_regions_around_them() {
        let header = "// About.\n#ifndef A_H\n#define A_H\n\n#include \"b.h\"\n\n\
                      namespace a {\nnamespace {\nint x;\n}\n\
                      // Of f.\n\
                      template <class T>\nvoid f(T t) {}\n\nstruct S {\n  int x;\n};  // S\n\
                      #ifdef D\nint d();\n\
                      #else\nint e();\n#endif\n}  // namespace a\n#endif\n";
        assert_eq!(
            list_items(Language::Cpp, header),
            [
                "\"#define A_H\\n\" in [Guard]",
                "\"#include \\\"b.h\\\"\\n\" in [Guard]",
                "\"int x;\\n\" in [Anonymous, Namespace(\"a\"), Guard]",
                "\"// Of f.\\ntemplate <class T>\\nvoid f(T t) {}\\n\" in [Namespace(\"a\"), Guard]",
                "\"struct S {\\n  int x;\\n};  // S\\n\" in [Namespace(\"a\"), Guard]",
                "\"int d();\\n\" in [Condition, Namespace(\"a\"), Guard]",
                "\"int e();\\n\" in [Condition, Condition, Namespace(\"a\"), Guard]",
            ]
        );
    }

    #[test]
    fn conditionals_that_are_hidden_from_the_parser_are_regions() {
        let text = "#ifndef A_H\n#define A_H\n#ifndef W\ntypedef int number;\n#else\n#ifdef X\n\
                    typedef long number;\n#else\ntypedef short number;\n#endif\n#endif\n\
                    int f(\n#ifdef W\nint x\n#else\nlong x\n#endif\n);\n#endif\n";
        let rows = list_items(Language::C, text);
        let conditional: Vec<bool> = rows.iter().map(|row| row.contains("Condition")).collect();
        assert_eq!(conditional, [false, true, true, true, false], "{rows:?}");
    }

    #[test]
    fn words_that_are_hidden_from_the_parser_belong_to_the_statement() {
        let text = "int a;\n\nAPI_EXPORT\nint f(void) {\n  return 1;\n}\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\
                    int g(void);\n#ifdef __cplusplus\n}\n#endif\n";
        assert_eq!(
            list_items(Language::C, text),
            [
                "\"int a;\\n\" in []",
                "\"API_EXPORT\\nint f(void) {\\n  return 1;\\n}\\n\" in []",
                "\"int g(void);\\n\" in []",
            ]
        );
    }
}
