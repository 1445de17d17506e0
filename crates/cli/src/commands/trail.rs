//! `m1nd trail`: saved investigations for people, and for comments of pull requests.

use m1nd_base::{Cancel, NoProgress};
use m1nd_tools::{Context, TOOLS};
use serde_json::{Value, json};

use crate::args::{Common, TrailArgs, TrailCommand};
use crate::error::CliError;
use crate::output::Out;
use crate::project;

/// Runs the command.
pub(crate) fn run(args: &TrailArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.root.as_deref())?;
    let services = project::open_to_ask(common, &root, true)?;
    let cancel = Cancel::new();
    let context = Context { reads_history: true, ..Context::new(&services, TOOLS, &cancel, &NoProgress) };
    let (name, mut arguments, page): (_, _, fn(&Value) -> String) = match &args.command {
        TrailCommand::Show { name } => ("trail_resume", json!({"trail_id": name, "force": true}), markdown),
        TrailCommand::List => ("trail_list", json!({"limit": LISTED}), list),
    };
    arguments["agent_id"] = json!("cli");
    let tool = TOOLS.find(name).ok_or_else(|| CliError::fail(format!("the tool `{name}` is missing"), "report it"))?;
    let answer = tool.invoke(&context, arguments).map_err(CliError::Tool)?;
    if out.json { out.value(&answer) } else { out.line(page(&answer).trim_end()) }
}

/// Trails that are listed.
const LISTED: usize = 100;

fn rows<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn percent(value: &Value) -> String {
    format!("{:.0} %", value.as_f64().unwrap_or_default() * 100.0)
}

fn list(answer: &Value) -> String {
    let mut page = String::new();
    for row in rows(answer, "trails") {
        let stale = row["stale_nodes"].as_u64().unwrap_or_default();
        let nodes = row["node_count"].as_u64().unwrap_or_default();
        let changed = if stale > 0 { format!(", {stale} changed") } else { String::new() };
        let (label, status, agent) = (text(row, "label"), text(row, "status"), text(row, "agent_id"));
        page += &format!("{label}  ({status}, {agent}: {nodes} nodes{changed})  {}\n", text(row, "trail_id"));
    }
    if page.is_empty() { "No investigation is saved here.\n".to_owned() } else { page }
}

/// A trail as Markdown. Words of agents are quoted as text, names of code as code, so that none formats anything.
fn markdown(answer: &Value) -> String {
    let trail = &answer["trail"];
    let mut page = format!("## {}\n\n", plain(text(answer, "label")));
    if !text(trail, "summary").is_empty() {
        page += &format!("{}\n\n", plain(text(trail, "summary")));
    }
    page += &format!("By {}. {}\n", plain(text(trail, "agent_id")), nodes_in_words(&answer["node_states"]));
    section(&mut page, "Hypotheses", rows(answer, "hypotheses"), |row| {
        let head = format!("{} ({}, {})", plain(text(row, "statement")), state(row), percent(&row["confidence"]));
        format!("- {head}\n  {}\n", plain(text(row, "why")))
    });
    section(&mut page, "Conclusions", rows(answer, "conclusions"), |row| {
        format!("- {} ({}, {})\n", plain(text(row, "statement")), state(row), percent(&row["confidence"]))
    });
    section(&mut page, "Open questions", rows(answer, "open_questions"), |question| {
        format!("- {}\n", plain(question.as_str().unwrap_or_default()))
    });
    section(&mut page, "Code", rows(answer, "nodes"), |row| {
        let moved = text(row, "moved_to");
        let moved = if moved.is_empty() { String::new() } else { format!(" to {}", code(moved)) };
        let note = text(row, "annotation");
        let note = if note.is_empty() { String::new() } else { format!(": {}", plain(note)) };
        format!("- {} {}{moved}{note}\n", code(text(row, "node_id")), text(row, "state"))
    });
    if answer["truncated"] == true {
        page += "\nMore nodes are in the trail.\n";
    }
    page
}

fn section(page: &mut String, title: &str, rows: &[Value], row: impl Fn(&Value) -> String) {
    if !rows.is_empty() {
        *page += &format!("\n### {title}\n\n");
        rows.iter().for_each(|value| *page += &row(value));
    }
}

fn state(row: &Value) -> String {
    text(row, "state").replace('_', " ")
}

fn nodes_in_words(states: &Value) -> String {
    let number = |name: &str| states[name].as_u64().unwrap_or_default();
    let all = ["unchanged", "modified", "moved", "missing", "unknown"];
    let counted = all.iter().filter(|name| number(name) > 0).map(|name| format!("{} {name}", number(name)));
    let counted: Vec<String> = counted.collect();
    if counted.is_empty() { "No code.".to_owned() } else { format!("Code since it was saved: {}.", counted.join(", ")) }
}

/// A text on one line, without meaning as Markdown.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars().map(|c| if c.is_control() { ' ' } else { c }) {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '!' | '@') {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

/// A text as code.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'").replace(['\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_is_a_page() {
        let answer = json!({
            "label": "Prices *now*",
            "hypotheses": [{"statement": "gross calls net", "state": "still_holds", "confidence": 0.8, "why": "a path\n# leads there"}],
            "conclusions": [],
            "open_questions": ["<b>why</b>?"],
            "nodes": [{"node_id": "file::a.py::fn::f`", "state": "moved", "moved_to": "file::b.py::fn::f", "annotation": "see @all"}],
            "node_states": {"unchanged": 0, "moved": 1},
            "trail": {"agent_id": "ann", "summary": ""},
        });
        let expected = "\
## Prices \\*now\\*

By ann. Code since it was saved: 1 moved.

### Hypotheses

- gross calls net (still holds, 80 %)
  a path \\# leads there

### Open questions

- \\<b\\>why\\</b\\>?

### Code

- `file::a.py::fn::f'` moved to `file::b.py::fn::f`: see \\@all
";
        assert_eq!(markdown(&answer), expected);
    }

    #[test]
    fn a_list_names_what_changed() {
        let answer = json!({"trails": [{"label": "p", "status": "saved", "agent_id": "ann", "node_count": 2, "stale_nodes": 1, "trail_id": "t"}]});
        assert_eq!(list(&answer), "p  (saved, ann: 2 nodes, 1 changed)  t\n");
        assert_eq!(list(&json!({"trails": []})), "No investigation is saved here.\n");
    }
}
