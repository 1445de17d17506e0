//! `m1nd risk`: the files that usually change with what the work tree has changed, and did not. For hooks before a
//! commit and comments of CI.

use m1nd_base::{Cancel, NoProgress};
use m1nd_tools::{Context, TOOLS};
use serde_json::{Value, json};

use crate::args::{Common, FailOn, RiskArgs};
use crate::error::CliError;
use crate::output::{Out, Tone};
use crate::project;

/// Runs the command.
pub(crate) fn run(args: &RiskArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.root.as_deref())?;
    let services = project::open_to_ask(common, &root, true)?;
    let cancel = Cancel::new();
    let context = Context { reads_history: true, ..Context::new(&services, TOOLS, &cancel, &NoProgress) };
    let tool = TOOLS.find("predict").ok_or_else(|| CliError::fail("the tool `predict` is not there", "report it"))?;
    let arguments = json!({"agent_id": "cli", "changed": args.files, "top_k": args.limit});
    let answer = tool.invoke(&context, arguments).map_err(CliError::Tool)?;
    let missing = rows(&answer).filter(|row| fails(row, args.fail_on)).count();
    match (out.json, args.markdown) {
        (true, _) => out.value(&answer)?,
        (false, true) => out.line(markdown(&answer).trim_end())?,
        (false, false) => page(&answer, out)?,
    }
    if missing > 0 { Err(CliError::NotChanged(missing)) } else { Ok(()) }
}

fn rows(answer: &Value) -> impl Iterator<Item = &Value> {
    answer["predictions"].as_array().into_iter().flatten()
}

/// The rows that are shown: those that the history supports.
fn list_supported(answer: &Value) -> Vec<&Value> {
    rows(answer).filter(|row| row["verdict"] != "abstain").collect()
}

fn fails(row: &Value, on: FailOn) -> bool {
    match on {
        FailOn::Act => row["verdict"] == "act",
        FailOn::Reverify => row["verdict"] != "abstain",
        FailOn::Never => false,
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn percent(value: &Value) -> String {
    format!("{:.0} %", value.as_f64().unwrap_or_default() * 100.0)
}

/// How far the answer can be trusted, in a sentence.
fn trust(answer: &Value) -> String {
    let calibration = &answer["calibration"];
    match calibration["measured_precision"].is_number() {
        true => format!(
            "On held-out commits of this repository, {} of the files marked `act` did change.",
            percent(&calibration["measured_precision"])
        ),
        false => format!("Not measured: {}.", calibration["note"].as_str().unwrap_or("there is no history")),
    }
}

/// What the answer says where no file is named, in paragraphs: why nothing was asked, or how far that can be trusted.
fn nothing(answer: &Value) -> Vec<String> {
    match answer["note"].as_str() {
        Some(note) => {
            let hint = answer["next_step_hint"].as_str().map(|hint| format!("Next: {hint}."));
            std::iter::once(note.to_owned()).chain(hint).collect()
        }
        None => vec!["The history names no other file that has to change.".to_owned(), trust(answer)],
    }
}

fn page(answer: &Value, out: &mut Out) -> Result<(), CliError> {
    let rows = list_supported(answer);
    if rows.is_empty() {
        return nothing(answer).into_iter().try_for_each(|line| out.line(line));
    }
    out.line("Usually changed with it, and not changed:")?;
    let width = rows.iter().map(|row| text(row, "file_path").chars().count()).max().unwrap_or_default();
    for row in rows {
        let path = format!("{:width$}", text(row, "file_path"));
        let verdict = out.paint(Tone::Strong, &format!("{:8}", text(row, "verdict")));
        out.line(format!("  {verdict}  {path}  {:>5}  {}", percent(&row["confidence"]), text(row, "reason")))?;
        let commit = &row["commits"][0];
        if commit.is_object() {
            out.line(format!("            {} {}", text(commit, "commit"), text(commit, "subject")))?;
        }
    }
    out.line(trust(answer))
}

/// A comment for a pull request. Texts of the repository are code, so that they cannot format anything.
fn markdown(answer: &Value) -> String {
    let rows = list_supported(answer);
    if rows.is_empty() {
        return nothing(answer).join("\n\n") + "\n";
    }
    let mut page = String::from("**Usually changed with this, and not changed**\n\n");
    page += "| file | verdict | probability | evidence |\n|---|---|---|---|\n";
    for row in rows {
        let commits = row["commits"].as_array().into_iter().flatten().map(|commit| code(text(commit, "commit")));
        let commits: Vec<String> = commits.collect();
        let evidence = match commits.is_empty() {
            true => text(row, "reason").to_owned(),
            false => format!("{} ({})", text(row, "reason"), commits.join(", ")),
        };
        let (path, verdict) = (code(text(row, "file_path")), text(row, "verdict"));
        page += &format!("| {path} | {verdict} | {} | {evidence} |\n", percent(&row["confidence"]));
    }
    page + "\n" + &trust(answer) + "\n"
}

/// A text as code in a table.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'").replace('|', "\\|").replace(['\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> Value {
        json!({
            "predictions": [
                {"file_path": "tests/a|b`c.py", "verdict": "act", "confidence": 0.912, "reason": "changed in 9 of 10 commits",
                 "commits": [{"commit": "0123456789ab", "subject": "both"}]},
                {"file_path": "notes.md", "verdict": "abstain", "confidence": 0.1, "reason": "", "commits": []},
            ],
            "calibration": {"measured_precision": 0.875},
        })
    }

    #[test]
    fn a_comment_is_a_table_of_what_is_supported() {
        let page = markdown(&answer());
        assert!(
            page.contains("| `tests/a\\|b'c.py` | act | 91 % | changed in 9 of 10 commits (`0123456789ab`) |"),
            "{page}"
        );
        assert!(!page.contains("notes.md") && page.contains("88 % of the files"), "{page}");
        let same = markdown(&json!({"predictions": [], "note": "nothing changed", "calibration": {}}));
        assert_eq!(same, "nothing changed\n", "nothing was asked, so nothing was measured");
        let none = markdown(&json!({"predictions": [], "calibration": {"note": "2 commits are too few"}}));
        assert_eq!(
            none,
            "The history names no other file that has to change.\n\nNot measured: 2 commits are too few.\n"
        );
    }

    #[test]
    fn a_hook_fails_on_what_it_was_told_to() {
        let count = |on| rows(&answer()).filter(|row| fails(row, on)).count();
        assert_eq!([count(FailOn::Act), count(FailOn::Reverify), count(FailOn::Never)], [1, 1, 0]);
    }
}
