//! Manifests of Kubernetes: workloads with their containers, and sets of variables. Also the files of Skaffold, which
//! have the same form and say from what images are built.

use super::super::schema::Sheet;
use super::variables;
use super::yaml::Entries;
use crate::facts::{DefId, DefKind, SharedKind};

/// Kinds of objects that run containers.
const WORKLOADS: &[&str] =
    &["CronJob", "DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet", "Rollout", "Service", "StatefulSet"];
/// Lists of containers.
const CONTAINERS: &[&str] = &["containers", "initContainers"];
/// Lists and maps around those of containers.
const MAX_DEPTH: usize = 12;

pub(super) fn read(entries: &Entries<'_>, sheet: &mut Sheet<'_>) {
    for document in 0..entries.documents() {
        let top = |key: &str| entries.get_top(document, key);
        let (Some((_, version)), Some((_, kind))) = (top("apiVersion"), top("kind")) else { continue };
        if version.value.starts_with("skaffold") {
            artifacts(entries, document, sheet);
            continue;
        }
        let Some((_, name)) = top("metadata").and_then(|(at, _)| entries.get(at, "name")) else { continue };
        let start = entries.top(document).next().map_or(name.start, |(_, row)| row.start);
        let end = entries.top(document).last().map_or(name.end, |(_, row)| row.end);
        if kind.value == "ConfigMap" {
            let Some((data, _)) = top("data") else { continue };
            let def = sheet.define_at(DefKind::Object, name.value, None, (start, name.start), end);
            sheet.sign_as(def, kind.value);
            sheet.share(SharedKind::Variables, true, name.value, "", Some(def), name.start);
            variables::add(entries, data, def, sheet);
        } else if WORKLOADS.contains(&kind.value) && top("spec").is_some() {
            let lists: Vec<usize> = lists(entries, document);
            if lists.is_empty() {
                continue;
            }
            let def = sheet.define_at(DefKind::Object, name.value, None, (start, name.start), end);
            sheet.sign_as(def, kind.value);
            for list in lists {
                containers(entries, list, def, sheet);
            }
        }
    }
}

/// The lists of containers of a document.
fn lists(entries: &Entries<'_>, document: usize) -> Vec<usize> {
    let rows = entries.of_document(document);
    let rows = rows.filter(|(_, row)| row.key.is_some_and(|key| CONTAINERS.contains(&key)) && row.value.is_empty());
    let is_in_spec = |at: usize| {
        let parents = std::iter::successors(Some(at), |at| entries.rows[*at].parent).take(MAX_DEPTH);
        parents.last().is_some_and(|top| entries.rows[top].key == Some("spec"))
    };
    rows.map(|(at, _)| at).filter(|at| is_in_spec(*at)).collect()
}

fn containers(entries: &Entries<'_>, list: usize, workload: DefId, sheet: &mut Sheet<'_>) {
    for (container, row) in entries.inside(list) {
        let Some((_, name)) = entries.get(container, "name") else { continue };
        let def = sheet.define_at(DefKind::Object, name.value, Some(workload), (row.start, name.start), row.end);
        sheet.sign_as(def, "container");
        if let Some((_, image)) = entries.get(container, "image") {
            sheet.share(SharedKind::Image, false, image.value, "", Some(def), image.start);
        }
        if let Some((at, _)) = entries.get(container, "env") {
            variables::add(entries, at, def, sheet);
        }
        let Some((from, _)) = entries.get(container, "envFrom") else { continue };
        for (item, _) in entries.inside(from) {
            if let Some((_, name)) = entries.get(item, "configMapRef").and_then(|(at, _)| entries.get(at, "name")) {
                sheet.share(SharedKind::Variables, false, name.value, "", Some(def), name.start);
            }
        }
    }
}

/// Images that Skaffold builds.
fn artifacts(entries: &Entries<'_>, document: usize, sheet: &mut Sheet<'_>) {
    let profiles = entries.get_top(document, "profiles").into_iter().flat_map(|(at, _)| entries.inside(at));
    let builds = profiles.filter_map(|(at, _)| entries.get(at, "build"));
    let builds: Vec<usize> = entries.get_top(document, "build").into_iter().chain(builds).map(|(at, _)| at).collect();
    let lists = builds.into_iter().filter_map(|at| entries.get(at, "artifacts"));
    for (item, row) in lists.flat_map(|(list, _)| entries.inside(list)) {
        let Some((_, image)) = entries.get(item, "image") else { continue };
        let context = entries.value(item, "context");
        let context = if context.is_empty() { "." } else { context };
        let dockerfile = entries.get(item, "docker").map_or("", |(at, _)| entries.value(at, "dockerfile"));
        let def = sheet.define_at(DefKind::Object, image.value, None, (row.start, image.start), row.end);
        sheet.sign_as(def, "image");
        // Jib needs no Dockerfile: the image is that of a project below the context.
        let project = entries.get(item, "jib").map_or("", |(at, _)| entries.value(at, "project"));
        let of = if project.is_empty() { format!("{context}|{dockerfile}") } else { format!("{context}/{project}|") };
        sheet.share(SharedKind::Image, true, image.value, &of, Some(def), image.start);
    }
}
