//! `inline_function`: every call of a function is replaced by its body.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use m1nd_base::{Cancel, EdgeTier, NodeKind, Pos, Relation};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::{EdgeRef, Graph, NodeFlags, NodeIx, UnresolvedRef};
use m1nd_lang::local_code::{
    InlinedCall, InlinedFunction, Obstacle, OwnMember, Replacement, find_prototypes, inline_calls, read_declared,
};

use super::known_calls::{CallsOf, is_c_family};
use super::relocate::{Carried, carry, list_included, read_java_package};
use super::trial::Trial;
use super::{CannotRefactor, NewFile, Note, Refactoring, Source, find_made_name, read_source};
use crate::closure::outside::called_from_outside;
use crate::edits::verify::{is_use, sites};

/// Most calls that are replaced at once.
const MAX_CALLS: usize = 200;
/// Classes that every file of Java knows.
const JAVA_LANG: &[&str] = &[
    "Object", "String", "Integer", "Long", "Short", "Byte", "Character", "Boolean", "Double", "Float", "Number",
    "Void", "Math", "System", "Thread", "Runnable", "Iterable", "Comparable", "CharSequence", "StringBuilder",
    "StringBuffer", "Class", "Enum", "Override", "Deprecated", "Throwable", "Error", "Exception", "RuntimeException",
    "IllegalArgumentException", "IllegalStateException", "NullPointerException", "IndexOutOfBoundsException",
    "UnsupportedOperationException", "ClassCastException", "NumberFormatException", "AssertionError",
    "InterruptedException", "ArithmeticException", "CloneNotSupportedException", "AutoCloseable", "Record",
];
/// Names that every file of Rust knows.
const PRELUDE: &[&str] = &[
    "Some", "None", "Ok", "Err", "Option", "Result", "Vec", "String", "Box", "Default", "From", "Into", "Clone",
    "Copy", "Iterator", "ToString", "ToOwned", "AsRef", "Drop", "drop", "Self", "assert", "assert_eq", "assert_ne",
    "debug_assert", "debug_assert_eq", "panic", "format", "println", "print", "eprintln", "eprint", "vec", "matches",
    "unreachable", "todo", "unimplemented", "write", "writeln", "usize", "isize", "u8", "u16", "u32", "u64", "u128",
    "i8", "i16", "i32", "i64", "i128", "f32", "f64", "bool", "char", "str", "core", "std",
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
    check_symbol(snapshot, node, cancel)?;
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
    let meanings: BTreeMap<&String, Meaning<'_>> =
        sources.iter().map(|(path, source)| (path, Meaning::new(snapshot, node, definition, source))).collect();
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
    let owners = list_owners(graph, node);
    let own_member = |at: usize| find_own_member(graph, &owners, known[&own].targets_at(at));
    let function = InlinedFunction {
        text: &definition.text,
        line: graph.name_line(node),
        name: graph.label(node),
        own_member: &own_member,
    };
    let planned = inline_calls(definition.language, &function, &sites, (snapshot.limits(), cancel));
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
    check(&trial, (snapshot, definition, &sources), (node, &body), &calls, cancel)?;
    let mut notes = Vec::new();
    if graph.flags(node).has(NodeFlags::EXPORTED) {
        let what = "is visible outside of its file; code that is not in this project can no longer call it".to_owned();
        notes.push(Note { file: own.clone(), line: graph.name_line(node), what });
    }
    Ok(Refactoring { files, places: calls.len(), notes })
}

/// The class of a method, and those that it inherits from.
fn list_owners(graph: &Graph, node: NodeIx) -> BTreeSet<NodeIx> {
    let mut owners: BTreeSet<NodeIx> = BTreeSet::new();
    let mut rest: Vec<NodeIx> =
        graph.parent(node).filter(|parent| Some(*parent) != graph.file(node)).into_iter().collect();
    while let Some(class) = rest.pop() {
        if owners.insert(class) {
            let bases = graph.out_edges(class).filter(|edge| edge.tier == EdgeTier::Certain);
            let bases = bases.filter(|edge| matches!(edge.relation, Relation::Inherits | Relation::Implements));
            rest.extend(bases.map(|edge| edge.to));
        }
    }
    owners
}

/// What a use names, if all of its targets are members of some classes.
fn find_own_member(
    graph: &Graph,
    owners: &BTreeSet<NodeIx>,
    targets: impl Iterator<Item = NodeIx>,
) -> Option<OwnMember> {
    let mut found = None;
    for target in targets {
        // A construction names its class.
        let is_constructor = graph.flags(target).has(NodeFlags::CONSTRUCTOR);
        let named = if is_constructor { graph.parent(target)? } else { target };
        let owner = graph.parent(named).filter(|owner| owners.contains(owner))?;
        let is_value = matches!(graph.kind(named), NodeKind::Field | NodeKind::Variable | NodeKind::Constant);
        let is_static = is_value && graph.kind(owner) == NodeKind::Interface
            || !is_value && graph.kind(named) != NodeKind::Function
            || says(graph, named, "static");
        let member = if is_static { OwnMember::OfClass } else { OwnMember::OfObject };
        if found.is_some_and(|other| other != member) {
            return None;
        }
        found = Some(member);
    }
    found
}

/// Returns whether a word is written in the head of a declaration.
fn says(graph: &Graph, node: NodeIx, word: &str) -> bool {
    graph.signature(node).split(|c: char| !c.is_alphanumeric()).any(|part| part == word)
}

fn refuse(path: &str, obstacle: Obstacle) -> CannotRefactor {
    CannotRefactor::at("the function cannot be inlined", path, obstacle.line, obstacle.why)
}

/// The byte of a position.
pub(super) fn offset(text: &str, pos: Pos) -> Option<usize> {
    let line = text.split_inclusive('\n').take(pos.line.checked_sub(1)? as usize).map(str::len).sum::<usize>();
    let column = text.get(line..)?.char_indices().nth(usize::from(pos.col).checked_sub(1)?)?.0;
    Some(line + column)
}

/// Returns whether the name at a place is a member of a value.
fn is_member(text: &str, pos: Pos) -> bool {
    offset(text, pos).is_some_and(|at| text[..at].trim_end().ends_with('.'))
}

/// Refuses what is not a function of the project that nothing else decides about.
fn check_symbol(snapshot: &Snapshot, node: NodeIx, cancel: &Cancel) -> Result<(), CannotRefactor> {
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
    if let Some((file, line)) = find_made_name(snapshot, node) {
        let why = "makes a name that may be its own, so not all of its calls are known";
        return Err(CannotRefactor::at("the function cannot be inlined", &file, line, why));
    }
    if !has_body(snapshot, node, cancel) {
        return at("declares no function with a body of its own", node);
    }
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

/// Returns whether a function has a body, as far as its language says.
fn has_body(snapshot: &Snapshot, node: NodeIx, cancel: &Cancel) -> bool {
    let graph = snapshot.graph();
    let Some(language) = snapshot.file_of(node).map(|file| file.language) else { return true };
    let Ok(source) = read_source(snapshot, graph.path(node)) else { return true };
    let place = (graph.name_line(node), graph.label(node));
    let found = read_declared(language, &source.text, place, (snapshot.limits(), cancel));
    // Other languages have functions that are not declared by this name, as those that are assigned.
    found.map_or(language != Language::Java, |found| found.body.is_some())
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
    // Members of interfaces, and the constants of enums, are public.
    let is_public = |target: NodeIx| {
        says(graph, target, "public")
            || graph.kind(target) == NodeKind::Variant
            || graph.parent(target).is_some_and(|owner| graph.kind(owner) == NodeKind::Interface)
    };
    let is_hidden = |target: NodeIx, path: &str| match language {
        Language::Go => folder(path) != folder(own) && !graph.label(target).starts_with(char::is_uppercase),
        Language::Java => says(graph, target, "private") || folder(path) != folder(own) && !is_public(target),
        Language::Rust => true,
        _ => false,
    };
    for (path, pos) in uses.calls.iter().filter(|(path, _)| path != own) {
        let mut used = graph.out_edges(node).filter(|edge| is_use(edge.relation) && !graph.path(edge.to).is_empty());
        if let Some(edge) = used.find(|edge| graph.kind(edge.to) != NodeKind::File && is_hidden(edge.to, path)) {
            let why =
                format!("may not use `{}`, which the function uses and which is hidden from it", graph.id(edge.to));
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
    snapshot: &'a Snapshot,
    node: NodeIx,
    graph: &'a Graph,
    definition: &'a Source,
    source: &'a Source,
    is_own: bool,
    /// The files that the other file of C or C++ includes.
    included: OnceCell<BTreeSet<String>>,
}

impl<'a> Meaning<'a> {
    fn new(snapshot: &'a Snapshot, node: NodeIx, definition: &'a Source, source: &'a Source) -> Self {
        let is_own = definition.path == source.path;
        Self { snapshot, node, graph: snapshot.graph(), definition, source, is_own, included: OnceCell::new() }
    }

    /// Returns whether a name means the same in the other file, if imports that it needs are added.
    fn is_kept(&self, name: &str) -> bool {
        let folder = |source: &Source| {
            source.path.as_str().rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
        };
        let is_package = folder(self.definition) == folder(self.source);
        match self.definition.language {
            _ if self.is_own => true,
            Language::Go => is_package,
            Language::Java => {
                let find = |source: &Source| find_java_class(self.graph, source, name);
                match (find(self.definition), find(self.source)) {
                    // A name that the file does not have is imported there.
                    (Some(own), other) => other.is_none_or(|other| own == other),
                    (None, None) => is_package && self.has_java_wildcards(name),
                    (None, Some(_)) => false,
                }
            }
            Language::Rust => PRELUDE.contains(&name),
            // A file that calls the function includes what its header knows.
            Language::C | Language::Cpp => {
                let is_header = ["h", "hpp", "hh", "hxx", "inl"]
                    .iter()
                    .any(|end| self.definition.path.as_str().ends_with(&format!(".{end}")));
                is_header || has_word(&self.source.text, name) || self.is_included(name)
            }
            // Names of modules are compared when their imports are carried along.
            _ => true,
        }
    }

    /// Returns whether a header that the other file of C or C++ includes declares what a name means in the function.
    fn is_included(&self, name: &str) -> bool {
        let graph = self.graph;
        let path = self.source.path.as_str();
        let included = self.included.get_or_init(|| list_included(self.snapshot, path));
        let is_known = |target: NodeIx| {
            graph.same_symbol(target).into_iter().any(|declared| included.contains(graph.path(declared)))
        };
        let used = graph.out_edges(self.node).filter(|edge| is_use(edge.relation) && graph.label(edge.to) == name);
        let mut used = used.peekable();
        used.peek().is_some() && used.all(|edge| edge.tier == EdgeTier::Certain && is_known(edge.to))
    }

    /// Returns whether the other file of Java imports all of the packages that may bring a name here.
    fn has_java_wildcards(&self, name: &str) -> bool {
        let list = |source: &'_ Source| -> BTreeSet<String> {
            list_java_imports(&source.text).filter(|path| path.ends_with(".*")).map(str::to_owned).collect()
        };
        !name.starts_with(char::is_uppercase) || list(self.definition).is_subset(&list(self.source))
    }
}

/// Returns whether a text has a word.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
}

/// The path of what a name means in a file of Java, if the file imports it, or it is a class of its package.
fn find_java_class(graph: &Graph, source: &Source, name: &str) -> Option<String> {
    let mut paths = list_java_imports(&source.text);
    if let Some(path) = paths.find(|path| path.rsplit('.').next() == Some(name)) {
        return Some(path.to_owned());
    }
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let is_beside = |node: NodeIx| {
        folder(graph.path(node)) == folder(source.path.as_str()) && graph.parent(node) == graph.file(node)
    };
    if graph.find_labelled(name).into_iter().any(is_beside) {
        return Some(read_java_package(&source.text).map_or_else(|| name.to_owned(), |own| format!("{own}.{name}")));
    }
    JAVA_LANG.contains(&name).then(|| format!("java.lang.{name}"))
}

/// What a file of Java imports, as it is written.
fn list_java_imports(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.trim().strip_prefix("import ")?.strip_suffix(';'))
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
    (snapshot, definition, sources): (&Snapshot, &Source, &BTreeMap<String, Source>),
    (node, body): (NodeIx, &Range<usize>),
    calls: &[(String, Pos)],
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
    let by_calls = before.in_edges(node).filter(|edge| edge.relation == Relation::Calls);
    let callers: BTreeSet<NodeIx> = by_calls.map(|edge| edge.from).collect();
    let after = trial.after.graph();
    let overloads = list_overloads(before, after, node);
    let new_id = |old: &str| {
        let found = overloads.iter().find_map(|(from, to)| {
            let rest = old.strip_prefix(from.as_str()).filter(|rest| rest.is_empty() || rest.starts_with("::"))?;
            Some(format!("{to}{rest}"))
        });
        found.unwrap_or_else(|| old.to_owned())
    };
    let caller_ids: BTreeSet<String> = callers.iter().map(|caller| new_id(before.id(*caller))).collect();
    let now = |id: &str| (!caller_ids.contains(id)).then(|| id.to_owned());
    let then = |id: &str| if is_own(id) { None } else { now(&new_id(id)) };
    trial.check(&then, &now, cancel)?;
    // The callers, which the comparison leaves out.
    for caller in callers {
        let from = new_id(before.id(caller));
        let refuse = |line: u32, why: String| {
            Err(CannotRefactor::at("the function cannot be inlined", before.path(caller), line, why))
        };
        let Some(now) = after.find(&from) else { return refuse(before.name_line(caller), "would be lost".to_owned()) };
        let used = [caller, node].into_iter().flat_map(|node| before.out_edges(node));
        let used = used.filter(|edge| is_use(edge.relation) && edge.tier == EdgeTier::Certain);
        for edge in used.filter(|edge| !is_own(before.id(edge.to)) && edge.relation != Relation::Imports) {
            let target = new_id(before.id(edge.to));
            // What only the head of the function names is gone, and members of values without types are not known.
            let is_of_node = edge.from == node;
            let in_body = |pos: &Pos| offset(&definition.text, *pos).is_some_and(|at| body.contains(&at));
            let places = sites(&edge);
            // The object of a call is gone with it.
            let is_object = |pos: &Pos| {
                let text = sources.get(before.path(caller)).map_or("", |source| source.text.as_str());
                is_object_of_call(text, *pos, calls.iter().filter(|(path, _)| path == before.path(caller)))
            };
            if !is_of_node && !places.is_empty() && places.iter().all(is_object) {
                continue;
            }
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

/// Returns whether a name stands before the name of one of some calls: `Tools` in `a.Tools.load()`.
fn is_object_of_call<'c>(text: &str, pos: Pos, calls: impl Iterator<Item = &'c (String, Pos)>) -> bool {
    let Some(at) = offset(text, pos) else { return false };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':') || c.is_whitespace();
    calls.filter_map(|(_, call)| offset(text, *call)).any(|name| {
        let between = text.get(at..name).unwrap_or_default();
        between.trim_end().ends_with(['.', ':']) && between.chars().all(is_part)
    })
}

/// The ids of the other overloads of a function, before and without it, where they differ.
fn list_overloads(before: &Graph, after: &Graph, node: NodeIx) -> Vec<(String, String)> {
    let (label, owner) = (before.label(node), before.parent(node));
    let owner_id = owner.map(|owner| before.id(owner));
    let is_beside = |other: &NodeIx| *other != node && before.parent(*other) == owner;
    let old = before.find_labelled(label).into_iter().filter(is_beside);
    let find = |signature: &str| {
        let mut found = after.find_labelled(label).into_iter().filter(|other| {
            after.parent(*other).map(|owner| after.id(owner)) == owner_id && after.signature(*other) == signature
        });
        found.next().map(|found| after.id(found).to_owned())
    };
    let pairs = old.filter_map(|other| Some((before.id(other).to_owned(), find(before.signature(other))?)));
    pairs.filter(|(old, new)| old != new).collect()
}
