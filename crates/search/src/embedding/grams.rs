//! Pieces of words, so that a word that the table does not hold still has a vector.

/// Number of rows that pieces of words share.
pub const BUCKETS: u32 = 2048;
/// Lengths of the pieces in bytes, the marks of beginning and end included.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=5;
/// Longest word whose pieces are looked at, in bytes.
const MAX_LEN: usize = 32;

/// Calls `each` with the number of the row, below `buckets`, of each piece of `word`. A piece that stands twice is given
/// twice. Words of other scripts than Latin, and very long ones, have no pieces.
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

/// FNV-1a, folded: the same on every machine and for ever, since the table depends on it.
fn hash(piece: &[u8]) -> u32 {
    let long = piece
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    (long ^ long >> 32) as u32
}
