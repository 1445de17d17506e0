//! A new name for a symbol: the places to change, or the reason why not all of them are known.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{Cancel, Cancelled, ContentHash, EdgeTier, NodeKind, Pos, Relation, RepoPath};
use m1nd_engine::{Language, Snapshot, node_ids};
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use m1nd_lang::FileFacts;

use super::names::{MAX_NAME, has_own_name, is_no_name};
use crate::closure::ClosureState;
use crate::closure::outside::{FromOutside, called_from_outside};
use crate::references::{Occurrence, Role, places_of_name};

/// Most definitions that are renamed together: a method with those that override it.
const MAX_FAMILY: usize = 200;
/// Most comments that are listed.
const MAX_COMMENTS: usize = 200;
/// A file with its new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamedFile {
    /// Its path in the index.
    pub path: RepoPath,
    /// Its new path, where the name of the file must follow.
    pub new_path: Option<RepoPath>,
    /// Hash of the text that the places were found in.
    pub before: ContentHash,
    /// Its new text.
    pub text: String,
    /// Places that change, in order.
    pub places: Vec<Pos>,
}

/// A new name for a symbol.
#[derive(Debug, Clone, PartialEq)]
pub struct Rename {
    /// The definitions that get it.
    pub definitions: Vec<NodeIx>,
    /// Files that change, by path.
    pub files: Vec<RenamedFile>,
    /// References that may mean the symbol, and are left.
    pub possible: Vec<Occurrence>,
    /// Text that describes the symbol, and is left.
    pub documents: Vec<Occurrence>,
    /// Lines of comments in the changed files that have the old name, and are left.
    pub comments: Vec<Comment>,
    /// Code outside of the roots may use the old name.
    pub is_exported: bool,
}

/// A line of a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Its file.
    pub path: RepoPath,
    /// Its line.
    pub line: u32,
    /// The line, without the space around it.
    pub text: String,
}

/// The reason why a symbol is not renamed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotRename {
    /// The node is no definition with a name.
    #[error(
        "`{id}` is a {kind}, which has no name in the code that could be changed; pass a function, type or constant"
    )]
    NoName {
        /// Its id.
        id: String,
        /// Its kind.
        kind: &'static str,
    },
    /// The new name is none.
    #[error("`{name}` cannot be the new name: {why}")]
    BadName {
        /// The text, cut.
        name: String,
        /// The reason.
        why: &'static str,
    },
    /// Something else has the new name already.
    #[error("`{name}` is already the name of `{taken}`; choose another one")]
    Taken {
        /// The new name.
        name: String,
        /// Id of what has it.
        taken: String,
    },
    /// Other code decides about the name.
    #[error("`{id}` {why}; its name cannot be changed here")]
    NotOurs {
        /// The symbol.
        id: String,
        /// The reason.
        why: String,
    },
    /// Not all references are known.
    #[error("not every reference to `{id}` is known: {why}")]
    Open {
        /// The symbol.
        id: String,
        /// What may hide more.
        why: String,
        /// Some of the references that may mean it: file, line.
        hiding: Vec<(String, u32)>,
    },
    /// A file changed since it was indexed, or cannot be read as text.
    #[error("`{path}` {why}; run `ingest` and repeat the call")]
    File {
        /// Its path.
        path: String,
        /// The reason.
        why: &'static str,
    },
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl From<Cancelled> for CannotRename {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// Finds the places that change if a symbol gets another name.
///
/// # Errors
/// [`CannotRename`].
pub fn rename(snapshot: &Snapshot, node: NodeIx, name: &str, cancel: &Cancel) -> Result<Rename, CannotRename> {
    let graph = snapshot.graph();
    check_names(snapshot, node, name)?;
    let definitions = family(snapshot, node)?;
    for &definition in &definitions {
        check_free(graph, definition, name)?;
    }
    let mut found = Rename {
        definitions,
        files: Vec::new(),
        possible: Vec::new(),
        documents: Vec::new(),
        comments: Vec::new(),
        is_exported: false,
    };
    let mut places: BTreeMap<String, BTreeSet<Place>> = BTreeMap::new();
    for &definition in &found.definitions {
        found.is_exported |= graph.flags(definition).has(NodeFlags::EXPORTED);
        places.entry(graph.path(definition).to_owned()).or_default().insert(Place::Definition(definition));
        let answer = places_of_name(snapshot, definition, cancel)?;
        if answer.closure.state != ClosureState::Closed {
            let hiding = answer.closure.hiding.iter().map(|open| (open.file.clone(), open.line)).collect();
            let (id, why) = (graph.id(definition).to_owned(), answer.closure.why);
            return Err(CannotRename::Open { id, why, hiding });
        }
        for row in answer.rows {
            match (row.role, row.tier) {
                (Role::Document, _) => found.documents.push(row),
                (Role::Override, _) => {}
                (_, EdgeTier::Certain) if row.pos.col > 0 => {
                    let is_import = matches!(row.role, Role::Import | Role::Reexport);
                    let at = Place::Use((row.pos.line, row.pos.col), is_import);
                    places.entry(graph.path(row.from).to_owned()).or_default().insert(at);
                }
                _ => found.possible.push(row),
            }
        }
    }
    if graph.kind(node) != NodeKind::Function {
        for member in named_like_class(graph, node) {
            places.entry(graph.path(member).to_owned()).or_default().insert(Place::Definition(member));
        }
    }
    // A call of any of several methods of the family is one reference to it.
    let own: BTreeSet<NodeIx> = found.definitions.iter().copied().collect();
    let is_in_family = |row: &Occurrence| own.contains(&row.to) && row.of > 0 && usize::from(row.of) <= own.len();
    let (of_family, possible) = std::mem::take(&mut found.possible).into_iter().partition::<Vec<_>, _>(is_in_family);
    found.possible = possible;
    for row in of_family {
        let at = Place::Use((row.pos.line, row.pos.col), false);
        places.entry(graph.path(row.from).to_owned()).or_default().insert(at);
    }
    let (old, is_field) = (graph.label(node), graph.kind(node) == NodeKind::Field);
    if is_field {
        check_keys(snapshot, &found.definitions, &places, old, cancel)?;
    }
    for (path, places) in places {
        cancel.check()?;
        let left = MAX_COMMENTS.saturating_sub(found.comments.len());
        let (file, comments) = renamed_file(snapshot, &path, &places, (old, name, is_field), cancel)?;
        found.files.extend(file);
        found.comments.extend(comments.into_iter().take(left));
    }
    Ok(found)
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Definition(NodeIx),
    /// Line and column, and whether it is an import.
    Use((u32, u16), bool),
}

fn check_names(snapshot: &Snapshot, node: NodeIx, name: &str) -> Result<(), CannotRename> {
    let graph = snapshot.graph();
    let (kind, label) = (graph.kind(node), graph.label(node));
    // Names in patterns and of patterns are no words.
    let is_word = label.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    if !has_own_name(kind) || graph.path(node).is_empty() || !is_word || label.is_empty() {
        return Err(CannotRename::NoName { id: graph.id(node).to_owned(), kind: kind.word() });
    }
    let why = match name == label {
        true => Some("it is the name already"),
        false => is_no_name(snapshot.file_of(node).map(|file| file.language), name),
    };
    if let Some(why) = why {
        return Err(CannotRename::BadName { name: name.chars().take(MAX_NAME).collect(), why });
    }
    let not_ours = |why: &str| CannotRename::NotOurs { id: graph.id(node).to_owned(), why: why.to_owned() };
    if label.starts_with("__") && label.ends_with("__") {
        return Err(not_ours("is called by the language under this name"));
    }
    if graph.flags(node).has(NodeFlags::CONSTRUCTOR) {
        return Err(not_ours("is a constructor: rename its class"));
    }
    if label == "main" && kind == NodeKind::Function {
        return Err(not_ours("is where the program starts"));
    }
    Ok(())
}

/// Refuses a name that something beside the definition has.
fn check_free(graph: &Graph, node: NodeIx, name: &str) -> Result<(), CannotRename> {
    let same_place = |other: &NodeIx| {
        graph.parent(*other) == graph.parent(node)
            || (graph.kind(*other) == NodeKind::Function
                && owner_type(graph, *other) == owner_type(graph, node)
                && owner_type(graph, node).is_some())
    };
    match graph.labelled(name).into_iter().find(same_place) {
        Some(taken) => Err(CannotRename::Taken { name: name.to_owned(), taken: graph.id(taken).to_owned() }),
        None => Ok(()),
    }
}

/// The type that a method belongs to, through the block it is written in.
fn owner_type(graph: &Graph, node: NodeIx) -> Option<NodeIx> {
    let parent = graph.parent(node)?;
    if graph.kind(parent) != NodeKind::Impl {
        return None;
    }
    graph
        .in_edges(parent)
        .find(|edge| edge.relation == Relation::Contains && edge.tier == EdgeTier::Certain)
        .map(|edge| edge.from)
}

/// A definition with all that must have the same name: methods that override each other.
fn family(snapshot: &Snapshot, node: NodeIx) -> Result<Vec<NodeIx>, CannotRename> {
    let graph = snapshot.graph();
    let mut all = vec![node];
    let mut next = 0;
    while next < all.len() && all.len() <= MAX_FAMILY {
        let member = all[next];
        next += 1;
        let ends = graph.in_edges(member).map(|edge| (edge.relation, edge.from, edge.tier));
        let starts = graph.out_edges(member).map(|edge| (edge.relation, edge.to, edge.tier));
        let related: Vec<(NodeIx, EdgeTier)> = ends
            .chain(starts)
            .filter(|(relation, ..)| *relation == Relation::Overrides)
            .map(|(_, other, tier)| (other, tier))
            .collect();
        for (other, tier) in &related {
            if *tier == EdgeTier::External || graph.path(*other).is_empty() {
                let why = format!("overrides `{}`, which is outside of the project", graph.id(*other));
                return Err(CannotRename::NotOurs { id: graph.id(member).to_owned(), why });
            }
            if !all.contains(other) {
                all.push(*other);
            }
        }
        // A declaration and its definition have one name.
        for other in graph.same_symbol(member) {
            if !all.contains(&other) {
                all.push(other);
            }
        }
        check_owner(snapshot, member)?;
    }
    if all.len() > MAX_FAMILY {
        let why = format!("overrides or is overridden by more than {MAX_FAMILY} methods");
        return Err(CannotRename::NotOurs { id: graph.id(node).to_owned(), why });
    }
    Ok(all)
}

/// Refuses a function whose name code outside of the project decides about.
fn check_owner(snapshot: &Snapshot, node: NodeIx) -> Result<(), CannotRename> {
    match called_from_outside(snapshot, node).filter(FromOutside::names_it) {
        Some(from) => Err(CannotRename::NotOurs { id: snapshot.graph().id(node).to_owned(), why: from.clause() }),
        None => Ok(()),
    }
}

/// The new text of a file, `None` if nothing in it spells the old name, and comments that do.
fn renamed_file(
    snapshot: &Snapshot,
    path: &str,
    places: &BTreeSet<Place>,
    (old, new, is_field): (&str, &str, bool),
    cancel: &Cancel,
) -> Result<(Option<RenamedFile>, Vec<Comment>), CannotRename> {
    let refuse = |why| CannotRename::File { path: path.to_owned(), why };
    let path = RepoPath::new(path).map_err(|_| refuse("has no valid path"))?;
    let source = snapshot.read_file(&path).map_err(|_| refuse("cannot be read"))?;
    if source.stale {
        return Err(refuse("changed since it was indexed"));
    }
    if source.lossy || source.binary {
        return Err(refuse("is not UTF-8"));
    }
    let language = super::syntax::language_of(snapshot, &path, &source.text);
    let facts = m1nd_lang::extract(language, source.text.as_bytes(), snapshot.limits(), cancel);
    let starts = line_starts(&source.text);
    let mut edits: BTreeMap<usize, (Pos, String)> = BTreeMap::new();
    let mut new_path = None;
    for place in places {
        let positions = match *place {
            Place::Definition(node) => {
                new_path = new_path.or(file_follows(snapshot, node, new));
                definition_positions(snapshot, node, &path, &facts)
            }
            Place::Use((line, col), _) => vec![Pos { line, col }],
        };
        let is_definition = matches!(place, Place::Definition(_));
        let mut found = false;
        for pos in positions {
            let Some(at) = offset(&source.text, &starts, pos).filter(|at| has_word(&source.text, *at, old)) else {
                continue;
            };
            found = true;
            let is_import = matches!(place, Place::Use(_, true));
            let text = match (is_definition || is_import, is_shorthand(&source.text, at, old, language)) {
                (false, true) if is_field => format!("{new}: {old}"),
                (false, true) => format!("{old}: {new}"),
                _ => new.to_owned(),
            };
            edits.entry(at).or_insert((pos, text));
            // Who uses the name that an import gives it anew uses this name as well: `import load as load`.
            if let Some(at) = is_import.then(|| given_again(&source.text, at, old)).flatten() {
                edits.entry(at).or_insert((position(&source.text, &starts, at), new.to_owned()));
            }
        }
        if is_definition && !found {
            return Err(refuse("does not have the definition where the index says"));
        }
    }
    if edits.is_empty() {
        return Ok((None, Vec::new()));
    }
    let mut text = source.text.clone();
    for (at, (_, with)) in edits.iter().rev() {
        text.replace_range(*at..at + old.len(), with);
    }
    let places = edits.into_values().map(|(pos, _)| pos).collect();
    let comments = comments(snapshot, (&path, &source.text), language, old, cancel);
    Ok((Some(RenamedFile { path, new_path, before: source.hash, text, places }), comments))
}

/// Lines of comments that have a word.
fn comments(
    snapshot: &Snapshot,
    (path, text): (&RepoPath, &str),
    language: Language,
    word: &str,
    cancel: &Cancel,
) -> Vec<Comment> {
    let Some(found) = m1nd_lang::comments_with(language, text, word, snapshot.limits(), cancel) else {
        return Vec::new();
    };
    let has_it = |line: &str| line.match_indices(word).any(|(at, _)| has_word(line, at, word));
    let lines_of = |comment: m1nd_lang::CommentText<'_>| {
        let lines = comment.text.lines().zip(comment.line..).filter(|(line, _)| has_it(line));
        let row =
            |(line, number): (&str, u32)| Comment { path: path.clone(), line: number, text: line.trim().to_owned() };
        lines.map(row).collect::<Vec<_>>()
    };
    found.rows.into_iter().flat_map(lines_of).collect()
}

/// Refuses a field of which a literal may give the value by a key that nothing resolves: `{ name: 1 }` takes its type
/// from where it stands, and a macro from where it is used. Only files that use the file of the field count.
fn check_keys(
    snapshot: &Snapshot,
    definitions: &[NodeIx],
    places: &BTreeMap<String, BTreeSet<Place>>,
    old: &str,
    cancel: &Cancel,
) -> Result<(), CannotRename> {
    let graph = snapshot.graph();
    let own: Vec<NodeIx> = definitions.iter().filter_map(|node| graph.file(*node)).collect();
    let mut files: BTreeSet<&str> = places.keys().map(String::as_str).collect();
    for node in own.iter().flat_map(|file| graph.of_file(*file)) {
        files.extend(graph.in_edges(node).map(|edge| graph.path(edge.from)).filter(|path| !path.is_empty()));
    }
    let mut hiding = Vec::new();
    for path in files {
        cancel.check()?;
        let Ok(repo_path) = RepoPath::new(path) else { continue };
        let Ok(source) = snapshot.read_file(&repo_path) else { continue };
        if !source.text.contains(old) {
            continue;
        }
        let language = super::syntax::language_of(snapshot, &repo_path, &source.text);
        let facts = m1nd_lang::extract(language, source.text.as_bytes(), snapshot.limits(), cancel);
        let exact = facts.references.iter().filter(|reference| !reference.inexact).map(|reference| reference.pos);
        let known: BTreeSet<Pos> = exact.chain(facts.definitions.iter().map(|definition| definition.pos)).collect();
        let starts = line_starts(&source.text);
        let is_renamed = |pos: &Pos| {
            places.get(path).is_some_and(|places| {
                [false, true].iter().any(|import| places.contains(&Place::Use((pos.line, pos.col), *import)))
            })
        };
        let at_key =
            |(at, _): (usize, &str)| is_key(&source.text, at, old).then(|| position(&source.text, &starts, at));
        let keys = source.text.match_indices(old).filter_map(at_key);
        hiding
            .extend(keys.filter(|pos| !known.contains(pos) && !is_renamed(pos)).map(|pos| (path.to_owned(), pos.line)));
    }
    match hiding.len() {
        0 => Ok(()),
        count => Err(CannotRename::Open {
            id: graph.id(definitions[0]).to_owned(),
            why: format!("{count} key(s) of this name in literals or macros may be it"),
            hiding,
        }),
    }
}

/// Returns whether a word at an offset is the key of a literal in braces.
fn is_key(text: &str, at: usize, word: &str) -> bool {
    let after = text[at + word.len()..].trim_start_matches([' ', '\t']);
    has_word(text, at, word)
        && after.starts_with(':')
        && !after.starts_with("::")
        && text[..at].trim_end().ends_with(['{', ','])
        && is_in_braces(&text[..at])
}

/// The place of an offset.
fn position(text: &str, starts: &[usize], at: usize) -> Pos {
    let line = starts.partition_point(|start| *start <= at);
    let column = text[starts[line - 1]..at].chars().count() + 1;
    Pos { line: u32::try_from(line).unwrap_or(u32::MAX), col: u16::try_from(column).unwrap_or(u16::MAX) }
}

/// Places of the name of a node, of constructors that have it, too, and of definitions that are the same node: those of
/// the same signature in one place, like the branches of a condition.
fn definition_positions(snapshot: &Snapshot, node: NodeIx, path: &RepoPath, facts: &FileFacts) -> Vec<Pos> {
    let graph = snapshot.graph();
    let (label, lines) = (graph.label(node), graph.lines(node));
    let is_type = graph.kind(node) != NodeKind::Function;
    let ids = node_ids(path, facts);
    let own = facts.definitions.iter().zip(&ids).filter(|(definition, _)| facts.name(definition.name) == label);
    own.filter(|(definition, id)| {
        let (first, last) = (definition.line_start, definition.line_end);
        let is_constructor = is_type && definition.flags.is_constructor && lines.0 <= first && last <= lines.1;
        id.as_deref() == Some(graph.id(node)) || (first, last) == lines || is_constructor
    })
    .map(|(definition, _)| {
        let mut pos = definition.pos;
        // The name of a destructor begins with a sign.
        pos.col += u16::from(label.starts_with('~'));
        pos
    })
    .collect()
}

/// Constructors and destructors of a class, wherever they are written: they have its name.
fn named_like_class(graph: &Graph, class: NodeIx) -> Vec<NodeIx> {
    let label = graph.label(class);
    let has_name = |node: &NodeIx| graph.label(*node).trim_start_matches('~') == label;
    let members = graph.out_edges(class).filter(|edge| edge.relation == Relation::Contains).map(|edge| edge.to);
    let members = members.filter(|node| graph.kind(*node) == NodeKind::Function).filter(has_name).collect();
    graph.with_same_symbols(members)
}

/// The new path of a file that must have the name of its class.
fn file_follows(snapshot: &Snapshot, node: NodeIx, new: &str) -> Option<RepoPath> {
    let graph = snapshot.graph();
    let file = snapshot.file_of(node)?;
    let name = file.path.file_name();
    let is_top = graph.parent(node) == graph.file(node);
    let follows = file.language == Language::Java && is_top && name == format!("{}.java", graph.label(node));
    follows.then(|| RepoPath::new(&format!("{}/{new}.java", file.path.parent()).replace("//", "/")).ok()).flatten()
}

/// Byte offsets of the lines of a text.
fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

fn offset(text: &str, starts: &[usize], pos: Pos) -> Option<usize> {
    let start = *starts.get((pos.line as usize).checked_sub(1)?)?;
    let line = &text[start..];
    let column = usize::from(pos.col).checked_sub(1)?;
    line.char_indices().nth(column).map(|(at, _)| start + at)
}

/// Returns whether the whole word at an offset is this one.
fn has_word(text: &str, at: usize, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text[at..].strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_part)) && !text[..at].ends_with(is_part)
}

/// Where an import at a place gives a name again: behind `as`.
fn given_again(text: &str, at: usize, word: &str) -> Option<usize> {
    let rest = text[at + word.len()..].trim_start();
    let alias = rest.strip_prefix("as").filter(|alias| alias.starts_with([' ', '\t']))?.trim_start();
    let at = text.len() - alias.len();
    has_word(text, at, word).then_some(at)
}

/// Returns whether a name stands for a field and a value at once: `Point { x }`, `{ load }`.
fn is_shorthand(text: &str, at: usize, word: &str, language: Language) -> bool {
    let has_them = matches!(language, Language::Rust | Language::JavaScript | Language::TypeScript | Language::Tsx);
    let before = text[..at].trim_end();
    let after = text[at + word.len()..].trim_start();
    if !(has_them && before.ends_with(['{', ',']) && after.starts_with([',', '}'])) {
        return false;
    }
    is_in_braces(before)
}

/// Returns whether the nearest bracket that is open at the end of a text is a brace, not that of arguments.
fn is_in_braces(before: &str) -> bool {
    let mut depth = 0usize;
    for c in before.chars().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '{' if depth == 0 => return true,
            '(' | '[' if depth == 0 => return false,
            '(' | '[' | '{' => depth -= 1,
            _ => {}
        }
    }
    false
}
