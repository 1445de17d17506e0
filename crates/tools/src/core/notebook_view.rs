//! A notebook as its cells: code and text as they are run and read, with the line numbers of the file.

use m1nd_engine::Snapshot;
use m1nd_query::documents::{NotebookLine, list_notebook_lines};

use crate::source::{Shown, count_escaped};

/// Longest line shown, in bytes.
const MAX_LINE: usize = 2_000;

/// The cells of a notebook.
pub(super) struct NotebookText {
    lines: Vec<NotebookLine>,
}

/// The part of the cells that an answer shows.
pub(super) struct NotebookPart {
    pub(super) content: String,
    /// Number of lines of the file that are done.
    pub(super) returned: usize,
    pub(super) truncated: bool,
}

impl NotebookText {
    /// `None` for other files, for a notebook that cannot be read, and for one that is written on a single line, whose
    /// cells have no lines of their own.
    pub(super) fn read(snapshot: &Snapshot, shown: &Shown) -> Option<Self> {
        let file = snapshot.files().get(&shown.path).filter(|file| file.language.is_notebook())?;
        let lines = list_notebook_lines(&shown.source.text).filter(|_| file.lines > 1)?;
        Some(Self { lines })
    }

    /// The cells within `limit` lines of the file after the first `offset`, as many lines as fit into `budget` bytes of
    /// escaped text, at least one.
    pub(super) fn show(&self, offset: usize, limit: usize, total: usize, budget: usize) -> NotebookPart {
        let width = total.to_string().len();
        let end = offset.saturating_add(limit);
        let inside = self.lines.iter().filter(|line| (offset + 1..=end).contains(&(line.line as usize)));
        let mut part = NotebookPart { content: String::new(), returned: 0, truncated: false };
        let mut used = 0;
        for line in inside {
            let cut = &line.text[..line.text.floor_char_boundary(MAX_LINE)];
            used += count_escaped(cut) + width + 4;
            if used > budget && !part.content.is_empty() {
                part.truncated = true;
                return part;
            }
            let number = if line.is_in_file { line.line.to_string() } else { String::new() };
            part.content.push_str(&format!("{number:>width$}  {cut}\n"));
            part.returned = (line.line as usize).saturating_sub(offset);
        }
        // What stands between the cells is shown with them.
        part.returned = limit.min(total.saturating_sub(offset));
        part
    }
}
