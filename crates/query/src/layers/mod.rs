//! Layers: which parts of a project stand above which, declared by the project or inferred from its dependencies, and
//! the dependencies that contradict them.

mod compare;
mod declared;
mod files;
mod levels;
mod order;

use m1nd_base::{Cancel, Cancelled, Relation, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_graph::Graph;

pub use compare::{NewCycle, NewViolations, new_layer_violations};
pub use declared::{Declared, DeclaredError, DeclaredLayer, FILE};
pub use files::{FileArc, Files, Grain, Joint, Modules, files};
pub(crate) use files::{below, join, package_folders};

use crate::scope::Scope;

/// Share of the dependencies between two modules above which the smaller direction leaves open which is above.
const OPEN_SHARE: f64 = 0.34;
/// Points of severity from which on it is medium, and high.
const MEDIUM: u32 = 2;
const HIGH: u32 = 3;

/// How layers that are not declared are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Naming {
    /// `entry_points` and `foundation` at the ends, else by their largest module.
    #[default]
    Auto,
    /// By the largest module.
    PathPrefix,
    /// By the file that most depends on.
    PageRank,
}

/// A question for the layers of a project.
#[derive(Debug, Clone)]
pub struct LayersQuery {
    /// Which files are classified.
    pub paths: Scope,
    /// Maximum number of inferred layers, at least 1.
    pub max_layers: usize,
    /// Files below which an inferred layer is joined with its neighbour.
    pub min_files: usize,
    /// What the modules are; packages if there are enough of them by default.
    pub grain: Option<Grain>,
    /// How inferred layers are named.
    pub naming: Naming,
}

impl Default for LayersQuery {
    fn default() -> Self {
        Self { paths: Scope::default(), max_layers: 8, min_files: 2, grain: None, naming: Naming::Auto }
    }
}

/// A layer; the first is at the top.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layer {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
    /// Its modules in their order; a module of which only some files belong to a declared layer is in several.
    pub modules: Vec<usize>,
    /// Places of its files in [`Files::nodes`].
    pub files: Vec<usize>,
    /// Mean PageRank of its files.
    pub pagerank: f64,
}

/// What is wrong with a dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Violation {
    /// Its modules use each other, and this is the weaker direction inside one layer.
    Circular,
    /// It leads to a layer above.
    Upward,
    /// It leads to a layer below that is not allowed.
    Forbidden,
    /// It leads past the next layer, which the declaration forbids.
    Skip,
}

impl Violation {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Circular => "circular_dependency",
            Self::Upward => "upward_dependency",
            Self::Forbidden => "forbidden_dependency",
            Self::Skip => "skip_layer_dependency",
        }
    }
}

/// How severe a violation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A reference only.
    Low,
    /// A call or base.
    Medium,
    /// An import, or past several layers.
    High,
    /// A circle.
    Critical,
}

impl Severity {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// A dependency between files that contradicts the layers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Against {
    /// Its place in [`Files::arcs`].
    pub arc: usize,
    /// What is wrong.
    pub violation: Violation,
    /// How severe it is.
    pub severity: Severity,
    /// Levels of the file that depends, and of the one it depends on.
    pub levels: (usize, usize),
}

/// The layers of a project.
#[derive(Debug)]
pub struct Layering {
    /// The declaration says so; else they are inferred.
    pub is_declared: bool,
    /// What the modules are.
    pub grain: Grain,
    /// The layers, from the top.
    pub layers: Vec<Layer>,
    /// For each file of [`Files::nodes`] its level; `None` outside of the question, or in no declared layer.
    pub levels: Vec<Option<usize>>,
    /// The modules and their order.
    pub modules: Modules,
    /// What contradicts the layers, the most severe first.
    pub against: Vec<Against>,
    /// Dependencies between different layers.
    pub cross: usize,
    /// Files that are asked for and in no declared layer.
    pub unclassified: usize,
    /// Pairs of modules of which it cannot be told which is above, by place.
    pub open: Vec<(usize, usize)>,
}

impl Layering {
    /// Works out the layers of a snapshot.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn of(
        snapshot: &Snapshot,
        files: &Files,
        declared: Option<&Declared>,
        query: &LayersQuery,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let graph = snapshot.graph();
        let (modules, grain) = Modules::of(graph, files, query.grain, |path| query.paths.has(path));
        cancel.check()?;
        // The level of each file: declared, or inferred from the arrows.
        let levels: Vec<Option<usize>> = match declared {
            Some(declared) => {
                let meant = files.nodes.iter().zip(&modules.of).map(|(node, module)| module.map(|_| *node));
                meant.map(|node| declared.level(graph.path(node?))).collect()
            }
            None => levels::infer_levels(graph, files, &modules, query),
        };
        let count = declared.map_or(levels.iter().flatten().max().map_or(0, |most| most + 1), |row| row.layers.len());
        // Files of a level are a layer; it is named last, as the name depends on its files.
        let mut layers = levels::fill_layers(graph, files, &modules, &levels, count);
        match declared {
            Some(declared) => layers.iter_mut().zip(&declared.layers).for_each(|(layer, row)| {
                (layer.name, layer.description) = (row.name.clone(), row.description.clone());
            }),
            None => levels::name(graph, files, &modules, &mut layers, query.naming),
        }
        // Pairs of modules that depend on each other, once each.
        let mut open: Vec<(usize, usize)> =
            modules.joints.keys().copied().filter(|(a, b)| a < b && modules.is_open(*a, *b)).collect();
        open.sort_unstable();
        let unclassified = modules.of.iter().zip(&levels).filter(|(of, level)| of.is_some() && level.is_none()).count();
        let mut found = Self {
            is_declared: declared.is_some(),
            grain,
            layers,
            levels,
            modules,
            against: Vec::new(),
            cross: 0,
            unclassified,
            open,
        };
        found.judge(files, declared);
        Ok(found)
    }

    /// Finds the dependencies that contradict the layers.
    fn judge(&mut self, files: &Files, declared: Option<&Declared>) {
        let mut against = Vec::new();
        for (at, arc) in files.arcs.iter().enumerate() {
            let (Some(from), Some(to)) = (self.levels[arc.from], self.levels[arc.to]) else { continue };
            self.cross += usize::from(from != to);
            let violation = match declared {
                Some(declared) if declared.allows(from, to) => None,
                Some(_) if to < from => Some(Violation::Upward),
                Some(declared) if declared.strict && to > from + 1 => Some(Violation::Skip),
                Some(_) => Some(Violation::Forbidden),
                None => self.inferred_violation(arc, from, to),
            };
            if let Some(violation) = violation {
                let severity = severity(violation, arc.relation, from.abs_diff(to));
                against.push(Against { arc: at, violation, severity, levels: (from, to) });
            }
        }
        against.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.arc.cmp(&b.arc)));
        self.against = against;
    }

    /// What is wrong with a dependency by the inferred order: it is the weaker direction of modules that use each
    /// other.
    fn inferred_violation(&self, arc: &FileArc, from: usize, to: usize) -> Option<Violation> {
        let (a, b) = (self.modules.of[arc.from]?, self.modules.of[arc.to]?);
        if a == b || self.modules.place(a) < self.modules.place(b) || self.modules.is_open(a, b) {
            return None;
        }
        Some(if from == to { Violation::Circular } else { Violation::Upward })
    }

    /// Share of the dependencies of a file in both directions, between modules, that agree with the layers; .5 if it
    /// has none.
    pub fn confidences(&self, files: &Files) -> Vec<f64> {
        let mut all = vec![0u32; files.nodes.len()];
        let mut wrong = vec![0u32; files.nodes.len()];
        for arc in &files.arcs {
            if self.modules.of[arc.from] != self.modules.of[arc.to] {
                all[arc.from] += 1;
                all[arc.to] += 1;
            }
        }
        for row in &self.against {
            let arc = &files.arcs[row.arc];
            wrong[arc.from] += 1;
            wrong[arc.to] += 1;
        }
        let share = |(all, wrong): (&u32, &u32)| match all {
            0 => 0.5,
            all => 1.0 - f64::from(*wrong.min(all)) / f64::from(*all),
        };
        all.iter().zip(&wrong).map(share).collect()
    }

    /// How well the layers are apart, 0 to 1: one minus the levels that dependencies go up, per dependency between
    /// layers, and minus the share of the files in circles of modules. 1 if nothing joins two layers.
    pub fn separation(&self) -> f64 {
        if self.cross == 0 {
            return 1.0;
        }
        let up: usize = self.against.iter().map(|row| row.levels.0.saturating_sub(row.levels.1)).sum();
        let in_circles: std::collections::BTreeSet<usize> = self.modules.circles().iter().flatten().copied().collect();
        let known = self.modules.of.iter().flatten();
        let (mut all, mut circular) = (0usize, 0usize);
        for module in known {
            all += 1;
            circular += usize::from(in_circles.contains(module));
        }
        (1.0 - up as f64 / self.cross as f64 - circular as f64 / all.max(1) as f64).clamp(0.0, 1.0)
    }
}

fn severity(violation: Violation, relation: Relation, gap: usize) -> Severity {
    if violation == Violation::Circular {
        return Severity::Critical;
    }
    let points = match relation {
        Relation::Imports | Relation::Reexports => 3,
        Relation::References | Relation::Registers => 1,
        _ => 2,
    } + u32::from(gap > 1);
    match points {
        points if points >= HIGH => Severity::High,
        MEDIUM => Severity::Medium,
        _ => Severity::Low,
    }
}

/// The declaration of a project, read from the first of its roots that has one; `None` if none has.
///
/// # Errors
/// [`DeclaredError`] of the first that has one.
pub fn declaration(snapshot: &Snapshot) -> Result<Option<Declared>, DeclaredError> {
    for root in snapshot.roots() {
        let path = RepoPath::new(&format!("{}{FILE}", root.prefix));
        if let Some(text) = path.ok().and_then(|path| snapshot.read_file(&path).ok()) {
            return Declared::parse(&text.text, &root.prefix).map(Some);
        }
    }
    Ok(None)
}

/// The place of a dependency, as `path:line`.
pub fn place_of(graph: &Graph, files: &Files, arc: &FileArc) -> String {
    let path = graph.path(files.nodes[arc.from]);
    arc.lines.first().map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"))
}
