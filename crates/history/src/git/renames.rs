//! Rename detection: matches added files of a commit with removed ones.
//!
//! Files of equal content are matched first. Of the others, those that share at least half of their content, counted
//! in lines as git does, are matched best first, but only in commits where that is cheap.

use gix_hash::ObjectId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::objects::Objects;
use crate::tree_diff::Difference;

/// Maximum pairs of removed and added files compared by content in one commit.
const MAX_PAIRS: usize = 600;
/// Size in bytes above which files are only matched if they are equal.
const MAX_BYTES: u64 = 256 << 10;
/// Maximum size of a unit of comparison, in bytes: a line, or a part of a longer one.
const PIECE: usize = 64;
/// Minimum share of the larger file that the other must contain.
const LEAST_SHARED: f64 = 0.5;

/// A rename: indexes of the removed and of the added file.
pub(crate) type Move = (usize, usize);

/// Detects the renames among the differences of one commit, by added file.
pub(crate) fn moves(objects: &Objects, differences: &[Difference]) -> Vec<Move> {
    let of = |is_added: bool| {
        let rows = differences.iter().enumerate();
        let rows = rows.filter(move |(_, row)| if is_added { row.before.is_none() } else { row.after.is_none() });
        rows.map(|(index, _)| index).collect::<Vec<_>>()
    };
    let (mut removed, mut added) = (of(false), of(true));
    if removed.is_empty() || added.is_empty() {
        return Vec::new();
    }
    let mut moves = equal(differences, &removed, &added);
    let taken: FxHashSet<usize> = moves.iter().flat_map(|&(from, to)| [from, to]).collect();
    removed.retain(|index| !taken.contains(index));
    added.retain(|index| !taken.contains(index));
    if !removed.is_empty() && removed.len().saturating_mul(added.len()) <= MAX_PAIRS {
        moves.extend(similar(objects, differences, &removed, &added));
    }
    moves.sort_by_key(|&(_, to)| to);
    moves
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Matches files of equal content; of several, one of the same name is preferred.
fn equal(differences: &[Difference], removed: &[usize], added: &[usize]) -> Vec<Move> {
    let mut by_content: FxHashMap<ObjectId, Vec<usize>> = FxHashMap::default();
    for &index in removed {
        if let Some(id) = differences[index].before {
            by_content.entry(id).or_default().push(index);
        }
    }
    let mut moves = Vec::new();
    for &to in added {
        let candidates = differences[to].after.and_then(|id| by_content.get_mut(&id));
        let Some(candidates) = candidates.filter(|candidates| !candidates.is_empty()) else { continue };
        let name = file_name(&differences[to].path);
        let same = candidates.iter().position(|&from| file_name(&differences[from].path) == name);
        moves.push((candidates.remove(same.unwrap_or(0)), to));
    }
    moves
}

fn similar(objects: &Objects, differences: &[Difference], removed: &[usize], added: &[usize]) -> Vec<Move> {
    let pieces = |index: usize, id: Option<ObjectId>| {
        let id = id.filter(|id| objects.size(id).is_some_and(|size| size <= MAX_BYTES))?;
        Some((index, pieces_of(&objects.content(&id)?)))
    };
    let removed: Vec<_> = removed.iter().filter_map(|&index| pieces(index, differences[index].before)).collect();
    let added: Vec<_> = added.iter().filter_map(|&index| pieces(index, differences[index].after)).collect();
    let mut scored = Vec::new();
    for (from, old) in &removed {
        for (to, new) in &added {
            let shared = measure_shared(old, new);
            if shared >= LEAST_SHARED {
                let same_name = file_name(&differences[*from].path) == file_name(&differences[*to].path);
                scored.push((shared, same_name, *from, *to));
            }
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| b.1.cmp(&a.1)).then_with(|| (a.2, a.3).cmp(&(b.2, b.3))));
    let mut taken = FxHashSet::default();
    let mut moves = Vec::new();
    for (_, _, from, to) in scored {
        if !taken.contains(&from) && !taken.contains(&to) {
            taken.extend([from, to]);
            moves.push((from, to));
        }
    }
    moves
}

/// Number of bytes by unit, and in total.
struct Pieces {
    bytes: FxHashMap<u64, u64>,
    total: u64,
}

fn pieces_of(content: &[u8]) -> Pieces {
    let mut bytes: FxHashMap<u64, u64> = FxHashMap::default();
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        for piece in line.chunks(PIECE) {
            let hash = piece.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
            });
            *bytes.entry(hash).or_default() += piece.len() as u64;
        }
    }
    Pieces { bytes, total: content.len() as u64 }
}

/// Share of the larger content that both have in common.
fn measure_shared(a: &Pieces, b: &Pieces) -> f64 {
    let larger = a.total.max(b.total);
    if larger == 0 || (a.total.min(b.total) as f64) < LEAST_SHARED * larger as f64 {
        return 0.0;
    }
    let common: u64 = a.bytes.iter().map(|(piece, bytes)| (*bytes).min(b.bytes.get(piece).copied().unwrap_or(0))).sum();
    common as f64 / larger as f64
}
