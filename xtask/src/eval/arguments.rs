//! What the evaluations take on the command line.

use std::path::PathBuf;

use super::USAGE;
use crate::Outcome;

/// What happens to the kept result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Keep {
    /// Nothing: the result is printed only.
    #[default]
    Print,
    /// It must equal the new one.
    Check,
    /// It becomes the new one.
    Write,
}

#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// Values of flags that name a folder.
    folders: Vec<(String, PathBuf)>,
    pub(super) keep: Keep,
    /// Examples printed of each class of misses.
    pub(super) explain: usize,
    /// Only the table of kept results.
    pub(super) table: bool,
}

impl Arguments {
    /// Reads flags; `folders` are those that name a folder.
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

    /// The folder behind a flag.
    pub(super) fn folder(&self, flag: &str) -> Outcome<&PathBuf> {
        let found = self.folders.iter().rev().find(|(given, _)| given == flag);
        Ok(&found.ok_or_else(|| format!("{flag} is missing; {USAGE}"))?.1)
    }
}
