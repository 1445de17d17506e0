//! `m1nd doctor --bundle FILE`: a report for an issue, without code, names, paths or secrets.

use std::path::Path;

use serde_json::{Value, json};

use super::doctor::Finding;
use crate::error::CliError;
use crate::output::Out;
use crate::version::VERSION;

/// Environment variables whose presence is reported, not their values.
const VARIABLES: &[&str] = &["M1ND_HOME", "M1ND_MODEL", "M1ND_NO_DAEMON", "M1ND_LOG", "MIND_HOME", "NO_COLOR"];
/// What stands for a word that may tell something about the project.
const HIDDEN: &str = "…";

/// Writes the report. An existing file is not replaced.
pub(super) fn write(file: &Path, findings: &[Finding], out: &mut Out) -> Result<(), CliError> {
    let report = json!({
        "m1nd": VERSION,
        "system": std::env::consts::OS,
        "architecture": std::env::consts::ARCH,
        "processors": std::thread::available_parallelism().map_or(0, std::num::NonZero::get),
        "variables": VARIABLES.iter().filter(|name| std::env::var_os(name).is_some()).collect::<Vec<_>>(),
        "findings": findings.iter().map(describe).collect::<Vec<_>>(),
    });
    let text = format!("{report:#}\n");
    let failed = |error: std::io::Error| {
        CliError::fail(format!("cannot write {}: {error}", file.display()), "pass a new file in a writable folder")
    };
    std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(file)
        .and_then(|mut to| std::io::Write::write_all(&mut to, text.as_bytes()))
        .map_err(failed)?;
    out.line(format!("wrote {}: {} lines; read it before you send it", file.display(), text.lines().count()))
}

fn describe(finding: &Finding) -> Value {
    json!({"level": finding.level, "what": hide(&finding.what)})
}

/// The text without words that may be paths, names or values: only plain words, numbers and versions stay.
pub(super) fn hide(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let inner = word.trim_matches(|char: char| ",.;:()".contains(char));
        let is_number = inner.starts_with(|char: char| char.is_ascii_digit());
        let is_plain = inner.bytes().all(|byte| byte.is_ascii_alphabetic() || b"'-".contains(&byte));
        let is_name = inner.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
        match is_plain && !is_name && inner.len() <= LONGEST_WORD || is_number && inner.len() <= LONGEST_NUMBER {
            true => word.to_owned(),
            false if word.ends_with(':') => format!("{HIDDEN}:"),
            false => HIDDEN.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Longest word and longest number or version that is kept: secrets are longer.
const LONGEST_WORD: usize = 16;
const LONGEST_NUMBER: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_words_stay() {
        let rows = [
            ("m1nd 0.1.0", "… 0.1.0"),
            ("/users/ann/.m1nd is writable", "… is writable"),
            ("index: 3 files changed, such as src/secret.rs", "index: 3 files changed, such as …"),
            ("the function `chargeCard` is gone", "the function … is gone"),
            ("chargeCard and net_total", "… and …"),
            ("token ghpabcdefghijklmnopqrstuvwxyz", "token …"),
            ("4111111111111111", "…"),
        ];
        for (text, expected) in rows {
            assert_eq!(hide(text), expected);
        }
    }
}
