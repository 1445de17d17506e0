//! Statements that bind: sentences with a modal verb, a warning or a decision.

use crate::model::{Claim, ClaimKind, Modality, SectionKind};
use crate::text::cut;

/// A shorter sentence is no claim, in bytes.
const MIN_SENTENCE: usize = 20;
/// A longer one is not kept.
const MAX_SENTENCE: usize = 600;
/// Claims kept of one block.
const MAX_CLAIMS: usize = 200;
/// Longest word with a negation at its end.
const MAX_TELLING: usize = 12;
/// Longest part of a claim kept, in bytes.
const MAX_PART: usize = 240;

/// Verbs that carry a modality, and the kind of claim that they make.
const VERBS: &[(&str, Modality, ClaimKind)] = &[
    ("must", Modality::Must, ClaimKind::Requirement),
    ("shall", Modality::Must, ClaimKind::Requirement),
    ("required", Modality::Must, ClaimKind::Requirement),
    ("requires", Modality::Must, ClaimKind::Requirement),
    ("cannot", Modality::Must, ClaimKind::Requirement),
    ("never", Modality::Must, ClaimKind::Invariant),
    ("always", Modality::Must, ClaimKind::Invariant),
    ("guarantees", Modality::Must, ClaimKind::Invariant),
    ("guaranteed", Modality::Must, ClaimKind::Invariant),
    ("should", Modality::Should, ClaimKind::Requirement),
    ("recommended", Modality::Should, ClaimKind::Requirement),
    ("may", Modality::May, ClaimKind::Capability),
    ("can", Modality::May, ClaimKind::Capability),
    ("might", Modality::May, ClaimKind::Capability),
    ("supports", Modality::Is, ClaimKind::Capability),
    ("allows", Modality::Is, ClaimKind::Capability),
    ("provides", Modality::Is, ClaimKind::Capability),
    ("decided", Modality::Is, ClaimKind::Decision),
    ("chose", Modality::Is, ClaimKind::Decision),
    ("deprecated", Modality::Is, ClaimKind::Warning),
    ("beware", Modality::Must, ClaimKind::Warning),
];
/// Words that make any claim a warning.
const DANGERS: &[&str] = &["warning", "caution", "danger", "dangerous", "beware", "deprecated", "unsafe"];
/// Words that say that something does not hold.
const NEGATIONS: &[&str] = &["not", "never", "cannot", "no", "without"];

/// Abbreviations whose dot ends no sentence.
const SHORT: &[&[u8]] = &[b"e.g", b"i.e", b" etc", b" vs", b" cf"];

/// The claims of a block. `is_note` says that it is marked as a note or warning. Sections and lines are the caller's.
pub(crate) fn find_claims(text: &str, is_note: bool, section: Option<SectionKind>) -> Vec<Claim> {
    let mut claims = Vec::new();
    let mut verb = next_telling(text, 0, true);
    for (start, sentence) in sentences(text) {
        let Some((at, _)) = verb else { break };
        let end = start + sentence.len();
        if at >= end {
            continue;
        }
        claims.extend(claim(sentence, is_note, section));
        if claims.len() >= MAX_CLAIMS {
            break;
        }
        verb = next_telling(text, end, true);
    }
    claims
}

/// Number of words that tell something about a claim: those of [`VERBS`], [`NEGATIONS`] and [`DANGERS`].
const TELLING: usize = VERBS.len() + NEGATIONS.len() + DANGERS.len();
/// Bits of the verbs among the words that tell something.
const VERB_BITS: u64 = (1 << VERBS.len()) - 1;
/// Bits of the negations.
const NEGATION_BITS: u64 = ((1 << NEGATIONS.len()) - 1) << VERBS.len();
/// Bits of the dangers.
const DANGER_BITS: u64 = ((1 << DANGERS.len()) - 1) << (VERBS.len() + NEGATIONS.len());

const fn telling(row: usize) -> &'static str {
    if row < VERBS.len() {
        VERBS[row].0
    } else if row < VERBS.len() + NEGATIONS.len() {
        NEGATIONS[row - VERBS.len()]
    } else {
        DANGERS[row - VERBS.len() - NEGATIONS.len()]
    }
}

/// The first three letters of words of the lists, five bits each, as a set of bits: of the verbs, and of all.
static BEGINNINGS: [[u64; 512]; 2] = {
    let mut sets = [[0; 512]; 2];
    let mut row = 0;
    while row < TELLING {
        let word = telling(row).as_bytes();
        let third = if word.len() > 2 { word[2] as usize & 31 } else { 0 };
        let letters = (word[0] as usize & 31) << 10 | (word[1] as usize & 31) << 5 | third;
        sets[1][letters >> 6] |= 1 << (letters & 63);
        if row < VERBS.len() {
            sets[0][letters >> 6] |= 1 << (letters & 63);
        }
        row += 1;
    }
    sets
};

/// By five bits of their first letter: words of the lists, a bit for each.
static ROWS: [u64; 32] = {
    let mut rows = [0; 32];
    let mut row = 0;
    while row < TELLING {
        rows[(telling(row).as_bytes()[0] & 31) as usize] |= 1 << row;
        row += 1;
    }
    rows
};

/// Of every byte: five bits that tell letters apart, 0 for what is no part of a word. Those beyond ASCII are looked at
/// where it matters.
static CODES: [u8; 256] = {
    let mut codes = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let c = byte as u8;
        codes[byte] = match c {
            b'0'..=b'9' | b'\'' => 31,
            _ if c.is_ascii_alphabetic() => c & 31,
            _ => 0,
        };
        byte += 1;
    }
    codes
};

/// Bytes that are looked at before it is asked whether one of the words may start among them.
const CHUNK: usize = 16;

/// Follows the bytes of a text.
#[derive(Clone, Copy)]
struct Follower {
    /// The codes of the last two bytes, if a word started with them.
    two: u16,
    /// The code of the last byte, if a word started there.
    one: u8,
    /// All bits if a word starts with the next byte, else none.
    starts: u8,
}

impl Follower {
    /// Takes a byte; returns an odd number if one of the words may have started with the last three.
    fn step(&mut self, byte: u8, words: &[u64; 512]) -> u64 {
        let code = CODES[usize::from(byte)];
        let letters = (usize::from(self.two) << 5 | usize::from(code)) & 0x7fff;
        self.two = u16::from(self.one) << 5 | u16::from(code);
        self.one = code & self.starts;
        self.starts = if code == 0 { u8::MAX } else { 0 };
        words[letters >> 6] >> (letters & 63)
    }
}

/// The next of the words that tell something, or of the verbs: where it starts, and the bits of what it is. Most text
/// has none, so that words need not be told apart.
fn next_telling(text: &str, from: usize, is_verb: bool) -> Option<(usize, u64)> {
    let bytes = text.as_bytes();
    let words = &BEGINNINGS[usize::from(!is_verb)];
    let is_start = from.checked_sub(1).is_none_or(|before| CODES[usize::from(bytes[before])] == 0);
    let mut follower = Follower { two: 0, one: 0, starts: if is_start { u8::MAX } else { 0 } };
    let mut start = from;
    for chunk in bytes.get(from..)?.chunks(CHUNK) {
        let mut again = follower;
        let any = chunk.iter().fold(0, |any, byte| any | follower.step(*byte, words));
        if any & 1 == 1 {
            for (at, byte) in (start..).zip(chunk) {
                let may_start = again.step(*byte, words) & 1 == 1;
                let found = if may_start { words_at(text, at - 2) } else { 0 };
                if found != 0 && (!is_verb || found & VERB_BITS != 0) {
                    return Some((at - 2, found));
                }
            }
        }
        start += chunk.len();
    }
    // A word of two letters at the end of the text.
    let last = bytes.len().checked_sub(2).filter(|last| *last >= from)?;
    let found = if follower.step(b' ', words) & 1 == 1 { words_at(text, last) } else { 0 };
    (found != 0).then_some((last, found))
}

/// Which of the words stand at a place, a bit for each.
fn words_at(text: &str, at: usize) -> u64 {
    let rest = &text.as_bytes()[at..];
    let mut rows = rest.first().map_or(0, |first| ROWS[usize::from(*first) & 31]);
    let mut found = 0;
    while rows != 0 {
        let row = rows.trailing_zeros();
        rows &= rows - 1;
        let word = telling(row as usize).as_bytes();
        if rest.get(..word.len()).is_some_and(|there| there.eq_ignore_ascii_case(word))
            && !text[at + word.len()..].starts_with(is_of_word)
            && !text[..at].ends_with(is_of_word)
        {
            found |= 1 << row;
        }
    }
    found
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '\''
}

/// Whether a word ends in `n't`.
fn has_not(sentence: &str) -> bool {
    memchr::memchr_iter(b'\'', sentence.as_bytes()).any(|at| {
        let (before, after) = (&sentence[..at], &sentence[at + 1..]);
        before.ends_with(['n', 'N'])
            && after.starts_with(['t', 'T'])
            && !after[1..].starts_with(is_of_word)
            && before.chars().rev().take_while(|c| is_of_word(*c)).count() + 2 <= MAX_TELLING
    })
}

/// The sentences of a text and where they start.
fn sentences(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text;
    let parts = std::iter::from_fn(move || {
        let mut from = 0;
        let bytes = rest.as_bytes();
        if bytes.is_empty() {
            return None;
        }
        loop {
            let end = memchr::memchr3(b'.', b'!', b'?', &bytes[from..]).map(|at| from + at);
            let Some(end) = end else {
                return Some(std::mem::take(&mut rest));
            };
            let short = |word: &&[u8]| bytes[..end].ends_with(word);
            let is_end = bytes.get(end + 1).is_none_or(|byte| *byte == b' ') && !SHORT.iter().any(short);
            if is_end {
                let sentence = &rest[..end];
                rest = rest[end + 1..].trim_start();
                return Some(sentence);
            }
            from = end + 1;
        }
    });
    parts.map(|part| {
        let sentence = part.trim();
        (sentence.as_ptr() as usize - text.as_ptr() as usize, sentence)
    })
}

fn claim(sentence: &str, is_note: bool, section: Option<SectionKind>) -> Option<Claim> {
    if !(MIN_SENTENCE..=MAX_SENTENCE).contains(&sentence.len()) {
        return None;
    }
    let mut verb = None;
    let (mut negated, mut danger) = (false, is_note);
    let mut from = 0;
    while let Some((at, rows)) = next_telling(sentence, from, false) {
        negated |= rows & NEGATION_BITS != 0;
        danger |= rows & DANGER_BITS != 0;
        let row = VERBS.get((rows & VERB_BITS).trailing_zeros() as usize);
        if let Some(row) = row.filter(|row| verb.is_none() && (at > 0 || matches!(row.0, "never" | "always"))) {
            verb = Some((at, row));
        }
        from = at + 1;
    }
    negated |= has_not(sentence);
    let (at, (word, modality, kind)) = verb?;
    let is_test = section == Some(SectionKind::Tests) && *modality != Modality::Is;
    let kind = match kind {
        _ if is_test => ClaimKind::TestExpectation,
        _ if danger => ClaimKind::Warning,
        kind => *kind,
    };
    let part = |text: &str| cut(text.trim(), MAX_PART).to_owned();
    Some(Claim {
        section: None,
        kind,
        modality: *modality,
        subject: part(&sentence[..at]),
        predicate: (*word).to_owned(),
        object: part(&sentence[at + word.len()..]),
        negated,
        line: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::find_claims;

    #[test]
    fn words_are_found_wherever_they_stand() {
        for row in 0..super::TELLING {
            let word = super::telling(row);
            for before in 0..40 {
                for (word, after) in [(word.to_owned(), ""), (word.to_uppercase(), ", it"), (word.to_owned(), "—")] {
                    let text = format!("{} {word}{after}", "x".repeat(before));
                    let found = super::next_telling(&text, 0, false);
                    assert!(found.is_some_and(|(at, bits)| at == before + 1 && bits >> row & 1 == 1), "{text}");
                    let longer = format!("{}{word}s", "x".repeat(before));
                    assert_eq!(super::next_telling(&longer, 0, false), None, "{longer}");
                }
            }
        }
    }

    #[test]
    fn sentences_that_bind_are_claims() {
        let text = "The client must close the pool. It is a nice thing to have around. Handlers should not block, e.g. on I/O. \
                    Warning: this can delete data! We decided to use SQLite instead. Nodes are never removed.";
        let shown: Vec<String> = find_claims(text, false, None)
            .into_iter()
            .map(|claim| {
                let not = if claim.negated { "not " } else { "" };
                format!(
                    "{} {} {not}| {} | {} | {}",
                    claim.kind.word(),
                    claim.modality.word(),
                    claim.subject,
                    claim.predicate,
                    claim.object
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "requirement must | The client | must | close the pool",
                "requirement should not | Handlers | should | not block, e.g. on I/O",
                "warning may | Warning: this | can | delete data",
                "decision is | We | decided | to use SQLite instead",
                "invariant must not | Nodes are | never | removed",
            ]
        );
    }
}
