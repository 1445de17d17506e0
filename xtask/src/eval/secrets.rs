//! `cargo xtask eval secrets`: how many lines of public repositories are taken for secrets. Every alarm counts, also
//! those of keys and passwords that tests of these repositories really hold, so the share of false ones is lower.

use std::fs;
use std::path::{Path, PathBuf};

use m1nd_base::secrets::find;

use super::golden_folder;
use crate::Outcome;

const USAGE: &str = "expected: cargo xtask eval secrets --checkouts DIR [--check | --write] [--explain N]";
/// Largest file that is read, in bytes.
const MAX_FILE: u64 = 1 << 20;
/// Least number of lines of all repositories for each alarm.
const LINES_PER_ALARM: usize = 2_000;

/// Runs the command.
pub(super) fn run(args: &[String]) -> Outcome<()> {
    let after = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let Some(checkouts) = after("--checkouts") else { return Err(USAGE.into()) };
    let mut explained: usize = after("--explain").map_or(Ok(0), |text| text.parse().map_err(|_| USAGE))?;
    let mut repositories: Vec<PathBuf> =
        fs::read_dir(checkouts)?.map(|entry| Ok(entry?.path())).collect::<Outcome<_>>()?;
    repositories.sort();
    let (mut table, mut all) = (String::from("repository\tlines\talarms\n"), (0, 0));
    for repository in repositories.iter().filter(|path| path.is_dir()) {
        let (lines, alarms) = count_alarms(repository, &mut explained)?;
        let name = repository.file_name().unwrap_or_default().to_string_lossy();
        table.push_str(&format!("{name}\t{lines}\t{alarms}\n"));
        all = (all.0 + lines, all.1 + alarms);
    }
    table.push_str(&format!("all\t{}\t{}\n", all.0, all.1));
    println!("{table}one alarm in {} lines", all.0 / all.1.max(1));
    let golden = golden_folder("secrets").join("alarms.tsv");
    if args.iter().any(|arg| arg == "--write") {
        fs::create_dir_all(golden_folder("secrets"))?;
        fs::write(&golden, &table)?;
    }
    if args.iter().any(|arg| arg == "--check") && fs::read_to_string(&golden)? != table {
        return Err(format!("{} differs; look at the rows and repeat with --write", golden.display()).into());
    }
    match all.1 * LINES_PER_ALARM > all.0 {
        true => Err(format!("more than one alarm in {LINES_PER_ALARM} lines").into()),
        false => Ok(()),
    }
}

/// Lines that are not blank, and those of them with an alarm.
fn count_alarms(repository: &Path, explained: &mut usize) -> Outcome<(usize, usize)> {
    let (mut lines, mut alarms) = (0, 0);
    let mut folders = vec![repository.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let (entry, path) = entry.map(|entry| (entry.file_type(), entry.path()))?;
            let kind = entry?;
            if kind.is_dir() && path.file_name().is_some_and(|name| name != ".git") {
                folders.push(path);
                continue;
            }
            if !kind.is_file() || fs::metadata(&path)?.len() > MAX_FILE {
                continue;
            }
            let Ok(text) = fs::read_to_string(&path) else { continue };
            lines += text.lines().filter(|line| !line.trim().is_empty()).count();
            let mut found = find(&text);
            found.dedup_by_key(|secret| secret.line);
            alarms += found.len();
            for secret in found.iter().take(*explained) {
                println!("{}:{} {}", path.display(), secret.line, secret.kind);
            }
            *explained = explained.saturating_sub(found.len());
        }
    }
    Ok((lines, alarms))
}
