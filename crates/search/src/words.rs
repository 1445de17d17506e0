//! Words of code and prose: identifier splitting, light stemming, stop words.

use std::borrow::Cow;

/// Maximum length of a word, in bytes. Longer ones (encoded data, minified names) carry no meaning.
pub const MAX_WORD: usize = 48;

/// Which bytes of ASCII are part of an identifier.
static IS_INSIDE: [bool; 128] = {
    let mut table = [false; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

/// Calls `emit` with each run of letters, digits and underscores in `text`: `HTTPServer`, `load_all`, `漢字`.
pub fn identifiers<'a>(text: &'a str, mut emit: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let (mut at, mut start) = (0, None);
    while let Some(&byte) = bytes.get(at) {
        let (is_inside, width) = if byte.is_ascii() {
            (IS_INSIDE[usize::from(byte)], 1)
        } else {
            text[at..].chars().next().map_or((false, 1), |c| (c.is_alphanumeric(), c.len_utf8()))
        };
        if is_inside {
            start = start.or(Some(at));
        } else if let Some(start) = start.take() {
            emit(&text[start..at]);
        }
        at += width;
    }
    if let Some(start) = start {
        emit(&text[start..]);
    }
}

/// Calls `emit` with each part of an identifier, as written: `HTTPServer` → `HTTP`, `Server`; `load_all2` → `load`,
/// `all2`; `base64Encode` → `base64`, `Encode`. Scripts without spaces between words give overlapping pairs of
/// characters.
pub fn parts<'a>(identifier: &'a str, mut emit: impl FnMut(&'a str)) {
    for chunk in identifier.split('_').filter(|chunk| !chunk.is_empty()) {
        if is_one_part(chunk) {
            emit(chunk);
            continue;
        }
        if chunk.is_ascii() {
            ascii_parts(chunk, &mut emit);
            continue;
        }
        if chunk.chars().any(is_ideographic) {
            ideographic_parts(chunk, &mut emit);
            continue;
        }
        let mut start = 0;
        let mut previous: Option<char> = None;
        let mut chars = chunk.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next_is_lower = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
            let boundary = previous.is_some_and(|before| c.is_uppercase() && (!before.is_uppercase() || next_is_lower));
            if boundary {
                emit(&chunk[start..at]);
                start = at;
            }
            previous = Some(c);
        }
        emit(&chunk[start..]);
    }
}

/// Returns whether an identifier is certainly one part: it has small letters of ASCII and digits only.
pub fn is_one_part(identifier: &str) -> bool {
    identifier.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// Like [`parts`], of a text of ASCII letters and digits.
fn ascii_parts<'a>(chunk: &'a str, emit: &mut impl FnMut(&'a str)) {
    let bytes = chunk.as_bytes();
    let mut start = 0;
    for at in 1..bytes.len() {
        let next_is_lower = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        if bytes[at].is_ascii_uppercase() && (!bytes[at - 1].is_ascii_uppercase() || next_is_lower) {
            emit(&chunk[start..at]);
            start = at;
        }
    }
    emit(&chunk[start..]);
}

fn is_ideographic(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn ideographic_parts<'a>(chunk: &'a str, emit: &mut impl FnMut(&'a str)) {
    let marks: Vec<(usize, bool)> = chunk.char_indices().map(|(at, c)| (at, is_ideographic(c))).collect();
    let end_of = |index: usize| marks.get(index).map_or(chunk.len(), |(at, _)| *at);
    let mut index = 0;
    while index < marks.len() {
        let kind = marks[index].1;
        let run = marks[index..].iter().take_while(|(_, other)| *other == kind).count();
        if kind && run > 1 {
            (index..index + run - 1).for_each(|at| emit(&chunk[marks[at].0..end_of(at + 2)]));
        } else {
            emit(&chunk[marks[index].0..end_of(index + run)]);
        }
        index += run;
    }
}

/// Calls `emit` with each index term of `text`: parts of its identifiers in lower case and stemmed. Stop words are
/// kept.
pub fn terms(text: &str, mut emit: impl FnMut(&str)) {
    identifiers(text, |identifier| {
        parts(identifier, |part| {
            if let Some(term) = term(part) {
                emit(&term);
            }
        });
    });
}

/// The index term of one part: lower case, stemmed. `None` if it is too long.
pub fn term(part: &str) -> Option<Cow<'_, str>> {
    if part.len() > MAX_WORD {
        return None;
    }
    let lower: Cow<'_, str> = if part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) {
        Cow::Borrowed(part)
    } else {
        Cow::Owned(part.to_lowercase())
    };
    Some(match stem(&lower) {
        Cow::Borrowed(stemmed) if stemmed.len() == lower.len() => lower,
        stemmed => Cow::Owned(stemmed.into_owned()),
    })
}

/// Normal form for comparing whole identifiers: lower case, without underscores. `loadAll` and `load_all` are equal.
pub fn fold_identifier(identifier: &str) -> String {
    if identifier.is_ascii() {
        let bytes = identifier.bytes().filter(u8::is_ascii_alphanumeric);
        return bytes.map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    }
    identifier.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns whether an identifier consists of several words, or is marked as one by an inner capital or an underscore.
pub fn is_compound(identifier: &str) -> bool {
    let bytes = identifier.as_bytes();
    let is_word = |c: char| c.is_alphanumeric();
    let inner_capital = match identifier.is_ascii() {
        true => bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()),
        false => identifier.chars().zip(identifier.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase()),
    };
    let underscore = || bytes.contains(&b'_') && (bytes[0] == b'_' || identifier.trim_matches('_').contains('_'));
    (inner_capital || underscore()) && identifier.contains(is_word)
}

/// Returns whether a word starts with a capital followed by lower-case letters, like the name of a type.
pub fn is_capital(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase)
}

/// Strips common English suffixes, so that `validates`, `validating`, `validation` and `validator` match. Words that
/// are short, contain a digit or are not plain ASCII stay unchanged.
pub fn stem(word: &str) -> Cow<'_, str> {
    if word.len() <= 3 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    let singular = singular(word);
    let base: &str = &singular;
    for ending in ["ations", "ation", "ators", "ator", "ating", "ated", "ates", "ate"] {
        if let Some(rest) = base.strip_suffix(ending).filter(|rest| rest.len() >= 3) {
            return Cow::Owned(rest.to_owned());
        }
    }
    let mut rest = base;
    for ending in ["ing", "ed"] {
        if let Some(cut) = base.strip_suffix(ending).filter(|cut| cut.len() >= 3 && has_vowel(cut)) {
            rest = undouble(cut);
            break;
        }
    }
    let rest = if rest.len() > 3 { rest.strip_suffix('e').unwrap_or(rest) } else { rest };
    if rest.len() == word.len() { Cow::Borrowed(word) } else { Cow::Owned(rest.to_owned()) }
}

fn singular(word: &str) -> Cow<'_, str> {
    if let Some(rest) = word.strip_suffix("ies").filter(|rest| rest.len() >= 2) {
        return Cow::Owned(format!("{rest}y"));
    }
    for ending in ["sses", "xes", "ches", "shes", "zzes"] {
        if word.ends_with(ending) {
            return Cow::Borrowed(&word[..word.len() - 2]);
        }
    }
    let keeps = ["ss", "us", "is", "as", "os"].iter().any(|ending| word.ends_with(ending));
    match word.strip_suffix('s') {
        Some(rest) if !keeps => Cow::Borrowed(rest),
        _ => Cow::Borrowed(word),
    }
}

fn has_vowel(word: &str) -> bool {
    word.bytes().any(|b| b"aeiouy".contains(&b))
}

/// `runn` → `run`; `call`, `pass` and `buzz` keep both.
fn undouble(word: &str) -> &str {
    match word.as_bytes() {
        [.., a, b] if a == b && !b"aeiouslz".contains(b) => &word[..word.len() - 1],
        _ => word,
    }
}

/// Returns whether a word of an English question says nothing about code.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

/// A fixed set of lower-case words, fast enough to test every word of long texts.
#[derive(Debug)]
pub struct WordSet {
    words: &'static [&'static str],
    /// Start of the words with each first letter, and the end of the last.
    starts: [u16; LETTERS + 1],
    longest: usize,
}

const LETTERS: usize = 26;

impl WordSet {
    /// A set of these words, which must be sorted, distinct, fewer than 65,536 and start with `a` to `z`; otherwise
    /// it does not compile.
    pub const fn new(words: &'static [&'static str]) -> Self {
        assert!(words.len() < u16::MAX as usize, "the list is short");
        let mut starts = [0; LETTERS + 1];
        let (mut at, mut letter, mut longest) = (0, 0, 0);
        while letter < LETTERS {
            starts[letter] = at as u16;
            while at < words.len() && words[at].as_bytes()[0] == b'a' + letter as u8 {
                if words[at].len() > longest {
                    longest = words[at].len();
                }
                at += 1;
            }
            letter += 1;
        }
        assert!(at == words.len(), "the words are sorted and start with small letters");
        starts[LETTERS] = at as u16;
        Self { words, starts, longest }
    }

    /// Returns whether it contains a word.
    pub fn contains(&self, word: &str) -> bool {
        let Some(first) = word.bytes().next().filter(u8::is_ascii_lowercase) else { return false };
        let letter = usize::from(first - b'a');
        let (from, to) = (usize::from(self.starts[letter]), usize::from(self.starts[letter + 1]));
        word.len() <= self.longest && self.words[from..to].contains(&word)
    }
}

/// Sorted.
static STOP_WORDS: WordSet = WordSet::new(&[
    "a", "about", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "code",
    "could", "did", "do", "does", "each", "every", "find", "for", "from", "had", "has", "have", "how", "i", "if", "in",
    "into", "is", "it", "its", "me", "my", "no", "of", "on", "or", "our", "should", "show", "so", "some", "such",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "thing", "this", "those", "to", "us",
    "using", "was", "we", "were", "what", "when", "where", "which", "who", "why", "will", "with", "would", "you",
    "your",
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_of_a_text() {
        let cases = [
            ("", ""),
            ("--", ""),
            ("a", "a"),
            ("loadAll(x_1, \"é\")", "loadAll x_1 é"),
            ("漢字、テスト. Größe…", "漢字 テスト Größe"),
            ("…_…", "_"),
        ];
        for (text, expected) in cases {
            let mut found = Vec::new();
            identifiers(text, |identifier| found.push(identifier));
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn identifiers_are_split_into_parts() {
        let cases = [
            ("validate_user", "validate user"),
            ("validateUser", "validate User"),
            ("HTTPServerError", "HTTP Server Error"),
            ("parseXML", "parse XML"),
            ("base64Encode", "base64 Encode"),
            ("sha256", "sha256"),
            ("__init__", "init"),
            ("x86_64", "x86 64"),
            ("_", ""),
            ("IOError", "IO Error"),
            ("ÜberGröße", "Über Größe"),
            ("データベース", "デー ータ タベ ベー ース"),
            ("get漢字名", "get 漢字 字名"),
            ("A", "A"),
        ];
        for (identifier, expected) in cases {
            let mut found = Vec::new();
            parts(identifier, |part| found.push(part));
            assert_eq!(found.join(" "), expected, "{identifier}");
        }
    }

    #[test]
    fn forms_of_a_word_meet() {
        let groups = [
            "validate validates validated validating validation validations validator validators",
            "parse parses parsed parsing",
            "query queries",
            "run runs running",
            "class classes",
            "match matches matched matching",
            "configure configuration configured",
            "index indexes indexed indexing",
            "iterate iterator iterators iteration iter",
            "call calls called calling",
            "cache caches cached caching",
        ];
        for group in groups {
            let stems: Vec<String> = group.split(' ').map(|word| stem(word).into_owned()).collect();
            assert!(stems.iter().all(|other| *other == stems[0]), "{group}: {stems:?}");
        }
    }

    #[test]
    fn different_words_stay_apart() {
        for (a, b) in
            [("status", "state"), ("address", "add"), ("process", "proceed"), ("string", "str"), ("bus", "bu")]
        {
            assert_ne!(stem(a), stem(b), "{a} {b}");
        }
        for word in ["bing", "this", "utf8", "id", "größe", "bytes2"] {
            assert_eq!(stem(word), word);
        }
    }

    #[test]
    fn terms_of_a_text() {
        let mut found = Vec::new();
        terms("The code that validates userCredentials, 2x!", |term| found.push(term.to_owned()));
        assert_eq!(found, ["the", "cod", "that", "valid", "user", "credential", "2x"]);
    }

    #[test]
    fn whole_names_are_compared_without_case_and_underscores() {
        assert_eq!(fold_identifier("loadAll"), fold_identifier("load_all"));
        assert_eq!(fold_identifier("__Init__"), "init");
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.words.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(STOP_WORDS.words.iter().all(|word| is_stop_word(word)));
        for word in ["validate", "", "th", "ab", "Z", "zzz", "über", "that's", "yours"] {
            assert!(!is_stop_word(word), "{word}");
        }
    }
}
