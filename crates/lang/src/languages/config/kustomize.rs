//! Files of Kustomize: the manifests that one applies, the names of images that it replaces, and sets of variables that
//! it generates.

use super::super::schema::Sheet;
use super::variables;
use super::yaml::Entries;
use crate::facts::{DefKind, SharedKind};

/// Words for the files of Kustomize; files without one are told by their members.
const KINDS: &[&str] = &["Kustomization", "Component"];
/// Lists of paths.
const PATHS: &[&str] = &["resources", "bases", "components"];

pub(super) fn read(entries: &Entries<'_>, sheet: &mut Sheet<'_>) {
    if entries.get_top(0, "kind").is_some_and(|(_, kind)| !KINDS.contains(&kind.value)) {
        return;
    }
    for (list, _) in PATHS.iter().filter_map(|name| entries.get_top(0, name)) {
        for (_, row) in entries.inside(list).filter(|(_, row)| row.key.is_none() && !row.value.contains("://")) {
            sheet.share(SharedKind::Manifest, false, row.value.trim_end_matches('/'), "", None, row.value_at);
        }
    }
    for (item, row) in entries.get_top(0, "images").into_iter().flat_map(|(list, _)| entries.inside(list)) {
        let (Some((_, name)), Some((_, other))) = (entries.get(item, "name"), entries.get(item, "newName")) else {
            continue;
        };
        let def = sheet.define_at(DefKind::Object, name.value, None, (row.start, name.start), row.end);
        sheet.sign_as(def, "image");
        sheet.share(SharedKind::Image, false, other.value, "", Some(def), other.start);
        sheet.share(SharedKind::ImageAlias, true, name.value, other.value, Some(def), name.start);
    }
    for (item, row) in entries.get_top(0, "configMapGenerator").into_iter().flat_map(|(list, _)| entries.inside(list)) {
        let Some((_, name)) = entries.get(item, "name") else { continue };
        let def = sheet.define_at(DefKind::Object, name.value, None, (row.start, name.start), row.end);
        sheet.sign_as(def, "ConfigMap");
        sheet.share(SharedKind::Variables, true, name.value, "", Some(def), name.start);
        if let Some((literals, _)) = entries.get(item, "literals") {
            variables::add(entries, literals, def, sheet);
        }
    }
}
