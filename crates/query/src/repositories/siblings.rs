//! Folders beside the roots that have the names of packages which the project uses. Of them no more is looked at than
//! whether they are there and have the mark of a repository: what is in them is for a person to allow.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use m1nd_base::RepoPath;
use m1nd_engine::{OutsidePath, Snapshot};

/// Folders listed.
const MAX_SIBLINGS: usize = 20;
/// Names that are looked for.
const MAX_NAMES: usize = 2_000;
/// Parts of a languages's own library, whose names folders have for other reasons.
const OWN: &[&str] = &["std", "core", "alloc", "test", "tests"];

/// A folder that may have a package which the project uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sibling {
    /// The folder.
    pub path: PathBuf,
    /// The package.
    pub package: String,
    /// A file that uses the package, and the line.
    pub used_in: (RepoPath, u32),
}

/// Finds such folders. `imports` are packages outside of the project with places that use them, `known` repositories
/// that are found or allowed otherwise.
pub(super) fn unread(
    snapshot: &Snapshot,
    imports: &BTreeMap<String, Vec<(RepoPath, u32)>>,
    known: &BTreeSet<&Path>,
) -> Vec<Sibling> {
    let roots: Vec<&Path> = snapshot.roots().iter().map(|root| root.path.as_path()).collect();
    let around: BTreeSet<&Path> = roots.iter().filter_map(|root| root.parent()).collect();
    let mut found: BTreeMap<PathBuf, Sibling> = BTreeMap::new();
    for (package, places) in imports.iter().take(MAX_NAMES) {
        let Some(used_in) = places.first() else { continue };
        for folder in around.iter().flat_map(|above| folders(package).into_iter().map(|name| above.join(name))) {
            let is_known = known.contains(folder.as_path())
                || roots.iter().any(|root| root.starts_with(&folder) || folder.starts_with(root));
            if found.len() >= MAX_SIBLINGS || is_known || found.contains_key(&folder) {
                continue;
            }
            if matches!(OutsidePath::at(&folder), OutsidePath::Repository { root, .. } if root == folder) {
                let sibling = Sibling { path: folder.clone(), package: package.clone(), used_in: used_in.clone() };
                found.insert(folder, sibling);
            }
        }
    }
    found.into_values().collect()
}

/// The names that the folder of a package may have.
fn folders(package: &str) -> BTreeSet<String> {
    let parts: Vec<&str> = package.split('/').collect();
    let name = match parts.as_slice() {
        // `example.com/owner/name/part`
        [host, _, name, ..] if host.contains('.') => name,
        [scope, name, ..] if scope.starts_with('@') => name,
        [name] => name,
        _ => return BTreeSet::new(),
    };
    let is_plain = name.len() > 2 && !name.starts_with('.') && !OWN.contains(name);
    let fits = is_plain && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let forms = [(*name).to_owned(), name.replace('_', "-"), name.replace('-', "_")];
    forms.into_iter().filter(|_| fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_as_packages() {
        let rows: &[(&str, &[&str])] = &[
            ("tool_kit", &["tool-kit", "tool_kit"]),
            ("@acme/tools", &["tools"]),
            ("github.com/acme/tools/v2/inner", &["tools"]),
            ("net/http", &[]),
            ("std", &[]),
            ("..", &[]),
            ("a b", &[]),
        ];
        for (package, expected) in rows {
            let found = folders(package);
            assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), *expected, "{package}");
        }
    }
}
