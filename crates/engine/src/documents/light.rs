//! L1GHT documents: header, sections and claims. Ids of claims follow from what they say, so that an edit elsewhere in
//! the document leaves them alone.

use m1nd_base::{NodeKind, Relation};
use m1nd_documents::Document;
use m1nd_documents::light::{LightDocument, LightQualifier, LightRelation};
use m1nd_graph::NodeFlags;

use super::{Ordinals, Sheet, slug, title};

/// Adds a document; returns how much of its evidence is in the index, and how much is not.
pub(super) fn add(sheet: &mut Sheet<'_>, document: &Document, path: &str, namespace: &str) -> (usize, usize) {
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
    let mut evidence = (0, 0);
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
        for relation in &claim.relations {
            relate(sheet, &node, relation, &id, &mut evidence);
        }
    }
    for relation in &light.relations {
        relate(sheet, &root, relation, &id, &mut evidence);
    }
    evidence
}

/// Edges to what a marker names: nodes of the index, else a node of its own that says so.
fn relate(
    sheet: &mut Sheet<'_>,
    from: &str,
    relation: &LightRelation,
    id: &dyn Fn(&str, &str) -> String,
    evidence: &mut (usize, usize),
) {
    let graph_relation = match relation.qualifier {
        LightQualifier::Confidence | LightQualifier::Ambiguity => return,
        LightQualifier::BindsTo | LightQualifier::Evidence => Relation::Documents,
        LightQualifier::Tests | LightQualifier::DependsOn => Relation::References,
    };
    // What documents made themselves is no target: a second reading would find the nodes of the first.
    let graph = sheet.snapshot.graph();
    let mut found = sheet.snapshot.nodes_named(&relation.target);
    found.retain(|&node| !graph.flags(node).has(NodeFlags::IMPORTED));
    let is_clear = found.len() == 1;
    if relation.qualifier == LightQualifier::Evidence {
        if is_clear { evidence.0 += 1 } else { evidence.1 += 1 }
    }
    if is_clear {
        let to = graph.id(found[0]).to_owned();
        sheet.edge(from, &to, graph_relation);
    } else {
        let tags = [format!("light:{}", relation.qualifier.relation()), "unresolved".to_owned()];
        let node = sheet.node(id("dep", &slug(&relation.target)), &relation.target, NodeKind::Concept, &tags);
        sheet.edge(from, &node, Relation::RelatesTo);
    }
}
