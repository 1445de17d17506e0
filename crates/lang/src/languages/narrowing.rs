//! What conditions tell of variables and access paths, while the code that they guard is walked.

use crate::facts::{Expr, ExprId, FactsBuilder, ListId, NarrowTest};

/// Parts of one condition that are read.
pub(super) const MAX_CONDITIONS: usize = 16;
/// Tests that hold at one place.
const MAX_ACTIVE: usize = 64;

/// A test that a condition makes of a path (`pet`, `self.pet`).
#[derive(Debug, Clone)]
pub(super) struct Test {
    pub(super) path: String,
    /// As [`Expr::Narrowed`] has it.
    pub(super) by: Vec<ExprId>,
    pub(super) test: NarrowTest,
    pub(super) holds: bool,
}

/// A test that holds until the node at a depth is left.
#[derive(Debug)]
struct Active {
    depth: usize,
    function: usize,
    path: String,
    by: ListId,
    test: NarrowTest,
    holds: bool,
}

/// The tests that hold at the place of the walk.
#[derive(Debug, Default)]
pub(super) struct Narrowings {
    active: Vec<Active>,
}

impl Narrowings {
    /// The tests hold until [`Narrowings::close`] is called with this depth. `function` tells functions apart: a test
    /// says nothing of code that runs later.
    pub(super) fn open(&mut self, depth: usize, function: usize, tests: Vec<Test>, builder: &mut FactsBuilder) {
        for Test { path, by, test, holds } in tests {
            if self.active.len() < MAX_ACTIVE {
                let by = builder.list(&by);
                self.active.push(Active { depth, function, path, by, test, holds });
            }
        }
    }

    /// A node at this depth is left.
    pub(super) fn close(&mut self, depth: usize) {
        while self.active.last().is_some_and(|active| active.depth >= depth) {
            self.active.pop();
        }
    }

    /// The path has another value from here on.
    pub(super) fn forget(&mut self, path: &str) {
        self.active.retain(|active| {
            let behind = active.path.strip_prefix(path);
            !behind.is_some_and(|behind| behind.is_empty() || behind.starts_with('.'))
        });
    }

    /// The value of a path where it is read.
    pub(super) fn read(&self, path: &str, function: usize, base: ExprId, builder: &mut FactsBuilder) -> ExprId {
        let mut expr = base;
        for active in &self.active {
            if active.function == function && active.path == path {
                let Active { by, test, holds, .. } = *active;
                expr = builder.expr(Expr::Narrowed { base: expr, by, test, holds });
            }
        }
        expr
    }

    pub(super) fn is_empty(&self) -> bool {
        self.active.is_empty()
    }
}
