//! What an edit broke, as far as the graph can tell: the snapshot before it is compared with the one after it.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{Cancel, Cancelled, EdgeTier, NodeKind, Pos, Problem, ProblemKind, Relation, RepoPath, node_id};
use m1nd_engine::{FileEntry, Snapshot};
use m1nd_graph::{EdgeRef, Graph, NodeFlags, NodeIx};
use m1nd_lang::edit_rules::EditRules;
use rustc_hash::{FxHashMap, FxHashSet};

use super::arguments::{Arguments, Counts};
use super::layers::{LayerBreak, layer_breaks};
use super::left_names::left_names;
use super::lost_implementations::lost_implementations;
use super::marked_overrides::{is_refused, marked_overrides};
use super::misspelled::{find_misspelled, misspelled_outside};

/// Most findings of one kind that are returned.
const MAX_FOUND: usize = 200;
/// Most files that are visited in search of an import cycle.
const MAX_VISITED: usize = 20_000;
/// Maximum ways back that are tried for an import that may close a cycle.
const MAX_WAYS: usize = 20;
/// Reasons of references that say that the code names something which is not there.
const DEFINITE: &[&str] = &["name_not_found", "module_not_found", "no_such_member"];

/// Reasons of references that say nothing about the name.
const UNTOLD: &[&str] = &["among_tokens", "too_many_candidates", "budget", "not_linked"];

/// What is wrong at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BreakKind {
    /// A reference had a target and has none now.
    LostReference,
    /// An import names something that is not there.
    DanglingImport,
    /// A call has another number of arguments than its target takes.
    ArgumentCount,
    /// A call names an argument that its target does not take, or lacks one that it must name.
    ArgumentName,
    /// A method replaced one of a base and does not now.
    LostOverride,
    /// A type is in a file that the language does not let it be in.
    MisplacedType,
}

impl BreakKind {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::LostReference => "lost_reference",
            Self::DanglingImport => "dangling_import",
            Self::ArgumentCount => "argument_count",
            Self::ArgumentName => "argument_name",
            Self::LostOverride => "lost_override",
            Self::MisplacedType => "misplaced_type",
        }
    }
}

/// Something that an edit broke.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Break {
    /// File of the place.
    pub file: String,
    /// The place now.
    pub line: u32,
    /// What is wrong.
    pub kind: BreakKind,
    /// Id of the node around the place.
    pub from: String,
    /// What it refers to: an id, or a name.
    pub to: String,
    /// In words.
    pub detail: String,
}

/// Files that an edited file is used by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blast {
    /// The edited file.
    pub file: String,
    /// Number of other files that use it directly.
    pub reachable_files: usize,
    /// The first five of them.
    pub top: Vec<String>,
}

/// The result of the comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphCheck {
    /// What is certainly broken: the first of [`GraphCheck::total_broken`].
    pub broken: Vec<Break>,
    /// Number of all certain breakages.
    pub total_broken: usize,
    /// What may be broken: references that are now possible only, names that nothing in sight defines.
    pub doubtful: Vec<Break>,
    /// Number of all of them.
    pub total_doubtful: usize,
    /// New import cycles, each as the files on it.
    pub cycles: Vec<Vec<String>>,
    /// New dependencies against the declared layers: the first of [`GraphCheck::total_layers`].
    pub layers: Vec<LayerBreak>,
    /// Number of all of them.
    pub total_layers: usize,
    /// Why the declaration of layers cannot be used.
    pub unusable_layers: Option<String>,
    /// Users of the edited files.
    pub blast: Vec<Blast>,
    /// Calls of definitions that take other arguments than before.
    pub sites: SiteCounts,
}

/// What became of the calls of definitions that take other arguments than before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SiteCounts {
    /// Calls that fit.
    pub fit: usize,
    /// Calls that certainly do not.
    pub misfit: usize,
    /// Calls that may lead elsewhere, or whose arguments are not written one by one.
    pub unknown: usize,
}

impl SiteCounts {
    /// Counts the calls of an edge; some are known not to fit.
    fn add(&mut self, graph: &Graph, edge: &EdgeRef<'_>, misfits: usize, arguments: &mut Arguments<'_>) {
        let file = graph.path(edge.from);
        let is_known = |pos: &Pos| edge.tier == EdgeTier::Certain && arguments.count_given(file, *pos).is_some();
        let all = sites(edge);
        let known = all.iter().copied().filter(is_known).count();
        self.misfit += misfits;
        self.fit += known.saturating_sub(misfits);
        self.unknown += all.len() - known;
    }
}

/// A file with the texts that it has on both sides of an edit. Where these are equal, it is only read, not compared.
#[derive(Debug, Clone, Copy)]
pub struct EditedFile<'a> {
    /// Its path in the index.
    pub path: &'a RepoPath,
    /// Its text before; `None` if it is new.
    pub before: Option<&'a str>,
    /// Its text after the edit, where that is not on disk.
    pub after: Option<&'a str>,
}

/// Compares two snapshots around an edit of some files.
///
/// # Errors
/// [`Cancelled`].
pub fn verify(
    before: &Snapshot,
    after: &Snapshot,
    edited: &[EditedFile<'_>],
    cancel: &Cancel,
) -> Result<GraphCheck, Cancelled> {
    let mut check = GraphCheck::default();
    let (mut old, mut new) = (Arguments::new(before, cancel), Arguments::new(after, cancel));
    for file in edited {
        old.set_text(file.path.as_str(), file.before.unwrap_or_default());
        file.after.into_iter().for_each(|text| new.set_text(file.path.as_str(), text));
    }
    let is_changed = |file: &&EditedFile<'_>| file.before.is_none() || file.before != file.after;
    let edited: Vec<EditedFile<'_>> = edited.iter().filter(is_changed).copied().collect();
    let edited = edited.as_slice();
    let paths: FxHashSet<&str> = edited.iter().map(|file| file.path.as_str()).collect();
    for file in edited {
        cancel.check()?;
        // Uses of what went away, uses that no longer lead anywhere, and names that are left.
        lost_references(before, (after, &mut new), file.path, &paths, &mut check);
        new_open_references(before, (after, &mut new), file.path, &mut check);
        check.broken.extend(left_names((before, &mut old), (after, &mut new), file.path));
        // What compilers ask of types and their members.
        lost_overrides(before, (after, &mut new), file.path, &mut check);
        check.broken.extend(misplaced_types(before, after, file.path));
        check.broken.extend(misnamed_constructors(before, after, file.path));
        let mut members = lost_implementations(before, after, file.path);
        members.extend(marked_overrides(before, (after, &mut new), file.path));
        for (found, is_certain) in members {
            if is_certain { check.broken.push(found) } else { check.doubtful.push(found) }
        }
        check.blast.push(blast(before, file.path));
        check.cycles.extend(new_cycle(before, (after, &mut new), file.path));
    }
    argument_counts((before, &mut old), (after, &mut new), edited, cancel, &mut check)?;
    // What is against the declared layers, if their declaration can be used.
    match layer_breaks(before, after, edited.iter().map(|file| file.path)) {
        Ok(layers) => (check.total_layers, check.layers) = (layers.len(), layers),
        Err(why) => check.unusable_layers = Some(why),
    }
    check.layers.truncate(MAX_FOUND);
    // Each finding once; totals count also those that are not listed.
    let GraphCheck { broken, total_broken, doubtful, total_doubtful, .. } = &mut check;
    for (list, total) in [(broken, total_broken), (doubtful, total_doubtful)] {
        list.sort();
        list.dedup();
        drop_files_of_names(list);
        *total = list.len();
        list.truncate(MAX_FOUND);
    }
    check.cycles.sort();
    check.cycles.dedup();
    Ok(check)
}

/// Drops imports of files at places where imports of their names are found as well.
fn drop_files_of_names(list: &mut Vec<Break>) {
    let imports = |found: &&Break| found.kind == BreakKind::DanglingImport && !node_id::is_file(&found.to);
    let key = |found: &Break, id: &str| (found.file.clone(), found.line, id.to_owned());
    let names: FxHashSet<(String, u32, String)> =
        list.iter().filter(imports).map(|found| key(found, node_id::file_of(&found.to))).collect();
    list.retain(|found| found.kind != BreakKind::DanglingImport || !names.contains(&key(found, &found.to)));
}

pub(super) fn nodes_of(graph: &Graph, path: &RepoPath) -> Vec<NodeIx> {
    graph.find_file(path.as_str()).map(|file| graph.of_file(file)).unwrap_or_default()
}

/// The node that a node of the graph after an edit was before it. The id of an overloaded method changes with the
/// others of its name: then it is the one of the same signature.
pub(super) fn counterpart(old: &Graph, new: &Graph, node: NodeIx) -> Option<NodeIx> {
    old.find(new.id(node)).or_else(|| {
        let is_it = |found: &NodeIx| {
            old.path(*found) == new.path(node)
                && old.kind(*found) == new.kind(node)
                && old.signature(*found) == new.signature(node)
        };
        let mut all = old.find_labelled(new.label(node)).into_iter().filter(is_it);
        all.next().filter(|_| all.next().is_none())
    })
}

pub(super) fn sites(edge: &EdgeRef<'_>) -> Vec<Pos> {
    (0..edge.sites.len()).filter_map(|index| edge.sites.get(index)).collect()
}

/// References from files that were not edited: they stand where they stood.
fn lost_references(
    before: &Snapshot,
    (after, arguments): (&Snapshot, &mut Arguments<'_>),
    path: &RepoPath,
    edited: &FxHashSet<&str>,
    check: &mut GraphCheck,
) {
    let (old, new) = (before.graph(), after.graph());
    let is_unread = is_unread(after, path);
    for target in nodes_of(old, path) {
        let id = old.id(target);
        for edge in old.in_edges(target) {
            let file = old.path(edge.from);
            let counts = edge.tier == EdgeTier::Certain && is_use(edge.relation) && !edited.contains(file);
            let Some(from) = counts.then(|| new.find(old.id(edge.from))).flatten() else { continue };
            for pos in sites(&edge) {
                let Some(why) = state_at(new, from, pos, old.label(target)) else {
                    // A definition that still has its id is looked at with all its callers.
                    if new.find(id).is_none() {
                        check.broken.extend(fits_none(new, (from, pos), arguments));
                    }
                    continue;
                };
                let found = Break {
                    file: file.to_owned(),
                    line: pos.line,
                    kind: if edge.relation == Relation::Imports {
                        BreakKind::DanglingImport
                    } else {
                        BreakKind::LostReference
                    },
                    from: old.id(edge.from).to_owned(),
                    to: id.to_owned(),
                    detail: format!("referred to `{}`; {}", old.label(target), why.words()),
                };
                match why {
                    _ if is_unread => check.doubtful.push(found),
                    Lost::Open(reason) if may_have_member(after, old, (file, target), &reason) => {
                        check.doubtful.push(found);
                    }
                    Lost::Open(_) | Lost::Nothing => check.broken.push(found),
                    // A name of the project that is gone is not one of a package.
                    Lost::Outside if new.find(id).is_none() => check.broken.push(found),
                    Lost::Possible | Lost::Outside => match fits_none(new, (from, pos), arguments) {
                        Some(misfit) => check.broken.push(misfit),
                        None => check.doubtful.push(found),
                    },
                }
            }
        }
    }
}

/// Returns whether a file was not read whole, other than for syntax errors: what it lacks may be there.
fn is_unread(snapshot: &Snapshot, path: &RepoPath) -> bool {
    let hides = |problem: &Problem| problem.kind.hides_references() && problem.kind != ProblemKind::SyntaxErrors;
    snapshot.files().get(path).is_some_and(|file| file.problems.iter().any(hides))
}

/// Returns whether a member that a value lacks may still be one: types of TypeScript and JavaScript are also computed,
/// and something of this name is in the project.
fn may_have_member(after: &Snapshot, old: &Graph, (file, target): (&str, NodeIx), reason: &str) -> bool {
    let is_member =
        old.parent(target).is_some_and(|owner| !matches!(old.kind(owner), NodeKind::File | NodeKind::Module));
    is_member && reason == "no_such_member" && is_structural(after, file) && has_name(after, old.label(target))
}

fn has_name(snapshot: &Snapshot, name: &str) -> bool {
    let graph = snapshot.graph();
    graph.find_labelled(name).into_iter().any(|node| !graph.path(node).is_empty())
}

fn is_structural(snapshot: &Snapshot, path: &str) -> bool {
    let file = RepoPath::new(path).ok().and_then(|path| snapshot.files().get(&path));
    file.is_some_and(|file| EditRules::of(file.language).types.is_structural)
}

/// A call with a number of arguments that none of its targets takes, for instance not what is left of an overloaded
/// method.
fn fits_none(graph: &Graph, (from, pos): (NodeIx, Pos), arguments: &mut Arguments<'_>) -> Option<Break> {
    let at_pos = |edge: &EdgeRef<'_>| edge.relation == Relation::Calls && sites(edge).contains(&pos);
    let targets: Vec<NodeIx> = graph.out_edges(from).filter(at_pos).map(|edge| edge.to).collect();
    let given = arguments.count_given(graph.path(from), pos)?;
    let mut takes = Vec::new();
    for target in &targets {
        takes.push(arguments.counts(*target).filter(|counts| !counts.fits(given))?);
    }
    let (target, takes) = targets.first().zip(takes.first())?;
    Some(Break {
        file: graph.path(from).to_owned(),
        line: pos.line,
        kind: BreakKind::ArgumentCount,
        from: graph.id(from).to_owned(),
        to: graph.id(*target).to_owned(),
        detail: format!("`{}` takes {takes}, the call has {given}", graph.label(*target)),
    })
}

/// Public types of Java outside of any other, in a file that has not their name and had them not before.
fn misplaced_types(before: &Snapshot, after: &Snapshot, path: &RepoPath) -> Vec<Break> {
    let rules = after.files().get(path).map(|file| EditRules::of(file.language).types);
    let Some(ending) = rules.and_then(|rules| rules.public_type_file) else { return Vec::new() };
    let graph = after.graph();
    let is_misplaced = |node: &NodeIx| {
        matches!(graph.kind(*node), NodeKind::Class | NodeKind::Interface | NodeKind::Enum)
            && graph.parent(*node) == graph.file(*node)
            && graph.signature(*node).split_whitespace().any(|word| word == "public")
            && path.file_name() != format!("{}.{ending}", graph.label(*node))
            && before.graph().find(graph.id(*node)).is_none()
    };
    let found = |node: NodeIx| Break {
        file: path.as_str().to_owned(),
        line: graph.name_line(node),
        kind: BreakKind::MisplacedType,
        from: graph.id(node).to_owned(),
        to: format!("{}.{ending}", graph.label(node)),
        detail: format!("`{0}` is public and must be in `{0}.{ending}`", graph.label(node)),
    };
    nodes_of(graph, path).into_iter().filter(is_misplaced).map(found).collect()
}

/// Constructors of Java that have not the name of their class, and had it before or are new: methods without a type.
fn misnamed_constructors(before: &Snapshot, after: &Snapshot, path: &RepoPath) -> Vec<Break> {
    let has_such = |file: &FileEntry| EditRules::of(file.language).types.constructors_named_like_class;
    if !after.files().get(path).is_some_and(has_such) {
        return Vec::new();
    }
    let graph = after.graph();
    let class = |node: &NodeIx| {
        let is_new = graph.flags(*node).has(NodeFlags::CONSTRUCTOR) && before.graph().find(graph.id(*node)).is_none();
        let class = graph.parent(*node).filter(|class| graph.label(*class) != graph.label(*node))?;
        is_new.then_some(class)
    };
    let found = |(node, class): (NodeIx, NodeIx)| Break {
        file: path.as_str().to_owned(),
        line: graph.name_line(node),
        kind: BreakKind::LostReference,
        from: graph.id(node).to_owned(),
        to: graph.id(class).to_owned(),
        detail: format!("`{}` has no type and is not the constructor of `{}`", graph.label(node), graph.label(class)),
    };
    nodes_of(graph, path).into_iter().filter_map(|node| Some((node, class(&node)?))).map(found).collect()
}

/// What a place that had a certain target has now.
enum Lost {
    Open(String),
    Nothing,
    Possible,
    Outside,
}

impl Lost {
    fn words(&self) -> String {
        match self {
            Self::Open(reason) => format!("has no target now ({reason})"),
            Self::Nothing => "has no target now".to_owned(),
            Self::Possible => "is only possible now".to_owned(),
            Self::Outside => "leads outside of the project now".to_owned(),
        }
    }
}

/// `None` if a place still has a certain target in the project.
fn state_at(graph: &Graph, from: NodeIx, pos: Pos, label: &str) -> Option<Lost> {
    if let Some(open) = graph.unresolved_of(from).find(|open| open.pos == pos && open.name == label) {
        return Some(Lost::Open(open.reason.to_owned()));
    }
    let mut lost = Lost::Nothing;
    for edge in graph.out_edges(from).filter(|edge| is_use(edge.relation) && sites(edge).contains(&pos)) {
        if Graph::is_external(&edge) {
            lost = Lost::Outside;
        } else if edge.tier == EdgeTier::Certain {
            return None;
        } else {
            return Some(Lost::Possible);
        }
    }
    let open = graph.unresolved_of(from).find(|open| open.pos == pos);
    Some(open.map_or(lost, |open| Lost::Open(open.reason.to_owned())))
}

/// References of an edited file without a target, more of a name than before.
fn new_open_references(
    before: &Snapshot,
    (after, facts): (&Snapshot, &mut Arguments<'_>),
    path: &RepoPath,
    check: &mut GraphCheck,
) {
    let (old, new) = (before.graph(), after.graph());
    let resolved = resolved_names(old, path);
    let mut known = open_counts(old, path);
    // In a file where every name was known, one that nothing defines is a mistake, not one that this index cannot see.
    let unclear: FxHashSet<&str> =
        nodes_of(old, path).into_iter().flat_map(|node| old.unresolved_of(node)).map(|open| open.reason).collect();
    let was_read = old.find_file(path.as_str()).is_some();
    for node in nodes_of(new, path) {
        let doubtful = misspelled_outside(old, (new, facts), node).into_iter().map(|(name, pos, meant)| Break {
            file: path.as_str().to_owned(),
            line: pos.line,
            kind: BreakKind::LostReference,
            from: new.id(node).to_owned(),
            to: name.clone(),
            detail: format!("`{name}` leads outside of the project; `{meant}` was used here"),
        });
        check.doubtful.extend(doubtful);
        for open in new.unresolved_of(node) {
            let count = known.entry(open.name.to_owned()).or_default();
            if *count > 0 {
                *count -= 1;
                continue;
            }
            let meant = if UNTOLD.contains(&open.reason) { None } else { find_misspelled(old, new, node, open.name) };
            if !DEFINITE.contains(&open.reason) && meant.is_none() {
                continue;
            }
            let is_import = open.role == "import";
            let found = Break {
                file: path.as_str().to_owned(),
                line: open.pos.line,
                kind: if is_import { BreakKind::DanglingImport } else { BreakKind::LostReference },
                from: new.id(node).to_owned(),
                to: open.name.to_owned(),
                detail: match meant {
                    Some(meant) => format!("`{}` has no target; `{meant}` was used here", open.name),
                    None => format!("`{}` has no target ({})", open.name, open.reason),
                },
            };
            // A name that meant something in this file before, or an import of the project, cannot be right.
            let is_new_name = was_read
                && !unclear.contains(open.reason)
                && !is_import
                && new.find_labelled(open.name).is_empty()
                && (open.reason == "no_such_member"
                    || facts.uses_of(path.as_str(), open.name, false).contains(&open.pos));
            let is_known = resolved.contains(open.name)
                || meant.is_some()
                || is_new_name
                || (is_import && open.reason == "no_such_member");
            let may_be_there = match open.reason {
                "name_not_found" => has_importing_macro(after, node),
                "no_such_member" => !is_import && is_structural(after, path.as_str()) && has_name(after, open.name),
                _ => false,
            };
            let is_certain = is_known && !may_be_there;
            if is_certain { check.broken.push(found) } else { check.doubtful.push(found) }
        }
    }
}

/// Returns whether the module around a node invokes a macro of the project that has imports in it: in its place, they
/// bring names into the module.
fn has_importing_macro(snapshot: &Snapshot, node: NodeIx) -> bool {
    let graph = snapshot.graph();
    let is_module = |node: &NodeIx| matches!(graph.kind(*node), NodeKind::Module | NodeKind::File);
    let Some(module) = std::iter::once(node).chain(graph.ancestors(node)).find(is_module) else { return false };
    let mut macros = graph.out_edges(module).map(|edge| edge.to).filter(|to| graph.kind(*to) == NodeKind::Macro);
    macros.any(|found| {
        let path = RepoPath::new(graph.path(found)).ok();
        let Some(source) = path.and_then(|path| snapshot.read_file(&path).ok()) else { return false };
        let (first, last) = graph.lines(found);
        let mut body = source.text.lines().skip(first.saturating_sub(1) as usize).take((last - first + 1) as usize);
        body.any(|line| line.trim_start().trim_start_matches("pub ").starts_with("use "))
    })
}

fn open_counts(graph: &Graph, path: &RepoPath) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for node in nodes_of(graph, path) {
        for open in graph.unresolved_of(node) {
            *counts.entry(open.name.to_owned()).or_default() += 1;
        }
    }
    counts
}

/// Names that had a certain target in the project, or that the file defines.
fn resolved_names<'g>(graph: &'g Graph, path: &RepoPath) -> FxHashSet<&'g str> {
    let mut names = FxHashSet::default();
    for node in nodes_of(graph, path) {
        names.insert(graph.label(node));
        let edges = graph.out_edges(node).filter(|edge| edge.tier == EdgeTier::Certain && is_use(edge.relation));
        names.extend(edges.filter(|edge| !Graph::is_external(edge)).map(|edge| graph.label(edge.to)));
    }
    names
}

fn lost_overrides(
    before: &Snapshot,
    (after, facts): (&Snapshot, &mut Arguments<'_>),
    path: &RepoPath,
    check: &mut GraphCheck,
) {
    let (old, new) = (before.graph(), after.graph());
    for node in nodes_of(old, path) {
        let ends = old.in_edges(node).map(|edge| (edge, edge.from, node));
        let starts = old.out_edges(node).map(|edge| (edge, node, edge.to));
        for (edge, method, base) in ends.chain(starts) {
            if edge.relation != Relation::Overrides || edge.tier != EdgeTier::Certain {
                continue;
            }
            let (Some(method), base_now) = (new.find(old.id(method)), new.find(old.id(base))) else { continue };
            let holds = new.out_edges(method).any(|edge| edge.relation == Relation::Overrides);
            if !holds {
                let why = if base_now.is_some() { "does not override it any more" } else { "which is gone" };
                // An `impl` of a trait has nothing but what the trait declares.
                let only_declared = |file: &FileEntry| EditRules::of(file.language).types.implements_only_declared;
                let is_of_trait = after.file_of(method).is_some_and(only_declared);
                let has_trait = old.parent(base).is_some_and(|owner| new.find(old.id(owner)).is_some());
                let is_certain = is_of_trait && has_trait && base_now.is_none() || is_refused(after, facts, method);
                let list = if is_certain { &mut check.broken } else { &mut check.doubtful };
                let detail = format!("overrode `{}`: {why}", old.id(base));
                list.push(lost_override(new, method, old.id(base), detail));
            }
        }
    }
}

/// A finding about a method in the place of one of a base.
pub(super) fn lost_override(graph: &Graph, at: NodeIx, to: &str, detail: String) -> Break {
    Break {
        file: graph.path(at).to_owned(),
        line: graph.name_line(at),
        kind: BreakKind::LostOverride,
        from: graph.id(at).to_owned(),
        to: to.to_owned(),
        detail,
    }
}

pub(super) fn is_use(relation: Relation) -> bool {
    !matches!(
        relation,
        Relation::Contains | Relation::Tests | Relation::Documents | Relation::Overrides | Relation::RelatesTo
    )
}

fn blast(snapshot: &Snapshot, path: &RepoPath) -> Blast {
    let graph = snapshot.graph();
    let mut files: BTreeSet<&str> = BTreeSet::new();
    for node in nodes_of(graph, path) {
        files.extend(graph.in_edges(node).filter(|edge| is_use(edge.relation)).map(|edge| graph.path(edge.from)));
    }
    files.remove(path.as_str());
    files.remove("");
    let top = files.iter().take(5).map(|file| (*file).to_owned()).collect();
    Blast { file: path.as_str().to_owned(), reachable_files: files.len(), top }
}

/// Files that a file imports.
fn imports<'g>(graph: &'g Graph, path: &str) -> BTreeSet<&'g str> {
    let Some(file) = graph.find_file(path) else { return BTreeSet::new() };
    let edges = graph.of_file(file).into_iter().flat_map(|node| graph.out_edges(node).collect::<Vec<_>>());
    let imported = edges.filter(|edge| edge.relation == Relation::Imports && edge.tier == EdgeTier::Certain);
    imported.map(|edge| graph.path(edge.to)).filter(|to| !to.is_empty() && *to != path).collect()
}

/// A cycle through an import that the file did not have before. Every import on it runs when its file is loaded.
fn new_cycle(
    before: &Snapshot,
    (after, facts): (&Snapshot, &mut Arguments<'_>),
    path: &RepoPath,
) -> Option<Vec<String>> {
    // Modules of a crate import each other as a matter of course.
    if after.files().get(path).is_none_or(|file| EditRules::of(file.language).types.has_import_cycles) {
        return None;
    }
    let graph = after.graph();
    let (old, new) = (imports(before.graph(), path.as_str()), imports(graph, path.as_str()));
    let mut unused = FxHashSet::default();
    for to in new.into_iter().filter(|to| !old.contains(*to)) {
        for _ in 0..MAX_WAYS {
            let Some(way) = way_back(graph, to, path.as_str(), &unused) else { break };
            let mut hops = way.windows(2).map(|hop| (hop[0].clone(), hop[1].clone()));
            match hops.find(|(from, to)| may_not_run(graph, facts, from, to)) {
                // A new file on a cycle that was there makes no new one.
                None if was_cycle(before.graph(), &way) => break,
                None => return Some(way),
                Some(first) if first.0 == path.as_str() => break,
                Some(hop) => drop(unused.insert(hop)),
            }
        }
    }
    None
}

/// Returns whether the files of a cycle imported each other in this order before, without those that are new.
fn was_cycle(old: &Graph, way: &[String]) -> bool {
    let mut known: Vec<&String> = way.iter().skip(1).filter(|path| old.find_file(path).is_some()).collect();
    known.extend(known.first().copied());
    known.len() > 2 && known.windows(2).all(|hop| imports(old, hop[0]).contains(hop[1].as_str()))
}

/// Returns whether no import of a file by another runs for certain when that is loaded.
fn may_not_run(graph: &Graph, facts: &mut Arguments<'_>, from: &str, to: &str) -> bool {
    let Some(file) = graph.find_file(from) else { return true };
    let edges = graph.of_file(file).into_iter().flat_map(|node| graph.out_edges(node).collect::<Vec<_>>());
    let mut places = edges
        .filter(|edge| edge.relation == Relation::Imports && edge.tier == EdgeTier::Certain)
        .filter(|edge| graph.path(edge.to) == to)
        .flat_map(|edge| sites(&edge))
        .peekable();
    places.peek().is_some() && places.all(|pos| facts.may_not_run(from, pos.line))
}

/// The files of the shortest way of imports from one file to another, without some steps.
fn way_back(graph: &Graph, from: &str, to: &str, unused: &FxHashSet<(String, String)>) -> Option<Vec<String>> {
    let mut reached: FxHashMap<String, String> = FxHashMap::default();
    let mut queue = std::collections::VecDeque::from([from.to_owned()]);
    while let Some(next) = queue.pop_front() {
        if next == to {
            let mut way = vec![to.to_owned()];
            let mut at = &next;
            while let Some(before) = reached.get(at).filter(|_| at != from) {
                way.push(before.clone());
                at = before;
            }
            way.push(to.to_owned());
            way.reverse();
            return Some(way);
        }
        for imported in imports(graph, &next) {
            let is_new = imported != from && !reached.contains_key(imported);
            let is_used = is_new && !unused.contains(&(next.clone(), imported.to_owned()));
            if is_used && reached.len() < MAX_VISITED {
                reached.insert(imported.to_owned(), next.clone());
                queue.push_back(imported.to_owned());
            }
        }
    }
    None
}

/// Calls whose number of arguments does not fit, and did before or were not there.
fn argument_counts(
    (before, old): (&Snapshot, &mut Arguments<'_>),
    (after, new): (&Snapshot, &mut Arguments<'_>),
    edited: &[EditedFile<'_>],
    cancel: &Cancel,
    check: &mut GraphCheck,
) -> Result<(), Cancelled> {
    let paths: FxHashSet<&str> = edited.iter().map(|file| file.path.as_str()).collect();
    let graph = after.graph();
    for file in edited {
        for node in nodes_of(graph, file.path) {
            cancel.check()?;
            // Callers of a definition that takes other arguments now.
            if let Some(counts) = new.counts(node)
                && let Some(known) = before.graph().find(graph.id(node))
                && let Some(known_counts) = old.counts(known)
                && (known_counts != counts || old.parameters(known) != new.parameters(node))
            {
                let calls = |edge: &EdgeRef<'_>| edge.relation == Relation::Calls;
                for edge in graph.in_edges(node).filter(calls).collect::<Vec<_>>() {
                    let found = misfits(graph, &edge, counts, new);
                    check.sites.add(graph, &edge, found.len(), new);
                    if !paths.contains(graph.path(edge.from)) {
                        check.broken.extend(found);
                    }
                }
            }
            // Calls in an edited file.
            let edges: Vec<EdgeRef<'_>> = graph.out_edges(node).collect();
            check.broken.extend(overloads(before, graph, (node, &edges), new));
            for edge in edges.iter().filter(|edge| edge.relation == Relation::Calls) {
                let Some(counts) = new.counts(edge.to) else { continue };
                let found = misfits(graph, edge, counts, new);
                if found.len() > misfits_before(before, graph, edge, old) {
                    check.broken.extend(found);
                }
            }
        }
    }
    Ok(())
}

/// Calls of a node that are only possible, fit none of their targets, and were certain before: to a name of a target.
fn overloads(
    before: &Snapshot,
    graph: &Graph,
    (node, edges): (NodeIx, &[EdgeRef<'_>]),
    arguments: &mut Arguments<'_>,
) -> Vec<Break> {
    let known = before.graph();
    let Some(old) = counterpart(known, graph, node) else { return Vec::new() };
    let was_certain = |label: &str| {
        let mut calls = known.out_edges(old).filter(|edge| edge.relation == Relation::Calls);
        calls.any(|edge| edge.tier == EdgeTier::Certain && known.label(edge.to) == label)
    };
    let possible = edges.iter().filter(|edge| edge.relation == Relation::Calls && edge.tier == EdgeTier::Possible);
    let places: BTreeSet<Pos> = possible.filter(|edge| was_certain(graph.label(edge.to))).flat_map(sites).collect();
    places.into_iter().filter_map(|pos| fits_none(graph, (node, pos), arguments)).collect()
}

/// Number of calls between the same nodes that did not fit before.
fn misfits_before(before: &Snapshot, graph: &Graph, edge: &EdgeRef<'_>, old: &mut Arguments<'_>) -> usize {
    let known = before.graph();
    let of = |node| counterpart(known, graph, node);
    let (Some(from), Some(to)) = (of(edge.from), of(edge.to)) else { return 0 };
    let Some(counts) = old.counts(to) else { return 0 };
    let edges: Vec<EdgeRef<'_>> = known.out_edges(from).filter(|edge| edge.to == to).collect();
    edges.iter().map(|edge| misfits(known, edge, counts, old).len()).sum()
}

/// Calls of an edge with a number of arguments that its target does not take.
fn misfits(graph: &Graph, edge: &EdgeRef<'_>, counts: Counts, arguments: &mut Arguments<'_>) -> Vec<Break> {
    if edge.relation != Relation::Calls || edge.tier != EdgeTier::Certain {
        return Vec::new();
    }
    let file = graph.path(edge.from).to_owned();
    let label = graph.label(edge.to);
    let misfit = |pos: Pos| {
        let given = arguments.count_given(&file, pos)?;
        let (kind, detail) = match arguments.keyword_misfit(edge.to, &file, pos) {
            _ if !counts.fits(given) => {
                (BreakKind::ArgumentCount, format!("`{label}` takes {counts}, the call has {given}"))
            }
            Some(why) => (BreakKind::ArgumentName, format!("`{label}` {why}")),
            None => return None,
        };
        let (from, to) = (graph.id(edge.from).to_owned(), graph.id(edge.to).to_owned());
        Some(Break { file: file.clone(), line: pos.line, kind, from, to, detail })
    };
    sites(edge).into_iter().filter_map(misfit).collect()
}
