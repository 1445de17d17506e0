//! Which names the standard headers declare: those that moved code uses come along.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A row for each header, under all its names: the names that it declares.
static HEADERS: LazyLock<Vec<(Vec<&'static str>, BTreeSet<&'static str>)>> = LazyLock::new(|| {
    let rows = include_str!("headers.txt").lines().filter_map(|line| line.split_once(':'));
    rows.map(|(names, declared)| (names.split_whitespace().collect(), declared.split_whitespace().collect())).collect()
});

/// The names that a header declares; `None` if it is not known.
pub(super) fn names_of_header(written: &str) -> Option<&'static BTreeSet<&'static str>> {
    HEADERS.iter().find(|(names, _)| names.contains(&written)).map(|(_, declared)| declared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_both_languages_declare_the_same() {
        assert!(names_of_header("cstring").is_some_and(|names| names.contains("memcpy")));
        assert_eq!(names_of_header("string.h"), names_of_header("cstring"));
        assert_eq!(names_of_header("event.h"), None);
    }
}
