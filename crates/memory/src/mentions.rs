//! Files and symbols named in a text, which bind a memory to code.

use serde::{Deserialize, Serialize};

/// Mentions kept of one text.
const MAX_MENTIONS: usize = 16;
/// A longer word is no name, in bytes.
const MAX_NAME_BYTES: usize = 200;

/// Kind of a mention, by its form. Only the graph knows whether the target exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MentionKind {
    /// A file or folder: has a `/` or a file name ending.
    Path,
    /// A name of code: in backticks, with `::`, a call, or in the spelling of code.
    Symbol,
}

/// A file or symbol named in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    /// As written, without surroundings: no backticks, no `()`, no `:12`.
    pub text: Box<str>,
    /// Its form.
    pub kind: MentionKind,
    /// The line after a path (`src/a.rs:12`).
    pub line: Option<u32>,
}

/// The mentions in a text, in order, distinct.
#[must_use]
pub fn mentions(text: &str) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    for (index, part) in text.split('`').enumerate() {
        let in_code = index % 2 == 1;
        for word in part.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '“' | '”' | '|' | '→'))
        {
            if found.len() >= MAX_MENTIONS {
                return found;
            }
            let Some(mention) = mention(word, in_code) else { continue };
            if !found.iter().any(|known| known.text == mention.text) {
                found.push(mention);
            }
        }
    }
    found
}

fn mention(word: &str, in_code: bool) -> Option<Mention> {
    let word = word.trim_matches(['(', '[', '{', '<', '>', '*', '_', '\'', '!', '?']);
    let word = word.trim_end_matches(['.', ':', ')', ']', '}']);
    if word.len() < 3 || word.len() > MAX_NAME_BYTES || word.contains("://") || word.starts_with('-') {
        return None;
    }
    let (path, line) = without_line(word);
    if is_path(path, in_code) {
        return Some(Mention { text: path.trim_start_matches("./").into(), kind: MentionKind::Path, line });
    }
    // `load_all(` remains of a call after its closing bracket was stripped.
    let is_call = word.contains('(');
    let name = word.split('(').next()?;
    let is_name = name.len() >= 3
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '$' | '#'))
        && name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'))
        && name.chars().any(char::is_alphabetic);
    let in_spelling = name.contains("::") || name.contains('_') || is_camel(name);
    (is_name && (in_code || is_call || in_spelling) && !name.ends_with(':')).then(|| Mention {
        text: name.into(),
        kind: MentionKind::Symbol,
        line: None,
    })
}

fn without_line(word: &str) -> (&str, Option<u32>) {
    match word.rsplit_once(':') {
        Some((path, line)) if !path.ends_with(':') => match line.parse() {
            Ok(line) => without_line_of_column(path, line),
            Err(_) => (word, None),
        },
        _ => (word, None),
    }
}

/// `src/a.rs:12:5` has a column after its line.
fn without_line_of_column(path: &str, last: u32) -> (&str, Option<u32>) {
    match path.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?))) {
        Some((path, line)) => (path, Some(line)),
        None => (path, Some(last)),
    }
}

/// Endings of files that are named without a folder.
const ENDINGS: &[&str] = &[
    "rs", "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "vue", "svelte", "go", "java", "kt", "c", "h", "cc",
    "cpp", "hpp", "cs", "rb", "php", "swift", "scala", "sh", "lua", "sql", "toml", "yaml", "yml", "json", "md", "css",
    "scss", "html", "proto", "tf", "lock", "cfg", "ini", "xml", "gradle",
];

fn is_path(word: &str, in_code: bool) -> bool {
    let is_made_of =
        word.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '@' | '[' | ']' | '+' | '$'));
    if !is_made_of || word.contains("..") && !word.starts_with("../") || word.contains("//") {
        return false;
    }
    let name = word.rsplit('/').next().unwrap_or(word);
    let has_ending = name
        .rsplit_once('.')
        .is_some_and(|(stem, ending)| !stem.is_empty() && ENDINGS.contains(&ending.to_ascii_lowercase().as_str()));
    // Names of technologies look like files: `Node.js`.
    let is_technology = !word.contains('/') && name.ends_with(".js") && name.starts_with(char::is_uppercase);
    let slashes = word.matches('/').count();
    // `and/or`, `24/7` and `client/server` are no paths; `src/auth/` and `src/auth/token` in backticks are.
    has_ending && !is_technology
        || slashes >= 1 && in_code && word.chars().any(char::is_alphabetic) && !word.starts_with('@')
        || slashes >= 2 && word.ends_with('/')
}

/// `parseHeader` and `HttpServer`, but neither `iPhone`s nor `JavaScript`: two humps, and no name of a product.
fn is_camel(name: &str) -> bool {
    const PRODUCTS: &[&str] = &[
        "JavaScript", "TypeScript", "GitHub", "GitLab", "PostgreSQL", "MongoDB", "GraphQL", "MySQL", "SQLite",
        "iPhone", "iPad", "macOS", "iOS", "OAuth", "OpenAI", "DynamoDB", "RabbitMQ", "WebSocket", "WebSockets",
        "YouTube", "LinkedIn", "DevOps", "FastAPI", "NestJS", "NextJS", "VSCode", "PowerShell", "OpenAPI", "eBay",
        "gRPC", "tRPC", "IntelliJ", "CloudFront", "BigQuery", "SvelteKit", "DNSSEC", "NaN", "McDonald", "PayPal",
        "WordPress", "CockroachDB", "ClickHouse", "LiteLLM",
    ];
    // A hump alone is also in names of products, so those are left out.
    let humps =
        name.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    humps >= 1 && name.len() >= 6 && !PRODUCTS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_symbols_of_a_text() {
        let cases = [
            ("the loop in src/auth/token.ts:42 is back", "src/auth/token.ts@42"),
            ("see `UserService.load` and load_all()", "UserService.load load_all"),
            ("fixed ./a/b.py:3:7, really", "a/b.py@3"),
            ("Foo::bar panics", "Foo::bar"),
            ("parseHeader drops it.", "parseHeader"),
            ("Node.js and GraphQL and/or REST 24/7", ""),
            ("https://x.test/a.rs", ""),
            ("`cargo test` in `crates/lang`", "cargo test crates/lang"),
            ("config.toml config.toml", "config.toml"),
            ("`--flag` and `it`", ""),
            ("", ""),
        ];
        for (text, expected) in cases {
            let found: Vec<String> = mentions(text)
                .iter()
                .map(|it| it.line.map_or_else(|| it.text.to_string(), |line| format!("{}@{line}", it.text)))
                .collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
