//! Frames in installed packages that belong to the project: faults of a library are reported from its installed
//! location.

use m1nd_base::RepoPath;
use m1nd_trace::{Frame, Origin};
use rustc_hash::{FxHashMap, FxHashSet};

use super::map::parts;
use m1nd_engine::Snapshot;

/// Manifests that are read for their names.
const MAX_MANIFESTS: usize = 2_000;

/// Package ecosystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Registry {
    Npm,
    Cargo,
    Go,
}

impl Registry {
    const fn manifest(self) -> &'static str {
        match self {
            Self::Npm => "package.json",
            Self::Cargo => "Cargo.toml",
            Self::Go => "go.mod",
        }
    }

    /// The name that a manifest gives its package.
    fn name(self, text: &str) -> Option<String> {
        match self {
            Self::Npm => {
                let manifest: serde_json::Value = serde_json::from_str(text).ok()?;
                Some(manifest.get("name")?.as_str()?.to_owned())
            }
            Self::Cargo => {
                let manifest: toml::Table = text.parse().ok()?;
                Some(manifest.get("package")?.get("name")?.as_str()?.to_owned())
            }
            Self::Go => {
                let line = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
                let name = line.split("//").next().unwrap_or_default().trim().trim_matches('"');
                (!name.is_empty()).then(|| name.to_owned())
            }
        }
    }
}

/// A path in a folder of installed packages.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Installed<'p> {
    registry: Registry,
    package: String,
    /// The path within the package.
    rest: Vec<&'p str>,
}

impl<'p> Installed<'p> {
    /// Reads the package from where it is installed.
    pub(super) fn of(path: &'p str) -> Option<Self> {
        let parts = parts(path);
        npm(&parts).or_else(|| go(&parts)).or_else(|| cargo(&parts))
    }
}

fn npm<'p>(parts: &[&'p str]) -> Option<Installed<'p>> {
    let below = &parts[parts.iter().rposition(|part| *part == "node_modules")? + 1..];
    let names = if below.first()?.starts_with('@') { 2 } else { 1 };
    let (package, rest) = below.split_at_checked(names)?;
    Some(Installed { registry: Registry::Npm, package: package.join("/"), rest: rest.to_vec() })
}

/// `…/pkg/mod/github.com/!burnt!sushi/toml@v1.2.0/decode.go`: capital letters are written with a mark before them.
fn go<'p>(parts: &[&'p str]) -> Option<Installed<'p>> {
    let at = parts.windows(2).position(|pair| pair == ["pkg", "mod"])? + 2;
    let end = at + parts[at..].iter().position(|part| part.contains('@'))?;
    let last = parts[end].split('@').next().unwrap_or_default();
    let written = [&parts[at..end], &[last]].concat().join("/");
    let mut package = String::with_capacity(written.len());
    let mut marked = false;
    for c in written.chars() {
        match c {
            '!' => marked = true,
            c if marked => {
                package.extend(c.to_uppercase());
                marked = false;
            }
            c => package.push(c),
        }
    }
    Some(Installed { registry: Registry::Go, package, rest: parts[end + 1..].to_vec() })
}

/// `…/registry/src/<index>/clap-3.0.9/src/lib.rs`.
fn cargo<'p>(parts: &[&'p str]) -> Option<Installed<'p>> {
    let at = parts.windows(2).position(|pair| pair == ["registry", "src"])? + 3;
    let folder = parts.get(at)?;
    let starts_version = |(at, _): &(usize, &str)| {
        let after = &folder[at + 1..];
        after.starts_with(|c: char| c.is_ascii_digit()) && after.contains('.')
    };
    let (end, _) = folder.match_indices('-').find(starts_version)?;
    Some(Installed { registry: Registry::Cargo, package: folder[..end].to_owned(), rest: parts[at + 1..].to_vec() })
}

/// Packages of the project.
#[derive(Default)]
pub(super) struct Packages {
    /// The folders that have them, `""` for a root.
    folders: FxHashMap<(Registry, String), Vec<String>>,
}

impl Packages {
    /// Reads the manifests of those registries that frames are installed from.
    pub(super) fn new<'f>(snapshot: &Snapshot, frames: impl Iterator<Item = &'f Frame>) -> Self {
        let installed = frames.filter(|frame| frame.origin == Origin::Vendored);
        let registries: FxHashSet<Registry> =
            installed.filter_map(|frame| Some(Installed::of(frame.path.as_deref()?)?.registry)).collect();
        let mut folders: FxHashMap<(Registry, String), Vec<String>> = FxHashMap::default();
        if registries.is_empty() {
            return Self { folders };
        }
        let registry_of = |name: &str| registries.iter().copied().find(|registry| registry.manifest() == name);
        let files = snapshot.files().iter();
        let manifests = files.filter_map(|file| Some((&file.path, registry_of(file.path.file_name())?)));
        for (path, registry) in manifests.take(MAX_MANIFESTS) {
            let name = snapshot.read_file(path).ok().and_then(|source| registry.name(&source.text));
            if let Some(name) = name {
                folders.entry((registry, name)).or_default().push(path.parent().to_owned());
            }
        }
        Self { folders }
    }

    /// Sources of an installed path, if its package belongs to the project.
    pub(super) fn folders<'p>(&self, path: &'p str) -> Option<Folders<'p>> {
        let Installed { registry, package, rest } = Installed::of(path)?;
        let key = (registry, package);
        let folders = self.folders.get(&key)?.clone();
        Some(Folders { package: key.1, folders, rest })
    }
}

/// Sources of an installed path.
pub(super) struct Folders<'p> {
    /// Name of its package.
    pub(super) package: String,
    /// The folders that have the package, `""` for a root.
    pub(super) folders: Vec<String>,
    /// The path within the package.
    pub(super) rest: Vec<&'p str>,
}

impl Folders<'_> {
    /// The files that it may be; they need not exist.
    pub(super) fn files(&self) -> Vec<String> {
        let join = |folder: &String| {
            let parts =
                std::iter::once(folder.as_str()).filter(|folder| !folder.is_empty()).chain(self.rest.iter().copied());
            parts.collect::<Vec<_>>().join("/")
        };
        self.folders.iter().map(join).filter(|file| RepoPath::new(file).is_ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_installed_paths() {
        let cases = [
            ("/app/node_modules/express/lib/view.js", Some((Registry::Npm, "express", "lib/view.js"))),
            ("/a/node_modules/.pnpm/@x+y@1.0.0/node_modules/@x/y/a.js", Some((Registry::Npm, "@x/y", "a.js"))),
            ("C:\\app\\node_modules\\a\\b.js", Some((Registry::Npm, "a", "b.js"))),
            (
                "/go/pkg/mod/github.com/!burnt!sushi/toml@v1.2.0/decode.go",
                Some((Registry::Go, "github.com/BurntSushi/toml", "decode.go")),
            ),
            (
                "/go/pkg/mod/github.com/go-chi/chi/v5@v5.0.10/mux.go",
                Some((Registry::Go, "github.com/go-chi/chi/v5", "mux.go")),
            ),
            (
                "/h/.cargo/registry/src/index.crates.io-6f17/grep-cli-0.1.10/src/lib.rs",
                Some((Registry::Cargo, "grep-cli", "src/lib.rs")),
            ),
            ("/h/.cargo/registry/src/index/odd/src/lib.rs", None),
            ("/app/node_modules", None),
            ("src/lib.rs", None),
        ];
        for (path, expected) in cases {
            let found = Installed::of(path);
            let found = found.as_ref().map(|one| (one.registry, one.package.as_str(), one.rest.join("/")));
            assert_eq!(found, expected.map(|(registry, name, rest)| (registry, name, rest.to_owned())), "{path}");
        }
    }

    #[test]
    fn names_in_manifests() {
        let cases = [
            (Registry::Npm, r#"{"name": "@x/y"}"#, Some("@x/y")),
            (Registry::Npm, "{", None),
            (Registry::Cargo, "[package]\nname = \"a\"\n", Some("a")),
            (Registry::Cargo, "[workspace]\nmembers = []\n", None),
            (Registry::Go, "// Package\nmodule github.com/a/b/v2 // x\n\ngo 1.22\n", Some("github.com/a/b/v2")),
        ];
        for (registry, text, expected) in cases {
            assert_eq!(registry.name(text).as_deref(), expected, "{text}");
        }
    }
}
