//! Claims about the structure of code, read from a sentence.

/// What a claim says of its subject and object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimKind {
    /// The subject never uses the object.
    NeverCalls,
    /// The subject does not depend on the object.
    NoDependency,
    /// The subject depends on the object.
    DependsOn,
    /// Both are coupled.
    Coupling,
    /// Both are on a cycle of dependencies; without an object, the subject is on one.
    Circular,
    /// Every way to the object leads through the subject; without an object, the subject holds parts together.
    Gateway,
    /// The subject is called before the object wherever the object is called.
    AlwaysBefore,
    /// Nothing is connected to the subject; without a subject, some code file of the project is isolated.
    Isolated,
    /// No pattern fits: is there any connection?
    Unknown,
}

impl ClaimKind {
    /// Every kind, in the order in which their patterns are tried.
    pub const ALL: &'static [Self] = &[
        Self::NeverCalls,
        Self::NoDependency,
        Self::DependsOn,
        Self::Coupling,
        Self::Circular,
        Self::Gateway,
        Self::AlwaysBefore,
        Self::Isolated,
        Self::Unknown,
    ];

    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NeverCalls => "never_calls",
            Self::NoDependency => "no_dependency",
            Self::DependsOn => "depends_on",
            Self::Coupling => "coupling",
            Self::Circular => "circular",
            Self::Gateway => "gateway",
            Self::AlwaysBefore => "always_before",
            Self::Isolated => "isolated",
            Self::Unknown => "unknown",
        }
    }
}

/// The relations that the verb of a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verb {
    /// Every relation that carries a change.
    #[default]
    Any,
    /// Calls.
    Calls,
    /// Imports.
    Imports,
}

/// A claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// What it says.
    pub kind: ClaimKind,
    /// The relations it is about.
    pub verb: Verb,
    /// Name of its subject; `None` for the whole project.
    pub subject: Option<String>,
    /// Name of its object, if it has one.
    pub object: Option<String>,
}

/// Where subject and object stand around a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `S pattern O`.
    Infix,
    /// `O pattern S`.
    Reversed,
    /// `S and O pattern`, or only S.
    After,
    /// `pattern S and O`.
    Before,
}

/// A phrase, the claim it makes, and where its names are.
struct Pattern {
    phrase: &'static str,
    kind: ClaimKind,
    verb: Verb,
    form: Form,
}

const fn infix(phrase: &'static str, kind: ClaimKind, verb: Verb) -> Pattern {
    Pattern { phrase, kind, verb, form: Form::Infix }
}

const fn after(phrase: &'static str, kind: ClaimKind) -> Pattern {
    Pattern { phrase, kind, verb: Verb::Any, form: Form::After }
}

const fn before(phrase: &'static str, kind: ClaimKind) -> Pattern {
    Pattern { phrase, kind, verb: Verb::Any, form: Form::Before }
}

use ClaimKind as K;

/// The patterns, in the order in which they are tried: the first one that occurs as whole words decides.
const PATTERNS: &[Pattern] = &[
    // `calls to B go through A` has the word of another claim.
    Pattern { phrase: "go through", kind: K::Gateway, verb: Verb::Any, form: Form::Reversed },
    Pattern { phrase: "goes through", kind: K::Gateway, verb: Verb::Any, form: Form::Reversed },
    Pattern { phrase: "pass through", kind: K::Gateway, verb: Verb::Any, form: Form::Reversed },
    Pattern { phrase: "passes through", kind: K::Gateway, verb: Verb::Any, form: Form::Reversed },
    Pattern { phrase: "route through", kind: K::Gateway, verb: Verb::Any, form: Form::Reversed },
    infix("has no connection to", K::NeverCalls, Verb::Any),
    infix("is independent of", K::NoDependency, Verb::Any),
    infix("has no dependency on", K::NoDependency, Verb::Any),
    infix("has no dependencies on", K::NoDependency, Verb::Any),
    infix("have no dependency on", K::NoDependency, Verb::Any),
    infix("is separate from", K::NoDependency, Verb::Any),
    infix("is decoupled from", K::NoDependency, Verb::Any),
    // Before `depends on` and its like, which occur inside of them.
    infix("has a circular dependency on", K::Circular, Verb::Any),
    infix("has a circular dependency with", K::Circular, Verb::Any),
    infix("has a cyclic dependency with", K::Circular, Verb::Any),
    infix("has a cycle with", K::Circular, Verb::Any),
    infix("is always called before", K::AlwaysBefore, Verb::Calls),
    infix("always runs before", K::AlwaysBefore, Verb::Calls),
    infix("always precedes", K::AlwaysBefore, Verb::Calls),
    infix("is called before", K::AlwaysBefore, Verb::Calls),
    infix("executes before", K::AlwaysBefore, Verb::Calls),
    infix("runs before", K::AlwaysBefore, Verb::Calls),
    infix("precedes", K::AlwaysBefore, Verb::Calls),
    infix("depends on", K::DependsOn, Verb::Any),
    infix("depend on", K::DependsOn, Verb::Any),
    infix("dependent on", K::DependsOn, Verb::Any),
    infix("relies on", K::DependsOn, Verb::Any),
    infix("rely on", K::DependsOn, Verb::Any),
    infix("requires", K::DependsOn, Verb::Any),
    infix("require", K::DependsOn, Verb::Any),
    infix("imports", K::DependsOn, Verb::Imports),
    infix("import", K::DependsOn, Verb::Imports),
    infix("invokes", K::DependsOn, Verb::Calls),
    infix("invoke", K::DependsOn, Verb::Calls),
    infix("calls", K::DependsOn, Verb::Calls),
    infix("call", K::DependsOn, Verb::Calls),
    infix("references", K::DependsOn, Verb::Any),
    infix("reference", K::DependsOn, Verb::Any),
    infix("touches", K::DependsOn, Verb::Any),
    infix("touch", K::DependsOn, Verb::Any),
    infix("uses", K::DependsOn, Verb::Any),
    infix("use", K::DependsOn, Verb::Any),
    infix("is tightly connected to", K::Coupling, Verb::Any),
    infix("is tightly coupled to", K::Coupling, Verb::Any),
    infix("is tightly coupled with", K::Coupling, Verb::Any),
    infix("is coupled to", K::Coupling, Verb::Any),
    infix("is coupled with", K::Coupling, Verb::Any),
    infix("co-changes with", K::Coupling, Verb::Any),
    infix("changes together with", K::Coupling, Verb::Any),
    after("are tightly connected", K::Coupling),
    after("are tightly coupled", K::Coupling),
    after("are coupled", K::Coupling),
    after("co-change", K::Coupling),
    after("change together", K::Coupling),
    before("circular dependency between", K::Circular),
    before("cyclic dependency between", K::Circular),
    before("cycle between", K::Circular),
    after("are circular", K::Circular),
    after("are cyclic", K::Circular),
    after("form a cycle", K::Circular),
    after("is circular", K::Circular),
    after("is cyclic", K::Circular),
    after("is on a cycle", K::Circular),
    after("is part of a cycle", K::Circular),
    infix("is the gateway to", K::Gateway, Verb::Any),
    infix("is a gateway to", K::Gateway, Verb::Any),
    infix("is a bottleneck for", K::Gateway, Verb::Any),
    after("is a gateway", K::Gateway),
    after("is the gateway", K::Gateway),
    after("is a bottleneck", K::Gateway),
    after("is a choke point", K::Gateway),
    after("is isolated", K::Isolated),
    after("are isolated", K::Isolated),
    after("has no dependencies", K::Isolated),
    after("have no connections", K::Isolated),
    after("with no connections", K::Isolated),
    after("with no connection", K::Isolated),
    after("is standalone", K::Isolated),
    after("is self-contained", K::Isolated),
    after("is an orphan", K::Isolated),
    after("are orphans", K::Isolated),
];

/// Words around a name that do not belong to it.
const FILLER: &[&str] = &[
    "a", "all", "always", "an", "any", "anything", "are", "at", "be", "calls", "can", "class", "claim", "code",
    "directly", "do", "does", "ever", "every", "file", "files", "folder", "function", "functions", "has", "have", "in",
    "inside", "is", "it", "may", "method", "module", "modules", "must", "of", "package", "requests", "should", "some",
    "struct", "that", "the", "there", "to", "traffic", "true", "type", "which", "will",
];

/// Phrases whose opposite says that there is no dependency; that of the others says that something is never used.
const OF_DEPENDENCY: &[&str] =
    &["depends on", "depend on", "dependent on", "relies on", "rely on", "requires", "require"];

/// Words that turn a claim about a dependency into its opposite.
const NEGATIONS: &[&str] = &[
    "can't", "cannot", "doesn't", "don't", "isn't", "mustn't", "never", "no", "nobody", "none", "not", "nothing",
    "shouldn't", "won't",
];

/// The reason why a sentence is not a claim that can be tested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClaimError {
    /// No pattern fits, and the words are more than two names.
    #[error("the claim is not understood: {0}")]
    NotUnderstood(String),
    /// The opposite of a claim that has none.
    #[error("the opposite of `{0}` cannot be tested; claim the thing itself")]
    Negated(&'static str),
}

/// Phrases that make the whole project the subject.
const PROJECT: &[&str] = &["in the repo", "in the repository", "in the codebase", "in the project", "in this repo"];

/// Reads a claim. Two names alone are [`ClaimKind::Unknown`]: is there any connection?
///
/// # Errors
/// [`ClaimError`]: what is not understood as a whole is not tested in part.
pub fn parse(text: &str) -> Result<Claim, ClaimError> {
    // Keeps the offsets of the text.
    let lower = text.to_ascii_lowercase();
    for pattern in PATTERNS {
        let Some(at) = find_words(&lower, pattern.phrase) else { continue };
        let (left, right) = (&text[..at], &text[at + pattern.phrase.len()..]);
        let is_negated = unquoted_words(left).any(|word| NEGATIONS.contains(&word.to_ascii_lowercase().as_str()));
        let kind = match (is_negated, pattern.kind, pattern.verb) {
            (false, kind, _) => kind,
            (true, K::DependsOn, Verb::Any) if OF_DEPENDENCY.contains(&pattern.phrase) => K::NoDependency,
            (true, K::DependsOn, _) => K::NeverCalls,
            (true, ..) => return Err(ClaimError::Negated(pattern.phrase)),
        };
        let (subject, object) = match pattern.form {
            Form::Infix => (name(left), name(right)),
            Form::Reversed => (name(right), name(left)),
            Form::After => pair(left),
            Form::Before => pair(right),
        };
        let is_project = kind == K::Isolated && PROJECT.iter().any(|phrase| lower.contains(phrase));
        let subject = subject.filter(|_| !is_project);
        return Ok(Claim { kind, verb: pattern.verb, subject, object: object.filter(|_| !is_project) });
    }
    let is_negated = unquoted_words(text).any(|word| NEGATIONS.contains(&word.to_ascii_lowercase().as_str()));
    let named: Vec<&str> = unquoted_words(text).filter(|word| !is_filler(word) && *word != "and").collect();
    match named.as_slice() {
        [subject, object] if !is_negated => {
            let (subject, object) = (Some((*subject).to_owned()), Some((*object).to_owned()));
            Ok(Claim { kind: K::Unknown, verb: Verb::Any, subject, object })
        }
        _ => Err(ClaimError::NotUnderstood(text.chars().take(SHOWN).collect())),
    }
}

/// Characters of a claim that an error repeats.
const SHOWN: usize = 200;

fn unquoted_words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter_map(bare)
}

/// Returns whether a word says nothing about what is named.
fn is_filler(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    FILLER.contains(&word.as_str()) || NEGATIONS.contains(&word.as_str())
}

/// Position of a phrase as whole words.
fn find_words(text: &str, phrase: &str) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == ':' || c == '/';
    text.match_indices(phrase).map(|(at, _)| at).find(|&at| {
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

/// `S and O`, or only S.
fn pair(text: &str) -> (Option<String>, Option<String>) {
    let lower = text.to_ascii_lowercase();
    match find_words(&lower, "and") {
        Some(at) => (name(&text[..at]), name(&text[at + "and".len()..])),
        None => (name(text), None),
    }
}

/// The name in a part of a sentence: its quoted part, or its words without filler.
fn name(text: &str) -> Option<String> {
    let quoted = ['`', '"', '\''].into_iter().find_map(|quote| {
        let (_, rest) = text.split_once(quote)?;
        rest.split_once(quote).map(|(inside, _)| inside.trim()).filter(|inside| !inside.is_empty())
    });
    if let Some(quoted) = quoted {
        return Some(quoted.to_owned());
    }
    let words: Vec<&str> = unquoted_words(text).filter(|word| !is_filler(word)).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// A word without punctuation around it.
fn bare(word: &str) -> Option<&str> {
    let word = word.trim_matches(|c: char| matches!(c, ',' | ';' | '?' | '!' | '`' | '"' | '\'' | '(' | ')'));
    let word = word.trim_end_matches(['.', ':']);
    (!word.is_empty()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_read_by_their_first_pattern() {
        let cases = [
            ("Session never calls the function `Pool.close`.", "never_calls Session Pool.close"),
            ("auth.py does not import db", "never_calls auth.py db"),
            ("worker is independent of the web module", "no_dependency worker web"),
            ("Session depends on HTTPAdapter", "depends_on Session HTTPAdapter"),
            ("src/a.py uses b::helper", "depends_on src/a.py b::helper"),
            ("models and views are tightly coupled", "coupling models views"),
            ("There is a circular dependency between utils and compat", "circular utils compat"),
            ("a.py has a circular dependency on b.py", "circular a.py b.py"),
            ("Config is on a cycle", "circular Config -"),
            ("All requests go through Session.send", "gateway Session.send -"),
            ("calls to db pass through Pool", "gateway Pool db"),
            ("Session is a bottleneck", "gateway Session -"),
            ("validate always runs before save", "always_before validate save"),
            ("utils.py is isolated", "isolated utils.py -"),
            ("there are files in the repo with no connections", "isolated - -"),
            ("Session and HTTPAdapter", "unknown Session HTTPAdapter"),
            ("recalls depends on x", "depends_on recalls x"),
            ("core never depends on classic", "no_dependency core classic"),
            ("core has no dependency on classic", "no_dependency core classic"),
            ("core must not use classic", "never_calls core classic"),
            ("core cannot import classic", "never_calls core classic"),
            ("no file in core imports classic", "never_calls core classic"),
            ("Nothing in src/core calls b::helper", "never_calls src/core b::helper"),
            ("files in core import classic", "depends_on core classic"),
        ];
        for (text, expected) in cases {
            let claim = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let part = |name: &Option<String>| name.clone().unwrap_or_else(|| "-".to_owned());
            let read = format!("{} {} {}", claim.kind.word(), part(&claim.subject), part(&claim.object));
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_as_a_whole_is_an_error() {
        for text in ["", "Session", "Session something HTTPAdapter", "utils is not isolated", "a and b are not coupled"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
