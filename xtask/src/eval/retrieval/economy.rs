//! `cargo xtask eval economy`: how many bytes an agent reads until a function that the fix changed is on its screen.
//!
//! Three ways are compared on the same texts: `seek` and then `view` of those of its rows whose code it does not show
//! whole, in order, page by page, with answers
//! as text and as JSON; and a search for the rarest names of the text, as `rg -n -w` prints it, and then windows of
//! lines around the matches, files with the most names first. Bytes are those of the answers. A way that has not
//! shown the function after [`MAX_READS`] readings has missed it. Text and JSON are compared over the texts for which
//! both showed it, text and the search over those for which both of these did.

use std::collections::BTreeSet;
use std::path::PathBuf;

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::{Engine, Snapshot};
use m1nd_mind::MindConfig;
use m1nd_tools::{Context, Format, Reply, Services, TOOLS, text_of};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::localize::{Request, Row, for_each_engine};
use crate::Outcome;
use crate::eval::golden::Keep;

/// Readings after which a way has missed the function.
const MAX_READS: usize = 20;
/// Rows of a page, as a text has them.
const PAGE: usize = 8;
/// Names of the text that are searched for, the rarest.
const NAMES: usize = 3;
/// Shortest name that is searched for, in bytes.
const SHORTEST_NAME: usize = 4;
/// Lines around a match that are read.
const WINDOW: usize = 30;

/// Bytes that each way took for a row; `None` where it missed.
#[derive(Debug, Clone, Default)]
struct Taken {
    text: Option<usize>,
    json: Option<usize>,
    search: Option<usize>,
}

/// Bytes of `seek` and `view` as text against another way, over the texts for which both showed the function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Pair {
    texts: usize,
    median_text: usize,
    median_other: usize,
    mean_text: usize,
    mean_other: usize,
}

impl Pair {
    fn of(taken: &[Taken], other: fn(&Taken) -> Option<usize>) -> Self {
        let pairs: Vec<(usize, usize)> = taken.iter().filter_map(|row| Some((row.text?, other(row)?))).collect();
        let median = |bytes: &mut dyn Iterator<Item = usize>| {
            let mut bytes: Vec<usize> = bytes.collect();
            bytes.sort_unstable();
            bytes.get(bytes.len() / 2).copied().unwrap_or(0)
        };
        let mean = |bytes: &mut dyn Iterator<Item = usize>| bytes.sum::<usize>() / pairs.len().max(1);
        Self {
            texts: pairs.len(),
            median_text: median(&mut pairs.iter().map(|pair| pair.0)),
            median_other: median(&mut pairs.iter().map(|pair| pair.1)),
            mean_text: mean(&mut pairs.iter().map(|pair| pair.0)),
            mean_other: mean(&mut pairs.iter().map(|pair| pair.1)),
        }
    }
}

/// What is kept of a set of rows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Economy {
    format_version: u32,
    /// Texts whose fix changed a function that the index has.
    rows: usize,
    /// Texts for which each way showed it.
    hits_text: usize,
    hits_json: usize,
    hits_search: usize,
    /// Texts for which text and JSON both showed it, and their bytes.
    with_json: Pair,
    /// Texts for which text and the search both showed it, and their bytes.
    with_search: Pair,
}

pub(in crate::eval) fn run(args: &[String]) -> Outcome<()> {
    let request = Request::parse(args)?;
    let mut taken = Vec::new();
    for file in &request.rows {
        let rows = request.rows_of(file)?;
        taken.extend(for_each_engine(&request, &rows, measure)?.into_iter().flatten().flatten());
    }
    let economy = Economy::of(&taken);
    println!("{}", economy.table());
    let names: Vec<String> =
        request.rows.iter().filter_map(|file| Some(file.file_stem()?.to_string_lossy().into_owned())).collect();
    keep_json(&economy, "economy", &names.join("+"), request.keep)
}

/// Writes a result as `eval/<kind>/<name>.json`, or compares it with that.
pub(in crate::eval) fn keep_json(result: &impl Serialize, kind: &str, name: &str, keep: Keep) -> Outcome<()> {
    let path: PathBuf = crate::eval::golden_folder(kind).join(format!("{name}.json"));
    let text = serde_json::to_string_pretty(result)? + "\n";
    match keep {
        Keep::Print => Ok(()),
        Keep::Write => {
            std::fs::create_dir_all(crate::eval::golden_folder(kind))?;
            std::fs::write(&path, text).map_err(Into::into)
        }
        Keep::Check if std::fs::read_to_string(&path)? == text => Ok(()),
        Keep::Check => Err(format!("{} differs from this result", path.display()).into()),
    }
}

/// `None` if the index has none of the functions that the fix changed.
fn measure(row: &Row, engine: &Engine) -> Outcome<Option<Taken>> {
    let snapshot = engine.snapshot();
    let row = row.with_functions(&snapshot);
    let gold: Vec<(String, usize)> = row
        .gold_funcs
        .iter()
        .flat_map(|(path, functions)| functions.iter().map(|one| (path.clone(), one.line as usize)))
        .filter(|(path, _)| snapshot.graph().find_file(path).is_some())
        .collect();
    if gold.is_empty() {
        return Ok(None);
    }
    let mind = MindConfig { home: std::env::temp_dir().join("none"), places: Vec::new(), named: 0 };
    let services = Services::over(engine.clone(), mind);
    Ok(Some(Taken {
        text: by_seek(&services, &row.query, &gold, Format::Text)?,
        json: by_seek(&services, &row.query, &gold, Format::Json)?,
        search: by_search(&snapshot, &row.query, &gold),
    }))
}

fn by_seek(services: &Services, query: &str, gold: &[(String, usize)], format: Format) -> Outcome<Option<usize>> {
    let cancel = Cancel::new();
    let context = Context { reads_history: true, ..Context::new(services, TOOLS, &cancel, &NoProgress) };
    let call = |tool: &str, arguments: Value, format: Format| -> Outcome<(usize, Value)> {
        let tool = m1nd_tools::find(tool).ok_or_else(|| format!("no tool `{tool}`"))?;
        match tool.reply(&context, arguments, format) {
            Ok(Reply::Text(text)) => Ok((text.len(), Value::Null)),
            Ok(Reply::Json(body)) => Ok((text_of(&body).len(), body)),
            Err(error) => Err(error.to_string().into()),
        }
    };
    let mut question = json!({"agent_id": "eval", "query": query, "top_k": PAGE});
    let (mut bytes, mut reads) = (0, 0);
    // Page by page, as long as rows are left.
    loop {
        bytes += call("seek", question.clone(), format)?.0;
        let (_, body) = call("seek", question.clone(), Format::Json)?;
        for row in body["results"].as_array().into_iter().flatten() {
            if reads == MAX_READS {
                return Ok(None);
            }
            let shown = numbers_of(row["body"].as_str().unwrap_or_default());
            if gold.iter().any(|(path, line)| row["file_path"] == **path && shown.contains(line)) {
                return Ok(Some(bytes));
            }
            // Its code is read already.
            if row["line_end"].as_u64().is_some_and(|last| shown.contains(&(last as usize))) && !has_gap(&shown) {
                continue;
            }
            reads += 1;
            let target = json!({"agent_id": "eval", "file_path": row["node_id"]});
            let Ok((read, _)) = call("view", target.clone(), format) else { continue };
            let (_, shown) = call("view", target, Format::Json)?;
            bytes += read;
            let lines =
                shown["line_start"].as_u64().unwrap_or(0) as usize..=shown["line_end"].as_u64().unwrap_or(0) as usize;
            if gold.iter().any(|(path, line)| shown["file_path"] == **path && lines.contains(line)) {
                return Ok(Some(bytes));
            }
        }
        match body["cursor"].as_str() {
            Some(cursor) => question["cursor"] = cursor.into(),
            None => return Ok(None),
        }
    }
}

/// The numbers of the lines of an excerpt.
fn numbers_of(body: &str) -> Vec<usize> {
    body.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect()
}

fn has_gap(lines: &[usize]) -> bool {
    lines.windows(2).any(|pair| pair[0] + 1 < pair[1])
}

/// A file with its text, and the numbers of its lines that hold each name.
struct Matched<'s> {
    path: &'s str,
    lines: Vec<String>,
    matches: Vec<Vec<usize>>,
}

fn by_search(snapshot: &Snapshot, query: &str, gold: &[(String, usize)]) -> Option<usize> {
    let names = names_of(query);
    let mut files: Vec<Matched<'_>> = Vec::new();
    for file in snapshot.files().iter() {
        let Ok(source) = snapshot.read_file(&file.path) else { continue };
        let lines: Vec<String> = source.text.lines().map(str::to_owned).collect();
        let of = |name: &String| (0..lines.len()).filter(|at| words(&lines[*at]).any(|word| word == name)).collect();
        let matches: Vec<Vec<usize>> = names.iter().map(of).collect();
        if matches.iter().any(|of_name| !of_name.is_empty()) {
            files.push(Matched { path: file.path.as_str(), lines, matches });
        }
    }
    let count = |name: usize| files.iter().map(|file| file.matches[name].len()).sum::<usize>();
    let mut rarest: Vec<usize> = (0..names.len()).filter(|name| count(*name) > 0).collect();
    rarest.sort_by_key(|name| (count(*name), *name));
    rarest.truncate(NAMES);
    let mut bytes = 0;
    for file in &files {
        for line in rarest.iter().flat_map(|name| &file.matches[*name]) {
            bytes += file.path.len() + (line + 1).to_string().len() + file.lines[*line].len() + 3;
        }
    }
    files.sort_by_key(|file| {
        let met = rarest.iter().filter(|name| !file.matches[**name].is_empty()).count();
        let all: usize = rarest.iter().map(|name| file.matches[*name].len()).sum();
        (std::cmp::Reverse((met, all)), file.path)
    });
    let mut reads = 0;
    for file in &files {
        let hits: BTreeSet<usize> = rarest.iter().flat_map(|name| file.matches[*name].iter().copied()).collect();
        let mut seen = 0;
        for hit in hits {
            let (start, end) = (hit.saturating_sub(WINDOW).max(seen), (hit + WINDOW).min(file.lines.len()));
            if start >= end {
                continue;
            }
            if reads == MAX_READS {
                return None;
            }
            reads += 1;
            bytes += file.lines[start..end].iter().map(|line| line.len() + 6).sum::<usize>();
            seen = end;
            if gold.iter().any(|(path, line)| path == file.path && (start + 1..=end).contains(line)) {
                return Some(bytes);
            }
        }
    }
    None
}

/// The names of a text: words that code could have.
fn names_of(text: &str) -> Vec<String> {
    let mut names: Vec<String> = words(text)
        .filter(|word| word.len() >= SHORTEST_NAME && word.chars().any(char::is_alphabetic))
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    names
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

impl Economy {
    fn of(taken: &[Taken]) -> Self {
        let hits = |of: fn(&Taken) -> Option<usize>| taken.iter().filter(|row| of(row).is_some()).count();
        Self {
            format_version: 1,
            rows: taken.len(),
            hits_text: hits(|row| row.text),
            hits_json: hits(|row| row.json),
            hits_search: hits(|row| row.search),
            with_json: Pair::of(taken, |row| row.json),
            with_search: Pair::of(taken, |row| row.search),
        }
    }

    fn table(&self) -> String {
        let row = |pair: &Pair, name: &str| {
            let Pair { texts, median_text, median_other, mean_text, mean_other } = pair;
            format!("| {name} | {texts} | {median_text} / {median_other} | {mean_text} / {mean_other} |")
        };
        format!(
            "{} texts; shown by text {}, JSON {}, names + reading {}\n\
             | text against | texts | median bytes | mean bytes |\n|---|---|---|---|\n{}\n{}",
            self.rows,
            self.hits_text,
            self.hits_json,
            self.hits_search,
            row(&self.with_json, "JSON"),
            row(&self.with_search, "names + reading")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_compared_where_both_ways_showed_the_function() {
        let row = |text, json, search| Taken { text, json, search };
        let economy =
            Economy::of(&[row(Some(10), Some(40), Some(80)), row(Some(20), Some(60), None), row(None, None, Some(9))]);
        assert_eq!((economy.rows, economy.hits_text, economy.hits_search), (3, 2, 2));
        let json = Pair { texts: 2, median_text: 20, median_other: 60, mean_text: 15, mean_other: 50 };
        let search = Pair { texts: 1, median_text: 10, median_other: 80, mean_text: 10, mean_other: 80 };
        assert_eq!((economy.with_json, economy.with_search), (json, search));
    }

    #[test]
    fn lines_of_an_excerpt_are_known_by_their_numbers() {
        let lines = numbers_of(" 9  fn a() {\n10  }\n…\n12  1\n");
        assert_eq!(lines, [9, 10, 12]);
        assert!(has_gap(&lines) && !has_gap(&lines[..2]));
    }

    #[test]
    fn names_are_words_that_code_could_have() {
        assert_eq!(names_of("The `fast_find` of 2021, a-b: WordMatcher"), ["WordMatcher", "fast_find"]);
    }
}
