//! `cargo xtask tidy --figures`: how the repository reads, in figures. The rows of docs/design/figures.md.

use std::collections::BTreeMap;
use std::process::Command;

use super::paths::code_only;
use super::{Source, folders, length, names};
use crate::{Outcome, repository};

/// Lines from which on a function has a comment that marks its steps.
const LONG_FUNCTION: usize = 30;
/// Crates that know languages by their name.
const LANGUAGE_CRATES: &[&str] = &["crates/lang/", "crates/link/"];
const PAGE: &str = "ARCHITECTURE.md";
/// The page with the table of these figures.
const TABLE: &str = "docs/design/figures.md";
/// Number of the newest commits that are also counted on their own.
const NEWEST: usize = 100;

/// Prints the table.
pub(super) fn print(sources: &[Source]) -> Outcome<()> {
    println!("| figure | value |\n|---|---|");
    for (name, value) in measure(sources)? {
        println!("| {name} | {value} |");
    }
    Ok(())
}

/// Replaces the last column of the table in the page.
pub(super) fn write(sources: &[Source]) -> Outcome<()> {
    let path = repository().join(TABLE);
    let page = std::fs::read_to_string(&path).map_err(|error| format!("{TABLE}: {error}"))?;
    Ok(std::fs::write(&path, replace_last_column(&page, &measure(sources)?)?)?)
}

fn replace_last_column(page: &str, rows: &[Row]) -> Outcome<String> {
    let mut page = page.to_owned();
    for (name, value) in rows {
        let row = page.lines().find(|line| line.starts_with(&format!("| {name} |")));
        let row = row.ok_or_else(|| format!("{TABLE}: has no row `{name}`"))?.to_owned();
        let (kept, _) = row.trim_end_matches(" |").rsplit_once(" | ").ok_or("a row of one column")?;
        page = page.replace(&row, &format!("{kept} | {value} |"));
    }
    Ok(page)
}

type Row = (&'static str, String);

fn measure(sources: &[Source]) -> Outcome<Vec<Row>> {
    let code: Vec<&Source> = sources.iter().filter(|source| is_code(source)).collect();
    let text = |path: &str| sources.iter().find(|source| source.path == path).map_or("", |source| source.text.as_str());
    let mut rows = vec![
        ("functions named by a lone participle", participles(sources)),
        ("functions over 30 lines without a comment inside", count_uncommented(&code)),
        ("inline comments per 1,000 lines", inline_comments(&code)),
        ("words a sentence in ARCHITECTURE.md", format!("{:.1}", words_per_sentence(text(PAGE)))),
        ("size of ARCHITECTURE.md", format!("{:.1} kB", text(PAGE).len() as f64 / 1_000.0)),
        ("figures in ARCHITECTURE.md", count_figures(text(PAGE)).to_string()),
        ("commits with a body", commits_with_body()?),
        ("lines of README.md", text("README.md").lines().count().to_string()),
    ];
    rows.push(("`&'static str` fields of answer structs", count_text_fields(&code).to_string()));
    rows.push(("`[\"…\"]` reads of JSON in crates/cli", count_json_reads(&code).to_string()));
    rows.push(("`Language::X` outside of lang and link", count_languages(&code)));
    rows.push(("folders with more than 15 files", folders::describe_large_folders(&code)));
    Ok(rows)
}

/// Code that is built into the program: no tests, tasks or test data.
fn is_code(source: &Source) -> bool {
    source.is_rust() && source.path.starts_with("crates/") && !source.is_test() && !source.is_data()
}

fn share(part: usize, whole: usize) -> String {
    format!("{part} of {whole} ({:.1} %)", 100.0 * part as f64 / whole.max(1) as f64)
}

/// Of all functions, those of tests and tasks included.
fn participles(sources: &[Source]) -> String {
    let functions: Vec<String> = sources.iter().flat_map(names::list_functions).map(|(name, _)| name).collect();
    share(functions.iter().filter(|name| names::is_participle(name)).count(), functions.len())
}

fn count_uncommented(code: &[&Source]) -> String {
    let (mut long, mut silent) = (0, 0);
    for source in code {
        let lines: Vec<&str> = source.text.lines().collect();
        for (_, line, length) in length::functions(&source.text) {
            if length > LONG_FUNCTION {
                long += 1;
                let end = (line - 1 + length).min(lines.len());
                silent += usize::from(!lines[line..end].iter().any(|line| has_comment(line)));
            }
        }
    }
    share(silent, long)
}

fn inline_comments(code: &[&Source]) -> String {
    let lines = code.iter().flat_map(|source| source.text.lines());
    let (all, comments) = lines.fold((0, 0), |(all, found), line| (all + 1, found + usize::from(has_comment(line))));
    format!("{:.1}", 1_000.0 * comments as f64 / all.max(1) as f64)
}

/// Whether a line is, or ends with, a comment that documents nothing outside (`//`, not `///`).
fn has_comment(line: &str) -> bool {
    let line = line.trim_start();
    let is_documentation = line.starts_with("///") || line.starts_with("//!") || line.starts_with("//-");
    !is_documentation
        && (line.starts_with("//") || line.contains("; // ") || line.contains(", // ") || line.contains("{ // "))
}

/// Of prose: no tables, blocks of code or headings.
fn words_per_sentence(page: &str) -> f64 {
    let mut prose = String::new();
    let mut is_block = false;
    for line in page.lines() {
        let line = line.trim_start();
        is_block ^= line.starts_with("```");
        if is_block || line.starts_with("```") || line.starts_with(['|', '#', '<']) {
            continue;
        }
        // An item of a list begins a sentence, as does a paragraph.
        let is_start = line.is_empty() || line.starts_with("- ");
        prose.push_str(if is_start { " . " } else { " " });
        prose.push_str(line.trim_start_matches("- "));
    }
    let (mut words, mut sentences, mut length) = (0, 0, 0);
    for word in prose.split_whitespace() {
        length += usize::from(word.contains(char::is_alphanumeric));
        let bare = word.trim_end_matches(['*', ')', '`', '"', '\u{201d}']);
        if bare.ends_with(['.', '!', '?']) && length > 0 {
            words += length;
            sentences += 1;
            length = 0;
        }
    }
    (words + length) as f64 / (sentences + usize::from(length > 0)).max(1) as f64
}

fn count_figures(page: &str) -> usize {
    page.lines().filter(|line| line.starts_with("```mermaid") || line.starts_with("![")).count()
}

fn commits_with_body() -> Outcome<String> {
    let log = Command::new("git").args(["log", "--no-merges", "--format=%b%x00"]).current_dir(repository()).output()?;
    let text = String::from_utf8_lossy(&log.stdout).into_owned();
    let bodies: Vec<bool> = text.split('\0').map(|body| !body.trim().is_empty()).collect();
    // Behind the last mark is no commit.
    let bodies = &bodies[..bodies.len().saturating_sub(1)];
    let count = |bodies: &[bool]| share(bodies.iter().filter(|has| **has).count(), bodies.len());
    Ok(format!("{}; of the newest {}", count(bodies), count(&bodies[..bodies.len().min(NEWEST)])))
}

/// Fields of structs that are written as JSON, whose type holds words from the code instead of an enum.
fn count_text_fields(code: &[&Source]) -> usize {
    let mut count = 0;
    for source in code {
        let (mut is_written, mut is_inside) = (false, false);
        for line in source.text.lines() {
            let text = line.trim_start();
            let head = text.trim_start_matches("pub").trim_start_matches("(crate)").trim_start_matches("(super)");
            if text.starts_with("#[derive(") {
                is_written |= text.contains("Serialize");
            } else if head.trim_start().starts_with("struct ") {
                (is_inside, is_written) = (is_written && text.ends_with('{'), false);
            } else if head.trim_start().starts_with("enum ") {
                is_written = false;
            } else if line == "}" {
                is_inside = false;
            }
            count += usize::from(is_inside && text.contains("&'static str"));
        }
    }
    count
}

/// Reads of answers by the names of their fields, as `row["verdict"]`.
fn count_json_reads(code: &[&Source]) -> usize {
    let cli = code.iter().filter(|source| source.path.starts_with("crates/cli/"));
    cli.map(|source| source.text.lines().map(count_reads).sum::<usize>()).sum()
}

fn count_reads(line: &str) -> usize {
    let before = |at: usize| line[..at].chars().next_back();
    let starts = line
        .match_indices("[\"")
        .filter(|(at, _)| before(*at).is_some_and(|c| c.is_alphanumeric() || c == ']' || c == ')'));
    starts.filter(|(at, _)| line[at + 2..].split_once('"').is_some_and(|(_, rest)| rest.starts_with(']'))).count()
}

fn count_languages(code: &[&Source]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for source in code.iter().filter(|source| !LANGUAGE_CRATES.iter().any(|room| source.path.starts_with(room))) {
        // Rows of unit tests name languages by their nature.
        let text = code_only(source.text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default());
        let named = text.match_indices("Language::").filter(|(at, found)| {
            let is_whole = !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            is_whole && text[at + found.len()..].starts_with(|c: char| c.is_ascii_uppercase())
        });
        let room = source.path.split('/').nth(1).unwrap_or_default();
        *counts.entry(room).or_default() += named.count();
    }
    with_parts(counts.into_iter().filter(|(_, count)| *count > 0))
}

/// The sum of counts, with the counts behind it.
fn with_parts<'c>(counts: impl Iterator<Item = (&'c str, usize)>) -> String {
    let counts: Vec<(&str, usize)> = counts.collect();
    let parts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
    let sum: usize = counts.iter().map(|(_, count)| count).sum();
    if parts.is_empty() { sum.to_string() } else { format!("{sum} ({})", parts.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn comments_inside_of_long_functions() {
        let long =
            |inside: &str| format!("/// About it.\nfn a() {{\n{inside}{}}}\n", "    b();\n".repeat(LONG_FUNCTION));
        for (inside, expected) in
            [("", 1), ("    // First.\n", 0), ("    /// Of a const.\n", 1), ("    c(); // So.\n", 0)]
        {
            let file = source("crates/x/src/a.rs", &long(inside));
            assert_eq!(count_uncommented(&[&file]), share(expected, 1), "{inside}");
        }
        assert_eq!(count_uncommented(&[&source("crates/x/src/a.rs", "fn a() {\n}\n")]), share(0, 0));
        assert_eq!(inline_comments(&[&source("a.rs", "// a\nb();\n/// c\n\"http://d\"\n")]), "250.0");
    }

    #[test]
    fn sentences_of_a_page() {
        let page = "# Head line\n\nOne two three. Four\nfive `a.b` six.\n\n| a | b. |\n\n- seven\n- eight nine\n```\nx. y.\n```\n";
        assert!((words_per_sentence(page) - 10.0 / 4.0).abs() < 1e-9, "{}", words_per_sentence(page));
        assert_eq!(count_figures("```mermaid\nx\n```\n![a](b.svg)\n"), 2);
    }

    #[test]
    fn only_the_last_column_is_replaced() {
        let page = "| a | 1 | 2 |\n| a b | 3 | 4 |\n";
        assert_eq!(
            replace_last_column(page, &[("a b", "5 (x)".to_owned())]).expect("a row"),
            "| a | 1 | 2 |\n| a b | 3 | 5 (x) |\n"
        );
        assert!(replace_last_column(page, &[("b", String::new())]).is_err());
    }

    #[test]
    fn words_instead_of_types() {
        let fields = "#[derive(Debug, Serialize)]\npub struct A {\n    a: &'static str,\n    b: Option<&'static str>,\n}\n\
                      #[derive(Debug)]\nstruct B {\n    a: &'static str,\n}\n";
        assert_eq!(count_text_fields(&[&source("crates/tools/src/a.rs", fields)]), 2);
        let reads = "let a = row[\"verdict\"][0][\"b\"]; let c = &[\"d\"]; call([\"e\"])";
        assert_eq!(count_json_reads(&[&source("crates/cli/src/a.rs", reads)]), 2);
        let languages = "// Language::Go\nmatch l { Language::Go => SubLanguage::Go, Language::of(x) => \"Language::Go\" }\n\
             #[cfg(test)]\nmod tests { Language::C }";
        let files = [source("crates/query/src/a.rs", languages), source("crates/lang/src/a.rs", languages)];
        assert_eq!(count_languages(&files.iter().collect::<Vec<_>>()), "1 (query 1)");
    }
}
