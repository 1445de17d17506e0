//! What a project is made with, from its files and from what people wrote.

use m1nd_base::RepoPath;
use m1nd_memory::{Evidence, Manifest, detect_stack, stack_evidence};
use m1nd_vfs::{FileMeta, Root};

/// Largest manifest that is read, in bytes.
const MAX_MANIFEST: u64 = 1 << 20;
/// Manifests that are read.
const MAX_MANIFESTS: usize = 300;

/// The tags that a project's files say, in a stable order.
pub(crate) fn detect(root: &Root, files: &[(RepoPath, FileMeta)]) -> Vec<Box<str>> {
    let evidence = files.iter().filter_map(|(path, _)| Some((path, stack_evidence(path.as_str())?)));
    let texts: Vec<(&RepoPath, String)> = evidence
        .take(MAX_MANIFESTS)
        .map(|(path, evidence)| {
            let text = match evidence {
                Evidence::Name => Vec::new(),
                Evidence::Text => root.read(path, MAX_MANIFEST).unwrap_or_default(),
            };
            (path, String::from_utf8_lossy(&text).into_owned())
        })
        .collect();
    let manifests: Vec<Manifest<'_>> =
        texts.iter().map(|(path, text)| Manifest { path: path.as_str(), text }).collect();
    detect_stack(&manifests, &[])
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
