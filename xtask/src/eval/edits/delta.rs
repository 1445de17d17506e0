//! `eval delta`: what answers of writes and `m1nd check` say of faults that are planted, and of real commits.
//!
//! Each planted fault is one write of a file: a function goes that others call, takes one parameter more, gets another
//! name without its callers, or an import closes a cycle. It is *found* if the answer lists it under the kind that it
//! is of, in a file that it breaks. Each write is taken back with `edit_undo`. Commits of maintained repositories
//! compile, so a dangling use or a misfit that `m1nd check --base` finds in one is an *alarm*; import cycles are
//! counted on their own, since commits do close them.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use m1nd_base::{Cancel, EdgeTier, NodeKind, Relation, RepoPath};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use m1nd_testkit::Random;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Request;
use super::mutations::{line_start, with, with_parameter, word_in};
use super::project::{Project, git};
use crate::Outcome;
use crate::eval::golden::{keep, ratio};
use crate::eval::golden_folder;
use crate::eval::ours::open_indexed;

/// Repositories that are asked about if none is named.
const REPOSITORIES: &[&str] = &["go-chi/chi", "psf/requests", "pallets/flask", "expressjs/express"];
/// Kinds of faults, with the list of the answer that names them.
const KINDS: [(&str, &str); 4] =
    [("delete", "dangling"), ("parameter", "arguments"), ("rename", "dangling"), ("cycle", "cycles")];
/// Real commits of each repository.
const COMMITS: usize = 10;
/// Nodes that are tried for each wanted fault.
const TRIES: usize = 60;
/// Kinds of findings that a commit which compiles cannot have.
const ALARMS: [&str; 3] = ["dangling", "arity", "types"];

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Counts {
    /// Planted faults and found ones, by kind.
    planted: BTreeMap<String, u64>,
    found: BTreeMap<String, u64>,
    /// Real commits that were compared with their parent.
    commits: u64,
    /// Those with a false finding.
    alarms: u64,
    /// Those that close an import cycle.
    cycles: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Report {
    format_version: u32,
    planted: u64,
    found_share: Option<f64>,
    commits: u64,
    alarm_share: Option<f64>,
    repositories: BTreeMap<String, Counts>,
}

/// A write that breaks something.
struct Fault {
    kind: (&'static str, &'static str),
    what: String,
    path: String,
    text: String,
    /// Files that it breaks.
    breaks: BTreeSet<String>,
}

pub(in crate::eval) fn run(args: &[String]) -> Outcome<()> {
    let request = Request::parse(args)?;
    let mut report = Report { format_version: 1, ..Report::default() };
    let all: Vec<String> = match request.repositories.as_slice() {
        [] => REPOSITORIES.iter().map(|name| (*name).to_owned()).collect(),
        named => named.to_vec(),
    };
    for name in all {
        let mut counts = Counts::default();
        let mut project = Project::check_out(&request, &name)?;
        plant(&request, &mut project, &mut counts)?;
        follow(&request, &project, &mut counts)?;
        println!("{name}: {counts:#?}");
        report.repositories.insert(name, counts);
    }
    let sum = |of: fn(&Counts) -> u64| report.repositories.values().map(of).sum::<u64>();
    report.planted = sum(|counts| counts.planted.values().sum());
    report.found_share = ratio(sum(|counts| counts.found.values().sum()), report.planted);
    report.commits = sum(|counts| counts.commits);
    report.alarm_share = ratio(sum(|counts| counts.alarms), report.commits);
    keep(&golden_folder("edits").join("delta.json"), &report, request.keep)
}

/// Plants faults at the newest commit, one after the other.
fn plant(request: &Request, project: &mut Project, counts: &mut Counts) -> Outcome<()> {
    let faults = {
        let engine = open_indexed(project.home(), &project.root)?;
        sample(&engine.snapshot(), request)
    };
    project.serve(request)?;
    for fault in faults {
        let (kind, list) = fault.kind;
        let edit = json!({"file_path": fault.path, "new_content": fault.text, "detail": "full"});
        let (answer, is_error) = project.call("apply", edit);
        if is_error {
            return Err(format!("{kind} {}: {answer}", fault.what).into());
        }
        let rows = answer["delta"][list].as_array().cloned().unwrap_or_default();
        let names_it = |row: &Value| {
            let row = row.as_str().unwrap_or_default();
            fault.breaks.iter().any(|path| row.contains(path.as_str()))
        };
        *counts.planted.entry(kind.to_owned()).or_default() += 1;
        if rows.iter().any(names_it) {
            *counts.found.entry(kind.to_owned()).or_default() += 1;
        } else if request.explain > 0 {
            println!("not found: {kind} {}: {}", fault.what, answer["delta"]);
        }
        let (answer, is_error) = project.call("edit_undo", json!({}));
        if is_error {
            return Err(format!("{kind} {}: not undone: {answer}", fault.what).into());
        }
        let left = git(&project.root, &["status", "--porcelain"])?;
        if !left.trim().is_empty() {
            return Err(format!("{kind} {}: undoing left {left}", fault.what).into());
        }
    }
    project.stop();
    Ok(())
}

/// Faults of each kind in turn, at random nodes.
fn sample(snapshot: &Snapshot, request: &Request) -> Vec<Fault> {
    let graph = snapshot.graph();
    let is_named = |node: &NodeIx| {
        graph.kind(*node) == NodeKind::Function
            && !graph.path(*node).is_empty()
            && !graph.flags(*node).has(NodeFlags::CONSTRUCTOR)
            && !graph.flags(*node).has(NodeFlags::TEST)
            && !graph.label(*node).starts_with("__")
    };
    let mut functions: Vec<NodeIx> = graph.nodes().filter(is_named).collect();
    functions.sort_by(|a, b| graph.id(*a).cmp(graph.id(*b)));
    let mut random = Random::new(request.seed);
    let mut faults = Vec::new();
    for number in 0..request.samples {
        let kind = KINDS[number % KINDS.len()];
        let found = (0..TRIES).filter(|_| !functions.is_empty()).find_map(|_| {
            let node = functions[random.below(functions.len())];
            if kind.0 == "cycle" { close_cycle(snapshot, node, kind) } else { break_function(snapshot, node, kind) }
        });
        faults.extend(found);
    }
    faults
}

/// Files with a certain call of a function, outside of itself.
fn callers(graph: &Graph, node: NodeIx) -> BTreeSet<String> {
    let calls = graph.in_edges(node).filter(|edge| {
        edge.tier == EdgeTier::Certain
            && edge.relation == Relation::Calls
            && edge.from != node
            && !edge.sites.is_empty()
    });
    calls.map(|edge| graph.path(edge.from).to_owned()).filter(|path| !path.is_empty()).collect()
}

fn text_of(snapshot: &Snapshot, path: &str) -> Option<String> {
    let source = snapshot.read_file(&RepoPath::new(path).ok()?).ok()?;
    (!source.lossy && !source.binary).then_some(source.text)
}

fn break_function(snapshot: &Snapshot, node: NodeIx, kind: (&'static str, &'static str)) -> Option<Fault> {
    let graph = snapshot.graph();
    let (path, name) = (graph.path(node), graph.label(node));
    let breaks = callers(graph, node);
    let text = text_of(snapshot, path).filter(|_| !breaks.is_empty())?;
    // A base may have a method of this name, so that its callers still find one.
    let has_base = |owner: NodeIx| {
        graph.out_edges(owner).any(|edge| matches!(edge.relation, Relation::Inherits | Relation::Implements))
    };
    // Another signature of the name stays.
    let is_other = |other: &NodeIx| *other != node && graph.path(*other) == path;
    if graph.parent(node).is_some_and(has_base) || graph.find_labelled(name).iter().any(is_other) {
        return None;
    }
    let changed = match kind.0 {
        "delete" => {
            let (first, last) = graph.lines(node);
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let (before, rest) = lines.split_at_checked(first as usize - 1)?;
            format!("{}{}", before.concat(), rest.get((last - first + 1) as usize..)?.concat())
        }
        "parameter" => with_parameter(&text, graph.name_line(node), name, language_of(snapshot, path)?)?,
        _ => {
            let at = line_start(&text, graph.name_line(node))?;
            let at = at + word_in(text[at..].lines().next()?, name)?;
            with(&text, at, name.len(), &format!("{name}Xq"))
        }
    };
    let what = graph.id(node).to_owned();
    Some(Fault { kind, what, path: path.to_owned(), text: changed, breaks })
}

/// The name of a language as [`with_parameter`] takes it.
fn language_of(snapshot: &Snapshot, path: &str) -> Option<&'static str> {
    match snapshot.files().get(&RepoPath::new(path).ok()?)?.language.name() {
        "python" => Some("Python"),
        "go" => Some("Go"),
        "rust" => Some("Rust"),
        "java" => Some("Java"),
        "typescript" => Some("TypeScript"),
        // A call may pass any number of arguments: a parameter more is not a fault.
        "javascript" => Some("JavaScript"),
        _ => None,
    }
}

/// An import of a file that uses the function's one, in the function's one: the line by which a third file imports it.
fn close_cycle(snapshot: &Snapshot, node: NodeIx, kind: (&'static str, &'static str)) -> Option<Fault> {
    let graph = snapshot.graph();
    let path = graph.path(node);
    if !matches!(language_of(snapshot, path)?, "Python" | "TypeScript" | "JavaScript") {
        return None;
    }
    let imports = |of: NodeIx| {
        let file = graph.file(of);
        graph.of_file(file.unwrap_or(of)).into_iter().flat_map(|part| graph.out_edges(part).collect::<Vec<_>>())
    };
    let is_import = |relation| relation == Relation::Imports;
    let of_own = graph.of_file(graph.file(node)?);
    // The way back must be an import that runs when its file is loaded.
    let users: BTreeSet<&str> = of_own
        .iter()
        .flat_map(|part| graph.in_edges(*part).collect::<Vec<_>>())
        .filter(|edge| is_import(edge.relation) && edge.tier == EdgeTier::Certain)
        .filter(|edge| edge.sites.iter().any(|pos| runs_on_load(snapshot, graph.path(edge.from), pos.line)))
        .map(|edge| graph.path(edge.from))
        .filter(|user| *user != path)
        .collect();
    let own: BTreeSet<&str> =
        imports(node).filter(|edge| is_import(edge.relation)).map(|edge| graph.path(edge.to)).collect();
    let text = text_of(snapshot, path)?;
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    for user in users.into_iter().filter(|user| !own.contains(user)) {
        let file = graph.find_file(user)?;
        let edges = graph.of_file(file).into_iter().flat_map(|part| graph.in_edges(part).collect::<Vec<_>>());
        for edge in edges.filter(|edge| is_import(edge.relation) && edge.tier == EdgeTier::Certain) {
            let third = graph.path(edge.from);
            let Some(line) = edge.sites.get(0).and_then(|pos| Some((text_of(snapshot, third)?, pos.line))) else {
                continue;
            };
            let Some(row) = line.0.lines().nth(line.1.saturating_sub(1) as usize) else { continue };
            let is_whole = (row.starts_with("from ") && row.contains(" import ") && !row.contains('('))
                || row.starts_with("import ")
                    && !row.starts_with("import type ")
                    && row.contains(" from ")
                    && row.contains('\'');
            let is_same = third != path && third != user && folder(third) == folder(path) && !row.contains(',');
            if is_whole && is_same {
                return Some(Fault {
                    kind,
                    what: format!("{path} imports {user}"),
                    path: path.to_owned(),
                    text: format!("{row}\n{text}"),
                    breaks: BTreeSet::from([user.to_owned()]),
                });
            }
        }
    }
    None
}

/// Whether an import on a line runs whenever its file is loaded: it is not under a condition, in a function or for
/// types.
fn runs_on_load(snapshot: &Snapshot, path: &str, line: u32) -> bool {
    let Some(text) = text_of(snapshot, path) else { return false };
    let facts = m1nd_lang::extract(Language::of_path(path), text.as_bytes(), snapshot.limits(), &Cancel::new());
    facts.imports.iter().any(|row| row.pos.line == line && !row.flags.conditional && !row.flags.type_only)
}

/// Compares the newest commits that change code with their parents.
fn follow(request: &Request, project: &Project, counts: &mut Counts) -> Outcome<()> {
    let log = git(&project.root, &["log", "--no-merges", "--format=%H", "--max-count=200", "HEAD"])?;
    let code = [".rs", ".go", ".py", ".ts", ".tsx", ".js", ".java"];
    for commit in log.lines() {
        if counts.commits as usize >= COMMITS {
            break;
        }
        let names = git(&project.root, &["diff", "--name-only", &format!("{commit}~1"), commit])?;
        if !names.lines().any(|name| code.iter().any(|ending| name.ends_with(ending))) {
            continue;
        }
        project.reset(commit)?;
        let mut command = Command::new(&request.binary);
        command.arg("--home").arg(project.home()).args(["check", "--json", "--base", &format!("{commit}~1"), "--root"]);
        let output = command.arg(&project.root).current_dir(&project.root).output()?;
        let found: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("{commit}: {error}: {}", String::from_utf8_lossy(&output.stderr)))?;
        let rules: Vec<&str> =
            found["findings"].as_array().into_iter().flatten().filter_map(|row| row["rule"].as_str()).collect();
        counts.commits += 1;
        counts.alarms += u64::from(rules.iter().any(|rule| ALARMS.contains(rule)));
        counts.cycles += u64::from(rules.contains(&"cycle"));
        if request.explain > 0 && rules.iter().any(|rule| ALARMS.contains(rule) || *rule == "cycle") {
            println!("{commit}: {}", found["findings"]);
        }
    }
    Ok(())
}
