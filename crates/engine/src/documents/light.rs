//! L1GHT documents: header, sections and claims. Ids of claims follow from what they say, so that an edit elsewhere in
//! the document leaves them alone.

use m1nd_base::{NodeKind, Relation, RepoPath};
use m1nd_documents::Document;
use m1nd_documents::light::{LightDocument, LightQualifier, LightRelation};
use m1nd_graph::{NodeFlags, NodeIx};

use super::{Ordinals, Sheet, slug, title};
use crate::state::snapshot::Snapshot;

/// More candidates than this say nothing about any of them.
const MAX_CANDIDATES: usize = 8;

/// Adds a document; returns the state of its evidence.
pub(super) fn add(sheet: &mut Sheet<'_>, document: &Document, path: &str, namespace: &str) -> Evidence {
    let empty = LightDocument::default();
    let light = document.light.as_ref().unwrap_or(&empty);
    let file = slug(path);
    let id = |kind: &str, rest: &str| format!("light::{namespace}::{kind}::{file}::{rest}");
    let tags = ["light".to_owned(), format!("namespace:{namespace}"), format!("source:{path}")];
    let root = sheet.node(format!("light::{namespace}::file::{file}"), title(document, path), NodeKind::Concept, &tags);
    if sheet.snapshot.graph().find_file(path).is_some() {
        sheet.edge(&root, &format!("file::{path}"), Relation::Documents);
    }
    for field in &light.header {
        for value in &field.values {
            let (kind, key) = match field.key.as_str() {
                "Depends on" => ("dep", slug(value)),
                "Next" => ("next", slug(value)),
                key => ("meta", slug(key)),
            };
            let node = sheet.node(id(kind, &key), value, NodeKind::Concept, &[format!("light:{}", slug(&field.key))]);
            sheet.edge(&root, &node, Relation::Declares);
        }
    }
    let mut ordinals = Ordinals::default();
    let mut sections: Vec<(String, String)> = Vec::new();
    for section in document.sections.iter().filter(|section| section.level == 2) {
        let node = sheet.node(
            id("section", &ordinals.of(&section.heading)),
            &section.heading,
            NodeKind::Section,
            &["light:section".to_owned()],
        );
        sheet.edge(&root, &node, Relation::Contains);
        sections.push((section.heading.clone(), node));
    }
    let mut evidence = Evidence::default();
    let owner = slug(light.field("Node").unwrap_or(path));
    for claim in &light.claims {
        let mut tags = vec![format!("light:{}", claim.kind.relation()), format!("line:{}", claim.line)];
        let said = claim
            .relations
            .iter()
            .filter(|relation| matches!(relation.qualifier, LightQualifier::Confidence | LightQualifier::Ambiguity));
        tags.extend(said.map(|relation| match relation.qualifier {
            LightQualifier::Confidence => format!("confidence:{}", relation.target),
            _ => format!("ambiguity:{}", relation.target),
        }));
        let node = sheet.node(
            format!("light::{namespace}::claim::{owner}::{}", claim.key()),
            &claim.value,
            NodeKind::Concept,
            &tags,
        );
        let from = sections
            .iter()
            .find(|(heading, _)| Some(heading) == claim.section.as_ref())
            .map_or(&root, |(_, node)| node);
        let from = from.clone();
        sheet.edge(&from, &node, Relation::Declares);
        let states = claim.relations.iter().filter_map(|relation| relate(sheet, &node, relation, &id, &mut evidence));
        // The worst of it says how well the claim stands.
        if let Some(worst) = states.max() {
            sheet.tag(&node, &format!("evidence:{}", worst.word()));
        }
    }
    for relation in &light.relations {
        relate(sheet, &root, relation, &id, &mut evidence);
    }
    evidence
}

/// Edges to what a marker names: nodes of the index, else a node of its own that says so. Returns the state of
/// evidence.
fn relate(
    sheet: &mut Sheet<'_>,
    from: &str,
    relation: &LightRelation,
    id: &dyn Fn(&str, &str) -> String,
    evidence: &mut Evidence,
) -> Option<TargetState> {
    let graph_relation = match relation.qualifier {
        LightQualifier::Confidence | LightQualifier::Ambiguity => return None,
        LightQualifier::BindsTo | LightQualifier::Evidence => Relation::Documents,
        LightQualifier::Tests | LightQualifier::DependsOn => Relation::References,
    };
    let snapshot = sheet.snapshot;
    let (found, state) = snapshot.light_target(relation);
    let is_evidence = relation.qualifier == LightQualifier::Evidence;
    if is_evidence {
        evidence.count(state);
    }
    if found.is_empty() || found.len() > MAX_CANDIDATES {
        let tags = [format!("light:{}", relation.qualifier.relation()), "unresolved".to_owned()];
        let node = sheet.node(id("dep", &slug(&relation.target)), &relation.target, NodeKind::Concept, &tags);
        sheet.edge(from, &node, Relation::RelatesTo);
    } else {
        sheet.edges_to(from, &found, graph_relation);
    }
    is_evidence.then_some(state)
}

/// Evidence of the claims of a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// Its file is in the index, and not known to have changed.
    pub(crate) resolved: usize,
    /// Its file is not in the index.
    pub(crate) unresolved: usize,
    /// Its file has changed since the claim was written.
    pub(crate) stale: usize,
}

impl Evidence {
    fn count(&mut self, state: TargetState) {
        match state {
            TargetState::Current | TargetState::Unverified => self.resolved += 1,
            TargetState::Stale => self.stale += 1,
            TargetState::Missing | TargetState::Ambiguous => self.unresolved += 1,
        }
    }
}

/// State of what a L1GHT marker names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TargetState {
    /// It is in the index, as it was when the marker was written.
    Current,
    /// It is in the index; the marker does not say how it was.
    Unverified,
    /// It is in the index, but has changed since the marker was written.
    Stale,
    /// Several nodes have the name.
    Ambiguous,
    /// It is not in the index.
    Missing,
}

impl TargetState {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Unverified => "unverified",
            Self::Stale => "stale",
            Self::Ambiguous => "ambiguous",
            Self::Missing => "missing",
        }
    }
}

impl Snapshot {
    /// The nodes that a L1GHT marker names, and whether they are as they were when it was written.
    pub fn light_target(&self, relation: &LightRelation) -> (Vec<NodeIx>, TargetState) {
        let graph = self.graph();
        let mut found = match relation.qualifier {
            // A path is that of a file, not of something that has its name.
            LightQualifier::Evidence => {
                graph.find_file(relation.target.trim_start_matches("./")).into_iter().collect::<Vec<_>>()
            }
            _ => Vec::new(),
        };
        if found.is_empty() {
            found = self.nodes_named(&relation.target);
            // What documents made themselves is no target: a second reading would find the nodes of the first.
            found.retain(|&node| !graph.flags(node).has(NodeFlags::IMPORTED));
        }
        let state = match (&*found, &relation.hash) {
            ([], _) => TargetState::Missing,
            ([one], Some(hash)) => {
                let path = RepoPath::new(graph.path(*one)).ok();
                let now = path.and_then(|path| self.file_table().get(&path).map(|file| file.hash.to_string()));
                match now {
                    Some(now) if now.starts_with(hash.as_str()) => TargetState::Current,
                    Some(_) => TargetState::Stale,
                    None => TargetState::Unverified,
                }
            }
            ([_], None) => TargetState::Unverified,
            _ => TargetState::Ambiguous,
        };
        (found, state)
    }
}
