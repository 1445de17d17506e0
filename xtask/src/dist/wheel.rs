//! The Python wheel, for `uvx m1nd` and `pip install m1nd`. It holds programs only, so that one file serves every
//! version of Python.

use std::fmt::Write;

use crate::Outcome;
use crate::base64::encode_for_addresses;
use crate::product::DESCRIPTION;

use super::Product;
use super::container::{Entry, hash_bytes, write_zip};
use super::release::{MIND, Release};

pub(super) fn build(release: &Release) -> Outcome<Vec<Product>> {
    let target = release.target;
    let platform =
        release.needs.as_ref().map_or_else(|| target.python.to_owned(), |needs| needs.python_tag(target.python));
    // Tags and metadata. A file name joins the tags of several platforms by dots; the metadata has a line for each.
    let tags: Vec<String> = platform.split('.').map(|platform| format!("Tag: py3-none-{platform}\n")).collect();
    let wheel = format!("Wheel-Version: 1.0\nGenerator: cargo xtask dist\nRoot-Is-Purelib: false\n{}", tags.concat());
    let metadata = write_metadata(release);
    let (scripts, info) =
        (format!("m1nd-{}.data/scripts", release.version), format!("m1nd-{}.dist-info", release.version));
    let mind = release.mind.as_deref().unwrap_or(MIND.as_bytes());
    let mut entries = vec![
        Entry::program(format!("{scripts}/{}", target.program("m1nd")), &release.binary),
        Entry::program(format!("{scripts}/{}", target.program("mind")), mind),
        Entry::file(format!("{info}/METADATA"), metadata.as_bytes()),
        Entry::file(format!("{info}/WHEEL"), wheel.as_bytes()),
    ];
    for (name, text) in &release.licences {
        entries.push(Entry::file(format!("{info}/licenses/{name}"), text));
    }
    entries.push(Entry::file(format!("{info}/licenses/THIRD-PARTY.txt"), release.third_party.as_bytes()));
    entries.push(Entry::file(format!("{info}/sboms/m1nd.cdx.json"), release.sbom.as_bytes()));
    let name = format!("m1nd-{}-py3-none-{platform}.whl", release.version);
    Ok(vec![Product { name, bytes: pack(release, &info, entries)? }])
}

/// Writes the wheel of these entries, with their list in the folder `info`.
pub(super) fn pack(release: &Release, info: &str, entries: Vec<Entry<'_>>) -> Outcome<Vec<u8>> {
    // The list of all files comes last, and names itself without a hash.
    let mut record = String::new();
    for entry in &entries {
        let (hash, size) = (encode_for_addresses(&hash_bytes(entry.bytes())), entry.bytes().len());
        let _ = writeln!(record, "{},sha256={hash},{size}", entry.path());
    }
    let _ = writeln!(record, "{info}/RECORD,,");
    let mut entries: Vec<Entry<'_>> = entries;
    entries.push(Entry::file(format!("{info}/RECORD"), record.as_bytes()));
    write_zip(&entries, release.epoch, release.level)
}

/// The metadata, with the page of the project below it.
fn write_metadata(release: &Release) -> String {
    let rows = [
        ("Metadata-Version", "2.4"),
        ("Name", "m1nd"),
        ("Version", &release.version),
        ("Summary", DESCRIPTION),
        ("Keywords", "mcp,agents,code-graph,code-search"),
        ("License-Expression", "MIT OR Apache-2.0"),
        ("License-File", "LICENSE-APACHE"),
        ("License-File", "LICENSE-MIT"),
        ("License-File", "THIRD-PARTY.txt"),
        ("Classifier", "Environment :: Console"),
        ("Classifier", "Intended Audience :: Developers"),
        ("Classifier", "Programming Language :: Rust"),
        ("Classifier", "Topic :: Software Development"),
        ("Project-URL", &format!("Source, {}", release.repository)),
        ("Requires-Python", ">=3.8"),
        ("Description-Content-Type", "text/markdown"),
    ];
    let rows = rows.map(|(name, value)| format!("{name}: {value}\n"));
    format!("{}\n{}", rows.concat(), release.page())
}
