//! The list of packages: registry, version, licence.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{licence, sources};
use crate::Outcome;

const HEADER: &str = "registry\tname\tversion\tlicence\tuse";
/// Placeholder in the list for an unknown value.
const UNKNOWN: &str = "-";

/// Registry of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Registry {
    Crates,
    /// Binary packages that contain sources.
    Debian,
    /// Source packages.
    DebianSource,
    Npm,
    Pypi,
}

impl Registry {
    const ALL: [Self; 5] = [Self::Crates, Self::Debian, Self::DebianSource, Self::Npm, Self::Pypi];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Crates => "crates.io",
            Self::Debian => "debian",
            Self::DebianSource => "debian-source",
            Self::Npm => "npm",
            Self::Pypi => "pypi",
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Package {
    pub(super) registry: Registry,
    pub(super) name: String,
    /// `None` before the first fetch, which takes the newest.
    pub(super) version: Option<String>,
    pub(super) licence: Option<String>,
    pub(super) is_held_out: bool,
}

pub(super) fn read(path: &Path) -> Outcome<Vec<Package>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    text.lines().skip(1).map(|line| row(line).ok_or_else(|| format!("not a package: `{line}`").into())).collect()
}

fn row(line: &str) -> Option<Package> {
    let [registry, name, version, licence, usage] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
    let known = |text: &str| (text != UNKNOWN).then(|| text.to_owned());
    Some(Package {
        registry: Registry::ALL.into_iter().find(|other| other.word() == registry)?,
        name: name.to_owned(),
        version: known(version),
        licence: known(licence),
        is_held_out: match usage {
            "train" => false,
            "test" => true,
            _ => return None,
        },
    })
}

pub(super) fn write(path: &Path, packages: &[Package]) -> Outcome<()> {
    let mut rows: Vec<&Package> = packages.iter().collect();
    rows.sort_by(|a, b| (a.registry, &a.name).cmp(&(b.registry, &b.name)));
    let mut text = format!("{HEADER}\n");
    for package in rows {
        let or_unknown = |text: &Option<String>| text.clone().unwrap_or_else(|| UNKNOWN.to_owned());
        let usage = if package.is_held_out { "test" } else { "train" };
        let (version, licence) = (or_unknown(&package.version), or_unknown(&package.licence));
        let (registry, name) = (package.registry.word(), &package.name);
        text.push_str(&format!("{registry}\t{name}\t{version}\t{licence}\t{usage}\n"));
    }
    fs::write(path, text)?;
    Ok(())
}

/// Adds versions and licences of fetched packages, and drops packages that are missing or not permissive.
///
/// # Errors
/// A licence that differs from the list.
pub(super) fn complete(packages: &mut Vec<Package>, cache: &Path) -> Outcome<()> {
    let mut kept = Vec::new();
    for mut package in packages.drain(..) {
        let folder = sources(cache, package.registry, &package.name);
        let Some((version, written)) = metadata(package.registry, &folder) else {
            println!("left out: {} {}: not fetched, or without metadata", package.registry.word(), package.name);
            continue;
        };
        let Some(licence) = licence::permissive(&written) else {
            println!("left out: {} {}: licence `{}`", package.registry.word(), package.name, written.trim());
            continue;
        };
        if package.licence.as_ref().is_some_and(|listed| *listed != licence) {
            return Err(format!("{}: listed as {:?}, found {licence}", package.name, package.licence).into());
        }
        package.licence = Some(licence);
        package.version = Some(version);
        kept.push(package);
    }
    *packages = kept;
    Ok(())
}

/// Version and licence according to the package.
fn metadata(registry: Registry, folder: &Path) -> Option<(String, String)> {
    match registry {
        Registry::Npm => {
            let value: Value =
                serde_json::from_str(&fs::read_to_string(folder.join("package/package.json")).ok()?).ok()?;
            let licence = value["license"].as_str().or(value["license"]["type"].as_str());
            let licence = licence.or(value["licenses"][0]["type"].as_str())?;
            Some((value["version"].as_str()?.to_owned(), licence.to_owned()))
        }
        Registry::Crates => {
            let text = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
            let value = |key: &str| {
                let line =
                    text.lines().find(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(" = \"")))?;
                line.split('"').nth(1).map(str::to_owned)
            };
            Some((value("version")?, value("license")?))
        }
        Registry::Pypi => python_metadata(folder),
        Registry::Debian | Registry::DebianSource => {
            let version = fs::read_to_string(folder.join("version")).ok()?.trim().to_owned();
            let copyright = fs::read_to_string(folder.join("copyright")).ok()?;
            Some((version, debian_licence(&copyright)?))
        }
    }
}

fn python_metadata(folder: &Path) -> Option<(String, String)> {
    let entries = fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let info = entries.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|ext| ext == "dist-info"))?;
    let text = fs::read_to_string(info.join("METADATA")).ok()?;
    let head = text.split("\n\n").next()?;
    let value = |key: &str| head.lines().find_map(|line| line.strip_prefix(key)).map(|value| value.trim().to_owned());
    let classifier =
        head.lines().filter_map(|line| line.strip_prefix("Classifier: License :: OSI Approved :: ")).next();
    let candidates = [value("License-Expression:"), classifier.map(str::to_owned), value("License:")];
    let candidates: Vec<String> = candidates.into_iter().flatten().filter(|text| text.len() < 100).collect();
    let best = candidates.iter().find(|text| licence::permissive(text).is_some()).or(candidates.first())?;
    Some((value("Version:")?, best.clone()))
}

/// The licence of all files without one of their own.
fn debian_licence(copyright: &str) -> Option<String> {
    let stanza = copyright.split("\n\n").find(|stanza| {
        stanza.lines().any(|line| {
            line.strip_prefix("Files:").is_some_and(|files| files.trim().split(' ').any(|file| file == "*"))
        })
    })?;
    stanza.lines().find_map(|line| line.strip_prefix("License:")).map(|name| name.trim().to_owned())
}
