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
/// The same for letters alone, which change case in names of code, too.
const MANY_CHANGES: f64 = 0.5;
/// Bits a character from which a value beside the name of a service is one that the service gave out. A hexadecimal
/// one of 16 characters seldom has less.
const MIN_SPREAD: f64 = 2.9;
/// Fewest different characters of a generated token.
const MIN_DIFFERENT: usize = 6;
/// Least length of a piece of a text that is looked at alone, in bytes.
const PIECE: usize = 1_024;
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
    /// As between `user:` and `@host`.
    Url,
    /// As after `password=`.
    Assigned,
    /// As after `password is`.
    Told,
    /// As after `password` alone.
    Beside,
    /// Random, wherever it stands.
    Alone,
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
    /// It has many lines.
    is_over_lines: bool,
}

const fn rule(kind: &'static str, pattern: &'static str, check: Check) -> Rule {
    Rule { kind, pattern, check, is_long: false, is_over_lines: false }
}

const fn long_rule(kind: &'static str, pattern: &'static str, check: Check) -> Rule {
    Rule { is_long: true, ..rule(kind, pattern, check) }
}

// Letters of any case only where they are words: folding a class, or one that leaves out a few characters, over all
// of Unicode takes longer than everything else that is done with it.
const RULES: &[Rule] = &[
    Rule {
        kind: "private key",
        pattern: r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
        check: Check::None,
        is_long: false,
        is_over_lines: true,
    },
    rule("Slack webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})", Check::Mixed),
    rule(
        "Discord webhook",
        r"discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/([0-9]{8,}/[A-Za-z0-9_-]{20,})",
        Check::Mixed,
    ),
    rule("Teams webhook", r#"webhook\.office\.com/webhookb2/([^\s"'<>]{20,})"#, Check::Mixed),
    rule("JSON web token", r"\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", Check::None),
    long_rule("Telegram token", r"\b[0-9]{8,10}:[A-Za-z0-9_-]{35}\b", Check::None),
    long_rule("Discord token", r"\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}", Check::Mixed),
    long_rule("Terraform token", r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}", Check::None),
    long_rule("Azure secret", r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", Check::Mixed),
    long_rule("Airtable token", r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b", Check::Mixed),
    long_rule("Harness key", r"\b[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}\b", Check::Mixed),
    long_rule("Firebase key", r"\bAAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{100,}", Check::Mixed),
    long_rule("Facebook token", r"\b[0-9]{15,16}\|[A-Za-z0-9_-]{27,40}\b", Check::Mixed),
    long_rule("X token", r"\bA{20,}[A-Za-z0-9%]{60,}", Check::Mixed),
    long_rule("MaxMind key", r"\b[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b", Check::None),
    long_rule("Mailchimp key", r"\b[0-9a-f]{32}-us[0-9]{1,2}\b", Check::Mixed),
    long_rule("Mailgun key", r"\b[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}\b", Check::Mixed),
    long_rule("Resend key", r"\bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b", Check::Mixed),
    long_rule("ElevenLabs key", r"\bsk_[0-9a-f]{48}\b", Check::Mixed),
    long_rule("LaunchDarkly key", r"\b(?:sdk|mob|api)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", Check::Mixed),
    long_rule("Vault token", r"\bs\.([A-Za-z0-9]{24})\b", Check::Alone),
    rule("password for curl", r#"\bcurl\b[^\n]*?\s(?:-u|--user)[ =]?["']?[^\s:"']+:([^\s"']{4,})"#, Check::Real),
    rule("password in a URL", r#"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'`<>]*:([^\s"'`<>]+)@"#, Check::Url),
    rule("token in a URL", r"\b[A-Za-z][A-Za-z0-9+.-]*://([A-Za-z0-9_~%-]{16,})@", Check::Mixed),
    rule(
        "signed URL",
        r#"[?&](?i-u:sig|signature|x-amz-signature|x-goog-signature|x-amz-security-token|access_token|api_?key|token|auth|key|secret)=([^\s&"'`<>()#]{16,})"#,
        Check::Mixed,
    ),
    rule(
        "authorization header",
        r"\b(?i:bearer|basic|token|apikey|digest)\s+([A-Za-z0-9._~+/-]{16,}={0,2})",
        Check::Mixed,
    ),
    rule(
        "assigned secret",
        r#"(?i-u:\bpass|\bpw|password|passwd|passphrase|passcode|pwd|secret|credential|token|(?:api|access|account|auth|encryption|signing|master|private|deploy|shared|ssh|service|license)[ _.-]?key)(?:(?-u:[\w.-])|[^\x00-\x7F])*["'`]?\s*(?:=>|:=|[:=]|->|→)\s*(?:"([^"\n]*)"|'([^'\n]*)'|`([^`\n]*)`|([^\s"'`,;()]+))"#,
        Check::Assigned,
    ),
    rule(
        "assigned secret",
        r#"(?i-u:\b(?:adafruit|adobe|airtable|algolia|alibaba|asana|atlassian|beamer|bitbucket|bittrex|cloudflare|codecov|cohere|coinbase|confluence|confluent|contentful|datadog|deepseek|discord|drone_?ci|dropbox|elastic|etsy|facebook|fastly|finicity|finnhub|flickr|freshbooks|gitter|gocardless|heroku|hubspot|intercom|jfrog|jira|kraken|kucoin|launchdarkly|linear|linkedin|lob|looker|mailchimp|mailgun|mapbox|mattermost|meraki|messagebird|mistral|netlify|new_?relic|nytimes|okta|openai|pagerduty|plaid|rapidapi|rollbar|segment|sendbird|sentry|sidekiq|snyk|sonar|splunk|squarespace|sumo_?logic|telegram|travis|trello|twilio|twitch|twitter|typeform|vercel|wandb|yandex|zendesk))(?-u:[\w.-]){0,40}["'`]?\s*(?:=>|:=|[:=])\s*["'`]?([A-Za-z0-9_+/=-]{16,})"#,
        Check::Alone,
    ),
    rule(
        "told secret",
        r#"\b(?i:password|passwd|passphrase|passcode|pass|pwd|pw|secret|(?:api|access|auth|secret)[ _-]?(?:key|token)|token|credentials?)(?:\s+(?i:of|for|on|in|at|to|from|behind|there|here|now)(?:\s+[^\s:="'`]+){0,6}?)?(?:\s+(?i:is|was|are|equals|stays|remains|became|=)(?:\s+(?i:now|still|again))?\s*:?\s*|\s*:\s+)(?:"([^"\n]{6,})"|'([^'\n]{6,})'|`([^`\n]{6,})`|([^\s"'`]{6,}))"#,
        Check::Told,
    ),
    rule(
        "told secret",
        r#"\b(?i:passwort|kennwort|mot de passe|contraseña|senha|wachtwoord)(?:\s+\S+){0,5}?(?:\s*[:=]|\s+(?i:ist|lautet|est|es|é|is)\s*:?)\s*["'`]?([^\s"'`]{6,})"#,
        Check::Told,
    ),
    rule("told secret", r#"\b(?i:password|passwd|passphrase|passcode|pwd)\s+["'`]?([^\s"'`]{6,})"#, Check::Beside),
    rule(
        "told credentials",
        r#"\b(?i:credentials|creds|login|log in (?:as|with)|logged in (?:as|with)|sign in (?:as|with))(?:\s*:|\s+(?:are|is))?\s+["'`]?[A-Za-z0-9_.@+-]+["'`]?\s*[:/|]\s*["'`]?([^\s"'`/:]{6,})"#,
        Check::Beside,
    ),
    rule(
        "recovery phrase",
        r#"\b(?i:seed|recovery|mnemonic|backup)(?:\s+(?:phrase|words?|code))?\s*(?:is|was|[:=])\s*["'`]?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})"#,
        Check::None,
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

/// The text in pieces of whole lines, each with the last line of the one before: most rules have nothing to look for in
/// most pieces, but something in every long text.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let (mut start, mut covered) = (0, 0);
    while covered < text.len() {
        let least = text.ceil_char_boundary((covered + PIECE).min(text.len()));
        let end = text[least..].find('\n').map_or(text.len(), |at| least + at + 1);
        pieces.push(start..end);
        start = text[covered..end].trim_end_matches('\n').rfind('\n').map_or(end, |at| covered + at + 1);
        covered = end;
    }
    pieces
}

/// Adds what a rule finds in a piece of a text.
fn matches(number: usize, text: &str, piece: Range<usize>, ranges: &mut Vec<(Range<usize>, &'static str)>) {
    let rule = &RULES[number];
    for captures in pattern(number).captures_iter(&text[piece.clone()]) {
        let Some(group) = captures.iter().skip(1).flatten().next().or(captures.get(0)) else { continue };
        let whole = captures.get(0).map_or("", |all| all.as_str());
        let range = piece.start + group.start()..piece.start + group.end();
        if is_secret(rule.check, text, whole, range.clone()) {
            ranges.push((range, rule.kind));
        }
    }
}

/// All secrets of a text in order; those that overlap are one.
#[must_use]
pub fn find(text: &str) -> Vec<Found> {
    let text = &*without_escapes(text);
    let mut ranges: Vec<(Range<usize>, &'static str)> = Vec::new();
    forms::find(text, |range, kind| ranges.push((range, kind)));
    for piece in pieces(text) {
        let within = &text[piece.clone()];
        for number in due(within).filter(|number| !RULES[*number].is_over_lines) {
            matches(number, text, piece.clone(), &mut ranges);
        }
    }
    if text.contains("PRIVATE KEY") {
        let over_lines = (0..RULES.len()).filter(|number| RULES[*number].is_over_lines);
        over_lines.for_each(|number| matches(number, text, 0..text.len(), &mut ranges));
    }
    // Of two that begin together the one whose form gives it away names the kind: the sort is stable, and forms come
    // first.
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

/// The text with blanks in place of escapes such as `\n`, whose letter would join the word behind them. Every place
/// stays where it is.
fn without_escapes(text: &str) -> Cow<'_, str> {
    let escapes = ["\\n", "\\r", "\\t"];
    if !escapes.iter().any(|escape| text.contains(escape)) {
        return Cow::Borrowed(text);
    }
    escapes.iter().fold(Cow::Borrowed(text), |text, escape| Cow::Owned(text.replace(escape, "  ")))
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
        Check::Url => !is_placeholder(value) && !is_port(value),
        Check::Mixed => !is_placeholder(value) && !is_filler(value) && has_letter(value) && has_digit(value),
        Check::Alone => !is_placeholder(value) && !is_path(value) && is_spread(value),
        Check::Assigned => !is_code(text, &range, whole) && is_assigned(whole, value) || is_word(text, &range, whole),
        Check::Told => is_told(value) || is_word(text, &range, whole),
        Check::Beside => is_told(value) && has_digit(value) && !is_path(value) && !is_named(value),
        Check::Random => {
            let before = &text[text.floor_char_boundary(range.start.saturating_sub(NEIGHBOURHOOD))..range.start];
            let line = before.rsplit('\n').next().unwrap_or(before);
            is_random(value) && !is_published(value) && {
                let line = line.to_lowercase();
                KEY_WORDS.iter().any(|word| line.contains(word))
            }
        }
    }
}

/// Returns whether what is assigned is a call or a name of code.
fn is_code(text: &str, range: &Range<usize>, whole: &str) -> bool {
    let value = &text[range.clone()];
    whole.ends_with(value) && (text[range.end..].starts_with('(') || value.contains("::"))
}

/// Returns whether what is assigned to something with the name of a secret is one: not a name, a type, a call or a
/// template.
fn is_assigned(whole: &str, value: &str) -> bool {
    let is_quoted = !whole.ends_with(value);
    // Marks around a value are not always part of it, but the rest of the line is the same with and without them.
    let value = value.trim();
    if is_placeholder(value) || value.len() < 4 {
        return false;
    }
    let lower = whole.to_ascii_lowercase();
    if value.contains(char::is_whitespace) {
        return is_quoted && lower.contains("pass") && is_phrase(value);
    }
    // `token` and `credentials` are names of many harmless things.
    let is_strong = ["passw", "pwd", "passphrase", "passcode", "secret", "key"].iter().any(|word| lower.contains(word));
    let is_tight = whole.strip_suffix(value).is_some_and(|before| before.ends_with(['=', ':']));
    let names_itself = ["pass", "secret", "token", "key", "credential", "pwd"]
        .iter()
        .any(|word| value.to_ascii_lowercase().contains(word));
    if value.len() >= 6 && has_letter(value) && has_digit(value) {
        return !is_path(value) && (is_quoted || is_tight || value.len() >= 12 || has_mark(value));
    }
    is_strong && !names_itself && value.len() >= 6 && (is_quoted || is_tight) && !is_path(value) && !is_type(value)
}

/// Several words that are a passphrase: more than a name, and no sentence.
fn is_phrase(value: &str) -> bool {
    let words: Vec<&str> = value.split_whitespace().collect();
    let is_plain = |word: &&str| word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let has_both = has_digit(value) && has_letter(value) && words.len() <= 3;
    has_both
        || ((4..=8).contains(&words.len())
            && words.iter().all(is_plain)
            && !words.iter().any(|word| SMALL_WORDS.contains(word)))
}

/// Words that sentences have, and passphrases seldom.
const SMALL_WORDS: &[&str] =
    &["the", "and", "for", "not", "with", "that", "this", "your", "must", "from", "are", "has", "can"];

/// Returns whether what is said to be a password may be one.
fn is_told(value: &str) -> bool {
    let value = value.trim().trim_end_matches(['.', ',', '!', '?', ';', ')']);
    let is_new = !is_placeholder(value) && value.len() >= 6 && !value.contains(char::is_whitespace);
    is_new
        && has_letter(value)
        && (has_digit(value) || has_mark(value) || changes(value) >= MANY_CHANGES)
        && !is_path(value)
        && !is_named(value)
}

/// Returns whether a value of letters alone, behind the name of a password, can only be the password: it is quoted, or
/// nothing follows that would make a sentence of it.
fn is_word(text: &str, range: &Range<usize>, whole: &str) -> bool {
    let value = text[range.clone()].trim_end_matches(['.', ',', ';', '!', ')']);
    let lower = value.to_ascii_lowercase();
    let name = whole.to_ascii_lowercase();
    if !["password", "passwd", "passphrase", "passcode", "pwd"].iter().any(|word| name.contains(word))
        || !(6..=40).contains(&value.len())
        || !value.bytes().all(|byte| byte.is_ascii_alphabetic())
        || is_placeholder(value)
        || is_type(value) && !value.ends_with(|last: char| last.is_ascii_uppercase())
        || ["pass", "secret", "token", "key", "pwd", "user"].iter().any(|word| lower.contains(word))
        || WORD_ENDS.iter().any(|end| lower.ends_with(end))
        || PLAIN_WORDS.contains(&&*lower)
    {
        return false;
    }
    let says_so = [" is", " was", " equals"].iter().any(|word| name.contains(word));
    let behind = &text[range.end..];
    says_so
        && (behind.is_empty()
            || behind.starts_with(['\n', '\r', '"', '\'', '`', '.', ',', ';', ')'])
            || value.len() < range.len())
}

/// Ends of words that say something about a password.
const WORD_ENDS: &[&str] =
    &["ed", "ing", "ly", "able", "ible", "ent", "ory", "ional", "less", "ough", "ness", "tion", "ive"];
/// Words that say something about a password, or stand for it.
const PLAIN_WORDS: &[&str] = &[
    "wrong",
    "valid",
    "invalid",
    "correct",
    "incorrect",
    "missing",
    "unknown",
    "secure",
    "insecure",
    "unsafe",
    "stored",
    "string",
    "number",
    "boolean",
    "nothing",
    "always",
    "public",
    "private",
    "either",
    "another",
    "longer",
    "shorter",
    "plaintext",
    "default",
    "obsolete",
    "strong",
    "stronger",
    "hidden",
    "broken",
    "written",
    "shown",
    "chosen",
    "given",
    "plain",
    "unsafe",
    "simple",
    "common",
    "unique",
    "random",
    "already",
    "enough",
    "useful",
    "useless",
    "there",
    "where",
    "supposed",
    "mandatory",
    "absent",
    "global",
    "shared",
    "unset",
    "weaker",
    "undefined",
    "stale",
    "gitignored",
    "optional",
];

/// Returns whether a value is the name of a method or format with a number in it.
fn is_named(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    [
        "sha", "md5", "base64", "utf", "argon2", "pbkdf2", "oauth", "http", "aes", "rsa", "ed25519", "x509", "v1",
        "v2", "v3",
    ]
    .iter()
    .any(|name| lower.starts_with(name))
        || lower.contains("://")
        || lower.contains('(')
}

/// `8080/path` behind a host is a port and a path, not a password.
fn is_port(value: &str) -> bool {
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && digits <= 5 && value[digits..].starts_with('/')
}

/// Stands for a value that is filled in elsewhere, or was taken out.
fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let known = [
        "password", "pass", "passwd", "pwd", "secret", "token", "changeme", "example", "none", "null", "true", "false",
    ];
    is_template(value)
        || known.contains(&&*lower)
        || ["your", "xxxx", "redacted", "placeholder", "process.env", "os.environ", "env("]
            .iter()
            .any(|part| lower.contains(part))
        || lower.bytes().all(|byte| byte == b'x' || byte == b'0')
}

/// Something is put in its place: a variable, a format, a gap. A password may begin with the same mark.
fn is_template(value: &str) -> bool {
    let parts = ["${", "{{", "...", "…", "***", "$(", "#{"];
    if parts.iter().any(|part| value.contains(part)) {
        return true;
    }
    let mut chars = value.chars();
    let (first, rest) = (chars.next(), chars.as_str());
    let is_name = |text: &str| {
        !text.is_empty() && text.chars().all(|char| char.is_alphanumeric() || "_.:-[]'\"?>/".contains(char))
    };
    match first {
        Some('$') => is_name(rest) || rest.starts_with(['{', '(']),
        Some('<') => value.contains('>'),
        Some('{') => value.contains('}'),
        Some('[') => value.contains(']'),
        Some('%') => rest.starts_with(['(', '{', 's', 'd', 'v', 'q']) || rest.ends_with('%'),
        Some('&' | '@' | '*' | '#' | '(' | '!') => {
            is_name(rest.trim_end_matches([')', ']', '*', ',', ';'])) && !has_digit(rest)
        }
        _ => false,
    }
}

/// Returns whether the characters of a token are those of an example: few different ones, or a counted row.
fn is_filler(token: &str) -> bool {
    let lower = token.to_ascii_lowercase();
    let mut seen = [false; 256];
    lower.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    let different = seen.iter().filter(|seen| **seen).count();
    different < MIN_DIFFERENT.min(lower.len())
        || ["xxxx", "your", "redacted", "placeholder"].iter().any(|part| lower.contains(part))
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

/// Returns whether a random token is one that everybody may know: a checksum, a commit in an address.
fn is_published(token: &str) -> bool {
    ["sha1-", "sha256-", "sha384-", "sha512-"].iter().any(|name| token.starts_with(name))
        || token.contains("/commit/")
        || token.contains("//")
}

/// Returns whether the characters of a token come in no order that a name has.
fn is_random(token: &str) -> bool {
    if token.len() < MIN_RANDOM || !has_digit(token) || !has_letter(token) {
        return false;
    }
    changes(token) >= MIN_CHANGES && entropy(token.as_bytes()) > MIN_ENTROPY
}

/// Share of neighbouring characters of a token that are of different classes.
fn changes(token: &str) -> f64 {
    let class = |byte: &u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let bytes = token.as_bytes();
    let changes = bytes.windows(2).filter(|pair| class(&pair[0]) != class(&pair[1])).count();
    changes as f64 / bytes.len().saturating_sub(1).max(1) as f64
}

/// Returns whether a value is spread over letters and digits as a generated one is.
fn is_spread(value: &str) -> bool {
    has_digit(value) && has_letter(value) && !is_filler(value) && entropy(value.as_bytes()) > MIN_SPREAD
}

/// Shannon's entropy in bits a byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let all = bytes.len() as f64;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / all);
    shares.map(|share| -share * share.log2()).sum()
}

mod forms;
mod values;

pub use values::Values;

#[cfg(test)]
mod tests;
