//! Tests a claim about the structure of code against the graph.
//!
//! Every claim is reduced to questions with three answers: shown, excluded, undecided. A connection is shown by a path
//! of edges with their places; it is excluded only if the searched region is known whole. What could hide a
//! connection (references without a target, unparsed files, bounds) makes the claim undecided and is listed.

mod claim;
mod connect;
mod order;
mod part;
mod verdict;

use m1nd_base::{Cancel, Cancelled, NodeKind};
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;
use m1nd_graph::{Articulation, Graph, NodeFlags, NodeIx, UnresolvedRef, support};
use rustc_hash::FxHashSet;

pub use self::claim::{Claim, ClaimKind, Verb, parse};
pub use self::connect::Bounds;
use self::connect::{Connection, connect};
pub use self::part::Part;
pub use self::verdict::{Evidence, EvidenceKind, Hidden, Verdict};
use crate::analysis::Hop;
use crate::closure::{self, Hiding, Rows, names_of, reasons};

/// Maximum number of ends of a claim whose uses as values are looked up wherever they stand.
const MAX_ENDS: usize = 64;
/// References listed that keep a claim undecided.
const MAX_HIDDEN: usize = 20;
/// Nodes listed where a search stopped.
const MAX_PARTIAL: usize = 20;
/// Rows of one kind of evidence.
pub(super) const MAX_EVIDENCE: usize = 10;
/// Nodes looked at for the isolated files of a project, and for what only a gateway keeps in use.
const MAX_REGION: usize = 50_000;
/// Fewest common commits that count as changing together.
const MIN_TOGETHER: u32 = 3;
/// Greatest probability of a chance coincidence of commits that counts as changing together.
const MAX_CHANCE: f64 = 0.01;

/// A claim whose names are resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedClaim {
    /// What it says.
    pub kind: ClaimKind,
    /// The relations it is about.
    pub verb: Verb,
    /// Its subject; `None` for the whole project.
    pub subject: Option<Part>,
    /// Its object.
    pub object: Option<Part>,
}

/// Result of a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Tested {
    /// Whether the claim holds.
    pub verdict: Verdict,
    /// Probability that it holds, 0.01 to 0.99, see [`Verdict`].
    pub confidence: f64,
    /// Evidence for it.
    pub supporting: Vec<Evidence>,
    /// Evidence against it.
    pub contradicting: Vec<Evidence>,
    /// What could hide a connection, if one was not found: some of it, by place.
    pub hidden: Vec<Hidden>,
    /// All of that.
    pub total_hidden: usize,
    /// The farthest nodes that a search without result came to, with their distance.
    pub partial: Vec<(NodeIx, u32)>,
    /// Edges visited.
    pub visited: usize,
    /// One sentence.
    pub why: String,
}

/// Answer to the question whether there is a path.
struct Connected {
    connection: Connection,
    hidden: Vec<Hidden>,
    total_hidden: usize,
}

/// One test in progress.
struct Test<'a> {
    snapshot: &'a Snapshot,
    verb: Verb,
    bounds: Bounds,
    cancel: &'a Cancel,
}

/// Tests a claim. `history` serves claims of coupling.
///
/// # Errors
/// [`Cancelled`].
pub fn hypothesize(
    snapshot: &Snapshot,
    claim: &ResolvedClaim,
    bounds: Bounds,
    history: Option<&ProjectHistory>,
    cancel: &Cancel,
) -> Result<Tested, Cancelled> {
    let test = Test { snapshot, verb: claim.verb, bounds, cancel };
    let Some(subject) = &claim.subject else {
        return match claim.kind {
            ClaimKind::Isolated => test.any_isolated(),
            _ => Ok(verdict::leave_undecided("the claim names no node of the graph")),
        };
    };
    let (Some(own), Ok(others)) = (subject.members(test.graph()), test.members_of(claim.object.as_ref())) else {
        return Ok(verdict::leave_undecided(TOO_MANY));
    };
    match (claim.kind, others) {
        (ClaimKind::DependsOn | ClaimKind::Unknown, Some(others)) => test.leads(&own, &others),
        (ClaimKind::NeverCalls | ClaimKind::NoDependency, Some(others)) => Ok(test.leads(&own, &others)?.negate()),
        (ClaimKind::Circular, others) => test.circular(&own, others.as_deref()),
        (ClaimKind::Isolated, _) => test.test_isolated(&own),
        (kind, _) => test.of_nodes(kind, subject, claim.object.as_ref(), history),
    }
}

/// The reason why a claim of some kinds about a folder is not tested.
const FOLDER: &str = "claims of this type are about symbols and files, not about folders";
/// The reason why nothing is said about a folder that is too large.
const TOO_MANY: &str = "a folder of the claim has too many symbols to be searched; name one below it";

impl Test<'_> {
    fn graph(&self) -> &Graph {
        self.snapshot.graph()
    }

    /// The members of a part, if there is one. An error if there are too many.
    fn members_of(&self, part: Option<&Part>) -> Result<Option<Vec<NodeIx>>, ()> {
        part.map(|part| part.members(self.graph()).ok_or(())).transpose()
    }

    fn members(&self, node: NodeIx) -> Vec<NodeIx> {
        Part::Node(node).members(self.graph()).unwrap_or_default()
    }

    /// Tests a claim of a kind that is about nodes only.
    fn of_nodes(
        &self,
        kind: ClaimKind,
        subject: &Part,
        object: Option<&Part>,
        history: Option<&ProjectHistory>,
    ) -> Result<Tested, Cancelled> {
        let needs_object = !matches!(kind, ClaimKind::Gateway);
        let (Some(subject), object) = (subject.node(), object.map(Part::node)) else {
            return Ok(verdict::leave_undecided(FOLDER));
        };
        match (kind, object) {
            (_, Some(None)) => Ok(verdict::leave_undecided(FOLDER)),
            (_, None) if needs_object => {
                Ok(verdict::leave_undecided("the claim needs two names, and only one was found"))
            }
            (ClaimKind::Coupling, Some(Some(object))) => self.coupling(subject, object, history),
            (ClaimKind::Gateway, Some(Some(object))) => self.gateway_to(subject, object),
            (ClaimKind::AlwaysBefore, Some(Some(object))) => {
                order::always_before(self.snapshot, subject, object, self.cancel)
            }
            _ => self.gateway(subject),
        }
    }

    /// Whether a path leads from one of the first nodes to one of the others.
    fn leads(&self, starts: &[NodeIx], ends: &[NodeIx]) -> Result<Tested, Cancelled> {
        Ok(verdict::of_path(self.path_without((starts, ends), &FxHashSet::default())?))
    }

    /// Whether there is a path from one node, or a member of it, to another, or a member of it.
    fn path(&self, from: NodeIx, to: NodeIx) -> Result<Connected, Cancelled> {
        let (starts, ends) = (self.members(from), self.members(to));
        self.path_without((&starts, &ends), &FxHashSet::default())
    }

    fn path_without(
        &self,
        (starts, ends): (&[NodeIx], &[NodeIx]),
        without: &FxHashSet<NodeIx>,
    ) -> Result<Connected, Cancelled> {
        let connection = connect(self.graph(), (starts, ends), without, (self.verb, self.bounds), self.cancel)?;
        let mut hidden = Vec::new();
        if !connection.is_found() {
            hidden = self.hidden_from(&connection, ends)?;
        }
        let total_hidden = hidden.len();
        hidden.truncate(MAX_HIDDEN);
        Ok(Connected { connection, hidden, total_hidden })
    }

    /// References in the searched region that could be the missing step: they have the name of the end, or of a node
    /// that leads to it.
    fn hidden_from(&self, connection: &Connection, ends: &[NodeIx]) -> Result<Vec<Hidden>, Cancelled> {
        let graph = self.graph();
        let bounds = m1nd_graph::reach::ReachQuery {
            side: m1nd_graph::reach::Side::Dependents,
            max_hops: self.bounds.max_hops.saturating_sub(1),
            min_strength: 0.0,
            max_nodes: MAX_REGION,
        };
        let before_end = m1nd_graph::reach::reach(graph, ends, &bounds, self.cancel)?;
        let targets = ends.iter().copied().chain(before_end.rows.iter().map(|row| row.node));
        let names: FxHashSet<&str> = targets.flat_map(|node| names_of(graph, node)).collect();
        let mut hidden = Vec::new();
        let mut unseen: FxHashSet<&str> = FxHashSet::default();
        for (node, _) in &connection.reached {
            let may_be = |reference: &UnresolvedRef<'_>| {
                connect::may_count(self.verb, reference) && names.contains(reference.name)
            };
            let open = graph.unresolved_of(*node).filter(may_be);
            hidden.extend(open.map(|reference| self::open(graph, &reference)));
            let file = self.snapshot.file_of(*node);
            let problem = file.and_then(|file| file.problems.iter().find(|problem| problem.kind.hides_references()));
            if let (Some(problem), true) = (problem, unseen.insert(graph.path(*node))) {
                hidden.push(Hidden {
                    node: *node,
                    name: String::new(),
                    reason: problem.detail.clone(),
                    file: graph.path(*node).to_owned(),
                    line: 0,
                });
            }
        }
        hidden.extend(self.unnamed_uses(connection, ends));
        hidden.sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
        hidden.dedup_by(|a, b| (&a.file, a.line, &a.name) == (&b.file, b.line, &b.name));
        Ok(hidden)
    }

    /// Uses of the ends that are no reference that calls them. A value may be called by whoever holds it, wherever it
    /// was taken; a word that no fact explains counts where the search came by.
    fn unnamed_uses(&self, connection: &Connection, ends: &[NodeIx]) -> Vec<Hidden> {
        let graph = self.graph();
        let passed: FxHashSet<NodeIx> = connection.reached.iter().map(|(node, _)| *node).collect();
        let files: FxHashSet<NodeIx> = passed.iter().filter_map(|node| graph.file(*node)).collect();
        let is_on_the_way =
            |node: NodeIx| passed.contains(&node) || graph.kind(node) == NodeKind::File && files.contains(&node);
        let mut found = Vec::new();
        for &end in ends.iter().take(MAX_ENDS) {
            for row in closure::hiding(self.snapshot, end, Rows::Callers) {
                let counts = match row.reason.as_str() {
                    reasons::PASSED_AS_VALUE | reasons::REGISTERED | reasons::CALLED_FROM_OUTSIDE => {
                        self.verb == Verb::Calls && (ends.len() <= MAX_ENDS || is_on_the_way(row.node))
                    }
                    reasons::UNEXPLAINED_TEXT | reasons::DYNAMIC_NAME => {
                        self.verb != Verb::Imports && is_on_the_way(row.node)
                    }
                    // Open references and files that are not known whole are looked for along the way.
                    _ => false,
                };
                if counts {
                    let Hiding { node, name, reason, file, line, .. } = row;
                    found.push(Hidden { node, name, reason, file, line });
                }
            }
        }
        found
    }

    /// Both lead to each other; or the nodes lead back to themselves.
    fn circular(&self, own: &[NodeIx], others: Option<&[NodeIx]>) -> Result<Tested, Cancelled> {
        match others.filter(|others| *others != own) {
            None => self.leads(own, own),
            Some(others) => Ok(self.leads(own, others)?.and(self.leads(others, own)?)),
        }
    }

    /// They use each other directly, or change together.
    fn coupling(&self, subject: NodeIx, object: NodeIx, history: Option<&ProjectHistory>) -> Result<Tested, Cancelled> {
        let direct = Bounds { max_hops: 1, ..self.bounds };
        let test = Test { bounds: direct, ..*self };
        let either = verdict::of_path(test.path(subject, object)?).or(verdict::of_path(test.path(object, subject)?));
        let graph = self.graph();
        let (a, b) = (graph.path(subject), graph.path(object));
        let together = history.filter(|history| history.is_known() && a != b).map(|history| {
            let partners = history.partners(a, usize::MAX);
            let found = partners.into_iter().find(|partner| partner.path == b).map(|found| found.partner);
            found.map_or((0, 1.0, 0.0), |partner| (partner.support, partner.p_value, partner.lift))
        });
        Ok(match together {
            Some((support, chance, lift)) if support >= MIN_TOGETHER && chance <= MAX_CHANCE => {
                let text = format!("{support} commits changed both files, {lift:.1} times as many as by chance");
                either.or(verdict::support_claim(
                    Evidence::about(EvidenceKind::GhostEdge, text, vec![subject, object]),
                    0.95,
                ))
            }
            Some((support, ..)) => {
                let text = format!("{support} commits changed both files, which chance explains");
                either.with_contradicting(Evidence::about(EvidenceKind::GhostEdge, text, vec![subject, object]))
            }
            None => either,
        })
    }

    /// Without the subject, nothing that leads to the object starts outside of it any more.
    fn gateway_to(&self, subject: NodeIx, object: NodeIx) -> Result<Tested, Cancelled> {
        let graph = self.graph();
        let through = self.path(subject, object)?;
        if !through.connection.is_found() {
            let why = "it does not lead there itself";
            return Ok(verdict::of_path(through).because(why));
        }
        let ends = self.members(object);
        let inside: FxHashSet<NodeIx> = self.members(subject).into_iter().collect();
        let bounds = m1nd_graph::reach::ReachQuery {
            side: m1nd_graph::reach::Side::Dependents,
            max_hops: self.bounds.max_hops,
            min_strength: 0.0,
            max_nodes: MAX_REGION,
        };
        let users = m1nd_graph::reach::reach(graph, &ends, &bounds, self.cancel)?;
        if users.incomplete {
            return Ok(verdict::leave_undecided("not everything that leads there was looked at; raise `max_hops`"));
        }
        // Ways in start at tests or at what nothing else uses.
        let is_way_in = |node: &NodeIx| !inside.contains(node) && support::supporters(graph, *node).is_empty();
        let ways_in: Vec<NodeIx> = users.rows.iter().map(|row| row.node).filter(is_way_in).collect();
        let around = self.path_without((&ways_in, &ends), &inside)?;
        Ok(verdict::of_path(around).negate().because("a way around it was searched from everything that leads there"))
    }

    /// It holds parts of the graph together, or keeps definitions in use alone.
    fn gateway(&self, subject: NodeIx) -> Result<Tested, Cancelled> {
        let graph = self.graph();
        let points = self.snapshot.derived_values().get_or_try_init(|| Articulation::of(graph, self.cancel))?;
        let detached = points.count_detached(subject);
        let removed: FxHashSet<NodeIx> = self.members(subject).into_iter().collect();
        let roots = self.snapshot.derived_values().get_or_try_init(|| support::Roots::of(graph, self.cancel))?;
        let orphans = support::orphans(graph, &roots, &removed, MAX_REGION, self.cancel)?;
        let text = format!(
            "without it, {detached} nodes lose every connection to the rest, and {} fall out of use",
            orphans.nodes.len()
        );
        let nodes = std::iter::once(subject).chain(orphans.nodes.iter().copied().take(MAX_EVIDENCE)).collect();
        let evidence = Evidence::about(EvidenceKind::CounterfactualImpact, text, nodes);
        Ok(match detached + orphans.nodes.len() {
            0 => verdict::exclude_claim(evidence),
            // A reference without a target may keep in use what seems to fall out of it.
            _ => verdict::shown_unless(evidence, self.open_to(&orphans.nodes)),
        })
    }

    /// No edge from or to it.
    fn test_isolated(&self, members: &[NodeIx]) -> Result<Tested, Cancelled> {
        let own: FxHashSet<NodeIx> = members.iter().copied().collect();
        let graph = self.graph();
        let mut evidence = Vec::new();
        for &node in &own {
            self.cancel.check()?;
            let edges = graph.out_edges(node).chain(graph.in_edges(node));
            let outside = edges.filter(|edge| {
                edge.relation.carries_change()
                    && edge.relation.is_structure()
                    && !(own.contains(&edge.from) && own.contains(&edge.to))
            });
            evidence.extend(outside.map(|edge| crate::analysis::hop(graph, &edge, true)));
        }
        evidence.sort_by(|a, b| (&a.file, a.line, a.to).cmp(&(&b.file, b.line, b.to)));
        if let Some(first) = evidence.first() {
            let text = format!("{} edges connect it with the rest", evidence.len());
            let row = Evidence { text, ..Evidence::path(vec![first.clone()], 1.0) };
            return Ok(verdict::exclude_claim(row));
        }
        let hidden = self.open_about(&own);
        let row =
            Evidence::about(EvidenceKind::NoPath, "no edge leads from it or to it".to_owned(), members[..1].to_vec());
        Ok(verdict::shown_unless(row, hidden))
    }

    /// References from these nodes without a target, and references elsewhere that have their names.
    fn open_about(&self, own: &FxHashSet<NodeIx>) -> Vec<Hidden> {
        let graph = self.graph();
        let from = own.iter().flat_map(|&node| graph.unresolved_of(node));
        let mut hidden: Vec<Hidden> = from.map(|reference| open(graph, &reference)).collect();
        let nodes: Vec<NodeIx> = own.iter().copied().collect();
        hidden.extend(self.open_to(&nodes));
        // A file that was not parsed whole may have any edge.
        for &node in own.iter().filter(|&&node| graph.kind(node) == NodeKind::File) {
            let file = self.snapshot.file_of(node);
            let problems = file.into_iter().flat_map(|file| &file.problems);
            hidden.extend(problems.filter(|problem| problem.kind.hides_references()).map(|problem| Hidden {
                node,
                name: String::new(),
                reason: problem.detail.clone(),
                file: graph.path(node).to_owned(),
                line: problem.line,
            }));
        }
        hidden.sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
        hidden.dedup_by(|a, b| (&a.file, a.line, &a.name) == (&b.file, b.line, &b.name));
        hidden
    }

    /// References without a target that have the name of one of these nodes.
    fn open_to(&self, nodes: &[NodeIx]) -> Vec<Hidden> {
        let graph = self.graph();
        let names: FxHashSet<&str> = nodes.iter().flat_map(|&node| names_of(graph, node)).collect();
        let references = names.into_iter().flat_map(|name| graph.unresolved_named(name));
        references.map(|reference| open(graph, &reference)).collect()
    }

    /// Some file of code has no edge from or to another.
    fn any_isolated(&self) -> Result<Tested, Cancelled> {
        let graph = self.graph();
        let (mut alone, mut unsure, mut hidden) = (Vec::new(), Vec::new(), Vec::new());
        let files = self.snapshot.files().iter().filter(|file| !file.language.is_prose());
        for node in files.filter_map(|file| graph.find_file(file.path.as_str())) {
            self.cancel.check()?;
            let own: FxHashSet<NodeIx> = self.members(node).into_iter().collect();
            let is_connected = own.iter().any(|&member| {
                graph.out_edges(member).chain(graph.in_edges(member)).any(|edge| {
                    edge.relation.carries_change()
                        && edge.relation.is_structure()
                        && !(own.contains(&edge.from) && own.contains(&edge.to))
                        && !graph.kind(edge.to).is_outside()
                })
            });
            if !is_connected && !graph.flags(node).has(NodeFlags::TEST) && graph.kind(node) == NodeKind::File {
                match self.open_about(&own) {
                    open if open.is_empty() => alone.push(node),
                    open => {
                        unsure.push(node);
                        hidden.extend(open);
                    }
                }
            }
        }
        hidden.sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
        hidden.dedup_by(|a, b| (&a.file, a.line, &a.name) == (&b.file, b.line, &b.name));
        let files = |number: usize| m1nd_base::count(number, "file");
        let text = match alone.len() {
            0 if !unsure.is_empty() => {
                format!("{} without an edge, and with references whose target is not known", files(unsure.len()))
            }
            number => format!("{} without an edge from or to another file of the project", files(number)),
        };
        let is_decided = !alone.is_empty() || hidden.is_empty();
        Ok(match (is_decided, alone.is_empty()) {
            (true, true) => verdict::exclude_claim(Evidence::about(EvidenceKind::NoPath, text, Vec::new())),
            (true, false) => {
                alone.truncate(MAX_EVIDENCE);
                verdict::support_claim(Evidence::about(EvidenceKind::NoPath, text, alone), 0.9)
            }
            // Files without an edge, but with references that may be one.
            (false, _) => {
                unsure.truncate(MAX_EVIDENCE);
                verdict::shown_unless(Evidence::about(EvidenceKind::NoPath, text, unsure), hidden)
            }
        })
    }
}

fn open(graph: &Graph, reference: &UnresolvedRef<'_>) -> Hidden {
    Hidden {
        node: reference.from,
        name: reference.name.to_owned(),
        reason: reference.reason.to_owned(),
        file: graph.path(reference.from).to_owned(),
        line: reference.pos.line,
    }
}

/// The nodes on a path, in order.
fn nodes_of(path: &[Hop]) -> Vec<NodeIx> {
    path.first().map(|hop| hop.from).into_iter().chain(path.iter().map(|hop| hop.to)).collect()
}
