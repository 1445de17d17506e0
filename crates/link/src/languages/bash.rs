//! Bash and POSIX shell: files that are sourced share one table of functions with those that source them.

mod standard;

use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use m1nd_lang::Language;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::{Family, paths};
use crate::rules::{BareMembers, FunctionMethods, MemberOrder, ModuleTarget, Resolver, Rules, Yields};
use crate::tables::files::{FileId, Files};

pub(super) const FAMILY: Family = Family {
    of: Some(Language::Bash),
    languages: &[(Language::Bash, &RULES)],
    is_manifest: |_| false,
    check_manifest: |_, _| None,
    resolver: |files, _| Box::new(Bash::new(files)),
};

/// What the shell itself defines.
const PACKAGE: &str = "bash";
/// What programs of a usual system are of.
const SYSTEM: &str = "system";
/// What tests of bats get from what runs them.
const BATS: &str = "bats";
#[rustfmt::skip]
const BATS_COMMANDS: &[&str] = &[
    "@test", "bats_load_library", "bats_pipe", "bats_require_minimum_version", "load", "refute", "run", "skip",
];
/// Endings that the name of a sourced file may lack, as `load` of bats allows.
const ENDINGS: &[&str] = &["", ".bash", ".sh"];
/// Maximum number of files that are seen as one program.
const MAX_FILES: usize = 512;

static RULES: Rules = Rules {
    bare_members: BareMembers::Never,
    member_order: MemberOrder::DepthFirst,
    is_standard_library: |package| [PACKAGE, SYSTEM, BATS].contains(&package),
    builtin_package: PACKAGE,
    function_methods: FunctionMethods::Named(&[]),
    plain_values_have_members: false,
    linked: true,
    yields: Yields::Anything,
    ..Rules::OUTLINED
};

static BUILTINS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| standard::BUILTINS.iter().copied().collect());
static PROGRAMS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| standard::PROGRAMS.iter().copied().collect());

/// A file's place among those that are sourced.
#[derive(Default)]
struct Sourced {
    /// Files that are run as part of it, by one step.
    sources: Vec<FileId>,
    /// Files that it is run as part of, by one step.
    readers: Vec<FileId>,
    /// Something that it sources is not a file of the project, or computed.
    is_open: bool,
    /// Hash of its path.
    hash: u64,
}

/// Which files source which.
struct Bash {
    of: FxHashMap<FileId, Sourced>,
}

impl Bash {
    fn new(files: &Files<'_>) -> Self {
        let mut of: FxHashMap<FileId, Sourced> = FxHashMap::default();
        for (file, path, brief) in files.all() {
            if brief.language != Language::Bash {
                continue;
            }
            let mut hasher = FxHasher::default();
            path.hash(&mut hasher);
            of.entry(file).or_default().hash = hasher.finish();
            for module in &brief.modules {
                match find_file(files, file, module) {
                    Some(target) if target != file => {
                        of.entry(file).or_default().sources.push(target);
                        of.entry(target).or_default().readers.push(file);
                    }
                    Some(_) => {}
                    None => of.entry(file).or_default().is_open = true,
                }
            }
        }
        Self { of }
    }

    /// The files that run in one shell with a file: what it sources, then what sources it, each with all that follows.
    fn list_program(&self, from: FileId) -> Vec<FileId> {
        let mut found = vec![from];
        let mut seen: FxHashSet<FileId> = [from].into_iter().collect();
        let mut readers = vec![from];
        let mut next = 0;
        // Sources of what was found so far; once there are none, the readers one step further up.
        while found.len() < MAX_FILES {
            if let Some(&file) = found.get(next) {
                next += 1;
                let sources = self.of.get(&file).map_or(&[][..], |row| &row.sources);
                found.extend(sources.iter().filter(|source| seen.insert(**source)));
                continue;
            }
            let above = readers.iter().filter_map(|file| self.of.get(file)).flat_map(|row| &row.readers);
            let above: Vec<FileId> = above.copied().filter(|reader| seen.insert(*reader)).collect();
            if above.is_empty() {
                break;
            }
            found.extend(&above);
            readers = above;
        }
        found
    }
}

/// The file that `source` or a call names.
fn find_file(files: &Files<'_>, from: FileId, written: &str) -> Option<FileId> {
    let folder = paths::folder(files.path(from));
    let (path, is_computed) = match find_rest(written) {
        Some(rest) => (rest, true),
        None => (written, false),
    };
    if path.is_empty() || path.contains(['$', '`', '*', '?']) || (path.starts_with('/') && !is_computed) {
        return None;
    }
    let path = path.trim_start_matches('/');
    let find = |folder: &str| {
        let path = paths::join(folder, path)?;
        ENDINGS.iter().find_map(|ending| files.find(&format!("{path}{ending}")))
    };
    paths::upwards(folder).find_map(find).filter(|file| files.language(*file) == Language::Bash)
}

/// What is behind a computed folder: `$(dirname "$0")/f`, `${BASH_SOURCE%/*}/f`, `$dir/f`. `None` if nothing is computed.
fn find_rest(written: &str) -> Option<&str> {
    let inner = written.strip_prefix('$')?;
    let end = match inner.as_bytes().first()? {
        open @ (b'(' | b'{') => {
            let close = if *open == b'(' { b')' } else { b'}' };
            let mut depth = 0usize;
            inner.bytes().position(|byte| {
                depth += usize::from(byte == *open);
                depth -= usize::from(byte == close && depth > 0);
                depth == 0
            })? + 1
        }
        _ => inner.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(inner.len()),
    };
    let rest = inner[end..].trim_start_matches('"');
    Some(rest.strip_prefix('/').unwrap_or(""))
}

impl Resolver for Bash {
    fn file_fingerprint(&self, file: FileId) -> u64 {
        let mut hasher = FxHasher::default();
        for row in self.list_program(file).iter().filter_map(|file| self.of.get(file)) {
            (row.hash, row.is_open).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn module(&self, files: &Files<'_>, from: FileId, module: &str, _level: u16) -> ModuleTarget {
        match find_file(files, from, module) {
            Some(file) => ModuleTarget::File(file),
            None if module.starts_with('/') && !module.contains('$') => ModuleTarget::External(SYSTEM.to_owned()),
            None => ModuleTarget::NotFound,
        }
    }

    fn siblings(&self, files: &Files<'_>, from: FileId) -> Vec<FileId> {
        files.see(from);
        let mut found = self.list_program(from);
        found.remove(0);
        found
    }

    /// A command that nothing of the program defines is one of the shell or of the system, if all that is sourced is
    /// known.
    fn outside(&self, files: &Files<'_>, from: FileId, name: &str) -> Option<ModuleTarget> {
        if BUILTINS.contains(name) {
            return Some(ModuleTarget::External(PACKAGE.to_owned()));
        }
        if PROGRAMS.contains(name) {
            return Some(ModuleTarget::External(SYSTEM.to_owned()));
        }
        if BATS_COMMANDS.contains(&name) {
            return Some(ModuleTarget::External(BATS.to_owned()));
        }
        files.see(from);
        let is_open = self.list_program(from).iter().any(|file| self.of.get(file).is_some_and(|row| row.is_open));
        (!is_open).then(|| ModuleTarget::External(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::find_rest;

    #[test]
    fn computed_folders_are_left_out() {
        let rows = [
            ("$(dirname \"$0\")/lib.sh", Some("lib.sh")),
            ("$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)/../lib.sh", Some("../lib.sh")),
            ("${BASH_SOURCE%/*}/lib.sh", Some("lib.sh")),
            ("$DIR/lib.sh", Some("lib.sh")),
            ("$(dirname \"$0\")\"/lib.sh", Some("lib.sh")),
            ("$file", Some("")),
            ("$(find_it", None),
            ("./lib.sh", None),
        ];
        for (written, expected) in rows {
            assert_eq!(find_rest(written), expected, "{written}");
        }
    }
}
