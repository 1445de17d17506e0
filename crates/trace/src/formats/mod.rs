//! One file per format, and detection of the format of a block of lines.

mod cpp;
mod csharp;
mod go;
mod java;
mod javascript;
mod php;
mod python;
mod ruby;
mod rust;
mod summary;

use crate::clean::{Lines, with_breaks};
use crate::limits;
use crate::model::{Exception, Format, Frame, Origin, Relation, Trace};
use crate::origin;
use crate::pattern::pattern;

/// Start of a source line that raises an error deliberately.
const REFUSALS: &[&str] = &["raise", "assert", "throw", "panic!"];

/// Result of parsing a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// The traces, in text order.
    pub traces: Vec<Trace>,
    /// The text, a line or the list of traces exceeded a limit.
    pub is_cut: bool,
}

/// A block recognised by a format: the index of the first line after it, and its exceptions. A block without
/// exceptions is not tried again by the same format.
struct Block {
    exceptions: Vec<Exception>,
    next: usize,
}

/// Reads a block that starts at line `at`; `None` if there is none. Lines from `floor` on may be searched for a
/// header. Rejecting a line takes time independent of the size of the text.
type Reader = fn(lines: &Lines<'_>, at: usize, floor: usize) -> Option<Block>;

const fn reader(format: Format) -> Reader {
    match format {
        Format::Python => python::read,
        Format::Rust => rust::read,
        Format::JavaScript => javascript::read,
        Format::Java => java::read,
        Format::Go => go::read,
        Format::Cpp => cpp::read,
        Format::CSharp => csharp::read,
        Format::Ruby => ruby::read,
        Format::Php => php::read,
    }
}

/// Finds the traces in a text. With a `hint`, that format is tried before the others.
pub fn parse(text: &str, hint: Option<Format>) -> Parsed {
    let text = with_breaks(text);
    let lines = Lines::new(&text);
    let rest = Format::ALL.into_iter().filter(|format| Some(*format) != hint);
    let order: Vec<Format> = hint.into_iter().chain(rest).collect();
    let mut parsed = Parsed { traces: Vec::new(), is_cut: lines.is_cut };
    // For each format, the line before which it need not look.
    let mut in_vain = [0; Format::ALL.len()];
    let (mut at, mut floor) = (0, 0);
    while at < lines.len() {
        let mut next = at + 1;
        for &format in &order {
            if in_vain[format as usize] > at {
                continue;
            }
            let Some(block) = reader(format)(&lines, at, floor) else { continue };
            let end = block.next.max(at + 1);
            if block.exceptions.iter().all(|exception| exception.frames.is_empty()) {
                in_vain[format as usize] = end;
                continue;
            }
            if parsed.traces.len() >= limits::TRACES {
                parsed.is_cut = true;
                return parsed;
            }
            let (trace, is_cut) = finish_trace(format, block.exceptions, &lines, (at, end));
            parsed.is_cut |= is_cut;
            parsed.traces.push(trace);
            (next, floor) = (end, end);
            break;
        }
        at = next;
    }
    let (summaries, is_cut) = summary::failed_tests(&lines, &parsed.traces);
    parsed.traces.extend(summaries);
    parsed.is_cut |= is_cut;
    parsed
}

/// Returns whether a source line raises an error deliberately.
fn refuses(source: &str) -> bool {
    let source = source.trim_start();
    REFUSALS.iter().any(|word| {
        let rest = source.strip_prefix(word);
        rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
    })
}

/// A trace, and whether it has more exceptions than are kept.
fn finish_trace(
    format: Format,
    mut exceptions: Vec<Exception>,
    lines: &Lines<'_>,
    (start, end): (usize, usize),
) -> (Trace, bool) {
    exceptions.retain(|exception| !exception.is_empty());
    let is_cut = exceptions.len() > limits::EXCEPTIONS;
    exceptions.truncate(limits::EXCEPTIONS);
    for exception in &mut exceptions {
        exception.limit_frames();
        for frame in &mut exception.frames {
            frame.origin = origin::origin(format, frame);
            // The text line after that of the frame, whose number is 1-based.
            frame.refuses = refuses(lines.get(frame.text_line as usize));
        }
    }
    (Trace { format, exceptions, text_lines: (start as u32 + 1, end as u32) }, is_cut)
}

/// A frame at a line of the text (0-based).
fn frame(at: usize, path: Option<&str>, function: Option<&str>, line: Option<&str>, column: Option<&str>) -> Frame {
    let text = |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let number = |text: Option<&str>| text.and_then(|text| text.parse().ok()).filter(|number| *number > 0);
    Frame {
        path: text(path),
        function: text(function),
        line: number(line),
        column: number(column),
        origin: Origin::Code,
        text_line: at as u32 + 1,
        refuses: false,
    }
}

/// Splits `kind: message`.
fn kind_and_message(text: &str) -> (&str, &str) {
    text.split_once(": ").unwrap_or_else(|| (text.trim_end_matches(':'), ""))
}

/// An exception with its kind.
fn name_exception(relation: Relation, kind: &str, message: &str) -> Exception {
    let mut exception = Exception::new(relation);
    exception.say(kind, message);
    exception
}
