//! Unguessable ids with a readable part.

use crate::SessionError;

/// Maximum characters of an agent's name in an id.
const MAX_SLUG: usize = 24;
/// Digits of five bits each, without letters that look like others.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Number of digits that hold 128 bits.
const RANDOM_DIGITS: usize = 26;

/// The form of the random part of ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ids {
    /// 128 random bits.
    Random,
    /// A ULID: the time of creation, so that ids sort by it, and 80 random bits.
    Ulid,
}

/// Creates an id `<prefix>_<agent>_<random>`, with random bits from the operating system.
///
/// # Errors
/// [`SessionError::NoRandomness`].
pub(crate) fn mint(prefix: &str, agent: &str, form: Ids, now_ms: u64) -> Result<String, SessionError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| SessionError::NoRandomness { detail: error.to_string() })?;
    let random = u128::from_le_bytes(bytes);
    let end = match form {
        Ids::Random => digits(random),
        Ids::Ulid => ulid(now_ms, random),
    };
    Ok(format!("{prefix}_{}_{end}", slug(agent)))
}

/// The ULID of a time, with the low 80 of these bits.
fn ulid(now_ms: u64, random: u128) -> String {
    let number = u128::from(now_ms) << 80 | random & ((1 << 80) - 1);
    // The first digit comes first, so that the order of the texts is that of the times.
    digits(number).chars().rev().map(|digit| digit.to_ascii_uppercase()).collect()
}

fn digits(mut number: u128) -> String {
    let digit = |_| {
        let digit = DIGITS[(number & 31) as usize];
        number >>= 5;
        char::from(digit)
    };
    (0..RANDOM_DIGITS).map(digit).collect()
}

/// The letters and digits of a name in lower case, with `-` for other characters.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().take(MAX_SLUG) {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "agent".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_become_parts_of_ids() {
        let long = "x".repeat(99);
        let rows = [
            ("ann", "ann"),
            ("Review Bot_2", "review-bot-2"),
            ("../../etc", "etc"),
            ("", "agent"),
            ("漢字", "agent"),
            (&long, &long[..MAX_SLUG]),
        ];
        for (name, expected) in rows {
            assert_eq!(slug(name), expected, "{name}");
        }
    }

    #[test]
    fn digits_keep_every_bit() {
        assert_eq!(digits(0), "0".repeat(RANDOM_DIGITS));
        assert_eq!(digits(u128::MAX), format!("{}7", "z".repeat(RANDOM_DIGITS - 1)));
        assert_eq!(digits(1 << 127), format!("{}4", "0".repeat(RANDOM_DIGITS - 1)));
    }

    #[test]
    fn ulids_are_those_of_the_specification() {
        // The example of the specification: https://github.com/ulid/spec.
        assert_eq!(&ulid(1_469_918_176_385, 0)[..10], "01ARYZ6S41");
        assert_eq!(ulid(0, u128::MAX), format!("{}{}", "0".repeat(10), "Z".repeat(16)));
        let sorted = [ulid(1, u128::MAX), ulid(2, 0), ulid(40, 7)];
        assert!(sorted.is_sorted() && sorted.iter().all(|id| id.len() == RANDOM_DIGITS));
    }

    #[test]
    fn no_two_ids_are_the_same() {
        let ids: BTreeSet<String> = (0..1_000).map(|_| mint("lock", "ann", Ids::Random, 0).expect("random")).collect();
        assert_eq!(ids.len(), 1_000);
        assert!(ids.iter().all(|id| id.starts_with("lock_ann_") && id.len() == 9 + RANDOM_DIGITS));
    }
}
