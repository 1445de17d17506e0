//! Imported compiler indexes (SCIP). Their references replace the linker's, as long as a file is unchanged since the
//! import.
//!
//! An index comes from outside, so it is stored in a file of its own beside the snapshots, which may be deleted at
//! any time.

mod import;
mod scip;

use std::sync::Arc;

use crate::kept::cover::Cover;
use m1nd_base::{ContentHash, RepoPath, node_id};
use m1nd_link::{CompilerFile, CompilerNode, CompilerRelation, CompilerRow, CompilerSymbol};
use serde::{Deserialize, Serialize};

pub(crate) use import::{Ground, import};
pub(crate) use scip::ScipError;

/// First bytes of a stored index.
const MAGIC: &[u8; 8] = b"m1ndscip";
/// Format of a stored index.
const FORMAT: u32 = 2;
/// Bytes before the content: magic, format, hash of the content.
const HEAD: usize = 8 + 4 + 32;

/// The imported indexes of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CompilerIndex {
    /// No file is in two of them.
    sets: Vec<IndexSet>,
}

/// One imported index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IndexSet {
    /// Path of the file it came from, in the words of the caller.
    pub(crate) source: String,
    /// Program that made it.
    pub(crate) tool: String,
    pub(crate) symbols: Arc<Vec<CompilerSymbol>>,
    /// By path.
    pub(crate) files: Vec<IndexedFile>,
}

/// Content of an index for one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IndexedFile {
    pub(crate) path: RepoPath,
    /// Hash of the content it is about.
    pub(crate) hash: ContentHash,
    pub(crate) rows: Arc<Vec<CompilerRow>>,
    pub(crate) relations: Arc<Vec<CompilerRelation>>,
}

impl CompilerIndex {
    /// Adds an index. It replaces a previous one from the same source, and the content of other indexes for its
    /// files.
    pub(crate) fn with(&self, set: IndexSet) -> Self {
        let mut sets: Vec<IndexSet> = self.sets.iter().filter(|old| old.source != set.source).cloned().collect();
        let covers = |path: &RepoPath| set.files.binary_search_by(|file| file.path.cmp(path)).is_ok();
        for old in &mut sets {
            old.files.retain(|file| !covers(&file.path));
        }
        sets.retain(|old| !old.files.is_empty());
        sets.push(set);
        Self { sets }
    }

    /// Adds the indexes of another list, which go before those that are here.
    pub(crate) fn with_all(&self, others: &Self) -> Self {
        others.sets.iter().fold(self.clone(), |all, set| all.with(set.clone()))
    }

    /// The indexes of a folder with the paths and ids that `moved` gives for its paths; what it has none for is left
    /// out. Their sources begin with `name`.
    pub(crate) fn move_paths(&self, name: &str, moved: impl Fn(&RepoPath) -> Option<RepoPath>) -> Self {
        // Ids begin with the path of their file, so they move with it.
        let id = |id: &str, path: &RepoPath, to: &RepoPath| -> Option<Box<str>> {
            let rest = node_id::behind_path(id, path.as_str())?;
            Some(node_id::in_file(to.as_str(), rest).into())
        };
        let node = |node: &CompilerNode| {
            let path = moved(&node.path)?;
            Some(CompilerNode { id: id(&node.id, &node.path, &path)?, path })
        };
        let symbol = |symbol: &CompilerSymbol| match symbol {
            CompilerSymbol::Nodes(nodes) => CompilerSymbol::Nodes(nodes.iter().filter_map(node).collect()),
            outside => outside.clone(),
        };
        let file = |file: &IndexedFile| {
            let path = moved(&file.path)?;
            let relation = |row: &CompilerRelation| {
                Some(CompilerRelation { from: id(&row.from, &file.path, &path)?, symbol: row.symbol })
            };
            let relations = Arc::new(file.relations.iter().filter_map(relation).collect());
            Some(IndexedFile { relations, rows: file.rows.clone(), hash: file.hash, path })
        };
        let set = |set: &IndexSet| {
            let mut files: Vec<IndexedFile> = set.files.iter().filter_map(file).collect();
            files.sort_by(|a, b| a.path.cmp(&b.path));
            let source = format!("{name}{}{}", node_id::SEPARATOR, set.source);
            let symbols = Arc::new(set.symbols.iter().map(symbol).collect());
            IndexSet { source, tool: set.tool.clone(), symbols, files }
        };
        let mut sets: Vec<IndexSet> = self.sets.iter().map(set).collect();
        // A set whose files all belong to other folders has nothing to say here.
        sets.retain(|set| !set.files.is_empty());
        Self { sets }
    }

    /// The indexes without those whose source goes; with the number of those that went.
    pub(crate) fn without(&self, goes: impl Fn(&str) -> bool) -> (Self, usize) {
        let sets: Vec<IndexSet> = self.sets.iter().filter(|set| !goes(&set.source)).cloned().collect();
        let gone = self.sets.len() - sets.len();
        (Self { sets }, gone)
    }

    /// Files that they came from, in order of their import.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &str> {
        self.sets.iter().map(|set| set.source.as_str())
    }

    /// Content for a file with this hash.
    pub(crate) fn of_file(&self, path: &RepoPath, hash: ContentHash) -> Option<CompilerFile> {
        self.sets.iter().find_map(|set| {
            let place = set.files.binary_search_by(|file| file.path.cmp(path)).ok()?;
            let file = Some(&set.files[place]).filter(|file| file.hash == hash)?;
            let (rows, relations) = (file.rows.clone(), file.relations.clone());
            Some(CompilerFile { symbols: set.symbols.clone(), rows, relations })
        })
    }

    /// Encodes the indexes, and their coverage for the snapshot.
    ///
    /// # Errors
    /// If they cannot be encoded.
    pub(crate) fn encode(&self) -> Result<(Vec<u8>, Cover), postcard::Error> {
        let content = postcard::to_allocvec(self)?;
        let hash = ContentHash::of(&content);
        let mut bytes = Vec::with_capacity(HEAD + content.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        bytes.extend_from_slice(hash.as_bytes());
        bytes.extend_from_slice(&content);
        Ok((bytes, self.cover(hash)))
    }

    /// Decodes stored indexes, and their coverage for the snapshot.
    ///
    /// # Errors
    /// A description of the damage.
    pub(crate) fn decode(bytes: &[u8]) -> Result<(Self, Cover), &'static str> {
        let head = bytes.get(..HEAD).ok_or("it is cut off")?;
        if &head[..8] != MAGIC {
            return Err("it does not begin as an index does");
        }
        if head[8..12] != FORMAT.to_le_bytes() {
            return Err("it has another format");
        }
        let content = &bytes[HEAD..];
        let hash = ContentHash::of(content);
        if hash.as_bytes() != &head[12..] {
            return Err("its checksum does not match");
        }
        let index: Self = postcard::from_bytes(content).map_err(|_| "its content does not fit its format")?;
        let cover = index.cover(hash);
        Ok((index, cover))
    }

    fn cover(&self, hash: ContentHash) -> Cover {
        let files = self.sets.iter().flat_map(|set| &set.files);
        let mut files: Vec<_> = files.map(|file| (file.path.clone(), file.hash)).collect();
        files.sort_by(|a, b| a.0.cmp(&b.0));
        let mut tools: Vec<String> = self.sets.iter().map(|set| set.tool.clone()).collect();
        tools.sort();
        tools.dedup();
        Cover { tools, id: (!self.sets.is_empty()).then_some(hash), files }
    }
}
