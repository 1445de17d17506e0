//! Adds one entry to a JSON file without changing the rest of its text, and removes it again.

use std::borrow::Cow;
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
    /// The first line of a block is there without its last.
    #[error("a block that is not complete: `{0}` is missing")]
    OpenBlock(&'static str),
}

/// What a file may hold beside JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Nothing.
    Strict,
    /// Comments, and commas behind the last member.
    Comments,
}

impl Syntax {
    /// The text as plain JSON, with every byte at its place.
    fn read(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Strict => Cow::Borrowed(text),
            Self::Comments => Cow::Owned(blank_comments(text)),
        }
    }
}

/// Default indentation, if the text shows none.
const INDENT: &str = "  ";

/// Returns the text with `entry` at `section` → `name`; `None` if it exists already.
///
/// # Errors
/// The text is not JSON, or the place for the entry has another type.
pub(crate) fn set_entry(text: &str, section: &str, name: &str, entry: &Value) -> Result<Option<String>, EditError> {
    set_entry_in(Syntax::Strict, text, section, name, entry)
}

/// The same in a file of this syntax.
///
/// # Errors
/// As [`set_entry`].
pub(crate) fn set_entry_in(
    syntax: Syntax,
    text: &str,
    section: &str,
    name: &str,
    entry: &Value,
) -> Result<Option<String>, EditError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        let whole = serde_json::json!({ section: { name: entry } });
        return Ok(Some(format!("{whole:#}\n")));
    }
    let plain = syntax.read(text);
    let whole: Value = serde_json::from_str(&plain).map_err(|error| EditError::Invalid(error.to_string()))?;
    let Value::Object(root) = &whole else { return Err(EditError::NotAnObject("the file".into())) };
    if root.get(section).and_then(|section| section.get(name)) == Some(entry) {
        return Ok(None);
    }
    let start = plain.find('{').ok_or_else(|| EditError::NotAnObject("the file".into()))?;
    let outer = members(&plain, start);
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
            let inner = members(&plain, member.value.start);
            match inner.iter().rfind(|member| member.name == name) {
                Some(old) => {
                    let indent = indent_before(text, old.key.start).unwrap_or_default().to_owned();
                    let value = indent_value(entry, &indent, &unit).replace('\n', newline_of(text));
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

/// The program that the entry at `section` → `name` starts: its `command`, or the first word of it.
///
/// # Errors
/// The text is not JSON.
pub(crate) fn read_command(syntax: Syntax, text: &str, section: &str, name: &str) -> Result<Option<String>, EditError> {
    let plain = syntax.read(text.strip_prefix('\u{feff}').unwrap_or(text));
    if plain.trim().is_empty() {
        return Ok(None);
    }
    let whole: Value = serde_json::from_str(&plain).map_err(|error| EditError::Invalid(error.to_string()))?;
    let command = whole.get(section).and_then(|section| section.get(name)).and_then(|entry| entry.get("command"));
    let program = command.and_then(|command| command.as_str().or_else(|| command.get(0)?.as_str()));
    Ok(program.map(str::to_owned))
}

/// Returns the text without the entry at `section` → `name`; `None` if it does not exist. A section that is empty then
/// goes with it, and so does an object that held nothing else: the text is then empty.
///
/// # Errors
/// The text is not JSON.
pub(crate) fn remove_entry(syntax: Syntax, text: &str, section: &str, name: &str) -> Result<Option<String>, EditError> {
    let plain = syntax.read(text.strip_prefix('\u{feff}').unwrap_or(text));
    let shift = text.len() - plain.len();
    if plain.trim().is_empty() {
        return Ok(None);
    }
    serde_json::from_str::<Value>(&plain).map_err(|error| EditError::Invalid(error.to_string()))?;
    let Some(start) = plain.find('{') else { return Ok(None) };
    let outer = members(&plain, start);
    let Some(at) = outer.iter().rposition(|member| member.name == section) else { return Ok(None) };
    if !plain[outer[at].value.clone()].starts_with('{') {
        return Ok(None);
    }
    let inner = members(&plain, outer[at].value.start);
    let Some(entry) = inner.iter().rposition(|member| member.name == name) else { return Ok(None) };
    let place = match (inner.len(), outer.len()) {
        (1, 1) => return Ok(Some(String::new())),
        (1, _) => range_of(&outer, at),
        _ => range_of(&inner, entry),
    };
    Ok(Some(format!("{}{}", &text[..place.start + shift], &text[place.end + shift..])))
}

/// The range of a member with one of the commas around it. The object has other members.
fn range_of(members: &[Member], at: usize) -> Range<usize> {
    match at.checked_sub(1).and_then(|before| members.get(before)) {
        Some(before) => before.value.end..members[at].value.end,
        None => {
            let next = members.get(at + 1).map_or(members[at].value.end, |next| next.key.start);
            members[at].key.start..next
        }
    }
}

/// Replaces comments, and commas behind the last member of an object or list, by as many spaces.
fn blank_comments(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let (mut at, mut in_string) = (0, false);
    let mut comma = None;
    while let Some(&byte) = out.get(at) {
        let rest = &text.as_bytes()[at..];
        if in_string {
            at += if byte == b'\\' { 2 } else { 1 };
            in_string = byte != b'"';
            continue;
        }
        let comment = match rest {
            [b'/', b'/', ..] => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => {
                rest.windows(2).skip(2).position(|pair| pair == b"*/").map_or(rest.len(), |end| end + 4)
            }
            _ => 0,
        };
        if comment > 0 {
            out[at..at + comment]
                .iter_mut()
                .filter(|byte| !matches!(**byte, b'\n' | b'\r'))
                .for_each(|byte| *byte = b' ');
            at += comment;
            continue;
        }
        match byte {
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    out[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        in_string = byte == b'"';
        at += 1;
    }
    // Only whole characters were replaced, so this is text.
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
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
        let value = indent_value(item, indent, unit).replace('\n', newline_of(text));
        return Ok(Some(format!("{}{value}{}", &text[..old.start], &text[old.end..])));
    }
    let newline = newline_of(text);
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

/// Returns the text without the items that are ours in the list at `section` → `name`; `None` if there are none. A list
/// that is empty then goes with them.
///
/// # Errors
/// The text is not JSON.
pub(crate) fn remove_items(
    text: &str,
    section: &str,
    name: &str,
    is_ours: impl Fn(&Value) -> bool,
) -> Result<Option<String>, EditError> {
    let mut edited: Option<String> = None;
    loop {
        let now = edited.as_deref().unwrap_or(text);
        if now.trim().is_empty() {
            return Ok(edited);
        }
        let plain = now.strip_prefix('\u{feff}').unwrap_or(now);
        let whole: Value = serde_json::from_str(plain).map_err(|error| EditError::Invalid(error.to_string()))?;
        let list = whole.get(section).and_then(|section| section.get(name)).and_then(Value::as_array);
        let Some((list, ours)) = list.and_then(|list| Some((list, list.iter().position(&is_ours)?))) else {
            return Ok(edited);
        };
        if list.len() == 1 {
            edited = remove_entry(Syntax::Strict, now, section, name)?;
            continue;
        }
        let found = |start: usize, name: &str| members(now, start).into_iter().rfind(|member| member.name == name);
        let place = found(now.find('{').unwrap_or_default(), section).and_then(|outer| found(outer.value.start, name));
        let items = place.map(|place| items(now, place.value.start)).unwrap_or_default();
        let range = match (ours.checked_sub(1).and_then(|at| items.get(at)), items.get(ours), items.get(ours + 1)) {
            (Some(before), Some(own), _) => before.end..own.end,
            (None, Some(own), Some(next)) => own.start..next.start,
            _ => return Ok(edited),
        };
        edited = Some(format!("{}{}", &now[..range.start], &now[range.end..]));
    }
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

/// The end of lines of a text.
pub(super) fn newline_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
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
    let newline = newline_of(text);
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
    fn an_entry_goes_as_it_came() {
        for text in [
            "{\n  \"a\": 1\n}\n",
            "{\"mcpServers\":{\"b\":{}}}",
            "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {}\r\n\t}\r\n}\r\n",
            "{ // mine\n  \"mcpServers\": {\n    \"a\": {}, /* {\" */\n  },\n}\n",
            "// \"mcpServers\": {}\n{\"a\": \"// é, }\", \"b\": [1, 2,],}",
            "",
        ] {
            let entry = json!({"command": "m1nd", "args": ["serve"]});
            let edited = set_entry_in(Syntax::Comments, text, "mcpServers", "m1nd", &entry).unwrap().unwrap();
            let plain = blank_comments(&edited);
            assert_eq!(plain.len(), edited.len());
            let value: Value = serde_json::from_str(&plain).unwrap_or_else(|error| panic!("{error}: {edited}"));
            assert_eq!(value.pointer("/mcpServers/m1nd"), Some(&entry), "{edited}");
            let removed = remove_entry(Syntax::Comments, &edited, "mcpServers", "m1nd").unwrap().unwrap();
            assert_eq!(removed, text);
            assert_eq!(remove_entry(Syntax::Comments, text, "mcpServers", "m1nd"), Ok(None));
        }
        // What came later stays.
        let grown = "{\"mcpServers\": {\"m1nd\": {\"command\": \"m1nd\"}, \"z\": {}}, \"k\": 1}";
        let removed = remove_entry(Syntax::Strict, grown, "mcpServers", "m1nd").unwrap();
        assert_eq!(removed.as_deref(), Some("{\"mcpServers\": {\"z\": {}}, \"k\": 1}"));
        assert!(remove_entry(Syntax::Strict, "{ // x\n}", "mcpServers", "m1nd").is_err());
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
