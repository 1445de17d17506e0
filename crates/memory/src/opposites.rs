//! Statements about the same thing that exclude each other: one denies what the other says (`must be warmed`, `must not
//! be warmed`), or takes something else for the same purpose (`use MySQL for storage`, `we use PostgreSQL for storage
//! now`). What is not said in one of these forms is not compared.

use m1nd_search::words::{self, is_stop_word};

/// Maximum number of words of a statement that is compared; longer ones say more than one thing.
const MAX_WORDS: usize = 24;
/// Fewest words that two statements must share besides what excludes them.
const MIN_SHARED: usize = 2;

/// Words that deny the rest.
const DENIALS: &[&str] = &["not", "never", "no", "cannot", "without"];
/// Words of which the second denies the first.
const PAIRS: &[(&str, &str)] = &[
    ("use", "avoid"),
    ("allow", "forbid"),
    ("allow", "deny"),
    ("allowed", "forbidden"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("on", "off"),
    ("true", "false"),
    ("required", "optional"),
    ("safe", "unsafe"),
    ("supported", "unsupported"),
    ("with", "without"),
];
/// Words that say when, how sure or for whom, and not what.
const FILLERS: &[&str] = &[
    "now", "always", "currently", "today", "again", "just", "still", "please", "longer", "anymore", "instead",
    "really", "everywhere", "decided", "learned", "key",
];
/// Verbs that take something for a purpose, in the form in which they are compared.
const CHOICES: &[(&str, &str)] = &[
    ("use", "use"),
    ("uses", "use"),
    ("using", "use"),
    ("chose", "use"),
    ("choose", "use"),
    ("picked", "use"),
    ("pick", "use"),
    ("adopt", "use"),
    ("adopted", "use"),
    ("prefer", "use"),
];
/// Words between what is taken and its purpose.
const PURPOSES: &[&str] = &["for", "as"];
/// Verbs that put something in a place.
const PLACINGS: &[&str] =
    &["store", "keep", "save", "write", "deploy", "host", "run", "put", "send", "log", "publish", "cache"];
/// Words between a thing and its place.
const PLACES: &[&str] = &["in", "on", "to", "at", "into", "onto", "with"];

/// Words that announce a change.
const CHANGES: &[&str] = &["now", "instead", "switched", "moved", "migrated", "anymore", "longer"];

/// What a statement says about something: two with one subject and other values exclude each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) subject: String,
    pub(crate) values: Vec<String>,
    /// A later statement replaces an earlier one. Two things can be used for one purpose, unless the later statement
    /// says that something changed.
    pub(crate) replaces: bool,
}

/// The positions that a statement takes.
pub(crate) fn find_positions(statement: &str) -> Vec<Position> {
    let words = split_words(statement);
    if words.len() > MAX_WORDS {
        return Vec::new();
    }
    [find_denial(&words), find_choice(&words), find_placing(&words)].into_iter().flatten().collect()
}

/// The words of a statement in lower case; contracted denials are written out.
fn split_words(statement: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in statement.split_whitespace() {
        let lower = word.to_lowercase().replace('\u{2019}', "'");
        let lower = lower.trim_matches(|c: char| !c.is_alphanumeric());
        match lower.strip_suffix("n't") {
            Some("ca") => found.extend(["can".to_owned(), "not".to_owned()]),
            Some("wo") => found.extend(["will".to_owned(), "not".to_owned()]),
            Some(verb) => found.extend([verb.to_owned(), "not".to_owned()]),
            None if lower.is_empty() => {}
            None => found.push(lower.to_owned()),
        }
    }
    found
}

/// Whether it is said or denied of its other words.
fn find_denial(words: &[String]) -> Option<Position> {
    let (mut is_denied, mut rest) = (false, Vec::new());
    for word in words {
        if DENIALS.contains(&word.as_str()) {
            is_denied = !is_denied;
            // `with` and `without` differ in nothing else.
            if word == "without" {
                rest.push("with".to_owned());
            }
            continue;
        }
        let pair = PAIRS.iter().find(|(_, denied)| denied == word);
        is_denied ^= pair.is_some();
        let word = pair.map_or(word.as_str(), |(said, _)| said);
        if pair.is_some() || says_something(word) {
            rest.push(words::stem(word).to_string());
        }
    }
    // The order matters: `a calls b` is not `b calls a`.
    (rest.len() >= MIN_SHARED).then(|| Position {
        subject: format!("said {}", rest.join(" ")),
        values: vec![is_denied.to_string()],
        replaces: true,
    })
}

/// What is taken for a purpose.
fn find_choice(words: &[String]) -> Option<Position> {
    let (verb, at) = words.iter().enumerate().find_map(|(at, word)| {
        let verb = CHOICES.iter().find(|(form, _)| form == word)?;
        Some((verb.1, at))
    })?;
    let (thing, by, purpose) = split_at(&words[at + 1..], PURPOSES)?;
    let is_denied = words[..at].iter().any(|word| DENIALS.contains(&word.as_str()));
    (!is_denied).then(|| Position {
        subject: format!("{verb} {by} {}", purpose.join(" ")),
        values: thing,
        replaces: is_change(words),
    })
}

/// Where something is put.
fn find_placing(words: &[String]) -> Option<Position> {
    let at = words.iter().position(|word| PLACINGS.contains(&word.as_str()))?;
    let (thing, by, place) = split_at(&words[at + 1..], PLACES)?;
    let is_denied = words[..at].iter().any(|word| DENIALS.contains(&word.as_str()));
    (!is_denied).then(|| Position {
        subject: format!("{} {} {by}", words[at], thing.join(" ")),
        values: place,
        replaces: is_change(words),
    })
}

fn is_change(words: &[String]) -> bool {
    words.iter().any(|word| CHANGES.contains(&word.as_str()))
}

/// The words in front of the first of `between` and behind it.
fn split_at<'w>(words: &'w [String], between: &[&str]) -> Option<(Vec<String>, &'w str, Vec<String>)> {
    let at = words.iter().position(|word| between.contains(&word.as_str()))?;
    let what = |words: &[String]| -> Vec<String> {
        words.iter().filter(|word| says_something(word)).map(|word| words::stem(word).to_string()).collect()
    };
    let (before, after) = (what(&words[..at]), what(&words[at + 1..]));
    (!before.is_empty() && !after.is_empty()).then(|| (before, words[at].as_str(), after))
}

fn says_something(word: &str) -> bool {
    let is_filler = FILLERS.contains(&word) || is_stop_word(word);
    // Modal verbs and prepositions are stop words, but what is on is not off.
    !is_filler || PAIRS.iter().any(|(said, denied)| *said == word || *denied == word)
}

/// Returns whether two positions on one subject exclude each other. One that only says more does not.
pub(crate) fn exclude(one: &[String], other: &[String]) -> bool {
    let within = |one: &[String], other: &[String]| one.iter().all(|value| other.contains(value));
    !within(one, other) && !within(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_excluded(one: &str, other: &str) -> bool {
        find_positions(one).iter().any(|one| {
            find_positions(other)
                .iter()
                .any(|other| one.subject == other.subject && exclude(&one.values, &other.values))
        })
    }

    #[test]
    fn statements_that_exclude_each_other() {
        for (one, other) in [
            ("use MySQL for storage", "we use PostgreSQL for storage now"),
            ("The cache must be warmed", "the cache must not be warmed"),
            ("Always run migrations first", "never run migrations first"),
            ("retries are enabled in CI", "Retries are disabled in CI"),
            ("don't cache tokens", "cache tokens"),
            ("store sessions in Redis", "store sessions in Postgres"),
            ("deploy with the flag", "deploy without the flag"),
            ("uploads can't be resumed", "uploads can be resumed"),
        ] {
            assert!(is_excluded(one, other) && is_excluded(other, one), "{one} / {other}");
        }
    }

    #[test]
    fn statements_that_do_not() {
        for (one, other) in [
            ("use Redis for caching", "use Redis for sessions"),
            ("use MySQL for storage", "use MySQL 8 for storage"),
            ("the cache must be warmed", "the pool must not be warmed"),
            ("store sessions in Redis", "store uploads in S3"),
            ("not", "never"),
            ("a calls b twice", "b never calls a twice"),
            ("use MySQL", "use PostgreSQL"),
        ] {
            assert!(!is_excluded(one, other), "{one} / {other}");
        }
    }
}
