//! Short checksums of stored rows, because SQLite does not detect a changed byte inside a value.

/// Bytes of a checksum.
pub(crate) const LEN: usize = 8;

/// Checksum of several parts. Each part is hashed with its length.
pub(crate) fn of(parts: &[&[u8]]) -> [u8; LEN] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut sum = [0; LEN];
    sum.copy_from_slice(&hasher.finalize().as_bytes()[..LEN]);
    sum
}
