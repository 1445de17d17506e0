//! Ruby: backtraces in both orders, with causes.

use super::{Block, frame, pattern};
use crate::clean::Lines;
use crate::limits;
use crate::model::{Exception, Frame, Relation};

pattern!(
    /// `lib/pool.rb:12:in 'Pool#acquire': no room (Timeout::Error)`, with `from` or a number before it in the
    /// following lines.
    AT,
    r"^\s*(?:# )?(?:(\d{1,6}): )?(from )?((?:[A-Za-z]:)?[^\s:][^:]*|<internal:[^>]+>):(\d{1,9})(?::in [`']([^']+)')?(?:: (.*))?$"
);
pattern!(KIND, r"^(.*?)\s?\(([A-Z][\w:]*)\)$");
pattern!(RAILS, r"^([A-Z]\w*(?:::\w+)*(?:Error|Exception)\w*|[A-Z]\w*::\w+) \((.*)\):?$");

pattern!(TYPE, r"^[A-Z]\w*(?:::[A-Z]\w*)*:$");

const REVERSED: &str = "Traceback (most recent call last)";
/// Maximum lines of a test report before its stack.
const MAX_SHOWN: usize = 20;
/// Maximum lines of a message after the first.
const MAX_MESSAGE: usize = 5;

pub(super) fn read(lines: &Lines<'_>, at: usize, floor: usize) -> Option<Block> {
    let line = lines.get(at);
    if line.contains(REVERSED) {
        return read_reversed(lines, at);
    }
    if !is_frame(line) {
        return None;
    }
    let mut exceptions: Vec<Exception> = Vec::new();
    let mut next = at;
    while next < lines.len() && exceptions.len() < limits::EXCEPTIONS {
        let found = AT.captures(lines.get(next)).filter(|_| is_frame(lines.get(next)));
        let Some(found) = found else { break };
        let message = found.get(6).map(|part| part.as_str());
        // A frame with a message starts an exception; the one after another is its cause.
        if message.is_some() || exceptions.is_empty() {
            let mut exception =
                Exception::new(if exceptions.is_empty() { Relation::Reported } else { Relation::Cause });
            if let Some(message) = message {
                say(&mut exception, message);
            } else {
                rails(lines, at, floor, &mut exception);
            }
            exceptions.push(exception);
        }
        if let Some(open) = exceptions.last_mut()
            && open.frames.len() < 2 * limits::FRAMES
        {
            open.frames.push(place(next, &found));
        }
        next += 1;
        // The rest of a multi-line message.
        if message.is_some() && !is_frame(lines.get(next)) {
            let end = next + MAX_MESSAGE;
            next = (next..end).find(|&line| is_from(lines.get(line))).unwrap_or(next);
        }
    }
    exceptions.reverse();
    Some(Block { exceptions, next })
}

/// Returns whether a line is a frame: it has a method, or a Ruby file.
fn is_frame(line: &str) -> bool {
    if !(line.contains(":in `") || line.contains(":in '") || line.contains(".rb:")) {
        return false;
    }
    let method = line.contains(":in `") || line.contains(":in '");
    AT.captures(line).is_some_and(|found| {
        let path = found.get(3).map_or("", |part| part.as_str());
        let is_listed = found.get(2).is_some() || found.get(1).is_some();
        method || (path.ends_with(".rb") && is_listed)
    })
}

fn is_from(line: &str) -> bool {
    line.trim_start().starts_with("from ") && is_frame(line)
}

fn say(exception: &mut Exception, message: &str) {
    match KIND.captures(message) {
        Some(found) => {
            exception.say(found.get(2).map_or("", |part| part.as_str()), found.get(1).map_or("", |part| part.as_str()));
        }
        None => exception.say("", message),
    }
}

/// Header that Rails prints above a bare list of frames: `NoMethodError (undefined method 'x'):`.
fn rails(lines: &Lines<'_>, at: usize, floor: usize, exception: &mut Exception) {
    if lines.get(at).trim_start().starts_with("# ") {
        return rspec(lines, at, floor, exception);
    }
    let from = at.saturating_sub(MAX_MESSAGE).max(floor);
    if let Some(found) = (from..at).rev().find_map(|line| RAILS.captures(lines.get(line).trim())) {
        exception.say(found.get(1).map_or("", |part| part.as_str()), found.get(2).map_or("", |part| part.as_str()));
    }
}

/// The message of a test runner for a failure: below the failed line the type, and the actual or expected value.
fn rspec(lines: &Lines<'_>, at: usize, floor: usize, exception: &mut Exception) {
    let from = at.saturating_sub(MAX_SHOWN).max(floor);
    let failed = |line: &usize| lines.get(*line).trim_start().starts_with("Failure/Error:");
    let Some(start) = (from..at).rev().find(failed) else { return };
    let mut said: Vec<&str> =
        (start + 1..at).map(|line| lines.get(line).trim()).filter(|line| !line.is_empty()).collect();
    let kind = said.iter().position(|line| TYPE.is_match(line));
    let kind = kind.map(|at| said.drain(..=at).next_back().unwrap_or_default().trim_end_matches(':'));
    exception.say(kind.unwrap_or_default(), &said.join("\n"));
}

fn place(at: usize, found: &regex::Captures<'_>) -> Frame {
    let text = |index| found.get(index).map(|part| part.as_str());
    let function = text(5).map(|name| name.rsplit(" in ").next().unwrap_or(name));
    frame(at, text(3), function, text(4), None)
}

/// Frames from the outermost to the innermost, whose line has the message.
fn read_reversed(lines: &Lines<'_>, at: usize) -> Option<Block> {
    let mut exception = Exception::new(Relation::Reported);
    let mut next = at + 1;
    while next < lines.len() {
        let Some(found) = AT.captures(lines.get(next)).filter(|_| is_frame(lines.get(next))) else { break };
        if exception.frames.len() < 2 * limits::FRAMES {
            exception.frames.push(place(next, &found));
        }
        next += 1;
        if let Some(message) = found.get(6) {
            say(&mut exception, message.as_str());
            break;
        }
    }
    exception.frames.reverse();
    (!exception.frames.is_empty()).then(|| Block { exceptions: vec![exception], next })
}
