//! Writes the parts of an index that a store does not have, then the manifest.

use std::fs::File;
use std::path::PathBuf;

use m1nd_base::ContentHash;
use tokio::task::JoinSet;

use crate::chunks::Chunks;
use crate::limits::{MAX_FILE, MAX_PARTS, REQUESTS};
use crate::parts::{pack, path_of};
use crate::{FileKind, FileParts, Manifest, Origin, Part, PublicKey, Remote, SecretKey, ShareError};

/// A file to be pushed.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Which one it is.
    pub kind: FileKind,
    /// Its path.
    pub path: PathBuf,
}

/// What was pushed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pushed {
    /// Number of parts of the index.
    pub parts: usize,
    /// Number of parts that the store did not have.
    pub new_parts: usize,
    /// Size of the index in bytes.
    pub bytes: u64,
    /// Bytes sent, compressed.
    pub sent_bytes: u64,
    /// The key that signed it.
    pub key: PublicKey,
}

/// Pushes an index. With `rewrites`, also the parts that the store has. The manifest is written last: before that,
/// nobody finds the index.
///
/// # Errors
/// [`ShareError::Unreachable`], [`ShareError::ReadOnly`], [`ShareError::TooLarge`], [`ShareError::Io`].
pub async fn push(
    remote: &Remote,
    origin: &Origin,
    files: &[SourceFile],
    key: &SecretKey,
    rewrites: bool,
) -> Result<Pushed, ShareError> {
    origin.check()?;
    let folder = origin.folder();
    let mut known = match rewrites {
        true => Default::default(),
        false => remote.list_hashes(&format!("{folder}/parts")).await?,
    };
    let mut pushed = Pushed { parts: 0, new_parts: 0, bytes: 0, sent_bytes: 0, key: key.public() };
    let Origin { repository, versions, commit } = origin.clone();
    let mut manifest = Manifest { repository, versions, commit, files: Vec::new() };
    // Parts are sent while the next ones are cut.
    let mut running: JoinSet<Result<(), ShareError>> = JoinSet::new();
    for SourceFile { kind, path } in files {
        let reading = |error| ShareError::io("read", path)(error);
        let mut file = FileParts { kind: *kind, size: 0, hash: ContentHash::of(b""), parts: Vec::new() };
        let mut whole = blake3::Hasher::new();
        for content in Chunks::new(File::open(path).map_err(reading)?) {
            let content = content.map_err(reading)?;
            whole.update(&content);
            let part = Part { hash: ContentHash::of(&content), size: content.len() as u32 };
            file.size += content.len() as u64;
            file.parts.push(part);
            check_size(&file)?;
            if !known.insert(*part.hash.as_bytes()) {
                continue;
            }
            let stored = pack(&content)?;
            pushed.new_parts += 1;
            pushed.sent_bytes += stored.len() as u64;
            if running.len() >= REQUESTS {
                finish_one(&mut running).await?;
            }
            let (remote, path) = (remote.clone(), format!("{folder}/{}", path_of(&part.hash)));
            running.spawn(async move { remote.put(&path, stored).await });
        }
        file.hash = ContentHash::from_bytes(*whole.finalize().as_bytes());
        pushed.parts += file.parts.len();
        pushed.bytes += file.size;
        manifest.files.push(file);
    }
    while !running.is_empty() {
        finish_one(&mut running).await?;
    }
    remote.put(&origin.path(), manifest.sign(key)?).await?;
    Ok(pushed)
}

fn check_size(file: &FileParts) -> Result<(), ShareError> {
    let rows = [
        ("parts of a file", file.parts.len() as u64, MAX_PARTS as u64),
        ("size of a file in bytes", file.size, MAX_FILE),
    ];
    match rows.into_iter().find(|(_, found, limit)| found > limit) {
        Some((what, found, limit)) => Err(ShareError::TooLarge { what, found, limit }),
        None => Ok(()),
    }
}

/// Waits for one of the requests.
async fn finish_one(running: &mut JoinSet<Result<(), ShareError>>) -> Result<(), ShareError> {
    match running.join_next().await {
        Some(Ok(done)) => done,
        Some(Err(error)) => Err(ShareError::Io {
            doing: "send",
            path: PathBuf::from("a part"),
            source: std::io::Error::other(error.to_string()),
        }),
        None => Ok(()),
    }
}
