//! Stack traces of all formats and the parsed result.

mod any_text;
mod compiled;
mod mixed;
mod practice;
mod python;
mod scripting;

use m1nd_trace::{Format, Parsed, parse};

/// The parsed result, one line per exception and per frame.
fn show_parsed(parsed: &Parsed) -> String {
    let mut text = String::new();
    for trace in &parsed.traces {
        text.push_str(&format!("{}\n", trace.language()));
        for exception in &trace.exceptions {
            let message = exception.message.replace('\n', "⏎");
            text.push_str(&format!("  {} {}: {message}", exception.relation.word(), exception.kind));
            if exception.left_out > 0 {
                text.push_str(&format!(" (+{})", exception.left_out));
            }
            text.push('\n');
            for frame in &exception.frames {
                let number = |number: Option<u32>| number.map_or(String::new(), |number| format!(":{number}"));
                text.push_str(&format!(
                    "    {} {}{}{} {}\n",
                    frame.function.as_deref().unwrap_or("-"),
                    frame.path.as_deref().unwrap_or("-"),
                    number(frame.line),
                    number(frame.column),
                    frame.origin.word()
                ));
            }
        }
    }
    text
}

/// Asserts the parsed result, with and without a hint.
#[track_caller]
fn check(format: Format, text: &str, expected: &str) {
    let found = show_parsed(&parse(text, None));
    let expected: String = expected.trim_start_matches('\n').lines().map(|line| format!("{line}\n")).collect();
    assert_eq!(found, expected, "\n--- found:\n{found}");
    assert_eq!(show_parsed(&parse(text, Some(format))), expected, "with a hint");
}
