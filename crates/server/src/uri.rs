/// A URI, or a part of one, with its escapes resolved. `None` if an escape is damaged, or if what is left has a zero
/// byte or is not UTF-8.
pub(crate) fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut left = text.as_bytes();
    while let Some((&first, after)) = left.split_first() {
        let (byte, after) = match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                (digit(*high)? << 4 | digit(*low)?, after)
            }
            (b'%', _) => return None,
            (other, after) => (other, after),
        };
        if byte == 0 {
            return None;
        }
        bytes.push(byte);
        left = after;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_resolved_and_damaged_ones_refused() {
        for (text, expected) in [
            ("a/b.py", Some("a/b.py")),
            ("a%20b%2Fc", Some("a b/c")),
            ("caf%C3%A9", Some("café")),
            ("a%", None),
            ("a%2", None),
            ("a%g0", None),
            ("a%00", None),
            ("%ff", None),
        ] {
            assert_eq!(unescaped(text).as_deref(), expected, "{text}");
        }
    }
}
