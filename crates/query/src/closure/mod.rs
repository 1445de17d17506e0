//! May something be hidden? What could reach a node that an answer does not list.
//!
//! Every tool that says `closed`, `none`, `unused` or `ready_to_edit` asks this module; none has a rule of its own.
//! It joins what the graph knows: references without a certain target ([`open`]), uses as a value ([`values`]),
//! registrations and decorators ([`registered`]), constructors that the language calls unnamed ([`implicit`]), members
//! that outside code calls ([`outside`]), and words that no fact explains ([`text`]); and what the graph does not
//! hold: files that are not in it whole ([`unseen`]).

mod dynamic;
mod exported;
mod implicit;
mod open;
pub(crate) mod outside;
mod properties;
mod registered;
mod text;
mod unseen;
mod values;

use m1nd_base::{Pos, count};
use m1nd_engine::Snapshot;
use m1nd_graph::reach::{Reach, Side};
use m1nd_graph::{Dispatch, Graph, NodeFlags, NodeIx};

pub use exported::is_visible_outside;
pub(crate) use open::{Families, UNKNOWN_MODULE};

use crate::calls::is_test;
use unseen::Unseen;

/// Maximum number of rows listed of what may hide something.
const MAX_HIDING: usize = 20;
/// The same where only direct users are asked for: each row is a place to look at.
const MAX_HIDING_DIRECT: usize = 200;
/// Maximum number of reached nodes whose names are looked up among open references.
const MAX_NAMED: usize = 20_000;

/// The role of a registration.
const REGISTER: &str = "register";
/// The role of a word that is no reference.
const TEXT: &str = m1nd_graph::UnresolvedRef::TEXT;

/// Whether an answer is known to be whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosureState {
    /// Nothing can hide more.
    Closed,
    /// Something may hide more.
    Blocked,
    /// Undetermined.
    Unknown,
}

impl ClosureState {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Blocked => "blocked",
            Self::Unknown => "unknown",
        }
    }
}

/// Something that may be a dependent nobody knows of.
#[derive(Debug, Clone, PartialEq)]
pub struct Hiding {
    /// Node around the place.
    pub node: NodeIx,
    /// Name that stands there.
    pub name: String,
    /// Role of the reference; `text` for a word that is no reference.
    pub role: String,
    /// Why it may be a dependent: a reason of the linker, or one of [`reasons`].
    pub reason: String,
    /// Path of its file.
    pub file: String,
    /// Line, 0 if it is the whole file.
    pub line: u32,
    /// Of a reference without a known target, where exactly it stands.
    pub(crate) place: Option<Pos>,
    /// It may only hide an indirect dependent (for dependencies: an indirect dependency).
    pub far: bool,
}

/// Reasons of [`Hiding`] beside those of the linker.
pub mod reasons {
    /// The function is used as a value there: what holds the value may call it anywhere.
    pub const PASSED_AS_VALUE: &str = "passed_as_value";
    /// It is registered there: the framework, decorator or registry may call it.
    pub const REGISTERED: &str = "registered";
    /// Code outside of the project calls it: a runtime, a framework, a base or trait from outside.
    pub const CALLED_FROM_OUTSIDE: &str = "called_from_outside";
    /// A call of a member outside of the project with its name, which the node may implement or replace.
    pub const OUTSIDE_MEMBER: &str = "outside_member";
    /// The language calls it where nothing names it: for copies, conversions, members without an initialiser.
    pub const IMPLICIT_CALL: &str = "implicit_call";
    /// The name stands there, and no fact explains it.
    pub const UNEXPLAINED_TEXT: &str = "unexplained_text";
    /// Code makes names there at run time that may be this one.
    pub const DYNAMIC_NAME: &str = "dynamic_name";
    /// The name stands in a file that is not in the index whole.
    pub const UNSEEN_FILE: &str = "unseen_file";
    /// A call of an overridden method runs it if its class is made, and nothing in sight makes it; or there are more
    /// overridden methods than are considered.
    pub const DISPATCH_NOT_MADE: &str = "dispatch_not_made";
    /// A property of a base is read there, which the node may answer.
    pub const PROPERTY_OF_BASE: &str = "property_of_base";
}

/// The rows that an answer is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows {
    /// What calls the node, or depends on it: a use as a value is a row at most where it stands, not where the value is
    /// called.
    Callers,
    /// What uses the node: uses as a value are rows.
    Users,
    /// The places that write its name, as a new name must change them.
    Names,
}

/// Whether the dependents of a node are all known, and what may hide more.
#[derive(Debug, Clone, PartialEq)]
pub struct Closure {
    /// `closed`: every direct dependent is among the rows. `blocked`: something may hide more.
    pub state: ClosureState,
    /// `closed`: every dependent, direct or through others, is among the rows. `blocked`: something may hide more, or
    /// the search ended at a bound.
    pub indirect: ClosureState,
    /// What may hide dependents: some of it, direct ones first.
    pub hiding: Vec<Hiding>,
    /// Total number.
    pub total_hiding: usize,
    /// Number of nodes dropped as too weak; nothing beyond them is followed.
    pub too_weak: usize,
    /// Edges by dynamic dispatch that are not followed because nothing in sight makes the class of the method.
    pub not_made: usize,
    /// One sentence.
    pub why: String,
    /// The parts of it that no row of `hiding` shows.
    pub beside: Vec<String>,
    /// Number of these, the first, that may hide direct dependents.
    near: usize,
}

impl Hiding {
    /// Returns whether the user it may hide may be a test.
    pub(crate) fn may_be_test(&self, graph: &Graph) -> bool {
        self.reason == reasons::DISPATCH_NOT_MADE || is_test(graph, self.node)
    }
}

impl Closure {
    /// Adds places that may hide more, as many as an answer lists; the others are only counted.
    pub(crate) fn add_hiding(&mut self, rows: impl ExactSizeIterator<Item = Hiding>) {
        self.total_hiding += rows.len();
        let left = MAX_HIDING_DIRECT.saturating_sub(self.hiding.len());
        self.hiding.extend(rows.take(left));
    }

    /// Restricts the verdict to uses in some files. A place in another file hides no direct use in them if the use
    /// would stand there itself. A value that is passed on, a registration and code outside may lead to a use in any
    /// file, and so may places that the limit of the list leaves out. What any place hides may be used in these files
    /// in turn, so the verdict on indirect ones stays.
    pub fn restrict(&mut self, is_inside: impl Fn(&str) -> bool) {
        self.retain(|open| open.far || !stands_at_its_place(&open.reason) || is_inside(&open.file));
    }

    /// Leaves out the references that rows of the answer are of: what may be there is listed. Another reference of the
    /// same line is not.
    pub(crate) fn leave_out_listed(&mut self, is_listed: impl Fn(NodeIx, Pos) -> bool) {
        self.retain(|open| open.far || !open.place.is_some_and(|place| is_listed(open.node, place)));
    }

    /// Keeps some of the places, and gives the verdict on direct dependents again.
    fn retain(&mut self, keeps: impl Fn(&Hiding) -> bool) {
        let unlisted = self.total_hiding.saturating_sub(self.hiding.len());
        // Direct ones come first.
        let all_direct_listed = unlisted == 0 || self.hiding.iter().any(|open| open.far);
        self.hiding.retain(keeps);
        self.total_hiding = self.hiding.len() + unlisted;
        if all_direct_listed {
            let indirect = self.indirect;
            (self.state, self.indirect, self.why) = judge(&self.hiding, self.near, &self.beside);
            if indirect == ClosureState::Blocked {
                self.indirect = indirect;
            }
        }
    }

    /// Takes back that all dependents are known, for this reason.
    pub fn block(&mut self, why: String) {
        self.beside.insert(0, why.clone());
        self.near += 1;
        self.why = match self.state {
            ClosureState::Closed => why,
            _ => format!("{why}; {}", self.why),
        };
        (self.state, self.indirect) = (ClosureState::Blocked, ClosureState::Blocked);
    }
}

/// What an answer knows: the rows that it was made from.
pub(crate) struct Known<'a, 'g> {
    /// The node of the question.
    pub(crate) node: NodeIx,
    /// The nodes that stand for it.
    pub(crate) starts: &'a [NodeIx],
    /// What was reached, by side.
    pub(crate) reaches: &'a [(Side, Reach<'g>)],
    /// Nodes this many hops away were not followed.
    pub(crate) max_hops: u32,
    /// What the rows are.
    pub(crate) rows: Rows,
    /// The search ended at a bound.
    pub(crate) incomplete: bool,
}

/// Returns whether all direct dependents of a node are known. `starts` are the nodes that stand for it; `left_out` and
/// `incomplete` are what follows from dynamic dispatch to them: the edges left out, and whether some were not
/// considered.
pub(crate) fn close_direct(
    snapshot: &Snapshot,
    node: NodeIx,
    starts: &[NodeIx],
    rows: Rows,
    (left_out, incomplete): (usize, bool),
) -> Closure {
    let reach = Reach { left_out, left_out_near: left_out, ..Reach::default() };
    let reaches = [(Side::Dependents, reach)];
    let known = Known { node, starts, reaches: &reaches, max_hops: 1, rows, incomplete };
    close_with(snapshot, &known, MAX_HIDING_DIRECT)
}

/// Returns everything that may hide a user of a node, for tools that judge many nodes: empty if nothing can.
pub(crate) fn hiding(snapshot: &Snapshot, node: NodeIx, rows: Rows) -> Vec<Hiding> {
    let graph = snapshot.graph();
    let starts = graph.same_symbol(node);
    let reaches = [(Side::Dependents, Reach::default())];
    let known = Known { node, starts: &starts, reaches: &reaches, max_hops: 1, rows, incomplete: false };
    let mut hiding = list_hiding(snapshot, &known).0;
    // Methods that replace each other have one name, whichever of them a call reaches.
    if rows == Rows::Names {
        return hiding;
    }
    let dispatch = Dispatch::new(graph);
    let unfollowed = starts.iter().filter(|&&start| {
        let calls = dispatch.to(start);
        calls.left_out > 0 || calls.is_cut
    });
    hiding.extend(unfollowed.map(|&start| Hiding {
        place: None,
        node: start,
        name: graph.label(start).to_owned(),
        role: "call".to_owned(),
        reason: reasons::DISPATCH_NOT_MADE.to_owned(),
        file: graph.path(start).to_owned(),
        line: graph.name_line(start),
        far: false,
    }));
    hiding
}

/// Says in one sentence what these rows are.
pub(crate) fn explain(hiding: &[Hiding]) -> String {
    list_reasons(hiding.iter(), "here").join("; ")
}

/// Finds what may hide rows, and gives the verdict.
pub(crate) fn close(snapshot: &Snapshot, known: &Known<'_, '_>) -> Closure {
    close_with(snapshot, known, MAX_HIDING)
}

/// Like [`close`], with at most `most` rows of what may hide more.
fn close_with(snapshot: &Snapshot, known: &Known<'_, '_>, most: usize) -> Closure {
    let (mut hiding, incomplete) = list_hiding(snapshot, known);
    let too_weak = known.reaches.iter().map(|(_, reach)| reach.too_weak).sum();
    let left_out = known.reaches.iter().map(|(_, reach)| (reach.left_out_near, reach.left_out));
    let (not_made_near, not_made) = left_out.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let beside = list_beside((not_made_near, not_made), too_weak, incomplete);
    let near = usize::from(not_made_near > 0);
    let (state, indirect, why) = judge(&hiding, near, &beside);
    let total_hiding = hiding.len();
    hiding.truncate(most);
    Closure { state, indirect, hiding, total_hiding, too_weak, not_made, why, beside, near }
}

/// Lists what may hide rows, direct ones first, a row a place. The flag says that the search ended at a bound.
fn list_hiding(snapshot: &Snapshot, known: &Known<'_, '_>) -> (Vec<Hiding>, bool) {
    let graph = snapshot.graph();
    let families = Families::of(snapshot);
    let language = families.family(graph, known.node);
    let mut hiding = Vec::new();
    let mut unseen = Unseen::default();
    let mut incomplete = known.incomplete;
    for (side, reach) in known.reaches {
        // Additional rows of a farther node are beyond the hop limit.
        let near = reach.rows.iter().filter(|row| row.hops < known.max_hops).map(|row| row.node);
        let followed: Vec<NodeIx> = near.take(MAX_NAMED).collect();
        incomplete |= followed.len() >= MAX_NAMED;
        if *side == Side::Dependents {
            hiding.extend(open::hidden_dependents((graph, &families), known.starts, &followed, reach));
            hiding.extend(open::unknown_imports((graph, &families), known.starts, language));
            hiding.extend(uses_without_reference(snapshot, &families, known, &followed));
            unseen = Unseen::of(snapshot, known.starts, &followed, language);
        } else {
            let ends = known.starts.iter().map(|&node| (node, false)).chain(followed.iter().map(|&node| (node, true)));
            let references = ends.flat_map(|(node, far)| {
                graph.unresolved_of(node).map(move |reference| open::row(graph, &reference, far))
            });
            hiding.extend(references);
        }
    }
    hiding.extend(unseen.rows);
    hiding.sort_by(|a, b| (a.far, &a.file, a.line, &a.name, &a.role).cmp(&(b.far, &b.file, b.line, &b.name, &b.role)));
    // One row tells of a place: the reference rather than the registration that takes it, or the word that it is.
    let same_place = |a: &Hiding, b: &Hiding| (&a.file, a.line, &a.name) == (&b.file, b.line, &b.name);
    hiding.dedup_by(|b, a| b == a || (matches!(&*b.role, REGISTER | TEXT) && same_place(a, b)));
    (hiding, incomplete)
}

/// Uses of the nodes by other ways than a reference that calls them.
fn uses_without_reference(
    snapshot: &Snapshot,
    families: &Families,
    known: &Known<'_, '_>,
    followed: &[NodeIx],
) -> Vec<Hiding> {
    let graph = snapshot.graph();
    let mut found = Vec::new();
    let nodes = known.starts.iter().map(|&node| (node, false)).chain(followed.iter().map(|&node| (node, true)));
    for (node, far) in nodes {
        // Nothing depends on a test but what runs it.
        if far && (graph.flags(node).has(NodeFlags::TEST) || found.len() >= MAX_HIDING) {
            continue;
        }
        if known.rows == Rows::Callers {
            found.extend(values::find_uses(graph, node, far));
        }
        if known.rows != Rows::Names {
            found.extend(registered::find_registrations(graph, node, far));
        }
        if known.rows == Rows::Callers {
            found.extend(implicit::find_calls(snapshot, known.starts, node, far));
        }
        found.extend(outside::find_callers(snapshot, node, known.rows, far));
        found.extend(text::find_words((graph, families), known.starts, node, far));
        found.extend(dynamic::made_names(snapshot, known.starts, node, far));
        found.extend(properties::find_reads(snapshot, known.starts, node, far));
    }
    found
}

/// What may hide rows beside the places that are listed, one clause each: dynamic dispatch first.
fn list_beside((not_made_near, not_made): (usize, usize), too_weak: usize, incomplete: bool) -> Vec<String> {
    let mut reasons = Vec::new();
    if not_made_near > 0 || not_made > 0 {
        let calls = count(not_made, "overridden method");
        reasons.push(format!("calls of {calls} run it only if its class is made, and nothing in sight makes it"));
    }
    if incomplete {
        reasons.push("the search ended at its bound of hops or nodes".to_owned());
    }
    if too_weak > 0 {
        reasons.push(format!("{too_weak} rows are left out as too weak"));
    }
    reasons
}

/// The verdict on direct and on all dependents, with the reason. `beside` is from [`list_beside`]; the first `near` of
/// its clauses are about direct dependents.
fn judge(hiding: &[Hiding], near: usize, beside: &[String]) -> (ClosureState, ClosureState, String) {
    let (near, far) = beside.split_at(near);
    let mut reasons = list_reasons(hiding.iter().filter(|row| !row.far), "here or on");
    reasons.extend_from_slice(near);
    let direct_known = reasons.is_empty();
    reasons.extend(list_reasons(hiding.iter().filter(|row| row.far), "to a known row"));
    reasons.extend_from_slice(far);
    let all = reasons.join("; ");
    match (reasons.is_empty(), direct_known) {
        (true, _) => {
            let why = "every reference that could lead here has a known target, and the name stands nowhere else";
            (ClosureState::Closed, ClosureState::Closed, why.to_owned())
        }
        (false, true) => {
            let why = format!("direct rows are known, but farther ones may be hidden: {all}");
            (ClosureState::Closed, ClosureState::Blocked, why)
        }
        (false, false) => (ClosureState::Blocked, ClosureState::Blocked, all),
    }
}

/// One clause for each reason, with the first place of all but open references.
fn list_reasons<'h>(rows: impl Iterator<Item = &'h Hiding>, whither: &str) -> Vec<String> {
    let (mut open, mut others) = (0, Vec::<(&Hiding, usize)>::new());
    for row in rows {
        if !clause_of(&row.reason).is_empty() {
            match others.iter_mut().find(|(first, _)| first.reason == row.reason) {
                Some((_, count)) => *count += 1,
                None => others.push((row, 1)),
            }
        } else {
            open += 1;
        }
    }
    let mut clauses = Vec::new();
    if open > 0 {
        clauses.push(format!("{} may lead {whither}", count(open, "open reference")));
    }
    clauses.extend(others.into_iter().map(|(first, count)| {
        let place = if first.line > 0 { format!("{}:{}", first.file, first.line) } else { first.file.clone() };
        let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        format!("`{}` {} ({place}{more})", first.name, clause_of(&first.reason))
    }));
    clauses
}

/// Whether the use that such a place hides would stand at that place.
fn stands_at_its_place(reason: &str) -> bool {
    let elsewhere = [
        reasons::PASSED_AS_VALUE,
        reasons::REGISTERED,
        reasons::CALLED_FROM_OUTSIDE,
        reasons::IMPLICIT_CALL,
        reasons::DYNAMIC_NAME,
    ];
    !elsewhere.contains(&reason)
}

/// What a reason of [`reasons`] says of a name; empty for those of the linker.
fn clause_of(reason: &str) -> &'static str {
    match reason {
        reasons::PASSED_AS_VALUE => "is used as a value, which may be called anywhere",
        reasons::REGISTERED => "is registered, and what registers it may call it",
        reasons::CALLED_FROM_OUTSIDE => "is outside of the project, and may call it",
        reasons::OUTSIDE_MEMBER => "is a member outside of the project, a call of which may run it",
        reasons::IMPLICIT_CALL => "is a constructor that copies, conversions and members call without naming it",
        reasons::UNEXPLAINED_TEXT => "stands in text that no reference explains",
        reasons::DYNAMIC_NAME => "may be a name that code makes at run time",
        reasons::UNSEEN_FILE => "stands in a file that is not in the index whole",
        reasons::PROPERTY_OF_BASE => "is a property of a base that is read, and may be this one",
        reasons::DISPATCH_NOT_MADE => "overrides a method that is called, and nothing in sight makes its class",
        _ => "",
    }
}

/// Names by which a reference may mean the node.
pub(crate) fn names_of(graph: &Graph, node: NodeIx) -> Vec<&str> {
    let label = graph.label(node);
    let file_name = graph.path(node).rsplit('/').next().unwrap_or_default();
    let is_file = graph.kind(node) == m1nd_base::NodeKind::File;
    let stem = file_name.split('.').next().filter(|stem| is_file && !stem.is_empty());
    std::iter::once(label).chain(stem).collect()
}
