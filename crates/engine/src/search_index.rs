//! The search index as a section of the snapshot.

use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled, RepoPath};
use m1nd_graph::{Container, SnapshotError, Tag};
use m1nd_search::{FileTerms, Index, IndexBuilder, IndexedFile};

pub(crate) const SECTION: Tag = *b"e.search";

/// A search index over a base and changed files.
#[derive(Debug, Clone)]
pub(crate) struct SearchIndex {
    pub(crate) index: Index,
    base: Section,
}

/// Bytes of the base: a section of a mapped file, or memory.
#[derive(Debug, Clone)]
struct Section(Container);

impl AsRef<[u8]> for Section {
    fn as_ref(&self) -> &[u8] {
        self.0.section(&SECTION)
    }
}

/// One file of an index: its terms, with the ids of its entries.
pub(crate) fn indexed<'a>(terms: Arc<FileTerms>, id_of: impl FnMut(u32) -> Option<&'a str>) -> Arc<IndexedFile> {
    Arc::new(IndexedFile::new(terms, id_of))
}

impl SearchIndex {
    /// The index of a container.
    ///
    /// # Errors
    /// [`SnapshotError::Damaged`] if the section is not a usable index.
    pub(crate) fn open(container: &Container) -> Result<Self, SnapshotError> {
        let base = Section(container.clone());
        let index = Index::from_bytes(Arc::new(base.clone()));
        let index = index.map_err(|error| SnapshotError::Damaged(format!("search index: {error}")))?;
        Ok(Self { index, base })
    }

    /// The index of these files.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub(crate) fn build<'a>(
        files: impl Iterator<Item = (&'a RepoPath, &'a Arc<IndexedFile>)>,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let mut builder = IndexBuilder::new();
        files.for_each(|(path, file)| builder.add(path.as_str(), file.clone()));
        let container = Container::in_memory(vec![(SECTION, builder.finish_unless(cancel)?)]);
        Ok(Self::open(&container).expect("an index that was just built can be opened"))
    }

    /// The index after files changed or went away.
    pub(crate) fn with_changes(&self, changes: Vec<(RepoPath, Option<Arc<IndexedFile>>)>) -> Self {
        let changes = changes.into_iter().map(|(path, file)| (Box::from(path.as_str()), file));
        Self { index: self.index.with_changes(changes), base: self.base.clone() }
    }

    /// The bytes to write, `None` while there are changed files over them.
    pub(crate) fn packed(&self) -> Option<&[u8]> {
        (self.index.overlay_files() == 0).then(|| self.base.as_ref())
    }
}

impl Default for SearchIndex {
    fn default() -> Self {
        Self::build(std::iter::empty(), &Cancel::new()).expect("nobody cancels")
    }
}
