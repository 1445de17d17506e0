//! State of the walk: open scopes, local names, comments that may become documentation.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use crate::facts::{
    BindingTarget, DefFlags, DefId, DefKind, Definition, Expr, ExprId, FactsBuilder, Literal, NameId, Namespace,
    Parameter, Pos, Reference, Role, ScopeId, ScopeKind, Visibility,
};
use crate::languages::Input;
use crate::text::{self, ColumnCache};
use crate::walk::{NodeExprs, Source};

/// Something that is open: a function, a type or a block of statements.
#[derive(Debug)]
pub(super) struct Frame {
    /// The node that opened it.
    node: usize,
    /// Scope of name look-ups. A declaration that hides a name used before replaces it.
    pub(super) scope: ScopeId,
    /// The scope of a function's parameters and body, while its header is read: the types there do not see the
    /// parameters (`url *url.URL`).
    pub(super) body: Option<ScopeId>,
    /// The definition whose body it is.
    pub(super) definition: Option<DefId>,
    /// Names declared in it that are local to the function.
    declared: Vec<NameId>,
    /// Parameters read so far of a function's header.
    pub(super) parameters: Vec<Parameter>,
    /// Bases of a type read so far.
    pub(super) bases: Vec<ExprId>,
    /// Variable that a type switch binds in its cases, and the switched value.
    pub(super) alias: Option<NameId>,
}

/// A name local to a function.
#[derive(Debug)]
pub(super) struct Local {
    pub(super) scope: ScopeId,
    /// Expressions assigned to it after its declaration that may be functions.
    pub(super) assigned: Vec<ExprId>,
    /// Calls of it, as places in the list of references.
    pub(super) calls: Vec<usize>,
    /// It is a type with a node of its own: uses are references.
    pub(super) is_type: bool,
}

/// The type and values that the next line of a group of constants repeats.
#[derive(Debug, Default, Clone)]
pub(super) struct Repeated {
    pub(super) declared: Option<ExprId>,
    pub(super) values: Vec<ExprId>,
}

/// A run of comments without a blank line, in bytes.
#[derive(Debug, Default, Clone, Copy)]
struct Comments {
    start: usize,
    end: usize,
}

/// The walk's state.
pub(super) struct Extractor<'a> {
    pub(super) source: Source<'a>,
    pub(super) b: FactsBuilder,
    pub(super) exprs: NodeExprs,
    pub(super) frames: Vec<Frame>,
    pub(super) locals: FxHashMap<NameId, Vec<Local>>,
    /// Names used so far, in the scope they were used in and in all local scopes around it.
    used: FxHashSet<(ScopeId, NameId)>,
    /// Names bound by imports, and their paths.
    pub(super) packages: FxHashMap<NameId, NameId>,
    pub(super) repeated: Repeated,
    name_exprs: FxHashMap<(NameId, ScopeId), ExprId>,
    literals: FxHashMap<Literal, ExprId>,
    comments: Comments,
    /// A line of the file says which builds have it.
    is_limited: bool,
    columns: ColumnCache,
}

impl<'a> Extractor<'a> {
    pub(super) fn new(input: &Input<'a>) -> Self {
        Self {
            source: Source { text: input.text },
            b: FactsBuilder::new(input.language, input.lines(), input.limits),
            exprs: NodeExprs::default(),
            frames: Vec::new(),
            locals: FxHashMap::default(),
            used: FxHashSet::default(),
            packages: FxHashMap::default(),
            repeated: Repeated::default(),
            name_exprs: FxHashMap::default(),
            literals: FxHashMap::default(),
            comments: Comments::default(),
            is_limited: is_limited(input.text),
            columns: ColumnCache::default(),
        }
    }

    /// Closes everything that a truncated walk left open.
    pub(super) fn end_file(&mut self) {
        while let Some(frame) = self.frames.pop() {
            self.forget(&frame.declared);
        }
    }

    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        self.source.text(node)
    }

    /// The scope names are looked up from.
    pub(super) fn scope(&self) -> ScopeId {
        self.frames.last().map_or(FactsBuilder::FILE, |frame| frame.scope)
    }

    /// Returns whether the walk is inside a function.
    pub(super) fn is_local(&self) -> bool {
        let kind = self.b.facts().scopes[self.scope().index()].kind;
        match kind {
            ScopeKind::Function | ScopeKind::Block => true,
            ScopeKind::File | ScopeKind::Module => false,
            ScopeKind::Class | ScopeKind::Generics => self.frames.iter().any(|frame| {
                let kind = self.b.facts().scopes[frame.scope.index()].kind;
                matches!(kind, ScopeKind::Function | ScopeKind::Block)
            }),
        }
    }

    /// Opens a scope that ends with `node`.
    pub(super) fn open_frame(&mut self, node: Node<'_>, kind: ScopeKind, definition: Option<DefId>) -> ScopeId {
        let around = self.scope();
        let owner = definition.or(self.b.facts().scopes[around.index()].owner);
        let scope = self.b.scope(around, kind, owner);
        self.frames.push(Frame {
            node: node.id(),
            scope,
            body: None,
            definition,
            declared: Vec::new(),
            parameters: Vec::new(),
            bases: Vec::new(),
            alias: None,
        });
        scope
    }

    /// Opens a function: the scope of its header, and in it that of its parameters and body.
    pub(super) fn open_function_frame(&mut self, node: Node<'_>, id: DefId) {
        let header = self.open_frame(node, ScopeKind::Generics, Some(id));
        let body = self.b.scope(header, ScopeKind::Function, Some(id));
        self.b.definition_mut(id).body = Some(body);
        if let Some(frame) = self.frames.last_mut() {
            frame.body = Some(body);
        }
    }

    /// Closes the scopes that `node` opened.
    pub(super) fn close_frame(&mut self, node: Node<'_>) {
        while self.frames.last().is_some_and(|frame| frame.node == node.id()) {
            if let Some(frame) = self.frames.pop() {
                self.forget(&frame.declared);
            }
        }
    }

    fn forget(&mut self, names: &[NameId]) {
        for name in names {
            let Some(local) = self.locals.get_mut(name).and_then(Vec::pop) else { continue };
            if local.calls.is_empty() || local.assigned.is_empty() {
                continue;
            }
            // Assigned and called: the function it holds depends on the control flow.
            for &value in &local.assigned {
                self.b.bind(local.scope, *name, Namespace::Any, BindingTarget::Value(value));
            }
            for call in local.calls {
                if let Some(reference) = self.b.facts_mut().references.get_mut(call) {
                    reference.inexact = true;
                }
            }
        }
    }

    /// The innermost open frame of a function or type, with its definition.
    pub(super) fn owner_frame(&mut self) -> Option<&mut Frame> {
        self.frames.iter_mut().rev().find(|frame| frame.definition.is_some())
    }

    /// Returns whether a name means something local here.
    pub(super) fn local(&mut self, name: NameId) -> Option<&mut Local> {
        self.locals.get_mut(&name).and_then(|stack| stack.last_mut())
    }

    /// Declares names local to the function, from here to the end of the block. With `again`, names that the same block
    /// has declared before are assigned, not declared.
    pub(super) fn declare(&mut self, names: &[(NameId, BindingTarget)], again: bool) {
        let Some(frame) = self.frames.last() else { return };
        let fresh: Vec<_> =
            names.iter().filter(|(name, _)| !(again && frame.declared.contains(name))).copied().collect();
        let mut scope = frame.scope;
        if fresh.iter().any(|(name, _)| self.used.contains(&(scope, *name))) {
            let owner = self.b.facts().scopes[scope.index()].owner;
            scope = self.b.scope(scope, ScopeKind::Block, owner);
        }
        for &(name, target) in &fresh {
            self.b.bind(scope, name, Namespace::Any, target);
            let local = Local { scope, assigned: Vec::new(), calls: Vec::new(), is_type: false };
            self.locals.entry(name).or_default().push(local);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.scope = scope;
            frame.declared.extend(fresh.iter().map(|(name, _)| *name));
        }
    }

    /// Declares a name in the innermost frame without checking earlier uses: parameters, types.
    pub(super) fn declare_here(&mut self, name: NameId, target: BindingTarget, is_type: bool) {
        let body = self.frames.last().and_then(|frame| frame.body);
        let scope = body.unwrap_or(self.scope());
        self.b.bind(scope, name, Namespace::Any, target);
        if let Some(frame) = self.frames.last_mut() {
            frame.declared.push(name);
            let local = Local { scope, assigned: Vec::new(), calls: Vec::new(), is_type };
            self.locals.entry(name).or_default().push(local);
        }
    }

    /// A bare name at this place.
    pub(super) fn name_expr(&mut self, name: NameId) -> ExprId {
        let scope = self.scope();
        self.mark_used(name, scope);
        if let Some(&expr) = self.name_exprs.get(&(name, scope)) {
            return expr;
        }
        let expr = self.b.expr(Expr::Name { name, scope });
        self.name_exprs.insert((name, scope), expr);
        expr
    }

    fn mark_used(&mut self, name: NameId, scope: ScopeId) {
        let mut at = Some(scope);
        while let Some(scope) = at.filter(|scope| *scope != FactsBuilder::FILE) {
            if !self.used.insert((scope, name)) {
                return;
            }
            at = self.b.facts().scopes[scope.index()].parent;
        }
    }

    pub(super) fn literal(&mut self, literal: Literal) -> ExprId {
        if let Some(&expr) = self.literals.get(&literal) {
            return expr;
        }
        let expr = self.b.expr(Expr::Literal(literal));
        self.literals.insert(literal, expr);
        expr
    }

    /// The expression of a node, unknown if it is none.
    pub(super) fn expr_of(&self, node: Option<Node<'_>>) -> ExprId {
        node.and_then(|node| self.exprs.get(node)).unwrap_or_else(|| self.b.unknown())
    }

    pub(super) fn field_expr(&self, node: Node<'_>, field: &str) -> ExprId {
        self.expr_of(node.child_by_field_name(field))
    }

    /// Start position of a node.
    pub(super) fn pos(&mut self, node: Node<'_>) -> Pos {
        self.columns.pos(self.source.text, node)
    }

    /// Adds a reference at `node`.
    pub(super) fn refer(&mut self, expr: ExprId, role: Role, arity: u8, node: Node<'_>) {
        let names = matches!(self.b.facts().expr(expr), Expr::Name { .. } | Expr::Member { .. });
        if !names {
            return;
        }
        let pos = self.pos(node);
        let enclosing = self.b.enclosing(self.scope());
        self.b.reference(Reference { expr, role, inexact: false, arity, pos, enclosing });
    }

    /// A definition at this node, before its content is known. `extent` is all of it, `header_end` the byte at the
    /// end of its header.
    pub(super) fn define(&mut self, kind: DefKind, name: Node<'_>, extent: Node<'_>, header_end: usize) -> DefId {
        let name_text = text::clip(self.text(name), MAX_NAME);
        let id = self.b.name(name_text);
        let pos = self.pos(name);
        let scope = self.scope();
        let is_local = self.is_local();
        let mut definition = self.b.blank_definition(kind, id, scope, pos);
        definition.visibility = visibility(name_text);
        definition.flags = DefFlags { is_local, is_conditional: self.is_limited && !is_local, ..DefFlags::default() };
        self.place(&mut definition, extent);
        definition.doc = self.doc_before(extent.start_byte());
        let header = self.source.text.get(extent.start_byte()..header_end.max(extent.start_byte())).unwrap_or("");
        let header = text::clip(header, 4 * Definition::MAX_SIGNATURE).trim_end().trim_end_matches('{');
        definition.signature = text::signature(header.trim_end());
        self.b.definition(definition)
    }

    /// A definition without a name: function literals, types written in place.
    pub(super) fn define_anonymous(&mut self, kind: DefKind, node: Node<'_>) -> DefId {
        let name = self.b.name("");
        let pos = self.pos(node);
        let scope = self.scope();
        let mut definition = self.b.blank_definition(kind, name, scope, pos);
        definition.flags = DefFlags { is_anonymous: true, is_local: self.is_local(), ..DefFlags::default() };
        definition.visibility = Visibility::Package;
        self.place(&mut definition, node);
        self.b.definition(definition)
    }

    fn place(&self, definition: &mut Definition, extent: Node<'_>) {
        definition.line_start = extent.start_position().row as u32 + 1;
        definition.line_end = self.source.end_line(extent).max(definition.line_start);
        definition.bytes = (extent.start_byte() as u32, extent.end_byte() as u32);
    }

    pub(super) fn comment(&mut self, node: Node<'_>) {
        let between = self.source.text.get(self.comments.end..node.start_byte()).unwrap_or("");
        let joined = self.comments.end > 0 && between.trim().is_empty() && breaks(between) < 2;
        if !joined {
            self.comments.start = node.start_byte();
        }
        self.comments.end = node.end_byte();
    }

    /// The comment that ends right before a byte.
    pub(super) fn doc_before(&self, start: usize) -> Option<Box<str>> {
        let Comments { start: from, end } = self.comments;
        let gap = self.source.text.get(end..start).filter(|_| end > 0)?;
        if !gap.trim().is_empty() || breaks(gap) > 1 {
            return None;
        }
        // A comment behind code on the line belongs to that code.
        let line = self.source.text.get(..from)?.rsplit('\n').next().unwrap_or("");
        if !line.trim().is_empty() {
            return None;
        }
        text::doc(self.source.text.get(from..end)?)
    }
}

/// Longest name kept, in bytes.
pub(super) const MAX_NAME: usize = 200;

/// Returns whether a line before the package clause limits the builds that have the file (`//go:build linux`).
fn is_limited(text: &str) -> bool {
    let head = text.lines().map(str::trim_start).take_while(|line| !line.starts_with("package "));
    head.into_iter().any(|line| line.starts_with("//go:build ") || line.starts_with("// +build "))
}

fn breaks(gap: &str) -> usize {
    gap.bytes().filter(|&byte| byte == b'\n').count()
}

/// Names that start with a capital letter are exported.
fn visibility(name: &str) -> Visibility {
    if name.chars().next().is_some_and(char::is_uppercase) { Visibility::Public } else { Visibility::Package }
}
