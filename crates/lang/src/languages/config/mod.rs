//! Files that say how programs are deployed and called: what they set, build, run and offer.

use m1nd_base::Problem;

use super::Input;
use super::schema::Sheet;
use crate::facts::FileFacts;

mod compose;
pub(crate) mod docker;
mod helm;
mod kubernetes;
mod kustomize;
mod openapi;
mod variables;
mod workflow;
pub(crate) mod yaml;

use yaml::Entries;

/// Reads the entries of a file into what is recorded of it.
type Reader = fn(&Entries<'_>, &mut Sheet<'_>);

/// The formats that are understood, by words: a file has all words of one of the rows.
const FORMATS: &[(&[&[&str]], Reader)] = &[
    (&[&["services:"]], compose::read),
    (&[&["apiVersion:", "kind:"]], kubernetes::read),
    (&[&["jobs:", "steps:"]], workflow::read),
    (&[&["resources:"], &["components:"], &["newName:"], &["configMapGenerator:"]], kustomize::read),
    (&[&["repository:"]], helm::read),
    (&[&["openapi"], &["swagger"]], openapi::read),
];

/// The facts of a YAML file: none if it is of no known format.
pub(crate) fn extract(input: &Input<'_>) -> Result<FileFacts, Problem> {
    let mut sheet = Sheet::new(input);
    let mut entries: Option<Entries<'_>> = None;
    for (_, read) in
        FORMATS.iter().filter(|(words, _)| words.iter().any(|all| all.iter().all(|word| input.text.contains(word))))
    {
        read(entries.get_or_insert_with(|| yaml::read(input.text)), &mut sheet);
    }
    Ok(sheet.finish())
}
