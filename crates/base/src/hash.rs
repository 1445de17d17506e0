use std::fmt;

use serde::{Deserialize, Serialize};

/// BLAKE3 of some bytes: the identity of a file's content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Hashes `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The hash that these raw bytes are.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Parses the hexadecimal form.
    pub fn parse(text: &str) -> Option<Self> {
        let digits: Vec<u8> = text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
        let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
        let bytes: [u8; 32] = bytes.try_into().ok()?;
        (digits.len() == 64).then_some(Self(bytes))
    }

    /// The raw bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first eight bytes as a number, for use as a short key.
    pub fn short(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

#[cfg(test)]
mod parse_tests {
    use super::*;

    #[test]
    fn what_is_shown_is_parsed() {
        let hash = ContentHash::of(b"a");
        assert_eq!(ContentHash::parse(&hash.to_string()), Some(hash));
        for bad in ["", "ab", &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(ContentHash::parse(bad), None, "{bad}");
        }
    }
}
