//! `eval edits speed`: milliseconds from the call of `apply_batch` for twenty files until a query finds what it wrote.
//! Use an optimised server.

use std::time::Instant;

use serde_json::{Value, json};

use super::Request;
use super::project::{Project, git};
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
