//! The code that a document names: the `documents` edges of its sections with the names that they stand for. A document
//! that the index holds as a file only is read anew.

use m1nd_base::{EdgeTier, NodeKind, Relation, RepoPath};
use m1nd_documents::{Document, Form, Mention, MentionKind};
use m1nd_engine::{BindingMatch, Snapshot};
use m1nd_graph::{EdgeRef, Graph, NodeIx};
use rustc_hash::FxHashSet;

use super::Read;

/// A name that more nodes have is not bound to any.
const MAX_TARGETS: usize = 8;

/// How a name was found to be that of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchKind {
    /// The path of a file.
    Path,
    /// A module, by its name.
    Module,
    /// A name with owners or modules.
    Qualified,
    /// A name alone.
    Label,
    /// An environment variable.
    Variable,
    /// A command or an option of a program.
    Command,
    /// The import of an example.
    Example,
}

impl MatchKind {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Module => "module",
            Self::Qualified => "qualified",
            Self::Label => "label",
            Self::Variable => "variable",
            Self::Command => "command",
            Self::Example => "example",
        }
    }
}

/// A name in a document and a node that it may mean.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundCode {
    /// The node.
    pub target: NodeIx,
    /// The name as written.
    pub mention: String,
    /// Line in the document, 0 if its format has none.
    pub line: u32,
    /// How the node was found.
    pub by: MatchKind,
    /// Number of nodes that may be meant.
    pub of: usize,
    /// The name can mean nothing else.
    pub is_certain: bool,
}

impl BoundCode {
    /// Probability that this node is meant: one over the number of candidates.
    pub fn confidence(&self) -> f64 {
        let doubt = if self.is_certain || self.of > 1 { 1.0 } else { 0.5 };
        doubt / self.of.max(1) as f64
    }
}

/// Why a name in a document is bound to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnboundReason {
    /// Nothing in the index has the name.
    Absent,
    /// No file is at the path.
    NoFile,
    /// It is a command or an option that no program of the project is known to have.
    Command,
    /// It belongs to a package outside of the project.
    Outside,
    /// A word that is the name of a parameter or value as often as not.
    PlainWord,
    /// More nodes have the name than say anything.
    TooMany,
    /// Nodes have the name, and none fits the text around it.
    Unfit,
}

impl UnboundReason {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::NoFile => "no_file",
            Self::Command => "command",
            Self::Outside => "outside",
            Self::PlainWord => "plain_word",
            Self::TooMany => "too_many",
            Self::Unfit => "unfit",
        }
    }
}

/// The names in a document that are bound to nothing, each once, at its first line.
pub fn unbound<'r>(snapshot: &Snapshot, read: &'r Read) -> Vec<(&'r Mention, UnboundReason)> {
    let bound: FxHashSet<&str> = read.bindings.iter().map(|row| row.mention.as_str()).collect();
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let rows = read.document.mentions.iter().filter(|mention| {
        let name = mention.name.as_str();
        !bound.contains(name) && seen.insert(name)
    });
    rows.map(|mention| (mention, reason(snapshot, mention))).collect()
}

fn reason(snapshot: &Snapshot, mention: &Mention) -> UnboundReason {
    match mention.form {
        Form::Flag | Form::Command => return UnboundReason::Command,
        Form::Path => return UnboundReason::NoFile,
        Form::Variable => return UnboundReason::Absent,
        Form::Symbol | Form::Call => {}
    }
    let graph = snapshot.graph();
    let is_outside = |name: &str| {
        let found = snapshot.nodes_named(name);
        !found.is_empty() && found.iter().all(|node| graph.kind(*node).is_outside())
    };
    let name = mention.name.as_str();
    let first = name.split(['.', ':', '#']).next().unwrap_or(name);
    let found = snapshot.nodes_named(name);
    if is_outside(name) || found.is_empty() && first != name && is_outside(first) {
        return UnboundReason::Outside;
    }
    let is_plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    match found.len() {
        0 => UnboundReason::Absent,
        _ if is_plain && mention.form == Form::Symbol && mention.kind != MentionKind::Role => UnboundReason::PlainWord,
        count if count > MAX_TARGETS => UnboundReason::TooMany,
        _ => UnboundReason::Unfit,
    }
}

/// The code that a document names, in the order of its lines.
pub(super) fn bindings(snapshot: &Snapshot, document: &Document, path: &RepoPath) -> Vec<BoundCode> {
    let graph = snapshot.graph();
    let is_linked = snapshot.files().by_text(path.as_str()).is_some_and(|file| file.language.is_document());
    let mut found = match graph.find_file(path.as_str()).filter(|_| is_linked && !document.mentions.is_empty()) {
        Some(file) => of_edges(graph, document, file),
        None => Vec::new(),
    };
    if !is_linked || !document.format.is_sectioned() {
        found = of_text(snapshot, document, path);
    }
    found.sort_by(|a, b| (a.line, a.target, &a.mention).cmp(&(b.line, b.target, &b.mention)));
    found.dedup_by(|a, b| (a.line, a.target) == (b.line, b.target));
    found
}

fn of_edges(graph: &Graph, document: &Document, file: NodeIx) -> Vec<BoundCode> {
    let mut found = Vec::new();
    for node in graph.of_file(file).into_iter().chain([file]) {
        for edge in graph.out_edges(node).filter(|edge| edge.relation == Relation::Documents) {
            for line in edge.sites.iter().map(|site| site.line) {
                found.push(of_edge(graph, document, &edge, line));
            }
        }
    }
    found
}

fn of_edge(graph: &Graph, document: &Document, edge: &EdgeRef<'_>, line: u32) -> BoundCode {
    let target = edge.to;
    let is_file = graph.kind(target) == NodeKind::File;
    let label = graph.label(target);
    let mut here = document.mentions.iter().filter(|mention| mention.line == line);
    let names_it = |mention: &&Mention| names(mention, label, is_file.then(|| graph.path(target)));
    // Of two names in a line that end alike, `Session.send` and `HTTPAdapter.send`, the one with the owner of the
    // target.
    let owner =
        graph.parent(target).filter(|owner| graph.kind(*owner) != NodeKind::File).map(|owner| graph.label(owner));
    let with_owner = |mention: &&Mention| owner.is_some_and(|owner| has_part(&mention.name, owner));
    let mention = here.clone().find(|mention| names_it(mention) && with_owner(mention));
    let mention = mention.or_else(|| here.clone().find(names_it));
    // What declares a command or an option may have any name.
    let is_command = |mention: &&Mention| matches!(mention.form, Form::Flag | Form::Command);
    let mention = mention.or_else(|| here.find(is_command));
    let by = match mention {
        None => MatchKind::Example,
        Some(mention) if is_command(&mention) => MatchKind::Command,
        Some(mention) if is_file && mention.form == Form::Path => MatchKind::Path,
        Some(_) if is_file => MatchKind::Module,
        Some(mention) if is_qualified(&mention.name) => MatchKind::Qualified,
        Some(_) => MatchKind::Label,
    };
    let mention = mention.map_or_else(|| label.to_owned(), |mention| mention.name.clone());
    let of = usize::from(edge.of);
    BoundCode { target, mention, line, by, of, is_certain: edge.tier == EdgeTier::Certain }
}

/// Returns whether a mention can be of a node with this label, or of the file at this path.
fn names(mention: &Mention, label: &str, path: Option<&str>) -> bool {
    let last = mention.name.rsplit(['.', ':', '#', '/']).next().unwrap_or(&mention.name);
    match path {
        Some(path) => {
            let file = path.rsplit('/').next().unwrap_or(path);
            mention.name.trim_end_matches('/').ends_with(file)
                || path.split('/').any(|part| part.split('.').next() == Some(last))
        }
        None => last == label || mention.kind == MentionKind::Link && mention.name.ends_with(label),
    }
}

/// Returns whether a qualified name has a part.
fn has_part(name: &str, part: &str) -> bool {
    name.split(['.', ':', '#', '/']).any(|own| own == part)
}

fn is_qualified(name: &str) -> bool {
    name.contains(['.', '#']) || name.contains("::")
}

/// Bindings of a document whose text is not linked: a PDF, a spreadsheet.
fn of_text(snapshot: &Snapshot, document: &Document, path: &RepoPath) -> Vec<BoundCode> {
    let bound = snapshot.bindings(document, path.as_str());
    let rows = bound.iter().flat_map(|binding| {
        let mention = &document.mentions[binding.mention];
        let by = match binding.by {
            BindingMatch::Path => MatchKind::Path,
            BindingMatch::Qualified => MatchKind::Qualified,
            BindingMatch::Label => MatchKind::Label,
            BindingMatch::Variable => MatchKind::Variable,
        };
        binding.targets.iter().map(move |&target| BoundCode {
            target,
            mention: mention.name.clone(),
            line: mention.line,
            by,
            of: binding.of,
            is_certain: binding.of == 1,
        })
    });
    rows.collect()
}
