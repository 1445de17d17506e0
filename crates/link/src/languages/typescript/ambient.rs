//! Global names of declaration files without imports and exports (`declare const DEBUG: boolean`).

use std::collections::BTreeMap;

use super::super::paths::{folder, upwards};
use crate::tables::files::{FileId, Files};

/// Endings of declaration files.
const DECLARATIONS: &[&str] = &[".d.ts", ".d.mts", ".d.cts"];

/// The declarations of a project.
#[derive(Debug, Default, Hash)]
pub(super) struct Ambient {
    /// By name: the declaring file, and the folder below which it is part of the program.
    by_name: BTreeMap<String, Vec<(FileId, String)>>,
}

impl Ambient {
    /// Reads the declaration files. One belongs to the program of the nearest folder above it that has a manifest.
    pub(super) fn new<'a>(files: &Files<'_>, manifests: impl Iterator<Item = &'a str>) -> Self {
        let programs: Vec<&str> = manifests.map(folder).collect();
        let mut ambient = Self::default();
        for (file, path, brief) in files.all() {
            if !DECLARATIONS.iter().any(|ending| path.ends_with(ending)) {
                continue;
            }
            let program = upwards(folder(path)).find(|above| programs.contains(above)).unwrap_or("");
            for name in &brief.globals {
                let rows = ambient.by_name.entry(name.to_string()).or_default();
                if !rows.iter().any(|(known, _)| *known == file) {
                    rows.push((file, program.to_owned()));
                }
            }
        }
        ambient
    }

    /// The files of the program of `from` that declare a name.
    pub(super) fn declaring(&self, files: &Files<'_>, from: FileId, name: &str) -> Vec<FileId> {
        let Some(rows) = self.by_name.get(name) else { return Vec::new() };
        let path = files.path(from);
        let is_below =
            |above: &str| above.is_empty() || path.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'));
        let found = rows.iter().filter(|(file, program)| *file != from && is_below(program));
        found.map(|(file, _)| *file).inspect(|&file| files.see(file)).collect()
    }
}
