//! `cargo xtask train-embed`: trains the built-in table of word vectors from pairs of a doc comment and its code (and
//! of a summary and the text below it), taken from permissively licensed packages of public registries.
//!
//! The same packages and the same seed give the same table. Packages are listed, with version and licence, in
//! `crates/search/assets/embedding/packages.tsv`; held-out ones are never trained on and provide the test pairs.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::{Outcome, repository};

mod bags;
mod doc_text;
mod extract;
mod fetch;
mod licence;
mod matrix;
mod packages;
mod pairs;
mod random;
mod score;
#[cfg(test)]
mod tests;
mod train;

pub(crate) use score::run as evaluate;

const USAGE: &str =
    "expected: cargo xtask train-embed --cache DIR [--fetch] [--words N] [--epochs N] [--write | --list]
  --cache DIR  where packages are kept, outside of the repository
  --fetch      download the packages that are missing there, by pip, npm, cargo and apt-get
  --words N    words of the table (default 22500)
  --epochs N   passes over all pairs (default 6)
  --write      keep the table, the list of packages and the test pairs in the repository
  --list       only fill in versions and licences in the list of packages, and drop what may not be used
It is slow in a build for development; set CARGO_PROFILE_DEV_OPT_LEVEL=3.";

/// Default number of words of the table, and of passes over the pairs.
const WORDS: usize = 22_500;
const EPOCHS: usize = 6;
/// Test pairs per language stored in the repository.
const KEPT_PAIRS: usize = 80;

/// Parsed command line.
struct Plan {
    cache: PathBuf,
    is_fetching: bool,
    words: usize,
    epochs: usize,
    is_writing: bool,
    is_list: bool,
}

fn plan(args: &[String]) -> Outcome<Plan> {
    let (mut cache, mut words, mut epochs) = (None, WORDS, EPOCHS);
    let (mut is_fetching, mut is_writing, mut is_list) = (false, false, false);
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{flag} needs a value\n{USAGE}"));
        match flag.as_str() {
            "--cache" => cache = Some(PathBuf::from(value()?)),
            "--fetch" => is_fetching = true,
            "--write" => is_writing = true,
            "--list" => is_list = true,
            "--words" => words = value()?.parse()?,
            "--epochs" => epochs = value()?.parse()?,
            _ => return Err(USAGE.into()),
        }
    }
    Ok(Plan { cache: cache.ok_or(USAGE)?, is_fetching, words, epochs, is_writing, is_list })
}

/// Folder of the table and its list of packages.
fn assets() -> PathBuf {
    repository().join("crates/search/assets/embedding")
}

/// Path of the stored test pairs.
fn kept_pairs() -> PathBuf {
    repository().join("crates/search/testdata/pairs.tsv")
}

pub(crate) fn run(args: &[String]) -> Outcome<()> {
    let plan = plan(args)?;
    let started = Instant::now();
    let list = assets().join("packages.tsv");
    let mut packages = packages::read(&list)?;
    if plan.is_fetching {
        fetch::all(&plan.cache, &packages)?;
    }
    packages::complete(&mut packages, &plan.cache)?;
    if plan.is_list {
        return packages::write(&list, &packages);
    }
    let found = extract::all(&plan.cache, &packages)?;
    println!(
        "{} pairs to train on, {} to test with, after {:.0} s",
        found.train.len(),
        found.held_out.len(),
        started.elapsed().as_secs_f64()
    );
    let vocabulary = bags::Vocabulary::of(&found.train, &found.terms, plan.words);
    let bags = bags::Bags::of(&found.train, &found.terms, &vocabulary);
    let trained = train::train(&bags, vocabulary.rows(), plan.epochs);
    let table = vocabulary.encode(&trained);
    println!("{} bytes after {:.0} s", table.len(), started.elapsed().as_secs_f64());
    let target = if plan.is_writing { assets() } else { plan.cache.clone() };
    std::fs::write(target.join("table.bin"), &table)?;
    pairs::write(&plan.cache.join("pairs.tsv"), &found.held_out, usize::MAX)?;
    if plan.is_writing {
        packages::write(&list, &packages)?;
        pairs::write(&kept_pairs(), &found.held_out, KEPT_PAIRS)?;
    }
    score::print(&score::score(&found.held_out, table)?);
    Ok(())
}

/// Folder of a package's unpacked sources in the cache.
fn sources(cache: &Path, registry: packages::Registry, name: &str) -> PathBuf {
    cache.join("sources").join(registry.word()).join(name.replace('/', "+"))
}
