//! Rows made from a fetched history: of each of its newest commits, one file is the question and the others are right.

use std::path::Path;

use m1nd_history::History;

use super::Row;
use super::repository::Mirror;
use crate::Outcome;

/// Commits that become rows.
const COMMITS: usize = 300;
/// Commits that must be older than all of them.
const LEAST_BEFORE: usize = 200;

/// The rows of a repository, oldest first: its newest commits by people that touch two to ten files and are no merges
/// or reformattings. Files are named as at the commit; those that it added or removed are neither question nor answer.
pub(super) fn of_repository(mirror: &Path, repository: &str) -> Outcome<Vec<Row>> {
    let mirror = Mirror::open(mirror, repository)?;
    let history = mirror.history()?;
    let commits = history.commits();
    let is_row = |number: &usize| {
        let commit = &commits[*number];
        commit.count_touched() > 1 && commit.is_focused() && commit.counts_together() && !commit.is_bot
    };
    let numbers: Vec<usize> = (0..commits.len().saturating_sub(LEAST_BEFORE)).filter(is_row).take(COMMITS).collect();
    let oldest = *numbers.last().ok_or("it has too few commits")?;
    let cutoff = commits[oldest].first_parent().ok_or("its oldest commit has no parent")?;
    let mut rows = Vec::new();
    let mut at = mirror.history_at(&cutoff, None)?;
    for number in numbers.into_iter().rev() {
        let Some(parent) = commits[number].first_parent() else { continue };
        at = mirror.history_at(&commits[number].name(), Some(&at))?;
        let Some((query, gold)) = question(&at, number) else { continue };
        rows.push(Row { repo: repository.to_owned(), parent, cutoff: cutoff.clone(), query, gold });
    }
    Ok(rows)
}

/// The question of the newest commit: not always the first path, since those are of few folders.
fn question(history: &History, number: usize) -> Option<(String, Vec<String>)> {
    let added: Vec<u32> = history.added_by(0).map(|file| file.key()).collect();
    let existing = history.touched_by(0).filter(|file| !added.contains(&file.key()));
    let mut paths: Vec<String> = existing.map(|file| file.path().to_owned()).collect();
    paths.sort();
    if paths.len() < 2 {
        return None;
    }
    let query = paths.remove(number % paths.len());
    Some((query, paths))
}
