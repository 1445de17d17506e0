//! Every form of import statement.

use tree_sitter::Node;

use super::state::{Extractor, FIELDS, KindName};
use crate::facts::{FactsBuilder, Import, ImportFlags, ImportKind, NameId, Pos};

/// The module whose imports change the meaning of a file.
const FUTURE: &str = "__future__";

impl Extractor<'_> {
    /// A dotted name without white space and comments.
    fn read_dotted(&self, node: Node<'_>) -> String {
        let mut cursor = node.walk();
        let parts: Vec<&str> = node.named_children(&mut cursor).map(|part| self.source.text(part)).collect();
        if parts.is_empty() { self.source.text(node).to_owned() } else { parts.join(".") }
    }

    fn add_import(&mut self, kind: ImportKind, module: &str, level: u16, pos: Pos, alias: Option<NameId>, again: bool) {
        let scope = self.holding_scope(self.scope());
        let flags = ImportFlags {
            reexport: again && scope == FactsBuilder::FILE,
            type_only: self.is_type_only(),
            conditional: self.conditional > 0,
            ..ImportFlags::default()
        };
        let module = self.b.name(module);
        self.note_firm(self.conditional == 0 && alias.is_some() && kind != ImportKind::ModuleRoot);
        self.b.import(Import { kind, module, level, path: None, scope, pos, flags }, alias);
    }

    pub(super) fn import_statement(&mut self, node: Node<'_>) {
        if node.kind_name() == "import_statement" {
            self.import_modules(node);
        } else {
            self.import_members(node);
        }
    }

    /// `import a.b, c as d`
    fn import_modules(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        for child in node.children_by_field_name("name", &mut cursor) {
            if self.b.full() {
                return;
            }
            let name_node = child.child_by_field_id(FIELDS.name).unwrap_or(child);
            let module = self.read_dotted(name_node);
            let pos = self.pos(name_node);
            if let Some(alias) = child.child_by_field_id(FIELDS.alias) {
                let text = self.source.text(alias);
                let again = text == module;
                let alias = self.b.name(text);
                self.add_import(ImportKind::Module, &module, 0, pos, Some(alias), again);
            } else {
                let first = module.split('.').next().unwrap_or(&module).to_owned();
                let alias = self.b.name(&first);
                self.add_import(ImportKind::ModuleRoot, &module, 0, pos, Some(alias), false);
            }
        }
    }

    /// `from ..a import b as c, d` and `from a import *`
    fn import_members(&mut self, node: Node<'_>) {
        let (module, level) = self.origin(node);
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if self.b.full() {
                return;
            }
            if child.kind_name() == "wildcard_import" {
                let origin = node.child_by_field_id(FIELDS.module_name).unwrap_or(child);
                let pos = self.pos(origin);
                self.add_import(ImportKind::Wildcard, &module, level, pos, None, true);
            }
        }
        let mut cursor = node.walk();
        for child in node.children_by_field_name("name", &mut cursor) {
            if self.b.full() {
                return;
            }
            let name_node = child.child_by_field_id(FIELDS.name).unwrap_or(child);
            let text = self.read_dotted(name_node);
            let pos = self.pos(name_node);
            let name = self.b.name(&text);
            self.postponed |= module == FUTURE && text == "annotations";
            let alias = child.child_by_field_id(FIELDS.alias).map(|alias| self.source.text(alias));
            let again = alias == Some(text.as_str());
            let alias = alias.map_or(name, |alias| self.b.name(alias));
            self.add_import(ImportKind::Symbol(name), &module, level, pos, Some(alias), again);
        }
    }

    /// The module of a `from` import and its number of leading dots.
    fn origin(&self, node: Node<'_>) -> (String, u16) {
        if node.kind_name() == "future_import_statement" {
            return (FUTURE.to_owned(), 0);
        }
        let Some(module) = node.child_by_field_id(FIELDS.module_name) else { return (String::new(), 0) };
        if module.kind_name() != "relative_import" {
            return (self.read_dotted(module), 0);
        }
        let mut level = 0_usize;
        let mut name = String::new();
        let mut cursor = module.walk();
        for child in module.named_children(&mut cursor) {
            match child.kind_name() {
                "import_prefix" => level += self.source.text(child).bytes().filter(|byte| *byte == b'.').count(),
                "dotted_name" => name = self.read_dotted(child),
                _ => {}
            }
        }
        (name, u16::try_from(level).unwrap_or(u16::MAX))
    }
}
