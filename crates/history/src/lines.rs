//! Compares two texts line by line.
//!
//! Lines that occur once on both sides anchor the comparison (patience), and the gaps between anchors are compared by
//! Myers' greedy algorithm ("An O(ND) Difference Algorithm", 1986). A gap that differs in more than
//! [`MAX_EDITS`] lines counts as replaced.

use rustc_hash::FxHashMap;

/// Maximum inserted and removed lines that are searched for in one gap between anchors.
const MAX_EDITS: usize = 600;
/// Size in bytes above which a text is not compared.
const MAX_BYTES: usize = 4 << 20;
/// Leading bytes in which a NUL makes a text binary, as for git.
const BINARY_PROBE: usize = 8_000;

/// Lines replaced by others. Either side may be empty. Numbers start at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hunk {
    /// First line before the change.
    pub before: u32,
    /// Number of lines before the change.
    pub removed: u32,
    /// First line after the change.
    pub after: u32,
    /// Number of lines after the change.
    pub added: u32,
}

/// Difference of two texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineChange {
    /// Changed lines, in order.
    pub hunks: Box<[Hunk]>,
    /// The words (runs of letters, digits and underscores) are the same, in any order: a formatter could have made
    /// the change.
    pub is_format: bool,
    /// The texts were not compared: one of them is binary or larger than 4 MiB.
    pub is_opaque: bool,
}

impl LineChange {
    /// Number of added lines.
    pub fn count_added(&self) -> u64 {
        self.hunks.iter().map(|hunk| u64::from(hunk.added)).sum()
    }

    /// Number of removed lines.
    pub fn count_removed(&self) -> u64 {
        self.hunks.iter().map(|hunk| u64::from(hunk.removed)).sum()
    }
}

/// Compares two texts. A file that does not exist is an empty text.
pub fn compare_lines(before: &[u8], after: &[u8]) -> LineChange {
    let is_opaque = |text: &[u8]| text.len() > MAX_BYTES || text[..text.len().min(BINARY_PROBE)].contains(&0);
    if is_opaque(before) || is_opaque(after) {
        return LineChange { is_opaque: true, ..LineChange::default() };
    }
    let (old, new) = (split(before), split(after));
    let (a, b) = number_lines(&old, &new);
    let hunks = differing(&a, &b).into_boxed_slice();
    let is_format = !hunks.is_empty() && !before.is_empty() && !after.is_empty() && has_same_words(&hunks, &old, &new);
    LineChange { hunks, is_format, is_opaque: false }
}

/// Returns whether two texts consist of the same words in any order.
pub(crate) fn is_reformatted(before: &[u8], after: &[u8]) -> bool {
    before.len() <= MAX_BYTES && after.len() <= MAX_BYTES && compare_lines(before, after).is_format
}

fn split(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Numbers lines by their content, the same for both texts.
fn number_lines<'t>(old: &[&'t [u8]], new: &[&'t [u8]]) -> (Vec<u32>, Vec<u32>) {
    let mut numbers: FxHashMap<&[u8], u32> = FxHashMap::default();
    let mut number = |line: &&'t [u8]| {
        let next = numbers.len() as u32;
        *numbers.entry(line).or_insert(next)
    };
    let a = old.iter().map(&mut number).collect();
    let b = new.iter().map(&mut number).collect();
    (a, b)
}

/// Returns whether the lines of the hunks have the same words on both sides.
fn has_same_words(hunks: &[Hunk], old: &[&[u8]], new: &[&[u8]]) -> bool {
    let mut counts: FxHashMap<&[u8], i64> = FxHashMap::default();
    for hunk in hunks {
        let sides = [(old, hunk.before, hunk.removed, 1), (new, hunk.after, hunk.added, -1)];
        for (lines, start, count, step) in sides {
            for line in &lines[start as usize..(start + count) as usize] {
                let words = line.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_' && byte.is_ascii());
                words.filter(|word| !word.is_empty()).for_each(|word| *counts.entry(word).or_default() += step);
            }
        }
    }
    counts.values().all(|count| *count == 0)
}

/// The differing stretches of two sequences.
fn differing(a: &[u32], b: &[u32]) -> Vec<Hunk> {
    let start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a_rest, b_rest) = (&a[start..], &b[start..]);
    let end = a_rest.iter().rev().zip(b_rest.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a_mid, b_mid) = (&a_rest[..a_rest.len() - end], &b_rest[..b_rest.len() - end]);
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut add = |a_from: usize, a_to: usize, b_from: usize, b_to: usize| {
        if a_from == a_to && b_from == b_to {
            return;
        }
        match hunks.last_mut() {
            Some(last)
                if (last.before + last.removed) as usize == a_from + start
                    && (last.after + last.added) as usize == b_from + start =>
            {
                last.removed += (a_to - a_from) as u32;
                last.added += (b_to - b_from) as u32;
            }
            _ => hunks.push(Hunk {
                before: (a_from + start) as u32,
                removed: (a_to - a_from) as u32,
                after: (b_from + start) as u32,
                added: (b_to - b_from) as u32,
            }),
        }
    };
    let (mut a_at, mut b_at) = (0, 0);
    let mut anchors = anchors(a_mid, b_mid);
    anchors.push((a_mid.len(), b_mid.len()));
    for (a_anchor, b_anchor) in anchors {
        for (x, y) in edits(&a_mid[a_at..a_anchor], &b_mid[b_at..b_anchor]) {
            add(a_at + x.start, a_at + x.end, b_at + y.start, b_at + y.end);
        }
        (a_at, b_at) = (a_anchor + 1, b_anchor + 1);
    }
    hunks
}

/// Pairs of equal lines that occur once on each side, in rising order on both (the longest such sequence).
fn anchors(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    // Number of occurrences and the last place, on both sides.
    let mut seen: FxHashMap<u32, (u32, usize, u32, usize)> = FxHashMap::default();
    for (at, line) in a.iter().enumerate() {
        let row = seen.entry(*line).or_default();
        (row.0, row.1) = (row.0 + 1, at);
    }
    for (at, line) in b.iter().enumerate() {
        let row = seen.entry(*line).or_default();
        (row.2, row.3) = (row.2 + 1, at);
    }
    let mut pairs: Vec<(usize, usize)> =
        seen.values().filter(|row| row.0 == 1 && row.2 == 1).map(|row| (row.1, row.3)).collect();
    pairs.sort_unstable();
    // Longest increasing subsequence of the places in `b`: the last pair of each length, and the pair before each.
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (index, pair) in pairs.iter().enumerate() {
        let length = tails.partition_point(|&tail| pairs[tail].1 < pair.1);
        before[index] = length.checked_sub(1).map(|shorter| tails[shorter]);
        if length == tails.len() { tails.push(index) } else { tails[length] = index }
    }
    let mut chain = Vec::with_capacity(tails.len());
    let mut next = tails.last().copied();
    while let Some(index) = next {
        chain.push(pairs[index]);
        next = before[index];
    }
    chain.reverse();
    chain
}

type Span = std::ops::Range<usize>;

/// The shortest edits between two stretches; one edit of everything if they need more than [`MAX_EDITS`].
fn edits(a: &[u32], b: &[u32]) -> Vec<(Span, Span)> {
    if a.is_empty() || b.is_empty() {
        return vec![(0..a.len(), 0..b.len())];
    }
    let Some(trace) = trace(a, b) else { return vec![(0..a.len(), 0..b.len())] };
    // Backwards along the furthest reaching paths.
    let (mut x, mut y) = (a.len() as isize, b.len() as isize);
    let mut equal: Vec<(usize, usize)> = Vec::new();
    for (depth, reached) in trace.iter().enumerate().rev() {
        let depth = depth as isize;
        let k = x - y;
        let at = |k: isize| reached[(k + depth) as usize];
        let from_above = depth > 0 && (k == -depth || (k != depth && at(k - 1) < at(k + 1)));
        let (start_x, start_y, before) = match (depth, from_above) {
            (0, _) => (0, 0, None),
            (_, true) => (at(k + 1), at(k + 1) - k, Some((at(k + 1), at(k + 1) - (k + 1)))),
            (_, false) => (at(k - 1) + 1, at(k - 1) + 1 - k, Some((at(k - 1), at(k - 1) - (k - 1)))),
        };
        while x > start_x && y > start_y {
            (x, y) = (x - 1, y - 1);
            equal.push((x as usize, y as usize));
        }
        if let Some(point) = before {
            (x, y) = point;
        }
    }
    equal.reverse();
    let mut found = Vec::new();
    let (mut a_at, mut b_at) = (0, 0);
    for (x, y) in equal.into_iter().chain([(a.len(), b.len())]) {
        if x > a_at || y > b_at {
            found.push((a_at..x, b_at..y));
        }
        (a_at, b_at) = (x + 1, y + 1);
    }
    found
}

/// For each number of edits, the furthest places reached with fewer on each diagonal; `None` above the limit.
fn trace(a: &[u32], b: &[u32]) -> Option<Vec<Vec<isize>>> {
    let (n, m) = (a.len() as isize, b.len() as isize);
    let most = ((n + m) as usize).min(MAX_EDITS) as isize;
    let mut furthest = vec![0isize; 2 * most as usize + 3];
    let middle = most + 1;
    let mut trace: Vec<Vec<isize>> = Vec::new();
    for depth in 0..=most {
        trace.push((-depth..=depth).map(|k| furthest[(k + middle) as usize]).collect());
        for k in (-depth..=depth).step_by(2) {
            let at = |k: isize| furthest[(k + middle) as usize];
            let from_above = k == -depth || (k != depth && at(k - 1) < at(k + 1));
            let mut x = if depth == 0 {
                0
            } else if from_above {
                at(k + 1)
            } else {
                at(k - 1) + 1
            };
            let mut y = x - k;
            while x < n && y < m && a[x as usize] == b[y as usize] {
                (x, y) = (x + 1, y + 1);
            }
            furthest[(k + middle) as usize] = x;
            if x >= n && y >= m {
                return Some(trace);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use m1nd_testkit::Random;

    use super::*;

    fn show_hunks(before: &str, after: &str) -> String {
        let change = compare_lines(before.as_bytes(), after.as_bytes());
        let row = |hunk: &Hunk| format!("{},{}>{},{}", hunk.before, hunk.removed, hunk.after, hunk.added);
        change.hunks.iter().map(row).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn differing_lines() {
        let cases = [
            ("", "", ""),
            ("a\nb\n", "a\nb\n", ""),
            ("", "a\nb\n", "0,0>0,2"),
            ("a\nb\n", "", "0,2>0,0"),
            ("a\nb\nc\n", "a\nx\nc\n", "1,1>1,1"),
            ("a\nb\nc\n", "a\nc\n", "1,1>1,0"),
            ("a\na\na\n", "a\na\na\na\n", "3,0>3,1"),
            ("x\na\nb\nc\nd\n", "a\nb\ny\nc\nd\nz\n", "0,1>0,0 3,0>2,1 5,0>5,1"),
            ("{\n}\n{\n}\n", "{\n}\n{\n{\n}\n", "3,0>3,1"),
            ("a\nb", "a\nb\n", "1,1>1,1"),
        ];
        for (before, after, expected) in cases {
            assert_eq!(show_hunks(before, after), expected, "{before:?} {after:?}");
        }
    }

    #[test]
    fn the_hunks_lead_from_one_text_to_the_other() {
        for seed in 0..400 {
            let mut random = Random::new(seed);
            let mut text = |most: usize, kinds: usize| -> Vec<u32> {
                let length = random.below(most);
                (0..length).map(|_| random.below(kinds) as u32).collect()
            };
            let kinds = 1 + seed as usize % 9;
            let (a, b) = (text(30, kinds), text(30, kinds));
            let mut built: Vec<u32> = Vec::new();
            let mut at = 0usize;
            let hunks = differing(&a, &b);
            for hunk in &hunks {
                built.extend(&a[at..hunk.before as usize]);
                assert_eq!(built.len(), hunk.after as usize, "seed {seed}");
                built.extend(&b[hunk.after as usize..(hunk.after + hunk.added) as usize]);
                at = (hunk.before + hunk.removed) as usize;
            }
            built.extend(&a[at..]);
            assert_eq!(built, b, "seed {seed}: {a:?} {hunks:?}");
        }
    }

    #[test]
    fn a_formatter_keeps_the_words() {
        let cases = [
            ("f(a, b)\n", "f(\n    a,\n    b,\n)\n", true),
            ("import b\nimport a\nx = 'y'\n", "import a\nimport b\nx = \"y\"\n", true),
            ("f(a, b)\n", "f(a, c)\n", false),
            ("x = 1\n", "x = 1\ny\n", false),
            ("", "{\n", false),
        ];
        for (before, after, expected) in cases {
            let change = compare_lines(before.as_bytes(), after.as_bytes());
            assert_eq!(change.is_format, expected, "{before:?}");
        }
    }

    #[test]
    fn large_and_binary_texts_are_bounded() {
        let many = |salt: usize| (0..5_000).map(|n| format!("{}\n", (n * 7 + salt) % 11)).collect::<String>();
        let change = compare_lines(many(0).as_bytes(), many(3).as_bytes());
        assert!(!change.hunks.is_empty());
        assert!(compare_lines(b"a\0b", b"a").is_opaque);
    }
}
