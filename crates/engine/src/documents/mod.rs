//! Documents in the graph: what an adapter of `ingest` makes of a document, and the code that its text names.

mod adapt;
mod bind;
mod light;
mod notes;
mod records;
mod universal;

use m1nd_base::{NodeKind, Relation};
use m1nd_documents::{Document, Format};
use m1nd_graph::NodeIx;
use rustc_hash::FxHashMap;

use crate::config::Adapter;
use crate::ingest::json_graph::{Imported, ImportedEdge, ImportedNode};
use crate::state::snapshot::Snapshot;

pub(crate) use adapt::adapt;
pub use bind::{Binding, BindingMatch};
pub use light::TargetState;

/// Longest slug, in bytes.
const MAX_SLUG: usize = 80;

impl Adapter {
    /// The format of every file that the adapter reads, if it reads one only.
    pub(crate) fn only_format(self) -> Option<Format> {
        let mut formats = Format::all().filter(|format| self.takes(*format));
        formats.next().filter(|_| formats.next().is_none())
    }

    /// Whether the adapter takes documents of this format. `universal` and `auto` take all of them.
    pub(crate) fn takes(self, format: Format) -> bool {
        match self {
            Self::Code | Self::Json | Self::Scip => false,
            Self::Memory => matches!(format, Format::Markdown | Format::Plain | Format::Light),
            Self::Light => format == Format::Light,
            Self::Patent => format == Format::Patent,
            Self::Article => format == Format::Jats,
            Self::Bibtex => format == Format::Bibtex,
            Self::Rfc => format == Format::Rfc,
            Self::Crossref => format == Format::Crossref,
            Self::Universal | Self::Auto => true,
        }
    }
}

/// Nodes and edges of one document.
struct Sheet<'s> {
    snapshot: &'s Snapshot,
    nodes: Vec<ImportedNode>,
    /// Places of nodes by their id.
    known: FxHashMap<String, usize>,
    edges: Vec<ImportedEdge>,
}

impl<'s> Sheet<'s> {
    fn new(snapshot: &'s Snapshot) -> Self {
        Self { snapshot, nodes: Vec::new(), known: FxHashMap::default(), edges: Vec::new() }
    }

    /// Adds a node, once; returns its id.
    fn node(&mut self, id: String, label: &str, kind: NodeKind, tags: &[String]) -> String {
        if !self.known.contains_key(&id) {
            self.known.insert(id.clone(), self.nodes.len());
            let label = if label.is_empty() { &id } else { label };
            let label = label[..label.floor_char_boundary(200)].to_owned();
            self.nodes.push(ImportedNode { id: id.clone(), label, kind, tags: tags.join(", ") });
        }
        id
    }

    fn edge(&mut self, from: &str, to: &str, relation: Relation) {
        self.edges.push(ImportedEdge { from: from.to_owned(), to: to.to_owned(), relation, possible: false });
    }

    /// Adds a tag to a node.
    fn tag(&mut self, id: &str, tag: &str) {
        if let Some(&at) = self.known.get(id) {
            let tags = &mut self.nodes[at].tags;
            tags.push_str(if tags.is_empty() { "" } else { ", " });
            tags.push_str(tag);
        }
    }

    /// Edges to the code that a binding names: one for each candidate.
    fn bind(&mut self, from: &str, binding: &Binding, relation: Relation) {
        self.edges_to(from, &binding.targets, relation);
    }

    /// Edges to nodes of the code, of which one is meant.
    fn edges_to(&mut self, from: &str, targets: &[NodeIx], relation: Relation) {
        for target in targets {
            let to = self.snapshot.graph().id(*target).to_owned();
            self.edges.push(ImportedEdge { from: from.to_owned(), to, relation, possible: targets.len() > 1 });
        }
    }

    fn finish(mut self, source: &str) -> Imported {
        let key = |edge: &ImportedEdge| (edge.from.clone(), edge.to.clone(), edge.relation, edge.possible);
        self.edges.sort_by_cached_key(key);
        self.edges.dedup_by(|a, b| (&a.from, &a.to, a.relation) == (&b.from, &b.to, b.relation));
        Imported { source: source.to_owned(), nodes: self.nodes, edges: self.edges }
    }
}

/// Lower-case ASCII letters and digits, `-` for what is between them; `entry` if there are none.
fn slug(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
        if out.len() >= MAX_SLUG {
            break;
        }
    }
    let trimmed = out.trim_end_matches('-');
    if trimmed.is_empty() { "entry".to_owned() } else { trimmed.to_owned() }
}

/// Numbers slugs that occur again: `usage-1`, `usage-2`.
#[derive(Default)]
struct Ordinals(FxHashMap<String, u32>);

impl Ordinals {
    fn of(&mut self, text: &str) -> String {
        let slug = slug(text);
        let number = self.0.entry(slug.clone()).or_default();
        *number += 1;
        format!("{slug}-{number}")
    }
}

/// The title of a document: its own, or the name of its file.
fn title<'d>(document: &'d Document, path: &'d str) -> &'d str {
    document.metadata.title.as_deref().unwrap_or_else(|| path.rsplit('/').next().unwrap_or(path))
}
