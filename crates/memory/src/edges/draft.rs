use jiff::Timestamp;
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use super::{Detection, Edge, unsaid_severity};
use crate::{Severity, secrets};

/// Most entries of a list of keywords, patterns or tags.
pub const MAX_PATTERNS: usize = 32;
/// Most characters of one of them.
pub const MAX_PATTERN_CHARS: usize = 200;
/// Most characters of title, description or workaround.
pub const MAX_TEXT_CHARS: usize = 2000;
/// Maximum bytes of one compiled pattern.
pub(super) const MAX_PATTERN_BYTES: usize = 1 << 20;
/// Characters of an id after its prefix.
const ID_CHARS: usize = 10;
/// Base 32 without letters that look like digits.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The reason why a gotcha is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EdgeError {
    /// A text is empty.
    #[error("`{0}` is empty; say it in a sentence")]
    Empty(&'static str),
    /// A text is too long.
    #[error("`{field}` has {found} characters, at most {MAX_TEXT_CHARS} are taken; shorten it")]
    TooLong {
        /// Name of the field.
        field: &'static str,
        /// Its characters.
        found: usize,
    },
    /// Nothing by which it could be found.
    #[error("neither a keyword nor a pattern nor a stack tag; give at least one by which it is recognised")]
    Nothing,
    /// Too many entries.
    #[error("`{field}` has {found} entries, at most {MAX_PATTERNS} are taken; keep the telling ones")]
    TooMany {
        /// Name of the list.
        field: &'static str,
        /// Its entries.
        found: usize,
    },
    /// An entry that cannot be looked for.
    #[error("`{field}` holds {entry:?}: {reason}")]
    Entry {
        /// Name of the list.
        field: &'static str,
        /// The entry, cut.
        entry: Box<str>,
        /// Description of the error, and what to do.
        reason: Box<str>,
    },
    /// A secret in it.
    #[error("`{field}` holds a secret ({kind}); leave it out, gotchas are kept for all projects")]
    Secret {
        /// Name of the field.
        field: &'static str,
        /// Kind of secret.
        kind: &'static str,
    },
}

/// A gotcha as it is handed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeDraft {
    /// The problem, in one line.
    pub title: Box<str>,
    /// Cause and circumstances.
    pub description: Box<str>,
    /// The way around.
    pub workaround: Box<str>,
    /// Its triggers.
    pub detection: Detection,
    /// Stack tags that a project must have for it to apply.
    #[serde(default)]
    pub stack_tags: Vec<Box<str>>,
    /// Severity; defaults to a warning.
    #[serde(default = "unsaid_severity")]
    pub severity: Severity,
}

impl EdgeDraft {
    /// Returns whether it can be taken.
    ///
    /// # Errors
    /// Empty or too long texts, nothing to be recognised by, patterns that do not compile, secrets.
    pub fn validate(&self) -> Result<(), EdgeError> {
        for (field, text) in self.texts() {
            if text.trim().is_empty() {
                return Err(EdgeError::Empty(field));
            }
            let found = text.chars().count();
            if found > MAX_TEXT_CHARS {
                return Err(EdgeError::TooLong { field, found });
            }
            if let Some(secret) = secrets::find(text).first() {
                return Err(EdgeError::Secret { field, kind: secret.kind });
            }
        }
        for (field, entries) in self.lists() {
            check_list(field, entries)?;
        }
        for entry in &self.detection.code {
            compile(entry).map_err(|reason| EdgeError::Entry { field: "detection.code", entry: cut(entry), reason })?;
        }
        if self.lists().iter().all(|(_, entries)| entries.is_empty()) {
            return Err(EdgeError::Nothing);
        }
        Ok(())
    }

    /// The gotcha, as it is kept. `now` is when it was handed in.
    ///
    /// # Errors
    /// As [`Self::validate`].
    pub fn into_edge(self, now: Timestamp) -> Result<Edge, EdgeError> {
        self.validate()?;
        let trimmed = |text: &str| -> Box<str> { text.trim().into() };
        let entries = |list: &[Box<str>]| list.iter().map(|entry| trimmed(entry)).collect();
        Ok(Edge {
            id: id_of(&self.title, now),
            title: trimmed(&self.title),
            description: trimmed(&self.description),
            workaround: trimmed(&self.workaround),
            detection: Detection {
                context: entries(&self.detection.context),
                intent: entries(&self.detection.intent),
                code: self.detection.code,
            },
            stack_tags: entries(&self.stack_tags),
            severity: self.severity,
            created_at: now,
            verified_count: 0,
        })
    }

    fn texts(&self) -> [(&'static str, &str); 3] {
        [("title", &self.title), ("description", &self.description), ("workaround", &self.workaround)]
    }

    fn lists(&self) -> [(&'static str, &[Box<str>]); 4] {
        [
            ("detection.context", &self.detection.context),
            ("detection.intent", &self.detection.intent),
            ("detection.code", &self.detection.code),
            ("stack_tags", &self.stack_tags),
        ]
    }
}

fn check_list(field: &'static str, entries: &[Box<str>]) -> Result<(), EdgeError> {
    if entries.len() > MAX_PATTERNS {
        return Err(EdgeError::TooMany { field, found: entries.len() });
    }
    for entry in entries {
        let chars = entry.chars().count();
        let reason: Box<str> = if entry.trim().is_empty() {
            "it is empty; leave it out".into()
        } else if chars > MAX_PATTERN_CHARS {
            format!("it has {chars} characters, at most {MAX_PATTERN_CHARS} are taken; shorten it").into()
        } else if field != "detection.code" && !entry.chars().any(char::is_alphanumeric) {
            "it has neither letter nor digit; give a word".into()
        } else {
            continue;
        };
        return Err(EdgeError::Entry { field, entry: cut(entry), reason });
    }
    Ok(())
}

/// A pattern of code, as it is applied.
pub(super) fn compile(pattern: &str) -> Result<Regex, Box<str>> {
    let regex = builder(pattern).build().map_err(|error| {
        let text = error.to_string();
        let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        format!("it does not compile ({}); look-around and back-references are not supported", last.trim())
    })?;
    if regex.is_match("") {
        return Err("it matches the empty text, and so any code; make it narrower".into());
    }
    Ok(regex)
}

fn builder(pattern: &str) -> RegexBuilder {
    let mut builder = RegexBuilder::new(pattern);
    builder.case_insensitive(true).multi_line(true).size_limit(MAX_PATTERN_BYTES).dfa_size_limit(MAX_PATTERN_BYTES);
    builder
}

fn cut(text: &str) -> Box<str> {
    const SHOWN: usize = 60;
    text.chars().take(SHOWN).collect::<String>().into()
}

fn id_of(title: &str, now: Timestamp) -> Box<str> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(title.as_bytes());
    hasher.update(&[0]);
    hasher.update(&now.as_nanosecond().to_le_bytes());
    let hash = hasher.finalize();
    let letters = hash.as_bytes().iter().take(ID_CHARS).map(|byte| char::from(ALPHABET[usize::from(byte % 32)]));
    format!("edge_{}", letters.collect::<String>()).into()
}
