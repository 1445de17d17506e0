//! `cargo run --release -p xtask -- bench memory [--write]`: what it costs to read a large memory file, to make ready for
//! searching a large collection of memories, and to search it. `--write` puts the figures in `benches/memory.md`.
//!
//! The texts are made here and are the same on every machine.

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

use m1nd_memory::{Kind, ParseContext, Recall, RecallQuery, Record, RecordId, Source, SourceKind, parse};

use super::{Outcome, processor};
use crate::percentile;

/// Where `--write` puts the table.
const RESULTS: &str = "benches/memory.md";
/// Size of the memory file, in bytes.
const FILE_BYTES: usize = 1 << 20;
/// How often it is read.
const READINGS: usize = 15;
/// Memories that are searched.
const MEMORIES: usize = 10_000;
/// Questions that are asked.
const QUESTIONS: usize = 500;

pub(super) fn run(writes: bool) -> Outcome<()> {
    if cfg!(debug_assertions) {
        return Err("times of an unoptimised build say nothing; run it with `cargo run --release -p xtask --`".into());
    }
    let mut rows = String::new();
    reading(&mut rows)?;
    searching(&mut rows)?;
    print!("{rows}");
    if writes {
        fs::write(RESULTS, page(&rows))?;
    }
    Ok(())
}

/// The page that keeps the figures.
fn page(rows: &str) -> String {
    format!(
        "# Memories\n\nMade by `cargo run --release -p xtask -- bench memory --write` on {}. Times of one machine are not \
         those of\nanother; CPU time where the system tells it, as others use the machine, too (they still share its caches). \
         The texts are made by the benchmark: a \
         memory file as\nsomebody would write it over years, and short memories of which no two are alike. Reading a file of \
         1 MiB is meant to take\nless than 50 ms, 95 of 100 searches in 10,000 memories less than 30 ms.\n\n\
         | What | Median ms | 95 of 100 below ms | Of |\n|---|---:|---:|---|\n{rows}",
        processor()
    )
}

fn reading(rows: &mut String) -> Outcome<()> {
    let text = memory_file(FILE_BYTES);
    let today = "2026-03-01".parse()?;
    let context = ParseContext { project: "/shop", today, kind: SourceKind::MemoryFile, file: ".mind/MEMORY.md" };
    let (times, parsed) = times((0..READINGS).map(|_| || parse(&text, &context)));
    let found = parsed.map_or(0, |parsed| parsed.records.len());
    row(rows, "read a memory file", &times, &format!("{} bytes, {found} memories", text.len()))
}

fn searching(rows: &mut String) -> Outcome<()> {
    let mut random = Random(7);
    let texts: Vec<String> = (0..MEMORIES).map(|_| sentence(&mut random, 6..20, 3)).collect();
    let record = |(number, text): (usize, &String)| {
        let source = Source { kind: SourceKind::MemoryFile, file: ".mind/MEMORY.md".into(), line: 1 };
        let plain = Record::new(RecordId(number as u64), Kind::Learning, text, source);
        Record { content: text.as_str().into(), ..plain }
    };
    let records: std::sync::Arc<[Record]> = texts.iter().enumerate().map(record).collect();
    let (making, recall) = times((0..5).map(|_| || Recall::new(records.clone())));
    row(rows, "make memories ready for searching", &making, &format!("{MEMORIES} memories"))?;
    let Some(recall) = recall else { return Ok(()) };
    let questions: Vec<String> = (0..QUESTIONS).map(|_| sentence(&mut random, 3..8, 1)).collect();
    let (asked, _) = times(questions.iter().map(|question| || recall.search(&RecallQuery::new(question))));
    row(rows, "search them", &asked, &format!("{QUESTIONS} questions"))
}

fn row(rows: &mut String, what: &str, times: &[Duration], of: &str) -> Outcome<()> {
    let at = |share: f64| percentile(times, share).as_secs_f64() * 1e3;
    Ok(writeln!(rows, "| {what} | {:.1} | {:.1} | {of} |", at(0.5), at(0.95))?)
}

/// How long each takes, sorted, and what the last one gives.
fn times<T, W: FnOnce() -> T>(work: impl Iterator<Item = W>) -> (Vec<Duration>, Option<T>) {
    let (mut times, mut last) = (Vec::new(), None);
    for work in work {
        let (clock, before) = (Instant::now(), cpu_time());
        let result = black_box(work());
        let used = before.and_then(|before| cpu_time()?.checked_sub(before));
        times.push(used.unwrap_or_else(|| clock.elapsed()));
        last = Some(result);
    }
    times.sort_unstable();
    (times, last)
}

/// Time that this thread has had a processor, where the system tells it (Linux).
fn cpu_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

/// A linear congruential generator (Knuth, MMIX); the upper half of its bits.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn of(&mut self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len())]
    }
}

const THINGS: &[&str] = &[
    "the payment queue",
    "Redis",
    "the login page",
    "`parse_header`",
    "SQLite",
    "the search index",
    "the upload worker",
    "our rate limiter",
    "the session cookie",
    "Postgres",
    "`src/api/users.ts`",
    "the build cache",
    "the CSV import",
];

const LINES: &[&str] = &[
    "Decided to use {a} instead of {b} because it needs no server ({n}).",
    "Went with {a} over {b}, since deploys of {n} machines are simpler.",
    "Problem: {a} loses {n} rows when {b} restarts.",
    "Bug: {a} times out after {n} seconds if {b} is cold.",
    "Fixed {a}: it no longer times out after {n} seconds.",
    "Learned that {a} needs {n} MB before {b} starts.",
    "TIL: {b} ignores the option {n} of {a}.",
    "Gotcha: {a} wants the path of {b} without a slash -> strip it in step {n}.",
    "Looked through {a} with the team and wrote down how {b} reads its {n} settings.",
    "- [ ] Next: move {a} behind {b}, then measure {n} requests.",
    "The numbers for {a} look fine: {n} a minute, and {b} stays idle most of the day.",
    "Do not call {a} from {b}; it blocks for {n} ms.",
];

/// Parts of the made-up words of which the names in a project consist.
const PARTS: &[&str] = &[
    "cache", "load", "user", "parse", "node", "graph", "token", "page", "write", "lock", "frame", "query", "index",
    "path", "table", "merge", "event", "time", "field", "route",
];

/// What the sentences between names are made of.
const WORDS: &[&str] = &[
    "fails",
    "waits",
    "returns",
    "keeps",
    "drops",
    "before",
    "after",
    "without",
    "empty",
    "stale",
    "connection",
    "request",
    "server",
    "deploy",
    "migration",
    "browser",
    "error",
    "warning",
    "memory",
    "thread",
    "option",
    "default",
    "release",
    "session",
    "timeout",
    "retry",
    "schema",
    "worker",
    "because",
    "instead",
];

/// A sentence of so many words, and names between them.
fn sentence(random: &mut Random, words: Range<usize>, names: usize) -> String {
    let count = words.start + random.below(words.len());
    let mut words: Vec<String> = (0..count).map(|_| random.of(WORDS).to_owned()).collect();
    for _ in 0..names {
        let at = random.below(words.len());
        let number = random.below(50);
        words.insert(at, format!("{}_{}{}{number}", random.of(PARTS), random.of(PARTS), random.of(PARTS)));
    }
    words.join(" ")
}

/// A memory file of about this many bytes: days, decisions with reasons, issues and what fixed them, learnings, plain prose
/// and gotchas.
fn memory_file(bytes: usize) -> String {
    let mut random = Random(1);
    let mut out =
        String::from("# shop\n\n## Project State\n- Goal: sell things\n- Stack: rust, sqlite\n\n## Gotchas\n");
    for number in 0..200 {
        out.push_str(&format!("- {} counts from {number} -> subtract one\n", random.of(THINGS)));
    }
    out.push_str("\n---\n");
    let mut day = 0;
    while out.len() < bytes {
        let (year, month, date) = (2000 + day / 336, day / 28 % 12 + 1, day % 28 + 1);
        out.push_str(&format!("\n## {year}-{month:02}-{date:02} | work on {}\n\n", THINGS[day % THINGS.len()]));
        day += 1;
        for _ in 0..8 {
            let (a, b, number) = (random.of(THINGS), random.of(THINGS), random.below(100_000));
            let line = random.of(LINES).replace("{a}", a).replace("{b}", b).replace("{n}", &number.to_string());
            out.push_str(&line);
            out.push_str(if random.below(3) == 0 { "\n\n" } else { "\n" });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_same_every_time_and_full_of_memories() {
        let text = memory_file(1 << 16);
        assert!(text == memory_file(1 << 16) && text.len() >= 1 << 16);
        let today = "2026-03-01".parse().expect("a date");
        let context = ParseContext { project: "/p", today, kind: SourceKind::MemoryFile, file: "MEMORY.md" };
        let parsed = parse(&text, &context);
        assert!(parsed.records.len() > 250 && !parsed.gotchas.is_empty() && parsed.problems.is_empty());
    }
}
