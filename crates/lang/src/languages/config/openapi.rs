//! Descriptions of HTTP interfaces (OpenAPI, Swagger): their operations.

use super::super::schema::Sheet;
use super::yaml::Entries;
use crate::facts::SharedKind;

/// Methods of HTTP, as descriptions write them.
const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];

pub(super) fn read(entries: &Entries<'_>, sheet: &mut Sheet<'_>) {
    let top = |key: &str| entries.get_top(0, key);
    let Some((_, version)) = top("openapi").or_else(|| top("swagger")) else { return };
    let Some((paths, _)) = top("paths").filter(|_| version.value.starts_with(|c: char| c.is_ascii_digit())) else {
        return;
    };
    let server = top("servers").and_then(|(at, _)| entries.inside(at).next()).map(|(at, _)| entries.value(at, "url"));
    let base = top("basePath").map(|(_, row)| row.value).or(server).map_or("", path_of).trim_end_matches('/');
    for (path, row) in entries.inside(paths) {
        let Some(name) = row.key.filter(|name| name.starts_with('/')) else { continue };
        for (operation, row) in entries.inside(path) {
            let Some(method) = row.key.filter(|key| METHODS.contains(key)) else { continue };
            let full = format!("{} {base}{name}", method.to_ascii_uppercase());
            sheet.share(SharedKind::Operation, true, &full, entries.value(operation, "operationId"), None, row.start);
        }
    }
}

/// The path of an address, without its host.
fn path_of(url: &str) -> &str {
    match url.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]),
        None if url.starts_with('/') => url,
        None => "",
    }
}
