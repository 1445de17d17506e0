//! `cargo xtask bench torture [--write] [EXTENSION|SHAPE...]`: builds the release binary, indexes each torture text
//! (`m1nd_testkit::torture`) as a file of each language, small and large, and reports what goes over the bars: memory,
//! time, size of the store, and the growth of the time from the small file to the large one. The arguments choose
//! endings (`java`) and shapes (`calls`); all are many and take an hour. `--write` stores the worst in
//! `benches/torture.md`.
//!
//! Each text is indexed by a process of its own that may not take more than [`MOST_MEMORY`].

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use m1nd_lang::Language;
use m1nd_testkit::torture::{SHAPES, Shape};

use super::{Cost, Outcome, cost_of, processor, tree_bytes};

/// Output of `--write`.
const RESULTS: &str = "benches/torture.md";
/// Size of the small text and of the large one, in bytes.
const SIZES: [usize; 2] = [64 << 10, (1 << 20) - 64];
/// Address space of a process, in bytes.
const MOST_MEMORY: u64 = 4 << 30;
/// Memory above that of an empty project, in KiB.
const MEMORY_BAR: u64 = 300 << 10;
/// CPU time of a file, in seconds.
const TIME_BAR: f64 = 5.0;
/// Bytes of the store above that of an empty project, for each byte of the file.
const STORE_BAR: u64 = 20;
/// CPU time of the large text in times of that of the small one: they differ by a factor of 16.
const GROWTH_BAR: f64 = 20.0;
/// CPU time below which growth means nothing, in seconds.
const SHORT: f64 = 0.5;
/// Rows of the report.
const ROWS: usize = 40;

struct Row {
    what: String,
    bytes: usize,
    seconds: f64,
    memory_kib: u64,
    store: u64,
    growth: f64,
    failed: Option<String>,
}

impl Row {
    fn is_over(&self) -> bool {
        self.failed.is_some()
            || self.memory_kib > MEMORY_BAR
            || self.seconds > TIME_BAR
            || self.store > STORE_BAR * self.bytes as u64
            || self.growth > GROWTH_BAR
    }

    fn text(&self) -> String {
        let Self { what, bytes, seconds, memory_kib, store, growth, .. } = self;
        let (memory, times) = (memory_kib >> 10, *store as f64 / (*bytes).max(1) as f64);
        let remark = match (&self.failed, self.is_over()) {
            (Some(error), _) => error.lines().next().unwrap_or_default(),
            (None, true) => "over",
            (None, false) => "",
        };
        format!("| {what} | {bytes} | {seconds:.2} | {memory} | {times:.1} | {growth:.1} | {remark} |")
    }
}

/// Runs `bench torture` with its arguments.
pub(super) fn run(chosen: &[String], writes: bool) -> Outcome<()> {
    let build = Command::new("cargo").args(["build", "--release", "--quiet", "--package", "m1nd-cli"]).status()?;
    if !build.success() {
        return Err("the release build failed".into());
    }
    let binary =
        PathBuf::from(std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".into())).join("release/m1nd");
    let extensions: Vec<&str> = Language::all().filter_map(|language| language.extensions().first().copied()).collect();
    let names = |name: &str| chosen.iter().any(|one| one == name);
    let any_extension = extensions.iter().any(|extension| names(extension));
    let any_shape = SHAPES.iter().any(|shape| names(shape.name));
    let folder = tempfile::tempdir()?;
    let empty = measure(&binary, folder.path(), "a.txt", "")?;
    let mut rows = Vec::new();
    for extension in extensions.iter().filter(|extension| !any_extension || names(extension)) {
        for shape in SHAPES.iter().filter(|shape| !any_shape || names(shape.name)) {
            let row = compare(&binary, folder.path(), &empty, extension, shape);
            if row.is_over() || rows.len() % 50 == 0 {
                println!("{}", row.text());
            }
            rows.push(row);
        }
    }
    let over = rows.iter().filter(|row| row.is_over()).count();
    println!("{} texts, {over} over the bars", rows.len());
    if writes {
        fs::write(RESULTS, page(rows, over))?;
    }
    if over > 0 { Err(format!("{over} texts cost too much").into()) } else { Ok(()) }
}

/// Indexes a shape in both sizes.
fn compare(binary: &Path, folder: &Path, empty: &(Cost, u64), extension: &str, shape: &Shape) -> Row {
    let what = format!("{extension}: {}", shape.name);
    let mut row = Row { what, bytes: 0, seconds: 0.0, memory_kib: 0, store: 0, growth: 0.0, failed: None };
    for bytes in SIZES {
        let (path, text) = shape.file(extension, bytes);
        let (cost, store) = match measure(binary, folder, path.as_str(), &text) {
            Ok(measured) => measured,
            Err(error) => return Row { bytes, failed: Some(error.to_string()), ..row },
        };
        let seconds = cost.cpu.saturating_sub(empty.0.cpu).as_secs_f64();
        row.growth =
            if row.seconds > 0.0 && seconds > SHORT { seconds / row.seconds.max(SHORT / GROWTH_BAR) } else { 0.0 };
        row.memory_kib = cost.anonymous_kib.saturating_sub(empty.0.anonymous_kib);
        (row.bytes, row.seconds, row.store) = (text.len(), seconds, store.saturating_sub(empty.1));
    }
    row
}

/// Cost of indexing a folder with one file, and the size of the store.
fn measure(binary: &Path, folder: &Path, name: &str, text: &str) -> Outcome<(Cost, u64)> {
    let (project, home) = (folder.join("project"), folder.join("home"));
    for folder in [&project, &home] {
        let _ = fs::remove_dir_all(folder);
    }
    fs::create_dir_all(&project)?;
    fs::write(project.join(name), text)?;
    let mut command = Command::new("prlimit");
    command.arg(format!("--as={MOST_MEMORY}")).arg(binary);
    command.arg("--home").arg(&home).arg("--json").arg("ingest").arg(&project);
    let cost = cost_of(&mut command)?;
    Ok((cost, tree_bytes(&home)?))
}

/// The results page.
fn page(mut rows: Vec<Row>, over: usize) -> String {
    rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let mut page = format!(
        "# Torture\n\nGenerated by `cargo xtask bench torture --write` on {}. Texts that cost a careless program more \
         than their size, as a\nfile of each language, {} KiB and 1 MiB. Figures are those of the larger, beyond an empty \
         project. Bars: {} MiB of memory,\n{TIME_BAR} s of CPU time, a store of {STORE_BAR} times the file, and {GROWTH_BAR} \
         times the time of the smaller text. {} texts, {over} over the bars; the slowest:\n\n\
         | Text | Bytes | CPU s | MiB | Store / file | Growth | |\n|---|---:|---:|---:|---:|---:|---|\n",
        processor(),
        SIZES[0] >> 10,
        MEMORY_BAR >> 10,
        rows.len(),
    );
    for row in rows.iter().take(ROWS) {
        let _ = writeln!(page, "{}", row.text());
    }
    page
}
