//! Base64, as RFC 4648 defines it.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().chain([&0; 2]).take(3).fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            out.push(if place > group.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

/// Base64 for addresses, without padding.
pub(crate) fn encode_for_addresses(bytes: &[u8]) -> String {
    encode(bytes).trim_end_matches('=').replace('+', "-").replace('/', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_encoded_as_the_standard_says() {
        // Section 10.
        for (bytes, expected) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(encode(bytes.as_bytes()), expected, "{bytes}");
            assert_eq!(encode_for_addresses(bytes.as_bytes()), expected.trim_end_matches('='), "{bytes}");
        }
        assert_eq!((&*encode(&[0xff, 0xef]), &*encode_for_addresses(&[0xff, 0xef])), ("/+8=", "_-8"));
    }
}
