/// The bare snake-case name behind any form in use: `m1nd.activate`, `m1nd_activate`, `perspective.start`,
/// `mcp__m1nd__activate`. Apply it once to every name before it is looked up, logged or checked.
pub fn canonical_name(name: &str) -> String {
    let name = name.trim();
    let bare = match name.rfind("__") {
        Some(at) if name[..at].contains("m1nd") => &name[at + 2..],
        _ => name,
    };
    let bare = bare.strip_prefix("m1nd.").or_else(|| bare.strip_prefix("m1nd_")).unwrap_or(bare);
    bare.replace(['.', '-'], "_")
}

/// Levenshtein distance in characters: the minimum insertions, deletions and replacements that turn `a` into `b`.
pub(crate) fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let replace = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alias_form_reaches_the_bare_name() {
        for alias in ["seek", " seek ", "m1nd.seek", "m1nd_seek", "mcp__m1nd__seek", "mcp__m1nd-mcp__m1nd.seek"] {
            assert_eq!(canonical_name(alias), "seek", "{alias:?}");
        }
        for alias in
            ["perspective.start", "m1nd.perspective.start", "mcp__m1nd__perspective_start", "perspective-start"]
        {
            assert_eq!(canonical_name(alias), "perspective_start", "{alias:?}");
        }
        assert_eq!(canonical_name("mcp__other__seek"), "mcp__other__seek", "another server's tool is not ours");
        assert_eq!(canonical_name(""), "");
    }

    #[test]
    fn distances() {
        for (a, b, distance) in [("", "", 0), ("seek", "", 4), ("saek", "seek", 1), ("impcat", "impact", 2)] {
            assert_eq!(edit_distance(a, b), distance, "{a} {b}");
            assert_eq!(edit_distance(b, a), distance, "{b} {a}");
        }
    }
}
