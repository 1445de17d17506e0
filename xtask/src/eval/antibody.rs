//! `cargo xtask eval antibody`: patterns that `antibody_create` learns from fix commits of public repositories.
//!
//! The newest fix commits of each repository are taken that changed one to three product files of a language with a
//! grammar. Each gives at most one pattern. `before` counts the commits whose pattern matches the code before;
//! `after` those whose pattern matches a changed file after; `elsewhere` are the matches of a pattern in the other
//! files of its language at the commit.

use std::path::PathBuf;
use std::sync::Arc;

use m1nd_base::{Cancel, RepoPath};
use m1nd_lang::Language;
use m1nd_query::patterns::{FixedFile, MAX_ELSEWHERE, SyntaxQuery, count_matches, learn_pattern};
use m1nd_query::risk::changed_by;
use serde::{Deserialize, Serialize};

use super::arguments::Keep;
use super::cochange::Mirror;
use super::golden::keep;
use crate::{Outcome, repository};

const USAGE: &str = "expected: cargo xtask eval antibody --mirror DIR [--commits N] [--explain] [--check | --write]";
/// Commits of one repository.
const COMMITS: usize = 4;
/// Product files of a commit, at most.
const MAX_FILES: usize = 3;
/// Files of the tree of a commit, at most: larger repositories are left out.
const MAX_TREE: usize = 3_000;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Report {
    repositories: u64,
    commits: u64,
    /// Commits with a pattern that matches before and in no changed file after.
    before: u64,
    before_share: f64,
    after: u64,
    elsewhere_median: u64,
    elsewhere_p90: u64,
    /// Patterns with more matches elsewhere than a pattern of a defect may have.
    elsewhere_too_many: u64,
    /// Patterns with at least one metavariable.
    general: u64,
}

pub(super) fn run(args: &[String]) -> Outcome<()> {
    let (mut mirror, mut commits, mut explain, mut kept) = (None, COMMITS, false, Keep::Print);
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{flag} needs a value; {USAGE}"));
        match flag.as_str() {
            "--mirror" => mirror = Some(PathBuf::from(value()?)),
            "--commits" => commits = value()?.parse()?,
            "--explain" => explain = true,
            "--check" => kept = Keep::Check,
            "--write" => kept = Keep::Write,
            _ => return Err(format!("unknown argument `{flag}`; {USAGE}").into()),
        }
    }
    let mirror = mirror.ok_or(USAGE)?;
    let mut names: Vec<String> = std::fs::read_dir(&mirror)?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| name.contains('+'))
        .collect();
    names.sort();
    let (mut report, mut elsewhere) = (Report::default(), Vec::new());
    for name in names {
        if let Err(error) = of_repository(&mirror, &name, commits, explain, &mut report, &mut elsewhere) {
            println!("{name}: left out, {error}");
        }
    }
    elsewhere.sort_unstable();
    let at =
        |share: f64| elsewhere.get(((elsewhere.len() as f64 - 1.0).max(0.0) * share) as usize).copied().unwrap_or(0);
    (report.elsewhere_median, report.elsewhere_p90) = (at(0.5), at(0.9));
    report.elsewhere_too_many = elsewhere.iter().filter(|count| **count > MAX_ELSEWHERE as u64).count() as u64;
    report.before_share = (report.before as f64 / report.commits.max(1) as f64 * 1e4).round() / 1e4;
    println!("{report:#?}");
    keep(&repository().join("eval/antibody/fixes.json"), &report, kept)
}

fn of_repository(
    mirror: &std::path::Path,
    name: &str,
    commits: usize,
    explain: bool,
    report: &mut Report,
    elsewhere: &mut Vec<u64>,
) -> Outcome<()> {
    let mirror = Mirror::open(mirror, name)?;
    let (history, contents) = (mirror.history()?, mirror.contents()?);
    let fixes = (0..history.commits().len()).filter(|&number| history.commits()[number].is_fix());
    let mut taken = 0;
    for number in fixes {
        let changed = changed_by(&history, &contents, number, &Cancel::new())?;
        if !(1..=MAX_FILES).contains(&changed.len()) {
            continue;
        }
        let git = mirror.git()?;
        let commit = contents.resolve(&git, &history.commits()[number].name())?;
        let tree = contents.files(commit, &Cancel::new())?;
        if tree.len() > MAX_TREE {
            return Err(format!("{} files", tree.len()).into());
        }
        let fixed: Vec<FixedFile<'_>> = changed
            .iter()
            .map(|file| FixedFile {
                language: file.language,
                before: &file.before,
                after: &file.after,
                lines: file.lines.clone(),
            })
            .collect();
        let others: Vec<_> = tree.iter().filter(|file| !changed.iter().any(|own| own.path == file.path)).collect();
        let count = |language: Language, _: &str, query: &SyntaxQuery| {
            let same = others.iter().filter(|file| language_of(&file.path) == language);
            let texts = same.filter_map(|file| text(&contents.blob(file.blob)?));
            Ok(texts.map(|text| count_matches(language, &text, query, &Cancel::new())).sum())
        };
        let found = learn_pattern(&fixed, &Cancel::new(), count)?;
        report.commits += 1;
        if let Some(found) = &found {
            let query = SyntaxQuery::of_code(found.language, &found.pattern)?;
            let own = fixed.iter().filter(|file| file.language == found.language);
            let (mut before, mut after) = (0, 0);
            for file in own {
                before += count_matches(file.language, file.before, &query, &Cancel::new());
                after += count_matches(file.language, file.after, &query, &Cancel::new());
            }
            report.before += u64::from(before > 0);
            report.after += u64::from(after > 0);
            report.general += u64::from(found.pattern.contains("$V"));
            elsewhere.push(found.elsewhere as u64);
        }
        if explain {
            let subject = &history.commits()[number].subject;
            match &found {
                Some(found) => println!("{name} {subject}: {} elsewhere\n    {}", found.elsewhere, found.pattern),
                None => println!("{name} {subject}: none"),
            }
        }
        taken += 1;
        if taken == commits {
            break;
        }
    }
    report.repositories += u64::from(taken > 0);
    Ok(())
}

fn language_of(path: &str) -> Language {
    RepoPath::new(path).map_or(Language::Text, |path| Language::detect(&path, b""))
}

fn text(bytes: &Arc<[u8]>) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}
