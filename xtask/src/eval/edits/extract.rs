//! `eval edits extract`: after lines of a function have become a function, the project compiles as before.
//!
//! The lines are whole statements of a block, from one to `MAX_STATEMENTS`, at least `MIN_LINES` lines. Blocks are
//! chosen evenly at random from those of all files that the compiler checks.

use m1nd_base::{Cancel, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_lang::local_code::list_blocks;
use m1nd_testkit::Random;
use serde_json::json;

use super::Request;
use super::compilers::Checked;
use super::project::Project;
use super::refactorings::{self, Operation};
use crate::Outcome;
use crate::eval::ours::open_indexed;

const MAX_STATEMENTS: usize = 6;
const MIN_LINES: u32 = 3;

pub(super) fn run(request: &Request) -> Outcome<()> {
    refactorings::run(request, "extract.json", sample)
}

fn sample(request: &Request, checked: &Checked, project: &Project) -> Outcome<Vec<Operation>> {
    let engine = open_indexed(project.home(), &project.root)?;
    let mut blocks = list_all_blocks(&engine.snapshot(), checked);
    let mut random = Random::new(request.seed);
    let mut chosen = Vec::new();
    while chosen.len() < request.samples && !blocks.is_empty() {
        let (path, block) = blocks.swap_remove(random.below(blocks.len()));
        let first = random.below(block.len());
        let last = (first + random.below(MAX_STATEMENTS)).min(block.len() - 1);
        let (start, end) = (block[first].0, block[last].1);
        if end - start + 1 < MIN_LINES {
            continue;
        }
        let name = match checked.language {
            "Python" | "Rust" => format!("extracted_part_{}", chosen.len()),
            _ => format!("extractedPart{}", chosen.len()),
        };
        let arguments = json!({
            "operation": "extract_function", "file_path": path, "start_line": start, "end_line": end, "name": name,
        });
        chosen.push(Operation { path, arguments });
    }
    Ok(chosen)
}

/// The blocks of all functions in files that the compiler checks.
fn list_all_blocks(snapshot: &Snapshot, checked: &Checked) -> Vec<(String, Vec<(u32, u32)>)> {
    let mut blocks = Vec::new();
    for entry in snapshot.files().iter().filter(|entry| checked.covers(entry.path.as_str())) {
        let Ok(path) = RepoPath::new(entry.path.as_str()) else { continue };
        let Ok(source) = snapshot.read_file(&path) else { continue };
        let found = list_blocks(entry.language, &source.text, snapshot.limits(), &Cancel::new());
        blocks.extend(found.into_iter().map(|block| (entry.path.as_str().to_owned(), block)));
    }
    blocks.sort();
    blocks
}
