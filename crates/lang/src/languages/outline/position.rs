//! Positions of nodes, counted on from the last one: a walk asks for them mostly in order, and counting the characters
//! of a long line anew for each of its nodes would take quadratic time.

use std::cell::Cell;

use tree_sitter::Node;

use crate::facts::Pos;
use crate::walk::Source;

/// The text of the file.
pub(crate) struct Text<'a> {
    source: Source<'a>,
    /// Start of a line, a byte of it, and the characters between them.
    last: Cell<(usize, usize, usize)>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { source: Source { text }, last: Cell::new((0, 0, 0)) }
    }

    /// The whole text.
    pub(crate) fn whole(&self) -> &'a str {
        self.source.text
    }

    /// Text of a node.
    pub(crate) fn text(&self, node: Node<'_>) -> &'a str {
        self.source.text(node)
    }

    /// 1-based line of a node's last character.
    pub(crate) fn end_line(&self, node: Node<'_>) -> u32 {
        self.source.end_line(node)
    }

    /// Where a node starts.
    pub(crate) fn pos(&self, node: Node<'_>) -> Pos {
        let point = node.start_position();
        let start = node.start_byte();
        let line_start = start.saturating_sub(point.column);
        let (line, byte, chars) = self.last.get();
        let (from, known) = if line == line_start && byte <= start { (byte, chars) } else { (line_start, 0) };
        let between = self.source.text.as_bytes().get(from..start).unwrap_or_default();
        // Every byte but those that continue a character starts one.
        let chars = known + between.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        self.last.set((line_start, start, chars));
        Pos { line: point.row as u32 + 1, col: u16::try_from(chars + 1).unwrap_or(u16::MAX) }
    }
}
