//! Rows of answers about changes as lines of text: the same words in `differential`, `diverge` and `drift`.

use serde_json::{Map, Value};

use crate::framework::short_target;

/// A row of a list of changes as a line. What it is shows in its members: an edge, a new name, a file, a pair.
pub(crate) fn row_text(row: &Map<String, Value>, _: &Map<String, Value>) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    let short = |name: &str| text(name).map(short_target).unwrap_or_default();
    let has = |names: &[&str]| names.iter().all(|name| row.contains_key(*name));
    let place = match (text("file_path"), row.get("line").and_then(Value::as_u64)) {
        (Some(path), Some(line)) => format!("  {path}:{line}"),
        _ => String::new(),
    };
    // Rows are told apart by their members: edges, answers, renames, couplings, anomalies.
    if has(&["source", "target", "relation"]) {
        let relation = text("relation").unwrap_or_default();
        let places = change(row, "old_weight", "new_weight").map(|change| format!("  {change} places"));
        return format!("{} {relation} {}{}{place}", short("source"), short("target"), places.unwrap_or_default());
    }
    if has(&["asked", "detail"]) {
        return format!("{}: {}{place}", text("asked").unwrap_or_default(), text("detail").unwrap_or_default());
    }
    if has(&["from", "to"]) {
        let alike = row.get("likeness").and_then(Value::as_f64).filter(|share| *share < 1.0);
        let alike = alike.map(|share| format!("  {:.0} % alike", share * 100.0)).unwrap_or_default();
        return format!("{} → {}{alike}", short("from"), short("to"));
    }
    if has(&["community_a", "community_b"]) {
        let change = change(row, "old_coupling", "new_coupling").unwrap_or_default();
        return format!("{} and {}: {change}", folder(text("community_a")), folder(text("community_b")));
    }
    if let Some([one, other]) = row.get("pair").and_then(Value::as_array).map(Vec::as_slice) {
        let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let change = change(row, "was", "now").unwrap_or_default();
        return format!("{}: {} and {}, {change}", text("direction").unwrap_or_default(), name(one), name(other));
    }
    if has(&["type", "file", "detail"]) {
        let [kind, file, detail, severity] =
            ["type", "file", "detail", "severity"].map(|name| text(name).unwrap_or_default());
        return format!("{severity} {kind} {file}: {detail}");
    }
    if has(&["edge", "old", "new"]) {
        let edge: Vec<String> = text("edge").unwrap_or_default().split(' ').map(short_target).collect();
        return format!("{}  {} places", edge.join(" "), change(row, "old", "new").unwrap_or_default());
    }
    // What is left is about a file, or has a form of its own.
    match text("file_path").or_else(|| text("file")) {
        Some(path) => file_text(row, path),
        None => other_text(row),
    }
}

/// `src/a.py  modified from src/b.py  +3/-1  120 → 122 lines  2 commits`, and the commits below.
fn file_text(row: &Map<String, Value>, path: &str) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    let mut line = path.to_owned();
    let from = text("from").map(|from| format!("from {from}"));
    let lines = change(row, "lines_before", "lines_after").map(|change| format!("{change} lines"));
    let commits = row.get("commit_count").and_then(Value::as_u64).map(|count| match count {
        0 => "not committed".to_owned(),
        count => m1nd_base::count(count as usize, "commit"),
    });
    let known = [text("change").map(str::to_owned), from, text("delta").map(str::to_owned), lines, commits];
    known.into_iter().flatten().for_each(|part| line += &format!("  {part}"));
    for commit in row.get("commits").and_then(Value::as_array).into_iter().flatten() {
        let of = |name: &str| commit.get(name).and_then(Value::as_str).unwrap_or_default();
        line += &format!("\n{} {}  {}", of("commit"), of("subject"), of("author"));
    }
    line
}

/// The members of any other row, one by one.
fn other_text(row: &Map<String, Value>) -> String {
    let part = |(name, value): (&String, &Value)| match value {
        Value::String(text) => Some(format!("{name} {}", short_target(text))),
        Value::Number(number) => Some(format!("{name} {number}")),
        _ => None,
    };
    row.iter().filter_map(part).collect::<Vec<_>>().join("  ")
}

/// `3 → 5`; `None` without both figures.
fn change(row: &Map<String, Value>, before: &str, after: &str) -> Option<String> {
    let figure = |name: &str| match row.get(name)? {
        Value::Number(number) if number.is_f64() => number.as_f64().map(|number| format!("{number:.2}")),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    Some(format!("{} → {}", figure(before)?, figure(after)?))
}

fn folder(path: Option<&str>) -> &str {
    path.filter(|path| !path.is_empty()).unwrap_or("the top folder")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_are_lines_that_people_read() {
        let cases = [
            (
                json!({"source": "file::a.py::fn::one", "target": "file::b.py::class::Two::fn::run", "relation": "calls", "weight": 1,
                    "file_path": "a.py", "line": 4}),
                "a.py::one calls b.py::Two.run  a.py:4",
            ),
            (
                json!({"source": "file::a.py", "target": "file::b.py", "relation": "imports", "old_weight": 1, "new_weight": 3, "delta": 2}),
                "a.py imports b.py  1 → 3 places",
            ),
            (
                json!({"from": "file::a.py::fn::one", "to": "file::b.py::fn::one", "kind": "move", "likeness": 1.0}),
                "a.py::one → b.py::one",
            ),
            (json!({"from": "file::a.py", "to": "file::b.py", "likeness": 0.7234}), "a.py → b.py  72 % alike"),
            (
                json!({"community_a": "", "community_b": "src", "old_coupling": 0.1, "new_coupling": 0.25, "delta": 0.15}),
                "the top folder and src: 0.10 → 0.25",
            ),
            (
                json!({"pair": ["a.py", "b.py"], "was": 0.0, "now": 0.5, "direction": "new_coupling"}),
                "new_coupling: a.py and b.py, 0.00 → 0.50",
            ),
            (
                json!({"type": "velocity_spike", "file": "a.py", "detail": "10.1 times as long as before", "severity": "critical"}),
                "critical velocity_spike a.py: 10.1 times as long as before",
            ),
            (json!({"file": "a.py", "delta": "+3/-1", "growth_ratio": 1.5}), "a.py  +3/-1"),
            (
                json!({"file_path": "a.py", "change": "renamed", "from": "b.py", "lines_before": 3, "lines_after": 9}),
                "a.py  renamed  from b.py  3 → 9 lines",
            ),
            (json!({"file_path": "a.py", "change": "modified", "commit_count": 0}), "a.py  modified  not committed"),
            (
                json!({"file_path": "a.py", "change": "new", "commit_count": 1, "commits": [{"commit": "12ab", "subject": "add it", "author": "ann"}]}),
                "a.py  new  1 commit\n12ab add it  ann",
            ),
            (
                json!({"edge": "file::a.py imports file::b.py", "old": 1, "new": 2, "delta": 1}),
                "a.py imports b.py  1 → 2 places",
            ),
            (
                json!({"asked": "new_cycle", "detail": "depend on each other", "names": ["a.py"], "file_path": "a.py", "line": 2}),
                "new_cycle: depend on each other  a.py:2",
            ),
            (
                json!({"node_id": "file::a.py", "velocity": 1.5, "trend": "accelerating"}),
                "node_id a.py  trend accelerating  velocity 1.5",
            ),
        ];
        for (row, line) in cases {
            let mut text = row_text(row.as_object().expect("an object"), &Map::new());
            if line.starts_with("node_id") {
                // In the order of the members, which a map of the tests sorts.
                let mut parts: Vec<&str> = text.split("  ").collect();
                parts.sort_unstable();
                text = parts.join("  ");
            }
            assert_eq!(text, line);
        }
    }
}
