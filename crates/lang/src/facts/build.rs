use m1nd_base::{ContentHash, Limits, Problem, ProblemKind};
use rustc_hash::FxHashMap;

use super::decorators::{Decorators, Extent};
use super::{
    Argument, Binding, BindingTarget, DefFlags, DefId, DefKind, Definition, Export, Expr, ExprId, FileFacts, Import,
    ImportId, List, ListId, LooseWords, MemberWrite, NameId, NameTable, Namespace, Parameter, Pos, Reference, Role,
    Scope, ScopeId, ScopeKind, TypeParameter, Visibility,
};
use crate::Language;

/// Longest text of a name that is kept whole, in bytes.
const MAX_NAME: usize = 1 << 10;

/// Fills a [`FileFacts`], keeping its invariants: interned names, parents before children, list 0 empty.
///
/// Adding never fails: once the limit is reached further facts of unbounded kinds become the neutral element
/// ([`Expr::Unknown`], dropped reference) and [`FactsBuilder::full`] turns true, so that a walk can end early.
#[derive(Debug)]
pub struct FactsBuilder {
    facts: FileFacts,
    names: FxHashMap<Box<str>, NameId>,
    unknown: ExprId,
    limit: usize,
    full: bool,
    decorators: Decorators,
}

impl FactsBuilder {
    /// The empty list.
    pub const EMPTY: ListId = ListId(0);
    /// The expression of which nothing is known.
    pub const UNKNOWN: ExprId = ExprId(0);
    /// The file scope.
    pub const FILE: ScopeId = ScopeId(0);

    /// Facts of a file of `lines` lines, with its file scope and nothing else.
    pub fn new(language: Language, lines: u32, limits: &Limits) -> Self {
        let facts = FileFacts {
            language,
            lines,
            names: NameTable::default(),
            scopes: vec![Scope { parent: None, kind: ScopeKind::File, owner: None }],
            definitions: Vec::new(),
            parameters: Vec::new(),
            type_parameters: Vec::new(),
            bindings: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            export_list: None,
            exprs: vec![Expr::Unknown],
            lists: vec![List { start: 0, len: 0 }],
            list_items: Vec::new(),
            references: Vec::new(),
            member_writes: Vec::new(),
            stored: Vec::new(),
            arguments: Vec::new(),
            macro_arguments: Vec::new(),
            texts: Vec::new(),
            mentions: Vec::new(),
            declared: Vec::new(),
            shared: Vec::new(),
            words: LooseWords::default(),
            package: None,
            doc: None,
            is_test: false,
            problems: Vec::new(),
        };
        Self {
            facts,
            names: FxHashMap::default(),
            unknown: Self::UNKNOWN,
            limit: limits.facts_per_file,
            full: false,
            decorators: Decorators::default(),
        }
    }

    /// The facts built so far.
    pub fn facts(&self) -> &FileFacts {
        &self.facts
    }

    /// The facts built so far, for setting single fields (`doc`, `package`, `export_list`, a definition's values).
    pub fn facts_mut(&mut self) -> &mut FileFacts {
        &mut self.facts
    }

    /// Returns whether the limit is reached.
    pub fn full(&self) -> bool {
        self.full
    }

    /// Ends the building. References are put in order of position.
    pub fn finish(mut self) -> FileFacts {
        if self.full {
            let detail = format!("more than {} facts", self.limit);
            self.facts.problems.push(Problem::new(ProblemKind::FactsLimit, detail));
        }
        self.settle_stored();
        self.facts.references.sort_by_key(|reference| reference.pos);
        self.facts.arguments.sort_by_key(|argument| argument.of);
        self.facts.macro_arguments.sort_by_key(|arguments| arguments.start);
        self.facts.shrink();
        self.facts
    }

    fn has_room(&mut self) -> bool {
        self.full = self.full || self.facts.len() >= self.limit;
        !self.full
    }

    /// Interns a text. Of a very long one, only the start and a hash are kept: names are part of many other texts.
    pub fn name(&mut self, text: &str) -> NameId {
        if text.len() > MAX_NAME {
            let hash = ContentHash::of(text.as_bytes()).short();
            let start = &text[..text.floor_char_boundary(MAX_NAME / 2)];
            return self.name(&format!("{start}~{hash:x}"));
        }
        if let Some(&id) = self.names.get(text) {
            return id;
        }
        let id = self.facts.names.push(text);
        self.names.insert(text.into(), id);
        id
    }

    /// Opens a scope.
    pub fn scope(&mut self, parent: ScopeId, kind: ScopeKind, owner: Option<DefId>) -> ScopeId {
        self.facts.scopes.push(Scope { parent: Some(parent), kind, owner });
        ScopeId(self.facts.scopes.len() as u32 - 1)
    }

    /// Adds an expression.
    pub fn expr(&mut self, expr: Expr) -> ExprId {
        if expr == Expr::Unknown || !self.has_room() {
            return self.unknown;
        }
        self.facts.exprs.push(expr);
        ExprId(self.facts.exprs.len() as u32 - 1)
    }

    /// [`Expr::Unknown`].
    pub fn unknown(&self) -> ExprId {
        self.unknown
    }

    /// A bare name looked up from `scope`.
    pub fn name_expr(&mut self, text: &str, scope: ScopeId) -> ExprId {
        let name = self.name(text);
        self.expr(Expr::Name { name, scope })
    }

    /// `base.text`.
    pub fn member(&mut self, base: ExprId, text: &str) -> ExprId {
        let name = self.name(text);
        self.expr(Expr::Member { base, name })
    }

    /// `base::text`.
    pub fn path(&mut self, base: ExprId, text: &str) -> ExprId {
        let name = self.name(text);
        self.expr(Expr::Path { base, name })
    }

    /// One of `items`: the item itself if there is one, [`Expr::Unknown`] if none.
    pub fn union(&mut self, items: &[ExprId]) -> ExprId {
        match items {
            [] => self.unknown,
            [one] => *one,
            many => {
                let list = self.list(many);
                self.expr(Expr::Union(list))
            }
        }
    }

    /// Adds a list.
    pub fn list(&mut self, items: &[ExprId]) -> ListId {
        if items.is_empty() {
            return Self::EMPTY;
        }
        let start = self.facts.list_items.len() as u32;
        self.facts.list_items.extend_from_slice(items);
        self.facts.lists.push(List { start, len: items.len() as u32 });
        ListId(self.facts.lists.len() as u32 - 1)
    }

    /// Adds a definition. Does not bind its name: see [`FactsBuilder::bind_definition`].
    pub fn definition(&mut self, definition: Definition) -> DefId {
        self.facts.definitions.push(definition);
        DefId(self.facts.definitions.len() as u32 - 1)
    }

    /// A definition with neutral values for all that not every definition has.
    pub fn blank_definition(&self, kind: DefKind, name: NameId, scope: ScopeId, pos: Pos) -> Definition {
        Definition {
            kind,
            name,
            owner: self.facts.scopes[scope.index()].owner,
            scope,
            body: None,
            pos,
            line_start: pos.line,
            line_end: pos.line,
            bytes: (0, 0),
            visibility: Visibility::Public,
            flags: DefFlags::default(),
            doc: None,
            signature: None,
            parameters: (0, 0),
            type_parameters: (0, 0),
            declared: None,
            values: Self::EMPTY,
            bases: Self::EMPTY,
            implements: Self::EMPTY,
            decorators: Self::EMPTY,
            extends_type: None,
        }
    }

    /// An existing definition, to complete it.
    pub fn definition_mut(&mut self, id: DefId) -> &mut Definition {
        &mut self.facts.definitions[id.index()]
    }

    /// Gives a definition its parameters.
    pub fn parameters(&mut self, id: DefId, parameters: &[Parameter]) {
        let start = self.facts.parameters.len() as u32;
        self.facts.parameters.extend_from_slice(parameters);
        self.facts.definitions[id.index()].parameters = (start, parameters.len() as u32);
    }

    /// Gives a definition its type parameters.
    pub fn type_parameters(&mut self, id: DefId, parameters: &[TypeParameter]) {
        let start = self.facts.type_parameters.len() as u32;
        self.facts.type_parameters.extend_from_slice(parameters);
        self.facts.definitions[id.index()].type_parameters = (start, parameters.len() as u32);
    }

    /// Binds a name.
    pub fn bind(&mut self, scope: ScopeId, name: NameId, namespace: Namespace, target: BindingTarget) {
        if self.has_room() {
            self.facts.bindings.push(Binding { scope, name, namespace, target });
        }
    }

    /// Binds a definition's name in its own scope.
    pub fn bind_definition(&mut self, id: DefId, namespace: Namespace) {
        let Definition { scope, name, .. } = *self.facts.definition(id);
        self.bind(scope, name, namespace, BindingTarget::Definition(id));
    }

    /// Adds an import; if it has an `alias`, binds it in the import's scope.
    pub fn import(&mut self, import: Import, alias: Option<NameId>) -> ImportId {
        self.facts.imports.push(import);
        let id = ImportId(self.facts.imports.len() as u32 - 1);
        if let Some(alias) = alias {
            self.bind(import.scope, alias, Namespace::Any, BindingTarget::Import(id));
        }
        id
    }

    /// Adds an export.
    pub fn export(&mut self, name: &str, value: ExprId, pos: Pos) {
        let name = self.name(name);
        self.facts.exports.push(Export { name, value, pos });
    }

    /// Adds a reference.
    pub fn reference(&mut self, reference: Reference) {
        if self.has_room() {
            self.facts.references.push(reference);
        }
    }

    /// Adds a reference written at this byte. A reference of a decorator is moved to the decorated definition by
    /// [`FactsBuilder::place_decorators`].
    pub fn reference_at(&mut self, reference: Reference, byte: usize) {
        let index = self.facts.references.len();
        let decorates = reference.role == Role::Decorate;
        self.reference(reference);
        if decorates && self.facts.references.len() > index {
            self.decorators.referred.push((byte, index));
        }
    }

    /// Adds a decorator written at this byte to the list of the decorated definition, unless it decorates a part of
    /// one. Done by [`FactsBuilder::place_decorators`].
    pub fn decorator(&mut self, expr: ExprId, pos: Pos, byte: usize) {
        if self.has_room() {
            self.decorators.listed.push((byte, pos, expr));
        }
    }

    /// Sets the extent of a definition whose bytes exclude its decorators: where they start, where its header
    /// continues, and where it ends.
    pub fn set_decorated(&mut self, id: DefId, start: usize, header: usize, end: usize) {
        self.decorators.extents.push(Extent { start, end, id, header: Some(header) });
    }

    /// Assigns decorators to the decorated definitions. To be called when all definitions exist with their bytes, and
    /// before references are removed or moved.
    pub fn place_decorators(&mut self) {
        std::mem::take(&mut self.decorators).place(self);
    }

    /// Adds a plain reference: exact, no argument count.
    pub fn refer(&mut self, expr: ExprId, role: Role, pos: Pos, enclosing: Option<DefId>) {
        self.reference(Reference { expr, role, inexact: false, arity: u8::MAX, pos, enclosing });
    }

    /// Returns whether [`Argument`]s are kept of a call of an access path.
    pub fn keeps_arguments(&self, callee: ExprId) -> bool {
        let Some(name) = self.last_name(callee) else { return false };
        let owner = match self.facts.expr(callee) {
            Expr::Member { base, .. } => self.last_name(base),
            _ => None,
        };
        super::argument::keeps_call(self.facts.language, name, owner)
    }

    /// Returns whether the key is kept by which an access path is indexed.
    pub fn keeps_key(&self, indexed: ExprId) -> bool {
        self.last_name(indexed).is_some_and(|name| super::argument::keeps_key(self.facts.language, name))
    }

    fn last_name(&self, expr: ExprId) -> Option<&str> {
        match self.facts.expr(expr) {
            Expr::Name { name, .. } | Expr::Member { name, .. } | Expr::Path { name, .. } => {
                Some(self.facts.name(name))
            }
            _ => None,
        }
    }

    /// Adds an argument; `literal` is how it is written, if it is a string. One that would say nothing is left out.
    pub fn argument(&mut self, of: ExprId, name: Option<&str>, literal: Option<&str>, value: ExprId) {
        let text = literal.and_then(Argument::text);
        if (name.is_some() || text.is_some()) && self.has_room() {
            let [name, text] = [name, text].map(|text| text.map(|text| self.name(text)));
            self.facts.arguments.push(Argument { of, name, text, value });
        }
    }

    /// Adds a member write.
    pub fn member_write(&mut self, base: ExprId, name: NameId, value: ExprId) {
        self.facts.member_writes.push(MemberWrite { base, name, value });
    }

    /// Reports a problem.
    pub fn problem(&mut self, problem: Problem) {
        self.facts.problems.push(problem);
    }

    /// Innermost definition around `scope` that has a name, for [`Reference::enclosing`].
    pub fn enclosing(&self, scope: ScopeId) -> Option<DefId> {
        let mut owner = self.facts.scopes[scope.index()].owner;
        while let Some(id) = owner {
            let definition = self.facts.definition(id);
            if !definition.flags.is_anonymous {
                return Some(id);
            }
            owner = definition.owner;
        }
        None
    }
}
