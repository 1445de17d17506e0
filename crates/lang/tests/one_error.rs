//! One syntax error in a function loses few of the definitions outside of it. Errors are made by deleting a bracket, a
//! quote, a semicolon or the rest of a statement, at places that a seed chooses.
//!
//! Runs over the golden samples. With `M1ND_CHECKOUTS=FOLDER` it runs over the files below a folder instead and prints
//! what is kept of each language.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "figures of the measurement")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use m1nd_base::{Cancel, Limits, RepoPath};
use m1nd_lang::facts::{DefId, DefKind, Definition};
use m1nd_lang::{FileFacts, Language, extract};

/// Variable that names a folder of repositories to measure.
const CHECKOUTS: &str = "M1ND_CHECKOUTS";
/// Errors made in each sample.
const ERRORS_OF_SAMPLE: usize = 60;
/// Errors made in each language of a folder of repositories, each in another file if there are enough.
const ERRORS_OF_LANGUAGE: usize = 300;
/// Least share of definitions that is kept of each language, in thousandths. The aim is 980; the samples are few, so
/// that one error which takes a small file with it costs a percent.
const LEAST_KEPT: usize = 970;
/// Largest file of a repository that is broken, in bytes.
const MAX_BYTES: usize = 100_000;
/// Least number of functions of such a file.
const MIN_FUNCTIONS: usize = 3;

/// Random numbers that are the same on every machine (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}

/// Counts of one language.
#[derive(Debug, Default, Clone)]
struct Kept {
    errors: usize,
    definitions: usize,
    kept: usize,
    invented: usize,
}

impl Kept {
    fn add(&mut self, other: &Self) {
        self.errors += other.errors;
        self.definitions += other.definitions;
        self.kept += other.kept;
        self.invented += other.invented;
    }

    fn thousandths(&self) -> usize {
        self.kept * 1_000 / self.definitions.max(1)
    }
}

fn read(language: Language, text: &str) -> FileFacts {
    extract(language, text.as_bytes(), &Limits::default(), &Cancel::new())
}

/// Definitions by the names around them, with how often each is there; without those in the range of bytes.
fn definitions(facts: &FileFacts, without: (usize, usize)) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for (index, definition) in facts.definitions.iter().enumerate() {
        let at = definition.bytes.0 as usize;
        if definition.flags.is_local || definition.flags.is_anonymous || (without.0..without.1).contains(&at) {
            continue;
        }
        let mut path = format!("{:?}", definition.kind);
        let mut next = Some(DefId(index as u32));
        while let Some(id) = next {
            path.push_str("::");
            path.push_str(facts.name(facts.definition(id).name));
            next = facts.definition(id).owner;
        }
        *all.entry(path).or_default() += 1;
    }
    all
}

/// Functions with a body of several lines, whose owner is not a function.
fn functions(facts: &FileFacts) -> Vec<&Definition> {
    let is_function = |definition: &&Definition| {
        let is_inner = definition.owner.is_some_and(|owner| facts.definition(owner).kind == DefKind::Function);
        definition.kind == DefKind::Function
            && !definition.flags.is_anonymous
            && !is_inner
            && definition.line_end >= definition.line_start + 2
    };
    facts.definitions.iter().filter(is_function).collect()
}

/// The text with an error in the body of a function, and what the error is.
fn break_text(
    text: &str,
    (start, end): (usize, usize),
    numbers: &mut Numbers,
) -> Option<(String, (usize, usize), String)> {
    let body = start + text.get(start..end)?.find('\n')?;
    let signs: &[char] = match numbers.below(5) {
        0 => &['{', '}'],
        1 => &['(', ')', '[', ']'],
        2 => &['"', '\'', '`'],
        3 => &[';', ',', ':'],
        _ => &[],
    };
    let inside = text.get(body..end)?;
    let places: Vec<usize> = match signs {
        [] => inside.match_indices('\n').map(|(at, _)| at + 1).filter(|at| !inside[*at..].trim().is_empty()).collect(),
        signs => inside.match_indices(signs).map(|(at, _)| at).collect(),
    };
    if places.is_empty() {
        return None;
    }
    let at = body + places[numbers.below(places.len())];
    let cut = match signs {
        // The second half of a statement.
        [] => {
            let line = text[at..end].split('\n').next().unwrap_or_default().len();
            let half = (at + line / 2..=at + line).find(|at| text.is_char_boundary(*at))?;
            half..at + line
        }
        _ => at..at + 1,
    };
    let what = format!("{}: {:?}", text[..cut.start].matches('\n').count() + 1, &text[cut.clone()]);
    let mut changed = text.to_owned();
    changed.replace_range(cut.clone(), "");
    Some((changed, (start, end - cut.len()), what))
}

/// Breaks a file several times.
fn break_file(language: Language, text: &str, errors: usize, numbers: &mut Numbers, explain: &Path) -> Kept {
    let whole = read(language, text);
    let mut kept = Kept::default();
    let functions = functions(&whole);
    if functions.is_empty() || !whole.problems.is_empty() {
        return kept;
    }
    for _ in 0..errors {
        let function = functions[numbers.below(functions.len())];
        let bytes = (function.bytes.0 as usize, function.bytes.1 as usize);
        let Some((changed, around, what)) = break_text(text, bytes, numbers) else { continue };
        let before = definitions(&whole, bytes);
        let after = definitions(&read(language, &changed), around);
        let lost: usize = before.iter().map(|(name, count)| count - after.get(name).unwrap_or(&0).min(count)).sum();
        let invented: usize = after.iter().map(|(name, count)| count - before.get(name).unwrap_or(&0).min(count)).sum();
        let definitions: usize = before.values().sum();
        if lost > 0 && std::env::var_os("M1ND_EXPLAIN").is_some() {
            println!("{language:?} {}:{what} lost {lost} of {definitions}", explain.display());
        }
        kept.add(&Kept { errors: 1, definitions, kept: definitions - lost, invented });
    }
    kept
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        let mut entries: Vec<PathBuf> = fs::read_dir(&next).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if is_hidden || path.is_symlink() {
                continue;
            }
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found
}

#[test]
fn the_other_definitions_are_kept() {
    let checkouts = std::env::var_os(CHECKOUTS).map(PathBuf::from);
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let folder = checkouts.as_deref().unwrap_or(&samples);
    let mut numbers = Numbers(1);
    let mut files: BTreeMap<&str, Vec<(Language, PathBuf, String)>> = BTreeMap::new();
    for path in files_below(folder) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Ok(name) = RepoPath::new(&name) else { continue };
        let language = Language::detect(&name, text.as_bytes());
        // Formats that are read token by token have no syntax tree.
        let is_format = matches!(language, Language::Proto | Language::GraphQl | Language::Sql | Language::Yaml);
        if language.is_prose() || is_format || text.len() > MAX_BYTES || m1nd_lang::is_binary(text.as_bytes()) {
            continue;
        }
        files.entry(language.name()).or_default().push((language, path, text));
    }
    let mut table: BTreeMap<&str, Kept> = BTreeMap::new();
    for (name, mut files) in files {
        let total = table.entry(name).or_default();
        if checkouts.is_none() {
            for (language, path, text) in &files {
                total.add(&break_file(*language, text, ERRORS_OF_SAMPLE, &mut numbers, path));
            }
            continue;
        }
        let mut tries = 20 * ERRORS_OF_LANGUAGE;
        while total.errors < ERRORS_OF_LANGUAGE && tries > 0 && !files.is_empty() {
            tries -= 1;
            let at = numbers.below(files.len());
            let (language, path, text) = &files[at];
            let facts = read(*language, text);
            if functions(&facts).len() < MIN_FUNCTIONS || !facts.problems.is_empty() {
                files.swap_remove(at);
                continue;
            }
            total.add(&break_file(*language, text, 1, &mut numbers, path));
        }
    }
    let mut is_enough = true;
    for (name, kept) in table.iter().filter(|(_, kept)| kept.errors > 0) {
        let share = kept.thousandths();
        println!(
            "{name}: {} errors, {}.{:03} of {} definitions kept, {} invented",
            kept.errors,
            share / 1000,
            share % 1000,
            kept.definitions,
            kept.invented
        );
        is_enough &= share >= LEAST_KEPT;
    }
    assert!(is_enough || checkouts.is_some(), "fewer than {LEAST_KEPT} of 1000 definitions are kept");
}
