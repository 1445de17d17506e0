//! Storage format of a history. It is derived data: if it does not fit, the history is read again.

use m1nd_base::ContentHash;

use crate::history::{History, Record};

/// Magic bytes.
const MAGIC: &[u8; 8] = b"m1ndhist";
/// Format version; incremented with every change of the content or of how it is computed.
const FORMAT: u32 = 4;
/// Size of the header: magic, format, hash of the content.
const HEAD: usize = 8 + 4 + 32;

/// The reason why stored bytes are not a usable history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StoredError {
    /// Damaged: quarantine it and rebuild.
    #[error("the stored history is damaged: {0}")]
    Damaged(&'static str),
    /// Written by another version of this program: rebuild.
    #[error("the stored history has another format")]
    OtherFormat,
}

/// Encodes a history.
///
/// # Errors
/// If it cannot be encoded.
pub fn encode(history: &History) -> Result<Vec<u8>, postcard::Error> {
    let content = postcard::to_allocvec(&history.record)?;
    let mut bytes = Vec::with_capacity(HEAD + content.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&FORMAT.to_le_bytes());
    bytes.extend_from_slice(ContentHash::of(&content).as_bytes());
    bytes.extend_from_slice(&content);
    Ok(bytes)
}

/// Decodes a history.
///
/// # Errors
/// [`StoredError`].
pub fn decode(bytes: &[u8]) -> Result<History, StoredError> {
    let head = bytes.get(..HEAD).ok_or(StoredError::Damaged("it is cut off"))?;
    if &head[..8] != MAGIC {
        return Err(StoredError::Damaged("it does not begin as a history does"));
    }
    if head[8..12] != FORMAT.to_le_bytes() {
        return Err(StoredError::OtherFormat);
    }
    let content = &bytes[HEAD..];
    if ContentHash::of(content).as_bytes() != &head[12..] {
        return Err(StoredError::Damaged("its checksum does not match"));
    }
    let record: Record =
        postcard::from_bytes(content).map_err(|_| StoredError::Damaged("its content does not fit its format"))?;
    let paths = record.paths.len();
    let fits = |number: u32| (number as usize) < paths;
    let touches = || record.commits.iter().flat_map(|commit| commit.touches.iter());
    if !touches().all(|touch| fits(touch.path) && touch.from.is_none_or(fits)) {
        return Err(StoredError::Damaged("a commit touches a path that is not in it"));
    }
    Ok(History::new(record))
}
