//! `cargo … --message-format json`, the text of `cargo`, and the text of Rust's test harness.

use serde_json::Value;

use super::{Failure, Results};

/// Reads the lines of one run.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Message of the text form, which the line with its place follows.
    message: Option<String>,
}

impl Reader {
    pub(super) fn line(&mut self, line: &str, results: &mut Results) {
        if line.starts_with('{') {
            if let Ok(value) = serde_json::from_str::<Value>(line) {
                message(&value, results);
            }
            return;
        }
        if let Some(rest) = line.strip_prefix("test ") {
            test(rest, results);
        } else if line.starts_with("running ") && line.ends_with("tests") | line.ends_with("test") {
            results.counts_tests = true;
        } else if let Some(place) = line.trim_start().strip_prefix("--> ")
            && let Some(text) = self.message.take()
        {
            let mut parts = place.trim().rsplitn(3, ':');
            let (_column, row, file) = (parts.next(), parts.next(), parts.next());
            results.add(Failure::error(&text, file, row.and_then(|row| row.parse().ok()).unwrap_or_default()));
        } else if line.starts_with("error") {
            let text = line.split_once(": ").map(|(_, text)| text.to_owned());
            self.message = text.filter(|text| !text.starts_with("could not compile"));
        }
    }
}

/// A line `name ... ok` of the test harness.
fn test(rest: &str, results: &mut Results) {
    let Some((name, result)) = rest.rsplit_once(" ... ") else { return };
    if result.starts_with("ok") {
        results.passed += 1;
    } else if result.starts_with("FAILED") {
        results.add(Failure::test(name));
    }
}

/// A message of the compiler.
fn message(value: &Value, results: &mut Results) {
    let message = &value["message"];
    if value["reason"] != "compiler-message" || message["level"] != "error" {
        return;
    }
    let text = message["message"].as_str().unwrap_or_default();
    let spans = message["spans"].as_array().into_iter().flatten();
    let Some(span) = spans.clone().find(|span| span["is_primary"] == true).or_else(|| spans.clone().next()) else {
        // A summary such as "aborting due to 2 previous errors".
        return;
    };
    let line = span["line_start"].as_u64().and_then(|line| u32::try_from(line).ok()).unwrap_or_default();
    results.add(Failure::error(text, span["file_name"].as_str(), line));
}
