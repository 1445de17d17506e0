//! Finds the words of a file that may name code although no fact explains them: names in code at places that no
//! reference, definition, import or export has, strings that look like code, and names in settings, markup and scripts.
//!
//! A list of constructs is never complete. What this pass finds keeps an answer such as "nothing uses it" open, where
//! the facts miss a use. It is lexical, so that it does not miss what the extractor misses.

use m1nd_base::{Problem, ProblemKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Language;
use crate::facts::{
    BindingTarget, DefId, Expr, FileFacts, Import, ImportKind, LooseWord, LooseWords, NameId, Pos, WordPlace,
};

mod code;
mod dynamic;
mod files;
mod literals;
mod markup;

pub(crate) use files::reads;

/// Maximum distinct words of a file; of a file with more, only the text itself says what it names.
const MAX_WORDS: usize = 4_096;
/// Shortest word, in bytes.
const MIN_WORD: usize = 2;
/// Longest word, in bytes.
const MAX_WORD: usize = 80;
/// Places kept of a word: a definition does not hide another user of its own name.
const MAX_PLACES: usize = 2;
/// Names of a path of an import that are followed.
const MAX_PATH: usize = 64;

/// Fills [`FileFacts::words`] of a file whose other facts are complete. `path` decides how a file without a grammar is
/// read.
pub(crate) fn add(language: Language, path: &str, text: &str, facts: &mut FileFacts) {
    let kind = files::kind(language, path);
    if kind == files::Kind::Nothing {
        return;
    }
    let mut finder = Finder::new(text, facts);
    match kind {
        files::Kind::Nothing => {}
        files::Kind::Code => code::scan(language, 0..text.len(), WordPlace::Code, &mut finder),
        files::Kind::Component => markup::scan_component(language, text, &mut finder),
        files::Kind::Text(kind) => files::scan(kind, text, &mut finder),
    }
    std::mem::take(&mut finder.dynamic).finish(&mut finder);
    let Finder { words, is_full, .. } = finder;
    facts.words = words;
    if is_full {
        let detail = format!("more than {MAX_WORDS} names that no reference explains");
        facts.problems.push(Problem::new(ProblemKind::ManyWords, detail));
    }
}

/// Words that are being found, in order of their place in the text.
struct Finder<'f> {
    text: &'f str,
    facts: &'f FileFacts,
    /// Positions that facts explain, in order, and the first that was not passed yet.
    explained: Vec<Pos>,
    passed: usize,
    /// Names of parameters and local variables.
    local: FxHashSet<&'f str>,
    /// Parts of the names of modules and packages that imports name.
    modules: FxHashSet<&'f str>,
    /// Names of modules as imports write them.
    paths: FxHashSet<&'f str>,
    /// Names that imports bring, with their lines: a statement may write one twice.
    imported: FxHashSet<(u32, &'f str)>,
    cursor: Cursor,
    around: Around,
    seen: FxHashMap<&'f str, (NameId, usize, Option<DefId>)>,
    words: LooseWords,
    dynamic: dynamic::Dynamic,
    is_full: bool,
}

impl<'f> Finder<'f> {
    fn new(text: &'f str, facts: &'f FileFacts) -> Self {
        Self {
            text,
            facts,
            explained: collect_explained(facts),
            passed: 0,
            local: local_names(facts),
            modules: module_words(facts),
            paths: facts.imports.iter().map(|row| facts.name(row.module)).collect(),
            imported: collect_imported(facts),
            cursor: Cursor { at: 0, line: 1, col: 1 },
            around: Around::default(),
            seen: FxHashMap::default(),
            words: LooseWords::default(),
            dynamic: dynamic::Dynamic::default(),
            is_full: false,
        }
    }

    /// Returns whether a fact stands at a byte. Bytes must be asked for in rising order.
    fn is_explained(&mut self, at: usize) -> bool {
        let pos = self.cursor.advance(self.text.as_bytes(), at);
        while self.explained.get(self.passed).is_some_and(|known| *known < pos) {
            self.passed += 1;
        }
        self.explained.get(self.passed) == Some(&pos)
    }

    /// Adds the word at these bytes unless a fact explains its place. Words must be added in rising order.
    fn add(&mut self, start: usize, end: usize, place: WordPlace) {
        let word = &self.text[start..end];
        if self.is_full || !(MIN_WORD..=MAX_WORD).contains(&word.len()) || self.is_explained(start) {
            return;
        }
        if self.imported.contains(&(self.cursor.line, word)) {
            return;
        }
        let enclosing = self.around.at(self.facts, start);
        if let Some((name, count, first)) = self.seen.get_mut(word) {
            if *count < MAX_PLACES && *first != enclosing {
                *count += 1;
                let pos = self.cursor.pos();
                self.words.rows.push(LooseWord { name: *name, place, enclosing, pos });
            }
            return;
        }
        if self.seen.len() >= MAX_WORDS {
            self.is_full = true;
            return;
        }
        let name = self.words.names.push(word);
        self.seen.insert(word, (name, 1, enclosing));
        self.words.rows.push(LooseWord { name, place, enclosing, pos: self.cursor.pos() });
    }
}

/// A place in a text that moves forwards.
struct Cursor {
    at: usize,
    line: u32,
    col: usize,
}

impl Cursor {
    fn advance(&mut self, bytes: &[u8], to: usize) -> Pos {
        for byte in bytes.get(self.at..to).unwrap_or_default() {
            match byte {
                b'\n' => (self.line, self.col) = (self.line + 1, 1),
                // Bytes inside a character.
                0x80..=0xBF => {}
                _ => self.col += 1,
            }
        }
        self.at = self.at.max(to);
        self.pos()
    }

    fn pos(&self) -> Pos {
        Pos { line: self.line, col: u16::try_from(self.col).unwrap_or(u16::MAX) }
    }
}

/// The definitions around a place that moves forwards.
#[derive(Default)]
struct Around {
    next: usize,
    open: Vec<DefId>,
}

impl Around {
    fn at(&mut self, facts: &FileFacts, byte: usize) -> Option<DefId> {
        while let Some(definition) = facts.definitions.get(self.next)
            && definition.bytes.0 as usize <= byte
        {
            self.open.push(DefId(self.next as u32));
            self.next += 1;
        }
        let ends = |id: &mut DefId| facts.definition(*id).bytes.1 as usize <= byte;
        while self.open.pop_if(ends).is_some() {}
        self.open.last().copied()
    }
}

/// Positions of facts that name something, in order.
fn collect_explained(facts: &FileFacts) -> Vec<Pos> {
    let mut all: Vec<Pos> = facts.references.iter().map(|row| row.pos).collect();
    all.extend(facts.definitions.iter().map(|row| row.pos));
    all.extend(facts.imports.iter().map(|row| row.pos));
    all.extend(facts.exports.iter().map(|row| row.pos));
    all.extend(facts.shared.iter().map(|row| row.pos));
    all.sort_unstable();
    all.dedup();
    all
}

/// The names that imports bring, with the lines that they stand in.
fn collect_imported(facts: &FileFacts) -> FxHashSet<(u32, &str)> {
    let named = facts.imports.iter().filter_map(|row| match row.kind {
        ImportKind::Symbol(name) | ImportKind::FileModule(name) => Some((row.pos.line, facts.name(name))),
        _ => None,
    });
    named.collect()
}

/// Names that mean a parameter or a local variable where they stand alone.
fn local_names(facts: &FileFacts) -> FxHashSet<&str> {
    let bound = facts.bindings.iter().filter(|row| {
        !matches!(row.target, BindingTarget::Definition(_) | BindingTarget::Import(_) | BindingTarget::Outer(_))
    });
    let bound = bound.map(|row| facts.name(row.name));
    let parameters = facts.parameters.iter().map(|row| facts.name(row.name));
    let types = facts.type_parameters.iter().map(|row| facts.name(row.name));
    bound.chain(parameters).chain(types).collect()
}

/// Parts of the names of imported modules, and of the package of the file.
fn module_words(facts: &FileFacts) -> FxHashSet<&str> {
    let mut words: FxHashSet<&str> = FxHashSet::default();
    let written = facts.imports.iter().map(|row| row.module).chain(facts.package);
    for name in written {
        words.extend(facts.name(name).split(|c: char| !c.is_alphanumeric() && c != '_'));
    }
    for import in &facts.imports {
        add_path(facts, import, &mut words);
    }
    words
}

/// The names of an import that is a path, but for the last.
fn add_path<'f>(facts: &'f FileFacts, import: &Import, words: &mut FxHashSet<&'f str>) {
    let mut next = import.path;
    for _ in 0..MAX_PATH {
        let Some(id) = next else { return };
        let (Expr::Name { name, .. } | Expr::Path { name, .. } | Expr::Member { name, .. }) = facts.expr(id) else {
            return;
        };
        words.insert(facts.name(name));
        next = match facts.expr(id) {
            Expr::Path { base, .. } | Expr::Member { base, .. } => Some(base),
            _ => None,
        };
    }
}

/// Returns whether a byte may be part of a name. Bytes of characters beyond ASCII are, whatever the character is.
const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Where the word that begins at a byte ends.
fn word_end(bytes: &[u8], start: usize) -> usize {
    start + bytes.get(start..).unwrap_or_default().iter().take_while(|byte| is_word(**byte)).count()
}

/// The last byte before a place that is not a space, and where it is.
fn before(bytes: &[u8], at: usize) -> Option<(usize, u8)> {
    bytes[..at].iter().enumerate().rev().find(|(_, byte)| !byte.is_ascii_whitespace()).map(|(at, byte)| (at, *byte))
}

/// The bytes after a place, without the spaces at their start.
fn behind(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(at..).unwrap_or_default().trim_ascii_start()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use m1nd_base::Limits;

    use super::*;
    use crate::facts::FactsBuilder;

    /// Size of a hostile text, in bytes.
    const BYTES: usize = 128 << 10;
    /// How long one may take in a build without optimisation on a busy machine; a quadratic reading takes minutes.
    const TIME: Duration = Duration::from_secs(10);

    const PIECES: &[&str] = &[
        "{{", "{%", "{#", "<!--", "<a ", "a=\"", "a='", "<script>", "${", "@a(", "[", ")[", "x[y](", "'a'+", "\"", "'",
        "a ", "a.b:", "- a", "<", "$a(", "/*", "::", "\\", "`${", "é(", "{", "a{", "#[a(\"", "getattr(",
    ];

    #[test]
    fn hostile_texts_are_read_in_linear_time() {
        let files = [
            (Language::Html, "a.html"),
            (Language::Text, "a.json"),
            (Language::Text, "a.xml"),
            (Language::Text, "a.x"),
            (Language::Text, "Makefile"),
            (Language::Python, "a.py"),
            (Language::JavaScript, "a.js"),
            (Language::Svelte, "a.svelte"),
            (Language::Php, "a.php"),
            (Language::Rust, "a.rs"),
        ];
        for (language, path) in files {
            for piece in PIECES {
                let text = piece.repeat(BYTES / piece.len());
                let mut facts = FactsBuilder::new(language, 1, &Limits::default()).finish();
                let begun = Instant::now();
                add(language, path, &text, &mut facts);
                assert!(begun.elapsed() < TIME, "{path} {piece:?}: {:?}", begun.elapsed());
            }
        }
    }
}
