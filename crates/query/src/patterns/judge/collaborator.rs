//! Decides whether an object constructed by code is a collaborator that should be injectable: something with external
//! effects on files, the network, other processes, the clock or randomness. Values, collections and pure computation
//! need not be.

use m1nd_base::node_id;
use m1nd_base::{EdgeTier, NodeKind, Pos, Relation};
use m1nd_graph::{EdgeRef, NodeIx};
use m1nd_lang::patterns::{Effects, SyntaxMatch, effects};
use rustc_hash::FxHashSet;

use super::{Judge, MAX_MEMBERS, Verdict};
use crate::bases::implemented_type;
use crate::calls::{Along, Direction, is_test, walk};
use crate::patterns::matching::Raw;

/// Maximum calls from a member to the function with the effect: only a near effect defines a type. A random number
/// drawn far down makes no collaborator of a value.
const EFFECT_STEPS: usize = 1;
/// Types that a type gets members from.
const MAX_BASES: usize = 16;

/// A name in a package outside as code would write it.
fn outside_name(id: &str) -> &str {
    node_id::outside_path(id).unwrap_or(id)
}

impl<'s> Judge<'s> {
    pub(super) fn collaborator(&mut self, raw: &Raw, found: &SyntaxMatch) -> Verdict {
        let (Some(call), Some(effects)) = (&found.call, effects(raw.language)) else {
            return Verdict::leave_undecided("what is made here is not known");
        };
        if self.puts_program_together(raw) {
            return Verdict::mitigate("made where the program is put together, beside its `main`");
        }
        let targets = self.targets(raw, |pos| call.holds(pos));
        if let Some(made) = targets.iter().find_map(|edge| self.made_by(edge)) {
            return self.made_here(made, effects);
        }
        let outside = targets.iter().filter(|edge| edge.tier == EdgeTier::External);
        if let Some(edge) = outside.clone().find(|edge| effects.knows(outside_name(self.graph.id(edge.to)))) {
            let name = outside_name(self.graph.id(edge.to));
            return Verdict::confirm(format!("`{name}` reaches out of the program")).with([edge.to], "calls");
        }
        // Both the package and its used member are targets: the latter has the longer name.
        match outside.max_by_key(|edge| self.graph.id(edge.to).len()) {
            Some(edge) => {
                let name = outside_name(self.graph.id(edge.to));
                let open =
                    format!("`{name}` is of a package outside: whether it reaches out of the program is not known");
                Verdict::leave_undecided(open).with([edge.to], "calls")
            }
            None => Verdict::leave_undecided("what is made here is not known"),
        }
    }

    /// Returns whether the file of a match starts the program: what it makes is given to others.
    fn puts_program_together(&self, raw: &Raw) -> bool {
        let graph = self.graph;
        let Some(file) = graph.find_file(raw.path.as_str()) else { return false };
        let is_main = |node: &NodeIx| {
            graph.label(*node) == "main" && graph.kind(*node) == NodeKind::Function && graph.parent(*node) == Some(file)
        };
        graph.of_file(file).iter().any(is_main)
    }

    /// Targets of code at some positions of a file, in order.
    fn targets(&self, raw: &Raw, holds: impl Fn(Pos) -> bool) -> Vec<EdgeRef<'s>> {
        let graph = self.graph;
        let Some(file) = graph.find_file(raw.path.as_str()) else { return Vec::new() };
        let mut found: Vec<(Pos, EdgeRef<'s>)> = Vec::new();
        for node in graph.of_file(file).into_iter().chain([file]) {
            for edge in graph.out_edges(node) {
                let leads = matches!(edge.relation, Relation::Calls | Relation::References);
                let site = edge.sites.iter().filter(|site| holds(*site)).min();
                if let Some(site) = site.filter(|_| leads && edge.tier != EdgeTier::Possible) {
                    found.push((site, edge));
                }
            }
        }
        found.sort_by(|(a, one), (b, other)| (a, graph.id(one.to)).cmp(&(b, graph.id(other.to))));
        found.into_iter().map(|(_, edge)| edge).collect()
    }

    /// The type that is made by calling a target.
    fn made_by(&self, edge: &EdgeRef<'_>) -> Option<NodeIx> {
        let graph = self.graph;
        if edge.tier != EdgeTier::Certain {
            return None;
        }
        let is_type = |node: NodeIx| matches!(graph.kind(node), NodeKind::Class | NodeKind::Struct | NodeKind::Enum);
        match graph.kind(edge.to) {
            _ if is_type(edge.to) => Some(edge.to),
            NodeKind::Function => {
                let parent = graph.parent(edge.to)?;
                match graph.kind(parent) {
                    NodeKind::Impl => graph
                        .out_edges(parent)
                        .map(|edge| edge.to)
                        .find(|&node| is_type(node) && implemented_type(graph.label(parent)) == graph.label(node))
                        .or(Some(parent)),
                    _ if is_type(parent) => Some(parent),
                    _ => self.result_of(edge.to).filter(|node| is_type(*node)),
                }
            }
            _ => None,
        }
    }

    /// The type that the signature of a function names as its result.
    fn result_of(&self, function: NodeIx) -> Option<NodeIx> {
        let graph = self.graph;
        let signature = graph.signature(function).trim_end().trim_end_matches('{').trim_end();
        let tail = match signature.rsplit_once("->") {
            Some((_, result)) => result,
            None => signature.trim_end_matches(')').rsplit_once(')').map_or("", |(_, result)| result),
        };
        let words: FxHashSet<&str> = tail.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        graph.out_edges(function).map(|edge| edge.to).find(|node| words.contains(graph.label(*node)))
    }

    fn made_here(&mut self, made: NodeIx, effects: &'static Effects) -> Verdict {
        let graph = self.graph;
        let label = graph.label(made);
        let types = self.with_bases(made);
        let base = types.iter().flat_map(|&one| graph.out_edges(one)).find(|edge| {
            edge.relation == Relation::Inherits
                && edge.tier == EdgeTier::External
                && effects.knows(outside_name(graph.id(edge.to)))
        });
        if let Some(base) = base {
            let name = outside_name(graph.id(base.to));
            return Verdict::confirm(format!("`{label}` is a `{name}`, which reaches out of the program"))
                .with([made, base.to], "inherits");
        }
        let mut starts: Vec<NodeIx> = types.iter().flat_map(|&one| graph.with_members(one, MAX_MEMBERS)).collect();
        starts.extend(types.iter().flat_map(|&one| self.with_receiver(one)).take(MAX_MEMBERS));
        starts.retain(|node| graph.kind(*node) == NodeKind::Function && !is_test(graph, *node));
        let reaches = |node: NodeIx| self.outside_call(node, effects).is_some();
        let walked = walk(graph, &starts, (Direction::Called, Along::Certain), EFFECT_STEPS, &reaches);
        if let Some((_, hit, _)) = walked.hit {
            let name = self.outside_call(hit, effects).map(|to| outside_name(graph.id(to))).unwrap_or_default();
            return reaching(label, graph.label(hit), name).with([made, hit], "calls");
        }
        if let Some(written) = effects.written {
            for node in starts.into_iter().chain(walked.passed) {
                if self.writes_call(node, written) {
                    return reaching(label, graph.label(node), "").with([made, node], "calls");
                }
            }
        }
        let reason = format!("nothing that `{label}` is known to call reaches out of the program");
        Verdict::false_positive(reason).with([made], "calls")
    }

    /// A type, the types that it gets members from, and the blocks that add members to them.
    fn with_bases(&self, made: NodeIx) -> Vec<NodeIx> {
        let graph = self.graph;
        let (mut types, mut at) = (vec![made], 0);
        while let Some(&one) = types.get(at).filter(|_| at < MAX_BASES) {
            at += 1;
            let bases = graph
                .out_edges(one)
                .filter(|edge| edge.relation == Relation::Inherits && edge.tier == EdgeTier::Certain)
                .map(|edge| edge.to);
            let blocks = graph.in_edges(one).map(|edge| edge.from).filter(|&from| {
                graph.kind(from) == NodeKind::Impl && implemented_type(graph.label(from)) == graph.label(one)
            });
            for other in bases.chain(blocks) {
                if !types.contains(&other) {
                    types.push(other);
                }
            }
        }
        types
    }

    /// Functions declared with the type as receiver, such as methods in Go.
    fn with_receiver(&self, of: NodeIx) -> Vec<NodeIx> {
        let graph = self.graph;
        let method = node_id::owned_infix("impl", graph.label(of), "fn");
        let users = graph.in_edges(of).map(|edge| edge.from);
        let mut found: Vec<NodeIx> = users.filter(|from| graph.id(*from).contains(&method)).collect();
        found.sort_by(|a, b| graph.id(*a).cmp(graph.id(*b)));
        found.dedup();
        found
    }

    /// Direct calls of a function with external effects.
    fn outside_call(&self, node: NodeIx, effects: &Effects) -> Option<NodeIx> {
        let calls = self.graph.out_edges(node);
        let outside = calls.filter(|edge| edge.tier == EdgeTier::External && edge.relation == Relation::Calls);
        outside.map(|edge| edge.to).find(|to| effects.knows(outside_name(self.graph.id(*to))))
    }

    /// Returns whether a function holds a match at the place of a name from outside: a name declared here is not
    /// that.
    fn writes_call(&mut self, node: NodeIx, written: &'static str) -> bool {
        let graph = self.graph;
        let outside = graph.out_edges(node).filter(|edge| edge.tier == EdgeTier::External);
        let sites: Vec<Pos> = outside.flat_map(|edge| edge.sites.iter()).collect();
        if sites.is_empty() {
            return false;
        }
        let Some(found) = graph.file(node).and_then(|file| self.matches_in(file, written)) else { return false };
        found.iter().any(|one| sites.iter().any(|site| one.found.holds(*site) && site.line == one.found.start.line))
    }
}

fn reaching(label: &str, worker: &str, name: &str) -> Verdict {
    match name {
        "" => Verdict::confirm(format!("`{label}` reaches out of the program: in `{worker}`")),
        _ => Verdict::confirm(format!("`{label}` reaches out of the program: `{worker}` calls `{name}`")),
    }
}
