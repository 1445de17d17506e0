//! `config.toml`: of the user in the folder that all projects share, and of a project, which wins where it may.

use std::fmt::Write as _;

use toml::{Table, Value};

/// The name of both files.
pub const FILE: &str = "config.toml";

/// Settings of how memories are kept and shown. Each field is a key of `config.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Minutes without a change after which a session has ended.
    pub inactivity_minutes: u32,
    /// Seconds between two looks for ended sessions.
    pub check_interval_seconds: u32,
    /// Milliseconds that must pass without a further change.
    pub debounce_ms: u32,
    /// Minimum level of the daemon's log: debug, info, warn or error.
    pub log_level: String,
    /// Whether the servers start the daemon if none runs.
    pub autostart: bool,
    /// Minimum confidence of a memory, 0 to 1.
    pub confidence_threshold: f32,
    /// Whether memories below 0.5 are found, too.
    pub include_low_confidence: bool,
    /// Decisions in the block.
    pub max_decisions: u32,
    /// Open loops in the block.
    pub max_open_loops: u32,
    /// Gotchas in the block.
    pub max_gotchas: u32,
    /// Days after which memories of a project that goes on are stale.
    pub show_stale_after_days: u32,
    /// Largest block, in characters.
    pub max_chars: u32,
    /// Days after which an open issue is pointed out.
    pub stale_issue_days: u32,
    /// Whether vague decisions and old issues are pointed out by `mind doctor`.
    pub feedback: bool,
    /// Confidence below which a decision without a reason is vague.
    pub vague_decision_threshold: f32,
    /// Search by meaning: `built-in` word vectors, `words` alone, or additionally a `model` of the user's own.
    pub embedder: String,
    /// Folder of that model; empty for none.
    pub model_path: String,
    /// Whether secrets are taken out of what is shown.
    pub redact: bool,
    /// Whether comments in code count.
    pub include_code_comments: bool,
    /// Whether messages of commits count.
    pub include_git: bool,
    /// Whether the gotchas that come with the program are used.
    pub builtin_edges: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            inactivity_minutes: 30,
            check_interval_seconds: 60,
            debounce_ms: 100,
            log_level: "info".into(),
            autostart: false,
            confidence_threshold: 0.3,
            include_low_confidence: true,
            max_decisions: 5,
            max_open_loops: 3,
            max_gotchas: 5,
            show_stale_after_days: 14,
            max_chars: 1_600,
            stale_issue_days: 7,
            feedback: true,
            vague_decision_threshold: 0.6,
            embedder: BUILT_IN.into(),
            model_path: String::new(),
            redact: true,
            include_code_comments: true,
            include_git: true,
            builtin_edges: true,
        }
    }
}

/// The field of a setting, with its type.
enum Place<'s> {
    Number(&'s mut u32, std::ops::RangeInclusive<u32>),
    Share(&'s mut f32),
    Switch(&'s mut bool),
    /// One of some words.
    Word(&'s mut String, &'static [&'static str]),
    /// A path, or nothing.
    Path(&'s mut String),
}

/// Every key, as `section.key`.
pub const KEYS: &[&str] = &[
    "daemon.inactivity_minutes",
    "daemon.check_interval_seconds",
    "daemon.debounce_ms",
    "daemon.log_level",
    "daemon.autostart",
    "parser.confidence_threshold",
    "parser.include_low_confidence",
    "context.max_decisions",
    "context.max_open_loops",
    "context.max_gotchas",
    "context.show_stale_after_days",
    "context.max_chars",
    "feedback.enabled",
    "feedback.vague_decision_threshold",
    "feedback.stale_issue_days",
    "search.embedder",
    "search.model_path",
    "privacy.redact",
    "privacy.include_code_comments",
    "privacy.include_git",
    "edges.builtin",
];

/// Words of `daemon.log_level`.
const LEVELS: &[&str] = &["debug", "info", "warn", "error"];
/// Words of `search.embedder`.
const EMBEDDERS: &[&str] = &[BUILT_IN, WORDS, MODEL];
/// Vectors of words that come with the program.
const BUILT_IN: &str = "built-in";
/// No vectors at all.
pub(crate) const WORDS: &str = "words";
/// A model in a folder orders what was found.
pub(crate) const MODEL: &str = "model";

/// The owner of a settings file. The file of a project comes with its repository, so it may not turn off what
/// protects the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The user of this machine.
    User,
    /// The project, hence whoever wrote the repository.
    Project,
}

impl Settings {
    /// Applies the text of a settings file. Returns the problems: lines that are not understood or not allowed have
    /// no effect.
    pub fn apply(&mut self, text: &str, owner: Owner) -> Vec<String> {
        let table: Table = match text.trim_start_matches('\u{feff}').parse() {
            Ok(table) => table,
            Err(error) => return vec![format!("it is not TOML and was left out: {}", error.message())],
        };
        let mut problems = Vec::new();
        for (section, value) in &table {
            let Value::Table(keys) = value else {
                problems.push(report_unknown(section));
                continue;
            };
            for (key, value) in keys {
                let key = format!("{section}.{key}");
                if let Err(problem) = self.set(&key, value, owner) {
                    problems.push(problem);
                }
            }
        }
        problems
    }

    fn set(&mut self, key: &str, value: &Value, owner: Owner) -> Result<(), String> {
        let place = self.place(key).ok_or_else(|| report_unknown(key))?;
        // A project names no folder to read from, and takes nothing away that protects its user.
        let is_for_user = key.starts_with("daemon.")
            || key == "search.model_path"
            || (key == "search.embedder" && value.as_str() == Some(MODEL))
            || (key == "privacy.redact" && value.as_bool() == Some(false));
        if owner == Owner::Project && is_for_user {
            return Err(format!("`{key}` can only be set by the user, not by a project; it was left out"));
        }
        let wrong = |expected: String| Err(format!("`{key}` is {value}, expected {expected}; it was left out"));
        match (place, value) {
            (Place::Number(place, range), value) => {
                match value.as_integer().and_then(|number| u32::try_from(number).ok()) {
                    Some(number) if range.contains(&number) => *place = number,
                    _ => return wrong(format!("a whole number from {} to {}", range.start(), range.end())),
                }
            }
            (Place::Share(place), value) => {
                let number = value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
                match number.filter(|number| (0.0..=1.0).contains(number)) {
                    Some(number) => *place = number as f32,
                    None => return wrong("a number from 0 to 1".into()),
                }
            }
            (Place::Switch(place), Value::Boolean(value)) => *place = *value,
            (Place::Switch(_), _) => return wrong("true or false".into()),
            (Place::Word(place, words), Value::String(word)) if words.contains(&word.as_str()) => {
                place.clone_from(word)
            }
            (Place::Word(_, words), _) => return wrong(format!("one of {}", words.join(", "))),
            (Place::Path(place), Value::String(path)) => place.clone_from(path),
            (Place::Path(_), _) => return wrong("the path of a folder".into()),
        }
        Ok(())
    }

    fn place(&mut self, key: &str) -> Option<Place<'_>> {
        Some(match key {
            "daemon.inactivity_minutes" => Place::Number(&mut self.inactivity_minutes, 1..=24 * 60),
            "daemon.check_interval_seconds" => Place::Number(&mut self.check_interval_seconds, 1..=3_600),
            "daemon.debounce_ms" => Place::Number(&mut self.debounce_ms, 10..=60_000),
            "daemon.log_level" => Place::Word(&mut self.log_level, LEVELS),
            "daemon.autostart" => Place::Switch(&mut self.autostart),
            "parser.confidence_threshold" => Place::Share(&mut self.confidence_threshold),
            "parser.include_low_confidence" => Place::Switch(&mut self.include_low_confidence),
            "context.max_decisions" => Place::Number(&mut self.max_decisions, 0..=50),
            "context.max_open_loops" => Place::Number(&mut self.max_open_loops, 0..=50),
            "context.max_gotchas" => Place::Number(&mut self.max_gotchas, 0..=50),
            "context.show_stale_after_days" => Place::Number(&mut self.show_stale_after_days, 1..=3_650),
            "context.max_chars" => Place::Number(&mut self.max_chars, 200..=4_000),
            "feedback.enabled" => Place::Switch(&mut self.feedback),
            "feedback.vague_decision_threshold" => Place::Share(&mut self.vague_decision_threshold),
            "feedback.stale_issue_days" => Place::Number(&mut self.stale_issue_days, 1..=3_650),
            "search.embedder" => Place::Word(&mut self.embedder, EMBEDDERS),
            "search.model_path" => Place::Path(&mut self.model_path),
            "privacy.redact" => Place::Switch(&mut self.redact),
            "privacy.include_code_comments" => Place::Switch(&mut self.include_code_comments),
            "privacy.include_git" => Place::Switch(&mut self.include_git),
            "edges.builtin" => Place::Switch(&mut self.builtin_edges),
            _ => return None,
        })
    }

    /// All settings as a file would hold them.
    pub fn to_text(&self) -> String {
        let mut settings = self.clone();
        let (mut text, mut section) = (String::new(), "");
        for key in KEYS {
            let (group, name) = key.split_once('.').unwrap_or(("", key));
            if group != section {
                let gap = if section.is_empty() { "" } else { "\n" };
                let _ = writeln!(text, "{gap}[{group}]");
                section = group;
            }
            let value = match settings.place(key) {
                Some(Place::Number(value, _)) => value.to_string(),
                Some(Place::Share(value)) => format!("{value:?}"),
                Some(Place::Switch(value)) => value.to_string(),
                Some(Place::Word(value, _) | Place::Path(value)) => Value::String(value.clone()).to_string(),
                None => continue,
            };
            let _ = writeln!(text, "{name} = {value}");
        }
        text
    }
}

/// The message about an unknown key, with the most similar known one.
fn report_unknown(key: &str) -> String {
    let name = key.rsplit('.').next().unwrap_or(key);
    let shared = |known: &&&str| {
        let known = known.rsplit('.').next().unwrap_or(known);
        let prefix = known.chars().zip(name.chars()).take_while(|(a, b)| a == b).count();
        let suffix = known.chars().rev().zip(name.chars().rev()).take_while(|(a, b)| a == b).count();
        prefix.max(suffix)
    };
    let near = KEYS.iter().max_by_key(shared).filter(|known| shared(known) >= 3);
    let hint = near.map(|known| format!("; did you mean `{known}`?")).unwrap_or_default();
    format!("unknown key `{key}`{hint}")
}

/// Returns the text of a `config.toml` with one key set. Everything else stays, comments included.
///
/// # Errors
/// A sentence about the problem with the key or the value.
pub fn set_key(text: &str, key: &str, value: &str) -> Result<String, String> {
    let (section, name) = key.split_once('.').ok_or_else(|| report_unknown(key))?;
    let quoted = format!("{value:?}");
    // A word is a text unless it is a number or a switch.
    let written = [value, &quoted].into_iter().find(|written| {
        let line = format!("[{section}]\n{name} = {written}\n");
        line.parse::<Table>().is_ok()
    });
    let written = written.ok_or_else(|| format!("`{value}` cannot be written as a value"))?;
    let problems = Settings::default().apply(&format!("[{section}]\n{name} = {written}\n"), Owner::User);
    if let Some(problem) = problems.into_iter().next() {
        return Err(problem);
    }
    text.parse::<Table>().map_err(|error| format!("the file is not TOML: {}", error.message()))?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_header = |line: &String| line.trim_start().starts_with('[');
    let header =
        lines.iter().position(|line| line.split('#').next().unwrap_or_default().trim() == format!("[{section}]"));
    let entry = format!("{name} = {written}");
    match header {
        None => {
            if lines.last().is_some_and(|line| !line.trim().is_empty()) {
                lines.push(String::new());
            }
            lines.extend([format!("[{section}]"), entry]);
        }
        Some(header) => {
            let end = lines[header + 1..].iter().position(is_header).map_or(lines.len(), |end| header + 1 + end);
            let old = lines[header + 1..end]
                .iter()
                .position(|line| line.split_once('=').is_some_and(|(left, _)| left.trim() == name));
            match old {
                Some(old) => lines[header + 1 + old] = entry,
                None => lines.insert(header + 1, entry),
            }
        }
    }
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_says_is_taken_and_what_it_may_not_say_is_named() {
        let mut settings = Settings::default();
        let text = "[context]\nmax_decisions = 8\nmax_gotcha = 1\nmax_chars = 9\n[daemon]\nlog_level = 'debug'\n[privacy]\nredact = false\n[search]\nembedder = 'model'\nmodel_path = '/x'\n[zzz]\nq = 1\n";
        let problems = settings.apply(text, Owner::Project);
        assert_eq!(settings, Settings { max_decisions: 8, ..Settings::default() });
        let expected = [
            "`context.max_chars` is 9, expected a whole number from 200 to 4000; it was left out",
            "unknown key `context.max_gotcha`; did you mean `context.max_gotchas`?",
            "`daemon.log_level` can only be set by the user, not by a project; it was left out",
            "`privacy.redact` can only be set by the user, not by a project; it was left out",
            "`search.embedder` can only be set by the user, not by a project; it was left out",
            "`search.model_path` can only be set by the user, not by a project; it was left out",
            "unknown key `zzz.q`",
        ];
        let mut sorted = problems.clone();
        sorted.sort();
        let mut wanted: Vec<String> = expected.iter().map(|text| (*text).to_owned()).collect();
        wanted.sort();
        assert_eq!(sorted, wanted);
        assert_eq!(settings.apply(text, Owner::User).len(), 3);
        assert_eq!((settings.log_level.as_str(), settings.redact), ("debug", false));
        assert_eq!((settings.embedder.as_str(), settings.model_path.as_str()), (MODEL, "/x"));
        assert_eq!(settings.apply("[search]\nembedder = 'words'", Owner::Project), Vec::<String>::new());
        assert_eq!(
            settings.apply("[search]\nembedder = 'best'\nmodel_path = 7", Owner::User),
            [
                "`search.embedder` is \"best\", expected one of built-in, words, model; it was left out",
                "`search.model_path` is 7, expected the path of a folder; it was left out",
            ]
        );
        assert_eq!(settings.apply("[", Owner::User).len(), 1);
    }

    #[test]
    fn all_settings_written_out_are_read_back() {
        let mut settings = Settings {
            max_decisions: 9,
            redact: false,
            confidence_threshold: 0.25,
            model_path: "/m \\ \"x\"".into(),
            ..Settings::default()
        };
        let text = settings.to_text();
        settings = Settings::default();
        assert_eq!(settings.apply(&text, Owner::User), Vec::<String>::new());
        assert_eq!((settings.max_decisions, settings.redact, settings.confidence_threshold), (9, false, 0.25));
        assert_eq!(settings.model_path, "/m \\ \"x\"");
        assert_eq!(text.matches(" = ").count(), KEYS.len());
    }

    #[test]
    fn one_key_is_set_and_the_rest_stays() {
        let text = "# mine\n[context]\n# few\nmax_gotchas = 2 # x\n\n[edges]\nbuiltin = true\n";
        let set = |key, value| set_key(text, key, value);
        assert_eq!(set("context.max_gotchas", "4").unwrap(), text.replace("max_gotchas = 2 # x", "max_gotchas = 4"));
        assert_eq!(
            set("context.max_chars", "900").unwrap(),
            text.replace("[context]\n", "[context]\nmax_chars = 900\n")
        );
        assert_eq!(set("daemon.log_level", "warn").unwrap(), format!("{text}\n[daemon]\nlog_level = \"warn\"\n"));
        assert!(
            set("context.max_chars", "x").is_err() && set("context.nope", "1").is_err() && set("nope", "1").is_err()
        );
    }
}
