//! The flags of a tool, derived from the schema of its arguments.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::error::CliError;

/// Default `agent_id` of the command line.
pub(crate) const DEFAULT_AGENT: &str = "cli";
/// Name of the argument for the caller.
const AGENT: &str = "agent_id";

/// The arguments after the name of a tool on the command line.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Flags {
    /// The tool's arguments.
    pub arguments: Map<String, Value>,
    /// `--json` was given, with or without arguments.
    pub json: bool,
    /// `--root PATH`, if the tool has no such argument.
    pub root: Option<PathBuf>,
    /// `--home FOLDER`, if the tool has no such argument.
    pub home: Option<PathBuf>,
    /// `--help` or `-h`.
    pub help: bool,
}

/// Parses the flags of the tool `name`, whose arguments have this schema.
///
/// # Errors
/// The error names the flag, the value received and those expected.
pub(crate) fn parse(name: &str, schema: &Value, aliases: &[(&str, &str)], words: &[String]) -> Result<Flags, CliError> {
    let mut flags = Flags::default();
    let empty = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        if word.trim_start().starts_with('{') {
            flags.json = true;
            merge_json(name, word, &mut flags.arguments)?;
            continue;
        }
        if word == "-h" {
            flags.help = true;
            continue;
        }
        let Some(flag) = word.strip_prefix("--").filter(|flag| !flag.is_empty()) else {
            return Err(CliError::usage(
                format!("unexpected argument `{word}`, expected flags"),
                format!("pass it as one of {}", listed(properties)),
            ));
        };
        let (flag, inline) = match flag.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (flag, None),
        };
        let key = flag.replace('-', "_");
        let key = aliases.iter().find(|(alias, _)| *alias == key).map_or(key.as_str(), |(_, to)| to).to_owned();
        if let Some(property) = properties.get(&key) {
            let kind = property["type"].as_str().unwrap_or("string");
            let value = match inline {
                Some(value) => value,
                None if kind == "boolean" => match words.next_if(|next| *next == "true" || *next == "false") {
                    Some(value) => value.clone(),
                    None => "true".into(),
                },
                None => words.next().cloned().ok_or_else(|| needs_value(flag, kind))?,
            };
            let value = typed(flag, kind, property, &value)?;
            put(&mut flags.arguments, key, value);
            continue;
        }
        if !flags.own(name, flag, inline, &mut words)? {
            return Err(CliError::usage(
                format!("unknown flag `--{flag}` of `{name}`"),
                format!("expected one of {}", listed(properties)),
            ));
        }
    }
    if properties.contains_key(AGENT) {
        flags.arguments.entry(AGENT).or_insert_with(|| DEFAULT_AGENT.into());
    }
    Ok(flags)
}

impl Flags {
    /// Parses a flag of the command itself. Returns `false` if it is none.
    fn own<'a>(
        &mut self,
        name: &str,
        flag: &str,
        inline: Option<String>,
        words: &mut impl Iterator<Item = &'a String>,
    ) -> Result<bool, CliError> {
        match flag {
            "help" => self.help = true,
            "json" => {
                self.json = true;
                if let Some(text) = inline {
                    merge_json(name, &text, &mut self.arguments)?;
                }
            }
            "root" => self.root = Some(path(flag, inline, words)?),
            "home" => self.home = Some(path(flag, inline, words)?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn path<'a>(
    flag: &str,
    inline: Option<String>,
    words: &mut impl Iterator<Item = &'a String>,
) -> Result<PathBuf, CliError> {
    inline.or_else(|| words.next().cloned()).map(PathBuf::from).ok_or_else(|| needs_value(flag, "path"))
}

fn needs_value(flag: &str, kind: &str) -> CliError {
    CliError::usage(format!("missing value of `--{flag}` ({kind})"), format!("write --{flag} VALUE"))
}

fn listed(properties: &Map<String, Value>) -> String {
    let names: Vec<String> = properties.keys().map(|name| format!("--{}", name.replace('_', "-"))).collect();
    names.join(", ")
}

fn merge_json(name: &str, text: &str, arguments: &mut Map<String, Value>) -> Result<(), CliError> {
    match serde_json::from_str(text) {
        Ok(Value::Object(members)) => arguments.extend(members),
        Ok(_) => {
            return Err(CliError::usage("arguments are not a JSON object", format!("see m1nd call {name} --help")));
        }
        Err(error) => {
            return Err(CliError::usage(
                format!("arguments are not valid JSON: {error}"),
                format!("quote them for the shell: m1nd call {name} --json '{{\"…\": …}}'"),
            ));
        }
    }
    Ok(())
}

/// Sets an argument. Repeated flags of an array are appended; otherwise the last one wins.
fn put(arguments: &mut Map<String, Value>, key: String, value: Value) {
    match (arguments.get_mut(&key), value) {
        (Some(Value::Array(old)), Value::Array(new)) => old.extend(new),
        (_, value) => {
            arguments.insert(key, value);
        }
    }
}

fn typed(flag: &str, kind: &str, property: &Value, text: &str) -> Result<Value, CliError> {
    let wrong = |expected: &str| {
        CliError::usage(format!("`--{flag}` is `{text}`, expected {expected}"), format!("write --{flag} VALUE"))
    };
    match kind {
        "integer" => text.parse::<i64>().map(Value::from).map_err(|_| wrong("an integer")),
        "number" => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::from(number)),
            _ => Err(wrong("a number")),
        },
        "boolean" => text.parse::<bool>().map(Value::from).map_err(|_| wrong("true or false")),
        "object" => match serde_json::from_str(text) {
            Ok(value @ Value::Object(_)) => Ok(value),
            _ => Err(wrong("a JSON object")),
        },
        "array" if text.starts_with('[') => serde_json::from_str(text).map_err(|_| wrong("a JSON array")),
        "array" => {
            let item = property["items"]["type"].as_str().unwrap_or("string");
            Ok(Value::Array(vec![typed(flag, item, &property["items"], text)?]))
        }
        _ => Ok(Value::from(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(words: &[&str], expected: Result<Value, &str>) {
        let schema = json!({"type": "object", "properties": {
            "agent_id": {"type": "string"}, "query": {"type": "string"}, "top_k": {"type": "integer"},
            "ratio": {"type": "number"}, "deep": {"type": "boolean"}, "tags": {"type": "array", "items": {"type": "string"}}}});
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let got = parse("seek", &schema, &[("limit", "top_k")], &words);
        match (got, expected) {
            (Ok(flags), Ok(expected)) => assert_eq!(Value::Object(flags.arguments), expected, "{words:?}"),
            (Err(error), Err(expected)) => {
                let text = format!("{error}; {}", error.next().unwrap_or_default());
                assert!(text.contains(expected), "{text}");
            }
            (got, expected) => panic!("{words:?}: got {got:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn flags_take_the_types_of_the_schema() {
        check(&["--query", "x y", "--top-k", "5"], Ok(json!({"agent_id": "cli", "query": "x y", "top_k": 5})));
        check(
            &["--query=-x", "--top_k=5", "--agent-id", "me"],
            Ok(json!({"agent_id": "me", "query": "-x", "top_k": 5})),
        );
        check(&["--limit", "7"], Ok(json!({"agent_id": "cli", "top_k": 7})));
        check(&["--deep", "--ratio", "0.5"], Ok(json!({"agent_id": "cli", "deep": true, "ratio": 0.5})));
        check(&["--deep", "false"], Ok(json!({"agent_id": "cli", "deep": false})));
        check(&["--tags", "a", "--tags", "b"], Ok(json!({"agent_id": "cli", "tags": ["a", "b"]})));
        check(&["--tags", "[\"a\", \"b\"]"], Ok(json!({"agent_id": "cli", "tags": ["a", "b"]})));
        check(&["--json", "{\"top_k\": 2}"], Ok(json!({"agent_id": "cli", "top_k": 2})));
        check(&["{\"agent_id\": \"z\"}", "--top-k", "3"], Ok(json!({"agent_id": "z", "top_k": 3})));
    }

    #[test]
    fn what_cannot_be_used_is_named_with_what_can() {
        check(&["--bogus", "1"], Err("unknown flag `--bogus` of `seek`; expected one of --agent-id, --query, --top-k"));
        check(&["word"], Err("unexpected argument `word`"));
        check(&["--top-k", "many"], Err("`--top-k` is `many`, expected an integer"));
        check(&["--top-k"], Err("missing value of `--top-k` (integer)"));
        check(&["--ratio", "NaN"], Err("expected a number"));
        check(&["--deep=maybe"], Err("expected true or false"));
        check(&["--json={"], Err("arguments are not valid JSON"));
        check(&["--json=[1]"], Err("not a JSON object"));
    }

    #[test]
    fn flags_of_the_command_itself_are_told_from_the_tools() {
        let words: Vec<String> = ["--root", "/x", "--json", "--help"].iter().map(|word| (*word).to_owned()).collect();
        let flags = parse("health", &json!({"properties": {}}), &[], &words).unwrap();
        assert_eq!(flags.root, Some("/x".into()));
        assert!(flags.json && flags.help && flags.arguments.is_empty());
    }
}
