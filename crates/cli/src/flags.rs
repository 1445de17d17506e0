//! The flags of a tool, derived from the schema of its arguments.

use std::io::Read;
use std::iter::Peekable;
use std::path::PathBuf;

use clap::ColorChoice;
use m1nd_tools::Command;
use serde_json::{Map, Value};

use crate::error::CliError;
use crate::schema::{Property, Schema};

/// Default `agent_id` of the command line.
pub(crate) const DEFAULT_AGENT: &str = "cli";
/// Maximum size of arguments from standard input, in bytes.
const MAX_INPUT: u64 = 16 << 20;
/// Begins the error about a word that no argument takes.
pub(crate) const UNEXPECTED: &str = "unexpected argument";
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
    /// `--model FOLDER`, if the tool has no such argument.
    pub model: Option<PathBuf>,
    /// `--color WHEN`, if the tool has no such argument.
    pub color: Option<ColorChoice>,
    /// `--no-pager`, if the tool has no such argument.
    pub no_pager: bool,
    /// `--no-daemon`, if the tool has no such argument.
    pub no_daemon: bool,
    /// `--help` or `-h`.
    pub help: bool,
}

/// How the arguments of a tool are written on the command line.
pub(crate) struct Syntax<'a> {
    /// Name of the tool.
    pub tool: &'a str,
    /// The schema of its arguments.
    pub schema: &'a Value,
    /// Aliases of arguments, each with the name it stands for.
    pub aliases: &'a [(&'a str, &'a str)],
    /// The command of its own; `None` for `m1nd call`, which has no arguments by position.
    pub command: Option<Command>,
}

/// Parses the words after the name of a tool or its command. `json` says that `--json` came before them, so that the
/// first one may be arguments as JSON; `input` is read if they come from standard input.
///
/// # Errors
/// The error names the flag, the value received and those expected.
pub(crate) fn parse(
    syntax: &Syntax<'_>,
    words: &[String],
    json: bool,
    input: &mut dyn Read,
) -> Result<Flags, CliError> {
    let mut flags = Flags { json, ..Flags::default() };
    let Schema { properties, .. } = Schema::of(syntax.schema);
    let mut positional = Vec::new();
    let (mut is_behind_json, mut only_words) = (json, false);
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let takes_json = std::mem::take(&mut is_behind_json) || syntax.command.is_none();
        if takes_json && !only_words && (word == "-" || word.trim_start().starts_with('{')) {
            flags.json = true;
            flags.merge(syntax.tool, word, input)?;
        } else if only_words || word == "-" || !word.starts_with('-') || is_sentence(syntax, word) {
            positional.push(word.as_str());
        } else if word == "--" {
            only_words = true;
        } else if word == "-h" {
            flags.help = true;
        } else {
            is_behind_json = word == "--json";
            flags.flag(syntax, &properties, word, &mut words, input)?;
        }
    }
    flags.place(syntax, &properties, &positional)?;
    if properties.contains_key(AGENT) {
        flags.arguments.entry(AGENT).or_insert_with(|| DEFAULT_AGENT.into());
    }
    Ok(flags)
}

impl Flags {
    /// Parses one flag with its value.
    fn flag<'a>(
        &mut self,
        syntax: &Syntax<'_>,
        properties: &Map<String, Value>,
        word: &str,
        words: &mut Peekable<impl Iterator<Item = &'a String>>,
        input: &mut dyn Read,
    ) -> Result<(), CliError> {
        let unknown = |flag: &str| {
            CliError::usage(
                format!("unknown flag `{flag}` of `{}`", syntax.tool),
                format!("expected one of {}", list_flags(properties)),
            )
        };
        let Some(flag) = word.strip_prefix("--") else { return Err(unknown(word)) };
        let (flag, inline) = match flag.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (flag, None),
        };
        let key = flag.replace('-', "_");
        let key = syntax.aliases.iter().find(|(alias, _)| *alias == key).map_or(key.as_str(), |(_, to)| to).to_owned();
        let Some(property) = properties.get(&key) else {
            return match self.own(syntax.tool, flag, inline, words, input)? {
                true => Ok(()),
                false => Err(unknown(&format!("--{flag}"))),
            };
        };
        let property = Property::of(property);
        let kind = property.kind_of_words();
        let value = match inline {
            Some(value) => value,
            None if kind == "boolean" => match words.next_if(|next| *next == "true" || *next == "false") {
                Some(value) => value.clone(),
                None => "true".into(),
            },
            None => words.next().cloned().ok_or_else(|| needs_value(flag, kind))?,
        };
        put(&mut self.arguments, key, parse_typed(flag, &property, &value)?);
        Ok(())
    }

    /// Parses a flag of the command itself. Returns `false` if it is none.
    fn own<'a>(
        &mut self,
        tool: &str,
        flag: &str,
        inline: Option<String>,
        words: &mut impl Iterator<Item = &'a String>,
        input: &mut dyn Read,
    ) -> Result<bool, CliError> {
        match (flag, inline) {
            ("help", _) => self.help = true,
            ("json", inline) => {
                self.json = true;
                if let Some(text) = inline {
                    self.merge(tool, &text, input)?;
                }
            }
            ("arguments", inline) => {
                let text = inline.or_else(|| words.next().cloned()).ok_or_else(|| needs_value(flag, "JSON"))?;
                self.merge(tool, &text, input)?;
            }
            ("no-pager", None) => self.no_pager = true,
            ("no-daemon", None) => self.no_daemon = true,
            ("color", inline) => {
                let when = inline.or_else(|| words.next().cloned()).ok_or_else(|| needs_value(flag, "WHEN"))?;
                self.color = Some(when.parse().map_err(|_| {
                    CliError::usage(
                        format!("`--color` is `{when}`, expected auto, always or never"),
                        "write --color WHEN",
                    )
                })?);
            }
            ("root", inline) => self.root = Some(path(flag, inline, words)?),
            ("home", inline) => self.home = Some(path(flag, inline, words)?),
            ("model", inline) => self.model = Some(path(flag, inline, words)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Adds arguments that are written as JSON; `-` reads them from standard input.
    fn merge(&mut self, tool: &str, text: &str, input: &mut dyn Read) -> Result<(), CliError> {
        if text != "-" {
            return merge_json(tool, text, &mut self.arguments);
        }
        let mut text = String::new();
        input.take(MAX_INPUT).read_to_string(&mut text).map_err(|error| {
            CliError::usage(
                format!("cannot read arguments from standard input: {error}"),
                "pass a JSON object in UTF-8",
            )
        })?;
        merge_json(tool, &text, &mut self.arguments)
    }

    /// Sets the arguments that are given by position.
    fn place(&mut self, syntax: &Syntax<'_>, properties: &Map<String, Value>, words: &[&str]) -> Result<(), CliError> {
        let names = syntax.command.map_or(&[][..], |command| command.positional);
        let joins = syntax.command.is_some_and(|command| command.joins);
        if let Some(extra) = words.get(names.len()).filter(|_| !joins) {
            let (expected, next) = match names {
                [] => ("flags", format!("pass it as one of {}", list_flags(properties))),
                _ => ("no more words", "quote an argument that contains spaces".to_owned()),
            };
            return Err(CliError::usage(format!("{UNEXPECTED} `{extra}`, expected {expected}"), next));
        }
        for (at, (name, word)) in names.iter().zip(words).enumerate() {
            let takes_rest = joins && at + 1 == names.len();
            let property = Property::of(&properties[*name]);
            if takes_rest && property.kind_of_words() == "array" {
                self.arguments.insert((*name).to_owned(), words[at..].into());
                break;
            }
            let text = if takes_rest { words[at..].join(" ") } else { (*word).to_owned() };
            self.arguments.insert((*name).to_owned(), parse_typed(name, &property, &text)?);
        }
        Ok(())
    }
}

fn path<'a>(
    flag: &str,
    inline: Option<String>,
    words: &mut impl Iterator<Item = &'a String>,
) -> Result<PathBuf, CliError> {
    inline.or_else(|| words.next().cloned()).map(PathBuf::from).ok_or_else(|| needs_value(flag, "path"))
}

/// Whether a quoted argument is words of a command that takes words, though it begins with a dash: a name of a flag has
/// no spaces.
fn is_sentence(syntax: &Syntax<'_>, word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    syntax.command.is_some_and(|command| command.joins) && name.contains(char::is_whitespace)
}

fn needs_value(flag: &str, kind: &str) -> CliError {
    CliError::usage(format!("missing value of `--{flag}` ({kind})"), format!("write --{flag} VALUE"))
}

fn list_flags(properties: &Map<String, Value>) -> String {
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

fn parse_typed(flag: &str, property: &Property, text: &str) -> Result<Value, CliError> {
    let wrong = |expected: &str| {
        CliError::usage(format!("`--{flag}` is `{text}`, expected {expected}"), format!("write --{flag} VALUE"))
    };
    match property.kind_of_words() {
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
        "array" => Ok(Value::Array(vec![parse_typed(flag, &property.items(), text)?])),
        _ => Ok(Value::from(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(words: &[&str], expected: Result<Value, &str>) {
        check_as(None, words, expected);
    }

    fn check_as(command: Option<Command>, words: &[&str], expected: Result<Value, &str>) {
        let schema = json!({"type": "object", "properties": {
            "agent_id": {"type": "string"}, "query": {"type": "string"}, "top_k": {"type": "integer"},
            "ratio": {"type": "number"}, "deep": {"type": "boolean"}, "tags": {"type": "array", "items": {"type": "string"}}}});
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let syntax = Syntax { tool: "seek", schema: &schema, aliases: &[("limit", "top_k")], command };
        let got = parse(&syntax, &words, false, &mut &br#"{"query": "piped"}"#[..]);
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
    fn words_are_arguments_by_position() {
        let two = Some(Command::new("why", &["query", "top_k"]));
        let seek = Some(Command::words("seek", &["query"]));
        check_as(two, &["a b", "3"], Ok(json!({"agent_id": "cli", "query": "a b", "top_k": 3})));
        check_as(
            two,
            &["--deep", "-", "--ratio", "1"],
            Ok(json!({"agent_id": "cli", "query": "-", "deep": true, "ratio": 1.0})),
        );
        check_as(two, &["a", "1", "b"], Err("unexpected argument `b`, expected no more words"));
        check_as(two, &["a", "many"], Err("`--top_k` is `many`, expected an integer"));
        check_as(seek, &["a", "--limit", "2", "b", "c"], Ok(json!({"agent_id": "cli", "query": "a b c", "top_k": 2})));
        check_as(seek, &["--deep is ignored"], Ok(json!({"agent_id": "cli", "query": "--deep is ignored"})));
        check_as(seek, &["--", "--deep", "{x"], Ok(json!({"agent_id": "cli", "query": "--deep {x"})));
        check_as(seek, &["{x"], Ok(json!({"agent_id": "cli", "query": "{x"})));
        check_as(seek, &["-x"], Err("unknown flag `-x` of `seek`"));
    }

    #[test]
    fn arguments_come_from_standard_input() {
        let piped = || Ok(json!({"agent_id": "cli", "query": "piped"}));
        let seek = Some(Command::words("seek", &["query"]));
        for words in [&["--json", "-"][..], &["--arguments", "-"], &["--arguments=-"], &["--json=-"]] {
            check(words, piped());
            check_as(seek, words, piped());
        }
        check(&["--arguments", "{\"top_k\": 2}"], Ok(json!({"agent_id": "cli", "top_k": 2})));
        check(&["--arguments"], Err("missing value of `--arguments` (JSON)"));
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
        let schema = json!({"properties": {}});
        let syntax = Syntax { tool: "health", schema: &schema, aliases: &[], command: None };
        let flags = parse(&syntax, &words, false, &mut std::io::empty()).unwrap();
        assert_eq!(flags.root, Some("/x".into()));
        assert!(flags.json && flags.help && flags.arguments.is_empty());
    }
}
