//! Replacement of texts that occur exactly once.

use serde::{Deserialize, Serialize};

use crate::encoding::with_endings_of;

/// A text and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    /// Text of the file, with as many lines around as make it unique.
    pub old: String,
    /// The new text.
    pub new: String,
}

/// Makes replacements one after the other, each in the result of those before it.
///
/// # Errors
/// Why one cannot be made, with its number.
pub(crate) fn replaced(text: &str, replacements: &[Replacement]) -> Result<String, String> {
    let mut text = text.to_owned();
    for (index, Replacement { old, new }) in replacements.iter().enumerate() {
        let number = index + 1;
        if old.is_empty() {
            return Err(format!("edit {number}: `old` is empty; expected text of the file"));
        }
        let old = with_endings_of(&text, old).into_owned();
        let new = with_endings_of(&text, new).into_owned();
        let mut places = text.match_indices(&old).map(|(at, _)| at);
        let Some(at) = places.next() else {
            let why = nearly(&text, &old);
            return Err(format!("edit {number}: `old` does not occur in the file{why}; copy it from the current file"));
        };
        let more = places.count();
        if more > 0 {
            let total = more + 1;
            return Err(format!("edit {number}: `old` occurs {total} times; add lines around it until it occurs once"));
        }
        text.replace_range(at..at + old.len(), &new);
    }
    Ok(text)
}

/// A hint if the text occurs with other blanks.
fn nearly(text: &str, old: &str) -> String {
    let line = old.lines().map(str::trim).find(|line| !line.is_empty());
    let found = line.and_then(|line| text.lines().position(|other| other.trim() == line));
    found.map_or_else(String::new, |at| {
        format!(" (line {} has its first line with other blanks or lines after it)", at + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str, pairs: &[(&str, &str)]) -> Result<String, String> {
        let all: Vec<Replacement> =
            pairs.iter().map(|(old, new)| Replacement { old: (*old).into(), new: (*new).into() }).collect();
        replaced(text, &all)
    }

    #[test]
    fn one_place_only() {
        assert_eq!(run("a b c", &[("b", "x"), ("x c", "y")]).as_deref(), Ok("a y"));
        assert_eq!(run("a\r\nb\r\n", &[("a\nb", "c\nd")]).as_deref(), Ok("c\r\nd\r\n"));
        assert!(run("a a", &[("a", "b")]).is_err_and(|why| why.contains("2 times")));
        assert!(run("  a(\n", &[(" a( x", "b")]).is_err_and(|why| why.contains("does not occur")));
        assert!(run("a", &[("", "b")]).is_err());
    }
}
