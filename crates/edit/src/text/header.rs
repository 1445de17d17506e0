//! The lines that git writes above the hunks of a file: its mode, and what becomes of its name.

use crate::patch::file_name;

/// What the header of a file says beside its paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Header {
    /// The lines as they are.
    pub(crate) text: String,
    /// The path, where both sides have the same.
    pub(crate) path: Option<String>,
    /// The file is created or removed.
    pub(crate) is_new: bool,
    pub(crate) is_deleted: bool,
    /// Whether the file is a program afterwards; `None` if nothing is said.
    pub(crate) executable: Option<bool>,
    /// Why the change cannot be written.
    pub(crate) refused: Option<String>,
}

/// First words of the line that begins a header.
const START: &str = "diff --git ";
/// Kinds of files in a mode of git, by their first digits.
const REGULAR: &str = "100";
const LINK: &str = "120";
const SUBMODULE: &str = "160";
/// The bit of a mode that makes a file a program of its owner.
const OWNER_RUNS: u32 = 0o100;

impl Header {
    /// The header that a line begins.
    pub(crate) fn starting(line: &str) -> Option<Self> {
        let names = line.strip_prefix(START)?.trim_end_matches(['\r', '\n']);
        // Names may have blanks: both halves are equal but for `a` and `b`.
        let half = names.len().checked_sub(1)? / 2;
        let (old, new) = names.split_at_checked(half)?;
        let (old, new) = (file_name(old), file_name(new.strip_prefix(' ').unwrap_or_default()));
        Some(Self { text: line.to_owned(), path: old.filter(|old| Some(old) == new.as_ref()), ..Self::default() })
    }

    /// Takes a line of the header. Others are notes of people, and are ignored.
    pub(crate) fn add(&mut self, line: &str) {
        let words = line.trim_end_matches(['\r', '\n']);
        let refused = if let Some(mode) = words.strip_prefix("new file mode ") {
            self.is_new = true;
            self.set_mode(mode)
        } else if let Some(mode) = words.strip_prefix("new mode ") {
            self.set_mode(mode)
        } else if words.starts_with("deleted file mode ") {
            self.is_deleted = true;
            None
        } else if words.starts_with("rename from ") || words.starts_with("rename to ") {
            Some("the diff renames it; write the new file and delete the old one instead".to_owned())
        } else if words.starts_with("copy from ") || words.starts_with("copy to ") {
            Some("the diff copies another file; write its text instead".to_owned())
        } else if words.starts_with("GIT binary patch") || words.starts_with("Binary files ") {
            Some("the diff is of a file that is not text".to_owned())
        } else if words.starts_with("old mode ")
            || words.starts_with("index ")
            || words.starts_with("similarity index ")
        {
            None
        } else {
            return;
        };
        self.text.push_str(line);
        self.refused = self.refused.take().or(refused);
    }

    fn set_mode(&mut self, mode: &str) -> Option<String> {
        let mode = mode.trim();
        let number = u32::from_str_radix(mode, 8).ok();
        match (mode.get(..3), number) {
            (Some(REGULAR), Some(number)) => {
                self.executable = Some(number & OWNER_RUNS != 0);
                None
            }
            (Some(LINK), _) => Some(format!("the diff makes it a link (mode {mode}); only regular files are written")),
            (Some(SUBMODULE), _) => Some(format!("the diff makes it a submodule (mode {mode}); use git for that")),
            _ => Some(format!("the diff gives it the unknown mode {mode:?}; expected 100644 or 100755")),
        }
    }
}
