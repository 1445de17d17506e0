//! `cargo xtask eval contracts`: procedures, tables, topics, images, variables and the like that programs share,
//! against pairs labelled by hand.
//!
//! A file `eval/contracts/<name>.txt` has a line for each pair, `from:line to:line`, of the folder `<name>` below the
//! checkouts; a whole file has no line. Its line `# families: …` says which families it is complete for: of these, an
//! edge of ours that it lacks counts as wrong, and others are not looked at.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::golden_folder;
use super::ours::{Node, Ours};
use super::pairs::{Counts, conclude, parse_labelled};
use crate::Outcome;
use m1nd_base::{EdgeTier, NodeKind, Relation};

const USAGE: &str = "expected: cargo xtask eval contracts --checkouts DIR [--check | --write] [--list]";
/// First words of the line that names the families.
const FAMILIES: &str = "# families:";

/// Runs the command.
pub(super) fn run(args: &[String]) -> Outcome<()> {
    let after = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let has = |name: &str| args.iter().any(|arg| arg == name);
    let Some(checkouts) = after("--checkouts") else { return Err(USAGE.into()) };
    let golden = golden_folder("contracts");
    let mut all: BTreeMap<String, Counts> = BTreeMap::new();
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(&golden)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".txt").map(str::to_owned));
    }
    names.sort();
    for name in names {
        let folder = Path::new(checkouts).join(&name);
        if !folder.is_dir() {
            println!("{name}: no checkout");
            continue;
        }
        let truth = fs::read_to_string(golden.join(format!("{name}.txt")))?;
        for (family, counts) in count_pairs(&folder, &truth, has("--list"))? {
            println!("{name} {family}: {}", counts.show_counts());
            all.insert(format!("{name} {family}"), counts);
        }
    }
    conclude(&golden, &all, args)
}

fn count_pairs(folder: &Path, truth: &str, list: bool) -> Outcome<BTreeMap<String, Counts>> {
    let families = truth.lines().find_map(|line| line.strip_prefix(FAMILIES)).unwrap_or_default();
    let families: Vec<&str> = families.split_whitespace().collect();
    let truth = parse_labelled(truth);
    let ours = Ours::of_folder(folder)?;
    let mut found: BTreeMap<String, (&'static str, EdgeTier)> = BTreeMap::new();
    for edge in &ours.edges {
        let (from, to) = (&ours.nodes[edge.from], &ours.nodes[edge.to]);
        let Some(family) = family(edge.relation, from, to).filter(|family| families.contains(family)) else { continue };
        for (line, _) in &edge.sites {
            let place = from.file.clone().unwrap_or_default();
            found.insert(format!("{place}:{line} {}", end(to)), (family, edge.tier));
        }
    }
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for (pair, (family, tier)) in &found {
        let is_right = truth.binary_search(pair).is_ok();
        counts.entry((*family).to_owned()).or_default().add(is_right, *tier == EdgeTier::Certain);
        if list {
            println!("{} {pair} {tier}", if is_right { "=" } else { "+" });
        }
    }
    for pair in &truth {
        let family = found.get(pair).map_or_else(|| guess_family(pair, &families), |(family, _)| *family);
        counts.entry(family.to_owned()).or_default().labelled += 1;
        if list && !found.contains_key(pair) {
            println!("- {pair}");
        }
    }
    Ok(counts)
}

/// The end of a pair: the place of a node, or a file without a line.
fn end(node: &Node) -> String {
    let file = node.file.clone().unwrap_or_default();
    if node.kind == NodeKind::File { file } else { format!("{file}:{}", node.line) }
}

/// The family of a labelled pair that was not found, by its files.
fn guess_family<'f>(pair: &str, families: &[&'f str]) -> &'f str {
    let to = pair.split(' ').next_back().unwrap_or("");
    let from = pair.split(' ').next().unwrap_or("");
    let is = |text: &str, endings: &[&str]| endings.iter().any(|ending| text.contains(ending));
    let guess = if is(pair, &[".proto:"]) {
        "rpc"
    } else if is(to, &[".sql"]) {
        "table"
    } else if is(to, &["Dockerfile"]) && !to.contains(':') || is(from, &["Dockerfile:"]) {
        "image"
    } else if is(to, &[".yaml:", ".yml:", "Dockerfile:"]) {
        "variable"
    } else if is(pair, &[".graphql:", ".graphqls:", ".gql:"]) {
        "graphql"
    } else {
        "topic"
    };
    families.iter().copied().find(|family| *family == guess).or(families.first().copied()).unwrap_or("none")
}

/// The family of an edge; `None` if it is no contract of these.
fn family(relation: Relation, from: &Node, to: &Node) -> Option<&'static str> {
    let ends = |node: &Node, endings: &[&str]| {
        node.file.as_deref().is_some_and(|file| endings.iter().any(|ending| file.ends_with(ending)))
    };
    let schemas = &[".graphql", ".graphqls", ".gql"];
    Some(match relation {
        Relation::Requests if ends(to, &[".proto"]) => "rpc",
        Relation::Serves if ends(from, &[".proto"]) => "rpc",
        Relation::Requests if ends(to, schemas) || ends(from, schemas) => "graphql",
        Relation::Serves if ends(from, schemas) => "graphql",
        Relation::Requests if to.id.contains("::topic::") => "topic",
        Relation::Serves if from.id.contains("::topic::") => "topic",
        Relation::Requests if to.id.contains("::tool::") => "tool",
        Relation::Serves if from.id.contains("::tool::") => "tool",
        Relation::References if ends(to, &[".sql"]) || ends(from, &[".sql"]) => "table",
        Relation::DependsOn if to.kind == NodeKind::File => "image",
        Relation::ReadsConfig if to.file.is_some() => "variable",
        _ => return None,
    })
}
