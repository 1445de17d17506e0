//! Pairs of a description and its code, as bags of words: enough for training and measuring, without reproducing
//! anybody's text.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use m1nd_search::words;

use crate::Outcome;

/// Words of a text with their counts, in order.
pub(super) type Words = BTreeMap<String, u32>;

/// A description and its code.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair {
    pub(super) language: String,
    pub(super) package: String,
    pub(super) query: Words,
    pub(super) name: Words,
    pub(super) signature: Words,
    pub(super) body: Words,
}

/// The lower-case parts of all identifiers in a text.
pub(super) fn words_of(text: &str) -> Words {
    let mut found = Words::new();
    words::identifiers(text, |identifier| {
        words::parts(identifier, |part| {
            if part.len() <= words::MAX_WORD {
                *found.entry(part.to_lowercase()).or_default() += 1;
            }
        });
    });
    found
}

/// A text with these words.
pub(super) fn text_of(words: &Words) -> String {
    let each = words.iter().flat_map(|(word, count)| std::iter::repeat_n(word.as_str(), *count as usize));
    each.collect::<Vec<_>>().join(" ")
}

/// Writes at most `most` pairs per language, sampled evenly.
pub(super) fn write(path: &Path, pairs: &[Pair], most: usize) -> Outcome<()> {
    let mut languages: BTreeMap<&str, Vec<&Pair>> = BTreeMap::new();
    pairs.iter().for_each(|pair| languages.entry(&pair.language).or_default().push(pair));
    let mut text = String::from("language\tpackage\tquery\tname\tsignature\tbody\n");
    for found in languages.values() {
        let take = found.len().min(most);
        for pair in (0..take).map(|number| found[number * found.len() / take]) {
            let fields = [&pair.query, &pair.name, &pair.signature, &pair.body].map(encode).join("\t");
            text.push_str(&format!("{}\t{}\t{fields}\n", pair.language, pair.package));
        }
    }
    fs::create_dir_all(path.parent().expect("it lies in a folder"))?;
    fs::write(path, text)?;
    Ok(())
}

pub(super) fn read(path: &Path) -> Outcome<Vec<Pair>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    text.lines().skip(1).map(|line| row(line).ok_or_else(|| format!("not a pair: `{line}`").into())).collect()
}

fn row(line: &str) -> Option<Pair> {
    let [language, package, query, name, signature, body] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
    let (language, package) = (language.to_owned(), package.to_owned());
    Some(Pair {
        language,
        package,
        query: decode(query)?,
        name: decode(name)?,
        signature: decode(signature)?,
        body: decode(body)?,
    })
}

/// `word word:3 word`.
fn encode(words: &Words) -> String {
    let one = |(word, count): (&String, &u32)| if *count == 1 { word.clone() } else { format!("{word}:{count}") };
    words.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn decode(text: &str) -> Option<Words> {
    let one = |word: &str| match word.split_once(':') {
        Some((word, count)) => Some((word.to_owned(), count.parse().ok()?)),
        None => Some((word.to_owned(), 1)),
    };
    text.split(' ').filter(|word| !word.is_empty()).map(one).collect()
}
