//! `cargo xtask eval tests`: of a commit that changes code and existing tests, the code files are the question, and the
//! tests are the right answers of `tests_for`. Only older commits are evidence; the code is that of the commit before
//! all of them. Each question is asked with everything, without the words of the commit, and without its history as
//! well. Beside it stand the orders that tools had before: by uses alone, by commits alone, by names alone. With
//! `--fit`, the weights are fitted to the repositories that are named.

use std::collections::BTreeMap;
use std::path::Path;

use m1nd_base::{Cancel, RepoPath};
use m1nd_engine::graph::{NodeFlags, NodeIx};
use m1nd_engine::{Language, Snapshot};
use m1nd_history::{History, Moment};
use m1nd_query::Model;
use m1nd_query::changes::predict::Beside;
use m1nd_query::covering::{COVERING_SIGNALS, CoveringModel, Past, TestCandidate, TestsQuery, candidate_tests};
use serde::{Deserialize, Serialize};

use super::Fitting;
use super::fit::Question;
use super::repository::Mirror;
use super::round_value;
use crate::eval::arguments::Keep;
use crate::eval::golden::keep;
use crate::eval::linear;
use crate::{Outcome, repository};

const COUNT: usize = COVERING_SIGNALS.len();
const USAGE: &str = "expected: cargo xtask eval tests --mirror DIR --checkouts DIR --repository owner/name... [--fit] \
                     [--check | --write]";
/// Path of the weights.
const WEIGHTS: &str = "crates/query/src/covering/weights.txt";
/// Files of code, and of tests, of a commit that is asked about.
const FILES: std::ops::RangeInclusive<usize> = 1..=6;
/// Newest such commits of a repository.
const COMMITS: usize = 80;
/// Commits that must be older.
const LEAST_BEFORE: usize = 100;
/// Candidates of a question that count for the fit, the best by the model in use; the right ones count in any case.
const CANDIDATES: usize = 150;
/// L2 penalty of the weights.
const PENALTY: f64 = 0.003;
/// Rows of an answer that count.
const TOP: [usize; 2] = [5, 20];

/// What is known when a question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Code, commits, and the subject of the commit.
    All,
    /// Code and commits.
    NoTask,
    /// The code alone.
    Code,
}

impl Known {
    const EACH: [Self; 3] = [Self::All, Self::NoTask, Self::Code];

    const fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::NoTask => "no_task",
            Self::Code => "code",
        }
    }
}

/// Mean reciprocal rank of the first right file, and shares of the right files among the first rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Quality {
    mrr: f64,
    recall_at_5: f64,
    recall_at_20: f64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Counts {
    questions: usize,
    ours: BTreeMap<String, Quality>,
    by_uses: Quality,
    by_commits: Quality,
    by_names: Quality,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Report {
    /// Means over the repositories.
    mean: Counts,
    repositories: BTreeMap<String, Counts>,
}

/// A question in one of its forms.
struct Asked {
    known: Known,
    rows: Vec<Candidate>,
    question: Question<COUNT>,
}

struct Candidate {
    path: String,
    hops: Option<u32>,
    signals: [f64; COUNT],
    is_right: bool,
}

pub(in crate::eval) fn run(args: &[String]) -> Outcome<()> {
    let Fitting { mirror, checkouts, names, fits, how } = Fitting::parse(args, USAGE)?;
    let model = read_stored()?;
    let mut asked: Vec<Asked> = Vec::new();
    for name in &names {
        let own = questions_from(&mirror, name, &checkouts, &model)?;
        println!("{name}: {} questions", own.len() / Known::EACH.len());
        asked.extend(own);
    }
    if fits {
        return fit_to(asked, how);
    }
    let report = report(&asked, |_| model);
    println!("{report:#?}");
    keep(&repository().join("eval/cochange/tests.json"), &report, how)
}

/// The weights as they are in the repository now.
fn read_stored() -> Outcome<CoveringModel> {
    let path = repository().join(WEIGHTS);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Model::parse(&text, &COVERING_SIGNALS))
}

fn report(asked: &[Asked], model: impl Fn(&Asked) -> CoveringModel) -> Report {
    let mut report = Report::default();
    let mut by_repository: BTreeMap<&str, Vec<&Asked>> = BTreeMap::new();
    asked.iter().for_each(|one| by_repository.entry(&one.question.repo).or_default().push(one));
    for (name, own) in by_repository {
        let of = |known: Known, value: &dyn Fn(&Asked, &Candidate) -> f64| {
            measure(own.iter().copied().filter(|one| one.known == known), value)
        };
        let ours = |one: &Asked, row: &Candidate| model(one).value(&row.signals);
        let signal = |name: &str| COVERING_SIGNALS.iter().position(|known| *known == name).unwrap_or_default();
        let (value, stem, words) = (signal("value"), signal("same_stem"), signal("name_words"));
        let counts = Counts {
            questions: own.len() / Known::EACH.len(),
            ours: Known::EACH.into_iter().map(|known| (known.word().to_owned(), of(known, &ours))).collect(),
            by_uses: of(Known::Code, &|_, row| row.hops.map_or(f64::NEG_INFINITY, |hops| -f64::from(hops))),
            by_commits: of(Known::NoTask, &|_, row| row.signals[value]),
            by_names: of(Known::Code, &|_, row| row.signals[stem] + row.signals[words]),
        };
        report.repositories.insert(name.to_owned(), counts);
    }
    let all: Vec<&Counts> = report.repositories.values().collect();
    report.mean = Counts {
        questions: all.iter().map(|counts| counts.questions).sum(),
        ours: Known::EACH
            .into_iter()
            .map(|known| (known.word().to_owned(), mean(&all, |c| c.ours[known.word()])))
            .collect(),
        by_uses: mean(&all, |counts| counts.by_uses),
        by_commits: mean(&all, |counts| counts.by_commits),
        by_names: mean(&all, |counts| counts.by_names),
    };
    report
}

fn mean(all: &[&Counts], of: impl Fn(&Counts) -> Quality) -> Quality {
    let count = all.len().max(1) as f64;
    let sum = |part: fn(Quality) -> f64| round_value(all.iter().map(|counts| part(of(counts))).sum::<f64>() / count);
    Quality { mrr: sum(|q| q.mrr), recall_at_5: sum(|q| q.recall_at_5), recall_at_20: sum(|q| q.recall_at_20) }
}

/// Quality of an order; of equal values, the earlier path comes first, as tools do it.
fn measure<'a>(asked: impl Iterator<Item = &'a Asked>, value: &dyn Fn(&Asked, &Candidate) -> f64) -> Quality {
    let (mut count, mut sums) = (0usize, Quality::default());
    for one in asked {
        let mut rows: Vec<(f64, &Candidate)> = one.rows.iter().map(|row| (value(one, row), row)).collect();
        rows.retain(|(value, _)| *value > f64::NEG_INFINITY);
        rows.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
        let hits: Vec<usize> =
            rows.iter().enumerate().filter(|(_, row)| row.1.is_right).map(|(place, _)| place).collect();
        let right = one.question.right.max(1) as f64;
        let within = |most: usize| hits.iter().filter(|place| **place < most).count() as f64 / right;
        count += 1;
        sums.mrr += hits.first().map_or(0.0, |place| 1.0 / (place + 1) as f64);
        sums.recall_at_5 += within(TOP[0]);
        sums.recall_at_20 += within(TOP[1]);
    }
    let share = |sum: f64| round_value(sum / count.max(1) as f64);
    Quality { mrr: share(sums.mrr), recall_at_5: share(sums.recall_at_5), recall_at_20: share(sums.recall_at_20) }
}

fn fit_to(asked: Vec<Asked>, how: Keep) -> Outcome<()> {
    let now = read_stored()?;
    let fitted = fit(&asked.iter().collect::<Vec<_>>());
    let left_out = linear::left_out(&asked, |one| &one.question.repo, fit);
    let held_out = report(&asked, |one| left_out[one.question.repo.as_str()]).mean;
    println!("as it is {:#?}", report(&asked, |_| now).mean);
    println!("fitted {:#?}", report(&asked, |_| fitted).mean.ours);
    println!("with its repository left out {:#?}", held_out.ours);
    let (all, code) = (held_out.ours["all"], held_out.ours["code"]);
    let mut text = format!(
        "# Weights of the signals by which test files are ordered that may cover a change; only differences count. Fitted by\n\
         # `cargo xtask eval tests --fit` to {} commits of {} public repositories that change code and tests, answered from\n\
         # older commits, as the probability of a right file among all, without negative weights. With groups of repositories\n\
         # left out of the fit in turn: mean reciprocal rank {:.3}, recall@20 {:.3}; by the code alone {:.3}, {:.3}.\n",
        held_out.questions,
        left_out.len(),
        all.mrr,
        all.recall_at_20,
        code.mrr,
        code.recall_at_20,
    );
    for (name, weight) in COVERING_SIGNALS.iter().zip(fitted.weights()) {
        text += &format!("{name} {weight:.3}\n");
    }
    println!("{text}");
    if how == Keep::Write {
        std::fs::write(Path::new(repository()).join(WEIGHTS), text)?;
    }
    Ok(())
}

/// The weights under which a right file is most probable among all candidates, none of them negative: with those,
/// signals that say much the same cancel each other out, which does not carry over to other repositories.
fn fit(asked: &[&Asked]) -> CoveringModel {
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    asked.iter().for_each(|one| *counts.entry(&one.question.repo).or_default() += 1.0);
    let all = counts.len().max(1) as f64;
    let mut rows: Vec<linear::Weighed<'_, COUNT>> = Vec::with_capacity(asked.len());
    for one in asked {
        let share = 1.0 / (all * counts[one.question.repo.as_str()]);
        rows.push(linear::Weighed { options: &one.question.rows, share });
    }
    linear::fit_positive(&rows, &[true; COUNT], PENALTY)
}

/// The questions of a repository, each in all its forms.
fn questions_from(mirror: &Path, name: &str, checkouts: &Path, model: &CoveringModel) -> Outcome<Vec<Asked>> {
    let mirror = Mirror::open(mirror, name)?;
    let history = mirror.history()?;
    let commits = history.commits();
    let last = commits.len().saturating_sub(LEAST_BEFORE);
    let numbers: Vec<usize> = (0..last).filter(|number| is_asked(&history, *number)).take(COMMITS).collect();
    let oldest = *numbers.last().ok_or_else(|| format!("{name} has too few commits"))?;
    let engine = mirror.engine_at(&commits[oldest + 1].name(), checkouts)?;
    let snapshot = engine.snapshot();
    let beside = Beside::of(&history);
    let mut found = Vec::new();
    for number in numbers {
        let (code, tests) = split(&history, &snapshot, number);
        if !FILES.contains(&code.len()) || !FILES.contains(&tests.len()) {
            continue;
        }
        let moment = Moment::before(number);
        let path = |node: &NodeIx| snapshot.graph().path(*node).to_owned();
        let pasts = code.iter().map(|node| Past {
            inner: path(node),
            history: &history,
            beside: &beside,
            prefix: String::new(),
            moment,
        });
        let pasts: Vec<Past<'_>> = pasts.collect();
        for known in Known::EACH {
            let task = if known == Known::All { commits[number].subject.to_string() } else { String::new() };
            let query = TestsQuery { task, ..TestsQuery::of(code.iter().copied()) };
            let pasts = if known == Known::Code { &[] } else { pasts.as_slice() };
            let rows = candidate_tests(&snapshot, &query, pasts, &Cancel::new())?;
            found.push(keep_question(name, &snapshot, (known, &tests), rows, model));
        }
    }
    Ok(found)
}

fn keep_question(
    name: &str,
    snapshot: &Snapshot,
    (known, tests): (Known, &[NodeIx]),
    rows: Vec<TestCandidate>,
    model: &CoveringModel,
) -> Asked {
    let row = |row: TestCandidate| Candidate {
        path: snapshot.graph().path(row.file).to_owned(),
        hops: row.reached.as_ref().map(|reached| reached.hops),
        signals: row.signals,
        is_right: tests.contains(&row.file),
    };
    let rows: Vec<Candidate> = rows.into_iter().map(row).collect();
    let mut kept: Vec<([f64; COUNT], bool)> = rows.iter().map(|row| (row.signals, row.is_right)).collect();
    kept.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| model.value(&b.0).total_cmp(&model.value(&a.0))));
    kept.truncate(CANDIDATES);
    Asked { known, rows, question: Question { repo: name.to_owned(), rows: kept, right: tests.len() } }
}

/// Whether a commit by a person changes few files, code and tests among them.
fn is_asked(history: &History, number: usize) -> bool {
    let commit = &history.commits()[number];
    let mut tests = history.all_touched_by(number).map(|file| is_test(file.path()));
    commit.count_touched() > 1
        && commit.counts_together()
        && !commit.is_bot
        && tests.any(|is_test| is_test)
        && history.all_touched_by(number).any(|file| !is_test(file.path()))
}

fn is_test(path: &str) -> bool {
    RepoPath::new(path).is_ok_and(|path| m1nd_query::edits::is_test_path(&path))
}

/// Code files and test files of a commit that the index has.
fn split(history: &History, snapshot: &Snapshot, number: usize) -> (Vec<NodeIx>, Vec<NodeIx>) {
    let graph = snapshot.graph();
    // A document or a table of settings tests nothing and is tested by nothing.
    let is_code = |node: &NodeIx| {
        let path = RepoPath::new(graph.path(*node));
        let is_code = path.is_ok_and(|path| !Language::detect(&path, b"").is_prose());
        is_code
            && graph
                .of_file(*node)
                .into_iter()
                .any(|node| graph.out_edges(node).any(|edge| edge.relation.is_structure()))
    };
    let touched = history.all_touched_by(number).filter(|file| file.existed_at(Moment::before(number)));
    let nodes = touched.filter_map(|file| graph.find_file(file.path())).filter(is_code);
    let (mut tests, mut code): (Vec<NodeIx>, Vec<NodeIx>) =
        nodes.partition(|node| graph.flags(*node).has(NodeFlags::TEST));
    tests.sort_unstable();
    code.sort_unstable();
    (code, tests)
}
