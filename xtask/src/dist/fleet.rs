//! The archive of `m1nd-fleet`, the program of `m1nd share` and `m1nd team`: `m1nd-fleet-VERSION-TARGET.tar.gz`, or
//! `.zip` on Windows. It is apart from `m1nd`, which contains no network clients.

use std::path::Path;

use crate::Outcome;

use super::archive::pack;
use super::container::Entry;
use super::dependencies::Packages;
use super::release::{Release, read_program};
use super::sbom::Subject;
use super::targets::Target;
use super::{Product, licences, sbom};

/// The package, and its program.
pub(super) const PROGRAM: &str = "m1nd-fleet";
/// One sentence about the program.
const DESCRIPTION: &str =
    "The network clients of m1nd: shared indexes in object stores, memories of a team in PostgreSQL";
/// What the archive says about itself.
const README: &str = include_str!("fleet.md");

/// The program, and what it was built from.
pub(super) struct Fleet {
    binary: Vec<u8>,
    /// The licences of all packages in the program.
    third_party: String,
    /// The bill of materials.
    sbom: String,
}

impl Fleet {
    /// Reads the program that is beside `m1nd`.
    ///
    /// # Errors
    /// It does not exist or run here, or is not of this version.
    pub(super) fn read(m1nd: &Path, target: &Target, version: &str, epoch: u64) -> Outcome<Self> {
        let path = m1nd.with_file_name(target.program(PROGRAM));
        if !path.is_file() {
            return Err(format!("{} does not exist; build it: cargo build --package {PROGRAM}", path.display()).into());
        }
        let packages = Packages::read(target, PROGRAM)?;
        let subject = Subject { name: PROGRAM, description: DESCRIPTION, target, packages: &packages, epoch };
        Ok(Self {
            binary: read_program(&path, version)?,
            third_party: licences::write(PROGRAM, &packages)?,
            sbom: sbom::write(&subject)?,
        })
    }
}

pub(super) fn build(release: &Release) -> Outcome<Vec<Product>> {
    let Release { target, version, fleet, .. } = release;
    let top = format!("{PROGRAM}-{version}-{}", target.triple);
    let readme = README.replace("{repository}", &release.repository).replace("{version}", version);
    let mut entries = vec![
        Entry::program(format!("{top}/{}", target.program(PROGRAM)), &fleet.binary),
        Entry::file(format!("{top}/README.md"), readme.as_bytes()),
        Entry::file(format!("{top}/THIRD-PARTY.txt"), fleet.third_party.as_bytes()),
        Entry::file(format!("{top}/sbom.cdx.json"), fleet.sbom.as_bytes()),
    ];
    entries.extend(release.licences.iter().map(|(name, text)| Entry::file(format!("{top}/{name}"), text)));
    let name = target.archive_of(PROGRAM, version);
    let bill = format!("{top}.cdx.json");
    Ok(vec![
        Product { name, bytes: pack(release, entries)? },
        Product { name: bill, bytes: fleet.sbom.clone().into_bytes() },
    ])
}
