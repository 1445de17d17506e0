//! A figure as shapes with coordinates: what the writers of SVG and of pixels draw.

use crate::figure::{Figure, FigureBox, clean_label, count_cells};
use crate::palette::Paint;
use crate::ranked::{Boxes, Placed, Rectangle, rank};

/// Sizes of text, in pixels.
const TITLE: f64 = 18.0;
const LABEL: f64 = 13.0;
const DETAIL: f64 = 11.0;
/// Width of a character of a font with equal widths, as a share of its size.
pub(crate) const CELL: f64 = 0.602;
/// Free space around the text of a box.
const PADDING: f64 = 12.0;
/// Heights of boxes with one and two lines.
const ONE_LINE: f64 = 32.0;
const TWO_LINES: f64 = 48.0;
/// Width of a row of boxes at most.
const MAX_ROW_WIDTH: f64 = 960.0;
/// Height of the name of a band.
const BAND_HEADER: f64 = 20.0;
/// Height of the heading.
const HEADER: f64 = 62.0;
/// Width of an arrow: of one edge, of the most, and by how many it grows.
const THIN: f64 = 1.1;
const THICK: f64 = 4.0;
/// Length of the head of an arrow.
const HEAD: f64 = 7.0;

/// How a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
}

/// A shape.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A rectangle with round corners.
    Rectangle {
        /// Where.
        at: Rectangle,
        /// Radius of the corners.
        radius: f64,
        /// Its paint.
        paint: Paint,
    },
    /// A curve: a start, then cubic Bézier segments (two controls and an end each).
    Curve {
        /// The start.
        start: (f64, f64),
        /// The segments.
        segments: Vec<[(f64, f64); 3]>,
        /// Width of the stroke.
        width: f64,
        /// Interrupted.
        is_dashed: bool,
        /// Its paint.
        paint: Paint,
        /// What it says when it is pointed at.
        title: String,
    },
    /// A filled triangle.
    Triangle {
        /// Its corners.
        corners: [(f64, f64); 3],
        /// Its paint.
        paint: Paint,
    },
    /// A line of text, with its baseline at `y`.
    Text {
        /// Where.
        x: f64,
        /// Where.
        y: f64,
        /// Height of the font.
        size: f64,
        /// Bold.
        is_bold: bool,
        /// How it stands at `x`.
        anchor: Anchor,
        /// Its paint.
        paint: Paint,
        /// The text: no control characters.
        text: String,
    },
}

/// A picture: shapes, the lowest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scene {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Its name, for those who do not see it.
    pub title: String,
    /// What it shows.
    pub subtitle: String,
    /// The shapes.
    pub shapes: Vec<Shape>,
}

/// Width of a text.
fn measure(text: &str, size: f64) -> f64 {
    count_cells(text) as f64 * size * CELL
}

/// Draws a figure.
pub fn draw(figure: &Figure) -> Scene {
    let size = |own: &FigureBox| {
        let label = measure(&clean_label(&own.label), LABEL);
        let detail = measure(&clean_label(&own.detail), DETAIL);
        let height = if own.detail.is_empty() { ONE_LINE } else { TWO_LINES };
        (label.max(detail) + 2.0 * PADDING, height)
    };
    let boxes = Boxes {
        sizes: figure.boxes.iter().map(size).collect(),
        bands: figure.boxes.iter().map(|own| own.band).collect(),
        edges: figure.arrows.iter().map(|arrow| (arrow.from, arrow.to)).collect(),
        max_width: MAX_ROW_WIDTH,
        band_header: if figure.bands.is_empty() { 0.0 } else { BAND_HEADER },
    };
    let placed = rank(&boxes);
    let (title, subtitle) = (clean_line(&figure.title), clean_line(&figure.subtitle));
    let heading = measure(&title, TITLE).max(measure(&subtitle, DETAIL)) + 56.0;
    // Narrow figures stand in the middle below their heading.
    let shift = ((heading - placed.width) / 2.0).max(0.0);
    let width = placed.width.max(heading).ceil();
    let mut scene = Scene { width, height: (placed.height + HEADER).ceil(), title, subtitle, shapes: Vec::new() };
    scene.add_page();
    scene.add_bands(&placed, width);
    scene.add_arrows(figure, &placed, shift);
    scene.add_band_names(figure, &placed);
    scene.add_boxes(figure, &placed, shift);
    scene
}

/// A line of any length without characters that do not print.
fn clean_line(text: &str) -> String {
    text.split_whitespace().map(clean_label).collect::<Vec<_>>().join(" ")
}

impl Scene {
    fn add_page(&mut self) {
        let at = Rectangle { x: 0.0, y: 0.0, width: self.width, height: self.height };
        self.shapes.push(Shape::Rectangle { at, radius: 0.0, paint: Paint::Page });
        let (title, subtitle) = (self.title.clone(), self.subtitle.clone());
        self.add_text((28.0, 32.0), TITLE, (Anchor::Start, Paint::Text), title);
        self.add_text((28.0, 52.0), DETAIL, (Anchor::Start, Paint::Muted), subtitle);
    }

    fn add_text(&mut self, (x, y): (f64, f64), size: f64, (anchor, paint): (Anchor, Paint), text: String) {
        if !text.is_empty() {
            let is_bold = size > LABEL;
            self.shapes.push(Shape::Text { x, y, size, is_bold, anchor, paint, text });
        }
    }

    fn add_bands(&mut self, placed: &Placed, width: f64) {
        for (_, frame) in &placed.bands {
            let at = Rectangle { y: frame.y + HEADER, width: width - 2.0 * frame.x, ..*frame };
            self.shapes.push(Shape::Rectangle { at, radius: 8.0, paint: Paint::Band });
        }
    }

    /// Names stand on a ground of their own, over the arrows that pass.
    fn add_band_names(&mut self, figure: &Figure, placed: &Placed) {
        for (band, frame) in &placed.bands {
            let name = figure.bands.get(*band).map(|name| clean_label(name)).unwrap_or_default();
            let (x, y) = (frame.x + 12.0, frame.y + HEADER + 18.0);
            let ground = Rectangle { x: x - 4.0, y: y - 12.0, width: measure(&name, DETAIL) + 8.0, height: 16.0 };
            self.shapes.push(Shape::Rectangle { at: ground, radius: 3.0, paint: Paint::Ground });
            self.add_text((x, y), DETAIL, (Anchor::Start, Paint::Muted), name);
        }
    }

    fn add_arrows(&mut self, figure: &Figure, placed: &Placed, shift: f64) {
        let most = figure.arrows.iter().map(|arrow| arrow.count).max().unwrap_or(1).max(2);
        let name = |at: usize| figure.boxes.get(at).map(|own| clean_label(&own.label)).unwrap_or_default();
        for (arrow, route) in figure.arrows.iter().zip(&placed.routes) {
            let points: Vec<(f64, f64)> = route.iter().map(|(x, y)| (x + shift, y + HEADER)).collect();
            let (Some(&start), [.., before, end]) = (points.first(), &points[..]) else { continue };
            let share = f64::from(arrow.count.max(1)).ln() / f64::from(most).ln();
            let width = THIN + (THICK - THIN) * share;
            let paint = Paint::Arrow(arrow.kind);
            // The head points along the vertical, in which all ways end.
            let up = if end.1 < before.1 { 1.0 } else { -1.0 };
            let (length, half) = (HEAD + width, (HEAD + width) * 0.45);
            let neck = (end.0, end.1 + up * length);
            let segments = curve(&points, neck);
            let is_dashed = arrow.kind == crate::ArrowKind::Possible;
            let title = format!("{} → {}: {}", name(arrow.from), name(arrow.to), arrow.count);
            self.shapes.push(Shape::Curve { start, segments, width, is_dashed, paint, title });
            let corners = [*end, (end.0 - half, neck.1), (end.0 + half, neck.1)];
            self.shapes.push(Shape::Triangle { corners, paint });
        }
    }

    fn add_boxes(&mut self, figure: &Figure, placed: &Placed, shift: f64) {
        for (own, frame) in figure.boxes.iter().zip(&placed.boxes) {
            let at = Rectangle { x: frame.x + shift, y: frame.y + HEADER, ..*frame };
            self.shapes.push(Shape::Rectangle { at, radius: 6.0, paint: Paint::Box(own.role) });
            let has_detail = !own.detail.is_empty();
            let label = at.y + if has_detail { 20.0 } else { at.height / 2.0 + LABEL * 0.35 };
            self.add_text((at.middle(), label), LABEL, (Anchor::Middle, Paint::Text), clean_label(&own.label));
            let detail = clean_label(&own.detail);
            self.add_text((at.middle(), at.y + 37.0), DETAIL, (Anchor::Middle, Paint::Muted), detail);
        }
    }
}

/// Curves between the points of each pair, lines between the pairs, up to the neck of the head.
fn curve(points: &[(f64, f64)], neck: (f64, f64)) -> Vec<[(f64, f64); 3]> {
    let mut segments = Vec::new();
    let last = points.len() - 1;
    for (at, pair) in points.windows(2).enumerate() {
        let (from, to) = (pair[0], if at + 1 == last { neck } else { pair[1] });
        let middle = (from.1 + to.1) / 2.0;
        segments.push([(from.0, middle), (to.0, middle), to]);
    }
    segments
}
