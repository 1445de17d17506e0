//! Phrases that mark a decision as temporary.

use std::sync::LazyLock;

use jiff::civil::Date;
use jiff::{Span, ToSpan};
use regex::Regex;
use serde::{Deserialize, Serialize};

/// Kind of a temporary decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkerKind {
    /// Only meant for a first version.
    Mvp,
    /// Meant for a while.
    Temporary,
    /// A fix that has to be made properly.
    QuickFix,
    /// A placeholder for future work.
    Placeholder,
    /// To be thought over again.
    Revisit,
}

impl MarkerKind {
    /// Days after which the decision should be reviewed.
    #[must_use]
    pub const fn review_after_days(self) -> u16 {
        match self {
            Self::Mvp | Self::Temporary => 14,
            Self::QuickFix | Self::Placeholder | Self::Revisit => 7,
        }
    }

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mvp => "mvp",
            Self::Temporary => "temporary",
            Self::QuickFix => "quick_fix",
            Self::Placeholder => "placeholder",
            Self::Revisit => "revisit",
        }
    }
}

/// One such word of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marker {
    /// Kind of the marker.
    pub kind: MarkerKind,
    /// The words that say so.
    pub words: Box<str>,
}

impl Marker {
    /// The day on which a decision of that day should be reviewed.
    #[must_use]
    pub fn review_after(&self, decided: Date) -> Option<Date> {
        let days: Span = i64::from(self.kind.review_after_days()).days();
        decided.checked_add(days).ok()
    }
}

/// Lower-case phrases; each must be separate, not part of a longer word.
const PHRASES: &[(MarkerKind, &str)] = &[
    (MarkerKind::Mvp, "for the mvp"),
    (MarkerKind::Mvp, "for mvp"),
    (MarkerKind::Mvp, "mvp only"),
    (MarkerKind::Temporary, "for now"),
    (MarkerKind::Temporary, "short-term"),
    (MarkerKind::Temporary, "short term"),
    (MarkerKind::Temporary, "until we"),
    (MarkerKind::Temporary, "for the time being"),
    (MarkerKind::Temporary, "will migrate later"),
    (MarkerKind::Temporary, "temporary"),
    (MarkerKind::Temporary, "temporarily"),
    (MarkerKind::QuickFix, "quick hack"),
    (MarkerKind::QuickFix, "quick fix"),
    (MarkerKind::QuickFix, "hacky"),
    (MarkerKind::QuickFix, "band-aid"),
    (MarkerKind::QuickFix, "duct tape"),
    (MarkerKind::QuickFix, "needs a proper fix"),
    (MarkerKind::Placeholder, "stub"),
    (MarkerKind::Placeholder, "placeholder"),
    (MarkerKind::Placeholder, "todo: replace"),
    (MarkerKind::Revisit, "come back to"),
    (MarkerKind::Revisit, "rethink"),
    (MarkerKind::Revisit, "reconsider later"),
    (MarkerKind::Revisit, "revisit"),
];

/// Any of the phrases: most texts have none.
static ANY: LazyLock<Regex> = LazyLock::new(|| {
    let phrases: Vec<String> = PHRASES.iter().map(|(_, phrase)| regex::escape(phrase)).collect();
    Regex::new(&phrases.join("|")).expect("escaped phrases are a pattern")
});

/// The markers of a text, in its order, each kind once. The first one gives the reason to look again.
#[must_use]
pub fn markers(text: &str) -> Vec<Marker> {
    let lower = text.to_ascii_lowercase();
    let mut found: Vec<(usize, MarkerKind, &str)> = Vec::new();
    if !ANY.is_match(&lower) {
        return Vec::new();
    }
    for (kind, phrase) in PHRASES {
        let place = lower.match_indices(phrase).map(|(at, _)| at).find(|at| stands_alone(&lower, *at, phrase.len()));
        let Some(at) = place else { continue };
        match found.iter_mut().find(|(_, other, _)| other == kind) {
            Some(first) if first.0 > at => *first = (at, *kind, phrase),
            Some(_) => {}
            None => found.push((at, *kind, phrase)),
        }
    }
    found.sort_by_key(|(at, ..)| *at);
    found.into_iter().map(|(_, kind, words)| Marker { kind, words: words.into() }).collect()
}

fn stands_alone(text: &str, at: usize, length: usize) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    !text[..at].chars().next_back().is_some_and(inside) && !text[at + length..].chars().next().is_some_and(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_say_that_a_decision_will_not_last() {
        let cases: &[(&str, &[MarkerKind])] = &[
            ("SQLite for the MVP", &[MarkerKind::Mvp]),
            ("polling for now, until we have webhooks", &[MarkerKind::Temporary]),
            ("a quick hack, come back to it", &[MarkerKind::QuickFix, MarkerKind::Revisit]),
            ("stubborn users for nowhere", &[]),
            ("Stub for payments", &[MarkerKind::Placeholder]),
            ("JWT for auth", &[]),
        ];
        for (text, expected) in cases {
            let kinds: Vec<_> = markers(text).into_iter().map(|marker| marker.kind).collect();
            assert_eq!(&kinds, expected, "{text}");
        }
    }

    #[test]
    fn the_day_to_look_again() {
        let marker = &markers("for now")[0];
        assert_eq!(marker.review_after(jiff::civil::date(2024, 12, 20)), Some(jiff::civil::date(2025, 1, 3)));
        assert_eq!(marker.review_after(Date::MAX), None);
    }
}
