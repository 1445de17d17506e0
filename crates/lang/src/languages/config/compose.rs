//! Compose files: services with what they are built from, run, set and need.

use super::super::schema::Sheet;
use super::variables;
use super::yaml::Entries;
use crate::facts::{DefKind, SharedKind};

pub(super) fn read(entries: &Entries<'_>, sheet: &mut Sheet<'_>) {
    let Some((services, _)) = entries.get_top(0, "services") else { return };
    for (service, row) in entries.inside(services) {
        let Some(name) = row.key else { continue };
        let image = entries.get(service, "image");
        let build = entries.get(service, "build");
        // Files of other programs have `services` too.
        if image.is_none() && build.is_none() && entries.get(service, "environment").is_none() {
            continue;
        }
        let def = sheet.define_at(DefKind::Object, name, None, (row.start, row.start), row.end);
        sheet.sign_as(def, "compose service");
        let image_name = image.map_or("", |(_, row)| row.value);
        if let Some((at, build)) = build {
            // `build` is a path, or a map with the path and the name of the file.
            let context = if build.value.is_empty() { entries.value(at, "context") } else { build.value };
            let dockerfile = entries.value(at, "dockerfile");
            let context = if context.is_empty() { "." } else { context };
            let of = format!("{context}|{dockerfile}");
            let place =
                entries.get(at, "dockerfile").or(entries.get(at, "context")).map_or(build.start, |(_, row)| row.start);
            sheet.share(SharedKind::Image, true, image_name, &of, Some(def), place);
        } else if let Some((_, image)) = image {
            sheet.share(SharedKind::Image, false, image.value, "", Some(def), image.start);
        }
        if let Some((at, _)) = entries.get(service, "environment") {
            variables::add(entries, at, def, sheet);
        }
        if let Some((at, _)) = entries.get(service, "depends_on") {
            for (_, row) in entries.inside(at) {
                sheet.share(SharedKind::Unit, false, row.key.unwrap_or(row.value), "", Some(def), row.start);
            }
        }
    }
}
