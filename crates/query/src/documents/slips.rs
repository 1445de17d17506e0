//! Names that differ by one letter from another, as slips of the hand do.

/// Returns whether a name is another one with one letter too many, too few, wrong, or two exchanged. Forms of one word
/// are none: a plural, a number, another case, something in front or behind.
pub(super) fn is_slip(name: &str, other: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (name.chars().collect(), other.chars().collect());
    let front = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let most = a.len().min(b.len()) - front;
    let back = a.iter().rev().zip(b.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let (left, right) = (&a[front..a.len() - back], &b[front..b.len() - back]);
    let is_letter = |c: &char| c.is_alphabetic();
    match (left, right) {
        // A letter more or less, inside the name.
        ([], [extra]) | ([extra], []) => is_letter(extra) && front > 0 && back > 0,
        ([wrong], [right]) => {
            is_letter(wrong)
                && is_letter(right)
                && !wrong.to_lowercase().eq(right.to_lowercase())
                && front > 0
                && back > 0
        }
        ([a, b], [c, d]) => a == d && b == c && is_letter(a) && is_letter(b),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_slip;

    #[test]
    fn one_letter_makes_a_slip() {
        for (name, other, wanted) in [
            ("PersistenPostRun", "PersistentPostRun", true),
            ("connectionn_pool", "connection_pool", true),
            ("conenction_pool", "connection_pool", true),
            ("connecsion_pool", "connection_pool", true),
            ("connection_pools", "connection_pool", false),
            ("_connection_pool", "connection_pool", false),
            ("Connection_pool", "connection_pool", false),
            ("connection_pool2", "connection_pool3", false),
            ("connectionPool", "connection_pool", false),
            ("connection_pool", "connection_pool", false),
        ] {
            assert_eq!(is_slip(name, other), wanted, "{name} {other}");
        }
    }
}
