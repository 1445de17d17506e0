//! Maps stack frames to nodes of the graph, independent of where the program was built or installed.

use m1nd_base::{NodeKind, RepoPath};
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use m1nd_trace::{Format, Frame, Origin};
use rustc_hash::{FxHashMap, FxHashSet};

use super::built::made_from;
use super::packages::{Folders, Packages};
use m1nd_engine::Language;
use m1nd_engine::Snapshot;

/// Other files kept that fit a frame as well.
const MAX_OTHERS: usize = 5;
/// Parts of a path from its end that two files must share at least, unless one path is wholly within the other.
const LEAST_SHARED: usize = 2;
/// Folders whose children are packages, named after them.
const PACKAGES: &[&str] = &["site-packages", "dist-packages", "node_modules", "bower_components", "vendor"];
/// The same, but the name of a package's folder ends in a version, and its content is that of the repository root.
const VERSIONED: &[&str] = &["registry", "git", "mod", "gems", ".nuget"];

/// A frame with the node it is in.
#[derive(Debug, Clone, PartialEq)]
pub struct MappedFrame {
    /// Number of its trace.
    pub trace: usize,
    /// Number of its exception in the trace.
    pub exception: usize,
    /// The frame.
    pub frame: Frame,
    /// Its place, or the reason why it is unknown.
    pub place: Result<FrameTarget, String>,
}

impl MappedFrame {
    /// The line in the file of its place; none where the frame's is that of a built file.
    pub fn line(&self, place: &FrameTarget) -> Option<u32> {
        self.frame.line.filter(|_| place.by != MatchedBy::Built)
    }
}

/// Place of a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameTarget {
    /// The innermost symbol, or the file.
    pub node: NodeIx,
    /// Its file's path in the index.
    pub path: String,
    /// How it was matched.
    pub by: MatchedBy,
    /// Other files whose paths end as well like that of the frame, the first few.
    pub others: Vec<String>,
}

/// How a frame was matched with a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchedBy {
    /// The line is in a symbol with the function's name.
    LineAndName,
    /// The file has a symbol with the function's name, but elsewhere: the program has another version than the index.
    Name,
    /// The line alone.
    Line,
    /// The file alone.
    File,
    /// The file that the frame's was built from: it has the function's name, or is the only one that can be it. Its
    /// lines are others.
    Built,
    /// The function alone, where the frame names a program instead of a file and line: no other of the index has its
    /// name.
    Function,
}

impl MatchedBy {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::LineAndName => "line_and_name",
            Self::Name => "name",
            Self::Line => "line",
            Self::File => "file",
            Self::Built => "built",
            Self::Function => "function",
        }
    }
}

/// Files of the index by their name.
pub(super) struct Files<'s> {
    snapshot: &'s Snapshot,
    by_name: FxHashMap<String, Vec<&'s str>>,
    packages: Packages,
}

impl<'s> Files<'s> {
    /// Looks up the files of these frames.
    pub(super) fn new<'f>(snapshot: &'s Snapshot, frames: impl Iterator<Item = &'f Frame> + Clone) -> Self {
        let packages = Packages::new(snapshot, frames.clone());
        let names: FxHashSet<String> =
            frames.filter_map(|frame| Some(parts(frame.path.as_deref()?).pop()?.to_lowercase())).collect();
        let mut by_name: FxHashMap<String, Vec<&str>> = FxHashMap::default();
        for file in snapshot.files().iter() {
            let name = file.path.file_name().to_lowercase();
            if names.contains(&name) {
                by_name.entry(name).or_default().push(file.path.as_str());
            }
        }
        Self { snapshot, by_name, packages }
    }

    /// Place of a frame, or the reason why it is unknown.
    pub(super) fn place(&self, frame: &Frame, format: Format) -> Result<FrameTarget, String> {
        let by_file = self.by_file(frame, format);
        let is_open = by_file.is_err() && frame.line.is_none() && frame.origin == Origin::Code;
        match frame.function_name().filter(|_| is_open) {
            Some(name) => self.by_function(frame, format, name).unwrap_or(by_file),
            None => by_file,
        }
    }

    /// The only function that a frame can refer to; `None` if the index has none of its name, in a language with such
    /// traces.
    fn by_function(&self, frame: &Frame, format: Format, name: &str) -> Option<Result<FrameTarget, String>> {
        let graph = self.snapshot.graph();
        let written = frame.function.as_deref().unwrap_or_default();
        let owner =
            written.split(|c: char| !(c.is_alphanumeric() || c == '_')).rfind(|part| !part.is_empty() && *part != name);
        // Qualifiers must match: `Pool::get` is not the `get` of a cache.
        let fits = |node: NodeIx| {
            let parent = graph.parent(node).filter(|parent| graph.kind(*parent) != NodeKind::File);
            owner.is_none_or(|owner| parent.is_none_or(|parent| graph.label(parent) == owner))
        };
        let is_code = |node: &NodeIx| {
            let flags = graph.flags(*node);
            graph.kind(*node) == NodeKind::Function
                && !flags.has(NodeFlags::DECLARATION)
                && !flags.has(NodeFlags::IMPORTED)
        };
        let speaks = |node: &NodeIx| self.snapshot.file_of(*node).is_some_and(|file| is_of(format, file.language));
        let named = graph.find_labelled(name).into_iter().filter(|node| is_code(node) && speaks(node) && fits(*node));
        let named: Vec<NodeIx> = named.collect();
        match named[..] {
            [] => None,
            [node] => {
                let path = graph.path(node).to_owned();
                Some(Ok(FrameTarget { node, path, by: MatchedBy::Function, others: Vec::new() }))
            }
            _ => Some(Err(format!("the frame names no file, and {} functions are called `{name}`", named.len()))),
        }
    }

    fn by_file(&self, frame: &Frame, format: Format) -> Result<FrameTarget, String> {
        let Some(path) = frame.path.as_deref() else { return Err("the frame names no file".into()) };
        match frame.origin {
            Origin::Minified => return Err("minified: its place means nothing in the sources".into()),
            Origin::Runtime => return Err("the language's own library".into()),
            Origin::Code | Origin::Vendored => {}
        }
        // A package of the project under its installed name: only the files of that package can be meant.
        if let Some(of) = self.packages.folders(path).filter(|_| frame.origin == Origin::Vendored) {
            let missing = || {
                let package = &of.package;
                format!("of the project's package `{package}`, but it has no such file: built, or of another version")
            };
            let place = self.best(frame, of.files().iter().map(String::as_str).collect());
            return place.or_else(|| self.by_source(frame, format, Some(&of))).ok_or_else(missing);
        }
        // Otherwise the files of that name that share most folders with the path, counted from its end.
        let wanted = parts(path);
        let Some(name) = wanted.last() else { return Err("the frame names no file".into()) };
        let candidates = self.by_name.get(&name.to_lowercase()).map_or(&[][..], |files| files);
        let needed = needed_parts(&wanted, frame.origin);
        let fits = |file: &'s str| {
            let shared = count_shared_parts(&wanted, file);
            let whole = shared == file.split('/').count() || shared == wanted.len();
            let enough = match needed {
                Needed::Parts(parts) => shared >= parts,
                Needed::Any => whole || shared >= LEAST_SHARED,
            };
            enough.then_some((shared, file))
        };
        let mut found: Vec<(usize, &str)> = candidates.iter().copied().filter_map(fits).collect();
        let most = found.iter().map(|(shared, _)| *shared).max();
        found.retain(|(shared, _)| Some(*shared) == most);
        let place = self.best(frame, found.into_iter().map(|(_, file)| file).collect());
        // No path fits: built code may still name its source.
        let place = place.or_else(|| match frame.origin {
            Origin::Code => self.by_source(frame, format, None),
            _ => None,
        });
        place.ok_or_else(|| match frame.origin {
            Origin::Vendored => "a dependency outside the index".to_owned(),
            _ => "no indexed file's path ends like this one".to_owned(),
        })
    }

    /// Place of a frame in the sources of its file.
    fn by_source(&self, frame: &Frame, format: Format, package: Option<&Folders<'_>>) -> Option<FrameTarget> {
        let made = made_from(self.snapshot.graph(), format, frame, package)?;
        // Its line number is that of the built file.
        let anywhere = Frame { line: None, ..frame.clone() };
        let place = self.best(&anywhere, made.files.iter().map(String::as_str).collect())?;
        let is_it = place.by == MatchedBy::Name || made.alone;
        is_it.then_some(FrameTarget { by: MatchedBy::Built, ..place })
    }

    /// Of equally matching files, the one that contains the function; then code before tests, and the shortest path.
    fn best(&self, frame: &Frame, files: Vec<&str>) -> Option<FrameTarget> {
        let mut places: Vec<FrameTarget> = files.iter().filter_map(|file| self.in_file(frame, file)).collect();
        let is_test = |place: &FrameTarget| self.snapshot.graph().flags(place.node).has(NodeFlags::TEST);
        let unsure = |by: MatchedBy| match by {
            MatchedBy::LineAndName => 0,
            MatchedBy::Name => 1,
            MatchedBy::Line | MatchedBy::File | MatchedBy::Built | MatchedBy::Function => 2,
        };
        places.sort_by(|a, b| {
            let key = |place: &FrameTarget| (unsure(place.by), is_test(place), place.path.len());
            key(a).cmp(&key(b)).then_with(|| a.path.cmp(&b.path))
        });
        let mut places = places.into_iter();
        let mut best = places.next()?;
        best.others = places.take(MAX_OTHERS).map(|place| place.path).collect();
        Some(best)
    }

    fn in_file(&self, frame: &Frame, file: &str) -> Option<FrameTarget> {
        let (snapshot, graph) = (self.snapshot, self.snapshot.graph());
        let path = RepoPath::new(file).ok()?;
        let file_node = graph.find_file(file)?;
        let place = |node, by| Some(FrameTarget { node, path: file.to_owned(), by, others: Vec::new() });
        let at_line = frame.line.and_then(|line| snapshot.node_at(&path, line));
        let Some(name) = frame.function_name() else {
            let by = if at_line.is_some_and(|node| node != file_node) { MatchedBy::Line } else { MatchedBy::File };
            return place(at_line.unwrap_or(file_node), by);
        };
        // A closure or a nested function is named after the one around it.
        let around = at_line.into_iter().flat_map(|node| std::iter::once(node).chain(graph.ancestors(node)));
        if let Some(node) = around.take_while(|&node| node != file_node).find(|&node| is_called(graph, node, name)) {
            return place(node, MatchedBy::LineAndName);
        }
        let line = frame.line.unwrap_or(0);
        let named = graph.of_file(file_node).into_iter().filter(|&node| {
            is_called(graph, node, name)
                && matches!(graph.kind(node), NodeKind::Function | NodeKind::Macro | NodeKind::Class)
        });
        let nearest = named.min_by_key(|&node| {
            let (start, end) = graph.lines(node);
            let away = if line < start { start - line } else { line.saturating_sub(end) };
            (away, graph.id(node).to_owned())
        });
        match (nearest, at_line) {
            (Some(node), _) => place(node, MatchedBy::Name),
            (None, Some(node)) if node != file_node => place(node, MatchedBy::Line),
            _ => place(file_node, MatchedBy::File),
        }
    }
}

/// Returns whether a node has a function's name; the mark of a private one is no part of it.
fn is_called(graph: &Graph, node: NodeIx, name: &str) -> bool {
    let label = graph.label(node);
    label == name || label.strip_prefix('#') == Some(name)
}

/// Returns whether a format of traces is that of a language. Debuggers and sanitizers show whatever was compiled to a
/// program.
pub(super) const fn is_of(format: Format, language: Language) -> bool {
    use Language::{
        Astro, C, CSharp, Cpp, Go, Java, JavaScript, Kotlin, Php, Python, Ruby, Rust, Scala, Svelte, Swift, Tsx,
        TypeScript, Vue,
    };
    match format {
        Format::Python => matches!(language, Python),
        Format::Rust => matches!(language, Rust | C | Cpp),
        Format::JavaScript => matches!(language, JavaScript | TypeScript | Tsx | Vue | Svelte | Astro),
        Format::Java => matches!(language, Java | Kotlin | Scala),
        Format::Go => matches!(language, Go | C | Cpp),
        Format::Cpp => matches!(language, C | Cpp | Rust | Go | Swift),
        Format::CSharp => matches!(language, CSharp),
        Format::Ruby => matches!(language, Ruby),
        Format::Php => matches!(language, Php),
    }
}

/// How much of a frame's path a file's path must share.
enum Needed {
    /// [`LEAST_SHARED`], or one path completely.
    Any,
    /// At least this many components from the end.
    Parts(usize),
}

/// Below a package folder, all components count: `node_modules/pg/lib/conn.js` is not the `lib/conn.js` of the
/// project.
fn needed_parts(wanted: &[&str], origin: Origin) -> Needed {
    if origin != Origin::Vendored {
        return Needed::Any;
    }
    let below = |folder: usize| wanted.len().saturating_sub(folder + 1);
    if let Some(at) = wanted.iter().rposition(|part| PACKAGES.contains(part)) {
        return Needed::Parts(below(at).max(1));
    }
    let at = wanted.iter().position(|part| VERSIONED.contains(part)).unwrap_or(0);
    // `registry/src/<index>/clap-3.0.9/src/…`, `pkg/mod/github.com/x/y@v1.2.3/…`: the last folder with a version.
    let version = (at..wanted.len()).rev().find(|&index| has_version(wanted[index]));
    Needed::Parts(version.map_or(usize::MAX, below).max(LEAST_SHARED + 1))
}

fn has_version(part: &str) -> bool {
    let after = part.rsplit_once(['@', '-']).map_or("", |(_, after)| after).trim_start_matches('v');
    after.starts_with(|c: char| c.is_ascii_digit()) && after.contains('.')
}

/// The parts of a path, whatever separates them.
pub(super) fn parts(path: &str) -> Vec<&str> {
    path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != "." && *part != "..").collect()
}

/// Parts that both paths share from their ends.
fn count_shared_parts(wanted: &[&str], file: &str) -> usize {
    wanted.iter().rev().zip(file.rsplit('/')).take_while(|(a, b)| **a == *b).count()
}
