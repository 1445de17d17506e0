//! Moves of a whole file of Python or a script: its imports and those of its users follow.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_lang::ItemKind;

use super::cut::Parsed;
use super::imports::Importer;
use super::spec::{Dialect, Speller, word_places};
use super::{Move, helpers};
use crate::edits::refactor::trial::Trial;
use crate::edits::refactor::{CannotRefactor, NewFile, Note, Obstacle, Refactoring, read_plain};

/// Endings of files that may name a file of code.
const SETTINGS: &[&str] = &[".toml", ".cfg", ".ini", ".json", ".yml", ".yaml"];
/// What loads a module of a script by a text.
const LOADERS: &[&str] = &["require(", "import(", "jest.mock(", "vi.mock("];

/// Plans the move of a file.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(
    snapshot: &Snapshot,
    (request, dialect): (&Move, Dialect),
    cancel: &Cancel,
) -> Result<Refactoring, CannotRefactor> {
    let from = snapshot.graph().path(request.node).to_owned();
    let to = helpers::target_path(snapshot, &from, &request.to)?;
    if snapshot.files().get(&to).is_some() {
        let what = format!("`{to}` is there already");
        return Err(CannotRefactor::at(what, to.as_str(), 0, "would be overwritten"));
    }
    if dialect.stands_for_folder(&from) || dialect.stands_for_folder(to.as_str()) {
        let what = "a file that stands for its folder is not moved alone";
        return Err(CannotRefactor::at(what, &from, 0, "has the name of its folder in imports, or would have it"));
    }
    let speller = Speller::new(dialect, snapshot);
    let mut file = WholeFile { snapshot, cancel, dialect, speller, from, to, users: BTreeMap::new(), rewritten: 0 };
    file.find_obstacles()?;
    file.follow_users()?;
    let text = file.own_text()?;
    file.finish(text)
}

/// A file that moves.
struct WholeFile<'a> {
    snapshot: &'a Snapshot,
    cancel: &'a Cancel,
    dialect: Dialect,
    speller: Speller<'a>,
    from: String,
    to: RepoPath,
    users: BTreeMap<String, Importer>,
    rewritten: usize,
}

impl WholeFile<'_> {
    /// The dotted name of the module in Python.
    fn spell_dotted(&self, path: &str) -> String {
        self.speller.spell("", path, None)
    }

    /// Settings and texts that name the file.
    fn find_obstacles(&self) -> Result<(), CannotRefactor> {
        let dotted = self.spell_dotted(&self.from);
        let mut places = Vec::new();
        for entry in self.snapshot.files().iter() {
            self.cancel.check()?;
            let path = entry.path.as_str();
            let is_setting = SETTINGS.iter().any(|ending| path.ends_with(ending));
            let is_script = self.dialect == Dialect::Script && Dialect::of(entry.language) == Some(Dialect::Script);
            if !is_setting && !is_script {
                continue;
            }
            let Ok(source) = read_plain(self.snapshot, &entry.path) else { continue };
            for (line, text) in (1..).zip(source.text.lines()) {
                let names_it = match is_setting {
                    true => text.contains(&self.from) || self.dialect == Dialect::Python && names_module(text, &dotted),
                    false => self.is_loaded(path, text),
                };
                if names_it {
                    places.push(Obstacle { file: path.to_owned(), line, why: "names the file in a text".to_owned() });
                }
            }
        }
        match places.is_empty() {
            true => Ok(()),
            false => {
                Err(CannotRefactor::Obstacles { what: format!("not every use of `{}` can follow", self.from), places })
            }
        }
    }

    /// Whether a line of a script loads the file by a text.
    fn is_loaded(&self, path: &str, line: &str) -> bool {
        let mut calls =
            LOADERS.iter().flat_map(|loader| line.match_indices(loader).map(|(at, word)| &line[at + word.len()..]));
        calls.any(|rest| {
            let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) else { return false };
            let written = rest[1..].split(quote).next().unwrap_or_default();
            let names_it = self.dialect.may_mean(path, written, &self.from);
            // The file itself loads what stands beside it.
            names_it || path == self.from && written.starts_with('.')
        })
    }

    fn user(&mut self, path: &str) -> Result<&mut Importer, CannotRefactor> {
        if !self.users.contains_key(path) {
            let parsed = Parsed::read(self.snapshot, path, self.cancel)?;
            let importer = Importer::of(self.snapshot, parsed, self.dialect, self.cancel);
            self.users.insert(path.to_owned(), importer);
        }
        self.users.get_mut(path).ok_or(CannotRefactor::File { path: path.to_owned(), why: "cannot be read" })
    }

    /// Rewrites the modules of imports in other files.
    fn follow_users(&mut self) -> Result<(), CannotRefactor> {
        let importers = helpers::list_importers(self.snapshot.graph(), &self.from);
        for path in importers {
            let language =
                RepoPath::new(&path).ok().and_then(|path| self.snapshot.files().get(&path)).map(|file| file.language);
            if language.and_then(Dialect::of) != Some(self.dialect) {
                let what = format!("not every use of `{}` can follow", self.from);
                return Err(CannotRefactor::at(what, &path, 0, "imports it, and its imports are not rewritten"));
            }
            self.follow_user(&path)?;
        }
        if self.dialect == Dialect::Python {
            self.follow_texts()?;
        }
        Ok(())
    }

    fn follow_user(&mut self, path: &str) -> Result<(), CannotRefactor> {
        let (from, to, dialect) = (self.from.clone(), self.to.as_str().to_owned(), self.dialect);
        let mut modules = Vec::new();
        let mut parts = Vec::new();
        let user = self.user(path)?;
        for (index, item) in user.statements.iter().enumerate() {
            let Some(import) = &item.import else { continue };
            let written = user.slice(&import.module).to_owned();
            if !written.is_empty() && user.means(&written, &from) {
                modules.push((import.module.clone(), written));
                continue;
            }
            if dialect == Dialect::Script {
                continue;
            }
            for (place, name) in import.names.iter().enumerate() {
                let own = user.slice(&name.name);
                let full = match (written.as_str(), written.ends_with('.')) {
                    ("", _) => own.to_owned(),
                    (_, true) => format!("{written}{own}"),
                    _ => format!("{written}.{own}"),
                };
                if dialect.may_mean(path, &full, &from) {
                    parts.push(((index, place), written.clone(), full));
                }
            }
        }
        for (range, like) in modules {
            let module = self.speller.spell(path, &to, Some(&like));
            self.user(path)?.patches.push((range, module));
            self.rewritten += 1;
        }
        for (row, written, full) in parts {
            self.rewritten += 1;
            if written.is_empty() {
                self.follow_dotted(path, row, &full)?;
                continue;
            }
            // `from pkg import a`: the package and the name may both be new.
            let module = self.speller.spell(path, &to, Some(&written));
            let (package, stem) = match module.rfind('.') {
                Some(at) if at + 1 < module.len() && module[..at].chars().all(|c| c == '.') => {
                    (module[..=at].to_owned(), module[at + 1..].to_owned())
                }
                Some(at) => (module[..at].to_owned(), module[at + 1..].to_owned()),
                None => {
                    let what = "an import of the file cannot be written";
                    return Err(CannotRefactor::at(
                        what,
                        path,
                        0,
                        "imports it from its package, and it would be in none",
                    ));
                }
            };
            let user = self.user(path)?;
            let known = user.import(row);
            let bound = known.alias.clone().unwrap_or_else(|| known.name.clone());
            let alias = (known.alias.is_some() || bound != stem).then_some(bound);
            user.replace_with(row, &package, super::imports::NewName { name: stem, alias, is_type: false });
        }
        Ok(())
    }

    /// `import pkg.a`, and `pkg.a.load` below it.
    fn follow_dotted(&mut self, path: &str, row: (usize, usize), full: &str) -> Result<(), CannotRefactor> {
        let new = self.spell_dotted(self.to.as_str());
        let user = self.user(path)?;
        let import = user.statements[row.0].import.as_ref().expect("a statement with names");
        let name = &import.names[row.1];
        let (range, has_alias) = (name.name.clone(), name.alias.is_some());
        let mut patches = vec![(range.clone(), new.clone())];
        if !has_alias {
            let text = user.parsed.text();
            let statements = &user.statements;
            let is_import =
                |at: usize| statements.iter().any(|item| item.kind == ItemKind::Import && item.bytes.contains(&at));
            let uses = word_places(text, full).filter(|at| !is_import(*at) && !text[..*at].ends_with('.'));
            patches.extend(uses.map(|at| (at..at + full.len(), new.clone())));
        }
        user.patches.extend(patches);
        Ok(())
    }

    /// Texts of Python that name something of the module by its dotted name: `patch("pkg.a.load")`.
    fn follow_texts(&mut self) -> Result<(), CannotRefactor> {
        let (old, new) = (self.spell_dotted(&self.from), self.spell_dotted(self.to.as_str()));
        if !old.contains('.') {
            return Ok(());
        }
        let paths: Vec<String> = self
            .snapshot
            .files()
            .iter()
            .filter(|file| Dialect::of(file.language) == Some(Dialect::Python) && file.path.as_str() != self.from)
            .map(|file| file.path.as_str().to_owned())
            .collect();
        for path in paths {
            self.cancel.check()?;
            let Ok(source) = RepoPath::new(&path).map(|path| read_plain(self.snapshot, &path)) else { continue };
            let Ok(source) = source else { continue };
            let text = &source.text;
            let places: Vec<usize> = word_places(text, &old)
                .filter(|at| {
                    text[..*at].ends_with(['"', '\'']) && text[*at + old.len()..].starts_with(['.', ':', '"', '\''])
                })
                .collect();
            for at in places {
                self.user(&path)?.patches.push((at..at + old.len(), new.clone()));
                self.rewritten += 1;
            }
        }
        Ok(())
    }

    /// The text of the file at its new place.
    fn own_text(&self) -> Result<String, CannotRefactor> {
        let parsed = Parsed::read(self.snapshot, &self.from, self.cancel)?;
        let mut own = Importer::of(self.snapshot, parsed, self.dialect, self.cancel);
        let mut patches = Vec::new();
        for item in &own.statements {
            let Some(import) = &item.import else { continue };
            let written = own.slice(&import.module);
            let is_relative = self.dialect.resolve_relative(&self.from, written).is_some();
            if !written.is_empty() && is_relative {
                let line = own.parsed.line_of(item.bytes.start);
                let what = "an import of the file cannot be written for its new place";
                let module = self.speller.respell(&self.from, self.to.as_str(), written);
                let module = module
                    .ok_or_else(|| CannotRefactor::at(what, &self.from, line, "leads to no file of the project"))?;
                patches.push((import.module.clone(), module));
            }
        }
        own.patches = patches;
        Ok(own.finish())
    }

    fn finish(self, text: String) -> Result<Refactoring, CannotRefactor> {
        let Self { snapshot, cancel, from, to, users, rewritten, .. } = self;
        let old_path =
            RepoPath::new(&from).map_err(|_| CannotRefactor::File { path: from.clone(), why: "has no valid path" })?;
        let before = snapshot.files().get(&old_path).map(|file| file.hash);
        let mut files = vec![
            NewFile { path: old_path, before, text: None },
            NewFile { path: to.clone(), before: None, text: Some(text) },
        ];
        for (path, user) in users {
            let before = Some(user.parsed.source.hash);
            if let (Some(text), Ok(path)) = (user.finish_if_changed(), RepoPath::new(&path)) {
                files.push(NewFile { path, before, text: Some(text) });
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let trial = Trial::link(snapshot, &files, cancel)?.without_cycles();
        let (old_id, new_id) = (format!("file::{from}"), format!("file::{to}"));
        let then = |id: &str| {
            let rest = id.strip_prefix(old_id.as_str()).filter(|rest| rest.is_empty() || rest.starts_with("::"));
            Some(rest.map_or_else(|| id.to_owned(), |rest| format!("{new_id}{rest}")))
        };
        let now = |id: &str| Some(id.to_owned());
        trial.check(&then, &now, cancel)?;
        let what = "code outside of the project that imports the file by its old name is not changed".to_owned();
        Ok(Refactoring { files, places: rewritten, notes: vec![Note { file: from, line: 0, what }] })
    }
}

/// Whether a text names a module by its dotted name.
fn names_module(text: &str, dotted: &str) -> bool {
    dotted.contains('.') && word_places(text, dotted).next().is_some()
}
