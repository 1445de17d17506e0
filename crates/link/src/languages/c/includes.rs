//! Resolves `#include` to files, and determines which files' names a file sees.

use std::hash::{Hash, Hasher};

use m1nd_lang::Language;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::cmake::{self, CMake};
use super::compile::{self, Command};
use super::standard;
use crate::languages::Manifests;
use crate::languages::paths::normal;
use crate::rules::{ModuleTarget, Resolver};
use crate::tables::files::{FileId, Files};

/// Files that an ambiguous include may mean; with more, none is named.
const MAX_DOUBTFUL: usize = 16;
/// Files that one file sees through includes; the rest is left out.
const MAX_VISIBLE: usize = 20_000;
/// Folders that headers are in by custom, below any folder above the including file.
const HEADER_FOLDERS: &[&str] = &["", "include/", "inc/", "src/"];

/// The include graph of the project.
pub(super) struct Includes {
    of: FxHashMap<FileId, OfFile>,
    targets: FxHashMap<FileId, String>,
}

/// What a file includes.
struct OfFile {
    includes: Vec<Include>,
    /// Hash of its includes with their targets, and of its own target.
    fingerprint: u64,
}

/// One `#include`.
struct Include {
    written: String,
    target: ModuleTarget,
}

/// Project data for include resolution.
struct Ground<'a> {
    by_path: FxHashMap<&'a str, FileId>,
    by_name: FxHashMap<&'a str, Vec<&'a str>>,
    commands: FxHashMap<String, Command>,
    /// Include folders of all commands, for headers and files without a command.
    shared: Command,
    /// Folders that are repositories, if there are several.
    repositories: Vec<&'a str>,
    /// What CMake says of each of them.
    cmake: FxHashMap<&'a str, CMake>,
}

impl Includes {
    /// Reads the includes of all files.
    pub(super) fn new(files: &Files<'_>, manifests: &Manifests) -> Self {
        let all: Vec<_> = files
            .all()
            .into_iter()
            .filter(|(.., brief)| matches!(brief.language, Language::C | Language::Cpp))
            .collect();
        // Headers are found by their path, or by their name if that is all there is.
        let mut by_path = FxHashMap::default();
        let mut by_name: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
        for &(file, path, _) in &all {
            by_path.insert(path, file);
            by_name.entry(path.rsplit('/').next().unwrap_or(path)).or_default().push(path);
        }
        let (commands, shared, repositories) = (FxHashMap::default(), Command::default(), files.roots().collect());
        let cmake = FxHashMap::default();
        let mut ground = Ground { by_path, by_name, commands, shared, repositories, cmake };
        // Compile commands say where a compiler looks; cmake says what other repositories offer.
        for (path, text) in manifests {
            if path.rsplit('/').next() == Some(compile::FILE_NAME) {
                let found = compile::commands(path, text, &|path| ground.by_path.contains_key(path));
                ground.commands.extend(found);
            }
            if path.rsplit('/').next() == Some(cmake::FILE_NAME) && ground.repositories.len() > 1 {
                ground.cmake.entry(files.root_of(path)).or_default().add(path, text);
            }
        }
        ground.shared = ground.shared_folders();
        let mut of: FxHashMap<FileId, OfFile> = FxHashMap::default();
        let mut targets = FxHashMap::default();
        for &(file, path, brief) in &all {
            let mut includes = Vec::new();
            let mut hasher = FxHasher::default();
            for (written, is_system) in &brief.includes {
                // Several files may be meant; none of them is chosen.
                let found = ground.find(path, written, *is_system);
                let target = match found.as_slice() {
                    [] => ModuleTarget::External(standard::package(written)),
                    [one] => ModuleTarget::File(*one),
                    many => ModuleTarget::Files(many.to_vec()),
                };
                // What the includes lead to is the surface of the file to the rest of the linker.
                (written, paths_of(files, &found)).hash(&mut hasher);
                let is_own = !is_system && found.is_empty() && !standard::is_header(written);
                let target = if is_own { ModuleTarget::NotFound } else { target };
                includes.push(Include { written: written.to_string(), target });
            }
            let target = ground.commands.get(path).and_then(|command| command.target.clone());
            target.hash(&mut hasher);
            targets.extend(target.map(|target| (file, target)));
            of.insert(file, OfFile { includes, fingerprint: hasher.finish() });
        }
        Self { of, targets }
    }

    fn includes(&self, file: FileId) -> &[Include] {
        self.of.get(&file).map_or(&[], |of| &of.includes)
    }

    /// Files that `from` sees through its includes, nearest first; with those that an ambiguous include may bring if
    /// `doubtful`.
    fn visible(&self, from: FileId, doubtful: bool) -> Vec<FileId> {
        let mut seen: FxHashSet<FileId> = FxHashSet::default();
        seen.insert(from);
        let mut found = vec![from];
        let mut next = 0;
        while next < found.len() && found.len() < MAX_VISIBLE {
            for include in self.includes(found[next]) {
                let files: &[FileId] = match &include.target {
                    ModuleTarget::File(file) => std::slice::from_ref(file),
                    ModuleTarget::Files(files) if doubtful => files,
                    _ => &[],
                };
                found.extend(files.iter().copied().filter(|file| seen.insert(*file)));
            }
            next += 1;
        }
        found.remove(0);
        found
    }
}

fn paths_of<'f>(files: &Files<'f>, found: &[FileId]) -> Vec<&'f str> {
    found.iter().map(|file| files.path(*file)).collect()
}

impl Ground<'_> {
    fn shared_folders(&self) -> Command {
        let mut rows: Vec<(&String, &Command)> = self.commands.iter().collect();
        rows.sort_by_key(|(path, _)| *path);
        let mut shared = Command::default();
        for (_, command) in rows {
            for dir in command.quote.iter().chain(&command.all) {
                if !shared.all.contains(dir) {
                    shared.all.push(dir.clone());
                }
            }
        }
        shared
    }

    /// The files that an include may refer to: one if a rule decides, several if only the name is known.
    fn find(&self, from: &str, written: &str, system: bool) -> Vec<FileId> {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let at = |folder: &str| {
            let path = normal(&if folder.is_empty() { written.to_owned() } else { format!("{folder}/{written}") })?;
            self.by_path.get(path.as_str()).copied()
        };
        if !system && let Some(file) = at(folder) {
            return vec![file];
        }
        let own = self.commands.get(from);
        let command = own.unwrap_or(&self.shared);
        let quote = command.quote.iter().filter(|_| !system);
        if let Some(file) = quote.chain(&command.all).find_map(|dir| at(dir)) {
            return vec![file];
        }
        // A compile command is complete, and so is the name of a standard header.
        if own.is_some() && system || standard::is_header(written) {
            return Vec::new();
        }
        self.by_custom(folder, written, system)
    }

    fn repository_of(&self, path: &str) -> &str {
        let first = path.split('/').next().unwrap_or(path);
        self.repositories.iter().find(|name| **name == first).copied().unwrap_or_default()
    }

    /// Headers of the repository of a file; if it has none, those of others that are where headers for others are.
    fn of_repositories<'p>(&self, folder: &str, clean: &str, system: bool, candidates: Vec<&'p str>) -> Vec<&'p str> {
        let own = self.repository_of(folder);
        let (inside, outside): (Vec<&str>, Vec<&str>) =
            candidates.into_iter().partition(|path| self.repository_of(path) == own);
        // A name alone in quotes means a header of one's own, which may be made by the build.
        if !inside.is_empty() || !clean.contains('/') && !system {
            return inside;
        }
        let is_public = |path: &&str| {
            let inner = path.strip_prefix(self.repository_of(path)).and_then(|rest| rest.strip_prefix('/'));
            let before = inner.and_then(|inner| inner.strip_suffix(clean));
            let is_by_custom =
                before.is_some_and(|before| HEADER_FOLDERS.contains(&before) || before.ends_with("/include/"));
            is_by_custom || self.is_offered(path, clean)
        };
        let public: Vec<&str> = outside.into_iter().filter(is_public).collect();
        // Of several repositories with such a header, those that the including one links.
        let linked: Vec<&str> =
            public.iter().copied().filter(|path| self.links(own, self.repository_of(path))).collect();
        if linked.is_empty() { public } else { linked }
    }

    /// Returns whether CMake gives the folder of a header to those who link the repository.
    fn is_offered(&self, path: &str, clean: &str) -> bool {
        let folder = path.strip_suffix(clean).and_then(|folder| folder.strip_suffix('/'));
        let cmake = self.cmake.get(self.repository_of(path));
        cmake.zip(folder).is_some_and(|(cmake, folder)| cmake.headers.contains(folder))
    }

    /// Returns whether one repository finds, fetches or links something of another one by CMake.
    fn links(&self, from: &str, to: &str) -> bool {
        let Some(needs) = self.cmake.get(from).map(|cmake| &cmake.needs) else { return false };
        let of_name = needs.contains(&to.to_ascii_lowercase());
        of_name || self.cmake.get(to).is_some_and(|cmake| cmake.names.iter().any(|name| needs.contains(name)))
    }

    /// Without compile commands: the nearest folder above the file that has the header where headers are by custom,
    /// else every file whose path ends as written.
    fn by_custom(&self, folder: &str, written: &str, system: bool) -> Vec<FileId> {
        let Some(clean) = normal(written) else { return Vec::new() };
        let clean = clean.trim_start_matches("../");
        let name = clean.rsplit('/').next().unwrap_or(clean);
        let ends =
            |path: &&&str| path.strip_suffix(clean).is_some_and(|before| before.is_empty() || before.ends_with('/'));
        let mut candidates: Vec<&str> = self.by_name.get(name).into_iter().flatten().filter(ends).copied().collect();
        if self.repositories.len() > 1 {
            candidates = self.of_repositories(folder, clean, system, candidates);
        }
        let file = |path: &str| self.by_path.get(path).copied();
        if candidates.len() < 2 {
            return candidates.into_iter().filter_map(file).collect();
        }
        let mut above = Some(folder);
        while let Some(here) = above {
            let prefix = if here.is_empty() { String::new() } else { format!("{here}/") };
            let found: Vec<FileId> =
                HEADER_FOLDERS.iter().filter_map(|custom| file(&format!("{prefix}{custom}{clean}"))).collect();
            if let [one] = found.as_slice() {
                return vec![*one];
            }
            if !found.is_empty() {
                return found;
            }
            above = here.rsplit_once('/').map(|(above, _)| above).or((!here.is_empty()).then_some(""));
        }
        if candidates.len() > MAX_DOUBTFUL || system {
            return Vec::new();
        }
        candidates.into_iter().filter_map(file).collect()
    }
}

impl Resolver for Includes {
    fn file_fingerprint(&self, file: FileId) -> u64 {
        self.of.get(&file).map_or(0, |of| of.fingerprint)
    }

    fn module(&self, files: &Files<'_>, from: FileId, module: &str, _level: u16) -> ModuleTarget {
        files.see(from);
        let found = self.includes(from).iter().find(|include| include.written == module);
        found.map_or(ModuleTarget::NotFound, |include| include.target.clone())
    }

    fn siblings(&self, files: &Files<'_>, from: FileId) -> Vec<FileId> {
        files.see(from);
        let found = self.visible(from, false);
        found.iter().for_each(|&file| files.see(file));
        found
    }

    fn doubtful_siblings(&self, files: &Files<'_>, from: FileId) -> Vec<FileId> {
        let sure: FxHashSet<FileId> = self.visible(from, false).into_iter().collect();
        let mut found = self.visible(from, true);
        found.iter().chain([&from]).for_each(|&file| files.see(file));
        found.retain(|file| !sure.contains(file));
        found
    }

    fn outside(&self, files: &Files<'_>, from: FileId, name: &str) -> Option<ModuleTarget> {
        let is_cpp = files.language(from) == Language::Cpp;
        let package = standard::package_of_name(name, is_cpp)?;
        Some(ModuleTarget::External(package.to_owned()))
    }

    fn outside_headers(&self, files: &Files<'_>, from: FileId) -> Option<String> {
        let mut packages: Vec<&str> = Vec::new();
        let mut around = vec![from];
        around.extend(self.siblings(files, from));
        for file in around {
            for include in self.includes(file) {
                if let ModuleTarget::External(package) = &include.target {
                    packages.push(package);
                }
            }
        }
        packages.sort_unstable();
        packages.dedup();
        // A name that the standard's own tables do not have is from elsewhere, if there is anything else.
        let foreign: Vec<&str> = packages.iter().copied().filter(|package| !standard::is_package(package)).collect();
        match (foreign.as_slice(), packages.is_empty()) {
            ([one], _) => Some((*one).to_owned()),
            ([], true) => None,
            _ => Some(standard::UNKNOWN_HEADER.to_owned()),
        }
    }

    fn target(&self, files: &Files<'_>, file: FileId) -> Option<&str> {
        files.see(file);
        self.targets.get(&file).map(String::as_str)
    }
}
