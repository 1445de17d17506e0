//! Context of the walk: current scopes, enclosing definition, local variables.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::Extractor;
use super::KindName;
use crate::facts::{DefId, ExprId, FactsBuilder, NameId, ScopeId, ScopeKind};
use crate::walk::Step;

/// Scopes that the variables of one block may open. Past it further `let`s share the last scope: a name bound twice
/// then has two alternatives. Bounds the length of scope chains, and with it the cost of every lookup.
const SCOPES_PER_BLOCK: u32 = 500;

/// Context of a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Position {
    /// Scope that names are looked up from.
    pub(super) scope: ScopeId,
    /// Scope that items and imports are bound in.
    pub(super) items: ScopeId,
    /// Innermost named definition around.
    pub(super) enclosing: Option<DefId>,
    /// Directly in a function, not in an item inside it: its variables are in reach.
    pub(super) in_function: bool,
    /// Somewhere inside a function.
    pub(super) is_local: bool,
    /// Inside something that is a test.
    pub(super) is_test: bool,
    /// Inside something that some builds leave out.
    pub(super) is_conditional: bool,
    /// Directly in a body whose statements may bind variables for the rest.
    pub(super) in_block: bool,
    /// Scopes opened by the variables of this block.
    pub(super) block_scopes: u32,
}

impl Position {
    pub(super) fn file() -> Self {
        Self {
            scope: FactsBuilder::FILE,
            items: FactsBuilder::FILE,
            enclosing: None,
            in_function: false,
            is_local: false,
            is_test: false,
            is_conditional: false,
            in_block: false,
            block_scopes: 0,
        }
    }
}

/// A type parameter while its bounds are gathered from its list and from `where` clauses.
#[derive(Debug)]
pub(super) struct GenericParameter {
    pub(super) name: NameId,
    pub(super) bounds: Vec<ExprId>,
}

/// State restored when leaving a node that opened scopes, and data collected until then.
#[derive(Debug)]
pub(super) struct Frame {
    node: usize,
    before: Position,
    mark: usize,
    hidden: Option<Environment>,
    /// The definition whose node this is.
    pub(super) def: Option<DefId>,
    /// Scope of its type parameters.
    pub(super) generics_scope: Option<ScopeId>,
    /// Its type parameters.
    pub(super) generics: Vec<GenericParameter>,
    /// Values of `return` inside it.
    pub(super) returns: Vec<ExprId>,
    /// A function or closure: `return` ends here.
    pub(super) is_function: bool,
    /// For a closure: values of its parameters, if the receiving method determines them.
    pub(super) handed: Vec<ExprId>,
    /// An impl of a trait: its members are as visible as the trait.
    pub(super) of_trait: bool,
    /// Inner doc comments.
    pub(super) doc: String,
}

/// The name spaces in which a local name can hide an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Space {
    Value,
    Type,
}

/// Local names. Changes are logged so that they can be undone at the end of a block.
#[derive(Debug, Default)]
pub(super) struct Environment {
    names: FxHashMap<(Space, NameId), Vec<bool>>,
    log: Vec<(Space, NameId)>,
}

impl Environment {
    /// From here on the name is a local (a variable or type parameter), or an item that hides a local.
    pub(super) fn set(&mut self, space: Space, name: NameId, is_local: bool) {
        self.names.entry((space, name)).or_default().push(is_local);
        self.log.push((space, name));
    }

    pub(super) fn is_local(&self, space: Space, name: NameId) -> bool {
        self.names.get(&(space, name)).and_then(|stack| stack.last()).copied().unwrap_or(false)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.log.is_empty()
    }

    fn undo(&mut self, mark: usize) {
        while self.log.len() > mark {
            if let Some(stack) = self.log.pop().and_then(|key| self.names.get_mut(&key)) {
                stack.pop();
            }
        }
    }
}

impl Extractor<'_> {
    /// Opens a frame for a node; [`Extractor::close`] restores the state at its end.
    pub(super) fn open(&mut self, node: Node<'_>) -> &mut Frame {
        let frame = Frame {
            node: node.id(),
            before: self.at,
            mark: self.environment.log.len(),
            hidden: None,
            def: None,
            generics_scope: None,
            generics: Vec::new(),
            returns: Vec::new(),
            is_function: false,
            handed: Vec::new(),
            of_trait: false,
            doc: String::new(),
        };
        self.frames.push(frame);
        self.frames.last_mut().expect("pushed above")
    }

    /// Hides all locals inside the innermost frame: items do not see the variables of functions around them.
    pub(super) fn hide_locals(&mut self) {
        let hidden = std::mem::take(&mut self.environment);
        if let Some(frame) = self.frames.last_mut() {
            frame.hidden = Some(hidden);
            frame.mark = 0;
        }
    }

    /// Ends the frame of a node, if it opened one.
    pub(super) fn close(&mut self, node: Node<'_>) -> Option<Frame> {
        if self.frames.last()?.node != node.id() {
            return None;
        }
        let mut frame = self.frames.pop()?;
        match frame.hidden.take() {
            Some(hidden) => self.environment = hidden,
            None => self.environment.undo(frame.mark),
        }
        self.at = frame.before;
        Some(frame)
    }

    /// A new block scope for the rest of the block; variables bound in it are invisible before.
    pub(super) fn advance_scope(&mut self) -> ScopeId {
        if self.at.block_scopes < SCOPES_PER_BLOCK {
            let owner = self.builder.facts().scopes[self.at.scope.index()].owner;
            self.at.scope = self.builder.scope(self.at.scope, ScopeKind::Block, owner);
            self.at.block_scopes += 1;
        }
        self.at.scope
    }

    /// Scopes of blocks, arms and conditions.
    pub(super) fn enter_block(&mut self, step: Step<'_>, path: &[Step<'_>]) {
        let node = step.node;
        match node.kind_name() {
            "block" => self.open_block(step, path),
            "if_expression" | "while_expression" => {
                self.open(node);
                self.at.block_scopes = 0;
            }
            // Attributes of statements belong to nothing that is defined.
            "let_declaration" | "expression_statement" => drop(self.take_pending()),
            "else_clause" => self.leave_condition(),
            "match_arm" => {
                self.open(node);
                self.at.block_scopes = 0;
                self.advance_scope();
            }
            "match_pattern" => self.match_pattern(node, path),
            _ => {}
        }
    }

    fn open_block(&mut self, step: Step<'_>, path: &[Step<'_>]) {
        self.open(step.node);
        self.at.block_scopes = 0;
        let parent = path.last().map_or("", |parent| parent.node.kind_name());
        if parent == "for_expression" {
            self.for_pattern(path[path.len() - 1].node);
        }
        let is_body = matches!(parent, "function_item" | "closure_expression");
        if !is_body {
            let owner = self.builder.facts().scopes[self.at.scope.index()].owner;
            self.at.scope = self.builder.scope(self.at.scope, ScopeKind::Block, owner);
        }
        self.at.items = self.at.scope;
        self.at.in_block = true;
        self.hoist_items(step.node);
    }

    /// Items of a block hide variables of the same name around it, before and after the place they are written at.
    fn hoist_items(&mut self, block: Node<'_>) {
        if self.environment.is_empty() {
            return;
        }
        let mut cursor = block.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            let space = match child.kind_name() {
                "function_item" | "const_item" | "static_item" => Some(Space::Value),
                "struct_item" | "enum_item" | "union_item" | "trait_item" | "type_item" | "mod_item" => {
                    Some(Space::Type)
                }
                _ => None,
            };
            if let (Some(space), Some(name)) = (space, child.child_by_field_name("name")) {
                let name = self.builder.name(self.ident(name));
                self.environment.set(space, name, false);
            }
            more = cursor.goto_next_sibling();
        }
    }

    /// The `else` of an `if let` does not see its variables.
    fn leave_condition(&mut self) {
        if let Some(frame) = self.frames.last() {
            self.at = frame.before;
            self.environment.undo(frame.mark);
        }
    }

    /// Ends the scopes that [`Extractor::enter_block`] opened.
    pub(super) fn leave_block(&mut self, step: Step<'_>, path: &[Step<'_>]) {
        let node = step.node;
        match node.kind_name() {
            "block" | "if_expression" | "while_expression" | "match_arm" => {
                self.close(node);
            }
            "let_declaration" => self.let_declaration(node),
            "let_condition" => self.let_condition(node),
            "closure_parameters" => self.closure_parameters(node, path),
            _ => {}
        }
    }
}
