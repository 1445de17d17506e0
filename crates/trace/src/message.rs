//! Finds the end of a multi-line message. No marker ends it: it continues until a line that is something else.

use crate::clean::Lines;
use crate::prefix;

/// Maximum lines of a message after the first.
const MAX_LINES: usize = 40;
/// Starts of lines that belong to no message: fences, separators of test runners, prompts, the next traceback.
const OTHERS: [&str; 12] = [
    "```", "====", "----", "____", ">>> ", "$ ", "Traceback (most", "During handling of", "The above exception",
    "Process completed with exit code", "make: ***", // The next field of a record.
    ",",
];

/// Reads a message whose further lines start at line `at`, and whether it exceeds the limit; `text` extracts the
/// message text of a line, `None` if the line cannot belong to the message.
pub(crate) fn whole<'l>(
    first: &str,
    lines: &'l Lines<'_>,
    at: usize,
    text: impl Fn(&'l str) -> Option<&'l str>,
) -> (String, bool) {
    let mut message = first.to_owned();
    for line in at..lines.len() {
        let Some(more) = text(lines.get(line)).filter(|more| is_more(more)) else { break };
        if line - at >= MAX_LINES {
            return (message, true);
        }
        message.push('\n');
        message.push_str(more);
    }
    (message, false)
}

/// Returns whether a line may belong to a message that started above it.
fn is_more(line: &str) -> bool {
    let start = line.trim_start();
    let is_other = OTHERS.iter().any(|other| start.starts_with(other))
        // A frame, in any language.
        || start.starts_with("at ") && start.contains(['(', ':'])
        || start.starts_with("File \"");
    !start.is_empty() && !is_other && !prefix::is_stamped(line)
}
