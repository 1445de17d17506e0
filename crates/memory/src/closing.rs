//! Resolves issues by fixes in other texts: a commit, a comment, the memory file, its archive.
//!
//! Within one text this happens during parsing; here the memories of all texts of a project are combined.

use crate::overlap::{SAME_THING, Tokens};
use crate::parser::draft::{MAX_CONTENT_CHARS, cut};
use crate::{Kind, Record, SourceKind, Status};

/// The newest open issues that are compared with a fix.
const MAX_OPEN: usize = 2_000;
/// Maximum number of fixes considered, newest first.
const MAX_FIXES: usize = 2_000;

/// Resolves the open issues that a later fix in another text describes, and returns the indexes of those fixes,
/// ascending: they are no memories of their own. Every record must have the day it was written or first seen.
///
/// A fix resolves the issue with the most common words, at least [`SAME_THING`] of the shorter text; ties go to the
/// newest. A fix older than the last mention of the issue resolves nothing.
#[must_use]
pub fn close_issues(records: &mut [Record]) -> Vec<usize> {
    let mut fixes: Vec<usize> = (0..records.len()).filter(|&at| is_fix(&records[at])).collect();
    if fixes.is_empty() {
        return fixes;
    }
    let by_time = |records: &[Record], at: &usize| (records[*at].date, records[*at].source.line, *at);
    fixes.sort_by_key(|at| by_time(records, at));
    fixes.drain(..fixes.len().saturating_sub(MAX_FIXES));
    let mut open: Vec<usize> = (0..records.len()).filter(|&at| is_open(&records[at])).collect();
    open.sort_by_key(|at| std::cmp::Reverse(by_time(records, at)));
    open.truncate(MAX_OPEN);
    let mut open: Vec<(usize, Tokens)> = open.into_iter().map(|at| (at, Tokens::of(&records[at].title))).collect();
    let mut taken = Vec::new();
    for fix in fixes {
        let said = Tokens::of(&records[fix].title);
        let mut best: Option<(usize, f32)> = None;
        for (place, (issue, tokens)) in open.iter().enumerate() {
            let overlap = tokens.overlap(&said);
            let is_better = best.is_none_or(|(_, known)| overlap > known);
            if overlap >= SAME_THING && is_better && can_close(&records[fix], &records[*issue]) {
                best = Some((place, overlap));
            }
        }
        let Some((place, _)) = best else { continue };
        let (issue, _) = open.remove(place);
        let (by, text) = (place_of(&records[fix]), records[fix].content.clone());
        let issue = &mut records[issue];
        issue.status = Some(Status::Resolved);
        issue.resolved_by = Some(by);
        if !issue.content.contains(&*text) {
            issue.content = cut(&format!("{}\n{text}", issue.content), MAX_CONTENT_CHARS).into();
        }
        taken.push(fix);
    }
    taken.sort_unstable();
    taken
}

/// Returns whether a memory reports that something was solved, and matched no issue of its own text.
fn is_fix(record: &Record) -> bool {
    let is_told = record.rule.starts_with("issue.fixed") || &*record.rule == "issue.is_fixed";
    record.status == Some(Status::Resolved) && record.resolved_by_line.is_none() && is_told
}

fn is_open(record: &Record) -> bool {
    record.kind == Kind::Issue
        && matches!(record.status, Some(Status::Open | Status::Blocked))
        && record.superseded_by.is_none()
}

/// Returns whether a fix can refer to an issue: it is in another text (comments of one file are parsed separately),
/// and is not older. A recurring issue is only resolved by a fix of a later day.
fn can_close(fix: &Record, issue: &Record) -> bool {
    let is_elsewhere = fix.source.file != issue.source.file || fix.source.kind == SourceKind::Comment;
    let is_later = match issue.earlier.is_empty() {
        true => fix.date >= issue.date,
        false => fix.date > issue.date,
    };
    is_elsewhere && is_later
}

/// `file:line`.
fn place_of(record: &Record) -> Box<str> {
    format!("{}:{}", record.source.file, record.source.line).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CommitText, ParseContext, comment_records, commit_records, parse};

    /// The memories of a memory file, then of commits (day, message), then of comments (day, text).
    fn all(memory: &str, commits: &[(&str, &str)], comments: &[(&str, &str)]) -> Vec<Record> {
        let day = |text: &str| text.parse().expect("a day");
        let context =
            ParseContext { project: "/p", today: day("2026-06-01"), kind: SourceKind::MemoryFile, file: "MEMORY.md" };
        let mut records = parse(memory, &context).records;
        for (number, (date, message)) in commits.iter().enumerate() {
            let commit = CommitText { short_id: &format!("c{number}"), date: day(date), message };
            records.extend(commit_records(&commit, "/p"));
        }
        for (number, (date, text)) in comments.iter().enumerate() {
            let comment = crate::Comment { line: 7, text: (*text).into() };
            records.extend(comment_records(&comment, &format!("f{number}.rs"), "/p", Some(day(date))));
        }
        records
    }

    /// A day and a text.
    type Dated = (&'static str, &'static str);
    /// Commits, comments, and the issues then.
    type Case = (&'static [Dated], &'static [Dated], &'static [&'static str]);

    /// Title, status and fix of all issues.
    fn issues(mut records: Vec<Record>) -> Vec<String> {
        let taken = close_issues(&mut records);
        let kept = records.iter().enumerate().filter(|(at, record)| !taken.contains(at) && record.kind == Kind::Issue);
        kept.map(|(_, record)| {
            let status = record.status.map(|status| format!("{status:?}")).unwrap_or_default();
            format!("{}: {status} {}", record.title, record.resolved_by.as_deref().unwrap_or("-"))
        })
        .collect()
    }

    #[test]
    fn fixes_of_other_texts_close_issues() {
        let memory = "## 2026-05-01\n**Problem:** Safari CORS preflight\n**Problem:** login loop on mobile\n";
        let rows: &[Case] = &[
            (
                &[("2026-05-02", "Add preflight\n\nfixed: Safari CORS preflight, by answering OPTIONS\n")],
                &[],
                &["Safari CORS preflight: Resolved git:c0:3", "login loop on mobile: Open -"],
            ),
            // A fix of the time before the issue is another one.
            (
                &[("2026-04-30", "x\n\nfixed: Safari CORS preflight\n")],
                &[],
                &["Safari CORS preflight: Open -", "login loop on mobile: Open -", "Safari CORS preflight: Resolved -"],
            ),
            (
                &[],
                &[("2026-05-03", "// MEMORY: fixed the login loop on mobile")],
                &["Safari CORS preflight: Open -", "login loop on mobile: Resolved f0.rs:7"],
            ),
            // An issue found in a commit is resolved by a later one, and not by mere similarity.
            (
                &[
                    ("2026-05-02", "x\n\nproblem: cache stampede at noon\n"),
                    ("2026-05-04", "y\n\nresolved: cache stampede at noon\n"),
                    ("2026-05-04", "z\n\nfixed: typo in the readme\n"),
                ],
                &[],
                &[
                    "Safari CORS preflight: Open -",
                    "login loop on mobile: Open -",
                    "cache stampede at noon: Resolved git:c1:3",
                    "typo in the readme: Resolved -",
                ],
            ),
        ];
        for (commits, comments, expected) in rows {
            assert_eq!(issues(all(memory, commits, comments)), *expected, "{commits:?} {comments:?}");
        }
    }

    #[test]
    fn a_fix_in_the_memory_file_closes_an_issue_of_a_comment() {
        let memory = "## 2026-05-09\n**Fixed:** queue overflow on bursts - bounded it\n";
        let comments = [("2026-05-01", "// MEMORY: problem - queue overflow on bursts")];
        assert_eq!(issues(all(memory, &[], &comments)), ["queue overflow on bursts: Resolved MEMORY.md:2"]);
    }

    #[test]
    fn what_was_met_again_stays_open() {
        let memory = "## 2026-05-01\n**Problem:** login loop on mobile\n**Fixed:** login loop on mobile\n\
            ## 2026-05-05\nThe login loop on mobile is back again\n";
        let fix = [("2026-05-05", "x\n\nfixed: login loop on mobile\n")];
        assert_eq!(issues(all(memory, &fix, &[]))[0], "login loop on mobile: Open -");
        let fix = [("2026-05-06", "x\n\nfixed: login loop on mobile\n")];
        assert_eq!(issues(all(memory, &fix, &[])), ["login loop on mobile: Resolved git:c0:3"]);
    }
}
