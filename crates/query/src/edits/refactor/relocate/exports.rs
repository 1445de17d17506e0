//! What a script exports: definitions that a move makes visible to other files.

use m1nd_base::RepoPath;
use m1nd_lang::facts::DefKind;

use super::cut::append;
use super::draft::folder_of;
use super::imports::Importer;
use super::modules::Moving;
use crate::edits::refactor::{CannotRefactor, Note, read_plain};

/// Setting of TypeScript by which the types of all exports must be written.
const WRITTEN_TYPES: &str = "\"isolatedDeclarations\":true";

impl Moving<'_> {
    /// Exports a definition that stays in the old file.
    pub(super) fn raise(&mut self, name: &str) -> Result<(), CannotRefactor> {
        let parsed = &self.origin.parsed;
        let mut own = parsed.facts.definitions.iter().filter(|definition| definition.owner.is_none());
        let found = own.find(|definition| parsed.facts.name(definition.name) == name);
        let item =
            found.and_then(|found| parsed.items.iter().find(|item| item.bytes.contains(&(found.bytes.0 as usize))));
        let (Some(found), Some(item)) = (found, item.filter(|item| &*item.node_kind != "export_statement")) else {
            let what = "what it uses of its old file is not exported";
            return Err(CannotRefactor::at(
                what,
                self.origin.path(),
                0,
                format!("has `{name}` in a form that is not known"),
            ));
        };
        let (line, at) = (found.pos.line, item.bytes.start);
        self.check_written_types(name)?;
        if self.origin.is_commonjs() {
            let what = format!("`{name}` is exported, since what moved uses it");
            self.notes.push(Note { file: self.origin.path().to_owned(), line, what });
            let end = self.origin.parsed.text().len();
            match export_object(&self.origin) {
                Some(object) => add_to_object(&mut self.origin, object, name),
                None => {
                    let statement = export_statement(&self.origin, name);
                    self.origin.patches.push((end..end, format!("\n{statement}\n")));
                }
            }
            return Ok(());
        }
        let what = format!("`{name}` is exported, since what moved uses it");
        self.notes.push(Note { file: self.origin.path().to_owned(), line, what });
        self.origin.patches.push((at..at, "export ".to_owned()));
        Ok(())
    }

    /// Marks a definition of a script as exported, where others import it.
    pub(super) fn mark_exported(&self, text: String) -> Result<String, CannotRefactor> {
        if self.origin.is_commonjs() {
            return Ok(text);
        }
        let graph = self.graph();
        let is_used = self.stays_in_use || !self.users.is_empty() || self.is_in_export_clause();
        let label = graph.label(self.nodes[0]);
        let starts: Vec<usize> = self
            .cuts
            .iter()
            .filter(|_| is_used)
            .map(|cut| &self.origin.parsed.items[*cut])
            .filter(|item| &*item.node_kind != "export_statement" && self.origin.slice(&item.bytes).contains(label))
            .map(|item| item.bytes.start)
            .collect();
        let mut text = text;
        for start in starts {
            self.check_written_types(label)?;
            let statement = &self.origin.parsed.text()[start..];
            let line = statement.lines().next().unwrap_or_default();
            if let Some(at) = text.find(line) {
                text.insert_str(at, "export ");
            }
        }
        Ok(text)
    }

    fn is_in_export_clause(&self) -> bool {
        let graph = self.graph();
        let facts = &self.origin.parsed.facts;
        facts.exports.iter().any(|export| facts.name(export.name) == graph.label(self.nodes[0]))
    }

    /// Refuses to export a definition without written types, where the project wants them on exports.
    fn check_written_types(&self, name: &str) -> Result<(), CannotRefactor> {
        let facts = &self.origin.parsed.facts;
        let own =
            facts.definitions.iter().enumerate().find(|(_, row)| row.owner.is_none() && facts.name(row.name) == name);
        let Some((index, found)) = own else { return Ok(()) };
        let id = m1nd_lang::facts::DefId(u32::try_from(index).unwrap_or(u32::MAX));
        let has_types = match found.kind {
            DefKind::Interface | DefKind::TypeAlias | DefKind::Enum => true,
            // Types of members are not compared.
            DefKind::Class => false,
            _ => {
                let behind = self.origin.parsed.offset(found.pos).map(|at| &self.origin.parsed.text()[at..]);
                let behind = behind.and_then(|text| text.strip_prefix(name)).unwrap_or_default();
                // `const load: Loader = …` has the type of its name.
                behind.trim_start().starts_with(':')
                    || found.declared.is_some() && facts.parameters(id).iter().all(|row| row.declared.is_some())
            }
        };
        if has_types || !self.wants_written_types() {
            return Ok(());
        }
        let what = format!("`{name}` would have to be exported");
        let why = "has no written types, which `isolatedDeclarations` wants on exports";
        Err(CannotRefactor::at(what, self.origin.path(), found.pos.line, why))
    }

    /// Whether settings of the compiler, in a folder around the old or the new file, want written types on exports.
    fn wants_written_types(&self) -> bool {
        let is_around = |path: &str| {
            let folder = folder_of(path);
            [self.origin.path(), self.to.as_str()]
                .iter()
                .any(|file| folder.is_empty() || file.starts_with(&format!("{folder}/")))
        };
        let is_set = |path: &RepoPath| {
            let text = read_plain(self.snapshot, path).map(|source| source.text).unwrap_or_default();
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let plain: String = lines.flat_map(|line| line.chars().filter(|c| !c.is_whitespace())).collect();
            plain.contains(WRITTEN_TYPES)
        };
        let mut settings = self.snapshot.files().iter().map(|entry| &entry.path).filter(|path| {
            path.file_name().starts_with("tsconfig") && path.as_str().ends_with(".json") && is_around(path.as_str())
        });
        settings.any(is_set)
    }

    /// Refuses a target of a different kind of module: what one exports, the other does not see by name.
    pub(super) fn check_kind_of_module(&self) -> Result<(), CannotRefactor> {
        let Some(target) = &self.target else { return Ok(()) };
        let (own, other) = (self.origin.is_commonjs(), target.is_commonjs());
        if own && target.is_module() || other && self.origin.is_module() {
            let what = "the kind of module would change";
            let why = if other { "is a CommonJS module" } else { "is not a CommonJS module" };
            return Err(CannotRefactor::at(what, self.to.as_str(), 0, why));
        }
        Ok(())
    }

    /// Whether a place of the old file only exports: `module.exports = { load }`, `exports.load = load`.
    pub(super) fn is_in_exports(&self, at: usize) -> bool {
        let is_export = |item: &&m1nd_lang::FileItem| {
            let statement = self.origin.slice(&item.bytes);
            let (target, value) = statement.split_once('=').unwrap_or((statement, ""));
            let name = value.trim().trim_end_matches(';');
            let is_row = ["exports", "module.exports"].iter().any(|word| target.trim() == format!("{word}.{name}"));
            is_row || export_object(&self.origin).is_some_and(|(open, _)| item.bytes.contains(&open))
        };
        self.origin.is_commonjs()
            && self.origin.parsed.items.iter().filter(is_export).any(|item| item.bytes.contains(&at))
    }

    /// Takes the definitions out of what a CommonJS module exports.
    pub(super) fn drop_from_exports(&mut self, labels: &[String]) {
        let cuts = self.cut_ranges();
        let text = self.origin.parsed.text();
        let mut patches = Vec::new();
        let is_cut = |at: usize| cuts.iter().any(|cut| cut.contains(&at));
        for item in self.origin.parsed.items.iter().filter(|item| !is_cut(item.bytes.start)) {
            let statement = text[item.bytes.clone()].trim_end_matches(';').trim_end();
            let is_row = |label: &String| {
                ["exports", "module.exports"].iter().any(|word| statement == format!("{word}.{label} = {label}"))
            };
            if labels.iter().any(is_row) {
                patches.push((item.lines.clone(), String::new()));
            }
        }
        if let Some((open, close)) = export_object(&self.origin) {
            let rows: Vec<&str> = text[open + 1..close].split(',').collect();
            let is_own =
                |row: &str| labels.iter().any(|label| row.trim() == label || row.trim() == format!("{label}: {label}"));
            let mut at = open + 1;
            for (index, row) in rows.iter().enumerate() {
                let end = at + row.len();
                if is_own(row) {
                    // With the comma behind it, or before the last one.
                    let is_last = index + 1 == rows.len();
                    let start = if is_last && index > 0 { at - 1 } else { at };
                    let end = if is_last { at + row.trim_end().len() } else { end + 1 };
                    patches.push((start..end, String::new()));
                }
                at = end + 1;
            }
        }
        self.origin.patches.extend(patches);
    }

    /// The new text of a CommonJS module with the definition in it, exported if others use it.
    pub(super) fn fill_commonjs(&self, mut target: Importer, definition: &str, gap: usize) -> String {
        let label = self.graph().label(self.nodes[0]).to_owned();
        let is_used = self.stays_in_use || !self.users.is_empty() || self.is_in_export_clause();
        let sets_itself = ["exports.", "module.exports."].iter().any(|word| definition.starts_with(word));
        if !is_used || sets_itself {
            return append(&target.finish(), definition, gap);
        }
        let Some(object) = export_object(&target) else {
            let statement = match target.parsed.facts.exports.is_empty() {
                true => format!("module.exports = {{ {label} }}{}", target.style().1),
                false => export_statement(&target, &label),
            };
            let text = append(&target.finish(), definition, gap);
            return append(&text, &statement, gap);
        };
        // Above the list, so that it is defined there.
        let at =
            target.parsed.items.iter().find(|item| item.bytes.contains(&object.0)).map_or(0, |item| item.lines.start);
        target.patches.push((at..at, format!("{}\n{}", definition.trim_end(), "\n".repeat(gap))));
        add_to_object(&mut target, object, &label);
        target.finish()
    }
}

/// The braces of `module.exports = { a, b }`, if all of its rows are names.
fn export_object(file: &Importer) -> Option<(usize, usize)> {
    let text = file.parsed.text();
    file.parsed.items.iter().find_map(|item| {
        let statement = &text[item.bytes.clone()];
        let rest = statement.strip_prefix("module.exports")?.trim_start().strip_prefix('=')?.trim_start();
        let open = item.bytes.start + (statement.len() - rest.len());
        let close = item.bytes.start + statement.trim_end_matches([';', ' ', '\n']).len() - 1;
        let inner = text.get(open + 1..close)?;
        let is_list = rest.starts_with('{') && text[close..].starts_with('}') && !inner.contains(['{', '(', '[', '/']);
        is_list.then_some((open, close))
    })
}

/// Adds a name to a list of exports.
fn add_to_object(file: &mut Importer, (open, close): (usize, usize), name: &str) {
    let inner = &file.parsed.text()[open + 1..close];
    let kept = inner.trim_end();
    let at = open + 1 + kept.len();
    let last = kept.rsplit('\n').next().unwrap_or_default();
    let indent: String = last.chars().take_while(|c| c.is_whitespace()).collect();
    let with = match (kept.is_empty(), kept.contains('\n')) {
        (true, _) => format!(" {name}"),
        (false, true) if kept.ends_with(',') => format!("\n{indent}{name},"),
        (false, true) => format!(",\n{indent}{name}"),
        (false, false) => format!("{} {name}", if kept.ends_with(',') { "" } else { "," }),
    };
    file.patches.push((at..at, with));
}

/// The statement that exports a name of a CommonJS module.
fn export_statement(file: &Importer, name: &str) -> String {
    let word = if file.parsed.text().contains("module.exports") { "module.exports" } else { "exports" };
    format!("{word}.{name} = {name}{}", file.style().1)
}
