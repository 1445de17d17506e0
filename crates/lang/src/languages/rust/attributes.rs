//! Attributes and doc comments, collected until the item they belong to.

use tree_sitter::Node;

use super::Extractor;
use super::KindName;
use crate::facts::{DefId, DefKind, Definition, Expr, ExprId, Pos, Role};
use crate::text;
use crate::walk::Step;

/// Attributes of the compiler and its tools: they name nothing that could be looked up.
const BUILT_IN: &[&str] = &[
    "allow", "automatically_derived", "bench", "cfg", "cfg_attr", "cold", "deny", "deprecated", "derive", "doc",
    "expect", "export_name", "feature", "forbid", "global_allocator", "ignore", "inline", "link", "link_name",
    "link_section", "macro_export", "macro_use", "must_use", "naked", "no_mangle", "no_std", "no_implicit_prelude",
    "no_main", "non_exhaustive", "panic_handler", "path", "proc_macro", "proc_macro_attribute", "proc_macro_derive",
    "recursion_limit", "repr", "rustfmt", "should_panic", "target_feature", "test", "track_caller", "unsafe", "used",
    "warn", "windows_subsystem",
];

/// Last path segments of attributes that make a function a test: `#[test]`, `#[tokio::test]`, …
pub(super) const TEST_MARKERS: &[&str] =
    &["test", "bench", "rstest", "test_case", "quickcheck", "wasm_bindgen_test", "proptest"];

/// Attributes of the compiler that hand a function to a linker or to the compiler itself.
const ENTRY_MARKERS: &[&str] = &[
    "alloc_error_handler", "ctor", "dtor", "export_name", "global_allocator", "no_mangle", "panic_handler",
    "proc_macro", "proc_macro_attribute", "proc_macro_derive",
];

/// Maximum number of conditional path attributes of one module: each is a file to look for.
const MAX_CONDITIONAL_PATHS: usize = 16;

/// Attributes and doc comments that wait for their item.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// Paths named by the attributes.
    pub(super) decorators: Vec<ExprId>,
    /// Position of each.
    places: Vec<Pos>,
    /// Indexes of derived traits, in order.
    derived: Vec<usize>,
    /// Marks a test, or something compiled for tests only.
    pub(super) is_test: bool,
    /// Some builds leave it out.
    pub(super) is_conditional: bool,
    /// Code outside runs it: a test runner, a linker, the compiler.
    pub(super) is_entry: bool,
    /// `#[macro_export]`
    pub(super) is_exported: bool,
    /// `#[path = "…"]`
    path: Option<String>,
    /// The same under a condition: `#[cfg_attr(unix, path = "…")]`.
    conditional_paths: Vec<String>,
    /// Doc comment lines.
    doc: String,
}

/// A place of a module in another file.
pub(super) struct ModulePath<'a> {
    /// As written, or empty.
    pub(super) text: &'a str,
    /// Only some builds take it.
    pub(super) is_conditional: bool,
}

impl Pending {
    /// The doc comment.
    pub(super) fn doc(&self) -> Option<Box<str>> {
        text::doc(&self.doc)
    }

    /// The path attributes of a module in another file; an empty path stands for the place that its name leads to.
    pub(super) fn module_paths(&self) -> Vec<ModulePath<'_>> {
        let conditional = |text| ModulePath { text, is_conditional: true };
        let mut all: Vec<_> = self.conditional_paths.iter().map(|path| conditional(path.as_str())).collect();
        // Several conditions mostly cover all builds; one leaves others, in which the attribute does not hold.
        match (&self.path, all.len()) {
            (Some(path), count) => all.push(ModulePath { text: path, is_conditional: count > 0 }),
            (None, 0) => all.push(ModulePath { text: "", is_conditional: false }),
            (None, 1) => all.push(conditional("")),
            (None, _) => {}
        }
        all
    }

    fn push_doc(doc: &mut String, line: &str) {
        if doc.len() <= Definition::MAX_DOC * 2 {
            doc.push_str(line.trim_end());
            doc.push('\n');
        }
    }
}

impl<'a> Extractor<'a> {
    /// Everything collected for the current item.
    pub(super) fn take_pending(&mut self) -> Pending {
        std::mem::take(&mut self.pending)
    }

    /// Adds the references of an item's attributes, made by the item itself.
    pub(super) fn decorate(&mut self, def: DefId, pending: &Pending) {
        // On types and their parts a bare name is nearly always a helper of a derived trait, which names nothing.
        let kind = self.builder.facts().definition(def).kind;
        let on_type = !matches!(kind, DefKind::Function | DefKind::Impl | DefKind::Module);
        let rows: Vec<(ExprId, Pos)> = pending
            .decorators
            .iter()
            .zip(&pending.places)
            .enumerate()
            .filter(|(index, (expr, _))| {
                let is_bare = matches!(self.builder.facts().expr(**expr), Expr::Name { .. });
                !(on_type && is_bare && pending.derived.binary_search(index).is_err())
            })
            .map(|(_, (expr, pos))| (*expr, *pos))
            .collect();
        let exprs: Vec<ExprId> = rows.iter().map(|(expr, _)| *expr).collect();
        let decorators = self.builder.list(&exprs);
        self.builder.definition_mut(def).decorators = decorators;
        for (expr, pos) in rows {
            self.refer_from(expr, Role::Decorate, u8::MAX, pos, Some(def));
        }
    }

    /// A comment: kept if it is documentation.
    pub(super) fn comment(&mut self, node: Node<'_>) {
        let Some(doc) = node.child_by_field_name("doc") else { return };
        let line = self.source.text(doc);
        if node.child_by_field_name("inner").is_none() {
            Pending::push_doc(&mut self.pending.doc, line);
        } else if let Some(frame) = self.frames.iter_mut().rev().find(|frame| frame.def.is_some()) {
            Pending::push_doc(&mut frame.doc, line);
        } else {
            Pending::push_doc(&mut self.file_doc, line);
        }
    }

    /// `#[…]`
    pub(super) fn attribute(&mut self, node: Node<'_>, path: &[Step<'_>]) {
        let Some(attribute) = node.named_child(0) else { return };
        let Some(name) = attribute.named_child(0) else { return };
        let last = self.last_name(name);
        let arguments = attribute.child_by_field_name("arguments");
        match last {
            "derive" => return self.derives(arguments),
            "doc" => {
                let text = attribute.child_by_field_name("value").map_or("", |value| self.string(value));
                Pending::push_doc(&mut self.pending.doc, text);
            }
            "path" => {
                let value = attribute.child_by_field_name("value").map(|value| self.string(value).to_owned());
                self.pending.path = value.or(self.pending.path.take());
            }
            "macro_export" => self.pending.is_exported = true,
            "cfg" => {
                self.pending.is_conditional = true;
                self.pending.is_test |= arguments.is_some_and(|list| is_test_condition(self.source.text(list)));
            }
            "cfg_attr" => self.conditional_attribute(arguments),
            _ => {}
        }
        self.pending.is_test |= TEST_MARKERS.contains(&last);
        // `#[unsafe(no_mangle)]` wraps the attribute that counts.
        let wrapped = arguments.filter(|_| last == "unsafe").map_or("", |list| self.source.text(list));
        let mut markers = wrapped.split(|c: char| !c.is_alphanumeric() && c != '_').chain([last]);
        self.pending.is_entry |= markers.any(is_entry_marker);
        // All others are macros of attributes, which may call what they decorate.
        let built_in = name.kind_name() == "identifier" && BUILT_IN.contains(&last);
        let is_tool = matches!(self.source.text(name).split("::").next(), Some("rustfmt" | "clippy" | "diagnostic"));
        let on_item = path.last().is_none_or(|parent| parent.node.kind_name() != "arguments");
        if !built_in && !is_tool && on_item {
            let expr = self.path(name, None, None);
            let pos = self.pos(name.child_by_field_name("name").unwrap_or(name));
            self.pending.decorators.push(expr);
            self.pending.places.push(pos);
        }
    }

    /// `#![…]`: only that of a file compiled for tests matters.
    pub(super) fn inner_attribute(&mut self, node: Node<'_>) {
        let Some(attribute) = node.named_child(0) else { return };
        let is_condition = attribute.named_child(0).is_some_and(|name| self.last_name(name) == "cfg");
        self.at.is_conditional |= is_condition;
        let arguments = attribute.child_by_field_name("arguments").filter(|_| is_condition);
        let is_test = arguments.is_some_and(|list| is_test_condition(self.source.text(list)));
        if is_test {
            self.at.is_test = true;
            if self.frames.is_empty() {
                self.builder.facts_mut().is_test = true;
            }
        }
    }

    /// `#[derive(A, b::C)]`: each entry decorates the type.
    fn derives(&mut self, arguments: Option<Node<'_>>) {
        let Some(arguments) = arguments else { return };
        let mut cursor = arguments.walk();
        let mut base = None;
        let mut more = cursor.goto_first_child();
        let mut last: Option<Node<'_>> = None;
        while more {
            let token = cursor.node();
            more = cursor.goto_next_sibling();
            match token.kind_name() {
                "identifier" | "crate" | "self" | "super" => {
                    base = Some(self.segment(base, token, None));
                    last = Some(token);
                }
                "::" => {}
                "," | ")" => {
                    if let (Some(expr), Some(token)) = (base.take(), last.take()) {
                        let pos = self.pos(token);
                        self.pending.derived.push(self.pending.decorators.len());
                        self.pending.decorators.push(expr);
                        self.pending.places.push(pos);
                    }
                }
                _ => {}
            }
        }
    }

    /// `#[cfg_attr(condition, path = "…")]` and `#[cfg_attr(condition, test)]`.
    fn conditional_attribute(&mut self, arguments: Option<Node<'_>>) {
        let Some(arguments) = arguments else { return };
        let tokens = super::children(arguments);
        for pair in tokens.windows(2) {
            if self.source.text(pair[0]) == "path" && pair[1].kind_name() == "string_literal" {
                let path = self.string(pair[1]);
                self.conditional_path(path);
            }
        }
        // The condition comes first.
        let given = tokens.iter().skip(2).map(|token| self.source.text(*token));
        self.pending.is_entry |= given.into_iter().any(is_entry_marker);
    }

    fn conditional_path(&mut self, path: &str) {
        let known = &mut self.pending.conditional_paths;
        if known.len() < MAX_CONDITIONAL_PATHS && !known.iter().any(|one| one == path) {
            known.push(path.to_owned());
        }
    }

    /// Content of a string literal, quotes taken off.
    fn string(&self, node: Node<'_>) -> &'a str {
        let text = self.source.text(node);
        match (text.find('"'), text.rfind('"')) {
            (Some(start), Some(end)) if start < end => &text[start + 1..end],
            _ => "",
        }
    }

    /// Literals need no visit of their parts; lifetimes, labels and visibilities are nothing that is looked up.
    pub(super) fn literal_or_skip(&mut self, node: Node<'_>) -> crate::walk::Enter {
        if matches!(node.kind_name(), "string_literal" | "raw_string_literal") {
            let bytes = self.source.text(node).starts_with('b');
            let literal = if bytes { crate::facts::Literal::Bytes } else { crate::facts::Literal::Str };
            let expr = self.builder.expr(Expr::Literal(literal));
            self.exprs.set(node, expr);
        }
        crate::walk::Enter::Skip
    }
}

/// Returns whether a `cfg` condition, with the brackets around it, only holds in a build for tests: `(test)`,
/// `(all(test, unix))`, but not `(not(test))` or `(any(test, unix))`.
fn is_entry_marker(name: &str) -> bool {
    TEST_MARKERS.contains(&name) || ENTRY_MARKERS.contains(&name)
}

fn is_test_condition(condition: &str) -> bool {
    /// A list that is open.
    struct Open<'t> {
        of: &'t str,
        /// Some part of it only holds for tests, and so do all.
        some: bool,
        all: bool,
    }
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut word = "";
    // Value of the part being read; `None` before its first word.
    let mut part: Option<bool> = None;
    let mut rest = condition;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut length = first.len_utf8();
        match first {
            '"' => length = rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            '=' => part = Some(false),
            '(' => {
                open.push(Open { of: std::mem::take(&mut word), some: false, all: true });
                part = None;
            }
            ',' | ')' => {
                let Some(list) = open.last_mut() else { return false };
                if let Some(is_test) = part.take() {
                    list.some |= is_test;
                    list.all &= is_test;
                }
                word = "";
                if first == ')' {
                    part = open.pop().map(|list| match list.of {
                        "" | "all" => list.some,
                        "any" => list.some && list.all,
                        _ => false,
                    });
                }
            }
            _ if is_word(first) => {
                length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                word = &rest[..length];
                part = Some(word == "test");
            }
            _ => {}
        }
        rest = &rest[length..];
    }
    part.unwrap_or(false)
}
