//! `extract_function`: lines of a function become a function of their own.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{Cancel, EdgeTier, Pos, Relation};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::{Graph, NodeIx};
use m1nd_lang::local_code::{Lines, NewMember, Replacement, extract_lines};
use m1nd_lang::name_places;

use super::inline_function::offset;
use super::known_calls::{CallsOf, find_class, is_c_family};
use super::trial::Trial;
use super::{CannotRefactor, NewFile, Note, Refactoring, Source, read_source};
use crate::edits::names::is_no_name;
use crate::edits::verify::{is_use, sites};

/// Most classes that are asked whether they have a member of the new name.
const MAX_CLASSES: usize = 500;

/// Lines that become a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractFunction {
    /// The file.
    pub path: String,
    /// The first line, from 1.
    pub first_line: u32,
    /// The last line.
    pub last_line: u32,
    /// The name of the new function.
    pub name: String,
}

/// Plans the operation.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(
    snapshot: &Snapshot,
    request: &ExtractFunction,
    cancel: &Cancel,
) -> Result<Refactoring, CannotRefactor> {
    let source = read_source(snapshot, &request.path)?;
    let name = request.name.as_str();
    if let Some(why) = is_no_name(Some(source.language), name, "") {
        return Err(CannotRefactor::BadRequest(format!("`{name}` cannot be the name of a function: {why}")));
    }
    let origin = find_origin(snapshot.graph(), request);
    check_name(snapshot, (&source, origin), name, cancel)?;
    // The new text.
    let lines = Lines { first: request.first_line, last: request.last_line, name };
    let calls = CallsOf::new(snapshot, &source, cancel);
    let planned = extract_lines(source.language, &source.text, lines, &calls, (snapshot.limits(), cancel));
    let not_known =
        || CannotRefactor::NotForLanguage { operation: "extract_function", language: source.language.name() };
    let extracted = planned.ok_or_else(not_known)?.map_err(|obstacle| {
        CannotRefactor::at("the lines cannot become a function", &request.path, obstacle.line, obstacle.why)
    })?;
    let mut replaced = extracted.replaced;
    let mut files = Vec::new();
    if let Some(member) = &extracted.member {
        let (file, place) = find_member_place(snapshot, request, &source, member)?;
        match file.path == source.path {
            true => replaced.push(place),
            false => files.push(NewFile {
                path: file.path,
                before: Some(file.hash),
                text: Some(apply(&file.text, &[place])),
            }),
        }
    }
    files.push(NewFile {
        path: source.path.clone(),
        before: Some(source.hash),
        text: Some(apply(&source.text, &replaced)),
    });
    files.sort_by(|a, b| a.path.cmp(&b.path));
    // The project with it: what the new function uses counts as used by the one that it comes from.
    let trial = Trial::link(snapshot, &files, cancel)?;
    let is_untyped = matches!(source.language, Language::Python | Language::JavaScript);
    let moved: Vec<&str> = source.text.lines().collect();
    let moved = moved[request.first_line as usize - 1..(request.last_line as usize).min(moved.len())].join("\n");
    check(&trial, (snapshot.graph(), &source), (origin, request), (is_untyped, &moved), cancel)?;
    let is_exported = source.language == Language::Go && name.starts_with(char::is_uppercase);
    let notes = is_exported.then(|| Note {
        file: request.path.clone(),
        line: request.first_line,
        what: format!("`{name}` begins with a capital, so other packages can call it"),
    });
    Ok(Refactoring { files, places: 1, notes: notes.into_iter().collect() })
}

/// The text with all replacements, which do not overlap.
pub(super) fn apply(text: &str, replaced: &[Replacement]) -> String {
    let mut sorted: Vec<&Replacement> = replaced.iter().collect();
    sorted.sort_by_key(|replacement| (replacement.range.start, replacement.range.end));
    let (mut new, mut from) = (String::with_capacity(text.len()), 0);
    for replacement in sorted {
        new.push_str(text.get(from..replacement.range.start).unwrap_or_default());
        new.push_str(&replacement.text);
        from = replacement.range.end.max(from);
    }
    new.push_str(text.get(from..).unwrap_or_default());
    new
}

/// The declaration of a new method at the end of its class, with the file of the class.
fn find_member_place(
    snapshot: &Snapshot,
    request: &ExtractFunction,
    source: &Source,
    member: &NewMember,
) -> Result<(Source, Replacement), CannotRefactor> {
    let graph = snapshot.graph();
    let refuse =
        |why: String| CannotRefactor::at("the lines cannot become a function", &request.path, request.first_line, why);
    let class = find_class(snapshot, &member.class).ok_or_else(|| {
        refuse(format!("`{}`, which the function belongs to, is not known as one class", member.class))
    })?;
    let file = read_source(snapshot, graph.path(class))?;
    let is_own = file.path == source.path;
    // What the declaration names must be known in the file of the class.
    let known: BTreeSet<&str> = split_words(&file.text).collect();
    let is_known = |word: &str| match word.contains("::") {
        true => file.text.contains(word),
        false => known.contains(word) || is_everywhere(word),
    };
    let unknown = member.words.iter().find(|word| !is_known(word));
    if let Some(word) = unknown.filter(|_| !is_own) {
        return Err(refuse(format!("the class would have to name `{word}`, which `{}` does not", file.path.as_str())));
    }
    let (first, last) = graph.lines(class);
    let start: usize = file.text.split_inclusive('\n').take(first as usize - 1).map(str::len).sum();
    let end: usize = file.text.split_inclusive('\n').take(last as usize).map(str::len).sum();
    let brace = file.text[start..end].rfind('}').map(|at| start + at);
    let brace = brace.ok_or_else(|| refuse(format!("the end of `{}` is not found", member.class)))?;
    // On lines of its own before the closing brace.
    let line = file.text[..brace].rfind('\n').map_or(0, |at| at + 1);
    let own: String = file.text[line..brace].chars().take_while(|c| c.is_whitespace()).collect();
    let body = &file.text[start..line.max(start)];
    let access = body.lines().map(str::trim_end).rfind(|line| {
        matches!(line.trim_start(), "private:" | "public:" | "protected:")
            && line.len() - line.trim_start().len() <= own.len() + 4
    });
    let unit = body
        .lines()
        .skip(1)
        .find(|line| line.trim_end().ends_with(';'))
        .map_or("  ", |line| &line[..line.len() - line.trim_start().len()]);
    let head = match access {
        Some(found) if found.trim_start() == "private:" => String::new(),
        Some(found) => format!("\n{}private:\n", &found[..found.len() - found.trim_start().len()]),
        None => format!("\n{own}private:\n"),
    };
    let before = if file.text[line..brace].trim().is_empty() { "" } else { "\n" };
    let at = if before.is_empty() { line } else { brace };
    let text = format!("{before}{head}{unit}{}\n", member.declaration);
    Ok((file, Replacement { range: at..at, text }))
}

fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Returns whether every file of C++ knows a word of a type.
fn is_everywhere(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "void", "bool", "char", "int", "long", "short", "unsigned", "signed", "float", "double", "const", "volatile",
        "struct", "class", "enum", "typename", "std",
    ];
    WORDS.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The innermost node around the lines.
fn find_origin(graph: &Graph, request: &ExtractFunction) -> Option<NodeIx> {
    let file = graph.find_file(&request.path)?;
    let holds = |node: &NodeIx| {
        let (first, last) = graph.lines(*node);
        // What the lines are made of goes along with them.
        let is_inside = request.first_line <= first && last <= request.last_line;
        first <= request.first_line && request.last_line <= last && !is_inside
    };
    graph.of_file(file).into_iter().filter(holds).min_by_key(|node| {
        let (first, last) = graph.lines(*node);
        (last - first, std::cmp::Reverse(graph.id(*node).len()))
    })
}

/// Refuses a name that something in reach of the new function has.
fn check_name(
    snapshot: &Snapshot,
    (source, origin): (&Source, Option<NodeIx>),
    name: &str,
    cancel: &Cancel,
) -> Result<(), CannotRefactor> {
    let graph = snapshot.graph();
    let taken = |file: &str, line: u32| {
        CannotRefactor::at(format!("`{name}` is taken"), file, line, "has this name already; choose another one")
    };
    let places = name_places(source.language, &source.text, name, snapshot.limits(), cancel).unwrap_or_default();
    if let Some(place) = places.first() {
        let line = source.text[..place.start].bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
        return Err(taken(source.path.as_str(), line));
    }
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let related = origin.map(|origin| list_related(graph, origin)).unwrap_or_default();
    let clash = graph.find_labelled(name).into_iter().find(|node| {
        let is_beside = source.language == Language::Go && folder(graph.path(*node)) == folder(source.path.as_str());
        // A header may bring the name along.
        let is_c =
            || is_c_family(source.language) && snapshot.file_of(*node).is_some_and(|file| is_c_family(file.language));
        is_beside || is_c() || graph.parent(*node).is_some_and(|parent| related.contains(&parent))
    });
    match clash {
        Some(node) => Err(taken(graph.path(node), graph.name_line(node))),
        None => Ok(()),
    }
}

/// The classes around a node, with those that they derive from and those that derive from them.
fn list_related(graph: &Graph, origin: NodeIx) -> BTreeSet<NodeIx> {
    let mut found: BTreeSet<NodeIx> = graph.ancestors(origin).collect();
    let mut rest: Vec<NodeIx> = found.iter().copied().collect();
    while let Some(class) = rest.pop().filter(|_| found.len() < MAX_CLASSES) {
        let is_base = |relation: Relation| matches!(relation, Relation::Inherits | Relation::Implements);
        let up = graph.out_edges(class).filter(|edge| is_base(edge.relation)).map(|edge| edge.to);
        let down = graph.in_edges(class).filter(|edge| is_base(edge.relation)).map(|edge| edge.from);
        for next in up.chain(down).collect::<Vec<_>>() {
            if found.insert(next) {
                rest.push(next);
            }
        }
    }
    found
}

/// Compares the project with the new function with the one before.
fn check(
    trial: &Trial<'_>,
    (before, source): (&Graph, &Source),
    (origin, request): (Option<NodeIx>, &ExtractFunction),
    (is_untyped, moved): (bool, &str),
    cancel: &Cancel,
) -> Result<(), CannotRefactor> {
    let after = trial.after.graph();
    let new = after.find_labelled(&request.name).into_iter().find(|node| after.path(*node) == request.path);
    let Some(new) = new else {
        return Err(CannotRefactor::NotLinked { why: format!("`{}` is not found in the new text", request.name) });
    };
    let head = after.signature(new);
    let (new, origin) = (after.id(new).to_owned(), origin.map(|node| before.id(node).to_owned()).unwrap_or_default());
    let then = |id: &str| Some(id.to_owned());
    let now = |id: &str| match id.strip_prefix(new.as_str()) {
        Some(rest) if rest.is_empty() || rest.starts_with("::") => Some(format!("{origin}{rest}")),
        _ => Some(id.to_owned()),
    };
    if !is_untyped {
        return trial.check(&then, &now, cancel);
    }
    // Members of values whose types are not written are known by what a function did before: its lines are compared by
    // the names that they write without a value before them.
    let is_part =
        |id: &str, of: &str| id.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
    let other = |id: &str| (!is_part(id, &origin) && !is_part(id, &new)).then(|| id.to_owned());
    trial.check(&other, &other, cancel)?;
    let list = |graph: &Graph| -> BTreeMap<String, Vec<Pos>> {
        let nodes = graph.find_file(&request.path).into_iter().flat_map(|file| graph.of_file(file));
        let own = nodes.filter(|node| is_part(graph.id(*node), &origin) || is_part(graph.id(*node), &new));
        let edges = own.flat_map(|node| graph.out_edges(node).collect::<Vec<_>>());
        let certain = edges.filter(|edge| edge.tier == EdgeTier::Certain && is_use(edge.relation));
        let mut places: BTreeMap<String, Vec<Pos>> = BTreeMap::new();
        for edge in certain {
            places.entry(graph.id(edge.to).to_owned()).or_default().extend(sites(&edge));
        }
        places
    };
    let now_used = list(after);
    let is_bare = |id: &String| {
        let label = before.find(id).map_or("", |node| before.label(node));
        !moved.contains(&format!(".{label}")) && !is_part(id, &origin)
    };
    // A name that the new function takes means the value that is passed.
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_passed = |pos: &Pos| {
        let word = offset(&source.text, *pos).and_then(|at| source.text[at..].split(|c| !is_word(c)).next());
        word.is_some_and(|word| !word.is_empty() && head.split(|c| !is_word(c)).any(|part| part == word))
    };
    let is_lost = |(id, places): &(String, Vec<Pos>)| {
        !now_used.contains_key(id) && is_bare(id) && (places.is_empty() || !places.iter().all(is_passed))
    };
    match list(before).into_iter().find(is_lost) {
        Some((id, _)) => {
            let why = format!("would no longer lead to `{id}`");
            Err(CannotRefactor::at("the lines cannot become a function", &request.path, request.first_line, why))
        }
        None => Ok(()),
    }
}
