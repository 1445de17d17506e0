//! `global_edges.json`: the gotchas of all projects.

use jiff::Timestamp;
use m1nd_memory::edges::{Edge, EdgeDraft, EdgeError, built_in, existing};
use m1nd_store::{SharedFolder, StoreError};
use serde::{Deserialize, Serialize};

use crate::MemoryError;
use crate::files::registry::WAIT;

/// The file.
pub(crate) const FILE: &str = "global_edges.json";
/// Largest such file that is read, in bytes.
const MAX_BYTES: u64 = 16 << 20;
/// Most gotchas kept.
const MAX_EDGES: usize = 2_000;
/// Format of the file.
const VERSION: u32 = 1;

/// The gotchas that are stored for all projects.
#[derive(Debug, Clone, Default)]
pub struct GlobalEdges {
    edges: Vec<Edge>,
}

/// The file: a bare list, as it was at first, or a list with the number of its format.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Bare(Vec<Edge>),
    Numbered { version: u32, edges: Vec<Edge> },
}

#[derive(Serialize)]
struct Numbered<'e> {
    version: u32,
    edges: &'e [Edge],
}

impl GlobalEdges {
    /// Reads them.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`] or [`MemoryError::Store`].
    pub fn read(home: &SharedFolder) -> Result<Self, MemoryError> {
        parse(home, Self::bytes(home)?)
    }

    /// The file as it is, if there is one.
    pub(crate) fn bytes(home: &SharedFolder) -> Result<Option<Vec<u8>>, StoreError> {
        // An empty file is not what we wrote, and must not be taken for none.
        let content = home.read(FILE, MAX_BYTES)?;
        Ok(content.map(|bytes| if bytes.is_empty() { b"{".to_vec() } else { bytes }))
    }

    /// What a file holds, or what is wrong with it.
    pub(crate) fn of(bytes: &[u8]) -> Result<Self, String> {
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        match serde_json::from_slice(bytes).map_err(|error| error.to_string())? {
            Stored::Numbered { version, .. } if version > VERSION => {
                Err(format!("it has version {version}, this program knows {VERSION}"))
            }
            Stored::Bare(edges) | Stored::Numbered { edges, .. } => Ok(Self { edges }),
        }
    }

    /// All of them, oldest first.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The gotchas that come with the program.
    pub fn built_in() -> impl Iterator<Item = &'static Edge> {
        built_in().iter().map(|built_in| &built_in.edge)
    }

    /// Stores one.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`]; [`MemoryError::EdgeExists`], with that one counted; [`MemoryError::Damaged`] or
    /// [`MemoryError::Store`].
    pub fn add(home: &SharedFolder, draft: &EdgeDraft, now: Timestamp) -> Result<Edge, MemoryError> {
        let invalid = |error: EdgeError| MemoryError::Invalid(error.to_string());
        draft.validate().map_err(invalid)?;
        let outcome = change(home, |edges| {
            if let Some(found) = existing(draft, edges) {
                edges[found.index].verified_count = edges[found.index].verified_count.saturating_add(1);
                let title = edges[found.index].title.to_string();
                return Ok(Err(MemoryError::EdgeExists { id: found.id.into(), title, similarity: found.similarity }));
            }
            if edges.len() >= MAX_EDGES {
                let why = format!("{MAX_EDGES} gotchas are stored already; remove some with `mind edges remove ID`");
                return Err(MemoryError::Invalid(why));
            }
            let edge = draft.clone().into_edge(now).map_err(invalid)?;
            edges.push(edge.clone());
            Ok(Ok(edge))
        });
        outcome?
    }

    /// Counts one as met again.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] if there is none of this id; [`MemoryError::Damaged`] or [`MemoryError::Store`].
    pub fn verify(home: &SharedFolder, id: &str) -> Result<Edge, MemoryError> {
        change(home, |edges| {
            let edge = edges.iter_mut().find(|edge| &*edge.id == id).ok_or_else(|| report_unknown(id))?;
            edge.verified_count = edge.verified_count.saturating_add(1);
            Ok(edge.clone())
        })
    }

    /// Removes one.
    ///
    /// # Errors
    /// As [`GlobalEdges::verify`].
    pub fn remove(home: &SharedFolder, id: &str) -> Result<Edge, MemoryError> {
        change(home, |edges| {
            let at = edges.iter().position(|edge| &*edge.id == id).ok_or_else(|| report_unknown(id))?;
            Ok(edges.remove(at))
        })
    }
}

fn report_unknown(id: &str) -> MemoryError {
    MemoryError::Invalid(format!("no gotcha of all projects has the id `{id}`; `mind edges list` shows them"))
}

fn change<T>(
    home: &SharedFolder,
    change: impl FnOnce(&mut Vec<Edge>) -> Result<T, MemoryError>,
) -> Result<T, MemoryError> {
    home.change(FILE, MAX_BYTES, WAIT, |content| {
        let mut edges = parse(home, content)?.edges;
        let answer = change(&mut edges)?;
        let text = serde_json::to_vec_pretty(&Numbered { version: VERSION, edges: &edges });
        Ok((answer, Some(text.map_err(|error| report_damage(home, error.to_string()))?)))
    })
}

fn parse(home: &SharedFolder, content: Option<Vec<u8>>) -> Result<GlobalEdges, MemoryError> {
    let Some(content) = content else { return Ok(GlobalEdges::default()) };
    // An empty file is not what we wrote.
    let content = if content.is_empty() { b"{" } else { content.as_slice() };
    GlobalEdges::of(content).map_err(|why| report_damage(home, why))
}

fn report_damage(home: &SharedFolder, why: String) -> MemoryError {
    MemoryError::Damaged { path: home.path().join(FILE), why }
}
