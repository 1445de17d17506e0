//! C#: exceptions with inner exceptions.

use super::{Block, frame, pattern};
use crate::clean::Lines;
use crate::limits;
use crate::model::{Exception, Frame, Relation};

pattern!(
    /// `at Acme.Pool.Acquire(String name) in /src/Pool.cs:line 12`
    AT,
    r"^\s+at ([\p{L}\w.`<>+\[\],$|&~-]+?(?:\[[^\]]*\])?) ?\(([^()]*(?:\([^()]*\)[^()]*)*)\)(?: \[0x[0-9a-fA-F]+\])?(?: in (.+?):(?:line )?(\d{1,9}))?$"
);
pattern!(
    HEADER,
    r"^(?:.*?Unhandled [Ee]xception[.:] |\s*---> )?(?:\(Inner Exception #\d+\) )?((?:[\p{L}\w]+\.)*[\p{L}\w]*(?:Exception|Error|Fault)\w*)(?: \(0x[0-9A-Fa-f]+\))?: ?(.*)$"
);

pattern!(
    /// Members that the compiler names after the enclosing method: state machines, lambdas, local functions.
    MADE,
    r"<(\w+)>[bdg]__"
);

const INNER: &str = "---> ";
const END_OF_INNER: &str = "--- End of inner exception stack trace ---";
/// Lines before the first frame that are searched for the header.
const MAX_HEADER: usize = 12;

pub(super) fn read(lines: &Lines<'_>, at: usize, floor: usize) -> Option<Block> {
    let line = lines.get(at);
    if !line.trim_start().starts_with("at ") || !AT.is_match(line) {
        return None;
    }
    let mut chain = header(lines, at, floor);
    // Only the word `in` or a header distinguishes it from indented prose.
    let is_placed = (at..at + 3).any(|line| lines.get(line).contains(":line "));
    if chain.is_empty() && !is_placed {
        return None;
    }
    if chain.is_empty() {
        chain.push(Exception::new(Relation::Reported));
    }
    // Frames of the innermost exception come first.
    let (mut open, mut next) = (chain.len() - 1, at);
    let mut members = Vec::new();
    while next < lines.len() {
        let line = lines.get(next);
        if let Some(found) = AT.captures(line) {
            if chain[open].frames.len() < 2 * limits::FRAMES {
                chain[open].frames.push(place(next, &found));
            }
        } else if line.contains(END_OF_INNER) {
            open = open.saturating_sub(1);
        } else if let Some(text) = line.split_once(INNER).map(|(_, text)| text)
            && members.len() < limits::EXCEPTIONS
        {
            // `---> (Inner Exception #1)`: another exception of an aggregate.
            let (mut member, after) = member(lines, text, next);
            member.frames.truncate(limits::FRAMES);
            members.push(member);
            next = after;
            continue;
        } else if !line.trim_start().starts_with("--- End of stack trace from previous location") {
            break;
        }
        next += 1;
    }
    chain.reverse();
    chain.extend(members);
    Some(Block { exceptions: chain, next })
}

fn member(lines: &Lines<'_>, text: &str, at: usize) -> (Exception, usize) {
    let mut exception = Exception::new(Relation::Member);
    if let Some(found) = HEADER.captures(text) {
        exception.say(found.get(1).map_or("", |part| part.as_str()), found.get(2).map_or("", |part| part.as_str()));
    }
    let mut next = at + 1;
    while let Some(found) = AT.captures(lines.get(next)) {
        exception.frames.push(place(next, &found));
        next += 1;
    }
    (exception, next)
}

/// The exceptions named before the first frame, the reported one first.
fn header(lines: &Lines<'_>, at: usize, floor: usize) -> Vec<Exception> {
    let from = at.saturating_sub(MAX_HEADER).max(floor);
    let mut chain: Vec<Exception> = Vec::new();
    let is_header = |line: usize| {
        let text = lines.get(line);
        !text.trim_start().starts_with(INNER) && HEADER.is_match(text.trim_start())
    };
    let Some(first) = (from..at).rev().find(|&line| is_header(line)) else { return chain };
    for line in first..at {
        for part in lines.get(line).split(&format!(" {INNER}")).take(limits::EXCEPTIONS) {
            let Some(found) = HEADER.captures(part.trim_start()) else { continue };
            let relation = if chain.is_empty() { Relation::Reported } else { Relation::Cause };
            let mut exception = Exception::new(relation);
            exception.say(found.get(1).map_or("", |part| part.as_str()), found.get(2).map_or("", |part| part.as_str()));
            chain.push(exception);
        }
    }
    chain
}

fn place(at: usize, found: &regex::Captures<'_>) -> Frame {
    let text = |index| found.get(index).map(|part| part.as_str());
    let function = text(1).map(method);
    // `<a1b2c3>:0` is a module without line information.
    let path = text(3).filter(|path| !path.starts_with('<'));
    frame(at, path, function.as_deref(), text(4), None)
}

/// `Pool.<Acquire>d__3.MoveNext` is compiled from an asynchronous `Pool.Acquire`.
fn method(name: &str) -> String {
    let made = MADE.captures(name).and_then(|found| found.get(1));
    match (name.find('<'), made) {
        (Some(open), Some(made)) => format!("{}{}", &name[..open].replace('+', "."), made.as_str()),
        _ => name.to_owned(),
    }
}
