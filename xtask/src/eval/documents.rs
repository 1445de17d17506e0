//! `cargo xtask eval documents`: code that documents name, against labels, and drift, against documents that were
//! fixed.
//!
//! **Mentions** (`eval/documents/mentions.tsv`): repository, commit, `path:line`, the mention as written, and its
//! target (`path::Owner.name`, a path, or a node id; `none` if it names no code of the project; ` | ` between targets
//! that are all right). A `documents` edge belongs to a mention if it stands on its line and its target has the last
//! name of the mention. A mention with edges to n targets of which one is right counts 1/n for precision, and as
//! found for recall.
//!
//! **Drift** (`eval/documents/fixes.tsv`): repository, the commit before a fix of documents alone, and the lines that
//! the fix removed or replaced, `path:first-last`, and its kind: `code` and `link` if the document contradicted the
//! project, `other` if not. A fix counts as found if a section with one of these lines has a finding at the commit
//! before. Findings are counted at every such commit, per 100 sections.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use m1nd_base::{Cancel, EdgeTier, NodeKind, Relation};
use m1nd_query::documents::{CheckScope, check, documents_of};
use serde::{Deserialize, Serialize};

use super::arguments::Keep;
use super::golden::{keep, ratio};
use super::golden_folder;
use super::ours::{Ours, open_indexed};
use crate::Outcome;

const USAGE: &str = "expected: cargo xtask eval documents mentions|drift --mirror DIR --mkrepo SCRIPT --checkouts DIR \
                     [--confidence C] [--check | --write] [--list]";

struct Request {
    mirror: PathBuf,
    mkrepo: PathBuf,
    checkouts: PathBuf,
    confidence: f64,
    list: bool,
    how: Option<Keep>,
}

/// Runs the command.
pub(super) fn run(args: &[String]) -> Outcome<()> {
    let after = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let has = |name: &str| args.iter().any(|arg| arg == name);
    let path = |name: &str| after(name).map(PathBuf::from).ok_or(USAGE);
    let confidence = after("--confidence").map_or(Ok(0.3), |text| text.parse())?;
    let how = match (has("--write"), has("--check")) {
        (true, _) => Some(Keep::Write),
        (_, true) => Some(Keep::Check),
        _ => None,
    };
    let request = Request {
        mirror: path("--mirror")?,
        mkrepo: path("--mkrepo")?,
        checkouts: path("--checkouts")?,
        confidence,
        list: has("--list"),
        how,
    };
    match args.first().map(String::as_str) {
        Some("mentions") => mentions(&request),
        Some("drift") => drift(&request),
        _ => Err(USAGE.into()),
    }
}

/// A checkout of a repository at a commit, with its history up to there.
fn checkout(request: &Request, repository: &str, commit: &str) -> Outcome<PathBuf> {
    let name = repository.replace('/', "+");
    let folder = request.checkouts.join(format!("{name}@{}", &commit[..commit.len().min(12)]));
    if !folder.join(".git").exists() {
        let git = request.mirror.join(&name).join("repo");
        let git = if git.exists() { git } else { request.mirror.join(&name) };
        fs::create_dir_all(&request.checkouts)?;
        let done = Command::new("python3").arg(&request.mkrepo).arg(&git).arg(commit).arg(&folder).output()?;
        if !done.status.success() {
            return Err(format!("{repository} {commit}: {}", String::from_utf8_lossy(&done.stderr)).into());
        }
    }
    Ok(folder)
}

fn rows(name: &str) -> Outcome<Vec<Vec<String>>> {
    let path = golden_folder("documents").join(name);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    Ok(lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}

/// Counts of one repository.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Counts {
    mentions: u64,
    /// With a target.
    labelled: u64,
    /// With an edge.
    bound: u64,
    /// Of these, right: 1/n for one of n.
    right: f64,
    /// With one target, and the number of these that are right.
    sole: u64,
    sole_right: u64,
    /// Labelled and the target among those of the edges.
    found: u64,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.mentions += other.mentions;
        self.labelled += other.labelled;
        self.bound += other.bound;
        self.right += other.right;
        self.sole += other.sole;
        self.sole_right += other.sole_right;
        self.found += other.found;
    }

    fn show_counts(&self) -> String {
        let share =
            |part: f64, whole: u64| if whole == 0 { "-".to_owned() } else { format!("{:.3}", part / whole as f64) };
        let sole = ratio(self.sole_right, self.sole).map_or("-".to_owned(), |ratio| format!("{ratio:.3}"));
        format!(
            "{} mentions, {} with a target; bound {}: P {}, with one target {}: P {sole}; R {}",
            self.mentions,
            self.labelled,
            self.bound,
            share(self.right, self.bound),
            self.sole,
            share(self.found as f64, self.labelled),
        )
    }
}

/// The name in a mention as written, without marks of its format.
fn plain(mention: &str) -> String {
    let inner = mention.trim_start_matches(|c| c != '`').trim_matches('`');
    let inner = match inner.strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
        Some((_, target)) if mention.starts_with(':') => target,
        _ => inner,
    };
    let inner = inner.trim_start_matches(['~', '.', '@', '!']).trim_start_matches("new ");
    let end = inner.find(['(', '<', ' ', '[']).filter(|at| *at > 0).unwrap_or(inner.len());
    inner[..end].trim_end_matches('/').to_owned()
}

/// Returns whether a node is the target of a label.
fn is_target(id: &str, label: &str) -> bool {
    label.split(" | ").any(|label| {
        let label = label.trim();
        let Some((path, names)) = label.split_once("::").filter(|_| !label.starts_with("config::")) else {
            return id == label || id == format!("file::{label}");
        };
        let Some(rest) = id.strip_prefix(&format!("file::{path}::")) else { return false };
        // Names without their kinds, signatures and blocks.
        let parts: Vec<&str> = rest.split("::").collect();
        let mut own: Vec<&str> =
            parts.chunks(2).filter_map(|pair| pair.get(1)).map(|name| name.split('~').next().unwrap_or(name)).collect();
        own.iter_mut().for_each(|name| {
            let last = name.rsplit(" for ").next().unwrap_or(name);
            *name = last.split('<').next().unwrap_or(last);
        });
        let wanted: Vec<&str> = names.split('.').collect();
        own.ends_with(&wanted)
    })
}

fn mentions(request: &Request) -> Outcome<()> {
    let mut all: BTreeMap<(String, String), Vec<Vec<String>>> = BTreeMap::new();
    for row in rows("mentions.tsv")? {
        all.entry((row[0].clone(), row[1].clone())).or_default().push(row);
    }
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for ((repository, commit), rows) in all {
        let folder = checkout(request, &repository, &commit)?;
        let ours = Ours::of_folder(&folder)?;
        let own = count_rows(&ours, &rows, request.list);
        println!("{repository}: {}", own.show_counts());
        counts.insert(repository, own);
    }
    let mut sum = Counts::default();
    counts.values().for_each(|row| sum.add(row));
    println!("all: {}", sum.show_counts());
    match request.how {
        Some(how) => keep(&golden_folder("documents").join("mentions.json"), &counts, how),
        None => Ok(()),
    }
}

fn count_rows(ours: &Ours, rows: &[Vec<String>], list: bool) -> Counts {
    // Line of a document → targets with their label.
    let mut edges: BTreeMap<(String, u32), Vec<(usize, EdgeTier)>> = BTreeMap::new();
    for edge in ours.edges.iter().filter(|edge| edge.relation == Relation::Documents) {
        let file = ours.nodes[edge.from].file.clone().unwrap_or_default();
        for (line, _) in &edge.sites {
            edges.entry((file.clone(), *line)).or_default().push((edge.to, edge.tier));
        }
    }
    let mut counts = Counts::default();
    for row in rows {
        let (place, mention, label) = (&row[2], &row[3], row[4].trim());
        let Some((path, line)) = place.rsplit_once(':') else { continue };
        let name = plain(mention);
        let last = name.rsplit(['.', ':', '#', '/']).next().unwrap_or(&name).to_owned();
        let here = edges.get(&(path.to_owned(), line.parse().unwrap_or(0))).cloned().unwrap_or_default();
        let mut targets: Vec<usize> = here.into_iter().map(|(to, _)| to).collect();
        targets.retain(|to| {
            let node = &ours.nodes[*to];
            let file = node.file.as_deref().unwrap_or("");
            match node.kind {
                NodeKind::File => file.ends_with(&name) || file.split(['/', '.']).any(|part| part == last),
                _ => node.name == last || node.id.ends_with(&format!("::{last}")),
            }
        });
        targets.sort_unstable();
        targets.dedup();
        let has_target = label != "none";
        let is_found = has_target && targets.iter().any(|to| is_target(&ours.nodes[*to].id, label));
        counts.mentions += 1;
        counts.labelled += u64::from(has_target);
        counts.found += u64::from(is_found);
        if !targets.is_empty() {
            counts.bound += 1;
            counts.right += if is_found { 1.0 / targets.len() as f64 } else { 0.0 };
            counts.sole += u64::from(targets.len() == 1);
            counts.sole_right += u64::from(is_found && targets.len() == 1);
        }
        let is_right = is_found && targets.len() == 1 || !has_target && targets.is_empty();
        if list && !is_right {
            let ids: Vec<&str> = targets.iter().map(|to| ours.nodes[*to].id.as_str()).collect();
            println!("  {place} {mention}: wanted {label}, found {ids:?}");
        }
    }
    counts
}

/// Result of the drift evaluation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct DriftCounts {
    fixes: u64,
    /// Fixes with a finding in a fixed section.
    found: u64,
    /// Fixes with a finding on a fixed line.
    found_line: u64,
    /// Fixes by kind, and those found of them.
    kinds: BTreeMap<String, (u64, u64)>,
    sections: u64,
    findings: u64,
    /// Findings by class.
    classes: BTreeMap<String, u64>,
}

fn drift(request: &Request) -> Outcome<()> {
    let mut sum = DriftCounts::default();
    let home = request.checkouts.join(".index");
    for row in rows("fixes.tsv")? {
        let [repository, commit, places, kind] = row.as_slice() else { return Err("a row has four columns".into()) };
        let folder = checkout(request, repository, commit)?;
        let (found, found_line) = drift_at(request, &home, &folder, places, &mut sum)?;
        sum.fixes += 1;
        sum.found += u64::from(found);
        sum.found_line += u64::from(found_line);
        let of_kind = sum.kinds.entry(kind.clone()).or_default();
        *of_kind = (of_kind.0 + 1, of_kind.1 + u64::from(found));
        if request.list {
            println!("{} {kind} {repository} {} {places}", if found { "=" } else { "-" }, &commit[..10]);
        }
        fs::remove_dir_all(&home)?;
        fs::remove_dir_all(&folder)?;
    }
    let share = |part, whole| ratio(part, whole).map_or("-".to_owned(), |ratio| format!("{ratio:.3}"));
    println!(
        "{} fixes: a finding in a fixed section {} ({}), on a fixed line {} ({}); {} findings in {} sections, {:.2} per 100",
        sum.fixes,
        sum.found,
        share(sum.found, sum.fixes),
        sum.found_line,
        share(sum.found_line, sum.fixes),
        sum.findings,
        sum.sections,
        100.0 * sum.findings as f64 / sum.sections.max(1) as f64,
    );
    for (kind, (all, found)) in &sum.kinds {
        println!("{kind}: {found} of {all} ({})", share(*found, *all));
    }
    match request.how {
        Some(how) => keep(&golden_folder("documents").join("drift.json"), &sum, how),
        None => Ok(()),
    }
}

/// Whether a fixed section, and a fixed line, has a finding.
fn drift_at(
    request: &Request,
    home: &Path,
    folder: &Path,
    places: &str,
    sum: &mut DriftCounts,
) -> Outcome<(bool, bool)> {
    let cancel = Cancel::new();
    let engine = open_indexed(home, folder)?;
    let snapshot = engine.snapshot();
    let history = snapshot.history(&cancel);
    let scope = CheckScope { changed_code: true };
    let mut checked = check(&snapshot, &history, &documents_of(&snapshot), scope, &cancel)?;
    checked.findings.retain(|(_, finding)| finding.confidence >= request.confidence);
    sum.sections += checked.sections as u64;
    sum.findings += checked.findings.len() as u64;
    for (path, finding) in &checked.findings {
        *sum.classes.entry(finding.class.word().to_owned()).or_default() += 1;
        if request.list {
            let evidence = finding.evidence.as_ref().map_or("", |evidence| &evidence.commit[..10]);
            println!(
                "    {path}:{} {} {}: {} {evidence}",
                finding.line,
                finding.class.word(),
                finding.name,
                finding.message
            );
        }
    }
    let (mut found, mut found_line) = (false, false);
    for place in places.split(' ') {
        let Some((path, lines)) = place.rsplit_once(':') else { continue };
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let (first, last): (u32, u32) = (first.parse()?, last.parse()?);
        let sections = section_lines(&folder.join(path));
        for (_, finding) in checked.findings.iter().filter(|(own, _)| own.as_str() == path) {
            found_line |= (first..=last).contains(&finding.line);
            let section = sections.iter().rev().find(|(start, _)| *start <= finding.line);
            found |= section.is_some_and(|(start, end)| *start <= last && first <= *end);
        }
    }
    Ok((found, found_line))
}

/// First and last line of each section without those below it.
fn section_lines(path: &Path) -> Vec<(u32, u32)> {
    let Ok(text) = fs::read(path) else { return Vec::new() };
    let name = path.to_string_lossy();
    let limits = m1nd_documents::DocumentLimits::default();
    let Ok(document) = m1nd_documents::parse(&name, &text, &limits) else { return Vec::new() };
    let mut starts: Vec<u32> = document.sections.iter().map(|section| section.line).collect();
    starts.insert(0, 1);
    starts.dedup();
    let ends = starts.iter().skip(1).map(|next| next - 1).chain([u32::MAX]);
    starts.iter().copied().zip(ends).collect()
}
