//! Java, Kotlin, Scala: stack traces with causes and suppressed exceptions.

use super::{Block, frame, kind_and_message, name_exception, pattern};
use crate::clean::Lines;
use crate::limits;
use crate::model::{Exception, Frame, Relation};
use crate::prefix;

pattern!(
    /// `at app//com.foo.Bar$Inner.load(Bar.java:12)`
    AT,
    r"^\s*at (?:[\w.@-]*/{1,2}(?:[\w.@-]+/)?)?([\p{L}\w$.<>-]+)\.([\p{L}\w$<>-]+)\(((?:[\w$-]+\.(?:java|kt|kts|scala|groovy|clj))(?::(\d{1,9}))?|Native Method|(?:Unknown Source|SourceFile)(?::\d{1,9})?|<generated>)\)"
);
pattern!(MORE, r"^\s*\.\.\. (\d{1,9}) (?:more|common frames omitted)");
pattern!(HEADER, r#"^\s*(?:Exception in thread "[^"]*" )?((?:[\p{L}\w$]+\.)*[\p{L}\w$]+)(?:: ?(.*))?$"#);

/// Lines before the first frame that are searched for the header: a message may have several lines.
const MAX_HEADER: usize = 6;

pub(super) fn read(lines: &Lines<'_>, at: usize, floor: usize) -> Option<Block> {
    let line = lines.get(at);
    if !line.contains("at ") || !AT.is_match(line) {
        return None;
    }
    let mut reported = Exception::new(Relation::Reported);
    let header = header(lines, at, floor);
    if let Some((kind, message)) = header {
        reported.say(kind, message);
    }
    let mut exceptions = vec![reported];
    let mut asides: Vec<Exception> = Vec::new();
    let (mut next, mut is_aside) = (at, false);
    while next < lines.len() {
        let line = lines.get(next);
        let open = if is_aside { asides.last_mut() } else { exceptions.last_mut() };
        let Some(open) = open else { break };
        if let Some(found) = AT.captures(line) {
            if open.frames.len() < 2 * limits::FRAMES {
                open.frames.push(place(next, &found));
            }
        } else if let Some(found) = MORE.captures(line) {
            let more = found.get(1).and_then(|count| count.as_str().parse().ok()).unwrap_or(0);
            open.left_out = open.left_out.saturating_add(more);
        } else if let Some(text) = line.trim_start().strip_prefix("Caused by: ") {
            let is_inside = is_aside && line.starts_with(char::is_whitespace);
            let (kind, message) = kind_and_message(text);
            let relation = if is_inside { Relation::Suppressed } else { Relation::Cause };
            is_aside = is_inside;
            let rows = if is_inside { &mut asides } else { &mut exceptions };
            rows.push(name_exception(relation, kind, message));
        } else if let Some(text) = line.trim_start().strip_prefix("Suppressed: ") {
            let (kind, message) = kind_and_message(text);
            asides.push(name_exception(Relation::Suppressed, kind, message));
            is_aside = true;
        } else if !is_note(line) && !continues(lines, next) {
            break;
        }
        next += 1;
        if exceptions.len() + asides.len() > limits::EXCEPTIONS {
            break;
        }
    }
    // Printed from the reported exception to its root.
    exceptions.reverse();
    exceptions.extend(asides);
    Some(Block { exceptions, next })
}

/// Lines between frames: locks of a thread, or a note that an exception was printed before.
fn is_note(line: &str) -> bool {
    let line = line.trim_start();
    ["[CIRCULAR REFERENCE", "- locked ", "- waiting ", "- parking ", "- eliminated "]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Returns whether an unrecognised line belongs to a multi-line message: a frame or a cause follows soon.
fn continues(lines: &Lines<'_>, at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |at| lines.get(at)).trim_start();
    let is_message = before.starts_with("Caused by: ") || before.starts_with("Suppressed: ");
    let is_frame = |line: usize| AT.is_match(lines.get(line));
    let soon = lines.next_filled(at, 2).filter(|&line| {
        let text = lines.get(line).trim_start();
        text.starts_with("Caused by: ") || text.starts_with("Suppressed: ") || is_frame(line)
    });
    soon.is_some() || is_message && (at..at + MAX_HEADER).any(is_frame)
}

/// Kind and message before the first frame.
fn header<'l>(lines: &'l Lines<'_>, at: usize, floor: usize) -> Option<(&'l str, &'l str)> {
    let from = at.saturating_sub(MAX_HEADER).max(floor);
    for line in (from..at).rev() {
        let text = lines.get(line);
        let text = text.split_once("Caused by: ").map_or(text, |(_, text)| text);
        // A log adds its own words before the type.
        let from_type = text.rsplit_once(" - ").map_or(text, |(_, text)| text);
        for text in std::iter::once(text).chain([from_type]).chain(prefix::list_contents(text)) {
            let Some(found) = HEADER.captures(text) else { continue };
            let kind = found.get(1)?.as_str();
            let name = kind.rsplit(['.', '$']).next().unwrap_or(kind);
            let is_type =
                kind.contains('.') || ["Exception", "Error", "Throwable"].iter().any(|end| name.ends_with(end));
            if is_type && name.starts_with(|c: char| c.is_uppercase()) {
                return Some((kind, found.get(2).map_or("", |part| part.as_str())));
            }
        }
    }
    None
}

fn place(at: usize, found: &regex::Captures<'_>) -> Frame {
    let text = |index| found.get(index).map(|part| part.as_str());
    let (class, method) = (text(1).unwrap_or_default(), text(2).unwrap_or_default());
    let source = text(3).unwrap_or_default();
    let file = source.split(':').next().filter(|file| file.contains('.'));
    // The package of the class is the folder of the file.
    let folder = class.rsplit_once('.').map(|(package, _)| package.replace('.', "/"));
    let path = file.map(|file| folder.map_or_else(|| file.to_owned(), |folder| format!("{folder}/{file}")));
    frame(at, path.as_deref(), Some(&format!("{class}.{method}")), text(4), None)
}
