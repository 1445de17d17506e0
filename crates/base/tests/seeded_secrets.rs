//! Every form of the table of seeded secrets is redacted, wherever in a text it stands.

use m1nd_base::secrets::{REDACTED, Values, redact};
use m1nd_testkit::{SeededSecret, many_seeded_secrets, seeded_secrets};

/// Random values of each form.
const VALUES: usize = 1_000;

/// Places in a memory; `{}` is the secret.
const PLACES: &[&str] = &[
    "{}",
    "Note 1: fine.\n{}\nend",
    "**Decided:** {} because of the audit",
    "- {} → rotate it",
    "see `{}`",
    "(it is \"{}\")",
    "first\\n{}\\nthird",
    "MEMORY: learned that {}",
];

#[test]
fn no_seeded_secret_is_left() {
    let secrets = seeded_secrets();
    assert!(secrets.len() >= 102, "{}", secrets.len());
    let mut left = Vec::new();
    for secret in &secrets {
        for place in PLACES {
            let text = place.replace("{}", &secret.text);
            let clean = redact(&text);
            let is_left = secret.parts.iter().any(|part| clean.contains(part.as_str())) || !clean.contains(REDACTED);
            if is_left {
                left.push(format!("{place:?} of {:?}: {clean:?}", secret.row));
            }
            assert_eq!(redact(&clean), clean, "redacted once is redacted");
        }
    }
    assert!(left.is_empty(), "{} left:\n{}", left.len(), left.join("\n"));
}

/// What gives a secret away is its form or the word before it, and no chance of the value.
#[test]
fn no_value_of_a_form_is_left_by_chance() {
    let mut left = Vec::new();
    for secrets in many_seeded_secrets(VALUES) {
        let shows = |secret: &&SeededSecret| {
            let clean = redact(&secret.text);
            secret.parts.iter().any(|part| clean.contains(part.as_str())) || !clean.contains(REDACTED)
        };
        let shown: Vec<_> = secrets.iter().filter(shows).collect();
        if let Some(first) = shown.first() {
            left.push(format!("{} of {:?}: {:?}", shown.len(), first.row, first.text));
        }
    }
    assert!(left.is_empty(), "{} forms:\n{}", left.len(), left.join("\n"));
}

/// A title or sentence of a text shows nothing that was found in the whole.
#[test]
fn values_of_a_text_are_taken_out_of_its_parts() {
    for secret in seeded_secrets() {
        let values = Values::of(&format!("a\n{}\nb", secret.text));
        for part in secret.parts.iter().filter(|part| part.len() >= 16) {
            let title = format!("it is {part} here");
            let is_part_of_longer = !secret.text.split_whitespace().any(|word| word == part);
            assert!(is_part_of_longer || !values.redact(&title).contains(part.as_str()), "{:?}", secret.row);
        }
    }
}
