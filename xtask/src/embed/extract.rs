//! Extracts pairs from package sources, with the extractors of the program itself.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use m1nd_base::{Cancel, Limits, RepoPath};
use m1nd_lang::facts::{DefKind, Definition};
use m1nd_lang::{FileFacts, Language};
use m1nd_search::{innermost_ranges, words};

use super::doc_text::Doc;
use super::packages::{Package, Registry};
use super::pairs::{Pair, words_of};
use super::{licence, sources};
use crate::Outcome;

/// Maximum file size in bytes; larger files are mostly generated.
const MAX_FILE: u64 = 300_000;
/// Maximum mean line length in bytes; longer lines are minified.
const MAX_LINE: usize = 160;
/// Maximum pairs of one package, so that no style dominates.
const MAX_PAIRS: usize = 2_500;
/// Maximum prose pairs of one package.
const MAX_PROSE: usize = 400;
/// Maximum pairs of one held-out package.
const MAX_HELD_OUT: usize = 150;
/// Maximum bytes of sources per package; larger packages are sampled evenly by file.
const MAX_SOURCES: u64 = 1_000_000;
/// Maximum bytes of code per definition.
const MAX_CODE: usize = 3_000;
/// Folders without sources of the package itself, or without documented ones.
const SKIPPED: &[&str] = &[
    "test", "tests", "testing", "testdata", "__tests__", "node_modules", "vendor", "third_party", "thirdparty",
    "_vendor", "external", "extern", "deps", "benches", "locale", "locales", ".git", "packaging",
];
/// Weight of a word in the name; 1 elsewhere.
const NAME: u32 = 2;

/// A training pair: term numbers with their counts.
#[derive(Debug)]
pub(super) struct TrainPair {
    /// Number of its file; pairs of one file are the hardest to tell apart.
    pub(super) file: u32,
    pub(super) query: Vec<(u32, u32)>,
    pub(super) code: Vec<(u32, u32)>,
}

/// Extracted pairs.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) train: Vec<TrainPair>,
    pub(super) held_out: Vec<Pair>,
    /// Terms, by number.
    pub(super) terms: Vec<String>,
}

/// A pair before its words are numbered.
struct Draft {
    file: u32,
    is_prose: bool,
    /// Identifies repeated descriptions.
    key: String,
    pair: Pair,
}

/// Pairs of all packages, in list order. Held-out packages come first, so that their content is excluded from
/// training.
pub(super) fn all(cache: &Path, packages: &[Package]) -> Outcome<Found> {
    let mut found = Found::default();
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut seen: HashSet<String> = HashSet::new();
    let (mut files, mut done) = (0, 0);
    let mut order: Vec<usize> = (0..packages.len()).collect();
    order.sort_by_key(|at| !packages[*at].is_held_out);
    for at in order {
        let package = &packages[at];
        if done % 50 == 0 {
            println!("{done} packages, {} pairs", found.train.len());
        }
        done += 1;
        let mut drafts = of_package(cache, package, &mut files)?;
        drafts.retain(|draft| seen.insert(draft.key.clone()));
        let (prose, code): (Vec<Draft>, Vec<Draft>) = drafts.into_iter().partition(|draft| draft.is_prose);
        if package.is_held_out {
            let code = pick(code, MAX_HELD_OUT);
            found.held_out.extend(code.into_iter().map(|draft| draft.pair));
            continue;
        }
        let (code, prose) = (pick(code, MAX_PAIRS), pick(prose, MAX_PROSE));
        for draft in code.into_iter().chain(prose) {
            found.train.push(number_words(&draft, &mut numbers));
        }
    }
    found.terms = vec![String::new(); numbers.len()];
    numbers.into_iter().for_each(|(term, number)| found.terms[number as usize] = term);
    Ok(found)
}

/// At most `most`, sampled evenly.
fn pick(drafts: Vec<Draft>, most: usize) -> Vec<Draft> {
    let (count, take) = (drafts.len(), drafts.len().min(most));
    let mut kept: Vec<Option<Draft>> = drafts.into_iter().map(Some).collect();
    (0..take).filter_map(|number| kept[number * count / take].take()).collect()
}

fn number_words(draft: &Draft, numbers: &mut BTreeMap<String, u32>) -> TrainPair {
    let mut number = |text: &BTreeMap<String, u32>, times: u32, into: &mut BTreeMap<u32, u32>| {
        for (word, count) in text {
            let Some(term) = words::term(word).filter(|term| m1nd_search::embedding::is_embedded(term)) else {
                continue;
            };
            let next = numbers.len() as u32;
            let number = match numbers.get(&*term) {
                Some(number) => *number,
                None => *numbers.entry(term.into_owned()).or_insert(next),
            };
            *into.entry(number).or_default() += count * times;
        }
    };
    let (mut query, mut code) = (BTreeMap::new(), BTreeMap::new());
    number(&draft.pair.query, 1, &mut query);
    number(&draft.pair.name, NAME, &mut code);
    number(&draft.pair.signature, 1, &mut code);
    number(&draft.pair.body, 1, &mut code);
    TrainPair { file: draft.file, query: query.into_iter().collect(), code: code.into_iter().collect() }
}

fn of_package(cache: &Path, package: &Package, files: &mut u32) -> Outcome<Vec<Draft>> {
    let mut drafts = Vec::new();
    let mut prototypes: BTreeMap<String, String> = BTreeMap::new();
    let mut bodies: Vec<(Draft, String)> = Vec::new();
    for path in sample_files(walk(&sources(cache, package.registry, &package.name))?)? {
        let Some(text) = readable(&path) else { continue };
        *files += 1;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Ok(file) = RepoPath::new(name) else { continue };
        let context = Context { package: &package.name, file: *files };
        if matches!(file.extension(), Some("md" | "rst")) {
            drafts.extend(context.sections(&text));
            continue;
        }
        let language = Language::detect(&file, &[]);
        let Some(word) = word_of(language, package.registry) else { continue };
        let facts = m1nd_lang::extract(language, text.as_bytes(), &Limits::default(), &Cancel::new());
        context.definitions(&facts, &text, word, &mut drafts, &mut prototypes, &mut bodies);
    }
    // C and C++ document functions at their declaration.
    for (mut draft, name) in bodies {
        let doc = prototypes.get(&name).map(|doc| Doc::of(doc)).filter(Doc::is_telling);
        if let Some(doc) = doc {
            draft.pair.query = words_of(&doc.summary);
            draft.key = key(&doc.summary);
            drafts.push(draft);
        }
    }
    Ok(drafts)
}

/// The language that a pair counts for; `None` for excluded files. C headers count as C.
fn word_of(language: Language, registry: Registry) -> Option<&'static str> {
    match language {
        Language::Python => Some("python"),
        Language::JavaScript => Some("javascript"),
        Language::TypeScript | Language::Tsx => Some("typescript"),
        Language::Rust => Some("rust"),
        Language::Go => Some("go"),
        Language::Java => Some("java"),
        Language::C | Language::Cpp if registry == Registry::DebianSource => Some("c"),
        _ => None,
    }
}

/// All files below a folder, in order.
fn walk(top: &Path) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = fs::read_dir(&folder)?.filter_map(Result::ok).collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let (kind, path) = (entry.file_type()?, entry.path());
            let name = entry.file_name().to_string_lossy().to_lowercase();
            if kind.is_dir() && !SKIPPED.contains(&name.as_str()) {
                folders.push(path);
            } else if kind.is_file() && entry.metadata()?.len() <= MAX_FILE {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// An even sample of the files, of about [`MAX_SOURCES`] bytes in total.
fn sample_files(files: Vec<PathBuf>) -> Outcome<Vec<PathBuf>> {
    let files: Vec<PathBuf> = files.into_iter().filter(|path| is_source(path)).collect();
    let sizes: Vec<u64> =
        files.iter().map(|path| fs::metadata(path).map(|data| data.len())).collect::<Result<_, _>>()?;
    let total = sizes.iter().sum::<u64>().max(MAX_SOURCES);
    // Kept whenever the share of the files so far passes a whole number.
    let quota = |count: usize| count as u128 * u128::from(MAX_SOURCES) / u128::from(total);
    Ok(files.into_iter().enumerate().filter(|(at, _)| quota(*at) < quota(at + 1)).map(|(_, path)| path).collect())
}

fn is_source(path: &Path) -> bool {
    const ENDINGS: &[&str] = &[
        "py", "rs", "js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "go", "java", "c", "h", "cc", "cpp", "hpp", "md",
        "rst",
    ];
    let is_known = path.extension().and_then(|ext| ext.to_str()).is_some_and(|ext| ENDINGS.contains(&ext));
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_left_out = ["_test.go", ".min.", ".test.", ".spec."].iter().any(|part| name.contains(part));
    is_known && !is_left_out
}

/// The text of a file that is hand-written and permissively licensed.
fn readable(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    (text.len() / text.lines().count().max(1) <= MAX_LINE && licence::permits(&text)).then_some(text)
}

/// Origin of pairs.
struct Context<'a> {
    package: &'a str,
    file: u32,
}

impl Context<'_> {
    fn draft(&self, language: &str, summary: &str, is_prose: bool) -> Draft {
        let pair = Pair {
            language: language.to_owned(),
            package: self.package.to_owned(),
            query: words_of(summary),
            name: BTreeMap::new(),
            signature: BTreeMap::new(),
            body: BTreeMap::new(),
        };
        Draft { file: self.file, is_prose, key: key(summary), pair }
    }

    /// Pairs from the definitions of a file.
    fn definitions(
        &self,
        facts: &FileFacts,
        text: &str,
        language: &str,
        drafts: &mut Vec<Draft>,
        prototypes: &mut BTreeMap<String, String>,
        bodies: &mut Vec<(Draft, String)>,
    ) {
        let codes = codes(facts, text);
        for (definition, code) in facts.definitions.iter().zip(&codes) {
            let (name, doc) = (facts.name(definition.name), definition.doc.as_deref().unwrap_or_default());
            if !is_taken(definition) || definition.flags.is_test {
                continue;
            }
            let doc_text = Doc::of(doc);
            let signature = definition.signature.as_deref().unwrap_or_default();
            let mut draft = self.draft(language, &doc_text.summary, false);
            draft.pair.name = words_of(name);
            draft.pair.signature = words_of(signature);
            draft.pair.body = words_of(&without_doc(code, doc));
            if definition.flags.is_declaration && language == "c" && !doc.is_empty() {
                prototypes.insert(name.to_owned(), doc.to_owned());
                continue;
            }
            if doc.is_empty() && language == "c" && definition.kind == DefKind::Function {
                bodies.push((draft, name.to_owned()));
                continue;
            }
            let rest = doc_text.rest.split_whitespace().count();
            if doc_text.is_telling() && rest >= 12 {
                let mut prose = self.draft(language, &doc_text.summary, true);
                prose.key.push_str(" (prose)");
                prose.pair.body = words_of(&doc_text.rest);
                drafts.push(prose);
            }
            if doc_text.is_telling() && draft.pair.body.len() >= 5 {
                drafts.push(draft);
            }
        }
    }

    /// Pairs of a document's headings and the text below them.
    fn sections(&self, text: &str) -> Vec<Draft> {
        let mut found: Vec<(String, String)> = Vec::new();
        let mut is_code = false;
        for line in text.lines() {
            is_code ^= line.trim_start().starts_with("```");
            match line.strip_prefix('#').filter(|_| !is_code) {
                Some(heading) => found.push((heading.trim_start_matches('#').trim().to_owned(), String::new())),
                None => found.last_mut().into_iter().for_each(|(_, body)| {
                    if body.len() < MAX_CODE {
                        body.push_str(line);
                        body.push('\n');
                    }
                }),
            }
        }
        let telling = |(heading, body): &(String, String)| {
            heading.split_whitespace().count() >= 2
                && body.split_whitespace().count() >= 15
                && !heading.starts_with(|c: char| c.is_ascii_digit() || c == '[' || c == 'v')
        };
        found.retain(telling);
        let drafts = found.into_iter().map(|(heading, body)| {
            let mut draft = self.draft("prose", &heading, true);
            draft.key = key(&format!("{heading} {body}"));
            draft.pair.body = words_of(&body);
            draft
        });
        drafts.collect()
    }
}

/// Normal form for comparing descriptions.
fn key(summary: &str) -> String {
    const LENGTH: usize = 80;
    let lower: String = summary.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    lower[..lower.floor_char_boundary(LENGTH)].to_owned()
}

/// Returns whether a search could find the definition by its code.
fn is_taken(definition: &Definition) -> bool {
    let value = matches!(definition.kind, DefKind::Variable | DefKind::Constant | DefKind::Object);
    !(definition.flags.is_anonymous || definition.flags.is_local && value)
}

/// The code of each definition, without nested definitions and without comments on lines of their own, which describe
/// the code that follows.
fn codes(facts: &FileFacts, text: &str) -> Vec<String> {
    let mut codes = vec![String::new(); facts.definitions.len()];
    let taken: Vec<usize> = (0..codes.len()).filter(|at| is_taken(&facts.definitions[*at])).collect();
    let ranges: Vec<(usize, usize)> = taken
        .iter()
        .map(|at| facts.definitions[*at].bytes)
        .map(|(start, end)| (start as usize, end as usize))
        .collect();
    for (range, start, end) in innermost_ranges(text.len(), &ranges) {
        let Some(range) = range else { continue };
        let code = &mut codes[taken[range]];
        let piece = &text[text.floor_char_boundary(start)..text.floor_char_boundary(end)];
        for line in piece.lines().filter(|line| !is_comment(line.trim_start())) {
            if code.len() < MAX_CODE {
                code.push_str(line);
                code.push('\n');
            }
        }
    }
    codes
}

fn is_comment(line: &str) -> bool {
    line.starts_with("///")
        || line.starts_with("//!")
        || line.starts_with("/*")
        || line.starts_with('*')
        || line.starts_with("//")
}

/// The code without its doc comment literal, which Python keeps inside.
fn without_doc(code: &str, doc: &str) -> String {
    let first = doc.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let Some(at) = (!first.is_empty()).then(|| code.find(first)).flatten() else { return code.to_owned() };
    let (before, after) = code.split_at(at);
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| before.trim_end().ends_with(quote));
    let end = match quote {
        Some(quote) => after.find(quote).map_or(after.len(), |end| end + quote.len()),
        None => after.find('\n').unwrap_or(after.len()),
    };
    format!("{before} {}", &after[end..])
}
