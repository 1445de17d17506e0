//! The licences of all packages that the program contains, as one text. Packages that share a text are listed above it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use crate::{Outcome, repository};

use super::dependencies::{Package, Packages};

/// What names of files with a licence begin with, in lower case.
const NAMES: &[&str] = &["licen", "copying", "unlicense", "notice", "copyright"];
/// Endings of files that are not texts, such as the code of a package named after licences.
const CODE: &[&str] = &[".rs", ".html", ".json"];
/// Licences whose text is written here if a package does not bring it, and the file with it.
const STANDARD: &[(&str, &str)] = &[("MIT", "LICENSE-MIT"), ("Apache-2.0", "LICENSE-APACHE")];
/// What the line of a licence with the holder of the rights begins with.
const HOLDER: &str = "Copyright (c)";
/// A line between two texts.
const RULE: &str = "----------------------------------------------------------------------";

/// The licences of what the embedded page is bundled from, as its own build writes them.
const PAGE: &str = "crates/http/page/THIRD-PARTY.txt";

/// Writes the text for a program.
///
/// # Errors
/// A package has neither a file with its licence, nor one whose text is known.
pub(super) fn write(program: &str, packages: &Packages) -> Outcome<String> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in packages.rows.iter().filter(|row| !row.package.is_ours() && !row.is_build_only) {
        let package = &row.package;
        for text in read_texts(package)? {
            let name = format!("{} {} ({})", package.name, package.version, package.licence());
            texts.entry(text).or_default().push(name);
        }
    }
    let mut rows: Vec<(String, Vec<String>)> = texts.into_iter().collect();
    rows.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    let mut out = format!("{program} contains the following packages. Their licences follow.\n");
    for (text, names) in rows {
        let _ = write!(out, "\n{RULE}\n{}\n{RULE}\n\n{text}\n", names.join("\n"));
    }
    Ok(out)
}

/// Reads the licences of what the embedded page is bundled from.
///
/// # Errors
/// The file does not exist: the page was not built.
pub(super) fn read_page() -> Outcome<String> {
    std::fs::read_to_string(repository().join(PAGE)).map_err(|error| format!("{PAGE}: {error}").into())
}

/// The texts of a package's licences.
fn read_texts(package: &Package) -> Outcome<Vec<String>> {
    let folder = package.manifest_path.parent().unwrap_or(Path::new("."));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let is_text = NAMES.iter().any(|start| name.starts_with(start)) && !CODE.iter().any(|end| name.ends_with(end));
        if is_text && entry.path().is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    if files.is_empty() {
        return Ok(vec![write_standard(package)?]);
    }
    files.iter().map(|file| Ok(tidy(&String::from_utf8_lossy(&std::fs::read(file)?)))).collect()
}

/// The text of a licence that a package names but does not bring, with its authors as holders of the rights.
fn write_standard(package: &Package) -> Outcome<String> {
    let licence = package.licence();
    let file = STANDARD.iter().find(|(name, _)| licence.split([' ', '(', ')']).any(|word| word == *name));
    let Some((_, file)) = file else {
        return Err(format!("{} {} has no file with its licence ({licence})", package.name, package.version).into());
    };
    let text = tidy(&std::fs::read_to_string(repository().join(file))?);
    let holder = format!("{HOLDER} {}", package.authors.join(", "));
    let lines = text.lines().map(|line| if line.starts_with(HOLDER) { holder.as_str() } else { line });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// Without spaces at the ends of lines and empty lines around, so that equal texts are equal.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
