//! Judges matches with the graph.
//!
//! For every pattern: a match in test code is a false positive; one in third-party code, or in an example or
//! benchmark that no shipped code uses, is mitigated; so is one in a private function or file that only tests use.
//! Other matches are judged by [`Check`]. "Confirmed" means that no known fact speaks against the match; if a possible
//! edge or an unresolved reference might, `open` names it, and a match that rests on the graph alone stays unvalidated.

use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled, Deadline, EdgeTier, NodeKind, Pos, Relation, RepoPath};
use m1nd_graph::{EdgeRef, Graph, NodeFlags, NodeIx};
use m1nd_lang::edit_rules::EditRules;
use m1nd_lang::patterns::{Check, Extent, Names, SyntaxFile, SyntaxMatch, SyntaxQuery, handing_calls, speaks_of_auth};
use rustc_hash::{FxHashMap, FxHashSet};

use super::aside::Aside;
use super::matching::{MatchSite, Raw};
use super::{ContextNode, Finding, FindingStatus, rests_on_graph};
use crate::calls::{Along, Direction, is_test, walk};
use crate::closure::{Hiding, Rows, hiding};
use m1nd_engine::Snapshot;
use m1nd_engine::{Language, ReadingRules};

mod collaborator;
mod values;

/// Steps from a function to a test that runs it.
const TEST_STEPS: usize = 4;
/// Steps from a handler to a check of who comes.
const AUTH_STEPS: usize = 3;
/// Nodes that are named as evidence.
const MAX_CONTEXT: usize = 3;
/// Maximum members of a class that are examined.
const MAX_MEMBERS: usize = 200;
/// Share of the exported things of a file that are documented where one without a comment stands out.
const LEAST_DOCUMENTED: (usize, usize) = (3, 4);
/// Fewest other exported things of a file that show whether it documents them.
const LEAST_EXPORTED: usize = 4;
/// Names that mean the same in every program of a language.
const SELF_EXPLAINING: &[&str] = &[
    "main", "new", "default", "fmt", "drop", "clone", "from", "into", "Error", "Unwrap", "Is", "As", "String",
    "GoString", "Len", "Less", "Swap", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "Read", "Write",
    "Close", "ServeHTTP", "toString", "equals", "hashCode", "compareTo", "close", "run", "accept", "apply", "iterator",
];
/// Steps from a function to the `main` of a program.
const MAIN_STEPS: usize = 12;
/// Names of outside code that runs programs.
const RUNS_PROGRAMS: &[&str] = &[
    "subprocess", "pexpect", "assert_cmd", "std::process::Command", "process::Command", "os/exec", "child_process",
    "execa", "ProcessBuilder", "CliRunner", "trycmd", "snapbox",
];
/// Maximum files re-read per scan for the bodies of their functions.
const MAX_FILES_READ: usize = 2_000;

/// Verdict on a match.
struct Verdict {
    status: FindingStatus,
    reason: String,
    open: Option<String>,
    context: Vec<ContextNode>,
}

impl Verdict {
    fn new(status: FindingStatus, reason: impl Into<String>) -> Self {
        Self { status, reason: reason.into(), open: None, context: Vec::new() }
    }

    fn confirm(reason: impl Into<String>) -> Self {
        Self::new(FindingStatus::Confirmed, reason)
    }

    fn mitigate(reason: impl Into<String>) -> Self {
        Self::new(FindingStatus::Mitigated, reason)
    }

    fn false_positive(reason: impl Into<String>) -> Self {
        Self::new(FindingStatus::FalsePositive, reason)
    }

    /// A match for which the graph cannot decide whether the pattern applies.
    fn leave_undecided(open: impl Into<String>) -> Self {
        Self::new(FindingStatus::Unvalidated, "as written").open(open)
    }

    fn open(mut self, open: impl Into<String>) -> Self {
        self.open = Some(open.into());
        self
    }

    fn with(mut self, nodes: impl IntoIterator<Item = NodeIx>, relation: &'static str) -> Self {
        let known = self.context.len();
        let nodes = nodes.into_iter().take(MAX_CONTEXT.saturating_sub(known));
        self.context.extend(nodes.map(|node| ContextNode { node, relation }));
        self
    }
}

/// Calls written in some pieces of a file.
#[derive(Default)]
struct Called {
    certain: Vec<NodeIx>,
    /// Some call has several candidates, or none.
    unknown: bool,
    external: bool,
}

/// Judges matches, and caches the files it had to read.
pub(super) struct Judge<'s> {
    snapshot: &'s Snapshot,
    graph: &'s Graph,
    cancel: &'s Cancel,
    until: Deadline,
    files_read: usize,
    late: bool,
    aside: Aside,
    tests_run_programs: Option<bool>,
    queries: FxHashMap<(Language, &'static str), Option<Arc<SyntaxQuery>>>,
    found: FxHashMap<(NodeIx, &'static str), Option<Arc<Vec<SyntaxMatch>>>>,
}

impl<'s> Judge<'s> {
    pub(super) fn new(snapshot: &'s Snapshot, cancel: &'s Cancel, until: Deadline) -> Self {
        let (queries, found) = (FxHashMap::default(), FxHashMap::default());
        Self {
            snapshot,
            graph: snapshot.graph(),
            cancel,
            until,
            files_read: 0,
            late: false,
            aside: Aside::default(),
            tests_run_programs: None,
            queries,
            found,
        }
    }

    /// Returns whether the time ended before all was weighed.
    pub(super) fn is_late(&self) -> bool {
        self.late
    }

    /// The match as it is.
    pub(super) fn leave_unvalidated(&self, raw: &Raw) -> Finding {
        let node = self.subject(raw).or_else(|| self.around(raw));
        finding(raw, node, Verdict::new(FindingStatus::Unvalidated, "not weighed by the graph"))
    }

    /// Judges a match.
    pub(super) fn judge(&mut self, raw: &Raw) -> Result<Finding, Cancelled> {
        self.cancel.check()?;
        let node = self.subject(raw).or_else(|| self.around(raw));
        let verdict = self.verdict(raw, node);
        let mut finding = finding(raw, node, verdict);
        if raw.stale && finding.open.is_none() {
            finding.open = Some("the file changed since it was indexed: the graph may not fit it".to_owned());
        }
        // What is a finding by the graph alone is only confirmed if nothing unknown speaks against it.
        if finding.status == FindingStatus::Confirmed && finding.open.is_some() && rests_on_graph(&raw.check) {
            finding.status = FindingStatus::Unvalidated;
        }
        Ok(finding)
    }

    fn verdict(&mut self, raw: &Raw, node: Option<NodeIx>) -> Verdict {
        let in_test = raw.in_test_file || node.is_some_and(|node| is_test(self.graph, node));
        if in_test {
            let status = if raw.custom { FindingStatus::Mitigated } else { FindingStatus::FalsePositive };
            return Verdict::new(status, "in test code");
        }
        if let Some(reason) = self.aside.reason(self.graph, &raw.path) {
            return Verdict::mitigate(reason);
        }
        if self.until.is_over() {
            self.late = true;
            return Verdict::confirm("as written").open("not weighed: the time budget ended; narrow `scope`");
        }
        let verdict = self.by_check(raw, node);
        if verdict.status == FindingStatus::Confirmed
            && !matches!(raw.check, Check::Tested | Check::Undocumented)
            && let Some(tests) = node.and_then(|node| self.only_tests(node))
        {
            return Verdict::mitigate("only tests call this function").with(tests, "calls");
        }
        verdict
    }

    fn by_check(&mut self, raw: &Raw, node: Option<NodeIx>) -> Verdict {
        let MatchSite::Syntax(found) = &raw.at else {
            return Verdict::confirm("as written; no other rule bears on it");
        };
        match raw.check {
            Check::Plain => Verdict::confirm("as written; what the graph knows has no bearing on it"),
            Check::CalleeDoes { does, handed } => self.callee_does(raw, found, does, handed),
            Check::CallersGuard { guard } => self.callers_guard(raw, found, node, guard),
            Check::ReturnsError { word, outside } => self.returns_error(raw, found, word, outside),
            Check::AskedBefore { asks } => self.asked_before(raw, found, node, asks),
            Check::Shared => self.judge_shared(raw),
            Check::SharedOnceSet { writes, once } => self.shared_once_set(raw, writes, once),
            Check::Exposed => self.judge_exposed(raw),
            Check::Undocumented => self.judge_undocumented(raw),
            Check::ReachesAuth => self.reaches_auth(raw, found),
            Check::Tested => self.judge_tested(raw),
            Check::Collaborator => self.collaborator(raw, found),
        }
    }

    /// The node that the match names, where it is declared.
    fn subject(&self, raw: &Raw) -> Option<NodeIx> {
        let MatchSite::Syntax(found) = &raw.at else { return None };
        let name = found.name.as_deref()?;
        let file = self.graph.find_file(raw.path.as_str())?;
        let line = found.name_at.line;
        let declared = |node: &NodeIx| {
            self.graph.label(*node) == name
                && self.graph.kind(*node) != NodeKind::File
                && (self.graph.name_line(*node) == line || self.graph.lines(*node).0 == line)
        };
        self.graph.of_file(file).into_iter().find(declared)
    }

    /// Innermost symbol around the match, else its file.
    fn around(&self, raw: &Raw) -> Option<NodeIx> {
        self.snapshot.node_at(&raw.path, raw.start().line)
    }

    /// The tests that call a function which nothing else can call.
    fn only_tests(&self, node: NodeIx) -> Option<Vec<NodeIx>> {
        let graph = self.graph;
        if graph.kind(node) != NodeKind::Function || graph.flags(node).has(NodeFlags::EXPORTED) {
            return None;
        }
        let users: Vec<EdgeRef<'_>> = graph.in_edges(node).filter(|edge| edge.relation != Relation::Contains).collect();
        let known = users.iter().all(|edge| edge.tier == EdgeTier::Certain && is_test(graph, edge.from));
        let closed = known && !users.is_empty() && hiding(self.snapshot, node, Rows::Users).is_empty();
        closed.then(|| users.iter().map(|edge| edge.from).collect())
    }

    /// Calls within some extents of a file.
    fn called_in(&self, path: &RepoPath, pieces: &[Extent]) -> Called {
        let mut called = Called::default();
        let Some(file) = self.graph.find_file(path.as_str()) else { return called };
        let holds = |pos: Pos| pieces.iter().any(|piece| piece.holds(pos));
        let meets = |node: &NodeIx| {
            let (first, last) = self.graph.lines(*node);
            *node == file || pieces.iter().any(|piece| first <= piece.end.line && piece.start.line <= last)
        };
        for node in self.graph.of_file(file).into_iter().chain([file]).filter(meets) {
            for edge in self.graph.out_edges(node) {
                let calls = matches!(edge.relation, Relation::Calls | Relation::References | Relation::Registers);
                if !calls || !edge.sites.iter().any(holds) {
                    continue;
                }
                match edge.tier {
                    EdgeTier::Certain if !called.certain.contains(&edge.to) => called.certain.push(edge.to),
                    EdgeTier::Certain => {}
                    EdgeTier::Possible => called.unknown = true,
                    EdgeTier::External => called.external = true,
                }
            }
            called.unknown |=
                self.graph.unresolved_of(node).any(|reference| reference.role == "call" && holds(reference.pos));
        }
        called
    }

    /// All matches of a query in a file; `None` if it cannot be looked through.
    fn matches_in(&mut self, file: NodeIx, text: &'static str) -> Option<Arc<Vec<SyntaxMatch>>> {
        if let Some(known) = self.found.get(&(file, text)) {
            return known.clone();
        }
        let found = self.look_into(file, text).map(Arc::new);
        self.found.insert((file, text), found.clone());
        found
    }

    fn look_into(&mut self, file: NodeIx, text: &'static str) -> Option<Vec<SyntaxMatch>> {
        let entry = self.snapshot.file_of(file)?;
        let compile = || SyntaxQuery::new(entry.language, text).ok().map(Arc::new);
        let query = self.queries.entry((entry.language, text)).or_insert_with(compile).clone()?;
        self.late |= self.until.is_over();
        if self.files_read >= MAX_FILES_READ || self.late {
            return None;
        }
        self.files_read += 1;
        let source = self.snapshot.read_file(&entry.path).ok().filter(|source| !source.binary)?;
        let text = source.text.strip_prefix('\u{feff}').unwrap_or(&source.text);
        let parsed = SyntaxFile::parse(entry.language, text, self.snapshot.limits(), self.cancel).ok()?;
        let found = parsed.matches(&query, &parsed.whole(), self.cancel);
        (!found.is_cut).then_some(found.rows)
    }

    /// Returns whether the body of a function holds a match; `None` if that is not known.
    fn body_holds(&mut self, node: NodeIx, text: &'static str) -> Option<bool> {
        let (first, last) = self.graph.lines(node);
        let found = self.matches_in(self.graph.file(node)?, text)?;
        Some(found.iter().any(|one| first <= one.found.start.line && one.found.start.line <= last))
    }

    fn callee_does(&mut self, raw: &Raw, found: &SyntaxMatch, does: &'static str, handed: bool) -> Verdict {
        let pieces = if handed { self.given_to(raw, found) } else { Some(vec![self.whole_of(raw, found)]) };
        let Some(pieces) = pieces else {
            return Verdict::confirm("as written").open("the calls that may be given it could not be looked through");
        };
        if pieces.is_empty() {
            return Verdict::confirm("nothing that is called from here is given it");
        }
        let called = self.called_in(&raw.path, &pieces);
        let mut unread = false;
        for &callee in &called.certain {
            match self.body_holds(callee, does) {
                Some(true) => {
                    let reason = format!("`{}`, which is called here, sees to it", self.graph.label(callee));
                    return Verdict::mitigate(reason).with([callee], "calls");
                }
                Some(false) => {}
                None => unread = true,
            }
        }
        let verdict = Verdict::confirm("no function that is called here sees to it").with(called.certain, "calls");
        if called.unknown || unread || (handed && called.external) {
            return verdict.open("what some of the called functions do is not known");
        }
        verdict
    }

    /// The `@scope` if the rule names one that is a block of its own, else the function around.
    fn whole_of(&self, raw: &Raw, found: &SyntaxMatch) -> Extent {
        if found.scope.start.line < found.scope.end.line {
            return found.scope.clone();
        }
        match self.around(raw).filter(|node| self.graph.kind(*node) == NodeKind::Function) {
            Some(node) => {
                let (first, last) = self.graph.lines(node);
                let (start, end) = (Pos { line: first, col: 0 }, Pos { line: last + 1, col: 0 });
                Extent { bytes: 0..0, start, end }
            }
            None => found.scope.clone(),
        }
    }

    /// Calls in the function around that are given the name of the match; `None` if that is not known.
    fn given_to(&mut self, raw: &Raw, found: &SyntaxMatch) -> Option<Vec<Extent>> {
        let (query, file) = (handing_calls(raw.language)?, self.graph.find_file(raw.path.as_str())?);
        let around = self.around(raw).map_or((0, u32::MAX), |node| self.graph.lines(node));
        let inside = |one: &&SyntaxMatch| {
            (around == (0, 0) || (around.0 <= one.found.start.line && one.found.start.line <= around.1))
                && one.name == found.name
        };
        let calls = self.matches_in(file, query)?;
        Some(calls.iter().filter(inside).map(|one| one.found.clone()).collect())
    }

    fn callers_guard(&mut self, raw: &Raw, found: &SyntaxMatch, node: Option<NodeIx>, guard: &'static str) -> Verdict {
        let Some(node) = node else { return Verdict::confirm("as written").open("its callers are not known") };
        // A guard around the place itself.
        match self.graph.find_file(raw.path.as_str()).and_then(|file| self.matches_in(file, guard)) {
            Some(own) if own.iter().any(|one| one.found.holds(found.found.start)) => {
                return Verdict::mitigate("caught in the same function");
            }
            Some(_) => {}
            None => {
                return Verdict::confirm("as written").open("its own file could not be looked through for a guard");
            }
        }
        let graph = self.graph;
        if graph.kind(node) != NodeKind::Function {
            return Verdict::confirm("runs when the file is loaded");
        }
        // Else all callers must guard their calls.
        let calls: Vec<EdgeRef<'_>> = graph.in_edges(node).filter(|edge| edge.relation == Relation::Calls).collect();
        let certain = calls.iter().filter(|edge| edge.tier == EdgeTier::Certain && !is_test(graph, edge.from));
        let (mut guarded, mut bare, mut unread) = (Vec::new(), Vec::new(), Vec::new());
        for edge in certain {
            let Some(guards) = graph.file(edge.from).and_then(|file| self.matches_in(file, guard)) else {
                unread.push(edge.from);
                continue;
            };
            let is_guarded = |pos: Pos| guards.iter().any(|one| one.found.holds(pos));
            if edge.sites.iter().all(is_guarded) { guarded.push(edge.from) } else { bare.push(edge.from) }
        }
        // One caller without a guard is enough.
        if !bare.is_empty() {
            let known = bare.len() + guarded.len() + unread.len();
            let reason = format!("{} of {known} known callers are not ready for it", bare.len());
            return Verdict::confirm(reason).with(bare, "calls");
        }
        if !unread.is_empty() {
            let open = format!("{} of the known callers could not be looked through", unread.len());
            return Verdict::confirm("as written").with(unread, "calls").open(open);
        }
        // All known callers guard; whether there are others decides.
        let possible = calls.iter().any(|edge| edge.tier == EdgeTier::Possible);
        let unknown = possible || !hiding(self.snapshot, node, Rows::Callers).is_empty();
        match (guarded.is_empty(), unknown) {
            (true, _) => Verdict::confirm("as written").open("no call of this function is known for certain"),
            (false, true) => Verdict::confirm("the known callers are ready for it")
                .with(guarded, "calls")
                .open("there may be other callers"),
            (false, false) => Verdict::mitigate("every known caller is ready for it").with(guarded, "calls"),
        }
    }

    fn returns_error(&self, raw: &Raw, found: &SyntaxMatch, word: &str, outside: &Names) -> Verdict {
        let Some(call) = &found.call else { return Verdict::confirm("as written") };
        let called = self.called_in(&raw.path, std::slice::from_ref(call));
        let mut functions = called.certain.iter().copied().filter(|node| self.graph.kind(*node) == NodeKind::Function);
        // For nested or chained calls it is unknown here which one gives the result.
        let (Some(callee), None) = (functions.next(), functions.next()) else {
            return match found.name.as_deref().filter(|name| outside.is_match(name)) {
                Some(name) => Verdict::confirm(format!("`{name}` can return an error")),
                None => Verdict::confirm("as written").open("what the called function returns is not known"),
            };
        };
        let label = self.graph.label(callee);
        if result_holds(self.graph.signature(callee), word) {
            Verdict::confirm(format!("`{label}` can return an error")).with([callee], "calls")
        } else {
            Verdict::false_positive(format!("`{label}` returns no error")).with([callee], "calls")
        }
    }

    fn users(&self, node: NodeIx) -> (Vec<NodeIx>, bool) {
        let edges = self.graph.in_edges(node).filter(|edge| edge.relation != Relation::Contains);
        let (mut users, mut possible) = (Vec::new(), false);
        let mut seen: FxHashSet<NodeIx> = FxHashSet::default();
        for edge in edges {
            match edge.tier {
                EdgeTier::Certain if seen.insert(edge.from) && !is_test(self.graph, edge.from) => users.push(edge.from),
                EdgeTier::Possible => possible = true,
                _ => {}
            }
        }
        (users, possible)
    }

    fn elsewhere(&self, node: NodeIx) -> (Vec<NodeIx>, bool) {
        let (users, possible) = self.users(node);
        let file = self.graph.file(node);
        (users.into_iter().filter(|user| self.graph.file(*user) != file && Some(*user) != file).collect(), possible)
    }

    fn judge_exposed(&self, raw: &Raw) -> Verdict {
        let Some(variable) = self.variable(raw) else {
            return Verdict::confirm("as written").open("who uses it is not known");
        };
        let is_module = ReadingRules::of(raw.language).exports_are_constant;
        // Importers cannot assign what a module exports, and see that it does.
        let writers = if is_module { self.elsewhere(variable).0 } else { self.writers_elsewhere(variable) };
        if is_module && !writers.is_empty() {
            let reason = format!("assigned here and used from other files, {} known", writers.len());
            return Verdict::confirm(reason).with(writers, "references");
        }
        if !writers.is_empty() {
            let reason = format!("assigned from other files, {} known", writers.len());
            return Verdict::confirm(reason).with(writers, "references");
        }
        if !self.graph.flags(variable).has(NodeFlags::EXPORTED) {
            return Verdict::false_positive("not visible to others");
        }
        Verdict::confirm("visible to others").open("no assignment in another file is known")
    }

    /// Code of other files that assigns a variable and does not read it.
    fn writers_elsewhere(&self, variable: NodeIx) -> Vec<NodeIx> {
        let graph = self.graph;
        let file = graph.file(variable);
        let writes = |edge: &EdgeRef<'_>| {
            let is_use = edge.relation == Relation::References && edge.tier == EdgeTier::Certain;
            is_use && !edge.reads && graph.file(edge.from) != file && !is_test(graph, edge.from)
        };
        graph.in_edges(variable).filter(writes).map(|edge| edge.from).collect()
    }

    /// A match whose name is declared where the graph holds no node: it may be one of several declarations of a node.
    fn no_subject(&self, raw: &Raw) -> Verdict {
        let name = match &raw.at {
            MatchSite::Syntax(found) => found.name.as_deref().unwrap_or_default(),
            MatchSite::Line { .. } => "",
        };
        let file = self.graph.find_file(raw.path.as_str());
        let nodes = file.map_or_else(Vec::new, |file| self.graph.of_file(file));
        match nodes.into_iter().find(|node| self.graph.label(*node) == name) {
            Some(other) => Verdict::false_positive("one of several declarations").with([other], "references"),
            None => Verdict::confirm("as written").open("the graph does not hold it"),
        }
    }

    fn judge_undocumented(&self, raw: &Raw) -> Verdict {
        let Some(node) = self.subject(raw) else { return self.no_subject(raw) };
        let graph = self.graph;
        // Nobody outside needs a text: it has one, cannot be named there, or its name says it.
        if !graph.doc(node).is_empty() {
            return Verdict::false_positive("documented");
        }
        if !graph.flags(node).has(NodeFlags::EXPORTED) {
            return Verdict::false_positive("not visible to others");
        }
        if SELF_EXPLAINING.contains(&graph.label(node)) {
            return Verdict::false_positive("its name is one of the language, which says what it does");
        }
        // The text stands at another definition, or its reader is a framework.
        let bases = graph.out_edges(node).filter(|edge| edge.relation == Relation::Overrides).map(|edge| edge.to);
        if let Some(base) = bases.into_iter().find(|base| !graph.doc(*base).is_empty()) {
            return Verdict::mitigate("what it replaces is documented").with([base], "overrides");
        }
        let registered = |edge: EdgeRef<'_>| matches!(edge.relation, Relation::Registers | Relation::Decorates);
        if graph.in_edges(node).any(registered) || graph.out_edges(node).any(registered) {
            return Verdict::false_positive("a framework calls it, people do not");
        }
        let owner = graph.parent(node).filter(|owner| is_type_like(graph.kind(*owner)));
        let receiver = graph.id(node).split("::impl::").nth(1).and_then(|rest| rest.split("::").next());
        let is_hidden = EditRules::of(raw.language).scopes.hides_lower_case
            && receiver.is_some_and(|name| name.starts_with(char::is_lowercase));
        if is_hidden || owner.is_some_and(|owner| !graph.flags(owner).has(NodeFlags::EXPORTED)) {
            return Verdict::false_positive("a member of a type that is not visible to others");
        }
        let overloads = graph.parent(node).into_iter().flat_map(|owner| graph.out_edges(owner)).map(|edge| edge.to);
        let told = |other: &NodeIx| graph.label(*other) == graph.label(node) && !graph.doc(*other).is_empty();
        if let Some(other) = overloads.into_iter().find(told) {
            return Verdict::false_positive("another form of it is documented").with([other], "references");
        }
        // What is left is a finding only where the file documents its other exports.
        let (documented, others) = self.documented_beside(node);
        if others < LEAST_EXPORTED || documented * LEAST_DOCUMENTED.1 < others * LEAST_DOCUMENTED.0 {
            let reason = format!("its file documents {documented} of {others} other things that it exports");
            return Verdict::false_positive(reason);
        }
        let (users, _) = self.elsewhere(node);
        let reason = format!("{documented} of {others} others that its file exports are documented");
        Verdict::confirm(reason).with(users, "references")
    }

    /// Numbers of the documented ones among the other functions and types that the file of a node exports, and of all.
    fn documented_beside(&self, node: NodeIx) -> (usize, usize) {
        let graph = self.graph;
        let Some(file) = graph.file(node) else { return (0, 0) };
        let is_api = |other: &NodeIx| {
            use NodeKind::{Class, Enum, Function, Interface, Struct, Trait};
            *other != node
                && matches!(graph.kind(*other), Class | Enum | Function | Interface | Struct | Trait)
                && graph.flags(*other).has(NodeFlags::EXPORTED)
                && !is_test(graph, *other)
        };
        let others: Vec<NodeIx> = graph.of_file(file).into_iter().filter(is_api).collect();
        (others.iter().filter(|other| !graph.doc(**other).is_empty()).count(), others.len())
    }

    /// Returns whether the code of a file uses something whose name speaks of a check of who calls.
    fn checks_somewhere(&self, path: &RepoPath) -> bool {
        let graph = self.graph;
        let Some(file) = graph.find_file(path.as_str()) else { return true };
        let nodes = graph.of_file(file).into_iter().chain([file]);
        let mut edges = nodes.flat_map(|node| graph.out_edges(node));
        edges.any(|edge| edge.relation != Relation::Contains && speaks_of_auth(graph.label(edge.to)))
    }

    fn reaches_auth(&self, raw: &Raw, found: &SyntaxMatch) -> Verdict {
        let graph = self.graph;
        let (handlers, unknown) = match self.subject(raw) {
            Some(handler) => (vec![handler], false),
            None => {
                let called = self.called_in(&raw.path, std::slice::from_ref(&found.scope));
                (called.certain, called.unknown)
            }
        };
        let speaks = |node: NodeIx| speaks_of_auth(graph.label(node));
        let reached = walk(graph, &handlers, (Direction::Called, Along::Certain), AUTH_STEPS, &speaks);
        if let Some((_, hit, _)) = reached.hit {
            let reason = format!("its handler leads to `{}`", graph.label(hit));
            return Verdict::mitigate(reason).with([hit], "calls");
        }
        let verdict = Verdict::confirm("nothing that its handler is known to call speaks of a check");
        if !self.checks_somewhere(&raw.path) {
            return Verdict::leave_undecided(
                "no code of its file checks who calls: all of it may be meant for everybody",
            );
        }
        if handlers.is_empty() {
            return verdict.open("what the handler calls is not known");
        }
        let unresolved = handlers.iter().any(|&handler| graph.unresolved_of(handler).next().is_some());
        let verdict = verdict.with(handlers, "registers");
        if unresolved {
            verdict.open("some of what the handler refers to has no known target")
        } else if unknown || reached.possible {
            verdict.open("some of its calls are only possible")
        } else if reached.is_cut {
            verdict.open(format!("it calls more than was followed, which is {AUTH_STEPS} steps"))
        } else {
            verdict
        }
    }

    fn judge_tested(&mut self, raw: &Raw) -> Verdict {
        let graph = self.graph;
        let Some(node) = self.subject(raw) else { return self.no_subject(raw) };
        if graph.flags(node).has(NodeFlags::ABSTRACT) || graph.flags(node).has(NodeFlags::DECLARATION) {
            return Verdict::false_positive("only declared here");
        }
        let mut starts = vec![node];
        if graph.flags(node).has(NodeFlags::CONSTRUCTOR) {
            starts.extend(graph.parent(node));
        }
        let test = |node: NodeIx| is_test(graph, node);
        let reached = walk(graph, &starts, (Direction::Callers, Along::Certain), TEST_STEPS, &test);
        match reached.hit {
            Some((1, hit, _)) => {
                let reason = format!("`{}` tests it", graph.label(hit));
                return Verdict::false_positive(reason).with([hit], "tests");
            }
            Some((_, hit, through)) => {
                let reason =
                    format!("only reached through others: `{}` runs `{}`", graph.label(hit), graph.label(through));
                return Verdict::mitigate(reason).with([hit], "tests").with([through], "calls");
            }
            None => {}
        }
        let verdict = Verdict::confirm(format!("no test reaches it within {TEST_STEPS} steps"));
        let registered = |edge: EdgeRef<'_>| matches!(edge.relation, Relation::Registers | Relation::Decorates);
        if let Some(may_be) = may_hide(graph, &hiding(self.snapshot, node, Rows::Callers)) {
            return verdict.open(may_be);
        }
        if reached.possible {
            return verdict.open("some calls on the way are only possible");
        }
        let replaces = graph.out_edges(node).any(|edge| edge.relation == Relation::Overrides);
        if replaces || graph.in_edges(node).any(registered) {
            return verdict.open("it may be run without being named: through a base or a framework");
        }
        // Methods may be called through an interface that is declared outside.
        if self.may_meet_interface(node) && self.users(node).0.is_empty() {
            return verdict.open("no use of it is known: it may be called through an interface");
        }
        if reached.is_cut {
            return verdict.open("there are callers beyond");
        }
        if let Some(other) = self.tested_namesake(node) {
            let open = format!("tests call another `{}`, which may stand for it", graph.label(other));
            return verdict.open(open);
        }
        if self.tests_run_programs() {
            let main = |one: NodeIx| graph.label(one) == "main" && graph.kind(one) == NodeKind::Function;
            let from_main = walk(graph, &starts, (Direction::Callers, Along::Possible), MAIN_STEPS, &main);
            if main(node) || from_main.hit.is_some() || from_main.is_cut {
                return verdict.open("tests run programs of the project, and its `main` may lead to it");
            }
        }
        match reached.passed.iter().find_map(|&caller| self.unnamed_use(caller)) {
            Some(open) => verdict.open(open),
            None => verdict,
        }
    }

    /// Another function of the same name that a test calls: an interface, or a type that embeds this one.
    fn tested_namesake(&self, node: NodeIx) -> Option<NodeIx> {
        let graph = self.graph;
        let others = graph.find_labelled(graph.label(node)).into_iter().filter(|other| *other != node);
        let is_tested = |other: &NodeIx| graph.in_edges(*other).any(|edge| is_test(graph, edge.from));
        others.take(MAX_MEMBERS).find(is_tested)
    }

    /// Returns whether a method may be called through an interface: in languages where a type names its interfaces,
    /// only if it does.
    fn may_meet_interface(&self, node: NodeIx) -> bool {
        let graph = self.graph;
        let Some(owner) = graph.parent(node).filter(|owner| graph.kind(*owner) != NodeKind::File) else { return false };
        let file = self.snapshot.file_of(node);
        let is_named = file.is_some_and(|file| ReadingRules::of(file.language).names_interfaces);
        let is_base = |edge: EdgeRef<'_>| matches!(edge.relation, Relation::Inherits | Relation::Implements);
        !is_named || graph.out_edges(owner).any(is_base)
    }

    /// Returns whether test code runs programs, which may be those of the project.
    fn tests_run_programs(&mut self) -> bool {
        let graph = self.graph;
        let runs = || {
            let tests = graph.nodes().filter(|node| is_test(graph, *node));
            let mut used = tests.flat_map(|test| graph.out_edges(test)).filter(|edge| edge.tier == EdgeTier::External);
            used.any(|edge| RUNS_PROGRAMS.iter().any(|name| graph.id(edge.to).contains(name)))
        };
        *self.tests_run_programs.get_or_insert_with(runs)
    }

    /// How a function on the way to the tests may be run by unknown code.
    fn unnamed_use(&self, caller: NodeIx) -> Option<String> {
        let graph = self.graph;
        let label = graph.label(caller);
        let open = hiding(self.snapshot, caller, Rows::Callers);
        if let Some(row) = open.iter().find(|row| row.may_be_test(graph)) {
            return Some(format!("tests may use `{label}`, which leads to it: {}", reason_of(row)));
        }
        if label.starts_with("__") && label.ends_with("__") {
            return Some(format!("`{label}`, which leads to it, is run by the language"));
        }
        let is_method = graph.kind(caller) == NodeKind::Function && self.may_meet_interface(caller);
        let is_used = graph.in_edges(caller).any(|edge| edge.relation != Relation::Contains);
        (is_method && !is_used)
            .then(|| format!("`{label}`, which leads to it, may be run without being named: no use of it is known"))
    }
}

/// Returns whether a kind of node has members.
const fn is_type_like(kind: NodeKind) -> bool {
    use NodeKind::{Class, Enum, Interface, Struct, Trait};
    matches!(kind, Class | Enum | Interface | Struct | Trait)
}

/// Who may use a function besides its known users, if anything may.
fn may_hide(graph: &Graph, open: &[Hiding]) -> Option<String> {
    let first = open.iter().find(|row| row.may_be_test(graph));
    let who = if first.is_some() { "tests" } else { "other code" };
    first.or(open.first()).map(|row| format!("{who} may use it: {}", reason_of(row)))
}

/// Why a row may be a user, with its place.
fn reason_of(row: &Hiding) -> String {
    format!("{} at {}:{}", row.reason.replace('_', " "), row.file, row.line)
}

/// Returns whether the result type of a signature contains a word.
fn result_holds(signature: &str, word: &str) -> bool {
    match signature.rsplit_once("->") {
        Some((_, result)) => result.contains(word),
        None => {
            let end = signature.trim_end_matches('{').trim_end();
            let end = end.strip_suffix(')').unwrap_or(end);
            end.strip_suffix(word).is_some_and(|before| before.ends_with([' ', '(', ')', ',']))
        }
    }
}

fn finding(raw: &Raw, node: Option<NodeIx>, verdict: Verdict) -> Finding {
    let start = raw.start();
    Finding {
        path: raw.path.clone(),
        line: start.line,
        column: u32::from(start.col),
        end_line: raw.end_line(),
        rule: raw.rule,
        severity: raw.severity,
        message: raw.message,
        status: verdict.status,
        reason: verdict.reason,
        open: verdict.open,
        node,
        context: verdict.context,
        text: raw.text.clone(),
        stale: raw.stale,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_signatures() {
        let cases = [
            ("func F(a int) error", "error", true),
            ("func (x *T) F(a int) (int, error)", "error", true),
            ("func F(a error) int", "error", false),
            ("func F() (n int, err error) {", "error", true),
            ("fn f(x: Result<u8, E>) -> u8", "Result", false),
            ("pub fn f() -> io::Result<()>", "Result", true),
        ];
        for (signature, word, expected) in cases {
            assert_eq!(result_holds(signature, word), expected, "{signature}");
        }
    }
}
