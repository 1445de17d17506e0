//! Secrets in texts: found and taken out before a text is indexed, shown or logged. What was found is never repeated:
//! a finding names its kind and place only.
//!
//! Keys whose form gives them away are found anywhere; what only its neighbourhood gives away (an assignment to
//! something called `password`, a random token beside the word `key`) must look like a value, not like a name in
//! code.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use crate::needles::Needles;

/// Replacement for a secret.
pub const REDACTED: &str = "[REDACTED]";
/// Minimum length of a token tested for randomness, in bytes.
const MIN_RANDOM: usize = 24;
/// Bits a character from which a token is random.
const MIN_ENTROPY: f64 = 4.2;
/// Share of neighbouring characters of different classes from which a token is random: names change class seldom.
const MIN_CHANGES: f64 = 0.3;
/// Bytes before a random token in which a word like `key` makes it a secret.
const NEIGHBOURHOOD: usize = 60;

/// A secret in a text. Deliberately without its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// 1-based line of its first character.
    pub line: u32,
    /// Description for people.
    pub kind: &'static str,
    /// Position, in bytes.
    pub range: Range<usize>,
}

/// Additional condition for a match to be a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    /// The form is enough.
    None,
    /// No placeholder.
    Real,
    /// It has a digit and a letter.
    Mixed,
    /// As after `password=`.
    Assigned,
    /// As after `password is`.
    Told,
    /// Random, and beside a word like `key`.
    Random,
}

struct Rule {
    kind: &'static str,
    /// The secret is the first group that matched, or all of it.
    pattern: &'static str,
    check: Check,
    /// It has at least [`MIN_RANDOM`] characters of a token in a row.
    is_long: bool,
}

const fn rule(kind: &'static str, pattern: &'static str, check: Check) -> Rule {
    Rule { kind, pattern, check, is_long: false }
}

const fn long_rule(kind: &'static str, pattern: &'static str, check: Check) -> Rule {
    Rule { kind, pattern, check, is_long: true }
}

// Letters of any case only where they are words: folding a class, or one that leaves out a few characters, over all
// of Unicode takes longer than everything else that is done with it.
const RULES: &[Rule] = &[
    rule(
        "private key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
        Check::None,
    ),
    rule("AWS access key", r"\b(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA)[A-Z0-9]{16}\b", Check::None),
    rule("GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})", Check::None),
    rule("GitLab token", r"\bgl(?:pat|dt|rt|cbt|soat)-[A-Za-z0-9_-]{20,}", Check::None),
    rule("Slack token", r"\bxox[a-z]-[A-Za-z0-9-]{10,}|\bxapp-[0-9]-[A-Za-z0-9-]{10,}", Check::None),
    rule("Slack webhook", r"hooks\.slack\.com/services/([A-Za-z0-9/_-]{20,})", Check::None),
    rule("Google key", r"\bAIza[0-9A-Za-z_-]{35}|\bGOCSPX-[A-Za-z0-9_-]{20,}|\bya29\.[A-Za-z0-9_-]{20,}", Check::None),
    rule("Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{16,}", Check::None),
    rule("OpenAI key", r"\bsk-(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{16,}|\bsk-[A-Za-z0-9]{32,}", Check::None),
    rule("Stripe key", r"\b(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}", Check::None),
    rule("npm token", r"\bnpm_[A-Za-z0-9]{36}", Check::None),
    rule("PyPI token", r"\bpypi-[A-Za-z0-9_-]{32,}", Check::None),
    rule("Hugging Face token", r"\bhf_[A-Za-z0-9]{30,}", Check::None),
    rule("SendGrid key", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}", Check::None),
    rule("DigitalOcean token", r"\bdo[oprt]_v1_[a-f0-9]{40,}", Check::None),
    rule("Supabase key", r"\bsb(?:p|_secret)_[A-Za-z0-9_-]{20,}", Check::None),
    rule("JSON web token", r"\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", Check::None),
    long_rule("Telegram token", r"\b[0-9]{8,10}:[A-Za-z0-9_-]{35}\b", Check::None),
    long_rule("Discord token", r"\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}", Check::Mixed),
    rule("age key", r"\bAGE-SECRET-KEY-1[A-Z0-9]{40,}", Check::None),
    rule("password for curl", r#"\bcurl\b[^\n]*?\s(?:-u|--user)[ =]?["']?[^\s:"']+:([^\s"']{4,})"#, Check::Real),
    rule("password in a URL", r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:([^\s/]+)@", Check::Real),
    rule("authorization header", r"\b(?i:bearer|basic|token)\s+([A-Za-z0-9._~+/-]{16,}={0,2})", Check::Mixed),
    rule(
        "assigned secret",
        r#"(?i-u:password|passwd|passphrase|pwd|secret|credential|token|(?:api|access|account|auth|encryption|signing|master|private|deploy|shared|ssh|service|license)[ _.-]?key)(?:(?-u:[\w.-])|[^\x00-\x7F])*["'`]?\s*(?:=>|:=|[:=])\s*(?:"([^"\n]*)"|'([^'\n]*)'|`([^`\n]*)`|([^\s"'`,;()]+))"#,
        Check::Assigned,
    ),
    rule(
        "told secret",
        r#"\b(?i:password|passwd|passphrase|pwd|secret|(?:api|access|auth)[ _-]?(?:key|token)|token)\s+(?i:is|was)\s*:?\s*["'`]?([^\s"'`]{6,})"#,
        Check::Told,
    ),
    rule(
        "told secret",
        r#"\b(?i:passwort|kennwort|mot de passe|contraseña|senha|wachtwoord)(?:\s*[:=]|\s+(?i:ist|lautet|est|es|é|is)\s*:?)\s*["'`]?([^\s"'`]{6,})"#,
        Check::Told,
    ),
    long_rule("random token beside a key word", r"[A-Za-z0-9+/_=-]{24,}", Check::Random),
];

/// The patterns of [`RULES`], each compiled when there is first a text that it may be in.
static PATTERNS: [OnceLock<Regex>; RULES.len()] = [const { OnceLock::new() }; RULES.len()];
static NEEDLES: LazyLock<Needles> = LazyLock::new(|| Needles::of(RULES.iter().map(|rule| rule.pattern)));
/// Words beside which a random token is a secret, in small letters.
const KEY_WORDS: &[&str] = &[
    "key",
    "token",
    "secret",
    "passw",
    "pwd",
    "credential",
    "auth",
    "bearer",
    "signature",
    "cookie",
    "webhook",
    "dsn",
    "salt",
];

fn pattern(number: usize) -> &'static Regex {
    PATTERNS[number].get_or_init(|| Regex::new(RULES[number].pattern).expect("the patterns are constant and tested"))
}

/// The rules that may find something, in order.
fn due(text: &str) -> impl Iterator<Item = usize> {
    let has_token = has_token(text);
    NEEDLES.candidates(text).into_iter().filter(move |number| has_token || !RULES[*number].is_long)
}

/// Returns whether there are as many characters in a row as a random token has.
fn has_token(text: &str) -> bool {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/_=-".contains(byte);
    text.as_bytes().split(|byte| !is_inside(byte)).any(|run| run.len() >= MIN_RANDOM)
}

/// All secrets of a text in order; those that overlap are one.
#[must_use]
pub fn find(text: &str) -> Vec<Found> {
    let mut ranges: Vec<(Range<usize>, &'static str)> = Vec::new();
    for (rule, pattern) in due(text).map(|number| (&RULES[number], pattern(number))) {
        for captures in pattern.captures_iter(text) {
            let group = captures.iter().skip(1).flatten().next().or(captures.get(0));
            let Some(group) = group else { continue };
            let whole = captures.get(0).map_or("", |all| all.as_str());
            if is_secret(rule.check, text, whole, group.range()) {
                ranges.push((group.range(), rule.kind));
            }
        }
    }
    // Of two that begin together the one whose form gives it away names the kind: the sort is stable, `RULES` in that
    // order.
    ranges.sort_by_key(|(range, _)| range.start);
    let (mut found, mut line, mut at): (Vec<Found>, u32, usize) = (Vec::new(), 1, 0);
    for (range, kind) in ranges {
        if let Some(last) = found.last_mut().filter(|last| range.start < last.range.end) {
            last.range.end = last.range.end.max(range.end);
            continue;
        }
        line += text[at..range.start].bytes().filter(|byte| *byte == b'\n').count() as u32;
        at = range.start;
        found.push(Found { line, kind, range });
    }
    found
}

/// The text with [`REDACTED`] in place of every secret.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let found = find(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for secret in found {
        out.push_str(&text[at..secret.range.start]);
        out.push_str(REDACTED);
        at = secret.range.end;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

fn is_secret(check: Check, text: &str, whole: &str, range: Range<usize>) -> bool {
    let value = &text[range.clone()];
    match check {
        Check::None => true,
        Check::Real => !is_placeholder(value),
        Check::Mixed => !is_placeholder(value) && has_letter(value) && has_digit(value),
        Check::Assigned => is_assigned(whole, value),
        Check::Told => {
            let value = value.trim_end_matches(['.', ',', '!', '?', ';', ')']);
            !is_placeholder(value) && value.len() >= 6 && has_letter(value) && (has_digit(value) || has_mark(value))
        }
        Check::Random => {
            let before = &text[text.floor_char_boundary(range.start.saturating_sub(NEIGHBOURHOOD))..range.start];
            let line = before.rsplit('\n').next().unwrap_or(before);
            is_random(value) && {
                let line = line.to_lowercase();
                KEY_WORDS.iter().any(|word| line.contains(word))
            }
        }
    }
}

/// Returns whether what is assigned to something with the name of a secret is one: not a name, a type, a call or a
/// template.
fn is_assigned(whole: &str, value: &str) -> bool {
    if is_placeholder(value) || value.len() < 4 || value.contains(char::is_whitespace) {
        return false;
    }
    let lower = whole.to_ascii_lowercase();
    // `token` and `credentials` are names of many harmless things.
    let is_strong = ["passw", "pwd", "passphrase", "secret", "key"].iter().any(|word| lower.contains(word));
    let is_quoted = !whole.ends_with(value);
    let is_tight = whole.strip_suffix(value).is_some_and(|before| before.ends_with(['=', ':']));
    let names_itself = ["pass", "secret", "token", "key", "credential", "pwd"]
        .iter()
        .any(|word| value.to_ascii_lowercase().contains(word));
    if value.len() >= 6 && has_letter(value) && has_digit(value) {
        return !is_path(value) && (is_quoted || is_tight || value.len() >= 12 || has_mark(value));
    }
    is_strong && !names_itself && value.len() >= 6 && (is_quoted || is_tight) && !is_path(value) && !is_type(value)
}

/// Stands for a value that is filled in elsewhere, or was taken out.
fn is_placeholder(value: &str) -> bool {
    let is_template = value.starts_with(['$', '<', '{', '[', '%', '&', '*', '(', '@', '#'])
        || value.contains("${")
        || value.contains("{{")
        || value.contains("...")
        || value.contains('…')
        || value.contains("***");
    let lower = value.to_ascii_lowercase();
    let known = [
        "password", "pass", "passwd", "pwd", "secret", "token", "changeme", "example", "none", "null", "true", "false",
    ];
    is_template
        || known.contains(&&*lower)
        || ["your", "xxxx", "redacted", "placeholder", "process.env", "os.environ", "env("]
            .iter()
            .any(|part| lower.contains(part))
        || lower.bytes().all(|byte| byte == b'x' || byte == b'0')
}

/// `a.b.c`, `a::b`, `a/b.rs`: names of things, not values.
fn is_path(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['.', '/', ':', '-', '_', '\\', '[', ']', '&', '*', '<', '>', '?']).collect();
    parts.len() > 1
        && parts.iter().all(|part| {
            part.bytes().all(|byte| byte.is_ascii_alphabetic())
                || part.len() < 4
                || part.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// A name of code: letters only, and one that begins with a capital or is a common type.
fn is_type(value: &str) -> bool {
    let letters = value.trim_end_matches(['?', '!', ']', '[', '>', '}']);
    letters.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_<>|&".contains(&byte))
        && (letters.starts_with(|first: char| first.is_ascii_uppercase())
            || ["string", "boolean", "number", "integer", "unknown", "undefined", "object", "bytes"].contains(&letters))
}

fn has_letter(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn has_digit(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
}

fn has_mark(value: &str) -> bool {
    value.chars().any(|char| "!@#$%^&*+=~?".contains(char))
}

/// Returns whether the characters of a token come in no order that a name has.
fn is_random(token: &str) -> bool {
    if token.len() < MIN_RANDOM || !has_digit(token) || !has_letter(token) {
        return false;
    }
    let class = |byte: &u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let bytes = token.as_bytes();
    let changes = bytes.windows(2).filter(|pair| class(&pair[0]) != class(&pair[1])).count();
    changes as f64 / (bytes.len() - 1) as f64 >= MIN_CHANGES && entropy(bytes) > MIN_ENTROPY
}

/// Shannon's entropy in bits a byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let all = bytes.len() as f64;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / all);
    shares.map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests;
