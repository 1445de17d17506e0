use super::markers::END;
use super::sections::{self, Section, Shape};
use super::splice::opening;
use super::{BlockInput, BlockLimits};

/// The block, markers included, with LF at the ends of lines and none at its end.
///
/// If it is too long, it loses in this order: sessions of the past, gotchas down to 3, decisions down to 3, reasons,
/// pinned memories down to 5; then all lists down to 2, then to 1, then lines from the end.
#[must_use]
pub fn render(input: &BlockInput<'_>) -> String {
    let limits = &input.limits;
    let shapes = shapes(limits);
    let mut body = String::new();
    for shape in &shapes {
        body = write_sections(&sections::all(input, shape));
        if fits(&body, limits) {
            return close_block(&body);
        }
    }
    while !fits(&body, limits) {
        let Some(end) = body.trim_end().rfind('\n') else { break };
        body.truncate(end);
        // No heading without a line below it.
        while body.lines().next_back().is_some_and(|line| line.starts_with("## ") || line.is_empty())
            && body.contains('\n')
        {
            body.truncate(body.trim_end().rfind('\n').unwrap_or_default());
        }
    }
    close_block(&body)
}

fn shapes(limits: &BlockLimits) -> Vec<Shape> {
    let mut shape = Shape {
        key: limits.max_key,
        decisions: limits.max_decisions,
        open_loops: limits.max_open_loops,
        gotchas: limits.max_gotchas,
        sessions: limits.max_sessions,
        with_reasons: true,
    };
    let steps: [fn(&mut Shape); 7] = [
        |shape| shape.sessions = 0,
        |shape| shape.gotchas = shape.gotchas.min(3),
        |shape| shape.decisions = shape.decisions.min(3),
        |shape| shape.with_reasons = false,
        |shape| shape.key = shape.key.min(5),
        |shape| shape.lower(2),
        |shape| shape.lower(1),
    ];
    let mut shapes = vec![shape];
    for step in steps {
        step(&mut shape);
        shapes.push(shape);
    }
    shapes
}

fn write_sections(sections: &[Section]) -> String {
    let mut out = String::new();
    for section in sections {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str("## ");
        out.push_str(&section.heading);
        for line in &section.lines {
            out.push('\n');
            out.push_str(line);
        }
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out
}

fn fits(body: &str, limits: &BlockLimits) -> bool {
    let whole = close_block(body);
    whole.chars().count() <= limits.max_chars && whole.lines().count() <= limits.max_lines
}

fn close_block(body: &str) -> String {
    format!("{}\n{body}\n{END}", opening(body))
}
