//! Types in comments: `@var`, `@param`, `@return`, `@property`, `@method`, `@mixin`.

use tree_sitter::Node;

use super::super::outline::Outline;
use crate::facts::{BindingTarget, Collection, Expr, ExprId, Literal, Namespace, ScopeId, ScopeKind};
use crate::walk::Enter;

/// Longest comment that is read, in bytes.
const MAX_COMMENT: usize = 16 << 10;
/// Members that the comment of one class declares.
const MAX_MEMBERS: usize = 512;
/// Nesting of types.
const MAX_NESTING: u32 = 4;
/// Alternatives of one type.
const MAX_ALTERNATIVES: usize = 16;

/// The tags of a comment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tags<'a> {
    comment: &'a str,
}

impl<'a> Tags<'a> {
    /// Those of a comment; none if it is not one of documentation.
    pub(super) fn of(comment: &'a str) -> Self {
        let comment = if comment.starts_with("/**") { crate::text::clip(comment, MAX_COMMENT) } else { "" };
        Self { comment }
    }

    /// What follows each tag of a name, with or without the prefix of a checker (`@psalm-return`).
    fn all(self, tag: &'static str) -> impl Iterator<Item = &'a str> {
        self.comment.lines().filter_map(move |line| {
            let line = line.trim_start().trim_start_matches("/**").trim_start_matches('*').trim();
            let line = line.trim_end_matches("*/").trim_end().strip_prefix('@')?;
            let line = ["phpstan-", "psalm-"].iter().find_map(|prefix| line.strip_prefix(prefix)).unwrap_or(line);
            let rest = line.strip_prefix(tag)?;
            rest.starts_with([' ', '\t']).then(|| rest.trim_start())
        })
    }

    /// The type that a tag says, of a variable if one is named (`$x`).
    pub(super) fn find(self, tag: &'static str, variable: Option<&str>) -> Option<&'a str> {
        self.all(tag).find_map(|rest| {
            let (ty, rest) = split_type(rest)?;
            let Some(variable) = variable else { return Some(ty) };
            let named = rest.split_whitespace().next().unwrap_or("").trim_start_matches(['&', '.']);
            (named == variable).then_some(ty)
        })
    }
}

/// A type, which ends at the first white space outside of brackets, and what follows it.
fn split_type(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_i32;
    let mut end = text.len();
    for (at, character) in text.char_indices() {
        match character {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth -= 1,
            _ if character.is_whitespace() && depth <= 0 => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    let ty = &text[..end];
    (!ty.is_empty() && !ty.starts_with('$') || ty == "$this").then(|| (ty, text[end..].trim_start()))
}

/// Returns whether a written type says less than a comment may.
pub(super) fn is_vague(written: &str) -> bool {
    let plain = written.trim_start_matches('?').to_ascii_lowercase();
    matches!(
        plain.as_str(),
        "array"
            | "callable"
            | "iterable"
            | "mixed"
            | "object"
            | "self"
            | "static"
            | "\\traversable"
            | "traversable"
            | "\\generator"
            | "generator"
            | "\\iterator"
            | "iterator"
            | "\\closure"
    )
}

/// The parts of a text between separators outside of brackets.
fn split_outside(text: &str, separators: &[char]) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_i32;
    for character in text.chars() {
        depth += i32::from(matches!(character, '<' | '(' | '{' | '['))
            - i32::from(matches!(character, '>' | ')' | '}' | ']'));
        if depth == 0 && separators.contains(&character) && parts.len() < MAX_ALTERNATIVES {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(character);
        }
    }
    parts
}

/// The expression of a type in a comment; `None` if it says nothing.
pub(super) fn parse_type(cx: &mut Outline<'_>, text: &str) -> Option<ExprId> {
    let scope = cx.scope();
    parse_union(cx, text, scope, 0)
}

fn parse_union(cx: &mut Outline<'_>, text: &str, scope: ScopeId, depth: u32) -> Option<ExprId> {
    if depth > MAX_NESTING {
        return None;
    }
    let parts = split_outside(text, &['|', '&']);
    let mut items = Vec::new();
    for part in &parts {
        items.push(parse_one(cx, part.trim(), scope, depth)?);
    }
    Some(cx.builder.union(&items))
}

fn parse_one(cx: &mut Outline<'_>, text: &str, scope: ScopeId, depth: u32) -> Option<ExprId> {
    let text = text.trim_start_matches('?').trim();
    if let Some(element) = text.strip_suffix("[]") {
        return Some(parse_list(cx, element, scope, depth));
    }
    if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        return parse_union(cx, inner, scope, depth + 1);
    }
    if let Some((name, rest)) = text.split_once('<') {
        let arguments = split_outside(rest.trim_end_matches('>'), &[',']);
        let name = name.trim();
        let last = name.rsplit('\\').next().unwrap_or(name);
        let element = match last {
            "Generator" => arguments.get(1).or_else(|| arguments.first()),
            "array" | "iterable" | "list" | "non-empty-array" | "non-empty-list" | "Traversable" | "Iterator"
            | "IteratorAggregate" | "ArrayIterator" | "ArrayObject" | "SplObjectStorage" => arguments.last(),
            _ => None,
        };
        if let Some(element) = element {
            let element = element.trim().to_owned();
            return Some(parse_list(cx, &element, scope, depth));
        }
        return parse_name(cx, name, scope);
    }
    parse_name(cx, text, scope)
}

/// A list whose elements are of a type.
fn parse_list(cx: &mut Outline<'_>, element: &str, scope: ScopeId, depth: u32) -> ExprId {
    let element = parse_union(cx, element, scope, depth + 1).unwrap_or(cx.builder.unknown());
    let items = cx.builder.list(&[element]);
    cx.builder.expr(Expr::Collection { kind: Collection::List, items })
}

fn parse_name(cx: &mut Outline<'_>, text: &str, scope: ScopeId) -> Option<ExprId> {
    if let Some(expr) = own_type(cx, text, scope) {
        return expr;
    }
    let is_name = |text: &str| {
        text.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '\\'))
            && text.trim_start_matches('\\').starts_with(|first: char| first.is_alphabetic() || first == '_')
    };
    // Names of type parameters are written like `T` and `TValue`.
    let mut letters = text.chars();
    let is_parameter = letters.next() == Some('T') && letters.next().is_none_or(char::is_uppercase);
    (is_name(text) && !is_parameter).then(|| super::names::resolve_qualified(cx, text, scope))
}

/// A type of the language itself; `Some(None)` if nothing is known of its values.
fn own_type(cx: &mut Outline<'_>, text: &str, scope: ScopeId) -> Option<Option<ExprId>> {
    let expr = match text.to_ascii_lowercase().as_str() {
        "null" | "void" | "false" | "never" | "noreturn" => Expr::Literal(Literal::Null),
        "string" | "class-string" | "non-empty-string" | "numeric-string" | "callable-string" | "array-key"
        | "literal-string" => Expr::Literal(Literal::Str),
        "int" | "integer" | "positive-int" | "scalar" | "numeric" => Expr::Literal(Literal::Int),
        "float" | "double" => Expr::Literal(Literal::Float),
        "bool" | "boolean" | "true" => Expr::Literal(Literal::Bool),
        "self" | "static" | "$this" => Expr::SelfType { scope },
        "array" | "list" | "iterable" => {
            Expr::Collection { kind: Collection::List, items: crate::facts::FactsBuilder::EMPTY }
        }
        "mixed" | "object" | "callable" | "resource" | "parent" | "closure" | "\\closure" => return Some(None),
        _ => return None,
    };
    Some(Some(cx.builder.expr(expr)))
}

/// A built-in type in code.
pub(super) fn leave_primitive(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) {
    let scope = cx.scope();
    let text = crate::text::clip(cx.text(node), 32);
    if let Some(Some(expr)) = own_type(cx, text, scope) {
        cx.set_expr(node, expr);
    }
}

/// `/** @var A $x */`: the variable is of the class from here on.
pub(super) fn enter_comment(cx: &mut Outline<'_>, node: Node<'_>, _: Option<Node<'_>>) -> Enter {
    cx.comment(node);
    let text = cx.text(node);
    let is_code = matches!(cx.scope_kind(), ScopeKind::Function | ScopeKind::Block);
    if !is_code || !text.starts_with("/**") || !text.contains("@var") {
        return Enter::Skip;
    }
    let rows: Vec<(String, String)> = Tags::of(text)
        .all("var")
        .filter_map(|rest| {
            let (ty, rest) = split_type(rest)?;
            let name = rest.split_whitespace().next()?.strip_prefix('$')?;
            (name != "this").then(|| (ty.to_owned(), name.to_owned()))
        })
        .take(MAX_ALTERNATIVES)
        .collect();
    for (ty, name) in rows {
        let Some(of) = parse_type(cx, &ty) else { continue };
        let Some(scope) = cx.open_scope_after(ScopeKind::Block) else { continue };
        let name = cx.builder.name(&name);
        cx.builder.bind(scope, name, Namespace::Value, BindingTarget::Typed(of));
    }
    Enter::Skip
}

/// Members that the comment of a class declares: `@property A $b`, `@method A b()`; `@mixin A` adds those of another.
pub(super) fn declare_members(cx: &mut Outline<'_>, comment: &str, body: ScopeId) {
    let tags = Tags::of(comment);
    for tag in ["property", "property-read", "property-write"] {
        for rest in tags.all(tag).take(MAX_MEMBERS) {
            let Some((ty, rest)) = split_type(rest) else { continue };
            let Some(name) = rest.split_whitespace().next().and_then(|name| name.strip_prefix('$')) else { continue };
            let target = match parse_union(cx, ty, body, 0) {
                Some(of) => BindingTarget::Typed(of),
                None => BindingTarget::Opaque,
            };
            let name = cx.builder.name(name);
            cx.builder.bind(body, name, Namespace::Value, target);
        }
    }
    for rest in tags.all("method").take(MAX_MEMBERS) {
        let Some((head, _)) = rest.split_once('(') else { continue };
        let head = head.strip_prefix("static ").unwrap_or(head);
        let (ty, name) = head.rsplit_once(char::is_whitespace).unwrap_or(("", head));
        let result = parse_union(cx, ty.trim(), body, 0).unwrap_or(cx.builder.unknown());
        let function = cx.builder.expr(Expr::Function { result });
        let name = cx.builder.name(name);
        cx.builder.bind(body, name, Namespace::Callee, BindingTarget::Value(function));
    }
    for rest in tags.all("mixin").take(MAX_MEMBERS) {
        let mixed = split_type(rest).and_then(|(ty, _)| parse_union(cx, ty, body, 0));
        if let (Some(mixed), Some(frame)) = (mixed, cx.frame()) {
            frame.implements.push(mixed);
        }
    }
}
