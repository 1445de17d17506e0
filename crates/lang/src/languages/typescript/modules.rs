//! Imports and exports of ES modules and CommonJS.

use tree_sitter::Node;

use super::state::{Extractor, children, has_token, unquote};
use crate::facts::{
    BindingTarget, DefId, DefKind, Expr, ExprId, FactsBuilder, FileFacts, Import, ImportFlags, ImportId, ImportKind,
    Namespace, Pos, Role, ScopeId,
};
use crate::walk::{Enter, Step};

impl Extractor<'_> {
    /// Adds an import that binds no name yet.
    pub(super) fn import_row(
        &mut self,
        kind: ImportKind,
        module: &str,
        at: Node<'_>,
        scope: ScopeId,
        commonjs: bool,
    ) -> ImportId {
        let module = self.b.name(module);
        let pos = self.pos(at);
        let flags =
            ImportFlags { commonjs, system: commonjs, conditional: scope != FactsBuilder::FILE, ..Default::default() };
        self.b.import(Import { kind, module, level: 0, path: None, scope, pos, flags }, None)
    }

    fn bind_import(&mut self, id: ImportId, alias: &str, type_only: bool) {
        let scope = self.b.facts().imports[id.index()].scope;
        let alias = self.b.name(alias);
        self.b.facts_mut().imports[id.index()].flags.type_only = type_only;
        self.b.bind(scope, alias, Namespace::Any, BindingTarget::Import(id));
    }

    pub(super) fn import_statement(&mut self, node: Node<'_>) {
        let scope = self.scope();
        let type_only = has_token(node, "type") || has_token(node, "typeof");
        for child in children(node) {
            match child.kind() {
                "import_require_clause" => {
                    let (Some(name), Some(source)) = (child.named_child(0), child.child_by_field_name("source")) else {
                        continue;
                    };
                    let module = unquote(self.source.text(source));
                    let id = self.import_row(ImportKind::Module, module, source, scope, true);
                    self.bind_import(id, self.source.text(name), type_only);
                }
                "import_clause" => {
                    let Some(source) = node.child_by_field_name("source") else { continue };
                    self.import_clause(child, unquote(self.source.text(source)), type_only);
                }
                "string" if !has_token(node, "from") => {
                    let module = unquote(self.source.text(child));
                    self.import_row(ImportKind::SideEffect, module, child, scope, false);
                }
                _ => {}
            }
        }
    }

    fn import_clause(&mut self, clause: Node<'_>, module: &str, type_only: bool) {
        let scope = self.scope();
        for child in children(clause) {
            match child.kind() {
                "identifier" => {
                    let id = self.import_row(ImportKind::Default, module, child, scope, false);
                    self.bind_import(id, self.source.text(child), type_only);
                }
                "namespace_import" => {
                    let Some(name) = child.named_child(0) else { continue };
                    let id = self.import_row(ImportKind::Module, module, name, scope, false);
                    self.bind_import(id, self.source.text(name), type_only);
                }
                "named_imports" => {
                    for specifier in children(child) {
                        let Some(name) = specifier.child_by_field_name("name") else { continue };
                        let kind = self.symbol(name);
                        let id = self.import_row(kind, module, name, scope, false);
                        let alias = specifier.child_by_field_name("alias").unwrap_or(name);
                        let type_only = type_only || has_token(specifier, "type");
                        self.bind_import(id, self.source.text(alias), type_only);
                    }
                }
                _ => {}
            }
        }
    }

    fn symbol(&mut self, name: Node<'_>) -> ImportKind {
        match self.property(name) {
            "default" => ImportKind::Default,
            text => ImportKind::Symbol(self.b.name(text)),
        }
    }

    /// `import A = B.C`: another name for a namespace or a member of one.
    pub(super) fn import_alias<'tree>(&mut self, node: Node<'tree>, path: &[Step<'tree>]) {
        let parts = children(node);
        let [name, value, ..] = parts[..] else { return };
        let scope = self.scope();
        let mut expr = None;
        let mut at = value;
        let words: Vec<Node<'_>> = leaves(value);
        for word in words {
            let text = self.source.text(word);
            expr = Some(match expr {
                None => self.b.name_expr(text, scope),
                Some(base) => self.b.member(base, text),
            });
            at = word;
        }
        let Some(expr) = expr else { return };
        self.refer(expr, Role::Read, at, u8::MAX);
        let text = self.source.text(name);
        let alias = self.b.name(text);
        self.b.bind(scope, alias, Namespace::Any, BindingTarget::Value(expr));
        self.export_if_name(text, expr, path);
    }

    pub(super) fn enter_export<'tree>(&mut self, node: Node<'tree>, path: &[Step<'tree>]) -> Enter {
        let source = node.child_by_field_name("source");
        let clause = children(node).into_iter().find(|child| child.kind() == "export_clause");
        if path.len() <= 1 && !self.frame().nested {
            self.default_value(node);
        }
        // Only the top of a file exports; in namespaces `export` makes a member.
        if self.frame().nested || path.len() > 1 {
            return if source.is_some() || clause.is_some() { Enter::Skip } else { Enter::Descend };
        }
        let scope = self.scope();
        let type_only = has_token(node, "type");
        // `export { a as b }`: what the names of this file mean.
        let Some(source) = source else {
            let Some(clause) = clause else { return Enter::Descend };
            for specifier in children(clause) {
                let Some(name) = specifier.child_by_field_name("name") else { continue };
                let alias = specifier.child_by_field_name("alias").unwrap_or(name);
                let value = self.b.name_expr(self.source.text(name), scope);
                self.refer(value, Role::Read, name, u8::MAX);
                let pos = self.pos(alias);
                self.b.export(self.property(alias), value, pos);
            }
            return Enter::Skip;
        };
        let module = unquote(self.source.text(source));
        let mut first = None;
        // `export { a as b } from 'm'`: names of another module, without a name here.
        if let Some(clause) = clause {
            for specifier in children(clause) {
                let Some(name) = specifier.child_by_field_name("name") else { continue };
                let alias = specifier.child_by_field_name("alias").unwrap_or(name);
                let kind = self.symbol(name);
                let id = self.import_row(kind, module, name, scope, false);
                self.record_reexported(id, alias, type_only || has_token(specifier, "type"));
            }
            return Enter::Skip;
        }
        for child in children(node) {
            if child.kind() == "namespace_export" {
                first = child.named_child(0);
            }
        }
        // `export * as ns from 'm'`, or everything that the module exports.
        match first {
            Some(alias) => {
                let id = self.import_row(ImportKind::Module, module, source, scope, false);
                self.record_reexported(id, alias, type_only);
            }
            None => {
                let id = self.import_row(ImportKind::Wildcard, module, source, scope, false);
                let flags = &mut self.b.facts_mut().imports[id.index()].flags;
                (flags.reexport, flags.type_only) = (true, type_only);
            }
        }
        Enter::Skip
    }

    /// A component file is its own default export.
    pub(super) fn component(&mut self, root: Node<'_>) {
        let mut definition = self.blank(DefKind::Object, "default", FactsBuilder::FILE, root, (root, Some(root)));
        definition.signature = None;
        definition.flags.is_exported = true;
        if definition.pos.line > self.b.facts().lines {
            // Without content it has no line of its own.
            definition.pos = Pos::default();
            (definition.line_start, definition.line_end) = (0, 0);
        }
        let pos = definition.pos;
        let id = self.add(root, definition);
        let value = self.b.expr(Expr::Definition(id));
        self.b.export("default", value, pos);
    }

    /// `export default` and an expression that is neither a name nor a definition itself: a constant without a name.
    fn default_value(&mut self, node: Node<'_>) {
        let Some(value) = node.child_by_field_name("value") else { return };
        let is_named = matches!(
            value.kind(),
            "identifier"
                | "member_expression"
                | "object"
                | "class"
                | "function_expression"
                | "generator_function"
                | "arrow_function"
        );
        if is_named {
            return;
        }
        let scope = self.scope();
        let mut definition = self.blank(DefKind::Constant, "default", scope, value, (node, None));
        definition.doc = self.doc_of(node);
        let id = self.add(node, definition);
        self.initialising.push((node.id(), id, self.frames.len()));
    }

    fn record_reexported(&mut self, id: ImportId, alias: Node<'_>, type_only: bool) {
        let flags = &mut self.b.facts_mut().imports[id.index()].flags;
        (flags.reexport, flags.type_only) = (true, type_only);
        let value = self.b.expr(Expr::Import(id));
        let pos = self.pos(alias);
        self.b.export(self.property(alias), value, pos);
    }

    /// `export default value` and `export = value`.
    pub(super) fn leave_export(&mut self, node: Node<'_>) {
        if self.frame().nested {
            return;
        }
        let pos = self.pos(node);
        if let Some(value) = node.child_by_field_name("value") {
            let mut value = self.expr_of(value);
            if let Some(&id) = self.made.get(&node.id()) {
                self.value(id, value);
                value = self.b.expr(Expr::Definition(id));
            }
            self.b.export("default", value, pos);
        } else if has_token(node, "=")
            && let Some(value) = children(node).into_iter().find_map(|child| self.exprs.get(child))
        {
            self.b.export(FileFacts::EXPORT_ASSIGN, value, pos);
        }
    }

    /// Exports a definition if it is written behind `export`.
    pub(super) fn export_if_declared(&mut self, id: DefId, path: &[Step<'_>]) {
        // In a namespace, what is not exported is hidden outside of it.
        let Some(export) = exporting(path) else {
            let facts = self.b.facts();
            let definition = facts.definition(id);
            let scope = definition.scope;
            let is_member = facts.scopes[scope.index()].owner.is_none_or(|owner| {
                let module = facts.definition(owner);
                module.kind != DefKind::Module || module.flags.is_declaration
            });
            if !is_member {
                self.hide_unexported(id, scope);
            }
            return;
        };
        self.b.definition_mut(id).flags.is_exported = true;
        if self.frame().nested {
            return;
        }
        let default = has_token(export, "default");
        let pos = self.b.facts().definition(id).pos;
        let name = self.b.facts().definition(id).name;
        let name = if default { "default".to_owned() } else { self.b.facts().name(name).to_owned() };
        let exported = self.b.name(&name);
        let value = self.b.expr(Expr::Definition(id));
        // Overloads and merged declarations are one export.
        let twice = self
            .b
            .facts()
            .exports
            .iter()
            .rev()
            .take(64)
            .any(|export| export.name == exported && self.b.facts().expr(export.value) == Expr::Definition(id));
        if !twice {
            self.b.export(&name, value, pos);
        }
    }

    /// Exports a name that refers to an expression.
    pub(super) fn export_if_name<'tree>(&mut self, name: &str, value: ExprId, path: &[Step<'tree>]) {
        if let (Some(export), false) = (exporting(&path[..path.len().saturating_sub(1)]), self.frame().nested) {
            let pos: Pos = self.pos(export);
            self.passes_on(value);
            self.b.export(name, value, pos);
        }
    }

    /// Exports every name that a declaration's pattern declares.
    pub(super) fn export_pattern(&mut self, pattern: Node<'_>, path: &[Step<'_>]) {
        let before = &path[..path.len().saturating_sub(1)];
        if exporting(before).is_none() {
            return;
        }
        let mut open = vec![pattern];
        while let Some(node) = open.pop() {
            match self.made.get(&node.id()) {
                Some(&id) => self.export_if_declared(id, before),
                None => open.extend(children(node)),
            }
        }
    }

    /// `import("m")` or `require("m")` in an expression.
    pub(super) fn import_call(&mut self, module: Node<'_>, commonjs: bool) -> ExprId {
        let scope = self.scope();
        let text = unquote(self.source.text(module));
        let id = self.import_row(ImportKind::Module, text, module, scope, commonjs);
        self.b.expr(Expr::Import(id))
    }
}

/// The export statement right around a declaration.
fn exporting<'tree>(path: &[Step<'tree>]) -> Option<Node<'tree>> {
    for step in path.iter().rev().take(2) {
        match step.node.kind() {
            "export_statement" => return Some(step.node),
            "ambient_declaration" => {}
            _ => return None,
        }
    }
    None
}

/// The identifiers of a dotted name, in order.
fn leaves(node: Node<'_>) -> Vec<Node<'_>> {
    let (mut open, mut found) = (vec![node], Vec::new());
    while let Some(node) = open.pop() {
        if node.named_child_count() == 0 {
            found.push(node);
        } else {
            open.extend(children(node).into_iter().rev());
        }
    }
    found
}
