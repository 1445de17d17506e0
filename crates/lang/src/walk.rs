//! An iterative walk over a syntax tree, shared by all extractors: depth-first, with an explicit stack, so that
//! nesting in a hostile file costs bounded memory and no call stack.

use m1nd_base::{Limits, Problem, ProblemKind};
use rustc_hash::{FxBuildHasher, FxHashMap};
use tree_sitter::{Language, Node, Point, Tree};

use crate::facts::{ExprId, Pos};

/// What to do after entering a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enter {
    /// Visit its named children, then leave it.
    Descend,
    /// Neither visit its children nor leave it.
    Skip,
}

/// Names of the kinds of node of a grammar by their numbers: `Node::kind` measures and checks the name each time, and a
/// walk asks several times for every node.
#[derive(Debug)]
pub struct KindNames(Vec<&'static str>);

impl KindNames {
    /// The names of a grammar.
    pub fn new(grammar: &'static Language) -> Self {
        let names = (0..grammar.node_kind_count() as u16).map(|id| grammar.node_kind_for_id(id).unwrap_or(""));
        Self(names.collect())
    }

    /// Like [`Node::kind`], of a node of the grammar.
    pub fn of(&self, node: Node<'_>) -> &'static str {
        // Errors have a number outside the table.
        self.0.get(usize::from(node.kind_id())).copied().unwrap_or("ERROR")
    }
}

/// A node on the way from the root to the current one.
#[derive(Debug, Clone, Copy)]
pub struct Step<'tree> {
    /// The node.
    pub node: Node<'tree>,
    /// Field of its parent that it fills.
    pub field: Option<&'tree str>,
}

/// Receives the nodes of a tree: `enter` in pre-order, `leave` in post-order. Only named nodes are visited.
pub trait Visitor<'tree> {
    /// A node is reached; `path` holds its ancestors, root first, its parent last.
    fn enter(&mut self, step: Step<'tree>, path: &[Step<'tree>]) -> Enter;
    /// All children of a node are done. `path` as in `enter`.
    fn leave(&mut self, step: Step<'tree>, path: &[Step<'tree>]);
    /// Returns whether to end the whole walk now (limits).
    fn is_done(&self) -> bool;
}

/// Walks all named nodes below and including the root. Returns a problem if the tree was deeper than the limit, in
/// which case nodes below it are not visited; else a problem if the tree has syntax errors, which the walk goes
/// through.
pub fn walk<'tree>(tree: &'tree Tree, limits: &Limits, visitor: &mut impl Visitor<'tree>) -> Option<Problem> {
    visit(tree, limits, visitor).or_else(|| syntax_errors(tree))
}

/// Counts how often the parser had to skip or insert text; `None` if it never did.
pub fn syntax_errors(tree: &Tree) -> Option<Problem> {
    let mut cursor = tree.walk();
    let mut count = 0u32;
    let mut first = None;
    loop {
        let node = cursor.node();
        let wrong = node.is_error() || node.is_missing();
        if wrong {
            count += 1;
            first.get_or_insert(node.start_position().row as u32 + 1);
        }
        // Only the outermost error counts: errors inside of skipped text add no information.
        if !wrong && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                let mut problem = Problem::new(ProblemKind::SyntaxErrors, format!("{count} places"));
                problem.line = first?;
                return Some(problem);
            }
        }
    }
}

pub(crate) fn visit<'tree>(tree: &'tree Tree, limits: &Limits, visitor: &mut impl Visitor<'tree>) -> Option<Problem> {
    let mut cursor = tree.walk();
    let mut path: Vec<Step<'tree>> = Vec::new();
    let mut too_deep = None;
    loop {
        let node = cursor.node();
        let mut descended = false;
        if node.is_named() {
            // Most nodes of many languages are words and signs, which nobody asks the field of.
            let step = Step { node, field: cursor.field_name() };
            let fits = (path.len() as u32) < limits.tree_depth;
            if !fits && too_deep.is_none() {
                let mut problem = Problem::new(ProblemKind::TreeDepth, format!("deeper than {}", limits.tree_depth));
                problem.line = step.node.start_position().row as u32 + 1;
                too_deep = Some(problem);
            }
            if fits && visitor.enter(step, &path) == Enter::Descend {
                path.push(step);
                if cursor.goto_first_child() {
                    descended = true;
                } else {
                    path.pop();
                    visitor.leave(step, &path);
                }
            }
        }
        if visitor.is_done() {
            return too_deep;
        }
        if descended {
            continue;
        }
        while !cursor.goto_next_sibling() {
            let Some(step) = path.pop() else { return too_deep };
            cursor.goto_parent();
            visitor.leave(step, &path);
        }
    }
}

/// Expression ids of nodes, filled by an extractor as it leaves nodes and read when it leaves their parents.
#[derive(Debug, Default)]
pub struct NodeExprs(FxHashMap<usize, ExprId>);

impl NodeExprs {
    /// None yet, with room for those of a file of `bytes` bytes.
    pub fn for_bytes(bytes: usize) -> Self {
        /// Bytes of text for each expression, in ordinary files.
        const BYTES: usize = 12;
        Self(FxHashMap::with_capacity_and_hasher(bytes / BYTES, FxBuildHasher))
    }

    /// Remembers the expression that a node is.
    pub fn set(&mut self, node: Node<'_>, expr: ExprId) {
        self.0.insert(node.id(), expr);
    }

    /// The expression that a node is, if it has been left and is one.
    pub fn get(&self, node: Node<'_>) -> Option<ExprId> {
        self.0.get(&node.id()).copied()
    }
}

/// Bytes before a node past which its column saturates in any case: no character is longer than four bytes.
const MAX_COLUMN_BYTES: usize = 4 * u16::MAX as usize;

/// Positions of nodes in 1-based lines and character columns.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The file's text.
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// Text of a node.
    pub fn text(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// Start position of a node.
    pub fn pos(&self, node: Node<'_>) -> Pos {
        self.pos_at(node.start_position(), node.start_byte())
    }

    /// Just past where a node ends.
    pub fn end_pos(&self, node: Node<'_>) -> Pos {
        self.pos_at(node.end_position(), node.end_byte())
    }

    fn pos_at(&self, point: Point, byte: usize) -> Pos {
        let line_start = byte - point.column.min(byte);
        if point.column > MAX_COLUMN_BYTES {
            // Counting the characters of a very long line again for each of its nodes takes quadratic time.
            return Pos { line: point.row as u32 + 1, col: u16::MAX };
        }
        let before = self.text.get(line_start..byte).unwrap_or("");
        let col = if before.is_ascii() { before.len() } else { before.chars().count() };
        Pos { line: point.row as u32 + 1, col: u16::try_from(col + 1).unwrap_or(u16::MAX) }
    }

    /// 1-based line of a node's last character.
    pub fn end_line(&self, node: Node<'_>) -> u32 {
        let end = node.end_position();
        let row = if end.column == 0 && end.row > node.start_position().row { end.row - 1 } else { end.row };
        row as u32 + 1
    }
}
