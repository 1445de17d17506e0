//! Values of Helm charts: what templates of manifests put in place of `.Values.image.repository`.

use super::super::schema::Sheet;
use super::yaml::Entries;
use crate::facts::{DefKind, SharedKind};

/// Values of one file; further ones are left out.
const MAX_VALUES: usize = 2_048;
/// Maps around a value.
const MAX_DEPTH: usize = 16;
/// Members that stand beside the repository of an image.
const BESIDE: &[&str] = &["tag", "registry", "pullPolicy", "digest"];

/// Reads a file if it describes an image as values of charts do. Whether it belongs to a chart is for the linker.
pub(super) fn read(entries: &Entries<'_>, sheet: &mut Sheet<'_>) {
    let is_manifest = ["apiVersion", "jobs", "services"].iter().any(|key| entries.get_top(0, key).is_some());
    let images: Vec<usize> = images(entries).collect();
    if is_manifest || images.is_empty() {
        return;
    }
    for image in images {
        let (row, repository) = (&entries.rows[image], entries.get(image, "repository"));
        let (Some(name), Some((_, repository))) = (path(entries, image), repository) else { continue };
        let registry = entries.value(image, "registry");
        let whole =
            if registry.is_empty() { repository.value.to_owned() } else { format!("{registry}/{}", repository.value) };
        let def = sheet.define_at(DefKind::Object, &name, None, (row.start, row.start), row.end);
        sheet.sign_as(def, "image");
        sheet.share(SharedKind::Image, false, &whole, "", Some(def), repository.start);
    }
    let scalars = entries.of_document(0).filter(|(_, row)| row.key.is_some() && is_scalar(row.value));
    for (at, row) in scalars.take(MAX_VALUES) {
        if let Some(path) = path(entries, at) {
            sheet.share(SharedKind::Value, true, &path, row.value, None, row.start);
        }
    }
}

/// Maps with the repository of an image.
fn images<'e>(entries: &'e Entries<'_>) -> impl Iterator<Item = usize> + 'e {
    let repositories = entries.of_document(0).filter(|(_, row)| row.key == Some("repository") && is_scalar(row.value));
    let around = repositories.filter_map(|(_, row)| row.parent);
    around.filter(|&around| BESIDE.iter().any(|key| entries.get(around, key).is_some()))
}

fn is_scalar(value: &str) -> bool {
    !value.is_empty() && !value.contains(['\n', '{'])
}

/// The keys from the top to an entry, with dots between; `None` inside of lists.
fn path(entries: &Entries<'_>, at: usize) -> Option<String> {
    let rows = std::iter::successors(Some(&entries.rows[at]), |row| row.parent.map(|parent| &entries.rows[parent]));
    let mut keys: Vec<&str> = rows.take(MAX_DEPTH).map(|row| row.key).collect::<Option<_>>()?;
    keys.reverse();
    Some(keys.join("."))
}
