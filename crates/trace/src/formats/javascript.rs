//! JavaScript and TypeScript: stacks of V8 (Node, Chrome), Firefox and Safari, with causes and aggregate errors.

use super::{Block, frame, pattern};
use crate::clean::Lines;
use crate::limits;
use crate::message;
use crate::model::{Exception, Frame, Relation};
use crate::prefix;

pattern!(
    /// `at async Pool.acquire (webpack:///./src/pool.ts?1a2b:10:5)`, `at file.js:1:2`, `at new Pool
    /// (node:internal/x:1:2)`
    V8,
    r"^\s*at (?:(async) )?(?:(.{1,500}?) \()?(?:eval at .*?\((.+?):(\d{1,9}):(\d{1,9})\)\)?.*|([^()]{1,2000}?|[^()]*\([^()]*\)[^()]*?):(\d{1,9}):(\d{1,9}))\)?(?: \{)?$"
);
pattern!(
    /// Frames without a location.
    V8_BLANK,
    r"^\s*at (?:async )?(.{1,500}?) \((?:native|<anonymous>|index \d+)\)$"
);
pattern!(
    /// Browsers print no column to the console: `at new Pool (pool.js:115)`.
    V8_ROW,
    r"^\s*at (?:async )?(?:new )?([^()]{1,200}?) \(([^()\s:]+\.[cm]?[jt]sx?):(\d{1,9})\)$"
);
pattern!(
    /// `acquire@http://localhost/src/pool.js:10:5`
    GECKO,
    r"^\s*(?:[\w ]* handler\*)?([^@\s]{0,500})@((?:[a-z][a-z0-9+.-]{1,20}:)?[^\s@]*/[^\s]*?|[^\s@]+\.[cm]?[jt]sx?):(\d{1,9})(?::(\d{1,9}))?$"
);
pattern!(
    /// `map@[native code]`
    GECKO_BLANK,
    r"^\s*([^@\s]{0,500})@\[native code\]$"
);
pattern!(
    /// Test runners that show the source below each location: `❯ Pool.acquire src/pool.ts:10:5`, `❯
    /// src/pool.test.ts:3:1`.
    RUNNER,
    r"^\s*❯ (?:(?:async )?(?:new )?(\S.{0,300}?) )?([^\s()]+\.[cm]?[jt]sx?|[^\s()]+\.(?:vue|svelte|astro)):(\d{1,9}):(\d{1,9})$"
);
pattern!(
    /// A source line shown below a location, or the marker under it.
    SHOWN,
    r"^ *>? *\d{0,9} ?\|"
);
pattern!(
    /// Console prefix before an error: the place that reported it.
    CONSOLE,
    r"^\S+\.[cm]?[jt]sx?(?:\?\S*)?:\d{1,9}(?::\d{1,9})? (Uncaught .*|[A-Z]\w*(?:Error|Exception): .*)$"
);
pattern!(
    HEADER,
    r"^(?:error: )?(?:Uncaught )?(?:\(in promise\) )?(?:\[?[Uu]nhandled\S* \S+\]? )?([A-Z][\w$]*(?:Error|Exception|Warning|Rejection|[A-Za-z]))(?: \[[\w-]+\])?(?:: (.*))?$"
);
pattern!(
    NESTED,
    r"^\s*(?:\[?cause\]?: |Caused by: |\[errors\]: \[|)(?:\{ )?([A-Z][\w$]*Error|Error)(?: \[[\w-]+\])?(?:: (.*))?$"
);
pattern!(
    /// Location that Node prints for a syntax error or for the throwing line: `/app/a.js:3`.
    PLACE,
    r"^((?:file://)?(?:/|[A-Za-z]:[\\/])[^\s:]+\.[cm]?[jt]sx?):(\d{1,9})$"
);

/// Lines before the first frame that are searched for the header.
const MAX_HEADER: usize = 8;
/// Maximum lines of a test report before its stack, and of source between two of its locations.
const MAX_SHOWN: usize = 30;
/// Unrecognised lines after which a stack counts as finished: properties printed with an error.
const MAX_NOISE: usize = 3;

pub(super) fn read(lines: &Lines<'_>, at: usize, floor: usize) -> Option<Block> {
    let first = lines.get(at);
    // The first frame decides the dialect for the whole block.
    let is_v8 = first.trim_start().starts_with("at ")
        && (V8.is_match(first) || V8_BLANK.is_match(first) || V8_ROW.is_match(first));
    let is_gecko = !is_v8 && first.contains('@') && first.contains(':') && GECKO.is_match(first);
    if !is_v8 && !is_gecko {
        return first.contains('❯').then(|| runner(lines, at, floor))?;
    }
    // Frames go to the exception that was opened last; members of an aggregate are kept apart.
    let mut exceptions = vec![Exception::new(Relation::Reported)];
    let mut members = Vec::new();
    let place = header(lines, at, floor, &mut exceptions[0]);
    let (mut next, mut noise, mut is_member) = (at, 0, false);
    while next < lines.len() && exceptions.len() + members.len() < limits::EXCEPTIONS {
        let line = lines.get(next);
        let found = if is_v8 { v8(next, line) } else { gecko(next, line) };
        if let Some(found) = found {
            noise = 0;
            let open: &mut Vec<Exception> = if is_member { &mut members } else { &mut exceptions };
            if let Some(open) = open.last_mut()
                && open.frames.len() < 2 * limits::FRAMES
            {
                open.frames.push(found);
            }
        } else if let Some(nested) = read_nested(lines, next, is_v8) {
            noise = 0;
            is_member = nested.relation == Relation::Member;
            if is_member { members.push(nested) } else { exceptions.push(nested) }
        } else {
            // Properties of an error are printed between frames; other lines end the block.
            noise += usize::from(!matches!(line.trim(), "{" | "}" | "]" | "],"));
            let is_property = line.starts_with("  ") && !line.trim_start().starts_with("at ");
            if !is_property || noise > MAX_NOISE {
                break;
            }
        }
        next += 1;
    }
    // Causes are printed last and come first in the answer.
    exceptions[0].frames.splice(0..0, place);
    exceptions.reverse();
    exceptions.extend(members);
    Some(Block { exceptions, next })
}

/// The stack of a test runner that shows the source below each location.
fn runner(lines: &Lines<'_>, at: usize, floor: usize) -> Option<Block> {
    let place = |line: usize| {
        let found = RUNNER.captures(lines.get(line))?;
        let text = |index| found.get(index).map(|part| part.as_str());
        Some(frame(line, text(2).map(plain), text(1), text(3), text(4)))
    };
    let mut exception = Exception::new(Relation::Reported);
    exception.frames.push(place(at)?);
    let from = at.saturating_sub(MAX_SHOWN).max(floor);
    let above = (from..at).rev().take_while(|&line| !is_title(lines.get(line)));
    let said = |line: usize| Some((line, header_of(lines.get(line))?));
    if let Some((line, found)) = above.into_iter().find_map(said) {
        say(&mut exception, lines, line, &found);
    }
    let (mut last, mut next) = (at, at + 1);
    while next < lines.len() && next - last <= MAX_SHOWN && exception.frames.len() < limits::FRAMES {
        let line = lines.get(next);
        if let Some(found) = place(next) {
            exception.frames.push(found);
            last = next;
        } else if !line.trim().is_empty() && !SHOWN.is_match(line) {
            break;
        }
        next += 1;
    }
    Some(Block { exceptions: vec![exception], next: last + 1 })
}

/// The title of a failed test: lines above it belong to another one.
fn is_title(line: &str) -> bool {
    line.trim_start().starts_with("FAIL ")
}

/// A nested error, if its stack follows.
fn read_nested(lines: &Lines<'_>, at: usize, is_v8: bool) -> Option<Exception> {
    let line = lines.get(at);
    let found = NESTED.captures(line)?;
    let is_frame = |line: usize| if is_v8 { v8(line, lines.get(line)) } else { gecko(line, lines.get(line)) }.is_some();
    // An unindented one belongs to another stack, unless it is marked as a cause.
    let is_inside = line.starts_with(char::is_whitespace) || line.contains("ause");
    if !is_inside || !(at + 1..at + 4).any(is_frame) {
        return None;
    }
    let is_cause = line.contains("cause") || line.contains("Caused by");
    let mut exception = Exception::new(if is_cause { Relation::Cause } else { Relation::Member });
    let text = |index| found.get(index).map_or("", |part: regex::Match<'_>| part.as_str());
    exception.say(text(1), text(2));
    Some(exception)
}

/// The error that a line names, after prefixes of logs and consoles.
fn header_of(line: &str) -> Option<regex::Captures<'_>> {
    let console = CONSOLE.captures(line).and_then(|found| found.get(1)).map(|part| part.as_str());
    prefix::list_contents(console.unwrap_or(line)).find_map(|text| HEADER.captures(text.trim_start()))
}

/// Kind and message that start at a line; the message continues until the first location.
fn say(exception: &mut Exception, lines: &Lines<'_>, line: usize, found: &regex::Captures<'_>) {
    let text = |index| found.get(index).map_or("", |part| part.as_str());
    let is_place = |line: &str| RUNNER.is_match(line) || GECKO.is_match(line);
    let (message, is_cut) = message::whole(text(2), lines, line + 1, |line| (!is_place(line)).then_some(line));
    exception.say(text(1), &message);
    exception.is_message_cut |= is_cut;
}

/// Kind and message before the first frame, and the location that Node prints above them.
fn header(lines: &Lines<'_>, at: usize, floor: usize, exception: &mut Exception) -> Option<Frame> {
    let from = at.saturating_sub(MAX_HEADER).max(floor);
    let says = |line: usize| header_of(lines.get(line));
    let is_error = |found: &regex::Captures<'_>| {
        let kind = found.get(1).map_or("", |part| part.as_str());
        ["Error", "Exception", "Warning", "Rejection"].iter().any(|end| kind.ends_with(end))
    };
    // A type may have any name, but `Word: more` only counts directly above the frames, and only if there is no
    // other.
    let near = (from..at).rev().take_while(|&line| !lines.get(line).trim().is_empty());
    let error = |line: usize| Some((line, says(line).filter(is_error)?));
    let mut any = near.clone();
    let found = near.clone().find_map(error).or_else(|| any.find_map(|line| Some((line, says(line)?))));
    let Some((line, found)) = found.or_else(|| (from..at).rev().find_map(error)) else {
        exception.say("", find_failure(lines, at, floor)?);
        return None;
    };
    let kind = found.get(1).map_or("", |part| part.as_str());
    // Words of a log line may look like a type if no message follows.
    if found.get(2).is_none() && !(kind.ends_with("Error") || kind.ends_with("Exception")) {
        return None;
    }
    say(exception, lines, line, &found);
    let above = line.saturating_sub(MAX_HEADER).max(floor);
    let above = (above..line).rev().find_map(|line| Some((line, PLACE.captures(lines.get(line))?)));
    let (line, found) = above.filter(|_| kind == "SyntaxError")?;
    Some(frame(line, found.get(1).map(|part| plain(part.as_str())), None, found.get(2).map(|part| part.as_str()), None))
}

/// The message of a test runner for a failure, above the source it shows: below `● suite › name`.
fn find_failure<'l>(lines: &'l Lines<'_>, at: usize, floor: usize) -> Option<&'l str> {
    let from = at.saturating_sub(MAX_SHOWN).max(floor);
    let title = (from..at).rev().find(|&line| lines.get(line).trim_start().starts_with("● "))?;
    let said = lines.next_filled(title + 1, 3).filter(|&line| line < at)?;
    Some(lines.get(said).trim())
}

fn v8(at: usize, line: &str) -> Option<Frame> {
    if !line.trim_start().starts_with("at ") {
        return None;
    }
    if let Some(found) = V8_BLANK.captures(line) {
        return Some(frame(
            at,
            Some("<anonymous>"),
            found.get(1).map(|part| part.as_str().trim_start_matches("new ")),
            None,
            None,
        ));
    }
    if let Some(found) = V8_ROW.captures(line) {
        let text = |index| found.get(index).map(|part| part.as_str());
        return Some(frame(at, text(2), text(1), text(3), None));
    }
    let found = V8.captures(line)?;
    let text = |index| found.get(index).map(|part| part.as_str());
    let (path, row, column) = if text(3).is_some() { (text(3), text(4), text(5)) } else { (text(6), text(7), text(8)) };
    let path = path?;
    // `Foo.bar(Baz.java:1` and types with spaces belong to other languages.
    let is_path =
        !path.trim().is_empty() && !path.contains(" in ") && !path.contains(".java") && !path.contains(".cs:");
    let function = text(2).map(|name| name.split(" [as ").next().unwrap_or(name).trim_start_matches("new "));
    is_path.then(|| frame(at, Some(plain(path.trim())), function, row, column))
}

fn gecko(at: usize, line: &str) -> Option<Frame> {
    if !line.contains('@') {
        return None;
    }
    if let Some(found) = GECKO_BLANK.captures(line) {
        return Some(frame(at, Some("[native code]"), found.get(1).map(|part| part.as_str()), None, None));
    }
    let found = GECKO.captures(line)?;
    let text = |index| found.get(index).map(|part| part.as_str());
    let function = text(1).map(|name| name.trim_start_matches("async*").trim_end_matches(['/', '<']));
    // A bare `name@place` also matches mail addresses: a script has an extension or a protocol.
    let path = text(2)?;
    Some(frame(at, Some(plain(path)), function, text(3), text(4)))
}

/// A path without protocol, host, bundler's prefix and query.
fn plain(path: &str) -> &str {
    let path = path.split(['?', '#']).next().unwrap_or(path);
    if path.starts_with("node:") {
        return path;
    }
    // Compiled code: location of the instruction.
    let path = path.strip_prefix("address at ").unwrap_or(path);
    let mut rest = path;
    if let Some((protocol, after)) = path.split_once("://") {
        rest = after;
        let is_web = matches!(protocol, "http" | "https");
        // `webpack://name/./src/a.js`: the part before `/./` is the name of the bundle.
        if let Some((_, inner)) = after.split_once("/./") {
            rest = inner;
        } else if is_web {
            rest = after.split_once('/').map_or(after, |(_, path)| path);
        } else if protocol.starts_with("webpack") {
            rest = after.trim_start_matches('/');
        }
    }
    let rest = rest.trim_start_matches("./");
    // `file:///C:/app/a.js`
    let drive = rest.strip_prefix('/').filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
    let rest = drive.unwrap_or(rest);
    // Files served by a development server.
    rest.strip_prefix("@fs/").or_else(|| rest.strip_prefix("/@fs/")).unwrap_or(rest)
}
