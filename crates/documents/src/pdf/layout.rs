//! From glyphs on a page to lines in the order in which people read them: words by the gaps between glyphs, columns by
//! the white between words, lines by their base.

use super::content::Glyph;

/// Gap between glyphs that separates words, in sizes of the font.
const WORD_GAP: f64 = 0.12;
/// Gap that separates pieces of one line, in sizes of the font: a column may begin there.
const PIECE_GAP: f64 = 0.85;
/// Distance of bases within one line, in sizes of the font.
const SAME_LINE: f64 = 0.45;
/// A word or a piece of a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) base: f64,
    pub(super) size: f64,
    pub(super) is_bold: bool,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) left: f64,
    pub(super) right: f64,
    /// Height above the bottom of the page.
    pub(super) base: f64,
    pub(super) size: f64,
    pub(super) is_bold: bool,
}

/// The lines of a page in reading order; at most so many comparisons go into the order. Text that is turned comes after
/// that which is not.
pub(super) fn lines(glyphs: Vec<Glyph>, comparisons: &mut usize) -> Vec<Line> {
    let mut turned: [Vec<Glyph>; 4] = Default::default();
    for glyph in glyphs {
        let (dx, dy) = (glyph.end_x - glyph.x, glyph.end_y - glyph.y);
        let turn = match (dx.abs() >= dy.abs(), dx >= 0.0, dy >= 0.0) {
            (true, true, _) => 0,
            (true, false, _) => 2,
            (false, _, true) => 1,
            (false, _, false) => 3,
        };
        turned[turn].push(upright(glyph, turn));
    }
    let mut out = Vec::new();
    for glyphs in turned {
        let words = words(glyphs);
        if !words.is_empty() {
            let blocks = super::order::blocks(pieces(words), comparisons);
            blocks.into_iter().for_each(|block| emit(block, &mut out));
        }
    }
    out
}

/// A glyph as if the page were turned so that it stands upright.
fn upright(glyph: Glyph, turn: usize) -> Glyph {
    let turn_point = |x: f64, y: f64| match turn {
        1 => (y, -x),
        2 => (-x, -y),
        3 => (-y, x),
        _ => (x, y),
    };
    let ((x, y), (end_x, end_y)) = (turn_point(glyph.x, glyph.y), turn_point(glyph.end_x, glyph.end_y));
    Glyph { x, y, end_x, end_y, ..glyph }
}

/// Words: glyphs that are drawn one after the other without a gap.
fn words(glyphs: Vec<Glyph>) -> Vec<Piece> {
    let mut words: Vec<Piece> = Vec::new();
    let mut is_open = false;
    for glyph in glyphs {
        let text = clean_text(&glyph.text);
        if text.trim().is_empty() {
            // A blank ends a word; what has no text known leaves no trace.
            is_open &= text.is_empty() && !glyph.text.is_empty();
            continue;
        }
        let begins = text.starts_with(char::is_whitespace);
        let ends = text.ends_with(char::is_whitespace);
        let text = text.trim();
        let last = words.last_mut().filter(|_| is_open && !begins);
        let fits = last.filter(|word| {
            let size = word.size.max(glyph.size).max(0.1);
            let gap = glyph.x - word.right;
            gap < WORD_GAP * size && gap > -size && (glyph.y - word.base).abs() < SAME_LINE * size
        });
        let Some(word) = fits else {
            words.push(Piece {
                text: text.to_owned(),
                left: glyph.x,
                right: glyph.end_x,
                base: glyph.y,
                size: glyph.size,
                is_bold: glyph.is_bold,
            });
            is_open = !ends;
            continue;
        };
        // Drawn again in nearly the same place, to look bold.
        let is_again = word.text.ends_with(text) && glyph.x < word.right - 0.6 * (glyph.end_x - glyph.x).max(0.1);
        // An accent over a letter: one before the other, in the same place.
        if !is_again && !compose_accent(&mut word.text, text, glyph.x - word.right < -0.15 * word.size) {
            word.text.push_str(text);
        }
        if !is_again {
            word.right = word.right.max(glyph.end_x);
            word.size = word.size.max(glyph.size);
        }
        is_open = !ends;
    }
    words
}

/// Accents that stand alone, with the ends of the names of letters that have them.
const ACCENTS: &[(char, &str)] = &[
    ('´', "acute"),
    ('`', "grave"),
    ('¨', "dieresis"),
    ('ˆ', "circumflex"),
    ('˜', "tilde"),
    ('¯', "macron"),
    ('˘', "breve"),
    ('˙', "dotaccent"),
    ('˚', "ring"),
    ('¸', "cedilla"),
    ('ˇ', "caron"),
    ('˝', "hungarumlaut"),
];

/// Joins an accent and a letter that overlap into the letter with the accent.
fn compose_accent(word: &mut String, next: &str, overlaps: bool) -> bool {
    let one = |text: &str| {
        let mut characters = text.chars();
        characters.next_back().map(|last| (last, characters.next().is_none()))
    };
    let (Some((last, _)), Some((new, true)), true) = (one(word), one(next), overlaps) else { return false };
    let name = |c: char| ACCENTS.iter().find(|(accent, _)| *accent == c).map(|(_, name)| *name);
    let (letter, accent) = match (name(last), name(new)) {
        (Some(accent), None) => (new, accent),
        (None, Some(accent)) => (last, accent),
        _ => return false,
    };
    let letter = match letter {
        'ı' => 'i',
        'ȷ' => 'j',
        letter => letter,
    };
    let Some(whole) = super::encoding::glyph(&format!("{letter}{accent}")) else { return false };
    word.pop();
    word.push_str(&whole);
    true
}

/// Whether a character is written from right to left.
fn is_leftwards(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
}

/// Whether most letters are written from right to left.
fn is_mostly_leftwards(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters > 0 && text.chars().filter(|c| is_leftwards(*c)).count() * 2 > letters
}

/// A text without characters that show nothing, and with ligatures taken apart.
fn clean_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'ﬀ' => out.push_str("ff"),
            'ﬁ' => out.push_str("fi"),
            'ﬂ' => out.push_str("fl"),
            'ﬃ' => out.push_str("ffi"),
            'ﬄ' => out.push_str("ffl"),
            'ﬅ' | 'ﬆ' => out.push_str("st"),
            '\u{ad}' => out.push('-'),
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => {}
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Joins words of one line that are near to each other.
fn pieces(mut words: Vec<Piece>) -> Vec<Piece> {
    // Lines from the top: sorted by their base, then told apart where it jumps.
    words.sort_by(|a, b| b.base.total_cmp(&a.base));
    let mut pieces: Vec<Piece> = Vec::new();
    let mut start = 0;
    while start < words.len() {
        let first = &words[start];
        let (base, size) = (first.base, first.size);
        let mut end = start + 1;
        while end < words.len() {
            let word = &words[end];
            if base - word.base > SAME_LINE * size.max(word.size) {
                break;
            }
            end += 1;
        }
        let line = &mut words[start..end];
        line.sort_by(|a, b| a.left.total_cmp(&b.left));
        join(line, &mut pieces);
        start = end;
    }
    pieces
}

fn join(line: &[Piece], pieces: &mut Vec<Piece>) {
    let mut open: Option<Piece> = None;
    for word in line {
        match &mut open {
            Some(piece) if word.left - piece.right < PIECE_GAP * piece.size.max(word.size) => {
                // A gap that is not there means that something raised or lowered follows.
                let is_gap = word.left - piece.right > WORD_GAP * piece.size.min(word.size) || word.left < piece.left;
                if is_gap || (word.base - piece.base).abs() < 0.05 * piece.size {
                    piece.text.push(' ');
                }
                piece.text.push_str(&word.text);
                piece.right = piece.right.max(word.right);
                if word.size > piece.size {
                    (piece.size, piece.base) = (word.size, word.base);
                }
                piece.is_bold &= word.is_bold;
            }
            _ => {
                pieces.extend(open.take());
                open = Some(word.clone());
            }
        }
    }
    pieces.extend(open);
}

/// Adds the lines of a block.
fn emit(block: Vec<Piece>, out: &mut Vec<Line>) {
    // Pieces are in the order of their lines; those of one line are next to each other.
    let mut open: Option<Line> = None;
    let from = out.len();
    for piece in block {
        match &mut open {
            Some(line)
                if (line.base - piece.base).abs() < SAME_LINE * line.size.max(piece.size)
                    && piece.left >= line.right - line.size =>
            {
                line.text.push(' ');
                line.text.push_str(&piece.text);
                line.right = line.right.max(piece.right);
                line.size = line.size.max(piece.size);
                line.is_bold &= piece.is_bold;
            }
            _ => {
                out.extend(open.take());
                let Piece { text, left, right, base, size, is_bold } = piece;
                open = Some(Line { text, left, right, base, size, is_bold });
            }
        }
    }
    out.extend(open);
    for line in &mut out[from..] {
        if is_mostly_leftwards(&line.text) {
            line.text = leftwards(&line.text);
        }
    }
}

/// A line as it is read, of one that is written from right to left, whose words come as they stand from the left.
fn leftwards(text: &str) -> String {
    let word = |word: &str| match word.chars().any(is_leftwards) {
        true => word.chars().rev().collect::<String>(),
        false => word.to_owned(),
    };
    text.split(' ').rev().map(word).collect::<Vec<_>>().join(" ")
}
