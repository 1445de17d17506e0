//! From the order of modules to a few layers with names.

use std::collections::BTreeMap;

use m1nd_graph::Graph;

use super::files::{Files, Modules};
use super::{Layer, LayersQuery, Naming};

/// The level of each file by the depth of its module, joined until there are few enough levels and none is too small.
pub(super) fn infer_levels(graph: &Graph, files: &Files, modules: &Modules, query: &LayersQuery) -> Vec<Option<usize>> {
    let depth = &modules.order.depth;
    let mut groups: Vec<Group> = vec![Group::default(); depth.iter().max().map_or(0, |most| most + 1)];
    for (node, module) in files.nodes.iter().zip(&modules.of) {
        if let Some(module) = module {
            let group = &mut groups[depth[*module]];
            group.files += 1;
            group.rank += f64::from(graph.pagerank(*node));
        }
    }
    for (at, group) in groups.iter_mut().enumerate() {
        group.depths = vec![at];
    }
    while let Some(small) = groups.iter().position(|group| group.files < query.min_files).filter(|_| groups.len() > 1) {
        let difference = |other: usize| (groups[small].mean() - groups[other].mean()).abs();
        let (above, below) = (small.checked_sub(1), Some(small + 1).filter(|at| *at < groups.len()));
        let first = match (above, below) {
            (Some(above), Some(below)) if difference(above) <= difference(below) => above,
            (Some(above), None) => above,
            _ => small,
        };
        join(&mut groups, first);
    }
    while groups.len() > query.max_layers.max(1) {
        let difference = |at: &usize| (groups[*at].mean() - groups[*at + 1].mean()).abs();
        let first = (0..groups.len() - 1).min_by(|a, b| difference(a).total_cmp(&difference(b)).then(a.cmp(b)));
        join(&mut groups, first.unwrap_or(0));
    }
    let mut level = vec![0; depth.len()];
    for (at, group) in groups.iter().enumerate() {
        (0..depth.len()).filter(|module| group.depths.contains(&depth[*module])).for_each(|module| level[module] = at);
    }
    modules.of.iter().map(|module| module.map(|module| level[module])).collect()
}

/// Levels that are becoming a layer.
#[derive(Debug, Clone, Default)]
struct Group {
    depths: Vec<usize>,
    files: usize,
    rank: f64,
}

impl Group {
    fn mean(&self) -> f64 {
        self.rank / self.files.max(1) as f64
    }
}

/// Joins a group with the next.
fn join(groups: &mut Vec<Group>, first: usize) {
    let next = groups.remove(first + 1);
    let group = &mut groups[first];
    group.depths.extend(next.depths);
    group.files += next.files;
    group.rank += next.rank;
}

/// The layers with their files and modules, without names.
pub(super) fn fill_layers(
    graph: &Graph,
    files: &Files,
    modules: &Modules,
    levels: &[Option<usize>],
    count: usize,
) -> Vec<Layer> {
    let mut layers: Vec<Layer> = vec![Layer::default(); count];
    for (at, level) in levels.iter().enumerate() {
        let Some(layer) = level.and_then(|level| layers.get_mut(level)) else { continue };
        layer.files.push(at);
        layer.pagerank += f64::from(graph.pagerank(files.nodes[at]));
        layer.modules.extend(modules.of[at]);
    }
    for layer in &mut layers {
        layer.pagerank /= layer.files.len().max(1) as f64;
        layer.modules.sort_by_key(|module| modules.place(*module));
        layer.modules.dedup();
    }
    layers
}

/// Names inferred layers, each name once.
pub(super) fn name(graph: &Graph, files: &Files, modules: &Modules, layers: &mut [Layer], naming: Naming) {
    let last = layers.len().saturating_sub(1);
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    for (at, layer) in layers.iter_mut().enumerate() {
        let text = match naming {
            Naming::Auto if at == 0 && last > 0 => "entry_points".to_owned(),
            Naming::Auto if at == last && last > 0 => "foundation".to_owned(),
            Naming::Auto | Naming::PathPrefix => largest(modules, layer),
            Naming::PageRank => {
                let rank = |at: &&usize| graph.pagerank(files.nodes[**at]);
                let best = layer.files.iter().max_by(|a, b| rank(a).total_cmp(&rank(b)).then(b.cmp(a)));
                best.map_or_else(String::new, |at| graph.path(files.nodes[*at]).to_owned())
            }
        };
        let text = if text.is_empty() { format!("layer_{at}") } else { text };
        let count = used.entry(text.clone()).or_default();
        *count += 1;
        layer.name = if *count > 1 { format!("{text} ({count})") } else { text };
        layer.description = description(modules, layer);
    }
}

/// The path of the module with most files of a layer.
fn largest(modules: &Modules, layer: &Layer) -> String {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    layer.files.iter().filter_map(|at| modules.of[*at]).for_each(|module| *counts.entry(module).or_default() += 1);
    let most = counts.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
    most.map_or_else(String::new, |(module, _)| modules.names[*module].clone())
}

/// Names of modules in a description.
const NAMED: usize = 3;

fn description(modules: &Modules, layer: &Layer) -> String {
    let names = layer.modules.iter().take(NAMED).map(|module| match modules.names[*module].as_str() {
        "" => ".",
        name => name,
    });
    let more = layer.modules.len().saturating_sub(NAMED);
    let text = names.collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{text} and {more} more") } else { text }
}
