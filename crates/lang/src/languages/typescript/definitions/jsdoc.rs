//! Types in JSDoc comments, as far as they are plain names.

use crate::facts::{Expr, ExprId, FactsBuilder, Literal, ScopeId};

/// Types in a comment.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::languages::typescript) struct Tags<'a> {
    /// `@param {Type} name`: name and type.
    pub(in crate::languages::typescript) parameters: Vec<(&'a str, &'a str)>,
    /// `@returns {Type}`
    pub(in crate::languages::typescript) returns: Option<&'a str>,
    /// `@type {Type}`
    pub(in crate::languages::typescript) of: Option<&'a str>,
}

/// Most parameters taken from one comment.
const MAX_PARAMETERS: usize = 64;

/// Reads the tags of a `/** */` comment.
pub(in crate::languages::typescript) fn tags(comment: &str) -> Tags<'_> {
    let mut tags = Tags::default();
    if !comment.starts_with("/**") {
        return tags;
    }
    for line in comment.lines() {
        let Some(at) = line.find('@') else { continue };
        let line = &line[at + 1..];
        let (tag, rest) = line.split_once(|letter: char| letter.is_whitespace()).unwrap_or((line, ""));
        let Some((written, rest)) = split_braced(rest.trim_start()) else { continue };
        match tag {
            "param" | "arg" | "argument" if tags.parameters.len() < MAX_PARAMETERS => {
                let name = rest.trim_start().trim_start_matches('[');
                let end = name.find(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$');
                tags.parameters.push((&name[..end.unwrap_or(name.len())], written));
            }
            "return" | "returns" => tags.returns = Some(written),
            "type" => tags.of = Some(written),
            _ => {}
        }
    }
    tags
}

/// `{…}` at the start of a text, and the rest.
fn split_braced(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('{')?;
    let mut depth = 1;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((inner[..at].trim(), &inner[at + 1..]));
        }
    }
    None
}

/// A written type as an expression; `None` if it is more than names, generics of one argument, arrays and unions.
pub(in crate::languages::typescript) fn expr(b: &mut FactsBuilder, written: &str, scope: ScopeId) -> Option<ExprId> {
    let written = written.trim().trim_start_matches(['(', '?', '!', '.']).trim_end_matches([')', '=']);
    let items: Vec<ExprId> = if written.contains('<') || written.contains('{') {
        single(b, written, scope).into_iter().collect()
    } else {
        written.split('|').take(16).filter_map(|part| single(b, part, scope)).collect()
    };
    (!items.is_empty()).then(|| b.union(&items))
}

/// Deepest generic type read.
const MAX_GENERICS: usize = 8;

fn single(b: &mut FactsBuilder, written: &str, scope: ScopeId) -> Option<ExprId> {
    let mut written = written.trim().trim_start_matches(['?', '!']);
    let mut wrappers = Vec::new();
    while wrappers.len() < MAX_GENERICS {
        if let Some(item) = written.strip_suffix("[]") {
            wrappers.push("Array");
            written = item.trim();
        } else if let Some((base, arguments)) = written.strip_suffix('>').and_then(|text| text.split_once('<')) {
            wrappers.push(base.trim_end_matches('.').trim());
            written = arguments.trim();
        } else {
            break;
        }
    }
    let mut expr = parse_named(b, written, scope)?;
    for base in wrappers.into_iter().rev() {
        let base = parse_named(b, base, scope)?;
        let args = b.list(&[expr]);
        expr = b.expr(Expr::Generic { base, args });
    }
    Some(expr)
}

fn parse_named(b: &mut FactsBuilder, written: &str, scope: ScopeId) -> Option<ExprId> {
    let literal = match written {
        "string" | "String" => Some(Literal::Str),
        "number" | "Number" => Some(Literal::Float),
        "boolean" | "Boolean" | "bool" => Some(Literal::Bool),
        "undefined" | "null" | "void" => Some(Literal::Null),
        "any" | "*" | "object" | "Object" | "Function" | "function" | "unknown" | "mixed" | "Mixed" => return None,
        _ => None,
    };
    if let Some(literal) = literal {
        return Some(b.expr(Expr::Literal(literal)));
    }
    let is_word = |word: &str| {
        word.starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '$')
            && word.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$')
    };
    let mut expr = None;
    for word in written.split('.').take(16) {
        if !is_word(word) {
            return None;
        }
        expr = Some(match expr {
            None => b.name_expr(word, scope),
            Some(base) => b.member(base, word),
        });
    }
    expr
}
