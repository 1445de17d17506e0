//! Types of the standard library: what they are derived from, and what their methods return.
//!
//! `types.txt` has a line for each public class and interface of the packages that code uses most. After the name, `!`
//! marks final classes, and `/2` types of functions with two parameters (`/2v` if they return nothing). Bases follow
//! after `:`, results after `|`, as `type=method,method`; `type*` has type arguments, and `type[]` is
//! an array.

use std::sync::{LazyLock, OnceLock};

use rustc_hash::FxHashMap;

use crate::rules::StandardType;

/// A line of the table, which is read when its type is first asked for: a project uses few of them.
struct Row {
    line: &'static str,
    read: OnceLock<StandardType>,
}

static ROWS: LazyLock<FxHashMap<&'static str, Row>> = LazyLock::new(|| {
    let name = |line: &'static str| line.split(['!', '/', ':']).next().unwrap_or(line);
    include_str!("types.txt").lines().map(|line| (name(line), Row { line, read: OnceLock::new() })).collect()
});

/// The standard type of a name.
pub(super) fn find(name: &str) -> Option<&'static StandardType> {
    ROWS.get(name).map(|row| row.read.get_or_init(|| parse(row.line)))
}

fn parse(line: &'static str) -> StandardType {
    let (head, rest) = line.split_once(':').unwrap_or((line, ""));
    let (bases, results) = rest.split_once('|').unwrap_or((rest, ""));
    let (name, function) = match head.split_once('/') {
        Some((name, function)) => (name, Some(function)),
        None => (head, None),
    };
    let function = function.and_then(|text| {
        let count = text.trim_end_matches('v').parse().ok()?;
        Some((count, !text.ends_with('v')))
    });
    let pairs = results.split_whitespace().filter_map(|word| word.split_once('='));
    let mut results: Vec<(&str, &str)> =
        pairs.flat_map(|(ty, methods)| methods.split(',').map(move |method| (method, ty))).collect();
    results.sort_unstable();
    StandardType { is_final: name.ends_with('!'), bases: bases.split_whitespace().collect(), results, function }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_are_read() {
        assert_eq!(ROWS.len(), include_str!("types.txt").lines().count());
        assert!(include_str!("types.txt").lines().all(|line| line.contains(':')));
        let text = find("String").expect("known");
        assert!(text.is_final && text.bases.contains(&"CharSequence"));
        assert!(text.results.contains(&("length", "int")) && text.results.contains(&("split", "String[]")));
        assert_eq!(find("Runnable").and_then(|known| known.function), Some((0, false)));
        assert_eq!(find("BiFunction").and_then(|known| known.function), Some((2, true)));
    }
}
