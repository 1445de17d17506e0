//! The linker's memory of its runs, to be stored: with it, another process goes on where this one ended, without
//! linking everything again, and without the facts of files that it does not need.

use std::sync::Arc;

use m1nd_base::{Limits, RepoPath};
use m1nd_lang::FileFacts;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::edges::assemble;
use crate::edges::compiler::CompilerFile;
use crate::ids::Generated;
use crate::incremental::linker::Linker;
use crate::languages::Manifests;
use crate::links::LinkNode;
use crate::project::{FactsSource, Project};
use crate::tables::askers::SharedBytes;
use crate::tables::brief::Brief;
use crate::tables::files::FileId;

/// The part of a stored state that is decoded: its length (4 bytes), itself, and zeros up to a multiple of [`ALIGN`]
/// come before the tables.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    manifests: Manifests,
    /// Files in order of their paths.
    files: Vec<(RepoPath, Brief)>,
}

const ALIGN: usize = 8;

impl Linker {
    /// What is to be stored. There must be no changes that were not linked yet.
    pub fn state(&self) -> Vec<u8> {
        let mut files: Vec<FileId> = self.project.tree.numbers().collect();
        files.sort_by(|a, b| self.project.path(*a).cmp(self.project.path(*b)));
        let row = |file: &FileId| (self.project.path(*file).clone(), self.project.tree.brief(*file).clone());
        let head = Head { manifests: self.manifests.clone(), files: files.iter().map(row).collect() };
        let head = postcard::to_allocvec(&head).expect("it is made of numbers and texts");
        let mut out = (head.len() as u32).to_le_bytes().to_vec();
        out.extend(head);
        out.resize(out.len().next_multiple_of(ALIGN), 0);
        let places = files.iter().enumerate().map(|(place, file)| (*file, place as u32)).collect();
        self.project.encode_index(&places, &mut out);
        out.extend(self.askers.encode(&files));
        out
    }

    /// The linker that this is the [state](Self::state) of, with the compiler indexes that it had; `None` if the state
    /// is not usable. The bytes are used where they are, and read as far as edits ask for; the facts of a file are got
    /// from `source` when they are needed.
    pub fn restore(
        limits: Limits,
        state: SharedBytes,
        source: Arc<dyn FactsSource>,
        compiler: impl IntoIterator<Item = (RepoPath, CompilerFile)>,
        roots: Vec<String>,
    ) -> Option<Self> {
        let (head, at) = head((*state).as_ref())?;
        if head.files.is_empty() || head.files.windows(2).any(|rows| rows[0].0 >= rows[1].0) {
            return None;
        }
        let (project, at) = Project::restore(head.files, (state.clone(), at), source)?;
        let files: Vec<FileId> = project.tree.numbers().collect();
        let slots = files.iter().map(|file| (project.path(*file).clone(), *file)).collect();
        let mut linker = Self::of_project(limits, project, slots, head.manifests);
        if !linker.askers.restore(state, at, files) {
            return None;
        }
        linker.compiler.extend(compiler);
        linker.set_roots(roots);
        linker.renew_resolvers();
        Some(linker)
    }

    /// Says that `source` has the facts of all files, except for those that are to be kept: the others may be dropped
    /// and got again. It must have those of files that were not linked yet, too.
    pub fn set_source(&mut self, source: Arc<dyn FactsSource>, keeps: &dyn Fn(&RepoPath) -> bool) {
        self.project.set_source(source, keeps);
    }

    /// Drops the facts of files that `source` has, except for those that are to be kept. There must be no changes that
    /// were not linked yet.
    pub fn unload(&mut self, source: Arc<dyn FactsSource>, keeps: &dyn Fn(&RepoPath) -> bool) {
        self.project.set_source(source, keeps);
        self.project.trim(0);
    }

    /// Bytes of memory that the names and node ids of files take that were read, about. Only dropping the linker gives
    /// them back.
    pub fn text_bytes(&self) -> usize {
        self.project.names.bytes() + self.project.symbols.bytes()
    }

    /// Returns whether facts of a file were needed that could not be had: no result since is of use, and neither is
    /// this linker.
    pub fn is_short(&self) -> bool {
        self.project.is_short()
    }

    /// The paths of all files, in no order.
    pub fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        self.project.tree.numbers().map(|file| self.project.path(file))
    }

    /// A file with its facts, which are got if they are not in memory.
    pub fn file(&self, path: &RepoPath) -> Option<(&RepoPath, &FileFacts)> {
        let file = self.project.find(path.as_str())?;
        Some((self.project.path(file), &self.project.unit(file).facts))
    }

    /// The paths of the files whose facts are in memory.
    pub fn list_loaded(&self) -> impl Iterator<Item = &RepoPath> {
        self.project.list_loaded().map(|file| self.project.path(file))
    }

    /// Number of definitions of a file; `None` if there is no such file. Needs no facts.
    pub fn definitions_of(&self, path: &RepoPath) -> Option<usize> {
        let file = self.project.find(path.as_str())?;
        Some(self.project.tree.brief(file).definitions as usize)
    }

    /// Number of definitions of each file. Needs no facts.
    pub fn definition_counts(&self) -> impl Iterator<Item = usize> {
        self.project.tree.numbers().map(|file| self.project.tree.brief(file).definitions as usize)
    }

    /// The nodes of a file, as linking it lists them. `is_node` says of what a macro may define whether it does.
    pub fn nodes_if(&self, path: &RepoPath, is_node: &dyn Fn(&str) -> bool) -> Vec<LinkNode> {
        let Some(file) = self.project.find(path.as_str()) else { return Vec::new() };
        let rows = self.project.unit(file).generated.iter();
        let rows = rows.filter(|(_, symbol)| is_node(self.text(*symbol)));
        let generated: FxHashMap<_, _> =
            rows.map(|&(def, symbol)| (def, Generated { symbol, is_test: false })).collect();
        assemble::nodes(&self.project, file, &generated, &|symbol| is_node(self.text(symbol)))
    }
}

/// The head of a stored state, and where its tables begin.
fn head(bytes: &[u8]) -> Option<(Head, usize)> {
    let length = u32::from_le_bytes(bytes.first_chunk().copied()?) as usize;
    let end = length.checked_add(4)?;
    Some((postcard::from_bytes(bytes.get(4..end)?).ok()?, end.checked_next_multiple_of(ALIGN)?))
}
