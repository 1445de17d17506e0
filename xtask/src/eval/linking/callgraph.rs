//! `cargo xtask eval callgraph`: compares our call edges of small programs with call graphs that were written or
//! recorded for them.
//!
//! Each program is indexed separately. The ends of the suite's edges are matched with our definitions by the suite's
//! naming; an edge with an unmatched end counts as missing. Edges to targets outside of the programs (builtins,
//! native code) are ignored on both sides. A program is *sound* if no edge of it is missing, and *complete* if we
//! have no edge that the suite does not have. (JCG lists only the edges that each program tests, so precision and
//! completeness mean little there.)

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use m1nd_base::{EdgeTier, NodeKind, Relation};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ours::{Edge, Ours};
use super::truth;
use crate::Outcome;
use crate::eval::arguments::Arguments;
use crate::eval::golden::{self, ratio};
use crate::eval::golden_folder;

/// A program of a suite.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::eval) struct Case {
    suite: String,
    case: String,
    category: String,
    /// Its folder, relative to the sources.
    dir: String,
    edges: Vec<Vec<Value>>,
}

/// A suite's naming of edge ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::eval) enum Naming {
    /// `module.Class.function`, the module alone for top-level code.
    Qualified,
    /// `module.function`, `module.Class.function` or `module.function:line`, `<global>` for top-level code. Line
    /// numbers ignore the first line of each file, a comment with the file's name.
    Module,
    /// `file:function:line`, the line of the call on the left and of the definition on the right.
    Lines,
}

/// The naming of each suite.
const NAMINGS: &[(&str, Naming)] =
    &[("pycg", Naming::Qualified), ("jcg_python", Naming::Module), ("persper_js", Naming::Lines)];

/// Counts over programs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::eval) struct Tally {
    pub(in crate::eval) programs: u64,
    /// Edges of the suite.
    pub(in crate::eval) truth: u64,
    pub(in crate::eval) found: u64,
    /// Edges of ours that the suite does not have.
    pub(in crate::eval) wrong: u64,
    /// Programs without a missing edge.
    pub(in crate::eval) sound: u64,
    /// Programs without a wrong edge.
    pub(in crate::eval) complete: u64,
    pub(in crate::eval) precision: Option<f64>,
    pub(in crate::eval) recall: Option<f64>,
    pub(in crate::eval) f1: Option<f64>,
}

impl Tally {
    pub(in crate::eval) fn add(&mut self, outcome: &CaseOutcome) {
        self.programs += 1;
        self.truth += outcome.found as u64 + outcome.missing.len() as u64;
        self.found += outcome.found as u64;
        self.wrong += outcome.wrong.len() as u64;
        self.sound += u64::from(outcome.missing.is_empty());
        self.complete += u64::from(outcome.wrong.is_empty());
    }

    pub(in crate::eval) fn finish(&mut self) {
        self.precision = ratio(self.found, self.found + self.wrong);
        self.recall = ratio(self.found, self.truth);
        // F1 in counts: twice the found edges over all claimed and all true ones.
        self.f1 = ratio(2 * self.found, self.found + self.wrong + self.truth);
    }
}

/// The stored result of a suite.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::eval) struct SuiteResult {
    format_version: u32,
    suite: String,
    /// Certain edges only.
    certain: Tally,
    /// Certain and possible edges.
    possible: Tally,
    /// Certain and possible edges, by category.
    categories: BTreeMap<String, Tally>,
    /// Programs with a missing or wrong edge (certain and possible): number of missing and of wrong edges.
    imperfect: BTreeMap<String, (usize, usize)>,
}

/// Comparison of one program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::eval) struct CaseOutcome {
    pub(in crate::eval) found: usize,
    pub(in crate::eval) missing: Vec<String>,
    pub(in crate::eval) wrong: Vec<String>,
}

/// The source of an edge as suites compare it: a definition of ours, top-level code of a file, or a call site.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Node(usize),
    TopLevel(String),
    /// Top-level code of any file.
    Global,
    Site(String, u32),
}

pub(in crate::eval) fn run(args: &[String]) -> Outcome<()> {
    let arguments = Arguments::parse(args, &["--suite", "--sources"])?;
    let (suite, sources) = (arguments.folder("--suite")?, arguments.folder("--sources")?);
    let cases: Vec<Case> = truth::rows(&suite.join("cases.jsonl"))?;
    let name = cases.first().map(|case| case.suite.clone()).ok_or("the suite has no programs")?;
    let naming = NAMINGS.iter().find(|(known, _)| *known == name).map(|(_, naming)| *naming);
    let naming = naming.ok_or_else(|| format!("the suite `{name}` has no known naming"))?;
    let mut result = SuiteResult { format_version: 1, suite: name.clone(), ..SuiteResult::default() };
    for case in &cases {
        let ours = Ours::of_folder(&files_of(case, naming, sources)?.path().join(PROGRAM))?;
        result.certain.add(&outcome(&ours, case, naming, &[EdgeTier::Certain]));
        let all = outcome(&ours, case, naming, &[EdgeTier::Certain, EdgeTier::Possible]);
        result.possible.add(&all);
        result.categories.entry(case.category.clone()).or_default().add(&all);
        if !all.missing.is_empty() || !all.wrong.is_empty() {
            result.imperfect.insert(case.case.clone(), (all.missing.len(), all.wrong.len()));
        }
        if arguments.explain > 0 {
            explain(case, &all, arguments.explain);
        }
    }
    result.certain.finish();
    result.possible.finish();
    result.categories.values_mut().for_each(Tally::finish);
    print(&result);
    golden::keep(&golden_folder("callgraph").join(format!("{name}.json")), &result, arguments.keep)
}

/// Folder of a program in the temporary folder.
const PROGRAM: &str = "program";

/// Copies the program's files, so that nothing around them (an ignore file, a parent package) has an effect. If
/// several programs share a folder, all its files are copied, because they import each other.
fn files_of(case: &Case, naming: Naming, sources: &Path) -> Outcome<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    let from = sources.join(&case.dir);
    // Programs named by line are in shared folders without subfolders of their own.
    let depth = if naming == Naming::Lines { 1 } else { usize::MAX };
    let mut open = vec![(from.clone(), 1)];
    while let Some((next, level)) = open.pop() {
        let entries = std::fs::read_dir(&next).map_err(|error| format!("{}: {error}", next.display()))?;
        for entry in entries {
            let path = entry?.path();
            let to = folder.path().join(PROGRAM).join(path.strip_prefix(&from)?);
            if path.is_dir() {
                if level < depth {
                    open.push((path, level + 1));
                }
                continue;
            }
            std::fs::create_dir_all(to.parent().expect("a file lies in a folder"))?;
            std::fs::copy(&path, to)?;
        }
    }
    std::fs::create_dir_all(folder.path().join(PROGRAM))?;
    Ok(folder)
}

/// Compares a program's edges with ours of these tiers.
pub(in crate::eval) fn outcome(ours: &Ours, case: &Case, naming: Naming, tiers: &[EdgeTier]) -> CaseOutcome {
    let names = Names::new(ours, naming);
    let mut truth: BTreeMap<(Vec<Source>, Vec<usize>), String> = BTreeMap::new();
    let mut missing = Vec::new();
    for edge in &case.edges {
        let ends: Vec<&str> = edge.iter().filter_map(Value::as_str).collect();
        let &[from, to, ..] = &ends[..] else { continue };
        if is_outside(from) || is_outside(to) {
            continue;
        }
        let text = format!("{from} → {to}");
        match (names.source(from), names.target(to)) {
            (sources, targets) if sources.is_empty() || targets.is_empty() => missing.push(text),
            ends => {
                truth.insert(ends, text);
            }
        }
    }
    let mut claimed = claims(ours, case, naming, tiers);
    let mut found = 0;
    for ((sources, targets), text) in truth {
        let before = claimed.len();
        claimed.retain(|(from, to)| !(sources.contains(from) && targets.contains(to)));
        if claimed.len() < before { found += 1 } else { missing.push(text) }
    }
    missing.sort();
    let wrong = claimed.iter().map(|(from, to)| format!("{from:?} → {}", ours.nodes[*to].id)).collect();
    CaseOutcome { found, missing, wrong }
}

/// Returns whether a suite's name refers to something outside of the program.
fn is_outside(name: &str) -> bool {
    name == "Native" || name.starts_with("Native.") || name.starts_with('<') && name != GLOBAL
}

const GLOBAL: &str = "<global>";

/// Our call edges between definitions of the program, with ends named as in the suite. Constructing a class is an
/// edge to its constructor; a class without one has no code to call. Members of external packages count if the
/// program's edges lead into their package. A decorator is called by the code around the decorated definition.
fn claims(ours: &Ours, case: &Case, naming: Naming, tiers: &[EdgeTier]) -> BTreeSet<(Source, usize)> {
    let own_file = case.case.rsplit('/').next().unwrap_or_default();
    let mut claims = BTreeSet::new();
    // If a package is known, so is its member.
    let tier = |edge: &Edge| if edge.tier == EdgeTier::External { EdgeTier::Certain } else { edge.tier };
    for edge in ours.edges.iter().filter(|edge| tiers.contains(&tier(edge))) {
        let is_decorator = edge.relation == Relation::Decorates;
        let to = &ours.nodes[edge.to];
        let is_callable = match to.kind {
            NodeKind::Function => to.file.is_some(),
            NodeKind::PackageMember => is_spoken_of(case, naming, &to.id),
            _ => false,
        };
        if !(is_decorator || edge.relation == Relation::Calls) || !is_callable {
            continue;
        }
        let from = if is_decorator { ours.nodes[edge.from].parent } else { Some(edge.from) };
        let Some(file) = ours.nodes[edge.from].file.clone() else { continue };
        let caller = from.and_then(|from| ours.caller(from));
        if naming == Naming::Lines {
            // Files of other programs are in the same folder; their code is not judged.
            let is_own = file.rsplit_once('.').is_some_and(|(stem, _)| stem == own_file);
            let is_named = |line: u32| case.edges.iter().any(|edge| names_site(edge, &file, line));
            let sites = edge.sites.iter().filter(|&&(line, _)| is_own || is_named(line));
            claims.extend(sites.map(|&(line, _)| (Source::Site(file.clone(), line), edge.to)));
            continue;
        }
        let source = match (caller, naming) {
            (Some(caller), _) => Source::Node(caller),
            (None, Naming::Module) => Source::Global,
            (None, _) => Source::TopLevel(file),
        };
        claims.insert((source, edge.to));
    }
    claims
}

/// Returns whether a program's edges lead into the package of a member; calls of others are not judged.
fn is_spoken_of(case: &Case, naming: Naming, member: &str) -> bool {
    let Some(name) = outside_name(member).filter(|_| naming == Naming::Qualified) else { return false };
    let package = name.split('.').next().unwrap_or_default();
    let mut ends = case.edges.iter().flatten().filter_map(Value::as_str);
    ends.any(|end| end.strip_prefix(package).is_some_and(|rest| rest.starts_with('.')))
}

/// Name of a package member, without the calls in its path.
fn outside_name(id: &str) -> Option<String> {
    Some(id.strip_prefix("external::")?.replace("()", "").replace("::", "."))
}

/// Returns whether an edge of a suite with line naming starts on this line.
fn names_site(edge: &[Value], file: &str, line: u32) -> bool {
    let from = edge.first().and_then(Value::as_str).and_then(place);
    from.is_some_and(|(named, at)| at == line && named == file)
}

/// The file and line of `file:function:line`.
fn place(name: &str) -> Option<(&str, u32)> {
    let (rest, line) = name.rsplit_once(':')?;
    let (file, _) = rest.rsplit_once(':')?;
    Some((file, line.parse().ok()?))
}

/// Our definitions by their names in a suite.
struct Names<'o> {
    ours: &'o Ours,
    naming: Naming,
    by_name: BTreeMap<String, Vec<usize>>,
    modules: BTreeMap<String, String>,
}

impl<'o> Names<'o> {
    fn new(ours: &'o Ours, naming: Naming) -> Self {
        let mut names = Self { ours, naming, by_name: BTreeMap::new(), modules: BTreeMap::new() };
        for (number, node) in ours.nodes.iter().enumerate() {
            let Some(file) = node.file.as_deref() else {
                let outside = outside_name(&node.id).filter(|_| node.kind == NodeKind::PackageMember);
                if let Some(name) = outside {
                    names.by_name.entry(name).or_default().push(number);
                }
                continue;
            };
            let module = module(file);
            if node.kind == NodeKind::File {
                names.modules.insert(module, file.to_owned());
            } else if node.kind == NodeKind::Function {
                for name in names.of(number, &module) {
                    names.by_name.entry(name).or_default().push(number);
                }
            }
        }
        names
    }

    /// Every name that a suite may use for a function.
    fn of(&self, node: usize, module: &str) -> Vec<String> {
        let own = &self.ours.nodes[node];
        let mut chain = vec![own.name.as_str()];
        let mut around = own.parent;
        while let Some(parent) = around.map(|around| &self.ours.nodes[around]) {
            if parent.kind != NodeKind::File {
                chain.insert(0, &parent.name);
            }
            around = parent.parent;
        }
        let full = format!("{module}.{}", chain.join("."));
        match self.naming {
            Naming::Qualified => vec![full],
            Naming::Module => {
                // Without packages.
                let stem = module.rsplit('.').next().unwrap_or(module);
                let short = format!("{stem}.{}", own.name);
                let line = format!("{short}:{}", own.line.saturating_sub(1));
                BTreeSet::from([full, format!("{stem}.{}", chain.join(".")), short, line]).into_iter().collect()
            }
            Naming::Lines => Vec::new(),
        }
    }

    fn source(&self, name: &str) -> Vec<Source> {
        match self.naming {
            Naming::Lines => place(name).map(|(file, line)| Source::Site(file.to_owned(), line)).into_iter().collect(),
            Naming::Module if name == GLOBAL => vec![Source::Global],
            _ => match self.modules.get(name) {
                Some(file) => vec![Source::TopLevel(file.clone())],
                None => self.by_name.get(name).into_iter().flatten().map(|&node| Source::Node(node)).collect(),
            },
        }
    }

    fn target(&self, name: &str) -> Vec<usize> {
        if self.naming != Naming::Lines {
            return self.by_name.get(name).cloned().unwrap_or_default();
        }
        let Some((file, line)) = place(name) else { return Vec::new() };
        let called = name.split(':').nth_back(1).unwrap_or_default();
        let nodes = self.ours.at(file, line, called);
        nodes.into_iter().filter(|&node| self.ours.nodes[node].kind == NodeKind::Function).collect()
    }
}

/// Name of a Python module, from its file.
fn module(file: &str) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    stem.strip_suffix("/__init__").unwrap_or(stem).replace('/', ".")
}

fn explain(case: &Case, outcome: &CaseOutcome, examples: usize) {
    if outcome.missing.is_empty() && outcome.wrong.is_empty() {
        return;
    }
    println!("{}", case.case);
    outcome.missing.iter().take(examples).for_each(|edge| println!("    missing  {edge}"));
    outcome.wrong.iter().take(examples).for_each(|edge| println!("    wrong    {edge}"));
}

fn print(result: &SuiteResult) {
    println!("| {} | programs | edges | precision | recall | F1 | sound | complete |", result.suite);
    println!("|---|---|---|---|---|---|---|---|");
    let row = |title: &str, tally: &Tally| {
        let share = |value: Option<f64>| value.map_or_else(|| "–".into(), |value| format!("{value:.3}"));
        println!(
            "| {title} | {} | {} | {} | {} | {} | {} | {} |",
            tally.programs,
            tally.truth,
            share(tally.precision),
            share(tally.recall),
            share(tally.f1),
            tally.sound,
            tally.complete
        );
    };
    row("certain", &result.certain);
    row("certain + possible", &result.possible);
    result.categories.iter().for_each(|(category, tally)| row(category, tally));
    println!();
}
