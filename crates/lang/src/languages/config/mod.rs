//! Files that say how programs are deployed and called: what they set, build, run and offer.

use m1nd_base::Problem;

use super::Input;
use super::schema::Sheet;
use crate::facts::FileFacts;

mod compose;
pub(crate) mod docker;
mod kubernetes;
mod openapi;
mod variables;
mod workflow;
pub(crate) mod yaml;

use yaml::Entries;

/// Reads the entries of a file into what is recorded of it.
type Reader = fn(&Entries<'_>, &mut Sheet<'_>);

/// Names of the file formats that are understood, by words that they must contain.
const FORMATS: &[(&[&str], Reader)] = &[
    (&["services:"], compose::read),
    (&["apiVersion:", "kind:"], kubernetes::read),
    (&["jobs:", "steps:"], workflow::read),
    (&["openapi"], openapi::read),
    (&["swagger"], openapi::read),
];

/// The facts of a YAML file: none if it is of no known format.
pub(crate) fn extract(input: &Input<'_>) -> Result<FileFacts, Problem> {
    let mut sheet = Sheet::new(input);
    let rows = FORMATS.iter().filter(|(words, _)| words.iter().all(|word| input.text.contains(word)));
    let mut entries: Option<Entries<'_>> = None;
    for (_, read) in rows {
        let entries = entries.get_or_insert_with(|| yaml::read(input.text));
        read(entries, &mut sheet);
    }
    Ok(sheet.finish())
}
