//! Memories in commit messages.

use jiff::civil::Date;

use crate::parser::cues::{RULE, Strength};
use crate::parser::draft::{Draft, drafts};
use crate::parser::markdown::Line;
use crate::parser::sentence::{sentences, words};
use crate::parser::timeline::{Origin, assemble};
use crate::{Kind, Record, SourceKind};

/// Confidence of a memory in the subject of a commit.
const SUBJECT_CONFIDENCE: f32 = 0.5;
/// Lines of a message that are read.
const MAX_MESSAGE_LINES: usize = 400;

/// A commit message, with the date and name for its memories.
#[derive(Clone, Copy, Debug)]
pub struct CommitText<'a> {
    /// The short id; `git:<short id>` is the file of its memories.
    pub short_id: &'a str,
    /// The day it was authored.
    pub date: Date,
    /// The whole message, subject first.
    pub message: &'a str,
}

/// The memories of a commit message: lines of its body that start with a label (`decided: …`, any case) count as bold
/// labels, other lines say nothing; the subject may decide or teach.
#[must_use]
pub fn commit_records(commit: &CommitText<'_>, project: &str) -> Vec<Record> {
    let mut all = Vec::new();
    let mut paragraphs = paragraphs(commit.message).into_iter();
    if let Some((number, subject)) = paragraphs.next().filter(|(number, _)| *number == 1) {
        let found = drafts_of(number, without_type(&subject), Strength::All).into_iter();
        // "Don't send the header twice" describes the commit, not a rule for everybody.
        let told = found.filter(|draft| matches!(draft.kind, Kind::Decision | Kind::Learning) && draft.rule != RULE);
        all.extend(told.map(|draft| Draft { confidence: SUBJECT_CONFIDENCE, ..draft }));
    }
    for (number, text) in paragraphs {
        all.extend(drafts_of(number, &text, Strength::PlainLabels));
    }
    all.iter_mut().for_each(|draft| draft.date = Some(commit.date));
    let file = format!("git:{}", commit.short_id);
    assemble(all, &Origin { project, kind: SourceKind::Commit, file: &file }).0
}

fn drafts_of(number: u32, text: &str, strength: Strength) -> Vec<Draft> {
    let line = Line::plain(number, text);
    let words = words(&line.mask);
    let sentences = sentences(&line, &words);
    let found = drafts(&sentences, strength).into_iter().map(|(_, draft)| draft);
    found.filter(|draft| !draft.role.needs_another()).collect()
}

/// The subject, and each line of the body with the lines that continue it. Bullets lose their mark.
fn paragraphs(message: &str) -> Vec<(u32, String)> {
    let mut found: Vec<(u32, String)> = Vec::new();
    let mut open = false;
    for (number, line) in (1..).zip(message.lines().take(MAX_MESSAGE_LINES)) {
        let bullet = line.trim_start().strip_prefix(['-', '*', '•']).filter(|rest| rest.starts_with(' '));
        let text = bullet.unwrap_or(line).trim();
        if text.is_empty() {
            open = false;
            continue;
        }
        let starts = !open || bullet.is_some() || has_label(text);
        match found.last_mut() {
            Some((1, _)) | None => found.push((number, text.to_owned())),
            Some(_) if starts => found.push((number, text.to_owned())),
            Some((_, before)) => {
                before.push(' ');
                before.push_str(text);
            }
        }
        open = true;
    }
    found
}

/// Returns whether a line starts with a word and a colon.
fn has_label(text: &str) -> bool {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '-')).unwrap_or(text.len());
    end > 0 && text[end..].starts_with(':')
}

/// The subject without `feat(scope):`.
fn without_type(subject: &str) -> &str {
    match subject.split_once(": ") {
        Some((kind, rest)) if is_type(kind) => rest,
        _ => subject,
    }
}

fn is_type(text: &str) -> bool {
    const TYPES: &[&str] =
        &["build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test"];
    let text = text.trim_end_matches('!');
    let name = text.split_once('(').map_or(text, |(name, _)| name);
    TYPES.contains(&name.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;

    type Case = (&'static str, &'static [(Kind, &'static str, u32, f32)]);

    #[test]
    fn memories_of_commit_messages() {
        let cases: &[Case] = &[
            ("feat: auth - decided JWT over OAuth", &[(Kind::Decision, "JWT over OAuth", 1, 0.5)]),
            (
                "Add auth\n\nDecided: JWT over OAuth because\nit needs no store\nlearned: Safari needs a prefix\n",
                &[(Kind::Decision, "JWT over OAuth", 3, 1.0), (Kind::Learning, "Safari needs a prefix", 5, 0.9)],
            ),
            (
                "Tidy\n\n- problem: CI is slow\n- fixed: login loop - reset cookie\n",
                &[(Kind::Issue, "CI is slow", 3, 0.9), (Kind::Issue, "login loop", 4, 0.9)],
            ),
            ("fix: login loop", &[]),
            ("Fixed the login loop", &[]),
            ("Don't send the header by default on GET", &[]),
            ("http: never use the cache for POST requests", &[]),
            (
                "Tidy\n\nwarning: unused variable: `x`\nProblème: le worker plante\n",
                &[(Kind::Issue, "le worker plante", 4, 0.9)],
            ),
            ("Tidy\n\nwe decided to use JWT\nSigned-off-by: A <a@b.c>\n", &[]),
            ("", &[]),
        ];
        for (message, expected) in cases {
            let commit = CommitText { short_id: "abc1234", date: jiff::civil::date(2024, 12, 12), message };
            let found = commit_records(&commit, "/p");
            let seen: Vec<_> = found.iter().map(|it| (it.kind, &*it.title, it.source.line, it.confidence)).collect();
            assert_eq!(&seen, expected, "{message}");
            assert!(found.iter().all(|record| &*record.source.file == "git:abc1234"));
        }
        let commit = CommitText { short_id: "a", date: Date::MIN, message: "x\n\nfixed: login loop\n" };
        assert_eq!(commit_records(&commit, "/p")[0].status, Some(Status::Resolved));
    }
}
