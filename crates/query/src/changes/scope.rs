//! The part of a repository that a question is about.

use globset::GlobMatcher;

use crate::retrieval::compile_glob;

/// A folder or file, or a glob; everything by default.
#[derive(Debug, Clone, Default)]
pub struct Scope(Option<Part>);

#[derive(Debug, Clone)]
enum Part {
    Below(String),
    Glob(Box<GlobMatcher>),
}

impl Scope {
    /// Parses a path, whose whole components count, or a glob (with `*`, `?`, `[` or `{`), without a slash over
    /// file names.
    ///
    /// # Errors
    /// What is wrong with the glob.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim().trim_matches('/');
        if text.is_empty() || text == "." {
            return Ok(Self(None));
        }
        if !text.contains(['*', '?', '[', '{']) {
            return Ok(Self(Some(Part::Below(text.to_owned()))));
        }
        Ok(Self(Some(Part::Glob(Box::new(compile_glob(text)?)))))
    }

    /// Returns whether a path is part of it.
    pub fn has(&self, path: &str) -> bool {
        match &self.0 {
            None => true,
            Some(Part::Below(folder)) => {
                path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            Some(Part::Glob(glob)) => glob.is_match(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_globs() {
        let cases = [
            ("", "a/b.py", true),
            ("a", "a/b.py", true),
            ("a/", "a/b.py", true),
            ("a", "ab.py", false),
            ("a/b.py", "a/b.py", true),
            ("a/*.py", "a/b.py", true),
            ("a/*.py", "a/c/b.py", false),
            ("a/**", "a/c/b.py", true),
            ("*.{py,md}", "x.md", true),
        ];
        for (scope, path, expected) in cases {
            assert_eq!(Scope::parse(scope).expect("valid").has(path), expected, "{scope} {path}");
        }
        assert!(Scope::parse("a[").is_err());
    }
}
