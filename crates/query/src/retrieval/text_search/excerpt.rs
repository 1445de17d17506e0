//! The code of a node as far as a limit allows: whole, else its header and what stands around the lines that meet a
//! question.

use m1nd_graph::NodeIx;

use super::lines::{LineFinder, MatchingLine};

/// Lines shown before and after one that meets the question.
const AROUND: usize = 3;
/// Bytes of an excerpt that is not whole: of a long function, a reader needs the place, not as much as fits.
const PART_BYTES: usize = 1_300;
/// First lines of a node that are always shown: its header.
const HEADER_LINES: usize = 2;
/// Lines left out between two that are shown, at least: showing one or two costs no more than saying that they are
/// missing.
const LEAST_GAP: usize = 3;
/// Bytes that a line takes beside its text: number, spaces, line break.
const LINE_FRAME: usize = 7;
/// Longest line shown, in bytes.
const MAX_LINE_BYTES: usize = 240;

/// Lines of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// In order; a line whose number is not one more than that of the line before follows a gap.
    pub lines: Vec<MatchingLine>,
    /// All lines of the node are shown.
    pub is_whole: bool,
    /// The last line of the node.
    pub last: u32,
}

impl LineFinder<'_> {
    /// The code of a node in at most about `budget` bytes, with its indentation; empty where the file cannot be read.
    pub fn excerpt(&mut self, node: NodeIx, budget: usize) -> Excerpt {
        let (defined, source, weights) = self.weigh_lines(node);
        let cost = |at: usize| source[at].1.len().min(MAX_LINE_BYTES) + LINE_FRAME;
        let mut shown = vec![false; source.len()];
        let mut used = 0;
        let mut show = |range: std::ops::Range<usize>, limit: usize| {
            let new: Vec<usize> = range.filter(|at| !shown[*at]).collect();
            let bytes: usize = new.iter().map(|at| cost(*at)).sum();
            let fits = used + bytes <= limit;
            if fits {
                used += bytes;
                new.into_iter().for_each(|at| shown[at] = true);
            }
            fits
        };
        if !show(0..source.len(), budget) {
            // The header is worth more than the limit.
            let header = source.iter().position(|(line, _)| *line == defined).unwrap_or(0);
            show(header..(header + HEADER_LINES).min(source.len()), usize::MAX);
            let mut by_weight: Vec<usize> = (0..source.len()).filter(|at| weights[*at] > 0.0).collect();
            by_weight.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]).then(a.cmp(b)));
            for at in by_weight {
                let around = at.saturating_sub(AROUND)..(at + AROUND + 1).min(source.len());
                show(around, budget.min(PART_BYTES));
            }
        }
        close_gaps(&mut shown);
        let is_whole = shown.iter().all(|shown| *shown);
        let last = source.last().map_or(0, |(line, _)| *line);
        let kept = source.into_iter().zip(shown).filter(|(_, shown)| *shown);
        let lines = kept.map(|((line, text), _)| MatchingLine { line, text: clip(&text) }).collect();
        Excerpt { lines, is_whole, last }
    }
}

/// Shows the lines of gaps that are shorter than [`LEAST_GAP`].
fn close_gaps(shown: &mut [bool]) {
    let mut last = None;
    for at in 0..shown.len() {
        if !shown[at] {
            continue;
        }
        let from = last.map_or(0, |last| last + 1);
        if at - from < LEAST_GAP {
            shown[from..at].fill(true);
        }
        last = Some(at);
    }
    let from = last.map_or(shown.len(), |last| last + 1);
    if shown.len() - from < LEAST_GAP {
        shown[from..].fill(true);
    }
}

fn clip(text: &str) -> String {
    match text.len() <= MAX_LINE_BYTES {
        true => text.to_owned(),
        false => format!("{}…", &text[..text.floor_char_boundary(MAX_LINE_BYTES)]),
    }
}
