//! `cargo xtask bench instructions [--write|--check] [--binary FILE]`: indexes a fixed corpus (`benches/corpus.tar.gz`,
//! a folder of real files for each language) on one thread under callgrind and counts the instructions that it takes.
//!
//! Counts hardly depend on the machine or its load, so a change of a few per cent is seen where times differ by a
//! third from run to run. `--write` stores the counts in `benches/instructions.md`; `--check` fails if a language takes
//! more than [`BUDGET`] per cent more than the stored count. Without valgrind nothing is measured, and the command says
//! so.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::{Outcome, repository};

/// Output of `--write`, and what `--check` compares with.
const RESULTS: &str = "benches/instructions.md";
/// The files that are indexed.
const CORPUS: &str = "benches/corpus.tar.gz";
/// Per cent by which a count may exceed the stored one.
const BUDGET: f64 = 2.0;
/// Function of the example whose end closes a folder.
const MARK: &str = "*end_folder*";
/// Crates that do most of the work, and are compiled with optimisation. What they depend on is as tests have it, so
/// that it need not be compiled again.
const OPTIMISED: &[&str] = &["m1nd-engine", "m1nd-graph", "m1nd-lang", "m1nd-link", "m1nd-search"];

/// What one folder of the corpus takes.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    language: String,
    files: usize,
    bytes: u64,
    /// Millions of instructions.
    millions: f64,
}

/// What is done with the counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Show,
    Write,
    Check,
}

pub(super) fn run(args: &[String]) -> Outcome<()> {
    let (mut mode, mut binary) = (Mode::Show, None);
    let mut rest = args.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--write" => mode = Mode::Write,
            "--check" => mode = Mode::Check,
            "--binary" => binary = Some(PathBuf::from(rest.next().ok_or("--binary needs a file")?)),
            other => return Err(format!("unknown argument `{other}`").into()),
        }
    }
    let known = Command::new("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !known.is_ok_and(|status| status.success()) {
        println!("skipped: valgrind is not installed (apt-get install valgrind)");
        return Ok(());
    }
    let binary = binary.map_or_else(build, Ok)?;
    let scratch = tempfile::tempdir()?;
    let folders = unpack(scratch.path())?;
    let rows = count(&binary, &folders, scratch.path())?;
    let page = page(&rows, &compiler()?);
    println!("{page}");
    match mode {
        Mode::Show => Ok(()),
        Mode::Write => Ok(fs::write(repository().join(RESULTS), page)?),
        Mode::Check => check(&rows, &fs::read_to_string(repository().join(RESULTS))?),
    }
}

/// Builds the example `ingest`.
fn build() -> Outcome<PathBuf> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--quiet", "--workspace", "--example", "ingest"]);
    command.args(["--config", "profile.dev.debug=0", "--config", "profile.dev.incremental=false"]);
    for name in OPTIMISED {
        for setting in ["opt-level=1", "debug-assertions=false", "overflow-checks=false", "codegen-units=16"] {
            command.args(["--config", &format!("profile.dev.package.{name}.{setting}")]);
        }
    }
    if !command.current_dir(repository()).status()?.success() {
        return Err("the build of the example failed".into());
    }
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository().join("target"), PathBuf::from);
    Ok(target.join("debug/examples/ingest"))
}

/// Unpacks the corpus; its folders in order of name, one for each language.
fn unpack(scratch: &Path) -> Outcome<Vec<PathBuf>> {
    let mut command = Command::new("tar");
    command.arg("-xzf").arg(repository().join(CORPUS)).arg("-C").arg(scratch);
    if !command.status()?.success() {
        return Err(format!("{CORPUS} could not be unpacked").into());
    }
    let mut folders = Vec::new();
    for entry in fs::read_dir(scratch.join("corpus"))? {
        folders.push(entry?.path());
    }
    folders.sort();
    Ok(folders)
}

/// Indexes each folder under callgrind, which writes its counts at the end of each.
fn count(binary: &Path, folders: &[PathBuf], scratch: &Path) -> Outcome<Vec<Row>> {
    let output = scratch.join("counts");
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--quiet", &format!("--dump-after={MARK}")]);
    command.arg(format!("--callgrind-out-file={}", output.display()));
    command.arg(binary).arg(scratch.join("home")).args(folders);
    command.stdout(Stdio::null());
    if !command.status()?.success() {
        return Err("the example failed under callgrind".into());
    }
    let mut rows = Vec::new();
    for (number, folder) in folders.iter().enumerate() {
        let part = fs::read_to_string(format!("{}.{}", output.display(), number + 1))?;
        let total = read_total(&part).ok_or("callgrind wrote no total")?;
        let (files, bytes) = size_of(folder)?;
        let language = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        rows.push(Row { language, files, bytes, millions: total as f64 / 1e6 });
    }
    Ok(rows)
}

/// The sum of a profile.
fn read_total(profile: &str) -> Option<u64> {
    let line =
        profile.lines().rev().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Number of files below a folder, and their bytes.
fn size_of(folder: &Path) -> Outcome<(usize, u64)> {
    let (mut files, mut bytes, mut work) = (0, 0, vec![folder.to_owned()]);
    while let Some(folder) = work.pop() {
        for entry in fs::read_dir(folder)? {
            let (path, meta) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?)))?;
            if meta.is_dir() {
                work.push(path);
            } else {
                (files, bytes) = (files + 1, bytes + meta.len());
            }
        }
    }
    Ok((files, bytes))
}

/// The compiler that built the program: another one makes other code of the same source.
fn compiler() -> Outcome<String> {
    let output = Command::new("rustc").arg("--version").output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The results page.
fn page(rows: &[Row], compiler: &str) -> String {
    let mut page = format!(
        "# Instructions of an ingest\n\nGenerated by `cargo xtask bench instructions --write` with {compiler}.\nMillions of \
         instructions, counted by callgrind, to index the files of one language in `{CORPUS}`\n(from [these \
         projects](corpus.md)) from scratch on one thread. CI measures them again and fails if a language takes more\n\
         than {BUDGET} % more. Whoever has a reason to spend more writes this page anew and gives the reason in the \
         commit.\n\n\
         | Language | Files | KiB | M instructions | Instructions per byte |\n|---|---:|---:|---:|---:|\n"
    );
    let all = Row {
        language: "all".to_owned(),
        files: rows.iter().map(|row| row.files).sum(),
        bytes: rows.iter().map(|row| row.bytes).sum(),
        millions: rows.iter().map(|row| row.millions).sum(),
    };
    for row in rows.iter().chain([&all]) {
        let Row { language, files, bytes, millions } = row;
        let per_byte = millions * 1e6 / (*bytes).max(1) as f64;
        let _ = writeln!(page, "| {language} | {files} | {} | {millions:.1} | {per_byte:.0} |", bytes >> 10);
    }
    page
}

/// Languages and counts of a results page.
fn read_stored(page: &str) -> impl Iterator<Item = (&str, f64)> {
    page.lines().filter_map(|line| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let (language, millions) = (cells.next()?, cells.nth(2)?);
        Some((language, millions.parse().ok()?))
    })
}

/// Complains about languages that exceed the budget, and about those without a stored count.
fn check(rows: &[Row], page: &str) -> Outcome<()> {
    let now = compiler()?;
    if !page.contains(&now) {
        println!("skipped: {RESULTS} was made with another compiler than {now}; write it again with --write");
        return Ok(());
    }
    let complaints = list_excesses(rows, page);
    if complaints.is_empty() {
        return Ok(());
    }
    let hint = "make it cheaper, or run `cargo xtask bench instructions --write` and give the reason in the commit";
    Err(format!("{}; {hint}", complaints.join("; ")).into())
}

fn list_excesses(rows: &[Row], page: &str) -> Vec<String> {
    let complain = |row: &Row| {
        let Some((_, before)) = read_stored(page).find(|(language, _)| *language == row.language) else {
            return Some(format!("{RESULTS} has no row for {}", row.language));
        };
        let more = 100.0 * (row.millions / before - 1.0);
        (more > BUDGET).then(|| {
            format!("{} takes {:.1} M instructions, {more:.1} % more than {before:.1} M", row.language, row.millions)
        })
    };
    rows.iter().filter_map(complain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(language: &str, millions: f64) -> Row {
        Row { language: language.to_owned(), files: 3, bytes: 2 << 10, millions }
    }

    #[test]
    fn only_what_exceeds_the_budget_is_reported() {
        let page = page(&[row("c", 100.0), row("go", 50.0)], "rustc 1");
        assert_eq!(read_stored(&page).collect::<Vec<_>>(), [("c", 100.0), ("go", 50.0), ("all", 150.0)]);
        assert_eq!(list_excesses(&[row("c", 101.9), row("go", 10.0)], &page), Vec::<String>::new());
        assert_eq!(
            list_excesses(&[row("c", 103.0), row("lua", 1.0)], &page),
            ["c takes 103.0 M instructions, 3.0 % more than 100.0 M", "benches/instructions.md has no row for lua"]
        );
    }

    #[test]
    fn the_total_of_a_profile_is_its_last_sum() {
        assert_eq!(read_total("version: 1\nsummary: 5\nfn=a\n1 2\ntotals: 1234\n"), Some(1234));
        assert_eq!(read_total("version: 1\n"), None);
    }
}
