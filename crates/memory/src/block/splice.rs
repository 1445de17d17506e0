//! Inserts or replaces the block in a file: every byte outside of the markers stays unchanged.

use std::ops::Range;

use super::markers::{self, END, Mark, MarkerLine, START};

/// Hexadecimal digits of the hash in the opening marker.
const HASH_DIGITS: usize = 16;
/// Text before the hash in the opening marker.
const HASH_KEY: &str = "hash=";

/// The reason why a block is not written to a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    /// A start without its end: the user's text cannot be told apart.
    #[error(
        "line {line} begins a memory block that has no `{END}` behind it; add that line where the block ends, or delete line {line}"
    )]
    Unclosed {
        /// 1-based line.
        line: usize,
    },
    /// The new text is not a block.
    #[error("the text is not one block between `{START} … -->` and `{END}`; render it again")]
    NoBlock,
}

/// How a block was placed in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// In place of an existing block.
    Replaced,
    /// At the top, behind front matter.
    Inserted,
}

/// A file with its block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spliced {
    /// The whole file.
    pub bytes: Vec<u8>,
    /// Whether any byte differs from before.
    pub changed: bool,
    /// How the block was placed.
    pub placed: Placed,
    /// The part of `bytes` that is not the user's: the block, and the line ends added around it.
    pub range: Range<usize>,
    /// Further blocks that were deleted.
    pub removed: usize,
    /// Content of old blocks that were edited by hand: to be preserved elsewhere.
    pub edited: Vec<String>,
}

/// A block found in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    /// 1-based line of its beginning.
    pub line: usize,
    /// Text between the markers.
    pub body: String,
    /// Whether somebody changed it. Blocks without a hash cannot tell.
    pub is_edited: bool,
    /// Further blocks behind it.
    pub further: usize,
}

/// Puts `block` (as [`render`](super::render) gives it) into the bytes of a file: in place of the first block there,
/// or at the top, behind front matter; further blocks are deleted. Ends of lines are those of the file. Doing it
/// twice is doing it once.
///
/// # Errors
/// A block in the file that does not end, or a text that is no block.
pub fn splice(existing: &[u8], block: &str) -> Result<Spliced, SpliceError> {
    let lines = markers::marker_lines(block.as_bytes());
    let is_block = matches!(&lines[..], [start, end] if start.mark == Mark::Start && start.text.start == 0
        && end.mark == Mark::End && block[end.text.end..].trim_ascii().is_empty());
    if !is_block {
        return Err(SpliceError::NoBlock);
    }
    let pairs = pairs(existing)?;
    let eol = end_of_line(existing, &pairs);
    let block = block.trim_ascii_end().replace("\r\n", "\n").replace('\n', eol);
    let edited = pairs.iter().filter_map(|pair| pair.present(existing)).filter(|present| present.is_edited);
    let edited = edited.map(|present| present.body).collect();
    let mut bytes = Vec::with_capacity(existing.len() + block.len());
    let (placed, range) = match pairs.split_first() {
        Some((first, further)) => {
            bytes.extend_from_slice(&existing[..first.start.text.start]);
            let start = bytes.len();
            bytes.extend_from_slice(block.as_bytes());
            let range = start..bytes.len();
            let mut at = first.end.text.end;
            for pair in further {
                bytes.extend_from_slice(&existing[at..pair.start.text.start]);
                at = pair.end.next;
            }
            bytes.extend_from_slice(&existing[at..]);
            (Placed::Replaced, range)
        }
        None => (Placed::Inserted, insert(existing, &block, eol, &mut bytes)),
    };
    let changed = bytes != existing;
    Ok(Spliced { bytes, changed, placed, range, removed: pairs.len().saturating_sub(1), edited })
}

/// Writes the file with the block at the top; returns the range of the added text.
fn insert(existing: &[u8], block: &str, eol: &str, bytes: &mut Vec<u8>) -> Range<usize> {
    let at = markers::front_matter_end(existing);
    let (before, after) = existing.split_at(at);
    bytes.extend_from_slice(before);
    let start = bytes.len();
    if at > markers::text_start(existing) && !before.ends_with(b"\n") {
        bytes.extend_from_slice(eol.as_bytes());
    }
    bytes.extend_from_slice(block.as_bytes());
    bytes.extend_from_slice(eol.as_bytes());
    if !after.is_empty() {
        bytes.extend_from_slice(eol.as_bytes());
    }
    let range = start..bytes.len();
    bytes.extend_from_slice(after);
    range
}

/// The block of a file.
///
/// # Errors
/// A block that does not end.
pub fn inspect(existing: &[u8]) -> Result<Option<Present>, SpliceError> {
    let pairs = pairs(existing)?;
    let further = pairs.len().saturating_sub(1);
    Ok(pairs.first().and_then(|pair| pair.present(existing)).map(|present| Present { further, ..present }))
}

/// The file without any block. Ends of lines that were added with one stay.
///
/// # Errors
/// A block that does not end.
pub fn remove(existing: &[u8]) -> Result<Vec<u8>, SpliceError> {
    let (mut bytes, mut at) = (Vec::with_capacity(existing.len()), 0);
    for pair in pairs(existing)? {
        bytes.extend_from_slice(&existing[at..pair.start.text.start]);
        at = pair.end.next;
    }
    bytes.extend_from_slice(&existing[at..]);
    Ok(bytes)
}

/// The opening marker with the hash of a body.
pub(super) fn opening(body: &str) -> String {
    format!("{START} {HASH_KEY}{} made by m1nd from .mind/MEMORY.md, edit that instead -->", hash_of(body))
}

/// The hash of a body, whatever its ends of lines are.
fn hash_of(body: &str) -> String {
    let hash = blake3::hash(body.replace("\r\n", "\n").trim_ascii().as_bytes()).to_hex();
    hash[..HASH_DIGITS].to_owned()
}

struct Pair {
    start: MarkerLine,
    end: MarkerLine,
}

impl Pair {
    fn present(&self, existing: &[u8]) -> Option<Present> {
        let body = String::from_utf8_lossy(existing.get(self.start.next..self.end.text.start)?).into_owned();
        let opening = String::from_utf8_lossy(&existing[self.start.text.clone()]);
        let kept = opening
            .split(HASH_KEY)
            .nth(1)
            .map(|rest| rest.chars().take_while(char::is_ascii_hexdigit).collect::<String>());
        let is_edited = kept.is_some_and(|kept| kept != hash_of(&body));
        Some(Present { line: self.start.line, body, is_edited, further: 0 })
    }
}

/// Beginnings with their ends. An end without a beginning is the user's text.
fn pairs(existing: &[u8]) -> Result<Vec<Pair>, SpliceError> {
    let mut pairs = Vec::new();
    let mut open: Option<MarkerLine> = None;
    for line in markers::marker_lines(existing) {
        match (line.mark, open.take()) {
            (Mark::Start, None) => open = Some(line),
            (Mark::Start, Some(start)) => return Err(SpliceError::Unclosed { line: start.line }),
            (Mark::End, Some(start)) => pairs.push(Pair { start, end: line }),
            (Mark::End, None) => {}
        }
    }
    match open {
        Some(start) => Err(SpliceError::Unclosed { line: start.line }),
        None => Ok(pairs),
    }
}

/// The prevailing line end outside of the blocks; inside of them if there are no others.
fn end_of_line(existing: &[u8], pairs: &[Pair]) -> &'static str {
    let (mut outside, mut inside) = ([0usize; 2], [0usize; 2]);
    for line in markers::lines(existing, 0) {
        if line.next == line.text.end {
            continue;
        }
        let is_crlf = line.next - line.text.end == 2;
        // The line behind an end marker ends as the block does, so it counts as inside.
        let is_inside = pairs.iter().any(|pair| (pair.start.text.start..pair.end.next).contains(&line.text.start));
        let counts = if is_inside { &mut inside } else { &mut outside };
        counts[usize::from(is_crlf)] += 1;
    }
    let counts = if outside == [0, 0] { inside } else { outside };
    if counts[1] > counts[0] { "\r\n" } else { "\n" }
}
