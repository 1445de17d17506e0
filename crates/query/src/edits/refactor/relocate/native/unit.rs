//! A file of C or C++ while a move is planned: its statements, its words, its includes.

use std::collections::BTreeSet;
use std::ops::Range;

use m1nd_base::{Cancel, ContentHash};
use m1nd_engine::Snapshot;
use m1nd_lang::edit_rules::EditRules;
use m1nd_lang::facts::{DefKind, Definition};
use m1nd_lang::{ItemKind, NativeItem, NativeItems, Region, RegionKind, TokenKind, native_items, tokens};

use super::super::cut::{Parsed, Patch};
use super::sight::{Include, Sight};
use crate::edits::refactor::CannotRefactor;

/// A name in the code of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) range: Range<usize>,
    /// It stands behind `.` or `->`.
    pub(super) is_member: bool,
    /// It stands behind `::`.
    pub(super) is_qualified: bool,
    /// `struct a;`: the name is declared, and nothing is said of it.
    pub(super) is_forward: bool,
}

/// What a statement is to a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A function with its body.
    Function {
        is_static: bool,
        /// It is a template, or `inline` or `constexpr`: who calls it must see its body.
        is_inline: bool,
        /// A member that is defined outside of its class.
        is_member: bool,
    },
    /// A function without a body.
    Prototype {
        is_static: bool,
    },
    Type,
    Macro,
    Variable {
        is_static: bool,
        is_const: bool,
        is_extern: bool,
        is_member: bool,
    },
    /// Anything else.
    Other,
}

/// A file with all that a move asks of it.
pub(super) struct Unit {
    pub(super) parsed: Parsed,
    pub(super) native: NativeItems,
    pub(super) words: Vec<Word>,
    pub(super) includes: Vec<Include>,
    pub(super) patches: Vec<Patch>,
}

impl Unit {
    pub(super) fn read(
        snapshot: &Snapshot,
        sight: &Sight<'_>,
        path: &str,
        cancel: &Cancel,
    ) -> Result<Self, CannotRefactor> {
        let parsed = Parsed::read(snapshot, path, cancel)?;
        let unread = CannotRefactor::File { path: path.to_owned(), why: "cannot be parsed" };
        let native = native_items(parsed.source.language, parsed.text(), snapshot.limits(), cancel).ok_or(unread)?;
        let words = list_words(&parsed, &native);
        let includes = sight.list_includes(path, &parsed.facts);
        Ok(Self { parsed, native, words, includes, patches: Vec::new() })
    }

    pub(super) fn text(&self) -> &str {
        self.parsed.text()
    }

    pub(super) fn path(&self) -> &str {
        self.parsed.source.path.as_str()
    }

    pub(super) fn hash(&self) -> ContentHash {
        self.parsed.source.hash
    }

    pub(super) fn is_cpp(&self) -> bool {
        self.parsed.source.language == m1nd_engine::Language::Cpp
    }

    pub(super) fn spelling(&self, word: &Word) -> &str {
        &self.text()[word.range.clone()]
    }

    /// The words within some bytes.
    pub(super) fn words_in(&self, range: &Range<usize>) -> &[Word] {
        let first = self.words.partition_point(|word| word.range.start < range.start);
        let end = self.words.partition_point(|word| word.range.start < range.end);
        &self.words[first..end.max(first)]
    }

    /// The statement around a byte.
    pub(super) fn item_at(&self, at: usize) -> Option<usize> {
        self.native.items.iter().position(|item| item.item.bytes.contains(&at))
    }

    /// The definitions that a statement makes, with their places in the facts. Members of types are not among them;
    /// the values of an enum are, where they are names of their own.
    pub(super) fn defined_by(&self, item: usize) -> Vec<(usize, &Definition)> {
        let bytes = &self.native.items[item].item.bytes;
        let facts = &self.parsed.facts;
        let rows = facts.definitions.iter().enumerate();
        rows.filter(|(_, row)| {
            let at = self.parsed.offset(row.pos);
            let is_outer = match row.owner.map(|owner| facts.definition(owner)) {
                None => true,
                Some(owner) if owner.kind == DefKind::Module => true,
                Some(owner) => row.kind == DefKind::Variant && !self.is_scoped_enum(owner),
            };
            is_outer
                && !row.flags.is_anonymous
                && row.kind != DefKind::Module
                && at.is_some_and(|at| bytes.contains(&at))
        })
        .collect()
    }

    fn is_scoped_enum(&self, row: &Definition) -> bool {
        let text = self.text().get(row.bytes.0 as usize..row.bytes.1 as usize).unwrap_or_default();
        let mut words = text.split_whitespace().skip_while(|word| *word != "enum").skip(1);
        words.next().is_some_and(|word| matches!(word, "class" | "struct"))
    }

    /// The names that a statement defines.
    pub(super) fn names_of(&self, item: usize) -> BTreeSet<String> {
        let facts = &self.parsed.facts;
        self.defined_by(item).into_iter().map(|(_, row)| facts.name(row.name).to_owned()).collect()
    }

    /// The bytes of a statement without the comments above it, with words that are hidden from the parser.
    pub(super) fn code_of(&self, item: usize) -> Range<usize> {
        let NativeItem { item, .. } = &self.native.items[item];
        let lines = item.lines.clone();
        let first = self.words_in(&lines).first().map_or(item.bytes.start, |word| word.range.start);
        first.min(item.bytes.start)..item.bytes.end
    }

    /// Where the words in front of the name and its parameters or value end.
    pub(super) fn head_of(&self, item: usize) -> &str {
        let code = self.code_of(item);
        let end = self.native.items[item].body.unwrap_or(code.end);
        let head = &self.text()[code.start..end.max(code.start)];
        let end = head.find(['(', '=', '{']).unwrap_or(head.len());
        &head[..end]
    }

    /// What a statement is.
    pub(super) fn form_of(&self, item: usize) -> Form {
        let NativeItem { item: row, body, .. } = &self.native.items[item];
        let head = self.head_of(item);
        let has = |word: &str| head.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|part| part == word);
        let is_template = &*row.node_kind == "template_declaration";
        let defined = self.defined_by(item);
        let is_kind = |kinds: &[DefKind]| defined.iter().any(|(_, row)| kinds.contains(&row.kind));
        let is_member = defined.iter().any(|(_, row)| {
            self.parsed
                .offset(row.pos)
                .is_some_and(|at| self.text()[..at].trim_end_matches('~').trim_end().ends_with("::"))
        });
        let is_static = has("static");
        match &*row.node_kind {
            "preproc_def" | "preproc_function_def" => Form::Macro,
            _ if body.is_some() => {
                let is_inline = is_template || has("inline") || has("constexpr") || has("__inline") || has("consteval");
                Form::Function { is_static, is_inline, is_member }
            }
            _ if defined.is_empty() => Form::Other,
            _ if is_kind(&[DefKind::Function]) => Form::Prototype { is_static },
            _ if is_kind(&[DefKind::Variable, DefKind::Constant]) => {
                let is_const = has("const") || has("constexpr");
                Form::Variable { is_static, is_const, is_extern: has("extern"), is_member }
            }
            _ if defined.iter().all(|(_, row)| row.kind.is_type() || row.kind == DefKind::Variant) => Form::Type,
            _ => Form::Other,
        }
    }

    /// The region around a statement that is not a namespace, `extern "C"` or the guard of the header.
    pub(super) fn obstacle_around(&self, item: usize) -> Option<&Region> {
        let is_free =
            |kind: &RegionKind| matches!(kind, RegionKind::Namespace(_) | RegionKind::Linkage | RegionKind::Guard);
        self.native.regions_from(self.native.items[item].region).find(|region| !is_free(&region.kind))
    }

    /// The regions that a statement has to stay in: its namespaces, and `extern "C"` as an empty name.
    pub(super) fn scope_of(&self, region: Option<usize>) -> Vec<String> {
        let mut scope: Vec<String> = self
            .native
            .regions_from(region)
            .filter_map(|region| match &region.kind {
                RegionKind::Namespace(name) => Some(name.clone()),
                RegionKind::Linkage => Some(String::new()),
                _ => None,
            })
            .collect();
        scope.reverse();
        scope
    }

    /// Whether a statement has its lines for itself.
    pub(super) fn has_own_lines(&self, item: usize) -> bool {
        let lines = &self.native.items[item].item.lines;
        let text = self.text();
        let starts = lines.start == 0 || text[..lines.start].ends_with('\n');
        let ends = lines.end == text.len() || text[..lines.end].ends_with('\n');
        let others = self.native.items.iter().enumerate().filter(|(other, _)| *other != item);
        let is_shared = others
            .filter(|(_, other)| other.item.kind != ItemKind::Comment)
            .any(|(_, other)| other.item.bytes.start < lines.end && lines.start < other.item.bytes.end);
        starts && ends && !is_shared
    }

    pub(super) fn line_of(&self, at: usize) -> u32 {
        self.parsed.line_of(at)
    }

    /// A function or variable of this file as another place declares it; or why it cannot be declared.
    pub(super) fn declaration_of(&self, item: usize) -> Result<String, &'static str> {
        let code = self.code_of(item);
        let text = self.text();
        let head = |end: usize| text[code.start..end].trim_end();
        let declared = match self.form_of(item) {
            Form::Function { is_inline: true, .. } => {
                return Err("is `inline` or a template, so its body must be seen");
            }
            Form::Function { .. } => {
                let head = head(self.native.items[item].body.unwrap_or(code.end));
                let params = head.find('(').map_or("", |at| &head[at..]);
                if params.contains(';') {
                    return Err("has its parameters behind the list of their names");
                }
                if params.contains('=') {
                    return Err("has parameters with values");
                }
                format!("{head};")
            }
            Form::Prototype { .. } => format!("{};", head(code.end).trim_end_matches(';').trim_end()),
            Form::Variable { is_const: true, .. } if self.is_cpp() => return Err("is a constant of its file"),
            Form::Variable { is_extern, .. } => {
                let whole = head(code.end).trim_end_matches(';');
                let end = whole.find('=').unwrap_or(whole.len());
                if whole[..end].contains(['{', ',']) {
                    return Err("is declared together with something else");
                }
                let word = if is_extern { "" } else { "extern " };
                format!("{word}{};", without_static(whole[..end].trim_end()))
            }
            Form::Type | Form::Macro | Form::Other => return Err("cannot be declared without its content"),
        };
        Ok(without_static(&declared))
    }

    /// Whether a use of something that a statement defines needs more than its declaration says: the size of an array
    /// that the number of its values gives.
    pub(super) fn needs_size(&self, item: usize, used: &Range<usize>) -> bool {
        let is_array = matches!(self.form_of(item), Form::Variable { .. })
            && self.declaration_of(item).is_ok_and(|text| text.trim_end_matches(';').trim_end().ends_with("[]"));
        is_array && !self.text()[used.end..].trim_start().starts_with('[')
    }

    /// The bytes of the word `static` in front of a statement, with the space behind it.
    pub(super) fn static_word(&self, item: usize) -> Option<Range<usize>> {
        let code = self.code_of(item);
        let word = self.words_in(&code).iter().find(|word| self.spelling(word) == "static")?;
        let rest = &self.text()[word.range.end..];
        Some(word.range.start..word.range.end + (rest.len() - rest.trim_start().len()))
    }
}

fn without_static(text: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let at = text
        .match_indices("static")
        .map(|(at, _)| at)
        .find(|at| !text[..*at].ends_with(is_part) && !text[at + "static".len()..].starts_with(is_part));
    at.map_or_else(|| text.to_owned(), |at| format!("{}{}", &text[..at], text[at + "static".len()..].trim_start()))
}

/// The names in the code of a file, in order; those of includes are not among them.
fn list_words(parsed: &Parsed, native: &NativeItems) -> Vec<Word> {
    let text = parsed.text();
    let all = tokens(parsed.source.language, text);
    let is_mark = |at: Option<usize>, mark: &str| {
        at.and_then(|at| all.get(at)).is_some_and(|token| &text[token.range.clone()] == mark)
    };
    let mut imports = native.items.iter().filter(|item| item.item.kind == ItemKind::Import).peekable();
    let mut words = Vec::new();
    for (place, token) in all.iter().enumerate() {
        if !matches!(token.kind, TokenKind::Name | TokenKind::Keyword) {
            continue;
        }
        while imports.peek().is_some_and(|item| item.item.bytes.end <= token.range.start) {
            imports.next();
        }
        if imports.peek().is_some_and(|item| item.item.bytes.contains(&token.range.start)) {
            continue;
        }
        let back = |count: usize| place.checked_sub(count);
        let is_dot = is_mark(back(1), ".") && !is_mark(back(2), ".");
        let is_arrow = is_mark(back(1), ">") && is_mark(back(2), "-");
        let before = back(1).map_or("", |at| &text[all[at].range.clone()]);
        let is_tag = matches!(before, "struct" | "class" | "union" | "enum");
        words.push(Word {
            range: token.range.clone(),
            is_member: is_dot || is_arrow,
            is_qualified: is_mark(back(1), ":") && is_mark(back(2), ":"),
            is_forward: is_tag && is_mark(Some(place + 1), ";"),
        });
    }
    words
}

/// Returns whether a word belongs to the language.
pub(super) fn is_keyword(unit: &Unit, word: &str) -> bool {
    EditRules::of(unit.parsed.source.language).names.is_keyword(word)
}
