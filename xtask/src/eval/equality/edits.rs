//! Random edits of a repository, based on its text alone, so that they do not depend on our extractors.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use m1nd_testkit::Random;

use super::text::{self, Language};

/// File contents by path.
pub(super) type Tree = BTreeMap<String, Arc<str>>;

/// Maximum number of edits of a sequence; at least one is made.
const EDITS: usize = 5;
/// Attempts to make an edit before the sequence tries another kind.
const TRIES: usize = 20;
/// Number of changed files at which some are restored, so that a long run still edits a meaningful repository.
const MAX_CHANGED: usize = 24;
/// Number of changed files kept when restoring.
const KEPT_CHANGED: usize = 12;
/// Maximum lines moved or copied at once.
const BLOCK_LINES: usize = 20;
/// Maximum files of a moved folder.
const FOLDER_FILES: usize = 30;

/// Kind of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Renames something, in one file or all.
    Rename,
    /// Moves a file or folder.
    Move,
    /// Copies a file, possibly over another.
    Copy,
    /// Deletes a file.
    Delete,
    /// Changes parameters or types in the header of a function.
    Signature,
    /// Adds an import.
    Import,
    /// Makes a module in another file test-only, or reverts that.
    TestOnly,
    /// Breaks the syntax: an extra or missing bracket or quote, or half of the file.
    Break,
    /// Moves lines to another file.
    MoveLines,
    /// Duplicates, removes or moves lines within the file.
    Lines,
    /// Restores the original content of files.
    Restore,
}

/// Relative frequency of each kind.
const WEIGHTS: &[(Kind, usize)] = &[
    (Kind::Rename, 5),
    (Kind::Move, 4),
    (Kind::Copy, 1),
    (Kind::Delete, 3),
    (Kind::Signature, 4),
    (Kind::Import, 4),
    (Kind::Break, 3),
    (Kind::MoveLines, 2),
    (Kind::Lines, 3),
    (Kind::Restore, 2),
];

impl Kind {
    /// Name in results.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Rename => "rename",
            Self::Move => "move",
            Self::Copy => "copy",
            Self::Delete => "delete",
            Self::Signature => "signature",
            Self::Import => "import",
            Self::TestOnly => "test_only",
            Self::Break => "break",
            Self::MoveLines => "move_lines",
            Self::Lines => "lines",
            Self::Restore => "restore",
        }
    }
}

/// An edit, ready to be made on any tree.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    pub(super) kind: Kind,
    /// Description for people.
    pub(super) what: String,
    /// New contents; `None` for removed files.
    pub(super) writes: BTreeMap<String, Option<Arc<str>>>,
    /// The index is updated directly afterwards; otherwise together with the next edit.
    pub(super) is_seen: bool,
}

impl Edit {
    /// Applies it in memory.
    pub(super) fn apply(&self, tree: &mut Tree) {
        for (path, text) in &self.writes {
            match text {
                Some(text) => tree.insert(path.clone(), text.clone()),
                None => tree.remove(path),
            };
        }
    }
}

/// Description and content of a change.
type Change = (String, BTreeMap<String, Option<Arc<str>>>);

/// Generates edits from a seed.
pub(super) struct Generator<'a> {
    original: &'a Tree,
    random: Random,
}

impl<'a> Generator<'a> {
    pub(super) fn new(original: &'a Tree, seed: u64) -> Self {
        Self { original, random: Random::new(seed) }
    }

    /// Generates the next sequence of edits and applies it to `tree`.
    pub(super) fn sequence(&mut self, tree: &mut Tree) -> Vec<Edit> {
        let mut edits = Vec::new();
        let changed = list_changed(tree, self.original);
        if changed.len() > MAX_CHANGED {
            let (what, writes) = self.restore(changed, KEPT_CHANGED);
            edits.push(Edit { kind: Kind::Restore, what, writes, is_seen: self.random.coin() });
        }
        edits.iter().for_each(|edit| edit.apply(tree));
        for _ in 0..=self.random.below(EDITS) {
            let Some(edit) = (0..TRIES).find_map(|_| self.edit(tree)) else { continue };
            edit.apply(tree);
            edits.push(edit);
        }
        edits
    }

    /// A random word that is defined somewhere, to search for.
    pub(super) fn word(&mut self, tree: &Tree) -> String {
        let word = self.file(tree).and_then(|path| self.pick_defined(&tree[&path]).map(str::to_owned));
        word.unwrap_or_else(|| "get".to_owned())
    }

    fn edit(&mut self, tree: &Tree) -> Option<Edit> {
        let total = WEIGHTS.iter().map(|(_, weight)| weight).sum();
        let mut place = self.random.below(total);
        let kind = WEIGHTS.iter().find_map(|&(kind, weight)| {
            let is_here = place < weight;
            place = place.saturating_sub(weight);
            is_here.then_some(kind)
        });
        let path = self.file(tree)?;
        let kind = match kind.unwrap_or(Kind::Lines) {
            // Independent of the weights: other languages have no such declarations.
            Kind::Import if text::language(&path) == Some(Language::Rust) && self.random.below(3) == 0 => {
                Kind::TestOnly
            }
            kind => kind,
        };
        let (what, mut writes) = match kind {
            Kind::Rename => self.rename(tree, &path),
            Kind::Move => self.relocate(tree, &path),
            Kind::Copy => self.copy(tree, &path),
            Kind::Delete => Some((path.clone(), BTreeMap::from([(path, None)]))),
            Kind::Signature => self.signature(tree, &path),
            Kind::Import => self.import(tree, &path),
            Kind::TestOnly => self.test_only(tree),
            Kind::Break => self.damage(&tree[&path]).map(|(what, text)| one(what, path, text)),
            Kind::MoveLines => self.move_lines(tree, &path),
            Kind::Lines => self.lines(&tree[&path]).map(|(what, text)| one(what, path, text)),
            Kind::Restore => {
                let changed = list_changed(tree, self.original);
                let kept = self.random.below(changed.len());
                (!changed.is_empty()).then(|| self.restore(changed, kept))
            }
        }?;
        writes.retain(|path, text| tree.get(path) != text.as_ref());
        (!writes.is_empty()).then(|| Edit { kind, what, writes, is_seen: self.random.coin() })
    }

    fn pick<'t, T: ?Sized>(&mut self, of: &[&'t T]) -> Option<&'t T> {
        of.get(self.random.below(of.len())).copied()
    }

    /// A file that can be edited.
    fn file(&mut self, tree: &Tree) -> Option<String> {
        let all: Vec<&str> = tree.keys().map(String::as_str).filter(|path| text::language(path).is_some()).collect();
        self.pick(&all).map(str::to_owned)
    }

    /// Another file of the same language.
    fn kin(&mut self, tree: &Tree, path: &str) -> Option<String> {
        let language = text::language(path)?;
        let is_kin = |other: &&str| *other != path && text::language(other) == Some(language);
        let all: Vec<&str> = tree.keys().map(String::as_str).filter(is_kin).collect();
        self.pick(&all).map(str::to_owned)
    }

    /// A name that is defined in a text, or any word of it.
    fn pick_defined<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        let defined: Vec<&str> = text::list_defined(text);
        if defined.is_empty() || self.random.below(4) == 0 {
            self.pick(&text::words(text))
        } else {
            self.pick(&defined)
        }
    }

    fn rename(&mut self, tree: &Tree, path: &str) -> Option<Change> {
        let old = self.pick_defined(&tree[path])?.to_owned();
        let new = if self.random.coin() {
            format!("{old}_{}", self.random.below(3))
        } else {
            let other = self.kin(tree, path)?;
            self.pick_defined(&tree[&other])?.to_owned()
        };
        let everywhere = self.random.coin();
        let paths = tree.iter().filter(|(other, _)| everywhere || other.as_str() == path);
        let renamed = paths.filter_map(|(path, text)| {
            text::language(path)?;
            let text: &str = text;
            text.contains(&old).then(|| (path.clone(), Some(text::rename_word(text, &old, &new).into())))
        });
        let place = if everywhere { "all files" } else { path };
        Some((format!("`{old}` to `{new}` in {place}"), renamed.collect()))
    }

    fn relocate(&mut self, tree: &Tree, path: &str) -> Option<Change> {
        let folder = text::folder(path);
        if self.random.below(4) == 0 && !folder.is_empty() {
            let inside: Vec<&String> = tree.keys().filter(|other| text::is_in(other, folder)).collect();
            let to = match self.random.coin() {
                true => format!("{folder}_{}", self.random.below(3)),
                false => format!("{}/{}", self.folder(tree), folder.rsplit('/').next()?),
            };
            if inside.len() > FOLDER_FILES || text::is_in(&to, folder) || to == folder {
                return None;
            }
            let mut writes = BTreeMap::new();
            for old in inside {
                writes.insert(old.clone(), None);
            }
            for old in tree.keys().filter(|other| text::is_in(other, folder)) {
                let new = format!("{to}{}", &old[folder.len()..]);
                writes.insert(new.trim_start_matches('/').to_owned(), Some(tree[old].clone()));
            }
            return fits(tree, &writes).then(|| (format!("folder {folder} to {to}"), writes));
        }
        let to = self.other_path(tree, path)?;
        let writes =
            BTreeMap::from([(path.to_owned(), tree.get(&to).cloned()), (to.clone(), Some(tree[path].clone()))]);
        let word = if tree.contains_key(&to) { "and" } else { "to" };
        fits(tree, &writes).then(|| (format!("{path} {word} {to}"), writes))
    }

    fn copy(&mut self, tree: &Tree, path: &str) -> Option<Change> {
        let to = self.other_path(tree, path)?;
        let writes = BTreeMap::from([(to.clone(), Some(tree[path].clone()))]);
        fits(tree, &writes).then(|| (format!("{path} to {to}"), writes))
    }

    /// A non-empty folder.
    fn folder(&mut self, tree: &Tree) -> String {
        let folders: BTreeSet<&str> = tree.keys().map(|path| text::folder(path)).collect();
        let folders: Vec<&str> = folders.into_iter().collect();
        self.pick(&folders).unwrap_or_default().to_owned()
    }

    /// Another path for a file: another name, another folder, or the path of another file.
    fn other_path(&mut self, tree: &Tree, path: &str) -> Option<String> {
        let (folder, name) = (text::folder(path), path.rsplit('/').next()?);
        let (stem, extension) = name.split_once('.')?;
        let to = match self.random.below(4) {
            0 => format!("{folder}/{stem}_{}.{extension}", self.random.below(3)),
            1 => format!("{}/{name}", self.folder(tree)),
            2 => format!("{folder}/{stem}/{name}"),
            _ => self.kin(tree, path)?,
        };
        let to = to.trim_start_matches('/').to_owned();
        (to != path).then_some(to)
    }

    fn signature(&mut self, tree: &Tree, path: &str) -> Option<Change> {
        let (text, language) = (&*tree[path], text::language(path)?);
        let headers = text::headers(text);
        let line = headers.get(self.random.below(headers.len())).copied()?;
        let old = text.lines().nth(line)?;
        let open = old.find('(')? + 1;
        let inside = old[open..].find([',', ')']).map_or(old.len(), |end| open + end);
        let new = match self.random.below(3) {
            0 => {
                let separator = if old[open..].trim_start().starts_with(')') { "" } else { ", " };
                format!("{}{}{separator}{}", &old[..open], language.parameter(), &old[open..])
            }
            1 => format!("{}{}", &old[..open], old[inside..].trim_start_matches([',', ' '])),
            _ => {
                let other = self.kin(tree, path)?;
                let (from, to) = (self.pick(&text::words(&old[open..]))?, self.pick_defined(&tree[&other])?);
                text::rename_word(old, from, to)
            }
        };
        let what = format!("{path}:{} `{}` to `{}`", line + 1, old.trim(), new.trim());
        Some(one(what, path.to_owned(), text::with_line(text, line, Some(&new))))
    }

    fn import(&mut self, tree: &Tree, path: &str) -> Option<Change> {
        let (text, language) = (&*tree[path], text::language(path)?);
        let other = self.kin(tree, path)?;
        let written: Vec<&str> = tree[&other].lines().filter(|line| language.is_import(line)).collect();
        let line = match self.pick(&written) {
            Some(line) if self.random.coin() => line.to_owned(),
            _ => {
                let name = self.pick_defined(&tree[&other])?;
                language.import_of(path, &other, name, self.random.below(3))?
            }
        };
        let lines: Vec<&str> = text.lines().collect();
        let imports: Vec<usize> = (0..lines.len()).filter(|&place| language.is_import(lines[place])).collect();
        let place = if imports.is_empty() { 0 } else { imports[self.random.below(imports.len())] };
        let what = format!("`{}` in {path}:{}", line.trim(), place + 1);
        Some(one(what, path.to_owned(), text::with_inserted(text, place, &[&line])))
    }

    /// Adds a condition to a module declaration, or removes it.
    fn test_only(&mut self, tree: &Tree) -> Option<Change> {
        const CONDITION: &str = "#[cfg(test)]";
        let rust = tree.iter().filter(|(path, _)| text::language(path) == Some(Language::Rust));
        let lines = rust.flat_map(|(path, text)| text.lines().enumerate().map(move |(line, text)| (path, line, text)));
        let modules: Vec<(&String, usize)> =
            lines.filter(|(.., text)| text::declares_file(text)).map(|(path, line, _)| (path, line)).collect();
        let (path, line) = modules.get(self.random.below(modules.len())).copied()?;
        let text = &*tree[path];
        let before = line.checked_sub(1).and_then(|above| text.lines().nth(above));
        let (word, changed) = match before {
            Some(before) if before.trim() == CONDITION => ("no longer ", text::without(text, line - 1, 1)),
            _ => ("", text::with_inserted(text, line, &[CONDITION])),
        };
        Some(one(format!("{path}:{} {word}for tests only", line + 1), path.clone(), changed))
    }

    fn damage(&mut self, text: &str) -> Option<(String, String)> {
        const MARKS: [&str; 12] = ["(", ")", "{", "}", "[", "]", "\"", "'", ";", ":", ",", "/*"];
        let place = text.floor_char_boundary(self.random.below(text.len()));
        let line = text[..place].lines().count();
        match self.random.below(3) {
            0 => {
                let mark = MARKS[self.random.below(MARKS.len())];
                Some((format!("`{mark}` in line {line}"), format!("{}{mark}{}", &text[..place], &text[place..])))
            }
            1 => {
                let marks: Vec<(usize, &str)> = text.match_indices(['(', ')', '{', '}', '[', ']', '"', ':']).collect();
                let &(place, mark) = marks.get(self.random.below(marks.len()))?;
                let line = text[..place].lines().count();
                let without = format!("{}{}", &text[..place], &text[place + mark.len()..]);
                Some((format!("no `{mark}` in line {line}"), without))
            }
            _ => Some((format!("nothing from line {line} on"), text[..place].to_owned())),
        }
    }

    /// Lines starting with the header of a definition.
    fn block<'t>(&mut self, text: &'t str) -> Option<(usize, Vec<&'t str>)> {
        let headers = text::definition_lines(text);
        let start = headers.get(self.random.below(headers.len())).copied()?;
        let count = 1 + self.random.below(BLOCK_LINES);
        Some((start, text.lines().skip(start).take(count).collect()))
    }

    fn move_lines(&mut self, tree: &Tree, path: &str) -> Option<Change> {
        let other = self.kin(tree, path)?;
        let (start, block) = self.block(&tree[path])?;
        let mut writes = BTreeMap::new();
        let place = self.random.below(tree[&other].lines().count() + 1);
        writes.insert(other.clone(), Some(text::with_inserted(&tree[&other], place, &block).into()));
        let is_cut = self.random.coin();
        if is_cut {
            writes.insert(path.to_owned(), Some(text::without(&tree[path], start, block.len()).into()));
        }
        let word = if is_cut { "moved" } else { "copied" };
        let what = format!("{} lines of {path}:{} {word} to {other}:{}", block.len(), start + 1, place + 1);
        Some((what, writes))
    }

    fn lines(&mut self, text: &str) -> Option<(String, String)> {
        let count = text.lines().count();
        let line = self.random.below(count);
        match self.random.below(4) {
            0 => Some((format!("no line {}", line + 1), text::with_line(text, line, None))),
            1 => {
                let (start, block) = self.block(text)?;
                let changed = text::with_inserted(text, line, &block);
                Some((format!("{} lines from {} again at {}", block.len(), start + 1, line + 1), changed))
            }
            2 => {
                let (start, block) = self.block(text)?;
                let rest = text::without(text, start, block.len());
                Some((format!("no lines {}-{}", start + 1, start + block.len()), rest))
            }
            _ => Some(("an empty line at the top".to_owned(), format!("\n{text}"))),
        }
    }

    /// Restores all but `kept` of the changed files.
    fn restore(&mut self, mut changed: Vec<String>, kept: usize) -> Change {
        while changed.len() > 1 && changed.len() > kept {
            changed.swap_remove(self.random.below(changed.len()));
            if changed.len() <= KEPT_CHANGED {
                break;
            }
        }
        let writes: BTreeMap<_, _> =
            changed.into_iter().map(|path| (path.clone(), self.original.get(&path).cloned())).collect();
        let what = writes.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        (what, writes)
    }
}

/// Files that differ from the original.
fn list_changed(tree: &Tree, original: &Tree) -> Vec<String> {
    let paths: BTreeSet<&String> = tree.keys().chain(original.keys()).collect();
    paths.into_iter().filter(|path| tree.get(*path) != original.get(*path)).cloned().collect()
}

/// Returns whether no path of the tree would be both file and folder.
fn fits(tree: &Tree, writes: &BTreeMap<String, Option<Arc<str>>>) -> bool {
    let gone = |path: &str| writes.get(path).is_some_and(Option::is_none);
    let stays = |path: &str| (tree.contains_key(path) && !gone(path)) || writes.get(path).is_some_and(Option::is_some);
    writes.iter().filter(|(_, text)| text.is_some()).all(|(path, _)| {
        let above = path.match_indices('/').all(|(end, _)| !stays(&path[..end]));
        let below = format!("{path}/");
        let mut inside = tree.range(below.clone()..).take_while(|(other, _)| other.starts_with(&below));
        above && inside.all(|(other, _)| gone(other))
    })
}

fn one(what: String, path: String, text: String) -> Change {
    let what = if what.contains(&path) { what } else { format!("{path}: {what}") };
    (what, BTreeMap::from([(path, Some(text.into()))]))
}

impl Language {
    /// Spelling of a parameter.
    const fn parameter(self) -> &'static str {
        match self {
            Self::Python => "extra=None",
            Self::Script => "extra",
            Self::Rust => "extra: u32",
            Self::Go => "extra int",
            Self::Java | Self::C => "int extra",
            Self::Manifest => "",
        }
    }
}
