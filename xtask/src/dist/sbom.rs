//! A bill of materials in the format CycloneDX: every package in the binary, with version, licence and checksum.

use serde_json::{Value, json};

use crate::Outcome;

use super::Product;
use super::container::hash_bytes;
use super::dependencies::{Package, Packages, Row};
use super::release::Release;
use super::targets::Target;

/// Version of the format.
const VERSION: &str = "1.6";

/// Writes the bill as a file of its own, for scanners that do not unpack the archive.
pub(super) fn build(release: &Release) -> Outcome<Vec<Product>> {
    let name = format!("m1nd-{}-{}.cdx.json", release.version, release.target.triple);
    Ok(vec![Product { name, bytes: release.sbom.clone().into_bytes() }])
}

/// What a bill is about.
pub(super) struct Subject<'a> {
    /// Name of the program.
    pub(super) name: &'a str,
    /// What it does, in a sentence.
    pub(super) description: &'a str,
    pub(super) target: &'a Target,
    /// What it is built from.
    pub(super) packages: &'a Packages,
    /// The time of the bill, in seconds.
    pub(super) epoch: u64,
}

/// Writes the bill of a program as text.
pub(super) fn write(subject: &Subject<'_>) -> Outcome<String> {
    let packages = subject.packages;
    let version = &packages.root.version;
    let rows = &packages.rows;
    let name = |index: &usize| reference(&rows[*index].package);
    let depend = |package: &Package, uses: &[usize]| json!({"ref": reference(package), "dependsOn": uses.iter().map(name).collect::<Vec<_>>()});
    let mut dependencies = vec![depend(&packages.root, &packages.direct)];
    dependencies.extend(rows.iter().map(|row| depend(&row.package, &row.uses)));
    let time = jiff::Timestamp::from_second(i64::try_from(subject.epoch)?)?.to_string();
    let mut bill = json!({
        "$schema": format!("http://cyclonedx.org/schema/bom-{VERSION}.schema.json"),
        "bomFormat": "CycloneDX",
        "specVersion": VERSION,
        "serialNumber": "",
        "version": 1,
        "metadata": {
            "timestamp": time,
            "tools": {"components": [{"type": "application", "name": "cargo xtask dist", "version": version}]},
            "component": {
                "type": "application",
                "bom-ref": reference(&packages.root),
                "name": subject.name,
                "version": version,
                "description": subject.description,
                "licenses": [{"expression": packages.root.licence()}],
                "purl": reference(&packages.root),
                "properties": [{"name": "target", "value": subject.target.triple}],
            },
        },
        "components": rows.iter().map(component).collect::<Vec<_>>(),
        "dependencies": dependencies,
    });
    // The number is that of the content, so that the same packages have the same number.
    bill["serialNumber"] = format!("urn:uuid:{}", write_uuid(hash_bytes(bill.to_string().as_bytes()))).into();
    Ok(format!("{bill:#}\n"))
}

fn component(row: &Row) -> Value {
    let package = &row.package;
    let mut component = json!({
        "type": "library",
        "bom-ref": reference(package),
        "name": package.name,
        "version": package.version,
        "scope": if row.is_build_only { "excluded" } else { "required" },
        "licenses": [{"expression": package.licence()}],
        "purl": reference(package),
    });
    if let Some(description) = &package.description {
        component["description"] = description.trim().into();
    }
    if let Some(checksum) = &row.checksum {
        component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
    }
    if let Some(url) = package.repository.as_deref().filter(|url| !package.is_ours() && url.starts_with("http")) {
        component["externalReferences"] = json!([{"type": "vcs", "url": url}]);
    }
    component
}

/// The address of a package, which also identifies it within the bill.
fn reference(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version.replace('+', "%2B"))
}

/// A UUID of version 8 made of the first bytes of a hash.
fn write_uuid(hash: [u8; 32]) -> String {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}
