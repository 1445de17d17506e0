//! `m1nd risk`: the files that usually change with what the work tree has changed, and did not. For hooks before a
//! commit and comments of CI.

use m1nd_base::{Cancel, NoProgress};
use m1nd_tools::{Context, TOOLS};
use serde_json::json;

use crate::answers::{self, Asked, Prediction, Predictions, Verdict};
use crate::args::{Common, FailOn, RiskArgs};
use crate::error::CliError;
use crate::flags::DEFAULT_AGENT;
use crate::output::{Out, Tone, percent};
use crate::project;

/// Runs the command.
pub(crate) fn run(args: &RiskArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.root.as_deref())?;
    let services = project::open_to_ask(common, &root, true)?;
    let cancel = Cancel::new();
    let context = Context { reads_history: true, ..Context::new(&services, TOOLS, &cancel, &NoProgress) };
    let arguments = json!({"agent_id": DEFAULT_AGENT, "changed": args.files, "top_k": args.limit});
    let Asked { answer: found, json } = answers::ask::<Predictions>(&context, arguments)?;
    let missing = found.predictions.iter().filter(|row| fails(row, args.fail_on)).count();
    match (out.json, args.markdown) {
        (true, _) => out.value(&json)?,
        (false, true) => out.line(markdown(&found).trim_end())?,
        (false, false) => page(&found, out)?,
    }
    if missing > 0 { Err(CliError::NotChanged(missing)) } else { Ok(()) }
}

/// The rows that are shown: those that the history supports.
fn list_supported(found: &Predictions) -> Vec<&Prediction> {
    found.predictions.iter().filter(|row| row.verdict != Verdict::Abstain).collect()
}

fn fails(row: &Prediction, on: FailOn) -> bool {
    match on {
        FailOn::Act => row.verdict == Verdict::Act,
        FailOn::Reverify => row.verdict != Verdict::Abstain,
        FailOn::Never => false,
    }
}

/// How far the answer can be trusted, in a sentence.
fn trust(found: &Predictions) -> String {
    match found.calibration.measured_precision {
        Some(precision) => format!(
            "On held-out commits of this repository, {} of the files marked `act` did change.",
            percent(precision)
        ),
        None => format!("Not measured: {}.", found.calibration.note.as_deref().unwrap_or("there is no history")),
    }
}

/// What the answer says where no file is named, in paragraphs: why nothing was asked, or how far that can be trusted.
fn nothing(found: &Predictions) -> Vec<String> {
    match &found.note {
        Some(note) => {
            let hint = found.next_step_hint.as_ref().map(|hint| format!("Next: {hint}."));
            std::iter::once(note.clone()).chain(hint).collect()
        }
        None => vec!["The history names no other file that has to change.".to_owned(), trust(found)],
    }
}

fn page(found: &Predictions, out: &mut Out) -> Result<(), CliError> {
    let rows = list_supported(found);
    if rows.is_empty() {
        return nothing(found).into_iter().try_for_each(|line| out.line(line));
    }
    out.line("Usually changed with it, and not changed:")?;
    let width = rows.iter().map(|row| row.file_path.chars().count()).max().unwrap_or_default();
    for row in rows {
        let path = format!("{:width$}", row.file_path);
        let verdict = out.paint(Tone::Strong, &format!("{:8}", row.verdict.word()));
        out.line(format!("  {verdict}  {path}  {:>5}  {}", percent(row.confidence), row.reason))?;
        if let Some(commit) = row.commits.first() {
            out.line(format!("            {} {}", commit.commit, commit.subject))?;
        }
    }
    out.line(trust(found))
}

/// A comment for a pull request. Texts of the repository are code, so that they cannot format anything.
fn markdown(found: &Predictions) -> String {
    let rows = list_supported(found);
    if rows.is_empty() {
        return nothing(found).join("\n\n") + "\n";
    }
    let mut page = String::from("**Usually changed with this, and not changed**\n\n");
    page += "| file | verdict | probability | evidence |\n|---|---|---|---|\n";
    for row in rows {
        let commits: Vec<String> = row.commits.iter().map(|commit| code(&commit.commit)).collect();
        let evidence = match commits.is_empty() {
            true => row.reason.clone(),
            false => format!("{} ({})", row.reason, commits.join(", ")),
        };
        let (path, verdict) = (code(&row.file_path), row.verdict.word());
        page += &format!("| {path} | {verdict} | {} | {evidence} |\n", percent(row.confidence));
    }
    page + "\n" + &trust(found) + "\n"
}

/// A text as code in a table.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'").replace('|', "\\|").replace(['\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> Predictions {
        read(&json!({
            "predictions": [
                {"file_path": "tests/a|b`c.py", "verdict": "act", "confidence": 0.912, "reason": "changed in 9 of 10 commits",
                 "commits": [{"commit": "0123456789ab", "subject": "both"}]},
                {"file_path": "notes.md", "verdict": "abstain", "confidence": 0.1, "reason": "", "commits": []},
            ],
            "calibration": {"measured_precision": 0.875},
        }))
    }

    fn read(answer: &serde_json::Value) -> Predictions {
        answers::read(answer).unwrap()
    }

    #[test]
    fn a_comment_is_a_table_of_what_is_supported() {
        let page = markdown(&answer());
        assert!(
            page.contains("| `tests/a\\|b'c.py` | act | 91 % | changed in 9 of 10 commits (`0123456789ab`) |"),
            "{page}"
        );
        assert!(!page.contains("notes.md") && page.contains("88 % of the files"), "{page}");
        let same = markdown(&read(&json!({"predictions": [], "note": "nothing changed", "calibration": {}})));
        assert_eq!(same, "nothing changed\n", "nothing was asked, so nothing was measured");
        let none = markdown(&read(&json!({"predictions": [], "calibration": {"note": "2 commits are too few"}})));
        assert_eq!(
            none,
            "The history names no other file that has to change.\n\nNot measured: 2 commits are too few.\n"
        );
    }

    #[test]
    fn a_hook_fails_on_what_it_was_told_to() {
        let count = |on| answer().predictions.iter().filter(|row| fails(row, on)).count();
        assert_eq!([count(FailOn::Act), count(FailOn::Reverify), count(FailOn::Never)], [1, 1, 0]);
    }
}
