//! The places that use a node.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, Cancelled, EdgeTier, NodeKind, Pos, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{Dispatch, EdgeRef, Graph, NodeFlags, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

use super::roles::{self, Role};
use crate::calls::is_test;
use crate::closure::outside::may_run_for_outside_member;
use crate::closure::{self, Closure, Hiding, Rows, reasons};

/// Members of a file or module that are looked up with it.
const MAX_MEMBERS: usize = 20_000;

/// One place that uses a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Occurrence {
    /// Innermost node around the place.
    pub from: NodeIx,
    /// The node that it uses: the one asked for, a constructor of it, or a member of it.
    pub to: NodeIx,
    /// The method that the code names: `to`, or by dynamic dispatch one that it overrides.
    pub named: NodeIx,
    /// It stands in test code.
    pub in_test: bool,
    /// What it does.
    pub role: Role,
    /// Certainty of the edge.
    pub tier: EdgeTier,
    /// Number of candidates of the reference, 1 if certain.
    pub of: u16,
    /// It follows from dynamic dispatch: the code names a method that the node overrides.
    pub dispatch: bool,
    /// A compiler index supplies the edge.
    pub compiler: bool,
    /// The place in the file of `from`; column 0 if only the line is known, line 0 if neither is.
    pub pos: Pos,
}

/// The places that use a node.
#[derive(Debug, Clone, PartialEq)]
pub struct OccurrenceAnswer {
    /// Code before tests; by path and place.
    pub rows: Vec<Occurrence>,
    /// Number of nodes that hold them.
    pub users: usize,
    /// Number of rows by role, before any of them is left out for its role.
    pub roles: Vec<(Role, usize)>,
    /// The other nodes that the rows are of: the constructors of a class, the declarations and definitions of a symbol.
    pub others: Vec<NodeIx>,
    /// Whether the rows are all that there are.
    pub closure: Closure,
}

/// Returns the places that call a node: a function, a class by its constructors, or the members of a file, module or
/// package from outside of it. To read or write a property is to call it.
///
/// # Errors
/// [`Cancelled`].
pub fn callers(snapshot: &Snapshot, node: NodeIx, cancel: &Cancel) -> Result<OccurrenceAnswer, Cancelled> {
    callers_of_overloads(snapshot, (node, &[]), cancel)
}

/// Like [`callers`], for a function and its overloads, which are among [`OccurrenceAnswer::others`].
///
/// # Errors
/// [`Cancelled`].
pub fn callers_of_overloads(
    snapshot: &Snapshot,
    (node, overloads): (NodeIx, &[NodeIx]),
    cancel: &Cancel,
) -> Result<OccurrenceAnswer, Cancelled> {
    let graph = snapshot.graph();
    let is_property = |node| graph.kind(node) == NodeKind::Function && graph.flags(node).has(NodeFlags::PROPERTY);
    let calls = |edge: &EdgeRef<'_>| {
        edge.relation == Relation::Calls || edge.relation == Relation::References && is_property(edge.to)
    };
    calling(snapshot, (node, overloads), Rows::Callers, calls, cancel)
}

/// Returns the places that use a node other than by its name in imports and texts: what [`callers`] returns, and those
/// that read it, name it as a type, inherit from it or override it. Roles that only the text of a file shows are
/// [`Role::Use`].
///
/// # Errors
/// [`Cancelled`].
pub fn users(snapshot: &Snapshot, node: NodeIx, cancel: &Cancel) -> Result<OccurrenceAnswer, Cancelled> {
    let is_user = |edge: &EdgeRef<'_>| {
        Role::of(edge.relation).is_some_and(|role| !matches!(role, Role::Import | Role::Reexport | Role::Document))
    };
    calling(snapshot, (node, &[]), Rows::Users, is_user, cancel)
}

/// The places of edges that count to a node or, from outside, to the members of a container.
fn calling(
    snapshot: &Snapshot,
    (node, overloads): (NodeIx, &[NodeIx]),
    kind: Rows,
    counts: impl Fn(&EdgeRef<'_>) -> bool,
    cancel: &Cancel,
) -> Result<OccurrenceAnswer, Cancelled> {
    let graph = snapshot.graph();
    let is_container = matches!(
        graph.kind(node),
        NodeKind::File | NodeKind::Module | NodeKind::Impl | NodeKind::Package | NodeKind::Directory
    );
    let targets = if is_container {
        graph.with_same_symbols(graph.with_members(node, MAX_MEMBERS))
    } else {
        with_overloads(graph, node, overloads)
    };
    let is_full = targets.len() >= MAX_MEMBERS;
    let mut found = find_places(snapshot, (node, &targets, is_full), kind, counts, cancel)?;
    if is_container {
        let inside: FxHashSet<NodeIx> = targets.into_iter().collect();
        found.rows.retain(|row| !inside.contains(&row.from));
        found.others.clear();
    }
    Ok(finish(snapshot, found, &[]))
}

/// Returns the places that use a node in any of these roles; in all, if none is given.
///
/// # Errors
/// [`Cancelled`].
pub fn references(
    snapshot: &Snapshot,
    node: NodeIx,
    wanted: &[Role],
    cancel: &Cancel,
) -> Result<OccurrenceAnswer, Cancelled> {
    references_of_overloads(snapshot, (node, &[]), wanted, cancel)
}

/// Like [`references`], for a function and its overloads, which are among [`OccurrenceAnswer::others`].
///
/// # Errors
/// [`Cancelled`].
pub fn references_of_overloads(
    snapshot: &Snapshot,
    nodes: (NodeIx, &[NodeIx]),
    wanted: &[Role],
    cancel: &Cancel,
) -> Result<OccurrenceAnswer, Cancelled> {
    references_as(snapshot, nodes, Rows::Users, wanted, cancel)
}

/// Like [`references`] in all roles; whether they are complete is asked of the places that write the name.
pub(crate) fn places_of_name(
    snapshot: &Snapshot,
    node: NodeIx,
    cancel: &Cancel,
) -> Result<OccurrenceAnswer, Cancelled> {
    references_as(snapshot, (node, &[]), Rows::Names, Role::ALL, cancel)
}

fn references_as(
    snapshot: &Snapshot,
    (node, overloads): (NodeIx, &[NodeIx]),
    rows: Rows,
    wanted: &[Role],
    cancel: &Cancel,
) -> Result<OccurrenceAnswer, Cancelled> {
    let targets = with_overloads(snapshot.graph(), node, overloads);
    let mut found =
        find_places(snapshot, (node, &targets, false), rows, |edge| Role::of(edge.relation).is_some(), cancel)?;
    refine(snapshot, &mut found.rows, cancel);
    cancel.check()?;
    // What a document says of a node is no use of it, unless it is asked for.
    let of_code: Vec<Role> = Role::ALL.iter().copied().filter(|role| *role != Role::Document).collect();
    Ok(finish(snapshot, found, if wanted.is_empty() { &of_code } else { wanted }))
}

/// Returns the places outside of `targets`, the nodes that stand for `node`, that use one of them in any role.
///
/// # Errors
/// [`Cancelled`].
pub fn uses(
    snapshot: &Snapshot,
    node: NodeIx,
    targets: &[NodeIx],
    cancel: &Cancel,
) -> Result<OccurrenceAnswer, Cancelled> {
    let is_full = targets.len() >= MAX_MEMBERS;
    let mut found =
        find_places(snapshot, (node, targets, is_full), Rows::Users, |edge| Role::of(edge.relation).is_some(), cancel)?;
    let inside: FxHashSet<NodeIx> = targets.iter().copied().collect();
    found.rows.retain(|row| !inside.contains(&row.from));
    Ok(finish(snapshot, found, &[]))
}

/// The nodes that stand for a function and its overloads, see [`with_constructors`].
fn with_overloads(graph: &Graph, node: NodeIx, overloads: &[NodeIx]) -> Vec<NodeIx> {
    std::iter::once(node).chain(overloads.iter().copied()).flat_map(|node| with_constructors(graph, node)).collect()
}

/// The nodes that stand for a node: the places where it is declared and defined, and the constructors it contains.
fn with_constructors(graph: &Graph, node: NodeIx) -> Vec<NodeIx> {
    let contained = graph.out_edges(node).filter(|edge| edge.relation == Relation::Contains).map(|edge| edge.to);
    let constructors = contained.filter(|&member| graph.flags(member).has(NodeFlags::CONSTRUCTOR));
    let is_type = matches!(graph.kind(node), NodeKind::Class | NodeKind::Struct | NodeKind::Enum);
    graph.with_same_symbols(std::iter::once(node).chain(constructors.filter(|_| is_type)).collect())
}

struct Found {
    kind: Rows,
    rows: Vec<Occurrence>,
    others: Vec<NodeIx>,
    closure: Closure,
}

/// All places of the edges to the nodes that stand for one. The flag says that these may not be all.
fn find_places(
    snapshot: &Snapshot,
    (node, targets, is_full): (NodeIx, &[NodeIx], bool),
    kind: Rows,
    counts: impl Fn(&EdgeRef<'_>) -> bool,
    cancel: &Cancel,
) -> Result<Found, Cancelled> {
    let graph = snapshot.graph();
    let dispatch = Dispatch::new(graph);
    let (mut left_out, mut incomplete) = (0, is_full);
    let (mut rows, mut unmade) = (Vec::new(), Vec::new());
    for (index, &target) in targets.iter().enumerate() {
        if index % 256 == 0 {
            cancel.check()?;
        }
        let by_dispatch = dispatch.to(target);
        left_out += by_dispatch.left_out;
        incomplete |= by_dispatch.is_cut;
        unmade.extend(by_dispatch.unmade.iter().flat_map(|edge| places(graph, edge, edge.to)));
        let written = graph.in_edges(target).map(|edge| (edge.to, edge));
        let edges = written.chain(by_dispatch.named.into_iter().zip(by_dispatch.edges));
        // A definition does not use its declaration.
        for (named, edge) in edges.filter(|(_, edge)| counts(edge) && !graph.is_to_declaration(edge)) {
            rows.extend(places(graph, &edge, named));
        }
    }
    let others = targets.iter().copied().filter(|target| *target != node).collect();
    let mut closure = closure::close_direct(snapshot, node, targets, kind, (left_out, incomplete));
    closure.add_hiding(unmade.iter().map(|call| as_hiding(graph, call, reasons::DISPATCH_NOT_MADE)));
    if kind != Rows::Names {
        let outside = calls_of_outside_members(snapshot, targets);
        closure.add_hiding(outside.iter().map(|call| as_hiding(graph, call, reasons::OUTSIDE_MEMBER)));
    }
    Ok(Found { kind, rows, others, closure })
}

/// The calls of members outside of the project that have the name of a node which may implement or replace them: the
/// type of the receiver is one from outside, and its value may be of the project.
fn calls_of_outside_members(snapshot: &Snapshot, targets: &[NodeIx]) -> Vec<Occurrence> {
    let graph = snapshot.graph();
    let Some(&node) = targets.iter().find(|&&target| may_run_for_outside_member(snapshot, target)) else {
        return Vec::new();
    };
    let families = closure::Families::of(snapshot);
    let family = families.family(graph, node);
    let members = graph.find_labelled(graph.label(node)).into_iter().filter(|&other| graph.kind(other).is_outside());
    let calls = members.flat_map(|member| graph.in_edges(member)).filter(|edge| edge.relation == Relation::Calls);
    let found = calls.flat_map(|edge| places(graph, &edge, edge.to));
    found.filter(|call| families.family(graph, call.from) == family).collect()
}

/// A call that may reach the node, as a row of what hides more.
fn as_hiding(graph: &Graph, call: &Occurrence, reason: &str) -> Hiding {
    Hiding {
        place: None,
        node: call.from,
        name: graph.label(call.named).to_owned(),
        role: call.role.word().to_owned(),
        reason: reason.to_owned(),
        file: graph.path(call.from).to_owned(),
        line: call.pos.line,
        far: false,
    }
}

/// The places of an edge, whose code names `named`; the line of its source if it has none of its own.
pub(super) fn places(graph: &Graph, edge: &EdgeRef<'_>, named: NodeIx) -> Vec<Occurrence> {
    let Some(role) = Role::of(edge.relation) else { return Vec::new() };
    let of_source = Pos { line: graph.name_line(edge.from), col: 0 };
    let written = (0..edge.sites.len()).filter_map(|index| edge.sites.get(index));
    let places: Vec<Pos> = if edge.sites.is_empty() { vec![of_source] } else { written.collect() };
    let occurrence = |pos| Occurrence {
        from: edge.from,
        to: edge.to,
        named,
        in_test: is_test(graph, edge.from),
        role,
        tier: edge.tier,
        of: edge.of,
        dispatch: named != edge.to,
        compiler: edge.compiler,
        pos,
    };
    places.into_iter().map(occurrence).collect()
}

/// Replaces [`Role::Use`] by the role that the file shows.
fn refine(snapshot: &Snapshot, rows: &mut [Occurrence], cancel: &Cancel) {
    let graph = snapshot.graph();
    let open = rows.iter().filter(|row| row.role == Role::Use && row.pos.col > 0);
    let mut paths: Vec<&str> = open.map(|row| graph.path(row.from)).collect();
    paths.sort_unstable();
    paths.dedup();
    let roles: FxHashMap<&str, FxHashMap<Pos, Role>> = roles::in_files(snapshot, &paths, cancel);
    for row in rows.iter_mut().filter(|row| row.role == Role::Use) {
        if let Some(role) = roles.get(graph.path(row.from)).and_then(|places| places.get(&row.pos)) {
            row.role = *role;
        }
    }
}

/// Sorts places: code before tests, by path and place.
pub(super) fn sort_places(graph: &Graph, rows: &mut [Occurrence]) {
    rows.sort_by_cached_key(|row| {
        (row.in_test, graph.path(row.from).to_owned(), row.pos, row.role, row.tier, row.of, row.to)
    });
}

/// Sorts the rows, keeps one of each place and role, and counts them.
fn finish(snapshot: &Snapshot, found: Found, wanted: &[Role]) -> OccurrenceAnswer {
    let graph = snapshot.graph();
    let (mut rows, mut closure) = (found.rows, found.closure);
    // A new name must not be written where it only may belong, so such a place stays open for it.
    if found.kind != Rows::Names {
        let possible = rows.iter().filter(|row| row.tier == EdgeTier::Possible);
        let listed: FxHashSet<(NodeIx, Pos)> = possible.map(|row| (row.from, row.pos)).collect();
        closure.leave_out_listed(|node, place| listed.contains(&(node, place)));
    }
    sort_places(graph, &mut rows);
    // Decorating with something is a call of it: one row tells both.
    let decorated: FxHashSet<(NodeIx, Pos)> =
        rows.iter().filter(|row| row.role == Role::Decorate).map(|row| (row.from, row.pos)).collect();
    rows.retain(|row| row.role != Role::Call || !decorated.contains(&(row.from, row.pos)));
    // A call of a class may name the class and its constructor: the surer one stays.
    rows.dedup_by(|b, a| a.from == b.from && a.pos == b.pos && a.role == b.role);
    let mut roles: BTreeMap<Role, usize> = BTreeMap::new();
    for row in &rows {
        *roles.entry(row.role).or_default() += 1;
    }
    if !wanted.is_empty() {
        rows.retain(|row| wanted.contains(&row.role));
    }
    let users: FxHashSet<NodeIx> = rows.iter().map(|row| row.from).collect();
    OccurrenceAnswer { rows, users: users.len(), roles: roles.into_iter().collect(), others: found.others, closure }
}
