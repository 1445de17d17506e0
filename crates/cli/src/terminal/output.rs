//! Output of commands: text or JSON on standard output, everything else on standard error.

use std::io::{IsTerminal, Write};

use clap::ColorChoice;
pub(crate) use m1nd_base::count;
use serde_json::Value;
use terminal_size::{Height, Width};

use crate::args::Common;
use crate::error::CliError;
use crate::highlight::highlight;
use crate::pager;
pub(crate) use crate::tone::{Tone, paint};

/// The output of one command.
pub(crate) struct Out {
    stdout: std::io::Stdout,
    /// Write JSON for programs.
    pub json: bool,
    /// Write no text for people.
    pub quiet: bool,
    /// Show long answers through the pager of the user, on a terminal.
    pub pages: bool,
    choice: ColorChoice,
    colour: bool,
}

impl Out {
    /// Creates the output of this process.
    pub(crate) fn new(common: &Common) -> Self {
        let stdout = std::io::stdout();
        let (json, choice) = (common.json, common.color);
        let colour = !json && is_coloured(choice, stdout.is_terminal());
        Self { stdout, json, quiet: false, pages: !common.no_pager, choice, colour }
    }

    /// Sets whether text is coloured.
    pub(crate) fn choose_colour(&mut self, choice: ColorChoice) {
        self.choice = choice;
        self.colour = !self.json && is_coloured(choice, self.stdout.is_terminal());
    }

    /// Returns whether text on standard error is coloured.
    pub(crate) fn colours_errors(&self) -> bool {
        is_coloured(self.choice, std::io::stderr().is_terminal())
    }

    /// Writes the answer of a tool: with colours if the output has them, through the pager if it is long.
    pub(crate) fn answer(&mut self, text: &str) -> Result<(), CliError> {
        let text = text.trim_end();
        let shown = if self.colour { highlight(text) } else { text.to_owned() };
        let size = terminal_size::terminal_size_of(&self.stdout);
        let is_long =
            size.is_some_and(|(Width(columns), Height(rows))| pager::is_longer(text, columns.into(), rows.into()));
        if self.pages && is_long && self.stdout.is_terminal() && !self.quiet {
            let shown = format!("{shown}\n");
            if let Some(pager) = pager::choose_pager(|name| std::env::var_os(name)) {
                if pager::show(&pager, &shown) {
                    return Ok(());
                }
                note(format!("the pager `{}` cannot be started", pager.display()));
            }
        }
        self.line(shown)
    }

    /// Returns whether text is coloured.
    pub(crate) fn is_coloured(&self) -> bool {
        self.colour
    }

    /// Writes one line of text.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Result<(), CliError> {
        if self.quiet {
            return Ok(());
        }
        Ok(writeln!(self.stdout, "{}", text.as_ref())?)
    }

    /// Writes the help of a command.
    pub(crate) fn help(&mut self, help: &clap::builder::StyledStr) -> Result<(), CliError> {
        let help = if self.colour { help.ansi().to_string() } else { help.to_string() };
        self.line(help.trim_end())
    }

    /// Writes a JSON value, indented.
    pub(crate) fn value(&mut self, value: &Value) -> Result<(), CliError> {
        Ok(writeln!(self.stdout, "{value:#}")?)
    }

    /// Colours the text if the output is coloured.
    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        paint(self.colour, tone, text)
    }
}

/// Returns whether a stream is coloured: as chosen, else on a terminal that shows colours and without `NO_COLOR`.
fn is_coloured(choice: ColorChoice, is_terminal: bool) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            is_terminal && !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    }
}

/// Writes one line to standard error. Failures are ignored, since there is nowhere to report them.
pub(crate) fn note(text: impl AsRef<str>) {
    let _ = writeln!(std::io::stderr(), "{}", text.as_ref());
}

/// Formats a number with thousands separators.
pub(crate) fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// Formats a duration in a readable unit.
pub(crate) fn duration(milliseconds: f64) -> String {
    match milliseconds {
        ms if ms < 1_000.0 => format!("{ms:.0} ms"),
        ms if ms < 60_000.0 => format!("{:.1} s", ms / 1_000.0),
        ms => format!("{:.0} min {:.0} s", (ms / 60_000.0).floor(), (ms % 60_000.0) / 1_000.0),
    }
}

/// Formats a size in a readable unit.
pub(crate) fn bytes(count: u64) -> String {
    match count as f64 {
        n if n < 1e3 => format!("{n} B"),
        n if n < 1e6 => format!("{:.1} kB", n / 1e3),
        n if n < 1e9 => format!("{:.1} MB", n / 1e6),
        n => format!("{:.2} GB", n / 1e9),
    }
}

/// Formats a share, 0 to 1, in whole percent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Formats a part of a whole in percent; `-` if `whole` is 0.
pub(crate) fn percent_of(part: u64, whole: u64) -> String {
    if whole == 0 { "-".into() } else { format!("{:.1} %", part as f64 * 100.0 / whole as f64) }
}

/// Formats any answer of a tool as text for people: members as lines, rows as blocks. Nothing is omitted.
pub(crate) fn render(value: &Value) -> String {
    let mut out = String::new();
    let mut open = vec![(value, 0usize, None::<String>)];
    // Depth first and without recursion, since the depth of an answer is not limited.
    while let Some((value, depth, label)) = open.pop() {
        let indent = "  ".repeat(depth);
        let head = label.map(|label| format!("{indent}{label}")).unwrap_or_else(|| indent.clone());
        match value {
            Value::Object(members) if is_short_row(members) && !head.trim().is_empty() => {
                let members: Vec<String> =
                    members.iter().map(|(key, value)| format!("{key} {}", scalar(value))).collect();
                out.push_str(&format!("{head} {}\n", members.join(", ")));
            }
            Value::Object(members) if !members.is_empty() => {
                if !head.trim().is_empty() {
                    out.push_str(&format!("{head}\n"));
                }
                let inner = if head.trim().is_empty() { depth } else { depth + 1 };
                open.extend(members.iter().rev().map(|(key, value)| (value, inner, Some(format!("{key}:")))));
            }
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
                out.push_str(&format!("{head} {} rows\n", items.len()));
                let item = |at: usize| Some(format!("[{}]", at + 1));
                open.extend(items.iter().enumerate().rev().map(|(at, value)| (value, depth + 1, item(at))));
            }
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(scalar).collect();
                out.push_str(&format!("{head} {}\n", items.join(", ")));
            }
            Value::String(text) if text.contains('\n') => {
                out.push_str(&format!("{head}\n"));
                text.lines().for_each(|line| out.push_str(&format!("{indent}  {line}\n")));
            }
            other => out.push_str(&format!("{head} {}\n", scalar(other))),
        }
    }
    out
}

/// Maximum length of a row shown on one line, in bytes.
const SHORT_ROW: usize = 140;

/// Returns whether a row has only plain values and fits on a line.
fn is_short_row(members: &serde_json::Map<String, Value>) -> bool {
    let plain = |value: &Value| match value {
        Value::Object(_) | Value::Array(_) => false,
        Value::String(text) => !text.contains('\n'),
        _ => true,
    };
    !members.is_empty()
        && members.values().all(plain)
        && members.iter().map(|(key, value)| key.len() + scalar(value).len() + 3).sum::<usize>() <= SHORT_ROW
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".into(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn figures_read_well() {
        assert_eq!(group_digits(0), "0");
        assert_eq!(group_digits(1234567), "1 234 567");
        assert_eq!(duration(12.4), "12 ms");
        assert_eq!(duration(61_000.0), "1 min 1 s");
        assert_eq!(bytes(1_500), "1.5 kB");
        assert_eq!(percent_of(1, 8), "12.5 %");
        assert_eq!(
            [count(0, "project"), count(1, "memory"), count(2, "memory")],
            ["0 projects", "1 memory", "2 memories"]
        );
        assert_eq!(percent_of(0, 0), "-");
    }

    #[test]
    fn any_answer_becomes_text() {
        let value = json!({"count": 2, "hits": [{"path": "a.py", "line": 3}, {"path": "b.py", "line": 4}],
            "tags": ["x", "y"], "text": "one\ntwo", "none": null, "empty": {}});
        let text = "count: 2\nhits: 2 rows\n  [1] path a.py, line 3\n  [2] path b.py, line 4\ntags: x, y\ntext:\n  one\n  \
                    two\nnone: -\nempty: {}\n";
        assert_eq!(render(&value), text);
    }
}
