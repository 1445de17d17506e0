//! `cargo xtask eval formats`: what is read of public documents, compared with what others read of them. Records
//! (BibTeX, JATS, RFCs, Crossref, L1GHT) are compared by the number of their fields, counted by a plain scan of the
//! text that shares no code with the readers; PDF and Word files by the words that `pdftotext` and `pandoc` find, in
//! order. The documents stay outside of the repository: a list names repository, commit and path of each.

mod fields;
mod speed;
mod words;

use std::fs;
use std::path::Path;
use std::process::Command;

use super::golden_folder;
use crate::Outcome;

const USAGE: &str = "expected: cargo xtask eval formats --mirror DIR [--check | --write] [--explain N]
or: cargo xtask eval formats --markdown DIR";

/// A document of the list.
struct Row<'l> {
    /// Word of its format.
    format: &'l str,
    /// `owner/name`.
    repository: &'l str,
    commit: &'l str,
    path: &'l str,
}

/// Runs the command.
pub(super) fn run(args: &[String]) -> Outcome<()> {
    let after = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    if let Some(folder) = after("--markdown") {
        return speed::run(Path::new(folder));
    }
    let Some(mirror) = after("--mirror") else { return Err(USAGE.into()) };
    let explained: usize = after("--explain").map_or(Ok(0), |text| text.parse().map_err(|_| USAGE))?;
    let folder = golden_folder("formats");
    let list = fs::read_to_string(folder.join("files.tsv"))?;
    let rows = list.lines().skip(1).filter_map(|line| {
        let mut cells = line.split('\t');
        Some(Row { format: cells.next()?, repository: cells.next()?, commit: cells.next()?, path: cells.next()? })
    });
    let (mut of_fields, mut of_words) = (fields::Table::default(), words::Table::default());
    for row in rows {
        let Some(bytes) = content(Path::new(mirror), &row)? else {
            println!("not in the mirror: {} {}", row.repository, row.path);
            continue;
        };
        match row.format {
            "pdf" | "docx" => of_words.add(&row, &bytes)?,
            _ => of_fields.add(&row, &bytes, explained),
        }
    }
    let tables = [("fields.tsv", of_fields.finish()), ("words.tsv", of_words.finish(explained))];
    for (name, table) in tables {
        let golden = folder.join(name);
        if args.iter().any(|arg| arg == "--write") {
            fs::write(&golden, &table)?;
        }
        if args.iter().any(|arg| arg == "--check") && fs::read_to_string(&golden)? != table {
            return Err(format!("{} differs; look at the rows and repeat with --write", golden.display()).into());
        }
    }
    Ok(())
}

/// A document at its commit; `None` if the mirror does not have it.
fn content(mirror: &Path, row: &Row<'_>) -> Outcome<Option<Vec<u8>>> {
    let folder = mirror.join(row.repository.replace('/', "+")).join("repo");
    let spec = format!("{}:{}", row.commit, row.path);
    let shown = Command::new("git").arg("--git-dir").arg(&folder).args(["cat-file", "blob", &spec]).output()?;
    Ok(shown.status.success().then_some(shown.stdout))
}
