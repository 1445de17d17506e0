//! `cargo xtask eval callsites`: compares our calls with answers that people gave for sampled call sites.
//!
//! `eval/callsites/NAME.tsv` has a line for each site: its place, a tab, and the places of the definitions that are
//! right, any of them; `external` for code outside of the repository; `undecidable` for calls of values and of
//! receivers without a type. The sites were sampled at random and answered by reading the source, before our answers
//! were looked at.
//!
//! *Precision*: certain edges at sites that lead to a right definition. *Recall*: sites of calls inside of the
//! repository with a certain edge to a right definition.

use std::collections::HashMap;
use std::fs;

use m1nd_base::{EdgeTier, Relation};
use serde::{Deserialize, Serialize};

use super::ours::Ours;
use crate::Outcome;
use crate::eval::arguments::Arguments;
use crate::eval::golden::{self, ratio};
use crate::eval::golden_folder;

/// A line of a file, with a column.
type Place = (String, u32, u32);

/// What was answered for a site.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Answer {
    /// Any of these definitions.
    Own(Vec<Place>),
    External,
    Undecidable,
}

/// The stored result of a repository.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct SitesResult {
    format_version: u32,
    sites: u64,
    /// Sites that call a definition of the repository.
    own: u64,
    /// Certain edges at own sites to a right definition.
    certain: u64,
    /// Certain edges to another definition, wherever the call leads.
    wrong: u64,
    /// Other own sites with a right definition among the possible ones.
    possible: u64,
    /// Sites of calls outside that lead to something outside only.
    external: u64,
    /// Sites that are not undecidable and lead nowhere.
    nowhere: u64,
    precision: Option<f64>,
    recall: Option<f64>,
    recall_possible: Option<f64>,
}

fn parse_place(text: &str) -> Outcome<Place> {
    let mut parts = text.rsplitn(3, ':');
    let (col, line, path) = (parts.next(), parts.next(), parts.next());
    match (path, line.and_then(|line| line.parse().ok()), col.and_then(|col| col.parse().ok())) {
        (Some(path), Some(line), Some(col)) => Ok((path.to_owned(), line, col)),
        _ => Err(format!("`{text}` is not a place: expected `path:line:column`").into()),
    }
}

/// Places with ` | ` or a blank between them; paths may have blanks, too.
fn parse_places(text: &str) -> Outcome<Vec<Place>> {
    let (mut places, mut open) = (Vec::new(), String::new());
    for word in text.split(' ').filter(|word| *word != "|") {
        open = if open.is_empty() { word.to_owned() } else { format!("{open} {word}") };
        if let Ok(place) = parse_place(&open) {
            places.push(place);
            open.clear();
        }
    }
    if open.is_empty() { Ok(places) } else { parse_place(&open).map(|_| places) }
}

fn parse_row(row: &str) -> Outcome<(Place, Answer)> {
    let (site, answer) = row.split_once('\t').ok_or_else(|| format!("`{row}` has no tab"))?;
    let answer = match answer {
        "external" => Answer::External,
        "undecidable" => Answer::Undecidable,
        places => Answer::Own(parse_places(places)?),
    };
    Ok((parse_place(site)?, answer))
}

/// The node that is called at each place, and how certain that is.
type Calls<'a> = HashMap<(&'a str, u32, u32), Vec<(usize, EdgeTier)>>;

fn calls_by_place(ours: &Ours) -> Calls<'_> {
    let mut calls = Calls::new();
    for edge in ours.edges.iter().filter(|edge| edge.relation == Relation::Calls) {
        let Some(file) = ours.nodes[edge.from].file.as_deref() else { continue };
        for &(line, col) in &edge.sites {
            calls.entry((file, line, col)).or_default().push((edge.to, edge.tier));
        }
    }
    calls
}

pub(in crate::eval) fn run(args: &[String]) -> Outcome<()> {
    let arguments = Arguments::parse(args, &["--repo", "--labels"])?;
    let (repo, labels) = (arguments.folder("--repo")?, arguments.folder("--labels")?);
    let rows = fs::read_to_string(labels)?;
    let rows: Vec<(Place, Answer)> = rows.lines().map(parse_row).collect::<Outcome<_>>()?;
    let ours = Ours::of_folder(repo)?;
    let calls = calls_by_place(&ours);
    let mut result = SitesResult { format_version: 1, sites: rows.len() as u64, ..SitesResult::default() };
    for (site, answer) in &rows {
        let found = calls.get(&(site.0.as_str(), site.1, site.2)).map_or(&[][..], Vec::as_slice);
        let verdict = judge(&ours, answer, found, &mut result);
        if arguments.explain > 0 && verdict != "right" {
            let targets: Vec<String> =
                found.iter().map(|(node, tier)| format!("{tier:?} {}", ours.nodes[*node].id)).collect();
            println!("{verdict}: {}:{}:{} expected {answer:?}, found {targets:?}", site.0, site.1, site.2);
        }
    }
    result.precision = ratio(result.certain, result.certain + result.wrong);
    result.recall = ratio(result.certain, result.own);
    result.recall_possible = ratio(result.certain + result.possible, result.own);
    println!("{}", serde_json::to_string_pretty(&result)?);
    let name = labels.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    golden::keep(&golden_folder("callsites").join(format!("{name}.json")), &result, arguments.keep)
}

/// Judges what was found at a site, and counts it.
fn judge(ours: &Ours, answer: &Answer, found: &[(usize, EdgeTier)], result: &mut SitesResult) -> &'static str {
    let is_own = |node: usize| ours.nodes[node].file.is_some();
    let right: Vec<usize> = match answer {
        Answer::Own(places) => {
            places.iter().flat_map(|(file, line, _)| ours.definition(file, *line, "").to_vec()).collect()
        }
        Answer::External | Answer::Undecidable => Vec::new(),
    };
    let certain: Vec<usize> = found
        .iter()
        .filter(|(node, tier)| *tier == EdgeTier::Certain && is_own(*node))
        .map(|(node, _)| *node)
        .collect();
    let is_right = certain.iter().any(|node| right.contains(node));
    if *answer == Answer::Undecidable {
        return "right";
    }
    result.own += u64::from(matches!(answer, Answer::Own(_)));
    result.nowhere += u64::from(found.is_empty());
    if is_right {
        result.certain += 1;
        return "right";
    }
    if !certain.is_empty() {
        result.wrong += 1;
        return "wrong";
    }
    match answer {
        Answer::External if found.iter().any(|(node, _)| is_own(*node)) => "open",
        Answer::External if !found.is_empty() => {
            result.external += 1;
            "right"
        }
        Answer::Own(_) if found.iter().any(|(node, _)| right.contains(node)) => {
            result.possible += 1;
            "possible"
        }
        _ if found.is_empty() => "nowhere",
        _ => "missed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read() {
        let rows = [
            ("a/b.cs:1:2\texternal", Some(Answer::External)),
            ("a/b.cs:1:2\tundecidable", Some(Answer::Undecidable)),
            ("a/b.cs:1:2\tc.cs:3:4", Some(Answer::Own(vec![("c.cs".to_owned(), 3, 4)]))),
            (
                "a/b.php:1:2\tc.php:3:4 | d.php:5:6",
                Some(Answer::Own(vec![("c.php".to_owned(), 3, 4), ("d.php".to_owned(), 5, 6)])),
            ),
            (
                "a a/b.cs:1:2\tc d.cs:3:4 e f.cs:5:6",
                Some(Answer::Own(vec![("c d.cs".to_owned(), 3, 4), ("e f.cs".to_owned(), 5, 6)])),
            ),
            ("a/b.cs:1:2\tc.cs", None),
            ("a/b.cs:1:2", None),
        ];
        for (row, expected) in rows {
            assert_eq!(parse_row(row).ok().map(|(_, answer)| answer), expected, "{row}");
        }
    }
}
