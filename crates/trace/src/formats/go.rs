//! Go: panics and fatal errors with their goroutines, and data race reports.

use super::{Block, frame, kind_and_message, name_exception, pattern};
use crate::clean::Lines;
use crate::limits;
use crate::model::{Exception, Relation};
use crate::prefix;

pattern!(
    /// Logged by a server that recovers and continues.
    SERVING,
    r"panic serving \S+: (.*)$"
);
pattern!(GOROUTINE, r"^\s*goroutine \d+(?: gp=\S+)?(?: m=\S+)?(?: mp=\S+)? \[([^\]]*)\]:$");
pattern!(PLACE, r"^\s+(\S.*?\.(?:go|s|c|cgo)):(\d{1,9})(?: \+0x[0-9a-f]+)?");
pattern!(
    /// `main.(*Pool).Acquire(0xc000, 0x1)`, `created by main.run in goroutine 7`
    CALL,
    r"^(?:created by )?([\w./~%\[\]-]+\.?[^\s]*?)(?:\([^()]*\)|\(\.\.\.\))?(?: in goroutine \d+)?$"
);

pattern!(
    /// A web framework prints the stack of a recovered panic as `/app/user.go:42 (0x8a1b2c)`, with the function
    /// below.
    RECOVERED,
    r"^\s*(\S.*?\.(?:go|s)):(\d{1,9}) \(0x[0-9a-f]+\)$"
);
pattern!(RECOVERED_IN, r"^\s+(\S+?): ");

const RACE: &str = "WARNING: DATA RACE";
pattern!(ACCESS, r"^(?:Previous )?(?:[Rr]ead|[Ww]rite)(?: at 0x[0-9a-f]+)? by (?:main )?goroutine(?: \d{1,9})?:$");
pattern!(CREATED, r"^Goroutine \d{1,9} \(\w+\) created at:$");

/// Maximum lines between the message and the first goroutine.
const MAX_BETWEEN: usize = 12;

pub(super) fn read(lines: &Lines<'_>, at: usize, floor: usize) -> Option<Block> {
    let line = lines.get(at);
    if line.contains(" (0x") && RECOVERED.is_match(line) {
        return read_recovered(lines, at, floor);
    }
    if line.trim_start() == RACE {
        return Some(race(lines, at + 1));
    }
    let starts = ["panic: ", "fatal error: ", "unexpected fault address"];
    let may_say = starts.iter().any(|start| line.contains(start));
    let is_said = |text: &&str| starts.iter().any(|start| text.trim_start().starts_with(start));
    let said = if may_say { prefix::list_contents(line).find(is_said) } else { None };
    let mut exceptions: Vec<Exception> = Vec::new();
    let mut next = at;
    if said.is_some() {
        let (first, panics) = goroutine_after(lines, at)?;
        exceptions.extend(panics);
        next = first;
    } else if !GOROUTINE.is_match(line) {
        return None;
    } else if let Some(found) = at.checked_sub(1).filter(|&above| above >= floor).map(|above| lines.get(above))
        && let Some(found) = SERVING.captures(found)
    {
        let text = found.get(1).map_or("", |part| part.as_str());
        let (kind, message) = kind_of(text).unwrap_or(("panic", text));
        exceptions.push(name_exception(Relation::Reported, kind, message));
    }
    let mut is_first = true;
    while exceptions.len() < limits::EXCEPTIONS {
        let Some(found) = GOROUTINE.captures(lines.get(next)) else { break };
        let state = found.get(1).map_or("", |part| part.as_str()).to_owned();
        if is_first && exceptions.is_empty() {
            exceptions.push(name_exception(Relation::Reported, "goroutine", &state));
        } else if !is_first {
            exceptions.push(name_exception(Relation::Aside, "goroutine", &state));
        }
        is_first = false;
        // A panic in a deferred call is printed with the first one, to which the stack belongs.
        let open = exceptions.iter().rposition(|exception| exception.relation != Relation::Cause);
        let Some(open) = open.and_then(|index| exceptions.get_mut(index)) else { break };
        next = calls(lines, next + 1, open);
        next = lines.next_filled(next, 2).filter(|&line| GOROUTINE.is_match(lines.get(line))).unwrap_or(next);
    }
    Some(Block { exceptions, next })
}

/// A recovered panic: its message is below `panic recovered:`, above the frames.
fn read_recovered(lines: &Lines<'_>, start: usize, floor: usize) -> Option<Block> {
    let from = start.saturating_sub(MAX_BETWEEN).max(floor);
    let title = (from..start).rev().find(|&line| lines.get(line).trim_end().ends_with("panic recovered:"))?;
    let said: Vec<&str> = (title + 1..start).map(|line| lines.get(line)).collect();
    let said = said.join("\n");
    let (kind, message) = kind_of(&said).unwrap_or(("panic", &said));
    let mut exception = name_exception(Relation::Reported, kind, message);
    let mut at = start;
    while let Some(found) = RECOVERED.captures(lines.get(at)) {
        let text = |index| found.get(index).map(|part: regex::Match<'_>| part.as_str());
        let function = RECOVERED_IN.captures(lines.get(at + 1));
        let name = function.as_ref().and_then(|found| found.get(1)).map(|part| part.as_str());
        if exception.frames.len() < 2 * limits::FRAMES {
            exception.frames.push(frame(at, text(1), name, text(2), None));
        }
        at += 1 + usize::from(function.is_some());
    }
    Some(Block { exceptions: vec![exception], next: at })
}

/// The racing accesses, the later one first, then the creation of their goroutines.
fn race(lines: &Lines<'_>, start: usize) -> Block {
    let mut exceptions: Vec<Exception> = Vec::new();
    let mut at = start;
    while let Some(line) = lines.next_filled(at, 2).filter(|_| exceptions.len() < limits::EXCEPTIONS) {
        let said = lines.get(line).trim();
        let (relation, kind) = match exceptions.is_empty() {
            true if ACCESS.is_match(said) => (Relation::Reported, "data race"),
            false if ACCESS.is_match(said) => (Relation::Member, "data race"),
            _ if CREATED.is_match(said) => (Relation::Aside, "goroutine"),
            _ => break,
        };
        let mut exception = name_exception(relation, kind, said.trim_end_matches(':'));
        at = calls(lines, line + 1, &mut exception);
        exceptions.push(exception);
    }
    Block { exceptions, next: at }
}

/// Kind and message of a runtime error.
fn kind_of(message: &str) -> Option<(&str, &str)> {
    Some(("runtime error", message.strip_prefix("runtime error: ")?))
}

/// The first goroutine after the message, and the panics: each line is one, the last is the reported one.
fn goroutine_after(lines: &Lines<'_>, at: usize) -> Option<(usize, Vec<Exception>)> {
    let end = lines.len().min(at + MAX_BETWEEN);
    let first = (at..end).find(|&line| GOROUTINE.is_match(lines.get(line)))?;
    let mut panics: Vec<Exception> = Vec::new();
    for line in at..first {
        let said = prefix::list_contents(lines.get(line)).find_map(|text| {
            let text = text.trim_start();
            ["panic", "fatal error"].iter().find_map(|kind| Some((*kind, text.strip_prefix(kind)?.strip_prefix(": ")?)))
        });
        let Some((kind, message)) = said else { continue };
        let message = message.trim_end_matches(" [recovered]").trim_end_matches(" [recovered, repanicked]");
        let (kind, message) = kind_of(message).unwrap_or((kind, message));
        if let Some(last) = panics.last_mut() {
            last.relation = Relation::Cause;
        }
        panics.push(name_exception(Relation::Reported, kind, message));
    }
    if panics.is_empty() {
        let (kind, message) = kind_and_message(lines.get(at));
        panics.push(name_exception(Relation::Reported, kind, message));
    }
    Some((first, panics))
}

/// Calls with their locations, two lines each.
fn calls(lines: &Lines<'_>, mut at: usize, exception: &mut Exception) -> usize {
    while at < lines.len() {
        let line = lines.get(at);
        if let Some(count) = line.trim().strip_prefix("...").and_then(|rest| rest.strip_suffix(" frames elided...")) {
            exception.left_out = exception.left_out.saturating_add(count.trim().parse().unwrap_or(0));
            at += 1;
            continue;
        }
        // Race reports indent their calls.
        let (Some(call), Some(place)) = (CALL.captures(line.trim_start()), PLACE.captures(lines.get(at + 1))) else {
            break;
        };
        let text = |found: &regex::Captures<'_>, index: usize| found.get(index).map(|part| part.as_str().to_owned());
        let function = text(&call, 1).map(|name| name.replace("%2e", "."));
        let place = frame(at + 1, text(&place, 1).as_deref(), function.as_deref(), text(&place, 2).as_deref(), None);
        if exception.frames.len() < 2 * limits::FRAMES {
            exception.frames.push(place);
        }
        at += 2;
    }
    at
}
