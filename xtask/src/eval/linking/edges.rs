//! `cargo xtask eval edges`: compares our edges of a repository with those of a compiler index.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::ours::{Edge, Ours};
use super::sites::{Sites, is_callable};
use super::truth::Truth;
use crate::Outcome;
use crate::eval::arguments::Arguments;
use crate::eval::golden::{self, Score, Split, ratio};
use crate::eval::{calls, files, golden_folder, inheritance, references, repositories, table};

/// Minimum share of the truth's definitions that must exist; fewer indicate the wrong commit.
const LEAST_DEFINITIONS: f64 = 0.5;

/// The stored result of a repository.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::eval) struct RepositoryResult {
    pub(in crate::eval) format_version: u32,
    pub(in crate::eval) name: String,
    /// URL and commit of the repository, if it is one of those known here.
    pub(in crate::eval) source: Option<String>,
    pub(in crate::eval) commit: Option<String>,
    pub(in crate::eval) definitions: Definitions,
    pub(in crate::eval) calls: Split,
    pub(in crate::eval) references: Split,
    pub(in crate::eval) inheritance: Score,
    pub(in crate::eval) file_dependencies: Score,
}

/// Callable definitions in the truth, and how many of them we have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::eval) struct Definitions {
    pub(in crate::eval) truth: u64,
    pub(in crate::eval) found: u64,
    pub(in crate::eval) share: Option<f64>,
}

/// The trimmed lines of files.
pub(in crate::eval) type Lines = HashMap<String, Vec<String>>;

/// Reads the files that the truth covers. A missing file has no lines.
pub(in crate::eval) fn sources(repository: &Path, truth: &Truth) -> Lines {
    let files = truth.references.iter().map(|reference| &reference.file);
    let files: HashSet<&String> = files.chain(truth.calls.iter().map(|call| &call.caller_file)).collect();
    let lines = |file: &String| {
        let text = std::fs::read_to_string(repository.join(file)).unwrap_or_default();
        (file.clone(), text.lines().map(|line| line.trim().to_owned()).collect())
    };
    files.into_iter().map(lines).collect()
}

/// Inputs of scoring.
pub(in crate::eval) struct Context<'a> {
    pub(in crate::eval) ours: &'a Ours,
    pub(in crate::eval) truth: &'a Truth,
    pub(in crate::eval) sites: Sites<'a>,
    /// Names of callables that are defined more than once.
    ambiguous: HashSet<&'a str>,
    edges_at: HashMap<(&'a str, u32), Vec<&'a Edge>>,
    /// Our nodes for the functions in the truth; `None` if the truth does not list its functions.
    callers: Option<HashSet<usize>>,
    sources: &'a Lines,
}

impl<'a> Context<'a> {
    pub(in crate::eval) fn new(ours: &'a Ours, truth: &'a Truth, sources: &'a Lines) -> Self {
        let mut edges_at: HashMap<(&str, u32), Vec<&Edge>> = HashMap::new();
        for edge in &ours.edges {
            let Some(file) = ours.nodes[edge.from].file.as_deref() else { continue };
            let lines: HashSet<u32> = edge.sites.iter().map(|&(line, _)| line).collect();
            lines.into_iter().for_each(|line| edges_at.entry((file, line)).or_default().push(edge));
        }
        let sites = Sites::new(truth);
        let callers = callers(ours, truth);
        Self { ours, truth, sites, ambiguous: ambiguous(ours, truth), edges_at, callers, sources }
    }

    /// Returns whether the truth can name a function of ours as a caller.
    pub(in crate::eval) fn is_caller(&self, function: usize) -> bool {
        match &self.callers {
            Some(callers) => callers.contains(&function),
            None => !self.ours.is_subtest(function),
        }
    }

    /// Whether a name is defined more than once in the repository.
    pub(in crate::eval) fn is_ambiguous(&self, name: &str) -> bool {
        self.ambiguous.contains(name)
    }

    /// Our edges with a site on this line.
    pub(in crate::eval) fn edges_at(&self, file: &str, line: u32) -> impl Iterator<Item = &'a Edge> + use<'a> {
        self.edges_at.get(&(file, line)).cloned().unwrap_or_default().into_iter()
    }

    /// A source line, shortened; empty without sources.
    pub(in crate::eval) fn source_line(&self, file: &str, line: u32) -> String {
        const LONGEST: usize = 120;
        line_of(self.sources, file, line).chars().take(LONGEST).collect()
    }

    /// Our and the truth's view of a site.
    pub(in crate::eval) fn describe_site(&self, edge: &Edge, (line, col): (u32, u32)) -> String {
        let (from, to) = (&self.ours.nodes[edge.from], &self.ours.nodes[edge.to]);
        let file = from.file.as_deref().unwrap_or_default();
        let there = self.sites.at(file, line, col, &to.name);
        let truth = there.iter().map(|reference| {
            format!("{}:{} {} ({})", reference.target_file, reference.target_line, reference.name, reference.kind)
        });
        format!(
            "{file}:{line}:{col} in {}: {}\n      ours: {} of {}\n      truth: {}",
            from.name,
            self.source_line(file, line),
            to.id,
            edge.of,
            truth.collect::<Vec<_>>().join(", "),
        )
    }
}

/// A source line, empty if it does not exist.
pub(in crate::eval) fn line_of<'s>(sources: &'s Lines, file: &str, line: u32) -> &'s str {
    let lines = sources.get(file);
    lines.and_then(|lines| lines.get((line as usize).checked_sub(1)?)).map_or("", String::as_str)
}

/// Our nodes for the functions in the truth, from its definitions and the callers of its calls.
fn callers(ours: &Ours, truth: &Truth) -> Option<HashSet<usize>> {
    if truth.definitions.is_empty() {
        return None;
    }
    let functions = truth.definitions.iter().filter(|definition| matches!(definition.kind.as_str(), "fn" | "macro"));
    let functions = functions.map(|row| (row.file.as_str(), row.line, row.name.as_str()));
    let callers = truth.calls.iter().filter(|call| call.caller_line > 0);
    let callers = callers.map(|row| (row.caller_file.as_str(), row.caller_line, row.caller_name.as_str()));
    let nodes = functions.chain(callers).flat_map(|(file, line, name)| ours.definition(file, line, name));
    Some(nodes.flat_map(|node| ours.same_symbol(node)).collect())
}

/// Names of callables, in our nodes or in the truth's rows, that have more than one symbol or place.
fn ambiguous<'a>(ours: &'a Ours, truth: &'a Truth) -> HashSet<&'a str> {
    let mut names: HashSet<&str> =
        ours.callable_names().into_iter().filter(|&(_, count)| count > 1).map(|(name, _)| name).collect();
    let mut files: HashMap<&str, HashSet<&str>> = HashMap::new();
    for definition in truth.definitions.iter().filter(|definition| is_callable(&definition.kind)) {
        files.entry(&definition.name).or_default().insert(&definition.file);
    }
    // Within a file the truth's rows do not distinguish overloads of one symbol from two definitions; our nodes do.
    names.extend(files.into_iter().filter(|(_, files)| files.len() > 1).map(|(name, _)| name));
    names
}

/// Examples, by class.
#[derive(Debug, Default)]
pub(in crate::eval) struct Findings {
    /// Number of examples to keep per class.
    examples: usize,
    classes: BTreeMap<String, (usize, Vec<String>)>,
}

impl Findings {
    /// No examples yet, of which this many are kept per class.
    pub(in crate::eval) fn new(examples: usize) -> Self {
        Self { examples, ..Self::default() }
    }

    pub(in crate::eval) fn add(&mut self, class: String, example: impl FnOnce() -> String) {
        let (count, examples) = self.classes.entry(class).or_default();
        *count += 1;
        if examples.len() < self.examples {
            examples.push(example());
        }
    }

    pub(in crate::eval) fn print(&self) {
        let mut classes: Vec<_> = self.classes.iter().collect();
        classes.sort_by_key(|(class, (count, _))| (class.split(' ').next(), std::cmp::Reverse(*count)));
        for (class, (count, examples)) in classes {
            println!("{count:6}  {class}");
            examples.iter().for_each(|example| println!("    {example}"));
        }
    }
}

pub(in crate::eval) fn run(args: &[String]) -> Outcome<()> {
    let arguments = Arguments::parse(args, &["--repo", "--truth"])?;
    if arguments.table {
        return table::print(&golden_folder("edges"));
    }
    let (repository, truth) = (arguments.folder("--repo")?, arguments.folder("--truth")?);
    let (name, mut truth) = Truth::read(truth)?;
    let sources = sources(repository, &truth);
    truth.drop_declarations(&sources);
    let ours = Ours::of_folder(repository)?;
    let context = Context::new(&ours, &truth, &sources);
    let mut findings = Findings::new(arguments.explain);
    let result = result(&name, &context, &mut findings);
    if result.definitions.share.is_some_and(|share| share < LEAST_DEFINITIONS) {
        let commit = result.commit.as_deref().unwrap_or("the truth's commit");
        return Err(format!("{} is not a checkout of {commit}: {:?}", repository.display(), result.definitions).into());
    }
    if arguments.explain > 0 {
        findings.print();
    }
    println!("{}", table::of(std::slice::from_ref(&result)));
    golden::keep(&golden_folder("edges").join(format!("{name}.json")), &result, arguments.keep)
}

/// Computes all scores.
pub(in crate::eval) fn result(name: &str, context: &Context<'_>, findings: &mut Findings) -> RepositoryResult {
    let known = repositories::find(name);
    RepositoryResult {
        format_version: 1,
        name: name.to_owned(),
        source: known.map(|known| known.source.to_owned()),
        commit: known.map(|known| known.commit.to_owned()),
        definitions: definitions(context),
        calls: calls::score(context, findings),
        references: references::score(context, findings),
        inheritance: inheritance::score(context, findings),
        file_dependencies: files::score(context, findings),
    }
}

fn definitions(context: &Context<'_>) -> Definitions {
    let references = context.truth.references.iter().filter(|reference| is_callable(&reference.kind));
    let places: HashSet<(&str, u32, &str)> = references
        .map(|reference| (reference.target_file.as_str(), reference.target_line, reference.name.as_str()))
        .collect();
    let found =
        places.iter().filter(|(file, line, name)| !context.ours.definition(file, *line, name).is_empty()).count();
    let (truth, found) = (places.len() as u64, found as u64);
    Definitions { truth, found, share: ratio(found, truth) }
}
