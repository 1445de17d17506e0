//! The package for Debian and Ubuntu.

use crate::Outcome;
use crate::product::DESCRIPTION;

use super::Product;
use super::container::{Entry, list_folders, write_ar, write_gzip, write_tar};
use super::release::Release;

/// Revision of the packaging.
const REVISION: &str = "1";
/// Shells with completions, and the folder of each.
const COMPLETIONS: &[(&str, &str)] = &[
    ("m1nd.bash", "usr/share/bash-completion/completions/m1nd"),
    ("_m1nd", "usr/share/zsh/vendor-completions/_m1nd"),
    ("m1nd.fish", "usr/share/fish/vendor_completions.d/m1nd.fish"),
];
/// What the package manager shows about the package.
const SYNOPSIS: &str = "graph of code for coding agents
 m1nd indexes a repository on this machine and answers over MCP, or on the
 command line: where something is, who calls it, what breaks if it changes.";
/// Package of each library that a program may need. All others are part of libc6.
const LIBRARIES: &[(&str, &str)] = &[("libgcc_s.so.1", "libgcc-s1")];

pub(super) fn build(release: &Release) -> Outcome<Vec<Product>> {
    let Some(architecture) = release.target.debian else { return Ok(Vec::new()) };
    let man = write_gzip(&release.man, release.level)?;
    let changes = write_gzip(include_bytes!("../../../CHANGELOG.md"), release.level)?;
    let copyright = write_copyright(release);
    // The files of the package.
    let mut entries = vec![
        Entry::program("./usr/bin/m1nd", &release.binary),
        Entry::link("./usr/bin/mind", "m1nd"),
        Entry::file("./usr/share/man/man1/m1nd.1.gz", &man),
        Entry::file("./usr/share/doc/m1nd/copyright", copyright.as_bytes()),
        Entry::file("./usr/share/doc/m1nd/changelog.gz", &changes),
        Entry::file("./usr/share/doc/m1nd/THIRD-PARTY.txt", release.third_party.as_bytes()),
        Entry::file("./usr/share/doc/m1nd/sbom.cdx.json", release.sbom.as_bytes()),
    ];
    for (name, path) in COMPLETIONS {
        let text = release.completions.iter().find(|(file, _)| file == name).map(|(_, text)| text);
        entries.push(Entry::file(format!("./{path}"), text.ok_or_else(|| format!("missing completions: {name}"))?));
    }
    let size: usize = entries.iter().map(|entry| entry.bytes().len()).sum();
    entries.extend(list_folders(&entries));
    let data = write_tar(entries, release.epoch, release.level)?;
    // What the package manager reads.
    let control = write_control(release, architecture, size);
    let control = write_tar(vec![Entry::file("./control", control.as_bytes())], release.epoch, release.level)?;
    let members: [(&str, &[u8]); 3] =
        [("debian-binary", b"2.0\n"), ("control.tar.gz", &control), ("data.tar.gz", &data)];
    let name = format!("m1nd_{}-{REVISION}_{architecture}.deb", release.version);
    Ok(vec![Product { name, bytes: write_ar(&members, release.epoch) }])
}

/// Describes the package.
fn write_control(release: &Release, architecture: &str, size: usize) -> String {
    let mut depends = Vec::new();
    if let Some(needs) = &release.needs {
        depends.extend(needs.glibc.map(|(major, minor)| format!("libc6 (>= {major}.{minor})")));
        let packages = LIBRARIES.iter().filter(|(library, _)| needs.libraries.iter().any(|name| name == library));
        depends.extend(packages.map(|(_, package)| (*package).to_owned()));
    }
    let rows = [
        ("Package", "m1nd".to_owned()),
        ("Version", format!("{}-{REVISION}", release.version)),
        ("Architecture", architecture.to_owned()),
        ("Maintainer", format!("m1nd maintainers <{}@users.noreply.github.com>", release.owner())),
        ("Installed-Size", size.div_ceil(1024).to_string()),
        ("Depends", depends.join(", ")),
        ("Section", "devel".to_owned()),
        ("Priority", "optional".to_owned()),
        ("Homepage", release.repository.clone()),
        ("Description", SYNOPSIS.to_owned()),
    ];
    let rows = rows.iter().filter(|(_, value)| !value.is_empty());
    rows.map(|(name, value)| format!("{name}: {value}\n")).collect()
}

/// Names the licences, as Debian's policy wants it.
fn write_copyright(release: &Release) -> String {
    let texts = release.licences.iter().map(|(name, text)| format!("{name}\n\n{}", String::from_utf8_lossy(text)));
    format!(
        "m1nd: {DESCRIPTION}\nSource: {}\nLicence: MIT OR Apache-2.0\nLicences of the packages it contains: THIRD-PARTY.txt\n\n{}",
        release.repository,
        texts.collect::<Vec<_>>().join("\n")
    )
}
