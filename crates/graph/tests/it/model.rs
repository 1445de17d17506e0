//! Random graphs, stored as plain tables.

use std::collections::BTreeMap;

use m1nd_base::{EdgeTier, NodeKind, Pos, Relation};
use m1nd_graph::{Change, EdgeInput, Graph, NodeFlags, NodeInput, Part, UnresolvedInput};
use m1nd_testkit::Random;

const RELATIONS: [Relation; 7] = [
    Relation::Overrides,
    Relation::Calls,
    Relation::References,
    Relation::Imports,
    Relation::Inherits,
    Relation::Reexports,
    Relation::Contains,
];

/// One file: its definitions, and the targets of their edges.
#[derive(Debug, Clone, Default)]
pub(crate) struct File {
    pub(crate) definitions: Vec<String>,
    /// Source, target, relation, tier, candidates, lines.
    pub(crate) edges: Vec<(String, String, Relation, EdgeTier, u16, Vec<u32>)>,
    pub(crate) unresolved: Vec<(String, String, u32)>,
}

/// A project: files by path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    pub(crate) files: BTreeMap<String, File>,
}

impl Model {
    pub(crate) fn random(random: &mut Random, files: usize) -> Self {
        let mut model = Self::default();
        for number in 0..files {
            let path = format!("f{number}.py");
            let definitions = (0..random.below(4)).map(|index| format!("d{index}")).collect();
            model.files.insert(path, File { definitions, ..File::default() });
        }
        let paths: Vec<String> = model.files.keys().cloned().collect();
        paths.iter().for_each(|path| model.redraw(path, random));
        model
    }

    /// Ids of all nodes except packages.
    pub(crate) fn ids(&self) -> Vec<String> {
        let of_file = |(path, file): (&String, &File)| {
            let own = file.definitions.iter().map(|name| format!("file::{path}::fn::{name}")).collect::<Vec<_>>();
            std::iter::once(format!("file::{path}")).chain(own).collect::<Vec<_>>()
        };
        self.files.iter().flat_map(of_file).collect()
    }

    /// Draws new edges for a file.
    pub(crate) fn redraw(&mut self, path: &str, random: &mut Random) {
        let all = self.ids();
        let own: Vec<String> = all.iter().filter(|id| file_of(id) == path).cloned().collect();
        let mut edges = Vec::new();
        let mut unresolved = Vec::new();
        for from in &own {
            for _ in 0..random.below(4) {
                let external = random.below(8) == 0;
                let to = if external {
                    ["external::p0", "external::p1", "external::p0::m", "external::p1::m::n"][random.below(4)]
                        .to_owned()
                } else {
                    all[random.below(all.len())].clone()
                };
                let possible = !external && random.below(3) == 0;
                let tier = match (external, possible) {
                    (true, _) => EdgeTier::External,
                    (_, true) => EdgeTier::Possible,
                    _ => EdgeTier::Certain,
                };
                let of = if possible { 2 + random.below(3) as u16 } else { 1 };
                let mut lines: Vec<u32> = (0..random.below(3)).map(|_| 1 + random.below(50) as u32).collect();
                lines.sort_unstable();
                lines.dedup();
                edges.push((from.clone(), to, RELATIONS[random.below(RELATIONS.len())], tier, of, lines));
            }
            if random.coin() {
                let row = (from.clone(), format!("n{}", random.below(4)), 1 + random.below(50) as u32);
                // One place may be reported twice.
                unresolved.extend(std::iter::repeat_n(row, 1 + random.below(2)));
            }
        }
        // The caller merges edges of one key; keep the first.
        edges.sort_by(|a, b| (&a.0, &a.1, a.2, a.3).cmp(&(&b.0, &b.1, b.2, b.3)));
        edges.dedup_by(|a, b| (&a.0, &a.1, a.2, a.3) == (&b.0, &b.1, b.2, b.3));
        let file = self.files.get_mut(path).expect("a file of the model");
        (file.edges, file.unresolved) = (edges, unresolved);
    }

    /// Removes edges to nodes that are gone, as relinking would.
    pub(crate) fn relink(&mut self) -> Vec<String> {
        let all: std::collections::BTreeSet<String> = self.ids().into_iter().collect();
        let mut changed = Vec::new();
        for (path, file) in &mut self.files {
            let before = file.edges.len();
            file.edges.retain(|edge| edge.1.starts_with("external::") || all.contains(&edge.1));
            if file.edges.len() != before {
                changed.push(path.clone());
            }
        }
        changed
    }

    /// Builds the graph, with its files in random order.
    pub(crate) fn build(&self, random: &mut Random) -> Graph {
        let symbols = Symbols::of(self);
        let positions = self.positions();
        let mut parts: Vec<Part<'_>> =
            self.files.iter().map(|(path, file)| symbols.part(path, file, &positions[path])).collect();
        for index in (1..parts.len()).rev() {
            parts.swap(index, random.below(index + 1));
        }
        let (graph, report) = Graph::build(&parts, &|symbol| &symbols.texts[symbol as usize]);
        assert_eq!((report.dangling_edges, report.duplicate_nodes), (0, 0));
        graph
    }

    /// The graph `before` with these files replaced by their state in this model.
    pub(crate) fn change(&self, before: &Graph, paths: &[String]) -> Graph {
        let symbols = Symbols::of(self);
        let positions = self.positions();
        let changes: Vec<Change<'_>> = paths
            .iter()
            .map(|path| Change {
                path,
                part: self.files.get(path).map(|file| symbols.part(path, file, &positions[path])),
            })
            .collect();
        before.with_changes(&changes, &|symbol| symbols.texts[symbol as usize].clone())
    }

    fn positions(&self) -> BTreeMap<String, Vec<Vec<Pos>>> {
        let of = |lines: &Vec<u32>| lines.iter().map(|&line| Pos { line, col: 1 }).collect::<Vec<_>>();
        self.files
            .iter()
            .map(|(path, file)| (path.clone(), file.edges.iter().map(|edge| of(&edge.5)).collect()))
            .collect()
    }
}

pub(crate) fn file_of(id: &str) -> &str {
    let rest = id.strip_prefix("file::").unwrap_or_default();
    rest.split("::").next().unwrap_or_default()
}

struct Symbols {
    texts: Vec<String>,
}

impl Symbols {
    fn of(model: &Model) -> Self {
        let mut texts = model.ids();
        texts.extend(model.files.values().flat_map(|file| &file.edges).map(|edge| edge.1.clone()));
        texts.sort();
        texts.dedup();
        Self { texts }
    }

    fn number(&self, id: &str) -> u32 {
        self.texts.binary_search_by(|text| text.as_str().cmp(id)).expect("an id of the model") as u32
    }

    fn part<'a>(&self, path: &'a str, file: &'a File, positions: &'a [Vec<Pos>]) -> Part<'a> {
        let own = self.number(&format!("file::{path}"));
        let node = |symbol, parent, kind, label, lines| NodeInput {
            symbol,
            parent,
            kind,
            label,
            lines,
            name_line: lines.0 + label.len() as u32 % 3,
            flags: NodeFlags::default(),
            signature: "",
            doc: label,
        };
        let mut nodes = vec![node(own, None, NodeKind::File, path, (1, 100))];
        nodes.extend(file.definitions.iter().enumerate().map(|(index, name)| {
            let line = 10 * index as u32 + 1;
            let symbol = self.number(&format!("file::{path}::fn::{name}"));
            node(symbol, Some(own), NodeKind::Function, name, (line, line + 5))
        }));
        let edges = file.edges.iter().zip(positions).map(|(edge, sites)| EdgeInput {
            from: self.number(&edge.0),
            to: self.number(&edge.1),
            relation: edge.2,
            tier: edge.3,
            of: edge.4,
            dispatches: edge.2 == Relation::Calls && edge.3 == EdgeTier::Certain && edge.5.len() > 1,
            compiler: edge.4 % 2 == 1 && edge.5.len() > 2,
            reads: edge.4 % 2 == 1 && edge.5.len() > 1,
            sites,
        });
        let unresolved = file.unresolved.iter().map(|(from, name, line)| UnresolvedInput {
            from: self.number(from),
            name,
            role: "call",
            reason: "name_not_found",
            pos: Pos { line: *line, col: 2 },
        });
        Part { nodes, edges: edges.collect(), unresolved: unresolved.collect() }
    }
}
