//! Stored bug patterns as questions: code with metavariables, or nodes and edges of the graph.

use std::collections::BTreeSet;

use m1nd_base::{Cancel, NoProgress, NodeKind, Relation};
use m1nd_engine::graph::{NodeFlags, NodeIx};
use m1nd_engine::{Language, Snapshot};
use m1nd_query::patterns::{
    LabelMode, PatternEdge, PatternNode, ScanFault, ScanQuery, Subgraph, SubgraphError, Wanted, scan,
};
use m1nd_sessions::{BugEdge, BugNode, BugPattern, Handle, MAX_BUG_PATTERNS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{ErrorCode, HeldValues, ToolError};
use crate::rows::session_error;
use crate::word::kinds;

/// Severity of a bug pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    Info,
    #[default]
    Warning,
    Critical,
}

kinds! { Severity, }

impl Severity {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }

    /// The severity of a stored word; an unknown one of a newer version is a warning.
    pub(crate) fn of(word: &str) -> Self {
        [Self::Info, Self::Critical].into_iter().find(|severity| severity.word() == word).unwrap_or(Self::Warning)
    }
}

/// Properties that a node of a pattern can be required to have.
const TAGS: [(&str, NodeFlags); 8] = [
    ("test", NodeFlags::TEST),
    ("exported", NodeFlags::EXPORTED),
    ("abstract", NodeFlags::ABSTRACT),
    ("declaration", NodeFlags::DECLARATION),
    ("async", NodeFlags::ASYNC),
    ("constructor", NodeFlags::CONSTRUCTOR),
    ("property", NodeFlags::PROPERTY),
    ("static", NodeFlags::STATIC),
];

/// A node of a match.
#[derive(Debug, Serialize)]
pub(crate) struct BoundNode {
    node_id: String,
    label: String,
    role: String,
    source_path: String,
    line_start: u32,
    line_end: u32,
}

/// A match of a pattern.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) bound: Vec<BoundNode>,
    /// `path:line`.
    pub(crate) location: String,
    /// The line as it is written, for patterns of code.
    pub(crate) line: Option<String>,
}

/// Matches of a pattern.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    pub(crate) rows: Vec<Found>,
    pub(crate) total: usize,
    /// A limit on time or steps ended the search.
    pub(crate) timed_out: bool,
}

/// Where and how patterns are looked for.
pub(crate) struct Looking<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) mode: LabelMode,
    /// Only in these files.
    pub(crate) changed: Option<&'a BTreeSet<String>>,
    /// Maximum matches.
    pub(crate) limit: usize,
    pub(crate) cancel: &'a Cancel,
}

/// All stored patterns, oldest first.
pub(crate) fn list_stored(held: HeldValues<'_>) -> Result<(Vec<Handle<BugPattern>>, usize), ToolError> {
    let listed = held.list::<BugPattern>(None, MAX_BUG_PATTERNS).map_err(session_error)?;
    let mut known = listed.handles;
    known.sort_by(|a, b| (a.created_ms, &a.id).cmp(&(b.created_ms, &b.id)));
    Ok((known, listed.unreadable.len()))
}

/// The language with this name.
pub(crate) fn language(name: &str) -> Result<Language, ToolError> {
    let found = Language::all().find(|language| language.name() == name.trim().to_lowercase() && !language.is_prose());
    found.ok_or_else(|| {
        let known: Vec<&str> = Language::all().filter(|one| !one.is_prose()).map(Language::name).collect();
        ToolError::invalid(format!("argument `language` is `{name}`, expected one of {}", known.join(", ")))
    })
}

/// The graph pattern of stored nodes and edges.
pub(crate) fn subgraph(nodes: &[BugNode], edges: &[BugEdge], negative: &[BugEdge]) -> Result<Subgraph, ToolError> {
    let node = |node: &BugNode| -> Result<PatternNode, ToolError> {
        let kind = node.node_type.as_deref().map(|word| {
            NodeKind::ALL.iter().copied().find(|kind| kind.word() == word.to_lowercase()).ok_or_else(|| {
                ToolError::new(ErrorCode::InvalidPattern, format!("`node_type` is `{word}`, which is no type of nodes"))
            })
        });
        let tag = |word: &String| {
            TAGS.iter().find(|(name, _)| name == word).map(|(_, flag)| *flag).ok_or_else(|| {
                let known: Vec<&str> = TAGS.iter().map(|(name, _)| *name).collect();
                let message = format!("`required_tags` has `{word}`, expected some of {}", known.join(", "));
                ToolError::new(ErrorCode::InvalidPattern, message)
            })
        };
        Ok(PatternNode {
            kind: kind.transpose()?,
            flags: node.required_tags.iter().map(tag).collect::<Result<_, _>>()?,
            label: node.label_contains.clone().filter(|text| !text.is_empty()),
        })
    };
    let edge = |edge: &BugEdge| -> Result<PatternEdge, ToolError> {
        let relation = edge.relation.as_deref().map(|word| {
            Relation::parse(word).ok_or_else(|| {
                ToolError::new(ErrorCode::InvalidPattern, format!("`relation` is `{word}`, which is none"))
            })
        });
        Ok(PatternEdge { from: edge.source_idx, to: edge.target_idx, relation: relation.transpose()? })
    };
    let found = Subgraph {
        nodes: nodes.iter().map(node).collect::<Result<_, _>>()?,
        edges: edges.iter().map(edge).collect::<Result<_, _>>()?,
        negative: negative.iter().map(edge).collect::<Result<_, _>>()?,
    };
    found.check().map_err(subgraph_error)?;
    Ok(found)
}

fn subgraph_error(error: SubgraphError) -> ToolError {
    ToolError::new(ErrorCode::InvalidPattern, format!("argument `pattern`: {error}"))
}

/// Looks for a pattern.
pub(crate) fn look(pattern: &BugPattern, at: &Looking<'_>) -> Result<Matches, ToolError> {
    match &pattern.code {
        Some(code) => look_for_code(pattern, code, at),
        None => look_for_nodes(pattern, at),
    }
}

fn look_for_code(pattern: &BugPattern, code: &str, at: &Looking<'_>) -> Result<Matches, ToolError> {
    let language = pattern.language.as_deref().map(language).transpose()?;
    let scopes: Vec<&str> = match at.changed {
        Some(paths) => paths.iter().map(String::as_str).collect(),
        None => vec![""],
    };
    let mut found = Matches::default();
    for scope in scopes {
        let query = ScanQuery {
            wanted: Wanted::Code { language, text: code.to_owned() },
            scope: scope.to_owned(),
            severity_min: 0.0,
            validate: false,
            false_positives: true,
        };
        let answer = match scan(at.snapshot, &query, at.cancel, &NoProgress) {
            Ok(answer) => answer,
            Err(ScanFault::Cancelled(cancelled)) => return Err(cancelled.into()),
            // In a single file of another language, it is no code.
            Err(_) if at.changed.is_some() => continue,
            Err(fault) => return Err(ToolError::new(ErrorCode::InvalidPattern, format!("argument `code`: {fault}"))),
        };
        found.total += answer.findings.len();
        found.timed_out |= answer.files_left > 0 || answer.is_cut;
        for finding in answer.findings.into_iter().take(at.limit.saturating_sub(found.rows.len())) {
            found.rows.push(Found {
                bound: finding.node.map(|node| bind_node(at.snapshot, node, "match".to_owned())).into_iter().collect(),
                location: format!("{}:{}", finding.path, finding.line),
                line: Some(finding.text),
            });
        }
    }
    Ok(found)
}

fn look_for_nodes(pattern: &BugPattern, at: &Looking<'_>) -> Result<Matches, ToolError> {
    let graph = at.snapshot.graph();
    let wanted = subgraph(&pattern.nodes, &pattern.edges, &pattern.negative_edges)?;
    let within = |node: NodeIx| at.changed.is_none_or(|paths| paths.contains(graph.path(node)));
    let answer = wanted.find(graph, at.mode, at.limit, &within, at.cancel)?.map_err(subgraph_error)?;
    let row = |nodes: &Vec<NodeIx>| {
        let roles = pattern.nodes.iter().map(|node| node.role.clone());
        let bound: Vec<BoundNode> =
            nodes.iter().zip(roles).map(|(node, role)| bind_node(at.snapshot, *node, role)).collect();
        let location = bound
            .iter()
            .find(|node| !node.source_path.is_empty())
            .map(|node| format!("{}:{}", node.source_path, node.line_start));
        Found { bound, location: location.unwrap_or_default(), line: None }
    };
    let rows: Vec<Found> = answer.rows.iter().map(row).collect();
    Ok(Matches { total: rows.len(), rows, timed_out: answer.timed_out })
}

fn bind_node(snapshot: &Snapshot, node: NodeIx, role: String) -> BoundNode {
    let graph = snapshot.graph();
    let (line_start, line_end) = graph.lines(node);
    BoundNode {
        node_id: graph.id(node).to_owned(),
        label: graph.label(node).to_owned(),
        role,
        source_path: graph.path(node).to_owned(),
        line_start,
        line_end,
    }
}
