//! Contracts between programs: the places of one that serve what a place of another asks for, though no name of the
//! language connects them.
//!
//! A served route is a node of its file (`file::a.py::route::GET /users/{}`) with a `serves` edge to its handler, so
//! the edge `requests` of a client leads on to the code behind it. Both edges have their places as evidence.
//! Candidates are found by an index over the facts of all files ([`crate::spots`]); the evaluator decides of each, in
//! the file of the client, whether it is a route, and what stands in front of its path. All that was looked up is
//! remembered like any other question, so a new route reaches the clients that asked for it in vain.

mod clients;
mod prefixes;
mod servers;

use rustc_hash::FxHashSet;

use crate::derived::Derived;
use crate::entry_points::Registration;
use crate::eval::Eval;
use crate::files::FileId;
use crate::ids::SymbolId;
use crate::spots::Spot;

/// The contracts of a file.
#[derive(Debug, Default)]
pub(crate) struct Contracts {
    pub(crate) edges: Vec<Derived>,
    /// Nodes of the routes that it serves.
    pub(crate) routes: FxHashSet<SymbolId>,
}

/// The routes that a file serves, and the routes that it asks for.
pub(crate) fn contracts(eval: &mut Eval<'_>, file: FileId, registrations: &[Registration]) -> Contracts {
    let mut found = Contracts::default();
    let mut served = FxHashSet::default();
    servers::serve(eval, file, registrations, &mut found, &mut served);
    clients::ask(eval, file, &served, &mut found);
    found
}
