//! Places in files as tools print them and people paste them: `src/a.py:120`.

use m1nd_base::{NodeKind, node_id};
use m1nd_graph::NodeIx;

use crate::state::snapshot::Snapshot;

/// A path followed by lines: `src/a.py:120`, `src/a.py:120:5` (with a column), `src/a.py:120-140`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathLines<'t> {
    /// The path, as written.
    pub path: &'t str,
    /// First line, 1-based.
    pub first: u32,
    /// Last line, not before the first.
    pub last: u32,
}

impl<'t> PathLines<'t> {
    /// Parses a place; `None` for other texts.
    pub fn parse(text: &'t str) -> Option<Self> {
        let text = node_id::strip_prefix_of_file(text.trim());
        let text = text.strip_suffix(':').unwrap_or(text);
        let (head, tail) = text.rsplit_once(':')?;
        let (path, first, last) = match (head.rsplit_once(':'), line(tail)) {
            // The last number is a column.
            (Some((path, row)), Some(_)) if line(row).is_some() => (path, line(row)?, line(row)?),
            (_, Some(row)) => (head, row, row),
            (_, None) => {
                let (first, last) = tail.split_once('-')?;
                (head, line(first)?, line(last)?)
            }
        };
        let is_place = !path.is_empty() && !path.ends_with(':') && first <= last;
        is_place.then_some(Self { path, first, last })
    }
}

/// A line number, which starts at 1.
fn line(text: &str) -> Option<u32> {
    text.parse().ok().filter(|line| *line > 0 && text.bytes().all(|byte| byte.is_ascii_digit()))
}

impl Snapshot {
    /// The symbols at a place, one for each file that the path may mean: the symbol that these lines declare, else the
    /// innermost around them, else the file.
    pub(crate) fn nodes_at(&self, place: &PathLines<'_>) -> Vec<NodeIx> {
        let files = self.files_named(place.path);
        files.into_iter().map(|file| self.symbol_around(file, place)).collect()
    }

    fn symbol_around(&self, file: NodeIx, place: &PathLines<'_>) -> NodeIx {
        let graph = self.graph();
        let mut around = graph.of_file(file);
        around.retain(|&node| {
            let (start, end) = graph.lines(node);
            graph.kind(node) != NodeKind::File && start <= place.first && place.last <= end
        });
        // The line of a class is the class, even if fields are declared on the same line.
        let declared = around.iter().find(|&&node| graph.name_line(node) == place.first);
        let innermost = || {
            around.iter().min_by_key(|&&node| {
                let (start, end) = graph.lines(node);
                end - start
            })
        };
        declared.or_else(innermost).copied().unwrap_or(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let cases = [
            ("src/a.py:12", Some(("src/a.py", 12, 12))),
            ("file::src/a.py:12", Some(("src/a.py", 12, 12))),
            ("src/a.py:12:5", Some(("src/a.py", 12, 12))),
            ("src/a.py:12:", Some(("src/a.py", 12, 12))),
            ("src/a.py:12-20", Some(("src/a.py", 12, 20))),
            ("src/a.py:20-12", None),
            ("src/a.py:0", None),
            ("src/a.py:+1", None),
            ("src/a.py", None),
            ("a::12", None),
            (":12", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(PathLines::parse(text).map(|place| (place.path, place.first, place.last)), expected, "{text}");
        }
    }
}
