//! `cargo xtask eval embed`: how well a description retrieves its code among all code of its language, by words
//! alone, by vectors alone, and by both.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use m1nd_base::Cancel;
use m1nd_search::embedding::{Embedding, Vector};
use m1nd_search::{Entry, FileTerms, FileTermsBuilder, Filter, Index, IndexBuilder, IndexedFile, Query};
use serde::{Deserialize, Serialize};

use super::kept_pairs;
use super::pairs::{self, Pair, text_of};
use crate::Outcome;
use crate::eval::golden::{Keep, keep, ratio};

const USAGE: &str = "expected: cargo xtask eval embed [--pairs FILE] [--table FILE] [--check | --write]";

/// Maximum number of candidates per language.
const CANDIDATES: usize = 1_000;
/// Weights of vectors relative to words, for the combination.
const VECTOR_WEIGHTS: [f64; 3] = [0.5, 1.0, 2.0];

/// Mean reciprocal ranks of one language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ranks {
    pairs: usize,
    words: Option<f64>,
    vectors: Option<f64>,
    /// Vectors, with the terms of the description weighted by rarity.
    vectors_by_rarity: Option<f64>,
    /// Sums of standard scores, by the weight of the vectors (with rarity).
    both: BTreeMap<String, Option<f64>>,
}

pub(crate) fn run(args: &[String]) -> Outcome<()> {
    let (mut pairs_path, mut table, mut kept) = (None, None, Keep::Print);
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        match flag.as_str() {
            "--pairs" => pairs_path = rest.next().map(PathBuf::from),
            "--table" => table = rest.next().map(PathBuf::from),
            "--check" => kept = Keep::Check,
            "--write" => kept = Keep::Write,
            _ => return Err(USAGE.into()),
        }
    }
    let found = pairs::read(&pairs_path.unwrap_or_else(kept_pairs))?;
    let ranks = match table {
        Some(path) => score(&found, std::fs::read(path)?)?,
        None => score_with(&found, Embedding::built_in())?,
    };
    print(&ranks);
    match kept {
        Keep::Print => Ok(()),
        kept => keep(&crate::eval::golden_folder("embed").join("pairs.json"), &ranks, kept),
    }
}

/// Evaluates an encoded table.
pub(super) fn score(found: &[Pair], table: impl Into<Cow<'static, [u8]>>) -> Outcome<BTreeMap<String, Ranks>> {
    score_with(found, &Embedding::from_bytes(table)?)
}

fn score_with(found: &[Pair], embedding: &Embedding) -> Outcome<BTreeMap<String, Ranks>> {
    let mut languages: BTreeMap<String, Vec<&Pair>> = BTreeMap::new();
    found.iter().for_each(|pair| languages.entry(pair.language.clone()).or_default().push(pair));
    languages.into_iter().map(|(language, pairs)| Ok((language, of_language(&evenly(&pairs), embedding)?))).collect()
}

fn evenly<'a>(pairs: &[&'a Pair]) -> Vec<&'a Pair> {
    let take = pairs.len().min(CANDIDATES);
    (0..take).map(|number| pairs[number * pairs.len() / take]).collect()
}

pub(super) fn print(ranks: &BTreeMap<String, Ranks>) {
    let show = |value: &Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    println!("{:<12}{:>6}{:>8}{:>9}{:>9}  both", "language", "pairs", "words", "vectors", "rarity");
    for (language, ranks) in ranks {
        let both: Vec<String> = ranks.both.iter().map(|(weight, value)| format!("{weight}: {}", show(value))).collect();
        let (words, vectors, rarity) = (show(&ranks.words), show(&ranks.vectors), show(&ranks.vectors_by_rarity));
        println!("{language:<12}{:>6}{words:>8}{vectors:>9}{rarity:>9}  {}", ranks.pairs, both.join("  "));
    }
}

fn of_language(pairs: &[&Pair], embedding: &Embedding) -> Outcome<Ranks> {
    let terms = Arc::new(terms(pairs));
    let index = index(&terms)?;
    let vectors = embedding.of_entries(&terms);
    let rarity = rarity(pairs);
    let mut sums = vec![0.0; 3 + VECTOR_WEIGHTS.len()];
    for (number, pair) in pairs.iter().enumerate() {
        let query = text_of(&pair.query);
        let by_words = by_words(&index, &query, pairs.len())?;
        let by = |vector: &Vector| vectors.iter().map(|other| f64::from(other.cosine(vector))).collect::<Vec<_>>();
        let plain = by(&embedding.of_text(&query, |_| 1.0));
        let by_rarity = by(&embedding.of_text(&query, |term| rarity.get(term).copied().unwrap_or(1.0)));
        let mut scored = vec![by_words.clone(), plain, by_rarity.clone()];
        let (words, vectors) = (standard(&by_words), standard(&by_rarity));
        for weight in VECTOR_WEIGHTS {
            scored.push(words.iter().zip(&vectors).map(|(a, b)| a + weight * b).collect());
        }
        sums.iter_mut().zip(&scored).for_each(|(sum, scores)| *sum += reciprocal_rank(scores, number));
    }
    let mean = |at: usize| ratio((sums[at] * 1e6) as u64, pairs.len() as u64 * 1_000_000);
    let both = VECTOR_WEIGHTS.iter().enumerate().map(|(at, weight)| (format!("{weight:.1}"), mean(3 + at))).collect();
    Ok(Ranks { pairs: pairs.len(), words: mean(0), vectors: mean(1), vectors_by_rarity: mean(2), both })
}

/// All code as entries of one file, numbered in order.
fn terms(pairs: &[&Pair]) -> FileTerms {
    let mut builder = FileTermsBuilder::new();
    for (number, pair) in pairs.iter().enumerate() {
        let (name, signature) = (text_of(&pair.name), text_of(&pair.signature));
        let entry = Entry { key: number as u32, name: &name, signature: &signature, ..Entry::default() };
        let entry = builder.entry(&entry);
        builder.body(entry, &text_of(&pair.body));
    }
    builder.finish()
}

fn index(terms: &Arc<FileTerms>) -> Outcome<Index> {
    let mut builder = IndexBuilder::new();
    builder.add("all", Arc::new(IndexedFile::new(terms.clone(), |_| Some("entry"))));
    Ok(Index::from_bytes(Arc::new(builder.finish_unless(&Cancel::new()).map_err(|_| "cancelled")?))?)
}

fn by_words(index: &Index, query: &str, count: usize) -> Outcome<Vec<f64>> {
    let found = index.search(&Query::parse(query), count, &Filter::default(), &Cancel::new());
    let mut scores = vec![0.0; count];
    found.map_err(|_| "cancelled")?.hits.iter().for_each(|hit| scores[hit.key as usize] = hit.score);
    Ok(scores)
}

/// Rarity of terms, compressed to avoid extremes.
fn rarity(pairs: &[&Pair]) -> BTreeMap<String, f32> {
    let mut counts: BTreeMap<String, f32> = BTreeMap::new();
    for pair in pairs {
        let words = [&pair.name, &pair.signature, &pair.body].into_iter().flat_map(|words| words.keys());
        let terms: std::collections::BTreeSet<String> =
            words.filter_map(|word| m1nd_search::words::term(word)).map(Cow::into_owned).collect();
        terms.into_iter().for_each(|term| *counts.entry(term).or_default() += 1.0);
    }
    let entries = pairs.len() as f32;
    counts.into_iter().map(|(term, count)| (term, (1.0 + entries / (count + 1.0)).ln().sqrt())).collect()
}

/// Standard scores.
fn standard(scores: &[f64]) -> Vec<f64> {
    let count = scores.len().max(1) as f64;
    let mean = scores.iter().sum::<f64>() / count;
    let deviation = (scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count).sqrt();
    scores.iter().map(|score| (score - mean) / deviation.max(f64::MIN_POSITIVE)).collect()
}

/// Reciprocal of the rank of `right`; half of the ties count as ranked before it.
fn reciprocal_rank(scores: &[f64], right: usize) -> f64 {
    let better = scores.iter().filter(|score| **score > scores[right]).count();
    let equal = scores.iter().filter(|score| **score == scores[right]).count() - 1;
    1.0 / (1 + better + equal / 2) as f64
}
