//! The built-in table, measured on pairs of descriptions and code from packages it was not trained on.

use std::collections::BTreeMap;

use m1nd_search::embedding::Embedding;
use m1nd_search::{Entry, FileTermsBuilder};

/// Sorted words with counts: `word word:3`. Language, package, description, name, signature, body.
const PAIRS: &str = include_str!("../testdata/pairs.tsv");

/// Minimum mean reciprocal rank of the table for each language.
const FLOORS: &[(&str, f64)] = &[
    ("c", 0.76),
    ("go", 0.91),
    ("java", 0.81),
    ("javascript", 0.75),
    ("python", 0.86),
    ("rust", 0.84),
    ("typescript", 0.84),
];

fn text(words: &str) -> String {
    let one = |word: &str| match word.split_once(':') {
        Some((word, count)) => [word].repeat(count.parse().expect("a count")).join(" "),
        None => word.to_owned(),
    };
    words.split(' ').map(one).collect::<Vec<_>>().join(" ")
}

fn mean_reciprocal_rank(pairs: &[Vec<&str>]) -> f64 {
    let table = Embedding::built_in();
    let mut builder = FileTermsBuilder::new();
    for (number, pair) in pairs.iter().enumerate() {
        let (name, signature) = (text(pair[3]), text(pair[4]));
        let entry = Entry { key: number as u32, name: &name, signature: &signature, ..Entry::default() };
        let entry = builder.entry(&entry);
        builder.body(entry, &text(pair[5]));
    }
    let vectors = table.of_entries(&builder.finish());
    let ranks = pairs.iter().enumerate().map(|(number, pair)| {
        let query = table.of_text(&text(pair[2]), |_| 1.0);
        let right = vectors[number].cosine(&query);
        1.0 / vectors.iter().filter(|other| other.cosine(&query) >= right).count() as f64
    });
    ranks.sum::<f64>() / pairs.len() as f64
}

#[test]
fn descriptions_find_their_code() {
    let mut languages: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
    for line in PAIRS.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        languages.entry(fields[0]).or_default().push(fields);
    }
    assert_eq!(languages.keys().copied().collect::<Vec<_>>(), FLOORS.iter().map(|(word, _)| *word).collect::<Vec<_>>());
    for (language, floor) in FLOORS {
        let found = mean_reciprocal_rank(&languages[language]);
        assert!(found >= *floor, "{language}: {found:.3}, at least {floor}");
    }
}
