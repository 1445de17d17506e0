//! Licences that permit training and distributing the result.

/// Spellings of permissive licences in lower case, and their SPDX ids.
const PERMISSIVE: &[(&str, &str)] = &[
    ("mit", "MIT"),
    ("mit license", "MIT"),
    ("the mit license", "MIT"),
    ("expat", "MIT"),
    ("mit-0", "MIT-0"),
    ("apache-2.0", "Apache-2.0"),
    ("apache-2", "Apache-2.0"),
    ("apache 2", "Apache-2.0"),
    ("apache 2.0", "Apache-2.0"),
    ("apache license 2.0", "Apache-2.0"),
    ("apache license, version 2.0", "Apache-2.0"),
    ("apache license version 2.0", "Apache-2.0"),
    ("apache software license", "Apache-2.0"),
    ("apache software license 2.0", "Apache-2.0"),
    ("bsd-2-clause", "BSD-2-Clause"),
    ("bsd-2-clause-patent", "BSD-2-Clause"),
    ("bsd-3-clause", "BSD-3-Clause"),
    ("bsd 3-clause license", "BSD-3-Clause"),
    ("bsd 3-clause", "BSD-3-Clause"),
    ("new bsd license", "BSD-3-Clause"),
    ("bsd license", "BSD"),
    ("bsd", "BSD"),
    ("isc", "ISC"),
    ("isc license", "ISC"),
    ("isc license (iscl)", "ISC"),
    ("unlicense", "Unlicense"),
    ("0bsd", "0BSD"),
];

/// Texts in the head of a file that indicate a licence that does not permit it.
const FORBIDDEN: &[&str] = &[
    "General Public License", "GPL", "Mozilla Public License", "MPL-", "Eclipse Public License", "EPL-",
    "Creative Commons", "CC-BY", "All rights reserved. Proprietary",
];
/// Bytes of a file that are searched for its licence.
const HEAD: usize = 3_000;

/// The permissive licences in an expression, `None` if it requires any other. One of several alternatives suffices.
pub(super) fn permissive(expression: &str) -> Option<String> {
    let flat = expression.replace(['(', ')', '[', ']', '"'], " ").replace(" / ", " OR ").replace('/', " OR ");
    let flat = flat.replace(" or ", " OR ").replace(" and ", " AND ");
    let mut found = Vec::new();
    for alternative in flat.split(" OR ") {
        let parts: Option<Vec<&str>> = alternative.split(" AND ").map(|part| one(part.trim())).collect();
        found.extend(parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join(" AND ")));
    }
    found.dedup();
    (!found.is_empty()).then(|| found.join(" OR "))
}

fn one(name: &str) -> Option<&'static str> {
    let name = name.split(" WITH ").next().unwrap_or(name).trim().to_lowercase();
    // Debian numbers the licences of a package: `BSD-3-clause-google`.
    let exact = PERMISSIVE.iter().find(|(known, _)| *known == name);
    let longer =
        || PERMISSIVE.iter().filter(|(known, _)| known.starts_with("bsd-")).find(|(known, _)| name.starts_with(known));
    exact.or_else(longer).map(|(_, word)| *word)
}

/// Returns whether the head of a file names no prohibitive licence.
pub(super) fn permits(text: &str) -> bool {
    let head = &text[..text.floor_char_boundary(HEAD)];
    !FORBIDDEN.iter().any(|mark| head.contains(mark))
}
