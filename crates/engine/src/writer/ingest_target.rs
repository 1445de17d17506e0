//! Locates a requested path: its root, and the part of the root.

use std::path::{Path, PathBuf};

use m1nd_base::RepoPath;

use super::Writer;
use crate::config::{Adapter, IngestRequest, Mode};
use crate::error::EngineError;
use crate::report::RootInfo;
use crate::repositories::federation::{Federation, Member};

/// The part of the index that an ingest concerns.
pub(super) struct IngestTarget {
    /// Roots of the index afterwards.
    pub(super) roots: Vec<RootInfo>,
    /// Index of the root that is read.
    pub(super) root: usize,
    /// Folder or file inside it, if not all of it is read.
    pub(super) scope: Option<RepoPath>,
    /// The scope is a file.
    pub(super) is_file: bool,
}

impl Writer {
    /// Finds the place of a request.
    pub(super) fn place(&self, request: &IngestRequest) -> Result<IngestTarget, EngineError> {
        let path = self.absolute(&request.path)?;
        m1nd_vfs::check_not_version_control(&path)?;
        let is_file = path.is_file();
        let snapshot = self.shared.current();
        if let Some(federation) = &self.shared.config.federation {
            let mut roots = roots_of(federation, &snapshot.roots);
            // Paths are allowed below members only, and no member is inside another one.
            let number = roots.iter().position(|root| path.starts_with(&root.path));
            let number = number.ok_or_else(|| self.outside(&request.path))?;
            let scope = inner(&roots[number].path, &path);
            let has_options = request.include_hidden || !request.hidden_patterns.is_empty();
            if scope.is_none() && request.adapter == Adapter::Code && (has_options || !request.incremental) {
                roots[number].include_hidden = request.include_hidden;
                roots[number].hidden_patterns.clone_from(&request.hidden_patterns);
            }
            return Ok(IngestTarget { roots, root: number, scope, is_file });
        }
        let indexed = || snapshot.roots.iter().enumerate();
        // A path inside a root that is indexed already belongs to it: its files must not get a second id.
        let within = indexed().filter(|(_, root)| path.starts_with(&root.path));
        if let Some((number, root)) = within.max_by_key(|(_, root)| root.path.as_os_str().len()) {
            let scope = inner(&root.path, &path);
            if scope.is_some() || request.adapter != Adapter::Code {
                return Ok(IngestTarget { roots: snapshot.roots.to_vec(), root: number, scope, is_file });
            }
        }
        let allowed = self.shared.allowed.iter().filter(|allowed| path.starts_with(allowed));
        let root = match allowed.max_by_key(|allowed| allowed.as_os_str().len()) {
            Some(root) => root.clone(),
            None => return Err(self.outside(&request.path)),
        };
        // Even if only a part of the root is requested, ids are relative to the root.
        let scope = inner(&root, &path);
        let mut roots = match request.mode {
            Mode::Replace => Vec::new(),
            // Nothing is added: the data to drop is identified by the path as given.
            Mode::Drop | Mode::Merge => snapshot.roots.to_vec(),
        };
        let options = |prefix: String| RootInfo {
            path: root.clone(),
            prefix,
            include_hidden: request.include_hidden,
            hidden_patterns: request.hidden_patterns.clone(),
        };
        let number = match roots.iter().position(|known| known.path == root) {
            Some(number) => {
                roots[number] = options(roots[number].prefix.clone());
                number
            }
            None => {
                let prefix = if roots.is_empty() { String::new() } else { free_prefix(&root, &roots, &snapshot) };
                roots.push(options(prefix));
                roots.len() - 1
            }
        };
        Ok(IngestTarget { roots, root: number, scope, is_file })
    }

    /// The canonical form of a path, which must exist; relative ones start at the first allowed root.
    pub(super) fn absolute(&self, path: &Path) -> Result<PathBuf, EngineError> {
        let full = if path.is_absolute() { path.to_owned() } else { self.shared.allowed[0].join(path) };
        let lexical = normal(&full);
        if !self.shared.allowed.iter().any(|allowed| lexical.starts_with(allowed)) {
            // It may be another name of an allowed root; but nothing is revealed about paths outside, not even their
            // kind.
            let canonical = std::fs::canonicalize(&full).map_err(|_| self.outside(path))?;
            return if self.shared.allowed.iter().any(|allowed| canonical.starts_with(allowed)) {
                Ok(canonical)
            } else {
                Err(self.outside(path))
            };
        }
        let canonical = std::fs::canonicalize(&full).map_err(|_| EngineError::PathNotFound(path.to_owned()))?;
        if self.shared.allowed.iter().any(|allowed| canonical.starts_with(allowed)) {
            Ok(canonical)
        } else {
            Err(self.outside(path))
        }
    }

    fn outside(&self, path: &Path) -> EngineError {
        let allowed: Vec<String> = self.shared.allowed.iter().map(|root| format!("`{}`", root.display())).collect();
        EngineError::OutsideRoots { path: path.to_owned(), allowed: allowed.join(", ") }
    }
}

/// The roots of the index of a federation. Those in `known` keep their options.
fn roots_of(federation: &Federation, known: &[RootInfo]) -> Vec<RootInfo> {
    let root = |member: &Member| {
        let prefix = format!("{}/", member.name);
        let before = known.iter().find(|root| root.prefix == prefix && root.path == member.path);
        before.cloned().unwrap_or_else(|| RootInfo {
            path: member.path.clone(),
            prefix,
            include_hidden: false,
            hidden_patterns: Vec::new(),
        })
    };
    federation.members().iter().map(root).collect()
}

/// The path without `.` and `..`, by its text alone.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                out.pop();
            }
            std::path::Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// The path inside a root, `None` for the root itself.
fn inner(root: &Path, path: &Path) -> Option<RepoPath> {
    let inside = path.strip_prefix(root).ok()?.to_str()?;
    RepoPath::new(&inside.replace('\\', "/")).ok()
}

/// `<name>/`, with a number if that is taken by another root or by a folder of the first root.
fn free_prefix(root: &Path, roots: &[RootInfo], snapshot: &crate::state::snapshot::Snapshot) -> String {
    let name = root.file_name().and_then(|name| name.to_str()).unwrap_or("root");
    let taken = |prefix: &str| {
        let folder = prefix.trim_end_matches('/');
        roots.iter().any(|root| root.prefix == prefix) || snapshot.files.within(folder).next().is_some()
    };
    let mut prefix = format!("{name}/");
    let mut number = 2;
    while taken(&prefix) {
        prefix = format!("{name}-{number}/");
        number += 1;
    }
    prefix
}
