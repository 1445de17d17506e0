//! Decides which hidden files and folders (names that start with a dot) are walked.

/// The compiled patterns of one walk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hidden {
    all: bool,
    patterns: Vec<Pattern>,
}

#[derive(Debug, Clone)]
enum Pattern {
    /// `x/**`: x and everything below it.
    Below(String),
    /// `x/*`: direct children of x.
    Children(String),
    /// `x/y`: this path, and everything below it if it is a folder.
    Path(String),
    /// `x`, without a separator: every file or folder of this name.
    Name(String),
}

impl Hidden {
    /// Parses `patterns`; with `all`, nothing is skipped for being hidden.
    pub(crate) fn new(all: bool, patterns: &[String]) -> Self {
        let read = |text: &String| {
            let text = text.trim().trim_start_matches("./").trim_start_matches('/');
            if let Some(base) = text.strip_suffix("/**") {
                return Pattern::Below(base.to_owned());
            }
            if let Some(base) = text.strip_suffix("/*") {
                return Pattern::Children(base.to_owned());
            }
            let text = text.trim_end_matches('/').to_owned();
            if text.contains('/') { Pattern::Path(text) } else { Pattern::Name(text) }
        };
        Self { all, patterns: patterns.iter().map(read).collect() }
    }

    /// Returns whether the file at `path` passes the filter for hidden files.
    pub(crate) fn shows_file(&self, path: &str) -> bool {
        self.all || !is_hidden(path) || self.patterns.iter().any(|pattern| pattern.covers(path))
    }

    /// Returns whether anything below the folder at `path` may pass.
    pub(crate) fn enters_folder(&self, path: &str) -> bool {
        self.all
            || !is_hidden(path)
            || self.patterns.iter().any(|pattern| pattern.covers(path) || pattern.lies_below(path))
    }

    /// Returns whether a pattern names exactly this file, which is the only way to request a file that looks like a
    /// secret.
    pub(crate) fn names(&self, path: &str) -> bool {
        self.patterns.iter().any(|pattern| match pattern {
            Pattern::Path(text) => text == path,
            Pattern::Name(text) => text == path.rsplit('/').next().unwrap_or(path),
            Pattern::Below(_) | Pattern::Children(_) => false,
        })
    }
}

impl Pattern {
    fn covers(&self, path: &str) -> bool {
        match self {
            Self::Below(base) | Self::Path(base) => below(path, base).is_some(),
            Self::Children(base) => below(path, base).is_some_and(|rest| !rest.is_empty() && !rest.contains('/')),
            Self::Name(name) => path.split('/').any(|part| part == name),
        }
    }

    /// Returns whether the pattern can only match below the folder at `path`, so that it must be entered.
    fn lies_below(&self, path: &str) -> bool {
        match self {
            Self::Below(base) | Self::Children(base) | Self::Path(base) => below(base, path).is_some(),
            Self::Name(_) => false,
        }
    }
}

/// Strips `base` from `path` by whole components; `""` for `base` itself.
fn below<'a>(path: &'a str, base: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(base)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_shown(patterns: &[&str], path: &str) -> bool {
        let patterns: Vec<String> = patterns.iter().map(|&text| text.to_owned()).collect();
        Hidden::new(false, &patterns).shows_file(path)
    }

    #[test]
    fn patterns() {
        assert!(is_shown(&[], "a/b.py") && !is_shown(&[], ".a/b.py") && !is_shown(&[], "a/.b"));
        assert!(is_shown(&[".github/**"], ".github/workflows/ci.yml") && is_shown(&[".github/**"], ".github/.x/y"));
        assert!(!is_shown(&[".github/**"], ".githubx/a") && !is_shown(&[".github/**"], "a/.github/b"));
        assert!(is_shown(&[".a/*"], ".a/b") && !is_shown(&[".a/*"], ".a/b/c"));
        assert!(is_shown(&[".eslintrc"], "web/.eslintrc") && is_shown(&["web/.eslintrc"], "web/.eslintrc"));
        assert!(!is_shown(&["web/.eslintrc"], ".eslintrc"));
    }

    #[test]
    fn folders_on_the_way_are_entered() {
        let hidden = Hidden::new(false, &[".a/b/*".to_owned(), ".c/d".to_owned()]);
        assert!(hidden.enters_folder(".a") && hidden.enters_folder(".a/b") && hidden.enters_folder(".c"));
        assert!(!hidden.enters_folder(".a/x") && !hidden.enters_folder(".b"));
        assert!(!hidden.shows_file(".a/file") && hidden.shows_file(".a/b/file"));
    }
}
