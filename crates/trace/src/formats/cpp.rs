//! C and C++: debuggers (gdb, lldb), sanitizers, Valgrind and failed assertions.

use super::{Block, frame, name_exception, pattern};
use crate::clean::Lines;
use crate::limits;
use crate::model::{Exception, Frame, Relation};

pattern!(
    /// gdb: `#1  0x0000 in acquire (pool=0x0) at pool.c:12`; sanitizers: `#1 0x4a in acquire /src/pool.c:12:5`.
    GDB,
    r"^\s*#(\d{1,6}) +(?:0x[0-9a-fA-F]+ in )?([^\s(][^(]*?(?:\([^()]*\)(?:::[^(]*)?)*?|\(anonymous namespace\)[^(]*) ?\((.*)\)(?: const)?(?: at (\S.*?):(\d{1,9})(?::(\d{1,9}))?| from (\S+))?$"
);
pattern!(
    SANITIZER,
    r"^\s*#(\d{1,6}) 0x[0-9a-fA-F]+ +(?:in (.+?) )?(?:((?:[A-Za-z]:)?[^\s:()]+):(\d{1,9})(?::(\d{1,9}))?|\(([^()+]+)\+0x[0-9a-fA-F]+\)(?: +\(BuildId: \S+\))?)$"
);
pattern!(
    /// `#0 inc(int*) /src/race.cc:7:3 (a.out+0x4b1)` in data race reports.
    RACE,
    r"^\s*#(\d{1,6}) (\S.*?) (?:<null>|((?:[A-Za-z]:)?[^\s:()]+):(\d{1,9})(?::(\d{1,9}))?) \(([^()+\s]+)\+0x[0-9a-fA-F]+\)(?: +\(BuildId: \S+\))?$"
);
pattern!(
    LLDB,
    r"^\s*\*? *frame #(\d{1,6}): (?:0x[0-9a-fA-F]+ )?(?:[^\s`]+`)?(.+?)(?: at (\S+?):(\d{1,9})(?::(\d{1,9}))?)?(?: \[opt\])?$"
);
pattern!(
    /// People often omit the process id.
    VALGRIND,
    r"^(?:==\d+==)? +(at|by) 0x[0-9A-Fa-f]+: (.+?)(?: \((?:([^():]+\.\w+):(\d{1,9})|in ([^()]+)|[^()]*)\))?$"
);
pattern!(
    /// Stacks that programs print themselves: `./server(acquire+0x15)[0x55d0c0]`, `/lib/libpool.so(+0x2d0) [0x7f01]`.
    SYMBOLS,
    r"^\s*([^\s()]+)(?: [^()]*)?\(([^\s()+]*(?:\([^()]*\))?)(?:\+0x[0-9a-fA-F]+)?\) ?\[0x[0-9a-fA-F]+\]$"
);
pattern!(VALGRIND_SAID, r"^(?:==\d+==|) *([A-Z0-9][^=]{3,200})$");
pattern!(RUNTIME_ERROR, r"^(\S+?):(\d{1,9}):(\d{1,9}): runtime error: (.*)$");
pattern!(ASSERTION, r"^(?:[^\s:]+: )?([^\s:]+\.\w{1,4}):(\d{1,9}): ?(.*?): [Aa]ssertion [`'‘](.*)['’`] failed");
pattern!(SIGNAL, r"(?:Program|Thread .{1,80}) (?:received|terminated with) signal (SIG\w+), (.*?)\.?$");
pattern!(
    /// Crash handlers of programs: `crashed by signal: 11`, `Caught signal 11 (Segmentation fault: address not
    /// mapped)`.
    CAUGHT,
    r"(?:[Cc]rashed by|[Cc]aught|[Rr]eceived|[Gg]ot) signal:? (\d{1,3})\b(?: \(([^()]*)\))?"
);
pattern!(SANITIZER_SAID, r"(?:ERROR|WARNING): (\w+Sanitizer): (data race|thread leak|detected memory leaks|\S+)(.*)$");
pattern!(STOP, r"stop reason = (\w+)(?: \((.*)\))?");

/// Lines before the first frame that are searched for the cause.
const MAX_HEADER: usize = 6;
/// Maximum lines of variables and source between two frames of one stack.
const MAX_SHOWN: usize = 60;
const BACKTRACE: &str = "backtrace";
const HANDLER: &str = "<signal handler called>";
/// Maximum lines between two stacks of one report.
const MAX_BETWEEN: usize = 4;

/// A stack line in any of the formats.
struct Found {
    number: u32,
    frame: Frame,
}

pub(super) fn read(lines: &Lines<'_>, at: usize, floor: usize) -> Option<Block> {
    let line = lines.get(at);
    if let Some(found) = line.contains("ssertion").then(|| ASSERTION.captures(line)).flatten() {
        return Some(one(at, &found, "assertion", [1, 2, 0, 3], 4));
    }
    if let Some(found) = line.contains(": runtime error: ").then(|| RUNTIME_ERROR.captures(line)).flatten() {
        let mut block = one(at, &found, "runtime error", [1, 2, 3, 0], 4);
        if line_of(lines, at + 1).is_some() {
            let exception = &mut block.exceptions[0];
            block.next = stack(lines, at + 1, exception);
            // The first frame repeats the location, with its function.
            let places = |index: usize| exception.frames.get(index).map(|frame| (&frame.path, frame.line));
            if places(0) == places(1) {
                exception.frames.remove(0);
            }
        }
        return Some(block);
    }
    let first = line_of(lines, at)?;
    // A numbered list may look like a stack; a stack has locations or addresses.
    if first.frame.path.is_none()
        && !line.contains("0x")
        && !(at + 1..at + MAX_BETWEEN).any(|line| is_placed(lines, line))
    {
        return None;
    }
    let mut exceptions = vec![header(lines, at, floor)];
    let mut next = stack(lines, at, &mut exceptions[0]);
    while exceptions.len() < limits::EXCEPTIONS {
        // `freed by thread T0 here:`, `Thread 2 (LWP 7):`, `Address 0x0 is not stack'd`
        let Some(start) = (next..lines.len().min(next + MAX_BETWEEN)).find(|&line| line_of(lines, line).is_some())
        else {
            break;
        };
        let said = (next..start).map(|line| plain(lines.get(line))).find(|line| !line.is_empty());
        let said = said.filter(|said| !said.contains("ERROR: ") && !said.contains("signal SIG"));
        let Some(said) = said else { break };
        // A report that shows the failing place, followed by the complete backtrace.
        if exceptions.len() == 1 && said.eq_ignore_ascii_case(BACKTRACE) {
            next = stack(lines, start, &mut exceptions[0]);
            continue;
        }
        let mut aside = name_exception(Relation::Aside, "", &said);
        next = stack(lines, start, &mut aside);
        exceptions.push(aside);
    }
    Some(Block { exceptions, next })
}

fn is_placed(lines: &Lines<'_>, at: usize) -> bool {
    line_of(lines, at).is_some_and(|found| found.frame.path.is_some() || lines.get(at).contains("0x"))
}

/// A line with message and location, but without a stack. `[path, line, column, function]` and the message are
/// capture group numbers, 0 for none.
fn one(at: usize, found: &regex::Captures<'_>, kind: &str, parts: [usize; 4], message: usize) -> Block {
    let text = |index: usize| found.get(index).filter(|_| index > 0).map(|part| part.as_str());
    let mut exception = name_exception(Relation::Reported, kind, text(message).unwrap_or_default());
    exception.frames.push(frame(at, text(parts[0]), text(parts[3]).map(bare), text(parts[1]), text(parts[2])));
    Block { exceptions: vec![exception], next: at + 1 }
}

/// Frames with ascending numbers.
fn stack(lines: &Lines<'_>, start: usize, exception: &mut Exception) -> usize {
    let (mut at, mut last) = (start, None);
    loop {
        let Some(found) = line_of(lines, at) else {
            // Debuggers show other lines between frames; a new stack starts at 0.
            let Some(next) = last.and_then(|last| find_next_frame(lines, at, last)) else { break };
            at = next;
            last = last.map(|last| last + u32::from(lines.get(next).contains(HANDLER)));
            at += usize::from(lines.get(next).contains(HANDLER));
            continue;
        };
        // Inlined calls share a number; a smaller number starts another stack.
        if last.is_some_and(|last| found.number < last) {
            break;
        }
        last = Some(found.number);
        if exception.frames.len() < 2 * limits::FRAMES {
            exception.frames.push(found.frame);
        }
        at += 1;
    }
    at
}

/// Line of the frame that follows number `last`, after the lines shown for the previous one.
fn find_next_frame(lines: &Lines<'_>, at: usize, last: u32) -> Option<usize> {
    let wanted = format!("#{} ", last.checked_add(1)?);
    let end = lines.len().min(at + MAX_SHOWN);
    let next = (at..end).find(|&line| lines.get(line).trim_start().starts_with('#'))?;
    let line = lines.get(next);
    let fits = line.trim_start().starts_with(&wanted);
    (fits && (line.contains(HANDLER) || line_of(lines, next).is_some())).then_some(next)
}

fn line_of(lines: &Lines<'_>, at: usize) -> Option<Found> {
    let line = lines.get(at);
    let build = |found: &regex::Captures<'_>, function: usize, place: [usize; 3], module: usize| {
        let text = |index: usize| found.get(index).filter(|_| index > 0).map(|part| part.as_str());
        let path = text(place[0]).or_else(|| text(module));
        let number = text(1).and_then(|text| text.parse().ok()).unwrap_or(u32::from(text(1) == Some("by")));
        Some(Found { number, frame: frame(at, path, text(function).map(bare), text(place[1]), text(place[2])) })
    };
    let trimmed = line.trim_start();
    if line.starts_with("==") || trimmed.starts_with("at 0x") || trimmed.starts_with("by 0x") {
        return build(&VALGRIND.captures(line)?, 2, [3, 4, 0], 5);
    }
    if trimmed.starts_with('#') {
        if let Some(found) = SANITIZER.captures(line) {
            return build(&found, 2, [3, 4, 5], 6);
        }
        if let Some(found) = RACE.captures(line) {
            return build(&found, 2, [3, 4, 5], 6);
        }
        return build(&GDB.captures(line)?, 2, [4, 5, 6], 7);
    }
    if line.ends_with(']') && line.contains("[0x") {
        let found = SYMBOLS.captures(line)?;
        let text = |index: usize| found.get(index).map(|part| part.as_str());
        // All with one number are in order.
        let function = text(2).map(|name| demangle_name(name).unwrap_or_else(|| bare(name).to_owned()));
        return Some(Found { number: 0, frame: frame(at, text(1), function.as_deref(), None, None) });
    }
    if trimmed.starts_with("frame #") || trimmed.starts_with("* frame #") {
        return build(&LLDB.captures(line)?, 2, [3, 4, 5], 0);
    }
    None
}

/// A function without its parameter list.
fn bare(function: &str) -> &str {
    // Parentheses of a name, or among template arguments, do not start the parameter list.
    let is_name = |at: usize| function[at..].starts_with("(anonymous") || function[..at].ends_with("operator");
    let mut depth = 0_usize;
    let starts = |&(at, c): &(usize, char)| {
        match c {
            '<' if !function[..at].ends_with("operator") => depth += 1,
            '>' if !function[..at].ends_with(['-', '=']) => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == '(' && depth == 0 && at > 0 && !is_name(at)
    };
    let end = function.char_indices().find(starts).map(|(at, _)| at);
    let name = end.map_or(function, |end| &function[..end]).trim_end();
    // `start + 2360`: offset into a function without line information.
    match name.rsplit_once(" + ") {
        Some((name, bytes)) if bytes.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    }
}

/// Demangles plain names: `_ZN4pool4Pool3getEi` is `pool::Pool::get`. Drops the hash of Rust names.
fn demangle_name(name: &str) -> Option<String> {
    let rest = name.strip_prefix("_Z")?;
    let mut rest = rest.strip_prefix('N').map_or(rest, |rest| rest.trim_start_matches(['r', 'V', 'K']));
    let mut names: Vec<&str> = Vec::new();
    loop {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(length) = rest[..digits].parse::<usize>() else { break };
        let Some((name, behind)) = rest[digits..].split_at_checked(length) else { break };
        names.push(name);
        rest = behind;
    }
    // Template arguments may contain anything.
    if rest.starts_with('I') {
        return None;
    }
    let is_hash = |name: &&str| {
        name.len() == 17 && name.starts_with('h') && name.bytes().all(|b| b.is_ascii_hexdigit() || b == b'h')
    };
    names.pop_if(|name| is_hash(&&**name));
    // A constructor or destructor.
    let is_made = rest.starts_with(['C', 'D']) && rest[1..].starts_with(|c: char| c.is_ascii_digit());
    names.extend(names.last().copied().filter(|_| is_made));
    (!names.is_empty()).then(|| names.join("::"))
}

fn plain(line: &str) -> String {
    let line = line.trim();
    let rest = line.strip_prefix("==").and_then(|rest| rest.split_once("== ")).map_or(line, |(_, rest)| rest);
    rest.trim().trim_end_matches(':').to_owned()
}

/// The message above the first frame.
fn header(lines: &Lines<'_>, at: usize, floor: usize) -> Exception {
    let from = at.saturating_sub(MAX_HEADER).max(floor);
    for line in (from..at).rev() {
        let text = lines.get(line);
        let part =
            |found: &regex::Captures<'_>, index: usize| found.get(index).map_or("", |part| part.as_str()).to_owned();
        if let Some(found) = SANITIZER_SAID.captures(text) {
            return name_exception(
                Relation::Reported,
                &part(&found, 2),
                &format!("{}{}", part(&found, 1), part(&found, 3)),
            );
        }
        if let Some(found) = SIGNAL.captures(text) {
            return name_exception(Relation::Reported, &part(&found, 1), &part(&found, 2));
        }
        if let Some(found) = CAUGHT.captures(text) {
            return name_exception(Relation::Reported, &format!("signal {}", part(&found, 1)), &part(&found, 2));
        }
        if let Some(found) = STOP.captures(text).filter(|_| lines.get(at).contains("frame #")) {
            return name_exception(Relation::Reported, &part(&found, 1), &part(&found, 2));
        }
        if let Some(found) = VALGRIND_SAID.captures(text).filter(|_| VALGRIND.is_match(lines.get(at))) {
            return name_exception(Relation::Reported, &part(&found, 1), "");
        }
    }
    Exception::new(Relation::Reported)
}
