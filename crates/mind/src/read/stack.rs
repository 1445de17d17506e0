//! What a project is made with, from its files and from what people wrote.

use std::collections::BTreeSet;

use m1nd_base::RepoPath;
use m1nd_memory::{Evidence, Manifest, STACK_UNLISTED, detect_stack, stack_evidence};
use m1nd_vfs::{FileMeta, Root};

/// Largest manifest that is read, in bytes.
const MAX_MANIFEST: u64 = 1 << 20;
/// Manifests that are read.
const MAX_MANIFESTS: usize = 300;
/// Scripts that are looked through for where they run.
const MAX_SCRIPTS: usize = 200;

/// The tags that a project's files say, in a stable order.
pub(crate) fn detect(root: &Root, files: &[(RepoPath, FileMeta)]) -> Vec<Box<str>> {
    let evidence = |wanted: fn(Evidence) -> bool| {
        let found = files.iter().filter_map(|(path, _)| Some((path, stack_evidence(path.as_str())?)));
        found.filter(move |(_, evidence)| wanted(*evidence))
    };
    let mut named: Vec<(RepoPath, Evidence)> = evidence(|evidence| evidence != Evidence::Script)
        .take(MAX_MANIFESTS)
        .map(|(path, evidence)| (path.clone(), evidence))
        .collect();
    named.extend(list_unlisted(root, &named));
    let scripts = evidence(|evidence| evidence == Evidence::Script).take(MAX_SCRIPTS);
    let texts: Vec<(RepoPath, String)> = named
        .into_iter()
        .chain(scripts.map(|(path, evidence)| (path.clone(), evidence)))
        .map(|(path, evidence)| {
            let text = match evidence {
                Evidence::Name => Vec::new(),
                Evidence::Text | Evidence::Script => root.read(&path, MAX_MANIFEST).unwrap_or_default(),
            };
            (path, String::from_utf8_lossy(&text).into_owned())
        })
        .collect();
    let manifests: Vec<Manifest<'_>> =
        texts.iter().map(|(path, text)| Manifest { path: path.as_str(), text }).collect();
    detect_stack(&manifests, &[])
}

/// Files that say something but stand in no listing: at the top, and beside the manifests.
fn list_unlisted(root: &Root, named: &[(RepoPath, Evidence)]) -> Vec<(RepoPath, Evidence)> {
    let folder =
        |path: &RepoPath| path.as_str().rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let mut folders: BTreeSet<String> = named.iter().map(|(path, _)| folder(path)).collect();
    folders.insert(String::new());
    let paths = folders.iter().flat_map(|folder| STACK_UNLISTED.iter().map(move |name| format!("{folder}{name}")));
    let there = paths.filter_map(|path| {
        let path = RepoPath::new(&path).ok()?;
        root.own_metadata(&path).ok()?;
        let evidence = stack_evidence(path.as_str())?;
        Some((path, evidence))
    });
    there.collect()
}

/// The tags of a project: those of its files, then what people wrote that is not among them.
pub(crate) fn with_stated(detected: &[Box<str>], stated: &[Box<str>]) -> Vec<Box<str>> {
    let mut tags = detected.to_vec();
    for tag in detect_stack(&[], stated) {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}
