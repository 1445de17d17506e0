//! A figure: boxes and arrows with their meaning, before it is drawn or written.

/// A figure. Boxes are in an order in which most edges lead forward, see [`crate::rank`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figure {
    /// Its heading.
    pub title: String,
    /// What it shows, in one line; also what its limits leave out.
    pub subtitle: String,
    /// Names of the bands, from the top; none for a figure without bands.
    pub bands: Vec<String>,
    /// The boxes.
    pub boxes: Vec<FigureBox>,
    /// The arrows.
    pub arrows: Vec<Arrow>,
}

/// A box.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FigureBox {
    /// Its name.
    pub label: String,
    /// A smaller line below; may be empty.
    pub detail: String,
    /// Place in [`Figure::bands`].
    pub band: usize,
    /// Its meaning.
    pub role: Role,
}

/// The meaning of a box.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Role {
    /// Code.
    #[default]
    Plain,
    /// What the figure is about.
    Focus,
    /// A change of the focus breaks it.
    Breaks,
    /// Tests.
    Test,
    /// Documents.
    Document,
    /// Part of a circle.
    Circle,
}

impl Role {
    /// Every role that has a colour of its own.
    pub const MARKED: [Self; 5] = [Self::Focus, Self::Breaks, Self::Test, Self::Document, Self::Circle];

    /// The word of classes and legends.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Focus => "focus",
            Self::Breaks => "breaks",
            Self::Test => "test",
            Self::Document => "document",
            Self::Circle => "circle",
        }
    }
}

/// An arrow from what uses to what is used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arrow {
    /// Place of its source.
    pub from: usize,
    /// Place of its target.
    pub to: usize,
    /// Number of edges that it stands for.
    pub count: u32,
    /// Its meaning.
    pub kind: ArrowKind,
}

/// The meaning of an arrow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArrowKind {
    /// Certain dependencies.
    #[default]
    Certain,
    /// Only possible ones.
    Possible,
    /// It contradicts the layers.
    Against,
}

/// Longest label in characters; longer ones lose their middle.
const MAX_LABEL: usize = 40;

/// A label without characters that do not print or that change the direction of text, cut in the middle.
pub(crate) fn clean_label(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}')
    };
    let clean: Vec<char> = text.chars().map(|c| if is_hidden(c) { '\u{fffd}' } else { c }).collect();
    if clean.len() <= MAX_LABEL {
        return clean.into_iter().collect();
    }
    // The end of a path says more than its beginning.
    let (head, tail) = (MAX_LABEL / 3, MAX_LABEL - MAX_LABEL / 3 - 1);
    clean[..head].iter().copied().chain(['…']).chain(clean[clean.len() - tail..].iter().copied()).collect()
}

/// Width in cells of a font with equal widths.
pub(crate) fn count_cells(text: &str) -> usize {
    text.chars()
        .map(|c| if c >= '\u{1100}' && c != '\u{2026}' && !('\u{2000}'..'\u{2e80}').contains(&c) { 2 } else { 1 })
        .sum()
}

/// Boxes by what joins them with more than one letter of difference: ids of boxes in texts.
pub(crate) fn box_id(at: usize) -> String {
    format!("n{at}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_printable_and_short() {
        assert_eq!(clean_label("a\u{202e}b\nc\0"), "a\u{fffd}b\u{fffd}c\u{fffd}");
        let long = clean_label(&"x/".repeat(100));
        assert_eq!((long.chars().count(), long.contains('…')), (MAX_LABEL, true));
        assert_eq!((count_cells("ab…"), count_cells("日本")), (3, 4));
    }
}
