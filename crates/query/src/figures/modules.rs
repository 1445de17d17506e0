//! The modules of a project and how they use each other, and the same in their layers.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, Cancelled};
use m1nd_engine::Snapshot;
use m1nd_layout::{Arrow, ArrowKind, FigureBox, Role};

use super::split::{LARGE_SHARE, MOST_SHARE, Splitting};
use super::{FigureAnswer, MAX_BOXES, choose_arrows, common_folder, count_words, project_name};
use crate::layers::{Files, Grain, Layering, LayersQuery, Modules, declaration, files};
use crate::product::aside_folder;
use crate::scope::Scope;

/// A module as a row: its layer and its number.
type Key = (usize, usize);

/// The modules of the files in `paths`, each above what it uses.
///
/// # Errors
/// [`Cancelled`].
pub fn modules_figure(
    snapshot: &Snapshot,
    (paths, limit): (&Scope, usize),
    cancel: &Cancel,
) -> Result<FigureAnswer, Cancelled> {
    let files = files(snapshot, cancel)?;
    let (modules, grain) = find_modules(snapshot, &files, paths, limit);
    let mut answer = FigureAnswer::default();
    let key = |file: usize| modules.of[file].map(|module| (0, module));
    let shown = fill_boxes(snapshot, (&files, &modules), &key, limit, &mut answer);
    // Modules in circles stand out, since no order of them is right.
    for circle in modules.circles() {
        for place in circle.iter().filter_map(|module| shown.get(&(0, *module))) {
            answer.figure.boxes[*place].role = Role::Circle;
        }
    }
    let arrows = list_arrows(&files, &key, &shown, |_| false);
    choose_arrows(&mut answer, arrows);
    answer.figure.title =
        format!("{}: {}", project_name(snapshot), if grain == Grain::Packages { "packages" } else { "modules" });
    let circles = modules.circles().len();
    let mut parts = vec![format!("an arrow leads to what is used{}", below(&files, snapshot, &modules))];
    if circles > 0 {
        parts.push(format!("violet: in {}", count_words(circles, "circle", "circles")));
    }
    answer.describe(parts);
    Ok(answer)
}

/// The modules in their layers, with the dependencies that contradict these.
///
/// # Errors
/// [`Cancelled`].
pub fn layers_figure(
    snapshot: &Snapshot,
    (paths, limit): (&Scope, usize),
    cancel: &Cancel,
) -> Result<FigureAnswer, Cancelled> {
    let mut answer = FigureAnswer::default();
    let declared = declaration(snapshot).unwrap_or_else(|error| {
        answer.gaps.push(error.to_string());
        None
    });
    let files = files(snapshot, cancel)?;
    // What the modules are is decided by the product, not by the packages of its examples.
    let (_, grain) = find_modules(snapshot, &files, paths, limit);
    let query = LayersQuery { paths: paths.clone(), grain: Some(grain), ..LayersQuery::default() };
    let layering = Layering::of(snapshot, &files, declared.as_ref(), &query, cancel)?;
    let key = |file: usize| Some((layering.levels[file]?, layering.modules.of[file]?));
    let shown = fill_boxes(snapshot, (&files, &layering.modules), &key, limit, &mut answer);
    // Only layers with a box have a band.
    let mut bands: BTreeMap<usize, usize> = answer.figure.boxes.iter().map(|own| (own.band, 0)).collect();
    bands.values_mut().enumerate().for_each(|(place, band)| *band = place);
    answer.figure.boxes.iter_mut().for_each(|own| own.band = bands[&own.band]);
    let folder = common_folder(&module_names(&layering.modules));
    let name = |level: &usize| shorten(&layering.layers[*level].name, folder).to_owned();
    answer.figure.bands = bands.keys().map(name).collect();
    let against: std::collections::BTreeSet<usize> = layering.against.iter().map(|row| row.arc).collect();
    let arrows = list_arrows(&files, &key, &shown, |arc| against.contains(&arc));
    choose_arrows(&mut answer, arrows);
    answer.figure.title = format!("{}: layers", project_name(snapshot));
    let basis = if layering.is_declared { "declared" } else { "inferred from dependencies" };
    let mut parts = vec![format!("{basis}{}", below(&files, snapshot, &layering.modules))];
    parts.push(match against.len() {
        0 => "nothing contradicts them".to_owned(),
        count => format!("red: {} against them", count_words(count, "dependency", "dependencies")),
    });
    answer.describe(parts);
    Ok(answer)
}

/// The modules of a figure: the packages, or the folders and files of the only one. The largest are split until none
/// holds most of the code, as far as there is room for `limit` boxes. Examples and the like are left out, unless there
/// is nothing else.
fn find_modules(snapshot: &Snapshot, files: &Files, paths: &Scope, limit: usize) -> (Modules, Grain) {
    let graph = snapshot.graph();
    let is_product = |path: &str| paths.has(path) && aside_folder(path).is_none();
    let has_product = files.nodes.iter().any(|node| is_product(graph.path(*node)));
    let list = || files.nodes.iter().map(|node| graph.path(*node));
    let is_meant = |path: &str| if has_product { is_product(path) } else { paths.has(path) };
    let grain = match files.has_packages(list().filter(|path| is_meant(path))) {
        true => Grain::Packages,
        false => Grain::Folders,
    };
    let start = |path| if grain == Grain::Packages { files.package(path) } else { "" };
    let mut splitting = Splitting::default();
    for (at, path) in list().enumerate().filter(|(_, path)| is_meant(path)) {
        let lines = snapshot.file_of(files.nodes[at]).map_or(0, |file| file.lines as usize);
        splitting.add(path, start(path), lines);
    }
    splitting.split(limit, if grain == Grain::Packages { MOST_SHARE } else { LARGE_SHARE });
    let names: Vec<Option<String>> = list().map(|path| splitting.of.get(path).cloned()).collect();
    (Modules::from_names(files, &names), grain)
}

/// A path below a folder; the whole path if it is elsewhere.
fn shorten<'p>(path: &'p str, folder: &str) -> &'p str {
    match path.strip_prefix(folder) {
        Some(rest) if folder.is_empty() || rest.is_empty() => rest,
        Some(rest) => rest.strip_prefix('/').unwrap_or(path),
        None => path,
    }
}

/// The folder that labels leave out, in words.
fn below(files: &Files, snapshot: &Snapshot, modules: &Modules) -> String {
    let folder = common_folder(&module_names(modules));
    let is_used = !folder.is_empty() && !files.nodes.is_empty() && !snapshot.is_empty();
    if is_used { format!(" · below {folder}/") } else { String::new() }
}

fn module_names(modules: &Modules) -> Vec<&str> {
    modules.names.iter().map(String::as_str).collect()
}

/// Adds a box for each of the largest modules, in their order, and returns their places.
fn fill_boxes(
    snapshot: &Snapshot,
    (files, modules): (&Files, &Modules),
    key: &dyn Fn(usize) -> Option<Key>,
    limit: usize,
    answer: &mut FigureAnswer,
) -> BTreeMap<Key, usize> {
    let graph = snapshot.graph();
    // 1. Files and lines of each.
    let mut sizes: BTreeMap<Key, (usize, usize)> = BTreeMap::new();
    for (at, node) in files.nodes.iter().enumerate() {
        if let Some(key) = key(at) {
            let size = sizes.entry(key).or_default();
            size.0 += 1;
            size.1 += snapshot.file_of(*node).map_or(0, |file| file.lines as usize);
        }
    }
    // 2. How much each is joined with others; the rest is decided by size.
    let mut joined: BTreeMap<Key, usize> = BTreeMap::new();
    for arc in &files.arcs {
        if let (Some(from), Some(to)) = (key(arc.from), key(arc.to))
            && from != to
        {
            *joined.entry(from).or_default() += arc.edges as usize;
            *joined.entry(to).or_default() += arc.edges as usize;
        }
    }
    let mut order: Vec<Key> = sizes.keys().copied().collect();
    let rank = |key: &Key| (joined.get(key).copied().unwrap_or(0), sizes[key].1);
    order.sort_by(|a, b| rank(b).cmp(&rank(a)).then(a.cmp(b)));
    answer.hidden_boxes = order.len().saturating_sub(limit.min(MAX_BOXES));
    order.truncate(limit.min(MAX_BOXES));
    order.sort_by_key(|(level, module)| (*level, modules.place(*module)));
    // 3. Labels below the folder that most are in.
    let folder = common_folder(&module_names(modules));
    let mut shown = BTreeMap::new();
    for key in order {
        let name = modules.names[key.1].as_str();
        let short = shorten(name, folder);
        let label = match (short, name) {
            ("", "") => project_name(snapshot),
            ("", name) => name.to_owned(),
            (short, _) => short.to_owned(),
        };
        let (count, lines) = sizes[&key];
        let is_file = graph.find_file(name).is_some();
        let lines = count_words(lines, "line", "lines");
        let detail = if is_file { lines } else { format!("{} · {lines}", count_words(count, "file", "files")) };
        shown.insert(key, answer.figure.boxes.len());
        answer.figure.boxes.push(FigureBox { label, detail, band: key.0, role: Role::Plain });
    }
    shown
}

/// The dependencies between shown modules; `is_against` says it of the place of a file's.
fn list_arrows(
    files: &Files,
    key: &dyn Fn(usize) -> Option<Key>,
    shown: &BTreeMap<Key, usize>,
    is_against: impl Fn(usize) -> bool,
) -> Vec<Arrow> {
    let mut arrows: BTreeMap<(usize, usize, bool), u32> = BTreeMap::new();
    for (at, arc) in files.arcs.iter().enumerate() {
        let place = |file: usize| key(file).and_then(|key| shown.get(&key)).copied();
        if let (Some(from), Some(to)) = (place(arc.from), place(arc.to))
            && from != to
        {
            *arrows.entry((from, to, is_against(at))).or_default() += arc.edges;
        }
    }
    let arrow = |((from, to, against), count): ((usize, usize, bool), u32)| {
        let kind = if against { ArrowKind::Against } else { ArrowKind::Certain };
        Arrow { from, to, count, kind }
    };
    arrows.into_iter().map(arrow).collect()
}
