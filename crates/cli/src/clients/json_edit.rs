//! Adds one entry to a JSON file without changing the rest of its text.

use std::ops::Range;

use serde_json::Value;

/// Error of editing a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EditError {
    /// Not JSON, or JSON with comments, which would be lost.
    #[error("not valid JSON ({0})")]
    Invalid(String),
    /// A value is not an object.
    #[error("{0} is not an object")]
    NotAnObject(String),
    /// A value is not a list.
    #[error("{0} is not a list")]
    NotAList(String),
}

/// Default indentation, if the text shows none.
const INDENT: &str = "  ";

/// Returns the text with `entry` at `section` → `name`; `None` if it exists already.
///
/// # Errors
/// The text is not JSON, or the place for the entry has another type.
pub(crate) fn set_entry(text: &str, section: &str, name: &str, entry: &Value) -> Result<Option<String>, EditError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        let whole = serde_json::json!({ section: { name: entry } });
        return Ok(Some(format!("{whole:#}\n")));
    }
    let whole: Value = serde_json::from_str(text).map_err(|error| EditError::Invalid(error.to_string()))?;
    let Value::Object(root) = &whole else { return Err(EditError::NotAnObject("the file".into())) };
    if root.get(section).and_then(|section| section.get(name)) == Some(entry) {
        return Ok(None);
    }
    let start = text.find('{').ok_or_else(|| EditError::NotAnObject("the file".into()))?;
    let outer = members(text, start);
    let unit = outer.first().and_then(|member| indent_before(text, member.key.start)).unwrap_or(INDENT).to_owned();
    let unit = if unit.is_empty() { INDENT.to_owned() } else { unit };
    let edited = match outer.iter().rfind(|member| member.name == section) {
        None => {
            let value = serde_json::json!({ name: entry });
            insert(text, start, &outer, "", &unit, section, &value)
        }
        Some(member) if !text[member.value.clone()].starts_with('{') => {
            return Err(EditError::NotAnObject(format!("`{section}`")));
        }
        Some(member) => {
            let inner = members(text, member.value.start);
            match inner.iter().rfind(|member| member.name == name) {
                Some(old) => {
                    let indent = indent_before(text, old.key.start).unwrap_or_default().to_owned();
                    let value = indent_value(entry, &indent, &unit);
                    format!("{}{value}{}", &text[..old.value.start], &text[old.value.end..])
                }
                None => {
                    let indent = indent_before(text, member.key.start).unwrap_or(&unit).to_owned();
                    insert(text, member.value.start, &inner, &indent, &unit, name, entry)
                }
            }
        }
    };
    Ok(Some(edited))
}

/// Returns the text with `item` in the list at `section` → `name`: in place of the item that `is_ours`, else at the
/// end. `None` if it exists already.
///
/// # Errors
/// The text is not JSON, or the place for the list has another type.
pub(crate) fn set_item(
    text: &str,
    section: &str,
    name: &str,
    item: &Value,
    is_ours: impl Fn(&Value) -> bool,
) -> Result<Option<String>, EditError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let whole: Value = match text.trim() {
        "" => Value::Null,
        _ => serde_json::from_str(text).map_err(|error| EditError::Invalid(error.to_string()))?,
    };
    let Some(list) = whole.get(section).and_then(|section| section.get(name)) else {
        return set_entry(text, section, name, &Value::Array(vec![item.clone()]));
    };
    let Value::Array(list) = list else { return Err(EditError::NotAList(format!("`{section}.{name}`"))) };
    if list.contains(item) {
        return Ok(None);
    }
    let found = |start: usize, name: &str| members(text, start).into_iter().rfind(|member| member.name == name);
    let top = text.find('{').unwrap_or_default();
    let place = found(top, section).and_then(|outer| found(outer.value.start, name));
    let place = place.ok_or_else(|| EditError::NotAList(format!("`{section}.{name}`")))?;
    let indent = indent_before(text, place.key.start).unwrap_or_default();
    let unit = indent.get(..indent.len() / 2).filter(|unit| !unit.is_empty()).unwrap_or(INDENT);
    let items = items(text, place.value.start);
    if let Some(old) = list.iter().position(is_ours).and_then(|at| items.get(at)) {
        let indent = indent_before(text, old.start).unwrap_or_default();
        return Ok(Some(format!("{}{}{}", &text[..old.start], indent_value(item, indent, unit), &text[old.end..])));
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let inner = items.last().and_then(|last| indent_before(text, last.start)).map(str::to_owned);
    let inner = inner.unwrap_or_else(|| format!("{indent}{unit}"));
    let value = indent_value(item, &inner, unit).replace('\n', newline);
    Ok(Some(match items.last() {
        Some(last) => format!("{},{newline}{inner}{value}{}", &text[..last.end], &text[last.end..]),
        None => {
            let start = place.value.start + 1;
            format!("{}{newline}{inner}{value}{newline}{indent}{}", &text[..start], text[start..].trim_start())
        }
    }))
}

/// Ranges of the items of the list that begins at `start`. The text must be valid JSON.
fn items(text: &str, start: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = skip_space(bytes, start + 1);
    while bytes.get(at).is_some_and(|byte| *byte != b']') {
        let item = at..value_end(bytes, at);
        at = skip_space(bytes, item.end);
        out.push(item);
        if bytes.get(at) != Some(&b',') {
            break;
        }
        at = skip_space(bytes, at + 1);
    }
    out
}

/// A member of an object: the ranges of its key (with quotes) and its value.
struct Member {
    name: String,
    key: Range<usize>,
    value: Range<usize>,
}

/// The members of the object that begins at `start`. The text must be valid JSON.
fn members(text: &str, start: usize) -> Vec<Member> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = skip_space(bytes, start + 1);
    while bytes.get(at) == Some(&b'"') {
        let key = at..value_end(bytes, at);
        let colon = skip_space(bytes, key.end);
        let value = skip_space(bytes, colon + 1);
        let value = value..value_end(bytes, value);
        let name = serde_json::from_str(&text[key.clone()]).unwrap_or_default();
        at = skip_space(bytes, value.end);
        out.push(Member { name, key, value });
        if bytes.get(at) != Some(&b',') {
            break;
        }
        at = skip_space(bytes, at + 1);
    }
    out
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The end of the value that begins at `at`.
fn value_end(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0usize;
    let mut in_string = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if in_string => at += 1,
            b'"' => {
                in_string = !in_string;
                if !in_string && depth == 0 {
                    return at + 1;
                }
            }
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return at,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            b',' if depth == 0 => return at,
            _ if depth == 0 && byte.is_ascii_whitespace() => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// The white space before `at` on its line, if there is nothing else.
fn indent_before(text: &str, at: usize) -> Option<&str> {
    let line = text[..at].rfind('\n').map(|newline| newline + 1)?;
    let indent = &text[line..at];
    indent.chars().all(char::is_whitespace).then_some(indent)
}

/// The value as indented JSON whose first line follows `indent`.
fn indent_value(value: &Value, indent: &str, unit: &str) -> String {
    let pretty = format!("{value:#}");
    let mut lines = pretty.lines().map(|line| {
        let depth = (line.len() - line.trim_start().len()) / INDENT.len();
        format!("{}{}", unit.repeat(depth), line.trim_start())
    });
    let first = lines.next().unwrap_or_default();
    lines.fold(first, |text, line| format!("{text}\n{indent}{line}"))
}

/// Returns the text with a new last member in the object at `start`, which is indented by `indent`.
fn insert(text: &str, start: usize, members: &[Member], indent: &str, unit: &str, name: &str, value: &Value) -> String {
    let inner = members.last().and_then(|last| indent_before(text, last.key.start));
    let inner = inner.map(str::to_owned).unwrap_or_else(|| format!("{indent}{unit}"));
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let member = format!("{}: {}", Value::from(name), indent_value(value, &inner, unit)).replace('\n', newline);
    match members.last() {
        Some(last) => {
            let end = last.value.end;
            format!("{},{newline}{inner}{member}{}", &text[..end], &text[end..])
        }
        None => {
            let rest = text[start + 1..].trim_start();
            format!("{}{newline}{inner}{member}{newline}{indent}{rest}", &text[..=start])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn set(text: &str) -> String {
        set_entry(text, "mcpServers", "m1nd", &json!({"command": "m1nd", "args": ["serve"]})).unwrap().unwrap()
    }

    #[test]
    fn an_entry_is_added_and_everything_else_stays_where_it_was() {
        let cases = [
            (
                "{\n    \"z\": 1,\n    \"mcpServers\": {\n        \"other\": {\"command\":   \"x\"}\n    },\n    \"a\": [1,2]\n}\n",
                "{\n    \"z\": 1,\n    \"mcpServers\": {\n        \"other\": {\"command\":   \"x\"},\n        \"m1nd\": {\n            \
                 \"command\": \"m1nd\",\n            \"args\": [\n                \"serve\"\n            ]\n        }\n    },\n    \"a\": [1,2]\n}\n",
            ),
            (
                "{\n  \"a\": 1\n}\n",
                "{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"m1nd\": {\n      \"command\": \"m1nd\",\n      \
                 \"args\": [\n        \"serve\"\n      ]\n    }\n  }\n}\n",
            ),
            (
                "{\"mcpServers\": {}}",
                "{\"mcpServers\": {\n    \"m1nd\": {\n      \"command\": \"m1nd\",\n      \"args\": [\n        \"serve\"\n      ]\n    }\n  }}",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(set(text), expected);
        }
    }

    #[test]
    fn every_edit_is_valid_and_changes_only_the_entry() {
        for text in [
            "",
            "{}",
            "{ }",
            "{\"mcpServers\":{}}",
            "{\"mcpServers\":{\"m1nd\":{\"command\":\"old\"},\"b\":{}}}",
            "{\"mcpServers\":{\"a\":{\"env\":{\"X\":\"}{\\\"\"}}},\"k\":\"\\\\\"}",
            "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {}\r\n\t}\r\n}\r\n",
            "\u{feff}{\"a\": [[], {}, \"]\"], \"b\": -1.5e3, \"c\": null}",
        ] {
            let edited = set(text);
            let mut after: Value = serde_json::from_str(&edited).unwrap_or_else(|error| panic!("{error}: {edited}"));
            let entry = after.pointer("/mcpServers/m1nd").expect("is there").clone();
            assert_eq!(entry.get("command"), Some(&json!("m1nd")), "{edited}");
            let again = set_entry(&edited, "mcpServers", "m1nd", &entry);
            assert_eq!(again, Ok(None), "the second time there is nothing to do");
            let before = text.trim_start_matches('\u{feff}');
            let mut before: Value = serde_json::from_str(if before.is_empty() { "{}" } else { before }).unwrap();
            for value in [&mut before, &mut after] {
                if let Some(servers) = value.get_mut("mcpServers").and_then(Value::as_object_mut) {
                    servers.remove("m1nd");
                }
                let servers = value.get("mcpServers").and_then(Value::as_object);
                let empty = servers.is_none_or(|servers| servers.is_empty());
                if empty {
                    value.as_object_mut().unwrap().remove("mcpServers");
                }
            }
            assert_eq!(before, after);
        }
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        let entry = json!({});
        let set = |text| set_entry(text, "mcpServers", "m1nd", &entry);
        assert!(matches!(set("{ // comment\n}"), Err(EditError::Invalid(_))));
        assert!(matches!(set("{\"a\": 1,}"), Err(EditError::Invalid(_))));
        assert_eq!(set("[]"), Err(EditError::NotAnObject("the file".into())));
        assert_eq!(set("{\"mcpServers\": []}"), Err(EditError::NotAnObject("`mcpServers`".into())));
    }
}
