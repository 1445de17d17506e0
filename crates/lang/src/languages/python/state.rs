//! State of the walk: enclosing scopes, type or value position, variables seen.

use std::sync::LazyLock;

use m1nd_base::{Cancel, Limits};
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Language, Node};

use super::operators::ByFunction;
use super::standard::StandardCall;
use crate::facts::{DefId, Expr, ExprId, FactsBuilder, Literal, NameId, Pos, ScopeId, ScopeKind};
use crate::languages::Input;
use crate::languages::narrowing::Narrowings;
use crate::text::ColumnCache;
use crate::walk::{KindNames, NodeExprs, Source, Step};

/// Maximum elements, arguments or defaults kept per literal or call. More do not help name resolution.
pub(super) const MAX_ITEMS: usize = 32;

/// Scope of name look-ups, and the definition that references belong to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    /// Depth of the node that opened it.
    depth: usize,
    pub(super) scope: ScopeId,
    pub(super) enclosing: Option<DefId>,
    /// For a comprehension before its first iterable: the enclosing scope.
    around: Option<ScopeId>,
}

/// A definition whose body is being walked.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) kind: FrameKind,
    pub(super) definition: DefId,
    /// Scope of its body.
    pub(super) body: ScopeId,
    /// Scope that its annotations and bases are looked up from.
    pub(super) signature: ScopeId,
    pub(super) parameters: Vec<NameId>,
    /// First parameter by position after the receiver.
    pub(super) first: Option<NameId>,
    /// Something may keep the first argument beyond the call.
    pub(super) keeps_first: bool,
    /// Functions inside of it that do not keep their first argument.
    pub(super) releasing: Vec<NameId>,
    /// First parameter of a method, and its class.
    pub(super) receiver: Option<(NameId, DefId)>,
    pub(super) returns: Vec<ExprId>,
    pub(super) yields: Vec<ExprId>,
    pub(super) is_enum: bool,
    /// A class that others satisfy by having its methods.
    pub(super) is_protocol: bool,
    pub(super) is_test_class: bool,
    /// Type variables of `typing` that are its type parameters.
    pub(super) type_variables: Vec<NameId>,
    /// Type variable for the class of a method's receiver.
    pub(super) receiver_variable: Option<NameId>,
    /// Class of a non-static method.
    pub(super) method_of: Option<DefId>,
    /// Number of conditions, loops and functions open at its own statements.
    pub(super) level: u32,
}

/// Kind of definition of a [`Frame`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameKind {
    Function,
    Lambda,
    Class,
}

/// A variable or field that is a definition.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) definition: DefId,
    pub(super) values: Vec<ExprId>,
    /// Met first where it is assigned from outside its own scope (`self.x = …`, `global x`).
    pub(super) provisional: bool,
}

/// `__all__` as far as it can be read.
#[derive(Debug, Default)]
pub(super) struct ExportList {
    pub(super) names: Option<Vec<NameId>>,
    /// Some part of it is not a literal.
    pub(super) is_dynamic: bool,
}

/// The walk's state.
pub(super) struct Extractor<'a> {
    pub(super) source: Source<'a>,
    pub(super) limits: &'a Limits,
    pub(super) cancel: &'a Cancel,
    pub(super) b: FactsBuilder,
    pub(super) exprs: NodeExprs,
    contexts: Vec<Context>,
    /// Depths at which reading of types (`true`) or values begins.
    modes: Vec<(usize, bool)>,
    type_only: Vec<usize>,
    pub(super) frames: Vec<Frame>,
    /// Added to the depth of a node: the walk over an annotation in quotes starts inside another walk.
    pub(super) depth_base: usize,
    pub(super) in_quotes: bool,
    /// Last expression statement left, for annotations in quotes.
    pub(super) last_expression: Option<ExprId>,
    pub(super) variables: FxHashMap<(ScopeId, NameId), Variable>,
    /// Names bound to `TypeVar(…)` at the top level, with their bounds.
    pub(super) type_variables: FxHashMap<NameId, Option<ExprId>>,
    /// Properties, by the class's body: assigning to one through the receiver defines no field.
    pub(super) properties: FxHashSet<(ScopeId, NameId)>,
    /// Names of a class's body that are no types, with the byte from which they hide names outside: methods, and
    /// fields without a value, which hide none.
    pub(super) no_types: FxHashMap<(ScopeId, NameId), usize>,
    /// `from __future__ import annotations`: annotations are not evaluated where they are written.
    pub(super) postponed: bool,
    /// Names that `global` (`true`) and `nonlocal` declare.
    pub(super) outer: FxHashMap<(ScopeId, NameId), bool>,
    name_exprs: FxHashMap<(NameId, ScopeId), ExprId>,
    /// Expressions that are callees already: every call has a callee of its own, which identifies its arguments.
    called_exprs: FxHashSet<ExprId>,
    literals: FxHashMap<Literal, ExprId>,
    /// Variables that hold a map written in place and not read since, with the conditions open at that place.
    pub(super) maps: FxHashMap<(ScopeId, NameId), u32>,
    /// Values of names in straight-line code.
    pub(super) held: super::flow::Held,
    /// Elements that functions put into containers they do not hold themselves: the name, where it is looked up from.
    pub(super) entry_writes: Vec<(ScopeId, NameId, ExprId)>,
    /// Nodes that are assigned to.
    pub(super) written: FxHashSet<usize>,
    /// Nodes that are no references: names being defined.
    pub(super) defining: FxHashSet<usize>,
    /// `type X = …` statements being read.
    pub(super) aliases: FxHashMap<usize, (DefId, ScopeId)>,
    pub(super) overloads: FxHashMap<(ScopeId, NameId), Vec<DefId>>,
    pub(super) exports: ExportList,
    /// Bindings of functions, classes and imports that happen whenever the scope's code runs.
    pub(super) firm: Vec<usize>,
    pub(super) standard_calls: Vec<StandardCall>,
    /// Methods called by functions that may be built in.
    pub(super) by_function: Vec<ByFunction>,
    /// Classes with a base that is a test case by its name.
    pub(super) test_cases: FxHashSet<DefId>,
    /// Number of open conditions, loops and functions.
    pub(super) conditional: u32,
    /// What conditions tell of the values read here.
    pub(super) narrowings: Narrowings,
    columns: ColumnCache,
}

impl<'a> Extractor<'a> {
    pub(super) fn new(input: &Input<'a>) -> Self {
        let file = Context { depth: 0, scope: FactsBuilder::FILE, enclosing: None, around: None };
        Self {
            source: Source { text: input.text },
            limits: input.limits,
            cancel: input.cancel,
            b: FactsBuilder::new(input.language, input.lines(), input.limits),
            exprs: NodeExprs::for_bytes(input.text.len()),
            contexts: vec![file],
            modes: Vec::new(),
            type_only: Vec::new(),
            frames: Vec::new(),
            depth_base: 0,
            in_quotes: false,
            last_expression: None,
            variables: FxHashMap::default(),
            type_variables: FxHashMap::default(),
            properties: FxHashSet::default(),
            no_types: FxHashMap::default(),
            postponed: false,
            outer: FxHashMap::default(),
            name_exprs: FxHashMap::default(),
            called_exprs: FxHashSet::default(),
            literals: FxHashMap::default(),
            maps: FxHashMap::default(),
            held: super::flow::Held::default(),
            entry_writes: Vec::new(),
            written: FxHashSet::default(),
            defining: FxHashSet::default(),
            aliases: FxHashMap::default(),
            overloads: FxHashMap::default(),
            exports: ExportList::default(),
            firm: Vec::new(),
            standard_calls: Vec::new(),
            by_function: Vec::new(),
            test_cases: FxHashSet::default(),
            conditional: 0,
            narrowings: Narrowings::default(),
            columns: ColumnCache::default(),
        }
    }

    /// The innermost context.
    pub(super) fn context(&self) -> Context {
        *self.contexts.last().expect("the file's context is never closed")
    }

    /// The scope names are looked up from.
    pub(super) fn scope(&self) -> ScopeId {
        self.context().scope
    }

    /// Returns whether types are read, not values.
    pub(super) fn in_type(&self) -> bool {
        self.modes.last().is_some_and(|mode| mode.1)
    }

    /// Returns whether only type checkers run this code.
    pub(super) fn is_type_only(&self) -> bool {
        !self.type_only.is_empty()
    }

    pub(super) fn scope_kind(&self, scope: ScopeId) -> ScopeKind {
        self.b.facts().scopes[scope.index()].kind
    }

    pub(super) fn parent_scope(&self, scope: ScopeId) -> Option<ScopeId> {
        self.b.facts().scopes[scope.index()].parent
    }

    /// The innermost scope around that is not a comprehension or list of type parameters.
    pub(super) fn holding_scope(&self, mut scope: ScopeId) -> ScopeId {
        while matches!(self.scope_kind(scope), ScopeKind::Block | ScopeKind::Generics) {
            let Some(parent) = self.parent_scope(scope) else { break };
            scope = parent;
        }
        scope
    }

    /// Expression of a child node, unknown if it is none.
    pub(super) fn expr_of(&self, node: Option<Node<'_>>) -> ExprId {
        node.and_then(|node| self.exprs.get(node)).unwrap_or_else(|| self.b.unknown())
    }

    /// A bare name.
    pub(super) fn name_expr(&mut self, name: NameId, scope: ScopeId) -> ExprId {
        if let Some(&expr) = self.name_exprs.get(&(name, scope)) {
            return expr;
        }
        let expr = self.b.expr(Expr::Name { name, scope });
        self.name_exprs.insert((name, scope), expr);
        expr
    }

    /// A bare name that is called.
    pub(super) fn callee_expr(&mut self, name: NameId, scope: ScopeId) -> ExprId {
        let expr = self.name_expr(name, scope);
        if self.called_exprs.insert(expr) { expr } else { self.b.expr(Expr::Name { name, scope }) }
    }

    /// A literal.
    pub(super) fn literal(&mut self, literal: Literal) -> ExprId {
        if let Some(&expr) = self.literals.get(&literal) {
            return expr;
        }
        let expr = self.b.expr(Expr::Literal(literal));
        self.literals.insert(literal, expr);
        expr
    }

    /// Start position of a node.
    pub(super) fn pos(&mut self, node: Node<'_>) -> Pos {
        self.columns.pos(self.source.text, node)
    }

    fn push(&mut self, depth: usize, scope: ScopeId, enclosing: Option<DefId>) {
        self.contexts.push(Context { depth, scope, enclosing, around: None });
    }

    /// Opens the contexts that start at this node: a scope, or type position.
    pub(super) fn open_contexts<'t>(&mut self, step: Step<'t>, path: &[Step<'t>]) {
        let depth = self.depth_base + path.len() + 1;
        let Some(parent) = path.last().map(|step| step.node) else { return };
        self.open_scope(step, parent, depth);
        self.open_narrowing(step, parent, depth);
        if let Some(mode) = self.mode(step, parent, path) {
            self.modes.push((depth, mode));
        }
        if parent.kind_name() == "if_statement" && step.field == Some("consequence") && self.is_type_checking(parent) {
            self.type_only.push(depth);
        }
        if is_conditional(step.node.kind_name()) {
            self.conditional += 1;
        }
    }

    fn open_scope<'t>(&mut self, step: Step<'t>, parent: Node<'t>, depth: usize) {
        let enclosing = self.context().enclosing;
        let frame = |this: &Self| this.frames.last().map(|frame| (frame.definition, frame.body, frame.signature));
        // Parts of a definition see different scopes: the body its locals, the header only the type parameters.
        match (parent.kind_name(), step.field.unwrap_or("")) {
            ("function_definition" | "class_definition", "body") => {
                if let Some((definition, body, _)) = frame(self) {
                    self.push(depth, body, Some(definition));
                }
            }
            ("lambda", "body") => {
                if let Some((_, body, _)) = frame(self) {
                    self.push(depth, body, enclosing);
                }
            }
            ("function_definition" | "class_definition", "return_type" | "type_parameters" | "superclasses")
            | ("typed_parameter" | "typed_default_parameter", "type") => {
                if let Some((definition, _, signature)) = frame(self) {
                    self.push(depth, signature, Some(definition));
                }
            }
            ("type_alias_statement", "right") => {
                if let Some(&(_, scope)) = self.aliases.get(&parent.id()) {
                    self.push(depth, scope, enclosing);
                }
            }
            ("for_in_clause", "right") => {
                let top = self.contexts.last_mut().and_then(|context| context.around.take());
                if let Some(around) = top {
                    self.push(depth, around, enclosing);
                }
            }
            _ => {}
        }
        let kind = step.node.kind_name();
        // A comprehension has a scope of its own; only its first iterable is read in the one around.
        if matches!(
            kind,
            "list_comprehension" | "set_comprehension" | "dictionary_comprehension" | "generator_expression"
        ) {
            let around = self.scope();
            let owner = self.b.facts().scopes[around.index()].owner;
            let scope = self.b.scope(around, ScopeKind::Block, owner);
            self.contexts.push(Context { depth, scope, enclosing, around: Some(around) });
        }
    }

    /// Closes the contexts opened at a node of this depth.
    pub(super) fn close_contexts(&mut self, depth: usize) {
        let depth = self.depth_base + depth + 1;
        self.narrowings.close(depth);
        while self.contexts.last().is_some_and(|context| context.depth == depth) {
            self.contexts.pop();
        }
        while self.modes.last().is_some_and(|mode| mode.0 == depth) {
            self.modes.pop();
        }
        if self.type_only.last() == Some(&depth) {
            self.type_only.pop();
        }
    }

    fn is_type_checking(&self, if_statement: Node<'_>) -> bool {
        let condition = if_statement.child_by_field_id(FIELDS.condition);
        condition.is_some_and(|node| last_word(self.source.text(node)) == "TYPE_CHECKING")
    }
}

/// The grammar.
pub(super) static GRAMMAR: LazyLock<Language> = LazyLock::new(|| tree_sitter_python::LANGUAGE.into());

macro_rules! fields {
    ($($field:ident = $name:literal),* $(,)?) => {
        /// Numbers of the grammar's fields: asked by name, a child is found by comparing the names of all fields.
        pub(super) struct Fields {
            $(pub(super) $field: u16,)*
        }

        /// The fields that are asked for; 0, which no child has, for one that the grammar does not know.
        pub(super) static FIELDS: LazyLock<Fields> = LazyLock::new(|| Fields {
            $($field: GRAMMAR.field_id_for_name($name).map_or(0, |id| id.get()),)*
        });
    };
}

fields! {
    alias = "alias",
    argument = "argument",
    arguments = "arguments",
    attribute = "attribute",
    body = "body",
    condition = "condition",
    definition = "definition",
    function = "function",
    key = "key",
    left = "left",
    module_name = "module_name",
    name = "name",
    object = "object",
    operator = "operator",
    parameters = "parameters",
    return_type = "return_type",
    right = "right",
    subject = "subject",
    subscript = "subscript",
    superclasses = "superclasses",
    type_ = "type",
    type_parameters = "type_parameters",
    value = "value",
}

/// Names of the grammar's node kinds by their number.
static KINDS: LazyLock<KindNames> = LazyLock::new(|| KindNames::new(&GRAMMAR));

/// The name of a node's kind from a table.
pub(super) trait KindName {
    /// Like [`Node::kind`].
    fn kind_name(&self) -> &'static str;
}

impl KindName for Node<'_> {
    fn kind_name(&self) -> &'static str {
        KINDS.of(*self)
    }
}

/// Returns whether the content of a node of this kind may not run.
pub(super) fn is_conditional(kind: &str) -> bool {
    matches!(
        kind,
        "if_statement"
            | "try_statement"
            | "for_statement"
            | "while_statement"
            | "match_statement"
            | "function_definition"
    )
}

/// The part after the last dot.
pub(super) fn last_word(text: &str) -> &str {
    text.rsplit('.').next().unwrap_or(text).trim()
}
