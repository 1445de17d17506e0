use m1nd_search::embedding::Embedding;
use m1nd_search::words;

use super::{Edge, EdgeDraft, canonical_tag};

/// Cosine from which two gotchas with the same tags are one.
const SAME: f32 = 0.92;

/// An existing gotcha with the same content as a new one.
#[derive(Clone, Debug, PartialEq)]
pub struct Existing {
    /// Its number in the list.
    pub index: usize,
    /// Its id.
    pub id: Box<str>,
    /// Similarity, 0 to 1; 1 for the same title.
    pub similarity: f32,
}

/// Finds the gotcha among `edges` that a draft repeats: one with the same title except for case, punctuation and word
/// endings, or one for the same stack with nearly the same content. The most similar one wins, ties go to the first.
#[must_use]
pub fn existing(draft: &EdgeDraft, edges: &[Edge]) -> Option<Existing> {
    let embedding = Embedding::built_in();
    let (title, tags) = (normal(&draft.title), tags_of(&draft.stack_tags));
    let meaning = |title: &str, description: &str| embedding.of_text(&format!("{title}\n{description}"), |_| 1.0);
    let vector = meaning(&draft.title, &draft.description);
    let mut best: Option<Existing> = None;
    for (index, edge) in edges.iter().enumerate() {
        let similarity = if !title.is_empty() && normal(&edge.title) == title {
            1.0
        } else if tags_of(&edge.stack_tags) == tags {
            vector.cosine(&meaning(&edge.title, &edge.description)).clamp(0.0, 1.0)
        } else {
            continue;
        };
        if similarity >= SAME && best.as_ref().is_none_or(|best| similarity > best.similarity) {
            best = Some(Existing { index, id: edge.id.clone(), similarity });
        }
    }
    best
}

fn normal(title: &str) -> Vec<String> {
    let mut terms = Vec::new();
    words::terms(title, |term| terms.push(term.to_owned()));
    terms
}

fn tags_of(tags: &[Box<str>]) -> Vec<String> {
    let mut tags: Vec<String> = tags.iter().map(|tag| canonical_tag(tag)).collect();
    tags.sort();
    tags.dedup();
    tags
}
