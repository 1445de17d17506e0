//! What happens inside of a function: its variables, and where control leaves a part of it. From it, new texts: lines
//! that become a function, a call that is replaced by the body of its function.

mod c_family;
mod c_names;
mod callee;
mod compose;
mod extract;
mod flow;
mod go_std;
mod go_types;
mod hoist;
mod inline;
mod inlined_text;
mod liveness;
mod locals;
mod own_object;
mod passing;
mod receiver;
mod rules;
mod select;
mod surroundings;
mod types;

use std::collections::BTreeSet;
use std::ops::Range;

use m1nd_base::{Cancel, Limits, Problem};
use tree_sitter::{Node, Tree};

pub use c_family::{Extracted, NewMember};
pub use go_std::respell_go_type;
pub use own_object::OwnMember;

use crate::languages::prepare;
use crate::{Language, parse};

/// A place that stands in the way of a change, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// Its line, from 1.
    pub line: u32,
    /// Why it stands in the way.
    pub why: String,
}

/// A new text for some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The bytes; empty to insert.
    pub range: Range<usize>,
    /// Their new text.
    pub text: String,
}

/// What code of other files says about calls.
pub trait KnownCalls {
    /// The types of the results of the call whose name stands at a byte, as they are written there; `None` if they are
    /// not known.
    fn result_types(&self, at: usize) -> Option<Vec<String>>;

    /// The written type of the field, variable or constant whose name stands at a byte; `None` if it is not known.
    fn value_type(&self, at: usize) -> Option<String> {
        let _ = at;
        None
    }

    /// What a named type of the package is made of: `struct`, `interface`, or another type. `None` if it is not known.
    fn underlying_type(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// The definitions of a macro of the project, each from behind its name.
    fn macros_named(&self, name: &str) -> Vec<String> {
        let _ = name;
        Vec::new()
    }

    /// The head of the only function that is called by the name at a byte, as it is declared; `None` if it is not of
    /// the project.
    fn signature(&self, at: usize) -> Option<String> {
        let _ = at;
        None
    }

    /// The only class of a name in C++.
    fn class_named(&self, name: &str) -> Option<ClassText> {
        let _ = name;
        None
    }

    /// Returns whether the class or function whose name stands at a byte means one type by this name alone: it has no
    /// type parameters, or a class has defaults for all of them.
    fn is_plain(&self, at: usize) -> bool {
        let _ = at;
        false
    }
}

/// A class of C++, as its file writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassText {
    /// From its first word to its closing brace.
    pub text: String,
}

/// The lines that become a function.
#[derive(Debug, Clone, Copy)]
pub struct Lines<'a> {
    /// The first one, from 1.
    pub first: u32,
    /// The last one.
    pub last: u32,
    /// The name of the function.
    pub name: &'a str,
}

type Result<T> = std::result::Result<T, Obstacle>;

fn refuse(line: u32, why: &str) -> Obstacle {
    Obstacle { line, why: why.to_owned() }
}

/// The line of a byte, from 1.
fn line_of(text: &str, at: usize) -> u32 {
    text.get(..at).unwrap_or(text).bytes().filter(|byte| *byte == b'\n').count() as u32 + 1
}

/// The named children of a node, without comments.
fn list_named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

/// The white space that the line of a byte begins with.
fn indent_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |found| found + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Plans to make lines a function of their own; `None` for a language without rules for it.
///
/// # Errors
/// The first place that stands in the way.
pub fn extract_lines(
    language: Language,
    text: &str,
    lines: Lines<'_>,
    calls: &dyn KnownCalls,
    (limits, cancel): (&Limits, &Cancel),
) -> Option<std::result::Result<Extracted, Obstacle>> {
    let rules = rules::LocalRules::of(language)?;
    let parse = |text: &str| parse_or_refuse(language, text, (limits, cancel));
    let tree = match parse(text) {
        Ok(tree) => tree,
        Err(obstacle) => return Some(Err(obstacle)),
    };
    if matches!(language, Language::C | Language::Cpp) {
        return Some(c_family::extract(language, (tree, text), lines, (calls, limits), &parse));
    }
    Some(
        extract::Plan::new((language, rules), &tree, text, lines, calls, limits)
            .and_then(|plan| compose::compose(&plan))
            .map(|replaced| Extracted { replaced, member: None }),
    )
}

/// Parses code as its extractor does: without the words that only a preprocessor could read, at the same places.
fn parse_code(
    language: Language,
    text: &str,
    (limits, cancel): (&Limits, &Cancel),
) -> Option<std::result::Result<Tree, Problem>> {
    let (text, grammar) = (prepare(language, text), language.grammar()?);
    if !matches!(language, Language::C | Language::Cpp) {
        return Some(parse::parse(&grammar, text.as_bytes(), limits, cancel));
    }
    let parsed = parse::parse_code(&grammar, parse::Layout::Brackets, text.as_bytes(), limits, cancel);
    Some(parsed.map(|parsed| Tree::clone(&parsed)))
}

fn parse_or_refuse(language: Language, text: &str, limits: (&Limits, &Cancel)) -> Result<Tree> {
    match parse_code(language, text, limits) {
        Some(Ok(tree)) => Ok(tree),
        Some(Err(problem)) => Err(refuse(0, &format!("cannot be parsed: {}", problem.detail))),
        None => Err(refuse(0, "cannot be parsed: the language has no grammar")),
    }
}

/// The types that a function gives back, as its declaration writes them. `line` is that of its name, from 1. `None` if
/// they are not written, or depend on how it is called.
pub fn written_results(
    language: Language,
    text: &str,
    (line, name): (u32, &str),
    (limits, cancel): (&Limits, &Cancel),
) -> Option<Vec<String>> {
    let rules = rules::LocalRules::of(language)?;
    let tree = parse_code(language, text, (limits, cancel))?.ok()?;
    let function = find_named(&tree, text, (line, name), &|node| rules.functions.contains(&node.kind()))?;
    results_of(language, function, text)
}

/// The declaration of a name on a line, from 1, that is of some kind.
fn find_named<'t>(
    tree: &'t tree_sitter::Tree,
    text: &str,
    (line, name): (u32, &str),
    is_kind: &dyn Fn(Node<'t>) -> bool,
) -> Option<Node<'t>> {
    let row = line.checked_sub(1)? as usize;
    let mut rest = vec![tree.root_node()];
    while let Some(node) = rest.pop() {
        let (first, last) = (node.start_position().row, node.end_position().row);
        if row < first || row > last {
            continue;
        }
        let mut cursor = node.walk();
        let mut names = node.children_by_field_name("name", &mut cursor);
        if names.any(|own| own.start_position().row == row && text.get(own.byte_range()) == Some(name)) && is_kind(node)
        {
            return Some(node);
        }
        rest.extend(list_named(node));
    }
    None
}

/// What a file writes about a name that it declares.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// The type of a field, variable or constant.
    pub value_type: Option<String>,
    /// What a type of Go is made of: `struct`, `interface`, or another type.
    pub underlying: Option<String>,
    /// Whether a class or function has no type parameters, or a class has defaults for all of them.
    pub is_plain: bool,
    /// The bytes of the body of a function.
    pub body: Option<Range<usize>>,
}

/// Reads the declaration of a name on a line, from 1.
pub fn read_declared(
    language: Language,
    text: &str,
    place: (u32, &str),
    (limits, cancel): (&Limits, &Cancel),
) -> Option<Declared> {
    const VALUES: &[&str] = &[
        "field_declaration", "var_spec", "const_spec", "const_item", "static_item", "public_field_definition",
        "property_signature", "variable_declarator",
    ];
    const PLAIN: &[&str] = &["class_declaration", "function_declaration", "abstract_class_declaration", "class"];
    let rules = rules::LocalRules::of(language)?;
    let tree = parse::parse(&language.grammar()?, text.as_bytes(), limits, cancel).ok()?;
    let is_kind = |node: Node<'_>| {
        let kind = node.kind();
        VALUES.contains(&kind) || PLAIN.contains(&kind) || kind == "type_spec" || rules.functions.contains(&kind)
    };
    let node = find_named(&tree, text, place, &is_kind)?;
    let kind = node.child_by_field_name("type");
    let written = kind.and_then(|kind| text.get(kind.byte_range())).map(|kind| kind.trim_start_matches(':').trim());
    let is_optional = (0..node.child_count()).filter_map(|at| node.child(at)).any(|child| child.kind() == "?");
    let is_value = VALUES.contains(&node.kind()) && !is_optional;
    let parameters = node.child_by_field_name("type_parameters");
    let has_defaults = |list: Node<'_>| list_named(list).iter().all(|part| part.child_by_field_name("value").is_some());
    let function = node.child_by_field_name("value").filter(|value| rules.functions.contains(&value.kind()));
    let body = function.unwrap_or(node).child_by_field_name("body");
    let inferred = || (language == Language::Go).then(|| infer_go_type(node, text)).flatten();
    Some(Declared {
        value_type: written.filter(|_| is_value).map(str::to_owned).or_else(inferred),
        underlying: written.filter(|_| node.kind() == "type_spec" && parameters.is_none()).map(|written| {
            let word = ["struct", "interface"].into_iter().find(|word| written.starts_with(word));
            word.map_or_else(|| written.to_owned(), str::to_owned)
        }),
        is_plain: PLAIN.contains(&node.kind())
            && parameters.is_none_or(|list| node.kind().contains("class") && has_defaults(list)),
        body: body.map(|body| body.byte_range()),
    })
}

/// The type that the only value of a declaration of Go writes: `var rows = []Row{…}`.
fn infer_go_type(node: Node<'_>, text: &str) -> Option<String> {
    let names = node.children_by_field_name("name", &mut node.walk()).count();
    let value = node.child_by_field_name("value").filter(|_| node.kind() == "var_spec" && names == 1)?;
    let value = if value.kind() == "expression_list" { value.named_child(0)? } else { value };
    let (mark, value) = match value.kind() {
        "unary_expression" if text.get(value.byte_range())?.starts_with('&') => {
            ("*", value.child_by_field_name("operand")?)
        }
        _ => ("", value),
    };
    let kind = value.child_by_field_name("type").filter(|_| value.kind() == "composite_literal")?;
    let kind = text.get(kind.byte_range()).filter(|kind| !kind.starts_with("[...]") && !kind.contains('{'))?;
    Some(format!("{mark}{kind}"))
}

/// The written results of a function without type parameters, each on its own.
fn results_of(language: Language, function: Node<'_>, text: &str) -> Option<Vec<String>> {
    let head = text.get(function.start_byte()..function.child_by_field_name("body")?.start_byte())?;
    // Results that depend on the call are not known.
    let is_generic = function.child_by_field_name("type_parameters").is_some()
        || head.contains("async ") && language == Language::Rust
        || function.child_by_field_name("receiver").is_some_and(|list| text[list.byte_range()].contains('['))
        || head.contains("impl ");
    let found = function.child_by_field_name("result").filter(|_| !is_generic);
    if let Some(list) = found.filter(|list| list.kind() == "parameter_list") {
        let mut results = Vec::new();
        for part in list_named(list) {
            let kind = text.get(part.child_by_field_name("type")?.byte_range())?;
            let names = part.children_by_field_name("name", &mut part.walk()).count().max(1);
            results.extend(std::iter::repeat_n(kind.to_owned(), names));
        }
        return Some(results);
    }
    let result = extract::result_type(function, text).filter(|_| !is_generic)?;
    // Type parameters of what is around are not known elsewhere.
    let mut around = function.parent();
    while let Some(above) = around {
        if let Some(list) = above.child_by_field_name("type_parameters") {
            let names = text.get(list.byte_range())?;
            let has = |word: &str| result.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word);
            if names.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| !word.is_empty() && has(word)) {
                return None;
            }
        }
        around = above.parent();
    }
    let is_own =
        result.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "Self" | "this" | "asserts" | "is"));
    (!is_own).then(|| vec![result])
}

/// The statements of each block inside of a function: their first and last lines, from 1.
pub fn list_blocks(language: Language, text: &str, limits: &Limits, cancel: &Cancel) -> Vec<Vec<(u32, u32)>> {
    let Some(rules) = rules::LocalRules::of(language) else { return Vec::new() };
    let Some(Ok(tree)) = parse_code(language, text, (limits, cancel)) else { return Vec::new() };
    let (mut blocks, mut rest) = (Vec::new(), vec![(tree.root_node(), false)]);
    while let Some((node, in_function)) = rest.pop() {
        // The body of a class in a function has members, not statements.
        let is_container = rules.containers.contains(&node.kind());
        let in_function = rules.functions.contains(&node.kind()) || in_function && !is_container;
        let children = list_named(node);
        if in_function && rules.blocks.contains(&node.kind()) && !children.is_empty() {
            let span = |child: &Node<'_>| (child.start_position().row as u32 + 1, child.end_position().row as u32 + 1);
            // Labels of C and C++ are not statements.
            let is_label = |child: &Node<'_>| {
                child.kind() == "case_statement"
                    || node.kind() == "case_statement" && child.start_position().row == node.start_position().row
            };
            let block: Vec<(u32, u32)> = children.iter().filter(|child| !is_label(child)).map(span).collect();
            if !block.is_empty() {
                blocks.push(block);
            }
        }
        rest.extend(children.into_iter().rev().map(|child| (child, in_function)));
    }
    blocks
}

/// A call that is replaced by the body of its function.
#[derive(Clone, Copy)]
pub struct InlinedCall<'a> {
    /// The text of its file.
    pub text: &'a str,
    /// First byte of the name of the function in the call.
    pub at: usize,
    /// What is known of the calls of its file.
    pub calls: &'a dyn KnownCalls,
    /// Whether a name that the function uses and does not declare means the same in this file.
    pub means_the_same: &'a dyn Fn(&str) -> bool,
}

/// A function whose calls are replaced.
#[derive(Clone, Copy)]
pub struct InlinedFunction<'a> {
    /// The text of its file.
    pub text: &'a str,
    /// The line of its name, from 1.
    pub line: u32,
    /// Its name.
    pub name: &'a str,
    /// What the name at a byte of the file is, if it is a member of the class of the function.
    pub own_member: &'a dyn Fn(usize) -> Option<OwnMember>,
}

/// What becomes of a function that is inlined.
#[derive(Debug)]
pub struct Inlined {
    /// The bytes of its declaration.
    pub removed: Range<usize>,
    /// The bytes of its body; in scripts with its parameters, whose types and defaults go along.
    pub body: Range<usize>,
    /// Names that it uses and does not declare, in its head too.
    pub names: BTreeSet<String>,
    /// The new text of each call, or what stands in its way.
    pub calls: Vec<std::result::Result<Replacement, Obstacle>>,
}

/// Plans to replace calls of a function by its body; `None` for a language without rules for it.
///
/// # Errors
/// The place in the function that stands in the way.
pub fn inline_calls(
    language: Language,
    function: &InlinedFunction<'_>,
    calls: &[InlinedCall<'_>],
    (limits, cancel): (&Limits, &Cancel),
) -> Option<std::result::Result<Inlined, Obstacle>> {
    let rules = rules::LocalRules::of(language)?;
    let parse = |text: &str| parse_or_refuse(language, text, (limits, cancel));
    if matches!(language, Language::C | Language::Cpp) {
        let InlinedFunction { text, line, name, .. } = *function;
        let inline = |tree: Tree| c_family::inline(language, (tree, text), (line, name), calls, (limits, &parse));
        return Some(parse(function.text).and_then(inline));
    }
    let inline = || {
        let tree = parse(function.text)?;
        let callee = callee::Callee::read((language, rules), &tree, function, limits)?;
        // Names that calls before have brought into the same file.
        let mut brought: Vec<(&str, Vec<String>)> = Vec::new();
        let mut named: BTreeSet<String> = BTreeSet::new();
        let replaced = calls.iter().map(|call| {
            let tree = parse(call.text)?;
            let mut site = inline::Site::read(&callee, &tree, call, limits)?;
            let before = brought.iter().filter(|row| std::ptr::eq(row.0, call.text)).flat_map(|row| row.1.clone());
            site.locals.words.extend(before);
            let replaced = inline::replace(&callee, &site, call.means_the_same)?;
            brought.push((call.text, replaced.declared));
            named.extend(replaced.class);
            Ok(replaced.text)
        });
        let calls = replaced.collect();
        let names = callee.list_names().into_iter().chain(named).collect();
        let has_types = matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx);
        let body = callee.function.child_by_field_name("body").filter(|_| !has_types).unwrap_or(callee.function);
        Ok(Inlined {
            removed: inlined_text::find_removed(callee.text, callee.top),
            body: body.byte_range(),
            names,
            calls,
        })
    };
    Some(inline())
}

/// The bytes of the prototypes of a function in a file of C or C++, which go with it; `None` for other languages.
///
/// # Errors
/// A declaration that has other names too.
pub fn find_prototypes(
    language: Language,
    text: &str,
    name: &str,
    (limits, cancel): (&Limits, &Cancel),
) -> Option<std::result::Result<Vec<Range<usize>>, Obstacle>> {
    if !matches!(language, Language::C | Language::Cpp) {
        return None;
    }
    let tree = parse_code(language, text, (limits, cancel))?.ok()?;
    Some(c_family::find_prototypes((&tree, text), name))
}

#[cfg(test)]
mod tests;
