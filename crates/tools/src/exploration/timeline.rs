//! Shows how a file, a symbol or a folder changed: its commits, what changed with it, and figures of both.

use m1nd_query::changes::{
    CoChanged, Pattern, TimelineAnswer, TimelineChange, TimelineOf, TimelineQuery, Velocity, timeline,
};
use m1nd_query::what_if::hypothesize::Part;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset, number,
    rows_schema, yes,
};
use crate::past;
use crate::rows::{self, NodeRow, count, round_value};
use crate::word::{Word, answer_kinds};

/// Default depth.
fn default_depth() -> String {
    "30d".to_owned()
}
/// Default number of files that changed with it.
const DEFAULT_ROWS: usize = 10;
/// Maximum rows of these files.
const MAX_ROWS: usize = 200;
/// Coupling from which the hint names a file.
const STRONG_COUPLING: f64 = 0.6;
/// Common commits from which the hint names a file.
const STRONG_TIMES: usize = 2;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Id, path or name of a file, symbol or folder
    node: String,
    /// `<N>d` or `all`
    #[serde(default = "default_depth")]
    depth: String,
    #[serde(default = "yes")]
    include_co_changes: bool,
    /// Lines added and deleted
    #[serde(default = "yes")]
    include_churn: bool,
    /// Co-changed files
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Change {
    date: String,
    commit: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<String>,
    subject: String,
    /// `format` or `bot`, if it counts less.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Word<ChangeKind>>,
    co_changed: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    co_changed_total: Option<usize>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Partner {
    file: String,
    times: usize,
    coupling_degree: f64,
    commits: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Churn {
    lines_added: u64,
    lines_deleted: u64,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Output {
    node: String,
    label: String,
    depth: String,
    changes: Vec<Change>,
    /// Number of changes, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes_total: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    co_changed_with: Option<Vec<Partner>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    co_changed_total: Option<usize>,
    velocity: Option<Word<Velocity>>,
    /// Commits per 30 days in the older and the newer half.
    #[serde(skip_serializing_if = "Option::is_none")]
    commits_per_30_days: Option<[f64; 2]>,
    stability_score: Option<f64>,
    pattern: Option<Word<Pattern>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_churn: Option<Churn>,
    commit_count_in_window: usize,
    author_count: usize,
    lines: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_change: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_change: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moved_from: Vec<String>,
    /// The reason why nothing can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct Timeline;

impl Tool for Timeline {
    const NAME: &'static str = "timeline";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "Show how a file, symbol or folder changed: commits, co-changed files, churn, trend";
    const ANSWERS: &'static str = "the commits of a file, symbol or folder, what changed with it, and its trend";
    const HELP: &'static str = "\
Lists the commits that changed a file, followed across renames, the lines of a symbol, followed through renames and
moves inside and between files (at most the 400 newest commits of a file are compared), or the files of a folder, also
those that are gone (lines of at most 2,000 changes of files are compared). A window (`depth`) ends at the
time of the checked-out commit, which is \"now\". The figures have the same meaning for files and symbols:

- `changes`: the newest 50 of the window (`changes_total` if there are more), with `delta` (lines added and deleted in the node). `kind` is `format` if
  only the formatting changed (the words are the same as before, or `.git-blame-ignore-revs` lists the commit) and
  `bot` if a program made the commit. `co_changed` has up to ten other files of the commit.
- `co_changed_with`: other files changed in these commits, by present path. `times` counts commits of at most 50 files
  that are not formatting; `coupling_degree` is `times` over all such commits of the node in the window, 0 to 1.
- `velocity`: `accelerating` or `decelerating` if the newer or older half of the window (from the first change, if that
  is later) has more commits than chance explains (exact binomial, at most .1), else `stable`. `commits_per_30_days`
  has the rates of the older and the newer half.
- `total_churn`: lines added and deleted in the window, without formatting.
- `stability_score`: exp(-churn / (2 x lines)), 0 to 1: the share of its lines expected to be unchanged since the start
  of the window.
- `pattern`: `dormant` (no commit, or one that changed at most 5 % of the lines), `expanding` or `shrinking` (the net
  change is at least half of the churn and 10 % of the lines), `churning` (churn of at least 50 % of the lines), else
  `stable`.

Without a history `note` says why nothing can be told, and the figures are null. Subjects and author names are text of
the repository.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "node": "README.md"}"#;
    const STAGES: &'static [Route] = &[
        (Stage::Diagnose, 60, "what changed recently, and with what"),
        (Stage::Review, 60, "how often it changes, and with what"),
    ];
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("node_id", "node")];
    const RARE: &'static [&'static str] = &["include_co_changes", "include_churn"];
    const DETAILS: &'static [&'static str] =
        &["changes.author", "changes.co_changed", "co_changed_with.commits", "author_count", "lines", "moved_from"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("changes": "date", "commit", "subject");
    const TEXT_OMITS: &'static [&'static str] = &["label"];
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Timeline {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let part = rows::resolve_part(snapshot, "node", &input.node)?;
        let depth = past::depth(&input.depth)?;
        let (of, row) = match &part {
            Part::Node(node) => (TimelineOf::Node(*node), NodeRow::new(snapshot, *node)),
            Part::Folder { path, files } => (TimelineOf::Folder { path, files }, NodeRow::folder(path)),
        };
        let query = TimelineQuery { of, depth, with_churn: input.include_churn, max_partners: input.top_k };
        let empty = Output {
            node: row.node_id,
            label: row.label,
            depth: input.depth.trim().to_lowercase(),
            ..Output::default()
        };
        match timeline(snapshot, &cx.history(), &query, cx.cancel()) {
            Ok(found) => {
                let guidance = guidance(&empty, &found);
                Ok(Answer::new(fill_output(empty, found, input.include_co_changes)).guidance(guidance))
            }
            Err(error) => past::untold(error, |note| Output { note: Some(note), ..empty }),
        }
    }
}

fn fill_output(empty: Output, mut found: TimelineAnswer, with_partners: bool) -> Output {
    let listed = found.changes.len();
    if found.commits > listed {
        found
            .gaps
            .push(format!("the newest {listed} of {} changes are listed; a shorter `depth` lists all", found.commits));
    }
    Output {
        co_changed_with: with_partners.then(|| found.co_changed.iter().map(partner).collect()),
        co_changed_total: with_partners.then_some(found.co_changed_total),
        velocity: Some(Word(found.velocity)),
        commits_per_30_days: Some([round_value(found.rates.0), round_value(found.rates.1)]),
        stability_score: found.stability.map(round_value),
        pattern: found.pattern.map(Word),
        total_churn: found.churn.map(|(lines_added, lines_deleted)| Churn { lines_added, lines_deleted }),
        commit_count_in_window: found.commits,
        author_count: found.authors,
        lines: found.lines,
        first_change: Some(past::date(found.first_change)),
        last_change: Some(past::date(found.last_change)),
        changes_total: Some(found.commits).filter(|commits| *commits > found.changes.len()),
        changes: found.changes.into_iter().map(change).collect(),
        moved_from: found.moved_from,
        what_is_missing: (!found.gaps.is_empty()).then(|| found.gaps.join("; ")),
        ..empty
    }
}

answer_kinds! {
    /// Changes that say little about the code.
    pub(crate) ChangeKind { Format = "format", Bot = "bot", }
}

fn change(found: TimelineChange) -> Change {
    let kind = match (found.is_format, found.is_bot) {
        (true, _) => Some(Word(ChangeKind::Format)),
        (false, true) => Some(Word(ChangeKind::Bot)),
        (false, false) => None,
    };
    Change {
        date: past::date(found.time),
        commit: past::short(&found.commit),
        author: found.author,
        delta: found.delta.map(|(added, removed)| format!("+{added}/-{removed}")),
        subject: found.subject,
        kind,
        co_changed_total: (found.co_changed_total > found.co_changed.len()).then_some(found.co_changed_total),
        co_changed: found.co_changed,
    }
}

fn partner(found: &CoChanged) -> Partner {
    Partner {
        file: found.path.clone(),
        times: found.times,
        coupling_degree: round_value(found.coupling),
        commits: found.commits.iter().map(|commit| past::short(commit)).collect(),
    }
}

fn guidance(asked: &Output, found: &TimelineAnswer) -> Guidance {
    let target = Some(asked.node.clone());
    if found.commits == 0 {
        let hint = format!("nothing changed since {}; ask with `depth` \"all\"", past::date(found.last_change));
        return Guidance::next(ProofState::Triaging, ToolRef("timeline"), target, hint);
    }
    let strong = found.co_changed.first().filter(|row| row.coupling >= STRONG_COUPLING && row.times >= STRONG_TIMES);
    match strong {
        Some(row) => {
            let hint = format!("{} changed with it in {}; look there, too", row.path, count(row.times, "commit"));
            Guidance::next(ProofState::Triaging, ToolRef("view"), Some(row.path.clone()), hint)
        }
        None => {
            let hint =
                format!("{} in the window, and no file that mostly changes with it", count(found.commits, "commit"));
            Guidance::next(ProofState::Triaging, ToolRef("impact"), target, hint)
        }
    }
}
