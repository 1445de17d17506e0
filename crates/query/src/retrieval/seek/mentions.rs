//! Files that a text mentions: by path, by file name, as a module, in a stack frame.

use m1nd_search::{Mention, Query, Zone};
use rustc_hash::FxHashMap;

use m1nd_engine::Snapshot;

/// Components at the end of a module name that may be a class and a member of it.
const MEMBERS: usize = 2;
/// Weight of a file name whose folders differ from those in the text.
const FOREIGN: f64 = 0.2;
/// Weight of a module named only by its last component.
const SHORT_MODULE: f64 = 0.4;
/// File names that represent their folder.
const FOLDER_STEMS: &[&str] = &["__init__", "index", "mod", "lib", "main"];

/// How a text mentions a file; each 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Named {
    /// By its path, with folders.
    pub(super) path: f64,
    /// By its name alone; less if several files have it.
    pub(super) name: f64,
    /// As a module.
    pub(super) module: f64,
    /// In a stack trace: 1 for the innermost frame in the project, decreasing outwards.
    pub(super) frame: f64,
}

/// The files that a text names, by path.
pub(super) fn find_named_files(snapshot: &Snapshot, query: &Query) -> FxHashMap<String, Named> {
    let mut wanted: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (number, mention) in query.mentions.iter().enumerate() {
        for last in ends(mention) {
            wanted.entry(last).or_default().push(number);
        }
    }
    let mut found: FxHashMap<String, Named> = FxHashMap::default();
    if wanted.is_empty() {
        return found;
    }
    let mut matches: Vec<Vec<(&str, f64)>> = vec![Vec::new(); query.mentions.len()];
    for file in snapshot.files().iter() {
        let path = file.path.as_str();
        let parts: Vec<&str> = path.split('/').collect();
        let module = module_of(&parts);
        let keys = [parts.last().copied(), module.last().copied()];
        for key in keys.iter().flatten() {
            for number in wanted.get(key).into_iter().flatten() {
                let strength = strength(&query.mentions[*number], &parts, &module);
                if strength > 0.0 && matches[*number].last().is_none_or(|(last, _)| *last != path) {
                    matches[*number].push((path, strength));
                }
            }
        }
    }
    for (mention, files) in query.mentions.iter().zip(&matches) {
        // Many files with one name share the weight.
        let share = 1.0 / (files.len().max(1) as f64).sqrt();
        for (path, strength) in files {
            let named = found.entry((*path).to_owned()).or_default();
            let is_bare = !mention.is_module && !mention.path.contains('/');
            let (slot, value) = match (mention.is_module, is_bare) {
                (true, _) => (&mut named.module, strength * share),
                (false, true) => (&mut named.name, strength * share),
                (false, false) => (&mut named.path, strength * share),
            };
            let weight = if mention.zone == Zone::Trace { 0.0 } else { 1.0 };
            *slot = slot.max(value * weight);
        }
    }
    add_frames(query, &matches, &mut found);
    found
}

/// Frames count from the innermost; which end that is depends on the language.
fn add_frames(query: &Query, matches: &[Vec<(&str, f64)>], found: &mut FxHashMap<String, Named>) {
    let frames: Vec<usize> = (0..query.mentions.len())
        .filter(|number| query.mentions[*number].zone == Zone::Trace && !query.mentions[*number].is_module)
        .filter(|number| matches[*number].iter().any(|(_, strength)| *strength > FOREIGN))
        .collect();
    let inner_last =
        frames.iter().filter(|number| query.mentions[**number].path.ends_with(".py")).count() * 2 > frames.len();
    for (place, number) in frames.iter().enumerate() {
        let depth = if inner_last { frames.len() - 1 - place } else { place };
        for (path, strength) in matches[*number].iter().filter(|(_, strength)| *strength > FOREIGN) {
            let value = strength / (1.0 + depth as f64);
            let named = found.entry((*path).to_owned()).or_default();
            named.frame = named.frame.max(value);
        }
    }
}

/// Last components that a file can have that a mention means.
fn ends(mention: &Mention) -> Vec<&str> {
    let parts: Vec<&str> = mention.path.split('/').collect();
    let members = if mention.is_module { MEMBERS } else { 0 };
    (0..=members).filter_map(|cut| parts.len().checked_sub(cut + 1).and_then(|at| parts.get(at)).copied()).collect()
}

/// Components of a path as a module: no extension, and the folder for files that represent theirs.
fn module_of<'p>(parts: &[&'p str]) -> Vec<&'p str> {
    let mut module = parts.to_vec();
    if let Some(last) = module.last_mut() {
        *last = last.split('.').next().unwrap_or(last);
        if FOLDER_STEMS.contains(last) && module.len() > 1 {
            module.pop();
        }
    }
    module
}

fn common_end(a: &[&str], b: &[&str]) -> usize {
    a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

fn strength(mention: &Mention, parts: &[&str], module: &[&str]) -> f64 {
    let said: Vec<&str> = mention.path.split('/').collect();
    if !mention.is_module {
        let common = common_end(&said, parts);
        let whole = common == said.len().min(parts.len());
        return match (whole, common) {
            (_, 0) => 0.0,
            (true, _) => 1.0,
            (false, 1) => FOREIGN,
            (false, _) => 0.6,
        };
    }
    let mut best = 0.0f64;
    for cut in 0..=MEMBERS.min(said.len() - 1) {
        let said = &said[..said.len() - cut];
        let common = common_end(said, module);
        let value = match common {
            0 => 0.0,
            _ if common == said.len() && common >= 2 => 1.0,
            _ if common == module.len() && common >= 2 => 0.9,
            _ if common >= 2 => 0.7,
            // A single remaining word: `separable.matrix` refers to `separable.py`.
            1 if said.len() == 1 && cut > 0 => SHORT_MODULE,
            _ => 0.0,
        };
        best = best.max(value * 0.95f64.powi(cut as i32));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(path: &str, is_module: bool, file: &str) -> f64 {
        let mention = Mention { path: path.to_owned(), zone: Zone::Prose, is_module, line: None };
        let parts: Vec<&str> = file.split('/').collect();
        strength(&mention, &parts, &module_of(&parts))
    }

    #[test]
    fn files_are_met_from_their_end() {
        assert_eq!(value("src/pool.rs", false, "crates/x/src/pool.rs"), 1.0);
        assert_eq!(value("usr/lib/site-packages/pkg/core.py", false, "pkg/core.py"), 1.0);
        assert_eq!(value("other/core.py", false, "pkg/core.py"), FOREIGN);
        assert_eq!(value("pkg/core", true, "src/pkg/core.py"), 1.0);
        assert_eq!(value("pkg/core", true, "src/pkg/core/__init__.py"), 1.0);
        assert!(value("pkg/core/Pool/acquire", true, "src/pkg/core.py") > 0.8);
        assert_eq!(value("np/array", true, "pkg/core.py"), 0.0);
    }
}
