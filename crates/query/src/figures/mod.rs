//! Figures of a project: its modules, its layers, and the impact of a symbol, small enough to be read.

mod impact;
mod modules;
mod split;

use std::collections::BTreeMap;

use m1nd_engine::Snapshot;
use m1nd_layout::{Arrow, ArrowKind, Figure};

pub use impact::impact_figure;
pub use modules::{layers_figure, modules_figure};

/// Default number of boxes of a figure.
pub const DEFAULT_BOXES: usize = 32;
/// Maximum number of boxes.
pub const MAX_BOXES: usize = 200;
/// Arrows for each box, above which the weakest are left out.
const ARROWS_PER_BOX: usize = 2;
/// Arrows that are shown however few boxes there are.
const LEAST_ARROWS: usize = 24;

/// A figure, and what it leaves out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FigureAnswer {
    /// The figure. Its subtitle names what is left out as well.
    pub figure: Figure,
    /// Boxes that are left out.
    pub hidden_boxes: usize,
    /// Arrows between shown boxes that are left out.
    pub hidden_arrows: usize,
    /// What could not be told, in words.
    pub gaps: Vec<String>,
}

impl FigureAnswer {
    /// Adds the legend to the subtitle: `parts` say what is shown.
    fn describe(&mut self, mut parts: Vec<String>) {
        let hidden = [(self.hidden_boxes, "box", "boxes"), (self.hidden_arrows, "weaker arrow", "weaker arrows")];
        let hidden: Vec<String> = hidden
            .iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
            .collect();
        if !hidden.is_empty() {
            parts.push(format!("hidden: {}", hidden.join(", ")));
        }
        self.figure.subtitle = parts.join(" · ");
    }
}

/// The name of the project: that of its first root.
fn project_name(snapshot: &Snapshot) -> String {
    let root = snapshot.roots().first().and_then(|root| root.path.file_name());
    root.map_or_else(|| "project".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The strongest arrows. Those against the layers come first, and each box keeps its strongest.
fn choose_arrows(answer: &mut FigureAnswer, mut arrows: Vec<Arrow>) {
    let strength = |arrow: &Arrow| (arrow.kind == ArrowKind::Against, arrow.count);
    arrows.sort_by(|a, b| strength(b).cmp(&strength(a)).then((a.from, a.to).cmp(&(b.from, b.to))));
    let limit = (answer.figure.boxes.len() * ARROWS_PER_BOX).max(LEAST_ARROWS);
    // 1. The strongest of each box.
    let mut is_joined = vec![false; answer.figure.boxes.len()];
    let mut chosen: BTreeMap<usize, ()> = BTreeMap::new();
    for (at, arrow) in arrows.iter().enumerate() {
        if !is_joined[arrow.from] || !is_joined[arrow.to] {
            is_joined[arrow.from] = true;
            is_joined[arrow.to] = true;
            chosen.insert(at, ());
        }
    }
    // 2. Then the strongest of all.
    for at in 0..arrows.len() {
        if chosen.len() >= limit {
            break;
        }
        chosen.insert(at, ());
    }
    answer.hidden_arrows = arrows.len() - chosen.len();
    let mut kept: Vec<Arrow> = chosen.into_keys().filter_map(|at| arrows.get(at).cloned()).collect();
    kept.sort_by_key(|arrow| (arrow.from, arrow.to));
    answer.figure.arrows = kept;
}

/// `1 file`, `2 files`, `12,345 lines`.
fn count_words(count: usize, one: &str, many: &str) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    format!("{text} {}", if count == 1 { one } else { many })
}

/// The folder in which most of some paths are; "" if there is none.
fn common_folder<'p>(paths: &[&'p str]) -> &'p str {
    let mut best = "";
    for path in paths {
        for (end, _) in path.match_indices('/') {
            let folder = &path[..end];
            let inside =
                paths.iter().filter(|other| other.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')));
            if folder.len() > best.len() && inside.count() * 3 >= paths.len() * 2 {
                best = folder;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_folders() {
        assert_eq!(count_words(1, "file", "files"), "1 file");
        assert_eq!(count_words(1_234_567, "line", "lines"), "1,234,567 lines");
        assert_eq!(common_folder(&["src/a/x.py", "src/a/y.py", "src/a/z/w.py", "setup.py"]), "src/a");
        assert_eq!(common_folder(&["a/x", "b/y"]), "");
        assert_eq!(common_folder(&[]), "");
    }
}
