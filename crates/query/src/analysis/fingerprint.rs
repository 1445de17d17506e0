//! Functions that are written alike, or that use the same things.
//!
//! Two measures, each with its own evidence:
//! - **Tokens**: names and literals are replaced by placeholders, and the sets of runs of [`RUN`] tokens are compared
//!   (Jaccard). Equal token sequences are exact copies; equal sequences of placeholders are copies with other names.
//!   Candidates of all pairs come from MinHash with banding (Broder, "On the resemblance and containment of
//!   documents", 1997); the likeness reported is exact.
//! - **Uses**: the sets of functions and types that both call or name, weighted by rarity (Jaccard with weights
//!   log(N / users)).

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled, ContentHash, NodeKind, Relation, RepoPath};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use m1nd_lang::{Token, TokenKind};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

/// Tokens of a run.
const RUN: usize = 5;
/// Fewest tokens of a function that is compared: shorter ones are alike by chance.
const LEAST_TOKENS: usize = 30;
/// Most tokens of a function that are read.
const MAX_TOKENS: usize = 20_000;
/// Number of minima kept of each function.
const MINIMA: usize = 64;
/// Minima of a band: functions with an equal band are compared. With 16 bands of 4, pairs of likeness .5 are met with
/// a chance of .64, of .7 with .99.
const BAND: usize = 4;
/// Functions of an equal band that are compared with each other; of larger groups, each with its next ones.
const GROUP: usize = 50;
/// Pairs compared in the search for all.
const MAX_PAIRS: usize = 200_000;
/// Common uses that make functions candidates, and are reported.
const LEAST_USES: usize = 3;
/// Users of something so common that sharing it says nothing.
const COMMON: usize = 200;
/// Maximum new functions that are compared with those that are there.
const MAX_NEW: usize = 50;
/// Maximum functions that one new function is compared with.
const MAX_READ: usize = 100;
/// Rounds of the refinement of roles.
const ROUNDS: usize = 2;

/// Functions of a snapshot as they are compared.
struct Sketches {
    rows: Vec<Sketch>,
    by_node: FxHashMap<NodeIx, usize>,
}

/// A function as it is compared.
struct Sketch {
    node: NodeIx,
    tokens: usize,
    exact: u64,
    shape: u64,
    /// Hashes of its runs, sorted.
    runs: Vec<u32>,
    minima: [u32; MINIMA],
}

/// How two functions are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// The same tokens: only comments and layout may differ.
    Copy,
    /// The same tokens but for names and literals.
    Renamed,
    /// Similar runs of tokens.
    Similar,
    /// The same uses, written differently.
    SameUses,
}

impl Likeness {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Renamed => "renamed_copy",
            Self::Similar => "similar_code",
            Self::SameUses => "same_uses",
        }
    }
}

/// A function that is like another.
#[derive(Debug, Clone, PartialEq)]
pub struct Equivalent {
    /// The other function.
    pub node: NodeIx,
    /// How they are alike.
    pub likeness: Likeness,
    /// The greater of the two measures, 0 to 1.
    pub similarity: f64,
    /// Likeness of their tokens, 0 to 1.
    pub tokens: f64,
    /// Likeness of their uses, 0 to 1; `None` if one of them uses nothing of the project.
    pub uses: Option<f64>,
    /// What both use, rarest first.
    pub common: Vec<NodeIx>,
    /// An edge leads from one to the other.
    pub connected: bool,
    /// Both have the same role in the graph: kinds and relations of their neighbours, two steps far.
    pub same_role: bool,
}

/// A function and those like it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fingerprint {
    /// Number of its tokens.
    pub tokens: usize,
    /// Its first minima as numbers from 0 to 1: the share of equal ones of two functions estimates their likeness.
    pub sketch: Vec<f64>,
    /// Functions like it, most alike first.
    pub equivalents: Vec<Equivalent>,
    /// Number of functions it was compared with.
    pub compared: usize,
}

/// Two functions that are alike.
#[derive(Debug, Clone, PartialEq)]
pub struct EquivalentPair {
    /// The one with the lesser id.
    pub a: NodeIx,
    /// The other, and how they are alike.
    pub b: Equivalent,
}

/// All pairs of functions that are alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs {
    /// Most alike first; longer functions first among equals.
    pub pairs: Vec<EquivalentPair>,
    /// Number of functions compared.
    pub compared: usize,
    /// There were more candidates than are compared.
    pub cut: bool,
}

/// Returns the functions like `node` of at least this similarity, among `others` if there are any. `None` if it has no
/// code that can be compared: it is no function, shorter than 30 tokens, or its file changed since it was indexed.
///
/// # Errors
/// [`Cancelled`].
pub fn fingerprint(
    snapshot: &Snapshot,
    node: NodeIx,
    threshold: f64,
    others: &[NodeIx],
    cancel: &Cancel,
) -> Result<Option<Fingerprint>, Cancelled> {
    let sketches = sketches(snapshot, cancel)?;
    let Some(own) = sketches.by_node.get(&node).map(|&row| &sketches.rows[row]) else { return Ok(None) };
    let graph = snapshot.graph();
    let wanted: FxHashSet<NodeIx> = others.iter().flat_map(|&other| graph.with_members(other, usize::MAX)).collect();
    let is_wanted = |sketch: &&Sketch| sketch.node != node && (wanted.is_empty() || wanted.contains(&sketch.node));
    let candidates: Vec<&Sketch> = sketches.rows.iter().filter(is_wanted).collect();
    let mut compare = Compare { graph, threshold, uses: FxHashMap::default() };
    let mut equivalents = Vec::new();
    for other in &candidates {
        cancel.check()?;
        equivalents.extend(compare.pair(own, other));
    }
    equivalents.sort_by(|a, b| order(graph, a, b));
    let sketch = own.minima.iter().take(16).map(|&least| f64::from(least) / f64::from(u32::MAX)).collect();
    Ok(Some(Fingerprint { tokens: own.tokens, sketch, equivalents, compared: candidates.len() }))
}

/// Returns the pairs of functions of at least this similarity of tokens.
///
/// # Errors
/// [`Cancelled`].
pub fn equivalent_pairs(snapshot: &Snapshot, threshold: f64, cancel: &Cancel) -> Result<Pairs, Cancelled> {
    let sketches = sketches(snapshot, cancel)?;
    let graph = snapshot.graph();
    let (candidates, cut) = candidates(&sketches.rows);
    let mut compare = Compare { graph, threshold, uses: FxHashMap::default() };
    let mut pairs = Vec::new();
    for (a, b) in candidates {
        cancel.check()?;
        let (a, b) = (&sketches.rows[a], &sketches.rows[b]);
        let found = compare.pair(a, b).filter(|found| found.likeness != Likeness::SameUses);
        pairs.extend(found.filter(|found| found.tokens >= threshold).map(|b| EquivalentPair { a: a.node, b }));
    }
    let tokens = |node: NodeIx| sketches.by_node.get(&node).map_or(0, |&row| sketches.rows[row].tokens);
    pairs.sort_by(|x, y| {
        (x.b.likeness.cmp(&y.b.likeness))
            .then_with(|| y.b.similarity.total_cmp(&x.b.similarity))
            .then_with(|| tokens(y.a).cmp(&tokens(x.a)))
            .then_with(|| (graph.id(x.a), graph.id(x.b.node)).cmp(&(graph.id(y.a), graph.id(y.b.node))))
    });
    Ok(Pairs { pairs, compared: sketches.rows.len(), cut })
}

/// A function that is a copy of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyOf {
    /// Its id.
    pub id: String,
    /// The line of its name.
    pub line: u32,
    /// Id of the function that was there before.
    pub of: String,
    /// The line of that.
    pub of_line: u32,
    /// How they are alike: a copy, or one with other names.
    pub likeness: Likeness,
}

/// Returns which of some new functions are copies of other functions of their language, but for names and literals.
/// Reads only functions of about the same number of lines, at most [`MAX_READ`] of them for each.
///
/// # Errors
/// [`Cancelled`].
pub fn find_copies(snapshot: &Snapshot, new: &[NodeIx], cancel: &Cancel) -> Result<Vec<CopyOf>, Cancelled> {
    let graph = snapshot.graph();
    let is_code = |node: &NodeIx| graph.kind(*node) == NodeKind::Function && !graph.path(*node).is_empty();
    let length = |node: NodeIx| graph.lines(node).1.saturating_sub(graph.lines(node).0);
    let own: Vec<NodeIx> = new.iter().copied().filter(is_code).take(MAX_NEW).collect();
    let mut by_length: FxHashMap<u32, Vec<NodeIx>> = FxHashMap::default();
    if !own.is_empty() {
        let wanted: FxHashSet<u32> = own.iter().map(|node| length(*node)).collect();
        let fits = |node: &NodeIx| is_code(node) && wanted.contains(&length(*node)) && !new.contains(node);
        graph.nodes().filter(fits).for_each(|node| by_length.entry(length(node)).or_default().push(node));
    }
    let mut read = Excerpts { snapshot, texts: FxHashMap::default() };
    let mut found = Vec::new();
    for node in own {
        cancel.check()?;
        let Some((exact, shape)) = read.hashes(node) else { continue };
        let language = snapshot.file_of(node).map(|file| file.language);
        let mut others = by_length.get(&length(node)).cloned().unwrap_or_default();
        others.retain(|other| snapshot.file_of(*other).map(|file| file.language) == language);
        // Of many, those of the same name or file first.
        let rank = |other: &NodeIx| (graph.label(*other) != graph.label(node), graph.path(*other) != graph.path(node));
        others.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| graph.compare_ids(*a, *b)));
        others.truncate(MAX_READ);
        let copy = others.into_iter().find_map(|other| Some((other, read.hashes(other).filter(|it| it.1 == shape)?.0)));
        let Some((copy, exact_copy)) = copy else { continue };
        found.push(CopyOf {
            id: graph.id(node).to_owned(),
            line: graph.name_line(node),
            of: graph.id(copy).to_owned(),
            of_line: graph.name_line(copy),
            likeness: if exact_copy == exact { Likeness::Copy } else { Likeness::Renamed },
        });
    }
    Ok(found)
}

/// Reads the lines of single functions.
struct Excerpts<'s> {
    snapshot: &'s Snapshot,
    texts: FxHashMap<String, Option<String>>,
}

impl Excerpts<'_> {
    /// Hashes of the tokens of a function as they are, and without names and literals; `None` for short ones and for
    /// files that changed since they were indexed.
    fn hashes(&mut self, node: NodeIx) -> Option<(u64, u64)> {
        let graph = self.snapshot.graph();
        let (path, snapshot) = (RepoPath::new(graph.path(node)).ok()?, self.snapshot);
        let read = || snapshot.read_file(&path).ok().filter(|source| !source.stale && !source.binary);
        let text = self.texts.entry(path.as_str().to_owned()).or_insert_with(|| read().map(|source| source.text));
        let (first, last) = graph.lines(node);
        let skipped = (first as usize).checked_sub(1)?;
        let lines = text.as_ref()?.split_inclusive('\n').skip(skipped).take((last as usize).checked_sub(skipped)?);
        let own: String = lines.collect();
        let tokens = m1nd_lang::tokens(snapshot.files().get(&path)?.language, &own);
        let is_compared =
            (LEAST_TOKENS..=MAX_TOKENS).contains(&tokens.len()) && !graph.flags(node).has(NodeFlags::DECLARATION);
        let (exact, shape) = shape_of(is_compared.then_some(&tokens)?, &own, graph.label(node));
        Some((hash(&exact), hash(&shape)))
    }
}

fn order(graph: &Graph, a: &Equivalent, b: &Equivalent) -> std::cmp::Ordering {
    (a.likeness == Likeness::SameUses)
        .cmp(&(b.likeness == Likeness::SameUses))
        .then_with(|| b.similarity.total_cmp(&a.similarity))
        .then_with(|| a.likeness.cmp(&b.likeness))
        .then_with(|| graph.id(a.node).cmp(graph.id(b.node)))
}

/// Pairs with an equal band of minima, in order; and whether there are more.
fn candidates(rows: &[Sketch]) -> (Vec<(usize, usize)>, bool) {
    let mut found: FxHashSet<(usize, usize)> = FxHashSet::default();
    for band in 0..MINIMA / BAND {
        let mut groups: BTreeMap<&[u32], Vec<usize>> = BTreeMap::new();
        for (number, row) in rows.iter().enumerate() {
            groups.entry(&row.minima[band * BAND..(band + 1) * BAND]).or_default().push(number);
        }
        for group in groups.values() {
            for (at, &a) in group.iter().enumerate() {
                found.extend(group[at + 1..].iter().take(GROUP).map(|&b| (a, b)));
                if found.len() > MAX_PAIRS {
                    let mut found: Vec<_> = found.into_iter().collect();
                    found.sort_unstable();
                    return (found, true);
                }
            }
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_unstable();
    (found, false)
}

/// Comparison of pairs, with what each function uses.
struct Compare<'g> {
    graph: &'g Graph,
    threshold: f64,
    uses: FxHashMap<NodeIx, Arc<BTreeMap<NodeIx, f64>>>,
}

impl Compare<'_> {
    /// How two functions are alike, if they are by the threshold.
    fn pair(&mut self, a: &Sketch, b: &Sketch) -> Option<Equivalent> {
        let tokens = match a.shape == b.shape {
            true => 1.0,
            false => jaccard(&a.runs, &b.runs),
        };
        let (ours, theirs) = (self.uses_of(a.node), self.uses_of(b.node));
        let (uses, common) = compare_sets(&ours, &theirs);
        let is_same_use = common.len() >= LEAST_USES;
        // The strongest claim that holds: the same text, the same text but for names, similar tokens, or the same uses.
        let likeness = match () {
            () if a.exact == b.exact => Likeness::Copy,
            () if a.shape == b.shape => Likeness::Renamed,
            () if tokens >= uses.filter(|_| is_same_use).unwrap_or(0.0) => Likeness::Similar,
            () => Likeness::SameUses,
        };
        let similarity = uses.filter(|_| is_same_use).unwrap_or(0.0).max(tokens);
        if similarity < self.threshold {
            return None;
        }
        let graph = self.graph;
        // If one calls the other, they are a wrapper and its core rather than copies.
        let leads = |from: NodeIx, to: NodeIx| graph.out_edges(from).any(|edge| edge.to == to);
        Some(Equivalent {
            node: b.node,
            likeness,
            similarity,
            tokens,
            uses,
            common,
            connected: leads(a.node, b.node) || leads(b.node, a.node),
            same_role: role(graph, a.node, ROUNDS) == role(graph, b.node, ROUNDS),
        })
    }

    /// What a function calls and names, with the weight of each: the rarer, the heavier.
    fn uses_of(&mut self, node: NodeIx) -> Arc<BTreeMap<NodeIx, f64>> {
        let graph = self.graph;
        let compute = || {
            let used = graph
                .out_edges(node)
                .filter(|edge| is_use(edge.relation) && edge.to != node && !graph.kind(edge.to).is_outside());
            let weighted = used.filter_map(|edge| {
                let users =
                    graph.in_edges(edge.to).filter(|edge| edge.relation != Relation::Documents).take(COMMON).count();
                (users < COMMON).then(|| (edge.to, (COMMON as f64 / users.max(1) as f64).ln()))
            });
            Arc::new(weighted.collect())
        };
        self.uses.entry(node).or_insert_with(compute).clone()
    }
}

/// Weighted Jaccard of two sets, and what is in both, heaviest first.
fn compare_sets(a: &BTreeMap<NodeIx, f64>, b: &BTreeMap<NodeIx, f64>) -> (Option<f64>, Vec<NodeIx>) {
    if a.is_empty() || b.is_empty() {
        return (None, Vec::new());
    }
    let mut both: Vec<(NodeIx, f64)> =
        a.iter().filter(|(node, _)| b.contains_key(node)).map(|(n, w)| (*n, *w)).collect();
    both.sort_by(|x, y| y.1.total_cmp(&x.1).then_with(|| x.0.cmp(&y.0)));
    let joint: f64 = both.iter().map(|(_, weight)| weight).sum();
    let all = a.values().sum::<f64>() + b.values().sum::<f64>() - joint;
    (Some(if all > 0.0 { joint / all } else { 0.0 }), both.into_iter().map(|(node, _)| node).collect())
}

fn jaccard(a: &[u32], b: &[u32]) -> f64 {
    let (mut left, mut right, mut both) = (0, 0, 0usize);
    while left < a.len() && right < b.len() {
        match a[left].cmp(&b[right]) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => (left, right, both) = (left + 1, right + 1, both + 1),
        }
    }
    both as f64 / (a.len() + b.len() - both).max(1) as f64
}

/// Hash of the kinds and relations around a node: Weisfeiler–Lehman refinement of so many rounds.
fn role(graph: &Graph, node: NodeIx, rounds: usize) -> u64 {
    let mut hasher = FxHasher::default();
    graph.kind(node).hash(&mut hasher);
    if rounds > 0 {
        let deeper = |other: NodeIx| role(graph, other, rounds - 1);
        let out = graph.out_edges(node).take(COMMON).map(|edge| (0u8, edge.relation, deeper(edge.to)));
        let around = out.chain(
            graph
                .in_edges(node)
                .filter(|edge| edge.relation != Relation::Documents)
                .take(COMMON)
                .map(|edge| (1, edge.relation, deeper(edge.from))),
        );
        let mut around: Vec<_> = around.collect();
        // How often does not count, only what there is.
        around.sort_unstable();
        around.dedup();
        around.hash(&mut hasher);
    }
    hasher.finish()
}

fn sketches(snapshot: &Snapshot, cancel: &Cancel) -> Result<Arc<Sketches>, Cancelled> {
    snapshot.derived_values().get_or_try_init(|| {
        let files: Vec<(RepoPath, Language)> = snapshot
            .files()
            .iter()
            .filter(|file| !file.language.is_prose())
            .map(|file| (file.path.clone(), file.language))
            .collect();
        let rows: Result<Vec<Vec<Sketch>>, Cancelled> =
            files.par_iter().map(|(path, language)| of_file(snapshot, path, *language, cancel)).collect();
        let mut rows: Vec<Sketch> = rows?.into_iter().flatten().collect();
        rows.sort_by(|a, b| snapshot.graph().id(a.node).cmp(snapshot.graph().id(b.node)));
        let by_node = rows.iter().enumerate().map(|(number, row)| (row.node, number)).collect();
        Ok(Sketches { rows, by_node })
    })
}

/// The functions of a file, unless it changed since it was indexed.
fn of_file(
    snapshot: &Snapshot,
    path: &RepoPath,
    language: Language,
    cancel: &Cancel,
) -> Result<Vec<Sketch>, Cancelled> {
    cancel.check()?;
    Ok(map_functions(snapshot, path, language, |node, tokens, text| {
        sketch(node, tokens, text, snapshot.graph().label(node))
    }))
}

/// Calls `work` with each function of a file that is long enough to be compared and its tokens; with none if the file
/// changed since it was indexed.
fn map_functions<T>(
    snapshot: &Snapshot,
    path: &RepoPath,
    language: Language,
    work: impl Fn(NodeIx, &[Token], &str) -> T,
) -> Vec<T> {
    let graph = snapshot.graph();
    let source = snapshot.read_file(path).ok().filter(|source| !source.stale && !source.binary);
    let (Some(source), Some(file)) = (source, graph.find_file(path.as_str())) else { return Vec::new() };
    let functions: Vec<NodeIx> =
        graph.of_file(file).into_iter().filter(|&node| graph.kind(node) == NodeKind::Function).collect();
    let tokens = m1nd_lang::tokens(language, &source.text);
    let lines: Vec<usize> = std::iter::once(0).chain(source.text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let start_of = |line: u32| lines.get(line as usize).copied().unwrap_or(source.text.len());
    let rows = functions.into_iter().filter_map(|node| {
        let (first, last) = graph.lines(node);
        let (from, to) = (start_of(first.checked_sub(1)?), start_of(last));
        let start = tokens.partition_point(|token| token.range.start < from);
        let end = tokens.partition_point(|token| token.range.start < to);
        let own = &tokens[start..end.min(start + MAX_TOKENS)];
        (own.len() >= LEAST_TOKENS && !graph.flags(node).has(NodeFlags::DECLARATION))
            .then(|| work(node, own, &source.text))
    });
    rows.collect()
}

/// A function's body as numbers that are the same in every repository and on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Body {
    /// The function.
    pub node: NodeIx,
    /// Number of its tokens.
    pub tokens: usize,
    /// Hash of its tokens: equal for copies that differ in comments, layout and the function's own name.
    pub exact: u64,
    /// Hash of its tokens without names and literals: equal for copies with other names, too.
    pub shape: u64,
}

/// Returns the bodies of the functions of a file that are long enough to be compared.
pub fn list_bodies(snapshot: &Snapshot, path: &RepoPath, language: Language) -> Vec<Body> {
    map_functions(snapshot, path, language, |node, tokens, text| {
        let own_name = snapshot.graph().label(node);
        let (mut exact, mut shape) = (String::new(), String::new());
        for token in tokens {
            let word = &text[token.range.clone()];
            // Copies have their own names.
            exact.push_str(if word == own_name { "" } else { word });
            exact.push(' ');
            shape.push_str(match token.kind {
                TokenKind::Name => "$name",
                TokenKind::Literal => "$literal",
                TokenKind::Keyword | TokenKind::Mark => word,
            });
            shape.push(' ');
        }
        let hash = |text: &str| ContentHash::of(text.as_bytes()).short();
        Body { node, tokens: tokens.len(), exact: hash(&exact), shape: hash(&shape) }
    })
}

/// The tokens of a function as they are, and as hashes without names and literals.
fn shape_of(tokens: &[Token], text: &str, own_name: &str) -> (String, Vec<u64>) {
    let mut exact = String::new();
    let mut shape: Vec<u64> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let word = &text[token.range.clone()];
        // Copies have their own names.
        exact.push_str(if word == own_name { "" } else { word });
        exact.push(' ');
        shape.push(match token.kind {
            TokenKind::Name => 1,
            TokenKind::Literal => 2,
            TokenKind::Keyword | TokenKind::Mark => hash(word),
        });
    }
    (exact, shape)
}

fn sketch(node: NodeIx, tokens: &[Token], text: &str, own_name: &str) -> Sketch {
    let (exact, shape) = shape_of(tokens, text, own_name);
    let mut runs: Vec<u32> = shape.windows(RUN).map(|run| (mix(hash(run)) >> 32) as u32).collect();
    runs.sort_unstable();
    runs.dedup();
    let mut minima = [u32::MAX; MINIMA];
    for (number, least) in minima.iter_mut().enumerate() {
        let seed = mix(number as u64 + 1);
        *least = runs.iter().map(|&run| (mix(u64::from(run) ^ seed) >> 32) as u32).min().unwrap_or(u32::MAX);
    }
    Sketch { node, tokens: tokens.len(), exact: hash(&exact), shape: hash(&shape), runs, minima }
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The finaliser of SplitMix64 (Steele et al., 2014).
const fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ value >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ value >> 31
}

const fn is_use(relation: Relation) -> bool {
    matches!(relation, Relation::Calls | Relation::References)
}
