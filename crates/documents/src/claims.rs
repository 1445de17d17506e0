//! Statements that bind: sentences with a modal verb, a warning or a decision.

use crate::model::{Claim, ClaimKind, Modality, SectionKind};
use crate::text::cut;

/// A shorter sentence is no claim, in bytes.
const MIN_SENTENCE: usize = 20;
/// A longer one is not kept.
const MAX_SENTENCE: usize = 600;
/// Claims kept of one block.
const MAX_CLAIMS: usize = 200;
/// Longest word of the lists below, in bytes.
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
pub(crate) fn found(text: &str, is_note: bool, section: Option<SectionKind>) -> Vec<Claim> {
    sentences(text).filter_map(|sentence| claim(sentence, is_note, section)).take(MAX_CLAIMS).collect()
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
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
    })
    .map(str::trim)
}

fn claim(sentence: &str, is_note: bool, section: Option<SectionKind>) -> Option<Claim> {
    if !(MIN_SENTENCE..=MAX_SENTENCE).contains(&sentence.len()) {
        return None;
    }
    let mut verb = None;
    let (mut negated, mut danger) = (false, is_note);
    words(sentence, |at, word| {
        // Most words are none of these: their length and first letter say so.
        if !(2..=MAX_TELLING).contains(&word.len()) || !may_tell(word) {
            return;
        }
        let mut lower = [0; MAX_TELLING];
        let lower = &mut lower[..word.len()];
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        let is = |known: &str| known.as_bytes() == &*lower;
        negated |= NEGATIONS.iter().any(|known| is(known)) || lower.ends_with(b"n't");
        danger |= DANGERS.iter().any(|known| is(known));
        if verb.is_none()
            && let Some(row) = VERBS.iter().find(|(known, ..)| is(known))
            && (at > 0 || is("never") || is("always"))
        {
            verb = Some((at, word, row));
        }
    });
    let (at, word, (_, modality, kind)) = verb?;
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
        predicate: word.to_ascii_lowercase(),
        object: part(&sentence[at + word.len()..]),
        negated,
        line: 0,
    })
}

/// Returns whether a word may be one of the lists above, by its first letter, or a verb with a negation.
fn may_tell(word: &str) -> bool {
    let bytes = word.as_bytes();
    let first = bytes.first().map_or(0, u8::to_ascii_lowercase);
    matches!(first, b'a' | b'b' | b'c' | b'd' | b'g' | b'm' | b'n' | b'p' | b'r' | b's' | b'u' | b'w')
        || bytes.last().is_some_and(|last| last.eq_ignore_ascii_case(&b't')) && bytes.contains(&b'\'')
}

/// Calls `each` with every word of a sentence and where it starts.
fn words<'t>(sentence: &'t str, mut each: impl FnMut(usize, &'t str)) {
    let bytes = sentence.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'\'' || byte >= 0x80;
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && is_word(bytes[at]) {
            at += 1;
        }
        let run = &sentence[start..at];
        if run.is_ascii() {
            if !run.is_empty() {
                each(start, run);
            }
        } else {
            // Signs beyond ASCII separate words, too.
            for part in run.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|part| !part.is_empty()) {
                each(start + (part.as_ptr() as usize - run.as_ptr() as usize), part);
            }
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::found;

    #[test]
    fn every_word_of_the_lists_may_tell() {
        let verbs = super::VERBS.iter().map(|row| row.0);
        let lists = [super::NEGATIONS, super::DANGERS].concat();
        for word in verbs.chain(lists).chain(["doesn't", "Can't"]) {
            assert!((2..=super::MAX_TELLING).contains(&word.len()) && super::may_tell(word), "{word}");
        }
    }

    #[test]
    fn sentences_that_bind_are_claims() {
        let text = "The client must close the pool. It is a nice thing to have around. Handlers should not block, e.g. on I/O. \
                    Warning: this can delete data! We decided to use SQLite instead. Nodes are never removed.";
        let shown: Vec<String> = found(text, false, None)
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
