//! The signed list of the parts of an index.
//!
//! ```text
//! m1nd-share 1
//! key ed25519:…
//! signature …
//! {"repository": …, "versions": …, "commit": …, "files": […]}
//! ```
//! Key and signature are checked before the JSON is parsed.

use m1nd_base::ContentHash;
use serde::{Deserialize, Serialize};

use crate::keys::{decode_hex, encode_hex};
use crate::limits::{MAX_FILE, MAX_MANIFEST, MAX_NAME, MAX_PART, MAX_PARTS};
use crate::{PublicKey, SecretKey, ShareError, TrustedKey};

/// First line of a manifest.
const FIRST_LINE: &str = "m1nd-share 1";
/// What is signed before the JSON, so that no other text signed by the same key is a manifest.
const DOMAIN: &[u8] = b"m1nd-share 1 manifest\n";
/// Hexadecimal digits of the folder of a repository.
const FOLDER_DIGITS: usize = 32;
/// Maximum length of the text of versions, in bytes.
const MAX_VERSIONS: usize = 100;
/// Number of hexadecimal digits of a commit.
const COMMIT_DIGITS: usize = 40;

/// What an index is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Name of the repository, such as `github.com/owner/name`: the same on all machines.
    pub repository: String,
    /// Versions of everything in the index.
    pub versions: String,
    /// The commit, in hexadecimal.
    pub commit: String,
}

impl Origin {
    /// Checks that the texts can be paths in a store.
    ///
    /// # Errors
    /// [`ShareError::BadManifest`].
    pub fn check(&self) -> Result<(), ShareError> {
        let is_name = !self.repository.is_empty()
            && self.repository.len() <= MAX_NAME
            && !self.repository.chars().any(char::is_control);
        let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let are_versions = (1..=MAX_VERSIONS).contains(&self.versions.len()) && self.versions.bytes().all(is_word);
        let is_commit = self.commit.len() == COMMIT_DIGITS && self.commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        let rows = [(is_name, "name of the repository"), (are_versions, "versions"), (is_commit, "commit")];
        match rows.into_iter().find(|(is_sound, _)| !is_sound) {
            None => Ok(()),
            Some((_, what)) => Err(self.refuse(format!("the {what} cannot be a path in a store"))),
        }
    }

    fn refuse(&self, why: impl Into<String>) -> ShareError {
        let commit = self.commit.chars().filter(|c| !c.is_control()).take(COMMIT_DIGITS).collect();
        ShareError::BadManifest { commit, why: why.into() }
    }

    /// Folder of the repository in the store: a hash, since names have slashes and any length.
    pub(crate) fn folder(&self) -> String {
        let hash = ContentHash::of(format!("m1nd-share repository {}", self.repository).as_bytes()).to_string();
        hash[..FOLDER_DIGITS].to_owned()
    }

    /// Path of the manifest.
    pub(crate) fn path(&self) -> String {
        format!("{}/{}/{}", self.folder(), self.versions, self.commit)
    }
}

/// A file of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// The snapshot.
    Snapshot,
    /// Rows of the facts cache.
    Facts,
}

impl FileKind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Snapshot, Self::Facts];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Snapshot => "snapshot",
            Self::Facts => "facts",
        }
    }
}

/// A part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// BLAKE3 of its content.
    #[serde(with = "hash_text")]
    pub hash: ContentHash,
    /// Size of its content in bytes.
    pub size: u32,
}

/// A file and its parts, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileParts {
    /// Which file it is.
    pub kind: FileKind,
    /// Its size in bytes.
    pub size: u64,
    /// BLAKE3 of the file.
    #[serde(with = "hash_text")]
    pub hash: ContentHash,
    /// Its parts.
    pub parts: Vec<Part>,
}

/// What an index consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// See [`Origin::repository`].
    pub repository: String,
    /// See [`Origin::versions`].
    pub versions: String,
    /// See [`Origin::commit`].
    pub commit: String,
    /// Its files, each once.
    pub files: Vec<FileParts>,
}

impl Manifest {
    /// All parts.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.files.iter().flat_map(|file| &file.parts)
    }

    /// Size of all files in bytes.
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    /// Checks that it is of what was asked for, whole, and within the limits.
    fn check(&self, asked: &Origin) -> Result<(), ShareError> {
        let rows = [
            ("repository", &self.repository, &asked.repository),
            ("version of m1nd", &self.versions, &asked.versions),
            ("commit", &self.commit, &asked.commit),
        ];
        for (what, found, expected) in rows {
            if found != expected {
                let found = found.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
                let (commit, expected) = (asked.commit.clone(), expected.clone());
                return Err(ShareError::Foreign { commit, what, found, expected });
            }
        }
        let mut kinds: Vec<FileKind> = self.files.iter().map(|file| file.kind).collect();
        kinds.sort_unstable();
        if kinds != FileKind::ALL {
            return Err(asked.refuse("it does not list each file once"));
        }
        for file in &self.files {
            let largest = file.parts.iter().map(|part| u64::from(part.size)).max().unwrap_or(0);
            let rows = [
                ("parts of a file", file.parts.len() as u64, MAX_PARTS as u64),
                ("size of a file in bytes", file.size, MAX_FILE),
                ("size of a part in bytes", largest, MAX_PART as u64),
            ];
            if let Some((what, found, limit)) = rows.into_iter().find(|(_, found, limit)| found > limit) {
                return Err(ShareError::TooLarge { what, found, limit });
            }
            if file.parts.iter().map(|part| u64::from(part.size)).sum::<u64>() != file.size {
                return Err(asked.refuse("the parts of a file do not have its size"));
            }
        }
        Ok(())
    }

    /// The text of the signed manifest.
    ///
    /// # Errors
    /// [`ShareError::TooLarge`].
    pub fn sign(&self, key: &SecretKey) -> Result<Vec<u8>, ShareError> {
        let json = serde_json::to_vec(self).unwrap_or_default();
        let signature = encode_hex(&key.sign(&[DOMAIN, &json].concat()));
        let mut text = format!("{FIRST_LINE}\nkey {}\nsignature {signature}\n", key.public()).into_bytes();
        text.extend_from_slice(&json);
        let (what, found, limit) = ("size of a manifest in bytes", text.len() as u64, MAX_MANIFEST);
        if found > limit { Err(ShareError::TooLarge { what, found, limit }) } else { Ok(text) }
    }
}

/// A manifest whose signature was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// The manifest.
    pub manifest: Manifest,
    /// The key that signed it.
    pub key: PublicKey,
}

impl Signed {
    /// Opens the manifest of what was asked for. The key and the signature are checked before anything else is read.
    ///
    /// # Errors
    /// [`ShareError::Untrusted`], [`ShareError::BadSignature`], [`ShareError::Foreign`], [`ShareError::BadManifest`],
    /// [`ShareError::TooLarge`].
    pub fn open(text: &[u8], asked: &Origin, trusted: &[TrustedKey]) -> Result<Self, ShareError> {
        let commit = asked.commit.clone();
        let (key, signature, json) = split_head(text).ok_or_else(|| asked.refuse("it does not begin as one"))?;
        let key = PublicKey::parse(key).map_err(|_| asked.refuse("its key is not one"))?;
        if !trusted.iter().any(|known| known.key == key) {
            return Err(ShareError::Untrusted { commit, key: key.to_string() });
        }
        let is_signed =
            decode_hex(signature).is_some_and(|signature| key.has_signed(&[DOMAIN, json].concat(), &signature));
        if !is_signed {
            return Err(ShareError::BadSignature { commit });
        }
        let manifest: Manifest = serde_json::from_slice(json).map_err(|error| asked.refuse(error.to_string()))?;
        manifest.check(asked)?;
        Ok(Self { manifest, key })
    }
}

/// Key, signature and JSON of a manifest.
fn split_head(text: &[u8]) -> Option<(&str, &str, &[u8])> {
    let mut lines = text.splitn(4, |byte| *byte == b'\n');
    let mut next_text = || std::str::from_utf8(lines.next()?).ok();
    let (first, key, signature) = (next_text()?, next_text()?, next_text()?);
    if first != FIRST_LINE {
        return None;
    }
    Some((key.strip_prefix("key ")?, signature.strip_prefix("signature ")?, lines.next()?))
}

/// A hash as its hexadecimal text.
mod hash_text {
    use m1nd_base::ContentHash;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(hash: &ContentHash, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(hash)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<ContentHash, D::Error> {
        let text = String::deserialize(from)?;
        ContentHash::parse(&text).ok_or_else(|| serde::de::Error::custom("a hash is not 64 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests;
