//! Names that repositories get if nobody gives them one.

use std::collections::BTreeSet;
use std::path::Path;

use m1nd_engine::{Member, Snapshot};
use m1nd_history::GitFolder;

/// The short name of a repository by its folder: lower case, with `-` for what is no letter or digit, and no name that
/// ids begin with.
pub fn namespace(root: &Path) -> String {
    slug(&root.file_name().map(|name| name.to_string_lossy()).unwrap_or_default())
}

/// Names for a repository, best first and without end: that of its folder; of the remote it was cloned from, alone and
/// with its owner, if its files may be read; with that of the folder above; with a number.
pub fn names_of(root: &Path, may_read: bool) -> impl Iterator<Item = String> {
    let base = namespace(root);
    let above = root.parent().map(namespace).unwrap_or_default();
    let origin = may_read.then(|| GitFolder::find(root).ok()?.origin()).flatten();
    let remote = origin.into_iter().flat_map(|(owner, name)| {
        let both = (!owner.is_empty()).then(|| slug(&format!("{owner}-{name}")));
        [Some(slug(&name)), both]
    });
    let below = format!("{above}-{base}");
    let numbered = {
        let below = below.clone();
        (2..).map(move |number| format!("{below}-{number}"))
    };
    [base].into_iter().chain(remote.flatten()).chain([below]).chain(numbered)
}

/// Names of the indexed repositories: of a federation those of its members, else that of the folder.
pub(super) fn list_taken(snapshot: &Snapshot) -> BTreeSet<String> {
    let members: BTreeSet<String> = snapshot.repositories().map(str::to_owned).collect();
    match members.is_empty() {
        true => snapshot.roots().iter().map(|root| namespace(&root.path)).collect(),
        false => members,
    }
}

fn slug(name: &str) -> String {
    let name = name.to_lowercase();
    let slug: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    let slug = slug.trim_matches('-');
    match Member::can_be_named(slug) {
        true => slug.to_owned(),
        false => format!("repo-{slug}").trim_end_matches('-').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_the_folder_then_the_remote_then_the_folder_above() {
        let tree = tempfile::tempdir().expect("a folder");
        let root = tree.path().join("work/Service.API");
        let rows = [
            ("git@github.com:acme/billing.git", Some(["billing", "acme-billing"])),
            ("https://example.com/acme/billing/", Some(["billing", "acme-billing"])),
            ("../mirrors/billing.git", Some(["billing", "mirrors-billing"])),
            ("", None),
        ];
        for (address, remote) in rows {
            std::fs::create_dir_all(root.join(".git")).expect("a folder");
            std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").expect("a file");
            let config = format!("[core]\n\turl = no\n[remote \"origin\"]\n\turl = {address}\n");
            std::fs::write(root.join(".git/config"), config).expect("a file");
            let found: Vec<String> = names_of(&root, true).take(5).collect();
            let mut expected = vec!["service-api"];
            expected.extend(remote.iter().flatten());
            expected.extend(["work-service-api", "work-service-api-2", "work-service-api-3", "work-service-api-4"]);
            expected.truncate(5);
            assert_eq!(found, expected, "{address}");
            let unread: Vec<String> = names_of(&root, false).take(2).collect();
            assert_eq!(unread, ["service-api", "work-service-api"], "a folder that may not be read");
        }
    }
}
