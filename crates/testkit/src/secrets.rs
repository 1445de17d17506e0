//! Secrets as people write them down, generated from a table so that no file of the repository holds one.

use crate::Random;

const TABLE: &str = include_str!("secrets.txt");
/// Seed of the generated parts: the same in every run.
const SEED: u64 = 0x005e_c2e7;
/// Words for passphrases and passwords.
const WORDS: &[&str] = &["walnut", "harbor", "violin", "copper", "meadow", "falcon", "ginger", "tundra"];

/// A text that holds a secret.
#[derive(Debug, Clone)]
pub struct SeededSecret {
    /// The row of the table.
    pub row: &'static str,
    /// The text; a few have several lines.
    pub text: String,
    /// What nobody may be shown.
    pub parts: Vec<String>,
}

/// All rows of the table.
#[must_use]
pub fn seeded_secrets() -> Vec<SeededSecret> {
    let mut random = Random::new(SEED);
    rows().map(|row| seed_secret(row, &mut random)).collect()
}

/// The secrets of each row of the table with so many random values; which values follows from the row alone.
pub fn many_seeded_secrets(values: usize) -> impl Iterator<Item = Vec<SeededSecret>> {
    rows().map(move |row| {
        let seed = row.bytes().fold(SEED, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
        let mut random = Random::new(seed);
        (0..values).map(|_| seed_secret(row, &mut random)).collect()
    })
}

fn rows() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter(|row| !row.starts_with('#') && !row.is_empty())
}

fn seed_secret(row: &'static str, random: &mut Random) -> SeededSecret {
    let (mut text, mut parts, mut rest) = (String::new(), Vec::new(), row);
    while let Some((before, behind)) = rest.split_once('{') {
        let is_part = |part: &str| {
            let (kind, length) = part.split_at_checked(1).unwrap_or_default();
            kind.bytes().all(|byte| byte.is_ascii_lowercase()) && length.bytes().all(|byte| byte.is_ascii_digit())
        };
        let Some((part, after)) = behind.split_once('}').filter(|(part, _)| !part.is_empty() && is_part(part)) else {
            // A brace of the text itself.
            text.push_str(&rest[..=before.len()]);
            rest = behind;
            continue;
        };
        let generated = generate_part(part, random);
        text.push_str(before);
        text.push_str(&generated);
        parts.extend((generated.len() >= MIN_PART).then_some(generated));
        rest = after;
    }
    text.push_str(rest);
    SeededSecret { row, text: text.replace('|', "").replace("\\n", "\n"), parts }
}

/// Shortest part that is looked for: shorter ones occur by chance.
const MIN_PART: usize = 6;

fn generate_part(part: &str, random: &mut Random) -> String {
    let (kind, length) = part.split_at(1);
    let length = length.parse().unwrap_or(0);
    let alphabet = match kind {
        "h" => "0123456789abcdef",
        "u" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "a" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "t" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_",
        "b" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "o" => "abcdefghijklmnopqrstuvwxyz234567",
        "e" => "abcdefghijklmnopqrstuvwxyz0123456789",
        "c" => "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "d" => "123456789",
        "l" => "bcdfghjklmnpqrstvwxz",
        "w" => return format!("{}{}!", word(random), random.below(90) + 10),
        "k" => return (0..length).map(|_| word(random)).collect::<Vec<_>>().join("-"),
        "p" => return (0..length).map(|_| word(random)).collect::<Vec<_>>().join(" "),
        other => panic!("no generator `{other}`"),
    };
    (0..length).map(|_| char::from(alphabet.as_bytes()[random.below(alphabet.len())])).collect()
}

fn word(random: &mut Random) -> &'static str {
    WORDS[random.below(WORDS.len())]
}
