/// Unchanged lines shown around a change.
const CONTEXT: usize = 2;

/// Lines changed by a single edit, each with `-`, `+` or a space for context.
pub(crate) fn changed_lines(before: &str, after: &str) -> Vec<(char, String)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let limit = old.len().min(new.len()) - same;
    let same_end = old.iter().rev().zip(new.iter().rev()).take(limit).take_while(|(a, b)| a == b).count();
    let lines = |mark: char, lines: &[&str]| lines.iter().map(|line| (mark, (*line).to_owned())).collect::<Vec<_>>();
    let mut out = lines(' ', &old[same.saturating_sub(CONTEXT)..same]);
    out.extend(lines('-', &old[same..old.len() - same_end]));
    out.extend(lines('+', &new[same..new.len() - same_end]));
    let tail = old.len() - same_end;
    out.extend(lines(' ', &old[tail..(tail + CONTEXT).min(old.len())]));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, expected: &str) {
        let shown: Vec<String> =
            changed_lines(before, after).into_iter().map(|(mark, line)| format!("{mark}{line}")).collect();
        assert_eq!(shown.join("|"), expected);
    }

    #[test]
    fn a_change_is_shown_with_its_surroundings() {
        check("a\nb\nc\nd\n", "a\nb\nX\nc\nd\n", " a| b|+X| c| d");
        check("a\nb\n", "a\nc\n", " a|-b|+c");
        check("", "a\n", "+a");
        check("a\na\n", "a\na\na\n", " a| a|+a");
        check("a\n", "a\n", " a");
    }
}
