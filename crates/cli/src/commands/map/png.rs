//! Pictures as pixels. Text is drawn from glyphs that are part of the program, so that a machine without fonts draws
//! the same picture.

use m1nd_layout::{Anchor, Rectangle, Rgb, Scene, Shape};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use tiny_skia::{Color, FillRule, Paint as Brush, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform};

/// Pixels for each unit of the picture: sharp on dense screens.
const SCALE: f32 = 2.0;
/// Longest side of a picture, in pixels.
const MAX_SIDE: f32 = 12_000.0;
/// Largest width of a character, as a share of the size of its font.
const CELL: f64 = 0.61;
/// Share of the height of a glyph that is above the baseline.
const ASCENT: f64 = 0.80;
/// How far the controls of a quarter of a circle are from its ends.
const QUARTER: f32 = 0.552_284_8;
/// Glyphs by height, the largest first.
const HEIGHTS: [RasterHeight; 4] =
    [RasterHeight::Size32, RasterHeight::Size24, RasterHeight::Size20, RasterHeight::Size16];
/// What stands for characters without a glyph.
const UNKNOWN: char = '?';

/// Draws a scene on a light page.
///
/// # Errors
/// Why there is no picture.
pub(super) fn paint(scene: &Scene) -> Result<Vec<u8>, String> {
    let longest = scene.width.max(scene.height) as f32;
    let scale = SCALE.min(MAX_SIDE / longest.max(1.0));
    let side = |length: f64| (length as f32 * scale).ceil().max(1.0) as u32;
    let pixmap = Pixmap::new(side(scene.width), side(scene.height)).ok_or("the picture is too large")?;
    let mut canvas = Canvas { pixmap, scale };
    scene.shapes.iter().for_each(|shape| canvas.add(shape));
    canvas.pixmap.encode_png().map_err(|error| format!("cannot encode the picture: {error}"))
}

struct Canvas {
    pixmap: Pixmap,
    scale: f32,
}

impl Canvas {
    /// Draws a shape: its ground, then its frame.
    fn add(&mut self, shape: &Shape) {
        match shape {
            Shape::Rectangle { at, radius, paint } => {
                let Some(path) = round_rectangle(at, *radius as f32) else { return };
                self.fill(&path, paint.fill().light);
                if let Some(frame) = paint.stroke() {
                    self.stroke(&path, frame.light, Stroke { width: 1.0, ..Stroke::default() });
                }
            }
            Shape::Curve { start, segments, width, is_dashed, paint, .. } => {
                let mut builder = PathBuilder::new();
                builder.move_to(start.0 as f32, start.1 as f32);
                for [a, b, end] in segments {
                    let [ax, ay, bx, by, x, y] = [a.0, a.1, b.0, b.1, end.0, end.1].map(|value| value as f32);
                    builder.cubic_to(ax, ay, bx, by, x, y);
                }
                let dash = if *is_dashed { StrokeDash::new(vec![5.0, 4.0], 0.0) } else { None };
                if let Some(path) = builder.finish() {
                    self.stroke(&path, paint.fill().light, Stroke { width: *width as f32, dash, ..Stroke::default() });
                }
            }
            Shape::Triangle { corners, paint } => {
                let mut builder = PathBuilder::new();
                builder.move_to(corners[0].0 as f32, corners[0].1 as f32);
                corners[1..].iter().for_each(|corner| builder.line_to(corner.0 as f32, corner.1 as f32));
                builder.close();
                if let Some(path) = builder.finish() {
                    self.fill(&path, paint.fill().light);
                }
            }
            Shape::Text { x, y, size, is_bold, anchor, paint, text } => {
                self.write((*x, *y), (*size, *is_bold, *anchor), paint.fill().light, text);
            }
        }
    }

    fn fill(&mut self, path: &Path, color: Rgb) {
        let transform = Transform::from_scale(self.scale, self.scale);
        self.pixmap.fill_path(path, &brush(color), FillRule::Winding, transform, None);
    }

    fn stroke(&mut self, path: &Path, color: Rgb, stroke: Stroke) {
        let transform = Transform::from_scale(self.scale, self.scale);
        self.pixmap.stroke_path(path, &brush(color), &stroke, transform, None);
    }

    /// Writes a line of text with the largest glyphs that are not wider than its font.
    fn write(&mut self, (x, y): (f64, f64), (size, is_bold, anchor): (f64, bool, Anchor), color: Rgb, text: &str) {
        let scale = f64::from(self.scale);
        let weight = if is_bold { FontWeight::Bold } else { FontWeight::Regular };
        let room = size * CELL * scale;
        let fits = |height: &&RasterHeight| get_raster_width(weight, **height) as f64 <= room;
        let height = *HEIGHTS.iter().find(fits).unwrap_or(&RasterHeight::Size16);
        let width = get_raster_width(weight, height) as f64;
        let cells: usize = text.chars().count();
        let mut left = x * scale;
        if anchor == Anchor::Middle {
            left -= cells as f64 * width / 2.0;
        }
        let top = y * scale - height.val() as f64 * ASCENT;
        for (place, c) in text.chars().enumerate() {
            let glyph = get_raster(c, weight, height).or_else(|| get_raster(replace(c), weight, height));
            let from = left + place as f64 * width;
            if let Some(glyph) = glyph {
                for (row, pixels) in glyph.rows().enumerate() {
                    for (column, intensity) in pixels.iter().enumerate().filter(|(_, intensity)| **intensity > 0) {
                        self.blend(
                            (from + column as f64).round() as i64,
                            (top + row as f64).round() as i64,
                            color,
                            *intensity,
                        );
                    }
                }
            }
        }
    }

    /// Mixes a colour into a pixel, which is opaque.
    fn blend(&mut self, x: i64, y: i64, color: Rgb, intensity: u8) {
        let (width, height) = (i64::from(self.pixmap.width()), i64::from(self.pixmap.height()));
        if !(0..width).contains(&x) || !(0..height).contains(&y) {
            return;
        }
        let at = ((y * width + x) * 4) as usize;
        let share = u32::from(intensity);
        for (pixel, new) in self.pixmap.data_mut()[at..at + 3].iter_mut().zip(color) {
            *pixel = ((u32::from(*pixel) * (255 - share) + u32::from(new) * share + 127) / 255) as u8;
        }
    }
}

/// What is drawn for a character without a glyph.
fn replace(c: char) -> char {
    match c {
        '…' => '~',
        '·' | '•' => '.',
        '–' | '—' => '-',
        '→' => '>',
        _ => UNKNOWN,
    }
}

fn brush(color: Rgb) -> Brush<'static> {
    let mut brush = Brush { anti_alias: true, ..Brush::default() };
    brush.set_color(Color::from_rgba8(color[0], color[1], color[2], 255));
    brush
}

fn round_rectangle(at: &Rectangle, radius: f32) -> Option<Path> {
    let (left, top) = (at.x as f32, at.y as f32);
    let (right, bottom) = (left + at.width as f32, top + at.height as f32);
    let (r, c) = (radius, radius * (1.0 - QUARTER));
    let mut builder = PathBuilder::new();
    builder.move_to(left + r, top);
    builder.line_to(right - r, top);
    builder.cubic_to(right - c, top, right, top + c, right, top + r);
    builder.line_to(right, bottom - r);
    builder.cubic_to(right, bottom - c, right - c, bottom, right - r, bottom);
    builder.line_to(left + r, bottom);
    builder.cubic_to(left + c, bottom, left, bottom - c, left, bottom - r);
    builder.line_to(left, top + r);
    builder.cubic_to(left, top + c, left + c, top, left + r, top);
    builder.close();
    builder.finish()
}
