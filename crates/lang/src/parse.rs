//! Parsing within the budgets of a file: time, memory and depth.

mod blocks;
mod clock;
mod memory;
mod recover;
mod score;

use std::ops::{ControlFlow, Deref};
use std::time::Duration;

use m1nd_base::{Cancel, Limits, Problem, ProblemKind};
use tree_sitter::{InputEdit, Language, ParseOptions, ParseState, Parser, Point, Tree};

use crate::walk::{Visitor, syntax_errors, visit};

pub(crate) use blocks::Layout;
use clock::ParseClock;
use memory::ParseMemory;
pub(crate) use memory::{measure, parser};
pub(crate) use score::damage;

/// What the parsing of a file may use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParseBudget {
    time: Duration,
    memory: u64,
    depth: u64,
}

impl ParseBudget {
    /// The budget of a file of `bytes` bytes.
    pub(crate) fn new(limits: &Limits, bytes: usize) -> Self {
        Self { time: limits.parse_time_of(bytes), memory: limits.parse_memory_of(bytes), depth: limits.parse_depth }
    }

    /// Returns whether no time is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.time.is_zero()
    }

    /// Parses what `read` returns for each offset, and spends the time that it takes. A problem if a budget or the
    /// caller ended it.
    pub(crate) fn parse<'t>(
        &mut self,
        parser: &mut Parser,
        mut read: impl FnMut(usize) -> &'t [u8],
        old: Option<&Tree>,
        cancel: &Cancel,
    ) -> Result<Tree, Problem> {
        let Self { time, memory: most, depth } = *self;
        let (clock, memory) = (ParseClock::start(), ParseMemory::start());
        let mut stopped = None;
        let mut stop = |_: &ParseState| {
            stopped = if memory.entries() > depth {
                Some(Problem::new(ProblemKind::ParseDepth, format!("the parser's stack has more than {depth} entries")))
            } else if memory.bytes() > most {
                Some(Problem::new(ProblemKind::ParseMemory, format!("more than {} MiB", most >> 20)))
            } else if cancel.is_cancelled() || clock.measure_spent() > time {
                Some(Problem::new(ProblemKind::ParseTimeout, format!("more than {} ms", time.as_millis())))
            } else {
                return ControlFlow::Continue(());
            };
            ControlFlow::Break(())
        };
        let options = ParseOptions::new().progress_callback(&mut stop);
        let tree = parser.parse_with_options(&mut |offset: usize, _: Point| read(offset), old, Some(options));
        self.time = time.saturating_sub(clock.measure_spent());
        tree.ok_or_else(|| stopped.unwrap_or_else(|| Problem::new(ProblemKind::ExtractorFailed, "no syntax tree")))
    }
}

/// Parses a file; a problem if its budget or the caller ended it.
pub(crate) fn parse(grammar: &Language, source: &[u8], limits: &Limits, cancel: &Cancel) -> Result<Tree, Problem> {
    let mut parser = parser();
    parser
        .set_language(grammar)
        .map_err(|error| Problem::new(ProblemKind::ExtractorFailed, format!("grammar not loadable: {error}")))?;
    let read = |offset: usize| source.get(offset..).unwrap_or_default();
    ParseBudget::new(limits, source.len()).parse(&mut parser, read, None, cancel)
}

/// The syntax tree of a file of code.
pub(crate) struct Parsed {
    tree: Tree,
    /// The errors of the file, if they were read around.
    pub(crate) errors: Option<Problem>,
    /// Bytes that were read differently than they are written, in order.
    changes: Vec<(usize, u8)>,
}

impl Parsed {
    /// Shows the tree of a file, which may have been read around its syntax errors, to a visitor. Returns its first
    /// problem.
    pub(crate) fn visit<'tree>(&'tree self, limits: &Limits, visitor: &mut impl Visitor<'tree>) -> Option<Problem> {
        visit(self, limits, visitor).or_else(|| self.errors.clone()).or_else(|| syntax_errors(self))
    }

    /// Reads a tree so that its errors hide little.
    pub(crate) fn recover(
        tree: Tree,
        grammar: &Language,
        layout: Layout,
        source: &[u8],
        limits: &Limits,
        cancel: &Cancel,
    ) -> Self {
        let has_error = tree.root_node().has_error();
        match has_error.then(|| recover::recover(grammar, layout, source, &tree, limits, cancel)).flatten() {
            Some((found, changes)) => Self { errors: syntax_errors(&tree), tree: found, changes },
            None => Self { tree, errors: None, changes: Vec::new() },
        }
    }

    /// The tree of the file with more of its bytes read differently.
    pub(crate) fn reread(
        self,
        grammar: &Language,
        source: &[u8],
        changes: &[(usize, u8)],
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<Self, Problem> {
        if changes.is_empty() {
            return Ok(self);
        }
        let source = apply(source, &self.changes);
        let tree = reparse(grammar, &source, changes, self.tree, limits, cancel)?;
        Ok(Self { tree, ..self })
    }
}

impl Deref for Parsed {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.tree
    }
}

/// Parses a file of code, and reads around its syntax errors.
pub(crate) fn parse_code(
    grammar: &Language,
    layout: Layout,
    source: &[u8],
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Parsed, Problem> {
    let tree = parse(grammar, source, limits, cancel)?;
    Ok(Parsed::recover(tree, grammar, layout, source, limits, cancel))
}

/// A text with some of its bytes replaced.
fn apply(source: &[u8], changes: &[(usize, u8)]) -> Vec<u8> {
    let mut changed = source.to_vec();
    for &(at, byte) in changes {
        if let Some(place) = changed.get_mut(at) {
            *place = byte;
        }
    }
    changed
}

/// Parses a file again with some of its bytes replaced. `tree` is its tree without these changes.
pub(crate) fn reparse(
    grammar: &Language,
    source: &[u8],
    changes: &[(usize, u8)],
    mut tree: Tree,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Tree, Problem> {
    let changed = apply(source, changes);
    let mut lines = Rows::default();
    for &(at, _) in changes {
        let (start_position, end) = (lines.point(source, at), at + 1);
        let new_end_position = Point { column: start_position.column + 1, ..start_position };
        tree.edit(&InputEdit {
            start_byte: at,
            old_end_byte: end,
            new_end_byte: end,
            start_position,
            old_end_position: new_end_position,
            new_end_position,
        });
    }
    let mut parser = parser();
    parser
        .set_language(grammar)
        .map_err(|error| Problem::new(ProblemKind::ExtractorFailed, format!("grammar not loadable: {error}")))?;
    let read = |offset: usize| changed.get(offset..).unwrap_or_default();
    ParseBudget::new(limits, source.len()).parse(&mut parser, read, Some(&tree), cancel)
}

/// Rows and columns of bytes that are asked for in rising order.
#[derive(Default)]
struct Rows {
    at: usize,
    row: usize,
    line_start: usize,
}

impl Rows {
    fn point(&mut self, source: &[u8], byte: usize) -> Point {
        for (place, _) in source[self.at.min(byte)..byte].iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            self.row += 1;
            self.line_start = self.at + place + 1;
        }
        self.at = self.at.max(byte);
        Point { row: self.row, column: byte - self.line_start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_java(text: &str, limits: &Limits) -> Result<Tree, ProblemKind> {
        let grammar = tree_sitter_java::LANGUAGE.into();
        parse(&grammar, text.as_bytes(), limits, &Cancel::new()).map_err(|problem| problem.kind)
    }

    #[test]
    fn each_budget_ends_a_parse() {
        let plain = Limits::default();
        let text = "class A { int a = 1; }\n".repeat(2_000);
        assert!(parse_java(&text, &plain).is_ok());
        let rows = [
            (
                ProblemKind::ParseTimeout,
                Limits { parse_time: Duration::ZERO, parse_time_per_mib: Duration::ZERO, ..plain.clone() },
            ),
            (ProblemKind::ParseMemory, Limits { parse_memory: 1 << 20, parse_memory_per_byte: 0, ..plain.clone() }),
            (ProblemKind::ParseDepth, Limits { parse_depth: 2, ..plain.clone() }),
        ];
        for (kind, limits) in rows {
            assert_eq!(parse_java(&text, &limits).err(), Some(kind));
        }
    }

    /// The entries of the stack are told apart from other blocks by their size, which a version of tree-sitter may
    /// change.
    #[test]
    fn nesting_is_seen_and_closing_forgets_it() {
        let limits = Limits { parse_depth: 1_000, ..Limits::default() };
        let nested = |depth: usize| format!("class A {{ int a = {}1{}; }}", "(".repeat(depth), ")".repeat(depth));
        assert!(parse_java(&nested(500), &limits).is_ok());
        assert_eq!(parse_java(&nested(2_000), &limits).err(), Some(ProblemKind::ParseDepth));
        assert!(parse_java(&nested(100).repeat(100), &limits).is_ok());
    }

    /// At the end of a text the parser copies its stack for each alternative, in one step that cannot be interrupted.
    #[test]
    fn many_open_alternatives_are_not_parsed() {
        assert_eq!(parse_java(&"a<".repeat(100_000), &Limits::default()).err(), Some(ProblemKind::ParseDepth));
    }
}
