//! Re-ranking of the first rows with the user's own model.

use std::collections::HashMap;

use m1nd_base::{Cancel, Cancelled, NodeKind, Relation, RepoPath};
use m1nd_graph::NodeIx;
use m1nd_model::{MAX_TEXT_BYTES, cosine};

use super::{SCALE, SeekRow};
use m1nd_engine::{LocalModel, ModelUse};
use m1nd_engine::{Snapshot, SourceText};

/// Rows that the model reads.
const READ: usize = 50;
/// Weight of one standard deviation of the cosine, in units of the ranking score.
const SHARE: f64 = 0.4;
/// Maximum bytes of a symbol's body for the model: its purpose shows at the start.
const BODY_BYTES: usize = 600;
/// Maximum number of symbol names that describe a file.
const NAMES: usize = 40;

/// Re-ranks the first rows, which are sorted, by their score and the model's similarity.
///
/// # Errors
/// [`Cancelled`].
pub(super) fn rerank(
    snapshot: &Snapshot,
    rows: &mut [SeekRow],
    text: &str,
    model: &LocalModel,
    cancel: &Cancel,
) -> Result<ModelUse, Cancelled> {
    let read = rows.len().min(READ);
    let rows = &mut rows[..read];
    // One call of the model for the question and all rows.
    let mut sources = HashMap::new();
    let mut texts = vec![text[..text.floor_char_boundary(MAX_TEXT_BYTES)].to_owned()];
    texts.extend(rows.iter().map(|row| describe_node(snapshot, row.node, &mut sources)));
    let vectors = match model.vectors(&texts, cancel)? {
        Ok(vectors) => vectors,
        Err(why) => return Ok(ModelUse::Failed(why)),
    };
    let name = model.model().map_or_else(str::to_owned, |model| model.name().to_owned());
    let used = ModelUse::Ordered { name, rows: read };
    let (Some(first), Some((query, rest))) = (rows.first().map(|row| row.score), vectors.split_first()) else {
        return Ok(used);
    };
    // Models differ in the range of their cosines, so only the distance from the mean counts.
    let near: Vec<f64> = rest.iter().map(|vector| cosine(query, vector)).collect();
    let mean = near.iter().sum::<f64>() / near.len() as f64;
    let apart = (near.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / near.len() as f64).sqrt();
    if first <= 0.0 || apart <= f64::EPSILON {
        return Ok(used);
    }
    let least = f64::MIN_POSITIVE;
    // Scores are multiplied, similarities added: in logarithms both are sums.
    let values: Vec<f64> = rows
        .iter()
        .zip(&near)
        .map(|(row, near)| (row.score.max(least) / first).ln() * SCALE + SHARE * (near - mean) / apart)
        .collect();
    let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (row, value) in rows.iter_mut().zip(&values) {
        row.score = first * ((value - top) / SCALE).exp();
        row.alone = row.score;
    }
    let id = |row: &SeekRow| snapshot.graph().id(row.node);
    rows.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| id(a).cmp(id(b))));
    Ok(used)
}

/// Text of a node for the model: its location, header and comment, and the start of its body; for a file, its
/// content.
fn describe_node(snapshot: &Snapshot, node: NodeIx, sources: &mut HashMap<String, Option<SourceText>>) -> String {
    let graph = snapshot.graph();
    let path = graph.path(node);
    if graph.kind(node) == NodeKind::File {
        let inside = graph.out_edges(node).filter(|edge| edge.relation == Relation::Contains).take(NAMES);
        let names: Vec<&str> = inside.map(|edge| graph.label(edge.to)).collect();
        return format!("{path}\n{}\n{}", graph.doc(node), names.join(" "));
    }
    let source = sources.entry(path.to_owned()).or_insert_with(|| {
        let source = RepoPath::new(path).ok().and_then(|path| snapshot.read_file(&path).ok());
        source.filter(|source| !source.stale && !source.binary)
    });
    let (from, to) = graph.lines(node);
    let body = source.as_ref().map_or_else(String::new, |source| {
        let lines =
            source.text.lines().skip(from.saturating_sub(1) as usize).take((to + 1).saturating_sub(from) as usize);
        let mut body = String::new();
        for line in lines {
            body.push_str(line.trim());
            body.push('\n');
            if body.len() >= BODY_BYTES {
                break;
            }
        }
        body
    });
    let header = if body.is_empty() { graph.signature(node) } else { "" };
    format!("{path} {}\n{}\n{header}{body}", graph.label(node), graph.doc(node))
}
