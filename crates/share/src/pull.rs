//! Finds the nearest index of a store, and fetches the parts that are missing here.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use futures_util::StreamExt;
use futures_util::stream;
use m1nd_base::ContentHash;

use crate::limits::{MAX_ANCESTORS, MAX_MANIFEST, MAX_STORED_PART, REQUESTS};
use crate::parts::{PartCache, path_of, unpack};
use crate::{FileKind, FileParts, Origin, Part, Remote, ShareError, Signed, TrustedKey};

/// What to look for.
#[derive(Debug, Clone)]
pub struct Search {
    /// See [`Origin::repository`].
    pub repository: String,
    /// See [`Origin::versions`].
    pub versions: String,
    /// The checked-out commit and its ancestors, the nearest first.
    pub commits: Vec<String>,
}

/// An index of a store.
#[derive(Debug, Clone)]
pub struct Found {
    /// What it is of.
    pub origin: Origin,
    /// Its place among the commits that were asked for: 0 is the checked-out one.
    pub distance: usize,
    /// Its manifest.
    pub signed: Signed,
}

/// What was pulled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pulled {
    /// The files.
    pub files: Vec<(FileKind, PathBuf)>,
    /// Number of parts of the index.
    pub parts: usize,
    /// Number of parts that were missing here.
    pub fetched_parts: usize,
    /// Bytes received, compressed.
    pub fetched_bytes: u64,
    /// Size of the index in bytes.
    pub bytes: u64,
}

/// Finds the nearest commit of which the store has an index.
///
/// # Errors
/// [`ShareError::NotFound`]; [`ShareError::Unreachable`]; those of [`Signed::open`]: an index that is refused ends the
/// search, so that somebody sees it.
pub async fn find(remote: &Remote, search: &Search, trusted: &[TrustedKey]) -> Result<Found, ShareError> {
    let commits = &search.commits[..search.commits.len().min(MAX_ANCESTORS)];
    let origins: Vec<Origin> = commits
        .iter()
        .map(|commit| Origin {
            repository: search.repository.clone(),
            versions: search.versions.clone(),
            commit: commit.clone(),
        })
        .collect();
    origins.iter().try_for_each(Origin::check)?;
    let paths: Vec<String> = origins.iter().map(Origin::path).collect();
    // Several at once, and the nearest counts.
    let mut answers = stream::iter(&paths).map(|path| remote.has(path)).buffered(REQUESTS).enumerate();
    while let Some((distance, has)) = answers.next().await {
        if !has? {
            continue;
        }
        let Some(text) = remote.get(&paths[distance], "size of a manifest in bytes", MAX_MANIFEST).await? else {
            continue;
        };
        let origin = origins[distance].clone();
        let signed = Signed::open(&text, &origin, trusted)?;
        return Ok(Found { origin, distance, signed });
    }
    Err(ShareError::NotFound { asked: origins.len().saturating_sub(1) })
}

/// Counts what is fetched.
#[derive(Default)]
struct Counts {
    parts: AtomicUsize,
    bytes: AtomicU64,
}

/// Fetches an index into `folder`. Parts are kept in `cache` for the next time; those that this index does not need are
/// removed.
///
/// # Errors
/// [`ShareError::MissingPart`], [`ShareError::BadPart`], [`ShareError::TooLarge`], [`ShareError::Unreachable`],
/// [`ShareError::Io`].
pub async fn pull(remote: &Remote, found: &Found, folder: &Path, cache: &Path) -> Result<Pulled, ShareError> {
    let manifest = &found.signed.manifest;
    let repository = found.origin.folder();
    let cache = PartCache::open(cache.join(&repository))?;
    let counts = Arc::new(Counts::default());
    let mut files = Vec::new();
    for file in &manifest.files {
        let path = folder.join(file.kind.name());
        let fetcher = Fetcher { remote: remote.clone(), repository: repository.clone(), cache: cache.clone() };
        fetch_file(fetcher, file, &path, &counts).await?;
        files.push((file.kind, path));
    }
    let needed: BTreeSet<ContentHash> = manifest.parts().map(|part| part.hash).collect();
    cache.keep_only(|hash| needed.contains(hash));
    Ok(Pulled {
        files,
        parts: manifest.parts().count(),
        fetched_parts: counts.parts.load(Ordering::Relaxed),
        fetched_bytes: counts.bytes.load(Ordering::Relaxed),
        bytes: manifest.size(),
    })
}

/// Writes a file, part by part. Some of them are fetched ahead.
async fn fetch_file(fetcher: Fetcher, file: &FileParts, path: &Path, counts: &Arc<Counts>) -> Result<(), ShareError> {
    let writing = |error| ShareError::io("write", path)(error);
    let mut out = BufWriter::new(File::create(path).map_err(writing)?);
    let mut whole = blake3::Hasher::new();
    let tasks = file.parts.iter().map(|part| {
        let (part, fetcher, counts) = (*part, fetcher.clone(), counts.clone());
        async move {
            // A task of its own: expanding takes the time of a processor.
            let task = tokio::spawn(async move { fetcher.fetch(&part, &counts).await });
            task.await.map_err(|error| ShareError::BadPart { part: part.hash.to_string(), why: error.to_string() })?
        }
    });
    let mut contents = stream::iter(tasks).buffered(REQUESTS);
    while let Some(content) = contents.next().await {
        let content = content?;
        whole.update(&content);
        out.write_all(&content).map_err(writing)?;
    }
    out.flush().map_err(writing)?;
    if ContentHash::from_bytes(*whole.finalize().as_bytes()) != file.hash {
        let why = format!("the parts of `{}` do not make the signed file", file.kind.name());
        return Err(ShareError::BadPart { part: file.hash.to_string(), why });
    }
    Ok(())
}

/// Where parts are.
#[derive(Clone)]
struct Fetcher {
    remote: Remote,
    /// Folder of the repository in the store.
    repository: String,
    cache: PartCache,
}

impl Fetcher {
    /// The content of a part: from here, else from the store.
    async fn fetch(&self, part: &Part, counts: &Counts) -> Result<Vec<u8>, ShareError> {
        if let Some(content) = self.cache.find(part) {
            return Ok(content);
        }
        let path = format!("{}/{}", self.repository, path_of(&part.hash));
        let stored = self.remote.get(&path, "size of a compressed part in bytes", MAX_STORED_PART).await?;
        let stored = stored.ok_or_else(|| ShareError::MissingPart { part: part.hash.to_string() })?;
        let content = unpack(part, &stored)?;
        counts.parts.fetch_add(1, Ordering::Relaxed);
        counts.bytes.fetch_add(stored.len() as u64, Ordering::Relaxed);
        self.cache.keep(part, &stored);
        Ok(content)
    }
}
