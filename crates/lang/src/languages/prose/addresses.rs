//! Names of code that links lead to: paths of Rust, and pages of the references of Rust and Go.

use m1nd_documents::{Document, Format};

use crate::facts::Wanted;

/// Longest name, in bytes.
const MAX_NAME: usize = 200;

/// A name that a link leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Addressed {
    pub(super) name: String,
    pub(super) wants: Wanted,
    /// 1-based.
    pub(super) line: u32,
}

/// The names that the links of a document lead to, each once per line.
pub(super) fn names(document: &Document, format: Format, lines: &[&str]) -> Vec<Addressed> {
    let mut found: Vec<Addressed> = Vec::new();
    let mut add = |target: &str, line: u32| {
        if let Some((name, wants)) = parse_address(target) {
            let row = Addressed { name, wants, line };
            if !found.contains(&row) {
                found.push(row);
            }
        }
    };
    for link in &document.links {
        add(&link.target, link.line);
    }
    if format == Format::Markdown {
        for (line, number) in lines.iter().zip(1..) {
            if let Some(target) = parse_defined(line) {
                add(target, number);
            }
        }
    }
    found
}

/// The target of a link that is defined apart: ``[`Pool`]: crate::Pool``.
fn parse_defined(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix('[')?.split_once("]: ")?;
    rest.split_whitespace().next()
}

fn parse_address(target: &str) -> Option<(String, Wanted)> {
    let found = match target.split_once("://") {
        Some((_, page)) => {
            page.strip_prefix("docs.rs/").map(of_rust).or_else(|| Some(of_go(page.strip_prefix("pkg.go.dev/")?)))
        }
        None => Some(path(target)),
    };
    found.flatten().filter(|(name, _)| name.len() <= MAX_NAME)
}

/// A path of Rust, with what says its kind: `fn@crate::run`, `crate::Pool#method.get`.
fn path(target: &str) -> Option<(String, Wanted)> {
    let (kind, rest) = target.split_once('@').unwrap_or(("", target));
    let (path, member) = rest.split_once('#').unwrap_or((rest, ""));
    let path = path.trim_end_matches(['(', ')', '!']);
    let is_path = path.contains("::") && path.split("::").all(is_name);
    let wants = if kind.is_empty() { Wanted::Any } else { parse_wanted(kind)? };
    is_path.then(|| match member.split_once('.').filter(|(_, member)| is_name(member)) {
        Some((_, member)) => (format!("{path}::{member}"), Wanted::Any),
        None => (path.to_owned(), wants),
    })
}

/// `axum/latest/axum/routing/struct.Router.html#method.route`
fn of_rust(page: &str) -> Option<(String, Wanted)> {
    let (page, member) = page.split_once('#').unwrap_or((page, ""));
    let mut parts: Vec<&str> = page.split('/').skip(2).collect();
    let last = parts.pop()?.strip_suffix(".html")?;
    let (kind, name) = last.split_once('.')?;
    let wants = parse_wanted(kind)?;
    parts.push(name);
    let member = member.split_once('.').filter(|(kind, _)| matches!(*kind, "method" | "tymethod" | "variant"));
    parts.extend(member.map(|(_, member)| member));
    let wants = if member.is_some() { Wanted::Any } else { wants };
    parts.iter().all(|part| is_name(part)).then(|| (parts.join("::"), wants))
}

/// `github.com/spf13/cobra@v1.8.0/doc#Command.Execute`
fn of_go(page: &str) -> Option<(String, Wanted)> {
    let (module, member) = page.split_once('#')?;
    let module = match module.split_once('@') {
        Some((before, after)) => format!("{before}{}", after.find('/').map_or("", |at| &after[at..])),
        None => module.to_owned(),
    };
    // The version of a module is no folder.
    let is_version = |part: &&str| part.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
    let module = module.split('/').filter(|part| !is_version(part)).collect::<Vec<&str>>().join("/");
    let fits = !member.is_empty() && member.split('.').all(is_name) && member.starts_with(|c: char| c.is_uppercase());
    fits.then(|| (format!("{module}/{member}"), Wanted::Any))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The kind that a page of a reference, or a mark of a path, is for.
fn parse_wanted(kind: &str) -> Option<Wanted> {
    Some(match kind {
        "fn" | "function" | "macro" | "attr" | "derive" | "method" => Wanted::Function,
        "struct" | "enum" | "trait" | "type" | "union" | "traitalias" => Wanted::Type,
        "constant" | "const" | "static" | "field" | "value" | "variant" => Wanted::Value,
        "mod" | "module" => Wanted::Any,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_references_are_names() {
        for (target, wanted) in [
            ("crate::routing::get", "crate::routing::get"),
            ("fn@crate::run", "crate::run"),
            ("crate::Pool#method.acquire", "crate::Pool::acquire"),
            ("https://docs.rs/my-lib/1.0/my_lib/pool/struct.Pool.html#method.acquire", "my_lib::pool::Pool::acquire"),
            ("https://docs.rs/my-lib/latest/my_lib/attr.main.html", "my_lib::main"),
            ("https://pkg.go.dev/example.com/mux@v1.2.0/sub#Router.Get", "example.com/mux/sub/Router.Get"),
            ("https://docs.rs/my-lib", "-"),
            ("https://docs.rs/my-lib/latest/my_lib/index.html", "-"),
            ("https://pkg.go.dev/example.com/mux#section-readme", "-"),
            ("https://example.com/a::b", "-"),
            ("guide.md#a", "-"),
            ("mailto:a@b.c", "-"),
        ] {
            assert_eq!(parse_address(target).map_or("-".to_owned(), |(name, _)| name), wanted, "{target}");
        }
        assert_eq!(parse_defined("[`Pool`]: crate::Pool"), Some("crate::Pool"));
        assert_eq!(parse_defined("see [a]: b"), None);
    }
}
