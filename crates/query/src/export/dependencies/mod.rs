//! Packages that the manifests of a project require and offer, with the versions that lock files state.
//!
//! Names are compared as the language imports them: `import_name` is the crate name with `_`, the npm name, the top
//! module of Python, the path of a Go package, a package of Java.

mod cargo;
mod go;
mod java;
mod npm;
mod python;

use std::collections::BTreeMap;

use m1nd_base::RepoPath;
use m1nd_engine::{Language, Snapshot};

/// Maximum bytes of a manifest or lock file that is read.
const MAX_BYTES: u64 = 16 << 20;

/// Where packages of a language come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ecosystem {
    /// Rust.
    Cargo,
    /// Go modules.
    Go,
    /// Java, Kotlin and Scala.
    Maven,
    /// JavaScript and TypeScript.
    Npm,
    /// Python.
    Pypi,
}

impl Ecosystem {
    /// That of a language.
    pub fn of(language: Language) -> Option<Self> {
        Some(match language.family() {
            Language::Rust => Self::Cargo,
            Language::Go => Self::Go,
            Language::Java => Self::Maven,
            Language::JavaScript => Self::Npm,
            Language::Python => Self::Pypi,
            _ => return None,
        })
    }

    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Go => "go",
            Self::Maven => "maven",
            Self::Npm => "npm",
            Self::Pypi => "pypi",
        }
    }

    /// A name as it is compared with those of manifests.
    fn import_name(self, name: &str) -> String {
        match self {
            Self::Cargo => name.replace('-', "_"),
            Self::Pypi => name.to_lowercase().replace(['-', '.'], "_"),
            Self::Go | Self::Maven | Self::Npm => name.to_owned(),
        }
    }
}

/// What a package is required for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// To run.
    Normal,
    /// To develop or test.
    Dev,
    /// To build.
    Build,
    /// If a feature is chosen, or if the user has it.
    Optional,
    /// By another requirement.
    Indirect,
}

impl Scope {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Dev => "dev",
            Self::Build => "build",
            Self::Optional => "optional",
            Self::Indirect => "indirect",
        }
    }
}

/// A package that a manifest requires.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependency {
    /// Path of the manifest.
    pub manifest: String,
    /// Its ecosystem.
    pub ecosystem: Ecosystem,
    /// Name in the registry.
    pub name: String,
    /// Name in code.
    pub import_name: String,
    /// What it is required for.
    pub scope: Scope,
    /// Versions that are accepted, as written.
    pub requirement: Option<String>,
    /// The version that is used: by the lock file, or exact in the manifest.
    pub version: Option<String>,
}

/// A package that other repositories can require.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Provided {
    /// Its ecosystem.
    pub ecosystem: Ecosystem,
    /// Name in the registry.
    pub name: String,
    /// Name in code.
    pub import_name: String,
    /// Its version, if the manifest states it.
    pub version: Option<String>,
    /// Path of the manifest.
    pub manifest: String,
}

/// What one manifest says.
#[derive(Debug, Default)]
struct Found {
    required: Vec<Required>,
    offered: Vec<Offered>,
}

/// A requirement of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Required {
    name: String,
    /// Name in code, where the manifest gives another one.
    alias: Option<String>,
    scope: Scope,
    requirement: Option<String>,
    version: Option<String>,
}

/// A package of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Offered {
    name: String,
    import_name: Option<String>,
    version: Option<String>,
}

/// The packages of a project.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Packages {
    dependencies: Vec<Dependency>,
    provides: Vec<Provided>,
}

/// The texts of manifests and lock files by path, and the paths of all files.
struct Texts<'s> {
    snapshot: &'s Snapshot,
    texts: BTreeMap<String, String>,
    locks: BTreeMap<String, Option<String>>,
}

impl Packages {
    /// Reads the manifests of a snapshot, and the lock files beside and above them. Manifests that cannot be parsed
    /// give nothing.
    pub fn read(snapshot: &Snapshot) -> Self {
        // 1. Read all manifests, since some inherit from others.
        let mut texts = Texts { snapshot, texts: BTreeMap::new(), locks: BTreeMap::new() };
        let paths: Vec<&RepoPath> =
            snapshot.files().iter().map(|file| &file.path).filter(|path| reader(path.as_str()).is_some()).collect();
        for path in paths {
            if let Some(text) = read(snapshot, path) {
                texts.texts.insert(path.as_str().to_owned(), text);
            }
        }
        // 2. Parse them, each with its lock file.
        let mut found = Self::default();
        for path in texts.texts.keys().cloned().collect::<Vec<_>>() {
            let Some((ecosystem, parse)) = reader(&path) else { continue };
            let said = parse(&mut texts, &path);
            found.dependencies.extend(said.required.into_iter().map(|row| Dependency {
                manifest: path.clone(),
                ecosystem,
                import_name: ecosystem.import_name(row.alias.as_ref().unwrap_or(&row.name)),
                name: row.name,
                scope: row.scope,
                requirement: row.requirement,
                version: row.version,
            }));
            found.provides.extend(said.offered.into_iter().map(|row| Provided {
                ecosystem,
                import_name: row.import_name.unwrap_or_else(|| ecosystem.import_name(&row.name)),
                name: row.name,
                version: row.version,
                manifest: path.clone(),
            }));
        }
        // 3. Put the rows in an order that depends on nothing else.
        found.dependencies.sort();
        found.dependencies.dedup();
        found.provides.sort();
        found.provides.dedup();
        found
    }

    /// What manifests require, by manifest.
    pub fn dependencies(&self) -> &[Dependency] {
        &self.dependencies
    }

    /// What other repositories can require.
    pub fn provides(&self) -> &[Provided] {
        &self.provides
    }

    /// The requirement that brings a package to a file: of the nearest manifest above the file that names it.
    pub fn find_dependency(&self, ecosystem: Ecosystem, file: &str, package: &str) -> Option<&Dependency> {
        let wanted = ecosystem.import_name(package);
        let fits = |row: &&Dependency| {
            row.ecosystem == ecosystem
                && match ecosystem {
                    Ecosystem::Go => wanted
                        .strip_prefix(&row.import_name)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
                    _ => row.import_name == wanted,
                }
        };
        let rank = |row: &&Dependency| {
            let folder = folder_of(&row.manifest);
            is_below(file, folder).then_some((folder.len(), row.import_name.len(), std::cmp::Reverse(row.scope)))
        };
        let rows = self.dependencies.iter().filter(fits);
        rows.filter_map(|row| Some((rank(&row)?, row))).max_by_key(|(rank, _)| *rank).map(|(_, row)| row)
    }
}

type Parse = fn(&mut Texts<'_>, &str) -> Found;

/// The ecosystem of a manifest and what reads it; `None` for other files.
fn reader(path: &str) -> Option<(Ecosystem, Parse)> {
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(match name {
        "Cargo.toml" => (Ecosystem::Cargo, cargo::parse),
        "go.mod" => (Ecosystem::Go, go::parse),
        "pom.xml" => (Ecosystem::Maven, java::parse_maven),
        "build.gradle" | "build.gradle.kts" => (Ecosystem::Maven, java::parse_gradle),
        "package.json" => (Ecosystem::Npm, npm::parse),
        "pyproject.toml" => (Ecosystem::Pypi, python::parse_project),
        "setup.cfg" => (Ecosystem::Pypi, python::parse_config),
        _ if name.starts_with("requirements") && name.ends_with(".txt") => (Ecosystem::Pypi, python::parse_list),
        _ => return None,
    })
}

fn read(snapshot: &Snapshot, path: &RepoPath) -> Option<String> {
    let (root, inner) = snapshot.locate(path)?;
    String::from_utf8(root.read(&inner, MAX_BYTES).ok()?).ok()
}

impl Texts<'_> {
    fn text(&self, path: &str) -> &str {
        self.texts.get(path).map_or("", String::as_str)
    }

    /// The nearest file of this name beside a manifest or in a folder above. Lock files are not in the index.
    fn find_lock(&mut self, manifest: &str, name: &str) -> Option<&str> {
        let path = folders(manifest).map(|folder| join(folder, name)).find(|path| self.load(path).is_some())?;
        self.locks.get(&path)?.as_deref()
    }

    fn load(&mut self, path: &str) -> Option<&str> {
        if !self.locks.contains_key(path) {
            let text = RepoPath::new(path).ok().and_then(|path| read(self.snapshot, &path));
            self.locks.insert(path.to_owned(), text);
        }
        self.locks.get(path)?.as_deref()
    }

    /// Paths of all files below a folder.
    fn files_below<'t>(&'t self, folder: &'t str) -> impl Iterator<Item = &'t str> {
        let paths = self.snapshot.files().iter().map(|file| file.path.as_str());
        paths.filter(move |path| is_below(path, folder))
    }
}

/// The folder of a file; empty for the root.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folder of a file and all above, innermost first.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder_of(path));
    std::iter::from_fn(move || {
        let folder = next?;
        next = (!folder.is_empty()).then(|| folder_of(folder));
        Some(folder)
    })
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
