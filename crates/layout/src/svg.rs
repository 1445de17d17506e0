//! Pictures as SVG and as one HTML file.

use std::fmt::Write as _;

use crate::palette::{Paint, hex};
use crate::scene::{Anchor, Scene, Shape};

/// The fonts of texts: all have equal widths.
const FONTS: &str = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace";
/// The script of the HTML page: pan and zoom.
const SCRIPT: &str = include_str!("pan.js");
/// The style of the HTML page.
const PAGE_STYLE: &str = "html,body{margin:0;height:100%;overflow:hidden;background:#fff;color-scheme:light dark}\
svg{width:100%;height:100%;display:block;touch-action:none;cursor:grab}\
svg:focus-visible{outline:2px solid #0969da;outline-offset:-2px}\
@media(prefers-color-scheme:dark){html,body{background:#0d1117}}";

/// A picture as an SVG file, light or dark as the reader's system is.
pub fn write_svg(scene: &Scene) -> String {
    let mut text = String::new();
    let _ = write!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" \
         aria-labelledby=\"title desc\">\n<title id=\"title\">{2}</title>\n<desc id=\"desc\">{3}</desc>\n\
         <style>{4}</style>\n",
        scene.width,
        scene.height,
        escape(&scene.title),
        escape(&scene.subtitle),
        style()
    );
    for shape in &scene.shapes {
        write_shape(&mut text, shape);
    }
    text.push_str("</svg>\n");
    text
}

/// A picture as one HTML file: pan with the mouse, a finger or the arrow keys, zoom with the wheel, two fingers or
/// `+` and `-`. It opens without a network, and its policy permits none.
pub fn write_html(scene: &Scene) -> String {
    let hash = SCRIPT_HASH;
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src '{hash}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>{}</title>\n\
         <style>{PAGE_STYLE}</style>\n</head>\n<body>\n{}<script>{SCRIPT}</script>\n</body>\n</html>\n",
        escape(&scene.title),
        write_svg(scene).replacen("<svg ", "<svg tabindex=\"0\" ", 1),
    )
}

/// The hash of [`SCRIPT`] in the policy of the page; a test compares them.
const SCRIPT_HASH: &str = "sha256-DpIGMPnVQkPwzIOV4p8G92goV+UbRNXciDdzjhB79As=";

/// The style sheet of pictures.
fn style() -> String {
    let mut light = format!("text{{font-family:{FONTS}}}.bold{{font-weight:600}}");
    let mut dark = String::new();
    for paint in Paint::all() {
        let class = paint.class();
        let (fill, stroke) = (paint.fill(), paint.stroke());
        for (sheet, pick) in [(&mut light, 0), (&mut dark, 1)] {
            let color = |shade: crate::Shade| hex(if pick == 0 { shade.light } else { shade.dark });
            let frame = stroke.map(|shade| format!(";stroke:{}", color(shade))).unwrap_or_default();
            let _ = write!(sheet, ".{class}{{fill:{}{frame}}}", color(fill));
            if matches!(paint, Paint::Arrow(_)) {
                let _ = write!(sheet, ".{class}.line{{fill:none;stroke:{}}}", color(fill));
            }
        }
    }
    format!("{light}@media(prefers-color-scheme:dark){{{dark}}}")
}

fn write_shape(text: &mut String, shape: &Shape) {
    // Writing to a string cannot fail.
    let _ = match shape {
        Shape::Rectangle { at, radius, paint } => writeln!(
            text,
            "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{radius}\"/>",
            paint.class(),
            short(at.x),
            short(at.y),
            short(at.width),
            short(at.height)
        ),
        Shape::Curve { start, segments, width, is_dashed, paint, title } => {
            let dash = if *is_dashed { " stroke-dasharray=\"5 4\"" } else { "" };
            let mut way = format!("M{} {}", short(start.0), short(start.1));
            for [a, b, end] in segments {
                let _ = write!(
                    way,
                    "C{} {} {} {} {} {}",
                    short(a.0),
                    short(a.1),
                    short(b.0),
                    short(b.1),
                    short(end.0),
                    short(end.1)
                );
            }
            writeln!(
                text,
                "<path class=\"{} line\" d=\"{way}\" stroke-width=\"{}\"{dash}><title>{}</title></path>",
                paint.class(),
                short(*width),
                escape(title)
            )
        }
        Shape::Triangle { corners, paint } => {
            let corners = corners.map(|(x, y)| format!("{},{}", short(x), short(y)));
            writeln!(text, "<polygon class=\"{}\" points=\"{}\"/>", paint.class(), corners.join(" "))
        }
        Shape::Text { x, y, size, is_bold, anchor, paint, text: words } => {
            let anchor = if *anchor == Anchor::Middle { " text-anchor=\"middle\"" } else { "" };
            let bold = if *is_bold { " bold" } else { "" };
            let (class, x, y) = (paint.class(), short(*x), short(*y));
            let words = escape(words);
            writeln!(
                text,
                "<text class=\"{class}{bold}\" x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{anchor}>{words}</text>"
            )
        }
    };
}

/// A number with at most one digit after the point.
fn short(value: f64) -> f64 {
    if value.is_finite() { (value * 10.0).round() / 10.0 } else { 0.0 }
}

/// A text for the content of an element of XML or an attribute in quotes. Characters that XML does not have become
/// replacement characters.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            c if c.is_control() || c == '\u{fffe}' || c == '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
