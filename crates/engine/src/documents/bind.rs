//! Binds names of code in a document to nodes. A name that could be many things is bound to each with its share of
//! confidence, and a plain word in lower case, which is more often a parameter or a value, only if its form says that
//! it is code.

use m1nd_base::{NodeKind, RepoPath};
use m1nd_documents::{Document, Form, Mention, MentionKind};
use m1nd_graph::{NodeFlags, NodeIx};

use crate::state::snapshot::Snapshot;

/// More candidates than this say nothing about any of them.
const MAX_CANDIDATES: usize = 8;

/// How a name was found to be that of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BindingMatch {
    /// The path of a file.
    Path,
    /// A name with its owners or modules.
    Qualified,
    /// A name alone.
    Label,
    /// An environment variable.
    Variable,
}

impl BindingMatch {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Qualified => "qualified",
            Self::Label => "label",
            Self::Variable => "variable",
        }
    }
}

/// A mention of code in a document, and the nodes that it may mean.
#[derive(Debug, Clone)]
pub struct Binding {
    /// Index of the mention in the document.
    pub mention: usize,
    /// How the nodes were found.
    pub by: BindingMatch,
    /// The candidates, best first; never empty.
    pub targets: Vec<NodeIx>,
    /// Number of candidates, those past the kept ones included.
    pub of: usize,
}

impl Binding {
    /// Probability that a certain one of the targets is meant.
    pub fn confidence(&self) -> f64 {
        1.0 / self.of.max(1) as f64
    }
}

impl Snapshot {
    /// The bindings of a document, in the order of its mentions. `path` is its path in the index.
    pub fn bindings(&self, document: &Document, path: &str) -> Vec<Binding> {
        let all = document.mentions.iter().enumerate();
        all.filter_map(|(index, mention)| {
            self.binding(mention, path).map(|(by, targets, of)| Binding { mention: index, by, targets, of })
        })
        .collect()
    }

    /// Returns whether a mention names something that a project could hold, so that it is missing if nothing is found.
    pub fn is_expected(&self, mention: &Mention) -> bool {
        match mention.form {
            Form::Path => mention.name.contains('/') && mention.kind != MentionKind::Bare && has_ending(&mention.name),
            Form::Symbol | Form::Call => {
                // A name of a package outside is documented elsewhere.
                let first = mention.name.split(['.', ':', '#']).next().unwrap_or_default();
                mention.kind == MentionKind::Role && self.graph().find(&format!("external::{first}")).is_none()
            }
            Form::Flag | Form::Command | Form::Variable => false,
        }
    }

    fn binding(&self, mention: &Mention, path: &str) -> Option<(BindingMatch, Vec<NodeIx>, usize)> {
        let (by, found) = match mention.form {
            Form::Path => (BindingMatch::Path, self.files_meant(&mention.name, path)),
            Form::Variable => {
                let id = format!("config::env::{}", mention.name);
                (BindingMatch::Variable, self.graph().find(&id).into_iter().collect())
            }
            Form::Symbol | Form::Call => self.symbols_meant(mention)?,
            Form::Flag | Form::Command => return None,
        };
        let of = found.len();
        if of == 0 || of > MAX_CANDIDATES {
            return None;
        }
        Some((by, found, of))
    }

    /// Files that a path means: beside the document, from the root, else ending in it.
    fn files_meant(&self, name: &str, document: &str) -> Vec<NodeIx> {
        let name = name.trim_end_matches('/');
        let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
        let file = |folder| self.graph().find_file(RepoPath::resolve_in(folder, name)?.as_str());
        if let Some(found) = file(folder).or_else(|| file("")) {
            return vec![found];
        }
        // A file name alone is that of many files; with a folder it is clear enough.
        let Ok(path) = RepoPath::new(name) else { return Vec::new() };
        self.files_named(path.as_str())
    }

    fn symbols_meant(&self, mention: &Mention) -> Option<(BindingMatch, Vec<NodeIx>)> {
        let name = &*mention.name;
        let qualified = name.contains(['.', '#']) || name.contains("::");
        if !qualified && !is_telling(mention) {
            return None;
        }
        let graph = self.graph();
        let is_code = |node: &NodeIx| {
            let kind = graph.kind(*node);
            let wrong = kind.is_outside() || matches!(kind, NodeKind::Section | NodeKind::Config | NodeKind::File);
            !wrong && !graph.flags(*node).has(NodeFlags::IMPORTED)
        };
        let mut found: Vec<NodeIx> = self.nodes_named(name).into_iter().filter(is_code).collect();
        // What a document describes is rarely a test or a local part, if there is anything else of the name.
        for is_less in [
            |flags: NodeFlags, _: NodeKind| flags.has(NodeFlags::TEST),
            |_, kind| matches!(kind, NodeKind::Impl | NodeKind::Variable | NodeKind::Field),
        ] {
            let keeps = |node: &NodeIx| !is_less(graph.flags(*node), graph.kind(*node));
            if found.iter().any(keeps) {
                found.retain(keeps);
            }
        }
        if mention.form == Form::Call {
            let callable = |node: &NodeIx| {
                !matches!(
                    graph.kind(*node),
                    NodeKind::Field | NodeKind::Variable | NodeKind::Constant | NodeKind::Module
                )
            };
            found.retain(callable);
        }
        Some((if qualified { BindingMatch::Qualified } else { BindingMatch::Label }, found))
    }
}

/// Whether a name without owners is likely that of a symbol: marked by a role, called, or in the spelling of code.
fn is_telling(mention: &Mention) -> bool {
    let name = &*mention.name;
    let shaped = name.contains('_') && name.len() > 3
        || name.chars().skip(1).any(char::is_uppercase) && name.chars().any(char::is_lowercase);
    let is_type = name.starts_with(char::is_uppercase) && name.len() > 3 && name.chars().any(char::is_lowercase);
    mention.kind == MentionKind::Role || mention.form == Form::Call || shaped || is_type
}

fn has_ending(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|file| file.trim_start_matches('.').contains('.'))
}
