//! Whether what a rule matched is a secret: not a name, a type, a call, a template or a gap.

use std::ops::Range;

use super::rules::Check;

/// Minimum length of a token tested for randomness, in bytes.
pub(super) const MIN_RANDOM: usize = 24;
/// Share of neighbouring characters of different classes from which a token is random: names change class seldom.
const MIN_CHANGES: f64 = 0.2;
/// Fewest different characters of a generated token.
const MIN_DIFFERENT: usize = 6;
/// Longest word of small letters alone; a longer row is not a word.
const MAX_WORD: usize = 15;
/// Longest number at the end of a name.
const MAX_NUMBER: usize = 4;
/// Longest rest of a name behind that of a method: `sha256`, `v1beta`.
const MAX_REST: usize = 6;
/// Pieces of a name for each that may have one or two letters, the first one aside.
const MANY_PIECES: usize = 6;
/// Fewest letters to a piece of a name on average.
const LETTERS_OF_PIECE: usize = 3;
/// Longest word that is written without its vowels: `ctrl`.
const MAX_SHORTENED: usize = 4;
/// Most consonants in a row in a word.
const MAX_CONSONANTS: usize = 5;
/// Longest abbreviation in capitals.
const MAX_ABBREVIATION: usize = 5;
/// Bytes before a random token in which a word like `key` makes it a secret.
const NEIGHBOURHOOD: usize = 60;

/// Words beside which a random token is a secret, in small letters.
const KEY_WORDS: &[&str] = &[
    "key", "token", "secret", "passw", "pwd", "credential", "auth", "bearer", "signature", "cookie", "webhook", "dsn",
    "salt",
];

pub(super) fn is_secret(check: Check, text: &str, whole: &str, range: Range<usize>) -> bool {
    let value = &text[range.clone()];
    match check {
        Check::None => true,
        Check::Real => !is_placeholder(value),
        Check::Url => !is_placeholder(value) && !is_port(value),
        Check::Mixed => !is_placeholder(value) && !is_filler(value) && has_letter(value) && has_digit(value),
        Check::Generated => is_generated(value),
        Check::Header => !is_placeholder(value) && !is_usual_path(value),
        Check::Stated => !is_code(text, &range, whole) && is_stated(whole, value),
        Check::Element => is_element(whole, value),
        Check::Entry => !is_placeholder(value) && !MESSAGES.iter().any(|word| whole.contains(word)),
        Check::Assigned => !is_code(text, &range, whole) && is_assigned(whole, value) || is_word(text, &range, whole),
        Check::Told => is_told(value) || is_word(text, &range, whole),
        Check::Beside => is_told(value) && (has_digit(value) || !is_usual_words(letters_of(value))),
        Check::Random => {
            let before = &text[text.floor_char_boundary(range.start.saturating_sub(NEIGHBOURHOOD))..range.start];
            let line = before.rsplit('\n').next().unwrap_or(before);
            is_random(value) && !is_published(value, line) && {
                let line = line.to_lowercase();
                KEY_WORDS.iter().any(|word| line.contains(word))
            }
        }
    }
}

/// Parts of what compilers and search programs print: `file:line:column: error`.
const MESSAGES: &[&str] = &[":error:", ":warning:", ":note:", ":info:", ":debug:", ":fatal:"];

/// Returns whether a value comes from a generator: it has a letter, and is neither a gap nor made of words.
fn is_generated(value: &str) -> bool {
    has_letter(value)
        && value.is_ascii()
        && !is_placeholder(value)
        && !is_filler(value)
        && !is_path(value)
        && !is_usual_words(value)
}

/// Returns whether what an option or a variable of the environment is set to is a value, and not a reference to one.
fn is_stated(whole: &str, value: &str) -> bool {
    let value = value.trim().trim_end_matches([',', ';', ')']);
    let is_reference = value.starts_with(['=', '~']) || value.contains("://") || value.contains("::");
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    let is_member = is_path(value) && value.contains(['.', '/', '[', ':', '\\']);
    let is_for_password = ["PASS", "PWD"].iter().any(|word| whole.contains(word));
    !value.is_empty()
        && !is_placeholder(value)
        && !is_reference
        && !is_member
        && !names_itself(value)
        && (!is_number || is_for_password || value.len() >= MIN_DIFFERENT)
}

/// Returns whether the text of an element is its secret: components of user interfaces, whose names begin with a
/// capital, have a caption there.
fn is_element(whole: &str, value: &str) -> bool {
    let value = value.trim();
    let name = whole.trim_start_matches('<');
    let name = name.split(['>', ' ', '\t']).next().unwrap_or(name);
    let name = name.rsplit([':', '.']).next().unwrap_or(name);
    if value.len() < 4 || is_placeholder(value) || names_itself(value) {
        return false;
    }
    match value.contains(char::is_whitespace) {
        true => is_phrase(value),
        false => !name.starts_with(|first: char| first.is_ascii_uppercase()) || !is_words(value) && !is_path(value),
    }
}

/// Returns whether words say what the value is instead of being it: `my_api_key`.
fn names_itself(value: &str) -> bool {
    let words = ["pass", "secret", "token", "key", "credential", "pwd"];
    let says = |part: &str| words.iter().any(|word| part.to_ascii_lowercase().contains(word));
    let pieces = |part| split_name(part).unwrap_or_default();
    let value = letters_of(value);
    (is_words(value) || is_path(value)) && value.split(SEPARATORS).flat_map(pieces).any(says)
}

/// A value without the marks at its end that belong to the code around it.
fn letters_of(value: &str) -> &str {
    value.trim_end_matches(['?', '!', ']', '[', '>', '}', '.', ',', ';', ')'])
}

/// Returns whether a value of letters, perhaps with a number behind them, is a word or a name of words: few pieces
/// between changes of case, each of which can be spoken. Of generated values of 12 letters, about one in 100 is.
fn is_words(value: &str) -> bool {
    let Some(pieces) = split_name(value) else { return false };
    if let [one] = &*pieces {
        return one.len() <= MAX_WORD && (one.len() < LETTERS_OF_PIECE || can_be_spoken(one));
    }
    let short = pieces.iter().filter(|piece| piece.len() < LETTERS_OF_PIECE && !is_known(piece)).count();
    short <= 1 + pieces.len() / MANY_PIECES
        && pieces.iter().map(|piece| piece.len()).sum::<usize>() >= LETTERS_OF_PIECE * pieces.len()
        && pieces.iter().all(|piece| piece.len() < LETTERS_OF_PIECE || can_be_spoken(piece))
}

/// Like [`is_words`], of words with usual letters: for values where a word is the exception. Of generated values of 12
/// letters, hardly one in 100,000 is.
fn is_usual_words(value: &str) -> bool {
    let Some(pieces) = split_name(value) else { return false };
    // What names of one library begin with: `TSPrivateKeyword`, `CString`.
    let first = pieces.first().copied().unwrap_or_default();
    let is_upper = first.bytes().all(|byte| byte.is_ascii_uppercase());
    let are_long = pieces.iter().skip(1).all(|piece| piece.len() >= LETTERS_OF_PIECE);
    let is_prefix = is_upper && (first.len() < LETTERS_OF_PIECE || first.len() <= MAX_SHORTENED && are_long);
    let rest = &pieces[usize::from(is_prefix && pieces.len() > 1)..];
    is_words(value)
        && rest.iter().all(|piece| match piece.len() {
            1 | 2 => pieces.len() == 1 || is_known(piece),
            _ if piece.bytes().all(|byte| byte.is_ascii_uppercase()) && pieces.len() > 1 => is_known(piece),
            _ => is_known(piece) || has_usual_letters(piece),
        })
}

/// Returns whether a piece of a name is one of [`SHORT_PIECES`].
fn is_known(piece: &str) -> bool {
    SHORT_PIECES.contains(&&*piece.to_ascii_lowercase())
}

/// The pieces of a value of letters with a short number behind them; `None` of others.
fn split_name(value: &str) -> Option<Vec<&str>> {
    let letters = value.trim_end_matches(|last: char| last.is_ascii_digit());
    let is_name = !letters.is_empty() && value.len() - letters.len() <= MAX_NUMBER;
    (is_name && letters.bytes().all(|byte| byte.is_ascii_alphabetic())).then(|| split_case(letters))
}

/// Short words, abbreviations, and words with unusual letters in names.
const SHORT_PIECES: &[&str] = &[
    "a", "an", "api", "as", "at", "auth", "aws", "be", "btn", "by", "ca", "cfg", "cli", "cmd", "cpu", "csrf", "css",
    "csv", "ctrl", "ctx", "db", "dns", "do", "dst", "dto", "e", "en", "env", "eof", "err", "fmt", "fn", "for", "gcp",
    "get", "git", "go", "gpg", "grpc", "has", "hmac", "html", "http", "https", "i", "id", "if", "in", "io", "ip", "is",
    "it", "json", "jwt", "k", "kms", "ldap", "lru", "me", "mfa", "msg", "my", "n", "no", "null", "num", "obj", "of",
    "oidc", "ok", "on", "or", "orm", "os", "otp", "pem", "pkg", "pki", "pr", "proxy", "ptr", "qr", "ref", "req",
    "rest", "rpc", "rsa", "rx", "saml", "sdk", "sha", "smtp", "so", "sql", "src", "ssh", "ssl", "sso", "str", "svc",
    "svg", "sys", "tcp", "tls", "tmp", "to", "toml", "totp", "ttl", "tx", "txt", "udp", "ui", "up", "uri", "url", "us",
    "utc", "utf", "uuid", "v", "vm", "www", "x", "xml", "xsrf", "y", "yaml",
];

/// The pieces of a name between changes of case: `parse`, `HTTP`, `Header`.
fn split_case(letters: &str) -> Vec<&str> {
    let bytes = letters.as_bytes();
    let is_upper = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_uppercase);
    let is_lower = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
    let begins = |at: usize| is_upper(at) && (is_lower(at - 1) || is_lower(at + 1));
    let starts: Vec<usize> = (1..bytes.len()).filter(|at| begins(*at)).collect();
    let ends = starts.iter().copied().chain([bytes.len()]);
    std::iter::once(0).chain(starts.iter().copied()).zip(ends).map(|(start, end)| &letters[start..end]).collect()
}

/// Returns whether a piece of a name is an abbreviation, or has a vowel and no long row of consonants.
fn can_be_spoken(piece: &str) -> bool {
    let is_upper = piece.bytes().all(|byte| byte.is_ascii_uppercase());
    if piece.len() <= MAX_SHORTENED || is_upper && piece.len() <= MAX_ABBREVIATION {
        return true;
    }
    let is_vowel = |byte: u8| b"aeiouyAEIOUY".contains(&byte);
    let mut rows = piece.as_bytes().split(|byte| is_vowel(*byte));
    piece.bytes().any(is_vowel) && rows.all(|row| row.len() <= MAX_CONSONANTS)
}

/// Returns whether a word has only pairs of letters that words have.
fn has_usual_letters(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let follows = |pair: &[u8]| FOLLOWING[usize::from(pair[0] - b'a')].as_bytes().contains(&pair[1]);
    lower.as_bytes().windows(2).all(follows)
}

/// The letters that follow each letter, from `a`: pairs in at least 5 of 10,000 words that the names in a dozen public
/// repositories are made of. 97 of 100 of these words have no other pair.
const FOLLOWING: [&str; 26] = [
    "abcdefghijklmnoprstuvwxyz", "abcdefijlmoprstuy", "abcdefhiklmoprstuy", "abcdefgijlmnorstuvy",
    "abcdefghijklmnopqrstuvwxyz", "acdefilmnorstuy", "aefghilmnorstuy", "abeilmnorstuy", "abcdefgjklmnopqrstuvxz",
    "aeiosu", "abdefilnorstuwy", "abcdefgiklmnopstuvy", "abcdefilmnopstuy", "abcdefghijklmnoprstuvwy",
    "abcdefghijklmnoprstuvwxy", "abcdefghilmoprstuy", "lu", "abcdefghiklmnoprstuvwy", "abcdefhiklmnopqrstuvwy",
    "abcdefghilmnoprstuwxyz", "abcdefgiklmnoprstux", "aeiosuy", "adehilnorst", "acehipstu", "abcdeilmnopstuw", "aeioz",
];

/// Returns whether what is assigned is a call or a name of code.
fn is_code(text: &str, range: &Range<usize>, whole: &str) -> bool {
    let value = &text[range.clone()];
    let is_inner = value.starts_with(':') && text[..range.start].ends_with(':');
    whole.ends_with(value) && (text[range.end..].starts_with('(') || value.contains("::") || is_inner)
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
    if value.len() < 6 {
        return false;
    }
    if has_letter(value) && has_digit(value) {
        return !is_path(value) && (is_quoted || is_tight || value.len() >= 12 || has_mark(value));
    }
    let is_unspoken = value.len() >= MIN_GENERATED && is_generated(letters_of(value));
    let is_random_case = is_unspoken && split_case(value).len() > 1 && !value.contains(['(', '.', '_', ':']);
    if is_random_case && (is_quoted || is_tight) {
        return true;
    }
    let is_passphrase =
        is_for_password(&lower) && value.contains('-') && !value.contains(['.', '/', ':', '_', '[', '(']);
    is_strong
        && !names_itself(value)
        && (is_quoted || is_tight)
        && (!is_path(value) || is_passphrase)
        && !is_type(value)
}

/// Fewest characters of letters alone that can be told from a word by their case.
const MIN_GENERATED: usize = 8;

/// Returns whether the name of what is assigned, in small letters, ends with a word for a password.
fn is_for_password(whole: &str) -> bool {
    let is_name = |char: char| char.is_alphanumeric() || "_.-".contains(char);
    let name = whole.split(|char: char| !is_name(char)).next().unwrap_or_default();
    ["password", "passwd", "passphrase", "passcode", "pwd", "pass"].iter().any(|word| name.ends_with(word))
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
        && (has_digit(value) || has_mark(value) || is_token(value) && is_generated(value))
        && !is_path(value)
        && !is_named(value)
}

/// Returns whether a value has the characters of a token only, and none of code around it.
fn is_token(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
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
        || names_itself(value)
        || lower.contains("user")
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
    "wrong", "valid", "invalid", "correct", "incorrect", "missing", "unknown", "secure", "insecure", "unsafe",
    "stored", "string", "number", "boolean", "nothing", "always", "public", "private", "either", "another", "longer",
    "shorter", "plaintext", "default", "obsolete", "strong", "stronger", "hidden", "broken", "written", "shown",
    "chosen", "given", "plain", "unsafe", "simple", "common", "unique", "random", "already", "enough", "useful",
    "useless", "there", "where", "supposed", "mandatory", "absent", "global", "shared", "unset", "weaker", "undefined",
    "stale", "gitignored", "optional",
];

/// Returns whether a value is the name of a method or format with a number in it.
fn is_named(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_long = ["base64", "argon2", "pbkdf2", "oauth", "http", "ed25519", "x509"];
    let is_short = ["sha", "md5", "utf", "aes", "rsa", "v1", "v2", "v3"];
    // A generated value may begin with few letters of such a name, and goes on.
    let goes_on = |rest: &str| {
        let rest = rest.split(|char: char| !char.is_ascii_alphanumeric()).next().unwrap_or_default();
        rest.len() > MAX_REST || !rest.is_empty() && !value.contains(rest)
    };
    is_long.iter().any(|name| lower.starts_with(name))
        || is_short.iter().filter_map(|name| lower.strip_prefix(name)).any(|rest| !goes_on(rest))
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
        || is_gap(value)
        || ["process.env", "os.environ", "env("].iter().any(|part| lower.contains(part))
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
    let mut seen = [false; 256];
    token.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    let different = seen.iter().filter(|seen| **seen).count();
    different < MIN_DIFFERENT.min(token.len()) || is_gap(token)
}

/// Returns whether words say that a value is to be put here, or was taken out. In letters of one case only: generated
/// values hold such words in mixed case.
pub(super) fn is_gap(value: &str) -> bool {
    let is_mark = |char: char| !char.is_ascii_alphanumeric();
    let is_crossed = |value: &str| value.chars().all(|char| char.eq_ignore_ascii_case(&'x') || is_mark(char));
    let says_your = |part: &str| ["your", "Your", "YOUR"].iter().any(|word| part.starts_with(word));
    ["xxxxxx", "XXXXXX"].iter().any(|part| value.contains(part))
        || value.to_ascii_lowercase().contains("xxxx") && is_crossed(value)
        || value.split(is_mark).any(says_your)
        || ["redacted", "placeholder"].iter().any(|part| value.to_ascii_lowercase().contains(part))
}

/// What stands between names.
const SEPARATORS: &[char] = &['.', '/', ':', '-', '_', '\\', '[', ']', '&', '*', '<', '>', '?', '=', '+'];

/// `a.b.c`, `a::b`, `a/b.rs`: names of things, not values. Each part is a number, or is written as names are.
fn is_path(value: &str) -> bool {
    let parts: Vec<&str> = value.split(SEPARATORS).collect();
    let is_plain = |part: &str| {
        let letters: String = part.chars().filter(char::is_ascii_alphabetic).collect();
        if letters.len() > LETTERS_OF_PIECE && letters.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return is_known(&letters) || has_usual_letters(&letters);
        }
        let is_one_case =
            [u8::is_ascii_lowercase, u8::is_ascii_uppercase].iter().any(|is| letters.bytes().all(|b| is(&b)));
        let rest = letters.get(1..).unwrap_or_default();
        is_one_case || rest.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    parts.len() > 1
        && parts.iter().all(|part| {
            let is_alphabetic = part.bytes().all(|byte| byte.is_ascii_alphabetic());
            part.bytes().all(|byte| byte.is_ascii_digit())
                || part.len() < 4 && part.bytes().all(|byte| byte.is_ascii_alphanumeric()) && is_plain(part)
                || is_alphabetic && (is_plain(part) || is_usual_words(part))
        })
}

/// Returns whether a value is one name or several with marks between them, all of usual words or short numbers.
fn is_usual_path(value: &str) -> bool {
    let is_short = |part: &str| part.len() <= MAX_NUMBER && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = value.split(SEPARATORS).filter(|part| !part.is_empty());
    parts.all(|part| is_usual_words(part) || is_short(part)) && has_letter(value)
}

/// A name of code: words that begin with a capital, or a common type.
fn is_type(value: &str) -> bool {
    let letters = letters_of(value);
    let mut parts = letters.split(['_', '<', '>', '|', '&']).filter(|part| !part.is_empty());
    let is_name = letters.starts_with(|first: char| first.is_ascii_uppercase()) && parts.all(is_usual_words);
    is_name || ["string", "boolean", "number", "integer", "unknown", "undefined", "object", "bytes"].contains(&letters)
}

fn has_letter(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

pub(super) fn has_digit(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
}

fn has_mark(value: &str) -> bool {
    value.chars().any(|char| "!@#$%^&*+=~?".contains(char))
}

/// Returns whether a random token is one that everybody may know: a checksum (also of a Go module, behind
/// `h1:`), a commit in an address.
fn is_published(token: &str, before: &str) -> bool {
    ["sha1-", "sha256-", "sha384-", "sha512-"].iter().any(|name| token.starts_with(name))
        || before.ends_with("h1:")
        || token.contains("/commit/")
        || token.contains("//")
}

/// Returns whether the characters of a token come in no order that a name has. One of hexadecimal digits alone names a
/// commit or a content as often as a secret.
fn is_random(token: &str) -> bool {
    let is_hex = token.bytes().all(|byte| byte.is_ascii_hexdigit());
    if token.len() < MIN_RANDOM || is_hex || is_words(token) || !is_generated(token) {
        return false;
    }
    let bytes = token.as_bytes();
    let mixes = bytes.iter().any(u8::is_ascii_uppercase) && bytes.iter().any(u8::is_ascii_lowercase);
    mixes && changes(token) >= MIN_CHANGES
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
