//! Command-line arguments of the evaluations.

use std::path::PathBuf;

use super::USAGE;
use crate::Outcome;

/// Handling of the stored result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Keep {
    /// Only print the result.
    #[default]
    Print,
    /// Compare with the stored result.
    Check,
    /// Replace the stored result.
    Write,
}

#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// Flags whose value is a folder.
    folders: Vec<(String, PathBuf)>,
    pub(super) keep: Keep,
    /// Examples to print for each class of misses.
    pub(super) explain: usize,
    /// Print only the table of stored results.
    pub(super) table: bool,
}

impl Arguments {
    /// Parses flags; `folders` are those whose value is a folder.
    pub(super) fn parse(args: &[String], folders: &[&str]) -> Outcome<Self> {
        let mut parsed = Self::default();
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            match flag.as_str() {
                "--check" => parsed.keep = Keep::Check,
                "--write" => parsed.keep = Keep::Write,
                "--table" => parsed.table = true,
                "--explain" => {
                    let number = rest.next().and_then(|number| number.parse().ok());
                    parsed.explain = number.ok_or("--explain needs a number")?;
                }
                flag if folders.contains(&flag) => {
                    let folder = rest.next().ok_or_else(|| format!("{flag} needs a folder"))?;
                    parsed.folders.push((flag.to_owned(), folder.into()));
                }
                other => return Err(format!("unknown argument `{other}`; {USAGE}").into()),
            }
        }
        Ok(parsed)
    }

    /// The folder of a flag.
    pub(super) fn folder(&self, flag: &str) -> Outcome<&PathBuf> {
        let found = self.folders.iter().rev().find(|(given, _)| given == flag);
        Ok(&found.ok_or_else(|| format!("{flag} is missing; {USAGE}"))?.1)
    }
}
