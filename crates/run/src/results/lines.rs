//! Lines of text: summaries of pytest, `file:line:column: message`, and the form of the TypeScript compiler.

use super::{Failure, Results};

/// A line of pytest's summary.
pub(super) fn pytest(line: &str, results: &mut Results) {
    if let Some(rest) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")) {
        results.add(Failure::test(rest.split(" - ").next().unwrap_or(rest)));
        return;
    }
    // The last line: `=== 1 failed, 2 passed in 0.10s ===`, without the marks with `-q`.
    let inner = line.trim_matches(['=', ' ']);
    let Some((counts, time)) = inner.rsplit_once(" in ") else { return };
    if !time.ends_with('s') && !time.contains("s (") {
        return;
    }
    for part in counts.split(", ") {
        let Some((number, word)) = part.split_once(' ') else { continue };
        let Ok(number) = number.parse::<u64>() else { continue };
        results.counts_tests |= matches!(word, "passed" | "failed" | "error" | "errors" | "skipped" | "deselected");
        if word == "passed" {
            results.passed += number;
        }
    }
}

/// An error of a compiler in a line: `src/a.ts(3,5): error TS2322: …` or `a.go:3:5: …`. Warnings and notes are not.
pub(super) fn diagnostic(line: &str, results: &mut Results) {
    let found = typescript(line).or_else(|| colons(line));
    if let Some((file, row, message)) = found {
        results.add(Failure::error(message, Some(file), row));
    }
}

fn typescript(line: &str) -> Option<(&str, u32, &str)> {
    let (place, message) = line.split_once("): error ")?;
    let (file, position) = place.rsplit_once('(')?;
    let row = position.split(',').next()?.parse().ok()?;
    Some((file, row, message))
}

fn colons(line: &str) -> Option<(&str, u32, &str)> {
    // The drive of a Windows path has a colon of its own.
    let from = if line.as_bytes().get(1) == Some(&b':') { 2 } else { 0 };
    let file_end = from + line[from..].find(':')?;
    let (row, rest) = line[file_end + 1..].split_once(':')?;
    let row = row.parse().ok()?;
    let rest = match rest.split_once(':') {
        Some((column, rest)) if column.parse::<u32>().is_ok() => rest,
        _ => rest,
    };
    let message = rest.trim();
    let is_other = ["warning", "note", "info", "hint"].iter().any(|level| message.starts_with(level));
    let file = &line[..file_end];
    let is_file = file.contains('.') && !file.contains(' ');
    (is_file && !is_other && !message.is_empty()).then_some((file, row, message))
}
