//! Names of images as manifests write them: through values of Helm charts and replacements of Kustomize.

use m1nd_lang::facts::SharedKind;

use super::common;
use super::deployments::{folder_of, is_inside, join, without_tag};
use crate::eval::Eval;
use crate::spots::shared;
use crate::tables::files::FileId;

/// Names that one may stand for.
const MAX_NAMES: usize = 16;
/// Folder of a chart with the templates of its manifests.
const TEMPLATES: &str = "/templates/";
/// Names of the file of a Kustomization.
const KUSTOMIZATIONS: &[&str] = &["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The names of the images that a file means by one: with the values of its chart, and those that take its place.
pub(super) fn names(eval: &mut Eval<'_>, file: FileId, written: &str) -> Vec<String> {
    let name = match written.contains("{{") {
        true => expand_name(eval, file, written),
        false => Some(written.to_owned()),
    };
    let Some(name) = name.filter(|name| !without_tag(name).is_empty()) else { return Vec::new() };
    let mut found = vec![name];
    let bare = without_tag(&found[0]).to_owned();
    for other in common::files(eval, file, &shared::image_alias(&bare)) {
        let unit = eval.project.unit(other);
        let aliases = unit.facts.shared.iter().filter(|row| row.kind == SharedKind::ImageAlias && *row.name == *bare);
        let aliases: Vec<String> = aliases.map(|row| row.of.to_string()).collect();
        if applies(eval, other, file) {
            found.extend(aliases.into_iter().filter(|alias| alias != &bare));
        }
        found.truncate(MAX_NAMES);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The folders and files that a Kustomization applies; `None` if a file is none.
pub(super) fn list_applied(eval: &Eval<'_>, file: FileId) -> Option<Vec<String>> {
    let unit = eval.project.unit(file);
    let path = unit.path.as_str();
    let name = path.rsplit('/').next().unwrap_or(path);
    if !KUSTOMIZATIONS.contains(&name) {
        return None;
    }
    let rows = unit.facts.shared.iter().filter(|row| row.kind == SharedKind::Manifest);
    Some(rows.filter_map(|row| join(folder_of(path), &row.name)).collect())
}

/// The file that a path of a Kustomization means: a manifest, or the Kustomization of a folder.
pub(super) fn manifest(eval: &Eval<'_>, path: &str) -> Option<FileId> {
    let inner =
        KUSTOMIZATIONS.iter().map(|name| if path.is_empty() { (*name).to_owned() } else { format!("{path}/{name}") });
    [path.to_owned()].into_iter().chain(inner).find_map(|path| eval.file_at(&path))
}

/// Returns whether a Kustomization applies a manifest: itself, or a folder that it is in.
fn applies(eval: &Eval<'_>, kustomization: FileId, manifest: FileId) -> bool {
    let path = eval.project.path(manifest).as_str();
    list_applied(eval, kustomization).is_some_and(|paths| paths.iter().any(|of| is_inside(path, of)))
}

/// A name with the values of the chart that a template belongs to. What stands behind a colon is the tag, which need
/// not be known.
fn expand_name(eval: &mut Eval<'_>, file: FileId, written: &str) -> Option<String> {
    let path = eval.project.path(file).as_str();
    let chart = path.split_once(TEMPLATES).map(|(chart, _)| chart.to_owned());
    let chart = chart.or_else(|| path.starts_with(&TEMPLATES[1..]).then(String::new))?;
    let inside = |name: &str| if chart.is_empty() { name.to_owned() } else { format!("{chart}/{name}") };
    eval.file_at(&inside("Chart.yaml"))?;
    let values = [inside("values.yaml"), inside("values.yml")].iter().find_map(|path| eval.file_at(path))?;
    let mut name = String::new();
    let mut rest = written;
    while let Some((before, behind)) = rest.split_once("{{") {
        let (expression, after) = behind.split_once("}}")?;
        name += before;
        if name.ends_with(':') && !name.trim_end_matches(':').contains('{') && !after.contains('/') {
            return Some(name.trim_end_matches(':').to_owned());
        }
        name += &value(eval, file, values, expression)?;
        rest = after;
    }
    name += rest;
    Some(name)
}

/// The value that an expression of a template has by the default values of its chart; `None` if it is computed.
fn value(eval: &mut Eval<'_>, file: FileId, values: FileId, expression: &str) -> Option<String> {
    let expression = expression.trim_matches(['-', ' ']);
    let (first, filters) = expression.split_once('|').unwrap_or((expression, ""));
    // With a default, or a quote around it, a value that is there stays as it is.
    let keeps = |filter: &str| matches!(filter.split_whitespace().next(), None | Some("quote" | "squote" | "default"));
    let path = first.trim().strip_prefix(".Values.").or_else(|| first.trim().strip_prefix("$.Values."))?;
    if !filters.split('|').all(keeps) || path.contains(char::is_whitespace) {
        return None;
    }
    if !common::files(eval, file, &shared::value(path)).contains(&values) {
        return None;
    }
    let rows = &eval.project.unit(values).facts.shared;
    rows.iter().find(|row| row.kind == SharedKind::Value && *row.name == *path).map(|row| row.of.to_string())
}
