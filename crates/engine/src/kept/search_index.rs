//! The search index and its vectors as sections of the snapshot.

use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled, RepoPath};
use m1nd_graph::{Container, SnapshotError, Tag};
use m1nd_search::embedding::Embedding;
use m1nd_search::{FileTerms, Index, IndexedFile, PartsBuilder};

pub(crate) const SECTION: Tag = *b"e.search";
pub(crate) const VECTORS: Tag = *b"e.vector";

/// A search index over a base and changed files.
#[derive(Debug, Clone)]
pub(crate) struct SearchIndex {
    pub(crate) index: Index,
    base: Container,
}

/// Bytes of a base: the section at a place of a mapped file, or memory.
struct Section(Container, usize);

impl AsRef<[u8]> for Section {
    fn as_ref(&self) -> &[u8] {
        self.0.at(self.1)
    }
}

/// One file of an index: its terms, with the ids of its entries.
pub(crate) fn index_file<'a>(terms: Arc<FileTerms>, id_of: impl FnMut(u32) -> Option<&'a str>) -> Arc<IndexedFile> {
    Arc::new(IndexedFile::new(terms, id_of))
}

/// Builds a search index of files that come in the order of their paths.
pub(crate) struct SearchBuilder(PartsBuilder<'static>);

impl SearchBuilder {
    pub(crate) fn new() -> Self {
        Self(PartsBuilder::new(Embedding::built_in()))
    }

    /// # Errors
    /// [`Cancelled`].
    pub(crate) fn add(&mut self, path: &RepoPath, file: Arc<IndexedFile>, cancel: &Cancel) -> Result<(), Cancelled> {
        self.0.add(path.as_str(), file, cancel)
    }

    /// # Errors
    /// [`Cancelled`].
    pub(crate) fn finish(self, cancel: &Cancel) -> Result<SearchIndex, Cancelled> {
        let (words, vectors) = self.0.finish(cancel)?;
        let container = Container::in_memory(vec![(SECTION, words), (VECTORS, vectors)]);
        Ok(SearchIndex::open(&container).expect("an index that was just built can be opened"))
    }
}

impl SearchIndex {
    /// The index of a container. Vectors that are missing, damaged or of another table are left out.
    ///
    /// # Errors
    /// [`SnapshotError::Damaged`] if the section is not a usable index.
    pub(crate) fn open(container: &Container) -> Result<Self, SnapshotError> {
        let index = Index::from_bytes(Arc::new(Section(container.clone(), container.place(&SECTION))));
        let index = index.map_err(|error| SnapshotError::Damaged(format!("search index: {error}")))?;
        let index = if container.section(&VECTORS).is_empty() {
            index
        } else {
            let vectors = Arc::new(Section(container.clone(), container.place(&VECTORS)));
            index.clone().with_vectors(vectors, Embedding::built_in()).unwrap_or_else(|error| {
                tracing::warn!(%error, "searching by meaning waits for the next ingest");
                index
            })
        };
        Ok(Self { index, base: container.clone() })
    }

    /// The index of these files, which come in the order of their paths.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub(crate) fn build<'a>(
        files: impl Iterator<Item = (&'a RepoPath, &'a Arc<IndexedFile>)>,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let mut builder = SearchBuilder::new();
        for (path, file) in files {
            cancel.check()?;
            builder.add(path, file.clone(), cancel)?;
        }
        builder.finish(cancel)
    }

    /// Returns whether [`SearchIndex::compact`] needs nothing else.
    pub(crate) fn can_compact(&self) -> bool {
        self.index.can_compact(Embedding::built_in())
    }

    /// The same index without changes over its base, made from the base and the changes. `None` if that is not possible
    /// and the index has to be built of all files.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub(crate) fn compact(&self, cancel: &Cancel) -> Result<Option<Self>, Cancelled> {
        let Some((words, vectors)) = self.index.compact(Embedding::built_in(), cancel)? else { return Ok(None) };
        Ok(Self::open(&Container::in_memory(vec![(SECTION, words), (VECTORS, vectors)])).ok())
    }

    /// The index after files changed or went away.
    pub(crate) fn with_changes(&self, changes: Vec<(RepoPath, Option<Arc<IndexedFile>>)>) -> Self {
        let changes = changes.into_iter().map(|(path, file)| (Box::from(path.as_str()), file));
        Self { index: self.index.with_changes(changes), base: self.base.clone() }
    }

    /// Bytes of the words and of the vectors of the base.
    pub(crate) fn sizes(&self) -> (usize, usize) {
        (self.base.section(&SECTION).len(), self.base.section(&VECTORS).len())
    }

    /// The sections to write, `None` while there are changed files over them.
    pub(crate) fn packed_sections(&self) -> Option<[(Tag, &[u8]); 2]> {
        (self.index.overlay_files() == 0).then(|| [SECTION, VECTORS].map(|tag| (tag, self.base.section(&tag))))
    }
}

impl Default for SearchIndex {
    fn default() -> Self {
        Self::build(std::iter::empty(), &Cancel::new()).expect("nobody cancels")
    }
}
