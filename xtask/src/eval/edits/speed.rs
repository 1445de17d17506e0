//! `eval edits speed`: milliseconds from the call of `apply_batch` for twenty files until a query finds what it wrote.
//! Use an optimised server.

use std::time::Instant;

use m1nd_base::{Cancel, ContentHash, RepoPath};
use m1nd_engine::{FileEntry, FileMark};
use m1nd_query::edits::{EditedFile, delta};
use serde_json::{Value, json};

use super::Request;
use super::project::{Project, git};
use crate::eval::ours::open_indexed;
use crate::{Outcome, percentile};

/// Files of a batch.
const FILES: usize = 20;
/// Batches; the first one, which loads the linker's state, is shown apart.
const BATCHES: usize = 6;
const ENDINGS: &[(&str, &str)] = &[(".py", "def NAME():\n    pass\n"), (".rs", "pub fn NAME() {}\n")];

pub(super) fn run(request: &Request) -> Outcome<()> {
    for name in &request.repositories {
        let mut project = Project::check_out(request, name)?;
        project.serve(request)?;
        let listing = git(&project.root, &["ls-files"])?;
        let files: Vec<(&str, &str)> = listing
            .lines()
            // Hidden files are not indexed, so they are not written.
            .filter(|path| !path.split('/').any(|part| part.starts_with('.')))
            .filter_map(|path| ENDINGS.iter().find(|(end, _)| path.ends_with(end)).map(|(_, code)| (path, *code)))
            .collect();
        if files.len() < FILES {
            return Err(format!("{name} has {} files of code, expected {FILES}", files.len()).into());
        }
        let mut times = Vec::new();
        for batch in 0..BATCHES {
            let chosen = files.iter().skip(batch).step_by(files.len() / FILES).take(FILES);
            let edit = |(number, (path, code)): (usize, &(&str, &str))| -> Outcome<Value> {
                let text = std::fs::read_to_string(project.root.join(path))?;
                let code = code.replace("NAME", &format!("m1nd_eval_{batch}_{number}"));
                Ok(json!({"file_path": path, "new_content": format!("{text}\n{code}")}))
            };
            let edits = chosen.enumerate().map(edit).collect::<Outcome<Vec<_>>>()?;
            let start = Instant::now();
            let (answer, is_error) = project.call("apply_batch", json!({"edits": edits}));
            if is_error || answer["reingested"] != json!(true) {
                return Err(format!("apply_batch: {answer}").into());
            }
            let last = format!("m1nd_eval_{batch}_{}", FILES - 1);
            let (answer, is_error) = project.call("definition", json!({"target": last}));
            times.push(start.elapsed());
            if is_error {
                return Err(format!("definition of {last}: {answer}").into());
            }
        }
        measure_delta(&project, &files)?;
        let first = times.remove(0);
        times.sort();
        println!(
            "{name}: first {:.0} ms, then median {:.0} ms, worst {:.0} ms",
            first.as_secs_f64() * 1e3,
            percentile(&times, 0.5).as_secs_f64() * 1e3,
            times.last().map_or(0.0, |time| time.as_secs_f64() * 1e3)
        );
        project.reset("HEAD")?;
    }
    Ok(())
}

/// Prints what the structural delta costs beside linking the project with a changed file, in this process.
fn measure_delta(project: &Project, files: &[(&str, &str)]) -> Outcome<()> {
    let engine = open_indexed(project.home(), &project.root)?;
    let before = engine.snapshot();
    let cancel = Cancel::new();
    let (mut links, mut deltas) = (Vec::new(), Vec::new());
    for (path, code) in files.iter().step_by(files.len().div_ceil(BATCHES).max(1)) {
        let path = RepoPath::new(path)?;
        let old = before.read_file(&path)?.text;
        let new = format!("{old}\n{}", code.replace("NAME", "m1nd_eval_delta"));
        let mark = |entry: &FileEntry| {
            let hash = if entry.path == path { ContentHash::of(new.as_bytes()) } else { entry.hash };
            FileMark { path: entry.path.as_str().to_owned(), hash, language: entry.language }
        };
        let marks: Vec<FileMark> = before.files().iter().map(mark).collect();
        let content = |of: &str| (of == path.as_str()).then(|| new.as_bytes().to_vec());
        let start = Instant::now();
        let (after, _) = before.at_files(&marks, &content, &cancel)?;
        links.push(start.elapsed());
        let edited = EditedFile { path: &path, before: Some(&old), after: Some(&new) };
        let start = Instant::now();
        delta(&before, &after, &[edited], &cancel)?;
        deltas.push(start.elapsed());
    }
    links.sort();
    deltas.sort();
    let median = |times: &[std::time::Duration]| percentile(times, 0.5).as_secs_f64() * 1e3;
    println!("linking anew: median {:.0} ms; delta: median {:.1} ms", median(&links), median(&deltas));
    Ok(())
}
