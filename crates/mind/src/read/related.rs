//! Memories that one is related to: by what they say of each other, and by likeness.

use m1nd_memory::{Relation, RelationKind};

use crate::read::load::ProjectMemory;
use crate::read::settings::WORDS;

/// Related memories shown with one.
const MAX_RELATED: usize = 5;
/// Confidence from which a relation is shown.
const MIN_RELATION: f32 = 0.6;
/// Memories of like meaning that are looked at for one.
const MAX_ALIKE: usize = 8;
/// Cosine similarity from which two memories are about the same subject. Above the one for the same meaning they are
/// shown as one.
const MIN_LIKENESS: f32 = 0.5;

/// A memory related to another one.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Related {
    /// Kind of the relation.
    pub relation: RelationKind,
    /// Whether the found memory states the relation; otherwise the other one does.
    pub is_from_here: bool,
    /// Id of the other memory.
    pub id: String,
    /// Title of the other memory.
    pub title: String,
    /// Confidence, 0 to 1.
    pub confidence: f32,
}

impl ProjectMemory {
    /// The memories that one is related to, few: what is said of them first, the surest first; then, if `is_linked`,
    /// those of like meaning.
    pub(crate) fn list_related(&self, at: usize, is_linked: bool) -> Vec<Related> {
        let id = self.records[at].id;
        let sure = self.relations().iter().filter(|relation| relation.confidence >= MIN_RELATION);
        let own = sure.filter(|relation| relation.from == id || relation.to == id);
        let of = |relation: &Relation| {
            let other = if relation.from == id { relation.to } else { relation.from };
            let other = self.records.iter().find(|record| record.id == other)?;
            Some(Related {
                relation: relation.kind,
                is_from_here: relation.from == id,
                id: other.id.to_string(),
                title: other.title.to_string(),
                confidence: relation.confidence,
            })
        };
        let mut related: Vec<Related> = own.filter_map(of).collect();
        related.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.id.cmp(&b.id)));
        related.truncate(MAX_RELATED);
        if is_linked && related.len() < MAX_RELATED {
            let alike = self.alike(at).into_iter().filter(|row| related.iter().all(|known| known.id != row.id));
            let alike: Vec<Related> = alike.take(MAX_RELATED - related.len()).collect();
            related.extend(alike);
        }
        related
    }

    /// The memories that one is like, the likest first: about the same thing, and another statement of it. None where
    /// only words count.
    fn alike(&self, at: usize) -> Vec<Related> {
        if self.settings.embedder == WORDS {
            return Vec::new();
        }
        let recall = self.recall();
        let near = recall.similar(&self.records[at].content, MAX_ALIKE + 1).into_iter().map(|(other, _)| other);
        // A text that nobody approved is told as an answer, marked as such, or not at all.
        let is_told = |other: usize| self.is_told(&self.records[other]) || !self.is_own();
        let others = near.filter(|&other| other != at && is_told(other) && !recall.is_same(at, other));
        let mut alike: Vec<(usize, f32)> = others.map(|other| (other, recall.cosine(at, other).min(1.0))).collect();
        alike.retain(|(_, likeness)| *likeness >= MIN_LIKENESS);
        alike.sort_by(|a, b| b.1.total_cmp(&a.1).then(self.records[a.0].id.cmp(&self.records[b.0].id)));
        let row = |(other, confidence): (usize, f32)| Related {
            relation: RelationKind::RelatesTo,
            is_from_here: true,
            id: self.records[other].id.to_string(),
            title: self.records[other].title.to_string(),
            confidence,
        };
        alike.into_iter().map(row).collect()
    }
}
