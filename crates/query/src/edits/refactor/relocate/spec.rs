//! How files name modules in imports: which file a name leads to, and the name of a file as another one sees it.

use std::collections::BTreeSet;

use m1nd_engine::{Language, Snapshot};

/// Endings that a script may leave out of a module, or write differently.
const SCRIPT_ENDINGS: &[&str] = &[".d.ts", ".tsx", ".ts", ".mts", ".cts", ".jsx", ".js", ".mjs", ".cjs"];
/// The file that stands for a package of Python.
const PACKAGE_FILE: &str = "__init__";
/// The file that stands for a folder of scripts.
const INDEX_FILE: &str = "index";

/// How a language names modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Python,
    Script,
}

impl Dialect {
    /// Of a language whose files import names from modules; `None` for any other.
    pub(super) const fn of(language: Language) -> Option<Self> {
        match language {
            Language::Python => Some(Self::Python),
            Language::TypeScript | Language::Tsx | Language::JavaScript => Some(Self::Script),
            _ => None,
        }
    }

    /// The path of a module without its ending, and without the file that stands for a folder.
    pub(super) fn module_path(self, path: &str) -> String {
        let (stem, folder_file) = match self {
            Self::Python => {
                (path.strip_suffix(".pyi").or_else(|| path.strip_suffix(".py")).unwrap_or(path), PACKAGE_FILE)
            }
            Self::Script => (strip_ending(path), INDEX_FILE),
        };
        match stem.strip_suffix(folder_file).filter(|rest| rest.is_empty() || rest.ends_with('/')) {
            Some(rest) => rest.trim_end_matches('/').to_owned(),
            None => stem.to_owned(),
        }
    }

    /// Whether a file has the name of its folder in imports.
    pub(super) fn stands_for_folder(self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or_default();
        match self {
            Self::Python => name.strip_suffix(".pyi").or_else(|| name.strip_suffix(".py")) == Some(PACKAGE_FILE),
            Self::Script => strip_ending(name) == INDEX_FILE,
        }
    }

    /// Whether a module as a file writes it may be the file at a path. An absolute name is compared with the end of the
    /// path: where it is searched depends on the project.
    pub(super) fn may_mean(self, from: &str, written: &str, path: &str) -> bool {
        let own = self.module_path(path);
        match self.resolve_relative(from, written) {
            Some(full) => full == own,
            None => {
                let parts = self.parts(written);
                !parts.is_empty() && ends_with(&own, &parts)
            }
        }
    }

    /// The path without ending that a relative module leads to; `None` for an absolute one.
    pub(super) fn resolve_relative(self, from: &str, written: &str) -> Option<String> {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        match self {
            Self::Python => {
                let level = written.len() - written.trim_start_matches('.').len();
                if level == 0 {
                    return None;
                }
                for _ in 1..level {
                    parts.pop()?;
                }
                parts.extend(written[level..].split('.').filter(|part| !part.is_empty()));
                Some(parts.join("/"))
            }
            Self::Script => {
                if !written.starts_with('.') {
                    return None;
                }
                for part in written.split('/') {
                    match part {
                        "." | "" => {}
                        ".." => drop(parts.pop()?),
                        part => parts.push(part),
                    }
                }
                Some(self.module_path(&parts.join("/")))
            }
        }
    }

    /// The folders and the name of an absolute module.
    fn parts(self, written: &str) -> Vec<&str> {
        match self {
            Self::Python => written.split('.').filter(|part| !part.is_empty()).collect(),
            Self::Script => {
                let written = strip_ending(written);
                // What stands before the first folder may be an alias of one: `@/lib/a`, `~/lib/a`, `#lib/a`.
                let plain = written.trim_start_matches(['@', '~', '#', '$']).trim_start_matches('/');
                plain.split('/').filter(|part| !part.is_empty()).collect()
            }
        }
    }
}

/// Writes the module of a file as another file names it.
pub(super) struct Speller<'a> {
    dialect: Dialect,
    snapshot: &'a Snapshot,
    /// Folders with a package file.
    packages: BTreeSet<String>,
}

impl<'a> Speller<'a> {
    pub(super) fn new(dialect: Dialect, snapshot: &'a Snapshot) -> Self {
        let mut packages = BTreeSet::new();
        if dialect == Dialect::Python {
            for file in snapshot.files().iter() {
                if let Some(folder) = file.path.as_str().strip_suffix("__init__.py") {
                    packages.insert(folder.trim_end_matches('/').to_owned());
                }
            }
        }
        Self { dialect, snapshot, packages }
    }

    /// The module `to` as `from` writes it, in the form of an import that `from` has (`like`) if there is one.
    pub(super) fn spell(&self, from: &str, to: &str, like: Option<&str>) -> String {
        match self.dialect {
            Dialect::Python => self.spell_python(from, to, like),
            Dialect::Script => self.spell_script(from, to, like),
        }
    }

    /// A relative module of one file, as another file names it; `None` if it leads out of the project.
    pub(super) fn respell(&self, from: &str, to: &str, written: &str) -> Option<String> {
        if from.rsplit_once('/').map(|(folder, _)| folder) == to.rsplit_once('/').map(|(folder, _)| folder) {
            return Some(written.to_owned());
        }
        let is_it = |file: &&m1nd_engine::FileEntry| {
            Dialect::of(file.language) == Some(self.dialect) && self.dialect.may_mean(from, written, file.path.as_str())
        };
        if let Some(file) = self.snapshot.files().iter().find(is_it) {
            return Some(self.spell(to, file.path.as_str(), Some(written)));
        }
        // A package without a file of its own, or a file that is not code.
        let full = self.dialect.resolve_relative(from, written)?;
        Some(match self.dialect {
            Dialect::Python => self.spell(to, &format!("{full}/__init__.py"), Some(written)),
            Dialect::Script => self.spell(to, &full, Some("./")),
        })
    }

    /// Whether a file of Python belongs to a package.
    fn in_package(&self, path: &str) -> bool {
        path.rsplit_once('/').is_some_and(|(folder, _)| self.packages.contains(folder))
    }

    fn spell_python(&self, from: &str, to: &str, like: Option<&str>) -> String {
        let is_relative = like.is_some_and(|like| like.starts_with('.'));
        let module = self.dialect.module_path(to);
        let parts: Vec<&str> = module.split('/').filter(|part| !part.is_empty()).collect();
        if is_relative && self.in_package(from) {
            let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
            let folders: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
            let common = folders.iter().zip(&parts).take_while(|(a, b)| a == b).count();
            let shared = folders[..common].join("/");
            if common > 0 && self.packages.contains(&shared) {
                return ".".repeat(folders.len() - common + 1) + &parts[common..].join(".");
            }
        }
        // The root is above the outermost folder with a package file.
        let mut root = parts.len().saturating_sub(1);
        while root > 0 && self.packages.contains(&parts[..root].join("/")) {
            root -= 1;
        }
        // Without packages, what another import writes shows where names begin.
        if root == parts.len().saturating_sub(1)
            && let Some(like) = like.filter(|like| !like.starts_with('.') && like.contains('.'))
        {
            let first = like.split('.').next().unwrap_or_default();
            root = parts.iter().position(|part| *part == first).unwrap_or(root);
        }
        parts[root.min(parts.len())..].join(".")
    }

    fn spell_script(&self, from: &str, to: &str, like: Option<&str>) -> String {
        let like = like.unwrap_or("./");
        let ending = SCRIPT_ENDINGS.iter().find(|ending| like.ends_with(**ending)).copied().unwrap_or("");
        let module = match ending {
            "" => self.dialect.module_path(to),
            _ => strip_ending(to).to_owned(),
        };
        // `.js` stands for a file of TypeScript as well; `.ts` is written where files are.
        let ending = match (ending, to.ends_with(".tsx")) {
            (".ts", true) => ".tsx",
            (".tsx", false) => ".ts",
            (ending, _) => ending,
        };
        if !like.starts_with('.')
            && let Some(written) = self.spell_alias(like, &module)
        {
            return written + ending;
        }
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folders: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        let parts: Vec<&str> = module.split('/').filter(|part| !part.is_empty()).collect();
        // A file beside the folder of its name is not the folder itself.
        let is_folder = ending.is_empty() && (self.dialect.stands_for_folder(to) || module == to);
        let most = if is_folder { parts.len() } else { parts.len().saturating_sub(1) };
        let common = folders.iter().zip(&parts).take(most).take_while(|(a, b)| a == b).count();
        let up = folders.len() - common;
        let start = if up == 0 { "./".to_owned() } else { "../".repeat(up) };
        let rest = parts[common..].join("/");
        match rest.is_empty() {
            true => start.trim_end_matches('/').to_owned(),
            false => start + &rest + ending,
        }
    }

    /// A module behind the same alias of a folder as another one.
    fn spell_alias(&self, like: &str, module: &str) -> Option<String> {
        let known = strip_ending(like);
        let (alias, rest) = known.split_once('/')?;
        let target = self
            .snapshot
            .files()
            .iter()
            .find(|file| ends_with(&self.dialect.module_path(file.path.as_str()), &[rest]))?;
        let folder = self.dialect.module_path(target.path.as_str());
        let folder = folder.strip_suffix(rest)?;
        Some(format!("{alias}/{}", module.strip_prefix(folder)?))
    }
}

fn strip_ending(path: &str) -> &str {
    SCRIPT_ENDINGS.iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(path)
}

/// Places of a whole word in a text.
pub(super) fn word_places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |&at| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// Whether a path ends with these folders and name.
fn ends_with(path: &str, parts: &[&str]) -> bool {
    let end = parts.join("/");
    path.strip_suffix(end.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_have_the_name_of_their_folder() {
        let rows = [("p/__init__.py", true), ("p/__init__.pyi", true), ("p/__init__x.py", false), ("__init__", false)];
        for (path, expected) in rows {
            assert_eq!(Dialect::Python.stands_for_folder(path), expected, "{path}");
        }
        for (path, expected) in [("p/index.d.ts", true), ("p/index.tsx", true), ("p/index.test.ts", false)] {
            assert_eq!(Dialect::Script.stands_for_folder(path), expected, "{path}");
        }
    }

    #[test]
    fn modules_and_the_files_they_mean() {
        let python = [
            ("p/a.py", ".b", "p/b.py", true),
            ("p/q/a.py", "..b", "p/b.py", true),
            ("p/a.py", ".", "p/__init__.py", true),
            ("x.py", "p.b", "src/p/b.py", true),
            ("x.py", "p.b", "src/q/b.py", false),
        ];
        for (from, written, path, expected) in python {
            assert_eq!(Dialect::Python.may_mean(from, written, path), expected, "{written} {path}");
        }
        let script = [
            ("src/a.ts", "./b", "src/b.ts", true),
            ("src/a.ts", "./b.js", "src/b.ts", true),
            ("src/a.ts", "../lib", "lib/index.ts", true),
            ("src/a.ts", "@/lib/b", "src/lib/b.ts", true),
            ("src/a.ts", "./c", "src/b.ts", false),
        ];
        for (from, written, path, expected) in script {
            assert_eq!(Dialect::Script.may_mean(from, written, path), expected, "{written} {path}");
        }
    }
}
