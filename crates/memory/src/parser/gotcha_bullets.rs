//! Bullets of the Gotchas section.

use serde::{Deserialize, Serialize};

use super::draft::{MAX_CONTENT_CHARS, MAX_TITLE_CHARS, cut, is_placeholder, trim_title};
use crate::RecordId;

/// How bad it is to run into a gotcha.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know; what a bullet is that does not say.
    #[default]
    Info,
    /// Costs time.
    Warning,
    /// Costs data, money or trust.
    Critical,
}

impl Severity {
    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}

/// A trap of the project, as it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GotchaBullet {
    /// The id of its record.
    pub id: RecordId,
    /// What goes wrong.
    pub title: Box<str>,
    /// The whole bullet.
    pub description: Box<str>,
    /// The way around; `None` where the bullet gives none.
    pub workaround: Option<Box<str>>,
    /// How bad it is.
    pub severity: Severity,
    /// 1-based line.
    pub line: u32,
}

/// Marks between a trap and the way around it, with the blanks they need.
const SEPARATORS: &[&str] = &[" → ", " -> ", " => ", " -- ", " – ", " — ", " - "];
/// A colon separates only where at least as many words stand before it.
const MIN_WORDS_BEFORE_COLON: usize = 3;

/// Title, way around and severity of a bullet's text. `None` for a placeholder and for nothing.
pub(crate) fn split(text: &str) -> Option<(String, Option<String>, Severity)> {
    let (severity, text) = severity(text.trim());
    if is_placeholder(text) || text.chars().count() < super::draft::MIN_TITLE_CHARS {
        return None;
    }
    let dash = SEPARATORS.iter().filter_map(|mark| text.find(mark).map(|at| (at, at + mark.len()))).min();
    let colon = || {
        let at = text.find(": ")?;
        (text[..at].split_whitespace().count() >= MIN_WORDS_BEFORE_COLON).then_some((at, at + 2))
    };
    let (title, workaround) = match dash.or_else(colon) {
        Some((end, start)) => (&text[..end], Some(trim_title(&text[start..]))),
        None => (text, None),
    };
    let title = trim_title(title);
    let workaround = workaround.filter(|text| !text.is_empty()).map(|text| cut(text, MAX_CONTENT_CHARS));
    (!title.is_empty()).then(|| (cut(title, MAX_TITLE_CHARS), workaround, severity))
}

fn severity(text: &str) -> (Severity, &str) {
    for severity in [Severity::Critical, Severity::Warning, Severity::Info] {
        let Some(rest) = text.strip_prefix('[') else { break };
        let name = severity.name();
        let is_it = rest.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name));
        if is_it && let Some(rest) = rest[name.len()..].strip_prefix(']') {
            return (severity, rest.trim_start_matches([' ', ':']));
        }
    }
    (Severity::Info, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bullet_is_a_trap_and_the_way_around() {
        let cases = [
            (
                "Safari ITP blocks cross-domain cookies → use same-domain auth",
                "Safari ITP blocks cross-domain cookies",
                Some("use same-domain auth"),
                Severity::Info,
            ),
            ("Our API rate limits to 100/min", "Our API rate limits to 100/min", None, Severity::Info),
            (
                "Edge functions timeout at 10s - use serverless for webhooks",
                "Edge functions timeout at 10s",
                Some("use serverless for webhooks"),
                Severity::Info,
            ),
            (
                "[critical] Never run `seed` on prod -> it drops tables",
                "Never run `seed` on prod",
                Some("it drops tables"),
                Severity::Critical,
            ),
            (
                "[WARNING]: jest caches modules => resetModules",
                "jest caches modules",
                Some("resetModules"),
                Severity::Warning,
            ),
            ("Port 3000 is taken: use 3001", "Port 3000 is taken", Some("use 3001"), Severity::Info),
            ("Note: flaky on CI", "Note: flaky on CI", None, Severity::Info),
            ("a-b well-known — rename first", "a-b well-known", Some("rename first"), Severity::Info),
            ("CI is slow -- cache it - twice", "CI is slow", Some("cache it - twice"), Severity::Info),
        ];
        for (text, title, workaround, severity) in cases {
            let found = split(text).expect("a gotcha");
            assert_eq!((found.0.as_str(), found.1.as_deref(), found.2), (title, workaround, severity), "{text}");
        }
        for text in ["(add gotchas here)", "", "None", "-"] {
            assert_eq!(split(text), None, "{text}");
        }
    }
}
