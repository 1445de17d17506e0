//! The verdict on a batch that was written.

use m1nd_query::edits::{Break, BreakKind, Delta, GraphCheck, LayerBreak};
use m1nd_run::{CheckReport, CheckResult};
use serde::Serialize;

use super::writing::Syntax;
use crate::word::{Level, Word, answer_kinds};

/// Users of a file from which an edit of it has a high risk.
const HIGH: usize = 10;
/// Users of a file from which an edit of it has a medium risk.
const MEDIUM: usize = 3;

/// What is known of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Verdict {
    /// A command of the project was run and passed, and nothing is known to be broken.
    Safe,
    /// Nothing is known to be broken, but something may be.
    Risky,
    /// Something is broken.
    Broken,
    /// Nothing is known to be broken, and nothing was run.
    Unverified,
}

impl Verdict {
    /// The word on the wire.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Safe => "SAFE",
            Self::Risky => "RISKY",
            Self::Broken => "BROKEN",
            Self::Unverified => "UNVERIFIED",
        }
    }
}

#[derive(Debug, Serialize)]
struct BreakRow {
    kind: Word<BreakKind>,
    file_path: String,
    line: u32,
    from: String,
    to: String,
    detail: String,
}

impl From<Break> for BreakRow {
    fn from(found: Break) -> Self {
        let Break { file, line, kind, from, to, detail } = found;
        Self { kind: Word(kind), file_path: file, line, from, to, detail }
    }
}

/// A new dependency against the declared layers.
#[derive(Debug, Serialize)]
struct LayerRow {
    file_path: String,
    line: u32,
    layer: String,
    to: String,
    to_layer: String,
}

impl From<LayerBreak> for LayerRow {
    fn from(found: LayerBreak) -> Self {
        let LayerBreak { file, line, layer, to, to_layer } = found;
        Self { file_path: file, line, layer, to, to_layer }
    }
}

#[derive(Debug, Serialize)]
struct BlastRow {
    file_path: String,
    reachable_files: usize,
    risk: Word<Level>,
    top_affected: Vec<String>,
}

answer_kinds! {
    /// What is checked after a write.
    CheckName {
        Syntax = "syntax",
        Graph = "graph",
        Layers = "layers",
        ProjectCommands = "project commands",
    }
}

answer_kinds! {
    /// How a check ended.
    Ran { Pass = "pass", Fail = "fail", NotRun = "not_run", }
}

/// A check that may not have been run.
#[derive(Debug, Serialize)]
struct CheckRow {
    name: Word<CheckName>,
    result: Word<Ran>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl CheckRow {
    fn not_run(name: CheckName, why: String) -> Self {
        Self { name: Word(name), result: Word(Ran::NotRun), reason: Some(why) }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) verdict: Verdict,
    /// Certain breakages.
    broken: Vec<BreakRow>,
    /// Number of all of them, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_broken: Option<usize>,
    /// References that may be broken.
    doubtful: Vec<BreakRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_doubtful: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    new_import_cycles: Vec<Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    layer_violations: Vec<LayerRow>,
    /// Number of all of them, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_layer_violations: Option<usize>,
    blast_radius: Vec<BlastRow>,
    checks: Vec<CheckRow>,
    /// The commands of the project, with what they say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<CheckReport>,
    /// Tests that commands ran, where their format is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    tests_run: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tests_passed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tests_failed: Option<u64>,
    total_affected_nodes: usize,
}

impl Report {
    /// Adds what the commands of the project say, or why none was run.
    pub(crate) fn add_commands(&mut self, commands: Result<Vec<CheckReport>, String>) {
        let commands = match commands {
            Ok(commands) => commands,
            Err(why) => {
                return self.checks.push(CheckRow::not_run(CheckName::ProjectCommands, why));
            }
        };
        let any = |result: CheckResult| commands.iter().any(|report| report.result == result);
        let verdict = match self.verdict {
            _ if any(CheckResult::Fail) => Verdict::Broken,
            Verdict::Unverified if any(CheckResult::Unclear) => Verdict::Risky,
            // Tests that failed before may hide what fails now.
            Verdict::Unverified if any(CheckResult::Pass) && !any(CheckResult::FailsAsBefore) => Verdict::Safe,
            verdict => verdict,
        };
        self.verdict = verdict;
        let sum = |count: fn(&CheckReport) -> Option<u64>| commands.iter().filter_map(count).reduce(|a, b| a + b);
        self.tests_passed = sum(|report| report.tests_passed);
        self.tests_failed = sum(|report| report.tests_failed.map(|failed| failed as u64));
        self.tests_run = self.tests_passed.zip(self.tests_failed).map(|(passed, failed)| passed + failed);
        self.commands = commands;
    }
}

/// The report on a written batch. `syntax` is that of its files.
pub(crate) fn report(delta: &Delta, syntax: &[Syntax]) -> Report {
    let found = delta.check.clone();
    let GraphCheck { broken, total_broken, doubtful, total_doubtful, cycles, layers, total_layers, .. } = found;
    // Syntax counts only where a grammar could read the file.
    let syntax_fails = syntax.iter().any(|syntax| syntax.ok == Some(false));
    let syntax_runs = syntax.iter().any(|syntax| syntax.ok.is_some());
    let blast_radius: Vec<BlastRow> = found
        .blast
        .into_iter()
        .map(|row| BlastRow {
            risk: Word(risk(row.reachable_files)),
            file_path: row.file,
            reachable_files: row.reachable_files,
            top_affected: row.top,
        })
        .collect();
    // Broken is certain; risky is a reference, a circle or a layer that a person should look at.
    let is_against = !cycles.is_empty() || !layers.is_empty();
    let is_risky = !doubtful.is_empty() || is_against || blast_radius.iter().any(|row| row.risk.0 == Level::High);
    let verdict = match (syntax_fails || !broken.is_empty(), is_risky) {
        (true, _) => Verdict::Broken,
        (false, true) => Verdict::Risky,
        (false, false) => Verdict::Unverified,
    };
    // What was not run is listed, so that silence does not count as a pass.
    let passed = |fails: bool| if fails { Ran::Fail } else { Ran::Pass };
    let mut checks = vec![
        CheckRow {
            name: Word(CheckName::Syntax),
            result: Word(if syntax_runs { passed(syntax_fails) } else { Ran::NotRun }),
            reason: (!syntax_runs).then(|| "no file has a grammar here".to_owned()),
        },
        CheckRow { name: Word(CheckName::Graph), result: Word(passed(!broken.is_empty())), reason: None },
    ];
    checks.extend(found.unusable_layers.map(|why| CheckRow::not_run(CheckName::Layers, why)));
    Report {
        verdict,
        total_broken: Some(total_broken).filter(|total| *total > broken.len()),
        total_doubtful: Some(total_doubtful).filter(|total| *total > doubtful.len()),
        broken: broken.into_iter().map(BreakRow::from).collect(),
        doubtful: doubtful.into_iter().map(BreakRow::from).collect(),
        new_import_cycles: cycles,
        total_layer_violations: Some(total_layers).filter(|total| *total > layers.len()),
        layer_violations: layers.into_iter().map(LayerRow::from).collect(),
        blast_radius,
        checks,
        commands: Vec::new(),
        tests_run: None,
        tests_passed: None,
        tests_failed: None,
        total_affected_nodes: delta.symbols.total(),
    }
}

fn risk(files: usize) -> Level {
    match files {
        n if n > HIGH => Level::High,
        n if n > MEDIUM => Level::Medium,
        _ => Level::Low,
    }
}
