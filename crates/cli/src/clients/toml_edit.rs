//! Adds one table to a TOML file without changing the rest of its text, and removes it again.

use serde_json::Value;

use super::json_edit::{EditError, newline_of};

/// Returns the text with the table `section.name`; `None` if it exists already.
///
/// # Errors
/// The text is not TOML, or holds the entry in a form other than a table with a header.
pub(super) fn set_entry(text: &str, section: &str, name: &str, entry: &Value) -> Result<Option<String>, EditError> {
    let before = parse(text)?;
    let old = before.get(section).and_then(|section| section.get(name));
    let table = write_table(section, name, entry)?;
    let edited = match (old, find_table(text, section, name)) {
        (Some(old), _) if Some(old) == parse(&table)?.get(section).and_then(|section| section.get(name)) => {
            return Ok(None);
        }
        (_, Some((start, end))) => {
            format!("{}{}{}", &text[..start], with_newlines(&table, text), &text[end..])
        }
        (Some(_), None) => return Err(EditError::NotAnObject(format!("`{section}.{name}`"))),
        (None, None) => {
            let newline = newline_of(text);
            let gap = match text {
                "" => String::new(),
                text if text.ends_with('\n') => newline.to_owned(),
                _ => newline.repeat(2),
            };
            format!("{text}{gap}{}", with_newlines(&table, text))
        }
    };
    // `mcp_servers = {…}` on one line cannot be followed by a table.
    parse(&edited).map_err(|_| EditError::NotAnObject(format!("`{section}`")))?;
    Ok(Some(edited))
}

/// Returns the text without the table; `None` if it does not exist.
///
/// # Errors
/// The text is not TOML.
pub(super) fn remove_entry(text: &str, section: &str, name: &str) -> Result<Option<String>, EditError> {
    parse(text)?;
    let Some((start, end)) = find_table(text, section, name) else { return Ok(None) };
    let (head, tail) = (&text[..start], &text[end..]);
    // The empty line in front of the table goes with it.
    let head = head.strip_suffix(newline_of(text)).filter(|head| head.ends_with('\n')).unwrap_or(head);
    let edited = format!("{head}{tail}");
    parse(&edited)?;
    Ok(Some(edited))
}

/// The program that the entry starts.
pub(super) fn read_command(text: &str, section: &str, name: &str) -> Result<Option<String>, EditError> {
    let whole = parse(text)?;
    let command = whole.get(section).and_then(|section| section.get(name)).and_then(|entry| entry.get("command"));
    Ok(command.and_then(toml::Value::as_str).map(str::to_owned))
}

fn parse(text: &str) -> Result<toml::Table, EditError> {
    toml::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| EditError::Invalid(error.message().to_owned()))
}

/// The table as text, with strings as TOML and JSON write them alike.
fn write_table(section: &str, name: &str, entry: &Value) -> Result<String, EditError> {
    let entry = entry.as_object().ok_or_else(|| EditError::NotAnObject(format!("`{name}`")))?;
    let rows = entry.iter().map(|(key, value)| match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(Value::to_string).collect();
            format!("{key} = [{}]\n", items.join(", "))
        }
        value => format!("{key} = {value}\n"),
    });
    Ok(format!("[{section}.{name}]\n{}", rows.collect::<String>()))
}

fn with_newlines(table: &str, text: &str) -> String {
    table.replace('\n', newline_of(text))
}

/// Start and end of the table with this header, and of the tables below it, without what follows its last row.
fn find_table(text: &str, section: &str, name: &str) -> Option<(usize, usize)> {
    let is_ours = |line: &str| {
        let header = line.trim().trim_start_matches('[').split(']').next().unwrap_or_default();
        let words: Vec<&str> = header.split('.').map(|word| word.trim().trim_matches(['"', '\''])).collect();
        line.starts_with('[') && words.len() >= 2 && words[0] == section && words[1] == name
    };
    let mut found: Option<(usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let is_row = !line.trim().is_empty() && !line.starts_with('#');
        match &mut found {
            None if is_ours(line) => found = Some((start, at)),
            Some(_) if line.starts_with('[') && !is_ours(line) => break,
            Some((_, end)) if is_row => *end = at,
            _ => {}
        }
    }
    found
}
