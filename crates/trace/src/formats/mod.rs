//! One file a format, and the search for the one that a block of lines is in.

mod cpp;
mod csharp;
mod go;
mod java;
mod javascript;
mod php;
mod python;
mod ruby;
mod rust;

use crate::clean::{Lines, with_breaks};
use crate::limits;
use crate::model::{Exception, Format, Frame, Origin, Relation, Trace};
use crate::origin;

/// Starts of a line of source that refuses on purpose.
const REFUSALS: &[&str] = &["raise", "assert", "throw", "panic!"];

/// What was found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// The traces in the order of the text.
    pub traces: Vec<Trace>,
    /// The text, a line or the list of traces was cut at a limit.
    pub is_cut: bool,
}

/// What a format makes of the lines at a place: the number of the first line after its block, and the exceptions in it. A
/// block without any was looked at in vain, and is not looked at again by the same format.
struct Block {
    exceptions: Vec<Exception>,
    next: usize,
}

/// Reads the block of a format that starts at line `at`; `None` if none does. Lines from `floor` on may be looked at for
/// what stands before. Looking at a line that starts no block takes time that does not grow with the text.
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

/// Finds the traces in a text. With a `hint`, the format is tried before the others.
pub fn parse(text: &str, hint: Option<Format>) -> Parsed {
    let text = with_breaks(text);
    let lines = Lines::new(&text);
    let rest = Format::ALL.into_iter().filter(|format| Some(*format) != hint);
    let order: Vec<Format> = hint.into_iter().chain(rest).collect();
    let mut parsed = Parsed { traces: Vec::new(), is_cut: lines.is_cut };
    // Per format, the line before which it need not look.
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
            let (trace, is_cut) = finished(format, block.exceptions, &lines, (at, end));
            parsed.is_cut |= is_cut;
            parsed.traces.push(trace);
            (next, floor) = (end, end);
            break;
        }
        at = next;
    }
    parsed
}

/// Whether a line of source refuses on purpose.
fn refuses(source: &str) -> bool {
    let source = source.trim_start();
    REFUSALS.iter().any(|word| {
        let rest = source.strip_prefix(word);
        rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
    })
}

/// A trace, and whether it has more exceptions than are kept.
fn finished(
    format: Format,
    mut exceptions: Vec<Exception>,
    lines: &Lines<'_>,
    (start, end): (usize, usize),
) -> (Trace, bool) {
    exceptions.retain(|exception| !exception.is_empty());
    let is_cut = exceptions.len() > limits::EXCEPTIONS;
    exceptions.truncate(limits::EXCEPTIONS);
    for exception in &mut exceptions {
        exception.bound();
        for frame in &mut exception.frames {
            frame.origin = origin::origin(format, frame);
            // The line of the text after that of the frame, which counts from 1.
            frame.refuses = refuses(lines.get(frame.text_line as usize));
        }
    }
    (Trace { format, exceptions, text_lines: (start as u32 + 1, end as u32) }, is_cut)
}

/// A frame of a line of the text (0-based).
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

/// An exception with its name.
fn named(relation: Relation, kind: &str, message: &str) -> Exception {
    let mut exception = Exception::new(relation);
    exception.say(kind, message);
    exception
}

/// A regular expression of ours.
macro_rules! pattern {
    ($(#[$about:meta])* $name:ident, $text:expr) => {
        $(#[$about])*
        static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| regex::Regex::new($text).expect("the pattern is a constant"));
    };
}
pub(crate) use pattern;
