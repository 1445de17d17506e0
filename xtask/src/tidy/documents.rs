//! Paths of this repository that documents name exist.

use std::collections::BTreeSet;

use m1nd_base::RepoPath;

use super::Source;

/// Endings of files that a document names without a folder, as `budget.rs`.
const CODE_ENDINGS: &[&str] = &[".rs"];
/// Folders at the top whose paths are always ours. Others, such as `src/`, are also in examples of other projects.
const TOP: &[&str] = &["crates/", "docs/", "eval/", "xtask/", "benches/", ".ci/"];

/// The table of contents of the book.
const CONTENTS: &str = "docs/SUMMARY.md";

/// All paths of the repository.
struct Tree<'s> {
    files: BTreeSet<&'s str>,
    /// Folders of the repository, without the last slash.
    folders: BTreeSet<&'s str>,
    /// Names of the crates, as documents write them in front of a path.
    crates: BTreeSet<&'s str>,
    /// Names of the folders directly below a crate: `src`, `tests`.
    rooms: BTreeSet<&'s str>,
}

pub(super) fn check(sources: &[Source]) -> Vec<String> {
    let tree = Tree::new(sources.iter().map(|source| source.path.as_str()));
    let mut complaints = list_unlisted(sources);
    for source in sources.iter().filter(|source| source.is_document()) {
        let is_history = source.path == "CHANGELOG.md";
        let mut is_block = false;
        for (number, line) in source.text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                is_block = !is_block;
            }
            if is_block || is_history {
                continue;
            }
            let missing = |path: &&str| tree.is_missing(path, &source.path);
            let spans = code_spans(line)
                .filter(missing)
                .chain(link_targets(line).filter(|to| tree.is_broken(to, &source.path)));
            let complaint = |path: &str| format!("{}:{}: `{path}` does not exist", source.path, number + 1);
            complaints.extend(spans.map(complaint));
        }
    }
    complaints
}

/// Pages that the table of contents of the book lacks.
fn list_unlisted(sources: &[Source]) -> Vec<String> {
    let Some(contents) = sources.iter().find(|source| source.path == CONTENTS) else { return Vec::new() };
    let listed: BTreeSet<&str> = contents.text.lines().flat_map(link_targets).collect();
    let pages =
        sources.iter().filter_map(|source| source.path.strip_prefix("docs/").filter(|path| path.ends_with(".md")));
    let pages = pages.filter(|path| !path.starts_with("design/") && *path != "SUMMARY.md" && !listed.contains(path));
    pages.map(|path| format!("{CONTENTS}: does not list `{path}`")).collect()
}

impl<'s> Tree<'s> {
    fn new(paths: impl Iterator<Item = &'s str>) -> Self {
        let files: BTreeSet<&str> = paths.collect();
        let parents = |path: &'s str| path.match_indices('/').map(move |(at, _)| &path[..at]);
        let folders: BTreeSet<&str> = files.iter().flat_map(|path| parents(path)).collect();
        let below = || folders.iter().filter_map(|folder| folder.strip_prefix("crates/"));
        let crates = below().filter(|name| !name.contains('/')).collect();
        let rooms = below().filter_map(|path| path.split('/').nth(1)).collect();
        Self { files, folders, crates, rooms }
    }

    /// Whether a span of code names a path of ours that does not exist. A placeholder (`<language>`, `NAME`, `*`) ends
    /// what is compared.
    fn is_missing(&self, span: &str, document: &str) -> bool {
        let is_path = span.chars().all(|c| c.is_alphanumeric() || "/._-*<>".contains(c));
        if !is_path || span.starts_with(['/', '*']) {
            return false;
        }
        let first = span.split('/').next().unwrap_or_default();
        let second = span.split('/').nth(1);
        let is_of_crate = self.crates.contains(first) && second.is_some_and(|second| self.rooms.contains(second));
        let is_ours = TOP.iter().any(|top| span.starts_with(top)) || is_of_crate;
        let is_code = CODE_ENDINGS.iter().any(|ending| span.ends_with(ending)) && !span.contains(['*', '<']);
        let known = known_part(span);
        let exists = ["", "crates/"].iter().any(|folder| self.has(&format!("{folder}{known}")))
            || beside(document, known).is_some_and(|path| self.has(&path));
        let is_end = || {
            self.files
                .iter()
                .any(|file| file.strip_suffix(span).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')))
        };
        (is_ours && !exists && !is_end()) || (is_code && !is_ours && !exists && !is_end())
    }

    /// Whether the target of a link is a relative path that does not exist.
    fn is_broken(&self, target: &str, document: &str) -> bool {
        let path = target.split('#').next().unwrap_or_default();
        let is_relative = !path.is_empty() && !path.contains(':') && !path.starts_with('/');
        is_relative && beside(document, path).is_none_or(|path| !self.has(&path))
    }

    fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.contains(path) || self.folders.contains(path)
    }
}

/// The path in front of the first part with a placeholder: `*`, `<name>` or a word in capitals.
fn known_part(path: &str) -> &str {
    let mut end = 0;
    for part in path.split('/') {
        let stem = part.split('.').next().unwrap_or_default();
        let is_name = stem.len() > 1 && stem.chars().all(|c| c.is_ascii_uppercase()) && !part.ends_with(".md");
        if part.contains(['*', '<']) || is_name {
            return &path[..end];
        }
        end = (end + part.len() + 1).min(path.len());
    }
    path
}

/// A relative path as seen from the folder of a document; `None` if it leaves the repository.
fn beside(document: &str, path: &str) -> Option<String> {
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    RepoPath::resolve_in(folder, path).map(|path| path.to_string())
}

/// The texts between single backticks of a line.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2).filter(|span| !span.is_empty())
}

/// The targets of the links and pictures of a line.
fn link_targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_the_book_lacks_are_found() {
        let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
        let sources = [
            source(CONTENTS, "- [A](a.md)\n  - [B](how/b.md)\n"),
            source("docs/a.md", ""),
            source("docs/how/b.md", ""),
            source("docs/design/c.md", ""),
        ];
        assert_eq!(check(&sources), Vec::<String>::new());
        let more = [source(CONTENTS, "- [A](a.md)\n"), source("docs/a.md", ""), source("docs/how/b.md", "")];
        assert_eq!(check(&more), ["docs/SUMMARY.md: does not list `how/b.md`"]);
    }

    #[test]
    fn paths_that_do_not_exist_are_found() {
        let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
        let rows = [
            ("`link/src/eval`, `link/src/eval/mod.rs`, `mod.rs`, `eval/mod.rs`", 0),
            ("`link/src/gone.rs`", 1),
            ("`gone.rs`", 1),
            ("`crates/link/src/eval/`", 0),
            ("`docs/gone.md`", 1),
            ("`link/src/<language>/mod.rs`, `link/src/NAME.rs`, `link/src/*.rs`", 0),
            ("`link/src/gone/<language>.rs`", 1),
            ("the method `link/list`", 0),
            ("`src/pool.py`, `src/**`, `GET /users`, `lib.rs x`", 0),
            ("[page](a.md#top) [page](../docs/a.md) [web](https://x.org/a.md) [here](#top)", 0),
            ("[page](b.md)", 1),
            ("![picture](a.svg)", 1),
            ("```\n`docs/gone.md`\n```", 0),
        ];
        for (text, expected) in rows {
            let sources = [source("docs/a.md", text), source("crates/link/src/eval/mod.rs", "")];
            assert_eq!(check(&sources).len(), expected, "{text}: {:?}", check(&sources));
        }
    }
}
