//! `cargo xtask eval closure --program FILE --repo PATH`: compares what a program of m1nd says of its completeness with
//! the words of all tracked files.
//!
//! Functions of the checkout are sampled evenly. Of each, `callers` and `counterfactual` are asked over MCP, and every
//! place of its name is looked at by a scanner that shares no code with the product (`text.rs`, `judge.rs`). A place is
//! explained if it is a comment, documentation, prose in a literal, an import, a definition, a key, a variable of the
//! same function, listed by `callers`, or a use of another definition of the name that `references` lists. What is left
//! is a *sign* of a use that the answer does not list; so are decorators and members that outside code calls. An answer
//! that says `closed` in spite of a sign is *suspect*. Members of other values (`x.name()`) are weak signs, because a
//! scan of words cannot tell whose member they are; they are counted apart. *Covered* is the share of the functions
//! without any sign for which the answer says `closed`.

mod judge;
mod product;
#[cfg(test)]
mod tests;
mod text;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use self::judge::{Checkout, Sign};
use self::product::{Answer, Definition, Product};
use self::text::{Occurrence, find_words, tracked_files};
use super::arguments::Arguments;
use super::golden::{self, ratio};
use super::golden_folder;
use crate::Outcome;

/// Maximum number of functions asked for; of more, evenly chosen ones are.
const MAX_ASKED: usize = 600;
/// Names that are shorter may be answered `unknown`.
const MIN_NAME: usize = 4;
/// Functions with more namesakes are left out: a scan of words cannot tell whose uses are whose.
const MAX_NAMESAKES: usize = 6;
/// `impact` is timed for each this many functions.
const TIMED_EVERY: usize = 4;

/// The stored result of a checkout.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct WordsResult {
    format_version: u32,
    name: String,
    commit: String,
    /// Functions asked for.
    functions: u64,
    /// Answers that say `closed`.
    closed: u64,
    /// Those with a sign that is not weak.
    suspect: u64,
    /// Closed answers with each sign, by the word of the sign. An answer counts once for each.
    signs: BTreeMap<String, u64>,
    /// `suspect` over `closed`.
    suspect_share: Option<f64>,
    /// Functions without any sign.
    plain: u64,
    /// Those whose answers say `closed`.
    plain_closed: u64,
    /// `plain_closed` over `plain`.
    covered: Option<f64>,
    /// Functions that can be deleted, as `counterfactual` says.
    deletable: u64,
    /// Those with a sign that is not weak.
    deletable_suspect: u64,
}

/// Compares answers with words.
pub(super) fn run(arguments: &Arguments) -> Outcome<()> {
    let program = product::absolute(arguments.folder("--program")?)?;
    let repository = std::fs::canonicalize(arguments.folder("--repo")?)?;
    let name = repository.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let files = tracked_files(&repository)?;
    let (mut product, definitions) = Product::start(&program, &repository)?;
    let checkout = Checkout::new(&files, &definitions);
    let asked = sample(&checkout);
    let names: HashSet<&str> = asked.iter().map(|function| function.name.as_str()).collect();
    let words = find_words(&files, &names);
    let mut result = WordsResult { format_version: 1, name, commit: commit(&repository), ..WordsResult::default() };
    let mut examples = Examples { limit: arguments.explain, by_class: BTreeMap::new() };
    let mut times = Times::default();
    for (number, function) in asked.iter().enumerate() {
        let answer = product.callers(&function.id);
        times.callers.push(answer.time);
        if number % TIMED_EVERY == 0 {
            times.impact.push(product.time_impact(&function.id));
        }
        let occurrences = words.get(function.name.as_str()).map_or(&[][..], Vec::as_slice);
        let listed = list_places(&mut product, &checkout, function, &answer);
        let signs = checkout.signs(function, occurrences, &listed);
        let deletable = answer.places.is_empty() && product.is_deletable(&function.id);
        let own = checkout.own_sign(function);
        result.count(&answer, &signs, own, deletable);
        examples.add(&checkout, function, &answer, &signs, own, deletable);
    }
    result.suspect_share = ratio(result.suspect, result.closed);
    result.covered = ratio(result.plain_closed, result.plain);
    examples.print();
    times.print();
    golden::keep(&golden_folder("closure").join(format!("{}.words.json", result.name)), &result, arguments.keep)
}

/// Functions with a name that can be looked for, evenly chosen by id.
fn sample<'a>(checkout: &Checkout<'a>) -> Vec<&'a Definition> {
    let classes = ["class", "struct", "enum", "interface"];
    let is_class = |name: &str| {
        checkout.namesakes(name).iter().any(|&other| classes.contains(&&*checkout.definitions[other].kind))
    };
    let is_asked = |function: &&Definition| {
        function.kind == "function"
            && !function.is_constructor
            && !is_class(&function.name)
            && function.name.len() >= MIN_NAME
            && function.name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
            && checkout.namesakes(&function.name).len() <= MAX_NAMESAKES
            && checkout.numbers.contains_key(function.file.as_str())
    };
    let all: Vec<&Definition> = checkout.definitions.iter().filter(is_asked).collect();
    let wanted = all.len().min(MAX_ASKED);
    (0..wanted).map(|number| all[number * all.len() / wanted.max(1)]).collect()
}

/// The places that the answer lists, and the uses of other definitions of the name.
fn list_places(
    product: &mut Product,
    checkout: &Checkout<'_>,
    function: &Definition,
    answer: &Answer,
) -> HashSet<(String, u32)> {
    let mut places: HashSet<(String, u32)> = answer.places.iter().cloned().collect();
    for &number in checkout.namesakes(&function.name) {
        let namesake = &checkout.definitions[number];
        if namesake.id != function.id {
            places.extend(product.references(&namesake.id).places);
        }
    }
    places
}

fn commit(repository: &Path) -> String {
    let output = Command::new("git").arg("-C").arg(repository).args(["rev-parse", "--short=12", "HEAD"]).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

impl WordsResult {
    fn count(&mut self, answer: &Answer, signs: &[(Sign, Occurrence)], own: Option<Sign>, deletable: bool) {
        let all: HashSet<Sign> = signs.iter().map(|(sign, _)| *sign).chain(own).collect();
        let is_suspect = all.iter().any(|sign| !sign.is_weak());
        let is_closed = answer.state == "closed";
        self.functions += 1;
        self.deletable += u64::from(deletable);
        self.deletable_suspect += u64::from(deletable && is_suspect);
        self.plain += u64::from(all.is_empty());
        self.plain_closed += u64::from(all.is_empty() && is_closed);
        if is_closed {
            self.closed += 1;
            self.suspect += u64::from(is_suspect);
            for sign in all {
                *self.signs.entry(sign.word().to_owned()).or_default() += 1;
            }
        }
    }
}

/// Examples of answers, by what is remarkable about them.
struct Examples {
    /// Printed of each class.
    limit: usize,
    by_class: BTreeMap<String, Vec<String>>,
}

impl Examples {
    fn add(
        &mut self,
        checkout: &Checkout<'_>,
        function: &Definition,
        answer: &Answer,
        signs: &[(Sign, Occurrence)],
        own: Option<Sign>,
        deletable: bool,
    ) {
        let mut classes: BTreeMap<String, String> = BTreeMap::new();
        let verdict = if deletable { "deletable" } else { "closed" };
        if answer.state == "closed" {
            for (sign, occurrence) in signs {
                let file = &checkout.files[occurrence.file];
                let line = file.line(occurrence.at);
                let shown = format!("{}:{line}: {}", file.path, file.line_text(line).trim());
                classes.entry(format!("{verdict} {}", sign.word())).or_insert(shown);
            }
            if let Some(sign) = own {
                classes.insert(format!("{verdict} {}", sign.word()), format!("{}:{}", function.file, function.line));
            }
        } else if deletable {
            let first = answer.hiding.first().map_or(String::new(), |(reason, place)| format!("{reason} {place}"));
            classes.insert(format!("deletable, but callers {}", answer.state), first);
        } else if signs.is_empty() && own.is_none() {
            let first = answer.hiding.first();
            let (reason, place) = first.map_or(("none", ""), |(reason, place)| (reason, place));
            classes.insert(format!("not closed, without a sign: {} {reason}", answer.state), place.to_owned());
        }
        for (class, shown) in classes {
            self.by_class.entry(class).or_default().push(format!("{}\n      {shown}", function.id));
        }
    }

    fn print(&self) {
        for (class, examples) in self.by_class.iter().filter(|_| self.limit > 0) {
            println!("{class}: {}", examples.len());
            let step = examples.len().div_ceil(self.limit).max(1);
            examples.iter().step_by(step).for_each(|example| println!("    {example}"));
        }
    }
}

/// How long calls took, as the client saw it.
#[derive(Default)]
struct Times {
    callers: Vec<Duration>,
    impact: Vec<Duration>,
}

impl Times {
    fn print(&mut self) {
        for (tool, times) in [("callers", &mut self.callers), ("impact", &mut self.impact)] {
            times.sort();
            let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or_default();
            println!("{tool}: median {:.2?}, p95 {:.2?}", at(0.5), at(0.95));
        }
    }
}
