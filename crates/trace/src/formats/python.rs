//! Python: tracebacks with chains and groups, and the formats of pytest.

use regex::Captures;

use super::{Block, frame, kind_and_message, pattern};
use crate::clean::Lines;
use crate::limits;
use crate::message;
use crate::model::{Exception, Frame, Relation};
use crate::prefix;

pattern!(FILE, r#"File "([^"]{1,1000})", line (\d{1,9})(?:, in (.+))?"#);
pattern!(RAISED, r"^([A-Za-z_][\w.]*)(?:: ?(.*))?$");
pattern!(
    /// A location in pytest: `path.py:12: in name` in the short format, `path.py:12: ValueError` in the long one.
    PLACE,
    r"^(\S[^:]*\.pyx?):(\d{1,9}):(?: in (.+)| ([A-Za-z_][\w.]*))?$"
);
pattern!(
    /// The exception in pytest output.
    SAID,
    r"^E {3,}(\S.*)$"
);
pattern!(DEFINED, r"^>? {2,}(?:async )?def (\w+)\(");

pattern!(
    /// A frame of IPython: `~/lib/pool.py in acquire(self, name)`, `File ~/lib/pool.py:12, in Pool.acquire(self)`.
    CELL,
    r"^(?:(?:File )?(~?[^\s:][^:]*\.pyx?|<[^<>]+>)(?::(\d{1,9}))?,? in |(?:Input )?(?:In|Cell) ?(?:In)? ?\[\d+\](?:, line \d+|, in )?)([\w.<>]*)?(?:\(.*\)|: \d+\))?$"
);
pattern!(
    /// The marked line of such a frame.
    ARROW,
    r"^-+> ?(\d{1,9})(?: |$)"
);
pattern!(NAMED_HEADER, r"^([A-Za-z_][\w.]*) +Traceback \(most recent call last\)");

pattern!(REPEATED, r"^\s*\[Previous line repeated (\d{1,9}) more times?\]$");

const HEADER: &str = "Traceback (most recent call last)";
const CAUSE: &str = "The above exception was the direct cause of the following exception";
const CONTEXT: &str = "During handling of the above exception, another exception occurred";
/// Maximum unrecognised lines within a traceback before it counts as finished.
const MAX_NOISE: usize = 3;
/// Maximum blank lines between two tracebacks of a chain.
const MAX_BLANK: usize = 4;
/// Maximum lines of a message after the first.
const MAX_MESSAGE: usize = 40;

pub(super) fn read(lines: &Lines<'_>, at: usize, _floor: usize) -> Option<Block> {
    let line = lines.get(at);
    if line.contains(HEADER) {
        // Ruby prints the same words, with the innermost frame last, too.
        let next = lines.next_filled(at + 1, 2).map_or("", |next| lines.get(next)).trim_start();
        let is_ruby = next.split_once(": from ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        return (!is_ruby).then(|| chain(lines, at));
    }
    if line.contains("File \"") && FILE.is_match(line) {
        return Some(chain(lines, at));
    }
    let is_pytest = line.contains(".py") && PLACE.is_match(line) || is_banner(line);
    is_pytest.then(|| pytest(lines, at))
}

/// `____ test_name ____`
fn is_banner(line: &str) -> bool {
    line.len() > 20 && line.starts_with("___") && line.ends_with("___") && line.contains(' ')
}

/// Returns whether a bar marks a line as part of a group.
fn is_barred(line: &str) -> bool {
    line.trim_start().starts_with(['|', '+'])
}

/// Removes the bars that mark the group of a line. White space after them is kept.
fn without_bars(line: &str) -> &str {
    if !is_barred(line) {
        return line;
    }
    let trimmed = line.trim_start();
    let rest = trimmed.trim_start_matches([' ', '|', '+']);
    let bars = &trimmed[..trimmed.len() - rest.len()];
    let end = bars.rfind(['|', '+']).map_or(0, |end| end + 1);
    let rest = &trimmed[end..];
    rest.strip_prefix(' ').unwrap_or(rest)
}

/// `+-+---------------- 1 ----------------`, `+------------------------------------`
fn is_member_mark(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('+') && line.contains("-----")
}

/// A traceback being read.
struct Stack {
    exception: Exception,
    frames: Vec<Frame>,
}

impl Stack {
    fn new(relation: Relation) -> Self {
        Self { exception: Exception::new(relation), frames: Vec::new() }
    }

    /// The exception, with the innermost frame first.
    fn finish(mut self) -> Exception {
        self.frames.reverse();
        self.exception.frames = self.frames;
        self.exception
    }
}

/// End of a traceback.
struct Ended {
    exception: Exception,
    next: usize,
    /// It ends with an exception instead of in the middle.
    is_whole: bool,
}

/// The tracebacks that led one after the other to the reported one.
fn chain(lines: &Lines<'_>, start: usize) -> Block {
    let mut exceptions: Vec<Exception> = Vec::new();
    let mut members: Vec<Exception> = Vec::new();
    let (mut at, mut is_member) = (start, false);
    loop {
        let ended = traceback(lines, at, if is_member { Relation::Member } else { Relation::Reported });
        at = ended.next;
        let full = exceptions.len() + members.len() >= limits::EXCEPTIONS;
        let row = if is_member { &mut members } else { &mut exceptions };
        if !ended.exception.is_empty() {
            row.push(ended.exception);
        }
        if !ended.is_whole || full {
            break;
        }
        let last = row.last_mut();
        if let Some(end) = end_of_message(lines, at) {
            if let Some(last) = last {
                let more = (at..end).map(|line| without_bars(lines.get(line)));
                let message = std::iter::once(last.message.as_str()).chain(more).collect::<Vec<_>>().join("\n");
                last.say_more(&message);
            }
            at = end;
        } else if let Some(last) = last {
            // Its end is not marked, so it is searched again: it may contain another trace.
            let has_bars = at > 0 && is_barred(lines.get(at - 1));
            let text = |line| (is_barred(line) == has_bars).then(|| without_bars(line));
            let (message, is_cut) = message::whole(&last.message, lines, at, text);
            last.say_more(&message);
            last.is_message_cut |= is_cut;
        }
        match after(lines, at) {
            Next::Chained(relation, header) => {
                if let Some(last) = row.last_mut() {
                    last.relation = relation;
                }
                at = header;
            }
            Next::Member(first) => (at, is_member) = (first, true),
            Next::Nothing(end) => {
                at = end;
                break;
            }
        }
    }
    exceptions.extend(members);
    Block { exceptions, next: at }
}

/// The first line after a multi-line message, if a marker shows that a chain or group continues.
fn end_of_message(lines: &Lines<'_>, at: usize) -> Option<usize> {
    let is_mark = |line: &str| {
        let said = without_bars(line).trim_start();
        said.starts_with(CAUSE) || said.starts_with(CONTEXT) || is_member_mark(line)
    };
    let end = lines.len().min(at + MAX_MESSAGE);
    let is_other = |line: &str| line.contains(HEADER) || line.contains("File \"") || line.starts_with("```");
    let mark = (at..end).find(|&line| is_mark(lines.get(line)) || is_other(lines.get(line)))?;
    is_mark(lines.get(mark)).then_some(mark)
}

/// Continuation after a traceback.
enum Next {
    /// The chained traceback at this line.
    Chained(Relation, usize),
    /// The next member of a group, at this line.
    Member(usize),
    /// Nothing that belongs to it.
    Nothing(usize),
}

fn after(lines: &Lines<'_>, at: usize) -> Next {
    let filled =
        |at| (at..lines.len().min(at + MAX_BLANK)).find(|&line| !without_bars(lines.get(line)).trim().is_empty());
    let Some(next) = filled(at) else { return Next::Nothing(at) };
    let line = lines.get(next);
    if is_member_mark(line) {
        let first = (next..lines.len().min(next + MAX_BLANK)).find(|&line| !is_member_mark(lines.get(line)));
        let is_end = line.trim_start().trim_matches(['+', '-', ' ']).is_empty();
        return first.filter(|_| !is_end).map_or(Next::Nothing(next + 1), Next::Member);
    }
    let relation = match without_bars(line).trim() {
        line if line.starts_with(CAUSE) => Relation::Cause,
        line if line.starts_with(CONTEXT) => Relation::Context,
        _ => return Next::Nothing(at),
    };
    match filled(next + 1) {
        Some(header) if lines.get(header).contains(HEADER) => Next::Chained(relation, header),
        _ => Next::Nothing(at),
    }
}

/// A single traceback, from its header or first frame to its exception.
fn traceback(lines: &Lines<'_>, start: usize, relation: Relation) -> Ended {
    let mut stack = Stack::new(relation);
    let mut at = start;
    if lines.get(at).contains(HEADER) {
        // IPython names the type in the header, too.
        if let Some(found) = NAMED_HEADER.captures(lines.get(at)) {
            stack.exception.say(found.get(1).map_or("", |kind| kind.as_str()), "");
        }
        at += 1;
    }
    let (mut noise, mut margin) = (0, 0);
    let ended = |stack: Stack, next, is_whole| Ended { exception: stack.finish(), next, is_whole };
    while at < lines.len() {
        let line = without_bars(lines.get(at));
        if line.contains("File \"")
            && let Some(found) = FILE.captures(line)
        {
            stack.frames.push(place(at, &found));
            (noise, margin) = (0, indent(line));
        } else if let Some(found) = cell(at, line) {
            stack.frames.push(found);
            (noise, margin) = (0, 0);
        } else if let Some(found) = ARROW.captures(line) {
            if let Some(last) = stack.frames.last_mut().filter(|last| last.line.is_none()) {
                last.line = found.get(1).and_then(|line| line.as_str().parse().ok());
            }
        } else if line.contains(HEADER) || line.trim_start().starts_with("```") || is_member_mark(lines.get(at)) {
            return ended(stack, at, false);
        } else if let Some((kind, message)) = parse_raised(line.trim_start()).filter(|_| indent(line) <= margin) {
            stack.exception.say(kind, message);
            return ended(stack, at + 1, true);
        } else if let Some((kind, message)) = parse_logged(line).filter(|_| !stack.frames.is_empty()) {
            stack.exception.say(kind, message);
            return ended(stack, at + 1, true);
        } else if let Some(found) = REPEATED.captures(line) {
            let more: usize = found.get(1).and_then(|count| count.as_str().parse().ok()).unwrap_or(0);
            stack.exception.left_out = stack.exception.left_out.saturating_add(more);
        } else if line.starts_with(char::is_whitespace) || line.is_empty() || line.starts_with("...") {
            // A source line, a marker below it, or text inserted by an editor.
        } else {
            noise += 1;
            if noise > MAX_NOISE {
                return ended(stack, at, false);
            }
        }
        at += 1;
    }
    ended(stack, at, false)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A frame in IPython's format.
fn cell(at: usize, line: &str) -> Option<Frame> {
    if line.starts_with(char::is_whitespace)
        || !(line.contains(" in ") || line.contains("In [") || line.contains("In["))
    {
        return None;
    }
    let found = CELL.captures(line)?;
    let text = |index| found.get(index).map(|part| part.as_str());
    Some(frame(at, text(1).or(Some("<input>")), text(3), text(2), None))
}

fn place(at: usize, found: &Captures<'_>) -> Frame {
    let text = |index| found.get(index).map(|part| part.as_str());
    // `File "x", line 3, in f` may be followed by the exception's text on the same line of a log.
    let function = text(3).map(|name| name.split("\\n").next().unwrap_or(name));
    frame(at, text(1), function, text(2), None)
}

/// The exception that a line names.
fn parse_raised(line: &str) -> Option<(&str, &str)> {
    let found = RAISED.captures(line)?;
    let kind = found.get(1)?.as_str();
    let name = kind.rsplit('.').next().unwrap_or(kind);
    let message = found.get(2).map_or("", |part| part.as_str());
    let is_type = name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        || ["error", "exception", "exit", "interrupt", "warning", "timeout"]
            .iter()
            .any(|end| name.to_ascii_lowercase().ends_with(end));
    // `Note: more` and `INFO: x` in a log are no types, unless there is no other candidate.
    let is_log = name.len() > 1 && name.bytes().all(|byte| byte.is_ascii_uppercase());
    (is_type && !is_log && !matches!(name, "File" | "Note" | "Traceback")).then_some((kind, message))
}

/// The exception that a line names after a log prefix, if the name is unambiguous.
fn parse_logged(line: &str) -> Option<(&str, &str)> {
    let ends = ["Error", "Exception", "Exit", "Interrupt", "Warning"];
    let is_sure = |kind: &str| ends.iter().any(|end| kind.ends_with(end));
    prefix::list_contents(line).skip(1).find_map(|text| parse_raised(text).filter(|(kind, _)| is_sure(kind)))
}

/// A failure in pytest's format: locations from the outermost to the innermost, source lines with markers between
/// them.
fn pytest(lines: &Lines<'_>, start: usize) -> Block {
    let mut stack = Stack::new(Relation::Reported);
    let (mut defined, mut at, mut is_said) = (None, start, false);
    while at < lines.len() {
        let line = lines.get(at);
        let is_over = line.contains(HEADER) || line.starts_with("```") || line.starts_with("====");
        // Other runners print plain frames below such a banner.
        let is_plain = stack.frames.is_empty() && line.contains("File \"") && FILE.is_match(line);
        if at > start && (is_over || is_plain || is_banner(line)) {
            break;
        }
        if let Some(found) = DEFINED.captures(line) {
            defined = found.get(1).map(|name| name.as_str().to_owned());
        } else if let Some(found) = SAID.captures(line) {
            let text = found.get(1).map_or("", |text| text.as_str());
            if is_said {
                // The lines of one traceback are consecutive.
                let is_next = at > start && SAID.is_match(lines.get(at - 1));
                let message = format!("{}\n{text}", stack.exception.message);
                if is_next {
                    stack.exception.say_more(&message)
                }
            } else {
                let (kind, message) = parse_raised(text).unwrap_or_else(|| parse_said(text));
                stack.exception.say(kind, message);
                is_said = true;
            }
        } else if let Some(found) = PLACE.captures(line) {
            let text = |index| found.get(index).map(|part| part.as_str());
            if let (Some(kind), true) = (text(4), stack.exception.kind.is_empty()) {
                let message = stack.exception.message.clone();
                stack.exception.say(kind, &message);
            }
            let function = text(3).map(str::to_owned).or_else(|| defined.take());
            stack.frames.push(frame(at, text(1), function.as_deref(), text(2), None));
        }
        at += 1;
    }
    Block { exceptions: vec![stack.finish()], next: at }
}

/// `assert 1 == 2` has no type.
fn parse_said(text: &str) -> (&str, &str) {
    if text.starts_with("assert ") { ("AssertionError", text) } else { ("", kind_and_message(text).0) }
}
