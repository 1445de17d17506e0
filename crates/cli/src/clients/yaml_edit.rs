//! Adds one entry to a mapping at the top of a YAML file without changing the rest of its text, and removes it again.
//! Reads only what it needs: files in which the mapping is written in another way are refused.

use std::ops::Range;

use serde_json::Value;

use super::json_edit::{EditError, newline_of};

/// Indentation, if the text shows none.
const INDENT: &str = "  ";

/// Returns the text with `name` in the mapping `section`; `None` if it exists already.
///
/// # Errors
/// The mapping is not written as indented lines.
pub(super) fn set_entry(text: &str, section: &str, name: &str, entry: &Value) -> Result<Option<String>, EditError> {
    let newline = newline_of(text);
    let Some(body) = find_body(text, section)? else {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
        let entry = write_entry(name, entry, INDENT, newline)?;
        return Ok(Some(format!("{text}{gap}{section}:{newline}{entry}")));
    };
    let indent = read_indent(&text[body.clone()]).unwrap_or(INDENT).to_owned();
    let entry = write_entry(name, entry, &indent, newline)?;
    let place = find_entry(text, &body, name, &indent);
    let place = place.unwrap_or(body.start..body.start);
    if text[place.clone()] == entry {
        return Ok(None);
    }
    Ok(Some(format!("{}{entry}{}", &text[..place.start], &text[place.end..])))
}

/// Returns the text without the entry; `None` if it does not exist. A mapping that is empty then goes with it.
///
/// # Errors
/// The mapping is not written as indented lines.
pub(super) fn remove_entry(text: &str, section: &str, name: &str) -> Result<Option<String>, EditError> {
    let Some(body) = find_body(text, section)? else { return Ok(None) };
    let indent = read_indent(&text[body.clone()]).unwrap_or(INDENT);
    let Some(place) = find_entry(text, &body, name, indent) else { return Ok(None) };
    let edited = format!("{}{}", &text[..place.start], &text[place.end..]);
    let is_alone = text[body.start..place.start].trim().is_empty() && text[place.end..body.end].trim().is_empty();
    if !is_alone {
        return Ok(Some(edited));
    }
    let start = text[..body.start].trim_end().rfind('\n').map_or(0, |newline| newline + 1);
    Ok(Some(format!("{}{}", &text[..start], &text[place.end..])))
}

/// The program that the entry starts.
pub(super) fn read_command(text: &str, section: &str, name: &str, key: &str) -> Result<Option<String>, EditError> {
    let Some(body) = find_body(text, section)? else { return Ok(None) };
    let indent = read_indent(&text[body.clone()]).unwrap_or(INDENT);
    let Some(place) = find_entry(text, &body, name, indent) else { return Ok(None) };
    let value = |line: &str| Some(line.trim().strip_prefix(key)?.strip_prefix(':')?.trim().to_owned());
    let value = text[place].lines().find_map(value);
    Ok(value.map(|value| serde_json::from_str(&value).unwrap_or(value)))
}

/// The lines of the mapping `section` at the top of the text.
fn find_body(text: &str, section: &str) -> Result<Option<Range<usize>>, EditError> {
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_inside = line.starts_with([' ', '#']) || line.trim().is_empty();
        match start {
            None => {
                if let Some(rest) = line.strip_prefix(section).and_then(|rest| rest.strip_prefix(':')) {
                    let rest = rest.trim();
                    if !rest.is_empty() && !rest.starts_with('#') {
                        return Err(EditError::NotAnObject(format!("`{section}` on one line")));
                    }
                    start = Some(at + line.len());
                }
            }
            Some(_) if line.starts_with('\t') => return Err(EditError::Invalid("indented by tabs".into())),
            Some(start) if !is_inside => return Ok(Some(start..at)),
            Some(_) => {}
        }
        at += line.len();
    }
    if start == Some(text.len()) && !text.ends_with('\n') {
        return Err(EditError::Invalid(format!("`{section}` has no line below it")));
    }
    Ok(start.map(|start| start..text.len()))
}

/// The indentation of the first entry of a mapping.
fn read_indent(body: &str) -> Option<&str> {
    let line = body.lines().find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))?;
    Some(&line[..line.len() - line.trim_start().len()])
}

/// The lines of the entry `name`, without empty lines behind it.
fn find_entry(text: &str, body: &Range<usize>, name: &str, indent: &str) -> Option<Range<usize>> {
    let mut found: Option<Range<usize>> = None;
    let mut at = body.start;
    for line in text[body.clone()].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let own = line.strip_prefix(indent);
        match &mut found {
            None if own.is_some_and(|own| own.trim_end() == format!("{name}:")) => found = Some(start..at),
            Some(_) if line.trim().is_empty() => {}
            Some(place) if own.is_some_and(|own| own.starts_with(' ')) => place.end = at,
            Some(_) => break,
            None => {}
        }
    }
    found
}

/// The entry as lines. Strings are written as JSON does, which YAML reads alike.
fn write_entry(name: &str, entry: &Value, indent: &str, newline: &str) -> Result<String, EditError> {
    let entry = entry.as_object().ok_or_else(|| EditError::NotAnObject(format!("`{name}`")))?;
    let mut out = format!("{indent}{name}:{newline}");
    for (key, value) in entry {
        match value {
            Value::Array(items) => {
                out += &format!("{indent}{INDENT}{key}:{newline}");
                items.iter().for_each(|item| out += &format!("{indent}{INDENT}- {item}{newline}"));
            }
            value => out += &format!("{indent}{INDENT}{key}: {value}{newline}"),
        }
    }
    Ok(out)
}
