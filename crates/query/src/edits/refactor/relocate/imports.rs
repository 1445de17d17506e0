//! The imports of a file, and changes of them: a name less, a name more.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, EdgeTier, NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_lang::{FileItem, ImportedName, ItemKind, import_statements};

use super::cut::{Parsed, Patch, end_of_head};
use super::spec::Dialect;

/// A name that a file imports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NewName {
    /// The name in the module.
    pub(super) name: String,
    /// The name in the file, where it is not the same.
    pub(super) alias: Option<String>,
    /// Whether it is imported for types only.
    pub(super) is_type: bool,
}

impl NewName {
    pub(super) fn plain(name: &str) -> Self {
        Self { name: name.to_owned(), alias: None, is_type: false }
    }

    fn write(&self, marks_types: bool, is_require: bool) -> String {
        let mark = if self.is_type && marks_types { "type " } else { "" };
        match &self.alias {
            Some(alias) if is_require => format!("{}: {alias}", self.name),
            Some(alias) => format!("{mark}{} as {alias}", self.name),
            None => format!("{mark}{}", self.name),
        }
    }
}

/// A file with its imports, and what changes in it.
pub(super) struct Importer {
    pub(super) parsed: Parsed,
    pub(super) dialect: Dialect,
    /// All imports, also inside of functions.
    pub(super) statements: Vec<FileItem>,
    pub(super) patches: Vec<Patch>,
    /// Names that are taken out, by statement.
    dropped: BTreeMap<usize, Vec<usize>>,
    /// Statements to add at the top of the file.
    added: Vec<(String, NewName)>,
    /// Whole statements to add at the top of the file.
    whole: Vec<String>,
    /// The quote and the end of statements of the file that code comes from.
    given_style: Option<(char, &'static str)>,
    /// Whether the file that code comes from is a CommonJS module, where this one is new.
    is_given_commonjs: bool,
    /// Modules that are not relative, with the files that they were resolved to.
    resolved: Vec<(String, String)>,
    /// What stands behind the imports.
    behind_imports: Option<(usize, String)>,
}

impl Importer {
    pub(super) fn of(snapshot: &Snapshot, parsed: Parsed, dialect: Dialect, cancel: &Cancel) -> Self {
        let statements =
            import_statements(parsed.source.language, parsed.text(), snapshot.limits(), cancel).unwrap_or_default();
        let (patches, dropped) = (Vec::new(), BTreeMap::new());
        let resolved = match dialect {
            Dialect::Script => list_resolved(snapshot, &parsed, &statements),
            Dialect::Python => Vec::new(),
        };
        Self {
            parsed,
            dialect,
            statements,
            patches,
            dropped,
            added: Vec::new(),
            whole: Vec::new(),
            behind_imports: None,
            given_style: None,
            is_given_commonjs: false,
            resolved,
        }
    }

    pub(super) fn path(&self) -> &str {
        self.parsed.source.path.as_str()
    }

    pub(super) fn slice(&self, range: &std::ops::Range<usize>) -> &str {
        &self.parsed.text()[range.clone()]
    }

    /// The module of a statement as it is written.
    pub(super) fn module(&self, statement: usize) -> &str {
        let parts = self.statements[statement].import.as_ref();
        parts.map_or("", |parts| self.slice(&parts.module))
    }

    /// The statement and the name in it around a byte.
    pub(super) fn name_at(&self, at: usize) -> Option<(usize, usize)> {
        self.statements.iter().enumerate().find_map(|(index, item)| {
            let names = &item.import.as_ref()?.names;
            Some((index, names.iter().position(|name| name.bytes.contains(&at))?))
        })
    }

    /// Whether a module that an import of this file writes is the file at a path: by its spelling, or as it was
    /// resolved, which settings of the project may decide.
    pub(super) fn means(&self, written: &str, path: &str) -> bool {
        self.dialect.may_mean(self.path(), written, path)
            || self.resolved.iter().any(|(module, file)| module == written && file == path)
    }

    /// A statement that takes a name from the module at a path.
    pub(super) fn names_from(&self, path: &str, name: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (index, item) in self.statements.iter().enumerate() {
            let Some(parts) = item.import.as_ref().filter(|parts| !parts.module.is_empty()) else { continue };
            if !self.means(self.slice(&parts.module), path) {
                continue;
            }
            let of_name = parts.names.iter().enumerate().filter(|(_, found)| self.slice(&found.name) == name);
            found.extend(of_name.map(|(place, _)| (index, place)));
        }
        found
    }

    /// Statements that take all names of the module at a path.
    pub(super) fn wildcards_from(&self, path: &str) -> Vec<usize> {
        let is_it = |item: &FileItem| {
            let Some(parts) = &item.import else { return false };
            let is_namespace = item.kind == ItemKind::Import && self.dialect == Dialect::Script;
            parts.is_wildcard && !is_namespace && self.means(self.slice(&parts.module), path)
        };
        (0..self.statements.len()).filter(|index| is_it(&self.statements[*index])).collect()
    }

    pub(super) fn import(&self, (statement, name): (usize, usize)) -> NewName {
        let parts = self.statements[statement].import.as_ref().expect("a statement with names");
        let found = &parts.names[name];
        let is_type = parts.is_type_only || self.slice(&found.bytes).starts_with("type ");
        NewName {
            name: self.slice(&found.name).to_owned(),
            alias: found.alias.as_ref().map(|alias| self.slice(alias).to_owned()),
            is_type,
        }
    }

    /// Whether a name is taken out already.
    pub(super) fn is_dropped(&self, (statement, name): (usize, usize)) -> bool {
        self.dropped.get(&statement).is_some_and(|names| names.contains(&name))
    }

    /// Takes a name out of its statement.
    pub(super) fn drop_name(&mut self, (statement, name): (usize, usize)) {
        let names = self.dropped.entry(statement).or_default();
        if !names.contains(&name) {
            names.push(name);
        }
    }

    /// Takes a name out of its statement, and imports it from another module in its place.
    pub(super) fn replace(&mut self, at: (usize, usize), module: &str) {
        let new = self.import(at);
        self.replace_with(at, module, new);
    }

    /// Takes a name out of its statement, and imports another one in its place.
    pub(super) fn replace_with(&mut self, at: (usize, usize), module: &str, new: NewName) {
        self.drop_name(at);
        let item = &self.statements[at.0];
        let is_top = self.parsed.items.iter().any(|top| top.bytes == item.bytes);
        if item.kind == ItemKind::Import && is_top {
            return self.add(module, new);
        }
        // Inside of a function, or a re-export: a statement behind it, or in its place.
        let statement = self.write(item.kind, module, std::slice::from_ref(&new));
        let end = item.bytes.end;
        let line = item.lines.start;
        let indent: String = self.parsed.text()[line..].chars().take_while(|c| *c == ' ' || *c == '\t').collect();
        self.patches.push((end..end, format!("\n{indent}{statement}")));
    }

    /// Imports a name at the top of the file.
    pub(super) fn add(&mut self, module: &str, name: NewName) {
        let new = (module.to_owned(), name);
        if !self.added.contains(&new) {
            self.added.push(new);
        }
    }

    /// Adds a statement before all others, behind comments and the text about the file.
    pub(super) fn add_first(&mut self, statement: &str) {
        let items = &self.parsed.items;
        let first = items.iter().find(|item| item.kind != ItemKind::Comment);
        let at =
            first.or(items.last()).map_or(0, |item| if first.is_some() { item.lines.start } else { item.lines.end });
        self.patches.push((at..at, format!("{statement}\n\n")));
    }

    /// Adds a whole statement at the top of the file.
    pub(super) fn add_statement(&mut self, statement: String) {
        if !self.whole.contains(&statement) && !self.parsed.text().contains(&format!("{statement}\n")) {
            self.whole.push(statement);
        }
    }

    /// A statement in the style of the file.
    fn write(&self, kind: ItemKind, module: &str, names: &[NewName]) -> String {
        match self.dialect {
            Dialect::Python => {
                let names: Vec<String> = names.iter().map(|name| name.write(false, false)).collect();
                let (line, names) = (format!("from {module} import "), names.join(", "));
                format!("{line}{names}")
            }
            Dialect::Script if self.is_commonjs() => {
                let rows: Vec<String> = names.iter().map(|name| name.write(false, true)).collect();
                let (quote, end) = self.style();
                format!("const {{ {} }} = require({quote}{module}{quote}){end}", rows.join(", "))
            }
            Dialect::Script => {
                let word = if kind == ItemKind::Reexport { "export" } else { "import" };
                let is_type = names.iter().all(|name| name.is_type);
                let rows: Vec<String> = names.iter().map(|name| name.write(!is_type, false)).collect();
                let (quote, end) = self.style();
                let mark = if is_type { " type" } else { "" };
                format!("{word}{mark} {{ {} }} from {quote}{module}{quote}{end}", rows.join(", "))
            }
        }
    }

    /// Where the file has no style of its own, it gets that of another one.
    pub(super) fn fall_back_to_style(&mut self, other: &Self) {
        if self.parsed.text().trim().is_empty() {
            self.given_style = Some(other.style());
        }
        if !self.is_module() {
            self.is_given_commonjs = other.is_commonjs();
        }
    }

    /// Whether a script has statements that import or export.
    pub(super) fn is_module(&self) -> bool {
        let is_statement = |item: &FileItem| matches!(&*item.node_kind, "import_statement" | "export_statement");
        self.dialect == Dialect::Script && self.parsed.items.iter().any(is_statement)
    }

    /// Whether the file is a CommonJS module: it requires or sets `exports`, and imports and exports nothing.
    pub(super) fn is_commonjs(&self) -> bool {
        let is_require = |item: &FileItem| item.import.as_ref().is_some_and(|parts| parts.is_require);
        let facts = &self.parsed.facts;
        let requires = self.statements.iter().any(is_require) || facts.imports.iter().any(|row| row.flags.commonjs);
        self.is_given_commonjs
            || self.dialect == Dialect::Script && !self.is_module() && (requires || !facts.exports.is_empty())
    }

    /// The quote of modules and the end of statements in a script.
    pub(super) fn style(&self) -> (char, &'static str) {
        if let Some(style) = self.given_style {
            return style;
        }
        let text = self.parsed.text();
        let Some(item) = self.statements.iter().find(|item| item.import.is_some()) else {
            let is_double = text.matches('"').count() > text.matches('\'').count();
            let has_end = text.lines().filter(|line| line.ends_with(';')).count() * 4 > text.lines().count();
            return (if is_double { '"' } else { '\'' }, if has_end || text.is_empty() { ";" } else { "" });
        };
        let statement = self.slice(&item.bytes);
        (if statement.contains('"') { '"' } else { '\'' }, if statement.ends_with(';') { ";" } else { "" })
    }

    /// Whether the file imports relative to itself, by the first import that does, or that is of the same project.
    pub(super) fn typical(&self, is_of_project: impl Fn(&str) -> bool) -> Option<String> {
        let modules: Vec<&str> = (0..self.statements.len()).map(|index| self.module(index)).collect();
        let relative = modules.iter().find(|module| module.starts_with('.'));
        let found = relative.or_else(|| modules.iter().find(|module| is_of_project(module)));
        found.map(|module| (*module).to_owned())
    }

    /// The new text of the file; `None` if nothing changes.
    pub(super) fn finish_if_changed(self) -> Option<String> {
        let is_changed =
            !self.patches.is_empty() || !self.dropped.is_empty() || !self.added.is_empty() || !self.whole.is_empty();
        is_changed.then(|| self.finish())
    }

    /// The new text of the file, with something more behind its imports.
    pub(super) fn finish_with(mut self, (at, text): (usize, String)) -> String {
        self.behind_imports = Some((at, text));
        self.finish()
    }

    /// The new text of the file.
    pub(super) fn finish(mut self) -> String {
        let mut patches = std::mem::take(&mut self.patches);
        let added = std::mem::take(&mut self.added);
        let mut left: Vec<(String, Vec<NewName>)> = Vec::new();
        // Names that are added to statements of the same module.
        let mut joined: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (module, name) in added {
            match self.find_joinable(&module, &name) {
                Some((statement, row)) => joined.entry(statement).or_default().push(row),
                None => match left.iter_mut().find(|(known, rows)| *known == module && rows[0].is_type == name.is_type)
                {
                    Some((_, rows)) => rows.push(name),
                    None => left.push((module, vec![name])),
                },
            }
        }
        for index in 0..self.statements.len() {
            let dropped = self.dropped.get(&index).cloned().unwrap_or_default();
            let more = joined.remove(&index).unwrap_or_default();
            if !dropped.is_empty() || !more.is_empty() {
                patches.push(self.rewrite(index, &dropped, more));
            }
        }
        let mut rows: Vec<String> = self.whole.clone();
        rows.extend(left.into_iter().map(|(module, mut names)| {
            names.sort();
            self.write(ItemKind::Import, &module, &names)
        }));
        let behind = self.behind_imports.take();
        if !rows.is_empty() {
            let (at, block) = self.place(rows);
            // Before what else begins at the place.
            patches.insert(0, (at, block + behind.as_ref().map_or("", |(_, text)| text.as_str())));
        } else if let Some((at, text)) = behind {
            patches.push((at..at, text));
        }
        super::cut::apply(self.parsed.text(), patches)
    }

    /// A statement at the top that a name can join.
    fn find_joinable(&self, module: &str, name: &NewName) -> Option<(usize, String)> {
        let is_top = |item: &FileItem| self.parsed.items.iter().any(|top| top.bytes == item.bytes);
        let fits = |index: &usize| {
            let item = &self.statements[*index];
            let Some(parts) = &item.import else { return false };
            let dropped = self.dropped.get(index).map_or(0, Vec::len);
            item.kind == ItemKind::Import
                && is_top(item)
                && self.module(*index) == module
                && !parts.is_wildcard
                && parts.names.len() > dropped
                && (!parts.is_type_only || name.is_type)
        };
        let index = (0..self.statements.len()).find(fits)?;
        let parts = self.statements[index].import.as_ref();
        let (is_type_only, is_require) = parts.map_or((false, false), |parts| (parts.is_type_only, parts.is_require));
        let marks_types = self.dialect == Dialect::Script && !is_type_only && !is_require;
        Some((index, name.write(marks_types, is_require)))
    }

    /// A statement with some names less and some more.
    fn rewrite(&self, index: usize, dropped: &[usize], more: Vec<String>) -> Patch {
        let item = &self.statements[index];
        let parts = item.import.as_ref().expect("a statement with names");
        let kept: Vec<&ImportedName> = parts
            .names
            .iter()
            .enumerate()
            .filter(|(place, _)| !dropped.contains(place))
            .map(|(_, name)| name)
            .collect();
        if kept.is_empty() && more.is_empty() && !parts.is_wildcard {
            return self.remove(index, parts.default.clone());
        }
        let (Some(first), Some(last)) = (parts.names.first(), parts.names.last()) else {
            return (item.bytes.end..item.bytes.end, String::new());
        };
        let list = first.bytes.start..last.bytes.end;
        let between = self.slice(&list);
        let mut rows: Vec<String> = kept.iter().map(|name| self.slice(&name.bytes).to_owned()).collect();
        rows.extend(more);
        // One name a line where there was one a line.
        let separator = match between.find('\n') {
            Some(at) => {
                let indent: String = between[at + 1..].chars().take_while(|c| c.is_whitespace()).collect();
                format!(",\n{indent}")
            }
            None => ", ".to_owned(),
        };
        (list, rows.join(&separator))
    }

    /// Removes a statement; only its braces where it has a default import.
    fn remove(&self, index: usize, default: Option<std::ops::Range<usize>>) -> Patch {
        let item = &self.statements[index];
        if let Some(default) = default {
            let rest = self.slice(&(default.end..item.bytes.end));
            let end = rest.find('}').map_or(default.end, |at| default.end + at + 1);
            return (default.end..end, String::new());
        }
        let text = self.parsed.text();
        // A body of Python must not be empty.
        let is_inner = item.lines.start < item.bytes.start && self.dialect == Dialect::Python;
        let follows = self.patches.iter().any(|(range, with)| range.start == item.bytes.end && !with.is_empty());
        match (is_inner, follows) {
            // What follows begins with a line break and the indentation.
            (_, true) => {
                let line = item.lines.start;
                let start = text[..line].len().saturating_sub(1);
                match line {
                    0 => (item.bytes.clone(), String::new()),
                    _ => (start..item.bytes.end, String::new()),
                }
            }
            (true, false) => (item.bytes.clone(), "pass".to_owned()),
            (false, false) => (item.lines.clone(), String::new()),
        }
    }

    /// New statements behind the last import at the top, or where the code begins.
    fn place(&self, mut rows: Vec<String>) -> Patch {
        let text = self.parsed.text();
        let at = end_of_head(&self.parsed.items);
        let has_imports = self.parsed.items.iter().any(|item| item.kind == ItemKind::Import);
        rows.sort_by_key(|row| group_of(row));
        let mut block = String::new();
        for (index, row) in rows.iter().enumerate() {
            let starts_group = index > 0 && group_of(row) != group_of(&rows[index - 1]);
            // A file with imports has groups of its own.
            if starts_group && (!has_imports || row.starts_with("if "))
                || index == 0 && row.starts_with("if ") && at > 0
            {
                block.push('\n');
            }
            block.push_str(row);
            block.push('\n');
        }
        let before = if at > 0 && !text[..at].ends_with('\n') { "\n" } else { "" };
        let is_followed = !text[at..].is_empty() && !text[at..].starts_with('\n');
        let (above, below) = match has_imports {
            true => ("", ""),
            false => (if at > 0 { "\n" } else { "" }, if is_followed { "\n" } else { "" }),
        };
        (at..at, format!("{before}{above}{block}{below}"))
    }
}

/// The modules of a file that are not relative, with the files of the project that they lead to.
fn list_resolved(snapshot: &Snapshot, parsed: &Parsed, statements: &[FileItem]) -> Vec<(String, String)> {
    let graph = snapshot.graph();
    let Some(file) = graph.find_file(parsed.source.path.as_str()) else { return Vec::new() };
    let is_alias = |item: &&FileItem| {
        let module = item.import.as_ref().map(|parts| &parsed.text()[parts.module.clone()]);
        module.is_some_and(|module| !module.is_empty() && !module.starts_with('.'))
    };
    let aliased: Vec<&FileItem> = statements.iter().filter(is_alias).collect();
    if aliased.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let is_module = |edge: &m1nd_graph::EdgeRef<'_>| {
        matches!(edge.relation, Relation::Imports | Relation::Reexports)
            && edge.tier == EdgeTier::Certain
            && graph.kind(edge.to) == NodeKind::File
    };
    for edge in graph.out_edges(file).filter(is_module) {
        for at in edge.sites.iter().filter_map(|pos| parsed.offset(pos)) {
            let statement = aliased.iter().find(|item| item.bytes.contains(&at));
            let parts = statement.and_then(|item| item.import.as_ref());
            found.extend(
                parts.map(|parts| (parsed.text()[parts.module.clone()].to_owned(), graph.path(edge.to).to_owned())),
            );
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The group of an import: of the language, of other packages, of this one, and those under a condition.
fn group_of(row: &str) -> u8 {
    match row {
        row if row.starts_with("from __future__") => 0,
        row if row.starts_with("if ") => 3,
        row if row.starts_with("from .") => 2,
        _ => 1,
    }
}
