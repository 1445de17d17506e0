//! Precision and recall of the parser on labelled lines, half of which are traps.

#![expect(clippy::print_stdout, reason = "test report")]

use jiff::civil::date;
use m1nd_memory::{Kind, ParseContext, SourceKind, Status, parse};

/// Expected result: kind with status, and title in lower case.
type Found = (String, String);

fn parse_expected(text: &str) -> Vec<Found> {
    let memories = text.split(" ;; ").filter(|memory| *memory != "-");
    let pair = |memory: &str| {
        let (kind, title) = memory.split_once(": ").unwrap_or_else(|| panic!("no kind in {memory}"));
        assert!(["decision", "issue", "blocked", "resolved", "learning"].contains(&kind), "{kind}");
        (kind.to_owned(), title.to_lowercase())
    };
    memories.map(pair).collect()
}

fn find_memories(line: &str) -> Vec<Found> {
    let text = format!("# project\n\n## 2024-12-12\n\n{line}\n");
    let context =
        ParseContext { project: "/p", today: date(2025, 1, 10), kind: SourceKind::MemoryFile, file: ".mind/MEMORY.md" };
    let name = |kind: Kind, status: Option<Status>| match (kind, status) {
        (Kind::Issue, Some(Status::Blocked)) => "blocked",
        (Kind::Issue, Some(Status::Resolved)) => "resolved",
        (kind, _) => kind.name(),
    };
    let records = parse(&text, &context).records;
    records.iter().map(|it| (name(it.kind, it.status).to_owned(), it.title.to_lowercase())).collect()
}

#[derive(Default)]
struct Score {
    lines: usize,
    traps: usize,
    right: usize,
    wrong: usize,
    missed: usize,
}

impl Score {
    fn of(corpus: &str) -> Self {
        let mut score = Self::default();
        for row in corpus.lines().filter(|row| !row.is_empty() && !row.starts_with('#')) {
            let (line, memories) = row.rsplit_once(" => ").unwrap_or_else(|| panic!("no => in {row}"));
            let (expected, mut found) = (parse_expected(memories), find_memories(line));
            score.lines += 1;
            score.traps += usize::from(expected.is_empty());
            for memory in expected {
                if let Some(index) = found.iter().position(|it| *it == memory) {
                    found.swap_remove(index);
                    score.right += 1;
                } else {
                    println!("missed {memory:?}\n    in {line}");
                    score.missed += 1;
                }
            }
            for memory in found {
                println!("wrong  {memory:?}\n    in {line}");
                score.wrong += 1;
            }
        }
        score
    }

    fn precision(&self) -> f64 {
        self.right as f64 / (self.right + self.wrong).max(1) as f64
    }

    fn recall(&self) -> f64 {
        self.right as f64 / (self.right + self.missed).max(1) as f64
    }
}

fn check(name: &str, corpus: &str, lines: usize) {
    let score = Score::of(corpus);
    let (precision, recall) = (score.precision(), score.recall());
    println!("{name}: {} lines, {} traps, precision {precision:.3}, recall {recall:.3}", score.lines, score.traps);
    assert!(score.lines >= lines && score.traps * 5 >= score.lines * 2, "{} lines, {} traps", score.lines, score.traps);
    assert!(precision >= 0.95, "precision {precision:.3}");
    assert!(recall >= 0.90, "recall {recall:.3}");
}

#[test]
fn lines_the_rules_were_made_with() {
    check("main", include_str!("corpus/main.txt"), 200);
}

#[test]
fn lines_written_after_the_rules() {
    check("held out", include_str!("corpus/held_out.txt"), 60);
}
