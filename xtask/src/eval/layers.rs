//! `cargo xtask eval layers`: how often the order of modules that `layers` infers from the code agrees with what the
//! manifests of a workspace say.
//!
//! The modules are the packages of a Cargo workspace, and the truth are their manifests: a package that depends on
//! another (not for tests only) is above it. The inference sees folders with manifests, but not what they say. A pair
//! is right if the package that depends has the earlier place in the order; `apart` counts the pairs that are in
//! different layers, in the right order, after depths were joined. `unseen` are pairs that no dependency in the code
//! joins, which count as wrong unless their order is right.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::{Engine, EngineConfig, IngestRequest};
use m1nd_query::layers::{Grain, Layering, LayersQuery, files};
use serde::{Deserialize, Serialize};

use super::arguments::Keep;
use super::golden::keep;
use crate::{Outcome, repository};

const USAGE: &str = "expected: cargo xtask eval layers --repo NAME=PATH... [--check | --write] [--explain]";

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Report {
    repository: String,
    packages: usize,
    pairs: usize,
    right: usize,
    apart: usize,
    unseen: usize,
    cannot_tell: usize,
    share_right: f64,
}

pub(super) fn run(args: &[String]) -> Outcome<()> {
    let (mut repositories, mut kept, mut explain) = (Vec::new(), Keep::Print, false);
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        match flag.as_str() {
            "--repo" => {
                let (name, path) = rest.next().and_then(|text| text.split_once('=')).ok_or(USAGE)?;
                repositories.push((name.to_owned(), PathBuf::from(path)));
            }
            "--check" => kept = Keep::Check,
            "--write" => kept = Keep::Write,
            "--explain" => explain = true,
            _ => return Err(format!("unknown argument `{flag}`; {USAGE}").into()),
        }
    }
    let mut reports = Vec::new();
    for (name, path) in repositories {
        let report = report(&name, &path, explain)?;
        println!("{report:?}");
        reports.push(report);
    }
    keep(&repository().join("eval/layers/order.json"), &reports, kept)
}

fn report(name: &str, path: &Path, explain: bool) -> Outcome<Report> {
    let home = tempfile::tempdir()?;
    let engine = Engine::open(EngineConfig::new(home.path().to_owned(), vec![path.to_owned()]))?;
    let cancel = Cancel::new();
    engine.ingest(IngestRequest::code(path), &cancel, &NoProgress)?;
    let snapshot = engine.snapshot();
    let files = files(&snapshot, &cancel).map_err(|_| "cancelled")?;
    let query = LayersQuery { grain: Some(Grain::Packages), ..LayersQuery::default() };
    let found = Layering::of(&snapshot, &files, None, &query, &cancel).map_err(|_| "cancelled")?;
    let modules = &found.modules;
    let place: BTreeMap<&str, usize> = modules.names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let level = |module: usize| {
        let file = modules.of.iter().position(|of| *of == Some(module));
        file.and_then(|file| found.levels[file]).unwrap_or_default()
    };
    let mut report = Report { repository: name.to_owned(), packages: modules.names.len(), ..Report::default() };
    for (above, below) in truth(path)? {
        let (Some(&a), Some(&b)) = (place.get(above.as_str()), place.get(below.as_str())) else { continue };
        let is_right = modules.place(a) < modules.place(b);
        report.pairs += 1;
        report.right += usize::from(is_right);
        report.apart += usize::from(level(a) < level(b));
        report.unseen += usize::from(modules.weight(a, b) + modules.weight(b, a) <= 0.0);
        report.cannot_tell += usize::from(modules.is_open(a, b));
        if explain && !is_right {
            println!("  {above} -> {below}: {:.1} there, {:.1} back", modules.weight(a, b), modules.weight(b, a));
        }
    }
    report.share_right = (report.right as f64 / report.pairs.max(1) as f64 * 1e4).round() / 1e4;
    Ok(report)
}

/// The pairs of folders of packages of which the manifest of the first names the second.
fn truth(root: &Path) -> Outcome<BTreeSet<(String, String)>> {
    let mut manifests: Vec<(String, toml::Table)> = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && name != "target" {
                open.push(path);
            } else if name == "Cargo.toml" {
                let inner = folder.strip_prefix(root)?.to_string_lossy().into_owned();
                // A manifest that tests a broken one is no package.
                if let Ok(table) = std::fs::read_to_string(&path)?.parse() {
                    manifests.push((inner, table));
                }
            }
        }
    }
    let package = |table: &toml::Table| Some(table.get("package")?.get("name")?.as_str()?.to_owned());
    let folders: BTreeMap<String, String> =
        manifests.iter().filter_map(|(folder, table)| Some((package(table)?, folder.clone()))).collect();
    let mut pairs = BTreeSet::new();
    for (folder, table) in manifests.iter().filter(|(_, table)| package(table).is_some()) {
        let targets = table.get("target").and_then(toml::Value::as_table);
        let of_targets = targets.into_iter().flat_map(|rows| rows.values()).filter_map(toml::Value::as_table);
        let tables = std::iter::once(table).chain(of_targets);
        let named = tables.filter_map(|table| table.get("dependencies")?.as_table()).flat_map(|rows| rows.iter());
        for (name, row) in named {
            let name = row.get("package").and_then(toml::Value::as_str).unwrap_or(name);
            pairs.extend(
                folders.get(name).filter(|below| *below != folder).map(|below| (folder.clone(), below.clone())),
            );
        }
    }
    Ok(pairs)
}
