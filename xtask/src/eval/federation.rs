//! `cargo xtask eval federation`: calls between repositories that are one index, against a compiler's index over both.
//!
//! The truth has a JSON row for each call that the compiler resolves, also inside a repository: `from_repo`, `from`
//! (path), `line`, `to_repo`, `to`, `to_line` (of the name), `text` (the name as written) and `call`. Recall is
//! counted over calls from one repository into another. A certain `calls` edge between repositories is judged, site
//! by site, if the truth has a row for a name of its target on that line: *right* if one of these rows has the
//! target. A class is as good as its constructor, and outside of Java one overload as another. A class without a
//! constructor of its own is as good as the one it inherits: the compiler names the class, the call runs the
//! constructor. The truth must name the base in the class's header.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use m1nd_base::{Cancel, EdgeTier, NoProgress, Relation, node_id};
use m1nd_engine::{Engine, EngineConfig, Federation, Member, Snapshot};
use m1nd_graph::NodeIx;
use m1nd_history::GitFolder;
use serde::{Deserialize, Serialize};

use super::arguments::Keep;
use super::golden::{keep, ratio};
use crate::{Outcome, repository};

const USAGE: &str =
    "expected: cargo xtask eval federation --repo NAME=PATH... --truth FILE [--check | --write] [--explain N]";

#[derive(Debug, Deserialize)]
struct Row {
    from_repo: String,
    from: String,
    line: u32,
    to_repo: String,
    to: String,
    to_line: u32,
    text: String,
    call: bool,
    is_import: bool,
}

impl Row {
    fn is_across(&self) -> bool {
        self.call && !self.is_import && self.from_repo != self.to_repo
    }

    fn site(&self) -> (String, u32) {
        (format!("{}/{}", self.from_repo, self.from), self.line)
    }
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Report {
    commits: BTreeMap<String, String>,
    /// Calls from one repository into another.
    truth: u64,
    certain: u64,
    possible: u64,
    right: u64,
    wrong: u64,
    unjudged: u64,
    precision: Option<f64>,
    recall_certain: Option<f64>,
    recall_possible: Option<f64>,
}

pub(super) fn run(args: &[String]) -> Outcome<()> {
    let (mut members, mut truth, mut kept, mut explain) = (Vec::new(), None, Keep::Print, 0_usize);
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().ok_or(USAGE);
        match flag.as_str() {
            "--repo" => {
                let (name, path) = value()?.split_once('=').ok_or(USAGE)?;
                members.push(Member { name: name.to_owned(), path: std::fs::canonicalize(path)? });
            }
            "--truth" => truth = Some(PathBuf::from(value()?)),
            "--check" => kept = Keep::Check,
            "--write" => kept = Keep::Write,
            "--explain" => explain = value()?.parse()?,
            _ => return Err(format!("unknown argument `{flag}`; {USAGE}").into()),
        }
    }
    let text = std::fs::read_to_string(truth.ok_or(USAGE)?)?;
    let rows: Vec<Row> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let name = members.iter().map(|member| member.name.clone()).collect::<Vec<_>>().join("+");
    let mut report = report(members.clone(), &rows, explain)?;
    for member in members {
        let head = GitFolder::find(&member.path).and_then(|git| git.head());
        report.commits.insert(member.name, head.map(|head| head.commit()).unwrap_or_default());
    }
    println!("{name}: {report:#?}");
    keep(&repository().join(format!("eval/federation/{name}.json")), &report, kept)
}

/// An edge of a call between repositories, with the lines at which it is written.
struct Call {
    from: String,
    lines: Vec<u32>,
    to: NodeIx,
    is_certain: bool,
}

fn report(members: Vec<Member>, rows: &[Row], explain: usize) -> Outcome<Report> {
    let (home, folder) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let federation = Federation::new(folder.path().to_owned(), members)?;
    let config = EngineConfig::new(home.path().to_owned(), vec![folder.path().to_owned()]).with_federation(federation);
    let engine = Engine::open(config)?;
    engine.federate(false, &Cancel::new(), &NoProgress)?;
    let snapshot = engine.snapshot();
    let calls = calls(&snapshot);
    let mut at: HashMap<(String, u32), Vec<&Row>> = HashMap::new();
    rows.iter().for_each(|row| at.entry(row.site()).or_default().push(row));
    let mut report = Report::default();
    let mut shown = BTreeMap::new();
    let mut show = |class: &'static str, text: String| {
        let count = shown.entry(class).or_insert(0_usize);
        *count += 1;
        if *count <= explain {
            println!("  {class}: {text}");
        }
    };
    let mut by_site: HashMap<(&str, u32), Vec<&Call>> = HashMap::new();
    for call in &calls {
        call.lines.iter().for_each(|line| by_site.entry((call.from.as_str(), *line)).or_default().push(call));
        for line in call.lines.iter().filter(|_| call.is_certain) {
            let there = at.get(&(call.from.clone(), *line)).map_or(&[][..], Vec::as_slice);
            let names = names(&snapshot, call.to);
            let named: Vec<_> = there.iter().filter(|row| names.contains(&row.text.as_str())).collect();
            let place = || format!("{}:{line} -> {}", call.from, snapshot.graph().id(call.to));
            if named.is_empty() {
                report.unjudged += 1;
                show("unjudged", place());
            } else if named
                .iter()
                .any(|row| is_target(&snapshot, call.to, row) || is_inherited(&snapshot, call.to, row, &at))
            {
                report.right += 1;
            } else {
                report.wrong += 1;
                let row = named[0];
                show("wrong", format!("{}, truth {}/{}:{}", place(), row.to_repo, row.to, row.to_line));
            }
        }
    }
    for row in rows.iter().filter(|row| row.is_across()) {
        report.truth += 1;
        let (path, line) = row.site();
        let there = by_site.get(&(path.as_str(), line)).map_or(&[][..], Vec::as_slice);
        let found: Vec<_> = there.iter().filter(|call| is_target(&snapshot, call.to, row)).collect();
        if found.iter().any(|call| call.is_certain) {
            report.certain += 1;
        } else {
            report.possible += u64::from(!found.is_empty());
            let class = if found.is_empty() { "missed" } else { "only possible" };
            show(class, format!("{path}:{line} {} -> {}/{}:{}", row.text, row.to_repo, row.to, row.to_line));
        }
    }
    report.precision = ratio(report.right, report.right + report.wrong);
    report.recall_certain = ratio(report.certain, report.truth);
    report.recall_possible = ratio(report.certain + report.possible, report.truth);
    Ok(report)
}

fn calls(snapshot: &Snapshot) -> Vec<Call> {
    let graph = snapshot.graph();
    let mut found = Vec::new();
    for node in graph.nodes() {
        let Some(own) = snapshot.repository_of(graph.path(node)) else { continue };
        for edge in graph.out_edges(node).filter(|edge| edge.relation == Relation::Calls) {
            if snapshot.repository_of(graph.path(edge.to)).is_some_and(|other| other != own) {
                let lines = edge.sites.iter().map(|site| site.line).collect();
                let is_certain = edge.tier == EdgeTier::Certain;
                found.push(Call { from: graph.path(node).to_owned(), lines, to: edge.to, is_certain });
            }
        }
    }
    found
}

/// Names by which a call of a node is written: its own, for a constructor also that of its class.
fn names(snapshot: &Snapshot, node: NodeIx) -> Vec<&str> {
    let graph = snapshot.graph();
    let owner = graph.parent(node).map(|owner| node_id::bare_name(graph.id(owner)));
    [node_id::bare_name(graph.id(node))].into_iter().chain(owner).collect()
}

fn is_target(snapshot: &Snapshot, node: NodeIx, row: &Row) -> bool {
    let graph = snapshot.graph();
    if graph.path(node) != format!("{}/{}", row.to_repo, row.to) {
        return false;
    }
    let is_there = |node: NodeIx| graph.name_line(node) == row.to_line;
    let is_constructor = ["__init__", "constructor"].contains(&node_id::bare_name(graph.id(node)));
    let owner = graph.parent(node);
    let is_class = (is_constructor || owner.is_some_and(|owner| is_same_name(snapshot, owner, node)))
        && owner.is_some_and(is_there);
    let is_constructor_of = |child: NodeIx| {
        let name = node_id::bare_name(graph.id(child));
        let is_one = ["__init__", "constructor"].contains(&name) || is_same_name(snapshot, child, node);
        is_one && is_there(child) && graph.parent(child) == Some(node)
    };
    let file = graph.find_file(graph.path(node));
    let has_it = row.text == node_id::bare_name(graph.id(node))
        && file.is_some_and(|file| graph.of_file(file).into_iter().any(is_constructor_of));
    let is_overload = !row.to.ends_with(".java") && node_id::bare_name(graph.id(node)) == row.text;
    is_there(node) || is_class || has_it || is_overload
}

/// Bases followed from a class to the constructor that it inherits.
const MAX_BASES: usize = 16;

/// Returns whether a node is the constructor that the class of a row inherits. The bases are the rows of the truth
/// on the line of the class's name; bases of a class that declares a constructor itself are not followed.
fn is_inherited(snapshot: &Snapshot, node: NodeIx, row: &Row, at: &HashMap<(String, u32), Vec<&Row>>) -> bool {
    let graph = snapshot.graph();
    let name = node_id::bare_name(graph.id(node));
    let Some(owner) = graph.parent(node).filter(|_| ["__init__", "constructor"].contains(&name)) else { return false };
    let mut open = vec![(format!("{}/{}", row.to_repo, row.to), row.to_line)];
    for _ in 0..MAX_BASES {
        let Some((path, line)) = open.pop() else { break };
        if graph.path(owner) == path && graph.name_line(owner) == line {
            return true;
        }
        let is_here = |node: NodeIx| graph.path(node) == path && graph.name_line(node) == line;
        let declares =
            |child: NodeIx| node_id::bare_name(graph.id(child)) == name && graph.parent(child).is_some_and(is_here);
        if !graph.nodes().any(declares) {
            let bases = at.get(&(path, line)).into_iter().flatten().filter(|base| !base.call && !base.is_import);
            open.extend(bases.map(|base| (format!("{}/{}", base.to_repo, base.to), base.to_line)));
        }
    }
    false
}

fn is_same_name(snapshot: &Snapshot, a: NodeIx, b: NodeIx) -> bool {
    let name = |node| node_id::bare_name(snapshot.graph().id(node));
    name(a) == name(b)
}
