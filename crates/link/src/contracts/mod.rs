//! Contracts between programs: the places of one that serve what a place of another asks for, though no name of the
//! language connects them.
//!
//! Routes are found here, and beside them procedures of gRPC ([`rpc`]), fields of GraphQL ([`graphql`]), operations of
//! OpenAPI ([`operations`]), topics and tools ([`points`]), tables ([`tables`]), images and variables
//! ([`deployments`]), code that settings name ([`code_names`]). What languages and libraries call them is data in
//! [`crate::frameworks`].
//!
//! A served route is a node of its file (`file::a.py::route::GET /users/{}`) with a `serves` edge to its handler, so
//! the edge `requests` of a client leads on to the code behind it. Both edges have their places as evidence.
//! Candidates are found by an index over the facts of all files ([`crate::spots`]); the evaluator decides of each, in
//! the file of the client, whether it is a route, and what stands in front of its path. All that was looked up is
//! remembered like any other question, so a new route reaches the clients that asked for it in vain.

mod clients;
mod code_names;
mod common;
mod deployments;
mod graphql;
mod images;
mod operations;
mod points;
mod prefixes;
mod rpc;
mod schemas;
mod servers;
mod tables;

use m1nd_lang::facts::Reference;
use rustc_hash::FxHashSet;

use crate::edges::derived::Derived;
use crate::edges::entry_points::Registration;
use crate::eval::Eval;
use crate::ids::SymbolId;
use crate::spots::Spot;
use crate::tables::files::FileId;

/// The contracts of a file.
#[derive(Debug, Default)]
pub(crate) struct Contracts {
    pub(crate) edges: Vec<Derived>,
    /// Nodes of the routes, topics and tools that it serves.
    pub(crate) routes: FxHashSet<SymbolId>,
}

/// What a file serves to other programs, and what it asks them for. `reads` are the configuration keys that it reads.
pub(crate) fn contracts(
    eval: &mut Eval<'_>,
    file: FileId,
    registrations: &[Registration],
    reads: &[Derived],
) -> Contracts {
    let mut found = Contracts::default();
    let mut served = FxHashSet::default();
    servers::serve(eval, file, registrations, &mut found, &mut served);
    clients::ask(eval, file, &served, &mut found);
    operations::serve(eval, file, &mut found);
    points::serve(eval, file, &mut found);
    points::ask(eval, file, &mut found);
    schemas::link(eval, file, &mut found);
    rpc::serve(eval, file, &mut found);
    rpc::ask(eval, file, &mut found);
    graphql::serve(eval, file, &mut found);
    graphql::ask(eval, file, &mut found);
    tables::ask(eval, file, &mut found);
    code_names::link(eval, file, &mut found);
    deployments::link(eval, file, &mut found);
    deployments::readers(eval, file, reads, &mut found);
    found
}

/// The node of the code around a reference.
fn handler_of(eval: &mut Eval<'_>, file: FileId, reference: &Reference) -> SymbolId {
    crate::file_links::source(eval, file, reference)
}
