use std::borrow::Cow;
use std::ops::Range;

use m1nd_engine::FileEntry;
use m1nd_engine::Snapshot;
use m1nd_graph::NodeIx;
use unicode_normalization::UnicodeNormalization;

/// Order of found files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GlobOrder {
    /// By path.
    #[default]
    Path,
    /// By importance in the graph, most important first.
    Importance,
}

/// A question for files.
#[derive(Debug, Clone, Default)]
pub struct GlobQuery {
    /// Glob over whole paths; without a slash over file names.
    pub pattern: String,
    /// Folder or file it is limited to, as [`Snapshot::scope`] gives it.
    pub scope: String,
    /// Order of the rows.
    pub order: GlobOrder,
}

/// A file that was found.
#[derive(Debug, Clone, Copy)]
pub struct GlobRow<'s> {
    /// Its index entry.
    pub file: &'s FileEntry,
    /// Its node.
    pub node: Option<NodeIx>,
}

/// The complete result, in order.
#[derive(Debug, Clone)]
pub struct GlobAnswer<'s> {
    /// Files in order.
    pub rows: Vec<GlobRow<'s>>,
    /// Number of files examined.
    pub scanned: usize,
}

/// Maximum number of bracketed parts of a glob that are also read as they are written.
const MAX_BRACKETS: usize = 4;

/// A compiled glob over paths. `[id]` is a class of characters, and the name of a folder in some frameworks: a glob
/// with brackets has several readings. Letters with accents match however they are composed.
#[derive(Debug, Clone)]
pub(crate) struct PathGlob {
    /// The readings, those with most brackets as written first.
    readings: Vec<globset::GlobMatcher>,
}

impl PathGlob {
    /// Compiles a glob: `*` matches within one component, `**` across several; a pattern without a slash matches file
    /// names.
    ///
    /// # Errors
    /// A description of the invalid pattern.
    pub(crate) fn compile(pattern: &str) -> Result<Self, String> {
        let pattern = pattern.trim().trim_start_matches("./");
        if pattern.is_empty() {
            return Err("the pattern is empty; expected a glob such as `src/**/*.py`".to_owned());
        }
        let anywhere = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
        let composed = compose(&anywhere);
        let (mut readings, mut why) = (Vec::new(), None);
        for reading in list_readings(&composed) {
            match globset::GlobBuilder::new(&reading).literal_separator(true).build() {
                Ok(glob) => readings.push(glob.compile_matcher()),
                Err(error) => why = Some(error.kind().to_string()),
            }
        }
        match why {
            Some(why) if readings.is_empty() => Err(why),
            _ => Ok(Self { readings }),
        }
    }

    /// Keeps the reading with most brackets as written that matches one of these paths: where a folder `[id]` exists,
    /// that is what is meant.
    #[must_use]
    pub(crate) fn narrow<'p, P: Iterator<Item = &'p str>>(mut self, paths: impl Fn() -> P) -> Self {
        if self.readings.len() > 1 {
            let has_match = |reading: &globset::GlobMatcher| paths().any(|path| reading.is_match(&*compose(path)));
            let meant = self.readings.iter().position(has_match);
            self.readings = self.readings.split_off(meant.unwrap_or(self.readings.len() - 1));
            self.readings.truncate(1);
        }
        self
    }

    /// Returns whether a path matches one of the readings.
    pub(crate) fn is_match(&self, path: &str) -> bool {
        let path = compose(path);
        self.readings.iter().any(|reading| reading.is_match(&*path))
    }
}

/// A text with its accents composed.
fn compose(text: &str) -> Cow<'_, str> {
    match text.is_ascii() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.nfc().collect()),
    }
}

/// The readings of a glob, with each bracketed part as it is written or as a class: those with most parts as written
/// first.
fn list_readings(pattern: &str) -> Vec<String> {
    let brackets = find_brackets(pattern);
    if brackets.len() > MAX_BRACKETS {
        return vec![pattern.to_owned()];
    }
    let mut masks: Vec<u32> = (0..1 << brackets.len()).collect();
    masks.sort_by_key(|mask| std::cmp::Reverse(mask.count_ones()));
    let written = |mask: u32| {
        let (mut text, mut at) = (String::with_capacity(pattern.len() + 16), 0);
        for (number, range) in brackets.iter().enumerate() {
            text.push_str(&pattern[at..range.start]);
            let part = &pattern[range.clone()];
            match mask & (1 << number) != 0 {
                true => text.push_str(&globset::escape(part)),
                false => text.push_str(part),
            }
            at = range.end;
        }
        text + &pattern[at..]
    };
    masks.into_iter().map(written).collect()
}

/// The bracketed parts of a glob: `[id]`, `[...slug]`, `[[...slug]]`.
fn find_brackets(pattern: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = pattern[at..].find('[').map(|start| at + start) {
        let close = if pattern[start..].starts_with("[[") { "]]" } else { "]" };
        let Some(length) = pattern[start..].find(close) else { break };
        at = start + length + close.len();
        // The name of a folder has no slash.
        if !pattern[start..at].contains('/') {
            found.push(start..at);
        }
    }
    found
}

/// Returns indexed files whose path matches a glob.
///
/// # Errors
/// A description of the invalid pattern.
pub fn glob<'s>(snapshot: &'s Snapshot, query: &GlobQuery) -> Result<GlobAnswer<'s>, String> {
    let paths = || snapshot.files().iter().map(|file| file.path.as_str());
    let matcher = PathGlob::compile(&query.pattern)?.narrow(paths);
    let mut scanned = 0;
    let inside = snapshot.files().within(&query.scope).inspect(|_| scanned += 1);
    let matching = inside.filter(|file| matcher.is_match(file.path.as_str()));
    let mut rows: Vec<GlobRow<'_>> =
        matching.map(|file| GlobRow { file, node: snapshot.graph().find_file(file.path.as_str()) }).collect();
    if query.order == GlobOrder::Importance {
        let rank = |row: &GlobRow<'_>| row.node.map_or(0.0, |node| snapshot.graph().pagerank(node));
        rows.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
    }
    Ok(GlobAnswer { rows, scanned })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_with_brackets_are_meant_where_they_exist() {
        let all = ["app/[id]/page.ts", "app/i/page.ts", "app/[[...slug]]/page.ts", "lib/a.ts", "lib/[x]/b.ts"];
        let rows: [(&str, &[&str]); 9] = [
            ("**/[id]/*", &["app/[id]/page.ts"]),
            ("app/[id]/page.ts", &["app/[id]/page.ts"]),
            ("app/[[...slug]]/*", &["app/[[...slug]]/page.ts"]),
            ("**/[xyz]/*", &[]),
            ("**/[ij]/*", &["app/i/page.ts"]),
            ("lib/[a-c].ts", &["lib/a.ts"]),
            ("lib/[x]/[a-c].ts", &["lib/[x]/b.ts"]),
            ("**/[[]id[]]/*", &["app/[id]/page.ts"]),
            ("[a-c].ts", &["lib/a.ts", "lib/[x]/b.ts"]),
        ];
        for (pattern, expected) in rows {
            let glob = PathGlob::compile(pattern).expect("valid").narrow(|| all.iter().copied());
            let found: Vec<&str> = all.iter().copied().filter(|path| glob.is_match(path)).collect();
            assert_eq!(found, expected, "{pattern}");
        }
        assert!(PathGlob::compile("a[z").is_err());
    }

    #[test]
    fn accents_match_however_they_are_composed() {
        for pattern in ["caf\u{e9}*", "cafe\u{301}*"] {
            let glob = PathGlob::compile(pattern).expect("valid");
            assert!(
                glob.is_match("a/caf\u{e9}.py") && glob.is_match("a/cafe\u{301}.py") && !glob.is_match("a/cafe.py")
            );
        }
    }
}
