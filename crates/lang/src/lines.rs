//! Positions in a text.

use m1nd_base::Pos;

/// Positions of bytes; asked in rising order this takes linear time.
pub(crate) struct Lines<'t> {
    text: &'t str,
    /// Starts of the lines; none until the first place is asked for.
    starts: Vec<usize>,
    /// Line, byte and column that were asked for last: the next place is counted from there.
    last: (usize, usize, usize),
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, starts: Vec::new(), last: (0, 0, 1) }
    }

    pub(crate) fn pos(&mut self, byte: usize) -> Pos {
        if self.starts.is_empty() {
            let breaks = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
            self.starts = std::iter::once(0).chain(breaks).collect();
        }
        let line = self.starts.partition_point(|start| *start <= byte) - 1;
        let byte = self.text.floor_char_boundary(byte);
        let (from, before) = if self.last.0 == line { (self.last.1, self.last.2) } else { (self.starts[line], 1) };
        let count = |from: usize, to: usize| self.text.get(from..to).map_or(0, |part| part.chars().count());
        let col = if byte < from { before - count(byte, from) } else { before + count(from, byte) };
        self.last = (line, byte, col);
        Pos { line: line as u32 + 1, col: u16::try_from(col).unwrap_or(u16::MAX) }
    }
}
