//! Facts of Rust source files.
//!
//! The tree is walked once by [`Visitor`]. Three kinds of subtree are not descended into but read on the spot, each
//! with its own explicit stack: patterns ([`patterns`]), use trees ([`uses`]) and token trees ([`macros`]).
//! Everything else is built bottom-up: children leave their expression in [`NodeExprs`], parents read it.

mod attributes;
mod closures;
mod environment;
mod expansions;
mod exprs;
mod items;
mod macro_rules;
mod macros;
mod operators;
mod paths;
mod patterns;
#[cfg(test)]
mod tests;
mod types;
mod uses;

use std::sync::LazyLock;

use m1nd_base::{Cancel, Limits, Problem};
use tree_sitter::{Language, Node};

use self::attributes::Pending;
use self::environment::{Environment, Frame, Position};
use self::macros::MacroParser;
use super::Input;
use crate::facts::{DefId, ExprId, FactsBuilder, FileFacts, Pos, Reference, Role};
use crate::parse::{self, Layout, ParseBudget};
use crate::text::{self, ColumnCache};
use crate::walk::{Enter, KindNames, NodeExprs, Source, Step, Visitor};

static GRAMMAR: LazyLock<Language> = LazyLock::new(|| tree_sitter_rust::LANGUAGE.into());
static KINDS: LazyLock<KindNames> = LazyLock::new(|| KindNames::new(&GRAMMAR));

/// The name of a node's kind from a table.
trait KindName {
    /// Like [`Node::kind`].
    fn kind_name(&self) -> &'static str;
}

impl KindName for Node<'_> {
    fn kind_name(&self) -> &'static str {
        KINDS.of(*self)
    }
}

/// The facts of one Rust file.
pub(super) fn extract(input: &Input<'_>) -> Result<FileFacts, Problem> {
    let tree = parse::parse_code(&GRAMMAR, Layout::Brackets, input.text.as_bytes(), input.limits, input.cancel)?;
    let mut extractor = Extractor::new(input);
    let problem = tree.visit(input.limits, &mut extractor);
    extractor.builder.facts_mut().problems.extend(problem);
    extractor.end_file();
    Ok(extractor.builder.finish())
}

/// Whether the bytes of a reference were seen as code by the grammar, or guessed from a token tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exactness {
    Exact,
    Inexact,
}

/// State of the walk.
struct Extractor<'a> {
    source: Source<'a>,
    limits: &'a Limits,
    cancel: &'a Cancel,
    builder: FactsBuilder,
    exprs: NodeExprs,
    /// Current scopes and enclosing definition.
    at: Position,
    frames: Vec<Frame>,
    /// Names that are local variables or type parameters here.
    environment: Environment,
    /// Attributes and doc comments of the next item.
    pending: Pending,
    macros: MacroParser<'a>,
    exactness: Exactness,
    columns: ColumnCache,
    /// Inner doc comments of the file.
    file_doc: String,
}

impl<'a> Extractor<'a> {
    fn new(input: &Input<'a>) -> Self {
        Self {
            source: Source { text: input.text },
            limits: input.limits,
            cancel: input.cancel,
            builder: FactsBuilder::new(input.language, input.lines(), input.limits),
            exprs: NodeExprs::default(),
            at: Position::file(),
            frames: Vec::new(),
            environment: Environment::default(),
            pending: Pending::default(),
            macros: MacroParser::new(ParseBudget::new(input.limits, input.text.len())),
            exactness: Exactness::Exact,
            columns: ColumnCache::default(),
            file_doc: String::new(),
        }
    }

    fn end_file(&mut self) {
        let doc = text::doc(&self.file_doc);
        self.builder.facts_mut().doc = doc;
    }

    /// Text of an identifier, without the `r#` of a raw one.
    fn ident(&self, node: Node<'_>) -> &'a str {
        let text = self.source.text(node);
        text.strip_prefix("r#").unwrap_or(text)
    }

    /// Start position of a node.
    fn pos(&mut self, node: Node<'_>) -> Pos {
        self.columns.pos(self.source.text, node)
    }

    /// Adds a reference at `node`, made by the definition around.
    fn refer(&mut self, expr: ExprId, role: Role, arity: u8, node: Node<'_>) {
        let pos = self.pos(node);
        let enclosing = self.at.enclosing;
        self.refer_from(expr, role, arity, pos, enclosing);
    }

    fn refer_from(&mut self, expr: ExprId, role: Role, arity: u8, pos: Pos, enclosing: Option<DefId>) {
        if expr == self.builder.unknown() {
            return;
        }
        let inexact = self.exactness == Exactness::Inexact;
        self.builder.reference(Reference { expr, role, inexact, arity, pos, enclosing });
    }

    /// The expression a node has become, [`Expr::Unknown`](crate::facts::Expr::Unknown) if it is none.
    fn expr_of(&self, node: Option<Node<'_>>) -> ExprId {
        node.and_then(|node| self.exprs.get(node)).unwrap_or_else(|| self.builder.unknown())
    }

    fn field_expr(&self, node: Node<'_>, field: &str) -> ExprId {
        self.expr_of(node.child_by_field_name(field))
    }
}

/// Named children that are not comments.
fn children<'tree>(node: Node<'tree>) -> Vec<Node<'tree>> {
    let mut cursor = node.walk();
    let mut found = Vec::with_capacity(node.named_child_count());
    if cursor.goto_first_child() {
        loop {
            let child = cursor.node();
            if child.is_named() && !child.is_extra() {
                found.push(child);
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    found
}

impl<'tree> Visitor<'tree> for Extractor<'_> {
    fn enter(&mut self, step: Step<'tree>, path: &[Step<'tree>]) -> Enter {
        let node = step.node;
        match node.kind_name() {
            "line_comment" | "block_comment" => self.comment(node),
            "attribute_item" => self.attribute(node, path),
            "inner_attribute_item" => self.inner_attribute(node),
            "lifetime" | "label" | "visibility_modifier" | "string_literal" | "raw_string_literal" => {
                return self.literal_or_skip(node);
            }
            "use_declaration" => self.use_declaration(node),
            "extern_crate_declaration" => self.extern_crate(node),
            "macro_invocation" => self.macro_invocation(node, path),
            "macro_definition" => self.macro_definition(node),
            _ if self.is_pattern(step, path) => {}
            _ => {
                self.enter_item(step, path);
                self.enter_block(step, path);
                return Enter::Descend;
            }
        }
        Enter::Skip
    }

    fn leave(&mut self, step: Step<'tree>, path: &[Step<'tree>]) {
        self.leave_item(step, path);
        self.leave_type(step, path);
        self.leave_expression(step, path);
        self.operate(step.node, path);
        self.leave_block(step, path);
    }

    fn is_done(&self) -> bool {
        self.builder.full()
    }
}
