//! Line search over bytes: literal text or a regular expression.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use m1nd_base::{Cancel, Cancelled};
use unicode_normalization::UnicodeNormalization;

/// Maximum size of a compiled expression, in bytes.
const REGEX_BYTES: usize = 10 << 20;
/// Maximum cache of the lazy DFA, in bytes.
const AUTOMATON_BYTES: usize = 20 << 20;
/// Maximum nesting of an expression.
const REGEX_NESTING: u32 = 100;
/// Maximum length of a pattern, in bytes.
pub const MAX_PATTERN_BYTES: usize = 16 << 10;
/// Maximum length of a displayed line, in bytes; longer ones are truncated and marked.
pub const MAX_LINE_BYTES: usize = 500;
/// Marks a truncated line.
pub const CUT: &str = "…";

/// Parameters of a search.
#[derive(Debug, Clone, Default)]
pub struct GrepOptions {
    /// Text or expression.
    pub pattern: String,
    /// Interpret the pattern as an expression (syntax of the Rust `regex` crate), not as literal text.
    pub regex: bool,
    /// Match case-sensitively.
    pub case_sensitive: bool,
    /// Let matches span lines and `.` match line ends. Only with `regex`.
    pub multiline: bool,
    /// Report the lines that do not match.
    pub invert: bool,
    /// Number of context lines before and after each match.
    pub context: usize,
}

/// The reason why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrepError {
    /// The pattern is empty.
    #[error("the pattern is empty; expected text or a regular expression")]
    Empty,
    /// The pattern is too long.
    #[error("the pattern has {0} bytes, expected at most {MAX_PATTERN_BYTES}")]
    TooLong(usize),
    /// The expression is invalid or exceeds the limits.
    #[error("the regular expression cannot be used: {0}")]
    Invalid(String),
}

/// A matching line, or run of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineMatch {
    /// 1-based number of the first line.
    pub line: u32,
    /// 1-based column of the match, in characters; 1 for inverted matches.
    pub column: u32,
    /// Number of lines.
    pub lines: u32,
    /// Its text without the line end, truncated to [`MAX_LINE_BYTES`].
    pub text: String,
    /// Lines before it, in order.
    pub before: Vec<String>,
    /// Lines after it, in order.
    pub after: Vec<String>,
}

/// Result for one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileMatches {
    /// The requested matches.
    pub matches: Vec<LineMatch>,
    /// Number of all matches. With `multiline`, runs of lines.
    pub total: usize,
    /// The file contains a NUL byte and was not searched.
    pub binary: bool,
}

/// A compiled search, usable for many files from many threads.
#[derive(Debug, Clone)]
pub struct Grep {
    matcher: RegexMatcher,
    options: GrepOptions,
}

impl Grep {
    /// Compiles the pattern within the limits.
    pub fn new(options: GrepOptions) -> Result<Self, GrepError> {
        if options.pattern.is_empty() {
            return Err(GrepError::Empty);
        }
        if options.pattern.len() > MAX_PATTERN_BYTES {
            return Err(GrepError::TooLong(options.pattern.len()));
        }
        let multiline = options.multiline && options.regex;
        let mut builder = RegexMatcherBuilder::new();
        builder
            .case_insensitive(!options.case_sensitive)
            .multi_line(true)
            .dot_matches_new_line(multiline)
            .fixed_strings(!options.regex)
            .size_limit(REGEX_BYTES)
            .dfa_size_limit(AUTOMATON_BYTES)
            .nest_limit(REGEX_NESTING);
        if !multiline {
            builder.line_terminator(Some(b'\n'));
            if options.regex {
                // Lets `$` match before a carriage return that ends the line.
                builder.crlf(true);
            }
        }
        let composed = list_forms(&options.pattern);
        // Expressions with named groups cannot be joined.
        let joined = if composed.len() > 1 { builder.build_many(&composed).ok() } else { None };
        let matcher = joined.map_or_else(|| builder.build(&options.pattern), Ok).map_err(|error| {
            let text = error.to_string();
            // The library draws the pattern with a caret below it; one line is enough here.
            let reason = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("").trim();
            GrepError::Invalid(reason.strip_prefix("error: ").unwrap_or(reason).to_owned())
        })?;
        Ok(Self { matcher, options: GrepOptions { multiline, ..options } })
    }

    /// Searches one file: returns the matches whose 0-based numbers are in `keep`, and counts all. Invalid UTF-8 is
    /// replaced for display.
    pub fn search(&self, bytes: &[u8], keep: Range<usize>, cancel: &Cancel) -> Result<FileMatches, Cancelled> {
        cancel.check()?;
        if bytes.contains(&0) {
            return Ok(FileMatches { binary: true, ..FileMatches::default() });
        }
        let line_end = match self.options.regex && !self.options.multiline {
            true => LineTerminator::crlf(),
            false => LineTerminator::byte(b'\n'),
        };
        let mut searcher = SearcherBuilder::new()
            .line_number(true)
            .line_terminator(line_end)
            .invert_match(self.options.invert)
            .multi_line(self.options.multiline)
            .binary_detection(BinaryDetection::none())
            // A UTF-16 byte order mark is not interpreted: such files contain NUL bytes anyway.
            .bom_sniffing(false)
            .build();
        let mut collect = Collect { grep: self, bytes, keep, cancel, found: FileMatches::default() };
        // The only failure is the cancellation raised by `Collect`.
        let _ = searcher.search_slice(&self.matcher, bytes, &mut collect);
        let found = collect.found;
        cancel.check()?;
        Ok(found)
    }
}

/// A pattern as it is written, and with its accents composed and decomposed.
fn list_forms(pattern: &str) -> Vec<String> {
    let mut forms = vec![pattern.to_owned()];
    if !pattern.is_ascii() {
        for form in [pattern.nfc().collect::<String>(), pattern.nfd().collect()] {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
    }
    forms
}

struct Collect<'a> {
    grep: &'a Grep,
    bytes: &'a [u8],
    keep: Range<usize>,
    cancel: &'a Cancel,
    found: FileMatches,
}

impl Sink for Collect<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let number = self.found.total;
        self.found.total += 1;
        if self.keep.contains(&number) {
            let start = usize::try_from(found.absolute_byte_offset()).unwrap_or(usize::MAX);
            let line = found.line_number().and_then(|line| u32::try_from(line).ok()).unwrap_or(u32::MAX);
            self.found.matches.push(self.row(start, found.bytes(), line));
        }
        Ok(!self.cancel.is_cancelled())
    }
}

impl Collect<'_> {
    fn row(&self, start: usize, text: &[u8], line: u32) -> LineMatch {
        let context = self.grep.options.context;
        let end = start + text.len();
        let before = self.bytes.get(..start).unwrap_or(&[]);
        let after = self.bytes.get(end..).unwrap_or(&[]);
        let hit = (!self.grep.options.invert).then(|| self.grep.matcher.find(text).ok().flatten()).flatten();
        let column =
            hit.map_or(1, |hit| String::from_utf8_lossy(&text[..hit.start().min(text.len())]).chars().count() + 1);
        let shown = text.strip_suffix(b"\n").unwrap_or(text);
        LineMatch {
            line,
            column: u32::try_from(column).unwrap_or(u32::MAX),
            lines: u32::try_from(memchr::memchr_iter(b'\n', shown).count() + 1).unwrap_or(u32::MAX),
            text: show_around(shown, hit.map_or(0, |hit| hit.start())),
            before: last_lines(before, context).into_iter().map(|line| show_around(line, 0)).collect(),
            after: lines(after).take(context).map(|line| show_around(line, 0)).collect(),
        }
    }
}

/// Lines of `bytes`; an empty rest after the last line end is not a line.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let bytes = bytes.strip_suffix(b"\n").or((!bytes.is_empty()).then_some(bytes));
    bytes.into_iter().flat_map(|bytes| bytes.split(|byte| *byte == b'\n'))
}

fn last_lines(bytes: &[u8], count: usize) -> Vec<&[u8]> {
    let Some(bytes) = bytes.strip_suffix(b"\n").or((!bytes.is_empty()).then_some(bytes)) else { return Vec::new() };
    let mut found: Vec<&[u8]> = bytes.rsplit(|byte| *byte == b'\n').take(count).collect();
    found.reverse();
    found
}

/// Text of a line, lossy; a long one is truncated so that byte `at` stays visible.
fn show_around(line: &[u8], at: usize) -> String {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= MAX_LINE_BYTES {
        return String::from_utf8_lossy(line).into_owned();
    }
    let start = if at < MAX_LINE_BYTES * 3 / 4 { 0 } else { at - MAX_LINE_BYTES / 4 };
    let end = (start + MAX_LINE_BYTES).min(line.len());
    let start = (start..end).find(|at| !is_inside_character(line, *at)).unwrap_or(start);
    let end = (start..=end).rev().find(|at| !is_inside_character(line, *at)).unwrap_or(end);
    let text: Cow<'_, str> = String::from_utf8_lossy(&line[start..end]);
    let (head, tail) = (if start > 0 { CUT } else { "" }, if end < line.len() { CUT } else { "" });
    format!("{head}{text}{tail}")
}

fn is_inside_character(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "fn load() {\n    read();\n}\n\nfn LOAD_all() {\n    load();\n}\n";

    fn run(options: GrepOptions, text: &[u8]) -> FileMatches {
        Grep::new(options).expect("usable").search(text, 0..10, &Cancel::new()).expect("not cancelled")
    }

    fn literal(pattern: &str) -> GrepOptions {
        GrepOptions { pattern: pattern.into(), ..GrepOptions::default() }
    }

    fn regex(pattern: &str) -> GrepOptions {
        GrepOptions { pattern: pattern.into(), regex: true, ..GrepOptions::default() }
    }

    fn found_lines(options: GrepOptions, text: &str) -> Vec<u32> {
        run(options, text.as_bytes()).matches.iter().map(|found| found.line).collect()
    }

    #[test]
    fn literal_regex_case_and_invert() {
        let cases = [
            (literal("load"), vec![1, 5, 6]),
            (GrepOptions { case_sensitive: true, ..literal("load") }, vec![1, 6]),
            (literal("load()"), vec![1, 6]),
            (literal("l.*d"), vec![]),
            (regex("^fn l.*d"), vec![1, 5]),
            (GrepOptions { invert: true, ..literal("load") }, vec![2, 3, 4, 7]),
            (regex(r"\}$"), vec![3, 7]),
        ];
        for (options, expected) in cases {
            assert_eq!(found_lines(options.clone(), TEXT), expected, "{options:?}");
        }
        assert_eq!(found_lines(regex(r";$"), "a;\r\nb\r\nc;\r\n"), [1, 3], "line ends with carriage return");
    }

    #[test]
    fn context_stays_inside_the_file() {
        let found = run(GrepOptions { context: 2, case_sensitive: true, ..literal("load") }, TEXT.as_bytes());
        let first = &found.matches[0];
        assert_eq!(
            (first.before.len(), first.after.as_slice()),
            (0, ["    read();".to_owned(), "}".to_owned()].as_slice())
        );
        let last = &found.matches[1];
        assert_eq!(last.before, ["", "fn LOAD_all() {"]);
        assert_eq!(last.after, ["}"]);
        assert_eq!((last.line, last.column, last.lines), (6, 5, 1));
    }

    #[test]
    fn multiline_spans_lines() {
        let found = run(GrepOptions { multiline: true, ..regex(r"load\(\) \{.*?\}") }, TEXT.as_bytes());
        assert_eq!(found.total, 1);
        assert_eq!((found.matches[0].line, found.matches[0].lines), (1, 3));
        assert_eq!(found.matches[0].text, "fn load() {\n    read();\n}");
    }

    #[test]
    fn all_are_counted_and_few_kept() {
        let text = "x\n".repeat(1000);
        let grep = Grep::new(literal("x")).expect("usable");
        let found = grep.search(text.as_bytes(), 0..3, &Cancel::new()).expect("not cancelled");
        assert_eq!((found.matches.len(), found.total), (3, 1000));
        let later = grep.search(text.as_bytes(), 900..902, &Cancel::new()).expect("not cancelled");
        assert_eq!(
            (later.matches.iter().map(|found| found.line).collect::<Vec<_>>(), later.total),
            (vec![901, 902], 1000)
        );
    }

    #[test]
    fn odd_bytes_are_shown_and_binaries_left_out() {
        let found = run(literal("needle"), b"\xff\xfe needle \xc3\x28\nnext");
        assert_eq!(found.matches[0].text, "\u{fffd}\u{fffd} needle \u{fffd}(");
        assert!(run(literal("needle"), b"needle\0").binary);
        assert_eq!(run(literal("needle"), b"").total, 0);
    }

    #[test]
    fn long_lines_are_cut_at_characters_around_the_match() {
        let line = format!("{}needle{}", "ä".repeat(2_000), "漢".repeat(2_000));
        let text = &run(literal("needle"), line.as_bytes()).matches[0].text;
        assert!(text.contains("needle") && text.starts_with(CUT) && text.ends_with(CUT));
        assert!(text.len() <= MAX_LINE_BYTES + 2 * CUT.len() && !text.contains('\u{fffd}'));
    }

    #[test]
    fn unusable_patterns_are_refused() {
        assert_eq!(Grep::new(literal("")).err(), Some(GrepError::Empty));
        assert!(matches!(Grep::new(literal(&"x".repeat(100_000))), Err(GrepError::TooLong(100_000))));
        for pattern in ["(", "a{1000}{1000}{1000}", "[z-a]", &"(".repeat(5_000)] {
            let shown: String = pattern.chars().take(20).collect();
            assert!(matches!(Grep::new(regex(pattern)), Err(GrepError::Invalid(_))), "{shown}");
        }
    }

    #[test]
    fn accents_match_however_they_are_composed() {
        let text = "x caf\u{e9}\ny cafe\u{301}\nz cafe\n";
        for pattern in ["caf\u{e9}", "cafe\u{301}", "CAF\u{c9}"] {
            assert_eq!(run(literal(pattern), text.as_bytes()).total, 2, "{pattern:?}");
            assert_eq!(run(regex(&format!("^. {pattern}$")), text.as_bytes()).total, 2, "{pattern:?}");
        }
        assert_eq!(run(regex("(?<word>caf\u{e9})"), text.as_bytes()).total, 1, "named groups are not joined");
    }

    #[test]
    fn a_set_flag_ends_it() {
        let cancel = Cancel::new();
        cancel.cancel();
        assert_eq!(Grep::new(literal("x")).expect("usable").search(b"x", 0..1, &cancel), Err(Cancelled));
    }
}
