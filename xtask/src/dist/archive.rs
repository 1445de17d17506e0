//! The archive for everybody without a package manager: `m1nd-VERSION-TARGET.tar.gz`, or `.zip` on Windows.

use crate::Outcome;

use super::Product;
use super::container::{Entry, list_folders, write_tar, write_zip};
use super::release::Release;

pub(super) fn build(release: &Release) -> Outcome<Vec<Product>> {
    let target = release.target;
    let top = format!("m1nd-{}-{}", release.version, target.triple);
    let mut entries = vec![
        Entry::program(format!("{top}/{}", target.program("m1nd")), &release.binary),
        Entry::file(format!("{top}/README.md"), include_bytes!("../../../README.md")),
        Entry::file(format!("{top}/man/man1/m1nd.1"), &release.man),
        Entry::file(format!("{top}/THIRD-PARTY.txt"), release.third_party.as_bytes()),
        Entry::file(format!("{top}/sbom.cdx.json"), release.sbom.as_bytes()),
    ];
    entries.extend(release.licences.iter().map(|(name, text)| Entry::file(format!("{top}/{name}"), text)));
    let completions = release.completions.iter();
    entries.extend(completions.map(|(name, text)| Entry::file(format!("{top}/completions/{name}"), text)));
    match &release.mind {
        Some(mind) => entries.push(Entry::program(format!("{top}/{}", target.program("mind")), mind)),
        None => entries.push(Entry::link(format!("{top}/mind"), "m1nd")),
    }
    Ok(vec![Product { name: target.archive(&release.version), bytes: pack(release, entries)? }])
}

/// Writes an archive in the form of the platform.
pub(super) fn pack(release: &Release, mut entries: Vec<Entry<'_>>) -> Outcome<Vec<u8>> {
    if release.target.is_windows() {
        entries.sort_by(|a, b| a.path().cmp(b.path()));
        write_zip(&entries, release.epoch, release.level)
    } else {
        entries.extend(list_folders(&entries));
        write_tar(entries, release.epoch, release.level)
    }
}
