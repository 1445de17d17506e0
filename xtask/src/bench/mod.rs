//! `cargo xtask bench find [--write] PATH...`: see [`find`]. `cargo xtask bench ingest [--write] PATH...`: builds the release binary, indexes each PATH from nothing in a fresh store,
//! and prints what it cost, beside `ctags -R` on the same tree where that is installed. Then a second run over the warm
//! facts cache. `--write` also puts the figures in `benches/ingest.md`.
//!
//! Times of one machine are not those of another: what counts is the ratio of runs made side by side.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

mod find;
mod memory;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Where `--write` puts the table.
const RESULTS: &str = "benches/ingest.md";

/// What a finished program cost.
struct Cost {
    wall: Duration,
    /// User and system time of the process and its threads.
    cpu: Duration,
    peak_kib: u64,
    /// Most memory that was not mapped from files.
    anonymous_kib: u64,
    stdout: String,
}

/// Runs `bench` with its arguments.
pub(crate) fn run(args: &[String]) -> Outcome<()> {
    let usage = "expected: cargo xtask bench ingest|find [--write] PATH... | bench memory [--write]";
    let [what, rest @ ..] = args else { return Err(usage.into()) };
    let writes = rest.first().is_some_and(|first| first == "--write");
    let paths = &rest[usize::from(writes)..];
    if what == "memory" && paths.is_empty() {
        return memory::run(writes);
    }
    if paths.is_empty() {
        return Err(usage.into());
    }
    match what.as_str() {
        "ingest" => ingest(paths, writes),
        "find" => find::run(paths, writes),
        _ => Err(format!("unknown benchmark `{what}`; {usage}").into()),
    }
}

fn ingest(paths: &[String], writes: bool) -> Outcome<()> {
    let build = Command::new("cargo").args(["build", "--release", "--quiet", "--package", "m1nd-cli"]).status()?;
    if !build.success() {
        return Err("the release build failed".into());
    }
    let binary =
        PathBuf::from(std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".into())).join("release/m1nd");
    let home = std::env::temp_dir().join(format!("m1nd-bench-{}", std::process::id()));
    let mut rows = String::new();
    for path in paths {
        let path = fs::canonicalize(path).map_err(|error| format!("{path}: {error}"))?;
        let result = measure(&binary, &path, &home, &mut rows);
        let _ = fs::remove_dir_all(&home);
        result?;
    }
    if writes {
        fs::create_dir_all("benches")?;
        fs::write(RESULTS, page(&rows))?;
    }
    Ok(())
}

/// The page that keeps the figures.
fn page(rows: &str) -> String {
    format!(
        "# Ingest\n\nMade by `cargo xtask bench ingest --write PATH...` on {}. Times of one machine \
         are not those of\nanother: compare what runs side by side, above all with `ctags -R`, and CPU time rather than \
         wall time where others use\nthe machine too. `cold` starts with no facts, `warm` has the facts of every file in \
         the cache. Peak is all memory, files\nmapped for reading included. Parsing (with reading the files and the cache of \
         facts) and linking are stages of the whole,\nin wall time; linking a tree is meant to stay below parsing it \
         cold.\n\n\
         | Tree | Run | Wall s | CPU s | Peak MiB | of that anonymous | Parsing s | Linking s | MB/s | Lines | Files | \
         Nodes | Edges |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n{rows}",
        processor()
    )
}

/// Cores and processor of this machine.
fn processor() -> String {
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = about.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':').map(|row| row.1.trim()));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{cores} cores of {}", model.unwrap_or("an unknown processor"))
}

fn measure(binary: &Path, path: &Path, home: &Path, rows: &mut String) -> Outcome<()> {
    let bytes = tree_bytes(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for title in ["cold", "warm"] {
        let mut command = Command::new(binary);
        command.arg("--home").arg(home).arg("--json").arg("ingest").arg(path);
        let cost = cost_of(&mut command)?;
        let report: Value =
            serde_json::from_str(&cost.stdout).map_err(|error| format!("unreadable report: {error}"))?;
        show(title, &cost, &report, bytes);
        let number = |key: &str| report.get(key).and_then(Value::as_u64).unwrap_or(0);
        let (files, nodes, edges) = (number("files_scanned"), number("node_count"), number("edge_count"));
        let (parsing, linking) = (stage(&report, "parsing"), stage(&report, "linking"));
        let speed = bytes as f64 / 1e6 / cost.wall.as_secs_f64();
        writeln!(
            rows,
            "| {name} | {title} | {} | {parsing:.1} | {linking:.1} | {speed:.1} | {} | {files} | {nodes} | {edges} |",
            figures(&cost),
            number("lines")
        )?;
        // Keep the facts, drop what is derived from them.
        let _ = fs::remove_dir_all(home.join("projects"));
    }
    let mut ctags = Command::new("ctags");
    ctags.args(["-R", "-f", "/dev/null"]).arg(path);
    match cost_of(&mut ctags) {
        Ok(cost) => {
            println!(
                "ctags -R             wall {:7.2} s   cpu {:7.2} s   peak {:6} MiB",
                cost.wall.as_secs_f64(),
                cost.cpu.as_secs_f64(),
                cost.peak_kib >> 10
            );
            writeln!(rows, "| {name} | `ctags -R` | {} | | | | | | | |", figures(&cost))?;
        }
        Err(error) => println!("ctags -R             not run: {error} (Debian package universal-ctags)"),
    }
    Ok(())
}

/// Seconds that a stage of an ingest took, 0 if it had none of the name.
fn stage(report: &Value, name: &str) -> f64 {
    let rows = report.get("stages_ms").and_then(Value::as_array);
    let of_stage = rows.into_iter().flatten().filter(|row| row.get("stage").and_then(Value::as_str) == Some(name));
    of_stage.filter_map(|row| row.get("ms")?.as_f64()).sum::<f64>() / 1e3
}

/// Times and memory as cells of the table.
fn figures(cost: &Cost) -> String {
    let (wall, cpu) = (cost.wall.as_secs_f64(), cost.cpu.as_secs_f64());
    format!("{wall:.1} | {cpu:.1} | {} | {}", cost.peak_kib >> 10, cost.anonymous_kib >> 10)
}

fn show(title: &str, cost: &Cost, report: &Value, bytes: u64) {
    let number = |key: &str| report.get(key).and_then(Value::as_u64).unwrap_or(0);
    let seconds = cost.wall.as_secs_f64();
    println!(
        "{title:20} wall {seconds:7.2} s   cpu {:7.2} s   peak {:6} MiB (anonymous {} MiB)   {:.0} files/s   {:.1} MB/s",
        cost.cpu.as_secs_f64(),
        cost.peak_kib >> 10,
        cost.anonymous_kib >> 10,
        number("files_scanned") as f64 / seconds,
        bytes as f64 / 1e6 / seconds,
    );
    println!(
        "{:20} {} files, {} lines, {} nodes, {} edges; parsing {:.2} s, linking {:.2} s",
        "",
        number("files_scanned"),
        number("lines"),
        number("node_count"),
        number("edge_count"),
        stage(report, "parsing"),
        stage(report, "linking"),
    );
    let Some(tiers) = report.get("references").and_then(Value::as_object) else { return };
    let total: u64 = tiers.values().filter_map(Value::as_u64).sum();
    let shares = tiers.iter().map(|(tier, count)| {
        let count = count.as_u64().unwrap_or(0);
        format!("{tier} {:.1} %", 100.0 * count as f64 / total.max(1) as f64)
    });
    println!("{:20} of {total} references: {}", "", shares.collect::<Vec<_>>().join(", "));
}

/// Runs a program to its end, watching its memory and time through `/proc`.
fn cost_of(command: &mut Command) -> Outcome<Cost> {
    /// Between two looks at the process.
    const LOOK: Duration = Duration::from_millis(5);
    let output = std::env::temp_dir().join(format!("m1nd-bench-out-{}", std::process::id()));
    let start = Instant::now();
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::null()).stdout(fs::File::create(&output)?).spawn()?;
    let (mut peak_kib, mut anonymous_kib, mut cpu) = (0, 0, Duration::ZERO);
    let status = loop {
        let folder = format!("/proc/{}", child.id());
        peak_kib = peak_kib.max(memory(&folder, "VmHWM:").unwrap_or(0));
        anonymous_kib = anonymous_kib.max(memory(&folder, "RssAnon:").unwrap_or(0));
        cpu = cpu.max(cpu_time(&folder).unwrap_or_default());
        if let Some(status) = child.try_wait()? {
            break status;
        }
        sleep(LOOK);
    };
    let wall = start.elapsed();
    let stdout = fs::read_to_string(&output).unwrap_or_default();
    let _ = fs::remove_file(&output);
    if !status.success() {
        return Err(format!("ended with {status}: {stdout}").into());
    }
    Ok(Cost { wall, cpu, peak_kib, anonymous_kib, stdout })
}

/// A row of the process's status, in KiB.
fn memory(folder: &str, row: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("{folder}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(row))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn cpu_time(folder: &str) -> Option<Duration> {
    /// Ticks a second that the kernel reports in.
    const TICKS: u64 = 100;
    let stat = fs::read_to_string(format!("{folder}/stat")).ok()?;
    // The second field may hold spaces; what follows it does not. Fields 14 and 15 are user and system time.
    let rest = stat.rsplit_once(')')?.1;
    let mut fields = rest.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Duration::from_millis((user + system) * 1000 / TICKS))
}

fn tree_bytes(path: &Path) -> Outcome<u64> {
    let mut bytes = 0;
    let mut work = vec![path.to_owned()];
    while let Some(folder) = work.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() && entry.file_name() != ".git" {
                work.push(entry.path());
            } else if kind.is_file() {
                bytes += entry.metadata()?.len();
            }
        }
    }
    Ok(bytes)
}
