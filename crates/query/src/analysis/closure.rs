//! Whether the rows of an impact answer are all there are: what could hide another dependent.
//!
//! A reference without a certain target hides a dependent of a node only if it could reach that node: it has one of
//! its names, is in a language that could mean it, and is written in a way that fits. A file that could not be parsed
//! whole hides one only if its text has the name.

use m1nd_base::{NodeKind, RepoPath, count};
use m1nd_graph::reach::{Reach, Side};
use m1nd_graph::{Graph, NodeFlags, NodeIx, UnresolvedRef};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ClosureState;
use super::impact::{Direction, Hiding, ImpactQuery};
use super::why::{UNKNOWN_MODULE, names_of};
use m1nd_engine::{Language, Snapshot};

/// Open references listed.
const MAX_HIDING: usize = 20;
/// Reached nodes whose names are looked up among open references.
const MAX_NAMED: usize = 20_000;
/// Open references counted that may lead to reached nodes.
const MAX_FAR: usize = 20_000;
/// Files with problems whose text is searched for names; of more, each counts as if it had the name.
const MAX_SEARCHED: usize = 64;
/// The name that an import of a default export asks for.
const DEFAULT_EXPORT: &str = "default";
/// The reason of a name that no scope knows.
const UNKNOWN_NAME: &str = "name_not_found";
/// The reason of a member of a value that outside code yielded.
const OUTSIDE_RECEIVER: &str = "outside_receiver";

/// Whether the dependents of a node are all known, and what may hide more.
#[derive(Debug, Clone, PartialEq)]
pub struct Closure {
    /// `closed`: every direct dependent is among the rows. `blocked`: something may hide more.
    pub state: ClosureState,
    /// `closed`: every dependent, direct or through others, is among the rows. `blocked`: something may hide more, or
    /// the search ended at a bound.
    pub indirect: ClosureState,
    /// Open references that may hide dependents: some of them, direct ones first.
    pub hiding: Vec<Hiding>,
    /// Total number.
    pub total_hiding: usize,
    /// Files of the same language that could not be parsed whole and whose text has the name of a row or of the node.
    pub unseen_files: usize,
    /// Number of nodes dropped as too weak; nothing beyond them is followed.
    pub too_weak: usize,
    /// Edges by dynamic dispatch that are not followed because nothing in sight makes the class of the method.
    pub not_made: usize,
    /// One sentence.
    pub why: String,
}

impl Closure {
    /// Takes back that all dependents are known, for this reason.
    pub fn block(&mut self, why: String) {
        self.why = match self.state {
            ClosureState::Closed => why,
            _ => format!("{why}; {}", self.why),
        };
        (self.state, self.indirect) = (ClosureState::Blocked, ClosureState::Blocked);
    }
}

/// Returns whether all direct dependents of a node are known. `starts` are the nodes that stand for it; `left_out` and
/// `incomplete` are what follows from dynamic dispatch to them: the edges left out, and whether some were not
/// considered.
pub(crate) fn direct_closure(
    snapshot: &Snapshot,
    node: NodeIx,
    starts: &[NodeIx],
    (left_out, incomplete): (usize, bool),
) -> Closure {
    let query = ImpactQuery { max_hops: 1, ..ImpactQuery::new(node) };
    let reach = Reach { left_out, left_out_near: left_out, ..Reach::default() };
    close(snapshot, &query, starts, &[(Side::Dependents, reach)], incomplete)
}

/// Finds what may hide rows, and gives the verdict.
pub(super) fn close(
    snapshot: &Snapshot,
    query: &ImpactQuery,
    starts: &[NodeIx],
    reaches: &[(Side, Reach<'_>)],
    mut incomplete: bool,
) -> Closure {
    let mut answer = Closure {
        state: ClosureState::Closed,
        indirect: ClosureState::Closed,
        hiding: Vec::new(),
        total_hiding: 0,
        unseen_files: 0,
        too_weak: reaches.iter().map(|(_, reach)| reach.too_weak).sum(),
        not_made: reaches.iter().map(|(_, reach)| reach.left_out).sum(),
        why: String::new(),
    };
    let graph = snapshot.graph();
    let families = Families::of(snapshot);
    let language = families.family(graph, query.node);
    let mut hiding = Vec::new();
    let mut unseen = Unseen::default();
    for (side, reach) in reaches {
        // Additional rows of a farther node are beyond the hop limit.
        let near = reach.rows.iter().filter(|row| row.hops < query.max_hops).map(|row| row.node);
        let followed: Vec<NodeIx> = near.take(MAX_NAMED).collect();
        incomplete |= followed.len() >= MAX_NAMED;
        if *side == Side::Dependents {
            hiding.extend(hidden_dependents((graph, &families), starts, &followed, reach));
            hiding.extend(unknown_imports((graph, &families), starts, language));
            unseen = Unseen::of(snapshot, starts, &followed, language);
        } else {
            let ends = starts.iter().map(|&node| (node, false)).chain(followed.iter().map(|&node| (node, true)));
            let references = ends
                .flat_map(|(node, far)| graph.unresolved_of(node).map(move |reference| open(graph, &reference, far)));
            hiding.extend(references);
        }
    }
    hiding.sort_by(|a, b| (a.far, &a.file, a.line, &a.name, &a.role).cmp(&(b.far, &b.file, b.line, &b.name, &b.role)));
    hiding.dedup();
    let direct = hiding.iter().filter(|open| !open.far).count();
    answer.total_hiding = hiding.len();
    hiding.truncate(MAX_HIDING);
    answer.hiding = hiding;
    if query.direction != Direction::Reverse {
        answer.unseen_files = unseen.near + unseen.far;
    }
    let not_made = reaches.iter().map(|(_, reach)| reach.left_out_near).sum();
    if let Some((why, direct_known)) = blocked_by(&answer, Near { open: direct, not_made, unseen }, incomplete) {
        answer.state = if direct_known { ClosureState::Closed } else { ClosureState::Blocked };
        answer.indirect = ClosureState::Blocked;
        answer.why = why;
    } else {
        answer.why = "every reference that could lead here has a known target".into();
    }
    answer
}

/// The language family of each file, by its node: a hub has thousands of open references, and looking up the file of
/// each by its path costs more than all the rest.
struct Families(FxHashMap<NodeIx, Language>);

impl Families {
    fn of(snapshot: &Snapshot) -> std::sync::Arc<Self> {
        let graph = snapshot.graph();
        let family =
            |file: &m1nd_engine::FileEntry| Some((graph.find_file(file.path.as_str())?, file.language.family()));
        snapshot.derived().get_or_init(|| Self(snapshot.files().iter().filter_map(family).collect()))
    }

    fn family(&self, graph: &Graph, node: NodeIx) -> Option<Language> {
        self.0.get(&graph.file(node)?).copied()
    }
}

/// References without target that could reach a changed or reached node.
fn hidden_dependents(
    (graph, families): (&Graph, &Families),
    starts: &[NodeIx],
    followed: &[NodeIx],
    reach: &Reach<'_>,
) -> Vec<Hiding> {
    let own: FxHashSet<NodeIx> = starts.iter().copied().collect();
    let known: FxHashSet<NodeIx> = reach.rows.iter().map(|row| row.node).collect();
    let mut seen: FxHashSet<(&str, Option<Language>, Place)> = FxHashSet::default();
    let mut found = Vec::new();
    let mut far_found = 0;
    let nodes = starts.iter().map(|&node| (node, false)).chain(followed.iter().map(|&node| (node, true)));
    for (node, far) in nodes {
        if far_found >= MAX_FAR {
            break;
        }
        let language = families.family(graph, node);
        let place = Place::of(graph, node);
        for name in names_of(graph, node) {
            if !seen.insert((name, language, place)) {
                continue;
            }
            let references = graph.unresolved_named(name).filter(|reference| {
                let theirs = families.family(graph, reference.from);
                let is_known = own.contains(&reference.from) || (far && known.contains(&reference.from));
                !is_known && (language.is_none() || theirs == language) && place.is_reached(reference, language)
            });
            let before = found.len();
            found.extend(references.map(|reference| open(graph, &reference, far)));
            far_found += if far { found.len() - before } else { 0 };
        }
    }
    found
}

/// Where a node is written, as far as it decides which references can reach it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    /// A function at the top of a file or module.
    Function,
    /// A function in a class, trait or block of methods.
    Method,
    /// A function inside of another.
    Nested,
    /// Anything else.
    Other,
}

impl Place {
    fn of(graph: &Graph, node: NodeIx) -> Self {
        let is_plain = !graph.flags(node).has(NodeFlags::CONSTRUCTOR) && !graph.flags(node).has(NodeFlags::PROPERTY);
        if graph.kind(node) != NodeKind::Function || !is_plain {
            return Self::Other;
        }
        match graph.parent(node).map(|parent| graph.kind(parent)) {
            Some(NodeKind::File | NodeKind::Module) => Self::Function,
            Some(NodeKind::Function) => Self::Nested,
            Some(
                NodeKind::Class
                | NodeKind::Struct
                | NodeKind::Enum
                | NodeKind::Trait
                | NodeKind::Interface
                | NodeKind::Impl,
            ) => Self::Method,
            _ => Self::Other,
        }
    }

    /// Returns whether a reference of the node's name could reach it by the rules of the language.
    fn is_reached(self, reference: &UnresolvedRef<'_>, language: Option<Language>) -> bool {
        use Language as L;
        if self == Self::Other {
            return true;
        }
        // Methods have no bare name there, and are not assigned to names either.
        let by_receiver = matches!(language, Some(L::Rust | L::Go | L::Python | L::JavaScript));
        // Functions are no types, and nothing is assigned to their names.
        let is_static = matches!(language, Some(L::Rust | L::Go | L::Java | L::C));
        match reference.role {
            "type" | "inherit" | "implement" | "write" if is_static => false,
            "macro" if language == Some(L::Rust) => false,
            // What is read there without a call is a field.
            "read" if reference.reason == OUTSIDE_RECEIVER && matches!(language, Some(L::Rust | L::Java)) => false,
            "import" => self == Self::Function,
            "call" | "read" if reference.reason == UNKNOWN_NAME => self != Self::Method || !by_receiver,
            "call" | "read" => self != Self::Nested || !is_static,
            _ => true,
        }
    }
}

/// Imports of unknown modules that bring in something under another name: default exports. Everything else that such
/// a module may export is used by its own name, and found by that among the open references.
fn unknown_imports(
    (graph, families): (&Graph, &Families),
    starts: &[NodeIx],
    language: Option<Language>,
) -> Vec<Hiding> {
    let is_top = |&node: &NodeIx| graph.parent(node).is_none_or(|parent| graph.kind(parent) == NodeKind::File);
    if language != Some(Language::JavaScript) || !starts.iter().any(is_top) {
        return Vec::new();
    }
    let references = graph.unresolved_named(DEFAULT_EXPORT).filter(|reference| {
        let theirs = families.family(graph, reference.from);
        reference.reason == UNKNOWN_MODULE && theirs == language && !starts.contains(&reference.from)
    });
    references.map(|reference| open(graph, &reference, false)).collect()
}

/// Numbers of files of the language that could not be parsed whole and have a name in their text.
#[derive(Debug, Clone, Copy, Default)]
struct Unseen {
    /// The name of a changed node.
    near: usize,
    /// Only the name of a reached node.
    far: usize,
}

impl Unseen {
    fn of(snapshot: &Snapshot, starts: &[NodeIx], followed: &[NodeIx], language: Option<Language>) -> Self {
        let files = snapshot.files().iter().filter(|file| {
            Some(file.language.family()) == language
                && file.problems.iter().any(|problem| problem.kind.hides_references())
        });
        let skipped = snapshot.skipped().iter().filter(|(path, problem)| {
            problem.kind.hides_references() && language.is_some_and(|language| may_hold(path, language))
        });
        let paths = files.map(|file| Some(file.path.clone())).chain(skipped.map(|(path, _)| RepoPath::new(path).ok()));
        let mut unseen = Self::default();
        let mut names = None;
        for (number, path) in paths.enumerate() {
            let text = path.filter(|_| number < MAX_SEARCHED).and_then(|path| snapshot.read_file(&path).ok());
            let Some(text) = text.filter(|text| !text.stale) else {
                unseen.near += 1;
                continue;
            };
            let graph = snapshot.graph();
            let (near, far) = names.get_or_insert_with(|| (all_names(graph, starts), all_names(graph, followed)));
            let mut is_far = false;
            let is_near = words(&text.text).any(|word| {
                is_far |= far.contains(word);
                near.contains(word)
            });
            unseen.near += usize::from(is_near);
            unseen.far += usize::from(is_far && !is_near);
        }
        unseen
    }
}

/// Names by which text can refer to the nodes. A constructor is called by the name of its class.
fn all_names<'g>(graph: &'g Graph, nodes: &[NodeIx]) -> FxHashSet<&'g str> {
    let constructors = nodes.iter().filter(|&&node| graph.flags(node).has(NodeFlags::CONSTRUCTOR));
    let classes = constructors.filter_map(|&node| graph.parent(node));
    nodes.iter().copied().chain(classes).flat_map(|node| names_of(graph, node)).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// What may hide direct dependents.
struct Near {
    open: usize,
    not_made: usize,
    unseen: Unseen,
}

/// Reasons why rows may be missing, if they may, and whether the direct ones are known nevertheless.
fn blocked_by(answer: &Closure, near: Near, incomplete: bool) -> Option<(String, bool)> {
    let not_made = |edges: usize| {
        format!(
            "{edges} calls by dynamic dispatch count only if the overriding method's class is made, and nothing in sight makes it"
        )
    };
    let mut reasons = Vec::new();
    if near.open > 0 {
        reasons.push(format!("{} may lead here or on", count(near.open, "open reference")));
    }
    if near.unseen.near > 0 {
        reasons.push(format!("{} files of this language could not be parsed whole", near.unseen.near));
    }
    if near.not_made > 0 {
        reasons.push(not_made(answer.not_made));
    }
    let direct_known = reasons.is_empty();
    let far = answer.total_hiding - near.open;
    if far > 0 {
        reasons.push(format!("{} may lead to a known row", count(far, "open reference")));
    }
    if near.unseen.far > 0 {
        reasons.push(format!("{} files that could not be parsed whole name a known row", near.unseen.far));
    }
    if near.not_made == 0 && answer.not_made > 0 {
        reasons.push(not_made(answer.not_made));
    }
    if incomplete {
        reasons.push("the search ended at its bound of hops or nodes".to_owned());
    }
    if answer.too_weak > 0 {
        reasons.push(format!("{} rows are left out as too weak", answer.too_weak));
    }
    let all = reasons.join("; ");
    match (reasons.is_empty(), direct_known) {
        (true, _) => None,
        (false, true) => Some((format!("direct rows are known, but farther ones may be hidden: {all}"), true)),
        (false, false) => Some((all, false)),
    }
}

fn open(graph: &Graph, reference: &UnresolvedRef<'_>, far: bool) -> Hiding {
    Hiding {
        node: reference.from,
        name: reference.name.to_owned(),
        role: reference.role.to_owned(),
        reason: reference.reason.to_owned(),
        file: graph.path(reference.from).to_owned(),
        line: reference.pos.line,
        far,
    }
}

/// Returns whether something skipped at a path may contain code of a language family: a file with such a name, or a
/// folder.
fn may_hold(path: &str, wanted: Language) -> bool {
    let Ok(path) = RepoPath::new(path) else { return true };
    match Language::detect(&path, b"").family() {
        Language::Text => path.extension().is_none(),
        language => language == wanted,
    }
}
