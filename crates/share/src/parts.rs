//! Parts as they are stored: compressed by zstd.

use std::path::{Path, PathBuf};

use m1nd_base::ContentHash;

use crate::limits::MAX_STORED_PART;
use crate::{Part, ShareError};

/// Level of compression: higher ones take several times as long for a few per cent.
const LEVEL: i32 = 6;
/// Hexadecimal digits of the folder of a part.
const FOLDER_DIGITS: usize = 2;

/// Path of a part below the folder of its repository.
pub(crate) fn path_of(hash: &ContentHash) -> String {
    let hash = hash.to_string();
    format!("parts/{}/{hash}", &hash[..FOLDER_DIGITS])
}

/// Compresses the content of a part.
pub(crate) fn pack(content: &[u8]) -> Result<Vec<u8>, ShareError> {
    zstd::bulk::compress(content, LEVEL).map_err(ShareError::io("compress", Path::new("a part")))
}

/// Expands a part, to at most its size, and compares it with its hash.
///
/// # Errors
/// [`ShareError::BadPart`].
pub(crate) fn unpack(part: &Part, stored: &[u8]) -> Result<Vec<u8>, ShareError> {
    let bad = |why: &str| ShareError::BadPart { part: part.hash.to_string(), why: why.to_owned() };
    let size = part.size as usize;
    let content = zstd::bulk::decompress(stored, size).map_err(|_| bad("it cannot be expanded to its size"))?;
    if content.len() != size {
        return Err(bad("it is cut off"));
    }
    if ContentHash::of(&content) != part.hash {
        return Err(bad("its content has another hash"));
    }
    Ok(content)
}

/// Parts that were fetched before, as they are stored. None of them is trusted.
#[derive(Debug, Clone)]
pub(crate) struct PartCache {
    folder: PathBuf,
}

impl PartCache {
    /// Creates the folder.
    ///
    /// # Errors
    /// [`ShareError::Io`].
    pub(crate) fn open(folder: PathBuf) -> Result<Self, ShareError> {
        std::fs::create_dir_all(&folder).map_err(ShareError::io("create the folder", &folder))?;
        Ok(Self { folder })
    }

    /// The content of a part, if it is there and sound.
    pub(crate) fn find(&self, part: &Part) -> Option<Vec<u8>> {
        let path = self.path(part);
        let is_small = std::fs::metadata(&path).ok()?.len() <= MAX_STORED_PART;
        let stored = is_small.then(|| std::fs::read(&path).ok())??;
        unpack(part, &stored).ok()
    }

    /// Keeps a part. One that is cut off by a crash is fetched again.
    pub(crate) fn keep(&self, part: &Part, stored: &[u8]) {
        if let Err(error) = std::fs::write(self.path(part), stored) {
            // It only costs the next pull some time.
            let _ = (error, std::fs::remove_file(self.path(part)));
        }
    }

    /// Removes all parts but these.
    pub(crate) fn keep_only(&self, is_needed: impl Fn(&ContentHash) -> bool) {
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let hash = entry.file_name().to_str().and_then(ContentHash::parse);
            if !hash.is_some_and(|hash| is_needed(&hash)) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    fn path(&self, part: &Part) -> PathBuf {
        self.folder.join(part.hash.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::MAX_PART;

    #[test]
    fn damaged_parts_are_refused() {
        let content: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
        let part = Part { hash: ContentHash::of(&content), size: content.len() as u32 };
        let stored = pack(&content).expect("is packed");
        assert_eq!(unpack(&part, &stored).expect("is sound"), content);
        let mut poisoned = content.clone();
        poisoned[7] ^= 1;
        let zeros = vec![0; MAX_PART];
        let rows = [
            ("empty", Vec::new()),
            ("not compressed", content.clone()),
            ("cut off", stored[..stored.len() - 1].to_vec()),
            ("with a tail", [&stored[..], b"x"].concat()),
            ("poisoned", pack(&poisoned).expect("is packed")),
            ("shorter", pack(&content[..1000]).expect("is packed")),
            ("a bomb", pack(&zeros).expect("is packed").repeat(200)),
        ];
        for (what, row) in rows {
            let refused = unpack(&part, &row).expect_err(what);
            assert_eq!(refused.code(), "bad_part", "{what}");
        }
    }

    #[test]
    fn what_does_not_compress_stays_within_the_limit() {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"noise");
        let mut noise = vec![0; MAX_PART];
        hasher.finalize_xof().fill(&mut noise);
        assert!(pack(&noise).expect("is packed").len() as u64 <= MAX_STORED_PART);
    }
}
