//! Converts the resolved references of a file to its nodes and edges.

use std::collections::BTreeMap;

use m1nd_base::{EdgeTier, Pos, Problem, Relation};
use m1nd_lang::facts::{DefId, Role};
use rustc_hash::FxHashSet;

use crate::edges::derived::Derived;
use crate::file_links::{Resolution, Target};
use crate::ids::{self, GeneratedFunctions, SymbolId};
use crate::links::{Compared, FileLinks, LinkEdge, LinkNode, TierCounts, Unresolved};
use crate::project::Project;
use crate::tables::files::FileId;

/// The links of a file before packages outside have their ids.
pub(crate) struct RawLinks {
    links: FileLinks,
    /// Edges whose target is a package: place among the edges, node id text.
    packages: Vec<(u32, String)>,
}

/// Gives the packages that edges lead to their ids.
pub(crate) fn name_rest(project: &Project, raw: RawLinks) -> FileLinks {
    let RawLinks { mut links, packages } = raw;
    for (place, id) in packages {
        links.edges[place as usize].to = project.symbols.intern(&id);
    }
    links
}

/// An edge's key while edges are gathered.
type EdgeKey = (SymbolId, Target, Relation, EdgeTier);

/// The references behind an edge while edges are gathered.
#[derive(Debug, Default)]
struct Gathered {
    of: u16,
    dispatches: bool,
    compiler: bool,
    reads: bool,
    sites: Vec<Pos>,
}

impl Gathered {
    fn add(&mut self, of: u16, site: Pos) {
        self.of = self.of.max(of);
        self.sites.push(site);
    }
}

/// Assembles a file's links. The second part of `derived` comes from a compiler index; `texts` are no references and
/// count as none.
#[expect(clippy::too_many_arguments, reason = "each is a part of the links that another module found")]
pub(crate) fn assemble(
    project: &Project,
    file: FileId,
    resolutions: Vec<Resolution<'_>>,
    derived: (Vec<Derived>, Vec<Derived>),
    texts: Vec<Unresolved>,
    compared: Option<Box<Compared>>,
    (generated, routes): (&GeneratedFunctions, &FxHashSet<SymbolId>),
    problems: Vec<Problem>,
) -> RawLinks {
    let mut counts = TierCounts::default();
    let mut unresolved = Vec::new();
    let mut gathered: BTreeMap<EdgeKey, Gathered> = BTreeMap::new();
    let mut members = 0;
    for mut resolution in resolutions {
        add_members(&mut resolution, &mut gathered, &mut members);
        match (resolution.tier, resolution.reason) {
            // The file behind a named import is an edge of its own, not a reference of its own.
            (Some(EdgeTier::Certain), _) if resolution.name.is_empty() => {}
            (Some(EdgeTier::Certain), _) => counts.certain += 1,
            (Some(EdgeTier::Possible), _) => counts.possible += 1,
            (Some(EdgeTier::External), _) => counts.external += 1,
            (None, Some(_)) if resolution.is_implicit => {}
            (None, Some(_)) => counts.unresolved += 1,
            (None, None) => {}
        }
        if let Some(reason) = resolution.reason {
            let name = project.names.intern(resolution.name);
            let Resolution { from, role, pos, .. } = resolution;
            unresolved.push(Unresolved { from, name, role, reason, pos });
        }
        if let Some(tier) = resolution.tier {
            add_edges(resolution, tier, &mut gathered);
        }
    }
    for edge in derived.0 {
        let key = (edge.from, edge.to, edge.relation, edge.tier);
        gathered.entry(key).or_default().add(edge.of, edge.pos);
    }
    for edge in derived.1 {
        settle(&mut gathered, edge);
    }
    let nodes = nodes(project, file, generated, &|symbol| routes.contains(&symbol));
    for node in &nodes[1..] {
        let parent = node.parent.map_or(nodes[0].id, |parent| nodes[parent as usize].id);
        gathered.entry((parent, Target::Symbol(node.id), Relation::Contains, EdgeTier::Certain)).or_default().of = 1;
    }
    let (edges, sites, packages) = in_order(project, gathered);
    let path = project.path(file).clone();
    unresolved.extend(texts);
    unresolved.sort_by_key(|row| row.pos);
    unresolved.shrink_to_fit();
    let links = FileLinks { path, is_test: false, nodes, edges, sites, unresolved, counts, compared, problems };
    RawLinks { links, packages }
}

/// Adds the edges of one tier from a reference to its targets.
fn add_edges(row: Resolution<'_>, tier: EdgeTier, gathered: &mut BTreeMap<EdgeKey, Gathered>) {
    let of = match tier {
        EdgeTier::Certain => 1,
        EdgeTier::Possible | EdgeTier::External => u16::try_from(row.targets.len()).unwrap_or(u16::MAX),
    };
    let also = row.also.into_iter().map(|symbol| (Target::Symbol(symbol), 1));
    for (target, of) in row.targets.into_iter().map(|target| (target, of)).chain(also) {
        let reads = row.role == Some(Role::Read);
        if row.exercises {
            gathered.entry((row.from, target.clone(), Relation::Tests, tier)).or_default().add(of, row.pos);
        }
        let edge = gathered.entry((row.from, target, row.relation, tier)).or_default();
        edge.add(of, row.pos);
        edge.reads |= reads;
        edge.dispatches |= row.dispatches;
        edge.compiler |= row.compiler;
    }
}

/// Maximum edges from one file to members of external packages; further references only lead to the package.
const MOST_MEMBER_EDGES: usize = 4_096;

/// Adds the edges from a reference to members of external packages, in addition to those to the packages.
fn add_members(row: &mut Resolution<'_>, gathered: &mut BTreeMap<EdgeKey, Gathered>, count: &mut usize) {
    let tier = if row.members.open { EdgeTier::Possible } else { EdgeTier::External };
    let of = u16::try_from(row.members.paths.len() + row.targets.len()).unwrap_or(u16::MAX);
    for path in std::mem::take(&mut row.members.paths) {
        let key = (row.from, Target::Member(path), row.relation, tier);
        if *count >= MOST_MEMBER_EDGES && !gathered.contains_key(&key) {
            continue;
        }
        let edge = gathered.entry(key).or_insert_with(|| {
            *count += 1;
            Gathered::default()
        });
        edge.add(if row.members.open { of } else { 1 }, row.pos);
        edge.compiler |= row.compiler;
    }
}

/// Adds an edge that a compiler index is sure of. It takes the place of one that was only possible.
fn settle(gathered: &mut BTreeMap<EdgeKey, Gathered>, edge: Derived) {
    let doubted = (edge.from, edge.to.clone(), edge.relation, EdgeTier::Possible);
    let doubted = gathered.remove(&doubted);
    let row = gathered.entry((edge.from, edge.to, edge.relation, edge.tier)).or_default();
    row.sites.extend(doubted.into_iter().flat_map(|doubted| doubted.sites));
    if row.sites.is_empty() {
        row.sites.push(edge.pos);
    }
    (row.of, row.compiler) = (edge.of, true);
}

/// Edges in order of their ends' id texts; targets that are packages get their ids later.
fn in_order(project: &Project, gathered: BTreeMap<EdgeKey, Gathered>) -> (Vec<LinkEdge>, Vec<Pos>, Vec<(u32, String)>) {
    let mut rows: Vec<_> = gathered.into_iter().collect();
    let text = |symbol: &SymbolId| project.symbols.text(*symbol);
    rows.sort_by(|((from, to, relation, tier), _), ((from2, to2, relation2, tier2), _)| {
        let first =
            text(from).cmp(text(from2)).then_with(|| to.text(&project.symbols).cmp(&to2.text(&project.symbols)));
        first.then_with(|| (relation, tier).cmp(&(relation2, tier2)))
    });
    let mut packages = Vec::new();
    let mut all_sites = Vec::with_capacity(rows.iter().map(|(_, row)| row.sites.len()).sum());
    let edges = rows.into_iter().enumerate().map(|(place, ((from, to, relation, tier), row))| {
        let Gathered { of, dispatches, compiler, reads, mut sites } = row;
        sites.sort_unstable();
        sites.dedup();
        let to = match to {
            Target::Symbol(symbol) => symbol,
            outside => {
                packages.push((place as u32, outside.text(&project.symbols).into_owned()));
                from
            }
        };
        let start = all_sites.len() as u32;
        all_sites.append(&mut sites);
        let sites = (start, all_sites.len() as u32 - start);
        LinkEdge { from, to, relation, tier, of, dispatches, compiler, reads, sites }
    });
    let edges = edges.collect();
    (edges, all_sites, packages)
}

/// A file's nodes: each id once, with the first definition that has it.
pub(crate) fn nodes(
    project: &Project,
    file: FileId,
    generated: &GeneratedFunctions,
    is_route: &dyn Fn(SymbolId) -> bool,
) -> Vec<LinkNode> {
    let unit = project.unit(file);
    let mut nodes =
        vec![LinkNode { id: unit.file_symbol, definition: None, parent: None, is_test: false, route: None }];
    let mut place: rustc_hash::FxHashMap<SymbolId, u32> = rustc_hash::FxHashMap::default();
    for (index, definition) in unit.facts.definitions.iter().enumerate() {
        let of_macro = generated.get(&DefId(index as u32));
        let Some(id) = unit.symbols[index].or(of_macro.map(|of| of.symbol)) else { continue };
        if let Some(&known) = place.get(&id) {
            // The node is represented by the definition with a body, not by a mere declaration.
            let first = &mut nodes[known as usize].definition;
            if first.is_some_and(|first| unit.facts.definition(first).flags.is_declaration)
                && !definition.flags.is_declaration
            {
                *first = Some(DefId(index as u32));
            }
            continue;
        }
        let parent = ids::node_owner(&unit.facts, definition)
            .and_then(|owner| unit.symbols[owner.index()])
            .and_then(|owner| place.get(&owner).copied())
            .unwrap_or(0);
        place.insert(id, nodes.len() as u32);
        let is_test = of_macro.is_some_and(|of| of.is_test);
        nodes.push(LinkNode { id, definition: Some(DefId(index as u32)), parent: Some(parent), is_test, route: None });
    }
    let routes = unit.spots.routes.iter().map(|spot| (spot.symbol, spot.pos.line));
    let points = unit.spots.points.iter().map(|point| (point.symbol, point.pos.line));
    for (symbol, line) in routes.chain(points).filter(|(symbol, _)| is_route(*symbol)) {
        if place.insert(symbol, 0).is_none() {
            nodes.push(LinkNode { id: symbol, definition: None, parent: Some(0), is_test: false, route: Some(line) });
        }
    }
    nodes
}
