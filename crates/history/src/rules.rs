//! Kinds of commits by author and subject: those made by programs, those of formatters, and those that fix a defect.

/// Weight of a commit made by a program, among those that count for co-change: programs bump versions and lock files
/// together, whatever else belongs together.
pub(crate) const BOT_WEIGHT: f64 = 0.25;
/// Names of accounts under which programs commit, in lower case.
const BOTS: [&str; 14] = [
    "dependabot", "renovate", "github-actions", "pre-commit-ci", "greenkeeper", "snyk-bot", "mergify", "codecov",
    "imgbot", "allcontributors", "semantic-release-bot", "weblate", "crowdin", "bors",
];
/// What subjects say of commits that a formatter made, in lower case. The contents decide, see
/// [`crate::Commit::is_format`].
const FORMATTING: [&str; 18] = [
    "format", "black", "isort", "ruff", "prettier", "eslint", "biome", "rustfmt", "cargo fmt", "gofmt", "go fmt",
    "clang-format", "whitespace", "indent", "line ending", "trailing", "style", "lint",
];
/// Words by which subjects say that a defect is mended, in lower case.
const FIXING: [&str; 22] = [
    "fix", "fixes", "fixed", "fixing", "bugfix", "bugfixes", "hotfix", "bug", "bugs", "crash", "crashes", "panic",
    "panics", "regression", "deadlock", "leak", "leaks", "overflow", "incorrect", "wrong", "broken", "segfault",
];
/// Words of subjects whose mending is not one of code that runs in the product, in lower case.
const MINOR: [&str; 34] = [
    "typo", "typos", "lint", "lints", "linting", "clippy", "flake8", "mypy", "doc", "docs", "docstring", "docstrings",
    "documentation", "changelog", "readme", "comment", "comments", "spelling", "grammar", "ci", "warning", "warnings",
    "test", "tests", "formatting", "style", "version", "travis", "appveyor", "whitespace", "link", "links", "build",
    "revert",
];
/// File that lists commits for `git blame` to ignore: reformattings, by convention.
pub(crate) const IGNORED_REVISIONS: &str = ".git-blame-ignore-revs";

/// Returns whether an author is a program: `[bot]` in the name or address, a name that ends in `-bot` or ` bot`, or a
/// known account.
pub(crate) fn is_bot(name: &[u8], address: &[u8]) -> bool {
    let folded = |text: &[u8]| String::from_utf8_lossy(text).trim().to_lowercase();
    let (name, address) = (folded(name), folded(address));
    let account = address.split('@').next().unwrap_or_default();
    let account = account.rsplit('+').next().unwrap_or_default();
    let marked = name.contains("[bot]") || address.contains("[bot]");
    marked
        || [name.as_str(), account].iter().any(|who| {
            let ends = who.ends_with("-bot") || who.ends_with(" bot");
            ends || BOTS.iter().any(|bot| who == bot || who.strip_suffix("-bot") == Some(bot))
        })
}

/// Returns whether the subject of a commit suggests that a formatter made it.
pub(crate) fn suggests_formatting(subject: &str) -> bool {
    let subject = subject.to_lowercase();
    FORMATTING.iter().any(|word| subject.contains(word))
}

/// Returns whether the subject of a commit says that it mends a defect of code, by its words alone: one of
/// [`FIXING`], and none of [`MINOR`].
pub(crate) fn suggests_fix(subject: &str) -> bool {
    let subject = subject.to_lowercase();
    let mut fixes = false;
    for word in subject.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        if MINOR.contains(&word) {
            return false;
        }
        fixes |= FIXING.contains(&word);
    }
    fixes
}

/// The commits named in a list of ignored revisions, in hexadecimal.
pub(crate) fn ignored_revisions(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|byte| *byte == b'\n').map(|line| line.split(|byte| *byte == b'#').next().unwrap_or(line));
    lines.map(<[u8]>::trim_ascii).filter(|line| line.len() == 40 && line.iter().all(u8::is_ascii_hexdigit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_from_people() {
        let cases = [
            ("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com", true),
            ("Renovate Bot", "bot@renovateapp.com", true),
            ("pre-commit-ci", "x@y.z", true),
            ("github-actions", "41898282+github-actions@users.noreply.github.com", true),
            ("release-bot", "x@y.z", true),
            ("Ann Abbot", "ann@example.org", false),
            ("Talbot", "talbot@example.org", false),
            ("", "", false),
        ];
        for (name, address, expected) in cases {
            assert_eq!(is_bot(name.as_bytes(), address.as_bytes()), expected, "{name} {address}");
        }
    }

    #[test]
    fn fixes_are_told_by_their_words() {
        let cases = [
            ("Fix crash on an empty file (#12)", true),
            ("fix(parser): keep the last line", true),
            ("bugfix", true),
            ("Fixed #1234 -- wrong offset", true),
            ("Prevent deadlock in shutdown", true),
            ("Add prefix to names", false),
            ("Fix typo", false),
            ("fix: typos in docs", false),
            ("Fix tests on Windows", false),
            ("fixture for panels", false),
            ("Revert \"Fix crash\"", false),
            ("", false),
        ];
        for (subject, expected) in cases {
            assert_eq!(suggests_fix(subject), expected, "{subject}");
        }
    }

    #[test]
    fn ignored_revisions_are_full_names() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        let text = format!("# reformat\n{id}\n  {id}  # black\nabc\n\n");
        assert_eq!(ignored_revisions(text.as_bytes()).count(), 2);
    }
}
