//! `m1nd check`: what the changed files have against the declared layers, the stored bug patterns, and new circles of
//! folders; with `--base`, what the work tree or a later commit breaks of a commit. For hooks before a commit and for
//! CI.

use std::path::Path;

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::IngestRequest;
use m1nd_tools::sarif::{self, Finding, Level, Location, Rule};
use m1nd_tools::{ChangeCheck, ChangeFinding, ChangeKind, Context, Services, TOOLS, check_change};
use serde_json::{Value, json};

use super::junit::{self, TestCase};
use crate::answers::{self, BugMatch, BugMatches, BugSeverity, LayerViolation, Layers, NewCycle};
use crate::args::{CheckArgs, Common};
use crate::error::CliError;
use crate::flags::DEFAULT_AGENT;
use crate::output::{Out, Tone};
use crate::project;

/// Findings of one kind that are listed; more are counted.
const MAX_FINDINGS: usize = 500;
/// Size of the answers that the check is made of.
const ANSWER_CHARS: usize = 100_000;
/// The name of the check in SARIF.
const TOOL: &str = "m1nd check";

const LAYERS: &str = "layer-violation";
const CYCLES: &str = "new-cycle";
const PATTERNS: &str = "bug-pattern";

/// What the check found.
#[derive(Debug, Default)]
struct Report {
    findings: Vec<Finding>,
    /// All findings, also those that are not listed.
    total: usize,
    /// Whether the project declares its layers.
    has_layers: bool,
    /// Number of bug patterns looked for.
    patterns: u64,
    /// What could not be looked at, in words.
    gaps: Vec<String>,
    /// Test files that reach the change, where it was compared with a commit.
    tests: Option<Vec<String>>,
    /// Findings that do not fail the check.
    harmless: usize,
}

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.root.as_deref())?;
    let services = open_indexed(common, &root)?;
    let since = args.base.as_deref().unwrap_or(&args.since);
    let (report, rules, fails) = match &args.base {
        None => (report(&services, since)?, rules(), None),
        Some(base) => (compare(&services, base, args)?, rules_of_change(), Some(&args.fail_on)),
    };
    // Files for CI, and the page for people beside them.
    let is_printed = args.sarif.as_deref() == Some(Path::new("-"));
    if let Some(path) = &args.junit {
        write_file(path, &junit::report(TOOL, &test_cases(&rules, &report, fails)))?;
    }
    if let Some(path) = &args.sarif {
        let log = sarif::log(TOOL, &rules, &report.findings);
        if is_printed { out.value(&log)? } else { write_file(path, &format!("{log:#}\n"))? }
    }
    match (is_printed, out.json) {
        (true, _) => {}
        (false, true) => out.value(&value(&report))?,
        (false, false) => {
            let range = args.head.as_ref().map_or_else(|| since.to_owned(), |head| format!("{since} until {head}"));
            page(&report, &range, out)?;
        }
    }
    let failing = report.total.saturating_sub(report.harmless);
    if failing > 0 { Err(CliError::Findings(failing)) } else { Ok(()) }
}

fn write_file(path: &Path, text: &str) -> Result<(), CliError> {
    std::fs::write(path, text).map_err(|error| {
        CliError::fail(format!("`{}` could not be written: {error}", path.display()), "name a file that can be written")
    })
}

/// A test for each rule.
fn test_cases(rules: &[Rule], report: &Report, fails: Option<&Vec<String>>) -> Vec<TestCase> {
    let case = |rule: &Rule| TestCase {
        name: rule.id.clone(),
        lines: report.findings.iter().filter(|found| found.rule == rule.id).map(line_of).collect(),
        fails: fails.is_none_or(|kinds| kinds.contains(&rule.id)),
    };
    rules.iter().map(case).collect()
}

/// A finding in a line.
fn line_of(found: &Finding) -> String {
    let line = found.place.line.map_or_else(String::new, |line| format!(":{line}"));
    format!("{}{line}: {}", found.place.path, found.message)
}

/// The kinds of findings of a comparison with a commit, as rules.
fn rules_of_change() -> Vec<Rule> {
    let of_kind = ChangeKind::ALL.into_iter().map(|kind| Rule {
        id: kind.word().to_owned(),
        summary: kind.summary().to_owned(),
        level: level_of(kind),
    });
    of_kind.chain(rules().into_iter().filter(|rule| rule.id == PATTERNS)).collect()
}

const fn level_of(kind: ChangeKind) -> Level {
    match kind {
        ChangeKind::MayBreak => Level::Note,
        ChangeKind::Duplicate => Level::Warning,
        _ => Level::Error,
    }
}

/// Compares the work tree, or another commit, with a commit.
fn compare(services: &Services, base: &str, args: &CheckArgs) -> Result<Report, CliError> {
    let cancel = Cancel::new();
    let context = Context { reads_history: true, ..Context::new(services, TOOLS, &cancel, &NoProgress) };
    let ChangeCheck { findings, tests, gaps, .. } =
        check_change(&context, base, args.head.as_deref()).map_err(CliError::Tool)?;
    let mut report = Report { gaps, tests: Some(tests), ..Report::default() };
    report.total = findings.len();
    report.findings = findings.into_iter().map(describe_change).collect();
    match args.head {
        None => report.take_patterns(answers::ask(&context, patterns_since(base))?.answer),
        Some(_) => report.gaps.push("bug patterns, which are found in the work tree only".to_owned()),
    }
    report.harmless = report.findings.iter().filter(|found| !args.fail_on.contains(&found.rule)).count();
    report.sort();
    Ok(report)
}

fn describe_change(found: ChangeFinding) -> Finding {
    let ChangeFinding { kind, path, line, message, related, identity } = found;
    Finding {
        rule: kind.word().to_owned(),
        level: level_of(kind),
        message,
        place: Location { path, line },
        related: related.into_iter().map(|(path, line)| Location { path, line }).collect(),
        identity,
        is_new: Some(true),
    }
}

/// The question for bug patterns in what changed since a commit.
fn patterns_since(since: &str) -> Value {
    json!({
        "agent_id": DEFAULT_AGENT, "scope": "changed", "since": since, "max_matches": MAX_FINDINGS,
        "max_matches_per_antibody": MAX_FINDINGS, "max_output_chars": ANSWER_CHARS,
    })
}

/// The index of a root, up to date. A machine of CI has none yet.
pub(super) fn open_indexed(common: &Common, root: &std::path::Path) -> Result<Services, CliError> {
    let services = project::open_to_ask(common, root, true)?;
    if !services.engine.snapshot().is_empty() {
        return Ok(services);
    }
    drop(services);
    let writing = project::open(common, root, false)?;
    writing.engine.ingest(IngestRequest::code(root), &Cancel::new(), &NoProgress)?;
    drop(writing);
    project::open_to_ask(common, root, false)
}

fn rules() -> Vec<Rule> {
    let rule = |id: &str, summary: &str, level| Rule { id: id.to_owned(), summary: summary.to_owned(), level };
    vec![
        rule(LAYERS, "A dependency contradicts the layers that m1nd-layers.toml declares.", Level::Error),
        rule(CYCLES, "A change closes a circle of dependencies between folders.", Level::Error),
        rule(PATTERNS, "Code matches a stored bug pattern.", Level::Warning),
    ]
}

fn report(services: &Services, since: &str) -> Result<Report, CliError> {
    let cancel = Cancel::new();
    let context = Context { reads_history: true, ..Context::new(services, TOOLS, &cancel, &NoProgress) };
    let mut report = Report::default();
    let layers = json!({
        "agent_id": DEFAULT_AGENT, "since": since, "violation_limit": MAX_FINDINGS, "exclude_tests": true, "detail": "brief",
        "max_output_chars": ANSWER_CHARS,
    });
    report.take_layers(answers::ask(&context, layers)?.answer);
    report.take_patterns(answers::ask(&context, patterns_since(since))?.answer);
    report.sort();
    Ok(report)
}

impl Report {
    /// The worst first, then by place.
    fn sort(&mut self) {
        self.findings.sort_by(|a, b| {
            let key = |one: &Finding| (std::cmp::Reverse(one.level), one.place.path.clone(), one.place.line);
            key(a).cmp(&key(b)).then_with(|| a.identity.cmp(&b.identity))
        });
    }

    fn take_layers(&mut self, answer: Layers) {
        self.has_layers = answer.basis.starts_with("declared");
        if self.has_layers {
            let found = answer.violations.iter().map(describe_violation).collect();
            self.take(found, answer.summary.total_violations, "layers");
        }
        let found: Vec<Finding> = answer.new_cycles.iter().map(describe_cycle).collect();
        let total = found.len();
        self.take(found, total, "cycles");
        self.gaps.extend(answer.what_is_missing);
    }

    fn take_patterns(&mut self, answer: BugMatches) {
        let found = answer.matches.iter().map(describe_match).collect();
        self.take(found, answer.total_matches, "matches of bug patterns");
        self.patterns = answer.antibodies_checked;
        let gap = answer.what_is_missing;
        self.gaps.extend(gap.filter(|gap| !self.gaps.contains(gap)));
        let cut = answer.timed_out_antibodies.len();
        if cut > 0 {
            self.gaps.push(format!("the search for {cut} bug patterns was cut"));
        }
    }

    fn take(&mut self, found: Vec<Finding>, total: usize, kind: &str) {
        if total > found.len() {
            self.gaps.push(format!("{} {kind} more are not listed", total - found.len()));
        }
        self.total += total.max(found.len());
        self.findings.extend(found);
    }
}

fn describe_violation(row: &LayerViolation) -> Finding {
    let LayerViolation { source, source_layer, target, target_layer, edge_relation, explanation, .. } = row;
    Finding {
        rule: LAYERS.to_owned(),
        level: if row.is_new == Some(false) { Level::Warning } else { Level::Error },
        message: format!("{source} ({source_layer}) {edge_relation} {target} ({target_layer}): {explanation}"),
        place: place(&row.location),
        related: Vec::new(),
        identity: format!("{source} {target}"),
        is_new: row.is_new,
    }
}

fn describe_cycle(row: &NewCycle) -> Finding {
    let mut way = row.modules.clone();
    way.extend(row.modules.first().cloned());
    let mut places = row.closed_by.iter().map(|text| place(text));
    Finding {
        rule: CYCLES.to_owned(),
        level: Level::Error,
        message: format!("closes a circle: {}", way.join(" → ")),
        place: places.next().unwrap_or_else(|| place("")),
        related: places.collect(),
        identity: way.join(" "),
        is_new: Some(true),
    }
}

fn describe_match(row: &BugMatch) -> Finding {
    let place = place(&row.location);
    Finding {
        rule: PATTERNS.to_owned(),
        level: match row.severity {
            BugSeverity::Critical => Level::Error,
            BugSeverity::Warning => Level::Warning,
            BugSeverity::Info => Level::Note,
        },
        message: format!("matches the bug pattern `{}` ({})", row.antibody_name, row.antibody_id),
        related: Vec::new(),
        identity: format!("{} {}", row.antibody_id, place.path),
        place,
        is_new: None,
    }
}

/// The place that `path:line` names.
fn place(text: &str) -> Location {
    match text.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?))) {
        Some((path, line)) => Location { path: path.to_owned(), line: Some(line) },
        None => Location { path: text.to_owned(), line: None },
    }
}

fn value(report: &Report) -> Value {
    let row = |found: &Finding| {
        json!({
            "rule": found.rule,
            "level": found.level.word(),
            "message": found.message,
            "path": found.place.path,
            "line": found.place.line,
            "is_new": found.is_new,
        })
    };
    if let Some(tests) = &report.tests {
        return json!({
            "findings": report.findings.iter().map(row).collect::<Vec<_>>(),
            "total": report.total,
            "failing": report.total - report.harmless,
            "tests": tests,
            "bug_patterns": report.patterns,
            "what_is_missing": report.gaps,
        });
    }
    json!({
        "findings": report.findings.iter().map(row).collect::<Vec<_>>(),
        "total": report.total,
        "layers_declared": report.has_layers,
        "bug_patterns": report.patterns,
        "what_is_missing": report.gaps,
    })
}

fn page(report: &Report, since: &str, out: &mut Out) -> Result<(), CliError> {
    for found in &report.findings {
        let line = found.place.line.map_or_else(String::new, |line| format!(":{line}"));
        let tone = if found.level == Level::Error { Tone::Bad } else { Tone::Strong };
        let level = out.paint(tone, found.level.word());
        out.line(format!("{}{line}: {level}[{}] {}", found.place.path, found.rule, found.message))?;
    }
    let count = match report.total {
        0 => "no findings".to_owned(),
        1 => "1 finding".to_owned(),
        total => format!("{total} findings"),
    };
    if let Some(tests) = &report.tests {
        let reach = match tests.as_slice() {
            [] => "no test file is known to reach the change".to_owned(),
            [first] => format!("{first} reaches the change"),
            [first, rest @ ..] => format!("{first} and {} more test files reach the change", rest.len()),
        };
        let harmless = match report.harmless {
            0 => String::new(),
            some => format!(", {some} of kinds that do not fail the check"),
        };
        out.line(format!("{count} in what changed since {since}{harmless}; {reach}"))?;
        return report.gaps.iter().try_for_each(|gap| out.line(format!("not looked at: {gap}")));
    }
    let layers = if report.has_layers { "declared layers" } else { "no layers declared (m1nd-layers.toml)" };
    let patterns = match report.patterns {
        1 => "1 bug pattern".to_owned(),
        count => format!("{count} bug patterns"),
    };
    out.line(format!("{count} in what changed since {since}: {layers}, {patterns}, new cycles"))?;
    report.gaps.iter().try_for_each(|gap| out.line(format!("not looked at: {gap}")))
}
