//! Invariants of the facts of every file, whatever its bytes.

use m1nd_lang::FileFacts;
use m1nd_lang::facts::{BindingTarget, DefId, Expr, ExprId, ImportKind, ListId, NameId, Pos, ScopeId};

/// Every broken invariant of the facts of a file of `bytes` bytes, in words; empty if all hold.
pub(crate) fn check_invariants(facts: &FileFacts, bytes: usize) -> Vec<String> {
    let mut check = Check { facts, bytes, broken: Vec::new() };
    check.tables();
    check.scopes();
    check.definitions();
    check.names();
    check.exprs();
    check.references();
    check.broken
}

struct Check<'a> {
    facts: &'a FileFacts,
    bytes: usize,
    broken: Vec<String>,
}

impl Check<'_> {
    fn expect(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds && self.broken.len() < 20 {
            self.broken.push(what());
        }
    }

    fn name(&mut self, id: NameId, of: &str) {
        let holds = id.index() < self.facts.names.len();
        self.expect(holds, || format!("name {id:?} of {of} is out of range"));
    }

    fn scope(&mut self, id: ScopeId, of: &str) {
        let holds = id.index() < self.facts.scopes.len();
        self.expect(holds, || format!("scope {id:?} of {of} is out of range"));
    }

    fn def(&mut self, id: DefId, of: &str) {
        let holds = id.index() < self.facts.definitions.len();
        self.expect(holds, || format!("definition {id:?} of {of} is out of range"));
    }

    fn expr(&mut self, id: ExprId, of: &str) {
        let holds = id.index() < self.facts.exprs.len();
        self.expect(holds, || format!("expression {id:?} of {of} is out of range"));
    }

    fn list(&mut self, id: ListId, of: &str) {
        let holds = id.index() < self.facts.lists.len();
        self.expect(holds, || format!("list {id:?} of {of} is out of range"));
    }

    fn pos(&mut self, pos: Pos, of: &str) {
        let holds = pos.line >= 1 && pos.col >= 1 && pos.line <= self.facts.lines;
        let lines = self.facts.lines;
        self.expect(holds, || format!("position {pos:?} of {of} is outside of {lines} lines"));
    }

    fn tables(&mut self) {
        let facts = self.facts;
        self.expect(facts.lists.first().is_some_and(|list| list.len == 0), || "list 0 is not empty".into());
        for list in &facts.lists {
            let end = u64::from(list.start) + u64::from(list.len);
            self.expect(end <= facts.list_items.len() as u64, || format!("{list:?} is out of range"));
        }
        for &item in &facts.list_items {
            self.expr(item, "a list");
        }
        let mut names: Vec<&str> = facts.names.iter().collect();
        names.sort_unstable();
        let distinct = names.windows(2).all(|pair| pair[0] != pair[1]);
        self.expect(distinct, || "a name stands twice".into());
    }

    fn scopes(&mut self) {
        let facts = self.facts;
        self.expect(facts.scopes.first().is_some_and(|scope| scope.parent.is_none()), || "no file scope".into());
        for (index, scope) in facts.scopes.iter().enumerate().skip(1) {
            let before = scope.parent.is_some_and(|parent| parent.index() < index);
            self.expect(before, || format!("scope {index} stands before its parent"));
            if let Some(owner) = scope.owner {
                self.def(owner, "a scope");
            }
        }
    }

    fn definitions(&mut self) {
        let facts = self.facts;
        for (index, definition) in facts.definitions.iter().enumerate() {
            let name = facts.name(definition.name).to_owned();
            let of = format!("definition {index} `{name}`");
            self.name(definition.name, &of);
            self.scope(definition.scope, &of);
            if let Some(owner) = definition.owner {
                self.expect(owner.index() < index, || format!("{of} stands before its owner"));
            }
            if let Some(body) = definition.body {
                self.scope(body, &of);
                let owner = facts.scopes.get(body.index()).and_then(|scope| scope.owner);
                self.expect(owner == Some(DefId(index as u32)), || format!("the body of {of} belongs to {owner:?}"));
            }
            let (start, end) = (definition.line_start, definition.line_end);
            // Line 0 means the file as a whole, for definitions without a specific place.
            if definition.pos.line > 0 {
                self.pos(definition.pos, &of);
                self.expect(start >= 1 && start <= end && end <= facts.lines, || {
                    format!("lines {start}-{end} of {of}")
                });
            }
            let (from, to) = definition.bytes;
            let fits = from <= to && to as usize <= self.bytes;
            self.expect(fits, || format!("bytes {from}..{to} of {of}"));
            self.expect(definition.flags.is_anonymous || !name.is_empty(), || format!("{of} has no name"));
            let (start, len) = definition.parameters;
            self.expect((start + len) as usize <= facts.parameters.len(), || format!("parameters of {of}"));
            let (start, len) = definition.type_parameters;
            self.expect((start + len) as usize <= facts.type_parameters.len(), || format!("type parameters of {of}"));
            for list in [definition.values, definition.bases, definition.implements, definition.decorators] {
                self.list(list, &of);
            }
            for expr in [definition.declared, definition.extends_type].into_iter().flatten() {
                self.expr(expr, &of);
            }
            let doc = definition.doc.as_ref().map_or(0, |doc| doc.len());
            let signature = definition.signature.as_ref().map_or(0, |signature| signature.len());
            self.expect(doc <= m1nd_lang::facts::Definition::MAX_DOC, || format!("doc of {of} has {doc} bytes"));
            let most = m1nd_lang::facts::Definition::MAX_SIGNATURE;
            self.expect(signature <= most, || format!("signature of {of} has {signature} bytes"));
        }
    }

    fn names(&mut self) {
        let facts = self.facts;
        for parameter in &facts.parameters {
            self.name(parameter.name, "a parameter");
            for expr in [parameter.declared, parameter.default].into_iter().flatten() {
                self.expr(expr, "a parameter");
            }
        }
        for parameter in &facts.type_parameters {
            self.name(parameter.name, "a type parameter");
            if let Some(bound) = parameter.bound {
                self.expr(bound, "a type parameter");
            }
        }
        for binding in &facts.bindings {
            self.scope(binding.scope, "a binding");
            self.name(binding.name, "a binding");
            match binding.target {
                BindingTarget::Definition(id) => self.def(id, "a binding"),
                BindingTarget::Import(id) => {
                    self.expect(id.index() < facts.imports.len(), || format!("import {id:?} of a binding"));
                }
                BindingTarget::Parameter(id, number) => {
                    let of = facts.definitions.get(id.index()).map_or(0, |definition| definition.parameters.1);
                    self.expect(number < of, || format!("parameter {number} of {id:?}, which has {of}"));
                }
                BindingTarget::TypeParameter(id, number) => {
                    let of = facts.definitions.get(id.index()).map_or(0, |definition| definition.type_parameters.1);
                    self.expect(number < of, || format!("type parameter {number} of {id:?}, which has {of}"));
                }
                BindingTarget::Value(expr) | BindingTarget::Typed(expr) => self.expr(expr, "a binding"),
                BindingTarget::Opaque | BindingTarget::Outer(_) => {}
            }
        }
        for import in &facts.imports {
            self.name(import.module, "an import");
            self.scope(import.scope, "an import");
            self.pos(import.pos, "an import");
            if let ImportKind::Symbol(name) | ImportKind::FileModule(name) = import.kind {
                self.name(name, "an import");
            }
            if let Some(path) = import.path {
                self.expr(path, "an import");
            }
        }
        for export in &facts.exports {
            self.name(export.name, "an export");
            self.expr(export.value, "an export");
            if export.pos.line > 0 {
                self.pos(export.pos, "an export");
            }
        }
        for write in facts.member_writes.iter().chain(&facts.stored) {
            self.name(write.name, "a member write");
            self.expr(write.base, "a member write");
            self.expr(write.value, "a member write");
        }
        for &name in facts.export_list.iter().flatten().chain(&facts.package) {
            self.name(name, "the file");
        }
    }

    fn exprs(&mut self) {
        let facts = self.facts;
        for (index, &expr) in facts.exprs.iter().enumerate() {
            let of = format!("expression {index}");
            let part = match expr {
                Expr::Name { name, scope } => {
                    self.name(name, &of);
                    self.scope(scope, &of);
                    None
                }
                Expr::Member { base, name }
                | Expr::Path { base, name }
                | Expr::Key { base, name }
                | Expr::Entry { value: base, name }
                | Expr::Implicit { base, name } => {
                    self.name(name, &of);
                    Some(base)
                }
                Expr::Call { callee: base, args } | Expr::Generic { base, args } => {
                    self.before(args, index);
                    Some(base)
                }
                Expr::Signature { parameters, result: base } => {
                    self.before(parameters, index);
                    Some(base)
                }
                Expr::Union(items) | Expr::Collection { items, .. } => {
                    self.before(items, index);
                    None
                }
                Expr::Index { base }
                | Expr::Item { base, .. }
                | Expr::Element { base }
                | Expr::Unwrap { base }
                | Expr::Enter { base }
                | Expr::AwaitedElement { base }
                | Expr::AwaitedEnter { base }
                | Expr::Instance { of: base }
                | Expr::Given { by: base, .. }
                | Expr::Function { result: base } => Some(base),
                Expr::Narrowed { base, by, .. } => {
                    self.before(by, index);
                    Some(base)
                }
                Expr::Definition(id) => {
                    self.def(id, &of);
                    None
                }
                Expr::Import(id) => {
                    self.expect(id.index() < facts.imports.len(), || format!("import of {of}"));
                    None
                }
                Expr::Root { scope, .. } | Expr::This { scope } | Expr::SelfType { scope } | Expr::Super { scope } => {
                    self.scope(scope, &of);
                    None
                }
                Expr::SuperOf { class, scope } => {
                    self.scope(scope, &of);
                    Some(class)
                }
                Expr::Literal(_) | Expr::Unknown => None,
            };
            if let Some(part) = part {
                self.expect(part.index() < index, || format!("{of} stands before its part {part:?}"));
            }
        }
    }

    fn before(&mut self, list: ListId, index: usize) {
        self.list(list, "an expression");
        let items = if list.index() < self.facts.lists.len() { self.facts.list(list) } else { &[] };
        let holds = items.iter().all(|item| item.index() < index);
        self.expect(holds, || format!("expression {index} stands before an item of its list"));
    }

    fn references(&mut self) {
        let facts = self.facts;
        let sorted = facts.macro_arguments.windows(2).all(|pair| pair[0].start <= pair[1].start);
        self.expect(sorted, || "arguments of macros are not in order of position".into());
        for arguments in &facts.macro_arguments {
            self.pos(arguments.start, "arguments of a macro");
            self.pos(arguments.end, "arguments of a macro");
            self.expr(arguments.path, "arguments of a macro");
            self.expect(arguments.start <= arguments.end, || format!("{arguments:?} end before they start"));
        }
        let sorted = facts.references.windows(2).all(|pair| pair[0].pos <= pair[1].pos);
        self.expect(sorted, || "references are not in order of position".into());
        for reference in &facts.references {
            self.pos(reference.pos, "a reference");
            self.expr(reference.expr, "a reference");
            if reference.expr.index() < facts.exprs.len() {
                let expr = facts.expr(reference.expr);
                let named = matches!(
                    expr,
                    Expr::Name { .. }
                        | Expr::Member { .. }
                        | Expr::Path { .. }
                        | Expr::Super { .. }
                        | Expr::Root { .. }
                        | Expr::Implicit { .. }
                );
                self.expect(named || reference.role == m1nd_lang::facts::Role::Call, || {
                    format!("a reference refers to {expr:?}")
                });
            }
            if let Some(id) = reference.enclosing {
                self.def(id, "a reference");
                let anonymous =
                    facts.definitions.get(id.index()).is_some_and(|definition| definition.flags.is_anonymous);
                self.expect(!anonymous, || format!("a reference stands in the anonymous {id:?}"));
            }
        }
    }
}
