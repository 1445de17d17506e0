//! The order in which the parts of a page are read.
//!
//! Lines that follow each other closely in one size make a block. Blocks are ordered by two rules (T. Breuel, High
//! performance document layout analysis, 2003): one comes before another if it stands above it, or if it is left of it
//! and nothing that reaches over both stands between them. The second rule is for columns: short blocks, as in forms
//! and figures, come before others only at the same height.

use super::layout::Piece;

/// Distance of the bases of lines in one block, in sizes of the font.
const LEADING: f64 = 1.6;
/// Difference of the sizes of lines in one block, as a share.
const SIZE_DELTA: f64 = 0.05;
/// Share of the size of the font that stands above the base of a line.
const ABOVE: f64 = 0.75;
/// Share of it that stands below.
const BELOW: f64 = 0.25;
/// Pieces of lines that a column has at least.
const COLUMN: usize = 3;
/// Comparisons for all pages of a file. When they are spent, the rest stays in the order from top to bottom.
pub(super) const MAX_COMPARISONS: usize = 500_000_000;

/// Lines that belong together.
struct Block {
    pieces: Vec<Piece>,
    left: f64,
    right: f64,
    /// The width that it claims. Lines are not of equal length: half of the white at its right belongs to it. A short
    /// block that stands alone, as a title does, has the whole width.
    claim: (f64, f64),
    top: f64,
    bottom: f64,
}

impl Block {
    fn new(piece: Piece) -> Self {
        let (top, bottom) = (piece.base + ABOVE * piece.size, piece.base - BELOW * piece.size);
        let (left, right) = (piece.left, piece.right);
        Self { pieces: vec![piece], left, right, claim: (left, right), top, bottom }
    }

    fn join(&mut self, other: Self) {
        self.left = self.left.min(other.left);
        self.right = self.right.max(other.right);
        self.top = self.top.max(other.top);
        self.bottom = self.bottom.min(other.bottom);
        self.claim = (self.left, self.right);
        self.pieces.extend(other.pieces);
    }

    /// Whether one is over the other.
    fn is_over(&self, other: &Self) -> bool {
        self.claim.0 < other.claim.1 && other.claim.0 < self.claim.1
    }

    fn is_beside(&self, other: &Self) -> bool {
        self.bottom < other.top && other.bottom < self.top
    }

    fn is_column(&self) -> bool {
        self.pieces.len() >= COLUMN
    }
}

/// Sets of numbers that are joined.
struct Sets(Vec<usize>);

impl Sets {
    fn root(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
    }
}

/// The blocks of a page in reading order, with so many comparisons left. Pieces are in the order of their lines, before
/// and after.
pub(super) fn blocks(pieces: Vec<Piece>, left: &mut usize) -> Vec<Vec<Piece>> {
    let mut blocks = join_pieces(pieces, left);
    blocks.sort_by(|a, b| b.top.total_cmp(&a.top).then(a.left.total_cmp(&b.left)));
    claim(&mut blocks, left);
    let order = order(&blocks, left);
    let mut pieces: Vec<Vec<Piece>> = blocks.into_iter().map(|block| block.pieces).collect();
    order.into_iter().map(|at| std::mem::take(&mut pieces[at])).collect()
}

/// Joins the pieces of lines that follow each other.
fn join_pieces(pieces: Vec<Piece>, left: &mut usize) -> Vec<Block> {
    let mut sets = Sets((0..pieces.len()).collect());
    for (at, piece) in pieces.iter().enumerate() {
        for (next, below) in pieces.iter().enumerate().skip(at + 1) {
            if piece.base - below.base > LEADING * piece.size || *left == 0 {
                break;
            }
            *left -= 1;
            let alike = (piece.size - below.size).abs() <= SIZE_DELTA * piece.size;
            if alike && piece.left < below.right && below.left < piece.right {
                sets.join(at, next);
            }
        }
    }
    let mut numbers: Vec<Option<usize>> = vec![None; pieces.len()];
    let mut blocks: Vec<Block> = Vec::new();
    for (at, piece) in pieces.into_iter().enumerate() {
        let block = Block::new(piece);
        let number = *numbers[sets.root(at)].get_or_insert(blocks.len());
        match blocks.get_mut(number) {
            Some(known) => known.join(block),
            None => blocks.push(block),
        }
    }
    blocks
}

/// Finds the widths that blocks claim.
fn claim(blocks: &mut [Block], left: &mut usize) {
    for at in 0..blocks.len() {
        if *left < blocks.len() {
            return;
        }
        *left -= blocks.len();
        let block = &blocks[at];
        let beside = || blocks.iter().filter(|other| other.is_beside(block));
        let next = beside().map(|other| other.left).filter(|left| *left >= block.right).fold(f64::MAX, f64::min);
        let is_alone = next == f64::MAX && !block.is_column() && !beside().any(|other| other.right <= block.left);
        let from = if is_alone { f64::MIN } else { block.left };
        blocks[at].claim = (from, block.right.midpoint(next));
    }
}

/// Numbers of the blocks in reading order: each after all that come before it, else from top to bottom.
fn order(blocks: &[Block], left: &mut usize) -> Vec<usize> {
    let mut out = Vec::with_capacity(blocks.len());
    let mut is_seen = vec![false; blocks.len()];
    for start in 0..blocks.len() {
        if std::mem::replace(&mut is_seen[start], true) {
            continue;
        }
        let mut work: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((at, from)) = work.last_mut() {
            let block = &blocks[*at];
            let rest = if *left < blocks.len() { 0..0 } else { *from..blocks.len() };
            *left -= rest.len();
            let mut rest = rest.filter(|other| !is_seen[*other]);
            match rest.find(|other| comes_before(blocks, &blocks[*other], block, left)) {
                Some(other) => {
                    *from = other + 1;
                    is_seen[other] = true;
                    work.push((other, 0));
                }
                None => {
                    out.push(*at);
                    work.pop();
                }
            }
        }
    }
    out
}

fn comes_before(blocks: &[Block], a: &Block, b: &Block, left: &mut usize) -> bool {
    if a.is_over(b) && a.top > b.top {
        return true;
    }
    let may_be = a.right <= b.left && (a.is_beside(b) || a.is_column());
    if !may_be || *left < blocks.len() {
        return false;
    }
    *left -= blocks.len();
    let (high, low) = (a.top.max(b.top), a.bottom.min(b.bottom));
    !blocks.iter().any(|c| c.bottom < high && c.top > low && c.is_over(a) && c.is_over(b))
}

#[cfg(test)]
mod tests {
    use super::{MAX_COMPARISONS, blocks};
    use crate::pdf::layout::Piece;

    fn piece(text: &str, left: f64, right: f64, base: f64) -> Piece {
        Piece { text: text.to_owned(), left, right, base, size: 10.0, is_bold: false }
    }

    /// The texts in reading order. Pieces come from the top.
    fn read(pieces: &[(&str, f64, f64, f64)]) -> String {
        let pieces = pieces.iter().map(|(text, left, right, base)| piece(text, *left, *right, *base)).collect();
        let blocks = blocks(pieces, &mut MAX_COMPARISONS.clone());
        blocks.iter().flatten().map(|piece| piece.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn columns_are_read_one_after_the_other() {
        let mut page = vec![("title", 95.0, 105.0, 400.0), ("A", 0.0, 30.0, 360.0), ("B", 110.0, 140.0, 360.0)];
        for (left, right, base) in [("a1", "b1", 330.0), ("a2", "b2", 318.0), ("a3", "b3", 306.0)] {
            page.push((left, 0.0, 90.0, base));
            page.push((right, 110.0, 200.0, base));
        }
        page.push(("foot", 80.0, 120.0, 250.0));
        assert_eq!(read(&page), "title A a1 a2 a3 B b1 b2 b3 foot");
    }

    #[test]
    fn short_blocks_are_read_from_the_top() {
        let form = [
            ("Name", 0.0, 30.0, 300.0),
            ("Date", 100.0, 130.0, 300.0),
            ("Ada", 60.0, 80.0, 280.0),
            ("1815", 140.0, 160.0, 280.0),
            ("Street", 0.0, 30.0, 250.0),
            ("Main", 100.0, 130.0, 240.0),
        ];
        assert_eq!(read(&form), "Name Date Ada 1815 Street Main");
    }

    #[test]
    fn what_is_left_of_the_bound_stays_in_the_order_of_lines() {
        let page: Vec<Piece> =
            (0..50_000).map(|at| piece("x", f64::from(at % 7), f64::from(at % 7 + 1), f64::from(-20 * at))).collect();
        let mut left = 1_000_000;
        let count = blocks(page.clone(), &mut left).iter().map(Vec::len).sum::<usize>();
        assert_eq!((count, left < page.len()), (page.len(), true));
    }
}
