//! `m1nd trail`: saved investigations for people, and for comments of pull requests.

use m1nd_base::{Cancel, NoProgress};
use m1nd_tools::{Context, TOOLS};
use serde_json::json;

use crate::answers::{self, Asked, Hypothesis, NodeStates, Trail, Trails};
use crate::args::{Common, TrailArgs, TrailCommand};
use crate::error::CliError;
use crate::flags::DEFAULT_AGENT;
use crate::output::{Out, percent};
use crate::project;

/// Runs the command.
pub(crate) fn run(args: &TrailArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.root.as_deref())?;
    let services = project::open_to_ask(common, &root, true)?;
    let cancel = Cancel::new();
    let context = Context { reads_history: true, ..Context::new(&services, TOOLS, &cancel, &NoProgress) };
    let (json, page) = match &args.command {
        TrailCommand::Show { name } => {
            let arguments = json!({"trail_id": name, "force": true, "agent_id": DEFAULT_AGENT});
            let Asked { answer, json } = answers::ask(&context, arguments)?;
            (json, markdown(&answer))
        }
        TrailCommand::List => {
            let arguments = json!({"limit": LISTED, "agent_id": DEFAULT_AGENT});
            let Asked { answer, json } = answers::ask(&context, arguments)?;
            (json, list(&answer))
        }
    };
    if out.json { out.value(&json) } else { out.line(page.trim_end()) }
}

/// Trails that are listed.
const LISTED: usize = 100;

fn list(found: &Trails) -> String {
    let mut page = String::new();
    for row in &found.trails {
        let changed = row.stale_nodes.filter(|stale| *stale > 0).map(|stale| format!(", {stale} changed"));
        let (label, status, agent, nodes) = (&row.label, &row.status, &row.agent_id, row.node_count);
        let changed = changed.unwrap_or_default();
        page += &format!("{label}  ({status}, {agent}: {nodes} nodes{changed})  {}\n", row.trail_id);
    }
    if page.is_empty() { "No investigation is saved here.\n".to_owned() } else { page }
}

/// A trail as Markdown. Words of agents are quoted as text, names of code as code, so that none formats anything.
fn markdown(found: &Trail) -> String {
    let mut page = format!("## {}\n\n", plain(&found.label));
    if let Some(summary) = found.trail.summary.as_ref().filter(|summary| !summary.is_empty()) {
        page += &format!("{}\n\n", plain(summary));
    }
    page += &format!("By {}. {}\n", plain(&found.trail.agent_id), nodes_in_words(&found.node_states));
    let head = |row: &Hypothesis| {
        format!("{} ({}, {})", plain(&row.statement), row.state.replace('_', " "), percent(row.confidence))
    };
    section(&mut page, "Hypotheses", &found.hypotheses, |row| {
        format!("- {}\n  {}\n", head(row), plain(row.why.as_deref().unwrap_or_default()))
    });
    section(&mut page, "Conclusions", &found.conclusions, |row| format!("- {}\n", head(row)));
    section(&mut page, "Open questions", &found.open_questions, |question| format!("- {}\n", plain(question)));
    section(&mut page, "Code", &found.nodes, |row| {
        let moved = row.moved_to.as_ref().map(|to| format!(" to {}", code(to))).unwrap_or_default();
        let note = row.annotation.as_ref().filter(|note| !note.is_empty());
        let note = note.map(|note| format!(": {}", plain(note))).unwrap_or_default();
        format!("- {} {}{moved}{note}\n", code(&row.node_id), row.state)
    });
    if found.truncated {
        page += "\nMore nodes are in the trail.\n";
    }
    page
}

fn section<T>(page: &mut String, title: &str, rows: &[T], row: impl Fn(&T) -> String) {
    if !rows.is_empty() {
        *page += &format!("\n### {title}\n\n");
        rows.iter().for_each(|value| *page += &row(value));
    }
}

fn nodes_in_words(states: &NodeStates) -> String {
    let NodeStates { unchanged, modified, moved, missing, unknown } = *states;
    let all = [
        (unchanged, "unchanged"),
        (modified, "modified"),
        (moved, "moved"),
        (missing, "missing"),
        (unknown, "unknown"),
    ];
    let counted = all.iter().filter(|(number, _)| *number > 0).map(|(number, name)| format!("{number} {name}"));
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
        assert_eq!(markdown(&answers::read(&answer).unwrap()), expected);
    }

    #[test]
    fn a_list_names_what_changed() {
        let answer = json!({"trails": [{"label": "p", "status": "saved", "agent_id": "ann", "node_count": 2, "stale_nodes": 1, "trail_id": "t"}]});
        assert_eq!(list(&answers::read(&answer).unwrap()), "p  (saved, ann: 2 nodes, 1 changed)  t\n");
        assert_eq!(list(&Trails::default()), "No investigation is saved here.\n");
    }
}
