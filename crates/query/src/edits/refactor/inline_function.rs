//! `inline_function`: every call of a function is replaced by its body.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use m1nd_base::{Cancel, EdgeTier, NodeKind, Pos, Relation};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::{EdgeRef, Graph, NodeFlags, NodeIx, UnresolvedRef};
use m1nd_lang::local_code::{InlinedCall, Obstacle, Replacement, find_prototypes, inline_calls};

use super::known_calls::{CallsOf, is_c_family};
use super::relocate::{Carried, carry};
use super::trial::Trial;
use super::{CannotRefactor, NewFile, Note, Refactoring, Source, read_source};
use crate::closure::outside::called_from_outside;
use crate::edits::verify::{is_use, sites};

/// Most calls that are replaced at once.
const MAX_CALLS: usize = 200;
/// Classes that every file of Java knows.
const JAVA_LANG: &[&str] = &[
    "Object",
    "String",
    "Integer",
    "Long",
    "Short",
    "Byte",
    "Character",
    "Boolean",
    "Double",
    "Float",
    "Number",
    "Void",
    "Math",
    "System",
    "Thread",
    "Runnable",
    "Iterable",
    "Comparable",
    "CharSequence",
    "StringBuilder",
    "StringBuffer",
    "Class",
    "Enum",
    "Override",
    "Deprecated",
    "Throwable",
    "Error",
    "Exception",
    "RuntimeException",
    "IllegalArgumentException",
    "IllegalStateException",
    "NullPointerException",
    "IndexOutOfBoundsException",
    "UnsupportedOperationException",
    "ClassCastException",
    "NumberFormatException",
    "AssertionError",
    "InterruptedException",
    "ArithmeticException",
    "CloneNotSupportedException",
    "AutoCloseable",
    "Record",
];
/// Names that every file of Rust knows.
const PRELUDE: &[&str] = &[
    "Some",
    "None",
    "Ok",
    "Err",
    "Option",
    "Result",
    "Vec",
    "String",
    "Box",
    "Default",
    "From",
    "Into",
    "Clone",
    "Copy",
    "Iterator",
    "ToString",
    "ToOwned",
    "AsRef",
    "Drop",
    "drop",
    "Self",
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "panic",
    "format",
    "println",
    "print",
    "eprintln",
    "eprint",
    "vec",
    "matches",
    "unreachable",
    "todo",
    "unimplemented",
    "write",
    "writeln",
    "usize",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "f32",
    "f64",
    "bool",
    "char",
    "str",
    "core",
    "std",
];

/// Says whether a name means the same in the file of a call as in that of the function.
type IsKept<'a> = Box<dyn Fn(&str) -> bool + 'a>;

/// Plans the operation.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(snapshot: &Snapshot, node: NodeIx, cancel: &Cancel) -> Result<Refactoring, CannotRefactor> {
    let graph = snapshot.graph();
    // Of C and C++, the definition stands for its prototypes.
    let node = graph.definition_of(node);
    check_symbol(snapshot, node)?;
    let uses = list_calls(snapshot, node)?;
    check_reach(snapshot, node, &uses)?;
    let own = graph.path(node).to_owned();
    let mut sources: BTreeMap<String, Source> = BTreeMap::new();
    let declared = list_declaring_files(snapshot, node);
    for path in uses.calls.iter().chain(&uses.imports).map(|(path, _)| path).chain([&own]).chain(&declared) {
        if !sources.contains_key(path) {
            sources.insert(path.clone(), read_source(snapshot, path)?);
        }
    }
    // The new texts of the calls.
    let definition = &sources[&own];
    let known: BTreeMap<&String, CallsOf<'_>> =
        sources.iter().map(|(path, source)| (path, CallsOf::new(snapshot, source, cancel))).collect();
    let meanings: BTreeMap<&String, Meaning<'_>> = sources
        .iter()
        .map(|(path, source)| (path, Meaning { graph, definition, source, is_own: *path == own }))
        .collect();
    let same: BTreeMap<&String, IsKept<'_>> = meanings
        .iter()
        .map(|(path, meaning)| (*path, Box::new(|name: &str| meaning.is_kept(name)) as IsKept<'_>))
        .collect();
    let placed = uses.calls.iter().filter_map(|(path, pos)| {
        let text = sources[path].text.as_str();
        let at = offset(text, *pos)?;
        Some((path, InlinedCall { text, at, calls: &known[path], means_the_same: &*same[path] }))
    });
    let placed: Vec<(&String, InlinedCall<'_>)> = placed.collect();
    let sites: Vec<InlinedCall<'_>> = placed.iter().map(|row| row.1).collect();
    let place = (graph.name_line(node), graph.label(node));
    let limits = (snapshot.limits(), cancel);
    let planned = inline_calls(definition.language, &definition.text, place, &sites, limits);
    let not_known =
        || CannotRefactor::NotForLanguage { operation: "inline_function", language: definition.language.name() };
    let inlined = planned.ok_or_else(not_known)?.map_err(|obstacle| refuse(&own, obstacle))?;
    let mut replaced: BTreeMap<String, Vec<Replacement>> = BTreeMap::new();
    for ((path, _), call) in placed.iter().zip(inlined.calls) {
        replaced.entry((*path).clone()).or_default().push(call.map_err(|obstacle| refuse(path, obstacle))?);
    }
    for path in declared.iter().chain([&own]) {
        let rows = list_prototypes(snapshot, node, (path, &sources[path]), cancel)?;
        replaced.entry(path.clone()).or_default().extend(rows);
    }
    // The file of the function comes last: others may need more of it.
    let body = inlined.body.clone();
    let mut own_rows = replaced.remove(&own).unwrap_or_default();
    own_rows.push(Replacement { range: inlined.removed, text: String::new() });
    let mut files = Vec::new();
    let mut finish = |path: &str, rows: Vec<Replacement>| -> Result<Vec<(Range<usize>, String)>, CannotRefactor> {
        let source = &sources[path];
        let imported_at: Vec<Pos> = uses.imports.iter().filter(|row| row.0 == path).map(|row| row.1).collect();
        let replaced = sort_rows(path, &source.text, rows)?;
        let carried = Carried { path, body: body.clone(), imported_at: &imported_at, replaced, names: &inlined.names };
        let (text, raised) = carry(snapshot, node, carried, cancel)?;
        files.push(NewFile { path: source.path.clone(), before: Some(source.hash), text: Some(text) });
        Ok(raised)
    };
    for (path, rows) in replaced {
        let raised = finish(&path, rows)?;
        let raised = raised.into_iter().map(|(range, text)| Replacement { range, text });
        let new: Vec<Replacement> = raised.filter(|row| !own_rows.contains(row)).collect();
        own_rows.extend(new);
    }
    finish(&own, own_rows)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let calls = uses.calls;
    // The project without the function.
    let trial = Trial::link(snapshot, &files, cancel)?;
    check(&trial, (snapshot, definition), (node, &body), cancel)?;
    let mut notes = Vec::new();
    if graph.flags(node).has(NodeFlags::EXPORTED) {
        let what = "is visible outside of its file; code that is not in this project can no longer call it".to_owned();
        notes.push(Note { file: own.clone(), line: graph.name_line(node), what });
    }
    Ok(Refactoring { files, places: calls.len(), notes })
}

fn refuse(path: &str, obstacle: Obstacle) -> CannotRefactor {
    CannotRefactor::at("the function cannot be inlined", path, obstacle.line, obstacle.why)
}

/// The byte of a position.
fn offset(text: &str, pos: Pos) -> Option<usize> {
    let line = text.split_inclusive('\n').take(pos.line.checked_sub(1)? as usize).map(str::len).sum::<usize>();
    let column = text.get(line..)?.char_indices().nth(usize::from(pos.col).checked_sub(1)?)?.0;
    Some(line + column)
}

/// Returns whether the name at a place is a member of a value.
fn is_member(text: &str, pos: Pos) -> bool {
    offset(text, pos).is_some_and(|at| text[..at].trim_end().ends_with('.'))
}

/// Refuses what is not a function of the project that nothing else decides about.
fn check_symbol(snapshot: &Snapshot, node: NodeIx) -> Result<(), CannotRefactor> {
    let graph = snapshot.graph();
    let (id, label) = (graph.id(node), graph.label(node));
    let bad = |why: &str| Err(CannotRefactor::BadRequest(format!("`{id}` {why}")));
    if graph.kind(node) != NodeKind::Function || graph.path(node).is_empty() {
        return bad("is not a function of this project");
    }
    if graph.flags(node).has(NodeFlags::CONSTRUCTOR) {
        return bad("is a constructor");
    }
    if label == "main" || label.starts_with("__") && label.ends_with("__") {
        return bad("is called by the language under this name");
    }
    if let Some(from) = called_from_outside(snapshot, node) {
        return bad(&from.clause());
    }
    let at = |why: &str, other: NodeIx| {
        let (file, line) = (graph.path(other), graph.name_line(other));
        Err(CannotRefactor::at("the function cannot be inlined", file, line, why))
    };
    let overriding = graph.in_edges(node).find(|edge| edge.relation == Relation::Overrides);
    if let Some(edge) = overriding {
        return at("overrides it, so a call may run this one", edge.from);
    }
    if let Some(edge) = graph.out_edges(node).find(|edge| edge.relation == Relation::Overrides) {
        return at("is overridden by it, so a call of this one may run it", edge.to);
    }
    // Another definition of the name in its place. Overloads are told apart by their calls.
    let place = |node: NodeIx| graph.id(node).rsplit_once("::").map(|(place, _)| place.to_owned());
    let has_overloads = snapshot.file_of(node).is_some_and(|file| file.language == Language::Java);
    // A macro of C may stand for a function under another condition of the preprocessor.
    let declared = graph.declarations(node);
    let is_twin = |other: NodeIx| match graph.kind(other) {
        NodeKind::Function => place(other) == place(node) && !has_overloads && !declared.contains(&other),
        NodeKind::Macro => snapshot.file_of(node).is_some_and(|file| is_c_family(file.language)),
        _ => false,
    };
    let twin = graph.find_labelled(label).into_iter().find(|other| *other != node && is_twin(*other));
    match twin {
        Some(other) => at("defines the name as well", other),
        None => Ok(()),
    }
}

/// The files that declare a function of C or C++ beside its definition.
fn list_declaring_files(snapshot: &Snapshot, node: NodeIx) -> BTreeSet<String> {
    let graph = snapshot.graph();
    let is_c = snapshot.file_of(node).is_some_and(|file| is_c_family(file.language));
    let declared = if is_c { graph.declarations(node) } else { Vec::new() };
    declared.into_iter().map(|other| graph.path(other).to_owned()).collect()
}

/// Takes the prototypes of a function out of a file.
fn list_prototypes(
    snapshot: &Snapshot,
    node: NodeIx,
    (path, source): (&str, &Source),
    cancel: &Cancel,
) -> Result<Vec<Replacement>, CannotRefactor> {
    let label = snapshot.graph().label(node);
    let found = find_prototypes(source.language, &source.text, label, (snapshot.limits(), cancel));
    let found = found.unwrap_or_else(|| Ok(Vec::new())).map_err(|obstacle| refuse(path, obstacle))?;
    Ok(found.into_iter().map(|range| Replacement { range, text: String::new() }).collect())
}

/// Refuses calls in files that may not use what the body uses.
fn check_reach(snapshot: &Snapshot, node: NodeIx, uses: &Uses) -> Result<(), CannotRefactor> {
    let graph = snapshot.graph();
    let Some(language) = snapshot.file_of(node).map(|file| file.language) else { return Ok(()) };
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let own = graph.path(node);
    let says = |target: NodeIx, word: &str| {
        graph.signature(target).split(|c: char| !c.is_alphanumeric()).any(|part| part == word)
    };
    let is_hidden = |target: NodeIx, path: &str| match language {
        Language::Go => folder(path) != folder(own) && !graph.label(target).starts_with(char::is_uppercase),
        Language::Java => says(target, "private") || folder(path) != folder(own) && !says(target, "public"),
        Language::Rust => true,
        _ => false,
    };
    for (path, pos) in uses.calls.iter().filter(|(path, _)| path != own) {
        let mut used = graph.out_edges(node).filter(|edge| is_use(edge.relation) && !graph.path(edge.to).is_empty());
        if let Some(edge) = used.find(|edge| graph.kind(edge.to) != NodeKind::File && is_hidden(edge.to, path)) {
            let why = format!("may not use `{}`, which the function uses", graph.id(edge.to));
            return Err(CannotRefactor::at("the function cannot be inlined", path, pos.line, why));
        }
    }
    Ok(())
}

/// The uses of a function that is inlined, each with its file.
#[derive(Default)]
struct Uses {
    calls: Vec<(String, Pos)>,
    imports: Vec<(String, Pos)>,
}

/// The places of all calls and imports; refuses a function with another use.
fn list_calls(snapshot: &Snapshot, node: NodeIx) -> Result<Uses, CannotRefactor> {
    let graph = snapshot.graph();
    let mut calls: BTreeSet<(String, Pos)> = BTreeSet::new();
    let mut uses = Uses::default();
    let at =
        |file: &str, line: u32, why: &str| Err(CannotRefactor::at("the function cannot be inlined", file, line, why));
    let language = snapshot.file_of(node).map(|file| file.language);
    let has_names =
        !matches!(language, Some(Language::Go | Language::Java | Language::Rust | Language::C | Language::Cpp));
    let declared = graph.declarations(node);
    let is_c = language.is_some_and(is_c_family);
    let symbols = [node].into_iter().chain(declared.iter().copied().filter(|_| is_c));
    let is_declared = |edge: &EdgeRef<'_>| is_c && edge.from == node && declared.contains(&edge.to);
    let edges = symbols.flat_map(|symbol| graph.in_edges(symbol).collect::<Vec<_>>());
    for edge in edges.filter(|edge| is_use(edge.relation) && !is_declared(edge)) {
        let file = graph.path(edge.from);
        let places = sites(&edge);
        let line = places.first().map_or(graph.name_line(edge.from), |pos| pos.line);
        let is_self = edge.from == node || graph.ancestors(edge.from).any(|above| above == node);
        if edge.relation == Relation::Imports && has_names && edge.tier == EdgeTier::Certain && !places.is_empty() {
            uses.imports.extend(places.into_iter().map(|pos| (file.to_owned(), pos)));
            continue;
        }
        match why_not_call(&edge) {
            _ if is_self => return at(file, line, "calls itself"),
            Some(why) => return at(file, line, why),
            None if places.is_empty() || places.iter().any(|pos| pos.col == 0) => {
                return at(file, line, "uses it at a place that is not known");
            }
            None => calls.extend(places.into_iter().map(|pos| (file.to_owned(), pos))),
        }
    }
    // References that may mean it.
    if let Some(open) = graph.unresolved_named(graph.label(node)).find(|open| may_mean(snapshot, node, open)) {
        let file = graph.path(open.from).to_owned();
        return at(&file, open.pos.line, "may use it: what the name means there is not known");
    }
    if calls.is_empty() {
        return Err(CannotRefactor::BadRequest(format!("nothing calls `{}`; remove it instead", graph.id(node))));
    }
    if calls.len() > MAX_CALLS {
        return Err(CannotRefactor::BadRequest(format!("more than {MAX_CALLS} calls of `{}`", graph.id(node))));
    }
    uses.calls = calls.into_iter().collect();
    Ok(uses)
}

/// Returns whether a reference without a target may mean a function.
fn may_mean(snapshot: &Snapshot, node: NodeIx, open: &UnresolvedRef<'_>) -> bool {
    let graph = snapshot.graph();
    let (parent, language) = (graph.parent(node), snapshot.file_of(node).map(|file| file.language));
    // A function inside of a function is known only in it.
    if let Some(parent) = parent.filter(|parent| graph.kind(*parent) == NodeKind::Function)
        && open.from != parent
        && !graph.ancestors(open.from).any(|above| above == parent)
    {
        return false;
    }
    let is_function = parent == graph.file(node);
    let Ok(source) = read_source(snapshot, graph.path(open.from)) else { return true };
    let Some(at) = offset(&source.text, open.pos) else { return true };
    let before = source.text[..at].trim_end();
    let base = ["?.", "::", "."].into_iter().find_map(|sign| before.strip_suffix(sign));
    let Some(base) = base.filter(|base| !base.ends_with('.')) else {
        return is_function || language == Some(Language::Java);
    };
    // A member of a value is not a function of a file; one of a module may be.
    let start = base.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    let word = base.get(start..).unwrap_or_default();
    let is_import = |line: &str| {
        let line = line.trim_start();
        ["import ", "from ", "use ", "mod ", "pub use "].iter().any(|start| line.starts_with(start))
            || line.contains("require(")
            || line.starts_with('"')
    };
    let is_module = || source.text.lines().any(|line| is_import(line) && line.contains(word));
    let is_type = language == Some(Language::Rust) && word.starts_with(char::is_uppercase);
    !is_function || !word.is_empty() && !is_type && (is_module() || language == Some(Language::Rust))
}

/// Returns why an edge is not a certain call.
fn why_not_call(edge: &EdgeRef<'_>) -> Option<&'static str> {
    match edge.relation {
        Relation::Calls if edge.tier != EdgeTier::Certain => Some("may call it, which is not certain"),
        Relation::Calls if edge.reads => Some("uses it as a value"),
        Relation::Calls => None,
        Relation::Imports => Some("imports it, and this import would have to go"),
        _ => Some("uses it without a call"),
    }
}

/// What the names of a function mean in another file.
struct Meaning<'a> {
    graph: &'a Graph,
    definition: &'a Source,
    source: &'a Source,
    is_own: bool,
}

impl Meaning<'_> {
    /// Returns whether a name means the same in the other file, if imports that it needs are added.
    fn is_kept(&self, name: &str) -> bool {
        let folder = |source: &Source| {
            source.path.as_str().rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
        };
        let is_package = folder(self.definition) == folder(self.source);
        let is_beside = |node: NodeIx| {
            let path = self.graph.path(node);
            path.rsplit_once('/').map_or("", |(folder, _)| folder) == folder(self.source)
                && self.graph.parent(node) == self.graph.file(node)
        };
        match self.definition.language {
            _ if self.is_own => true,
            Language::Go => is_package,
            Language::Java => {
                let import = |source: &Source| find_java_import(&source.text, name);
                match (import(self.definition), import(self.source)) {
                    (own, other) if own == other && own.is_some() => true,
                    (None, None) => is_package || JAVA_LANG.contains(&name),
                    (Some(_), None) => !self.graph.find_labelled(name).into_iter().any(is_beside),
                    _ => false,
                }
            }
            Language::Rust => PRELUDE.contains(&name),
            // A file that calls the function includes what its header knows.
            Language::C | Language::Cpp => {
                let is_header = ["h", "hpp", "hh", "hxx", "inl"]
                    .iter()
                    .any(|end| self.definition.path.as_str().ends_with(&format!(".{end}")));
                is_header || has_word(&self.source.text, name)
            }
            // Names of modules are compared when their imports are carried along.
            _ => true,
        }
    }
}

/// Returns whether a text has a word.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
}

/// The path that a file of Java imports under a name.
fn find_java_import(text: &str, name: &str) -> Option<String> {
    let mut paths = text.lines().filter_map(|line| line.trim().strip_prefix("import ")?.strip_suffix(';'));
    paths.find(|path| path.rsplit('.').next() == Some(name)).map(str::to_owned)
}

/// Replacements in order; refuses those that overlap.
fn sort_rows(
    path: &str,
    text: &str,
    mut rows: Vec<Replacement>,
) -> Result<Vec<(Range<usize>, String)>, CannotRefactor> {
    rows.sort_by_key(|row| row.range.start);
    if let Some(pair) = rows.windows(2).find(|pair| pair[0].range.end > pair[1].range.start) {
        let line = text[..pair[1].range.start].matches('\n').count() as u32 + 1;
        let why = "calls it in an argument of itself, or twice in one statement";
        return Err(CannotRefactor::at("the function cannot be inlined", path, line, why));
    }
    Ok(rows.into_iter().map(|row| (row.range, row.text)).collect())
}

/// Compares the project without the function with the one before: who called it uses what both used.
fn check(
    trial: &Trial<'_>,
    (snapshot, definition): (&Snapshot, &Source),
    (node, body): (NodeIx, &Range<usize>),
    cancel: &Cancel,
) -> Result<(), CannotRefactor> {
    let before = snapshot.graph();
    let is_untyped = matches!(definition.language, Language::Python | Language::JavaScript);
    let declared = before.declarations(node).into_iter().filter(|_| is_c_family(definition.language));
    let ids: Vec<String> = [node].into_iter().chain(declared).map(|node| before.id(node).to_owned()).collect();
    let is_own = |other: &str| {
        let rest = ids.iter().find_map(|id| other.strip_prefix(id.as_str()));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    let calls = before.in_edges(node).filter(|edge| edge.relation == Relation::Calls);
    let callers: BTreeSet<NodeIx> = calls.map(|edge| edge.from).collect();
    let caller_ids: BTreeSet<&str> = callers.iter().map(|caller| before.id(*caller)).collect();
    let other = |other: &str| (!is_own(other) && !caller_ids.contains(other)).then(|| other.to_owned());
    trial.check(&other, &other, cancel)?;
    // The callers, which the comparison leaves out.
    let after = trial.after.graph();
    for caller in callers {
        let from = before.id(caller);
        let refuse = |line: u32, why: String| {
            Err(CannotRefactor::at("the function cannot be inlined", before.path(caller), line, why))
        };
        let Some(now) = after.find(from) else { return refuse(before.name_line(caller), "would be lost".to_owned()) };
        let used = [caller, node].into_iter().flat_map(|node| before.out_edges(node));
        let used = used.filter(|edge| is_use(edge.relation) && edge.tier == EdgeTier::Certain);
        for edge in used.filter(|edge| !is_own(before.id(edge.to)) && edge.relation != Relation::Imports) {
            let target = before.id(edge.to);
            // What only the head of the function names is gone, and members of values without types are not known.
            let is_of_node = edge.from == node;
            let in_body = |pos: &Pos| offset(&definition.text, *pos).is_some_and(|at| body.contains(&at));
            let places = sites(&edge);
            if is_of_node && !places.is_empty() && !places.iter().any(in_body) {
                continue;
            }
            if is_untyped && is_of_node && places.iter().all(|pos| is_member(&definition.text, *pos)) {
                continue;
            }
            let is_same = |found: EdgeRef<'_>| found.relation == edge.relation && after.id(found.to) == target;
            if !after.out_edges(now).any(is_same) {
                let line = sites(&edge).first().map_or(before.name_line(caller), |pos| pos.line);
                return refuse(line, format!("`{from}` would not lead to `{target}`"));
            }
        }
        let open = |node: NodeIx| before.unresolved_of(node).map(|found| found.name.to_owned());
        let known: BTreeSet<String> = open(caller).chain(open(node)).collect();
        let text = trial.text_after(before.path(caller));
        let is_new = |name: &str, pos: Pos| {
            let is_untyped_member = is_untyped && text.is_some_and(|text| is_member(text, pos));
            !is_untyped_member && !known.contains(name)
        };
        if let Some(found) = after.unresolved_of(now).find(|found| is_new(found.name, found.pos)) {
            return refuse(found.pos.line, format!("`{}` would have no target", found.name));
        }
    }
    Ok(())
}
