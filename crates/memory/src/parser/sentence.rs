//! Words and sentences of a line.

use std::borrow::Cow;

use super::markdown::{Line, MASKED};
use super::words::sentence;

/// Words of a line looked at.
pub(crate) const MAX_WORDS: usize = 2_000;
/// A longer sentence is cut.
const MAX_SENTENCE_WORDS: usize = 200;
/// How far before a word its clause is looked through, in words.
const MAX_LOOK_BACK: usize = 24;

/// A word of a line.
#[derive(Clone, Debug)]
pub(crate) struct Word<'l> {
    /// In lower case, typographic apostrophes made plain.
    pub(crate) text: Cow<'l, str>,
    /// Its bytes in the line.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Everything up to the next word: blanks and punctuation.
    pub(crate) after: &'l str,
}

/// The words of a line. Marks inside of a word stay in it: `node.js`, `cross-domain`, `src/auth.rs`, `don't`.
pub(crate) fn words(mask: &str) -> Vec<Word<'_>> {
    words_in(mask, Vec::new())
}

/// The same, in the room of a list that is not needed any more.
pub(crate) fn words_in<'l>(mask: &'l str, mut words: Vec<Word<'l>>) -> Vec<Word<'l>> {
    // With the blank after it; shorter ones are rarely many.
    const BYTES_OF_A_WORD: usize = 4;
    words.clear();
    words.reserve((mask.len() / BYTES_OF_A_WORD).min(MAX_WORDS));
    let (mut at, mut end) = (0, 0);
    while words.len() < MAX_WORDS {
        let Some(start) = next_letter(mask, at) else { break };
        if let Some(last) = words.last_mut() {
            last.after = &mask[end..start];
        }
        end = end_of_word(mask, start);
        words.push(word(mask, start, end));
        at = end;
    }
    if let Some(last) = words.last_mut() {
        last.after = &mask[end..];
    }
    words
}

/// The character that starts at a byte; a blank at the end.
fn char_at(mask: &str, at: usize) -> char {
    match mask.as_bytes().get(at) {
        Some(byte) if byte.is_ascii() => char::from(*byte),
        Some(_) => mask[at..].chars().next().unwrap_or(' '),
        None => ' ',
    }
}

/// Which bytes are letters by themselves.
const PLAIN_LETTERS: [bool; 256] = {
    let mut letters = [false; 256];
    let mut byte = 0u8;
    while byte < 0x80 {
        letters[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_' || byte == MASKED as u8;
        byte += 1;
    }
    letters
};

fn is_plain_letter(byte: u8) -> bool {
    PLAIN_LETTERS[usize::from(byte)]
}

/// Where the first letter from here on is.
fn next_letter(mask: &str, mut at: usize) -> Option<usize> {
    while let Some(&byte) = mask.as_bytes().get(at) {
        if is_plain_letter(byte) {
            return Some(at);
        }
        let c = char_at(mask, at);
        if !c.is_ascii() && is_letter(c) {
            return Some(at);
        }
        at += c.len_utf8();
    }
    None
}

/// Where the word that starts here ends.
fn end_of_word(mask: &str, start: usize) -> usize {
    let (mut at, mut previous) = (start, start);
    while let Some(&byte) = mask.as_bytes().get(at) {
        if is_plain_letter(byte) {
            previous = at;
            at += 1;
            continue;
        }
        let c = char_at(mask, at);
        let after = at + c.len_utf8();
        if !is_letter(c) && (at == start || !joins(char_at(mask, previous), c, char_at(mask, after))) {
            return at;
        }
        previous = at;
        at = after;
    }
    at
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == MASKED
}

fn joins(previous: char, c: char, next: char) -> bool {
    match c {
        ':' => next == ':' || previous == ':' && is_letter(next) || previous.is_ascii_digit() && next.is_ascii_digit(),
        '-' | '\'' | '’' | '.' | '/' | '@' | '#' | '+' | '&' | '=' | '\\' | '$' => is_letter(next),
        _ => false,
    }
}

fn word(mask: &str, start: usize, end: usize) -> Word<'_> {
    let text = &mask[start..end];
    let text = if !text.is_ascii() && text.contains('’') {
        Cow::Owned(text.replace('’', "'"))
    } else {
        Cow::Borrowed(text)
    };
    Word { text, start, end, after: "" }
}

/// One sentence of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sentence<'l> {
    pub(crate) line: &'l Line,
    pub(crate) words: &'l [Word<'l>],
    /// Its bytes in the line.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The sentences of a line, in order.
pub(crate) fn sentences<'l>(line: &'l Line, words: &'l [Word<'l>]) -> Vec<Sentence<'l>> {
    let mut found = Vec::new();
    let mut first = 0;
    for index in 0..words.len() {
        let is_last = index + 1 == words.len();
        if !is_last && index - first + 1 < MAX_SENTENCE_WORDS && !ends_sentence(line, words, index) {
            continue;
        }
        let end = if is_last { line.mask.len() } else { words[index + 1].start - lead(words[index].after) };
        let start = if first == 0 { 0 } else { words[first].start - lead(words[first - 1].after) };
        found.push(Sentence { line, words: &words[first..=index], start, end });
        first = index + 1;
    }
    found
}

/// Bytes before a word that belong to it: an opening bracket or quotation mark, but no blank.
fn lead(between: &str) -> usize {
    between
        .chars()
        .next_back()
        .map_or(0, |c| if matches!(c, '(' | '"' | '“' | '[' | '`' | '/' | '.') { c.len_utf8() } else { 0 })
}

fn ends_sentence(line: &Line, words: &[Word<'_>], index: usize) -> bool {
    let word = &words[index];
    if word.after == " " {
        return false;
    }
    let next = &words[index + 1];
    let mark = word.after.trim_start_matches([')', ']', '"', '”', '’', '»', '›', '\'', '*', '`']);
    if mark.starts_with(';') || word.after.contains(" | ") {
        return word.after.contains(" | ") || starts_entry(words, index + 1);
    }
    let Some(first) = mark.chars().next().filter(|c| matches!(c, '.' | '!' | '?' | '。')) else { return false };
    if first != '。' && !mark.contains(char::is_whitespace) {
        return false;
    }
    let follows_capital = line.shown[next.start..].starts_with(char::is_uppercase);
    if first == '.' {
        let text: &str = &word.text;
        let is_initial = text.chars().count() == 1 && text.starts_with(char::is_alphabetic) && text != "i";
        if is_initial
            || sentence::ABBREVIATIONS.contains(&text)
            || (sentence::MAYBE_LAST.contains(&text) && !follows_capital)
        {
            return false;
        }
        if mark.starts_with("..") && !follows_capital {
            return false;
        }
    }
    true
}

/// Whether the words from here start an entry of their own after a semicolon.
fn starts_entry(words: &[Word<'_>], index: usize) -> bool {
    let Some(word) = words.get(index) else { return false };
    let starts = sentence::STARTS.contains(&&*word.text);
    starts
        || (sentence::STARTS_LABELLED.contains(&&*word.text) && word.after.starts_with(':'))
        || (word.text == "turns" && words.get(index + 1).is_some_and(|next| next.text == "out"))
}

impl<'l> Sentence<'l> {
    /// The word at an index; nothing out of range.
    pub(crate) fn word(&self, index: usize) -> &str {
        self.words.get(index).map_or("", |word| &word.text)
    }

    /// The word before an index.
    pub(crate) fn before(&self, index: usize) -> &str {
        index.checked_sub(1).map_or("", |index| self.word(index))
    }

    /// What stands between a word and the next.
    pub(crate) fn after(&self, index: usize) -> &'l str {
        self.words.get(index).map_or("", |word| word.after)
    }

    /// Whether the words from an index are these.
    pub(crate) fn has(&self, index: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(offset, word)| self.word(index + offset) == *word)
    }

    /// The first index from `from` on with one of the words.
    pub(crate) fn find(&self, from: usize, words: &[&str]) -> Option<usize> {
        (from..self.words.len()).find(|index| words.contains(&self.word(*index)))
    }

    /// The text of the sentence.
    pub(crate) fn text(&self) -> &'l str {
        self.line.shown[self.start..self.end].trim()
    }

    /// Whether it is a question.
    pub(crate) fn is_question(&self) -> bool {
        self.line.mask[self.start..self.end].trim_end_matches([')', '"', '*', '_', ' ']).ends_with('?')
    }

    /// Whether nothing that counts stands before a word in its clause.
    pub(crate) fn starts_clause(&self, index: usize) -> bool {
        let mut index = index;
        while index > 0 && !is_clause_break(self.after(index - 1)) {
            if !sentence::FILLERS.contains(&self.before(index)) {
                return false;
            }
            index -= 1;
        }
        true
    }

    /// Whether a verb is said of the writers: of nobody, as in notes, or of `we`, and as a fact.
    pub(crate) fn is_ours(&self, index: usize) -> bool {
        let mut index = index;
        loop {
            if index == 0 || is_clause_break(self.after(index - 1)) {
                return true;
            }
            let before = self.before(index);
            if sentence::WRITERS.contains(&before) {
                return index < 2
                    || is_clause_break(self.after(index - 2))
                    || !sentence::HYPOTHETICAL.contains(&self.before(index - 1));
            }
            if !sentence::ADVERBS.contains(&before) && !sentence::FILLERS.contains(&before) {
                return false;
            }
            index -= 1;
        }
    }

    /// Whether one of the words stands before an index in the same clause.
    pub(crate) fn clause_has_before(&self, index: usize, words: &[&str]) -> bool {
        let last = index;
        let mut index = index;
        while index > 0 && last - index < MAX_LOOK_BACK && !self.after(index - 1).contains([',', ';']) {
            index -= 1;
            if words.contains(&self.word(index)) {
                return true;
            }
        }
        false
    }

    /// Whether a colon or a dash that stands alone follows a word.
    pub(crate) fn is_labelled(&self, index: usize) -> bool {
        let after = self.after(index).trim_end();
        let is_end = index + 1 == self.words.len() && after.is_empty();
        // French has a space before a colon, Japanese a wide one.
        let has_colon = after.trim_start_matches([')', ']', '*', '_']).starts_with([':', '：']) || after.trim() == ":";
        !is_end && (has_colon || is_dash(after))
    }
}

fn is_dash(between: &str) -> bool {
    between.starts_with(char::is_whitespace) && matches!(between.trim(), "-" | "–" | "—" | "--" | "→" | "->" | "=>")
        || between.trim() == "—"
}

/// Whether what stands between two words parts two clauses.
pub(crate) fn is_clause_break(between: &str) -> bool {
    if between == " " {
        return false;
    }
    let breaks =
        |c: char| matches!(c, ',' | ';' | ':' | '(' | '[' | '—' | '–' | '|' | '→' | '"' | '“' | '✓' | '✅' | '.');
    between.contains(breaks) || is_dash(between)
}
