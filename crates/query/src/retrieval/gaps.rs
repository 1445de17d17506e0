//! Properties that nearly all siblings of a node have and it lacks.
//!
//! Siblings are nodes of one kind that share a role: members of one class, functions of one file, files of one
//! folder, types with one base, functions with one decorator, functions of one name or with the same parameters and
//! result in the files of a folder. Only properties of at least three in four of them count, and only if they are rarer
//! elsewhere than chance explains.
//!
//! Tried without gain: functions that call the same thing as siblings. What most callers of one thing call as well is
//! mostly a habit of the type it belongs to (`start` beside `end`), and its absence tells nothing.

use super::activate_given;
use m1nd_base::{Cancel, Cancelled, EdgeTier, NodeKind, Pos, Relation};
use m1nd_graph::{EdgeRef, Graph, NodeFlags, NodeIx};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ActivateQuery;
use super::repeated::{RepeatedUse, repeated_uses};
use super::siblings::{Group, GroupKey, groups_of, is_front};
use super::traits::{Having, MAX_BASES, MEMBERS, Trait, Traits};
use crate::calls::{Along, Direction, is_test, walk};
use crate::chance::at_least;
use crate::closure::{Rows, hiding};
use crate::product::aside_folder;
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;

/// Maximum nodes found for the topic, and those of them with their parts, that are examined.
const MAX_FOUND: usize = 60;
const MAX_MEMBERS: usize = 200;
/// Nearness of a part of a type or file relative to the whole.
const PART: f64 = 0.8;
/// Siblings that have it, at least.
const LEAST_HOLDERS: usize = 3;
/// Siblings from which on it says something that all of them make a call.
const LEAST_ALL: usize = 4;
/// Share of the siblings that have it, at least.
const LEAST_SHARE: f64 = 0.75;
/// Chance of a pattern that is still believed.
const LEAST_LIKELY: f64 = 0.01;
/// Weaker evidence is not shown: three of three with a call pass, three of four do not.
const LEAST_STRENGTH: f64 = 0.4;
/// Holes of one node, and of one trait in one group: where more lack it, it is no pattern.
const HOLES_OF_NODE: usize = 4;
const HOLES_OF_TRAIT: usize = 4;
/// Steps within which something else may bring it about.
const DETOUR: usize = 2;
/// Siblings named as evidence.
const NAMED: usize = 3;
/// All holes.
const MAX_HOLES: usize = 500;

/// A missing property.
#[derive(Debug, Clone, PartialEq)]
pub struct Hole {
    /// The node that lacks it.
    pub node: NodeIx,
    /// Nearness to the topic, 0 to 1.
    pub activation: f64,
    /// The missing property.
    pub lacks: Trait,
    /// Common role of the siblings.
    pub group: GroupKey,
    /// Siblings that have it, with a place where, at most three.
    pub holders: Vec<(NodeIx, Option<(NodeIx, Pos)>)>,
    /// Number of siblings that have it.
    pub with: usize,
    /// Number of siblings, without the node itself.
    pub of: usize,
    /// Chance of as many, if it were as frequent among them as among others of the kind.
    pub p_value: f64,
    /// Strength of the evidence, 0 to 1.
    pub strength: f64,
    /// Unknown facts that could provide it.
    pub open: Option<String>,
}

/// Missing properties in a topic.
#[derive(Debug, Clone, Default)]
pub struct GapsAnswer {
    /// Nodes of the topic that have siblings.
    pub compared: usize,
    /// Nodes of the topic.
    pub members: usize,
    /// Number of groups of siblings that were examined.
    pub groups: usize,
    /// What became of the differences between nodes and their siblings.
    pub differences: Differences,
    /// Holes, strongest first; those that are sure before those that are not.
    pub holes: Vec<Hole>,
    /// Work that functions of the topic and others each do for themselves, strongest first.
    pub repeated: Vec<RepeatedUse>,
    /// The best match of the words.
    pub first: Option<NodeIx>,
    /// There are more than were examined.
    pub incomplete: bool,
}

/// Properties that three in four siblings have and a node lacks, by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Differences {
    /// All.
    pub all: usize,
    /// Too few siblings for their kind of property.
    pub weak: usize,
    /// As many have it by chance.
    pub chance: usize,
    /// The node has another role: it is the target itself, or inaccessible.
    pub role: usize,
    /// Calls or bases provide it.
    pub provided: usize,
    /// Its absence alone is not worth a look: a use of a value, or being used by something that uses most of them.
    pub usual: usize,
    /// Something unresolved may provide it.
    pub unknown: usize,
}

/// Returns the properties that nearly all siblings of a topic's nodes have and these lack, and repeated work. A node
/// belongs to the topic from `min_activation`, 0 to 1, see [`activate`].
///
/// # Errors
/// [`Cancelled`].
pub fn gaps(
    snapshot: &Snapshot,
    text: &str,
    min_activation: f64,
    history: &ProjectHistory,
    cancel: &Cancel,
) -> Result<GapsAnswer, Cancelled> {
    let query = ActivateQuery {
        text: text.to_owned(),
        dimensions: Vec::new(),
        above_chance: true,
        ghost_edges: false,
        structural_holes: false,
        max_rows: MAX_FOUND * 10,
    };
    let found = activate_given(snapshot, &query, Some(history), cancel)?;
    let mut answer = GapsAnswer { first: found.seeds.first().map(|(node, _)| *node), ..GapsAnswer::default() };
    let near = found.rows.iter().filter(|row| row.is_seed || row.activation >= min_activation);
    let near: Vec<(NodeIx, f64)> =
        near.map(|row| (row.node, row.activation)).filter(|(node, _)| can_lack(snapshot.graph(), *node)).collect();
    answer.incomplete = near.len() > MAX_FOUND || found.incomplete;
    let near = &near[..near.len().min(MAX_FOUND)];
    // Siblings are compared by members too, since most properties belong to methods and not to their class.
    let members = with_parts(snapshot.graph(), near, min_activation);
    answer.incomplete |= members.len() > MAX_MEMBERS;
    let members = &members[..members.len().min(MAX_MEMBERS)];
    answer.members = members.len();
    let (traits, groups) = (Traits::new(snapshot.graph()), FxHashMap::default());
    let mut look = Look { snapshot, traits, groups, differences: Differences::default() };
    for &(node, activation) in members {
        cancel.check()?;
        let mut own: Vec<Hole> = Vec::new();
        let keys = groups_of(snapshot, node);
        let mut has_siblings = false;
        for group in keys {
            has_siblings = true;
            own.extend(look.holes(node, activation, &group, cancel)?);
        }
        answer.compared += usize::from(has_siblings);
        rank(snapshot.graph(), &mut own);
        // A node is in several groups; the same lack counts once, in the group where it is clearest.
        let mut seen: FxHashSet<Trait> = FxHashSet::default();
        own.retain(|hole| seen.insert(hole.lacks.clone()));
        own.truncate(HOLES_OF_NODE);
        answer.holes.extend(own);
    }
    // Repeated work is a lack as well: of a function that the others could share.
    let (repeated, is_cut) = repeated_uses(snapshot.graph(), near, cancel)?;
    answer.repeated = repeated;
    answer.incomplete |= is_cut;
    answer.groups = look.groups.len();
    answer.differences = look.differences;
    rank(snapshot.graph(), &mut answer.holes);
    answer.incomplete |= answer.holes.len() > MAX_HOLES;
    answer.holes.truncate(MAX_HOLES);
    Ok(answer)
}

/// The nodes of a topic with the functions and types in them: words that lead to a class rarely lead to all its
/// methods.
fn with_parts(graph: &Graph, near: &[(NodeIx, f64)], least: f64) -> Vec<(NodeIx, f64)> {
    use NodeKind::{Class, Enum, File, Impl, Interface, Struct, Trait};
    let children = |node: NodeIx| {
        let contains = graph.out_edges(node).filter(|edge| edge.relation == Relation::Contains);
        contains.take(MEMBERS).map(|edge| edge.to)
    };
    let mut known: FxHashSet<NodeIx> = near.iter().map(|(node, _)| *node).collect();
    let mut all = near.to_vec();
    for &(node, activation) in near.iter().filter(|(_, activation)| activation * PART >= least) {
        let owners: Vec<NodeIx> = match graph.kind(node) {
            File => children(node).filter(|one| graph.kind(*one) == Impl).chain([node]).collect(),
            Class | Enum | Interface | Struct | Trait => {
                let beside = graph.parent(node).into_iter().flat_map(children);
                let is_own = |one: &NodeIx| graph.kind(*one) == Impl && graph.label(*one) == graph.label(node);
                beside.filter(is_own).chain([node]).collect()
            }
            _ => continue,
        };
        for part in owners.into_iter().flat_map(children).filter(|part| can_lack(graph, *part)) {
            if known.insert(part) {
                all.push((part, activation * PART));
            }
        }
    }
    // A stable sort: what was found comes before parts as near.
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

/// Returns whether something can be expected of a node: code of the project that is no test.
fn can_lack(graph: &Graph, node: NodeIx) -> bool {
    use NodeKind::{Class, Enum, File, Function, Interface, Struct, Trait};
    matches!(graph.kind(node), Class | Enum | File | Function | Interface | Struct | Trait)
        && !is_test(graph, node)
        && !graph.flags(node).has(NodeFlags::IMPORTED)
        && aside_folder(graph.path(node)).is_none()
}

/// Sure ones first, then by strength and nearness to the topic.
fn rank(graph: &Graph, holes: &mut [Hole]) {
    let value = |hole: &Hole| hole.strength * (0.5 + 0.5 * hole.activation);
    holes.sort_by(|a, b| {
        let ids = || graph.id(a.node).cmp(graph.id(b.node)).then_with(|| a.lacks.cmp(&b.lacks));
        let sure = a.open.is_some().cmp(&b.open.is_some());
        sure.then(value(b).total_cmp(&value(a))).then_with(ids).then_with(|| a.group.cmp(&b.group))
    });
}

/// Number of members of a group with each trait.
struct Counted {
    group: Group,
    traits: Vec<(Trait, Vec<(NodeIx, Having)>)>,
}

/// Cache for one answer.
struct Look<'s> {
    snapshot: &'s Snapshot,
    traits: Traits<'s>,
    groups: FxHashMap<GroupKey, std::rc::Rc<Counted>>,
    differences: Differences,
}

impl Look<'_> {
    fn count_traits(&mut self, group: &Group, cancel: &Cancel) -> Result<std::rc::Rc<Counted>, Cancelled> {
        if let Some(known) = self.groups.get(&group.key) {
            return Ok(known.clone());
        }
        let mut by_trait: FxHashMap<Trait, Vec<(NodeIx, Having)>> = FxHashMap::default();
        for &member in &group.members {
            cancel.check()?;
            for (one, having) in self.traits.of(member) {
                by_trait.entry(one).or_default().push((member, having));
            }
        }
        let mut traits: Vec<_> = by_trait.into_iter().filter(|(_, having)| having.len() >= LEAST_HOLDERS).collect();
        traits.sort_by(|a, b| a.0.cmp(&b.0));
        let counted = std::rc::Rc::new(Counted { group: group.clone(), traits });
        self.groups.insert(group.key.clone(), counted.clone());
        Ok(counted)
    }

    /// Properties that a node lacks and the others of a group have.
    fn holes(&mut self, node: NodeIx, activation: f64, group: &Group, cancel: &Cancel) -> Result<Vec<Hole>, Cancelled> {
        let counted = self.count_traits(group, cancel)?;
        let mut holes = Vec::new();
        for (lacks, having) in &counted.traits {
            // The defining property of the group says nothing.
            if !self.traits.can_have(node, lacks) || counted.group.key.is_trait(lacks) {
                continue;
            }
            let can_have = |member: &&NodeIx| self.traits.can_have(**member, lacks);
            let all = match lacks {
                Trait::Tested | Trait::Documented => counted.group.members.iter().filter(can_have).count(),
                _ => counted.group.members.len(),
            };
            let others = all - 1;
            let own = having.iter().find(|(member, _)| *member == node).map(|(_, having)| having.sure);
            let with: Vec<&(NodeIx, Having)> =
                having.iter().filter(|(member, having)| *member != node && having.sure).collect();
            let share = with.len() as f64 / others as f64;
            let lacking = all - having.len();
            if own == Some(true) || with.len() < LEAST_HOLDERS || share < LEAST_SHARE || lacking > HOLES_OF_TRAIT {
                continue;
            }
            self.differences.all += 1;
            let Some((strength, p_value)) = self.weigh(node, lacks, &with, (all, others)) else { continue };
            let Some(open) = self.open(node, lacks, own == Some(false)) else {
                self.differences.provided += 1;
                continue;
            };
            // Of a call or decorator that may be there it is worth to look; the rest is a guess.
            if matches!(open, Open::Maybe(_)) && !matches!(lacks, Trait::Uses(Relation::Calls | Relation::Decorates, _))
            {
                self.differences.unknown += 1;
                continue;
            }
            holes.push(Hole {
                node,
                activation,
                lacks: lacks.clone(),
                group: counted.group.key.clone(),
                holders: with.iter().take(NAMED).map(|(member, having)| (*member, having.at)).collect(),
                with: with.len(),
                of: others,
                p_value,
                strength,
                open: open.into_reason(),
            });
        }
        Ok(holes)
    }

    /// Strength and chance of a difference; `None` if it is not a hole, which is counted by its cause.
    fn weigh(
        &mut self,
        node: NodeIx,
        lacks: &Trait,
        with: &[&(NodeIx, Having)],
        (all, others): (usize, usize),
    ) -> Option<(f64, f64)> {
        // Cheap tests first; each cause has its own count, so that the answer can say why differences are not holes.
        if !self.is_worth_a_row(node, lacks, with.len(), others) {
            self.differences.usual += 1;
            return None;
        }
        let strength = lower_bound(with.len(), others) * lacks.weight();
        if strength < LEAST_STRENGTH {
            self.differences.weak += 1;
            return None;
        }
        if self.is_of_another_role(node, lacks)
            || self.is_base_of(node, with)
            || self.is_decorated_otherwise(node, lacks, with)
            || self.is_out_of_reach(node, lacks, with)
            || self.is_part_of_another(node, lacks, with)
        {
            self.differences.role += 1;
            return None;
        }
        // Last, whether a random node would lack it as often.
        let chance = self.traits.frequency(lacks, with.len(), all);
        let p_value = at_least(with.len(), others, chance);
        if p_value > LEAST_LIKELY {
            self.differences.chance += 1;
            return None;
        }
        Some((strength, p_value))
    }

    /// Returns whether the node is the target of the trait, or used by it: a function called by all does not call
    /// itself.
    fn is_of_another_role(&self, node: NodeIx, lacks: &Trait) -> bool {
        let graph = self.snapshot.graph();
        let Some(other) = lacks.node() else { return false };
        if node == other
            || graph.ancestors(node).any(|one| one == other)
            || graph.ancestors(other).any(|one| one == node)
        {
            return true;
        }
        // A helper that the other one is made of.
        matches!(lacks, Trait::Uses(..))
            && walk(graph, &[other], (Direction::Called, Along::Certain), DETOUR, &|one| one == node).hit.is_some()
    }

    /// Returns whether the absence of a trait is worth a row: of what all others have, or nearly all if it is a
    /// decorator, a test, or being exported by the file that stands for the folder. A call has to be of a function or
    /// class of the project, not of an operator. That a value is not used, or a comment not written, says nothing.
    fn is_worth_a_row(&self, node: NodeIx, lacks: &Trait, with: usize, others: usize) -> bool {
        let graph = self.snapshot.graph();
        let has_all = with == others;
        match lacks {
            Trait::Uses(Relation::Calls, callee) => {
                let label = graph.label(*callee);
                let is_made =
                    graph.flags(*callee).has(NodeFlags::CONSTRUCTOR) || label.starts_with("__") || label == "new";
                let is_code = matches!(graph.kind(*callee), NodeKind::Function | NodeKind::Class);
                has_all && others >= LEAST_ALL && is_code && !is_made
            }
            Trait::Uses(Relation::Decorates | Relation::ReadsConfig, _) | Trait::Tested => true,
            Trait::Defines(_, label) => {
                has_all && graph.kind(node) != NodeKind::Function && !label.starts_with("__") && label != "constructor"
            }
            Trait::UsedBy(_, user) if graph.kind(*user) == NodeKind::File => {
                graph.kind(node) == NodeKind::File || is_front(graph, *user) && !has_code(graph, *user)
            }
            Trait::UsedBy(Relation::Calls, _) => false,
            Trait::Uses(Relation::Inherits | Relation::Implements, _) | Trait::UsedBy(..) => has_all,
            Trait::Uses(..) | Trait::Documented => false,
        }
    }

    /// Returns whether one of those that have it inherits from the node: a base has another role than its heirs.
    fn is_base_of(&self, node: NodeIx, with: &[&(NodeIx, Having)]) -> bool {
        let graph = self.snapshot.graph();
        let is_base = |edge: EdgeRef<'_>| matches!(edge.relation, Relation::Inherits | Relation::Implements);
        graph
            .in_edges(node)
            .filter(|edge| is_base(*edge))
            .any(|edge| with.iter().any(|(holder, _)| *holder == edge.from))
    }

    /// Returns whether the node lacks a decorator, and has one that none of those has: it is something else.
    fn is_decorated_otherwise(&self, node: NodeIx, lacks: &Trait, with: &[&(NodeIx, Having)]) -> bool {
        let graph = self.snapshot.graph();
        let decorators =
            |of: NodeIx| graph.out_edges(of).filter(|edge| edge.relation == Relation::Decorates).map(|edge| edge.to);
        matches!(lacks, Trait::Uses(Relation::Decorates, _))
            && decorators(node).any(|own| !with.iter().any(|(holder, _)| decorators(*holder).any(|other| other == own)))
    }

    /// Returns whether another file would have to use something that is only accessible to others of the group: it is
    /// not missing if it is not exported.
    fn is_out_of_reach(&self, node: NodeIx, lacks: &Trait, with: &[&(NodeIx, Having)]) -> bool {
        let graph = self.snapshot.graph();
        let is_exported = |node: NodeIx| graph.flags(node).has(NodeFlags::EXPORTED);
        let Trait::UsedBy(_, user) = lacks else { return false };
        graph.kind(node) != NodeKind::File
            && graph.file(*user) != graph.file(node)
            && !is_exported(node)
            && with.iter().all(|(holder, _)| is_exported(*holder))
    }

    /// Returns whether a file is used by one of those that have it: a part of a file need not be used beside it.
    fn is_part_of_another(&self, node: NodeIx, lacks: &Trait, with: &[&(NodeIx, Having)]) -> bool {
        let graph = self.snapshot.graph();
        if !matches!(lacks, Trait::UsedBy(..)) || graph.kind(node) != NodeKind::File {
            return false;
        }
        let own = graph.with_members(node, MEMBERS);
        let is_use = |edge: &EdgeRef<'_>| edge.tier == EdgeTier::Certain && edge.relation != Relation::Documents;
        let mut into = own.iter().flat_map(|one| graph.in_edges(*one)).filter(is_use);
        into.any(|edge| {
            let user = graph.file(edge.from).filter(|user| *user != node);
            user.is_some_and(|user| with.iter().any(|(holder, _)| *holder == user))
        })
    }

    /// Unknown facts that could provide the missing property; `None` if something else provides it.
    fn open(&self, node: NodeIx, lacks: &Trait, is_possible: bool) -> Option<Open> {
        let graph = self.snapshot.graph();
        // First what leaves the whole node open, whatever it lacks.
        if is_possible {
            return Some(Open::Maybe("one of several candidates of a reference is it".to_owned()));
        }
        let file = self.snapshot.file_of(node);
        if file.is_some_and(|file| file.problems.iter().any(|problem| problem.kind.hides_references())) {
            return Some(Open::Maybe("its file could not be parsed whole".to_owned()));
        }
        let own = graph.with_members(node, MEMBERS);
        if self.traits.is_beyond(node, &own, lacks) {
            return None;
        }
        // Then where the property could hide: in a base, behind an unresolved name, or a few calls away.
        let open = match lacks {
            Trait::Uses(Relation::Inherits | Relation::Implements, other) => {
                let (bases, open) = self.bases(node);
                return (!bases.contains(other)).then_some(open);
            }
            Trait::Uses(_, other) => {
                let named = |reference: &m1nd_graph::UnresolvedRef<'_>| reference.name == graph.label(*other);
                if let Some(reference) = own.iter().flat_map(|one| graph.unresolved_of(*one)).find(named) {
                    return Some(Open::with_open_reference(reference.name, reference.pos.line, reference.reason));
                }
                self.detour(&own, Direction::Called, *other)
            }
            Trait::UsedBy(_, other) => {
                let users = graph.with_members(*other, MEMBERS);
                let named = |reference: &m1nd_graph::UnresolvedRef<'_>| reference.name == graph.label(node);
                if let Some(reference) = users.iter().flat_map(|one| graph.unresolved_of(*one)).find(named) {
                    return Some(Open::with_open_reference(reference.name, reference.pos.line, reference.reason));
                }
                match self.detour(&own, Direction::Callers, *other) {
                    Some(Open::Nothing) if users.len() >= MEMBERS => Some(Open::too_many(graph.label(*other))),
                    open => open,
                }
            }
            Trait::Tested => {
                let open = hiding(self.snapshot, node, Rows::Callers);
                if let Some(row) = open.iter().find(|row| row.may_be_test(graph)) {
                    return Some(Open::with_open_reference(&row.name, row.line, &row.reason));
                }
                let through =
                    walk(graph, &own, (Direction::Callers, Along::Certain), DETOUR, &|one| is_test(graph, one));
                match (through.hit, through.possible || through.is_cut) {
                    (Some(_), _) => None,
                    (None, true) => Some(Open::Maybe("a possible caller of it may be a test".to_owned())),
                    (None, false) => Some(Open::Nothing),
                }
            }
            Trait::Defines(_, label) => self.defines_by_base(node, label),
            Trait::Documented => return Some(Open::Nothing),
        };
        match open {
            Some(Open::Nothing) if own.len() >= MEMBERS => Some(Open::too_many(graph.label(node))),
            open => open,
        }
    }

    /// Returns whether calls within [`DETOUR`] steps may lead to or from `other`; `None` if some do for sure.
    fn detour(&self, own: &[NodeIx], direction: Direction, other: NodeIx) -> Option<Open> {
        let graph = self.snapshot.graph();
        let sure = walk(graph, own, (direction, Along::Certain), DETOUR, &|one| one == other);
        if sure.hit.is_some() {
            return None;
        }
        if !sure.possible && !sure.is_full {
            return Some(Open::Nothing);
        }
        let possible = walk(graph, own, (direction, Along::Possible), DETOUR, &|one| one == other);
        Some(match (possible.hit, possible.is_full) {
            (Some(_), _) => Open::Maybe("calls that are only possible lead there".to_owned()),
            (None, true) => Open::Maybe("more calls lead on than were followed".to_owned()),
            (None, false) => Open::Nothing,
        })
    }

    /// Returns whether a base of a type has a member of this name.
    fn defines_by_base(&self, node: NodeIx, label: &str) -> Option<Open> {
        let graph = self.snapshot.graph();
        let (bases, open) = self.bases(node);
        let inherits = bases.iter().any(|base| {
            graph.out_edges(*base).any(|edge| edge.relation == Relation::Contains && graph.label(edge.to) == label)
        });
        (!inherits).then_some(open)
    }

    /// All bases of a type, and which of them are unknown.
    fn bases(&self, node: NodeIx) -> (Vec<NodeIx>, Open) {
        let graph = self.snapshot.graph();
        let mut open = Open::Nothing;
        let mut seen = vec![node];
        let mut at = 0;
        while let Some(&one) = seen.get(at).filter(|_| at < MAX_BASES) {
            at += 1;
            let bases =
                graph.out_edges(one).filter(|edge| matches!(edge.relation, Relation::Inherits | Relation::Implements));
            for edge in bases {
                if edge.tier != EdgeTier::Certain {
                    open = Open::Maybe(format!("its base `{}` is not known for sure", graph.label(edge.to)));
                }
                if !seen.contains(&edge.to) {
                    seen.push(edge.to);
                }
            }
            let is_base = |reference: &m1nd_graph::UnresolvedRef<'_>| matches!(reference.role, "base" | "inherits");
            if let Some(reference) = graph.unresolved_of(one).find(is_base) {
                open = Open::with_open_reference(reference.name, reference.pos.line, reference.reason);
            }
        }
        if seen.len() > MAX_BASES {
            open = Open::Maybe(format!("`{}` has more bases than were looked at", graph.label(node)));
        }
        seen.remove(0);
        (seen, open)
    }
}

/// Returns whether a file defines functions or types.
fn has_code(graph: &Graph, file: NodeIx) -> bool {
    use NodeKind::{Class, Enum, Function, Interface, Struct, Trait};
    let mut own =
        graph.out_edges(file).filter(|edge| edge.relation == Relation::Contains).map(|edge| graph.kind(edge.to));
    own.any(|kind| matches!(kind, Class | Enum | Function | Interface | Struct | Trait))
}

/// Whether unknown facts could provide the missing property.
enum Open {
    Nothing,
    Maybe(String),
}

impl Open {
    fn too_many(label: &str) -> Self {
        Self::Maybe(format!("`{label}` holds more than was looked at"))
    }

    fn with_open_reference(name: &str, line: u32, reason: &str) -> Self {
        Self::Maybe(format!("an open reference `{name}` in line {line} may be it ({reason})"))
    }

    fn into_reason(self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Maybe(reason) => Some(reason),
        }
    }
}

/// Lower bound of the 90 % confidence interval of a share (Wilson, "Probable inference", 1927).
pub(super) fn lower_bound(with: usize, of: usize) -> f64 {
    let (z, n, share) = (1.645_f64, of as f64, with as f64 / of as f64);
    let middle = share + z * z / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    ((middle - half) / (1.0 + z * z / n)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::lower_bound;

    #[test]
    fn a_larger_group_is_better_evidence() {
        assert!(lower_bound(9, 9) > lower_bound(3, 3) && lower_bound(9, 10) < lower_bound(10, 10));
        assert!((lower_bound(10, 10) - 0.787).abs() < 0.01, "{}", lower_bound(10, 10));
    }
}
