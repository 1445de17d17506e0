//! The imports of a Go file: which package each name in front of a dot means, and a text whose imports fit its code.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use m1nd_base::Cancel;
use m1nd_engine::{Language, Snapshot};
use m1nd_lang::{CodeWord, FileItem, ItemKind, file_items};

use super::super::cut::{apply, deletion};
use super::super::draft::read_words;

/// An import of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Spec {
    /// Its bytes: `yaml "gopkg.in/yaml.v3"`.
    pub(in super::super) bytes: Range<usize>,
    /// The import declaration around it, as its place among the statements.
    item: usize,
    pub(in super::super) path: String,
    pub(in super::super) alias: Option<String>,
    /// The name that the file uses it by.
    pub(in super::super) name: String,
}

/// A text with its imports.
pub(in super::super) struct Imports {
    text: String,
    items: Vec<FileItem>,
    pub(in super::super) specs: Vec<Spec>,
    /// Names in front of a dot.
    pub(in super::super) qualifiers: BTreeSet<String>,
    /// Names that are not in front of a dot, nor behind one.
    pub(in super::super) plain: BTreeSet<String>,
}

impl Imports {
    /// Reads a text. `known` has the names of packages of the project by their import paths.
    pub(in super::super) fn read(
        snapshot: &Snapshot,
        text: &str,
        known: &BTreeMap<String, String>,
        cancel: &Cancel,
    ) -> Option<Self> {
        let items = file_items(Language::Go, text, snapshot.limits(), cancel)?;
        let words = read_words(snapshot, Language::Go, text, cancel)?;
        let qualifiers: BTreeSet<String> =
            words.iter().filter(|word| is_qualifier(word)).map(|word| text[word.bytes.clone()].to_owned()).collect();
        let is_plain = |word: &&CodeWord| !is_qualifier(word) && !word.is_member && word.kind != "field_identifier";
        let plain = words.iter().filter(is_plain).map(|word| text[word.bytes.clone()].to_owned()).collect();
        let mut specs = Vec::new();
        for (index, item) in items.iter().enumerate() {
            for spec in item.import.iter().flat_map(|parts| &parts.names) {
                let path = text[spec.name.clone()].trim_matches(['"', '`']).to_owned();
                let alias = spec.alias.clone().map(|alias| text[alias].to_owned());
                let name = alias.clone().unwrap_or_else(|| guess_name(&path, known, &qualifiers));
                specs.push(Spec { bytes: spec.bytes.clone(), item: index, path, alias, name });
            }
        }
        Some(Self { text: text.to_owned(), items, specs, qualifiers, plain })
    }

    pub(in super::super) fn by_name(&self, name: &str) -> Option<&Spec> {
        self.specs.iter().find(|spec| spec.name == name)
    }

    pub(in super::super) fn by_path(&self, path: &str) -> Option<&Spec> {
        let is_usable = |spec: &&Spec| spec.path == path && !matches!(spec.name.as_str(), "." | "_");
        self.specs.iter().find(is_usable)
    }

    /// The text without the imports that are used by no name of `before` that it no longer has, and with those that
    /// are needed: path, and alias where it is written.
    pub(in super::super) fn fit(
        &self,
        before: &BTreeSet<String>,
        needed: &BTreeMap<String, Option<String>>,
        own: &str,
    ) -> String {
        // What goes.
        let is_gone = |spec: &&Spec| before.contains(&spec.name) && !self.qualifiers.contains(&spec.name);
        let gone: Vec<&Spec> = self.specs.iter().filter(is_gone).collect();
        let mut patches = Vec::new();
        let mut emptied: BTreeSet<usize> = BTreeSet::new();
        for spec in &gone {
            let all = self.specs.iter().filter(|other| other.item == spec.item);
            if all.clone().all(|other| gone.contains(&other)) {
                emptied.insert(spec.item);
            } else {
                patches.push((self.line_of(&spec.bytes), String::new()));
            }
        }
        let missing: Vec<(&String, &Option<String>)> =
            needed.iter().filter(|(path, _)| self.by_path(path).is_none_or(|spec| gone.contains(&spec))).collect();
        let is_kept = |spec: &&Spec| !gone.contains(spec);
        let keeps_one = self.specs.iter().any(|spec| is_kept(&spec) && spec.path != "C");
        // An emptied declaration stays where new imports take its place.
        let written = |(path, alias): &(&String, &Option<String>)| match alias {
            Some(alias) => format!("{alias} \"{path}\""),
            None => format!("\"{path}\""),
        };
        if !missing.is_empty() && !keeps_one {
            let rows: Vec<String> = missing.iter().map(written).collect();
            let block = match rows.as_slice() {
                [row] => format!("import {row}\n"),
                rows => format!("import (\n\t{}\n)\n", rows.join("\n\t")),
            };
            match emptied.pop_first() {
                Some(item) => patches.push((self.items[item].lines.clone(), block)),
                None => {
                    let at =
                        self.items.iter().find(|item| item.kind == ItemKind::Package).map_or(0, |item| item.lines.end);
                    patches.push((at..at, format!("\n{block}")));
                }
            }
        } else {
            let mut inserts: BTreeMap<usize, Vec<String>> = BTreeMap::new();
            for row in &missing {
                let (at, text) = self.place(row.0, &written(row), own, &|spec| !emptied.contains(&spec.item));
                inserts.entry(at).or_default().push(text);
            }
            patches.extend(inserts.into_iter().map(|(at, rows)| (at..at, rows.concat())));
            if let Some(single) = self.widen_single(&missing) {
                patches.extend(single);
            }
        }
        patches.extend(emptied.iter().map(|item| (deletion(&self.text, &self.items[*item].lines), String::new())));
        apply(&self.text, patches)
    }

    /// Where a new import goes, and its text.
    fn place(&self, path: &str, written: &str, own: &str, is_kept: &dyn Fn(&Spec) -> bool) -> (usize, String) {
        let kept = || self.specs.iter().filter(|spec| is_kept(spec) && spec.path != "C");
        let class = |path: &str| match path {
            path if path == own || path.starts_with(&format!("{own}/")) => 2,
            path if path.split('/').next().is_some_and(|first| first.contains('.')) => 1,
            _ => 0,
        };
        let mut same = kept().filter(|spec| class(&spec.path) == class(path)).peekable();
        if same.peek().is_some() {
            let mut last = None;
            for spec in same {
                if spec.path.as_str() > path {
                    return (self.line_of(&spec.bytes).start, format!("\t{written}\n"));
                }
                last = Some(spec);
            }
            let end = last.map_or(0, |spec| self.line_of(&spec.bytes).end);
            return (end, format!("\t{written}\n"));
        }
        // A block of its own, behind those of lower classes.
        let before = kept().filter(|spec| class(&spec.path) < class(path)).last();
        match (before, kept().next()) {
            (Some(spec), _) => (self.line_of(&spec.bytes).end, format!("\n\t{written}\n")),
            (None, Some(first)) => (self.line_of(&first.bytes).start, format!("\t{written}\n\n")),
            (None, None) => (0, String::new()),
        }
    }

    /// The brackets that single imports get where another import goes beside them.
    fn widen_single(&self, missing: &[(&String, &Option<String>)]) -> Option<Vec<(Range<usize>, String)>> {
        if missing.is_empty() {
            return None;
        }
        let mut patches = Vec::new();
        for (index, item) in self.items.iter().enumerate().filter(|(_, item)| item.kind == ItemKind::Import) {
            let mut own = self.specs.iter().filter(|spec| spec.item == index);
            let (Some(spec), None) = (own.next(), own.next()) else { continue };
            if spec.path == "C" || self.text[item.bytes.clone()].contains('(') {
                continue;
            }
            patches.push((item.bytes.start..spec.bytes.start, "import (\n\t".to_owned()));
            let end = self.line_of(&spec.bytes).end;
            patches.push((end..end, ")\n".to_owned()));
        }
        Some(patches)
    }

    fn line_of(&self, bytes: &Range<usize>) -> Range<usize> {
        let start = self.text[..bytes.start].rfind('\n').map_or(0, |at| at + 1);
        let end = self.text[bytes.end..].find('\n').map_or(self.text.len(), |at| bytes.end + at + 1);
        start..end
    }
}

/// Returns whether a word is the name of a package in front of a dot, if it is not a variable.
pub(in super::super) fn is_qualifier(word: &CodeWord) -> bool {
    word.parent == "qualified_type" && word.kind == "package_identifier"
        || word.parent == "selector_expression" && word.field == "operand" && word.kind == "identifier"
}

/// The name of a package without an alias: that of the project, or the end of its path that the file uses.
fn guess_name(path: &str, known: &BTreeMap<String, String>, used: &BTreeSet<String>) -> String {
    if let Some(name) = known.get(path) {
        return name.clone();
    }
    let is_version = |part: &str| part.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
    let parts: Vec<&str> = path.split('/').collect();
    let last = match parts.as_slice() {
        [.., before, last] if is_version(last) => before,
        [.., last] => last,
        [] => path,
    };
    let last = last.rsplit_once(".v").filter(|(_, end)| end.parse::<u32>().is_ok()).map_or(last, |(start, _)| start);
    let short = last.trim_start_matches("go-").trim_end_matches("-go").trim_end_matches(".go");
    let joined = last.replace(['-', '.'], "");
    let under = last.replace(['-', '.'], "_");
    let tail = last.rsplit(['-', '.']).next().unwrap_or(last);
    let head = last.split(['-', '.']).next().unwrap_or(last);
    let own = parts.last().copied().unwrap_or(last);
    let options = [last, own, short, &joined, &under, tail, head];
    options.into_iter().find(|name| used.contains(*name)).unwrap_or(last).to_owned()
}
