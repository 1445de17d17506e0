//! Names of code that comments of code link to: `{@link Foo#bar}`, [`Foo::bar`], `:func:` in a doc string. What a tool
//! for documentation turns into links is meant to be code.

use std::sync::LazyLock;

use m1nd_documents::{Document, DocumentLimits, Form, Format, Mention, MentionKind, parse_as};
use m1nd_lang::Language;
use m1nd_lang::reading_rules::{CommentLinks, ReadingRules};
use regex::Regex;

/// Maximum links of one file.
const MAX_LINKS: usize = 2_000;
/// Longest line that is looked at, in bytes.
const MAX_LINE: usize = 4 << 10;

/// How the comments of a language link to code.
struct Style {
    /// Beginnings of lines that are comments, without blanks; none where any line may be one.
    comments: &'static [&'static str],
    /// Texts of which a file with links has one.
    marks: &'static [&'static str],
    /// The links, with the name as `name`.
    links: &'static LazyLock<Option<Regex>>,
}

macro_rules! links {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new($text).ok());
    };
}

links!(
    TAGS,
    r"\{@(?:link|linkplain|linkcode|see)\s+(?P<name>[\w$.#~]+)|@(?:see|throws|exception)\s+(?P<other>[\w$.]*#?[\w$]+)\b"
);
links!(BRACKETS, r"\[`?(?:\w+@)?(?P<name>[A-Za-z_][\w:]*)(?:\(\)|!)?`?\](?:[^\[:\w]|$)");
links!(ROLES, r":(?:py:)?(?:func|meth|class|attr|mod|exc|data|obj|const):`~?!?(?:[^`<]*<)?(?P<name>[\w.]+)>?`");
links!(EXPORTED, r"\[(?P<name>\*?[A-Z]\w*(?:\.[A-Z]\w*)?)\](?:[^\[(:\w]|$)");

const BLOCKS: &[&str] = &["/**", "*", "///", "//!", "//"];

fn style(language: Language) -> Option<Style> {
    let (comments, marks, links): (&[&str], &[&str], _) = match ReadingRules::of(language).links? {
        CommentLinks::Tags => (BLOCKS, &["@link", "@see", "@throws", "@exception"], &TAGS),
        CommentLinks::Brackets => (BLOCKS, &["[`", "///", "//!"], &BRACKETS),
        CommentLinks::Roles => (&[], &[":`"], &ROLES),
        CommentLinks::Exported => (&["//"], &["["], &EXPORTED),
    };
    Some(Style { comments, marks, links })
}

/// The links of a file of code as the mentions of a document; `None` if its language has no such links, or it has none.
pub fn linked_names(language: Language, text: &str) -> Option<Document> {
    let style = style(language)?;
    if !style.marks.iter().any(|mark| text.contains(mark)) {
        return None;
    }
    let links = style.links.as_ref()?;
    let mut document = parse_as(Format::Plain, b"", &DocumentLimits::default()).ok()?;
    for (line, number) in text.lines().zip(1u32..) {
        let own = line.trim_start();
        let is_comment = style.comments.is_empty() || style.comments.iter().any(|start| own.starts_with(start));
        if !is_comment || line.len() > MAX_LINE || document.mentions.len() >= MAX_LINKS {
            continue;
        }
        for found in links.captures_iter(line) {
            let name = found.name("name").or(found.name("other")).map_or("", |name| name.as_str());
            let name = name.trim_start_matches(['#', '~', '*']).trim_end_matches(['.', ':', '#']);
            if name.len() > 1 {
                document.mentions.push(mention(name, number));
            }
        }
    }
    (!document.mentions.is_empty()).then_some(document)
}

fn mention(name: &str, line: u32) -> Mention {
    Mention { section: None, name: name.to_owned(), form: Form::Symbol, kind: MentionKind::Role, role: None, line }
}

#[cfg(test)]
mod tests {
    use super::linked_names;
    use m1nd_lang::Language;

    #[test]
    fn links_of_every_style() {
        let cases = [
            (
                Language::Java,
                "/** Uses {@link Pool#acquire(int) it} and {@linkplain Store}.\n * @see #close\n */",
                "Pool#acquire Store close",
            ),
            (Language::TypeScript, "/** See {@link Pool.acquire | it}. */\nconst x = '{@link Other}';", "Pool.acquire"),
            (
                Language::Rust,
                "/// Like [`Pool::acquire`] and [`fn@close`], not [a](b) or [text][0].\n//! [Pool::close()]",
                "Pool::acquire close Pool::close",
            ),
            (
                Language::Python,
                "    \"\"\"Calls :meth:`~app.Pool.acquire` of :class:`the pool <Pool>`.\"\"\"",
                "app.Pool.acquire Pool",
            ),
            (Language::Go, "// Acquire is like [Pool.Acquire], see [Close].\nx := a[B]", "Pool.Acquire Close"),
            (Language::C, "/** {@link a} */", ""),
        ];
        for (language, text, expected) in cases {
            let names: Vec<String> = linked_names(language, text)
                .map(|found| found.mentions.into_iter().map(|row| row.name).collect())
                .unwrap_or_default();
            assert_eq!(names.join(" "), expected, "{text}");
        }
    }
}
