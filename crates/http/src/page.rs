//! The page: files embedded in the program. A path is looked up in their table, so it leads nowhere else.

use std::collections::HashMap;

use axum::http::header::{self, HeaderMap};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};

use crate::api::{Failure, report_method, report_unknown_route};

mod files {
    include!(concat!(env!("OUT_DIR"), "/files.rs"));
}

/// The page of every path without a file, whose views have addresses of their own.
const INDEX: &str = "/index.html";
/// Folder of files whose names change with their contents.
const HASHED: &str = "/assets/";
/// Paths that programs look for; a page there would mislead them.
const WELL_KNOWN: &str = "/.well-known/";

/// The files by path.
pub(crate) struct Page(HashMap<&'static str, File>);

struct File {
    bytes: &'static [u8],
    tag: String,
}

impl Page {
    pub(crate) fn load() -> Self {
        let file = |bytes: &'static [u8]| File { bytes, tag: format!("\"{}\"", blake3::hash(bytes).to_hex()) };
        Self(files::FILES.iter().map(|(path, bytes)| (*path, file(bytes))).collect())
    }

    /// The answer to a request that no route of the API takes.
    pub(crate) async fn answer(&self, method: Method, uri: &Uri, headers: &HeaderMap) -> Response {
        let path = uri.path();
        if crate::api::is_api(path) {
            return report_unknown_route().await.into_response();
        }
        if method != Method::GET && method != Method::HEAD {
            return report_method(method).await.into_response();
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        let is_view = !name.contains('.') && !path.starts_with(WELL_KNOWN);
        let found = self.0.get_key_value(path).or_else(|| self.0.get_key_value(INDEX).filter(|_| is_view));
        let Some((path, file)) = found else {
            return Failure::new(StatusCode::NOT_FOUND, "not_found", "there is no such file").into_response();
        };
        let age = if path.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
        let common = [(header::CACHE_CONTROL, age), (header::ETAG, &file.tag)];
        if headers.get_all(header::IF_NONE_MATCH).iter().any(|tag| tag == file.tag.as_str()) {
            return (StatusCode::NOT_MODIFIED, common).into_response();
        }
        (common, [(header::CONTENT_TYPE, type_of(path))], file.bytes).into_response()
    }
}

/// The type of a file, by its extension.
fn type_of(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
