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
    infix("never calls", K::NeverCalls, Verb::Calls),
    infix("never invokes", K::NeverCalls, Verb::Calls),
    infix("never imports", K::NeverCalls, Verb::Imports),
    infix("never touches", K::NeverCalls, Verb::Any),
    infix("never uses", K::NeverCalls, Verb::Any),
    infix("never references", K::NeverCalls, Verb::Any),
    infix("does not call", K::NeverCalls, Verb::Calls),
    infix("doesn't call", K::NeverCalls, Verb::Calls),
    infix("does not invoke", K::NeverCalls, Verb::Calls),
    infix("doesn't invoke", K::NeverCalls, Verb::Calls),
    infix("does not import", K::NeverCalls, Verb::Imports),
    infix("doesn't import", K::NeverCalls, Verb::Imports),
    infix("does not use", K::NeverCalls, Verb::Any),
    infix("doesn't use", K::NeverCalls, Verb::Any),
    infix("has no connection to", K::NeverCalls, Verb::Any),
    infix("is independent of", K::NoDependency, Verb::Any),
    infix("has no dependency on", K::NoDependency, Verb::Any),
    infix("does not depend on", K::NoDependency, Verb::Any),
    infix("doesn't depend on", K::NoDependency, Verb::Any),
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
    infix("relies on", K::DependsOn, Verb::Any),
    infix("requires", K::DependsOn, Verb::Any),
    infix("imports", K::DependsOn, Verb::Imports),
    infix("invokes", K::DependsOn, Verb::Calls),
    infix("calls", K::DependsOn, Verb::Calls),
    infix("references", K::DependsOn, Verb::Any),
    infix("uses", K::DependsOn, Verb::Any),
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
    "a", "all", "always", "an", "any", "at", "class", "claim", "code", "directly", "do", "does", "ever", "every",
    "file", "function", "has", "have", "is", "it", "method", "module", "must", "of", "package", "requests", "some",
    "struct", "that", "the", "there", "to", "traffic", "true", "type", "which",
];

/// Phrases that make the whole project the subject.
const PROJECT: &[&str] = &["in the repo", "in the repository", "in the codebase", "in the project", "in this repo"];

/// Reads a claim. Never fails: what fits no pattern is [`ClaimKind::Unknown`] about its first and last word.
pub fn parse(text: &str) -> Claim {
    // Keeps the offsets of the text.
    let lower = text.to_ascii_lowercase();
    for pattern in PATTERNS {
        let Some(at) = find_words(&lower, pattern.phrase) else { continue };
        let (left, right) = (&text[..at], &text[at + pattern.phrase.len()..]);
        let (subject, object) = match pattern.form {
            Form::Infix => (name(left), name(right)),
            Form::Reversed => (name(right), name(left)),
            Form::After => pair(left),
            Form::Before => pair(right),
        };
        let is_project = pattern.kind == K::Isolated && PROJECT.iter().any(|phrase| lower.contains(phrase));
        let subject = subject.filter(|_| !is_project);
        return Claim { kind: pattern.kind, verb: pattern.verb, subject, object: object.filter(|_| !is_project) };
    }
    let words: Vec<&str> = text.split_whitespace().filter_map(bare).collect();
    let named: Vec<&&str> = words.iter().filter(|word| !FILLER.contains(&word.to_ascii_lowercase().as_str())).collect();
    let subject = named.first().map(|word| (**word).to_owned());
    let object = named.last().filter(|_| named.len() > 1).map(|word| (**word).to_owned());
    Claim { kind: K::Unknown, verb: Verb::Any, subject, object }
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
    let words = text.split_whitespace().filter_map(bare);
    let words: Vec<&str> = words.filter(|word| !FILLER.contains(&word.to_ascii_lowercase().as_str())).collect();
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
            ("calls to db pass through Pool", "gateway Pool calls db"),
            ("Session is a bottleneck", "gateway Session -"),
            ("validate always runs before save", "always_before validate save"),
            ("utils.py is isolated", "isolated utils.py -"),
            ("there are files in the repo with no connections", "isolated - -"),
            ("Session something HTTPAdapter", "unknown Session HTTPAdapter"),
            ("recalls depends on x", "depends_on recalls x"),
            ("", "unknown - -"),
        ];
        for (text, expected) in cases {
            let claim = parse(text);
            let part = |name: &Option<String>| name.clone().unwrap_or_else(|| "-".to_owned());
            let read = format!("{} {} {}", claim.kind.word(), part(&claim.subject), part(&claim.object));
            assert_eq!(read, expected, "{text}");
        }
    }
}
