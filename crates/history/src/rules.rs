//! Commits that say little about which files belong together: those made by programs, and those of formatters.

/// Weight of a commit made by a program, among those that count for co-change: programs bump versions and lock files
/// together, whatever else belongs together.
pub(crate) const BOT_WEIGHT: f64 = 0.25;
/// Names of accounts under which programs commit, in lower case.
const BOTS: [&str; 14] = [
    "dependabot",
    "renovate",
    "github-actions",
    "pre-commit-ci",
    "greenkeeper",
    "snyk-bot",
    "mergify",
    "codecov",
    "imgbot",
    "allcontributors",
    "semantic-release-bot",
    "weblate",
    "crowdin",
    "bors",
];
/// What subjects say of commits that a formatter made, in lower case. The contents decide, see
/// [`crate::Commit::is_format`].
const FORMATTING: [&str; 18] = [
    "format",
    "black",
    "isort",
    "ruff",
    "prettier",
    "eslint",
    "biome",
    "rustfmt",
    "cargo fmt",
    "gofmt",
    "go fmt",
    "clang-format",
    "whitespace",
    "indent",
    "line ending",
    "trailing",
    "style",
    "lint",
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
    fn ignored_revisions_are_full_names() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        let text = format!("# reformat\n{id}\n  {id}  # black\nabc\n\n");
        assert_eq!(ignored_revisions(text.as_bytes()).count(), 2);
    }
}
