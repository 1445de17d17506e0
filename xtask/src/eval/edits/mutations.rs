//! `eval edits mutations`: whether the check of `apply_batch` finds what a compiler refuses.
//!
//! Each mutation breaks one thing that the graph has a certain use of: a definition gets another name, a use of it is
//! misspelled, the definition goes, it takes one argument more, or its file moves. Only those count after which the
//! compiler has errors that it did not have before. *Found* is the verdict BROKEN.

use std::collections::BTreeMap;

use m1nd_base::{EdgeTier, NodeKind, Relation, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx};
use m1nd_testkit::Random;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Request;
use super::compilers::{Checked, new_errors};
use super::project::Project;
use super::rename::is_candidate;
use crate::Outcome;
use crate::eval::golden::{keep, ratio};
use crate::eval::golden_folder;
use crate::eval::ours::open_indexed;

/// Kinds of mutations, in the order in which they are tried.
const KINDS: [&str; 5] = ["rename_definition", "misspell_use", "delete", "arity", "move"];
/// Nodes that are tried for each wanted mutation.
const TRIES: usize = 20;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Counts {
    /// Mutations that the compiler refuses.
    refused: u64,
    /// Those with verdict BROKEN.
    found: u64,
    /// Others with verdict RISKY.
    risky: u64,
    /// Mutations that compile.
    compiles: u64,
    /// Those with verdict BROKEN.
    alarms: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Report {
    format_version: u32,
    refused: u64,
    found_share: Option<f64>,
    /// Of the mutations that compile.
    alarm_share: Option<f64>,
    /// By repository and kind.
    counts: BTreeMap<String, BTreeMap<String, Counts>>,
}

/// A mutation as the edits of a batch.
struct Mutation {
    kind: &'static str,
    what: String,
    edits: Vec<Value>,
    /// The new and the old path of a file that moves.
    moved: Option<(String, String)>,
}

pub(super) fn run(request: &Request) -> Outcome<()> {
    let mut report = Report { format_version: 1, ..Report::default() };
    for checked in Checked::of(request) {
        let counts = repository(request, &checked)?;
        println!("{}: {counts:#?}", checked.repository);
        report.counts.insert(checked.repository.to_owned(), counts);
    }
    let all = || report.counts.values().flat_map(BTreeMap::values);
    let sum = |of: fn(&Counts) -> u64| all().map(of).sum::<u64>();
    report.refused = sum(|counts| counts.refused);
    (report.found_share, report.alarm_share) = (
        ratio(sum(|counts| counts.found), sum(|counts| counts.refused)),
        ratio(sum(|counts| counts.alarms), sum(|counts| counts.compiles)),
    );
    keep(&golden_folder("edits").join("mutations.json"), &report, request.keep)
}

fn repository(request: &Request, checked: &Checked) -> Outcome<BTreeMap<String, Counts>> {
    let mut project = Project::check_out(request, checked.repository)?;
    let mutations = {
        let engine = open_indexed(project.home(), &project.root)?;
        sample(&engine.snapshot(), checked, request)
    };
    project.serve(request)?;
    let before = checked.first_errors(request, &project.root)?;
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for mutation in mutations {
        let (answer, is_error) = project.call("apply_batch", json!({"edits": mutation.edits, "verify": true}));
        if is_error {
            return Err(format!("{} {}: {answer}", mutation.kind, mutation.what).into());
        }
        let verdict = answer["verification"]["verdict"].as_str().unwrap_or_default().to_owned();
        let after = checked.errors(request, &project.root)?;
        let moved = mutation.moved.as_ref().map(|(new, old)| (new.as_str(), old.as_str()));
        let errors = new_errors(&before, &after, moved);
        let count = counts.entry(mutation.kind.to_owned()).or_default();
        let is_broken = verdict == "BROKEN";
        if errors.is_empty() {
            count.compiles += 1;
            count.alarms += u64::from(is_broken);
        } else {
            count.refused += 1;
            count.found += u64::from(is_broken);
            count.risky += u64::from(verdict == "RISKY");
        }
        if request.explain > 0 && errors.is_empty() == is_broken {
            let report = if is_broken { answer["verification"]["broken"].to_string() } else { errors.join(" | ") };
            let shown: String = report.chars().take(400).collect();
            let doubt = answer["verification"]["doubtful"].as_array().map_or(0, Vec::len);
            println!("{} {}: {verdict} ({doubt} doubtful): {shown}", mutation.kind, mutation.what);
        }
        project.restore()?;
    }
    Ok(counts)
}

fn sample(snapshot: &Snapshot, checked: &Checked, request: &Request) -> Vec<Mutation> {
    let graph = snapshot.graph();
    let mut all: Vec<NodeIx> = graph.nodes().filter(|node| is_candidate(snapshot, checked, *node)).collect();
    all.sort_by(|a, b| graph.id(*a).cmp(graph.id(*b)));
    let mut random = Random::new(request.seed);
    let mut mutations = Vec::new();
    for number in 0..request.samples {
        let kind = KINDS[number % KINDS.len()];
        for _ in 0..TRIES {
            if all.is_empty() {
                break;
            }
            let node = all[random.below(all.len())];
            if let Some(mutation) = mutation(snapshot, checked, node, kind, &mut random) {
                mutations.push(mutation);
                break;
            }
        }
    }
    mutations
}

/// A certain use of a node, in a file that is compiled.
fn uses(graph: &Graph, checked: &Checked, node: NodeIx) -> Vec<(String, u32, u16)> {
    let mut uses = Vec::new();
    for edge in graph.in_edges(node) {
        let counts = edge.tier == EdgeTier::Certain
            && !matches!(
                edge.relation,
                Relation::Contains | Relation::Documents | Relation::Tests | Relation::Overrides | Relation::RelatesTo
            );
        if counts && checked.covers(graph.path(edge.from)) {
            let places = (0..edge.sites.len()).filter_map(|index| edge.sites.get(index));
            uses.extend(places.map(|pos| (graph.path(edge.from).to_owned(), pos.line, pos.col)));
        }
    }
    uses
}

fn mutation(
    snapshot: &Snapshot,
    checked: &Checked,
    node: NodeIx,
    kind: &'static str,
    random: &mut Random,
) -> Option<Mutation> {
    let graph = snapshot.graph();
    let (path, name) = (graph.path(node), graph.label(node));
    let text = snapshot.read_file(&RepoPath::new(path).ok()?).ok()?.text;
    let uses = uses(graph, checked, node);
    if uses.is_empty() {
        return None;
    }
    let what = graph.id(node).to_owned();
    let whole = |path: &str, text: String| json!({"file_path": path, "new_content": text});
    let mut moved = None;
    let edits = match kind {
        "rename_definition" => {
            let at = line_start(&text, graph.name_line(node))?;
            let at = at + word_in(text[at..].lines().next()?, name)?;
            vec![whole(path, with(&text, at, name.len(), &format!("{name}Xq")))]
        }
        "misspell_use" => {
            let (user, line, column) = &uses[random.below(uses.len())];
            let text = snapshot.read_file(&RepoPath::new(user).ok()?).ok()?.text;
            let start = line_start(&text, *line)?;
            let row = text[start..].lines().next()?;
            let at = row.char_indices().nth(usize::from(column.checked_sub(1)?))?.0;
            let rest = &row[at..];
            let is_name = rest.strip_prefix(name).is_some_and(|end| !end.starts_with(is_part));
            if !is_name {
                return None;
            }
            vec![whole(user, with(&text, start + at, name.len(), &format!("{name}Xq")))]
        }
        "delete" => {
            if !matches!(graph.kind(node), NodeKind::Function) {
                return None;
            }
            // A use outside of what goes.
            let (first, last) = graph.lines(node);
            if !uses.iter().any(|(user, line, _)| user != path || *line < first || *line > last) {
                return None;
            }
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let (before, rest) = lines.split_at_checked(first as usize - 1)?;
            let after = rest.get((last - first + 1) as usize..)?;
            vec![whole(path, format!("{}{}", before.concat(), after.concat()))]
        }
        "arity" => {
            let is_called = graph.in_edges(node).any(|edge| edge.relation == Relation::Calls);
            if graph.kind(node) != NodeKind::Function || !is_called {
                return None;
            }
            vec![whole(path, with_parameter(&text, graph.name_line(node), name, checked.language)?)]
        }
        _ => {
            if !uses.iter().any(|(user, ..)| user != path) {
                return None;
            }
            let (stem, ending) = path.rsplit_once('.')?;
            let new = format!("{stem}_xq.{ending}");
            let created = json!({"file_path": new, "new_content": text});
            moved = Some((new, path.to_owned()));
            vec![json!({"file_path": path, "delete": true}), created]
        }
    };
    Some(Mutation { kind, what, edits, moved })
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

pub(super) fn with(text: &str, at: usize, length: usize, new: &str) -> String {
    format!("{}{new}{}", &text[..at], &text[at + length..])
}

pub(super) fn line_start(text: &str, line: u32) -> Option<usize> {
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    starts.into_iter().nth((line as usize).checked_sub(1)?)
}

/// Place of a whole word in a line.
pub(super) fn word_in(line: &str, word: &str) -> Option<usize> {
    let is_whole = |at: &usize| !line[..*at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part);
    line.match_indices(word).map(|(at, _)| at).find(is_whole)
}

/// The text with one more parameter of a function; `None` where its parameters are not plain.
pub(super) fn with_parameter(text: &str, line: u32, name: &str, language: &str) -> Option<String> {
    let start = line_start(text, line)?;
    let start = start + word_in(text[start..].lines().next()?, name)? + name.len();
    let open = start + text[start..].find('(')?;
    let between = &text[start..open];
    if between.contains(['\n', '{', '=']) {
        return None;
    }
    let mut depth = 0usize;
    let close = text[open..].char_indices().find_map(|(at, c)| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(open + at)
    })?;
    let inside = text[open + 1..close].trim_end();
    if inside.contains("...") || inside.contains(['=', '?', '*', '#']) || inside.contains("//") {
        return None;
    }
    let parameter = match language {
        "Go" => "extraXq int",
        "Java" => "int extraXq",
        "Rust" => "extra_xq: u8",
        "TypeScript" => "extraXq: number",
        "Python" => "extra_xq",
        _ => return None,
    };
    let comma = if inside.trim().is_empty() || inside.ends_with(',') { "" } else { ", " };
    let at = open + 1 + inside.len();
    Some(format!("{}{comma}{parameter}{}", &text[..at], &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_takes_one_more_parameter() {
        let cases = [
            ("def f(a, b):\n", "Python", Some("def f(a, b, extra_xq):\n")),
            ("def f(a=1):\n", "Python", None),
            ("func f() int {\n", "Go", Some("func f(extraXq int) int {\n")),
            ("fn f<T>(\n    a: T,\n) {}\n", "Rust", Some("fn f<T>(\n    a: T,extra_xq: u8\n) {}\n")),
        ];
        for (text, language, expected) in cases {
            assert_eq!(with_parameter(text, 1, "f", language).as_deref(), expected);
        }
    }
}
