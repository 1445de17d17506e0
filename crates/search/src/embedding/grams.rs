//! Character n-grams, which give a vector to words that are not in the table.

/// Number of rows that n-grams are hashed into.
pub const BUCKETS: u32 = 2048;
/// Lengths of the n-grams in bytes, including the boundary markers.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=5;
/// Longest word that is split into n-grams, in bytes.
const MAX_LEN: usize = 32;
/// Maximum number of n-grams of a word: it has one of each length at each place of its bytes and markers.
pub(super) const MAX_PIECES: usize = 3 * (MAX_LEN + 2);

/// Calls `each` with the row, below `buckets`, of each n-gram of `word`. A repeated n-gram is reported twice.
/// Non-Latin and very long words have no n-grams.
pub fn buckets_of(word: &str, buckets: u32, mut each: impl FnMut(u32)) {
    let fits = word.len() <= MAX_LEN && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !fits || buckets == 0 || word.is_empty() {
        return;
    }
    let mut marked = [b'<'; MAX_LEN + 2];
    marked[1..=word.len()].copy_from_slice(word.as_bytes());
    marked[word.len() + 1] = b'>';
    let marked = &marked[..word.len() + 2];
    for length in LENGTHS {
        marked.windows(length).for_each(|piece| each(hash(piece) % buckets));
    }
}

/// FNV-1a, folded: stable across machines and versions, because the table depends on it.
fn hash(piece: &[u8]) -> u32 {
    let long = piece
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    (long ^ long >> 32) as u32
}
