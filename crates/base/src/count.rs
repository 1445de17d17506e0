/// A number with its noun: `1 file`, `2 files`, `3 memories`, `2 batches`.
#[must_use]
pub fn count(number: usize, noun: &str) -> String {
    let (stem, plural) = match noun.strip_suffix('y') {
        // `day` keeps its `y`.
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => (stem, "ies"),
        _ if noun.ends_with("ch") => (noun, "es"),
        _ => (noun, "s"),
    };
    if number == 1 { format!("1 {noun}") } else { format!("{number} {stem}{plural}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_more() {
        let rows = [
            (0, "file", "0 files"),
            (1, "memory", "1 memory"),
            (2, "memory", "2 memories"),
            (2, "day", "2 days"),
            (3, "batch", "3 batches"),
            (1, "batch", "1 batch"),
        ];
        for (number, noun, expected) in rows {
            assert_eq!(count(number, noun), expected);
        }
    }
}
