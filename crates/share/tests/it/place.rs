use std::fs;
use std::path::{Path, PathBuf};

use m1nd_share::{
    FileKind, Found, Origin, Pulled, Pushed, Remote, Search, SecretKey, ShareError, SourceFile, TrustedKey, find, pull,
    push,
};
use tempfile::TempDir;

/// A store in a folder, and the machine of somebody who uses it.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
    pub(crate) key: SecretKey,
}

/// The commit of a number.
pub(crate) fn commit(number: usize) -> String {
    format!("{number:040x}")
}

pub(crate) fn origin(number: usize) -> Origin {
    Origin { repository: "example.org/a/b".into(), versions: "f1".into(), commit: commit(number) }
}

/// Bytes that look random and do not compress.
pub(crate) fn build_noise(count: usize, seed: &str) -> Vec<u8> {
    let mut bytes = vec![0; count];
    blake3::Hasher::new().update(seed.as_bytes()).finalize_xof().fill(&mut bytes);
    bytes
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().expect("a folder"), key: SecretKey::generate().expect("a key") }
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    pub(crate) fn list_trusted(&self) -> Vec<TrustedKey> {
        vec![TrustedKey { key: self.key.public(), name: "own".into() }]
    }

    /// Pushes two files with these contents.
    pub(crate) async fn push(&self, of: &Origin, snapshot: &[u8], facts: &[u8]) -> Result<Pushed, ShareError> {
        self.push_with(of, snapshot, facts, false).await
    }

    pub(crate) async fn push_with(
        &self,
        of: &Origin,
        snapshot: &[u8],
        facts: &[u8],
        rewrites: bool,
    ) -> Result<Pushed, ShareError> {
        let file = |kind: FileKind, bytes: &[u8]| {
            let path = self.folder.path().join(format!("source-{}", kind.name()));
            fs::write(&path, bytes).expect("writes");
            SourceFile { kind, path }
        };
        let files = [file(FileKind::Snapshot, snapshot), file(FileKind::Facts, facts)];
        let remote = Remote::open(&self.store().display().to_string(), true)?;
        push(&remote, of, &files, &self.key, rewrites).await
    }

    /// Finds the nearest of these commits in the folder.
    pub(crate) async fn find(&self, commits: &[usize]) -> Result<(Remote, Found), ShareError> {
        let remote = Remote::open(&self.store().display().to_string(), false)?;
        self.find_in(remote, commits).await
    }

    pub(crate) async fn find_in(&self, remote: Remote, commits: &[usize]) -> Result<(Remote, Found), ShareError> {
        let Origin { repository, versions, .. } = origin(0);
        let search = Search { repository, versions, commits: commits.iter().map(|number| commit(*number)).collect() };
        let found = find(&remote, &search, &self.list_trusted()).await?;
        Ok((remote, found))
    }

    /// Pulls the nearest of these commits; returns the contents of both files.
    pub(crate) async fn pull(&self, commits: &[usize]) -> Result<(Pulled, Vec<Vec<u8>>), ShareError> {
        let (remote, found) = self.find(commits).await?;
        self.pull_found(&remote, &found).await
    }

    pub(crate) async fn pull_found(
        &self,
        remote: &Remote,
        found: &Found,
    ) -> Result<(Pulled, Vec<Vec<u8>>), ShareError> {
        let to = TempDir::new_in(self.folder.path()).expect("a folder");
        let pulled = pull(remote, found, to.path(), &self.cache()).await?;
        let contents = pulled.files.iter().map(|(_, path)| fs::read(path).expect("is there")).collect();
        Ok((pulled, contents))
    }

    /// Parts that were fetched before.
    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    /// Files of the store whose path has this text.
    pub(crate) fn list(&self, text: &str) -> Vec<PathBuf> {
        list_files(&self.store()).into_iter().filter(|path| path.to_string_lossy().contains(text)).collect()
    }
}

/// All files below a folder.
pub(crate) fn list_files(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}
