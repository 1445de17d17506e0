//! What a change of a file does to its imports and to the uses of some names: one row for each imported name and for
//! each line that uses one, without the order and the form in which they are written.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use m1nd_base::{Cancel, Limits};
use m1nd_engine::Language;
use m1nd_lang::{FileItem, ItemKind, file_items, import_statements};

use super::find::{Moved, blocks};

/// Rows that are added (`+`) or removed (`-`), with how often.
pub(super) type Rows = BTreeMap<(char, String), usize>;

/// A row: whether it is an import, and its text.
type Row = (bool, String);

/// What a commit moves, as far as lines are compared.
pub(super) struct Scope<'a> {
    pub(super) moves: &'a [Moved],
    /// Names in the moved texts.
    pub(super) inner: BTreeSet<String>,
}

impl<'a> Scope<'a> {
    pub(super) fn of(moves: &'a [Moved]) -> Self {
        let inner = moves.iter().flat_map(|row| words(&row.text)).map(str::to_owned).collect();
        Self { moves, inner }
    }

    fn is_moved(&self, word: &str) -> bool {
        self.moves.iter().any(|row| row.name == word)
    }

    /// A line without what stands before moved names with `.` or `::`.
    fn without_paths(&self, line: &str) -> String {
        let mut plain = line.to_owned();
        for name in self.moves.iter().map(|row| row.name.as_str()) {
            let mut from = 0;
            while let Some(at) = plain[from..].find(name).map(|at| from + at) {
                let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$');
                let before = plain[..at].trim_end_matches(is_path).len();
                let is_qualified = plain[..at].ends_with(['.', ':']);
                let start = if is_qualified { before } else { at };
                plain.replace_range(start..at, "");
                from = start + name.len();
            }
        }
        plain
    }

    /// Whether an import in a file concerns what moves: it is of a moved name or module, or of something that the moved
    /// text uses, in a file that the text leaves or comes to.
    fn concerns(&self, path: &str, row: &Imported) -> bool {
        let is_end = self.moves.iter().any(|moved| moved.from == path || moved.to == path);
        let is_module = |moved: &Moved| {
            let names = [module_of(&moved.from), module_of(&moved.to)];
            names.iter().any(|name| row.full() == *name || name.ends_with(&format!("/{}", row.full())))
        };
        self.is_moved(&row.bound)
            || self.is_moved(&row.name)
            || is_end && (self.inner.contains(&row.bound) || row.bound == "*")
            || self.moves.iter().any(is_module)
    }
}

/// A name that a file imports.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Imported {
    /// `import`, `export` or `package`.
    verb: &'static str,
    /// Folders and name of the module, with slashes.
    module: String,
    name: String,
    /// The name in this file.
    bound: String,
}

impl Imported {
    fn full(&self) -> String {
        match self.name.as_str() {
            "" | "*" => self.module.clone(),
            name if self.module.is_empty() => name.to_owned(),
            name => format!("{}/{name}", self.module),
        }
    }

    fn row(&self) -> String {
        format!("{} {} as {}", self.verb, self.full(), self.bound)
    }
}

/// Rows of both sides that are the same, and those that import the same name by another path: through a module that
/// passes it on.
pub(super) fn count_equal(own: &Rows, real: &Rows) -> (usize, usize) {
    let mut equal = 0;
    let mut left: BTreeMap<(char, String), [usize; 2]> = BTreeMap::new();
    for (side, rows, other) in [(0, own, real), (1, real, own)] {
        for ((sign, row), count) in rows {
            let same = (*count).min(other.get(&(*sign, row.clone())).copied().unwrap_or(0));
            equal += same;
            if let Some((verb, names)) = row.split_once(' ').filter(|(_, names)| names.contains(" as ")) {
                let name = names.rsplit('/').next().unwrap_or(names);
                left.entry((*sign, format!("{verb} {name}"))).or_default()[side] += count - same;
            }
        }
    }
    let equivalent: usize = left.values().map(|[own, real]| 2 * own.min(real)).sum();
    (equal, equivalent)
}

/// Compares two texts of a file.
pub(super) fn changed_rows(path: &str, before: &str, after: &str, scope: &Scope<'_>) -> Rows {
    let (old, new) = (rows(path, before, scope), rows(path, after, scope));
    let (old, new) = keep_renamed_uses(old, new, scope);
    let mut changed = Rows::new();
    let keys: BTreeSet<&Row> = old.keys().chain(new.keys()).collect();
    for key in keys {
        let (was, is) = (old.get(key).copied().unwrap_or(0), new.get(key).copied().unwrap_or(0));
        if was > is {
            changed.insert(('-', key.1.clone()), was - is);
        } else if is > was {
            changed.insert(('+', key.1.clone()), is - was);
        }
    }
    changed
}

/// Of the lines that differ, keeps those in which only the path before a moved name does: a statement that is new, gone
/// or written anew says nothing of the move.
fn keep_renamed_uses(
    mut old: BTreeMap<Row, usize>,
    mut new: BTreeMap<Row, usize>,
    scope: &Scope<'_>,
) -> (BTreeMap<Row, usize>, BTreeMap<Row, usize>) {
    let differing = |of: &BTreeMap<Row, usize>, other: &BTreeMap<Row, usize>| {
        let rows = of.iter().filter(|(row, count)| !row.0 && other.get(*row) != Some(*count));
        rows.map(|(row, _)| row.clone()).collect::<Vec<Row>>()
    };
    let (gone, come) = (differing(&old, &new), differing(&new, &old));
    let plain = |rows: &[Row]| rows.iter().map(|row| scope.without_paths(&row.1)).collect::<BTreeSet<String>>();
    let (gone_plain, come_plain) = (plain(&gone), plain(&come));
    for row in gone.iter().chain(&come) {
        let key = scope.without_paths(&row.1);
        if !(gone_plain.contains(&key) && come_plain.contains(&key)) {
            old.remove(row);
            new.remove(row);
        }
    }
    (old, new)
}

/// The rows of a text: imports that concern the move, and lines outside of the moved texts and of imports that use a
/// moved name.
fn rows(path: &str, text: &str, scope: &Scope<'_>) -> BTreeMap<Row, usize> {
    let language = Language::of_path(path);
    let (limits, cancel) = (Limits::default(), Cancel::new());
    let mut rows = BTreeMap::new();
    let mut statements = import_statements(language, text, &limits, &cancel).unwrap_or_default();
    let heads = file_items(language, text, &limits, &cancel).unwrap_or_default();
    statements.extend(heads.into_iter().filter(|item| item.kind == ItemKind::Package));
    // One row for a name, however often a file imports it.
    let mut seen = BTreeSet::new();
    for item in &statements {
        for row in list_imported(path, text, item, language).into_iter().filter(|row| scope.concerns(path, row)) {
            if seen.insert(row.row()) {
                *rows.entry((true, row.row())).or_default() += 1;
            }
        }
    }
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut is_left_out = vec![false; lines.len()];
    for block in blocks(path, &lines).iter().filter(|block| scope.is_moved(&block.name)) {
        is_left_out[block.start..block.start + block.lines.len()].fill(true);
    }
    for item in &statements {
        let first = text[..item.bytes.start].matches('\n').count();
        let last = first + text[item.bytes.clone()].trim_end().matches('\n').count();
        is_left_out[first..=last.min(lines.len() - 1)].fill(true);
    }
    for (line, _) in lines.iter().zip(&is_left_out).filter(|(_, is_left_out)| !**is_left_out) {
        let line = line.trim();
        let is_comment = ["//", "#", "*", "/*"].iter().any(|mark| line.starts_with(mark)) && !line.starts_with("#[");
        if !is_comment && words(line).any(|word| scope.is_moved(word)) {
            *rows.entry((false, line.split_whitespace().collect::<Vec<_>>().join(" "))).or_default() += 1;
        }
    }
    rows
}

/// The names that a statement imports.
fn list_imported(path: &str, text: &str, item: &FileItem, language: Language) -> Vec<Imported> {
    let slice = |range: &Range<usize>| text[range.clone()].to_owned();
    let verb = match item.kind {
        ItemKind::Package => "package",
        ItemKind::Reexport => "export",
        _ => "import",
    };
    let new =
        |module: String, name: &str, bound: &str| Imported { verb, module, name: name.into(), bound: bound.into() };
    let whole = slice(&item.bytes);
    match language {
        Language::Java => {
            let whole = whole.trim_end_matches(';').split_whitespace().filter(|word| *word != "static");
            let full = whole.into_iter().next_back().unwrap_or_default().replace('.', "/");
            let (module, name) = full.rsplit_once('/').map_or(("", full.as_str()), |row| row);
            return vec![new(module.to_owned(), name, name)];
        }
        Language::Rust => return rust_names(path, &whole),
        _ => {}
    }
    let Some(parts) = &item.import else { return Vec::new() };
    let module = resolve(path, &slice(&parts.module), language);
    let mut found = Vec::new();
    for name in &parts.names {
        let written = slice(&name.name);
        let bound = name.alias.as_ref().map_or_else(|| written.clone(), &slice);
        found.push(match parts.module.is_empty() {
            // `import a.b`
            true => new(resolve(path, &written, language), "", &bound),
            false => new(module.clone(), &written, &bound),
        });
    }
    found.extend(parts.default.as_ref().map(|range| new(module.clone(), "default", &slice(range))));
    if parts.is_wildcard {
        found.push(new(module, "*", "*"));
    }
    found
}

/// The folders and name of a module as a file writes it.
fn resolve(path: &str, written: &str, language: Language) -> String {
    let mut folders: Vec<&str> = path.split('/').collect();
    folders.pop();
    let full = match language {
        Language::Python => {
            let level = written.len() - written.trim_start_matches('.').len();
            if level == 0 {
                return module_of(&(written.replace('.', "/") + ".py"));
            }
            folders.truncate(folders.len().saturating_sub(level - 1));
            format!("{}/{}", folders.join("/"), written[level..].replace('.', "/"))
        }
        _ if written.starts_with('.') => {
            for part in written.split('/') {
                match part {
                    "." | "" => {}
                    ".." => drop(folders.pop()),
                    part => folders.push(part),
                }
            }
            folders.join("/")
        }
        _ => written.to_owned(),
    };
    module_of(full.trim_end_matches('/'))
}

/// A path without its ending, the folder of sources, and the file that stands for a folder.
fn module_of(path: &str) -> String {
    let stem =
        [".d.ts", ".tsx", ".ts", ".mts", ".js", ".py", ".rs", ".java"].iter().find_map(|end| path.strip_suffix(end));
    let stem = stem.unwrap_or(path);
    let stem = ["/__init__", "/index", "/mod"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
    let stem = stem.rsplit_once("src/main/java/").map_or(stem, |(_, rest)| rest);
    stem.strip_prefix("src/").unwrap_or(stem).trim_start_matches('/').to_owned()
}

/// The names of a `use` of Rust, by their paths from the crate.
fn rust_names(path: &str, whole: &str) -> Vec<Imported> {
    let Some((head, tree)) = whole.split_once("use ") else { return Vec::new() };
    let verb = if head.contains("pub") { "export" } else { "import" };
    let flat: String = tree.trim_end_matches(';').split_whitespace().collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    let mut waiting = vec![(String::new(), flat)];
    while let Some((base, tree)) = waiting.pop() {
        let tree = tree.trim();
        if let Some((prefix, inner)) = tree.split_once('{') {
            let inner = inner.strip_suffix('}').unwrap_or(inner);
            let base = format!("{base}{}", prefix.trim());
            waiting.extend(split_at_commas(inner).into_iter().map(|part| (base.clone(), part)));
            continue;
        }
        if tree.is_empty() {
            continue;
        }
        let (name, alias) = tree.split_once(" as ").map_or((tree, None), |(name, alias)| (name, Some(alias)));
        let full = format!("{base}{name}");
        let full = resolve_rust(path, full.strip_suffix("::self").unwrap_or(&full));
        let (module, name) =
            full.rsplit_once('/').map_or((String::new(), full.as_str()), |(m, name)| (m.to_owned(), name));
        found.push(Imported { verb, module, name: name.to_owned(), bound: alias.unwrap_or(name).to_owned() });
    }
    found
}

fn split_at_commas(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0_usize);
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
}

/// A path of Rust from its crate, with slashes.
fn resolve_rust(path: &str, written: &str) -> String {
    let own = path.rsplit_once("src/").map_or(path, |(_, rest)| rest).trim_end_matches(".rs");
    let own = own.strip_suffix("/mod").unwrap_or(own);
    let mut own: Vec<&str> = own.split('/').filter(|part| !matches!(*part, "lib" | "main" | "mod")).collect();
    let parts: Vec<&str> = written.split("::").collect();
    let ups = parts.iter().take_while(|part| **part == "super").count();
    let rest = match parts.first() {
        Some(&"crate") => return parts[1..].join("/"),
        Some(&"self") => &parts[1..],
        Some(&"super") => &parts[ups..],
        _ => return parts.join("/"),
    };
    own.truncate(own.len().saturating_sub(ups));
    own.extend(rest);
    own.join("/")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make_move(from: &str, to: &str, text: &str) -> Moved {
        Moved { from: from.into(), to: to.into(), name: "load".into(), word: "fn", text: text.into() }
    }

    #[test]
    fn order_and_form_of_imports_do_not_count() {
        let rows = [
            ("pkg/c.py", "from .a import load, other\n", "from .b import load\nfrom .a import other\n"),
            ("pkg/c.py", "from .a import other, load\n", "from pkg.b import (\n    load,\n)\nfrom .a import other\n"),
        ];
        let moves = [make_move("pkg/a.py", "pkg/b.py", "def load():\n    pass\n")];
        let scope = Scope::of(&moves);
        let all: Vec<Rows> = rows.iter().map(|(path, old, new)| changed_rows(path, old, new, &scope)).collect();
        assert_eq!(all[0], all[1]);
        assert_eq!(all[0].len(), 2, "{:?}", all[0]);
    }

    #[test]
    fn the_same_name_by_another_path_is_equivalent() {
        let rows = |rows: &[(char, &str)]| -> Rows {
            rows.iter().map(|(sign, row)| ((*sign, (*row).to_owned()), 1)).collect()
        };
        let own = rows(&[('+', "import a/b/load as load"), ('-', "import a/load as load"), ('+', "import x as x")]);
        let real = rows(&[('+', "import a/load as load"), ('-', "import a/load as load"), ('+', "print(load)")]);
        assert_eq!(count_equal(&own, &real), (2, 2));
    }

    #[test]
    fn names_of_a_use_of_rust() {
        let names = |path: &str, text: &str| {
            let mut names: Vec<String> = rust_names(path, text).iter().map(Imported::row).collect();
            names.sort();
            names
        };
        let expected = ["import a as a", "import a/b/load as load", "import a/c as d"];
        assert_eq!(names("src/lib.rs", "use crate::a::{self, b::{load}, c as d};"), expected);
        assert_eq!(names("src/a/b.rs", "use super::load;"), ["import a/load as load"]);
        assert_eq!(names("src/a/mod.rs", "pub use self::b::load;"), ["export a/b/load as load"]);
    }

    #[test]
    fn uses_count_and_moved_text_does_not() {
        let text = "def load():\n    x = load()\n    x = 1\n    return x\n";
        let moves = [make_move("a.py", "b.py", text)];
        let scope = Scope::of(&moves);
        // A line that is written anew does not count either.
        let old = format!("{text}\nprint(load())\nother = load()\n");
        let rows = changed_rows("a.py", &old, "import b\nprint(b.load())\nother = b.load() + 1\n", &scope);
        let keys: Vec<String> = rows.keys().map(|(sign, row)| format!("{sign}{row}")).collect();
        assert_eq!(keys, ["+import b as b", "+print(b.load())", "-print(load())"]);
    }
}
