//! Links of a document that lead nowhere: to files of the project that are not there, and to headings.

use m1nd_base::RepoPath;
use m1nd_documents::{DocumentLimits, Format, headings, parse};
use m1nd_engine::Snapshot;
use rustc_hash::FxHashMap;

use super::{DriftClass, Finding, Read, is_there};

/// Schemes and forms of links that lead out of the project.
const OUTSIDE: &[&str] = &["http:", "https:", "mailto:", "ftp:", "tel:", "data:", "//", "{", "<", "$", "@"];
/// Endings of documents that a link may leave out.
const PAGES: [&str; 4] = [".rst", ".md", ".txt", ".ipynb"];
/// Headings of one document that anchors are compared with.
const MAX_HEADINGS: usize = 20_000;

/// Links to files and headings of the project that are not there.
pub fn broken_links(snapshot: &Snapshot, read: &Read) -> Vec<Finding> {
    let mut anchors = Anchors { snapshot, known: FxHashMap::default() };
    let mut found = Vec::new();
    for link in &read.document.links {
        let target = link.target.trim();
        let is_address = target.contains('@') && !target.contains('/');
        if is_address || OUTSIDE.iter().any(|start| target.starts_with(start)) || target.contains(':') {
            continue;
        }
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let path = path.split('?').next().unwrap_or(path);
        let file = path.rsplit('/').next().unwrap_or(path);
        // A page of a site may be made from a file of another ending.
        let named = file.contains('.') && !file.ends_with(".html") && !file.ends_with(".htm");
        // Trees of documents name them without their endings.
        let is_page = || PAGES.iter().any(|ending| is_there(snapshot, &read.path, &format!("{path}{ending}")));
        if path.is_empty() || path.starts_with('/') || is_there(snapshot, &read.path, path) || is_page() {
            // A file, a page of a site, or this document.
        } else if is_site(path) {
            let message = "the link lacks its scheme, so it leads to a file that does not exist".to_owned();
            found.push(Finding::new(DriftClass::LinkBroken, link.line, target, message, 0.8));
            continue;
        } else if named || is_beside_code(snapshot, read, path) {
            let message = "the link leads to a file that does not exist".to_owned();
            found.push(Finding::new(DriftClass::LinkBroken, link.line, target, message, 0.9));
            continue;
        }
        if anchor.is_empty() || !matches!(read.document.format, Format::Markdown | Format::Light) {
            continue;
        }
        let page = if path.is_empty() { Some(read.path.clone()) } else { anchors.page(&read.path, path) };
        if page.is_some_and(|page| anchors.lacks(&page, anchor)) {
            let message = "the link leads to a heading that does not exist".to_owned();
            found.push(Finding::new(DriftClass::AnchorBroken, link.line, target, message, 0.8));
        }
    }
    found
}

/// Returns whether a path begins with the name of a site: `example.com/page`.
fn is_site(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or(path);
    let ending = first.rsplit_once('.').filter(|(name, _)| !name.is_empty() && !name.starts_with('.'));
    path.contains('/') && ending.is_some_and(|(_, ending)| matches!(ending, "com" | "org" | "net" | "io" | "dev"))
}

/// Returns whether a link without an ending leads to a name that only files of code have: pages of a site are made from
/// documents.
fn is_beside_code(snapshot: &Snapshot, read: &Read, path: &str) -> bool {
    let Some(path) = RepoPath::resolve_in(read.path.parent(), path).filter(|_| !path.ends_with('/')) else {
        return false;
    };
    let start = format!("{path}.");
    let mut beside =
        snapshot.files().within(path.parent()).filter(|file| file.path.as_str().starts_with(&start)).peekable();
    !path.parent().is_empty() && beside.peek().is_some() && beside.all(|file| !file.language.is_prose())
}

/// Anchors of Markdown documents, as hosts of code make them from headings.
struct Anchors<'s> {
    snapshot: &'s Snapshot,
    /// Anchors of each page; `None` if it makes its own, so that nothing is known.
    known: FxHashMap<String, Option<Vec<String>>>,
}

impl Anchors<'_> {
    /// The Markdown document that a link names.
    fn page(&self, from: &RepoPath, path: &str) -> Option<RepoPath> {
        let path = path.replace("%20", " ");
        let page = RepoPath::resolve_in(from.parent(), &path)?;
        page.as_str().ends_with(".md").then_some(page)
    }

    fn lacks(&mut self, page: &RepoPath, anchor: &str) -> bool {
        if !self.known.contains_key(page.as_str()) {
            let anchors = self.snapshot.read_bytes(page).ok().and_then(|bytes| anchors(&bytes));
            self.known.insert(page.as_str().to_owned(), anchors);
        }
        let Some(Some(known)) = self.known.get(page.as_str()) else { return false };
        let anchor = anchor.to_lowercase();
        // `#L12`, `#:~:text=` and the like lead to places of their own.
        let is_own = anchor.starts_with(':') || anchor.starts_with("user-content-") || is_line(&anchor);
        !is_own && !known.iter().any(|own| *own == anchor || fold_anchor(own) == fold_anchor(&anchor))
    }
}

/// The anchors of a page; `None` if some of it makes anchors that are not seen here.
fn anchors(bytes: &[u8]) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(bytes);
    let document = parse("page.md", bytes, &DocumentLimits::default()).ok()?;
    if document.sections.len() > MAX_HEADINGS {
        return None;
    }
    let mut found: Vec<String> = Vec::new();
    let mut times: FxHashMap<String, u32> = FxHashMap::default();
    for heading in headings(Format::Markdown, &text) {
        let slug = slug(&heading.text);
        let again = times.entry(slug.clone()).or_default();
        found.push(if *again == 0 { slug } else { format!("{slug}-{again}") });
        *again += 1;
    }
    // `<a name="x">`, `<h2 id="x">`, `{#x}`, and labels `(x)=`.
    for mark in ["name=\"", "id=\"", "id='", "name='", "{#"] {
        for (at, _) in text.match_indices(mark) {
            let rest = &text[at + mark.len()..];
            let end = rest.find(['"', '\'', '}', ' ']).unwrap_or(0);
            found.push(rest[..end].to_lowercase());
        }
    }
    let makes_own = ["[[toc]]", "{% ", "{{", "::: "].iter().any(|mark| text.contains(mark));
    (!makes_own).then_some(found)
}

/// The anchor of a heading on code hosts: lower case, blanks as `-`, without punctuation.
fn slug(heading: &str) -> String {
    let lower = heading.trim().to_lowercase();
    let kept = lower.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// An anchor as other generators write it: runs of `-` and `_` are one `-`.
fn fold_anchor(anchor: &str) -> String {
    let parts = anchor.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<&str>>().join("-")
}

fn is_line(anchor: &str) -> bool {
    anchor.strip_prefix('l').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_headings() {
        let own = anchors(b"# The `Pool`: a guide!\n## Again\n## Again\n<a name=\"Old\"></a>\n").expect("all are seen");
        assert_eq!(own, ["the-pool-a-guide", "again", "again-1", "old"]);
        assert_eq!(fold_anchor("a--b_c"), "a-b-c");
    }
}
