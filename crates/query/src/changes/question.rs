//! What a question about two states asks for, and what answers it: new dependencies of files, circles, files that lost
//! all connections, removed definitions that others could use, dependencies against the layers.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use m1nd_base::{Cancel, Cancelled, EdgeTier, NodeKind, RepoPath, node_id};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeFlags};
use rustc_hash::{FxHashMap, FxHashSet};

use super::differential::{GraphDifference, file_path};
use crate::components::{components, depends};
use crate::layers::{Against, Grain, Layering, LayersQuery, declaration, files};
use crate::scope::Scope;

/// Words that say nothing about the code.
const COMMON_WORDS: [&str; 46] = [
    "all", "and", "any", "api", "appear", "appeared", "are", "away", "between", "came", "change", "changed", "changes",
    "code", "did", "does", "file", "files", "for", "from", "get", "got", "has", "have", "into", "module", "modules",
    "new", "now", "public", "since", "some", "symbol", "symbols", "than", "that", "the", "there", "these", "this",
    "was", "went", "were", "what", "which", "with",
];
/// Files of a circle that are named.
const NAMED: usize = 8;

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// Files that depend on others that they did not depend on.
    NewCoupling,
    /// Definitions that went away and could be used from outside of their file.
    RemovedApi,
    /// Files on a circle of dependencies that did not depend on each other both ways.
    NewCycle,
    /// Files that lost every dependency in both directions.
    Isolated,
    /// Dependencies that are new and contradict the layers: those that the project declares, else the inferred ones.
    LayerViolation,
}

impl Asked {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::NewCoupling, Self::RemovedApi, Self::NewCycle, Self::Isolated, Self::LayerViolation];

    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NewCoupling => "new_coupling",
            Self::RemovedApi => "removed_api",
            Self::NewCycle => "new_cycle",
            Self::Isolated => "isolated",
            Self::LayerViolation => "layer_violation",
        }
    }

    /// Starts of the words that ask for it.
    const fn stems(self) -> &'static [&'static str] {
        match self {
            Self::NewCoupling => &["coupl", "depend", "coupled"],
            Self::RemovedApi => &["remov", "delet", "gone", "vanish", "breaking"],
            Self::NewCycle => &["cycl", "circular", "circle"],
            Self::Isolated => &["isolat", "orphan", "disconnect"],
            Self::LayerViolation => &["layer", "upward", "violat"],
        }
    }
}

/// A question in words: what it asks for, and the words that rows must have one of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// What it asks for, in the order of [`Asked::ALL`].
    pub asked: Vec<Asked>,
    /// Words in lower case that may be parts of names.
    pub words: Vec<String>,
}

impl Question {
    /// Reads a question: letters, digits and `_` are words, of at least three characters.
    pub fn parse(text: &str) -> Self {
        let all: Vec<String> = text
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| word.chars().count() > 2)
            .map(str::to_lowercase)
            .collect();
        let asks = |word: &str, asked: Asked| asked.stems().iter().any(|stem| word.starts_with(stem));
        let is_asking = |word: &String| Asked::ALL.into_iter().any(|asked| asks(word, asked));
        Self {
            asked: Asked::ALL.into_iter().filter(|asked| all.iter().any(|word| asks(word, *asked))).collect(),
            words: all
                .iter()
                .filter(|word| !is_asking(word) && !COMMON_WORDS.contains(&word.as_str()))
                .cloned()
                .collect(),
        }
    }

    /// Leaves out the words that are part of no name in either state, and returns them.
    pub fn drop_unknown(&mut self, before: &Snapshot, after: &Snapshot) -> Vec<String> {
        let is_known = |word: &String| {
            [before, after].iter().any(|snapshot| {
                let graph = snapshot.graph();
                graph.nodes().any(|node| contains_ignoring_case(graph.id(node), word))
            })
        };
        let (known, unknown) = std::mem::take(&mut self.words).into_iter().partition(is_known);
        self.words = known;
        unknown
    }
}

/// Whether a text has a word of lower-case letters, in any case.
fn contains_ignoring_case(text: &str, word: &str) -> bool {
    if !word.is_ascii() {
        return text.to_lowercase().contains(word);
    }
    text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

/// An answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it answers.
    pub asked: Asked,
    /// It in words.
    pub detail: String,
    /// Paths, or ids of nodes, that it is about.
    pub names: Vec<String>,
    /// File and line where it can be seen in the newer state, if it can.
    pub place: Option<(String, u32)>,
}

/// A dependency of a file on another one: file and line of its first place.
type Arcs = BTreeMap<(String, String), (String, u32)>;

/// What answers a question, in the order of what was asked; each kind by its names. Adds to `gaps` what cannot be told.
///
/// # Errors
/// [`Cancelled`].
pub fn findings(
    (before, after): (&Snapshot, &Snapshot),
    found: &GraphDifference,
    scope: &Scope,
    asked: &[Asked],
    gaps: &mut Vec<String>,
    cancel: &Cancel,
) -> Result<Vec<Finding>, Cancelled> {
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let moved: FxHashMap<&str, &str> =
        found.renamed.iter().filter_map(|row| Some((file_path(&row.from)?, file_path(&row.to)?))).collect();
    let now = |path: &str| moved.get(path).copied().unwrap_or(path).to_owned();
    let renamed = |arcs: Arcs| arcs.into_iter().map(|((from, to), place)| ((now(&from), now(&to)), place)).collect();
    // A dependency that was possible only may have been there: it is not new. One that is possible only may still be
    // there: it is not gone.
    let (was, may_have_been) = (arcs(before.graph(), true, cancel)?, arcs(before.graph(), false, cancel)?);
    let (was, may_have_been): (Arcs, Arcs) = (renamed(was), renamed(may_have_been));
    let (is, may_be) = (arcs(after.graph(), true, cancel)?, arcs(after.graph(), false, cancel)?);
    let mut rows = Vec::new();
    for asked in asked {
        let mut own = match asked {
            Asked::NewCoupling => new_couplings(&may_have_been, &is),
            Asked::RemovedApi => removed_api(before.graph(), found),
            Asked::NewCycle => new_cycles(&may_have_been, &is),
            Asked::Isolated => find_isolated(&was, &may_be, after.graph()),
            Asked::LayerViolation => layer_violations(&may_have_been, after, gaps, cancel)?,
        };
        own.sort_by_key(is_of_test);
        rows.extend(own);
    }
    let is_inside = |row: &Finding| row.names.iter().any(|name| scope.has(path_in(name)));
    rows.retain(is_inside);
    Ok(rows)
}

/// Whether a finding is about a test: those come last.
fn is_of_test(row: &Finding) -> bool {
    let path = row.names.first().and_then(|name| RepoPath::new(path_in(name)).ok());
    path.is_some_and(|path| m1nd_lang::is_test_path(&path))
}

/// The path of the file that a path or an id names.
fn path_in(name: &str) -> &str {
    node_id::path_of(name).unwrap_or(name)
}

/// The dependencies between files: only certain ones, or possible ones as well.
fn arcs(graph: &Graph, certain: bool, cancel: &Cancel) -> Result<Arcs, Cancelled> {
    let mut found = Arcs::new();
    for (number, node) in graph.nodes().enumerate() {
        if number % 1024 == 0 {
            cancel.check()?;
        }
        let from = graph.path(node);
        let counts = |tier: EdgeTier| tier == EdgeTier::Certain || !certain && tier == EdgeTier::Possible;
        let own = graph.out_edges(node).filter(|edge| depends(edge.relation) && counts(edge.tier));
        for edge in own {
            let to = graph.path(edge.to);
            if from == to || from.is_empty() || to.is_empty() || graph.file(edge.to).is_none() {
                continue;
            }
            let line = edge.sites.get(0).map_or_else(|| graph.name_line(edge.from), |pos| pos.line);
            let place = (from.to_owned(), line);
            let known = found.entry((from.to_owned(), to.to_owned())).or_insert_with(|| place.clone());
            *known = place.min(known.clone());
        }
    }
    Ok(found)
}

fn new_couplings(old: &Arcs, new: &Arcs) -> Vec<Finding> {
    let added = new.iter().filter(|(pair, _)| !old.contains_key(*pair));
    let row = |((from, to), place): (&(String, String), &(String, u32))| Finding {
        asked: Asked::NewCoupling,
        detail: format!("{from} depends on {to}, which it did not"),
        names: vec![from.clone(), to.clone()],
        place: Some(place.clone()),
    };
    added.map(row).collect()
}

fn removed_api(before: &Graph, found: &GraphDifference) -> Vec<Finding> {
    let row = |id: &String| {
        let node = before.find(id)?;
        let flags = before.flags(node);
        let is_api = flags.has(NodeFlags::EXPORTED) && !flags.has(NodeFlags::TEST);
        if !is_api || before.kind(node) == NodeKind::File || before.kind(node).is_outside() {
            return None;
        }
        let own = before.file(node);
        let users: FxHashSet<_> = before
            .in_edges(node)
            .filter(|edge| depends(edge.relation))
            .filter_map(|edge| before.file(edge.from))
            .filter(|file| Some(*file) != own)
            .collect();
        let kind = before.kind(node).word();
        Some(Finding {
            asked: Asked::RemovedApi,
            detail: format!(
                "{kind} {} was exported, and used by {}",
                before.label(node),
                m1nd_base::count(users.len(), "file")
            ),
            names: vec![id.clone()],
            place: None,
        })
    };
    found.removed_nodes.iter().filter_map(row).collect()
}

/// The files of circles with a dependency that is new.
fn new_cycles(old: &Arcs, new: &Arcs) -> Vec<Finding> {
    let (was, is) = (circles(old), circles(new));
    let mut by_circle: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (path, circle) in &is {
        by_circle.entry(*circle).or_default().push((*path).to_owned());
    }
    let mut rows: Vec<Finding> = Vec::new();
    for paths in by_circle.into_values() {
        let known: FxHashSet<Option<&usize>> = paths.iter().map(|path| was.get(path.as_str())).collect();
        if known.len() == 1 && !known.contains(&None) {
            continue;
        }
        let own: FxHashSet<&str> = paths.iter().map(String::as_str).collect();
        let is_new = |pair: &&(String, String)| {
            own.contains(pair.0.as_str()) && own.contains(pair.1.as_str()) && !old.contains_key(*pair)
        };
        let place = new.keys().find(is_new).map(|pair| new[pair].clone());
        // A circle that grew is told by the files that joined the largest one of before.
        let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
        paths
            .iter()
            .filter_map(|path| was.get(path.as_str()))
            .for_each(|circle| *sizes.entry(*circle).or_default() += 1);
        let largest = sizes.iter().max_by_key(|(circle, size)| (**size, Reverse(**circle))).map(|(circle, _)| *circle);
        let is_joined = |path: &&String| largest.is_none() || was.get(path.as_str()).copied() != largest;
        let joined: Vec<&String> = paths.iter().filter(is_joined).collect();
        let more = joined.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let names: Vec<String> = joined.iter().take(NAMED).map(|path| (*path).clone()).collect();
        let shown = format!("{}{more}", names.join(", "));
        let detail = match paths.len() - joined.len() {
            0 => format!("depend on each other, which they did not: {shown}"),
            before => format!("joined a circle of {before} files that depend on each other: {shown}"),
        };
        rows.push(Finding { asked: Asked::NewCycle, detail, names, place });
    }
    rows
}

/// The files that are on a circle, with a number for each circle.
fn circles(arcs: &Arcs) -> BTreeMap<&str, usize> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for (from, to) in arcs.keys() {
        for path in [from, to] {
            let next = numbers.len();
            numbers.entry(path).or_insert(next);
        }
    }
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); numbers.len()];
    for (from, to) in arcs.keys() {
        next[numbers[from.as_str()]].push(numbers[to.as_str()]);
    }
    let of = components(&next);
    let mut sizes: FxHashMap<usize, usize> = FxHashMap::default();
    of.iter().for_each(|component| *sizes.entry(*component).or_default() += 1);
    numbers.retain(|_, number| sizes[&of[*number]] > 1);
    numbers.values_mut().for_each(|number| *number = of[*number]);
    numbers
}

fn find_isolated(old: &Arcs, new: &Arcs, after: &Graph) -> Vec<Finding> {
    let ends = |arcs: &'_ Arcs| -> FxHashSet<String> {
        arcs.keys().flat_map(|(from, to)| [from.clone(), to.clone()]).collect()
    };
    let still = ends(new);
    let mut gone: Vec<String> = ends(old).into_iter().filter(|path| !still.contains(path)).collect();
    gone.retain(|path| after.find_file(path).is_some());
    gone.sort();
    let row = |path: String| Finding {
        asked: Asked::Isolated,
        detail: format!("no dependency of {path} on another file, or of one on it, is left that is known"),
        place: Some((path.clone(), 1)),
        names: vec![path],
    };
    gone.into_iter().map(row).collect()
}

/// New dependencies that contradict the layers of the newer state.
fn layer_violations(
    old: &Arcs,
    after: &Snapshot,
    gaps: &mut Vec<String>,
    cancel: &Cancel,
) -> Result<Vec<Finding>, Cancelled> {
    // The layers are those that the project declares, else those that its dependencies show.
    let declared = match declaration(after) {
        Ok(declared) => declared,
        Err(error) => {
            gaps.push(format!("layers cannot be told: {error}"));
            return Ok(Vec::new());
        }
    };
    let files = files(after, cancel)?;
    let query = LayersQuery { grain: Some(Grain::Folders), ..LayersQuery::default() };
    let layering = Layering::of(after, &files, declared.as_ref(), &query, cancel)?;
    let graph = after.graph();
    let by = if layering.is_declared { "declared" } else { "inferred" };
    let row = |against: &Against| {
        let arc = &files.arcs[against.arc];
        let (from, to) = (graph.path(files.nodes[arc.from]), graph.path(files.nodes[arc.to]));
        let names = (from.to_owned(), to.to_owned());
        let layer = |level: usize| layering.layers.get(level).map_or("", |layer| layer.name.as_str());
        let (own, other) = (layer(against.levels.0), layer(against.levels.1));
        let what = against.violation.word();
        // Dependencies that existed before are not part of the change.
        (!old.contains_key(&names)).then(|| Finding {
            asked: Asked::LayerViolation,
            detail: format!("{what}: {from} (`{own}`) depends on {to} (`{other}`); the layers are {by}"),
            place: arc.lines.first().map(|line| (from.to_owned(), *line)),
            names: vec![names.0, names.1],
        })
    };
    Ok(layering.against.iter().filter_map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_questions_ask_for() {
        let cases: [(&str, &[Asked], &[&str]); 7] = [
            ("Any new layering violations?", &[Asked::LayerViolation], &[]),
            ("What new coupling appeared between the modules?", &[Asked::NewCoupling], &[]),
            ("which public API was removed from store", &[Asked::RemovedApi], &["store"]),
            ("new circular dependencies in billing", &[Asked::NewCoupling, Asked::NewCycle], &["billing"]),
            ("is anything isolated or orphaned now", &[Asked::Isolated], &["anything"]),
            ("load_user", &[], &["load_user"]),
            ("", &[], &[]),
        ];
        for (text, asked, words) in cases {
            let question = Question::parse(text);
            assert_eq!(
                (question.asked.as_slice(), question.words),
                (asked, words.iter().map(ToString::to_string).collect()),
                "{text}"
            );
        }
    }

    #[test]
    fn circles_are_those_of_more_than_one_file() {
        let arc = |from: &str, to: &str| ((from.to_owned(), to.to_owned()), (from.to_owned(), 1));
        let old: Arcs = [arc("a", "b"), arc("c", "d"), arc("d", "c")].into();
        let mut new = old.clone();
        new.extend([arc("b", "e"), arc("e", "a")]);
        let rows = new_cycles(&old, &new);
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert_eq!((rows[0].names.join(" "), rows[0].place.clone()), ("a b e".to_owned(), Some(("b".to_owned(), 1))));
        assert!(new_cycles(&new, &new).is_empty() && new_cycles(&new, &old).is_empty());
        let mut grown = new.clone();
        grown.extend([arc("a", "f"), arc("f", "b")]);
        let rows = new_cycles(&new, &grown);
        assert_eq!(rows[0].detail, "joined a circle of 3 files that depend on each other: f");
    }
}
