//! Figures as text that other programs draw: Mermaid and DOT.

use std::fmt::Write as _;

use crate::figure::{ArrowKind, Figure, Role, box_id, clean_label};

/// Characters that mean nothing to Mermaid or DOT.
const PLAIN: &str = " ./_-:,()…*+@";

/// A figure as a Mermaid flowchart. GitHub and most editors draw it.
pub fn write_mermaid(figure: &Figure) -> String {
    let mut text = String::from("flowchart TD\n");
    let line = |text: &mut String, words: std::fmt::Arguments<'_>| {
        let _ = text.write_fmt(words);
        text.push('\n');
    };
    if !figure.subtitle.is_empty() {
        line(&mut text, format_args!("  %% {}", clean_comment(&format!("{}: {}", figure.title, figure.subtitle))));
    }
    // 1. Boxes, in their bands.
    let has_bands = !figure.bands.is_empty();
    for (band, name) in
        figure.bands.iter().enumerate().map(|(at, name)| (at, name.as_str())).chain((!has_bands).then_some((0, "")))
    {
        if has_bands {
            line(&mut text, format_args!("  subgraph b{band}[\"{}\"]", escape_mermaid(name)));
        }
        for (at, own) in figure.boxes.iter().enumerate().filter(|(_, own)| !has_bands || own.band == band) {
            let detail =
                if own.detail.is_empty() { String::new() } else { format!("<br/>{}", escape_mermaid(&own.detail)) };
            let class = if own.role == Role::Plain { String::new() } else { format!(":::{}", own.role.word()) };
            line(&mut text, format_args!("    {}[\"{}{detail}\"]{class}", box_id(at), escape_mermaid(&own.label)));
        }
        if has_bands {
            line(&mut text, format_args!("  end"));
        }
    }
    // 2. Arrows; those against the layers are thick.
    for arrow in &figure.arrows {
        let (from, to) = (box_id(arrow.from), box_id(arrow.to));
        let stroke = match arrow.kind {
            ArrowKind::Certain => "-->",
            ArrowKind::Possible => "-.->",
            ArrowKind::Against => "==>",
        };
        let count = if arrow.count > 1 { format!("|{}|", arrow.count) } else { String::new() };
        line(&mut text, format_args!("  {from} {stroke}{count} {to}"));
    }
    // 3. Colours.
    for role in Role::MARKED.into_iter().filter(|role| figure.boxes.iter().any(|own| own.role == *role)) {
        let (fill, stroke) = crate::palette::box_colors(role).light();
        line(&mut text, format_args!("  classDef {} fill:{fill},stroke:{stroke},color:#1f2328", role.word()));
    }
    for (at, _) in figure.arrows.iter().enumerate().filter(|(_, arrow)| arrow.kind == ArrowKind::Against) {
        line(&mut text, format_args!("  linkStyle {at} stroke:#cf222e"));
    }
    text
}

/// A figure in the language of Graphviz.
pub fn write_dot(figure: &Figure) -> String {
    let mut text = String::from(
        "digraph m1nd {\n  rankdir=TB; node [shape=box style=\"rounded,filled\" fillcolor=white fontname=monospace];\n",
    );
    // 1. Heading.
    let mut line = |words: String| {
        text.push_str(&words);
        text.push('\n');
    };
    let title = [figure.title.as_str(), figure.subtitle.as_str()].join(": ");
    line(format!("  label=\"{}\"; labelloc=t;", escape_dot(&clean_comment(&title))));
    // 2. Boxes, in their bands.
    let has_bands = !figure.bands.is_empty();
    for (band, name) in figure.bands.iter().enumerate() {
        line(format!("  subgraph cluster_{band} {{ label=\"{}\";", escape_dot(name)));
        let own = figure.boxes.iter().enumerate().filter(|(_, own)| own.band == band);
        own.for_each(|(at, own)| line(format!("    {}", dot_box(at, own))));
        line("  }".to_owned());
    }
    if !has_bands {
        figure.boxes.iter().enumerate().for_each(|(at, own)| line(format!("  {}", dot_box(at, own))));
    }
    // 3. Arrows.
    for arrow in &figure.arrows {
        let style = match arrow.kind {
            ArrowKind::Certain => "",
            ArrowKind::Possible => " style=dashed",
            ArrowKind::Against => " color=\"#cf222e\" penwidth=2",
        };
        let (from, to) = (box_id(arrow.from), box_id(arrow.to));
        line(format!("  {from} -> {to} [label=\"{}\"{style}];", arrow.count));
    }
    line("}".to_owned());
    text
}

fn dot_box(at: usize, own: &crate::FigureBox) -> String {
    let (fill, stroke) = crate::palette::box_colors(own.role).light();
    let detail = if own.detail.is_empty() { String::new() } else { format!("\\n{}", escape_dot(&own.detail)) };
    format!("{} [label=\"{}{detail}\" fillcolor=\"{fill}\" color=\"{stroke}\"];", box_id(at), escape_dot(&own.label))
}

/// A text in the quotes of Mermaid, which reads entities and HTML: everything but plain characters is an entity.
fn escape_mermaid(text: &str) -> String {
    let mut escaped = String::new();
    for c in clean_label(text).chars() {
        match c {
            c if c.is_alphanumeric() || PLAIN.contains(c) => escaped.push(c),
            c => {
                let _ = write!(escaped, "#{};", u32::from(c));
            }
        }
    }
    escaped
}

/// A text in the quotes of DOT.
fn escape_dot(text: &str) -> String {
    clean_label(text).replace('\\', "\\\\").replace('"', "\\\"")
}

/// A line for a comment or heading: of other characters than plain ones, spaces are left.
fn clean_comment(text: &str) -> String {
    text.chars().map(|c| if c.is_alphanumeric() || PLAIN.contains(c) || c == '·' { c } else { ' ' }).collect()
}
