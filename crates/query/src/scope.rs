//! The part of a repository that a question is about.

use m1nd_search::is_within;

use crate::retrieval::PathGlob;

/// A folder or file, or a glob, perhaps below a prefix; everything by default.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// What all paths of it start with.
    prefix: String,
    /// As it was written.
    text: String,
    part: Option<Part>,
}

#[derive(Debug, Clone)]
enum Part {
    Below(String),
    Glob(Box<PathGlob>),
    /// A folder or a class of names: `app/[id]`.
    Either(String, Box<PathGlob>),
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
            return Ok(Self::default());
        }
        if !text.contains(['*', '?', '[', '{']) {
            return Ok(Self { part: Some(Part::Below(text.to_owned())), ..Self::of_text(text) });
        }
        let glob = Box::new(PathGlob::compile(text)?);
        let part = match text.contains(['*', '?', '{']) {
            true => Part::Glob(glob),
            false => Part::Either(text.to_owned(), glob),
        };
        Ok(Self { part: Some(part), ..Self::of_text(text) })
    }

    fn of_text(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// The part of it whose paths start with `prefix`.
    #[must_use]
    pub fn below(self, prefix: &str) -> Self {
        Self { prefix: prefix.to_owned(), ..self }
    }

    /// The same for the same part.
    pub(super) fn key(&self) -> (&str, &str) {
        (&self.prefix, &self.text)
    }

    /// Returns whether a path is part of it.
    pub fn has(&self, path: &str) -> bool {
        if !path.starts_with(&self.prefix) {
            return false;
        }
        match &self.part {
            None => true,
            Some(Part::Below(folder)) => is_within(path, Some(folder.as_str())),
            Some(Part::Glob(glob)) => glob.is_match(path),
            Some(Part::Either(folder, glob)) => is_within(path, Some(folder.as_str())) || glob.is_match(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_part_of_the_scope() {
        let scope = Scope::parse("*.py").expect("a glob").below("app/");
        assert!(scope.has("app/a.py") && !scope.has("lib/a.py") && !scope.has("app/a.rs"));
        assert_ne!(scope.key(), Scope::parse("*.py").expect("a glob").key());
    }

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
            ("app/[id]", "app/[id]/page.ts", true),
            ("app/[id]", "app/idx/page.ts", false),
            ("app/[id]/*", "app/[id]/page.ts", true),
        ];
        for (scope, path, expected) in cases {
            assert_eq!(Scope::parse(scope).expect("valid").has(path), expected, "{scope} {path}");
        }
        assert!(Scope::parse("a[").is_err());
    }
}
