//! The repositories with known truth, and the commits it was made at.

/// A repository with truth.
#[derive(Debug, Clone, Copy)]
pub(super) struct Repository {
    /// Name of its truth files.
    pub(super) name: &'static str,
    /// Language, for the table.
    pub(super) language: &'static str,
    /// Its URL.
    pub(super) source: &'static str,
    /// The commit of the truth, abbreviated.
    pub(super) commit: &'static str,
}

/// In table order.
pub(super) const REPOSITORIES: &[Repository] = &[
    row("requests", "Python", "psf/requests", "1f6589ec3a1e"),
    row("express", "JavaScript", "expressjs/express", "a3714473feb3"),
    row("zod", "TypeScript", "colinhacks/zod", "e516c3baf226"),
    row("hono", "TypeScript", "honojs/hono", "28a9c128912d"),
    row("core", "TypeScript", "vuejs/core", "e2bede96134f"),
    row("msw", "TypeScript", "mswjs/msw", "8a19d5485ada"),
    row("ripgrep", "Rust", "BurntSushi/ripgrep", "3fce3b5bb023"),
    row("chi", "Go", "go-chi/chi", "735ae2b87f8c"),
    row("jsoup", "Java", "jhy/jsoup", "46b620860aed"),
];

const fn row(name: &'static str, language: &'static str, source: &'static str, commit: &'static str) -> Repository {
    Repository { name, language, source, commit }
}

/// The repository with this name.
pub(super) fn find(name: &str) -> Option<Repository> {
    REPOSITORIES.iter().copied().find(|repository| repository.name == name)
}
